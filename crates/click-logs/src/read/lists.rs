//! Lists that are text: separated, as in CSV, or in brackets, as pandas, numpy, Python, JSON, Java and Postgres write them.
//!
//! Lists that cannot be read with certainty are refused: a list split in the wrong places silently gives wrong rankers and
//! loses clicks.

use std::borrow::Cow;

use ranktypes::text::excerpt;

use crate::error::LineError;

/// How lists in text are separated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListSeparator {
    /// Not at all: they have brackets. Text in JSON, Parquet and data frames.
    Never,
    /// By spaces, the default.
    BySpaces,
    /// By this character, whatever else the entries contain.
    By(char),
}

impl ListSeparator {
    /// For CSV, with the separator from the settings.
    pub(super) fn in_csv(asked: Option<char>) -> Self {
        asked.map_or(Self::BySpaces, Self::By)
    }
}

/// The entries of a list in text; an entry without a value is `None`.
type Entries<'a> = Vec<Option<Cow<'a, str>>>;

/// Characters that separate entries elsewhere.
const OTHER_SEPARATORS: [char; 4] = [',', ';', '|', '\t'];

/// The first character of an entry that cannot be plain.
const OPENING_CHARS: [char; 5] = ['[', '(', '{', '\'', '"'];

/// Whether text stands for a missing value.
pub(super) fn is_missing(text: &str) -> bool {
    matches!(text, "nan" | "NaN" | "NAN" | "None" | "null" | "NULL" | "<NA>" | "NA" | "\\N" | "NaT")
}

/// Whether the id of a user or session is missing: blank, or a program's text for a missing value. Otherwise all of these would
/// count as one user.
pub(super) fn is_no_unit(id: &str) -> bool {
    let id = id.trim_ascii();
    id.is_empty() || id == "-" || id == "undefined" || is_missing(id)
}

/// Whether a separated list with these first two entries and this number of entries can only be read in one way. The fast
/// reader leaves all others to [`entries`], so this checks nothing that takes longer.
#[inline]
pub(super) fn is_plain(first: Option<&str>, second: Option<&str>, count: usize, separator: ListSeparator) -> bool {
    let Some(first) = first else { return true };
    if first.starts_with(OPENING_CHARS) || count == 1 && is_missing(first) {
        return false;
    }
    separator != ListSeparator::BySpaces || !is_suspicious(first, second, count)
}

/// Whether these entries seem to be separated by something other than spaces.
#[inline]
fn is_suspicious(first: &str, second: Option<&str>, count: usize) -> bool {
    if count == 1 {
        first.contains(OTHER_SEPARATORS)
    } else {
        first.ends_with(OTHER_SEPARATORS) || second.is_some_and(|second| second.starts_with(OTHER_SEPARATORS))
    }
}

