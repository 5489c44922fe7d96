//! `sim bandit --from-outcomes`: what policies would show on the next day, from a table of outcomes by day.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use bandits::open::{Absorbed, OpenPolicy, OutcomePool, PairOutcomes};
use bandits::registry::Spec;
use bandits::{ActionKind, Arm, Generators};
use clap::Args;
use output::numbers::{parse_positive, with_separators};
use output::text_table::{Align, TextTable};
use output::usage::usage;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::cli::args::{RunArgs, Usual};
use crate::cli::print::{eprintln, println};
use crate::results::label;

/// What to do with outcomes of days.
#[derive(Debug, Args)]
#[command(next_help_heading = "Outcomes of days")]
pub(super) struct OutcomeOptions {
    /// With --from-outcomes: how many impressions a day has; keep it the same from day to day
    #[arg(long, value_name = "N", default_value = "1e5", value_parser = parse_positive, requires = "from_outcomes")]
    impressions: u64,

    /// With --from-outcomes: the last day that counts, e.g. 2026-11-22 [default: the last one that was complete when the log
    /// was credited]
    #[arg(long, value_name = "DATE", requires = "from_outcomes")]
    until: Option<String>,
}

/// The flags that say how a simulation plays: there is none.
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
    "best_margin",
    "give_up",
    "compare_algorithms",
    "delay",
    "batch",
    "lost",
];

/// A line of the table.
#[derive(Debug, Deserialize)]
struct Line {
    day: String,
    first: String,
    second: String,
    impression_wins: u64,
    impression_losses: u64,
    impression_ties: u64,
}

/// The days of a table, oldest first.
struct Days {
    rankers: Vec<String>,
    /// By day and pair, the pair in the order of the rankers.
    days: BTreeMap<String, BTreeMap<(Arm, Arm), PairOutcomes>>,
    is_synthetic: bool,
}

