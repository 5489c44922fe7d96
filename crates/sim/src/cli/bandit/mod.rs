//! `rankduel bandit`: dueling bandits on a preference matrix, on a problem by name, or on outcomes of real days.

mod changes;
mod outcomes;

use std::path::PathBuf;

use anyhow::{Result, ensure};
use bandits::RegretKind;
use bandits::problems::{Problem, ProblemArena};
use changes::ChangeOptions;
use clap::Args;
use outcomes::OutcomeOptions;
use output::usage::usage;
use simulation::arm_names::ArmNames;
use simulation::late_answers::LateAnswers;
use simulation::matrix::prepare_problem;
use simulation::proxy::MatrixOrigin;
use simulation::runs::PlayedArena;
use studies::explore::ExploreStudy;
use studies::matrix::{MatrixStudy, PlayedEnvironment};
use studies::matrix_file;
use studies::notes;
use studies::request::{MatrixRequest, RunSettings, StudyDefaults};
use studies::results::{Environment, NamedMatrix, PreparedEnvironment};
use studies::runner::Length;

use crate::cli::args::{ArmArgs, ComparisonArgs, PlaceArgs, SelectedMatrix, default_folder, of_content};
use crate::cli::study::StudyLauncher;

/// Run dueling bandits on a preference matrix: coin flips instead of users.
///
/// With --from-outcomes, no run is simulated: the algorithms learn from the days of a real log, and say what they would show
/// on the next one.
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
    changes: ChangeOptions,

    #[command(flatten)]
    request: MatrixRequest,

    #[command(flatten)]
    place: PlaceArgs,

    #[command(flatten)]
    comparison: ComparisonArgs,

    #[command(flatten)]
    outcomes: OutcomeOptions,
}

/// The environment: one of these.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Source {
    /// The preference matrix: text (rows of numbers separated by spaces, tabs or commas, optionally after a line with
    /// the number of arms), .npy or .npz, or the name of a registered matrix
    #[arg(long, value_name = "FILE|NAME")]
    matrix: Option<PathBuf>,

    /// A problem by name: arithmetic, cyclic, btl, upset, tournament or normal (with parameters, e.g. `btl:k=10`), or a set
    /// of utilities such as 1good5poor, arith51 or geom201
    #[arg(long, value_name = "NAME")]
    problem: Option<Problem>,

    /// A folder of `click-logs credit`, or a table like its outcomes.csv: each day's outcomes of impressions enter in order
    ///
    /// Prints how many of the next day's impressions to give to which pair; with --out, also writes plan.csv and plan.json.
    /// Every day counts as if the algorithm had decided it (its own table for the day comes first), and what others decided
    /// enters when it asks for the pair. The same table gives the same answer, so that nothing is kept from day to day.
    #[arg(long, value_name = "FOLDER|FILE", conflicts_with_all = outcomes::OF_SIMULATIONS)]
    from_outcomes: Option<PathBuf>,
}

impl Bandit {
    pub(super) fn run(&self) -> Result<()> {
        let Self { request, place, comparison, .. } = self;
        if let Some(path) = &self.source.from_outcomes {
            return outcomes::plan(path, &self.outcomes, &request.run, place);
        }
        self.arms.check()?;
        request.horizons.check(comparison.compare_algorithms, false)?;
        let settings = request.settings(&StudyDefaults::STUDY, place.common.seed, None)?;
        let needs_winner = settings.evidence.is_some() || comparison.compare_algorithms;
        self.changes.check(request.run.steps(&StudyDefaults::STUDY), request.horizons.explores(), needs_winner)?;
        let (regret, quiet) = (settings.regret, place.common.quiet);
        match (&self.source.matrix, &self.source.problem) {
            (Some(path), _) => {
                let file = matrix_file::read(path, quiet)?;
                let arm_count = file.matrix.arms();
                let SelectedMatrix { matrix, kept_arms: taken, names, origin, wins } =
                    self.arms.apply(file, place.common.seed)?;
                let name = matrix_file::name(path);
                let never_compared_note = wins.and_then(|wins| matrix_file::uncompared_warning(&wins.counts()));
                let phases = self.changes.phases(&matrix, taken.as_deref(), arm_count, quiet)?;
                let matrix = NamedMatrix { matrix, name, kept_arms: taken, names, origin };
                let prepared = PreparedEnvironment::of_matrix(matrix, regret, quiet)?;
                self.play(prepared.with_doubt(never_compared_note).changing(phases, quiet)?, settings)
            }
            (None, Some(problem)) => {
                ensure!(
                    !self.arms.are_given(),
                    usage(
                        "--arms and --lexicographic apply to --matrix; a --problem has its number of arms as a parameter, e.g. btl:k=10"
                    )
                );
                // Before the problem is made, which takes a minute where it has many arms.
                request.run.ensure_room(&StudyDefaults::STUDY, problem.arms())?;
                output::messages::notes(quiet, notes::of_problem(problem));
                let name = problem.to_string();
                match prepare_problem(problem)? {
                    ProblemArena::Matrix(matrix) => {
                        let phases = self.changes.phases(&matrix, None, matrix.arms(), quiet)?;
                        let (names, origin) = (ArmNames::NUMBERS, MatrixOrigin::default());
                        let matrix = NamedMatrix { matrix, name, kept_arms: None, names, origin };
                        let prepared = PreparedEnvironment::of_matrix(matrix, regret, quiet)?;
                        self.play(prepared.changing(phases, quiet)?, settings)
                    }
                    ProblemArena::Utilities(arena) => {
                        ensure!(
                            !self.changes.are_given(),
                            usage(format!(
                                "--change needs a preference matrix, and {name} is a set of utilities; choose --matrix, or another --problem, e.g. btl"
                            ))
                        );
                        self.play(PreparedEnvironment::of_utilities(arena, name, regret)?, settings)
                    }
                }
            }
            (None, None) => unreachable!("clap requires one of them"),
        }
    }

    fn play<A: PlayedArena + Clone + Sync>(
        &self,
        prepared: PreparedEnvironment<A>,
        settings: RunSettings,
    ) -> Result<()> {
        let launcher = StudyLauncher::new(&self.place)?.compare(self.comparison.compare_algorithms);
        let played_environment = PlayedEnvironment::new(prepared, &settings, self.changes.describe());
        let folder = |kind| self.folder(kind, &played_environment.environment, &settings.late);
        match settings.size.length {
            Length::Steps { .. } => {
                let folder = folder("bandit");
                launcher.run(MatrixStudy { settings, environment: played_environment }, folder)
            }
            Length::Horizons(_) => {
                let folder = folder("explore");
                launcher.run(ExploreStudy { settings, environment: played_environment }, folder)
            }
        }
    }

    /// The results folder unless another is given.
    fn folder(&self, kind: &str, played_on: &Environment, late: &LateAnswers) -> PathBuf {
        let default_regret = if played_on.condorcet { RegretKind::Condorcet } else { RegretKind::Copeland };
        let (arms_suffix, regret_suffix) = (
            self.arms.folder_suffix(),
            self.request.run.regret_suffix(default_regret) + &self.request.evidence.folder_suffix(),
        );
        let seeded = self.place.common.seeded();
        let name = match (&self.source.matrix, &played_on.checksum) {
            (Some(_), Some(checksum)) => of_content(&played_on.name, checksum),
            _ => played_on.name.clone(),
        };
        let changes = played_on.folder_suffix();
        default_folder(&format!("{kind}-{name}{arms_suffix}{changes}{regret_suffix}{}{seeded}", late.folder_suffix()))
    }
}
