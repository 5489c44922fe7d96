//! `rankduel analyse`: the winners of a preference matrix, its distance from a total order, and its difficulty.

mod difference;
mod files;
mod findings;
mod table;

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use bandits::{Arm, PreferenceMatrix, WinTable};
use clap::Args;
use letor_io::Names;
use output::numbers::{
    complement, parse_confidence, parse_count, parse_number, parse_positive, parse_up_to, with_unit,
};
use output::usage::usage;
use serde::Serialize;
use simulation::arm_names::ArmNames;
use simulation::matrix::matrix_checksum;
use simulation::proxy::{MatrixAccount, MatrixOrigin};

use self::findings::Findings;
use crate::cli::args::{ArmArgs, CommonArgs, OutputArgs, default_folder, of_content};
use desk::{eprintln, println};
use studies::matrix_file::{self, MatrixFile};
use studies::results::notes;

/// Analyse a preference matrix: winners, cycles, gaps, bounds on regret, random subsets.
///
/// Writes findings.json with all numbers, ranking.csv, cycles.csv, subsets.csv, bounds.csv, with --against
/// difference.csv, figures of the matrix, subsets, bounds and difference, and config.json to the results folder.
#[derive(Debug, Args)]
pub(super) struct Analyse {
    /// The preference matrix: text (optionally after a line with the number of arms), .npy or .npz, or the name of a
    /// registered matrix
    #[arg(long, value_name = "FILE|NAME")]
    matrix: PathBuf,

    #[command(flatten)]
    arms: ArmArgs,

    /// Another matrix of the same arms to compare with: agreement, difference and, for a multileaved against a
    /// pairwise matrix, the distortion
    #[arg(long, value_name = "FILE|NAME")]
    against: Option<PathBuf>,

    /// The arms of that matrix are in alphabetical order of their numbers: undo it
    #[arg(long, requires = "against")]
    against_lexicographic: bool,

    /// Comparisons that each pair was estimated from, to test which cycles are significant [default: of matrices made by
    /// `rankduel proxy`, those of the least often compared pair, from P.json beside P.npy]
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    comparisons: Option<u64>,

    /// Probability that no preference is wrongly called significant
    #[arg(long, value_name = "C", default_value = "0.95", value_parser = parse_confidence)]
    confidence: f64,

    /// Random orders of the arms to estimate P(total order) from; 0 skips it beyond three arms
    #[arg(long, value_name = "N", default_value = "1e5", value_parser = parse_count)]
    samples: u64,

    /// Alpha of RUCB and mergeRUCB in their regret bounds
    #[arg(long, value_name = "A", default_value = "1.01", value_parser = parse_number)]
    alpha: f64,

    /// Delta of RUCB and mergeRUCB in their regret bounds
    #[arg(long, value_name = "P", default_value = "0.01", value_parser = parse_number)]
    delta: f64,

    /// Batch size of mergeRUCB (its p) in its regret bound
    #[arg(long, value_name = "N", default_value = "4", value_parser = parse_up_to::<usize, 1_000_000>)]
    batch: usize,

    #[command(flatten)]
    common: CommonArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// The configuration as resolved.
#[derive(Serialize)]
struct Config {
    command: &'static str,
    version: &'static str,
    seed: u64,
    matrix: Source,
    /// The chosen arms by their numbers in the matrix; elsewhere they are numbered from 0, in this order.
    arms: Option<Vec<Arm>>,
    #[serde(skip)]
    names: ArmNames,
    /// The names that arms were given, if any was.
    #[serde(rename = "names", skip_serializing_if = "Option::is_none")]
    given: Option<Names>,
    against: Option<Source>,
    /// As given, or else those of the least often compared pair by the description of the matrix.
    comparisons: Option<u64>,
    /// The description that gave them, unless they are given.
    #[serde(skip)]
    comparisons_from: Option<String>,
    /// The win counts of the arms, if the matrix was read from some.
    #[serde(skip)]
    wins: Option<WinTable>,
    /// That the data are synthetic, for table and figures.
    #[serde(skip)]
    note: Option<String>,
    error_rate: f64,
    samples: u64,
    alpha: f64,
    delta: f64,
    batch: usize,
}

/// A matrix as read.
#[derive(Serialize)]
struct Source {
    name: String,
    arms: usize,
    /// Checksum of the entries, with the arms in numeric order.
    checksum: String,
    lexicographic: bool,
    /// The source of the estimate, if it was made by `rankduel proxy`.
    #[serde(skip_serializing_if = "MatrixOrigin::is_unknown")]
    estimated_from: MatrixOrigin,
}

impl Source {
    /// The note that it was estimated from synthetic data, or that this is unknown.
    fn note(&self) -> Option<String> {
        self.estimated_from.note(&self.name)
    }
}

impl Analyse {
    /// Checks the parameters of the regret bounds: at least one theorem must apply.
    fn check(&self) -> Result<()> {
        let Self { alpha, delta, batch, .. } = self;
        ensure!(
            *alpha > 0.5 && alpha.is_finite(),
            usage(format!("--alpha {alpha}: expected a number above 1/2, as the regret bounds require"))
        );
        ensure!(
            *delta > 0.0 && *delta < 1.0,
            usage(format!("--delta {delta}: expected a probability strictly between 0 and 1"))
        );
        ensure!(
            *batch >= 4,
            usage(format!("--batch {batch}: expected at least 4, as the regret bound of mergeRUCB requires"))
        );
        Ok(())
    }

