//! Methods chosen by name at run time: one enum each, static dispatch by `match`, receipts that say
//! which method they are from.

mod interleaving;
mod multileaving;
mod names;

pub use interleaving::{AnyInterleaving, AnyInterleavingReceipt, AnyInterleavingScratch, InterleavingReceipt};
pub use multileaving::{
    AnyMultileaving, AnyMultileavingReceipt, AnyMultileavingScratch, AnyOutcome, MultileavingReceipt,
};
pub use names::NameError;

use crate::CreditError;

/// A receipt together with the full name of the method that gave it out, settings and all.
///
/// A plain value that serialises, readably or [compactly](crate::receipt). Only the same method with
/// the same settings credits it; parse [`method`](Self::method) to make that one.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedReceipt<R> {
    method: String,
    receipt: R,
}

impl<R> NamedReceipt<R> {
    /// The method's name, with its settings.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// What the method itself gave out.
    #[must_use]
    pub fn receipt(&self) -> &R {
        &self.receipt
    }

    /// The receipt, if it is from this method.
    fn open(&self, method: &impl std::fmt::Display) -> Result<&R, CreditError> {
        if self.method == method.to_string() { Ok(&self.receipt) } else { Err(self.foreign(method)) }
    }

    fn foreign(&self, method: &impl std::fmt::Display) -> CreditError {
        CreditError::Foreign { receipt: self.method.clone(), method: method.to_string() }
    }
}
