//! set-aside.csv: the lines that do not count, and why.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use verdicts::outcomes::quoted;

use crate::join::{Aside, Inputs};

/// The lines that were set aside, as CSV.
pub(super) struct AsideWriter {
    file: BufWriter<File>,
    names: [Vec<String>; 2],
    failed: Option<std::io::Error>,
}

impl AsideWriter {
    pub(super) fn new(path: &Path, inputs: &Inputs) -> Result<Self> {
        let mut file =
            BufWriter::new(File::create(path).with_context(|| format!("failed to write {}", path.display()))?);
        file.write_all(b"what,reason,file,line\n")?;
        let names = |paths: &[PathBuf]| paths.iter().map(|path| quoted(&path.display().to_string())).collect();
        Ok(Self { file, names: [names(&inputs.impressions), names(&inputs.clicks)], failed: None })
    }

    pub(super) fn write(&mut self, aside: &Aside) {
        let (what, names) =
            if aside.is_impression { ("impression", &self.names[0]) } else { ("click", &self.names[1]) };
        let written = writeln!(self.file, "{what},{},{},{}", aside.fate, names[aside.file as usize], aside.line);
        self.failed = self.failed.take().or(written.err());
    }

    pub(super) fn finish(mut self) -> Result<()> {
        let failed = self.failed.take().or(self.file.flush().err());
        failed.map_or(Ok(()), |error| Err(error).context("failed to write set-aside.csv"))
    }
}

/// Renames a file, or copies it to another disk.
pub(super) fn move_file(from: &Path, to: &Path) -> Result<()> {
    if fs::rename(from, to).is_err() {
        let aside = to.with_extension("csv.partial");
        let copied = fs::copy(from, &aside).and_then(|_| fs::rename(&aside, to));
        copied.with_context(|| format!("failed to write {}", to.display()))?;
    }
    Ok(())
}
