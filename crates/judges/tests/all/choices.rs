//! Choosers: their questions lead to the best soon, also with late answers.

use bandits::registry::entries;
use judges::{Config, Goal, Pair, Session};

use crate::{Judge, config};

/// How many of 40 runs name the best after `judgements`, with `open` questions open at a time.
fn right(config: impl Fn(u64) -> Config, judgements: u64, open: usize, step: f64) -> u32 {
    let run = |seed: u64| {
        let mut live = Session::new(config(seed)).expect("settings");
        let mut judge = Judge::new(seed + 100, step);
        let mut waiting: Vec<Pair> = Vec::new();
        while live.counts().answered < judgements {
            waiting.push(live.ask(None).expect("a pair"));
            if waiting.len() >= open {
                let pair = waiting.swap_remove((judge.unit() * waiting.len() as f64) as usize);
                live.tell(pair.ticket, judge.says(&pair), None).expect("open");
            }
        }
        u32::from(live.ranking()[0].competitor == 0 && live.recommend() == Some(0))
    };
    (0..40).map(run).sum()
}

#[test]
fn choosing_names_the_best_of_twelve_with_a_fifth_of_the_judgements() {
    let auto = |seed| config(12, seed);
    let uniform = |seed| Config { goal: Goal::Uniform, ..config(12, seed) };
    let few = right(auto, 150, 1, 0.4);
    assert!(few >= 36, "{few} of 40");
    assert!(right(uniform, 150, 1, 0.4) < few);
    // Thirty questions at a time, answered in any order.
    let late = right(auto, 250, 30, 0.4);
    assert!(late >= 34, "{late} of 40");
}

#[test]
fn every_policy_of_duels_asks_two_and_finds_the_best() {
    let (mut played, mut wrong) = (0, Vec::new());
    for entry in entries() {
        let with = |horizon| Config { policy: entry.name.to_owned(), horizon, ..config(4, 1) };
        // Those of sets are refused; some need a horizon.
        let Ok(mut live) = Session::new(with(0)).or_else(|_| Session::new(with(1_500))) else { continue };
        let mut judge = Judge::new(3, 1.2);
        let mut met_best = 0;
        for _ in 0..1_500 {
            let pair = live.ask(None).expect("a pair");
            assert_ne!(pair.first, pair.second, "{}", entry.name);
            met_best += u32::from(pair.first == 0 || pair.second == 0);
            live.tell(pair.ticket, judge.says(&pair), None).expect("open");
        }
        if live.ranking()[0].competitor != 0 || met_best < 300 {
            wrong.push(entry.name);
        }
        played += 1;
    }
    // Those that settle one pair after the other need far more judgements to look at all.
    assert!(wrong.len() <= 2, "{wrong:?}");
    assert!(played > 30, "{played}");
}

/// For a ranking, the order of neighbours counts: pairs that are close are asked more often than those far apart.
#[test]
fn goal_order_asks_neighbours() {
    let share = |goal| {
        let mut live = Session::new(Config { goal, ..config(10, 5) }).expect("settings");
        let mut judge = Judge::new(4, 0.8);
        let mut near = 0;
        for _ in 0..1_000 {
            let pair = live.ask(None).expect("a pair");
            near += u32::from(pair.first.abs_diff(pair.second) <= 2);
            live.tell(pair.ticket, judge.says(&pair), None).expect("open");
        }
        let order: Vec<u32> = live.ranking().iter().map(|standing| standing.competitor).collect();
        let swapped = (0..10).flat_map(|i| (0..i).map(move |j| (j, i))).filter(|(j, i)| order[*j] > order[*i]).count();
        (near, swapped)
    };
    let ((near, swapped), (usual, _)) = (share(Goal::Order), share(Goal::Uniform));
    assert!(near > usual + usual / 4, "{near} against {usual}");
    assert!(swapped <= 2, "{swapped}");
}

#[test]
fn status_says_who_leads() {
    let mut live = Session::new(Config { repeat: 0.1, both: true, ..config(3, 2) }).expect("settings");
    assert!(live.status().contains("nobody leads yet"), "{}", live.status());
    let mut judge = Judge::new(4, 2.0);
    for _ in 0..200 {
        let pair = live.ask(None).expect("a pair");
        live.tell(pair.ticket, judge.says(&pair), None).expect("open");
    }
    let status = live.status();
    assert!(
        status.starts_with("3 competitors; goal best, policy auto; seed 2\n200 pairs asked: 200 answered, 0 open"),
        "{status}"
    );
    assert!(status.contains("\nc0 leads; estimated to be preferred to c1 "), "{status}");
}
