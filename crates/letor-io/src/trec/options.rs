//! How runs and qrels become a data set: what callers choose.

use crate::text::ReadOptions;

/// How runs and qrels become a data set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrecOptions {
    /// How a run orders documents of equal score.
    pub ties: TrecTies,
    /// How documents without a judgment are treated.
    pub unjudged: UnjudgedRule,
    /// The highest label; 4 by default, as for other data ([`ReadOptions::max_label`]).
    pub max_label: f32,
}

impl Default for TrecOptions {
    fn default() -> Self {
        let max_label = ReadOptions::default().max_label;
        Self { ties: TrecTies::default(), unjudged: UnjudgedRule::default(), max_label }
    }
}

/// How a run orders documents of equal score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TrecTies {
    /// As `trec_eval` does, so that measures agree with it: scores are compared in single precision, and of two documents
    /// with one score that with the larger number, in the order of bytes, comes first.
    #[default]
    Docno,
    /// They stay tied, and a ranker shows them in any order. Scores are compared as the decimals in the file.
    Keep,
}

/// How retrieved documents without a judgment are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum UnjudgedRule {
    /// They have label 0, as in `trec_eval`.
    #[default]
    Zero,
    /// They are removed from all lists, which are then *condensed*: T. Sakai, "Alternatives to Bpref", SIGIR 2007,
    /// <https://doi.org/10.1145/1277741.1277756>.
    Remove,
}
