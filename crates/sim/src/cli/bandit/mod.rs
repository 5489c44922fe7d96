//! `sim bandit`: the same loop on a preference matrix or a problem by name.

mod explore;

use crate::output::cache::sha256_hex;
use crate::simulation::seed_text::{Seeded, seed_text};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use bandits::problems::{Problem, Setting};
use bandits::winners::{condorcet_winners, copeland_winners};
use bandits::{Arena, Arm, MatrixArena, PreferenceMatrix, RegretReference};
use clap::Args;
use serde::Serialize;

use super::matrix_file;
use crate::cli::args::RunArgs;
use crate::cli::args::arms::ArmArgs;
use crate::cli::args::folder::{default_folder, of_content};
use crate::cli::study_output::{self, Outcome};
use crate::output;
use crate::output::numbers::counted;
use crate::output::progress::Progress;
use crate::output::usage::usage;
use crate::results::{Arms, Caption};
use crate::simulation::arm_names::ArmNames;
use crate::simulation::runs::{Arenas, Copies, play_all};
use explore::SettingOptions;

/// Plays dueling bandits on a preference matrix: coin flips in place of users.
///
/// The folder of results gets curves.csv, runs.csv, summary.json, regret.png, config.json and
/// timings.json; exploring, horizons.csv and accuracy.png in place of curves.csv.
#[derive(Debug, Args)]
pub(super) struct Bandit {
    #[command(flatten)]
    source: Source,

    #[command(flatten)]
    arms: ArmArgs,

    #[command(flatten)]
    setting: SettingOptions,

    #[command(flatten)]
    run: RunArgs,
}

/// What is played on: one of these.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Source {
    /// The preference matrix: numbers in rows, parted by blanks, tabs or commas, with or without a first
    /// line that says how many arms; .npy; or .npz
    #[arg(long, value_name = "FILE")]
    matrix: Option<PathBuf>,

    /// A problem by name: arithmetic, cyclic, btl, normal (with parameters as `btl:k=10`), or
    /// utilities such as 1good5poor, arith51, geom201
    #[arg(long, value_name = "NAME")]
    problem: Option<Problem>,
}

/// The configuration as resolved.
#[derive(Serialize)]
struct Config {
    command: &'static str,
    version: &'static str,
    seed: u64,
    steps: u64,
    runs: u64,
    algorithms: Vec<String>,
    played_on: Description,
}

/// What is played on, resolved.
#[derive(Serialize)]
struct Description {
    name: String,
    arms: usize,
    /// Of a matrix: the arms that were taken, as they are numbered in it; all where null.
    taken: Option<Vec<Arm>>,
    /// Of a matrix: of its entries, so that text and .npy of the same matrix are the same arena.
    checksum: Option<String>,
    /// Whether the best arms are Condorcet winners; else they have the highest Copeland score.
    condorcet: bool,
    /// The best arms, counted from 0 among those taken: the first, and those that are as good to the
    /// last bit.
    winners: Vec<usize>,
    /// The same as they are numbered in the matrix; null where all are taken.
    winners_in_matrix: Option<Vec<Arm>>,
}

impl Bandit {
    pub(super) fn run(&self) -> Result<()> {
        self.run.common.apply()?;
        match (&self.source.matrix, &self.source.problem) {
            (Some(path), _) => {
                let whole = matrix_file::read(path)?;
                let features = matrix_file::features(path, &whole);
                let (matrix, taken) = self.arms.apply(whole, self.run.common.seed)?;
                let names = self.arms.names(features, taken.as_deref());
                self.on_matrix(matrix, file_name(path), taken, names)
            }
            (None, Some(problem)) => {
                ensure!(
                    !self.arms.are_given(),
                    usage("arms are chosen with --matrix; problems have parameters of their own")
                );
                match problem.setting()? {
                    Setting::Matrix(matrix) => self.on_matrix(matrix, problem.to_string(), None, ArmNames::Numbers),
                    Setting::Utilities(arena) => {
                        let gaps = arena.gaps();
                        let winners = (0..gaps.len()).filter(|&arm| gaps[arm] == 0.0).collect();
                        let description = Description {
                            name: problem.to_string(),
                            arms: gaps.len(),
                            taken: None,
                            checksum: None,
                            condorcet: true,
                            winners,
                            winners_in_matrix: None,
                        };
                        let content = seed_text(Seeded::Problem(&problem.to_string()));
                        self.play(Copies { arena, content }, description, &ArmNames::Numbers)
                    }
                }
            }
            (None, None) => unreachable!("one of them is required"),
        }
    }

