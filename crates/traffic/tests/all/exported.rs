//! The counts of an experiment are those of `click-logs credit` from its log.

use click_logs::join::{Inputs, Order, Resources, credit};
use click_logs::model::{LogEnd, Settings};
use times::{Zone, parse_duration};
use traffic::{Config, Experiment, ExperimentStatus, Keep, State};
use verdicts::Bots;
use verdicts::decide::{CountUnit, decide};
use verdicts::outcomes::Outcomes;

use crate::{World, config};

/// The exported log of final days, and the flags of `credit`.
pub(crate) fn exported(world: &World) -> ([String; 2], Vec<String>) {
    let last = world.experiment.final_day();
    let mut experiment = Experiment::begin(&world.log[0]).unwrap();
    let mut texts = [String::new(), String::new()];
    for recorded in &world.log[1..] {
        let line =
            experiment.export_impression(recorded.event(), |impression| (impression % 5 > 0).then(|| documents(20)));
        if let Some(line) = line.filter(|line| line.day <= last) {
            texts[0] += &line.impression;
            texts[1] += &line.clicks;
        }
        experiment.fold(recorded).unwrap();
    }
    (texts, experiment.credit_flags())
}

pub(crate) fn documents(count: usize) -> Vec<String> {
    (0..count).map(|document| format!("d{document}")).collect()
}

/// The settings that the flags state.
pub(crate) fn settings(config: &Config, flags: &[String]) -> Settings {
    let value = |flag: &str| flags.iter().find_map(|known| known.strip_prefix(flag)?.strip_prefix('='));
    let zone = Zone::parse(value("--timezone").unwrap()).unwrap();
    Settings {
        unit_days: value("--unit-days").unwrap().parse().unwrap(),
        window: parse_duration(value("--window").unwrap()).unwrap(),
        zone,
        complete: value("--until").map_or(LogEnd::Final, |until| LogEnd::Until(zone.time(until).unwrap())),
        skew: value("--skew").map_or(Settings::default().skew, |skew| parse_duration(skew).unwrap()),
        bots: config.bots.clone(),
        rankers: ranktypes::text::split_list(value("--rankers").unwrap()).unwrap(),
        ..Settings::default()
    }
}

/// The rows of `click-logs credit`.
pub(crate) fn credited(texts: &[String; 2], settings: &Settings) -> Outcomes {
    credited_with_summary(texts, settings).0
}

/// The rows of `click-logs credit`, and the summary beside them.
fn credited_with_summary(texts: &[String; 2], settings: &Settings) -> (Outcomes, serde_json::Value) {
    let (_folder, inputs, resources) = inputs(texts);
    let found = credit(&inputs, settings, &resources, &(), None).unwrap();
    (click_logs::outcomes::outcomes_of_log(&found), click_logs::cli::summary(&found, settings))
}

/// A folder with impressions, clicks and, where there are any, conversions.
pub(crate) fn inputs(texts: &[String]) -> (tempfile::TempDir, Inputs, Resources) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("scratch")).unwrap();
    for (name, text) in ["impressions.jsonl", "clicks.jsonl", "conversions.jsonl"].iter().zip(texts) {
        std::fs::write(path(name), text).unwrap();
    }
    let inputs = Inputs { impressions: vec![path("impressions.jsonl")], clicks: vec![path("clicks.jsonl")] };
    let resources = Resources {
        memory: 1 << 26,
        threads: 1,
        scratch_folder: path("scratch"),
        disk: None,
        partitions: None,
        order: Order::Any,
        block: None,
    };
    (folder, inputs, resources)
}

