//! The settings of a board.

use crate::{BoardError, Table};
use serde::{Deserialize, Serialize};
use statistics::bradley_terry::{Look, Ties};

/// The units that are independent for standard errors, which determine the population that statements are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clusters {
    /// Items and judges, each if the table has at least [`Clusters::MIN_COUNT`] of them; otherwise units.
    #[default]
    Auto,
    /// Units: a pair on an item by one judge. Statements are about the items and judges of the table alone.
    Units,
    /// Items: all judgements of an item may depend on each other.
    Item,
    /// Judges: all judgements of a judge may depend on each other.
    Judge,
    /// Items and judges: two judgements may depend on each other if they share either.
    Both,
}

impl Clusters {
    /// Fewer are taken as given, unless requested: so small a sample shows nothing about a population.
    pub const MIN_COUNT: usize = 5;
}

/// How often a table is looked at, which determines what its headline holds for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Looks {
    /// Once: verdicts chose neither pairs nor the end.
    #[default]
    Once,
    /// Again and again while judgements come in, or a policy chose the pairs.
    Every,
}

impl Looks {
    pub(crate) fn look(self) -> Look {
        match self {
            Self::Once => Look::Once,
            Self::Every => Look::Every,
        }
    }

    /// `one look` or `every look`.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Once => "one look",
            Self::Every => "every look",
        }
    }
}

/// How the pairs of further judgements are chosen. The advised number always assumes the first way; for the others, the
/// advice states how they differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FurtherPairs {
    /// All pairs of the contenders, equally often.
    #[default]
    Contenders,
    /// A session chooses them to find the best.
    Best,
    /// A session chooses them to rank all.
    Order,
    /// A session compares all pairs equally often, not only those of contenders.
    Everyone,
}

/// How the model accounts for ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TieModel {
    /// Davidson's: P(tie) is proportional to the geometric mean of P(win) and P(loss).
    #[default]
    Davidson,
    /// Rao and Kupper's: a tie is a difference below a threshold that judges do not notice.
    RaoKupper,
}

impl TieModel {
    /// The model of `statistics`.
    pub(crate) fn model(self) -> Ties {
        match self {
            Self::Davidson => Ties::Davidson,
            Self::RaoKupper => Ties::RaoKupper,
        }
    }
}

/// The settings of a board.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The level of confidence, in (0, 1): of ranks, and of "X is best".
    pub level: f64,
    /// The units that are independent.
    pub clusters: Clusters,
    /// How the model accounts for ties.
    pub ties: TieModel,
    /// Whether to check the table for misleading properties.
    pub checks: bool,
    /// Whether to estimate the number of further judgements needed.
    pub advice: bool,
    /// How the pairs of further judgements will be chosen.
    pub further: FurtherPairs,
    /// The looks that the headline and the claims hold for.
    pub looks: Looks,
    /// By how much the best may be better than the one that is named, as a share of points, 0 to below 0.5: with 0.05, one that gets at least
    /// 45% of the points against each other is good enough.
    pub tolerance: f64,
    /// Whether to fit a slope for each judge, by how well the judge distinguishes competitors.
    pub discrimination: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            level: 0.95,
            clusters: Clusters::Auto,
            ties: TieModel::Davidson,
            checks: true,
            advice: true,
            further: FurtherPairs::Contenders,
            looks: Looks::Once,
            tolerance: 0.0,
            discrimination: false,
        }
    }
}

impl Settings {
    pub(crate) fn check(&self, table: &Table) -> Result<(), BoardError> {
        if !(self.level > 0.0 && self.level < 1.0) {
            return Err(BoardError::Setting { what: "the level", value: self.level, range: "(0, 1)" });
        }
        if !(0.0..0.5).contains(&self.tolerance) {
            return Err(BoardError::Setting { what: "the tolerance", value: self.tolerance, range: "[0, 0.5)" });
        }
        let (item, judge) = match self.clusters {
            Clusters::Auto | Clusters::Units => (false, false),
            Clusters::Item => (true, false),
            Clusters::Judge => (false, true),
            Clusters::Both => (true, true),
        };
        if self.discrimination && table.judges.is_empty() {
            return Err(BoardError::FewJudges { found: 0 });
        }
        for (requested, exists, column) in
            [(item, !table.items.is_empty(), "item"), (judge, !table.judges.is_empty(), "judge")]
        {
            if requested && !exists {
                return Err(BoardError::NoColumn { column });
            }
        }
        Ok(())
    }

    /// The probability of error that is allowed.
    pub(crate) fn alpha(&self) -> f64 {
        1.0 - self.level
    }
}
