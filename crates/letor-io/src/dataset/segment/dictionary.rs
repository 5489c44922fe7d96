//! The distinct values of a column with few of them, and each value's place among them.

use super::DICTIONARY;

/// Finds the distinct values of a column. Reused for every column.
#[derive(Debug)]
pub(in crate::dataset) struct Dictionary {
    /// A hash table of the values; [`FREE`] where there is none.
    table: [u64; SLOTS],
    /// The distinct values, ascending.
    values: Vec<u64>,
    /// For each value of the column, its slot in the table.
    slots: Vec<u8>,
    /// For each slot in use, the place of its value in `values`.
    codes: [u8; SLOTS],
}

/// Four times as many slots as values, so that most values are found in the first slot they are looked for.
const SLOTS: usize = 4 * DICTIONARY;

/// No offset: the range of the finite floats is smaller.
const FREE: u64 = u64::MAX;

impl Default for Dictionary {
    fn default() -> Self {
        Self { table: [FREE; SLOTS], values: Vec::new(), slots: Vec::new(), codes: [0; SLOTS] }
    }
}

impl Dictionary {
    /// Finds the distinct values of a column of `count` values, all below [`FREE`]; returns false if there are more than
    /// [`DICTIONARY`].
    #[inline]
    pub(super) fn find(&mut self, count: usize, value: impl Fn(usize) -> u64) -> bool {
        self.table = [FREE; SLOTS];
        self.values.clear();
        self.slots.resize(count, 0);
        for (at, place) in self.slots.iter_mut().enumerate() {
            let value = value(at);
            let mut slot = first_slot(value);
            while self.table[slot] != value {
                if self.table[slot] == FREE {
                    if self.values.len() == DICTIONARY {
                        return false;
                    }
                    self.table[slot] = value;
                    self.values.push(value);
                    break;
                }
                slot = (slot + 1) % SLOTS;
            }
            *place = slot as u8;
        }
        self.values.sort_unstable();
        for (slot, &value) in self.table.iter().enumerate().filter(|&(_, &value)| value != FREE) {
            self.codes[slot] = self.values.partition_point(|&lower| lower < value) as u8;
        }
        true
    }

    /// The distinct values found, ascending.
    pub(super) fn values(&self) -> &[u64] {
        &self.values
    }

    /// For each value of the column, its place among the distinct values.
    pub(super) fn codes(&self) -> impl Iterator<Item = u64> {
        self.slots.iter().map(|&slot| u64::from(self.codes[usize::from(slot) % SLOTS]))
    }
}

/// The slot at which the search for `value` begins: the highest bits of a product that all bits of the value reach.
#[inline(always)]
fn first_slot(value: u64) -> usize {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    (value.wrapping_mul(GOLDEN) >> (u64::BITS - SLOTS.ilog2())) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_values_are_those_of_a_sorted_set(
            of in prop::collection::vec(any::<u64>().prop_map(|value| value >> (value % 64) >> 1), 1..24),
            picks in prop::collection::vec(any::<prop::sample::Index>(), 1..200),
        ) {
            let column: Vec<u64> = picks.iter().map(|pick| *pick.get(&of)).collect();
            let distinct: Vec<u64> = column.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
            let mut dictionary = Dictionary::default();
            // Whatever was found before.
            dictionary.find(300, |at| at as u64 * 7);
            let found = dictionary.find(column.len(), |at| column[at]);
            prop_assert_eq!(found, distinct.len() <= DICTIONARY);
            if found {
                prop_assert_eq!(dictionary.values(), &distinct);
                let again: Vec<u64> = dictionary.codes().map(|code| distinct[code as usize]).collect();
                prop_assert_eq!(again, column);
            }
        }
    }
}
