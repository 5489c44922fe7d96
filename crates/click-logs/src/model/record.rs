//! One line of a log: an impression or a click.

use std::borrow::Cow;

use interleave::{
    AnyInterleaving, AnyInterleavingReceipt, AnyMultileaving, AnyMultileavingReceipt, Interleaving, Multileaving,
    receipt,
};

use super::PairChoice;

/// A list that was shown to a user.
#[derive(Debug, Clone, PartialEq)]
pub struct Impression<'a> {
    /// What clicks name it by.
    pub id: Cow<'a, str>,
    /// When it was shown, in milliseconds since 1970.
    pub time: i64,
    /// The user or session, by the unit of the analysis; `None` where the log has none.
    pub unit: Option<Cow<'a, str>>,
    /// The program of the user.
    pub agent: Option<Cow<'a, str>>,
    /// How its rankers were chosen, if the log says so.
    pub pairs: Option<PairChoice>,
    /// The documents, top down, each once.
    pub shown: Vec<Cow<'a, str>>,
    /// How the list was mixed; `None` if it was not.
    pub mixed: Option<Mixed<'a>>,
}

impl Impression<'_> {
    /// Whether a simulated user saw it.
    #[must_use]
    pub fn is_synthetic(&self) -> bool {
        self.agent.as_ref().is_some_and(|agent| agent.ends_with("(simulated)"))
    }
}

/// How a list was mixed, as far as credit needs it.
#[derive(Debug, Clone, PartialEq)]
pub enum Mixed<'a> {
    /// Team draft: who owns each document shown, and nobody where that is `None`.
    Teams {
        /// By position.
        teams: Vec<Option<Cow<'a, str>>>,
        /// All rankers that took part, if the line says so.
        rankers: Option<Vec<Cow<'a, str>>>,
    },
    /// A receipt of the crate `interleave`.
    Receipt {
        /// The receipt.
        receipt: Receipt,
        /// The rankers in the order of their lists, if the line names them.
        rankers: Option<Vec<Cow<'a, str>>>,
    },
}

/// A receipt of any method.
#[derive(Debug, Clone, PartialEq)]
pub enum Receipt {
    /// Of two rankers.
    Interleaving(AnyInterleavingReceipt),
    /// Of any number.
    Multileaving(AnyMultileavingReceipt),
}

impl Receipt {
    /// The receipt in the bytes that [`interleave::receipt::to_bytes`] wrote for a list of `shown` documents, or in those of
    /// an impression of the Python package, which names its documents in front of it.
    ///
    /// # Errors
    /// Why they are none.
    pub fn from_bytes(bytes: &[u8], shown: usize) -> Result<Self, String> {
        if WithDocuments::are_in(bytes) {
            let impression: WithDocuments = receipt::from_bytes(bytes).map_err(text)?;
            return impression.receipt(shown);
        }
        // Bytes do not say of which kind they are, but only one kind fits the list.
        let two = receipt::from_bytes(bytes).map(Self::Interleaving).map_err(|error| error.to_string());
        let two = two.and_then(|receipt| receipt.check(shown).map(|()| receipt));
        two.or_else(|error| {
            let many: Self = receipt::from_bytes(bytes).map(Self::Multileaving).map_err(|_| error)?;
            many.check(shown).map(|()| many)
        })
    }

    /// The receipt in the JSON that `serde` wrote.
    ///
    /// # Errors
    /// Why it is none.
    pub fn from_json(value: serde_json::Value, shown: usize) -> Result<Self, String> {
        let unreadable = |error: serde_json::Error| format!("the receipt cannot be read: {error}");
        if value.get("Two").or(value.get("Many")).is_some() {
            return serde_json::from_value::<WithDocuments>(value).map_err(unreadable)?.receipt(shown);
        }
        let receipt = match serde_json::from_value(value.clone()) {
            Ok(receipt) => Self::Interleaving(receipt),
            Err(error) => match serde_json::from_value(value) {
                Ok(receipt) => Self::Multileaving(receipt),
                Err(_) => return Err(unreadable(error)),
            },
        };
        receipt.check(shown).map(|()| receipt)
    }

