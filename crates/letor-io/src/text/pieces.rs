//! A file cut into pieces of whole queries, so that each can be parsed on its own.
//!
//! Where the cuts fall depends on the file alone, never on how many threads take the pieces.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::index::LOOKAHEAD;
use super::options::MAX_LINE;
use super::shape::{self, Shape};
use super::side::Groups;
use super::source::{self, Source, read_up_to};
use crate::error::{Error, ErrorKind};

/// How much text a piece has, unless one query alone has more.
const PIECE: usize = 1 << 20;

/// How much of a file is searched for its first row, before the row is taken to be of the usual form.
const PREAMBLE: usize = 16 << 20;

/// Where a file's rows have their query id.
#[derive(Debug, Clone)]
pub(super) enum Ids {
    /// After the label: `qid:10`.
    Qid,
    /// The trailing comment is the id: `# 3382`.
    Comment,
    /// Nowhere: a file beside it counts the rows of each query.
    Groups(Arc<Groups>),
}

/// Consecutive lines of a file that hold whole queries.
#[derive(Debug, Default)]
pub(super) struct Piece {
    bytes: Vec<u8>,
    len: usize,
    /// The group (from 0) that the first row belongs to, where rows are counted by [`Ids::Groups`].
    pub(super) first_group: usize,
    /// Whether the last line goes on beyond what was read, since it is too long to be a row.
    pub(super) overlong: bool,
    /// Whether the file ends here.
    pub(super) last: bool,
    /// What kept the reader from going on, and how many bytes of the next line it had.
    pub(super) failure: Option<(io::Error, usize)>,
}

impl Piece {
    /// The text, followed by [`LOOKAHEAD`] line feeds.
    pub(super) fn text(&self) -> &[u8] {
        &self.bytes[..self.len + LOOKAHEAD]
    }

    /// How long the text is without what follows it.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    fn reserve(&mut self, len: usize) {
        if self.bytes.len() < len + LOOKAHEAD {
            self.bytes.resize(len + LOOKAHEAD, 0);
        }
    }
}

/// Reads a file piece by piece.
pub(super) struct PieceReader {
    source: Source,
    ids: Ids,
    /// What was read behind the last piece.
    carry: Vec<u8>,
    /// The group that the carried text begins with.
    group: usize,
    at_end: bool,
    failure: Option<io::Error>,
    target: usize,
}

impl PieceReader {
    /// Opens `path`, whose side file of group sizes is `groups` if it has one, and finds out where its
    /// rows have their query id.
    pub(super) fn open(path: &Path, groups: Option<Arc<Groups>>) -> Result<Self, Error> {
        Self::new(source::open(path)?, groups, PIECE).map_err(|error| error.in_file(path))
    }

    pub(super) fn new(source: Source, groups: Option<Arc<Groups>>, target: usize) -> Result<Self, Error> {
        let mut reader =
            Self { source, ids: Ids::Qid, carry: Vec::new(), group: 0, at_end: false, failure: None, target };
        let mut searched = 0;
        let first = loop {
            reader.read_on();
            if searched == 0 && reader.carry.starts_with(b"\xef\xbb\xbf") {
                // A byte order mark says nothing in UTF-8.
                reader.carry.drain(..3);
            }
            let whole = if reader.at_end { reader.carry.len() } else { end_of_lines(&reader.carry) };
            let first = lines(&reader.carry[searched..whole])
                .map(|(_, line)| shape::of(line))
                .find(|shape| !matches!(shape, Shape::Blank | Shape::Comment));
            searched = whole;
            if first.is_some() || reader.at_end || reader.carry.len() > PREAMBLE {
                break first;
            }
        };
        if first.is_none() && reader.at_end && reader.failure.is_none() {
            let message = "holds no row, expected rows of `label qid:id feature:value ...`";
            return Err(Error::new(ErrorKind::Format, message).at(1, 1));
        }
        reader.ids = match (first, groups) {
            (Some(Shape::Row { qid: None, .. }), Some(groups)) => Ids::Groups(groups),
            (Some(Shape::Row { qid: None, comment: Some(_) }), None) => Ids::Comment,
            // Where it is something else, reading it will say so.
            _ => Ids::Qid,
        };
        Ok(reader)
    }

    /// Where the rows have their query id.
    pub(super) fn ids(&self) -> &Ids {
        &self.ids
    }

