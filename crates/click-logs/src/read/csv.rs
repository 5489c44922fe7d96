//! Lines of CSV by the names of their columns. A record is one line: quoted fields may hold separators and doubled quotes,
//! but no line breaks.

use std::borrow::Cow;

use ranktypes::text::excerpt;

use super::fields::LineFields;
use super::json::{add_object, hits_of_text};
use super::lists::Separated;
use super::names::{Container, Field, Kind, Slot, slot};
use super::value::Value;
use crate::error::Malformed;

/// The names of the columns, from the first line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    count: usize,
    separator: u8,
    /// By [`Kind`].
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
    fn of(names: &[String], kind: Kind) -> Self {
        // Only in lines of JSON is a document an object.
        let is_column = |slot: &Slot| !matches!(slot, Slot::Object(Container::Document, _));
        let slots: Vec<_> = names.iter().map(|name| slot(kind, Container::Line, name).filter(is_column)).collect();
        let mut places = [None; FIELDS];
        let mut is_plain = true;
        for (place, slot) in slots.iter().enumerate() {
            match *slot {
                None => {}
                Some(Slot::Object(..)) => is_plain = false,
                Some(Slot::Field(field, _)) => {
                    let is_first = places[field as usize].replace(place).is_none();
                    // Some fields show that a line is of the other kind.
                    let is_strange = match field {
                        Field::Action => kind == Kind::Impressions,
                        Field::Shown => kind == Kind::Clicks,
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
        Self { slots, places, is_plain }
    }
}

impl Header {
    /// The header in the first line of a file; tabs or semicolons separate columns where there are any, commas otherwise.
    ///
    /// # Errors
    /// If a column has no name or two have the same, or no name is one of an impression or click.
    pub fn read(line: &str) -> Result<Self, Malformed> {
        Self::of_kinds(line, false)
    }

    /// The header in the first line of a file of conversions, or of impressions and clicks.
    ///
    /// # Errors
    /// As [`read`](Self::read); conversions need a document.
    pub(super) fn of_kinds(line: &str, are_conversions: bool) -> Result<Self, Malformed> {
        let line = line.trim_start_matches('\u{feff}');
        let separator =
            [b'\t', b';'].into_iter().find(|&separator| line.as_bytes().contains(&separator)).unwrap_or(b',');
        let fields = fields(line, separator)?;
        let names: Vec<String> = fields.iter().map(|name| name.trim().to_owned()).collect();
        if let Some(at) = (1..names.len()).find(|&at| names[..at].contains(&names[at])) {
            return Err(Malformed::new(format!("two columns are called {}; rename one", excerpt(&names[at]))));
        }
        let kinds = [Kind::Impressions, Kind::Clicks, Kind::Conversions].map(|kind| Columns::of(&names, kind));
        let names_impressions = |slot: &Slot| {
            use Container as C;
            matches!(slot, Slot::Field(Field::Impression, _) | Slot::Object(C::Line | C::Extension | C::Ubi, _))
        };
        let names_conversions = |slot: &Slot| {
            use Container as C;
            matches!(slot, Slot::Field(Field::Document, _) | Slot::Object(C::Line | C::EventAttributes | C::Object, _))
        };
        if are_conversions && !kinds[2].slots.iter().flatten().any(names_conversions) {
            return Err(Malformed::new(format!(
                "no column `document` in the header {}; expected names in the first line, e.g. user,document,time,value,order",
                excerpt(line)
            )));
        }
        if !are_conversions && !kinds[0].slots.iter().flatten().any(names_impressions) {
            return Err(Malformed::new(format!(
                "no column `impression` (or `query_id`) in the header {}; expected names in the first line, e.g. \
                 impression,time,user,shown,teams or impression,time,document",
                excerpt(line)
            )));
        }
        Ok(Self { count: names.len(), separator, kinds: Box::new(kinds) })
    }

    fn of_kind(&self, kind: Kind) -> &Columns {
        &self.kinds[kind as usize]
    }

    /// The separator of columns.
    pub(super) fn separator(&self) -> u8 {
        self.separator
    }

    /// A line without white space around it; tabs that separate columns stay, because the columns at the ends may be empty.
    pub(super) fn trimmed<'a>(&self, line: &'a str) -> &'a str {
        if self.separator == b'\t' { line } else { line.trim_ascii() }
    }

    /// The number of columns.
    pub(super) fn columns(&self) -> usize {
        self.count
    }

    /// Whether lines of a kind have one column at most for each field, and no objects.
    pub(super) fn is_plain(&self, kind: Kind) -> bool {
        self.of_kind(kind).is_plain
    }

    /// The column that holds a field, if the header [is plain](Self::is_plain).
    pub(super) fn place(&self, kind: Kind, field: Field) -> Option<usize> {
        self.of_kind(kind).places[field as usize]
    }

    /// The fields of a line, with lists in the form `separated`.
    pub(super) fn fields<'a>(
        &self,
        line: &'a str,
        kind: Kind,
        separated: Separated,
    ) -> Result<LineFields<'a>, Malformed> {
        let mut texts = Vec::with_capacity(self.count);
        split(self.trimmed(line), self.separator, &mut texts)?;
        if texts.len() != self.count {
            return Err(Malformed::new(format!(
                "{} fields, but the header names {}; quote fields that hold a separator, and complete lines that are cut off",
                texts.len(),
                self.count
            )));
        }
        let mut fields = LineFields::new(kind, separated);
        for (slot, text) in self.of_kind(kind).slots.iter().zip(texts) {
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
        let mut fields = header.fields("i1;1795000005;", Kind::Impressions, Separated::BySpaces).unwrap();
        assert_eq!(fields.take_time(Zone::default()), Ok(1_795_000_005_000));
        assert_eq!(fields.take_text(Field::User), None);
        assert!(header.is_plain(Kind::Impressions));
        // Columns between tabs may be empty, also the first and the last.
        let tabs = Header::read("user\timpression\ttime\tsession").unwrap();
        let mut fields = tabs.fields("\ti1\t5\t", Kind::Impressions, Separated::BySpaces).unwrap();
        assert_eq!(
            [Field::User, Field::Impression, Field::Session].map(|field| fields.take_text(field)),
            [None, Some("i1".into()), None]
        );
        let several = Header::read("query_id,user_id,user,impression").unwrap();
        assert!(!several.is_plain(Kind::Impressions) && !several.is_plain(Kind::Clicks));
        let mut fields = several.fields("q,u,,", Kind::Impressions, Separated::BySpaces).unwrap();
        assert_eq!(
            [Field::User, Field::Impression].map(|field| fields.take_text(field)),
            [Some("u".into()), Some("q".into())]
        );
        assert!(header.fields("i1;5", Kind::Impressions, Separated::BySpaces).is_err());
        assert!(Header::read("a,b").is_err() && Header::read("impression,a,a").is_err());
    }
}
