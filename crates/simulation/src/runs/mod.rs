//! A study: several algorithms with several runs each in the same kind of arena, on all cores.
//!
//! | in | is |
//! |---|---|
//! | this file | the plan of a study, its results, and how threads share its runs |
//! | `observer` | records a run |
//! | `played_arena` | the run loops, compiled for every policy and kind of arena |
//! | [`outside_duels`] | an arena with duels decided by the caller's code |
//! | `late_arenas` | runs with late answers |
//! | `schedule` | memory, and which runs a thread plays together |
//! | [`evidence`] | what the outcomes of a run prove, and when a proof ends it |

pub mod evidence;
pub mod kept_runs;
mod late_arenas;
mod observer;
pub mod outside_duels;
mod played_arena;
mod schedule;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use bandits::registry::Spec;
use bandits::{Arena as _, Arm, Generators, Regret};
pub use late_arenas::{Answers, LateArenas};
use output::progress::Progress;
pub(crate) use played_arena::played_arena;
pub use played_arena::{LateRunsInStep, PlayedArena, RunsInStep};
use rayon::prelude::*;
pub use schedule::{batches_of_runs, ensure_room_for_runs};
use tracing::{debug, info};

use self::evidence::{EvidencePlan, EvidenceRecorder, RunEvidence};
use self::observer::RunObserver;
use self::played_arena::StartingRun;
use crate::late_answers::LateAnswers;
use crate::runs::kept_runs::KeptRuns;
use crate::seed::RunSeeds;
use crate::seed_text::{SeedSubject, seed_text};
use output::shards::Shard;

/// Makes a fresh arena for each run.
pub trait ArenaFactory: Sync {
    /// The arena of one run.
    type Arena<'a>: PlayedArena
    where
        Self: 'a;

    /// The number of arms.
    fn arms(&self) -> usize;

    /// The full description of the arenas: part of every seed.
    fn content(&self) -> &str;

    /// How many runs a thread should play [in step](bandits::play_in_step).
    fn runs_in_step(&self) -> usize {
        1
    }

    /// How late answers come; `None` if each comes before the next choice.
    fn late(&self) -> Option<&LateAnswers> {
        None
    }

    /// The arena of one run with these seeds.
    fn arena(&self, seeds: &RunSeeds<'_>) -> Self::Arena<'_>;
}

/// Makes copies of one arena, for arenas without random streams of their own.
pub struct CopiedArenas<A> {
    /// The arena.
    pub arena: A,
    /// Its full description: part of every seed.
    pub content: String,
}

impl<A: PlayedArena + Clone + Sync> ArenaFactory for CopiedArenas<A> {
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

    fn arena(&self, _seeds: &RunSeeds<'_>) -> A {
        self.arena.clone()
    }
}

/// What a study plays: algorithms, steps and runs.
#[derive(Debug, Clone)]
pub struct StudyPlan {
    /// The algorithms, in the order of tables and legends.
    pub algorithms: Vec<Spec>,
    /// Steps per run.
    pub steps: u64,
    /// Runs per algorithm.
    pub runs: u64,
    /// The master seed.
    pub seed: u64,
    /// Steps after which the regret is recorded, ascending; the last is `steps`.
    pub checkpoints: Vec<u64>,
    /// Which evidence is gathered, if any.
    pub evidence: Option<EvidencePlan>,
}

impl StudyPlan {
    /// Steps of all runs of all algorithms together.
    #[must_use]
    pub fn total_steps(&self) -> u64 {
        self.steps.saturating_mul(self.runs).saturating_mul(self.algorithms.len() as u64)
    }

    /// How the runs of each algorithm are played.
    #[must_use]
    pub fn cells(&self) -> Vec<RunPlan<'_>> {
        let Self { steps, seed, ref checkpoints, evidence, .. } = *self;
        let cell = |algorithm| RunPlan { algorithm, steps, seed, checkpoints, count_suboptimal: false, evidence };
        self.algorithms.iter().map(cell).collect()
    }

