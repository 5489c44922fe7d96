//! Receipts as they are kept: in bytes and in JSON, with a version and a checksum, readable for ever.
//!
//! A [`Receipt`] is what a log, a store or another process keeps of an impression until its clicks come: the method's own
//! receipt, and everything else that must be kept with it.
//!
//! | part | bytes | what it is for |
//! |---|---|---|
//! | version, kind, checksum | 6 | damaged and foreign bytes are refused |
//! | method | 1 + its name | left out where a store has it once per [version](ExperimentVersion) of the experiment |
//! | experiment | 9 + its name | outcomes of two versions are never added up |
//! | page | 1 + a byte per place | what was really displayed, and how far the user saw: [`Page`] |
//! | propensity | 8 | the probability of the choice that led to the list, for estimates off policy |
//! | documents | 1 + their texts | where the log does not have them |
//! | the method's receipt | 3 for ten documents of a team draft | what credit needs |
//!
//! ```
//! use interleave::receipt::{ExperimentVersion, Receipt};
//! use interleave::{AnyInterleaving, Doc, Generator, Interleaving, ListBuf, Preference};
//! use rand::SeedableRng;
//!
//! let version = ExperimentVersion::new("search", &[("bm25", "1.2"), ("neural", "2026-11")], "team-draft", 10);
//! let [ours, theirs] = [[0, 1, 2, 3], [3, 2, 1, 0]].map(|list| ListBuf::strict(list.map(Doc)).unwrap());
//! let method: AnyInterleaving = "team-draft".parse()?;
//! let lists = [ours.as_list(), theirs.as_list()];
//! let (mixed, kept) = method.draw(lists, 4, &mut Generator::seed_from_u64(1), &mut Default::default());
//!
//! let bytes = Receipt::from(kept).of(version).to_bytes();
//! let back = Receipt::from_bytes(&bytes)?;
//! // The user saw two documents, and clicked on the first.
//! let seen = back.truncated(2);
//! assert_eq!(seen.winner(&[0])?, if mixed[0] == Doc(0) { Preference::First } else { Preference::Second });
//! // Nothing damaged is accepted.
//! let mut damaged = bytes;
//! damaged[3] ^= 16;
//! assert!(Receipt::from_bytes(&damaged).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Bytes
//!
//! All that is written begins with the byte 0xB2 and a byte for the parts that follow, and ends with the CRC-32 (IEEE 802.3)
//! of everything before it, little-endian. Whole numbers are variable-length integers of seven bits per byte, the lowest
//! first; texts are their length and UTF-8. The parts follow in the order of the table. The version of an experiment is
//! its eight bytes and its name; a page is the number of its places and, for each, 0 for a pinned one or the distance from
//! the position before; the documents are those of the mixed list and then those of pinned places. The method's own
//! receipt is its number among the methods and [postcard](https://postcard.jamesmunns.com), but for owners, which are packed.

mod experiment;
mod json;
mod kept_receipt;
mod mixed_receipt;
mod parts;

pub use experiment::{ExperimentVersion, VersionError};
pub use kept_receipt::Receipt;
pub use mixed_receipt::MixedReceipt;
pub use parts::Parts;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Page;
use crate::support::pack::{Reader, Writer};

/// The first byte of the format.
const FORMAT: u8 = 0xB2;
/// The second byte of a plain value.
const PLAIN_VALUE: u8 = 1 << 7;
/// The bytes of a checksum.
const CHECKSUM: usize = 4;

/// Why bytes or a text are not a receipt, or what one would keep does not fit it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", if *kind == ReceiptErrorKind::Value { "" } else { "not a receipt: " })]
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
    /// They are of another version of the format.
    Version,
    /// They are damaged: their checksum is another one.
    Checksum,
    /// They do not hold this kind of receipt.
    Malformed,
    /// Bytes are left after the receipt.
    Excess,
    /// They do not name the method, which the store that wrote them must give.
    Method,
    /// A value is impossible: e.g. a page that reaches beyond the list.
    Value,
}

