//! Cuts a file into pieces of whole queries, which can be parsed independently.
//!
//! The cuts depend only on the file, never on the number of threads.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::foreign::foreign_format;
use super::group_sizes::GroupSizes;
use super::line_shape::{self, LineShape};
use super::lines::{end_of_lines, lines};
use super::source::{self, Source, read_up_to};
use crate::error::{Error, ErrorKind};
use crate::text::options::MAX_LINE;
use crate::text::row::LOOKAHEAD;

/// How much of a file is held in memory at a time, in bytes.
#[derive(Debug, Clone, Copy)]
pub(in crate::text) struct Sizes {
    /// The size of a piece, unless a single query is larger.
    pub(in crate::text) piece: usize,
    /// The most blank lines and comments before the first row. A few megabytes of gzip can unpack to gigabytes of them.
    pub(in crate::text) preamble: usize,
    /// The most text from a query's first row to the next query's.
    pub(in crate::text) query: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { piece: 1 << 20, preamble: 64 << 20, query: 1 << 30 }
    }
}

/// Where the rows of a file have their query ids.
#[derive(Debug, Clone)]
pub(in crate::text) enum QueryIdPlace {
    /// After the label: `qid:10`.
    Qid,
    /// As the whole comment, a number that the rows of a query share: `# 3382`.
    Comment,
    /// Nowhere: a file beside it has the number of rows of each query.
    Groups(Arc<GroupSizes>),
}

/// Consecutive lines of a file that contain whole queries.
#[derive(Debug, Default)]
pub(in crate::text) struct Piece {
    bytes: Vec<u8>,
    len: usize,
    /// With [`QueryIdPlace::Groups`]: the group (from 0) that the first row belongs to.
    pub(in crate::text) first_group: usize,
    /// Whether the last line is cut off because it is too long to be a row.
    pub(in crate::text) overlong: bool,
    /// Whether this is the last piece of the file.
    pub(in crate::text) last: bool,
    /// What ended reading, and the number of bytes read of the next line.
    pub(in crate::text) failure: Option<(Failure, usize)>,
}

/// Why reading ended before the end of the file.
#[derive(Debug)]
pub(in crate::text) enum Failure {
    /// The file could not be read further.
    Io(io::Error),
    /// The query that the piece begins with has more text than this number of bytes.
    LongQuery(usize),
}

impl Piece {
    /// The text, followed by [`LOOKAHEAD`] line feeds.
    pub(in crate::text) fn text(&self) -> &[u8] {
        &self.bytes[..self.len + LOOKAHEAD]
    }

    /// The length of the text without the line feeds after it.
    pub(in crate::text) fn len(&self) -> usize {
        self.len
    }

    fn reserve(&mut self, len: usize) {
        if self.bytes.len() < len + LOOKAHEAD {
            self.bytes.resize(len + LOOKAHEAD, 0);
        }
    }
}

/// Reads a file piece by piece.
pub(in crate::text) struct PieceReader {
    source: Source,
    ids: QueryIdPlace,
    /// The text read beyond the last piece.
    carry: Vec<u8>,
    /// The group that the carried text begins with.
    group: usize,
    at_end: bool,
    failure: Option<io::Error>,
    sizes: Sizes,
}

/// The error for a file without rows.
pub(in crate::text) fn no_row() -> Error {
    let message = "found no row, expected rows of `label qid:id feature:value ...`: check that this is a data file";
    Error::new(ErrorKind::Format, message).at(1, 1)
}

impl PieceReader {
    /// Opens `path` and finds out where its rows have their query ids; `groups` are its group sizes if there is a
    /// file of them.
    pub(in crate::text) fn open(path: &Path, groups: Option<Arc<GroupSizes>>) -> Result<Self, Error> {
        Self::new(source::open(path)?, groups, Sizes::default()).map_err(|error| error.in_file(path))
    }

