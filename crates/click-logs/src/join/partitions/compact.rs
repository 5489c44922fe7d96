//! Merges copies of a line that come soon after each other, as logs with at-least-once delivery have them: one record stands
//! for all of them before it is written to a file. Which copies meet depends on memory and order; the result does not.

use crate::join::record::{CLICK_BYTES, ClickRecord, ImpressionRecord, MAX_COPIES};

/// Impressions without origins.
pub(in crate::join) fn impressions(bytes: &mut Vec<u8>) {
    let mut records = RecordIndex::new(bytes.len() / 64);
    let mut bytes_kept: usize = 0;
    let mut offset = 0;
    while let Some(record) = ImpressionRecord::first(&bytes[offset..], false) {
        let (length, id, copies, place_of_copies) =
            (record.length(), record.id(), record.copies(), record.place_of_copies());
        let is_copy = |other_offset: usize| {
            let other = ImpressionRecord::first(&bytes[other_offset..bytes_kept], false);
            other.is_some_and(|other| other.content() == record.content() && other.copies() + copies <= MAX_COPIES)
        };
        match records.find(id, bytes_kept, is_copy) {
            Some(other_offset) => bytes[other_offset + place_of_copies] += copies,
            None => {
                bytes.copy_within(offset..offset + length, bytes_kept);
                bytes_kept += length;
            }
        }
        offset += length;
    }
    bytes.truncate(bytes_kept);
}

/// Clicks without origins.
pub(in crate::join) fn clicks(bytes: &mut Vec<u8>) {
    let mut records = RecordIndex::new(bytes.len() / CLICK_BYTES);
    let mut bytes_kept: usize = 0;
    for offset in (0..bytes.len()).step_by(CLICK_BYTES) {
        let click = ClickRecord::read(&bytes[offset..offset + CLICK_BYTES]);
        let is_copy = |other_offset: usize| {
            let other = ClickRecord::read(&bytes[other_offset..other_offset + CLICK_BYTES]);
            let content = |click: &ClickRecord| (click.id, click.document, click.time, click.is_satisfied);
            content(&other) == content(&click) && other.copies + click.copies <= MAX_COPIES
        };
        match records.find(click.id, bytes_kept, is_copy) {
            // Its copies are the lower bits of its last byte.
            Some(other_offset) => bytes[other_offset + CLICK_BYTES - 1] += click.copies,
            None => {
                bytes.copy_within(offset..offset + CLICK_BYTES, bytes_kept);
                bytes_kept += CLICK_BYTES;
            }
        }
    }
    bytes.truncate(bytes_kept);
}

/// Where records are, by their ids.
struct RecordIndex {
    slots: Vec<usize>,
}

/// The number of slots searched: if many records share an id, not all of their copies meet.
const MAX_PROBES: usize = 8;
const EMPTY_SLOT: usize = usize::MAX;

impl RecordIndex {
    /// For this number of records.
    fn new(records: usize) -> Self {
        Self { slots: vec![EMPTY_SLOT; (2 * records).next_power_of_two().max(64)] }
    }

    /// The place of an earlier record with this id that this one is a copy of; if there is none, the record will be at
    /// `offset`.
    fn find(&mut self, id: u128, offset: usize, is_copy: impl Fn(usize) -> bool) -> Option<usize> {
        let mask = self.slots.len() - 1;
        for step in 0..MAX_PROBES {
            // The lower bits chose the partition.
            let slot = ((id >> 32) as usize + step) & mask;
            match self.slots[slot] {
                EMPTY_SLOT => {
                    self.slots[slot] = offset;
                    return None;
                }
                other if is_copy(other) => return Some(other),
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::join::record::NewImpression;

    fn impression(number: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        let new = NewImpression {
            id: u128::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060) & ((1 << 96) - 1),
            time: number as i64,
            unit: 5,
            lineup: 0,
            is_known_bot: false,
            documents: &[1, 2, number],
            is_wide: false,
            oddities: Default::default(),
            credit: &[0, 1, 0],
            has_teams: true,
            origin: None,
        };
        new.write(&mut bytes);
        bytes
    }

    #[test]
    fn copies_become_one_record() {
        // Each number once more than the next one, in turns.
        let numbers = (0..40_u64).flat_map(|round| 0..40 - round);
        let mut bytes: Vec<u8> = numbers.clone().flat_map(impression).collect();
        impressions(&mut bytes);
        let found: Vec<(i64, u8)> =
            ImpressionRecord::all(&bytes, false).map(|record| (record.time(), record.copies())).collect();
        let expected: Vec<(i64, u8)> = (0..40).map(|number| (number, 40 - number as u8)).collect();
        assert_eq!(found, expected);
        // Once more, with numbers that exceed a byte.
        let mut again = bytes.repeat(8);
        impressions(&mut again);
        let mut sums = [0; 40];
        ImpressionRecord::all(&again, false)
            .for_each(|record| sums[record.time() as usize] += u32::from(record.copies()));
        assert_eq!(sums.to_vec(), (0..40).map(|number| 8 * (40 - number)).collect::<Vec<u32>>());
    }

    #[test]
    fn clicks_on_one_impression_keep_their_number() {
        let click = |number: u64| ClickRecord {
            id: 3,
            document: number % 50,
            time: 7,
            is_satisfied: number.is_multiple_of(2),
            copies: 1,
            origin: None,
        };
        let mut bytes = Vec::new();
        (0..10_000).for_each(|number| click(number).write(&mut bytes));
        clicks(&mut bytes);
        let mut sums = [0_u32; 50];
        let found = bytes.chunks_exact(CLICK_BYTES).map(ClickRecord::read);
        found.clone().for_each(|click| sums[click.document as usize] += u32::from(click.copies));
        assert_eq!(sums, [200; 50]);
        assert!(found.clone().all(|click| click.is_satisfied == (click.document % 2 == 0)));
        assert!(found.len() < 10_000, "{}", found.len());
    }
}
