//! Sparring with exponential weights for users who change: as [`sparring-exp3`](crate::policies::sparring_exp3), but each
//! side is [EXP3.S](crate::singleton::Exp3S), which gives every arm a small part of all weight at each step, so that an arm that
//! becomes best late need not make up for the past.
//!
//! At each step each side picks arm i with probability p(i) = (1 - gamma) w(i) / W + gamma / K; the two meet; the winner's side
//! multiplies w(i) by exp(gamma / (p(i) K)); then every w(j) of both sides grows by e alpha W / K.
//!
//! | parameter | where it is not given, for a horizon T |
//! |---|---|
//! | `gamma` | min(1, sqrt(K ((`changes` + 1) ln(K T) + e) / ((e - 1) T))) |
//! | `alpha` | 1 / T |
//!
//! ## References
//!
//! N. Ailon, Z. Karnin, T. Joachims, ICML 2014, <https://proceedings.mlr.press/v32/ailon14.html>, for the two sides, with the
//! bandit of P. Auer, N. Cesa-Bianchi, Y. Freund, R. E. Schapire, "The Nonstochastic Multiarmed Bandit Problem", SIAM Journal
//! on Computing 32(1), 2002, <https://doi.org/10.1137/S0097539701398375>, section 8.
//!
//! ## Notes
//!
//! * DEX3.S (S. Gupta, A. Saha, ICML 2022, arXiv 2111.03917) has the same aim. Whether it differs by more than its constants
//!   could not be read from public sources, so this is not called by its name.
//! * ANACONDA (T. Kleine Buening, A. Saha, AISTATS 2023), which need not know how often preferences change, is not here: with
//!   the constants of its theory it eliminates hardly any arm before a usual horizon ends, and plays at random until then.
//! * An arm may meet itself: a fair coin, from which both sides learn.
//! * The arm reported has the largest share of both sides' weights.

use crate::algorithm::rules::finite_at_least;
use crate::algorithm::{given_horizon, papers};
use crate::policies::sparring::Sparring;
use crate::singleton::Exp3S;
use crate::{ParameterError, config};

config! {
    /// Parameters.
    pub struct SparringExp3sConfig {
        /// How often the best arm is expected to change before the horizon, at least 0.
        changes: f64 = 1.0, "how often the best arm is expected to change" [idle beside gamma];
        /// How much of each choice is uniform, in (0, 1]; `None` for that of the horizon.
        gamma: Option<f64> = None, "how much of each choice is uniform" [share];
        /// How much of all weight every step shares, at least 0; `None` for that of the horizon.
        alpha: Option<f64> = None, "how much of all weight a step shares";
    }

    policy Sparring<Exp3S> {
        name: "sparring-exp3s",
        summary: "two bandits with shared exponential weights against each other (Auer et al., 2002)",
        paper: papers::AUER_SICOMP_2002,
        variants: [("changes=10", "ten changes expected")],
        needs_horizon: true,
    }

    fn uses_horizon(&self) -> bool {
        self.gamma.is_none() || self.alpha.is_none()
    }

    fn check_together(&self) -> Result<(), ParameterError> {
        finite_at_least("changes", self.changes, 0.0, "it is a number of changes")?;
        finite_at_least("alpha", self.alpha, 0.0, "weights would fall below zero")
    }

    fn build(&self, arms: usize, horizon: Option<u64>) -> Sparring<Exp3S> {
        let gamma = self.gamma.unwrap_or_else(|| Exp3S::gamma_for(arms, given_horizon(horizon), self.changes + 1.0));
        let alpha = self.alpha.unwrap_or_else(|| 1.0 / given_horizon(horizon) as f64);
        Sparring::new(Exp3S::new(arms, gamma, alpha))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{eight_until, mean, runs};
    use crate::Arm;

    /// The old winner costs .35 per step once the order is reversed. A policy that must unlearn half a million steps plays it to
    /// the end; one that shares weights finds the new winner: at most half of the regret, by more than four standard errors, and right in
    /// every run.
    #[test]
    fn it_follows_a_jump_that_sparring_exp3_does_not() {
        let arena = eight_until(500_000);
        let regret = |name: &str, best: u32| {
            let runs = runs(name, &arena, &[500_000, 600_000], 10);
            assert!(runs.iter().all(|(_, arm)| *arm == Some(Arm(best))), "{name}: {runs:?}");
            mean(runs.iter().map(|(regret, _)| regret[1] - regret[0]))
        };
        let (shared, variance) = regret("sparring-exp3s", 7);
        let (alone, of_alone) = regret("sparring-exp3", 0);
        let bound = 4.0 * (variance / 4.0 + of_alone / 16.0).sqrt();
        assert!(shared < alone / 2.0 - bound, "{shared} and {alone}, {bound}");
    }
}
