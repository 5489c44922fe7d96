//! From the rows of one query to its packed columns.

use super::row::FeatureValue;
use crate::dataset::{BlockWriter, Column, EncodedQuery};
use crate::decimal::Decimal;

/// The number of columns taken from dense rows in one pass: their values in a row fill two cache lines.
const TILE: usize = 8;

/// Rows with at most this many features for each value become dense ones.
const MAX_GAPS: usize = 4;

/// If that makes at most this many values: 16 MiB.
const MAX_FILLED: usize = 1 << 20;

/// The rows of the query being read, and the buffers that turn them into columns. Reused for every query.
#[derive(Debug, Default)]
pub(super) struct Assembler {
    /// The values of all rows, in row order. The row reader appends to it.
    pub(super) entries: Vec<FeatureValue>,
    /// The end of each row's values in `entries`.
    ends: Vec<usize>,
    labels: Vec<f32>,
    /// Whether NULL becomes the lowest value of its feature in the query.
    pub(super) null_is_min: bool,
    /// How many features of finished queries had no value but NULL.
    pub(super) all_null: u64,
    lowest: Vec<LowestValue>,
    /// The highest feature number so far.
    highest: u32,
    /// Whether every row so far has exactly the features 1, 2, ..., `highest`.
    dense: bool,
    transposer: Transposer,
    writer: BlockWriter,
    column: Column,
    tile: [Column; TILE],
    /// Rows with their gaps filled.
    filled: Vec<FeatureValue>,
}

impl Assembler {
    /// Whether no row has been ended.
    pub(super) fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The number of rows ended.
    pub(super) fn rows(&self) -> usize {
        self.labels.len()
    }

    /// Removes all rows.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.ends.clear();
        self.labels.clear();
        self.highest = 0;
    }

    /// Makes a row of the entries appended since the last call.
    pub(super) fn end_row(&mut self, label: f32) {
        let start = self.ends.last().copied().unwrap_or(0);
        let values = self.entries.len() - start;
        // Feature numbers ascend, so the row has no gap if the last one equals the number of values.
        let last = self.entries[start..].last().map_or(0, |entry| entry.feature);
        let first = self.labels.is_empty();
        self.dense = last as usize == values && (first || self.dense && last == self.highest);
        self.highest = self.highest.max(last);
        self.ends.push(self.entries.len());
        // Turns -0 into 0, so that equal content has equal bytes.
        self.labels.push(label + 0.0);
    }

    /// The query made of all rows ended so far, or `None` if it takes more than 4 GiB. Entries of a row that has
    /// not been ended are kept for the next query.
    pub(super) fn finish(&mut self, id: &str) -> Option<EncodedQuery> {
        let len = self.ends.last().copied().unwrap_or(0);
        if self.null_is_min {
            self.all_null += replace_nulls(&mut self.entries[..len], self.labels.len(), &mut self.lowest);
        }
        let cells = self.highest as usize * self.labels.len();
        if self.dense {
            push_dense(&self.entries[..len], self.highest, &mut self.tile, &mut self.writer);
        } else if cells <= MAX_FILLED.min(MAX_GAPS * len) {
            fill_gaps(&self.entries[..len], &self.ends, self.highest, &mut self.filled);
            push_dense(&self.filled, self.highest, &mut self.tile, &mut self.writer);
        } else {
            let Self { entries, ends, transposer, writer, column, labels, .. } = self;
            transposer.for_each_column(&entries[..len], ends, |feature, rows| {
                let value = |cell: &Cell| Decimal { mantissa: cell.mantissa, scale: cell.scale };
                column.scatter(labels.len(), rows.iter().map(|cell| (cell.row as usize, value(cell))));
                writer.push(feature, column);
            });
        }
        let block = self.writer.finish();
        let (labels, features) = (self.labels.clone(), self.highest);
        self.entries.drain(..len);
        self.ends.clear();
        self.labels.clear();
        self.highest = 0;
        Some(EncodedQuery { id: id.into(), labels, block: block?, features })
    }
}

/// Packs the columns of rows that have the features 1 to `features`. Transposes [`TILE`] columns in each pass, so that
/// values next to each other in a row are read together.
fn push_dense(entries: &[FeatureValue], features: u32, tile: &mut [Column; TILE], writer: &mut BlockWriter) {
    let features = features as usize;
    for first in (0..features).step_by(TILE) {
        let columns = &mut tile[..TILE.min(features - first)];
        for (at, column) in (first..).zip(columns.iter_mut()) {
            column.fill(entries.chunks_exact(features).map(|row| row[at].value()));
        }
        for (feature, column) in (first as u32 + 1..).zip(columns) {
            writer.push(feature, column);
        }
    }
}

