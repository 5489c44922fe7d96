//! Tables of results: columns of numbers, truth values and text, with gaps. They are made of the very rows that the
//! command line writes into its CSV files, so that both agree to the last digit.

use std::sync::Arc;

use numpy::{IntoPyArray as _, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList};

use verdicts::amounts::Amounts;

use crate::arrow;
use crate::call::value_error;

/// The values of a column, laid out as Arrow does.
pub(crate) enum Values {
    Int(Vec<i64>),
    Float(Vec<f64>),
    /// A bit per row.
    Bool(Vec<u8>),
    /// Where the text of each row begins, where the last one ends, and all texts.
    Text(Vec<i32>, Vec<u8>),
}

/// One column.
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) values: Values,
    /// A bit per row that has a value, and the number of rows without one; `None`: every row has.
    pub(crate) valid: Option<(Vec<u8>, usize)>,
}

/// A table.
pub(crate) struct Table {
    pub(crate) rows: usize,
    pub(crate) columns: Vec<Column>,
}

fn bit(bits: &[u8], at: usize) -> bool {
    bits[at / 8] >> (at % 8) & 1 == 1
}

fn bits(values: impl ExactSizeIterator<Item = bool>) -> Vec<u8> {
    let mut bits = vec![0; values.len().div_ceil(8)];
    for (at, value) in values.enumerate() {
        bits[at / 8] |= u8::from(value) << (at % 8);
    }
    bits
}

/// The columns that are text even where every value looks like a number, such as names of features.
const TEXT_COLUMNS: [&str; 13] = [
    "algorithm",
    "method",
    "arena",
    "label",
    "name",
    "qid",
    "docno",
    "run_tag",
    "variant",
    "part",
    "data_set",
    "measure",
    "version",
];
/// The columns of whole numbers; all others are numbers of any kind, or truth values.
const WHOLE_NUMBER_COLUMNS: [&str; 41] = [
    "step",
    "steps",
    "run",
    "runs",
    "arm",
    "arms",
    "feature",
    "arm_in_matrix",
    "recommended_arm",
    "recommended_feature",
    "recommended_arm_in_matrix",
    "horizon",
    "impressions",
    "draws",
    "rank",
    "wins",
    "losses",
    "ties",
    "comparisons",
    "first",
    "second",
    "third",
    "queries",
    "documents",
    "features",
    "rankers",
    "size",
    "sets",
    "beats",
    "row",
    "column",
    "alone_since",
    "pairs",
    "seed",
    "count",
    "unit_wins",
    "unit_losses",
    "unit_ties",
    "impression_wins",
    "impression_losses",
    "impression_ties",
];

impl Column {
    /// The column `name` with these cells; empty ones are gaps.
    fn new(name: &str, cells: &[&str]) -> Result<Self, String> {
        let missing = cells.iter().filter(|cell| cell.is_empty()).count();
        let valid = (missing > 0).then(|| (bits(cells.iter().map(|cell| !cell.is_empty())), missing));
        let all = |test: fn(&str) -> bool| cells.iter().all(|cell| cell.is_empty() || test(cell));
        let is_whole = WHOLE_NUMBER_COLUMNS.contains(&name) || Amounts::COLUMNS.contains(&name);
        let numeric = !TEXT_COLUMNS.contains(&name) && missing < cells.len() || is_whole;
        let values = if numeric && is_whole && all(|cell| cell.parse::<i64>().is_ok()) {
            Values::Int(cells.iter().map(|cell| cell.parse().unwrap_or(0)).collect())
        } else if numeric && all(|cell| matches!(cell, "true" | "false")) {
            Values::Bool(bits(cells.iter().map(|cell| *cell == "true")))
        } else if !TEXT_COLUMNS.contains(&name) && all(|cell| cell.parse::<f64>().is_ok()) {
            Values::Float(cells.iter().map(|cell| cell.parse().unwrap_or(f64::NAN)).collect())
        } else {
            let ends = cells.iter().scan(0_usize, |end, cell| {
                *end += cell.len();
                Some(*end)
            });
            let ends = std::iter::once(0).chain(ends).map(|end| i32::try_from(end).map_err(|_| too_long(name)));
            Values::Text(ends.collect::<Result<_, _>>()?, cells.concat().into_bytes())
        };
        Ok(Self { name: name.to_owned(), values, valid })
    }

    /// A column of texts; some may be missing.
    pub(crate) fn texts(name: &str, values: &[Option<String>]) -> Self {
        let missing = values.iter().filter(|value| value.is_none()).count();
        let valid = (missing > 0).then(|| (bits(values.iter().map(Option::is_some)), missing));
        let (mut ends, mut text) = (vec![0], Vec::new());
        for value in values {
            text.extend_from_slice(value.as_deref().unwrap_or("").as_bytes());
            ends.push(text.len() as i32);
        }
        Self { name: name.to_owned(), values: Values::Text(ends, text), valid }
    }

    fn is_valid(&self, row: usize) -> bool {
        self.valid.as_ref().is_none_or(|(valid, _)| bit(valid, row))
    }

