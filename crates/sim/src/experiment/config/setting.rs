//! The `[[setting]]` sections: what an experiment plays on.

use bandits::RegretKind;
use clicks::{ClickSpec, FractionalLabels};
use interleave::{AnyInterleaving, AnyMultileaving, CreditTies};
use letor_io::Split;
use letor_io::trec::{TrecTies, UnjudgedRule};
use rankers::{RankerRef, Selection};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use simulation::late_answers::LateAnswers;
use simulation::spec::{Reading, SiteSpec, Ties};
use simulation::text_form;
use studies::request::LateRequest;

use crate::experiment::config::flags::EntryWithFlags;
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
    pub unjudged: UnjudgedRule,
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
    #[serde(default, alias = "interleavings")]
    pub impressions_per_pair: Option<Count>,
    /// For `proxy`: impressions per pair where it is estimated from the look-alike.
    #[serde(default, alias = "lookalike-interleavings")]
    pub lookalike_impressions_per_pair: Option<Count>,
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
    /// What regret measures, as `--regret`. Without a Condorcet winner, `condorcet` (the default), `weak` and `strong`
    /// become Copeland score lost, live nDCG lost.
    #[serde(default, with = "text_form::optional")]
    pub regret: Option<RegretKind>,
    /// The delay of answers, by the flags of [`LateRequest`], but not from a file; each value of a list is a setting of its own.
    #[serde(skip)]
    pub(crate) late: Vec<LateSetting>,
}

/// The delay of answers in a setting.
#[derive(Debug, Clone)]
pub(crate) struct LateSetting {
    /// The delay.
    pub(crate) answers: LateAnswers,
    /// The values that distinguish it from the others of its entry; empty if there are no others.
    pub(crate) name: String,
}

/// Reads the `[[setting]]` sections.
pub(super) fn entries<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<SettingEntry>, D::Error> {
    /// A section; its error has the place of the section.
    struct Section(SettingEntry);
    impl<'de> Deserialize<'de> for Section {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let EntryWithFlags::<SettingEntry, LateRequest> { mut entry, cases } =
                EntryWithFlags::deserialize(deserializer)?;
            for case in cases {
                let answers = case.flags.answers().map_err(D::Error::custom)?;
                if answers.file.is_some() {
                    return Err(D::Error::custom("delay: expected a number or geometric:MEAN, not a file"));
                }
                entry.late.push(LateSetting { answers, name: case.name });
            }
            Ok(Self(entry))
        }
    }
    Ok(Vec::<Section>::deserialize(deserializer)?.into_iter().map(|section| section.0).collect())
}

impl SettingEntry {
    /// The site of this entry with users of one of its click models.
    #[must_use]
    pub(crate) fn spec(&self, click: &ClickSpec) -> SiteSpec {
        let defaults = SiteSpec::default();
        SiteSpec {
            dataset: self.dataset.iter().cloned().collect(),
            reading: Reading { split: self.split, ..Reading::default() },
            trec_runs: self.rankings.clone(),
            qrels: self.qrels.clone(),
            gold: Vec::new(),
            trec_ties: self.trec_ties,
            unjudged: self.unjudged,
            scores: self.scores.clone(),
            scores_only: self.scores_only,
            click: click.clone(),
            fractional_labels: self.fractional_labels,
            rankers: self.rankers.clone(),
            without: self.without.iter().copied().map(RankerRef::Number).collect(),
            names: None,
            shown: self.shown.unwrap_or(defaults.shown),
            interleave: self.interleave.clone(),
            multileave: self.multileave.clone(),
            credit_ties: self.credit_ties,
            ties: self.ties,
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
