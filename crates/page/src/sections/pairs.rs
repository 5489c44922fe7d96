//! Pairs of rankers: one row each, and a matrix for a few rankers.

use maud::{Markup, html};

use crate::charts;
use crate::glossary;
use crate::model::{Matrix, MatrixCell, Overview, Pair};
use ranktypes::text::with_separators;

use crate::text::{percent, range};

pub(super) fn pairs(overview: &Overview) -> Markup {
    let intervals = overview.pairs.iter().filter_map(|pair| Some((pair.share?, pair.interval)));
    let reach = charts::common_reach(intervals);
    html! {
        @if !overview.pairs.is_empty() {
            h2 { "Pairs" }
            @if overview.pairs.iter().any(says_both) { p.about { (glossary::CERTAINTIES) } }
            div.scroll tabindex="0" role="region" aria-label="Pairs" {
                table.pairs {
                    caption.hidden { "Every pair of rankers: share of wins, confidence sequence, units and verdict" }
                    thead { tr {
                        th scope="col" { "Ahead" } th scope="col" { "Against" } th scope="col" { "Share of wins" }
                        (axis(reach))
                        th scope="col" { "Units" } th scope="col" { "Verdict" }
                    } }
                    tbody { @for pair in &overview.pairs { (row(pair, reach)) } }
                }
            }
            @if overview.more_pairs > 0 {
                p.about { "Pairs with a verdict and those of the leader come first; " (with_separators(overview.more_pairs)) " more are not shown." }
            }
        }
    }
}

/// Whether the confidence of a verdict is shown beside a confidence sequence.
fn says_both(pair: &Pair) -> bool {
    pair.interval.is_some() && pair.confidence.contains('%')
}

fn row(pair: &Pair, reach: f64) -> Markup {
    let [decided, ties] = pair.units;
    html! {
        tr class=[pair.is_decided.then_some("decided")] {
            th scope="row" { (pair.ahead) }
            td { (pair.behind) }
            (share_of(pair, reach))
            td.number { (with_separators(decided)) small { (with_separators(ties)) " tied" } }
            td { (pair.verdict) @if !pair.confidence.is_empty() { small { (pair.confidence) } } }
        }
    }
}

/// The head of the column of intervals.
pub(super) fn axis(reach: f64) -> Markup {
    let tick = |part: f64| format!("{:.0}%", 100.0 * (0.5 + part * reach));
    html! {
        th scope="col" aria-hidden="true" { span.axis { span { (tick(-1.0)) } span { "50%" } span { (tick(1.0)) } } }
    }
}

/// The share of wins in figures, and its confidence sequence as a line.
pub(super) fn share_of(pair: &Pair, reach: f64) -> Markup {
    html! {
        td.number {
            @match pair.share {
                Some(share) => { (percent(share)) @if pair.interval.is_some() { small { (range(pair.interval)) } } }
                None => { "–" }
            }
        }
        td.glyph aria-hidden="true" { @if let Some(share) = pair.share { (charts::interval(share, pair.interval, reach, pair.is_decided)) } }
    }
}

/// The class of a cell: darker further from one half, in five steps.
fn shade(share: f64) -> &'static str {
    const SHADES_ABOVE: [&str; 5] = ["even", "up1", "up2", "up3", "up4"];
    const SHADES_BELOW: [&str; 5] = ["even", "down1", "down2", "down3", "down4"];
    let step = [0.01, 0.04, 0.08, 0.15].into_iter().filter(|least| (share - 0.5).abs() >= *least).count();
    if share >= 0.5 { SHADES_ABOVE[step] } else { SHADES_BELOW[step] }
}

pub(super) fn matrix(overview: &Overview) -> Markup {
    let Some(Matrix { rankers, cells }) = &overview.matrix else { return html! {} };
    let cell = |row: usize, column: usize| cells.get(row * rankers.len() + column).copied().flatten();
    html! {
        h2 { "Who beats whom" }
        p.about { "How often the ranker of a row won against that of a column. ✓ and ✗ are verdicts; nothing is claimed of the others." }
        div.scroll tabindex="0" role="region" aria-label="Who beats whom" {
            table.matrix {
                caption.hidden { "Share of wins of the ranker of a row against that of a column" }
                thead { tr {
                    td {}
                    @for name in rankers { th scope="col" { (name) } }
                } }
                tbody {
                    @for (row, name) in rankers.iter().enumerate() {
                        tr {
                            th scope="row" { (name) }
                            @for column in 0..rankers.len() {
                                @match cell(row, column) {
                                    _ if row == column => { td.own {} }
                                    None => { td.unmet { span.hidden { "never met" } } }
                                    Some(MatrixCell { share, winner }) => {
                                        td class=(shade(share)) {
                                            (percent(share))
                                            @match winner {
                                                Some(true) => { span.verdict title="known to win" { " ✓" } }
                                                Some(false) => { span.verdict title="known to lose" { " ✗" } }
                                                None => {}
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::shade;

    #[test]
    fn shades_are_symmetric() {
        assert_eq!([0.5, 0.52, 0.56, 0.6, 0.9].map(shade), ["even", "up1", "up2", "up3", "up4"]);
        assert_eq!([0.495, 0.48, 0.44, 0.4, 0.1].map(shade), ["even", "down1", "down2", "down3", "down4"]);
    }
}
