//! Labels of people beside the model's labels that the data set is made of.

/// Labels that people gave some of the documents that a model judged. The labels of the [`Dataset`](crate::Dataset) are the model's.
///
/// The documents of a query that the model judged are its *population*, retrieved or not. People's labels of other documents are not here: they are
/// counted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Gold {
    pub(crate) queries: Vec<GoldQuery>,
    pub(crate) without_documents: Vec<GoldQuery>,
    pub(crate) outside: usize,
    pub(crate) first_outside: Option<(String, String)>,
}

/// Labels that people gave documents of one query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GoldQuery {
    /// For each document of the data set's query, whether the model judged it.
    pub is_judged: Vec<bool>,
    /// For each document of the data set's query, the label of people, if they and the model judged it.
    pub labels: Vec<Option<f32>>,
    /// Judged documents that no run retrieved: the label of the model, and that of people if they judged it.
    pub unretrieved: Vec<(f32, Option<f32>)>,
}

impl GoldQuery {
    /// The number of documents that the model judged.
    #[must_use]
    pub fn population(&self) -> usize {
        self.is_judged.iter().filter(|judged| **judged).count() + self.unretrieved.len()
    }

    /// The number of documents that people judged too.
    #[must_use]
    pub fn labelled(&self) -> usize {
        self.labels_of_people().count()
    }

    /// Whether people judged every document that the model judged.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.labelled() == self.population()
    }

    fn labels_of_people(&self) -> impl Iterator<Item = f32> + '_ {
        let labels = self.labels.iter().copied();
        labels.chain(self.unretrieved.iter().map(|(_, people)| *people)).flatten()
    }
}

impl Gold {
    /// The labels of query `index` (from 0) of the data set.
    ///
    /// # Panics
    /// If there is no such query.
    #[must_use]
    pub fn query(&self, index: usize) -> &GoldQuery {
        &self.queries[index]
    }

    /// Those of the judged queries for which no run retrieved anything ([`Runs::without_documents`](crate::Runs::without_documents)): all their
    /// documents are unretrieved.
    #[must_use]
    pub fn without_documents(&self) -> &[GoldQuery] {
        &self.without_documents
    }

    /// How many labels people gave documents that the model did not judge.
    #[must_use]
    pub fn labels_outside(&self) -> usize {
        self.outside
    }

    /// The query and the document of the first of them.
    #[must_use]
    pub fn first_outside(&self) -> Option<(&str, &str)> {
        self.first_outside.as_ref().map(|(query, document)| (query.as_str(), document.as_str()))
    }

    pub(crate) fn all_queries(&self) -> impl Iterator<Item = &GoldQuery> {
        self.queries.iter().chain(&self.without_documents)
    }

    /// The highest label of people.
    pub(super) fn max_label(&self) -> Option<f32> {
        self.all_queries().flat_map(GoldQuery::labels_of_people).reduce(f32::max)
    }

    /// Adds its part of the hash of a data set's content.
    pub(super) fn hash_into(&self, mut update: impl FnMut(&[u8])) {
        update(b"gold 1\n");
        // No label is negative.
        let label = |label: Option<f32>| label.unwrap_or(-1.0).to_le_bytes();
        for query in self.all_queries() {
            for (judged, given) in query.is_judged.iter().zip(&query.labels) {
                update(&[u8::from(*judged)]);
                update(&label(*given));
            }
            for (model, given) in &query.unretrieved {
                update(&model.to_le_bytes());
                update(&label(*given));
            }
            update(b"\n");
        }
    }
}
