//! A piece of text to its queries.

use super::assembler::Assembler;
use super::file::{Failure, GroupSizes, Piece, QueryIdPlace, may_be_query};
use super::options::{MAX_LINE, Null, ReadOptions};
use super::row::{Line, RowError, check_id, line_too_long, read_row};
use crate::dataset::EncodedQuery;
use crate::error::{ErrorKind, Position};

/// Where rows have their query ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum QueryIdSource {
    /// After the label.
    #[default]
    Qid,
    /// In comments, which are queries only if rows share them.
    Comment,
    /// From group sizes.
    Groups,
}

/// The contents of a piece.
#[derive(Debug, Default)]
pub(super) struct ParsedPiece {
    /// The queries, each with the number of its first line in the piece, from 1.
    pub(super) queries: Vec<(EncodedQuery, u64)>,
    /// Where its ids come from.
    pub(super) ids: QueryIdSource,
    /// The number of lines.
    pub(super) lines: u64,
    /// How many features of its queries have no value but NULL, where that is read as the lowest value.
    pub(super) all_null: u64,
    /// The error that ended parsing; its line number counts from 1 within the piece.
    pub(super) error: Option<(Position, ErrorKind, String)>,
}

/// Reads all rows of `piece`.
pub(super) fn parse(
    piece: &Piece,
    ids: &QueryIdPlace,
    options: &ReadOptions,
    assembler: &mut Assembler,
) -> ParsedPiece {
    let mut parser = Parser {
        text: piece.text(),
        ids,
        options,
        assembler,
        group: piece.first_group,
        id: &[],
        first_line: 0,
        parsed: ParsedPiece::default(),
    };
    parser.assembler.clear();
    parser.assembler.null_is_min = options.null == Null::Min;
    let (mut cursor, mut error) = (0, None);
    while cursor < piece.len() {
        parser.parsed.lines += 1;
        match parser.line(cursor) {
            // The line is cut off at the end of the piece, so only its length is known to be wrong.
            Ok(next) if next > piece.len() && piece.overlong => {
                error = Some((cursor, line_too_long(cursor)));
            }
            Ok(next) => {
                cursor = next;
                continue;
            }
            Err(fault) if fault.at - cursor >= MAX_LINE => error = Some((cursor, line_too_long(cursor))),
            Err(fault) => error = Some((cursor, fault)),
        }
        break;
    }
    if error.is_none()
        && let Err(fault) = parser.end_piece(cursor, piece.last)
    {
        parser.parsed.lines += 1;
        error = Some((cursor, fault));
    }
    if error.is_some() {
        // Keeps the rows before the error: an earlier error may be that their query id recurs.
        let _ = parser.end_query();
    }
    let mut parsed = parser.parsed;
    parsed.ids = match ids {
        QueryIdPlace::Qid => QueryIdSource::Qid,
        QueryIdPlace::Comment => QueryIdSource::Comment,
        QueryIdPlace::Groups(_) => QueryIdSource::Groups,
    };
    parsed.all_null = std::mem::take(&mut parser.assembler.all_null);
    if let Some((start, fault)) = error {
        let position = Position { line: parsed.lines, column: fault.at.saturating_sub(start) as u64 + 1 };
        parsed.error = Some((position, fault.kind, fault.message));
    } else if let Some((failure, column)) = &piece.failure {
        let position = Position { line: parsed.lines + 1, column: *column as u64 + 1 };
        let (kind, message) = match failure {
            Failure::Io(error) => (
                ErrorKind::Format,
                format!("failed to read further: {error}: the file is damaged or truncated, get it again"),
            ),
            Failure::LongQuery(most) => (
                ErrorKind::Limit,
                format!(
                    "a query takes more than {} MiB of text from here: split it, or remove blank lines and comments",
                    most >> 20
                ),
            ),
        };
        parsed.error = Some((position, kind, message));
    }
    parsed
}

