//! The fast path for values: short numbers separated by single spaces, as in nearly all rows.
//!
//! The next value cannot be read before the end of this one is known, so the way to the end is short: sixteen bytes of
//! text are searched for a blank together. What the digits between mean is worked out beside.
//!
//! In rows with all features most values have one digit: a branch that is foreseen. In rows with gaps, which leave out
//! their zeros, it would not be.

use super::digits::{digits, not_digits};
use super::entry::Entry;
use super::marks::{Marks, marks};
use crate::decimal::POW10;
use crate::text::options::MAX_FEATURE;

/// `n:` as the first bytes of a little-endian word.
#[derive(Clone, Copy)]
struct Prefix {
    word: u64,
    mask: u64,
    len: usize,
}

/// Feature numbers below this are recognised as the successor of the last one without parsing their digits.
const PREFIXES: usize = 1024;

static PREFIX: [Prefix; PREFIXES] = {
    let mut prefixes = [Prefix { word: 0, mask: 0, len: 0 }; PREFIXES];
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
        prefixes[number] = Prefix { word, mask: (1 << (8 * len)) - 1, len };
        number += 1;
    }
    prefixes
};

/// Appends the values from `at` on to `entries`: those with at most eight digits on either side of the decimal point,
/// without exponent or `+`, each separated by one space from the next. Stops at the end of the line, beyond `limit`, and
/// at the first value that is anything else or whose feature is not above the one before it (`last` for the first): the
/// slow path reads that, and detects errors. Returns the start of the next token and the last feature read.
///
/// [`LOOKAHEAD`](super::LOOKAHEAD) bytes must follow the last line of `text`.
pub(super) fn read(text: &[u8], at: usize, last: u32, limit: usize, entries: &mut Vec<Entry>) -> (usize, u32) {
    let (at, last) = read_features::<true>(text, at, last, limit, entries, successor);
    read_features::<false>(text, at, last, limit, entries, any_feature)
}

/// [`read`], as far as `feature` finds the number of the next feature, given the text from there and the last one; it
/// returns the number and the length of its text. Values of one digit have a branch of their own if `ONE_DIGIT`.
#[inline(always)]
fn read_features<const ONE_DIGIT: bool>(
    text: &[u8],
    mut at: usize,
    mut last: u32,
    limit: usize,
    entries: &mut Vec<Entry>,
    feature: impl Fn(&[u8], u32) -> Option<(u32, usize)>,
) -> (usize, u32) {
    while at <= limit
        && let Some((feature, len)) = feature(&text[at..], last)
        && let Some((mantissa, scale, len)) = value::<ONE_DIGIT>(&text[at + len..]).map(|(m, s, l)| (m, s, len + l))
    {
        entries.push(Entry { mantissa, feature, scale });
        (at, last) = (at + len, feature);
        if text[at] == b'\n' {
            break;
        }
        at += 1;
    }
    (at, last)
}

/// The feature after `last`, if `text` begins with it.
#[inline(always)]
fn successor(text: &[u8], last: u32) -> Option<(u32, usize)> {
    let next = PREFIX.get(last as usize + 1)?;
    (word(text) & next.mask == next.word).then_some((last + 1, next.len))
}

/// The feature that `text` begins with, if it is above `last`.
#[inline(always)]
fn any_feature(text: &[u8], last: u32) -> Option<(u32, usize)> {
    let digit = |byte: u8| u32::from(byte.wrapping_sub(b'0'));
    // Most numbers have as many digits as the one before: three branches that are foreseen.
    let (feature, len) = match *text {
        [a, b':', ..] if digit(a) < 10 => (digit(a), 2),
        [a, b, b':', ..] if digit(a) < 10 && digit(b) < 10 => (10 * digit(a) + digit(b), 3),
        [a, b, c, b':', ..] if digit(a) < 10 && digit(b) < 10 && digit(c) < 10 => {
            (100 * digit(a) + 10 * digit(b) + digit(c), 4)
        }
        _ => {
            let word = word(text);
            let count = not_digits(word).trailing_zeros() as usize / 8;
            if !(1..=7).contains(&count) || text[count] != b':' {
                return None;
            }
            (digits(word, count) as u32, count + 1)
        }
    };
    (last < feature && feature <= MAX_FEATURE).then_some((feature, len))
}

