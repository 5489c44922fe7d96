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
//! * A duel of the champion with itself is uninformative, so these stretches are one choice, whose end
//!   is known: the first step at which some u(j, c) reaches 1/2.
//! * It recommends the arm that beat the most others in more than half of their duels. Lerot
//!   recommends the one with the most wins in all; this is not followed, not even by `lerot`. It does not affect
//!   regret.
//! * With late outcomes, open duels count at their pair's present mean in all bounds of steps 1 to 3 (in step 1 unless that
//!   leaves no candidate); the end of a stretch alone sees known outcomes only.
//! * Candidates are kept by evidence (`confidence/evidence.rs`), challengers found by rounded bounds or leaders
//!   (`confidence/challengers`). A test compares both with the plain O(K^2) rule, choice by choice.

use crate::algorithm::papers;
use crate::confidence::{Candidates, Challengers, Doubts, Evidence, LogTime, Standing};
use crate::counts::OpenDuels;
use crate::late::Late;
use crate::random::{below, coin};
use crate::{Arm, Choice, Feedback, Generator, Policy, config, named_values, state, stored, takes_late};

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
    alpha: f64,
    /// The bound of a pair never seen: mean and width.
    unseen: (f64, f64),
    clock: LogTime,
    /// alpha ln t at the last choice.
    time: f64,
    evidence: Evidence,
    candidates: Candidates,
    favourite: Option<Arm>,
    opponents: Challengers,
    /// The pair that met last: only their candidacy needs an update.
    met: Option<[Arm; 2]>,
    open: OpenDuels,
    /// Candidates with strong evidence against them, open duels counted, are passed over.
    doubts: Doubts,
}

state!(Rucb { clock, time, evidence, candidates, favourite, opponents, met, open, doubts } but { variant, alpha, unseen });

impl Rucb {
    fn new(config: &RucbConfig, arms: usize) -> Self {
        let lerot = config.variant == Variant::Lerot;
        let (mean, width) = if lerot { (0.5, 0.5_f64.sqrt()) } else { (config.unseen, 0.0) };
        Self {
            variant: config.variant,
            alpha: config.alpha,
            unseen: (mean, width),
            clock: LogTime::new(),
            time: 0.0,
            evidence: Evidence::new(arms, u32::from(lerot)),
            candidates: Candidates::new(arms),
            favourite: None,
            opponents: Challengers::new(arms, mean, width),
            met: None,
            open: OpenDuels::new(arms),
            doubts: Doubts::new(arms),
        }
    }

    /// Brings the candidacy of the pair that met last up to date.
    #[inline]
    fn settle(&mut self, time: f64) {
        if let Some([first, second]) = self.met.take() {
            let strongest = self.evidence.strongest();
            self.candidates.update(first, strongest[first.index()], time);
            self.candidates.update(second, strongest[second.index()], time);
        }
    }

    /// Rewrites the bounds of a pair, of whose duels the first has won `won`.
    #[inline(always)]
    fn rate(&mut self, i: usize, j: usize, won: u32, lost: u32) {
        let standing = Standing::of(won.into(), lost.into(), self.open.between(i, j));
        let (mean, width) = self.unseen;
        self.set(i, j, standing.unwrap_or(Standing { mean, other_mean: mean, width }));
    }

    #[inline(always)]
    fn set(&mut self, i: usize, j: usize, standing: Standing) {
        self.opponents.set(j, i, standing.mean, standing.width);
        self.opponents.set(i, j, standing.other_mean, standing.width);
        self.doubts.update(i, j, self.open.between(i, j), &self.evidence);
    }

    /// The same after an outcome that came late: one duel more is known and one less is open, so the width stays.
    fn rate_means(&mut self, i: usize, j: usize) {
        let (won, lost) = self.evidence.wins(i, j);
        let (won, lost) = (f64::from(won), f64::from(lost));
        let share = 1.0 / (won + lost);
        let standing = Standing { mean: won * share, other_mean: lost * share, width: self.opponents.width(i, j) };
        debug_assert_eq!(Standing::of(won, lost, self.open.between(i, j)), Some(standing));
        self.set(i, j, standing);
    }

