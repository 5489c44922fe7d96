//! Confidence bounds on preferences, kept so that only what a duel changes is recomputed.
//!
//! The upper bound u(i, j) = mu(i, j) + sqrt(alpha ln t / n(i, j)) falls below 1/2 exactly while
//! alpha ln t < q(i, j), where q(i, j) = n (1/2 - mu)^2 = (w(j, i) - w(i, j))^2 / 4n for an arm
//! that is behind, and 0 otherwise: the *evidence* that i loses to j. One duel changes two entries
//! of q, and time alone changes none, so that "no upper bound of arm i is below 1/2" is one
//! comparison with the largest entry of its row.

use super::last_step_below;
use crate::counts::{PairCounts, PairTable};
use crate::{Arm, Generator, PairWins, state};

/// The wins of every pair, and the evidence against each arm.
#[derive(Debug, Clone)]
pub(crate) struct Evidence {
    wins: PairCounts,
    /// q(i, j).
    against: PairTable<f64>,
    /// The largest entry of each row of `against`, and its column.
    strongest: Vec<f64>,
    holder: Vec<u32>,
}

state!(Evidence { wins, against, strongest, holder });

impl Evidence {
    /// `prior` wins either way for every pair.
    pub(crate) fn new(arms: usize, prior: u32) -> Self {
        Self {
            wins: PairCounts::with_diagonal(arms, prior, 0),
            against: PairTable::new(arms, 0.0),
            strongest: vec![0.0; arms],
            holder: vec![0; arms],
        }
    }

    pub(crate) fn arms(&self) -> usize {
        self.wins.arms()
    }

    /// How often `i` beat `j`, and `j` beat `i`.
    #[inline]
    pub(crate) fn wins(&self, i: usize, j: usize) -> (u32, u32) {
        self.wins.between(i, j)
    }

    /// The evidence against an arm, for each other.
    #[inline]
    pub(crate) fn evidence_against(&self, arm: usize) -> &[f64] {
        self.against.row(arm)
    }

    /// The strongest evidence against each arm.
    #[inline]
    pub(crate) fn strongest(&self) -> &[f64] {
        &self.strongest
    }

    /// Puts into `set` the arms with all upper bounds at least 1/2, in order; `time` is alpha ln t.
    pub(crate) fn contenders(&self, time: f64, set: &mut Vec<Arm>) {
        let strongest = self.strongest.iter().enumerate();
        set.clear();
        set.extend(strongest.filter(|&(_, &evidence)| time >= evidence).map(|(index, _)| Arm::at(index)));
    }

    /// The last step, from `step` on, at which `arm` is the only contender if nothing is learnt until then.
    pub(crate) fn alone_until(&self, arm: Arm, alpha: f64, step: u64) -> u64 {
        let others = self.strongest.iter().enumerate().filter(|&(index, _)| index != arm.index());
        let next = others.fold(f64::INFINITY, |next, (_, &evidence)| next.min(evidence));
        last_step_below(next, alpha).max(step)
    }

    /// Records a duel and returns the wins of the first arm over the second, and the other way.
    #[inline(always)]
    pub(crate) fn record(&mut self, first: usize, second: usize, first_won: bool) -> (u32, u32) {
        let (wins, evidence) = self.write(first, second, first_won);
        self.renew(first, second, evidence.0);
        self.renew(second, first, evidence.1);
        wins
    }

    /// Brings the strongest evidence against an arm up to date with that for `other`.
    #[inline]
    fn renew(&mut self, arm: usize, other: usize, evidence: f64) {
        if evidence > self.strongest[arm] {
            self.strongest[arm] = evidence;
            self.holder[arm] = other as u32;
        } else if self.holder[arm] as usize == other && evidence < self.strongest[arm] {
            self.scan(arm);
        }
    }

    /// Records all pairs of a set, in O(n (n + K)).
    pub(crate) fn record_set(&mut self, set: &[Arm], wins: &PairWins) {
        for (i, first) in set.iter().enumerate() {
            let won = wins.row(i);
            for (j, second) in set.iter().enumerate().skip(i + 1) {
                let first_won = won[j / 64] >> (j % 64) & 1 == 1;
                self.write(first.index(), second.index(), first_won);
            }
        }
        for arm in set.iter().map(|arm| arm.index()) {
            let row = self.against.row(arm);
            let (top, holder) = set.iter().fold((0.0, 0), |(top, holder), other| {
                let evidence = row[other.index()];
                if evidence > top { (evidence, other.0) } else { (top, holder) }
            });
            let (strongest, held) = (self.strongest[arm], row[self.holder[arm] as usize]);
            if top >= strongest {
                self.strongest[arm] = top;
                self.holder[arm] = holder;
            } else if held < strongest {
                self.scan(arm);
            }
        }
    }

