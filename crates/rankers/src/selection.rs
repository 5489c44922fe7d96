//! Which features become arms.

use std::fmt;
use std::str::FromStr;

use letor_io::FeatureId;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Generator;

/// Which features become arms.
///
/// On the command line: `all`, `30` (that many at random), `alphabetical:10`, or the feature
/// numbers themselves, `1,5,110` (a single one as `110,`).
///
/// ```
/// use letor_io::FeatureId;
/// use rankers::Selection;
///
/// let first: Selection = "alphabetical:4".parse()?;
/// assert_eq!(first.choose(136, 0)?, [1, 10, 100, 101].map(FeatureId));
/// # Ok::<(), rankers::SelectionError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// All features, in numeric order.
    All,
    /// This many, drawn at random (by a seed given elsewhere), kept in numeric order.
    Random(usize),
    /// The first this many when the 1-based numbers are sorted as strings (1, 10, 100, 101, ...):
    /// the rule of Zoghi et al., WSDM 2014, for experiments with a few rankers.
    /// <https://doi.org/10.1145/2556195.2556256>
    Alphabetical(usize),
    /// Exactly these, in this order.
    List(Vec<FeatureId>),
}

/// What is wrong with a selection.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SelectionError(pub(crate) String);

impl FromStr for Selection {
    type Err = SelectionError;

    /// `all`, `N`, `alphabetical:N` or `1,5,110`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let fail = |part: &str| {
            SelectionError(format!(
                "rankers {text:?}: {part:?} is no number; expected `all`, how many, `alphabetical:N`, \
                 or feature numbers like `1,5,110`"
            ))
        };
        if text == "all" {
            Ok(Self::All)
        } else if let Some(count) = text.strip_prefix("alphabetical:") {
            Ok(Self::Alphabetical(count.trim().parse().map_err(|_| fail(count))?))
        } else if text.contains(',') {
            let numbers = text.strip_suffix(',').unwrap_or(text).split(',');
            let list = numbers.map(|number| number.trim().parse().map(FeatureId).map_err(|_| fail(number)));
            Ok(Self::List(list.collect::<Result<_, _>>()?))
        } else {
            Ok(Self::Random(text.parse().map_err(|_| fail(text))?))
        }
    }
}

impl fmt::Display for Selection {
    /// As [`from_str`](Self::from_str) reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => write!(f, "all"),
            Self::Random(count) => write!(f, "{count}"),
            Self::Alphabetical(count) => write!(f, "alphabetical:{count}"),
            Self::List(features) => match features.as_slice() {
                [one] => write!(f, "{},", one.0),
                several => {
                    let numbers: Vec<String> = several.iter().map(|feature| feature.0.to_string()).collect();
                    write!(f, "{}", numbers.join(","))
                }
            },
        }
    }
}

impl Selection {
    /// The features chosen among `1..=features`.
    ///
    /// `seed` matters to [`Random`](Self::Random) only.
    ///
    /// # Errors
    /// When none or more are asked for than there are, a number is 0, too large, or given twice.
    pub fn choose(&self, features: u32, seed: u64) -> Result<Vec<FeatureId>, SelectionError> {
        let enough = |count: usize| {
            if count == 0 {
                Err(SelectionError("no ranker is chosen; choose one at least".to_owned()))
            } else if count > features as usize {
                Err(SelectionError(format!(
                    "{count} rankers are asked for, but the data have {features} features; ask for fewer, or for `all`"
                )))
            } else {
                Ok(())
            }
        };
        let mut all: Vec<FeatureId> = (1..=features).map(FeatureId).collect();
        match self {
            Self::All => {
                enough(all.len())?;
                Ok(all)
            }
            &Self::Random(count) => {
                enough(count)?;
                let mut generator = Generator::seed_from_u64(seed);
                for place in 0..count {
                    let chosen = generator.random_range(place as u64..all.len() as u64);
                    all.swap(place, chosen as usize);
                }
                all.truncate(count);
                all.sort_unstable();
                Ok(all)
            }
            &Self::Alphabetical(count) => {
                enough(count)?;
                all.sort_by_cached_key(|feature| feature.0.to_string());
                all.truncate(count);
                Ok(all)
            }
            Self::List(list) => {
                enough(list.len().min(features.max(1) as usize))?;
                let mut seen = vec![false; features as usize];
                for feature in list {
                    match (feature.0 as usize).checked_sub(1).and_then(|index| seen.get_mut(index)) {
                        None => {
                            return Err(SelectionError(format!(
                                "there is no feature {}; the data have features 1 to {features}",
                                feature.0
                            )));
                        }
                        Some(seen) if *seen => {
                            return Err(SelectionError(format!("feature {} is chosen twice; name it once", feature.0)));
                        }
                        Some(seen) => *seen = true,
                    }
                }
                Ok(list.clone())
            }
        }
    }
}
