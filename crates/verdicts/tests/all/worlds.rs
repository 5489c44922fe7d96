//! How often verdicts and intervals are wrong, in worlds of equal and unequal rankers and of preferences that drift.
//!
//! *Before* is an interval of another construction, with a uniform prior for every share while the test of one half had Beta(20,
//! 20), and a test for the best separate from that of the table of pairs.

use interleave::Generator;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;
use statistics::Counts;
use statistics::anytime::{BestArm, EProcess, PairTest, Prior, TestState};
use verdicts::decide::{CountUnit, Decision, FindingKind, Look, decide, finding};
use verdicts::outcomes::{Day, DayCounts, Outcomes};

/// The page with the tables.
const PUBLISHED: &str = include_str!("../../../../docs/pages/trust.md");

const ALPHA: f64 = 0.05;

/// A log of `rankers`, in which the first of a pair wins with this probability on this day; `users` of each pair a day.
fn log(rankers: usize, days: i32, users: u64, share: &dyn Fn(i32, (usize, usize)) -> f64, seed: u64) -> Decision {
    let mut generator = Generator::seed_from_u64(seed);
    let mut all = Vec::new();
    for day in 0..days {
        for first in 0..rankers {
            for second in first + 1..rankers {
                let share = share(day, (first, second));
                let wins = (0..users).filter(|_| generator.random::<f64>() < share).count() as u64;
                let units = Counts::new(wins, users - wins, 0);
                let counts = DayCounts::of(units, units);
                all.push(Day { version: 0, day: 20_000 + day, pair: (first, second), counts });
            }
        }
    }
    let names = (0..rankers).map(|ranker| format!("r{ranker}")).collect();
    let outcomes = Outcomes { rankers: names, versions: vec![None], days: all };
    let decision = decide(&outcomes, ALPHA, CountUnit::Units).unwrap().latest().clone();
    agrees(&decision);
    decision
}

/// Test and interval agree in everything that `decide` puts out.
fn agrees(decision: &Decision) {
    let json = decision.json();
    for (pair, record) in decision.pairs.iter().zip(json["pairs"].as_array().unwrap()) {
        let verdict = record["verdict"].as_str().unwrap();
        if let Some([low, high]) =
            record["confidence_sequence"].as_array().map(|ends| [0, 1].map(|end| ends[end].as_f64().unwrap()))
        {
            assert_eq!((low >= 0.5, high <= 0.5), (verdict == "first-wins", verdict == "second-wins"), "{record}");
        } else {
            assert!(verdict == "not-claimed" || !record["drift"].is_null(), "{record}");
        }
        assert_eq!(pair.looks.last(), Some(&pair.last));
    }
    for row in decision.looks_csv().lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let (low, high, verdict) = (cells[7].parse::<f64>(), cells[8].parse::<f64>(), cells[12]);
        let expected = match (low, high) {
            (Ok(low), _) if low >= 0.5 => "first-wins",
            (_, Ok(high)) if high <= 0.5 => "second-wins",
            (Ok(_), Ok(_)) => "open",
            _ => continue,
        };
        assert_eq!(verdict, expected, "{row}");
    }
    // The headline is about the same claim as the table.
    let found = finding(decision, None);
    let winners = decision.pairs.iter().filter(|pair| pair.last.winner().is_some()).count();
    match &decision.best {
        None => assert_eq!(found.kind == FindingKind::Undecided, winners == 0, "{found:?}"),
        Some(best) => {
            let (leader, beaten) = best.leader;
            let of_leader =
                decision.pairs.iter().filter(|pair| pair.last.winner() == Some(leader) && pair.contradicted.is_none());
            assert_eq!(of_leader.count(), beaten, "{found:?}");
            let others = decision.rankers.len() - 1;
            assert!(best.declared.is_none() || winners == others, "{found:?}");
        }
    }
}

/// Whether a look's interval excludes a share.
fn misses(look: &Look, share: f64) -> bool {
    look.is_claimed && look.interval.is_none_or(|(low, high)| share <= low || high <= share)
}

/// The interval of before.
fn with_uniform_prior(counts: Counts) -> (f64, f64) {
    let lower = |counts: Counts| {
        let observed = counts.share().unwrap_or(0.0);
        let (mut rejected, mut kept) = (0.0, observed);
        for _ in 0..30 {
            let share = 0.5 * (rejected + kept);
            if !(share > 0.0 && share < 1.0) {
                break;
            }
            let evidence = EProcess::with_prior(share, Prior { a: 1.0, b: 1.0 }).unwrap();
            let is_rejected = evidence.ln(counts.wins, counts.losses) >= libm::log(2.0 / ALPHA);
            *(if is_rejected { &mut rejected } else { &mut kept }) = share;
        }
        rejected
    };
    (lower(counts), 1.0 - lower(counts.swapped()))
}

