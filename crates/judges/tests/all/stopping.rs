//! Sessions that stop at the first board that names the best: how often it is not, and what that costs.

use board::{Answer, Board, Conclusion, Settings};
use judges::{Config, Goal, Plays, Session};
use rayon::prelude::*;

use crate::{Judge, config};

/// The pages with the tables.
const PUBLISHED: &str = include_str!("../../../../docs/pages/trust.md");
const README: &str = include_str!("../../README.md");

/// P(first is preferred), by the places of both.
type World = Box<dyn Fn(usize, usize) -> f64 + Send + Sync>;

/// How many more answers, as a share, there are at the next look; sessions of few answers are looked at after each.
const STEP: f64 = 0.04;

/// The state of a session when it stopped.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stopped {
    answers: u64,
    best: u32,
}

/// Plays a session until it stops by each rule, or ends: by the posterior probability, and by the board's claims.
fn play(config: Config, world: &World, most: u64, settings: &Settings, ties: f64) -> [Option<Stopped>; 2] {
    let mut judge = Judge::new(config.seed ^ 0x5eed, 0.0);
    let mut live = Session::new(config).unwrap();
    let mut stopped = [None; 2];
    let mut next = 4;
    while live.counts().answered < most && stopped.iter().any(Option::is_none) {
        let pair = live.ask(None).unwrap();
        let p = world(pair.first as usize, pair.second as usize);
        let verdict = match judge.unit() {
            draw if draw < ties => Answer::Tie,
            _ if judge.unit() < p => Answer::First,
            _ => Answer::Second,
        };
        live.tell(pair.ticket, verdict, None).unwrap();
        live.take_events();
        let answers = live.counts().answered;
        if answers < next {
            continue;
        }
        next = answers + ((answers as f64 * STEP) as u64).max(1);
        // The claims cost much less than the posterior.
        let table = live.judgements();
        let place = |name: &str| live.competitor(name).unwrap();
        if stopped[0].is_none() {
            let board = Board::new(&table, &Settings { checks: false, advice: false, ..settings.clone() }).unwrap();
            let likely = board.competitors.iter().find(|one| one.best >= settings.level);
            stopped[0] =
                likely.filter(|_| board.groups.len() == 1).map(|one| Stopped { answers, best: place(&one.name) });
        }
        if stopped[1].is_none() {
            let looked = Settings { looks: board::Looks::Every, ..settings.clone() };
            // Pair by pair the best may be known although strengths do not name it.
            let by_strengths = board::named_by_strengths(&table, &looked).unwrap();
            if by_strengths.is_some() || answers >= 100 && settings.checks {
                let board = live.board(&Settings { advice: false, ..settings.clone() }).unwrap();
                if let Conclusion::Best(leader) | Conclusion::WithinTolerance(leader) = board.conclusion {
                    stopped[1] = Some(Stopped { answers, best: place(&leader.name) });
                }
            }
        }
    }
    stopped
}

/// P(first wins) under Bradley-Terry.
fn bradley_terry(strengths: Vec<f64>) -> World {
    Box::new(move |i, j| 1.0 / (1.0 + libm::exp(strengths[j] - strengths[i])))
}

/// Each beats the next of three with probability 3/4.
fn cycle() -> World {
    Box::new(|i, j| if (i + 1) % 3 == j { 0.75 } else { 0.25 })
}

/// 0 beats all others with .55; 1 beats all but 0 with .9; the others are equal.
fn condorcet_against_borda() -> World {
    Box::new(|i, j| match (i, j) {
        (0, _) => 0.55,
        (_, 0) => 0.45,
        (1, _) => 0.9,
        (_, 1) => 0.1,
        _ => 0.5,
    })
}

/// Whether naming a competitor is false: another one is at least as often preferred.
fn is_false(world: &World, competitors: u32, stopped: &Stopped) -> bool {
    (0..competitors).any(|j| j != stopped.best && world(stopped.best as usize, j as usize) <= 0.5)
}

fn median(mut all: Vec<u64>, of: usize) -> String {
    all.sort_unstable();
    all.get(of.div_ceil(2) - 1).map_or_else(|| "-".to_owned(), u64::to_string)
}

/// For each rule: how many sessions name a wrong best, how many name any, and the median number of answers until then.
fn measured(
    sessions: u64,
    competitors: u32,
    goal: Goal,
    world: &World,
    most: u64,
    settings: &Settings,
) -> [(u64, u64, String); 2] {
    let of = |seed| play(Config { goal, ..config(competitors, 4_000 + seed) }, world, most, settings, 0.2);
    let all: Vec<[Option<Stopped>; 2]> = (0..sessions).into_par_iter().map(of).collect();
    [0, 1].map(|rule| {
        let named: Vec<Stopped> = all.iter().filter_map(|stopped| stopped[rule]).collect();
        let wrong = named.iter().filter(|stopped| is_false(world, competitors, stopped)).count() as u64;
        let answers = named.iter().map(|stopped| stopped.answers).collect();
        (wrong, named.len() as u64, median(answers, sessions as usize))
    })
}

