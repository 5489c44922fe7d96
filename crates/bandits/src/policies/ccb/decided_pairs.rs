//! The pairs that are decided: their confidence bounds exclude 1/2. DuelCounts and time change them.
//!
//! j is decided against i while u(i, j) = mu(i, j) + sqrt(alpha ln t / n(i, j)) is below 1/2 (and
//! so l(j, i) = 1 - u(i, j) above it): while alpha ln t < n (1/2 - mu)^2. A duel changes that for
//! one pair, and time for one pair at a time, in the order of a heap.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::confidence::DuelCounts;
use crate::counts::PairCounts;
use crate::state;

/// The pairs.
#[derive(Debug, Clone)]
pub(crate) struct DecidedPairs {
    words: usize,
    wins: PairCounts,
    /// Bit j of row i: the pair is decided against i.
    lost: Vec<u64>,
    lost_count: Vec<u32>,
    won_count: Vec<u32>,
    /// What alpha ln t must reach for a decided pair to be open again; entries that the pair has
    /// outlived are passed over when they come up.
    expiries: BinaryHeap<Reverse<(u64, u32, u32)>>,
}

state!(DecidedPairs { wins, lost, lost_count, won_count, expiries } but { words });

/// A pair that changed: whether it now is decided, and in which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Change {
    /// The arm that is, or was, ahead.
    pub(crate) ahead: usize,
    /// The arm that is, or was, behind.
    pub(crate) behind: usize,
    /// Whether that now is decided.
    pub(crate) decided: bool,
}

impl DecidedPairs {
    pub(crate) fn new(arms: usize) -> Self {
        let words = arms.div_ceil(64);
        Self {
            words,
            wins: PairCounts::new(arms, 0),
            lost: vec![0; arms * words],
            lost_count: vec![0; arms],
            won_count: vec![0; arms],
            expiries: BinaryHeap::new(),
        }
    }

    pub(crate) fn arms(&self) -> usize {
        self.wins.arms()
    }

    pub(crate) fn counts(&self) -> &PairCounts {
        &self.wins
    }

    /// To how many arms each is decided to lose.
    pub(crate) fn lost_counts(&self) -> &[u32] {
        &self.lost_count
    }

    /// Against how many arms each is decided to win.
    pub(crate) fn won_counts(&self) -> &[u32] {
        &self.won_count
    }

    /// The arms that `arm` is decided to lose to, as bits.
    #[inline]
    pub(crate) fn lost_to(&self, arm: usize) -> &[u64] {
        &self.lost[arm * self.words..(arm + 1) * self.words]
    }

    #[inline]
    pub(crate) fn loses(&self, arm: usize, to: usize) -> bool {
        self.lost[arm * self.words + to / 64] >> (to % 64) & 1 == 1
    }

    /// (w(j, i) - w(i, j))^2 / 4n, the arm ahead and the arm behind.
    fn evidence(&self, i: usize, j: usize) -> (f64, usize, usize) {
        let (a, b) = self.wins.between(i, j);
        let (ahead, behind) = if a >= b { (i, j) } else { (j, i) };
        let lead = f64::from(a.abs_diff(b));
        let met = f64::from(a) + f64::from(b);
        let evidence = if lead > 0.0 { lead * lead / (4.0 * met) } else { 0.0 };
        (evidence, ahead, behind)
    }

    /// Updates the pair that met last, now that alpha ln t is `time`.
    pub(crate) fn update(&mut self, i: usize, j: usize, time: f64, changed: &mut impl FnMut(&Self, Change)) {
        let (evidence, ahead, behind) = self.evidence(i, j);
        if self.loses(ahead, behind) {
            self.set(behind, ahead, false, changed);
        }
        let decided = time < evidence;
        if decided {
            self.expiries.push(Reverse((evidence.to_bits(), ahead as u32, behind as u32)));
        }
        if decided != self.loses(behind, ahead) {
            self.set(ahead, behind, decided, changed);
        }
    }

