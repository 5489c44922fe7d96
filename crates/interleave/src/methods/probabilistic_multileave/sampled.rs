//! The paper's estimator: assignments sampled as branches of a tree.

use rand::{Rng, SeedableRng};

use super::Chances;
use crate::Generator;

/// Each ranker's share of the clicks, over about `assignments` sampled assignments.
pub(super) fn credits(chances: &Chances, clicked: &[usize], length: usize, assignments: u32, seed: u64) -> Vec<f64> {
    let rankers = chances.rankers;
    let mut credits = vec![0.0; rankers];
    let Some(depth) = clicked.last().map(|lowest| lowest + 1).filter(|_| rankers > 0) else {
        return credits;
    };
    let mut shares: Vec<f64> = chances.all.iter().map(|chance| chance.get()).collect();
    for row in shares.chunks_mut(rankers) {
        let total: f64 = row.iter().sum();
        row.iter_mut().for_each(|share| *share /= total.max(f64::MIN_POSITIVE));
    }
    let n = f64::from(assignments.max(1));
    let kept = libm::pow(n, 1.0 / length.max(1) as f64) / rankers as f64;
    // In units of 2^-63, so that 1 is always.
    let threshold = (kept.min(1.0) * (1_u64 << 63) as f64) as u64;
    let mut generator = Generator::seed_from_u64(seed);

    let mut room = u64::from(assignments.max(1)) * 100;
    let mut total = 0.0;
    // Depth first: the branch taken at each position so far, the next one to visit, and the
    // probability above it.
    let mut path: Vec<(usize, f64)> = vec![(0, 1.0)];
    while let Some(&(branch, credit_above)) = path.last() {
        if branch == rankers || room == 0 {
            path.pop();
            continue;
        }
        let position = path.len() - 1;
        if let Some(last) = path.last_mut() {
            last.0 += 1;
        }
        let click_credit = credit_above * shares[position * rankers + branch];
        if generator.next_u64() >> 1 >= threshold || click_credit == 0.0 {
            continue;
        }
        if path.len() < depth {
            path.push((0, click_credit));
            continue;
        }
        room -= 1;
        total += click_credit;
        for &position in clicked {
            // Every position on the path has moved on by one.
            credits[path[position].0 - 1] += click_credit;
        }
    }
    if total > 0.0 {
        credits.iter_mut().for_each(|credit| *credit /= total);
    }
    credits
}
