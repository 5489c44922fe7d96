//! `rankduel export DATASET`: the lists of a data set's rankers as TREC runs, and its labels as qrels.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};
use clap::{ArgGroup, Args};
use letor_io::trec::{DocumentNumbers, write_qrels, write_run};
use letor_io::{Dataset, FeatureId, Names, Provenance};
use output::numbers::{parse_ordinal, parse_positive, with_unit};
use output::progress::Progress;
use output::usage::usage;
use output::write_atomic;
use rankers::Selection;
use serde::Serialize;
use simulation::spec::SiteSpec;

use output::messages::note;

use crate::cli::args::{
    CommonArgs, DatasetArgs, OutputArgs, ReadingArgs, announce, dataset_name, default_folder, shortened_list,
};
use desk::{eprintln, println};

/// The file of the labels.
const QRELS: &str = "qrels.txt";

/// Write the lists of feature rankers or models as TREC runs, and the labels as qrels.
///
/// The folder holds one run per ranker, NAME.run, and qrels.txt: `rankduel --rankings FOLDER --qrels FOLDER/qrels.txt` reads
/// them, and so do trec_eval and ir_measures. Documents have the numbers in the comments of the files (`#docid =
/// GX001-23-456`), or invented ones, QUERY-ROW. Scores have all digits; trec_eval compares them in single precision.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("data").args(["positional", "dataset"]).required(true).multiple(true)))]
pub(super) struct Export {
    #[command(flatten)]
    dataset: DatasetArgs,

    /// Features to export: `all`, N (that many at random), `alphabetical:N` (the first N in the order 1, 10, 100, ...), or
    /// 1-based feature numbers, e.g. 1,5,110 [default: all]
    #[arg(long, value_name = "all|N|alphabetical:N|I,J,...")]
    rankers: Option<Selection>,

    /// Features to leave out, e.g. 134 or 1,2,3 (1-based)
    #[arg(long, value_name = "I,J,...", value_delimiter = ',', value_parser = parse_ordinal)]
    without: Vec<u32>,

    /// Scores of models to export too: files with a score per row, or NAME=FILE, numbered after the features
    #[arg(long, value_name = "[NAME=]FILE,...", value_delimiter = ',')]
    scores: Vec<String>,

    /// Only export the --scores, numbered from 1
    #[arg(long, requires = "scores")]
    scores_only: bool,

    /// The most documents per query of a run [default: all]
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    depth: Option<u64>,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    common: CommonArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// The content of config.json.
#[derive(Serialize)]
struct Config<'a> {
    command: &'static str,
    version: &'static str,
    dataset: &'a str,
    synthetic: bool,
    checksum: &'a str,
    rankers: &'a [FeatureId],
    #[serde(skip_serializing_if = "Option::is_none")]
    names: Option<Names>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u64>,
    /// Whether the numbers of documents are invented.
    invented_documents: bool,
}

/// The written files, for `--json`.
#[derive(Serialize)]
struct ExportReport<'a> {
    folder: String,
    /// The file of each ranker.
    runs: BTreeMap<u32, &'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    qrels: Option<&'static str>,
}

