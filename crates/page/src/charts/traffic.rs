//! Traffic of rankers: lists per day, stacked by ranker.

use maud::{Markup, html};

use super::{dates, x_position};
use crate::model::{Traffic, TrafficDay};
use ranktypes::text::with_unit;

use crate::text::{nice_step, number};

/// The height of the plot, in pixels.
const HEIGHT: f64 = 160.0;
/// The most bars; days beyond are added up in groups.
const BARS: usize = 60;
/// The number of colours: further rankers share one.
const COLORS: usize = 7;

/// A bar: a day, or several.
struct Bar {
    first_date: String,
    lists: Vec<u64>,
}

/// The rankers that have a colour of their own, by place, and whether others share the last. The busiest come first if there are
/// too many.
pub(crate) fn grouped_rankers(traffic: &Traffic) -> (Vec<usize>, bool) {
    let count = traffic.rankers.len();
    if count <= COLORS {
        return ((0..count).collect(), false);
    }
    let total = |ranker: usize| traffic.days.iter().filter_map(|day| day.lists.get(ranker)).sum::<u64>();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&ranker| (std::cmp::Reverse(total(ranker)), ranker));
    order.truncate(COLORS - 1);
    (order, true)
}

/// The chart.
pub(crate) fn traffic(traffic: &Traffic) -> Markup {
    let (shown_rankers, has_others) = grouped_rankers(traffic);
    let bars = bars(&traffic.days, &shown_rankers, has_others);
    let largest_total = bars.iter().map(|bar| bar.lists.iter().sum::<u64>()).max().unwrap_or(0);
    if largest_total == 0 {
        return html! {};
    }
    let top =
        nice_step(largest_total as f64 / 4.0) * (largest_total as f64 / nice_step(largest_total as f64 / 4.0)).ceil();
    let step = nice_step(largest_total as f64 / 4.0);
    let y = |count: f64| HEIGHT * (1.0 - count / top);
    let slot = 1.0 / bars.len() as f64;
    let bar_width = slot * if bars.len() == 1 { 0.3 } else { 0.8 };
    let middle = |index: usize| (index as f64 + 0.5) * slot;
    let dated_bars: Vec<(f64, &str)> =
        bars.iter().enumerate().map(|(index, bar)| (middle(index), bar.first_date.as_str())).collect();
    let ticks = (0_u32..).map(|n| f64::from(n) * step).take_while(|tick| *tick <= top);
    html! {
        svg.plot role="img" aria-label=(description(traffic)) width="100%" height=(HEIGHT) {
            @for tick in ticks {
                line class=(if tick == 0.0 { "zero" } else { "grid" }) x1="0" x2="100%" y1=(number(y(tick))) y2=(number(y(tick))) {}
                text.tick x="0" dx="-8" y=(number(y(tick))) dy="4" text-anchor="end" { (short_count(tick)) }
            }
            @for (index, bar) in bars.iter().enumerate() {
                @for (color, low, high) in stacked(&bar.lists) {
                    rect class={ "c" (color) } x=(x_position(middle(index) - bar_width / 2.0)) width=(x_position(bar_width))
                        y=(number(y(high))) height=(number((y(low) - y(high) - if low > 0.0 { 1.0 } else { 0.0 }).max(0.0))) {}
                }
            }
            @for (position, date) in dates(&dated_bars) {
                text.tick x=(x_position(position)) y=(HEIGHT + 18.0) text-anchor="middle" { (date) }
            }
        }
    }
}

/// The parts of a bar from the bottom up: colour, lower and upper end.
fn stacked(lists: &[u64]) -> impl Iterator<Item = (usize, f64, f64)> + '_ {
    let mut sum = 0.0;
    lists.iter().enumerate().filter(|(_, count)| **count > 0).map(move |(color, &count)| {
        let low = sum;
        sum += count as f64;
        (color, low, sum)
    })
}

fn bars(days: &[TrafficDay], shown_rankers: &[usize], has_others: bool) -> Vec<Bar> {
    let (Some(first_day), Some(last_day)) = (days.first(), days.last()) else { return Vec::new() };
    let span = (last_day.day - first_day.day + 1).max(1) as usize;
    let per_bar = span.div_ceil(BARS);
    let colors = shown_rankers.len() + usize::from(has_others);
    let count = span.div_ceil(per_bar);
    let mut bars: Vec<Bar> = (0..count).map(|_| Bar { first_date: String::new(), lists: vec![0; colors] }).collect();
    for day in days {
        let bar = &mut bars[(day.day - first_day.day) as usize / per_bar];
        if bar.first_date.is_empty() {
            bar.first_date.clone_from(&day.date);
        }
        for (ranker, lists) in day.lists.iter().enumerate() {
            let color = shown_rankers.iter().position(|known| *known == ranker).unwrap_or(colors - 1);
            bar.lists[color] += lists;
        }
    }
    bars
}

/// `1.2k`.
fn short_count(count: f64) -> String {
    if count < 1000.0 { number(count) } else { format!("{}k", number(count / 1000.0)) }
}

fn description(traffic: &Traffic) -> String {
    let total: u64 = traffic.days.iter().map(|day| day.asked).sum();
    let unit = if traffic.are_hours { "hour" } else { "day" };
    format!(
        "Lists shown per {unit}, by ranker: {} in {}",
        with_unit(total, "impression"),
        with_unit(traffic.days.len() as u64, unit)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(day: i32, lists: Vec<u64>) -> TrafficDay {
        TrafficDay { day, date: format!("2026-11-{:02}", day % 28 + 1), asked: lists.iter().sum(), clicked: 1, lists }
    }

    #[test]
    fn many_days_and_many_rankers_are_added_up() {
        let names: Vec<String> = (0..20).map(|n| format!("r{n}")).collect();
        let days: Vec<TrafficDay> = (0..400).filter(|n| n % 7 != 3).map(|n| day(n, (0..20).collect())).collect();
        let all: u64 = days.iter().flat_map(|day| &day.lists).sum();
        let of = Traffic { rankers: names, days, is_going_on: true, are_hours: false };
        let (own, has_others) = grouped_rankers(&of);
        assert_eq!((own, has_others), (vec![19, 18, 17, 16, 15, 14], true));
        let found = bars(&of.days, &[19, 18, 17, 16, 15, 14], true);
        assert!(found.len() <= BARS);
        assert_eq!(found.iter().flat_map(|bar| &bar.lists).sum::<u64>(), all);
        let svg = traffic(&of).into_string();
        assert!(!svg.contains("NaN") && svg.matches("<rect").count() <= COLORS * BARS);
        assert_eq!(traffic(&Traffic::default()).into_string(), "");
    }
}
