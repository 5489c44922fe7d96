//! The effects of calls, and their refusals.

use interleave::{ListBuf, Page, Preference};
use traffic::lists::{ListError, Lists};
use traffic::{
    Ask, BreachReaction, Choice, ClickFate, CommandError, Config, Event, Experiment, ForgottenPart, Guard, Keep, Marks,
    Reason, RecordedEvent, Request, RequestAnswer, SnapshotError, State,
};

use crate::replays::replayed;
use crate::shelf::Shelf;
use crate::{DAY, MINUTE, START, config, list};

fn of(unit: u64) -> Request {
    Request { unit, ..Request::default() }
}

/// An experiment of rankers that all have the same list.
struct Small {
    experiment: Experiment,
    list: ListBuf,
}

impl Small {
    fn new(config: Config) -> Self {
        Self { experiment: Experiment::create(config, 0).unwrap(), list: list(12) }
    }

    fn ask(&mut self, now: i64, request: &Request) -> RequestAnswer {
        self.experiment.choose(now, request, Some(&|_| Some(&self.list))).unwrap()
    }

    fn new_one(&mut self, now: i64, unit: u64) -> (u64, Vec<u32>, bool) {
        match self.ask(now, &of(unit)) {
            RequestAnswer::New { impression, arms, is_mixed, .. } => (impression, arms, is_mixed),
            other => panic!("{other:?}"),
        }
    }

    fn events(&mut self) -> Vec<Event> {
        self.experiment.take_events().into_iter().map(|numbered| numbered.recorded.into_event()).collect()
    }
}

#[test]
fn a_unit_keeps_its_rankers_while_it_counts() {
    for policy in ["rucb", "dts", "mdb", "self-sparring", "fixed"] {
        let mut small = Small::new(Config { unit_days: 2, ..config(6, policy) });
        let mut kept = 0;
        for unit in 1..=40 {
            let (_, first, is_mixed) = small.new_one(0, unit);
            // A unit that has met one ranker alone has no pair yet.
            for hours in [1, 20, 30, 47].iter().filter(|_| is_mixed) {
                let (impression, arms, is_mixed) = small.new_one(hours * 60 * MINUTE, unit);
                assert!(is_mixed && arms == first, "{policy} {unit}");
                small.experiment.click(hours * 60 * MINUTE, impression, 1);
                kept += 1;
            }
            small.experiment = Small::new(Config { unit_days: 2, seed: unit, ..config(6, policy) }).experiment;
        }
        assert!(kept > 80, "{policy}: {kept}");
        // On the third day, a policy shows its leader, and a plan does not change.
        let (_, first, _) = small.new_one(0, 1);
        let (_, arms, is_mixed) = small.new_one(2 * DAY, 1);
        assert_eq!(
            (is_mixed, arms.len() == first.len()),
            if policy == "fixed" { (true, true) } else { (false, false) }
        );
    }
    let mut small = Small::new(Config { keep: Keep::Impression, ..config(6, "fixed") });
    let all: std::collections::BTreeSet<Vec<u32>> = (0..15).map(|_| small.new_one(0, 1).1).collect();
    assert_eq!(all.len(), 15, "each pair of a block once");
}

#[test]
fn windows_close_and_downtime_makes_them_longer() {
    let mut small = Small::new(config(2, "fixed"));
    let (first, ..) = small.new_one(0, 1);
    let (second, ..) = small.new_one(MINUTE, 2);
    assert_eq!(small.experiment.click(29 * MINUTE, first, 0), ClickFate::Taken);
    assert_eq!(small.experiment.click(29 * MINUTE, first, 0), ClickFate::Duplicate);
    assert_eq!(small.experiment.next_due(), Some(30 * MINUTE));
    assert_eq!(small.experiment.click(30 * MINUTE, first, 1), ClickFate::Late);
    assert_eq!(small.experiment.click(30 * MINUTE, 99, 1), ClickFate::Unknown);
    assert_eq!(small.experiment.click(30 * MINUTE, second, 10), ClickFate::NotShown);
    // The node is away for 20 minutes; a clock that goes back changes nothing.
    small.experiment.note_start(50 * MINUTE, START).unwrap();
    small.experiment.advance(0);
    assert_eq!(small.experiment.click(50 * MINUTE, second, 1), ClickFate::Taken);
    assert_eq!(small.experiment.click(51 * MINUTE, second, 2), ClickFate::Late);
    // Away for a year, windows are longer by one window, and have passed.
    let (third, ..) = small.new_one(52 * MINUTE, 3);
    small.experiment.note_start(365 * DAY, START).unwrap();
    assert_eq!(small.experiment.click(365 * DAY, third, 2), ClickFate::Late);
    assert_eq!((small.experiment.fates().open, small.experiment.fates().credited), (0, 3));
    let events = small.events();
    let days: Vec<i32> =
        events.iter().filter_map(|event| if let Event::Day { day, .. } = event { Some(*day) } else { None }).collect();
    assert_eq!(days, [0]);
}

