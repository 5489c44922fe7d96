//! A weighted line through points, and what it predicts of a new one.
//!
//! The model is y = a + b x + noise, the noise of a point normal with a variance of s^2 / weight. Weights say how points differ in
//! accuracy and nothing more: s is estimated from the residuals, so that scatter beyond what errors of measurement explain is part
//! of every error and prediction. Weights are scaled to a mean of 1, so that s is the deviation of a point of average weight.
//!
//! ## References
//!
//! * N. R. Draper, H. Smith, "Applied Regression Analysis", 3rd edition, Wiley, 1998, ISBN 0-471-17082-8.
//! * N. Bi, P. Castells, D. Gilbert, S. Galperin, P. Tardif, S. Ahuja, "Debiased Balanced Interleaving at Amazon Search", CIKM
//!   2022, <https://doi.org/10.1145/3511808.3557123>: A/B results from those of interleaving.

use super::bootstrap::differences;
use crate::StatisticsError;
use crate::special_functions::{student_outside, student_quantile};

/// A line that was fitted to points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// The value at x = 0.
    pub intercept: f64,
    /// Its standard error.
    pub intercept_error: f64,
    /// By how much y grows with x.
    pub slope: f64,
    /// Its standard error.
    pub slope_error: f64,
    /// The standard deviation of a point of average weight around the line, in units of y.
    pub residual_deviation: f64,
    /// The degrees of freedom: two less than the points.
    pub freedom: usize,
    /// The weighted mean of all x, at which the line is known best.
    pub centre: f64,
    /// The standard error of the line there.
    pub centre_error: f64,
}

/// The prediction of a line for a new point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// The expected y.
    pub mean: f64,
    /// The standard error of prediction: how far the point is from there.
    pub standard_error: f64,
    /// The degrees of freedom of its t distribution.
    pub freedom: usize,
}

impl Line {
    /// The intervals of intercept and slope, each at confidence 1 - `alpha`.
    ///
    /// # Errors
    /// If `alpha` is not in (0, 1).
    pub fn intervals(&self, alpha: f64) -> Result<[(f64, f64); 2], StatisticsError> {
        crate::error::check_level(alpha)?;
        let t = student_quantile(alpha, self.freedom as f64);
        let around = |value: f64, error: f64| (value - t * error, value + t * error);
        Ok([around(self.intercept, self.intercept_error), around(self.slope, self.slope_error)])
    }

    /// The y of the line at `x`.
    #[must_use]
    pub fn value_at(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }

    /// The y of a new point of average weight, where `x` was measured with the standard error `x_error`, at least 0. Its variance
    /// is that of the line at `x`, that of the residuals, and slope^2 times that of `x`.
    ///
    /// The residuals already hold errors with which the x of the points were measured: pass what the error of the new one has
    /// beyond those, and 0 if it has nothing.
    ///
    /// # Errors
    /// If `x` or `x_error` is not finite, or `x_error` is below 0.
    pub fn predict(&self, x: f64, x_error: f64) -> Result<Prediction, StatisticsError> {
        for (what, value, is_allowed, range) in [
            ("x", x, x.is_finite(), "finite numbers"),
            ("the standard error of x", x_error, x_error.is_finite() && x_error >= 0.0, "[0, infinity)"),
        ] {
            if !is_allowed {
                return Err(StatisticsError::OutOfRange { what, value, range });
            }
        }
        let far = (x - self.centre) * self.slope_error;
        let error_terms = [self.centre_error, far, self.residual_deviation, self.slope * x_error];
        Ok(Prediction {
            mean: self.value_at(x),
            standard_error: error_terms.into_iter().fold(0.0, libm::hypot),
            freedom: self.freedom,
        })
    }
}

impl Prediction {
    /// The interval of the new point at confidence 1 - `alpha`.
    ///
    /// # Errors
    /// If `alpha` is not in (0, 1).
    pub fn interval(&self, alpha: f64) -> Result<(f64, f64), StatisticsError> {
        super::student::interval(self.mean, self.standard_error, self.freedom, alpha)
    }

