//! What an experiment leaves in its folder.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::experiment::claim::Outcome;
use crate::experiment::config::expand;
use crate::experiment::config::{Experiment, Kind, PAPERS};
use crate::experiment::context::ExperimentContext;
use crate::experiment::environment::SettingInfo;
use crate::experiment::kinds::regret::{Plan, Reads};
use crate::experiment::measured::{CellWork, Measured, Table};
use crate::experiment::report::figure;
use crate::experiment::series::{self, SummaryRow};
use crate::output;
use crate::output::machine;
use crate::output::numbers::grouped;
use crate::output::numbers::{deviation, number};

/// `summary.json`: what reports are made of.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Summary {
    /// The name of the experiment's file.
    pub experiment: String,
    /// The headline, which says when data or size are not the paper's.
    pub title: String,
    /// The paper's key.
    pub paper: String,
    /// Which figure or table.
    pub figure: String,
    /// What the paper did, what it leaves open, and what was chosen.
    pub about: String,
    /// 1 for the paper's size.
    pub scale: f64,
    /// What it depends on: unchanged, it need not be run again.
    pub fingerprint: String,
    /// What was played on.
    pub settings: Vec<SettingInfo>,
    /// What became of the paper's claims.
    pub claims: Vec<Outcome>,
    /// A table, of experiments that are one.
    pub table: Option<Table>,
    /// Ends of curves, and curves of a few points.
    pub values: Vec<SummaryRow>,
}

/// `experiment.toml` in the results: what was run, resolved.
#[derive(Serialize)]
struct Resolved<'a> {
    experiment: &'a str,
    title: &'a str,
    paper: &'a str,
    figure: &'a str,
    kind: Kind,
    scale: f64,
    version: &'static str,
    seed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    algorithms: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    read_off_at: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subsets: Option<ResolvedSubsets>,
    setting: &'a [SettingInfo],
}

#[derive(Serialize)]
struct ResolvedSubsets {
    sizes: Vec<usize>,
    count: u64,
    with_condorcet_winner: bool,
}

/// `timings.json`: the one file that differs between two runs.
#[derive(Debug, Serialize, Deserialize)]
pub struct Timings {
    /// Threads at work.
    pub threads: usize,
    /// Seconds of this call.
    pub seconds: f64,
    /// Of those, on data, truths and matrices.
    pub preparing_seconds: f64,
    /// Runs played in this call; the others were known.
    pub runs_played: u64,
    /// Seconds of one thread over all runs, those known before too.
    pub run_seconds: f64,
    /// The most memory that the process had held until then, in bytes; of Linux only.
    pub peak_memory: Option<u64>,
    /// By setting and algorithm.
    pub cells: Vec<CellWork>,
}

/// Writes the folder of results.
pub(crate) fn write(
    context: &ExperimentContext,
    experiment: &Experiment,
    name: &str,
    fingerprint: String,
    measured: Measured,
    claims: Vec<Outcome>,
    seconds: f64,
) -> Result<Summary> {
    let folder = context.folder(name);
    output::create_folder(&folder)?;
    let title = figure::title(experiment, &measured, context.scale);
    write_resolved(context, experiment, name, &folder, &measured)?;
    series::write_curves(&folder.join("curves.csv"), &measured.series)?;
    series::write_runs(&folder.join("runs.csv"), &measured.series)?;
    let figure = figure::figure(experiment, &measured, context.scale);
    if let Some(figure) = &figure {
        figure.render()?.save(&folder.join("figure"))?;
    }
    let run_seconds = measured.work.cells.iter().map(|cell| cell.seconds).sum();
    let timings = Timings {
        threads: rayon::current_num_threads(),
        seconds,
        preparing_seconds: measured.work.preparing,
        runs_played: measured.work.played,
        run_seconds,
        peak_memory: machine::peak_memory(),
        cells: measured.work.cells,
    };
    output::write_json_pretty(&folder.join("timings.json"), &timings)?;
    let summary = Summary {
        experiment: name.to_owned(),
        title,
        paper: experiment.paper.clone(),
        figure: experiment.figure.clone(),
        about: experiment.about.trim().to_owned(),
        scale: context.scale,
        fingerprint,
        settings: measured.settings,
        claims,
        table: measured.table,
        values: series::summary(&measured.series),
    };
    output::write_atomic(&folder.join("README.md"), readme(experiment, &summary, figure.is_some()).as_bytes())?;
    // Last: what is there when this is there is whole.
    output::write_json_pretty(&folder.join("summary.json"), &summary)?;
    Ok(summary)
}