impl ReceiptError {
    fn new(kind: ReceiptErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    fn malformed(message: impl Into<String>) -> Self {
        Self::new(ReceiptErrorKind::Malformed, message)
    }

    /// What kind of error it is.
    #[must_use]
    pub fn kind(&self) -> ReceiptErrorKind {
        self.kind
    }
}

/// A value as bytes: the receipt of a single method, or of one outside this crate, for a reader that has its type.
///
/// ```
/// use interleave::{BalancedInterleave, Doc, Generator, Interleaving, ListBuf, receipt};
/// use rand::SeedableRng;
///
/// let list = ListBuf::strict([0, 1, 2].map(Doc))?;
/// let method = BalancedInterleave::default();
/// let mut generator = Generator::seed_from_u64(1);
/// let lists = [list.as_list(); 2];
/// let (_, kept) = method.draw(lists, 3, &mut generator, &mut Default::default());
/// let bytes = receipt::to_bytes(&kept)?;
/// let back = receipt::from_bytes(&bytes)?;
/// assert_eq!(kept, back);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// None for receipts of this crate; for other values, where `postcard` cannot write them.
pub fn to_bytes<R: Serialize>(receipt: &R) -> Result<Vec<u8>, ReceiptError> {
    let written = postcard::to_extend(receipt, vec![FORMAT, PLAIN_VALUE]);
    Ok(seal(written.map_err(|error| ReceiptError::malformed(error.to_string()))?))
}

/// The value that [`to_bytes`] wrote.
///
/// # Errors
/// For bytes of another format or another kind of receipt, as far as they differ, for damaged bytes, and for missing or
/// excess ones.
pub fn from_bytes<R: DeserializeOwned>(bytes: &[u8]) -> Result<R, ReceiptError> {
    let [PLAIN_VALUE, body @ ..] = unseal(bytes)? else {
        return Err(ReceiptError::malformed("it is that of an impression; read it with `Receipt::from_bytes`"));
    };
    match postcard::take_from_bytes(body) {
        Ok((receipt, [])) => Ok(receipt),
        Ok((_, rest)) => Err(ReceiptError::new(
            ReceiptErrorKind::Excess,
            format!("{} excess bytes; read it as the type that was written", rest.len()),
        )),
        Err(error) => Err(ReceiptError::malformed(error.to_string())),
    }
}

/// Appends a page in the form that receipts have, for stores that keep it elsewhere.
pub fn write_page(page: &Page, to: &mut Vec<u8>) {
    let mut writer = Writer::new(std::mem::take(to));
    writer.page(page);
    *to = writer.finish();
}

/// The page that [`write_page`] wrote, and the bytes after it; `None` for other bytes.
#[must_use]
pub fn read_page(bytes: &[u8]) -> Option<(Page, &[u8])> {
    let mut reader = Reader::new(bytes);
    let page = reader.page()?;
    Some((page, reader.remaining()))
}

/// Adds the checksum.
fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}

/// The bytes between the first byte and the checksum, if both are right.
fn unseal(bytes: &[u8]) -> Result<&[u8], ReceiptError> {
    match bytes {
        [] => Err(ReceiptError::new(ReceiptErrorKind::Empty, "no bytes")),
        [FORMAT, ..] => {
            let (body, checksum) =
                bytes.split_last_chunk::<CHECKSUM>().ok_or_else(|| ReceiptError::malformed("it is cut off"))?;
            if crc32fast::hash(body) != u32::from_le_bytes(*checksum) {
                let message = "it is damaged or cut off: the checksum does not match";
                return Err(ReceiptError::new(ReceiptErrorKind::Checksum, message));
            }
            body.get(1..).filter(|rest| !rest.is_empty()).ok_or_else(|| ReceiptError::malformed("it is cut off"))
        }
        [version, ..] => Err(ReceiptError::new(
            ReceiptErrorKind::Version,
            format!(
                "its first byte is {version:#04x}, not {FORMAT:#04x}; expected what this version writes, so draw the list again with it"
            ),
        )),
    }
}
