//! SOSM: against enumeration, goldens and itself.

use crate::enumeration::{pairs, random_list, scores, strict};
use interleave::methods::sosm::{SosmReceipt, SosmScratch};
use interleave::{Doc, Examination, Generator, ListBuf, Multileaving, RankedList, Sosm};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};

fn view(lists: &[ListBuf]) -> Vec<RankedList<'_>> {
    lists.iter().map(ListBuf::as_list).collect()
}

/// Threes of lists, and the pairs of the interleaving tests.
fn cases() -> Vec<Vec<ListBuf>> {
    let mut cases: Vec<Vec<ListBuf>> = pairs().into_iter().map(Vec::from).collect();
    cases.extend([
        vec![],
        vec![strict(&[1, 0, 2])],
        vec![scores(&[1.0, 1.0, 1.0])],
        vec![strict(&[0, 1, 2]), strict(&[1, 2, 0]), strict(&[2, 1, 0])],
        vec![strict(&[0, 1, 2]), scores(&[1.0, 1.0, 2.0]), scores(&[1.0, 1.0, 1.0])],
        vec![scores(&[2.0, 1.0, 1.0]), scores(&[2.0, 1.0, 1.0]), strict(&[2])],
        vec![strict(&[]), scores(&[1.0, 1.0]), strict(&[2, 1])],
        // More picks than rankers, each deep in one tie group.
        vec![scores(&[1.0; 4]), scores(&[1.0, 1.0, 1.0, 2.0])],
    ]);
    cases
}

#[test]
fn every_list_and_outcome_of_small_cases() {
    let mut generator = Generator::seed_from_u64(21);
    let (mut scratch, mut scores) = (SosmScratch::default(), Vec::new());
    let method = Sosm::default();
    for (case, lists) in cases().iter().enumerate() {
        let lists = view(lists);
        for (length, clicks) in
            [(3, vec![0]), (3, vec![1]), (3, vec![0, 2]), (4, vec![1, 2]), (2, vec![1]), (0, vec![0])]
        {
            let expected = crate::enumeration::sosm(&lists, length, 3.0, &clicks);
            let draw = || {
                let mut shown = Vec::new();
                let user = |doc: Doc| {
                    shown.push(doc.0);
                    Examination { clicked: clicks.contains(&(shown.len() - 1)), abandons: false }
                };
                let any = method.compare(&lists, length, &mut generator, &mut scratch, user, &mut scores);
                assert_eq!(any, clicks.iter().any(|&n| n < shown.len()));
                assert_eq!(scores.len(), lists.len());
                (shown, crate::enumeration::pair_signs(&scores))
            };
            let what = format!("case {case}, length {length}, clicks {clicks:?}");
            crate::enumeration::assert_follows(&expected, 6_000, draw, &what);
        }
    }
}

/// a, b, c, d against b, d, a, c, shown a, b, d, clicks on b and d: 1/8 + 1/27 against 1 + 1/8.
#[test]
fn golden() {
    let lists = [strict(&[0, 1, 2, 3]), strict(&[1, 3, 0, 2])];
    let method = Sosm::default();
    let mut generator = Generator::seed_from_u64(22);
    for _ in 0..100 {
        let scratch = &mut SosmScratch::default();
        let (shown, receipt) = method.draw(&view(&lists), 3, &mut generator, scratch);
        let mut sorted = shown.clone();
        sorted.sort();
        if sorted != [0, 1, 3].map(Doc) {
            continue;
        }
        let clicks = [1, 3].map(|doc| shown.iter().position(|&d| d == Doc(doc)).unwrap());
        let scores = method.credit(&receipt, &clicks).unwrap();
        let unit = method.credit(&receipt, &[clicks[0]]).unwrap()[1] as f64;
        assert!((scores[0] as f64 / unit - 0.162_037).abs() < 1e-6);
        assert!((scores[1] as f64 / unit - 1.125).abs() < 1e-12);
        return;
    }
    panic!("the golden's list was never drawn");
}

/// All rankers that give the clicked documents the same ranks tie, exactly, in whatever order.
#[test]
fn equal_multisets_of_ranks_tie() {
    let lists = [strict(&[0, 1, 2, 3, 4]), strict(&[2, 4, 0, 1, 3]), strict(&[2, 1, 0, 3, 4])];
    let method = Sosm::default();
    let mut generator = Generator::seed_from_u64(23);
    let scratch = &mut SosmScratch::default();
    let (shown, receipt) = method.draw(&view(&lists), 5, &mut generator, scratch);
    let clicks = [0, 2].map(|doc| shown.iter().position(|&d| d == Doc(doc)).unwrap());
    let scores = method.credit(&receipt, &clicks).unwrap();
    assert_eq!(scores[0], scores[1]);
    assert_eq!(scores[0], scores[2]);
}

