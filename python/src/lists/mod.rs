//! Lists mixed for real users, and the credit of their clicks.
//!
//! An impression keeps the very texts that it was given, so that it copies none until it is written as bytes.
//!
//! | module | holds |
//! |---|---|
//! | [`numbering`] | the documents of a call as numbers |
//! | [`methods`] | methods by name, each with its buffers, kept from call to call |

mod methods;
mod numbering;

use ::interleave::by_id::IdError;
use ::interleave::{
    AnyInterleavingReceipt, AnyMultileavingReceipt, Doc, Generator, Interleaving as _, Multileaving as _, Outcome as _,
    Preference, receipt,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};
use rand::SeedableRng as _;
use serde::{Deserialize, Serialize};

use self::methods::{with_interleaving, with_multileaving};
use self::numbering::{Numbers, documents};
use crate::call::wrong;

/// An impression as it is written: documents, and what credit needs.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
enum Written<Id, Two, Many> {
    Two { shown: Vec<Id>, receipt: Two },
    Many { shown: Vec<Id>, receipt: Many },
}

/// What is written, to read.
type Read = Written<String, AnyInterleavingReceipt, AnyMultileavingReceipt>;

/// What credit needs.
#[derive(PartialEq)]
enum Receipt {
    Two(AnyInterleavingReceipt),
    Many(AnyMultileavingReceipt),
}

/// A list shown to one user, and the receipt with which its clicks are credited later.
#[pyclass(frozen, module = "rankduel._core")]
pub(crate) struct Impression {
    /// Texts, of no class of their own.
    shown: Py<PyTuple>,
    receipt: Receipt,
}

fn word(preference: Preference) -> &'static str {
    match preference {
        Preference::First => "first",
        Preference::Second => "second",
        Preference::Tie => "tie",
    }
}

fn sign(preference: Preference) -> i8 {
    match preference {
        Preference::First => 1,
        Preference::Second => -1,
        Preference::Tie => 0,
    }
}

#[pymethods]
impl Impression {
    /// The documents, top down.
    #[getter]
    fn shown<'py>(&self, py: Python<'py>) -> Bound<'py, PyList> {
        self.shown.bind(py).to_list()
    }

    /// The method that mixed the list, with its settings.
    #[getter]
    fn method(&self) -> &str {
        match &self.receipt {
            Receipt::Two(receipt) => receipt.method(),
            Receipt::Many(receipt) => receipt.method(),
        }
    }

    /// Who won between two rankers.
    fn credit(&self, clicked: &Bound<'_, PyAny>) -> PyResult<&'static str> {
        let Receipt::Two(receipt) = &self.receipt else {
            return Err(wrong("the impression is of several rankers: credit_all() says how each did"));
        };
        let positions = self.positions(clicked)?;
        let won = with_interleaving(receipt.method(), |method, _| method.credit(receipt, &positions));
        won.map_err(wrong)?.map(word).map_err(wrong)
    }

    /// Who won between each pair of rankers, row by row, as +1, 0 and -1, and the score of each, if the method has scores.
    #[expect(clippy::type_complexity, reason = "a tuple for Python")]
    fn credit_all(&self, clicked: &Bound<'_, PyAny>) -> PyResult<(Vec<Vec<i8>>, Option<Vec<u64>>)> {
        let positions = self.positions(clicked)?;
        match &self.receipt {
            Receipt::Two(receipt) => {
                let won = with_interleaving(receipt.method(), |method, _| method.credit(receipt, &positions));
                let won = sign(won.map_err(wrong)?.map_err(wrong)?);
                Ok((vec![vec![0, won], vec![-won, 0]], None))
            }
            Receipt::Many(receipt) => {
                let outcome = with_multileaving(receipt.method(), |method, _| method.credit(receipt, &positions));
                let outcome = outcome.map_err(wrong)?.map_err(wrong)?;
                let all = 0..outcome.rankers();
                let row = |i| all.clone().map(|j| sign(outcome.preference(i, j))).collect();
                Ok((all.clone().map(row).collect(), outcome.scores().map(<[u64]>::to_vec)))
            }
        }
    }

    /// The impression as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.written(py, |written| Ok(PyBytes::new(py, &receipt::to_bytes(written).map_err(wrong)?)))
    }

    /// The impression that `to_bytes` wrote.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        Self::of(py, receipt::from_bytes(data).map_err(wrong)?)
    }

    /// The impression as JSON.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        self.written(py, |written| serde_json::to_string(written).map_err(wrong))
    }

    /// The impression that `to_json` wrote.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        Self::of(py, serde_json::from_str(text).map_err(|error| wrong(format!("not an impression: {error}")))?)
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.shown.bind(py).len()
    }

    fn __eq__(&self, other: &Bound<'_, Self>) -> PyResult<bool> {
        let (py, other) = (other.py(), other.get());
        Ok(self.receipt == other.receipt && self.shown.bind(py).eq(other.shown.bind(py))?)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        self.texts(py, |shown| Ok(format!("Impression(method={:?}, shown={shown:?})", self.method())))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Self>().getattr("from_bytes")?, (self.to_bytes(py)?,)))
    }
}

