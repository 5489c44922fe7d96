//! Receipts as bytes: compact, versioned, for any receipt of the crate.
//!
//! Receipts are plain values: `serde_json` writes them readably, and this writes them small, as
//! [postcard](https://postcard.jamesmunns.com) after one byte with the format's version.
//!
//! The bytes of a single method's receipt do not identify the method; those of an
//! [`AnyInterleaving`](crate::AnyInterleaving) or an [`AnyMultileaving`](crate::AnyMultileaving) do.
//!
//! ```
//! use interleave::{BalancedInterleave, Doc, Generator, Interleaving, ListBuf, receipt};
//! use rand::SeedableRng;
//!
//! let list = ListBuf::strict([0, 1, 2].map(Doc))?;
//! let method = BalancedInterleave::default();
//! let mut generator = Generator::seed_from_u64(1);
//! let lists = [list.as_list(); 2];
//! let (_, kept) = method.draw(lists, 3, &mut generator, &mut Default::default());
//! let bytes = receipt::to_bytes(&kept)?;
//! let back = receipt::from_bytes(&bytes)?;
//! assert_eq!(kept, back);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The version of the format.
const VERSION: u8 = 1;

/// Why bytes are not a receipt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a receipt: {message}")]
pub struct ReceiptError {
    kind: ReceiptErrorKind,
    message: String,
}

/// The kinds of [`ReceiptError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReceiptErrorKind {
    /// There are no bytes.
    Empty,
    /// The bytes are of another version of the format.
    Version,
    /// The bytes do not hold this kind of receipt.
    Malformed,
    /// Bytes are left after the receipt.
    Excess,
}

impl ReceiptError {
    fn new(kind: ReceiptErrorKind, message: String) -> Self {
        Self { kind, message }
    }

    /// What kind of error it is.
    #[must_use]
    pub fn kind(&self) -> ReceiptErrorKind {
        self.kind
    }
}

/// A receipt as bytes.
///
/// # Errors
/// None for receipts of this crate; for other values, where `postcard` cannot write them.
pub fn to_bytes<R: Serialize>(receipt: &R) -> Result<Vec<u8>, ReceiptError> {
    postcard::to_extend(receipt, vec![VERSION])
        .map_err(|e| ReceiptError::new(ReceiptErrorKind::Malformed, e.to_string()))
}

/// The receipt that [`to_bytes`] wrote.
///
/// # Errors
/// For bytes of another format or another kind of receipt, as far as they differ, and for missing or excess
/// bytes.
pub fn from_bytes<R: DeserializeOwned>(bytes: &[u8]) -> Result<R, ReceiptError> {
    match take_from_bytes(bytes)? {
        (receipt, []) => Ok(receipt),
        (_, rest) => Err(ReceiptError::new(
            ReceiptErrorKind::Excess,
            format!("{} excess bytes; read it as the type that was written", rest.len()),
        )),
    }
}

/// The value at the beginning of what [`to_bytes`] wrote, which may borrow from it, and the bytes after that value: those of
/// the next field, where the value is all fields in front of it.
///
/// # Errors
/// For bytes of another format or another kind of value, as far as they differ, and for missing bytes.
pub fn take_from_bytes<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<(T, &'a [u8]), ReceiptError> {
    match bytes {
        [VERSION, body @ ..] => {
            postcard::take_from_bytes(body).map_err(|e| ReceiptError::new(ReceiptErrorKind::Malformed, e.to_string()))
        }
        [version, ..] => Err(ReceiptError::new(
            ReceiptErrorKind::Version,
            format!("format {version} is not {VERSION}; read it with the version that wrote it"),
        )),
        [] => Err(ReceiptError::new(ReceiptErrorKind::Empty, "no bytes".to_owned())),
    }
}
