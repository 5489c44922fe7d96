//! `sim bandit`: dueling bandits on a preference matrix or on a problem by name.

mod explore;

use crate::simulation::matrix::{matrix_checksum, prepare_problem};
use crate::simulation::seed_text::{Seeded, seed_text};
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use bandits::problems::{Problem, Setting};
use bandits::{Arena, Arm, MatrixArena, PreferenceMatrix, RegretKind, RegretReference};
use clap::Args;
use letor_io::Names;
use serde::Serialize;

use super::matrix_file;
use crate::cli::args::{ArmArgs, EvidenceArgs, LateArgs, RunArgs, Selected, Usual, default_folder, of_content};
use crate::cli::study::extension::extended;
use crate::cli::study::output::{self as study_output, Presentation};
use crate::output::numbers::with_unit;
use crate::output::progress::Progress;
use crate::output::usage::usage;
use crate::proxy::MatrixAccount;
use crate::results::{Arms, Caption, Measured, notes, regret_of_a_step};
use crate::simulation::arm_names::ArmNames;
use crate::simulation::kept_runs::KeptRuns;
use crate::simulation::runs::evidence::EvidencePlan;
use crate::simulation::runs::{ArenaFactory, CopiedArenas, Late, LateAnswers, StudyPlan, play_all};
use crate::simulation::truth::of_preferences as truth;
use explore::SettingOptions;

/// Run dueling bandits on a preference matrix: coin flips instead of users.
///
/// Writes curves.csv, runs.csv, summary.json, regret.png, config.json and timings.json to the results folder; with
/// --setting explore-then-exploit, horizons.csv and accuracy.png instead of curves.csv.
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

    #[command(flatten)]
    evidence: EvidenceArgs,

    #[command(flatten)]
    late: LateArgs,
}

/// The environment: one of these.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Source {
    /// The preference matrix: text (rows of numbers separated by spaces, tabs or commas, optionally after a line with
    /// the number of arms), .npy or .npz, or the name of a registered matrix
    #[arg(long, value_name = "FILE|NAME")]
    matrix: Option<PathBuf>,

    /// A problem by name: arithmetic, cyclic, btl or normal (with parameters, e.g. `btl:k=10`), or a set of utilities
    /// such as 1good5poor, arith51 or geom201
    #[arg(long, value_name = "NAME")]
    problem: Option<Problem>,
}

/// The resolved configuration, written as config.json.
#[derive(Serialize)]
struct Config {
    command: &'static str,
    version: &'static str,
    seed: u64,
    steps: u64,
    runs: u64,
    /// Per decade.
    checkpoints: u32,
    algorithms: Vec<String>,
    regret: RegretKind,
    /// Null in the key of a study without; left out of its results.
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Option<EvidencePlan>>,
    #[serde(flatten)]
    late: LateAnswers,
    environment: Description,
}

/// The resolved environment.
#[derive(Serialize)]
struct Description {
    name: String,
    arms: usize,
    /// The names that they were given, if any was.
    #[serde(skip_serializing_if = "Option::is_none")]
    names: Option<Names>,
    /// For a matrix: the chosen arms by their numbers in it; null for all arms.
    arms_in_matrix: Option<Vec<Arm>>,
    /// For a matrix: of its entries, so that text and .npy of the same matrix are the same environment.
    checksum: Option<String>,
    /// Whether there is a Condorcet winner, alone or with exact duplicates.
    condorcet: bool,
    /// The best arms by the kind of regret, 0-based among the chosen arms.
    winners: Vec<usize>,
    /// The same by their numbers in the matrix; null if no arms were chosen.
    winners_in_matrix: Option<Vec<Arm>>,
    /// For a matrix made by `sim proxy`: what it was estimated from.
    #[serde(skip_serializing_if = "Option::is_none")]
    estimated_from: Option<MatrixAccount>,
}

