//! Sample-only-scored multileaving (SOSM): a drafted list, and for every ranker a score that depends only on how
//! it orders the documents of that list. One impression compares any number of rankers, whether or not they
//! contributed to the list.
//!
//! **Draw.** As in team-draft multileaving: one of the rankers with the fewest picks, each equally
//! likely, adds its best document that is not shown yet.
//!
//! **Credit.** Ranker x orders the shown documents by itself, giving document d the 1-based rank
//! r_x(d | list). Its score is the sum of r_x(d | list)^-tau over the clicked documents; the higher
//! score wins each pair.
//!
//! ## References
//!
//! - B. Brost, I. J. Cox, Y. Seldin, C. Lioma. *An improved multileaving algorithm for online ranker
//!   evaluation.* SIGIR 2016. <https://doi.org/10.1145/2911451.2914706>
//! - A. Schuth, F. Sietsma, S. Whiteson, D. Lefortier, M. de Rijke. *Multileaved comparisons for
//!   fast online evaluation.* CIKM 2014 (the draft). <https://doi.org/10.1145/2661829.2661952>
//!
//! ## Notes
//!
//! - No prefix common to all rankers is copied first, as some software does.
//! - The softmax over the list's ranks has the same denominator for every ranker, and is not computed.
//! - Scores are whole numbers (r^-tau in fixed point), so that rankers which give the clicked
//!   documents the same ranks, in whatever order, tie exactly.
//! - Tied documents are ordered at random, for each ranker in each impression, and the order that
//!   made the list is the one that scores.
//! - A ranker earns nothing for a document it does not list, and is passed over in the draft once it
//!   has nothing to add.

use crate::credit::check_clicks;
use crate::name::{Name, NameError, NamedMethod, Ownership, tau_unless_default};
use crate::support::draft::Draft;
use crate::support::pack::{Pack, Reader, Writer};
use crate::support::rank_weights::{TauError, Weights};
use crate::support::read_list::read_drawn;
use crate::support::receipt_len;
use crate::support::tie_keys::TieKeys;
use crate::{CreditError, Doc, Examination, Generator, Multileaving, Page, RankedList};

/// Sample-only-scored multileaving; see the [module](self).
///
/// ```
/// use interleave::{Doc, Generator, ListBuf, Multileaving, Sosm};
/// use rand::SeedableRng;
///
/// let lists = [[0, 1, 2, 3], [1, 3, 0, 2], [3, 2, 1, 0]];
/// let lists = lists.map(|list| ListBuf::strict(list.map(Doc)).unwrap());
/// let lists: Vec<_> = lists.iter().map(ListBuf::as_list).collect();
///
/// let method = Sosm::default();
/// let mut generator = Generator::seed_from_u64(7);
/// let (shown, receipt) = method.draw(&lists, 4, &mut generator, &mut Default::default());
/// let position = shown.iter().position(|&doc| doc == Doc(3)).unwrap();
/// let scores = method.credit(&receipt, &[position])?;
/// assert!(scores[2] > scores[1] && scores[1] > scores[0]);
/// # Ok::<(), interleave::CreditError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Sosm {
    weights: Weights,
}

impl Default for Sosm {
    /// With the papers' tau of 3.
    fn default() -> Self {
        Self { weights: Weights::usual() }
    }
}

impl Sosm {
    /// With another exponent.
    ///
    /// # Errors
    /// When `tau` is negative or not finite.
    pub fn with_tau(tau: f64) -> Result<Self, TauError> {
        Ok(Self { weights: Weights::new(tau)? })
    }

    /// The exponent of the scores.
    #[must_use]
    pub fn tau(&self) -> f64 {
        self.weights.tau()
    }
}

/// Buffers of [`Sosm`].
#[derive(Debug, Clone, Default)]
pub struct SosmScratch {
    draft: Draft,
    clicked: Vec<usize>,
    places: Vec<OrderKey>,
}

/// How every ranker orders the documents of one shown list.
///
/// A plain value that serialises.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SosmReceipt {
    length: usize,
    /// Ranker by ranker, and there position by position: the 0-based rank within the list;
    /// `u16::MAX` for a document that the ranker does not list.
    ranks: Vec<Vec<u16>>,
}

