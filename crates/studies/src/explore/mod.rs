//! Exploration until horizons: is the recommended arm the best, and what did finding it cost? `measure` has the numbers and
//! their tables.

mod exploration;
mod figures;
mod measure;

use std::sync::Arc;

use anyhow::Result;
use bandits::RegretKind;
use serde::Serialize;
use simulation::late_answers::LateAnswers;
use simulation::runs::kept_runs::revisions;
use simulation::runs::{ArenaFactory as _, PlayedArena, RunResult};

pub use self::exploration::{Exploration, HorizonSummary};
use crate::matrix::PlayedEnvironment;
use crate::report::Report;
use crate::request::RunSettings;
use crate::results::{AlgorithmNames, Arms, Environment, VERSION};
use crate::runner::{Keeper, StudyArenas, Workplace};
use crate::runner::{Study, Units};

/// Runs until horizons in an environment where coin flips decide. The length of the settings must be
/// [horizons](crate::runner::Length::Horizons).
pub struct ExploreStudy<A> {
    /// The settings.
    pub settings: RunSettings,
    /// The environment.
    pub environment: PlayedEnvironment<A>,
}

/// The resolved configuration, written as config.json.
#[derive(Serialize)]
pub struct Config {
    command: &'static str,
    setting: &'static str,
    version: &'static str,
    seed: u64,
    horizons: Vec<u64>,
    runs: u64,
    #[serde(flatten)]
    algorithms: AlgorithmNames,
    regret: RegretKind,
    #[serde(flatten)]
    late: LateAnswers,
    environment: Environment,
}

impl<A: PlayedArena + Clone + Sync> Study for ExploreStudy<A> {
    const COMMAND: &'static str = "bandit";
    type Config = Config;
    type Resolved = ();
    /// Per algorithm and plan, its runs.
    type Findings = Arc<Vec<Vec<RunResult>>>;

    fn key(&self) -> Config {
        self.config(&())
    }

    fn extend(&mut self, place: &Workplace) -> Result<()> {
        self.settings.extend(place, self.environment.arenas.arms())
    }

    fn resolve(&self, _place: &Workplace) -> Result<()> {
        Ok(())
    }

    fn config(&self, (): &()) -> Config {
        let RunSettings { size, seed, late, .. } = &self.settings;
        Config {
            command: Self::COMMAND,
            setting: "explore-then-exploit",
            version: VERSION,
            seed: *seed,
            horizons: size.length.checkpoints(),
            runs: size.runs,
            algorithms: self.settings.algorithms(),
            regret: self.environment.measured.kind,
            late: late.clone(),
            environment: self.environment.environment.clone(),
        }
    }

    fn units(&self, (): &()) -> Units {
        let plan = self.plan();
        Units { unit: "run", total: plan.total_runs(), records: 1, revisions: revisions(&plan.algorithms) }
    }

    fn play(&self, (): &(), keeper: &Keeper<'_>) -> Result<Arc<Vec<Vec<RunResult>>>> {
        let (plan, arenas) = (self.plan(), &self.environment.arenas);
        let progress = keeper.progress("exploring", plan.total_steps());
        let played_on = StudyArenas { arenas, gaps: arenas.arenas.arena.gaps(), timings: "timings.json" };
        let by_cell = keeper.runs(&played_on, plan.plans(), &progress)?;
        progress.finish();
        Ok(by_cell)
    }

    fn report(&self, (): &(), by_cell: &Arc<Vec<Vec<RunResult>>>) -> Result<Report> {
        let PlayedEnvironment { environment, names, measured, truth, caption, .. } = &self.environment;
        let plan = self.plan();
        let results = measure::runs_at_all_horizons(&plan, by_cell);
        let winners = environment.last_winners();
        let arms = Arms {
            winners,
            phases: &environment.winners_by_step(),
            names,
            measured: *measured,
            gaps: &[],
            multileave: None,
        };
        let late_text = self.settings.late.describe();
        let text = measure::report(&plan, &results, &arms, caption, truth, late_text.as_deref());
        let report = Report::new(text, &measure::summarise(&plan, &results, &arms))?;
        Ok(Report { files: measure::files(&plan, &results, &arms, caption)?, ..report })
    }
}

impl<A> ExploreStudy<A> {
    fn plan(&self) -> Exploration {
        let RunSettings { size, seed, .. } = &self.settings;
        let (horizons, algorithms) = (size.length.checkpoints(), size.algorithms.clone());
        Exploration { horizons, algorithms, runs: size.runs, seed: *seed }
    }
}
