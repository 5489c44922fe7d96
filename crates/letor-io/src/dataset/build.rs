//! Putting a data set together, query by query.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use super::block::Block;
use super::{BlockWriter, Column, Dataset, Provenance};
use crate::decimal::Decimal;
use crate::text::MAX_ID;

/// Why a query cannot be part of a data set.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The id could not be written to a file and read again.
    #[error(
        "query id {id:?} cannot stand in a file: use 1 to 256 bytes without blanks, `#` or control characters"
    )]
    Id {
        /// The id.
        id: String,
    },
    /// There are no documents.
    #[error("query {id} has no documents: leave it out")]
    NoDocuments {
        /// The query.
        id: String,
    },
    /// A column or row has another length than the others.
    #[error(
        "query {id}: {what} has {found} values, expected {expected}: absent values are written as 0"
    )]
    Length {
        /// The query.
        id: String,
        /// The column or row.
        what: String,
        /// How many values it has.
        found: usize,
        /// How many it should have.
        expected: usize,
    },
    /// A value or label is NaN or infinite.
    #[error(
        "query {id}: {what} of document {document} (from 0) is {value}, expected a finite number"
    )]
    NotFinite {
        /// The query.
        id: String,
        /// The feature, or "the label".
        what: String,
        /// The document, from 0.
        document: usize,
        /// What it is.
        value: f64,
    },
    /// The query's packed values pass 4 GiB.
    #[error("query {id} takes more than 4 GiB: split it into several queries")]
    TooLarge {
        /// The query.
        id: String,
    },
}

/// One query, packed and ready to be part of a [`Dataset`].
///
/// Packing is where the time goes and needs nothing but the query, so queries may be packed in
/// parallel and pushed in order: the data set is the same for any number of threads.
#[derive(Debug, Clone, PartialEq)]
pub struct EncodedQuery {
    pub(crate) id: Box<str>,
    pub(crate) labels: Vec<f32>,
    pub(crate) block: Box<[u8]>,
    /// The highest feature number seen, be it only with zeros.
    pub(crate) features: u32,
}

impl EncodedQuery {
    /// Packs a query whose values are given by feature: `columns[i]` holds the values of feature
    /// `i + 1`, one a document, absent ones 0. Labels are one a document, -1 for none.
    ///
    /// Values are kept as the shortest decimals that give the same `f64`; those with few digits take
    /// little room.
    ///
    /// # Errors
    ///
    /// When the id or the query is empty, a length is off, or a number is not finite.
    pub fn from_columns<C: AsRef<[f64]>>(
        id: &str,
        labels: &[f32],
        columns: &[C],
    ) -> Result<Self, BuildError> {
        Self::new(id, labels, columns.len(), |feature, column| {
            let values = columns[feature].as_ref();
            check_length(
                id,
                || format!("feature {}", feature + 1),
                values.len(),
                labels.len(),
            )?;
            values
                .iter()
                .enumerate()
                .try_for_each(|(document, &value)| {
                    column.push(finite(id, feature, document, value)?);
                    Ok(())
                })
        })
    }

    /// Packs a query whose values are given by document: `rows[d][i]` is the value of feature `i + 1`
    /// for document `d`; all rows are equally long. Otherwise as [`from_columns`](Self::from_columns).
    ///
    /// # Errors
    ///
    /// As [`from_columns`](Self::from_columns).
    pub fn from_rows<R: AsRef<[f64]>>(
        id: &str,
        labels: &[f32],
        rows: &[R],
    ) -> Result<Self, BuildError> {
        check_length(id, || "the list of rows".into(), rows.len(), labels.len())?;
        let features = rows.first().map_or(0, |row| row.as_ref().len());
        for (document, row) in rows.iter().enumerate() {
            check_length(
                id,
                || format!("row {document} (from 0)"),
                row.as_ref().len(),
                features,
            )?;
        }
        Self::new(id, labels, features, |feature, column| {
            rows.iter().enumerate().try_for_each(|(document, row)| {
                column.push(finite(id, feature, document, row.as_ref()[feature])?);
                Ok(())
            })
        })
    }

