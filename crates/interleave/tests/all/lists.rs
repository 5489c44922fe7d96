//! Which slices are ranked lists.

use crate::enumeration::{Distribution, strict};
use interleave::{
    AnyInterleaving, AnyMultileaving, AnyOutcome, Doc, Examination, Generator, Interleaving, ListBuf, Multileaving,
    RankedList, TieGroup,
};
use proptest::prelude::*;
use rand::{Rng, RngExt, SeedableRng};

/// The definition: every rank holds a document of its own. Its group covers that rank and is shared by
/// exactly the documents at the group's ranks; the other documents have empty groups.
fn sound(order: &[Doc], groups: &[TieGroup]) -> bool {
    let listed = order.iter().enumerate().all(|(rank, doc)| {
        groups.get(doc.index()).is_some_and(|group| {
            let ranks = usize::from(group.start)..usize::from(group.end);
            let alone = order.iter().filter(|other| *other == doc).count() == 1;
            alone
                && ranks.contains(&rank)
                && ranks.clone().all(|rank| order.get(rank).and_then(|other| groups.get(other.index())) == Some(group))
        })
    });
    let unlisted = groups
        .iter()
        .enumerate()
        .all(|(doc, group)| group.start == group.end || order.iter().any(|listed| listed.index() == doc));
    listed && unlisted
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]
    #[test]
    fn checked_by_the_definition(
        order in prop::collection::vec(0_u16..4, 0..4),
        groups in prop::collection::vec((0_u16..4, 0_u16..3), 0..4),
    ) {
        let order: Vec<Doc> = order.into_iter().map(Doc).collect();
        let groups: Vec<TieGroup> =
            groups.iter().map(|&(start, size)| TieGroup { start, end: start + size }).collect();
        prop_assert_eq!(RankedList::new(&order, &groups).is_ok(), sound(&order, &groups));
    }

    #[test]
    fn scores_make_sound_lists(scores in prop::collection::vec(-3_i8..3, 0..30)) {
        let scores: Vec<f64> = scores.into_iter().map(f64::from).collect();
        let list = ListBuf::from_scores(&scores).unwrap();
        let list = list.as_list();
        let (order, groups): (Vec<Doc>, Vec<TieGroup>) = (list.docs().collect(), list.groups().collect());
        prop_assert!(sound(&order, &groups));
        for pair in order.windows(2) {
            let [a, b] = [pair[0], pair[1]].map(|doc| scores[doc.index()]);
            prop_assert!(a >= b);
            prop_assert_eq!(a == b, list.group(pair[0]) == list.group(pair[1]));
        }
    }
}

#[test]
fn refusals() {
    let group = |start, end| TieGroup { start, end };
    let error = |order: &[u16], groups: &[TieGroup]| {
        let order: Vec<Doc> = order.iter().copied().map(Doc).collect();
        RankedList::new(&order, groups).unwrap_err().to_string()
    };
    let single = [group(0, 1), group(1, 2)];
    assert!(error(&[0, 2], &single).contains("document 2 at rank 1 has no group"));
    assert!(error(&[0, 0], &single).contains("document 0 is listed twice"));
    assert!(error(&[1, 0], &single).contains("document 1 is at rank 0, outside its group 1..2"));
    assert!(error(&[0, 1], &[group(0, 2), group(1, 2)]).contains("group 0..2 of document 0 ends early"));
    assert!(error(&[0], &single).contains("document 1 has a group but no rank"));
    assert!(error(&[], &vec![group(0, 0); 65_536]).contains("65536 documents are more than 65535"));

    let nan = ListBuf::from_scores(&[1.0, f64::NAN]).unwrap_err().to_string();
    assert!(nan.contains("the score of document 1 is not a number"));
    assert!(ListBuf::from_scores(&vec![0.0; 65_536]).is_err());
    assert!(ListBuf::strict([0, 1, 0].map(Doc)).is_err());
    assert!(ListBuf::strict((0..=u16::MAX).map(Doc)).is_err());
    // Documents may be left out.
    assert_eq!(ListBuf::strict([4, 1].map(Doc)).unwrap().as_list().len(), 2);
}

