//! Relative upper confidence bound (RUCB): optimism picks a champion that may still be the
//! Condorcet winner, and then the challenger that has the best chance against it.
//!
//! At step t, with u(i, j) = w(i, j) / n(i, j) + sqrt(alpha ln t / n(i, j)) and u(i, i) = 1/2:
//!
//! 1. candidates C = { c : u(c, j) >= 1/2 for all j };
//! 2. the champion c is drawn from C (from all arms if C is empty);
//! 3. the challenger is d = argmax over j of u(j, c);
//! 4. c and d meet.
//!
//! The variants differ in step 2 and in the bound of pairs that have not met:
//!
//! | `variant` | champion | pairs never seen | ties for d |
//! |---|---|---|---|
//! | `icml` | the favourite B with probability 1/2, else another candidate uniformly; B is the last lone candidate while it stays one | u = `unseen` | never c |
//! | `arxiv` (default) | uniform on C | u = `unseen` | never c |
//! | `lerot` | uniform on C | each pair starts with one win either way | any |
//!
//! ## References
//!
//! M. Zoghi, S. Whiteson, R. Munos, M. de Rijke, "Relative Upper Confidence Bound for the K-Armed
//! Dueling Bandit Problem", ICML 2014, <https://proceedings.mlr.press/v32/zoghi14.html>, and its
//! first version, arXiv:1312.3393, <https://doi.org/10.48550/arXiv.1312.3393>. The third is the
//! rule of the Lerot framework: A. Schuth, K. Hofmann, S. Whiteson, M. de Rijke, "Lerot: an
//! Online Learning to Rank Framework", LivingLab 2013, <https://doi.org/10.1145/2513150.2513162>.
//!
//! ## Notes
//!
//! * The paper reads x / 0 as 1, for each of the two terms of u: `unseen` is 2. Komiyama's code
//!   takes 1 for their sum.
//! * Theory needs alpha > 1/2, and alpha > 1 for the bound on the expectation. Experiments go down
//!   to 0.1, where some runs never recover: accepted, with a [warning](crate::PolicyConfig::warning).
//! * A duel of the champion with itself is uninformative, so these stretches are one choice, with a known
//!   end: the first step at which some u(j, c) reaches 1/2.
//! * It recommends the arm that beat the most others in more than half of their duels. Lerot
//!   recommends the one with the most wins in all; this is not followed, not even by `lerot`. It does not affect
//!   regret.
//! * With late outcomes, open duels count at their pair's present mean in all bounds of steps 1 to 3 (in step 1 unless that
//!   leaves no candidate); the end of a stretch alone sees known outcomes only.
//! * Candidates are kept by evidence (`confidence/evidence.rs`), challengers found by rounded bounds or leaders
//!   (`confidence/challengers`). A test compares both with the plain O(K^2) rule, choice by choice.

use crate::algorithm::papers;
use crate::confidence::{Candidates, DuelCounts as _, PairBounds};
use crate::random::{below, coin};
use crate::{
    Arm, Choice, DelayedFeedback, Feedback, Generator, Policy, config, named_values, state, stored, takes_late,
};

named_values! {
    /// Which of the published rules; see the [module](self).
    pub enum Variant {
        /// With the favourite B.
        Icml = "icml",
        /// Without.
        Arxiv = "arxiv",
        /// Without, and with pseudo-counts.
        Lerot = "lerot",
    }
}

config! {
    /// RUCB's parameters.
    pub struct RucbConfig {
        /// Which of the published rules.
        variant: Variant = Variant::Arxiv, "icml, arxiv or lerot";
        /// Width of the confidence bounds, positive; 0.51 in the experiments.
        alpha: f64 = 0.51, "width of the bounds, above 1/2 in theory"
            [positive] [warns if <= 0.5: "is not above 1/2, as its theory needs"];
        /// The upper bound of a pair never seen, at least 1/2.
        unseen: f64 = 2.0, "upper bound of a pair never seen"
            [at least 0.5 because "a pair never seen must not rule an arm out"] [idle beside variant = Variant::Lerot];
    }

    policy Rucb {
        name: "rucb",
        summary: "relative upper confidence bound (Zoghi et al., ICML 2014): optimism, twice",
        paper: papers::ZOGHI_ICML_2014,
        variants: [("variant=icml", "with the favourite B"), ("variant=lerot", "pseudo-counts")],
        all_pairs: true,
        own_loop: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> Rucb {
        Rucb::new(self, arms)
    }

    takes_late!();
}

/// RUCB.
#[derive(Debug, Clone)]
pub struct Rucb {
    variant: Variant,
    bounds: PairBounds<Candidates>,
    /// B.
    favourite: Option<Arm>,
}

state!(Rucb { bounds, favourite } but { variant });

impl Rucb {
    fn new(config: &RucbConfig, arms: usize) -> Self {
        let lerot = config.variant == Variant::Lerot;
        let unseen = if lerot { [0.5, 0.5_f64.sqrt()] } else { [config.unseen, 0.0] };
        let bounds = PairBounds::new(Candidates::new(arms, u32::from(lerot)), arms, config.alpha, unseen);
        Self { variant: config.variant, bounds, favourite: None }
    }

    /// The champion of step 2, from the candidates of step 1.
    fn champion(&mut self, generator: &mut Generator) -> Arm {
        let candidates = self.bounds.duels();
        if candidates.members().is_empty() {
            self.favourite = None;
            return Arm::at(below(generator, candidates.arms()));
        }
        if self.variant != Variant::Icml {
            return candidates.draw(generator);
        }
        self.favourite = self.favourite.filter(|&arm| candidates.contains(arm));
        match (candidates.members(), self.favourite) {
            (&[lone], _) => *self.favourite.insert(lone),
            (_, None) => candidates.draw(generator),
            (_, Some(favourite)) if coin(generator) => favourite,
            (_, Some(favourite)) => candidates.draw_other(favourite, generator),
        }
    }
}

impl Policy for Rucb {
    fn arms(&self) -> usize {
        self.bounds.duels().arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        self.bounds.advance(step);
        let champion = self.champion(generator);
        let challenger = self.bounds.challenger(champion, self.variant != Variant::Lerot, generator);
        if challenger == champion {
            return Choice::Alone { arm: champion, until: self.bounds.alone_until(champion, step) };
        }
        Choice::Duel(champion, challenger)
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        self.bounds.learn(feedback);
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        self.bounds.duels().copeland_best(generator)
    }

    stored!();
}

impl DelayedFeedback for Rucb {
    fn depart(&mut self, arms: &[Arm]) {
        self.bounds.depart(arms);
    }

    fn arrive(&mut self, _step: u64, arms: &[Arm], feedback: Option<Feedback<'_>>) {
        self.bounds.arrive(arms, feedback);
    }

    fn wins(&self, i: Arm, j: Arm) -> Option<(u32, u32)> {
        let prior = u32::from(self.variant == Variant::Lerot && i != j);
        let (won, lost) = self.bounds.duels().wins(i.index(), j.index());
        Some((won - prior, lost - prior))
    }
}
