//! What the outcomes of runs prove, as summary, table and columns of files.

use bandits::registry::Spec;
use bandits::{ActionKind, Arm};
use output::numbers::{significant, with_separators};
use output::text_table::{Align, TextTable};
use serde::Serialize;
use simulation::runs::evidence::{EvidencePlan, RunEvidence};
use simulation::runs::{RunResult, StudyPlan};

use super::{Arms, RecommendedArm, label, recommendation_counts};

/// One algorithm's evidence; part of its entry in `summary.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvidenceSummary {
    /// The request.
    #[serde(flatten)]
    pub plan: EvidencePlan,
    /// What is proven: `pairs`, that an arm wins more than half of the decided impressions against each other arm; or, of
    /// algorithms that show sets on a live site, `multileaving by NAME`, that it wins in lists mixed from those sets. Regret
    /// is counted from pairs, and another arm may be the best by it.
    pub proven_by: String,
    /// The arms stated to be the best, most often stated first.
    pub stated: Vec<RecommendedArm>,
    /// The share of the runs with a statement that is right by regret: of the best arm, or of one that is worse by no more than the margin. Null
    /// if there are none, or every arm is optimal.
    pub share_stating_best: Option<f64>,
    /// The steps by which these shares of all runs had stated an arm; null for shares that were never reached.
    pub steps_until_stated: Quantiles,
    /// Runs that gave up.
    pub gave_up: usize,
    /// Runs without a statement.
    pub undecided: usize,
    /// The arms with the most evidence in those of these that have any, most frequent first.
    pub leading_undecided: Vec<RecommendedArm>,
}

/// Steps by which a share of all runs had stated an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Quantiles {
    /// Half of the runs.
    pub median: Option<u64>,
    /// Eight in ten.
    pub q80: Option<u64>,
    /// Nine in ten.
    pub q90: Option<u64>,
}

impl EvidenceSummary {
    /// Of these runs; `None` if no evidence was gathered.
    pub(super) fn of(plan: &StudyPlan, spec: &Spec, runs: &[RunResult], arms: &Arms<'_>) -> Option<Self> {
        let of_run = |run: &RunResult| run.evidence.clone();
        let (settings, run_evidence) =
            plan.evidence.zip(runs.iter().map(of_run).collect::<Option<Vec<RunEvidence>>>())?;
        let mut steps: Vec<u64> = run_evidence.iter().filter_map(|run| run.stated.map(|(_, step)| step)).collect();
        steps.sort_unstable();
        let quantile =
            |share: f64| steps.get(((share * run_evidence.len() as f64).ceil() as usize).max(1) - 1).copied();
        let stated_arms: Vec<Option<Arm>> =
            run_evidence.iter().filter_map(|run| run.stated.map(|(arm, _)| Some(arm))).collect();
        let undecided: Vec<&RunEvidence> = run_evidence.iter().filter(|run| run.stated.is_none()).collect();
        let ahead: Vec<Option<Arm>> = undecided.iter().filter_map(|run| leading_arm(run)).map(Some).collect();
        let correct =
            stated_arms.iter().map(|arm| arms.is_within(*arm, settings.margin)).collect::<Option<Vec<bool>>>();
        let share =
            |correct: Vec<bool>| correct.iter().filter(|correct| **correct).count() as f64 / correct.len() as f64;
        Some(Self {
            plan: settings,
            proven_by: proven_by(spec, arms),
            share_stating_best: correct.filter(|correct| !correct.is_empty()).map(share),
            steps_until_stated: Quantiles { median: quantile(0.5), q80: quantile(0.8), q90: quantile(0.9) },
            gave_up: run_evidence.iter().filter(|run| run.gave_up.is_some()).count(),
            undecided: undecided.len(),
            stated: recommendation_counts(stated_arms.into_iter(), arms),
            leading_undecided: recommendation_counts(ahead.into_iter(), arms),
        })
    }
}

