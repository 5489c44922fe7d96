//! The dependent click model: the user examines every document from the top, clicks with a probability that
//! depends on the grade, and leaves, if at all, after a click.
//!
//! ## References
//!
//! - F. Guo, C. Liu, Y. M. Wang. *Efficient multiple-click models in web search.* WSDM 2009.
//!   <https://doi.org/10.1145/1498759.1498818>
//! - K. Hofmann, A. Schuth, S. Whiteson, M. de Rijke. *Reusing historical interaction data for faster
//!   online learning to rank for IR.* WSDM 2013 (stops by grade).
//!   <https://doi.org/10.1145/2433396.2433419>
//!
//! ## Notes
//!
//! - No user leaves without a click, as in the papers and in Lerot.

use std::fmt;
use std::str::FromStr;

use rand::Rng;

use crate::error::{ClickError, ClickErrorKind};
use crate::labels::{FractionalLabels, Grading, MAX_GRADES, check_label};
use crate::notation;
use crate::presets::{self, PRESETS};
use crate::probability::{draw_threshold, high_bits_below, low_bits_below, not_a_probability};
use crate::settings::{ModelSpec, Settings};
use crate::user::{ClickModel, CompiledClickModel, ProbabilityTable, User};
use crate::{Examination, Generator, Grade};

/// P(click | grade) and P(stop | grade, clicked) for grades 0, 1, ...
#[derive(Debug, Clone, PartialEq)]
pub struct DependentClickModel {
    name: String,
    click: Vec<f64>,
    stop: Vec<f64>,
}

impl DependentClickModel {
    /// The names that [`preset`](Self::preset) accepts.
    pub const PRESETS: [&'static str; 5] = {
        let mut names = [""; 5];
        let mut i = 0;
        while i < names.len() {
            names[i] = PRESETS[i].name;
            i += 1;
        }
        names
    };

    /// A model from numbers: P(click) and P(stop after a click), both for grades 0, 1, ...
    ///
    /// ```
    /// use clicks::{ClickModel, DependentClickModel};
    ///
    /// let eager = DependentClickModel::new("eager", vec![0.0, 0.5, 1.0], vec![0.0, 0.0, 0.25])?;
    /// assert_eq!((eager.name(), eager.click()[1], eager.stop()[2]), ("eager", 0.5, 0.25));
    /// assert!(DependentClickModel::new("certain", vec![0.0, 1.5], vec![0.0, 0.0]).is_err());
    /// # Ok::<(), clicks::ClickError>(())
    /// ```
    ///
    /// # Errors
    /// When the two differ in length, with no grades or more than 65,536, and for a probability that is
    /// not a number from 0 to 1.
    pub fn new(name: &str, click: Vec<f64>, stop: Vec<f64>) -> Result<Self, ClickError> {
        let fail = |kind, reason: String| Err(ClickError::new(kind, format!("click model {name:?}: {reason}")));
        if click.is_empty() && stop.is_empty() {
            return fail(ClickErrorKind::Grades, "it has no grades; give at least one".to_owned());
        }
        if click.len() != stop.len() {
            return fail(
                ClickErrorKind::Grades,
                format!(
                    "{} for clicks but {} for stops; give both for the same grades",
                    count_of_grades(click.len()),
                    count_of_grades(stop.len())
                ),
            );
        }
        if click.len() > MAX_GRADES {
            return fail(ClickErrorKind::Grades, format!("{} grades are more than 65,536; merge some", click.len()));
        }
        for (what, table) in [("click", &click), ("stop", &stop)] {
            if let Some(grade) = not_a_probability(table) {
                let reason = format!("P({what}) of grade {grade} is {}; give probabilities from 0 to 1", table[grade]);
                return fail(ClickErrorKind::Probability, reason);
            }
        }
        Ok(Self { name: name.to_owned(), click, stop })
    }

