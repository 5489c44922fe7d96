//! Files of names: one name per line, or a number, a tab and a name.

use std::io::Read as _;
use std::path::Path;

use super::{NameFault, Names};
use crate::error::{Error, ErrorKind, excerpt};
use crate::regular_file;

/// A larger file is not one of names.
const MAX_BYTES: u64 = 1 << 26;

/// The purpose of the names in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberedItem {
    /// The noun for messages, e.g. `feature`.
    pub noun: &'static str,
    /// How many there are.
    pub count: usize,
    /// The number of the first: 1 for features, 0 for arms.
    pub first: usize,
}

impl Names {
    /// Reads a file of names for `what`: either as many lines as there are numbers, each with one name, or lines of a
    /// number, a tab and a name, which may leave numbers out.
    ///
    /// # Errors
    /// With the line, if the file cannot be read or is not one of names.
    pub fn read(path: &Path, what: NumberedItem) -> Result<Self, Error> {
        let failed = |error: std::io::Error| Error::io(path, "failed to read the names", &error);
        let file = regular_file::open(path).map_err(failed)?;
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > MAX_BYTES {
            let message = format!("expected a text file of names, at most {MAX_BYTES} bytes");
            return Err(Error::new(ErrorKind::Format, message).in_file(path));
        }
        Self::parse(&bytes, what).map_err(|error| error.in_file(path))
    }

    /// The same from the content of a file.
    ///
    /// # Errors
    /// With the line.
    pub fn parse(bytes: &[u8], what: NumberedItem) -> Result<Self, Error> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count() as u64;
            Error::new(ErrorKind::Format, "not UTF-8 text; save the names as UTF-8").at(line, 1)
        })?;
        let lines: Vec<(u64, &str)> = (1..).zip(text.trim_end_matches(['\n', '\r']).lines()).collect();
        let NumberedItem { noun, count, first } = what;
        if lines.is_empty() {
            return Err(Error::new(ErrorKind::Format, format!("the file is empty, expected {count} names")));
        }
        let numbered = lines.iter().find(|(_, line)| !line.trim().is_empty());
        if numbered.is_some_and(|(_, line)| number_and_name(line).is_some()) {
            return numbered_lines(&lines, what);
        }
        if lines.len() != count {
            let message = format!(
                "found {} lines, expected {count}, the name of one {noun} on each; to name only some, write lines of a \
                 number (from {first}), a tab and a name",
                lines.len()
            );
            return Err(Error::new(ErrorKind::Syntax, message));
        }
        Self::new(lines.iter().map(|(_, line)| line))
            .map_err(|error| fault(&error.fault, lines[error.number].0, |at| at))
    }
}

/// Lines of a number, a tab and a name.
fn numbered_lines(lines: &[(u64, &str)], NumberedItem { noun, count, first }: NumberedItem) -> Result<Names, Error> {
    // The line of each number that was named.
    let mut named: Vec<Option<u64>> = vec![None; count];
    let mut names = Vec::new();
    for &(line, text) in lines.iter().filter(|(_, text)| !text.trim().is_empty()) {
        let syntax = |message: String| Err(Error::new(ErrorKind::Syntax, message).at(line, 1));
        let Some((number, name)) = number_and_name(text) else {
            let found = excerpt(text.as_bytes());
            return syntax(format!("found {found}, expected a number, a tab and a name, as on the first line"));
        };
        let place = number.checked_sub(first).filter(|place| *place < count);
        let Some(place) = place else {
            let last = (first + count).saturating_sub(1);
            return syntax(format!("there is no {noun} {number}, expected {first} to {last}"));
        };
        if let Some(before) = named[place].replace(line) {
            return syntax(format!("{noun} {number} has a name already, on line {before}; give it one"));
        }
        names.push((place, name));
    }
    let line_of = |number: usize| named[number].unwrap_or(1);
    Names::from_numbered(count, names)
        .map_err(|error| fault(&error.fault, line_of(error.number), |at| line_of(at - 1) as usize))
}

