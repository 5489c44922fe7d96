//! Multi-dueling bandits (MDB): all arms that may still be the best meet together, and a wider set
//! of arms joins them while this is uncertain.
//!
//! At step t >= 2, with u(i, j) = w(i, j) / n(i, j) + sqrt(alpha ln t / n(i, j)) and v(i, j) the
//! same with beta alpha instead of alpha:
//!
//! * E = { i : u(i, j) >= 1/2 for all j }, F = { i : v(i, j) >= 1/2 for all j }, E within F;
//! * no arm in E: all arms meet; one: it plays alone; more: the arms of F meet.
//!
//! At step 1 all arms meet. Each pair of a set is a duel won by one of the two.
//!
//! ## References
//!
//! B. Brost, Y. Seldin, I. J. Cox, C. Lioma, "Multi-Dueling Bandits and Their Application to
//! Online Ranker Evaluation", CIKM 2016, <https://doi.org/10.1145/2983323.2983659>, algorithm 1.
//!
//! ## Notes
//!
//! * alpha = 0.5 and beta = 1.5 are the paper's choice, found on a grid; 0.5 is the limit of what theory
//!   allows.
//! * t is the step of the run, stretches alone included, so that E opens again from time to time.
//!   That step is known in advance (`confidence`), and the stretch until then is one choice.
//! * With late outcomes, E and F see known outcomes only. (Until the first come, all arms meet; a set says so much about its
//!   pairs that counting open outcomes could save little.)
//! * It recommends the arm that is the last to leave E: an arm that plays alone has met the
//!   others too seldom for its wins over each of them to be informative.

use super::contender_sets::{ContenderRule, ContenderSets};
use crate::algorithm::papers;
use crate::confidence::Evidence;
use crate::{ActionKind, Arm, Generator, config, state, takes_late};

config! {
    /// MDB's parameters.
    pub struct MdbConfig {
        /// Width of the narrow bounds, positive.
        alpha: f64 = 0.5, "width of the narrow bounds"
            [positive] [warns if < 0.5: "is below 1/2, the limit of its theory"];
        /// How much wider the wide bounds are, squared; at least 1.
        beta: f64 = 1.5, "factor of the wide bounds, at least 1"
            [positive] [at least 1 because "the wide bounds must not be the narrower ones"];
    }

    policy ContenderSets<Mdb> {
        name: "mdb",
        summary: "multi-dueling bandits (Brost et al., CIKM 2016): all contenders together",
        paper: papers::BROST_CIKM_2016,
        action: ActionKind::Sets,
        all_pairs: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> ContenderSets<Mdb> {
        ContenderSets::new(arms, Mdb { alpha: self.alpha, beta: self.beta })
    }

    takes_late!();
}

/// MDB.
#[derive(Debug, Clone)]
pub struct Mdb {
    alpha: f64,
    beta: f64,
}

state!(Mdb {} but { alpha, beta });

impl ContenderRule for Mdb {
    fn alpha(&self) -> f64 {
        self.alpha
    }

    fn meet(&mut self, set: &mut Vec<Arm>, evidence: &Evidence, time: f64, _generator: &mut Generator) {
        match set.len() {
            0 => set.extend((0..evidence.arms()).map(Arm::at)),
            1 => {}
            _ => evidence.contenders(self.beta * time, set),
        }
    }
}
