//! Users of one data set: a click model prepared for its labels, in one value.

use crate::models::any::{AnyUser, ClickSpec, CompiledAnyModel};
use crate::user::{ClickModel as _, CompiledClickModel as _, User};
use crate::{ClickError, FractionalLabels, Generator, Grade};

/// Simulated users of lists of documents with known relevance; made by [`ClickSpec::users`].
#[derive(Debug, Clone)]
pub struct Users {
    model: CompiledAnyModel,
    grades: Vec<Grade>,
}

impl ClickSpec {
    /// Users of lists of these documents: `labels` has the relevance of each, from 0 up; fractions are rounded.
    ///
    /// The scale ends at the highest label, which chooses the table of a preset: give the labels of the whole data set, or
    /// [resolve](Self::resolve) the model with the scale's end.
    ///
    /// ```
    /// use clicks::{ClickSpec, Generator, SeedableRng};
    ///
    /// let users = "perfect".parse::<ClickSpec>()?.users(&[0.0, 2.0, 0.0, 2.0])?;
    /// let mut generator = Generator::seed_from_u64(1);
    /// // The places of documents 1 and 3 in this list.
    /// assert_eq!(users.read([3, 0, 1], &mut generator), [0, 2]);
    /// # Ok::<(), clicks::ClickError>(())
    /// ```
    ///
    /// # Errors
    /// For a label that is negative or not finite, and where the model has too few grades.
    pub fn users(&self, labels: &[f32]) -> Result<Users, ClickError> {
        let highest = labels.iter().copied().fold(0.0, f32::max);
        let (model, grades) = self.resolve(highest)?.prepare(labels, FractionalLabels::default())?;
        Ok(Users { model, grades })
    }
}

impl Users {
    /// A user at the top of a list. Every impression takes a new one.
    #[must_use]
    pub fn user(&self) -> AnyUser<'_> {
        self.model.user()
    }

    /// The grade of a document, to be [examined](User::examine).
    ///
    /// # Panics
    /// If no label was given for the document.
    #[must_use]
    pub fn grade(&self, document: usize) -> Grade {
        self.grades[document]
    }

    /// A new user reads a list of documents from the top; returns the places that are clicked, from 0.
    ///
    /// # Panics
    /// If no label was given for a document.
    pub fn read(&self, list: impl IntoIterator<Item = usize>, generator: &mut Generator) -> Vec<usize> {
        self.user().read(list.into_iter().map(|document| self.grade(document)), generator)
    }
}
