//! `sim report`: all results as one HTML page.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use output::numbers::{with_separators, with_unit};

use super::print::eprintln;
use crate::cli::args::announce_missing;
use crate::experiment::report::html;

/// Build one HTML page of all results: figures, claims and numbers.
#[derive(Debug, Args)]
pub(super) struct Report {
    /// The results folder
    #[arg(value_name = "FOLDER", default_value = "results")]
    results: PathBuf,

    /// The page to write [default: report.html in the results folder]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Report {
    pub(super) fn run(&self) -> Result<()> {
        let page = html::page(&self.results)?;
        let path = self.out.clone().unwrap_or_else(|| self.results.join("report.html"));
        path.parent().into_iter().for_each(announce_missing);
        output::create_folder_of(&path)?;
        output::remove_leftovers(&path);
        output::write_atomic(&path, page.html.as_bytes())?;
        eprintln!(
            "{}: {}, {} of other runs, {} KB; opens offline",
            path.display(),
            with_unit(page.experiments as u64, "experiment"),
            with_unit(page.figures as u64, "figure"),
            with_separators(page.html.len() as u64 / 1024)
        );
        Ok(())
    }
}
