//! The results folder of an experiment.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use figures::Panels;
use output::machine;
use output::numbers::with_separators;
use output::numbers::{deviation, number};
use serde::{Deserialize, Serialize};

use crate::experiment::claim::TestedClaim;
use crate::experiment::config::expand;
use crate::experiment::config::{Draw, Experiment, KindName, Paper, Subsets};
use crate::experiment::context::ExperimentContext;
use crate::experiment::experiment_data::{CellWork, Effort, ExperimentData, Table};
use crate::experiment::kinds;
use crate::experiment::name_of;
use crate::experiment::opened_setting::SettingInfo;
use crate::experiment::report::figure;
use crate::experiment::series::{self, SummaryRow};
use studies::results::{DENSITY, Format};

/// `summary.json`: what reports are built from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Summary {
    /// The name of the experiment's file.
    pub experiment: String,
    /// The title, with any deviation of data or scale from the paper's.
    pub title: String,
    /// The paper's key.
    pub paper: String,
    /// Which figure or table.
    pub figure: String,
    /// The paper's experiment, its gaps, and the choices made here.
    pub about: String,
    /// 1 for the paper's size.
    pub scale: f64,
    /// A hash of everything the results depend on: unchanged, they are up to date.
    pub fingerprint: String,
    /// The settings it was measured in.
    pub settings: Vec<SettingInfo>,
    /// The outcome of each claim.
    pub claims: Vec<TestedClaim>,
    /// The table of experiments that are a table.
    pub table: Option<Table>,
    /// The ends of curves; all points of short ones.
    pub values: Vec<SummaryRow>,
}

/// `experiment.toml` in the results folder: the experiment as run, with defaults and scale resolved.
#[derive(Serialize)]
struct ResolvedExperiment<'a> {
    experiment: &'a str,
    title: &'a str,
    paper: &'a str,
    figure: &'a str,
    kind: KindName,
    scale: f64,
    version: &'static str,
    seed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    algorithms: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[serde(rename = "checkpoint-steps")]
    checkpoint_steps: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subsets: Option<Subsets>,
    #[serde(skip_serializing_if = "is_usual")]
    draw: &'a Draw,
    setting: &'a [SettingInfo],
}

fn is_usual(draw: &&Draw) -> bool {
    **draw == Draw::default()
}

/// `timings.json`: the only file that differs between two runs of the same experiment.
#[derive(Debug, Serialize, Deserialize)]
pub struct Timings {
    /// Threads used.
    pub threads: usize,
    /// Seconds of this call.
    pub seconds: f64,
    /// Seconds of this call spent on data, truths and matrices.
    pub preparing_seconds: f64,
    /// Runs played in this call; the others were kept from earlier calls.
    pub runs_played: u64,
    /// Seconds of one thread over all runs, kept ones included.
    pub run_seconds: f64,
    /// Peak memory of the process until then, in bytes; on Linux only.
    pub peak_memory: Option<u64>,
    /// The work by setting and algorithm.
    pub cells: Vec<CellWork>,
}

/// The time behind results.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Time {
    /// Seconds of this call.
    pub(crate) seconds: f64,
    /// Whether runs were played or looked up, instead of results being reworded.
    pub(crate) played: bool,
}

/// Writes the results folder of the experiment in the file `path`.
pub(crate) fn write(
    context: &ExperimentContext,
    experiment: &Experiment,
    path: &Path,
    fingerprint: String,
    measured: ExperimentData,
    claims: Vec<TestedClaim>,
    time: Time,
) -> Result<Summary> {
    let name = &name_of(path)?;
    let folder = context.folder(name);
    output::create_folder(&folder)?;
    let title = figure::title(experiment, &measured, context.scale);
    write_resolved(context, experiment, name, &folder, &measured)?;
    series::write_curves(&folder.join("curves.csv"), &measured.series)?;
    series::write_runs(&folder.join("runs.csv"), &measured.series)?;
    let figure = figure::figure(experiment, &measured, context.scale);
    if let Some(figure) = &figure {
        figure.render()?.save(&folder.join("figure"))?;
        write_for_print(experiment, figure, &folder)?;
    }
    write_timings(&folder.join("timings.json"), measured.work, time)?;
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
    output::write_atomic(&folder.join("README.md"), readme(experiment, path, &summary, figure.is_some()).as_bytes())?;
    // Last: a folder with a summary is complete.
    output::write_json_pretty(&folder.join("summary.json"), &summary)?;
    Ok(summary)
}

