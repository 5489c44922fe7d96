//! Fates of impressions, guardrails, latency, changes, and everything else.

use maud::{Markup, html};

use super::{Section, as_table};
use crate::charts;
use crate::glossary;
use crate::model::{CountKind, Guardrail, ImpressionCount, Latency, Overview};
use ranktypes::text::{with_separators, with_unit};

use crate::text::{percent, share_of};

pub(super) fn fates(overview: &Overview) -> Markup {
    let total: u64 = overview.fates.iter().map(|fate| fate.count).sum();
    html! {
        @if total > 0 {
            h2 { "What counts, and what was set aside" }
            p.about { (glossary::with_term_links("The fate of each impression.")) }
            table.fates {
                caption.hidden { "What became of " (with_unit(total, "impression")) }
                thead.hidden { tr { th scope="col" { "Fate" } th scope="col" { "Impressions" } th scope="col" { "Share" } } }
                tbody { @for fate in &overview.fates { (fate_row(fate, total)) } }
            }
        }
    }
}

fn fate_row(fate: &ImpressionCount, total: u64) -> Markup {
    let share = share_of(fate.count, total).unwrap_or(0.0);
    let class = match fate.kind {
        CountKind::Counts => "c0",
        CountKind::Open => "open",
        CountKind::Aside => "aside",
    };
    html! {
        tr {
            th scope="row" { (fate.name) small { (fate.meaning) } (charts::bar(share, class)) }
            td.number { (with_separators(fate.count)) }
            td.number { (percent(share)) }
        }
    }
}

pub(super) fn guardrails(overview: &Overview) -> Markup {
    html! {
        @if !overview.guardrails.is_empty() || overview.not_watched.is_some() {
            h2 { "Guardrails" }
            p.about { (glossary::with_term_links("Each guardrail compares a ranker with the champion.")) }
        }
        @if !overview.guardrails.is_empty() {
            table.guardrails {
                caption.hidden { "Rates of harm of each ranker beside the champion's" }
                thead { tr {
                    th scope="col" { "Ranker" } th scope="col" { "Rate" } th scope="col" { "Champion" } th scope="col" { "State" }
                } }
                tbody { @for rail in &overview.guardrails { (rail_row(rail)) } }
            }
        }
        @if let Some(sentence) = &overview.not_watched { p.about { (sentence) } }
    }
}

fn rail_row(rail: &Guardrail) -> Markup {
    let rate = |[of, bad]: [u64; 2]| share_of(bad, of).map_or("–".to_owned(), percent);
    html! {
        tr class=[rail.broken.is_some().then_some("broken")] {
            th scope="row" { (rail.ranker) small { (rail.what) } }
            td.number { (rate(rail.of_ranker)) small { "of " (with_separators(rail.of_ranker[0])) } }
            td.number { (rate(rail.of_champion)) small { "of " (with_separators(rail.of_champion[0])) } }
            td {
                @match &rail.broken {
                    Some(when) => { strong.bad { "✗ broken" } small { (when) } }
                    None => { span.fine { "✓ holds" } small { "may be " (percent(rail.margin)) " more" } }
                }
            }
        }
    }
}

pub(super) fn latency(overview: &Overview) -> Markup {
    let Some(Latency { about, buckets }) = &overview.latency else { return html! {} };
    let total: u64 = buckets.iter().map(|(_, count)| *count).sum();
    // The end of the bucket in which the answer of this rank is.
    let bound_of_share = |share: f64| {
        let rank = (share * total as f64).ceil() as u64;
        let mut sum = 0;
        buckets.iter().find(|(_, count)| {
            sum += count;
            sum >= rank
        })
    };
    html! {
        @if total > 0 {
            h2 { "Latency" }
            p.about {
                (about) " "
                @for (name, share) in [("half", 0.5), ("99%", 0.99), ("99.9%", 0.999)] {
                    @if let Some((end, _)) = bound_of_share(share) {
                        @if share > 0.5 { ", " }
                        (name) " within " strong { (end) }
                    }
                }
                "."
            }
            figure {
                div.chart { (charts::buckets(buckets, "How long answers took")) }
                (as_table("How long answers took", "latency-table", &["At most", "Answers"], buckets.iter().map(|(end, count)| {
                    vec![end.clone(), with_separators(*count)]
                })))
            }
        }
    }
}

pub(super) fn changes(overview: &Overview) -> Markup {
    html! {
        @if !overview.changes.is_empty() {
            h2 { "Last changes" }
            table.changes {
                caption.hidden { "What was changed, when, by whom and why" }
                thead.hidden { tr { th scope="col" { "When" } th scope="col" { "What" } th scope="col" { "By whom, and why" } } }
                tbody {
                    @for change in &overview.changes {
                        tr {
                            th scope="row" { time { (change.time) } }
                            td { (change.what) }
                            td { (change.who) @if !change.why.is_empty() { small { "“" (change.why) "”" } } }
                        }
                    }
                }
            }
        }
    }
}

pub(super) fn deliveries(overview: &Overview) -> Markup {
    html! {
        @if !overview.deliveries.is_empty() {
            h2 { "Messages sent" }
            table.changes {
                caption.hidden { "Messages about the experiment, and whether their receiver took them" }
                thead.hidden { tr { th scope="col" { "When" } th scope="col" { "What" } th scope="col" { "What became of it" } } }
                tbody {
                    @for delivery in &overview.deliveries {
                        tr {
                            th scope="row" { time { (delivery.time) } }
                            td { (delivery.what) }
                            td { @if delivery.is_failing { span.flag { (delivery.state) } } @else { (delivery.state) } }
                        }
                    }
                }
            }
        }
    }
}

pub(super) fn details(overview: &Overview) -> Markup {
    html! {
        @if !overview.report.is_empty() {
            details.data id="report" {
                summary { "The verdict in full" }
                div.report { @for line in &overview.report { p class=[line.starts_with(' ').then_some("indented")] { (line.trim()) } } }
            }
        }
        @if !overview.settings.is_empty() {
            details.data id="settings" {
                summary { "Settings" }
                dl.settings { @for (name, value) in &overview.settings { dt { (name) } dd { (value) } } }
            }
        }
    }
}

/// The words of the page that need a definition. `sections` are the other parts.
pub(super) fn words(sections: &[Section]) -> Markup {
    let terms = glossary::terms_used(sections.iter().map(|part| part.html.as_str()));
    html! {
        @if !terms.is_empty() {
            details.data.words id="word-list" {
                summary { "Words" }
                dl { @for term in terms { dt id=(term.anchor()) { (term.name) } dd { (term.meaning) } } }
            }
        }
    }
}
