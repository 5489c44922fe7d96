//! The cells of a line: their delimiters and their numbers.

use std::borrow::Cow;

/// The delimiter between the cells of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delimiter {
    /// A comma, a semicolon or a tab.
    Character(char),
    /// Blanks.
    Blanks,
}

/// The number in a cell: NaN if it is empty or says that there is none, `None` if it is something else. A comma may stand
/// for the point, a half may be `½`, and `60%` is 0.6.
pub(super) fn parse_number(cell: &str) -> Option<f64> {
    let cell = cell.trim();
    if cell.is_empty() || matches!(cell, "-" | "–" | "—" | "NA" | "N/A" | "n/a" | "null" | "None") {
        return Some(f64::NAN);
    }
    if let Ok(number) = cell.parse() {
        return Some(number);
    }
    if let Some(percent) = cell.strip_suffix('%') {
        return parse_number(percent).filter(|percent| !percent.is_nan()).map(|percent| percent / 100.0);
    }
    if let Some(whole) = cell.strip_suffix('½') {
        let digits = whole.bytes().all(|byte| byte.is_ascii_digit());
        return digits.then(|| whole.parse().unwrap_or(0.0) + 0.5);
    }
    if may_be_thousands(cell) { None } else { decimal_comma(cell) }
}

/// Whether a number with a comma may have thousands in front of it: `1,500` is 1.5 to some and fifteen hundred to others.
fn may_be_thousands(cell: &str) -> bool {
    let parts = cell.split_once(',');
    parts.is_some_and(|(whole, rest)| {
        rest.len() == 3 && are_digits(rest) && !whole.trim_start_matches(['-', '+', '0']).is_empty()
    })
}

fn are_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A number with one comma instead of the point, perhaps with an exponent: `1,5e-05`, as pandas writes small ones.
fn decimal_comma(cell: &str) -> Option<f64> {
    let (whole, rest) = cell.split_once(',')?;
    let (fraction, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let plain = are_digits(fraction)
        && are_digits(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))
        && !whole.contains('.');
    if plain { format!("{whole}.{rest}").parse().ok() } else { None }
}

impl Delimiter {
    /// The delimiter of a line, outside quotation marks: a semicolon or a tab if commas are only those of numbers between
    /// them; else a comma, a semicolon or a tab, whichever is there; else blanks.
    pub(super) fn of(line: &str) -> Self {
        let mut quoted = false;
        let outside = |character: &char| {
            quoted ^= *character == '"';
            !quoted
        };
        let plain: String = line.chars().filter(outside).collect();
        let only_of_numbers = |delimiter: char| {
            let mut cells = plain.split(delimiter).map(str::trim);
            cells.all(|cell| !cell.contains(',') || decimal_comma(cell.trim_end_matches('%')).is_some())
        };
        let apart = [';', '\t'].into_iter().find(|&delimiter| plain.contains(delimiter) && only_of_numbers(delimiter));
        match apart.or_else(|| [',', ';', '\t'].into_iter().find(|delimiter| plain.contains(*delimiter))) {
            Some(delimiter) => Self::Character(delimiter),
            None => Self::Blanks,
        }
    }

    /// The cells of a line, without the quotation marks around them. A delimiter at the end begins a cell only if there would
    /// be fewer than `expected` otherwise.
    pub(super) fn cells(self, line: &str, expected: usize) -> Vec<Cow<'_, str>> {
        let is_delimiter = |character: char| match self {
            Self::Character(delimiter) => character == delimiter,
            Self::Blanks => character == ' ' || character == '\t',
        };
        let mut cells = Vec::new();
        // A tab before the first cell of a line separates an empty corner from it.
        let line = line.trim_end_matches(['\r', ' ']);
        let mut rest = line;
        loop {
            rest = rest.trim_start_matches(' ');
            if self == Self::Blanks {
                rest = rest.trim_start();
            }
            if rest.is_empty() {
                break;
            }
            let (cell, end) = match split_quoted(rest, is_delimiter) {
                Some((cell, end)) => (cell, end),
                None => {
                    let end = rest.find(is_delimiter).unwrap_or(rest.len());
                    (Cow::Borrowed(rest[..end].trim()), end)
                }
            };
            cells.push(cell);
            let mut after = rest[end..].chars();
            after.next();
            rest = after.as_str();
        }
        if self != Self::Blanks && cells.len() + 1 == expected && line.ends_with(is_delimiter) {
            cells.push(Cow::Borrowed(""));
        }
        cells
    }
}

/// The text in the quotation marks that `rest` begins with, in which doubled ones stand for one, and where the delimiter
/// after it is.
fn split_quoted(rest: &str, is_delimiter: impl Fn(char) -> bool) -> Option<(Cow<'_, str>, usize)> {
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
            continue;
        }
        let blanks = after.len() - after.trim_start_matches(' ').len();
        let end = at + 2 + blanks;
        let ends =
            rest[end..].is_empty() || rest[end..].starts_with(&is_delimiter) || (blanks > 0 && is_delimiter(' '));
        let end = if is_delimiter(' ') { at + 2 } else { end };
        return ends.then(|| (Cow::Owned(text.trim().to_owned()), end));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_write_them() {
        for (cell, expected) in [
            ("0.5", 0.5),
            (" 7 ", 7.0),
            ("0,5", 0.5),
            ("0,125", 0.125),
            ("-1,25", -1.25),
            ("3½", 3.5),
            ("½", 0.5),
            ("60%", 0.6),
            ("62,5%", 0.625),
        ] {
            assert_eq!(parse_number(cell), Some(expected), "{cell}");
        }
        for cell in ["", "nan", "NaN", "NA", "-", "–", "None"] {
            assert!(parse_number(cell).is_some_and(f64::is_nan), "{cell}");
        }
        for cell in ["x", "1,2,3", "1.000,5", "0,", "a½", "%", "5,x", "1,500", "-12,000"] {
            assert_eq!(parse_number(cell), None, "{cell}");
        }
    }

    #[test]
    fn delimiters_are_recognised() {
        for (line, expected) in [
            ("0,5;0,6", ';'),
            (";a;b", ';'),
            ("0,5\t0,6", '\t'),
            ("0.5,0.6", ','),
            ("0.5, 0.6; 1", ','),
            ("a;b,c,d", ','),
            ("\"a;b\",c", ','),
            ("0.5\t0.6", '\t'),
        ] {
            assert_eq!(Delimiter::of(line), Delimiter::Character(expected), "{line}");
        }
        assert_eq!(Delimiter::of("0.5 0.6"), Delimiter::Blanks);
        let cells = |line: &str, expected| Delimiter::of(line).cells(line, expected).len();
        assert_eq!((cells("3,2,", 3), cells("3,2,", 2), cells("3,2,,", 3), cells("3;2;\r", 3)), (3, 2, 3, 3));
    }
}