    fn champion(&mut self, generator: &mut Generator) -> Arm {
        let candidates = self.candidates.members();
        let doubted = |arm: &Arm| self.doubts.rule_out(arm.index(), self.time);
        let uniform = |generator: &mut Generator| {
            let drawn = candidates[below(generator, candidates.len())];
            if !doubted(&drawn) {
                return drawn;
            }
            let count = candidates.iter().filter(|arm| !doubted(arm)).count();
            let mut others = candidates.iter().filter(|arm| !doubted(arm));
            if count > 0 { others.nth(below(generator, count)).copied().unwrap_or(drawn) } else { drawn }
        };
        if candidates.is_empty() {
            self.favourite = None;
            return Arm::at(below(generator, self.evidence.arms()));
        }
        if self.variant != Variant::Icml {
            return uniform(generator);
        }
        self.favourite = self.favourite.filter(|&arm| self.candidates.contains(arm));
        if let &[lone] = candidates {
            self.favourite = Some(lone);
            return lone;
        }
        let Some(favourite) = self.favourite else {
            return uniform(generator);
        };
        if coin(generator) {
            return favourite;
        }
        // Uniform on the others: skip the favourite's place.
        let other = candidates[below(generator, candidates.len() - 1)];
        let place = candidates.partition_point(|&arm| arm <= other);
        let other = if other < favourite { other } else { candidates[place] };
        if doubted(&other) { favourite } else { other }
    }
}

impl Policy for Rucb {
    fn arms(&self) -> usize {
        self.evidence.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        let time = self.alpha * self.clock.ln(step as f64);
        self.time = time;
        self.settle(time);
        self.candidates.advance(self.evidence.strongest(), time);
        let champion = self.champion(generator);
        let not_itself = self.variant != Variant::Lerot;
        let (opponents, scale) = (&mut self.opponents, time.sqrt());
        let challenger = opponents.challenger(champion.index(), not_itself, scale, generator);
        let challenger = Arm::at(challenger);
        if challenger == champion {
            let known = |opponent: usize| {
                let (won, lost) = self.evidence.wins(opponent, champion.index());
                Standing::of(won.into(), lost.into(), 0)
            };
            let until = self.opponents.alone_until(champion.index(), self.alpha, &self.open, known);
            return Choice::Alone { arm: champion, until: until.max(step) };
        }
        Choice::Duel(champion, challenger)
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        let Feedback::Duel { winner, loser, first_won } = feedback else {
            return;
        };
        // As they were chosen: which of them has its bounds renewed is then easier to predict.
        let (first, second) = if first_won { (winner, loser) } else { (loser, winner) };
        let (i, j) = (first.index(), second.index());
        let (won, lost) = self.evidence.record(i, j, first_won);
        self.rate(i, j, won, lost);
        self.met = Some([first, second]);
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        self.evidence.copeland_best(generator)
    }

    stored!();
}

impl Late for Rucb {
    fn depart(&mut self, arms: &[Arm]) {
        let (i, j) = (arms[0].index(), arms[1].index());
        self.doubts.begin(&self.evidence);
        self.open.depart(i, j);
        self.opponents.mix();
        let (won, lost) = self.evidence.wins(i, j);
        self.rate(i, j, won, lost);
    }

    fn arrive(&mut self, _step: u64, arms: &[Arm], feedback: Option<Feedback<'_>>) {
        let (i, j) = (arms[0].index(), arms[1].index());
        self.open.arrive(i, j);
        let Some(Feedback::Duel { winner, loser, .. }) = feedback else {
            let (won, lost) = self.evidence.wins(i, j);
            self.rate(i, j, won, lost);
            return;
        };
        self.settle(self.time);
        let (w, l) = (winner.index(), loser.index());
        self.evidence.record(w, l, true);
        self.rate_means(w, l);
        self.met = Some([winner, loser]);
    }

    fn wins(&self, i: Arm, j: Arm) -> Option<(u32, u32)> {
        let prior = u32::from(self.variant == Variant::Lerot && i != j);
        let (won, lost) = self.evidence.wins(i.index(), j.index());
        Some((won - prior, lost - prior))
    }
}
