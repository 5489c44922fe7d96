//! Experiments that end at a date, and that wait for another one.

use std::collections::BTreeMap;

use traffic::{
    Change, CommandError, Config, Event, Experiment, RecordedEvent, Request, RequestAnswer, SCHEDULE, SnapshotError,
    State,
};

use crate::replays::replayed;
use crate::shares::ramp;
use crate::{DAY, MINUTE, START, World, config, list};

/// 2026-11-27, a Friday.
const FRIDAY: i64 = 20_784 * DAY;
const HOUR: i64 = 60 * MINUTE;

fn ending(end_at: &str) -> Config {
    Config { end_at: Some(end_at.to_owned()), ..config(2, "fixed") }
}

fn waiting() -> Config {
    Config { begin_after: Some("search-v1".to_owned()), ..config(2, "fixed") }
}

fn refused(config: Config, now: i64) -> String {
    Experiment::create(config, now).unwrap_err().to_string()
}

/// The experiment of all events so far, which must be the same.
fn again(experiment: &mut Experiment, log: &mut Vec<RecordedEvent>) {
    log.extend(experiment.take_events().into_iter().map(|numbered| numbered.recorded));
    let again = replayed(log);
    assert_eq!((again.snapshot(), again.position()), (experiment.snapshot(), experiment.position()));
    assert_eq!(
        (again.end_time(), again.awaited_experiment()),
        (experiment.end_time(), experiment.awaited_experiment())
    );
    let units: BTreeMap<u64, Vec<u8>> = experiment.states().map(|state| (state.unit, state.bytes)).collect();
    let stored = |unit| Ok::<_, SnapshotError>(units.get(&unit).cloned());
    let restored = Experiment::from_snapshot(&experiment.snapshot().bytes, stored).unwrap();
    assert_eq!(
        (restored.end_time(), restored.awaited_experiment()),
        (experiment.end_time(), experiment.awaited_experiment())
    );
}

fn ask(experiment: &mut Experiment, now: i64, unit: u64) -> RequestAnswer {
    let one = list(3);
    let request = Request { unit, ..Request::default() };
    experiment.choose(now, &request, Some(&|_| Some(&one))).unwrap()
}

fn changes(experiment: &Experiment) -> Vec<(i64, State, &str)> {
    experiment.changes().iter().map(|Change { time, state, who, why: _ }| (*time, *state, who.as_str())).collect()
}

#[test]
fn an_end_is_a_time_or_the_first_moment_of_a_date() {
    let ends = |end_at: &str, timezone: &str| {
        let config = Config { timezone: timezone.to_owned(), ..ending(end_at) };
        Experiment::create(config, FRIDAY).unwrap().end_time().unwrap()
    };
    let noon = FRIDAY + DAY / 2;
    assert_eq!(ends("2026-11-27T12:00:00Z", "Europe/Berlin"), noon);
    assert_eq!(ends("2026-11-27T13:00:00+01:00", "UTC"), noon);
    assert_eq!(ends("2026-11-27 13:00", "Europe/Berlin"), noon);
    assert_eq!(ends("2026-11-28", "UTC"), FRIDAY + DAY);
    assert_eq!(ends("2026-11-28", "Europe/Berlin"), FRIDAY + DAY - HOUR);
    assert_eq!(ends("2026-11-28", "-08:00"), FRIDAY + DAY + 8 * HOUR);
    // In summer, clocks are two hours ahead.
    assert_eq!(ends("2027-06-01", "Europe/Berlin"), ends("2027-05-31T22:00:00Z", "UTC"));
}

