//! Outcomes of impressions for rankers.

use crate::Preference;

/// The outcome of an impression for any number of rankers.
pub trait Outcome: Default + Clone + Send {
    /// How many rankers were compared.
    fn rankers(&self) -> usize;

    /// The winner between rankers `i` ([`Preference::First`]) and `j` ([`Preference::Second`]); a tie
    /// where either was not compared.
    fn preference(&self, i: usize, j: usize) -> Preference;
}

/// One score per ranker: the higher wins, equal ones tie.
impl Outcome for Vec<u64> {
    fn rankers(&self) -> usize {
        self.len()
    }

    #[inline]
    fn preference(&self, i: usize, j: usize) -> Preference {
        match (self.get(i), self.get(j)) {
            (Some(i), Some(j)) => Preference::of(i.cmp(j)),
            _ => Preference::Tie,
        }
    }
}

/// A preference for every pair of rankers, for methods with preferences that are not differences of scores; they
/// may even form cycles.
///
/// ```
/// use interleave::{Outcome, Preference, PairwisePreferences};
///
/// // Rock, paper, scissors.
/// let mut preferences = PairwisePreferences::from_fn(3, |i, j| if j == i + 1 { Preference::Second } else { Preference::First });
/// assert_eq!([(0, 1), (1, 2), (2, 0)].map(|(i, j)| preferences.preference(i, j)), [Preference::Second; 3]);
/// preferences.set(2, 1, Preference::Tie);
/// assert_eq!(preferences.preference(1, 2), Preference::Tie);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct PairwisePreferences {
    /// Row by row, for i < j: the verdict on (i, j).
    verdicts: Vec<Preference>,
    rankers: usize,
}

impl PairwisePreferences {
    /// The preferences between `rankers` rankers that `verdict` returns for rankers `i` ([`Preference::First`])
    /// and `j` ([`Preference::Second`]); it is called once for each i < j: (0, 1), (0, 2), ..., (1, 2), ...
    #[must_use]
    pub fn from_fn(rankers: usize, mut verdict: impl FnMut(usize, usize) -> Preference) -> Self {
        let mut preferences = Self::default();
        preferences.reset(rankers);
        let pairs = (0..rankers).flat_map(|i| (i + 1..rankers).map(move |j| (i, j)));
        for (place, (i, j)) in preferences.verdicts.iter_mut().zip(pairs) {
            *place = verdict(i, j);
        }
        preferences
    }

    /// Sets the winner between rankers `i` ([`Preference::First`]) and `j` ([`Preference::Second`]), and so
    /// between `j` and `i`.
    ///
    /// # Panics
    /// When `i` and `j` are the same, or not both below the number of rankers.
    #[inline]
    pub fn set(&mut self, i: usize, j: usize, verdict: Preference) {
        assert!(i != j && i.max(j) < self.rankers, "no pair ({i}, {j}) among {} rankers", self.rankers);
        let place = self.place(i.min(j), i.max(j));
        self.verdicts[place] = if i < j { verdict } else { verdict.swapped() };
    }

    /// Makes all of `rankers` rankers tie, in the same memory.
    pub fn reset(&mut self, rankers: usize) {
        self.rankers = rankers;
        self.verdicts.clear();
        let pairs = rankers * rankers.saturating_sub(1) / 2;
        self.verdicts.resize(pairs, Preference::Tie);
    }

    /// The index of the verdict on (`low`, `high`), for low < high < rankers.
    #[inline]
    fn place(&self, low: usize, high: usize) -> usize {
        // The rows above `low` hold (rankers - 1) + (rankers - 2) + ... verdicts.
        low * (2 * self.rankers - low - 1) / 2 + high - low - 1
    }

    /// The verdicts on (0, 1), (0, 2), ..., (1, 2), ...
    pub(crate) fn verdicts_mut(&mut self) -> &mut [Preference] {
        &mut self.verdicts
    }
}

impl Outcome for PairwisePreferences {
    fn rankers(&self) -> usize {
        self.rankers
    }

    #[inline]
    fn preference(&self, i: usize, j: usize) -> Preference {
        if i == j || i.max(j) >= self.rankers {
            return Preference::Tie;
        }
        let place = self.place(i.min(j), i.max(j));
        let verdict = self.verdicts.get(place).copied().unwrap_or(Preference::Tie);
        if i < j { verdict } else { verdict.swapped() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Preference; 3] = [Preference::First, Preference::Second, Preference::Tie];

    /// Every pair is requested once, in order, and has an answer from both sides.
    #[test]
    fn from_a_rule() {
        for rankers in 0..7 {
            let rule = |i: usize, j: usize| ALL[(i * 5 + j * 3) % 3];
            let mut asked = Vec::new();
            let preferences = PairwisePreferences::from_fn(rankers, |i, j| {
                asked.push((i, j));
                rule(i, j)
            });
            assert!(asked.is_sorted() && asked.iter().all(|&(i, j)| i < j && j < rankers));
            assert_eq!((asked.len(), preferences.rankers()), (rankers * rankers.saturating_sub(1) / 2, rankers));
            for (i, j) in asked {
                assert_eq!(
                    (preferences.preference(i, j), preferences.preference(j, i)),
                    (rule(i, j), rule(i, j).swapped())
                );
            }
            for i in 0..=rankers {
                assert_eq!(
                    (preferences.preference(i, i), preferences.preference(i, rankers)),
                    (Preference::Tie, Preference::Tie)
                );
            }
        }
    }

    #[test]
    fn set_one_by_one() {
        for rankers in 2..6 {
            let mut preferences = PairwisePreferences::default();
            preferences.reset(rankers);
            assert_eq!(preferences, PairwisePreferences::from_fn(rankers, |_, _| Preference::Tie));
            for i in 0..rankers {
                for j in (0..rankers).filter(|&j| j != i) {
                    for verdict in ALL {
                        preferences.set(i, j, verdict);
                        // This pair, and no other.
                        let expected = |a, b| match (a, b) {
                            _ if (a, b) == (i, j) => verdict,
                            _ if (a, b) == (j, i) => verdict.swapped(),
                            _ => Preference::Tie,
                        };
                        assert_eq!(preferences, PairwisePreferences::from_fn(rankers, expected));
                    }
                }
            }
            preferences.set(0, 1, Preference::First);
            preferences.reset(3);
            assert_eq!(preferences, PairwisePreferences::from_fn(3, |_, _| Preference::Tie));
        }
    }

    #[test]
    #[should_panic(expected = "no pair (1, 1) among 3 rankers")]
    fn no_ranker_meets_itself() {
        PairwisePreferences::from_fn(3, |_, _| Preference::Tie).set(1, 1, Preference::First);
    }

    #[test]
    #[should_panic(expected = "no pair (0, 3) among 3 rankers")]
    fn no_ranker_meets_one_that_does_not_exist() {
        PairwisePreferences::from_fn(3, |_, _| Preference::Tie).set(0, 3, Preference::First);
    }
}
