//! What units do later, such as orders: taken, credited as `click-logs credit` credits them, and the same again from a log.

use std::collections::BTreeMap;

use click_logs::join::{ConversionLog, credit_with_conversions};
use click_logs::model::ConversionRules;
use traffic::{
    Appearance, Chosen, Config, Conversion, ConversionFate, Event, Experiment, Keep, OutcomeKind, Request, State,
};
use verdicts::Bots;
use verdicts::conversions::{LineFate, Primary};

use crate::exported::{documents, inputs, settings};
use crate::replays::replayed;
use crate::{DAY, MINUTE, START, World, config, list};

/// The settings with orders and returns by value.
pub(crate) fn selling(config: Config) -> Config {
    let outcomes = ["order", "return"].map(|name| (name.to_owned(), OutcomeKind::Value));
    Config {
        outcomes: Some(outcomes.into()),
        outcome_days: Some(2),
        currency: Some("EUR".to_owned()),
        cap: Some(3_000),
        ..config
    }
}

fn configs() -> Vec<Config> {
    let mut configs = Vec::new();
    let attributions = ["last", "all", "window=36h", "most-drafted"];
    let policies = [(2, "fixed"), (3, "fixed"), (4, "rucb"), (5, "mdb"), (4, "bradley-terry")];
    for (at, (rankers, policy)) in policies.into_iter().enumerate() {
        for (keep, unit_days) in [(Keep::Unit, 1), (Keep::Unit, 2), (Keep::Impression, 1), (Keep::Impression, 3)] {
            let mut config = selling(config(rankers, policy));
            (config.keep, config.unit_days, config.depth) = (keep, unit_days, if at == 1 { 20 } else { 10 });
            config.attribution = Some(attributions[(at + unit_days as usize) % 4].to_owned());
            config.outcome_days = Some([0, 1, 2][(at + unit_days as usize) % 3]);
            config.timezone = if unit_days == 2 { "Europe/Berlin" } else { "+05:30" }.to_owned();
            if unit_days == 2 {
                "probabilistic:assignment".clone_into(&mut config.interleaving);
            }
            if keep == Keep::Impression {
                config.bots = Bots { max_impressions_per_day: Some(5), ..Bots::default() };
            }
            if at == 2 {
                (config.cap, config.currency) = (None, None);
                config.outcomes.as_mut().unwrap().values_mut().for_each(|kind| *kind = OutcomeKind::Number);
            }
            configs.push(config);
        }
    }
    configs
}

/// The conversions of an exported log as `click-logs credit` credits them, as CSV, and the fates of lines.
fn credited(world: &World) -> (String, BTreeMap<&'static str, u64>) {
    let (last, depth) = (world.experiment.final_day(), world.experiment.config().depth as usize);
    let mut experiment = Experiment::begin(&world.log[0]).unwrap();
    let mut texts = [String::new(), String::new(), String::new()];
    for recorded in &world.log[1..] {
        if let Some(line) =
            experiment.exported(recorded.event(), |_| Some(documents(depth))).filter(|one| one.day <= last)
        {
            texts[0] += &line.impression;
            texts[1] += &line.clicks;
        }
        let converted = experiment.exported_conversion(recorded.event(), |_| Some(documents(depth)));
        texts[2] += converted.filter(|one| one.day <= last).map_or("", |one| one.line.leak());
        experiment.fold(recorded).unwrap();
    }
    let config = world.experiment.config();
    let settings = settings(config, &experiment.credit_flags());
    let (folder, inputs, limits) = inputs(&texts);
    let rules = ConversionRules {
        attribution: config.attribution.as_deref().unwrap().parse().unwrap(),
        days: config.outcome_days.unwrap(),
        actions: config.outcomes.as_ref().unwrap().keys().cloned().collect(),
        currency: config.currency.clone(),
        cap: config.cap,
        ..ConversionRules::default()
    };
    let log = ConversionLog::read(&[folder.path().join("conversions.jsonl")], &settings, rules).unwrap();
    let found = credit_with_conversions(&inputs, Some(&log), &settings, &limits, &(), None).unwrap();
    let found = found.conversions.unwrap();
    let mut fates = BTreeMap::new();
    found.fates.iter().for_each(|(.., fate)| *fates.entry(fate.name()).or_default() += 1);
    (found.conversions.to_csv(), fates)
}