impl Bandit {
    pub(super) fn run(&self) -> Result<()> {
        self.run.common.apply()?;
        self.arms.check()?;
        let asked = self.evidence.plan()?.is_some() || self.evidence.compare_algorithms;
        self.setting.check_evidence(asked)?;
        match (&self.source.matrix, &self.source.problem) {
            (Some(path), _) => {
                let file = matrix_file::read(path, self.run.common.quiet)?;
                let Selected { matrix, taken, names, account } = self.arms.apply(file, self.run.common.seed)?;
                self.on_matrix(matrix, matrix_file::name(path), taken, (names, account))
            }
            (None, Some(problem)) => {
                ensure!(
                    !self.arms.are_given(),
                    usage(
                        "--arms and --lexicographic apply to --matrix; a --problem has its number of arms as a parameter, e.g. btl:k=10"
                    )
                );
                match prepare_problem(problem)? {
                    Setting::Matrix(matrix) => {
                        self.on_matrix(matrix, problem.to_string(), None, (ArmNames::NUMBERS, None))
                    }
                    Setting::Utilities(arena) => {
                        let kind = self.run.regret.of_preferences(RegretKind::Condorcet)?;
                        let arena = truth::of_utilities(arena, kind)?;
                        let description = Description {
                            name: problem.to_string(),
                            arms: arena.arms(),
                            names: None,
                            arms_in_matrix: None,
                            checksum: None,
                            condorcet: true,
                            winners: truth::winners(arena.gaps()),
                            winners_in_matrix: None,
                            estimated_from: None,
                        };
                        let names = ArmNames::NUMBERS;
                        let text = truth::describe(kind, true, arena.gaps(), &names, None);
                        let content = seed_text(Seeded::Problem(&problem.to_string()));
                        self.play(CopiedArenas { arena, content }, description, &names, (kind, text))
                    }
                }
            }
            (None, None) => unreachable!("clap requires one of them"),
        }
    }

    /// Plays on a matrix.
    fn on_matrix(
        &self,
        matrix: PreferenceMatrix,
        name: String,
        taken: Option<Vec<Arm>>,
        (names, account): (ArmNames, Option<MatrixAccount>),
    ) -> Result<()> {
        let kind = self.run.regret.on_matrix(&matrix)?;
        let reference = kind.reference().expect("nDCG is refused above");
        let gaps = reference.gaps(&matrix).with_context(|| format!("{name} cannot be played"))?;
        let condorcet = RegretKind::default_for(&matrix) == RegretKind::Condorcet;
        let mut text = truth::describe(kind, condorcet, &gaps, &names, Some(&matrix));
        let winners = truth::winners(&gaps);
        if let Some(account) = account.as_ref().filter(|_| condorcet)
            && let Some((_, margin)) = truth::smallest_gap(&RegretReference::Condorcet.gaps(&matrix)?)
            && let Some(unresolved) = account.unresolved(margin, taken.is_none())
        {
            text += &format!("; {unresolved}");
        }
        let winners_in_matrix =
            taken.as_ref().map(|taken: &Vec<Arm>| winners.iter().map(|&winner| taken[winner]).collect());
        let checksum = matrix_checksum(&matrix, self.run.common.quiet);
        let content = seed_text(Seeded::Matrix(&checksum));
        let arms = matrix.arms();
        let description = Description {
            name,
            arms,
            names: names.given().cloned(),
            arms_in_matrix: taken,
            checksum: Some(checksum),
            condorcet,
            winners,
            winners_in_matrix,
            estimated_from: account,
        };
        let arena = MatrixArena::with_gaps(matrix, gaps);
        self.play(CopiedArenas { arena, content }, description, &names, (kind, text))
    }

