//! The pairs that have not met in the present round: a set of pairs that finds its n-th and removes
//! any in O(log K).

use crate::Arm;
use crate::state;

/// Pairs i < j, as bits at `i * arms + j` with the number of bits set kept in a Fenwick tree.
#[derive(Debug, Clone)]
pub(super) struct OpenPairs {
    arms: usize,
    bits: Vec<u64>,
    /// P. M. Fenwick, "A New Data Structure for Cumulative Frequency Tables", Software: Practice and
    /// Experience 24(3), 1994, <https://doi.org/10.1002/spe.4380240306>: over words, from 1.
    tree: Vec<u32>,
    left: usize,
}

state!(OpenPairs { bits, tree, left } but { arms });

impl OpenPairs {
    /// No pairs yet.
    pub(super) fn new(arms: usize) -> Self {
        let words = (arms * arms).div_ceil(64);
        Self { arms, bits: vec![0; words], tree: vec![0; words + 1], left: 0 }
    }

    /// How many pairs are left.
    #[inline]
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// Begins a round of all pairs of these arms, given in order.
    pub(super) fn begin(&mut self, arms: &[Arm]) {
        self.bits.fill(0);
        for (place, first) in arms.iter().enumerate() {
            for second in &arms[place + 1..] {
                let at = first.index() * self.arms + second.index();
                self.bits[at / 64] |= 1 << (at % 64);
            }
        }
        self.left = arms.len() * arms.len().saturating_sub(1) / 2;
        for (node, word) in self.tree[1..].iter_mut().zip(&self.bits) {
            *node = word.count_ones();
        }
        for node in 1..self.tree.len() {
            let parent = node + (node & node.wrapping_neg());
            if parent < self.tree.len() {
                self.tree[parent] += self.tree[node];
            }
        }
    }

    /// Takes out the `nth` pair left, from 0, in order of the lower arm and then of the higher.
    #[inline]
    pub(super) fn take(&mut self, nth: usize) -> (Arm, Arm) {
        debug_assert!(nth < self.left);
        // The last word before which there are no more than `nth` pairs.
        let (mut word, mut remaining) = (0, nth as u32);
        let mut stride = (self.tree.len() - 1).next_power_of_two();
        while stride > 0 {
            let next = word + stride;
            if next < self.tree.len() && self.tree[next] <= remaining {
                word = next;
                remaining -= self.tree[next];
            }
            stride /= 2;
        }
        let mut bits = self.bits[word];
        for _ in 0..remaining {
            bits &= bits - 1;
        }
        let at = word * 64 + bits.trailing_zeros() as usize;
        self.clear(at);
        (Arm::at(at / self.arms), Arm::at(at % self.arms))
    }

    /// Takes out all pairs of an arm.
    pub(super) fn drop_arm(&mut self, arm: Arm) {
        let arm = arm.index();
        for other in 0..self.arms {
            let at = arm.min(other) * self.arms + arm.max(other);
            if self.bits[at / 64] >> (at % 64) & 1 == 1 {
                self.clear(at);
            }
        }
    }

    #[inline]
    fn clear(&mut self, at: usize) {
        self.bits[at / 64] &= !(1 << (at % 64));
        self.left -= 1;
        let mut node = at / 64 + 1;
        while node < self.tree.len() {
            self.tree[node] -= 1;
            node += node & node.wrapping_neg();
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::Generator;
    use crate::random::below;

    #[test]
    fn each_pair_is_taken_once_and_by_its_place() {
        let mut generator = Generator::seed_from_u64(1);
        for arms in [2, 3, 17, 40] {
            let mut round = OpenPairs::new(arms);
            let all: Vec<Arm> = (0..arms).map(Arm::at).filter(|arm| arm.0 % 5 != 4).collect();
            round.begin(&all);
            let mut pairs: Vec<(Arm, Arm)> = Vec::new();
            for (place, &first) in all.iter().enumerate() {
                pairs.extend(all[place + 1..].iter().map(|&second| (first, second)));
            }
            while !pairs.is_empty() {
                assert_eq!(round.left(), pairs.len());
                let nth = below(&mut generator, pairs.len());
                assert_eq!(round.take(nth), pairs.remove(nth));
                if below(&mut generator, 50) == 0 {
                    let arm = Arm::at(below(&mut generator, arms));
                    round.drop_arm(arm);
                    pairs.retain(|&(first, second)| first != arm && second != arm);
                }
            }
            assert_eq!(round.left(), 0);
        }
    }
}