    fn new(
        id: &str,
        labels: &[f32],
        features: usize,
        fill: impl Fn(usize, &mut Column) -> Result<(), BuildError>,
    ) -> Result<Self, BuildError> {
        let odd = |c: char| c.is_ascii_whitespace() || c.is_control() || c == '#';
        if id.is_empty() || id.len() > MAX_ID || id.contains(odd) {
            return Err(BuildError::Id { id: id.into() });
        }
        if labels.is_empty() {
            return Err(BuildError::NoDocuments { id: id.into() });
        }
        for (document, &label) in labels.iter().enumerate() {
            if !label.is_finite() {
                let (id, what, value) = (id.into(), "the label".into(), f64::from(label));
                return Err(BuildError::NotFinite {
                    id,
                    what,
                    document,
                    value,
                });
            }
        }
        let mut writer = BlockWriter::default();
        let mut column = Column::default();
        for feature in 0..features {
            column.clear();
            fill(feature, &mut column)?;
            writer.push(feature as u32 + 1, &mut column);
        }
        let block = writer
            .finish()
            .ok_or_else(|| BuildError::TooLarge { id: id.into() })?;
        // -0 is 0, so that equal content is equal bytes.
        let labels = labels.iter().map(|label| label + 0.0).collect();
        Ok(Self {
            id: id.into(),
            labels,
            block,
            features: features as u32,
        })
    }

    /// One query, under the id of the first part, of all parts' documents in order.
    pub(crate) fn concat(parts: &[&Self]) -> Result<Self, BuildError> {
        let labels: Vec<f32> = parts
            .iter()
            .flat_map(|part| part.labels.iter().copied())
            .collect();
        let blocks: Vec<Block<'_>> = parts.iter().map(|part| Block::read(&part.block)).collect();
        let features: BTreeSet<u32> = blocks.iter().flat_map(Block::features).collect();
        let mut writer = BlockWriter::default();
        let (mut column, mut values) = (Column::default(), Vec::new());
        for feature in features {
            column.clear();
            let mut documents = 0;
            for (part, block) in parts.iter().zip(&blocks) {
                if let Some(segment) = block.find(feature) {
                    values.clear();
                    segment.decimals(part.documents(), &mut values);
                    values.iter().for_each(|&value| column.push(value));
                }
                documents += part.documents();
                column.pad(documents);
            }
            writer.push(feature, &mut column);
        }
        let id = parts[0].id.clone();
        let block = writer
            .finish()
            .ok_or_else(|| BuildError::TooLarge { id: id.to_string() })?;
        let features = parts.iter().map(|part| part.features).max().unwrap_or(0);
        Ok(Self {
            id,
            labels,
            block,
            features,
        })
    }

    /// The query's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// How many documents.
    pub fn documents(&self) -> usize {
        self.labels.len()
    }
}

fn check_length(
    id: &str,
    what: impl Fn() -> String,
    found: usize,
    expected: usize,
) -> Result<(), BuildError> {
    if found == expected {
        Ok(())
    } else {
        Err(BuildError::Length {
            id: id.into(),
            what: what(),
            found,
            expected,
        })
    }
}

fn finite(id: &str, feature: usize, document: usize, value: f64) -> Result<Decimal, BuildError> {
    Decimal::from_f64(value).ok_or_else(|| {
        let what = format!("feature {}", feature + 1);
        BuildError::NotFinite {
            id: id.into(),
            what,
            document,
            value,
        }
    })
}

/// Puts a [`Dataset`] together, query by query.
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
#[derive(Debug)]
pub struct DatasetBuilder {
    dataset: Dataset,
}

impl DatasetBuilder {
    /// A data set without queries, shown under `name`.
    pub fn new(name: impl Into<String>, provenance: Provenance) -> Self {
        let dataset = Dataset {
            name: name.into(),
            provenance,
            features: 0,
            ids: String::new(),
            id_ends: Vec::new(),
            offsets: vec![0],
            labels: Vec::new(),
            max_label: 0.0,
            blocks: Vec::new(),
            checksum: OnceLock::new(),
        };
        Self { dataset }
    }

