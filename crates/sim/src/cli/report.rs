//! `rankduel report`: all results as HTML.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use output::numbers::{with_separators, with_unit};

use super::print::eprintln;
use crate::drawing::{Request, draw};
use crate::experiment::report::html;
use studies::results::Chosen;
use studies::runner::announce_missing;

/// Build one HTML page of all results: figures, claims and numbers.
///
/// The page opens offline. Narrow screens get figures of their own, with letters that can be read there.
#[derive(Debug, Args)]
pub(super) struct Report {
    /// The results folder
    #[arg(value_name = "FOLDER", default_value = "results")]
    results: PathBuf,

    /// The page to write [default: report.html in the results folder]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// A page per paper beside the first, e.g. report-rucb.html; the first is then the contents
    #[arg(long)]
    per_paper: bool,
}

impl Report {
    pub(super) fn run(&self) -> Result<()> {
        let path = self.out.clone().unwrap_or_else(|| self.results.join("report.html"));
        let name = path.file_name().with_context(|| format!("{} names no file", path.display()))?;
        let name = name.to_string_lossy();
        let (page, others) = if self.per_paper {
            html::pages(&self.results, &narrow, &name)?
        } else {
            (html::page(&self.results, &narrow)?, Vec::new())
        };
        path.parent().into_iter().for_each(|parent| announce_missing(parent, false));
        output::create_folder_of(&path)?;
        output::remove_leftovers(&path);
        // The contents come last: then all they link to is there.
        for (name, html) in &others {
            output::write_atomic(&path.with_file_name(name), html.as_bytes())?;
        }
        output::write_atomic(&path, page.html.as_bytes())?;
        let bytes = others.iter().map(|(_, html)| html.len()).sum::<usize>() + page.html.len();
        let pages =
            if others.is_empty() { String::new() } else { format!(" and {}", with_unit(others.len() as u64, "page")) };
        eprintln!(
            "{}{pages}: {}, {} of other runs, {} KB; opens offline",
            path.display(),
            with_unit(page.experiments as u64, "experiment"),
            with_unit(page.figures as u64, "figure"),
            with_separators(bytes as u64 / 1024)
        );
        Ok(())
    }
}

/// The figure of the results in `folder` for a screen as narrow as a phone's.
fn narrow(folder: &Path) -> Option<String> {
    // One point is a pixel there.
    let chosen = Chosen { width: "350pt".parse().ok(), font: "12pt".parse().ok(), ..Chosen::default() };
    draw(folder, &Request { chosen, ..Request::default() }).ok().map(|drawing| drawing.sheet.svg())
}
