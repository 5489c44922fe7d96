//! `rankduel bandit --from-outcomes`: what policies would show on the next day, from a table of outcomes by day.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use bandits::open::{AbsorbedOutcomes, OpenPolicy, OutcomePool, PairOutcomes};
use bandits::registry::Spec;
use bandits::{ActionKind, Arm, Generators};
use clap::Args;
use click_logs::outcomes::{no_counts_warning, summary_beside};
use output::messages::{note, warn};
use output::numbers::{parse_positive, with_separators};
use output::text_table::{Align, TextTable};
use output::usage::usage;
use serde::Serialize;
use serde_json::{Value, json};
use statistics::Counts;
use studies::notes;
use studies::request::{RunRequest, StudyDefaults};
use studies::results::label;
use times::date;
use verdicts::UNNAMED_VERSION;
use verdicts::outcomes::{Day, Outcomes};

use crate::cli::args::PlaceArgs;
use desk::println;

/// What to do with outcomes of days.
#[derive(Debug, Args)]
#[command(next_help_heading = "Outcomes of days")]
pub(super) struct OutcomeOptions {
    /// With --from-outcomes: how many impressions a day has; keep it the same from day to day
    #[arg(
        long = "impressions-per-day",
        value_name = "N",
        default_value = "1e5",
        value_parser = parse_positive,
        requires = "from_outcomes"
    )]
    impressions: u64,

    /// With --from-outcomes: the last day that counts, e.g. 2026-11-22 [default: the last one that was complete when the log
    /// was credited]
    #[arg(long, value_name = "DATE", requires = "from_outcomes")]
    until: Option<String>,
}

/// The flags of simulations, which do not apply: nothing is simulated.
pub(super) const OF_SIMULATIONS: [&str; 22] = [
    "lexicographic",
    "which_arms",
    "names",
    "condorcet",
    "setting",
    "horizons",
    "steps",
    "runs",
    "checkpoints",
    "axes",
    "spread",
    "timings",
    "regret",
    "shard",
    "evidence",
    "stop_when",
    "tolerance",
    "give_up",
    "compare_algorithms",
    "delay",
    "batch",
    "lost",
];

/// The days of a table, oldest first.
struct OutcomeDays {
    rankers: Vec<String>,
    /// Keyed by day and pair, the pair in the order of the rankers.
    days: BTreeMap<String, BTreeMap<(Arm, Arm), PairOutcomes>>,
    /// Whether the log is simulated; `None` if what lies beside the table leaves it unknown.
    is_synthetic: Option<bool>,
    /// The part of the log that does not count, if it is too much.
    missing_remarks: Vec<String>,
}

/// The plan of one algorithm.
#[derive(Debug, Serialize)]
struct Plan {
    algorithm: String,
    /// Its name in tables.
    #[serde(skip)]
    label: String,
    /// Outcomes of impressions that its own tables had, and of others that it asked for.
    planned: u64,
    further: u64,
    unused: u64,
    recommended: Option<String>,
    shares: Vec<PlannedShare>,
}

#[derive(Debug, Serialize)]
struct PlannedShare {
    rankers: Vec<String>,
    impressions: u64,
    share: f64,
}

/// Prints the tables of the next day, and writes them if a folder is given.
pub(super) fn plan(path: &Path, options: &OutcomeOptions, run: &RunRequest, place: &PlaceArgs) -> Result<()> {
    let days = OutcomeDays::read(path, options.until.as_deref())?;
    days.missing_remarks.iter().for_each(|text| note(place.common.quiet, text));
    let count = days.rankers.len();
    ensure!(count >= 2, usage(format!("{} has no two rankers; there is nothing to choose from", path.display())));
    let algorithms = run.algorithms(&StudyDefaults::DUELS);
    notes::of_algorithms(&algorithms).iter().for_each(|text| warn(place.common.quiet, text));
    let sets = algorithms.iter().find(|spec| spec.entry().action_kind == ActionKind::Sets);
    if let Some(spec) = sets {
        bail!(usage(format!(
            "{} chooses sets of rankers, but outcomes are those of pairs; leave it out",
            spec.canonical()
        )));
    }
    let plans = algorithms.iter().map(|spec| days.plan(spec, options.impressions, place.common.seed));
    let plans = plans.collect::<Result<Vec<Plan>>>()?;
    let last_day = days.days.keys().next_back();
    let report = json!({
        "outcomes": path.display().to_string(),
        "synthetic": days.is_synthetic,
        "seed": place.common.seed,
        "days": days.days.len(),
        "last_day": last_day,
        "rankers": days.rankers,
        "impressions": options.impressions,
        "plans": plans,
    });
    if let Some(out) = &place.output.out {
        write(out, place, &report, &plans)?;
    }
    if place.output.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
        return Ok(());
    }
    if days.is_synthetic == Some(true) {
        note(place.common.quiet, "the log is simulated: it says nothing about real users");
    }
    let known_days =
        last_day.map_or_else(|| "no day".to_owned(), |last_day| format!("{} days until {last_day}", days.days.len()));
    let origin = match days.is_synthetic {
        Some(true) => " (a simulated log)",
        Some(false) => "",
        None => " (whether the log is simulated is not known)",
    };
    println!("The next day's {} impressions, after {known_days}{origin}:", with_separators(options.impressions));
    for plan in &plans {
        let Plan { label, planned, further, unused, recommended, shares, .. } = plan;
        println!("");
        let best =
            recommended.as_ref().map_or_else(|| "none singled out yet".to_owned(), |best| format!("best: {best}"));
        println!("{label} ({best})");
        let mut table = TextTable::new([("show", Align::Left), ("impressions", Align::Right), ("share", Align::Right)]);
        for share in shares {
            let rankers_text = match &share.rankers[..] {
                [alone] => format!("{alone} alone"),
                mixed => mixed.join(" with "),
            };
            table.row([rankers_text, with_separators(share.impressions), format!("{:.1}%", 100.0 * share.share)]);
        }
        println!("{table}");
        let counts = [planned + further, *further, *unused].map(with_separators);
        println!(
            "learnt from {} outcomes, {} of them beyond its own tables; {} it did not ask for",
            counts[0], counts[1], counts[2]
        );
    }
    Ok(())
}

