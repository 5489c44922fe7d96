//! A log gives the same experiment again.

use traffic::{Config, Event, EventError, Experiment, FoldError, Keep, RecordedEvent, Request, RequestCounts};

use crate::shares::ramp;
use crate::{START, World, config};

pub(super) fn replayed(log: &[RecordedEvent]) -> Experiment {
    let mut experiment = Experiment::begin(&log[0]).unwrap();
    for (n, recorded) in (2..).zip(&log[1..]) {
        experiment.fold(recorded).unwrap_or_else(|error| panic!("event {n}, {:?}: {error}", recorded.event()));
    }
    experiment
}

fn configs() -> Vec<Config> {
    let mut configs = Vec::new();
    for (rankers, policy) in
        [(2, "fixed"), (4, "fixed"), (4, "rucb"), (4, "dts"), (5, "mdb"), (4, "bradley-terry"), (3, "rmed1")]
    {
        for keep in [Keep::Unit, Keep::Impression] {
            let mut config = config(rankers, policy);
            (config.keep, config.depth) = (keep, 20);
            configs.push(config);
        }
    }
    configs
}

#[test]
fn a_log_replays_to_the_same_experiment() {
    let mut noticed = [0; 3];
    for (seed, config) in (1..).zip(configs()) {
        let name = format!("{} {:?}", config.policy, config.keep);
        let mut world = World::new(config, 60, seed);
        for step in 0..1_500 {
            world.step();
            if step % 500 == 250 {
                world.crash();
            }
        }
        let again = replayed(&world.log);
        assert_eq!(again.position(), world.experiment.position(), "{name}");
        assert_eq!((again.fates(), again.tally()), (world.experiment.fates(), world.experiment.tally()), "{name}");
        assert_eq!(
            (again.notices(), again.integrity()),
            (world.experiment.notices(), world.experiment.integrity()),
            "{name}"
        );
        let found = again.notices();
        noticed[0] += found.refused;
        noticed[1] += found.late;
        noticed[2] += found.duplicate;
        assert_eq!(again.rows(), world.experiment.rows(), "{name}");
        let daily = |experiment: &Experiment| -> Vec<(i32, RequestCounts)> {
            experiment.daily().map(|(day, daily)| (day, daily.clone())).collect()
        };
        assert_eq!(daily(&again), daily(&world.experiment), "{name}");
        assert_eq!(
            (again.watches(), again.warnings()),
            (world.experiment.watches(), world.experiment.warnings()),
            "{name}"
        );
        let headline = |experiment: &Experiment| experiment.facts().headline(&experiment.verdict());
        assert_eq!(headline(&again), headline(&world.experiment), "{name}");
        let hourly = |experiment: &Experiment| -> Vec<(i64, RequestCounts)> {
            experiment.hourly().map(|(hour, hourly)| (hour, hourly.clone())).collect()
        };
        let hours = hourly(&again);
        assert_eq!(hours, hourly(&world.experiment), "{name}");
        assert!(hours.len() <= 48 && hours.iter().all(|(hour, _)| hour % 3_600_000 == 0), "{name}");
        let sums = |all: &mut dyn Iterator<Item = &RequestCounts>| {
            all.fold((0, 0, 0), |(asked, clicked, lists), one| {
                (asked + one.asked, clicked + one.clicked, lists + one.lists.iter().sum::<u64>())
            })
        };
        let of_hours = sums(&mut hours.iter().map(|(_, hourly)| hourly));
        assert_eq!(of_hours, sums(&mut daily(&again).iter().map(|(_, daily)| daily)), "{name}");
        let of_days: u64 = daily(&again).iter().map(|(_, daily)| daily.asked).sum();
        assert_eq!(of_days, again.fates().asked, "{name}");
        assert!(world.experiment.fates().credited > 100, "{name}: {:?}", world.experiment.fates());
        // The crash changes nothing: one that never crashed has the same log.
        let mut other = World::new(world.experiment.config().clone(), 60, seed);
        (0..1_500).for_each(|_| other.step());
        assert_eq!(other.log.len(), world.log.len(), "{name}");
        assert_eq!(other.experiment.position(), world.experiment.position(), "{name}");
    }
    assert!(noticed.iter().all(|count| *count > 10), "{noticed:?}");
}

/// Days close, snapshots of them are half written when a process ends, and the next one goes on from the one before.
#[test]
fn a_process_goes_on_from_a_snapshot() {
    let mut restored = 0;
    for (seed, policy, keep, unit_days) in [
        (1, "rucb", Keep::Unit, 1),
        (2, "dts", Keep::Impression, 1),
        (3, "mdb", Keep::Unit, 3),
        (4, "fixed", Keep::Unit, 2),
    ] {
        let mut config = config(4, policy);
        (config.keep, config.unit_days) = (keep, unit_days);
        let mut world = World::new(config, 300, seed);
        for step in 0..12_000 {
            world.step();
            if world.experiment.state().is_over() {
                break;
            }
            if step % 700 == 350 {
                world.crash();
            }
        }
        restored += world.restored;
    }
    assert!(restored > 20, "{restored}");
}

