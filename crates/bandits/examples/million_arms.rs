//! A million arms with utilities drawn from N(0, 3^2): how mergeRUCB narrows them down.
//!
//! `cargo run --release -p bandits --example million_arms [ARMS] [STEPS] [SEED]`, by default 1e6, 1e9
//! and 1. One line for each merge and each tenfold of time: the stage, how many arms are left, which
//! leads and where it truly ranks, the regret so far; then, where the system reports it, the memory it took.
#![allow(clippy::print_stdout, reason = "an example says what it found")]

use bandits::policies::merge_rucb::{self, MergeRucb};
use bandits::problems::{Problem, ProblemArena};
use bandits::{
    Arena, Arm, Choice, Feedback, Generator, Generators, Policy, PolicyConfig, Recorder, UtilityArena, play,
};
use rand::SeedableRng as _;

/// A policy that is looked at when its stage changes, and at tenfolds of time.
struct Watched<'a> {
    policy: MergeRucb,
    arena: &'a UtilityArena,
    stage: u32,
    next: u64,
}

impl Watched<'_> {
    fn report(&mut self, step: u64) {
        self.stage = self.policy.stage();
        let (stage, left) = (self.stage, self.policy.survivors());
        let best = self.policy.recommend(&mut Generator::seed_from_u64(0));
        let leader = best.map_or_else(
            || "no arm leads".to_owned(),
            |arm| format!("arm {} leads, truly number {}", arm.0, self.rank(arm)),
        );
        println!("step {step:>13}  stage {stage:>2}  {left:>8} arms left  {leader}");
    }

    /// 1 for the best arm.
    fn rank(&self, arm: Arm) -> usize {
        let utilities = self.arena.utilities();
        1 + utilities.iter().filter(|&&utility| utility > utilities[arm.index()]).count()
    }
}

impl Policy for Watched<'_> {
    fn arms(&self) -> usize {
        self.policy.arms()
    }

    #[inline]
    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.policy.stage() != self.stage || step > self.next {
            if step > self.next {
                self.next = self.next.saturating_mul(10);
            }
            self.report(step - 1);
        }
        self.policy.choose(step, generator)
    }

    #[inline]
    fn learn(&mut self, step: u64, feedback: Feedback<'_>) {
        self.policy.learn(step, feedback);
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        self.policy.recommend(generator)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let mut number = |default: f64| words.next().map_or(Ok(default), |word| word.parse::<f64>());
    let (arms, steps, seed) = (number(1e6)?, number(1e9)? as u64, number(1.0)? as u64);
    let problem: Problem = format!("normal:k={arms}:sd=3:seed={seed}").parse()?;
    let ProblemArena::Utilities(mut arena) = problem.setting()? else {
        return Err("utilities make no matrix".into());
    };
    let shown = arena.clone();
    let policy = merge_rucb::MergeRucbConfig::default().policy(arena.arms(), Some(steps))?;
    let mut watched = Watched { stage: policy.stage(), policy, arena: &shown, next: 1_000 };
    let mut recorder = Recorder::new(bandits::log_spaced(steps, 1));
    println!("{problem}, mergeRUCB, {steps} steps");
    play(&mut watched, &mut arena, steps, &mut Generators::from_seed(seed), &mut recorder);
    watched.report(steps);
    for (step, regret) in recorder.checkpoints().iter().zip(recorder.curve()) {
        println!("regret {:>14.1} after {step} steps", regret.average);
    }
    if let Some(memory) = peak_memory() {
        println!("memory at most {memory}");
    }
    Ok(())
}

/// On Linux.
fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().to_owned())
}
