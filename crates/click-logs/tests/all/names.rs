//! Every name that the README gives for a field is read in every format, with the same result.

use click_logs::join::{CreditedLog, ImpressionFate};
use click_logs::model::{LogEnd, Settings, UnitKind};
use serde_json::{Value, json};

use crate::common::{Log, assert_same};

/// The names of fields of impressions, as paths; those in one row are synonyms.
const IMPRESSIONS: &[(&str, &[&str])] = &[
    ("impression", &["query_id", "ext.ubi.query_id", "ubi.query_id"]),
    ("time", &["timestamp"]),
    ("user", &["user_id", "client_id", "query_attributes.user_id"]),
    ("session", &["session_id", "query_attributes.session_id"]),
    ("agent", &["query_attributes.agent"]),
    ("pairs", &["query_attributes.pairs"]),
    ("experiment", &["query_attributes.experiment"]),
    ("version", &["query_attributes.version"]),
    ("mixed", &["query_attributes.mixed"]),
    ("pinned", &["query_attributes.pinned"]),
    ("paged", &["query_attributes.paged"]),
    ("shown", &["query_response_hit_ids", "query_response_object_ids", "query_response_objects_ids"]),
    (
        "teams",
        &["query_attributes.teams", "response.hits.hits", "response.response.docs", "response.docs", "hits.hits"],
    ),
    ("rankers", &["query_attributes.rankers"]),
    ("receipt", &["query_attributes.receipt"]),
];

/// The same for clicks.
const CLICKS: &[(&str, &[&str])] = &[
    ("impression", &["query_id", "ext.ubi.query_id"]),
    ("document", &["event_attributes.object.object_id", "object_id"]),
    ("time", &["timestamp"]),
    ("dwell", &["event_attributes.dwell_time", "event_attributes.dwell"]),
];

/// A receipt of team draft for two documents: the first is of the first list.
fn receipt() -> Value {
    json!(crate::common::team_draft(&[0, 1]))
}

/// Impressions and clicks, with our own names. Users are known by their sessions as well, and one is a bot by its agent.
fn rows(mixed_by: &str) -> [Vec<Value>; 2] {
    let impression = |number: u32| {
        let mut row = json!({
            "impression": format!("i{number}"),
            "time": "2026-11-22T15:04:05Z",
            "user": format!("u{}", number / 2),
            "session": format!("s{}", number / 3),
            "agent": if number == 7 { "Crawler/1" } else { "Browser/1; X" },
            "pairs": "kept",
            "experiment": "search",
            "version": if number < 6 { "1" } else { "2" },
            "shown": if number == 4 { json!(["ad", "a", "b"]) } else { json!(["a", "b"]) },
            "mixed": ["a", "b"],
            "pinned": if number == 4 { json!(["ad"]) } else { json!([]) },
            "paged": if number % 4 == 1 { json!(1) } else { Value::Null },
            "rankers": ["A", "B"],
        });
        if mixed_by == "receipt" {
            row["receipt"] = receipt();
        } else {
            row["teams"] = if number == 5 { json!(["B", null]) } else { json!(["A", "B"]) };
        }
        row
    };
    let click = |number: u32| {
        json!({
            "impression": format!("i{number}"),
            "document": if number.is_multiple_of(3) { "a" } else { "b" },
            "time": "2026-11-22T15:04:45Z",
            "dwell": 10 + number,
        })
    };
    [(0..12).map(impression).collect(), (0..11).map(click).collect()]
}

/// The value of a field under this name: owners are in a response there.
fn under(name: &str, row: &Value, value: Value) -> Value {
    let (id, owner) = match name {
        "response.hits.hits" | "hits.hits" => ("_id", "_search_configuration"),
        "response.response.docs" | "response.docs" => ("id", "[interleaving]"),
        _ => return value,
    };
    // In another order than it was shown in.
    let hits = (0..2).rev().map(|at| json!({id: row["mixed"][at], owner: value[at]}));
    hits.collect()
}

/// The same rows with another name for a field, nested.
fn renamed(rows: &[Value], own: &str, name: &str) -> Vec<Value> {
    let renamed = |row: &Value| {
        let mut row = row.clone();
        let Some(value) = row.as_object_mut().unwrap().remove(own) else { return row };
        let value = under(name, &row, value);
        let mut place = &mut row;
        for part in name.split('.') {
            place = &mut place[part];
        }
        *place = value;
        row
    };
    rows.iter().map(renamed).collect()
}

/// Makes a path of the name of each field: keys with dots.
fn flat(row: &Value) -> Value {
    fn add(path: &str, value: &Value, to: &mut Value) {
        match value {
            // An object with the key `method` is a receipt.
            Value::Object(inner) if !inner.contains_key("method") => {
                for (key, value) in inner {
                    let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                    add(&path, value, to);
                }
            }
            value => to[path] = value.clone(),
        }
    }
    let mut found = json!({});
    add("", row, &mut found);
    found
}

fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

