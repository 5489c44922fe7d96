//! The fast road for values: short numbers, one after the other, as nearly all rows have them.

use super::index::{Index, LOOKAHEAD, digits};
use super::options::MAX_FEATURE;
use super::row::Entry;
use crate::decimal::POW10;

/// Reads values with at most eight digits on either side of the point, no exponent and no `+`, followed
/// by a blank. Everything else is left to the long road, which knows what may be wrong.
pub(super) struct ShortValues<'a> {
    /// From the first value to the line's end and beyond.
    line: &'a [u8],
    /// Where that begins in the text.
    base: usize,
    /// Positions in `line` of the bytes that are no digits.
    ends: &'a [u32],
}

/// How `n:` looks as the first bytes of a little-endian word.
#[derive(Clone, Copy)]
struct Prefix {
    word: u64,
    mask: u64,
    len: u32,
}

/// Feature numbers that are recognised as the one after the last, without reading their digits.
const PREFIXES: usize = 1024;

static PREFIX: [Prefix; PREFIXES] = {
    let mut prefixes = [Prefix {
        word: 0,
        mask: 0,
        len: 0,
    }; PREFIXES];
    let mut number = 0;
    while number < PREFIXES {
        let (mut word, mut len, mut rest) = (b':' as u64, 1, number);
        loop {
            word = word << 8 | (b'0' as u64 + rest as u64 % 10);
            (len, rest) = (len + 1, rest / 10);
            if rest == 0 {
                break;
            }
        }
        prefixes[number] = Prefix {
            word,
            mask: (1 << (8 * len)) - 1,
            len: len as u32,
        };
        number += 1;
    }
    prefixes
};

impl<'a> ShortValues<'a> {
    /// For the values between `base` and the line's end, `len` bytes on.
    pub(super) fn new(text: &'a [u8], base: usize, len: usize, index: &'a mut Index) -> Self {
        let ends = index.of_line(text, base, base + len);
        Self {
            line: &text[base..base + len + LOOKAHEAD],
            base,
            ends,
        }
    }

    /// Appends the values from `at` on, as far as they are short, in one blank's distance, and of
    /// features above `last` that ascend; returns where the next token starts and the last feature.
    pub(super) fn read(
        &mut self,
        at: usize,
        mut last: u32,
        entries: &mut Vec<Entry>,
    ) -> (usize, u32) {
        let mut at = at - self.base;
        // Behind what the long road has read.
        let passed = self
            .ends
            .iter()
            .take_while(|&&end| (end as usize) < at)
            .count();
        self.ends = &self.ends[passed..];
        let mut number = 0;
        while let Some((entry, next, passed)) = self.one(at, last, number) {
            entries.push(entry);
            (at, last, number) = (next, entry.feature, number + passed);
        }
        self.ends = &self.ends[number..];
        (self.base + at, last)
    }

    /// The value at `at`, where the next one starts, and how many ends come before that.
    #[inline(always)]
    fn one(&self, at: usize, last: u32, number: usize) -> Option<(Entry, usize, usize)> {
        let ends: &[u32; 5] = self.ends.get(number..)?.first_chunk()?;
        let (feature, mut start) = self.feature(at, last, ends[0] as usize)?;
        let mut passed = 1;
        let negative = self.line[start] == b'-';
        if negative {
            (start, passed) = (start + 1, 2);
        }
        let mut stop = ends[passed] as usize;
        let whole = stop - start;
        if !(1..=8).contains(&whole) {
            return None;
        }
        let (mut mantissa, mut scale) = (0, 0);
        if self.line[stop] == b'.' {
            let point = stop;
            passed += 1;
            stop = ends[passed] as usize;
            scale = stop - point - 1;
            if scale == 0 {
                return None;
            } else if whole + scale <= 8 {
                // The fraction moves up one byte, over the point.
                let first = (1 << (8 * whole)) - 1;
                let word = self.word(start) & first | self.word(start + 1) & !first;
                mantissa = digits(word, whole + scale);
            } else if scale <= 8 {
                mantissa = digits(self.word(start), whole) * POW10[scale] as u64;
                mantissa += digits(self.word(point + 1), scale);
            } else {
                return None;
            }
        } else {
            mantissa += digits(self.word(start), whole);
        }
        let blank = match self.line[stop] {
            b' ' | b'\t' | b'\r' => 1,
            b'\n' => 0,
            _ => return None,
        };
        let mantissa = if negative {
            -(mantissa as i64)
        } else {
            mantissa as i64
        };
        Some((
            Entry {
                mantissa,
                feature,
                scale: scale as i16,
            },
            stop + blank,
            passed + blank,
        ))
    }

    /// The feature number at `at`, above `last`, and the position behind its colon; `end` is where its
    /// digits end.
    #[inline(always)]
    fn feature(&self, at: usize, last: u32, end: usize) -> Option<(u32, usize)> {
        let word = self.word(at);
        if let Some(next) = PREFIX.get(last as usize + 1)
            && word & next.mask == next.word
        {
            return Some((last + 1, at + next.len as usize));
        }
        let count = end.wrapping_sub(at);
        if !(1..=7).contains(&count) || self.line[end] != b':' {
            return None;
        }
        let feature = digits(word, count) as u32;
        (last < feature && feature <= MAX_FEATURE).then_some((feature, end + 1))
    }

    #[inline(always)]
    fn word(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.line[at..at + 8].try_into().expect("eight bytes"))
    }
}
