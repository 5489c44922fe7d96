//! The output of `decide` for the command line and for Python: its text, and the contents of decision.json.

use std::path::Path;

use output::usage::usage;
use ranktypes::text::{plural, with_unit};
use serde_json::{Value, json};
use statistics::anytime::TestState;
use verdicts::decide::{Action, Advice, CountUnit, Decision, Outlook, Verdicts, VersionVerdict, report};
use verdicts::outcomes::Outcomes;

use crate::outcomes::{Table, integrity, rankers_beside, summary_beside, summary_of_version, warnings};

/// A remark on every output of simulated logs.
pub const SYNTHETIC: &str = "The log is simulated: it says nothing about real users.";

/// The key of a remark about the summary.
pub(crate) const REMARK_KEY: &str = "remark about the summary";

/// The outcomes at `path`, a folder that `click-logs credit` wrote or a table of outcomes in any form, and the summary beside it; null
/// if there is none, or it is not valid, which every verdict then mentions.
///
/// # Errors
/// If it cannot be read or is not a table of outcomes, or a folder has no finished results.
pub fn read_outcomes(path: &Path) -> anyhow::Result<(Outcomes, Value)> {
    let table_path = if path.is_dir() { path.join("outcomes.csv") } else { path.to_path_buf() };
    if path.is_dir() && !path.join("config.json").exists() {
        let folder = path.display();
        return Err(usage(format!(
            "{folder} has no finished results of `click-logs credit`; run that first, or again"
        )));
    }
    let table = Table::open(&table_path)?;
    let (mut summary, remark) = summary_beside(&table_path, &table.text(&rankers_beside(&table_path)));
    if let Some(remark) = remark {
        summary[REMARK_KEY] = remark.into();
    }
    let names = summary["rankers"].as_array().into_iter().flatten();
    let order: Vec<String> = names.filter_map(|name| name.as_str().map(str::to_owned)).collect();
    let outcomes = table.outcomes(&order).map_err(|error| error.in_file(&table_path))?;
    let outcomes = outcomes.add_versions(&summary);
    Ok((outcomes, summary))
}

/// The verdict on the version that began last, for programs that act on it.
#[must_use]
pub fn outlook(verdicts: &Verdicts, summary: &Value) -> Outlook {
    let checked = integrity(summary).unwrap_or_default();
    let fault = checked.distrust_reason(verdicts.latest_name());
    let outlook = verdicts.latest().outlook(summary["unit"].as_str(), fault.map(|fault| fault.sentence.as_str()));
    // Where nothing counts, more of the same will not either.
    let waits = |what: &str| summary["fates"][what]["open"].as_u64().is_none_or(|open| open > 0);
    let waits = waits("units") || waits("impressions");
    if fault.is_some() || verdicts.latest().days.is_some() || waits {
        return outlook;
    }
    let sentence = "Repair the log, or what it is credited by: nothing counts, and waiting changes nothing.".to_owned();
    Outlook { advice: Advice { action: Action::Repair, sentence }, ..outlook }
}

/// The contents of decision.json: the verdicts, and the facts about the log that they depend on.
#[must_use]
pub fn record(verdicts: &Verdicts, summary: &Value) -> Value {
    let mut json = verdicts.json();
    // A summary that may have been changed does not prove that the log is real.
    let certain = summary[REMARK_KEY].is_null() || is_synthetic(summary);
    json["synthetic"] = if certain { summary["synthetic"].clone() } else { Value::Null };
    json["warnings"] = warnings_before_verdict(verdicts, summary).into();
    let checked = integrity(summary);
    json["trusted"] = checked.as_ref().map(|checked| checked.distrust_reason(verdicts.latest_name()).is_none()).into();
    json["faults"] = checked.as_ref().map_or(Value::Null, |checked| json!(checked.faults));
    let Outlook { headline, winner, is_decided, advice } = outlook(verdicts, summary);
    json["headline"] = headline.into();
    json["winner"] = winner.map(|ranker| verdicts.latest().rankers[ranker].clone()).into();
    json["decided"] = is_decided.into();
    json["action"] = advice.action.name().into();
    json["advice"] = advice.sentence.into();
    json["pairs_chosen"] = summary["pairs"].clone();
    let fates = &summary["fates"]["impressions"];
    json["impressions_after_closing"] = json!({
        "count": fates["after-closing"],
        "of": fates["credited"],
        "unit_days": summary["unit_days"],
    });
    json
}

