//! Logs: replayed to the same pairs; whatever was done to their lines is noticed.

use judges::{AuditedModel, Config, Goal, LogError, Session};

use crate::{Judge, busy, config};

/// A model beside people.
fn beside(model: &str, people: &[&str]) -> Config {
    let people = people.iter().copied().map(str::to_owned).collect();
    Config { model: Some(AuditedModel { name: model.to_owned(), cost: 0.05, people }), ..config(4, 8) }
}

/// Sessions of every kind.
fn kinds() -> Vec<Config> {
    let items = |count: u32| (0..count).map(|item| format!("item {item}\nwith \"two\" lines")).collect();
    let of = |policy: &str| Config { policy: policy.into(), ..config(7, 5) };
    vec![
        config(6, 1),
        Config { items: items(3), both: true, repeat: 0.2, ..config(5, 2) },
        Config { goal: Goal::Order, items: items(2), ..config(8, 3) },
        Config { goal: Goal::Uniform, both: true, ..config(5, 4) },
        of("self-sparring"),
        of("rucb"),
        Config { repeat: 0.1, ..of("winner-stays") },
        Config { horizon: 500, ..of("if2") },
        of("knockout"),
        of("bradley-terry-pairs"),
        Config { both: true, ..of("rmed1") },
        Config { items: items(40), ..beside("eve", &["ann", "bob"]) },
        Config { goal: Goal::Uniform, ..beside("ann", &["bob", "eve", "cleo"]) },
    ]
}

#[test]
fn a_replay_is_the_same_session() {
    for config in kinds() {
        let mut live = Session::new(config.clone()).expect("settings");
        let mut asked = busy(&mut live, 300, 9);
        let mut log = live.take_lines();
        let (mut again, read) = Session::replay(log.as_bytes()).unwrap_or_else(|error| panic!("{config:?}: {error}"));
        assert_eq!((read.bytes, read.torn, read.events), (log.len(), 0, log.lines().count() as u64));
        assert_eq!((again.counts(), again.judged(), again.judges()), (live.counts(), live.judged(), live.judges()));
        assert_eq!((again.recommend(), again.ranking()), (live.recommend(), live.ranking()));
        assert!(again.open().eq(live.open()));
        asked.extend(busy(&mut live, 200, 10));
        let more = busy(&mut again, 200, 10);
        assert_eq!(asked[asked.len() - more.len()..], more, "{config:?}");
        log += &live.take_lines();
        assert!(log.ends_with(&again.take_lines()), "{config:?}");
        // And a session that was never interrupted has the same log.
        let mut whole = Session::new(config.clone()).expect("settings");
        busy(&mut whole, 300, 9);
        busy(&mut whole, 200, 10);
        assert_eq!(whole.take_lines(), log);
    }
}

fn refused(log: &str) -> LogError {
    Session::replay(log.as_bytes()).err().unwrap_or_else(|| panic!("accepted:\n{log}"))
}

#[test]
fn every_change_of_a_line_is_noticed_there() {
    let mut live = Session::new(config(4, 6)).expect("settings");
    busy(&mut live, 40, 2);
    let log = live.take_lines();
    let lines: Vec<&str> = log.split_inclusive('\n').collect();
    let count = lines.len();
    assert!(count > 30);
    for at in 0..count {
        let number = at as u64 + 1;
        let with =
            |line: String| [&lines[..at].concat(), &line, &lines[at + 1..].concat()].map(String::as_str).concat();
        // Any character.
        for place in (0..lines[at].len() - 1).step_by(7) {
            let mut line = lines[at].as_bytes().to_vec();
            line[place] = if line[place] == b'1' { b'2' } else { b'1' };
            let error = refused(&with(String::from_utf8(line).expect("ASCII")));
            assert_eq!(error.line, number, "{error}");
        }
        // Spaces, which change no meaning.
        let error = refused(&with(lines[at].replacen(':', ": ", 1)));
        assert!(error.line == number && error.message.contains("edited"), "{error}");
        // Removed: noticed at the line that follows. The last cannot be.
        if at + 1 < count {
            assert_eq!(refused(&with(String::new())).line, number.max(1));
        }
        // Repeated.
        let error = refused(&with(lines[at].repeat(2)));
        assert_eq!(error.line, number + 1, "{error}");
        // A line in between.
        assert_eq!(refused(&with(format!("\n{}", lines[at]))).line, number);
        // Exchanged with the next.
        if at + 1 < count {
            let mut lines = lines.clone();
            lines.swap(at, at + 1);
            assert_eq!(refused(&lines.concat()).line, number);
        }
    }
    let missing = refused(&[&lines[..5], &lines[6..]].concat().concat()).to_string();
    assert_eq!(missing, "line 6: expected event 6, found 7: lines are missing before it; use a copy that is whole");
}

