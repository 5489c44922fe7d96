//! The share of wins after each day, with its confidence sequence.

use maud::{Markup, html};

use super::{dates, x_position};
use crate::model::{Rate, RatePoint};
use ranktypes::text::with_unit;

use crate::text::{number, percent, range, short_date};

/// The height of one plot among several, and of one alone, in pixels.
pub(crate) const HEIGHTS: [f64; 2] = [200.0, 300.0];
/// Possible extents of the axis to both sides of one half.
const REACHES: [f64; 6] = [0.02, 0.05, 0.1, 0.2, 0.3, 0.5];
/// The width of the box of curves where the plot takes the width of its place: the box is stretched.
pub(super) const STRETCHED: f64 = 1000.0;
/// The explanation of the chart.
pub(crate) const ABOUT: [&str; 2] = [
    "Share of wins among units that preferred a side, after each day, with its confidence sequence.",
    "The dashed line in the middle is a tie.",
];
/// The explanation of the mark of a cut band.
pub(crate) const CUT: &str = "Where the band ends in a dashed edge, it goes on beyond the axis.";

/// The chart, as wide as its place. One that stands alone is higher.
pub(crate) fn rate(rate: &Rate, is_alone: bool) -> Markup {
    plot(rate, HEIGHTS[usize::from(is_alone)], STRETCHED)
}

/// The chart. Its axis is symmetric about one half. Early intervals may be wider than the axis: there, the band ends in a dashed edge.
/// Curves are drawn in a box of this height and width, which takes the width of its place.
pub(crate) fn plot(rate: &Rate, height: f64, width: f64) -> Markup {
    let points = &rate.points;
    let (Some(first_point), Some(last_point)) = (points.first(), points.last()) else { return html! {} };
    let reach = vertical_reach(points);
    let x = x_of_day(points);
    let y = |share: f64| height / 2.0 * (1.0 - (share - 0.5) / reach);
    let coordinates = |(position, share): &(f64, f64)| format!("{},{}", number(width * position), number(y(*share)));
    let [lower, upper] = interval_edges(points, reach);
    let band: Vec<String> = upper.points.iter().chain(lower.points.iter().rev()).map(coordinates).collect();
    let line: Vec<String> = points.iter().filter_map(|point| Some(coordinates(&(x(point), point.share?)))).collect();
    let ticks = [1.0, 0.5, 0.0, -0.5, -1.0].map(|part| 0.5 + part * reach);
    let decimals = usize::from(ticks.iter().any(|tick| (100.0 * tick - (100.0 * tick).round()).abs() > 1e-9));
    let decided = rate.since.and_then(|day| points.iter().find(|point| point.day == day));
    let dated_points: Vec<(f64, &str)> = points.iter().map(|point| (x(point), point.date.as_str())).collect();
    html! {
        svg.plot role="img" aria-label=(description(rate)) width="100%" height=(height) {
            @for tick in ticks {
                line class=(if tick == 0.5 { "tie" } else { "grid" }) x1="0" x2="100%" y1=(number(y(tick))) y2=(number(y(tick))) {}
                text.tick x="0" dx="-8" y=(number(y(tick))) dy="4" text-anchor="end" { (format!("{:.decimals$}%", 100.0 * tick)) }
            }
            @if points.len() > 1 {
                svg.box width="100%" height=(height) viewBox={ "0 0 " (number(width)) " " (height) } preserveAspectRatio="none" {
                    polygon.band points=(band.join(" ")) {}
                    polyline.curve points=(line.join(" ")) vector-effect="non-scaling-stroke" {}
                }
                @for cut in lower.cuts.iter().chain(&upper.cuts) {
                    line.cut x1=(x_position(cut.from_position)) x2=(x_position(cut.to_position)) y1=(number(y(cut.border))) y2=(number(y(cut.border))) {}
                }
            } @else if let Some((low, high)) = first_point.interval {
                line.whisker x1="50%" x2="50%" y1=(number(y(high))) y2=(number(y(low))) {}
            }
            @if let Some(point) = decided {
                @let is_late = x(point) > 0.5;
                line.mark x1=(x_position(x(point))) x2=(x_position(x(point))) y1="0" y2=(height) {}
                text.mark x=(x_position(x(point))) dx=(if is_late { "-6" } else { "6" }) y="12" text-anchor=(if is_late { "end" } else { "start" }) {
                    "decided " (short_date(&point.date))
                }
            }
            @if let Some(share) = last_point.share {
                circle.dot cx=(x_position(x(last_point))) cy=(number(y(share))) r="4" {}
                text.value x=(x_position(x(last_point))) dx="9" y=(number(y(share))) dy="4" { (percent(share)) }
            }
            @for (position, date) in dates(&dated_points) {
                text.tick x=(x_position(position)) y=(height + 18.0) text-anchor="middle" { (date) }
            }
        }
    }
}

