//! Warnings that make a verdict meaningless: clicks that do not count, impressions that are all set aside, pairs that were
//! steered. They are printed first, because readers believe "all users tied".

use serde_json::Value;
use verdicts::integrity::{Fault, IntegrityReport};

/// Warnings to print first for a log with this summary (`summary.json`); none for a healthy log.
#[must_use]
pub fn warnings(summary: &Value) -> Vec<String> {
    let of_pairs =
        |summary: &Value| [steered_warning(summary), mistaken(summary)].into_iter().flatten().collect::<Vec<_>>();
    let pairs = match summary["versions"].as_array() {
        Some(versions) if versions.len() > 1 => {
            let version_warning = |version: &Value| {
                let name = version["version"].as_str().unwrap_or(verdicts::UNNAMED_VERSION).to_owned();
                let found = of_pairs(&summary_of_version(summary, version["version"].as_str()));
                found.into_iter().map(move |warning| format!("{name}: {warning}"))
            };
            versions.iter().flat_map(version_warning).collect()
        }
        _ => of_pairs(summary),
    };
    let further_warnings = [names(summary), optimized_warning(summary), left_out(summary), behind(summary)];
    let faults =
        integrity(summary).unwrap_or_default().faults.into_iter().map(|Fault { version, sentence, .. }| {
            version.map_or_else(|| sentence.clone(), |version| format!("{version}: {sentence}"))
        });
    let unreadable = (!summary["integrity"].is_null() && integrity(summary).is_none()).then(|| {
        "What the check of pages found cannot be read: another version of click-logs wrote it. Credit the log again.".to_owned()
    });
    no_counts_warning(summary)
        .into_iter()
        .chain(unreadable)
        .chain(faults)
        .chain(pairs)
        .chain(further_warnings.into_iter().flatten())
        .chain(super::conversions::warnings(summary))
        .collect()
}

/// The result of the check of pages; `None` if the summary has none.
#[must_use]
pub fn integrity(summary: &Value) -> Option<IntegrityReport> {
    serde_json::from_value(summary["integrity"].clone()).ok()
}

/// How the pairs of one version of the experiment were chosen, from a summary.
#[must_use]
pub fn summary_of_version(summary: &Value, name: Option<&str>) -> Value {
    let mut version_summary = summary.clone();
    let versions = summary["versions"].as_array().into_iter().flatten();
    if let Some(version) = { versions }.find(|version| version["version"].as_str() == name) {
        for field in ["pairs", "pairs_said_by", "pairs_by_log"] {
            version_summary[field] = version[field].clone();
        }
    }
    version_summary
}

/// A warning if no impression or no click counts, or fewer than half of those that should.
#[must_use]
pub fn no_counts_warning(summary: &Value) -> Vec<String> {
    [impressions(summary), clicks(summary)].into_iter().flatten().collect()
}

/// Counts of fates.
struct Fates<'a>(&'a Value);

impl Fates<'_> {
    fn of(&self, name: &str) -> u64 {
        self.0[name].as_u64().unwrap_or(0)
    }

    /// The largest of some fates.
    fn largest(&self, names: &[&'static str]) -> Option<(&'static str, u64)> {
        let counts = names.iter().map(|name| (*name, self.of(name))).filter(|(_, count)| *count > 0);
        // Of several largest, the first.
        counts.rev().max_by_key(|(_, count)| *count)
    }
}

/// If no impression counts.
fn impressions(summary: &Value) -> Option<String> {
    let fates = Fates(&summary["fates"]["impressions"]);
    let lines = summary["lines"]["impressions"].as_u64().filter(|lines| *lines > 0)?;
    let credited_count = fates.of("credited");
    // Open impressions, which count once the log continues, and lists outside the test may be many, so they are not
    // listed here.
    let mut wrong = vec!["conflict", "no-unit", "bot", "malformed"];
    // A policy that steers pairs may show one ranker alone for good.
    if summary["pairs"] != "steered" {
        wrong.push("one-team");
    }
    let should = credited_count + wrong.iter().map(|fate| fates.of(fate)).sum::<u64>();
    let (reason, count) = match credited_count {
        0 => fates.largest(&["conflict", "open", "not-mixed", "one-team", "no-unit", "bot", "malformed"])?,
        _ if 2 * credited_count < should => fates.largest(&wrong)?,
        _ => return None,
    };
    let why = match reason {
        "conflict" => {
            "are logged again under their id with another list; give each list, and each page, an id of its own"
        }
        "open" => {
            "are so recent that clicks may still come (--window); credit a longer log, or say --final if nothing will be added"
        }
        "not-mixed" => "have no teams and no receipt; log how their lists were mixed",
        "one-team" => {
            "have one team or no document at all, so that nobody can say which rankers met; log `rankers` with each list, or \
             pass --rankers"
        }
        "no-unit" => "have no user or session; choose another --unit",
        "bot" => "are of bots by the rules of --bots; check these",
        _ => "cannot be read; credit again without --malformed set-aside to see why",
    };
    Some(if credited_count == 0 {
        format!("No impression counts: {} {why}.", share_text(count, lines, "lines of impressions"))
    } else {
        use output::numbers::{with_separators, with_unit};
        let [credited_count, count] = [credited_count, count].map(with_separators);
        format!("Only {credited_count} of {} count: {count} {why}.", with_unit(should, "impression"))
    })
}

