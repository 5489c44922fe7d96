//! The items of an array one by one, for arrays with an item that is not JSON.

/// The texts of the items of an array, whatever is wrong inside them; `None` if this is not an array, or does not end as one.
///
/// Brackets must balance outside of texts, so that no part of an item is taken for an item.
#[must_use]
pub fn items(text: &[u8]) -> Option<Vec<&[u8]>> {
    let text = super::parse::without_mark(text).trim_ascii();
    let inside = text.strip_prefix(b"[")?.strip_suffix(b"]")?;
    let (mut items, mut from, mut open, mut is_text, mut is_escaped) = (vec![], 0, vec![], false, false);
    for (at, &byte) in inside.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            _ if is_text => {}
            b'[' => open.push(b']'),
            b'{' => open.push(b'}'),
            b']' | b'}' if open.pop() != Some(byte) => return None,
            b',' if open.is_empty() => {
                items.push(inside[from..at].trim_ascii());
                from = at + 1;
            }
            _ => {}
        }
    }
    items.push(inside[from..].trim_ascii());
    (open.is_empty() && !is_text).then_some(items)
}

#[cfg(test)]
mod tests {
    use super::items;

    #[test]
    fn items_end_at_their_commas() {
        let split = |text: &'static str| -> Option<Vec<&str>> {
            Some(items(text.as_bytes())?.into_iter().map(|item| std::str::from_utf8(item).expect("UTF-8")).collect())
        };
        assert_eq!(
            split(r#" [{"a": [1, NaN]}, oops, "x, \"y]", 3] "#),
            Some(vec![r#"{"a": [1, NaN]}"#, "oops", r#""x, \"y]""#, "3"])
        );
        assert_eq!(split("\u{feff}[1,]"), Some(vec!["1", ""]));
        for text in ["", "{}", "[1", "[1] 2", "[{]}", "[1][2]", r#"["a]"#, "[[1]", "1]"] {
            assert_eq!(split(text), None, "{text}");
        }
    }
}