    /// Says that features go up to `count` at least, though the last may be 0 throughout.
    pub fn features(&mut self, count: u32) -> &mut Self {
        self.dataset.features = self.dataset.features.max(count);
        self
    }

    /// Appends a query.
    pub fn push(&mut self, query: EncodedQuery) -> &mut Self {
        let dataset = &mut self.dataset;
        dataset.ids.push_str(&query.id);
        dataset.id_ends.push(dataset.ids.len());
        dataset.labels.extend_from_slice(&query.labels);
        dataset.offsets.push(dataset.labels.len());
        dataset.blocks.push(query.block);
        dataset.features = dataset.features.max(query.features);
        self
    }

    /// Packs and appends a query given by feature: see [`EncodedQuery::from_columns`].
    ///
    /// # Errors
    ///
    /// As [`EncodedQuery::from_columns`]; the builder is then as it was.
    pub fn push_columns<C: AsRef<[f64]>>(
        &mut self,
        id: &str,
        labels: &[f32],
        columns: &[C],
    ) -> Result<&mut Self, BuildError> {
        Ok(self.push(EncodedQuery::from_columns(id, labels, columns)?))
    }

    /// Packs and appends a query given by document: see [`EncodedQuery::from_rows`].
    ///
    /// # Errors
    ///
    /// As [`EncodedQuery::from_rows`]; the builder is then as it was.
    pub fn push_rows<R: AsRef<[f64]>>(
        &mut self,
        id: &str,
        labels: &[f32],
        rows: &[R],
    ) -> Result<&mut Self, BuildError> {
        Ok(self.push(EncodedQuery::from_rows(id, labels, rows)?))
    }

    /// The data set.
    pub fn build(self) -> Dataset {
        let mut dataset = self.dataset;
        dataset.max_label = dataset
            .labels
            .iter()
            .copied()
            .reduce(f32::max)
            .unwrap_or(0.0);
        dataset.labels.shrink_to_fit();
        dataset
    }
}

#[cfg(test)]
mod tests {
    use super::super::FeatureId;
    use super::*;
    use rayon::prelude::*;

    fn builder() -> DatasetBuilder {
        DatasetBuilder::new(
            "test",
            Provenance::LookAlike {
                name: "test".into(),
            },
        )
    }

    fn column(dataset: &Dataset, query: usize, feature: u32) -> Vec<f64> {
        let mut out = vec![9.9];
        dataset.query(query).column(FeatureId(feature), &mut out);
        out
    }

