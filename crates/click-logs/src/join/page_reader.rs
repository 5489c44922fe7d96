//! Reads an impression's page for the pairs of its rankers: coins and clicks, beside who won.

use interleave::receipt::MixedReceipt;
use interleave::{Ownership, Page};
use verdicts::amounts::SideClicks;
use verdicts::draft;
use verdicts::integrity::{Draw, PageClicks, PageRecord, Side};

use super::record::ImpressionRecord;
use crate::model::{Lineup, NO_TEAM, Scheme, SingleRanker, read_credit};

/// The clicks in the window of an impression.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClickedDocuments {
    /// There is one.
    pub(super) any: bool,
    /// There is one on a document that was not shown.
    pub(super) lost: bool,
    /// The first 64 positions on which clicks are but for how the id is written.
    pub(super) near: u64,
}

/// A stored impression, read for its coins. Its buffers are reused for all impressions.
#[derive(Debug, Default)]
pub(super) struct PageReader {
    coins: Coins,
    /// The displayed page, if it differs from the list as mixed.
    page: Option<Page>,
    /// Whether the owners of documents are known.
    are_known: bool,
    /// By document that was mixed: its owner.
    owners: Vec<u8>,
    /// By ranker of the lineup: clicks on its documents; empty if owners are not known.
    clicks_of: Vec<u16>,
    /// By document that was mixed: the ranks that two rankers give it.
    ranks: Vec<[Option<u16>; 2]>,
    clicks: PageClicks,
    /// Owners of documents on which clicks are but for how their ids are written.
    near: Vec<u8>,
}

/// Where coins are seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Coins {
    #[default]
    Nowhere,
    Owners,
    Ranks,
}

impl PageReader {
    /// Reads an impression with these clicks; `credit` is its stored teams or receipt, `positions` are the clicked places of the page,
    /// each once.
    pub(super) fn read(
        &mut self,
        lineup: &Lineup,
        record: ImpressionRecord<'_>,
        credit: &[u8],
        positions: &[usize],
        clicked: ClickedDocuments,
    ) -> Result<(), String> {
        self.coins = Coins::Nowhere;
        self.owners.clear();
        self.clicks_of.clear();
        self.near.clear();
        (self.page, self.are_known) = (None, false);
        match &lineup.scheme {
            Scheme::Teams => {
                self.owners.extend_from_slice(&credit[..record.shown_count().min(credit.len())]);
                self.are_known = true;
                // Teams are those of the page: they cover what was mixed only if the page displays it unchanged.
                if record.oddities().are_none() && !self.owners.contains(&NO_TEAM) {
                    self.coins = Coins::Owners;
                }
            }
            scheme if ownership(scheme) != Ownership::Shared => {
                let (displayed_page, _, body) = read_credit(credit).ok_or("what is kept of a receipt is damaged")?;
                let mixed_list =
                    MixedReceipt::from_body(body, matches!(scheme, Scheme::Multileaving(_)), &lineup.method)
                        .map_err(|error| error.to_string())?;
                if let Some(owners) = mixed_list.owners() {
                    self.owners.extend(owners.into_iter().map(|owner| owner.map_or(NO_TEAM, |owner| owner as u8)));
                    self.are_known = true;
                    if ownership(scheme).has_coins() {
                        self.coins = Coins::Owners;
                    }
                } else if let Some(ranks) = mixed_list.ranks() {
                    self.ranks = ranks;
                    self.coins = Coins::Ranks;
                }
                self.page = displayed_page;
            }
            _ => {}
        }
        let position_in_mix = |place: usize| mixed_position(self.page.as_ref(), place);
        if self.are_known {
            // In a log with teams, documents may name only one of two rankers.
            self.clicks_of.resize(lineup.rankers.len().max(2), 0);
            for owner in positions.iter().filter_map(|place| self.owners.get(position_in_mix(*place)?)) {
                if let Some(clicks) = self.clicks_of.get_mut(usize::from(*owner)) {
                    *clicks = clicks.saturating_add(1);
                }
            }
        }
        let near = (0..64).filter(|place| clicked.near >> place & 1 == 1).filter_map(position_in_mix);
        self.near.extend(near.filter_map(|at| self.owners.get(at)).filter(|owner| **owner != NO_TEAM));
        self.clicks = PageClicks { any: clicked.any, lost: clicked.lost, near: [false; 2] };
        Ok(())
    }

