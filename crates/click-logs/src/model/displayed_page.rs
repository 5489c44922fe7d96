//! Finds what a page displayed of the list that was mixed for it, from the documents that a line names.

use std::collections::BTreeMap;

use interleave::{Page, receipt};
use ranktypes::text::excerpt;
use ranktypes::varint;

use super::MAX_SHOWN;
use super::receipts::ReceiptRef;

/// The documents that a line names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NamedDocuments<'a> {
    /// The displayed documents, top down.
    pub(crate) shown: &'a [&'a str],
    /// The mixed documents.
    pub(crate) mixed: Option<&'a [&'a str]>,
    /// Documents that others placed on the page.
    pub(crate) pinned: &'a [&'a str],
    /// The number of places that the user saw.
    pub(crate) paged: Option<u64>,
}

/// The displayed page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct DisplayedPage {
    /// The places; `None` if they are those of the mixed list.
    pub(crate) page: Option<Page>,
    /// The number of places that the user saw, if not all.
    pub(crate) paged: Option<usize>,
    /// What is unusual about it.
    pub(crate) oddities: Oddities,
}

/// Oddities of the page that an impression displayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Oddities {
    /// A place has no owner: its document was not mixed, or others placed it there.
    pub has_pinned: bool,
    /// A document that was mixed was left out above others that were displayed.
    pub has_left_out: bool,
    /// Documents are displayed in another order than they were mixed in.
    pub is_moved: bool,
}

impl Oddities {
    /// Whether the page displays the mixed list unchanged, from the top.
    #[must_use]
    pub fn are_none(self) -> bool {
        self == Self::default()
    }
}

/// Whether the documents of a page are in another order than in the mixed list.
fn is_moved(page: &Page) -> bool {
    !page.places().flatten().is_sorted()
}

/// Where documents are in a list.
struct Positions<'a> {
    list: &'a [&'a str],
    /// Only for long lists.
    places: BTreeMap<&'a str, usize>,
    next: usize,
}

/// Up to this many documents are compared one by one.
const MAX_SCANNED_DOCUMENTS: usize = 64;

impl<'a> Positions<'a> {
    /// The positions of a list's documents, if none occurs twice.
    fn of(list: &'a [&'a str], name: &str) -> Result<Self, String> {
        let mut positions_by_id = BTreeMap::new();
        let repeated_id = if list.len() > MAX_SCANNED_DOCUMENTS {
            let mut all = list.iter().enumerate();
            all.find_map(|(at, id)| positions_by_id.insert(*id, at).map(|_| *id))
        } else {
            (1..list.len()).find(|&at| list[..at].contains(&list[at])).map(|at| list[at])
        };
        match repeated_id {
            Some(id) => Err(format!("{name} has the document {} twice; log each document once", excerpt(id))),
            None => Ok(Self { list, places: positions_by_id, next: 0 }),
        }
    }

    fn position(&mut self, id: &str) -> Option<usize> {
        // Nearly always the next one.
        let place = if self.list.get(self.next) == Some(&id) {
            Some(self.next)
        } else if self.list.len() > MAX_SCANNED_DOCUMENTS {
            self.places.get(id).copied()
        } else {
            self.list.iter().position(|other| *other == id)
        };
        self.next = place.map_or(self.next, |at| at + 1);
        place
    }
}

