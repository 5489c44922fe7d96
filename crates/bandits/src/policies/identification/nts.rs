//! NTS, noisy tournament sampling: does any arm beat all others, and which? Each pair meets until a sequential test
//! decides, in an order that needs no more than 2 K - log2 K - 2 pairs.
//!
//! 1. The arms play a knock-out: in the first round as many sit out as it takes to have a power of two after it.
//! 2. Its winner meets the arms that it has not met yet, in random order. If it beats all, it is the Condorcet winner and plays alone for ever;
//!    as soon as it loses, every arm has lost once and there is none.
//! 3. Two arms meet until one of them is m = ceil(ln((1 - g) / g) / ln((1/2 + h) / (1/2 - h))) duels ahead, g = gamma / K.
//!
//! If no preference is closer to 1/2 than h, the answer is right with probability 1 - gamma.
//!
//! ## References
//!
//! B. Haddenhorst, V. Bengs, J. Brandt, E. Hüllermeier, "Testification of Condorcet Winners in Dueling Bandits", UAI 2021,
//! <https://proceedings.mlr.press/v161/haddenhorst21a.html>. The order is that of A. D. Procaccia, "A Note on the Query
//! Complexity of the Condorcet Winner Problem", Information Processing Letters 108, 2008,
//! <https://doi.org/10.1016/j.ipl.2008.07.012>, and the test A. Wald's, "Sequential Tests of Statistical Hypotheses", Annals of
//! Mathematical Statistics 16, 1945, <https://doi.org/10.1214/aoms/1177731118>.
//!
//! ## Notes
//!
//! * A right answer needs only the pairs of one arm to be right: at most K - 1 of them, each wrong with probability g.
//! * The code of its authors ends a pair one duel later: with a lead above m.
//! * If there is no Condorcet winner, it recommends none, and the winner of the knock-out plays alone for ever.
//! * A pair takes at most m^2 duels on average, however close it is.

use super::{Bracket, PairByPair, PairRule};
use crate::algorithm::papers;
use crate::algorithm::rules::{below, positive};
use crate::random::shuffle;
use crate::{Arm, Generator, ParameterError, config, state};

config! {
    /// NTS's parameters.
    pub struct NtsConfig {
        /// How far all preferences are from 1/2, between 0 and 1/2.
        h: f64 = 0.05, "how far all preferences are from 1/2";
        /// The probability of a wrong answer, in (0, 1).
        gamma: f64 = 0.05, "probability of a wrong answer" [probability];
    }

    policy PairByPair<Nts> {
        name: "nts",
        summary: "is there a Condorcet winner? (Haddenhorst et al., UAI 2021): a knock-out, then its winner against all",
        paper: papers::HADDENHORST_UAI_2021,
        variants: [("h=0.2", "preferences far from 1/2")],
    }

    fn check_together(&self) -> Result<(), ParameterError> {
        positive("h", self.h)?;
        below("h", self.h, 0.5, "no preference is further than that from 1/2")
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> PairByPair<Nts> {
        let error = self.gamma / arms as f64;
        let lead = libm::log((1.0 - error) / error) / libm::log((0.5 + self.h) / (0.5 - self.h));
        PairByPair::new(Nts {
            lead: libm::ceil(lead).max(1.0),
            bracket: Bracket::new(arms, arms.next_power_of_two() - arms),
            lost_to: vec![None; arms],
            finalist: None,
            unmet: Vec::new(),
        })
    }
}

/// NTS.
#[derive(Debug, Clone)]
pub struct Nts {
    /// m.
    lead: f64,
    bracket: Bracket,
    /// The arm that knocked each arm out.
    lost_to: Vec<Option<Arm>>,
    /// The winner of the knock-out, and the arms that it has yet to meet.
    finalist: Option<Arm>,
    unmet: Vec<Arm>,
}

state!(Nts { bracket, lost_to, finalist, unmet } but { lead });

impl Nts {
    /// The Condorcet winner, once it is known; `Some(None)` if there is none.
    #[must_use]
    pub fn answer(&self) -> Option<Option<Arm>> {
        let finalist = self.finalist?;
        let beaten = self.lost_to[finalist.index()].is_some();
        if beaten { Some(None) } else { self.unmet.is_empty().then_some(Some(finalist)) }
    }
}

impl PairRule for Nts {
    fn arms(&self) -> usize {
        self.bracket.arms()
    }

    fn next(&mut self, generator: &mut Generator) -> Option<[Arm; 2]> {
        let finalist = match self.finalist {
            Some(finalist) => finalist,
            None => {
                if let Some(pair) = self.bracket.next(generator) {
                    return Some(pair);
                }
                let winner = self.bracket.winner();
                let arms = (0..self.arms()).map(Arm::at);
                self.unmet = arms.filter(|&arm| arm != winner && self.lost_to[arm.index()] != Some(winner)).collect();
                shuffle(generator, &mut self.unmet);
                *self.finalist.insert(winner)
            }
        };
        // Left in the list until it is decided.
        let opponent = self.unmet.last().copied().filter(|_| self.lost_to[finalist.index()].is_none());
        opponent.map(|opponent| [finalist, opponent])
    }

    fn decide(&mut self, wins: &mut [u32; 2]) -> Option<bool> {
        let [won, lost] = wins.map(f64::from);
        ((won - lost).abs() >= self.lead).then_some(won > lost)
    }

    fn decided(&mut self, better: Arm, worse: Arm) {
        self.lost_to[worse.index()] = Some(better);
        match self.finalist {
            None => self.bracket.goes_through(better),
            Some(_) => drop(self.unmet.pop()),
        }
    }

    fn last(&self) -> Arm {
        self.finalist.unwrap_or(Arm(0))
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        match self.finalist {
            Some(finalist) => Some(finalist).filter(|arm| self.lost_to[arm.index()].is_none()),
            None => self.bracket.leader(generator),
        }
    }
}
