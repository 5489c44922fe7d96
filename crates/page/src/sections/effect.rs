//! The additional clicks.

use maud::{Markup, html};

use crate::effect::Effect;
use crate::model::Overview;

pub(super) fn effect(overview: &Overview) -> Markup {
    let Some(Effect { ahead, behind, rows }) = &overview.effect else { return html! {} };
    html! {
        h2 { "Clicks on each side" }
        p.about {
            "On the documents that mixed lists credit to each ranker, with confidence sequences: not what a test of one list against \
             the other would show."
        }
        div.scroll tabindex="0" role="region" aria-label="Clicks on each side" {
            table {
                caption.hidden { "Clicks on documents of " (ahead) " and of " (behind) ", and how many more" }
                thead { tr {
                    td {}
                    th scope="col" { (ahead) } th scope="col" { (behind) } th scope="col" { "Difference" }
                } }
                tbody {
                    @for row in rows {
                        tr {
                            th scope="row" { (row.what) }
                            td.number { (row.ahead) }
                            td.number { (row.behind) }
                            td { (row.more) small { (row.interval) } }
                        }
                    }
                }
            }
        }
    }
}
