//! Competitive pairs: team draft in which rankers add documents two at a time, and neither owns a document that both would add next.
//! The ranker with more clicks on its own documents wins.
//!
//! **Draw.** A coin chooses which ranker adds first. As long as both rankers have a document that is not shown yet: where their best ones
//! differ, both are added in the order of the coin, as a pair; where they are the same, it is added once, and neither owns it. Once one
//! of them has nothing more to add, neither owns the rest.
//!
//! **Credit.** A ranker's score is the number of clicked documents it added.
//!
//! ## References
//!
//! - Q. Zhang et al. *Harnessing the Power of Interleaving and Counterfactual Evaluation for Airbnb Search Ranking.* KDD 2025,
//!   Algorithm 1. <https://arxiv.org/abs/2508.00751>
//!
//! ## Notes
//!
//! - Unbiased under clicks that depend on positions alone, at any length: the coin decides which ranker has the upper place of every pair.
//!   A page may end between the two documents of a pair; the upper one is its ranker's, and is either one's with the same probability.
//! - One coin for the whole list, as in the paper, has two lists for each search; a coin for each pair ([`CoinPer::Round`]) has
//!   more. What a place is worth to a ranker is the same in both, and so is the mean of its credit, but not the variance.
//! - A coin for each pair is team draft wherever the rankers' best documents differ.
//! - The paper's list ends where the shorter list does. Here the page is filled, because users would miss the rest, and clicks there
//!   say nothing about the rankers.
//! - Tied documents are ordered at random, for each ranker in each impression.

use std::fmt;
use std::str::FromStr;

use crate::credit::check_clicks;
use crate::name::{Name, NameError, NamedMethod, Ownership, setting_unless_default};
use crate::random::below;
use crate::support::pack::{Pack, Reader, Writer};
use crate::support::read_list::read;
use crate::support::revealed_top::{DocSet, best};
use crate::support::tie_keys::TieKeys;
use crate::support::{pages_by_clicks, receipt_len};
use crate::{CreditError, Doc, Examination, Generator, Interleaving, Preference, RankedList};

/// How often the coin for the ranker that adds first is tossed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CoinPer {
    /// Tossed once for the list: the paper's rule.
    #[default]
    Search,
    /// Tossed once for each pair.
    Round,
}

impl fmt::Display for CoinPer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Search => "search",
            Self::Round => "round",
        })
    }
}

impl FromStr for CoinPer {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        [Self::Search, Self::Round].into_iter().find(|coin| coin.to_string() == text).ok_or(())
    }
}

/// Buffers of the draft, and its list.
#[derive(Debug, Clone, Default)]
pub struct CompetitivePairsScratch {
    keys: Option<TieKeys>,
    shown: DocSet,
    /// By ranker: all documents above this rank are shown.
    tops: [u16; 2],
    length: usize,
    /// Which ranker adds first.
    first: usize,
    /// The lower document of a pair, and who adds it.
    waiting: Option<(Doc, usize)>,
}

impl CompetitivePairsScratch {
    fn start(&mut self, length: usize, generator: &mut Generator) {
        self.keys = Some(TieKeys::new(generator));
        self.shown.clear();
        self.tops = [0; 2];
        self.length = length;
        self.first = below(2, generator);
        self.waiting = None;
    }

    /// The next document and its owner.
    #[inline]
    fn next(
        &mut self,
        lists: [RankedList<'_>; 2],
        coin: CoinPer,
        generator: &mut Generator,
    ) -> Option<(Doc, Option<usize>)> {
        let keys = self.keys?;
        if self.shown.as_slice().len() == self.length {
            return None;
        }
        if let Some((doc, owner)) = self.waiting.take() {
            self.shown.insert(doc);
            return Some((doc, Some(owner)));
        }
        let mut top = |ranker: usize| best(lists[ranker], || keys.ranker(ranker), &self.shown, &mut self.tops[ranker]);
        let (doc, owner) = match (top(0), top(1)) {
            (Some(of_first), Some(of_second)) if of_first != of_second => {
                let (next, first) = ([of_first, of_second], self.first);
                if coin == CoinPer::Round {
                    self.first = below(2, generator);
                }
                self.waiting = Some((next[1 - first], 1 - first));
                (next[first], Some(first))
            }
            (of_first, of_second) => (of_first.or(of_second)?, None),
        };
        self.shown.insert(doc);
        Some((doc, owner))
    }
}

/// Interleaving by competitive pairs; see the [module](self).
///
/// ```
/// use interleave::{CompetitivePairs, Doc, Generator, Interleaving, ListBuf};
/// use rand::SeedableRng;
///
/// let [a, b, c, d, e, f, g] = [0, 1, 2, 3, 4, 5, 6].map(Doc);
/// let [ours, theirs] = [[a, b, c, d, e], [b, c, a, f, g]].map(|list| ListBuf::strict(list).unwrap());
/// let method = CompetitivePairs::default();
/// let mut generator = Generator::seed_from_u64(42);
/// let (shown, receipt) = method.draw([ours.as_list(), theirs.as_list()], 5, &mut generator, &mut Default::default());
/// // Both would add `c` after `a` and `b`.
/// assert_eq!(shown, [a, b, c, d, f]);
/// assert_eq!(receipt.owners().collect::<Vec<_>>(), [Some(0), Some(1), None, Some(0), Some(1)]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CompetitivePairs {
    coin: CoinPer,
}

