//! The regressors of a group's units beside strengths, as the fit takes them: covariates of the size of strengths, and the slopes of
//! judges.

use crate::units::Unit;
use crate::{BoardError, Table};
use statistics::bradley_terry::{Covariates, UndeterminedReason, cells, undetermined_covariate};

/// As many as the strengths of the largest board.
const MOST_PARAMETERS: usize = 2_000;

/// Divides covariates by typical differences of units, and returns these numbers. The fit is the same, but of the size of strengths.
pub(super) fn standardise(units: &mut [Unit]) -> Vec<f64> {
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

/// Refuses covariates if the units of a group do not determine their coefficients.
pub(super) fn check_determined(arms: usize, units: &[Unit], names: &[String]) -> Result<(), BoardError> {
    let cells_of_units = cells(units.iter().map(|unit| &unit.comparison));
    let Some((covariate, reason)) = undetermined_covariate(arms, &cells_of_units) else { return Ok(()) };
    let reason = match reason {
        UndeterminedReason::Zero => "both answers have the same in all judgements".to_owned(),
        UndeterminedReason::Strengths => {
            "it follows from the names, as if each competitor's answers all had the same, so that its effect cannot be distinguished from \
             the strengths"
                .to_owned()
        }
        UndeterminedReason::Position => {
            "it follows from the order shown and the names, so that its effect cannot be distinguished from theirs".to_owned()
        }
        UndeterminedReason::Covariates => format!(
            "it follows from {}, so that their effects cannot be distinguished",
            names[..covariate].join(", ")
        ),
    };
    Err(BoardError::Covariate { name: names[covariate].clone(), reason })
}

/// Numbers the judges of a group's units within the group; returns them by their numbers in the table.
pub(super) fn assign_slopes(table: &Table, arms: usize, units: &mut [Unit]) -> Result<Vec<u32>, BoardError> {
    let mut judges = Vec::new();
    for unit in units.iter() {
        let Some(judge) = unit.judge else {
            return Err(BoardError::NoJudge { row: table.judgements[unit.last_row].row });
        };
        judges.push(judge);
    }
    judges.sort_unstable();
    judges.dedup();
    if judges.len() < 2 {
        return Err(BoardError::FewJudges { found: judges.len() });
    }
    if arms + judges.len() > MOST_PARAMETERS {
        return Err(BoardError::TooManyJudges { found: judges.len(), most: MOST_PARAMETERS.saturating_sub(arms) });
    }
    for unit in units {
        let number = unit.judge.map(|judge| judges.partition_point(|other| *other < judge));
        unit.comparison.slope = number.map(|number| number as u32);
    }
    Ok(judges)
}
