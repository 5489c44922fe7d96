//! What regret measures: the kinds of regret by name, and the gap of every arm to the best arm by each of them.
//!
//! In each step an arm costs its *gap*. The arms of a step cost the mean of their gaps, except for weak and strong
//! regret, which count the smallest and the largest gap ([`Regret`](crate::Regret) has all three). The kind of regret
//! changes no choice of a policy, only what the choice costs.
//!
//! | kind | gap of arm j | of a step | exists |
//! |---|---|---|---|
//! | `condorcet` | P(* beats j) - 1/2 for the Condorcet winner * | mean | if some arm beats all others |
//! | `weak` | the same | smallest | likewise |
//! | `strong` | the same | largest | likewise |
//! | `copeland` | how much smaller a share of the other arms it beats than the best arm | mean | always |
//! | `borda` | how much smaller its mean P of beating another arm is than the best arm's | mean | always |
//! | `von-neumann` | P(w beats j) - 1/2 for an arm drawn from the von Neumann winner w, a lottery that no arm beats | mean | always |
//! | `ndcg` | how much smaller its nDCG is than the best ranker's | mean | for rankers of labelled documents |
//!
//! Without a Condorcet winner it can happen that every arm is optimal: by Copeland score if all arms beat equally many
//! others (every cycle of three arms), by von Neumann if the lottery plays all arms. Regret is then 0 whatever is
//! played and measures nothing: [`every_arm_is_optimal`].
//!
//! ## References
//! * Weak and strong: Y. Yue, J. Broder, R. Kleinberg, T. Joachims, "The K-armed Dueling Bandits Problem", JCSS 2012,
//!   <https://doi.org/10.1016/j.jcss.2011.12.028>; B. Chen, P. Frazier, "Dueling Bandits with Weak Regret", ICML 2017,
//!   <https://proceedings.mlr.press/v70/chen17c.html>.
//! * Copeland: M. Zoghi, Z. Karnin, S. Whiteson, M. de Rijke, "Copeland Dueling Bandits", NIPS 2015,
//!   <https://proceedings.neurips.cc/paper/2015/hash/9872ed9fc22fc182d371c3e9ed316094-Abstract.html>.
//! * Borda: K. Jamieson, S. Katariya, A. Deshpande, R. Nowak, "Sparse Dueling Bandits", AISTATS 2015,
//!   <https://proceedings.mlr.press/v38/jamieson15.html> (the winner); A. Saha, T. Koren, Y. Mansour, "Adversarial
//!   Dueling Bandits", ICML 2021, <https://proceedings.mlr.press/v139/saha21a.html> (the regret).
//! * von Neumann: M. Dudík, K. Hofmann, R. E. Schapire, A. Slivkins, M. Zoghi, "Contextual Dueling Bandits", COLT 2015,
//!   <https://proceedings.mlr.press/v40/Dudik15.html>.
//! * All of them: V. Bengs, R. Busa-Fekete, A. El Mesaoudi-Paul, E. Hüllermeier, "Preference-based Online Learning with
//!   Dueling Bandits: A Survey", JMLR 2021, <https://jmlr.org/papers/v22/18-546.html>.
//!
//! ## Notes
//! Papers that sum the gaps of a duel (Copeland) or count margins in [-1, 1] (von Neumann) report twice the regret
//! measured here.

mod kind;
mod reference;

pub use kind::{RegretKind, UnknownRegret};
pub use reference::{RegretReference, RegretReferenceError, every_arm_is_optimal};
