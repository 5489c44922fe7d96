//! The guard of policies that follow a model: the evidence of each pair's duels by itself. The rule is in
//! [`bradley_terry`](super::bradley_terry#the-guard).

use crate::counts::{OpenDuels, PairCounts};
use crate::policies::rmed::divergences::{DIVERGENCE_UNIT, divergence, pass_allowance};
use crate::random::{geometric, uniform};
use crate::{Arm, Generator, state};

/// The share of steps for forced duels, by default.
pub(super) const DEFAULT_SHARE: f64 = 0.02;

/// The evidence of the duels alone, and the weights of arms against the leader.
#[derive(Debug, Clone)]
pub(super) struct Guard {
    /// The share of steps for forced duels.
    share: f64,
    counts: PairCounts,
    open: OpenDuels,
    /// For each arm, how many others have proven to beat it.
    losses: Vec<u32>,
    /// The evidence that proves, in units of [`DIVERGENCE_UNIT`], and the step from which it takes more.
    proof: i64,
    due: u64,
    leader: Option<Arm>,
    /// The weight of each arm against the leader, with B and A.
    weights: Vec<f64>,
    behind: f64,
    ahead: f64,
}

state!(Guard { counts, open, losses, proof, due, leader, weights, behind, ahead } but { share });

impl Guard {
    /// A guard for `arms` arms that have not met.
    pub(super) fn new(arms: usize, share: f64) -> Self {
        Self {
            share,
            counts: PairCounts::new(arms, 0),
            open: OpenDuels::new(arms),
            losses: vec![0; arms],
            proof: 0,
            due: 0,
            leader: None,
            weights: vec![0.0; arms],
            behind: 0.0,
            ahead: 0.0,
        }
    }

    pub(super) fn counts(&self) -> &PairCounts {
        &self.counts
    }

    /// How many arms have proven to beat `arm`.
    #[inline]
    pub(super) fn losses(&self, arm: Arm) -> u32 {
        self.losses[arm.index()]
    }

    /// The step at which the next period begins.
    pub(super) fn next_period(&self) -> u64 {
        self.due
    }

    /// Begins the period of `step`, and returns whether it is another than before: then losses may be fewer.
    #[inline]
    pub(super) fn advance(&mut self, step: u64) -> bool {
        if step < self.due {
            return false;
        }
        self.begin(step);
        true
    }

    #[cold]
    fn begin(&mut self, step: u64) {
        let arms = self.counts.arms();
        let mut start = arms.max(8) as u64;
        while start.saturating_mul(2) <= step {
            start *= 2;
        }
        self.due = start.saturating_mul(2);
        self.proof = pass_allowance(libm::log(start as f64), 0.0);
        for i in 0..arms {
            let lost = (0..arms).filter(|&j| j != i && self.proven_loser(i, j) == Some(i)).count();
            self.losses[i] = u32::try_from(lost).expect("no more than there are arms");
        }
        self.weigh_all();
    }

    /// Which of two arms has a proven loss to the other.
    #[inline]
    fn proven_loser(&self, i: usize, j: usize) -> Option<usize> {
        let (won, lost) = self.counts.between(i, j);
        (divergence(won, lost) > self.proof).then_some(if won < lost { i } else { j })
    }

    /// The fewest proven losses of any arm: those that have no more may lead.
    pub(super) fn fewest_losses(&self) -> u32 {
        self.losses.iter().copied().min().unwrap_or(0)
    }

    /// Counts a duel, and returns whether it changed the losses of either arm.
    #[inline]
    pub(super) fn record(&mut self, winner: Arm, loser: Arm) -> bool {
        let (i, j) = (winner.index(), loser.index());
        let before = self.proven_loser(i, j);
        self.counts.record(i, j);
        self.weigh_pair(winner, loser);
        let after = self.proven_loser(i, j);
        if before == after {
            return false;
        }
        after.into_iter().for_each(|arm| self.losses[arm] += 1);
        before.into_iter().for_each(|arm| self.losses[arm] -= 1);
        true
    }

    /// A duel of these arms is under way from now on.
    pub(super) fn depart(&mut self, arms: &[Arm]) {
        if let &[i, j] = arms {
            self.open.depart(i.index(), j.index());
            self.weigh_pair(i, j);
        }
    }

