//! Pages of a mixed list: the beginning of a longer list, documents left out, pinned places.

use crate::enumeration::{Distribution, numbers, pair, permutations, sign, some_list, strict, view};
use crate::oracle::{Drawn, bias, sign_of, subsets};
use crate::promises::{interleavings, multileavings};
use interleave::{
    AnyInterleaving, AnyMultileaving, CreditError, Generator, Interleaving, ListBuf, Multileaving, Outcome, Page,
    RankedList,
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};

/// Methods with lists that depend on how many documents are drawn.
const NOT_STABLE: [&str; 6] = [
    "optimized",
    "optimized:binary",
    "optimized:inverse",
    "optimized:negative",
    "optimized:lists=8",
    "probabilistic:sampled=50",
];

/// Click sets on a page of `length` places.
fn clicks(length: usize, generator: &mut Generator) -> Vec<usize> {
    (0..length).filter(|_| generator.random_bool(0.3)).collect()
}

#[test]
fn methods_say_whether_they_are_prefix_stable() {
    for method in interleavings() {
        assert_eq!(method.is_prefix_stable(), !NOT_STABLE.contains(&&*method.to_string()), "{method}");
    }
    for method in multileavings() {
        assert_eq!(method.is_prefix_stable(), !NOT_STABLE.contains(&&*method.to_string()), "{method}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// One draw of three pages is page 1, pages 1 and 2, and all three; clicks are worth the same.
    #[test]
    fn the_beginning_of_a_long_list_is_the_short_one(
        n in 0_u16..40, m in 1_usize..6, levels in prop::sample::select(vec![1, 3, 8, 1_000_000]), page in 1_usize..9, seed: u64,
    ) {
        for method in interleavings().into_iter().filter(Interleaving::is_prefix_stable) {
            let mut generator = Generator::seed_from_u64(seed);
            let lists = [0; 2].map(|_| some_list(n, levels, &mut generator));
            let (mixed, kept) = method.draw(pair(&lists), 3 * page, &mut generator.clone(), &mut Default::default());
            for pages in 1..4 {
                let own = &mut generator.clone();
                let (shown, alone) = method.draw(pair(&lists), pages * page, own, &mut Default::default());
                prop_assert_eq!(&mixed[..shown.len()], &shown[..], "{}", method);
                let seen = Page::first(shown.len());
                let clicks = clicks(shown.len(), &mut Generator::seed_from_u64(seed ^ pages as u64));
                let credit = method.credit_page(&kept, &seen, &clicks).unwrap();
                prop_assert_eq!(credit, method.credit(&alone, &clicks).unwrap(), "{} {:?}", method, clicks);
                // The user of a shorter page saw the beginning of this one.
                let whole = Page::first(mixed.len());
                prop_assert_eq!(whole.truncated(seen.len()), seen);
            }
        }
        for method in multileavings().into_iter().filter(Multileaving::is_prefix_stable) {
            let mut generator = Generator::seed_from_u64(seed);
            let lists: Vec<_> = (0..m).map(|_| some_list(n, levels, &mut generator)).collect();
            let (mixed, kept) = method.draw(&view(&lists), 3 * page, &mut generator.clone(), &mut Default::default());
            for pages in 1..4 {
                let own = &mut generator.clone();
                let (shown, alone) = method.draw(&view(&lists), pages * page, own, &mut Default::default());
                prop_assert_eq!(&mixed[..shown.len()], &shown[..], "{}", method);
                let clicks = clicks(shown.len(), &mut Generator::seed_from_u64(seed ^ pages as u64));
                let credit = method.credit_page(&kept, &Page::first(shown.len()), &clicks).unwrap();
                prop_assert_eq!(credit, method.credit(&alone, &clicks).unwrap(), "{} {:?}", method, clicks);
            }
        }
    }

    /// Pages that leave out or add documents never panic, and clicks on pinned places do not count.
    #[test]
    fn any_page_is_credited(n in 0_u16..20, m in 1_usize..5, seed: u64) {
        let mut generator = Generator::seed_from_u64(seed);
        let lists: Vec<_> = (0..m.max(2)).map(|_| some_list(n, 4, &mut generator)).collect();
        let page_of = |length: usize, generator: &mut Generator| {
            let mut places = Vec::new();
            for position in 0..length {
                if generator.random_bool(0.2) {
                    places.push(None);
                }
                if generator.random_bool(0.8) {
                    places.push(Some(position));
                }
            }
            Page::new(places).unwrap()
        };
        for method in interleavings() {
            let (mixed, kept) = method.draw(pair(&lists), 8, &mut generator, &mut Default::default());
            let page = page_of(mixed.len(), &mut generator);
            let clicks = clicks(page.len(), &mut generator);
            let credit = method.credit_page(&kept, &page, &clicks).unwrap();
            let owned: Vec<usize> = clicks.iter().copied().filter(|&n| page.places().nth(n).unwrap().is_some()).collect();
            prop_assert_eq!(method.credit_page(&kept, &page, &owned).unwrap(), credit);
            let below = CreditError::Position { position: page.len(), length: page.len() };
            prop_assert_eq!(method.credit_page(&kept, &page, &[page.len()]), Err(below));
            let beyond = CreditError::Page { position: mixed.len(), mixed: mixed.len() };
            prop_assert_eq!(method.credit_page(&kept, &Page::first(mixed.len() + 1), &[]), Err(beyond));
        }
        for method in multileavings() {
            let (mixed, kept) = method.draw(&view(&lists), 8, &mut generator, &mut Default::default());
            let page = page_of(mixed.len(), &mut generator);
            let clicks = clicks(page.len(), &mut generator);
            let credit = method.credit_page(&kept, &page, &clicks).unwrap();
            let owned: Vec<usize> = clicks.iter().copied().filter(|&n| page.places().nth(n).unwrap().is_some()).collect();
            prop_assert_eq!(method.credit_page(&kept, &page, &owned).unwrap(), credit);
            let beyond = CreditError::Page { position: mixed.len(), mixed: mixed.len() };
            prop_assert_eq!(method.credit_page(&kept, &Page::first(mixed.len() + 1), &[]).unwrap_err(), beyond);
        }
    }
}

/// Every pair of rankers of up to four documents, every length of the page and every set of clicks, several draws each.
#[test]
fn every_short_list_is_prefix_stable() {
    for n in 1..=4_u16 {
        let orders = permutations(n);
        for method in interleavings() {
            let mut generator = Generator::seed_from_u64(u64::from(n));
            let mut differs = false;
            for a in &orders {
                for b in &orders {
                    let lists = [strict(a), strict(b)];
                    for _ in 0..4 {
                        let (mixed, kept) =
                            method.draw(pair(&lists), usize::from(n), &mut generator.clone(), &mut Default::default());
                        for length in 0..usize::from(n) {
                            let own = &mut generator.clone();
                            let (shown, alone) = method.draw(pair(&lists), length, own, &mut Default::default());
                            differs |= mixed[..length] != shown[..];
                            for clicks in subsets(length) {
                                let credit = method.credit_page(&kept, &Page::first(length), &clicks).unwrap();
                                differs |= credit != method.credit(&alone, &clicks).unwrap();
                            }
                        }
                        let _: u64 = generator.random();
                    }
                }
            }
            assert!(!(method.is_prefix_stable() && differs), "{method}, {n} documents");
            // The property is not vacuous: four documents are enough.
            assert!(method.is_prefix_stable() || differs || n < 4, "{method}, {n} documents");
        }
        // Triples: all of three documents, and a share of four.
        let step = if n < 4 { 1 } else { 7 };
        for method in multileavings() {
            let mut generator = Generator::seed_from_u64(u64::from(n));
            let mut differs = false;
            for code in (0..orders.len().pow(3)).step_by(step) {
                let order = |x: u32| strict(&orders[code / orders.len().pow(x) % orders.len()]);
                let lists = [order(0), order(1), order(2)];
                let (mixed, kept) =
                    method.draw(&view(&lists), usize::from(n), &mut generator.clone(), &mut Default::default());
                for length in 0..usize::from(n) {
                    let own = &mut generator.clone();
                    let (shown, alone) = method.draw(&view(&lists), length, own, &mut Default::default());
                    differs |= mixed[..length] != shown[..];
                    for clicks in subsets(length) {
                        let credit = method.credit_page(&kept, &Page::first(length), &clicks).unwrap();
                        differs |= credit != method.credit(&alone, &clicks).unwrap();
                    }
                }
                let _: u64 = generator.random();
            }
            assert!(!(method.is_prefix_stable() && differs), "{method}, {n} documents");
            assert!(method.is_prefix_stable() || differs || n < 4, "{method}, {n} documents");
        }
    }
}

/// Lists that grow from page to page: the pages are those that the longest lists give in one draw, or a refusal.
#[test]
fn lists_may_grow() {
    use interleave::PageError;
    use interleave::growing_lists::{interleave_growing, multileave_growing};
    let mut generator = Generator::seed_from_u64(9);
    let scores: Vec<Vec<f64>> =
        (0..3).map(|_| (0..30).map(|_| f64::from(generator.random_range(0..9_u32))).collect()).collect();
    // The top of a list, with whole groups of ties.
    let top = |scores: &[f64], least: f64| {
        ListBuf::from_some_scores(scores.iter().map(|&score| (score >= least).then_some(score))).unwrap()
    };
    let stages: Vec<Vec<ListBuf>> =
        [5.0, 3.0, 0.0].iter().map(|&least| scores.iter().map(|scores| top(scores, least)).collect()).collect();
    assert!(stages[0].iter().all(|list| (4..30).contains(&list.as_list().len())));
    let mut grown = 0;
    for method in interleavings() {
        let pages: Vec<[RankedList<'_>; 2]> = stages.iter().map(|lists| pair(lists)).collect();
        let found = interleave_growing(&method, &pages, 4, &generator);
        if !method.may_grow() {
            assert!(matches!(found, Err(PageError::Growing { .. })), "{method}");
            continue;
        }
        let whole = method.draw(pages[2], 12, &mut generator.clone(), &mut Default::default());
        let found = found.unwrap().unwrap();
        assert_eq!(found.0, whole.0, "{method}");
        assert_eq!(method.credit(&found.1, &[1, 5, 9]), method.credit(&whole.1, &[1, 5, 9]), "{method}");
        for pages_so_far in [1, 2] {
            let shown = interleave_growing(&method, &pages[..pages_so_far], 4, &generator).unwrap().unwrap().0;
            assert_eq!(found.0[..4 * pages_so_far], shown[..], "{method}");
        }
        // A list that is not the beginning of the next, and one that had ended on its page.
        let turned = [pages[0], [pages[1][1], pages[1][0]]];
        assert_eq!(
            interleave_growing(&method, &turned, 4, &generator).err(),
            Some(PageError::NotBeginning { list: 0, page: 0 })
        );
        grown += 1;
    }
    for method in multileavings() {
        let pages: Vec<Vec<RankedList<'_>>> = stages.iter().map(|lists| view(lists)).collect();
        let found = multileave_growing(&method, &pages, 4, &generator);
        if !method.may_grow() {
            assert!(matches!(found, Err(PageError::Growing { .. })), "{method}");
            continue;
        }
        let whole = method.draw(&pages[2], 12, &mut generator.clone(), &mut Default::default());
        let found = found.unwrap().unwrap().0;
        assert_eq!(found, whole.0, "{method}");
        for pages_so_far in [1, 2] {
            let shown = multileave_growing(&method, &pages[..pages_so_far], 4, &generator).unwrap().unwrap().0;
            assert_eq!(found[..4 * pages_so_far], shown[..], "{method}");
        }
        grown += 1;
    }
    assert_eq!(grown, 8 + 5);
    // One document for a page of four: the other ranker's fill it, and would not if the list were longer.
    let (short, long, other) = (strict(&[0]), strict(&[0, 1, 2, 3]), strict(&[4, 5, 6, 7, 8]));
    let method: AnyInterleaving = "team-draft".parse().unwrap();
    let pages = [[short.as_list(), other.as_list()], [long.as_list(), other.as_list()]];
    for seed in 0..50 {
        let found = interleave_growing(&method, &pages, 4, &Generator::seed_from_u64(seed));
        assert_eq!(found.err(), Some(PageError::Differs { page: 0 }), "{seed}");
    }
    // A ranker more or less.
    let method: AnyMultileaving = "sosm".parse().unwrap();
    let pages = [vec![other.as_list()], vec![other.as_list(), long.as_list()]];
    let expected = Some(PageError::NotBeginning { list: 1, page: 0 });
    assert_eq!(multileave_growing(&method, &pages, 2, &generator).err(), expected);
}

/// How a page displays a list.
#[derive(Debug, Clone, Copy)]
enum Layout {
    /// Something else first, then the list.
    PinnedFirst,
    /// Without this document.
    Without(u16),
    /// The first two, with something else between.
    FirstTwoAround,
}

impl Layout {
    fn places(self, list: &[u16]) -> Vec<Option<usize>> {
        let all = 0..list.len();
        match self {
            Self::PinnedFirst => std::iter::once(None).chain(all.map(Some)).collect(),
            Self::Without(doc) => all.filter(|&n| list[n] != doc).map(Some).collect(),
            Self::FirstTwoAround => {
                let mut places: Vec<_> = all.take(2).map(Some).collect();
                places.insert(places.len().min(1), None);
                places
            }
        }
    }
}

const LAYOUTS: [Layout; 5] =
    [Layout::PinnedFirst, Layout::Without(0), Layout::Without(1), Layout::Without(2), Layout::FirstTwoAround];

/// The list, and for every set of clicked places of its page the sign of each pair.
type Signature = (Vec<u16>, Vec<Vec<i8>>);

fn expected(drawn: Vec<Drawn>, layout: Layout) -> Distribution<Signature> {
    let mut distribution = Distribution::new();
    for one in drawn {
        let page = layout.places(&one.list);
        let signs = subsets(page.len())
            .map(|clicks| one.verdict_on(&page, &clicks).into_iter().map(sign_of).map(|sign| -sign).collect());
        *distribution.entry((one.list.clone(), signs.collect())).or_default() += one.p;
    }
    distribution
}

/// The page of every list, and the credit of clicks on it, agree with plain versions of the methods.
#[test]
fn pages_are_enumeration() {
    let two: [[&[u16]; 2]; 3] = [[&[0, 1, 2], &[1, 2, 0]], [&[2, 0, 1], &[1, 0, 2]], [&[0, 1], &[2, 1, 0]]];
    for name in crate::methods::INTERLEAVING {
        let method: AnyInterleaving = name.parse().unwrap();
        let mut generator = Generator::seed_from_u64(5);
        for orders in two {
            let lists = orders.map(strict);
            for layout in LAYOUTS {
                let distribution = expected(crate::oracle::interleaving(name, orders, 3).unwrap(), layout);
                let draw = || {
                    let (shown, kept) = method.draw(pair(&lists), 3, &mut generator, &mut Default::default());
                    let page = Page::new(layout.places(&numbers(&shown))).unwrap();
                    let credit = |clicks: Vec<usize>| vec![sign(method.credit_page(&kept, &page, &clicks).unwrap())];
                    (numbers(&shown), subsets(page.len()).map(credit).collect())
                };
                crate::enumeration::assert_follows(&distribution, 1_000, draw, &format!("{name}, {layout:?}"));
            }
        }
    }
    let three: [[&[u16]; 3]; 2] = [[&[0, 1, 2], &[1, 2, 0], &[2, 1, 0]], [&[0, 1, 2], &[0, 2, 1], &[1]]];
    for name in crate::methods::MULTILEAVING {
        let method: AnyMultileaving = name.parse().unwrap();
        let mut generator = Generator::seed_from_u64(6);
        for orders in three {
            let lists = orders.map(strict);
            for layout in LAYOUTS {
                let distribution = expected(crate::oracle::multileaving(name, &orders, 3).unwrap(), layout);
                let draw = || {
                    let (shown, kept) = method.draw(&view(&lists), 3, &mut generator, &mut Default::default());
                    let page = Page::new(layout.places(&numbers(&shown))).unwrap();
                    let credit = |clicks: Vec<usize>| {
                        let outcome = method.credit_page(&kept, &page, &clicks).unwrap();
                        [(0, 1), (0, 2), (1, 2)].map(|(i, j)| sign(outcome.preference(i, j))).to_vec()
                    };
                    (numbers(&shown), subsets(page.len()).map(credit).collect())
                };
                crate::enumeration::assert_follows(&distribution, 1_000, draw, &format!("{name}, {layout:?}"));
            }
        }
    }
}

/// Clicks on places, whatever is there: their credit for a ranker where something else is pinned to the first place, and where
/// a document is left out. Over all pairs and triples of rankers of three documents; `tests/data/pages.csv` has the table.
#[test]
fn bias_of_pages() {
    let orders = permutations(3);
    let mut table =
        String::from("kind,method,pinned first: credit,pinned first: wins,one left out: credit,one left out: wins\n");
    let mut add = |kind: &str, name: &str, drawn: &mut dyn FnMut(usize) -> Option<Vec<Drawn>>| {
        let mut most = [(0.0_f64, 0.0_f64); 2];
        let mut case = 0;
        while let Some(drawn) = drawn(case) {
            case += 1;
            for (at, layouts) in [&LAYOUTS[..1], &LAYOUTS[1..4]].into_iter().enumerate() {
                for &layout in layouts {
                    let (credit, wins) = bias(&drawn, if at == 0 { 4 } else { 2 }, |list| layout.places(list));
                    most[at] = (most[at].0.max(credit), most[at].1.max(wins));
                }
            }
        }
        let number = |x: f64| if x.abs() < 1e-9 { "0".to_owned() } else { format!("{x:.3}") };
        let [(a, b), (c, d)] = most;
        let numbers = [a, b, c, d].map(number).join(",");
        table.push_str(&format!("{kind},{name},{numbers}\n"));
    };
    // A comma would be a column.
    for name in crate::methods::INTERLEAVING.into_iter().filter(|name| !name.contains(',')) {
        add("two", name, &mut |case| {
            let pair = (case < 36).then(|| [case / 6, case % 6].map(|order| orders[order].as_slice()))?;
            crate::oracle::interleaving(name, pair, 3)
        });
    }
    for name in crate::methods::MULTILEAVING {
        add("many", name, &mut |case| {
            let triple =
                (case < 216).then(|| [case / 36, case / 6 % 6, case % 6].map(|order| orders[order].as_slice()))?;
            crate::oracle::multileaving(name, &triple, 3)
        });
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/pages.csv");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &table).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), table, "UPDATE=1 rewrites it");
    // The documentation has the same numbers, and says which pages a method serves.
    let documented = include_str!("../../src/page.rs");
    for row in table.lines().skip(1) {
        let [kind, name, numbers @ ..] = &row.split(',').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let (rankers, may_grow) = match *kind {
            "two" => ("two", name.parse::<AnyInterleaving>().unwrap().may_grow()),
            _ => ("any number", name.parse::<AnyMultileaving>().unwrap().may_grow()),
        };
        let pages = if may_grow { "several; lists may grow" } else { "several" };
        let line = format!("//! | `{name}` | {rankers} | {pages} | {} |\n", numbers.join(" | "));
        assert!(documented.contains(&line), "{line}");
    }
}
