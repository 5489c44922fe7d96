//! The receipt of any method, by the number of rankers that it compares.

use std::str::FromStr;

use super::ReceiptError;
use crate::{
    AnyInterleaving, AnyInterleavingReceipt, AnyMultileaving, AnyMultileavingReceipt, AnyOutcome, CreditError,
    Interleaving, InterleavingReceipt, Multileaving, Ownership, Page, PairwisePreferences,
};

/// The receipt of a method, by the number of rankers that it compares.
#[derive(Debug, Clone, PartialEq)]
pub enum MixedReceipt {
    /// A receipt of two rankers.
    Interleaving(AnyInterleavingReceipt),
    /// A receipt of any number of rankers.
    Multileaving(AnyMultileavingReceipt),
}

impl MixedReceipt {
    /// The full name of the method that drew the list.
    #[must_use]
    pub fn method(&self) -> &str {
        match self {
            Self::Interleaving(receipt) => receipt.method(),
            Self::Multileaving(receipt) => receipt.method(),
        }
    }

    /// How many documents were mixed.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Interleaving(receipt) => receipt.receipt().len(),
            Self::Multileaving(receipt) => receipt.receipt().len(),
        }
    }

    /// Whether no document was mixed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The ranker that owns each mixed document, `None` inside if no ranker does; `None` for methods without owners.
    #[must_use]
    pub fn owners(&self) -> Option<Vec<Option<usize>>> {
        match self {
            Self::Interleaving(receipt) => receipt.receipt().owners(),
            Self::Multileaving(receipt) => receipt.receipt().owners(),
        }
    }

    /// Who answers for its documents.
    #[must_use]
    pub fn ownership(&self) -> Ownership {
        match self {
            Self::Interleaving(receipt) => receipt.receipt().ownership(),
            Self::Multileaving(receipt) => receipt.receipt().ownership(),
        }
    }

    /// The 0-based ranks that two rankers give each document mixed, `None` outside their tops; `None` for methods other than balanced
    /// interleaving.
    #[must_use]
    pub fn ranks(&self) -> Option<Vec<[Option<u16>; 2]>> {
        match self {
            Self::Interleaving(receipt) => match receipt.receipt() {
                InterleavingReceipt::Balanced(receipt) => Some(receipt.ranks().collect()),
                _ => None,
            },
            Self::Multileaving(_) => None,
        }
    }

    /// How many rankers were compared.
    #[must_use]
    pub fn rankers(&self) -> usize {
        match self {
            Self::Interleaving(_) => 2,
            Self::Multileaving(receipt) => receipt.receipt().rankers(),
        }
    }

    /// The outcome of clicks on the places `clicked` of `page`, or of the whole list: by pair of two rankers, otherwise the
    /// outcome of the method.
    pub(super) fn outcome(&self, page: Option<&Page>, clicked: &[usize]) -> Result<AnyOutcome, CreditError> {
        match self {
            Self::Interleaving(receipt) => {
                let method = method::<AnyInterleaving>(receipt.method())?;
                let winner = match page {
                    Some(page) => method.credit_page(receipt, page, clicked)?,
                    None => method.credit(receipt, clicked)?,
                };
                Ok(AnyOutcome::Pairwise(PairwisePreferences::from_fn(2, |_, _| winner)))
            }
            Self::Multileaving(receipt) => {
                let method = method::<AnyMultileaving>(receipt.method())?;
                match page {
                    Some(page) => method.credit_page(receipt, page, clicked),
                    None => method.credit(receipt, clicked),
                }
            }
        }
    }
}

fn method<M: FromStr>(name: &str) -> Result<M, CreditError> {
    name.parse().map_err(|_| CreditError::UnknownMethod { method: name.to_owned() })
}

/// Checks that a receipt's list has a length that lists can have, and that its parts agree on it.
pub(super) fn list_length(mixed: &MixedReceipt) -> Result<(), ReceiptError> {
    if mixed.len() <= crate::RankedList::MAX_LEN {
        Ok(())
    } else {
        Err(ReceiptError::malformed(format!("it is of a list of {} documents", mixed.len())))
    }
}
