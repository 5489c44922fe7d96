//! How much memory runs need, and which runs a thread plays together.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use anyhow::Result;
use bandits::ActionKind;
use bandits::registry::Spec;
use output::memory::{ensure_room, size};
use output::numbers::{with_separators, with_unit};
use statistics::anytime::BestArm;

use super::RunResult;
use crate::late_answers::LateAnswers;

/// The memory of an open ticket and of the outcome that is under way, in bytes: a place among the tickets and one in the
/// queue of outcomes; both grow by doubling.
const OPEN_TICKET: u64 = 2 * (56 + 56);

/// Checks that memory has room for the answers that are under way in the runs that are played at a time.
///
/// # Errors
/// One line that says what needs more, and what to choose instead.
pub(super) fn ensure_room_for_answers(
    late: &LateAnswers,
    algorithms: &[Spec],
    (arms, steps): (usize, u64),
    runs: u64,
    in_step: usize,
) -> Result<()> {
    let threads = rayon::current_num_threads() as u64;
    let all_runs = runs.saturating_mul(algorithms.len() as u64);
    let at_a_time = all_runs.min(threads.saturating_mul(in_step as u64));
    let open_answers = late.most_under_way().min(steps);
    // Sets keep a bit for each pair, two where there are ties.
    let sets = algorithms.iter().any(|spec| spec.action_kind() == ActionKind::Sets);
    let outcome = if sets { (arms as u64).saturating_mul(arms as u64) / 8 + 128 } else { 0 };
    let bytes = open_answers.saturating_mul(OPEN_TICKET + outcome).saturating_mul(at_a_time);
    ensure_room(
        bytes,
        || {
            let (runs, open_answers) = (with_unit(at_a_time, "run"), with_separators(open_answers));
            format!("{runs} at a time with up to {open_answers} answers under way in each")
        },
        || "choose a shorter --delay or a smaller --batch, fewer --steps, or --threads 1".to_owned(),
    )
}

/// Checks that memory has room for `runs` runs of each of `algorithms`: for the tables of the policies that are played
/// at a time, one per thread or several in step, and for the results with this number of checkpoints each.
///
/// # Errors
/// One line that says what needs more, and what to choose instead.
pub fn ensure_room_for_runs(
    algorithms: &[Spec],
    arms: usize,
    runs: u64,
    checkpoints: usize,
    in_step: usize,
) -> Result<()> {
    let all_runs = runs.saturating_mul(algorithms.len() as u64);
    ensure_room(
        all_runs.saturating_mul(RunResult::bytes(checkpoints)),
        || format!("the results of {}", with_unit(all_runs, "run")),
        || "choose fewer runs or checkpoints".to_owned(),
    )?;
    let threads = rayon::current_num_threads() as u64;
    let at_a_time = all_runs.min(threads * (in_step as u64).min((all_runs / threads).max(1)));
    let memory_of = |spec: &Spec| spec.memory(arms);
    let Some(largest) = algorithms.iter().max_by_key(|spec| memory_of(spec)) else { return Ok(()) };
    // Threads take the algorithms in turn.
    let mut sizes: Vec<u64> = algorithms.iter().map(memory_of).collect();
    sizes.sort_unstable_by_key(|&bytes| Reverse(bytes));
    let bytes = sizes.iter().cycle().take(at_a_time as usize).fold(0_u64, |sum, bytes| sum.saturating_add(*bytes));
    ensure_room(
        bytes,
        || {
            let (runs, arms) = (with_unit(at_a_time, "run"), with_separators(arms as u64));
            format!(
                "{runs} at a time among {arms} arms ({} for each of {})",
                size(memory_of(largest)),
                largest.entry().name
            )
        },
        || "choose fewer arms, --threads 1, or algorithms without tables of all pairs, such as mergerucb".to_owned(),
    )
}

/// Checks that memory has room for the evidence of the runs that are played at a time.
pub(super) fn ensure_room_for_evidence(arms: usize, in_step: usize) -> Result<()> {
    let at_a_time = rayon::current_num_threads() as u64 * in_step as u64;
    ensure_room(
        at_a_time.saturating_mul(BestArm::memory(arms)),
        || {
            let arms = with_separators(arms as u64);
            format!("the evidence of {} at a time on all pairs of {arms} arms", with_unit(at_a_time, "run"))
        },
        || "choose fewer arms or --threads 1, or leave out --evidence and --stop-when".to_owned(),
    )
}

/// Groups `jobs`, pairs of a kind (an algorithm, a cell) and a run number, into batches that a thread plays together:
/// the kind and the run numbers of each. A batch has at most `max_batch` runs, and fewer if otherwise not every thread
/// would have work.
pub fn batches_of_runs(jobs: Vec<(usize, u64)>, max_batch: usize) -> Vec<(usize, Vec<u64>)> {
    let max_batch = max_batch.min(jobs.len() / rayon::current_num_threads()).max(1);
    let mut batches: Vec<(usize, Vec<u64>)> = Vec::new();
    // The last batch of each kind.
    let mut open_batches: BTreeMap<usize, usize> = BTreeMap::new();
    for (kind, run) in jobs {
        match open_batches.get(&kind) {
            Some(&batch) if batches[batch].1.len() < max_batch => batches[batch].1.push(run),
            _ => {
                open_batches.insert(kind, batches.len());
                batches.push((kind, vec![run]));
            }
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_share_a_kind_and_leave_work_for_every_thread() {
        let jobs: Vec<(usize, u64)> = (0..4).flat_map(|run| [(0, run), (1, run)]).collect();
        let threads = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let with = |pool: &rayon::ThreadPool, most| pool.install(|| batches_of_runs(jobs.clone(), most));
        let threes = [(0, vec![0, 1, 2]), (1, vec![0, 1, 2]), (0, vec![3]), (1, vec![3])];
        assert_eq!(with(&threads(2), 3), threes);
        // Eight runs make batches of two for four threads, and of one for sixteen.
        assert!(with(&threads(4), 3).iter().all(|(_, runs)| runs.len() == 2));
        assert_eq!(with(&threads(16), 3).len(), 8);
        assert_eq!(with(&threads(1), 1), jobs.iter().map(|&(kind, run)| (kind, vec![run])).collect::<Vec<_>>());
    }
}
