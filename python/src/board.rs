//! Boards of judgements, from files and frames.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use analyses::board::{BoardReport, BoardRequest, GoldSource};
use board::Settings;
use board::read::{self, Cells, Options};
use desk::refusal::in_keywords;
use output::input::{self, MAX_RESULT_BYTES};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::call::{CallOptions, exception, value_error, work};
use crate::frame::Columns;
use crate::settings::parse;

/// A board.
#[pyclass(frozen, module = "rankduel._core")]
pub(crate) struct Board {
    report: BoardReport,
    source: Source,
}

/// The source of a board, from which it can be made again.
#[derive(Clone)]
enum Source {
    /// A file by its name, and its bytes.
    File(String, Arc<Vec<u8>>),
    /// A table of texts, as CSV with a header.
    Cells(Arc<Vec<u8>>),
    /// The lines of a session.
    Session(Arc<Vec<u8>>),
}

impl Source {
    /// The kind, the name and the bytes, for pickles.
    fn parts(&self) -> (&'static str, &str, &[u8]) {
        match self {
            Self::File(name, bytes) => ("file", name, bytes),
            Self::Cells(bytes) => ("cells", "", bytes),
            Self::Session(bytes) => ("session", "", bytes),
        }
    }

    fn of_parts(kind: &str, name: String, bytes: Vec<u8>) -> PyResult<Self> {
        let bytes = Arc::new(bytes);
        match kind {
            "file" => Ok(Self::File(name, bytes)),
            "cells" => Ok(Self::Cells(bytes)),
            "session" => Ok(Self::Session(bytes)),
            other => Err(value_error(format!("there is no kind {other:?} of boards"))),
        }
    }

    /// The report, with notes in the words of Python.
    fn report(&self, (options, gold, settings): &Request) -> anyhow::Result<BoardReport> {
        let mut report = self.read(options, gold, settings)?;
        report.notes.iter_mut().for_each(|note| *note = in_keywords(note));
        Ok(report)
    }

    fn read(&self, options: &Options, gold: &GoldSource, settings: &Settings) -> anyhow::Result<BoardReport> {
        match self {
            Self::File(name, bytes) => BoardReport::of_bytes(name, bytes, options, gold, settings, true),
            Self::Cells(bytes) => {
                let reading = read::from_cells(&cells(bytes)?, options).map_err(|error| match error.row {
                    Some(row) => anyhow::anyhow!("row {row}: {}", error.message),
                    None => anyhow::anyhow!("{}", error.message),
                })?;
                BoardReport::of("the table", reading, options, gold, settings, true)
            }
            Self::Session(lines) => {
                let (live, _) = judges::Session::replay(lines)?;
                BoardReport::of_session("the session", &live, settings, true)
            }
        }
    }
}

/// The table in CSV that [`Board::of_columns`] wrote. Rows are counted from 1.
fn cells(csv: &[u8]) -> anyhow::Result<Cells> {
    let texts = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect::<Vec<_>>();
    let mut reader = csv::Reader::from_reader(csv);
    let header = texts(reader.headers()?);
    let rows = (1..).zip(reader.records()).map(|(row, record)| Ok((row, texts(&record?))));
    Ok(Cells { header, rows: rows.collect::<Result<_, csv::Error>>()?, short_rows: Vec::new() })
}

/// The request for a board: the flags of [`BoardRequest`], and whether to estimate the further judgements needed.
pub(crate) type BoardCall = (Vec<OsString>, bool);

/// The options of the table, the source of true judgements, and the settings.
type Request = (Options, GoldSource, Settings);

fn read_asked((flags, advice): BoardCall) -> PyResult<Request> {
    let read = || -> anyhow::Result<Request> {
        let request: BoardRequest = parse(flags)?;
        Ok((request.options()?, request.gold(), Settings { advice, ..request.settings() }))
    };
    read().map_err(|error| exception(&error))
}

