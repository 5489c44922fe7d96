//! A share and its confidence sequence as a line in a table.

use maud::{Markup, html};

use super::across;
use super::rate::{distance, round_up};

/// How far the axis of intervals reaches from one half.
pub(crate) fn common_reach(intervals: impl Iterator<Item = (f64, f64)>) -> f64 {
    round_up(intervals.map(distance).fold(0.0, f64::max))
}

/// On an axis that reaches equally far to both sides of one half.
pub(crate) fn interval(share: f64, interval: Option<(f64, f64)>, reach: f64, is_decided: bool) -> Markup {
    let class = if is_decided { "whisker decided" } else { "whisker" };
    let x = |share: f64| across((0.5 + (share - 0.5) / reach / 2.0).clamp(0.0, 1.0));
    html! {
        svg.interval aria-hidden="true" width="100%" height="16" {
            line.rail x1="0" x2="100%" y1="8" y2="8" {}
            line.zero x1="50%" x2="50%" y1="1" y2="15" {}
            @if let Some((low, high)) = interval { line class=(class) x1=(x(low)) x2=(x(high)) y1="8" y2="8" {} }
            circle.dot cx=(x(share)) cy="8" r="4" {}
        }
    }
}
