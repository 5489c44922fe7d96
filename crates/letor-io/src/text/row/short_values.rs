//! The fast path for values: short numbers separated by single spaces, as in nearly all rows.
//!
//! The next value cannot be read before the end of this one is known, so the way to the end is short: sixteen bytes of
//! text are searched for a blank together. What the digits between mean is worked out beside.
//!
//! Rows with all features are read by a loop of their own, as the text of the next feature is known before it is read.
//! Most of their values have one digit: a branch that is foreseen. In rows with gaps, which leave out their zeros, it
//! would not be.

use super::digits::{LOOKAHEAD, digits_value, not_digits};
use super::feature_value::FeatureValue;
use super::marks::{Marks, find_marks};
use crate::decimal::POW10;
use crate::text::options::MAX_FEATURE;

/// `0 n:` as the first bytes of a little-endian word: a value of one digit, and the feature that is foreseen after it.
#[derive(Clone, Copy)]
struct ForeseenFeature {
    word: u64,
    mask: u64,
    /// The length of `n:`.
    len: usize,
}

impl ForeseenFeature {
    const fn new(feature: usize) -> Self {
        let (mut word, mut len, mut rest) = (b':' as u64, 1, feature);
        loop {
            word = word << 8 | (b'0' as u64 + rest as u64 % 10);
            (len, rest) = (len + 1, rest / 10);
            if rest == 0 {
                break;
            }
        }
        word = word << 16 | u16::from_le_bytes(*b"0 ") as u64;
        Self { word, mask: (1 << (8 * (len + 2))) - 1, len }
    }

    /// Whether `text` begins with `n:`.
    #[inline(always)]
    fn begins(&self, text: &[u8]) -> bool {
        (first_word(text) ^ self.word >> 16) & self.mask >> 16 == 0
    }

    /// Whether `text` begins with ` n:`.
    #[inline(always)]
    fn follows(&self, text: &[u8]) -> bool {
        (first_word(text) ^ self.word >> 8) & self.mask >> 8 == 0
    }

    /// The digit that `text` begins with, if ` n:` follows.
    #[inline(always)]
    fn digit_before(&self, text: &[u8]) -> Option<i64> {
        // Only the lowest byte may differ, and by no more than digits do.
        let digit = (first_word(text) ^ self.word) & self.mask;
        (digit < 10).then_some(digit as i64)
    }
}

/// Feature numbers below this are foreseen.
const FORESEEN: usize = 1024;

static FEATURES: [ForeseenFeature; FORESEEN] = {
    let mut features = [ForeseenFeature::new(0); FORESEEN];
    let mut number = 1;
    while number < FORESEEN {
        features[number] = ForeseenFeature::new(number);
        number += 1;
    }
    features
};

/// Appends the values from `at` on to `entries`: those with at most eight digits on either side of the decimal point,
/// without exponent or `+`, each separated by one space from the next. Stops at the end of the line, beyond `limit`, and
/// at the first value of another form or with a feature not above the one before it (`last` for the first): the slow
/// path reads that, and detects errors. Returns the start of the next token and the last feature read.
///
/// [`LOOKAHEAD`](super::LOOKAHEAD) bytes must follow the last line of `text`.
pub(super) fn read(text: &[u8], at: usize, last: u32, limit: usize, entries: &mut Vec<FeatureValue>) -> (usize, u32) {
    let (at, last) = read_successors(text, at, last, limit, entries);
    read_any(text, at, last, limit, entries)
}

/// [`read`], as far as each feature is the successor of the one before it. The text of the next one is known, so one
/// comparison finds it, the space before it, and often a value of one digit.
#[inline(always)]
fn read_successors(
    text: &[u8],
    mut at: usize,
    mut last: u32,
    limit: usize,
    entries: &mut Vec<FeatureValue>,
) -> (usize, u32) {
    let Some([first, successors @ ..]) = FEATURES.get(last as usize + 1..) else {
        return (at, last);
    };
    if !first.begins(&text[at..]) {
        return (at, last);
    }
    let mut value_at = at + first.len;
    for next in successors {
        if at > limit {
            break;
        }
        let text = lookahead_window(&text[value_at..]);
        let feature = last + 1;
        let len = if let Some(mantissa) = next.digit_before(text) {
            entries.push(FeatureValue { mantissa, feature, scale: 0 });
            1
        } else if let Some((mantissa, scale, len)) = parse_value(text)
            && next.follows(&text[len..])
        {
            entries.push(FeatureValue { mantissa, feature, scale });
            len
        } else {
            break;
        };
        (at, last) = (value_at + len + 1, feature);
        value_at = at + next.len;
    }
    (at, last)
}

/// [`read`], whatever the features are.
#[inline(always)]
fn read_any(text: &[u8], mut at: usize, mut last: u32, limit: usize, entries: &mut Vec<FeatureValue>) -> (usize, u32) {
    while at <= limit
        && let Some((feature, start)) = any_feature(&text[at..], last)
        && let Some((mantissa, scale, len)) = parse_value(lookahead_window(&text[at + start..]))
        && let end = at + start + len
        && matches!(text[end], b' ' | b'\t' | b'\r' | b'\n')
    {
        entries.push(FeatureValue { mantissa, feature, scale });
        (at, last) = (end, feature);
        if text[at] == b'\n' {
            break;
        }
        at += 1;
    }
    (at, last)
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
            let word = first_word(text);
            let count = not_digits(word).trailing_zeros() as usize / 8;
            if !(1..=7).contains(&count) || text[count] != b':' {
                return None;
            }
            (digits_value(word, count) as u32, count + 1)
        }
    };
    (last < feature && feature <= MAX_FEATURE).then_some((feature, len))
}

