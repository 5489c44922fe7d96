//! Qrels: the judged documents of each query.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::SYNTHETIC;
use super::fields::for_each_line;
use crate::dataset::{exact_label, label_of_number, label_too_fine};
use crate::error::{Error, ErrorKind, excerpt};
use crate::text::{ForeignFile, NumberError, parse_number};

/// The columns of a line.
const FORM: &str = "query 0 document label";

/// The judgments of all files.
#[derive(Debug, Default)]
pub(super) struct Qrels<'a> {
    /// By query; each list is in the order of document numbers as bytes.
    pub(super) queries: BTreeMap<&'a str, Vec<Judgment<'a>>>,
    /// Labels below 0.
    pub(super) negative: usize,
    /// Lines that repeat an earlier one.
    pub(super) repeated: usize,
    /// Lines that are comments.
    pub(super) comments: usize,
    /// Whether they were written from synthetic data.
    pub(super) synthetic: bool,
}

/// A line of qrels.
#[derive(Debug)]
pub(super) struct Judgment<'a> {
    pub(super) document: &'a [u8],
    /// 0 or more.
    pub(super) label: f32,
    /// The file and the line.
    place: (usize, u64),
}

impl<'a> Qrels<'a> {
    /// Reads the texts of the files at `paths`, with labels of at most `max_label`. Lines may be in any order.
    ///
    /// # Errors
    /// The first malformed line; after that, the first judgment that contradicts an earlier one.
    pub(super) fn parse(texts: &'a [Vec<u8>], paths: &[PathBuf], max_label: f32) -> Result<Self, Error> {
        let mut qrels = Self::default();
        for (file, (text, path)) in texts.iter().zip(paths).enumerate() {
            qrels.add(text, file, max_label).map_err(|error| error.in_file(path))?;
        }
        let mut conflict: Option<(&str, (usize, u64), String)> = None;
        for (id, judgments) in &mut qrels.queries {
            judgments.sort_by_key(|judgment| (judgment.document, judgment.place));
            for pair in judgments.windows(2).filter(|pair| pair[0].document == pair[1].document) {
                if pair[0].label == pair[1].label {
                    qrels.repeated += 1;
                } else if conflict.as_ref().is_none_or(|(_, place, _)| pair[1].place < *place) {
                    let (file, line) = pair[0].place;
                    let message = format!(
                        "document {} of query {id} has label {}, but {} at {}:{line}: keep one of the lines",
                        excerpt(pair[1].document),
                        exact_label(pair[1].label),
                        exact_label(pair[0].label),
                        paths[file].display(),
                    );
                    conflict = Some((id, pair[1].place, message));
                }
            }
            judgments.dedup_by(|later, first| later.document == first.document);
        }
        match conflict {
            Some((_, (file, line), message)) => {
                Err(Error::new(ErrorKind::Document, message).in_file(&paths[file]).at(line, 1))
            }
            None => Ok(qrels),
        }
    }

    fn add(&mut self, text: &'a [u8], file: usize, max_label: f32) -> Result<(), Error> {
        let Self { queries, negative, synthetic, comments, .. } = self;
        *comments += for_each_line::<4>(text, ("lines of qrels", FORM, ForeignFile::Qrels), |line| {
            let (id, document) = (line.query()?, line.document()?);
            let found = line.fields[3];
            let label = parse_number(found).map(|label| label.to_f64());
            let label = match label {
                Ok(label) if label <= f64::from(max_label) && label_of_number(label.max(0.0)).is_none() => {
                    return Err(line.error(3, ErrorKind::Label, label_too_fine(found)));
                }
                Ok(label) if label <= f64::from(max_label) => label,
                Ok(_) => {
                    let message = format!(
                        "label {} is out of range, expected at most {}: correct it, or raise the highest label \
                         (--max-label)",
                        excerpt(found),
                        exact_label(max_label),
                    );
                    return Err(line.error(3, ErrorKind::Label, message));
                }
                Err(NumberError::Syntax | NumberError::NotFinite) => {
                    let message = format!(
                        "label {} is not a number, expected one in column 4 of `{FORM}`: correct it",
                        excerpt(found)
                    );
                    return Err(line.error(3, ErrorKind::Label, message));
                }
            };
            *negative += usize::from(label < 0.0);
            *synthetic |= line.fields[1] == SYNTHETIC.as_bytes();
            let judgment = Judgment { document, label: label.max(0.0) as f32, place: (file, line.number) };
            queries.entry(id).or_default().push(judgment);
            Ok(())
        })?;
        Ok(())
    }
}
