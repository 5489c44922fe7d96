//! A receipt with everything that is kept in addition to the data for credit.

use super::mixed_receipt::{MixedReceipt, list_length};
use super::parts::{Parts, ReceiptWriter};
use super::{ExperimentVersion, ReceiptError, ReceiptErrorKind};
use crate::{AnyInterleavingReceipt, AnyMultileavingReceipt, AnyOutcome, CreditError, Page, Preference};

/// A receipt as it is kept until clicks come; see the [module](super).
///
/// `serde` writes it as JSON, or as [bytes](Self::to_bytes) into formats that are not for people.
#[derive(Debug, Clone, PartialEq)]
pub struct Receipt {
    pub(super) mixed: MixedReceipt,
    pub(super) version: Option<ExperimentVersion>,
    pub(super) page: Option<Page>,
    pub(super) propensity: Option<f64>,
    pub(super) documents: Option<Documents>,
}

/// The documents of the mixed list, and those of the pinned places of the page, top down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Documents {
    pub(super) mixed: Vec<String>,
    pub(super) pinned: Vec<String>,
}

impl From<MixedReceipt> for Receipt {
    fn from(mixed: MixedReceipt) -> Self {
        Self { mixed, version: None, page: None, propensity: None, documents: None }
    }
}

impl From<AnyInterleavingReceipt> for Receipt {
    fn from(receipt: AnyInterleavingReceipt) -> Self {
        MixedReceipt::Interleaving(receipt).into()
    }
}

impl From<AnyMultileavingReceipt> for Receipt {
    fn from(receipt: AnyMultileavingReceipt) -> Self {
        MixedReceipt::Multileaving(receipt).into()
    }
}

impl Receipt {
    /// Adds the version of an experiment.
    #[must_use]
    pub fn of(self, version: ExperimentVersion) -> Self {
        Self { version: Some(version), ..self }
    }

    /// Adds the documents of the mixed list.
    ///
    /// # Errors
    /// If there are not as many as were mixed, one is there twice, or a page with other documents was displayed.
    pub fn with_documents(self, documents: Vec<String>) -> Result<Self, ReceiptError> {
        let pinned = self.page.as_ref().map_or(0, |page| page.places().filter(Option::is_none).count());
        if pinned > 0 {
            return Err(value("the page displays documents that are not of the list; give the documents first"));
        }
        self.with_all_documents(documents, Vec::new())
    }

    /// Adds the documents of the mixed list, and those of the pinned places of the page, top down.
    ///
    /// # Errors
    /// If there are not as many of either, or one is there twice.
    pub fn with_all_documents(self, mixed: Vec<String>, pinned: Vec<String>) -> Result<Self, ReceiptError> {
        Self { documents: Some(Documents { mixed, pinned }), ..self }.checked()
    }

    /// A copy without documents.
    #[must_use]
    pub fn without_documents(&self) -> Self {
        Self {
            documents: None,
            mixed: self.mixed.clone(),
            version: self.version.clone(),
            page: self.page.clone(),
            ..*self
        }
    }

    /// Adds the probability of the choice that led to the list, above 0 and at most 1.
    ///
    /// # Errors
    /// For another number.
    pub fn with_propensity(self, propensity: f64) -> Result<Self, ReceiptError> {
        Self { propensity: Some(propensity), ..self }.checked()
    }

    /// Adds the displayed page.
    ///
    /// # Errors
    /// If the page reaches beyond the mixed list; or if it has other documents and the receipt keeps documents: then name them
    /// with [`displayed`](Self::displayed).
    pub fn on_page(self, page: Page) -> Result<Self, ReceiptError> {
        let documents = self.documents.map(|documents| Documents { pinned: Vec::new(), ..documents });
        Self { page: Some(page), documents, ..self }.checked()
    }

    /// Adds the displayed page by its documents, top down. No ranker owns a document that `is_pinned`, even if it was mixed.
    ///
    /// # Errors
    /// If the receipt keeps no documents; if some that were mixed are in another order; for a document that was neither mixed
    /// nor pinned; and for one twice.
    pub fn displayed(self, documents: &[&str], is_pinned: impl Fn(&str) -> bool) -> Result<Self, ReceiptError> {
        let Some(kept) = &self.documents else {
            return Err(value("it keeps no documents; say by their positions which were displayed"));
        };
        let mixed: Vec<&str> = kept.mixed.iter().map(String::as_str).collect();
        let page = Page::of(documents, &mixed, |_, id| is_pinned(id)).map_err(|error| value(error.to_string()))?;
        let places = page.places().zip(documents).filter(|(place, _)| place.is_none());
        let pinned = places.map(|(_, id)| (*id).to_owned()).collect();
        let documents = self.documents.map(|documents| Documents { pinned, ..documents });
        Self { page: Some(page), documents, ..self }.checked()
    }