#[test]
fn events_survive_as_bytes() {
    let mut kinds = std::collections::BTreeSet::new();
    let rising = Config { ramp: ramp(&[(50.0, "4h"), (100.0, "")]), ..config(3, "fixed") };
    for (seed, config) in (1..).zip(configs().into_iter().chain([rising])) {
        let mut world = World::new(config, 60, seed);
        (0..2_500).for_each(|_| world.step());
        for recorded in &world.log {
            let (event, bytes) = (recorded.event(), recorded.bytes());
            assert_eq!(RecordedEvent::read(bytes.to_vec()).as_ref(), Ok(recorded));
            assert_eq!(bytes[0], event.kind());
            if kinds.insert(event.name()) || kinds.len() < 4 {
                for length in 0..bytes.len() {
                    assert!(RecordedEvent::read(bytes[..length].to_vec()).is_err(), "{event:?} cut to {length}");
                }
                assert!(RecordedEvent::read([bytes, &[0]].concat()).is_err());
                for at in 0..bytes.len() {
                    let mut damaged = bytes.to_vec();
                    damaged[at] ^= 0x81;
                    // Another event of these very bytes, or none; never a panic.
                    if let Ok(other) = RecordedEvent::read(damaged) {
                        assert_ne!(other.event(), event);
                        assert_eq!(RecordedEvent::of(other.event().clone()), other);
                    }
                }
            }
        }
    }
    assert!(kinds.len() >= 11 && kinds.contains("raised"), "{kinds:?}");
    assert_eq!(RecordedEvent::read(vec![77, 3]), Err(EventError::Unknown { kind: 77, version: 3 }));
    assert!(RecordedEvent::read(vec![5]).is_err() && RecordedEvent::read(vec![]).is_err());
}

#[test]
fn impressions_know_their_start() {
    let mut world = World::new(config(3, "fixed"), 30, 4);
    assert_eq!(world.experiment.start_number(1), 0, "nothing has started");
    let mut starts = Vec::new();
    for start in [5, 0xffff_ffff_ffff_ffff, 9] {
        world.experiment.note_start(world.now, start).unwrap();
        let first = world.experiment.fates().asked + 1;
        while world.experiment.fates().asked < first + 20 {
            world.now += crate::MINUTE;
            world.experiment.choose(world.now, &Request { unit: first, ..Request::default() }, None).unwrap();
        }
        starts.push((first, world.experiment.fates().asked, start));
    }
    world.keep();
    let again = replayed(&world.log);
    for (first, last, start) in starts {
        for impression in first..=last {
            assert_eq!((again.start_number(impression), world.experiment.start_number(impression)), (start, start));
        }
    }
}

#[test]
fn a_log_that_says_something_else_is_refused() {
    let mut world = World::new(config(4, "rucb"), 30, 9);
    (0..600).for_each(|_| world.step());
    let mut refused = 0;
    for at in 1..world.log.len() {
        let mut experiment = Experiment::begin(&world.log[0]).unwrap();
        for recorded in &world.log[1..at] {
            experiment.fold(recorded).unwrap();
        }
        let changed = match world.log[at].event().clone() {
            Event::Asked { time, unit, receipt, segment, .. } => {
                let choice = traffic::Choice::Alone(3);
                Event::Asked { time, unit, choice, receipt, segment }
            }
            Event::Closed { time, impression, reason, .. } => {
                let outcome = traffic::Outcome::Scores(vec![1, 2]);
                Event::Closed { time, impression, reason, outcome }
            }
            Event::Noticed { .. } => {
                // It is noticed twice.
                experiment.fold(&world.log[at]).unwrap();
                world.log[at].event().clone()
            }
            Event::Clicked { time, impression, position } => {
                // The click comes twice.
                experiment.fold(&world.log[at]).unwrap();
                Event::Clicked { time, impression, position }
            }
            _ => continue,
        };
        if let Err(error) = experiment.fold(&RecordedEvent::of(changed.clone())) {
            assert!(matches!(error, FoldError::Differs { .. } | FoldError::Impossible { .. }), "{error:?}");
            refused += 1;
        } else {
            panic!("accepted: {changed:?}");
        }
        if refused > 60 {
            break;
        }
    }
    assert!(refused > 50);
    // Nothing happens before an experiment is created, or twice.
    assert_eq!(Experiment::begin(&world.log[1]).unwrap_err(), FoldError::Created);
    assert_eq!(
        replayed(&world.log[..3]).fold(&world.log[0]).unwrap_err(),
        FoldError::Impossible { what: "it is earlier than the event before it".to_owned() }
    );
}

#[test]
fn another_revision_goes_on() {
    let mut world = World::new(Config { keep: Keep::Impression, ..config(4, "rucb") }, 30, 9);
    (0..500).for_each(|_| world.step());
    let Event::Created { time, config, chooser } = world.log[0].event().clone() else { panic!() };
    let chooser = chooser.replace("traffic=", "traffic=9");
    world.log[0] = RecordedEvent::of(Event::Created { time, config, chooser });
    let before = world.experiment.fates();
    world.experiment = replayed(&world.log);
    assert_eq!(world.experiment.fates(), before);
    assert_eq!(world.experiment.leader(), None);
    world.experiment.note_start(world.now, START).unwrap();
    world.keep();
    assert_eq!(world.log.last().unwrap().event().name(), "continued");
    let _ = world.experiment.change_state(world.now, traffic::State::Running, "a test", "");
    (0..500).for_each(|_| world.step());
    let after = world.experiment.fates();
    assert!(after.credited > before.credited + 20, "{before:?} {after:?} {:?}", world.experiment.state());
    assert_eq!(replayed(&world.log).position(), world.experiment.position());
}
