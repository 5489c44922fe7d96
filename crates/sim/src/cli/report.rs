//! `sim report`: one page of all results.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use super::print::eprintln;
use crate::experiment::report::html;
use crate::output;
use crate::output::numbers::{counted, grouped};

/// Makes one page of all results: figures, claims, numbers.
#[derive(Debug, Args)]
pub(super) struct Html {
    /// The folder of results
    #[arg(value_name = "FOLDER", default_value = "results")]
    results: PathBuf,

    /// The page to write [default: report.html in the folder]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Html {
    pub(super) fn run(&self) -> Result<()> {
        let page = html::page(&self.results)?;
        let path = self.out.clone().unwrap_or_else(|| self.results.join("report.html"));
        output::create_folder_of(&path)?;
        output::write_atomic(&path, page.html.as_bytes())?;
        eprintln!(
            "{}: {} and {} of other runs, {} KB, opens without a network",
            path.display(),
            counted(page.experiments as u64, "experiment"),
            counted(page.figures as u64, "figure"),
            grouped(page.html.len() as u64 / 1024)
        );
        Ok(())
    }
}
