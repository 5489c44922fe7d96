//! Impressions that are open, and their credit.

use bandits::open::Ticket;
use interleave::receipt::{Receipt, ReceiptError};
use interleave::{AnyOutcome, Outcome as _, Page, Preference};

use super::super::config::Rules;
use super::super::event::{Choice, Outcome, Time};

/// An impression that is open.
#[derive(Debug, Clone)]
pub(super) struct Open {
    pub(super) unit: u64,
    pub(super) asked: Time,
    /// When its list was there.
    pub(super) listed: Option<Time>,
    pub(super) choice: Choice,
    /// With which the policy learns.
    pub(super) ticket: Option<Ticket>,
    /// Empty for a list that was not mixed.
    pub(super) receipt: Box<[u8]>,
    pub(super) page: Option<Page>,
    /// How many places the user has seen.
    pub(super) seen: u32,
    /// Positions of the mixed list that were clicked, each once, and when.
    pub(super) clicked: Vec<(u32, Time)>,
}

impl Open {
    /// Who won by the clicks so far. Clicks on what the page did not display do not count.
    ///
    /// # Errors
    /// If the receipt is not one of the method's, which no event of this crate has.
    pub(super) fn outcome(&self, rules: &Rules) -> Result<Outcome, ReceiptError> {
        if !self.choice.is_mixed() || self.receipt.is_empty() {
            return Ok(Outcome::Nothing);
        }
        let receipt = self.displayed(rules)?;
        let mixed = receipt.mixed().len();
        let clicked = self.clicked.iter().map(|(position, _)| *position as usize).filter(|position| *position < mixed);
        let places: Vec<usize> = match receipt.page() {
            Some(page) => {
                clicked.filter_map(|position| page.places().position(|place| place == Some(position))).collect()
            }
            None => clicked.collect(),
        };
        // The places are those of the page, and the method was parsed from the settings.
        let Ok(outcome) = receipt.outcome(&places) else { return Ok(Outcome::Nothing) };
        Ok(match outcome {
            AnyOutcome::Scores(scores) => Outcome::Scores(scores),
            pairs if !self.choice.is_set() => Outcome::Pair(pairs.preference(0, 1)),
            pairs => {
                let arms = self.choice.arms().len();
                let all = (0..arms).flat_map(|i| (i + 1..arms).map(move |j| (i, j)));
                Outcome::Pairs(all.map(|(i, j)| pairs.preference(i, j)).collect())
            }
        })
    }

    /// The receipt of what the page displayed and the user saw.
    pub(super) fn displayed(&self, rules: &Rules) -> Result<Receipt, ReceiptError> {
        let receipt = self.receipt(rules)?;
        let mixed = receipt.mixed().len();
        match &self.page {
            Some(page) => receipt.on_page(page.clone()),
            None if (self.seen as usize) < mixed => Ok(receipt.truncated(self.seen as usize)),
            None => Ok(receipt),
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

    /// Each pair of rankers that met, the lower number first, and who won it.
    pub(super) fn nets(&self, outcome: &Outcome) -> Vec<((u32, u32), i8)> {
        if *outcome == Outcome::Nothing {
            return Vec::new();
        }
        let arms = self.choice.arms();
        let mut nets = Vec::with_capacity(arms.len() * (arms.len() - 1) / 2);
        for i in 0..arms.len() {
            for j in i + 1..arms.len() {
                let net = match outcome.preference(i, j, arms.len()) {
                    Preference::First => 1,
                    Preference::Second => -1,
                    Preference::Tie => 0,
                };
                nets.push(if arms[i] < arms[j] { ((arms[i], arms[j]), net) } else { ((arms[j], arms[i]), -net) });
            }
        }
        nets
    }
}
