//! Preference matrices in memory: the room that they need, those of problems, and the checksum that seeds and folder
//! names contain.

use std::fmt::Write as _;

use anyhow::Result;
use bandits::problems::{Problem, ProblemArena};
use bandits::{MAX_ARMS_WITH_ALL_PAIRS, PreferenceMatrix};
use output::memory::{arms_that_fit, ensure_room};
use output::numbers::with_separators;
use output::progress::Progress;
use rayon::prelude::*;
use sha2::{Digest, Sha256};

/// Bytes per ordered pair of arms: an entry of the matrix and a threshold of the arena.
const BYTES_PER_PAIR: u64 = 8 + 4;

/// Cells that are written as text at a time: some 20 MB of it.
const CELLS_AT_A_TIME: usize = 1 << 20;

/// The memory of a matrix of `arms` arms and of its arena, in bytes.
#[must_use]
pub fn matrix_bytes(arms: usize) -> u64 {
    (arms as u64).saturating_mul(arms as u64).saturating_mul(BYTES_PER_PAIR)
}

/// Makes `problem` ready.
///
/// # Errors
/// If its matrix has too many arms, or more than memory has room for.
pub fn prepare_problem(problem: &Problem) -> Result<ProblemArena> {
    let arms = problem.arms();
    // A problem of more arms is refused in any case.
    if problem.is_matrix() && arms <= MAX_ARMS_WITH_ALL_PAIRS {
        ensure_room(
            matrix_bytes(arms),
            || format!("the preferences of {} arms", with_separators(arms as u64)),
            || format!("choose a smaller k{}", arms_that_fit(matrix_bytes)),
        )?;
    }
    Ok(problem.setting()?)
}

/// SHA-256 of the text of `matrix`, in hexadecimal. The text, twenty bytes per cell, is made in parts on all threads.
#[must_use]
pub fn matrix_checksum(matrix: &PreferenceMatrix, quiet: bool) -> String {
    let arms = matrix.arms();
    let progress = Progress::new("hashing the matrix", arms as u64, quiet);
    let rows = (CELLS_AT_A_TIME / arms).clamp(1, arms);
    let mut hash = Sha256::new();
    for start in (0..arms).step_by(rows) {
        let end = arms.min(start + rows);
        let share = (end - start).div_ceil(rayon::current_num_threads());
        let starts: Vec<usize> = (start..end).step_by(share).collect();
        let texts: Vec<String> =
            starts.into_par_iter().map(|from| matrix.rows_to_text(from..end.min(from + share))).collect();
        texts.iter().for_each(|text| hash.update(text));
        progress.advance((end - start) as u64);
    }
    progress.finish();
    hash.finalize().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use output::cache::sha256_hex;

    use super::*;

    #[test]
    fn a_checksum_in_parts_is_that_of_the_text() {
        // The last has more cells than are written at a time.
        for name in ["cyclic", "arithmetic:k=2", "btl:k=37", "btl:k=1500"] {
            let ProblemArena::Matrix(matrix) = prepare_problem(&name.parse().expect(name)).expect(name) else {
                panic!("{name} is a matrix");
            };
            assert_eq!(matrix_checksum(&matrix, true), sha256_hex(&matrix.to_text()), "{name}");
        }
    }
}