    /// The preset `name` (`perfect`, `navigational`, `informational`, `almost-random`, `random`)
    /// for labels up to `max_label`: the smallest table of 2, 3 or 5 grades that holds it. None is published for four
    /// grades: labels up to 3 take the first four of the five, so the highest is clicked less than the highest of five.
    ///
    /// # Errors
    /// For an unknown name (with the known ones), or a `max_label` that is negative, not finite, or above 4.
    pub fn preset(name: &str, max_label: f32) -> Result<Self, ClickError> {
        let preset = presets::find(name)?;
        check_label(max_label)?;
        let (click, stop) = if max_label <= 1.0 {
            (preset.two.0.to_vec(), preset.two.1.to_vec())
        } else if max_label <= 2.0 {
            (preset.three.0.to_vec(), preset.three.1.to_vec())
        } else if max_label <= 4.0 {
            (preset.five.0.to_vec(), preset.five.1.to_vec())
        } else {
            return Err(ClickError::new(
                ClickErrorKind::Grades,
                format!(
                    "click model {name} has probabilities for labels up to 4, but the data go up to {max_label}; \
                     give your own as `0:0.0,1:0.5,...`"
                ),
            ));
        };
        Ok(Self { name: name.to_owned(), click, stop })
    }

    /// A model in Lerot's notation, `label:probability,...`, for clicks and stops.
    ///
    /// Both must name the same grades 0, 1, ... without gaps, in any order; blanks are ignored.
    ///
    /// # Errors
    /// For a malformed pair, a probability outside [0, 1], a grade missing or given twice, and where clicks
    /// and stops name different grades.
    pub fn custom(click: &str, stop: &str) -> Result<Self, ClickError> {
        let name = format!("click {} stop {}", click.trim(), stop.trim());
        Self::new(&name, notation::parse("click", click)?, notation::parse("stop", stop)?)
    }

    /// P(click) for each grade.
    #[must_use]
    pub fn click(&self) -> &[f64] {
        &self.click
    }

    /// P(stop after a click) for each grade.
    #[must_use]
    pub fn stop(&self) -> &[f64] {
        &self.stop
    }
}

/// The specification of a [`DependentClickModel`]: a preset, or P(click) and P(stop) in Lerot's notation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DependentSpec {
    /// One of [`DependentClickModel::PRESETS`].
    Preset(&'static str),
    /// Lerot's notation, as given; without `stop` no user ever stops.
    Custom {
        /// P(click) by grade.
        click: String,
        /// P(stop after a click) by grade.
        stop: Option<String>,
    },
}

impl DependentSpec {
    pub(crate) fn with_stop(self, stop: &str) -> Result<Self, ClickError> {
        match self {
            Self::Custom { click, stop: None } => {
                DependentClickModel::custom(&click, stop)?;
                Ok(Self::Custom { click, stop: Some(stop.to_owned()) })
            }
            Self::Custom { .. } => {
                let reason = "the stop probabilities are given twice; leave one out";
                Err(ClickError::new(ClickErrorKind::Setting, reason.to_owned()))
            }
            Self::Preset(name) => {
                let reason = format!(
                    "stop probabilities go with click probabilities such as 0:0.05,1:0.95; the preset {name} has its \
                     own"
                );
                Err(ClickError::new(ClickErrorKind::Setting, reason))
            }
        }
    }
}

/// `navigational`, `0:0.05,1:0.95`, or with stops `0:0.05,1:0.95 stop 0:0.2,1:0.9`; the last also as the name
/// that the model has in results, with `click` before it.
impl FromStr for DependentSpec {
    type Err = ClickError;

    fn from_str(text: &str) -> Result<Self, ClickError> {
        if !text.contains(':') {
            return Ok(Self::Preset(presets::find(text.trim())?.name));
        }
        let text = text.trim().strip_prefix("click ").unwrap_or(text);
        let (click, stop) = match text.split_once(" stop ") {
            Some((click, stop)) => (click, Some(stop)),
            None => (text, None),
        };
        DependentClickModel::custom(click, &notation::zero_probabilities(click))?;
        let spec = Self::Custom { click: click.to_owned(), stop: None };
        stop.map_or(Ok(spec.clone()), |stop| spec.with_stop(stop))
    }
}

