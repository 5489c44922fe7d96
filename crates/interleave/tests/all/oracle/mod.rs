//! Every method again, plainly: all lists that a few short lists without ties can give, each with its
//! probability and with the outcome of clicks on it. The library's draws and credits are compared with this.

#![allow(unreachable_pub, reason = "a module of a test")]

use std::collections::BTreeMap;

/// A list that can be shown.
pub struct Drawn {
    pub p: f64,
    pub list: Vec<u16>,
    verdict: Verdict,
}

/// Clicked positions, and those that are displayed, to the expected difference of each pair of rankers, (0, 1), (0, 2),
/// (1, 2), ..., positive where the former is better.
type Verdict = Box<dyn Fn(&[usize], &[usize]) -> Vec<f64>>;

/// The list, and for every set of clicked positions the sign of each pair.
pub type Signature = (Vec<u16>, Vec<Vec<i8>>);

impl Drawn {
    /// The outcome of clicks on these positions.
    pub fn verdict(&self, clicks: &[usize]) -> Vec<f64> {
        let all: Vec<usize> = (0..self.list.len()).collect();
        (self.verdict)(clicks, &all)
    }

    /// The outcome of clicks on these places of a page; a place is a position of the list, or pinned.
    pub fn verdict_on(&self, page: &[Option<usize>], clicks: &[usize]) -> Vec<f64> {
        let displayed: Vec<usize> = page.iter().copied().flatten().collect();
        let clicks: Vec<usize> = clicks.iter().filter_map(|&place| page[place]).collect();
        (self.verdict)(&clicks, &displayed)
    }

    pub fn signature(&self) -> Signature {
        let signs = subsets(self.list.len()).map(|clicks| {
            // 1 where the latter is better, as `crate::enumeration::sign`.
            self.verdict(&clicks).into_iter().map(sign_of).map(|sign| -sign).collect()
        });
        (self.list.clone(), signs.collect())
    }
}

pub fn sign_of(x: f64) -> i8 {
    if x.abs() < 1e-9 { 0 } else { x.signum() as i8 }
}

/// All sets of positions of a list.
pub fn subsets(length: usize) -> impl Iterator<Item = Vec<usize>> {
    (0_u32..1 << length).map(move |set| (0..length).filter(|n| set >> n & 1 == 1).collect())
}

fn pairs(m: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..m).flat_map(move |i| (i + 1..m).map(move |j| (i, j)))
}

/// Pairs' differences from one score per ranker.
fn by_scores(m: usize, score: impl Fn(usize, &[usize]) -> f64 + 'static) -> Verdict {
    by_page(m, move |x, clicks, _| score(x, clicks))
}

/// Pairs' differences from a score that depends on the other displayed documents, too.
fn by_page(m: usize, score: impl Fn(usize, &[usize], &[usize]) -> f64 + 'static) -> Verdict {
    Box::new(move |clicks, displayed| {
        let scores: Vec<f64> = (0..m).map(|x| score(x, clicks, displayed)).collect();
        pairs(m).map(|(i, j)| scores[i] - scores[j]).collect()
    })
}

/// One past the last position displayed.
fn depth(displayed: &[usize]) -> usize {
    displayed.last().map_or(0, |last| last + 1)
}

fn owned(orders: &[&[u16]]) -> Vec<Vec<u16>> {
    orders.iter().map(|order| order.to_vec()).collect()
}

/// The 0-based rank, or the length of the list.
fn rank(order: &[u16], doc: u16) -> usize {
    order.iter().position(|&other| other == doc).unwrap_or(order.len())
}

