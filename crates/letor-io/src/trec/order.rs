//! The order of the documents that a run retrieved.

use std::cmp::Ordering;

use super::open::TrecTies;
use super::run::Retrieved;

/// The score as `trec_eval` compares it: in single precision. Adding 0 makes -0 and 0 equal.
fn single(document: &Retrieved<'_>) -> f32 {
    document.score.to_f64() as f32 + 0.0
}

/// Sorts the documents of a query by `ties`, best first, and returns the number of documents that share their score with
/// another. `values` become the values of the documents, in that order: from the length of the list down to 1, equal
/// for documents that stay tied.
pub(super) fn sort(documents: &mut [&Retrieved<'_>], ties: TrecTies, values: &mut Vec<f64>) -> usize {
    let compare = |one: &&Retrieved<'_>, other: &&Retrieved<'_>| match ties {
        TrecTies::Docno => single(other).total_cmp(&single(one)),
        TrecTies::Keep => other.score.compare(one.score),
    };
    documents.sort_by(|one, other| compare(one, other).then_with(|| other.document.cmp(one.document)));
    values.clear();
    let (mut tied, mut below) = (0, documents.len());
    for group in documents.chunk_by(|one, other| compare(one, other) == Ordering::Equal) {
        tied += if group.len() > 1 { group.len() } else { 0 };
        for _ in group {
            values.push(below as f64);
            below -= usize::from(ties == TrecTies::Docno);
        }
        if ties == TrecTies::Keep {
            below -= group.len();
        }
    }
    tied
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decimal::Decimal;

    /// The order of `(document, score)` and the values of the list.
    fn order(list: &[(&str, f64)], ties: TrecTies) -> (String, Vec<f64>, usize) {
        let list: Vec<Retrieved<'_>> = (1..)
            .zip(list)
            .map(|(line, (document, score))| Retrieved {
                document: document.as_bytes(),
                score: Decimal::from_f64(*score).unwrap(),
                line,
            })
            .collect();
        let mut sorted: Vec<_> = list.iter().collect();
        let mut values = Vec::new();
        let tied = sort(&mut sorted, ties, &mut values);
        let documents = sorted.iter().map(|document| str::from_utf8(document.document).unwrap());
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
}
