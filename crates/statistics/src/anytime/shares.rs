//! The shares that the test of a pair does not reject: test and interval are one construction, so they never disagree.
//!
//! For every share p0 there is a test of "the first side wins at most p0", with the prior [around](super::Prior::around) p0; at
//! one half it is that of [`PairTest`]. Its evidence falls as p0 rises to the share observed, and no larger p0 is rejected. So the
//! rejected shares end at a bound, which lies at one half or above exactly if the test of one half rejects. The other side has a
//! bound of its own. Each misses the share of all units, at any look, with at most half of the level.
//!
//! A sequence is the intersection over its looks. If preferences do not drift, that is valid and never wider than the last
//! interval. If they do, no single share need be left, or the share observed lies outside: [`ShareSequence::drifts`].
//!
//! ## References
//!
//! S. R. Howard, A. Ramdas, J. McAuliffe, J. Sekhon, "Time-uniform, nonparametric, nonasymptotic confidence sequences",
//! Annals of Statistics 49(2), 2021, <https://doi.org/10.1214/20-AOS1991>: confidence sequences, and that they may be intersected.

use super::e_process::{WEIGHT, largest_ln_ratio};
use super::{EProcess, PairTest, TestState};
use crate::{Counts, StatisticsError};

/// A [`PairTest`] with the shares that none of its looks rejects: a confidence sequence.
///
/// ```
/// use statistics::{Counts, anytime::{ShareSequence, TestState}};
///
/// let mut shares = ShareSequence::new(0.05)?;
/// shares.look_at(Counts::new(60, 40, 25));
/// let (low, high) = shares.interval().unwrap();
/// assert!(shares.test().verdict() == TestState::Open && low < 0.5 && 0.6 < high);
/// shares.look_at(Counts::new(75, 40, 30));
/// let (low, _) = shares.interval().unwrap();
/// assert!(shares.test().verdict() == TestState::FirstWins && low >= 0.5);
/// # Ok::<(), statistics::StatisticsError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ShareSequence {
    test: PairTest,
    /// For each side, the largest share of its own that some look rejects, or 0.
    rejected: [f64; 2],
}

impl ShareSequence {
    /// At level `alpha`, in (0, 1): half of it for each side.
    ///
    /// # Errors
    /// If `alpha` is not in (0, 1).
    pub fn new(alpha: f64) -> Result<Self, StatisticsError> {
        Ok(Self { test: PairTest::new(alpha)?, rejected: [0.0; 2] })
    }

    /// By evidence of at least `threshold` for each side, a number above 1.
    ///
    /// # Errors
    /// If `threshold` is not a finite number above 1.
    pub fn at_threshold(threshold: f64) -> Result<Self, StatisticsError> {
        Ok(Self { test: PairTest::at_threshold(threshold)?, rejected: [0.0; 2] })
    }

    /// Looks at all outcomes so far. Counts must only grow from look to look. Costs a few evaluations of the evidence for a side
    /// with a bound that rises, and at most one otherwise.
    pub fn look_at(&mut self, counts: Counts) -> TestState {
        let verdict = self.test.look_at(counts);
        let ln_threshold = self.test.ln_threshold();
        let sides = [counts, counts.swapped()].into_iter().zip(self.test.largest_ln_evidence());
        for ((Counts { wins, losses, .. }, largest), rejected) in sides.zip(&mut self.rejected) {
            let bound = raise_bound(*rejected, wins, losses, ln_threshold);
            // The test of one half decides, whatever the last digits of the bound are.
            *rejected = if largest >= ln_threshold { bound.max(0.5) } else { bound.min(BELOW_HALF) };
        }
        verdict
    }

    /// The test of one half, as far as it was looked at here.
    #[must_use]
    pub fn test(&self) -> &PairTest {
        &self.test
    }

    /// The shares of the first side that no look rejects lie between these two; the first is at least 1/2 exactly if the test has
    /// found at some look that the first side wins more, and likewise the second. `None` if no share is left.
    #[must_use]
    pub fn interval(&self) -> Option<(f64, f64)> {
        let [low, high] = [self.rejected[0], 1.0 - self.rejected[1]];
        (low < high).then_some((low, high))
    }

    /// Both ends; the first may be the larger.
    #[must_use]
    pub fn ends(&self) -> [f64; 2] {
        [self.rejected[0], 1.0 - self.rejected[1]]
    }

    /// Whether no share is left, or the share of the last look is not among those that are: preferences drifted. Where they do not,
    /// simulations find this about as rarely as the sequence misses the share.
    #[must_use]
    pub fn drifts(&self) -> bool {
        let Some((low, high)) = self.interval() else { return true };
        let is_outside = |share: f64| low > 0.0 && share <= low || high < 1.0 && share >= high;
        self.test.counts().share().is_some_and(is_outside)
    }
}

