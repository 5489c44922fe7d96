//! Pairwise preference multileaving (PPM): a click implies that some shown documents are worse than the clicked
//! one, and every ranker is credited for the pairs that it orders the same way, whether or not it contributed
//! to the list.
//!
//! **Draw.** At position i (from 1) any document that is not shown yet and in the top i of at least
//! one ranker, all equally likely; let D_i be their number.
//!
//! **Credit.** Clicks prefer clicked documents a to unclicked ones b (see [`PairRule`]). Let top(d) be
//! the best rank that any ranker gives d. A pair counts if both documents are shown at or below the
//! worse of top(a) and top(b), so that either could have stood in the other's place. It then adds
//! 1 / w to every ranker with a above b, where w, the product of 1 - 1 / D_i over positions i from
//! the better of the two tops to just above the worse one, is the probability that it could count.
//!
//! ## References
//!
//! - H. Oosterhuis, M. de Rijke. *Sensitive and scalable online evaluation with theoretical
//!   guarantees.* CIKM 2017. <https://doi.org/10.1145/3132847.3132895>
//! - H. Oosterhuis, the software PairwisePreferenceMultileave (the pairs of [`PairRule::Considered`]).
//! - M. P. Kato, the software interleaving (the pairs of [`PairRule::SkipAbove`]).
//!
//! ## Notes
//!
//! - Scores are in units of 2^-32 of a unit weight. Unlike in the author's software they are not divided by the
//!   number of pairs, which changes no preference.
//! - 1 / w is cut at 2^24, which a pair reaches with probability below 2^-24.
//! - A document that a ranker does not list is below all that it lists. Of two that it does not list it
//!   prefers neither, and earns half the weight of the pair.
//! - The document right below the last click is part of the list and of the credit, whether or not
//!   the user examined it.
//! - Tied documents are ordered at random, for each ranker in each impression; credit uses the order
//!   that made the list.

use std::cmp::Ordering;

use crate::credit::check_clicks;
use crate::name::{Name, NameError, NamedMethod, Ownership, setting_if};
use crate::random::below;
use crate::support::fixed_point::Credit;
use crate::support::pack::Pack;
use crate::support::read_list::read;
use crate::support::receipt_len;
use crate::support::revealed_top::{self, DocSet, RevealedTop};
use crate::support::tie_keys::TieKeys;
use crate::{CreditError, Doc, Examination, Generator, Multileaving, Page, RankedList};

/// The pairs of documents that clicks imply a preference for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PairRule {
    /// Every clicked document against every unclicked one down to the position below the last click:
    /// the rule of the author's software.
    #[default]
    Considered,
    /// Every clicked document against every unclicked one above it, and the one right below it if
    /// that is unclicked: the rule of mpkato's software.
    SkipAbove,
}

/// Pairwise preference multileaving; see the [module](self).
///
/// ```
/// use interleave::{Doc, Generator, ListBuf, Multileaving, PairwisePreference};
/// use rand::SeedableRng;
///
/// let lists = [[0, 1, 2], [0, 2, 1], [2, 1, 0]].map(|list| ListBuf::strict(list.map(Doc)).unwrap());
/// let lists: Vec<_> = lists.iter().map(ListBuf::as_list).collect();
/// let method = PairwisePreference::default();
/// let mut generator = Generator::seed_from_u64(1);
/// let (shown, receipt) = method.draw(&lists, 3, &mut generator, &mut Default::default());
/// // All documents clicked: no document is worse than another.
/// assert_eq!(method.credit(&receipt, &[0, 1, 2])?, [0, 0, 0]);
/// # Ok::<(), interleave::CreditError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PairwisePreference {
    pairs: PairRule,
}

/// One position of the list, as credit needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct ListPosition {
    /// The best 0-based rank that any ranker gives the document.
    top: u16,
    /// How many documents could have been shown here.
    choices: u16,
}

impl PairwisePreference {
    /// With these pairs.
    #[must_use]
    pub fn new(pairs: PairRule) -> Self {
        Self { pairs }
    }

    /// The pairs of documents that clicks imply a preference for.
    #[must_use]
    pub fn pairs(&self) -> PairRule {
        self.pairs
    }

