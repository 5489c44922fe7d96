//! JSON and TOML: values by their path.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use serde_json::Value;

use super::report::Report;
use super::{IGNORED, PROSE};

pub(super) fn compare_json([old, new]: [&[u8]; 2], report: &mut Report) -> Result<()> {
    // One value, or several below each other.
    let parse =
        |bytes: &[u8]| serde_json::Deserializer::from_slice(bytes).into_iter().collect::<Result<Vec<Value>, _>>();
    let [old, new] = [parse(old).context("OLD")?, parse(new).context("NEW")?];
    compare([old, new].map(single), report);
    Ok(())
}

fn single(mut values: Vec<Value>) -> Value {
    if values.len() == 1 { values.remove(0) } else { Value::Array(values) }
}

pub(super) fn compare_toml([old, new]: [&[u8]; 2], report: &mut Report) -> Result<()> {
    let parse = |bytes: &[u8]| -> Result<Value> { Ok(toml::from_str(std::str::from_utf8(bytes)?)?) };
    compare([parse(old).context("OLD")?, parse(new).context("NEW")?], report);
    Ok(())
}

fn compare([old, new]: [Value; 2], report: &mut Report) {
    let [old_leaves, new_leaves] = [old, new].map(|value| {
        let mut leaves = BTreeMap::new();
        flatten(&value, String::new(), &mut leaves);
        leaves
    });
    let all: BTreeSet<&String> = old_leaves.keys().chain(new_leaves.keys()).collect();
    report.count(all.len(), "values");
    for path in all {
        if keys(path).any(|key| IGNORED.contains(&key)) {
            continue;
        }
        match (old_leaves.get(path), new_leaves.get(path)) {
            (Some(old), Some(new)) if !same(path, old, new) => {
                report.difference(path, &old.to_string(), &new.to_string());
            }
            (Some(old), None) => report.difference(path, &old.to_string(), "missing"),
            (None, Some(new)) => report.difference(path, "missing", &new.to_string()),
            _ => {}
        }
    }
}

/// Adds all leaves (and empty lists and objects) by their paths: `regret.mean`, `named[0].arm`.
fn flatten(value: &Value, path: String, leaves: &mut BTreeMap<String, Value>) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                flatten(item, format!("{path}[{index}]"), leaves);
            }
        }
        Value::Object(items) if !items.is_empty() => {
            for (key, item) in items {
                let dot = if path.is_empty() { "" } else { "." };
                flatten(item, format!("{path}{dot}{}", key.replace('.', "·")), leaves);
            }
        }
        leaf => {
            leaves.insert(path, leaf.clone());
        }
    }
}

/// The path's keys, without indices.
fn keys(path: &str) -> impl Iterator<Item = &str> {
    path.split('.').map(|segment| segment.split('[').next().unwrap_or(segment))
}

/// Whether two leaves are equal; of prose only its numbers count.
fn same(path: &str, old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Number(old), Value::Number(new)) => {
            old == new || (old.as_f64() == new.as_f64() && (old.is_f64() || new.is_f64()))
        }
        (Value::String(old), Value::String(new)) => {
            let prose = keys(path).any(|key| PROSE.contains(&key));
            old == new || (prose && numbers(old).eq(numbers(new)))
        }
        _ => old == new,
    }
}

/// The numbers in a text, as they are written.
fn numbers(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',')));
    parts.map(|part| part.trim_matches(['.', ','])).filter(|part| part.contains(|c: char| c.is_ascii_digit()))
}