/// What one algorithm made of them.
#[derive(Debug, Serialize)]
struct Plan {
    algorithm: String,
    /// What tables call it.
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
pub(super) fn plan(path: &Path, options: &OutcomeOptions, run: &RunArgs) -> Result<()> {
    let days = Days::read(path, options.until.as_deref())?;
    let count = days.rankers.len();
    ensure!(count >= 2, usage(format!("{} has no two rankers; there is nothing to choose from", path.display())));
    let algorithms = run.size(&Usual::DUELS).algorithms;
    let sets = algorithms.iter().find(|spec| spec.entry().action_kind == ActionKind::Sets);
    if let Some(spec) = sets {
        bail!(usage(format!(
            "{} chooses sets of rankers, but outcomes are those of pairs; leave it out",
            spec.canonical()
        )));
    }
    let plans = algorithms.iter().map(|spec| days.plan(spec, options.impressions, run.common.seed));
    let plans = plans.collect::<Result<Vec<Plan>>>()?;
    let last = days.days.keys().next_back();
    let report = json!({
        "outcomes": path.display().to_string(),
        "synthetic": days.is_synthetic,
        "seed": run.common.seed,
        "days": days.days.len(),
        "last_day": last,
        "rankers": days.rankers,
        "impressions": options.impressions,
        "plans": plans,
    });
    if let Some(out) = &run.output.out {
        write(out, run, &report, &plans)?;
    }
    if run.output.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
        return Ok(());
    }
    if days.is_synthetic && !run.common.quiet {
        eprintln!("the log is simulated: it says nothing about real users");
    }
    let known = last.map_or_else(|| "no day".to_owned(), |last| format!("{} days until {last}", days.days.len()));
    println!("The next day's {} impressions, after {known}:", with_separators(options.impressions));
    for plan in &plans {
        let Plan { label, planned, further, unused, recommended, shares, .. } = plan;
        println!("");
        let best =
            recommended.as_ref().map_or_else(|| "none singled out yet".to_owned(), |best| format!("best: {best}"));
        println!("{label} ({best})");
        let mut table = TextTable::new([("show", Align::Left), ("impressions", Align::Right), ("share", Align::Right)]);
        for share in shares {
            let shown = match &share.rankers[..] {
                [alone] => format!("{alone} alone"),
                mixed => mixed.join(" with "),
            };
            table.row([shown, with_separators(share.impressions), format!("{:.1}%", 100.0 * share.share)]);
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

fn write(out: &Path, run: &RunArgs, report: &Value, plans: &[Plan]) -> Result<()> {
    let mut config = report.clone();
    config["command"] = "bandit --from-outcomes".into();
    config["plans"] = Value::Null;
    config["algorithms"] = plans.iter().map(|plan| plan.algorithm.clone()).collect();
    let folder = run.output.claim(|| out.to_path_buf(), &config, run.common.quiet)?;
    folder.write(&config, || {
        output::write_json_pretty(&folder.join("plan.json"), report)?;
        let rows = plans.iter().flat_map(|plan| {
            plan.shares.iter().map(|share| (&plan.algorithm, share.rankers.join(" "), share.impressions, share.share))
        });
        output::write_csv(&folder.join("plan.csv"), &["algorithm", "rankers", "impressions", "share"], rows)
    })
}

impl Days {
    /// The table at `path`, or the one in that folder.
    fn read(path: &Path, until: Option<&str>) -> Result<Self> {
        let table = if path.is_dir() { path.join("outcomes.csv") } else { path.to_path_buf() };
        let text = output::input::read_text(&table, 1 << 30).with_context(|| table.display().to_string())?;
        let summary = read_summary(&table.with_file_name("summary.json"));
        let until = until.or_else(|| summary["last_closed_day"].as_str());
        let named = summary["rankers"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let mut rankers: Vec<String> = named.map(str::to_owned).collect();
        let mut lines = Vec::new();
        for (number, line) in (2..).zip(csv::Reader::from_reader(text.as_bytes()).deserialize::<Line>()) {
            let line = line.map_err(|error| {
                usage(format!(
                    "{}:{number}: {}; expected the columns day, first, second, impression_wins, impression_losses and \
                     impression_ties, as `click-logs credit` writes them",
                    table.display(),
                    reason(&error)
                ))
            })?;
            let is_date = line.day.len() == 10
                && line.day.bytes().enumerate().all(|(at, byte)| match at {
                    4 | 7 => byte == b'-',
                    _ => byte.is_ascii_digit(),
                });
            ensure!(
                is_date,
                usage(format!("{}:{number}: `{}` is not a date; expected e.g. 2026-11-22", table.display(), line.day))
            );
            ensure!(
                line.first != line.second,
                usage(format!("{}:{number}: `{}` against itself", table.display(), line.first))
            );
            lines.push(line);
        }
        let mut more: Vec<&String> =
            lines.iter().flat_map(|line| [&line.first, &line.second]).filter(|name| !rankers.contains(name)).collect();
        more.sort_unstable();
        more.dedup();
        let more: Vec<String> = more.into_iter().cloned().collect();
        rankers.extend(more);
        let arm = |name: &String| rankers.iter().position(|known| known == name).map(Arm::at).expect("it is there");
        let mut days: BTreeMap<String, BTreeMap<(Arm, Arm), PairOutcomes>> = BTreeMap::new();
        for line in lines.iter().filter(|line| until.is_none_or(|until| line.day.as_str() <= until)) {
            let (first, second) = (arm(&line.first), arm(&line.second));
            let (won, lost) = if first < second {
                (line.impression_wins, line.impression_losses)
            } else {
                (line.impression_losses, line.impression_wins)
            };
            let pairs = days.entry(line.day.clone()).or_default();
            let sum = pairs.entry((first.min(second), first.max(second))).or_default();
            sum.first += won;
            sum.second += lost;
            sum.ties += line.impression_ties;
        }
        Ok(Self { rankers, days, is_synthetic: summary["synthetic"] == true })
    }

    /// What an algorithm shows on the day after them: one day after the other, pair by pair.
    fn plan(&self, spec: &Spec, impressions: u64, seed: u64) -> Result<Plan> {
        let horizon = impressions.saturating_mul(self.days.len() as u64 + 1);
        let mut policy: OpenPolicy = spec.open(self.rankers.len(), horizon, &Generators::from_seed(seed))?;
        let mut pool = OutcomePool::new(seed);
        let mut sum = Absorbed::default();
        for pairs in self.days.values() {
            pairs.iter().for_each(|(&(first, second), &outcomes)| pool.add(first, second, outcomes));
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

/// The summary beside a table; null if there is none.
fn read_summary(path: &Path) -> Value {
    let text = output::input::read_text(path, 1 << 24).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// An error of CSV without its place.
fn reason(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::Deserialize { err, .. } => err.to_string(),
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} fields, but the header names {expected_len}")
        }
        _ => error.to_string(),
    }
}
