//! `rankduel significance`: which algorithms of a finished study differ, and by how much.
//!
//! | in | is |
//! |---|---|
//! | this file | the flags |
//! | `read` | the runs of a results folder |
//! | `format` | the comparisons as text, Markdown, LaTeX, CSV and JSON |

mod format;
mod read;

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use bandits::registry::Spec;
use clap::{Args, ValueEnum};
use output::numbers::{complement, parse_confidence};
use output::usage::usage;
use ranktypes::text::escaped;

use self::format::Table;
use crate::cli::args::TableFormat;
use desk::println;
use studies::results::label;
use studies::significance::{Correction, Method, Question, Sample, compare, runs_needed};

/// Test which algorithms of a finished study differ in regret, pair by pair.
///
/// Reads runs.csv in a folder that a live run, `rankduel bandit` or `rankduel experiment` has written. Each pair of algorithms has
/// its difference of mean regret with a bootstrap interval, the share of pairs of runs in which one is better (1/2:
/// neither), and a p-value, corrected for the number of comparisons.
///
/// Runs with the same number share no random draws, since every algorithm has streams of its own; they are compared as
/// independent samples. With --streams keyed they meet the same queries and users, and in experiments on random sets of
/// rankers all algorithms play on the same sets: these are compared in pairs, run by run or set by set.
#[derive(Debug, Args)]
pub(in crate::cli) struct Significance {
    /// The results folder, or the file runs.csv in it
    #[arg(value_name = "RESULTS")]
    results: PathBuf,

    /// How the table is written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = TableFormat::Text)]
    format: TableFormat,

    /// With --format latex: a complete document instead of a table to include
    #[arg(long)]
    standalone: bool,

    /// The test of a pair: wilcoxon (rank sums; of pairs signed ranks), bootstrap (of the means), or sign (of pairs only)
    #[arg(long, value_name = "TEST", value_enum, default_value_t = TestArg::Wilcoxon)]
    test: TestArg,

    /// The correction for many comparisons: holm bounds the probability of any false finding, bh (Benjamini-Hochberg) the
    /// expected share of false ones
    #[arg(long, value_name = "NAME", value_enum, default_value_t = CorrectionArg::Holm)]
    correction: CorrectionArg,

    /// The confidence of intervals; findings have a p-value of at most 1 minus it
    #[arg(long, value_name = "C", default_value = "0.95", value_parser = parse_confidence)]
    confidence: f64,

    /// Compare all others with this algorithm only
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,

    /// What is compared, of experiments that measure more: e.g. accuracy
    #[arg(long, value_name = "NAME", default_value = "regret")]
    metric: String,

    /// The step, horizon or number of rankers [default: the last]
    #[arg(long, value_name = "N")]
    at: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum TestArg {
    /// Rank sums or signed ranks
    Wilcoxon,
    /// Means
    Bootstrap,
    /// Signs of pairs
    Sign,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum CorrectionArg {
    /// Holm
    Holm,
    /// Benjamini-Hochberg
    Bh,
    /// None
    None,
}

impl Significance {
    pub(in crate::cli) fn run(&self) -> Result<()> {
        ensure!(
            !self.standalone || self.format == TableFormat::Latex,
            usage("--standalone makes a LaTeX document; add --format latex, or leave it out")
        );
        let samples = read::samples(&self.results, &self.metric, self.at.as_deref())?;
        let question = Question {
            method: match self.test {
                TestArg::Wilcoxon => Method::Wilcoxon,
                TestArg::Bootstrap => Method::Bootstrap,
                TestArg::Sign => Method::Sign,
            },
            correction: match self.correction {
                CorrectionArg::Holm => Correction::Holm,
                CorrectionArg::Bh => Correction::BenjaminiHochberg,
                CorrectionArg::None => Correction::None,
            },
            alpha: complement(self.confidence),
            smaller_is_better: self.metric != "accuracy",
        };
        ensure!(
            question.method != Method::Sign || samples.iter().all(|sample| sample.pairing.is_some()),
            usage(
                "--test sign needs runs in pairs, but each algorithm's runs have random draws of their own; choose wilcoxon \
                 or bootstrap"
            )
        );
        let baseline = self.baseline.as_deref().map(|name| baseline(&samples, name)).transpose()?;
        let table = table(&samples, &question, &self.metric, baseline.as_deref())?;
        match self.format {
            TableFormat::Text => println!("{}", table.text()),
            TableFormat::Markdown => println!("{}", table.markdown()),
            TableFormat::Latex => println!("{}", table.latex(self.standalone)),
            TableFormat::Csv => println!("{}", table.csv()?.trim_end()),
            TableFormat::Json => println!("{}", serde_json::to_string_pretty(&table.json())?),
        }
        Ok(())
    }
}

/// The comparisons of the study in `folder`, as text: for the end of its command.
pub(in crate::cli) fn of_study(folder: &Path) -> Result<String> {
    let samples = read::samples(folder, "regret", None)?;
    let question =
        Question { method: Method::Wilcoxon, correction: Correction::Holm, alpha: 0.05, smaller_is_better: true };
    Ok(table(&samples, &question, "regret", None)?.text())
}

fn table<'a>(samples: &[Sample], question: &'a Question, metric: &'a str, baseline: Option<&str>) -> Result<Table<'a>> {
    let comparisons = compare(samples, question, baseline)?;
    let needed = runs_needed(samples, question, comparisons.len());
    Ok(Table { comparisons, question, metric, needed })
}

/// The full name of the algorithm called `name` in full, in tables or in short.
fn baseline(samples: &[Sample], name: &str) -> Result<String> {
    let names = || samples.iter().flat_map(|sample| sample.algorithms.iter().map(|(name, _)| name));
    let full = name.parse::<Spec>().map_or_else(|_| name.to_owned(), |spec| label(&spec));
    let exact = names().find(|known| **known == full || *known == name);
    let short = || names().find(|known| known.split(' ').next() == Some(name));
    exact.or_else(short).cloned().ok_or_else(|| {
        let mut known: Vec<&str> = names().map(String::as_str).collect();
        known.sort_unstable();
        known.dedup();
        usage(format!("--baseline {}: there are runs of {}", escaped(name), known.join(", ")))
    })
}
