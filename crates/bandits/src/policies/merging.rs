//! Shared by mergeRUCB and MergeDTS: the rules of their parameters, the clock behind their bounds, the order
//! of arms, the end of a stage, and the merging of batches.

use crate::algorithm::rules::{above, batch, positive, probability, without_effect};
use crate::confidence::LogTime;
use crate::random::{best_arm, shuffle};
use crate::{Arm, Generator, ParameterError, state};

/// The parameters of bounds and batches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MergingParameters {
    pub(crate) alpha: f64,
    pub(crate) batch: usize,
    pub(crate) delta: f64,
    pub(crate) c: Option<f64>,
}

impl MergingParameters {
    /// The default of delta.
    pub(crate) const DEFAULT_DELTA: f64 = 0.01;

    /// ln C for `arms` arms. C itself may be too large for an `f64`: 6e285 for 10 arms at alpha = 0.51.
    pub(crate) fn ln_c(self, arms: usize) -> f64 {
        if let Some(c) = self.c {
            return libm::log(c);
        }
        let excess = 2.0 * self.alpha - 1.0;
        let arms = arms as f64;
        let ratio = (4.0 * self.alpha - 1.0) * arms * arms / (excess * self.delta);
        libm::log(ratio) / excess
    }

    pub(crate) fn check(self) -> Result<(), ParameterError> {
        positive("alpha", self.alpha)?;
        positive("c", self.c)?;
        if self.c.is_none() {
            above("alpha", self.alpha, 0.5, "C(delta) is undefined there; give c itself to go below")?;
        }
        batch("p", self.batch)?;
        probability("delta", self.delta)
    }

    pub(crate) fn warning(self) -> Option<String> {
        let theory = if self.alpha <= 0.5 {
            Some(format!("alpha = {} is not above 1/2, as its theory needs", self.alpha))
        } else if self.batch < 4 {
            Some(format!("p = {} is below 4, as its theory needs", self.batch))
        } else {
            None
        };
        let idle = self.c.is_some() && self.delta != Self::DEFAULT_DELTA;
        let all: Vec<String> = theory.into_iter().chain(idle.then(|| without_effect("delta", "c"))).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// The clock for `arms` arms; `whole` rounds C to the number that it starts at.
    pub(crate) fn clock(self, arms: usize, whole: impl Fn(f64) -> f64) -> DelayedLogTime {
        let ln_c = self.ln_c(arms);
        let c = self.c.unwrap_or_else(|| libm::exp(ln_c));
        DelayedLogTime { alpha: self.alpha, ln_c, c: whole(c), clock: LogTime::new() }
    }
}

/// alpha ln(t + C).
#[derive(Debug, Clone)]
pub(crate) struct DelayedLogTime {
    alpha: f64,
    ln_c: f64,
    c: f64,
    clock: LogTime,
}

state!(DelayedLogTime { clock } but { alpha, ln_c, c });

impl DelayedLogTime {
    #[inline]
    pub(crate) fn at(&mut self, step: u64) -> f64 {
        let log = if self.ln_c < 700.0 { self.clock.ln(step as f64 + self.c) } else { self.ln_c };
        self.alpha * log
    }
}

/// The stages of a tournament, and the wins of dropped arms.
#[derive(Debug, Clone)]
pub(crate) struct Stages {
    arms: usize,
    /// The size of the first batches.
    p: usize,
    /// As the reference codes: batches of shuffled arms, and each stage ends one arm earlier.
    reference: bool,
    /// The stage, from 1.
    current: u32,
    /// How many arms each arm had beaten when they were dropped.
    pub(crate) beaten: Vec<u32>,
}

state!(Stages { current, beaten } but { arms, p, reference });

impl Stages {
    pub(crate) fn new(arms: usize, p: usize, reference: bool) -> Self {
        Self { arms, p, reference, current: 1, beaten: vec![0; arms] }
    }

    #[inline]
    pub(crate) fn arms(&self) -> usize {
        self.arms
    }

    /// The size of the first batches.
    pub(crate) fn batch_size(&self) -> usize {
        self.p
    }

    /// The stage, from 1.
    pub(crate) fn stage(&self) -> u32 {
        self.current
    }

    /// The arms in the order in which they fill the first batches, if that is not their own.
    pub(crate) fn order(&self, generator: &mut Generator) -> Option<Vec<Arm>> {
        self.reference.then(|| {
            let mut order: Vec<Arm> = (0..self.arms).map(Arm::at).collect();
            shuffle(generator, &mut order);
            order
        })
    }

