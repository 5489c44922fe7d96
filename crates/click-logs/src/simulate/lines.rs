//! Writes lines of logs in several dialects, in no particular order.

use std::io::Write as _;

use interleave::Generator;
use rand::{RngExt, SeedableRng};
use times as time;

use super::orders::{ConversionLine, UnitConversions};
use super::truth::{CountedUnit, PAIRS};
use crate::read::base64;

/// The dialect of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// JSON Lines with our own fields.
    Json,
    /// CSV with our own columns.
    Csv,
    /// User Behavior Insights 1.3: `ubi_queries` with teams in `query_attributes`, `ubi_events`.
    Ubi,
    /// The same with the response of OpenSearch, `_search_configuration` per hit.
    OpenSearch,
    /// The same with the response of Solr, `[interleaving]` per document.
    Solr,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Json, Self::Csv, Self::Ubi, Self::OpenSearch, Self::Solr];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "jsonl",
            Self::Csv => "csv",
            Self::Ubi => "ubi",
            Self::OpenSearch => "opensearch",
            Self::Solr => "solr",
        }
    }

    /// The extension of its files.
    #[must_use]
    pub fn extension(self) -> &'static str {
        if self == Self::Csv { "csv" } else { "jsonl" }
    }

    /// The first lines of a file of impressions and of one of clicks, of a log without pages and versions.
    pub(super) fn headers(self) -> [&'static str; 2] {
        match self {
            Self::Csv => [
                "impression,time,user,session,agent,pairs,shown,teams,rankers,receipt\n",
                "impression,document,time,dwell\n",
            ],
            _ => ["", ""],
        }
    }

    pub(super) fn has_receipts(self) -> bool {
        matches!(self, Self::Json | Self::Csv)
    }
}

/// The columns of the rows about units.
pub const UNITS: &str = "unit,version,day,first,second,net";

/// The columns of the rows on orders by unit.
pub const CONVERSION_UNITS: &str =
    "unit,version,day,first,second,first_conversions,second_conversions,first_value,second_value";

/// Numbers of users are below this power of ten.
const DIGITS: u32 = 12;
/// A stretch of [`Lines::each_conversion_unit`]: all users are a thousand of them.
pub const STRETCH_OF_UNITS: i64 = 10_i64.pow(DIGITS) * 16 / 1000;

/// Lines of impressions, clicks and conversions, and the truth about their users.
#[derive(Debug, Clone, Default)]
pub struct Lines {
    impressions: ShuffledLines,
    clicks: ShuffledLines,
    conversions: ShuffledLines,
    /// Rows of CSV.
    units: Vec<u8>,
    /// Rows of CSV, each with a number that sorts them by the text of the unit.
    conversion_units: ShuffledLines,
}

#[derive(Debug, Clone, Default)]
struct ShuffledLines {
    bytes: Vec<u8>,
    lines: Vec<LineSpan>,
}

/// The beginning and end of a line, and its time or another sort key.
#[derive(Debug, Clone, Copy)]
struct LineSpan {
    start: usize,
    end: usize,
    time: i64,
}

impl ShuffledLines {
    fn push(&mut self, time: i64, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.bytes.len();
        write(&mut self.bytes);
        self.bytes.push(b'\n');
        self.lines.push(LineSpan { start, end: self.bytes.len(), time });
    }

    fn shuffle(&mut self, generator: &mut Generator) {
        for at in (1..self.lines.len()).rev() {
            self.lines.swap(at, generator.random_range(0..=at));
        }
    }

    fn text(&self) -> Vec<u8> {
        let mut text = Vec::with_capacity(self.bytes.len());
        self.each().for_each(|(_, line)| text.extend_from_slice(line));
        text
    }

    fn each(&self) -> impl Iterator<Item = (i64, &[u8])> {
        self.lines.iter().map(|&LineSpan { start, end, time }| (time, &self.bytes[start..end]))
    }
}

