//! The status of an experiment, in JSON.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use times::date;
use traffic::{DecisionReport, Evidence, Experiment, Facts, Fates, Harm, HoldReason, Notices};
use verdicts::conversions::{ConversionCounts, LineFate};
use verdicts::decide::{Decision, PairRecord};

use super::Refusal;
use crate::notify::ExperimentLook;
use crate::writer::Transaction;

/// An experiment at one moment, without its verdict: that may take long, and the writer does not wait for it.
#[derive(Debug)]
pub struct Snapshot<T> {
    /// The experiment's number in the store.
    pub id: u32,
    /// The status without a verdict.
    pub content: T,
    /// The facts for the headline, beside the verdict.
    pub facts: Facts,
    /// The number of rows that verdicts follow from; rows are never changed or removed.
    pub rows: usize,
    /// The evidence for a verdict, if there is more than the caller has.
    pub evidence: Option<Evidence>,
}

/// An experiment at this moment. `known` is the number of rows behind the verdict that the caller has.
///
/// # Errors
/// If there is no such experiment.
pub fn snapshot(transaction: &mut Transaction<'_>, id: u32, known: Option<usize>) -> Result<Snapshot<Value>, Refusal> {
    let now = transaction.now;
    let awaited = transaction.awaited(id);
    snapshot_with(transaction, id, known, |experiment| {
        let mut status = details(experiment);
        status["waits_for"] = awaited.into();
        if let Some(until) = still_until(experiment, now) {
            status["stands_still_until"] = until.into();
            if let Some(warnings) = status["warnings"].as_array_mut() {
                warnings.insert(0, standing_still_warning(experiment).into());
            }
        }
        status
    })
}

/// The time until which an experiment stands still, because the clock was ahead at its last event.
fn still_until(experiment: &Experiment, now: i64) -> Option<i64> {
    Some(experiment.time()).filter(|time| *time > now + MAX_CLOCK_LAG)
}

/// The warning about that.
fn standing_still_warning(experiment: &Experiment) -> String {
    format!(
        "Time stands still until {}: the clock was ahead at an earlier start. Windows do not close until then.",
        experiment.minute(experiment.time())
    )
}

/// The lag of a clock that is accepted without a warning, in milliseconds: clocks are set, and machines differ.
const MAX_CLOCK_LAG: i64 = 60_000;

/// The warning of an experiment for which time stands still.
pub(super) fn still_warning(experiment: &Experiment, now: i64) -> Option<String> {
    still_until(experiment, now).map(|_| standing_still_warning(experiment))
}

/// As [`snapshot`], with the result of `told` as the status.
///
/// # Errors
/// If there is no such experiment.
pub fn snapshot_with<T>(
    transaction: &mut Transaction<'_>,
    id: u32,
    known: Option<usize>,
    told: impl FnOnce(&Experiment) -> T,
) -> Result<Snapshot<T>, Refusal> {
    let experiment = transaction.experiment(id).ok_or_else(Refusal::no_experiment)?;
    let snapshot = take_snapshot(experiment, id, known, told(experiment));
    Ok(snapshot.with_awaited(transaction.awaited(id)))
}

/// Summaries of experiments, by their numbers. `verdict_rows` has the number of rows behind each verdict that the caller has.
#[must_use]
pub fn snapshots(
    transaction: &Transaction<'_>,
    ids: &[u32],
    verdict_rows: &BTreeMap<u32, usize>,
) -> BTreeMap<u32, Snapshot<Value>> {
    let of = |id: u32| {
        let experiment = transaction.known(id)?;
        let status = json!({
            "experiment": experiment.config().name,
            "version": experiment.version().to_string(),
            "state": experiment.state().name(),
            "since": experiment.created(),
            "impressions": experiment.fates().asked,
            "warnings": experiment.warnings(),
        });
        Some((
            id,
            take_snapshot(experiment, id, verdict_rows.get(&id).copied(), status).with_awaited(transaction.awaited(id)),
        ))
    };
    ids.iter().filter_map(|&id| of(id)).collect()
}

