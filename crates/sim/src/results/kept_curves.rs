//! `curves.npz`: the regret of every run at every checkpoint, for `--keep-curves`.
//!
//! An archive of NumPy arrays: `steps`, the checkpoints, and one array per algorithm, called by its name with all
//! parameters, with a row per run and a column per checkpoint.

use std::io::{Cursor, Read, Write};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use bandits::matrix::npy_header;
use output::{explained, input};
use simulation::runs::{RunResult, StudyPlan};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use super::Arms;

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
    let mut bytes = npy_header("<u8", [1, plan.checkpoints.len()]);
    bytes.extend(plan.checkpoints.iter().flat_map(|step| step.to_le_bytes()));
    archive.write_all(&bytes)?;
    for (spec, runs) in plan.algorithms.iter().zip(results) {
        archive.start_file(format!("{}.npy", spec.canonical()), options)?;
        let mut bytes = npy_header("<f8", [runs.len(), plan.checkpoints.len()]);
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
    /// Of each algorithm, the values of all runs, checkpoint after checkpoint.
    curves: Vec<(String, Vec<f64>)>,
}

impl KeptCurves {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// One line if it cannot be read or is none of these files.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = input::read(path, MOST_BYTES).map_err(|error| explained(error, "read", path))?;
        Self::parse(bytes).with_context(|| format!("{} is not a file that --keep-curves wrote", path.display()))
    }

    fn parse(bytes: Vec<u8>) -> Result<Self> {
        let mut archive = ZipArchive::new(Cursor::new(bytes)).context("it is not an archive")?;
        let (mut steps, mut curves) = (None, Vec::new());
        for at in 0..archive.len() {
            let file = archive.by_index(at).context("it is damaged")?;
            let name = file.name().context("it is damaged")?.into_owned();
            let mut bytes = Vec::new();
            file.take(MOST_BYTES).read_to_end(&mut bytes).with_context(|| format!("{name} is damaged"))?;
            let words = words(&bytes).with_context(|| format!("{name} is damaged"))?;
            match name.strip_suffix(".npy").context("it has other files")? {
                "steps" => steps = Some(words.map(u64::from_le_bytes).collect::<Vec<u64>>()),
                algorithm => curves.push((algorithm.to_owned(), words.map(f64::from_le_bytes).collect())),
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
        let at = self.steps.iter().position(|known| *known == step)?;
        let (_, values) = self.curves.iter().find(|(name, _)| name == algorithm)?;
        Some(values.iter().skip(at).step_by(self.steps.len()).copied().collect())
    }
}

/// The eight bytes of each element of a `.npy` array.
fn words(npy: &[u8]) -> Option<impl Iterator<Item = [u8; 8]> + '_> {
    let length = npy.get(8..10)?;
    let data = npy.get(10 + usize::from(u16::from_le_bytes([length[0], length[1]]))..)?;
    let known = npy.starts_with(b"\x93NUMPY\x01\x00") && data.len().is_multiple_of(8);
    known.then(|| data.as_chunks::<8>().0.iter().copied())
}

/// The value below which a share of `values` lies, between neighbours in proportion.
#[must_use]
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = share * sorted.len().saturating_sub(1) as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    let (low, high) = (sorted.get(below).copied().unwrap_or(0.0), sorted.get(above).copied().unwrap_or(0.0));
    low + (place - place.floor()) * (high - low)
}

#[cfg(test)]
mod tests {
    use bandits::{Regret, RegretKind};
    use simulation::arm_names::ArmNames;

    use super::super::Measured;
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
        let measured = Measured::new(RegretKind::Condorcet, &[0.0, 0.1], None);
        let arms = Arms { winners: &[0], phases: &[], names: &ArmNames::NUMBERS, measured, multileave: None };
        let bytes = npz(&plan, &results, &arms).unwrap();
        assert_eq!(bytes, npz(&plan, &results, &arms).unwrap());
        let read = KeptCurves::parse(bytes.clone()).unwrap();
        assert_eq!(read.values(&plan.algorithms[1].canonical(), 10), Some(vec![40.0, 50.0, 65.0]));
        assert_eq!(read.values("random", 1), Some(vec![1.0, 2.0, 3.0]));
        assert_eq!((read.values("random", 2), read.values("mdb", 1)), (None, None));
        for cut in [0, 10, bytes.len() / 2, bytes.len() - 1] {
            assert!(KeptCurves::parse(bytes[..cut].to_vec()).is_err(), "{cut}");
        }
    }

    #[test]
    fn quantiles_are_between_neighbours() {
        let values = [3.0, 1.0, 2.0, 5.0, 4.0];
        assert_eq!([0.0, 0.1, 0.5, 1.0].map(|share| quantile(&values, share)), [1.0, 1.4, 3.0, 5.0]);
        assert_eq!(quantile(&[7.0], 0.9), 7.0);
    }
}
