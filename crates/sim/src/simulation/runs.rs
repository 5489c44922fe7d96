//! A study: several algorithms, several runs each, in the same kind of arena, all cores at work.

use std::collections::BTreeMap;
use std::iter::repeat_n;
use std::time::Instant;

use anyhow::{Context, Result};
use bandits::registry::{PolicyVisitor, Spec};
use bandits::{Arena, Arm, Choice, Generators, Observer, Policy, Recorder, Regret, RunState, play_in_step};
use rayon::prelude::*;

use crate::output::progress::Progress;
use crate::simulation::seed;
use crate::simulation::seed_text::{Seeded, seed_text};

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

    /// How many runs a thread had best play [in step](bandits::play_in_step).
    fn in_step(&self) -> usize {
        1
    }

    /// The arena of a run whose own streams are drawn from `stream(purpose)`.
    fn arena(&self, stream: &dyn Fn(&str) -> bandits::Generator) -> Self::Arena<'_>;
}

/// Copies of one arena, for arenas that need no stream of their own.
pub struct Copies<A> {
    /// The arena.
    pub arena: A,
    /// What it is, in full.
    pub content: String,
}

impl<A: Arena + Clone + Sync> Arenas for Copies<A> {
    type Arena<'a>
        = A
    where
        A: 'a;

    fn arms(&self) -> usize {
        self.arena.arms()
    }

    fn content(&self) -> &str {
        &self.content
    }

    fn arena(&self, _stream: &dyn Fn(&str) -> bandits::Generator) -> A {
        self.arena.clone()
    }
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

    /// What keeps a run.
    fn recorder(&self) -> Recorder {
        Recorder::new(self.checkpoints.clone()).with_bests()
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
    fn of(recorder: &Recorder, seconds: f64) -> Self {
        Self { regret: recorder.curve().to_vec(), best: recorder.bests().to_vec(), seconds }
    }

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
    let mut played = crews(jobs, arenas.in_step())
        .into_par_iter()
        // One crew a piece: runs differ in length by orders of magnitude.
        .with_max_len(1)
        .map(|(algorithm, numbers)| {
            let runs = numbers.iter().map(|&run| (run, plan.recorder())).collect();
            let (recorders, seconds) =
                play_runs(arenas, &plan.algorithms[algorithm], [plan.steps, plan.seed], runs, progress)?;
            let runs = recorders.iter().map(|recorder| Run::of(recorder, seconds));
            Ok(numbers.into_iter().map(|run| (algorithm, run)).zip(runs).collect())
        })
        .collect::<Result<Vec<Vec<((usize, u64), Run)>>>>()?
        .concat();
    played.sort_by_key(|(job, _)| *job);
    let mut results: Vec<Vec<Run>> = plan.algorithms.iter().map(|_| Vec::new()).collect();
    for ((algorithm, _), run) in played {
        results[algorithm].push(run);
    }
    Ok(results)
}

/// Which runs are played together: for each crew what its `jobs` share (an algorithm, a cell) and the
/// numbers of its runs, at most `most` of them and no more than leave work for every thread.
pub(crate) fn crews(jobs: Vec<(usize, u64)>, most: usize) -> Vec<(usize, Vec<u64>)> {
    let most = most.min(jobs.len() / rayon::current_num_threads()).max(1);
    let mut crews: Vec<(usize, Vec<u64>)> = Vec::new();
    // The last crew of each kind, where it has room.
    let mut open: BTreeMap<usize, usize> = BTreeMap::new();
    for (kind, run) in jobs {
        match open.get(&kind) {
            Some(&crew) if crews[crew].1.len() < most => crews[crew].1.push(run),
            _ => {
                open.insert(kind, crews.len());
                crews.push((kind, vec![run]));
            }
        }
    }
    crews
}

/// Plays one run; the plan's own algorithms do not matter.
pub(crate) fn play_one<A: Arenas>(arenas: &A, plan: &Plan, spec: &Spec, run: u64, progress: &Progress) -> Result<Run> {
    let runs = vec![(run, plan.recorder())];
    let (recorders, seconds) = play_runs(arenas, spec, [plan.steps, plan.seed], runs, progress)?;
    Ok(Run::of(&recorders[0], seconds))
}

/// Plays `runs`, by their numbers and each before an observer of its own, for `steps` steps under the master
/// `seed`; hands back the observers, and the seconds that a run took. Each is the run that it would be
/// by itself.
///
/// # Errors
/// When the algorithm cannot choose among so many arms.
pub fn play_runs<A: Arenas, O: Observer>(
    arenas: &A,
    spec: &Spec,
    [steps, seed]: [u64; 2],
    runs: Vec<(u64, O)>,
    progress: &Progress,
) -> Result<(Vec<O>, f64)> {
    // The cell is the content, not the place in the plan; a longer run continues a shorter one.
    let cell = seed_text(Seeded::Run { arenas: arenas.content(), algorithm: spec });
    let runs = runs.into_iter().map(|(run, observer)| {
        let stream = |purpose: &str| seed::generator(seed, &cell, run, purpose);
        let generators = Generators { policy: stream("policy"), arena: stream("arena"), coins: stream("coins") };
        (arenas.arena(&stream), generators, Watched { observer, progress, reported: 0 })
    });
    let visit = PlayRuns { runs: runs.collect(), steps };
    spec.visit(arenas.arms(), steps, visit).with_context(|| format!("{spec} cannot be played"))
}

struct PlayRuns<'a, A, O> {
    runs: Vec<(A, Generators, Watched<'a, O>)>,
    steps: u64,
}

impl<A: Arena, O: Observer> PolicyVisitor for PlayRuns<'_, A, O> {
    type Output = (Vec<O>, f64);