#[test]
fn an_end_that_has_passed_or_is_none_is_refused() {
    let past = "has passed, for it is 2026-11-27 00:00 UTC; name a later time, or leave it out";
    assert_eq!(refused(ending("2026-11-26T12:00:00Z"), FRIDAY), format!("end_at: 2026-11-26 12:00 UTC {past}"));
    assert_eq!(refused(ending("2026-11-27"), FRIDAY), format!("end_at: 2026-11-27 00:00 UTC {past}"));
    assert!(Experiment::create(ending("2026-11-27"), FRIDAY - 1).is_ok());
    for (end_at, expected) in [
        ("", "end_at: the time "),
        ("soon", "end_at: the time `soon` cannot be read; expected e.g. 2026-11-22T15:04:05Z"),
        ("2026-02-30", "end_at: the time `2026-02-30` cannot be read"),
        ("2126-11-27", "is after 2099"),
        ("1926-11-27T00:00:00Z", "is before 2000"),
    ] {
        let found = refused(ending(end_at), FRIDAY);
        assert!(found.contains(expected), "{end_at}: {found}");
    }
    let berlin = Config { timezone: "Europe/Berlin".to_owned(), ..ending("2027-03-28T02:30") };
    assert!(refused(berlin, FRIDAY).contains("never was in Europe/Berlin"));
    for (other, expected) in [
        ("", "begin_after: expected the name of an experiment, found"),
        ("Search V1", "begin_after: expected the name of an experiment, found"),
        ("test", "begin_after: `test` cannot begin after itself; name another experiment"),
    ] {
        let found = refused(Config { begin_after: Some(other.to_owned()), ..config(2, "fixed") }, FRIDAY);
        assert!(found.starts_with(expected), "{found}");
    }
}

#[test]
fn it_ends_at_its_date_whenever_somebody_looks() {
    let end = FRIDAY + 2 * DAY;
    let run = |looks: &[i64]| {
        let mut experiment = Experiment::create(ending("2026-11-29"), FRIDAY).unwrap();
        assert_eq!((experiment.next_due(), experiment.end_time()), (Some(end), Some(end)));
        assert!(matches!(ask(&mut experiment, FRIDAY, 1), RequestAnswer::New { .. }));
        assert_eq!(experiment.next_due(), Some(FRIDAY + 30 * MINUTE), "its window ends first");
        experiment.advance(FRIDAY + HOUR);
        for look in looks {
            experiment.advance(*look);
        }
        let mut log = Vec::new();
        again(&mut experiment, &mut log);
        (changes(&experiment).len(), log, experiment)
    };
    assert_eq!(run(&[end - 1]).0, 0);
    let (count, log, mut experiment) = run(&[end]);
    assert_eq!(count, 1);
    assert_eq!(changes(&experiment), [(end, State::Ended, SCHEDULE)]);
    assert_eq!(experiment.changes()[0].why, "end_at is 2026-11-29 00:00 UTC");
    assert_eq!((experiment.next_due(), experiment.end_time()), (None, None));
    // Its days are final, and nothing happens twice.
    assert_eq!(experiment.last_day(), Some(20_784));
    experiment.advance(end + DAY);
    assert!(experiment.take_events().is_empty());
    assert_eq!(ask(&mut experiment, end + DAY, 2), RequestAnswer::Fallback(State::Ended));
    assert_eq!(
        experiment.change_state(end + DAY, State::Running, "anna", "").unwrap_err(),
        CommandError::State { from: State::Ended, to: State::Running }
    );
    experiment.change_state(end + DAY, State::Shipped(1), "anna", "").unwrap();
    // The end is the same event if the call comes late, and only later closings are later.
    let (_, late, experiment) = run(&[end + 5 * DAY]);
    assert_eq!(changes(&experiment), [(end, State::Ended, SCHEDULE)]);
    assert_eq!(
        late.iter().map(RecordedEvent::bytes).collect::<Vec<_>>(),
        log.iter().map(RecordedEvent::bytes).collect::<Vec<_>>()
    );
    // A request that is the first after the date ends it too, at its date.
    let (_, _, mut experiment) = run(&[]);
    assert_eq!(ask(&mut experiment, end + 7, 2), RequestAnswer::Fallback(State::Ended));
    assert_eq!(changes(&experiment), [(end, State::Ended, SCHEDULE)]);
}

