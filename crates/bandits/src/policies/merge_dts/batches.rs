//! The batches of MergeDTS: their arms, and how often each pair has met. All lie in flat arrays of
//! equal rooms, one a batch, so that a million arms need no million allocations.

use crate::policies::merging::{ArmBatches, MergingBatches};
use crate::random::{below, uniform};
use crate::thompson::WinProbability;
use crate::{Arm, Generator, state};

/// The batches, in a ring.
#[derive(Debug, Clone)]
pub(super) struct Batches {
    /// The most arms a batch can have.
    room: usize,
    sizes: Vec<u32>,
    members: Vec<Arm>,
    /// How often k beat l, at row k, column l of each batch's room.
    wins: Vec<u32>,
    /// The probabilities of places k < l, at l (l - 1) / 2 + k of each batch's room.
    probabilities: Vec<WinProbability>,
    /// The evidence of the pair that met last in each batch, against its loser: alpha ln(t + C)
    /// below it rules an arm out. Infinite if every pair must be checked.
    pending: Vec<f64>,
    /// The batch after each, the one before the current, and how many there are.
    after: Vec<u32>,
    before: usize,
    current: usize,
    count: usize,
    left: usize,
    /// Wins either way with which each pair starts, for the bounds.
    prior: f64,
    /// How many there were in all at first.
    arms: usize,
    homes: ArmBatches,
}

state!(Batches { room, sizes, members, wins, probabilities, pending, after, before, current, count, left, arms, homes } but { prior });

impl Batches {
    /// ceil(K / p) batches of p arms in the given order, the last perhaps smaller.
    pub(super) fn new(order: &[Arm], p: usize, prior: f64) -> Self {
        // A batch may reach 3p/2 arms by merging, but never more than there are.
        let room = (p + p / 2).min(order.len());
        let mut batches = Self::empty(room, order.len().div_ceil(p), prior);
        for (batch, members) in order.chunks(p).enumerate() {
            batches.sizes[batch] = members.len() as u32;
            batches.members[batch * room..batch * room + members.len()].copy_from_slice(members);
        }
        batches.left = order.len();
        batches.arms = order.len();
        batches
    }

    fn empty(room: usize, count: usize, prior: f64) -> Self {
        let after = (0..count).map(|batch| ((batch + 1) % count) as u32);
        Self {
            room,
            sizes: vec![0; count],
            members: vec![Arm(0); count * room],
            wins: vec![0; count * room * room],
            probabilities: vec![WinProbability::EVEN; count * (room * room.saturating_sub(1) / 2)],
            pending: vec![0.0; count],
            after: after.collect(),
            before: count - 1,
            current: 0,
            count,
            left: 0,
            prior,
            arms: 0,
            homes: ArmBatches::default(),
        }
    }

    /// How many batches there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// How many arms there are in all.
    pub(super) fn arms_left(&self) -> usize {
        self.left
    }

    /// The size of the current batch.
    #[inline]
    pub(super) fn size(&self) -> usize {
        self.sizes[self.current] as usize
    }

    /// The arm at a place of the current batch.
    #[inline]
    pub(super) fn arm(&self, place: usize) -> Arm {
        self.members[self.current * self.room + place]
    }

    /// How often place k of the current batch beat place l, and l beat k.
    #[inline]
    pub(super) fn score(&self, k: usize, l: usize) -> (u32, u32) {
        (self.wins[self.row(k) + l], self.wins[self.row(l) + k])
    }

    /// Draws whether place k of the current batch is preferred to place l.
    #[inline]
    pub(super) fn prefers(&self, k: usize, l: usize, generator: &mut Generator) -> bool {
        let (won, lost) = self.score(k, l);
        uniform(generator) < self.probabilities[self.pair(k, l)].chance(won, lost)
    }

    /// Goes on to the next batch.
    #[inline]
    pub(super) fn advance(&mut self) {
        self.before = self.current;
        self.current = self.after[self.current] as usize;
    }

    /// Takes in a duel within the current batch.
    #[inline]
    pub(super) fn record(&mut self, winner: usize, loser: usize) {
        self.pending[self.current] = self.record_in(self.current, winner, loser);
    }

    /// Takes in a duel of two places of a batch and returns the evidence against its loser.
    #[inline]
    fn record_in(&mut self, batch: usize, winner: usize, loser: usize) -> f64 {
        let row = |place: usize| (batch * self.room + place) * self.room;
        let (at, across) = (row(winner) + loser, row(loser) + winner);
        self.wins[at] += 1;
        let (won, lost) = (self.wins[at], self.wins[across]);
        let pair = self.pair_of(batch, winner.min(loser), winner.max(loser));
        self.probabilities[pair].win(won, lost);
        self.evidence(won, lost)
    }

    /// Takes in a duel that may have come late: nothing, if one of its arms was dropped.
    pub(super) fn record_late(&mut self, pair: &[Arm], first_won: bool) {
        let (room, sizes, members) = (self.room, &self.sizes, &self.members);
        let of = |batch: usize| &members[batch * room..batch * room + sizes[batch] as usize];
        if let Some((batch, [first, second])) = self.homes.find(pair, self.arms, sizes.len(), of) {
            let (winner, loser) = if first_won { (first, second) } else { (second, first) };
            // Of several outcomes before the next turn of the batch, the strongest evidence is kept: it decides
            // whether to look at the batch.
            self.pending[batch] = self.record_in(batch, winner, loser).max(self.pending[batch]);
        }
    }

