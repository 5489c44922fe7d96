//! One line of a log: an impression or a click.

use std::borrow::Cow;

use interleave::Page;
use verdicts::PairChoice;

use super::Oddities;

/// A list that was shown to a user.
#[derive(Debug, Clone, PartialEq)]
pub struct Impression<'a> {
    /// The id that clicks refer to.
    pub id: Cow<'a, str>,
    /// When it was shown, in milliseconds since 1970.
    pub time: i64,
    /// The user or session, by the unit of the analysis; `None` where the log has none.
    pub unit: Option<Cow<'a, str>>,
    /// The program of the user.
    pub agent: Option<Cow<'a, str>>,
    /// How its rankers were chosen, if the log says so.
    pub pairs: Option<PairChoice>,
    /// The version of the experiment, if the log names one.
    pub version: Option<Cow<'a, str>>,
    /// The documents that the page displayed, top down, each once.
    pub shown: Vec<Cow<'a, str>>,
    /// What is unusual about the documents.
    pub oddities: Oddities,
    /// How the list was mixed; `None` if it was not.
    pub mixed: Option<Mixed<'a>>,
}

impl Impression<'_> {
    /// Whether a simulated user saw it.
    #[must_use]
    pub fn is_synthetic(&self) -> bool {
        self.agent.as_ref().is_some_and(|agent| agent.ends_with("(simulated)"))
    }
}

/// How a list was mixed, as far as credit needs it.
#[derive(Debug, Clone, PartialEq)]
pub enum Mixed<'a> {
    /// Team draft: the owner of each document shown; `None` for a document without an owner.
    Teams {
        /// By place.
        teams: Vec<Option<Cow<'a, str>>>,
        /// All rankers that took part, if the line names them.
        rankers: Option<Vec<Cow<'a, str>>>,
    },
    /// A receipt of the crate `interleave`.
    Receipt {
        /// The method's own part.
        body: Vec<u8>,
        /// The full name of the method that issued it.
        method: String,
        /// Whether the method mixes exactly two rankers; otherwise any number.
        is_two: bool,
        /// The displayed page; `None` if that is the list as mixed.
        page: Option<Page>,
        /// The number of places that the user saw; all if `None`.
        paged: Option<usize>,
        /// The rankers in the order of their lists, if the line names them.
        rankers: Option<Vec<Cow<'a, str>>>,
    },
}

/// A click on a document of an impression.
#[derive(Debug, Clone, PartialEq)]
pub struct Click<'a> {
    /// The impression.
    pub impression: Cow<'a, str>,
    /// The document.
    pub document: Cow<'a, str>,
    /// When, in milliseconds since 1970.
    pub time: i64,
    /// How long the user stayed with the document, in milliseconds, if the log has it.
    pub dwell: Option<i64>,
}
