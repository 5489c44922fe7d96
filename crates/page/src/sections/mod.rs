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

/// The position of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    Top,
    Wide,
    Narrow,
    Bottom,
}

/// The section that differs from reader to reader.
const CONTROLS: &str = "controls";

/// Renders a section.
type Make = fn(&Overview) -> Markup;

/// All sections in the order of the page.
const SECTIONS: [(&str, Position, Make); 16] = [
    ("headline", Position::Top, headline::headline),
    ("warnings", Position::Top, headline::warnings),
    (CONTROLS, Position::Top, headline::controls),
    ("figures", Position::Top, headline::figures),
    ("measures", Position::Wide, measures::measures),
    ("rates", Position::Wide, rates::rates),
    ("effect", Position::Wide, effect::effect),
    ("pairs", Position::Wide, pairs::pairs),
    ("segments", Position::Wide, segments::segments),
    ("matrix", Position::Wide, pairs::matrix),
    ("changes", Position::Wide, fates::changes),
    ("deliveries", Position::Wide, fates::deliveries),
    ("traffic", Position::Narrow, traffic::traffic),
    ("fates", Position::Narrow, fates::fates),
    ("guardrails", Position::Narrow, fates::guardrails),
    ("latency", Position::Narrow, fates::latency),
];

/// The last one, which is not for a glance.
const DETAILS: (&str, Position, Make) = ("details", Position::Bottom, fates::details);

/// The part that is made from all others: the meaning of their words.
const GLOSSARY: (&str, Position) = ("words", Position::Bottom);

fn all_parts() -> impl Iterator<Item = (&'static str, Position, Make)> {
    SECTIONS.into_iter().chain([DETAILS])
}

fn all() -> impl Iterator<Item = (&'static str, Position)> {
    all_parts().map(|(id, place, _)| (id, place)).chain([GLOSSARY])
}

impl Overview {
    /// The parts of the page, in its order; those without content are empty.
    #[must_use]
    pub fn parts(&self) -> Vec<Section> {
        let mut sections: Vec<Section> =
            all_parts().map(|(id, _, make)| Section { id, html: make(self).into_string() }).collect();
        sections.push(Section { id: GLOSSARY.0, html: fates::words(&sections).into_string() });
        sections
    }
}

impl Section {
    /// The part with the controls of a reader. It contains secrets of this reader.
    #[must_use]
    pub fn controls(experiment: &str, controls: &Controls) -> Self {
        Self { id: CONTROLS, html: headline::controls_of(experiment, controls).into_string() }
    }
}

/// The body of the page: every section in its place.
pub(crate) fn body(sections: &[Section]) -> Markup {
    let html_of = |id: &str| sections.iter().find(|part| part.id == id).map_or("", |part| part.html.as_str());
    // Two rankers have few guardrails, and room for them below their only pair.
    let are_few = html_of("matrix").is_empty();
    let place_of = |id: &str, place: Position| if id == "guardrails" && are_few { Position::Wide } else { place };
    let sections_at = |place: Position| {
        html! {
            @for (id, _) in all().filter(|(id, position)| place_of(id, *position) == place) {
                @if id == "headline" {
                    section.part id=(id) aria-live="polite" aria-atomic="true" { (PreEscaped(html_of(id))) }
                } @else {
                    section.part id=(id) { (PreEscaped(html_of(id))) }
                }
            }
        }
    };
    html! {
        (sections_at(Position::Top))
        div.columns {
            div.wide { (sections_at(Position::Wide)) }
            div.narrow { (sections_at(Position::Narrow)) }
        }
        (sections_at(Position::Bottom))
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
                                @for (column, cell) in row.iter().enumerate() {
                                    @if column == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
