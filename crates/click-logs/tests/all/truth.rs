//! Simulated logs: counts equal the truth, which is the result of `interleave` while users read.

use click_logs::join::{ClickFate, ImpressionFate, UnitFate};
use click_logs::simulate::{Dialect, SimulationSettings, rules};

use crate::common::{assert_same, simulated_log};

fn small() -> SimulationSettings {
    SimulationSettings {
        impressions: 6_000,
        bots: 0.01,
        conflicts: 0.01,
        not_shown: 0.03,
        unknown: 0.03,
        early: 0.02,
        ..SimulationSettings::default()
    }
}

#[test]
fn counts_equal_the_truth_in_every_dialect() {
    for dialect in Dialect::ALL {
        let simulation = SimulationSettings { dialect, ..small() };
        let (log, truth) = simulated_log(&simulation);
        let found = log.credit(&rules(&simulation)).unwrap();
        assert_same(&found, &truth.credited(), dialect.name());
        // The log has something of everything.
        for &fate in ImpressionFate::ALL {
            let never = [
                ImpressionFate::Open,
                ImpressionFate::NotMixed,
                ImpressionFate::OneTeam,
                ImpressionFate::NoUnit,
                ImpressionFate::Malformed,
                ImpressionFate::Behind,
            ];
            assert_eq!(found.tally.of_impressions(fate) > 0, !never.contains(&fate), "{fate:?}");
        }
        for &fate in ClickFate::ALL {
            let never = [ClickFate::Unsatisfied, ClickFate::Other, ClickFate::Malformed, ClickFate::Behind];
            assert_eq!(found.tally.of_clicks(fate) > 0, !never.contains(&fate), "{fate:?}");
        }
        assert!(found.tally.of_units(UnitFate::Bot) > 0 && found.tally.after_closing > 0);
    }
}

#[test]
fn counts_equal_the_truth_by_every_method() {
    for method in interleave::AnyInterleaving::NAMES {
        // Linear programs take their time.
        let impressions = if method.starts_with("optimized") { 100 } else { 1_500 };
        let simulation = SimulationSettings { method: method.parse().unwrap(), impressions, bots: 0.0, ..small() };
        let (log, truth) = simulated_log(&simulation);
        let mut found = log.credit(&rules(&simulation)).unwrap();
        // Not a fate: how many of those that count were mixed by this method.
        let by_optimized = std::mem::take(&mut found.tally.optimized);
        let expected =
            if method.starts_with("optimized") { found.tally.of_impressions(ImpressionFate::Credited) } else { 0 };
        assert_eq!(by_optimized, expected, "{method}");
        assert_same(&found, &truth.credited(), method);
    }
}

#[test]
fn counts_equal_the_truth_of_satisfied_clicks() {
    let simulation = SimulationSettings { dwell: Some(5_000), ..small() };
    for dialect in [Dialect::Json, Dialect::Csv, Dialect::Ubi] {
        let simulation = SimulationSettings { dialect, ..simulation.clone() };
        let (log, truth) = simulated_log(&simulation);
        let found = log.credit(&rules(&simulation)).unwrap();
        assert_same(&found, &truth.credited(), dialect.name());
        assert!(found.tally.of_clicks(ClickFate::Unsatisfied) > 100);
    }
}

#[test]
fn counts_equal_the_truth_of_many_rankers() {
    let simulation = SimulationSettings { rankers: 5, drift: 1.0, click: "informational".parse().unwrap(), ..small() };
    let (log, truth) = simulated_log(&simulation);
    let found = log.credit(&rules(&simulation)).unwrap();
    assert_same(&found, &truth.credited(), "five rankers");
    assert_eq!(found.rankers, ["A", "B", "C", "D", "E"]);
}

fn pages() -> SimulationSettings {
    SimulationSettings {
        pages: 3,
        pinned: 0.3,
        left_out: 0.1,
        change_version_at: Some(0.45),
        click: "informational".parse().unwrap(),
        ..small()
    }
}

#[test]
fn counts_equal_the_truth_of_pages_pins_and_versions() {
    for dialect in Dialect::ALL {
        let simulation = SimulationSettings { dialect, ..pages() };
        let (log, truth) = simulated_log(&simulation);
        let found = log.credit(&rules(&simulation)).unwrap();
        assert_same(&found, &truth.credited(), dialect.name());
        assert!(found.tally.with_pinned > 1_000 && found.tally.with_left_out > 3_000);
        assert_eq!(found.versions.len(), 2);
        // One day has outcomes of both.
        let days = |version: usize| found.days.iter().filter(move |day| day.version == version).map(|day| day.day);
        assert!(days(0).any(|day| days(1).any(|other| day == other)), "{}", dialect.name());
    }
}

#[test]
fn counts_equal_the_truth_of_pages_by_every_method_that_serves_them() {
    use interleave::Interleaving;
    for method in interleave::AnyInterleaving::NAMES {
        let simulation =
            SimulationSettings { method: method.parse().unwrap(), impressions: 1_500, bots: 0.0, ..pages() };
        if !simulation.method.is_prefix_stable() {
            let error = click_logs::simulate::simulate::<String>(&simulation, |_, _| Ok(())).unwrap_err();
            assert!(error.contains("serves one page"), "{error}");
            continue;
        }
        for dialect in [Dialect::Json, Dialect::Csv] {
            let simulation = SimulationSettings { dialect, ..simulation.clone() };
            if simulation.check().is_err() {
                continue;
            }
            let (log, truth) = simulated_log(&simulation);
            assert_same(&log.credit(&rules(&simulation)).unwrap(), &truth.credited(), method);
        }
    }
}

/// `cargo test -p click-logs --test logs -- --ignored a_million`
#[test]
#[ignore = "minutes; run by .ci/full"]
fn a_million_impressions_with_pages_pins_and_versions_at_full_size() {
    for method in ["team-draft", "probabilistic"] {
        let simulation = SimulationSettings { impressions: 1_000_000, method: method.parse().unwrap(), ..pages() };
        let (log, truth) = simulated_log(&simulation);
        assert_same(&log.credit(&rules(&simulation)).unwrap(), &truth.credited(), method);
    }
}

#[test]
fn the_same_seed_gives_the_same_log() {
    let texts = |seed, threads| {
        let pool = rayon_pool(threads);
        pool.install(|| crate::common::simulated(&SimulationSettings { seed, ..small() }).0)
    };
    assert!(texts(1, 1) == texts(1, 3));
    assert!(texts(1, 1) != texts(2, 1));
}

fn rayon_pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

#[test]
fn settings_out_of_range_are_refused() {
    for (simulation, expected) in [
        (SimulationSettings { late: 1.5, ..small() }, "--late"),
        (SimulationSettings { late: 0.6, lost: 0.6, ..small() }, "together"),
        (SimulationSettings { rankers: 1, ..small() }, "--rankers"),
        (SimulationSettings { shown: 31, ..small() }, "--shown"),
        (SimulationSettings { pages: 4, ..small() }, "--pages"),
        (SimulationSettings { left_out: 1.5, ..small() }, "--left-out"),
        (SimulationSettings { change_version_at: Some(-0.1), ..small() }, "--change-version-at"),
        (SimulationSettings { dialect: Dialect::Solr, method: "balanced".parse().unwrap(), ..small() }, "team-draft"),
    ] {
        let error = click_logs::simulate::simulate::<String>(&simulation, |_, _| Ok(())).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}
