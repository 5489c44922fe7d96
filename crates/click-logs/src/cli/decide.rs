//! `click-logs decide`.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, ValueEnum};
use desk::print;
use output::messages::info;
use output::numbers::{complement, parse_confidence};
use output::progress::Progress;
use output::results_folder::{ExistingResults, ResultsFolder};
use output::threads;
use output::usage::usage;
use page::standalone_svg::win_rates;
use serde_json::{Value, json};
use verdicts::decide::{Action, CountUnit, decide_with_progress};

use super::output_format::OutputFormat;
use super::{against, html};
use crate::measures::Measures;
use crate::model::Primary;
use crate::outcomes::read_conversions;
use crate::verdict::{SYNTHETIC, is_synthetic, read_outcomes, warnings_before_verdict};

/// Say who won, since when and how sure that is
///
/// The verdict holds however often you look, and whenever you stop. With --out, also writes decision.json, win-rate.csv (the
/// share of wins after each day, with its confidence sequence) and win-rate.svg. With --html, also writes all of it as one page.
#[derive(Debug, Args)]
pub(super) struct Decide {
    /// A folder that `credit` wrote, or a table like its outcomes.csv: CSV, JSON Lines or, where it was built with it, Parquet
    #[arg(value_name = "FOLDER", required_unless_present = "against")]
    outcomes: Option<PathBuf>,
    /// How sure all verdicts together shall be
    #[arg(long, value_name = "LEVEL", default_value = "0.95", value_parser = parse_confidence)]
    confidence: f64,
    /// What is counted as independent
    #[arg(long, value_enum, default_value = "units")]
    by: CountedBy,
    /// What to print: words, decision.json, or win-rate.csv
    #[arg(long, value_enum, default_value = "text")]
    format: OutputFormat,
    /// Say the verdict by the exit code, too: 0 decided, 3 open, 4 not trusted because pages are broken
    #[arg(long)]
    exit_code: bool,
    /// A folder for files
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Write a page: one file with charts and tables
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the page again if it is there, and move earlier results in the folder aside
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    against: against::Options,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum CountedBy {
    /// Users or sessions, as credited
    Units,
    /// Impressions: finds differences between equal rankers where users differ
    Impressions,
}

/// The table of looks at values.
const VALUE: &str = "value.csv";
/// Its figure.
const VALUE_FIGURE: &str = "value.svg";

/// The exit code of a verdict that is open.
const EXIT_OPEN: u8 = 3;
/// The exit code of a verdict that is not trusted.
const EXIT_NOT_TRUSTED: u8 = 4;

impl Decide {
    /// Decides; returns the exit code.
    pub(super) fn run(self) -> Result<u8> {
        if self.replace && self.out.is_none() && self.html.is_none() {
            return Err(usage(
                "--replace: there is nothing to replace; name a folder with --out, or a page with --html",
            ));
        }
        let by = match self.by {
            CountedBy::Units => CountUnit::Units,
            CountedBy::Impressions => CountUnit::Impressions,
        };
        if self.against.is_asked() {
            let outcomes = self.outcomes.as_deref();
            let Self { confidence, format, replace, .. } = self;
            let asked = against::AgainstOptions { outcomes, confidence, by, format, out: self.out.as_deref(), replace };
            return self.against.run(&asked).map(|()| 0);
        }
        let Some(path) = self.outcomes.as_deref() else { return Err(usage("name FOLDER, which `credit` wrote")) };
        self.html.as_deref().map(|path| output::check_new(path, html::FLAG, self.replace)).transpose()?;
        let (outcomes, summary) = read_outcomes(path)?;
        let alpha = complement(self.confidence);
        if by == CountUnit::Impressions {
            crate::outcomes::need_impressions(&outcomes).map_err(|error| usage(error.in_file(path)))?;
        }
        let progress = Progress::new("days of pairs", outcomes.days.len() as u64, false);
        let verdicts =
            threads::run_in_pool(None, || decide_with_progress(&outcomes, alpha, by, &|rows| progress.advance(rows)))??;
        progress.finish();
        let conversions = if path.is_dir() { read_conversions(path, &outcomes.rankers, &summary)? } else { None };
        let measures = Measures::new(&verdicts, conversions.as_ref(), &summary, alpha)?;
        if by == CountUnit::Impressions && measures.primary() != Primary::Clicks {
            return Err(usage(format!(
                "--by impressions counts clicks, and this log is decided by {}, as was said beforehand; leave it out",
                measures.primary().name()
            )));
        }
        let (text, json) = (measures.words(), measures.record());
        if let Some(page) = &self.html {
            let name = path.display().to_string();
            let log = html::Log { name: &name, outcomes: &outcomes, measures: &measures, summary: &summary };
            html::write(page, &log, &warnings_before_verdict(&verdicts, &summary), &text, self.replace)?;
        }
        if let Some(out) = &self.out {
            self.write(out, &measures, &json, &text, &summary)?;
        }
        match self.format {
            OutputFormat::Text => print::text(&text),
            OutputFormat::Json => print::text(&serde_json::to_string_pretty(&json)?),
            OutputFormat::Csv => {
                verdicts
                    .change()
                    .into_iter()
                    .chain(warnings_before_verdict(&verdicts, &summary))
                    .for_each(|warning| info(false, &warning));
                print::text(&measures.signs().looks_csv());
            }
        }
        let (is_decided, action, _) = measures.outcome();
        Ok(match action {
            _ if !self.exit_code || is_decided => 0,
            Action::Repair => EXIT_NOT_TRUSTED,
            _ => EXIT_OPEN,
        })
    }

    fn write(&self, out: &Path, measures: &Measures<'_>, json: &Value, text: &str, summary: &Value) -> Result<()> {
        let config = json!({
            "command": "click-logs decide",
            "outcomes": self.outcomes.as_deref().map(|path| path.display().to_string()),
            "confidence": self.confidence,
            "by": measures.signs().latest().count_unit.name(),
        });
        let existing = ExistingResults::from_flag(self.replace);
        let folder = ResultsFolder::claim(out, &config, existing)?;
        let figure = win_rates(measures.signs(), is_synthetic(summary).then_some(SYNTHETIC));
        folder.write(&config, || {
            output::write_json_pretty(&folder.join("decision.json"), json)?;
            super::write(folder.path(), "decision.txt", text)?;
            super::write(folder.path(), "win-rate.csv", &measures.signs().looks_csv())?;
            match measures.value() {
                Some(value) => super::write(folder.path(), VALUE, &value.looks_csv())?,
                None => output::remove_stale(&folder.join(VALUE))?,
            }
            match measures.figure() {
                Some(figure) => super::write(folder.path(), VALUE_FIGURE, &figure)?,
                None => output::remove_stale(&folder.join(VALUE_FIGURE))?,
            }
            match &figure {
                Some(figure) => super::write(folder.path(), "win-rate.svg", figure),
                None => output::remove_stale(&folder.join("win-rate.svg")),
            }
        })
    }
}