#[test]
fn pages_that_are_open_at_the_end_still_count() {
    let end = FRIDAY + DAY;
    let mut experiment = Experiment::create(ending("2026-11-28"), FRIDAY).unwrap();
    assert!(matches!(ask(&mut experiment, end - MINUTE, 1), RequestAnswer::New { impression: 1, .. }));
    experiment.advance(end + MINUTE);
    assert_eq!((experiment.state(), experiment.fates().open), (State::Ended, 1));
    assert_eq!(experiment.click(end + 2 * MINUTE, 1, 0), traffic::ClickFate::Taken);
    experiment.advance(end + 30 * MINUTE);
    assert_eq!((experiment.fates().credited, experiment.last_day()), (1, Some(20_784)));
    again(&mut experiment, &mut Vec::new());
}

#[test]
fn one_that_was_paused_killed_down_or_over_at_its_date() {
    let end = FRIDAY + 2 * DAY;
    for state in [State::Paused, State::Killed] {
        let mut experiment = Experiment::create(ending("2026-11-29"), FRIDAY).unwrap();
        experiment.change_state(FRIDAY + DAY, state, "anna", "").unwrap();
        experiment.advance(end + DAY);
        assert_eq!(changes(&experiment), [(FRIDAY + DAY, state, "anna"), (end, State::Ended, SCHEDULE)]);
        again(&mut experiment, &mut Vec::new());
    }
    // No process was there: it ends when one is again.
    let (mut experiment, mut log) = (Experiment::create(ending("2026-11-29"), FRIDAY).unwrap(), Vec::new());
    ask(&mut experiment, FRIDAY + DAY, 1);
    again(&mut experiment, &mut log);
    let mut experiment = replayed(&log);
    experiment.note_start(end + 3 * DAY, START).unwrap();
    assert_eq!((experiment.state(), experiment.next_due().unwrap() <= end + 3 * DAY), (State::Running, true));
    experiment.advance(end + 3 * DAY);
    assert_eq!(changes(&experiment), [(end + 3 * DAY, State::Ended, SCHEDULE)]);
    again(&mut experiment, &mut log);
    for over in [State::Ended, State::Shipped(1)] {
        let mut experiment = Experiment::create(ending("2026-11-29"), FRIDAY).unwrap();
        experiment.change_state(FRIDAY + DAY, over, "anna", "").unwrap();
        experiment.advance(end + DAY);
        assert_eq!(changes(&experiment), [(FRIDAY + DAY, over, "anna")]);
    }
}

/// Steps of a ramp that come before the end do so at their time, and none after it.
#[test]
fn a_ramp_stops_at_the_end() {
    let steps = ramp(&[(1.0, "1d"), (5.0, "1d"), (25.0, "2d"), (100.0, "")]);
    let mut experiment = Experiment::create(Config { ramp: steps, ..ending("2026-11-28T12:00Z") }, FRIDAY).unwrap();
    experiment.advance(FRIDAY + DAY);
    experiment.advance(FRIDAY + 9 * DAY);
    assert_eq!((experiment.share(), experiment.state()), (0.05, State::Ended));
    again(&mut experiment, &mut Vec::new());
}

#[test]
fn a_successor_waits_until_it_is_let_begin() {
    let (mut experiment, mut log) = (Experiment::create(waiting(), FRIDAY).unwrap(), Vec::new());
    experiment.note_start(FRIDAY, START).unwrap();
    assert_eq!(changes(&experiment), [(FRIDAY, State::Paused, SCHEDULE)]);
    assert_eq!((experiment.awaited_experiment(), experiment.has_begun()), (Some("search-v1"), false));
    assert_eq!(ask(&mut experiment, FRIDAY + HOUR, 1), RequestAnswer::Fallback(State::Paused));
    let headline = experiment.facts().headline(&experiment.verdict());
    assert_eq!(
        (headline.sentence.as_str(), headline.advice.as_str()),
        (
            "Not begun: it waits until search-v1 is over, and everybody gets r0's list until then.",
            "Wait until search-v1 is over, or resume this one to begin now."
        )
    );
    again(&mut experiment, &mut log);
    experiment.stop_waiting(FRIDAY + DAY, "search-v1 ended");
    assert_eq!(changes(&experiment)[1..], [(FRIDAY + DAY, State::Running, SCHEDULE)]);
    assert_eq!((experiment.awaited_experiment(), experiment.has_begun()), (None, true));
    assert!(matches!(ask(&mut experiment, FRIDAY + DAY, 1), RequestAnswer::New { .. }));
    again(&mut experiment, &mut log);
    // A later pause is by hand.
    experiment.change_state(FRIDAY + 2 * DAY, State::Paused, "anna", "").unwrap();
    assert_eq!(experiment.awaited_experiment(), None);
    experiment.stop_waiting(FRIDAY + 3 * DAY, "search-v1 ended");
    assert_eq!(experiment.state(), State::Paused);
    again(&mut experiment, &mut log);
}

