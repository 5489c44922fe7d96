//! Probabilistic multileaving: its golden, its sampler against its closed form, and its signs against
//! probabilistic interleaving; and probabilistic credit in expectation over ties.

use std::collections::BTreeMap;

use crate::enumeration::{random_list, scores, strict};
use interleave::methods::probabilistic_multileave::{
    Credit, ProbabilisticMultileaveReceipt, ProbabilisticMultileaveScratch, SlotAssignment,
};
use interleave::{
    CreditTies, Doc, Generator, Interleaving, ListBuf, Multileaving, Outcome, Preference, ProbabilisticExpected,
    ProbabilisticInterleave, ProbabilisticMultileave, ProbabilisticMultileaveSigns, RankedList,
};
use rand::{RngExt, SeedableRng};

const UNIT: f64 = 4_294_967_296.0;

fn view(lists: &[ListBuf]) -> Vec<RankedList<'_>> {
    lists.iter().map(ListBuf::as_list).collect()
}

/// a b c d against b d a c, tau 3, shown a b d, clicks on b and d: .695480 and 1.304520.
#[test]
fn golden() {
    let lists = [strict(&[0, 1, 2, 3]), strict(&[1, 3, 0, 2])];
    let method = ProbabilisticMultileave::default();
    let mut generator = Generator::seed_from_u64(1);
    let mut scratch = ProbabilisticMultileaveScratch::default();
    let receipt = (0..1_000)
        .map(|_| method.draw(&view(&lists), 3, &mut generator, &mut scratch))
        .find_map(|(shown, receipt)| (shown == [0, 1, 3].map(Doc)).then_some(receipt))
        .expect("the golden's list is likely");
    let credits = method.credit(&receipt, &[1, 2]).unwrap();
    assert!((credits[0] as f64 / UNIT - 0.695_480).abs() < 1e-6);
    assert!((credits[1] as f64 / UNIT - 1.304_520).abs() < 1e-6);
    // And P(second wins) - P(first wins) = .304520, so the signs agree.
    let signs = ProbabilisticMultileaveSigns::default().credit(&receipt, &[1, 2]).unwrap();
    assert_eq!(signs.preference(0, 1), Preference::Second);
}

/// The same receipt with another seed for sampling.
fn reseeded(receipt: &ProbabilisticMultileaveReceipt, seed: u64) -> ProbabilisticMultileaveReceipt {
    let mut json = serde_json::to_value(receipt).unwrap();
    json["seed"] = seed.into();
    serde_json::from_value(json).unwrap()
}

/// The error of the paper's estimator falls with the number of assignments, to nothing where all are
/// kept. (Slowly: whether a branch is kept does not depend on how probable it is.)
#[test]
fn sampled_credit_converges_to_the_closed_form() {
    let mut generator = Generator::seed_from_u64(2);
    let exact = ProbabilisticMultileave::default();
    let scratch = &mut ProbabilisticMultileaveScratch::default();
    let clicks = [0, 3, 5];
    let mut squares = BTreeMap::new();
    for _ in 0..20 {
        let lists: Vec<ListBuf> = (0..4).map(|_| random_list(20, u32::MAX, &mut generator)).collect();
        let (_, receipt) = exact.draw(&view(&lists), 6, &mut generator, scratch);
        let truth = exact.credit(&receipt, &clicks).unwrap();
        for assignments in [10, 200, 2_000, 4_u32.pow(6)] {
            let sampled = Credit::Sampled { assignments };
            let method = ProbabilisticMultileave::new(SlotAssignment::Rounds, sampled);
            for seed in 0..20 {
                let credits = method.credit(&reseeded(&receipt, seed), &clicks).unwrap();
                let errors = credits.iter().zip(&truth);
                let errors = errors.map(|(&a, &b)| (a as f64 - b as f64) / UNIT);
                *squares.entry(assignments).or_insert(0.0) += errors.map(|e| e * e).sum::<f64>();
            }
        }
    }
    let errors: Vec<f64> = squares.into_values().map(|sum: f64| (sum / 1600.0).sqrt()).collect();
    assert!(errors.windows(2).all(|pair| pair[1] < 0.8 * pair[0]), "{errors:?}");
    assert!(errors[3] < 1e-8);
}

/// With as many assignments as there are, all are kept, and sampling is exact.
#[test]
fn all_assignments_are_the_closed_form() {
    let mut generator = Generator::seed_from_u64(3);
    for _ in 0..20 {
        let lists: Vec<ListBuf> = (0..3).map(|_| random_list(9, 5, &mut generator)).collect();
        let all = Credit::Sampled { assignments: 3_u32.pow(6) };
        let sampled = ProbabilisticMultileave::new(SlotAssignment::Rounds, all);
        let scratch = &mut ProbabilisticMultileaveScratch::default();
        let (_, receipt) = sampled.draw(&view(&lists), 6, &mut generator, scratch);
        let clicks: Vec<usize> = (0..6).filter(|_| generator.random_bool(0.5)).collect();
        let exact = ProbabilisticMultileave::default().credit(&receipt, &clicks).unwrap();
        for (a, b) in sampled.credit(&receipt, &clicks).unwrap().into_iter().zip(exact) {
            assert!(a.abs_diff(b) <= 6, "{a} {b}");
        }
    }
}

