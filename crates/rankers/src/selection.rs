//! Which features become arms.

use std::fmt;
use std::str::FromStr;

use letor_io::{FeatureId, Names};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Generator;

/// Which features become arms.
///
/// As text: `all`, `30` (30 at random), `alphabetical:10`, or feature numbers, `1,5,110` (a single one as `110,`), and
/// ranges of them, `1-5,110`. Where features have names, names too: `bm25,ltr,7`; see [`split_list`](ranktypes::text::split_list) for those with commas.
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
    /// This many, drawn at random without replacement, in numeric order.
    Random(usize),
    /// The first this many when the feature numbers are sorted as strings (1, 10, 100, 101, ...): the rule of Zoghi et
    /// al., WSDM 2014, for experiments with few rankers. <https://doi.org/10.1145/2556195.2556256>
    Alphabetical(usize),
    /// Exactly these, in this order.
    List(Vec<FeatureId>),
    /// Exactly these, in this order, by names, numbers and ranges of numbers. [`resolve`](Self::resolve) finds the features.
    Named(Vec<String>),
}

/// Why features cannot be selected or ranked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SelectionError {
    kind: SelectionErrorKind,
    message: String,
}

/// The kinds of [`SelectionError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SelectionErrorKind {
    /// The text is not a selection.
    Syntax,
    /// No ranker is selected.
    NoRanker,
    /// More rankers are selected than there are features.
    TooMany,
    /// The data do not have the feature.
    UnknownFeature,
    /// No feature has the name.
    UnknownName,
    /// A feature is selected twice.
    Duplicate,
    /// A query has more documents than a list can hold.
    QueryTooLong,
}

impl SelectionError {
    pub(crate) fn new(kind: SelectionErrorKind, message: String) -> Self {
        Self { kind, message }
    }

    fn not_a_number(text: &str, part: &str) -> Self {
        let message = format!(
            "rankers {text:?}: {part:?} is not a number; expected `all`, a number of rankers, `alphabetical:N`, or \
             feature numbers, e.g. `1-5,110`"
        );
        Self::new(SelectionErrorKind::Syntax, message)
    }

    pub(crate) fn no_ranker() -> Self {
        Self::new(SelectionErrorKind::NoRanker, "no ranker is selected; select at least one".to_owned())
    }

    pub(crate) fn unknown_feature(feature: FeatureId, features: u32) -> Self {
        let message = format!("there is no feature {}; the data have features 1 to {features}", feature.0);
        Self::new(SelectionErrorKind::UnknownFeature, message)
    }

    /// The kind of error.
    #[must_use]
    pub fn kind(&self) -> SelectionErrorKind {
        self.kind
    }
}

impl FromStr for Selection {
    type Err = SelectionError;

    /// `all`, `N`, `alphabetical:N`, `1,5,110`, `1-5,110` or `bm25,ltr`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let fail = |part: &str| SelectionError::not_a_number(text, part);
        if text == "all" {
            Ok(Self::All)
        } else if let Some(count) = text.strip_prefix("alphabetical:") {
            Ok(Self::Alphabetical(count.trim().parse().map_err(|_| fail(count))?))
        } else if let Ok(count) = text.parse() {
            Ok(Self::Random(count))
        } else {
            let items = ranktypes::text::split_list(text).map_err(|_| fail(""))?;
            let numbers: Result<Vec<FeatureId>, _> = items.iter().map(|item| item.parse().map(FeatureId)).collect();
            Ok(numbers.map_or(Self::Named(items), Self::List))
        }
    }
}

impl fmt::Display for Selection {
    /// The text that [`from_str`](Self::from_str) parses.
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
            Self::Named(items) => f.write_str(&ranktypes::text::join_list(items)),
        }
    }
}

impl Selection {
    /// The same selection by numbers alone, where `names` are those of the features, if they have any. A name precedes a
    /// number: in a list, 7 is the feature called 7 if there is one.
    ///
    /// # Errors
    /// If nothing has one of the names, or a range is none.
    pub fn resolve(&self, names: Option<&Names>) -> Result<Self, SelectionError> {
        let called = |name: &str| names?.find(name).map(|number| FeatureId(number as u32 + 1));
        match self {
            Self::List(features) => Ok(Self::List(
                features.iter().map(|&feature| called(&feature.0.to_string()).unwrap_or(feature)).collect(),
            )),
            Self::Named(items) => {
                let feature = |item: &String| {
                    let number = || item.parse().ok().map(FeatureId);
                    called(item).or_else(number).ok_or_else(|| match names {
                        Some(names) => {
                            let hint = names.look_up(item).unwrap_err();
                            SelectionError::new(SelectionErrorKind::UnknownName, format!("rankers {self}: {hint}"))
                        }
                        None => SelectionError::not_a_number(&self.to_string(), item),
                    })
                };
                let mut features = Vec::new();
                for item in items {
                    let range = Names::range(item, names).map_err(|error| {
                        SelectionError::new(SelectionErrorKind::Syntax, format!("rankers {self}: {error}"))
                    })?;
                    match range {
                        Some(numbers) => features.extend(numbers.map(FeatureId)),
                        None => features.push(feature(item)?),
                    }
                }
                Ok(Self::List(features))
            }
            other => Ok(other.clone()),
        }
    }

    /// The selected features among `1..=features`.
    ///
    /// Only [`Random`](Self::Random) depends on `seed`.
    ///
    /// # Errors
    /// If no feature or more than `features` are selected, or a number is unknown or occurs twice; for names, which are
    /// [resolved](Self::resolve) first.
    pub fn choose(&self, features: u32, seed: u64) -> Result<Vec<FeatureId>, SelectionError> {
        let enough = |count: usize| {
            if count == 0 {
                Err(SelectionError::no_ranker())
            } else if count > features as usize {
                let message = format!(
                    "{count} rankers are selected, but the data have {features} features; select fewer, or `all`"
                );
                Err(SelectionError::new(SelectionErrorKind::TooMany, message))
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
            Self::Named(_) => self.resolve(None)?.choose(features, seed),
            Self::List(list) => {
                enough(list.len().min(features.max(1) as usize))?;
                let mut is_seen = vec![false; features as usize];
                for feature in list {
                    match (feature.0 as usize).checked_sub(1).and_then(|index| is_seen.get_mut(index)) {
                        None => {
                            return Err(SelectionError::unknown_feature(*feature, features));
                        }
                        Some(is_seen) if *is_seen => {
                            let message = format!("feature {} is selected twice; select it once", feature.0);
                            return Err(SelectionError::new(SelectionErrorKind::Duplicate, message));
                        }
                        Some(is_seen) => *is_seen = true,
                    }
                }
                Ok(list.clone())
            }
        }
    }
}