/// Whether the interval of before excludes a share at some look, and whether it disagrees with the test of one half at some
/// look.
fn before(decision: &Decision, share: f64) -> (bool, bool) {
    let mut test = PairTest::new(ALPHA).unwrap();
    decision.looks().fold((false, false), |(has_missed, has_disagreed), look| {
        let (low, high) = with_uniform_prior(look.counts);
        let is_decided = test.look_at(look.counts) != TestState::Open;
        let disagrees = is_decided != (low > 0.5 || high < 0.5);
        (has_missed || share <= low || high <= share, has_disagreed || disagrees)
    })
}

/// Prints a row of a table, and keeps it.
#[expect(clippy::print_stdout, reason = "prints what is published, with --nocapture")]
fn print(rows: &mut Vec<String>, row: String) {
    println!("{row}");
    rows.push(row);
}

/// The result for each seed.
fn of_seeds<T: Send>(logs: u64, of: impl Fn(u64) -> T + Sync + Send) -> Vec<T> {
    (0..logs).into_par_iter().map(of).collect()
}

/// At most 7.5% of 500, and of few logs what chance allows beyond 5%.
fn most(logs: u64) -> u64 {
    let logs = logs as f64;
    if logs >= 500.0 { (0.075 * logs) as u64 } else { (0.05 * logs + 4.0 * (0.05 * 0.95 * logs).sqrt()) as u64 }
}

/// Two rankers with constant shares: the share, days and users a day.
const STILL: [(f64, i32, u64); 12] = [
    (0.5, 30, 60),
    (0.5, 90, 20),
    (0.5, 10, 400),
    (0.51, 30, 200),
    (0.52, 30, 200),
    (0.55, 30, 60),
    (0.55, 10, 400),
    (0.6, 30, 20),
    (0.6, 30, 60),
    (0.7, 30, 20),
    (0.8, 30, 20),
    (0.95, 30, 20),
];

fn still(logs: u64, rows: &mut Vec<String>) {
    print(rows, "| share of the first | days, users a day | wrong verdict | interval misses, before | interval misses | test and interval \
         disagree, before | drift said |\n|---|---|---|---|---|---|---|".to_owned());
    for (share, days, users) in STILL {
        let of = |seed: u64| log(2, days, users, &|_, _| share, seed);
        let is_wrong = |decision: &Decision| match decision.pairs[0].last.verdict {
            TestState::Open => false,
            TestState::FirstWins => share <= 0.5,
            TestState::SecondWins => true,
        };
        let of_seeds = of_seeds(logs, |seed| {
            let decision = of(seed);
            let (missed, disagreed) = before(&decision, share);
            let pair = &decision.pairs[0];
            [
                is_wrong(&decision),
                missed,
                decision.looks().any(|look| misses(look, share)),
                disagreed,
                pair.drift.is_some() || pair.contradicted.is_some(),
            ]
        });
        let [wrong, missed_before, missed, disagreed, drifts] =
            [0, 1, 2, 3, 4].map(|of| of_seeds.iter().filter(|found| found[of]).count() as u64);
        print(
            rows,
            format!("| {share} | {days}, {users} | {wrong} | {missed_before} | {missed} | {disagreed} | {drifts} |"),
        );
        let at = format!("{share} {days} {users}");
        assert!(wrong.max(missed).max(drifts) <= most(logs), "{at}: {wrong}, {missed}, {drifts} of {logs}");
    }
}

/// Several rankers: their number, the share that the first wins against each of the others, days and users of a pair a day.
const SEVERAL: [(usize, f64, i32, u64); 6] =
    [(3, 0.5, 30, 60), (5, 0.5, 20, 60), (10, 0.5, 10, 60), (3, 0.6, 30, 20), (5, 0.6, 30, 20), (10, 0.6, 20, 30)];

fn several(logs: u64, rows: &mut Vec<String>) {
    print(rows, "| rankers | share of the first | days, users a day | wrong claim | interval misses | best known | its pairs open, before | its \
         pairs open | drift said |\n|---|---|---|---|---|---|---|---|---|".to_owned());
    for (rankers, share, days, users) in SEVERAL {
        let of_pair = move |(first, _): (usize, usize)| if first == 0 { share } else { 0.5 };
        let of_seeds = of_seeds(logs, |seed| {
            let decision = log(rankers, days, users, &|_, pair| of_pair(pair), seed);
            let is_wrong = |look: &Look| match look.verdict {
                TestState::Open => false,
                TestState::FirstWins => of_pair(look.pair) <= 0.5,
                TestState::SecondWins => of_pair(look.pair) >= 0.5,
            };
            let best = decision.best.as_ref().unwrap();
            let pairs_of_best = |is_open: &dyn Fn(&Look) -> bool| {
                let Some((ranker, _)) = best.declared else { return false };
                decision
                    .pairs
                    .iter()
                    .any(|pair| (pair.last.pair.0 == ranker || pair.last.pair.1 == ranker) && is_open(&pair.last))
            };
            // A separate test for every pair of the table, until the best was known.
            let was_open = |look: &Look| {
                let since = best.declared.map_or(i32::MAX, |(_, day)| day);
                let mut test = PairTest::new(ALPHA / decision.pairs.len() as f64).unwrap();
                for of_pair in decision.looks().filter(|of_pair| of_pair.pair == look.pair && of_pair.day <= since) {
                    test.look_at(of_pair.counts);
                }
                test.verdict() == TestState::Open
            };
            [
                decision.looks().any(is_wrong),
                decision.looks().any(|look| misses(look, of_pair(look.pair))),
                best.declared.is_some(),
                pairs_of_best(&was_open),
                pairs_of_best(&|look| look.verdict == TestState::Open),
                decision.pairs.iter().any(|pair| pair.drift.is_some() || pair.contradicted.is_some()),
            ]
        });
        let [wrong, missed, best, open_before, open, drifts] =
            [0, 1, 2, 3, 4, 5].map(|of| of_seeds.iter().filter(|found| found[of]).count() as u64);
        let of = format!("| {rankers} | {share} | {days}, {users} |");
        print(rows, format!("{of} {wrong} | {missed} | {best} | {open_before} | {open} | {drifts} |"));
        assert!(wrong.max(missed).max(drifts) <= most(logs) && open == 0, "{of} {wrong} {missed} {drifts} {open}");
    }
}

