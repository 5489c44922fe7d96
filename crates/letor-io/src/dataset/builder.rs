//! Builds a data set query by query.

use std::sync::OnceLock;

use super::{Blocks, BuildError, Content, Dataset, EncodedQuery, Provenance, Runs};

/// Builds a [`Dataset`] query by query.
///
/// ```
/// use letor_io::{DatasetBuilder, FeatureId, Provenance};
///
/// let origin = Provenance::LookAlike { name: "two documents".into() };
/// let mut builder = DatasetBuilder::new("example", origin);
/// builder.push_columns("q1", &[0.0, 2.0], &[[0.25, 0.5], [7.0, 7.0]])?;
/// let dataset = builder.build();
///
/// let mut column = Vec::new();
/// dataset.query(0).column(FeatureId(1), &mut column);
/// assert_eq!(column, [0.25, 0.5]);
/// assert!(dataset.query(0).is_constant(FeatureId(2)));
/// # Ok::<(), letor_io::BuildError>(())
/// ```
pub struct DatasetBuilder {
    content: Content,
    blocks: Vec<Box<[u8]>>,
}

impl std::fmt::Debug for DatasetBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DatasetBuilder").field("name", &self.content.name).finish_non_exhaustive()
    }
}

impl DatasetBuilder {
    /// A builder for a data set that is shown to users as `name`.
    pub fn new(name: impl Into<String>, provenance: Provenance) -> Self {
        let content = Content {
            name: name.into(),
            provenance,
            features: 0,
            ids: String::new(),
            id_ends: Vec::new(),
            offsets: vec![0],
            labels: Vec::new(),
            max_label: 0.0,
            blocks: Blocks::Owned(Vec::new()),
            checksum: OnceLock::new(),
            all_null: 0,
            runs: None,
        };
        Self { content, blocks: Vec::new() }
    }

    /// Sets the least number of features, in case the last ones are always 0.
    pub fn features(&mut self, count: u32) -> &mut Self {
        self.content.features = self.content.features.max(count);
        self
    }

    /// Sets how many features of queries had no value but NULL.
    pub(crate) fn all_null(&mut self, count: u64) -> &mut Self {
        self.content.all_null = count;
        self
    }

    /// Sets the data on the runs that the data set is made of.
    pub(crate) fn runs(&mut self, runs: Runs) -> &mut Self {
        self.content.runs = Some(runs);
        self
    }

    /// Appends a query.
    pub fn push(&mut self, query: EncodedQuery) -> &mut Self {
        let content = &mut self.content;
        content.ids.push_str(&query.id);
        content.id_ends.push(content.ids.len());
        content.labels.extend_from_slice(&query.labels);
        content.offsets.push(content.labels.len());
        content.features = content.features.max(query.features);
        self.blocks.push(query.block);
        self
    }

    /// Packs and appends a query given by columns; see [`EncodedQuery::from_columns`].
    ///
    /// # Errors
    ///
    /// Those of [`EncodedQuery::from_columns`]; the builder is then unchanged.
    pub fn push_columns<C: AsRef<[f64]>>(
        &mut self,
        id: &str,
        labels: &[f32],
        columns: &[C],
    ) -> Result<&mut Self, BuildError> {
        Ok(self.push(EncodedQuery::from_columns(id, labels, columns)?))
    }

    /// Packs and appends a query given by rows; see [`EncodedQuery::from_rows`].
    ///
    /// # Errors
    ///
    /// Those of [`EncodedQuery::from_rows`]; the builder is then unchanged.
    pub fn push_rows<R: AsRef<[f64]>>(
        &mut self,
        id: &str,
        labels: &[f32],
        rows: &[R],
    ) -> Result<&mut Self, BuildError> {
        Ok(self.push(EncodedQuery::from_rows(id, labels, rows)?))
    }

    /// The data set of all queries pushed.
    pub fn build(self) -> Dataset {
        let mut content = self.content;
        let unretrieved = content.runs.as_ref().and_then(Runs::max_label);
        content.max_label = content.labels.iter().copied().chain(unretrieved).reduce(f32::max).unwrap_or(0.0);
        content.labels.shrink_to_fit();
        content.blocks = Blocks::Owned(self.blocks);
        content.into()
    }
}

#[cfg(test)]
mod tests {
    use super::super::FeatureId;
    use super::*;
    use crate::names::Names;
    use rayon::prelude::*;

    fn builder() -> DatasetBuilder {
        DatasetBuilder::new("test", Provenance::LookAlike { name: "test".into() })
    }

    fn column(dataset: &Dataset, query: usize, feature: u32) -> Vec<f64> {
        let mut out = vec![9.9];
        dataset.query(query).column(FeatureId(feature), &mut out);
        out
    }

