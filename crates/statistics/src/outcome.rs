//! The outcome of a comparison of two sides.

use std::ops::AddAssign;

use crate::Preference;

/// Outcomes of a pair, counted for its first side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, serde::Serialize, serde::Deserialize)]
pub struct Counts {
    /// Units that the first side won.
    pub wins: u64,
    /// Units that the first side lost.
    pub losses: u64,
    /// Units in which neither won.
    pub ties: u64,
}

impl Counts {
    /// Counts of `wins`, `losses` and `ties`.
    #[must_use]
    pub fn new(wins: u64, losses: u64, ties: u64) -> Self {
        Self { wins, losses, ties }
    }

    /// Adds one outcome.
    pub fn record(&mut self, outcome: Preference) {
        *match outcome {
            Preference::First => &mut self.wins,
            Preference::Second => &mut self.losses,
            Preference::Tie => &mut self.ties,
        } += 1;
    }

    /// All units.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.wins + self.losses + self.ties
    }

    /// Units that one side won.
    #[must_use]
    pub fn decided(&self) -> u64 {
        self.wins + self.losses
    }

    /// The share of wins among the decided units; `None` if there are none.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        (self.decided() > 0).then(|| self.wins as f64 / self.decided() as f64)
    }

    /// The same counts for the second side.
    #[must_use]
    pub fn swapped(&self) -> Self {
        Self { wins: self.losses, losses: self.wins, ties: self.ties }
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.wins += other.wins;
        self.losses += other.losses;
        self.ties += other.ties;
    }
}

impl FromIterator<Preference> for Counts {
    fn from_iter<I: IntoIterator<Item = Preference>>(outcomes: I) -> Self {
        let mut counts = Self::default();
        outcomes.into_iter().for_each(|outcome| counts.record(outcome));
        counts
    }
}
