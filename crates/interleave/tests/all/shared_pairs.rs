//! Pairs that share their draws: each by itself as if it had been drawn alone.

use crate::enumeration::{Distribution, random_list, scores, sign, strict};
use interleave::methods::probabilistic::ProbabilisticScratch;
use interleave::{
    CreditTies, Doc, Examination, Generator, Interleaving, ListBuf, Preference, ProbabilisticInterleave, RankedList,
};
use rand::{RngExt, SeedableRng};

const BOTH: [CreditTies; 2] = [CreditTies::Redrawn, CreditTies::Same];

/// Every ordered pair of `rankers`: enough for them to share their draws.
fn all_pairs(rankers: u32) -> Vec<(u32, u32)> {
    (0..rankers).flat_map(|i| (0..rankers).filter(move |&j| j != i).map(move |j| (i, j))).collect()
}

fn views(lists: &[ListBuf]) -> Vec<RankedList<'_>> {
    lists.iter().map(ListBuf::as_list).collect()
}

/// The outcomes of all pairs in one shared impression.
fn impression(
    method: &ProbabilisticInterleave,
    lists: &[RankedList<'_>],
    pairs: &[(u32, u32)],
    length: usize,
    chance: &mut Generator,
    scratch: &mut ProbabilisticScratch,
    user: impl FnMut(Doc) -> Examination,
) -> Vec<Preference> {
    let mut seen = vec![None; pairs.len()];
    method.compare_pairs(lists, pairs, length, chance, scratch, user, |pair, winner| {
        assert_eq!(seen[pair].replace(winner), None, "a verdict a pair");
    });
    seen.into_iter().map(|winner| winner.expect("a verdict a pair")).collect()
}

/// Three or four documents, strict and tied, under users that click and leave at given documents:
/// each pair's winner as often as by enumeration.
#[test]
fn every_winner_of_small_cases() {
    let cases = [
        vec![strict(&[0, 1, 2]), strict(&[2, 1, 0]), scores(&[1.0, 1.0, 0.0]), scores(&[2.0, 2.0, 2.0])],
        vec![strict(&[0, 1, 2, 3]), strict(&[1, 3, 0, 2]), strict(&[0, 1, 2, 3]), scores(&[1.0, 0.0, 1.0, 0.0])],
    ];
    // (documents clicked, and among them those where the user abandons).
    let users: [(&[u16], &[u16]); 5] =
        [(&[], &[]), (&[1], &[]), (&[0, 2], &[]), (&[0, 1, 2], &[1]), (&[0, 2], &[0, 2])];
    let mut chance = Generator::seed_from_u64(21);
    let mut scratch = ProbabilisticScratch::default();
    for (case, lists) in cases.iter().enumerate() {
        let lists = views(lists);
        let pairs = all_pairs(4);
        let settings = [(2, BOTH[0]), (2, BOTH[1]), (4, BOTH[0]), (4, BOTH[1])];
        for ((length, ties), (clicked, abandons)) in settings.iter().flat_map(|&s| users.iter().map(move |&u| (s, u))) {
            let method = ProbabilisticInterleave::new(ties);
            let draws = 3_000;
            let mut seen = vec![Vec::with_capacity(draws); pairs.len()];
            for _ in 0..draws {
                let user =
                    |doc: Doc| Examination { clicked: clicked.contains(&doc.0), abandons: abandons.contains(&doc.0) };
                let winners = impression(&method, &lists, &pairs, length, &mut chance, &mut scratch, user);
                seen.iter_mut().zip(winners).for_each(|(seen, winner)| seen.push(sign(winner)));
            }
            let positions = |list: &[u16]| -> Vec<usize> {
                let end = list.iter().position(|doc| abandons.contains(doc)).map_or(list.len(), |last| last + 1);
                (0..end).filter(|&n| clicked.contains(&list[n])).collect()
            };
            for (&(a, b), seen) in pairs.iter().zip(seen) {
                let pair = [lists[a as usize], lists[b as usize]];
                let mut winners = Distribution::new();
                for ((_, winner), p) in crate::enumeration::pi_by(pair, length, 3.0, ties, positions) {
                    *winners.entry(winner).or_default() += p;
                }
                let mut seen = seen.into_iter();
                let what = format!("case {case}, {ties:?}, length {length}, clicks {clicked:?}, pair ({a}, {b})");
                crate::enumeration::assert_follows(&winners, draws as u32, || seen.next().unwrap(), &what);
            }
        }
    }
}

/// Long lists, with their tails drawn too, and random users: wins and ties as often as when each pair is
/// drawn by itself.
#[test]
fn long_lists_as_pair_by_pair() {
    let mut generator = Generator::seed_from_u64(22);
    let lists: Vec<ListBuf> =
        [100_000, 12, 2, 1].iter().map(|&levels| random_list(60, levels, &mut generator)).collect();
    let lists = views(&lists);
    let pairs = all_pairs(4);
    let clicks: Vec<f64> = (0..60).map(|doc| [0.05, 0.3, 0.9][doc % 3]).collect();
    let impressions = 20_000;
    for ties in BOTH {
        for tau in [3.0, 0.5] {
            let method = ProbabilisticInterleave::with_tau(tau, ties).unwrap();
            let mut scratch = ProbabilisticScratch::default();
            let [mut chance, mut luck] = [23, 24].map(Generator::seed_from_u64);
            let mut user = |doc: Doc| {
                let clicked = luck.random_bool(clicks[doc.index()]);
                Examination { clicked, abandons: clicked && luck.random_bool(0.3) }
            };
            // Wins and ties per pair, shared and alone.
            let mut counts = vec![[[0_u32; 2]; 2]; pairs.len()];
            let mut count = |pair: usize, how: usize, winner: Preference| {
                counts[pair][how][0] += u32::from(winner == Preference::First);
                counts[pair][how][1] += u32::from(winner == Preference::Tie);
            };
            for _ in 0..impressions {
                let winners = impression(&method, &lists, &pairs, 10, &mut chance, &mut scratch, &mut user);
                winners.into_iter().enumerate().for_each(|(pair, winner)| count(pair, 0, winner));
                for (pair, &(a, b)) in pairs.iter().enumerate() {
                    let two = [lists[a as usize], lists[b as usize]];
                    count(pair, 1, method.compare(two, 10, &mut chance, &mut scratch, &mut user));
                }
            }
            for (pair, [shared, alone]) in pairs.iter().zip(counts) {
                for kind in 0..2 {
                    let [x, y] = [shared[kind], alone[kind]].map(|count| f64::from(count) / f64::from(impressions));
                    let p = (x + y) / 2.0;
                    // 96 comparisons, at 5 standard deviations of a difference of two shares.
                    let bound = 5.0 * (2.0 * p * (1.0 - p) / f64::from(impressions)).sqrt();
                    assert!((x - y).abs() <= bound, "{ties:?}, tau {tau}, {pair:?}, {kind}: {x} against {y}");
                }
            }
        }
    }
}

/// The same strict list twice ties whatever is clicked.
#[test]
fn identical_lists_tie() {
    let mut generator = Generator::seed_from_u64(25);
    let list = random_list(30, 1_000_000, &mut generator);
    let lists = [list.as_list(); 5];
    let mut scratch = ProbabilisticScratch::default();
    for ties in BOTH {
        let method = ProbabilisticInterleave::new(ties);
        for _ in 0..200 {
            let user = |_| Examination { clicked: true, abandons: false };
            let pairs = all_pairs(5);
            let winners = impression(&method, &lists, &pairs, 10, &mut generator, &mut scratch, user);
            assert!(winners.iter().all(|&winner| winner == Preference::Tie));
        }
    }
}

/// Lists that lack documents, no lists, no documents, nothing to show, more to show than coins: a
/// verdict per pair, and nothing worse.
#[test]
fn odd_cases() {
    let mut chance = Generator::seed_from_u64(26);
    let mut scratch = ProbabilisticScratch::default();
    let method = ProbabilisticInterleave::default();
    let user = |_| Examination { clicked: true, abandons: false };
    let partial = [strict(&[0, 1, 2]), strict(&[1]), strict(&[]), strict(&[2, 0])];
    let empty = [strict(&[]), strict(&[]), strict(&[]), strict(&[])];
    let many = [(); 4].map(|()| random_list(300, 7, &mut chance));
    for (lists, lengths) in [(&partial, [0, 3, 10]), (&empty, [0, 1, 10]), (&many, [0, 64, 200])] {
        for length in lengths {
            let lists = views(lists);
            let winners = impression(&method, &lists, &all_pairs(4), length, &mut chance, &mut scratch, user);
            assert_eq!(winners.len(), 12);
            if length == 0 {
                assert!(winners.iter().all(|&winner| winner == Preference::Tie));
            }
        }
    }
    assert!(impression(&method, &[], &[], 10, &mut chance, &mut scratch, user).is_empty());
}

#[test]
fn value_stability() {
    let mut chance = Generator::seed_from_u64(42);
    let lists: Vec<ListBuf> = [50, 5, 2].iter().map(|&levels| random_list(20, levels, &mut chance)).collect();
    let mut scratch = ProbabilisticScratch::default();
    let seen: String = (0..6)
        .flat_map(|impression_number| {
            let method = ProbabilisticInterleave::new(BOTH[impression_number % 2]);
            let user = |doc: Doc| Examination { clicked: doc.0 % 3 == 1, abandons: doc.0 % 9 == 1 };
            impression(&method, &views(&lists), &all_pairs(3), 8, &mut chance, &mut scratch, user)
        })
        .map(|winner| match winner {
            Preference::First => '<',
            Preference::Tie => '=',
            Preference::Second => '>',
        })
        .collect();
    assert_eq!(seen, "><<<>>>><<<<<<<<<>>><><>><<<>>>><<<<");
}
