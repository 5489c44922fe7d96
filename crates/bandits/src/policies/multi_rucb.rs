//! MultiRUCB: RUCB for sets of at most m arms, all of which may still be the best.
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

use crate::algorithm::papers;
use crate::confidence::Evidence;
use crate::late::Late;
use crate::random::{coin, draw_into};
use crate::{ActionKind, Arm, Choice, Feedback, Generator, Policy, config, state, stored, takes_late};

config! {
    /// MultiRUCB's parameters.
    pub struct MultiRucbConfig {
        /// Width of the confidence bounds, positive; above 1/2 in theory.
        alpha: f64 = 0.51, "width of the bounds, above 1/2 in theory"
            [positive] [warns if <= 0.5: "is not above 1/2, as its theory needs"];
        /// The most arms of a set, at least 2.
        m: usize = 4, "the most arms of a set" [batch];
    }

    policy MultiRucb {
        name: "multirucb",
        summary: "RUCB for sets of at most m arms (Du et al., AAMAS 2020)",
        paper: papers::DU_AAMAS_2020,
        variants: [("m=2", "sets of two")],
        action: ActionKind::Sets,
        all_pairs: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> MultiRucb {
        MultiRucb::new(self, arms)
    }

    takes_late!();
}

/// MultiRUCB.
#[derive(Debug, Clone)]
pub struct MultiRucb {
    alpha: f64,
    m: usize,
    evidence: Evidence,
    /// B.
    favourite: Option<Arm>,
    /// C, and then the arms that meet.
    set: Vec<Arm>,
}

state!(MultiRucb { evidence, favourite, set } but { alpha, m });

impl MultiRucb {
    fn new(config: &MultiRucbConfig, arms: usize) -> Self {
        let set = Vec::with_capacity(arms);
        Self { alpha: config.alpha, m: config.m, evidence: Evidence::new(arms, 0), favourite: None, set }
    }

    /// Leaves m arms of `set` at random, the first `kept` among them.
    fn draw(&mut self, kept: usize, generator: &mut Generator) {
        let count = self.m.min(self.set.len());
        for place in kept..count {
            draw_into(generator, &mut self.set, place);
        }
        self.set.truncate(count);
    }

    /// Draws m arms of C, among them the favourite with probability 1/2.
    fn draw_contenders(&mut self, generator: &mut Generator) {
        let at = self.favourite.and_then(|favourite| self.set.iter().position(|&arm| arm == favourite));
        match at {
            None => self.draw(0, generator),
            Some(at) if coin(generator) => {
                self.set.swap(0, at);
                self.draw(1, generator);
            }
            Some(at) => {
                self.set.remove(at);
                self.draw(0, generator);
            }
        }
    }
}

impl Policy for MultiRucb {
    fn arms(&self) -> usize {
        self.evidence.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        let time = self.alpha * libm::log(step as f64);
        self.evidence.contenders(time, &mut self.set);
        self.favourite = self.favourite.filter(|favourite| self.set.contains(favourite));
        if let [arm] = self.set[..] {
            self.favourite = Some(arm);
            return Choice::Alone { arm, until: self.evidence.alone_until(arm, self.alpha, step) };
        }
        if self.set.is_empty() {
            self.set.extend((0..self.evidence.arms()).map(Arm::at));
            self.draw(0, generator);
        } else if self.set.len() > self.m {
            self.draw_contenders(generator);
        }
        Choice::Set(&self.set)
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        if let Feedback::Set { wins } = feedback {
            self.evidence.record_set(&self.set, wins);
        }
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        self.evidence.least_doubted(generator)
    }

    stored!();
}

impl Late for MultiRucb {
    fn arrive(&mut self, step: u64, arms: &[Arm], feedback: Option<Feedback<'_>>) {
        if let Some(feedback) = feedback {
            self.set.clear();
            self.set.extend_from_slice(arms);
            self.learn(step, feedback);
        }
    }

    fn wins(&self, i: Arm, j: Arm) -> Option<(u32, u32)> {
        Some(self.evidence.wins(i.index(), j.index()))
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::PolicyConfig as _;

    /// Six arms none of which is ruled out: sets of four, each arm equally often; with a favourite, it in half of them.
    #[test]
    fn sets_are_drawn_as_the_rule_says() {
        let mut generator = Generator::seed_from_u64(1);
        let mut policy = MultiRucbConfig::default().policy(6, None).expect("six arms");
        let draws = 20_000;
        for favourite in [None, Some(Arm(2))] {
            let mut counts = [0_u32; 6];
            for _ in 0..draws {
                policy.favourite = favourite;
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
