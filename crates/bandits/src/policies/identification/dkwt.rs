//! DKWT, the Dvoretzky-Kiefer-Wolfowitz tournament, for duels: a champion meets the other arms one by one. With probability
//! 1 - delta the arm that is left is the Condorcet winner, if there is one.
//!
//! The champion is a random arm at first. The others come in random order, and with each the champion meets in rounds s = 1,
//! 2, ...: with h = 2^-(s + 1) and gamma = 6 delta / (K pi^2 s^2),
//!
//! 1. the two meet ceil(8 ln(4 / gamma) / h^2) times;
//! 2. if one won more than h above the other's share of these duels, it is the champion from now on; otherwise round s + 1
//!    follows.
//!
//! The last champion plays alone for ever.
//!
//! ## References
//!
//! B. Haddenhorst, V. Bengs, E. Hüllermeier, "Identification of the Generalized Condorcet Winner in Multi-dueling Bandits",
//! NeurIPS 2021, <https://proceedings.neurips.cc/paper/2021/hash/d9de6a144a3cc26cb4b3c47b206a121a-Abstract.html>, for sets of
//! two.
//!
//! ## Notes
//!
//! * K - 1 pairs are decided, each in time that grows as its gap shrinks, squared: a near-tie of two bad arms costs
//!   as much as one of two good ones.
//! * Each round begins with fresh duels, as in the code of its authors. (A later program of theirs goes on counting.)
//! * The paper has sets of any size, with only their winner known. Multileaving says more than that, so sets are left out.

use super::{ChampionTest, OneByOne, PairByPair};
use crate::algorithm::papers;
use crate::{config, state};

config! {
    /// DKWT's parameters.
    pub struct DkwtConfig {
        /// The probability that another arm than the Condorcet winner is left, in (0, 1).
        delta: f64 = 0.05, "probability of another arm than the Condorcet winner" [probability];
    }

    policy PairByPair<OneByOne<Dkwt>> {
        name: "dkwt",
        summary: "the Condorcet winner with a guarantee (Haddenhorst et al., NeurIPS 2021), arm by arm",
        paper: papers::HADDENHORST_NEURIPS_2021,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> PairByPair<OneByOne<Dkwt>> {
        PairByPair::new(OneByOne::new(arms, Dkwt { delta: self.delta, arms, round: 1 }))
    }
}

/// DKWT's test of a pair.
#[derive(Debug, Clone)]
pub struct Dkwt {
    delta: f64,
    arms: usize,
    /// s.
    round: u32,
}

state!(Dkwt { round } but { delta, arms });

impl Dkwt {
    /// h and the number of duels of the present round.
    fn threshold_and_duels(&self) -> (f64, f64) {
        let round = f64::from(self.round);
        let h = libm::exp2(-(round + 1.0));
        let pi_squared = std::f64::consts::PI * std::f64::consts::PI;
        let gamma = 6.0 * self.delta / (self.arms as f64 * pi_squared * round * round);
        (h, libm::ceil(8.0 * libm::log(4.0 / gamma) / (h * h)))
    }
}

impl ChampionTest for Dkwt {
    fn start(&mut self) {
        self.round = 1;
    }

    fn decide(&mut self, wins: &mut [u32; 2]) -> Option<bool> {
        let (h, duels) = self.threshold_and_duels();
        let [won, lost] = wins.map(f64::from);
        if won + lost < duels {
            return None;
        }
        if (won - lost).abs() / duels > h {
            return Some(won > lost);
        }
        self.round += 1;
        *wins = [0; 2];
        None
    }
}