impl NamedDocuments<'_> {
    /// Checks that need no list: how far the user saw, and that pinned documents are on the page.
    pub(crate) fn check(&self) -> Result<(), String> {
        let shown = self.shown.len();
        if let Some(paged) = self.paged.filter(|paged| *paged > shown as u64) {
            return Err(format!(
                "`paged` is {paged}, but {shown} documents were shown; expected how many of them the user saw, all pages together"
            ));
        }
        if self.pinned.len() > MAX_SHOWN || self.mixed.is_some_and(|mixed| mixed.len() > MAX_SHOWN) {
            return Err(format!("more than {MAX_SHOWN} documents in `mixed` or `pinned`; expected those of one list"));
        }
        if self.pinned.is_empty() {
            return Ok(());
        }
        let mut shown = Positions::of(self.shown, "`shown`")?;
        match self.pinned.iter().find(|id| shown.position(id).is_none()) {
            Some(id) => {
                let id = excerpt(id);
                Err(format!(
                    "`pinned` names {id}, which was not shown; name the documents of `shown` that others placed there"
                ))
            }
            None => Ok(()),
        }
    }

    /// Whether others placed each document.
    fn are_pinned(&self, documents_placed: &[&str]) -> Result<Vec<bool>, String> {
        let mut are_pinned = vec![false; self.shown.len()];
        if self.pinned.is_empty() && documents_placed.is_empty() {
            return Ok(are_pinned);
        }
        let mut shown = Positions::of(self.shown, "`shown`")?;
        for id in self.pinned.iter().chain(documents_placed) {
            if let Some(at) = shown.position(id) {
                are_pinned[at] = true;
            }
        }
        Ok(are_pinned)
    }

    /// The page displayed of the list `mixed_documents`, called `name`; `documents_placed` were pinned as well.
    fn of(&self, mixed_documents: &[&str], name: &str, documents_placed: &[&str]) -> Result<DisplayedPage, String> {
        let mut displayed_page = DisplayedPage { paged: self.seen_places(), ..DisplayedPage::default() };
        if self.pinned.is_empty() && documents_placed.is_empty() && mixed_documents.starts_with(self.shown) {
            displayed_page.page = (self.shown.len() < mixed_documents.len()).then(|| Page::first(self.shown.len()));
            return Ok(displayed_page);
        }
        let are_pinned = self.are_pinned(documents_placed)?;
        let mut positions = Positions::of(mixed_documents, name)?;
        let positions_found: Vec<Option<usize>> = self.shown.iter().map(|id| positions.position(id)).collect();
        if !self.shown.is_empty() && positions_found.iter().all(Option::is_none) && !are_pinned.iter().all(|is| *is) {
            return Err(format!(
                "no document of `shown` is in {name}, which has {} others, e.g. {}; log what was mixed for this page",
                mixed_documents.len(),
                excerpt(mixed_documents.first().copied().unwrap_or_default())
            ));
        }
        let places: Vec<Option<usize>> =
            positions_found.iter().zip(&are_pinned).map(|(place, is_pinned)| place.filter(|_| !is_pinned)).collect();
        let page = Page::new(places).map_err(|error| error.to_string())?;
        let displayed_above = positions_found.iter().flatten().filter(|at| **at < page.depth()).count();
        displayed_page.oddities = Oddities {
            has_pinned: page.places().any(|place| place.is_none()),
            has_left_out: displayed_above < page.depth(),
            is_moved: is_moved(&page),
        };
        displayed_page.page = Some(page);
        Ok(displayed_page)
    }

    /// The number of places that the user saw, if not all.
    fn seen_places(&self) -> Option<usize> {
        self.paged.map(|paged| paged as usize).filter(|paged| *paged < self.shown.len())
    }

    /// The page displayed of a list, given as many owners as documents mixed, or as documents shown.
    ///
    /// # Errors
    /// The reason if they do not fit.
    pub(crate) fn page_of_teams(&self, teams: usize) -> Result<DisplayedPage, String> {
        self.check()?;
        let shown = self.shown.len();
        match self.mixed {
            Some(mixed) if mixed.len() != teams => Err(format!(
                "{teams} teams for {} documents in `mixed`; expected one per document, as drawn",
                mixed.len()
            )),
            Some(mixed) => self.of(mixed, "`mixed`", &[]),
            None if teams != shown => {
                Err(format!("{teams} teams for {shown} documents shown; expected one per document"))
            }
            None if self.pinned.is_empty() => Ok(DisplayedPage::default()),
            None => {
                let places = self.are_pinned(&[])?.into_iter().enumerate().map(|(at, is)| (!is).then_some(at));
                let page = Page::new(places).map_err(|error| error.to_string())?;
                let oddities = Oddities { has_pinned: true, ..Oddities::default() };
                Ok(DisplayedPage { page: Some(page), paged: None, oddities })
            }
        }
    }

    /// The page displayed of the list of a receipt.
    ///
    /// # Errors
    /// The reason if they do not fit.
    pub(crate) fn page_of_receipt(&self, receipt: &ReceiptRef<'_>) -> Result<DisplayedPage, String> {
        self.check()?;
        let documents = match (&receipt.documents, self.mixed) {
            (Some([kept, _]), Some(mixed)) if kept != mixed => {
                return Err("`mixed` and the documents in the receipt differ; leave `mixed` out".to_owned());
            }
            (Some([kept, pinned]), _) => Some((kept.as_slice(), "the receipt", pinned.as_slice())),
            (None, Some(mixed)) if mixed.len() != receipt.length => {
                return Err(format!(
                    "the receipt is of a list of {} documents, but `mixed` names {}; log all that were drawn, in their order",
                    receipt.length,
                    mixed.len()
                ));
            }
            (None, Some(mixed)) => Some((mixed, "`mixed`", &[][..])),
            (None, None) => None,
        };
        let displayed = match documents {
            Some((mixed, name, pinned)) => self.checked_page(self.of(mixed, name, pinned)?, receipt.page)?,
            None => self.without_documents(receipt)?,
        };
        if displayed.page.is_some() || displayed.paged.is_some() {
            let shown = self.shown.len();
            let page = displayed.page.clone().unwrap_or_else(|| Page::first(shown));
            receipt.check_page(&page.truncated(displayed.paged.unwrap_or(shown)))?;
        }
        Ok(displayed)
    }

    /// The page found from the documents, if the receipt has the same page, or how far the user saw.
    fn checked_page(&self, page_found: DisplayedPage, receipt_page: Option<&Page>) -> Result<DisplayedPage, String> {
        let Some(receipt_page) = receipt_page else { return Ok(page_found) };
        let shown = self.shown.len();
        let page = page_found.page.clone().unwrap_or_else(|| Page::first(shown));
        if *receipt_page == page {
            return Ok(page_found);
        }
        let seen_places = receipt_page.len();
        if seen_places < shown && page.truncated(seen_places) == *receipt_page {
            return match self.paged {
                Some(paged) if paged != seen_places as u64 => Err(format!(
                    "`paged` is {paged}, but the page in the receipt ends after {seen_places} places; leave one of them out"
                )),
                _ => Ok(DisplayedPage { paged: Some(seen_places), ..page_found }),
            };
        }
        Err(format!(
            "the page in the receipt, which has {seen_places} places, is not that of the {shown} documents shown; leave `shown` out, or \
             log the receipt of this page"
        ))
    }

    /// The page displayed of a list without document ids: all of it, or the page in the receipt.
    fn without_documents(&self, receipt: &ReceiptRef<'_>) -> Result<DisplayedPage, String> {
        let (shown_count, mixed_count) = (self.shown.len(), receipt.length);
        let page_found = DisplayedPage { paged: self.seen_places(), ..DisplayedPage::default() };
        if receipt.page.is_none() && self.pinned.is_empty() && shown_count == mixed_count {
            return Ok(page_found);
        }
        if let Some(page) = receipt.page {
            if page.len() != shown_count {
                return Err(format!(
                    "the page in the receipt has {} places, but {shown_count} documents were shown; log the receipt of this page",
                    page.len()
                ));
            }
            let are_pinned = self.are_pinned(&[])?;
            let owned = page.places().zip(&are_pinned).position(|(place, is_pinned)| *is_pinned && place.is_some());
            if let Some(at) = owned {
                return Err(format!(
                    "`pinned` names {}, but the page in the receipt has a document of the mixed list there; leave one of them out",
                    excerpt(self.shown[at])
                ));
            }
            let oddities = Oddities {
                has_pinned: page.places().any(|place| place.is_none()),
                has_left_out: page.positions().count() < page.depth(),
                is_moved: is_moved(page),
            };
            let is_all = page.is_beginning() && page.len() == mixed_count;
            return Ok(DisplayedPage { page: (!is_all).then(|| page.clone()), oddities, ..page_found });
        }
        let are_pinned = self.are_pinned(&[])?;
        let pinned = are_pinned.iter().filter(|is| **is).count();
        if shown_count - pinned != mixed_count {
            let longer = mixed_count > shown_count - pinned;
            return Err(match (pinned, longer) {
                (0, true) => format!(
                    "the receipt is of a longer list than the {shown_count} documents shown; log both together, or all that were drawn in \
                     `mixed`"
                ),
                (0, false) => format!(
                    "the receipt does not fit the list of {shown_count} documents: {mixed_count} were mixed; log what was drawn in `mixed`, and \
                     what others placed on the page in `pinned`"
                ),
                _ => format!(
                    "{shown_count} documents shown, {pinned} of them pinned, with a receipt of {mixed_count}; log all that were drawn in `mixed`"
                ),
            });
        }
        let mut next = 0..;
        let places = are_pinned.iter().map(|is_pinned| if *is_pinned { None } else { next.next() });
        let page = Page::new(places).map_err(|error| error.to_string())?;
        let oddities = Oddities { has_pinned: true, ..Oddities::default() };
        Ok(DisplayedPage { page: Some(page), oddities, ..page_found })
    }
}

