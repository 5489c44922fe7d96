//! MallowsMPI: the most preferred item of a Mallows model. A champion meets the other arms one by one, each until it is clear
//! which of the two is better. With probability 1 - delta the arm that is left is the Condorcet winner.
//!
//! With c(n) = sqrt(ln(4 K n^2 / delta) / 2 n), the champion is a random arm at first. The others come in random order:
//!
//! 1. the champion and the next arm meet until the share of their n duels that one of them won is above 1/2 + c(n);
//! 2. that one is the champion from now on.
//!
//! The last champion plays alone for ever.
//!
//! ## References
//!
//! R. Busa-Fekete, E. Hüllermeier, B. Szörényi, "Preference-Based Rank Elicitation using Statistical Models: The Case of
//! Mallows", ICML 2014, <https://proceedings.mlr.press/v32/busa-fekete14.html>.
//!
//! ## Notes
//!
//! * Where rankings of users follow a Mallows model, no pair is closer to 1/2 than neighbours in its central ranking are, so
//!   that every pair is decided soon. Nothing else is used of the model: any order of the arms will do in which each beats all
//!   below it.
//! * It takes O(1 / gap^2 ln(K / (delta gap))) duels per pair, and the gap may be that of any two arms that meet: a tie never
//!   ends. [`sequential-elimination`](super::sequential_elimination), which is alike, gives up on pairs closer than epsilon.
//! * delta = .05 here, as elsewhere in this crate.

use super::{ChampionTest, OneByOne, PairByPair};
use crate::algorithm::papers;
use crate::{config, state};

config! {
    /// The parameter of MallowsMPI.
    pub struct MallowsMpiConfig {
        /// The probability of failing, in (0, 1).
        delta: f64 = 0.05, "probability of failing" [probability];
    }

    policy PairByPair<OneByOne<MallowsMpi>> {
        name: "mallows-mpi",
        summary: "the better of two stays, however long it takes (Busa-Fekete et al., ICML 2014)",
        paper: papers::BUSA_FEKETE_ICML_2014,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> PairByPair<OneByOne<MallowsMpi>> {
        PairByPair::new(OneByOne::new(arms, MallowsMpi { delta: self.delta / arms as f64 }))
    }
}

/// MallowsMPI's test of a pair.
#[derive(Debug, Clone)]
pub struct MallowsMpi {
    /// delta / K.
    delta: f64,
}

state!(MallowsMpi {} but { delta });

impl ChampionTest for MallowsMpi {
    fn decide(&mut self, wins: &mut [u32; 2]) -> Option<bool> {
        let [won, lost] = wins.map(f64::from);
        let duels = won + lost;
        let radius = (libm::log(4.0 * duels * duels / self.delta) / (2.0 * duels)).sqrt();
        let above = won / duels - 0.5;
        (above.abs() > radius).then_some(above > 0.0)
    }
}