    /// The algorithms with all their parameters.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.algorithms.iter().map(Spec::canonical).collect()
    }
}

/// The result of one run.
#[derive(Debug, Clone)]
pub struct RunResult {
    /// Cumulative regret at each checkpoint.
    pub regret: Vec<Regret>,
    /// The arm that the algorithm recommends at each checkpoint, if any.
    pub recommended: Vec<Option<Arm>>,
    /// Suboptimal steps so far at each checkpoint, if they are counted: `strong` counts steps in which any played arm
    /// has a gap, `weak` those in which all have.
    pub suboptimal: Vec<Regret>,
    /// The step from which one arm played alone until the end of the run, if any: such steps are counted, not played.
    pub alone_since: Option<u64>,
    /// What its outcomes prove, if requested.
    pub evidence: Option<RunEvidence>,
    /// What became of the answers, for runs with late answers.
    pub answers: Option<Answers>,
    /// Wall-clock seconds; never part of a result.
    pub seconds: f64,
}

impl RunResult {
    /// The memory of a result with this number of checkpoints and of its place in the schedule, in bytes.
    fn bytes(checkpoints: usize) -> u64 {
        let per_checkpoint = size_of::<Regret>() + size_of::<Option<Arm>>();
        // The job and its batch of one; the result, which is moved once.
        let schedule = size_of::<(usize, u64)>() + size_of::<(usize, Vec<u64>)>() + size_of::<[u64; 4]>();
        (schedule + 2 * size_of::<((usize, u64), Self)>() + checkpoints * per_checkpoint) as u64
    }

    /// Cumulative regret after the last step.
    #[must_use]
    pub fn final_regret(&self) -> Regret {
        self.regret.last().copied().unwrap_or_default()
    }

    /// The arm recommended after the last step, if any.
    #[must_use]
    pub fn final_recommendation(&self) -> Option<Arm> {
        self.recommended.last().copied().flatten()
    }

    /// The step at which a run of `steps` steps settled: the same as [`alone_since`](Self::alone_since) if at least the
    /// last tenth of the run was one stretch.
    #[must_use]
    pub fn settled_step(&self, steps: u64) -> Option<u64> {
        self.alone_since.filter(|since| steps - since.min(&steps) >= steps / 10)
    }
}

/// Plays the whole plan. Returns the runs of each algorithm, in the order of the plan and of the run numbers; the
/// result depends neither on the number of threads nor on the runs in `kept_runs`, which are not played again. If `kept_runs` is that
/// of [a shard](KeptRuns::with_share), plays and returns only its share.
///
/// # Errors
/// If an algorithm does not accept this number of arms, memory has no room for it or for the results, a finished run cannot
/// be kept, or the runs of shards are merged and one is missing.
pub fn play_all<A: ArenaFactory>(
    arenas: &A,
    plan: &StudyPlan,
    kept_runs: Option<&KeptRuns>,
    progress: &Progress,
) -> Result<Vec<Vec<RunResult>>> {
    play_cells(arenas, &plan.cells(), plan.runs, kept_runs, progress)
}