    #[test]
    fn what_goes_in_comes_out() {
        let mut builder = builder();
        builder
            .push_columns(
                "WT04-182",
                &[0.0, 2.5, -1.0],
                &[[0.5, 0.25, 0.5], [0.0; 3], [3.0; 3]],
            )
            .unwrap()
            .push_rows(
                "7",
                &[1.0, 0.0],
                &[[0.0, 0.0, 1e-5, 4.0], [0.0, -2.0, 0.0, 4.0]],
            )
            .unwrap()
            .features(6);
        let dataset = builder.build();

        assert_eq!(
            (dataset.name(), dataset.queries(), dataset.documents()),
            ("test", 2, 5)
        );
        assert_eq!((dataset.features(), dataset.max_label()), (6, 2.5));
        assert_eq!(dataset.labels(), [0.0, 2.5, -1.0, 1.0, 0.0]);
        assert_eq!(
            [0, 1, 2].map(|index| dataset.document_offset(index)),
            [0, 3, 5]
        );

        let first = dataset.query(0);
        assert_eq!(
            (first.id(), first.documents(), first.labels()),
            ("WT04-182", 3, &[0.0, 2.5, -1.0][..])
        );
        assert_eq!(column(&dataset, 0, 1), [0.5, 0.25, 0.5]);
        assert_eq!(column(&dataset, 0, 2), [0.0; 3]);
        assert_eq!(column(&dataset, 0, 3), [3.0; 3]);
        assert_eq!(column(&dataset, 0, 99), [0.0; 3]);
        assert_eq!(dataset.query(1).id(), "7");
        assert_eq!(column(&dataset, 1, 2), [0.0, -2.0]);
        assert_eq!(column(&dataset, 1, 3), [1e-5, 0.0]);
        assert_eq!(
            dataset.query(1).present().map(|f| f.0).collect::<Vec<_>>(),
            [2, 3, 4]
        );

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
    fn rows_and_columns_are_the_same() {
        let (mut by_row, mut by_column) = (builder(), builder());
        by_row
            .push_rows("q", &[0.0, 1.0], &[[1.0, 0.0, 0.5], [2.0, 0.0, 0.25]])
            .unwrap();
        by_column
            .push_columns("q", &[0.0, 1.0], &[[1.0, 2.0], [0.0, 0.0], [0.5, 0.25]])
            .unwrap();
        assert_eq!(by_row.build(), by_column.build());
    }

    #[test]
    fn the_checksum_is_of_the_content() {
        let build = |id: &str, labels: &[f32], value: f64, features| {
            let mut builder = builder();
            builder
                .push_columns(id, labels, &[[value, 1.0]])
                .unwrap()
                .features(features);
            builder.build().checksum()
        };
        let base = build("a", &[0.0, 1.0], 0.5, 1);
        assert_eq!(base.len(), 64);
        assert_eq!(
            build("a", &[-0.0, 1.0], 0.5, 7),
            base,
            "always-zero features leave no trace"
        );
        assert_ne!(build("b", &[0.0, 1.0], 0.5, 1), base);
        assert_ne!(build("a", &[0.0, 2.0], 0.5, 1), base);
        assert_ne!(build("a", &[0.0, 1.0], 0.25, 1), base);
        // Pinned: results name data by it, so a change here is a change of the format's version.
        assert_eq!(
            base,
            "c334d76762c8753306cb2b6a56538b9585570786d694b2f08a700f46d00dea78"
        );
    }

    #[test]
    fn any_number_of_threads_gives_the_same() {
        let of_threads = |threads| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| {
                let encode = |query: usize| {
                    let documents = 1 + query % 13;
                    let value = |feature: usize| {
                        move |document: usize| {
                            ((query * 31 + feature * 7 + document * 3) % 17) as f64 / 8.0
                        }
                    };
                    let columns: Vec<Vec<f64>> = (0..5)
                        .map(|feature| (0..documents).map(value(feature)).collect())
                        .collect();
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

    #[test]
    fn bad_queries_are_refused() {
        let columns = |id: &str, labels: &[f32], columns: &[Vec<f64>]| {
            EncodedQuery::from_columns(id, labels, columns)
                .unwrap_err()
                .to_string()
        };
        for id in ["", "a b", "a#b", "a\n", &"x".repeat(257)] {
            assert!(columns(id, &[0.0], &[]).contains("cannot stand in a file"));
        }
        assert!(columns("q", &[], &[]).contains("query q has no documents"));
        assert!(columns("q", &[f32::NAN], &[]).contains("the label of document 0"));
        assert!(
            columns("q", &[0.0], &[vec![0.0], vec![]])
                .contains("feature 2 has 0 values, expected 1")
        );
        assert!(columns("q", &[0.0], &[vec![f64::INFINITY]]).contains("feature 1 of document 0"));
        let rows = EncodedQuery::from_rows("q", &[0.0, 0.0], &[vec![1.0], vec![1.0, 2.0]]);
        assert!(
            rows.unwrap_err()
                .to_string()
                .contains("row 1 (from 0) has 2 values, expected 1")
        );
        let rows = EncodedQuery::from_rows("q", &[0.0, 0.0], &[[1.0]]);
        assert!(
            rows.unwrap_err()
                .to_string()
                .contains("the list of rows has 1 values, expected 2")
        );
    }
}