receipt_len!(SosmReceipt, |receipt| receipt.length, rankers receipt.ranks.len());

/// Ranks among so few documents take half a byte each; the largest value means unlisted.
const MAX_HALF_BYTE_RANKS: usize = 15;

impl Pack for SosmReceipt {
    fn pack(&self, writer: &mut Writer) {
        let Self { length, ranks } = self;
        writer.number(*length);
        writer.number(ranks.len());
        // Ranks that a receipt lacks earn nothing, as those of unlisted documents.
        let rank_or_unlisted = |row: &Vec<u16>, position: usize| row.get(position).copied().unwrap_or(u16::MAX);
        let all_ranks = ranks.iter().flat_map(|row| (0..*length).map(move |position| rank_or_unlisted(row, position)));
        if *length <= MAX_HALF_BYTE_RANKS {
            let half: Vec<u8> = all_ranks.map(|rank| usize::from(rank).min(MAX_HALF_BYTE_RANKS) as u8).collect();
            let bytes = half.chunks(2).map(|pair| pair[0] | pair.get(1).copied().unwrap_or(0) << 4);
            writer.bytes(&bytes.collect::<Vec<_>>());
        } else {
            all_ranks.for_each(|rank| writer.number(rank.wrapping_add(1).into()));
        }
    }

    fn unpack(reader: &mut Reader<'_>) -> Option<Self> {
        let (length, rankers) = (reader.number()?, reader.number()?);
        let count = length.checked_mul(rankers)?;
        // Without documents a row takes no byte.
        let is_there = count.div_ceil(2) <= reader.remaining().len() && rankers <= RankedList::MAX_LEN;
        let mut all = Vec::new();
        if !is_there {
            return None;
        } else if length <= MAX_HALF_BYTE_RANKS {
            let bytes = reader.take(count.div_ceil(2))?;
            let rank = |half: u8| if usize::from(half) == MAX_HALF_BYTE_RANKS { u16::MAX } else { half.into() };
            all.extend(bytes.iter().flat_map(|byte| [byte & 15, byte >> 4]).map(rank));
            // The rest of the last byte is empty.
            if all.get(count).is_some_and(|rest| *rest != 0) {
                return None;
            }
            all.truncate(count);
        } else {
            for _ in 0..count {
                all.push(u16::try_from(reader.number()?).ok()?.wrapping_sub(1));
            }
        }
        let ranks = (0..rankers).map(|row| all[row * length..(row + 1) * length].to_vec()).collect();
        Some(Self { length, ranks })
    }
}

/// The place of one shown document in one ranker's order, as a number to compare: the first rank of its
/// tie group in the upper 16 bits, then 48 of the key that orders the group; the largest number where
/// it is not listed. So all orders of tied documents are equally likely up to one part in 2^48.
type OrderKey = u64;

const UNLISTED: OrderKey = OrderKey::MAX;

/// Fills `places` with one ranker's places of the shown documents.
///
/// Keys are computed for documents without ties too: that costs less than branching on ties.
#[inline]
fn place(list: RankedList<'_>, ranker: usize, keys: TieKeys, shown: &[Doc], places: &mut Vec<OrderKey>) {
    let keys = keys.ranker(ranker);
    places.clear();
    places.extend(shown.iter().map(|&doc| {
        let key = keys.key(doc) >> 16;
        list.start(doc).map_or(UNLISTED, |start| u64::from(start) << 48 | key)
    }));
}

/// The 0-based rank of `position` among the `places`, `None` where the ranker does not list it.
#[inline]
fn rank(places: &[OrderKey], position: usize) -> Option<usize> {
    let here = places[position];
    (here != UNLISTED).then(|| places.iter().map(|&there| usize::from(there < here)).sum())
}

impl NamedMethod for Sosm {
    const BASE: &'static str = "sosm";
    const NAMES: &'static [&'static str] = &["sosm"];
    const SETTINGS: &'static [&'static str] = &["tau"];
    const ABOUT: (&'static str, &'static str, &'static str) = ("`tau=3`", "Brost 2016", "10.1145/2911451.2914706");
    const OWNERSHIP: Ownership = Ownership::Shared;

    fn read(name: &mut Name<'_>) -> Result<Self, NameError> {
        Ok(Self::with_tau(name.tau()?)?)
    }

    fn settings(&self) -> Vec<String> {
        tau_unless_default(self.tau()).into_iter().collect()
    }
}

