//! Which ranker of a pair a conversion is credited to.
//!
//! A user saw a document in some impressions before ordering it, and in each it came from one ranker, the other, or neither.
//! `last` credits the last one alone. `all` credits each of them, as Airbnb does: the number of conversions of a side is that of
//! its impressions, and the value is divided among all impressions, so that money is not multiplied. `most-drafted` credits the side
//! that owns the document in more of them, and neither if both own it as often.
//!
//! ## References
//!
//! - Q. Zhang et al. *Harnessing the Power of Interleaving and Counterfactual Evaluation for Airbnb Search Ranking.* KDD 2025,
//!   Algorithm 1. <https://arxiv.org/abs/2508.00751>

use std::fmt;
use std::str::FromStr;

use times::{duration_text, parse_duration};

/// Which of the impressions that showed a document to a user a conversion on it is credited to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Attribution {
    /// The last one before it.
    #[default]
    Last,
    /// All before it; with a limit, those at most this many milliseconds before.
    All(Option<i64>),
    /// All of the ranker that owns the document in most of those before it.
    MostDrafted,
}

const EXPECTED_RULE: &str = "expected last, all, window=7d or most-drafted";

/// How many days after the last day of its impressions a unit closes, by default.
const DAYS: u32 = 7;
const DAY: u64 = times::DAY as u64;

impl Attribution {
    /// How many days after the last day of its impressions a unit closes, by default: late enough for all conversions within the
    /// window.
    #[must_use]
    pub fn days(self) -> u32 {
        match self {
            Self::All(Some(window)) => window.unsigned_abs().div_ceil(DAY).clamp(1, 3650) as u32,
            _ => DAYS,
        }
    }
}

impl FromStr for Attribution {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "last" => Ok(Self::Last),
            "all" => Ok(Self::All(None)),
            "most-drafted" => Ok(Self::MostDrafted),
            _ => match text.strip_prefix("window=") {
                Some(window) => parse_duration(window).map(|window| Self::All(Some(window))),
                None => Err(EXPECTED_RULE.to_owned()),
            },
        }
    }
}

impl fmt::Display for Attribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Last => f.write_str("last"),
            Self::All(None) => f.write_str("all"),
            Self::All(Some(window)) => write!(f, "window={}", duration_text(*window)),
            Self::MostDrafted => f.write_str("most-drafted"),
        }
    }
}

/// The owner of a document in an impression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The first ranker of the pair.
    First,
    /// The second.
    Second,
    /// Another ranker, or none.
    Neither,
}

/// An impression that showed the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exposure {
    /// The time, in milliseconds since 1970.
    pub time: i64,
    /// The owner of the document in it.
    pub owner: Owner,
}

/// Why a conversion is credited to no impression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unseen {
    /// The document was shown only later.
    Early,
    /// It was shown too long before.
    Late,
}

/// The credit of a conversion for each side; `value` is its value after returns. `exposures` are all impressions that showed the
/// document, by time; at least one. A click may precede its impression by `skew` milliseconds, because clocks differ, and so may a
/// conversion.
pub(super) fn attribute(
    attribution: Attribution,
    exposures: &[Exposure],
    time: i64,
    skew: i64,
    value: u64,
) -> Result<([u64; 2], [u64; 2]), Unseen> {
    let end = exposures.partition_point(|exposure| exposure.time.saturating_sub(skew) <= time);
    let earlier_exposures = &exposures[..end];
    let Some(newest) = earlier_exposures.last() else { return Err(Unseen::Early) };
    let counts = |exposures: &[Exposure]| [Owner::First, Owner::Second].map(|owner| count(exposures, owner));
    Ok(match attribution {
        Attribution::Last => {
            // If several were at the last moment, the last is not known.
            let at = earlier_exposures.partition_point(|exposure| exposure.time < newest.time);
            let last = &earlier_exposures[at..];
            whole_credit(counts(last).map(|owned| owned == last.len() as u64), value)
        }
        Attribution::MostDrafted => {
            let [first, second] = counts(earlier_exposures);
            whole_credit([first > second, second > first], value)
        }
        Attribution::All(window) => {
            let begin = window.map_or(0, |window| {
                earlier_exposures.partition_point(|exposures| time.saturating_sub(exposures.time) > window)
            });
            let counted_exposures = &earlier_exposures[begin..];
            if counted_exposures.is_empty() {
                return Err(Unseen::Late);
            }
            let owned = counts(counted_exposures);
            // Less than two minor units cannot be divided, and go to neither.
            (owned, owned.map(|owned| (u128::from(value) * u128::from(owned) / counted_exposures.len() as u128) as u64))
        }
    })
}

fn count(seen: &[Exposure], owner: Owner) -> u64 {
    seen.iter().filter(|seen| seen.owner == owner).count() as u64
}

/// One conversion of this value for a side that has it.
fn whole_credit(has: [bool; 2], value: u64) -> ([u64; 2], [u64; 2]) {
    (has.map(u64::from), has.map(|has| if has { value } else { 0 }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Owner::{First, Neither, Second};

    #[test]
    fn attributions_and_their_names() {
        for (text, days) in [("last", 7), ("all", 7), ("most-drafted", 7), ("window=7d", 7), ("window=36h", 2)] {
            let read: Attribution = text.parse().unwrap();
            assert_eq!((read.to_string().as_str(), read.days()), (text, days));
        }
        assert_eq!("first".parse::<Attribution>().unwrap_err(), EXPECTED_RULE);
        assert!("window=".parse::<Attribution>().is_err());
    }

    fn seen(owners: &[(i64, Owner)]) -> Vec<Exposure> {
        owners.iter().map(|&(time, owner)| Exposure { time, owner }).collect()
    }

    #[test]
    fn four_ways_of_giving_credit() {
        let seen = seen(&[(10, First), (20, Second), (30, First), (40, Neither), (90, Second)]);
        let of = |attribution, time| attribute(attribution, &seen, time, 0, 100);
        assert_eq!(of(Attribution::Last, 39), Ok(([1, 0], [100, 0])));
        assert_eq!(of(Attribution::Last, 40), Ok(([0, 0], [0, 0])));
        assert_eq!(of(Attribution::All(None), 50), Ok(([2, 1], [50, 25])));
        assert_eq!(of(Attribution::All(Some(25)), 45), Ok(([1, 1], [33, 33])));
        assert_eq!(of(Attribution::All(Some(25)), 80), Err(Unseen::Late));
        assert_eq!(of(Attribution::MostDrafted, 50), Ok(([1, 0], [100, 0])));
        assert_eq!(of(Attribution::MostDrafted, 99), Ok(([0, 0], [0, 0])));
        assert_eq!(of(Attribution::Last, 9), Err(Unseen::Early));
        assert_eq!(attribute(Attribution::Last, &seen, 9, 1, 100), Ok(([1, 0], [100, 0])));
    }

    #[test]
    fn of_two_at_one_moment_neither_was_the_last() {
        let both = [First, Second].map(|owner| (5, owner));
        assert_eq!(attribute(Attribution::Last, &seen(&both), 6, 0, 100), Ok(([0, 0], [0, 0])));
        let twice = [First, First].map(|owner| (5, owner));
        assert_eq!(attribute(Attribution::Last, &seen(&twice), 6, 0, 100), Ok(([1, 0], [100, 0])));
    }
}