#[test]
fn what_somebody_decides_before_it_begins_stays() {
    for (to, has_begun) in
        [(State::Running, true), (State::Killed, false), (State::Ended, false), (State::Shipped(1), false)]
    {
        let mut experiment = Experiment::create(waiting(), FRIDAY).unwrap();
        experiment.change_state(FRIDAY + HOUR, to, "anna", "").unwrap();
        assert_eq!((experiment.awaited_experiment(), experiment.has_begun()), (None, has_begun), "{to:?}");
        experiment.stop_waiting(FRIDAY + DAY, "search-v1 ended");
        assert_eq!(experiment.state(), to);
        again(&mut experiment, &mut Vec::new());
    }
    // Its own date may come first, and its ramp waits with it.
    let end_at = Some("2026-11-28".to_owned());
    let steps = ramp(&[(1.0, "1d"), (100.0, "")]);
    let mut experiment = Experiment::create(Config { end_at, ramp: steps, ..waiting() }, FRIDAY).unwrap();
    experiment.stop_waiting(FRIDAY + 2 * DAY, "search-v1 ended");
    assert_eq!(changes(&experiment)[1..], [(FRIDAY + DAY, State::Ended, SCHEDULE)]);
    assert_eq!(experiment.share(), 0.01);
}

/// Random traffic over the end, with processes that end in between.
#[test]
fn a_log_over_the_end_replays_to_the_same_experiment() {
    for (seed, policy) in [(1, "fixed"), (2, "rucb"), (3, "dts")] {
        // World begins at nine, and its steps take less than a minute on average.
        let config = Config {
            begin_after: Some("v1".to_owned()),
            end_at: Some("2026-11-28T06:00Z".to_owned()),
            ..config(3, policy)
        };
        let mut world = World::new(config, 60, seed);
        world.experiment.stop_waiting(world.now, "v1 ended");
        world.keep();
        for step in 0..2_500 {
            world.step();
            if step % 300 == 150 && !world.experiment.state().is_over() {
                world.crash();
            }
        }
        let ended: Vec<&Event> = world
            .log
            .iter()
            .map(RecordedEvent::event)
            .filter(|event| matches!(event, Event::Changed { state: State::Ended, .. }))
            .collect();
        let [Event::Changed { time, who, .. }] = ended[..] else { panic!("{policy}: {ended:?}") };
        assert_eq!((*time >= FRIDAY + DAY + 6 * HOUR, who.as_str()), (true, SCHEDULE));
        assert!(*time < FRIDAY + DAY + 8 * HOUR, "a start may come late");
        assert!(world.experiment.fates().credited > 50 && world.experiment.fates().open == 0, "{policy}");
        assert_eq!(replayed(&world.log).snapshot(), world.experiment.snapshot());
    }
}

/// Without dates and predecessors, bytes are those of before, and settings of another form are refused.
#[test]
fn what_is_not_used_is_not_written() {
    let created = |config: Config| {
        let mut experiment = Experiment::create(config, FRIDAY).unwrap();
        experiment.take_events()[0].recorded.bytes().to_vec()
    };
    assert_eq!(created(config(2, "fixed"))[1], 2);
    assert_eq!(created(Config { share: 0.5, ..config(2, "fixed") })[1], 3);
    let mut bytes = created(ending("2026-11-28"));
    assert_eq!(bytes[1], 4);
    // Without its date, no program would write it.
    let at = bytes.windows(12).position(|window| window == b"\x01\x0a2026-11-28").unwrap();
    bytes.splice(at..at + 12, [0]);
    assert!(RecordedEvent::read(bytes).unwrap_err().to_string().contains("settings in another form"));
}