proptest! {
    #[test]
    fn compare_is_draw_and_credit(
        sizes in prop::collection::vec(0_usize..40, 0..12), levels in 1_u32..60, length in 0_usize..30, seed: u64,
    ) {
        let mut generator = Generator::seed_from_u64(seed);
        let lists: Vec<ListBuf> =
            sizes.iter().map(|&n| random_list(n, levels, &mut generator)).collect();
        let lists = view(&lists);
        let mut used = SosmScratch::default();
        let method = Sosm::default();
        let mut scores = Vec::new();
        for _ in 0..4 {
            let (mut shown, mut clicked) = (vec![], vec![]);
            let mut luck = Generator::seed_from_u64(seed ^ 1);
            let mut own = generator.clone();
            let user = |doc| {
                let clicks = luck.random_bool(0.4);
                if clicks {
                    clicked.push(shown.len());
                }
                shown.push(doc);
                Examination { clicked: clicks, abandons: clicks && luck.random_bool(0.3) }
            };
            let any = method.compare(&lists, length, &mut own, &mut used, user, &mut scores);
            prop_assert_eq!(any, !clicked.is_empty());

            let fresh = &mut SosmScratch::default();
            let (list, receipt) = method.draw(&lists, length, &mut generator, fresh);
            prop_assert_eq!(list.len(), length.min(sizes.iter().copied().max().unwrap_or(0)));
            prop_assert_eq!(&list[..shown.len()], &shown[..]);
            prop_assert_eq!(&method.credit(&receipt, &clicked).unwrap(), &scores);
            prop_assert_eq!(receipt.rankers(), lists.len());

            let json = serde_json::to_string(&receipt).unwrap();
            let back: SosmReceipt = serde_json::from_str(&json).unwrap();
            prop_assert_eq!(&back, &receipt);
            prop_assert!(method.credit(&receipt, &[list.len()]).is_err());
        }
    }

    #[test]
    fn identical_lists_always_tie(n in 1_usize..60, rankers in 1_usize..20, seed: u64) {
        let mut generator = Generator::seed_from_u64(seed);
        let list = random_list(n, u32::MAX, &mut generator);
        let lists = vec![list.as_list(); rankers];
        let (list, receipt) =
            Sosm::default().draw(&lists, 10, &mut generator, &mut SosmScratch::default());
        for position in 0..list.len() {
            let scores = Sosm::default().credit(&receipt, &[position]).unwrap();
            prop_assert!(scores.iter().all(|&score| score == scores[0]));
        }
    }
}

/// A damaged receipt is credited somehow, and does not panic.
#[test]
fn damaged_receipts() {
    for json in [r#"{"length":3,"ranks":[[0],[],[65535,9,2]]}"#, r#"{"length":18446744073709551615,"ranks":[[0]]}"#] {
        let receipt: SosmReceipt = serde_json::from_str(json).unwrap();
        Sosm::default().credit(&receipt, &[0, 1, 2]).unwrap();
    }
}

#[test]
fn many_rankers_and_documents() {
    let mut generator = Generator::seed_from_u64(24);
    let method = Sosm::with_tau(1.0).unwrap();
    let mut scratch = SosmScratch::default();
    let lists: Vec<ListBuf> = (0..5_000).map(|_| random_list(30, 8, &mut generator)).collect();
    let (list, receipt) = method.draw(&view(&lists), 10, &mut generator, &mut scratch);
    assert_eq!((list.len(), receipt.rankers()), (10, 5_000));
    let lists: Vec<ListBuf> = (0..4).map(|_| random_list(10_000, 2_000, &mut generator)).collect();
    let (list, _) = method.draw(&view(&lists), 10_000, &mut generator, &mut scratch);
    assert_eq!(list.len(), 10_000);
}

#[test]
fn value_stability() {
    let lists = [scores(&[3.0, 1.0, 2.0, 1.0, 1.0, 0.0]), scores(&[0.0, 2.0, 2.0, 0.0, 1.0, 2.0]), scores(&[1.0; 6])];
    let mut generator = Generator::seed_from_u64(42);
    let mut seen = Vec::new();
    for clicks in [[0, 1], [1, 3]] {
        let (list, receipt) = Sosm::default().draw(&view(&lists), 4, &mut generator, &mut SosmScratch::default());
        let scores = Sosm::default().credit(&receipt, &clicks).unwrap();
        seen.push((list.iter().map(|doc| doc.0).collect::<Vec<_>>(), scores));
    }
    assert_eq!(
        seen,
        [
            (vec![0, 3, 2, 1], vec![1_170_935_903_116_328_960, 60_715_194_976_402_240, 1_297_036_692_682_702_848]),
            (vec![0, 3, 5, 2], vec![186_815_984_542_776_128, 162_129_586_585_337_856, 1_297_036_692_682_702_848]),
        ]
    );
}
