//! Logs in the order of time: a window slides over them, and logs that it cannot join are joined otherwise or refused.

use std::sync::Mutex;

use click_logs::join::{ImpressionFate, Order, Resources, Watch, credit};
use click_logs::model::{LogEnd, Settings};
use click_logs::simulate::{SimulationSettings, rules, simulate};

use crate::common::{Log, assert_same, simulated_log};

/// The lines of a simulated log by time, in several files by turns, and its truth.
fn sorted(simulation: &SimulationSettings, files: usize) -> (Log, click_logs::simulate::Truth) {
    let mut lines = [Vec::new(), Vec::new()];
    let truth = simulate::<String>(simulation, |block, _| {
        block.each(|kind, time, line| {
            lines[kind].push((time, line.to_vec()));
            Ok(())
        })
    });
    let texts = lines.map(|mut lines| {
        lines.sort_by_key(|(time, _)| *time);
        let mut texts = vec![Vec::new(); files];
        lines.iter().enumerate().for_each(|(at, (_, line))| texts[at % files].extend_from_slice(line));
        texts
    });
    let [impressions, clicks] = texts.each_ref().map(|texts| texts.iter().map(Vec::as_slice).collect::<Vec<_>>());
    (Log::of(&impressions, &clicks), truth.unwrap())
}

fn simulation() -> SimulationSettings {
    SimulationSettings {
        impressions: 4_000,
        bots: 0.01,
        conflicts: 0.01,
        unknown: 0.05,
        rankers: 3,
        ..SimulationSettings::default()
    }
}

#[test]
fn the_window_finds_the_truth_whatever_the_files_threads_and_blocks() {
    let simulation = simulation();
    for (files, threads, block) in [(1, 1, Some(2_000)), (1, 3, None), (5, 2, Some(9_000)), (2, 1, Some(500))] {
        let (log, truth) = sorted(&simulation, files);
        let resources = Resources { threads, block, order: Order::Time, ..log.resources() };
        let found = log.credit_within(&rules(&simulation), &resources);
        assert_same(&found, &truth.credited(), &format!("{files} files, {threads} threads, {block:?}"));
        assert!(found.in_order);
        assert_eq!(std::fs::read_dir(log.folder.path().join("scratch")).unwrap().count(), 0);
    }
}

#[test]
fn files_of_one_day_each_are_read_in_turn() {
    let simulation = simulation();
    let (log, truth) = sorted(&simulation, 1);
    // Named in any order, and the clicks by twelve hours.
    let split = |path: &std::path::Path, parts: usize| -> Vec<Vec<u8>> {
        let text = std::fs::read(path).unwrap();
        let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
        let mut parts: Vec<Vec<u8>> = lines.chunks(lines.len().div_ceil(parts)).map(<[&[u8]]>::concat).collect();
        parts.reverse();
        parts
    };
    let (impressions, clicks) = (split(&log.inputs.impressions[0], 14), split(&log.inputs.clicks[0], 28));

    let log = Log::of(
        &impressions.iter().map(Vec::as_slice).collect::<Vec<_>>(),
        &clicks.iter().map(Vec::as_slice).collect::<Vec<_>>(),
    );
    let found = log.credit_within(&rules(&simulation), &Resources { block: Some(5_000), ..log.resources() });
    assert_same(&found, &truth.credited(), "reversed files");
    assert!(found.in_order);
}

/// Notes why a log was read again.
#[derive(Default)]
struct Reasons(Mutex<Vec<String>>);

impl Watch for Reasons {
    fn read(&self, _: u64) {}
    fn join(&self, _: usize) {}
    fn partition_joined(&self) {}
    fn reading_again(&self, why: &str) {
        self.0.lock().unwrap().push(why.to_owned());
    }
}