/// If no click counts, or too few of those that should.
fn clicks(summary: &Value) -> Option<String> {
    let fates = Fates(&summary["fates"]["clicks"]);
    let lines = summary["lines"]["clicks"].as_u64()?;
    if Fates(&summary["fates"]["impressions"]).of("credited") == 0 {
        // That warning then explains it.
        return None;
    }
    if lines == 0 {
        return Some("No click counts: the files of clicks have no lines.".to_owned());
    }
    let counted_clicks = fates.of("credited") + fates.of("repeated");
    // Clicks of these fates name a document that their impression showed, or may do so.
    const UNCOUNTED_FATES: [&str; 4] = ["late", "early", "unsatisfied", "bot"];
    let should = counted_clicks + UNCOUNTED_FATES.iter().map(|fate| fates.of(fate)).sum::<u64>();
    let reason = if counted_clicks == 0 {
        let other_fates = fates.largest(&[
            "late",
            "early",
            "unknown",
            "not-shown",
            "unsatisfied",
            "of-set-aside",
            "bot",
            "malformed",
        ]);
        other_fates.or_else(|| fates.largest(&["other-action"]))
    } else if 2 * counted_clicks < should {
        fates.largest(&UNCOUNTED_FATES)
    } else {
        None
    };
    let (reason, count) = reason?;
    let why = match reason {
        "late" => {
            "come after the window of their impression; compare the clocks and zones of both files (--timezone), or allow more \
             time (--window)"
                .to_owned()
        }
        "early" => {
            "come before their impression; compare the clocks and zones of both files (--timezone), or allow more (--skew)"
                .to_owned()
        }
        "unknown" => {
            "name an impression that is not in the log, or none; compare how both files write ids, e.g. `1` and `1.0`".to_owned()
        }
        "not-shown" => "name a document that was not in the list of their impression, or none; compare how both files write documents, \
                        e.g. prefixes, or Unicode in its forms NFC and NFD"
            .to_owned(),
        "unsatisfied" => "have no dwell time as long as --dwell asks for".to_owned(),
        "of-set-aside" => {
            let fates = Fates(&summary["fates"]["impressions"]);
            let most = fates.largest(&["conflict", "open", "not-mixed", "one-team", "no-unit", "bot", "malformed"]);
            let most = most.map_or_else(String::new, |(fate, _)| format!(" (most are `{fate}`)"));
            format!("are on impressions that do not count{most}")
        }
        "bot" => "are of bots by the rules of --bots; check these".to_owned(),
        "other-action" => {
            let names: Vec<String> =
                summary["other_actions"].as_array().into_iter().flatten().filter_map(Value::as_str).map(quote).collect();
            let found = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
            format!("have another action{found} than those that are clicks; name these with --actions")
        }
        _ => "cannot be read; credit again without --malformed set-aside to see why".to_owned(),
    };
    let of = |all: u64| share_text(count, all, "lines of clicks");
    Some(if counted_clicks == 0 {
        format!("No click counts: {} {why}.", of(lines))
    } else {
        format!(
            "Only {} of {} clicks on documents that were shown count: {} {why}.",
            output::numbers::with_separators(counted_clicks),
            output::numbers::with_separators(should),
            output::numbers::with_separators(count)
        )
    })
}

