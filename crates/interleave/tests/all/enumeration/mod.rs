//! The methods by enumeration: every tie-break, every list and every assignment of small cases with its
//! probability. Tests compare what the library draws with these.
#![allow(dead_code, unreachable_pub, reason = "each test uses a part")]

use std::collections::BTreeMap;

use interleave::{CreditTies, Doc, Generator, ListBuf, Preference, RankedList};
use rand::RngExt;

/// Outcomes with their probabilities.
pub type Distribution<T> = BTreeMap<T, f64>;

/// A list and the winner, as a sign: -1 the first, 1 the second.
pub type Seen = (Vec<u16>, i8);

pub fn sign(preference: Preference) -> i8 {
    match preference {
        Preference::First => -1,
        Preference::Tie => 0,
        Preference::Second => 1,
    }
}

pub fn scores(scores: &[f64]) -> ListBuf {
    ListBuf::from_scores(scores).unwrap()
}

pub fn strict(order: &[u16]) -> ListBuf {
    ListBuf::strict(order.iter().copied().map(Doc)).unwrap()
}

/// A list of `n` documents, with ties if `levels` is below `n`.
pub fn random_list(n: usize, levels: u32, generator: &mut Generator) -> ListBuf {
    let levels = levels.max(1);
    scores(&(0..n).map(|_| f64::from(generator.random_range(0..levels))).collect::<Vec<_>>())
}

/// Pairs of lists: strict, tied, of different lengths, and with documents missing.
pub fn pairs() -> Vec<[ListBuf; 2]> {
    vec![
        [strict(&[]), strict(&[])],
        [strict(&[0]), strict(&[0])],
        [strict(&[0]), strict(&[])],
        [strict(&[0, 1]), strict(&[0, 1])],
        [strict(&[0, 1]), strict(&[1, 0])],
        [strict(&[0, 1]), scores(&[1.0, 1.0])],
        [scores(&[1.0, 1.0]), scores(&[1.0, 1.0])],
        [strict(&[0, 1, 2]), strict(&[0, 1, 2])],
        [strict(&[0, 1, 2]), strict(&[1, 2, 0])],
        [strict(&[2, 0, 1]), strict(&[1, 0, 2])],
        [strict(&[0, 1, 2]), scores(&[1.0, 0.0, 1.0])],
        [scores(&[2.0, 1.0, 1.0]), scores(&[1.0, 2.0, 2.0])],
        [scores(&[3.0, 3.0, 3.0]), strict(&[2, 1, 0])],
        [scores(&[3.0, 3.0, 3.0]), scores(&[5.0, 5.0, 5.0])],
        [strict(&[1, 0]), strict(&[0, 1, 2])],
        [strict(&[2, 0]), scores(&[1.0, 1.0])],
        [strict(&[2]), scores(&[4.0, 4.0, 1.0])],
    ]
}

/// Every order that a list's ties allow; all are equally likely.
pub fn orders(list: RankedList<'_>) -> Vec<Vec<u16>> {
    fn extend(list: RankedList<'_>, order: &mut Vec<u16>, all: &mut Vec<Vec<u16>>) {
        if order.len() == list.len() {
            all.push(order.clone());
        }
        for doc in 0..list.documents() as u16 {
            if list.group(Doc(doc)).ranks().contains(&order.len()) && !order.contains(&doc) {
                order.push(doc);
                extend(list, order, all);
                order.pop();
            }
        }
    }
    let mut all = Vec::new();
    extend(list, &mut Vec::new(), &mut all);
    all
}

/// P_x(doc) once `gone` are gone.
pub fn softmax(order: &[u16], gone: &[u16], doc: u16, tau: f64) -> f64 {
    let weight = |d: u16| {
        let rank = order.iter().position(|&other| other == d).filter(|_| !gone.contains(&d));
        rank.map_or(0.0, |rank| libm::pow(rank as f64 + 1.0, -tau))
    };
    let total: f64 = order.iter().map(|&d| weight(d)).sum();
    if total > 0.0 { weight(doc) / total } else { 0.0 }
}

