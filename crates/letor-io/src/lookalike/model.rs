//! The trait of all models of documents.

use super::keyed_rng::KeyedRng;

/// Draws the features of the documents of one query.
pub(crate) trait Model {
    /// Writes the features of the next document, which has the given relevance grade (0 is not relevant), to `out`.
    fn document(&mut self, grade: usize, rng: &mut KeyedRng, out: &mut [f64]);

    /// Adjusts the values of all documents once they are drawn: `columns` has `documents` values for each feature,
    /// feature by feature.
    fn finish(&self, _columns: &mut [f64], _documents: usize) {}
}
