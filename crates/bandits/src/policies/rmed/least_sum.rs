//! The smallest of many sums, as single sums change: a tournament.
use crate::state;

use std::hint::select_unpredictable;

/// A binary tree over the sums: every node holds the smallest below it, and its arm.
#[derive(Debug, Clone)]
pub(crate) struct LeastSum {
    arms: usize,
    /// Node k has the children 2k and 2k + 1; the leaves are the last `leaves`.
    leaves: usize,
    /// The smallest sum, and the lowest arm that has it.
    nodes: Vec<(i64, u32)>,
}

state!(LeastSum { nodes } but { arms, leaves });

impl LeastSum {
    /// `arms` sums of 0.
    pub(crate) fn new(arms: usize) -> Self {
        let leaves = arms.next_power_of_two();
        let mut tree = Self { arms, leaves, nodes: vec![(i64::MAX, 0); 2 * leaves] };
        for arm in 0..arms {
            tree.nodes[leaves + arm] = (0, arm as u32);
        }
        for node in (1..leaves).rev() {
            tree.nodes[node] = tree.nodes[2 * node].min(tree.nodes[2 * node + 1]);
        }
        tree
    }

    /// The sum of each arm.
    pub(crate) fn iter(&self) -> impl Iterator<Item = i64> + '_ {
        self.nodes[self.leaves..self.leaves + self.arms].iter().map(|&(sum, _)| sum)
    }

    /// The sum of an arm.
    #[inline]
    pub(crate) fn at(&self, arm: usize) -> i64 {
        self.nodes[self.leaves + arm].0
    }

    /// The smallest sum.
    #[inline]
    pub(crate) fn least(&self) -> i64 {
        self.nodes[1].0
    }

    /// The lowest arm that has it.
    #[inline]
    pub(crate) fn leader(&self) -> usize {
        self.nodes[1].1 as usize
    }

    /// Adds to the sum of an arm, and up the tree as far as that changes anything.
    #[inline]
    pub(crate) fn add(&mut self, arm: usize, more: i64) {
        let mut node = self.leaves + arm;
        let mut best = (self.nodes[node].0 + more, arm as u32);
        self.nodes[node] = best;
        while node > 1 {
            let rival = self.nodes[node ^ 1];
            // Of equals the left one; which wins cannot be predicted.
            let loses = rival.0 - ((node & 1) as i64) < best.0;
            best = select_unpredictable(loses, rival, best);
            node /= 2;
            if self.nodes[node] == best {
                break;
            }
            self.nodes[node] = best;
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
    fn the_lowest_of_the_smallest() {
        let mut generator = Generator::seed_from_u64(1);
        for arms in [1, 2, 7, 64, 130] {
            let (mut tree, mut plain) = (LeastSum::new(arms), vec![0_i64; arms]);
            for _ in 0..2_000 {
                let leader = (0..arms).min_by_key(|&arm| (plain[arm], arm)).expect("an arm");
                assert_eq!((tree.leader(), tree.least()), (leader, plain[leader]));
                assert!(tree.iter().eq(plain.iter().copied()) && tree.at(arms - 1) == plain[arms - 1]);
                // Few values, so that there are ties.
                let (arm, more) = (below(&mut generator, arms), below(&mut generator, 5) as i64 - 2);
                tree.add(arm, more);
                plain[arm] += more;
            }
        }
    }
}
