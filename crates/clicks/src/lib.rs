//! Click models: how a simulated user examines a ranked list, one document at a time.

/// The one generator of the project.
pub use rand_xoshiro::Xoshiro256PlusPlus as Generator;

/// What a user did with one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// The document was clicked.
    pub clicked: bool,
    /// The user leaves after this document.
    pub leaves: bool,
}

/// How labels that are not whole numbers become grades.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FractionalLabels {
    /// Round half up.
    #[default]
    Round,
    /// Round down.
    Floor,
    /// Interpolate P(click) and P(stop) linearly between the neighbouring grades.
    Interpolate,
}

/// P(click | grade) and P(stop | grade, clicked) for grades 0, 1, ...
#[derive(Debug, Clone, PartialEq)]
pub struct ClickModel {
    name: String,
    click: Vec<f64>,
    stop: Vec<f64>,
}

/// A click model laid out for one data set: a level for each document, and each level's odds.
#[derive(Debug, Clone)]
pub struct Users {
    levels: Vec<(u64, u64)>,
}

/// Index of a document's odds in [`Users`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Level(pub u16);

/// What is wrong with a click model's description, or with labels it is asked to serve.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ClickError(String);

impl ClickModel {
    /// The preset `name` (`perfect`, `navigational`, `informational`, `almost-random`, `random`)
    /// for labels up to `max_label`: the smallest table of 2, 3 or 5 grades that holds it.
    ///
    /// # Errors
    /// For an unknown name (with the known ones), or labels above 4.
    pub fn preset(name: &str, max_label: f32) -> Result<Self, ClickError> {
        todo!()
    }

    /// A model in Lerot's notation, `label:probability,...`, for clicks and stops.
    ///
    /// # Errors
    /// For a malformed pair, a probability outside [0, 1], a grade missing or given twice.
    pub fn custom(click: &str, stop: &str) -> Result<Self, ClickError> {
        todo!()
    }

    /// Lays the model out for `labels` (one a document): each document's [`Level`].
    ///
    /// # Errors
    /// For a label that is negative, not finite, or above the model's grades.
    pub fn prepare(&self, labels: &[f32], rule: FractionalLabels) -> Result<(Users, Vec<Level>), ClickError> {
        todo!()
    }

    /// The model's name, or the notation it was made from.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// P(click) for each grade.
    pub fn click(&self) -> &[f64] {
        &self.click
    }
    /// P(stop after a click) for each grade.
    pub fn stop(&self) -> &[f64] {
        &self.stop
    }
}

impl Users {
    /// One user looks at one document.
    #[inline]
    pub fn look(&self, level: Level, generator: &mut Generator) -> Look {
        todo!()
    }
}
