//! Scalable Copeland bandits (SCB): the share of other arms that an arm beats is itself the mean of
//! a bandit's arm, sampled with one random opponent at a time, and found once per round, in rounds
//! of squared length.
//!
//! In round r = 1, 2, ..., of T = T(r) steps:
//!
//! 1. a *reward* of arm i is found by drawing an opponent j and letting the two meet until it is
//!    certain which is better (immediately, if it already is): 1 if i is, otherwise 0;
//! 2. all arms are active at first. Pass by pass, every active arm gets one reward, and active arms
//!    with an upper bound below another's lower one are dropped: the bounds are the largest and
//!    the smallest x with N kl(mean reward, x) <= the allowance, after N rewards;
//! 3. when one arm is left, or nothing is uncertain that an active arm takes part in, the active
//!    arm that beats the most others plays alone until the round ends.
//!
//! | `variant` | T(r) | certain once n kl(mu, 1/2) exceeds | allowance of the bounds |
//! |---|---|---|---|
//! | `paper` (default) | 2^(2^r) | ln(2 n (n + 1) K^2 / delta) | ln(4 s K / delta) + 2 ln ln s |
//! | `wu` | 1000^(2^(r - 1)) | alpha (ln(4 t K) + 2 max(1, ln ln t)) | alpha (ln(4 T K) + 2 max(1, ln ln t)) |
//!
//! Here delta = ln T / T, s counts rewards, and t the steps of the round.
//!
//! ## References
//!
//! M. Zoghi, Z. Karnin, S. Whiteson, M. de Rijke, "Copeland Dueling Bandits", NIPS 2015,
//! <https://proceedings.neurips.cc/paper/2015/hash/9872ed9fc22fc182d371c3e9ed316094-Abstract.html>,
//! algorithms 2 to 4. The second variant is that of the experiments of H. Wu, X. Liu, "Double
//! Thompson Sampling for Dueling Bandits", NIPS 2016, <https://doi.org/10.48550/arXiv.1604.07101>,
//! in their software DuelingBandits.
//!
//! ## Notes
//!
//! * The paper requires a pair's winner to be certain with probability 1 - delta / K^2 and leaves the
//!   test open. The test here guarantees it for all n together: by Chernoff's bound each n errs
//!   with probability 2 exp(-n kl), and the 1 / (n (n + 1)) sum to 1.
//! * Every round starts from scratch, as its delta differs. The recommendation is that of the last round
//!   that found an arm, and before that the arm that beat the most others in this one.
//! * In the paper's terms the approximation epsilon is 0, so that a round ends early only by step 3.
//!   That one arm is left ends it in DuelingBandits and duelpy, that nothing is uncertain in
//!   DuelingBandits; both variants here take both. DuelingBandits then takes the arm that beats the
//!   most others of all arms, not only of the active ones: not followed.
//! * All active arms have had equally many rewards after a pass, so that bounds are in the order of
//!   the means: one lower bound and one divergence decide whether an arm is dropped.

use crate::algorithm::papers;
use crate::counts::{PairCounts, PairTable};
use crate::random::below;
use crate::{Arm, Choice, Feedback, Generator, Policy, config, named_values, state, stored};

named_values! {
    /// Which of the published rules; see the [module](self).
    pub enum Variant {
        /// As printed.
        Paper = "paper",
        /// As in DuelingBandits.
        Wu = "wu",
    }
}