    /// The pairs (clicked, unclicked) of positions that count, each with its weight. The `displayed` positions, ascending, are
    /// those that a user may have seen.
    fn counted_pairs(
        self,
        places: &[ListPosition],
        displayed: impl Iterator<Item = usize> + Clone,
        clicked: &[usize],
        pairs: &mut Vec<(usize, usize, Credit)>,
    ) {
        pairs.clear();
        let Some(&lowest) = clicked.last() else {
            return;
        };
        for &a in clicked {
            let last = match self.pairs {
                PairRule::Considered => lowest,
                PairRule::SkipAbove => a,
            };
            // Down to the one below.
            let above = displayed.clone().take_while(|b| *b <= last);
            let considered = above.chain(displayed.clone().find(|b| *b > last));
            let unclicked = considered.filter(|b| clicked.binary_search(b).is_err());
            for b in unclicked {
                let (top_a, top_b) = (places[a].top, places[b].top);
                let worse = usize::from(top_a.max(top_b));
                if a.min(b) >= worse {
                    let stretch = &places[usize::from(top_a.min(top_b))..worse];
                    let inverse: f64 = stretch
                        .iter()
                        .map(|place| f64::from(place.choices))
                        // At least two, or the better document would have been shown there.
                        .map(|choices| choices / (choices - 1.0).max(0.5))
                        .product();
                    pairs.push((a, b, Credit::of(inverse.min(f64::from(1 << 24)))));
                }
            }
        }
    }

    /// Every ranker's score.
    fn scores(
        self,
        receipt: &PairwisePreferenceReceipt,
        displayed: impl Iterator<Item = usize> + Clone,
        clicked: &[usize],
    ) -> Vec<u64> {
        let mut pairs = Vec::new();
        self.counted_pairs(&receipt.places, displayed, clicked, &mut pairs);
        let pair_score = |ranks: &Vec<u16>| {
            // Ranks that a damaged receipt lacks earn nothing.
            score(&pairs, |a, b| {
                let listed = |rank: &u16| (*rank != u16::MAX).then_some(*rank);
                Some(compare_ranks(ranks.get(a).map(listed)?, ranks.get(b).map(listed)?))
            })
        };
        receipt.orders.iter().map(pair_score).collect()
    }
}

/// Adds up the pairs for one ranker; `order` compares the ranks it gives two positions, `Less` for
/// the better.
fn score(pairs: &[(usize, usize, Credit)], order: impl Fn(usize, usize) -> Option<Ordering>) -> u64 {
    let mut sum = Credit::default();
    for &(a, b, worth) in pairs {
        match order(a, b) {
            Some(Ordering::Less) => {
                sum.add(worth);
                sum.add(worth);
            }
            Some(Ordering::Equal) => sum.add(worth),
            Some(Ordering::Greater) | None => {}
        }
    }
    // Twice the weight of the pairs, so that half of it is exact.
    sum.halved().score()
}

/// Buffers of [`PairwisePreference`].
#[derive(Debug, Clone, Default)]
pub struct PairwisePreferenceScratch {
    keys: Option<TieKeys>,
    revealed: Vec<RevealedTop>,
    seen: DocSet,
    /// Documents that may come next, and the best rank of each.
    choices: Vec<(Doc, u16)>,
    shown: Vec<Doc>,
    places: Vec<ListPosition>,
    clicked: Vec<usize>,
    pairs: Vec<(usize, usize, Credit)>,
    ranks: Vec<Option<(u16, u64)>>,
}

impl PairwisePreferenceScratch {
    fn start(&mut self, rankers: usize, generator: &mut Generator) {
        self.keys = Some(TieKeys::new(generator));
        self.revealed.iter_mut().for_each(RevealedTop::clear);
        self.revealed.resize_with(rankers, RevealedTop::default);
        self.seen.clear();
        self.choices.clear();
        self.shown.clear();
        self.places.clear();
        self.clicked.clear();
    }

