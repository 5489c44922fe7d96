//! Lists, duplicates and nDCG of small data sets.

use interleave::{Doc, ListBuf, RankedList, TieGroup};
use letor_io::{Dataset, DatasetBuilder, FeatureId, Provenance};
use proptest::prelude::*;
use rankers::{Gain, Rankings, Selection, TieBreaking, ndcg};

type Queries = Vec<(Vec<f32>, Vec<Vec<f64>>)>;

/// A data set of queries given by labels and columns.
fn dataset(queries: &Queries) -> Dataset {
    let provenance = Provenance::Files { files: vec![], skipped: vec![] };
    let mut builder = DatasetBuilder::new("test", provenance);
    for (index, (labels, columns)) in queries.iter().enumerate() {
        builder.push_columns(&index.to_string(), labels, columns).unwrap();
        builder.features(columns.len() as u32);
    }
    builder.build()
}

fn rank(queries: &Queries, ties: TieBreaking) -> Rankings {
    let dataset = dataset(queries);
    let features = Selection::All.choose(dataset.features(), 0).unwrap();
    Rankings::new(&dataset, &features, ties).unwrap()
}

fn order(list: RankedList<'_>) -> Vec<u16> {
    list.docs().map(|doc| doc.0).collect()
}

/// Checks the list by the rules for slices of a caller.
pub(crate) fn assert_sound(list: RankedList<'_>) {
    let (order, groups): (Vec<Doc>, Vec<TieGroup>) = (list.docs().collect(), list.groups().collect());
    RankedList::new(&order, &groups).unwrap();
}

#[test]
fn descending_with_ties_and_constants() {
    let columns =
        vec![vec![0.5, -1.0, 0.5, 2.0], vec![3.0, 3.0, 3.0, 3.0], vec![0.0, 0.0, 0.0, 0.0], vec![1.0, 2.0, 3.0, 4.0]];
    let rankings = rank(&vec![(vec![0.0; 4], columns)], TieBreaking::Random);
    assert_eq!((rankings.queries(), rankings.arms(), rankings.documents(0)), (1, 4, 4));
    let groups = |arm: usize| {
        let list = rankings.list(0, arm);
        (0..4).map(|doc| list.group(Doc(doc)).ranks()).collect::<Vec<_>>()
    };
    assert_eq!(groups(0), [1..3, 3..4, 1..3, 0..1]);
    assert_eq!(groups(1), [0..4, 0..4, 0..4, 0..4]);
    assert_eq!(groups(2), groups(1));
    assert_eq!(order(rankings.list(0, 3)), [3, 2, 1, 0]);
    assert_eq!(rankings.duplicates(), [0, 1, 1, 3]);
}

/// Integers above 2^24, which single precision would tie.
#[test]
fn large_integers_do_not_tie() {
    let columns = vec![vec![16_777_216.0, 16_777_217.0], vec![9.007e15, -9.007e15]];
    let rankings = rank(&vec![(vec![0.0; 2], columns)], TieBreaking::Random);
    assert_eq!(order(rankings.list(0, 0)), [1, 0]);
    assert_eq!(order(rankings.list(0, 1)), [0, 1]);
}

#[test]
fn duplicates_agree_on_every_query() {
    let same = vec![1.0, 2.0, 2.0];
    let twice: Vec<f64> = same.iter().map(|value| 2.0 * value).collect();
    let queries = vec![
        (vec![0.0; 3], vec![same.clone(), twice.clone(), same.clone(), twice.clone()]),
        (vec![0.0; 3], vec![twice, vec![1.0, 2.0, 3.0], same, vec![0.0, 1.0, 1.0]]),
    ];
    assert_eq!(rank(&queries, TieBreaking::Random).duplicates(), [0, 1, 0, 0]);
}

