//! Rankings and judgements in tables: as files of TREC, and of one query.
//!
//! `rankduel/rankings.py` finds the columns: `query`, `document` and `number`, and `rank` beside scores.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt};

use crate::arrow::{Batch, Imported};
use crate::call::{exception, value_error};

/// The meaning of a row's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    Score,
    /// The lowest is the best.
    Rank,
    Label,
}

impl Number {
    fn read(name: &str) -> PyResult<Self> {
        match name {
            "score" => Ok(Self::Score),
            "rank" => Ok(Self::Rank),
            "label" => Ok(Self::Label),
            other => Err(value_error(format!("expected score, rank or label, found {other:?}"))),
        }
    }
}

/// A row that is complete.
struct Row<'a> {
    query: Option<Cow<'a, str>>,
    document: Cow<'a, str>,
    number: f64,
}

/// The reader of rows, and its words for errors.
struct Rows {
    what: String,
    number: Number,
    has_rows: bool,
    passed: usize,
    /// Whether the documents are whole numbers.
    are_whole: bool,
}

fn id<'a>(column: Imported<'a>, row: usize) -> Option<Cow<'a, str>> {
    match column {
        Imported::Text(texts) => texts.text(row).map(Cow::Borrowed),
        Imported::Int(valid, values) => valid.has(row).then(|| Cow::Owned(values.get(row).to_string())),
        _ => None,
    }
}

impl Rows {
    fn new(what: String, number: &str, has_rows: bool) -> PyResult<Self> {
        Ok(Self { what, number: Number::read(number)?, has_rows, passed: 0, are_whole: false })
    }

    fn value_error(&self, row: usize, found: impl std::fmt::Display) -> PyErr {
        let row = if self.has_rows { format!("row {}: ", self.passed + row) } else { String::new() };
        value_error(format!("{}: {row}{found}", self.what))
    }

    /// Passes each row of a batch to `take`, which may refuse it.
    fn each<'a>(
        &mut self,
        batch: &'a Batch,
        mut take: impl FnMut(&Self, usize, Row<'a>) -> PyResult<()>,
    ) -> PyResult<()> {
        let column = |name: &str| -> PyResult<Option<Imported<'a>>> {
            let column = batch.column(name)?;
            if matches!(column, Some(Imported::Text(_) | Imported::Int(..) | Imported::Null) | None) {
                return Ok(column);
            }
            let kind = if name == "query" { "queries" } else { "documents" };
            Err(value_error(format!("{}: expected {kind} as text or whole numbers; cast the column", self.what)))
        };
        let (queries, documents) = (column("query")?, column("document")?);
        let documents = documents.ok_or_else(|| value_error("a table without documents"))?;
        let numbers = batch.column("number")?.ok_or_else(|| value_error("a table without numbers"))?;
        if batch.rows() > 0 && !matches!(numbers, Imported::Float(..) | Imported::Int(..) | Imported::Null) {
            let name = if self.number == Number::Label { "labels" } else { "scores" };
            return Err(value_error(format!("{}: expected {name} as numbers; cast the column", self.what)));
        }
        self.are_whole |= matches!(documents, Imported::Int(..)) || batch.has_whole("document");
        for row in 0..batch.rows() {
            let query = match queries {
                None => None,
                Some(queries) => Some(id(queries, row).ok_or_else(|| self.value_error(row, "it has no query"))?),
            };
            let document = id(documents, row).ok_or_else(|| self.value_error(row, "it has no document"))?;
            let number = self.number_of(row, numbers.float(row), query.as_deref(), &document)?;
            take(self, row, Row { query, document, number })?;
        }
        self.passed += batch.rows();
        Ok(())
    }

    fn number_of(&self, row: usize, found: Option<f64>, query: Option<&str>, document: &str) -> PyResult<f64> {
        let of_query = query.map_or_else(String::new, |query| format!("query {query}, "));
        match found {
            Some(number) if number.is_finite() => {}
            other => {
                let found = other.map_or_else(|| "none".to_owned(), |number| number.to_string().replace("NaN", "nan"));
                return Err(self
                    .value_error(row, format!("expected a number for {of_query}document {document}, found {found}")));
            }
        }
        let number = found.unwrap_or_default();
        match self.number {
            Number::Score => Ok(number),
            Number::Rank => Ok(0.0 - number),
            Number::Label if number.fract() == 0.0 => Ok(number),
            Number::Label => Err(self
                .value_error(row, format!("expected whole labels, found {number} for {of_query}document {document}"))),
        }
    }
}

/// Rankings or judgements on their way to the text of a file of TREC.
#[pyclass(module = "rankduel._core")]
pub(crate) struct TrecText {
    rows: Rows,
    tag: String,
    text: String,
}

