//! `curves.npz`: the regret of every run at every checkpoint, for `--keep-curves`.
//!
//! An archive of NumPy arrays: `steps`, the checkpoints, and one array per algorithm, called by its name with all
//! parameters, with a row per run and a column per checkpoint.

use std::io::{BufReader, Cursor, Read, Seek, Write};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use output::{input, path_error};
use ranktypes::npy;
use simulation::runs::{RunResult, StudyPlan};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::Arms;
use crate::npz::{self, Npz};

/// The name of the file.
pub const FILE: &str = "curves.npz";
/// The array of checkpoints.
const STEPS: &str = "steps.npy";
/// A larger file, or array in it, is not read.
const MOST_BYTES: u64 = 1 << 32;

/// The content of the file.
///
/// # Errors
/// None in practice: it is written to memory.
pub fn npz(plan: &StudyPlan, results: &[Vec<RunResult>], arms: &Arms<'_>) -> Result<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    // Without a time, so that the same runs are the same bytes.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default());
    archive.start_file(STEPS, options)?;
    let mut bytes = npy::header("<u8", [1, plan.checkpoints.len()]);
    bytes.extend(plan.checkpoints.iter().flat_map(|step| step.to_le_bytes()));
    archive.write_all(&bytes)?;
    for (spec, runs) in plan.algorithms.iter().zip(results) {
        archive.start_file(format!("{}.npy", spec.canonical()), options)?;
        let mut bytes = npy::header("<f8", [runs.len(), plan.checkpoints.len()]);
        let values = runs.iter().flat_map(|run| run.regret.iter().map(|regret| arms.measured.of(regret)));
        bytes.extend(values.flat_map(f64::to_le_bytes));
        archive.write_all(&bytes)?;
    }
    Ok(archive.finish()?.into_inner())
}

/// The curves of every run.
#[derive(Debug)]
pub struct KeptCurves {
    steps: Vec<u64>,
    /// For each algorithm, the values of all runs, checkpoint after checkpoint.
    curves: Vec<(String, Vec<f64>)>,
}

impl KeptCurves {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// One line if it cannot be read or is none of these files.
    pub fn read(path: &Path) -> Result<Self> {
        let file = input::open(path).map_err(|error| path_error(error, "read", path))?;
        Self::parse(BufReader::new(file))
            .with_context(|| format!("{} is not a file that --keep-curves wrote", path.display()))
    }

    fn parse(file: impl Read + Seek) -> Result<Self> {
        let mut archive = Npz::open(file)?;
        let (mut steps, mut curves) = (None, Vec::new());
        for name in archive.names().to_vec() {
            let algorithm = npz::without_ending(&name).context("it has other files")?;
            let wrong = || format!("{name} is damaged");
            if algorithm == "steps" {
                steps = Some(
                    archive
                        .array(&name, MOST_BYTES, |from, length| {
                            read_words(from, length, "<u8")
                                .map(|words| words.into_iter().map(u64::from_le_bytes).collect::<Vec<u64>>())
                        })
                        .with_context(wrong)?,
                );
            } else {
                let values = archive.array(&name, MOST_BYTES, |from, length| {
                    read_words(from, length, "<f8").map(|words| words.into_iter().map(f64::from_le_bytes).collect())
                });
                curves.push((algorithm.to_owned(), values.with_context(wrong)?));
            }
        }
        let steps = steps.filter(|steps| !steps.is_empty()).context("it has no checkpoints")?;
        let sound = |(_, values): &(String, Vec<f64>)| {
            values.len().is_multiple_of(steps.len()) && values.iter().all(|value| value.is_finite())
        };
        ensure!(curves.iter().all(sound), "its curves do not fit its checkpoints");
        Ok(Self { steps, curves })
    }

    /// The value of every run of `algorithm` at `step`, if it is there.
    #[must_use]
    pub fn values(&self, algorithm: &str, step: u64) -> Option<Vec<f64>> {
        let column = self.steps.iter().position(|kept_step| *kept_step == step)?;
        let (_, values) = self.curves.iter().find(|(name, _)| name == algorithm)?;
        Some(values.iter().skip(column).step_by(self.steps.len()).copied().collect())
    }
}