fn write(folder_path: &Path, place: &PlaceArgs, report: &Value, plans: &[Plan]) -> Result<()> {
    let mut config = report.clone();
    config["command"] = "bandit --from-outcomes".into();
    config["plans"] = Value::Null;
    config["algorithms"] = plans.iter().map(|plan| plan.algorithm.clone()).collect();
    let folder = place.output.claim(|| folder_path.to_path_buf(), &config, place.common.quiet)?;
    folder.write(&config, || {
        output::write_json_pretty(&folder.join("plan.json"), report)?;
        let rows = plans.iter().flat_map(|plan| {
            plan.shares.iter().map(|share| {
                // A ranker alone has no second.
                let [first, second] = [0, 1].map(|place| share.rankers.get(place));
                (&plan.algorithm, first, second, share.impressions, share.share, &plan.label)
            })
        });
        let header = ["algorithm", "first", "second", "impressions", "share", "label"];
        output::write_csv(&folder.join("plan.csv"), &header, rows)
    })
}

impl OutcomeDays {
    /// The table at `path`, or the one in that folder, read as `click-logs decide` reads it.
    fn read(path: &Path, until: Option<&str>) -> Result<Self> {
        let table = if path.is_dir() { path.join("outcomes.csv") } else { path.to_path_buf() };
        let text = output::input::read_text(&table, output::input::MAX_RESULT_BYTES)
            .with_context(|| table.display().to_string())?;
        let (summary, remark) = summary_beside(&table, &text);
        let until = until.or_else(|| summary["last_closed_day"].as_str());
        let ranker_names = summary["rankers"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let order: Vec<String> = ranker_names.map(str::to_owned).collect();
        let outcomes = click_logs::outcomes::read(&text, &order)
            .and_then(|outcomes| click_logs::outcomes::need_impressions(&outcomes).map(|()| outcomes));
        let Outcomes { rankers, versions, days: rows } = outcomes.map_err(|error| usage(error.in_file(&table)))?;
        if versions.len() > 1 {
            let names: Vec<&str> =
                versions.iter().map(|version| version.as_deref().unwrap_or(UNNAMED_VERSION)).collect();
            bail!(usage(format!(
                "{} has outcomes of {} versions of the experiment ({}), which are experiments of their own: keep the rows of the one \
                 that goes on",
                table.display(),
                versions.len(),
                names.join(", ")
            )));
        }
        let mut days: BTreeMap<String, BTreeMap<(Arm, Arm), PairOutcomes>> = BTreeMap::new();
        for Day { day, pair: (first, second), counts, .. } in rows {
            let day = date(day);
            if until.is_some_and(|until| day.as_str() > until) {
                continue;
            }
            let Counts { wins, losses, ties } = counts.impressions;
            let outcomes = PairOutcomes { first: wins, second: losses, ties };
            days.entry(day).or_default().insert((Arm::at(first), Arm::at(second)), outcomes);
        }
        // Without a remark, a table alone claims nothing.
        let is_synthetic = summary["synthetic"].as_bool().filter(|synthetic| *synthetic || remark.is_none());
        let is_synthetic = if remark.is_none() { Some(is_synthetic.unwrap_or(false)) } else { is_synthetic };
        let missing_remarks = remark.into_iter().chain(no_counts_warning(&summary)).collect();
        Ok(Self { rankers, days, is_synthetic, missing_remarks })
    }

    /// The plan of an algorithm for the day after them: one day after the other, pair by pair.
    fn plan(&self, spec: &Spec, impressions: u64, seed: u64) -> Result<Plan> {
        let horizon = impressions.saturating_mul(self.days.len() as u64 + 1);
        let mut policy: OpenPolicy = spec.open(self.rankers.len(), Some(horizon), &Generators::from_seed(seed))?;
        let mut pool = OutcomePool::new(seed);
        let mut sum = AbsorbedOutcomes::default();
        for pairs in self.days.values() {
            pairs.iter().for_each(|(&(first, second), &outcomes)| pool.record(first, second, outcomes));
            let absorbed = policy.absorb(&mut pool, impressions)?;
            sum.planned += absorbed.planned;
            sum.further += absorbed.further;
        }
        let recommended = policy.recommend().map(|arm| self.rankers[arm.index()].clone());
        let mut shares = policy.allocate(impressions).shares;
        shares.sort_by(|a, b| b.impressions.cmp(&a.impressions).then_with(|| a.arms.cmp(&b.arms)));
        let shares = shares.into_iter().map(|share| PlannedShare {
            rankers: share.arms.iter().map(|arm| self.rankers[arm.index()].clone()).collect(),
            impressions: share.impressions,
            share: share.impressions as f64 / impressions as f64,
        });
        Ok(Plan {
            algorithm: spec.canonical(),
            label: label(spec),
            planned: sum.planned,
            further: sum.further,
            unused: pool.left(),
            recommended,
            shares: shares.collect(),
        })
    }
}