/// The shares of the first side between these two are those that one look at level `alpha`, in (0, 1), does not reject. Valid at all
/// looks together; see [`ShareSequence`] for their intersection.
///
/// # Errors
/// If `alpha` is not in (0, 1).
pub fn share_interval(counts: Counts, alpha: f64) -> Result<(f64, f64), StatisticsError> {
    let mut sequence = ShareSequence::new(alpha)?;
    sequence.look_at(counts);
    let [low, high] = sequence.ends();
    Ok((low, high))
}

/// Just below one half, so that 1 minus it is just above.
const BELOW_HALF: f64 = 0.5 - f64::EPSILON;
/// No share below this is rejected.
const MIN_SHARE: f64 = 1e-9;
/// The logits to which bounds are found: the last step of a method that converges faster than linearly.
const STEP: f64 = 1e-5;

/// The largest share that `wins` and `losses` reject with evidence of `ln_threshold`, if it is larger than `rejected`, which is
/// returned otherwise.
fn raise_bound(rejected: f64, wins: u64, losses: u64, ln_threshold: f64) -> f64 {
    let observed = wins as f64 / ((wins + losses) as f64).max(1.0);
    if rejected >= observed || largest_ln_ratio(rejected.max(MIN_SHARE), wins, losses) < ln_threshold {
        return rejected;
    }
    let excess = |share: f64| {
        let evidence = EProcess::against_share(share);
        // Whether the bound of earlier looks rises at all costs less than by how much.
        let ln_largest = if share == rejected { evidence.ln_at_most(wins, losses) } else { f64::INFINITY };
        if ln_largest < ln_threshold { -1.0 } else { evidence.ln(wins, losses) - ln_threshold }
    };
    // In logits the excess falls as a convex function: Newton's method from the left does not overshoot. Its slope is known but
    // for what the prior cuts off; later steps take it from the last two points. Bounds on the solution hold them in.
    let mut low_logit = if rejected < MIN_SHARE { f64::NEG_INFINITY } else { logit(rejected) };
    let mut ln_largest = logit(observed);
    let mut current = if low_logit.is_finite() {
        low_logit
    } else {
        first_guess(wins, losses, ln_threshold).max(logit(2.0 * MIN_SHARE)).min(ln_largest - STEP)
    };
    let mut previous: Option<(f64, f64)> = None;
    for _ in 0..200 {
        let share = if current == low_logit { rejected } else { share_of(current) };
        if share <= MIN_SHARE {
            return rejected;
        }
        let distance = excess(share);
        if distance >= 0.0 {
            low_logit = current;
        } else if current == low_logit {
            // The bound of earlier looks is not rejected by this one.
            return rejected;
        } else {
            ln_largest = current;
        }
        let slope = previous
            .map(|(place, value)| (distance - value) / (current - place))
            .filter(|slope| *slope < 0.0)
            .unwrap_or_else(|| slope(share, wins, losses).min(-1e-3));
        let proposal = current - distance / slope;
        let inside = if proposal > low_logit && proposal < ln_largest {
            proposal
        } else if low_logit.is_finite() && ln_largest.is_finite() {
            0.5 * (low_logit + ln_largest)
        } else if low_logit.is_finite() {
            low_logit + 1.0
        } else {
            ln_largest - 2.0
        };
        previous = Some((current, distance));
        let is_found = (inside - current).abs() < STEP;
        current = inside;
        if is_found {
            break;
        }
    }
    share_of(current).max(rejected)
}

fn logit(share: f64) -> f64 {
    libm::log(share) - libm::log1p(-share)
}

fn share_of(logit: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-logit))
}

/// Where the evidence would reach the threshold if all its parts were normal.
fn first_guess(wins: u64, losses: u64, ln_threshold: f64) -> f64 {
    let units = (wins + losses) as f64;
    let share = (wins as f64 + 0.5) / (units + 1.0);
    // The evidence is twice the density of the sum under the prior, over that under the share.
    let target = ln_threshold - std::f64::consts::LN_2 + 0.5 * libm::log1p(units / WEIGHT);
    let deviations = libm::sqrt(2.0 * target.max(0.1) * (units + WEIGHT) / units);
    logit(share) - deviations / libm::sqrt(units * share * (1.0 - share))
}

/// The slope of ln E in the logit of the share, without the parts of the cut, which all but cancel.
fn slope(share: f64, wins: u64, losses: u64) -> f64 {
    let (wins, losses) = (wins as f64, losses as f64);
    let posterior = (WEIGHT * share + wins) / (WEIGHT + wins + losses);
    let prior = WEIGHT * share * (1.0 - share) * (logit(posterior.min(1.0 - 1e-12)) - logit(share));
    losses * share - wins * (1.0 - share) + prior
}
