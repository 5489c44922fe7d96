//! `rankduel report`: all results as HTML.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use output::numbers::{with_separators, with_unit};
use output::usage::usage;
use ranktypes::text::escaped;

use crate::drawing::{Request, draw};
use crate::experiment::report::pages;
use desk::eprintln;
use studies::results::PrintChoices;
use studies::runner::announce_missing;

/// Build one HTML page of all results: verdicts, figures, claims and numbers.
///
/// Of experiments, of single commands, or of one results folder alone. The page opens offline, follows a dark theme, and links to
/// the tables of numbers. Narrow screens get figures of their own, with letters that can be read there.
#[derive(Debug, Args)]
pub(super) struct Report {
    /// The results folder
    #[arg(value_name = "FOLDER", default_value = "results")]
    results: PathBuf,

    /// The page to write [default: report.html in the results folder]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Replace the page even if another program made it
    #[arg(long)]
    replace: bool,

    /// A page per paper beside the first, e.g. report-rucb.html; the first is then the contents
    #[arg(long)]
    per_paper: bool,
}

impl Report {
    pub(super) fn run(&self) -> Result<()> {
        let path = self.out.clone().unwrap_or_else(|| self.results.join("report.html"));
        let name = path.file_name().with_context(|| format!("{} names no file", path.display()))?;
        let name = name.to_string_lossy();
        self.check(&path)?;
        let page_folder = path.parent().unwrap_or(Path::new(""));
        let (page, further_pages) = if self.per_paper {
            pages::pages(&self.results, &narrow_figure, page_folder, &name)?
        } else {
            (pages::page(&self.results, &narrow_figure, page_folder)?, Vec::new())
        };
        further_pages.iter().try_for_each(|(name, _)| self.check(&path.with_file_name(name)))?;
        path.parent().into_iter().for_each(|parent| announce_missing(parent, false));
        output::create_folder_of(&path)?;
        output::remove_leftovers(&path);
        // The contents come last: then all they link to is there.
        for (name, html) in &further_pages {
            output::write_atomic(&path.with_file_name(name), html.as_bytes())?;
        }
        output::write_atomic(&path, page.html.as_bytes())?;
        let bytes = further_pages.iter().map(|(_, html)| html.len()).sum::<usize>() + page.html.len();
        let page_count = if further_pages.is_empty() {
            String::new()
        } else {
            format!(" and {}", with_unit(further_pages.len() as u64, "page"))
        };
        eprintln!(
            "{}{page_count}: {}{} of single commands, {} KB; opens offline",
            path.display(),
            if page.experiments > 0 { with_unit(page.experiments as u64, "experiment") + ", " } else { String::new() },
            with_unit(page.figures as u64, "figure"),
            with_separators(bytes as u64 / 1024)
        );
        Ok(())
    }
}

impl Report {
    /// Checks that nothing but a page of this command would be replaced without being asked.
    fn check(&self, path: &Path) -> Result<()> {
        let foreign = !self.replace && path.exists() && !pages::is_report_page(path);
        let name = escaped(&path.display().to_string()).into_owned();
        ensure!(
            !foreign,
            usage(format!(
                "{name} is there, and not a page of this command; add --replace to replace it, or give another name with --out"
            ))
        );
        Ok(())
    }
}

/// The figure of the results in `folder` for a screen as narrow as a phone's.
fn narrow_figure(folder: &Path) -> Option<String> {
    // One point is a pixel there.
    let chosen = PrintChoices { width: "350pt".parse().ok(), font: "12pt".parse().ok(), ..PrintChoices::default() };
    draw(folder, &Request { chosen, ..Request::default() }).ok().map(|drawing| drawing.sheet.svg())
}
