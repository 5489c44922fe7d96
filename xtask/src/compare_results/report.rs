//! The result of a comparison: differences by file, and the amount compared.

use std::collections::BTreeMap;

/// Differences and counts so far.
#[derive(Debug)]
pub(super) struct Report {
    at_most: usize,
    lines: Vec<String>,
    /// The file being compared, and the number of its differences.
    current: (String, usize),
    files: usize,
    differences: usize,
    compared: BTreeMap<String, usize>,
    skipped: BTreeMap<String, usize>,
}

impl Report {
    /// A report that keeps the text of at most `at_most` differences per file.
    pub(super) fn new(at_most: usize) -> Self {
        Self {
            at_most,
            lines: Vec::new(),
            current: (String::new(), 0),
            files: 0,
            differences: 0,
            compared: BTreeMap::new(),
            skipped: BTreeMap::new(),
        }
    }

    /// The next file.
    pub(super) fn begin(&mut self, file: &str) {
        self.end_file();
        self.current = (file.to_owned(), 0);
        self.files += 1;
    }

    fn end_file(&mut self) {
        let (file, count) = &self.current;
        if let Some(more @ 1..) = count.checked_sub(self.at_most) {
            self.lines.push(format!("{file}: {more} more differences"));
        }
        self.current.1 = 0;
    }

    /// A value that differs; `place` is a row and column or a path.
    pub(super) fn difference(&mut self, place: &str, old: &str, new: &str) {
        self.differences += 1;
        self.current.1 += 1;
        if self.current.1 <= self.at_most {
            self.lines.push(format!("{}: {place}: old {old}, new {new}", self.current.0));
        }
    }

    pub(super) fn missing_file(&mut self, file: &str, folder: &str) {
        self.end_file();
        self.files += 1;
        self.differences += 1;
        self.lines.push(format!("{file}: not in {folder}"));
    }

    /// A file of this sort was not compared.
    pub(super) fn skip(&mut self, sort: &str) {
        self.files += 1;
        *self.skipped.entry(sort.to_owned()).or_default() += 1;
    }

    /// `count` more `what` were compared.
    pub(super) fn count(&mut self, count: usize, what: &str) {
        *self.compared.entry(what.to_owned()).or_default() += count;
    }

    pub(super) fn differences(&self) -> usize {
        self.differences
    }

    /// Files seen, compared or not.
    pub(super) fn files(&self) -> usize {
        self.files
    }

    /// The differences and, last, the summary.
    pub(super) fn lines(mut self) -> impl Iterator<Item = String> {
        self.end_file();
        let list = |counts: &BTreeMap<String, usize>| {
            counts.iter().map(|(what, count)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
        };
        let mut summary = format!("compared {} files", self.files - self.skipped.values().sum::<usize>());
        if !self.compared.is_empty() {
            summary += &format!(" ({})", list(&self.compared));
        }
        if !self.skipped.is_empty() {
            summary += &format!("; skipped {}", list(&self.skipped));
        }
        summary += &format!("; {} differences", self.differences);
        self.lines.into_iter().chain([summary])
    }
}
