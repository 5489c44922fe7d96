//! A share and its confidence sequence as a line in a table.

use maud::{Markup, html};

use super::across;

/// From 0 to 100%, with a line at one half.
pub(crate) fn interval(share: f64, (low, high): (f64, f64), is_decided: bool) -> Markup {
    let class = if is_decided { "whisker decided" } else { "whisker" };
    html! {
        svg.interval aria-hidden="true" width="100%" height="16" {
            line.rail x1="0" x2="100%" y1="8" y2="8" {}
            line.zero x1="50%" x2="50%" y1="1" y2="15" {}
            line class=(class) x1=(across(low)) x2=(across(high)) y1="8" y2="8" {}
            circle.dot cx=(across(share)) cy="8" r="3.5" {}
        }
    }
}
