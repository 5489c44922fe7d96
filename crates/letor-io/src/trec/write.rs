//! Writes a data set as runs and qrels.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::SYNTHETIC;
use crate::dataset::{Dataset, FeatureId, Provenance, exact_label};
use crate::decimal::Decimal;
use crate::text::{lines, read_text};

/// The numbers of a data set's documents, by which runs and qrels name them.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentNumbers {
    /// One per document of the data set; `None` if they are invented.
    numbers: Option<Vec<Box<str>>>,
    /// The digits of the number of a row.
    width: usize,
}

impl DocumentNumbers {
    /// Invented numbers, the query's id and the row in the query: `10-001`. Rows have as many digits everywhere, so that
    /// the order of numbers is that of rows.
    #[must_use]
    pub fn invented(dataset: &Dataset) -> Self {
        let most = dataset.iter().map(|query| query.documents()).max().unwrap_or(0);
        Self { numbers: None, width: most.to_string().len() }
    }

    /// The numbers in the comments of the files that `dataset` was read from, `#docid = GX001-23-456`, as in LETOR 3 and
    /// 4; [`invented`](Self::invented) ones if a document has none, a number recurs in its query, or the data were not
    /// read from files in the order of their rows.
    ///
    /// The data set keeps no comments, so that this reads the files again.
    #[must_use]
    pub fn of(dataset: &Dataset) -> Self {
        Self { numbers: read_numbers_in_comments(dataset), ..Self::invented(dataset) }
    }

    /// Whether the numbers are invented.
    #[must_use]
    pub fn are_invented(&self) -> bool {
        self.numbers.is_none()
    }

    /// The number of the document at `row` of query `query` of `dataset` (both from 0).
    fn number(&self, dataset: &Dataset, query: usize, row: usize) -> String {
        match &self.numbers {
            Some(numbers) => numbers[dataset.document_offset(query) + row].to_string(),
            None => format!("{}-{:0width$}", dataset.query(query).id(), row + 1, width = self.width),
        }
    }
}

/// The document numbers in comments, one per document of the data set.
fn read_numbers_in_comments(dataset: &Dataset) -> Option<Vec<Box<str>>> {
    let Provenance::Files { files, .. } = dataset.provenance() else { return None };
    let mut numbers: Vec<Box<str>> = Vec::with_capacity(dataset.documents());
    let mut queries = dataset.iter().map(|query| (query.id(), dataset.document_offset(query.index() + 1)));
    let (mut id, mut end) = ("", 0);
    let mut numbers_of_query = BTreeSet::new();
    for file in files {
        // Files of scores come after those of rows.
        if numbers.len() == dataset.documents() {
            break;
        }
        let text = read_text(file).ok()?;
        for (_, line) in lines(&text) {
            let line = line.trim_ascii();
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            if numbers.len() == end {
                (id, end) = queries.next()?;
                numbers_of_query.clear();
            }
            let (row, comment) = line.split_at(memchr::memchr(b'#', line)?);
            let of_query = row.split(u8::is_ascii_whitespace).nth(1)?.strip_prefix(b"qid:")?;
            let number: Box<str> = docid(str::from_utf8(comment).ok()?)?.into();
            if of_query != id.as_bytes() || !numbers_of_query.insert(number.clone()) {
                return None;
            }
            numbers.push(number);
        }
    }
    (numbers.len() == dataset.documents()).then_some(numbers)
}

/// The number in a comment like `#docid = GX001-23-456 inc = 1`.
fn docid(comment: &str) -> Option<&str> {
    let (_, after) = comment.split_once("docid")?;
    after.trim_start().strip_prefix('=')?.split_ascii_whitespace().next()
}

/// Writes the list of `feature` for every query as a run, `query Q0 document rank score tag`, of at most `depth`
/// documents each. Lines are in `trec_eval`'s order: highest score first, ties by document number, the last first.
/// The tag of synthetic data begins with `SYNTHETIC-`.
///
/// Scores have all digits of the data, more than `trec_eval` compares.
///
/// # Errors
/// Any error of `out`.
pub fn write_run(
    dataset: &Dataset,
    feature: FeatureId,
    tag: &str,
    documents: &DocumentNumbers,
    depth: usize,
    mut out: impl Write,
) -> io::Result<()> {
    let mark = if is_synthetic(dataset) { format!("{SYNTHETIC}-") } else { String::new() };
    let tag: String = tag.chars().map(|c| if c.is_whitespace() || c.is_control() { '-' } else { c }).collect();
    let mut text = Vec::new();
    for query in dataset.iter() {
        let mut scores = Vec::new();
        query.decimals(feature, &mut scores);
        let number = |row| documents.number(dataset, query.index(), row);
        let mut list: Vec<(Decimal, String)> = scores.into_iter().zip((0..).map(number)).collect();
        list.sort_by(|one, other| other.0.compare(one.0).then_with(|| other.1.cmp(&one.1)));
        text.clear();
        for (rank, (score, number)) in (1..).zip(list.iter().take(depth)) {
            write!(text, "{} Q0 {number} {rank} ", query.id())?;
            score.write(&mut text);
            writeln!(text, " {mark}{tag}")?;
        }
        out.write_all(&text)?;
    }
    out.flush()
}

/// Writes the labels of all documents as qrels, `query 0 document label`; documents without a label (-1) are left out.
/// The second column of synthetic data is `SYNTHETIC`.
///
/// # Errors
/// Any error of `out`.
pub fn write_qrels(dataset: &Dataset, documents: &DocumentNumbers, mut out: impl Write) -> io::Result<()> {
    let iteration = if is_synthetic(dataset) { SYNTHETIC } else { "0" };
    let mut text = Vec::new();
    for query in dataset.iter() {
        text.clear();
        for (row, label) in query.labels().iter().enumerate().filter(|(_, label)| **label >= 0.0) {
            let number = documents.number(dataset, query.index(), row);
            writeln!(text, "{} {iteration} {number} {}", query.id(), exact_label(*label))?;
        }
        out.write_all(&text)?;
    }
    out.flush()
}

fn is_synthetic(dataset: &Dataset) -> bool {
    matches!(dataset.provenance(), Provenance::LookAlike { .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_comments() {
        for (comment, expected) in [
            ("#docid = G13-86-1372899", Some("G13-86-1372899")),
            ("#docid=GX008 inc = 1 prob = 0.0866", Some("GX008")),
            ("# 3382", None),
            ("#docid =", None),
        ] {
            assert_eq!(docid(comment), expected, "{comment}");
        }
    }
}
