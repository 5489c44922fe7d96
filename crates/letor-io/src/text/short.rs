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
}

/// Feature numbers that are recognised as the one after the last, without reading their digits.
const PREFIXES: usize = 1024;

static PREFIX: [Prefix; PREFIXES] = {
    let mut prefixes = [Prefix { word: 0, mask: 0 }; PREFIXES];
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
        prefixes[number] = Prefix { word, mask: (1 << (8 * len)) - 1 };
        number += 1;
    }
    prefixes
};

/// A bit for each byte that may follow a value here.
const BLANKS: u64 = 1 << b' ' | 1 << b'\t' | 1 << b'\r' | 1 << b'\n';

impl<'a> ShortValues<'a> {
    /// For the values between `base` and the line's end, `len` bytes on.
    pub(super) fn new(text: &'a [u8], base: usize, len: usize, index: &'a mut Index) -> Self {
        let ends = index.of_line(text, base, base + len);
        Self { line: &text[base..base + len + LOOKAHEAD], base, ends }
    }

    /// For a line from `base` on that is left to the long road.
    pub(super) fn none(base: usize) -> Self {
        Self { line: &[], base, ends: &[] }
    }

    /// Appends the values from `at` on, as far as they are short, in one blank's distance, and of
    /// features above `last` that ascend; returns where the next token starts and the last feature.
    pub(super) fn read(&mut self, at: usize, mut last: u32, entries: &mut Vec<Entry>) -> (usize, u32) {
        let (line, mut at) = (self.line, at - self.base);
        // Behind what the long road has read.
        let passed = self.ends.iter().take_while(|&&end| (end as usize) < at).count();
        let mut ends = &self.ends[passed..];
        while let &[first, second, third, fourth, ..] = ends {
            // Where the feature, and where the number in front of the point ends.
            let Some((feature, mut start)) = feature(line, at, last, first as usize) else {
                break;
            };
            let (mut stop, mut next, mut rest) = (second as usize, third as usize, &ends[2..]);
            let negative = line[start] == b'-';
            if negative {
                (start, stop, next, rest) = (start + 1, next, fourth as usize, &ends[3..]);
            }
            let whole = stop.wrapping_sub(start);
            if !(1..=8).contains(&whole) {
                break;
            }
            let mut scale = 0;
            let mantissa = if line[stop] != b'.' {
                digits(word(line, start), whole)
            } else {
                scale = next.wrapping_sub(stop + 1);
                let mantissa = if scale.wrapping_sub(1) < 8 - whole {
                    // The fraction moves up one byte, over the point.
                    let first = (1 << (8 * whole)) - 1;
                    let word = word(line, start) & first | word(line, start + 1) & !first;
                    digits(word, whole + scale)
                } else if (1..=8).contains(&scale) {
                    let whole = digits(word(line, start), whole);
                    whole * POW10[scale] as u64 + digits(word(line, stop + 1), scale)
                } else {
                    break;
                };
                (stop, rest) = (next, &rest[1..]);
                mantissa
            };
            let end = line[stop];
            if end >= 64 || BLANKS >> end & 1 == 0 {
                break;
            }
            let mantissa = if negative { -(mantissa as i64) } else { mantissa as i64 };
            entries.push(Entry { mantissa, feature, scale: scale as i16 });
            if end == b'\n' {
                (at, ends) = (stop, &[]);
                break;
            }
            (at, last, ends) = (stop + 1, feature, rest);
        }
        self.ends = ends;
        (self.base + at, last)
    }
}

/// The feature number at `at`, above `last`, and the position behind its colon; `end` is where its
/// digits end.
#[inline(always)]
fn feature(line: &[u8], at: usize, last: u32, end: usize) -> Option<(u32, usize)> {
    let word = word(line, at);
    if let Some(next) = PREFIX.get(last as usize + 1)
        && word & next.mask == next.word
    {
        return Some((last + 1, end + 1));
    }
    let count = end.wrapping_sub(at);
    if !(1..=7).contains(&count) || line[end] != b':' {
        return None;
    }
    let feature = digits(word, count) as u32;
    (last < feature && feature <= MAX_FEATURE).then_some((feature, end + 1))
}

#[inline(always)]
fn word(line: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(*line[at..].first_chunk().expect("a line is followed by many bytes"))
}