    fn visit<P: Policy + Clone>(self, policy: P) -> (Vec<O>, f64) {
        let start = Instant::now();
        let policies = repeat_n(policy, self.runs.len());
        let player = |((arena, generators, observer), policy)| RunState::new(policy, arena, generators, observer);
        let mut players: Vec<_> = self.runs.into_iter().zip(policies).map(player).collect();
        play_in_step(&mut players, self.steps);
        let seconds = start.elapsed().as_secs_f64() / players.len().max(1) as f64;
        let observers = players.into_iter().map(|player| {
            let Watched { observer, progress, reported } = player.observer;
            progress.advance(self.steps - reported);
            observer
        });
        (observers.collect(), seconds)
    }
}

/// An observer that also tells the progress bar now and then.
struct Watched<'a, O> {
    observer: O,
    progress: &'a Progress,
    reported: u64,
}

/// Steps between two reports to the progress bar: some milliseconds of work.
const REPORT_EVERY: u64 = 1 << 15;

impl<O: Observer> Observer for Watched<'_, O> {
    #[inline]
    fn played(&mut self, from: u64, to: u64, choice: Choice<'_>, gaps: &[f64]) {
        self.observer.played(from, to, choice, gaps);
        if to - self.reported >= REPORT_EVERY {
            self.progress.advance(to - self.reported);
            self.reported = to;
        }
    }

    #[inline]
    fn next_report(&self) -> u64 {
        self.observer.next_report()
    }

    fn report(&mut self, step: u64, best: Option<Arm>) {
        self.observer.report(step, best);
    }
}

#[cfg(test)]
mod tests {
    use interleave::{AnyInterleaving, AnyMultileaving};

    use super::*;
    use crate::simulation::live_arena::{LiveArenas, Methods};
    use crate::simulation::site::tests::site;

    #[test]
    fn crews_share_a_kind_and_leave_no_thread_without() {
        let jobs: Vec<(usize, u64)> = (0..4).flat_map(|run| [(0, run), (1, run)]).collect();
        let threads = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let with = |pool: &rayon::ThreadPool, most| pool.install(|| crews(jobs.clone(), most));
        let thrice = [(0, vec![0, 1, 2]), (1, vec![0, 1, 2]), (0, vec![3]), (1, vec![3])];
        assert_eq!(with(&threads(2), 3), thrice);
        // Eight runs for four threads are two each, and for sixteen one.
        assert!(with(&threads(4), 3).iter().all(|(_, runs)| runs.len() == 2));
        assert_eq!(with(&threads(16), 3).len(), 8);
        assert_eq!(with(&threads(1), 1), jobs.iter().map(|&(kind, run)| (kind, vec![run])).collect::<Vec<_>>());
    }

    #[test]
    fn live_runs_in_step_are_the_runs_by_themselves() {
        let (_, site) = site(50, &[|label, doc| label + doc as f64, |_, doc| doc as f64, |_, doc| -(doc as f64)]);
        let methods = Methods {
            interleaving: "probabilistic".parse::<AnyInterleaving>().unwrap(),
            multileaving: "sosm".parse::<AnyMultileaving>().unwrap(),
        };
        let arenas = LiveArenas { site: &site, methods: &methods, gaps: &[0.0, 0.1, 0.2], content: String::new() };
        for name in ["rucb", "mdb"] {
            let spec: Spec = name.parse().unwrap();
            let played = |runs: &[u64]| {
                let runs = runs.iter().map(|&run| (run, Recorder::new(vec![10, 2_000]).with_bests())).collect();
                let (recorders, _) = play_runs(&arenas, &spec, [2_000, 1], runs, &Progress::hidden()).unwrap();
                recorders.iter().map(|of| (of.curve().to_vec(), of.bests().to_vec())).collect::<Vec<_>>()
            };
            assert_eq!(played(&[4, 5, 6]), [4, 5, 6].map(|run| played(&[run])).concat(), "{name}");
            assert_ne!(played(&[4]), played(&[5]), "{name}");
        }
    }
}
