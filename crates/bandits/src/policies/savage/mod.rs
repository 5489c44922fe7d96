//! SAVAGE for the Condorcet winner (sensitivity analysis of variables for generic exploration):
//! every pair that may still matter meets equally often, until all arms but one have lost to another
//! beyond doubt.
//!
//! With c(n) = sqrt(ln(K (K - 1) T / delta) / 2n):
//!
//! 1. of the pairs of arms left, one that has met least often meets, ties at random;
//! 2. an arm i leaves where mu(i, j) + c(n(i, j)) < 1/2 for an arm j;
//! 3. the last arm plays alone.
//!
//! | `variant` | each pair starts with | at the end plays |
//! |---|---|---|
//! | `paper` (default) | nothing | the arm left |
//! | `lerot` | one win either way | the arm that beat the most others |
//!
//! ## References
//!
//! T. Urvoy, F. Clerot, R. Feraud, S. Naamane, "Generic Exploration and K-armed Voting Bandits",
//! ICML 2013, <https://proceedings.mlr.press/v28/urvoy13.html>, with the Condorcet winner as what is
//! sought and the bound for a finite horizon. The second variant is the rule as the Lerot framework
//! has it: A. Schuth, K. Hofmann, S. Whiteson, M. de Rijke, LivingLab 2013,
//! <https://doi.org/10.1145/2513150.2513162>.
//!
//! ## Notes
//!
//! * delta = 1 / T where it is not given, as in the experiments of the papers on RUCB and RCS.
//! * Lerot stops, too, when the arm that beat the most others has mu - c > 1/2 against all of them.
//!   By then every other arm has left, so that this adds nothing. It tests each duel one step late:
//!   not so here. It lets an arm leave at mu + c = 1/2 already, and so does its variant here.
//! * A round of all pairs left is played out before the next, in a random order: pairs met least
//!   often are those that the round still has (`savage/round.rs`), found in O(log K).
//! * As T does not change, only the pair that met can rule an arm out.

use crate::algorithm::{given_horizon, papers};
use crate::counts::PairCounts;
use crate::random::below;
use crate::{Arm, Choice, Feedback, Generator, Policy, config, named_values, state, stored};

mod round;

use round::OpenPairs;

named_values! {
    /// Which of the published rules; see the [module](self).
    pub enum Variant {
        /// As printed.
        Paper = "paper",
        /// As in Lerot.
        Lerot = "lerot",
    }
}

config! {
    /// SAVAGE's parameters.
    pub struct SavageConfig {
        /// Which of the published rules.
        variant: Variant = Variant::Paper, "paper or lerot";
        /// The probability with which the best arm may be lost, in (0, 1); 1 / T where not given.
        delta: Option<f64> = None, "probability of losing the best arm, auto for 1/T" [probability];
    }

    policy Savage {
        name: "savage",
        summary: "Condorcet SAVAGE (Urvoy et al., ICML 2013): all pairs alike, until losers are certain",
        paper: papers::URVOY_ICML_2013,
        variants: [("variant=lerot", "pseudo-counts; ends with the arm that beats the most others")],
        needs_horizon: true,
        all_pairs: true,
        own_loop: true,
    }

    fn build(&self, arms: usize, horizon: Option<u64>) -> Savage {
        Savage::new(self, arms, horizon)
    }
}

impl SavageConfig {
    /// ln(K (K - 1) T / delta), a term of c(n).
    pub(crate) fn log_term(&self, arms: usize, horizon: u64) -> f64 {
        let (arms, horizon) = (arms as f64, horizon as f64);
        let delta = self.delta.unwrap_or(1.0 / horizon);
        libm::log(arms * (arms - 1.0)) + libm::log(horizon) - libm::log(delta)
    }
}

/// SAVAGE.
#[derive(Debug, Clone)]
pub struct Savage {
    lerot: bool,
    log_term: f64,
    arms: usize,
    wins: PairCounts,
    /// The arms left, in order.
    left: Vec<Arm>,
    round: OpenPairs,
    /// The arm that plays at the end.
    winner: Option<Arm>,
}

state!(Savage { wins, left, round, winner } but { lerot, log_term, arms });

impl Savage {
    fn new(config: &SavageConfig, arms: usize, horizon: Option<u64>) -> Self {
        let lerot = config.variant == Variant::Lerot;
        Self {
            lerot,
            log_term: config.log_term(arms, given_horizon(horizon)),
            arms,
            wins: PairCounts::new(arms, u32::from(lerot)),
            left: (0..arms).map(Arm::at).collect(),
            round: OpenPairs::new(arms),
            winner: None,
        }
    }

    /// The arms that are left.
    #[must_use]
    pub fn survivors(&self) -> &[Arm] {
        &self.left
    }

    #[cold]
    fn end(&mut self, generator: &mut Generator) -> Arm {
        let last = self.left[0];
        let best = if self.lerot { self.wins.copeland_best(generator) } else { None };
        *self.winner.insert(best.unwrap_or(last))
    }
}

impl Policy for Savage {
    fn arms(&self) -> usize {
        self.arms
    }

    fn choose(&mut self, _step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.left.len() == 1 {
            let arm = match self.winner {
                Some(winner) => winner,
                None => self.end(generator),
            };
            return Choice::Alone { arm, until: u64::MAX };
        }
        if self.round.left() == 0 {
            self.round.begin(&self.left);
        }
        let (first, second) = self.round.take(below(generator, self.round.left()));
        Choice::Duel(first, second)
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        let Feedback::Duel { winner, loser, .. } = feedback else {
            return;
        };
        let (won, lost) = self.wins.record(winner.index(), loser.index());
        let (won, lost) = (f64::from(won), f64::from(lost));
        // mu + c < 1/2 for the loser, squared; the winner's bound against it has only grown.
        let lead = won - lost;
        let beyond = lead * lead - 2.0 * self.log_term * (won + lost);
        let certain = beyond > 0.0 || (self.lerot && beyond == 0.0);
        if lead > 0.0
            && certain
            && let Ok(place) = self.left.binary_search(&loser)
        {
            self.left.remove(place);
            self.round.drop_arm(loser);
        }
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        match self.left[..] {
            [last] if !self.lerot => Some(last),
            _ => self.winner.or_else(|| self.wins.copeland_best(generator)),
        }
    }

    stored!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParameterError, PolicyConfig as _};

    #[test]
    fn each_rule_has_its_error() {
        for delta in [0.0, 1.0, f64::NAN] {
            let config = SavageConfig { delta: Some(delta), ..SavageConfig::default() };
            let error = config.check().expect_err("not a probability");
            assert!(matches!(error, ParameterError::NotAProbability { key: "delta", .. }));
        }
        assert_eq!(
            SavageConfig::default().policy(3, None).expect_err("no horizon"),
            ParameterError::NoHorizon { algorithm: "savage" }
        );
    }
}
