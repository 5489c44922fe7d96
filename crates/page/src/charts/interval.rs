//! A share and its confidence sequence as a line in a table.

use maud::{Markup, html};

use super::rate::{distance, round_up};
use super::x_position;

/// The extent of the axis from one half that cuts nothing off: shares count too, since one may lie outside of its interval or have none.
pub(crate) fn common_reach(intervals: impl Iterator<Item = (f64, Option<(f64, f64)>)>) -> f64 {
    let min_reach =
        |(share, interval): (f64, Option<(f64, f64)>)| distance((share, share)).max(interval.map_or(0.0, distance));
    round_up(intervals.map(min_reach).fold(0.0, f64::max))
}

/// On an axis that extends equally to both sides of one half, by [`common_reach`].
pub(crate) fn interval(share: f64, interval: Option<(f64, f64)>, reach: f64, is_decided: bool) -> Markup {
    let class = if is_decided { "whisker decided" } else { "whisker" };
    let x = |share: f64| x_position(0.5 + (share - 0.5) / reach / 2.0);
    html! {
        svg.interval aria-hidden="true" width="100%" height="16" {
            line.rail x1="0" x2="100%" y1="8" y2="8" {}
            line.tie x1="50%" x2="50%" y1="1" y2="15" {}
            @if let Some((low, high)) = interval { line class=(class) x1=(x(low)) x2=(x(high)) y1="8" y2="8" {} }
            circle.dot cx=(x(share)) cy="8" r="4" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_cut_off() {
        let shown = [(0.52, Some((0.45, 0.58))), (0.79, None), (0.53, None)];
        let reach = common_reach(shown.into_iter());
        assert_eq!(reach, 0.3);
        for (share, of) in shown {
            let svg = interval(share, of, reach, false).into_string();
            let places = svg.split('"').filter_map(|part| part.strip_suffix('%')?.parse::<f64>().ok());
            assert!(places.into_iter().all(|place| (0.0..=100.0).contains(&place)), "{svg}");
        }
        assert_eq!(common_reach(std::iter::empty()), 0.02);
    }
}
