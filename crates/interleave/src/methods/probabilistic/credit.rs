//! The winner, in expectation over which ranker contributed each clicked document.

use std::cmp::Ordering;

use crate::Preference;
use crate::support::pack::Pack;
use crate::support::receipt_len;

/// The probability that each ranker would have drawn the document at one position: `weights[x]` out of
/// `masses[x]`, the weight of all that ranker x then had left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct DrawProbabilities {
    pub(crate) weights: [u64; 2],
    pub(crate) masses: [u64; 2],
}

/// The probabilities of both rankers at each position shown: all that credit needs.
///
/// A plain value that serialises. Weights and masses are whole numbers up to 2^62, which a JSON reader that
/// keeps numbers as doubles cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbabilisticReceipt {
    positions: Vec<DrawProbabilities>,
}

receipt_len!(ProbabilisticReceipt, |receipt| receipt.positions.len());

impl Pack for ProbabilisticReceipt {}

impl ProbabilisticReceipt {
    pub(crate) fn new(positions: Vec<DrawProbabilities>) -> Self {
        Self { positions }
    }

    pub(crate) fn positions(&self) -> &[DrawProbabilities] {
        &self.positions
    }

    /// The probability that each ranker would have drawn the document at `position`.
    #[must_use]
    pub fn probabilities(&self, position: usize) -> Option<[f64; 2]> {
        let DrawProbabilities { weights, masses } = *self.positions.get(position)?;
        Some([0, 1].map(|x| weights[x] as f64 / masses[x].max(1) as f64))
    }
}

impl DrawProbabilities {
    /// The two chances w_x / m_x over their common denominator: exact, below 2^124.
    #[inline]
    fn chances(&self) -> [u128; 2] {
        // A ranker with nothing left has weight 0, and any denominator will do.
        let [first, second] = self.masses.map(|mass| u128::from(mass.max(1)));
        [u128::from(self.weights[0]) * second, u128::from(self.weights[1]) * first]
    }

    /// Compares, exactly, how likely the rankers are to have contributed the document.
    #[inline]
    fn compare_rankers(&self) -> Ordering {
        let [first, second] = self.chances();
        first.cmp(&second)
    }

    /// P(contributed by the second ranker), to within 4 x 2^-53.
    #[inline]
    fn probability_of_second(&self) -> f64 {
        let first = self.weights[0] as f64 * self.masses[1].max(1) as f64;
        let second = self.weights[1] as f64 * self.masses[0].max(1) as f64;
        if first + second > 0.0 { second / (first + second) } else { 0.5 }
    }
}

/// The clicks of one impression, recorded without a branch on whether there was one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    /// The probabilities at the clicked positions, then unused entries.
    probabilities: Vec<DrawProbabilities>,
    clicks: usize,
    /// Whether some clicked document leans to the first, or to the second ranker.
    leans: [bool; 2],
    recursion: Vec<f64>,
}

impl Tally {
    #[inline]
    pub(crate) fn start(&mut self) {
        self.clicks = 0;
        self.leans = [false; 2];
    }

    /// Adds the next position.
    #[inline]
    pub(crate) fn add(&mut self, clicked: bool, probabilities: DrawProbabilities) {
        if self.clicks >= self.probabilities.len() {
            self.grow();
        }
        self.probabilities[self.clicks] = probabilities;
        self.clicks += usize::from(clicked);
        let likelier = probabilities.compare_rankers();
        self.leans[0] |= clicked & (likelier == Ordering::Greater);
        self.leans[1] |= clicked & (likelier == Ordering::Less);
    }

    #[cold]
    fn grow(&mut self) {
        self.probabilities.resize(2 * self.clicks + 16, DrawProbabilities::default());
    }

    /// The winner.
    ///
    /// Where every clicked document leans the same way, or none leans, that is the answer, exactly:
    /// raising one q from a half raises E\[sign(N_2 - N_1)\] from 0. Mixed clicks go through
    /// [`expectation`] in floating point and tie where it cannot be distinguished from 0.
    #[inline]
    pub(crate) fn winner(&mut self) -> Preference {
        match self.leans {
            [false, false] => Preference::Tie,
            [true, false] => Preference::First,
            [false, true] => Preference::Second,
            [true, true] => self.mixed_winner(),
        }
    }

