//! Versatile-DB: as [Sparring](super::sparring), but each side is [Tsallis-INF](crate::singleton::TsallisInf). Its regret
//! grows like ln T if there is a Condorcet winner and preferences stay as they are, and like sqrt(K T) whatever they do.
//!
//! At each step each side picks an arm by the probabilities of its regularised leader; the two meet; the winner's side
//! learns of a loss of 0, the loser's of a loss of 1.
//!
//! | `estimator` | estimated loss of arm i, with l that of the arm picked and w(i) the probability of i | eta(t) |
//! |---|---|---|
//! | `reduced` (default) | b(i), and b(i) + (l - b(i)) / w(i) if picked; b(i) = 1/2 where w(i) >= eta^2, else 0 | 4 / sqrt(t) |
//! | `importance` | 0, and l / w(i) if picked | 2 / sqrt(t) |
//!
//! ## References
//!
//! A. Saha, P. Gaillard, "Versatile Dueling Bandits: Best-of-both World Analyses for Learning from Relative Preferences",
//! ICML 2022, <https://doi.org/10.48550/arXiv.2202.06694>. The bandit of either side is that of J. Zimmert, Y. Seldin,
//! Journal of Machine Learning Research 22(28), 2021, <https://doi.org/10.48550/arXiv.1807.07623>.
//!
//! ## Notes
//!
//! * Both estimators are Zimmert and Seldin's, with their rates of learning; the default is the one with the smaller bound.
//! * The sides are separate bandits. The paper remarks that one can play both arms; that form is not here.
//! * An arm may meet itself: a fair coin, from which both sides learn.
//! * The paper does not say which arm to report: here the one with the smallest estimated loss of both sides together.
//! * A step computes the probabilities of all arms, a few times over: O(K).

use super::sparring::Sparring;
use crate::algorithm::papers;
use crate::config;
use crate::singleton::{Estimator, TsallisInf};

config! {
    /// Versatile-DB's parameters.
    pub struct VersatileDbConfig {
        /// How losses are estimated.
        estimator: Estimator = Estimator::Reduced, "reduced or importance";
    }

    policy Sparring<TsallisInf> {
        name: "versatile-db",
        summary: "two Tsallis-INF bandits against each other (Saha and Gaillard, ICML 2022)",
        paper: papers::SAHA_ICML_2022,
        variants: [("estimator=importance", "importance weighting")],
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> Sparring<TsallisInf> {
        Sparring::new(TsallisInf::new(arms, self.estimator))
    }
}
