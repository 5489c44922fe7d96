//! The advantage from the coins of a team draft: its mean over all coins of small cases, and how much variance it
//! explains.
#![allow(clippy::print_stdout, reason = "the table of what it explains")]

use std::collections::{BTreeMap, BTreeSet};

use clicks::{ClickSpec, Users};
use interleave::{CoinPer, CompetitivePairs, Doc, Generator, Interleaving, ListBuf, TeamDraftInterleave};
use rand::{RngExt, SeedableRng};
use statistics::Normals;
use verdicts::draft::{FIRST_PLACE, advantage, whole_rounds};
use verdicts::integrity::Side;

/// By place: the document and its owner.
type Mixed = Vec<(u16, Option<u8>)>;

/// All lists of some of a number of documents, at least one.
fn all_lists(documents: u16) -> Vec<Vec<u16>> {
    let (mut all, mut begin) = (vec![Vec::new()], 0);
    while begin < all.len() {
        for doc in 0..documents {
            if !all[begin].contains(&doc) {
                all.push([all[begin].clone(), vec![doc]].concat());
            }
        }
        begin += 1;
    }
    all.remove(0);
    all
}

fn next(list: &[u16], mixed: &Mixed) -> Option<u16> {
    list.iter().copied().find(|doc| mixed.iter().all(|(other, _)| other != doc))
}

/// The team draft of two lists: bit r of `coins` chooses the ranker that begins round r.
fn team_draft(lists: [&[u16]; 2], coins: u32) -> Mixed {
    let mut mixed = Mixed::new();
    let mut round = 0;
    loop {
        let first = (coins >> round & 1) as usize;
        let before = mixed.len();
        for ranker in [first, 1 - first] {
            if let Some(doc) = next(lists[ranker], &mixed) {
                mixed.push((doc, Some(ranker as u8)));
            }
        }
        if mixed.len() == before {
            return mixed;
        }
        round += 1;
    }
}

/// The same for competitive pairs: bit r of `coins` chooses the ranker with the upper place of pair r.
fn competitive_pairs(lists: [&[u16]; 2], coins: u32) -> Mixed {
    let mut mixed = Mixed::new();
    let mut pair = 0;
    loop {
        match lists.map(|list| next(list, &mixed)) {
            [Some(a), Some(b)] if a != b => {
                let both = [(a, Some(0)), (b, Some(1))];
                let first = (coins >> pair & 1) as usize;
                mixed.extend([both[first], both[1 - first]]);
                pair += 1;
            }
            [None, None] => return mixed,
            [a, b] => mixed.extend(a.or(b).map(|doc| (doc, None))),
        }
    }
}

fn of_places(mixed: &Mixed, places: usize) -> i64 {
    let owners = mixed.iter().take(places).map(|(_, owner)| *owner);
    advantage(owners.map(|owner| owner.and_then(|owner| Side::of(owner, [0, 1])))).into()
}

/// The places that count of the first ones; `None` if a ranker had none left.
fn whole(mixed: &Mixed, places: usize) -> Option<usize> {
    whole_rounds(mixed.iter().take(places).map(|(_, owner)| *owner), 2)
}

#[test]
fn over_all_coins_its_mean_is_0_up_to_the_shorter_list_and_for_pairs_always() {
    const COINS: u32 = 1 << 4;
    let lists = all_lists(4);
    let mut biased = 0;
    for (a, b) in lists.iter().flat_map(|a| lists.iter().map(move |b| (a, b))) {
        let [drafts, pairs] =
            [team_draft, competitive_pairs].map(|mix| (0..COINS).map(|coins| mix([a, b], coins)).collect::<Vec<_>>());
        // The coins do not affect the length of a list, nor which of its places have no owner.
        assert!(drafts.iter().all(|mixed| mixed.len() == drafts[0].len()));
        let unowned = |mixed: &Mixed| mixed.iter().map(|(_, owner)| owner.is_none()).collect::<Vec<_>>();
        assert!(pairs.iter().all(|mixed| unowned(mixed) == unowned(&pairs[0])));
        for places in 1..=8 {
            let sum = |all: &[Mixed]| all.iter().map(|mixed| of_places(mixed, places)).sum::<i64>();
            // Only whole rounds, if all coins leave some.
            let sum_of_whole = |all: &[Mixed]| {
                let of = |mixed: &Mixed| Some(of_places(mixed, whole(mixed, places)?));
                all.iter().map(of).collect::<Option<Vec<i64>>>().map(|all| all.iter().sum::<i64>())
            };
            assert_eq!((sum(&pairs), sum_of_whole(&pairs)), (0, Some(0)), "{a:?} {b:?} {places}");
            if places <= a.len().min(b.len()) {
                assert_eq!((sum(&drafts), sum_of_whole(&drafts)), (0, Some(0)), "{a:?} {b:?} {places}");
            }
            // Beyond, the mean of the advantages that count is 0 as well, or some coins show that a ranker had none
            // left.
            assert!(matches!(sum_of_whole(&drafts), Some(0) | None), "{a:?} {b:?} {places}");
            biased += usize::from(sum(&drafts) != 0);
            let is_small = |mixed: &Mixed| {
                whole(mixed, places).is_none_or(|whole| of_places(mixed, whole).abs() <= i64::from(FIRST_PLACE))
            };
            assert!(pairs.iter().chain(&drafts).all(is_small));
        }
    }
    println!("the mean of all places is not 0 for {biased} pairs of lists and numbers of places");
    assert!(biased > 1_000, "{biased}");
}

