//! `rankduel bench table`: one page of the results of several files.

use std::path::PathBuf;

use anyhow::{Context, Result};
use bench::{Results, Scores, table};
use clap::Args;
use output::input::{self, MAX_RESULT_BYTES};
use output::messages::info;
use studies::runner::announce_missing;
use studies::{Report, write_files};

use desk::println;

/// Make one page of results, each a bench.json: tables in HTML, Markdown, LaTeX and CSV, and figures.
///
/// Problems count that all results have, and runs as many as the fewest. Results of other definitions or keys are refused.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  \
    rankduel bench table results/bench/bench.json                             its tables, printed\n  \
    rankduel bench table results/bench/bench.json mine.json --out results/both   one page of both")]
pub(super) struct Table {
    /// The results
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// The folder to write to; without it, the tables are printed alone
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Hide remarks
    #[arg(long)]
    quiet: bool,
}

impl Table {
    pub(super) fn run(&self) -> Result<()> {
        let read_results = |path: &PathBuf| {
            let text = input::read_file_text(path, MAX_RESULT_BYTES);
            let text = text.with_context(|| format!("failed to read {}", path.display()))?;
            Results::from_json(&text).with_context(|| format!("failed to read {}", path.display()))
        };
        let results: Vec<Results> = self.files.iter().map(read_results).collect::<Result<_>>()?;
        let scores = Scores::of(&results)?;
        println!("{}", table::text(&scores));
        let Some(out) = &self.out else { return Ok(()) };
        announce_missing(out, self.quiet);
        output::create_folder(out)?;
        let mut report = Report::default();
        for (name, content) in table::files(&scores)? {
            report = report.with_file(&name, content);
        }
        write_files(out, &report.files, &serde_json::Value::Null)?;
        info(self.quiet, &format!("tables in {}", out.display()));
        Ok(())
    }
}