#[test]
fn fixed_ties_are_uniform_independent_and_repeatable() {
    // Three tied documents below a single first one, in two features and many queries.
    let column = vec![1.0, 1.0, 1.0, 5.0];
    let queries = 6_000;
    let data = vec![(vec![0.0; 4], vec![column.clone(), column]); queries];
    let fixed = rank(&data, TieBreaking::Fixed(7));
    let mut seen = std::collections::BTreeMap::new();
    for query in 0..queries {
        let lists = [0, 1].map(|arm| fixed.list(query, arm));
        for list in lists {
            assert!((0..4).all(|doc| list.group(Doc(doc)).size() == 1));
            assert_sound(list);
            assert_eq!(list.at(0), Doc(3));
        }
        *seen.entry(lists.map(order)).or_insert(0_u32) += 1;
    }
    // 6 orders for each arm: all 36 pairs are equally likely.
    let (n, p) = (queries as f64, 1.0 / 36.0);
    let bound = 5.0 * (n * p * (1.0 - p)).sqrt();
    assert_eq!(seen.len(), 36);
    assert!(seen.values().all(|&count| (f64::from(count) - n * p).abs() < bound), "{seen:?}");

    let again = rank(&data, TieBreaking::Fixed(7));
    let other = rank(&data, TieBreaking::Fixed(8));
    let same =
        |a: &Rankings, b: &Rankings| (0..queries).all(|query| order(a.list(query, 0)) == order(b.list(query, 0)));
    assert!(same(&fixed, &again) && !same(&fixed, &other));

    // The order of a ranker does not depend on the other arms.
    let dataset = dataset(&data);
    let second = Rankings::new(&dataset, &[FeatureId(2)], TieBreaking::Fixed(7)).unwrap();
    assert!((0..queries).all(|q| order(second.list(q, 0)) == order(fixed.list(q, 1))));
}

#[test]
fn refusals() {
    let dataset = dataset(&vec![(vec![0.0; 2], vec![vec![1.0, 2.0]])]);
    let new = |features: &[FeatureId]| Rankings::new(&dataset, features, TieBreaking::Random).unwrap_err().to_string();
    assert!(new(&[]).contains("no ranker"));
    assert!(new(&[FeatureId(0)]).contains("no feature 0"));
    assert!(new(&[FeatureId(2)]).contains("features 1 to 1"));

    let long = (vec![0.0; 65_536], vec![vec![1.0; 65_536]]);
    let long = self::dataset(&vec![long]);
    let error = Rankings::new(&long, &[FeatureId(1)], TieBreaking::Random).unwrap_err();
    assert!(error.to_string().contains("query 0 has 65536 documents"));
}

/// The numbers of Lerot's tests: DCG of labels 0, 0, 1, 0 is .5, of 0, 1, 0, 0 is .6309298.
#[test]
fn ndcg_goldens() {
    let list = ListBuf::strict((0..4).map(Doc)).unwrap();
    let at = |labels: &[f32], cutoff, gain| ndcg(list.as_list(), labels, cutoff, gain).unwrap();
    for gain in [Gain::Exponential, Gain::Linear] {
        assert!((at(&[0.0, 0.0, 1.0, 0.0], 10, gain) - 0.5).abs() < 1e-12);
        assert!((at(&[0.0, 1.0, 0.0, 0.0], 10, gain) - 0.630_929_8).abs() < 1e-7);
        assert_eq!(at(&[0.0, 0.0, 1.0, 0.0], 2, gain), 0.0);
        assert_eq!(at(&[0.0; 4], 10, gain), 0.0);
        assert_eq!(at(&[2.0, 1.0, 1.0, 0.0], 10, gain), 1.0);
        assert_eq!(at(&[2.0, 1.0, 1.0, 0.0], 0, gain), 0.0);
    }
    // Labels 1, 2: gains 1, 3 against 1, 2.
    let d = 1.0 / 3_f64.log2();
    let exponential = (1.0 + 3.0 * d) / (3.0 + d);
    let linear = (1.0 + 2.0 * d) / (2.0 + d);
    assert!((at(&[1.0, 2.0, 0.0, 0.0], 3, Gain::Exponential) - exponential).abs() < 1e-12);
    assert!((at(&[1.0, 2.0, 0.0, 0.0], 3, Gain::Linear) - linear).abs() < 1e-12);
    // The ideal order is cut off as well: at cutoff 1, one relevant document on top is ideal.
    assert_eq!(at(&[1.0, 1.0, 0.0, 0.0], 1, Gain::Linear), 1.0);
}

#[test]
fn ndcg_refuses_unjudged_documents() {
    let list = ListBuf::strict((0..2).map(Doc)).unwrap();
    let error = |labels: &[f32]| ndcg(list.as_list(), labels, 10, Gain::Linear).unwrap_err().to_string();
    assert!(error(&[0.0, -1.0]).contains("document 1 (from 0) has label -1"));
    assert!(error(&[f32::NAN, 0.0]).contains("label NaN"));
    assert!(error(&[0.0]).contains("found 1 labels for 2"));
}

/// Every order of the documents that the ties of the list allow.
fn orders(list: RankedList<'_>) -> Vec<Vec<usize>> {
    fn extend(list: RankedList<'_>, order: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
        if order.len() == list.len() {
            all.push(order.clone());
        }
        for doc in 0..list.len() {
            let fits = list.group(Doc(doc as u16)).ranks().contains(&order.len());
            if fits && !order.contains(&doc) {
                order.push(doc);
                extend(list, order, all);
                order.pop();
            }
        }
    }
    let mut all = Vec::new();
    extend(list, &mut Vec::new(), &mut all);
    all
}

