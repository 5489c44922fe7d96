//! The optimized methods through their public API: the lists shown, how often, and the winners.

use std::collections::BTreeMap;

use crate::enumeration::{Distribution, sign, strict};
use interleave::methods::optimized::{LpFit, PairCredit, RankCredit};
use interleave::{
    Generator, Interleaving, ListBuf, Multileaving, OptimizedInterleave, OptimizedMultileave, Preference, RankedList,
};
use rand::SeedableRng;

fn view(lists: &[ListBuf]) -> Vec<RankedList<'_>> {
    lists.iter().map(ListBuf::as_list).collect()
}

/// By hand, binary credit, a b c against b a c: position 3 is c in either list, and positions 1 and 2
/// balance only at a half each. With ties, each way to break them equally often.
#[test]
fn interleaving_follows_its_program() {
    let mut generator = Generator::seed_from_u64(1);
    let half = |lists: &[&[u16]]| -> Distribution<(Vec<u16>, i8)> {
        let p = 1.0 / lists.len() as f64;
        // A click at the top favours the ranker with that top.
        lists.iter().map(|list| ((list.to_vec(), if list[0] == 0 { -1 } else { 1 }), p)).collect()
    };
    let method = OptimizedInterleave::new(PairCredit::Binary);
    let mut scratch = Default::default();
    for (first, second, expected) in [
        (strict(&[0, 1, 2]), strict(&[1, 0, 2]), half(&[&[0, 1, 2], &[1, 0, 2]])),
        (strict(&[0]), strict(&[1]), half(&[&[0, 1], &[1, 0]])),
    ] {
        let draw = || {
            let lists = [first.as_list(), second.as_list()];
            let (shown, receipt) = method.draw(lists, 3, &mut generator, &mut scratch);
            assert_eq!(receipt.fit(), LpFit::Exact);
            let winner = method.credit(&receipt, &[0]).unwrap();
            (shown.iter().map(|doc| doc.0).collect(), sign(winner))
        };
        crate::enumeration::assert_follows(&expected, 4_000, draw, "by hand");
    }
    // The second ranker's order of a and b is even: half the time it agrees, and the impression is a tie.
    let lists = [strict(&[0, 1]), crate::enumeration::scores(&[1.0, 1.0])];
    let mut expected = Distribution::new();
    expected.insert((vec![0, 1], 0), 0.5);
    expected.insert((vec![0, 1], -1), 0.25);
    expected.insert((vec![1, 0], 1), 0.25);
    let draw = || {
        let lists = [lists[0].as_list(), lists[1].as_list()];
        let (shown, receipt) = method.draw(lists, 2, &mut generator, &mut scratch);
        let winner = method.credit(&receipt, &[0]).unwrap();
        (shown.iter().map(|doc| doc.0).collect(), sign(winner))
    };
    crate::enumeration::assert_follows(&expected, 4_000, draw, "tied");
}

/// For any pair of lists, a kept program and a new one draw the same lists.
#[test]
fn kept_programs_change_nothing() {
    let mut generator = Generator::seed_from_u64(2);
    let method = OptimizedInterleave::default();
    let mut kept = Default::default();
    for _ in 0..150 {
        let lists = [0; 2].map(|_| crate::enumeration::random_list(6, 4, &mut generator));
        let both = [lists[0].as_list(), lists[1].as_list()];
        let mut same = generator.clone();
        let with = method.draw(both, 4, &mut generator, &mut kept);
        assert_eq!(with, method.draw(both, 4, &mut same, &mut Default::default()));
    }
}

