//! A block: the values of one query, as a directory of the features present followed by their segments.
//!
//! A feature that is 0 for all documents of the query is not present and takes no space. Directory entries are 2
//! bytes wide if the block allows it, otherwise 4; integers are little-endian.
//!
//! | bytes | meaning |
//! |---|---|
//! | 1 | the width of directory entries: 2 or 4 |
//! | 4 | the number of features present |
//! | 2 or 4 each | the feature numbers, ascending |
//! | 2 or 4 each | the start of each segment, relative to the end of the directory |
//! | | the segments, then padding |

use super::bit_packing::PADDING;
use super::column::Column;
use super::segment::{self, Dictionary, Segment, encode};

const HEADER: usize = 5;

/// Packs the columns of one query into a block. Reused for every query.
#[derive(Debug, Default)]
pub(crate) struct BlockWriter {
    features: Vec<u32>,
    starts: Vec<usize>,
    segments: Vec<u8>,
    dictionary: Dictionary,
}

impl BlockWriter {
    /// Adds the column of `feature`, which must be above the features added before. Leaves `column` in an unspecified
    /// state.
    pub(crate) fn push(&mut self, feature: u32, column: &mut Column) {
        debug_assert!(self.features.last().is_none_or(|&last| last < feature));
        let start = self.segments.len();
        if encode(column, &mut self.dictionary, &mut self.segments) {
            self.features.push(feature);
            self.starts.push(start);
        }
    }

    /// Adds `segment`, the packed values of `feature`, which must be above the features added before.
    pub(crate) fn push_segment(&mut self, feature: u32, segment: &[u8]) {
        debug_assert!(self.features.last().is_none_or(|&last| last < feature));
        self.features.push(feature);
        self.starts.push(self.segments.len());
        self.segments.extend_from_slice(segment);
    }

    /// The block of all columns pushed, or `None` if it is too large for its directory (4 GiB). Clears the writer.
    pub(crate) fn finish(&mut self) -> Option<Box<[u8]>> {
        let largest = u32::try_from(self.segments.len()).ok();
        let block = largest.map(|largest| {
            let narrow = largest.max(self.features.last().copied().unwrap_or(0)) <= u32::from(u16::MAX);
            let entry_width = if narrow { 2 } else { 4 };
            let len = HEADER + self.features.len() * 2 * entry_width + self.segments.len() + PADDING;
            let mut block = Vec::with_capacity(len);
            block.push(entry_width as u8);
            block.extend_from_slice(&(self.features.len() as u32).to_le_bytes());
            let mut number = |number: u32| block.extend_from_slice(&number.to_le_bytes()[..entry_width]);
            self.features.iter().for_each(|&feature| number(feature));
            self.starts.iter().for_each(|&start| number(start as u32));
            block.extend_from_slice(&self.segments);
            block.resize(len, 0);
            block.into_boxed_slice()
        });
        self.features.clear();
        self.starts.clear();
        self.segments.clear();
        block
    }
}

/// A block with its header parsed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block<'a> {
    entry_width: usize,
    present: usize,
    directory: &'a [u8],
    segments: &'a [u8],
}

/// Whether `bytes` are a valid block of `documents` documents with features up to `features`. Reading a valid block
/// never panics.
pub(crate) fn is_sound(bytes: &[u8], documents: usize, features: u32) -> bool {
    let Some((header, rest)) = bytes.split_first_chunk::<HEADER>() else {
        return false;
    };
    let entry_width = usize::from(header[0]);
    let present = u32::from_le_bytes([header[1], header[2], header[3], header[4]]) as usize;
    let directory = present.checked_mul(2 * entry_width);
    if !matches!(entry_width, 2 | 4) || directory.is_none_or(|directory| directory > rest.len()) {
        return false;
    }
    let block = Block::read(bytes);
    let mut last = 0;
    (0..present).all(|index| {
        let (feature, start) = (block.number(index), block.number(present + index) as usize);
        let ascending = last < feature && feature <= features;
        last = feature;
        ascending && block.segments.get(start..).is_some_and(|segment| segment::is_sound(segment, documents))
    })
}

