//! Who won, in expectation over who contributed the clicked documents.

use std::cmp::Ordering;

use crate::Preference;

/// By what chance either ranker would have drawn the document at one position: `weights[x]` out of
/// `masses[x]`, the weight of all that ranker x then had left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Odds {
    pub(crate) weights: [u64; 2],
    pub(crate) masses: [u64; 2],
}

/// The chances of both rankers at each position shown: all that credit needs, however much later,
/// wherever.
///
/// A plain value that serialises. Weights and masses are whole numbers up to 2^62, beyond what a
/// JSON reader that keeps numbers as doubles can hold.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbabilisticReceipt {
    positions: Vec<Odds>,
}

impl ProbabilisticReceipt {
    pub(crate) fn new(positions: Vec<Odds>) -> Self {
        Self { positions }
    }

    pub(crate) fn positions(&self) -> &[Odds] {
        &self.positions
    }

    /// How many documents the list shows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether it shows none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The probability by which either ranker would have drawn the document at `position`.
    #[must_use]
    pub fn probabilities(&self, position: usize) -> Option<[f64; 2]> {
        let Odds { weights, masses } = *self.positions.get(position)?;
        Some([0, 1].map(|x| weights[x] as f64 / masses[x].max(1) as f64))
    }
}

impl Odds {
    /// The two chances w_x / m_x over their common denominator: exact, below 2^124.
    #[inline]
    fn chances(&self) -> [u128; 2] {
        // A ranker with nothing left has weight 0, and any denominator will do.
        let [first, second] = self.masses.map(|mass| u128::from(mass.max(1)));
        [u128::from(self.weights[0]) * second, u128::from(self.weights[1]) * first]
    }

    /// Which ranker is likelier to have contributed the document, exactly.
    #[inline]
    fn likelier(&self) -> Ordering {
        let [first, second] = self.chances();
        first.cmp(&second)
    }

    /// P(contributed by the second ranker), to within 4 x 2^-53.
    #[inline]
    fn second(&self) -> f64 {
        let first = self.weights[0] as f64 * self.masses[1].max(1) as f64;
        let second = self.weights[1] as f64 * self.masses[0].max(1) as f64;
        if first + second > 0.0 { second / (first + second) } else { 0.5 }
    }
}

/// The clicks of one impression as they come, kept without a branch on whether there was one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    /// The odds at the clicked positions, then rubbish.
    odds: Vec<Odds>,
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

    /// Takes in the next position.
    #[inline]
    pub(crate) fn add(&mut self, clicked: bool, odds: Odds) {
        if self.clicks >= self.odds.len() {
            self.grow();
        }
        self.odds[self.clicks] = odds;
        self.clicks += usize::from(clicked);
        let likelier = odds.likelier();
        self.leans[0] |= clicked & (likelier == Ordering::Greater);
        self.leans[1] |= clicked & (likelier == Ordering::Less);
    }

    #[cold]
    fn grow(&mut self) {
        let nothing = Odds { weights: [0; 2], masses: [0; 2] };
        self.odds.resize(2 * self.clicks + 16, nothing);
    }

    /// Whom the clicks speak for.
    ///
    /// Where every clicked document leans the same way, or none leans, that is the answer, exactly:
    /// raising one q from a half raises E\[sign(N_2 - N_1)\] from 0. Mixed clicks go through
    /// [`expectation`] in floating point and tie where it cannot be told from 0.
    #[inline]
    pub(crate) fn winner(&mut self) -> Preference {
        match self.leans {
            [false, false] => Preference::Tie,
            [true, false] => Preference::First,
            [false, true] => Preference::Second,
            [true, true] => self.mixed(),
        }
    }

    #[inline(never)]
    fn mixed(&mut self) -> Preference {
        let expected = expectation(&self.odds[..self.clicks], &mut self.recursion);
        if expected.abs() <= tolerance(self.clicks) {
            Preference::Tie
        } else if expected > 0.0 {
            Preference::Second
        } else {
            Preference::First
        }
    }
}

/// The largest error of [`expectation`] over `clicks` positions, and a little: `clicks` x 2^-49.
///
/// With u = 2^-53: each q is off by at most 4 u and moves the expectation by at most twice that;
/// each step of the recursion multiplies and adds positive numbers, a relative error of at most
/// 3 u on probabilities that sum to 1; the final sum adds at most u a term. Together
/// (8 + 3 + 1) u a click, below 16 u.
fn tolerance(clicks: usize) -> f64 {
    clicks as f64 / (1_u64 << 49) as f64
}

