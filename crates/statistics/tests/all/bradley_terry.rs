//! Bradley-Terry against independent fits, and coverage of its intervals.

use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus as Generator;
use statistics::{BradleyTerry, Counts, ErrorEstimator, StatisticsError};

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} and {expected}");
}

#[test]
fn without_ties_it_is_a_logistic_regression() {
    let pairs = [
        (0, 1, Counts::new(28, 12, 0)),
        (0, 2, Counts::new(33, 7, 0)),
        (1, 2, Counts::new(21, 19, 0)),
        (2, 3, Counts::new(15, 25, 0)),
        (0, 3, Counts::new(22, 18, 0)),
    ];
    let fit = BradleyTerry::fit(4, &pairs).unwrap();
    // statsmodels.GLM(..., Binomial()) on columns e_i - e_j, with and without cov_type="HC0"
    let strengths = [0.6190892636460523, -0.32725535299885194, -0.5092740574617376, 0.2174401468145371];
    for (arm, expected) in strengths.into_iter().enumerate() {
        close(fit.strengths()[arm], expected, 1e-9);
    }
    close(fit.difference(0, 3, ErrorEstimator::Model).1, 0.26126332802332136, 1e-9);
    close(fit.difference(0, 3, ErrorEstimator::Sandwich).1, 0.26461995404127503, 1e-9);
    assert_eq!(fit.tie(), 0.0);
}

#[test]
fn with_ties_it_is_the_maximum_of_davidsons_likelihood() {
    let pairs = [
        (0, 1, Counts::new(20, 10, 30)),
        (1, 2, Counts::new(12, 25, 18)),
        (0, 2, Counts::new(40, 31, 22)),
        (2, 3, Counts::new(9, 3, 4)),
    ];
    let fit = BradleyTerry::fit(4, &pairs).unwrap();
    // scipy.optimize.minimize on the likelihood, Hessian by central differences
    for (arm, expected) in [0.562_758_006, -0.136_229_006, 0.386_753_816, -0.813_282_816].into_iter().enumerate() {
        close(fit.strengths()[arm], expected, 1e-6);
    }
    close(fit.tie(), 1.024_647_594, 1e-6);
    close(fit.ln_likelihood(), -240.558_310_330_9, 1e-8);
    close(fit.standard_error(3, ErrorEstimator::Model), 0.514_228, 1e-5);
    let [win, loss, tie] = fit.probabilities(0, 1);
    close(win + loss + tie, 1.0, 1e-15);
    close(tie, fit.tie() * (win * loss).sqrt(), 1e-12);
}

#[test]
fn strengths_that_do_not_exist_name_the_arms() {
    // 0 and 1 beat each other and both always beat 2 and 3.
    let pairs = [
        (0, 1, Counts::new(2, 3, 0)),
        (0, 2, Counts::new(9, 0, 0)),
        (1, 3, Counts::new(4, 0, 0)),
        (2, 3, Counts::new(1, 1, 0)),
    ];
    let error = BradleyTerry::fit(4, &pairs).unwrap_err();
    assert_eq!(error, StatisticsError::Separated { group: vec![0, 1] });
    assert!(error.to_string().contains("[0, 1]"), "{error}");
    // A tie connects.
    let mut pairs = pairs.to_vec();
    pairs.push((2, 0, Counts::new(0, 0, 1)));
    assert!(BradleyTerry::fit(4, &pairs).is_ok());
    assert!(BradleyTerry::fit(4, &[(0, 0, Counts::default())]).is_err());
    assert!(BradleyTerry::fit(1, &[]).is_err());
}

#[test]
fn intervals_cover() {
    let (truth, tie, alpha) = ([0.6, 0.1, -0.2, -0.5], 0.5_f64, 0.05);
    let mut generator = Generator::seed_from_u64(1);
    let experiments = 2_000;
    let mut covered = [[0_u32; 4]; 2];
    for _ in 0..experiments {
        let mut pairs = Vec::new();
        for i in 0..4 {
            for j in i + 1..4 {
                let a = libm::exp((truth[i] - truth[j]) / 2.0);
                let sum = a + 1.0 / a + tie;
                let mut counts = Counts::default();
                for _ in 0..200 {
                    let u = (generator.next_u64() >> 11) as f64 / 2_f64.powi(53) * sum;
                    *(if u < a {
                        &mut counts.wins
                    } else if u < a + tie {
                        &mut counts.ties
                    } else {
                        &mut counts.losses
                    }) += 1;
                }
                pairs.push((i, j, counts));
            }
        }
        let fit = BradleyTerry::fit(4, &pairs).unwrap();
        for (errors, covered) in [ErrorEstimator::Model, ErrorEstimator::Sandwich].into_iter().zip(&mut covered) {
            for (arm, truth) in truth.into_iter().enumerate() {
                let (low, high) = fit.interval(arm, alpha, errors).unwrap();
                covered[arm] += u32::from(low <= truth && truth <= high);
            }
        }
    }
    let n = f64::from(experiments);
    // Three standard errors, and 1% for the approximation.
    let allowed = 3.0 * (alpha * (1.0 - alpha) / n).sqrt() + 0.01;
    for covered in covered.into_iter().flatten() {
        close(f64::from(covered) / n, 1.0 - alpha, allowed);
    }
}
