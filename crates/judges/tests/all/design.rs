//! Questions as judges see them: orders, items, repeated questions, both orders, and the balanced design.

use std::collections::{BTreeMap, BTreeSet};

use judges::{Answer, Config, Goal, Pair, Purpose, Session};

use crate::{Judge, busy, config};

fn items(count: u32) -> Vec<String> {
    (0..count).map(|item| format!("item {item}")).collect()
}

/// By pair, how often the lower and the higher place were shown first.
fn orders<'a>(pairs: impl IntoIterator<Item = &'a Pair>) -> BTreeMap<(u32, u32), [u32; 2]> {
    let mut orders: BTreeMap<(u32, u32), [u32; 2]> = BTreeMap::new();
    for pair in pairs {
        let key = (pair.first.min(pair.second), pair.first.max(pair.second));
        orders.entry(key).or_default()[usize::from(pair.first > pair.second)] += 1;
    }
    orders
}

#[test]
fn both_orders_of_a_pair_differ_by_one_at_most() {
    for goal in [Goal::Best, Goal::Order, Goal::Uniform] {
        for (both, repeat) in [(false, 0.0), (true, 0.0), (false, 0.3), (true, 0.3)] {
            let mut live = Session::new(Config { goal, both, repeat, ..config(4, 8) }).expect("settings");
            let mut judge = Judge::new(1, 0.3);
            let mut asked = Vec::new();
            for _ in 0..400 {
                let pair = live.ask(None).expect("a pair");
                live.tell(pair.ticket, judge.says(&pair), None).expect("open");
                asked.push(pair);
                let balanced = orders(&asked).values().all(|[one, other]| one.abs_diff(*other) <= 1);
                assert!(balanced, "{goal:?} {both} {repeat}: {:?}", orders(&asked));
            }
            // The order of a first meeting is drawn: neither side is always first.
            let mut met = BTreeSet::new();
            let first: Vec<bool> = (0..40)
                .flat_map(|seed| Session::new(Config { goal, ..config(4, seed) }).expect("settings").ask(None))
                .filter(|pair| met.insert(pair.ticket))
                .map(|pair| pair.first < pair.second)
                .collect();
            let lower = first.iter().filter(|lower| **lower).count();
            assert!((8..33).contains(&lower), "{lower}");
        }
    }
}

/// A judge who prefers what is shown first helps each competitor as often as it harms it, also where others judge the same pairs.
#[test]
fn orders_are_balanced_within_each_judge() {
    let names = ["anna", "ben", "carl"];
    let settings = Config { items: items(8), repeat: 0.1, ..config(6, 11) };
    let mut live = Session::new(settings).expect("settings");
    let mut judge = Judge::new(12, 0.3);
    let mut of: BTreeMap<&str, Vec<Pair>> = BTreeMap::new();
    for _ in 0..330 {
        let name = names[(judge.unit() * 3.0) as usize];
        let pair = live.ask(Some(name)).expect("a name");
        if judge.unit() < 0.1 {
            live.forget(pair.ticket).expect("open");
            continue;
        }
        live.tell(pair.ticket, judge.says(&pair), None).expect("open");
        of.entry(name).or_default().push(pair);
    }
    for (name, pairs) in of {
        assert!(pairs.len() > 60, "{name}");
        let orders = orders(&pairs);
        assert!(orders.values().all(|[one, other]| one.abs_diff(*other) <= 1), "{name}: {orders:?}");
        // By coins, the 30 questions on each competitor would differ by 5.
        for competitor in 0..6 {
            let first = pairs.iter().filter(|pair| pair.first == competitor).count();
            let second = pairs.iter().filter(|pair| pair.second == competitor).count();
            assert!(first.abs_diff(second) <= 2, "{name}, {competitor}: {first} and {second}");
        }
    }
}

#[test]
fn a_pair_meets_every_item_before_one_recurs() {
    for goal in [Goal::Best, Goal::Order, Goal::Uniform] {
        let mut live = Session::new(Config { goal, items: items(6), ..config(3, 4) }).expect("settings");
        let mut judge = Judge::new(2, 0.2);
        let mut met: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
        for _ in 0..120 {
            let pair = live.ask(None).expect("a pair");
            live.tell(pair.ticket, judge.says(&pair), None).expect("open");
            let key = (pair.first.min(pair.second), pair.first.max(pair.second));
            met.entry(key).or_default().push(pair.item.expect("an item"));
        }
        let mut orders = BTreeSet::new();
        for round in met.values().flat_map(|items| items.chunks(6)).filter(|round| round.len() == 6) {
            assert_eq!(round.iter().collect::<BTreeSet<_>>().len(), 6, "{round:?}");
            orders.insert(round.to_vec());
        }
        assert!(orders.len() > 5, "each in its own order: {orders:?}");
    }
}

