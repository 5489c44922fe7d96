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
use ::interleave::receipt::{ExperimentVersion, MixedReceipt, Parts, Receipt};
use ::interleave::{
    AnyInterleaving, AnyMultileaving, Doc, Generator, Interleaving as _, Multileaving as _, Outcome as _, Page,
    Preference, growing_lists, keyed, page,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};
use rand::SeedableRng as _;

use self::methods::{with_interleaving, with_multileaving};
use self::numbering::{Ids, Numbers, documents, in_any_order};
use crate::call::value_error;

/// The pickled form: the bytes, and whether documents are whole numbers.
type Rebuilt<'py> = (Bound<'py, PyBytes>, bool);

/// A list mixed for one user, what of it the user's page displayed, and the receipt with which clicks are credited later.
#[pyclass(frozen, module = "rankduel._core")]
pub(crate) struct Impression {
    /// The mixed documents, and the documents without a ranker: texts, of no class of their own.
    mixed: Py<PyTuple>,
    pinned: Py<PyTuple>,
    ids: Ids,
    /// The number of documents displayed before the last page.
    before: usize,
    /// Without documents.
    receipt: Receipt,
}

fn preference_name(preference: Preference) -> &'static str {
    match preference {
        Preference::First => "first",
        Preference::Second => "second",
        Preference::Tie => "tie",
    }
}

fn preference_sign(preference: Preference) -> i8 {
    match preference {
        Preference::First => 1,
        Preference::Second => -1,
        Preference::Tie => 0,
    }
}

