//! What a user does with a document, and what an impression says about two rankers.

use std::cmp::Ordering;

/// What a user did with one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// The document was clicked.
    pub clicked: bool,
    /// The user leaves after this document; nothing below it is looked at.
    pub leaves: bool,
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
    /// `First` for greater, `Second` for less.
    #[inline]
    pub(crate) fn of(ordering: Ordering) -> Self {
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
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Signs {
    /// Row by row, for i < j: the verdict on (i, j).
    verdicts: Vec<Preference>,
    rankers: usize,
}

impl Signs {
    /// All of `rankers` tied.
    pub(crate) fn reset(&mut self, rankers: usize) {
        self.rankers = rankers;
        self.verdicts.clear();
        let pairs = rankers * rankers.saturating_sub(1) / 2;
        self.verdicts.resize(pairs, Preference::Tie);
    }

    /// The verdicts on (0, 1), (0, 2), ..., (1, 2), ...
    pub(crate) fn verdicts_mut(&mut self) -> &mut [Preference] {
        &mut self.verdicts
    }
}

impl Outcome for Signs {
    fn rankers(&self) -> usize {
        self.rankers
    }

    #[inline]
    fn preference(&self, i: usize, j: usize) -> Preference {
        if i == j || i.max(j) >= self.rankers {
            return Preference::Tie;
        }
        let (low, high) = (i.min(j), i.max(j));
        // The rows above `low` hold (rankers - 1) + (rankers - 2) + ... verdicts.
        let place = low * (2 * self.rankers - low - 1) / 2 + high - low - 1;
        let verdict = self.verdicts.get(place).copied().unwrap_or(Preference::Tie);
        if i < j { verdict } else { verdict.swapped() }
    }
}
