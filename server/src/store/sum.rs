//! Checksums of rows: a bit that changes on the disk is found when its row is read.

use xxhash_rust::xxh3::Xxh3;

/// The tables with checksums in their rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    Events,
    Shown,
    Units,
    Marks,
    Snapshots,
    States,
    Converted,
}

/// A column.
#[derive(Debug, Clone, Copy)]
pub(super) enum Column<'a> {
    Whole(Option<i64>),
    Text(Option<&'a str>),
    Bytes(&'a [u8]),
}

impl From<i64> for Column<'_> {
    fn from(value: i64) -> Self {
        Self::Whole(Some(value))
    }
}

impl From<Option<i64>> for Column<'_> {
    fn from(value: Option<i64>) -> Self {
        Self::Whole(value)
    }
}

impl<'a> From<Option<&'a str>> for Column<'a> {
    fn from(value: Option<&'a str>) -> Self {
        Self::Text(value)
    }
}

impl<'a> From<&'a [u8]> for Column<'a> {
    fn from(value: &'a [u8]) -> Self {
        Self::Bytes(value)
    }
}

/// The checksum of a row of an experiment.
pub(super) fn sum(table: Table, experiment: u32, columns: &[Column<'_>]) -> i64 {
    let mut hash = Xxh3::with_seed(table as u64);
    hash.update(&experiment.to_le_bytes());
    for column in columns {
        let (length, bytes) = match column {
            Column::Whole(None) | Column::Text(None) => (u64::MAX, &[][..]),
            Column::Whole(Some(value)) => (8, &value.to_le_bytes()[..]),
            Column::Text(Some(text)) => (text.len() as u64, text.as_bytes()),
            Column::Bytes(bytes) => (bytes.len() as u64, *bytes),
        };
        hash.update(&length.to_le_bytes());
        hash.update(bytes);
    }
    hash.digest() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_counts_and_so_does_its_place() {
        let of = |columns: &[Column<'_>]| sum(Table::Shown, 1, columns);
        let row = [Column::from(7), Column::from(Some("a")), Column::from(None::<&str>)];
        let all = [
            of(&row),
            of(&[row[0], row[2], row[1]]),
            of(&[row[0], Column::from(Some("")), Column::from(Some("a"))]),
            of(&[row[0], row[1], Column::from(Some(""))]),
            of(&[Column::from(8), row[1], row[2]]),
            sum(Table::Shown, 2, &row),
            sum(Table::Marks, 1, &row),
        ];
        for (at, one) in all.iter().enumerate() {
            assert!(!all[..at].contains(one), "{at}");
        }
    }
}