impl<'a> Block<'a> {
    pub(crate) fn read(bytes: &'a [u8]) -> Self {
        let entry_width = usize::from(bytes[0]);
        let present = u32::from_le_bytes(bytes[1..HEADER].try_into().expect("four bytes")) as usize;
        let (directory, segments) = bytes[HEADER..].split_at(present * 2 * entry_width);
        Self { entry_width, present, directory, segments }
    }

    /// The number of features that are not 0 for all documents.
    pub(crate) fn feature_count(&self) -> usize {
        self.present
    }

    /// The feature at `index` (from 0) among those present, and its segment.
    pub(crate) fn get(&self, index: usize) -> (u32, Segment<'a>) {
        let start = self.number(self.present + index) as usize;
        (self.number(index), Segment::read(&self.segments[start..]))
    }

    /// The feature at `index` (from 0) among those present, and the bytes of its segment without padding.
    pub(crate) fn bytes(&self, index: usize) -> (u32, &'a [u8]) {
        let start = self.number(self.present + index) as usize;
        // Segments are in order, so that one ends where the next begins.
        let next = (index + 1 < self.present).then(|| self.number(self.present + index + 1) as usize);
        let end = next.filter(|&next| next >= start).unwrap_or(self.segments.len() - PADDING);
        (self.number(index), &self.segments[start..end.max(start)])
    }

    /// The features present, in ascending order.
    pub(crate) fn features(&self) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        let block = *self;
        (0..self.present).map(move |index| block.number(index))
    }

    /// The segment of `feature`, or `None` if it is 0 for all documents.
    pub(crate) fn find(&self, feature: u32) -> Option<Segment<'a>> {
        // If no feature is absent, feature f is entry f - 1.
        let direct = (feature as usize).checked_sub(1)?;
        if direct < self.present && self.number(direct) == feature {
            return Some(self.get(direct).1);
        }
        let (mut low, mut high) = (0, self.present.min(direct));
        while low < high {
            let middle = (low + high) / 2;
            if self.number(middle) < feature {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (low < self.present && self.number(low) == feature).then(|| self.get(low).1)
    }

    fn number(&self, at: usize) -> u32 {
        let bytes = &self.directory[at * self.entry_width..];
        match self.entry_width {
            2 => u32::from(u16::from_le_bytes([bytes[0], bytes[1]])),
            _ => u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decimal::Decimal;

    fn column(values: &[i64]) -> Column {
        let mut column = Column::default();
        values.iter().for_each(|&mantissa| column.push(Decimal { mantissa, scale: 0 }));
        column
    }

    #[test]
    fn features_are_found_for_both_entry_widths() {
        for last in [9, 70_000] {
            let mut writer = BlockWriter::default();
            for (feature, values) in [(1, [1, 2]), (2, [0, 0]), (5, [7, 7]), (last, [3, -4])] {
                writer.push(feature, &mut column(&values));
            }
            let bytes = writer.finish().unwrap();
            let block = Block::read(&bytes);
            assert_eq!(block.feature_count(), 3, "feature 2 is 0 for all documents");
            let value = |feature| {
                block.find(feature).map(|segment| {
                    let mut out = Vec::new();
                    segment.values(2, &mut out);
                    out
                })
            };
            assert_eq!(value(1), Some(vec![1.0, 2.0]));
            assert_eq!(value(2), None);
            assert_eq!(value(5), Some(vec![7.0, 7.0]));
            assert_eq!(value(last), Some(vec![3.0, -4.0]));
            for absent in [0, 3, 4, 6, last + 1, u32::MAX] {
                assert_eq!(value(absent), None, "feature {absent}");
            }
        }
    }

    #[test]
    fn an_empty_block_has_no_feature() {
        let bytes = BlockWriter::default().finish().unwrap();
        assert_eq!(Block::read(&bytes).feature_count(), 0);
        assert!(Block::read(&bytes).find(1).is_none());
    }
}
