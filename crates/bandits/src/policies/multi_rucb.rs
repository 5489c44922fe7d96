//! MultiRUCB: RUCB for sets of at most m arms that may all still be the best.
//!
//! At step t, with u(i, j) = w(i, j) / n(i, j) + sqrt(alpha ln t / n(i, j)) and C = { i : u(i, j) >= 1/2 for all j }, the
//! favourite B, if there is one, stays while it is in C, and
//!
//! * no arm in C: m arms meet, drawn from all;
//! * one: it plays alone, and is the favourite;
//! * two to m: the arms of C meet;
//! * more: m of them do, drawn from C; if there is a favourite, with probability 1/2 it and m - 1 others, otherwise m others.
//!
//! Each pair of a set is a duel won by one of the two.
//!
//! ## References
//!
//! Y. Du, S. Wang, L. Huang, "Dueling Bandits: From Two-dueling to Multi-dueling", AAMAS 2020,
//! <https://doi.org/10.48550/arXiv.2211.10293>.
//!
//! ## Notes
//!
//! * The paper's text was not at hand. The rule is that of two public programs that follow it, which agree but for one thing: one of
//!   them fills a set that C leaves room in from a second C, of the other arms. This one does not.
//! * alpha = 0.51, as for RUCB; theory needs more than 1/2. m = 4, as `self-sparring:m=4`.
//! * t is the step of the run, stretches alone included. When C opens again is known in advance, as for MDB, and the stretch until
//!   then is one choice.
//! * With late outcomes, C sees known outcomes only.
//! * It recommends the arm that is the last to leave C, as MDB does.

use super::contender_sets::{ContenderRule, ContenderSets};
use crate::algorithm::papers;
use crate::confidence::Evidence;
use crate::random::{coin, draw_into};
use crate::{ActionKind, Arm, Generator, config, state, takes_late};

config! {
    /// MultiRUCB's parameters.
    pub struct MultiRucbConfig {
        /// Width of the confidence bounds, positive; above 1/2 in theory.
        alpha: f64 = 0.51, "width of the bounds, above 1/2 in theory"
            [positive] [warns if <= 0.5: "is not above 1/2, as its theory needs"];
        /// The most arms of a set, at least 2.
        m: usize = 4, "the most arms of a set" [batch];
    }

    policy ContenderSets<MultiRucb> {
        name: "multirucb",
        summary: "RUCB for sets of at most m arms (Du et al., AAMAS 2020)",
        paper: papers::DU_AAMAS_2020,
        variants: [("m=2", "sets of two")],
        action: ActionKind::Sets,
        all_pairs: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> ContenderSets<MultiRucb> {
        ContenderSets::new(arms, MultiRucb { alpha: self.alpha, m: self.m, favourite: None })
    }

    takes_late!();
}

/// MultiRUCB.
#[derive(Debug, Clone)]
pub struct MultiRucb {
    alpha: f64,
    m: usize,
    /// B.
    favourite: Option<Arm>,
}

state!(MultiRucb { favourite } but { alpha, m });

impl MultiRucb {
    /// Leaves m arms of `set` at random, the first `kept` among them.
    fn draw(&self, set: &mut Vec<Arm>, kept: usize, generator: &mut Generator) {
        let count = self.m.min(set.len());
        for place in kept..count {
            draw_into(generator, set, place);
        }
        set.truncate(count);
    }
}

impl ContenderRule for MultiRucb {
    fn alpha(&self) -> f64 {
        self.alpha
    }

    fn meet(&mut self, set: &mut Vec<Arm>, evidence: &Evidence, _time: f64, generator: &mut Generator) {
        self.favourite = self.favourite.filter(|favourite| set.contains(favourite));
        match set[..] {
            [] => {
                set.extend((0..evidence.arms()).map(Arm::at));
                self.draw(set, 0, generator);
            }
            [lone] => self.favourite = Some(lone),
            _ if set.len() <= self.m => {}
            _ => match set.iter().position(|&arm| Some(arm) == self.favourite) {
                None => self.draw(set, 0, generator),
                Some(at) if coin(generator) => {
                    set.swap(0, at);
                    self.draw(set, 1, generator);
                }
                Some(at) => {
                    set.remove(at);
                    self.draw(set, 0, generator);
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::{Choice, Policy as _, PolicyConfig as _};

    /// Six arms, none ruled out: sets of four, each arm equally often; a favourite is in half of them.
    #[test]
    fn sets_are_drawn_as_the_rule_says() {
        let mut generator = Generator::seed_from_u64(1);
        let mut policy = MultiRucbConfig::default().policy(6, None).expect("six arms");
        let draws = 20_000;
        for favourite in [None, Some(Arm(2))] {
            let mut counts = [0_u32; 6];
            for _ in 0..draws {
                policy.rule.favourite = favourite;
                let Choice::Set(set) = policy.choose(1, &mut generator) else { panic!("a set") };
                assert_eq!(set.len(), 4);
                set.iter().for_each(|arm| counts[arm.index()] += 1);
                let distinct: std::collections::BTreeSet<_> = set.iter().collect();
                assert_eq!(distinct.len(), 4);
            }
            for (arm, count) in counts.into_iter().enumerate() {
                // 4/6 of all; with a favourite 1/2 for it, and (3/5 + 4/5) / 2 for each other.
                let share = match favourite {
                    None => 4.0 / 6.0,
                    Some(favourite) if favourite.index() == arm => 0.5,
                    Some(_) => 0.7,
                };
                let bound = 5.0 * (f64::from(draws) * share * (1.0 - share)).sqrt();
                assert!((f64::from(count) - f64::from(draws) * share).abs() < bound, "{favourite:?}, {arm}: {count}");
            }
        }
    }
}
