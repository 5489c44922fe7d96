//! Scores in text, one per line, alone or in RankLib's columns.

use crate::dataset::Dataset;
use crate::decimal::Decimal;
use crate::error::{Error, ErrorKind, excerpt};
use crate::text::{NumberError, foreign_format, lines, parse_number};

const EXPECTED: &str = "expected one score per line, or RankLib's `query index score`";

/// The scores in `text`; those of RankLib are checked against the queries and rows of `dataset`.
///
/// # Errors
/// The first line that is not a score, or is one for another document.
pub(super) fn parse(text: &[u8], dataset: &Dataset) -> Result<Vec<Decimal>, Error> {
    let mut scores = Vec::new();
    let mut rows = Rows { dataset, query: 0 };
    let end = text.trim_ascii_end().len();
    if end == 0 {
        return Err(Error::new(ErrorKind::Format, format!("is empty, {EXPECTED}: check that it is complete")).at(1, 1));
    }
    let mut columns = 0;
    for (number, (_, line)) in (1..).zip(lines(&text[..end])) {
        let fail = |kind, message: String| Error::new(kind, message).at(number, 1);
        let fields: Vec<&[u8]> = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).collect();
        if number == 1 {
            columns = fields.len();
        }
        let score = match fields[..] {
            _ if fields.len() != columns => &[][..],
            [score] => score,
            [id, index, score] => {
                rows.check(scores.len(), id, index).map_err(|message| fail(ErrorKind::QueryId, message))?;
                score
            }
            _ => &[][..],
        };
        match parse_number(score) {
            Ok(score) => scores.push(score),
            Err(NumberError::NotFinite) => {
                return Err(fail(
                    ErrorKind::Value,
                    format!("score {} is not finite, expected a finite number: correct it", excerpt(score)),
                ));
            }
            Err(NumberError::Syntax) => {
                let found = excerpt(line.trim_ascii());
                if line.contains(&0) {
                    return Err(fail(
                        ErrorKind::Format,
                        format!("found binary data {found}, {EXPECTED}: give text, gzip or .npy"),
                    ));
                }
                let hint = match (foreign_format(line), fields.len()) {
                    (Some(foreign), _) => format!("this is {foreign}: {}", foreign.remedy()),
                    (None, 0) => "a blank line may only be at the end; remove it".to_owned(),
                    (None, 1) if number == 1 && !score.contains(&b',') => "remove the header".to_owned(),
                    (None, _) if line.windows(4).any(|part| part == b"qid:") => {
                        "this is a row of a LETOR data set: give the file as --dataset".to_owned()
                    }
                    (None, _) => "give the scores of one model alone".to_owned(),
                };
                return Err(fail(ErrorKind::Syntax, format!("found {found}, {EXPECTED}: {hint}")));
            }
        }
    }
    Ok(scores)
}

/// The rows of a data set, in order.
struct Rows<'a> {
    dataset: &'a Dataset,
    query: usize,
}

impl Rows<'_> {
    /// Checks that row `row` (from 0, never below one before) is document `index` of query `id`.
    fn check(&mut self, row: usize, id: &[u8], index: &[u8]) -> Result<(), String> {
        while self.query < self.dataset.queries() && self.dataset.document_offset(self.query + 1) <= row {
            self.query += 1;
        }
        if self.query == self.dataset.queries() {
            // The number of scores is wrong, and that is the error.
            return Ok(());
        }
        let (expected, at) = (self.dataset.query(self.query).id(), row - self.dataset.document_offset(self.query));
        if id == expected.as_bytes() && index == at.to_string().as_bytes() {
            return Ok(());
        }
        Err(format!(
            "found a score for document {} of query {}, expected document {at} (from 0) of query {expected}: score the same \
             files, in the same order",
            excerpt(index),
            excerpt(id)
        ))
    }
}
