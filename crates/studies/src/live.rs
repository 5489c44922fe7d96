//! Dueling bandits live on a site: they choose rankers, simulated users see the mixed lists, and clicks decide which ranker wins.

use std::sync::Arc;

use anyhow::Result;
use bandits::RegretKind;
use simulation::live_arena::LiveArenaFactory;
use simulation::runs::LateArenas;
use simulation::runs::kept_runs::revisions;
use simulation::truth::GroundTruth;

use crate::report::Report;
use crate::request::{LiveSettings, RunSettings};
use crate::results::{LiveConfig, PlayedRuns, RegretBasis, VERSION, live_caption};
use crate::runner::{Execution, Keeper, StudyArenas, Workplace};
use crate::runner::{Study, Units};
use crate::site::OpenSite;
use crate::verdict;

/// Live runs on a site.
pub struct LiveStudy {
    /// The site.
    pub site: Arc<OpenSite>,
    /// The settings.
    pub settings: LiveSettings,
}

/// The ground truth that regret is counted from.
pub struct Resolved {
    /// The best ranker, and every gap to it.
    pub truth: GroundTruth,
    /// What regret measures.
    pub measured: RegretBasis,
}

impl Study for LiveStudy {
    const COMMAND: &'static str = "live";
    type Config = LiveConfig;
    type Resolved = Resolved;
    type Findings = PlayedRuns;

    fn prepare(&self, execution: &Execution) -> Result<Option<String>> {
        let truth = self.truth(execution.quiet)?.truth;
        Ok(Some(truth.describe(|arm| self.site.prepared.description.label(arm))))
    }

    fn key(&self) -> LiveConfig {
        let evidence = Some(self.settings.run.evidence);
        LiveConfig { evidence, ..self.config_with(self.settings.run.regret, None) }
    }

    fn extend(&mut self, place: &Workplace) -> Result<()> {
        self.settings.run.extend(place, self.site.prepared.site.arms())
    }

    fn resolve(&self, place: &Workplace) -> Result<Resolved> {
        self.truth(place.quiet())
    }

    fn config(&self, Resolved { truth, measured }: &Resolved) -> LiveConfig {
        self.config_with(Some(measured.kind), Some(truth.clone()))
    }

    fn units(&self, _settled: &Resolved) -> Units {
        units_of_runs(&self.settings.run, "run", 1)
    }

    fn play(&self, resolved: &Resolved, keeper: &Keeper<'_>) -> Result<PlayedRuns> {
        let Resolved { truth, measured } = resolved;
        let plan = self.settings.run.plan();
        let arenas = LiveArenaFactory::new(&self.site.prepared, &truth.gaps, self.settings.streams);
        let arenas = LateArenas::new(arenas, self.settings.run.late.clone());
        let progress = keeper.progress("playing", plan.total_steps());
        let played_on = StudyArenas { arenas: &arenas, gaps: &truth.gaps, timings: "timings.json" };
        let results = keeper.runs(&played_on, vec![plan.clone()], &progress)?;
        progress.finish();
        let description = &self.site.prepared.description;
        let (names, late_text) = (description.names(), self.settings.run.late.describe());
        let mut played = PlayedRuns {
            caption: live_caption(description, "", measured, self.settings.run.look).with_note(late_text.clone()),
            truth: truth.describe(|arm| names.name(arm)),
            verdict: None,
            winners: truth.winners.clone(),
            phases: Vec::new(),
            multileave: Some(description.multileave.clone()),
            measured: *measured,
            gaps: truth.gaps.clone(),
            plan,
            results,
            names,
            late: late_text,
            display_order: self.settings.run.display_order(),
        };
        // Readers with two runs want to know which is better before they learn how it was found.
        played.verdict = verdict::sentence(&self.site.prepared, truth, &played.names, &played.summary())?;
        Ok(played)
    }

    fn report(&self, _settled: &Resolved, runs: &PlayedRuns) -> Result<Report> {
        runs.report()
    }
}

impl LiveStudy {
    fn truth(&self, quiet: bool) -> Result<Resolved> {
        let LiveSettings { run, truth, .. } = &self.settings;
        let (truth, regret_basis) = self.site.truth_of(run.regret, truth, run.seed, quiet)?;
        Ok(Resolved { truth, measured: regret_basis })
    }

    fn config_with(&self, regret: Option<RegretKind>, truth: Option<GroundTruth>) -> LiveConfig {
        let LiveSettings { run, streams, truth: asked } = &self.settings;
        LiveConfig {
            command: Self::COMMAND,
            version: VERSION,
            seed: run.seed,
            steps: run.size.length.steps(),
            runs: run.size.runs,
            checkpoints: run.size.length.per_decade(),
            algorithms: run.algorithms(),
            regret,
            site: self.site.prepared.description.clone(),
            streams: *streams,
            late: run.late.clone(),
            truth_effort: asked.effort(self.site.prepared.site.arms()),
            evidence: run.evidence.map(Some),
            truth,
        }
    }
}

/// The units of a study of runs: each algorithm runs `records` times per unit.
pub(crate) fn units_of_runs(settings: &RunSettings, unit: &'static str, records: u64) -> Units {
    let size = &settings.size;
    let total = size.runs * size.algorithms.len() as u64;
    Units { unit, total, records, revisions: revisions(&size.algorithms) }
}