/// Copies rows to `filled` with a 0 for every feature up to `features` that they do not have.
fn fill_gaps(entries: &[FeatureValue], ends: &[usize], features: u32, filled: &mut Vec<FeatureValue>) {
    const GAP: FeatureValue = FeatureValue { mantissa: 0, feature: 0, scale: 0 };
    // The data of an earlier query are overwritten row by row, while the row is in the cache.
    filled.resize(ends.len() * features as usize, GAP);
    let mut start = 0;
    for (row, &end) in filled.chunks_exact_mut(features as usize).zip(ends) {
        row.fill(GAP);
        for &entry in &entries[start..end] {
            row[entry.feature as usize - 1] = entry;
        }
        start = end;
    }
}

/// The lowest value of a feature in a query, and how many documents have the feature, with a value or NULL.
#[derive(Debug, Clone, Copy, Default)]
struct LowestValue {
    value: Option<Decimal>,
    entries: usize,
}

/// Replaces each NULL in the entries of a query of `documents` by the lowest value of its feature, 0 if all are NULL;
/// returns the number of features with NULL only. Documents without the feature have the value 0.
fn replace_nulls(entries: &mut [FeatureValue], documents: usize, lowest: &mut Vec<LowestValue>) -> u64 {
    let is_null = |entry: &FeatureValue| entry.mantissa == Decimal::NULL.mantissa;
    if !entries.iter().any(is_null) {
        return 0;
    }
    lowest.clear();
    for entry in entries.iter() {
        let feature = entry.feature as usize;
        if feature >= lowest.len() {
            lowest.resize(feature + 1, LowestValue::default());
        }
        let LowestValue { value: least, entries } = &mut lowest[feature];
        *entries += 1;
        if !is_null(entry) {
            let value = entry.value();
            *least = Some(least.filter(|least| least.compare(value).is_le()).unwrap_or(value));
        }
    }
    let mut all_null = 0;
    for entry in entries.iter_mut().filter(|entry| is_null(entry)) {
        let LowestValue { value, entries } = &mut lowest[entry.feature as usize];
        if *entries < documents {
            *value = Some(value.filter(|value| value.compare(Decimal::ZERO).is_le()).unwrap_or(Decimal::ZERO));
        }
        let Decimal { mantissa, scale } = *value.get_or_insert_with(|| {
            all_null += 1;
            Decimal::ZERO
        });
        (entry.mantissa, entry.scale) = (mantissa, scale);
    }
    all_null
}

/// A value in its column.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    mantissa: i64,
    row: u32,
    scale: i16,
}

/// Turns sparse rows into columns with a counting sort.
#[derive(Debug, Default)]
struct Transposer {
    /// By feature number: first the number of values, then the position of the next one. All 0 between queries.
    counts: Vec<u32>,
    seen: Vec<u32>,
    cells: Vec<Cell>,
}

