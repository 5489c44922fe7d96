//! Numbers the names in a table, and finds likely typing errors in them.

use std::collections::BTreeMap;

use super::error::quoted;
use crate::text::count;

/// Names in the order in which they come.
#[derive(Default)]
pub(super) struct Numbering {
    pub(super) texts: Vec<String>,
    numbers: BTreeMap<String, u32>,
}

/// More notes of a kind are not read.
const MAX_NOTES: usize = 3;

/// A name is rare if it has at most this many judgements,
const RARE: u64 = 3;
/// and another has this many times as many.
const MIN_RATIO: u64 = 8;

/// Shorter names differ by a letter on purpose.
const MIN_NAME_LENGTH: usize = 4;

impl Numbering {
    pub(super) fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.numbers.insert(text.to_owned(), number);
        self.texts.push(text.to_owned());
        number
    }

    /// A note for each group of names that differ only in case, spaces or hyphens. `noun` is the thing that they name,
    /// in the plural.
    pub(super) fn nearly_equal(&self, noun: &str) -> Vec<String> {
        nearly_equal(self.texts.iter().map(String::as_str), noun)
    }

    /// A note for each name that few judgements have, one letter away from one that many have. `numbers` are the names of the judgements.
    pub(super) fn typos(&self, numbers: impl IntoIterator<Item = u32>) -> Vec<String> {
        let mut counts = vec![0_u64; self.texts.len()];
        numbers.into_iter().for_each(|number| counts[number as usize] += 1);
        let letters: Vec<Vec<char>> = self.texts.iter().map(|text| text.chars().collect()).collect();
        let rare: Vec<usize> = (0..counts.len()).filter(|name| (1..=RARE).contains(&counts[*name])).collect();
        // Names that are one letter apart share the rest after removing a letter of each, or the rest is the shorter one: only these are
        // compared, because a table may have as many judges as rows.
        let mut by_rest: BTreeMap<Vec<char>, Vec<usize>> = BTreeMap::new();
        for name in (0..counts.len()).filter(|name| counts[*name] >= MIN_RATIO) {
            for with_gap in with_one_gap(&letters[name]) {
                by_rest.entry(with_gap).or_default().push(name);
            }
        }
        let note = |rare: usize| {
            let is_meant = |likely_spelling: &&usize| {
                counts[**likely_spelling] >= MIN_RATIO * counts[rare]
                    && is_one_letter_away(&letters[rare], &letters[**likely_spelling])
            };
            let alike = with_one_gap(&letters[rare]).filter_map(|with_gap| by_rest.get(&with_gap)).flatten();
            let likely_spelling =
                *alike.filter(is_meant).max_by_key(|likely_spelling| (counts[**likely_spelling], **likely_spelling))?;
            Some(format!(
                "{} ({}) differs from {} ({}) by one letter: a typo?",
                quoted(&self.texts[rare]),
                count(counts[rare], "judgement", "judgements"),
                quoted(&self.texts[likely_spelling]),
                counts[likely_spelling]
            ))
        };
        rare.into_iter().filter_map(note).take(MAX_NOTES).collect()
    }
}

/// A name, and its rests without one of its letters.
fn with_one_gap(name: &[char]) -> impl Iterator<Item = Vec<char>> {
    let gapped = (0..name.len()).map(|index| [&name[..index], &name[index + 1..]].concat());
    std::iter::once(name.to_vec()).chain(gapped)
}

/// A note for each group of names that differ only in case, spaces or hyphens; `noun` is the thing that they name, in
/// the plural.
pub fn nearly_equal<'a>(names: impl IntoIterator<Item = &'a str>, noun: &str) -> Vec<String> {
    let group_text = |group: Vec<&str>| group.into_iter().map(quoted).collect::<Vec<_>>().join(" and ");
    let groups = letor_io::nearly_equal(names).into_iter().take(MAX_NOTES);
    groups.map(|group| format!("{} count as different {noun}", group_text(group))).collect()
}

/// Whether inserting, deleting or replacing a letter, or swapping two, turns one name into the other. Numbers of versions differ on
/// purpose, and so does a letter behind a digit.
fn is_one_letter_away(name: &[char], other_name: &[char]) -> bool {
    let (shorter, longer) = if name.len() <= other_name.len() { (name, other_name) } else { (other_name, name) };
    if shorter.len() < MIN_NAME_LENGTH || longer.len() - shorter.len() > 1 {
        return false;
    }
    let start = shorter.iter().zip(longer).take_while(|(a, b)| a == b).count();
    let end = shorter[start..].iter().rev().zip(longer[start..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (removed, added) = (&shorter[start..shorter.len() - end], &longer[start..longer.len() - end]);
    let is_one = match (removed, added) {
        ([], [_]) | ([_], [_]) => true,
        ([a, b], [c, d]) => (a, b) == (d, c),
        _ => false,
    };
    let previous_letter = start.checked_sub(1).map(|at| shorter[at]);
    is_one && removed.iter().chain(added).all(|c| c.is_alphabetic()) && !previous_letter.is_some_and(char::is_numeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_letter_is_told_from_more_and_from_versions() {
        let away = |one: &str, other: &str| {
            let [one, other] = [one, other].map(|text| text.chars().collect::<Vec<char>>());
            assert_eq!(is_one_letter_away(&one, &other), is_one_letter_away(&other, &one));
            is_one_letter_away(&one, &other)
        };
        for (one, other) in
            [("Schritweise", "Schrittweise"), ("Hoflich", "Höflich"), ("Kruz", "Kurz"), ("llama-x", "lama-x")]
        {
            assert!(away(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("gpt-4", "gpt-4o"),
            ("gpt-3", "gpt-4"),
            ("Kurz", "Lang"),
            ("lamma", "llama"),
            ("a", "b"),
            ("neu", "new"),
            ("same", "same"),
        ] {
            assert!(!away(one, other), "{one} {other}");
        }
    }

    #[test]
    fn only_rare_names_are_typos_of_frequent_ones() {
        let mut names = Numbering::default();
        for name in ["Schrittweise", "Schritweise", "Kurze", "Kurzer"] {
            names.number(name);
        }
        let judged = |counts: [usize; 4]| (0_u32..).zip(counts).flat_map(|(name, count)| vec![name; count]);
        assert_eq!(
            names.typos(judged([27, 1, 20, 19])),
            ["`Schritweise` (1 judgement) differs from `Schrittweise` (27) by one letter: a typo?"]
        );
        assert_eq!(names.typos(judged([27, 6, 20, 19])), [""; 0]);
    }
}