    /// A copy for a user who saw the first `length` places and went no further. A longer page stays as it is.
    #[must_use]
    pub fn truncated(&self, length: usize) -> Self {
        let page = match &self.page {
            Some(page) => page.truncated(length),
            None => Page::first(length.min(self.mixed.len())),
        };
        let pinned = page.places().filter(Option::is_none).count();
        let mut receipt = Self { page: Some(page), ..self.clone() };
        if let Some(documents) = &mut receipt.documents {
            documents.pinned.truncate(pinned);
        }
        receipt
    }

    /// The receipt, if its parts agree with each other.
    pub(super) fn checked(self) -> Result<Self, ReceiptError> {
        list_length(&self.mixed)?;
        self.check_parts()?;
        self.check_documents()?;
        Ok(self)
    }

    /// Checks all but the length of the list and the documents.
    fn check_parts(&self) -> Result<(), ReceiptError> {
        let mixed = self.mixed.len();
        if let Some(page) = self.page.as_ref().filter(|page| page.depth() > mixed) {
            return Err(value(format!("the page displays {} documents of the list, which has {mixed}", page.depth())));
        }
        if let Some(propensity) = self.propensity.filter(|propensity| !(*propensity > 0.0 && *propensity <= 1.0)) {
            return Err(value(format!("the propensity {propensity} is not above 0 and at most 1")));
        }
        Ok(())
    }

    fn check_documents(&self) -> Result<(), ReceiptError> {
        let Some(Documents { mixed, pinned }) = &self.documents else { return Ok(()) };
        self.check_counts(mixed.len(), pinned.len())?;
        // All displayed documents were mixed, but for the pinned ones.
        let shown = if pinned.is_empty() { Vec::new() } else { self.shown().unwrap_or_default() };
        match repeated_text(mixed).or_else(|| repeated_text(&shown)) {
            Some(twice) => Err(value(format!("the document {twice:?} is there twice"))),
            None => Ok(()),
        }
    }

    /// The method's receipt.
    #[must_use]
    pub fn mixed(&self) -> &MixedReceipt {
        &self.mixed
    }

    /// The full name of the method.
    #[must_use]
    pub fn method(&self) -> &str {
        self.mixed.method()
    }

    /// The version of the experiment.
    #[must_use]
    pub fn version(&self) -> Option<&ExperimentVersion> {
        self.version.as_ref()
    }

    /// What was displayed, where that is known; otherwise the whole list.
    #[must_use]
    pub fn page(&self) -> Option<&Page> {
        self.page.as_ref()
    }

    /// The probability of the choice that led to the list.
    #[must_use]
    pub fn propensity(&self) -> Option<f64> {
        self.propensity
    }

    /// The documents of the mixed list, top down.
    #[must_use]
    pub fn documents(&self) -> Option<&[String]> {
        self.documents.as_ref().map(|documents| documents.mixed.as_slice())
    }

    /// The documents of the pinned places of the page, top down.
    #[must_use]
    pub fn pinned_documents(&self) -> &[String] {
        self.documents.as_ref().map_or(&[], |documents| documents.pinned.as_slice())
    }

    /// The documents that were displayed, top down, if the receipt keeps documents.
    #[must_use]
    pub fn shown(&self) -> Option<Vec<&str>> {
        let Documents { mixed, pinned } = self.documents.as_ref()?;
        let Some(page) = &self.page else { return Some(mixed.iter().map(String::as_str).collect()) };
        let mut pinned = pinned.iter();
        page.places().map(|place| place.map_or_else(|| pinned.next(), |at| mixed.get(at)).map(String::as_str)).collect()
    }

    /// How many places were displayed.
    #[must_use]
    pub fn places(&self) -> usize {
        self.page.as_ref().map_or_else(|| self.mixed.len(), Page::len)
    }

    /// The preference for each pair of rankers by clicks on the 0-based places `clicked` of the displayed list. A place
    /// clicked twice counts once.
    ///
    /// # Errors
    /// For a click below the last place, and for a method that this version does not have.
    pub fn outcome(&self, clicked: &[usize]) -> Result<AnyOutcome, CreditError> {
        self.mixed.outcome(self.page.as_ref(), clicked)
    }