    /// The full name of the method that issued it.
    #[must_use]
    pub fn method(&self) -> &str {
        match self {
            Self::Interleaving(receipt) => receipt.method(),
            Self::Multileaving(receipt) => receipt.method(),
        }
    }

    /// Its bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let bytes = match self {
            Self::Interleaving(receipt) => receipt::to_bytes(receipt),
            Self::Multileaving(receipt) => receipt::to_bytes(receipt),
        };
        bytes.expect("receipts have bytes")
    }

    /// Whether its method is known, and its list has `shown` documents.
    fn check(&self, shown: usize) -> Result<(), String> {
        let credits = |clicked: &[usize]| -> Result<(), String> {
            match self {
                Self::Interleaving(receipt) => {
                    let method: AnyInterleaving = receipt.method().parse().map_err(text)?;
                    method.credit(receipt, clicked).map(drop).map_err(text)
                }
                Self::Multileaving(receipt) => {
                    let method: AnyMultileaving = receipt.method().parse().map_err(text)?;
                    method.credit(receipt, clicked).map(drop).map_err(text)
                }
            }
        };
        let last: Vec<usize> = shown.checked_sub(1).into_iter().collect();
        credits(&last).map_err(|error| format!("the receipt does not fit the list of {shown} documents: {error}"))?;
        if credits(&[shown]).is_ok() {
            return Err(format!("the receipt is of a longer list than the {shown} documents shown; log both together"));
        }
        Ok(())
    }
}

/// An impression as the Python package writes it.
#[derive(serde::Deserialize)]
pub(super) enum WithDocuments {
    Two(OfList<AnyInterleavingReceipt>),
    Many(OfList<AnyMultileavingReceipt>),
}

type OfList<R> = interleave::by_id::Impression<String, R>;

/// How many rankers mixed a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Two,
    Many,
}

impl WithDocuments {
    /// Whether the bytes are those of such an impression.
    fn are_in(bytes: &[u8]) -> bool {
        // A receipt begins with the length of its method's name, which is longer.
        bytes.get(1).is_some_and(|kind| *kind < 2)
    }

    /// The kind of the receipt in such bytes, and the bytes of the receipt, without their version; `None` for any other bytes.
    pub(super) fn split(bytes: &[u8]) -> Option<(Kind, &[u8])> {
        if !Self::are_in(bytes) {
            return None;
        }
        let ((kind, Skipped), rest) = receipt::take_from_bytes::<(u8, Skipped)>(bytes).ok()?;
        Some((if kind == 0 { Kind::Two } else { Kind::Many }, rest))
    }

    fn receipt(self, shown: usize) -> Result<Receipt, String> {
        let receipt = match self {
            Self::Two(impression) => Receipt::Interleaving(impression.receipt().clone()),
            Self::Many(impression) => Receipt::Multileaving(impression.receipt().clone()),
        };
        receipt.check(shown).map(|()| receipt)
    }
}

/// A list of texts that nobody needs.
struct Skipped;

impl<'de> serde::Deserialize<'de> for Skipped {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Texts;

        impl<'de> serde::de::Visitor<'de> for Texts {
            type Value = Skipped;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list of texts")
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut texts: A) -> Result<Skipped, A::Error> {
                while texts.next_element::<&str>()?.is_some() {}
                Ok(Skipped)
            }
        }

        deserializer.deserialize_seq(Texts)
    }
}

fn text(error: impl ToString) -> String {
    error.to_string()
}

/// A click on a document of an impression.
#[derive(Debug, Clone, PartialEq)]
pub struct Click<'a> {
    /// The impression.
    pub impression: Cow<'a, str>,
    /// The document.
    pub document: Cow<'a, str>,
    /// When, in milliseconds since 1970.
    pub time: i64,
    /// How long the user stayed with the document, in milliseconds, where the log says so.
    pub dwell: Option<i64>,
}