impl CompetitivePairs {
    /// With this coin.
    #[must_use]
    pub fn new(coin: CoinPer) -> Self {
        Self { coin }
    }

    /// How often the coin is tossed.
    #[must_use]
    pub fn coin(&self) -> CoinPer {
        self.coin
    }
}

/// The owner of each document shown. A plain value that serialises.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompetitivePairsReceipt {
    /// By position: 0 or 1; `None` where both would have added the document.
    pair_owners: Vec<Option<u8>>,
}

receipt_len!(CompetitivePairsReceipt, |receipt| receipt.pair_owners.len());

impl CompetitivePairsReceipt {
    /// The ranker that added each document, 0 or 1; `None` where neither owns it.
    pub fn owners(&self) -> impl ExactSizeIterator<Item = Option<usize>> + '_ {
        self.pair_owners.iter().map(|owner| owner.filter(|owner| *owner < 2).map(usize::from))
    }

    /// How many pairs the list has. One with only its upper document on the list does not count.
    #[must_use]
    pub fn pairs(&self) -> usize {
        self.owners().flatten().count() / 2
    }
}

impl Pack for CompetitivePairsReceipt {
    fn pack(&self, writer: &mut Writer) {
        writer.owners(&self.pair_owners);
    }

    fn unpack(reader: &mut Reader<'_>) -> Option<Self> {
        Some(Self { pair_owners: reader.owners()? })
    }

    fn owners(&self) -> Option<Vec<Option<usize>>> {
        Some(Self::owners(self).collect())
    }
}

impl NamedMethod for CompetitivePairs {
    const BASE: &'static str = "team-draft";
    const VARIANT: Option<&'static str> = Some("pairs");
    const NAMES: &'static [&'static str] = &["team-draft:pairs"];
    const SETTINGS: &'static [&'static str] = &["coin"];
    const ABOUT: (&'static str, &'static str, &'static str) = (
        "two documents at a time; neither ranker owns one that both would add next; `coin=search` (default) or `coin=round`",
        "Zhang 2025",
        "10.48550/arXiv.2508.00751",
    );
    const OWNERSHIP: Ownership = Ownership::Drafted;

    fn read(name: &mut Name<'_>) -> Result<Self, NameError> {
        Ok(Self::new(name.value("coin", "`search` or `round`")?.unwrap_or_default()))
    }

    fn settings(&self) -> Vec<String> {
        setting_unless_default("coin", self.coin, CoinPer::default()).into_iter().collect()
    }
}

impl Interleaving for CompetitivePairs {
    type Scratch = CompetitivePairsScratch;
    type Receipt = CompetitivePairsReceipt;

    fn name(&self) -> &'static str {
        Self::BASE
    }

    fn compare(
        &self,
        lists: [RankedList<'_>; 2],
        length: usize,
        generator: &mut Generator,
        scratch: &mut CompetitivePairsScratch,
        user: impl FnMut(Doc) -> Examination,
    ) -> Preference {
        let mut clicks = [0_usize; 2];
        scratch.start(length, generator);
        read(
            scratch,
            |scratch| scratch.next(lists, self.coin, generator),
            user,
            |_, owner| {
                if let Some(owner) = owner {
                    clicks[owner] += 1;
                }
            },
        );
        Preference::of(clicks[0].cmp(&clicks[1]))
    }

    fn draw(
        &self,
        lists: [RankedList<'_>; 2],
        length: usize,
        generator: &mut Generator,
        scratch: &mut CompetitivePairsScratch,
    ) -> (Vec<Doc>, CompetitivePairsReceipt) {
        let mut pair_owners = Vec::new();
        scratch.start(length, generator);
        while let Some((_, owner)) = scratch.next(lists, self.coin, generator) {
            pair_owners.push(owner.map(|owner| owner as u8));
        }
        (scratch.shown.as_slice().to_vec(), CompetitivePairsReceipt { pair_owners })
    }

    fn credit(&self, receipt: &CompetitivePairsReceipt, clicked: &[usize]) -> Result<Preference, CreditError> {
        let clicked = check_clicks(clicked, receipt.pair_owners.len())?;
        let clicks = |x| clicked.iter().filter(|&&n| receipt.pair_owners[n] == Some(x)).count();
        Ok(Preference::of(clicks(0).cmp(&clicks(1))))
    }

    pages_by_clicks!(Preference, prefix_stable: |_| true);

    fn may_grow(&self) -> bool {
        true
    }
}