/// Two rankers with shares that change: the kind of change, days, users a day, the share of the first by day.
type Drifting = (&'static str, i32, u64, fn(i32) -> f64);
const DRIFTING: [Drifting; 6] = [
    ("60% for ten days, then 40%", 30, 60, |day| if day < 10 { 0.6 } else { 0.4 }),
    ("70% for ten days, then 55%", 30, 60, |day| if day < 10 { 0.7 } else { 0.55 }),
    ("80% for one day, then 5%", 3, 200, |day| if day == 0 { 0.8 } else { 0.05 }),
    ("65%, and 1.5 points less each day", 20, 100, |day| 0.65 - 0.015 * day as f64),
    ("65% and 35%, in turn every five days", 30, 60, |day| if day / 5 % 2 == 0 { 0.65 } else { 0.35 }),
    ("50% on workdays, 45% on two of seven", 42, 60, |day| if day % 7 < 5 { 0.5 } else { 0.45 }),
];

fn drifting(logs: u64, rows: &mut Vec<String>) {
    print(
        rows,
        "| drift | decided for the first | of these, change said | never better, said to be |\n|---|---|---|---|"
            .to_owned(),
    );
    for (what, days, users, share) in DRIFTING {
        let is_ever_better = (0..days).any(|day| share(day) > 0.5);
        let of_seeds = of_seeds(logs, |seed| {
            let decision = log(2, days, users, &|day, _| share(day), seed);
            let pair = &decision.pairs[0];
            let is_won = pair.last.verdict == TestState::FirstWins;
            [is_won, is_won && (pair.drift.is_some() || pair.contradicted.is_some()), is_won && !is_ever_better]
        });
        let [won, said, wrong] = [0, 1, 2].map(|of| of_seeds.iter().filter(|found| found[of]).count() as u64);
        print(rows, format!("| {what} | {won} | {said} | {wrong} |"));
        assert!(wrong <= most(logs), "{what}: {wrong} of {logs}");
    }
}

#[test]
fn verdicts_and_intervals_hold_in_every_world() {
    let mut rows = Vec::new();
    still(24, &mut rows);
    several(8, &mut rows);
    drifting(24, &mut rows);
}

#[test]
#[ignore = "takes minutes: run by .ci/full"]
fn verdicts_and_intervals_hold_in_five_hundred_logs_of_every_world_at_full_size() {
    let mut rows = Vec::new();
    still(500, &mut rows);
    several(500, &mut rows);
    drifting(500, &mut rows);
    let missing: Vec<String> = rows.into_iter().filter(|row| !PUBLISHED.contains(row.as_str())).collect();
    assert!(missing.is_empty(), "docs/pages/trust.md has other rows: {missing:#?}");
}

/// The separate test and table of the best of before: where the test names the best, the table lacks a known pair.
#[test]
fn the_best_and_its_pairs_are_one_claim() {
    let mut contradictions = 0;
    for seed in 0..40 {
        let decision = log(5, 12, 60, &|_, (first, _)| if first == 0 { 0.6 } else { 0.5 }, seed);
        let mut test = BestArm::new(5, ALPHA).unwrap();
        for pair in &decision.pairs {
            test.record_counts(pair.last.pair.0, pair.last.pair.1, pair.last.counts).unwrap();
        }
        let of_pairs = |pair: (usize, usize)| {
            let mut of_pair = PairTest::new(ALPHA / 10.0).unwrap();
            of_pair.look_at(test.counts(pair.0, pair.1))
        };
        contradictions +=
            u32::from(test.declared_arm() == Some(0) && (1..5).any(|other| of_pairs((0, other)) == TestState::Open));
    }
    // Which the table of `decide` is not, by `agrees`.
    assert!(contradictions > 0);
}