/// Writes the figure for print, if the file asks for one.
fn write_for_print(experiment: &Experiment, figure: &Panels, folder: &Path) -> Result<()> {
    let chosen = experiment.draw.chosen();
    if !chosen.is_any() {
        return Ok(());
    }
    let formats = if chosen.formats.is_empty() { vec![Format::Pdf] } else { chosen.formats.clone() };
    let sheet = chosen.print().panels(&for_print(figure.clone(), chosen.title != Some(false)))?;
    for format in formats {
        let path = folder.join(format!("draw.{}", format.ending()));
        output::write_atomic(&path, &format.file(&sheet, DENSITY)?)?;
    }
    Ok(())
}

/// `figure` for print: without a headline unless `titled`.
pub(crate) fn for_print(mut figure: Panels, titled: bool) -> Panels {
    if !titled {
        figure.title.clear();
        figure.subtitle = None;
    }
    figure
}

/// Writes the times of this call. The times of cells stay if nothing was played.
fn write_timings(path: &Path, work: Effort, time: Time) -> Result<()> {
    let earlier_timings = || {
        serde_json::from_slice::<Timings>(&output::input::read_file(path, output::input::MAX_RESULT_BYTES).ok()?).ok()
    };
    let timings = match (time.played, earlier_timings()) {
        (false, None) => return Ok(()),
        (false, Some(earlier_timings)) => {
            Timings { seconds: time.seconds, preparing_seconds: 0.0, runs_played: 0, ..earlier_timings }
        }
        (true, _) => Timings {
            threads: rayon::current_num_threads(),
            seconds: time.seconds,
            preparing_seconds: work.preparing,
            runs_played: work.played,
            run_seconds: work.cells.iter().map(|cell| cell.seconds).sum(),
            peak_memory: machine::peak_memory(),
            cells: work.cells,
        },
    };
    output::write_json_pretty(path, &timings)
}

fn write_resolved(
    context: &ExperimentContext,
    experiment: &Experiment,
    name: &str,
    folder: &Path,
    measured: &ExperimentData,
) -> Result<()> {
    let plan = kinds::kind_named(experiment.kind).plan(context, experiment)?;
    let resolved = ResolvedExperiment {
        experiment: name,
        title: &experiment.title,
        paper: &experiment.paper,
        figure: &experiment.figure,
        kind: experiment.kind,
        scale: context.scale,
        version: env!("CARGO_PKG_VERSION"),
        seed: experiment.master_seed(),
        runs: plan.as_ref().map(|plan| plan.runs),
        algorithms: expand::algorithms(&experiment.algorithms)?.iter().map(|spec| spec.canonical()).collect(),
        checkpoint_steps: plan.as_ref().map_or_else(Vec::new, |plan| plan.checkpoints.steps().to_vec()),
        subsets: plan.and_then(|plan| plan.subsets),
        draw: &experiment.draw,
        setting: &measured.settings,
    };
    output::write_atomic(&folder.join("experiment.toml"), toml::to_string(&resolved)?.as_bytes())
}

