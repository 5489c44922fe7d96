//! Lines of logs in several dialects, and in no particular order.

use std::io::Write as _;

use interleave::Generator;
use rand::{RngExt, SeedableRng};

use crate::model::{PairChoice, time};
use crate::read::base64;

/// How lines are written.
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

    /// The first lines of a file of impressions and of one of clicks.
    #[must_use]
    pub fn headers(self) -> [&'static str; 2] {
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

/// Lines of impressions and of clicks.
#[derive(Debug, Clone, Default)]
pub struct Lines {
    impressions: Shuffled,
    clicks: Shuffled,
}

#[derive(Debug, Clone, Default)]
struct Shuffled {
    bytes: Vec<u8>,
    lines: Vec<Place>,
}

/// Where a line begins and ends, and its time.
#[derive(Debug, Clone, Copy)]
struct Place {
    start: usize,
    end: usize,
    time: i64,
}

impl Shuffled {
    fn push(&mut self, time: i64, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.bytes.len();
        write(&mut self.bytes);
        self.bytes.push(b'\n');
        self.lines.push(Place { start, end: self.bytes.len(), time });
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
        self.lines.iter().map(|&Place { start, end, time }| (time, &self.bytes[start..end]))
    }
}

/// An impression as it is written.
pub(super) struct ImpressionLine<'a> {
    pub(super) id: u64,
    pub(super) time: i64,
    pub(super) user: u64,
    pub(super) session: u64,
    pub(super) agent: &'a str,
    pub(super) query: usize,
    pub(super) shown: &'a [u16],
    /// The rankers, in the order of the method's lists.
    pub(super) rankers: [&'a str; 2],
    pub(super) credit: CreditLine<'a>,
}

/// What credit needs.
pub(super) enum CreditLine<'a> {
    /// By position: 0 or 1, or nobody.
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

    /// Passes each line with its time to `take`: impressions (0), then clicks (1).
    ///
    /// # Errors
    /// Those of `take`.
    pub fn each<E>(&self, mut take: impl FnMut(usize, i64, &[u8]) -> Result<(), E>) -> Result<(), E> {
        for (kind, lines) in [&self.impressions, &self.clicks].into_iter().enumerate() {
            lines.each().try_for_each(|(time, line)| take(kind, time, line))?;
        }
        Ok(())
    }

    pub(super) fn shuffle(&mut self, seed: u64, block: u64) {
        let mut generator = interleave::keyed::RunKey::new(seed, 3).impression(block).lists();
        let mut other = Generator::seed_from_u64(generator.random());
        self.impressions.shuffle(&mut generator);
        self.clicks.shuffle(&mut other);
    }

    pub(super) fn impression(&mut self, dialect: Dialect, line: &ImpressionLine<'_>) {
        self.impressions.push(line.time, |out| {
            // Vectors take all that is written.
            let _ = write_impression(dialect, line, out);
        });
    }

    pub(super) fn click(&mut self, dialect: Dialect, line: &ClickLine) {
        self.clicks.push(line.time, |out| {
            let _ = write_click(dialect, line, out);
        });
    }
}

/// How the rankers of each impression are drawn: by lot, whatever happened before.
pub(super) const PAIRS: PairChoice = PairChoice::Chance;

fn write_impression(dialect: Dialect, line: &ImpressionLine<'_>, out: &mut Vec<u8>) -> std::io::Result<()> {
    let ImpressionLine { id, time, user, session, agent, query, shown, rankers, ref credit } = *line;
    let pairs = PAIRS.name();
    let owner = |position: usize| match credit {
        CreditLine::Teams(teams) => teams[position].map(|team| rankers[usize::from(team)]),
        CreditLine::Receipt(_) => None,
    };
    match dialect {
        Dialect::Json => {
            write!(
                out,
                r#"{{"impression":"{id:016x}","time":{time},"user":"u{user}","session":"s{session}","agent":"{agent}","pairs":"{pairs}","shown":["#
            )?;
            list(out, ",", shown.len(), |out, at| write!(out, r#""{query}.{}""#, shown[at]))?;
            out.extend_from_slice(b"],");
            match credit {
                CreditLine::Teams(teams) => {
                    out.extend_from_slice(br#""teams":["#);
                    list(out, ",", teams.len(), |out, at| match owner(at) {
                        Some(name) => write!(out, r#""{name}""#),
                        None => write!(out, "null"),
                    })?;
                    write!(out, r#"],"rankers":["{}","{}"]}}"#, rankers[0], rankers[1])
                }
                CreditLine::Receipt(bytes) => {
                    write!(out, r#""receipt":"{}","rankers":["{}","{}"]}}"#, base64(bytes), rankers[0], rankers[1])
                }
            }
        }
        Dialect::Csv => {
            write!(out, "{id:016x},{time},u{user},s{session},{agent},{pairs},")?;
            list(out, " ", shown.len(), |out, at| write!(out, "{query}.{}", shown[at]))?;
            out.push(b',');
            match credit {
                CreditLine::Teams(teams) => {
                    list(out, " ", teams.len(), |out, at| write!(out, "{}", owner(at).unwrap_or("-")))?;
                    write!(out, ",{} {},", rankers[0], rankers[1])
                }
                CreditLine::Receipt(bytes) => write!(out, ",{} {},{}", rankers[0], rankers[1], base64(bytes)),
            }
        }
        Dialect::Ubi | Dialect::OpenSearch | Dialect::Solr => {
            let when = time::text(time);
            write!(
                out,
                r#"{{"application":"simulated","query_id":"{id:016x}","client_id":"u{user}","user_query":"query {query}","timestamp":"{when}","query_response_hit_ids":["#
            )?;
            list(out, ",", shown.len(), |out, at| write!(out, r#""{query}.{}""#, shown[at]))?;
            write!(
                out,
                r#"],"query_attributes":{{"session_id":"s{session}","agent":"{agent}","pairs":"{pairs}","rankers":["{}","{}"]"#,
                rankers[0], rankers[1]
            )?;
            let name = |out: &mut Vec<u8>, at: usize| match owner(at) {
                Some(name) => write!(out, r#""{name}""#),
                None => write!(out, "null"),
            };
            match dialect {
                Dialect::OpenSearch => {
                    write!(
                        out,
                        r#"}},"response":{{"took":3,"hits":{{"total":{{"value":30,"relation":"eq"}},"hits":["#
                    )?;
                    list(out, ",", shown.len(), |out, at| {
                        write!(
                            out,
                            r#"{{"_index":"shop","_id":"{query}.{}","_score":1.0,"_search_configuration":"#,
                            shown[at]
                        )?;
                        name(out, at)?;
                        write!(out, "}}")
                    })?;
                    write!(out, "]}}}}}}")
                }
                Dialect::Solr => {
                    write!(out, r#"}},"response":{{"response":{{"numFound":30,"start":0,"docs":["#)?;
                    list(out, ",", shown.len(), |out, at| {
                        write!(out, r#"{{"id":"{query}.{}","[interleaving]":"#, shown[at])?;
                        name(out, at)?;
                        write!(out, "}}")
                    })?;
                    write!(out, "]}}}}}}")
                }
                _ => {
                    out.extend_from_slice(br#","teams":["#);
                    list(out, ",", shown.len(), name)?;
                    write!(out, "]}}}}")
                }
            }
        }
    }
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
