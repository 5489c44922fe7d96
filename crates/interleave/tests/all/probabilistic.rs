//! Probabilistic interleaving: against enumeration, goldens and itself.

use crate::enumeration::{pairs, random_list, scores, sign, strict};
use interleave::{
    CreditError, CreditTies, Doc, Examination, Generator, Interleaving, ListBuf, Preference, ProbabilisticInterleave,
    RankedList, methods::probabilistic::ProbabilisticReceipt, methods::probabilistic::ProbabilisticScratch,
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};

const BOTH: [CreditTies; 2] = [CreditTies::Redrawn, CreditTies::Same];

/// One impression in which exactly the positions `clicks` are clicked and the user does not leave.
fn impression(
    method: &ProbabilisticInterleave,
    lists: [RankedList<'_>; 2],
    length: usize,
    clicks: &[usize],
    generator: &mut Generator,
    scratch: &mut ProbabilisticScratch,
) -> (Vec<u16>, i8) {
    let mut shown = Vec::new();
    let user = |doc: Doc| {
        shown.push(doc.0);
        Examination { clicked: clicks.contains(&(shown.len() - 1)), abandons: false }
    };
    let winner = method.compare(lists, length, generator, scratch, user);
    (shown, sign(winner))
}

/// Subsets of the positions 0, 1, 2.
fn click_sets() -> impl Iterator<Item = Vec<usize>> {
    (0..8_usize).map(|set| (0..3).filter(|n| set >> n & 1 == 1).collect())
}

#[test]
fn every_list_and_winner_of_small_cases() {
    let mut generator = Generator::seed_from_u64(11);
    let mut scratch = ProbabilisticScratch::default();
    for (case, pair) in pairs().iter().enumerate() {
        let lists = [pair[0].as_list(), pair[1].as_list()];
        for ties in BOTH {
            for (length, clicks) in (0..=4).flat_map(|l| click_sets().map(move |c| (l, c))) {
                if length != 3 && clicks.len() < 2 {
                    continue;
                }
                let method = ProbabilisticInterleave::new(ties);
                let expected = crate::enumeration::pi(lists, length, 3.0, ties, &clicks);
                let what = format!("case {case}, {ties:?}, length {length}, clicks {clicks:?}");
                let draw = || impression(&method, lists, length, &clicks, &mut generator, &mut scratch);
                crate::enumeration::assert_follows(&expected, 4_000, draw, &what);
            }
        }
    }
}

#[test]
fn other_exponents() {
    let mut generator = Generator::seed_from_u64(12);
    let pair = [strict(&[0, 1, 2]), scores(&[1.0, 1.0, 2.0])];
    let lists = [pair[0].as_list(), pair[1].as_list()];
    let mut scratch = ProbabilisticScratch::default();
    for tau in [0.0, 1.0, 0.5, 6.0] {
        let method = ProbabilisticInterleave::with_tau(tau, CreditTies::Same).unwrap();
        let expected = crate::enumeration::pi(lists, 3, tau, CreditTies::Same, &[1, 2]);
        let draw = || impression(&method, lists, 3, &[1, 2], &mut generator, &mut scratch);
        crate::enumeration::assert_follows(&expected, 20_000, draw, &format!("tau {tau}"));
    }
}

/// a, b, c, d against b, d, a, c, shown a, b, d, clicks on b and d.
#[test]
fn golden() {
    let pair = [strict(&[0, 1, 2, 3]), strict(&[1, 3, 0, 2])];
    let lists = [pair[0].as_list(), pair[1].as_list()];
    let orders = [[0, 1, 2, 3].as_slice(), [1, 3, 0, 2].as_slice()];
    let p = crate::enumeration::pi_lists(orders, 3, 3.0)[[0, 1, 3].as_slice()];
    assert!((p - 0.206_232_5).abs() < 1e-7);
    assert!((crate::enumeration::pi_expected(orders, &[0, 1, 3], &[1, 2], 3.0) - 0.304_520).abs() < 1e-6);

    let mut generator = Generator::seed_from_u64(13);
    let mut scratch = ProbabilisticScratch::default();
    for ties in BOTH {
        let method = ProbabilisticInterleave::new(ties);
        let (draws, mut seen) = (20_000, 0.0);
        for _ in 0..draws {
            let (shown, receipt) = method.draw(lists, 3, &mut generator, &mut scratch);
            if shown != [0, 1, 3].map(Doc) {
                continue;
            }
            seen += 1.0;
            let expected = [(0.849_140, 0.031_450), (0.703_583, 0.876_712), (0.296_703, 0.888_889)];
            for (position, (first, second)) in expected.into_iter().enumerate() {
                let [p1, p2] = receipt.probabilities(position).unwrap();
                assert!((p1 - first).abs() < 1e-6 && (p2 - second).abs() < 1e-6);
            }
            assert_eq!(method.credit(&receipt, &[1, 2]).unwrap(), Preference::Second);
            assert_eq!(method.credit(&receipt, &[0]).unwrap(), Preference::First);
            // In any order, each once.
            assert_eq!(method.credit(&receipt, &[2, 1, 2]).unwrap(), Preference::Second);
        }
        let n = f64::from(draws);
        assert!((seen - n * p).abs() < 5.0 * (n * p * (1.0 - p)).sqrt());
    }
}

/// A random click favours no ranker in expectation over the lists: exactly where the order
/// that made the list is the one that credits.
#[test]
fn random_clicks_say_nothing_in_expectation() {
    for pair in pairs() {
        let lists = [pair[0].as_list(), pair[1].as_list()];
        let [first, second] = lists.map(crate::enumeration::orders);
        for clicks in click_sets() {
            for (a, b) in first.iter().flat_map(|a| second.iter().map(move |b| (a, b))) {
                if a.len() != b.len() {
                    continue;
                }
                let all = crate::enumeration::pi_lists([a, b], 3, 3.0);
                let clicks: Vec<usize> = clicks.iter().copied().filter(|&n| n < a.len()).collect();
                let mean: f64 =
                    all.iter().map(|(list, p)| p * crate::enumeration::pi_expected([a, b], list, &clicks, 3.0)).sum();
                assert!(mean.abs() < 1e-12, "{a:?} {b:?} {clicks:?}: {mean}");
            }
        }
    }
}

/// P(second wins) - P(first wins) when the positions `clicks` are clicked whatever stands there.
fn bias(pair: &[ListBuf; 2], ties: CreditTies, clicks: &[usize]) -> f64 {
    let all = crate::enumeration::pi([pair[0].as_list(), pair[1].as_list()], 3, 3.0, ties, clicks);
    all.iter().map(|((_, winner), p)| p * f64::from(*winner)).sum()
}

/// The winner alone, unlike the expectation it is the sign of, is unbiased only between lists that
/// mirror each other; with credit ties redrawn, lists with ties lose to lists without.
#[test]
fn random_clicks_and_the_winner() {
    let tied = scores(&[1.0; 3]);
    let up = strict(&[0, 1, 2]);
    for clicks in click_sets() {
        for ties in BOTH {
            assert!(bias(&[up.clone(), up.clone()], ties, &clicks) == 0.0);
            assert!(bias(&[up.clone(), strict(&[2, 1, 0])], ties, &clicks).abs() < 1e-12);
            assert!(bias(&[tied.clone(), tied.clone()], ties, &clicks).abs() < 1e-12);
        }
        assert!(bias(&[up.clone(), tied.clone()], CreditTies::Same, &clicks).abs() < 1e-12);
    }
    let mut against_ties = [0, 1, 2].map(|n| bias(&[tied.clone(), up.clone()], CreditTies::Redrawn, &[n]));
    against_ties.iter_mut().for_each(|bias| *bias = (*bias * 1e4).round() / 1e4);
    assert_eq!(against_ties, [0.2762, 0.1478, 0.0]);
    let turned = bias(&[up, strict(&[1, 2, 0])], CreditTies::Same, &[0]);
    assert!((turned - 0.1076).abs() < 1e-4);
}

/// A user who clicks and leaves at random, and remembers.
fn random_user<'a>(
    shown: &'a mut Vec<Doc>,
    clicked: &'a mut Vec<usize>,
    generator: &'a mut Generator,
) -> impl FnMut(Doc) -> Examination + 'a {
    move |doc| {
        let examination = Examination { clicked: generator.random_bool(0.4), abandons: generator.random_bool(0.1) };
        if examination.clicked {
            clicked.push(shown.len());
        }
        shown.push(doc);
        examination
    }
}