#[pymethods]
impl Impression {
    /// The documents displayed, top down.
    #[getter]
    fn shown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.listed(py, 0)
    }

    /// The documents that the last page displays.
    #[getter]
    fn on_page<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.listed(py, self.before)
    }

    /// All documents mixed, displayed or not.
    #[getter]
    fn mixed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let ids = self.mixed.bind(py).iter().map(|id| self.ids.id(id.cast_into()?)).collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, ids)
    }

    /// The method that mixed the list, with its settings.
    #[getter]
    fn method(&self) -> &str {
        self.receipt.method()
    }

    /// The version of the experiment.
    #[getter]
    fn version(&self) -> Option<String> {
        self.receipt.version().map(ToString::to_string)
    }

    /// The probability of the choice that led to the list.
    #[getter]
    fn propensity(&self) -> Option<f64> {
        self.receipt.propensity()
    }

    /// The ranker that owns each document displayed.
    #[getter]
    fn teams(&self) -> Option<Vec<Option<usize>>> {
        let owners = self.receipt.mixed().owners()?;
        let owner = |place: Option<usize>| place.and_then(|position| owners.get(position).copied().flatten());
        Some(self.places().into_iter().map(owner).collect())
    }

    /// The next page of the same list.
    #[pyo3(signature = (length=10))]
    fn next_page(&self, py: Python<'_>, length: usize) -> PyResult<Self> {
        let mut places = self.places();
        let last = places.iter().rev().flatten().next().map_or(0, |position| position + 1);
        let end = last.saturating_add(length).min(self.receipt.mixed().len());
        let before = places.len();
        places.extend((last..end).map(Some));
        let receipt = self.receipt.clone().on_page(Page::new(places).map_err(value_error)?).map_err(value_error)?;
        let [mixed, pinned] = [&self.mixed, &self.pinned].map(|ids| ids.clone_ref(py));
        Ok(Self { mixed, pinned, ids: self.ids, before, receipt })
    }

    /// The same list as a page really displayed it.
    #[pyo3(signature = (documents, pinned=None))]
    fn displayed(
        &self,
        py: Python<'_>,
        documents: &Bound<'_, PyAny>,
        pinned: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let mut ids = self.ids;
        let [mut displayed, mut others] = [Vec::new(), Vec::new()];
        let keep = |texts: &mut Vec<String>, id: &Bound<'_, PyString>| {
            texts.push(id.to_str()?.to_owned());
            Ok(())
        };
        self::documents(documents, &mut ids, |_, id| keep(&mut displayed, id))?;
        if let Some(pinned) = pinned {
            in_any_order(pinned, &mut ids, |_, id| keep(&mut others, id))?;
        }
        if let Some(other) = others.iter().find(|id| !displayed.contains(id)) {
            return Err(value_error(format!("{other:?} is pinned, but is not among the documents displayed")));
        }
        let displayed: Vec<&str> = displayed.iter().map(String::as_str).collect();
        let kept = self.whole(py)?.displayed(&displayed, |id| others.iter().any(|other| other == id));
        Self::kept(py, &kept.map_err(value_error)?, self.ids == Ids::Whole)
    }

    /// The same for a user who saw the first places and went no further.
    fn truncated(&self, py: Python<'_>, length: usize) -> PyResult<Self> {
        let receipt = self.receipt.truncated(length);
        let count = receipt.page().map_or(0, |page| page.places().filter(Option::is_none).count());
        let pinned = self.pinned.bind(py).get_slice(0, count).unbind();
        let before = self.before.min(receipt.places());
        Ok(Self { mixed: self.mixed.clone_ref(py), pinned, ids: self.ids, before, receipt })
    }

    /// The winner of two rankers.
    #[pyo3(signature = (clicked=None, *, positions=None))]
    fn credit(&self, clicked: Option<&Bound<'_, PyAny>>, positions: Option<Vec<usize>>) -> PyResult<&'static str> {
        let MixedReceipt::Interleaving(receipt) = self.receipt.mixed() else {
            return Err(value_error("the impression is of several rankers: credit_all() says how each did"));
        };
        let positions = self.clicked(clicked, positions)?;
        let won = with_interleaving(receipt.method(), |method, _| match self.receipt.page() {
            Some(page) => method.credit_page(receipt, page, &positions),
            None => method.credit(receipt, &positions),
        });
        won.map_err(value_error)?.map(preference_name).map_err(value_error)
    }

    /// The winner of each pair of rankers, row by row, as +1, 0 and -1, and the score of each, if the method has scores.
    #[pyo3(signature = (clicked=None, *, positions=None))]
    #[expect(clippy::type_complexity, reason = "a tuple for Python")]
    fn credit_all(
        &self,
        clicked: Option<&Bound<'_, PyAny>>,
        positions: Option<Vec<usize>>,
    ) -> PyResult<(Vec<Vec<i8>>, Option<Vec<u64>>)> {
        let positions = self.clicked(clicked, positions)?;
        let page = self.receipt.page();
        match self.receipt.mixed() {
            MixedReceipt::Interleaving(receipt) => {
                let won = with_interleaving(receipt.method(), |method, _| match page {
                    Some(page) => method.credit_page(receipt, page, &positions),
                    None => method.credit(receipt, &positions),
                });
                let won = preference_sign(won.map_err(value_error)?.map_err(value_error)?);
                Ok((vec![vec![0, won], vec![-won, 0]], None))
            }
            MixedReceipt::Multileaving(receipt) => {
                let outcome = with_multileaving(receipt.method(), |method, _| match page {
                    Some(page) => method.credit_page(receipt, page, &positions),
                    None => method.credit(receipt, &positions),
                });
                let outcome = outcome.map_err(value_error)?.map_err(value_error)?;
                let all = 0..outcome.rankers();
                let row = |i| all.clone().map(|j| preference_sign(outcome.preference(i, j))).collect();
                Ok((all.clone().map(row).collect(), outcome.scores().map(<[u64]>::to_vec)))
            }
        }
    }

    /// The impression as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        fn texts<'py>(ids: &Bound<'py, PyTuple>) -> PyResult<Vec<Bound<'py, PyString>>> {
            ids.iter().map(|id| Ok(id.cast_into()?)).collect()
        }
        let (mixed, pinned) = (texts(self.mixed.bind(py))?, texts(self.pinned.bind(py))?);
        let mixed: Vec<&str> = mixed.iter().map(|id| id.to_str()).collect::<PyResult<_>>()?;
        let pinned: Vec<&str> = pinned.iter().map(|id| id.to_str()).collect::<PyResult<_>>()?;
        Ok(PyBytes::new(py, &self.receipt.to_bytes_with(&mixed, &pinned).map_err(value_error)?))
    }

    /// The impression that `to_bytes` wrote.
    #[staticmethod]
    #[pyo3(signature = (data, whole=false))]
    fn from_bytes(py: Python<'_>, data: &[u8], whole: bool) -> PyResult<Self> {
        let parts = Parts::read(data).map_err(value_error)?;
        let receipt = Receipt::without_documents_of(&parts, None).map_err(value_error)?;
        Self::of(py, parts.documents(), parts.pinned_documents(), receipt, whole)
    }

    /// The impression as JSON.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        serde_json::to_string(&self.whole(py)?).map_err(value_error)
    }

    /// The impression that `to_json` wrote.
    #[staticmethod]
    #[pyo3(signature = (text, whole=false))]
    fn from_json(py: Python<'_>, text: &str, whole: bool) -> PyResult<Self> {
        let receipt: Receipt =
            serde_json::from_str(text).map_err(|error| value_error(format!("not an impression: {error}")))?;
        Self::kept(py, &receipt, whole)
    }

    fn __len__(&self) -> usize {
        self.receipt.places()
    }

    fn __eq__(&self, other: &Bound<'_, Self>) -> PyResult<bool> {
        let (py, other) = (other.py(), other.get());
        Ok(self.receipt == other.receipt
            && (self.ids == Ids::Whole) == (other.ids == Ids::Whole)
            && self.mixed.bind(py).eq(other.mixed.bind(py))?
            && self.pinned.bind(py).eq(other.pinned.bind(py))?)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Impression(method={:?}, shown={})", self.method(), self.shown(py)?.repr()?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Rebuilt<'py>)> {
        let from_bytes = py.get_type::<Self>().getattr("from_bytes")?;
        Ok((from_bytes, (self.to_bytes(py)?, self.ids == Ids::Whole)))
    }
}

