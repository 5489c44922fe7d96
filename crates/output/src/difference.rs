//! The differences between the descriptions of an existing thing and of a wanted one.

use serde_json::Value;

/// The comparison of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compare {
    /// Every field of either, a missing one being null.
    Everything,
    /// Only the fields of the value that is wanted.
    WhatIsWanted,
}

/// Describes the first difference between the values `found` and `expected` in a clause such as `its seed is 1, not 2`;
/// `None` if they agree.
#[must_use]
pub fn first_difference(found: &Value, expected: &Value, compare: Compare) -> Option<String> {
    difference_in("", found, expected, compare)
}

/// The same for the values called `name`, a path of fields.
fn difference_in(name: &str, found: &Value, wanted: &Value, compare: Compare) -> Option<String> {
    use Value::Object;
    match (found, wanted) {
        (Object(a), Object(b)) => {
            let only_found = a.keys().filter(|key| compare == Compare::Everything && !b.contains_key(*key));
            let null = Value::Null;
            b.keys().chain(only_found).find_map(|key| {
                let path = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                difference_in(&path, a.get(key).unwrap_or(&null), b.get(key).unwrap_or(&null), compare)
            })
        }
        _ if found == wanted => None,
        _ => Some(format!("its {name} is {}, not {}", short_text(found), short_text(wanted))),
    }
}

/// The value as JSON, shortened to 60 characters.
fn short_text(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() > 60 { format!("{}...", text.chars().take(57).collect::<String>()) } else { text }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_difference_is_named_with_both_values() {
        let found = json!({"seed": 1, "site": {"shown": 10, "rankers": (0..40).collect::<Vec<u32>>()}, "old": true});
        let differs = |wanted: Value, compare| first_difference(&found, &wanted, compare);
        assert_eq!(differs(found.clone(), Compare::Everything), None);
        assert_eq!(differs(json!({"seed": 1}), Compare::WhatIsWanted), None);
        assert_eq!(differs(json!({"seed": 2}), Compare::WhatIsWanted).unwrap(), "its seed is 1, not 2");
        let deep = differs(json!({"site": {"shown": 5}}), Compare::WhatIsWanted).unwrap();
        assert_eq!(deep, "its site.shown is 10, not 5");
        let less = differs(json!({"seed": 1, "site": found["site"]}), Compare::Everything).unwrap();
        assert_eq!(less, "its old is true, not null");
        let long = differs(json!({"site": {"rankers": [7]}}), Compare::WhatIsWanted).unwrap();
        assert!(long.contains("..., not [7]") && long.len() < 100, "{long}");
    }
}