    /// Whether the number of arms left ends the stage.
    #[inline]
    pub(crate) fn is_stage_over(&self, left: usize) -> bool {
        let (left, arms, stage) = (left as u128, self.arms as u128, self.current.min(64));
        if self.reference { left <= (arms >> stage) + 1 } else { left << stage <= arms }
    }

    /// Merges the batches: the next stage begins.
    pub(crate) fn merge(&mut self, batches: &mut impl MergingBatches, generator: &mut Generator) {
        batches.merge(self.p, generator);
        self.current += 1;
    }

    /// Of the arms left, the one that beat the most, up to when these were dropped, ties at random; `None` if none beat any (but
    /// a lone arm is the best there is).
    pub(crate) fn copeland_best(&self, batches: &impl MergingBatches, generator: &mut Generator) -> Option<Arm> {
        let beaten = batches.beaten_counts(&self.beaten);
        if self.arms > 1 && beaten.iter().all(|&(_, count)| count == 0) {
            return None;
        }
        best_arm(generator, beaten.iter().map(|&(_, count)| count)).map(|place| beaten[place.index()].0)
    }
}

/// Batches that merge, whatever they keep of their pairs.
pub(crate) trait MergingBatches: Sized {
    /// The number of arms of each batch.
    fn sizes(&self) -> &[u32];

    /// For each batch, the value of alpha ln t below which it rules an arm out; infinite if every pair must be
    /// checked.
    fn pending(&mut self) -> &mut [f64];

    /// `count` batches without arms, otherwise like these.
    fn empty_like(&self, count: usize) -> Self;

    /// Appends batch `from` to batch `to` of `other`.
    fn copy_into(&self, other: &mut Self, to: usize, from: usize);

    /// Called once the batches have merged.
    fn restart(&mut self) {}

    /// The arm at a place of a batch.
    fn arm_at(&self, batch: usize, place: usize) -> Arm;

    /// How often place `k` of a batch beat place `l`.
    fn wins_in(&self, batch: usize, k: usize, l: usize) -> u32;

    /// Merges the batches in pairs, the smallest with the largest, once or, if one of at most p/2 arms is left,
    /// twice.
    fn merge(&mut self, p: usize, generator: &mut Generator) {
        self.merge_once(p, generator);
        if merges_again(self.sizes(), p) {
            self.merge_once(p, generator);
        }
    }

    /// Merges the batches in pairs.
    fn merge_once(&mut self, p: usize, generator: &mut Generator) {
        let pairs = pair_up(self.sizes(), p, generator);
        let mut merged = self.empty_like(pairs.len());
        for (batch, (first, second)) in pairs.into_iter().enumerate() {
            self.copy_into(&mut merged, batch, first);
            merged.pending()[batch] = self.pending()[first];
            if let Some(second) = second {
                self.copy_into(&mut merged, batch, second);
                merged.pending()[batch] = f64::INFINITY;
            }
        }
        merged.restart();
        *self = merged;
    }

    /// Every arm left with the number of arms it beat: those counted in `dropped`, and those of its batch.
    fn beaten_counts(&self, dropped: &[u32]) -> Vec<(Arm, u32)> {
        let mut counts = Vec::new();
        for (batch, &size) in self.sizes().iter().enumerate() {
            let size = size as usize;
            for k in 0..size {
                let beats = |l: usize| l != k && self.wins_in(batch, k, l) > self.wins_in(batch, l, k);
                let here = (0..size).filter(|&l| beats(l)).count();
                let arm = self.arm_at(batch, k);
                counts.push((arm, dropped[arm.index()] + here as u32));
            }
        }
        counts
    }
}

/// Where each arm is, looked up when an outcome comes late: the arms of a batch stay together until one is dropped.
#[derive(Debug, Clone, Default)]
pub(crate) struct ArmBatches {
    /// The batch of each arm and its place there; empty until needed, and after arms have moved.
    of: Vec<[u32; 2]>,
}

state!(ArmBatches { of });

/// The batch of an arm that was dropped.
const NO_BATCH: u32 = u32::MAX;

impl ArmBatches {
    /// Arms have moved or were dropped.
    pub(crate) fn forget_places(&mut self) {
        self.of.clear();
    }