/// Every list of probabilistic interleaving under two strict orders.
pub fn pi_lists(orders: [&[u16]; 2], length: usize, tau: f64) -> Distribution<Vec<u16>> {
    fn extend(
        orders: [&[u16]; 2],
        length: usize,
        tau: f64,
        p: f64,
        list: &mut Vec<u16>,
        all: &mut Distribution<Vec<u16>>,
    ) {
        let left = |x: usize| orders[x].iter().any(|doc| !list.contains(doc));
        if list.len() == length || !(left(0) || left(1)) {
            *all.entry(list.clone()).or_default() += p;
            return;
        }
        let share = match (left(0), left(1)) {
            (true, true) => [0.5, 0.5],
            (true, false) => [1.0, 0.0],
            _ => [0.0, 1.0],
        };
        let most = orders[0].iter().chain(orders[1]).max().map_or(0, |doc| doc + 1);
        for doc in (0..most).filter(|doc| !list.contains(doc)).collect::<Vec<_>>() {
            let chance: f64 = (0..2).map(|x| share[x] * softmax(orders[x], list, doc, tau)).sum();
            if chance > 0.0 {
                list.push(doc);
                extend(orders, length, tau, p * chance, list, all);
                list.pop();
            }
        }
    }
    let mut all = Distribution::new();
    extend(orders, length, tau, 1.0, &mut Vec::new(), &mut all);
    all
}

/// E[sign(N_2 - N_1)] of probabilistic interleaving, over all assignments.
pub fn pi_expected(orders: [&[u16]; 2], list: &[u16], clicked: &[usize], tau: f64) -> f64 {
    let second: Vec<f64> = clicked
        .iter()
        .map(|&n| {
            let [p1, p2] = [0, 1].map(|x| softmax(orders[x], &list[..n], list[n], tau));
            p2 / (p1 + p2)
        })
        .collect();
    (0_u32..1 << clicked.len())
        .map(|owners| {
            let mine = |n: usize| owners >> n & 1 == 1;
            let each = second.iter().enumerate();
            let p: f64 = each.map(|(n, q)| if mine(n) { *q } else { 1.0 - q }).product();
            p * f64::from((2 * owners.count_ones() as i32 - clicked.len() as i32).signum())
        })
        .sum()
}

