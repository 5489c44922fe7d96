//! The units of an experiment: shares that only rise, ramps, and lanes.

use std::collections::BTreeMap;

use traffic::{
    BreachReaction, CommandError, Config, Event, Experiment, Guard, Guardrails, HoldReason, Lane, RecordedEvent,
    Request, RequestAnswer, SnapshotError, State, Step, UnitPosition,
};

use crate::replays::replayed;
use crate::{DAY, MINUTE, START, World, config, list};

/// Steps of these percentages and times; the last has none.
pub(crate) fn ramp(steps: &[(f64, &str)]) -> Option<Vec<Step>> {
    let step = |&(percent, hold): &(f64, &str)| {
        let hold = (!hold.is_empty()).then(|| hold.to_owned());
        Step { percent, hold }
    };
    Some(steps.iter().map(step).collect())
}

fn usual() -> Config {
    Config { ramp: ramp(&[(1.0, "1d"), (5.0, "1d"), (25.0, "2d"), (100.0, "")]), ..config(2, "fixed") }
}

/// The shares to which it was raised, and when, in hours.
fn raises(experiment: &Experiment) -> Vec<(i64, f64)> {
    experiment.raises().iter().map(|raise| (raise.time * 24 / DAY, raise.share)).collect()
}

/// The experiment of all events so far, which must be the same.
fn again(experiment: &mut Experiment, log: &mut Vec<RecordedEvent>) {
    log.extend(experiment.take_events().into_iter().map(|numbered| numbered.recorded));
    let again = replayed(log);
    assert_eq!(again.snapshot(), experiment.snapshot());
    assert_eq!((again.share(), again.next_step()), (experiment.share(), experiment.next_step()));
    let units: BTreeMap<u64, Vec<u8>> = again.states().map(|state| (state.unit, state.bytes)).collect();
    let stored = |unit| Ok::<_, SnapshotError>(units.get(&unit).cloned());
    let restored = Experiment::from_snapshot(&experiment.snapshot().bytes, stored).unwrap();
    assert_eq!((restored.snapshot(), restored.share()), (experiment.snapshot(), experiment.share()));
}

#[test]
fn a_ramp_moves_on_as_long_as_the_experiment_runs() {
    let (mut experiment, mut log) = (Experiment::create(usual(), 0).unwrap(), Vec::new());
    assert_eq!((experiment.config().share, experiment.share()), (0.01, 0.01));
    experiment.advance(DAY - 1);
    assert_eq!((experiment.raises().len(), experiment.next_step().map(|next| next.share)), (0, Some(0.05)));
    experiment.advance(DAY);
    assert_eq!(experiment.share(), 0.05);
    again(&mut experiment, &mut log);
    // Twelve hours, then a pause of three days, during which nothing rises, then the rest.
    experiment.change_state(DAY + DAY / 2, State::Paused, "anna", "").unwrap();
    experiment.advance(4 * DAY);
    experiment.note_start(4 * DAY, START).unwrap();
    let next = experiment.next_step().unwrap();
    assert_eq!((next.share, next.time_left, next.hold_reason), (0.25, DAY / 2, Some(HoldReason::State)));
    again(&mut experiment, &mut log);
    experiment.change_state(4 * DAY + DAY / 2, State::Running, "anna", "").unwrap();
    experiment.advance(5 * DAY - 1);
    assert_eq!(experiment.share(), 0.05);
    experiment.advance(5 * DAY);
    assert_eq!(raises(&experiment), [(24, 0.05), (120, 0.25)]);
    again(&mut experiment, &mut log);
    // Time without a process does not count, however long it was. The last event before was that of the step.
    experiment.note_start(9 * DAY, START).unwrap();
    experiment.advance(9 * DAY);
    let next = experiment.next_step().unwrap();
    assert_eq!((next.share, next.time_left, next.hold_reason), (1.0, 2 * DAY, None));
    again(&mut experiment, &mut log);
    // A kill stops it like a pause.
    experiment.change_state(10 * DAY, State::Killed, "anna", "").unwrap();
    experiment.change_state(20 * DAY, State::Running, "anna", "").unwrap();
    experiment.advance(21 * DAY - 1);
    assert_eq!(experiment.share(), 0.25);
    // One that comes late moves one step.
    experiment.advance(40 * DAY);
    assert_eq!((experiment.share(), experiment.next_step()), (1.0, None));
    experiment.advance(90 * DAY);
    assert_eq!(raises(&experiment), [(24, 0.05), (120, 0.25), (960, 1.0)]);
    assert!(experiment.raises().iter().all(|raise| raise.who == "ramp"));
    again(&mut experiment, &mut log);
}