#[test]
fn the_same_request_is_the_same_impression() {
    let mut small = Small::new(config(2, "fixed"));
    let marked = |query, key, request| Request { unit: 1, marks: Marks { query, key, request }, ..Request::default() };
    let RequestAnswer::New { impression, arms, .. } = small.ask(0, &marked(Some(7), None, None)) else { panic!() };
    let again = RequestAnswer::Again { impression, arms, is_listed: true, is_mixed: true };
    assert_eq!(small.ask(MINUTE, &marked(Some(7), None, None)), again);
    assert!(matches!(small.ask(MINUTE, &marked(Some(8), None, None)), RequestAnswer::New { impression: 2, .. }));
    assert!(matches!(small.ask(MINUTE, &marked(None, Some(1), Some(5))), RequestAnswer::New { impression: 3, .. }));
    assert!(matches!(small.ask(MINUTE, &marked(None, Some(1), Some(5))), RequestAnswer::Again { impression: 3, .. }));
    assert_eq!(small.ask(MINUTE, &marked(None, Some(1), Some(6))), RequestAnswer::OtherRequest { impression: 3 });
    // Closed: a reload is a new impression, a repeated request is gone; after an hour its marks are forgotten.
    assert!(matches!(small.ask(40 * MINUTE, &marked(Some(7), None, None)), RequestAnswer::New { impression: 4, .. }));
    assert_eq!(small.ask(40 * MINUTE, &marked(None, Some(1), Some(5))), RequestAnswer::Gone { impression: 3 });
    assert!(matches!(
        small.ask(62 * MINUTE, &marked(None, Some(1), Some(5))),
        RequestAnswer::New { impression: 5, .. }
    ));
    assert_eq!(small.experiment.forgotten_marks(), 3);
    // Forgotten automatically: the same request is a new one.
    assert!(matches!(
        small.ask(62 * MINUTE, &marked(Some(9), Some(2), Some(9))),
        RequestAnswer::New { impression: 6, .. }
    ));
    small.experiment.forget_marks(&[5, 6]);
    assert!(matches!(
        small.ask(62 * MINUTE, &marked(None, Some(1), Some(5))),
        RequestAnswer::New { impression: 7, .. }
    ));
    assert!(matches!(
        small.ask(62 * MINUTE, &marked(Some(9), Some(2), Some(8))),
        RequestAnswer::New { impression: 8, .. }
    ));
}

/// An experiment that is over holds no units, but keeps the counts.
#[test]
fn what_has_ended_holds_no_units() {
    let mut small = Small::new(config(2, "fixed"));
    for unit in 1..=500 {
        assert!(matches!(
            small.experiment.choose(MINUTE, &of(unit), Some(&|_| Some(&small.list))),
            Ok(RequestAnswer::New { .. })
        ));
    }
    small.experiment.advance(3 * DAY);
    let _ = small.experiment.take_events();
    let (tally, rows) = (small.experiment.tally(), small.experiment.rows().to_vec());
    assert_eq!((tally.counted, rows.len(), small.experiment.units_here()), (500, 1, 500));
    small.experiment.change_state(3 * DAY, State::Ended, "a test", "").unwrap();
    let _ = small.experiment.take_events();
    assert_eq!(small.experiment.units_here(), 0);
    let ended = small.experiment.snapshot();
    let none = |_| Ok::<_, SnapshotError>(None);
    let again = Experiment::from_snapshot(&ended.bytes, none).unwrap();
    assert_eq!((again.tally(), again.rows(), again.last_unit()), (tally, rows.as_slice(), 500));
}

