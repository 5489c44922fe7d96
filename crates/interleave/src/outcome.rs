//! What a user does with a document, and what an impression says about two rankers.

use std::cmp::Ordering;

/// What a user did with one document.
///
/// The feature `clicks` makes one from an examination of the crate `clicks`, by [`From`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Examination {
    /// The document was clicked.
    pub clicked: bool,
    /// The user leaves after this document; nothing below it is looked at.
    pub abandons: bool,
}

#[cfg(feature = "clicks")]
impl From<clicks::Examination> for Examination {
    #[inline]
    fn from(examination: clicks::Examination) -> Self {
        Self { clicked: examination.clicked, abandons: examination.abandons }
    }
}

#[cfg(feature = "bandits")]
impl From<Preference> for bandits::DuelOutcome {
    #[inline]
    fn from(preference: Preference) -> Self {
        match preference {
            Preference::First => Self::First,
            Preference::Second => Self::Second,
            Preference::Tie => Self::Tie,
        }
    }
}

/// Which of two rankers an impression speaks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preference {
    /// The first ranker won.
    First,
    /// The second ranker won.
    Second,
    /// Neither: no click, or credit that is exactly equal.
    Tie,
}

/// What an impression says about any number of rankers.
pub trait Outcome: Default + Clone + Send {
    /// How many rankers were compared.
    fn rankers(&self) -> usize;

    /// Who wins between rankers `i` ([`Preference::First`]) and `j` ([`Preference::Second`]); a tie
    /// where either was not compared.
    fn preference(&self, i: usize, j: usize) -> Preference;
}

impl Preference {
    /// Who wins where the first ranker's credit compares so with the second's: `First` for greater,
    /// `Second` for less.
    #[inline]
    #[must_use]
    pub fn of(ordering: Ordering) -> Self {
        match ordering {
            Ordering::Greater => Self::First,
            Ordering::Less => Self::Second,
            Ordering::Equal => Self::Tie,
        }
    }

    /// The same with the rankers swapped.
    #[inline]
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
            Self::Tie => Self::Tie,
        }
    }
}

/// One score a ranker: the higher wins, equal ones tie.
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

/// A verdict on every pair of rankers, for methods whose verdicts are no differences of scores; they
/// may even go in circles.
///
/// ```
/// use interleave::{Outcome, Preference, PairwisePreferences};
///
/// // Rock, paper, scissors.
/// let mut signs = PairwisePreferences::from_fn(3, |i, j| if j == i + 1 { Preference::Second } else { Preference::First });
/// assert_eq!([(0, 1), (1, 2), (2, 0)].map(|(i, j)| signs.preference(i, j)), [Preference::Second; 3]);
/// signs.set(2, 1, Preference::Tie);
/// assert_eq!(signs.preference(1, 2), Preference::Tie);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct PairwisePreferences {
    /// Row by row, for i < j: the verdict on (i, j).
    verdicts: Vec<Preference>,
    rankers: usize,
}

impl PairwisePreferences {
    /// What `verdict` says of rankers `i` ([`Preference::First`]) and `j` ([`Preference::Second`]) out of
    /// `rankers`, asked once for each i < j: (0, 1), (0, 2), ..., (1, 2), ...
    #[must_use]
    pub fn from_fn(rankers: usize, mut verdict: impl FnMut(usize, usize) -> Preference) -> Self {
        let mut signs = Self::default();
        signs.reset(rankers);
        let pairs = (0..rankers).flat_map(|i| (i + 1..rankers).map(move |j| (i, j)));
        for (place, (i, j)) in signs.verdicts.iter_mut().zip(pairs) {
            *place = verdict(i, j);
        }
        signs
    }

    /// Sets who wins between rankers `i` ([`Preference::First`]) and `j` ([`Preference::Second`]), and so
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

    /// Forgets all verdicts: all of `rankers` tied, in the same memory.
    pub fn reset(&mut self, rankers: usize) {
        self.rankers = rankers;
        self.verdicts.clear();
        let pairs = rankers * rankers.saturating_sub(1) / 2;
        self.verdicts.resize(pairs, Preference::Tie);
    }

    /// Where the verdict on (`low`, `high`) stands, for low < high < rankers.
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

    /// Every pair is asked about once, in the order of the verdicts, and answers from both sides.
    #[test]
    fn signs_from_a_rule() {
        for rankers in 0..7 {
            let rule = |i: usize, j: usize| ALL[(i * 5 + j * 3) % 3];
            let mut asked = Vec::new();
            let signs = PairwisePreferences::from_fn(rankers, |i, j| {
                asked.push((i, j));
                rule(i, j)
            });
            assert!(asked.is_sorted() && asked.iter().all(|&(i, j)| i < j && j < rankers));
            assert_eq!((asked.len(), signs.rankers()), (rankers * rankers.saturating_sub(1) / 2, rankers));
            for (i, j) in asked {
                assert_eq!((signs.preference(i, j), signs.preference(j, i)), (rule(i, j), rule(i, j).swapped()));
            }
            for i in 0..=rankers {
                assert_eq!((signs.preference(i, i), signs.preference(i, rankers)), (Preference::Tie, Preference::Tie));
            }
        }
    }

    #[test]
    fn signs_set_one_by_one() {
        for rankers in 2..6 {
            let mut signs = PairwisePreferences::default();
            signs.reset(rankers);
            assert_eq!(signs, PairwisePreferences::from_fn(rankers, |_, _| Preference::Tie));
            for i in 0..rankers {
                for j in (0..rankers).filter(|&j| j != i) {
                    for verdict in ALL {
                        signs.set(i, j, verdict);
                        // This pair, and no other.
                        let expected = |a, b| match (a, b) {
                            _ if (a, b) == (i, j) => verdict,
                            _ if (a, b) == (j, i) => verdict.swapped(),
                            _ => Preference::Tie,
                        };
                        assert_eq!(signs, PairwisePreferences::from_fn(rankers, expected));
                    }
                }
            }
            signs.set(0, 1, Preference::First);
            signs.reset(3);
            assert_eq!(signs, PairwisePreferences::from_fn(3, |_, _| Preference::Tie));
        }
    }

    #[test]
    #[should_panic(expected = "no pair (1, 1) among 3 rankers")]
    fn nobody_meets_itself() {
        PairwisePreferences::from_fn(3, |_, _| Preference::Tie).set(1, 1, Preference::First);
    }

    #[test]
    #[should_panic(expected = "no pair (0, 3) among 3 rankers")]
    fn nobody_meets_one_who_is_not_there() {
        PairwisePreferences::from_fn(3, |_, _| Preference::Tie).set(0, 3, Preference::First);
    }
}
