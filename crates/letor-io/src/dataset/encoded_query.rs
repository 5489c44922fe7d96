//! A packed query.

use std::collections::BTreeSet;

use super::block::Block;
use super::{BlockWriter, Column, Query};
use crate::decimal::Decimal;

/// The largest number of bytes in a query id.
pub(crate) const MAX_ID: usize = 256;

/// Why a query cannot be part of a data set.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The id cannot be written to a file and read again.
    #[error("query id {id:?} is not valid in a file: use 1 to 256 bytes without spaces, `#` or control characters")]
    Id {
        /// The id.
        id: String,
    },
    /// There are no documents.
    #[error("query {id} has no documents, expected at least one: omit it")]
    NoDocuments {
        /// The query.
        id: String,
    },
    /// A column or row has the wrong length.
    #[error("query {id}: {what} has {found} values, expected {expected}: write absent values as 0")]
    Length {
        /// The query.
        id: String,
        /// The column or row.
        what: String,
        /// The number of values.
        found: usize,
        /// The number expected.
        expected: usize,
    },
    /// A value or label is NaN or infinite.
    #[error("query {id}: {what} of document {document} (from 0) is {value}, expected a finite number: correct it")]
    NotFinite {
        /// The query.
        id: String,
        /// The feature, or "the label".
        what: String,
        /// The index of the document, from 0.
        document: usize,
        /// The value.
        value: f64,
    },
    /// The packed values of the query take more than 4 GiB.
    #[error("query {id} takes more than 4 GiB: split it into several queries")]
    TooLarge {
        /// The query.
        id: String,
    },
}

/// A packed query, ready for a [`DatasetBuilder`](super::DatasetBuilder).
///
/// Packing takes most of the time of building a data set and needs only the query. Pack queries in parallel and push
/// them in order: the data set does not depend on the number of threads.
#[derive(Debug, Clone, PartialEq)]
pub struct EncodedQuery {
    pub(crate) id: Box<str>,
    pub(crate) labels: Vec<f32>,
    pub(crate) block: Box<[u8]>,
    /// The highest feature number, even if all its values are 0.
    pub(crate) features: u32,
}

impl EncodedQuery {
    /// Packs a query given by columns: `columns[i]` has the values of feature `i + 1`, one per document, with absent
    /// values as 0. `labels` has one label per document, -1 for none.
    ///
    /// Values are kept as the shortest decimals that give the same `f64`; decimals with few digits take little space.
    ///
    /// # Errors
    ///
    /// If the id is invalid, there are no documents, a length is wrong, or a number is not finite.
    pub fn from_columns<C: AsRef<[f64]>>(id: &str, labels: &[f32], columns: &[C]) -> Result<Self, BuildError> {
        Self::new(id, labels, columns.len(), |feature, column| {
            let values = columns[feature].as_ref();
            check_length(id, || format!("feature {}", feature + 1), values.len(), labels.len())?;
            values.iter().enumerate().try_for_each(|(document, &value)| {
                column.push(finite_decimal(id, feature, document, value)?);
                Ok(())
            })
        })
    }

    /// Packs a query with whole numbers as values, given by columns of one value per document. Otherwise like
    /// [`from_columns`](Self::from_columns).
    pub(crate) fn from_whole_columns(id: &str, labels: &[f32], columns: &[Vec<u32>]) -> Result<Self, BuildError> {
        Self::new(id, labels, columns.len(), |feature, column| {
            columns[feature].iter().for_each(|&value| column.push(Decimal { mantissa: value.into(), scale: 0 }));
            Ok(())
        })
    }

