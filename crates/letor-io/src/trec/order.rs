//! The order of the documents that a run retrieved.

use std::cmp::{Ordering, Reverse};

use super::options::TrecTies;
use super::run::RunLine;
use crate::decimal::Decimal;

/// A document of a list in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ListedDocument {
    /// Its line in the list as it was read, from 0.
    pub(super) line: u32,
    /// Whether it has the score of the document before it.
    pub(super) is_tied: bool,
}

/// The score as `trec_eval` compares it, in single precision, as a number of the same order.
pub(super) fn single_precision(score: Decimal) -> u32 {
    // Adding 0 makes -0 and 0 equal.
    let bits = (score.to_f64() as f32 + 0.0).to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

/// The documents of `list` by `ties`, best first.
pub(super) fn order_documents(list: &[RunLine<'_>], ties: TrecTies) -> Vec<ListedDocument> {
    let document = |line: u32| list[line as usize].document.bytes;
    let mut lines: Vec<u32> = (0..list.len() as u32).collect();
    match ties {
        TrecTies::Docno => {
            let keys: Vec<u32> = list.iter().map(|line| single_precision(line.score)).collect();
            let key = |line: u32| keys[line as usize];
            // The text of documents is looked at only where scores are equal.
            lines.sort_unstable_by_key(|&line| Reverse(key(line)));
            for tied in lines.chunk_by_mut(|&one, &other| key(one) == key(other)).filter(|tied| tied.len() > 1) {
                tied.sort_unstable_by_key(|&line| Reverse(document(line)));
            }
            list_documents(&lines, |one, other| key(one) == key(other))
        }
        TrecTies::Keep => {
            let compare = |one: u32, other: u32| list[other as usize].score.compare(list[one as usize].score);
            lines.sort_unstable_by(|&one, &other| compare(one, other).then_with(|| document(other).cmp(document(one))));
            list_documents(&lines, |one, other| compare(one, other) == Ordering::Equal)
        }
    }
}

fn list_documents(lines: &[u32], are_tied: impl Fn(u32, u32) -> bool) -> Vec<ListedDocument> {
    let is_tied = |at: usize| at > 0 && are_tied(lines[at - 1], lines[at]);
    lines.iter().enumerate().map(|(at, &line)| ListedDocument { line, is_tied: is_tied(at) }).collect()
}

/// The values of a list with groups of equal scores of these sizes, and the number of documents that share their score with
/// another. The values go from the length of the list down to 1, and are equal for documents that stay tied.
pub(super) fn values_of_groups(groups: &[u32], ties: TrecTies) -> (Vec<u32>, usize) {
    let tied: u32 = groups.iter().filter(|&&size| size > 1).sum();
    let mut below: u32 = groups.iter().sum();
    let mut values = Vec::with_capacity(below as usize);
    for &size in groups {
        for place in 0..size {
            values.push(if ties == TrecTies::Keep { below } else { below - place });
        }
        below -= size;
    }
    (values, tied as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trec::documents::Docno;

    /// The order of `(document, score)`, the values of the list and the number of tied documents.
    fn order_of(list: &[(&'static str, f64)], ties: TrecTies) -> (String, Vec<u32>, usize) {
        let retrieved = |&(document, score): &(&'static str, f64)| RunLine {
            document: Docno::new(document.as_bytes()),
            rank: None,
            score: Decimal::from_f64(score).unwrap(),
            line: 1,
        };
        let order = order_documents(&list.iter().map(retrieved).collect::<Vec<_>>(), ties);
        let groups: Vec<u32> = order.chunk_by(|_, later| later.is_tied).map(|group| group.len() as u32).collect();
        let (values, tied) = values_of_groups(&groups, ties);
        let documents = order.iter().map(|listed| list[listed.line as usize].0);
        (documents.collect::<Vec<_>>().join(" "), values, tied)
    }

    #[test]
    fn ties_are_broken_as_trec_eval_does_or_kept() {
        let list = [("d1", 2.0), ("d10", 2.0), ("d2", 2.0), ("a", 3.0), ("z", -1.0)];
        assert_eq!(order_of(&list, TrecTies::Docno), ("a d2 d10 d1 z".into(), vec![5, 4, 3, 2, 1], 3));
        assert_eq!(order_of(&list, TrecTies::Keep), ("a d2 d10 d1 z".into(), vec![5, 4, 4, 4, 1], 3));
    }

    #[test]
    fn trec_eval_compares_in_single_precision() {
        // 2^24 and 2^24 + 1 are one number in single precision, and so are 1e39 and 1e40 (infinite).
        for (low, high) in [(16_777_216.0, 16_777_217.0), (1e39, 1e40), (0.0, 1e-60), (-1e-60, 0.0)] {
            let list = [("b", low), ("a", high)];
            assert_eq!(order_of(&list, TrecTies::Docno), ("b a".into(), vec![2, 1], 2), "{low} {high}");
            assert_eq!(order_of(&list, TrecTies::Keep), ("a b".into(), vec![2, 1], 0), "{low} {high}");
        }
    }

    #[test]
    fn scores_as_numbers_have_their_order() {
        let scores = [-1e40, -2.5, -1.0, -1e-3, 0.0, 1e-3, 1.0, 2.5, 1e40];
        let numbers = scores.map(|score| single_precision(Decimal::from_f64(score).unwrap()));
        assert!(numbers.is_sorted_by(|one, other| one < other), "{numbers:?}");
    }
}
