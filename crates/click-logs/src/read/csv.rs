//! Lines of CSV by the names of their columns. A record is one line: quoted fields may hold separators and doubled quotes,
//! but no line breaks.

use std::borrow::Cow;

use crate::error::{Malformed, excerpt};

/// The names of the columns, from the first line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    names: Vec<String>,
    separator: u8,
    /// By [`Column`]: where it is, under each of its names.
    places: Vec<Vec<usize>>,
}

/// What a column holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Column {
    Impression,
    Time,
    User,
    Session,
    Agent,
    Shown,
    Teams,
    Rankers,
    Receipt,
    Document,
    Dwell,
    Action,
}

/// The names of each [`Column`]: the first that is not empty in a line counts.
const NAMES: [&[&str]; 12] = [
    &["impression", "query_id"],
    &["time", "timestamp"],
    &["user", "user_id", "client_id"],
    &["session", "session_id"],
    &["agent"],
    &["shown", "query_response_hit_ids"],
    &["teams"],
    &["rankers"],
    &["receipt"],
    &["document", "object_id"],
    &["dwell"],
    &["action_name"],
];

/// One line.
#[derive(Debug)]
pub(super) struct Row<'a, 'h> {
    fields: Vec<Cow<'a, str>>,
    header: &'h Header,
}

impl Header {
    /// The header in the first line of a file; tabs or semicolons separate columns where there are any, commas otherwise.
    ///
    /// # Errors
    /// If a column has no name or two have the same, or no name is one of an impression or click.
    pub fn read(line: &str) -> Result<Self, Malformed> {
        let line = line.trim_start_matches('\u{feff}');
        let separator =
            [b'\t', b';'].into_iter().find(|&separator| line.as_bytes().contains(&separator)).unwrap_or(b',');
        let fields = fields(line, separator)?;
        let names: Vec<String> = fields.iter().map(|name| name.trim().to_owned()).collect();
        if let Some(at) = (1..names.len()).find(|&at| names[..at].contains(&names[at])) {
            return Err(Malformed::new(format!("two columns are called {}; rename one", excerpt(&names[at]))));
        }
        if !names.iter().any(|name| name == "impression" || name == "query_id") {
            return Err(Malformed::new(format!(
                "no column `impression` (or `query_id`) in the header {}; expected names in the first line, e.g. \
                 impression,time,user,shown,teams or impression,time,document",
                excerpt(line)
            )));
        }
        let place = |name: &&str| names.iter().position(|column| column == name);
        let places = NAMES.iter().map(|alike| alike.iter().filter_map(place).collect()).collect();
        Ok(Self { names, separator, places })
    }

    /// What separates columns.
    pub(super) fn separator(&self) -> u8 {
        self.separator
    }

    /// The number of columns.
    pub(super) fn columns(&self) -> usize {
        self.names.len()
    }

    /// The columns that hold it; the first that is not empty counts.
    pub(super) fn places(&self, column: Column) -> &[usize] {
        &self.places[column as usize]
    }

    /// The fields of a line.
    pub(super) fn row<'a>(&self, line: &'a str) -> Result<Row<'a, '_>, Malformed> {
        let mut fields = Vec::with_capacity(self.names.len());
        split(line, self.separator, &mut fields)?;
        if fields.len() != self.names.len() {
            return Err(Malformed::new(format!(
                "{} fields, but the header names {}; quote fields that hold a separator, and complete lines that are cut off",
                fields.len(),
                self.names.len()
            )));
        }
        Ok(Row { fields, header: self })
    }
}

impl<'a> Row<'a, '_> {
    /// The first field that is not empty among the columns that hold it. It is taken out.
    pub(super) fn take(&mut self, column: Column) -> Option<Cow<'a, str>> {
        let mut places = self.header.places[column as usize].iter();
        let place = places.find(|place| !self.fields[**place].is_empty())?;
        Some(std::mem::take(&mut self.fields[*place]))
    }
}

/// Lines of other tables in the same form.
pub struct Fields;

impl Fields {
    /// The fields of a line.
    ///
    /// # Errors
    /// If a quoted field does not end, or something follows its end.
    pub fn split(line: &str, separator: u8) -> Result<Vec<Cow<'_, str>>, Malformed> {
        fields(line, separator)
    }
}

/// The fields of a line.
fn fields(line: &str, separator: u8) -> Result<Vec<Cow<'_, str>>, Malformed> {
    let mut found = Vec::with_capacity(8);
    split(line, separator, &mut found)?;
    Ok(found)
}

fn split<'a>(line: &'a str, separator: u8, found: &mut Vec<Cow<'a, str>>) -> Result<(), Malformed> {
    let mut rest = line;
    loop {
        if let Some(quoted) = rest.strip_prefix('"') {
            let unended = || Malformed::new("a quoted field does not end on its line; expected one record per line");
            let mut from = 0;
            let end = loop {
                let quote = from + quoted[from..].find('"').ok_or_else(unended)?;
                if quoted.as_bytes().get(quote + 1) != Some(&b'"') {
                    break quote;
                }
                from = quote + 2;
            };
            let text = &quoted[..end];
            found.push(if text.contains('"') { Cow::Owned(text.replace("\"\"", "\"")) } else { Cow::Borrowed(text) });
            rest = &quoted[end + 1..];
            match rest.as_bytes().first() {
                None => return Ok(()),
                Some(byte) if *byte == separator => rest = &rest[1..],
                Some(_) => {
                    let column = (line.len() - rest.len()) as u64 + 1;
                    let message = format!("{} after a quoted field; expected a separator", excerpt(rest));
                    return Err(Malformed { column: Some(column), message });
                }
            }
        } else {
            match memchr::memchr(separator, rest.as_bytes()) {
                Some(end) => {
                    found.push(Cow::Borrowed(&rest[..end]));
                    rest = &rest[end + 1..];
                }
                None => {
                    found.push(Cow::Borrowed(rest));
                    return Ok(());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_split_and_unquoted() {
        for (line, expected) in [
            ("a,b,c", vec!["a", "b", "c"]),
            ("", vec![""]),
            ("a,,", vec!["a", "", ""]),
            (r#""a,b",c"#, vec!["a,b", "c"]),
            (r#""say ""hi""",x"#, vec![r#"say "hi""#, "x"]),
            (r#"a,"""#, vec!["a", ""]),
        ] {
            assert_eq!(fields(line, b',').unwrap(), expected, "{line}");
        }
        assert!(fields(r#""a"#, b',').is_err() && fields(r#""a"" "#, b',').is_err());
        assert_eq!(fields(r#"x,"a"b"#, b',').unwrap_err().column, Some(6));
    }

    #[test]
    fn headers_name_columns() {
        let header = Header::read("\u{feff}impression;time;user").unwrap();
        assert_eq!(header.row("i1;5;").unwrap().take(Column::Time).as_deref(), Some("5"));
        assert_eq!(header.row("i1;5;").unwrap().take(Column::User), None);
        let several = Header::read("query_id,user_id,user,impression").unwrap();
        let mut row = several.row("q,u,,").unwrap();
        assert_eq!(
            [Column::User, Column::Impression].map(|column| row.take(column)),
            [Some("u".into()), Some("q".into())]
        );
        assert!(header.row("i1;5").is_err());
        assert!(Header::read("a,b").is_err() && Header::read("impression,a,a").is_err());
    }
}