/// Writes what credit needs of a receipt: how far the user saw and the page, if they are not those of the whole list, and the
/// method's own part.
pub(crate) fn write_credit(page: Option<&Page>, paged: Option<usize>, body: &[u8], bytes: &mut Vec<u8>) {
    // One more than how many places the user saw; 0 for all. No list is so long that it does not fit.
    varint::write(paged.map_or(0, |paged| paged as u64 + 1), bytes);
    bytes.push(page.is_some().into());
    if let Some(page) = page {
        receipt::write_page(page, bytes);
    }
    bytes.extend_from_slice(body);
}

/// Parses the result of [`write_credit`]: the page, how far the user saw, and the method's own part; `None` for other
/// bytes.
pub(crate) fn read_credit(bytes: &[u8]) -> Option<(Option<Page>, Option<usize>, &[u8])> {
    let (paged, rest) = varint::read(bytes)?;
    let paged = paged.checked_sub(1).map(|paged| paged as usize);
    match rest.split_first()? {
        (0, body) => Some((None, paged, body)),
        (_, rest) => receipt::read_page(rest).map(|(page, body)| (Some(page), paged, body)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credit_as_bytes_and_back() {
        let pages = [
            None,
            Some(Page::first(0)),
            Some(Page::first(300)),
            Some(Page::new([None, Some(0), None, Some(7), Some(400)]).unwrap()),
        ];
        for page in pages {
            for paged in [None, Some(0), Some(5), Some(1000)] {
                let mut bytes = Vec::new();
                write_credit(page.as_ref(), paged, &[7, 8], &mut bytes);
                assert_eq!(read_credit(&bytes), Some((page.clone(), paged, &[7, 8][..])));
            }
        }
        assert_eq!(read_credit(&[0x80]), None);
    }

    #[test]
    fn pages_are_found_by_documents() {
        let mixed = ["a", "b", "c", "d"];
        let of = |shown: &[&str], pinned: &[&str]| {
            NamedDocuments { shown, mixed: None, pinned, paged: None }.of(&mixed, "`mixed`", &[])
        };
        let odd = |has_pinned, has_left_out| Oddities { has_pinned, has_left_out, is_moved: false };
        for (shown, pinned, places, oddities) in [
            (&["a", "b"][..], &[][..], vec![Some(0), Some(1)], odd(false, false)),
            (&["ad", "a", "c"], &[], vec![None, Some(0), Some(2)], odd(true, true)),
            (&["a", "b", "c", "d", "ad"], &[], vec![Some(0), Some(1), Some(2), Some(3), None], odd(true, false)),
            // A document that was moved to the top was not left out.
            (&["c", "a", "b", "d"], &["c"], vec![None, Some(0), Some(1), Some(3)], odd(true, false)),
            (&["b"], &[], vec![Some(1)], odd(false, true)),
        ] {
            let found = of(shown, pinned).unwrap();
            assert_eq!(found.page, Some(Page::new(places).unwrap()), "{shown:?}");
            assert_eq!(found.oddities, oddities, "{shown:?}");
        }
        assert_eq!(of(&mixed, &[]).unwrap(), DisplayedPage::default());
        assert!(of(&["b", "a"], &[]).unwrap_err().contains("declare the document that was moved as pinned"));
        assert!(
            of(&["x", "y"], &[]).unwrap_err().starts_with("no document of `shown` is in `mixed`, which has 4 others")
        );
        assert!(of(&["x", "y"], &["x", "y"]).is_ok());
    }
}