#[test]
fn the_balanced_design_asks_every_pair_alike_and_connects_all_at_once() {
    for competitors in [2, 3, 7, 8] {
        let mut live = Session::new(Config { goal: Goal::Uniform, ..config(competitors, 3) }).expect("settings");
        let pairs = competitors * (competitors - 1) / 2;
        let mut asked = Vec::new();
        for number in 1..=4 * pairs {
            asked.push(live.ask(None).expect("a pair"));
            let count: Vec<u32> = orders(&asked).values().map(|[one, other]| one + other).collect();
            let most = *count.iter().max().expect("some");
            let least = if count.len() < pairs as usize { 0 } else { *count.iter().min().expect("some") };
            assert!(most - least <= 1, "{competitors} after {number}");
        }
        // A path through all of them.
        let mut group: Vec<u32> = (0..competitors).collect();
        for pair in &asked[..competitors as usize - 1] {
            let (from, to) = (group[pair.first as usize], group[pair.second as usize]);
            group.iter_mut().filter(|one| **one == from).for_each(|one| *one = to);
        }
        assert!(group.iter().all(|one| *one == group[0]), "{competitors}");
    }
}

#[test]
fn both_orders_are_asked_and_a_disagreement_is_a_tie() {
    // The first shown always wins: every question is a disagreement, and nothing is learnt about the competitors.
    let mut live = Session::new(Config { both: true, items: items(2), ..config(3, 1) }).expect("settings");
    for _ in 0..60 {
        let pair = live.ask(Some("ann")).expect("a pair");
        live.tell(pair.ticket, Answer::First, None).expect("open");
        let mirror = live.ask(Some("ann")).expect("a pair");
        assert_eq!(mirror.purpose, Purpose::Mirror(pair.ticket.number));
        assert_eq!((mirror.first, mirror.second, mirror.item), (pair.second, pair.first, pair.item));
        live.tell(mirror.ticket, Answer::First, None).expect("open");
    }
    let counts = live.counts();
    assert_eq!((counts.both, counts.both_disagreed, counts.answered, counts.ties), (60, 60, 120, 0));
    assert!(live.ranking().iter().all(|standing| standing.strength == 0.0), "{:?}", live.ranking());
    // Agreement is a win.
    let pair = live.ask(Some("ann")).expect("a pair");
    live.tell(pair.ticket, Answer::First, None).expect("open");
    assert!(live.ranking().iter().all(|standing| standing.strength == 0.0), "half an answer");
    let mirror = live.ask(Some("ann")).expect("a pair");
    live.tell(mirror.ticket, Answer::Second, None).expect("open");
    assert_eq!(live.ranking()[0].competitor, pair.first);
    assert_eq!((live.counts().both, live.counts().both_disagreed), (61, 60));
}

#[test]
fn the_other_order_waits_for_its_judge_but_not_for_ever() {
    let mut live = Session::new(Config { both: true, ..config(6, 1) }).expect("settings");
    let pair = live.ask(Some("ann")).expect("a pair");
    live.tell(pair.ticket, Answer::Tie, None).expect("open");
    let others: Vec<Pair> = (0..25).map(|_| live.ask(Some("bob")).expect("a pair")).collect();
    let mirrors = |pair: &&Pair| pair.purpose != Purpose::New;
    assert_eq!(others.iter().filter(mirrors).count(), 1);
    assert!(others[..20].iter().all(|pair| pair.purpose == Purpose::New));
    // A question with a forgotten second half is closed: half an answer teaches nothing.
    let mirror = others.iter().find(mirrors).expect("one");
    live.forget(mirror.ticket).expect("open");
    assert!(live.recommend().is_none());
    assert_eq!(live.counts().answered, 1);
}

#[test]
fn repeated_questions_measure_agreement_and_teach_nothing() {
    let session = |repeat| Session::new(Config { repeat, items: items(5), ..config(5, 3) }).expect("settings");
    let mut live = session(0.2);
    let mut judge = Judge::new(7, 1.0);
    let (mut repeats, mut taught) = (Vec::new(), Vec::new());
    let mut said: BTreeMap<u64, (Pair, Answer)> = BTreeMap::new();
    for _ in 0..1_000 {
        let pair = live.ask(None).expect("a pair");
        let verdict = judge.says(&pair);
        let before = live.ranking();
        live.tell(pair.ticket, verdict, None).expect("open");
        match pair.purpose {
            Purpose::Repeat(of) => {
                let (earlier, _) = &said[&of];
                assert_eq!((pair.first, pair.second, pair.item), (earlier.first, earlier.second, earlier.item));
                assert_eq!(live.ranking(), before, "nothing is learnt");
                repeats.push((of, verdict));
            }
            _ => taught.push(pair.clone()),
        }
        said.insert(pair.ticket.number, (pair, verdict));
    }
    let share = repeats.len() as f64 / 1_000.0;
    assert!((0.15..0.25).contains(&share), "{share}");
    let once: BTreeSet<u64> = repeats.iter().map(|(of, _)| *of).collect();
    assert_eq!(once.len(), repeats.len(), "none is repeated twice");
    let tie = |verdict| matches!(verdict, Answer::Tie | Answer::BothBad);
    let agrees = |(of, verdict): &&(u64, Answer)| said[of].1 == *verdict || tie(said[of].1) && tie(*verdict);
    let agreed = repeats.iter().filter(agrees).count() as u64;
    assert_eq!((live.counts().repeats, live.counts().repeats_agreed), (repeats.len() as u64, agreed));
    assert!(agreed > 0 && agreed < repeats.len() as u64);
}

