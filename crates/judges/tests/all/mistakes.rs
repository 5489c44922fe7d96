//! Answers and skips that are taken back, and notes.

use std::collections::BTreeMap;

use bandits::Generator;
use bandits::random::below;
use judges::{Answer, AuditedModel, Config, Purpose, Session, SessionError, Ticket};
use rand::SeedableRng as _;

use crate::config;

/// A count of the test's own.
#[derive(Debug, Clone, Default, PartialEq)]
struct Count {
    /// The last word of each ticket; `None` if it was passed over.
    words: BTreeMap<Ticket, Option<(Answer, String)>>,
    /// The tickets of each judge, in order, without those taken back.
    done: [Vec<Ticket>; 2],
}

/// Judges answer, skip and take back at random.
fn mistaken(live: &mut Session, Count { words, done }: &mut Count, calls: u32, seed: u64) {
    let names = ["anna", "ben"];
    let mut draws = Generator::seed_from_u64(seed);
    for _ in 0..calls {
        let who = below(&mut draws, 2);
        let name = names[who];
        let open = live.open().find(|pair| pair.judge.as_deref() == Some(name)).cloned();
        let draw = below(&mut draws, 10);
        if draw < 3 {
            let before: Vec<Ticket> = live.open().map(|pair| pair.ticket).collect();
            let Some(ticket) = live.undo(Some(name)).expect("a name") else { continue };
            // It is the last of this judge that can be opened; those after it were passed over, and are asked again.
            let place = done[who].iter().rposition(|done| *done == ticket).expect("this judge's");
            assert!(done[who][place + 1..].iter().all(|later| words[later].is_none()), "{ticket}");
            done[who].remove(place);
            words.remove(&ticket);
            // The other order, if the judge was being asked it, is forgotten.
            for other in before {
                if live.open().all(|pair| pair.ticket != other) {
                    words.insert(other, None);
                    done[who].push(other);
                }
            }
            continue;
        }
        let pair = open.unwrap_or_else(|| live.ask(Some(name)).expect("a pair"));
        if draw == 3 {
            live.forget(pair.ticket).expect("open");
            words.insert(pair.ticket, None);
        } else {
            let verdict = [Answer::First, Answer::Second, Answer::Tie, Answer::BothBad][below(&mut draws, 4)];
            let note = (draw == 4).then_some("a \"note\"\nof two lines");
            live.tell_with_note(pair.ticket, verdict, Some(name), note).expect("open");
            assert_eq!(live.note(pair.ticket), note);
            words.insert(pair.ticket, Some((verdict, name.to_owned())));
        }
        done[who].push(pair.ticket);
    }
}

/// One of the two judges is the model.
fn beside(people: &[&str]) -> Option<AuditedModel> {
    let people = people.iter().copied().map(str::to_owned).collect();
    Some(AuditedModel { name: "ben".to_owned(), cost: 0.1, people })
}

fn kinds() -> Vec<Config> {
    let items = |count: u32| (0..count).map(|item| format!("item {item}")).collect::<Vec<_>>();
    let of = |policy: &str| Config { policy: policy.into(), items: items(3), ..config(6, 5) };
    vec![
        Config { items: items(4), ..config(5, 1) },
        Config { items: items(2), both: true, repeat: 0.3, ..config(4, 2) },
        Config { goal: judges::Goal::Uniform, both: true, ..config(4, 4) },
        Config { goal: judges::Goal::Order, repeat: 0.2, ..config(5, 3) },
        of("self-sparring"),
        Config { both: true, ..of("rmed1") },
        Config { items: items(9), model: beside(&["anna"]), ..config(4, 6) },
        Config { model: beside(&["anna", "cleo"]), ..config(3, 7) },
    ]
}