proptest! {
    /// The expected nDCG is the mean over all ways to break the ties.
    #[test]
    fn ties_in_expectation(
        rows in prop::collection::vec((0_u8..3, 0_u8..4), 1..6),
        cutoff in 1_usize..7,
        linear: bool,
    ) {
        let gain = if linear { Gain::Linear } else { Gain::Exponential };
        let scores: Vec<f64> = rows.iter().map(|row| f64::from(row.0)).collect();
        let labels: Vec<f32> = rows.iter().map(|row| f32::from(row.1)).collect();
        let list = ListBuf::from_scores(&scores).unwrap();
        let orders = orders(list.as_list());
        let worth = |label: f32| if linear { f64::from(label) } else { f64::from(label).exp2() - 1.0 };
        let dcg = |labels: &[f32]| -> f64 {
            let ranked = labels.iter().take(cutoff).zip(2..);
            ranked.map(|(&label, rank)| worth(label) / f64::from(rank).log2()).sum()
        };
        let mut best = labels.clone();
        best.sort_by(|a, b| b.total_cmp(a));
        let ideal = dcg(&best);
        let mean = if ideal == 0.0 { 0.0 } else {
            let sum: f64 = orders.iter()
                .map(|order| dcg(&order.iter().map(|&doc| labels[doc]).collect::<Vec<_>>()) / ideal)
                .sum();
            sum / orders.len() as f64
        };
        let got = ndcg(list.as_list(), &labels, cutoff, gain).unwrap();
        prop_assert!((got - mean).abs() < 1e-12 && got <= 1.0);
    }

    /// Lists are valid, sorted and tied exactly where values are equal; nDCG of single lists agrees with that of all
    /// lists.
    #[test]
    fn lists_follow_the_values(
        raw in prop::collection::vec(prop::collection::vec((0_u8..3, -3_i32..3, any::<i16>()), 1..12), 1..5),
        seed: u64,
    ) {
        let data: Queries = raw.iter().map(|rows| {
            let labels = rows.iter().map(|row| f32::from(row.0)).collect();
            let few = rows.iter().map(|row| f64::from(row.1) / 2.0).collect();
            let many = rows.iter().map(|row| f64::from(row.2) * 1e9).collect();
            (labels, vec![few, many])
        }).collect();
        let labels: Vec<f32> = data.iter().flat_map(|query| query.0.clone()).collect();
        for ties in [TieBreaking::Random, TieBreaking::Fixed(seed)] {
            let rankings = rank(&data, ties);
            let all = rankings.ndcg(&labels, 3, Gain::Exponential).unwrap();
            for (arm, &mean) in all.iter().enumerate() {
                let mut sum = 0.0;
                for (query, (labels, columns)) in data.iter().enumerate() {
                    let list = rankings.list(query, arm);
                    assert_sound(list);
                    let values = &columns[arm];
                    for pair in list.docs().collect::<Vec<_>>().windows(2) {
                        let [a, b] = [pair[0], pair[1]].map(|doc| values[doc.index()]);
                        prop_assert!(a >= b);
                        let tied = list.group(pair[0]) == list.group(pair[1]);
                        prop_assert_eq!(tied, a == b && ties == TieBreaking::Random);
                    }
                    sum += ndcg(list, labels, 3, Gain::Exponential).unwrap();
                }
                prop_assert!((sum / data.len() as f64 - mean).abs() < 1e-12);
            }
        }
    }
}

/// Forty rankers make several chunks; the queries have 3, 1 and 5 documents.
#[test]
fn rank_all_gives_the_same_lists() {
    let query = |documents: usize| {
        let column = |feature: usize| (0..documents).map(|doc| ((doc * (feature + 3)) % 4) as f64).collect();
        (vec![0.0; documents], (0..40).map(column).collect())
    };
    let queries: Queries = vec![query(3), query(1), query(5)];
    for ties in [TieBreaking::Random, TieBreaking::Fixed(9)] {
        let (lazy, eager) = (rank(&queries, ties), rank(&queries, ties));
        let early = order(eager.list(2, 17));
        eager.rank_all().unwrap();
        eager.rank_all().unwrap();
        assert_eq!(order(eager.list(2, 17)), early);
        for (query, arm) in (0..3).flat_map(|query| (0..40).map(move |arm| (query, arm))) {
            let [a, b] = [&lazy, &eager].map(|rankings| rankings.list(query, arm));
            assert_eq!(a.memory(), b.memory(), "query {query}, arm {arm}, {ties:?}");
        }
    }
}