#[test]
fn forgotten_questions_are_asked_again() {
    let mut live = Session::new(Config { goal: Goal::Uniform, items: items(3), ..config(4, 2) }).expect("settings");
    let mut judge = Judge::new(3, 0.5);
    let mut answered: BTreeMap<(u32, u32, Option<u32>), u32> = BTreeMap::new();
    let (mut asked, mut lost) = (0, 0);
    // Six pairs on three items, a third of the questions lost.
    while live.counts().answered < 18 {
        let pair = live.ask(None).expect("a pair");
        asked += 1;
        if asked % 3 == 0 {
            live.forget(pair.ticket).expect("open");
            lost += 1;
        } else {
            live.tell(pair.ticket, judge.says(&pair), None).expect("open");
            let key = (pair.first.min(pair.second), pair.first.max(pair.second), pair.item);
            *answered.entry(key).or_default() += 1;
        }
    }
    assert!(lost > 5);
    let by_pair: BTreeMap<(u32, u32), u32> = answered.iter().fold(BTreeMap::new(), |mut sum, ((i, j, _), count)| {
        *sum.entry((*i, *j)).or_default() += count;
        sum
    });
    assert!(by_pair.len() == 6 && by_pair.values().all(|count| (2..=4).contains(count)), "{by_pair:?}");
}

#[test]
fn counts_add_up() {
    let mut live = Session::new(Config { both: true, repeat: 0.2, items: items(3), ..config(5, 3) }).expect("settings");
    let asked = busy(&mut live, 800, 5);
    let counts = live.counts();
    assert_eq!(counts.asked, asked.len() as u64);
    assert_eq!(counts.asked, counts.answered + counts.forgotten + counts.open);
    assert_eq!(counts.answered, live.judged().len() as u64);
    assert_eq!(counts.open, live.open().count() as u64);
    let table = live.judgements();
    assert_eq!(table.judgements.len() as u64, counts.answered);
    assert!(counts.both_bad > 0 && counts.both_bad < counts.ties && counts.ties < counts.answered);
    assert!(table.judges.len() == 3 && table.judgements.iter().any(|row| row.judge.is_none()));
}

/// Repeats apart, a named judge gets no question twice before all were asked; and each pair still goes through all items.
#[test]
fn a_judge_is_asked_nothing_twice() {
    let policies = [
        Config { goal: Goal::Best, ..config(4, 1) },
        Config { goal: Goal::Order, ..config(4, 2) },
        Config { goal: Goal::Uniform, ..config(4, 3) },
        Config { policy: "self-sparring".into(), ..config(4, 4) },
        Config { policy: "rucb".into(), both: true, ..config(4, 5) },
    ];
    for config in policies {
        let mut live = Session::new(Config { items: items(5), ..config.clone() }).expect("settings");
        let mut seen: BTreeMap<(String, u32, u32, u32), u32> = BTreeMap::new();
        let mut judge = Judge::new(7, 1.0);
        let names = ["anna", "ben"];
        let all = 6 * 5;
        for call in 0..4 * all {
            let name = names[usize::from(judge.unit() < 0.4)];
            let of_name = seen.keys().filter(|(judge, ..)| judge == name).count();
            assert_eq!(live.has_seen_all(name), of_name == all, "{config:?}, {call}");
            let pair = live.ask(Some(name)).expect("a pair");
            if pair.purpose == Purpose::New {
                let place = (pair.first.min(pair.second), pair.first.max(pair.second));
                let times = seen.entry((name.to_owned(), place.0, place.1, pair.item.expect("items"))).or_default();
                *times += 1;
                assert!(*times == 1 || of_name == all, "{config:?}, {call}: {pair:?}");
            }
            match judge.unit() {
                draw if draw < 0.1 => live.forget(pair.ticket).expect("open"),
                draw if draw < 0.2 => {}
                _ => live.tell(pair.ticket, judge.says(&pair), None).expect("open"),
            }
        }
        assert!(names.iter().any(|name| live.has_seen_all(name)), "{config:?}");
        let log = live.take_lines();
        let (mut again, _) = Session::replay(log.as_bytes()).unwrap_or_else(|error| panic!("{config:?}: {error}"));
        assert_eq!(again.ask(Some("anna")), live.ask(Some("anna")));
    }
}
