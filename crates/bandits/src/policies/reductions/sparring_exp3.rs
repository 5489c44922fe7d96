//! Sparring with exponential weights: as [Sparring](super::sparring), but each side is
//! [EXP3](crate::singleton::Exp3), which asks nothing of where outcomes come from.
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

use super::rex3::{Gamma, gamma_in_unit};
use super::sparring::Sparring;
use crate::algorithm::{papers, parameters, warnings, without_effect};
use crate::singleton::{Exp3, Rate};
use crate::{Paper, ParameterError, PolicyConfig};

/// Parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct SparringExp3Config {
    /// Where gamma comes from, if it is not given.
    pub variant: Gamma,
    /// How much of each choice is uniform, in (0, 1]; `None` for that of the variant.
    pub gamma: Option<f64>,
}

impl Default for SparringExp3Config {
    fn default() -> Self {
        Self { variant: Gamma::Horizon, gamma: None }
    }
}

impl PolicyConfig for SparringExp3Config {
    const NAME: &'static str = "sparring-exp3";
    const SUMMARY: &'static str = "two exponential-weight bandits against each other (Ailon et al., ICML 2014)";
    const PAPER: Option<Paper> = Some(papers::AILON_ICML_2014);
    const VARIANTS: &'static [(&'static str, &'static str)] = &[("variant=mergedts", "decreasing gamma")];
    const NEEDS_HORIZON: bool = true;
    type Policy = Sparring<Exp3>;

    fn uses_horizon(&self) -> bool {
        self.variant == Gamma::Horizon && self.gamma.is_none()
    }

    parameters! {
        "variant" => variant, "horizon or mergedts";
        "gamma" => gamma, "how much of each choice is uniform";
    }

    fn check(&self) -> Result<(), ParameterError> {
        gamma_in_unit(self.gamma)
    }

    fn warning(&self) -> Option<String> {
        let idle = self.gamma.is_some() && self.variant != Self::default().variant;
        warnings(Self::NAME, [idle.then(|| without_effect("variant", "gamma"))])
    }

    fn policy(&self, arms: usize, horizon: u64) -> Result<Sparring<Exp3>, ParameterError> {
        self.check_for(arms, horizon)?;
        let rate = match (self.gamma, self.variant) {
            (Some(gamma), _) => Rate::Fixed(gamma),
            (None, Gamma::Horizon) => Exp3::rate_for(arms, horizon),
            (None, Gamma::Mergedts) => Rate::Falling { most: 1.0 },
        };
        Ok(Sparring::new(Exp3::new(arms, rate)))
    }
}
