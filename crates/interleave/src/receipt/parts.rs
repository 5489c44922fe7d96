//! The parts of a receipt, borrowed from its bytes: nothing is copied until needed.

use super::mixed_receipt::{MixedReceipt, list_length};
use super::{FORMAT, PLAIN_VALUE, ReceiptError, ReceiptErrorKind, seal, unseal};
use crate::support::pack::{Reader, Writer};
use crate::{InterleavingReceipt, MultileavingReceipt, NamedReceipt, Page};

const MULTILEAVING_FLAG: u8 = 1;
const METHOD_FLAG: u8 = 1 << 1;
const VERSION_FLAG: u8 = 1 << 2;
const PAGE_FLAG: u8 = 1 << 3;
const PROPENSITY_FLAG: u8 = 1 << 4;
const DOCUMENTS_FLAG: u8 = 1 << 5;
const KNOWN_FLAGS: u8 = MULTILEAVING_FLAG | METHOD_FLAG | VERSION_FLAG | PAGE_FLAG | PROPENSITY_FLAG | DOCUMENTS_FLAG;

/// A receipt in borrowed parts; its checksum was right.
#[derive(Debug, Clone)]
pub struct Parts<'a> {
    is_multileaving: bool,
    method: Option<&'a str>,
    version: Option<(&'a str, u64)>,
    page: Option<Page>,
    propensity: Option<f64>,
    documents: Option<Documents<'a>>,
    body: &'a [u8],
}

/// The documents of the mixed list, and those that other places of the page display.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Documents<'a> {
    pub(super) mixed: Vec<&'a str>,
    pub(super) pinned: Vec<&'a str>,
}

impl<'a> Parts<'a> {
    /// The parts of a receipt, if `bytes` are one.
    ///
    /// # Errors
    /// For damaged bytes, those of another format, and those of a plain value.
    pub fn read(bytes: &'a [u8]) -> Result<Self, ReceiptError> {
        let cut = || ReceiptError::malformed("it is cut off");
        let [flags, rest @ ..] = unseal(bytes)? else { return Err(cut()) };
        if flags & PLAIN_VALUE != 0 {
            let message = "it is that of a single method; read it as the type that was written";
            return Err(ReceiptError::malformed(message));
        }
        if flags & !KNOWN_FLAGS != 0 {
            let message = "it has parts that this version does not know; read it with the version that wrote it";
            return Err(ReceiptError::new(ReceiptErrorKind::Version, message));
        }
        let mut reader = Reader::new(rest);
        let has = |part: u8| flags & part != 0;
        let mut read = || -> Option<Self> {
            let method = if has(METHOD_FLAG) { Some(reader.text()?) } else { None };
            let version = if has(VERSION_FLAG) {
                let hash = u64::from_le_bytes(reader.array()?);
                Some((reader.text()?, hash))
            } else {
                None
            };
            let page = if has(PAGE_FLAG) { Some(reader.page()?) } else { None };
            let propensity = if has(PROPENSITY_FLAG) { Some(f64::from_le_bytes(reader.array()?)) } else { None };
            let documents = if has(DOCUMENTS_FLAG) {
                let mixed = reader.texts()?;
                Some(Documents { mixed, pinned: reader.texts()? })
            } else {
                None
            };
            let body = reader.remaining();
            Some(Self { is_multileaving: has(MULTILEAVING_FLAG), method, version, page, propensity, documents, body })
        };
        read().ok_or_else(cut)
    }

    /// Whether any number of rankers were compared; two, otherwise.
    #[must_use]
    pub fn is_multileaving(&self) -> bool {
        self.is_multileaving
    }

    /// The full name of the method, if it is there.
    #[must_use]
    pub fn method(&self) -> Option<&'a str> {
        self.method
    }

    /// The experiment's name and the hash of its version, if they are there.
    #[must_use]
    pub fn version(&self) -> Option<(&'a str, u64)> {
        self.version
    }

    /// What was displayed, if it is there.
    #[must_use]
    pub fn page(&self) -> Option<&Page> {
        self.page.as_ref()
    }

    /// The probability of the choice that led to the list, if it is there.
    #[must_use]
    pub fn propensity(&self) -> Option<f64> {
        self.propensity
    }

    /// The documents of the mixed list, if they are there.
    #[must_use]
    pub fn documents(&self) -> Option<&[&'a str]> {
        self.documents.as_ref().map(|documents| documents.mixed.as_slice())
    }

    /// The documents of the pinned places of the page, top down.
    #[must_use]
    pub fn pinned_documents(&self) -> &[&'a str] {
        self.documents.as_ref().map_or(&[], |documents| documents.pinned.as_slice())
    }

    /// The method's own receipt in bytes, for [`MixedReceipt::from_body`].
    #[must_use]
    pub fn body(&self) -> &'a [u8] {
        self.body
    }

    /// The receipt of the method; `method` is its name, for bytes that lack it.
    ///
    /// # Errors
    /// If there is no name, if the two names differ, or if the bytes are not a receipt of the method.
    pub fn mixed(&self, method: Option<&str>) -> Result<MixedReceipt, ReceiptError> {
        let method = match (self.method, method) {
            (Some(own), Some(given)) if own != given => {
                let message = format!("it is of the method {own:?}, not {given:?}");
                return Err(ReceiptError::new(ReceiptErrorKind::Method, message));
            }
            (Some(method), _) | (None, Some(method)) => method,
            (None, None) => {
                let message = "it does not name its method; read it with the method of its experiment's version";
                return Err(ReceiptError::new(ReceiptErrorKind::Method, message));
            }
        };
        MixedReceipt::from_body(self.body, self.is_multileaving, method)
    }
}

