//! Two batches become one when few arms are left.

use super::Batches;
use crate::Arm;
use crate::policies::merging::MergingBatches;

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
        if !self.open.is_empty() {
            batches.open = vec![0; batches.wins.len()];
        }
        batches
    }

    /// Appends batch `from` to batch `to` of `other`.
    fn copy_into(&self, other: &mut Self, to: usize, from: usize) {
        let (room, size) = (self.room, self.sizes[from] as usize);
        let offset = other.sizes[to] as usize;
        for k in 0..size {
            other.members[to * room + offset + k] = self.members[from * room + k];
            let (old, new) = (from * room + k, to * room + offset + k);
            for l in 0..size {
                other.wins[new * room + offset + l] = self.wins[old * room + l];
                if !self.open.is_empty() {
                    other.open[new * room + offset + l] = self.open[old * room + l];
                }
                other.set_estimate(new, offset + l, self.estimate(old, l));
            }
        }
        other.sizes[to] += size as u32;
        other.reset_estimates(to, |k, l| (k < offset) != (l < offset));
    }

    fn restart(&mut self) {
        self.link_ring();
    }

    fn arm_at(&self, batch: usize, place: usize) -> Arm {
        self.members[batch * self.room + place]
    }

    fn wins_in(&self, batch: usize, k: usize, l: usize) -> u32 {
        self.wins[(batch * self.room + k) * self.room + l]
    }
}
