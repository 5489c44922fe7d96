//! Boards of judgements, from files and frames.

use std::path::PathBuf;

use board::read::{self, Cells, Columns as ColumnNames, Options, WinnerIs};
use board::{Clusters, Settings, TieModel};
use output::input::{self, MOST_OF_RESULTS};
use pyo3::prelude::*;
use studies::board::BoardReport;

use crate::call::{CallOptions, exception, value_error, work};
use crate::frame::Columns;

/// A board.
#[pyclass(frozen, module = "rankduel._core")]
pub(crate) struct Board {
    report: BoardReport,
}

/// How a table is read and what is asked of it, by the names of the arguments in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct BoardArguments {
    columns: Vec<(String, String)>,
    winner_is: String,
    order_unknown: bool,
    in_time: bool,
    confidence: f64,
    clusters: String,
    ties: String,
    advice: bool,
    every_look: bool,
}

impl BoardArguments {
    fn options(&self) -> PyResult<Options> {
        let mut columns = ColumnNames::default();
        for (what, column) in &self.columns {
            let place = match what.as_str() {
                "first" => &mut columns.first,
                "second" => &mut columns.second,
                "winner" => &mut columns.winner,
                "item" => &mut columns.item,
                "judge" => &mut columns.judge,
                "time" => &mut columns.time,
                "weight" => &mut columns.weight,
                _ => {
                    return Err(value_error(format!(
                        "columns: expected first, second, winner, item, judge, time or weight, found {what:?}"
                    )));
                }
            };
            *place = Some(column.clone());
        }
        let winner_is = WinnerIs::NAMES.iter().find(|(name, _)| *name == self.winner_is).map(|(_, is)| *is);
        let names = WinnerIs::NAMES.map(|(name, _)| name).join(", ");
        let winner_is = winner_is
            .ok_or_else(|| value_error(format!("winner_is: expected one of {names}, found {:?}", self.winner_is)))?;
        Ok(Options { columns, winner_is, order_unknown: self.order_unknown, in_time: self.in_time })
    }

    fn settings(&self) -> PyResult<Settings> {
        let clusters = match self.clusters.as_str() {
            "auto" => Clusters::Auto,
            "units" => Clusters::Units,
            "item" => Clusters::Item,
            "judge" => Clusters::Judge,
            "both" => Clusters::Both,
            other => {
                return Err(value_error(format!(
                    "clusters: expected auto, units, item, judge or both, found {other:?}"
                )));
            }
        };
        let ties = match self.ties.as_str() {
            "davidson" => TieModel::Davidson,
            "rao-kupper" => TieModel::RaoKupper,
            other => return Err(value_error(format!("ties: expected davidson or rao-kupper, found {other:?}"))),
        };
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            return Err(value_error(format!(
                "confidence: expected a number between 0 and 1, found {}",
                self.confidence
            )));
        }
        Ok(Settings {
            level: self.confidence,
            clusters,
            ties,
            advice: self.advice,
            every_look: self.every_look,
            ..Settings::default()
        })
    }
}

impl Board {
    /// From a session with judges.
    pub(crate) fn of_session(
        py: Python<'_>,
        live: live::Live,
        asked: &BoardArguments,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let settings = asked.settings()?;
        work(py, CallOptions { threads, report: None, notes: true }, move || {
            Ok(Self { report: BoardReport::of_session("the session", &live, &settings)? })
        })
    }
}

#[pymethods]
impl Board {
    /// From a file.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf, asked: BoardArguments, threads: Option<usize>) -> PyResult<Self> {
        let (options, settings) = (asked.options()?, asked.settings()?);
        work(py, CallOptions { threads, report: None, notes: true }, move || {
            let name = path.display().to_string();
            let bytes = input::read(&path, MOST_OF_RESULTS)
                .map_err(|error| anyhow::Error::new(error).context(format!("failed to read {name}")))?;
            Ok(Self { report: BoardReport::of_bytes(&name, &bytes, &options, &settings)? })
        })
    }

    /// From the columns of a frame, as text.
    #[staticmethod]
    fn of_columns(
        py: Python<'_>,
        header: Vec<String>,
        columns: Vec<Vec<String>>,
        asked: BoardArguments,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let (options, settings) = (asked.options()?, asked.settings()?);
        let rows = columns.first().map_or(0, Vec::len);
        let mut cells: Vec<(u64, Vec<String>)> = (1..=rows as u64).map(|row| (row, Vec::new())).collect();
        for column in columns {
            if column.len() != rows {
                return Err(value_error(format!("columns of {rows} and of {} rows", column.len())));
            }
            for ((_, row), cell) in cells.iter_mut().zip(column) {
                row.push(cell);
            }
        }
        let cells = Cells { header, rows: cells };
        work(py, CallOptions { threads, report: None, notes: true }, move || {
            let reading = read::from_cells(&cells, &options).map_err(|error| match error.row {
                Some(row) => anyhow::anyhow!("row {row}: {}", error.message),
                None => anyhow::anyhow!("{}", error.message),
            })?;
            Ok(Self { report: BoardReport::of("the table", reading, &settings)? })
        })
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