    /// How many of its places have coins that give an advantage: those of whole rounds within the first `places`. None if the list is
    /// shorter, or if a place has no owner and may have been moved. Neither depends on a coin.
    ///
    /// # Errors
    /// If its method tosses no coins for its places, its teams are not those of a list as mixed, or a ranker had no document left.
    pub(super) fn drafted_places(
        &self,
        lineup: &Lineup,
        record: ImpressionRecord<'_>,
        places: u16,
    ) -> Result<usize, &'static str> {
        let places = usize::from(places);
        match (&lineup.scheme, self.coins) {
            (Scheme::Teams, _) if lineup.alone == SingleRanker::Yes => return Ok(0),
            (Scheme::Teams, _) if record.oddities().has_left_out || record.oddities().is_moved => {
                return Err(MOVED_LISTS);
            }
            (Scheme::Teams, Coins::Nowhere) => return Ok(0),
            (_, Coins::Owners) => {}
            _ => return Err(NO_COINS),
        }
        let Some(owners) = self.owners.get(..places) else { return Ok(0) };
        draft::whole_rounds(owners.iter().copied().map(known_owner), lineup.rankers.len().max(2))
            .ok_or(NO_DOCUMENTS_LEFT)
    }

    /// The advantage that the coins of that number of [places](Self::drafted_places) give the first of a pair of its rankers.
    pub(super) fn advantage(&self, places: usize, i: u8, j: u8) -> i16 {
        draft::advantage(
            self.owners[..places].iter().map(|&owner| known_owner(owner).and_then(|owner| Side::of(owner, [i, j]))),
        )
    }

    /// The owner of the document at a place of the page, [`NO_TEAM`] if it has none; `None` if owners are not known.
    pub(super) fn owner(&self, place: usize) -> Option<u8> {
        let owner = mixed_position(self.page.as_ref(), place).and_then(|at| self.owners.get(at).copied());
        self.are_known.then(|| owner.unwrap_or(NO_TEAM))
    }

    /// The clicks on documents of each of a pair of its rankers, if owners are known; an unknown ranker has none.
    pub(super) fn sides(&self, i: u8, j: u8) -> Option<SideClicks> {
        let of = |ranker: u8| self.clicks_of.get(usize::from(ranker)).copied().unwrap_or(0);
        (!self.clicks_of.is_empty()).then(|| SideClicks([of(i), of(j)]))
    }

    /// What it shows of a pair of its rankers, given by their places in the lineup.
    pub(super) fn pair_record(&self, i: u8, j: u8) -> PageRecord {
        let draw = match self.coins {
            Coins::Nowhere => Draw::default(),
            Coins::Owners => Draw::from_owners(self.owners.iter().map(|&owner| Side::of(owner, [i, j]))),
            Coins::Ranks => Draw::from_ranks(&self.ranks),
        };
        let near = [i, j].map(|ranker| self.near.contains(&ranker));
        PageRecord { draw, clicks: PageClicks { near, ..self.clicks }, is_identical: false }
    }
}

const NO_COINS: &str = "--draft-covariate takes lists that were mixed by team-draft or team-draft:pairs; leave it out";
const MOVED_LISTS: &str = "--draft-covariate takes lists as they were mixed, and teams of some page are those of a list of which documents were left out or \
                     moved; log receipts, or leave it out";
const NO_DOCUMENTS_LEFT: &str = "--draft-covariate takes rankers that have as many documents as it has places, and in some list a ranker had none left; \
                         take fewer places, or leave it out";

/// The ranker that owns a document, if any does.
fn known_owner(owner: u8) -> Option<u8> {
    (owner != NO_TEAM).then_some(owner)
}

/// Which document of those that were mixed a place of the page has.
fn mixed_position(page: Option<&Page>, place: usize) -> Option<usize> {
    match page {
        Some(page) => page.places().nth(place).flatten(),
        None => Some(place),
    }
}

/// The owners that receipts of lists of this kind name.
fn ownership(scheme: &Scheme) -> Ownership {
    match scheme {
        Scheme::Teams => Ownership::Drafted,
        Scheme::Interleaving(method) => method.ownership(),
        Scheme::Multileaving(method) => method.ownership(),
    }
}
