//! `rankduel significance`: which algorithms of a finished study differ, and by how much.
//!
//! | in | is |
//! |---|---|
//! | this file | the flags |
//! | `read` | the runs of a results folder |
//! | `format` | the comparisons as text, Markdown, LaTeX, CSV and JSON |
//! | `algorithm_comparisons` | the same with a row per algorithm |

mod algorithm_comparisons;
mod format;
mod read;

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use output::numbers::{complement, parse_confidence};
use output::usage::usage;
use ranktypes::text::escaped;
use statistics::fixed_sample::PValueCorrection;

use self::algorithm_comparisons::AlgorithmComparisons;
use self::format::Table;
use crate::cli::args::{CorrectionArg, LabelOverride, TableFormat};
use crate::experiment::series::Metric;
use analyses::significance::{ComparedValues, ComparisonSettings, Method, compare, runs_needed};
use desk::println;
use studies::results::label_of;

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

    /// A row per algorithm instead of one per pair, for a paper: its mean, and letters for the algorithms that it beats by more than
    /// chance; experiments have a column per setting
    #[arg(long, conflicts_with = "baseline")]
    by_algorithm: bool,

    /// Another name for an algorithm, e.g. rucb=RUCB; several with commas (one with a comma in quotation marks)
    #[arg(long, value_name = "NAME=NEW,...")]
    relabel: Vec<LabelOverride>,

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

impl Significance {
    pub(in crate::cli) fn run(&self) -> Result<()> {
        ensure!(
            !self.standalone || self.format == TableFormat::Latex,
            usage("--standalone makes a LaTeX document; add --format latex, or leave it out")
        );
        let mut samples = read::samples(&self.results, &self.metric, self.at.as_deref())?;
        let question = ComparisonSettings {
            method: match self.test {
                TestArg::Wilcoxon => Method::Wilcoxon,
                TestArg::Bootstrap => Method::Bootstrap,
                TestArg::Sign => Method::Sign,
            },
            correction: self.correction.into(),
            alpha: complement(self.confidence),
            // Studies have metrics of their own beside these, all of them costs.
            smaller_is_better: Metric::find(&self.metric).is_none_or(Metric::smaller_is_better),
        };
        ensure!(
            question.method != Method::Sign || samples.iter().all(|sample| sample.pairing.is_some()),
            usage(
                "--test sign needs runs in pairs, but each algorithm's runs have random draws of their own; choose wilcoxon \
                 or bootstrap"
            )
        );
        for (name, _) in self.relabels() {
            let algorithm_names = algorithms(&samples);
            ensure!(
                algorithm_names.contains(&name.as_str()),
                usage(format!("--relabel {}: there are runs of {}", escaped(name), algorithm_names.join(", ")))
            );
        }
        let baseline = self.baseline.as_deref().map(|name| baseline(&samples, name)).transpose()?;
        let baseline = baseline.map(|name| self.relabelled(name));
        for (name, _) in samples.iter_mut().flat_map(|sample| &mut sample.algorithms) {
            *name = self.relabelled(std::mem::take(name));
        }
        for sample in &samples {
            for (place, (name, _)) in sample.algorithms.iter().enumerate() {
                let is_taken = sample.algorithms[..place].iter().any(|(other, _)| other == name);
                ensure!(!is_taken, usage(format!("--relabel: two algorithms would be called {}", escaped(name))));
            }
        }
        let table = table(&samples, &question, &self.metric, baseline.as_deref())?;
        let by_algorithm = self.by_algorithm.then(|| AlgorithmComparisons::new(&samples, &table));
        let annotated =
            by_algorithm.as_ref().map_or_else(|| table.to_annotated_table(), AlgorithmComparisons::to_annotated_table);
        match self.format {
            TableFormat::Text => println!("{}", annotated.text()),
            TableFormat::Markdown => println!("{}", annotated.markdown()),
            TableFormat::Latex => println!("{}", annotated.latex(self.standalone)),
            TableFormat::Csv => {
                println!(
                    "{}",
                    by_algorithm.as_ref().map_or_else(|| table.csv(), AlgorithmComparisons::csv)?.trim_end()
                );
            }
            TableFormat::Json => {
                let json = by_algorithm.as_ref().map_or_else(|| table.json(), AlgorithmComparisons::json);
                println!("{}", serde_json::to_string_pretty(&json)?);
            }
        }
        Ok(())
    }

    fn relabels(&self) -> impl Iterator<Item = &(String, String)> {
        self.relabel.iter().flat_map(|LabelOverride(names)| names)
    }

    /// The name of an algorithm in the table.
    fn relabelled(&self, name: String) -> String {
        self.relabels().find(|(old, _)| *old == name).map_or(name, |(_, new)| new.clone())
    }
}

/// The comparisons of the study in `folder`, as text: for the end of its command.
pub(in crate::cli) fn of_study(folder: &Path) -> Result<String> {
    let samples = read::samples(folder, "regret", None)?;
    let question = ComparisonSettings {
        method: Method::Wilcoxon,
        correction: PValueCorrection::Holm,
        alpha: 0.05,
        smaller_is_better: true,
    };
    Ok(table(&samples, &question, "regret", None)?.to_annotated_table().text())
}

fn table<'a>(
    samples: &[ComparedValues],
    question: &'a ComparisonSettings,
    metric: &'a str,
    baseline: Option<&str>,
) -> Result<Table<'a>> {
    let comparisons = compare(samples, question, baseline)?;
    let min_runs = runs_needed(samples, question, comparisons.len());
    Ok(Table { comparisons, question, metric, runs_needed: min_runs })
}

/// The full name of the algorithm called `name` in full, in tables or in short.
fn baseline(samples: &[ComparedValues], name: &str) -> Result<String> {
    let names = || samples.iter().flat_map(|sample| sample.algorithms.iter().map(|(name, _)| name));
    let full_label = label_of(name);
    let exact = names().find(|known| **known == full_label || *known == name);
    let short_label = || names().find(|known| known.split(' ').next() == Some(name));
    exact.or_else(short_label).cloned().ok_or_else(|| {
        usage(format!("--baseline {}: there are runs of {}", escaped(name), algorithms(samples).join(", ")))
    })
}

/// The algorithms of all samples, sorted.
fn algorithms(samples: &[ComparedValues]) -> Vec<&str> {
    let mut names: Vec<&str> =
        samples.iter().flat_map(|sample| sample.algorithms.iter().map(|(name, _)| name.as_str())).collect();
    names.sort_unstable();
    names.dedup();
    names
}