/// The decisive test: a log that was exported is credited as it was when it was live, day by day and pair by pair.
#[test]
fn credit_of_an_export_gives_the_same_conversions() {
    let (mut rows, mut totals, mut fates) = (0, [0_u64; 4], BTreeMap::<String, u64>::new());
    let mut answers = BTreeMap::<String, u64>::new();
    for (seed, config) in (1..).zip(configs()) {
        let name = format!("{} {:?} {} {:?}", config.policy, config.keep, config.unit_days, config.attribution);
        let mut world = World::new(config, 300, seed);
        (0..7_000).for_each(|_| world.step());
        for is_final in [false, true] {
            if is_final {
                let _ = world.experiment.change(world.now, State::Ended, "a test", "it is over");
                world.experiment.advance(world.now + 40 * MINUTE);
                world.keep();
                assert!(world.experiment.final_day() < i32::MAX, "{name}: conversions are waited for");
                world.experiment.advance(world.now + 8 * DAY);
                world.keep();
                assert_eq!(world.experiment.final_day(), i32::MAX, "{name}");
                assert_eq!(world.experiment.conversion_tally().unwrap().open(), 0, "{name}");
            }
            let (expected, lines) = credited(&world);
            let found = world.experiment.conversions().unwrap();
            assert_eq!(found.to_csv(), expected, "{name}, final: {is_final}");
            let tally = world.experiment.conversion_tally().unwrap();
            for fate in LineFate::ALL {
                // Of a bot that was counted for one pair, and of what was not shown to anybody, the server knows less.
                let known = lines.get(fate.name()).copied().unwrap_or(0);
                if is_final && !matches!(fate, LineFate::Bot | LineFate::NotShown) {
                    assert_eq!(tally.of(fate), known, "{name}: {}", fate.name());
                }
                *fates.entry(fate.name().to_owned()).or_default() += known;
            }
            rows += found.days.len();
            for day in &found.days {
                totals[0] += day.counts.conversions[0];
                totals[1] += day.counts.conversions[1];
                totals[2] += day.counts.value[0];
                totals[3] += day.counts.cut;
            }
        }
        world.converted.iter().for_each(|(fate, count)| *answers.entry(fate.clone()).or_default() += count);
    }
    assert!(rows > 200 && totals.iter().all(|total| *total > 500), "{rows} {totals:?}");
    for fate in ["credited", "returned", "return", "nobodys", "no-order", "not-shown"] {
        assert!(fates[fate] > 10, "{fates:?}");
    }
    for fate in ["Taken", "Duplicate", "NotShown", "Late", "Bot"] {
        assert!(answers.get(fate).is_some_and(|count| *count > 10), "{answers:?}");
    }
}

/// Days close and units mature, snapshots of them are half written when a process ends, and the next one goes on from there.
#[test]
fn a_process_goes_on_with_conversions() {
    let (mut restored, mut matured) = (0, 0);
    for (seed, config) in (1..).zip(configs().into_iter().step_by(3)) {
        let mut world = World::new(config, 120, seed);
        for step in 0..7_000 {
            world.step();
            if world.experiment.state().is_over() {
                break;
            }
            if step % 450 == 350 {
                world.crash();
            }
        }
        restored += world.restored;
        matured += world.experiment.conversion_rows();
        let again = replayed(&world.log);
        assert_eq!(again.conversions(), world.experiment.conversions());
        assert_eq!(again.conversion_tally(), world.experiment.conversion_tally());
        // One that never crashed has the same log.
        let mut other = World::new(world.experiment.config().clone(), 120, seed);
        while other.log.len() < world.log.len() {
            other.step();
        }
        assert_eq!(other.experiment.position(), world.experiment.position());
    }
    assert!(restored > 20 && matured > 20, "{restored} {matured}");
}