/// The entries of the list `text` in the field `name`; `None` if it stands for no list. In separated lists of teams (`are_teams`), `-`
/// stands for no owner.
///
/// # Errors
/// If the text is not a list, or might be several.
pub(super) fn entries<'a>(
    text: Cow<'a, str>,
    name: &str,
    list_separator: ListSeparator,
    are_teams: bool,
) -> Result<Option<Entries<'a>>, LineError> {
    // Other white space may belong to an id.
    let trimmed_text = text.trim_ascii();
    if trimmed_text.is_empty() || is_missing(trimmed_text) {
        return Ok(None);
    }
    let refused = |why: &str| Err(LineError::new(format!("`{name}` is {}{why}", excerpt(trimmed_text))));
    let is_bracketed = trimmed_text.starts_with(['[', '(', '{']);
    match list_separator {
        ListSeparator::By(separator) if is_bracketed && are_around(trimmed_text, separator) => {
            return refused(", a list in brackets, but --list-separator was given; leave that out");
        }
        ListSeparator::By(_) => {}
        _ if is_bracketed => {
            return match parse_bracketed(trimmed_text) {
                Ok(entries) => {
                    let entries = entries.into_iter().map(|entry| entry.map(Cow::Owned));
                    // Lists in text may also write no owner as separated lists do.
                    let is_no_team =
                        |entry: &Cow<'_, str>| are_teams && list_separator != ListSeparator::Never && entry == "-";
                    Ok(Some(entries.map(|entry| entry.filter(|entry| !is_no_team(entry))).collect()))
                }
                Err(why) if list_separator == ListSeparator::Never => {
                    refused(&format!(", which cannot be read as a list: {why}; expected e.g. [\"a\",\"b\"]"))
                }
                Err(why) => refused(&format!(
                    ", which cannot be read as a list: {why}; expected entries separated by spaces, or e.g. [\"a\",\"b\"]; if \
                     brackets belong to the ids, say what separates these with --list-separator"
                )),
            };
        }
        ListSeparator::Never => return refused(", which is text; expected a list, e.g. [\"a\",\"b\"]"),
        ListSeparator::BySpaces => {}
    }
    let separator = match list_separator {
        ListSeparator::By(separator) => separator,
        _ => ' ',
    };
    let pieces = |list: &'_ str| -> Vec<std::ops::Range<usize>> {
        let mut entries_read = Vec::with_capacity(16);
        let mut start = 0;
        for part in list.split(separator) {
            let inner = if separator == ' ' { part } else { part.trim_ascii() };
            let offset = start + (inner.as_ptr() as usize - part.as_ptr() as usize);
            if !inner.is_empty() {
                entries_read.push(offset..offset + inner.len());
            }
            start += part.len() + separator.len_utf8();
        }
        entries_read
    };
    let ranges = pieces(&text);
    if list_separator == ListSeparator::BySpaces {
        let entry = |at: usize| ranges.get(at).map(|range| &text[range.clone()]);
        if let Some(first) = entry(0) {
            if first.starts_with(OPENING_CHARS) {
                return refused(", with quotes around its entries; write them without, separated by spaces");
            }
            if is_suspicious(first, entry(1), ranges.len()) {
                let mark = text.chars().find(|c| OTHER_SEPARATORS.contains(c)).unwrap_or(',');
                let (flag, mark) = match mark {
                    '\t' => ("$'\\t'".to_owned(), "a tab".to_owned()),
                    ',' => (",".to_owned(), "`,`".to_owned()),
                    other => (format!("'{other}'"), format!("`{other}`")),
                };
                return refused(&format!(
                    ", whose entries seem to be separated by {mark}; pass --list-separator {flag}, or, if {mark} belongs to the \
                     ids, --list-separator ' '"
                ));
            }
        }
    }
    let is_no_team = |entry: &str| are_teams && entry == "-";
    Ok(Some(match text {
        Cow::Borrowed(text) => {
            let entries = ranges.into_iter().map(|range| &text[range]);
            entries.map(|entry| (!is_no_team(entry)).then_some(Cow::Borrowed(entry))).collect()
        }
        Cow::Owned(text) => {
            let entries = ranges.into_iter().map(|range| &text[range]);
            entries.map(|entry| (!is_no_team(entry)).then(|| Cow::Owned(entry.to_owned()))).collect()
        }
    }))
}

/// Whether the brackets at both ends of a text enclose all of its entries, and are not parts of the first and the last.
fn are_around(text: &str, separator: char) -> bool {
    let close = closing_bracket(text);
    let first = text.split(separator).next().unwrap_or(text);
    let is_quoted = text[1..].trim_start().starts_with(['\'', '"']);
    text.ends_with(close) && (is_quoted || !first.contains(close))
}

/// The bracket that closes the one at the beginning of a text.
fn closing_bracket(text: &str) -> char {
    match text.as_bytes()[0] {
        b'[' => ']',
        b'(' => ')',
        _ => '}',
    }
}

/// An entry in JSON.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum JsonEntry {
    Text(String),
    Whole(u64),
    Negative(i64),
    Nothing(()),
}

/// The entries of a list in brackets, or why it cannot be read.
fn parse_bracketed(text: &str) -> Result<Vec<Option<String>>, String> {
    if let Ok(entries) = serde_json::from_str::<Vec<JsonEntry>>(text) {
        let entry = |entry| match entry {
            JsonEntry::Text(text) => Some(text),
            JsonEntry::Whole(number) => Some(number.to_string()),
            JsonEntry::Negative(number) => Some(number.to_string()),
            JsonEntry::Nothing(()) => None,
        };
        return Ok(entries.into_iter().map(entry).collect());
    }
    let close = closing_bracket(text);
    let Some(inner) = text[1..].strip_suffix(close) else { return Err(format!("it does not end with `{close}`")) };
    let mut entries = Scanner { rest: inner, is_postgres: close == '}', by_comma: None }.entries()?;
    if close == '}' && entries.iter().any(|entry| entry.is_single_quoted) {
        return Err("a set has no order".to_owned());
    }
    Ok(entries.drain(..).map(|entry| entry.text).collect())
}

/// An entry of a list in brackets.
struct Item {
    text: Option<String>,
    is_single_quoted: bool,
}

/// Reads the text between brackets, entry by entry.
struct Scanner<'a> {
    rest: &'a str,
    is_postgres: bool,
    /// Whether commas separate entries, or spaces; unknown until there are two entries.
    by_comma: Option<bool>,
}

