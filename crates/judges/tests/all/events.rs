//! Events as lines.

use judges::{Answer, Config, Event, Session};

use crate::{busy, config};

#[test]
fn a_session_is_the_fold_of_its_events() {
    let mut live = Session::new(Config { both: true, repeat: 0.2, ..config(5, 3) }).expect("settings");
    busy(&mut live, 400, 1);
    let events: Vec<Event> = live.take_events().into_iter().map(|(_, event)| event).collect();
    let mut again = Session::from_events(events.iter().cloned()).expect("its own events");
    assert_eq!((again.counts(), again.judged()), (live.counts(), live.judged()));
    assert_eq!(again.ask_many(50, None), live.ask_many(50, None));
    // An event that cannot follow is refused by its number.
    let last = events.len() as u64;
    let doubled =
        events.iter().cloned().chain([Event::Answered { ticket: 1, verdict: Answer::Tie, judge: None, note: None }]);
    let (number, error) = Session::from_events(doubled).expect_err("ticket 1 is closed");
    assert!(number == last + 1 && error.to_string().contains("ticket 1 is not open"), "{number}: {error}");
    assert_eq!(Session::from_events(events.into_iter().skip(1)).expect_err("no beginning").0, 1);
    assert_eq!(Session::from_events([]).expect_err("nothing").0, 1);
}

/// A session as the first version of its lines wrote it, with every field that they have. It is read for ever.
#[test]
fn a_session_of_the_first_version_evolves() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/session-v1.jsonl");
    if std::env::var_os("UPDATE").is_some() && !std::path::Path::new(path).exists() {
        let items = ["one", "two", "three"].map(str::to_owned).to_vec();
        let mut live = Session::new(Config { both: true, repeat: 0.3, items, ..config(4, 3) }).expect("settings");
        busy(&mut live, 120, 8);
        std::fs::write(path, live.take_lines()).expect("a file");
    }
    let text = std::fs::read_to_string(path).expect("the fixture");
    for field in ["\"item\":", "\"mirrors\":", "\"repeats\":", "\"judge\":", "\"both bad\"", "\"forgotten\""] {
        assert!(text.contains(field), "{field}");
    }
    let (live, read) = Session::replay(text.as_bytes()).expect("a session of version 1");
    let counts = live.counts();
    assert_eq!((read.events, read.torn, counts.asked, counts.answered, counts.forgotten), (121, 0, 63, 48, 9));
}

/// A session with the additions of later versions of lines, as first written: a tolerance, notes, answers that were taken back.
#[test]
fn a_session_of_the_second_version_evolves() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/session-v2.jsonl");
    if std::env::var_os("UPDATE").is_some() && !std::path::Path::new(path).exists() {
        let items = ["one", "two"].map(str::to_owned).to_vec();
        let settings = Config { items, both: true, tolerance: 0.05, ..config(3, 6) };
        let mut live = Session::new(settings).expect("settings");
        for call in 0..24 {
            let judge = ["ann", "bob"][call % 2];
            let pair = live.open().find(|pair| pair.judge.as_deref() == Some(judge)).cloned();
            let pair = pair.unwrap_or_else(|| live.ask(Some(judge)).expect("a name"));
            match call % 6 {
                0 => live.forget(pair.ticket).expect("open"),
                1 | 2 => live.tell_with_note(pair.ticket, Answer::First, None, Some("why")).expect("open"),
                3 => drop(live.undo(Some(judge)).expect("a name")),
                _ => live.tell(pair.ticket, Answer::Second, None).expect("open"),
            }
        }
        std::fs::write(path, live.take_lines()).expect("a file");
    }
    let text = std::fs::read_to_string(path).expect("the fixture");
    for field in ["\"tolerance\":0.05", "\"note\":\"why\"", "\"event\":\"taken-back\"", "live 2"] {
        assert!(text.contains(field), "{field}");
    }
    let (live, read) = Session::replay(text.as_bytes()).expect("a session of version 2");
    let counts = live.counts();
    let taken_back = text.matches("taken-back").count();
    assert_eq!((read.events as usize, taken_back, counts.answered, counts.forgotten), (46, 4, 12, 6));
}