/// The same for any cells: an algorithm, steps and checkpoints each.
///
/// # Errors
/// As for [`play_all`].
pub fn play_cells<A: ArenaFactory>(
    arenas: &A,
    cells: &[RunPlan<'_>],
    runs: u64,
    kept_runs: Option<&KeptRuns>,
    progress: &Progress,
) -> Result<Vec<Vec<RunResult>>> {
    let algorithms: Vec<Spec> = cells.iter().map(|cell| cell.algorithm.clone()).collect();
    let checkpoints = cells.iter().map(|cell| cell.checkpoints.len()).max().unwrap_or(0);
    ensure_room_for_runs(&algorithms, arenas.arms(), runs, checkpoints, arenas.runs_in_step())?;
    if cells.iter().any(|cell| cell.evidence.is_some()) {
        schedule::ensure_room_for_evidence(arenas.arms(), arenas.runs_in_step())?;
    }
    if let Some(late) = arenas.late() {
        let steps = cells.iter().map(|cell| cell.steps).max().unwrap_or(0);
        schedule::ensure_room_for_answers(late, &algorithms, (arenas.arms(), steps), runs, arenas.runs_in_step())?;
    }
    let same_algorithm = |cell: &RunPlan<'_>| cells.iter().filter(|other| other.algorithm == cell.algorithm).count();
    let finished = |cell| {
        kept_runs.map_or_else(|| Ok(BTreeMap::new()), |kept_runs| kept_runs.read_runs(cell, runs, same_algorithm(cell)))
    };
    let mut results: Vec<BTreeMap<u64, RunResult>> = cells.iter().map(finished).collect::<Result<_>>()?;
    // Run by run, so that the shares of shards are alike.
    let jobs = (0..runs).flat_map(|run| (0..cells.len()).map(move |cell| (cell, run)));
    let mut jobs: Vec<(usize, u64)> = jobs.collect();
    if let Some(shard) = kept_runs.and_then(KeptRuns::shard) {
        jobs = jobs_of(shard, jobs);
        let owned: BTreeSet<&(usize, u64)> = jobs.iter().collect();
        for (cell_index, finished) in results.iter_mut().enumerate() {
            finished.retain(|run, _| owned.contains(&(cell_index, *run)));
        }
    }
    for (cell, finished) in cells.iter().zip(&results) {
        progress.skip(cell.steps.saturating_mul(finished.len() as u64));
    }
    let job_count = jobs.len() as u64;
    jobs.retain(|(cell, run)| !results[*cell].contains_key(run));
    let found_count = job_count - jobs.len() as u64;
    info!("playing {} runs of {} algorithms; {found_count} more are kept from earlier calls", jobs.len(), cells.len());
    if let Some(kept_runs) = kept_runs {
        kept_runs.announce(found_count, job_count);
        kept_runs.refuse_to_play(jobs.first().map(|&(cell, run)| (&cells[cell], run)))?;
    }
    let played = batches_of_runs(jobs, arenas.runs_in_step())
        .into_par_iter()
        // One batch per piece of work: runs differ in duration by orders of magnitude.
        .with_max_len(1)
        .map(|(cell_index, numbers)| {
            let played = play_runs(arenas, &cells[cell_index], &numbers, progress)?;
            debug!(
                "played runs {numbers:?} of {}, {} steps each",
                cells[cell_index].algorithm, cells[cell_index].steps
            );
            for (run, result) in numbers.iter().zip(&played) {
                kept_runs.map_or(Ok(()), |kept_runs| kept_runs.keep(&cells[cell_index], *run, result))?;
            }
            Ok(numbers.into_iter().map(|run| (cell_index, run)).zip(played).collect())
        })
        .collect::<Result<Vec<Vec<((usize, u64), RunResult)>>>>()?;
    for ((cell_index, run), result) in played.into_iter().flatten() {
        results[cell_index].insert(run, result);
    }
    Ok(results.into_iter().map(|runs| runs.into_values().collect()).collect())
}

/// The share of `jobs`, all runs of all cells in their order, that `shard` plays.
#[must_use]
pub fn jobs_of<J>(shard: Shard, jobs: Vec<J>) -> Vec<J> {
    let range = shard.range(jobs.len() as u64);
    jobs.into_iter().zip(0..).filter(|(_, number)| range.contains(number)).map(|(job, _)| job).collect()
}

/// How the runs of one algorithm are played and recorded.
#[derive(Debug, Clone, Copy)]
pub struct RunPlan<'a> {
    /// The algorithm.
    pub algorithm: &'a Spec,
    /// Steps per run.
    pub steps: u64,
    /// The master seed.
    pub seed: u64,
    /// Steps after which the regret is recorded, ascending.
    pub checkpoints: &'a [u64],
    /// Whether to count suboptimal steps too.
    pub count_suboptimal: bool,
    /// Which evidence is gathered, if any.
    pub evidence: Option<EvidencePlan>,
}