    fn play<A: Arena + Clone + Sync>(
        &self,
        arenas: CopiedArenas<A>,
        description: Description,
        names: &ArmNames,
        (kind, truth): (RegretKind, String),
    ) -> Result<()> {
        let account = description.estimated_from.as_ref();
        let measured = Measured::new(kind, arenas.arena.gaps(), account.map(|account| account.synthetic));
        let synthetic = account.and_then(|account| account.note(&description.name));
        let caption = Caption {
            title: format!("{} of {}", with_unit(arenas.arms() as u64, "arm"), description.name),
            x_label: "steps".to_owned(),
            regret: regret_of_a_step(kind, "best arm", "played"),
            note: notes([measured.note(), synthetic]),
            look: self.run.look(&Usual::STUDY),
        };
        let horizons = self.setting.horizons(self.run.steps(&Usual::STUDY), self.run.checkpoints)?;
        let steps = horizons.as_ref().and_then(|all| all.last().copied()).unwrap_or(self.run.steps(&Usual::STUDY));
        let late = self.late.late(steps)?;
        late.check_evidence(self.evidence.plan()?.is_some())?;
        let caption = caption.with(late.describe());
        let arenas = Late::new(arenas, late);
        let winners = description.winners.clone();
        let arms = Arms { winners: &winners, names, measured };
        let presentation = Presentation {
            caption,
            truth,
            multileave: None,
            late: arenas.late.describe(),
            json: self.run.output.json,
            compare: self.evidence.compare_algorithms,
            quiet: self.run.common.quiet,
        };
        match horizons {
            None => self.ongoing(&arenas, description, &arms, &presentation),
            Some(horizons) => self.explore(&arenas, horizons, description, &arms, &presentation),
        }
    }

    /// Measures regret over time.
    fn ongoing<A: Arena + Clone + Sync>(
        &self,
        arenas: &Late<CopiedArenas<A>>,
        description: Description,
        arms: &Arms<'_>,
        presentation: &Presentation,
    ) -> Result<()> {
        let common = &self.run.common;
        let evidence = self.evidence.plan()?;
        let asked = self.run.size(&Usual::STUDY);
        if !common.quiet {
            LateArgs::announce(&arenas.late, &asked.algorithms, arenas.arms(), asked.length.steps());
        }
        let usual = self.folder("bandit", &description, &arenas.late);
        let mut config = Config {
            command: "bandit",
            version: env!("CARGO_PKG_VERSION"),
            seed: common.seed,
            steps: asked.length.steps(),
            runs: asked.runs,
            checkpoints: asked.length.per_decade(),
            algorithms: asked.names(),
            regret: arms.measured.kind,
            evidence: Some(evidence),
            late: arenas.late.clone(),
            environment: description,
        };
        let folder = self.run.output.claim(|| usual, &config, common.quiet)?;
        config.evidence = evidence.map(Some);
        folder.check(&config)?;
        let size = extended(asked, &folder, common.quiet)?;
        (config.steps, config.runs, config.checkpoints) = (size.length.steps(), size.runs, size.length.per_decade());
        config.algorithms = size.names();
        let plan = StudyPlan { evidence, ..self.run.plan(size) };
        let kept = KeptRuns::new(&folder, arenas.content(), arenas.arenas.arena.gaps(), "timings.json");
        let progress = Progress::new("playing", plan.total_steps(), common.quiet);
        let results = play_all(arenas, &plan, Some(&kept), &progress)?;
        progress.finish();
        study_output::write_and_print((&folder, &kept), &config, &plan, &results, arms, presentation)
    }

    /// The results folder unless another is given.
    fn folder(&self, kind: &str, played_on: &Description, late: &LateAnswers) -> PathBuf {
        let usual = if played_on.condorcet { RegretKind::Condorcet } else { RegretKind::Copeland };
        let (part, regret) = (self.arms.part(), self.run.regret.part(usual) + &self.evidence.part());
        let seeded = self.run.common.seeded();
        let name = match (&self.source.matrix, &played_on.checksum) {
            (Some(_), Some(checksum)) => of_content(&played_on.name, checksum),
            _ => played_on.name.clone(),
        };
        default_folder(&format!("{kind}-{name}{part}{regret}{}{seeded}", late.part()))
    }
}
