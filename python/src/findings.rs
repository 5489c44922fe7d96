//! The findings of a study as Python gets them.

use pyo3::prelude::*;
use studies::Report;

use crate::call::exception;
use crate::frame::Columns;

/// The findings of a study: the text, all numbers as JSON, tables and figures by name.
pub(crate) type Findings = (String, String, Vec<(String, Columns)>, Vec<(String, String)>);

/// A report for Python.
pub(crate) fn findings(report: &Report) -> PyResult<Findings> {
    let tables = report.tables().map(|(name, csv)| Ok((name.to_owned(), Columns::of(csv.to_vec())?)));
    let figures = report.figures().map_err(|error| exception(&error))?;
    Ok((report.text.clone(), report.json.clone(), tables.collect::<PyResult<_>>()?, figures))
}