    /// Counts a duel and rewrites the pair's evidence. Returns the wins of the first arm and of the second, and the
    /// evidence against the first and against the second. Without a branch on the winner.
    #[inline(always)]
    fn write(&mut self, first: usize, second: usize, first_won: bool) -> ((u32, u32), (f64, f64)) {
        let (forth, back) = ((first, second), (second, first));
        let won = self.wins[forth] + u32::from(first_won);
        let lost = self.wins[back] + u32::from(!first_won);
        self.wins[forth] = won;
        self.wins[back] = lost;
        let wins = (won, lost);
        let (won, lost) = (f64::from(won), f64::from(lost));
        let lead = won - lost;
        let quarter = 0.25 * (1.0 / (won + lost));
        let behind = |lead: f64| {
            let lead = if lead > 0.0 { lead } else { 0.0 };
            lead * lead * quarter
        };
        let evidence = (behind(-lead), behind(lead));
        self.against[forth] = evidence.0;
        self.against[back] = evidence.1;
        (wins, evidence)
    }

    #[inline(never)]
    fn scan(&mut self, arm: usize) {
        let row = self.against.row(arm);
        let top = largest(row);
        self.strongest[arm] = top;
        self.holder[arm] = row.iter().position(|&q| q == top).unwrap_or(0) as u32;
    }

    /// The arm that beat the greatest number of others in more than half of their duels, ties at
    /// random; `None` where no arm beat any (but a lone arm is the best there is).
    pub(crate) fn copeland_best(&self, generator: &mut Generator) -> Option<Arm> {
        self.wins.copeland_best(generator)
    }

    /// The arm against which there is the least evidence, ties by how many others it beat.
    pub(crate) fn least_evidence_against(&self, generator: &mut Generator) -> Option<Arm> {
        self.wins.lowest_then_copeland(&self.strongest, generator)
    }
}

/// The largest of some values, 0 of none; in lanes, so that it runs at the speed of memory.
#[inline]
pub(crate) fn largest(values: &[f64]) -> f64 {
    let mut lanes = [0.0_f64; 8];
    let (chunks, rest) = values.as_chunks::<8>();
    for chunk in chunks {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane = if value > *lane { value } else { *lane };
        }
    }
    lanes.iter().chain(rest).fold(0.0, |top, &value| if value > top { value } else { top })
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::confidence::{Candidates, DuelCounts as _};
    use crate::random::below;

    #[test]
    fn evidence_says_which_upper_bounds_are_below_a_half() {
        let (arms, alpha) = (5, 0.51);
        let mut generator = Generator::seed_from_u64(1);
        let mut candidates = Candidates::new(arms, 0);
        for step in 1..5_000_u64 {
            let time = alpha * libm::log(step as f64);
            let i = below(&mut generator, arms);
            let j = (i + 1 + below(&mut generator, arms - 1)) % arms;
            // Lower arms are better, so that some rows have evidence against them.
            let (a, b) = if below(&mut generator, 10) < 8 { (i.min(j), i.max(j)) } else { (i.max(j), i.min(j)) };
            candidates.record(a, b, true);
            candidates.advance(time);
            let plain: Vec<Arm> = (0..arms)
                .filter(|&i| {
                    (0..arms).all(|j| {
                        let (w, l) = candidates.wins(i, j);
                        let n = f64::from(w + l);
                        i == j || n == 0.0 || f64::from(w) / n + (time / n).sqrt() >= 0.5
                    })
                })
                .map(Arm::at)
                .collect();
            assert_eq!(candidates.members(), plain, "step {step}");
        }
        assert_eq!(candidates.copeland_best(&mut generator), Some(Arm(0)));
    }

    #[test]
    fn sets_count_as_their_pairs() {
        let mut generator = Generator::seed_from_u64(2);
        let set = [Arm(4), Arm(0), Arm(3)];
        let (mut one, mut other) = (Evidence::new(6, 1), Evidence::new(6, 1));
        for _ in 0..200 {
            let mut wins = PairWins::from_scores(&[0, 0, 0]);
            wins.resolve_ties(&mut generator);
            one.record_set(&set, &wins);
            for i in 0..3 {
                for j in 0..3 {
                    if wins.beats(i, j) {
                        other.record(set[i].index(), set[j].index(), true);
                    }
                }
            }
            assert_eq!(one.wins, other.wins);
            assert_eq!(one.against, other.against);
            assert_eq!(one.strongest, other.strongest);
        }
    }

    #[test]
    fn before_any_duel_there_is_no_recommendation() {
        let mut generator = Generator::seed_from_u64(3);
        assert_eq!(Evidence::new(3, 0).copeland_best(&mut generator), None);
        assert_eq!(Evidence::new(1, 0).copeland_best(&mut generator), Some(Arm(0)));
    }
}