/// The eight bytes of each element of a `.npy` array of `length` bytes with elements of this `kind`.
fn read_words(mut reader: &mut dyn Read, length: u64, kind: &str) -> Result<Vec<[u8; 8]>> {
    let (header, begin) = npy::Header::read(&mut reader)?;
    ensure!(header.kind() == kind && !header.fortran_order()?, "its elements are not {kind}, row by row");
    let cells = header.shape()?.into_iter().try_fold(1_usize, usize::checked_mul).context("its shape is too large")?;
    ensure!(
        8 * cells as u128 == u128::from(length.saturating_sub(begin)),
        "it has more or less than its header announces"
    );
    let mut bytes = input::buffer_for(length)?;
    reader.read_to_end(&mut bytes)?;
    let (chunks, remainder) = bytes.as_chunks::<8>();
    ensure!(chunks.len() == cells && remainder.is_empty(), "it is cut off");
    Ok(chunks.to_vec())
}

/// The value below which a share of `values` lies, between neighbours in proportion.
#[must_use]
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut ascending = values.to_vec();
    ascending.sort_by(f64::total_cmp);
    let rank = share * ascending.len().saturating_sub(1) as f64;
    let (lower, upper) = (rank.floor() as usize, rank.ceil() as usize);
    let (low, high) = (ascending.get(lower).copied().unwrap_or(0.0), ascending.get(upper).copied().unwrap_or(0.0));
    low + (rank - rank.floor()) * (high - low)
}

#[cfg(test)]
mod tests {
    use bandits::{Regret, RegretKind};
    use simulation::arm_names::ArmNames;

    use super::super::RegretBasis;
    use super::*;

    #[test]
    fn kept_curves_are_read_back() {
        let run = |first: f64| RunResult {
            regret: [first, 10.0 * first].map(|average| Regret { average, ..Regret::default() }).to_vec(),
            recommended: vec![None; 2],
            suboptimal: Vec::new(),
            alone_since: None,
            evidence: None,
            answers: None,
            seconds: 0.0,
        };
        let plan = StudyPlan {
            algorithms: vec!["random".parse().unwrap(), "rucb".parse().unwrap()],
            steps: 10,
            runs: 3,
            seed: 1,
            checkpoints: vec![1, 10],
            evidence: None,
        };
        let results = [[1.0, 2.0, 3.0].map(run).to_vec(), [4.0, 5.0, 6.5].map(run).to_vec()];
        let measured = RegretBasis::new(RegretKind::Condorcet, &[0.0, 0.1], None);
        let arms =
            Arms { winners: &[0], phases: &[], names: &ArmNames::NUMBERS, measured, gaps: &[], multileave: None };
        let bytes = npz(&plan, &results, &arms).unwrap();
        assert_eq!(bytes, npz(&plan, &results, &arms).unwrap());
        let read = KeptCurves::parse(Cursor::new(bytes.clone())).unwrap();
        assert_eq!(read.values(&plan.algorithms[1].canonical(), 10), Some(vec![40.0, 50.0, 65.0]));
        assert_eq!(read.values("random", 1), Some(vec![1.0, 2.0, 3.0]));
        assert_eq!((read.values("random", 2), read.values("mdb", 1)), (None, None));
        for cut in [0, 10, bytes.len() / 2, bytes.len() - 1] {
            assert!(KeptCurves::parse(Cursor::new(bytes[..cut].to_vec())).is_err(), "{cut}");
        }
    }

    #[test]
    fn quantiles_are_between_neighbours() {
        let values = [3.0, 1.0, 2.0, 5.0, 4.0];
        assert_eq!([0.0, 0.1, 0.5, 1.0].map(|share| quantile(&values, share)), [1.0, 1.4, 3.0, 5.0]);
        assert_eq!(quantile(&[7.0], 0.9), 7.0);
    }
}
