//! Segments: each unit is in one, and each segment has a verdict of its own.

use std::collections::BTreeMap;

use traffic::{Config, Experiment, Keep, Lane, OTHER_SEGMENT, RecordedEvent, SnapshotError, State};

use crate::exported::{credited, exported, settings};
use crate::replays::replayed;
use crate::shares::ramp;
use crate::{World, config};

fn named(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

/// Random traffic with labels that differ from visit to visit, with crashes: a log, a snapshot, and an experiment that never
/// crashed agree.
#[test]
fn a_log_with_segments_replays_to_the_same_experiment() {
    let mut restored = 0;
    for (seed, policy, keep, unit_days) in [
        (1, "rucb", Keep::Unit, 1),
        (2, "fixed", Keep::Unit, 2),
        (3, "mdb", Keep::Unit, 3),
        (4, "dts", Keep::Impression, 1),
    ] {
        let lane = (seed == 2).then(|| Lane { of: "search".to_owned(), from: 0.1, to: 0.8 });
        let ramp = if seed == 3 { ramp(&[(50.0, "12h"), (90.0, "")]) } else { None };
        let segments = named(&["mobile", "desktop", "tablet"]);
        let config = Config { ramp, lane, segments, keep, unit_days, ..config(4, policy) };
        let mut world = World::new(config.clone(), 300, seed);
        let mut steps = 0;
        for step in 0..8_000 {
            world.step();
            steps += 1;
            // Its units are forgotten then.
            if world.experiment.state().is_over() {
                break;
            }
            if step % 700 == 350 {
                world.crash();
            }
        }
        let again = replayed(&world.log);
        assert_eq!(again.snapshot(), world.experiment.snapshot(), "{policy}");
        assert_eq!(again.segment_outcomes(), world.experiment.segment_outcomes(), "{policy}");
        assert_eq!(again.verdict(), world.experiment.verdict(), "{policy}");
        let mut other = World::new(config, 300, seed);
        (0..steps).for_each(|_| other.step());
        assert_eq!(other.experiment.position(), world.experiment.position(), "{policy}");
        restored += world.restored;
        // All units of the settings' labels, and those without one.
        let units = world.experiment.units_by_segment();
        let names: Vec<&str> = units.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["mobile", "desktop", "tablet", OTHER_SEGMENT], "{policy}");
        assert!(units.iter().all(|(_, count)| *count > 20), "{policy}: {units:?}");
    }
    assert!(restored > 5, "{restored}");
}

/// The rows of a segment equal the counts of `click-logs credit` over the exported lines with its label, and all lines together give the
/// rows of the experiment.
#[test]
fn credit_of_the_lines_of_a_segment_gives_its_rows() {
    let mut rows = 0;
    for (seed, rankers, policy, keep, unit_days) in
        [(1, 2, "fixed", Keep::Unit, 2), (2, 4, "rucb", Keep::Unit, 1), (3, 5, "mdb", Keep::Impression, 1)]
    {
        let segments = named(&["mobile", "desktop"]);
        let mut world =
            World::new(Config { segments: segments.clone(), keep, unit_days, ..config(rankers, policy) }, 300, seed);
        (0..4_000).for_each(|_| world.step());
        let _ = world.experiment.change_state(world.now, State::Ended, "a test", "it is over");
        world.experiment.advance(world.now + 40 * crate::MINUTE);
        world.keep();
        let ([impressions, clicks], flags) = exported(&world);
        let settings = settings(world.experiment.config(), &flags);
        let all = credited(&[impressions.clone(), clicks.clone()], &settings);
        assert_eq!(world.experiment.outcomes().to_csv(), all.to_csv(), "{policy}");
        let found = world.experiment.segment_outcomes().unwrap();
        assert_eq!(found.names, segments);
        for (name, found) in segments.iter().zip(&found.outcomes) {
            let label = format!("\"segment\":\"{name}\"");
            let of: String = impressions
                .lines()
                .filter(|line| line.contains(&label))
                .fold(String::new(), |all, line| all + line + "\n");
            // Clicks on impressions of others are on pages that this log does not have.
            let expected = credited(&[of, clicks.clone()], &settings);
            assert_eq!(found.to_csv(), expected.to_csv(), "{policy} {name}");
            rows += expected.days.len();
        }
        // A unit is in one segment, regardless of its later labels.
        let mut segments_of: BTreeMap<String, Option<String>> = BTreeMap::new();
        for line in impressions.lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let of = line["segment"].as_str().map(str::to_owned);
            let known = segments_of.entry(line["user"].to_string()).or_insert_with(|| of.clone());
            assert_eq!(*known, of, "{line}");
        }
        assert!(segments_of.values().filter(|of| of.is_none()).count() > 20);
    }
    assert!(rows > 20, "{rows}");
}

#[test]
fn labels_are_checked() {
    let error = |segments: &[&str]| {
        Config { segments: named(segments), ..config(2, "fixed") }.resolved().unwrap_err().to_string()
    };
    let nine: Vec<String> = (0..9).map(|n| format!("s{n}")).collect();
    let nine: Vec<&str> = nine.iter().map(String::as_str).collect();
    assert_eq!(
        error(&nine),
        "segments: expected at most 8 segments, found 9; leave out the small ones, which then count as `other`"
    );
    assert_eq!(error(&["a", "a"]), "segments: `a` is there twice; name each once");
    assert_eq!(error(&["other"]), "segments: `other` is the name of units without a segment; leave it out");
    assert!(error(&["a", ""]).starts_with("segments: the name of segment 2 "), "{}", error(&["a", ""]));
    let config = Config { segments: named(&["mobile", "desktop"]), ..config(2, "fixed") }.resolved().unwrap();
    assert_eq!((config.segment("desktop"), config.segment("Desktop"), config.segment("")), (Some(1), None, None));
    let text = serde_json::to_string(&config).unwrap();
    assert_eq!(serde_json::from_str::<Config>(&text).unwrap(), config);
}

/// A label that the settings lack counts as none, and an event with another segment is refused.
#[test]
fn a_log_whose_labels_cannot_be_is_refused() {
    let mut world = World::new(Config { segments: named(&["mobile", "desktop"]), ..config(2, "fixed") }, 20, 5);
    (0..400).for_each(|_| world.step());
    let mut refused = 0;
    for (place, recorded) in world.log.iter().enumerate() {
        let traffic::Event::Asked { time, unit, choice, receipt, segment } = recorded.event() else { continue };
        for wrong in [None, Some(0), Some(1), Some(2)].into_iter().filter(|wrong| wrong != segment) {
            let event = traffic::Event::Asked {
                time: *time,
                unit: *unit,
                choice: choice.clone(),
                receipt: receipt.clone(),
                segment: wrong,
            };
            let mut before = replayed(&world.log[..place]);
            let is_refused = before.fold(&RecordedEvent::of(event)).is_err();
            // The first impression of a unit may have any label of the settings.
            let is_first = world.log[..place]
                .iter()
                .all(|known| !matches!(known.event(), traffic::Event::Asked { unit: known, .. } if known == unit));
            assert_eq!(is_refused, !is_first || wrong == Some(2), "{unit} {wrong:?}");
            refused += usize::from(is_refused);
        }
    }
    assert!(refused > 100, "{refused}");
    // A snapshot of other segments than its settings have is damaged.
    let snapshot = world.experiment.snapshot();
    let restored = Experiment::from_snapshot(&snapshot.bytes, |_| Ok::<_, SnapshotError>(None));
    assert!(matches!(restored, Err(SnapshotError::Damaged(_))));
}
