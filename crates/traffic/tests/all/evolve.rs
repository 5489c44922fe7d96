//! The contents of a store can be read for ever. `tests/fixtures` has events of every kind and version, and a log;
//! lines are added to these files, and none is changed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use bandits::Preference;
use interleave::Page;
use statistics::Counts;
use traffic::{
    Appearance, Ask, BreachReaction, Choice, Config, Conversion, ConversionRow, DayRow, Event, Experiment, Generators,
    Guard, Guardrails, Keep, Lane, Notice, Outcome, OutcomeKind, Reason, RecordedEvent, Request, RequestAnswer,
    SnapshotError, State, UnitState,
};
use verdicts::Bots;
use verdicts::amounts::{Amounts, SideSums};
use verdicts::conversions::{ConversionCounts, Primary};

use crate::replays::replayed;
use crate::shares::ramp;
use crate::{World, config};

fn fixture(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests/fixtures", name].iter().collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

/// Events of every kind, with every value that their bytes distinguish.
fn samples() -> Vec<Event> {
    let time = 1_795_780_800_123;
    let settings = Config {
        champion: Some("b".to_owned()),
        horizon: 10_000,
        ask: Ask::Duels,
        depth: 30,
        window: "45m".to_owned(),
        keep: Keep::Impression,
        unit_days: 7,
        timezone: "Europe/Berlin".to_owned(),
        bots: Bots {
            max_impressions_per_day: Some(300),
            max_clicks_per_day: None,
            max_clicks_per_impression: Some(9),
            units: vec!["u1".to_owned()],
            unit_prefixes: vec!["monitor-".to_owned()],
            agents: vec!["crawler".to_owned(), "bot".to_owned()],
        },
        level: 0.01,
        guardrails: Guardrails {
            no_click: None,
            missing: Some(0.5),
            slow: Some(0.25),
            slow_after: 900,
            then: BreachReaction::Pause,
        },
        same_lists: true,
        simulated: true,
        seed: u64::MAX,
        run: 3,
        generators: Some(Generators { policy: "0f".repeat(32), coins: "f0".repeat(32) }),
        ..Config::of("search", ["a", "b"])
    };
    let asked = |choice, receipt| Event::Asked { time, unit: 300, choice, receipt, segment: None };
    let closed = |reason, outcome| Event::Closed { time, impression: 1 << 33, reason, outcome };
    let counts = Counts::new;
    let rows = vec![
        DayRow {
            pair: (0, 1),
            units: counts(1, 200, 3),
            impressions: counts(4, 5, 60_000),
            amounts: Amounts::default(),
        },
        DayRow { pair: (0, 299), units: counts(0, 0, 0), impressions: counts(0, 1, 0), amounts: Amounts::default() },
    ];
    let clicks = SideSums { first: 300, second: 301, cut: 2, squares: 500, products: -70 };
    let clicked = SideSums { first: 90, second: 91, cut: 0, squares: 80, products: 129 };
    let amounts = Amounts { units: 204, impressions: 700, impression_squares: 3_000, clicks, clicked };
    let rows_with_amounts = vec![DayRow { amounts, ..rows[0] }, rows[1]];
    let seven =
        [Preference::First, Preference::Second, Preference::Tie, Preference::Tie].into_iter().cycle().take(7).collect();
    let mut samples = vec![
        Event::Created { time, config: Box::new(Config::of("search", ["old", "new"])), chooser: "fixed".to_owned() },
        Event::Created { time: -1, config: Box::new(settings), chooser: "rucb alpha=0.51".to_owned() },
        Event::Continued { time, chooser: "dts traffic=2".to_owned() },
        Event::Started { time, gap: 1_800_000, start: 0xfedc_ba98_7654_3210 },
        asked(Choice::Duel([0, 299]), Some(vec![1, 2, 255])),
        asked(Choice::Set(vec![0, 3, 299]), Some(vec![])),
        asked(Choice::Kept { arms: vec![1, 2], is_set: false }, None),
        asked(Choice::Kept { arms: vec![1, 2, 3], is_set: true }, None),
        Event::Asked { time, unit: 1, choice: Choice::Alone(4), receipt: None, segment: None },
        asked(Choice::Leader(5), None),
        Event::Listed { time, impression: 7, receipt: vec![9; 200] },
        Event::Clicked { time, impression: 300, position: 129 },
        Event::Paged { time, impression: 300, seen: 20 },
        Event::Shown { time, impression: 300, page: Page::new([Some(1), None, Some(3), Some(4)]).unwrap() },
        closed(Reason::Window, Outcome::Pair(Preference::First)),
        closed(Reason::Asked, Outcome::Pair(Preference::Second)),
        closed(Reason::Judged, Outcome::Pair(Preference::Tie)),
        closed(Reason::Missing(2), Outcome::Nothing),
        closed(Reason::Unanswered, Outcome::Nothing),
        closed(Reason::AnsweredLate, Outcome::Nothing),
        closed(Reason::Window, Outcome::Scores(vec![0, 1, 300])),
        closed(Reason::Window, Outcome::Pairs(seven)),
        Event::Day { time, day: 20_784, rows, has_amounts: false },
        Event::Day { time, day: -1, rows: vec![], has_amounts: false },
        Event::Day { time, day: 20_784, rows: rows_with_amounts, has_amounts: true },
        Event::Day { time, day: -1, rows: vec![], has_amounts: true },
    ];
    for state in [State::Running, State::Paused, State::Killed, State::Ended, State::Shipped(300)] {
        samples.push(Event::Changed { time, state, who: "anna".to_owned(), why: "it is « over »".to_owned() });
    }
    for guard in Guard::ALL {
        samples.push(Event::Breached { time, ranker: 1, guard, ranker_counts: [100, 40], champion_counts: [200, 1] });
    }
    for what in [
        Notice::NotShown,
        Notice::NearId { position: 300 },
        Notice::Malformed,
        Notice::Ignored,
        Notice::Duplicate,
        Notice::Late,
        Notice::Identical,
        Notice::Noisy,
    ] {
        samples.push(Event::Noticed { time, impression: 300, what });
    }
    let config = Config { retain: Some("90d".to_owned()), ..Config::of("search", ["old", "new"]) };
    samples.push(Event::Created { time, config: Box::new(config), chooser: "fixed".to_owned() });
    samples.push(Event::Forgotten { time, before: 20_700, events: 1 << 40 });
    let created = |more: Config| Event::Created { time, config: Box::new(more), chooser: "fixed".to_owned() };
    let config = || Config::of("search", ["old", "new"]);
    samples.push(created(Config { share: 0.05, ..config() }));
    let ramp = ramp(&[(1.0, "1d"), (12.5, "36h"), (100.0, "")]);
    let lane = Some(Lane { of: "search".to_owned(), from: 0.25, to: 1.0 });
    samples.push(created(Config { share: 0.01, ramp, lane, retain: Some("90d".to_owned()), ..config() }));
    samples.push(created(Config { end_at: Some("2026-12-24".to_owned()), ..config() }));
    let begin_after = Some("search-v1".to_owned());
    let end_at = Some("2026-12-24T18:00:00+01:00".to_owned());
    samples.push(created(Config { share: 0.05, retain: Some("90d".to_owned()), end_at, begin_after, ..config() }));
    let outcomes = |names: &[&str], kind| Some(names.iter().map(|name| ((*name).to_owned(), kind)).collect());
    samples.push(created(Config { outcomes: outcomes(&["signup"], OutcomeKind::Number), ..config() }));
    samples.push(created(Config {
        outcomes: outcomes(&["order", "return"], OutcomeKind::Value),
        outcome_days: Some(14),
        attribution: Some("window=7d".to_owned()),
        currency: Some("EUR".to_owned()),
        cap: Some(20_000),
        primary: Some(Primary::Conversions),
        segments: vec!["mobile".to_owned()],
        retain: Some("90d".to_owned()),
        share: 0.5,
        ..config()
    }));
    samples.push(created(Config {
        end_at: Some("2026-12-24".to_owned()),
        segments: vec!["mobile".to_owned()],
        outcomes: outcomes(&["signup"], OutcomeKind::Number),
        ..config()
    }));
    let appearances = [(1, 0), (1 << 33, 300)].map(|(impression, position)| Appearance { impression, position });
    let conversion =
        Conversion { unit: 300, document: 129, order: 0, action: 0, value: -1_250, appearances: appearances.to_vec() };
    let other = Conversion { order: 3, action: 1, value: 1 << 40, ..conversion.clone() };
    for conversion in [conversion, other] {
        samples.push(Event::Converted { time, conversion: Box::new(conversion) });
    }
    let of_day = ConversionCounts {
        units: counts(1, 200, 3),
        conversions: [1, 300],
        value: [1 << 40, 7],
        cut_units: 2,
        cut: 900,
        squares: u128::from(u64::MAX) + 7,
        ..ConversionCounts::default()
    };
    let rows = vec![
        ConversionRow { pair: (0, 1), counts: of_day },
        ConversionRow { pair: (1, 299), counts: ConversionCounts::default() },
    ];
    samples.push(Event::Matured { time, day: 20_784, rows });
    samples.push(Event::Matured { time, day: -1, rows: vec![] });
    samples.push(Event::Raised { time, share: 0.25, who: "ramp".to_owned(), why: String::new() });
    let choice = Choice::Duel([0, 1]);
    samples.push(Event::Asked { time, unit: 300, choice, receipt: Some(vec![1, 2, 255]), segment: Some(7) });
    let segments = ["mobile", "desktop"].map(str::to_owned).to_vec();
    samples.push(created(Config { segments: segments.clone(), ..config() }));
    samples.push(created(Config { segments, share: 0.5, retain: Some("90d".to_owned()), ..config() }));
    samples.push(Event::Raised { time, share: 1.0, who: "anna".to_owned(), why: "it is « safe »".to_owned() });
    samples
}

/// Each line: the name of the event and its bytes. The newest version of each sample is the last of its bytes there.
#[test]
fn events_of_every_version_evolve() {
    let path = fixture("events.txt");
    let mut kept = std::fs::read_to_string(&path).unwrap_or_default();
    let lines: Vec<String> = samples()
        .into_iter()
        .map(RecordedEvent::of)
        .map(|recorded| format!("{} {}\n", recorded.event().name(), hex(recorded.bytes())))
        .collect();
    for line in lines.iter().filter(|line| !kept.contains(line.as_str())).cloned().collect::<Vec<_>>() {
        assert!(
            std::env::var_os("UPDATE").is_some(),
            "{} lacks {line:?}: if this is a new version, add it with UPDATE=1; if not, an old one has changed",
            path.display()
        );
        kept += &line;
        std::fs::write(&path, &kept).unwrap();
    }
    let samples: Vec<Event> = samples();
    for line in kept.lines() {
        let (name, hex) = line.split_once(' ').unwrap();
        let recorded = RecordedEvent::read(bytes(hex)).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!((recorded.event().name(), recorded.bytes()), (name, bytes(hex).as_slice()));
        // Old versions equal one of the samples too, after `upgrade`.
        if recorded == RecordedEvent::of(recorded.event().clone()) {
            assert!(samples.contains(recorded.event()), "{line}");
        }
    }
}

/// A log as the first version wrote it: a day of forty users.
#[test]
fn a_log_of_the_first_version_evolves() {
    let path = fixture("traffic-v1.txt");
    if !path.exists() && std::env::var_os("UPDATE").is_some() {
        let mut world = World::new(config(3, "rucb"), 40, 11);
        (0..300).for_each(|_| world.step());
        world.experiment.advance(world.now + 2 * crate::DAY);
        world.keep();
        let text: String = world.log.iter().map(|recorded| hex(recorded.bytes()) + "\n").collect();
        std::fs::write(&path, text).unwrap();
    }
    let text = std::fs::read_to_string(&path).unwrap();
    let log: Vec<RecordedEvent> = text.lines().map(|line| RecordedEvent::read(bytes(line)).unwrap()).collect();
    let experiment = replayed(&log);
    let fates = experiment.fates();
    assert_eq!(
        (experiment.position(), fates.asked, fates.credited, fates.clicks, experiment.rows().len()),
        ((271, 5_706_447_694_188_920_337), 110, 104, 21, 3)
    );
    // The log has no amounts, but all that they are counted from.
    assert!(experiment.rows().iter().all(|(_, row)| row.amounts.units == row.units.total()));
}

/// A snapshot and its units as their second and first version wrote them, in the middle of the second day. The policy's state may be
/// unreadable one day; everything else is read for ever.
#[test]
fn snapshots_and_units_evolve() {
    let found = (1.0, (2_606, 13_894_951_309_157_665_534), 980, 24, 347, 4);
    evolves("snapshot-v2.txt", config(3, "rucb"), 40, found);
}

/// The third version has the share.
#[test]
fn snapshots_with_a_share_evolve() {
    let steps = ramp(&[(30.0, "4h"), (60.0, "6h"), (90.0, "")]);
    let lane = Some(Lane { of: "search".to_owned(), from: 0.0, to: 0.9 });
    let found = (0.9500000000000001, (993, 12_995_569_685_334_421_028), 334, 12, 202, 5);
    evolves("snapshot-v3.txt", Config { ramp: steps, lane, ..config(3, "rucb") }, 40, found);
}

/// The fourth version has segments and conversions; so has the second version of units.
#[test]
fn snapshots_with_segments_and_conversions_evolve() {
    let config = Config { segments: vec!["mobile".to_owned()], ..crate::conversions::selling(config(2, "fixed")) };
    let found = (1.0, (2_956, 1_331_636_228_032_551_880), 989, 8, 908, 2);
    evolves("snapshot-v4.txt", Config { outcome_days: Some(1), ..config }, 150, found);
    let text = std::fs::read_to_string(fixture("snapshot-v4.txt")).unwrap();
    let with_more = text.lines().skip(1).filter(|line| line.split(' ').nth(2).unwrap().starts_with("02")).count();
    assert!(text.starts_with("04") && with_more > 20, "{with_more}");
}

/// The share of an experiment, its position, the numbers of impressions that were asked for, are open and were credited, and the number of
/// rows.
type Found = (f64, (u64, u64), u64, u64, u64, usize);

fn evolves(name: &str, config: Config, users: u64, expected: Found) {
    let path = fixture(name);
    if !path.exists() && std::env::var_os("UPDATE").is_some() {
        // One that still runs then, with open impressions.
        let world = (12..).find_map(|seed| {
            let mut world = World::new(config.clone(), users, seed);
            (0..2_500).for_each(|_| world.step());
            let experiment = &world.experiment;
            (experiment.state() == State::Running && experiment.fates().open > 5).then_some(world)
        });
        let world = world.unwrap();
        let mut text = hex(&world.experiment.snapshot().bytes) + "\n";
        for state in world.shelf.all(&world.experiment).values() {
            let _ = writeln!(text, "{} {} {}", state.unit, state.last_day, hex(&state.bytes));
        }
        std::fs::write(&path, text).unwrap();
    }
    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines = text.lines();
    let snapshot = bytes(lines.next().unwrap());
    let units: BTreeMap<u64, UnitState> = lines
        .map(|line| {
            let [unit, seen, state] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let unit = unit.parse().unwrap();
            (unit, UnitState { unit, last_day: seen.parse().unwrap(), bytes: bytes(state) })
        })
        .collect();
    let stored = |unit| Ok::<_, SnapshotError>(units.get(&unit).map(|state| state.bytes.clone()));
    let restored = |snapshot: &[u8]| Experiment::from_snapshot(snapshot, stored);
    let mut experiment = restored(&snapshot).unwrap();
    let fates = experiment.fates();
    let position = experiment.position();
    let found = (experiment.share(), position, fates.asked, fates.open, fates.credited, experiment.rows().len());
    assert_eq!(found, expected);
    assert_eq!(experiment.snapshot().bytes, snapshot, "equal states have equal bytes");
    for unit in units.keys() {
        experiment.fetch(*unit, stored).unwrap();
    }
    assert!(experiment.states().eq(units.values().cloned()), "units are written as they were");
    experiment.note_start(experiment.time() + 1, 9).unwrap();
    assert!(matches!(
        experiment.choose(experiment.time(), &Request { unit: 900, ..Request::default() }, None),
        Ok(RequestAnswer::New { .. })
    ));
    // Neither damaged snapshots nor other versions are restored, nor snapshots that lack a unit.
    for length in 0..snapshot.len() {
        assert!(restored(&snapshot[..length]).is_err(), "{length}");
    }
    for version in [1, 5] {
        let other = [&[version], &snapshot[1..]].concat();
        assert!(matches!(restored(&other), Err(SnapshotError::Version(found)) if found == version));
    }
    assert!(matches!(Experiment::from_snapshot(&snapshot, |_| Ok(None)), Err(SnapshotError::Damaged(_))));
    let mut cut = 0;
    for (unit, state) in &units {
        for length in 0..state.bytes.len() {
            let mut experiment = restored(&snapshot).unwrap();
            let mut is_elsewhere = false;
            let fetched = experiment.fetch(*unit, |_| {
                is_elsewhere = true;
                Ok::<_, SnapshotError>(Some(state.bytes[..length].to_vec()))
            });
            assert_eq!(fetched.is_err(), is_elsewhere, "unit {unit} cut to {length}");
            cut += usize::from(is_elsewhere);
        }
    }
    assert!(cut > 100, "{cut}");
}
