//! Sparring with exponential weights: as [Sparring](super::sparring), but each side is
//! [EXP3](crate::singleton::Exp3), which assumes nothing about outcomes.
//!
//! At each step each side picks arm i with probability p(i) = (1 - gamma) w(i) / W + gamma / K; the
//! two meet; the winner's side multiplies w(i) by exp(gamma / (p(i) K)).
//!
//! | `variant` | gamma, where it is not given |
//! |---|---|
//! | `horizon` (default) | min(1, sqrt(K ln K / ((e - 1) T))) for horizon T |
//! | `mergedts` | min(1, sqrt(K ln K / max(t, 10^4))) at step t, no horizon |
//!
//! ## References
//!
//! N. Ailon, Z. Karnin, T. Joachims, ICML 2014, <https://proceedings.mlr.press/v32/ailon14.html>,
//! with the bandit of P. Auer, N. Cesa-Bianchi, Y. Freund, R. E. Schapire, "The Nonstochastic
//! Multiarmed Bandit Problem", SIAM Journal on Computing 32(1), 2002,
//! <https://doi.org/10.1137/S0097539701398375>, corollary 3.2. The second variant is that of C. Li,
//! I. Markov, M. de Rijke, M. Zoghi, "MergeDTS", ACM TOIS 38(4), 2020,
//! <https://doi.org/10.1145/3411753>.
//!
//! ## Notes
//!
//! * Weights are kept as logarithms, so that they neither overflow nor vanish, and drawn from a
//!   tree of sums: a step costs O(log K).
//! * The arm reported has the largest product of both sides' weights.

use super::rex3::Gamma;
use super::sparring::Sparring;
use crate::algorithm::{given_horizon, papers};
use crate::config;
use crate::singleton::{Exp3, Rate};

config! {
    /// Parameters.
    pub struct SparringExp3Config {
        /// Where gamma comes from, if it is not given.
        variant: Gamma = Gamma::Horizon, "horizon or mergedts" [idle beside gamma];
        /// How much of each choice is uniform, in (0, 1]; `None` for that of the variant.
        gamma: Option<f64> = None, "how much of each choice is uniform" [share];
    }

    policy Sparring<Exp3> {
        name: "sparring-exp3",
        summary: "two exponential-weight bandits against each other (Ailon et al., ICML 2014)",
        paper: papers::AILON_ICML_2014,
        variants: [("variant=mergedts", "decreasing gamma")],
        needs_horizon: true,
    }

    fn uses_horizon(&self) -> bool {
        self.variant == Gamma::Horizon && self.gamma.is_none()
    }

    fn build(&self, arms: usize, horizon: Option<u64>) -> Sparring<Exp3> {
        let rate = match (self.gamma, self.variant) {
            (Some(gamma), _) => Rate::Fixed(gamma),
            (None, Gamma::Horizon) => Exp3::rate_for(arms, given_horizon(horizon)),
            (None, Gamma::Mergedts) => Rate::Falling { most: 1.0 },
        };
        Sparring::new(Exp3::new(arms, rate))
    }
}
