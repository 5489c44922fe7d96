//! Files of other programs that are often given instead of data: recognised by their first line, so that the error says
//! where they belong.

use std::fmt;

use super::line_shape::{self, LineShape};

/// A kind of file that is not a data file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ForeignFile {
    /// Lines of `query Q0 document rank score tag`.
    Run,
    /// Lines of `query 0 document label`.
    Qrels,
}

impl fmt::Display for ForeignFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Run => "a TREC run (lines of `query Q0 document rank score tag`)",
            Self::Qrels => "TREC qrels (lines of `query 0 document label`)",
        })
    }
}

impl ForeignFile {
    /// What to do with such a file.
    pub(crate) fn remedy(self) -> &'static str {
        match self {
            Self::Run => "give runs as --rankings, and their judgments as --qrels",
            Self::Qrels => "give judgments as --qrels, and the runs to compare as --rankings",
        }
    }
}

/// The kind of file that has `line` as its first line with content; `None` if it is none of these.
pub(crate) fn foreign_format(line: &[u8]) -> Option<ForeignFile> {
    if line_shape::shape_of(line) != LineShape::Other {
        return None;
    }
    let mut fields = [&b""[..]; 6];
    let mut count = 0;
    for field in line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()) {
        *fields.get_mut(count)? = field;
        count += 1;
    }
    let is_number = |field: &[u8]| str::from_utf8(field).is_ok_and(|field| field.parse::<f64>().is_ok());
    let is_whole = |field: &[u8]| str::from_utf8(field).is_ok_and(|field| field.parse::<i64>().is_ok());
    // A row of numbers alone is one of a matrix, and so are four of them with fractions.
    match count {
        6 if is_whole(fields[3]) && is_number(fields[4]) && !fields.iter().all(|field| is_number(field)) => {
            Some(ForeignFile::Run)
        }
        4 if is_whole(fields[3]) && (is_whole(fields[1]) || !is_number(fields[1])) => Some(ForeignFile::Qrels),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_qrels_are_recognised() {
        for (line, expected) in [
            ("301 Q0 FBIS3-1 1 12.5 bm25", Some(ForeignFile::Run)),
            ("2\tQ0\tqid:1\t0\t-1e-5\tx\r", Some(ForeignFile::Run)),
            ("301 0 FBIS3-1 1", Some(ForeignFile::Qrels)),
            ("q1 Q0 d 2\r", Some(ForeignFile::Qrels)),
            ("301 Q0 FBIS3-1 1 high bm25", None),
            ("0.50 0.55 0.55 0.54 0.61 0.61", None),
            ("0 12 3 4 5 6", None),
            ("0.5 0.6 0.6 0.6", None),
            ("2 qid:1 1:3 2:4", None),
            ("2 qid:1 1:3 2:4 3:5 4:6", None),
            ("301 0 FBIS3-1", None),
            ("1 2 3 4 5 6 7", None),
            ("", None),
            ("# 1 2 3", None),
        ] {
            assert_eq!(foreign_format(line.as_bytes()), expected, "{line}");
        }
    }
}