impl Scanner<'_> {
    fn entries(mut self) -> Result<Vec<Item>, String> {
        let mut entries = Vec::new();
        self.rest = self.rest.trim_start();
        while !self.rest.is_empty() {
            entries.push(self.entry()?);
            let after = self.rest.trim_start();
            let has_space = after.len() < self.rest.len();
            let comma = after.strip_prefix(',');
            self.rest = comma.unwrap_or(after).trim_start();
            let is_comma = comma.is_some();
            if self.rest.is_empty() {
                // A tuple of one ends with a comma.
                if is_comma && (entries.len() > 1 && self.by_comma != Some(true) || self.is_postgres) {
                    return Err("an entry is missing at the end".to_owned());
                }
                break;
            }
            if !is_comma && (!has_space || self.is_postgres) {
                return Err(format!("{} follows an entry", excerpt(self.rest)));
            }
            if *self.by_comma.get_or_insert(is_comma) != is_comma {
                return Err("commas separate some of its entries, and spaces others".to_owned());
            }
        }
        Ok(entries)
    }

    fn entry(&mut self) -> Result<Item, String> {
        // Scalars of numpy: `np.str_('a')`.
        if let Some(inner) = self.rest.strip_prefix("np.").or_else(|| self.rest.strip_prefix("numpy."))
            && let Some((kind, inner)) = inner.split_once('(')
            && kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            self.rest = inner.trim_start();
            let entry = self.entry()?;
            self.rest = self.rest.trim_start().strip_prefix(')').ok_or("`)` is missing")?;
            return Ok(entry);
        }
        match self.rest.chars().next() {
            Some(quote @ ('\'' | '"')) => {
                let text = self.parse_quoted(quote)?;
                Ok(Item { text: Some(text), is_single_quoted: quote == '\'' })
            }
            _ => Ok(Item { text: self.parse_bare()?, is_single_quoted: false }),
        }
    }

    fn parse_quoted(&mut self, quote: char) -> Result<String, String> {
        let mut text = String::new();
        let mut characters = self.rest.char_indices().skip(1);
        while let Some((offset, character)) = characters.next() {
            match character {
                '\\' => match characters.next() {
                    Some((_, escaped @ ('\\' | '\'' | '"'))) => text.push(escaped),
                    _ => return Err("it has an escape that is not read".to_owned()),
                },
                _ if character == quote => {
                    self.rest = &self.rest[offset + 1..];
                    return Ok(text);
                }
                _ => text.push(character),
            }
        }
        Err("a quote does not end".to_owned())
    }

    fn parse_bare(&mut self) -> Result<Option<String>, String> {
        let is_end = |c: char| c == ',' || c == ')' || c.is_whitespace();
        let end = self.rest.find(is_end).unwrap_or(self.rest.len());
        let (bare_word, tail) = self.rest.split_at(end);
        self.rest = tail;
        if is_missing(bare_word) {
            return Ok(None);
        }
        if bare_word.is_empty() {
            return Err("an entry is missing".to_owned());
        }
        if bare_word.contains("...") {
            return Err("it was cut off where it was written".to_owned());
        }
        if bare_word.contains(['[', ']', '(', ')', '{', '}', '\'', '"', ';', '|']) {
            return Err(format!("{} is not an entry", excerpt(bare_word)));
        }
        let is_real =
            bare_word.contains('.') && bare_word.bytes().all(|byte| byte.is_ascii_digit() || b".-+e".contains(&byte));
        if is_real && !self.is_postgres {
            return Err(format!("{} is not a whole number; write ids as text", excerpt(bare_word)));
        }
        Ok(Some(bare_word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, separated: ListSeparator) -> Result<Option<Vec<Option<String>>>, String> {
        let entries = entries(Cow::Borrowed(text), "teams", separated, true);
        let owned = |entries: Entries<'_>| entries.into_iter().map(|entry| entry.map(Cow::into_owned)).collect();
        entries.map(|entries| entries.map(owned)).map_err(|error| error.message)
    }

    #[track_caller]
    fn assert_list(text: &str, separated: ListSeparator, expected: &[&str]) {
        let expected = expected.iter().map(|entry| (*entry != "null").then(|| (*entry).to_owned())).collect();
        assert_eq!(read(text, separated), Ok(Some(expected)), "{text} {separated:?}");
    }

    /// Lists that are unmistakable, as text of any format.
    const BRACKETS: &[(&str, &[&str])] = &[
        (r#"["a","b"]"#, &["a", "b"]),
        (r#"[ "a" , null, 7 ]"#, &["a", "null", "7"]),
        (r#"["a b", "[c], d"]"#, &["a b", "[c], d"]),
        ("['a', 'b']", &["a", "b"]),
        (r#"['it\'s', "don't"]"#, &["it's", "don't"]),
        ("['a', None, 3]", &["a", "null", "3"]),
        ("('a', 'b')", &["a", "b"]),
        ("('a',)", &["a"]),
        ("['a']", &["a"]),
        ("[1, 2, 3]", &["1", "2", "3"]),
        ("[1 2  3]", &["1", "2", "3"]),
        ("['A' 'B' None]", &["A", "B", "null"]),
        ("[np.str_('A'), np.int64(3)]", &["A", "3"]),
        ("[a, b, null]", &["a", "b", "null"]),
        ("[a]", &["a"]),
        ("{a,b,c}", &["a", "b", "c"]),
        (r#"{a,"b c",NULL,"NULL"}"#, &["a", "b c", "null", "NULL"]),
        ("{17.3,17.5}", &["17.3", "17.5"]),
        ("[]", &[]),
        ("{}", &[]),
        ("()", &[]),
    ];

    #[test]
    fn lists_in_brackets_are_read_everywhere() {
        for (text, expected) in BRACKETS {
            assert_list(text, ListSeparator::BySpaces, expected);
            assert_list(&format!(" {text} "), ListSeparator::Never, expected);
        }
        // A word in quotes is a name, even one that means a missing value without them.
        assert_eq!(read("['null', nan]", ListSeparator::BySpaces), Ok(Some(vec![Some("null".to_owned()), None])));
        assert_list("['A', '-']", ListSeparator::BySpaces, &["A", "null"]);
    }

    #[test]
    fn what_might_be_several_things_is_refused() {
        for (text, expected) in [
            ("a,b,c", "separated by `,`; pass --list-separator ,, or, if `,` belongs to the ids, --list-separator ' '"),
            ("a;b;c", "pass --list-separator ';'"),
            ("a|b", "pass --list-separator '|'"),
            ("a, b, c", "pass --list-separator ,"),
            ("a , b", "pass --list-separator ,"),
            ("a ,b", "pass --list-separator ,"),
            ("a\tb", "separated by a tab"),
            ("'a' 'b'", "quotes around its entries"),
            ("['a', 'b'", "does not end with `]`"),
            ("[1.0, 2.0]", "`1.0` is not a whole number"),
            ("[1. 2.]", "`1.` is not a whole number"),
            ("{'a', 'b'}", "a set has no order"),
            ("{'a': 1}", "follows an entry"),
            (r#"{"a": 1}"#, "follows an entry"),
            ("{a b}", "follows an entry"),
            ("[a] [b]", "is not an entry"),
            ("[[1, 2]]", "is not an entry"),
            ("[1 2 ... 9]", "cut off"),
            ("['a''b']", "follows an entry"),
            ("['a', 'b' 'c']", "commas separate some"),
            ("['a',, 'b']", "an entry is missing"),
            (r"['\x61']", "an escape that is not read"),
            ("[new york, paris]", "commas separate some"),
        ] {
            let error = read(text, ListSeparator::BySpaces).expect_err(text);
            assert!(error.starts_with("`teams` is `") && error.contains(expected), "{text}: {error}");
        }
        let error = read("a b", ListSeparator::Never).unwrap_err();
        assert!(error.contains("which is text; expected a list"), "{error}");
    }

    #[test]
    fn a_separator_that_was_asked_for_rules() {
        assert_list("a b - c", ListSeparator::BySpaces, &["a", "b", "null", "c"]);
        assert_list("a;x b|y", ListSeparator::BySpaces, &["a;x", "b|y"]);
        assert_list("a, b ,-", ListSeparator::By(','), &["a", "b", "null"]);
        assert_list("a|b c", ListSeparator::By('|'), &["a", "b c"]);
        assert_list("[a]|[b]", ListSeparator::By('|'), &["[a]", "[b]"]);
        assert_list("[a] [b]", ListSeparator::By(' '), &["[a]", "[b]"]);
        assert_list("a,b", ListSeparator::By(' '), &["a,b"]);
        assert_list("a\u{e9}b\u{e9}", ListSeparator::By('\u{e9}'), &["a", "b"]);
        for text in ["['a', 'b']", r#"["a","b"]"#, "[1, 2]", "('a',)", "['a']", "{a,b}"] {
            let error = read(text, ListSeparator::By(',')).expect_err(text);
            assert!(error.contains("a list in brackets, but --list-separator was given"), "{error}");
        }
        for separated in [ListSeparator::BySpaces, ListSeparator::By(','), ListSeparator::Never] {
            for text in ["", "  ", "nan", "None", "<NA>"] {
                assert_eq!(read(text, separated), Ok(None), "{text}");
            }
        }
    }
}
