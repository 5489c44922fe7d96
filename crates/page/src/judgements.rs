//! A board of judgements as one self-contained file: the answer, how sure it is, the competitors, and explanations.

use maud::{Markup, PreEscaped, html};

use crate::document::standalone_page;
use crate::model::Overview;
use crate::sections::{figures, headline, warnings};

/// The content of the page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judgements {
    /// Name, headline, warnings, key figures and report of the page; other parts of an overview are ignored.
    pub overview: Overview,
    /// The same in plain words, one paragraph each.
    pub paragraphs: Vec<String>,
    /// The headings of the table, and whether each column holds numbers.
    pub columns: Vec<(String, bool)>,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
    /// The meaning of its columns, and the assumptions, in sentences.
    pub notes: Vec<String>,
    /// The figure.
    pub figure: Option<Drawing>,
    /// Where it comes from, in a sentence.
    pub origin: String,
}

/// A figure as SVG, made by this program: it is not escaped.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Drawing {
    /// For a wide screen.
    pub wide: String,
    /// For one as narrow as a phone's.
    pub narrow: String,
    /// A text alternative, in a few words.
    pub alternative: String,
}

/// The page.
#[must_use]
pub fn standalone(board: &Judgements) -> String {
    let section_with_id = |id: &str, content: Markup| html! { section.part id=(id) { (content) } };
    let main = html! {
        (section_with_id("headline", headline(&board.overview)))
        (section_with_id("words", html! { @for paragraph in &board.paragraphs { p.plain { (paragraph) } } }))
        (section_with_id("figures", figures(&board.overview)))
        (section_with_id("competitors", table(board)))
        @if let Some(Drawing { wide, narrow, alternative }) = &board.figure {
            (section_with_id("strengths", html! {
                h2 { "Strengths" }
                figure.drawn role="img" aria-label=(alternative) {
                    div.wide { (PreEscaped(wide)) }
                    div.narrow { (PreEscaped(narrow)) }
                }
            }))
        }
        (section_with_id("warnings", warnings(&board.overview)))
        (section_with_id("details", html! {
            details.data {
                summary { "What the columns mean, and what is assumed" }
                div.report { @for note in &board.notes { p { (note) } } }
            }
            details.data {
                summary { "Everything that the program says" }
                div.scroll tabindex="0" role="region" aria-label="Everything that the program says" {
                    pre { (board.overview.report.join("\n")) }
                }
            }
        }))
    };
    standalone_page(&board.overview.name, &main, &board.origin)
}

fn table(board: &Judgements) -> Markup {
    html! {
        h2 { "Competitors, best first" }
        div.scroll tabindex="0" role="region" aria-label="Competitors" {
            table {
                thead { tr { @for (name, _) in &board.columns { th scope="col" { (name) } } } }
                tbody {
                    @for row in &board.rows {
                        tr {
                            @for (cell, (name, is_number)) in row.iter().zip(&board.columns) {
                                @if name == "competitor" { th scope="row" { (cell) } }
                                @else { td class=[is_number.then_some("number")] { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