impl Impression {
    fn of<T: AsRef<str>>(
        py: Python<'_>,
        documents: Option<&[T]>,
        pinned: &[T],
        receipt: Receipt,
        whole: bool,
    ) -> PyResult<Self> {
        let documents = documents.ok_or_else(|| {
            value_error("the receipt keeps no documents; credit it where the list was drawn, e.g. by `credit_frame`")
        })?;
        let ids = if whole { Ids::Whole } else { Ids::Texts };
        let mut all = documents.iter().chain(pinned).map(AsRef::as_ref);
        if let Some(text) = all.find(|text: &&str| whole && text.parse::<i128>().is_err()) {
            return Err(value_error(format!(
                "the document {text:?} is not a whole number; read it without whole=True"
            )));
        }
        let mixed = PyTuple::new(py, documents.iter().map(AsRef::as_ref))?.unbind();
        let pinned = PyTuple::new(py, pinned.iter().map(AsRef::as_ref))?.unbind();
        Ok(Self { mixed, pinned, ids, before: 0, receipt })
    }

    fn kept(py: Python<'_>, kept: &Receipt, whole: bool) -> PyResult<Self> {
        Self::of(py, kept.documents(), kept.pinned_documents(), kept.without_documents(), whole)
    }

    /// The displayed positions of the mixed list; `None` for a place without a ranker.
    fn places(&self) -> Vec<Option<usize>> {
        match self.receipt.page() {
            Some(page) => page.places().collect(),
            None => (0..self.receipt.mixed().len()).map(Some).collect(),
        }
    }

