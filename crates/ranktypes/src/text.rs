//! Names, numbers and other people's text in messages.

use std::borrow::Cow;
use std::fmt;

/// Why text cannot be the name of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextFault {
    /// It is empty or consists of spaces.
    Empty,
    /// It contains this character, which controls a terminal or hides text.
    Control(char),
}

impl fmt::Display for TextFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("is empty; expected a name"),
            Self::Control(found) => {
                write!(f, "contains the control character {}; expected printable text", found.escape_default())
            }
        }
    }
}

impl std::error::Error for TextFault {}

/// Checks what may be the name of a ranker or feature anywhere: in lists, tables, logs and on terminals.
///
/// # Errors
/// If it is empty or consists of spaces, or contains a character that controls a terminal, breaks a line or hides text.
pub fn check_name(name: &str) -> Result<(), TextFault> {
    if name.trim().is_empty() {
        return Err(TextFault::Empty);
    }
    match name.chars().find(|found| is_control(*found)) {
        Some(found) => Err(TextFault::Control(found)),
        None => Ok(()),
    }
}

/// Whether a character breaks a line, moves the cursor, or changes the direction of what follows.
fn is_control(found: char) -> bool {
    found.is_control() || matches!(found, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Other people's text for a message of one line: characters that control a terminal, break the line or hide text are written as
/// `\n`, `\u{1b}` and so on.
#[must_use]
pub fn escaped(text: &str) -> Cow<'_, str> {
    remove_harmful(text, is_control)
}

/// Text of several lines, in which other people's text may stand: the same, but line feeds and tabs stay.
#[must_use]
pub fn harmless(text: &str) -> Cow<'_, str> {
    remove_harmful(text, |found| is_control(found) && found != '\n' && found != '\t')
}

fn remove_harmful(text: &str, is_harmful: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_harmful) {
        return Cow::Borrowed(text);
    }
    let plain = |c: char| if is_harmful(c) { c.escape_default().collect() } else { c.to_string() };
    Cow::Owned(text.chars().map(plain).collect())
}

/// Other people's text for an error message: quoted, escaped, and cut after 40 characters.
#[must_use]
pub fn excerpt(text: &str) -> String {
    const MAX_SHOWN: usize = 40;
    let shown: String = text.chars().take(MAX_SHOWN).flat_map(char::escape_debug).collect();
    let dots = if text.chars().nth(MAX_SHOWN).is_some() { "..." } else { "" };
    format!("`{shown}{dots}`")
}

/// `12_345_678` as `12,345,678`.
#[must_use]
pub fn with_separators(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count and its noun: `1 run`, `2,500 runs`.
#[must_use]
pub fn with_unit(count: u64, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{} {}", with_separators(count), plural(what)),
    }
}

/// Several of a noun: `runs`, `queries`, `days`.
#[must_use]
pub fn plural(what: &str) -> String {
    // The only noun here with another plural than one formed with an s is "query"; "day" has one.
    match what.strip_suffix('y').filter(|stem| !stem.ends_with('a')) {
        Some(stem) => format!("{stem}ies"),
        None => format!("{what}s"),
    }
}

/// Quotation marks with which no item of a list begins unless it stands in some.
const QUOTATION_MARKS: [char; 2] = ['"', '\''];

/// The items of a list in one text, separated by commas. An item that contains a comma, begins with a quotation mark, or has blanks
/// around it stands in quotation marks, and those within it are doubled, as in CSV.
///
/// # Errors
/// One line, if an item is empty, or begins with a quotation mark that is single or not closed: shells that keep such marks would
/// make names of them.
pub fn split_list(text: &str) -> Result<Vec<String>, String> {
    let (mut items, mut rest) = (Vec::new(), text);
    loop {
        rest = rest.trim_start();
        let (item, end) = match (quoted(rest), rest.split_once(',')) {
            (Some(found), _) => found,
            (None, _) if rest.starts_with(QUOTATION_MARKS) => {
                return Err(format!(
                    "`{}` begins with a quotation mark; a name with one, or with a comma, stands in marks such as \"a, b\", \
                     in which \" is doubled",
                    rest.escape_debug()
                ));
            }
            (None, Some((item, end))) => (item.trim().to_owned(), Some(end)),
            (None, None) => (rest.trim().to_owned(), None),
        };
        if item.is_empty() {
            return Err(format!("expected names or numbers separated by commas, found `{}`", text.escape_debug()));
        }
        items.push(item);
        match end {
            // A comma at the end marks a list of one.
            Some(end) if !end.trim().is_empty() => rest = end,
            _ => return Ok(items),
        }
    }
}