#[test]
fn beyond_the_shorter_list_it_is_not() {
    // The second has one document, and the first adds it where a coin lets it begin: then it has all places.
    let all: Vec<Mixed> = (0..4).map(|coins| team_draft([&[0, 1], &[0]], coins)).collect();
    let of = |places| all.iter().map(|mixed| of_places(mixed, places)).sum::<i64>();
    assert_eq!((of(1), of(2)), (0, 4 * 500));
    // Nor is it over whole rounds alone: the round in which a ranker has none left depends on coins.
    let is_whole = |mixed: &&Mixed| whole(mixed, 2).is_some();
    assert_eq!(all.iter().filter(is_whole).map(|mixed| of_places(mixed, 2)).sum::<i64>(), 2 * -500);
}

#[test]
fn the_library_mixes_these_lists() {
    let lists = all_lists(4);
    let mut draws = Generator::seed_from_u64(1);
    for _ in 0..60 {
        let [a, b] = [0, 1].map(|_| &lists[draws.random_range(0..lists.len())]);
        let [of_a, of_b] = [a, b].map(|list| ListBuf::strict(list.iter().copied().map(Doc)).unwrap());
        let both = [of_a.as_list(), of_b.as_list()];
        let mixed = |shown: Vec<Doc>, owners: &mut dyn Iterator<Item = Option<usize>>| -> Mixed {
            shown.into_iter().map(|doc| doc.0).zip(owners.map(|owner| owner.map(|owner| owner as u8))).collect()
        };
        let (mut drafted, mut paired) = (BTreeMap::<Mixed, usize>::new(), BTreeSet::new());
        for _ in 0..400 {
            let (shown, receipt) = TeamDraftInterleave::default().draw(both, 8, &mut draws, &mut Default::default());
            *drafted.entry(mixed(shown, &mut receipt.owners())).or_default() += 1;
            let method = CompetitivePairs::new(CoinPer::Round);
            let (shown, receipt) = method.draw(both, 8, &mut draws, &mut Default::default());
            paired.insert(mixed(shown, &mut receipt.owners()));
        }
        let all = |mix: fn([&[u16]; 2], u32) -> Mixed| (0..16).map(|coins| mix([a, b], coins)).collect::<BTreeSet<_>>();
        assert_eq!(drafted.into_keys().collect::<BTreeSet<_>>(), all(team_draft), "{a:?} {b:?}");
        assert_eq!(paired, all(competitive_pairs), "{a:?} {b:?}");
    }
}

/// A user's clicks and purchases for each of two rankers, and the advantage.
#[derive(Default)]
struct Unit {
    advantage: f64,
    clicks: f64,
    value: f64,
}

/// The square of the correlation of the advantage and a difference: the share of its variance that it explains.
fn explained(units: &[Unit], difference: impl Fn(&Unit) -> f64) -> f64 {
    let sum = |of: &dyn Fn(&Unit) -> f64| units.iter().map(of).sum::<f64>();
    let products = sum(&|unit| unit.advantage * difference(unit));
    let squares = sum(&|unit| unit.advantage * unit.advantage) * sum(&|unit| difference(unit) * difference(unit));
    products * products / squares
}

/// Queries: the labels of 20 documents, and the users of each.
fn queries(model: &str, draws: &mut Generator) -> Vec<(Vec<f32>, Users)> {
    (0..200)
        .map(|_| {
            let labels: Vec<f32> = (0..20)
                .map(|_| match draws.random_range(0..20) {
                    0..10 => 0.0,
                    10..14 => 1.0,
                    14..17 => 2.0,
                    17..19 => 3.0,
                    _ => 4.0,
                })
                .collect();
            let spec: ClickSpec = model.parse().unwrap();
            let users = spec.users(&[labels.as_slice(), &[4.0]].concat()).unwrap();
            (labels, users)
        })
        .collect()
}

