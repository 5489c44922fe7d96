//! Dueling bandits on a preference matrix or a problem: coin flips instead of users.

use anyhow::Result;
use simulation::runs::{ArenaFactory as _, CopiedArenas, LateArenas, PlayedArena};

use crate::live::units_of_runs;
use crate::report::Report;
use crate::request::RunSettings;
use crate::results::{Axes, BanditConfig, Caption, Environment, PlayedRuns, PreparedEnvironment, RegretBasis, VERSION};
use crate::runner::{Keeper, StudyArenas, Workplace};
use crate::runner::{Study, Units};

/// Runs in an environment where coin flips decide.
pub struct MatrixStudy<A> {
    /// The settings.
    pub settings: RunSettings,
    /// The environment.
    pub environment: PlayedEnvironment<A>,
}

/// An environment, and how results present it.
pub struct PlayedEnvironment<A> {
    /// The arenas of all runs.
    pub arenas: LateArenas<CopiedArenas<A>>,
    /// Its description.
    pub environment: Environment,
    /// The names of its arms.
    pub names: simulation::arm_names::ArmNames,
    /// What regret measures.
    pub measured: RegretBasis,
    /// The line about what regret is measured against.
    pub truth: String,
    /// The text of figures.
    pub caption: Caption,
}

impl<A: PlayedArena + Clone + Sync> PlayedEnvironment<A> {
    /// A prepared environment with answers and figures by the settings; `changes` describes changing preferences in titles.
    pub fn new(prepared: PreparedEnvironment<A>, settings: &RunSettings, changes: Option<String>) -> Self {
        let caption = prepared
            .caption(settings.look.with_default_axes(Axes::Log))
            .with_note(changes)
            .with_note(settings.late.describe());
        let PreparedEnvironment { arenas, environment, names, measured, truth } = prepared;
        Self { arenas: LateArenas::new(arenas, settings.late.clone()), environment, names, measured, truth, caption }
    }
}

impl<A: PlayedArena + Clone + Sync> Study for MatrixStudy<A> {
    const COMMAND: &'static str = "bandit";
    type Config = BanditConfig;
    type Resolved = ();
    type Findings = PlayedRuns;

    fn key(&self) -> BanditConfig {
        BanditConfig { evidence: Some(self.settings.evidence), ..self.config(&()) }
    }

    fn extend(&mut self, place: &Workplace) -> Result<()> {
        self.settings.extend(place, self.environment.arenas.arms())
    }

    fn resolve(&self, _place: &Workplace) -> Result<()> {
        Ok(())
    }

    fn config(&self, (): &()) -> BanditConfig {
        let RunSettings { size, seed, evidence, late, .. } = &self.settings;
        BanditConfig {
            command: Self::COMMAND,
            version: VERSION,
            seed: *seed,
            steps: size.length.steps(),
            runs: size.runs,
            checkpoints: size.length.per_decade(),
            algorithms: self.settings.algorithms(),
            regret: self.environment.measured.kind,
            evidence: evidence.map(Some),
            late: late.clone(),
            environment: self.environment.environment.clone(),
        }
    }

    fn units(&self, (): &()) -> Units {
        units_of_runs(&self.settings, "run", 1)
    }

    fn play(&self, (): &(), keeper: &Keeper<'_>) -> Result<PlayedRuns> {
        let PlayedEnvironment { arenas, environment, names, measured, truth, caption } = &self.environment;
        let plan = self.settings.plan();
        let progress = keeper.progress("playing", plan.total_steps());
        let played_on = StudyArenas { arenas, gaps: arenas.arenas.arena.gaps(), timings: "timings.json" };
        let results = keeper.runs(&played_on, vec![plan.clone()], &progress)?;
        progress.finish();
        let phases = environment.winners_by_step();
        Ok(PlayedRuns {
            plan,
            results,
            winners: environment.last_winners().to_vec(),
            gaps: if phases.is_empty() { arenas.arenas.arena.gaps().to_vec() } else { Vec::new() },
            phases,
            names: names.clone(),
            measured: *measured,
            multileave: None,
            // A folder may keep more than the settings.
            caption: Caption { look: self.settings.look.with_default_axes(Axes::Log), ..caption.clone() },
            truth: truth.clone(),
            verdict: None,
            late: self.settings.late.describe(),
            display_order: self.settings.display_order(),
        })
    }

    fn report(&self, (): &(), runs: &PlayedRuns) -> Result<Report> {
        runs.report()
    }
}