/// The page of an experiment: figure, claims, numbers, settings.
fn readme(experiment: &Experiment, path: &Path, summary: &Summary, figure: bool) -> String {
    let title = without_markup(&summary.title);
    let mut page = format!("# {title}\n\n");
    if figure {
        page += &format!("![{}](figure.svg)\n\n", title.replace('[', "\\[").replace(']', "\\]"));
    }
    let paper = Paper::find(&experiment.paper).map_or("", |paper| paper.reference);
    let _ = writeln!(page, "{paper}.\n");
    if !experiment.about.trim().is_empty() {
        let _ = writeln!(page, "{}\n", without_markup(experiment.about.trim()));
    }
    if !summary.claims.is_empty() {
        let heading = if experiment.paper == "own" { "Claims" } else { "Claims of the paper" };
        let _ = writeln!(page, "## {heading}\n\n| claim | where | outcome | our numbers |\n|---|---|---|---|");
        for claim in &summary.claims {
            let comment =
                claim.comment.as_ref().map_or(String::new(), |text| format!(" *{}*", without_markup(text.trim())));
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
            let _ =
                writeln!(page, "| {} |", row.iter().map(|text| without_markup(text)).collect::<Vec<_>>().join(" | "));
        }
        page.push('\n');
    } else {
        page += "## Numbers\n\n| setting | curve | metric | at | mean | standard error | runs |\n|---|---|---|--:|--:|--:|--:|\n";
        for row in &summary.values {
            let _ = writeln!(
                page,
                "| {} | {} | {} | {} | {} | {} | {} |",
                cell(&row.setting),
                cell(&row.curve),
                row.metric,
                number(row.x),
                row.mean(),
                deviation(row.spread.mean, row.spread.standard_error, row.runs),
                with_separators(row.runs as u64)
            );
        }
        page.push('\n');
    }
    page += "## Settings\n\n| setting | rankers | data | regret is measured against |\n|---|--:|---|---|\n";
    for info in &summary.settings {
        let lookalike = if info.source.lookalike { "**look-alike** " } else { "" };
        let _ = writeln!(
            page,
            "| {} | {} | {lookalike}{} | {} |",
            cell(&info.setting),
            with_separators(info.arms as u64),
            cell(&info.about),
            cell(&info.truth)
        );
    }
    // Without the folder of the data, the command would use look-alikes. Problems have no files.
    let real = summary.settings.iter().map(|info| &info.source).filter(|source| !source.files.is_empty());
    let mut data: Vec<&str> = real.map(|source| source.name.as_str()).collect();
    data.sort_unstable();
    data.dedup();
    let (flag, folder_argument) = match data.is_empty() {
        true => ("", String::new()),
        false => (" --data-dir DIR", format!(", where DIR contains {}", data.join(", "))),
    };
    let scale = if summary.scale < 1.0 { format!(" --scale {}", summary.scale) } else { String::new() };
    let _ = write!(
        page,
        "\nMade by `rankduel experiment {}{flag}{scale}`{folder_argument}. All values are in `curves.csv`, single runs in `runs.csv`, \
         the resolved configuration in `experiment.toml`.\n",
        printable_path(path)
    );
    page
}

/// The path of an experiment's file as a page can name it: as it was given, or the name alone if that names a machine's
/// folders.
fn printable_path(path: &Path) -> String {
    let shown_path = if path.is_absolute() { path.file_name().map_or(path, Path::new) } else { path };
    shown_path.display().to_string()
}

/// A text escaped for a cell of a Markdown table.
pub(crate) fn cell(text: &str) -> String {
    without_markup(text).replace('|', "\\|").replace('\n', " ")
}

/// A text for a Markdown page in which no HTML begins; addresses in angle brackets stay.
pub(crate) fn without_markup(text: &str) -> String {
    let mut pieces = text.split('<');
    let mut page = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let is_tag = piece.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
        let is_address = ["http://", "https://"].iter().any(|address| piece.starts_with(address));
        page += if is_tag && !is_address { "\\<" } else { "<" };
        page += piece;
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_hold_no_html_of_others() {
        for (text, expected) in [
            ("a < b <3", "a < b <3"),
            ("<script>alert(1)</script>", "\\<script>alert(1)\\</script>"),
            ("<!-- x", "\\<!-- x"),
            ("see <https://doi.org/1>", "see <https://doi.org/1>"),
        ] {
            assert_eq!(without_markup(text), expected);
        }
        assert_eq!(cell("<b>|\n"), "\\<b>\\| ");
    }
}