/// Text that [`split_list`] reads back to `items`.
#[must_use]
pub fn join_list<S: AsRef<str>>(items: &[S]) -> String {
    let written = |item: &S| {
        let item = item.as_ref();
        let plain = !item.contains(',') && !item.starts_with(QUOTATION_MARKS) && item.trim() == item;
        if plain { item.to_owned() } else { format!("\"{}\"", item.replace('"', "\"\"")) }
    };
    items.iter().map(written).collect::<Vec<_>>().join(",")
}

/// The text in the quotation marks that `rest` begins with, and what follows the comma after it; `None` if there are none.
fn quoted(rest: &str) -> Option<(String, Option<&str>)> {
    let mut text = String::new();
    let mut characters = rest.strip_prefix('"')?.char_indices();
    while let Some((at, character)) = characters.next() {
        if character != '"' {
            text.push(character);
            continue;
        }
        let after = &rest[at + 2..];
        if after.starts_with('"') {
            text.push('"');
            characters.next();
        } else if after.trim().is_empty() {
            return Some((text, None));
        } else {
            return Some((text, Some(after.trim_start().strip_prefix(',')?)));
        }
    }
    None
}

/// The header of a column without case, and with underscores for spaces and hyphens: people write `Prompt ID` and `prompt-id`.
#[must_use]
pub fn plain_header(header: &str) -> String {
    header.trim().to_lowercase().replace([' ', '-'], "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_controls_a_terminal_is_escaped() {
        let text = "a\nb\u{1b}[31m\tc\u{202e}d";
        assert_eq!(escaped(text), "a\\nb\\u{1b}[31m\\tc\\u{202e}d");
        assert_eq!(harmless(text), "a\nb\\u{1b}[31m\tc\\u{202e}d");
        assert!(matches!(escaped("größer"), Cow::Borrowed("größer")) && matches!(harmless("a\tb"), Cow::Borrowed(_)));
    }

    #[test]
    fn numbers_have_separators() {
        let written = [0, 999, 1000, 1_234_567, u64::MAX].map(with_separators);
        assert_eq!(written, ["0", "999", "1,000", "1,234,567", "18,446,744,073,709,551,615"]);
    }

    #[test]
    fn counts_have_their_nouns() {
        assert_eq!([0, 1, 2500].map(|count| with_unit(count, "run")), ["0 runs", "1 run", "2,500 runs"]);
        assert_eq!([1, 2].map(|count| with_unit(count, "query")), ["1 query", "2 queries"]);
        assert_eq!(["query", "day", "unit"].map(plural), ["queries", "days", "units"]);
    }

    #[test]
    fn lists_are_split_and_joined() {
        let split = |text| split_list(text).map_err(|_| ());
        let items = |items: &[&str]| Ok(items.iter().map(|item| (*item).to_owned()).collect::<Vec<_>>());
        assert_eq!(split("bm25, ltr ,7"), items(&["bm25", "ltr", "7"]));
        assert_eq!(split("bm25,"), items(&["bm25"]));
        assert_eq!(split("\"a,b\" , \"say \"\"x\"\"\",ltr"), items(&["a,b", "say \"x\"", "ltr"]));
        assert_eq!(
            split("6\" nails,rock'n'roll"),
            items(&["6\" nails", "rock'n'roll"]),
            "marks within a name are text"
        );
        for text in ["\"open,a", "a,\"b\"c", "a,'b,c'", "'a'"] {
            assert!(split_list(text).unwrap_err().contains("begins with a quotation mark"), "{text}");
        }
        for items in [vec!["a,b", "7"], vec!["\"", "x\"y", "ltr"], vec!["one"], vec![" a", "'b", "-c"]] {
            assert_eq!(split_list(&join_list(&items)).unwrap(), items);
        }
        assert_eq!([split(""), split("a,,b"), split("\"\",a")], [Err(()), Err(()), Err(())]);
    }
}