/// The table on evidence, and a line on what it means; `None` if none was gathered.
#[must_use]
pub fn evidence_table(plan: &StudyPlan, results: &[Vec<RunResult>], arms: &Arms<'_>) -> Option<String> {
    let settings = plan.evidence?;
    let right_aligned = |name| (name, Align::Right);
    let mut table = TextTable::new([
        ("evidence", Align::Left),
        right_aligned("stated"),
        right_aligned("right"),
        right_aligned("steps, 50%"),
        right_aligned("80%"),
        right_aligned("90%"),
        ("best is", Align::Left),
        ("undecided, ahead", Align::Left),
    ]);
    let mut hint = None;
    for (spec, runs) in plan.algorithms.iter().zip(results) {
        let summary = EvidenceSummary::of(plan, spec, runs, arms)?;
        let step = |step: Option<u64>| step.map_or_else(|| "-".to_owned(), |step| significant(step as f64));
        let most_frequent = |recommended: &[RecommendedArm]| {
            recommended.first().map_or_else(String::new, |most_frequent| {
                let name = most_frequent.short_name(arms.names);
                format!("{name}, {}/{}", with_separators(most_frequent.runs as u64), with_separators(runs.len() as u64))
            })
        };
        let Quantiles { median, q80, q90 } = summary.steps_until_stated;
        table.row([
            format!("{}{}", label(spec), mark(spec, arms)),
            format!("{}/{}", runs.len() - summary.undecided, runs.len()),
            summary
                .share_stating_best
                .map_or_else(|| "-".to_owned(), |share| format!("{:.0}%{}", 100.0 * share, mark(spec, arms))),
            step(median),
            step(q80),
            step(q90),
            most_frequent(&summary.stated),
            match &summary.leading_undecided[..] {
                [] if summary.undecided > 0 => "-".to_owned(),
                ahead => most_frequent(ahead),
            },
        ]);
        hint = hint.or_else(|| open_pair(&label(spec), runs, arms));
    }
    let level = 100.0 * settings.level;
    let best = match settings.margin {
        0.0 => "the best".to_owned(),
        margin => format!("no worse than the best by more than {margin}"),
    };
    let stops = match (settings.stops, settings.gives_up) {
        (false, _) => "",
        (true, false) => "; a run ends there, and the stated arm is shown alone",
        (true, true) => "; a run ends there or gives up, and one arm is shown alone",
    };
    let mut text = format!(
        "{table}\nstated: the outcomes prove, at {level}% confidence at any time, that an arm is {best} by winning pairs{stops}; \
         each impression is a user of its own; right: by {} regret{}",
        arms.measured.kind,
        if settings.margin > 0.0 && !arms.measured.is_share_of_wins() { ", the best alone" } else { "" }
    );
    let marked = plan.algorithms.iter().filter(|spec| is_multileaved(spec, arms)).map(label).collect::<Vec<_>>();
    if let Some(name) = arms.multileave.filter(|_| !marked.is_empty()) {
        text += &format!(
            "\n* {}: proven by lists that {name} multileaving mixes from sets, not by pairs, which regret counts: another ranker \
             may win there (`{} distortion`)",
            marked.join(", "),
            output::program::name()
        );
    }
    if let Some(hint) = hint {
        text += &format!("\n{hint}");
    }
    Some(text)
}

/// Whether outcomes of `spec` are those of multileaved sets.
fn is_multileaved(spec: &Spec, arms: &Arms<'_>) -> bool {
    arms.multileave.is_some() && spec.action_kind() == ActionKind::Sets
}

