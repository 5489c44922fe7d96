//! Open impressions, and their credit.

use std::collections::VecDeque;

use bandits::open::Ticket;
use interleave::receipt::{MixedReceipt, Receipt, ReceiptError};
use interleave::{AnyOutcome, Outcome as _, Ownership, Page};
use verdicts::integrity::{Draw, PageClicks, PageRecord, Side};

use super::super::config::Rules;
use super::super::event::{Choice, Outcome, Time};
use super::clicks::EventOddities;

/// The impressions that are open, by their numbers, which are dense: a map would take twice the memory.
#[derive(Debug, Default)]
pub(super) struct OpenImpressions {
    /// The number of the first.
    first: u64,
    impressions: VecDeque<Option<Box<OpenImpression>>>,
    count: usize,
}

impl OpenImpressions {
    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn index_of(&self, impression: u64) -> Option<usize> {
        impression.checked_sub(self.first).and_then(|place| usize::try_from(place).ok())
    }

    pub(super) fn get(&self, impression: u64) -> Option<&OpenImpression> {
        self.impressions.get(self.index_of(impression)?)?.as_deref()
    }

    pub(super) fn get_mut(&mut self, impression: u64) -> Option<&mut OpenImpression> {
        let place = self.index_of(impression)?;
        self.impressions.get_mut(place)?.as_deref_mut()
    }

    /// Adds the next impression.
    pub(super) fn push(&mut self, impression: u64, open: OpenImpression) {
        if self.impressions.is_empty() {
            self.first = impression;
        }
        self.impressions.push_back(Some(Box::new(open)));
        self.count += 1;
    }

    pub(super) fn remove(&mut self, impression: u64) -> Option<OpenImpression> {
        let place = self.index_of(impression)?;
        let open = self.impressions.get_mut(place)?.take()?;
        self.count -= 1;
        while let Some(None) = self.impressions.front() {
            self.impressions.pop_front();
            self.first += 1;
        }
        Some(*open)
    }

    /// All of them with their numbers, in this order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &OpenImpression)> {
        (self.first..).zip(&self.impressions).filter_map(|(number, open)| Some((number, open.as_deref()?)))
    }

    /// These impressions, in the order of their numbers; `last` is the highest number that was ever given out.
    pub(super) fn restored(open: impl IntoIterator<Item = (u64, OpenImpression)>, last: u64) -> Self {
        let mut open_impressions = Self::default();
        for (impression, impression_state) in open {
            if open_impressions.impressions.is_empty() {
                open_impressions.first = impression;
            }
            // The impressions between were closed.
            while open_impressions.first + open_impressions.impressions.len() as u64 != impression {
                open_impressions.impressions.push_back(None);
            }
            open_impressions.push(impression, impression_state);
        }
        while !open_impressions.impressions.is_empty()
            && open_impressions.first + (open_impressions.impressions.len() as u64) <= last
        {
            open_impressions.impressions.push_back(None);
        }
        open_impressions
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut OpenImpression> {
        self.impressions.iter_mut().filter_map(|open| open.as_deref_mut())
    }
}

/// The result of an impression when it closes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Credit {
    pub(super) outcome: Outcome,
    /// The owners of the mixed documents, if the method has any.
    pub(super) owners: Option<Owners>,
}

impl Credit {
    /// This outcome, of no list that was mixed.
    pub(super) fn of(outcome: Outcome) -> Self {
        Self { outcome, owners: None }
    }
}

impl Default for Credit {
    fn default() -> Self {
        Self::of(Outcome::Nothing)
    }
}

/// The owner of each document of a mixed list, by the places of rankers in the impression.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Owners {
    pub(super) owners: Vec<Option<usize>>,
    /// Whether fair coins decided which ranker begins each round.
    is_draft: bool,
}

impl Owners {
    fn of(mixed: &MixedReceipt) -> Option<Self> {
        Some(Self { owners: mixed.owners()?, is_draft: mixed.ownership() == Ownership::Drafted })
    }
}

/// An impression that is open.
#[derive(Debug, Clone)]
pub(super) struct OpenImpression {
    pub(super) unit: u64,
    pub(super) asked: Time,
    /// The time when its lists had come.
    pub(super) listed_at: Option<Time>,
    /// When its window ends, in time without downtime.
    pub(super) due: i64,
    pub(super) choice: Choice,
    /// The ticket with which the policy learns the outcome.
    pub(super) ticket: Option<Ticket>,
    /// Empty for a list that was not mixed.
    pub(super) receipt: Box<[u8]>,
    pub(super) page: Option<Box<Page>>,
    /// The number of places that the user has seen.
    pub(super) seen: u32,
    /// Its oddities.
    pub(super) oddities: EventOddities,
    /// Positions of the mixed list that were clicked, each once, and when.
    pub(super) clicked: Vec<(u32, Time)>,
}

