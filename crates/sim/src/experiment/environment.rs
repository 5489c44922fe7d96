//! A set of rankers with the outcomes of their comparisons, ready for algorithms to play in.

use std::borrow::Cow;

use anyhow::{Context as _, Result};
use bandits::winners::condorcet_winners;
use bandits::{
    Arena, Arm, MatrixArena, PreferenceMatrix, RegretKind, RegretReference, UtilityArena, every_arm_is_optimal,
};
use output::progress::Progress;
use simulation::arm_names::ArmNames;
use simulation::late_answers::LateAnswers;
use simulation::live_arena::LiveArenaFactory;
use simulation::matrix::matrix_checksum;
use simulation::prepared_site::PreparedSite;
use simulation::runs::{self, ArenaFactory as _, CopiedArenas, LateArenas, RunPlan, play_runs};
use simulation::seed::Streams;
use simulation::seed_text::{SeedSubject, seed_text};
use simulation::truth::RegretMeasure;

use crate::experiment::context::ExperimentContext;
use crate::experiment::run_store::RunRecord;

/// A set of rankers, and where the outcomes of their comparisons come from.
pub(crate) struct Environment {
    arenas: Arenas,
    /// The kind of regret.
    regret: RegretKind,
    /// The reference of regret, in a sentence.
    pub(crate) truth: String,
}

enum Arenas {
    Live { prepared: Box<PreparedSite>, gaps: Vec<f64>, late: LateAnswers },
    Matrix(LateArenas<CopiedArenas<MatrixArena>>),
    Utilities(LateArenas<CopiedArenas<UtilityArena>>),
}

impl Environment {
    /// Arms with utilities; `name` is the problem's.
    pub(super) fn of_utilities(arena: UtilityArena, name: &str, regret: Option<RegretKind>) -> Result<Self> {
        let regret = regret.unwrap_or(RegretKind::Condorcet);
        let (arena, truth) = match regret.reference() {
            // As the arena measures it by itself.
            None | Some(RegretReference::Condorcet) => (arena, "the arm of the highest utility".to_owned()),
            Some(reference) => (arena.with_reference(reference)?, format!("regret is {}", loss_noun(regret))),
        };
        let copies = CopiedArenas { arena, content: seed_text(SeedSubject::Problem(name)) };
        let arenas = Arenas::Utilities(LateArenas::new(copies, LateAnswers::default()));
        Ok(Self { arenas, regret, truth }.checked())
    }

    /// The arms of a matrix, and whether there is a Condorcet winner. Regret is measured against that
    /// winner or, where there is none, by Copeland score, unless another kind is asked for.
    pub(super) fn of_matrix(
        matrix: PreferenceMatrix,
        names: &ArmNames,
        regret: Option<RegretKind>,
    ) -> Result<(Self, bool)> {
        let winner = condorcet_winners(&matrix).first().copied();
        let needs_winner = |kind: &RegretKind| kind.reference() == Some(RegretReference::Condorcet);
        let regret = match regret.filter(|kind| winner.is_some() || !needs_winner(kind)) {
            Some(regret) => regret,
            None => RegretKind::default_for(&matrix),
        };
        let mut truth = match winner {
            Some(winner) => format!("Condorcet winner: {}", names.name(winner.index())),
            None => format!("no Condorcet winner; regret is {}", loss_noun(regret)),
        };
        if winner.is_some() && !needs_winner(&regret) {
            truth += &format!("; regret is {}", loss_noun(regret));
        }
        let content = seed_text(SeedSubject::Matrix(&matrix_checksum(&matrix, true)));
        let reference = regret.reference().context("nDCG needs documents, which a matrix does not have")?;
        let arena = MatrixArena::with_reference(matrix, reference)?;
        let copies = LateArenas::new(CopiedArenas { arena, content }, LateAnswers::default());
        let environment = Self { arenas: Arenas::Matrix(copies), regret, truth };
        Ok((environment.checked(), winner.is_some()))
    }

    /// The rankers of a site, and whether there is a Condorcet winner; `subset` if they are a random set.
    pub(super) fn of_site(
        context: &ExperimentContext,
        prepared: PreparedSite,
        seed: u64,
        subset: bool,
        regret: Option<RegretKind>,
    ) -> Result<(Self, bool)> {
        let (gaps, truth, has_winner) = if regret == Some(RegretKind::Ndcg) {
            let ndcg = prepared.ndcg()?;
            let best = ndcg.iter().copied().fold(0.0, f64::max);
            let arm = ndcg.iter().position(|value| *value == best).unwrap_or(0);
            let truth_text = format!("regret is nDCG@10 below that of {}", prepared.description.label(arm));
            (ndcg.iter().map(|value| best - value).collect(), truth_text, true)
        } else {
            let truth = context.truth(&prepared, seed, subset)?;
            let truth_text = truth.describe(|arm| prepared.description.label(arm));
            let has_winner = truth.measure == RegretMeasure::Condorcet;
            (truth.gaps, truth_text, has_winner)
        };
        let regret = if has_winner { regret.unwrap_or(RegretKind::Condorcet) } else { RegretKind::Ndcg };
        let arenas = Arenas::Live { prepared: Box::new(prepared), gaps, late: LateAnswers::default() };
        Ok((Self { arenas, regret, truth }.checked(), has_winner))
    }

