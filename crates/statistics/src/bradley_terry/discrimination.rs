//! How well each judge distinguishes arms: a slope per judge.
//!
//! In a comparison with slope a, the difference of strengths counts a times: 0 is guessing, and the larger a is, the more reliably the stronger
//! arm wins. Slopes and strengths are fitted together. Twice as large slopes with half the strengths are the same model, so the geometric mean
//! of the slopes is 1 by definition: strengths are those that the average judge sees. The logarithms of slopes have a normal prior, which
//! keeps those of judges with few judgements near 1. Its standard deviation is learnt: where judges do not differ, hardly anything is spent
//! on slopes.
//!
//! ## References
//!
//! * X. Chen, P. N. Bennett, K. Collins-Thompson, E. Horvitz, "Pairwise Ranking Aggregation in a Crowdsourced Setting", WSDM 2013,
//!   <https://doi.org/10.1145/2433396.2433420>: the quality of annotators within Bradley-Terry.
//! * A. Gelman, "Prior Distributions for Variance Parameters in Hierarchical Models", Bayesian Analysis 1(3), 2006,
//!   <https://doi.org/10.1214/06-BA117A>: a uniform prior of the standard deviation. One of its logarithm shrinks slopes too much.
//!
//! ## Notes
//!
//! There a judge's quality is the probability of reporting the preference instead of its reverse; here it multiplies the difference, so that
//! judges err less on clear pairs. A judge who decides in reverse gets a slope near 0.

use super::comparison::Cell;
use super::fit::Fit;
use super::options::Options;
use crate::StatisticsError;

/// Standard deviations of the logarithms of slopes that are tried, with the same prior probability: from judges who hardly differ to those of
/// whom one in twenty has twenty times the average slope, or a twentieth.
const SPREADS: [f64; 8] = [0.1, 0.3, 0.5, 0.7, 0.9, 1.1, 1.3, 1.5];

/// The fit with the spread of slopes that the cells leave likely: the mean over those tried, each as probable as the cells are under it.
/// Errors of slopes are those over all of these spreads: few judgements hardly say how much judges differ.
///
/// # Errors
/// As for [`Fit::new`].
pub fn discriminating(arms: usize, cells: &[Cell], options: Options) -> Result<Fit, StatisticsError> {
    let fit = |slope_spread| Fit::new(arms, cells, Options { slope_spread, ..options });
    let tried = SPREADS.into_iter().map(fit).collect::<Result<Vec<Fit>, _>>()?;
    let max_ln_evidence = tried.iter().map(Fit::ln_evidence).fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = tried.iter().map(|fit| libm::exp(fit.ln_evidence() - max_ln_evidence)).collect();
    let sum: f64 = weights.iter().sum();
    let weights: Vec<f64> = weights.iter().map(|share| share / sum).collect();
    let averaged = fit(weights.iter().zip(SPREADS).map(|(share, spread)| share * spread).sum())?;
    let error = |(slope, place): (usize, usize)| {
        let variance = weights.iter().zip(&tried).map(|(share, fit)| {
            let (moved, error) = (fit.parameters()[place] - averaged.parameters()[place], fit.slope_errors()[slope]);
            share * (moved * moved + error * error)
        });
        libm::sqrt(variance.sum())
    };
    let errors = averaged.slope_places().enumerate().map(error).collect();
    Ok(averaged.with_slope_errors(errors))
}