/// Objects as text of JSON.
fn with_texts(row: &Value) -> Value {
    let text = |value: &Value| match value {
        Value::Object(_) => Value::String(value.to_string()),
        value => value.clone(),
    };
    row.as_object()
        .unwrap()
        .iter()
        .map(|(key, value)| (key.clone(), text(value)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// A table of CSV: lists are separated by spaces if `spaces` is set, otherwise JSON.
fn table(rows: &[Value], spaces: bool) -> String {
    let names: Vec<String> = rows[0].as_object().unwrap().keys().cloned().collect();
    let field = |value: &Value| {
        let text = match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            Value::Array(list) if spaces && !list.iter().any(Value::is_object) => {
                list.iter().map(|entry| entry.as_str().unwrap_or("-")).collect::<Vec<_>>().join(" ")
            }
            value => value.to_string(),
        };
        format!("\"{}\"", text.replace('"', "\"\""))
    };
    let line = |row: &Value| names.iter().map(|name| field(&row[name])).collect::<Vec<_>>().join(",") + "\n";
    names.join(",") + "\n" + &rows.iter().map(line).collect::<String>()
}

fn settings(unit: UnitKind) -> Settings {
    let mut settings = Settings { complete: LogEnd::Final, unit, dwell: Some(13_000), ..Settings::default() };
    settings.bots.agents = vec!["crawler".to_owned()];
    settings
}

fn credited(impressions: &str, clicks: &str, unit: UnitKind) -> CreditedLog {
    let log = Log::of(&[impressions.as_bytes()], &[clicks.as_bytes()]);
    log.credit(&settings(unit)).unwrap_or_else(|error| panic!("{error}\n{impressions}{clicks}"))
}

#[test]
fn every_name_is_read_in_every_format() {
    let mut compared = 0;
    for mixed_by in ["teams", "receipt"] {
        let [impressions, clicks] = rows(mixed_by);
        for unit in [UnitKind::User, UnitKind::Session] {
            let expected = credited(&lines(&impressions), &lines(&clicks), unit);
            assert!(expected.tally.of_impressions(ImpressionFate::Bot) > 0 && expected.versions.len() == 2);
            assert_eq!(expected.tally.with_pinned, 1);
            let names = IMPRESSIONS.iter().map(|names| (true, names)).chain(CLICKS.iter().map(|names| (false, names)));
            for (is_impression, (own, names)) in names {
                for name in *names {
                    let rows = if is_impression { &impressions } else { &clicks };
                    let nested = renamed(rows, own, name);
                    let each = |change: fn(&Value) -> Value| nested.iter().map(change).collect::<Vec<_>>();
                    for (form, text) in [
                        ("nested", lines(&nested)),
                        ("flat", lines(&each(flat))),
                        ("text", lines(&each(with_texts))),
                        ("flat table", table(&each(flat), true)),
                        ("flat table of JSON", table(&each(flat), false)),
                        ("table of JSON", table(&nested, false)),
                        (
                            "exported",
                            nested.iter().map(|row| format!("{{\"_id\":\"1\",\"_source\":{row}}}\n")).collect(),
                        ),
                    ] {
                        let found = if is_impression {
                            credited(&text, &lines(&clicks), unit)
                        } else {
                            credited(&lines(&impressions), &text, unit)
                        };
                        assert_same(&found, &expected, &format!("{name}, {form}, {mixed_by}:\n{text}"));
                        compared += 1;
                    }
                }
            }
        }
    }
    assert_eq!(compared, 2 * 2 * 7 * 33);
}

#[test]
fn names_for_the_same_field_agree_or_are_refused() {
    let [impressions, clicks] = rows("teams");
    let expected = credited(&lines(&impressions), &lines(&clicks), UnitKind::User);
    for (is_impression, own, name, other) in [
        (true, "impression", "query_id", json!("x")),
        (true, "time", "timestamp", json!("2026-11-22T15:04:06Z")),
        (true, "user", "user_id", json!("x")),
        (true, "shown", "query_response_hit_ids", json!(["b", "a"])),
        (true, "teams", "query_attributes.teams", json!(["B", "A"])),
        (true, "rankers", "query_attributes.rankers", json!(["B", "A"])),
        (true, "agent", "query_attributes.agent", json!("x")),
        (true, "pairs", "query_attributes.pairs", json!("chance")),
        (true, "experiment", "query_attributes.experiment", json!("shop")),
        (true, "version", "query_attributes.version", json!("3")),
        (true, "mixed", "query_attributes.mixed", json!(["b", "a"])),
        (true, "pinned", "query_attributes.pinned", json!(["b"])),
        (true, "paged", "query_attributes.paged", json!(2)),
        (false, "impression", "query_id", json!("x")),
        (false, "document", "event_attributes.object.object_id", json!("x")),
        (false, "time", "timestamp", json!(1_795_000_001)),
        (false, "dwell", "event_attributes.dwell_time", json!(1)),
    ] {
        let rows = if is_impression { &impressions } else { &clicks };
        let both = |value: Option<&Value>| -> Vec<Value> {
            let both = |row: &Value| {
                let mut row = row.clone();
                row[name] = value.unwrap_or(&row[own]).clone();
                row
            };
            rows.iter().map(both).collect()
        };
        for (same, differs) in [
            (lines(&both(None)), lines(&both(Some(&other)))),
            (table(&both(None), true), table(&both(Some(&other)), true)),
        ] {
            let log = |text: &str| {
                let (first, second) = (lines(&impressions), lines(&clicks));
                if is_impression {
                    Log::of(&[text.as_bytes()], &[second.as_bytes()])
                } else {
                    Log::of(&[first.as_bytes()], &[text.as_bytes()])
                }
            };
            assert_same(&log(&same).credit(&settings(UnitKind::User)).unwrap(), &expected, name);
            let error = log(&differs).credit(&settings(UnitKind::User)).expect_err(name).to_string();
            let at = |name: &str| error.contains(&format!("`{name}`"));
            assert!(at(own) && at(name) && error.contains("leave one of them out"), "{error}");
        }
    }
    // The client counts if no user is named.
    let both: Vec<Value> = impressions
        .iter()
        .map(|row| {
            let mut row = row.clone();
            row["client_id"] = json!("device");
            row
        })
        .collect();
    assert_same(&credited(&lines(&both), &lines(&clicks), UnitKind::User), &expected, "client_id");
}
