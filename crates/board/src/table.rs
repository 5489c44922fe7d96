//! Judgements, with the names of competitors, items and judges.

use crate::BoardError;
use statistics::bradley_terry::Covariates;

/// A judge's answer on two answers of competitors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Answer {
    /// The first answer is better.
    First,
    /// The second answer is better.
    Second,
    /// Neither is better.
    Tie,
    /// Neither is good: a tie, counted apart.
    BothBad,
    /// The share of the point that goes to the first answer, strictly between 0 and 1, not a half.
    Score(f64),
    /// A model's points, corrected by people's answers.
    Corrected {
        /// The points of the first answer, -20 to 21; their expectation is the share of the point that people give it.
        points: f64,
        /// The expected squared distance of the points from a half, before it is decided whether a person is asked, 0 to 420.
        spread: f64,
        /// The least and the most points that there could have been then: at most 0 and at least 1.
        range: [f64; 2],
    },
}

impl Answer {
    /// The farthest that corrected points may lie from a half.
    pub const FARTHEST: f64 = 20.5;

    /// The answer that gives the first one this share of the point, in [0, 1].
    #[must_use]
    pub fn from_share(share: f64) -> Self {
        match share {
            1.0 => Self::First,
            0.0 => Self::Second,
            0.5 => Self::Tie,
            _ => Self::Score(share),
        }
    }

    /// The share of the point that goes to the first answer: 1, 0, a half for ties, the score, or the corrected points.
    #[must_use]
    pub fn score(self) -> f64 {
        match self {
            Self::First => 1.0,
            Self::Second => 0.0,
            Self::Tie | Self::BothBad => 0.5,
            Self::Score(score) => score,
            Self::Corrected { points, .. } => points,
        }
    }
}

/// One row of a table: one judge, two answers, one verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judgement {
    /// The competitor whose answer was shown first, by its place in [`Table::names`].
    pub first: u32,
    /// The competitor whose answer was shown second.
    pub second: u32,
    /// The judge's answer.
    pub verdict: Answer,
    /// The item (prompt, query) that both answered, by its place in [`Table::items`].
    pub item: Option<u32>,
    /// The judge, by the place in [`Table::judges`].
    pub judge: Option<u32>,
    /// The weight of the row, above 0 and finite; 1 unless the table states another.
    pub weight: f64,
    /// The line of the file, from 1, or the row of the frame, for messages.
    pub row: u64,
}

/// Whether a table states which answer was shown first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// `first` and `second` are the order in which the judge saw the answers.
    Shown,
    /// It does not: a matrix of wins, or a table that declares it.
    Unknown,
}

/// How the two answers of each judgement differ apart from quality, e.g. in length.
#[derive(Debug, Clone, PartialEq)]
pub struct Covariate {
    /// Its name.
    pub name: String,
    /// By judgement: how much more of it the first answer has than the second; finite.
    pub differences: Vec<f64>,
}

/// A table of judgements.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The competitors, in the order in which the table names them first.
    pub names: Vec<String>,
    /// The items; empty if the table has none.
    pub items: Vec<String>,
    /// The judges; empty if the table has none.
    pub judges: Vec<String>,
    /// The judgements, in the order of the table; no statement of a board depends on it.
    pub judgements: Vec<Judgement>,
    /// Whether the order in which answers were shown is known.
    pub order: Order,
    /// The covariates for which strengths are adjusted; empty for strengths of answers as they are.
    pub covariates: Vec<Covariate>,
}

/// Larger differences drown in the arithmetic of doubles when they are squared and summed.
const MAX_COVARIATE_VALUE: f64 = 1e12;

impl Table {
    /// Refuses covariates that are not one number per judgement, or too many of them.
    pub(crate) fn check_covariates(&self) -> Result<(), BoardError> {
        if self.covariates.len() > Covariates::MAX_COVARIATES {
            return Err(BoardError::TooManyCovariates {
                found: self.covariates.len(),
                most: Covariates::MAX_COVARIATES,
            });
        }
        for covariate in &self.covariates {
            if covariate.differences.len() != self.judgements.len() {
                let (found, expected) = (covariate.differences.len(), self.judgements.len());
                let reason = format!("it has {found} values, and the table {expected} judgements");
                return Err(BoardError::Covariate { name: covariate.name.clone(), reason });
            }
            for (judgement, value) in self.judgements.iter().zip(&covariate.differences) {
                if !(-MAX_COVARIATE_VALUE..=MAX_COVARIATE_VALUE).contains(value) {
                    return Err(BoardError::Row {
                        row: judgement.row,
                        what: "a covariate",
                        found: value.to_string(),
                        expected: format!("a number from {:e} to {MAX_COVARIATE_VALUE:e}", -MAX_COVARIATE_VALUE),
                    });
                }
            }
        }
        Ok(())
    }
}