    fn next(&mut self, lists: &[RankedList<'_>], length: usize, generator: &mut Generator) -> Option<Doc> {
        let keys = self.keys?;
        let position = self.shown.len();
        if position == length {
            return None;
        }
        for (x, (&list, revealed)) in lists.iter().zip(&mut self.revealed).enumerate() {
            if let Some(doc) = revealed.get(list, keys.ranker(x), length, position)
                && self.seen.insert(doc)
            {
                self.choices.push((doc, position as u16));
            }
        }
        if self.choices.is_empty() {
            return None;
        }
        let choices = self.choices.len() as u16;
        let chosen = below(self.choices.len(), generator);
        let (doc, top) = self.choices.swap_remove(chosen);
        self.places.push(ListPosition { top, choices });
        self.shown.push(doc);
        Some(doc)
    }
}

/// One ranker's order of the first documents shown: rank, and key within a tie group.
fn list_positions(
    list: RankedList<'_>,
    keys: TieKeys,
    ranker: usize,
    shown: &[Doc],
    ranks: &mut Vec<Option<(u16, u64)>>,
) {
    let keys = keys.ranker(ranker);
    ranks.clear();
    ranks.extend(shown.iter().map(|&doc| {
        let group = list.group(doc);
        match group.size() {
            0 => None,
            1 => Some((group.start, 0)),
            _ => Some((group.start, keys.key(doc))),
        }
    }));
}

/// Unlisted below all listed, and level with each other.
fn compare_ranks<T: Ord>(a: Option<T>, b: Option<T>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.cmp(&b),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

/// The alternatives at each position, and how every ranker orders the list. A plain value that serialises.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairwisePreferenceReceipt {
    places: Vec<ListPosition>,
    /// By ranker and position: the 0-based rank in its list; 65,535 where it is not listed.
    orders: Vec<Vec<u16>>,
}

receipt_len!(PairwisePreferenceReceipt, |receipt| receipt.places.len(), rankers receipt.orders.len());

impl Pack for PairwisePreferenceReceipt {}

impl NamedMethod for PairwisePreference {
    const BASE: &'static str = "pairwise-preference";
    const NAMES: &'static [&'static str] = &["pairwise-preference", "pairwise-preference:skip-above"];
    const SETTINGS: &'static [&'static str] = &["considered", "skip-above"];
    const ABOUT: (&'static str, &'static str, &'static str) =
        ("`skip-above`: the other rule for pairs", "Oosterhuis 2017", "10.1145/3132847.3132895");
    const OWNERSHIP: Ownership = Ownership::Shared;

    fn read(name: &mut Name<'_>) -> Result<Self, NameError> {
        Ok(Self::new(name.choice(&[("considered", PairRule::Considered), ("skip-above", PairRule::SkipAbove)])?))
    }

    fn settings(&self) -> Vec<String> {
        setting_if(self.pairs == PairRule::SkipAbove, "skip-above").into_iter().collect()
    }
}

impl Multileaving for PairwisePreference {
    type Scratch = PairwisePreferenceScratch;
    type Receipt = PairwisePreferenceReceipt;
    type Outcome = Vec<u64>;

