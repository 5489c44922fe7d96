//! JSON as Python writes it.

/// The same text with null for every `NaN` outside of strings, which Python's `json` and pandas write for missing values;
/// `None` if there is none.
#[must_use]
pub fn nan_as_null(text: &str) -> Option<String> {
    let mut changed = String::new();
    let (mut copied, mut cursor, mut in_string) = (0, 0, false);
    let bytes = text.as_bytes();
    while cursor < bytes.len() {
        match bytes[cursor] {
            b'"' => in_string = !in_string,
            b'\\' if in_string => cursor += 1,
            b'N' if !in_string && bytes[cursor..].starts_with(b"NaN") => {
                changed.push_str(&text[copied..cursor]);
                changed.push_str("null");
                (copied, cursor) = (cursor + 3, cursor + 2);
            }
            _ => {}
        }
        cursor += 1;
    }
    (copied > 0).then(|| changed + &text[copied..])
}

#[cfg(test)]
mod tests {
    use super::nan_as_null;

    #[test]
    fn nan_outside_of_strings_is_null() {
        let found = nan_as_null(r#"{"a": NaN, "NaN \" NaN": [NaN,"NaN"]}"#);
        assert_eq!(found.as_deref(), Some(r#"{"a": null, "NaN \" NaN": [null,"NaN"]}"#));
        assert_eq!((nan_as_null(r#"{"a": "NaN"}"#), nan_as_null("")), (None, None));
    }
}