/// Random clicks favour no ranker as long as the fit is exact: at every position, every ranker's mean
/// credit is the same. Over three documents 200 samples are all lists.
#[test]
fn multileaving_is_unbiased_where_it_can_be() {
    let lists = [strict(&[0, 1, 2]), strict(&[1, 2, 0]), strict(&[2, 0, 1])];
    let mut generator = Generator::seed_from_u64(3);
    let unit = f64::from(2.0_f32.powi(32));
    for (credit, unit) in [(RankCredit::Inverse, unit), (RankCredit::Negative, 1.0)] {
        let method = OptimizedMultileave::new(credit, 200);
        let draws = 3_000;
        let mut sums: BTreeMap<(usize, usize), (f64, f64)> = BTreeMap::new();
        for _ in 0..draws {
            let (shown, receipt) = method.draw(&view(&lists), 3, &mut generator, &mut Default::default());
            assert_eq!(receipt.fit(), LpFit::Exact);
            for (k, shown) in shown.iter().enumerate() {
                let scores = method.credit(&receipt, &[k]).unwrap();
                for (x, score) in scores.iter().enumerate() {
                    // By hand: the credit is that of the rank the ranker gives the document.
                    let mut order = lists[x].as_list().docs();
                    let rank = order.position(|doc| doc == *shown).unwrap() as f64 + 1.0;
                    let expected = match credit {
                        RankCredit::Inverse => 1.0 / rank,
                        RankCredit::Negative => 65_536.0 - rank,
                    };
                    assert!((*score as f64 / unit - expected).abs() < 1e-9);
                    let difference = (*score as f64 - scores[0] as f64) / unit;
                    let sum = sums.entry((k, x)).or_default();
                    sum.0 += difference;
                    sum.1 += difference * difference;
                }
            }
        }
        for ((k, x), (sum, squares)) in sums {
            assert!(sum.abs() <= 5.0 * squares.sqrt() + 1e-9, "{credit:?}, position {k}, ranker {x}: {sum}");
        }
    }
}

/// One list, no list, the same list: nothing to decide, and the fit is exact.
#[test]
fn nothing_to_decide() {
    let mut generator = Generator::seed_from_u64(4);
    let method = OptimizedMultileave::default();
    for lists in [vec![], vec![strict(&[0, 1, 2])], vec![strict(&[2, 1]); 5]] {
        let (shown, receipt) = method.draw(&view(&lists), 2, &mut generator, &mut Default::default());
        assert_eq!(shown.len(), if lists.is_empty() { 0 } else { 2 });
        assert_eq!((receipt.fit(), receipt.rankers()), (LpFit::Exact, lists.len()));
    }
    let list = strict(&[0, 1, 2]);
    let method = OptimizedInterleave::default();
    let lists = [list.as_list(); 2];
    let (_, receipt) = method.draw(lists, 3, &mut generator, &mut Default::default());
    assert_eq!(method.credit(&receipt, &[0, 2]).unwrap(), Preference::Tie);
    assert_eq!(receipt.fit(), LpFit::Exact);
}

/// A better list does not lose: with lists of three documents, two of them relevant and clicked.
#[test]
fn better_lists_do_not_lose() {
    let mut generator = Generator::seed_from_u64(5);
    for credit in [PairCredit::Linear, PairCredit::Binary, PairCredit::Inverse] {
        let method = OptimizedInterleave::new(credit);
        let mut scratch = Default::default();
        for (better, worse) in [([0, 1, 2], [1, 2, 0]), ([0, 1, 2], [2, 1, 0]), ([1, 0, 2], [2, 0, 1])] {
            let lists = [strict(&better), strict(&worse)];
            let lists = [lists[0].as_list(), lists[1].as_list()];
            // Relevant: 0, 1, or both, where `better` has all of them at least as high.
            for relevant in [vec![0], vec![1], vec![0, 1]] {
                let rank = |list: &[u16; 3], doc| list.iter().position(|&d| d == doc);
                if relevant.iter().any(|&doc| rank(&better, doc) > rank(&worse, doc)) {
                    continue;
                }
                let (draws, mut wins, mut decided) = (1_000, 0.0, 0.0);
                for _ in 0..draws {
                    let (shown, receipt) = method.draw(lists, 3, &mut generator, &mut scratch);
                    let clicks: Vec<usize> = (0..3).filter(|&n| relevant.contains(&shown[n].0)).collect();
                    let sign = -f64::from(sign(method.credit(&receipt, &clicks).unwrap()));
                    wins += sign;
                    decided += sign * sign;
                }
                assert!(wins >= -5.0 * f64::sqrt(decided), "{credit:?} {better:?} {worse:?}: {wins}");
            }
        }
    }
}
