//! One piece of text to its queries.

use super::assemble::Assembler;
use super::options::{MAX_LINE, ReadOptions};
use super::pieces::{Ids, Piece};
use super::row::{self, Line, RowReader};
use super::shape::looks_like_id;
use super::side;
use super::token::{RowError, check_id};
use crate::dataset::EncodedQuery;
use crate::error::{ErrorKind, Position};

/// What a piece holds.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    /// The queries, each with its first line, counted from the piece's first (1).
    pub(super) queries: Vec<(EncodedQuery, u64)>,
    /// How many lines.
    pub(super) lines: u64,
    /// Why it stops early; the line counts from the piece's first.
    pub(super) error: Option<(Position, ErrorKind, String)>,
}

/// Reads all rows of `piece`.
pub(super) fn parse(piece: &Piece, ids: &Ids, options: &ReadOptions, assembler: &mut Assembler) -> Parsed {
    let mut parser = Parser {
        text: piece.text(),
        ids,
        options,
        rows: RowReader::default(),
        assembler,
        group: piece.first_group,
        id: &[],
        first_line: 0,
        parsed: Parsed::default(),
    };
    parser.assembler.clear();
    let (mut at, mut error) = (0, None);
    while at < piece.len() {
        parser.parsed.lines += 1;
        match parser.line(at) {
            // A line that goes on behind the text is cut off, and what was cut says nothing.
            Ok(next) if next > piece.len() && piece.overlong => {
                error = Some((at, row::line_too_long(at)));
            }
            Ok(next) => {
                at = next;
                continue;
            }
            Err(fault) if fault.at - at >= MAX_LINE => error = Some((at, row::line_too_long(at))),
            Err(fault) => error = Some((at, fault)),
        }
        break;
    }
    if error.is_none()
        && let Err(fault) = parser.end_piece(at, piece.last)
    {
        parser.parsed.lines += 1;
        error = Some((at, fault));
    }
    if error.is_some() {
        // What was read before counts: the first thing wrong may be that its query came before.
        let _ = parser.end_query();
    }
    let mut parsed = parser.parsed;
    if let Some((start, fault)) = error {
        let position = Position { line: parsed.lines, column: fault.at.saturating_sub(start) as u64 + 1 };
        parsed.error = Some((position, fault.kind, fault.message));
    } else if let Some((failure, column)) = &piece.failure {
        let position = Position { line: parsed.lines + 1, column: *column as u64 + 1 };
        let message = format!("failed to read on: {failure}: the file is damaged or cut short, get it again");
        parsed.error = Some((position, ErrorKind::Format, message));
    }
    parsed
}

struct Parser<'a> {
    text: &'a [u8],
    ids: &'a Ids,
    options: &'a ReadOptions,
    rows: RowReader,
    assembler: &'a mut Assembler,
    /// Where rows are counted: the query (from 0) that the rows belong to.
    group: usize,
    /// Else: the id of the query that the rows belong to.
    id: &'a [u8],
    first_line: u64,
    parsed: Parsed,
}

impl<'a> Parser<'a> {
    /// Reads the line at `start`; returns where the next one starts.
    fn line(&mut self, start: usize) -> Result<usize, RowError> {
        let text = self.text;
        let (line, next) = self.rows.read(text, start, self.options, &mut self.assembler.entries)?;
        let Line::Row { label, qid, comment, end } = line else {
            return Ok(next);
        };
        match self.ids {
            Ids::Qid => {
                let id = qid.ok_or_else(|| no_qid(end))?;
                self.begin_query_unless(id)?;
            }
            Ids::Comment => {
                let id = comment.filter(|id| looks_like_id(id)).ok_or_else(|| no_comment_id(end))?;
                if id != self.id {
                    check_id(id, end)?;
                }
                self.begin_query_unless(id)?;
            }
            Ids::Groups(groups) => {
                let size = groups.size(self.group).ok_or_else(|| too_many_rows(start, groups))?;
                if self.assembler.is_empty() {
                    self.first_line = self.parsed.lines;
                }
                self.assembler.end_row(label);
                if self.assembler.rows() == size {
                    self.end_query()?;
                }
                return Ok(next);
            }
        }
        self.assembler.end_row(label);
        Ok(next)
    }

    /// Makes `id` the query that the row just read belongs to.
    fn begin_query_unless(&mut self, id: &'a [u8]) -> Result<(), RowError> {
        if id != self.id || self.assembler.is_empty() {
            self.end_query()?;
            self.id = id;
            self.first_line = self.parsed.lines;
        }
        Ok(())
    }

    /// Ends the last query of the piece, which ends at `at`.
    fn end_piece(&mut self, at: usize, last_of_file: bool) -> Result<(), RowError> {
        if let Ids::Groups(groups) = self.ids
            && last_of_file
            && groups.size(self.group).is_some()
        {
            return Err(too_few_rows(at, groups));
        }
        self.end_query()
    }

    /// Packs the rows ended so far.
    fn end_query(&mut self) -> Result<(), RowError> {
        if self.assembler.is_empty() {
            return Ok(());
        }
        let number;
        let id = match self.ids {
            Ids::Groups(_) => {
                self.group += 1;
                number = self.group.to_string();
                &number
            }
            _ => str::from_utf8(self.id).expect("ids are checked when read"),
        };
        let query = self.assembler.finish(id).ok_or_else(|| {
            let message = format!("query {id} takes more than 4 GiB: split it into several queries");
            RowError::new(0, ErrorKind::Limit, message)
        })?;
        self.parsed.queries.push((query, self.first_line));
        Ok(())
    }
}

fn no_qid(at: usize) -> RowError {
    let message = "the row has no query id: expected `qid:id` after the label, or an id alone in the \
                   comment (`# 3382`), or the queries' sizes in a file named like this one plus `.query`";
    RowError::new(at, ErrorKind::QueryId, message)
}

fn no_comment_id(at: usize) -> RowError {
    let message = "expected the query id alone in a comment (`# 3382`), as in the rows before";
    RowError::new(at, ErrorKind::QueryId, message)
}

fn too_few_rows(at: usize, groups: &side::Groups) -> RowError {
    let message = format!(
        "the file ends before the last of the {} rows that {} counts: are the two of one piece?",
        groups.rows(),
        groups.path().display(),
    );
    RowError::new(at, ErrorKind::QueryId, message)
}

fn too_many_rows(at: usize, groups: &side::Groups) -> RowError {
    let message = format!(
        "the row is one more than the {} that {} counts: are the two of one piece?",
        groups.rows(),
        groups.path().display(),
    );
    RowError::new(at, ErrorKind::QueryId, message)
}
