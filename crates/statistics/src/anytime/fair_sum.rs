//! Evidence against fair coins of any stakes.
//!
//! Let X₁, X₂, ... be such that X and -X are equally likely, whatever came before and however large X is. With S the sum and Q the
//! sum of squares of those seen so far, exp(λS - λ²Q/2) is a non-negative supermartingale for every λ, because the mean of
//! exp(λX) is cosh(λX), which is at most exp(λ²X²/2). Its mixture over λ ~ N(0, ρ) is
//!
//! (1 + ρQ)^(-1/2) · exp(ρS² / (2(1 + ρQ))),
//!
//! so evidence needs two numbers only, which may be added up in any order and looked at at any time (Ville's inequality): it
//! reaches 1/α at some look with a probability of at most α.
//!
//! ## References
//!
//! - V. H. de la Peña. *A general class of exponential inequalities for martingales and ratios.* Annals of Probability 27(1),
//!   1999. <https://doi.org/10.1214/aop/1022677271> (symmetric steps)
//! - S. R. Howard, A. Ramdas, J. McAuliffe, J. Sekhon. *Time-uniform, nonparametric, nonasymptotic confidence sequences.*
//!   Annals of Statistics 49(2), 2021. <https://doi.org/10.1214/20-AOS1991> (the mixture)

/// ρ: at this variance the evidence grows fastest, nearly as fast as with λ known, when a coin of stakes 1 and a share of 60 to
/// 100% of heads was tossed some dozens to hundreds of times.
const RHO: f64 = 0.05;

/// ln of the evidence that coins with this sum and sum of squares are not fair. 0 without any.
#[must_use]
pub fn ln_evidence_against_fair(sum: f64, squares: f64) -> f64 {
    let spread = 1.0 + RHO * squares;
    RHO * sum * sum / (2.0 * spread) - 0.5 * libm::log(spread)
}

#[cfg(test)]
mod tests {
    use rand::{Rng as _, SeedableRng as _};
    use ranktypes::Generator;

    use super::*;

    #[test]
    fn fair_coins_of_any_stakes_are_rarely_suspected() {
        const RUNS: u32 = 4_000;
        const ALPHA: f64 = 0.05;
        let mut suspected = 0;
        for seed in 0..RUNS {
            let mut generator = Generator::seed_from_u64(u64::from(seed));
            let (mut sum, mut squares, mut highest) = (0.0_f64, 0.0_f64, 0.0_f64);
            for _ in 0..1_000 {
                // Stakes may depend on what came before: here they grow after a loss.
                let stake = if sum < 0.0 { 3.0 } else { 1.0 };
                sum += if generator.next_u64() & 1 == 0 { stake } else { -stake };
                squares += stake * stake;
                highest = highest.max(ln_evidence_against_fair(sum, squares));
            }
            suspected += u32::from(highest >= -libm::log(ALPHA));
        }
        let bound = ALPHA * f64::from(RUNS) + 3.0 * libm::sqrt(ALPHA * f64::from(RUNS));
        assert!(f64::from(suspected) <= bound, "{suspected} of {RUNS}");
        // A test that never fires would pass, too.
        assert!(suspected > RUNS / 200, "{suspected} of {RUNS}");
    }

    #[test]
    fn loaded_coins_are_found() {
        // Always the same side: 30 tosses suffice for evidence of 400, and 20 for 20.
        assert!(ln_evidence_against_fair(30.0, 30.0) > libm::log(400.0));
        assert!(ln_evidence_against_fair(-20.0, 20.0) > libm::log(20.0));
        assert!(ln_evidence_against_fair(0.0, 1e6) < 0.0);
        assert!(ln_evidence_against_fair(0.0, 0.0).abs() < 1e-300);
    }
}
