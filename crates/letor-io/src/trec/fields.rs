//! Lines of fields separated by white space, and errors with their places.

use crate::dataset::MAX_ID;
use crate::error::{Error, ErrorKind, excerpt};
use crate::text::{ForeignFile, foreign_format, lines};

/// The most bytes of a document number.
const MAX_DOCUMENT: usize = 4096;

/// The first `N` fields of a line, and where each begins.
pub(super) struct Fields<'a, const N: usize> {
    line: &'a [u8],
    /// The number of the line, from 1.
    pub(super) number: u64,
    pub(super) fields: [&'a [u8]; N],
    starts: [usize; N],
    /// The number of all fields of the line.
    pub(super) count: usize,
}

impl<'a, const N: usize> Fields<'a, N> {
    fn of(line: &'a [u8], number: u64) -> Self {
        let mut found = Self { line, number, fields: [&[]; N], starts: [0; N], count: 0 };
        let mut cursor = 0;
        while cursor < line.len() {
            if is_space(line[cursor]) {
                cursor += 1;
                continue;
            }
            let start = cursor;
            while cursor < line.len() && !is_space(line[cursor]) {
                cursor += 1;
            }
            if found.count < N {
                (found.fields[found.count], found.starts[found.count]) = (&line[start..cursor], start);
            }
            found.count += 1;
        }
        found
    }

    /// An error about field `index`.
    pub(super) fn error(&self, index: usize, kind: ErrorKind, message: impl Into<String>) -> Error {
        Error::new(kind, message).at(self.number, self.starts[index] as u64 + 1)
    }

    /// The error for a line with a wrong number of columns; `form` names the right ones, `taken_for` is the flag that
    /// the file was given as.
    fn column_count_error(&self, what: &str, form: &str, taken_for: Option<ForeignFile>) -> Error {
        let found = match foreign_format(self.line).filter(|&found| Some(found) != taken_for) {
            Some(found) => {
                let message = format!("is {found}, expected {what} of `{form}`: {}", found.remedy());
                return Error::new(ErrorKind::Format, message).at(self.number, 1);
            }
            None => self.count,
        };
        let of_line = excerpt(self.line.trim_ascii());
        let is_letor = self.fields[..self.count.min(N)].iter().any(|field| field.starts_with(b"qid:"));
        let is_number = |field: &[u8]| str::from_utf8(field).is_ok_and(|field| field.parse::<f64>().is_ok());
        let hint = if self.line.contains(&0) || self.line.starts_with(ranktypes::npy::MAGIC) {
            let message = format!("found binary data {of_line}, expected {what} of `{form}`: give text or gzip");
            return Error::new(ErrorKind::Format, message).at(self.number, 1);
        } else if is_letor {
            "this is a row of a LETOR data set: give the file as --dataset"
        } else if found == 1 && is_number(self.fields[0]) {
            "a file with one score per line is given as --scores, beside its data set"
        } else if found < N {
            "complete the line"
        } else {
            "columns are separated by white space, and none may contain any; correct the line"
        };
        let columns = if found == 1 { "1 column".to_owned() } else { format!("{found} columns") };
        let message = format!("found {columns}, {of_line}, expected {N}, `{form}`: {hint}");
        Error::new(ErrorKind::Syntax, message).at(self.number, 1)
    }

    /// Field 0 as the id of a query.
    pub(super) fn query(&self) -> Result<&'a str, Error> {
        let id = self.fields[0];
        let fail = |message: String| Err(self.error(0, ErrorKind::QueryId, message));
        if id.len() > MAX_ID {
            return fail(format!(
                "query id {} has {} bytes, expected at most {MAX_ID}: shorten it",
                excerpt(id),
                id.len()
            ));
        }
        match str::from_utf8(id) {
            Ok(id) if !id.contains(|c: char| c.is_control() || c == '#') => Ok(id),
            _ => fail(format!("query id {} is not plain text, expected e.g. `301`: correct it", excerpt(id))),
        }
    }

    /// Field 2 as the number of a document.
    pub(super) fn document(&self) -> Result<&'a [u8], Error> {
        let document = self.fields[2];
        if document.len() > MAX_DOCUMENT {
            let message = format!(
                "document {} has {} bytes, expected at most {MAX_DOCUMENT}: shorten it",
                excerpt(document),
                document.len()
            );
            return Err(self.error(2, ErrorKind::Limit, message));
        }
        Ok(document)
    }
}

/// Whether `byte` separates fields.
fn is_space(byte: u8) -> bool {
    // Nearly every byte is decided by the first comparison.
    byte <= b' ' && byte.is_ascii_whitespace()
}

/// Whether `line` is a comment, which `trec_eval` skips since version 10: it begins with `#`.
pub(super) fn is_comment(line: &[u8]) -> bool {
    line.iter().find(|&&byte| !is_space(byte)) == Some(&b'#')
}

/// Calls `each` with the fields of every line of `text` that is neither blank nor a comment, and returns the number of
/// comments; `what` (`lines of a run`) and `form` are for errors. Every line must have `N` fields.
pub(super) fn for_each_line<'a, const N: usize>(
    text: &'a [u8],
    (what, form, own): (&str, &str, ForeignFile),
    mut each: impl FnMut(&Fields<'a, N>) -> Result<(), Error>,
) -> Result<usize, Error> {
    let (mut any, mut comments) = (false, 0);
    for (number, (_, line)) in (1..).zip(lines(text)) {
        if is_comment(line) {
            comments += 1;
            continue;
        }
        let fields = Fields::of(line, number);
        if fields.count == 0 {
            continue;
        }
        if fields.count != N {
            return Err(fields.column_count_error(what, form, Some(own)));
        }
        any = true;
        each(&fields)?;
    }
    if any {
        return Ok(comments);
    }
    let found = match comments {
        0 if text.is_empty() => "is empty",
        0 => "has only blank lines",
        _ => "has only comments and blank lines",
    };
    Err(Error::new(ErrorKind::Format, format!("{found}, expected {what} of `{form}`: check that it is complete"))
        .at(1, 1))
}
