//! The measures of an experiment, and which of them decides.

use maud::{Markup, html};

use super::as_table;
use crate::charts;
use crate::glossary;
use crate::model::Overview;
use crate::text::number;

pub(super) fn measures(overview: &Overview) -> Markup {
    if overview.measures.is_empty() {
        return html! {};
    }
    html! {
        h2 { "Measures" }
        p.about { "One measure was named beforehand, and decides. The others stand beside it." }
        div.scroll tabindex="0" role="region" aria-label="Measures" {
            table {
                caption.hidden { "Measures, and what each says" }
                thead { tr { th scope="col" { "Measure" } th scope="col" { "What it says" } } }
                tbody {
                    @for measure in &overview.measures {
                        tr {
                            th scope="row" { (measure.name) @if measure.decides { small { "decides" } } }
                            td { (measure.says) }
                        }
                    }
                }
            }
        }
        @if !overview.courses.is_empty() {
            p.about { "The difference after each day on which units closed, with its " (glossary::with_term_links("confidence sequence")) "." }
        }
        @for (index, course) in overview.courses.iter().enumerate() {
            figure {
                figcaption { span.key aria-hidden="true" {} strong { (course.title) } }
                div.chart { (charts::difference(course, charts::HEIGHTS[0])) }
                (as_table(&course.title, &format!("course-{index}"), &["Day", "Difference", "Confidence sequence"], course.points.iter().map(|point| {
                    let interval = point.interval.map_or("–".to_owned(), |(low, high)| format!("{} to {}", number(low), number(high)));
                    vec![point.date.clone(), number(point.difference), interval]
                })))
            }
        }
    }
}
