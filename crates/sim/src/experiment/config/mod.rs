//! The file of an experiment: its keys, and the errors for wrong ones. `experiments/README.md`
//! documents the keys for users.
//!
//! | in | is |
//! |---|---|
//! | this file | the top-level keys |
//! | `setting`, `draw` | the sections `[[setting]]` and `[draw]` |
//! | `values` | counts, one or many names |
//! | `flags` | keys that are flags of the command line |
//! | `papers` | the papers that experiments belong to |
//! | `expand` | grids of algorithms and lists of settings |
//! | `validate` | required keys, and errors with their line |

mod draw;
pub(crate) mod expand;
mod flags;
mod papers;
mod setting;
#[cfg(test)]
mod tests;
pub(crate) mod validate;
mod values;

use anyhow::Result;
pub(crate) use draw::{Arrangement, Bands, Bound, Draw, Scale};
use expand::Setting;
pub(crate) use papers::{PAPERS, Paper, is_published};
use serde::{Deserialize, Serialize};
pub(crate) use setting::{LateSetting, Play, SettingEntry};
use toml::Spanned;
pub(crate) use validate::FileError;
pub(crate) use validate::nearest;
pub(crate) use values::Count;

use crate::experiment::claim::{Claim, RawClaim};

/// A larger file is not an experiment's.
pub(crate) const MOST_BYTES: u64 = 16 << 20;

/// An experiment, as its file describes it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Experiment {
    /// The subject, in one line.
    pub title: String,
    /// The paper of the figure or table: a key of `PAPERS`, or `own` (default).
    #[serde(default = "values::default_paper")]
    pub paper: String,
    /// Which figure or table, e.g. `Figure 3`.
    #[serde(default)]
    pub figure: String,
    /// The paper's experiment, its gaps, and the choices made here; in Markdown.
    #[serde(default)]
    pub about: String,
    /// The kind of measurement.
    pub kind: KindName,
    /// The algorithms, with braces for grids: `mergerucb:p={4,6,8}`.
    #[serde(default)]
    pub algorithms: Vec<String>,
    /// Steps per run.
    #[serde(default)]
    pub steps: Option<Count>,
    /// Runs per algorithm.
    #[serde(default)]
    pub runs: Option<Count>,
    /// Checkpoints of a regret curve per decade of steps.
    #[serde(default, deserialize_with = "values::positive_up_to::<_, 1000>")]
    pub checkpoints: Option<u32>,
    /// For `accuracy`: the step at which the policy must recommend an arm. For `agreement`: the impressions after which methods must decide
    /// for a ranker.
    #[serde(default)]
    pub horizons: Vec<Count>,
    /// For `structure`: random subsets in which orders are counted.
    #[serde(default)]
    pub samples: Option<Count>,
    /// For `structure`: the numbers of rankers, the first in alphabetical order, to compute gamma for.
    #[serde(default, deserialize_with = "values::sizes::<_, 2>")]
    pub gamma: Vec<usize>,
    /// For `distortion`: the numbers of rankers that are multileaved together.
    #[serde(default, deserialize_with = "values::sizes::<_, 2>")]
    pub sizes: Vec<usize>,
    /// For `distortion`: multileavings per set of rankers.
    #[serde(default)]
    pub multileavings: Option<Count>,
    /// For `agreement`: the interleaving methods.
    #[serde(default)]
    pub methods: Vec<String>,
    /// The master seed.
    #[serde(default)]
    pub seed: Option<u64>,
    /// Random sets of rankers instead of all rankers.
    #[serde(default)]
    pub subsets: Option<Subsets>,
    /// The drawing options.
    #[serde(default)]
    pub draw: Draw,
    /// The settings, as in the file.
    #[serde(rename = "setting", deserialize_with = "setting::entries")]
    pub entries: Vec<SettingEntry>,
    /// The same with lists expanded.
    #[serde(skip)]
    pub settings: Vec<Setting>,
    /// The claims as the file states them.
    #[serde(default, rename = "claim")]
    raw_claims: Vec<Spanned<RawClaim>>,
    /// The claims, parsed.
    #[serde(skip)]
    pub claims: Vec<Claim>,
}

/// The kinds of experiments, by measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KindName {
    /// Cumulative regret over time.
    Regret,
    /// Regret at the end against the number of rankers.
    RegretAgainstRankers,
    /// Whether the best ranker is recommended, and the regret paid for it, at several horizons.
    Accuracy,
    /// The frequency of a winner or a total order among random sets of rankers; gaps and gamma.
    Structure,
    /// The number of rankers that a multileaving ranks above the best by mistake.
    Distortion,
    /// The share of pairs of rankers that interleaving and A/B tests order otherwise than clicks do.
    Agreement,
    /// Statistics of data sets.
    Datasets,
}

impl KindName {
    /// Its name in files.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Regret => "regret",
            Self::RegretAgainstRankers => "regret-against-rankers",
            Self::Accuracy => "accuracy",
            Self::Structure => "structure",
            Self::Distortion => "distortion",
            Self::Agreement => "agreement",
            Self::Datasets => "datasets",
        }
    }
}

/// Random sets of rankers.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Subsets {
    /// The numbers of rankers per set.
    #[serde(deserialize_with = "values::sizes::<_, 2>")]
    pub sizes: Vec<usize>,
    /// Sets per size; each serves `runs` runs.
    #[serde(deserialize_with = "values::positive")]
    pub count: u64,
    /// Draw again until the set has a Condorcet winner.
    #[serde(default = "values::default_true")]
    pub with_condorcet_winner: bool,
}

impl Experiment {
    /// An experiment of this kind without settings, to draw its results again.
    pub(crate) fn to_draw(kind: KindName, [title, paper, figure]: [String; 3], draw: Draw) -> Self {
        Self {
            title,
            paper,
            figure,
            about: String::new(),
            kind,
            algorithms: Vec::new(),
            steps: None,
            runs: None,
            checkpoints: None,
            horizons: Vec::new(),
            methods: Vec::new(),
            samples: None,
            gamma: Vec::new(),
            sizes: Vec::new(),
            multileavings: None,
            seed: None,
            subsets: None,
            draw,
            entries: Vec::new(),
            settings: Vec::new(),
            raw_claims: Vec::new(),
            claims: Vec::new(),
        }
    }

    /// The master seed, 1 unless the file has one.
    #[must_use]
    pub fn master_seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    /// Reads the text of a file, and validates what all kinds have in common.
    ///
    /// # Errors
    /// With the line where there is one.
    pub(super) fn parse(text: &str) -> Result<Self, FileError> {
        let mut experiment: Self = toml::from_str(text).map_err(|error| FileError::of_toml(text, &error))?;
        validate::printable(text)?;
        for claim in std::mem::take(&mut experiment.raw_claims) {
            let line = validate::line_of(text, claim.span().start);
            let claim = Claim::parse(claim.into_inner(), line)
                .map_err(|error| FileError::new(Some(line), format!("[[claim]]: {error:#}")))?;
            experiment.claims.push(claim);
        }
        experiment.settings = expand::settings(&experiment.entries);
        validate::check(&experiment).map_err(|error| FileError::new(None, format!("{error:#}")))?;
        Ok(experiment)
    }
}
