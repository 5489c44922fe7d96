//! Files of group sizes: `rank.train.query` (LightGBM) or `rank.train.group` (XGBoost) beside `rank.train` has one line
//! per query, the number of its rows.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::line_shape::{self, LineShape};
use super::lines::lines;
use super::source;
use crate::error::{Error, ErrorKind, excerpt};

/// The most bytes of a file of group sizes, which a few kilobytes of gzip can unpack to.
const MAX_BYTES: u64 = 256 << 20;

/// The number of rows of each query.
#[derive(Debug)]
pub(in crate::text) struct GroupSizes {
    path: PathBuf,
    sizes: Vec<u32>,
}

impl GroupSizes {
    /// Reads the file of group sizes at `path`.
    pub(in crate::text) fn read(path: &Path) -> Result<Self, Error> {
        let mut text = Vec::new();
        source::open(path)?
            .take(MAX_BYTES + 1)
            .read_to_end(&mut text)
            .map_err(|error| Error::io(path, "failed to read", &error))?;
        if text.len() as u64 > MAX_BYTES {
            let message = format!(
                "has more than {} MiB, expected a line per query with the number of its rows: rename it if it is not \
                 that",
                MAX_BYTES >> 20
            );
            return Err(Error::new(ErrorKind::Limit, message).in_file(path));
        }
        let mut groups = Self::parse(&text).map_err(|error| error.in_file(path))?;
        groups.path = path.to_path_buf();
        Ok(groups)
    }

    pub(in crate::text) fn parse(text: &[u8]) -> Result<Self, Error> {
        let mut sizes = Vec::new();
        for (number, (_, line)) in lines(text).enumerate() {
            let token = line.trim_ascii();
            if token.is_empty() {
                continue;
            }
            let size = str::from_utf8(token).ok().and_then(|token| token.parse().ok());
            let Some(size @ 1..) = size else {
                let message = format!(
                    "found {}, expected the number of rows of a query, 1 or more: correct it, or rename the \
                     file if it is not that",
                    excerpt(token)
                );
                let error = Error::new(ErrorKind::QueryId, message);
                return Err(error.at(number as u64 + 1, 1));
            };
            sizes.push(size);
        }
        Ok(Self { path: PathBuf::new(), sizes })
    }

    /// The number of rows of query `group` (from 0); `None` if there are fewer queries.
    pub(in crate::text) fn size(&self, group: usize) -> Option<usize> {
        self.sizes.get(group).map(|&size| size as usize)
    }

    /// The number of rows of all queries.
    pub(in crate::text) fn rows(&self) -> u64 {
        self.sizes.iter().copied().map(u64::from).sum()
    }

    /// Refuses `other`, of the same data file, if it has other sizes.
    pub(in crate::text) fn check_equal(&self, other: &Self) -> Result<(), String> {
        if self.sizes == other.sizes {
            return Ok(());
        }
        let first = (0..).find(|&group| self.size(group) != other.size(group)).expect("the sizes differ");
        let counted = |groups: &Self| match groups.size(first) {
            Some(size) => format!("{} counts {}", groups.path.display(), count_of_rows(size)),
            None => format!("{} ends before it", groups.path.display()),
        };
        Err(format!(
            "two files beside it have different group sizes: for query {}, {} and {}: delete the wrong one",
            first + 1,
            counted(self),
            counted(other),
        ))
    }

    /// Refuses query `group` (from 0) if its rows, which have a `qid:`, are not as many as this file counts; `rows` is
    /// `None` behind the last query.
    pub(in crate::text) fn check_rows(&self, group: usize, found: Option<usize>) -> Result<(), String> {
        let counted = self.size(group);
        if counted == found {
            return Ok(());
        }
        let by = |count: Option<usize>| count.map_or_else(|| "none".into(), count_of_rows);
        Err(format!(
            "`qid:` gives query {} of this file {}, but {} counts {}: delete whichever is wrong",
            group + 1,
            by(found),
            self.path.display(),
            by(counted),
        ))
    }

    pub(in crate::text) fn path(&self) -> &Path {
        &self.path
    }

    /// The group after the last complete query in `text`, and the position where it begins; the first row of `text`
    /// is the first of `group`.
    pub(in crate::text) fn cut(&self, text: &[u8], mut group: usize) -> (usize, usize) {
        let (mut rows, mut cut) = (0, 0);
        for (end, line) in lines(text) {
            if matches!(line_shape::shape_of(line), LineShape::Blank | LineShape::Comment) {
                continue;
            }
            rows += 1;
            match self.size(group) {
                Some(size) if rows < size => {}
                Some(_) => (cut, group, rows) = (end, group + 1, 0),
                // More rows than the file counts: parsing the first of them reports it.
                None => return (group, text.len()),
            }
        }
        (group, cut)
    }
}

fn count_of_rows(count: usize) -> String {
    format!("{count} row{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_checked() {
        assert_eq!(GroupSizes::parse(b"1\r\n13\n\n5").unwrap().rows(), 19);
        for (text, line) in [("3\n0\n", 2), ("x", 1), ("1\n2 3\n", 2), ("-1", 1), ("99999999999", 1)] {
            assert_eq!(GroupSizes::parse(text.as_bytes()).unwrap_err().line(), Some(line), "{text}");
        }
    }

    #[test]
    fn cuts_fall_between_queries() {
        let groups = GroupSizes::parse(b"2\n1\n3\n").unwrap();
        let text = b"0 1:1\n# comment\n0 1:2\n\n0 1:3\n0 1:4\n0 1:5\n";
        assert_eq!(groups.cut(text, 0), (2, 29));
        assert_eq!(groups.cut(b"0 1:1\n", 0), (0, 0));
        assert_eq!(groups.cut(b"0 1:1\n0 1:1\n", 3), (3, 12), "after the last");
    }
}