/// All that interleaving `name` can give, or `None` where no plain version is known.
pub fn interleaving(name: &str, orders: [&[u16]; 2], length: usize) -> Option<Vec<Drawn>> {
    Some(match name {
        "balanced" => balanced(orders, length, false),
        "balanced:lerot" => balanced(orders, length, true),
        "document-constraints:above" => constraints(orders, length, 1),
        "document-constraints:next" => constraints(orders, length, 2),
        "document-constraints" => constraints(orders, length, 3),
        "team-draft" => team_draft(&orders, length, false),
        "team-draft:prefix" => team_draft(&orders, length, true),
        "team-draft:pairs" => competitive_pairs(orders, length, false),
        "team-draft:pairs,coin=round" => competitive_pairs(orders, length, true),
        "probabilistic:assignment" => owners(&orders, length, true)
            .into_iter()
            .map(|(p, list, owners)| {
                let verdict = by_scores(2, move |x, clicks| clicks.iter().filter(|&&n| owners[n] == x).count() as f64);
                Drawn { p, list, verdict }
            })
            .collect(),
        "probabilistic:same" | "probabilistic:expected" => crate::enumeration::pi_lists(orders, length, 3.0)
            .into_iter()
            .map(|(list, p)| {
                let (orders, shown) = (owned(&orders), list.clone());
                let verdict: Verdict = Box::new(move |clicks, _| {
                    let orders = [orders[0].as_slice(), &orders[1]];
                    vec![-crate::enumeration::pi_expected(orders, &shown, clicks, 3.0)]
                });
                Drawn { p, list, verdict }
            })
            .collect(),
        _ => return None,
    })
}

/// All that multileaving `name` can give, or `None` where no plain version is known.
pub fn multileaving(name: &str, orders: &[&[u16]], length: usize) -> Option<Vec<Drawn>> {
    let m = orders.len();
    Some(match name {
        "team-draft" => team_draft(orders, length, false),
        "team-draft:prefix" => team_draft(orders, length, true),
        "probabilistic" | "probabilistic:signs" | "probabilistic:independent" => {
            let lists = owners(orders, length, name == "probabilistic:independent");
            let mut merged = crate::enumeration::Distribution::new();
            for (p, list, _) in lists {
                *merged.entry(list).or_default() += p;
            }
            let by_signs = name == "probabilistic:signs";
            let drawn = merged.into_iter().map(|(list, p)| {
                let (orders, shown) = (owned(orders), list.clone());
                let share = move |n: usize| -> Vec<f64> {
                    let chance = |order: &Vec<u16>| crate::enumeration::softmax(order, &shown[..n], shown[n], 3.0);
                    let chances: Vec<f64> = orders.iter().map(chance).collect();
                    let total: f64 = chances.iter().sum();
                    chances.into_iter().map(|chance| chance / total).collect()
                };
                let verdict: Verdict = if by_signs {
                    Box::new(move |clicks, _| {
                        let shares: Vec<Vec<f64>> = clicks.iter().map(|&n| share(n)).collect();
                        pairs(m).map(|pair| all_assignments(&shares, pair)).collect()
                    })
                } else {
                    by_scores(m, move |x, clicks| clicks.iter().map(|&n| share(n)[x]).sum())
                };
                Drawn { p, list, verdict }
            });
            drawn.collect()
        }
        "sosm" => crate::enumeration::draft(orders, length)
            .into_iter()
            .map(|(list, p)| {
                let (orders, shown) = (owned(orders), list.clone());
                let verdict = by_page(m, move |x, clicks, displayed| {
                    let shown: Vec<u16> = displayed.iter().map(|&n| shown[n]).collect();
                    let clicks: Vec<usize> = clicks.iter().filter_map(|n| displayed.binary_search(n).ok()).collect();
                    let score = crate::enumeration::sosm_scores(&[&orders[x]], &shown, &clicks, 3.0)[0];
                    score as f64 * 1e-9
                });
                Drawn { p, list, verdict }
            })
            .collect(),
        "pairwise-preference" => pairwise(orders, length, false),
        "pairwise-preference:skip-above" => pairwise(orders, length, true),
        _ => return None,
    })
}

/// E[sign(N_i - N_j)] over all assignments of the clicked documents to all rankers.
fn all_assignments(shares: &[Vec<f64>], (i, j): (usize, usize)) -> f64 {
    let Some((first, rest)) = shares.split_first() else {
        return 0.0;
    };
    fn walk(first: &[f64], rest: &[Vec<f64>], pair: (usize, usize), balance: i32) -> f64 {
        let each = first.iter().enumerate().map(|(x, share)| {
            let balance = balance + i32::from(x == pair.0) - i32::from(x == pair.1);
            share
                * match rest.split_first() {
                    Some((first, rest)) => walk(first, rest, pair, balance),
                    None => f64::from(balance.signum()),
                }
        });
        each.sum()
    }
    walk(first, rest, (i, j), 0)
}

