//! The user browsing model: whether a user examines a document depends on its rank and on how far above it the
//! last click was, whether an examined document is clicked on its grade alone.
//!
//! P(click) = P(examined | rank, distance to the last click) x P(click | grade). Before the first click, the
//! distance is the rank.
//!
//! ## References
//!
//! - G. Dupret, B. Piwowarski. *A user browsing model to predict search engine click data from past
//!   observations.* SIGIR 2008. <https://doi.org/10.1145/1390334.1390392>
//!
//! ## Notes
//!
//! - The paper estimates P(examined) for every pair of rank and distance from a log; `new` takes such a table.
//!   The text form has one parameter: P(examined) is 1 / distance^eta at every rank.
//! - The user leaves after the last position that is ever examined.

use std::fmt;

use rand::Rng;

use super::decay::{self, Decay};
use super::dependent::{DependentClickModel, DependentSpec};
use crate::error::{ClickError, ClickErrorKind};
use crate::labels::{FractionalLabels, Grading};
use crate::probability::{draw_threshold, high_bits_below, low_bits_below};
use crate::settings::{ModelSpec, Settings};
use crate::user::{ClickModel, CompiledClickModel, ProbabilityTable, User};
use crate::{Examination, Generator, Grade};

/// P(examined | rank, distance to the last click) and P(click | grade, examined); see the
/// [front page](crate#click-models).
#[derive(Debug, Clone, PartialEq)]
pub struct UserBrowsingModel {
    name: String,
    attraction: Vec<f64>,
    examination: Table<f64>,
}

/// P(examined), or its thresholds.
#[derive(Debug, Clone, PartialEq)]
enum Table<T> {
    /// The same for every rank: by distance, from 1; no longer distance is examined.
    Distance(Vec<T>),
    /// By rank, then by distance, both from 1.
    RankAndDistance(Vec<Vec<T>>),
}

impl UserBrowsingModel {
    /// A model with P(click | grade) of `attraction`, without its stops, and with `examination`: row r (from 0) has
    /// P(examined) of rank r + 1 for distances 1 to r + 1 to the last click, or to the top where nothing was clicked.
    /// Ranks beyond are never examined.
    ///
    /// # Errors
    /// For a row of another length, and for a probability outside [0, 1].
    pub fn new(attraction: &DependentClickModel, examination: Vec<Vec<f64>>) -> Result<Self, ClickError> {
        for (row, rank) in examination.iter().zip(1..) {
            if row.len() != rank {
                let message = format!(
                    "P(examined) at rank {rank} has {} values; give one for each distance from 1 to {rank}",
                    row.len()
                );
                return Err(ClickError::new(ClickErrorKind::Probability, message));
            }
            decay::check(row, |at| format!("rank {rank}, distance {}", at + 1))?;
        }
        Ok(Self::from_table(attraction, Table::RankAndDistance(examination)))
    }

    /// A model with P(examined) of 1 / distance^`eta` at every rank down to `length`: with `eta` 0 everything is
    /// examined.
    ///
    /// # Errors
    /// When `eta` is negative or not finite.
    pub fn decaying(attraction: &DependentClickModel, eta: f64, length: usize) -> Result<Self, ClickError> {
        Ok(Self::from_table(attraction, Table::Distance(decay::probabilities(eta, length)?)))
    }

    fn from_table(attraction: &DependentClickModel, examination: Table<f64>) -> Self {
        let name = format!("ubm:{}", attraction.name());
        Self { name, attraction: attraction.click().to_vec(), examination }
    }

    /// The same model under another name.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    /// P(click) of an examined document for each grade.
    #[must_use]
    pub fn attraction(&self) -> &[f64] {
        &self.attraction
    }

    /// P(examined) at `rank`, where the last click was `distance` ranks above it; both from 1, and `distance` is
    /// `rank` before the first click.
    #[must_use]
    pub fn examination(&self, rank: usize, distance: usize) -> f64 {
        self.examination.get(rank, distance).unwrap_or(0.0)
    }
}

impl<T: Copy> Table<T> {
    #[inline]
    fn get(&self, rank: usize, distance: usize) -> Option<T> {
        match self {
            Self::Distance(values) => values.get(distance.wrapping_sub(1)).filter(|_| rank <= values.len()).copied(),
            Self::RankAndDistance(rows) => rows.get(rank.wrapping_sub(1))?.get(distance.wrapping_sub(1)).copied(),
        }
    }

