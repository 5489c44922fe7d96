//! Lists of your own ids: strings, numbers, anything that can be hashed and compared.
//!
//! The rest of the crate numbers the documents of a query from 0. This module numbers ids as they come,
//! mixes the lists, and returns ids. Lists may differ in length, and documents may be in some lists only. A
//! document twice in one list is an error.
//!
//! ```
//! use interleave::{AnyInterleaving, Generator, Preference, by_id};
//! use rand::SeedableRng;
//!
//! let method: AnyInterleaving = "team-draft".parse()?;
//! let ours = ["apple", "pear", "plum"];
//! let theirs = ["fig", "apple", "lemon", "quince"];
//! let mut generator = Generator::seed_from_u64(7);
//!
//! let impression = by_id::interleave(&method, [&ours, &theirs], 4, &mut generator)?;
//! assert_eq!(impression.shown().len(), 4);
//! assert_eq!(impression.winner(&method, &["fig"])?, Preference::Second);
//! assert!(impression.winner(&method, &["cherry"]).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![expect(clippy::disallowed_types, reason = "looked up by id only; its order reaches nothing")]

use std::collections::HashMap;
use std::hash::Hash;

use crate::receipt::{Receipt, ReceiptError};
use crate::{CreditError, Doc, Generator, Interleaving, ListBuf, Multileaving, Preference, RankedList};

/// Lists of ids that cannot be mixed, or clicks that cannot be credited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdError {
    /// A document twice in one list.
    #[error("list {list} has the same document at {first} and {second} (all from 0); list it once")]
    Duplicate {
        /// Which list.
        list: usize,
        /// Where the document is first.
        first: usize,
        /// Where it is again.
        second: usize,
    },
    /// A score that is not a number.
    #[error("the score at {position} of list {list} (from 0) is not a number; leave the document out")]
    Score {
        /// Which list.
        list: usize,
        /// Where in it.
        position: usize,
    },
    /// More documents in all lists together than a query can have.
    #[error("{0} different documents are more than 65,535; cut the lists")]
    TooMany(usize),
    /// Interleaving mixes two lists.
    #[error("interleaving mixes 2 lists, not {0}; multileave more")]
    NotTwo(usize),
    /// A click on a document that was not shown.
    #[error("click {0} (from 0) is on a document that was not shown; credit the impression it belongs to")]
    NotShown(usize),
    /// The method's own refusal.
    #[error(transparent)]
    Credit(#[from] CreditError),
}

/// Rankers' lists of ids.
#[derive(Debug, Clone)]
pub struct Lists<Id> {
    ids: Vec<Id>,
    lists: Vec<ListBuf>,
}

impl<Id: Clone + Eq + Hash> Lists<Id> {
    /// From lists without ties, best first.
    ///
    /// # Errors
    /// When a list has a document twice, or all together have more than 65,535.
    pub fn ranked<L: AsRef<[Id]>>(lists: &[L]) -> Result<Self, IdError> {
        let scored = lists.iter().map(|list| {
            let list = list.as_ref();
            // Descending from the length, all different.
            list.iter().zip((0..list.len()).rev().map(|score| score as f64))
        });
        Self::build(scored)
    }

    /// From scores, higher is better; equal scores tie.
    ///
    /// # Errors
    /// Those of [`ranked`](Self::ranked), and for a score that is not a number.
    pub fn scored<L: AsRef<[(Id, f64)]>>(lists: &[L]) -> Result<Self, IdError> {
        Self::build(lists.iter().map(|list| list.as_ref().iter().map(|(id, score)| (id, *score))))
    }

