//! The documents of some lists as numbers, in the order in which the lists first name them, like `interleave::by_id`, which owns its
//! documents. Texts of Python keep their hashes, and equal ones mostly are one object.

use ::interleave::by_id::IdError;
use ::interleave::{Doc, RankedList, TieGroup};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyList, PyString, PyTuple};

use crate::call::value_error;
use crate::order;

/// Numbered documents, and the lists of them.
pub(super) struct Numbers<'py> {
    documents: Vec<Bound<'py, PyString>>,
    pub(super) ids: Ids,
    orders: Vec<Vec<Doc>>,
    groups: Vec<Vec<TieGroup>>,
}

/// The type of document ids: texts or whole numbers, not both in one impression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Ids {
    /// Not known yet.
    #[default]
    Unknown,
    Texts,
    Whole,
}

impl Ids {
    fn become_one(&mut self, found: Self, id: &Bound<'_, PyAny>) -> PyResult<()> {
        if *self == Self::Unknown {
            *self = found;
        }
        if *self == found {
            return Ok(());
        }
        let expected = if *self == Self::Texts { "text" } else { "whole numbers, as the first" };
        Err(PyTypeError::new_err(format!(
            "expected documents as {expected}, found {}; write e.g. str(docno)",
            id.repr()?
        )))
    }

    /// A document as text of no class of its own, such as numpy's.
    pub(super) fn text<'py>(&mut self, id: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
        if let Ok(text) = id.cast::<PyString>() {
            self.become_one(Self::Texts, id)?;
            return if text.is_exact_instance_of::<PyString>() {
                Ok(text.clone())
            } else {
                Ok(PyString::new(id.py(), text.to_str()?))
            };
        }
        let whole = if id.is_instance_of::<PyBool>() { None } else { id.call_method0("__index__").ok() };
        let Some(whole) = whole else {
            return Err(PyTypeError::new_err(format!(
                "expected documents as text or whole numbers, found {}; write e.g. str(docno)",
                id.repr()?
            )));
        };
        self.become_one(Self::Whole, id)?;
        whole.str()
    }

    /// The document as it was given.
    pub(super) fn id<'py>(self, text: Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Whole => text.py().get_type::<PyInt>().call1((text,)),
            Self::Texts | Self::Unknown => Ok(text.into_any()),
        }
    }
}

/// A document on its way to a number.
struct SeenDocument {
    hash: isize,
    /// The last list that had it, and where.
    seen: (usize, usize),
}

/// No document.
const NONE: u32 = u32::MAX;

/// Numbers documents.
struct Numbering<'py> {
    /// Lists per page.
    rankers: usize,
    documents: Vec<Bound<'py, PyString>>,
    known: Vec<SeenDocument>,
    /// Numbers by hash, in a table that is at most half full.
    slots: Vec<u32>,
}

impl<'py> Numbering<'py> {
    fn new(rankers: usize) -> Self {
        Self { rankers, documents: Vec::with_capacity(32), known: Vec::with_capacity(32), slots: vec![NONE; 64] }
    }

    fn slot(&self, hash: isize) -> usize {
        // Python's hashes of short texts are well spread.
        hash as usize & (self.slots.len() - 1)
    }