proptest! {
    /// A list shown whole and credited later gives the outcome of the simulated user's list.
    #[test]
    fn compare_is_draw_and_credit(
        sizes in (0_usize..40, 0_usize..40), levels in 1_u32..60, length in 0_usize..30, seed: u64,
    ) {
        let mut generator = Generator::seed_from_u64(seed);
        let pair = [sizes.0, sizes.1].map(|n| random_list(n, levels, &mut generator));
        let lists = [pair[0].as_list(), pair[1].as_list()];
        // One scratch over all impressions: nothing of one may leak into the next.
        let mut used = ProbabilisticScratch::default();
        for ties in BOTH {
            let method = ProbabilisticInterleave::new(ties);
            for _ in 0..4 {
                let (mut shown, mut clicked) = (vec![], vec![]);
                let mut own = generator.clone();
                let mut luck = Generator::seed_from_u64(seed ^ 1);
                let user = random_user(&mut shown, &mut clicked, &mut luck);
                let winner = method.compare(lists, length, &mut own, &mut used, user);

                let fresh = &mut ProbabilisticScratch::default();
                let (list, receipt) = method.draw(lists, length, &mut generator, fresh);
                prop_assert_eq!(list.len(), length.min(sizes.0.max(sizes.1)));
                prop_assert_eq!(receipt.len(), list.len());
                prop_assert_eq!(&list[..shown.len()], &shown[..]);
                prop_assert_eq!(method.credit(&receipt, &clicked).unwrap(), winner);

                let json = serde_json::to_string(&receipt).unwrap();
                let back: ProbabilisticReceipt = serde_json::from_str(&json).unwrap();
                prop_assert_eq!(&back, &receipt);

                let mut sorted = list.clone();
                sorted.sort_unstable();
                sorted.dedup();
                prop_assert_eq!(sorted.len(), list.len(), "no document twice");
                let error = method.credit(&receipt, &[list.len()]).unwrap_err();
                prop_assert_eq!(error, CreditError::Position { position: list.len(), length: list.len() });
            }
        }
    }

    /// Whatever the clicks, a list without ties cannot beat itself.
    #[test]
    fn identical_lists_always_tie(n in 0_usize..80, length in 0_usize..30, seed: u64, tau in 0.0_f64..6.0) {
        let mut generator = Generator::seed_from_u64(seed);
        let list = random_list(n, u32::MAX, &mut generator);
        let lists = [list.as_list(), list.as_list()];
        let mut scratch = ProbabilisticScratch::default();
        for ties in BOTH {
            let method = ProbabilisticInterleave::with_tau(tau, ties).unwrap();
            for _ in 0..8 {
                let (mut shown, mut clicked) = (vec![], vec![]);
                let mut luck = generator.clone();
                let user = random_user(&mut shown, &mut clicked, &mut luck);
                let winner = method.compare(lists, length, &mut generator, &mut scratch, user);
                prop_assert_eq!(winner, Preference::Tie);
            }
        }
    }

    /// Both settings show the same list for the same generator.
    #[test]
    fn settings_share_the_list(n in 0_usize..30, levels in 1_u32..9, seed: u64) {
        let mut generator = Generator::seed_from_u64(seed);
        let pair = [0; 2].map(|_| random_list(n, levels, &mut generator));
        let lists = [pair[0].as_list(), pair[1].as_list()];
        let [a, b] = BOTH.map(|ties| {
            let scratch = &mut ProbabilisticScratch::default();
            ProbabilisticInterleave::new(ties).draw(lists, 10, &mut generator.clone(), scratch).0
        });
        prop_assert_eq!(a, b);
    }
}