    /// Reads the next piece into `piece`; false at the end of the file.
    pub(super) fn next(&mut self, piece: &mut Piece) -> bool {
        if self.at_end && self.carry.is_empty() && self.failure.is_none() {
            return false;
        }
        let mut filled = self.carry.len();
        let mut want = self.target.max(filled);
        piece.reserve(want);
        piece.bytes[..filled].copy_from_slice(&self.carry);
        (piece.first_group, piece.overlong) = (self.group, false);
        (piece.last, piece.failure) = (false, None);
        let cut = loop {
            if !self.at_end {
                let (read, failure) = read_up_to(&mut self.source, &mut piece.bytes[filled..want]);
                filled += read;
                self.at_end = filled < want || failure.is_some();
                self.failure = failure;
            }
            let whole = end_of_lines(&piece.bytes[..filled]);
            if let Some(failure) = self.failure.take() {
                piece.failure = Some((failure, filled - whole));
                filled = whole;
                break whole;
            }
            if self.at_end {
                piece.last = true;
                break filled;
            }
            if filled - whole > MAX_LINE {
                (piece.overlong, self.at_end) = (true, true);
                break filled;
            }
            if let Some(cut) = self.last_query(&piece.bytes[..whole]) {
                break cut;
            }
            want = filled + filled.max(self.target);
            piece.reserve(want);
        };
        self.carry.clear();
        self.carry.extend_from_slice(&piece.bytes[cut..filled]);
        piece.len = cut;
        piece.reserve(cut);
        piece.bytes[cut..cut + LOOKAHEAD].fill(b'\n');
        true
    }

    /// Takes more of the source into the carried text.
    fn read_on(&mut self) {
        let start = self.carry.len();
        self.carry.resize(start + (self.target / 16).max(64), 0);
        let (read, failure) = read_up_to(&mut self.source, &mut self.carry[start..]);
        self.at_end = start + read < self.carry.len() || failure.is_some();
        self.failure = failure;
        self.carry.truncate(start + read);
    }

    /// Where the last query of `text`, whole lines, begins, unless that is where the text begins:
    /// whether the query goes on behind the text is not known.
    fn last_query(&mut self, text: &[u8]) -> Option<usize> {
        let cut = match &self.ids {
            Ids::Groups(groups) => {
                let (group, cut) = groups.cut(text, self.group);
                self.group = group;
                cut
            }
            ids => last_query(text, |line| match (shape::of(line), ids) {
                (Shape::Blank | Shape::Comment, _) => LineId::None,
                (Shape::Row { comment: Some(id), .. }, Ids::Comment) => LineId::Id(id),
                (Shape::Row { qid: Some(id), .. }, Ids::Qid) => LineId::Id(id),
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
    /// A row that will be refused: as good a place to cut as any.
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
    // One query from the start; or no row at all, then all of it.
    if current.is_some() { 0 } else { text.len() }
}

/// The position behind the last line feed.
fn end_of_lines(text: &[u8]) -> usize {
    memchr::memrchr(b'\n', text).map_or(0, |at| at + 1)
}

/// The lines of `text` without their line feeds, each with the position behind it.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut start = 0;
    std::iter::from_fn(move || {
        if start >= text.len() {
            return None;
        }
        let len = memchr::memchr(b'\n', &text[start..]).unwrap_or(text.len() - start);
        let line = &text[start..start + len];
        start = (start + len + 1).min(text.len());
        Some((start, line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str, groups: Option<&str>, target: usize) -> Vec<(String, usize)> {
        let groups = groups.map(|sizes| Arc::new(Groups::parse(sizes.as_bytes()).unwrap()));
        let source = Box::new(io::Cursor::new(text.as_bytes().to_vec()));
        let mut reader = PieceReader::new(source, groups, target).unwrap();
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
                by_comment += &format!("0 1:{row} # q{query}\n");
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
                    let id = |line: &str| line.split_whitespace().find(|token| token.contains('q')).map(str::to_string);
                    let last = last.rev().find_map(id);
                    assert!(groups.is_some() || last != first.into_iter().find_map(id));
                }
            }
        }
    }

    #[test]
    fn a_line_without_end_is_cut_off() {
        let text = format!("0 qid:1 1:1\n{}", "x".repeat(MAX_LINE * 3));
        let source = Box::new(io::Cursor::new(text.into_bytes()));
        let mut reader = PieceReader::new(source, None, PIECE).unwrap();
        let mut piece = Piece::default();
        assert!(reader.next(&mut piece));
        assert!(piece.overlong && piece.len() < MAX_LINE * 3);
    }

    #[test]
    fn nothing_but_comments_is_no_data() {
        for text in ["", "\n\n", "# comment\n"] {
            let source = Box::new(io::Cursor::new(text.as_bytes().to_vec()));
            assert!(PieceReader::new(source, None, PIECE).is_err());
        }
    }
}
