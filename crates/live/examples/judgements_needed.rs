//! How many judgements until the best is named in 95% of runs, by policy.
//!
//! ```text
//! cargo run --release -p live --example judgements_needed -- btl20 self-sparring:eta=4,uniform 100 20000
//! ```
//!
//! The arguments are a world (`btl20`: a Bradley-Terry world of 20 for each run, strengths normal with standard deviation
//! 0.8, the best ahead by 0.2 at least; or a file with the matrix of a fit), policies (or the goals `uniform` and
//! `order`), runs and the most judgements. 39% of the answers are ties where the matrix allows. The policy's
//! recommendation is looked at on a grid of growing steps; `model` is the leader under the Bradley-Terry model of the same answers. The
//! last column is for rankings: the share of all pairs that the model puts in the wrong order after the last judgement.

#![allow(clippy::print_stdout, reason = "an example says what it found")]

use bandits::{Generator, PreferenceMatrix};
use live::{Config, Goal, Live, Verdict};
use rand::{Rng as _, SeedableRng as _};

/// The share of ties.
const TIES: f64 = 0.39;

type Failure = Box<dyn std::error::Error>;

fn unit(generator: &mut Generator) -> f64 {
    (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// How often i is preferred to j, ties half.
fn world(text: &str, seed: u64) -> Result<Vec<Vec<f64>>, Failure> {
    let Some(count) = text.strip_prefix("btl").and_then(|count| count.parse::<usize>().ok()) else {
        let matrix = PreferenceMatrix::from_bytes(&std::fs::read(text)?)?;
        return Ok(matrix.all_arms().map(|arm| matrix.row(arm).to_vec()).collect());
    };
    let generator = &mut Generator::seed_from_u64(seed);
    loop {
        let normal = |generator: &mut Generator| {
            let (one, other) = (1.0 - unit(generator), unit(generator));
            (-2.0 * libm::log(one)).sqrt() * libm::cos(std::f64::consts::TAU * other)
        };
        let mut strengths: Vec<f64> = (0..count).map(|_| 0.8 * normal(generator)).collect();
        strengths.sort_by(f64::total_cmp);
        if strengths[count - 1] - strengths[count - 2] < 0.2 {
            continue;
        }
        bandits::random::shuffle(generator, &mut strengths);
        let chance = |i: usize, j: usize| 1.0 / (1.0 + libm::exp(strengths[j] - strengths[i]));
        return Ok((0..count).map(|i| (0..count).map(|j| chance(i, j)).collect()).collect());
    }
}

fn best_of(world: &[Vec<f64>]) -> u32 {
    let beats_all = |i: usize| (0..world.len()).all(|j| i == j || world[i][j] > 0.5);
    (0..world.len()).find(|&i| beats_all(i)).unwrap_or(0) as u32
}

fn judge(p: f64, generator: &mut Generator) -> Verdict {
    let ties = TIES.min(2.0 * p.min(1.0 - p));
    match unit(generator) {
        draw if draw < ties => Verdict::Tie,
        draw if draw < p + ties / 2.0 => Verdict::First,
        _ => Verdict::Second,
    }
}

/// The first checkpoint from which on the share stays at 95% or more.
fn reached(checkpoints: &[u64], right: &[u32], runs: u32) -> String {
    let enough = |right: &u32| 20 * right >= 19 * runs;
    match right.iter().rposition(|right| !enough(right)) {
        None => format!("{}", checkpoints[0]),
        Some(last) if last + 1 < right.len() => format!("{}", checkpoints[last + 1]),
        Some(last) => format!("over {} ({}%)", checkpoints[last], 100 * right[last] / runs),
    }
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [place, policies, runs, most] = &arguments[..] else {
        return Err("expected four arguments: world policies runs judgements".into());
    };
    let (runs, most): (u32, u64) = (runs.parse()?, most.parse()?);
    let grid = std::iter::successors(Some(50_u64), |at| Some(at + at / 5)).take_while(|at| *at <= most);
    let checkpoints: Vec<u64> = grid.collect();
    println!("| policy | its recommendation | model | wrong order |\n|---|---|---|---|");
    for policy in policies.split(',') {
        let mut right = vec![[0_u32; 2]; checkpoints.len()];
        let mut wrong_order = 0.0;
        for run in 0..runs {
            let world = world(place, u64::from(run))?;
            let mut config = Config { seed: u64::from(run), ..Config::of((0..world.len()).map(|i| i.to_string())) };
            match policy {
                "uniform" => config.goal = Goal::Uniform,
                "order" => config.goal = Goal::Order,
                policy => policy.clone_into(&mut config.policy),
            }
            let best = best_of(&world);
            let mut live = Live::new(config)?;
            let mut judges = Generator::seed_from_u64(1_000_000 + u64::from(run));
            for (at, right) in checkpoints.iter().zip(&mut right) {
                while live.counts().answered < *at {
                    let pair = live.ask(None)?;
                    let verdict = judge(world[pair.first as usize][pair.second as usize], &mut judges);
                    live.tell(pair.ticket, verdict, None)?;
                }
                live.take_events();
                right[0] += u32::from(live.recommend() == Some(best));
                right[1] += u32::from(live.ranking()[0].competitor == best);
            }
            let order: Vec<usize> = live.ranking().iter().map(|standing| standing.competitor as usize).collect();
            let pairs = (0..order.len()).flat_map(|i| (0..i).map(move |j| (j, i)));
            let wrong = pairs.filter(|(j, i)| world[order[*j]][order[*i]] < 0.5).count();
            wrong_order += wrong as f64 / (order.len() * (order.len() - 1) / 2) as f64 / f64::from(runs);
        }
        let column = |which: usize| {
            let right: Vec<u32> = right.iter().map(|right| right[which]).collect();
            reached(&checkpoints, &right, runs)
        };
        println!("| `{policy}` | {} | {} | {:.1}% |", column(0), column(1), 100.0 * wrong_order);
    }
    Ok(())
}