fn configs() -> Vec<Config> {
    let mut configs = Vec::new();
    for (rankers, policy) in [(2, "fixed"), (3, "fixed"), (4, "rucb"), (5, "mdb"), (4, "bradley-terry")] {
        for (keep, unit_days) in [(Keep::Unit, 1), (Keep::Unit, 2), (Keep::Impression, 1), (Keep::Impression, 3)] {
            for depth in [10, 20] {
                let mut config = config(rankers, policy);
                (config.keep, config.unit_days, config.depth) = (keep, unit_days, depth);
                if depth == 10 && unit_days == 2 {
                    "probabilistic:assignment".clone_into(&mut config.interleaving);
                }
                config.timezone = if unit_days == 2 { "Europe/Berlin" } else { "+05:30" }.to_owned();
                if depth == 20 {
                    config.bots = Bots { max_impressions_per_day: Some(5), ..Bots::default() };
                }
                configs.push(config);
            }
        }
    }
    configs
}

#[test]
fn credit_of_an_export_gives_the_same_rows() {
    let (mut rows, mut bots, mut after, mut amounts) = (0, 0, 0, [0; 2]);
    for (seed, config) in (1..).zip(configs()) {
        let name = format!("{} {:?} {} {}", config.policy, config.keep, config.unit_days, config.depth);
        let mut world = World::new(config, 300, seed);
        (0..4_000).for_each(|_| world.step());
        for is_final in [false, true] {
            if is_final {
                let _ = world.experiment.change_state(world.now, State::Ended, "a test", "it is over");
                world.experiment.advance(world.now + 40 * crate::MINUTE);
                world.keep();
                assert_eq!(world.experiment.final_day(), i32::MAX, "{name}");
            }
            let (texts, flags) = exported(&world);
            let expected = credited(&texts, &settings(world.experiment.config(), &flags));
            assert_eq!(world.experiment.outcomes().to_csv(), expected.to_csv(), "{name}, final: {is_final}");
            rows += expected.days.len();
            amounts[usize::from(world.experiment.config().policy.starts_with("mdb"))] +=
                expected.days.iter().map(|day| day.counts.amounts.clicks.first).sum::<u64>();
        }
        bots += world.experiment.tally().bot_impressions;
        after += world.experiment.tally().after_closing;
    }
    assert!(rows > 400 && bots > 50 && after > 100, "{rows} {bots} {after}");
    assert!(amounts.iter().all(|clicks| *clicks > 100), "{amounts:?}");
}

#[test]
fn two_hundred_experiments_have_the_headline_of_their_export() {
    let mut compared = std::collections::BTreeMap::<&str, u32>::new();
    for seed in 0_u64.. {
        if compared.values().sum::<u32>() == 200 {
            break;
        }
        let (rankers, policy) =
            [(2, "fixed"), (3, "fixed"), (2, "rucb"), (4, "rucb"), (3, "bradley-terry")][seed as usize % 5];
        let mut config = config(rankers, policy);
        // So that some are decided by chance.
        config.level = if seed % 2 == 0 { 0.05 } else { 0.99 };
        config.guardrails.missing = None;
        let mut world = World::new(config, 600, 5_000 + seed);
        while world.now < world.experiment.created() + 2 * crate::DAY && !world.experiment.state().is_over() {
            world.step();
        }
        if world.experiment.state() != State::Running {
            continue;
        }
        world.experiment.advance(world.now);
        world.keep();
        let (texts, flags) = exported(&world);
        let settings = settings(world.experiment.config(), &flags);
        let (outcomes, summary) = credited_with_summary(&texts, &settings);
        let verdicts = decide(&outcomes, world.experiment.config().level, CountUnit::Units).unwrap();
        let of_export = click_logs::verdict::outlook(&verdicts, &summary);
        let headline = world.experiment.facts().headline(&world.experiment.verdict());
        let is_of_the_verdict = matches!(
            headline.standing,
            ExperimentStatus::Undecided
                | ExperimentStatus::Decided
                | ExperimentStatus::Contradicted
                | ExperimentStatus::Untrusted
        );
        if is_of_the_verdict {
            // A log names its kind of unit.
            let of_export = of_export.headline.replace(" user", " unit");
            assert_eq!(headline.sentence, of_export, "{seed} {policy}");
            *compared.entry(headline.standing.name()).or_default() += 1;
        }
    }
    assert!(compared["decided"] >= 5 && compared["undecided"] >= 50, "{compared:?}");
}
