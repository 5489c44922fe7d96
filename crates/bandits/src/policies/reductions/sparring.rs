//! Sparring: two bandits of single arms, one for either side of the duel, each learning whether
//! its own arm won.
//!
//! At each step, the left bandit picks i and the right one j, and the two meet; the winner's
//! bandit learns a win, the loser's a loss. Here both follow [upper confidence
//! bounds](crate::singleton::Ucb): mean + sqrt(scale ln t / n).
//!
//! | `variant` | arms never picked | `scale` |
//! |---|---|---|
//! | `ailon` (default) | come first | 2.5, which is (alpha + 2) / 2 at alpha = 3 |
//! | `mergedts` | count as picked once and beaten | 0.51 |
//!
//! ## References
//!
//! N. Ailon, Z. Karnin, T. Joachims, "Reducing Dueling Bandits to Cardinal Bandits", ICML 2014,
//! <https://proceedings.mlr.press/v32/ailon14.html>, algorithm 3. The second variant is the one
//! that C. Li, I. Markov, M. de Rijke, M. Zoghi compare with in "MergeDTS: A Method for Effective
//! Large-Scale Online Ranker Evaluation", ACM TOIS 38(4), 2020, <https://doi.org/10.1145/3411753>.
//!
//! ## Notes
//!
//! * No guarantee for a Condorcet winner that is not also best on average: what a side learns of an
//!   arm depends on the arms that the other side picks.
//! * An arm may meet itself: a fair coin, from which both sides learn. There is therefore no
//!   stretch to skip.
//! * t counts the picks of the bandit. The paper leaves ties open: they are broken at random.
//! * The paper does not say which arm to report: here the one picked most often by both sides together.

use crate::algorithm::papers;
use crate::singleton::{SingletonBandit, Thompson, Ucb, highest_score};
use crate::state::{StateError, StateReader, StateWriter};
use crate::{Arm, Choice, DelayedFeedback, Feedback, Generator, Policy, config, named_values};

named_values! {
    /// Which of the published rules; see the [module](self).
    pub enum Variant {
        /// The rule of the paper.
        Ailon = "ailon",
        /// The rule of the experiments with MergeDTS.
        Mergedts = "mergedts",
    }
}

config! {
    /// Sparring's parameters.
    pub struct SparringConfig {
        /// Which of the published rules.
        variant: Variant = Variant::Ailon, "ailon or mergedts";
        /// What ln t is multiplied by, positive; `None` for that of the variant.
        scale: Option<f64> = None, "index = mean + sqrt(scale ln t / n)"
            [positive] [warns if <= 1.0: "is not above 1 (alpha = 2 scale - 2 > 0), as its theory needs"];
    }

    policy Sparring<Ucb> {
        name: "sparring",
        summary: "two upper-confidence-bound bandits against each other (Ailon et al., ICML 2014)",
        paper: papers::AILON_ICML_2014,
        variants: [("variant=mergedts", "as in the experiments with MergeDTS")],
        own_loop: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> Sparring<Ucb> {
        let (scale, prior) = match self.variant {
            Variant::Ailon => (2.5, 0),
            Variant::Mergedts => (0.51, 1),
        };
        Sparring::new(Ucb::new(arms, self.scale.unwrap_or(scale), prior))
    }
}

/// Sparring of two bandits of one kind.
#[derive(Debug, Clone)]
pub struct Sparring<S> {
    sides: [S; 2],
    met: [usize; 2],
}

impl<S: SingletonBandit + Clone> Sparring<S> {
    /// Both sides begin as `side` does.
    #[must_use]
    pub fn new(side: S) -> Self {
        Self { sides: [side.clone(), side], met: [0; 2] }
    }
}

impl<S: SingletonBandit> Policy for Sparring<S> {
    fn arms(&self) -> usize {
        self.sides[0].arms()
    }

    fn choose(&mut self, _step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.arms() == 1 {
            return Choice::Alone { arm: Arm(0), until: u64::MAX };
        }
        for (met, side) in self.met.iter_mut().zip(&mut self.sides) {
            *met = side.pick(generator);
        }
        Choice::Duel(Arm::at(self.met[0]), Arm::at(self.met[1]))
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        if let Feedback::Duel { first_won, .. } = feedback {
            self.sides[0].learn(self.met[0], first_won);
            self.sides[1].learn(self.met[1], !first_won);
        }
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        let score = |arm| self.sides.iter().map(|side| side.score(arm)).sum::<f64>();
        highest_score(self.arms(), score, generator)
    }

    fn save(&self, to: &mut StateWriter) -> bool {
        to.put(self.met);
        self.sides.iter().all(|side| side.save(to))
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        self.met = from.get()?;
        self.sides.iter_mut().try_for_each(|side| side.load(from))
    }
}

impl DelayedFeedback for Sparring<Thompson> {
    fn arrive(&mut self, step: u64, arms: &[Arm], feedback: Option<Feedback<'_>>) {
        if let Some(feedback) = feedback {
            self.met = [arms[0].index(), arms[1].index()];
            self.learn(step, feedback);
        }
    }
}
