//! Whether ties determine the result.

use super::{Finding, Test, TestData};
use crate::group::{fitted, strongest};
use statistics::bradley_terry::{Comparison, Point};
use statistics::{StatisticsError, normal_above};

/// Whether another competitor is first if ties are left out. Under the model both fits estimate the same strengths, the
/// one without ties less precisely; their difference is tested as that of an efficient and a consistent estimator.
///
/// J. A. Hausman, "Specification Tests in Econometrics", Econometrica 46(6), 1978, <https://doi.org/10.2307/1913827>.
pub(super) fn tie_test(data: &TestData<'_>) -> Result<Option<Test>, StatisticsError> {
    let group = data.group;
    let decided: Vec<Comparison> = group
        .units
        .iter()
        .map(|unit| unit.comparison)
        .filter(|comparison| matches!(comparison.point, Point::Share(_)))
        .collect();
    if decided.len() == group.units.len() || decided.is_empty() {
        return Ok(None);
    }
    let arms = group.fit.arms();
    let without_ties = fitted(arms, &decided, group.fit.ties())?;
    if without_ties.prior() != group.fit.prior() {
        return Ok(None);
    }
    let (a, b) = (strongest(group.fit.strengths()), strongest(without_ties.strengths()));
    let variance = |covariance: &[f64], size: usize| {
        covariance[a * size + a] + covariance[b * size + b] - 2.0 * covariance[a * size + b]
    };
    let difference = |strengths: &[f64]| strengths[a] - strengths[b];
    let spread = variance(without_ties.model_covariance(), without_ties.size())
        - variance(group.fit.model_covariance(), group.fit.size());
    let p = if a == b || spread <= 0.0 {
        1.0
    } else {
        // The pair was chosen among all because its order changed.
        let z = (difference(group.fit.strengths()) - difference(without_ties.strengths())).abs() / libm::sqrt(spread);
        2.0 * normal_above(z) * (arms - 1) as f64
    };
    Ok(Some((p, Finding::TiesDecide { with: data.name(a), without: data.name(b) })))
}