#[test]
fn the_last_word_counts_and_nothing_else() {
    for config in kinds() {
        for seed in 0..8 {
            let mut live = Session::new(config.clone()).expect("settings");
            let mut count = Count::default();
            mistaken(&mut live, &mut count, 400, seed);
            let words = &count.words;
            let mut found = BTreeMap::new();
            for row in live.judged() {
                let judge = live.judges()[row.judge.expect("named") as usize].clone();
                assert_eq!(found.insert(row.ticket, (row.verdict, judge)), None, "twice");
            }
            let expected: BTreeMap<_, _> = words.iter().filter_map(|(t, word)| Some((*t, word.clone()?))).collect();
            assert_eq!(found, expected, "{config:?}, {seed}");
            let counts = live.counts();
            let number = |is: fn(&Answer) -> bool| expected.values().filter(|(verdict, _)| is(verdict)).count() as u64;
            assert_eq!(counts.answered, expected.len() as u64);
            assert_eq!(counts.forgotten, words.values().filter(|word| word.is_none()).count() as u64);
            assert_eq!(counts.asked, counts.answered + counts.forgotten + counts.open);
            assert_eq!(counts.both_bad, number(|verdict| *verdict == Answer::BothBad));
            assert_eq!(counts.ties, number(|verdict| matches!(verdict, Answer::Tie | Answer::BothBad)));
            let mirrors = |purpose: Purpose| matches!(purpose, Purpose::Mirror(_));
            assert_eq!(counts.both, live.judged().iter().filter(|row| mirrors(row.purpose)).count() as u64);

            // And a replay is the same session, which asks the same.
            let log = live.take_lines();
            assert!(log.contains("\"event\":\"taken-back\"") && log.contains("\"note\":"), "{log}");
            let (mut again, _) = Session::replay(log.as_bytes()).unwrap_or_else(|error| panic!("{config:?}: {error}"));
            assert_eq!((again.counts(), again.judged()), (live.counts(), live.judged()));
            assert_eq!((again.recommend(), again.ranking()), (live.recommend(), live.ranking()));
            assert!(live.judged().iter().all(|row| again.note(row.ticket) == live.note(row.ticket)));
            mistaken(&mut again, &mut count.clone(), 100, seed);
            mistaken(&mut live, &mut count, 100, seed);
            assert_eq!(again.take_lines(), live.take_lines());
        }
    }
}

#[test]
fn what_is_learnt_is_what_was_not_taken_back() {
    let goals = [judges::Goal::Best, judges::Goal::Order];
    for config in goals.map(|goal| Config { goal, ..config(5, 9) }) {
        let mut live = Session::new(config.clone()).expect("settings");
        let mut draws = Generator::seed_from_u64(3);
        for call in 0..60 {
            let pair = live.ask(None).expect("a pair");
            if call % 3 == 0 {
                // A wrong answer, taken back, and the right one.
                live.tell(pair.ticket, Answer::BothBad, None).expect("open");
                assert_eq!(live.undo(None), Ok(Some(pair.ticket)));
            }
            live.tell(pair.ticket, [Answer::First, Answer::Second][below(&mut draws, 2)], None).expect("open");
        }
        // The same questions and answers, without the mistakes.
        let mut right = Session::new(config).expect("settings");
        for row in live.judged() {
            let pair = right.ask(None).expect("a pair");
            assert_eq!((pair.first, pair.second), (row.first, row.second));
            right.tell(pair.ticket, row.verdict, None).expect("open");
        }
        assert_eq!(right.ranking(), live.ranking());
        assert_eq!(right.judgements().judgements, live.judgements().judgements);
    }
}

#[test]
fn what_cannot_be_taken_back_is_refused() {
    let mut live = Session::new(Config { both: true, ..config(3, 1) }).expect("settings");
    let first = live.ask(Some("anna")).expect("a pair");
    assert_eq!(live.take_back(first.ticket, None), Err(SessionError::StillOpen { ticket: first.ticket }));
    live.tell(first.ticket, Answer::First, None).expect("open");
    let expected = SessionError::OtherJudge { ticket: first.ticket, expected: "anna".into(), found: "ben".into() };
    assert_eq!(live.take_back(first.ticket, Some("ben")), Err(expected));
    assert_eq!(live.undo(Some("ben")), Ok(None));
    let other = live.ask(Some("anna")).expect("the other order");
    live.tell(other.ticket, Answer::Second, None).expect("open");
    let refused = live.take_back(first.ticket, Some("anna"));
    assert_eq!(refused, Err(SessionError::OtherOrder { ticket: first.ticket, other: other.ticket }));
    // In the order in which they came, both can.
    assert_eq!(live.undo(Some("anna")), Ok(Some(other.ticket)));
    assert_eq!(live.counts().both, 0);
    // The other order is being asked: it is forgotten with the first.
    assert_eq!(live.undo(Some("anna")), Ok(Some(first.ticket)));
    assert_eq!((live.counts().answered, live.counts().forgotten, live.counts().open), (0, 1, 1));
    assert_eq!(live.recommend(), None);
    for length in [0, 2_001] {
        let refused = live.tell_with_note(first.ticket, Answer::Tie, None, Some(&"x".repeat(length)));
        assert_eq!(refused, Err(SessionError::Note { length }));
    }
    let strange = Ticket { number: 99, ..first.ticket };
    assert!(matches!(live.take_back(strange, None), Err(SessionError::NeverGivenOut { .. })));
}
