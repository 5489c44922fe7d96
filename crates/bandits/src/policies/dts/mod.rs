//! Double Thompson sampling (D-TS, D-TS+): of the arms that may win the most, the one that does in a
//! tournament drawn from the posterior of every pair, against the arm that looks best against it in a
//! second draw.
//!
//! With u and l = w(i, j) / n(i, j) +- sqrt(alpha ln t / n(i, j)), u(i, i) = l(i, i) = 1/2, at step t:
//!
//! 1. candidates C: the arms i with u(i, j) > 1/2 for the greatest number of arms j;
//! 2. theta(i, j) is drawn from Beta(w(i, j) + 1, w(j, i) + 1) for i < j, theta(j, i) = 1 -
//!    theta(i, j); the first is the arm a of C with theta(a, j) > 1/2 for the greatest number of arms
//!    j, ties at random;
//! 3. theta'(i, a) is drawn again, theta'(a, a) = 1/2; the second is the arm with the largest, of those
//!    with l(i, a) <= 1/2;
//! 4. the two meet.
//!
//! D-TS+ breaks ties in 2 by the least sum over j of (max z - (z(i) + z(j)) / 2) / kl(theta(i, j), 1/2),
//! z(i) being the number of arms j with theta(i, j) > 1/2.
//!
//! | `variant` | pairs never seen |
//! |---|---|
//! | `paper` (default) | u = 2, l = 0 |
//! | `mergedts` | each pair starts with one win either way for u and l |
//!
//! ## References
//!
//! H. Wu, X. Liu, "Double Thompson Sampling for Dueling Bandits", NIPS 2016,
//! <https://doi.org/10.48550/arXiv.1604.07101>, algorithm 1 and the enhancement D-TS+. The second
//! variant is the rule as the code of C. Li et al., "MergeDTS: A Method for Effective Large-Scale
//! Online Ranker Evaluation", ACM TOIS 38(4), 2020, <https://doi.org/10.1145/3411753>, has it.
//!
//! ## Notes
//!
//! * alpha = 0.51 in the experiments; those on MergeDTS also take 0.8^7 = 0.2097152, the best on a grid
//!   for 10^8 steps: `dts:variant=mergedts:alpha=0.2097152`.
//! * The paper reads x / 0 as 1, for each of the two terms.
//! * An upper bound of exactly 1/2 counts as above it.
//! * In D-TS+ the greatest z is that of all arms. Ties between equal sums are broken at random.
//! * Only pairs that take in a candidate are drawn, and of these only whether theta exceeds 1/2; none
//!   where there is one candidate (`thompson`). D-TS+ plays the whole tournament where its favourite
//!   does not win it outright.
//! * Probabilities below 1e-25 count as 0.
//! * The code that `mergedts` follows draws from a stock of samples as Lerot's [RTS](super::rts) does,
//!   by which an arm that has met itself wins one duel more of each tournament until the stock is
//!   renewed. Not followed.
//! * An arm that wins every duel of both draws meets itself, and nothing is learnt: until time changes
//!   a bound this goes on for a geometric number of steps, which are one choice. The step after it is
//!   drawn given that it is something else.

use crate::algorithm::papers;
use crate::confidence::LogTime;
use crate::thompson::{Field, Posterior, ThompsonRule, ThompsonSampling, Ties};
use crate::{Arm, config, named_values, state, takes_late};

mod bounds;

pub(super) use bounds::Bounds;

named_values! {
    /// Which of the published rules; see the [module](self).
    pub enum Variant {
        /// As printed.
        Paper = "paper",
        /// As in the code of the paper on MergeDTS.
        MergeDts = "mergedts",
    }
}

config! {
    /// D-TS's parameters, or with `PLUS` those of D-TS+.
    pub struct DoubleThompsonConfig<const PLUS: bool> {
        /// Which of the published rules.
        variant: Variant = Variant::Paper, "paper or mergedts";
        /// Width of the confidence bounds, positive; 0.51 in the experiments.
        alpha: f64 = 0.51, "width of the bounds, above 1/2 in theory"
            [positive] [warns if <= 0.5: "is not above 1/2, as its theory needs"];
    }

    policy ThompsonSampling<DoubleThompson> {
        name: if PLUS { "dts-plus" } else { "dts" },
        summary: if PLUS {
            "double Thompson sampling, ties by regret (D-TS+; Wu and Liu, NIPS 2016)"
        } else {
            "double Thompson sampling (D-TS; Wu and Liu, NIPS 2016): two sampled candidates"
        },
        paper: papers::WU_NIPS_2016,
        variants: [("variant=mergedts", "pseudo-counts")],
        revision: if PLUS { 2 } else { 1 },
        all_pairs: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> ThompsonSampling<DoubleThompson> {
        let prior = if self.variant == Variant::Paper { 0.0 } else { 1.0 };
        let rule = DoubleThompson { alpha: self.alpha, prior, clock: LogTime::new(), bounds: Bounds::new(arms) };
        ThompsonSampling::new(arms, if PLUS { Ties::Regret } else { Ties::Random }, rule)
    }

    takes_late!();
}

/// D-TS.
pub type DtsConfig = DoubleThompsonConfig<false>;
/// D-TS+.
pub type DtsPlusConfig = DoubleThompsonConfig<true>;

/// D-TS or D-TS+.
#[derive(Debug, Clone)]
pub struct DoubleThompson {
    alpha: f64,
    /// Wins either way with which each pair starts, for the bounds.
    prior: f64,
    clock: LogTime,
    bounds: Bounds,
}

state!(DoubleThompson { clock, bounds } but { alpha, prior });

impl ThompsonRule for DoubleThompson {
    fn field(&mut self, step: u64, _posterior: &mut Posterior) -> Field<'_> {
        let time = self.alpha * self.clock.ln(step as f64);
        self.bounds.advance(time);
        Field {
            first: self.bounds.leaders(),
            against: Some((self.bounds.evidence_table(), time)),
            soonest: (self.bounds.soonest(), self.alpha),
            remembered: u64::MAX,
        }
    }

    fn record(&mut self, _step: u64, winner: Arm, loser: Arm, posterior: &mut Posterior) {
        let (won, lost) = posterior.record(winner, loser);
        self.bounds.record(winner, loser, f64::from(won) + self.prior, f64::from(lost) + self.prior);
    }
}

#[cfg(test)]
mod tests {
    use crate::ParameterError;
    use crate::registry::Spec;

    #[test]
    fn each_rule_has_its_error() {
        for text in ["dts:alpha=0", "dts:alpha=nan", "dts-plus:alpha=-1"] {
            let error = text.parse::<Spec>().expect_err(text);
            assert!(matches!(error, ParameterError::NotPositive { key: "alpha", .. }));
        }
        for (text, warned) in [("dts", false), ("dts:alpha=0.2", true), ("dts-plus:alpha=0.5", true)] {
            let spec: Spec = text.parse().expect(text);
            assert_eq!(spec.warning().is_some(), warned, "{text}");
        }
    }
}