/// The mantissa, scale and length of the value that `text` begins with, if it is short and a blank follows.
#[inline(always)]
fn value<const ONE_DIGIT: bool>(text: &[u8]) -> Option<(i64, i16, usize)> {
    const ZERO: u16 = u16::from_le_bytes(*b"0 ");
    let [first, second] = [word(text), word(&text[8..])];
    if ONE_DIGIT {
        let one = first as u16 ^ ZERO;
        if one < 10 {
            return Some((i64::from(one), 0, 1));
        }
    }
    let Marks { blanks, not_digits } = marks(first, second);
    if blanks == 0 {
        return None;
    }
    let len = blanks.trailing_zeros() as usize;
    if !matches!(text[len], b' ' | b'\t' | b'\r' | b'\n') {
        return None;
    }
    let (magnitude, scale) = match text[0] {
        b'-' => magnitude(&text[1..], not_digits >> 1, len.wrapping_sub(1))?,
        _ => magnitude(text, not_digits, len)?,
    };
    let mantissa = if text[0] == b'-' { -(magnitude as i64) } else { magnitude as i64 };
    Some((mantissa, scale as i16, len))
}

/// The mantissa and the scale of the `len` bytes that `text` begins with, and whose bits in `not_digits` say which are not
/// digits.
#[inline(always)]
fn magnitude(text: &[u8], not_digits: u32, len: usize) -> Option<(u64, usize)> {
    let whole = not_digits.trailing_zeros() as usize;
    if !(1..=8).contains(&whole) {
        return None;
    }
    let first = digits(word(text), whole);
    if whole == len {
        return Some((first, 0));
    }
    let scale = len - whole - 1;
    let next = (not_digits & (not_digits - 1)).trailing_zeros() as usize;
    if text[whole] != b'.' || !(1..=8).contains(&scale) || next != len {
        return None;
    }
    let fraction = word(&text[whole + 1..]);
    Some((first * POW10[scale] as u64 + digits(fraction, scale), scale))
}

#[inline(always)]
fn word(text: &[u8]) -> u64 {
    u64::from_le_bytes(*text.first_chunk().expect("`LOOKAHEAD` bytes follow a line"))
}

#[cfg(test)]
mod tests {
    use super::super::LOOKAHEAD;
    use super::super::token::{read_feature, read_value};
    use super::*;
    use crate::text::options::ReadOptions;
    use proptest::prelude::*;

    /// Whether `value` is one that the fast path promises to read.
    fn is_short(value: &str) -> bool {
        let digits = |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        let magnitude = value.strip_prefix('-').unwrap_or(value);
        let (whole, fraction) = magnitude.split_once('.').unwrap_or((magnitude, "0"));
        digits(whole) && digits(fraction) && value.len() < 16
    }

    fn values() -> impl Strategy<Value = String> {
        prop_oneof![
            "[0-9]",
            "-?[0-9]{1,9}",
            "-?[0-9]{1,3}\\.[0-9]{1,8}",
            "-?[0-9]{1,9}\\.[0-9]{0,9}",
            "[-+.e0-9x]{0,6}",
            "[0-9]{1,3}[^ 0-9\n]{1,2}",
        ]
    }

    proptest! {
        #[test]
        fn values_are_those_of_the_slow_path(
            row in prop::collection::vec((prop_oneof![Just(1u32), 1u32..200, 1u32..200_000], values()), 1..12),
            blank in "[ \t\r]{1,2}",
            ends in prop::sample::select(vec!["\n", " \n", "\r\n", " # 7\n", "#7\n"]),
            limit in prop_oneof![Just(usize::MAX), 0usize..60],
        ) {
            let (mut text, mut feature, mut tokens) = (String::from("0 "), 0, Vec::new());
            for (index, (gap, value)) in row.iter().enumerate() {
                feature += gap;
                tokens.push((text.len(), feature, value));
                // One of the blanks is odd.
                text += &format!("{feature}:{value}{}", if index == 3 { &blank } else { " " });
            }
            text.truncate(text.len() - 1);
            text += ends;
            let mut text = text.into_bytes();
            text.resize(text.len() + LOOKAHEAD, b'\n');

            let mut entries = Vec::new();
            let (at, last) = read(&text, 2, 0, limit, &mut entries);
            let (mut plain, mut from) = (2, 0);
            for (entry, &(start, ..)) in entries.iter().zip(&tokens) {
                prop_assert_eq!(plain, start);
                let (feature, value) = read_feature(&text, plain, from).unwrap();
                let (exact, end) = read_value(&text, value, feature, &ReadOptions::default()).unwrap();
                prop_assert_eq!(entry.feature, feature);
                prop_assert_eq!(entry.value().compare(exact), std::cmp::Ordering::Equal, "{:?} {:?}", entry, exact);
                prop_assert!(plain <= limit);
                (plain, from) = (end + usize::from(text[end] != b'\n'), feature);
            }
            prop_assert_eq!((at, last), (plain, from));
            // Whatever is left is not for the fast path.
            if let Some(&(start, feature, value)) = tokens.get(entries.len()) {
                let blank = text[start + feature.to_string().len() + 1 + value.len()];
                let read = start == at && start <= limit && is_short(value) && blank != b'#' && feature <= MAX_FEATURE;
                prop_assert!(!read, "{feature}:{value} was left at {at}");
            }
        }
    }
}