    /// Whether an arm of the current batch may have an upper bound below 1/2.
    #[inline]
    pub(super) fn may_drop(&self, time: f64) -> bool {
        self.pending[self.current] > time
    }

    /// Requires every pair of every batch to be checked again.
    pub(super) fn recheck_all(&mut self) {
        self.pending.fill(f64::INFINITY);
    }

    /// Drops the arms of the current batch that have an upper bound below 1/2 against another: all at
    /// once, unless that would drop all, or one after the other, drawn from the pairs that prove it, as
    /// long as there are any. Returns whether there was one. `beaten` counts the arms that each arm had beaten.
    #[cold]
    pub(super) fn drop_losers(
        &mut self,
        time: f64,
        one_by_one: bool,
        beaten: &mut [u32],
        generator: &mut Generator,
    ) -> bool {
        self.pending[self.current] = 0.0;
        let size = self.size();
        loop {
            let size = self.size();
            let lost = |k: usize, l: usize| {
                let (won, lost) = self.score(k, l);
                won < lost && time < self.evidence(won, lost)
            };
            let losers: Vec<usize> =
                (0..size).flat_map(|k| (0..size).filter(move |&l| l != k && lost(k, l)).map(move |_| k)).collect();
            let survivors: Vec<usize> = if losers.is_empty() {
                break;
            } else if one_by_one {
                let loser = losers[below(generator, losers.len())];
                (0..size).filter(|&k| k != loser).collect()
            } else {
                (0..size).filter(|k| !losers.contains(k)).collect()
            };
            if survivors.is_empty() {
                break;
            }
            self.keep(&survivors, beaten);
        }
        self.size() < size
    }

    /// Drops all but these places of the current batch.
    fn keep(&mut self, kept: &[usize], beaten: &mut [u32]) {
        let size = self.size();
        for &k in kept {
            let dropped = (0..size).filter(|l| !kept.contains(l));
            let count = dropped.filter(|&l| {
                let (won, lost) = self.score(k, l);
                won > lost
            });
            beaten[self.arm(k).index()] += count.count() as u32;
        }
        // Places only move down, and so overwrite none that is still to be read.
        for (k, &from) in kept.iter().enumerate() {
            self.members[self.current * self.room + k] = self.arm(from);
            for (l, &other) in kept.iter().enumerate() {
                let (new, old) = (self.row(k) + l, self.row(from) + other);
                self.wins[new] = self.wins[old];
                if l < k {
                    let (new, old) = (self.pair(l, k), self.pair(other, from));
                    self.probabilities[new] = self.probabilities[old];
                }
            }
        }
        self.left -= size - kept.len();
        self.sizes[self.current] = kept.len() as u32;
        self.homes.forget_places();
    }

    /// Puts the lone arm of the current batch into the next one, which becomes the current.
    #[cold]
    pub(super) fn merge_lone_arm(&mut self) {
        let (lone, next) = (self.arm(0), self.after[self.current] as usize);
        self.sizes[self.current] = 0;
        self.after[self.before] = next as u32;
        self.count -= 1;
        self.current = next;
        let size = self.size();
        if size == self.room {
            self.widen();
        }
        self.members[self.current * self.room + size] = lone;
        self.homes.forget_places();
        for place in 0..size {
            let (forth, back) = (self.row(place) + size, self.row(size) + place);
            self.wins[forth] = 0;
            self.wins[back] = 0;
            let pair = self.pair(place, size);
            self.probabilities[pair] = WinProbability::EVEN;
        }
        self.sizes[self.current] += 1;
    }

    /// Makes half as much room again.
    fn widen(&mut self) {
        let mut wider = Self::empty(self.room + self.room.div_ceil(2), self.sizes.len(), self.prior);
        for batch in 0..self.sizes.len() {
            self.copy_into(&mut wider, batch, batch);
        }
        wider.pending.clone_from(&self.pending);
        wider.after.clone_from(&self.after);
        wider.before = self.before;
        wider.current = self.current;
        wider.count = self.count;
        wider.left = self.left;
        wider.arms = self.arms;
        std::mem::swap(&mut wider.homes, &mut self.homes);
        *self = wider;
    }

    /// n (1/2 - mu)^2: what alpha ln t must reach for the bound of the arm behind to reach 1/2.
    #[inline]
    fn evidence(&self, won: u32, lost: u32) -> f64 {
        let lead = f64::from(won) - f64::from(lost);
        lead * lead / (4.0 * (f64::from(won) + f64::from(lost) + 2.0 * self.prior))
    }

    /// Where a place's row begins in the current batch's room.
    #[inline]
    fn row(&self, place: usize) -> usize {
        (self.current * self.room + place) * self.room
    }

    #[inline]
    fn pair(&self, k: usize, l: usize) -> usize {
        self.pair_of(self.current, k.min(l), k.max(l))
    }

