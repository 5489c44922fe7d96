//! The position-based model: whether a user examines a document depends on its position alone, whether an
//! examined document is clicked on its grade alone.
//!
//! P(click) = P(examined | position) x P(click | grade), independently for every position: no examination
//! depends on earlier clicks.
//!
//! ## References
//!
//! - M. Richardson, E. Dominowska, R. Ragno. *Predicting clicks: estimating the click-through rate for new
//!   ads.* WWW 2007. <https://doi.org/10.1145/1242572.1242643>
//!
//! ## Notes
//!
//! - The user leaves after the last position that is ever examined.

use std::fmt;

use rand::Rng;

use super::decay::{self, Decay};
use super::dependent::{DependentClickModel, DependentSpec};
use crate::error::ClickError;
use crate::labels::{FractionalLabels, Grading};
use crate::probability::{draw_threshold, high_bits_below, low_bits_below};
use crate::settings::{ModelSpec, Settings};
use crate::user::{ClickModel, CompiledClickModel, ProbabilityTable, User};
use crate::{Examination, Generator, Grade};

/// P(examined | position) and P(click | grade, examined); see the [front page](crate#click-models).
#[derive(Debug, Clone, PartialEq)]
pub struct PositionBasedModel {
    name: String,
    attraction: Vec<f64>,
    examination: Vec<f64>,
}

impl PositionBasedModel {
    /// A model with P(click | grade) of `attraction`, without its stops, and with `examination`, P(examined) by
    /// position from the top. Positions beyond are never examined.
    ///
    /// # Errors
    /// For a probability outside [0, 1].
    pub fn new(attraction: &DependentClickModel, examination: Vec<f64>) -> Result<Self, ClickError> {
        decay::check(&examination, |position| format!("position {position} (from 0)"))?;
        let name = format!("pbm:{}", attraction.name());
        Ok(Self { name, attraction: attraction.click().to_vec(), examination })
    }

    /// A model with P(examined) of 1 / rank^`eta` down to rank `length`: with `eta` 0 everything is examined,
    /// and 1 is a common guess.
    ///
    /// # Errors
    /// When `eta` is negative or not finite.
    pub fn decaying(attraction: &DependentClickModel, eta: f64, length: usize) -> Result<Self, ClickError> {
        Self::new(attraction, decay::probabilities(eta, length)?)
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

    /// P(examined) by position.
    #[must_use]
    pub fn examination(&self) -> &[f64] {
        &self.examination
    }
}

/// The specification of a [`PositionBasedModel`]; `pbm:navigational,eta=1,length=10` as text.
#[derive(Debug, Clone, PartialEq)]
pub struct PositionBasedSpec {
    attraction: DependentSpec,
    decay: Decay,
}

impl fmt::Display for PositionBasedSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}{}", Self::NAME, self.attraction, self.decay)
    }
}

impl ModelSpec for PositionBasedSpec {
    type Model = PositionBasedModel;

    const NAME: &'static str = "pbm";

    fn from_settings(settings: Settings) -> Result<Self, ClickError> {
        let (attraction, decay) = Decay::from_settings(settings, "position-based")?;
        Ok(Self { attraction, decay })
    }

    fn resolve(&self, max_label: f32) -> Result<PositionBasedModel, ClickError> {
        let attraction = self.attraction.resolve(max_label)?;
        let model = PositionBasedModel::decaying(&attraction, self.decay.eta(), self.decay.length())?;
        Ok(model.named(&self.to_string()))
    }
}

impl ClickModel for PositionBasedModel {
    type Compiled = CompiledPositionBasedModel;

    fn name(&self) -> &str {
        &self.name
    }

    fn tables(&self) -> Vec<ProbabilityTable> {
        vec![
            ProbabilityTable::by_grade("click", &self.attraction),
            ProbabilityTable::by_position("examination", &self.examination),
        ]
    }

    fn prepare(&self, labels: &[f32], rule: FractionalLabels) -> Result<(Self::Compiled, Vec<Grade>), ClickError> {
        let grading = Grading::new(&self.name, self.attraction.len(), labels, rule)?;
        let thresholds = |probabilities: &[f64]| probabilities.iter().map(|&p| draw_threshold(p)).collect();
        let compiled = CompiledPositionBasedModel {
            attraction: thresholds(&grading.interpolate(&self.attraction)),
            examination: thresholds(&self.examination),
        };
        Ok((compiled, grading.grades))
    }
}

/// A [`PositionBasedModel`] compiled for one data set.
#[derive(Debug, Clone)]
pub struct CompiledPositionBasedModel {
    /// By grade: P(click) of an examined document, in units of 2^-32.
    attraction: Vec<u64>,
    /// By position: P(examined), in units of 2^-32.
    examination: Vec<u64>,
}

impl CompiledClickModel for CompiledPositionBasedModel {
    type User<'a> = PositionBasedUser<'a>;

    #[inline]
    fn user(&self) -> PositionBasedUser<'_> {
        PositionBasedUser { model: self, position: 0 }
    }

    fn is_memoryless(&self) -> bool {
        false
    }
}

/// A user of the [`PositionBasedModel`], with the present position.
#[derive(Debug, Clone, Copy)]
pub struct PositionBasedUser<'a> {
    model: &'a CompiledPositionBasedModel,
    position: usize,
}

impl User for PositionBasedUser<'_> {
    /// Draws exactly one number: its upper half decides whether the document is examined, its lower half
    /// whether it is clicked.
    #[inline]
    fn examine(&mut self, grade: Grade, generator: &mut Generator) -> Examination {
        let CompiledPositionBasedModel { attraction, examination } = self.model;
        let draw = generator.next_u64();
        let is_examined = high_bits_below(draw, examination.get(self.position).copied().unwrap_or(0));
        let is_attractive = low_bits_below(draw, attraction.get(usize::from(grade.0)).copied().unwrap_or(0));
        self.position += 1;
        Examination { clicked: is_examined & is_attractive, abandons: self.position >= examination.len() }
    }
}