/// Two copies of one ranker with ties, credit ties redrawn, beat each other evenly, and do.
#[test]
fn redrawn_ties_tell_copies_apart() {
    let list = scores(&[2.0, 1.0, 1.0, 1.0, 0.0, 0.0]);
    let lists = [list.as_list(), list.as_list()];
    let method = ProbabilisticInterleave::default();
    let mut generator = Generator::seed_from_u64(17);
    let mut scratch = ProbabilisticScratch::default();
    let (mut first, mut second) = (0.0_f64, 0.0_f64);
    for _ in 0..20_000 {
        match impression(&method, lists, 3, &[2], &mut generator, &mut scratch).1 {
            -1 => first += 1.0,
            1 => second += 1.0,
            _ => {}
        }
    }
    assert!(first > 1_000.0 && (first - second).abs() < 5.0 * (first + second).sqrt());
}

#[test]
fn ten_thousand_documents() {
    let mut generator = Generator::seed_from_u64(18);
    let mut scratch = ProbabilisticScratch::default();
    let pair = [random_list(10_000, 3, &mut generator), random_list(65_535, 50, &mut generator)];
    let lists = [pair[0].as_list(), pair[1].as_list()];
    for ties in BOTH {
        let method = ProbabilisticInterleave::new(ties);
        let (list, receipt) = method.draw(lists, 12_000, &mut generator, &mut scratch);
        assert_eq!(list.len(), 12_000);
        method.credit(&receipt, &(0..2_000).collect::<Vec<_>>()).unwrap();
    }
}

#[test]
fn value_stability() {
    let pair = [scores(&[3.0, 1.0, 2.0, 1.0, 1.0, 0.0]), scores(&[0.0, 2.0, 2.0, 0.0, 1.0, 2.0])];
    let lists = [pair[0].as_list(), pair[1].as_list()];
    let mut generator = Generator::seed_from_u64(42);
    let mut scratch = ProbabilisticScratch::default();
    let mut seen = Vec::new();
    for ties in BOTH {
        let method = ProbabilisticInterleave::new(ties);
        for clicks in [[0, 1], [1, 3]] {
            seen.push(impression(&method, lists, 5, &clicks, &mut generator, &mut scratch));
        }
    }
    assert_eq!(
        seen,
        [(vec![5, 0, 1, 2, 4], 1), (vec![2, 0, 3, 1, 4], -1), (vec![0, 5, 2, 1, 4], -1), (vec![2, 5, 0, 1, 3], 1),]
    );
}
