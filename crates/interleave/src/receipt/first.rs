//! The first format: postcard after the byte 1, and the JSON of that time. It is read for ever, and nothing writes it.

use serde::Deserialize;

use super::kept::{Documents, Mixed, Receipt};
use super::{FIRST, ReceiptError, ReceiptErrorKind};
use crate::{
    AnyInterleaving, AnyInterleavingReceipt, AnyMultileaving, AnyMultileavingReceipt, Interleaving, Multileaving,
};

/// An impression as the Python package wrote it.
#[derive(Debug, Deserialize)]
pub(super) enum WithDocuments {
    Two(Shown<AnyInterleavingReceipt>),
    Many(Shown<AnyMultileavingReceipt>),
}

/// The documents of a list, and its receipt.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shown<R> {
    shown: Vec<String>,
    receipt: R,
}

/// Reads bytes of the first format.
pub(super) fn read(bytes: &[u8]) -> Result<Receipt, ReceiptError> {
    let [FIRST, body @ ..] = bytes else {
        return Err(ReceiptError::malformed("it is not of the first format"));
    };
    // A receipt begins with the length of its method's name, which is longer than the number of a kind.
    if body.first().is_some_and(|kind| *kind < 2) {
        return whole::<WithDocuments>(body)?.receipt();
    }
    // The bytes do not say which kind they are of, but the method does.
    let two = whole::<AnyInterleavingReceipt>(body).and_then(|receipt| of_its_method(Mixed::Interleaving(receipt)));
    two.or_else(|error| {
        let many =
            whole::<AnyMultileavingReceipt>(body).and_then(|receipt| of_its_method(Mixed::Multileaving(receipt)));
        many.map_err(|other| if other.kind() == ReceiptErrorKind::Method { other } else { error })
    })
}

/// A value, and nothing after it.
fn whole<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, ReceiptError> {
    match postcard::take_from_bytes(body) {
        Ok((value, [])) => Ok(value),
        Ok((_, rest)) => {
            Err(ReceiptError::new(ReceiptErrorKind::Excess, format!("{} bytes are left after it", rest.len())))
        }
        Err(error) => Err(ReceiptError::malformed(error.to_string())),
    }
}

/// The receipt, if the method that it names gives such receipts.
pub(super) fn of_its_method(mixed: Mixed) -> Result<Receipt, ReceiptError> {
    let is_of_it = match &mixed {
        Mixed::Interleaving(receipt) => {
            receipt.method().parse().map(|method: AnyInterleaving| method.credit(receipt, &[]).is_ok())
        }
        Mixed::Multileaving(receipt) => {
            receipt.method().parse().map(|method: AnyMultileaving| method.credit(receipt, &[]).is_ok())
        }
    };
    match is_of_it {
        Ok(true) => Receipt::from(mixed).checked(),
        Ok(false) => {
            let message = format!("it is not one of the method {:?}, which it names", mixed.method());
            Err(ReceiptError::new(ReceiptErrorKind::Method, message))
        }
        Err(error) => Err(ReceiptError::new(ReceiptErrorKind::Method, error.to_string())),
    }
}

impl WithDocuments {
    /// The receipt, with its documents.
    pub(super) fn receipt(self) -> Result<Receipt, ReceiptError> {
        let (shown, mixed) = match self {
            Self::Two(Shown { shown, receipt }) => (shown, Mixed::Interleaving(receipt)),
            Self::Many(Shown { shown, receipt }) => (shown, Mixed::Multileaving(receipt)),
        };
        let receipt = of_its_method(mixed)?;
        Receipt { documents: Some(Documents { mixed: shown, pinned: Vec::new() }), ..receipt }.checked()
    }
}
