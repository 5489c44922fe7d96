//! The data of a data set made of TREC runs beside its lists.

use super::Gold;

/// The data of a [`Dataset`](crate::Dataset) made of TREC runs beside its lists: the judged documents that no run
/// retrieved, which measures such as recall need, and what was left out or filled in.
///
/// The value of a run for a document is the number of retrieved documents that it ranks at or below it, so 1 for the last
/// one; it is 0 if the run did not retrieve the document ([`Query::retrieved`](crate::Query::retrieved) counts those it
/// did).
#[derive(Debug, Clone, Default)]
pub struct Runs {
    pub(crate) unretrieved: Vec<f32>,
    /// The end of each query in `unretrieved`.
    pub(crate) ends: Vec<usize>,
    pub(crate) without_documents: Vec<String>,
    pub(crate) counts: RunCounts,
    pub(crate) gold: Option<Gold>,
}

/// What was left out of a data set made of TREC runs, or filled in.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct RunCounts {
    /// Queries of the runs without any judgment, left out.
    pub unjudged_queries: Vec<String>,
    /// For each run, the number of the data set's queries for which it retrieved nothing.
    pub empty_lists: Vec<usize>,
    /// For each run, the number of documents with the same score as another document of the same list.
    pub tied: Vec<usize>,
    /// For each run, the number of documents that it retrieved.
    pub retrieved: Vec<usize>,
    /// For each run, where its rank column contradicts its scores, which alone order its lists.
    pub ranks: Vec<RankColumn>,
    /// Documents of the data set without a judgment (label 0); or, if they were removed, documents removed from lists.
    pub unjudged: usize,
    /// Whether unjudged documents were removed.
    pub removed: bool,
    /// Whether tied scores stay tied.
    pub ties_kept: bool,
    /// Judgments with a negative label, read as 0.
    pub negative: usize,
    /// Judgments that repeat an earlier one with the same label.
    pub repeated: usize,
    /// Lines of runs and qrels that begin with `#`, skipped.
    pub comments: usize,
}

/// How the rank column of a run agrees with its scores, in queries of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RankColumn {
    /// Queries in which it orders documents of different scores.
    pub queries: usize,
    /// Those in which it ranks some document above one with a higher score.
    pub contradicted: usize,
    /// Those in which scores rise with ranks more often than they fall, as distances do.
    pub reversed: usize,
}

impl Runs {
    /// The labels of the documents judged for query `index` (from 0) that no run retrieved, highest first.
    ///
    /// # Panics
    ///
    /// If there is no such query.
    #[must_use]
    pub fn unretrieved(&self, index: usize) -> &[f32] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.unretrieved[start..self.ends[index]]
    }

    /// The judged queries for which no run retrieved any document. They are not among the data set's queries: there is
    /// nothing to show. Measures averaged over all judged queries count 0 for each.
    #[must_use]
    pub fn without_documents(&self) -> &[String] {
        &self.without_documents
    }

    /// What was left out or filled in.
    #[must_use]
    pub fn counts(&self) -> &RunCounts {
        &self.counts
    }

    /// Labels of people, if those of the data set are a model's ([`trec::open_with_gold`](crate::trec::open_with_gold)).
    #[must_use]
    pub fn gold(&self) -> Option<&Gold> {
        self.gold.as_ref()
    }

    /// The highest label that is not of a document of the data set, or is of people.
    pub(crate) fn max_label(&self) -> Option<f32> {
        let gold = self.gold.as_ref().and_then(Gold::max_label);
        self.unretrieved.iter().copied().chain(gold).reduce(f32::max)
    }

    /// The fields that decide whether two data sets are equal.
    pub(super) fn content(&self) -> (&[f32], &[usize], &[String], Option<&Gold>) {
        (&self.unretrieved, &self.ends, &self.without_documents, self.gold.as_ref())
    }

    /// Adds to the hash of a data set's content everything here that measures depend on.
    pub(super) fn hash_into(&self, mut update: impl FnMut(&[u8])) {
        update(b"runs 1\n");
        for &end in &self.ends {
            update(&(end as u64).to_le_bytes());
        }
        self.unretrieved.iter().for_each(|label| update(&label.to_le_bytes()));
        update(&(self.without_documents.len() as u64).to_le_bytes());
        if let Some(gold) = &self.gold {
            gold.hash_into(update);
        }
    }

    pub(super) fn memory(&self) -> usize {
        self.unretrieved.len() * size_of::<f32>() + self.ends.len() * size_of::<usize>()
    }
}