/// All orders that the ties allow, and no others, are equally likely.
#[test]
fn all_tie_orders_are_equally_likely() {
    let mut generator = Generator::seed_from_u64(8);
    let mut order = vec![Doc(9)];
    for list in [
        strict(&[]),
        strict(&[2, 0, 1]),
        crate::enumeration::scores(&[1.0; 4]),
        crate::enumeration::scores(&[1.0, 2.0, 1.0, 2.0, 3.0, 1.0]),
        ListBuf::from_some_scores([Some(1.0), None, Some(1.0), Some(0.0), None]).unwrap(),
    ] {
        let orders = crate::enumeration::orders(list.as_list());
        let share = 1.0 / orders.len() as f64;
        let distribution: Distribution<Vec<u16>> = orders.into_iter().map(|order| (order, share)).collect();
        let draw = || {
            list.as_list().break_ties(&mut generator, &mut order);
            order.iter().map(|doc| doc.0).collect()
        };
        crate::enumeration::assert_follows(&distribution, 20_000, draw, &format!("{list:?}"));
    }
}

/// A list of all documents, stored.
fn stored(list: RankedList<'_>) -> Vec<u16> {
    let order: Vec<Doc> = list.docs().collect();
    let mut ends: Vec<u16> = order.iter().map(|&doc| list.group(doc).end).collect();
    ends.dedup();
    let mut words = vec![0; RankedList::words(order.len())];
    RankedList::store(&order, &ends, &mut words);
    words
}

/// Three rankers of a number of documents, which tie never, sometimes and often.
fn rankers(documents: usize, generator: &mut Generator) -> Vec<ListBuf> {
    let list = |levels: u32| {
        let scores: Vec<f64> = (0..documents).map(|_| f64::from(generator.random_range(0..levels))).collect();
        ListBuf::from_scores(&scores).unwrap()
    };
    [1_000_000, 12, 3].map(list).into()
}

/// Methods show the same documents and give the same outcomes, with the same randomness, however lists are held: numbers of
/// documents around those of a word and of a byte.
#[test]
fn every_method_treats_both_forms_alike() {
    let mut generator = Generator::seed_from_u64(12);
    for documents in [0, 1, 7, 63, 64, 65, 130, 256, 257] {
        let rankers = rankers(documents, &mut generator);
        let plain: Vec<RankedList<'_>> = rankers.iter().map(ListBuf::as_list).collect();
        let words: Vec<Vec<u16>> = plain.iter().map(|&list| stored(list)).collect();
        let short: Vec<RankedList<'_>> = words.iter().map(|words| RankedList::stored(words, documents)).collect();
        let forms = [&plain, &short];
        for seed in 0..20 {
            let mut luck = Generator::seed_from_u64(seed);
            let clicks = luck.next_u64();
            let user = |doc: Doc| Examination { clicked: clicks >> (doc.0 % 64) & 1 == 1, abandons: doc.0 % 13 == 12 };
            let [one, other] = forms.map(|lists| {
                let mut generator = Generator::seed_from_u64(seed);
                let mut order = Vec::new();
                lists.iter().for_each(|list| list.break_ties(&mut generator, &mut order));
                (order, generator.next_u64())
            });
            assert_eq!(one, other, "{documents} documents, seed {seed}");
            // Linear programs take long.
            let tried = |name: &&&str| !name.contains("optimized") || seed == 0;
            for name in AnyInterleaving::NAMES.iter().filter(tried) {
                let method: AnyInterleaving = name.parse().unwrap();
                let pair = [luck.random_range(0..3), luck.random_range(0..3)];
                let [one, other] = forms.map(|lists| {
                    let mut generator = Generator::seed_from_u64(seed);
                    let pair = pair.map(|ranker: usize| lists[ranker]);
                    let winner = method.compare(pair, 10, &mut generator, &mut Default::default(), user);
                    let drawn = method.draw(pair, 10, &mut generator, &mut Default::default());
                    let pairs = [(0, 1), (0, 2), (1, 2), (2, 0), (1, 0), (2, 1)];
                    let mut winners = Vec::new();
                    let verdict = |_, winner| winners.push(winner);
                    method.compare_pairs(lists, &pairs, 10, &mut generator, &mut Default::default(), user, verdict);
                    (winner, drawn, winners, generator.next_u64())
                });
                assert_eq!(one, other, "{name}, {documents} documents, seed {seed}");
            }
            for name in AnyMultileaving::NAMES.iter().filter(tried) {
                let method: AnyMultileaving = name.replace("10000", "50").parse().unwrap();
                let [one, other] = forms.map(|lists| {
                    let (mut generator, mut outcome) = (Generator::seed_from_u64(seed), AnyOutcome::default());
                    method.compare(lists, 10, &mut generator, &mut Default::default(), user, &mut outcome);
                    (outcome, method.draw(lists, 10, &mut generator, &mut Default::default()), generator.next_u64())
                });
                assert_eq!(one, other, "{name}, {documents} documents, seed {seed}");
            }
        }
    }
}