fn write_resolved(
    context: &ExperimentContext,
    experiment: &Experiment,
    name: &str,
    folder: &Path,
    measured: &Measured,
) -> Result<()> {
    let played = matches!(experiment.kind, Kind::Regret | Kind::RegretAgainstRankers | Kind::Accuracy);
    let plan = if played { Some(Plan::new(context, experiment)?) } else { None };
    let resolved = Resolved {
        experiment: name,
        title: &experiment.title,
        paper: &experiment.paper,
        figure: &experiment.figure,
        kind: experiment.kind,
        scale: context.scale,
        version: env!("CARGO_PKG_VERSION"),
        seed: experiment.seed.unwrap_or(1),
        runs: plan.as_ref().map(|plan| plan.runs),
        algorithms: expand::algorithms(&experiment.algorithms)?.iter().map(|spec| spec.canonical()).collect(),
        read_off_at: plan.as_ref().map_or_else(Vec::new, |plan| match &plan.reads {
            Reads::Curve(points) | Reads::Horizons(points) => points.clone(),
        }),
        subsets: plan.and_then(|plan| plan.subsets).map(|(sizes, count, with_condorcet_winner)| ResolvedSubsets {
            sizes,
            count,
            with_condorcet_winner,
        }),
        setting: &measured.settings,
    };
    output::write_atomic(&folder.join("experiment.toml"), toml::to_string(&resolved)?.as_bytes())
}

/// The page of an experiment: figure, claims, numbers, what was played on.
fn readme(experiment: &Experiment, summary: &Summary, figure: bool) -> String {
    let mut page = format!("# {}\n\n", summary.title);
    if figure {
        page += &format!("![{}](figure.png)\n\n", summary.title);
    }
    let paper = PAPERS.iter().find(|(key, ..)| *key == experiment.paper).map_or("", |(.., reference)| reference);
    let _ = writeln!(page, "{paper}.\n");
    if !experiment.about.trim().is_empty() {
        let _ = writeln!(page, "{}\n", experiment.about.trim());
    }
    if !summary.claims.is_empty() {
        let heading = if experiment.paper == "own" { "Claims" } else { "What the paper says" };
        let _ = writeln!(page, "## {heading}\n\n| claim | where | outcome | our numbers |\n|---|---|---|---|");
        for claim in &summary.claims {
            let comment = claim.comment.as_ref().map_or(String::new(), |text| format!(" *{}*", text.trim()));
            let _ = writeln!(
                page,
                "| {} | {} | {} | {}{comment} |",
                cell(&claim.says),
                cell(&claim.place),
                claim.verdict.mark(),
                cell(&claim.numbers)
            );
        }
        page.push('\n');
    }
    if let Some(table) = &summary.table {
        let _ = writeln!(page, "| {} |", table.header.join(" | "));
        let _ = writeln!(page, "|{}", "---|".repeat(table.header.len()));
        for row in &table.rows {
            let _ = writeln!(page, "| {} |", row.join(" | "));
        }
        page.push('\n');
    } else {
        page += "## Numbers\n\n| setting | curve | what | at | mean | standard deviation | runs |\n|---|---|---|--:|--:|--:|--:|\n";
        for row in &summary.values {
            let _ = writeln!(
                page,
                "| {} | {} | {} | {} | {} | {} | {} |",
                cell(&row.setting),
                cell(&row.curve),
                row.metric,
                number(row.x),
                row.mean(),
                deviation(row.spread.standard_deviation, row.runs),
                grouped(row.runs as u64)
            );
        }
        page.push('\n');
    }
    page += "## Played on\n\n| setting | rankers | what | regret is measured against |\n|---|--:|---|---|\n";
    for info in &summary.settings {
        let lookalike = if info.source.lookalike { "**look-alike** " } else { "" };
        let _ = writeln!(
            page,
            "| {} | {} | {lookalike}{} | {} |",
            cell(&info.setting),
            grouped(info.arms as u64),
            cell(&info.about),
            cell(&info.truth)
        );
    }
    // Without the folder of the data the command would play on look-alikes. Problems have no files.
    let real = summary.settings.iter().map(|info| &info.source).filter(|source| !source.files.is_empty());
    let mut data: Vec<&str> = real.map(|source| source.name.as_str()).collect();
    data.sort_unstable();
    data.dedup();
    let (flag, place) = match data.is_empty() {
        true => ("", String::new()),
        false => (" --data-dir DIR", format!(", where DIR holds {}", data.join(", "))),
    };
    let scale = if summary.scale < 1.0 { format!(" --scale {}", summary.scale) } else { String::new() };
    let _ = write!(
        page,
        "\nMade by `sim experiment experiments/{}.toml{flag}{scale}`{place}. Every value is in `curves.csv`, the runs in `runs.csv`, \
         what was run in `experiment.toml`; the time it took is in `timings.json`.\n",
        summary.experiment
    );
    page
}

/// A text as a cell of a table.
pub(crate) fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
