//! The fast path for values: short numbers separated by single spaces, as in nearly all rows.

use super::digits::{LOOKAHEAD, NonDigits, digits};
use super::entry::Entry;
use crate::decimal::POW10;
use crate::text::options::MAX_FEATURE;

/// Reads values with at most eight digits on either side of the decimal point, without exponent or `+`, each
/// followed by a space. Leaves everything else to the slow path, which also detects errors.
pub(super) struct ShortValues<'a> {
    /// The text from the first value to [`LOOKAHEAD`] bytes after the end of the line.
    line: &'a [u8],
    /// The start of `line` in the text.
    base: usize,
    /// The positions in `line` of all bytes that are not digits.
    ends: &'a [u32],
}

/// `n:` as the first bytes of a little-endian word.
#[derive(Clone, Copy)]
struct Prefix {
    word: u64,
    mask: u64,
}

/// Feature numbers below this are recognised as the successor of the last one without parsing their digits.
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

/// A bit for each byte that may follow a value.
const BLANKS: u64 = 1 << b' ' | 1 << b'\t' | 1 << b'\r' | 1 << b'\n';

impl<'a> ShortValues<'a> {
    /// For the values from `base` to the end of the line, `len` bytes later.
    pub(super) fn new(text: &'a [u8], base: usize, len: usize, non_digits: &'a mut NonDigits) -> Self {
        let ends = non_digits.of_line(text, base, base + len);
        Self { line: &text[base..base + len + LOOKAHEAD], base, ends }
    }

    /// For a line that is left to the slow path from `base` on.
    pub(super) fn none(base: usize) -> Self {
        Self { line: &[], base, ends: &[] }
    }

    /// Appends the values from `at` on to `entries`, up to the first one that is not short, not separated by one
    /// space, or whose feature is not above the one before it (`last` for the first). Returns the start of the next
    /// token and the last feature read.
    pub(super) fn read(&mut self, at: usize, mut last: u32, entries: &mut Vec<Entry>) -> (usize, u32) {
        let (line, mut at) = (self.line, at - self.base);
        // Skips what the slow path has read.
        let passed = self.ends.iter().take_while(|&&end| (end as usize) < at).count();
        let mut ends = &self.ends[passed..];
        while let &[first, second, third, fourth, ..] = ends {
            // The ends of the feature number and of the digits before the decimal point.
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
                    // Removes the decimal point by moving the fraction down by one byte.
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

/// The feature number at `at` and the position after its colon, if the number is above `last`; `end` is the end of
/// its digits.
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
    u64::from_le_bytes(*line[at..].first_chunk().expect("`LOOKAHEAD` bytes follow a line"))
}