/// Units that a snapshot has taken are here only while something of them is open.
#[test]
fn units_that_are_kept_leave() {
    let mut small = Small::new(config(2, "fixed"));
    let mut shelf = Shelf::default();
    let mut here = Vec::new();
    for day in 0..6 {
        for unit in day * 1_000..(day + 1) * 1_000 {
            let now = day as i64 * DAY + 12 * 60 * MINUTE + unit as i64;
            let first = small.experiment.choose(now, &of(unit + 1), Some(&|_| Some(&small.list)));
            assert!(matches!(first, Ok(RequestAnswer::New { .. })));
        }
        small.experiment.advance((day as i64 + 1) * DAY + 60 * MINUTE);
        let _ = small.experiment.take_events();
        shelf.begin(&mut small.experiment);
        assert_eq!(small.experiment.units_here(), 1_000 + usize::from(day > 0));
        // One unit returns before its turn.
        let now = (day as i64 + 1) * DAY + 60 * MINUTE;
        small.experiment.choose(now, &of(day * 1_000 + 500), Some(&|_| Some(&small.list))).unwrap();
        while small.experiment.has_states_to_write() {
            shelf.write(&mut small.experiment, 64);
        }
        here.push(small.experiment.units_here());
    }
    assert_eq!(here, [1; 6]);
    let units = shelf.all(&small.experiment);
    assert_eq!(units.len(), 6_000);
    assert!(
        units
            .values()
            .all(|state| state.last_day == (state.unit as i32 - 1) / 1_000 + i32::from(state.unit % 1_000 == 500))
    );
    // Without its state, it would be another unit: the fold refuses it.
    let asked = Event::Asked { time: 7 * DAY, unit: 77, choice: Choice::Duel([0, 1]), receipt: None, segment: None };
    let refused = small.experiment.fold(&RecordedEvent::of(asked)).unwrap_err();
    assert!(refused.to_string().contains("unit 77 is not here"), "{refused}");
}