#[test]
fn steps_that_are_late_come_one_after_the_other() {
    let mut experiment = Experiment::create(usual(), 0).unwrap();
    for (day, share) in [(10, 0.05), (10, 0.05), (11, 0.25), (12, 0.25), (13, 1.0)] {
        experiment.advance(day * DAY);
        assert_eq!(experiment.share(), share, "day {day}");
    }
}

#[test]
fn a_share_is_only_raised() {
    let mut experiment = Experiment::create(usual(), 0).unwrap();
    experiment.raise(1_000, 0.1, "anna", "no harm").unwrap();
    let position = experiment.position();
    let refused = experiment.raise(2_000, 0.05, "ben", "").unwrap_err();
    assert_eq!(refused, CommandError::Lower { from: 0.1, to: 0.05 });
    assert_eq!(
        refused.to_string(),
        "the share is 0.1 and is only raised, so that units that are in the experiment stay in it; it cannot become 0.05"
    );
    for share in [0.0, -0.5, 1.5, f64::NAN, f64::INFINITY] {
        assert!(matches!(experiment.raise(2_000, share, "ben", ""), Err(CommandError::Config(_))), "{share}");
    }
    experiment.raise(2_000, 0.1, "ben", "").unwrap();
    assert_eq!((experiment.share(), experiment.position()), (0.1, position), "the same share again adds nothing");
    let raise = &experiment.raises()[0];
    assert_eq!((raise.time, raise.share, &*raise.who, &*raise.why), (1_000, 0.1, "anna", "no harm"));
    // The ramp goes on: the step of 5% sets the time.
    let next = experiment.next_step().unwrap();
    assert_eq!((next.share, next.time_left), (0.25, DAY));
    experiment.advance(DAY + 1_000);
    assert_eq!(experiment.share(), 0.25);
    experiment.change_state(2 * DAY, State::Ended, "anna", "").unwrap();
    assert_eq!(experiment.raise(3 * DAY, 1.0, "anna", "").unwrap_err(), CommandError::Over(State::Ended));
    experiment.advance(30 * DAY);
    assert_eq!(experiment.share(), 0.25);
    // All units are in, and no share is left to raise.
    let mut all = Experiment::create(config(2, "fixed"), 0).unwrap();
    all.raise(0, 1.0, "anna", "").unwrap();
    assert_eq!(all.raise(0, 0.5, "anna", "").unwrap_err(), CommandError::Lower { from: 1.0, to: 0.5 });
    // A log that lowers a share, or raises it where it cannot rise, is refused.
    let mut log: Vec<_> = experiment.take_events().into_iter().map(|numbered| numbered.recorded).collect();
    log.truncate(2);
    for share in [0.1, 0.05] {
        let raised = Event::Raised { time: DAY, share, who: String::new(), why: String::new() };
        assert!(replayed(&log).fold(&RecordedEvent::of(raised)).is_err(), "{share}");
    }
}

/// Pages for which the list of the second ranker is missing one time in three.
fn harm(experiment: &mut Experiment, from: i64) {
    let one = list(3);
    for n in 0..600 {
        let request = Request { unit: n + 1, ..Request::default() };
        let lists = |ranker: u32| (ranker == 0 || n % 3 > 0).then_some(&one);
        let _ = experiment.choose(from + n as i64 * 1_000, &request, Some(&lists));
    }
}

#[test]
fn a_ramp_does_not_move_after_a_breach() {
    for then in [BreachReaction::Warn, BreachReaction::Pause] {
        let guardrails = Guardrails { then, ..Guardrails::default() };
        let (mut experiment, mut log) = (Experiment::create(Config { guardrails, ..usual() }, 0).unwrap(), Vec::new());
        harm(&mut experiment, 0);
        experiment.advance(DAY / 2);
        assert_eq!(experiment.alarms().first().map(|alarm| alarm.guard), Some(Guard::Missing), "{then:?}");
        again(&mut experiment, &mut log);
        experiment.advance(10 * DAY);
        let (state, held) = match then {
            BreachReaction::Warn => (State::Running, HoldReason::Guardrail),
            BreachReaction::Pause => (State::Paused, HoldReason::State),
        };
        assert_eq!((experiment.state(), experiment.share()), (state, 0.01));
        assert_eq!(experiment.next_step().unwrap().hold_reason, Some(held));
        if state == State::Paused {
            experiment.change_state(10 * DAY, State::Running, "anna", "it was the index").unwrap();
        }
        experiment.advance(30 * DAY);
        assert_eq!(experiment.share(), 0.01);
        assert_eq!(experiment.next_step().unwrap().hold_reason, Some(HoldReason::Guardrail));
        // A person who knows better raises it by hand.
        experiment.raise(30 * DAY, 0.5, "anna", "it was the index").unwrap();
        experiment.advance(60 * DAY);
        assert_eq!(experiment.share(), 0.5);
        again(&mut experiment, &mut log);
    }
}