#[test]
fn a_last_line_that_was_cut_off_is_passed_over() {
    let mut live = Session::new(config(4, 6)).expect("settings");
    busy(&mut live, 30, 3);
    let log = live.take_lines();
    let last = log.trim_end().rfind('\n').expect("several lines") + 1;
    for cut in last..log.len() {
        let (again, read) = Session::replay(&log.as_bytes()[..cut]).expect("whole lines");
        assert_eq!((read.bytes, read.torn), (last, cut - last));
        assert_eq!(again.counts().asked + again.counts().answered + again.counts().forgotten + 1, read.events);
    }
    for nothing in ["", "{\"n\":1", &log[..log.find('\n').expect("a line")]] {
        assert_eq!(refused(nothing).to_string(), "line 1: there is no whole line; begin again with another file");
    }
    for other in ["first,second,winner\na,b,a\n", "{}\n", "\n"] {
        assert!(refused(other).to_string().starts_with("line 1: expected the event `created`"), "{other}");
    }
    let beheaded = refused(&log[log.find('\n').expect("a line") + 1..]).to_string();
    assert!(beheaded.starts_with("line 1: expected event 1, found 2: lines are missing"), "{beheaded}");
    assert!(Session::replay(b"\xff\n").expect_err("not text").to_string().contains("line 1: it is not UTF-8"));
}

/// A log of another revision: `name` is the chooser in its first line. Checksums are those that the other program would write.
fn of_revision(events: &[judges::Event], other: &str) -> Vec<judges::Event> {
    let mut events = events.to_vec();
    match &mut events[0] {
        judges::Event::Created { chooser, .. } => *chooser = other.to_owned(),
        _ => panic!("a log begins with its settings"),
    }
    events
}

#[test]
fn a_log_of_another_revision_goes_on_with_its_answers() {
    for config in kinds() {
        // Pairs that another rule chose: those of another seed.
        let mut live = Session::new(Config { seed: config.seed + 1, ..config.clone() }).expect("settings");
        busy(&mut live, 300, 4);
        let mut events: Vec<judges::Event> = live.take_events().into_iter().map(|(_, event)| event).collect();
        if let judges::Event::Created { config: settings, .. } = &mut events[0] {
            settings.seed = config.seed;
        }
        // Under this revision, the first pair that differs is refused ...
        let (number, error) = Session::from_events(events.iter().cloned()).expect_err("other pairs");
        assert!(number > 1 && error.to_string().contains("where this build asks"), "{config:?}: {error}");
        // ... under another one, all outcomes are taken, and this build goes on.
        let other = of_revision(&events, "something else revision=7");
        let mut again =
            Session::from_events(other.iter().cloned()).unwrap_or_else(|error| panic!("{config:?}: {error:?}"));
        // Tickets are of another history, and so have another check.
        let said = |live: &Session| -> Vec<_> {
            live.judged().iter().map(|row| (row.ticket.number, row.first, row.second, row.item, row.verdict)).collect()
        };
        assert_eq!((again.counts(), said(&again)), (live.counts(), said(&live)), "{config:?}");
        assert!(again.take_events().is_empty(), "reading changes nothing");
        let open: Vec<_> = again.open().cloned().collect();
        let mut judge = Judge::new(5, 0.5);
        let next = again.ask(None).expect("a pair");
        open.iter().for_each(|pair| again.tell(pair.ticket, judge.says(pair), None).expect("still open"));
        let new: Vec<judges::Event> = again.take_events().into_iter().map(|(_, event)| event).collect();
        assert!(matches!(new[0], judges::Event::Continued { .. }), "{new:?}");
        busy(&mut again, 200, 6);
        let all = other.into_iter().chain(new).chain(again.take_events().into_iter().map(|(_, event)| event));
        let mut third = Session::from_events(all).unwrap_or_else(|error| panic!("{config:?}: {error:?}"));
        assert_eq!((third.counts(), third.judged()), (again.counts(), again.judged()));
        assert_eq!(third.ask_many(30, None), again.ask_many(30, None));
        assert!(
            third.judged().iter().any(|row| row.ticket == next.ticket)
                || third.open().any(|pair| *pair == next)
                || third.counts().forgotten > 0
        );
    }
}