struct Parser<'a> {
    text: &'a [u8],
    ids: &'a QueryIdPlace,
    options: &'a ReadOptions,
    assembler: &'a mut Assembler,
    /// With group sizes: the index (from 0) of the query that the rows belong to.
    group: usize,
    /// Otherwise: the id of the query that the rows belong to.
    id: &'a [u8],
    first_line: u64,
    parsed: ParsedPiece,
}

impl<'a> Parser<'a> {
    /// Reads the line at `start` and returns the start of the next one.
    fn line(&mut self, start: usize) -> Result<usize, RowError> {
        let text = self.text;
        let (line, next) = read_row(text, start, self.options, &mut self.assembler.entries)?;
        let Line::Row { label, qid, comment, end } = line else {
            return Ok(next);
        };
        if qid.is_some() && !matches!(self.ids, QueryIdPlace::Qid) {
            return Err(qid_begins_late(end));
        }
        match self.ids {
            QueryIdPlace::Qid => {
                let id = qid.ok_or_else(|| no_qid(end))?;
                self.begin_query(id)?;
            }
            QueryIdPlace::Comment => {
                let id = comment.filter(|id| may_be_query(id)).ok_or_else(|| no_comment_id(end))?;
                if id != self.id {
                    check_id(id, end)?;
                }
                self.begin_query(id)?;
            }
            QueryIdPlace::Groups(groups) => {
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

    /// Begins a query called `id`, unless the current query is called that already.
    fn begin_query(&mut self, id: &'a [u8]) -> Result<(), RowError> {
        if id != self.id || self.assembler.is_empty() {
            self.end_query()?;
            self.id = id;
            self.first_line = self.parsed.lines;
        }
        Ok(())
    }

    /// Ends the last query of the piece; `at` is the end of the text.
    fn end_piece(&mut self, at: usize, last_of_file: bool) -> Result<(), RowError> {
        if let QueryIdPlace::Groups(groups) = self.ids
            && last_of_file
            && groups.size(self.group).is_some()
        {
            return Err(too_few_rows(at, groups));
        }
        self.end_query()
    }

    /// Packs the rows ended so far into a query.
    fn end_query(&mut self) -> Result<(), RowError> {
        if self.assembler.is_empty() {
            return Ok(());
        }
        let number;
        let id = match self.ids {
            QueryIdPlace::Groups(_) => {
                self.group += 1;
                number = self.group.to_string();
                &number
            }
            _ => str::from_utf8(self.id).expect("ids are checked while reading"),
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
    let message = "the row has no query id: expected `qid:id` after the label; or, in all rows, a number as the whole \
                   comment (`# 3382`) that the rows of a query share; or the numbers of rows of the queries in a file of \
                   this name plus `.query` or `.group`";
    RowError::new(at, ErrorKind::QueryId, message)
}

fn no_comment_id(at: usize) -> RowError {
    let message = "expected a number as the whole comment, as in the rows before, which have no `qid:`: add it if it is the \
                   query's id; if comments name documents, give all rows a `qid:`";
    RowError::new(at, ErrorKind::QueryId, message)
}

fn qid_begins_late(at: usize) -> RowError {
    let message = "the row has a `qid:`, but the first row of the file has none: give every row one, or none";
    RowError::new(at, ErrorKind::QueryId, message)
}

fn too_few_rows(at: usize, groups: &GroupSizes) -> RowError {
    let message = format!(
        "the file ends before the last of the {} rows that {} counts: check that the two files belong together",
        groups.rows(),
        groups.path().display(),
    );
    RowError::new(at, ErrorKind::QueryId, message)
}

fn too_many_rows(at: usize, groups: &GroupSizes) -> RowError {
    let message = format!(
        "the row is one more than the {} that {} counts: check that the two files belong together",
        groups.rows(),
        groups.path().display(),
    );
    RowError::new(at, ErrorKind::QueryId, message)
}