    /// The batch that two arms were in when they met, and their places there now; `None` if one was dropped.
    #[inline]
    pub(crate) fn find<'a>(
        &mut self,
        pair: &[Arm],
        arms: usize,
        batches: usize,
        members: impl Fn(usize) -> &'a [Arm],
    ) -> Option<(usize, [usize; 2])> {
        if self.of.is_empty() {
            self.locate_arms(arms, batches, members);
        }
        let [first, second] = [self.of[pair[0].index()], self.of[pair[1].index()]];
        let met = first[0] == second[0] && first[0] != NO_BATCH;
        met.then_some((first[0] as usize, [first[1] as usize, second[1] as usize]))
    }

    #[cold]
    fn locate_arms<'a>(&mut self, arms: usize, batches: usize, members: impl Fn(usize) -> &'a [Arm]) {
        self.of.resize(arms, [NO_BATCH; 2]);
        for batch in 0..batches {
            for (place, arm) in members(batch).iter().enumerate() {
                self.of[arm.index()] = [batch as u32, place as u32];
            }
        }
    }
}

/// The pairs of batches that merge, given their sizes (0 for none): sorted by size, ties at random, the smallest
/// merges with the largest, unless the two have more than 3p/2 arms.
fn pair_up(sizes: &[u32], p: usize, generator: &mut Generator) -> Vec<(usize, Option<usize>)> {
    let mut order: Vec<usize> = (0..sizes.len()).filter(|&batch| sizes[batch] > 0).collect();
    shuffle(generator, &mut order);
    order.sort_by_key(|&batch| sizes[batch]);

    let mut pairs = Vec::with_capacity(order.len());
    let mut unpaired = order.as_slice();
    while let [smallest, between @ .., largest] = unpaired {
        if 2 * (sizes[*smallest] + sizes[*largest]) as usize <= 3 * p {
            pairs.push((*largest, Some(*smallest)));
            unpaired = between;
        } else {
            pairs.push((*largest, None));
            unpaired = &unpaired[..unpaired.len() - 1];
        }
    }
    pairs.extend(unpaired.iter().map(|&alone| (alone, None)));
    pairs
}

/// Whether a batch of p/2 arms or fewer is left, so that merging is done once more.
fn merges_again(sizes: &[u32], p: usize) -> bool {
    sizes.len() > 1 && sizes.iter().any(|&size| 2 * size as usize <= p)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    #[test]
    fn small_batches_go_with_large_ones() {
        let mut generator = Generator::seed_from_u64(1);
        // 1 + 4 and 2 + 4 fit into six; 3 + 4 does not.
        let mut sums: Vec<Vec<u32>> = Vec::new();
        for _ in 0..20 {
            let sizes = [4, 1, 0, 3, 4, 2, 4];
            let pairs = pair_up(&sizes, 4, &mut generator);
            let mut all: Vec<usize> = pairs.iter().flat_map(|&(one, other)| [Some(one), other]).flatten().collect();
            all.sort_unstable();
            assert_eq!(all, [0, 1, 3, 4, 5, 6], "everyone once, but for the empty one");
            let mut sizes: Vec<u32> =
                pairs.iter().map(|&(one, other)| sizes[one] + other.map_or(0, |other| sizes[other])).collect();
            sizes.sort_unstable();
            sums.push(sizes);
        }
        assert!(sums.iter().all(|sizes| *sizes == [3, 4, 5, 6]), "{sums:?}");
        assert!(merges_again(&[4, 2], 4) && !merges_again(&[2], 4) && !merges_again(&[3, 4], 4));
    }

    #[test]
    fn stages_end_as_the_paper_or_the_code_says() {
        let ends = |early, left| Stages::new(10, 4, early).is_stage_over(left);
        assert!(ends(false, 5) && !ends(false, 6));
        assert!(ends(true, 6) && !ends(true, 7));
        let late = Stages { current: 200, ..Stages::new(10, 4, false) };
        assert!(!late.is_stage_over(1));
    }

    #[test]
    fn c_is_the_paper_s() {
        let merging_parameters = |alpha| MergingParameters { alpha, batch: 4, delta: 0.01, c: None };
        for (alpha, arms, c) in [(1.01, 10, 2.4352e4), (1.01, 136, 4.066e6), (1.01, 700, 1.0101e8)] {
            assert!((libm::exp(merging_parameters(alpha).ln_c(arms)) / c - 1.0).abs() < 1e-4);
        }
        // 6e285.
        assert!((merging_parameters(0.51).ln_c(10) - (libm::log(6.0) + 285.0 * std::f64::consts::LN_10)).abs() < 0.2);
        let mut huge = merging_parameters(0.505).clock(1000, |c| c);
        assert_eq!(huge.at(1), huge.at(1_000_000_000));
    }
}
