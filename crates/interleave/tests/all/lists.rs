//! Which slices are ranked lists.

use crate::enumeration::{Distribution, strict};
use interleave::{Doc, Generator, ListBuf, RankedList, TieGroup};
use proptest::prelude::*;
use rand::SeedableRng;

/// The definition: every rank holds a document of its own, whose group covers that rank
/// and is shared by exactly the documents at the group's ranks; the others have empty groups.
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
        prop_assert!(sound(list.order(), list.groups()));
        for pair in list.order().windows(2) {
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
