//! Win rates over time, and traffic over time.

use maud::{Markup, html};

use super::as_table;
use crate::charts;
use crate::model::{Overview, Rate};
use crate::words;
use ranktypes::text::with_separators;

use crate::text::{percent, range, share_of};

pub(super) fn rates(overview: &Overview) -> Markup {
    html! {
        @if !overview.rates.is_empty() {
            h2 { "Win rate" }
            p.about {
                (words::linked(&charts::ABOUT.join(" ")))
                @if overview.rates.iter().any(charts::is_cut) { " " (charts::CUT) }
            }
            div class=(if overview.rates.len() > 1 { "multiples" } else { "single" }) {
                @for (at, rate) in overview.rates.iter().enumerate() { (one(rate, at, overview.rates.len() == 1)) }
            }
        }
    }
}

fn one(rate: &Rate, at: usize, is_alone: bool) -> Markup {
    let caption = format!("Share of wins of {} against {}", rate.of, rate.against);
    html! {
        figure {
            figcaption {
                span.key aria-hidden="true" {}
                strong { (rate.of) } " against " strong { (rate.against) }
                @if let Some(contradicted) = &rate.contradicted { span.flag { (contradicted) } }
            }
            div.chart { (charts::rate(rate, is_alone)) }
            (as_table(&caption, &format!("rate-{at}"), &["Day", "Share", "Confidence sequence", "Units"], rate.points.iter().map(|point| {
                let share = point.share.map_or("–".to_owned(), percent);
                vec![point.date.clone(), share, range(point.interval), with_separators(point.decided)]
            })))
        }
    }
}

pub(super) fn traffic(overview: &Overview) -> Markup {
    let Some(traffic) = &overview.traffic else { return html! {} };
    let (own, has_others) = charts::grouped_rankers(traffic);
    let total = |ranker: usize| traffic.days.iter().filter_map(|day| day.lists.get(ranker)).sum::<u64>();
    let all: u64 = (0..traffic.rankers.len()).map(total).sum();
    let of_others = all - own.iter().map(|ranker| total(*ranker)).sum::<u64>();
    let share = |count: u64| share_of(count, all).map_or("–".to_owned(), percent);
    let unit = if traffic.are_hours { "hour" } else { "day" };
    let mut head = vec![if traffic.are_hours { "Hour" } else { "Day" }, "Impressions", "Clicked"];
    head.extend(own.iter().map(|ranker| traffic.rankers[*ranker].as_str()));
    if has_others {
        head.push("others");
    }
    let rows = traffic.days.iter().map(|day| {
        let clicked = share_of(day.clicked, day.asked).map_or("–".to_owned(), percent);
        let mut row = vec![day.date.clone(), with_separators(day.asked), clicked];
        row.extend(own.iter().map(|ranker| with_separators(day.lists.get(*ranker).copied().unwrap_or(0))));
        if has_others {
            let shown: u64 = own.iter().filter_map(|ranker| day.lists.get(*ranker)).sum();
            row.push(with_separators(day.lists.iter().sum::<u64>() - shown));
        }
        row
    });
    html! {
        @if all > 0 {
            h2 { "Traffic" }
            p.about { "Lists shown per " (unit) ", mixed with others or alone." @if traffic.is_going_on { " The last " (unit) " is not over." } }
            figure {
                ul.legend {
                    @for (color, ranker) in own.iter().enumerate() {
                        li { span class={ "key c" (color) } aria-hidden="true" {} (traffic.rankers[*ranker]) " " span.muted { (share(total(*ranker))) } }
                    }
                    @if has_others {
                        li { span class={ "key c" (own.len()) } aria-hidden="true" {} (traffic.rankers.len() - own.len()) " others " span.muted { (share(of_others)) } }
                    }
                }
                div.chart { (charts::traffic(traffic)) }
                (as_table(&format!("Impressions and lists shown per {unit}"), "traffic-table", &head, rows))
            }
        }
    }
}