    /// The values for Python: an array where there are no gaps, or where NaN can stand for them; otherwise a list.
    fn to_python<'py>(&self, py: Python<'py>, rows: usize) -> PyResult<Bound<'py, PyAny>> {
        match (&self.values, &self.valid) {
            (Values::Int(values), None) => Ok(PyArray1::from_slice(py, values).into_any()),
            (Values::Int(values), Some(_)) => {
                let value = |row: usize| if self.is_valid(row) { values[row] as f64 } else { f64::NAN };
                Ok((0..rows).map(value).collect::<Vec<f64>>().into_pyarray(py).into_any())
            }
            (Values::Float(values), _) => Ok(PyArray1::from_slice(py, values).into_any()),
            (Values::Bool(values), None) => {
                Ok((0..rows).map(|row| bit(values, row)).collect::<Vec<bool>>().into_pyarray(py).into_any())
            }
            (Values::Bool(values), Some(_)) => {
                let value = |row: usize| self.is_valid(row).then(|| bit(values, row));
                Ok(PyList::new(py, (0..rows).map(value))?.into_any())
            }
            (Values::Text(ends, text), _) => {
                let value = |row: usize| {
                    let bytes = &text[ends[row] as usize..ends[row + 1] as usize];
                    self.is_valid(row).then(|| str::from_utf8(bytes).expect("made of whole texts"))
                };
                Ok(PyList::new(py, (0..rows).map(value))?.into_any())
            }
        }
    }
}

fn too_long(name: &str) -> String {
    format!("the texts of column {name} take more than 2 GB; choose fewer runs or checkpoints")
}

impl Table {
    /// The table in the bytes of a CSV file with a header.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        Self::read(bytes, Column::new)
    }

    /// The same, with every column as text.
    fn of_texts(bytes: &[u8]) -> Result<Self, String> {
        Self::read(bytes, |name, cells| {
            let cell = |cell: &&str| (!cell.is_empty()).then(|| (*cell).to_owned());
            let texts: Vec<Option<String>> = cells.iter().map(cell).collect();
            let length: usize = cells.iter().map(|cell| cell.len()).sum();
            i32::try_from(length).map_err(|_| too_long(name))?;
            Ok(Column::texts(name, &texts))
        })
    }

    fn read(bytes: &[u8], column: impl Fn(&str, &[&str]) -> Result<Column, String>) -> Result<Self, String> {
        let mut reader = csv::Reader::from_reader(bytes);
        let header = reader.headers().map_err(|error| error.to_string())?.clone();
        let rows = reader.records().collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
        let cells = |at: usize| rows.iter().map(|row| row.get(at).unwrap_or("")).collect::<Vec<&str>>();
        let columns = header.iter().enumerate().map(|(at, name)| column(name, &cells(at)));
        Ok(Self { rows: rows.len(), columns: columns.collect::<Result<_, _>>()? })
    }
}

/// The columns of a frame.
#[pyclass(frozen, module = "rankduel._core")]
pub(crate) struct Columns {
    table: Arc<Table>,
    /// The CSV file that they were read from.
    csv: Vec<u8>,
    /// Whether every column is text, whatever its values look like.
    texts: bool,
}

impl Columns {
    pub(crate) fn of(csv: Vec<u8>) -> PyResult<Self> {
        Ok(Self { table: Arc::new(Table::parse(&csv).map_err(value_error)?), csv, texts: false })
    }

    /// A table with columns of texts that users chose, so that a name like `7` stays one. Empty cells are gaps.
    pub(crate) fn of_texts(csv: Vec<u8>) -> PyResult<Self> {
        Ok(Self { table: Arc::new(Table::of_texts(&csv).map_err(value_error)?), csv, texts: true })
    }
}

/// The pickled form of a table: its constructor and the arguments of that.
type PickledTable<'py> = (Bound<'py, PyAny>, (Bound<'py, PyBytes>, bool));

#[pymethods]
impl Columns {
    /// Reads CSV with a header; every column as text if `texts`.
    #[staticmethod]
    #[pyo3(signature = (csv, texts = false))]
    fn from_csv(csv: &[u8], texts: bool) -> PyResult<Self> {
        if texts { Self::of_texts(csv.to_vec()) } else { Self::of(csv.to_vec()) }
    }

    fn __len__(&self) -> usize {
        self.table.rows
    }

    /// The names, in order.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.table.columns.iter().map(|column| column.name.as_str()).collect()
    }

    /// The values of a column.
    fn values<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let column = self.table.columns.iter().find(|column| column.name == name);
        let column = column.ok_or_else(|| {
            value_error(format!("there is no column {name:?}; the columns are {}", self.names().join(", ")))
        })?;
        column.to_python(py, self.table.rows)
    }

    /// The bytes of the CSV file that the command line writes.
    fn csv<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.csv)
    }

    /// The table as a stream of the Arrow C data interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::capsule(py, &self.table, requested_schema)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<PickledTable<'py>> {
        Ok((py.get_type::<Self>().getattr("from_csv")?, (self.csv(py), self.texts)))
    }
}
