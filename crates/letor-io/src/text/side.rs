//! LightGBM's side file: the number of rows of each query, one a line, in `rank.train.query` beside
//! `rank.train`.

use std::path::{Path, PathBuf};

use super::pieces::lines;
use super::shape::{self, Shape};
use super::source;
use crate::error::{Error, ErrorKind, excerpt};

/// The number of rows of each query.
#[derive(Debug)]
pub(super) struct Groups {
    path: PathBuf,
    sizes: Vec<u32>,
}

/// Where the side file of `data` would be.
pub(crate) fn path_of(data: &Path) -> PathBuf {
    let mut name = data.as_os_str().to_os_string();
    name.push(".query");
    name.into()
}

impl Groups {
    /// Reads the side file at `path`.
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        let mut text = Vec::new();
        std::io::Read::read_to_end(&mut source::open(path)?, &mut text)
            .map_err(|error| Error::io(path, "failed to read", &error))?;
        let mut groups = Self::parse(&text).map_err(|error| error.in_file(path))?;
        groups.path = path.to_path_buf();
        Ok(groups)
    }

    pub(super) fn parse(text: &[u8]) -> Result<Self, Error> {
        let mut sizes = Vec::new();
        for (number, (_, line)) in lines(text).enumerate() {
            let token = line.trim_ascii();
            if token.is_empty() {
                continue;
            }
            let size = str::from_utf8(token).ok().and_then(|token| token.parse().ok());
            let Some(size @ 1..) = size else {
                let message = format!("expected the number of rows of a query, 1 or more, found {}", excerpt(token));
                let error = Error::new(ErrorKind::QueryId, message);
                return Err(error.at(number as u64 + 1, 1));
            };
            sizes.push(size);
        }
        Ok(Self { path: PathBuf::new(), sizes })
    }

    /// How many rows query `group` has, or nothing where there are fewer queries.
    pub(super) fn size(&self, group: usize) -> Option<usize> {
        self.sizes.get(group).map(|&size| size as usize)
    }

    /// How many rows all queries have.
    pub(super) fn rows(&self) -> u64 {
        self.sizes.iter().copied().map(u64::from).sum()
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Where the last query that is whole ends in `text`, whose first row is the first of `group`; and
    /// the group that begins there.
    pub(super) fn cut(&self, text: &[u8], mut group: usize) -> (usize, usize) {
        let (mut rows, mut cut) = (0, 0);
        for (end, line) in lines(text) {
            if matches!(shape::of(line), Shape::Blank | Shape::Comment) {
                continue;
            }
            rows += 1;
            match self.size(group) {
                Some(size) if rows < size => {}
                Some(_) => (cut, group, rows) = (end, group + 1, 0),
                // More rows than are counted: reading the first of them will say so.
                None => return (group, text.len()),
            }
        }
        (group, cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_checked() {
        assert_eq!(Groups::parse(b"1\r\n13\n\n5").unwrap().rows(), 19);
        for (text, line) in [("3\n0\n", 2), ("x", 1), ("1\n2 3\n", 2), ("-1", 1), ("99999999999", 1)] {
            assert_eq!(Groups::parse(text.as_bytes()).unwrap_err().line(), Some(line), "{text}");
        }
    }

    #[test]
    fn cuts_fall_between_queries() {
        let groups = Groups::parse(b"2\n1\n3\n").unwrap();
        let text = b"0 1:1\n# comment\n0 1:2\n\n0 1:3\n0 1:4\n0 1:5\n";
        assert_eq!(groups.cut(text, 0), (2, 29));
        assert_eq!(groups.cut(b"0 1:1\n", 0), (0, 0));
        assert_eq!(groups.cut(b"0 1:1\n0 1:1\n", 3), (3, 12), "beyond the last");
    }
}
