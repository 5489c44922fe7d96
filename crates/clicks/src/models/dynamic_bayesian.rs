//! The dynamic Bayesian network model: the user examines documents from the top, clicks where the snippet
//! attracts, leaves when a clicked document satisfies, and may give up at any document.
//!
//! P(click) of an examined document and P(satisfied | clicked) depend on its grade. A user who is not satisfied
//! examines the next document with probability gamma, after a click or without one.
//!
//! ## References
//!
//! - O. Chapelle, Y. Zhang. *A dynamic Bayesian network click model for web search ranking.* WWW 2009.
//!   <https://doi.org/10.1145/1526709.1526711>
//!
//! ## Notes
//!
//! - With gamma 1 no user gives up, and the users are those of the dependent click model with the same
//!   probabilities: its P(stop | clicked) is P(satisfied | clicked) here.
//! - The presets' P(stop | clicked) serve as P(satisfied | clicked).

use std::fmt;

use rand::Rng;

use super::dependent::{DependentClickModel, DependentSpec};
use crate::error::{ClickError, ClickErrorKind};
use crate::labels::{FractionalLabels, Grading};
use crate::probability::{draw_threshold, high_bits_below, low_bits_below};
use crate::settings::{ModelSpec, Settings, write_setting};
use crate::user::{ClickModel, CompiledClickModel, ProbabilityTable, User};
use crate::{Examination, Generator, Grade};

/// P(click | grade, examined), P(satisfied | grade, clicked), and gamma, the probability that a user who is not
/// satisfied goes on; see the [front page](crate#click-models).
#[derive(Debug, Clone, PartialEq)]
pub struct DynamicBayesianModel {
    name: String,
    attraction: Vec<f64>,
    satisfaction: Vec<f64>,
    gamma: f64,
}

impl DynamicBayesianModel {
    /// A model with the P(click | grade) of `attraction`, its P(stop | grade, clicked) as satisfaction, and
    /// `gamma`, the probability of going on to the next document.
    ///
    /// # Errors
    /// When `gamma` is not a number from 0 to 1.
    pub fn new(attraction: &DependentClickModel, gamma: f64) -> Result<Self, ClickError> {
        check_gamma(gamma)?;
        let name = format!("dbn:{}{}", attraction.name(), write_setting("gamma", gamma));
        let (attraction, satisfaction) = (attraction.click().to_vec(), attraction.stop().to_vec());
        Ok(Self { name, attraction, satisfaction, gamma })
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

    /// P(satisfied) by a clicked document for each grade.
    #[must_use]
    pub fn satisfaction(&self) -> &[f64] {
        &self.satisfaction
    }

    /// The probability that a user who is not satisfied examines the next document.
    #[must_use]
    pub fn gamma(&self) -> f64 {
        self.gamma
    }
}

fn check_gamma(gamma: f64) -> Result<(), ClickError> {
    if (0.0..=1.0).contains(&gamma) {
        Ok(())
    } else {
        let message = format!("gamma is {gamma}; it must be a probability, from 0 to 1");
        Err(ClickError::new(ClickErrorKind::Setting, message))
    }
}

/// The specification of a [`DynamicBayesianModel`]; `dbn:navigational,gamma=0.9` as text.
#[derive(Debug, Clone, PartialEq)]
pub struct DynamicBayesianSpec {
    attraction: DependentSpec,
    gamma: f64,
}

impl DynamicBayesianSpec {
    /// The default probability of going on.
    const GAMMA: f64 = 0.9;

    pub(crate) fn with_stop(self, stop: &str) -> Result<Self, ClickError> {
        Ok(Self { attraction: self.attraction.with_stop(stop)?, gamma: self.gamma })
    }
}

impl fmt::Display for DynamicBayesianSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}{}", Self::NAME, self.attraction, write_setting("gamma", self.gamma))
    }
}

impl ModelSpec for DynamicBayesianSpec {
    type Model = DynamicBayesianModel;

    const NAME: &'static str = "dbn";

    fn from_settings(mut settings: Settings) -> Result<Self, ClickError> {
        let gamma = settings.take("gamma", "a probability, from 0 to 1")?.unwrap_or(Self::GAMMA);
        check_gamma(gamma)?;
        settings.refuse_rest("dynamic Bayesian network", &["gamma"])?;
        Ok(Self { attraction: settings.probabilities.parse()?, gamma })
    }

    fn resolve(&self, max_label: f32) -> Result<DynamicBayesianModel, ClickError> {
        let model = DynamicBayesianModel::new(&self.attraction.resolve(max_label)?, self.gamma)?;
        Ok(model.named(&self.to_string()))
    }
}

impl ClickModel for DynamicBayesianModel {
    type Compiled = CompiledDynamicBayesianModel;

    fn name(&self) -> &str {
        &self.name
    }

    fn tables(&self) -> Vec<ProbabilityTable> {
        vec![
            ProbabilityTable::by_grade("click", &self.attraction),
            ProbabilityTable::by_grade("satisfaction", &self.satisfaction),
            ProbabilityTable::constant("gamma", self.gamma),
        ]
    }

    fn prepare(&self, labels: &[f32], rule: FractionalLabels) -> Result<(Self::Compiled, Vec<Grade>), ClickError> {
        let grading = Grading::new(&self.name, self.attraction.len(), labels, rule)?;
        let (attraction, satisfaction) =
            (grading.interpolate(&self.attraction), grading.interpolate(&self.satisfaction));
        let leaves = |satisfied: f64| draw_threshold(1.0 - (1.0 - satisfied) * self.gamma);
        let grades = attraction.iter().zip(&satisfaction);
        let compiled = CompiledDynamicBayesianModel {
            clicked: grades.map(|(&click, &satisfied)| (draw_threshold(click), leaves(satisfied))).collect(),
            gives_up: leaves(0.0),
        };
        Ok((compiled, grading.grades))
    }
}

/// A [`DynamicBayesianModel`] compiled for one data set.
#[derive(Debug, Clone)]
pub struct CompiledDynamicBayesianModel {
    /// By grade: P(click) and P(leave | clicked), in units of 2^-32.
    clicked: Vec<(u64, u64)>,
    /// P(leave | not clicked), in units of 2^-32.
    gives_up: u64,
}

impl CompiledClickModel for CompiledDynamicBayesianModel {
    type User<'a> = DynamicBayesianUser<'a>;

    #[inline]
    fn user(&self) -> DynamicBayesianUser<'_> {
        DynamicBayesianUser { model: self }
    }

    fn is_memoryless(&self) -> bool {
        true
    }
}

/// A user of the [`DynamicBayesianModel`], who remembers nothing: one who examines a document was not satisfied
/// above it.
#[derive(Debug, Clone, Copy)]
pub struct DynamicBayesianUser<'a> {
    model: &'a CompiledDynamicBayesianModel,
}

impl User for DynamicBayesianUser<'_> {
    /// Draws exactly one number: its upper half decides the click, its lower half whether the user leaves.
    #[inline]
    fn examine(&mut self, grade: Grade, generator: &mut Generator) -> Examination {
        let CompiledDynamicBayesianModel { clicked, gives_up } = self.model;
        let draw = generator.next_u64();
        let (click, leave) = clicked.get(usize::from(grade.0)).copied().unwrap_or((0, *gives_up));
        let clicked = high_bits_below(draw, click);
        Examination { clicked, abandons: low_bits_below(draw, if clicked { leave } else { *gives_up }) }
    }
}