/// What is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReceiptWriter<'a> {
    pub(super) method: Option<&'a str>,
    pub(super) version: Option<(&'a str, u64)>,
    pub(super) page: Option<&'a Page>,
    pub(super) propensity: Option<f64>,
    pub(super) documents: Option<(&'a [&'a str], &'a [&'a str])>,
    pub(super) mixed: &'a MixedReceipt,
}

impl ReceiptWriter<'_> {
    /// As bytes.
    pub(super) fn to_bytes(self) -> Vec<u8> {
        let Self { method, version, page, propensity, documents, mixed } = self;
        let flag = |part: u8, is_there: bool| if is_there { part } else { 0 };
        let flags = flag(MULTILEAVING_FLAG, matches!(mixed, MixedReceipt::Multileaving(_)))
            | flag(METHOD_FLAG, method.is_some())
            | flag(VERSION_FLAG, version.is_some())
            | flag(PAGE_FLAG, page.is_some())
            | flag(PROPENSITY_FLAG, propensity.is_some())
            | flag(DOCUMENTS_FLAG, documents.is_some());
        // Enough for most, so that bytes are moved once at most.
        let mut bytes = Vec::with_capacity(128);
        bytes.extend_from_slice(&[FORMAT, flags]);
        let mut writer = Writer::new(bytes);
        if let Some(method) = method {
            writer.text(method);
        }
        if let Some((experiment, hash)) = version {
            writer.bytes(&hash.to_le_bytes());
            writer.text(experiment);
        }
        if let Some(page) = page {
            writer.page(page);
        }
        if let Some(propensity) = propensity {
            writer.bytes(&propensity.to_le_bytes());
        }
        if let Some((mixed, pinned)) = documents {
            writer.texts(mixed);
            writer.texts(pinned);
        }
        mixed.write_body(&mut writer);
        seal(writer.finish())
    }
}

impl MixedReceipt {
    /// The method's own part in bytes, for [`from_body`](Self::from_body): without a checksum, and without the method's name.
    #[must_use]
    pub fn to_body(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        self.write_body(&mut writer);
        writer.finish()
    }

    fn write_body(&self, writer: &mut Writer) {
        match self {
            Self::Interleaving(receipt) => {
                writer.byte(receipt.receipt().number());
                receipt.receipt().pack(writer);
            }
            Self::Multileaving(receipt) => {
                writer.byte(receipt.receipt().number());
                receipt.receipt().pack(writer);
            }
        }
    }

    /// The receipt of a method from the [bytes](Parts::body) of its own part.
    ///
    /// # Errors
    /// If the bytes are not a receipt of the method.
    pub fn from_body(body: &[u8], is_multileaving: bool, method: &str) -> Result<Self, ReceiptError> {
        let mut reader = Reader::new(body);
        let number = reader.byte().ok_or_else(|| ReceiptError::malformed("its method's part is missing"))?;
        let method = method.to_owned();
        let mixed = if is_multileaving {
            let receipt = MultileavingReceipt::unpack(number, &mut reader);
            receipt.map(|receipt| Self::Multileaving(NamedReceipt::new(method, receipt)))
        } else {
            let receipt = InterleavingReceipt::unpack(number, &mut reader);
            receipt.map(|receipt| Self::Interleaving(NamedReceipt::new(method, receipt)))
        };
        let mixed = mixed.ok_or_else(|| ReceiptError::malformed("its method's part cannot be read"))?;
        if !reader.remaining().is_empty() {
            return Err(ReceiptError::new(ReceiptErrorKind::Excess, "bytes are left after its method's part"));
        }
        list_length(&mixed)?;
        Ok(mixed)
    }
}