impl fmt::Display for DependentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Preset(name) => f.write_str(name),
            Self::Custom { click, stop: None } => f.write_str(click),
            Self::Custom { click, stop: Some(stop) } => write!(f, "{click} stop {stop}"),
        }
    }
}

impl ModelSpec for DependentSpec {
    type Model = DependentClickModel;

    const NAME: &'static str = "";

    fn from_settings(settings: Settings) -> Result<Self, ClickError> {
        settings.refuse_rest("dependent", &[])?;
        settings.probabilities.parse()
    }

    fn resolve(&self, max_label: f32) -> Result<DependentClickModel, ClickError> {
        match self {
            Self::Preset(name) => DependentClickModel::preset(name, max_label),
            Self::Custom { click, stop: Some(stop) } => DependentClickModel::custom(click, stop),
            Self::Custom { click, stop: None } => {
                DependentClickModel::custom(click, &notation::zero_probabilities(click))
            }
        }
    }
}

/// `1 grade`, `2 grades`.
fn count_of_grades(number: usize) -> String {
    if number == 1 { "1 grade".to_owned() } else { format!("{number} grades") }
}

impl ClickModel for DependentClickModel {
    type Compiled = CompiledDependentModel;

    /// The preset's name, or the notation the model was made from.
    fn name(&self) -> &str {
        &self.name
    }

    fn tables(&self) -> Vec<ProbabilityTable> {
        vec![ProbabilityTable::by_grade("click", &self.click), ProbabilityTable::by_grade("stop", &self.stop)]
    }

    fn prepare(&self, labels: &[f32], rule: FractionalLabels) -> Result<(Self::Compiled, Vec<Grade>), ClickError> {
        let grading = Grading::new(&self.name, self.click.len(), labels, rule)?;
        let (click, stop) = (grading.interpolate(&self.click), grading.interpolate(&self.stop));
        let thresholds = click.iter().zip(&stop).map(|(&click, &stop)| (draw_threshold(click), draw_threshold(stop)));
        Ok((CompiledDependentModel { thresholds: thresholds.collect() }, grading.grades))
    }
}

/// A [`DependentClickModel`] compiled for one data set.
#[derive(Debug, Clone)]
pub struct CompiledDependentModel {
    /// By grade: P(click) and P(stop after a click), in units of 2^-32.
    thresholds: Vec<(u64, u64)>,
}

impl CompiledClickModel for CompiledDependentModel {
    type User<'a> = DependentUser<'a>;

    #[inline]
    fn user(&self) -> DependentUser<'_> {
        DependentUser { thresholds: &self.thresholds }
    }

    fn is_memoryless(&self) -> bool {
        true
    }
}

/// A user of the [`DependentClickModel`], who remembers nothing.
#[derive(Debug, Clone, Copy)]
pub struct DependentUser<'a> {
    thresholds: &'a [(u64, u64)],
}

impl User for DependentUser<'_> {
    /// Always draws exactly one number, whatever the probabilities: its upper half decides the click and its
    /// lower half the stop. So the n-th document of any list meets the same draw, and no branch depends on
    /// the model. Probabilities are kept to 2^-32; 0 is exactly never and 1 exactly always. A grade that the
    /// model does not have is never clicked.
    #[inline]
    fn examine(&mut self, grade: Grade, generator: &mut Generator) -> Examination {
        let draw = generator.next_u64();
        let (click, stop) = self.thresholds.get(usize::from(grade.0)).copied().unwrap_or((0, 0));
        let clicked = high_bits_below(draw, click);
        let abandons = clicked & low_bits_below(draw, stop);
        Examination { clicked, abandons }
    }
}