    pub(super) fn run(&self) -> Result<()> {
        self.check()?;
        self.arms.check()?;
        let quiet = self.common.quiet;
        let mut file = matrix_file::read(&self.matrix, quiet)?;
        let user_names = self.arms.user_names(&file)?;
        let wins = file.wins.take().map(|wins| self.arms.wins_in_order(wins));
        let (mut matrix, source) = matrix_and_source(file, &self.matrix, self.arms.lexicographic)?;
        let features = source.estimated_from.rankers().map(<[_]>::to_vec);
        let mut against =
            self.against.as_deref().map(|path| read(path, self.against_lexicographic, quiet)).transpose()?;
        if let Some((_, other)) = &against {
            ensure!(
                other.arms == source.arms,
                usage(format!(
                    "--against has {} arms, but --matrix has {}; give matrices of the same arms",
                    other.arms, source.arms
                ))
            );
        }
        let arms = self.arms.choose((&matrix, user_names.as_ref()), &source.checksum, self.common.seed)?;
        if let Some(arms) = &arms {
            let matrices = std::iter::once(&mut matrix).chain(against.iter_mut().map(|(matrix, _)| matrix));
            for matrix in matrices {
                *matrix = matrix.subset(arms).context("failed to select the arms")?;
            }
        }
        let known_comparisons = |account: &MatrixAccount| Some(account.min_comparisons).filter(|count| *count > 0);
        let comparisons_from = source.estimated_from.account().and_then(known_comparisons);
        let note = notes([&Some(&source), &against.as_ref().map(|(_, source)| source)].map(|source| (*source)?.note()));
        let names = self.arms.names(features, user_names, arms.as_deref());
        let config = Config {
            comparisons_from: source
                .estimated_from
                .account()
                .filter(|_| self.comparisons.is_none())
                .map(|account| account.file.clone()),
            note,
            wins: wins.map(|wins| arms.as_ref().map_or(wins.clone(), |arms| wins.subset(arms))),
            command: "analyse",
            version: env!("CARGO_PKG_VERSION"),
            seed: self.common.seed,
            matrix: source,
            given: names.user_names().cloned(),
            names,
            arms,
            against: None,
            comparisons: self.comparisons.or(comparisons_from),
            error_rate: complement(self.confidence),
            samples: self.samples,
            alpha: self.alpha,
            delta: self.delta,
            batch: self.batch,
        };
        let (reference, other) = against.unzip();
        let config = Config { against: other, ..config };
        let named_folder = || {
            let name = of_content(&config.matrix.name, &config.matrix.checksum);
            default_folder(&format!(
                "analyse-{name}{}{}{}",
                self.arms.folder_suffix(),
                self.folder_suffix(&config),
                self.common.seeded()
            ))
        };
        let folder = self.output.claim(named_folder, &config, self.common.quiet)?;

        let findings = Findings::of_matrix(&matrix, reference.as_ref(), &config)?;
        let files = folder.write(&config, || {
            output::write_json_pretty(&folder.join("findings.json"), &findings)?;
            files::write(folder.path(), &matrix, reference.as_ref(), &findings, &config)
        })?;
        if self.output.json {
            println!("{}", serde_json::to_string_pretty(&findings)?);
        } else {
            println!("{}", table::render(&findings, &config));
        }
        let open_compared = findings.order.open_pairs
            - findings.never_compared.as_ref().map_or(0, |never_compared| never_compared.pairs);
        if open_compared > 0 {
            let open_pairs = with_unit(open_compared as u64, "pair");
            output::messages::note(quiet, &format!("{open_pairs} at exactly 1/2"));
        }
        if !self.common.quiet {
            eprintln!("results in {}: {files}, findings.json, config.json", folder.path().display());
        }
        Ok(())
    }
}

impl Analyse {
    /// The part of a folder name for settings that differ from their defaults.
    fn folder_suffix(&self, config: &Config) -> String {
        let mut suffix = String::new();
        if let Some(reference) = &config.against {
            suffix += &format!("-against-{}", of_content(&reference.name, &reference.checksum));
        }
        if let Some(comparisons) = self.comparisons {
            suffix += &format!("-comparisons-{comparisons}");
        }
        let settings = [
            ("error-rate", config.error_rate, 0.05),
            ("samples", self.samples as f64, 1e5),
            ("alpha", self.alpha, 1.01),
            ("delta", self.delta, 0.01),
            ("batch", self.batch as f64, 4.0),
        ];
        for (name, value, default) in settings {
            if value != default {
                suffix += &format!("-{name}-{value}");
            }
        }
        suffix
    }
}

/// Reads a matrix, with its arms in numeric order.
fn read(path: &std::path::Path, lexicographic: bool, quiet: bool) -> Result<(PreferenceMatrix, Source)> {
    matrix_and_source(matrix_file::read(path, quiet)?, path, lexicographic)
}

/// The matrix of `file`, which was read from `path`, with its arms in numeric order.
fn matrix_and_source(
    file: MatrixFile,
    path: &std::path::Path,
    lexicographic: bool,
) -> Result<(PreferenceMatrix, Source)> {
    let MatrixFile { matrix, origin, .. } = file;
    let matrix = if lexicographic { matrix.undo_alphabetical_order() } else { matrix };
    let name = path.file_name().with_context(|| format!("{} has no file name", path.display()))?;
    let source = Source {
        name: name.to_string_lossy().into_owned(),
        arms: matrix.arms(),
        checksum: matrix_checksum(&matrix, true),
        lexicographic,
        estimated_from: origin,
    };
    Ok((matrix, source))
}