/// Harm of fewer impressions than guardrails are looked at after.
#[test]
fn guardrails_are_looked_at_before_a_step() {
    let steps = ramp(&[(1.0, "2h"), (100.0, "")]);
    let (mut experiment, mut log) = (Experiment::create(Config { ramp: steps, ..usual() }, 0).unwrap(), Vec::new());
    let one = list(3);
    for n in 0..127 {
        let request = Request { unit: n + 1, ..Request::default() };
        let lists = |ranker: u32| (ranker == 0 || n < 64).then_some(&one);
        if let Ok(RequestAnswer::New { impression, .. }) = experiment.choose(n as i64 * 1_000, &request, Some(&lists)) {
            experiment.close(n as i64 * 1_000, impression);
        }
    }
    experiment.advance(119 * MINUTE);
    assert_eq!((experiment.fates().open, experiment.alarms().len()), (0, 0), "{:?}", experiment.watches());
    experiment.advance(120 * MINUTE);
    assert_eq!((experiment.share(), experiment.alarms().len()), (0.01, 1), "{:?}", experiment.watches());
    again(&mut experiment, &mut log);
}

#[test]
fn a_ramp_waits_while_pages_are_broken() {
    let (mut experiment, mut log) = (Experiment::create(usual(), 0).unwrap(), Vec::new());
    let lists = [list(6), list(5)];
    let mut unit = 0;
    // Clicks on documents that were not in the list, or proper ones.
    let mut pages = |experiment: &mut Experiment, from: i64, count: i64, are_broken: bool| {
        for n in 0..count {
            unit += 1;
            let (now, request) = (from + n * 1_000, Request { unit, ..Request::default() });
            let chosen = experiment.choose(now, &request, Some(&|ranker| lists.get(ranker as usize))).unwrap();
            let RequestAnswer::New { impression, .. } = chosen else { panic!("{chosen:?}") };
            if are_broken {
                experiment.click_outside_list(now, impression, || None);
            } else {
                experiment.click(now, impression, (n % 5) as u32);
            }
        }
    };
    pages(&mut experiment, 0, 400, true);
    experiment.advance(DAY / 2);
    assert!(!experiment.integrity().is_trusted());
    assert_eq!(experiment.next_step().unwrap().hold_reason, Some(HoldReason::Integrity));
    again(&mut experiment, &mut log);
    experiment.advance(3 * DAY);
    assert_eq!(experiment.share(), 0.01);
    pages(&mut experiment, 3 * DAY, 2_000, false);
    experiment.advance(3 * DAY + 120 * MINUTE);
    assert!(experiment.integrity().is_trusted());
    assert_eq!(experiment.share(), 0.05, "{:?}", experiment.next_step());
    again(&mut experiment, &mut log);
}