    fn name(&self) -> &'static str {
        Self::BASE
    }

    fn compare(
        &self,
        lists: &[RankedList<'_>],
        length: usize,
        generator: &mut Generator,
        scratch: &mut PairwisePreferenceScratch,
        user: impl FnMut(Doc) -> Examination,
        scores: &mut Vec<u64>,
    ) -> bool {
        scores.clear();
        scratch.start(lists.len(), generator);
        read(
            scratch,
            |scratch| Some((scratch.next(lists, length, generator)?, ())),
            user,
            |scratch, ()| scratch.clicked.push(scratch.shown.len() - 1),
        );
        let (Some(&lowest), Some(keys)) = (scratch.clicked.last(), scratch.keys) else {
            scores.resize(lists.len(), 0);
            return false;
        };
        if lowest + 1 == scratch.shown.len() {
            // Not examined, but shown.
            scratch.next(lists, length, generator);
        }
        let PairwisePreferenceScratch { places, clicked, pairs, ranks, shown, .. } = scratch;
        self.counted_pairs(places, 0..places.len(), clicked, pairs);
        let considered = &shown[..shown.len().min(lowest + 2)];
        scores.extend(lists.iter().enumerate().map(|(x, &list)| {
            list_positions(list, keys, x, considered, ranks);
            score(pairs, |a, b| Some(compare_ranks(ranks[a], ranks[b])))
        }));
        true
    }

    fn draw(
        &self,
        lists: &[RankedList<'_>],
        length: usize,
        generator: &mut Generator,
        scratch: &mut PairwisePreferenceScratch,
    ) -> (Vec<Doc>, PairwisePreferenceReceipt) {
        scratch.start(lists.len(), generator);
        while scratch.next(lists, length, generator).is_some() {}
        let keys = scratch.keys.unwrap_or_else(|| TieKeys::from_seed(0));
        let order = |(x, &list): (usize, &RankedList<'_>)| {
            let rank = |&doc| revealed_top::rank(list, keys.ranker(x), doc);
            let ranks = scratch.shown.iter().map(rank);
            ranks.map(|rank| rank.map_or(u16::MAX, |rank| rank as u16)).collect()
        };
        let orders = lists.iter().enumerate().map(order).collect();
        let places = scratch.places.clone();
        (scratch.shown.clone(), PairwisePreferenceReceipt { places, orders })
    }

    fn credit(&self, receipt: &PairwisePreferenceReceipt, clicked: &[usize]) -> Result<Vec<u64>, CreditError> {
        let clicked = check_clicks(clicked, receipt.places.len())?;
        Ok(self.scores(receipt, 0..receipt.places.len(), &clicked))
    }

    fn is_prefix_stable(&self) -> bool {
        true
    }

    fn may_grow(&self) -> bool {
        true
    }

    fn credit_page(
        &self,
        receipt: &PairwisePreferenceReceipt,
        page: &Page,
        clicked: &[usize],
    ) -> Result<Vec<u64>, CreditError> {
        let clicked = page.clicked_positions(clicked, receipt.len())?;
        let displayed: Vec<usize> = page.positions().collect();
        Ok(self.scores(receipt, displayed.iter().copied(), &clicked))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two rankers, a b c and b c a, shown b a c: choices {a, b}, {a, c}, {c}; tops 0, 0 and 1.
    #[test]
    fn by_hand() {
        let place = |top, choices| ListPosition { top, choices };
        let receipt = PairwisePreferenceReceipt {
            places: vec![place(0, 2), place(0, 2), place(1, 1)],
            orders: vec![vec![1, 0, 2], vec![0, 2, 1]],
        };
        let unit = 1 << 32;
        let credit = |rule, clicks: &[usize]| PairwisePreference::new(rule).credit(&receipt, clicks).unwrap();
        use PairRule::{Considered, SkipAbove};
        for rule in [Considered, SkipAbove] {
            // b clicked: b above a, both at or below rank 0; weight 1. The second ranker agrees.
            assert_eq!(credit(rule, &[0]), [0, unit]);
            // a: above b (weight 1, the first agrees); above c, which needs rank 1: both are there.
            // Its weight is 1 - 1/2 for position 0, so it adds 2 to the first.
            assert_eq!(credit(rule, &[1]), [3 * unit, 0]);
            // c: above b does not count, since b stands above rank 1; above a adds 2 to the second.
            assert_eq!(credit(rule, &[2]), [0, 2 * unit]);
        }
        // a and c: a above b only (c above b does not count, a and c are both clicked).
        assert_eq!(credit(SkipAbove, &[1, 2]), [unit, 0]);
        assert_eq!(credit(SkipAbove, &[]), [0, 0]);
    }

    /// Clicks on 0 and 3 of five: the author's rule adds 0 against 2 and against 4.
    #[test]
    fn rules_differ() {
        let place = ListPosition { top: 0, choices: 5 };
        let pairs = |rule| {
            let mut pairs = Vec::new();
            PairwisePreference::new(rule).counted_pairs(&[place; 6], 0..6, &[0, 3], &mut pairs);
            pairs.into_iter().map(|(a, b, _)| (a, b)).collect::<Vec<_>>()
        };
        assert_eq!(pairs(PairRule::SkipAbove), [(0, 1), (3, 1), (3, 2), (3, 4)]);
        assert_eq!(pairs(PairRule::Considered), [(0, 1), (0, 2), (0, 4), (3, 1), (3, 2), (3, 4)]);
    }
}