impl Transposer {
    fn for_each_column(&mut self, entries: &[FeatureValue], ends: &[usize], mut each: impl FnMut(u32, &[Cell])) {
        self.seen.clear();
        for entry in entries {
            let feature = entry.feature as usize;
            if feature >= self.counts.len() {
                self.counts.resize(feature + 1, 0);
            }
            if self.counts[feature] == 0 {
                self.seen.push(entry.feature);
            }
            self.counts[feature] += 1;
        }
        self.seen.sort_unstable();
        let mut total = 0;
        for &feature in &self.seen {
            let count = &mut self.counts[feature as usize];
            (*count, total) = (total, total + *count);
        }
        self.cells.clear();
        self.cells.resize(entries.len(), Cell::default());
        let mut start = 0;
        for (row, &end) in ends.iter().enumerate() {
            for entry in &entries[start..end] {
                let next = &mut self.counts[entry.feature as usize];
                let (mantissa, scale) = (entry.mantissa, entry.scale);
                self.cells[*next as usize] = Cell { mantissa, row: row as u32, scale };
                *next += 1;
            }
            start = end;
        }
        let mut start = 0;
        for &feature in &self.seen {
            let end = std::mem::take(&mut self.counts[feature as usize]) as usize;
            each(feature, &self.cells[start..end]);
            start = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(rows: &[(f32, &[(u32, i64)])]) -> EncodedQuery {
        let mut assembler = Assembler::default();
        for (label, values) in rows {
            for &(feature, mantissa) in *values {
                assembler.entries.push(FeatureValue { mantissa, feature, scale: 0 });
            }
            assembler.end_row(*label);
        }
        let query = assembler.finish("q").unwrap();
        assert!(assembler.is_empty() && assembler.entries.is_empty());
        query
    }

    fn expected(labels: &[f32], rows: &[&[f64]]) -> EncodedQuery {
        EncodedQuery::from_rows("q", labels, rows).unwrap()
    }

    #[test]
    fn dense_and_sparse_rows_give_the_same_columns() {
        let dense = query(&[(0.0, &[(1, 5), (2, 0), (3, 7)]), (1.0, &[(1, 0), (2, 0), (3, 8)])]);
        let sparse = query(&[(0.0, &[(1, 5), (3, 7)]), (1.0, &[(3, 8)])]);
        assert_eq!(dense, sparse);
        assert_eq!(dense, expected(&[0.0, 1.0], &[&[5.0, 0.0, 7.0], &[0.0, 0.0, 8.0]]));
    }

    #[test]
    fn rows_of_different_lengths_are_not_dense() {
        let growing = query(&[(0.0, &[(1, 5)]), (0.0, &[(1, 6), (2, 7)])]);
        assert_eq!(growing, expected(&[0.0; 2], &[&[5.0, 0.0], &[6.0, 7.0]]));
        let shrinking = query(&[(0.0, &[(1, 6), (2, 7)]), (0.0, &[(1, 5)]), (0.0, &[])]);
        assert_eq!(shrinking, expected(&[0.0; 3], &[&[6.0, 7.0], &[5.0, 0.0], &[0.0, 0.0]]));
    }

    #[test]
    fn null_becomes_the_lowest_value_of_its_feature() {
        const NULL: i64 = Decimal::NULL.mantissa;
        let read = |rows: &[&[(u32, i64)]]| {
            let mut assembler = Assembler { null_is_min: true, ..Assembler::default() };
            for row in rows {
                assembler.entries.extend(row.iter().map(|&(feature, mantissa)| FeatureValue {
                    mantissa,
                    feature,
                    scale: 0,
                }));
                assembler.end_row(0.0);
            }
            (assembler.finish("q").unwrap(), assembler.all_null)
        };
        // Feature 1 is negative, feature 2 positive, feature 3 unknown in all documents.
        let dense =
            read(&[&[(1, -5), (2, NULL), (3, NULL)], &[(1, NULL), (2, 4), (3, NULL)], &[(1, -7), (2, 9), (3, NULL)]]);
        assert_eq!(dense, (expected(&[0.0; 3], &[&[-5.0, 4.0, 0.0], &[-7.0, 4.0, 0.0], &[-7.0, 9.0, 0.0]]), 1));
        // A document without the feature has the value 0.
        let sparse = read(&[&[(1, -5), (2, NULL)], &[(1, NULL)], &[(2, 3)]]);
        assert_eq!(sparse, (expected(&[0.0; 3], &[&[-5.0, 0.0], &[-5.0, 0.0], &[0.0, 3.0]]), 0));
        let unknown = read(&[&[(1, 2), (2, NULL)], &[(1, NULL)]]);
        assert_eq!(unknown, (expected(&[0.0; 2], &[&[2.0, 0.0], &[2.0, 0.0]]), 0));
    }

    #[test]
    fn an_unended_row_is_kept_for_the_next_query() {
        let mut assembler = Assembler::default();
        assembler.entries.push(FeatureValue { mantissa: 5, feature: 1, scale: 0 });
        assembler.end_row(0.0);
        assembler.entries.push(FeatureValue { mantissa: 6, feature: 9, scale: 0 });
        assert_eq!(assembler.finish("q").unwrap(), expected(&[0.0], &[&[5.0]]));
        assembler.end_row(1.0);
        let next = assembler.finish("q").unwrap();
        assert_eq!((next.features, next.labels), (9, vec![1.0]));
    }

    #[test]
    fn gaps_are_zeros_however_many() {
        // From no gap to more than are filled: then the columns are sorted.
        for features in [7, 14, 60, 700] {
            let present = |row: usize, value: usize| ((row * 3 + value * features / 7) % features + 1) as u32;
            let mantissa = |row: usize, value: usize| (row * 100 + value) as i64 - 150;
            let rows: Vec<Vec<(u32, i64)>> = (0..9)
                .map(|row| {
                    let mut values: Vec<_> = (0..7).map(|value| (present(row, value), mantissa(row, value))).collect();
                    values.sort_unstable();
                    values
                })
                .collect();
            let dense: Vec<Vec<f64>> = rows
                .iter()
                .map(|row| {
                    let mut dense = vec![0.0; features];
                    row.iter().for_each(|&(feature, mantissa)| dense[feature as usize - 1] = mantissa as f64);
                    dense
                })
                .collect();
            let rows: Vec<(f32, &[(u32, i64)])> = rows.iter().map(|row| (1.0, &row[..])).collect();
            let plain = EncodedQuery::from_rows("q", &[1.0; 9], &dense).unwrap();
            let got = query(&rows);
            assert_eq!((&got.labels, &got.block), (&plain.labels, &plain.block), "{features} features");
        }
    }
}