fn alternate(orders: [&[u16]; 2], length: usize, leader: usize) -> Vec<u16> {
    let (mut list, mut at) = (Vec::new(), [0, 0]);
    while list.len() < length {
        let mut x = if at[0] == at[1] { leader } else { usize::from(at[1] < at[0]) };
        if at[x] >= orders[x].len() {
            x = 1 - x;
        }
        let Some(&doc) = orders[x].get(at[x]) else {
            break;
        };
        at[x] += 1;
        if !list.contains(&doc) {
            list.push(doc);
        }
    }
    list
}

fn balanced(orders: [&[u16]; 2], length: usize, lerot: bool) -> Vec<Drawn> {
    let drawn = [0, 1].map(|leader| {
        let list = alternate(orders, length, leader);
        let (shown, orders) = (list.clone(), owned(&orders));
        let verdict = by_page(2, move |x, clicks, displayed| {
            let length = depth(displayed);
            let top = |y: usize, k: usize| orders[y][..k.min(length).min(orders[y].len())].to_vec();
            let clicked: Vec<u16> = clicks.iter().map(|&n| shown[n]).collect();
            let Some(lowest) = clicked.last() else {
                return 0.0;
            };
            let enough = |k: &usize| {
                if lerot {
                    (0..2).any(|y| clicked.iter().all(|doc| top(y, *k).contains(doc)))
                } else {
                    (0..2).any(|y| top(y, *k).contains(lowest))
                }
            };
            let k = (1..=length).find(enough).unwrap_or(length);
            clicked.iter().filter(|doc| top(x, k).contains(doc)).count() as f64
        });
        Drawn { p: 0.5, list, verdict }
    });
    drawn.into()
}

fn constraints(orders: [&[u16]; 2], length: usize, kinds: u8) -> Vec<Drawn> {
    let drawn = [0, 1].map(|leader| {
        let list = alternate(orders, length, leader);
        let (shown, orders) = (list.clone(), owned(&orders));
        let verdict = by_page(2, move |x, clicks, displayed| {
            let length = depth(displayed);
            let mut wanted = Vec::new();
            for &h in clicks {
                let unclicked = |n: &usize| !clicks.contains(n);
                wanted.extend(displayed.iter().copied().filter(|&n| n < h).filter(unclicked).map(|n| (h, n)));
                let mut below = displayed.iter().copied().filter(|&n| n > h);
                let below = match kinds {
                    1 => None,
                    2 => below.next().filter(unclicked),
                    _ => below.find(unclicked),
                };
                wanted.extend(below.map(|n| (h, n)));
            }
            let place = |n: usize| rank(&orders[x][..length.min(orders[x].len())], shown[n]);
            let top = length.min(orders[x].len());
            let lacks = |n: usize| !orders[x].contains(&shown[n]);
            let is_violated = |&&(h, n): &&(usize, usize)| lacks(h) || place(n) < top && place(h) > place(n);
            -(wanted.iter().filter(is_violated).count() as f64)
        });
        Drawn { p: 0.5, list, verdict }
    });
    drawn.into()
}

/// Two documents at a time; no ranker owns one that both would add.
fn competitive_pairs(orders: [&[u16]; 2], length: usize, by_round: bool) -> Vec<Drawn> {
    let pairs = length.div_ceil(2);
    // One bit for each coin; those that do not fall change nothing.
    let coins = if by_round { pairs } else { 1 };
    let lists = (0_u32..1 << coins).map(|coins_of| {
        let (mut list, mut owners, mut round) = (Vec::new(), Vec::new(), 0);
        while list.len() < length {
            let next = orders.map(|order| order.iter().copied().find(|doc| !list.contains(doc)));
            let (a, b) = match next {
                [Some(a), Some(b)] if a != b => (a, b),
                [None, None] => break,
                [a, b] => {
                    list.push(a.or(b).unwrap());
                    owners.push(None);
                    continue;
                }
            };
            let first = (coins_of >> (if by_round { round } else { 0 }) & 1) as usize;
            round += 1;
            for owner in [first, 1 - first] {
                list.push([a, b][owner]);
                owners.push(Some(owner));
            }
        }
        list.truncate(length);
        owners.truncate(length);
        (list, owners)
    });
    let drawn = lists.map(|(list, owners)| {
        let verdict = by_scores(2, move |x, clicks| clicks.iter().filter(|&&n| owners[n] == Some(x)).count() as f64);
        Drawn { p: 0.5_f64.powi(coins as i32), list, verdict }
    });
    drawn.collect()
}