/// An impression as it is written.
#[derive(Clone, Copy)]
pub(super) struct ImpressionLine<'a> {
    pub(super) id: u64,
    pub(super) time: i64,
    pub(super) user: u64,
    pub(super) session: u64,
    pub(super) agent: &'a str,
    pub(super) query: usize,
    /// The displayed documents; empty if the receipt has them.
    pub(super) shown: &'a [u16],
    /// The drawn documents, if the page displayed something else.
    pub(super) mixed: Option<&'a [u16]>,
    /// Documents that others placed on the page.
    pub(super) pinned: &'a [u16],
    /// The number of places that the user saw, if the line has it.
    pub(super) paged: Option<usize>,
    /// The experiment and its version, if they are fields of the line.
    pub(super) version: Option<(&'a str, &'a str)>,
    /// Whether other lines have these fields.
    pub(super) has_more: bool,
    /// The rankers, in the order of the method's lists.
    pub(super) rankers: [&'a str; 2],
    pub(super) credit: CreditLine<'a>,
}

/// The data that credit needs.
#[derive(Clone, Copy)]
pub(super) enum CreditLine<'a> {
    /// By position in the mixed list: ranker 0 or 1, or no owner.
    Teams(&'a [Option<u8>]),
    /// The bytes of a receipt.
    Receipt(&'a [u8]),
}

/// A click as it is written.
pub(super) struct ClickLine {
    pub(super) id: u64,
    pub(super) query: usize,
    pub(super) document: u16,
    pub(super) time: i64,
    /// Seconds.
    pub(super) dwell: f64,
}

impl Lines {
    /// The bytes of the impressions, and of the clicks.
    #[must_use]
    pub fn text(&self) -> [Vec<u8>; 2] {
        [self.impressions.text(), self.clicks.text()]
    }

    /// The truth about the users that count, as rows of CSV with the columns [`UNITS`].
    #[must_use]
    pub fn units(&self) -> &[u8] {
        &self.units
    }

    /// The bytes of the conversions, if there are orders.
    #[must_use]
    pub fn conversions(&self) -> Vec<u8> {
        self.conversions.text()
    }

    /// The truth about orders by unit, as rows of CSV with the columns [`CONVERSION_UNITS`]. Sorted by their numbers, and by arrival
    /// among equal numbers, they are sorted by the text of the unit, version and pair.
    pub fn each_conversion_unit(&self) -> impl Iterator<Item = (i64, &[u8])> {
        self.conversion_units.each()
    }

    /// Passes each line with its time to `take`: impressions (0), then clicks (1), then conversions (2).
    ///
    /// # Errors
    /// The errors of `take`.
    pub fn each<E>(&self, mut take: impl FnMut(usize, i64, &[u8]) -> Result<(), E>) -> Result<(), E> {
        for (kind, lines) in [&self.impressions, &self.clicks, &self.conversions].into_iter().enumerate() {
            lines.each().try_for_each(|(time, line)| take(kind, time, line))?;
        }
        Ok(())
    }

    pub(super) fn shuffle(&mut self, seed: u64, block: u64) {
        let mut generator = interleave::keyed::RunKey::new(seed, 3).impression(block).lists();
        let mut other = Generator::seed_from_u64(generator.random());
        self.impressions.shuffle(&mut generator);
        self.clicks.shuffle(&mut other);
        // From a random stream of its own: with orders, the other lines stay as they are.
        self.conversions.shuffle(&mut interleave::keyed::RunKey::new(seed, 5).impression(block).lists());
    }

    pub(super) fn impression(&mut self, dialect: Dialect, line: &ImpressionLine<'_>) {
        self.impressions.push(line.time, |out| {
            // Vectors take all that is written.
            let _ = write_impression(dialect, line, out);
        });
    }

    pub(super) fn unit(&mut self, user: u64, unit: &CountedUnit, names: &[String]) {
        let CountedUnit { version, day, pair: (first, second), net } = unit;
        let (version, day) = (version.as_deref().unwrap_or_default(), time::date(*day));
        let _ = writeln!(self.units, "u{user},{version},{day},{},{},{net}", names[*first], names[*second]);
    }

    pub(super) fn conversion(&mut self, dialect: Dialect, line: &ConversionLine) {
        self.conversions.push(line.time, |out| {
            let _ = line.write(dialect, out);
        });
    }

    pub(super) fn conversion_unit(&mut self, user: u64, unit: &UnitConversions, names: &[String]) {
        let UnitConversions { version, day, pair: (first, second), conversions, value } = unit;
        let (version, day) = (version.as_deref().unwrap_or_default(), time::date(*day));
        self.conversion_units.push(text_order(user), |out| {
            let _ = write!(
                out,
                "u{user},{version},{day},{},{},{},{},{},{}",
                names[*first], names[*second], conversions[0], conversions[1], value[0], value[1]
            );
        });
    }

    pub(super) fn click(&mut self, dialect: Dialect, line: &ClickLine) {
        self.clicks.push(line.time, |out| {
            let _ = write_click(dialect, line, out);
        });
    }
}

/// Numbers in the order of their texts: `10` before `9`.
fn text_order(number: u64) -> i64 {
    let digits = number.checked_ilog10().unwrap_or(0) + 1;
    (number * 10_u64.pow(DIGITS.saturating_sub(digits)) * 16 + u64::from(digits)) as i64
}

fn write_impression(dialect: Dialect, line: &ImpressionLine<'_>, out: &mut Vec<u8>) -> std::io::Result<()> {
    let ImpressionLine { id, time, user, session, agent, query, shown, rankers, .. } = *line;
    let pairs = PAIRS.name();
    match dialect {
        Dialect::Json => {
            write!(
                out,
                r#"{{"impression":"{id:016x}","time":{time},"user":"u{user}","session":"s{session}","agent":"{agent}","pairs":"{pairs}","#
            )?;
            if !shown.is_empty() {
                json_list(out, "shown", query, shown)?;
                out.push(b',');
            }
            write_more(line, out)?;
            match &line.credit {
                CreditLine::Teams(teams) => {
                    out.extend_from_slice(br#""teams":["#);
                    list(out, ",", teams.len(), |out, position| line.write_owner(out, position))?;
                    write!(out, r#"],"rankers":["{}","{}"]}}"#, rankers[0], rankers[1])
                }
                CreditLine::Receipt(bytes) => {
                    write!(out, r#""receipt":"{}","rankers":["{}","{}"]}}"#, base64(bytes), rankers[0], rankers[1])
                }
            }
        }
        Dialect::Csv => {
            write!(out, "{id:016x},{time},u{user},s{session},{agent},{pairs},")?;
            csv_list(out, query, shown)?;
            out.push(b',');
            match &line.credit {
                CreditLine::Teams(teams) => {
                    list(out, " ", teams.len(), |out, position| {
                        write!(out, "{}", line.owner(position).unwrap_or("-"))
                    })?;
                    write!(out, ",{} {},", rankers[0], rankers[1])?;
                }
                CreditLine::Receipt(bytes) => write!(out, ",{} {},{}", rankers[0], rankers[1], base64(bytes))?,
            }
            if line.has_more {
                out.push(b',');
                csv_list(out, query, line.mixed.unwrap_or_default())?;
                out.push(b',');
                csv_list(out, query, line.pinned)?;
                let (experiment, version) = line.version.unwrap_or_default();
                write!(
                    out,
                    ",{},{experiment},{version}",
                    line.paged.map_or_else(String::new, |paged| paged.to_string())
                )?;
            }
            Ok(())
        }
        Dialect::Ubi | Dialect::OpenSearch | Dialect::Solr => {
            let when = time::text(time);
            write!(
                out,
                r#"{{"application":"simulated","query_id":"{id:016x}","client_id":"u{user}","user_query":"query {query}","timestamp":"{when}","#
            )?;
            // The documents that the engine returned.
            let returned = line.mixed.unwrap_or(shown);
            json_list(out, "query_response_hit_ids", query, returned)?;
            write!(out, r#","query_attributes":{{"session_id":"s{session}","agent":"{agent}","pairs":"{pairs}","#)?;
            if line.mixed.is_some() {
                json_list(out, "shown", query, shown)?;
                out.push(b',');
            }
            write_more(&ImpressionLine { mixed: None, credit: CreditLine::Teams(&[]), ..*line }, out)?;
            write!(out, r#""rankers":["{}","{}"]"#, rankers[0], rankers[1])?;
            let owner = |out: &mut Vec<u8>, position: usize| line.write_owner(out, position);
            match dialect {
                Dialect::OpenSearch => {
                    write!(
                        out,
                        r#"}},"response":{{"took":3,"hits":{{"total":{{"value":30,"relation":"eq"}},"hits":["#
                    )?;
                    list(out, ",", returned.len(), |out, position| {
                        write!(
                            out,
                            r#"{{"_index":"shop","_id":"{query}.{}","_score":1.0,"_search_configuration":"#,
                            returned[position]
                        )?;
                        owner(out, position)?;
                        write!(out, "}}")
                    })?;
                    write!(out, "]}}}}}}")
                }
                Dialect::Solr => {
                    write!(out, r#"}},"response":{{"response":{{"numFound":30,"start":0,"docs":["#)?;
                    list(out, ",", returned.len(), |out, position| {
                        write!(out, r#"{{"id":"{query}.{}","[interleaving]":"#, returned[position])?;
                        owner(out, position)?;
                        write!(out, "}}")
                    })?;
                    write!(out, "]}}}}}}")
                }
                _ => {
                    out.extend_from_slice(br#","teams":["#);
                    list(out, ",", returned.len(), owner)?;
                    write!(out, "]}}}}")
                }
            }
        }
    }
}

impl ImpressionLine<'_> {
    /// The ranker that owns a document that was mixed.
    fn owner(&self, position: usize) -> Option<&str> {
        match &self.credit {
            CreditLine::Teams(teams) => teams[position].map(|team| self.rankers[usize::from(team)]),
            CreditLine::Receipt(_) => None,
        }
    }

    fn write_owner(&self, out: &mut Vec<u8>, at: usize) -> std::io::Result<()> {
        match self.owner(at) {
            Some(name) => write!(out, r#""{name}""#),
            None => write!(out, "null"),
        }
    }
}

/// The fields of pages and versions, each with a comma behind it.
fn write_more(line: &ImpressionLine<'_>, out: &mut Vec<u8>) -> std::io::Result<()> {
    if let Some(mixed) = line.mixed {
        json_list(out, "mixed", line.query, mixed)?;
        out.push(b',');
    }
    if !line.pinned.is_empty() {
        json_list(out, "pinned", line.query, line.pinned)?;
        out.push(b',');
    }
    if let Some(paged) = line.paged {
        write!(out, r#""paged":{paged},"#)?;
    }
    match line.version {
        Some((experiment, version)) => write!(out, r#""experiment":"{experiment}","version":"{version}","#),
        None => Ok(()),
    }
}

fn json_list(out: &mut Vec<u8>, name: &str, query: usize, documents: &[u16]) -> std::io::Result<()> {
    write!(out, r#""{name}":["#)?;
    list(out, ",", documents.len(), |out, at| write!(out, r#""{query}.{}""#, documents[at]))?;
    out.push(b']');
    Ok(())
}

fn csv_list(out: &mut Vec<u8>, query: usize, documents: &[u16]) -> std::io::Result<()> {
    list(out, " ", documents.len(), |out, at| write!(out, "{query}.{}", documents[at]))
}

fn write_click(dialect: Dialect, line: &ClickLine, out: &mut Vec<u8>) -> std::io::Result<()> {
    let ClickLine { id, query, document, time, dwell } = *line;
    match dialect {
        Dialect::Json => {
            write!(
                out,
                r#"{{"impression":"{id:016x}","document":"{query}.{document}","time":{time},"dwell":{dwell:.1}}}"#
            )
        }
        Dialect::Csv => write!(out, "{id:016x},{query}.{document},{time},{dwell:.1}"),
        _ => write!(
            out,
            r#"{{"application":"simulated","action_name":"click","query_id":"{id:016x}","timestamp":"{}","event_attributes":{{"object":{{"object_id":"{query}.{document}","object_id_field":"sku"}},"dwell_time":{dwell:.1},"position":{{"ordinal":1}}}}}}"#,
            time::text(time)
        ),
    }
}

fn list(
    out: &mut Vec<u8>,
    separator: &str,
    length: usize,
    mut entry: impl FnMut(&mut Vec<u8>, usize) -> std::io::Result<()>,
) -> std::io::Result<()> {
    for at in 0..length {
        if at > 0 {
            out.extend_from_slice(separator.as_bytes());
        }
        entry(out, at)?;
    }
    Ok(())
}