/// A warning for each verdict that all impressions together do not bear out.
fn impression_warnings(decision: &Decision) -> String {
    let mut text = String::new();
    for pair in &decision.pairs {
        let (Some(units), Some(impression_share)) = (pair.last.counts.share(), pair.impressions.share()) else {
            continue;
        };
        if pair.last.verdict != TestState::Open && (units > 0.5) != (impression_share > 0.5) {
            let [first, second] = [pair.last.pair.0, pair.last.pair.1].map(|ranker| &decision.rankers[ranker]);
            text += &format!(
                "Note: of all impressions {first} won {:.1}% against {second}: later days point the other way. Credit with more \
                 --unit-days before you decide.\n",
                100.0 * impression_share
            );
        }
    }
    text
}

/// Warnings before the verdict.
pub(crate) fn warnings_before_verdict(verdicts: &Verdicts, summary: &Value) -> Vec<String> {
    let by = verdicts.latest().count_unit;
    let mut messages = warnings(summary);
    messages.extend(verdicts.versions.iter().filter_map(VersionVerdict::missing_days_warning));
    messages.splice(0..0, summary[REMARK_KEY].as_str().map(str::to_owned));
    if by == CountUnit::Impressions && summary["pairs"] == "steered" {
        messages.insert(
            0,
            "All impressions are counted (--by impressions), though outcomes may have chosen their pairs: these verdicts do not \
             hold their level."
                .to_owned(),
        );
    }
    messages
}

/// Why no outcome has closed, by the summary of the log.
fn no_outcome_reason(summary: &Value) -> Option<String> {
    let fates = &summary["fates"];
    let Some(credited_count) = fates["impressions"]["credited"].as_u64() else {
        return Some(
            "Nothing to decide: the table has no rows. If no day has closed, credit a longer log, or say --final; else what made the table \
             knows why, such as `fates` of `click-logs sql`: do the names of --rankers match those in `teams`?\n"
                .to_owned(),
        );
    };
    let unit = summary["unit"].as_str().unwrap_or("unit");
    let of_units = |fate: &str| fates["units"][fate].as_u64().unwrap_or(0);
    let open_count = fates["impressions"]["open"].as_u64().unwrap_or(0);
    Some(if credited_count == 0 && open_count > 0 {
        let are = if open_count == 1 { "is" } else { "are" };
        let open_count = with_unit(open_count, "impression");
        format!(
            "Nothing to decide yet: {open_count} {are} open, as clicks may still come. Credit a longer log, or say --final if nothing will be added.\n"
        )
    } else if credited_count == 0 {
        "Nothing to decide: no impression counts.\n".to_owned()
    } else if of_units("open") > 0 {
        let open_count = of_units("open");
        let are = if open_count == 1 { "is" } else { "are" };
        let open_count = with_unit(open_count, unit);
        let last = summary["last_closed_day"].as_str().unwrap_or("the first one");
        format!(
            "Nothing to decide yet: {open_count} {are} open, as days are complete until {last} only. Credit a longer log, or say \
             --final if nothing will be added.\n"
        )
    } else if of_units("spent") > 0 {
        let spent = with_unit(of_units("spent"), unit);
        format!("Nothing to decide: the first impression of each of {spent} was set aside or of one ranker.\n")
    } else {
        format!("Nothing to decide: all {} are bots by the rules of --bots.\n", plural(unit))
    })
}

/// The assumption about pairs, unless a warning states it.
fn how_pairs_were_chosen(summary: &Value) -> String {
    let how = match summary["pairs"].as_str() {
        Some("chance") => "never by outcomes",
        Some("kept") => "by outcomes, but each unit kept its first pair",
        Some("steered") => return String::new(),
        _ => {
            return "How pairs were chosen is not known: an earlier build credited this log. If outcomes chose them, credit it \
                    again.\n"
                .to_owned();
        }
    };
    let by = match summary["pairs_said_by"].as_str() {
        Some("settings") => "--pairs says",
        Some("log") => "the log says",
        _ => "all impressions mix the same rankers",
    };
    format!("Pairs were chosen {how} ({by}).\n")
}