#[test]
fn what_is_out_of_place_is_joined_otherwise_or_refused() {
    let time = |minute: u64| 1_767_254_400_000 + 60_000 * minute;
    let shown = |id: &str, minute: u64, team: &str| {
        let when = time(minute);
        format!(r#"{{"impression":"{id}","time":{when},"user":"u{id}","shown":["a"],"teams":["{team}"]}}"#) + "\n"
    };
    let click =
        |id: &str, minute: u64| format!(r#"{{"impression":"{id}","document":"a","time":{}}}"#, time(minute)) + "\n";
    let impressions: String = (0..600).map(|n| shown(&format!("i{n}"), n, ["A", "B"][n as usize % 2])).collect();
    let clicks: Vec<String> = (0..600).map(|n| click(&format!("i{n}"), n + 3)).collect();
    let settings = Settings { complete: LogEnd::Final, rankers: vec!["A".into(), "B".into()], ..Settings::default() };
    let again = shown("i7", 7, "A");
    let mut displaced = clicks.clone();
    displaced.rotate_left(1);
    for (case, impressions, clicks, reason) in [
        ("in order", impressions.clone(), clicks.concat(), ""),
        ("a copy ten hours later", format!("{impressions}{again}"), clicks.concat(), "logged again"),
        ("a conflict ten hours later", impressions.clone() + &shown("i7", 599, "B"), clicks.concat(), "logged again"),
        ("a click at the end", impressions.clone(), displaced.concat(), "clicks come long"),
        ("clicks before all", impressions.clone(), clicks.concat() + &click("i3", 0), ""),
    ] {
        let log = Log::of(&[impressions.as_bytes()], &[clicks.as_bytes()]);
        let resources = Resources { threads: 1, block: Some(1_000), ..log.resources() };
        let reasons = Reasons::default();
        let found = credit(&log.inputs, &settings, &resources, &reasons, None).unwrap();
        let reasons = reasons.0.into_inner().unwrap();
        let any = log.credit_within(&settings, &Resources { order: Order::Any, ..resources.clone() });
        assert_same(&found, &any, case);
        assert_eq!(found.in_order, reason.is_empty(), "{case}: {reasons:?}");
        let refused = credit(&log.inputs, &settings, &Resources { order: Order::Time, ..resources }, &(), None);
        if reason.is_empty() {
            assert!(refused.is_ok(), "{case}");
        } else {
            assert!(reasons.len() == 1 && reasons[0].contains(reason), "{case}: {reasons:?}");
            let refused = refused.unwrap_err().to_string();
            assert!(refused.contains(reason) && refused.contains("--order time"), "{case}: {refused}");
        }
    }
}

#[test]
fn other_orders_are_recognised_at_once() {
    let simulation = simulation();
    let (log, truth) = simulated_log(&simulation);
    let reasons = Reasons::default();
    let found = credit(&log.inputs, &rules(&simulation), &log.resources(), &reasons, None).unwrap();
    assert_same(&found, &truth.credited(), "shuffled");
    assert!(!found.in_order && reasons.0.into_inner().unwrap().is_empty());
    let resources = Resources { order: Order::Time, ..log.resources() };
    let refused = credit(&log.inputs, &rules(&simulation), &resources, &(), None).unwrap_err().to_string();
    assert!(refused.contains("begins in another order"), "{refused}");
    // A window that memory cannot hold.
    let (log, truth) = sorted(&simulation, 1);
    let reasons = Reasons::default();
    let resources = Resources { memory: 1 << 16, ..log.resources() };
    let found = credit(&log.inputs, &rules(&simulation), &resources, &reasons, None).unwrap();
    assert_same(&found, &truth.credited(), "little memory");
    assert!(reasons.0.into_inner().unwrap()[0].contains("memory"));
}

/// There are no events at night for longer than a window: impressions of the evening are closed by those of the next day, in
/// another file.
#[test]
fn a_gap_between_two_files_is_not_the_end_of_the_log() {
    let settings = Settings { rankers: vec!["A".into(), "B".into()], ..Settings::default() };
    assert_eq!(settings.complete, LogEnd::LastImpression);
    let at = |day: u64, number: u64| 1_767_308_400_000 + 86_400_000 * day + 10_000 * number;
    let (mut impressions, mut clicks) = (Vec::new(), Vec::new());
    for day in 0..4_u64 {
        let shown = |number: u64| {
            let (team, time) = (["A", "B"][number as usize % 2], at(day, number));
            format!(
                r#"{{"impression":"{day}-{number}","time":{time},"user":"{day}-{number}","shown":["a"],"teams":["{team}"]}}"#
            ) + "\n"
        };
        let click = |number: u64| {
            format!(r#"{{"impression":"{day}-{number}","document":"a","time":{}}}"#, at(day, number) + 1000) + "\n"
        };
        impressions.push((0..100).map(shown).collect::<String>());
        clicks.push((0..100).map(click).collect::<String>());
    }
    let bytes = |texts: &[String]| texts.iter().map(|text| text.clone().into_bytes()).collect::<Vec<_>>();
    for (impressions, clicks) in [
        (bytes(&impressions), bytes(&clicks)),
        (bytes(&impressions), bytes(&[clicks.concat()])),
        (bytes(&[impressions.concat()]), bytes(&clicks)),
    ] {
        let texts = |texts: &[Vec<u8>]| -> Vec<Vec<u8>> { texts.iter().rev().cloned().collect() };
        for (impressions, clicks) in [(texts(&impressions), texts(&clicks)), (impressions, clicks)] {
            let log = Log::of(
                &impressions.iter().map(Vec::as_slice).collect::<Vec<_>>(),
                &clicks.iter().map(Vec::as_slice).collect::<Vec<_>>(),
            );
            let found = log.credit_within(&settings, &log.resources());
            let any = log.credit_within(&settings, &Resources { order: Order::Any, ..log.resources() });
            assert!(found.in_order);
            assert_same(&found, &any, "a gap");
            assert_eq!(found.tally.of_impressions(ImpressionFate::Open), 100, "the last day is not over");
        }
    }
}