/// A warning if verdicts rest on an assumption that cannot be checked.
fn steered_warning(summary: &Value) -> Option<String> {
    if summary["pairs"] != "steered" {
        return None;
    }
    let guessed = if summary["pairs_said_by"] == "rankers" {
        "Impressions mix different rankers and do not say how these were chosen, so that outcomes may have chosen them \
         (--pairs chance, if never). "
    } else {
        ""
    };
    let unit = summary["unit"].as_str().unwrap_or("unit");
    let session = if unit == "session" {
        " Sessions of one user are not independent here: what a user does in one session chooses the pair of the next. Prefer \
         --unit user."
    } else {
        ""
    };
    Some(format!(
        "{guessed}Pairs were steered by outcomes: of each {unit}, only the very first impression counts for verdicts. They hold if \
         the log begins where the steering began.{session}"
    ))
}

/// A warning if pairs were not chosen as the settings or the log declare.
fn mistaken(summary: &Value) -> Option<String> {
    let unit = summary["unit"].as_str().unwrap_or("unit");
    let several = summary["units_with_several_pairs"].as_u64().filter(|count| *count > 0);
    let choice_by_log = (summary["pairs_said_by"] == "settings").then(|| summary["pairs_by_log"].as_str()).flatten();
    match (summary["pairs"].as_str(), several, choice_by_log) {
        (Some("kept"), Some(several), _) => Some(format!(
            "{} met more than one pair, although each should have kept its first: verdicts do not hold their level. Credit \
             with --pairs steered.",
            output::numbers::with_unit(several, unit)
        )),
        (Some("chance" | "kept"), _, Some("steered")) | (Some("chance"), _, Some("kept")) => Some(format!(
            "The log says that pairs were `{}`, --pairs says `{}`: if the log is right, verdicts do not hold their level.",
            choice_by_log.unwrap_or_default(),
            summary["pairs"].as_str().unwrap_or_default()
        )),
        _ => None,
    }
}

