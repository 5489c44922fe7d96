//! Lines of CSV by the names of their columns. A record is one line: quoted fields may hold separators and doubled quotes,
//! but no line breaks.

use std::borrow::Cow;

use ranktypes::text::excerpt;

use super::fields::LineFields;
use super::json::{add_object, hits_of_text};
use super::lists::ListSeparator;
use super::names::{Container, Field, LineKind, Slot, slot};
use super::value::Value;
use crate::error::LineError;

/// The names of the columns, from the first line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    count: usize,
    separator: u8,
    /// By [`LineKind`].
    kinds: Box<[Columns; 3]>,
}

/// The fields that the columns hold, for one kind of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Columns {
    slots: Vec<Option<Slot>>,
    /// By [`Field`]: its column.
    places: [Option<usize>; FIELDS],
    /// Whether each field has one column at most, and no column holds an object.
    is_plain: bool,
}

const FIELDS: usize = Field::Count as usize + 1;

impl Columns {
    fn of(names: &[String], kind: LineKind) -> Self {
        // Only in lines of JSON is a document an object.
        let is_column = |slot: &Slot| !matches!(slot, Slot::Object(Container::Document, _));
        let slots: Vec<_> = names.iter().map(|name| slot(kind, Container::Line, name).filter(is_column)).collect();
        let mut field_columns = [None; FIELDS];
        let mut is_plain = true;
        for (column, slot) in slots.iter().enumerate() {
            match *slot {
                None => {}
                Some(Slot::Object(..)) => is_plain = false,
                Some(Slot::Field(field, _)) => {
                    let is_first = field_columns[field as usize].replace(column).is_none();
                    // Some fields show that a line is of the other kind.
                    let is_strange = match field {
                        Field::Action => kind == LineKind::Impressions,
                        Field::Shown => kind == LineKind::Clicks,
                        Field::Displayed
                        | Field::Hits
                        | Field::Documents
                        | Field::SearchConfiguration
                        | Field::Count => true,
                        _ => false,
                    };
                    is_plain &= is_first && !is_strange;
                }
            }
        }
        Self { slots, places: field_columns, is_plain }
    }
}

impl Header {
    /// The header in the first line of a file; tabs or semicolons separate columns where there are any, commas otherwise.
    ///
    /// # Errors
    /// If a column has no name or two have the same, or no name is one of an impression or click.
    pub fn read(line: &str) -> Result<Self, LineError> {
        Self::from_line(line, false)
    }

    /// The header in the first line of a file of conversions, or of impressions and clicks.
    ///
    /// # Errors
    /// As [`read`](Self::read); conversions need a document.
    pub(super) fn from_line(line: &str, are_conversions: bool) -> Result<Self, LineError> {
        let line = line.trim_start_matches('\u{feff}');
        let separator =
            [b'\t', b';'].into_iter().find(|&separator| line.as_bytes().contains(&separator)).unwrap_or(b',');
        let fields = fields(line, separator)?;
        let names: Vec<String> = fields.iter().map(|name| name.trim().to_owned()).collect();
        if let Some(at) = (1..names.len()).find(|&at| names[..at].contains(&names[at])) {
            return Err(LineError::new(format!("two columns are called {}; rename one", excerpt(&names[at]))));
        }
        let columns_by_kind =
            [LineKind::Impressions, LineKind::Clicks, LineKind::Conversions].map(|kind| Columns::of(&names, kind));
        let names_impressions = |slot: &Slot| {
            use Container as C;
            matches!(slot, Slot::Field(Field::Impression, _) | Slot::Object(C::Line | C::Extension | C::Ubi, _))
        };
        let names_conversions = |slot: &Slot| {
            use Container as C;
            matches!(slot, Slot::Field(Field::Document, _) | Slot::Object(C::Line | C::EventAttributes | C::Object, _))
        };
        if are_conversions && !columns_by_kind[2].slots.iter().flatten().any(names_conversions) {
            return Err(LineError::new(format!(
                "no column `document` in the header {}; expected names in the first line, e.g. user,document,time,value,order",
                excerpt(line)
            )));
        }
        if !are_conversions && !columns_by_kind[0].slots.iter().flatten().any(names_impressions) {
            return Err(LineError::new(format!(
                "no column `impression` (or `query_id`) in the header {}; expected names in the first line, e.g. \
                 impression,time,user,shown,teams or impression,time,document",
                excerpt(line)
            )));
        }
        Ok(Self { count: names.len(), separator, kinds: Box::new(columns_by_kind) })
    }

    fn columns_of(&self, kind: LineKind) -> &Columns {
        &self.kinds[kind as usize]
    }

    /// The separator of columns.
    pub(super) fn separator(&self) -> u8 {
        self.separator
    }

