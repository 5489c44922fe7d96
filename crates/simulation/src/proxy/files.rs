//! The files of a matrix: the matrix as `.npy` and text, and all counts as NumPy's `.npz`.

use std::cmp::Ordering;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use bandits::{Arm, PreferenceMatrix};
use output::lock::Lock;
use output::usage::usage;
use ranktypes::npy;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::selection::pair_index;
use super::state::State;

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
    pub provenance: PathBuf,
    /// `P.timings.json`: seconds and memory, which vary from run to run.
    pub timings: PathBuf,
    /// `P.state`: the state that the same command and `--more` continue from.
    pub state: PathBuf,
}

impl Files {
    /// The files for the value `out` of `--out`.
    ///
    /// # Errors
    /// If the name does not end in `.npy` or `.txt`.
    pub fn for_matrix(out: &Path) -> Result<Self> {
        let ending = out.extension().and_then(|ending| ending.to_str());
        ensure!(
            matches!(ending, Some("npy" | "txt")),
            usage(format!("--out {} should end in .npy or .txt; both are written", out.display()))
        );
        let with_ending = |ending| out.with_extension(ending);
        Ok(Self {
            npy: with_ending("npy"),
            text: with_ending("txt"),
            counts: with_ending("counts.npz"),
            provenance: with_ending("json"),
            timings: with_ending("timings.json"),
            state: with_ending("state"),
        })
    }

    /// The paths of all files.
    pub fn all(&self) -> impl Iterator<Item = &Path> {
        let Self { npy, text, counts, provenance: how, timings, state } = self;
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
    output::write_atomic(&files.counts, &counts(state, &matrix).context("failed to pack the counts")?)
}

/// All counts of `state` as a `.npz`; `matrix` is its matrix.
///
/// # Errors
/// None in practice: it is written into memory.
pub fn counts(state: &State, matrix: &PreferenceMatrix) -> Result<Vec<u8>> {
    let arms = state.identity.arms;
    // A number of the pair with an index, as its first or its second arm sees it.
    type Number = fn(&State, usize, bool) -> u64;
    let tables: [(&str, &str, Number); 4] = [
        ("standard_errors", "<f8", |state, place, _| state.standard_error(place).to_bits()),
        ("wins", "<u8", |state, place, first| {
            let count = state.count(place);
            if first { count.wins } else { count.swapped().wins }
        }),
        ("ties", "<u8", |state, place, _| state.count(place).ties),
        ("comparisons", "<u8", |state, place, _| state.count(place).comparisons),
    ];
    // Row by row into memory of the final size: for thousands of rankers each table takes gigabytes.
    let mut archive = ZipWriter::new(Cursor::new(Vec::with_capacity(5 * (8 * arms * arms + 1024))));
    // Without a time stamp, so that the same counts give the same bytes.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default());
    let mut add = |name: &str, descr: &str, number: &dyn Fn(usize, usize) -> u64| -> Result<()> {
        archive.start_file(format!("{name}.npy"), options)?;
        archive.write_all(&npy::header(descr, [arms, arms]))?;
        for row in 0..arms {
            let line: Vec<u8> = (0..arms).flat_map(|column| number(row, column).to_le_bytes()).collect();
            archive.write_all(&line)?;
        }
        Ok(())
    };
    add("preferences", "<f8", &|row, column| matrix.row(Arm::at(row))[column].to_bits())?;
    for (name, descr, array) in tables {
        add(name, descr, &|row, column| match row.cmp(&column) {
            Ordering::Less => array(state, pair_index(arms, row, column), true),
            Ordering::Equal => 0,
            Ordering::Greater => array(state, pair_index(arms, column, row), false),
        })?;
    }
    Ok(archive.finish()?.into_inner())
}
