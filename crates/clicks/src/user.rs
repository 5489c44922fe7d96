//! The traits of click models: prepared for the labels of a data set, a model makes users. Each examines one list
//! from the top.

use crate::error::ClickError;
use crate::labels::FractionalLabels;
use crate::{Examination, Generator, Grade};

/// One table of a model's probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbabilityTable {
    /// The event of the probabilities: `click`, `stop`, `examination`, ...
    pub name: &'static str,
    /// How they are indexed.
    pub by: TableIndex,
    /// The probabilities.
    pub values: Vec<f64>,
}

/// The index of a [`ProbabilityTable`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableIndex {
    /// Grades, from 0.
    Grade,
    /// Positions of a list, from the top.
    Position,
    /// Distances to the last click, from 1.
    Distance,
    /// Ranks from 1, and for each rank the distances from 1 to the rank.
    RankAndDistance,
    /// States of users, and for each state the grades, both from 0.
    StateAndGrade,
    /// States that users start in: the state and the share of such users, in turn.
    Start,
    /// Nothing: one value.
    Constant,
}

impl ProbabilityTable {
    pub(crate) fn by_grade(name: &'static str, values: &[f64]) -> Self {
        Self { name, by: TableIndex::Grade, values: values.to_vec() }
    }

    pub(crate) fn by_position(name: &'static str, values: &[f64]) -> Self {
        Self { name, by: TableIndex::Position, values: values.to_vec() }
    }

    pub(crate) fn by_distance(name: &'static str, values: &[f64]) -> Self {
        Self { name, by: TableIndex::Distance, values: values.to_vec() }
    }

    pub(crate) fn by_rank_and_distance(name: &'static str, values: &[f64]) -> Self {
        Self { name, by: TableIndex::RankAndDistance, values: values.to_vec() }
    }

    pub(crate) fn by_state_and_grade(name: &'static str, values: Vec<f64>) -> Self {
        Self { name, by: TableIndex::StateAndGrade, values }
    }

    pub(crate) fn by_start(name: &'static str, values: Vec<f64>) -> Self {
        Self { name, by: TableIndex::Start, values }
    }

    pub(crate) fn constant(name: &'static str, value: f64) -> Self {
        Self { name, by: TableIndex::Constant, values: vec![value] }
    }

    /// Leaves out what changes nothing for lists of `shown` documents.
    pub fn truncate(&mut self, shown: usize) {
        match self.by {
            TableIndex::Position | TableIndex::Distance => self.values.truncate(shown),
            TableIndex::RankAndDistance => self.values.truncate(shown.saturating_mul(shown + 1) / 2),
            TableIndex::Grade | TableIndex::StateAndGrade | TableIndex::Start | TableIndex::Constant => {}
        }
    }
}

/// A click model: how users of some kind examine and click.
///
/// Implementations: [`DependentClickModel`](crate::DependentClickModel),
/// [`PositionBasedModel`](crate::PositionBasedModel),
/// [`DynamicBayesianModel`](crate::DynamicBayesianModel), [`UserBrowsingModel`](crate::UserBrowsingModel),
/// [`FiniteStateModel`](crate::FiniteStateModel), and [`AnyClickModel`](crate::AnyClickModel) for a model chosen at run time.
///
/// ```
/// use clicks::{ClickModel, CompiledClickModel, ClickSpec, FractionalLabels, Generator, User};
/// use rand::SeedableRng;
///
/// /// How many documents of a list one user clicks on.
/// fn clicks(model: &impl ClickModel, labels: &[f32]) -> Result<usize, clicks::ClickError> {
///     let (compiled, grades) = model.prepare(labels, FractionalLabels::Round)?;
///     let mut generator = Generator::seed_from_u64(1);
///     let (mut user, mut clicks) = (compiled.user(), 0);
///     for grade in grades {
///         let examination = user.examine(grade, &mut generator);
///         clicks += usize::from(examination.clicked);
///         if examination.abandons {
///             break;
///         }
///     }
///     Ok(clicks)
/// }
///
/// let everything: ClickSpec = "perfect".parse()?;
/// assert_eq!(clicks(&everything.resolve(1.0)?, &[1.0, 0.0, 1.0])?, 2);
/// // Users who examine the first place only.
/// let top: ClickSpec = "pbm:perfect,length=1".parse()?;
/// assert_eq!(clicks(&top.resolve(1.0)?, &[1.0, 0.0, 1.0])?, 1);
/// # Ok::<(), clicks::ClickError>(())
/// ```
pub trait ClickModel {
    /// The model with the probabilities of one data set's grades.
    type Compiled: CompiledClickModel;

    /// The name of the model in results.
    fn name(&self) -> &str;

    /// All numbers that determine what users do: two models with the same tables have the same users.
    fn tables(&self) -> Vec<ProbabilityTable>;

    /// Compiles the model for `labels`, one per document, and returns each document's grade.
    ///
    /// # Errors
    /// For a label that is negative, not finite or above the model's highest grade, and for more than
    /// 65,536 grades under [`FractionalLabels::Interpolate`].
    fn prepare(&self, labels: &[f32], rule: FractionalLabels) -> Result<(Self::Compiled, Vec<Grade>), ClickError>;
}

/// A click model compiled for one data set: it gives the users of its lists.
pub trait CompiledClickModel: Send + Sync {
    /// One user of one list, with whatever the user remembers while reading it.
    type User<'a>: User
    where
        Self: 'a;

    /// A user at the top of a list. Every impression takes a new one.
    fn user(&self) -> Self::User<'_>;

    /// Whether what a user does with a document depends on the document's grade and on chance alone: not on
    /// its place, on the documents above it, or on earlier clicks. The order in which such users see
    /// documents changes nothing, so several comparisons may share one user.
    fn is_memoryless(&self) -> bool;
}

/// A user who examines one list, place after place from the top.
pub trait User {
    /// The user's action on the document at the next place, which has this `grade`.
    ///
    /// The user draws from `generator`, any number of times, and from nothing else. After an examination
    /// that `abandons`, there is no next.
    fn examine(&mut self, grade: Grade, generator: &mut Generator) -> Examination;

    /// Reads a list, given the grades of its documents from the top, until its end or until the user leaves; returns the
    /// places that are clicked, from 0.
    fn read(&mut self, grades: impl IntoIterator<Item = Grade>, generator: &mut Generator) -> Vec<usize>
    where
        Self: Sized,
    {
        let mut clicked = Vec::new();
        for (place, grade) in grades.into_iter().enumerate() {
            let examination = self.examine(grade, generator);
            if examination.clicked {
                clicked.push(place);
            }
            if examination.abandons {
                break;
            }
        }
        clicked
    }
}
