//! A difference after each day, such as in value per unit, with its confidence sequence.

use maud::{Markup, html};

use super::rate::{STRETCHED, clipped};
use super::{dates, x_position};
use crate::model::{Course, CoursePoint};
use crate::text::{number, short_date};

/// The chart, as wide as its place.
pub(crate) fn difference(course: &Course, height: f64) -> Markup {
    plot(course, height, STRETCHED)
}

/// The chart. Its axis is symmetric about 0. Curves are drawn in a box of this height and width, which takes the width of its place.
pub(crate) fn plot(course: &Course, height: f64, width: f64) -> Markup {
    let points = &course.points;
    let (Some(first_point), Some(last_point)) = (points.first(), points.last()) else { return html! {} };
    let reach = vertical_reach(points);
    let days = f64::from(last_point.day - first_point.day);
    let x = |point: &CoursePoint| if days > 0.0 { f64::from(point.day - first_point.day) / days } else { 0.5 };
    let y = |value: f64| height / 2.0 * (1.0 - value / reach);
    let coordinates = |&(position, value): &(f64, f64)| format!("{},{}", number(width * position), number(y(value)));
    let edge = |end: fn((f64, f64)) -> f64| {
        let interval_points: Vec<(f64, f64)> =
            points.iter().filter_map(|point| Some((x(point), end(point.interval?)))).collect();
        clipped(&interval_points, [-reach, reach]).points
    };
    let (lower, upper) = (edge(|(low, _)| low), edge(|(_, high)| high));
    let band: Vec<String> = upper.iter().chain(lower.iter().rev()).map(coordinates).collect();
    let line: Vec<String> =
        points.iter().map(|point| coordinates(&(x(point), point.difference.clamp(-reach, reach)))).collect();
    let decided = course.since.and_then(|day| points.iter().find(|point| point.day == day));
    let dated_points: Vec<(f64, &str)> = points.iter().map(|point| (x(point), point.date.as_str())).collect();
    html! {
        svg.plot role="img" aria-label=(description(course)) width="100%" height=(height) {
            @for fraction in [1.0, 0.5, 0.0, -0.5, -1.0] {
                @let tick = fraction * reach;
                line class=(if fraction == 0.0 { "tie" } else { "grid" }) x1="0" x2="100%" y1=(number(y(tick))) y2=(number(y(tick))) {}
                text.tick x="0" dx="-8" y=(number(y(tick))) dy="4" text-anchor="end" { (number(tick)) }
            }
            @if points.len() > 1 {
                svg.box width="100%" height=(height) viewBox={ "0 0 " (number(width)) " " (height) } preserveAspectRatio="none" {
                    polygon.band points=(band.join(" ")) {}
                    polyline.curve points=(line.join(" ")) vector-effect="non-scaling-stroke" {}
                }
            } @else if let Some((low, high)) = first_point.interval {
                line.whisker x1="50%" x2="50%" y1=(number(y(high.min(reach)))) y2=(number(y(low.max(-reach)))) {}
            }
            @if let Some(point) = decided {
                @let is_late = x(point) > 0.5;
                line.mark x1=(x_position(x(point))) x2=(x_position(x(point))) y1="0" y2=(height) {}
                text.mark x=(x_position(x(point))) dx=(if is_late { "-6" } else { "6" }) y="12" text-anchor=(if is_late { "end" } else { "start" }) {
                    "decided " (short_date(&point.date))
                }
            }
            circle.dot cx=(x_position(x(last_point))) cy=(number(y(last_point.difference.clamp(-reach, reach)))) r="4" {}
            @for (position, date) in dates(&dated_points) {
                text.tick x=(x_position(position)) y=(height + 18.0) text-anchor="middle" { (date) }
            }
        }
    }
}

/// The extent of the axis from 0: it includes the last difference and interval, and most of those in the middle of the time.
fn vertical_reach(points: &[CoursePoint]) -> f64 {
    let end_distance = |point: &CoursePoint| point.interval.map_or(0.0, |(low, high)| high.max(-low));
    let last_distance = points.iter().rev().find(|point| point.interval.is_some()).map_or(0.0, end_distance);
    let later_distances = points[points.len() / 2..].iter().map(|point| point.difference.abs());
    let min_reach = later_distances.fold(last_distance, f64::max).max(1e-6);
    // The next of 1, 2, 5, 10, 20, 50 and so on.
    let mut step = 1e-6;
    loop {
        if let Some(rounded) = [1.0, 2.0, 5.0].into_iter().map(|digit| digit * step).find(|reach| *reach >= min_reach) {
            return rounded;
        }
        step *= 10.0;
    }
}

/// A text alternative for the chart.
fn description(course: &Course) -> String {
    let last_sentence = course.points.last().map_or_else(String::new, |point| {
        let interval = point.interval.map_or_else(
            || "no interval".to_owned(),
            |(low, high)| format!("between {} and {}", number(low), number(high)),
        );
        format!(": {} after {}, {interval}", number(point.difference), point.date)
    });
    format!("{}{last_sentence}", course.title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_holds_what_is_known_in_the_end() {
        let point =
            |day, difference, interval| CoursePoint { day, date: format!("2026-01-0{day}"), difference, interval };
        let points =
            vec![point(1, -900.0, None), point(2, 40.0, Some((-300.0, 400.0))), point(3, 30.0, Some((5.0, 61.0)))];
        assert_eq!(vertical_reach(&points), 100.0);
        let course = Course { title: "Value".to_owned(), points, since: Some(3) };
        let text = difference(&course, 200.0).into_string();
        assert!(text.contains("decided") && text.contains("Value: 30 after 2026-01-03, between 5 and 61"), "{text}");
        let places = text.split("points=\"").skip(1).flat_map(|part| part.split('"').next().unwrap().split(' '));
        let heights = places.map(|place| place.split(',').nth(1).unwrap().parse::<f64>().unwrap());
        assert!(heights.into_iter().all(|height| (0.0..=200.0).contains(&height)), "{text}");
    }
}