impl Export {
    pub(super) fn run(&self) -> Result<()> {
        let quiet = self.common.quiet;
        let dataset_args = self.dataset.paths_or_names();
        let spec = SiteSpec {
            dataset: dataset_args.to_vec(),
            reading: self.reading.spec(),
            scores: self.scores.clone(),
            scores_only: self.scores_only,
            rankers: self.rankers.clone().unwrap_or(Selection::All),
            ..SiteSpec::default()
        };
        let dataset = self.reading.open(&spec)?;
        announce(&dataset, quiet);
        let rankers = self.rankers(&spec, &dataset)?;
        check_queries(&dataset)?;
        let documents = DocumentNumbers::of(&dataset);
        let checksum = dataset.checksum();
        let names = dataset.feature_names();
        let config = Config {
            command: "export",
            version: env!("CARGO_PKG_VERSION"),
            dataset: dataset.name(),
            synthetic: matches!(dataset.provenance(), Provenance::LookAlike { .. }),
            checksum: &checksum,
            rankers: &rankers,
            names: names.and_then(|names| names.subset(rankers.iter().map(|feature| feature.0 as usize - 1))),
            depth: self.depth,
            invented_documents: documents.are_invented(),
        };
        let default_folder = || {
            let files: Vec<String> = dataset_args.iter().chain(&self.scores).cloned().collect();
            let name = dataset_name(&files, dataset.name(), &checksum);
            let suffix = self.reading.folder_suffix().map_or_else(String::new, |suffix| format!("-{suffix}"));
            let chosen: Vec<String> = rankers.iter().map(|feature| feature.0.to_string()).collect();
            let is_every_ranker = rankers.len() == dataset.features() as usize;
            let chosen =
                if is_every_ranker { String::new() } else { format!("-rankers-{}", shortened_list(&chosen.join(","))) };
            let depth = self.depth.map_or_else(String::new, |depth| format!("-depth-{depth}"));
            default_folder(&format!("export-{name}{suffix}{chosen}{depth}"))
        };
        let folder = self.output.claim(default_folder, &config, quiet)?;
        let files = file_names(&dataset, &rankers);
        let has_labels = dataset.max_label() >= 0.0;
        folder.write(&config, || {
            let progress = Progress::new("writing runs", rankers.len() as u64, quiet);
            let depth = self.depth.map_or(usize::MAX, |depth| usize::try_from(depth).unwrap_or(usize::MAX));
            for (feature, file) in rankers.iter().zip(&files) {
                let mut text = Vec::new();
                let tag = file.trim_end_matches(".run");
                write_run(&dataset, *feature, tag, &documents, depth, &mut text)?;
                write_atomic(&folder.join(file), &text)?;
                progress.advance(1);
            }
            if has_labels {
                let mut text = Vec::new();
                write_qrels(&dataset, &documents, &mut text)?;
                write_atomic(&folder.join(QRELS), &text)?;
            }
            progress.finish();
            Ok(())
        })?;
        if self.output.json {
            let runs = rankers.iter().map(|feature| feature.0).zip(files.iter().map(String::as_str)).collect();
            let qrels = has_labels.then_some(QRELS);
            let exported = ExportReport { folder: folder.path().display().to_string(), runs, qrels };
            println!("{}", serde_json::to_string_pretty(&exported)?);
        }
        if documents.are_invented() {
            note(quiet, "the files have no document numbers (`#docid = ...`); documents are called QUERY-ROW");
        }
        if !has_labels {
            note(quiet, "no document has a label, so there are no qrels");
        }
        if !quiet {
            let path = folder.path().display();
            let runs = with_unit(rankers.len() as u64, "run");
            let qrels = if has_labels { format!(" and {QRELS}") } else { String::new() };
            let program = output::program::name();
            eprintln!("{runs}{qrels} in {path}; compare them: {program} --rankings {path} --qrels {path}/{QRELS}");
        }
        Ok(())
    }

    /// The features to export.
    fn rankers(&self, spec: &SiteSpec, dataset: &Dataset) -> Result<Vec<FeatureId>> {
        let seed = simulation::seed::seed(self.common.seed, "rankers", 0, "selection");
        let chosen = spec.rankers.choose(dataset.features(), seed);
        let chosen = chosen.map_err(|error| usage(format!("--rankers {}: {error}", spec.rankers)))?;
        for feature in &self.without {
            let is_chosen = chosen.contains(&FeatureId(*feature));
            ensure!(is_chosen, usage(format!("--without {feature}: that feature is not one of the rankers")));
        }
        let remaining: Vec<FeatureId> =
            chosen.into_iter().filter(|feature| !self.without.contains(&feature.0)).collect();
        ensure!(!remaining.is_empty(), usage("--without leaves no ranker"));
        Ok(remaining)
    }
}

/// Runs name a list by its query, so that each may occur once.
fn check_queries(dataset: &Dataset) -> Result<()> {
    let mut seen = BTreeSet::new();
    for query in dataset.iter() {
        ensure!(
            seen.insert(query.id()),
            usage(format!("query {} occurs twice, but a run has one list per query: use --same-qid merge", query.id()))
        );
    }
    Ok(())
}

/// The files of rankers, by their names: letters, digits, dots and dashes.
fn file_names(dataset: &Dataset, rankers: &[FeatureId]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let name = |feature: &FeatureId| {
        let default_name = format!("feature-{}", feature.0);
        let name = dataset.feature_name(*feature).unwrap_or(&default_name);
        let file_safe = |c: char| if c.is_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '-' };
        let name: String = name.chars().map(file_safe).collect();
        let name = name.trim_start_matches('.');
        // Names that differ only in other characters, or in case, where the file system ignores it.
        let file_name = format!("{name}.run");
        if !name.is_empty() && seen.insert(file_name.to_lowercase()) {
            file_name
        } else {
            format!("{name}-{}.run", feature.0)
        }
    };
    rankers.iter().map(name).collect()
}
