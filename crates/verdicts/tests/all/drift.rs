//! Verdicts when preferences drift: each that the outcomes contradict has its warning, and logs of users who stay the same
//! hardly ever have it.

use interleave::Generator;
use rand::{RngExt, SeedableRng};
use statistics::Counts;
use statistics::anytime::TestState;
use verdicts::decide::{CountUnit, Decision, decide, report};
use verdicts::outcomes::{Day, DayCounts, Outcomes};

/// A log of days, each with this many users and this share of them for the first ranker.
fn log(days: &[(u64, f64)], seed: u64) -> Outcomes {
    let mut generator = Generator::seed_from_u64(seed);
    let day = |(day, &(users, share)): (usize, &(u64, f64))| {
        let wins = (0..users).filter(|_| generator.random::<f64>() < share).count() as u64;
        let units = Counts::new(wins, users - wins, 0);
        Day { version: 0, day: 20_000 + day as i32, pair: (0, 1), counts: DayCounts::of(units, units) }
    };
    let days = days.iter().enumerate().map(day).collect();
    Outcomes { rankers: vec!["A".to_owned(), "B".to_owned()], versions: vec![None], days }
}

fn judged(outcomes: &Outcomes) -> Decision {
    decide(outcomes, 0.05, CountUnit::Units).unwrap().latest().clone()
}

/// Whether the first words warn that a verdict is about the past.
fn says_so(decision: &Decision) -> bool {
    let words = report(decision, Some("user"));
    let first = words.lines().next().unwrap();
    let says = first.contains(" was ahead until ") || first.contains(" were ahead in turn: ");
    let json = decision.json();
    assert_eq!(says, !json["pairs"][0]["contradicted"].is_null(), "{words}");
    assert!(!says || json["pairs"][0]["winner"].is_null());
    let csv = decision.looks_csv();
    assert_eq!(says, csv.lines().last().unwrap().ends_with(",true"), "{csv}");
    says
}

fn is_decided(decision: &Decision) -> bool {
    decision.pairs[0].last.verdict != TestState::Open
}

/// Whether fewer than half of all users who preferred a side prefer the winner.
fn loses(decision: &Decision) -> bool {
    let last = &decision.pairs[0].last;
    let Counts { wins, losses, .. } = last.counts;
    match last.verdict {
        TestState::FirstWins => wins < losses,
        TestState::SecondWins => losses < wins,
        TestState::Open => false,
    }
}

#[test]
fn drift_is_said_and_nothing_else() {
    check(60);
}

#[test]
#[ignore = "a minute; run by .ci/full"]
fn drift_is_said_in_five_hundred_logs_at_full_size() {
    check(500);
}

/// Checks this number of logs of each kind.
#[expect(clippy::print_stdout, reason = "prints what is published, with --nocapture")]
fn check(logs: u64) {
    let step: Vec<(u64, f64)> = vec![(100, 0.8), (100, 0.05), (300, 0.05)];
    let slow: Vec<(u64, f64)> = (0..10).map(|day| (200, 0.65 - 0.04 * f64::from(day))).collect();
    let turns: Vec<(u64, f64)> = (0..12).map(|day| (150, if day / 3 % 2 == 0 { 0.65 } else { 0.3 })).collect();
    for (what, days) in [("step", &step), ("slow", &slow), ("turns", &turns)] {
        let (mut decided, mut said) = (0_u64, 0_u64);
        for seed in 0..logs {
            let decision = judged(&log(days, seed));
            let says = says_so(&decision);
            assert!(says || !loses(&decision), "{what} {seed}: {}", report(&decision, None));
            // The first winner is wrong in the end: truth turns.
            let is_of_the_past = is_decided(&decision) && decision.pairs[0].last.verdict == TestState::FirstWins;
            decided += u64::from(is_of_the_past);
            said += u64::from(says && is_of_the_past);
        }
        println!("{what}: {decided} of {logs} decided for A, {said} of these said to be of the past");
        assert!(decided > logs / 2, "{what}: {decided}");
        if what == "step" {
            assert!(said as f64 >= 0.95 * decided as f64, "{what}: {said} of {decided}");
        }
    }
    let still: Vec<(u64, f64)> = vec![(60, 0.55); 10];
    let said = (0..logs).filter(|&seed| says_so(&judged(&log(&still, seed)))).count() as u64;
    println!("still: {said} of {logs} said to be of the past");
    assert!(20 * said <= logs, "{said} of {logs} logs of users who stay the same");
}

/// The same for the best of three, where the second overtakes the first.
#[test]
fn the_best_of_three_may_be_of_the_past() {
    let mut outcomes = Outcomes { rankers: ["A", "B", "C"].map(str::to_owned).into(), ..Outcomes::default() };
    for (day, [ab, ac, bc]) in [(1, [(300, 100), (300, 100), (200, 200)]), (2, [(100, 900), (200, 200), (300, 200)])] {
        for (pair, (wins, losses)) in [((0, 1), ab), ((0, 2), ac), ((1, 2), bc)] {
            let units = Counts::new(wins, losses, 3);
            outcomes.days.push(Day { version: 0, day, pair, counts: DayCounts::of(units, units) });
        }
    }
    let decision = judged(&outcomes);
    let best = decision.best.as_ref().unwrap();
    assert_eq!(best.declared, Some((0, 1)));
    assert_eq!(best.contradicted.iter().map(|found| (found.winner, found.other)).collect::<Vec<_>>(), [(0, 1)]);
    let words = report(&decision, Some("user"));
    assert!(
        words.starts_with("A was ahead until 1970-01-02; B is ahead now: since then, B won 90.0% of 1,000 users"),
        "{words}"
    );
    assert!(decision.json()["best"]["declared"].is_null());
}