impl Impression {
    fn of(py: Python<'_>, read: Read) -> PyResult<Self> {
        let (shown, receipt) = match read {
            Written::Two { shown, receipt } => (shown, Receipt::Two(receipt)),
            Written::Many { shown, receipt } => (shown, Receipt::Many(receipt)),
        };
        Ok(Self { shown: PyTuple::new(py, shown)?.unbind(), receipt })
    }

    /// Passes the documents to `take`.
    fn texts<T>(&self, py: Python<'_>, take: impl FnOnce(Vec<&str>) -> PyResult<T>) -> PyResult<T> {
        fn text(id: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyString>> {
            Ok(id.cast_into()?)
        }
        let shown = self.shown.bind(py).iter().map(text).collect::<PyResult<Vec<Bound<'_, PyString>>>>()?;
        take(shown.iter().map(|id| id.to_str()).collect::<PyResult<_>>()?)
    }

    /// Passes what is written to `take`.
    fn written<T>(
        &self,
        py: Python<'_>,
        take: impl FnOnce(&Written<&str, &AnyInterleavingReceipt, &AnyMultileavingReceipt>) -> PyResult<T>,
    ) -> PyResult<T> {
        self.texts(py, |shown| match &self.receipt {
            Receipt::Two(receipt) => take(&Written::Two { shown, receipt }),
            Receipt::Many(receipt) => take(&Written::Many { shown, receipt }),
        })
    }

    /// The 0-based positions of the documents `clicked`.
    fn positions(&self, clicked: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
        let mut positions = Vec::new();
        let shown = self.shown.bind(clicked.py());
        documents(clicked, |number, id| {
            // Most clicks come back as the very objects that were shown.
            let mut position = shown.iter_borrowed().position(|shown| shown.is(id));
            if position.is_none() {
                let text = id.to_str()?;
                let is_same = |shown: Borrowed<'_, '_, PyAny>| {
                    shown.cast::<PyString>().is_ok_and(|shown| shown.to_str().is_ok_and(|shown| shown == text))
                };
                position = shown.iter_borrowed().position(is_same);
            }
            positions.push(position.ok_or_else(|| wrong(IdError::NotShown(number)))?);
            Ok(())
        })?;
        Ok(positions)
    }

    fn drawn(numbers: &Numbers<'_>, py: Python<'_>, shown: &[Doc], receipt: Receipt) -> PyResult<Self> {
        let shown = PyTuple::new(py, shown.iter().map(|doc| numbers.document(*doc)))?.unbind();
        Ok(Self { shown, receipt })
    }
}

/// Mixes two lists.
#[pyfunction]
pub(crate) fn interleave(
    first: &Bound<'_, PyAny>,
    second: &Bound<'_, PyAny>,
    length: usize,
    method: &str,
    seed: u64,
) -> PyResult<Impression> {
    let mut generator = Generator::seed_from_u64(seed);
    let numbers = Numbers::of([first, second])?;
    let lists = [numbers.list(0), numbers.list(1)];
    let draw = with_interleaving(method, |method, scratch| method.draw(lists, length, &mut generator, scratch));
    let (shown, receipt) = draw.map_err(wrong)?;
    Impression::drawn(&numbers, first.py(), &shown, Receipt::Two(receipt))
}

/// Mixes any number of lists.
#[pyfunction]
pub(crate) fn multileave(
    py: Python<'_>,
    rankings: Vec<Bound<'_, PyAny>>,
    length: usize,
    method: &str,
    seed: u64,
) -> PyResult<Impression> {
    let mut generator = Generator::seed_from_u64(seed);
    let numbers = Numbers::of(&rankings)?;
    let lists: Vec<_> = (0..rankings.len()).map(|at| numbers.list(at)).collect();
    let draw = with_multileaving(method, |method, scratch| method.draw(&lists, length, &mut generator, scratch));
    let (shown, receipt) = draw.map_err(wrong)?;
    Impression::drawn(&numbers, py, &shown, Receipt::Many(receipt))
}