/// Two rankers: signs averaged over assignments are the credit of probabilistic interleaving, for
/// every list of four documents and every set of clicks.
#[test]
fn signs_of_two_are_probabilistic_interleaving() {
    let mut generator = Generator::seed_from_u64(4);
    let signs = ProbabilisticMultileaveSigns::default();
    let pairs = ProbabilisticInterleave::new(CreditTies::Same);
    let mut compared = 0;
    for (first, second) in [([0, 1, 2, 3], [1, 3, 0, 2]), ([0, 1, 2, 3], [3, 2, 1, 0]), ([2, 0, 1, 3], [2, 1, 0, 3])] {
        let lists = [strict(&first), strict(&second)];
        let both = [lists[0].as_list(), lists[1].as_list()];
        // Strict lists: the list alone decides the credit.
        let mut known = BTreeMap::new();
        for _ in 0..2_000 {
            let (shown, receipt) = pairs.draw(both, 4, &mut generator, &mut Default::default());
            known.insert(shown, receipt);
        }
        for _ in 0..500 {
            let (shown, receipt) = signs.draw(&both, 4, &mut generator, &mut Default::default());
            let Some(pair) = known.get(&shown) else {
                continue;
            };
            for set in 0_u32..16 {
                let clicks: Vec<usize> = (0..4).filter(|n| set >> n & 1 == 1).collect();
                let expected = pairs.credit(pair, &clicks).unwrap();
                assert_eq!(signs.credit(&receipt, &clicks).unwrap().preference(0, 1), expected);
                compared += 1;
            }
        }
    }
    assert!(compared > 10_000);
}

/// Rankers that give the shown documents the same probabilities tie, in any arithmetic.
#[test]
fn equal_rankers_tie_exactly() {
    let mut generator = Generator::seed_from_u64(5);
    let method = ProbabilisticMultileave::default();
    for _ in 0..50 {
        let one = random_list(30, u32::MAX, &mut generator);
        let other = random_list(30, u32::MAX, &mut generator);
        let lists = [one.clone(), other.clone(), one.clone(), other, one];
        let scratch = &mut ProbabilisticMultileaveScratch::default();
        let (_, receipt) = method.draw(&view(&lists), 10, &mut generator, scratch);
        let clicks: Vec<usize> = (0..10).filter(|_| generator.random_bool(0.4)).collect();
        let credits = method.credit(&receipt, &clicks).unwrap();
        assert_eq!([credits[0], credits[0], credits[1]], [credits[2], credits[4], credits[3]]);
        let total: f64 = credits.iter().map(|&credit| credit as f64 / UNIT).sum();
        assert!((total - clicks.len() as f64).abs() < 1e-8);
    }
}

/// Credit in expectation over ties, against all ways to break them.
#[test]
fn expectation_over_ties() {
    let mut generator = Generator::seed_from_u64(6);
    let redraws = 2_000;
    let method = ProbabilisticExpected::new(redraws);
    let lists = [
        [scores(&[2.0, 1.0, 1.0, 0.0]), scores(&[1.0, 1.0, 3.0, 1.0])],
        [scores(&[1.0, 1.0, 1.0]), strict(&[2, 1, 0])],
        [scores(&[2.0, 2.0, 1.0]), scores(&[1.0, 2.0, 2.0])],
    ];
    let mut decided = 0;
    for [first, second] in &lists {
        let both = [first.as_list(), second.as_list()];
        let orders = both.map(crate::enumeration::orders);
        for _ in 0..12 {
            let (shown, receipt) = method.draw(both, 3, &mut generator, &mut Default::default());
            let list: Vec<u16> = shown.iter().map(|doc| doc.0).collect();
            for clicks in [vec![0], vec![1], vec![2], vec![0, 2], vec![0, 1, 2]] {
                let pairs = orders[0].iter().flat_map(|a| orders[1].iter().map(move |b| [a.as_slice(), b]));
                let all: Vec<f64> =
                    pairs.map(|orders| crate::enumeration::pi_expected(orders, &list, &clicks, 3.0)).collect();
                let mean = all.iter().sum::<f64>() / all.len() as f64;
                // Outcomes lie within [-1, 1]: 5 standard errors of the mean of the redraws.
                if mean.abs() > 5.0 / f64::from(redraws).sqrt() {
                    let expected = if mean > 0.0 { Preference::Second } else { Preference::First };
                    assert_eq!(method.credit(&receipt, &clicks).unwrap(), expected);
                    decided += 1;
                }
            }
        }
    }
    assert!(decided > 60, "{decided}");
}

/// Two copies of a ranker with ties: `Redrawn` distinguishes them, the expectation never does.
#[test]
fn copies_tie_in_expectation() {
    let mut generator = Generator::seed_from_u64(7);
    let (method, mut told_apart) = (ProbabilisticExpected::default(), 0);
    let redrawn = ProbabilisticInterleave::new(CreditTies::Redrawn);
    for _ in 0..100 {
        let list = random_list(12, 3, &mut generator);
        let both = [list.as_list(); 2];
        let (_, receipt) = method.draw(both, 8, &mut generator, &mut Default::default());
        let clicks: Vec<usize> = (0..8).filter(|_| generator.random_bool(0.4)).collect();
        assert_eq!(method.credit(&receipt, &clicks).unwrap(), Preference::Tie);
        let (_, receipt) = redrawn.draw(both, 8, &mut generator, &mut Default::default());
        told_apart += u32::from(redrawn.credit(&receipt, &[0, 3]).unwrap() != Preference::Tie);
    }
    assert!(told_apart > 50);
}