fn team_draft(orders: &[&[u16]], length: usize, prefix: bool) -> Vec<Drawn> {
    struct Draft<'a> {
        orders: &'a [&'a [u16]],
        length: usize,
        all: Vec<(f64, Vec<u16>, Vec<Option<usize>>)>,
    }
    impl Draft<'_> {
        fn extend(&mut self, p: f64, list: &mut Vec<u16>, owners: &mut Vec<Option<usize>>) {
            let best = |x: usize| self.orders[x].iter().copied().find(|doc| !list.contains(doc));
            let picks = |x: usize| owners.iter().filter(|&&owner| owner == Some(x)).count();
            let able: Vec<(usize, u16)> = (0..self.orders.len()).filter_map(|x| Some((x, best(x)?))).collect();
            let fewest = able.iter().map(|&(x, _)| picks(x)).min();
            if list.len() == self.length || able.is_empty() {
                self.all.push((p, list.clone(), owners.clone()));
                return;
            }
            let turn: Vec<(usize, u16)> = able.into_iter().filter(|&(x, _)| Some(picks(x)) == fewest).collect();
            for &(x, doc) in &turn {
                list.push(doc);
                owners.push(Some(x));
                self.extend(p / turn.len() as f64, list, owners);
                list.pop();
                owners.pop();
            }
        }
    }
    let m = orders.len();
    let mut list = Vec::new();
    if prefix && m > 0 {
        let common = orders[0].iter().enumerate();
        let common = common.take_while(|(n, doc)| orders.iter().all(|o| o.get(*n) == Some(doc)));
        list.extend(common.map(|(_, &doc)| doc).take(length));
    }
    let mut owners = vec![None; list.len()];
    let mut draft = Draft { orders, length, all: Vec::new() };
    draft.extend(1.0, &mut list, &mut owners);
    let drawn = draft.all.into_iter().map(|(p, list, owners)| {
        let verdict = by_scores(m, move |x, clicks| clicks.iter().filter(|&&n| owners[n] == Some(x)).count() as f64);
        Drawn { p, list, verdict }
    });
    drawn.collect()
}

/// Probabilistic lists with the owners of their documents, slots independent or in rounds.
fn owners(orders: &[&[u16]], length: usize, independent: bool) -> Vec<(f64, Vec<u16>, Vec<usize>)> {
    type All = Vec<(f64, Vec<u16>, Vec<usize>)>;
    fn extend(
        orders: &[&[u16]],
        length: usize,
        independent: bool,
        p: f64,
        (list, owners): (&mut Vec<u16>, &mut Vec<usize>),
        all: &mut All,
    ) {
        let picks = |x: usize| owners.iter().filter(|&&owner| owner == x).count();
        let able = |&x: &usize| orders[x].iter().any(|doc| !list.contains(doc));
        let able: Vec<usize> = (0..orders.len()).filter(able).collect();
        if list.len() == length || able.is_empty() {
            all.push((p, list.clone(), owners.clone()));
            return;
        }
        let fewest = able.iter().map(|&x| picks(x)).min();
        let turn: Vec<usize> = able.into_iter().filter(|&x| independent || Some(picks(x)) == fewest).collect();
        for &x in &turn {
            for &doc in orders[x] {
                let chance = crate::enumeration::softmax(orders[x], list, doc, 3.0);
                if chance > 0.0 {
                    list.push(doc);
                    owners.push(x);
                    let p = p * chance / turn.len() as f64;
                    extend(orders, length, independent, p, (list, owners), all);
                    list.pop();
                    owners.pop();
                }
            }
        }
    }
    let mut all = Vec::new();
    let (mut list, mut owners) = (Vec::new(), Vec::new());
    extend(orders, length, independent, 1.0, (&mut list, &mut owners), &mut all);
    all
}