    /// The last rank that is ever examined.
    #[inline]
    fn ranks(&self) -> usize {
        match self {
            Self::Distance(values) => values.len(),
            Self::RankAndDistance(rows) => rows.len(),
        }
    }
}

/// The specification of a [`UserBrowsingModel`]; `ubm:navigational,eta=1,length=10` as text.
#[derive(Debug, Clone, PartialEq)]
pub struct UserBrowsingSpec {
    attraction: DependentSpec,
    decay: Decay,
}

impl fmt::Display for UserBrowsingSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}{}", Self::NAME, self.attraction, self.decay)
    }
}

impl ModelSpec for UserBrowsingSpec {
    type Model = UserBrowsingModel;

    const NAME: &'static str = "ubm";

    fn from_settings(settings: Settings) -> Result<Self, ClickError> {
        let (attraction, decay) = Decay::from_settings(settings, "user browsing")?;
        Ok(Self { attraction, decay })
    }

    fn resolve(&self, max_label: f32) -> Result<UserBrowsingModel, ClickError> {
        let attraction = self.attraction.resolve(max_label)?;
        let model = UserBrowsingModel::decaying(&attraction, self.decay.eta(), self.decay.length())?;
        Ok(model.named(&self.to_string()))
    }
}

impl ClickModel for UserBrowsingModel {
    type Compiled = CompiledUserBrowsingModel;

    fn name(&self) -> &str {
        &self.name
    }

    fn tables(&self) -> Vec<ProbabilityTable> {
        let examination = match &self.examination {
            Table::Distance(values) => ProbabilityTable::by_distance("examination by distance", values),
            Table::RankAndDistance(rows) => {
                ProbabilityTable::by_rank_and_distance("examination by rank and distance", &rows.concat())
            }
        };
        vec![ProbabilityTable::by_grade("click", &self.attraction), examination]
    }

    fn prepare(&self, labels: &[f32], rule: FractionalLabels) -> Result<(Self::Compiled, Vec<Grade>), ClickError> {
        let grading = Grading::new(&self.name, self.attraction.len(), labels, rule)?;
        let thresholds = |values: &[f64]| values.iter().map(|&p| draw_threshold(p)).collect();
        let compiled = CompiledUserBrowsingModel {
            attraction: thresholds(&grading.interpolate(&self.attraction)),
            examination: match &self.examination {
                Table::Distance(values) => Table::Distance(thresholds(values)),
                Table::RankAndDistance(rows) => {
                    Table::RankAndDistance(rows.iter().map(|row| thresholds(row)).collect())
                }
            },
        };
        Ok((compiled, grading.grades))
    }
}

/// A [`UserBrowsingModel`] compiled for one data set.
#[derive(Debug, Clone)]
pub struct CompiledUserBrowsingModel {
    /// By grade: P(click) of an examined document, in units of 2^-32.
    attraction: Vec<u64>,
    /// P(examined), in units of 2^-32.
    examination: Table<u64>,
}

impl CompiledClickModel for CompiledUserBrowsingModel {
    type User<'a> = UserBrowsingUser<'a>;

    #[inline]
    fn user(&self) -> UserBrowsingUser<'_> {
        UserBrowsingUser { model: self, rank: 0, last_click: 0 }
    }

    fn is_memoryless(&self) -> bool {
        false
    }
}

/// A user of the [`UserBrowsingModel`], with the present rank and the place of the last click.
#[derive(Debug, Clone, Copy)]
pub struct UserBrowsingUser<'a> {
    model: &'a CompiledUserBrowsingModel,
    /// Of the last document examined or passed over; 0 at the top.
    rank: usize,
    /// Its rank; 0 before the first.
    last_click: usize,
}

impl User for UserBrowsingUser<'_> {
    /// Draws exactly one number: its upper half decides whether the document is examined, its lower half
    /// whether it is clicked.
    #[inline]
    fn examine(&mut self, grade: Grade, generator: &mut Generator) -> Examination {
        let CompiledUserBrowsingModel { attraction, examination } = self.model;
        let draw = generator.next_u64();
        self.rank += 1;
        let is_examined = high_bits_below(draw, examination.get(self.rank, self.rank - self.last_click).unwrap_or(0));
        let is_attractive = low_bits_below(draw, attraction.get(usize::from(grade.0)).copied().unwrap_or(0));
        let clicked = is_examined & is_attractive;
        if clicked {
            self.last_click = self.rank;
        }
        Examination { clicked, abandons: self.rank >= examination.ranks() }
    }
}