    #[inline(never)]
    fn mixed_winner(&mut self) -> Preference {
        let clicked = &self.probabilities[..self.clicks];
        let expected = if let [one, other] = clicked {
            expectation_of_two(one.probability_of_second(), other.probability_of_second())
        } else {
            self.recursion.resize(clicked.len() + 1, 0.0);
            expectation(clicked.iter().map(DrawProbabilities::probability_of_second), &mut self.recursion)
        };
        winner_by_expectation(expected, clicked.len())
    }
}

/// The winner by the expectation over `clicks` clicks.
#[inline]
fn winner_by_expectation(expected: f64, clicks: usize) -> Preference {
    if expected.abs() <= tolerance(clicks) { Preference::Tie } else { winner_by_sign(expected) }
}

/// The winner by an expectation that is not 0.
#[inline]
pub(super) fn winner_by_sign(expected: f64) -> Preference {
    if expected > 0.0 { Preference::Second } else { Preference::First }
}

/// The winner by the clicked positions, the same as [`Tally`]'s; decided without a tally if all lean towards one ranker.
pub(crate) fn winner(clicked: impl Iterator<Item = DrawProbabilities> + Clone) -> Preference {
    let mut leans =
        clicked.clone().map(|probabilities| probabilities.compare_rankers()).filter(|leaning| leaning.is_ne());
    let Some(first) = leans.next() else { return Preference::Tie };
    if leans.all(|leaning| leaning == first) {
        return Preference::of(first);
    }
    let mut tally = Tally::default();
    clicked.for_each(|probabilities| tally.add(true, probabilities));
    tally.winner()
}

/// An upper bound on the error of [`expectation`] over `clicks` positions: `clicks` x 2^-49.
///
/// With u = 2^-53: each q is off by at most 4 u and moves the expectation by at most twice that;
/// each step of the recursion multiplies and adds positive numbers, a relative error of at most
/// 3 u on probabilities that sum to 1; the final sum adds at most u per term. Together
/// (8 + 3 + 1) u per click, below 16 u.
fn tolerance(clicks: usize) -> f64 {
    clicks as f64 / (1_u64 << 49) as f64
}

/// E\[sign(N_2 - N_1)\] by the distribution of N_2, one position after another: `clicked` are the probabilities that the second
/// ranker contributed each. `recursion` has room for a number more than these.
fn expectation(clicked: impl Iterator<Item = f64>, recursion: &mut [f64]) -> f64 {
    recursion[0] = 1.0;
    let mut clicks = 0;
    for second in clicked {
        let first = 1.0 - second;
        clicks += 1;
        recursion[clicks] = 0.0;
        for n in (1..=clicks).rev() {
            recursion[n] = recursion[n] * first + recursion[n - 1] * second;
        }
        recursion[0] *= first;
    }
    let sum = |chances: &[f64]| chances.iter().fold(0.0, |sum, chance| sum + chance);
    // The probability that the second ranker has more than half of the clicks, minus that of fewer.
    sum(&recursion[clicks / 2 + 1..=clicks]) - sum(&recursion[..clicks.div_ceil(2)])
}