fn pairwise(orders: &[&[u16]], length: usize, skip_above: bool) -> Vec<Drawn> {
    fn choices(orders: &[&[u16]], list: &[u16]) -> Vec<u16> {
        let tops = orders.iter().flat_map(|order| order.iter().take(list.len() + 1));
        let mut choices: Vec<u16> = tops.copied().filter(|doc| !list.contains(doc)).collect();
        choices.sort_unstable();
        choices.dedup();
        choices
    }
    fn extend(orders: &[&[u16]], length: usize, p: f64, list: &mut Vec<u16>, all: &mut Vec<(f64, Vec<u16>)>) {
        let choices = choices(orders, list);
        if list.len() == length || choices.is_empty() {
            all.push((p, list.clone()));
            return;
        }
        for &doc in &choices {
            list.push(doc);
            extend(orders, length, p / choices.len() as f64, list, all);
            list.pop();
        }
    }
    let mut all = Vec::new();
    extend(orders, length, 1.0, &mut Vec::new(), &mut all);
    let m = orders.len();
    let drawn = all.into_iter().map(|(p, list)| {
        let (orders, shown) = (owned(orders), list.clone());
        let verdict = by_page(m, move |x, clicks, displayed| {
            let Some(&lowest) = clicks.last() else {
                return 0.0;
            };
            let views: Vec<&[u16]> = orders.iter().map(Vec::as_slice).collect();
            let top = |n: usize| orders.iter().map(|order| rank_or(order, shown[n])).min().unwrap();
            let mut score = 0.0;
            for &a in clicks {
                let last = if skip_above { a } else { lowest };
                let next = displayed.iter().copied().find(|&n| n > last).unwrap_or(last);
                for b in displayed.iter().copied().filter(|b| *b <= next && !clicks.contains(b)) {
                    let (high, low) = (top(a).min(top(b)), top(a).max(top(b)));
                    if a.min(b) < low {
                        continue;
                    }
                    let choices = |n: usize| choices(&views, &shown[..n]).len() as f64;
                    let w: f64 = (high..low).map(|n| 1.0 - 1.0 / choices(n)).product();
                    let (mine, other) = (rank(&orders[x], shown[a]), rank(&orders[x], shown[b]));
                    let part = f64::from(u8::from(mine < other)) + 0.5 * f64::from(u8::from(mine == other));
                    score += part / w;
                }
            }
            score
        });
        Drawn { p, list, verdict }
    });
    drawn.collect()
}

fn rank_or(order: &[u16], doc: u16) -> usize {
    order.iter().position(|&other| other == doc).unwrap_or(usize::MAX)
}

/// The largest expected difference, and the largest expected sign, that clicks on fixed places give one ranker over
/// another, whatever is displayed there: (credit, wins). `page_of` gives the page of a list, which may have fewer than `places`.
pub fn bias(drawn: &[Drawn], places: usize, page_of: impl Fn(&[u16]) -> Vec<Option<usize>>) -> (f64, f64) {
    let (mut credit, mut wins) = (0.0_f64, 0.0_f64);
    for clicks in subsets(places) {
        let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
        for one in drawn {
            let page = page_of(&one.list);
            let clicks: Vec<usize> = clicks.iter().copied().filter(|place| *place < page.len()).collect();
            for (pair, difference) in one.verdict_on(&page, &clicks).into_iter().enumerate() {
                let sum = sums.entry(pair).or_default();
                sum.0 += one.p * difference;
                sum.1 += one.p * f64::from(sign_of(difference));
            }
        }
        for (difference, sign) in sums.into_values() {
            credit = credit.max(difference.abs());
            wins = wins.max(sign.abs());
        }
    }
    (credit, wins)
}