impl Board {
    /// From the lines of a session with judges.
    pub(crate) fn of_session(
        py: Python<'_>,
        lines: Vec<u8>,
        asked: BoardCall,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        Self::of(py, Source::Session(Arc::new(lines)), asked, threads)
    }

    fn of(py: Python<'_>, source: Source, asked: BoardCall, threads: Option<usize>) -> PyResult<Self> {
        let request = read_asked(asked)?;
        work(py, CallOptions { threads, report: None, notes: true }, move || {
            Ok(Self { report: source.report(&request)?, source })
        })
    }
}

#[pymethods]
impl Board {
    /// From a file.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf, asked: BoardCall, threads: Option<usize>) -> PyResult<Self> {
        let request = read_asked(asked)?;
        work(py, CallOptions { threads, report: None, notes: true }, move || {
            let name = path.display().to_string();
            let bytes = input::read(&path, MAX_RESULT_BYTES)
                .map_err(|error| anyhow::Error::new(error).context(format!("failed to read {name}")))?;
            let source = Source::File(name, Arc::new(bytes));
            Ok(Self { report: source.report(&request)?, source })
        })
    }

    /// From the columns of a frame, as text.
    #[staticmethod]
    fn of_columns(
        py: Python<'_>,
        header: Vec<String>,
        columns: Vec<Vec<String>>,
        asked: BoardCall,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let rows = columns.first().map_or(0, Vec::len);
        if let Some(other) = columns.iter().find(|column| column.len() != rows) {
            return Err(value_error(format!("columns of {rows} and of {} rows", other.len())));
        }
        let mut table = csv::Writer::from_writer(Vec::new());
        table.write_record(&header).map_err(value_error)?;
        for row in 0..rows {
            table.write_record(columns.iter().map(|column| &column[row])).map_err(value_error)?;
        }
        let table = table.into_inner().map_err(value_error)?;
        Self::of(py, Source::Cells(Arc::new(table)), asked, threads)
    }

    /// From the result of `source`.
    #[staticmethod]
    fn of_source(
        py: Python<'_>,
        source: (String, String, Vec<u8>),
        asked: BoardCall,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let (kind, name, bytes) = source;
        Self::of(py, Source::of_parts(&kind, name, bytes)?, asked, threads)
    }

    /// Its source: a kind, a name and bytes.
    fn source<'py>(&self, py: Python<'py>) -> (&'static str, &str, Bound<'py, PyBytes>) {
        let (kind, name, bytes) = self.source.parts();
        (kind, name, PyBytes::new(py, bytes))
    }

    fn text(&self) -> String {
        self.report.text()
    }

    fn markdown(&self) -> String {
        self.report.markdown()
    }

    fn latex(&self, standalone: bool) -> String {
        self.report.latex(standalone)
    }

    fn json(&self) -> PyResult<String> {
        self.report.json().and_then(|value| Ok(serde_json::to_string(&value)?)).map_err(|error| exception(&error))
    }

    fn table(&self) -> PyResult<Columns> {
        Columns::of(self.report.csv().map_err(|error| exception(&error))?)
    }

    fn svg(&self) -> PyResult<String> {
        self.report.figure().render().map(|figure| figure.svg).map_err(|error| exception(&error))
    }

    /// The values of the figure, as JSON.
    fn figure_values(&self) -> PyResult<String> {
        self.report.figure().values().map_err(|error| exception(&error))
    }

    /// The files of a folder, by name.
    fn save(&self, folder: PathBuf) -> PyResult<()> {
        let write = || -> anyhow::Result<()> {
            output::create_folder(&folder)?;
            for (file, bytes) in self.report.files()? {
                output::write_atomic(&folder.join(file), &bytes)?;
            }
            self.report.figure().save(&folder.join("board"))
        };
        write().map_err(|error| exception(&error))
    }

    /// The competitors, best first, and the probabilities that the row beats the column, row by row.
    fn preferences(&self) -> Option<(Vec<String>, Vec<f64>)> {
        self.report.board.preferences().map(|found| (found.names, found.values))
    }
}
