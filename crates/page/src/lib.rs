//! The status of an experiment as one HTML page: the headline, charts as SVG, and every number as a table.
//!
//! An [`Overview`] holds the content of a page as plain values; [`decision::overview`] fills one from a decision.
//! [`Overview::parts`] renders it piece by piece, so that a server can send the pieces that changed, and the functions of
//! [`document`] put pieces, styles and scripts together into pages. The live server and `click-logs decide --html` write
//! the same page, and [`standalone_svg`] has its charts of win rates as one SVG.
//!
//! Charts need no script. They fill the available width, with letters as large as the text around them, and follow the
//! reader's choice of light or dark colours. Names of rankers and reasons of changes come from users: all text is escaped.
//!
//! ```
//! use page::{Headline, Overview, Tone};
//! use page::document::standalone;
//!
//! let overview = Overview {
//!     name: "search <b>".into(),
//!     headline: Headline { tone: Tone::Good, label: "decided".into(), sentence: "neural beats bm25.".into(), ..Headline::default() },
//!     ..Overview::default()
//! };
//! let html = standalone(&overview);
//! assert!(html.contains("neural beats bm25.") && html.contains("search &lt;b&gt;"));
//! ```

mod charts;
pub mod decision;
pub mod document;
mod effect;
pub mod glossary;
pub mod judgements;
mod model;
mod sections;
pub mod standalone_svg;
mod text;

pub use effect::{Effect, EffectRow};
pub use model::{
    Change, Controls, CountKind, Course, CoursePoint, Delivery, Figure, Guardrail, Headline, ImpressionCount, Latency,
    ListItem, Matrix, MatrixCell, Measure, Overview, Pair, Rate, RatePoint, SegmentRow, Segments, Tone, Traffic,
    TrafficDay,
};
pub use sections::Section;

/// The style sheet of all pages.
pub const STYLES: &str = concat!(include_str!("page.css"), include_str!("plot.css"));
/// The script that keeps an open page up to date.
pub const SCRIPT: &str = include_str!("page.js");
/// The icon of all pages, in SVG.
pub const ICON: &str = include_str!("icon.svg");
