//! The section of an experiment: its figure, its claims and their results, its settings, numbers and times.

use std::path::Path;

use anyhow::Result;
use maud::{Markup, html};
use output::numbers::{deviation, number, significant, with_separators, with_unit};

use super::markup::{NarrowFigure, PageText, inline_svg, table, with_code};
use crate::experiment::{
    Summary, Table, Timings,
    claim::{ClaimResult, TestedClaim},
    opened_setting::SettingInfo,
};

/// The class of a result in the style sheet.
fn verdict_class(verdict: ClaimResult) -> &'static str {
    match verdict {
        ClaimResult::Held => "held",
        ClaimResult::DidNotHold => "did-not-hold",
        ClaimResult::Open => "open",
        ClaimResult::NeedsRealData => "needs-real-data",
        ClaimResult::NotTested => "not-tested",
    }
}

/// The sign of a claim's result, with its name on hover.
pub(super) fn claim_mark(claim: &TestedClaim) -> Markup {
    html! { span class=(verdict_class(claim.verdict)) title=(claim.verdict.words(1)) { (claim.verdict.sign()) } }
}

/// The section of an experiment.
pub(super) fn experiment_section(results: &Path, summary: &Summary, narrow_figure: NarrowFigure<'_>) -> Result<Markup> {
    let folder = results.join(&summary.experiment);
    let lookalike = summary.settings.iter().any(|info| info.source.lookalike);
    let figure = Some(folder.join("figure.svg")).filter(|figure| figure.is_file());
    let figure =
        figure.map(|figure| inline_svg(&figure, narrow_figure(&folder).as_deref(), &summary.title)).transpose()?;
    let paragraphs = summary.about.split("\n\n").map(str::trim).filter(|text| !text.is_empty());
    Ok(html! {
        section id=(PageText(&summary.experiment)) {
            h3 { (PageText(&summary.title)) @if lookalike { " " span.badge { "look-alike" } } }
            @if let Some(figure) = figure { (figure) }
            @if let Some(Table { header, rows }) = &summary.table { (table(header, rows, 0..0)) }
            @if !summary.claims.is_empty() { ul.claims { @for claim in &summary.claims { (claim_item(claim)) } } }
            @for paragraph in paragraphs { p.muted { (with_code(paragraph)) } }
            details { summary { "Settings and all numbers" } (settings_table(summary)) (values_table(summary)) }
            @if let Some(timings) = read_timings(&folder) { p.muted { (timing_sentence(&timings)) } }
        }
    })
}

/// A claim and its result.
fn claim_item(claim: &TestedClaim) -> Markup {
    html! {
        li {
            span.mark { (claim_mark(claim)) }
            span {
                (PageText(&claim.says))
                @if !claim.place.is_empty() { " " span.muted { "(" (PageText(&claim.place)) ")" } }
            }
            span.numbers {
                b class=(verdict_class(claim.verdict)) { (claim.verdict.words(1)) } ": " (PageText(&claim.numbers))
                @if let Some(comment) = &claim.comment { " " i { (with_code(comment)) } }
            }
        }
    }
}

/// The settings of an experiment.
fn settings_table(summary: &Summary) -> Markup {
    let row = |info: &SettingInfo| {
        vec![info.setting.clone(), with_separators(info.arms as u64), info.about.clone(), info.truth.clone()]
    };
    let header = ["setting", "rankers", "data", "regret is measured against"].map(str::to_owned);
    table(&header, &summary.settings.iter().map(row).collect::<Vec<_>>(), 0..0)
}

/// The numbers behind the figure of an experiment.
fn values_table(summary: &Summary) -> Markup {
    let values: Vec<Vec<String>> = summary
        .values
        .iter()
        .map(|row| {
            let names = [row.setting.clone(), row.curve.clone(), row.metric.clone()];
            let error = deviation(row.spread.mean, row.spread.standard_error, row.runs);
            let numbers = [number(row.x), row.mean(), error, with_separators(row.runs as u64)];
            names.into_iter().chain(numbers).collect()
        })
        .collect();
    let header = ["setting", "curve", "metric", "at", "mean", "standard error", "runs"].map(str::to_owned);
    table(&header, &values, 3..usize::MAX)
}

fn read_timings(folder: &Path) -> Option<Timings> {
    serde_json::from_slice(
        &output::input::read_file(&folder.join("timings.json"), output::input::MAX_RESULT_BYTES).ok()?,
    )
    .ok()
}

fn timing_sentence(timings: &Timings) -> String {
    let steps: u64 = timings.cells.iter().map(|cell| cell.steps).sum();
    let memory =
        timings.peak_memory.map_or(String::new(), |bytes| format!(", peak memory {} MB", with_separators(bytes >> 20)));
    format!(
        "{} steps in {} s of one thread; the last call took {:.1} s on {} and played {}{memory}.",
        with_separators(steps),
        significant(timings.run_seconds),
        timings.seconds,
        with_unit(timings.threads as u64, "thread"),
        with_unit(timings.runs_played, "run")
    )
}
