//! The order of lines, files, partitions and threads, and the memory, never change a count.

use std::sync::atomic::{AtomicUsize, Ordering};

use click_logs::join::{ImpressionFate, Inputs, Order, Resources, Watch, credit};
use click_logs::model::Settings;
use click_logs::simulate::{SimulationSettings, rules};
use interleave::Generator;
use rand::{RngExt, SeedableRng};

use crate::common::{Log, assert_same, simulated, simulated_log};

fn simulation() -> SimulationSettings {
    SimulationSettings { impressions: 3_000, bots: 0.01, conflicts: 0.01, rankers: 3, ..SimulationSettings::default() }
}

#[test]
fn partitions_threads_and_memory_change_nothing() {
    let simulation = simulation();
    let (log, truth) = simulated_log(&simulation);
    let settings = rules(&simulation);
    for (partitions, threads, memory) in [
        (Some(1), 1, 1 << 30),
        (Some(3), 2, 1 << 30),
        (Some(64), 3, 1 << 30),
        (None, 2, 1 << 16),
        (Some(1), 1, 1 << 16),
        (Some(2), 2, 0),
    ] {
        let resources = Resources { partitions, threads, memory, ..log.resources() };
        let found = log.credit_within(&settings, &resources);
        assert_same(
            &found,
            &truth.credited(),
            &format!("{partitions:?} partitions, {threads} threads, {memory} bytes"),
        );
        assert_eq!(found.spilled > 0, memory < 1 << 30);
    }
    // Nothing is left behind.
    assert_eq!(std::fs::read_dir(log.folder.path().join("scratch")).unwrap().count(), 0);
}

/// Counts how often a log is read again.
#[derive(Default)]
struct Readings(AtomicUsize);

impl Watch for Readings {
    fn read(&self, _: u64) {}

    fn join(&self, _: usize) {}

    fn partition_joined(&self) {}

    fn reading_again(&self, _: &str) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn little_disk_is_enough() {
    let simulation = simulation();
    let (log, truth) = simulated_log(&simulation);
    // A line that is read several times is malformed once.
    let text = std::fs::read(&log.inputs.impressions[0]).unwrap();
    std::fs::write(&log.inputs.impressions[0], [&text[..], b"{}\n"].concat()).unwrap();
    let settings = Settings { set_malformed_aside: true, ..rules(&simulation) };
    let mut expected = truth.credited();
    expected.tally.impressions(ImpressionFate::Malformed, 1);
    let resources = |disk, partitions, order| Resources { memory: 0, disk, partitions, order, ..log.resources() };
    let mut before = 0;
    for (disk, least) in [(None, 0), (Some(1 << 30), 0), (Some(350_000), 1), (Some(200_000), 2)] {
        let readings = Readings::default();
        let found = credit(&log.inputs, &settings, &resources(disk, Some(64), Order::Any), &readings, None).unwrap();
        assert_same(&found, &expected, &format!("{disk:?}"));
        let again = readings.0.into_inner();
        assert!(again >= least.max(before), "{disk:?}: {again}");
        before = again;
    }
    // Every line that is set aside is named once.
    let asides = [None, Some(600_000)].map(|disk| {
        let mut asides = Vec::new();
        let resources = resources(disk, Some(64), Order::Any);
        credit(&log.inputs, &settings, &resources, &(), Some(&mut |aside| asides.push(aside))).unwrap();
        asides.sort();
        asides
    });
    assert!(!asides[0].is_empty());
    assert_eq!(asides[0], asides[1]);
    for (disk, partitions, order) in [(1_000, 64, Order::Any), (100_000, 1, Order::Any)] {
        let error =
            credit(&log.inputs, &settings, &resources(Some(disk), Some(partitions), order), &(), None).unwrap_err();
        assert!(error.to_string().contains("--disk"), "{error}");
    }
    let piped = Inputs { impressions: vec!["/dev/null".into()], ..log.inputs.clone() };
    let error = credit(&piped, &settings, &resources(Some(1 << 20), None, Order::Any), &(), None).unwrap_err();
    assert!(error.to_string().contains("pipe"), "{error}");
    assert_eq!(std::fs::read_dir(log.folder.path().join("scratch")).unwrap().count(), 0);
}

#[test]
fn lines_and_files_in_any_order_change_nothing() {
    let simulation = simulation();
    let (texts, truth) = simulated(&simulation);
    let settings = rules(&simulation);
    let mut generator = Generator::seed_from_u64(7);
    for files in [1, 2, 5] {
        let scattered = texts.clone().map(|text| {
            let mut lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
            for at in (1..lines.len()).rev() {
                lines.swap(at, generator.random_range(0..=at));
            }
            lines.chunks(lines.len().div_ceil(files)).map(<[&[u8]]>::concat).collect::<Vec<_>>()
        });
        let [impressions, clicks] =
            scattered.each_ref().map(|files| files.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let log = Log::of(&impressions, &clicks);
        assert_same(&log.credit(&settings).unwrap(), &truth.credited(), &format!("{files} files"));
    }
}

#[test]
fn a_log_read_twice_says_the_same() {
    let simulation = simulation();
    let ([impressions, clicks], truth) = simulated(&simulation);
    let log = Log::of(&[&impressions, &impressions], &[&clicks, &clicks]);
    let found = log.credit(&rules(&simulation)).unwrap();
    let expected = truth.credited();
    assert_eq!(found.days, expected.days);
    let fate = ImpressionFate::Credited;
    assert_eq!(found.tally.of_impressions(fate), expected.tally.of_impressions(fate));
    assert_eq!(found.tally.lines(), expected.tally.lines().map(|lines| 2 * lines));
}

#[test]
fn every_line_set_aside_is_named_once() {
    let simulation = simulation();
    let (log, truth) = simulated_log(&simulation);
    let settings = rules(&simulation);
    let (found, asides) = log.credit_with_asides(&settings);
    assert_same(&found, &truth.credited(), "with lines set aside");
    assert!(
        asides.windows(2).all(|pair| (pair[0].is_impression, pair[0].line) != (pair[1].is_impression, pair[1].line))
    );
    for &fate in ImpressionFate::ALL.iter().filter(|fate| **fate != ImpressionFate::Credited) {
        let named = asides.iter().filter(|aside| aside.is_impression && aside.fate == fate.name()).count() as u64;
        assert_eq!(named, found.tally.of_impressions(fate), "{fate:?}");
    }
    for &fate in click_logs::join::ClickFate::ALL {
        // The clicks of bots are known by their impressions.
        if !matches!(fate.name(), "credited" | "bot") {
            let named = asides.iter().filter(|aside| !aside.is_impression && aside.fate == fate.name()).count() as u64;
            assert_eq!(named, found.tally.of_clicks(fate), "{fate:?}");
        }
    }
}

#[test]
fn an_impression_with_a_million_clicks_takes_no_more_memory() {
    let impressions = br#"{"impression":"i1","time":1795001000,"user":"u1","shown":["a","b"],"teams":["A","B"]}"#;
    let click = br#"{"impression":"i1","document":"b","time":1795002000}
"#;
    let clicks = click.repeat(200_000);
    let log = Log::of(&[impressions], &[&clicks, &clicks]);
    let settings = click_logs::model::Settings { complete: click_logs::model::LogEnd::Final, ..Default::default() };
    let resources = Resources { memory: 1 << 16, ..log.resources() };
    let found = log.credit_within(&settings, &resources);
    assert_eq!((found.tally.busiest, found.days[0].counts.impressions.losses), (400_000, 1));
}
