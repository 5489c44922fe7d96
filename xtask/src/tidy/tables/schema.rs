//! Settings as the document of the server's interface describes them.

use std::path::Path;

use serde_json::Value;

use super::Table;
use crate::tidy::source::read;

/// The properties of a schema of `server/openapi.json`: name, form, default and purpose.
pub(super) fn schema_table(root: &Path, schema: &str) -> Option<Table> {
    let document: Value = serde_json::from_str(&read(&root.join("server/openapi.json")).ok()?).ok()?;
    let schemas = &document["components"]["schemas"];
    let required = schemas[schema]["required"].as_array().cloned().unwrap_or_default();
    let rows = schemas[schema]["properties"].as_object()?.iter().map(|(name, property)| {
        // A referenced type is described in its own place.
        let named = property["$ref"].as_str().and_then(|place| place.rsplit('/').next());
        let what = property["description"].as_str().or_else(|| schemas[named?]["description"].as_str());
        let default = match property.get("default") {
            _ if required.contains(&name.as_str().into()) => "must be given".to_owned(),
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => format!("`{text}`"),
            Some(value) => format!("`{value}`"),
        };
        vec![format!("`{name}`"), form(property), default, what.unwrap_or_default().to_owned()]
    });
    Some(Table::of(&["setting", "form", "default", "what it is for"], rows))
}

/// The form of a value.
fn form(property: &Value) -> String {
    if let Some(words) = property["enum"].as_array() {
        let words: Vec<String> = words.iter().filter_map(|word| Some(format!("`{}`", word.as_str()?))).collect();
        return words.join(", ");
    }
    let kinds = match &property["type"] {
        Value::String(kind) => vec![kind.as_str()],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect(),
        _ => vec!["object"],
    };
    let word = |kind: &str| match kind {
        "string" => "text".to_owned(),
        "integer" => "whole number".to_owned(),
        "boolean" => "true or false".to_owned(),
        "array" => "list".to_owned(),
        other => other.to_owned(),
    };
    let mut text = kinds.into_iter().map(word).collect::<Vec<_>>().join(" or ");
    let limit = |least: &str, most: &str| match (property.get(least), property.get(most)) {
        (Some(least), Some(most)) => Some(format!("{least} to {most}")),
        _ => None,
    };
    if let Some(range) = limit("minimum", "maximum") {
        text += &format!(", {range}");
    }
    text
}
