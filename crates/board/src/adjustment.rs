//! What strengths are adjusted for: covariates of answers.
//!
//! A covariate is a difference of two answers that is not their quality, e.g. in length. Its coefficient is fitted with the strengths, so that
//! these are those of answers that do not differ in it.
//!
//! ## References
//!
//! * T. Li, A. Angelopoulos, W.-L. Chiang, "Does style matter? Disentangling style and substance in Chatbot Arena", 2024,
//!   <https://lmsys.org/blog/2024-08-28-style-control/>: covariates of style in Bradley-Terry.
//! * Y. Dubois, B. Galambosi, P. Liang, T. B. Hashimoto, "Length-Controlled AlpacaEval", 2024, arXiv:2404.04475.

use crate::board::Estimate;
use crate::group::GroupFit;
use crate::units::Unit;
use crate::words::percent;
use crate::{BoardError, Table};
use serde::Serialize;
use statistics::bradley_terry::{Covariates, Undetermined, cells, undetermined};

/// Larger differences drown in the arithmetic of doubles when they are squared and summed.
const MOST: f64 = 1e12;

/// The effect of a covariate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Effect {
    /// The covariate.
    pub name: String,
    /// How much more of it the coefficient is for: 1, 10, 100 and so on, near to what answers typically differ by.
    pub per: f64,
    /// What that much more adds to the difference of strengths, with its standard error.
    pub coefficient: Estimate,
    /// The share of points that the answer with that much more gets against one of equal strength, if ties are halves.
    pub share: f64,
    /// By how much answers differ: the root of the mean square.
    pub typical: f64,
}

impl Effect {
    /// The effect in one sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!(
            "{}: {:+.2} ± {:.2} (s.e.) per {}: the answer with that much more gets {} of the points against an equally strong one.",
            self.name,
            self.coefficient.value,
            self.coefficient.error,
            number(self.per),
            percent(self.share)
        )
    }
}

/// A power of ten without an exponent where that is short.
fn number(value: f64) -> String {
    if (1e-4..1e7).contains(&value) { value.to_string() } else { format!("{value:e}") }
}

/// Refuses covariates that are not one number per judgement, or too many of them.
pub(crate) fn check(table: &Table) -> Result<(), BoardError> {
    if table.covariates.len() > Covariates::MOST {
        return Err(BoardError::TooManyCovariates { found: table.covariates.len(), most: Covariates::MOST });
    }
    for covariate in &table.covariates {
        if covariate.differences.len() != table.judgements.len() {
            let (found, expected) = (covariate.differences.len(), table.judgements.len());
            let reason = format!("it has {found} values, and the table {expected} judgements");
            return Err(BoardError::Covariate { name: covariate.name.clone(), reason });
        }
        for (judgement, value) in table.judgements.iter().zip(&covariate.differences) {
            if !(-MOST..=MOST).contains(value) {
                return Err(BoardError::Row {
                    row: judgement.row,
                    what: "a covariate",
                    found: value.to_string(),
                    expected: format!("a number from {:e} to {MOST:e}", -MOST),
                });
            }
        }
    }
    Ok(())
}

/// Divides covariates by what units typically differ by, and returns these numbers. The fit is the same, and of the size of strengths.
pub(crate) fn standardise(units: &mut [Unit]) -> Vec<f64> {
    let count = units.first().map_or(0, |unit| unit.comparison.covariates.values().len());
    let mean_square = |k: usize| {
        let weight = |unit: &Unit| unit.comparison.weight * unit.comparison.copies as f64;
        let squares = units.iter().map(|unit| weight(unit) * unit.comparison.covariates.values()[k].powi(2));
        squares.sum::<f64>() / units.iter().map(weight).sum::<f64>()
    };
    let typical: Vec<f64> = (0..count).map(|k| libm::sqrt(mean_square(k))).collect();
    for unit in units {
        let values = unit.comparison.covariates.values().iter().zip(&typical);
        let scaled: Vec<f64> = values.map(|(value, scale)| if *scale > 0.0 { value / scale } else { 0.0 }).collect();
        unit.comparison.covariates = Covariates::new(&scaled).expect("as many finite covariates as before");
    }
    typical
}

/// Refuses covariates whose coefficients the units of a group do not determine.
pub(crate) fn check_determined(arms: usize, units: &[Unit], names: &[String]) -> Result<(), BoardError> {
    let all = cells(units.iter().map(|unit| &unit.comparison));
    let Some((place, reason)) = undetermined(arms, &all) else { return Ok(()) };
    let reason = match reason {
        Undetermined::Zero => "both answers have the same in all judgements".to_owned(),
        Undetermined::Strengths => {
            "it follows from the names, as if each competitor's answers all had the same, so that its effect cannot be distinguished from \
             the strengths"
                .to_owned()
        }
        Undetermined::Position => {
            "it follows from the order shown and the names, so that its effect cannot be distinguished from theirs".to_owned()
        }
        Undetermined::Covariates => format!(
            "it follows from {}, so that their effects cannot be distinguished",
            names[..place].join(", ")
        ),
    };
    Err(BoardError::Covariate { name: names[place].clone(), reason })
}

/// The effects of the covariates of a group.
pub(crate) fn effects(names: &[String], group: &GroupFit) -> Vec<Effect> {
    let tie = group.fit.tie();
    let places = group.fit.covariate_places();
    let effect = |((name, place), typical): ((&String, usize), &f64)| {
        let per = libm::pow(10.0, libm::round(libm::log10(*typical)));
        let scale = per / typical;
        let (value, error) = (group.fit.parameters()[place] * scale, group.errors[place] * scale);
        let share = group.fit.ties().preference(value, tie);
        Effect { name: name.clone(), per, coefficient: Estimate { value, error }, share, typical: *typical }
    };
    names.iter().zip(places).zip(&group.typical).map(effect).collect()
}
