//! Studies in environments where coin flips decide, as `rankduel bandit` plays them.

use anyhow::Result;
use bandits::RegretKind;
use output::progress::Progress;
use sim::analysis::explore_then_exploit::{self, Exploration, explore_all};
use sim::cli::notes;
use sim::results::{Arms, BanditConfig, Environment, PreparedEnvironment, VERSION};
use simulation::runs::{Late, PlayedArena, play_all};

use crate::settings::Asked;
use crate::study::{Config, Study};

/// What exploration until horizons gives.
pub(crate) struct Explored {
    pub(crate) text: String,
    pub(crate) summary: String,
    pub(crate) tables: Vec<(String, Vec<u8>)>,
    pub(crate) figures: Vec<(String, String)>,
}

/// Plays what was `asked` for.
pub(crate) fn played<A: PlayedArena + Clone + Sync>(prepared: PreparedEnvironment<A>, asked: &Asked) -> Result<Study> {
    let late = asked.late.describe();
    let caption = prepared.caption(asked.look).with(late.clone());
    let PreparedEnvironment { arenas, environment, names, measured, truth } = prepared;
    let plan = asked.plan();
    notes::tell(true, notes::of_algorithms(&plan.algorithms));
    notes::tell(true, notes::of_late(&asked.late, &plan.algorithms, environment.arms, asked.steps));
    let progress = Progress::new("playing", plan.total_steps(), true);
    let results = play_all(&Late::new(arenas, asked.late.clone()), &plan, None, &progress)?;
    progress.finish();
    let winners = environment.winners.clone();
    let config = config(asked, measured.kind, environment);
    let multileave = None;
    Ok(Study { plan, results, winners, names, measured, caption, truth, multileave, late, config })
}

/// The configuration of a study on `environment`.
pub(crate) fn config(asked: &Asked, regret: RegretKind, environment: Environment) -> Config {
    Config::Bandit(Box::new(BanditConfig {
        command: "bandit",
        version: VERSION,
        seed: asked.seed,
        steps: asked.steps,
        runs: asked.runs,
        checkpoints: asked.checkpoints,
        algorithms: asked.plan().names(),
        regret,
        evidence: asked.evidence.map(Some),
        late: asked.late.clone(),
        environment,
    }))
}

/// Plays until horizons.
pub(crate) fn explored<A: PlayedArena + Clone + Sync>(
    prepared: PreparedEnvironment<A>,
    asked: &Asked,
) -> Result<Explored> {
    let late = asked.late.describe();
    let caption = prepared.caption(asked.look).with(late.clone());
    let PreparedEnvironment { arenas, environment, names, measured, truth } = prepared;
    let plan = Exploration {
        algorithms: asked.algorithms.clone(),
        horizons: asked.horizons.clone(),
        runs: asked.runs,
        seed: asked.seed,
    };
    notes::tell(true, notes::of_algorithms(&plan.algorithms));
    notes::tell(true, notes::of_late(&asked.late, &plan.algorithms, environment.arms, asked.steps));
    let progress = Progress::new("exploring", plan.total_steps(), true);
    let results = explore_all(&Late::new(arenas, asked.late.clone()), &plan, None, &progress)?.results;
    progress.finish();
    let arms = Arms { winners: &environment.winners, phases: &[], names: &names, measured, multileave: None };
    let summary = explore_then_exploit::summarise(&plan, &results, &arms);
    Ok(Explored {
        text: explore_then_exploit::report(&plan, &results, &arms, &caption, &truth, late.as_deref()),
        summary: serde_json::to_string(&summary)?,
        tables: vec![
            ("horizons".to_owned(), explore_then_exploit::horizons_csv(&summary)?),
            ("runs".to_owned(), explore_then_exploit::runs_csv(&plan, &results, &arms)?),
        ],
        figures: explore_then_exploit::figures(&plan, &summary, &caption)?,
    })
}