    /// The winner between the first two rankers, by [`outcome`](Self::outcome).
    ///
    /// # Errors
    /// Those of [`outcome`](Self::outcome).
    pub fn winner(&self, clicked: &[usize]) -> Result<Preference, CreditError> {
        use crate::Outcome;
        Ok(self.outcome(clicked)?.preference(0, 1))
    }

    fn encode(&self, method: Option<&str>, documents: Option<(&[&str], &[&str])>) -> Vec<u8> {
        let version = self.version.as_ref().map(|version| (version.experiment(), version.hash()));
        let Self { mixed, page, propensity, .. } = self;
        ReceiptWriter { method, version, page: page.as_ref(), propensity: *propensity, documents, mixed }.to_bytes()
    }

    fn encode_with_documents(&self, method: Option<&str>) -> Vec<u8> {
        let Some(Documents { mixed, pinned }) = &self.documents else { return self.encode(method, None) };
        let [mixed, pinned] = [mixed, pinned].map(|texts| texts.iter().map(String::as_str).collect::<Vec<_>>());
        self.encode(method, Some((&mixed, &pinned)))
    }

    /// As bytes, which name the method, with these documents: those of the mixed list, and those of the pinned places of the
    /// page. Nothing is copied, and only the numbers of documents are checked.
    ///
    /// # Errors
    /// If there are not as many as were mixed, or as there are pinned places.
    pub fn to_bytes_with(&self, mixed: &[&str], pinned: &[&str]) -> Result<Vec<u8>, ReceiptError> {
        self.check_counts(mixed.len(), pinned.len())?;
        Ok(self.encode(Some(self.method()), Some((mixed, pinned))))
    }

    /// Checks that there are as many documents as the list and the page have.
    fn check_counts(&self, mixed: usize, pinned: usize) -> Result<(), ReceiptError> {
        if mixed != self.mixed.len() {
            return Err(value(format!("{mixed} documents are named, but {} were mixed", self.mixed.len())));
        }
        let places = self.page.as_ref().map_or(0, |page| page.places().filter(Option::is_none).count());
        if pinned != places {
            return Err(value(format!("{places} places of the page are pinned, but {pinned} documents are named")));
        }
        Ok(())
    }

    /// As bytes, which name the method.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.encode_with_documents(Some(self.method()))
    }

    /// As bytes that do not name the method, for a store that keeps it once per version of an experiment.
    #[must_use]
    pub fn to_bytes_without_method(&self) -> Vec<u8> {
        self.encode_with_documents(None)
    }

    /// The receipt that [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    /// For damaged bytes, those of another format, and those that do not name the method.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ReceiptError> {
        Self::read(bytes, None)
    }

    /// The receipt that [`to_bytes_without_method`](Self::to_bytes_without_method) wrote; `method` is the name from the store.
    ///
    /// # Errors
    /// For damaged bytes, those of another format, and those of another method.
    pub fn from_bytes_of(bytes: &[u8], method: &str) -> Result<Self, ReceiptError> {
        Self::read(bytes, Some(method))
    }

    fn read(bytes: &[u8], method: Option<&str>) -> Result<Self, ReceiptError> {
        let parts = Parts::read(bytes)?;
        let mut receipt = Self::without_documents_of(&parts, method)?;
        if let Some(mixed) = parts.documents() {
            let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
            receipt.documents = Some(Documents { mixed: owned(mixed), pinned: owned(parts.pinned_documents()) });
            receipt.check_documents()?;
        }
        Ok(receipt)
    }

    /// The receipt of parts, without their documents: these stay where they are, and only their numbers are checked. `method`
    /// is the method's name, for parts that lack it.
    ///
    /// # Errors
    /// If the method is not known, or the parts do not agree.
    pub fn without_documents_of(parts: &Parts<'_>, method: Option<&str>) -> Result<Self, ReceiptError> {
        let version = parts.version().map(|(name, hash)| ExperimentVersion::from_parts(name, hash));
        let (page, propensity) = (parts.page().cloned(), parts.propensity());
        // The length of the list was checked as it was read.
        let receipt = Self { mixed: parts.mixed(method)?, version, page, propensity, documents: None };
        receipt.check_parts()?;
        if let Some(documents) = parts.documents() {
            receipt.check_counts(documents.len(), parts.pinned_documents().len())?;
        }
        Ok(receipt)
    }
}

fn value(message: impl Into<String>) -> ReceiptError {
    ReceiptError::new(ReceiptErrorKind::Value, message)
}

/// A text that occurs twice.
fn repeated_text<T: AsRef<str>>(texts: &[T]) -> Option<&str> {
    let mut sorted: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}