    pub(in crate::text) fn new(source: Source, groups: Option<Arc<GroupSizes>>, sizes: Sizes) -> Result<Self, Error> {
        let mut reader =
            Self { source, ids: QueryIdPlace::Qid, carry: Vec::new(), group: 0, at_end: false, failure: None, sizes };
        let mut searched = 0;
        let first = loop {
            reader.read_more();
            if searched == 0 && reader.carry.starts_with(b"\xef\xbb\xbf") {
                // A byte order mark has no meaning in UTF-8.
                reader.carry.drain(..3);
            }
            let whole_lines = if reader.at_end { reader.carry.len() } else { end_of_lines(&reader.carry) };
            let first = lines(&reader.carry[searched..whole_lines])
                .map(|(_, line)| (line_shape::shape_of(line), line))
                .find(|(shape, _)| !matches!(shape, LineShape::Blank | LineShape::Comment));
            if let Some((LineShape::Other, line)) = first
                && let Some(foreign) = foreign_format(line)
            {
                let message =
                    format!("is {foreign}, expected rows of `label qid:id feature:value ...`: {}", foreign.remedy());
                return Err(Error::new(ErrorKind::Format, message));
            }
            let first = first.map(|(shape, _)| shape);
            // A long line without an end is refused as such later.
            let lines_only = reader.carry.len() - whole_lines <= MAX_LINE;
            if first.is_none() && !reader.at_end && lines_only && searched > sizes.preamble {
                let message = format!(
                    "has more than {} MiB of blank lines and comments before its first row: remove them, or check that \
                     this is a data file",
                    sizes.preamble >> 20
                );
                return Err(Error::new(ErrorKind::Limit, message).at(1, 1));
            }
            searched = whole_lines;
            if first.is_some() || reader.at_end || !lines_only {
                break first;
            }
        };
        if first.is_none() && reader.at_end && reader.failure.is_none() {
            return Err(no_row());
        }
        reader.ids = match (first, groups) {
            (Some(LineShape::Row { qid: None, .. }), Some(groups)) => QueryIdPlace::Groups(groups),
            (Some(LineShape::Row { qid: None, comment: Some(_) }), None) => QueryIdPlace::Comment,
            // If the row is malformed, parsing it reports that.
            _ => QueryIdPlace::Qid,
        };
        Ok(reader)
    }

    /// Where the rows have their query ids.
    pub(in crate::text) fn ids(&self) -> &QueryIdPlace {
        &self.ids
    }

    /// Reads the next piece into `piece`; returns false at the end of the file.
    pub(in crate::text) fn next(&mut self, piece: &mut Piece) -> bool {
        if self.at_end && self.carry.is_empty() && self.failure.is_none() {
            return false;
        }
        let mut filled = self.carry.len();
        let mut target_len = self.sizes.piece.max(filled);
        piece.reserve(target_len);
        piece.bytes[..filled].copy_from_slice(&self.carry);
        (piece.first_group, piece.overlong) = (self.group, false);
        (piece.last, piece.failure) = (false, None);
        let cut = loop {
            if !self.at_end {
                let (read, failure) = read_up_to(&mut self.source, &mut piece.bytes[filled..target_len]);
                filled += read;
                self.at_end = filled < target_len || failure.is_some();
                self.failure = failure;
            }
            let whole_lines = end_of_lines(&piece.bytes[..filled]);
            if let Some(failure) = self.failure.take() {
                piece.failure = Some((Failure::Io(failure), filled - whole_lines));
                filled = whole_lines;
                break whole_lines;
            }
            if self.at_end {
                piece.last = true;
                break filled;
            }
            if filled - whole_lines > MAX_LINE {
                (piece.overlong, self.at_end) = (true, true);
                break filled;
            }
            if let Some(cut) = self.last_query(&piece.bytes[..whole_lines]) {
                break cut;
            }
            if filled > self.sizes.query {
                piece.failure = Some((Failure::LongQuery(self.sizes.query), 0));
                (self.at_end, filled) = (true, 0);
                break 0;
            }
            target_len = filled + filled.max(self.sizes.piece);
            piece.reserve(target_len);
        };
        self.carry.clear();
        self.carry.extend_from_slice(&piece.bytes[cut..filled]);
        piece.len = cut;
        piece.reserve(cut);
        piece.bytes[cut..cut + LOOKAHEAD].fill(b'\n');
        true
    }

    /// Appends more of the source to the carried text.
    fn read_more(&mut self) {
        let start = self.carry.len();
        self.carry.resize(start + (self.sizes.piece / 16).max(64), 0);
        let (read, failure) = read_up_to(&mut self.source, &mut self.carry[start..]);
        self.at_end = start + read < self.carry.len() || failure.is_some();
        self.failure = failure;
        self.carry.truncate(start + read);
    }

    /// The beginning of the last query of `text` (whole lines), which may continue after the text; `None` if it is the
    /// beginning of the text.
    fn last_query(&mut self, text: &[u8]) -> Option<usize> {
        let cut = match &self.ids {
            QueryIdPlace::Groups(groups) => {
                let (group, cut) = groups.cut(text, self.group);
                self.group = group;
                cut
            }
            ids => last_query(text, |line| match (line_shape::shape_of(line), ids) {
                (LineShape::Blank | LineShape::Comment, _) => LineId::None,
                (LineShape::Row { comment: Some(id), .. }, QueryIdPlace::Comment) => LineId::Id(id),
                (LineShape::Row { qid: Some(id), .. }, QueryIdPlace::Qid) => LineId::Id(id),
                _ => LineId::Bad,
            }),
        };
        (cut > 0).then_some(cut)
    }
}

enum LineId<'a> {
    /// Not a row.
    None,
    Id(&'a [u8]),
    /// A malformed row, which parsing refuses: any place is a good place to cut.
    Bad,
}

