//! A study: several algorithms, several runs each, in the same kind of arena, all cores at work.

use std::time::Instant;

use anyhow::{Context, Result};
use bandits::registry::{PolicyVisitor, Spec};
use bandits::{Arena, Arm, Choice, Generators, Observer, Policy, Recorder, Regret, play};
use rayon::prelude::*;

use crate::progress::Progress;
use crate::seed;

/// Makes a fresh arena for each run.
pub trait Arenas: Sync {
    /// The arena of one run.
    type Arena<'a>: Arena
    where
        Self: 'a;

    /// How many arms.
    fn arms(&self) -> usize;

    /// What the arenas are, in full: part of every seed.
    fn content(&self) -> &str;

    /// The arena of a run whose own streams are drawn from `stream(purpose)`.
    fn arena(&self, stream: &dyn Fn(&str) -> bandits::Generator) -> Self::Arena<'_>;
}

/// What is played: algorithms, steps, runs.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The algorithms, in the order of tables and legends.
    pub algorithms: Vec<Spec>,
    /// Steps a run.
    pub steps: u64,
    /// Runs of each algorithm.
    pub runs: u64,
    /// The master seed.
    pub seed: u64,
    /// Steps after which the regret is noted, ascending, the last one being `steps`.
    pub checkpoints: Vec<u64>,
}

impl Plan {
    /// Steps of all runs of all algorithms.
    #[must_use]
    pub fn total_steps(&self) -> u64 {
        self.steps.saturating_mul(self.runs).saturating_mul(self.algorithms.len() as u64)
    }

    /// The algorithms with all their parameters.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.algorithms.iter().map(Spec::canonical).collect()
    }
}

/// What one run came to.
#[derive(Debug, Clone)]
pub struct Run {
    /// Cumulative regret at each checkpoint.
    pub regret: Vec<Regret>,
    /// The arm that would have been named at each checkpoint.
    pub best: Vec<Option<Arm>>,
    /// Seconds it took; never part of a result.
    pub seconds: f64,
}

impl Run {
    /// Cumulative regret after the last step.
    #[must_use]
    pub fn final_regret(&self) -> Regret {
        self.regret.last().copied().unwrap_or_default()
    }

    /// The arm named at the end.
    #[must_use]
    pub fn final_best(&self) -> Option<Arm> {
        self.best.last().copied().flatten()
    }
}

/// Plays the whole plan: the runs of each algorithm, in order, whatever the number of threads.
///
/// # Errors
/// When an algorithm cannot choose among so many arms.
pub fn play_all<A: Arenas>(arenas: &A, plan: &Plan, progress: &Progress) -> Result<Vec<Vec<Run>>> {
    let jobs: Vec<(usize, u64)> =
        (0..plan.runs).flat_map(|run| (0..plan.algorithms.len()).map(move |algorithm| (algorithm, run))).collect();
    let mut played = jobs
        .into_par_iter()
        // One job a piece: runs differ in length by orders of magnitude.
        .with_max_len(1)
        .map(|(algorithm, run)| {
            let spec = &plan.algorithms[algorithm];
            Ok(((algorithm, run), play_one(arenas, plan, spec, run, progress)?))
        })
        .collect::<Result<Vec<((usize, u64), Run)>>>()?;
    played.sort_by_key(|(job, _)| *job);
    let mut results: Vec<Vec<Run>> = plan.algorithms.iter().map(|_| Vec::new()).collect();
    for ((algorithm, _), run) in played {
        results[algorithm].push(run);
    }
    Ok(results)
}

/// Plays one run; the plan's own algorithms do not matter.
pub(crate) fn play_one<A: Arenas>(arenas: &A, plan: &Plan, spec: &Spec, run: u64, progress: &Progress) -> Result<Run> {
    // The cell is the content, not the place in the plan; a longer run continues a shorter one.
    let cell = format!("{}\n{}", arenas.content(), spec.canonical());
    let stream = |purpose: &str| seed::generator(plan.seed, &cell, run, purpose);
    let visit = PlayOne {
        arena: arenas.arena(&stream),
        generators: Generators { policy: stream("policy"), arena: stream("arena"), coins: stream("coins") },
        plan,
        progress,
    };
    spec.visit(arenas.arms(), plan.steps, visit).with_context(|| format!("{spec} cannot be played"))
}

struct PlayOne<'a, A> {
    arena: A,
    generators: Generators,
    plan: &'a Plan,
    progress: &'a Progress,
}

impl<A: Arena> PolicyVisitor for PlayOne<'_, A> {
    type Output = Run;

    fn visit<P: Policy>(mut self, mut policy: P) -> Run {
        let start = Instant::now();
        let recorder = Recorder::new(self.plan.checkpoints.clone()).with_bests();
        let mut observer = Watched { recorder, progress: self.progress, reported: 0 };
        play(&mut policy, &mut self.arena, self.plan.steps, &mut self.generators, &mut observer);
        self.progress.advance(self.plan.steps - observer.reported);
        let recorder = observer.recorder;
        Run {
            regret: recorder.curve().to_vec(),
            best: recorder.bests().to_vec(),
            seconds: start.elapsed().as_secs_f64(),
        }
    }
}

/// A recorder that tells the progress bar now and then.
struct Watched<'a> {
    recorder: Recorder,
    progress: &'a Progress,
    reported: u64,
}

/// Steps between two reports to the progress bar: some milliseconds of work.
const REPORT_EVERY: u64 = 1 << 15;

impl Observer for Watched<'_> {
    #[inline]
    fn played(&mut self, from: u64, to: u64, choice: Choice<'_>, gaps: &[f64]) {
        self.recorder.played(from, to, choice, gaps);
        if to - self.reported >= REPORT_EVERY {
            self.progress.advance(to - self.reported);
            self.reported = to;
        }
    }

    #[inline]
    fn next_report(&self) -> u64 {
        self.recorder.next_report()
    }

    fn report(&mut self, step: u64, best: Option<Arm>) {
        self.recorder.report(step, best);
    }
}
