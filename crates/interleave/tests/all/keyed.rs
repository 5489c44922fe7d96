//! Streams with keys: every method gives an impression the same outcome wherever and whenever it is played.

use interleave::keyed::{ImpressionKey, RunKey};
use interleave::{
    AnyInterleaving, AnyMultileaving, AnyOutcome, Doc, Examination, Generator, Interleaving, ListBuf, Multileaving,
    Outcome, Preference, RankedList, receipt,
};
use rand::{RngExt, SeedableRng};

const IMPRESSIONS: u64 = 200;
const QUERIES: usize = 12;
const RANKERS: usize = 4;

/// The lists of all rankers for each query, some documents tied, some missing.
fn queries() -> Vec<Vec<ListBuf>> {
    let mut generator = Generator::seed_from_u64(3);
    let mut list = |_| {
        let score = |_| generator.random_bool(0.8).then(|| f64::from(generator.random_range(0..5)));
        ListBuf::from_some_scores((0..14).map(score).collect::<Vec<_>>()).unwrap()
    };
    (0..QUERIES).map(|_| (0..RANKERS).map(&mut list).collect()).collect()
}

/// A user who clicks on documents with low numbers and sometimes leaves.
fn examine(doc: Doc, luck: &mut Generator) -> Examination {
    let clicked = luck.random_bool(if doc.0 < 5 { 0.7 } else { 0.2 });
    Examination { clicked, abandons: luck.random_bool(0.2) }
}

/// The clicks of a user who gets the list immediately.
fn clicks(shown: &[Doc], mut luck: Generator) -> Vec<usize> {
    let mut clicked = Vec::new();
    for (position, doc) in shown.iter().enumerate() {
        let seen = examine(*doc, &mut luck);
        clicked.extend(seen.clicked.then_some(position));
        if seen.abandons {
            break;
        }
    }
    clicked
}

fn views(lists: &[ListBuf]) -> Vec<RankedList<'_>> {
    lists.iter().map(ListBuf::as_list).collect()
}

/// The winner, and whether a coin decided.
fn decided(winner: Preference, key: ImpressionKey) -> (bool, bool) {
    match winner {
        Preference::First => (true, false),
        Preference::Second => (false, false),
        Preference::Tie => (key.coin(), true),
    }
}

#[test]
fn interleaving_in_order_is_interleaving_in_parts_backwards() {
    let queries = queries();
    for name in AnyInterleaving::NAMES {
        let method: AnyInterleaving = name.parse().unwrap();
        let run = RunKey::new(9, 1);
        // One simulation: lists are drawn as far as users read, memory is reused.
        let mut scratch = Default::default();
        let mut simulated: Vec<(bool, bool)> = (1..=IMPRESSIONS)
            .map(|number| {
                let key = run.impression(number);
                let lists = views(&queries[key.query(QUERIES)]);
                let (mut chance, mut luck) = (key.lists(), key.users());
                let user = |doc| examine(doc, &mut luck);
                decided(method.compare([lists[0], lists[1]], 6, &mut chance, &mut scratch, user), key)
            })
            .collect();
        // A server and its clients, the last impression first: all that they share is the key, the list and a receipt.
        let mut served: Vec<(bool, bool)> = (1..=IMPRESSIONS)
            .rev()
            .map(|number| {
                let query = RunKey::new(9, 1).impression(number).query(QUERIES);
                let lists = views(&queries[query]);
                let chance = &mut RunKey::new(9, 1).impression(number).lists();
                let (shown, kept) = method.draw([lists[0], lists[1]], 6, chance, &mut Default::default());
                let bytes = receipt::to_bytes(&kept).unwrap();
                let clicked = clicks(&shown, RunKey::new(9, 1).impression(number).users());
                let kept = receipt::from_bytes(&bytes).unwrap();
                decided(method.credit(&kept, &clicked).unwrap(), RunKey::new(9, 1).impression(number))
            })
            .collect();
        served.reverse();
        assert_eq!(simulated, served, "{name}");
        // Both rankers win, and some impressions tie: a comparison of anything else would be of no use.
        simulated.sort_unstable();
        simulated.dedup();
        assert_eq!(simulated.len(), 4, "{name}");
    }
}

#[test]
fn multileaving_in_order_is_multileaving_in_parts_backwards() {
    let queries = queries();
    for name in AnyMultileaving::NAMES {
        // Fewer assignments, to save time.
        let method: AnyMultileaving = name.replace("10000", "50").parse().unwrap();
        let preferences = |outcome: &AnyOutcome| -> Vec<Preference> {
            (0..RANKERS)
                .flat_map(|i| (0..RANKERS).map(move |j| (i, j)))
                .map(|(i, j)| outcome.preference(i, j))
                .collect()
        };
        let (mut scratch, mut outcome) = (Default::default(), AnyOutcome::default());
        let simulated: Vec<Vec<Preference>> = (1..=IMPRESSIONS)
            .map(|number| {
                let key = RunKey::new(9, 1).impression(number);
                let (mut chance, mut luck) = (key.lists(), key.users());
                let user = |doc| examine(doc, &mut luck);
                let lists = views(&queries[key.query(QUERIES)]);
                method.compare(&lists, 6, &mut chance, &mut scratch, user, &mut outcome);
                preferences(&outcome)
            })
            .collect();
        let mut served: Vec<Vec<Preference>> = (1..=IMPRESSIONS)
            .rev()
            .map(|number| {
                let key = RunKey::new(9, 1).impression(number);
                let lists = views(&queries[key.query(QUERIES)]);
                let (shown, kept) = method.draw(&lists, 6, &mut key.lists(), &mut Default::default());
                preferences(&method.credit(&kept, &clicks(&shown, key.users())).unwrap())
            })
            .collect();
        served.reverse();
        assert_eq!(simulated, served, "{name}");
        let wins = simulated.iter().flatten().filter(|winner| **winner == Preference::First).count();
        assert!(wins > IMPRESSIONS as usize / 4, "{name}: {wins}");
    }
}

/// The purpose of keys: with one generator for all impressions, the same two ways of playing differ.
#[test]
fn one_generator_for_all_impressions_would_not_do() {
    let queries = queries();
    let differ = AnyInterleaving::NAMES.iter().filter(|name| {
        let method: AnyInterleaving = name.parse().unwrap();
        let [mut now, mut later] = [(); 2].map(|()| Generator::seed_from_u64(1));
        (1..=IMPRESSIONS).any(|number| {
            let key = RunKey::new(9, 1).impression(number);
            let lists = views(&queries[key.query(QUERIES)]);
            let mut luck = key.users();
            let user = |doc| examine(doc, &mut luck);
            let winner = method.compare([lists[0], lists[1]], 6, &mut now, &mut Default::default(), user);
            let (shown, kept) = method.draw([lists[0], lists[1]], 6, &mut later, &mut Default::default());
            method.credit(&kept, &clicks(&shown, key.users())).unwrap() != winner
        })
    });
    let differ: Vec<_> = differ.collect();
    assert!(differ.contains(&&"probabilistic"), "{differ:?}");
}