    /// A duel of these arms is under way no longer.
    pub(super) fn arrive(&mut self, arms: &[Arm]) {
        if let &[i, j] = arms {
            self.open.arrive(i.index(), j.index());
            self.weigh_pair(i, j);
        }
    }

    /// `arm` leads from now on.
    #[inline]
    pub(super) fn set_leader(&mut self, arm: Arm) {
        if self.leader != Some(arm) {
            self.leader = Some(arm);
            self.weigh_all();
        }
    }

    fn weigh_all(&mut self) {
        for arm in 0..self.counts.arms() {
            self.weights[arm] = self.weight(arm);
        }
        self.sum();
    }

    /// Updates the weight that has changed with a pair.
    #[inline]
    fn weigh_pair(&mut self, i: Arm, j: Arm) {
        let other = match self.leader {
            Some(leader) if leader == i => j,
            Some(leader) if leader == j => i,
            _ => return,
        };
        self.weights[other.index()] = self.weight(other.index());
        self.sum();
    }

    /// Always in the same order, so that sums do not depend on earlier ones.
    fn sum(&mut self) {
        (self.behind, self.ahead) = self.weights.iter().fold((0.0, 0.0), |(behind, ahead), &weight| {
            if weight < 1.0 { (behind + weight, ahead) } else { (behind, ahead + weight) }
        });
    }

    /// Below 1 if it is not ahead of the leader.
    fn weight(&self, arm: usize) -> f64 {
        let Some(leader) = self.leader.map(Arm::index).filter(|&leader| leader != arm) else {
            return 0.0;
        };
        let (won, lost) = self.counts.between(arm, leader);
        let divergence = divergence(won, lost);
        let evidence = divergence as f64 * DIVERGENCE_UNIT;
        match won > lost {
            _ if divergence > self.proof => 0.0,
            // The duels under way may prove as much again.
            _ if self.open.between(arm, leader) >= won.saturating_add(lost).max(1) => 0.0,
            true => libm::exp(evidence),
            false => 0.5 * libm::erfc(evidence.sqrt()),
        }
    }

    /// Whether an arm has proven to beat the leader.
    #[inline]
    pub(super) fn is_refuted(&self) -> bool {
        self.leader.is_some_and(|leader| self.losses(leader) > 0)
    }

    /// Whether the leader has proven to beat `arm`, or `arm` the leader.
    #[inline]
    pub(super) fn is_decided(&self, arm: Arm) -> bool {
        self.leader.is_some_and(|leader| self.proven_loser(arm.index(), leader.index()).is_some())
    }

    #[inline]
    fn present_share(&self) -> f64 {
        if self.is_refuted() { 1.0 } else { self.share }
    }

    /// The probability that a step has a forced duel.
    pub(super) fn rate(&self) -> f64 {
        (self.present_share() * (self.behind.min(1.0) + self.ahead)).min(1.0)
    }

    /// The opponent of the leader in a forced duel of this step, if it has one.
    #[inline]
    pub(super) fn opponent(&self, generator: &mut Generator) -> Option<Arm> {
        let rate = self.rate();
        let at = uniform(generator);
        (at < rate).then(|| self.opponent_at(at / rate))
    }

    /// How many steps pass before the next with a forced duel.
    pub(super) fn pause(&self, generator: &mut Generator) -> u64 {
        let rate = self.rate();
        if rate > 0.0 { geometric(libm::log1p(-rate), generator).saturating_sub(1) } else { u64::MAX }
    }

