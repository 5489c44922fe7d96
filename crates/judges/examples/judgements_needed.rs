//! How many judgements until the best is named in 95% of runs, by world and policy.
//!
//! ```text
//! cargo run --release -p judges --example judgements_needed
//! cargo run --release -p judges --example judgements_needed -- fit.csv top-two,uniform 100 14000
//! cargo run --release -p judges --example judgements_needed -- saved > results/judgements-saved/judgements.csv
//! ```
//!
//! `saved` makes the table of what choosing pairs saves: worlds of 2 to 40 competitors, each with the default policy and with all pairs equally
//! often.
//!
//! The arguments are worlds, policies (or the goals `order` and `uniform`), runs and the most judgements. A world is
//!
//! * `btlK`: a Bradley-Terry world of K for each run, strengths normal with standard deviation 0.8, the best ahead by 0.2
//!   at least;
//! * `positionK`: the same, where the answer shown first has an advantage of 0.5 on that scale;
//! * `itemsK`: the same with 100 items that recur. On each item, the strength of each competitor is shifted by a normal
//!   number with standard deviation 0.5; the shifts of a competitor add up to 0;
//! * or a file with the matrix of a fit, which `rankduel board --matrix` writes. Each run numbers its competitors differently.
//!
//! 39% of the answers are ties where the world allows. The policy's recommendation is looked at on a grid of growing
//! steps; `model` is the leader under the Bradley-Terry model of the same answers. The last column is for rankings: the
//! share of all pairs that the model puts in the wrong order after the last judgement.

#![allow(clippy::print_stdout, reason = "an example says what it found")]

use bandits::{Generator, PreferenceMatrix};
use judges::{Answer, Config, Goal, Session};
use rand::{Rng as _, SeedableRng as _};

/// The share of ties.
const TIES: f64 = 0.39;
/// The advantage of the answer shown first in `positionK`.
const POSITION: f64 = 0.5;
/// The number of items of `itemsK`, and the standard deviation of their shifts.
const ITEMS: (usize, f64) = (100, 0.5);

/// The worlds of `saved`, each with the most judgements of a balanced design, and their runs. The policy plays at most 700.
const SAVED: ([(u32, u64); 7], u32) =
    ([(2, 300), (3, 700), (4, 700), (5, 1_200), (10, 2_000), (20, 4_000), (40, 12_000)], 2_000);

/// The rows of the README's table of worlds of 20.
const DEFAULTS: [&str; 4] = [
    "btl20,position20,items20",
    "top-two,self-sparring:eta=1,self-sparring:eta=4,bradley-terry,bradley-terry-pairs,rmed1,winner-stays,order,uniform",
    "400",
    "4000",
];

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Of one run: at each checkpoint, whether the recommendation and the model's leader are right, and the share of pairs that
/// the model has in the wrong order after the last.
type Played = (Vec<[bool; 2]>, f64);

