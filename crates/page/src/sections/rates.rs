//! Win rates over time.

use maud::{Markup, html};

use super::as_table;
use crate::charts;
use crate::glossary;
use crate::model::{Overview, Rate};
use ranktypes::text::with_separators;

use crate::text::{percent, range};

pub(super) fn rates(overview: &Overview) -> Markup {
    html! {
        @if !overview.rates.is_empty() {
            h2 { "Win rate" }
            p.about {
                (glossary::with_term_links(&charts::ABOUT.join(" ")))
                @if overview.rates.iter().any(charts::is_cut) { " " (charts::CUT) }
            }
            div class=(if overview.rates.len() > 1 { "multiples" } else { "single" }) {
                @for (index, rate) in overview.rates.iter().enumerate() { (rate_section(rate, index, overview.rates.len() == 1)) }
            }
        }
    }
}

fn rate_section(rate: &Rate, index: usize, is_alone: bool) -> Markup {
    let caption = format!("Share of wins of {} against {}", rate.of, rate.against);
    html! {
        figure {
            figcaption {
                span.key aria-hidden="true" {}
                strong { (rate.of) } " against " strong { (rate.against) }
                @if let Some(contradicted) = &rate.contradicted { span.flag { (contradicted) } }
            }
            div.chart { (charts::rate(rate, is_alone)) }
            (as_table(&caption, &format!("rate-{index}"), &["Day", "Share", "Confidence sequence", "Units"], rate.points.iter().map(|point| {
                let share = point.share.map_or("–".to_owned(), percent);
                vec![point.date.clone(), share, range(point.interval), with_separators(point.decided)]
            })))
        }
    }
}
