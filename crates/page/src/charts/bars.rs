//! Bars beside numbers in tables, and buckets of a histogram.

use maud::{Markup, html};

use super::x_position;
use ranktypes::text::with_separators;

use crate::text::number;

/// The height of a histogram, in pixels.
const HEIGHT: f64 = 90.0;

/// A bar as long as a share, in a table cell with the number.
pub(crate) fn bar(share: f64, class: &str) -> Markup {
    html! {
        svg.bar aria-hidden="true" width="100%" height="8" {
            rect.rail x="0" y="0" width="100%" height="8" rx="2" {}
            rect class=(class) x="0" y="0" width=(x_position(share.clamp(0.0, 1.0))) height="8" rx="2" {}
        }
    }
}

/// A histogram.
pub(crate) fn buckets(buckets: &[(String, u64)], about: &str) -> Markup {
    let largest_count = buckets.iter().map(|(_, count)| *count).max().unwrap_or(0);
    if largest_count == 0 {
        return html! {};
    }
    let slot = 1.0 / buckets.len() as f64;
    let descriptions: Vec<String> = buckets
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(end, count)| format!("{} {end}", with_separators(*count)))
        .collect();
    html! {
        svg.plot role="img" aria-label={ (about) ": " (descriptions.join(", ")) } width="100%" height=(HEIGHT) {
            line.zero x1="0" x2="100%" y1=(HEIGHT) y2=(HEIGHT) {}
            @for (at, (end, count)) in buckets.iter().enumerate() {
                @let high = HEIGHT * *count as f64 / largest_count as f64;
                // A count above 0 must be visible.
                @let high = if *count > 0 { high.max(1.5) } else { 0.0 };
                rect.c0 x=(x_position((at as f64 + 0.08) * slot)) width=(x_position(0.84 * slot)) y=(number(HEIGHT - high)) height=(number(high)) {}
                @if at % 2 == 0 {
                    text.tick x=(x_position((at as f64 + 0.5) * slot)) y=(HEIGHT + 16.0) text-anchor="middle" { (end) }
                }
            }
        }
    }
}
