//! Receipts as JSON: readable, with the checksum of the equivalent bytes.
//!
//! ```
//! use interleave::receipt::Receipt;
//!
//! let text = r#"{"format":2,"method":"team-draft","interleaving":{"team-draft":{"teams":[1,0]}},"checksum":"ed41f94d"}"#;
//! let receipt: Receipt = serde_json::from_str(text)?;
//! assert_eq!(receipt.method(), "team-draft");
//! assert_eq!(serde_json::to_string(&receipt)?, text);
//! # Ok::<(), serde_json::Error>(())
//! ```

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::kept_receipt::{Documents, Receipt};
use super::mixed_receipt::MixedReceipt;
use super::{CHECKSUM, ExperimentVersion, ReceiptError, ReceiptErrorKind};
use crate::{InterleavingReceipt, MultileavingReceipt, NamedReceipt, Page};

/// The format's number in JSON.
const FORMAT: u8 = 2;

/// What is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Json<'a> {
    format: u8,
    method: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    page: Option<Vec<Option<usize>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    propensity: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    documents: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pinned: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    interleaving: Option<OneOf<'a, InterleavingReceipt>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    multileaving: Option<OneOf<'a, MultileavingReceipt>>,
    checksum: String,
}

/// A value, borrowed to write it.
enum OneOf<'a, T> {
    Borrowed(&'a T),
    Owned(T),
}

impl<T: Serialize> Serialize for OneOf<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Borrowed(value) => value.serialize(serializer),
            Self::Owned(value) => value.serialize(serializer),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOf<'_, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::Owned)
    }
}

impl<T: Clone> OneOf<'_, T> {
    fn owned(self) -> T {
        match self {
            Self::Borrowed(value) => value.clone(),
            Self::Owned(value) => value,
        }
    }
}

/// This format, or other fields.
#[derive(Deserialize)]
#[serde(untagged)]
enum AnyFormat {
    This(Box<Json<'static>>),
    Another { format: Option<u64> },
}

impl Receipt {
    /// The checksum in its JSON form.
    fn checksum(&self) -> String {
        let bytes = self.to_bytes();
        let checksum = bytes.last_chunk::<CHECKSUM>().copied().unwrap_or_default();
        format!("{:08x}", u32::from_le_bytes(checksum))
    }
}

impl Json<'_> {
    fn receipt(self) -> Result<Receipt, ReceiptError> {
        let Self { format, method, version, page, propensity, documents, pinned, interleaving, multileaving, checksum } =
            self;
        if format != FORMAT {
            let message = format!("its format is {format}, not {FORMAT}; read it with the version that wrote it");
            return Err(ReceiptError::new(ReceiptErrorKind::Version, message));
        }
        let mixed = match (interleaving, multileaving) {
            (Some(receipt), None) => MixedReceipt::Interleaving(NamedReceipt::new(method, receipt.owned())),
            (None, Some(receipt)) => MixedReceipt::Multileaving(NamedReceipt::new(method, receipt.owned())),
            _ => return Err(ReceiptError::malformed("expected either `interleaving` or `multileaving`")),
        };
        let version = match version.map(|text| text.parse::<ExperimentVersion>()).transpose() {
            Ok(version) => version,
            Err(error) => return Err(ReceiptError::malformed(error.to_string())),
        };
        let page = match page.map(Page::new).transpose() {
            Ok(page) => page,
            Err(error) => return Err(ReceiptError::malformed(error.to_string())),
        };
        let documents = match (documents, pinned) {
            (Some(mixed), pinned) => Some(Documents { mixed, pinned: pinned.unwrap_or_default() }),
            (None, None) => None,
            (None, Some(_)) => return Err(ReceiptError::malformed("`pinned` without `documents`")),
        };
        let receipt = Receipt { mixed, version, page, propensity, documents }.checked()?;
        if receipt.checksum() != checksum {
            let message = "it is damaged: the checksum does not match";
            return Err(ReceiptError::new(ReceiptErrorKind::Checksum, message));
        }
        Ok(receipt)
    }
}

impl Serialize for Receipt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return serializer.serialize_bytes(&self.to_bytes());
        }
        let (interleaving, multileaving) = match &self.mixed {
            MixedReceipt::Interleaving(receipt) => (Some(OneOf::Borrowed(receipt.receipt())), None),
            MixedReceipt::Multileaving(receipt) => (None, Some(OneOf::Borrowed(receipt.receipt()))),
        };
        let pinned = self.documents.as_ref().map(|documents| documents.pinned.clone());
        Json {
            format: FORMAT,
            method: self.method().to_owned(),
            version: self.version.as_ref().map(ToString::to_string),
            page: self.page.as_ref().map(|page| page.places().collect()),
            propensity: self.propensity,
            documents: self.documents.as_ref().map(|documents| documents.mixed.clone()),
            pinned: pinned.filter(|pinned| !pinned.is_empty()),
            interleaving,
            multileaving,
            checksum: self.checksum(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Receipt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            let bytes = <Vec<u8>>::deserialize(deserializer)?;
            return Self::from_bytes(&bytes).map_err(D::Error::custom);
        }
        match AnyFormat::deserialize(deserializer) {
            Ok(AnyFormat::This(json)) => json.receipt(),
            Ok(AnyFormat::Another { format: None }) => {
                let message = format!(
                    "it has no `format`; expected {FORMAT}, as this version writes it, so draw the list again with it"
                );
                Err(ReceiptError::new(ReceiptErrorKind::Version, message))
            }
            Ok(AnyFormat::Another { .. }) | Err(_) => Err(ReceiptError::malformed("expected the JSON of a receipt")),
        }
        .map_err(D::Error::custom)
    }
}
