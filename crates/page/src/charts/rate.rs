//! The share of wins after each day, with its confidence sequence.

use maud::{Markup, html};

use super::{across, dates};
use crate::model::{Rate, RatePoint};
use crate::text::{number, percent, range};

/// The height of one plot among several, and of one alone, in pixels.
const HEIGHTS: [f64; 2] = [200.0, 300.0];
/// What the axis may reach to both sides of one half.
const REACHES: [f64; 6] = [0.02, 0.05, 0.1, 0.2, 0.3, 0.5];

/// The chart. Its axis is symmetric about one half; early intervals that are wider are cut off at the edges. One that stands
/// alone is higher.
pub(crate) fn rate(rate: &Rate, is_alone: bool) -> Markup {
    let height = HEIGHTS[usize::from(is_alone)];
    let points = &rate.points;
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return html! {} };
    let reach = reach(points);
    let days = f64::from(last.day - first.day);
    let x = |point: &RatePoint| if days > 0.0 { f64::from(point.day - first.day) / days } else { 0.5 };
    let y = |share: f64| height / 2.0 * (1.0 - ((share - 0.5) / reach).clamp(-1.2, 1.2));
    let at = |point: &RatePoint, share: f64| format!("{},{}", number(1000.0 * x(point)), number(y(share)));
    // The band ends where no share fits all days, or nothing is claimed.
    let upper = points.iter().filter_map(|point| Some(at(point, point.interval?.1)));
    let lower = points.iter().rev().filter_map(|point| Some(at(point, point.interval?.0)));
    let band: Vec<String> = upper.chain(lower).collect();
    let line: Vec<String> = points.iter().filter_map(|point| Some(at(point, point.share?))).collect();
    let ticks = [1.0, 0.5, 0.0, -0.5, -1.0].map(|part| 0.5 + part * reach);
    let decimals = usize::from(ticks.iter().any(|tick| (100.0 * tick - (100.0 * tick).round()).abs() > 1e-9));
    let decided = rate.since.and_then(|day| points.iter().find(|point| point.day == day));
    let shown: Vec<(f64, &str)> = points.iter().map(|point| (x(point), point.date.as_str())).collect();
    html! {
        svg.plot role="img" aria-label=(described(rate)) width="100%" height=(height) {
            @for tick in ticks {
                line class=(if tick == 0.5 { "zero" } else { "grid" }) x1="0" x2="100%" y1=(number(y(tick))) y2=(number(y(tick))) {}
                text.tick x="0" dx="-8" y=(number(y(tick))) dy="4" text-anchor="end" { (format!("{:.decimals$}%", 100.0 * tick)) }
            }
            @if points.len() > 1 {
                svg.box width="100%" height=(height) viewBox={ "0 0 1000 " (height) } preserveAspectRatio="none" {
                    polygon.band points=(band.join(" ")) {}
                    polyline.curve points=(line.join(" ")) vector-effect="non-scaling-stroke" {}
                }
            } @else if let Some((low, high)) = first.interval {
                line.whisker x1="50%" x2="50%" y1=(number(y(high))) y2=(number(y(low))) {}
            }
            @if let Some(point) = decided {
                @let is_late = x(point) > 0.5;
                line.mark x1=(across(x(point))) x2=(across(x(point))) y1="0" y2=(height) {}
                text.mark x=(across(x(point))) dx=(if is_late { "-6" } else { "6" }) y="12" text-anchor=(if is_late { "end" } else { "start" }) {
                    "decided"
                }
            }
            @if let Some(share) = last.share {
                circle.dot cx=(across(x(last))) cy=(number(y(share))) r="4" {}
                text.value x=(across(x(last))) dx="9" y=(number(y(share))) dy="4" { (percent(share)) }
            }
            @for (place, date) in dates(&shown) {
                text.tick x=(across(place)) y=(height + 18.0) text-anchor="middle" { (date) }
            }
        }
    }
}

/// The least reach that holds the curve, the last interval, and most of the interval in the middle of the time.
fn reach(points: &[RatePoint]) -> f64 {
    let of = |point: &RatePoint| point.interval.map_or(0.0, distance);
    let last = points.iter().rev().find(|point| point.interval.is_some());
    let needed = last.map_or(0.02, of).max(points.get(points.len() / 2).map_or(0.0, |point| 0.75 * of(point)));
    let shares = points.iter().filter_map(|point| point.share).map(|share| distance((share, share)));
    round_up(shares.fold(needed, f64::max))
}

/// How far an interval reaches from one half.
pub(super) fn distance((low, high): (f64, f64)) -> f64 {
    (high - 0.5).max(0.5 - low)
}

/// The least reach of an axis that is at least `needed`.
pub(super) fn round_up(needed: f64) -> f64 {
    REACHES.into_iter().find(|reach| *reach >= needed).unwrap_or(0.5)
}

/// What the chart shows, for readers who do not see it.
fn described(rate: &Rate) -> String {
    let Rate { of, against, points, .. } = rate;
    let last = points.last().map_or_else(String::new, |point| {
        let share = point.share.map_or("unknown".to_owned(), percent);
        format!(": {share} after {}, confidence sequence {}", point.date, range(point.interval))
    });
    format!("Share of wins of {of} against {against} by day{last}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(day: i32, share: f64, around: f64) -> RatePoint {
        let interval = ((share - around).max(0.0), (share + around).min(1.0));
        RatePoint { day, date: format!("2026-11-{day:02}"), share: Some(share), interval: Some(interval), decided: 100 }
    }

    #[test]
    fn curves_stay_in_the_plot_and_one_day_is_a_point() {
        let points: Vec<RatePoint> = (1..=12).map(|day| point(day, 0.6, 1.2 / f64::from(day))).collect();
        let of = Rate { of: "a<b".into(), against: "\"c\"".into(), points, since: Some(9), contradicted: None };
        let svg = rate(&of, false).into_string();
        assert!(svg.contains("a&lt;b") && !svg.contains("a<b") && svg.contains("&quot;c&quot;"), "{svg}");
        assert!(svg.contains(">decided</text>") && svg.contains(">60.0%</text>"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        let heights = svg.split(' ').filter_map(|part| part.split_once(',')?.1.trim_matches('"').parse::<f64>().ok());
        assert!(
            heights.clone().count() > 20
                && heights.into_iter().all(|y| (-0.2 * HEIGHTS[0]..=1.2 * HEIGHTS[0]).contains(&y))
        );
        let one = rate(&Rate { points: of.points[..1].to_vec(), ..of.clone() }, true).into_string();
        assert!(
            one.contains("class=\"whisker\"") && one.contains("class=\"dot\"") && !one.contains("polyline"),
            "{one}"
        );
        let nothing = Rate { points: Vec::new(), ..of };
        assert_eq!(rate(&nothing, true).into_string(), "");
    }

    #[test]
    fn the_axis_holds_the_last_interval() {
        for around in [0.004, 0.03, 0.08, 0.2, 0.49] {
            let points = [point(1, 0.5, 0.5), point(2, 0.5, around), point(3, 0.5, around)];
            assert!(reach(&points) >= around && reach(&points) <= (4.0 * around).max(0.02), "{around}");
        }
    }
}