/// Plays the runs with these numbers. Each has the same result as if it were played alone.
///
/// # Errors
/// If the algorithm does not accept this number of arms.
pub fn play_runs<A: ArenaFactory>(
    arenas: &A,
    plan: &RunPlan<'_>,
    numbers: &[u64],
    progress: &Progress,
) -> Result<Vec<RunResult>> {
    // Seeds depend on content, not on the position in the plan or the horizon: a longer run continues a shorter one.
    let cell = seed_text(SeedSubject::Run { arenas: arenas.content(), algorithm: plan.algorithm });
    if let Some(late) = arenas.late() {
        return late_arenas::play_late(arenas, plan, (&cell, numbers), late, progress);
    }
    let test = plan.evidence.map(|evidence| evidence.test(arenas.arms())).transpose()?;
    let runs = numbers.iter().map(|&number| {
        let seeds = RunSeeds { master: plan.seed, cell: &cell, run: number };
        let [policy, arena, coins] = ["policy", "arena", "coins"].map(|purpose| seeds.stream(purpose));
        let generators = Generators { policy, arena, coins };
        let arena = arenas.arena(&seeds);
        let evidence = plan.evidence.zip(test.clone());
        let evidence = evidence.map(|(plan_of, test)| Box::new(EvidenceRecorder::new(plan_of, test, plan.steps)));
        let observer = RunObserver::new(plan, arena.gaps(), evidence, progress);
        StartingRun { arena, generators, observer }
    });
    let (algorithm, arms, steps) = (plan.algorithm, arenas.arms(), plan.steps);
    let played = PlayedArena::play(RunsInStep { algorithm, arms, steps, runs: runs.collect() });
    played.with_context(|| format!("{} cannot be played", plan.algorithm))
}

#[cfg(test)]
mod tests {
    use bandits::open::{AnswerTiming, Delay};
    use interleave::{AnyInterleaving, AnyMultileaving};

    use super::*;
    use crate::example::site;
    use crate::live_arena::LiveArenaFactory;
    use crate::seed::Streams;
    use crate::site::MixingMethods;

    const STREAMS: [Streams; 2] = [Streams::Sequential, Streams::Keyed];

    #[test]
    fn live_runs_in_step_equal_runs_played_alone() {
        let (_, site) = site(50, &[|label, doc| label + doc as f64, |_, doc| doc as f64, |_, doc| -(doc as f64)]);
        let methods = MixingMethods {
            interleaving: "probabilistic".parse::<AnyInterleaving>().unwrap(),
            multileaving: "sosm".parse::<AnyMultileaving>().unwrap(),
        };
        let late = [
            AnswerTiming::default(),
            AnswerTiming { delay: Delay::Geometric(40.0), lost: 0.1, ..AnswerTiming::default() },
        ];
        let late = late.map(|timing| LateAnswers { timing, file: None });
        let each = ["rucb", "mdb", "btm"].into_iter().flat_map(|name| STREAMS.map(|streams| (name, streams)));
        for ((name, streams), late) in each.flat_map(|each| late.iter().map(move |late| (each, late))) {
            let (site, methods, gaps) = (&site, &methods, &[0.0, 0.1, 0.2]);
            let arenas = LiveArenaFactory { site, methods, gaps, streams, content: streams.to_string() };
            let arenas = LateArenas::new(arenas, late.clone());
            let spec: Spec = name.parse().unwrap();
            let played = |runs: &[u64]| {
                let plan = RunPlan {
                    algorithm: &spec,
                    steps: 2_000,
                    seed: 1,
                    checkpoints: &[10, 2_000],
                    count_suboptimal: false,
                    evidence: None,
                };
                let runs = play_runs(&arenas, &plan, runs, &Progress::hidden()).unwrap();
                runs.into_iter().map(|run| (run.regret, run.recommended)).collect::<Vec<_>>()
            };
            assert_eq!(played(&[4, 5, 6]), [4, 5, 6].map(|run| played(&[run])).concat(), "{name}");
            assert_ne!(played(&[4]), played(&[5]), "{name}");
        }
    }
}
