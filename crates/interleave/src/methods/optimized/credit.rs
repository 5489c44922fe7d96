//! The credit of a click in the optimized methods.

use crate::Preference;
use crate::support::fixed_point::Credit;

/// The credit that a click on a document gives the first ranker, where r_1 and r_2 are its 1-based ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PairCredit {
    /// r_2 - r_1.
    #[default]
    Linear,
    /// 1, -1 or 0: the sign of r_2 - r_1.
    Binary,
    /// 1 / r_1 - 1 / r_2.
    Inverse,
}

impl PairCredit {
    pub(super) fn value(self, [first, second]: [u16; 2]) -> f64 {
        let (first, second) = (f64::from(first), f64::from(second));
        match self {
            Self::Linear => second - first,
            Self::Binary => f64::from(i8::from(second > first) - i8::from(second < first)),
            Self::Inverse => 1.0 / first.max(1.0) - 1.0 / second.max(1.0),
        }
    }

    /// The winner by clicks on documents with these ranks: exact for integer credits, on the grid of all scores for
    /// inverse ranks.
    pub(super) fn winner(self, clicked: impl Iterator<Item = [u16; 2]>) -> Preference {
        if self == Self::Inverse {
            let mut sums = [Credit::default(); 2];
            for ranks in clicked {
                for (sum, rank) in sums.iter_mut().zip(ranks) {
                    sum.add(Credit::of(1.0 / f64::from(rank.max(1))));
                }
            }
            return Preference::of(sums[0].score().cmp(&sums[1].score()));
        }
        let sum: i64 = clicked.map(|ranks| self.value(ranks) as i64).sum();
        Preference::of(sum.cmp(&0))
    }
}

/// The credit that a click on a document gives a ranker that ranks it at the 1-based rank r.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RankCredit {
    /// 1 / r; scores are in units of 2^-32.
    #[default]
    Inverse,
    /// -r; scores are 65,536 - r per click.
    Negative,
}

impl RankCredit {
    pub(super) fn value(self, rank: u16) -> f64 {
        match self {
            Self::Inverse => 1.0 / f64::from(rank.max(1)),
            Self::Negative => -f64::from(rank),
        }
    }

    pub(super) fn score(self, clicked: impl Iterator<Item = u16>) -> u64 {
        match self {
            Self::Inverse => {
                let mut sum = Credit::default();
                clicked.for_each(|rank| sum.add(Credit::of(self.value(rank))));
                sum.score()
            }
            Self::Negative => clicked.map(|rank| 65_536 - u64::from(rank)).sum(),
        }
    }
}