/// Users with three searches each, lists of ten documents, and two equal rankers.
fn units(model: &str, is_pairs: bool, users: usize) -> Vec<Unit> {
    let mut draws = Generator::seed_from_u64(7);
    let mut normals = Normals::from_seed(7);
    let queries = queries(model, &mut draws);
    let mut of_user = || {
        let mut unit = Unit::default();
        for _ in 0..3 {
            let (labels, users) = &queries[draws.random_range(0..queries.len())];
            let lists = [0, 1].map(|_| {
                let scores: Vec<f64> = labels.iter().map(|label| f64::from(*label) + normals.normal()).collect();
                ListBuf::from_scores(&scores).unwrap()
            });
            let both = [lists[0].as_list(), lists[1].as_list()];
            let (shown, owners): (Vec<usize>, Vec<Option<usize>>) = if is_pairs {
                let mut scratch = Default::default();
                let (shown, receipt) = CompetitivePairs::default().draw(both, 10, &mut draws, &mut scratch);
                (shown.iter().map(|doc| usize::from(doc.0)).collect(), receipt.owners().collect())
            } else {
                let mut scratch = Default::default();
                let (shown, receipt) = TeamDraftInterleave::default().draw(both, 10, &mut draws, &mut scratch);
                (shown.iter().map(|doc| usize::from(doc.0)).collect(), receipt.owners().collect())
            };
            unit.advantage +=
                f64::from(advantage(owners.iter().map(|owner| owner.and_then(|at| Side::of(at, [0, 1])))));
            for position in users.read(shown, &mut draws) {
                let sign = [1.0, -1.0];
                let Some(owner) = owners[position] else { continue };
                unit.clicks += sign[owner];
                // One click in five is an order.
                if draws.random_range(0..5) == 0 {
                    unit.value += sign[owner] * 3_000.0 * libm::exp(normals.normal());
                }
            }
        }
        // One in some hundred differs by more.
        unit.value = unit.value.clamp(-30_000.0, 30_000.0);
        unit
    };
    (0..users).map(|_| of_user()).collect()
}

/// The table in `docs/pages/how-to/orders.md`.
const MODELS: [(&str, &str); 7] = [
    ("position-based, eta .5", "pbm:navigational,eta=0.5"),
    ("position-based, eta 1", "pbm:navigational,eta=1"),
    ("position-based, eta 2", "pbm:navigational,eta=2"),
    ("cascade: perfect", "perfect"),
    ("cascade: navigational", "navigational"),
    ("cascade: informational", "informational"),
    ("dynamic Bayesian, navigational", "dbn:navigational"),
];

#[test]
#[ignore = "a measurement, whose table is in the documentation"]
fn share_of_the_variance_at_full_size() {
    println!(
        "| users | clicks, team draft | clicks, pairs | value, team draft | value, pairs |\n|---|---|---|---|---|"
    );
    for (name, model) in MODELS {
        let [draft, pairs] = [false, true].map(|is_pairs| units(model, is_pairs, 40_000));
        let percent = |share: f64| format!("{:.1}%", 100.0 * share);
        let [clicks, value] = [|unit: &Unit| unit.clicks, |unit: &Unit| unit.value]
            .map(|of| [&draft, &pairs].map(|units| percent(explained(units, of))).join(" | "));
        println!("| {name} | {clicks} | {value} |");
    }
}

#[test]
fn it_explains_much_where_users_look_at_the_top() {
    let [top, all] = ["pbm:navigational,eta=2", "pbm:navigational,eta=0.5"].map(|model| units(model, false, 4_000));
    let [of_top, of_all] = [&top, &all].map(|units| explained(units, |unit| unit.clicks));
    assert!(of_top > 0.2 && of_all < 0.5 * of_top, "{of_top} {of_all}");
    let value = explained(&top, |unit| unit.value);
    // By chance, the square of a correlation is below 16 of 4,000.
    assert!(value > 16.0 / 4_000.0 && value < of_top, "{value} {of_top}");
    // The advantages of other users have no effect.
    let shifted: Vec<Unit> =
        top.iter().zip(&all[1..]).map(|(unit, other)| Unit { advantage: other.advantage, ..*unit }).collect();
    assert!(explained(&shifted, |unit| unit.clicks) < 16.0 / 4_000.0);
}