    /// The documents displayed, as texts.
    fn displayed_texts<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyString>>> {
        let (mixed, mut pinned) = (self.mixed.bind(py), self.pinned.bind(py).iter());
        let text = |place: Option<usize>| -> PyResult<Bound<'py, PyString>> {
            let id = match place {
                Some(position) => mixed.get_item(position)?,
                None => pinned.next().ok_or_else(|| value_error("a place of the page has no document"))?,
            };
            Ok(id.cast_into()?)
        };
        self.places().into_iter().map(text).collect()
    }

    /// The documents displayed, from a place on.
    fn listed<'py>(&self, py: Python<'py>, from: usize) -> PyResult<Bound<'py, PyList>> {
        if from == 0 && self.receipt.page().is_none() && self.ids != Ids::Whole {
            return Ok(self.mixed.bind(py).to_list());
        }
        let texts = self.displayed_texts(py)?.into_iter().skip(from);
        PyList::new(py, texts.map(|text| self.ids.id(text)).collect::<PyResult<Vec<_>>>()?)
    }

    /// The receipt with its documents.
    fn whole(&self, py: Python<'_>) -> PyResult<Receipt> {
        let texts = |ids: &Py<PyTuple>| -> PyResult<Vec<String>> {
            ids.bind(py).iter().map(|id| Ok(id.cast::<PyString>()?.to_str()?.to_owned())).collect()
        };
        self.receipt.clone().with_all_documents(texts(&self.mixed)?, texts(&self.pinned)?).map_err(value_error)
    }

    /// The places clicked, by documents or by positions.
    fn clicked(&self, clicked: Option<&Bound<'_, PyAny>>, positions: Option<Vec<usize>>) -> PyResult<Vec<usize>> {
        match (clicked, positions) {
            (Some(clicked), None) => self.positions(clicked),
            (None, Some(positions)) => Ok(positions),
            _ => Err(value_error("expected either the documents that were clicked or their `positions`")),
        }
    }

    /// The 0-based places of the documents `clicked`.
    fn positions(&self, clicked: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
        let py = clicked.py();
        let mut positions = Vec::new();
        let mixed = self.mixed.bind(py);
        let displayed = if self.receipt.page().is_some() { Some(self.displayed_texts(py)?) } else { None };
        let place = |is_it: &dyn Fn(&Bound<'_, PyAny>) -> bool| match &displayed {
            Some(displayed) => displayed.iter().position(|id| is_it(id)),
            None => mixed.iter_borrowed().position(|id| is_it(&id)),
        };
        let mut ids = self.ids;
        in_any_order(clicked, &mut ids, |number, id| {
            // Most clicks come back as the very objects that were shown.
            let mut position = place(&|shown| shown.is(id));
            if position.is_none() {
                let text = id.to_str()?;
                position = place(&|shown| {
                    shown.cast::<PyString>().is_ok_and(|shown| shown.to_str().is_ok_and(|shown| shown == text))
                });
            }
            positions.push(position.ok_or_else(|| value_error(IdError::NotShown(number)))?);
            Ok(())
        })?;
        Ok(positions)
    }

    /// The mixed list; a page displays its first `length` documents.
    fn drawn(
        numbers: &Numbers<'_>,
        py: Python<'_>,
        mixed: &[Doc],
        receipt: Receipt,
        asked: &MixingSettings,
    ) -> PyResult<Self> {
        let receipt = asked.keep(receipt)?;
        let mixed = PyTuple::new(py, mixed.iter().map(|doc| numbers.document(*doc)))?.unbind();
        let ids = if numbers.ids == Ids::Whole { Ids::Whole } else { Ids::Texts };
        Ok(Self { mixed, pinned: PyTuple::empty(py).unbind(), ids, before: 0, receipt })
    }
}

/// The settings beside lists and method: the documents of a page, the number mixed for several pages (by default those of one page), the
/// seed, the version of the experiment, and the propensity.
type Settings = (usize, Option<usize>, u64, Option<String>, Option<f64>);

/// The same with names.
struct MixingSettings {
    length: usize,
    depth: Option<usize>,
    seed: u64,
    version: Option<String>,
    propensity: Option<f64>,
}

impl From<Settings> for MixingSettings {
    fn from((length, depth, seed, version, propensity): Settings) -> Self {
        Self { length, depth, seed, version, propensity }
    }
}

impl MixingSettings {
    /// The number of documents to mix.
    ///
    /// # Errors
    /// If the method can serve one page only.
    fn depth(&self, is_prefix_stable: bool, method: &str) -> PyResult<usize> {
        let depth = self.depth.unwrap_or(self.length);
        page::check_depth(is_prefix_stable, method, self.length, depth).map_err(value_error)?;
        Ok(depth)
    }