/// Whether the band of a chart is wider than its axis somewhere.
pub(crate) fn is_cut(rate: &Rate) -> bool {
    rate.points.len() > 1
        && interval_edges(&rate.points, vertical_reach(&rate.points)).iter().any(|edge| !edge.cuts.is_empty())
}

/// Where days are across, from 0 to 1.
fn x_of_day(points: &[RatePoint]) -> impl Fn(&RatePoint) -> f64 {
    let first_day = points.first().map_or(0, |point| point.day);
    let days = points.last().map_or(0.0, |last| f64::from(last.day - first_day));
    move |point| if days > 0.0 { f64::from(point.day - first_day) / days } else { 0.5 }
}

/// An edge of the band within the axis: places across and shares.
pub(super) struct Edge {
    pub(super) points: Vec<(f64, f64)>,
    cuts: Vec<Cut>,
}

/// A piece of the border of the plot at which the band is cut off.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cut {
    from_position: f64,
    to_position: f64,
    border: f64,
}

/// The lower and the upper edge of the band. It ends where no share fits all days, or nothing is claimed.
fn interval_edges(points: &[RatePoint], reach: f64) -> [Edge; 2] {
    let x = x_of_day(points);
    let edge_of = |end: fn((f64, f64)) -> f64| {
        let edge: Vec<(f64, f64)> = points.iter().filter_map(|point| Some((x(point), end(point.interval?)))).collect();
        clipped(&edge, [0.5 - reach, 0.5 + reach])
    };
    [edge_of(|(low, _)| low), edge_of(|(_, high)| high)]
}

/// An edge between two borders: it leaves the plot exactly where it crosses one, and follows the border until it returns.
pub(super) fn clipped(edge: &[(f64, f64)], [min, max]: [f64; 2]) -> Edge {
    let mut points: Vec<(f64, f64)> = edge.first().map(|&(x, share)| (x, share.clamp(min, max))).into_iter().collect();
    let mut cuts: Vec<Cut> = Vec::new();
    for pair in edge.windows(2) {
        let ((start, value_before), (end, value_after)) = (pair[0], pair[1]);
        let point_at = |part: f64| match part {
            1.0 => (end, value_after),
            _ => (start + part * (end - start), value_before + part * (value_after - value_before)),
        };
        let mut stops = vec![0.0, 1.0];
        stops.extend(
            [min, max]
                .map(|border| (border - value_before) / (value_after - value_before))
                .iter()
                .filter(|part| **part > 0.0 && **part < 1.0),
        );
        stops.sort_by(f64::total_cmp);
        for segment in stops.windows(2) {
            let ((from_position, _), (to_position, share)) = (point_at(segment[0]), point_at(segment[1]));
            points.push((to_position, share.clamp(min, max)));
            let (_, middle) = point_at((segment[0] + segment[1]) / 2.0);
            if (min..=max).contains(&middle) {
                continue;
            }
            let border = middle.clamp(min, max);
            match cuts.last_mut().filter(|last| last.to_position == from_position && last.border == border) {
                Some(last) => last.to_position = to_position,
                None => cuts.push(Cut { from_position, to_position, border }),
            }
        }
    }
    Edge { points, cuts }
}

/// The least reach that holds the curve, the last interval, and most of the interval in the middle of the time.
fn vertical_reach(points: &[RatePoint]) -> f64 {
    let distance_of_point = |point: &RatePoint| point.interval.map_or(0.0, distance);
    let last_point = points.iter().rev().find(|point| point.interval.is_some());
    let min_reach = last_point
        .map_or(0.02, distance_of_point)
        .max(points.get(points.len() / 2).map_or(0.0, |point| 0.75 * distance_of_point(point)));
    let shares = points.iter().filter_map(|point| point.share).map(|share| distance((share, share)));
    round_up(shares.fold(min_reach, f64::max))
}

/// The distance of an interval's farther end from one half.
pub(super) fn distance((low, high): (f64, f64)) -> f64 {
    (high - 0.5).max(0.5 - low)
}

/// The least reach of an axis that is at least `needed`.
pub(super) fn round_up(needed: f64) -> f64 {
    REACHES.into_iter().find(|reach| *reach >= needed).unwrap_or(0.5)
}

