//! A set of rankers with the outcomes of their comparisons, ready for algorithms to play in.

use anyhow::Result;
use bandits::winners::condorcet_winners;
use bandits::{Arena, Arm, MatrixArena, PreferenceMatrix, RegretReference, UtilityArena};

use crate::experiment::config::RegretBy;
use crate::experiment::context::ExperimentContext;
use crate::experiment::run_store::RunRecord;
use crate::output::cache::sha256_hex;
use crate::output::progress::Progress;
use crate::simulation::arm_names::ArmNames;
use crate::simulation::live_arena::LiveArenaFactory;
use crate::simulation::prepared::PreparedSite;
use crate::simulation::runs::{self, ArenaFactory as _, CopiedArenas, RunPlan, play_runs};
use crate::simulation::seed_text::{Seeded, seed_text};
use crate::simulation::truth::RegretMeasure;

/// A set of rankers, and where the outcomes of their comparisons come from.
pub(crate) struct Environment {
    arenas: Arenas,
    /// What regret is measured against, in a sentence.
    pub(crate) truth: String,
}

enum Arenas {
    Live { prepared: Box<PreparedSite>, gaps: Vec<f64>, content: String },
    Matrix(CopiedArenas<MatrixArena>),
    Utilities(CopiedArenas<UtilityArena>),
}

impl Environment {
    /// Arms with utilities; `name` is the problem's.
    pub(super) fn of_utilities(arena: UtilityArena, name: &str) -> Self {
        let arenas = Arenas::Utilities(CopiedArenas { arena, content: seed_text(Seeded::Problem(name)) });
        Self { arenas, truth: "the arm of the highest utility".to_owned() }
    }

    /// The arms of a matrix, and whether there is a Condorcet winner. Regret is measured against that
    /// winner or, where there is none, by Copeland score.
    pub(super) fn of_matrix(matrix: PreferenceMatrix, names: &ArmNames) -> Result<(Self, bool)> {
        let winner = condorcet_winners(&matrix).first().copied();
        let truth = match winner {
            Some(winner) => format!("Condorcet winner: {}", names.name(winner.index())),
            None => "no Condorcet winner; regret is Copeland score lost".to_owned(),
        };
        let content = seed_text(Seeded::Matrix(&sha256_hex(&matrix.to_text())));
        let against = if winner.is_some() { RegretReference::Condorcet } else { RegretReference::Copeland };
        let arena = MatrixArena::with_reference(matrix, against)?;
        Ok((Self { arenas: Arenas::Matrix(CopiedArenas { arena, content }), truth }, winner.is_some()))
    }

    /// The rankers of a site, and whether there is a Condorcet winner; `subset` if they are a random set.
    pub(super) fn of_site(
        context: &ExperimentContext,
        prepared: PreparedSite,
        seed: u64,
        subset: bool,
        regret: RegretBy,
    ) -> Result<(Self, bool)> {
        let content = prepared.description.seed_text();
        let (gaps, described, has_winner) = match regret {
            RegretBy::Ndcg => {
                let ndcg = prepared.ndcg()?;
                let best = ndcg.iter().copied().fold(0.0, f64::max);
                let arm = ndcg.iter().position(|value| *value == best).unwrap_or(0);
                let described = format!("regret is nDCG@10 below that of {}", prepared.description.label(arm));
                (ndcg.iter().map(|value| best - value).collect(), described, true)
            }
            RegretBy::Condorcet => {
                let truth = context.truth(&prepared, seed, subset)?;
                let described = truth.describe(|arm| prepared.description.label(arm));
                let has_winner = truth.measure == RegretMeasure::Condorcet;
                (truth.gaps, described, has_winner)
            }
        };
        let arenas = Arenas::Live { prepared: Box::new(prepared), gaps, content };
        Ok((Self { arenas, truth: described }, has_winner))
    }

    /// How many rankers.
    pub(crate) fn arms(&self) -> usize {
        self.gaps().len()
    }

    /// Each arm's gap to the best.
    fn gaps(&self) -> &[f64] {
        match &self.arenas {
            Arenas::Live { gaps, .. } => gaps,
            Arenas::Matrix(copies) => copies.arena.gaps(),
            Arenas::Utilities(copies) => copies.arena.gaps(),
        }
    }

    /// The preference matrix, of environments that have one.
    pub(crate) fn matrix(&self) -> Option<&PreferenceMatrix> {
        match &self.arenas {
            Arenas::Matrix(copies) => Some(copies.arena.matrix()),
            _ => None,
        }
    }

    /// The text of everything that a run depends on except the algorithm: the arenas and the gaps.
    pub(crate) fn seed_text(&self) -> String {
        let content = match &self.arenas {
            Arenas::Live { content, .. } => content,
            Arenas::Matrix(copies) => &copies.content,
            Arenas::Utilities(copies) => &copies.content,
        };
        seed_text(Seeded::Measured { arenas: content, gaps: self.gaps() })
    }

    /// How many runs a thread should play in step.
    pub(crate) fn in_step(&self) -> usize {
        match &self.arenas {
            Arenas::Live { prepared, gaps, content } => live_arenas(prepared, gaps, content).in_step(),
            Arenas::Matrix(copies) => copies.in_step(),
            Arenas::Utilities(copies) => copies.in_step(),
        }
    }

    /// Plays the runs with these numbers.
    ///
    /// # Errors
    /// When the algorithm cannot play this number of arms.
    pub(crate) fn play(&self, plan: &RunPlan<'_>, numbers: &[u64], progress: &Progress) -> Result<Vec<RunRecord>> {
        let gaps = self.gaps();
        match &self.arenas {
            Arenas::Live { prepared, gaps, content } => {
                records(&live_arenas(prepared, gaps, content), plan, numbers, gaps, progress)
            }
            Arenas::Matrix(copies) => records(copies, plan, numbers, gaps, progress),
            Arenas::Utilities(copies) => records(copies, plan, numbers, gaps, progress),
        }
    }
}

/// Plays the runs with these numbers, and keeps what experiments need of them.
fn records<A: runs::ArenaFactory>(
    arenas: &A,
    plan: &RunPlan<'_>,
    numbers: &[u64],
    gaps: &[f64],
    progress: &Progress,
) -> Result<Vec<RunRecord>> {
    let is_best = |arm: &Option<Arm>| arm.is_some_and(|arm| gaps[arm.index()] <= 0.0);
    let runs = play_runs(arenas, plan, numbers, progress)?;
    let records = numbers.iter().zip(&runs).map(|(&number, run)| RunRecord {
        run: number,
        seconds: run.seconds,
        regret: run.regret.iter().map(|regret| regret.average).collect(),
        right: run.recommended.iter().map(is_best).collect(),
        // Strong regret counts a step if its worst arm has a gap, weak regret if even its best arm has one.
        suboptimal: run.suboptimal.iter().map(|count| count.strong).collect(),
        without_best: run.suboptimal.iter().map(|count| count.weak).collect(),
    });
    Ok(records.collect())
}

fn live_arenas<'a>(prepared: &'a PreparedSite, gaps: &'a [f64], content: &str) -> LiveArenaFactory<'a> {
    LiveArenaFactory { site: &prepared.site, methods: &prepared.methods, gaps, content: content.to_owned() }
}