/// Every list and winner of probabilistic interleaving when the positions `clicks` (those that
/// exist) are clicked.
pub fn pi(
    lists: [RankedList<'_>; 2],
    length: usize,
    tau: f64,
    ties: CreditTies,
    clicks: &[usize],
) -> Distribution<Seen> {
    pi_by(lists, length, tau, ties, |list| clicks.iter().copied().filter(|&n| n < list.len()).collect())
}

/// Like [`pi`], with clicks on the positions that `clicks` returns for a list.
pub fn pi_by(
    lists: [RankedList<'_>; 2],
    length: usize,
    tau: f64,
    ties: CreditTies,
    clicks: impl Fn(&[u16]) -> Vec<usize>,
) -> Distribution<Seen> {
    let [first, second] = lists.map(orders);
    let reveals: Vec<[&[u16]; 2]> = first.iter().flat_map(|a| second.iter().map(move |b| [a.as_slice(), b])).collect();
    let share = 1.0 / reveals.len() as f64;
    let mut all = Distribution::new();
    for &drawn in &reveals {
        for (list, p) in pi_lists(drawn, length, tau) {
            let clicks = clicks(&list);
            let mut credit = |reveal, share: f64| {
                let expected = pi_expected(reveal, &list, &clicks, tau);
                let winner = if expected.abs() < 1e-9 { 0 } else { expected.signum() as i8 };
                *all.entry((list.clone(), winner)).or_default() += p * share;
            };
            match ties {
                CreditTies::Same => credit(drawn, share),
                CreditTies::Redrawn => {
                    reveals.iter().for_each(|&reveal| credit(reveal, share * share));
                }
            }
        }
    }
    all
}

/// Every drafted list under strict orders.
pub fn draft(orders: &[&[u16]], length: usize) -> Distribution<Vec<u16>> {
    fn extend(
        orders: &[&[u16]],
        length: usize,
        p: f64,
        picks: &mut Vec<usize>,
        list: &mut Vec<u16>,
        all: &mut Distribution<Vec<u16>>,
    ) {
        let best = |x: usize| orders[x].iter().copied().find(|doc| !list.contains(doc));
        let able: Vec<(usize, u16)> = (0..orders.len()).filter_map(|x| Some((x, best(x)?))).collect();
        let fewest = able.iter().map(|&(x, _)| picks[x]).min();
        if list.len() == length || able.is_empty() {
            *all.entry(list.clone()).or_default() += p;
            return;
        }
        let turn: Vec<_> = able.into_iter().filter(|&(x, _)| Some(picks[x]) == fewest).collect();
        for &(x, doc) in &turn {
            picks[x] += 1;
            list.push(doc);
            extend(orders, length, p / turn.len() as f64, picks, list, all);
            list.pop();
            picks[x] -= 1;
        }
    }
    let mut all = Distribution::new();
    extend(orders, length, 1.0, &mut vec![0; orders.len()], &mut Vec::new(), &mut all);
    all
}

/// Scores of SOSM under strict orders, in units of 1e-9 so that equal ones are equal.
pub fn sosm_scores(orders: &[&[u16]], list: &[u16], clicked: &[usize], tau: f64) -> Vec<i64> {
    let score = |order: &[u16]| {
        let own: Vec<u16> = order.iter().copied().filter(|doc| list.contains(doc)).collect();
        let ranks = clicked.iter().filter_map(|&n| own.iter().position(|&doc| doc == list[n]));
        let sum: f64 = ranks.map(|rank| libm::pow(rank as f64 + 1.0, -tau)).sum();
        (sum * 1e9).round() as i64
    };
    orders.iter().map(|order| score(order)).collect()
}

/// Every list of SOSM with the signs of all pairs' score differences.
pub fn sosm(lists: &[RankedList<'_>], length: usize, tau: f64, clicks: &[usize]) -> Distribution<(Vec<u16>, Vec<i8>)> {
    let all_orders: Vec<Vec<Vec<u16>>> = lists.iter().map(|&list| orders(list)).collect();
    let mut reveals: Vec<Vec<&[u16]>> = vec![vec![]];
    for orders in &all_orders {
        let grown = reveals
            .iter()
            .flat_map(|reveal| orders.iter().map(move |order| [reveal.as_slice(), &[order.as_slice()]].concat()));
        reveals = grown.collect();
    }
    let share = 1.0 / reveals.len() as f64;
    let mut all = Distribution::new();
    for reveal in &reveals {
        for (list, p) in draft(reveal, length) {
            let clicks: Vec<usize> = clicks.iter().copied().filter(|&n| n < list.len()).collect();
            let scores = sosm_scores(reveal, &list, &clicks, tau);
            *all.entry((list, pair_signs(&scores))).or_default() += p * share;
        }
    }
    all
}

/// The sign of `scores[j] - scores[i]` for i < j.
pub fn pair_signs<T: Ord>(scores: &[T]) -> Vec<i8> {
    let pairs = (0..scores.len()).flat_map(|i| (i + 1..scores.len()).map(move |j| (i, j)));
    pairs.map(|(i, j)| scores[j].cmp(&scores[i]) as i8).collect()
}

/// Draws follow `expected`: nothing else occurs, and every count lies within 5 standard deviations
/// (and the few that Bernstein's inequality adds for rare outcomes).
pub fn assert_follows<T: Ord + Clone + std::fmt::Debug>(
    expected: &Distribution<T>,
    draws: u32,
    mut draw: impl FnMut() -> T,
    what: &str,
) {
    let total: f64 = expected.values().sum();
    assert!((total - 1.0).abs() < 1e-9, "{what}: probabilities sum to {total}");
    let mut seen: BTreeMap<T, u32> = BTreeMap::new();
    for _ in 0..draws {
        *seen.entry(draw()).or_default() += 1;
    }
    for outcome in seen.keys() {
        assert!(expected.contains_key(outcome), "{what}: {outcome:?} cannot be");
    }
    for (outcome, &p) in expected {
        let (n, count) = (f64::from(draws), f64::from(seen.get(outcome).copied().unwrap_or(0)));
        let bound = 5.0 * (n * p * (1.0 - p).max(0.0)).sqrt() + 25.0 / 6.0;
        assert!((count - n * p).abs() <= bound, "{what}: {outcome:?} {count} times, expected {}", n * p);
    }
}

/// Every order of `n` documents.
pub fn permutations(n: u16) -> Vec<Vec<u16>> {
    let mut all = vec![vec![]];
    for _ in 0..n {
        let longer = |order: &Vec<u16>| {
            let order = order.clone();
            (0..n).filter(|doc| !order.contains(doc)).map(|doc| [order.clone(), vec![doc]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

pub fn view(lists: &[ListBuf]) -> Vec<RankedList<'_>> {
    lists.iter().map(ListBuf::as_list).collect()
}

pub fn pair(lists: &[ListBuf]) -> [RankedList<'_>; 2] {
    [lists[0].as_list(), lists[1].as_list()]
}

/// A list of some of `n` documents, with ties.
pub fn some_list(n: u16, levels: u32, generator: &mut Generator) -> ListBuf {
    let score = |_| {
        let is_there = generator.random_bool(0.7);
        let score = f64::from(generator.random_range(0..levels));
        is_there.then_some(score)
    };
    ListBuf::from_some_scores((0..n).map(score).collect::<Vec<_>>()).unwrap()
}

pub fn numbers(shown: &[Doc]) -> Vec<u16> {
    shown.iter().map(|doc| doc.0).collect()
}