/// The mantissa, scale and length of the value that `text` begins with, if it is short. A blank or a control character
/// follows.
#[inline(always)]
fn parse_value(text: &[u8; LOOKAHEAD]) -> Option<(i64, i16, usize)> {
    let Marks { blanks, not_digits } = find_marks(first_word(text), first_word(&text[8..]));
    if blanks == 0 {
        return None;
    }
    let len = blanks.trailing_zeros() as usize;
    let (magnitude, scale) = match text[0] {
        b'-' => magnitude(&text[1..], not_digits >> 1, len.wrapping_sub(1))?,
        _ => magnitude(text, not_digits, len)?,
    };
    let mantissa = if text[0] == b'-' { -(magnitude as i64) } else { magnitude as i64 };
    Some((mantissa, scale as i16, len))
}

/// The mantissa and the scale of the first `len` bytes of `text`; the bits of `not_digits` mark the bytes that are not
/// digits.
#[inline(always)]
fn magnitude(text: &[u8], not_digits: u32, len: usize) -> Option<(u64, usize)> {
    let whole_digits = not_digits.trailing_zeros() as usize;
    if !(1..=8).contains(&whole_digits) {
        return None;
    }
    let first = digits_value(first_word(text), whole_digits);
    if whole_digits == len {
        return Some((first, 0));
    }
    let scale = len - whole_digits - 1;
    let next = (not_digits & (not_digits - 1)).trailing_zeros() as usize;
    if text[whole_digits] != b'.' || !(1..=8).contains(&scale) || next != len {
        return None;
    }
    let fraction = first_word(&text[whole_digits + 1..]);
    Some((first * POW10[scale] as u64 + digits_value(fraction, scale), scale))
}

/// The beginning of `text`, with its bounds checked once for all that is read there.
#[inline(always)]
fn lookahead_window(text: &[u8]) -> &[u8; LOOKAHEAD] {
    text.first_chunk().expect("`LOOKAHEAD` bytes follow a line")
}

#[inline(always)]
fn first_word(text: &[u8]) -> u64 {
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

    #[test]
    fn features_are_foreseen_by_their_text() {
        for (number, next) in FEATURES.iter().enumerate() {
            let text = format!("7 {number}:1.5 0:").into_bytes();
            assert_eq!(next.digit_before(&text), Some(7), "{number}");
            assert!(next.follows(&text[1..]) && next.begins(&text[2..]), "{number}");
            assert_eq!(text[next.len + 1], b':', "{number}");
            // With one byte changed, no text is mistaken for the number.
            for at in 0..next.len + 2 {
                for byte in (0..=u8::MAX).filter(|&byte| byte != text[at]) {
                    let mut text = text.clone();
                    text[at] = byte;
                    let digit = (at == 0 && byte.is_ascii_digit()).then(|| i64::from(byte - b'0'));
                    assert_eq!(next.digit_before(&text), digit, "{number}, {byte} at {at}");
                    assert_eq!(next.follows(&text[1..]), at == 0, "{number}, {byte} at {at}");
                    assert_eq!(next.begins(&text[2..]), at < 2, "{number}, {byte} at {at}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn foreseen_features_change_nothing(
            first in prop_oneof![Just(0u32), 0u32..200, 980u32..1030],
            row in prop::collection::vec((prop_oneof![19 => Just(1u32), 1 => 0u32..3], values(), 0u32..100), 1..60),
            odd in "[ \t\r\n#:\\x00-\\x1f.e-]{0,2}",
            end in prop::sample::select(vec!["\n", " \n", "\r\n", " # 7\n", "#7\n"]),
            limit in prop_oneof![Just(usize::MAX), 0usize..300],
        ) {
            let (mut text, mut feature) = (String::new(), first);
            for (gap, value, place) in &row {
                feature += gap;
                // Few blanks are odd, and few values long: most rows are read far.
                let value = if place % 3 == 0 { &value[..] } else { &value[..value.len().min(1)] };
                text += &format!("{feature}:{value}{}", if *place == 7 { &odd } else { " " });
            }
            text.truncate(text.trim_end_matches(' ').len());
            text += end;
            let mut text = text.into_bytes();
            text.resize(text.len() + LOOKAHEAD, b'\n');

            let (mut entries, mut plain) = (Vec::new(), Vec::new());
            prop_assert_eq!(
                read(&text, 0, first, limit, &mut entries),
                read_any(&text, 0, first, limit, &mut plain)
            );
            let parts = |entries: &[FeatureValue]| entries.iter().map(|e| (e.feature, e.mantissa, e.scale)).collect::<Vec<_>>();
            prop_assert_eq!(parts(&entries), parts(&plain));
        }

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
