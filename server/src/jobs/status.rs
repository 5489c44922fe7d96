//! What an experiment has become, in JSON.

use live::traffic::{Experiment, Fates};
use serde_json::{Value, json};

use super::Refusal;
use crate::writer::Session;

/// Everything about an experiment that callers can see.
///
/// # Errors
/// If there is no such experiment.
pub fn status(session: &mut Session<'_>, id: u32) -> Result<Value, Refusal> {
    let experiment = session.experiment(id).ok_or_else(Refusal::no_experiment)?;
    Ok(of(experiment))
}

fn of(experiment: &Experiment) -> Value {
    let config = experiment.config();
    let name = |ranker: u32| config.rankers.get(ranker as usize).map(|ranker| ranker.name.as_str());
    let verdict = experiment.verdict();
    // Names of the numbers are those of `click-logs decide`.
    let decision = verdict.decision.json();
    let report: Vec<&str> = verdict.report.lines().collect();
    let pairs = decision["pairs"].as_array().into_iter().flatten().map(|pair| {
        json!({
            "first": pair["first"],
            "second": pair["second"],
            "units": pair["units"],
            "impressions": pair["impressions"],
            "share": pair["share"],
            "interval": pair["confidence_sequence"],
            "confidence": pair["confidence"],
            "verdict": pair["verdict"],
            "winner": pair["winner"],
            "since": pair["since"],
            "more": pair["more_until_decided"],
        })
    });
    let changes = experiment
        .changes()
        .iter()
        .map(|change| json!({"time": change.time, "what": change.state.name(), "who": change.who, "why": change.why}));
    let rails = experiment.alarms().iter().map(|alarm| {
        let [of_ranker, of_champion] =
            [alarm.ranker_bad, alarm.champion_bad].map(|[all, bad]| json!({"all": all, "bad": bad}));
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
    let tally = experiment.tally();
    let best = match decision["pairs"].as_array().map(Vec::as_slice) {
        Some([pair]) if config.rankers.len() == 2 => pair["winner"].clone(),
        _ => decision["best"]["declared"].clone(),
    };
    json!({
        "experiment": config.name,
        "version": experiment.version().to_string(),
        "state": experiment.state().name(),
        "since": experiment.created(),
        "time": experiment.time(),
        "settings": config,
        "headline": report.first().copied().unwrap_or_default(),
        "impressions": {
            "asked": asked,
            "credited": credited,
            "alone": alone,
            "missing": missing,
            "unanswered": unanswered,
            "answered-late": answered_late,
            "open": open,
        },
        "clicks": {"taken": clicks},
        "units": {
            "counted": tally.counted,
            "bots": tally.bots,
            "impressions": tally.impressions,
            "bot-impressions": tally.bot_impressions,
            "after-closing": tally.after_closing,
        },
        "open": open,
        "pairs": pairs.collect::<Vec<_>>(),
        "best": best,
        "report": report,
        "guardrails": rails.collect::<Vec<_>>(),
        "changes": changes.collect::<Vec<_>>(),
        "policy": {"name": config.policy, "leader": experiment.leader().and_then(name)},
        "log": {"events": experiment.position().0, "checksum": format!("{:016x}", experiment.position().1)},
    })
}