/// A session with the lines of a model beside people, as first written.
#[test]
fn a_session_with_a_model_evolves() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/session-model.jsonl");
    if std::env::var_os("UPDATE").is_some() && !std::path::Path::new(path).exists() {
        let mut live = Session::new(crate::audits::audited(3, 6, 0.02)).expect("settings");
        crate::audits::agreeing(&mut live, 120);
        let last = live.open().last().expect("an audit").clone();
        live.forget(last.ticket).expect("open");
        std::fs::write(path, live.take_lines()).expect("a file");
    }
    let text = std::fs::read_to_string(path).expect("the fixture");
    for field in ["\"v\":3,\"event\":\"created\"", "\"event\":\"weighed\"", "\"audits\":", "\"audit\":false", "live 3"]
    {
        assert!(text.contains(field), "{field}");
    }
    let (live, read) = Session::replay(text.as_bytes()).expect("a session with a model");
    let audited = live.audit_counts().expect("a model");
    let found = [read.events, audited.answers, audited.audits, audited.agreed, audited.due, audited.alone];
    assert_eq!(found, [421, 124, 23, 23, 1, 0]);
}

/// A replay compares what this build chooses with a log of the same revision: pairs, items, and the orders of each judge. If this fails, what
/// is chosen has changed, and the revision must change with it.
#[test]
fn what_is_chosen_stays_as_long_as_the_revision() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/session-judges.jsonl");
    if std::env::var_os("UPDATE").is_some() && !std::path::Path::new(path).exists() {
        let items = ["one", "two", "three"].map(str::to_owned).to_vec();
        let mut live = Session::new(Config { items, repeat: 0.1, ..config(4, 8) }).expect("settings");
        for call in 0..60 {
            let pair = live.ask([Some("ann"), Some("bob"), None][call % 3]).expect("a name");
            match call % 7 {
                0 => live.forget(pair.ticket).expect("open"),
                rest => live.tell(pair.ticket, [Answer::First, Answer::Second][rest % 2], None).expect("open"),
            }
        }
        std::fs::write(path, live.take_lines()).expect("a file");
    }
    let text = std::fs::read_to_string(path).expect("the fixture");
    let mut fresh = Session::new(config(4, 8)).expect("settings");
    let revision = |text: &str| text.lines().next().and_then(|line| Some(line.split_once("live ")?.1[..1].to_owned()));
    assert_eq!(revision(&text), revision(&fresh.take_lines()), "a fixture of this revision");
    let (live, _) = Session::replay(text.as_bytes()).expect("the same choices");
    assert_eq!((live.counts().answered, live.counts().forgotten), (51, 9));
}

/// Lines that no program wrote, with right checksums: each is refused in its own words.
#[test]
fn other_lines_are_refused_in_a_sentence() {
    let mut live = Session::new(config(3, 1)).expect("settings");
    let first = live.take_lines();
    let pair = live.ask(None).expect("a pair");
    live.tell(pair.ticket, Answer::First, None).expect("open");
    let lines = live.take_lines();
    let refused = |text: &str| Session::replay(text.as_bytes()).expect_err("refused").to_string();
    let replaced = |from: &str, to: &str| {
        let changed = lines.replacen(from, to, 1);
        assert_ne!(changed, lines, "{from}");
        refused(&(first.clone() + &changed))
    };
    let newer = "line 2: event `asked` of version 9, which this program does not know; use the program that wrote it, or a newer one";
    assert_eq!(replaced("\"v\":1", "\"v\":9"), newer);
    let other = "line 2: event `paired` of version 1, which this program does not know; use the program that wrote it, or a newer one";
    assert_eq!(replaced("\"asked\"", "\"paired\""), other);
    let old = "line 2: it has no version `v`: a program from before the first release wrote it; begin a new session";
    assert_eq!(replaced("\"v\":1,", ""), old);
    assert!(replaced("\"ticket\":1", "\"ticket\":1,\"colour\":\"red\"").contains("its checksum is wrong"));
    assert!(replaced("\"ticket\":1", "\"ticket\": 1").contains("its checksum is wrong"));
}