fn unit(generator: &mut Generator) -> f64 {
    (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

fn normal(generator: &mut Generator) -> f64 {
    let (one, other) = (1.0 - unit(generator), unit(generator));
    (-2.0 * libm::log(one)).sqrt() * libm::cos(std::f64::consts::TAU * other)
}

/// How judges answer.
struct World {
    /// Row i, column j: the logit of the probability that i is preferred to j, ties half.
    logits: Vec<Vec<f64>>,
    /// The logit added for the answer shown first.
    position: f64,
    /// By item, the shift of each competitor's strength; empty without items.
    items: Vec<Vec<f64>>,
}

impl World {
    /// The world called `name`, of the run with this seed.
    fn of(name: &str, seed: u64) -> Result<Self, Failure> {
        let generator = &mut Generator::seed_from_u64(seed);
        for kind in ["btl", "position", "items"] {
            let Some(count) = name.strip_prefix(kind).and_then(|count| count.parse::<usize>().ok()) else { continue };
            let strengths = loop {
                let mut strengths: Vec<f64> = (0..count).map(|_| 0.8 * normal(generator)).collect();
                strengths.sort_by(f64::total_cmp);
                if strengths[count - 1] - strengths[count - 2] >= 0.2 {
                    bandits::random::shuffle(generator, &mut strengths);
                    break strengths;
                }
            };
            let row = |i: usize| (0..count).map(|j| strengths[i] - strengths[j]).collect();
            let items = if kind == "items" { shifts(generator, count) } else { Vec::new() };
            let position = if kind == "position" { POSITION } else { 0.0 };
            return Ok(Self { logits: (0..count).map(row).collect(), position, items });
        }
        let matrix = PreferenceMatrix::from_bytes(&std::fs::read(name)?)?;
        // Files list the best first, and policies break ties by number.
        let mut arms: Vec<_> = matrix.all_arms().collect();
        bandits::random::shuffle(generator, &mut arms);
        let logits = |p: f64| libm::log(p / (1.0 - p));
        let row = |arm| arms.iter().map(|other| logits(matrix.row(arm)[other.index()])).collect();
        Ok(Self { logits: arms.iter().map(|arm| row(*arm)).collect(), position: 0.0, items: Vec::new() })
    }

    fn best(&self) -> u32 {
        let beats_all = |i: usize| (0..self.logits.len()).all(|j| i == j || self.logits[i][j] > 0.0);
        (0..self.logits.len()).find(|&i| beats_all(i)).unwrap_or(0) as u32
    }

    fn judge(&self, pair: &judges::Pair, generator: &mut Generator) -> Answer {
        let (first, second) = (pair.first as usize, pair.second as usize);
        let shift = pair.item.map_or(0.0, |item| self.items[item as usize][first] - self.items[item as usize][second]);
        judge(1.0 / (1.0 + libm::exp(-(self.logits[first][second] + self.position + shift))), generator)
    }
}

/// By item, shifts of strengths that add up to 0 for each competitor.
fn shifts(generator: &mut Generator, count: usize) -> Vec<Vec<f64>> {
    let (items, deviation) = ITEMS;
    let mut all: Vec<Vec<f64>> =
        (0..items).map(|_| (0..count).map(|_| deviation * normal(generator)).collect()).collect();
    for k in 0..count {
        let mean = all.iter().map(|item| item[k]).sum::<f64>() / items as f64;
        all.iter_mut().for_each(|item| item[k] -= mean);
    }
    all
}

fn judge(p: f64, generator: &mut Generator) -> Answer {
    let ties = TIES.min(2.0 * p.min(1.0 - p));
    match unit(generator) {
        draw if draw < ties => Answer::Tie,
        draw if draw < p + ties / 2.0 => Answer::First,
        _ => Answer::Second,
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

/// Plays one run.
fn play(name: &str, policy: &str, run: u64, checkpoints: &[u64]) -> Result<Played, Failure> {
    let world = World::of(name, run)?;
    let mut config = Config { seed: run, ..Config::of((0..world.logits.len()).map(|i| i.to_string())) };
    config.items = (0..world.items.len()).map(|item| item.to_string()).collect();
    match policy {
        "uniform" => config.goal = Goal::Uniform,
        "order" => config.goal = Goal::Order,
        policy => policy.clone_into(&mut config.policy),
    }
    let best = world.best();
    let mut live = Session::new(config)?;
    let mut judges = Generator::seed_from_u64(1_000_000 + run);
    let mut right = Vec::new();
    for at in checkpoints {
        while live.counts().answered < *at {
            let pair = live.ask(None)?;
            let verdict = world.judge(&pair, &mut judges);
            live.tell(pair.ticket, verdict, None)?;
        }
        live.take_events();
        right.push([live.recommend() == Some(best), live.ranking()[0].competitor == best]);
    }
    let order: Vec<usize> = live.ranking().iter().map(|standing| standing.competitor as usize).collect();
    let pairs = (0..order.len()).flat_map(|i| (0..i).map(move |j| (j, i)));
    let wrong = pairs.filter(|(j, i)| world.logits[order[*j]][order[*i]] < 0.0).count();
    Ok((right, wrong as f64 / (order.len() * (order.len() - 1) / 2) as f64))
}

/// All runs in their order, on all cores.
fn runs(name: &str, policy: &str, runs: u64, checkpoints: &[u64]) -> Result<Vec<Played>, Failure> {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let share = |thread: u64| -> Result<Vec<_>, Failure> {
        (thread..runs).step_by(threads as usize).map(|run| Ok((run, play(name, policy, run, checkpoints)?))).collect()
    };
    let shares: Vec<Result<Vec<_>, Failure>> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|thread| scope.spawn(move || share(thread))).collect();
        all.into_iter().map(|thread| thread.join().expect("a run does not panic")).collect()
    });
    let mut all: Vec<_> = shares.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    all.sort_by_key(|(run, _)| *run);
    Ok(all.into_iter().map(|(_, played)| played).collect())
}

/// Growing by a fifth, by 1 at least.
fn grid(first: u64, most: u64) -> Vec<u64> {
    std::iter::successors(Some(first), |at| Some(at + (at / 5).max(1))).take_while(|at| *at <= most).collect()
}

/// The table of what choosing pairs saves, as CSV: of the policy its recommendation, of the balanced design the leader of its model.
fn saved() -> Result<(), Failure> {
    let (worlds, count) = SAVED;
    println!("competitors,runs,chosen,balanced");
    for (competitors, most) in worlds {
        let mut needed = Vec::new();
        for (policy, which, most) in [("top-two", 0, most.min(700)), ("uniform", 1, most)] {
            let checkpoints = grid(5, most);
            let played = runs(&format!("btl{competitors}"), policy, u64::from(count), &checkpoints)?;
            let right_at = |at: usize| played.iter().filter(|(right, _)| right[at][which]).count() as u32;
            let right: Vec<u32> = (0..checkpoints.len()).map(right_at).collect();
            needed.push(reached(&checkpoints, &right, count));
        }
        println!("{competitors},{count},{}", needed.join(","));
    }
    Ok(())
}

fn main() -> Result<(), Failure> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() {
        arguments = DEFAULTS.map(String::from).to_vec();
    }
    if arguments == ["saved"] {
        return saved();
    }
    let [worlds, policies, count, most] = &arguments[..] else {
        return Err("expected `saved`, none, or four arguments: worlds policies runs judgements".into());
    };
    let (count, most): (u32, u64) = (count.parse()?, most.parse()?);
    let checkpoints = grid(50, most);
    for world in worlds.split(',') {
        println!("| {world} | its recommendation | model | wrong order |\n|---|---|---|---|");
        for policy in policies.split(',') {
            let played = runs(world, policy, u64::from(count), &checkpoints)?;
            let column = |which: usize| {
                let right_at = |at: usize| played.iter().filter(|(right, _)| right[at][which]).count() as u32;
                let right: Vec<u32> = (0..checkpoints.len()).map(right_at).collect();
                reached(&checkpoints, &right, count)
            };
            let wrong = played.iter().map(|(_, wrong)| wrong).sum::<f64>() / f64::from(count);
            println!("| `{policy}` | {} | {} | {:.1}% |", column(0), column(1), 100.0 * wrong);
        }
        println!();
    }
    Ok(())
}
