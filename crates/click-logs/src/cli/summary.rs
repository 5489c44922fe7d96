//! The summary of `click-logs credit`: in summary.json, and on the terminal.

use std::path::Path;

use output::numbers::{with_separators, with_unit};
use output::text_table::{Align, TextTable};
use serde_json::{Value, json};
use statistics::Counts;
use times;
use verdicts::outcomes::Outcomes;
use verdicts::{PairChoice, UNNAMED_VERSION, Version};

use crate::join::CreditedLog;
use crate::model::Settings;
use crate::outcomes::{conversion_summary, fates, warnings};

/// The contents of summary.json.
#[must_use]
pub fn summary(credited_log: &CreditedLog, settings: &Settings) -> Value {
    let tally = &credited_log.tally;
    let mut counts = json!({});
    for (what, fate, count, _) in fates(credited_log) {
        counts[format!("{what}s")][fate] = count.into();
    }
    let [impressions, clicks] = tally.lines();
    let mut summary = json!({
        "synthetic": credited_log.is_synthetic,
        "unit": settings.unit.name(),
        "unit_days": settings.unit_days,
        "pairs": credited_log.choice.name(),
        "pairs_said_by": credited_log.said_by.name(),
        "pairs_by_log": credited_log.declared.map(PairChoice::name),
        "rankers": credited_log.rankers,
        "last_closed_day": credited_log.last_closed_day.map(times::date),
        "first_impression": credited_log.times.map(|(first, _)| times::text(first)),
        "last_impression": credited_log.times.map(|(_, last)| times::text(last)),
        "lines": {"impressions": impressions, "clicks": clicks},
        "fates": counts,
        "other_actions": credited_log.other_actions,
        "most_clicks_in_one_window": tally.busiest,
        "units_with_several_pairs": tally.unkept,
        "impressions_with_pinned_places": tally.with_pinned,
        "impressions_with_documents_left_out": tally.with_left_out,
    });
    if credited_log.versions.iter().any(|version| version.name.is_some()) {
        let version_summary = |version: &Version| {
            json!({
                "version": version.name,
                "pairs": version.choice.name(),
                "pairs_said_by": version.said_by.name(),
                "pairs_by_log": version.declared.map(PairChoice::name),
            })
        };
        summary["versions"] = credited_log.versions.iter().map(version_summary).collect();
    }
    if !credited_log.never_met.is_empty() {
        summary["rankers_never_met"] = credited_log.never_met.clone().into();
    }
    if tally.optimized > 0 {
        summary["impressions_by_optimized"] = tally.optimized.into();
    }
    if settings.dwell.is_some() {
        summary["clicks_without_dwell"] = tally.without_dwell.into();
    }
    if let Some(conversions) = &credited_log.conversions {
        summary["conversions"] = conversion_summary(conversions);
        summary["lines"]["conversions"] = conversions.fates.len().into();
    }
    summary["integrity"] = json!(credited_log.integrity(settings));
    summary["warnings"] = warnings(&summary).into();
    summary
}

/// The text that `credit` prints.
pub(super) fn report(
    credited_log: &CreditedLog,
    settings: &Settings,
    outcomes: &Outcomes,
    warnings: &[String],
    path: &Path,
) -> String {
    let mut text: String = warnings.iter().map(|warning| format!("{warning}\n\n")).collect();
    if credited_log.is_synthetic {
        text += crate::verdict::SYNTHETIC;
        text += "\n\n";
    }
    let mut table = TextTable::new([
        ("what", Align::Left),
        ("lines", Align::Right),
        ("share", Align::Right),
        ("fate", Align::Left),
        ("which", Align::Left),
    ]);
    let [impressions, clicks] = credited_log.tally.lines();
    for (line_kind, fate, count, meaning) in fates(credited_log) {
        let total = match line_kind {
            "impression" => impressions,
            "click" => clicks,
            "conversion" => credited_log.conversions.as_ref().map_or(0, |conversions| conversions.fates.len() as u64),
            _ => 0,
        };
        if count > 0 {
            let share = if total == 0 { String::new() } else { format!("{:.1}%", 100.0 * count as f64 / total as f64) };
            let line_kind = if line_kind == "unit" { settings.unit.name() } else { line_kind };
            table.row([line_kind.to_owned(), with_separators(count), share, fate.to_owned(), meaning.to_owned()]);
        }
    }
    text += &table.to_string();
    text += "\n\n";
    let oddities = [
        (
            credited_log.tally.with_pinned,
            ["shows", "show"],
            "documents that were not mixed or were pinned: these places are nobody's.",
        ),
        (
            credited_log.tally.with_left_out,
            ["leaves", "leave"],
            "out documents that were mixed above others: these were taken out before credit.",
        ),
    ];
    for (count, [one, many], rest_of_sentence) in oddities.into_iter().filter(|(count, ..)| *count > 0) {
        let does = if count == 1 { one } else { many };
        text += &format!("{} {does} {rest_of_sentence}\n", with_unit(count, "impression"));
    }
    if oddities.iter().any(|(count, ..)| *count > 0) {
        text.push('\n');
    }
    let are_named = outcomes.are_named();
    let columns = [
        ("version", Align::Left),
        ("first", Align::Left),
        ("second", Align::Left),
        ("units won", Align::Right),
        ("lost", Align::Right),
        ("tied", Align::Right),
        ("impressions won", Align::Right),
        ("lost", Align::Right),
        ("tied", Align::Right),
    ];
    let mut table = TextTable::new(columns.into_iter().skip(usize::from(!are_named)));
    let mut keys: Vec<(usize, (usize, usize))> = outcomes.days.iter().map(|day| (day.version, day.pair)).collect();
    keys.sort_unstable();
    keys.dedup();
    for (version, pair) in keys {
        let (mut units, mut impressions_counted) = (Counts::default(), Counts::default());
        for day in outcomes.days.iter().filter(|day| (day.version, day.pair) == (version, pair)) {
            units += day.counts.units;
            impressions_counted += day.counts.impressions;
        }
        let version = outcomes.versions.get(version).and_then(Clone::clone);
        let version = are_named.then(|| version.unwrap_or_else(|| UNNAMED_VERSION.to_owned()));
        let names = [pair.0, pair.1].map(|place| outcomes.rankers[place].clone());
        let counts = [units, impressions_counted].map(|counts| [counts.wins, counts.losses, counts.ties]).concat();
        table.row(version.into_iter().chain(names).chain(counts.into_iter().map(with_separators)));
    }
    text += &table.to_string();
    let path = path.display();
    text + &format!("\n\nResults are in {path}. Who won: click-logs decide {path}\n")
}