/// The number and the name of a line that consists of a number, a tab and a name.
fn number_and_name(line: &str) -> Option<(usize, &str)> {
    let (number, name) = line.split_once('\t')?;
    Some((number.trim().parse().ok()?, name))
}

/// A fault of the name on `line`; `line_of` gives the line of the name with a number from 1.
fn fault(fault: &NameFault, line: u64, line_of: impl Fn(usize) -> usize) -> Error {
    let message = match fault {
        NameFault::Repeated { name, first } => {
            format!("the name `{name}` is already on line {}; expected distinct names", line_of(first + 1))
        }
        other => format!("the name {other}"),
    };
    Error::new(ErrorKind::Syntax, message).at(line, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEATURES: NumberedItem = NumberedItem { noun: "feature", count: 3, first: 1 };

    fn parse(text: &str) -> Result<Vec<Option<String>>, String> {
        let names = Names::parse(text.as_bytes(), FEATURES).map_err(|error| {
            let place = error.line().map_or_else(String::new, |line| format!("{line}: "));
            format!("{place}{}", error.message())
        })?;
        Ok(names.iter().map(|name| name.map(str::to_owned)).collect())
    }

    #[test]
    fn names_are_read_by_line_or_by_number() {
        let some = |names: [&str; 3]| Ok(names.map(|name| (!name.is_empty()).then(|| name.to_owned())).to_vec());
        assert_eq!(parse("a\nb c\nd\n"), some(["a", "b c", "d"]));
        assert_eq!(parse("\u{feff} a \r\nb,\"c\r\n検索\n\n"), some(["a", "b,\"c", "検索"]));
        assert_eq!(parse("3\tz\n\n1\ta b\n"), some(["a b", "", "z"]));
        assert_eq!(parse("10\n20\n30"), some(["10", "20", "30"]), "numbers may be names");
    }

    #[test]
    fn the_names_of_mslr_are_complete() {
        let text = include_bytes!("../../../../datasets/names/mslr.txt");
        let names = Names::parse(text, NumberedItem { count: 136, ..FEATURES }).unwrap();
        // <http://research.microsoft.com/en-us/projects/mslr/feature.aspx>
        for (feature, name) in [(1, "covered-terms.body"), (62, "normalised-tf-mean.anchor"), (110, "bm25.document")] {
            assert_eq!(names.get(feature - 1), Some(name));
        }
        assert_eq!((names.find("pagerank"), names.find("url-dwell-time")), (Some(129), Some(135)));
    }

    #[test]
    fn faults_have_a_line() {
        for (text, expected) in [
            ("", "the file is empty, expected 3 names"),
            ("a\nb\n", "found 2 lines, expected 3, the name of one feature on each"),
            ("a\nb\nc\nd\n", "found 4 lines, expected 3"),
            ("a\n\nc\n", "2: the name is empty; expected a name"),
            ("a\nb\na\n", "3: the name `a` is already on line 1; expected distinct names"),
            ("a\nb\u{7}\nc\n", "2: the name contains the control character \\u{7}"),
            ("1\ta\n4\tb\n", "2: there is no feature 4, expected 1 to 3"),
            ("1\ta\n0\tb\n", "2: there is no feature 0, expected 1 to 3"),
            ("1\ta\nb\n", "2: found `b`, expected a number, a tab and a name"),
            ("2\ta\n\n2\tb\n", "3: feature 2 has a name already, on line 1"),
            ("3\ta\n1\ta\n", "1: the name `a` is already on line 2"),
            ("1\t \n", "1: the name is empty"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.starts_with(expected) && !error.contains('\n'), "{text:?}: {error}");
        }
        let error = Names::parse(b"a\n\xff\n", FEATURES).unwrap_err();
        assert_eq!((error.line(), error.message()), (Some(2), "not UTF-8 text; save the names as UTF-8"));
    }
}