/// A text alternative for the chart.
fn description(rate: &Rate) -> String {
    let Rate { of, against, points, .. } = rate;
    let last_sentence = points.last().map_or_else(String::new, |point| {
        let share = point.share.map_or("unknown".to_owned(), percent);
        format!(": {share} after {}, confidence sequence {}", point.date, range(point.interval))
    });
    let reach = vertical_reach(points);
    let wider = points.iter().filter(|point| point.interval.is_some_and(|interval| distance(interval) > reach)).count();
    let cut = match wider {
        0 => String::new(),
        _ => format!("; on {wider} of {} it is wider than the axis", with_unit(points.len() as u64, "day")),
    };
    format!("Share of wins of {of} against {against} by day{last_sentence}{cut}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(day: i32, share: f64, around: f64) -> RatePoint {
        let interval = ((share - around).max(0.0), (share + around).min(1.0));
        RatePoint { day, date: format!("2026-11-{day:02}"), share: Some(share), interval: Some(interval), decided: 100 }
    }

    /// The band is wider than the axis on the first two of twelve days.
    fn narrowing() -> Rate {
        let around = |day: i32| [0.5, 0.3].get(day as usize - 1).copied().unwrap_or(0.1);
        let points: Vec<RatePoint> = (1..=12).map(|day| point(day, 0.5, around(day))).collect();
        Rate { of: "a<b".into(), against: "\"c\"".into(), points, since: Some(9), contradicted: None }
    }

    #[test]
    fn curves_stay_in_the_plot_and_one_day_is_a_point() {
        let of = narrowing();
        let svg = rate(&of, false).into_string();
        assert!(svg.contains("a&lt;b") && !svg.contains("a<b") && svg.contains("&quot;c&quot;"), "{svg}");
        assert!(svg.contains(">decided 9 Nov</text>") && svg.contains(">50.0%</text>"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        let heights = svg.split(' ').filter_map(|part| part.split_once(',')?.1.trim_matches('"').parse::<f64>().ok());
        assert!(heights.clone().count() > 20 && heights.into_iter().all(|y| (0.0..=HEIGHTS[0]).contains(&y)), "{svg}");
        let one = rate(&Rate { points: of.points[..1].to_vec(), ..of.clone() }, true).into_string();
        assert!(
            one.contains("class=\"whisker\"") && one.contains("class=\"dot\"") && !one.contains("polyline"),
            "{one}"
        );
        assert!(!one.contains("class=\"cut\"") && !one.contains("wider than the axis"), "{one}");
        let nothing = Rate { points: Vec::new(), ..of };
        assert_eq!(rate(&nothing, true).into_string(), "");
    }

    #[test]
    fn a_band_that_is_cut_is_marked_and_said_and_no_other_is() {
        let of = narrowing();
        assert_eq!(vertical_reach(&of.points), 0.1);
        let edge = |border| vec![Cut { from_position: 0.0, to_position: 2.0 / 11.0, border }];
        assert_eq!(interval_edges(&of.points, 0.1).map(|edge| edge.cuts), [edge(0.4), edge(0.6)]);
        let svg = rate(&of, false).into_string();
        assert!(is_cut(&of) && svg.matches("class=\"cut\"").count() == 2, "{svg}");
        assert!(svg.contains("; on 2 of 12 days it is wider than the axis"), "{svg}");
        let narrow = Rate { points: (1..=12).map(|day| point(day, 0.55, 0.04)).collect(), ..of };
        let svg = rate(&narrow, false).into_string();
        assert!(!is_cut(&narrow) && !svg.contains("class=\"cut\"") && !svg.contains("wider than the axis"), "{svg}");
    }

    #[test]
    fn edges_are_cut_exactly_at_the_borders() {
        let found = clipped(&[(0.0, 1.0), (0.5, 0.0), (1.0, 0.5)], [0.25, 0.75]);
        assert_eq!(found.points, [(0.0, 0.75), (0.125, 0.75), (0.375, 0.25), (0.5, 0.25), (0.75, 0.25), (1.0, 0.5)]);
        let cut = |from, to, border| Cut { from_position: from, to_position: to, border };
        assert_eq!(found.cuts, [cut(0.0, 0.125, 0.75), cut(0.375, 0.75, 0.25)]);
        // Along a border is within.
        assert!(clipped(&[(0.0, 0.75), (1.0, 0.75)], [0.25, 0.75]).cuts.is_empty());
        assert!(clipped(&[], [0.25, 0.75]).points.is_empty());
    }

    #[test]
    fn the_axis_holds_the_last_interval() {
        for around in [0.004, 0.03, 0.08, 0.2, 0.49] {
            let points = [point(1, 0.5, 0.5), point(2, 0.5, around), point(3, 0.5, around)];
            assert!(
                vertical_reach(&points) >= around && vertical_reach(&points) <= (4.0 * around).max(0.02),
                "{around}"
            );
        }
    }
}
