//! An overview piece by piece, so that a server can send the pieces that changed.

mod effect;
mod fates;
mod headline;
mod measures;
mod pairs;
mod rates;
mod segments;
mod traffic;

use maud::{Markup, PreEscaped, html};

use crate::model::{Controls, Overview};

pub(crate) use self::headline::{figures, headline, warnings};

/// A piece of an overview: the content of the section with this id, or nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The section.
    pub id: &'static str,
    /// Its content, as HTML.
    pub html: String,
}

/// The position of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Top,
    Wide,
    Narrow,
    Bottom,
}

/// The part that differs from reader to reader.
const CONTROLS: &str = "controls";

/// Renders a part.
type Make = fn(&Overview) -> Markup;

/// All parts in the order of the page.
const PARTS: [(&str, Place, Make); 16] = [
    ("headline", Place::Top, headline::headline),
    ("warnings", Place::Top, headline::warnings),
    (CONTROLS, Place::Top, headline::controls),
    ("figures", Place::Top, headline::figures),
    ("measures", Place::Wide, measures::measures),
    ("rates", Place::Wide, rates::rates),
    ("effect", Place::Wide, effect::effect),
    ("pairs", Place::Wide, pairs::pairs),
    ("segments", Place::Wide, segments::segments),
    ("matrix", Place::Wide, pairs::matrix),
    ("changes", Place::Wide, fates::changes),
    ("deliveries", Place::Wide, fates::deliveries),
    ("traffic", Place::Narrow, traffic::traffic),
    ("fates", Place::Narrow, fates::fates),
    ("guardrails", Place::Narrow, fates::guardrails),
    ("latency", Place::Narrow, fates::latency),
];

/// The last one, which is not for a glance.
const DETAILS: (&str, Place, Make) = ("details", Place::Bottom, fates::details);

/// The part that is made from all others: the meaning of their words.
const WORDS: (&str, Place) = ("words", Place::Bottom);

fn all_parts() -> impl Iterator<Item = (&'static str, Place, Make)> {
    PARTS.into_iter().chain([DETAILS])
}

fn all() -> impl Iterator<Item = (&'static str, Place)> {
    all_parts().map(|(id, place, _)| (id, place)).chain([WORDS])
}

impl Overview {
    /// The parts of the page, in its order; those without content are empty.
    #[must_use]
    pub fn parts(&self) -> Vec<Section> {
        let mut parts: Vec<Section> =
            all_parts().map(|(id, _, make)| Section { id, html: make(self).into_string() }).collect();
        parts.push(Section { id: WORDS.0, html: fates::words(&parts).into_string() });
        parts
    }
}

impl Section {
    /// The part with the controls of a reader. It contains secrets of this reader.
    #[must_use]
    pub fn controls(experiment: &str, controls: &Controls) -> Self {
        Self { id: CONTROLS, html: headline::controls_of(experiment, controls).into_string() }
    }
}

/// The body of the page: every part in its place.
pub(crate) fn body(parts: &[Section]) -> Markup {
    let html_of = |id: &str| parts.iter().find(|part| part.id == id).map_or("", |part| part.html.as_str());
    // Two rankers have few guardrails, and room for them below their only pair.
    let are_few = html_of("matrix").is_empty();
    let place_of = |id: &str, place: Place| if id == "guardrails" && are_few { Place::Wide } else { place };
    let of = |place: Place| {
        html! {
            @for (id, _) in all().filter(|(id, found)| place_of(id, *found) == place) {
                @if id == "headline" {
                    section.part id=(id) aria-live="polite" aria-atomic="true" { (PreEscaped(html_of(id))) }
                } @else {
                    section.part id=(id) { (PreEscaped(html_of(id))) }
                }
            }
        }
    };
    html! {
        (of(Place::Top))
        div.columns {
            div.wide { (of(Place::Wide)) }
            div.narrow { (of(Place::Narrow)) }
        }
        (of(Place::Bottom))
    }
}

/// A table with the numbers of a chart, folded.
fn as_table(caption: &str, id: &str, head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Markup {
    html! {
        details.data id=(id) {
            summary { "As a table" }
            div.scroll tabindex="0" role="region" aria-label=(caption) {
                table {
                    caption { (caption) }
                    thead { tr { @for name in head { th scope="col" { (name) } } } }
                    tbody {
                        @for row in rows {
                            tr {
                                @for (at, cell) in row.iter().enumerate() {
                                    @if at == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
