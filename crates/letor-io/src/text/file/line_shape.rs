//! The form of a line, without parsing its values: distinguishes data files from others and finds the beginnings of
//! queries.

use crate::dataset::MAX_ID;

/// The form of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineShape<'a> {
    /// Only white space.
    Blank,
    /// Only a comment.
    Comment,
    /// A row of data, with the id after `qid:` and the comment if it can be a query id.
    Row { qid: Option<&'a [u8]>, comment: Option<&'a [u8]> },
    /// Anything else.
    Other,
}

/// The form of `line`, which has no line feed.
pub(super) fn shape_of(line: &[u8]) -> LineShape<'_> {
    let mut tokens = Tokens { rest: line };
    let Some(label) = tokens.next() else {
        return if tokens.rest.is_empty() { LineShape::Blank } else { LineShape::Comment };
    };
    if !looks_like_number(label) {
        return LineShape::Other;
    }
    let qid = match tokens.next() {
        // A row with all features absent.
        None => None,
        Some(token) if token.starts_with(b"qid:") => Some(&token[4..]),
        Some(token) if looks_like_feature(token) => None,
        Some(_) => return LineShape::Other,
    };
    let comment = memchr::memchr(b'#', tokens.rest).map(|at| tokens.rest[at + 1..].trim_ascii());
    if qid.is_none() && tokens.rest.is_empty() && looks_like_number(line.trim_ascii()) {
        // A single number: a file of group sizes or of labels.
        return LineShape::Other;
    }
    LineShape::Row { qid, comment: comment.filter(|comment| may_be_query(comment)) }
}

/// Whether a comment can be a query id, as in Yandex's `# 3382`: a whole number. Anything else, as in `# doc17`, says
/// something about the row. Whether numbers are ids of queries or of documents shows only when rows share them.
pub(in crate::text) fn may_be_query(comment: &[u8]) -> bool {
    (1..=MAX_ID).contains(&comment.len()) && comment.iter().all(u8::is_ascii_digit)
}

fn looks_like_number(token: &[u8]) -> bool {
    let unsigned = token.strip_prefix(b"-").or(token.strip_prefix(b"+")).unwrap_or(token);
    let number = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-');
    unsigned.iter().all(number) && unsigned.iter().any(u8::is_ascii_digit)
}

fn looks_like_feature(token: &[u8]) -> bool {
    let digits = token.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && token.get(digits) == Some(&b':')
}

/// The tokens before the comment.
struct Tokens<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        self.rest = self.rest.trim_ascii_start();
        let ends = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'#';
        let len = self.rest.iter().position(ends).unwrap_or(self.rest.len());
        let (token, rest) = self.rest.split_at(len);
        self.rest = rest;
        (!token.is_empty()).then_some(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_of_lines() {
        let row = |qid: Option<&'static str>, comment: Option<&'static str>| LineShape::Row {
            qid: qid.map(str::as_bytes),
            comment: comment.map(str::as_bytes),
        };
        for (line, expected) in [
            ("", LineShape::Blank),
            (" \t\r", LineShape::Blank),
            (" # 1 2:3", LineShape::Comment),
            ("2 qid:10 1:3", row(Some("10"), None)),
            ("2\tqid:WT04-182\t1:3 # 12", row(Some("WT04-182"), Some("12"))),
            ("0.5 7:0.70 # 3382 ", row(None, Some("3382"))),
            ("0 7:0.70 #docid = G13", row(None, None)),
            ("0 7:0.70 # 7555\trambo", row(None, None)),
            ("1 1:abc", row(None, None)),
            ("0 # 3382", row(None, Some("3382"))),
            ("0 # 33#82", row(None, None)),
            ("0 1:1 # doc17", row(None, None)),
            ("0 1:1 # -17", row(None, None)),
            ("0 1:1 # 0x17", row(None, None)),
            ("0 1:1 # 17.0", row(None, None)),
            ("0 1:1 #", row(None, None)),
            ("12", LineShape::Other),
            ("12 13", LineShape::Other),
            ("321 0 321.1 1", LineShape::Other),
            ("Fold\tTraining.txt", LineShape::Other),
            ("python 2:2.5", LineShape::Other),
            ("{\"1\": \"caption_count\"}", LineShape::Other),
        ] {
            assert_eq!(shape_of(line.as_bytes()), expected, "{line}");
        }
    }
}