#[test]
fn settings_say_what_is_wrong_with_them() {
    let error = |more: &str| {
        let text = format!(r#"{{"name": "e", "rankers": ["a", "b"], {more}}}"#);
        match serde_json::from_str::<Config>(&text) {
            Ok(config) => config.resolved().err().map(|error| error.to_string()).unwrap_or_default(),
            Err(error) => error.to_string(),
        }
    };
    for (more, expected) in [
        (r#""share": 0"#, "share: expected a share above 0 and at most 1, found 0"),
        (r#""share": 1.5"#, "share: expected a share above 0 and at most 1, found 1.5"),
        (r#""ramp": []"#, "ramp: expected 1 to 100 steps, found 0"),
        (r#""ramp": [[0, "1d"], [100]]"#, "ramp: expected percentages above 0 and at most 100, found 0"),
        (r#""ramp": [[5, "1d"], [200]]"#, "ramp: expected percentages above 0 and at most 100, found 200"),
        (r#""ramp": [[5, "1d"], [5]]"#, "ramp: step 2 has 5%, which is not more than the step before"),
        (r#""ramp": [[5], [100]]"#, "ramp: step 1 says not how long; only the last has no time"),
        (r#""ramp": [[5, "1d"], [100, "1d"]]"#, "ramp: the last step stays; leave its time `1d` out"),
        (r#""ramp": [[5, "1s"], [100]]"#, "ramp: expected 1m to 365d for a step, found `1s`"),
        (
            r#""ramp": [[5, "soon"], [100]]"#,
            "ramp: expected a length of time such as 30s, 30m, 12h or 7d, found `soon`",
        ),
        (r#""ramp": [[5, "1d"], [100]], "share": 0.1"#, "share: `ramp` begins with the share 0.05; leave `share` out"),
        (
            r#""lane": {"of": "A", "from": 0, "to": 1}"#,
            "lane: expected `of` as 1 to 64 small letters, digits, `-` and `_`, found `A`",
        ),
        (r#""lane": {"of": "a", "from": 0.5, "to": 0.5}"#, "lane: expected 0 <= from < to <= 1, found from 0.5 to 0.5"),
        (r#""lane": {"of": "a", "from": 0.5, "to": 1.5}"#, "lane: expected 0 <= from < to <= 1, found from 0.5 to 1.5"),
    ] {
        let found = error(more);
        assert!(found.starts_with(expected), "{more}: {found}");
    }
    for ramp in [r#"[[5, "1d", 3], [100]]"#, "[[]]", "[5]", r#"[["1d", 5]]"#] {
        let found = error(&format!(r#""ramp": {ramp}"#));
        assert!(found.contains(r#"expected steps such as [5, "1d"]"#), "{ramp}: {found}");
    }
    let more = r#""ramp": [[0.5, "90m"], [33, "2d"], [100]], "lane": {"of": "search", "from": 0, "to": 0.2}"#;
    let text = format!(r#"{{"name": "e", "rankers": ["a", "b"], {more}}}"#);
    let config = serde_json::from_str::<Config>(&text).unwrap().resolved().unwrap();
    assert_eq!(config.share, 0.005);
    let text = serde_json::to_string(&config).unwrap();
    assert!(
        text.contains(
            r#""share":0.005,"ramp":[[0.5,"90m"],[33.0,"2d"],[100.0]],"lane":{"of":"search","from":0.0,"to":0.2}"#
        ),
        "{text}"
    );
    assert_eq!(serde_json::from_str::<Config>(&text).unwrap().resolved().unwrap(), config);
}

#[test]
fn lanes_end_where_the_next_begins() {
    let lane = |from, to| Lane { of: "search".to_owned(), from, to };
    assert!(!lane(0.0, 0.2).overlaps(&lane(0.2, 0.4)) && !lane(0.2, 0.4).overlaps(&lane(0.0, 0.2)));
    assert!(lane(0.0, 0.3).overlaps(&lane(0.2, 0.4)) && lane(0.1, 0.2).overlaps(&lane(0.0, 1.0)));
    assert!(!lane(0.0, 1.0).overlaps(&Lane { of: "ads".to_owned(), ..lane(0.0, 1.0) }));
    assert!(lane(0.5, 1.0).has(u64::MAX) && lane(0.5, 1.0).has(1 << 63) && !lane(0.5, 1.0).has((1 << 63) - 1));
    assert!(lane(0.0, 0.5).has(0) && lane(0.0, 0.5).has((1 << 63) - 1) && !lane(0.0, 0.5).has(1 << 63));
    // In the lane, but not in the share; and the other way round.
    let config = Config { share: 0.5, lane: Some(lane(0.0, 0.5)), ..config(2, "fixed") };
    let experiment = Experiment::create(config, 0).unwrap();
    let [low, high] = [1, u64::MAX];
    let admitted = [(low, low), (low, high), (high, low), (high, high)]
        .map(|(share, lane)| experiment.admits(Some(UnitPosition { share, lane })));
    assert_eq!((admitted, experiment.admits(None)), ([true, false, false, false], false));
}

/// Random traffic with ramps, raises by hand, pauses and crashes: a log, a snapshot, and one that never crashed agree.
#[test]
fn a_log_with_shares_replays_to_the_same_experiment() {
    let (mut by_hand, mut by_ramp, mut outside, mut restored) = (0, 0, 0, 0);
    for (seed, policy) in [(1, "rucb"), (2, "fixed"), (3, "mdb"), (4, "dts")] {
        let lane = (seed % 2 == 0).then(|| Lane { of: "search".to_owned(), from: 0.1, to: 0.8 });
        let steps = ramp(&[(10.0, "4h"), (30.0, "12h"), (60.0, "1d"), (90.0, "")]);
        let config = Config { ramp: steps, lane, ..config(4, policy) };
        let mut world = World::new(config.clone(), 300, seed);
        for step in 0..6_000 {
            world.step();
            if step % 700 == 350 {
                world.crash();
            }
        }
        let again = replayed(&world.log);
        assert_eq!(again.snapshot(), world.experiment.snapshot(), "{policy}");
        assert_eq!((again.share(), again.raises()), (world.experiment.share(), world.experiment.raises()), "{policy}");
        let mut other = World::new(config, 300, seed);
        (0..6_000).for_each(|_| other.step());
        assert_eq!(other.experiment.position(), world.experiment.position(), "{policy}");
        let ramp = world.experiment.raises().iter().filter(|raise| raise.who == "ramp").count();
        (by_ramp, by_hand) = (by_ramp + ramp, by_hand + world.experiment.raises().len() - ramp);
        (outside, restored) = (outside + world.outside, restored + world.restored);
    }
    assert!(by_ramp >= 4 && by_hand >= 2 && outside > 500 && restored > 5, "{by_ramp} {by_hand} {outside} {restored}");
}