    /// A line without white space around it; tabs that separate columns stay, because the columns at the ends may be empty.
    pub(super) fn trim<'a>(&self, line: &'a str) -> &'a str {
        if self.separator == b'\t' { line } else { line.trim_ascii() }
    }

    /// The number of columns.
    pub(super) fn columns(&self) -> usize {
        self.count
    }

    /// Whether lines of a kind have one column at most for each field, and no objects.
    pub(super) fn is_plain(&self, kind: LineKind) -> bool {
        self.columns_of(kind).is_plain
    }

    /// The column that holds a field, if the header [is plain](Self::is_plain).
    pub(super) fn place(&self, kind: LineKind, field: Field) -> Option<usize> {
        self.columns_of(kind).places[field as usize]
    }

    /// The fields of a line, whose lists are separated by `list_separator`.
    pub(super) fn fields<'a>(
        &self,
        line: &'a str,
        kind: LineKind,
        list_separator: ListSeparator,
    ) -> Result<LineFields<'a>, LineError> {
        let mut texts = Vec::with_capacity(self.count);
        split(self.trim(line), self.separator, &mut texts)?;
        if texts.len() != self.count {
            return Err(LineError::new(format!(
                "{} fields, but the header names {}; quote fields that hold a separator, and complete lines that are cut off",
                texts.len(),
                self.count
            )));
        }
        let mut fields = LineFields::new(kind, list_separator);
        for (slot, text) in self.columns_of(kind).slots.iter().zip(texts) {
            if let Some(Slot::Field(field, _)) = slot {
                fields.has_place(*field);
            }
            match *slot {
                None => {}
                Some(Slot::Field(..)) if text.is_empty() => {}
                Some(Slot::Field(field @ (Field::Hits | Field::Documents), name)) => {
                    let hits = hits_of_text(&text, field).unwrap_or(Value::Text(text));
                    fields.add(field, name, hits);
                }
                Some(Slot::Field(field, name)) => fields.add(field, name, Value::Text(text)),
                Some(Slot::Object(within, name)) => add_object(text, within, name, &mut fields),
            }
        }
        Ok(fields)
    }
}

/// Lines of other tables in the same form.
pub struct Fields;

impl Fields {
    /// The fields of a line.
    ///
    /// # Errors
    /// If a quoted field does not end, or something follows its end.
    pub fn split(line: &str, separator: u8) -> Result<Vec<Cow<'_, str>>, LineError> {
        fields(line, separator)
    }
}

/// The fields of a line.
fn fields(line: &str, separator: u8) -> Result<Vec<Cow<'_, str>>, LineError> {
    let mut found = Vec::with_capacity(8);
    split(line, separator, &mut found)?;
    Ok(found)
}

fn split<'a>(line: &'a str, separator: u8, fields: &mut Vec<Cow<'a, str>>) -> Result<(), LineError> {
    let mut tail = line;
    loop {
        if let Some(quoted_text) = tail.strip_prefix('"') {
            let unended = || LineError::new("a quoted field does not end on its line; expected one record per line");
            let mut search_start = 0;
            let end = loop {
                let quote = search_start + quoted_text[search_start..].find('"').ok_or_else(unended)?;
                if quoted_text.as_bytes().get(quote + 1) != Some(&b'"') {
                    break quote;
                }
                search_start = quote + 2;
            };
            let text = &quoted_text[..end];
            fields.push(if text.contains('"') { Cow::Owned(text.replace("\"\"", "\"")) } else { Cow::Borrowed(text) });
            tail = &quoted_text[end + 1..];
            match tail.as_bytes().first() {
                None => return Ok(()),
                Some(byte) if *byte == separator => tail = &tail[1..],
                Some(_) => {
                    let column = (line.len() - tail.len()) as u64 + 1;
                    let message = format!("{} after a quoted field; expected a separator", excerpt(tail));
                    return Err(LineError { column: Some(column), message });
                }
            }
        } else {
            match memchr::memchr(separator, tail.as_bytes()) {
                Some(end) => {
                    fields.push(Cow::Borrowed(&tail[..end]));
                    tail = &tail[end + 1..];
                }
                None => {
                    fields.push(Cow::Borrowed(tail));
                    return Ok(());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use times::Zone;

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
        let mut fields = header.fields("i1;1795000005;", LineKind::Impressions, ListSeparator::BySpaces).unwrap();
        assert_eq!(fields.take_time(Zone::default()), Ok(1_795_000_005_000));
        assert_eq!(fields.take_text(Field::User), None);
        assert!(header.is_plain(LineKind::Impressions));
        // Columns between tabs may be empty, also the first and the last.
        let tabs = Header::read("user\timpression\ttime\tsession").unwrap();
        let mut fields = tabs.fields("\ti1\t5\t", LineKind::Impressions, ListSeparator::BySpaces).unwrap();
        assert_eq!(
            [Field::User, Field::Impression, Field::Session].map(|field| fields.take_text(field)),
            [None, Some("i1".into()), None]
        );
        let several = Header::read("query_id,user_id,user,impression").unwrap();
        assert!(!several.is_plain(LineKind::Impressions) && !several.is_plain(LineKind::Clicks));
        let mut fields = several.fields("q,u,,", LineKind::Impressions, ListSeparator::BySpaces).unwrap();
        assert_eq!(
            [Field::User, Field::Impression].map(|field| fields.take_text(field)),
            [Some("u".into()), Some("q".into())]
        );
        assert!(header.fields("i1;5", LineKind::Impressions, ListSeparator::BySpaces).is_err());
        assert!(Header::read("a,b").is_err() && Header::read("impression,a,a").is_err());
    }
}