#[pymethods]
impl TrecText {
    /// An empty table. `number` is the kind of numbers, `has_rows` whether errors name rows.
    #[new]
    fn new(what: String, number: &str, tag: String, has_rows: bool) -> PyResult<Self> {
        Ok(Self { rows: Rows::new(what, number, has_rows)?, tag, text: String::new() })
    }

    /// Adds the rows of a batch.
    fn add(&mut self, py: Python<'_>, batch: &Bound<'_, Batch>) -> PyResult<()> {
        let batch = batch.get();
        py.detach(|| {
            let Self { rows, tag, text } = self;
            let is_label = rows.number == Number::Label;
            // Ranks that contradict the scores are noted for files, too.
            let ranks = batch.column("rank")?;
            rows.each(batch, |rows, row, Row { query, document, number }| {
                let query = query.as_deref().unwrap_or("");
                for (kind, word) in [("query", query), ("document", &*document)] {
                    if word.is_empty() || word.contains(char::is_whitespace) {
                        return Err(rows.value_error(row, format!("expected a {kind} without spaces, found {word:?}")));
                    }
                }
                if query.starts_with('#') {
                    let reason =
                        format!("expected a query that does not begin with #, as comments do, found {query:?}");
                    return Err(rows.value_error(row, reason));
                }
                let written = if is_label {
                    writeln!(text, "{query} 0 {document} {number}")
                } else {
                    let rank = ranks.and_then(|ranks| ranks.float(row)).unwrap_or_default();
                    writeln!(text, "{query} Q0 {document} {rank} {number:?} {tag}")
                };
                written.map_err(value_error)
            })
        })
    }

    /// The text.
    fn bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        if self.text.is_empty() {
            return Err(value_error(format!("{}: there is no document in it", self.rows.what)));
        }
        Ok(PyBytes::new(py, self.text.as_bytes()))
    }
}

/// The ranking of one query, looked for in a table.
#[pyclass(module = "rankduel._core")]
pub(crate) struct QueryRanking {
    rows: Rows,
    wanted: Option<String>,
    /// The first query.
    found: Option<String>,
    documents: Vec<(String, f64)>,
    seen: BTreeSet<String>,
}

#[pymethods]
impl QueryRanking {
    /// Nothing yet. `query` is the one looked for, `None` if there is only one.
    #[new]
    fn new(what: String, number: &str, query: Option<String>, has_rows: bool) -> PyResult<Self> {
        let rows = Rows::new(what, number, has_rows)?;
        Ok(Self { rows, wanted: query, found: None, documents: Vec::new(), seen: BTreeSet::new() })
    }

    /// Adds the rows of a batch.
    fn add(&mut self, batch: &Bound<'_, Batch>) -> PyResult<()> {
        let Self { rows, wanted, found, documents, seen } = self;
        rows.each(batch.get(), |rows, row, Row { query, document, number }| {
            match (&query, &*wanted) {
                (Some(query), Some(wanted)) if *query != **wanted => return Ok(()),
                (None, Some(wanted)) => {
                    let reason = format!("it has no column of queries, so leave out query={wanted:?}");
                    return Err(value_error(format!("{}: {reason}", rows.what)));
                }
                (Some(query), None) => {
                    let first = found.get_or_insert_with(|| query.to_string());
                    if *first != **query {
                        let reason = format!(
                            "found rankings of the queries {first:?} and {query:?}; say which: query={first:?}"
                        );
                        return Err(value_error(format!("{}: {reason}", rows.what)));
                    }
                }
                _ => {}
            }
            if !seen.insert(document.clone().into_owned()) {
                return Err(rows.value_error(row, format!("the document {document:?} is there twice; leave one out")));
            }
            documents.push((document.into_owned(), number));
            Ok(())
        })
    }

    /// The scores by document, in the order of the rows.
    fn scores<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        if self.documents.is_empty() {
            return Err(match &self.wanted {
                Some(query) => value_error(format!("{}: there is no ranking of query {query:?}", self.rows.what)),
                None => value_error(format!("{}: there is no document in it", self.rows.what)),
            });
        }
        scored_dict(py, &self.documents, self.rows.are_whole)
    }
}

fn scored_dict<'py>(py: Python<'py>, documents: &[(String, f64)], are_whole: bool) -> PyResult<Bound<'py, PyDict>> {
    let scores = PyDict::new(py);
    for (document, score) in documents {
        if are_whole {
            scores.set_item(py.get_type::<PyInt>().call1((document,))?, score)?;
        } else {
            scores.set_item(document, score)?;
        }
    }
    Ok(scores)
}

/// The ranking of one query in a TREC run: scores by document, in the order of the lines.
#[pyfunction]
pub(crate) fn trec_query<'py>(py: Python<'py>, path: PathBuf, query: Option<&str>) -> PyResult<Bound<'py, PyDict>> {
    let found = py.detach(|| letor_io::trec::read_query(&path, query));
    let documents = found.map_err(|error| exception(&anyhow::Error::new(error)))?;
    scored_dict(py, &documents, false)
}
