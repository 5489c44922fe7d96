//! The probability of being the best in a small group, without a normal approximation.
//!
//! From few judgements the likelihood is skewed, and where a competitor never lost it has no maximum: a normal posterior then understates
//! the leader's probability. Here parameters are drawn from a distribution with heavier tails around the fit, and each draw is weighted by
//! likelihood times prior over the density that it was drawn with (importance sampling). Strengths have the prior of [the
//! posterior](super); the position effect, coefficients and ln ν have normal ones with the standard deviation of the weak prior.
//!
//! Dependent judgements carry less information: the logarithm of the likelihood is multiplied by the ratio of the model's variance to the
//! variance found.

use super::{DRAWS, spreads};
use statistics::Normals;
use statistics::bradley_terry::{Cell, Fit};
use statistics::matrix::Cholesky;

/// Draws from more dimensions than this have too uneven weights.
const MOST_PARAMETERS: usize = 8;

/// A likelihood of more cells costs too much.
const MOST_CELLS: usize = 400;

/// Weights worth fewer equal ones are not used.
const FEWEST_EFFECTIVE: f64 = DRAWS as f64 / 10.0;

/// The degrees of freedom of Student's distribution that parameters are drawn from.
const FREEDOM: usize = 4;

/// For each competitor, the probability of being the best; `None` if the group is too large for that, or judges have slopes. `covariance` is that
/// of the strengths, as found; `weak` is the standard deviation of the prior of all other parameters.
pub(crate) fn best(fit: &Fit, cells: &[Cell], covariance: &[f64], weak: f64) -> Option<Vec<f64>> {
    let (arms, size) = (fit.arms(), fit.size());
    if size > MOST_PARAMETERS || cells.len() > MOST_CELLS || !fit.slope_places().is_empty() {
        return None;
    }
    let model = fit.model_covariance();
    let worth = (0..arms).map(|k| model[k * size + k] / covariance[k * arms + k].max(f64::MIN_POSITIVE)).sum::<f64>();
    let worth = (worth / arms as f64).min(1.0);
    // A common shift of the strengths changes nothing, but the matrix needs its variance.
    let mut scale: Vec<f64> = model.iter().map(|value| value / worth).collect();
    for (row, column) in (0..arms).flat_map(|row| (0..arms).map(move |column| (row, column))) {
        scale[row * size + column] += 1.0;
    }
    let proposal = Cholesky::new(&scale, size)?;
    let mut source = Normals::from_seed(0x6578_6163);
    let mut weighted_draws = Vec::with_capacity(DRAWS);
    for _ in 0..DRAWS {
        let chi: f64 = source.normals(FREEDOM).iter().map(|z| z * z).sum();
        let stretch = libm::sqrt(FREEDOM as f64 / chi);
        let mut moved: Vec<f64> = proposal.correlate(&source.normals(size)).iter().map(|z| stretch * z).collect();
        let shift = moved[..arms].iter().sum::<f64>() / arms as f64;
        moved[..arms].iter_mut().for_each(|value| *value -= shift);
        // Student's density of the remainder without the shift.
        let length: f64 = proposal.solve(&moved).iter().zip(&moved).map(|(a, b)| a * b).sum();
        let ln_drawn = -0.5 * (FREEDOM + size - 1) as f64 * libm::log1p(length / FREEDOM as f64);
        let proposed: Vec<f64> =
            fit.parameters().iter().zip(&moved).map(|(proposed, moved)| proposed + moved).collect();
        let ln = worth * fit.ln_likelihood_at(cells, &proposed) + ln_prior(&proposed, arms, weak);
        let top = (0..arms).max_by(|a, b| proposed[*a].total_cmp(&proposed[*b])).expect("a group has members");
        weighted_draws.push((top, ln - ln_drawn));
    }
    let max_ln_weight = weighted_draws.iter().map(|draw| draw.1).fold(f64::NEG_INFINITY, f64::max);
    let (mut best, mut sum, mut squares) = (vec![0.0; arms], 0.0, 0.0);
    for (top, ln) in weighted_draws {
        let weight = libm::exp(ln - max_ln_weight);
        best[top] += weight;
        sum += weight;
        squares += weight * weight;
    }
    let is_enough = sum * sum / squares >= FEWEST_EFFECTIVE;
    is_enough.then(|| best.into_iter().map(|weight| weight / sum).collect())
}

/// ln of the prior of all parameters, up to a constant: strengths under each spread by its probability.
fn ln_prior(parameters: &[f64], arms: usize, weak_variance: f64) -> f64 {
    let (strengths, other_parameters) = parameters.split_at(arms);
    let square: f64 = strengths.iter().map(|x| x * x).sum();
    let of_strengths: f64 = spreads()
        .map(|spread| {
            // The uniform prior.
            spread * libm::exp(-0.5 * square / (spread * spread)) / libm::pow(spread, (arms - 1) as f64)
        })
        .sum();
    let of_others: f64 = other_parameters.iter().map(|x| x * x).sum();
    libm::log(of_strengths.max(f64::MIN_POSITIVE)) - 0.5 * of_others / (weak_variance * weak_variance)
}