/// Worlds without an order.
#[expect(clippy::print_stdout, reason = "prints what it measures, with --nocapture")]
fn without_order(sessions: u64, most: u64) {
    println!("| world | goal | false before | false | named | median answers |\n|---|---|---|---|---|---|");
    let n = sessions as f64;
    let bound = 0.05 * n + 2.6 * (n * 0.05 * 0.95).sqrt();
    let mut wrong = Vec::new();
    for (name, competitors, world) in
        [("cycle of three", 3, cycle()), ("Condorcet against Borda, 5", 5, condorcet_against_borda())]
    {
        for goal in [Goal::Best, Goal::Uniform] {
            let [before, now] = measured(sessions, competitors, goal, &world, most, &Settings::default());
            let percent = |count: u64| format!("{:.1}", 100.0 * count as f64 / n);
            let row = format!(
                "| {name} | {} | {} | {} | {} | {} |",
                goal.name(),
                percent(before.0),
                percent(now.0),
                percent(now.1),
                now.2
            );
            println!("{row}");
            if now.0 as f64 > bound {
                wrong.push(row);
            }
        }
    }
    assert!(wrong.is_empty(), "over the bound: {wrong:#?}");
}

#[test]
fn without_an_order_none_is_named_falsely() {
    without_order(8, 400);
}

#[test]
#[ignore = "takes minutes: cargo test -p judges -- --ignored worlds --nocapture"]
fn worlds_without_an_order_at_full_size() {
    without_order(300, 600);
}

