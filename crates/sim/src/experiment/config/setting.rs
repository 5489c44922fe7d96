//! The `[[setting]]` sections: what an experiment plays on.

use bandits::RegretKind;
use bandits::open::{Delay, Lateness};
use clicks::{ClickSpec, FractionalLabels};
use interleave::{AnyInterleaving, AnyMultileaving, CreditTies};
use letor_io::Split;
use letor_io::trec::{TrecTies, Unjudged};
use rankers::{RankerRef, Selection};
use serde::{Deserialize, Serialize};
use simulation::late_answers::LateAnswers;
use simulation::spec::{Reading, SiteSpec, Ties};
use simulation::text_form;

use crate::experiment::config::values::{self, Count, OneOrMany};

/// One `[[setting]]`, before its lists are expanded.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SettingEntry {
    /// The title of its panel.
    pub name: String,
    /// `live`, `proxy` or `problem`.
    pub play: Play,
    /// A registered data set, or a file or folder, used where it is present.
    #[serde(default)]
    pub dataset: Option<String>,
    /// TREC runs as the rankers, instead of a data set, as `--rankings`.
    #[serde(default)]
    pub rankings: Vec<String>,
    /// As `--qrels`.
    #[serde(default)]
    pub qrels: Vec<String>,
    /// As `--trec-ties`.
    #[serde(default)]
    pub trec_ties: TrecTies,
    /// As `--unjudged`.
    #[serde(default)]
    pub unjudged: Unjudged,
    /// Scores as further rankers beside `dataset`, as `--scores`.
    #[serde(default)]
    pub scores: Vec<String>,
    /// As `--scores-only`.
    #[serde(default)]
    pub scores_only: bool,
    /// The look-alike to use where it is not present.
    #[serde(default)]
    pub lookalike: Option<String>,
    /// For `proxy`: the file of a matrix, or the names of a published one, used where it is present.
    #[serde(default)]
    pub matrix: OneOrMany<String>,
    /// For `proxy`: impressions per pair where a matrix is estimated from the real data set.
    #[serde(default)]
    pub interleavings: Option<Count>,
    /// For `proxy`: impressions per pair where it is estimated from the look-alike.
    #[serde(default)]
    pub lookalike_interleavings: Option<Count>,
    /// For `problem`: one name or several.
    #[serde(default)]
    pub problem: OneOrMany<String>,
    /// For `problem`: the preference matrix itself, row by row.
    #[serde(default)]
    pub preferences: Vec<Vec<f64>>,
    /// One click model or several.
    #[serde(default)]
    pub click: OneOrMany<ClickSpec>,
    /// As `--split`.
    #[serde(default)]
    pub split: Option<Split>,
    /// As `--shown`.
    #[serde(default)]
    pub shown: Option<u16>,
    /// As `--rankers`.
    #[serde(
        default = "all_rankers",
        serialize_with = "text_form::serialize",
        deserialize_with = "values::number_or_text"
    )]
    pub rankers: Selection,
    /// As `--without`.
    #[serde(default)]
    pub without: Vec<u32>,
    /// As `--interleave`.
    #[serde(default, with = "text_form::optional")]
    pub interleave: Option<AnyInterleaving>,
    /// As `--multileave`.
    #[serde(default, with = "text_form::optional")]
    pub multileave: Option<AnyMultileaving>,
    /// As `--credit-ties`.
    #[serde(default)]
    pub credit_ties: Option<CreditTies>,
    /// As `--ties`.
    #[serde(default)]
    pub ties: Ties,
    /// As `--fractional-labels`.
    #[serde(default)]
    pub fractional_labels: FractionalLabels,
    /// As `--delay`, but not from a file; one delay or several, each a setting of its own.
    #[serde(default)]
    pub delay: OneOrMany<Delay>,
    /// As `--batch`.
    #[serde(default)]
    pub batch: Option<Count>,
    /// As `--lost`.
    #[serde(default, deserialize_with = "values::lost")]
    pub lost: f64,
    /// What regret measures, as `--regret`. Without a Condorcet winner, `condorcet` (the default), `weak` and `strong`
    /// become Copeland score lost, live nDCG lost.
    #[serde(default, with = "text_form::optional")]
    pub regret: Option<RegretKind>,
}

impl SettingEntry {
    /// The site of this entry with users of one of its click models.
    #[must_use]
    pub(crate) fn spec(&self, click: &ClickSpec) -> SiteSpec {
        let usual = SiteSpec::default();
        SiteSpec {
            dataset: self.dataset.iter().cloned().collect(),
            reading: Reading { split: self.split, ..Reading::default() },
            trec_runs: self.rankings.clone(),
            qrels: self.qrels.clone(),
            trec_ties: self.trec_ties,
            unjudged: self.unjudged,
            scores: self.scores.clone(),
            scores_only: self.scores_only,
            click: click.clone(),
            fractional_labels: self.fractional_labels,
            rankers: self.rankers.clone(),
            without: self.without.iter().copied().map(RankerRef::Number).collect(),
            names: None,
            shown: self.shown.unwrap_or(usual.shown),
            interleave: self.interleave.clone(),
            multileave: self.multileave.clone(),
            credit_ties: self.credit_ties,
            ties: self.ties,
        }
    }
}

impl SettingEntry {
    /// How late answers come in each setting of this entry.
    #[must_use]
    pub(crate) fn late(&self) -> Vec<LateAnswers> {
        let (batch, lost) = (self.batch.map_or(1, |batch| batch.0), self.lost);
        let of = |delay| LateAnswers { lateness: Lateness { delay, batch, lost, ..Lateness::default() }, file: None };
        match &self.delay.0[..] {
            [] => vec![of(Delay::Fixed(0))],
            delays => delays.iter().cloned().map(of).collect(),
        }
    }
}

fn all_rankers() -> Selection {
    Selection::All
}

/// Where the outcomes of comparisons come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Play {
    /// Simulated impressions of a data set.
    Live,
    /// Draws from a preference matrix, published or estimated from a data set.
    Proxy,
    /// A named problem, or preferences in the file.
    Problem,
}