/// All experiments, as messages about them need them.
#[must_use]
pub fn looks(transaction: &Transaction<'_>, verdict_rows: &BTreeMap<u32, usize>) -> Vec<Snapshot<ExperimentLook>> {
    let of = |(id, experiment): (u32, &Experiment)| {
        let config = experiment.config();
        let look = ExperimentLook {
            name: config.name.clone(),
            created: Some(experiment.created()),
            rankers: config.rankers.iter().map(|ranker| ranker.name.clone()).collect(),
            changes: experiment.changes().to_vec(),
            alarms: experiment.alarms().to_vec(),
            raises: experiment.raises().to_vec(),
            standing: None,
            sentence: String::new(),
            advice: String::new(),
            winner: None,
            harms: Vec::new(),
        };
        take_snapshot(experiment, id, verdict_rows.get(&id).copied(), look).with_awaited(transaction.awaited(id))
    };
    transaction.experiments().map(of).collect()
}

fn take_snapshot<T>(experiment: &Experiment, id: u32, known: Option<usize>, content: T) -> Snapshot<T> {
    let rows = experiment.rows().len() + experiment.conversion_rows();
    let evidence = (known != Some(rows)).then(|| experiment.evidence());
    Snapshot { id, content, facts: experiment.facts(), rows, evidence }
}

impl<T> Snapshot<T> {
    /// The same snapshot with `other` as the experiment that this one waits for, if it waits.
    fn with_awaited(self, other: Option<String>) -> Self {
        Self { facts: self.facts.with_awaited(other), ..self }
    }
}

impl Snapshot<Value> {
    /// In short, with the headline.
    #[must_use]
    pub fn with_headline(mut self, verdict: &DecisionReport) -> Value {
        let headline = self.facts.headline(verdict);
        self.content["headline"] = headline.sentence.into();
        self.content["standing"] = headline.standing.name().into();
        self.content["trusted"] = self.facts.integrity().is_trusted().into();
        self.content["winner"] = headline.winner.into();
        self.content["action"] = headline.action.into();
        self.content["advice"] = headline.advice.into();
        self.content
    }

    /// Everything, with the verdict.
    #[must_use]
    pub fn with_verdict(self, verdict: &DecisionReport) -> Value {
        let report = self.facts.report(verdict);
        let integrity = self.facts.integrity().clone();
        let mut status = self.with_headline(verdict);
        status["pairs"] = pairs(&verdict.decision);
        if let Some(segments) = &verdict.segments {
            for (place, decision) in segments.decisions.iter().enumerate() {
                status["segments"]["each"][place]["pairs"] = pairs(decision);
                let winner = decision.winner().map(|ranker| decision.rankers[ranker].as_str());
                status["segments"]["each"][place]["winner"] = winner.into();
            }
            let harm = |harm: &Harm| {
                json!({
                    "ranker": verdict.decision.rankers[harm.ranker],
                    "since": date(harm.since),
                    "segments": harm.segments.iter().map(|place| &segments.names[*place]).collect::<Vec<_>>(),
                    "most": segments.names[harm.likeliest_segment],
                    "sentence": segments.sentence(harm),
                })
            };
            status["segments"]["harms"] = segments.harms.iter().map(harm).collect();
        }
        if status["outcomes"].is_object() {
            status["outcomes"]["measures"] = verdict.measures_record();
        }
        status["report"] = report.into();
        status["faults"] = json!(integrity.faults);
        status["tested"] = integrity.tested.into();
        status
    }
}

/// The pairs of a decision.
fn pairs(decision: &Decision) -> Value {
    // The numbers have the names of `click-logs decide`.
    let pair = |pair: &PairRecord<'_>| {
        json!({
            "first": pair.first,
            "second": pair.second,
            "units": pair.units,
            "impressions": pair.impressions,
            "share": pair.share,
            "interval": pair.confidence_sequence,
            "confidence": pair.confidence,
            "verdict": pair.verdict,
            "winner": pair.winner,
            "since": pair.since,
            "effect": pair.effect,
            "more": pair.more_until_decided,
        })
    };
    decision.record().pairs.iter().map(pair).collect()
}

/// Later actions of units, if they count: the number of outcomes and their fates, the totals of rankers on closed days, and the deciding
/// measure.
fn outcomes(experiment: &Experiment) -> Value {
    let (Some(tally), Some(table)) = (experiment.conversion_tally(), experiment.conversions()) else {
        return Value::Null;
    };
    let fates = LineFate::ALL.into_iter().map(|fate| (fate.name().to_owned(), tally.of(fate).into()));
    let mut totals: BTreeMap<(usize, usize), ConversionCounts> = BTreeMap::new();
    table.days.iter().for_each(|day| *totals.entry(day.pair).or_default() += day.counts);
    let name = |ranker: usize| &table.rankers[ranker];
    let totals = totals.into_iter().map(|((first, second), counts)| {
        json!({
            "first": name(first),
            "second": name(second),
            "units": counts.units.total(),
            "conversions": counts.conversions,
            "value": counts.value,
            "cut_units": counts.cut_units,
            "cut_value": counts.cut,
        })
    });
    json!({
        "primary": experiment.primary().name(),
        "taken": tally.taken,
        "open": tally.open(),
        "fates": fates.collect::<serde_json::Map<String, Value>>(),
        "totals": totals.collect::<Vec<_>>(),
        "first_closing": experiment.first_maturity(),
    })
}

