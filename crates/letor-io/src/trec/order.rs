//! The order of the documents that a run retrieved.

use std::cmp::{Ordering, Reverse};

use super::open::TrecTies;
use crate::decimal::Decimal;

/// A document of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Listed {
    /// Its row among the documents of the query, which are in the order of their numbers as bytes.
    pub(super) row: u32,
    pub(super) score: Decimal,
}

/// The score as `trec_eval` compares it, in single precision, as a number of the same order.
fn single(score: Decimal) -> u32 {
    // Adding 0 makes -0 and 0 equal.
    let bits = (score.to_f64() as f32 + 0.0).to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

/// Sorts the documents of a query by `ties`, best first, and returns the number of documents that share their score with
/// another. `values` become the values of the documents, in that order: from the length of the list down to 1, equal
/// for documents that stay tied.
pub(super) fn sort(documents: &mut [Listed], ties: TrecTies, values: &mut Vec<f64>) -> usize {
    values.clear();
    let (mut tied, mut below) = (0, documents.len());
    let mut group = |len: usize| {
        tied += if len > 1 { len } else { 0 };
        for _ in 0..len {
            values.push(below as f64);
            below -= usize::from(ties == TrecTies::Docno);
        }
        if ties == TrecTies::Keep {
            below -= len;
        }
    };
    match ties {
        TrecTies::Docno => {
            // One number per document, so that nothing but numbers is compared.
            let key = |one: &Listed| Reverse(u64::from(single(one.score)) << 32 | u64::from(one.row));
            documents.sort_by_cached_key(key);
            documents
                .chunk_by(|one, other| single(one.score) == single(other.score))
                .for_each(|tied| group(tied.len()));
        }
        TrecTies::Keep => {
            let compare = |one: &Listed, other: &Listed| other.score.compare(one.score);
            documents.sort_by(|one, other| compare(one, other).then(other.row.cmp(&one.row)));
            let equal = |one: &Listed, other: &Listed| compare(one, other) == Ordering::Equal;
            documents.chunk_by(equal).for_each(|tied| group(tied.len()));
        }
    }
    tied
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order of `(document, score)` and the values of the list.
    fn order(list: &[(&str, f64)], ties: TrecTies) -> (String, Vec<f64>, usize) {
        let mut names: Vec<&str> = list.iter().map(|(document, _)| *document).collect();
        names.sort_unstable();
        let mut sorted: Vec<Listed> = list
            .iter()
            .map(|(document, score)| Listed {
                row: names.binary_search(document).unwrap() as u32,
                score: Decimal::from_f64(*score).unwrap(),
            })
            .collect();
        let mut values = Vec::new();
        let tied = sort(&mut sorted, ties, &mut values);
        let documents = sorted.iter().map(|document| names[document.row as usize]);
        (documents.collect::<Vec<_>>().join(" "), values, tied)
    }

    #[test]
    fn ties_are_broken_as_trec_eval_does_or_kept() {
        let list = [("d1", 2.0), ("d10", 2.0), ("d2", 2.0), ("a", 3.0), ("z", -1.0)];
        assert_eq!(order(&list, TrecTies::Docno), ("a d2 d10 d1 z".into(), vec![5.0, 4.0, 3.0, 2.0, 1.0], 3));
        assert_eq!(order(&list, TrecTies::Keep), ("a d2 d10 d1 z".into(), vec![5.0, 4.0, 4.0, 4.0, 1.0], 3));
    }

    #[test]
    fn trec_eval_compares_in_single_precision() {
        // 2^24 and 2^24 + 1 are one number in single precision, and so are 1e39 and 1e40 (infinite).
        for (low, high) in [(16_777_216.0, 16_777_217.0), (1e39, 1e40), (0.0, 1e-60), (-1e-60, 0.0)] {
            let list = [("b", low), ("a", high)];
            assert_eq!(order(&list, TrecTies::Docno), ("b a".into(), vec![2.0, 1.0], 2), "{low} {high}");
            assert_eq!(order(&list, TrecTies::Keep), ("a b".into(), vec![2.0, 1.0], 0), "{low} {high}");
        }
    }

    #[test]
    fn scores_as_numbers_have_their_order() {
        let scores = [-1e40, -2.5, -1.0, -1e-3, 0.0, 1e-3, 1.0, 2.5, 1e40];
        let numbers = scores.map(|score| single(Decimal::from_f64(score).unwrap()));
        assert!(numbers.is_sorted_by(|one, other| one < other), "{numbers:?}");
    }
}