impl Multileaving for Sosm {
    type Scratch = SosmScratch;
    type Receipt = SosmReceipt;
    type Outcome = Vec<u64>;

    fn name(&self) -> &'static str {
        Self::BASE
    }

    fn compare(
        &self,
        lists: &[RankedList<'_>],
        length: usize,
        generator: &mut Generator,
        scratch: &mut SosmScratch,
        user: impl FnMut(Doc) -> Examination,
        scores: &mut Vec<u64>,
    ) -> bool {
        let SosmScratch { draft, clicked, places } = scratch;
        let keys = draft.start(lists.len(), length, generator);
        // The whole list, since the documents below the last click count in the ranks of those above.
        while draft.next(lists, generator).is_some() {}
        clicked.clear();
        read_drawn(draft.shown().iter().copied().zip(0..), user, |position| clicked.push(position));
        scores.clear();
        if clicked.is_empty() {
            scores.resize(lists.len(), 0);
            return false;
        }
        scores.extend(lists.iter().enumerate().map(|(ranker, &list)| {
            place(list, ranker, keys, draft.shown(), places);
            let ranks = clicked.iter().filter_map(|&position| rank(places, position));
            ranks.map(|rank| self.weights.table()[rank]).sum::<u64>()
        }));
        true
    }

    fn draw(
        &self,
        lists: &[RankedList<'_>],
        length: usize,
        generator: &mut Generator,
        scratch: &mut SosmScratch,
    ) -> (Vec<Doc>, SosmReceipt) {
        let SosmScratch { draft, places, .. } = scratch;
        let keys = draft.start(lists.len(), length, generator);
        while draft.next(lists, generator).is_some() {}
        let length = draft.shown().len();
        let rows = lists.iter().enumerate().map(|(ranker, &list)| {
            place(list, ranker, keys, draft.shown(), places);
            let ranks = (0..length).map(|position| rank(places, position));
            ranks.map(|rank| rank.map_or(u16::MAX, |rank| rank as u16)).collect()
        });
        let ranks = rows.collect();
        (draft.shown().to_vec(), SosmReceipt { length, ranks })
    }

    fn credit(&self, receipt: &SosmReceipt, clicked: &[usize]) -> Result<Vec<u64>, CreditError> {
        let clicked = check_clicks(clicked, receipt.length)?;
        let score = |ranks: &Vec<u16>| {
            // Missing rows of a damaged receipt, and unlisted documents, earn nothing; the table
            // ends below the latter's mark.
            let ranks = clicked.iter().filter_map(|&position| ranks.get(position));
            let weights = ranks.filter_map(|&rank| self.weights.table().get(usize::from(rank)));
            weights.fold(0, |score: u64, &weight| score.saturating_add(weight))
        };
        Ok(receipt.ranks.iter().map(score).collect())
    }

    fn is_prefix_stable(&self) -> bool {
        true
    }

    fn may_grow(&self) -> bool {
        true
    }

    fn credit_page(&self, receipt: &SosmReceipt, page: &Page, clicked: &[usize]) -> Result<Vec<u64>, CreditError> {
        let clicked = page.clicked_positions(clicked, receipt.length)?;
        let displayed: Vec<usize> = page.positions().collect();
        // The ranks among the documents that were displayed.
        let rank = |ranks: &[u16], position: usize| {
            let here = *ranks.get(position).filter(|rank| **rank != u16::MAX)?;
            Some(displayed.iter().filter(|at| ranks.get(**at).is_some_and(|there| *there < here)).count())
        };
        let score = |ranks: &Vec<u16>| {
            let ranks = clicked.iter().filter_map(|&position| rank(ranks, position));
            let weights = ranks.filter_map(|rank| self.weights.table().get(rank));
            weights.fold(0, |score: u64, &weight| score.saturating_add(weight))
        };
        Ok(receipt.ranks.iter().map(score).collect())
    }
}