/// If one ranker seems to have several names: each would have some of its outcomes, and the log would mix different rankers.
fn names(summary: &Value) -> Option<String> {
    let rankers = summary["rankers"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let groups = letor_io::nearly_equal(rankers);
    let listed = |group: &Vec<&str>| group.iter().map(|name| quote(name)).collect::<Vec<_>>().join(" and ");
    (!groups.is_empty()).then(|| {
        let all = groups.iter().map(listed).collect::<Vec<_>>().join(", ");
        format!("{all} count as different rankers: if they are one, log it by one name and credit again.")
    })
}

/// A warning if lists were mixed by a method that does not balance what verdicts count.
fn optimized_warning(summary: &Value) -> Option<String> {
    let count = summary["impressions_by_optimized"].as_u64().filter(|count| *count > 0)?;
    let credited = Fates(&summary["fates"]["impressions"]).of("credited");
    Some(format!(
        "{} were mixed by `optimized`: random clicks favour no ranker there in mean credit, but can favour one in who wins, which verdicts \
         count. Do not decide by them; mix by team-draft or probabilistic.",
        share_text(count, credited, "impressions that count")
    ))
}

/// A warning if many pages left out mixed documents, which by itself can make a ranker win (the table in
/// `interleave::page`).
fn left_out(summary: &Value) -> Option<String> {
    const MIN_REPORTED: u64 = 10;
    let credited = Fates(&summary["fates"]["impressions"]).of("credited");
    let count =
        summary["impressions_with_documents_left_out"].as_u64().filter(|count| MIN_REPORTED * count >= credited)?;
    let share = (count > 0).then(|| share_text(count, credited, "impressions that count"))?;
    Some(format!(
        "Documents were left out after mixing in {share}: who ranked them high has fewer places left, and can lose by that alone. \
         Filter both lists before they are mixed."
    ))
}

/// If lines of a log that grows came later than its horizon.
fn behind(summary: &Value) -> Option<String> {
    let of = |what: &str| Fates(&summary["fates"][what]).of("behind");
    let count = of("impressions") + of("clicks");
    let lines = output::numbers::with_unit(count, "line");
    (count > 0).then(|| {
        format!(
            "{lines} came later than the horizon and do not count: the days that they are of are over. Crediting all files together \
             would count them; if many come, begin again with a longer --horizon."
        )
    })
}

fn share_text(count: u64, all: u64, what: &str) -> String {
    use output::numbers::with_separators;
    if count == all {
        format!("all {} {what}", with_separators(all))
    } else {
        format!("{} of {} {what}", with_separators(count), with_separators(all))
    }
}

fn quote(text: &str) -> String {
    ranktypes::text::excerpt(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn summary(clicks: &Value) -> Value {
        let lines: u64 = clicks.as_object().unwrap().values().filter_map(Value::as_u64).sum();
        json!({
            "lines": {"impressions": 50, "clicks": lines},
            "fates": {"impressions": {"credited": 50}, "clicks": clicks},
            "other_actions": ["Click", "view"],
        })
    }

    #[test]
    fn the_reason_is_named_first() {
        for (clicks, expected) in [
            (
                json!({"other-action": 40}),
                "No click counts: all 40 lines of clicks have another action (`Click`, `view`)",
            ),
            (json!({"late": 40}), "No click counts: all 40 lines of clicks come after the window"),
            (json!({"early": 40}), "No click counts: all 40 lines of clicks come before"),
            (json!({"unknown": 40}), "No click counts: all 40 lines of clicks name an impression"),
            (json!({"not-shown": 40}), "No click counts: all 40 lines of clicks name a document"),
            (json!({"unsatisfied": 40}), "No click counts: all 40 lines of clicks have no dwell time"),
            (json!({"of-set-aside": 40}), "No click counts: all 40 lines of clicks are on impressions"),
            (json!({"bot": 40}), "No click counts: all 40 lines of clicks are of bots"),
            (json!({"malformed": 40}), "No click counts: all 40 lines of clicks cannot be read"),
            // Other actions are the reason only if there is no click at all.
            (json!({"other-action": 4_000, "late": 3}), "No click counts: 3 of 4,003 lines of clicks come after"),
            (
                json!({"late": 30, "credited": 20}),
                "Only 20 of 50 clicks on documents that were shown count: 30 come after",
            ),
            (json!({}), "No click counts: the files of clicks have no lines."),
        ] {
            let found = warnings(&summary(&clicks));
            assert!(found.len() == 1 && found[0].starts_with(expected), "{clicks}: {found:?}");
        }
    }

    #[test]
    fn pages_that_leave_out_much_are_named() {
        let mut summary = summary(&json!({"credited": 40}));
        for (count, is_named) in [(0, false), (4, false), (5, true), (50, true)] {
            summary["impressions_with_documents_left_out"] = json!(count);
            let found = warnings(&summary);
            assert_eq!(found.len(), usize::from(is_named), "{count}: {found:?}");
            assert!(found.iter().all(|text| text.starts_with("Documents were left out after mixing in ")), "{found:?}");
        }
    }

    #[test]
    fn one_ranker_by_several_names_is_named() {
        let mut summary = summary(&json!({"credited": 40}));
        summary["rankers"] = json!(["A", "B", "b "]);
        let expected = "`B` and `b ` count as different rankers: if they are one, log it by one name and credit again.";
        assert_eq!(warnings(&summary), [expected]);
        summary["rankers"] = json!(["A", "B", "B2"]);
        assert!(warnings(&summary).is_empty());
    }

    #[test]
    fn healthy_logs_are_silent() {
        for clicks in [
            json!({"credited": 40}),
            json!({"credited": 40, "other-action": 4_000}),
            json!({"credited": 4, "not-shown": 400, "unknown": 900, "of-set-aside": 5_000}),
            json!({"credited": 2, "repeated": 30, "late": 30}),
            json!({"credited": 20, "late": 5, "early": 5, "bot": 10}),
        ] {
            assert!(warnings(&summary(&clicks)).is_empty(), "{clicks}");
        }
        assert!(warnings(&Value::Null).is_empty());
        let mut kept = summary(&json!({"credited": 40}));
        (kept["pairs"], kept["units_with_several_pairs"]) = ("kept".into(), 3.into());
        assert!(warnings(&kept)[0].starts_with("3 units met more than one pair"), "{kept}");
        (kept["pairs"], kept["pairs_said_by"], kept["pairs_by_log"]) =
            ("chance".into(), "settings".into(), "steered".into());
        assert!(
            warnings(&kept)[0].starts_with("The log says that pairs were `steered`, --pairs says `chance`"),
            "{kept}"
        );
    }

    #[test]
    fn impressions_that_are_all_set_aside_come_first() {
        let fates = json!({"impressions": {"conflict": 30, "duplicate": 2}, "clicks": {"of-set-aside": 4}});
        let found = warnings(&json!({"lines": {"impressions": 32, "clicks": 4}, "fates": fates}));
        assert!(found.len() == 1 && found[0].starts_with("No impression counts: 30 of 32 lines"), "{found:?}");
    }
}