    /// The same environment with answers that come this late.
    pub(super) fn with_late(mut self, late_answers: &LateAnswers) -> Self {
        self.arenas = match self.arenas {
            Arenas::Live { prepared, gaps, .. } => Arenas::Live { prepared, gaps, late: late_answers.clone() },
            Arenas::Matrix(copies) => Arenas::Matrix(LateArenas::new(copies.arenas, late_answers.clone())),
            Arenas::Utilities(copies) => Arenas::Utilities(LateArenas::new(copies.arenas, late_answers.clone())),
        };
        self.truth.extend(late_answers.describe().map(|late_answers| format!("; {late_answers}")));
        self
    }

    /// Adds to `truth` which number of a step is counted, if not the mean, and whether regret measures anything.
    fn checked(mut self) -> Self {
        if matches!(self.regret, RegretKind::Weak | RegretKind::Strong) {
            self.truth += &format!("; {} regret", self.regret);
        }
        if every_arm_is_optimal(self.gaps()) {
            self.truth += "; every arm is optimal, so that regret measures nothing";
        }
        self
    }

    /// The number of rankers.
    pub(crate) fn arms(&self) -> usize {
        self.gaps().len()
    }

    /// Each arm's gap to the best.
    fn gaps(&self) -> &[f64] {
        match &self.arenas {
            Arenas::Live { gaps, .. } => gaps,
            Arenas::Matrix(copies) => copies.arenas.arena.gaps(),
            Arenas::Utilities(copies) => copies.arenas.arena.gaps(),
        }
    }

    /// The preference matrix, of environments that have one.
    pub(crate) fn matrix(&self) -> Option<&PreferenceMatrix> {
        match &self.arenas {
            Arenas::Matrix(copies) => Some(copies.arenas.arena.matrix()),
            _ => None,
        }
    }

    /// The text of everything that a run depends on except the algorithm: the arenas and the gaps.
    pub(crate) fn seed_text(&self) -> String {
        let content = match &self.arenas {
            Arenas::Live { prepared, gaps, late } => Cow::Owned(live_arenas(prepared, gaps, late).content().to_owned()),
            Arenas::Matrix(copies) => Cow::Borrowed(copies.content()),
            Arenas::Utilities(copies) => Cow::Borrowed(copies.content()),
        };
        let content_seed = seed_text(SeedSubject::Measured { arenas: &content, gaps: self.gaps() });
        seed_text(SeedSubject::WithRegretKind { measured: &content_seed, regret: self.regret })
    }

    /// The number of runs that a thread should play in step.
    pub(crate) fn runs_in_step(&self) -> usize {
        match &self.arenas {
            Arenas::Live { prepared, gaps, late } => live_arenas(prepared, gaps, late).runs_in_step(),
            Arenas::Matrix(copies) => copies.runs_in_step(),
            Arenas::Utilities(copies) => copies.runs_in_step(),
        }
    }

    /// Plays the runs with these numbers.
    ///
    /// # Errors
    /// When the algorithm cannot play this number of arms.
    pub(crate) fn play(&self, plan: &RunPlan<'_>, numbers: &[u64], progress: &Progress) -> Result<Vec<RunRecord>> {
        let gaps_and_regret = (self.gaps(), self.regret);
        match &self.arenas {
            Arenas::Live { prepared, gaps, late } => {
                records(&live_arenas(prepared, gaps, late), plan, numbers, gaps_and_regret, progress)
            }
            Arenas::Matrix(copies) => records(copies, plan, numbers, gaps_and_regret, progress),
            Arenas::Utilities(copies) => records(copies, plan, numbers, gaps_and_regret, progress),
        }
    }
}

/// Plays the runs with these numbers, and keeps the parts that experiments need.
fn records<A: runs::ArenaFactory>(
    arenas: &A,
    plan: &RunPlan<'_>,
    numbers: &[u64],
    (gaps, regret): (&[f64], RegretKind),
    progress: &Progress,
) -> Result<Vec<RunRecord>> {
    let is_best = |arm: &Option<Arm>| arm.is_some_and(|arm| gaps[arm.index()] <= 0.0);
    let runs = play_runs(arenas, plan, numbers, progress)?;
    let records = numbers.iter().zip(&runs).map(|(&number, run)| RunRecord {
        run: number,
        seconds: run.seconds,
        regret: run.regret.iter().map(|step| step.value(regret)).collect(),
        right: run.recommended.iter().map(is_best).collect(),
        // Strong regret counts a step if its worst arm has a gap, weak regret if even its best arm has one.
        suboptimal: run.suboptimal.iter().map(|count| count.strong).collect(),
        without_best: run.suboptimal.iter().map(|count| count.weak).collect(),
    });
    Ok(records.collect())
}

/// The loss of a step, for kinds of regret without a Condorcet winner.
fn loss_noun(regret: RegretKind) -> &'static str {
    match regret {
        RegretKind::Borda => "Borda score lost",
        RegretKind::VonNeumann => "P(von Neumann winner beats those played) - 1/2",
        _ => "Copeland score lost",
    }
}

fn live_arenas<'a>(
    prepared: &'a PreparedSite,
    gaps: &'a [f64],
    late_answers: &LateAnswers,
) -> LateArenas<LiveArenaFactory<'a>> {
    LateArenas::new(LiveArenaFactory::new(prepared, gaps, Streams::Sequential), late_answers.clone())
}
