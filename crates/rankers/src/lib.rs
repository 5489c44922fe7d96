//! Feature rankers over a data set: orders with their ties, selection of arms, nDCG.

use interleave::RankedList;
use letor_io::{Dataset, FeatureId};

/// How documents with equal scores are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TieBreaking {
    /// Afresh, at random, in every impression.
    Random,
    /// Once, at random, by this seed.
    Fixed(u64),
}

/// Which features become arms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// All features, in numeric order.
    All,
    /// This many, drawn at random (by a seed given elsewhere), kept in numeric order.
    Random(usize),
    /// The first this many in alphabetical order of the 1-based number.
    Alphabetical(usize),
    /// Exactly these.
    List(Vec<FeatureId>),
}

/// What is wrong with a selection.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SelectionError(String);

impl std::str::FromStr for Selection {
    type Err = SelectionError;
    /// `all`, `N`, `alphabetical:N` or `1,5,110`.
    fn from_str(_text: &str) -> Result<Self, Self::Err> { todo!() }
}

impl Selection {
    /// The features chosen among `1..=features`.
    ///
    /// # Errors
    /// When more are asked for than there are, a number is 0, too large, or given twice.
    pub fn choose(&self, features: u32, seed: u64) -> Result<Vec<FeatureId>, SelectionError> { todo!() }
}

/// Every chosen ranker's list for every query, query after query.
#[derive(Debug)]
pub struct Rankings {}

impl Rankings {
    /// Ranks all queries by each of `features`, highest value first, in parallel.
    ///
    /// # Errors
    /// When a query holds more than 65,535 documents.
    pub fn new(dataset: &Dataset, features: &[FeatureId], ties: TieBreaking) -> Result<Self, SelectionError> { todo!() }
    /// How many queries.
    pub fn queries(&self) -> usize { todo!() }
    /// How many rankers (arms).
    pub fn arms(&self) -> usize { todo!() }
    /// The feature behind each arm.
    pub fn features(&self) -> &[FeatureId] { todo!() }
    /// The list of `arm` for `query`.
    #[inline]
    pub fn list(&self, query: usize, arm: usize) -> RankedList<'_> { todo!() }
    /// For each arm, the lowest arm whose lists (order and ties) are the same for every query.
    pub fn duplicates(&self) -> Vec<usize> { todo!() }
}