    fn keep(&self, receipt: Receipt) -> PyResult<Receipt> {
        let mut receipt = receipt;
        if let Some(version) = &self.version {
            receipt = receipt.of(version.parse().map_err(value_error)?);
        }
        if let Some(propensity) = self.propensity {
            receipt = receipt.with_propensity(propensity).map_err(value_error)?;
        }
        Ok(if self.depth.is_some() { receipt.truncated(self.length) } else { receipt })
    }
}

/// Mixes two lists; or, where they grow from page to page, the lists of each page. `rankings` are two per page.
#[pyfunction]
#[pyo3(signature = (rankings, method, asked, documents))]
pub(crate) fn interleave(
    py: Python<'_>,
    rankings: Vec<Bound<'_, PyAny>>,
    method: &str,
    asked: Settings,
    documents: Option<&Bound<'_, PyAny>>,
) -> PyResult<Impression> {
    let asked = MixingSettings::from(asked);
    let mut generator = Generator::seed_from_u64(asked.seed);
    let numbers = Numbers::of(&rankings, documents, 2)?;
    let pages: Vec<_> =
        (0..rankings.len() / 2).map(|page| [numbers.list(2 * page), numbers.list(2 * page + 1)]).collect();
    let draw = with_interleaving(method, |method, scratch| -> PyResult<_> {
        if let [lists] = pages[..] {
            let depth = asked.depth(method.is_prefix_stable(), method.name())?;
            return Ok(method.draw(lists, depth, &mut generator, scratch));
        }
        let drawn = growing_lists::interleave_growing(method, &pages, asked.length, &generator).map_err(value_error)?;
        drawn.ok_or_else(|| value_error("expected the lists of a page"))
    });
    let (mixed, receipt) = draw.map_err(value_error)??;
    Impression::drawn(&numbers, py, &mixed, receipt.into(), &asked)
}

/// Mixes any number of lists; or, where they grow from page to page, the lists of each page: as many rankers on each.
#[pyfunction]
#[pyo3(signature = (rankings, rankers, method, asked, documents))]
pub(crate) fn multileave(
    py: Python<'_>,
    rankings: Vec<Bound<'_, PyAny>>,
    rankers: usize,
    method: &str,
    asked: Settings,
    documents: Option<&Bound<'_, PyAny>>,
) -> PyResult<Impression> {
    let asked = MixingSettings::from(asked);
    let mut generator = Generator::seed_from_u64(asked.seed);
    let numbers = Numbers::of(&rankings, documents, rankers)?;
    let all: Vec<_> = (0..rankings.len()).map(|at| numbers.list(at)).collect();
    let pages: Vec<Vec<_>> =
        if rankers == 0 { vec![Vec::new()] } else { all.chunks(rankers).map(<[_]>::to_vec).collect() };
    let draw = with_multileaving(method, |method, scratch| -> PyResult<_> {
        if let [lists] = &pages[..] {
            let depth = asked.depth(method.is_prefix_stable(), method.name())?;
            return Ok(method.draw(lists, depth, &mut generator, scratch));
        }
        let drawn = growing_lists::multileave_growing(method, &pages, asked.length, &generator).map_err(value_error)?;
        drawn.ok_or_else(|| value_error("expected the lists of a page"))
    });
    let (mixed, receipt) = draw.map_err(value_error)??;
    Impression::drawn(&numbers, py, &mixed, receipt.into(), &asked)
}

/// The seed of an impression, from the text that names it.
#[pyfunction]
pub(crate) fn seed_of(id: &str) -> u64 {
    keyed::seed_of(id)
}

/// The version of an experiment, as text.
#[pyfunction]
pub(crate) fn experiment_version(
    experiment: &str,
    rankers: Vec<(String, String)>,
    method: &str,
    length: usize,
) -> PyResult<String> {
    // A known method, under its own name.
    let method = match method.parse::<AnyInterleaving>() {
        Ok(method) => method.to_string(),
        Err(error) => match method.parse::<AnyMultileaving>() {
            Ok(method) => method.to_string(),
            Err(_) => return Err(value_error(error)),
        },
    };
    Ok(ExperimentVersion::new(experiment, &rankers, &method, length).to_string())
}