fn details(experiment: &Experiment) -> Value {
    let config = experiment.config();
    let name = |ranker: u32| config.rankers.get(ranker as usize).map(|ranker| ranker.name.as_str());
    let changes = experiment
        .changes()
        .iter()
        .map(|change| {
            let ranker = change.state.shipped().and_then(name);
            json!({"time": change.time, "what": change.state.name(), "ranker": ranker, "who": change.who, "why": change.why})
        });
    let rails = experiment.alarms().iter().map(|alarm| {
        let [of_ranker, of_champion] =
            [alarm.ranker_counts, alarm.champion_counts].map(|[all, bad]| json!({"all": all, "bad": bad}));
        json!({
            "time": alarm.time,
            "ranker": name(alarm.ranker),
            "guard": alarm.guard,
            "meaning": alarm.guard.meaning(),
            "of_ranker": of_ranker,
            "of_champion": of_champion,
        })
    });
    let Fates { asked, open, credited, alone, missing, unanswered, answered_late, clicks } = experiment.fates();
    let Notices { not_shown, near_id, malformed, ignored, duplicate, late, noisy, identical: _, refused: _ } =
        experiment.notices();
    let tally = experiment.tally();
    let raises = experiment.raises().iter();
    let raises =
        raises.map(|raise| json!({"time": raise.time, "share": raise.share, "who": raise.who, "why": raise.why}));
    let next = experiment.next_step();
    let next = next.map(
        |next| json!({"share": next.share, "left": next.time_left, "held": next.hold_reason.map(HoldReason::name)}),
    );
    // With verdicts later.
    let segments = experiment.units_by_segment();
    let segments = segments.split_last().map(|((_, other), each)| {
        let each = each.iter().map(|(name, units)| json!({"name": name, "units": units}));
        json!({"each": each.collect::<Vec<_>>(), "other": other, "harms": []})
    });
    let forgotten = experiment.forgotten();
    let forgotten = forgotten.before.map(|day| json!({"before": date(day), "events": forgotten.events}));
    json!({
        "experiment": config.name,
        "version": experiment.version().to_string(),
        "state": experiment.state().name(),
        "since": experiment.created(),
        "time": experiment.time(),
        "settings": config,
        "impressions": {
            "asked": asked,
            "credited": credited,
            "alone": alone,
            "missing": missing,
            "unanswered": unanswered,
            "answered-late": answered_late,
            "open": open,
        },
        // Clicks that were taken; of the others, impressions that had some.
        "clicks": {
            "taken": clicks,
            "duplicate": duplicate,
            "late": late,
            "not-shown": not_shown,
            "near-id": near_id,
            "ignored": ignored,
            "malformed": malformed,
            "noisy": noisy,
        },
        "units": {
            "counted": tally.counted,
            "bots": tally.bots,
            "impressions": tally.impressions,
            "bot-impressions": tally.bot_impressions,
            "after-closing": tally.after_closing,
        },
        "open": open,
        "warnings": experiment.warnings(),
        "guardrails": rails.collect::<Vec<_>>(),
        "not_watched": experiment.not_watched(),
        "changes": changes.collect::<Vec<_>>(),
        // With verdicts later.
        "outcomes": outcomes(experiment),
        "share": {"now": experiment.share(), "next": next, "raises": raises.collect::<Vec<_>>()},
        "segments": segments,
        // When it ends by itself.
        "ends": experiment.end_time(),
        // The ranker of the list that is shown where nothing is mixed.
        "fallback": name(experiment.fallback()),
        "policy": {"name": config.policy, "leader": experiment.leader().and_then(name)},
        // The days that are not kept.
        "forgotten": forgotten,
        "log": {"events": experiment.position().0, "checksum": format!("{:016x}", experiment.position().1)},
    })
}