    /// Opens the pairs that time opens again.
    pub(crate) fn decide(&mut self, time: f64, changed: &mut impl FnMut(&Self, Change)) {
        while let Some(&Reverse((bits, ahead, behind))) = self.expiries.peek() {
            if time < f64::from_bits(bits) {
                break;
            }
            self.expiries.pop();
            let (ahead, behind) = (ahead as usize, behind as usize);
            let (evidence, now_ahead, _) = self.evidence(ahead, behind);
            let outlived = now_ahead != ahead || time < evidence;
            if !outlived && self.loses(behind, ahead) {
                self.set(ahead, behind, false, changed);
            }
        }
    }

    /// What alpha ln t must reach for the next pair to open again; infinite where none will.
    pub(crate) fn next_expiry(&mut self) -> f64 {
        while let Some(&Reverse((bits, ahead, behind))) = self.expiries.peek() {
            let (evidence, now_ahead, _) = self.evidence(ahead as usize, behind as usize);
            if now_ahead == ahead as usize && evidence.to_bits() == bits {
                return f64::from_bits(bits);
            }
            self.expiries.pop();
        }
        f64::INFINITY
    }

    fn set(&mut self, ahead: usize, behind: usize, decided: bool, changed: &mut impl FnMut(&Self, Change)) {
        let bit = 1 << (ahead % 64);
        let word = &mut self.lost[behind * self.words + ahead / 64];
        if decided {
            *word |= bit;
            self.lost_count[behind] += 1;
            self.won_count[ahead] += 1;
        } else {
            *word &= !bit;
            self.lost_count[behind] -= 1;
            self.won_count[ahead] -= 1;
        }
        changed(self, Change { ahead, behind, decided });
    }
}

impl DuelCounts for DecidedPairs {
    #[inline]
    fn wins(&self, i: usize, j: usize) -> (u32, u32) {
        self.wins.between(i, j)
    }

    #[inline]
    fn record(&mut self, first: usize, second: usize, first_won: bool) -> (u32, u32) {
        let (winner, loser) = if first_won { (first, second) } else { (second, first) };
        self.wins.record(winner, loser);
        self.wins.between(first, second)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::Generator;
    use crate::counts::PairTable;
    use crate::random::below;

    #[test]
    fn pairs_are_settled_as_the_bounds_say() {
        let (arms, alpha) = (6, 0.51);
        let mut generator = Generator::seed_from_u64(1);
        let mut decided = DecidedPairs::new(arms);
        let mut changes = PairTable::new(arms, 0_i32);
        for step in 1..6_000_u64 {
            let i = below(&mut generator, arms);
            let j = (i + 1 + below(&mut generator, arms - 1)) % arms;
            let (a, b) = if below(&mut generator, 10) < 7 { (i.min(j), i.max(j)) } else { (i.max(j), i.min(j)) };
            // Long pauses, in which time alone opens pairs.
            let time = alpha * libm::log((step * step) as f64);
            decided.record(a, b, true);
            let mut changed = |_: &DecidedPairs, change: Change| {
                changes[(change.behind, change.ahead)] += if change.decided { 1 } else { -1 };
            };
            decided.update(i, j, time, &mut changed);
            decided.decide(time, &mut changed);
            let mut lost = vec![0; arms];
            let mut won = vec![0; arms];
            let mut next = f64::INFINITY;
            for k in 0..arms {
                for l in (0..arms).filter(|&l| l != k) {
                    let (w, v) = decided.wins.between(k, l);
                    let n = f64::from(w + v);
                    let below_half = n > 0.0 && f64::from(w) / n + (time / n).sqrt() < 0.5;
                    assert_eq!(decided.loses(k, l), below_half, "step {step}, {k} {l}");
                    assert_eq!(changes[(k, l)], i32::from(below_half));
                    lost[k] += u32::from(below_half);
                    won[l] += u32::from(below_half);
                    if below_half {
                        next = next.min(decided.evidence(k, l).0);
                    }
                }
            }
            assert_eq!(decided.lost_counts(), lost);
            assert_eq!(decided.won_counts(), won);
            assert_eq!(decided.next_expiry(), next);
        }
    }
}
