//! Traffic over time: impressions, and lists shown by ranker.

use maud::{Markup, html};
use ranktypes::text::with_separators;

use super::as_table;
use crate::charts;
use crate::model::Overview;
use crate::text::{percent, share_of};

pub(super) fn traffic(overview: &Overview) -> Markup {
    let Some(traffic) = &overview.traffic else { return html! {} };
    let (charted_rankers, has_others) = charts::grouped_rankers(traffic);
    let total = |ranker: usize| traffic.days.iter().filter_map(|day| day.lists.get(ranker)).sum::<u64>();
    let total_lists: u64 = (0..traffic.rankers.len()).map(total).sum();
    let of_others = total_lists - charted_rankers.iter().map(|ranker| total(*ranker)).sum::<u64>();
    let share = |count: u64| share_of(count, total_lists).map_or("–".to_owned(), percent);
    let unit = if traffic.are_hours { "hour" } else { "day" };
    let mut head = vec![if traffic.are_hours { "Hour" } else { "Day" }, "Impressions", "Clicked"];
    head.extend(charted_rankers.iter().map(|ranker| traffic.rankers[*ranker].as_str()));
    if has_others {
        head.push("others");
    }
    let rows = traffic.days.iter().map(|day| {
        let clicked = share_of(day.clicked, day.asked).map_or("–".to_owned(), percent);
        let mut row = vec![day.date.clone(), with_separators(day.asked), clicked];
        row.extend(charted_rankers.iter().map(|ranker| with_separators(day.lists.get(*ranker).copied().unwrap_or(0))));
        if has_others {
            let charted_lists: u64 = charted_rankers.iter().filter_map(|ranker| day.lists.get(*ranker)).sum();
            row.push(with_separators(day.lists.iter().sum::<u64>() - charted_lists));
        }
        row
    });
    html! {
        @if total_lists > 0 {
            h2 { "Traffic" }
            p.about { "Lists shown per " (unit) ", mixed with others or alone." @if traffic.is_going_on { " The last " (unit) " is not over." } }
            figure {
                ul.legend {
                    @for (color, ranker) in charted_rankers.iter().enumerate() {
                        li { span class={ "key c" (color) } aria-hidden="true" {} (traffic.rankers[*ranker]) " " span.muted { (share(total(*ranker))) } }
                    }
                    @if has_others {
                        li { span class={ "key c" (charted_rankers.len()) } aria-hidden="true" {} (traffic.rankers.len() - charted_rankers.len()) " others " span.muted { (share(of_others)) } }
                    }
                }
                div.chart { (charts::traffic(traffic)) }
                (as_table(&format!("Impressions and lists shown per {unit}"), "traffic-table", &head, rows))
            }
        }
    }
}