/// Sessions with one, two or three equal best, ahead of the others by `gap`.
#[expect(clippy::print_stdout, reason = "prints what is published, with --nocapture")]
fn equal_best(sessions: u64, most: u64, sizes: &[u32], is_published: bool) {
    println!(
        "| competitors | best | gap | false before | median before | false | median | named |\n|---|---|---|---|---|---|---|---|"
    );
    let n = sessions as f64;
    let bound = 0.05 * n + 2.6 * (n * 0.05 * 0.95).sqrt();
    let settings = Settings { checks: false, ..Settings::default() };
    let mut wrong = Vec::new();
    for &competitors in sizes {
        for equal in [1, 2, 3_u32] {
            let gaps: &[f64] = if equal == competitors { &[0.0] } else { &[0.05, 0.3] };
            for gap in gaps {
                // On the scale of shares: a best one is preferred to each of the others with 1/2 + gap.
                let strength = libm::log((0.5 + gap) / (0.5 - gap));
                let strengths = (0..competitors).map(|k| if k < equal { strength } else { 0.0 }).collect();
                let world = bradley_terry(strengths);
                let [before, now] = measured(sessions, competitors, Goal::Best, &world, most, &settings);
                let percent = |count: u64| format!("{:.1}", 100.0 * count as f64 / n);
                let row = format!(
                    "| {competitors} | {equal} | {gap} | {} | {} | {} | {} | {} |",
                    percent(before.0),
                    before.2,
                    percent(now.0),
                    now.2,
                    percent(now.1)
                );
                println!("{row}");
                // The README has what stopping costs where there is one best, far ahead.
                let cost = format!("| {competitors} | {} | {} |", before.2, now.2);
                let has_cost = (equal, *gap) != (1, 0.3) || README.contains(&cost);
                if now.0 as f64 > bound || is_published && !(PUBLISHED.contains(&row) && has_cost) {
                    wrong.push(row);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "over the bound, or other rows in docs/pages/trust.md and README.md: {wrong:#?}");
}

#[test]
fn sessions_seldom_name_one_of_equals() {
    equal_best(14, 400, &[3], false);
}

#[test]
#[ignore = "takes minutes: cargo test -p judges -- --ignored stopping_at_first_sight --nocapture"]
fn stopping_at_first_sight_at_full_size() {
    equal_best(60, 2_000, &[3], true);
}

#[test]
#[ignore = "takes five minutes: cargo test -p judges --release -- --ignored stopping_among_more --nocapture"]
fn stopping_among_more_at_full_size() {
    equal_best(60, 2_000, &[5, 10, 20], true);
}

#[test]
fn a_tolerance_ends_a_session_between_equals() {
    let world = bradley_terry(vec![1.0, 1.0, 0.0]);
    let settings = Settings { checks: false, ..Settings::default() };
    for seed in 0..8 {
        let config = Config { tolerance: 0.15, ..config(3, seed) };
        let [_, stopped] = play(config, &world, 2_000, &Settings { tolerance: 0.15, ..settings.clone() }, 0.2);
        // The third is worse than the others by .23.
        assert!(stopped.is_some_and(|stopped| stopped.best < 2), "{seed}: {stopped:?}");
    }
}

#[test]
fn a_tolerance_is_in_the_log_and_only_there_if_there_is_one() {
    let mut plain = Session::new(config(3, 1)).unwrap();
    assert!(!plain.take_lines().contains("tolerance"));
    let mut with = Session::new(Config { tolerance: 0.05, ..config(3, 1) }).unwrap();
    with.ask(None).unwrap();
    let lines = with.take_lines();
    assert!(lines.contains("\"v\":2,\"event\":\"created\"") && lines.contains("\"tolerance\":0.05"), "{lines}");
    let (again, _) = Session::replay(lines.as_bytes()).unwrap();
    assert_eq!(again.config().tolerance, 0.05);
    assert!(Session::new(Config { tolerance: 0.5, ..config(3, 1) }).is_err());
}

/// Chances given after `begun` answers, with strengths drawn from the prior of the plays (normal, with a standard deviation log-uniform
/// from 0.05 to 4.5), and whether the best was named by then.
fn promised(sessions: u64, plays: usize, competitors: u32, begun: u64) -> Vec<(f64, bool)> {
    let of = |seed: u64| {
        let mut draws = statistics::Normals::from_seed(60_000 + seed);
        let spread = 0.05 * libm::pow(2.0, 6.5 * draws.uniform());
        let strengths: Vec<f64> = draws.normals(competitors as usize).iter().map(|z| spread * z).collect();
        let world = bradley_terry(strengths);
        let mut judge = Judge::new(seed, 0.0);
        let mut live = Session::new(config(competitors, seed)).unwrap();
        let settings = Settings { checks: false, advice: false, looks: board::Looks::Every, ..Settings::default() };
        let mut answer = |live: &mut Session, until: u64| {
            while live.counts().answered < until {
                let pair = live.ask(None).unwrap();
                let wins = judge.unit() < world(pair.first as usize, pair.second as usize);
                live.tell(pair.ticket, if wins { Answer::First } else { Answer::Second }, None).unwrap();
            }
            live.take_events();
        };
        answer(&mut live, begun);
        let promised = live.chances(&settings, Plays { plays, most: 1_000 }).unwrap();
        let mut named = None;
        let mut looked = 0;
        let mut seen = Vec::new();
        for chance in promised.chances {
            while looked < chance.more && named.is_none() {
                looked = chance.more.min(looked + (looked / 10).max(5));
                answer(&mut live, begun + looked);
                if board::named_by_strengths(&live.judgements(), &settings).unwrap().is_some() {
                    named = Some(looked);
                }
            }
            seen.push((chance.share, named.is_some()));
        }
        seen
    };
    (0..sessions).into_par_iter().flat_map_iter(of).collect()
}

/// In five bins of chances, the share that came true.
#[expect(clippy::print_stdout, reason = "prints what is published, with --nocapture")]
fn calibrated(sessions: u64, plays: usize, slack: f64, is_published: bool) {
    println!("| chance | given | mean chance | came true |\n|---|---|---|---|");
    let all = promised(sessions, plays, 6, 60);
    let mut wrong = Vec::new();
    let means = |of: &[&(f64, bool)]| {
        let n = of.len() as f64;
        let mean = of.iter().map(|(share, _)| share).sum::<f64>() / n;
        let came_true = of.iter().filter(|(_, named)| *named).count() as f64 / n;
        (n, mean, came_true)
    };
    let (_, mean, came_true) = means(&all.iter().collect::<Vec<_>>());
    // Chances of one session are not independent.
    if (came_true - mean).abs() > slack.min(0.5 * mean) + 3.0 * (mean * (1.0 - mean) / sessions as f64).sqrt() {
        wrong.push(format!("all: {mean:.2}, {came_true:.2}"));
    }
    for bin in 0..5 {
        let (low, high) = (f64::from(bin) * 0.2, f64::from(bin + 1) * 0.2);
        let of: Vec<&(f64, bool)> =
            all.iter().filter(|(share, _)| *share >= low && (*share < high || bin == 4)).collect();
        let (n, mean, came_true) = means(&of);
        let row = format!("| {low:.1} to {high:.1} | {} | {mean:.2} | {came_true:.2} |", of.len());
        println!("{row}");
        let error = (mean * (1.0 - mean) / n).sqrt();
        let is_far = of.len() >= 10 && (came_true - mean).abs() > slack + 3.0 * error;
        if is_far || is_published && !PUBLISHED.contains(&row) {
            wrong.push(row);
        }
    }
    assert!(wrong.is_empty(), "far from what was said, or another row in docs/pages/trust.md: {wrong:#?}");
}

#[test]
fn chances_come_true_as_often_as_they_say() {
    calibrated(24, 40, 0.15, false);
}

#[test]
#[ignore = "takes minutes: cargo test -p judges -- --ignored chances_of_a_thousand --nocapture"]
fn chances_of_a_thousand_sessions_at_full_size() {
    // As many plays as a session of six has.
    calibrated(1_000, 100, 0.06, true);
}
