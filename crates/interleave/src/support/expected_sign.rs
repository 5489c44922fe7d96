//! E\[sign(N_1 - N_2)\], where each clicked document was contributed by the first ranker, the second,
//! or neither.

use std::cmp::Ordering;

use crate::Preference;

/// One clicked document: the probabilities that either ranker contributed it, and which of the two
/// is larger, exactly.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Share {
    pub(crate) first: f64,
    pub(crate) second: f64,
    pub(crate) lean: Ordering,
}

/// The sum of expected signs over any number of credits for the same clicks, exact where all documents lean one
/// way.
///
/// Moving probability from one ranker to the other moves the expectation towards the latter, so documents that
/// all lean one way, or not at all, decide without arithmetic.
#[derive(Debug, Default)]
pub(crate) struct SignSum {
    leans: [bool; 2],
    sum: f64,
    error: f64,
    chances: Vec<f64>,
}

impl SignSum {
    pub(crate) fn clear(&mut self) {
        self.leans = [false; 2];
        self.sum = 0.0;
        self.error = 0.0;
    }

    pub(crate) fn add(&mut self, clicked: &[Share]) {
        for share in clicked {
            self.leans[0] |= share.lean == Ordering::Greater;
            self.leans[1] |= share.lean == Ordering::Less;
        }
        self.sum += expected_sign(clicked, &mut self.chances);
        // With u = 2^-53: shares are off by at most 6 u each and move the expectation by at most twice
        // that; a step of the recursion adds three products of positive numbers, at most 5 u; the
        // final sum at most 2 u per term: below 32 u per click.
        self.error += clicked.len() as f64 / (1_u64 << 48) as f64;
    }

    pub(crate) fn preference(&self) -> Preference {
        match self.leans {
            [false, false] => Preference::Tie,
            [true, false] => Preference::First,
            [false, true] => Preference::Second,
            [true, true] if self.sum.abs() <= self.error => Preference::Tie,
            [true, true] if self.sum > 0.0 => Preference::First,
            [true, true] => Preference::Second,
        }
    }
}

/// By the distribution of N_1 - N_2, one click after another.
fn expected_sign(clicked: &[Share], chances: &mut Vec<f64>) -> f64 {
    // `chances[d]` is P(N_1 - N_2 = d - n) after n clicks.
    chances.clear();
    chances.push(1.0);
    for share in clicked {
        let neither = (1.0 - share.first - share.second).max(0.0);
        // From n to n + 1 clicks: differences up to n + 1 either way, so two places more.
        let len = chances.len() + 2;
        chances.resize(len, 0.0);
        for d in (0..len).rev() {
            let at = |d: Option<usize>| d.map_or(0.0, |d| chances[d]);
            chances[d] =
                at(d.checked_sub(2)) * share.first + at(d.checked_sub(1)) * neither + chances[d] * share.second;
        }
    }
    let n = clicked.len();
    chances[n + 1..].iter().sum::<f64>() - chances[..n].iter().sum::<f64>()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn share(first: f64, second: f64) -> Share {
        let lean = first.total_cmp(&second);
        Share { first, second, lean }
    }

    /// All 3^c assignments, each with its probability.
    fn by_enumeration(clicked: &[Share]) -> f64 {
        (0..3_usize.pow(clicked.len() as u32))
            .map(|mut code| {
                let (mut p, mut difference) = (1.0, 0_i32);
                for share in clicked {
                    match code % 3 {
                        0 => (p, difference) = (p * share.first, difference + 1),
                        1 => (p, difference) = (p * share.second, difference - 1),
                        _ => p *= 1.0 - share.first - share.second,
                    }
                    code /= 3;
                }
                p * f64::from(difference.signum())
            })
            .sum()
    }

    proptest! {
        #[test]
        fn recursion_is_enumeration(raw in prop::collection::vec((0.0..0.5, 0.0..0.5), 0..7)) {
            let clicked: Vec<Share> = raw.iter().map(|&(a, b)| share(a, b)).collect();
            let fast = expected_sign(&clicked, &mut Vec::new());
            prop_assert!((fast - by_enumeration(&clicked)).abs() < 1e-13);
            let mut sum = SignSum::default();
            sum.add(&clicked);
            let expected = match fast {
                fast if fast > 1e-13 => Preference::First,
                fast if fast < -1e-13 => Preference::Second,
                _ => return Ok(()),
            };
            prop_assert_eq!(sum.preference(), expected);
        }

        #[test]
        fn mirrored_clicks_tie(raw in prop::collection::vec((0.0..0.5, 0.0..0.5), 0..7)) {
            let clicked: Vec<Share> = raw.iter().flat_map(|&(a, b)| [share(a, b), share(b, a)]).collect();
            let mut sum = SignSum::default();
            sum.add(&clicked);
            prop_assert_eq!(sum.preference(), Preference::Tie);
        }
    }
}