/// [`expectation`] over two positions, the usual number, to the last bit: the same operations but those that change
/// nothing.
fn expectation_of_two(one: f64, other: f64) -> f64 {
    one * other - (1.0 - one) * (1.0 - other)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn marginal(clicked: &[DrawProbabilities]) -> Preference {
        let mut tally = Tally::default();
        clicked.iter().for_each(|&probabilities| tally.add(true, probabilities));
        let found = tally.winner();
        assert_eq!(winner(clicked.iter().copied()), found, "{clicked:?}");
        found
    }

    fn probabilities(w1: u64, m1: u64, w2: u64, m2: u64) -> DrawProbabilities {
        DrawProbabilities { weights: [w1, w2], masses: [m1, m2] }
    }

    /// All 2^c assignments, each with its probability.
    fn by_enumeration(clicked: &[DrawProbabilities]) -> f64 {
        let q: Vec<f64> = clicked.iter().map(DrawProbabilities::probability_of_second).collect();
        (0_u32..1 << q.len())
            .map(|owners| {
                let p: f64 =
                    q.iter().enumerate().map(|(n, q)| if owners >> n & 1 == 1 { *q } else { 1.0 - q }).product();
                let second = owners.count_ones() as i64;
                p * (2 * second - q.len() as i64).signum() as f64
            })
            .sum()
    }

    #[test]
    fn golden_of_lerots_example() {
        // P_1 = (.849140, .703583, .296703), P_2 = (.031450, .876712, .888889), clicks on the last
        // two: P(first wins) = .111420, P(second wins) = .415940.
        let million = 1_000_000;
        let clicked =
            [probabilities(703_583, million, 876_712, million), probabilities(296_703, million, 888_889, million)];
        assert!((clicked[0].probability_of_second() - 0.554_778).abs() < 1e-6);
        assert!((clicked[1].probability_of_second() - 0.749_743).abs() < 1e-6);
        assert!(
            (expectation(
                clicked.iter().map(DrawProbabilities::probability_of_second),
                &mut vec![0.0; clicked.len() + 1]
            ) - 0.304_520)
                .abs()
                < 2e-6
        );
        assert_eq!(marginal(&clicked), Preference::Second);
    }

    #[test]
    fn mirrored_clicks_tie() {
        let a = probabilities(3, 7, 1, 11);
        let mirrored = probabilities(1, 11, 3, 7);
        for clicked in [vec![a, mirrored], vec![a, mirrored, a, mirrored], vec![a, probabilities(5, 9, 5, 9), mirrored]]
        {
            assert_eq!(marginal(&clicked), Preference::Tie);
        }
    }

    #[test]
    fn one_click_is_decided_to_the_last_unit() {
        let (w, m) = ((1 << 60) - 1, (1 << 61) - 3);
        assert_eq!(marginal(&[probabilities(w, m, w, m)]), Preference::Tie);
        assert_eq!(marginal(&[probabilities(w + 1, m, w, m)]), Preference::First);
        assert_eq!(marginal(&[probabilities(w, m, w, m - 1)]), Preference::Second);
        assert_eq!(marginal(&[]), Preference::Tie);
    }

    #[test]
    fn a_ranker_that_does_not_list_the_document_did_not_contribute_it() {
        assert_eq!(marginal(&[probabilities(0, 0, 5, 8)]), Preference::Second);
        assert_eq!(marginal(&[probabilities(5, 8, 0, 8)]), Preference::First);
    }

    proptest! {
        #[test]
        fn recursion_is_enumeration(raw in prop::collection::vec((1_u64..1 << 60, 1_u64..1 << 60, 1_u64..1 << 60, 1_u64..1 << 60), 1..9)) {
            let clicked: Vec<DrawProbabilities> = raw.iter().map(|&(a, b, c, d)| probabilities(a, a + b, c, c + d)).collect();
            let fast = expectation(clicked.iter().map(DrawProbabilities::probability_of_second), &mut vec![0.0; clicked.len() + 1]);
            prop_assert!((fast - by_enumeration(&clicked)).abs() < 2.0 * tolerance(clicked.len()));
            let swapped: Vec<DrawProbabilities> = raw.iter().map(|&(a, b, c, d)| probabilities(c, c + d, a, a + b)).collect();
            let turned = match marginal(&swapped) {
                Preference::First => Preference::Second,
                Preference::Second => Preference::First,
                Preference::Tie => Preference::Tie,
            };
            prop_assert_eq!(marginal(&clicked), turned);
        }

        #[test]
        fn two_positions_are_as_any_number(weights: [[u64; 2]; 2], masses: [[u64; 2]; 2]) {
            let clicked = [0, 1].map(|n| DrawProbabilities { weights: weights[n], masses: masses[n] });
            let [one, other] = clicked;
            let plain = expectation(clicked.iter().map(DrawProbabilities::probability_of_second), &mut vec![0.0; clicked.len() + 1]);
            prop_assert_eq!(expectation_of_two(one.probability_of_second(), other.probability_of_second()).to_bits(), plain.to_bits());
        }

        #[test]
        fn leaning_alone_decides(raw in prop::collection::vec((1_u64..9, 1_u64..9), 1..8)) {
            // All lean to the second ranker or to neither.
            let clicked: Vec<DrawProbabilities> = raw.iter().map(|&(a, b)| probabilities(a, 100, a + b - 1, 100)).collect();
            let expected = expectation(clicked.iter().map(DrawProbabilities::probability_of_second), &mut vec![0.0; clicked.len() + 1]);
            let tie = raw.iter().all(|&(_, b)| b == 1);
            prop_assert_eq!(tie, expected.abs() <= tolerance(clicked.len()));
            prop_assert_eq!(marginal(&clicked) == Preference::Second, expected > tolerance(clicked.len()));
        }

        #[test]
        fn any_receipt_is_credited(raw in prop::collection::vec(any::<(u64, u64, u64, u64)>(), 0..6)) {
            let clicked: Vec<DrawProbabilities> = raw.iter().map(|&(a, b, c, d)| probabilities(a, b, c, d)).collect();
            marginal(&clicked);
        }
    }
}