    /// Regret is measured against the Condorcet winner or, where there is none, by Copeland score.
    fn on_matrix(
        &self,
        matrix: PreferenceMatrix,
        name: String,
        taken: Option<Vec<Arm>>,
        names: ArmNames,
    ) -> Result<()> {
        let (winners, truth) = match condorcet_winners(&matrix) {
            none if none.is_empty() => (copeland_winners(&matrix), RegretReference::Copeland),
            winners => (winners, RegretReference::Condorcet),
        };
        let winners: Vec<usize> = winners.iter().map(|arm| arm.index()).collect();
        let winners_in_matrix =
            taken.as_ref().map(|taken: &Vec<Arm>| winners.iter().map(|&winner| taken[winner]).collect());
        let checksum = sha256_hex(&matrix.to_text());
        let content = seed_text(Seeded::Matrix(&checksum));
        let arms = matrix.arms();
        let arena = MatrixArena::with_reference(matrix, truth).with_context(|| format!("{name} cannot be played"))?;
        let condorcet = truth == RegretReference::Condorcet;
        self.play(
            Copies { arena, content },
            Description { name, arms, taken, checksum: Some(checksum), condorcet, winners, winners_in_matrix },
            &names,
        )
    }

    fn play<A: Arena + Clone + Sync>(
        &self,
        arenas: Copies<A>,
        description: Description,
        names: &ArmNames,
    ) -> Result<()> {
        let (name, winners) = (description.name.clone(), description.winners.clone());
        let condorcet = description.condorcet;
        let best = names.name(winners[0]);
        let mut truth = match winners.len() {
            _ if !condorcet => format!("no Condorcet winner; regret is Copeland score below that of {best}"),
            1 => format!("Condorcet winner: {best}"),
            all if all == arenas.arms() => "no Condorcet winner: all arms are even".to_owned(),
            several => format!("no Condorcet winner: {several} arms that nobody beats, {best} one"),
        };
        if let Some((arm, gap)) = smallest_gap(arenas.arena.gaps(), &winners) {
            truth += &format!("; smallest margin {gap:.4} over {}", names.name(arm));
        }
        let regret = if condorcet { "P(best arm beats those played) - 1/2" } else { "Copeland score lost" };
        let caption = Caption {
            title: format!("{} of {name}", counted(arenas.arms() as u64, "arm")),
            x_label: "steps".to_owned(),
            regret: regret.to_owned(),
            note: None,
        };
        let arms = Arms { winners: &winners, names };
        let outcome = Outcome { caption, truth, json: self.run.json, quiet: self.run.common.quiet };
        match self.setting.horizons(self.run.steps, self.run.checkpoints)? {
            None => self.ongoing(&arenas, description, &arms, &outcome),
            Some(horizons) => self.explore(&arenas, horizons, description, &arms, &outcome),
        }
    }

    /// Regret while it lasts.
    fn ongoing<A: Arena + Clone + Sync>(
        &self,
        arenas: &Copies<A>,
        description: Description,
        arms: &Arms<'_>,
        outcome: &Outcome,
    ) -> Result<()> {
        let common = &self.run.common;
        let plan = self.run.plan();
        let folder = self.folder("bandit", &description);
        output::claim_folder(&folder, "bandit")?;
        let progress = Progress::new("playing", plan.total_steps(), common.quiet);
        let results = play_all(arenas, &plan, &progress)?;
        progress.finish();
        let config = Config {
            command: "bandit",
            version: env!("CARGO_PKG_VERSION"),
            seed: common.seed,
            steps: plan.steps,
            runs: plan.runs,
            algorithms: plan.names(),
            played_on: description,
        };
        study_output::leave(&folder, &config, &plan, &results, arms, outcome)
    }

    /// Where results go.
    fn folder(&self, kind: &str, played_on: &Description) -> PathBuf {
        let (part, seeded) = (self.arms.part(), self.run.common.seeded());
        let name = match (&self.source.matrix, &played_on.checksum) {
            (Some(_), Some(checksum)) => of_content(&played_on.name, checksum),
            _ => played_on.name.clone(),
        };
        self.run.out.clone().unwrap_or_else(|| default_folder(&format!("{kind}-{name}{part}{seeded}")))
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// The arm that comes closest to the winners, and its gap.
fn smallest_gap(gaps: &[f64], winners: &[usize]) -> Option<(usize, f64)> {
    let others = gaps.iter().copied().enumerate().filter(|(arm, _)| !winners.contains(arm));
    others.min_by(|a, b| a.1.total_cmp(&b.1))
}