/// Forgetting is an event, and never exceeds what is allowed.
#[test]
fn what_is_forgotten_is_in_the_log() {
    let mut small = Small::new(Config { retain: Some("2d".to_owned()), ..config(2, "fixed") });
    for day in 0..5 {
        small.experiment.choose(day * DAY + MINUTE, &of(1), Some(&|_| Some(&small.list))).unwrap();
    }
    small.experiment.advance(5 * DAY + 60 * MINUTE);
    let forgettable = |now| small.experiment.forgettable(now);
    assert_eq!((small.experiment.last_day(), forgettable(5 * DAY), forgettable(9 * DAY)), (Some(4), Some(2), Some(6)));
    assert_eq!(small.experiment.forgettable_units(9 * DAY), None, "nothing is forgotten yet");
    small.experiment.forget(5 * DAY, 6, 1);
    assert_eq!(small.experiment.forgotten(), ForgottenPart::default(), "a day that is not closed");
    small.experiment.forget(5 * DAY, 3, 10);
    small.experiment.forget(5 * DAY, 3, 10);
    let events = small.experiment.take_events();
    let forgotten = events.iter().filter(|numbered| matches!(numbered.recorded.event(), Event::Forgotten { .. }));
    assert_eq!(forgotten.count(), 1);
    let log: Vec<RecordedEvent> = events.into_iter().map(|numbered| numbered.recorded).collect();
    let again = replayed(&log);
    assert_eq!(again.forgotten(), ForgottenPart { before: Some(3), events: 10 });
    assert_eq!([5, 9].map(|day| again.forgettable_units(day * DAY)), [Some(1), Some(5)]);
    assert_eq!(Experiment::create(config(2, "fixed"), 0).unwrap().forgettable(9 * DAY), None);
    for (retain, why) in [("1d", "at least 2d"), ("36h", "whole days"), ("x", "`x`"), ("0d", "whole days")] {
        let error =
            Experiment::create(Config { retain: Some(retain.to_owned()), ..config(2, "fixed") }, 0).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[test]
fn a_missing_list_closes_the_impression() {
    let mut small = Small::new(Config { policy: "rucb".to_owned(), ..config(3, "rucb") });
    let none = |_: u32| -> Option<&ListBuf> { None };
    let refused = small.experiment.choose(0, &of(1), Some(&none)).unwrap_err();
    assert!(
        matches!(refused, CommandError::Missing { impression: 1, .. }) && refused.to_string().contains("is missing")
    );
    // Lists that come later, once.
    let RequestAnswer::New { impression, arms, documents: None, .. } =
        small.experiment.choose(0, &of(1), None).unwrap()
    else {
        panic!()
    };
    assert_eq!((impression, arms.len()), (2, 2));
    assert_eq!(small.experiment.click(1, impression, 0), ClickFate::Unknown);
    assert_eq!(small.experiment.note_seen_places(1, impression, 5), Err(CommandError::NotListed(2)));
    let documents = small.experiment.list(1_000, impression, &|_| Some(&small.list)).unwrap();
    assert_eq!(documents.len(), 10);
    assert_eq!(small.experiment.list(1_000, impression, &|_| Some(&small.list)), Err(CommandError::Listed(2)));
    assert_eq!(small.experiment.click(1_000, impression, 0), ClickFate::Taken);
    // The window begins when the list was there.
    small.experiment.advance(30 * MINUTE);
    assert_eq!(small.experiment.fates().open, 1);
    small.experiment.advance(30 * MINUTE + 1_000);
    let RequestAnswer::New { impression, .. } = small.experiment.choose(DAY / 2, &of(2), None).unwrap() else {
        panic!()
    };
    assert!(small.experiment.close(DAY / 2, impression) && !small.experiment.close(DAY / 2, impression));
    assert_eq!(small.experiment.list(DAY / 2, impression, &none), Err(CommandError::Closed(3)));
    let reasons: Vec<Reason> = small
        .events()
        .iter()
        .filter_map(|event| if let Event::Closed { reason, .. } = event { Some(*reason) } else { None })
        .collect();
    assert!(matches!(reasons[..], [Reason::Missing(_), Reason::Window, Reason::Unanswered]), "{reasons:?}");
    assert_eq!(small.experiment.fates().missing, 1);
}

#[test]
fn pages_are_credited_as_far_as_they_were_seen() {
    // With the same list for both, every document has an owner, and a click on it decides.
    let config = Config { depth: 12, ..config(2, "fixed") };
    let outcome = |act: &dyn Fn(&mut Experiment, u64)| {
        let mut small = Small::new(config.clone());
        let (impression, ..) = small.new_one(0, 1);
        act(&mut small.experiment, impression);
        small.experiment.close(1, impression);
        let outcomes: Vec<_> = small
            .events()
            .into_iter()
            .filter_map(|event| if let Event::Closed { outcome, .. } = event { Some(outcome) } else { None })
            .collect();
        outcomes[0].clone()
    };
    let tie = traffic::Outcome::Pair(Preference::Tie);
    assert_eq!(outcome(&|_, _| {}), tie);
    assert_ne!(
        outcome(&|experiment, impression| {
            experiment.click(0, impression, 3);
        }),
        tie
    );
    // Beyond the first page: a click proves that it was seen.
    assert_ne!(
        outcome(&|experiment, impression| {
            experiment.click(0, impression, 11);
        }),
        tie
    );
    // A document that the page left out cannot be clicked; nor does an advertisement count.
    let page = || Page::new([Some(0), None, Some(2)]).unwrap();
    assert_eq!(
        outcome(&|experiment, impression| {
            experiment.note_displayed_page(0, impression, page()).unwrap();
            experiment.click(0, impression, 1);
        }),
        tie
    );
    assert_ne!(
        outcome(&|experiment, impression| {
            experiment.note_displayed_page(0, impression, page()).unwrap();
            experiment.click(0, impression, 2);
        }),
        tie
    );
    let mut small = Small::new(config);
    let (impression, ..) = small.new_one(0, 1);
    let far = Page::new([Some(0), Some(12)]).unwrap();
    assert!(matches!(small.experiment.note_displayed_page(0, impression, far), Err(CommandError::Page(_))));
}

#[test]
fn states_say_who_gets_what() {
    let mut small = Small::new(config(2, "fixed"));
    let (impression, ..) = small.new_one(0, 1);
    small.experiment.change_state(1, State::Paused, "ann", "a release").unwrap();
    assert_eq!(small.ask(2, &of(2)), RequestAnswer::Fallback(State::Paused));
    assert_eq!(small.experiment.click(3, impression, 0), ClickFate::Taken);
    let refused = small.experiment.change_state(3, State::Paused, "ann", "").unwrap_err();
    assert_eq!(refused.to_string(), "the experiment is paused; it cannot become paused");
    small.experiment.change_state(4, State::Running, "ann", "").unwrap();
    small.new_one(5, 2);
    small.experiment.change_state(6, State::Ended, "ann", "enough").unwrap();
    assert_eq!(small.ask(7, &of(3)), RequestAnswer::Fallback(State::Ended));
    assert!(small.experiment.change_state(8, State::Running, "ann", "").is_err());
    // Open impressions may still be clicked; then all days are closed together.
    assert!(small.experiment.rows().is_empty());
    small.experiment.advance(31 * MINUTE);
    assert_eq!(small.experiment.rows().len(), 1);
    assert_eq!(
        small.experiment.changes().iter().map(|change| change.state).collect::<Vec<_>>(),
        [State::Paused, State::Running, State::Ended]
    );
}

#[test]
fn everybody_gets_what_was_shipped() {
    let mut small = Small::new(config(3, "fixed"));
    let (impression, ..) = small.new_one(0, 1);
    let change = |small: &mut Small, now, to| small.experiment.change_state(now, to, "ann", "it won");
    assert_eq!(small.experiment.fallback(), 0);
    assert!(change(&mut small, 1, State::Shipped(3)).is_err());
    change(&mut small, 1, State::Shipped(2)).unwrap();
    assert_eq!(small.ask(2, &of(2)), RequestAnswer::Fallback(State::Shipped(2)));
    assert_eq!((small.experiment.fallback(), small.experiment.champion()), (2, 0));
    // Open impressions still count, and the day closes with them.
    assert_eq!(small.experiment.click(3, impression, 0), ClickFate::Taken);
    small.experiment.advance(31 * MINUTE);
    assert_eq!((small.experiment.rows().len(), small.experiment.final_day()), (1, i32::MAX));
    for to in [State::Running, State::Paused, State::Killed, State::Ended, State::Shipped(2)] {
        assert!(change(&mut small, 32 * MINUTE, to).is_err(), "{to:?}");
    }
    change(&mut small, 33 * MINUTE, State::Shipped(1)).unwrap();
    assert_eq!(small.experiment.fallback(), 1);
    // After any other state, the end included.
    for from in [State::Paused, State::Killed, State::Ended] {
        let mut small = Small::new(config(3, "fixed"));
        change(&mut small, 1, from).unwrap();
        change(&mut small, 2, State::Shipped(0)).unwrap();
        assert_eq!(small.ask(3, &of(2)), RequestAnswer::Fallback(State::Shipped(0)));
    }
}

#[test]
fn judges_see_pairs_in_either_order() {
    let mut experiment = Experiment::create(Config { ask: Ask::Duels, ..config(3, "rucb") }, 0).unwrap();
    let mut firsts = [0; 3];
    for unit in 1..=400 {
        let RequestAnswer::New { impression, arms, .. } = experiment.choose(unit as i64, &of(unit), None).unwrap()
        else {
            panic!()
        };
        if arms.len() < 2 {
            continue;
        }
        firsts[arms[0] as usize] += 1;
        // The lower number is better.
        let winner = if arms[0] < arms[1] { Preference::First } else { Preference::Second };
        assert_eq!(experiment.judge(unit as i64, impression, winner), Ok(true));
        assert_eq!(experiment.judge(unit as i64, impression, winner), Ok(false));
    }
    assert_eq!(experiment.leader(), Some(0));
    // The best ranker is shown first in half of its pairs, which are nearly all pairs.
    let all: i32 = firsts.iter().sum();
    assert!(all > 30 && firsts[0] > all / 6 && firsts[0] < 5 * all / 6, "{firsts:?}");
    experiment.change_state(DAY, State::Ended, "ann", "").unwrap();
    let rows = experiment.rows();
    assert!(rows.iter().all(|(_, row)| row.units.losses == 0 && row.units.wins > 0), "{rows:?}");
    assert!(matches!(experiment.choose(DAY, &of(1), Some(&|_| None)), Err(CommandError::Ask(Ask::Duels))));
}

#[test]
fn a_ranker_that_does_harm_is_noticed() {
    let mut config = config(2, "fixed");
    config.guardrails.then = BreachReaction::Pause;
    let mut small = Small::new(config);
    // Lists of the second ranker never come.
    for unit in 1..=600_u64 {
        let now = unit as i64;
        if small.experiment.state() != State::Running {
            break;
        }
        let list = &small.list;
        let _ =
            small.experiment.choose(now, &of(unit), Some(&|ranker| Some(list).filter(|_| ranker == 0 || unit % 3 > 0)));
    }
    assert_eq!(small.experiment.state(), State::Paused);
    let alarm = &small.experiment.alarms()[0];
    assert_eq!((alarm.ranker, alarm.guard), (1, Guard::Missing));
    let why = &small.experiment.changes()[0].why;
    assert_eq!(why, "r1 has more lists that never came than the champion");
}

#[test]
fn lists_are_numbered_as_they_come() {
    let mut lists = Lists::default();
    lists.add_ranked(0, &["b", "x", "a"]).unwrap();
    lists.add_scored(1, &[("y", 1.0), ("c", 2.0), ("b", 1.0)]).unwrap();
    assert_eq!(lists.documents(), ["b", "x", "a", "y", "c"]);
    let docs = |ranker| lists.get(ranker).unwrap().as_list().docs().collect::<Vec<_>>();
    assert_eq!(lists.ids(&docs(0)), ["b", "x", "a"]);
    // The highest first, ties by number.
    assert_eq!(lists.ids(&docs(1)), ["c", "b", "y"]);
    assert!(lists.get(2).is_none());
    let mut other = lists.clone();
    assert_eq!(other.add_ranked(2, &["a", "b", "a"]).unwrap_err().position(), Some(2));
    assert_eq!(other.add_scored(2, &[("a", 1.0), ("q", f64::NAN)]).unwrap_err(), ListError::Score { position: 1 });
    assert_eq!(lists.into_lists(3).iter().map(Option::is_some).collect::<Vec<_>>(), [true, true, false]);
}

#[test]
fn documents_that_are_named_first_are_all_that_there_are() {
    let mut lists = Lists::of(&["x", "y", "b"]).unwrap();
    lists.add_scored(0, &[("b", 1.0), ("y", 1.0)]).unwrap();
    let docs: Vec<_> = lists.get(0).unwrap().as_list().docs().collect();
    assert_eq!(lists.ids(&docs), ["y", "b"]);
    let unknown = ListError::Unknown { position: 1, document: "a".to_owned() };
    assert_eq!(lists.add_ranked(1, &["b", "a", "b"]).unwrap_err(), unknown);
    assert!(matches!(Lists::of(&["x", "x"]), Err(ListError::Twice { position: 1, first: 0, .. })));
}

#[test]
fn wrong_settings_are_named() {
    let wrong = |json: &str| -> String {
        match serde_json::from_str::<Config>(json) {
            Ok(config) => config.resolved().unwrap_err().to_string(),
            Err(error) => error.to_string(),
        }
    };
    for (json, expected) in [
        (
            r#"{"name": "A", "rankers": ["a", "b"]}"#,
            "name: expected 1 to 64 small letters, digits, `-` and `_`, found `A`",
        ),
        (r#"{"name": "a", "rankers": ["a"]}"#, "rankers: expected 2 to 1000 rankers, found 1"),
        (r#"{"name": "a", "rankers": ["a", "a"]}"#, "rankers: ranker 2, `a`, is there twice; name each once"),
        (r#"{"name": "a", "rankers": ["a", "b\n"]}"#, "rankers: the name of ranker 2 "),
        (r#"{"name": "a", "rankers": ["a", "b"], "champion": "c"}"#, "champion: `c` is not one of the rankers"),
        (r#"{"name": "a", "rankers": ["a", "b"], "policy": "best"}"#, "policy: "),
        (r#"{"name": "a", "rankers": ["a", "b"], "horizon": 5}"#, "horizon: `fixed` has none; leave it out"),
        (r#"{"name": "a", "rankers": ["a", "b"], "window": "soon"}"#, "window: expected a length of time"),
        (r#"{"name": "a", "rankers": ["a", "b"], "window": "0s"}"#, "window: expected 1ms to 30d, found `0s`"),
        (r#"{"name": "a", "rankers": ["a", "b"], "timezone": "Mars"}"#, "timezone: "),
        (r#"{"name": "a", "rankers": ["a", "b"], "shown": 0}"#, "shown: expected 1 to 1000 documents, found 0"),
        (r#"{"name": "a", "rankers": ["a", "b"], "depth": 5}"#, "depth: "),
        (r#"{"name": "a", "rankers": ["a", "b"], "depth": 20, "interleaving": "optimized"}"#, "depth: "),
        (r#"{"name": "a", "rankers": ["a", "b"], "level": 1}"#, "level: expected a level above 0 and below 1, found 1"),
        (r#"{"name": "a", "rankers": ["a", "b"], "unit_days": 0}"#, "unit_days: expected 1 to 3650, found 0"),
        (r#"{"name": "a", "rankers": ["a", "b"], "ask": "duels", "policy": "mdb"}"#, "policy: `mdb` chooses sets"),
        (r#"{"name": "a", "rankers": ["a", "b"], "colour": 1}"#, "unknown field `colour`"),
        (
            r#"{"name": "a", "rankers": ["a", "b"], "guardrails": {"no_click": 2}}"#,
            "guardrails: expected a margin from 0 to 1",
        ),
        (
            r#"{"name": "a", "rankers": ["a", "b"], "generators": {"policy": "00", "coins": "00"}}"#,
            "generators.policy: expected 64 hexadecimal digits, found `00`",
        ),
    ] {
        let found = wrong(json);
        assert!(found.starts_with(expected), "{json}: {found}");
    }
    let resolved = Config::of("a", ["x", "y", "z"]).resolved().unwrap();
    assert!(resolved.policy.starts_with("bradley-terry:"), "{}", resolved.policy);
    assert_eq!((resolved.depth, resolved.champion.as_deref()), (10, Some("x")));
    assert_eq!(resolved.clone().resolved().unwrap(), resolved);
}

#[test]
fn what_makes_a_verdict_wrong_is_said() {
    let warned = |config: Config, units: &dyn Fn(u64) -> u64, clicks: bool| {
        let mut small = Small::new(config);
        for n in 0..1_200 {
            let (impression, ..) = small.new_one(n as i64, units(n));
            if clicks {
                small.experiment.click(n as i64, impression, 1);
            }
            small.experiment.close(n as i64, impression);
        }
        // All lists of these experiments are one, which is reported too.
        let one_list = |warning: &String| warning.contains(" sent the same list for ");
        small.experiment.warnings().into_iter().filter(|warning| !one_list(warning)).collect::<Vec<_>>()
    };
    let all = || config(2, "fixed");
    let some = |n: u64| n % 300;
    assert_eq!(warned(all(), &some, true), Vec::<String>::new());
    let only = |config, units: &dyn Fn(u64) -> u64, clicks, begins: &str| {
        let warnings = warned(config, units, clicks);
        assert!(warnings.len() == 1 && warnings[0].starts_with(begins), "{warnings:?}");
    };
    only(all(), &some, false, "None of 1200 impressions was clicked");
    // Judges click nothing, and some never answer.
    let mut judged = Experiment::create(Config { ask: Ask::Duels, ..all() }, 0).unwrap();
    for n in 0..1_200_u64 {
        let RequestAnswer::New { impression, .. } = judged.choose(n as i64, &of(some(n)), None).unwrap() else {
            panic!()
        };
        if n % 5 > 0 {
            judged.judge(n as i64, impression, Preference::First).unwrap();
        }
    }
    assert_eq!(judged.warnings(), Vec::<String>::new());
    judged.advance(DAY);
    assert_eq!(judged.warnings().len(), 1);
    assert!(judged.warnings()[0].starts_with("Answers never came for 240 of 1200 impressions"));
    only(all(), &|n| if n % 3 == 0 { n } else { 0 }, true, "One unit has 801 of 1200 impressions");
    only(all(), &|n| n, true, "Each of 1200 impressions has a unit of its own");
    only(Config { simulated: true, ..all() }, &some, true, "All users are simulated.");
    only(Config { same_lists: true, ..all() }, &some, true, "All rankers show the champion's list");
}
