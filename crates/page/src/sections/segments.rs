//! Segments of the units: one row each, and the rankers that harm one.

use maud::{Markup, html};
use ranktypes::text::{with_separators, with_unit};

use super::pairs::{axis, share_of};
use crate::charts;
use crate::model::{Overview, SegmentRow, Segments};

pub(super) fn segments(overview: &Overview) -> Markup {
    let Some(Segments { of, against, each, other, harms }) = &overview.segments else { return html! {} };
    let pairs = each.iter().filter_map(|row| row.pair.as_ref());
    let reach = charts::common_reach(pairs.filter_map(|pair| Some((pair.share?, pair.interval))));
    html! {
        h2 { "Segments" }
        p.about { "How often " strong { (of) } " wins over " strong { (against) } " in each segment. The segments share the level of their verdicts, so each needs more evidence than all units together." }
        @if !harms.is_empty() {
            ul.warnings { @for harm in harms { li { span.hidden { "Warning: " } (harm) } } }
        }
        div.scroll tabindex="0" role="region" aria-label="Segments" {
            table.pairs.segments {
                caption.hidden { "Every segment: share of wins, confidence sequence, units and verdict" }
                thead { tr {
                    th scope="col" { "Segment" } th scope="col" { "Share of wins" } (axis(reach)) th scope="col" { "Units" } th scope="col" { "Verdict" }
                } }
                tbody { @for segment in each { (row(segment, reach)) } }
            }
        }
        @if *other > 0 { p.about { (with_unit(*other, "unit")) " in no segment: they count for the verdict of all alone." } }
    }
}

fn row(SegmentRow { name, units, pair, is_harmed }: &SegmentRow, reach: f64) -> Markup {
    let is_decided = pair.as_ref().is_some_and(|pair| pair.is_decided);
    html! {
        tr class=[is_decided.then_some("decided")] {
            th scope="row" { (name) }
            @match pair {
                Some(pair) => {
                    (share_of(pair, reach))
                    td.number { (with_separators(pair.units[0])) small { (with_separators(pair.units[1])) " tied; " (with_separators(*units)) " came" } }
                    td { @if *is_harmed { strong { "harmed: " } } (pair.verdict) @if !pair.confidence.is_empty() { small { (pair.confidence) } } }
                }
                None => {
                    td.number { "–" } td.glyph aria-hidden="true" {}
                    td.number { "0" small { (with_separators(*units)) " came" } } td { "nothing yet" }
                }
            }
        }
    }
}