    /// The opponent of a forced duel, by a number of [0, 1).
    pub(super) fn opponent_at(&self, at: f64) -> Arm {
        // By their share of the duels: `behind` counts for 1 at most.
        let scale = if self.behind > 1.0 { 1.0 / self.behind } else { 1.0 };
        let mut rest = at * (self.behind.min(1.0) + self.ahead);
        let opponent = self.weights.iter().position(|&weight| {
            rest -= if weight < 1.0 { weight * scale } else { weight };
            rest < 0.0
        });
        // Past the end by rounding: the last that is open.
        let last = || self.weights.iter().rposition(|&weight| weight > 0.0);
        Arm::at(opponent.or_else(last).expect("a forced duel has an opponent"))
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::random::below;

    /// The kept values are those that follow from the wins and the step.
    #[test]
    fn kept_numbers_are_those_of_a_guard_that_begins_again() {
        let mut generator = Generator::seed_from_u64(1);
        let mut guard = Guard::new(5, 0.1);
        let (mut proven, mut refuted) = (0, 0);
        for step in 1..4_000 {
            guard.advance(step);
            if step % 7 == 0 {
                guard.set_leader(Arm::at(below(&mut generator, 5)));
            }
            let (i, j) = (below(&mut generator, 5), below(&mut generator, 4));
            let j = if j < i { j } else { j + 1 };
            // Arm 4 wins most of its duels, the others half.
            let first = uniform(&mut generator) < 0.5 + 0.2 * (f64::from(i == 4) - f64::from(j == 4));
            let (winner, loser) = if first { (i, j) } else { (j, i) };
            guard.depart(&[Arm::at(j), Arm::at(i)]);
            if step % 3 > 0 {
                guard.arrive(&[Arm::at(i), Arm::at(j)]);
            }
            let before = guard.losses.clone();
            let changed = guard.record(Arm::at(winner), Arm::at(loser));
            assert_eq!(changed, guard.losses != before);
            let mut again = Guard {
                leader: guard.leader,
                counts: guard.counts.clone(),
                open: guard.open.clone(),
                ..Guard::new(5, 0.1)
            };
            again.begin(step);
            assert_eq!((&guard.losses, guard.proof, guard.due), (&again.losses, again.proof, again.due));
            assert_eq!((&guard.weights, guard.behind, guard.ahead), (&again.weights, again.behind, again.ahead));
            proven += guard.losses.iter().sum::<u32>();
            refuted += u32::from(guard.is_refuted());
        }
        assert!(proven > 1_000 && refuted > 500, "{proven} {refuted}");
        assert_eq!(guard.losses(Arm(4)), 0);
    }

    #[test]
    fn opponents_come_by_weight() {
        let mut guard = Guard::new(4, 0.5);
        guard.set_leader(Arm(0));
        guard.advance(1);
        // Arm 1 has won 3 of 4, arm 2 has lost one, arm 3 has not met the leader.
        for (winner, loser) in [(1, 0), (1, 0), (0, 1), (1, 0), (0, 2)] {
            guard.record(Arm(winner), Arm(loser));
        }
        let evidence = 3.0 * libm::log(1.5) + libm::log(0.5);
        let [one, two, three] = [libm::exp(evidence), 0.5 * libm::erfc(libm::log(2.0).sqrt()), 0.5];
        let rate = 0.5 * (one + two + three);
        assert!((guard.rate() - rate.min(1.0)).abs() < 1e-6, "{} {rate}", guard.rate());
        let (mut met, draws) = ([0; 4], 100_000);
        let mut generator = Generator::seed_from_u64(2);
        for _ in 0..draws {
            met[guard.opponent_at(uniform(&mut generator)).index()] += 1;
        }
        assert_eq!(met[0], 0);
        for (met, weight) in met[1..].iter().zip([one, two, three]) {
            let p = weight / (one + two + three);
            let bound = 4.5 * (p * (1.0 - p) * f64::from(draws)).sqrt();
            assert!((f64::from(*met) - p * f64::from(draws)).abs() < bound, "{met} of {draws}, {p}");
        }
    }

    /// A leader that loses to one arm narrowly and beats all others is proven to lose.
    #[test]
    fn a_wrong_leader_is_deposed_and_a_right_one_is_not() {
        for seed in 0..20 {
            for wins in [0.45, 0.55] {
                let mut generator = Generator::seed_from_u64(seed);
                let mut guard = Guard::new(8, 0.02);
                guard.set_leader(Arm(0));
                let mut steps = 0;
                while steps < 100_000 && guard.losses(Arm(0)) == 0 {
                    steps += 1;
                    guard.advance(steps);
                    if let Some(opponent) = guard.opponent(&mut generator) {
                        let p = if opponent == Arm(5) { wins } else { 0.8 };
                        let (winner, loser) =
                            if uniform(&mut generator) < p { (Arm(0), opponent) } else { (opponent, Arm(0)) };
                        guard.record(winner, loser);
                    }
                }
                assert_eq!(guard.losses(Arm(0)) > 0, wins < 0.5, "{seed}: {steps} steps");
            }
        }
    }
}