fn last_query<'a>(text: &'a [u8], id_of: impl Fn(&'a [u8]) -> LineId<'a>) -> usize {
    let mut end = text.len();
    let mut start_of_query = end;
    let mut current = None;
    while end > 0 {
        let start = end_of_lines(&text[..end - 1]);
        match id_of(&text[start..end - 1]) {
            LineId::None => {}
            LineId::Bad => {
                return if current.is_none() { start } else { start_of_query };
            }
            LineId::Id(id) if current.is_none_or(|current| current == id) => {
                current = Some(id);
                start_of_query = start;
            }
            LineId::Id(_) => return start_of_query,
        }
        end = start;
    }
    // One query from the beginning, or no row at all.
    if current.is_some() { 0 } else { text.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str, groups: Option<&str>, target: usize) -> Vec<(String, usize)> {
        let groups = groups.map(|sizes| Arc::new(GroupSizes::parse(sizes.as_bytes()).unwrap()));
        let source = Box::new(io::Cursor::new(text.as_bytes().to_vec()));
        let mut reader = PieceReader::new(source, groups, Sizes { piece: target, ..Sizes::default() }).unwrap();
        let (mut piece, mut all) = (Piece::default(), Vec::new());
        while reader.next(&mut piece) {
            assert!(piece.text()[piece.len()..].iter().all(|&byte| byte == b'\n'));
            let text = piece.text()[..piece.len()].to_vec();
            all.push((String::from_utf8(text).unwrap(), piece.first_group));
        }
        all
    }

    #[test]
    fn pieces_hold_whole_queries() {
        let mut by_qid = String::from("# head\n\n");
        let (mut by_comment, mut by_group) = (String::new(), String::new());
        for query in 0..30 {
            for row in 0..1 + query % 4 {
                by_qid += &format!("0 qid:q{query} 1:{row}\r\n");
                by_comment += &format!("0 1:{row} # {query}\n");
                by_group += &format!("0 1:{row}\n\n");
            }
        }
        by_qid.pop();
        let sizes: String = (0..30).map(|query| format!("{}\n", 1 + query % 4)).collect();
        for (text, groups) in [(by_qid, None), (by_comment, None), (by_group, Some(&sizes[..]))] {
            for target in [1, 60, 100, 1000, 100_000] {
                let pieces = pieces(&text, groups, target);
                assert_eq!(pieces.iter().map(|(piece, _)| piece.as_str()).collect::<String>(), text);
                assert!(target > 100 || pieces.len() > 5, "{} pieces of {target}", pieces.len());
                let mut group = 0;
                for (piece, first_group) in &pieces {
                    if groups.is_some() {
                        assert_eq!(*first_group, group);
                        let rows = piece.lines().filter(|line| !line.is_empty());
                        group += rows.filter(|line| line.ends_with(":0")).count();
                    }
                }
                for pair in pieces.windows(2) {
                    let (last, first) = (pair[0].0.lines(), pair[1].0.lines());
                    let of_qid =
                        |line: &str| line.split_whitespace().find(|token| token.contains('q')).map(str::to_string);
                    let id = |line: &str| line.split_once("# ").map(|(_, id)| id.to_string()).or_else(|| of_qid(line));
                    let last = last.rev().find_map(id);
                    assert!(groups.is_some() || last != first.into_iter().find_map(id));
                }
            }
        }
    }

    #[test]
    fn an_endless_line_is_cut_off() {
        let text = format!("0 qid:1 1:1\n{}", "x".repeat(MAX_LINE * 3));
        let source = Box::new(io::Cursor::new(text.into_bytes()));
        let mut reader = PieceReader::new(source, None, Sizes::default()).unwrap();
        let mut piece = Piece::default();
        assert!(reader.next(&mut piece));
        assert!(piece.overlong && piece.len() < MAX_LINE * 3);
    }

    #[test]
    fn comments_alone_are_not_data() {
        for text in ["", "\n\n", "# comment\n"] {
            let source = Box::new(io::Cursor::new(text.as_bytes().to_vec()));
            assert!(PieceReader::new(source, None, Sizes::default()).is_err());
        }
    }

    #[test]
    fn endless_blank_lines_do_not_fill_memory() {
        let sizes = Sizes { piece: 1 << 10, preamble: 1 << 16, query: 1 << 17 };
        let endless = |start: &'static str| {
            Box::new(io::Read::chain(start.as_bytes(), io::Read::take(io::repeat(b'\n'), u64::MAX)))
        };
        let error = PieceReader::new(endless("# comment\n"), None, sizes).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Limit);
        let groups = || Some(Arc::new(GroupSizes::parse(b"1\n").unwrap()));
        for (start, groups) in [("0 qid:1 1:1\n0 qid:2 1:1\n", None), ("0 1:1\n", groups())] {
            let mut reader = PieceReader::new(endless(start), groups, sizes).unwrap();
            let mut piece = Piece::default();
            assert!(reader.next(&mut piece), "the first query");
            assert!(reader.next(&mut piece));
            assert!(matches!(piece.failure, Some((Failure::LongQuery(_), 0))), "{:?}", piece.failure);
            assert_eq!(piece.len(), 0);
            assert!(piece.bytes.len() < 4 * sizes.query);
            assert!(!reader.next(&mut piece));
        }
    }
}
