//! JSON and TOML: values by their path.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use serde_json::Value;

use super::renamed;
use super::renames::{IGNORED, PROSE, Renames};
use super::report::Report;

pub(super) fn compare_json(file: &str, [old, new]: [&[u8]; 2], renames: &Renames, report: &mut Report) -> Result<()> {
    // One value, or several below each other.
    let parse =
        |bytes: &[u8]| serde_json::Deserializer::from_slice(bytes).into_iter().collect::<Result<Vec<Value>, _>>();
    let [old, new] = [parse(old).context("OLD")?, parse(new).context("NEW")?];
    compare(file, [old, new].map(single), renames, report);
    Ok(())
}

fn single(mut values: Vec<Value>) -> Value {
    if values.len() == 1 { values.remove(0) } else { Value::Array(values) }
}

pub(super) fn compare_toml(file: &str, [old, new]: [&[u8]; 2], renames: &Renames, report: &mut Report) -> Result<()> {
    let parse = |bytes: &[u8]| -> Result<Value> { Ok(toml::from_str(std::str::from_utf8(bytes)?)?) };
    compare(file, [parse(old).context("OLD")?, parse(new).context("NEW")?], renames, report);
    Ok(())
}

fn compare(file: &str, [old, new]: [Value; 2], renames: &Renames, report: &mut Report) {
    let [old_leaves, new_leaves] = [old, new].map(|value| {
        let mut leaves = BTreeMap::new();
        flatten(&value, String::new(), &mut leaves);
        let renamed_leaves = leaves.into_iter().map(|(path, value)| {
            let value = match value {
                Value::String(text) => Value::String(renamed(renames.values, file, &text).to_owned()),
                other => other,
            };
            (new_path(&path, file, renames), value)
        });
        renamed_leaves.collect::<BTreeMap<String, Value>>()
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
            (Some(old), None) if !expected(path, file, renames, false) => {
                report.difference(path, &old.to_string(), "missing");
            }
            (None, Some(new)) if !expected(path, file, renames, true) => {
                report.difference(path, "missing", &new.to_string());
            }
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

/// The path with every index empty: `named[].arm`.
fn pattern(path: &str) -> String {
    let mut pattern = String::new();
    for part in path.split_inclusive(']') {
        let (start, index) = part.split_once('[').map_or((part, false), |(start, _)| (start, true));
        pattern += start;
        pattern += if index { "[]" } else { "" };
    }
    pattern
}

/// The path under the new names: first by whole paths (or beginnings of them), then key by key.
fn new_path(path: &str, file: &str, renames: &Renames) -> String {
    let mut path = path.to_owned();
    for rename in renames.keys.iter().filter(|rename| rename.old.contains('.') && rename.covers(file)) {
        let pattern = pattern(&path);
        let Some(rest) =
            pattern.strip_prefix(rename.old).filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        else {
            continue;
        };
        // The indices, in order, fill the empty brackets of the new path.
        let mut indices = path.split('[').skip(1).map(|part| part.split(']').next().unwrap_or_default());
        let renamed = format!("{}{rest}", rename.new);
        let mut filled = String::new();
        for part in renamed.split_inclusive("[]") {
            match part.strip_suffix("[]") {
                Some(start) => filled += &format!("{start}[{}]", indices.next().unwrap_or_default()),
                None => filled += part,
            }
        }
        path = filled;
    }
    let segments = path.split('.').map(|segment| {
        let key = segment.split('[').next().unwrap_or(segment);
        format!("{}{}", renamed(renames.keys, file, key), &segment[key.len()..])
    });
    segments.collect::<Vec<_>>().join(".")
}

/// Whether the lists say that only one build writes this path.
fn expected(path: &str, file: &str, renames: &Renames, only_new: bool) -> bool {
    let pattern = pattern(path);
    renames.only_in_one.iter().filter(|rename| rename.covers(file)).any(|rename| {
        let name = if only_new { rename.new } else { rename.old };
        !name.is_empty()
            && match name.contains('.') {
                true => pattern == name || pattern.starts_with(&format!("{name}.")),
                false => keys(path).any(|key| key == name),
            }
    })
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