    /// The number of `id`, at `position` of `list`.
    fn number(&mut self, id: &Bound<'py, PyString>, list: usize, position: usize) -> PyResult<usize> {
        let hash = id.hash()?;
        let mut slot = self.slot(hash);
        while self.slots[slot] != NONE {
            let number = self.slots[slot] as usize;
            let known = &self.documents[number];
            if known.is(id) || self.known[number].hash == hash && known.to_str()? == id.to_str()? {
                let (seen_in, first) = std::mem::replace(&mut self.known[number].seen, (list, position));
                if seen_in == list {
                    return Err(value_error(IdError::Duplicate { list: list % self.rankers, first, second: position }));
                }
                return Ok(number);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        // Half of a surrogate pair, which UTF-8 does not have, could not be written.
        id.to_str()?;
        let number = self.documents.len();
        self.slots[slot] = number as u32;
        self.documents.push(id.clone());
        self.known.push(SeenDocument { hash, seen: (list, position) });
        if 2 * self.documents.len() > self.slots.len() {
            self.grow();
        }
        Ok(number)
    }

    fn grow(&mut self) {
        self.slots = vec![NONE; 2 * self.slots.len()];
        for number in 0..self.known.len() {
            let mut slot = self.slot(self.known[number].hash);
            while self.slots[slot] != NONE {
                slot = (slot + 1) & (self.slots.len() - 1);
            }
            self.slots[slot] = number as u32;
        }
    }
}

impl<'py> Numbers<'py> {
    /// Numbers the documents of rankers' lists: documents, best first, or scores by document (equal ones tie). Those in `first` have the
    /// first numbers, in their order. Errors count lists from 0 on each page of `rankers` lists.
    pub(super) fn of<'a>(
        rankings: impl IntoIterator<Item = &'a Bound<'py, PyAny>>,
        first: Option<&Bound<'py, PyAny>>,
        rankers: usize,
    ) -> PyResult<Self>
    where
        'py: 'a,
    {
        let mut numbering = Numbering::new(rankers.max(1));
        let mut ids = Ids::default();
        if let Some(first) = first {
            documents(first, &mut ids, |position, id| {
                let known = numbering.documents.len();
                // No list has such a number.
                numbering.number(id, usize::MAX - 1 - position, position)?;
                if numbering.documents.len() == known {
                    return Err(value_error(format!("documents: {} is there twice", id.repr()?)));
                }
                Ok(())
            })?;
        }
        // For each list: the documents, best first, and their scores unless all differ.
        let mut lists: Vec<(Vec<usize>, Vec<f64>)> = Vec::with_capacity(2);
        for (list, ranking) in rankings.into_iter().enumerate() {
            if let Ok(scores) = ranking.cast::<PyDict>() {
                let mut scored = Vec::with_capacity(scores.len());
                for (position, (id, score)) in scores.iter().enumerate() {
                    let number = numbering.number(&ids.text(&id)?, list, position)?;
                    let score: f64 = score.extract()?;
                    if score.is_nan() {
                        return Err(value_error(IdError::Score { list: list % rankers.max(1), position }));
                    }
                    scored.push((number, score));
                }
                scored.sort_by(|a, b| b.1.partial_cmp(&a.1).unwrap_or(std::cmp::Ordering::Equal));
                lists.push(scored.into_iter().unzip());
            } else {
                let mut order = Vec::with_capacity(16);
                documents(ranking, &mut ids, |position, id| {
                    order.push(numbering.number(id, list, position)?);
                    Ok(())
                })?;
                lists.push((order, Vec::new()));
            }
        }
        let documents = numbering.documents;
        if documents.len() > RankedList::MAX_LEN {
            return Err(value_error(IdError::TooMany(documents.len())));
        }
        let (mut orders, mut groups) = (Vec::with_capacity(lists.len()), Vec::with_capacity(lists.len()));
        for (order, scores) in lists {
            let mut of_list = vec![TieGroup::UNLISTED; documents.len()];
            let mut start = 0;
            while start < order.len() {
                let ties = |&at: &usize| scores.get(at).is_some_and(|score| *score == scores[start]);
                let end = start + 1 + (start + 1..order.len()).take_while(ties).count();
                for &number in &order[start..end] {
                    of_list[number] = TieGroup { start: start as u16, end: end as u16 };
                }
                start = end;
            }
            orders.push(order.into_iter().map(|number| Doc(number as u16)).collect());
            groups.push(of_list);
        }
        Ok(Self { documents, ids, orders, groups })
    }

    /// A ranker's list.
    pub(super) fn list(&self, at: usize) -> RankedList<'_> {
        RankedList::from_trusted(&self.orders[at], &self.groups[at])
    }

    /// The document with a number.
    pub(super) fn document(&self, doc: Doc) -> &Bound<'py, PyString> {
        &self.documents[doc.index()]
    }
}

/// Passes each document of a list and its place to `take`.
///
/// # Errors
/// For a set, which has no order, and for anything else that is not a list of documents.
pub(super) fn documents<'py>(
    list: &Bound<'py, PyAny>,
    ids: &mut Ids,
    take: impl FnMut(usize, &Bound<'py, PyString>) -> PyResult<()>,
) -> PyResult<()> {
    if order::is_unordered(list)? {
        return Err(order::unordered_error("expected a list of documents", list));
    }
    in_any_order(list, ids, take)
}

/// Passes each of some documents, which may be a set, to `take`.
pub(super) fn in_any_order<'py>(
    list: &Bound<'py, PyAny>,
    ids: &mut Ids,
    mut take: impl FnMut(usize, &Bound<'py, PyString>) -> PyResult<()>,
) -> PyResult<()> {
    let mut each = |(position, id): (usize, Bound<'py, PyAny>)| match id.cast_into_exact::<PyString>() {
        Ok(id) => {
            if *ids != Ids::Texts {
                ids.become_one(Ids::Texts, &id)?;
            }
            take(position, &id)
        }
        Err(error) => take(position, &ids.text(&error.into_inner())?),
    };
    if list.is_instance_of::<PyString>() {
        let text = list.repr()?;
        return Err(PyTypeError::new_err(format!(
            "expected a list of documents, found the text {text}; write [{text}]"
        )));
    }
    if let Ok(list) = list.cast::<PyList>() {
        list.iter().enumerate().try_for_each(each)
    } else if let Ok(list) = list.cast::<PyTuple>() {
        list.iter().enumerate().try_for_each(each)
    } else {
        list.try_iter()?.enumerate().try_for_each(|(position, id)| each((position, id?)))
    }
}
