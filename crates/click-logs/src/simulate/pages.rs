//! Pages: what they display of a mixed list, and how far their users read.

use clicks::{CompiledClickModel, User};
use interleave::{AnyInterleavingReceipt, Generator, Interleaving, Page, Preference, RankedList};
use rand::RngExt;

use super::SimulationSettings;
use super::query_pool::QueryPool;

/// The document of an advertisement: those of queries have smaller numbers.
pub(super) const ADVERTISEMENT: u16 = 1000;
/// The place of an advertisement, from 0.
const ADVERTISEMENT_PLACE: usize = 1;
/// The share of users who turn a page when they see its end.
const PAGE_TURN_SHARE: f64 = 0.4;

/// A mixed list, the page displayed of it, and its clicks.
pub(super) struct DisplayedPage {
    pub(super) mixed: Vec<u16>,
    pub(super) shown: Vec<u16>,
    pub(super) page: Page,
    /// The number of places that the user saw: whole pages.
    pub(super) seen: usize,
    /// The places clicked that count.
    clicked: Vec<usize>,
}

impl DisplayedPage {
    /// Mixes `lists` for all pages, leaves documents out, adds an advertisement, and lets a user read; `click` takes each
    /// document clicked and returns whether that click counts.
    #[expect(clippy::too_many_arguments, reason = "an impression and three streams of chance")]
    pub(super) fn read(
        simulation: &SimulationSettings,
        query_pool: &QueryPool,
        (query, taste): (usize, f64),
        lists: [RankedList<'_>; 2],
        draws: &mut Generator,
        luck: &mut Generator,
        chance: &mut Generator,
        mut click: impl FnMut(u16, &mut Generator) -> bool,
    ) -> (Self, AnyInterleavingReceipt) {
        let (mixed_documents, receipt) =
            simulation.method.draw(lists, simulation.depth(), draws, &mut Default::default());
        let mixed_documents: Vec<u16> = mixed_documents.into_iter().map(|doc| doc.index() as u16).collect();
        let mut page_places: Vec<Option<usize>> =
            (0..mixed_documents.len()).filter(|_| chance.random::<f64>() >= simulation.left_out).map(Some).collect();
        if page_places.is_empty() {
            // No page is empty.
            page_places.extend(mixed_documents.first().map(|_| Some(0)));
        }
        if chance.random::<f64>() < simulation.pinned {
            page_places.insert(ADVERTISEMENT_PLACE.min(page_places.len()), None);
        }
        page_places.truncate(simulation.depth());
        let shown_documents: Vec<u16> =
            page_places.iter().map(|page_place| page_place.map_or(ADVERTISEMENT, |at| mixed_documents[at])).collect();
        let page = Page::new(page_places).expect("in the order of the list");
        let (mut seen_places, mut clicked_places) = (0, Vec::new());
        let mut reader = query_pool.model.user();
        for (page_place, &document) in shown_documents.iter().enumerate() {
            if page_place == seen_places {
                if page_place > 0 && chance.random::<f64>() >= PAGE_TURN_SHARE {
                    break;
                }
                seen_places = shown_documents.len().min(seen_places + simulation.shown);
            }
            // An advertisement looks like the first document of the query.
            let graded_document = if document == ADVERTISEMENT { 0 } else { usize::from(document) };
            let read = reader.examine(query_pool.grade(query, graded_document, taste), luck);
            if read.clicked && click(document, chance) {
                clicked_places.push(page_place);
            }
            if read.abandons {
                break;
            }
        }
        (
            Self { mixed: mixed_documents, shown: shown_documents, page, seen: seen_places, clicked: clicked_places },
            receipt,
        )
    }

    /// The positions in the mixed list of the documents with clicks that count.
    pub(super) fn clicked_positions(&self) -> impl Iterator<Item = usize> {
        let mixed_at = |place: &usize| self.page.places().nth(*place).flatten();
        self.clicked.iter().filter_map(mixed_at)
    }

    /// The winner, by the method alone.
    pub(super) fn winner(&self, simulation: &SimulationSettings, receipt: &AnyInterleavingReceipt) -> Preference {
        let seen = self.page.truncated(self.seen);
        simulation.method.credit_page(receipt, &seen, &self.clicked).expect("a page of a method that serves several")
    }
}