impl OpenImpression {
    /// Its credit by the clicks so far. Clicks on documents that the page did not display do not count.
    ///
    /// # Errors
    /// If the receipt is not one of the method's, which no event of this crate has.
    pub(super) fn credit(&self, rules: &Rules) -> Result<Credit, ReceiptError> {
        if !self.choice.is_mixed() || self.receipt.is_empty() {
            return Ok(Credit::default());
        }
        let receipt = self.displayed_receipt(rules)?;
        let owners = Owners::of(receipt.mixed());
        Ok(Credit { outcome: self.outcome(&receipt), owners })
    }

    fn outcome(&self, receipt: &Receipt) -> Outcome {
        let mixed = receipt.mixed().len();
        let clicked_positions =
            self.clicked.iter().map(|(position, _)| *position as usize).filter(|position| *position < mixed);
        let page_places: Vec<usize> = match receipt.page() {
            Some(page) => clicked_positions
                .filter_map(|position| page.places().position(|place| place == Some(position)))
                .collect(),
            None => clicked_positions.collect(),
        };
        // The places are those of the page, and the method was parsed from the settings.
        let Ok(outcome) = receipt.outcome(&page_places) else { return Outcome::Nothing };
        match outcome {
            AnyOutcome::Scores(scores) => Outcome::Scores(scores),
            pairs if !self.choice.is_set() => Outcome::Pair(pairs.preference(0, 1)),
            pairs => {
                let arms = self.choice.arms().len();
                let all = (0..arms).flat_map(|i| (i + 1..arms).map(move |j| (i, j)));
                Outcome::Pairs(all.map(|(i, j)| pairs.preference(i, j)).collect())
            }
        }
    }

    /// The clicks on documents of each of its rankers, by their places in the impression. Clicks on documents that the page did not
    /// display do not count.
    pub(super) fn clicks_by_ranker(&self, owners: &Owners) -> Vec<u16> {
        let mut clicks = vec![0_u16; self.choice.arms().len()];
        let is_displayed = |position: usize| {
            self.page.as_deref().is_none_or(|page| page.places().any(|place| place == Some(position)))
        };
        let clicked = self.clicked.iter().map(|(position, _)| *position as usize);
        for position in clicked.filter(|position| is_displayed(*position)) {
            let owner = owners.owners.get(position).copied().flatten();
            if let Some(clicks) = owner.and_then(|owner| clicks.get_mut(owner)) {
                *clicks = clicks.saturating_add(1);
            }
        }
        clicks
    }

    /// Its page records for each pair of its rankers, by their places in the experiment, the lower one first.
    pub(super) fn records(&self, owners: Option<&Owners>) -> impl Iterator<Item = ((u32, u32), PageRecord)> {
        let (is_lost, near_position) = self.oddities.lost_click();
        let near_position = near_position.and_then(|position| *owners?.owners.get(position)?);
        let (has_click, is_identical) = (is_lost || !self.clicked.is_empty(), self.oddities.is_identical());
        let arms = self.choice.arms();
        let all = (0..arms.len()).flat_map(move |i| (i + 1..arms.len()).map(move |j| (i, j)));
        all.filter(|&(i, j)| arms[i] != arms[j]).map(move |(i, j)| {
            let side = |owner: Option<usize>| Side::of(owner?, [i, j]);
            let draw = match owners {
                Some(Owners { owners: of, is_draft: true }) => Draw::from_owners(of.iter().map(|owner| side(*owner))),
                _ => Draw::default(),
            };
            let near_position = [Side::First, Side::Second].map(|one| side(near_position) == Some(one));
            let record = PageRecord {
                draw,
                clicks: PageClicks { any: has_click, lost: is_lost, near: near_position },
                is_identical,
            };
            if arms[i] < arms[j] { ((arms[i], arms[j]), record) } else { ((arms[j], arms[i]), record.swapped()) }
        })
    }

    /// The receipt of the displayed page, as far as the user saw it.
    pub(super) fn displayed_receipt(&self, rules: &Rules) -> Result<Receipt, ReceiptError> {
        let receipt = self.receipt(rules)?;
        let mixed = receipt.mixed().len();
        match &self.page {
            Some(page) => receipt.on_page(Page::clone(page)),
            None if (self.seen as usize) < mixed => Ok(receipt.truncated(self.seen as usize)),
            None => Ok(receipt),
        }
    }

    /// Whether the page displayed a position of the mixed list, and the user saw as far.
    pub(super) fn is_displayed(&self, position: usize) -> bool {
        match &self.page {
            Some(page) => page.places().any(|place| place == Some(position)),
            None => position < self.seen as usize,
        }
    }

    /// Whether a position of the mixed list was clicked.
    pub(super) fn is_clicked(&self, position: u32) -> bool {
        self.clicked.iter().any(|(clicked, _)| *clicked == position)
    }

    /// The receipt of the mixed list.
    pub(super) fn receipt(&self, rules: &Rules) -> Result<Receipt, ReceiptError> {
        let method = if self.choice.is_set() { rules.multileaving.to_string() } else { rules.interleaving.to_string() };
        Receipt::from_bytes_of(&self.receipt, &method)
    }
}
