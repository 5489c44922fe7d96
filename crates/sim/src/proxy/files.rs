//! What a matrix leaves: itself as `.npy` and text, and all counts as NumPy's `.npz`.

use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use bandits::matrix::npy_header;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::choice::all_pairs;
use super::state::State;
use crate::output;
use crate::output::lock::Lock;
use crate::output::usage::usage;

/// Where the parts of a matrix lie, for `--out P.npy` or `P.txt`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    /// `P.npy`: p_ij as doubles.
    pub npy: PathBuf,
    /// `P.txt`: p_ij as text, a row a line.
    pub text: PathBuf,
    /// `P.counts.npz`: arrays `preferences`, `standard_errors`, `wins`, `ties` and `comparisons`, all
    /// of one row and one column an arm; entry (i, j) is of i against j. On the diagonal and where a
    /// pair was never compared counts are 0, preferences 1/2, and standard errors 0 and infinite.
    pub counts: PathBuf,
    /// `P.json`: how the matrix was made.
    pub how: PathBuf,
    /// `P.timings.json`: seconds and memory, which differ from run to run.
    pub timings: PathBuf,
    /// `P.state`: what `--resume` and `--more` go on from.
    pub state: PathBuf,
}

impl Files {
    /// The files for `--out`.
    ///
    /// # Errors
    /// When the name does not end in `.npy` or `.txt`.
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

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &Path> {
        let Self { npy, text, counts, how, timings, state } = self;
        [npy, text, counts, how, timings, state].into_iter().map(PathBuf::as_path)
    }

    /// Keeps other runs off these files until what this returns is dropped. The folder must exist.
    ///
    /// # Errors
    /// When another run works on them, or the folder cannot be written to.
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
/// When a file cannot be written; the others, and what was there before, stay.
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
    // Without the time of day, so that the same counts are the same bytes.
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
