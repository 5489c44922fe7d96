//! Lists mixed for real users, and the credit of their clicks.

use ::interleave::by_id::{self, Lists};
use ::interleave::{
    AnyInterleaving, AnyInterleavingReceipt, AnyMultileaving, AnyMultileavingReceipt, Generator, Outcome as _,
    Preference, receipt,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};
use rand::SeedableRng as _;
use serde::{Deserialize, Serialize};

use crate::call::wrong;

/// A list that was shown, with what credit needs.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
enum Kept {
    Two(by_id::Impression<String, AnyInterleavingReceipt>),
    Many(by_id::Impression<String, AnyMultileavingReceipt>),
}

/// A list shown to one user, and the receipt with which its clicks are credited later.
#[pyclass(frozen, eq, module = "rankduel._core")]
#[derive(PartialEq)]
pub(crate) struct Impression {
    kept: Kept,
}

fn word(preference: Preference) -> &'static str {
    match preference {
        Preference::First => "first",
        Preference::Second => "second",
        Preference::Tie => "tie",
    }
}

#[pymethods]
impl Impression {
    /// The documents, top down.
    #[getter]
    fn shown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.documents())
    }

    /// The method that mixed the list, with its settings.
    #[getter]
    fn method(&self) -> &str {
        match &self.kept {
            Kept::Two(impression) => impression.receipt().method(),
            Kept::Many(impression) => impression.receipt().method(),
        }
    }

    /// Who won between two rankers.
    fn credit(&self, clicked: Vec<String>) -> PyResult<&'static str> {
        let Kept::Two(impression) = &self.kept else {
            return Err(wrong("the impression is of several rankers: credit_all() says how each did"));
        };
        let method: AnyInterleaving = self.method().parse().map_err(wrong)?;
        Ok(word(impression.winner(&method, &clicked).map_err(wrong)?))
    }

    /// Who won between each pair of rankers, row by row, as +1, 0 and -1, and the score of each, if the method has scores.
    #[expect(clippy::type_complexity, reason = "a tuple for Python")]
    fn credit_all(&self, clicked: Vec<String>) -> PyResult<(Vec<Vec<i8>>, Option<Vec<u64>>)> {
        let sign = |preference| match preference {
            Preference::First => 1,
            Preference::Second => -1,
            Preference::Tie => 0,
        };
        match &self.kept {
            Kept::Two(impression) => {
                let method: AnyInterleaving = self.method().parse().map_err(wrong)?;
                let won = sign(impression.winner(&method, &clicked).map_err(wrong)?);
                Ok((vec![vec![0, won], vec![-won, 0]], None))
            }
            Kept::Many(impression) => {
                let method: AnyMultileaving = self.method().parse().map_err(wrong)?;
                let outcome = impression.outcome(&method, &clicked).map_err(wrong)?;
                let all = 0..outcome.rankers();
                let row = |i| all.clone().map(|j| sign(outcome.preference(i, j))).collect();
                Ok((all.clone().map(row).collect(), outcome.scores().map(<[u64]>::to_vec)))
            }
        }
    }

    /// The impression as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &receipt::to_bytes(&self.kept).map_err(wrong)?))
    }

    /// The impression that `to_bytes` wrote.
    #[staticmethod]
    fn from_bytes(data: &[u8]) -> PyResult<Self> {
        Ok(Self { kept: receipt::from_bytes(data).map_err(wrong)? })
    }

    /// The impression as JSON.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.kept).map_err(wrong)
    }

    /// The impression that `to_json` wrote.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        Ok(Self { kept: serde_json::from_str(text).map_err(|error| wrong(format!("not an impression: {error}")))? })
    }

    fn __len__(&self) -> usize {
        self.documents().len()
    }

    fn __repr__(&self) -> String {
        format!("Impression(method={:?}, shown={:?})", self.method(), self.documents())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Self>().getattr("from_bytes")?, (self.to_bytes(py)?,)))
    }
}

impl Impression {
    fn documents(&self) -> &[String] {
        match &self.kept {
            Kept::Two(impression) => impression.shown(),
            Kept::Many(impression) => impression.shown(),
        }
    }
}

/// A ranker's list: documents, best first, or pairs of a document and its score.
enum Ranking {
    Ranked(Vec<(String, f64)>),
    Scored(Vec<(String, f64)>),
}

impl Ranking {
    fn read(list: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(scores) = list.cast::<pyo3::types::PyDict>() {
            let pair = |(id, score): (Bound<'_, PyAny>, Bound<'_, PyAny>)| Ok((document(&id)?, score.extract()?));
            return Ok(Self::Scored(scores.iter().map(pair).collect::<PyResult<_>>()?));
        }
        let ids = list.try_iter()?.map(|id| document(&id?)).collect::<PyResult<Vec<String>>>()?;
        let from = ids.len();
        Ok(Self::Ranked(ids.into_iter().enumerate().map(|(place, id)| (id, (from - place) as f64)).collect()))
    }

    fn scores(self) -> Vec<(String, f64)> {
        match self {
            Self::Ranked(scores) | Self::Scored(scores) => scores,
        }
    }
}

fn document(id: &Bound<'_, PyAny>) -> PyResult<String> {
    match id.cast::<PyString>() {
        Ok(text) => Ok(text.to_str()?.to_owned()),
        Err(_) => Err(pyo3::exceptions::PyTypeError::new_err(format!(
            "expected documents as text, found {}; write e.g. str(docno)",
            id.repr()?
        ))),
    }
}

fn lists(rankings: &[Bound<'_, PyAny>]) -> PyResult<Lists<String>> {
    let lists = rankings.iter().map(|list| Ok(Ranking::read(list)?.scores())).collect::<PyResult<Vec<_>>>()?;
    Lists::scored(&lists).map_err(wrong)
}

/// Mixes two lists.
#[pyfunction]
pub(crate) fn interleave(
    first: Bound<'_, PyAny>,
    second: Bound<'_, PyAny>,
    length: usize,
    method: &str,
    seed: u64,
) -> PyResult<Impression> {
    let method: AnyInterleaving = method.parse().map_err(wrong)?;
    let mut generator = Generator::seed_from_u64(seed);
    let impression = lists(&[first, second])?.interleave(&method, length, &mut generator).map_err(wrong)?;
    Ok(Impression { kept: Kept::Two(impression) })
}

/// Mixes any number of lists.
#[pyfunction]
pub(crate) fn multileave(
    rankings: Vec<Bound<'_, PyAny>>,
    length: usize,
    method: &str,
    seed: u64,
) -> PyResult<Impression> {
    let method: AnyMultileaving = method.parse().map_err(wrong)?;
    let mut generator = Generator::seed_from_u64(seed);
    Ok(Impression { kept: Kept::Many(lists(&rankings)?.multileave(&method, length, &mut generator)) })
}
