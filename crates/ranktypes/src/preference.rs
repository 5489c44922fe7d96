//! Who won.

use std::cmp::Ordering;

/// Which of two sides won: two rankers in an impression, two arms in a duel, two answers before a judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preference {
    /// The first side won.
    First,
    /// The second side won.
    Second,
    /// Neither: no click, or credit that is exactly equal.
    Tie,
}

impl Preference {
    /// The winner, given how the credit of the first side compares with that of the second: `First` for greater,
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

    /// The winner, given the net credit of the first side: its credit minus that of the second. Not a number is a tie.
    ///
    /// ```
    /// use ranktypes::Preference;
    /// let winners = [2.0, -0.5, 0.0].map(Preference::of_net);
    /// assert_eq!(winners, [Preference::First, Preference::Second, Preference::Tie]);
    /// ```
    #[inline]
    #[must_use]
    pub fn of_net(net: f64) -> Self {
        if net > 0.0 {
            Self::First
        } else if net < 0.0 {
            Self::Second
        } else {
            Self::Tie
        }
    }

    /// The same with the sides swapped.
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