    #[inline]
    fn pair_of(&self, batch: usize, low: usize, high: usize) -> usize {
        batch * (self.room * (self.room - 1) / 2) + high * (high - 1) / 2 + low
    }
}

impl MergingBatches for Batches {
    fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    fn pending(&mut self) -> &mut [f64] {
        &mut self.pending
    }

    fn empty_like(&self, count: usize) -> Self {
        let mut batches = Self::empty(self.room, count, self.prior);
        batches.left = self.left;
        batches.arms = self.arms;
        batches
    }

    /// Appends batch `from` to batch `to` of `other`.
    fn copy_into(&self, other: &mut Self, to: usize, from: usize) {
        let size = self.sizes[from] as usize;
        let offset = other.sizes[to] as usize;
        for k in 0..size {
            other.members[to * other.room + offset + k] = self.members[from * self.room + k];
            for l in 0..size {
                let new = (to * other.room + offset + k) * other.room + offset + l;
                other.wins[new] = self.wins[(from * self.room + k) * self.room + l];
                if l < k {
                    let new = other.pair_of(to, offset + l, offset + k);
                    other.probabilities[new] = self.probabilities[self.pair_of(from, l, k)];
                }
            }
        }
        other.sizes[to] += size as u32;
    }

    fn arm_at(&self, batch: usize, place: usize) -> Arm {
        self.members[batch * self.room + place]
    }

    fn wins_in(&self, batch: usize, k: usize, l: usize) -> u32 {
        self.wins[(batch * self.room + k) * self.room + l]
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::random::shuffle;

    /// Counts and probabilities of every pair in every batch are those of a plain matrix, and each arm is in
    /// one place.
    fn check(batches: &Batches, wins: &[u32], arms: usize) {
        let mut copy = batches.clone();
        let mut seen = Vec::new();
        for _ in 0..batches.len() {
            for k in 0..copy.size() {
                seen.push(copy.arm(k));
                for l in 0..k {
                    let (i, j) = (copy.arm(k).index(), copy.arm(l).index());
                    let (won, lost) = (wins[i * arms + j], wins[j * arms + i]);
                    assert_eq!(copy.score(k, l), (won, lost));
                    let chance = copy.probabilities[copy.pair(k, l)].chance(won, lost);
                    assert!((chance - WinProbability::of(won, lost).chance(won, lost)).abs() < 1e-12);
                }
            }
            copy.advance();
        }
        assert_eq!(copy.current, batches.current, "a ring");
        assert_eq!(seen.len(), batches.arms_left());
        seen.sort();
        assert!(seen.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn counts_follow_their_arms() {
        let mut generator = Generator::seed_from_u64(1);
        let (mut widest, mut stages) = (0, 0);
        for (arms, p) in [(1, 4), (5, 2), (23, 3), (60, 4), (61, 4), (90, 2)] {
            for _ in 0..20 {
                let mut order: Vec<Arm> = (0..arms).map(Arm::at).collect();
                shuffle(&mut generator, &mut order);
                let mut batches = Batches::new(&order, p, 0.0);
                let (mut wins, mut beaten) = (vec![0; arms * arms], vec![0; arms]);
                check(&batches, &wins, arms);
                for _ in 0..600 {
                    while batches.size() == 1 && batches.len() > 1 {
                        batches.merge_lone_arm();
                    }
                    let size = batches.size();
                    if size > 1 {
                        let k = below(&mut generator, size);
                        let l = (k + 1 + below(&mut generator, size - 1)) % size;
                        batches.record(k, l);
                        wins[batches.arm(k).index() * arms + batches.arm(l).index()] += 1;
                        if below(&mut generator, 4) == 0 {
                            let one_by_one = below(&mut generator, 2) == 0;
                            batches.drop_losers(0.3, one_by_one, &mut beaten, &mut generator);
                        }
                    }
                    batches.advance();
                    if below(&mut generator, 200) == 0 {
                        batches.merge(p, &mut generator);
                        stages += 1;
                    }
                    check(&batches, &wins, arms);
                    widest = widest.max(batches.room);
                }
                assert_eq!(batches.beaten_counts(&beaten).len(), batches.arms_left());
            }
        }
        assert!(widest > 6 && stages > 50, "{widest} {stages}");
    }

    #[test]
    fn every_pair_is_looked_at_again() {
        let mut generator = Generator::seed_from_u64(2);
        let order: Vec<Arm> = (0..3).map(Arm::at).collect();
        let mut batches = Batches::new(&order, 3, 0.0);
        for _ in 0..8 {
            batches.record(0, 1);
        }
        // Evidence 2 against arm 1, then none between the two that meet last.
        batches.record(0, 2);
        batches.record(2, 0);
        assert!(!batches.may_drop(1.0));
        batches.recheck_all();
        assert!(batches.may_drop(1.0));
        let mut beaten = [0; 3];
        assert!(batches.drop_losers(1.0, true, &mut beaten, &mut generator));
        assert_eq!((batches.size(), batches.arm(1), beaten), (2, Arm(2), [1, 0, 0]));
        assert!(!batches.may_drop(1.0));
    }
}