fn mark(spec: &Spec, arms: &Arms<'_>) -> &'static str {
    if is_multileaved(spec, arms) { "*" } else { "" }
}

/// What the outcomes of `spec` prove.
fn proven_by(spec: &Spec, arms: &Arms<'_>) -> String {
    match arms.multileave.filter(|_| is_multileaved(spec, arms)) {
        Some(name) => format!("multileaving by {name}"),
        None => "pairs".to_owned(),
    }
}

/// The arm with the most evidence that it is the best; `None` where no arm has any, so that all have as much.
fn leading_arm(run: &RunEvidence) -> Option<Arm> {
    (run.confidence > 0.0).then_some(run.leader.0)
}

/// A line on the pair that keeps the first undecided run of an algorithm open where an arm is ahead.
fn open_pair(algorithm: &str, runs: &[RunResult], arms: &Arms<'_>) -> Option<String> {
    let open_pairs_of = |run: &RunResult| {
        run.evidence.as_ref().is_some_and(|evidence| evidence.stated.is_none() && leading_arm(evidence).is_some())
    };
    let number = runs.iter().position(open_pairs_of)?;
    let RunEvidence { leader: (leader, hardest), candidates, .. } = runs[number].evidence.as_ref()?;
    let other_candidates = match candidates.len() {
        1 => "no other arm can be the best".to_owned(),
        count => format!("{} arms may still be the best", with_separators(count as u64)),
    };
    Some(format!(
        "undecided: e.g. in run {number} of {algorithm} there is least evidence that {} beats {}; {other_candidates}",
        arms.names.name(leader.index()),
        arms.names.name((*hardest)?.index())
    ))
}

/// The share of runs that had stated an arm by `step`; `None` if no evidence was gathered.
pub(super) fn share_stated(runs: &[RunResult], step: u64) -> Option<f64> {
    let has_stated: Option<Vec<bool>> = runs
        .iter()
        .map(|run| run.evidence.as_ref().map(|evidence| evidence.stated.is_some_and(|(_, at)| at <= step)))
        .collect();
    has_stated.map(|has_stated| has_stated.iter().filter(|has_stated| **has_stated).count() as f64 / runs.len() as f64)
}

/// The columns of a table of runs on evidence; none if none was gathered.
pub(super) fn header(plan: &StudyPlan, arms: &Arms<'_>) -> Vec<String> {
    if plan.evidence.is_none() {
        return Vec::new();
    }
    let mut header = vec!["stated_arm".to_owned()];
    header.extend(arms.names.column().map(|column| format!("stated_{column}")));
    header.extend(arms.names.user_names().map(|_| "stated_name".to_owned()));
    header.extend(
        ["stated_at", "stated_is_best", "gave_up_at", "leading_arm", "confidence", "candidates", "proven_by"]
            .map(str::to_owned),
    );
    header
}

/// The cells of these columns.
pub(super) fn cells(plan: &StudyPlan, spec: &Spec, run: &RunResult, arms: &Arms<'_>) -> Vec<String> {
    let margin = plan.evidence.map_or(0.0, |asked| asked.margin);
    let Some(evidence) = &run.evidence else { return Vec::new() };
    let stated_arm = evidence.stated.map(|(arm, _)| arm);
    let optional = |value: Option<String>| value.unwrap_or_default();
    let mut cells = vec![optional(stated_arm.map(|arm| arm.0.to_string()))];
    if arms.names.column().is_some() {
        cells.push(optional(stated_arm.map(|arm| arms.names.number(arm.index()))));
    }
    if arms.names.user_names().is_some() {
        cells.push(optional(stated_arm.and_then(|arm| arms.names.given_name(arm.index())).map(str::to_owned)));
    }
    cells.push(optional(evidence.stated.map(|(_, step)| step.to_string())));
    let is_right = |arm| arms.is_within(Some(arm), margin);
    cells.push(optional(stated_arm.and_then(is_right).map(|right| right.to_string())));
    cells.push(optional(evidence.gave_up.map(|step| step.to_string())));
    cells.push(optional(leading_arm(evidence).map(|arm| arm.0.to_string())));
    cells.push(evidence.confidence.to_string());
    cells.push(evidence.candidates.len().to_string());
    cells.push(proven_by(spec, arms));
    cells
}

#[cfg(test)]
mod tests {
    use bandits::RegretKind;
    use simulation::arm_names::ArmNames;

    use super::*;
    use crate::results::RegretBasis;

    fn run(stated: Option<(u32, u64)>) -> RunResult {
        RunResult {
            regret: Vec::new(),
            recommended: Vec::new(),
            suboptimal: Vec::new(),
            alone_since: None,
            evidence: Some(RunEvidence {
                stated: stated.map(|(arm, step)| (Arm(arm), step)),
                gave_up: None,
                leader: (Arm(1), Some(Arm(2))),
                confidence: 0.5,
                candidates: vec![Arm(1), Arm(2)],
            }),
            answers: None,
            seconds: 0.0,
        }
    }

    #[test]
    fn quantiles_are_of_all_runs_and_shares_of_those_with_a_statement() {
        let plan = StudyPlan {
            algorithms: vec!["rucb".parse().unwrap()],
            steps: 1_000,
            runs: 5,
            seed: 1,
            checkpoints: vec![1_000],
            evidence: Some(EvidencePlan { level: 0.95, margin: 0.0, stops: true, gives_up: false }),
        };
        let arms = Arms {
            winners: &[1],
            phases: &[],
            names: &ArmNames::NUMBERS,
            measured: RegretBasis::new(RegretKind::Condorcet, &[0.1, 0.0, 0.1], None),
            gaps: &[0.1, 0.0, 0.1],
            multileave: None,
        };
        let runs: Vec<RunResult> =
            [Some((1, 300)), Some((1, 100)), Some((2, 200)), Some((1, 50)), None].map(run).into();
        let summary = EvidenceSummary::of(&plan, &plan.algorithms[0], &runs, &arms).unwrap();
        assert_eq!(summary.share_stating_best, Some(0.75));
        let Quantiles { median, q80, q90 } = summary.steps_until_stated;
        assert_eq!((median, q80, q90), (Some(200), Some(300), None));
        assert_eq!((summary.undecided, summary.leading_undecided[0].arm, summary.stated[0].runs), (1, Some(1), 3));
        assert_eq!([99, 100, 1_000].map(|step| share_stated(&runs, step)), [Some(0.2), Some(0.4), Some(0.8)]);
        // Within the margin, the third is good enough; not where regret is another measure.
        let with = |margin: f64, kind| {
            let evidence = Some(EvidencePlan { margin, ..plan.evidence.unwrap() });
            let measured = RegretBasis { kind, ..arms.measured };
            let plan = StudyPlan { evidence, ..plan.clone() };
            EvidenceSummary::of(&plan, &plan.algorithms[0], &runs, &Arms { measured, ..arms })
                .unwrap()
                .share_stating_best
        };
        assert_eq!(with(0.2, RegretKind::Condorcet), Some(1.0));
        assert_eq!(with(0.05, RegretKind::Condorcet), Some(0.75));
        assert_eq!(with(0.2, RegretKind::Borda), Some(0.75));
        let text = evidence_table(&plan, &[runs], &arms).unwrap();
        assert!(text.contains("4/5") && text.contains("arm 1, 3/5") && text.contains("2 arms may still be"), "{text}");
        let of_run = |run: &RunResult| cells(&plan, &plan.algorithms[0], run, &arms);
        assert_eq!((of_run(&run(None)).len(), header(&plan, &arms).len()), (8, 8));
        // Where no arm has any evidence, none is ahead.
        let mut nothing = run(None);
        nothing.evidence.as_mut().unwrap().confidence = 0.0;
        assert_eq!((of_run(&run(None))[4].as_str(), of_run(&nothing)[4].as_str()), ("1", ""));
        let text = evidence_table(&plan, &[vec![nothing; 5]], &arms).unwrap();
        let cells: Vec<&str> = text.lines().nth(2).unwrap().split_whitespace().collect();
        assert!(cells.last() == Some(&"-") && !text.contains("undecided: e.g."), "{text}");
        let without = StudyPlan { evidence: None, ..plan };
        assert!(
            EvidenceSummary::of(&without, &without.algorithms[0], &[run(None)], &arms).is_none()
                && header(&without, &arms).is_empty()
        );
    }

    #[test]
    fn what_multileaving_proves_is_called_that() {
        let plan = |names: &[&str]| StudyPlan {
            algorithms: names.iter().map(|name| name.parse().unwrap()).collect(),
            steps: 1_000,
            runs: 2,
            seed: 1,
            checkpoints: vec![1_000],
            evidence: Some(EvidencePlan { level: 0.95, margin: 0.0, stops: true, gives_up: false }),
        };
        let arms = |multileave| Arms {
            winners: &[1],
            phases: &[],
            names: &ArmNames::NUMBERS,
            measured: RegretBasis::new(RegretKind::Condorcet, &[0.1, 0.0, 0.1], None),
            gaps: &[0.1, 0.0, 0.1],
            multileave,
        };
        let runs = || vec![run(Some((2, 300))), run(Some((2, 400)))];
        let both = plan(&["rucb", "mdb"]);
        let proven = |live| {
            let of = |spec: &Spec| EvidenceSummary::of(&both, spec, &runs(), &arms(live)).unwrap().proven_by;
            both.algorithms.iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(proven(Some("sosm")), ["pairs", "multileaving by sosm"]);
        assert_eq!(proven(None), ["pairs", "pairs"], "on a matrix, sets are compared pair by pair");
        let text = evidence_table(&both, &[runs(), runs()], &arms(Some("sosm"))).unwrap();
        assert!(
            text.contains("mdb*") && text.contains("\n* mdb: proven by lists that sosm multileaving mixes"),
            "{text}"
        );
        assert!(!text.contains("rucb*"), "{text}");
        let text = evidence_table(&both, &[runs(), runs()], &arms(None)).unwrap();
        assert!(!text.contains('*'), "{text}");
        let cells = cells(&both, &both.algorithms[1], &runs()[0], &arms(Some("sosm")));
        assert_eq!(cells.last().map(String::as_str), Some("multileaving by sosm"));
    }
}