/// E\[sign(N_2 - N_1)\] by the distribution of N_2, one position after another.
fn expectation(clicked: &[Odds], recursion: &mut Vec<f64>) -> f64 {
    recursion.clear();
    recursion.push(1.0);
    for odds in clicked {
        let second = odds.second();
        let first = 1.0 - second;
        recursion.push(0.0);
        for n in (1..recursion.len()).rev() {
            recursion[n] = recursion[n] * first + recursion[n - 1] * second;
        }
        recursion[0] *= first;
    }
    let clicks = clicked.len();
    let (mut for_first, mut for_second) = (0.0, 0.0);
    for (n, p) in recursion.iter().enumerate() {
        match (2 * n).cmp(&clicks) {
            Ordering::Less => for_first += p,
            Ordering::Equal => {}
            Ordering::Greater => for_second += p,
        }
    }
    for_second - for_first
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn marginal(clicked: &[Odds]) -> Preference {
        let mut tally = Tally::default();
        clicked.iter().for_each(|&odds| tally.add(true, odds));
        tally.winner()
    }

    fn odds(w1: u64, m1: u64, w2: u64, m2: u64) -> Odds {
        Odds { weights: [w1, w2], masses: [m1, m2] }
    }

    /// All 2^c assignments, each with its probability.
    fn plain(clicked: &[Odds]) -> f64 {
        let q: Vec<f64> = clicked.iter().map(Odds::second).collect();
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
        let clicked = [odds(703_583, million, 876_712, million), odds(296_703, million, 888_889, million)];
        assert!((clicked[0].second() - 0.554_778).abs() < 1e-6);
        assert!((clicked[1].second() - 0.749_743).abs() < 1e-6);
        assert!((expectation(&clicked, &mut Vec::new()) - 0.304_520).abs() < 2e-6);
        assert_eq!(marginal(&clicked), Preference::Second);
    }

    #[test]
    fn mirrored_clicks_tie() {
        let a = odds(3, 7, 1, 11);
        let mirrored = odds(1, 11, 3, 7);
        for clicked in [vec![a, mirrored], vec![a, mirrored, a, mirrored], vec![a, odds(5, 9, 5, 9), mirrored]] {
            assert_eq!(marginal(&clicked), Preference::Tie);
        }
    }

    #[test]
    fn one_click_is_decided_to_the_last_unit() {
        let (w, m) = ((1 << 60) - 1, (1 << 61) - 3);
        assert_eq!(marginal(&[odds(w, m, w, m)]), Preference::Tie);
        assert_eq!(marginal(&[odds(w + 1, m, w, m)]), Preference::First);
        assert_eq!(marginal(&[odds(w, m, w, m - 1)]), Preference::Second);
        assert_eq!(marginal(&[]), Preference::Tie);
    }

    #[test]
    fn a_ranker_that_does_not_list_the_document_did_not_contribute_it() {
        assert_eq!(marginal(&[odds(0, 0, 5, 8)]), Preference::Second);
        assert_eq!(marginal(&[odds(5, 8, 0, 8)]), Preference::First);
    }

    proptest! {
        #[test]
        fn recursion_is_enumeration(raw in prop::collection::vec((1_u64..1 << 60, 1_u64..1 << 60, 1_u64..1 << 60, 1_u64..1 << 60), 1..9)) {
            let clicked: Vec<Odds> = raw.iter().map(|&(a, b, c, d)| odds(a, a + b, c, c + d)).collect();
            let fast = expectation(&clicked, &mut Vec::new());
            prop_assert!((fast - plain(&clicked)).abs() < 2.0 * tolerance(clicked.len()));
            let swapped: Vec<Odds> = raw.iter().map(|&(a, b, c, d)| odds(c, c + d, a, a + b)).collect();
            let turned = match marginal(&swapped) {
                Preference::First => Preference::Second,
                Preference::Second => Preference::First,
                Preference::Tie => Preference::Tie,
            };
            prop_assert_eq!(marginal(&clicked), turned);
        }

        #[test]
        fn leaning_alone_decides(raw in prop::collection::vec((1_u64..9, 1_u64..9), 1..8)) {
            // All lean to the second ranker or to nobody.
            let clicked: Vec<Odds> = raw.iter().map(|&(a, b)| odds(a, 100, a + b - 1, 100)).collect();
            let expected = expectation(&clicked, &mut Vec::new());
            let tie = raw.iter().all(|&(_, b)| b == 1);
            prop_assert_eq!(tie, expected.abs() <= tolerance(clicked.len()));
            prop_assert_eq!(marginal(&clicked) == Preference::Second, expected > tolerance(clicked.len()));
        }

        #[test]
        fn any_receipt_is_credited(raw in prop::collection::vec(any::<(u64, u64, u64, u64)>(), 0..6)) {
            let clicked: Vec<Odds> = raw.iter().map(|&(a, b, c, d)| odds(a, b, c, d)).collect();
            marginal(&clicked);
        }
    }
}
