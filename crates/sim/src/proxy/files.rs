//! The files of a matrix: the matrix as `.npy` and text, and all counts as NumPy's `.npz`.

use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use bandits::matrix::npy_header;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::selection::all_pairs;
use super::state::State;
use crate::output;
use crate::output::lock::Lock;
use crate::output::usage::usage;

/// The files of a matrix, for `--out P.npy` or `P.txt`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    /// `P.npy`: p_ij as 64-bit floats.
    pub npy: PathBuf,
    /// `P.txt`: p_ij as text, one row per line.
    pub text: PathBuf,
    /// `P.counts.npz`: arrays `preferences`, `standard_errors`, `wins`, `ties` and `comparisons`, each with one row and
    /// one column per arm; entry (i, j) is that of i against j. On the diagonal and for pairs without comparisons,
    /// counts are 0 and preferences 1/2; standard errors are 0 on the diagonal and infinite without comparisons.
    pub counts: PathBuf,
    /// `P.json`: how the matrix was made.
    pub how: PathBuf,
    /// `P.timings.json`: seconds and memory, which vary from run to run.
    pub timings: PathBuf,
    /// `P.state`: the state that `--resume` and `--more` continue from.
    pub state: PathBuf,
}

impl Files {
    /// The files for the value `out` of `--out`.
    ///
    /// # Errors
    /// If the name does not end in `.npy` or `.txt`.
    pub fn of(out: &Path) -> Result<Self> {
        let ending = out.extension().and_then(|ending| ending.to_str());
        ensure!(
            matches!(ending, Some("npy" | "txt")),
            usage(format!("--out {} should end in .npy or .txt; both are written", out.display()))
        );
        let with = |ending| out.with_extension(ending);
        Ok(Self {
            npy: with("npy"),
            text: with("txt"),
            counts: with("counts.npz"),
            how: with("json"),
            timings: with("timings.json"),
            state: with("state"),
        })
    }

    /// The paths of all files.
    pub fn all(&self) -> impl Iterator<Item = &Path> {
        let Self { npy, text, counts, how, timings, state } = self;
        [npy, text, counts, how, timings, state].into_iter().map(PathBuf::as_path)
    }

    /// Locks these files against other runs until the returned lock is dropped. The folder must exist.
    ///
    /// # Errors
    /// If another run holds the lock, or the folder cannot be written to.
    pub fn lock(&self) -> Result<Lock> {
        let name = self.state.file_name().unwrap_or_default().display();
        let lock = Lock::take(&self.state.with_file_name(format!(".{name}.lock")))?;
        lock.with_context(|| {
            format!("another run is writing {}; wait until it ends, or choose another --out", self.npy.display())
        })
    }
}

/// Writes the matrix and the counts of `state`.
///
/// # Errors
/// If a file cannot be written; its previous version and all other files remain.
pub fn write(files: &Files, state: &State) -> Result<()> {
    let matrix = state.matrix()?;
    output::write_atomic(&files.npy, &matrix.to_npy())?;
    output::write_atomic(&files.text, matrix.to_text().as_bytes())?;
    output::write_atomic(&files.counts, &counts(state).context("failed to pack the counts")?)
}

/// All counts as a `.npz`.
fn counts(state: &State) -> Result<Vec<u8>> {
    let arms = state.identity.arms;
    let preferences = state.matrix()?.entries().to_vec();
    let mut errors = vec![0.0; arms * arms];
    let [mut wins, mut ties, mut comparisons] = [(); 3].map(|()| vec![0; arms * arms]);
    for (place, (low, high)) in all_pairs(arms).into_iter().enumerate() {
        let (count, error) = (state.count(place), state.standard_error(place));
        for (row, column, count) in [(low, high, count), (high, low, count.reversed())] {
            let at = row as usize * arms + column as usize;
            errors[at] = error;
            (wins[at], ties[at], comparisons[at]) = (count.wins, count.ties, count.comparisons);
        }
    }
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    // Without a time stamp, so that the same counts give the same bytes.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default());
    let mut add = |name: &str, descr: &str, data: &mut dyn Iterator<Item = [u8; 8]>| -> Result<()> {
        archive.start_file(format!("{name}.npy"), options)?;
        let mut bytes = npy_header(descr, [arms, arms]);
        data.for_each(|number| bytes.extend_from_slice(&number));
        Ok(archive.write_all(&bytes)?)
    };
    for (name, values) in [("preferences", preferences), ("standard_errors", errors)] {
        add(name, "<f8", &mut values.iter().map(|value| value.to_le_bytes()))?;
    }
    for (name, values) in [("wins", wins), ("ties", ties), ("comparisons", comparisons)] {
        add(name, "<u8", &mut values.iter().map(|value: &u64| value.to_le_bytes()))?;
    }
    Ok(archive.finish()?.into_inner())
}