    fn build<'a>(lists: impl Iterator<Item = impl Iterator<Item = (&'a Id, f64)>>) -> Result<Self, IdError>
    where
        Id: 'a,
    {
        let mut numbers: HashMap<&Id, usize> = HashMap::new();
        let mut ids = Vec::new();
        // By document: the last list that had it, and where.
        let mut last_seen: Vec<(usize, usize)> = Vec::new();
        let mut orders: Vec<Vec<(usize, f64)>> = Vec::new();
        for (list, scored) in lists.enumerate() {
            let mut order = Vec::new();
            for (position, (id, score)) in scored.enumerate() {
                let doc = *numbers.entry(id).or_insert_with(|| {
                    ids.push(id.clone());
                    last_seen.push((usize::MAX, 0));
                    ids.len() - 1
                });
                let (seen_in, first) = std::mem::replace(&mut last_seen[doc], (list, position));
                if seen_in == list {
                    return Err(IdError::Duplicate { list, first, second: position });
                }
                if score.is_nan() {
                    return Err(IdError::Score { list, position });
                }
                order.push((doc, score));
            }
            orders.push(order);
        }
        if ids.len() > RankedList::MAX_LEN {
            return Err(IdError::TooMany(ids.len()));
        }
        let lists = orders.into_iter().map(|order| ListBuf::from_distinct(order, ids.len())).collect();
        Ok(Self { ids, lists })
    }

    /// The ids, in the order in which the lists first name them.
    #[must_use]
    pub fn ids(&self) -> &[Id] {
        &self.ids
    }

    /// Mixes the two lists, and shows at most `length` documents.
    ///
    /// # Errors
    /// When there are not two lists.
    pub fn interleave<M: Interleaving>(
        &self,
        method: &M,
        length: usize,
        generator: &mut Generator,
    ) -> Result<Impression<Id, M::Receipt>, IdError> {
        let [first, second] = self.lists.as_slice() else {
            return Err(IdError::NotTwo(self.lists.len()));
        };
        let lists = [first.as_list(), second.as_list()];
        let (shown, receipt) = method.draw(lists, length, generator, &mut M::Scratch::default());
        Ok(self.impression(&shown, receipt))
    }

    /// Mixes all lists, and shows at most `length` documents.
    pub fn multileave<M: Multileaving>(
        &self,
        method: &M,
        length: usize,
        generator: &mut Generator,
    ) -> Impression<Id, M::Receipt> {
        let lists: Vec<_> = self.lists.iter().map(ListBuf::as_list).collect();
        let (shown, receipt) = method.draw(&lists, length, generator, &mut M::Scratch::default());
        self.impression(&shown, receipt)
    }

    fn impression<R>(&self, shown: &[Doc], receipt: R) -> Impression<Id, R> {
        let shown = shown.iter().map(|doc| self.ids[doc.index()].clone()).collect();
        Impression { shown, receipt }
    }
}

/// A list shown to one user, and the receipt with which clicks on it are credited later.
///
/// A plain value that serialises, if its ids do.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Impression<Id, Receipt> {
    shown: Vec<Id>,
    receipt: Receipt,
}

impl<Id: Eq, Receipt> Impression<Id, Receipt> {
    /// The documents, top down.
    #[must_use]
    pub fn shown(&self) -> &[Id] {
        &self.shown
    }

    /// The receipt of the method, for credit.
    #[must_use]
    pub fn receipt(&self) -> &Receipt {
        &self.receipt
    }

    /// The 0-based positions of the documents `clicked`.
    ///
    /// # Errors
    /// When one of them was not shown.
    pub fn positions(&self, clicked: &[Id]) -> Result<Vec<usize>, IdError> {
        let position =
            |(n, id): (usize, &Id)| self.shown.iter().position(|shown| shown == id).ok_or(IdError::NotShown(n));
        clicked.iter().enumerate().map(position).collect()
    }

    /// The winner, given the clicked documents.
    ///
    /// # Errors
    /// When one was not shown, or the impression is from another method.
    pub fn winner<M: Interleaving<Receipt = Receipt>>(
        &self,
        method: &M,
        clicked: &[Id],
    ) -> Result<Preference, IdError> {
        Ok(method.credit(&self.receipt, &self.positions(clicked)?)?)
    }

    /// The outcome for all rankers, given the clicked documents.
    ///
    /// # Errors
    /// When one was not shown, or the impression is from another method.
    pub fn outcome<M: Multileaving<Receipt = Receipt>>(
        &self,
        method: &M,
        clicked: &[Id],
    ) -> Result<M::Outcome, IdError> {
        Ok(method.credit(&self.receipt, &self.positions(clicked)?)?)
    }
}

impl<R: Clone + Into<Receipt>> Impression<String, R> {
    /// The impression as it is kept until clicks come, in bytes or JSON: with its documents, a version and a checksum.
    ///
    /// # Errors
    /// None for an impression that this module mixed.
    pub fn to_receipt(&self) -> Result<Receipt, ReceiptError> {
        self.receipt.clone().into().with_documents(self.shown.clone())
    }
}

/// Mixes two rankers' lists, best first, and shows at most `length` documents. See the
/// [module](self).
///
/// # Errors
/// When a list has a document twice, or both together have more than 65,535.
pub fn interleave<Id: Clone + Eq + Hash, M: Interleaving>(
    method: &M,
    lists: [&[Id]; 2],
    length: usize,
    generator: &mut Generator,
) -> Result<Impression<Id, M::Receipt>, IdError> {
    Lists::ranked(&lists)?.interleave(method, length, generator)
}

/// Mixes any number of rankers' lists, best first, and shows at most `length` documents. See the
/// [module](self).
///
/// # Errors
/// When a list has a document twice, or all together have more than 65,535.
pub fn multileave<Id: Clone + Eq + Hash, M: Multileaving, L: AsRef<[Id]>>(
    method: &M,
    lists: &[L],
    length: usize,
    generator: &mut Generator,
) -> Result<Impression<Id, M::Receipt>, IdError> {
    Ok(Lists::ranked(lists)?.multileave(method, length, generator))
}