    /// The probability that the new point has the other sign than `value`; `None` if that is 0. With few points it leans towards one
    /// half, as the line could be another one.
    #[must_use]
    pub fn sign_differs(&self, value: f64) -> Option<f64> {
        let mean = match value {
            value if value > 0.0 => self.mean,
            value if value < 0.0 => -self.mean,
            _ => return None,
        };
        if mean == 0.0 {
            return Some(0.5);
        }
        let tail = student_outside(mean / self.standard_error, self.freedom as f64) / 2.0;
        Some(if mean > 0.0 { tail } else { 1.0 - tail })
    }
}

/// The line through the points (`x[i]`, `y[i]`) by weighted least squares. Weights are positive, in any unit, e.g. 1 / e^2 for values
/// of y with standard errors e.
///
/// # Errors
/// If the samples differ in length or have fewer than three values, a value is not finite, a weight is not positive, all x are
/// equal, or numbers are so large or so far apart that a result is not finite.
///
/// ```
/// let line = statistics::fixed_sample::weighted_line(&[1.0, 2.0, 3.0, 4.0], &[2.0, 3.0, 5.0, 6.0], &[1.0; 4])?;
/// assert!((line.intercept - 0.5).abs() < 1e-12 && (line.slope - 1.4).abs() < 1e-12);
/// // Residuals of 0.1, -0.3, 0.3 and -0.1.
/// assert!((line.residual_deviation - 0.1_f64.sqrt()).abs() < 1e-12);
/// # Ok::<(), statistics::StatisticsError>(())
/// ```
pub fn weighted_line(x: &[f64], y: &[f64], weights: &[f64]) -> Result<Line, StatisticsError> {
    let n = differences(x, y)?.len();
    differences(x, weights)?;
    if n < 3 {
        return Err(StatisticsError::TooFew { what: "points", found: n, needed: 3 });
    }
    if let Some(&value) = weights.iter().find(|weight| **weight <= 0.0) {
        return Err(StatisticsError::OutOfRange { what: "a weight", value, range: "(0, infinity)" });
    }
    if x.iter().all(|value| *value == x[0]) {
        return Err(StatisticsError::AllEqual { what: "x", value: x[0] });
    }
    let largest = weights.iter().fold(0.0_f64, |largest, weight| largest.max(*weight));
    let scale = n as f64 / weights.iter().map(|weight| weight / largest).sum::<f64>();
    let weights: Vec<f64> = weights.iter().map(|weight| weight / largest * scale).collect();
    let mean =
        |values: &[f64]| values.iter().zip(&weights).map(|(value, weight)| weight * value).sum::<f64>() / n as f64;
    let (centre, middle) = (mean(x), mean(y));
    let points = || x.iter().zip(y).zip(&weights).map(|((x, y), weight)| (x - centre, y - middle, *weight));
    let squares: f64 = points().map(|(x, _, weight)| weight * x * x).sum();
    let slope = points().map(|(x, y, weight)| weight * x * y).sum::<f64>() / squares;
    let residuals: f64 = points().map(|(x, y, weight)| weight * (y - slope * x) * (y - slope * x)).sum();
    let residual_deviation = libm::sqrt(residuals / (n - 2) as f64);
    let centre_error = residual_deviation / libm::sqrt(n as f64);
    let slope_error = residual_deviation / libm::sqrt(squares);
    let intercept_error = libm::hypot(centre_error, centre * slope_error);
    let intercept = middle - slope * centre;
    for (what, value) in [("the intercept", intercept), ("the slope", slope), ("an error of the line", intercept_error)]
    {
        if !value.is_finite() {
            return Err(StatisticsError::OutOfRange { what, value, range: "finite numbers" });
        }
    }
    let freedom = n - 2;
    Ok(Line { intercept, intercept_error, slope, slope_error, residual_deviation, freedom, centre, centre_error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Normals;

    const X: [f64; 10] = [0.02, -0.01, 0.035, 0.005, -0.02, 0.012, 0.05, -0.004, 0.028, 0.001];
    const Y: [f64; 10] = [0.9, -0.1, 1.2, -0.2, -0.7, 0.4, 1.9, 0.3, 0.8, 0.1];
    const ERRORS: [f64; 10] = [0.3, 0.2, 0.4, 0.2, 0.25, 0.3, 0.6, 0.35, 0.2, 0.15];

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-11 * expected.abs().max(1e-3), "{found}, expected {expected}");
    }

    #[test]
    fn equals_scipy_and_numpy() {
        // scipy.stats.linregress(x, y)
        let line = weighted_line(&X, &Y, &[7.0; 10]).unwrap();
        close(line.slope, 33.430_349_494_806_07);
        close(line.intercept, 0.068_864_910_910_768_96);
        close(line.slope_error, 3.692_468_911_941_582_6);
        close(line.intercept_error, 0.087_340_745_184_787_63);
        // w = 1 / e**2; w /= w.mean(); A = X.T @ (X * w[:, None]); b = solve(A, X.T @ (w * y)) with X = [1, x];
        // s2 = (w * (y - X @ b)**2).sum() / 8; C = s2 * inv(A); scipy.optimize.curve_fit(..., sigma=e) agrees to 7 digits.
        let weights = ERRORS.map(|error| 1.0 / (error * error));
        let line = weighted_line(&X, &Y, &weights).unwrap();
        close(line.intercept, 0.031_089_965_088_058_63);
        close(line.slope, 30.591_591_552_329_014);
        close(line.intercept_error, 0.076_575_210_368_985_25);
        close(line.slope_error, 4.530_892_230_845_729);
        close(line.residual_deviation, 0.228_450_089_764_564);
        // b -+ t.ppf(0.975, 8) * sqrt(diag(C))
        let [intercept, slope] = line.intervals(0.05).unwrap();
        close(intercept.0, -0.145_492_786_676_950_26);
        close(intercept.1, 0.207_672_716_853_067_54);
        close(slope.0, 20.143_335_331_834_336);
        close(slope.1, 41.039_847_772_823_69);
        // v = [1, x0] @ C @ [1, x0] + s2 + b[1]**2 * ex**2; t.cdf(-(b @ [1, x0]) / sqrt(v), 8)
        let new = line.predict(0.01, 0.006).unwrap();
        close(new.mean, 0.337_005_880_611_348_8);
        close(new.standard_error, 0.302_482_161_235_787_1);
        let (low, high) = new.interval(0.05).unwrap();
        close(low, -0.360_519_234_023_869_5);
        close(high, 1.034_530_995_246_567);
        close(new.sign_differs(0.01).unwrap(), 0.148_785_870_564_270_23);
        close(new.sign_differs(-0.01).unwrap(), 1.0 - 0.148_785_870_564_270_23);
        // The same with x0 = -0.03 and ex = 0; t.sf instead of t.cdf.
        let new = line.predict(-0.03, 0.0).unwrap();
        close(new.standard_error, 0.288_846_921_876_421_5);
        close(new.sign_differs(-0.03).unwrap(), 0.007_678_078_020_423_072);
        assert_eq!(new.sign_differs(0.0), None);
    }

    #[test]
    fn only_ratios_of_weights_matter() {
        let weights = ERRORS.map(|error| 1.0 / (error * error));
        let line = weighted_line(&X, &Y, &weights).unwrap();
        for scale in [1e-300, 1e280] {
            let scaled = weighted_line(&X, &Y, &weights.map(|weight| weight * scale)).unwrap();
            close(scaled.slope, line.slope);
            close(scaled.residual_deviation, line.residual_deviation);
        }
        // Twice the y: twice everything, and the same probability.
        let twice = weighted_line(&X, &Y.map(|y| 2.0 * y), &weights).unwrap();
        close(twice.slope_error, 2.0 * line.slope_error);
        let differs = |line: &Line| line.predict(0.02, 0.01).unwrap().sign_differs(0.02).unwrap();
        close(differs(&twice), differs(&line));
    }

    #[test]
    fn what_has_no_line_is_refused() {
        let ones = [1.0; 3];
        assert!(weighted_line(&[1.0, 2.0], &[1.0, 2.0], &[1.0; 2]).is_err());
        let equal = weighted_line(&[0.5; 3], &[1.0, 2.0, 3.0], &ones).unwrap_err();
        assert_eq!(equal.to_string(), "all x are 0.5; expected at least two different ones");
        assert!(weighted_line(&[1.0, 2.0, 3.0], &[1.0, 2.0], &ones).is_err());
        assert!(weighted_line(&[1.0, 2.0, 3.0], &[1.0, 2.0, f64::NAN], &ones).is_err());
        assert!(weighted_line(&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0], &[1.0, 0.0, 1.0]).is_err());
        assert!(weighted_line(&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0], &[1.0, f64::INFINITY, 1.0]).is_err());
        assert!(weighted_line(&[1.0, 2.0, 3.0], &[1e200, -1e200, 1e200], &ones).is_err());
        let certain = weighted_line(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0], &ones).unwrap();
        let new = certain.predict(1.0, 0.0).unwrap();
        assert!(new.sign_differs(1.0).unwrap() < 1e-6 && new.interval(0.0).is_err(), "{new:?}");
        assert!(certain.predict(1.0, -1.0).is_err() && certain.predict(f64::NAN, 0.0).is_err());
    }

    /// A line through `past` points around `a` + `b` x, in a new place x, and the prediction and the y that comes there. Points differ
    /// in accuracy: their deviations are 0.1 to 0.3, and the new one has average weight.
    fn drawn(draws: &mut Normals, past: usize, a: f64, b: f64) -> (f64, Prediction, f64) {
        let x: Vec<f64> = (0..past).map(|_| 0.03 * draws.normal()).collect();
        let deviations: Vec<f64> = (0..past).map(|_| 0.1 + 0.2 * draws.uniform()).collect();
        let y: Vec<f64> = x.iter().zip(&deviations).map(|(x, e)| a + b * x + e * draws.normal()).collect();
        let weights: Vec<f64> = deviations.iter().map(|e| 1.0 / (e * e)).collect();
        let average = libm::sqrt(past as f64 / weights.iter().sum::<f64>());
        // How accurately the new x is measured is known: the truth is elsewhere.
        let (measured, x_error) = (0.03 * draws.normal(), 0.01);
        let truth = measured + x_error * draws.normal();
        let prediction = weighted_line(&x, &y, &weights).unwrap().predict(measured, x_error).unwrap();
        (measured, prediction, a + b * truth + average * draws.normal())
    }

    /// Eight points are enough for an exact distribution: the share of predicted values below the one that comes is uniform.
    #[test]
    fn predictions_are_calibrated() {
        let mut draws = Normals::from_seed(11);
        let repetitions = 20_000;
        let mut tenths = [0_u32; 10];
        for _ in 0..repetitions {
            // A flat line, to which the error of x adds little: the t distribution is exact.
            let (_, prediction, outcome) = drawn(&mut draws, 8, 0.05, 1.0);
            let from_outcome = Prediction { mean: prediction.mean - outcome, ..prediction };
            let below = from_outcome.sign_differs(1.0).unwrap();
            tenths[((10.0 * below) as usize).min(9)] += 1;
        }
        for count in tenths {
            let share = f64::from(count) / f64::from(repetitions);
            assert!((share - 0.1).abs() < 4.0 * (0.09 / f64::from(repetitions)).sqrt(), "{tenths:?}");
        }
    }

    /// Past experiments of known lines: whatever is predicted, signs differ as often as that.
    #[test]
    fn signs_differ_as_often_as_predicted() {
        let mut draws = Normals::from_seed(12);
        let mut bins = [(0.0, 0.0, 0.0); 5];
        for _ in 0..40_000 {
            let (a, b) = (0.5 * draws.normal(), 15.0 * draws.normal());
            let (measured, prediction, outcome) = drawn(&mut draws, 20, a, b);
            let probability = prediction.sign_differs(measured).unwrap();
            let bin = [0.05, 0.2, 0.5, 0.8].iter().filter(|end| probability > **end).count();
            let (predicted, differ, variance) = &mut bins[bin];
            *predicted += probability;
            *differ += f64::from(u8::from((outcome > 0.0) != (measured > 0.0)));
            *variance += probability * (1.0 - probability);
        }
        for (predicted, differ, variance) in bins {
            // Four standard deviations of the number of signs that differ.
            assert!(variance > 50.0 && (differ - predicted).abs() < 4.0 * f64::sqrt(variance), "{bins:?}");
        }
    }
}
