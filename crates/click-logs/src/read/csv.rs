//! Lines of CSV by the names of their columns. A record is one line: quoted fields may hold separators and doubled quotes,
//! but no line breaks.

use std::borrow::Cow;

use crate::error::{Malformed, excerpt};

/// The names of the columns, from the first line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    names: Vec<String>,
    separator: u8,
}

/// One line.
#[derive(Debug)]
pub(super) struct Row<'a, 'h> {
    fields: Vec<Cow<'a, str>>,
    /// By column: its name.
    names: &'h [String],
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
        Ok(Self { names, separator })
    }

    /// The fields of a line.
    pub(super) fn row<'a>(&self, line: &'a str) -> Result<Row<'a, '_>, Malformed> {
        let fields = fields(line, self.separator)?;
        if fields.len() != self.names.len() {
            return Err(Malformed::new(format!(
                "{} fields, but the header names {}; quote fields that hold a separator, and complete lines that are cut off",
                fields.len(),
                self.names.len()
            )));
        }
        Ok(Row { fields, names: &self.names })
    }
}

impl<'a> Row<'a, '_> {
    /// The first field that is not empty among the columns of these names.
    pub(super) fn any(&self, names: &[&str]) -> Option<Cow<'a, str>> {
        let column = |name: &&str| self.names.iter().position(|column| column == name);
        names.iter().filter_map(column).map(|at| self.fields[at].clone()).find(|field| !field.is_empty())
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
                None => return Ok(found),
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
                    return Ok(found);
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
        assert_eq!(header.row("i1;5;").unwrap().any(&["user", "time"]).as_deref(), Some("5"));
        assert!(header.row("i1;5").is_err());
        assert!(Header::read("a,b").is_err() && Header::read("impression,a,a").is_err());
    }
}