config! {
    /// SCB's parameters.
    pub struct ScbConfig {
        /// Which of the published rules.
        variant: Variant = Variant::Paper, "paper or wu";
        /// Width of the bounds of the variant `wu`, positive.
        alpha: f64 = 0.51, "width of the bounds, only of wu" [positive] [idle beside variant = Variant::Paper];
    }

    policy Scb {
        name: "scb",
        summary: "scalable Copeland bandits (Zoghi et al., NIPS 2015)",
        paper: papers::ZOGHI_NIPS_2015,
        variants: [("variant=wu", "as in DuelingBandits")],
        all_pairs: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> Scb {
        Scb { config: self.clone(), arms, number: 0, ends: 0, begins: 1, round: Round::new(arms), found: None }
    }
}

/// SCB.
#[derive(Debug, Clone)]
pub struct Scb {
    config: ScbConfig,
    arms: usize,
    /// The round, and its first and last step.
    number: u32,
    begins: u64,
    ends: u64,
    round: Round,
    /// The arm found by the last round that found one.
    found: Option<usize>,
}

state!(Scb { number, begins, ends, round, found } but { config, arms });

/// The state of a round.
#[derive(Debug, Clone)]
struct Round {
    wins: PairCounts,
    /// Whether it is certain which of i and j is better.
    certain: PairTable<bool>,
    /// How many others that is uncertain of, for each arm.
    uncertain: Vec<usize>,
    active: Vec<usize>,
    /// The active arm that gets a reward next, and the pair that meets for it.
    place: usize,
    pair: Option<(usize, usize)>,
    /// Rewards in whole passes, the sum of each arm's, and how many there were in all.
    passes: u64,
    rewards: Vec<u64>,
    asked: u64,
    /// The arm found.
    winner: Option<usize>,
}

state!(Round { wins, certain, uncertain, active, place, pair, passes, rewards, asked, winner });

impl Round {
    fn new(arms: usize) -> Self {
        Self {
            wins: PairCounts::new(arms, 0),
            certain: PairTable::new(arms, false),
            uncertain: vec![arms - 1; arms],
            active: (0..arms).collect(),
            place: 0,
            pair: None,
            passes: 0,
            rewards: vec![0; arms],
            asked: 0,
            winner: None,
        }
    }

    /// The active arm that beats the most others, the lowest of several.
    fn strongest(&self) -> usize {
        let arms = self.uncertain.len();
        let beaten = |i: usize| (0..arms).filter(|&j| self.wins.beats(i, j)).count();
        let mut best = (0, self.active[0]);
        for &arm in &self.active {
            let count = beaten(arm);
            if count > best.0 {
                best = (count, arm);
            }
        }
        best.1
    }

    /// Gives the next active arm its reward, and returns whether that ends the pass.
    fn reward(&mut self, reward: bool) -> bool {
        self.rewards[self.active[self.place]] += u64::from(reward);
        self.asked += 1;
        self.place += 1;
        let ends = self.place == self.active.len();
        if ends {
            self.place = 0;
            self.passes += 1;
        }
        ends
    }

    fn drop_losers(&mut self, allowance: f64) {
        let (mut most, mut least) = (0, u64::MAX);
        for &arm in &self.active {
            most = most.max(self.rewards[arm]);
            least = least.min(self.rewards[arm]);
        }
        let passes = self.passes as f64;
        let mean = |rewards: u64| rewards as f64 / passes;
        let bound = lower_bound(mean(most), allowance / passes);
        let falls = |rewards: u64| {
            let mean = mean(rewards);
            mean < bound && passes * kl(mean, bound) > allowance
        };
        if falls(least) {
            let rewards = &self.rewards;
            self.active.retain(|&arm| !falls(rewards[arm]));
        }
    }
}

/// kl(p, q) for q in (0, 1).
fn kl(p: f64, q: f64) -> f64 {
    let term = |p: f64, q: f64| if p > 0.0 { p * libm::log(p / q) } else { 0.0 };
    term(p, q) + term(1.0 - p, 1.0 - q)
}

/// The smallest x with kl(mean, x) <= allowance.
fn lower_bound(mean: f64, allowance: f64) -> f64 {
    let (mut outside, mut inside) = (0.0, mean);
    for _ in 0..50 {
        let middle = f64::midpoint(outside, inside);
        if middle > 0.0 && kl(mean, middle) <= allowance {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    inside
}

impl Scb {
    /// T(r).
    fn length(&self) -> u64 {
        let (base, doublings): (u64, u32) = match self.config.variant {
            Variant::Paper => (2, self.number),
            Variant::Wu => (1000, self.number - 1),
        };
        let power = 1_u32.checked_shl(doublings).unwrap_or(u32::MAX);
        base.saturating_pow(power)
    }

    fn next_round(&mut self, step: u64) {
        if self.number > 0 {
            self.found = self.round.winner.or(self.found);
        }
        self.number += 1;
        self.begins = step;
        self.ends = step.saturating_add(self.length() - 1);
        self.round = Round::new(self.arms);
    }

    /// delta = ln T / T.
    fn ln_delta(&self) -> f64 {
        let length = libm::log(self.length() as f64);
        libm::log(length) - length
    }

    /// alpha (ln(4 time K) + 2 max(1, ln ln t)) at step t of the round.
    fn width(&self, time: f64, step: u64) -> f64 {
        let passed = libm::log((step + 1 - self.begins) as f64).max(1.0);
        self.config.alpha * (libm::log(4.0 * time * self.arms as f64) + 2.0 * libm::log(passed).max(1.0))
    }

    /// The limit of N kl within the bounds of a mean reward, after `asked` rewards.
    fn allowance(&self, asked: u64, step: u64) -> f64 {
        match self.config.variant {
            Variant::Paper => {
                let asked = asked as f64;
                let slow = libm::log(libm::log(asked).max(1.0));
                libm::log(4.0 * asked * self.arms as f64) - self.ln_delta() + 2.0 * slow
            }
            Variant::Wu => self.width(self.length() as f64, step),
        }
    }

    /// Whether the winner of a pair is certain, after `won` wins and `lost` losses.
    fn is_certain(&self, won: u32, lost: u32, step: u64) -> bool {
        let (won, lost) = (f64::from(won), f64::from(lost));
        let met = won + lost;
        let threshold = match self.config.variant {
            Variant::Paper => {
                let arms = self.arms as f64;
                libm::log(2.0 * met * (met + 1.0) * arms * arms) - self.ln_delta()
            }
            Variant::Wu => self.width((step + 1 - self.begins) as f64, step),
        };
        met * kl(won / met, 0.5) > threshold
    }

    /// Steps 1 to 3, as far as they go without a duel: the next pair, or an arm to play alone.
    fn ask(&mut self, step: u64, generator: &mut Generator) -> Result<(usize, usize), usize> {
        loop {
            if let Some(winner) = self.round.winner {
                return Err(winner);
            }
            let round = &self.round;
            let known = |arm: &usize| round.uncertain[*arm] == 0;
            if round.active.len() == 1 || (round.pair.is_none() && round.active.iter().all(known)) {
                self.round.winner = Some(self.round.strongest());
                continue;
            }
            if let Some(pair) = self.round.pair {
                return Ok(pair);
            }
            let arm = self.round.active[self.round.place];
            let other = below(generator, self.arms - 1);
            let other = other + usize::from(other >= arm);
            if self.round.certain[(arm, other)] {
                self.reward(self.round.wins.beats(arm, other), step);
            } else {
                self.round.pair = Some((arm, other));
            }
        }
    }

    fn reward(&mut self, reward: bool, step: u64) {
        if self.round.reward(reward) {
            let allowance = self.allowance(self.round.asked, step);
            self.round.drop_losers(allowance);
        }
    }
}

impl Policy for Scb {
    fn arms(&self) -> usize {
        self.arms
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.arms == 1 {
            return Choice::Alone { arm: Arm(0), until: u64::MAX };
        }
        if step > self.ends {
            self.next_round(step);
        }
        match self.ask(step, generator) {
            Ok((arm, other)) => Choice::Duel(Arm::at(arm), Arm::at(other)),
            Err(winner) => Choice::Alone { arm: Arm::at(winner), until: self.ends },
        }
    }

    fn learn(&mut self, step: u64, feedback: Feedback<'_>) {
        let (Feedback::Duel { winner, loser, .. }, Some((arm, other))) = (feedback, self.round.pair) else {
            return;
        };
        let (winner, loser) = (winner.index(), loser.index());
        self.round.wins.record(winner, loser);
        let (won, lost) = self.round.wins.between(arm, other);
        if self.is_certain(won, lost, step) {
            for (i, j) in [(arm, other), (other, arm)] {
                self.round.certain[(i, j)] = true;
                self.round.uncertain[i] -= 1;
            }
            self.round.pair = None;
            self.reward(won > lost, step);
        }
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        let found = self.round.winner.or(self.found).map(Arm::at);
        found.or_else(|| self.round.wins.copeland_best(generator))
    }

    stored!();
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::PolicyConfig as _;

    #[test]
    fn bounds_are_where_the_divergence_reaches_its_allowance() {
        for (mean, allowance) in [(1.0, 0.3), (0.5, 0.02), (0.9, 1.0), (0.01, 0.5)] {
            let bound = lower_bound(mean, allowance);
            assert!(bound > 0.0 && bound < mean);
            assert!((kl(mean, bound) - allowance).abs() < 1e-9 || bound < 1e-12, "{mean}");
        }
        assert_eq!(lower_bound(0.0, 0.3), 0.0);
        assert_eq!(kl(0.5, 0.5), 0.0);
    }

    #[test]
    fn those_dropped_are_those_whose_bounds_do_not_meet() {
        // The upper bound of each arm by bisection, as the rule has it, against the shortcut.
        let upper = |mean: f64, allowance: f64| 1.0 - lower_bound(1.0 - mean, allowance);
        let mut generator = Generator::seed_from_u64(1);
        let mut dropped = 0;
        for _ in 0..500 {
            let mut round = Round::new(8);
            round.passes = 1 + below(&mut generator, 400) as u64;
            for reward in &mut round.rewards {
                *reward = below(&mut generator, round.passes as usize + 1) as u64;
            }
            let allowance = 1.0 + below(&mut generator, 20) as f64;
            let passes = round.passes as f64;
            let share = allowance / passes;
            let mean = |arm: usize| round.rewards[arm] as f64 / passes;
            let lowest = (0..8).map(|arm| lower_bound(mean(arm), share)).fold(0.0, f64::max);
            let stays: Vec<usize> = (0..8).filter(|&arm| upper(mean(arm), share) >= lowest).collect();
            round.drop_losers(allowance);
            assert_eq!(round.active, stays);
            dropped += 8 - stays.len();
        }
        assert!(dropped > 1000);
    }

    #[test]
    fn rounds_are_squared() {
        let config = ScbConfig::default();
        let mut scb = config.policy(3, None).expect("valid");
        let mut generator = Generator::seed_from_u64(2);
        let mut begins = Vec::new();
        for step in 1..66_000 {
            let choice = scb.choose(step, &mut generator);
            if let Choice::Duel(first, second) = choice {
                // Lower arms always win.
                scb.learn(step, Feedback::of_duel(first, second, first < second));
            }
            if begins.last() != Some(&scb.begins) {
                begins.push(scb.begins);
            }
        }
        assert_eq!(begins, [1, 5, 21, 277, 65_813]);
        assert_eq!(scb.recommend(&mut generator), Some(Arm(0)));
    }
}