    /// Packs a query given by rows: `rows[d][i]` is the value of feature `i + 1` for document `d`. All rows must have the
    /// same length. Otherwise like [`from_columns`](Self::from_columns).
    ///
    /// # Errors
    ///
    /// Those of [`from_columns`](Self::from_columns).
    pub fn from_rows<R: AsRef<[f64]>>(id: &str, labels: &[f32], rows: &[R]) -> Result<Self, BuildError> {
        check_length(id, || "the list of rows".into(), rows.len(), labels.len())?;
        let features = rows.first().map_or(0, |row| row.as_ref().len());
        for (document, row) in rows.iter().enumerate() {
            check_length(id, || format!("row {document} (from 0)"), row.as_ref().len(), features)?;
        }
        Self::new(id, labels, features, |feature, column| {
            rows.iter().enumerate().try_for_each(|(document, row)| {
                column.push(finite_decimal(id, feature, document, row.as_ref()[feature])?);
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
                return Err(BuildError::NotFinite { id, what, document, value });
            }
        }
        let mut writer = BlockWriter::default();
        let mut column = Column::default();
        for feature in 0..features {
            column.clear();
            fill(feature, &mut column)?;
            writer.push(feature as u32 + 1, &mut column);
        }
        let block = writer.finish().ok_or_else(|| BuildError::TooLarge { id: id.into() })?;
        // Turns -0 into 0, so that equal content has equal bytes.
        let labels = labels.iter().map(|label| label + 0.0).collect();
        Ok(Self { id: id.into(), labels, block, features: features as u32 })
    }

    /// `query` with further features, given by `columns`, one value per document each. The features up to `kept` stay, and
    /// the columns are numbered after them; with `None` from 1, and the features are left out.
    pub(crate) fn with_columns<'a>(
        query: &Query<'_>,
        kept: Option<u32>,
        columns: impl Iterator<Item = &'a [Decimal]>,
    ) -> Result<Self, BuildError> {
        let (mut writer, mut column) = (BlockWriter::default(), Column::default());
        if kept.is_some() {
            query.for_each_segment(|feature, segment| writer.push_segment(feature, segment));
        }
        let mut features = kept.unwrap_or(0);
        for values in columns {
            features += 1;
            column.clear();
            values.iter().for_each(|&value| column.push(value));
            writer.push(features, &mut column);
        }
        let block = writer.finish().ok_or_else(|| BuildError::TooLarge { id: query.id().into() })?;
        Ok(Self { id: query.id().into(), labels: query.labels().to_vec(), block, features })
    }

    /// One query with the documents of all parts, in order, under the id of the first part.
    pub(crate) fn concat(parts: &[&Self]) -> Result<Self, BuildError> {
        let labels: Vec<f32> = parts.iter().flat_map(|part| part.labels.iter().copied()).collect();
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
                column.resize(documents);
            }
            writer.push(feature, &mut column);
        }
        let id = parts[0].id.clone();
        let block = writer.finish().ok_or_else(|| BuildError::TooLarge { id: id.to_string() })?;
        let features = parts.iter().map(|part| part.features).max().unwrap_or(0);
        Ok(Self { id, labels, block, features })
    }

    /// The id of the query.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The number of documents.
    pub fn documents(&self) -> usize {
        self.labels.len()
    }
}

fn check_length(id: &str, what: impl Fn() -> String, found: usize, expected: usize) -> Result<(), BuildError> {
    if found == expected { Ok(()) } else { Err(BuildError::Length { id: id.into(), what: what(), found, expected }) }
}

fn finite_decimal(id: &str, feature: usize, document: usize, value: f64) -> Result<Decimal, BuildError> {
    Decimal::from_f64(value).ok_or_else(|| {
        let what = format!("feature {}", feature + 1);
        BuildError::NotFinite { id: id.into(), what, document, value }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_queries_are_refused() {
        let columns = |id: &str, labels: &[f32], columns: &[Vec<f64>]| {
            EncodedQuery::from_columns(id, labels, columns).unwrap_err().to_string()
        };
        for id in ["", "a b", "a#b", "a\n", &"x".repeat(257)] {
            assert!(columns(id, &[0.0], &[]).contains("is not valid in a file"));
        }
        assert!(columns("q", &[], &[]).contains("query q has no documents"));
        assert!(columns("q", &[f32::NAN], &[]).contains("the label of document 0"));
        assert!(columns("q", &[0.0], &[vec![0.0], vec![]]).contains("feature 2 has 0 values, expected 1"));
        assert!(columns("q", &[0.0], &[vec![f64::INFINITY]]).contains("feature 1 of document 0"));
        let rows = EncodedQuery::from_rows("q", &[0.0, 0.0], &[vec![1.0], vec![1.0, 2.0]]);
        assert!(rows.unwrap_err().to_string().contains("row 1 (from 0) has 2 values, expected 1"));
        let rows = EncodedQuery::from_rows("q", &[0.0, 0.0], &[[1.0]]);
        assert!(rows.unwrap_err().to_string().contains("the list of rows has 1 values, expected 2"));
    }
}