    #[test]
    fn content_round_trips() {
        let mut builder = builder();
        builder
            .push_columns("WT04-182", &[0.0, 2.5, -1.0], &[[0.5, 0.25, 0.5], [0.0; 3], [3.0; 3]])
            .unwrap()
            .push_rows("7", &[1.0, 0.0], &[[0.0, 0.0, 1e-5, 4.0], [0.0, -2.0, 0.0, 4.0]])
            .unwrap()
            .features(6);
        let dataset = builder.build();

        assert_eq!((dataset.name(), dataset.queries(), dataset.documents()), ("test", 2, 5));
        assert_eq!((dataset.features(), dataset.max_label()), (6, 2.5));
        assert_eq!(dataset.labels(), [0.0, 2.5, -1.0, 1.0, 0.0]);
        assert_eq!([0, 1, 2].map(|index| dataset.document_offset(index)), [0, 3, 5]);

        let first = dataset.query(0);
        assert_eq!((first.id(), first.documents(), first.labels()), ("WT04-182", 3, &[0.0, 2.5, -1.0][..]));
        assert_eq!(column(&dataset, 0, 1), [0.5, 0.25, 0.5]);
        assert_eq!(column(&dataset, 0, 2), [0.0; 3]);
        assert_eq!(column(&dataset, 0, 3), [3.0; 3]);
        assert_eq!(column(&dataset, 0, 99), [0.0; 3]);
        assert_eq!(dataset.query(1).id(), "7");
        assert_eq!(column(&dataset, 1, 2), [0.0, -2.0]);
        assert_eq!(column(&dataset, 1, 3), [1e-5, 0.0]);
        assert_eq!(dataset.query(1).nonzero_features().map(|f| f.0).collect::<Vec<_>>(), [2, 3, 4]);

        let mut keys = vec![5];
        assert!(first.sort_keys(FeatureId(1), &mut keys));
        assert_eq!(keys, [25, 0, 25]);
        for constant in [2, 3, 99] {
            assert!(!first.sort_keys(FeatureId(constant), &mut keys));
            assert!(keys.is_empty());
            assert!(first.is_constant(FeatureId(constant)));
        }
        assert!(!first.is_constant(FeatureId(1)));
    }

    #[test]
    fn rows_and_columns_agree() {
        let (mut by_row, mut by_column) = (builder(), builder());
        by_row.push_rows("q", &[0.0, 1.0], &[[1.0, 0.0, 0.5], [2.0, 0.0, 0.25]]).unwrap();
        by_column.push_columns("q", &[0.0, 1.0], &[[1.0, 2.0], [0.0, 0.0], [0.5, 0.25]]).unwrap();
        assert_eq!(by_row.build(), by_column.build());
    }

    #[test]
    fn the_checksum_is_of_the_content() {
        let build = |id: &str, labels: &[f32], value: f64, features| {
            let mut builder = builder();
            builder.push_columns(id, labels, &[[value, 1.0]]).unwrap().features(features);
            builder.build().checksum()
        };
        let base = build("a", &[0.0, 1.0], 0.5, 1);
        assert_eq!(base.len(), 64);
        assert_eq!(build("a", &[-0.0, 1.0], 0.5, 7), base, "features that are always 0 do not count");
        assert_ne!(build("b", &[0.0, 1.0], 0.5, 1), base);
        assert_ne!(build("a", &[0.0, 2.0], 0.5, 1), base);
        assert_ne!(build("a", &[0.0, 1.0], 0.25, 1), base);
        // Pinned: results identify data by it, so a change needs a new version in `checksum.rs`.
        assert_eq!(base, "c334d76762c8753306cb2b6a56538b9585570786d694b2f08a700f46d00dea78");
    }

    #[test]
    fn names_of_features_change_nothing_else() {
        let mut builder = builder();
        builder.push_columns("q", &[0.0, 1.0], &[[1.0, 2.0], [3.0, 4.0]]).unwrap();
        let plain = builder.build();
        let named = plain.clone().with_feature_names(Names::new(["bm25", "ltr"]).unwrap()).unwrap();
        assert_eq!((named.feature_name(FeatureId(2)), plain.feature_name(FeatureId(2))), (Some("ltr"), None));
        assert_eq!([0, 3].map(|feature| named.feature_name(FeatureId(feature))), [None; 2]);
        assert_eq!(named, plain);
        assert_eq!(named.checksum(), plain.checksum());
        let error = plain.with_feature_names(Names::new(["bm25"]).unwrap()).unwrap_err();
        assert_eq!(error.to_string(), "found 1 names, expected 2");
    }

    #[test]
    fn threads_do_not_matter() {
        let of_threads = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let encode = |query: usize| {
                    let documents = 1 + query % 13;
                    let value = |feature: usize| {
                        move |document: usize| ((query * 31 + feature * 7 + document * 3) % 17) as f64 / 8.0
                    };
                    let columns: Vec<Vec<f64>> =
                        (0..5).map(|feature| (0..documents).map(value(feature)).collect()).collect();
                    EncodedQuery::from_columns(&query.to_string(), &vec![1.0; documents], &columns)
                };
                let queries: Result<Vec<_>, _> = (0..200).into_par_iter().map(encode).collect();
                let mut builder = builder();
                queries.unwrap().into_iter().for_each(|query| {
                    builder.push(query);
                });
                builder.build()
            })
        };
        let (one, two) = (of_threads(1), of_threads(2));
        assert_eq!(one, two);
        assert_eq!(one.checksum(), two.checksum());
    }
}