pub(crate) fn is_synthetic(summary: &Value) -> bool {
    summary["synthetic"] == true
}

/// The verdicts in words, and facts about the log behind them, from its summary. A change of the experiment comes
/// first.
#[must_use]
pub fn verdict_text(verdicts: &Verdicts, summary: &Value) -> String {
    let mut text = verdicts.change().map_or_else(String::new, |change| format!("{change}\n\n"));
    let count_unit = verdicts.latest().count_unit;
    warnings_before_verdict(verdicts, summary).iter().for_each(|warning| text += &format!("{warning}\n\n"));
    let credited_count = summary["fates"]["impressions"]["credited"].as_u64().unwrap_or(0);
    if let [VersionVerdict { decision, .. }] = verdicts.versions.as_slice() {
        match (decision.days, no_outcome_reason(summary)) {
            (None, Some(why)) => text += &why,
            _ => text += &report(decision, summary["unit"].as_str()),
        }
    } else {
        for version in &verdicts.versions {
            text += &format!("{}:\n{}", version.title(), report(&version.decision, summary["unit"].as_str()));
            if credited_count > 0 {
                text += &how_pairs_were_chosen(&summary_of_version(summary, version.name.as_deref()));
            }
            if count_unit == CountUnit::Units {
                text += &impression_warnings(&version.decision);
            }
            text.push('\n');
        }
    }
    text += &fates_text(verdicts, summary);
    text += &format!("What now: {}\n", outlook(verdicts, summary).advice.sentence);
    if is_synthetic(summary) {
        text += SYNTHETIC;
        text.push('\n');
    }
    text
}

/// The fates of the lines of a log, from its summary.
fn fates_text(verdicts: &Verdicts, summary: &Value) -> String {
    let fates = &summary["fates"]["impressions"];
    let (Some(lines), Some(credited_count)) = (summary["lines"]["impressions"].as_u64(), fates["credited"].as_u64())
    else {
        return String::new();
    };
    if lines == 0 {
        return String::new();
    }
    let percent = |count: u64| format!("{:.1}%", 100.0 * count as f64 / lines as f64);
    let mut reasons: Vec<(&String, u64)> = fates
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| !matches!(name.as_str(), "credited" | "after-closing"))
        .filter_map(|(name, count)| Some((name, count.as_u64().filter(|count| *count > 0)?)))
        .collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let reasons: Vec<String> = reasons.into_iter().map(|(name, count)| format!("{name} {}", percent(count))).collect();
    let why = if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join(", ")) };
    let mut text =
        format!("{} of impressions, {} set aside{why}.\n", with_unit(lines, "line"), percent(lines - credited_count));
    let later = fates["after-closing"].as_u64().filter(|later| *later > 0 && credited_count > 0);
    let is_one = verdicts.versions.len() == 1;
    if let (CountUnit::Units, Some(later)) = (verdicts.latest().count_unit, later) {
        let (unit, days) = (summary["unit"].as_str().unwrap_or("unit"), summary["unit_days"].as_u64().unwrap_or(1));
        let share = 100.0 * later as f64 / credited_count as f64;
        // Versions may differ in how their pairs were chosen.
        if is_one && summary["pairs"] == "steered" {
            text += &format!(
                "{share:.1}% of the impressions that count came after the first of their {unit}, which is all that a {unit} counts with.\n"
            );
        } else if !is_one && summary["pairs"] == "steered" {
            text += &format!("{share:.1}% of the impressions that count came when their {unit} had closed.\n");
        } else {
            let first = if days == 1 { "the first day".to_owned() } else { format!("the first {days} days") };
            text += &format!(
                "{share:.1}% of the impressions that count came after {first} of their {unit}, which is what each {unit} counts with \
                 (--unit-days of `credit`).\n"
            );
            if is_one {
                text += &impression_warnings(verdicts.latest());
            }
        }
    }
    if credited_count > 0 && is_one {
        text += &how_pairs_were_chosen(summary);
    }
    if let Some(checked) = integrity(summary) {
        text += &format!("{}\n", checked.tested);
    }
    text
}
