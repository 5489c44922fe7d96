//! One impression, borrowed from where it was read: nothing is copied.

use interleave::Page;
use verdicts::PairChoice;

use super::Oddities;

/// A list that was shown to a user: an [`Impression`](super::Impression) in borrowed parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpressionRef<'a> {
    /// The id that clicks refer to.
    pub id: &'a str,
    /// When it was shown, in milliseconds since 1970.
    pub time: i64,
    /// The user or session, by the unit of the analysis; `None` where the log has none.
    pub unit: Option<&'a str>,
    /// The program of the user.
    pub agent: Option<&'a str>,
    /// How its rankers were chosen, if the log says so.
    pub pairs: Option<PairChoice>,
    /// The version of the experiment, if the log names one.
    pub version: Option<&'a str>,
    /// The documents that the page displayed, top down, each once.
    pub shown: &'a [&'a str],
    /// What is unusual about the documents.
    pub oddities: Oddities,
    /// How the list was mixed; `None` if it was not.
    pub mixed: Option<MixedRef<'a>>,
}

/// How a list was mixed, as far as credit needs it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MixedRef<'a> {
    /// Team draft: the owner of each document shown; `None` for a document without an owner.
    Teams {
        /// By place.
        teams: &'a [Option<&'a str>],
        /// All rankers that took part, if the line names them.
        rankers: Option<&'a [&'a str]>,
    },
    /// A receipt of the crate `interleave`.
    Receipt {
        /// The method's own part.
        body: &'a [u8],
        /// The full name of the method that issued it.
        method: &'a str,
        /// Whether the method mixes exactly two rankers; otherwise any number.
        is_two: bool,
        /// The displayed page; `None` if that is the list as mixed.
        page: Option<&'a Page>,
        /// The number of places that the user saw; all if `None`.
        paged: Option<usize>,
        /// The rankers in the order of their lists, if the line names them.
        rankers: Option<&'a [&'a str]>,
    },
}

impl ImpressionRef<'_> {
    /// Whether a simulated user saw it.
    #[must_use]
    pub fn is_synthetic(&self) -> bool {
        self.agent.is_some_and(|agent| agent.ends_with("(simulated)"))
    }
}
