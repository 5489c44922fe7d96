//! A run: what a ranker returned for each query.
#![expect(clippy::disallowed_types, reason = "only looked up by id; its order has no effect")]

use std::collections::HashMap;

use rayon::prelude::*;

use super::documents::Docno;
use super::fields::for_each_line;
use crate::decimal::Decimal;
use crate::error::{Error, ErrorKind, excerpt};
use crate::text::{ForeignFile, NumberError, parse_number};

/// The columns of a line.
pub(super) const FORM: &str = "query Q0 document rank score tag";

/// The lines of a run.
#[derive(Debug)]
pub(super) struct Run<'a> {
    pub(super) tag: &'a [u8],
    /// The number of lines that are comments.
    pub(super) comments: usize,
    /// In the order of their first lines.
    pub(super) queries: Vec<RunQuery<'a>>,
}

/// What a run returned for one query.
#[derive(Debug)]
pub(super) struct RunQuery<'a> {
    pub(super) id: &'a str,
    /// In the order of their lines, each document once.
    pub(super) documents: Vec<RunLine<'a>>,
}

/// A line of a run.
#[derive(Debug)]
pub(super) struct RunLine<'a> {
    pub(super) document: Docno<'a>,
    /// `None` if it is not a whole number from 0.
    pub(super) rank: Option<u32>,
    pub(super) score: Decimal,
    pub(super) line: u64,
}

impl<'a> Run<'a> {
    /// Reads the text of a run. Lines may be in any order.
    ///
    /// # Errors
    /// The first malformed line; after that, the first document that recurs in its query.
    pub(super) fn parse(text: &'a [u8]) -> Result<Self, Error> {
        let (mut queries, mut places) = (Vec::<RunQuery<'a>>::new(), HashMap::<&str, usize>::new());
        let (mut tag, mut last) = (None, ("", 0));
        let comments = for_each_line::<6>(text, ("lines of a run", FORM, ForeignFile::Run), |line| {
            // Checked once for all lines of a query that follow each other.
            let id = if !queries.is_empty() && line.fields[0] == last.0.as_bytes() { last.0 } else { line.query()? };
            let document = Docno::new(line.document()?);
            let score =
                parse_number(line.fields[4]).map_err(|fault| {
                    let found = excerpt(line.fields[4]);
                    line.error(4, ErrorKind::Value, match fault {
                    NumberError::Syntax => {
                        format!("score {found} is not a number, expected one in column 5 of `{FORM}`: correct it")
                    }
                    NumberError::NotFinite => {
                        format!("score {found} is not finite, expected a finite number: correct it, or remove the line")
                    }
                })
                })?;
            let first = *tag.get_or_insert(line.fields[5]);
            if line.fields[5] != first {
                let message = format!(
                    "found the tag {}, expected {} as on the lines before: a file holds one run, so split it by tag",
                    excerpt(line.fields[5]),
                    excerpt(first)
                );
                return Err(line.error(5, ErrorKind::Syntax, message));
            }
            if queries.is_empty() || last.0 != id {
                last = (id, *places.entry(id).or_insert(queries.len()));
                if last.1 == queries.len() {
                    queries.push(RunQuery { id, documents: Vec::new() });
                }
            }
            queries[last.1].documents.push(RunLine { document, rank: rank(line.fields[3]), score, line: line.number });
            Ok(())
        })?;
        let repeated = queries.par_iter().filter_map(RunQuery::find_repeated_line).min_by_key(|(_, lines)| lines[1]);
        if let Some((message, [_, line])) = repeated {
            return Err(Error::new(ErrorKind::Document, message).at(line, 1));
        }
        Ok(Self { tag: tag.unwrap_or_default(), comments, queries })
    }
}

impl RunQuery<'_> {
    /// The first line that repeats a document, with the line of the document before it.
    fn find_repeated_line(&self) -> Option<(String, [u64; 2])> {
        let mut hashes: Vec<u64> = self.documents.iter().map(|line| line.document.hash).collect();
        hashes.sort_unstable();
        if hashes.windows(2).all(|pair| pair[0] != pair[1]) {
            return None;
        }
        // Some line does, or two documents have one hash.
        let mut lines = HashMap::new();
        for line in &self.documents {
            if let Some(first) = lines.insert(line.document.bytes, line.line) {
                let message = format!(
                    "document {} recurs in query {}; it occurs first on line {first}: keep one of the lines",
                    excerpt(line.document.bytes),
                    self.id,
                );
                return Some((message, [first, line.line]));
            }
        }
        None
    }
}

/// A rank as it is written, if it is a whole number that is not negative.
fn rank(field: &[u8]) -> Option<u32> {
    let text = str::from_utf8(field).ok()?;
    // Tables write numbers with a point where some are missing.
    let of_number = |number: f64| (number.fract() == 0.0 && (0.0..4e9).contains(&number)).then_some(number as u32);
    text.parse().ok().or_else(|| text.parse().ok().and_then(of_number))
}
