//! Receipts as logs have them: reads and checks them, and converts them to one form.

use std::str::FromStr;

use interleave::receipt::{self, MixedReceipt, Parts, Receipt};
use interleave::{
    AnyInterleaving, AnyInterleavingReceipt, AnyMultileaving, AnyMultileavingReceipt, CreditError, Interleaving,
    Multileaving, Page,
};

/// A receipt that was read, in borrowed parts.
#[derive(Debug)]
pub(crate) struct ReceiptRef<'a> {
    /// The method's own part.
    pub(crate) body: &'a [u8],
    /// The full name of the method.
    pub(crate) method: &'a str,
    /// Whether the method mixes exactly two rankers; otherwise any number.
    pub(crate) is_two: bool,
    /// The number of documents mixed.
    pub(crate) length: usize,
    /// The page that it keeps.
    pub(crate) page: Option<&'a Page>,
    /// The documents that were mixed, and those of the page that no ranker owns, if it keeps documents.
    pub(crate) documents: Option<[Vec<&'a str>; 2]>,
    /// The experiment and the hash of its version.
    pub(crate) version: Option<(&'a str, u64)>,
    mixed: &'a MixedReceipt,
    methods: &'a Methods,
}

impl<'a> ReceiptRef<'a> {
    fn new(body: &'a [u8], documents: Option<[Vec<&'a str>; 2]>, receipt: &'a Receipt, methods: &'a Methods) -> Self {
        let mixed_list = receipt.mixed();
        Self {
            body,
            method: receipt.method(),
            is_two: matches!(mixed_list, MixedReceipt::Interleaving(_)),
            length: mixed_list.len(),
            page: receipt.page(),
            documents,
            version: receipt.version().map(|version| (version.experiment(), version.hash())),
            mixed: mixed_list,
            methods,
        }
    }

    /// The displayed documents, top down, if it keeps documents.
    pub(crate) fn shown(&self) -> Option<Vec<&str>> {
        let [mixed, pinned] = self.documents.as_ref()?;
        let Some(page) = self.page else { return Some(mixed.clone()) };
        let mut pinned = pinned.iter();
        page.places().map(|place| place.map_or_else(|| pinned.next(), |at| mixed.get(at)).copied()).collect()
    }

    /// Checks that its method credits clicks on a page.
    ///
    /// # Errors
    /// The reason if it does not.
    pub(crate) fn check_page(&self, page: &Page) -> Result<(), String> {
        self.methods.check(self.mixed, Some(page)).map_err(|error| error.to_string())
    }
}

/// The methods of the last receipts: the next one is nearly always of the same.
#[derive(Debug, Default)]
struct Methods {
    two: Option<(String, AnyInterleaving)>,
    many: Option<(String, AnyMultileaving)>,
}

impl Methods {
    /// Makes the method of a receipt one of the last.
    fn note(&mut self, mixed: &MixedReceipt) -> Result<(), String> {
        fn note<M: FromStr<Err: ToString>>(last: &mut Option<(String, M)>, name: &str) -> Result<(), String> {
            if last.as_ref().is_none_or(|(known, _)| known != name) {
                *last = Some((name.to_owned(), name.parse().map_err(|error: M::Err| error.to_string())?));
            }
            Ok(())
        }
        match mixed {
            MixedReceipt::Interleaving(receipt) => note(&mut self.two, receipt.method()),
            MixedReceipt::Multileaving(receipt) => note(&mut self.many, receipt.method()),
        }
    }

    /// Checks that the receipt, with the page if there is one, is valid for its method. The only click that a valid one refuses is
    /// one below every list, and testing that costs less than crediting no click.
    fn check(&self, mixed: &MixedReceipt, page: Option<&Page>) -> Result<(), CreditError> {
        const BELOW: [usize; 1] = [usize::MAX];
        let unknown = || CreditError::UnknownMethod { method: mixed.method().to_owned() };
        let credited = match mixed {
            MixedReceipt::Interleaving(receipt) => {
                let (_, method) = self.two.as_ref().ok_or_else(unknown)?;
                match page {
                    Some(page) => method.credit_page(receipt, page, &BELOW).map(drop),
                    None => method.credit(receipt, &BELOW).map(drop),
                }
            }
            MixedReceipt::Multileaving(receipt) => {
                let (_, method) = self.many.as_ref().ok_or_else(unknown)?;
                match page {
                    Some(page) => method.credit_page(receipt, page, &BELOW).map(drop),
                    None => method.credit(receipt, &BELOW).map(drop),
                }
            }
        };
        match credited {
            Err(CreditError::Position { .. }) => Ok(()),
            other => other,
        }
    }
}

/// Reads receipts. Its buffers serve all of them.
#[derive(Debug, Default)]
pub(crate) struct Receipts {
    methods: Methods,
    /// The last receipt.
    kept: Option<Receipt>,
    /// The method's own part of one that was a plain value, or JSON.
    body: Vec<u8>,
}

impl Receipts {
    /// The receipt in bytes, with or without documents.
    ///
    /// # Errors
    /// The reason if it is not a receipt.
    pub(crate) fn read<'a>(&'a mut self, bytes: &'a [u8]) -> Result<ReceiptRef<'a>, String> {
        let parts = match Parts::read(bytes) {
            Ok(parts) => parts,
            Err(error) => {
                let receipt = from_plain_value(bytes).ok_or_else(|| error.to_string())?;
                return self.of(receipt);
            }
        };
        let receipt = Receipt::without_documents_of(&parts, None).map_err(text)?;
        self.methods.note(receipt.mixed())?;
        self.methods.check(receipt.mixed(), None).map_err(text)?;
        let documents = parts.documents().map(|mixed| [mixed.to_vec(), parts.pinned_documents().to_vec()]);
        Ok(ReceiptRef::new(parts.body(), documents, self.kept.insert(receipt), &self.methods))
    }

    /// A receipt that was read already.
    ///
    /// # Errors
    /// If its method does not know it.
    pub(crate) fn of(&mut self, receipt: Receipt) -> Result<ReceiptRef<'_>, String> {
        self.methods.note(receipt.mixed())?;
        self.methods.check(receipt.mixed(), None).map_err(text)?;
        self.body = receipt.mixed().to_body();
        let receipt = self.kept.insert(receipt);
        let documents = receipt.documents().map(|documents| {
            [documents, receipt.pinned_documents()].map(|texts| texts.iter().map(String::as_str).collect::<Vec<_>>())
        });
        Ok(ReceiptRef::new(&self.body, documents, receipt, &self.methods))
    }
}

/// The receipt of any method that was written as a plain value.
fn from_plain_value(bytes: &[u8]) -> Option<Receipt> {
    let two = receipt::from_bytes::<AnyInterleavingReceipt>(bytes).map(Receipt::from);
    two.or_else(|_| receipt::from_bytes::<AnyMultileavingReceipt>(bytes).map(Receipt::from)).ok()
}

fn text(error: impl ToString) -> String {
    error.to_string()
}
