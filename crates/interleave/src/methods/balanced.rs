//! Balanced interleaving: at every depth, the list holds equally many of both rankers' best documents, give or
//! take one. The ranker wins that ranks more of the clicked documents in the shortest top that contains the
//! lowest click.
//!
//! **Draw.** A coin chooses the leader. Two pointers start at the tops; the higher one (the leader's where they
//! are level) adds its document unless it is shown already, and moves down.
//!
//! **Credit.** Let k be the smallest depth at which the lowest clicked document of the list is in the
//! top k of either ranker. The ranker with more clicked documents in its own top k wins.
//!
//! ## References
//!
//! - T. Joachims. *Evaluating retrieval performance using clickthrough data.* In: Text Mining,
//!   Physica/Springer 2003.
//! - F. Radlinski, M. Kurup, T. Joachims. *How does clickthrough data reflect retrieval quality?*
//!   CIKM 2008. <https://doi.org/10.1145/1458082.1458092>
//! - O. Chapelle, T. Joachims, F. Radlinski, Y. Yue. *Large-scale validation and analysis of
//!   interleaved search evaluation.* TOIS 30(1), 2012. <https://doi.org/10.1145/2094072.2094078>
//! - A. Schuth, K. Hofmann, S. Whiteson, M. de Rijke. *Lerot: an online learning to rank framework.*
//!   LivingLab 2013. <https://doi.org/10.1145/2513150.2513162>
//!
//! ## Notes
//!
//! - The method is biased: where one ranker's list is the other's with its first document moved to
//!   the end, a click anywhere at random favours the former twice as often (Chapelle et al.).
//! - Tied documents are ordered at random, for each ranker in each impression; credit uses the order
//!   that made the list.
//! - When a ranker's list has ended, the other adds the rest. A document that a ranker does not
//!   list, or not in the top `length`, is in none of its tops.
//! - [`CutoffRule::Lerot`] is that software's rule for the depth.

use crate::credit::check_clicks;
use crate::name::{Name, NameError, NamedMethod, Ownership, setting_if};
use crate::support::pack::{Pack, Reader, Writer};
use crate::support::read_list::read;
use crate::support::receipt_len;
use crate::support::two_pointer::{ABSENT, AlternatingDraw, OUTSIDE, ranks_within};
use crate::{CreditError, Doc, Examination, Generator, Interleaving, Page, Preference, RankedList};

/// The depth of the two rankers' lists to which clicks are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CutoffRule {
    /// To the rank that the lowest clicked document of the shown list has in the ranker that ranks it
    /// higher: the papers' rule.
    #[default]
    LowestClicked,
    /// To the rank of the worst clicked document in either ranker, whichever is higher: the rule of
    /// the Lerot framework. It differs where the lowest clicked document is not a ranker's worst.
    Lerot,
}

/// Balanced interleaving; see the [module](self).
///
/// ```
/// use interleave::{BalancedInterleave, Doc, Generator, Interleaving, ListBuf, Preference};
/// use rand::SeedableRng;
///
/// let ours = ListBuf::strict([0, 1, 2].map(Doc))?;
/// let theirs = ListBuf::strict([2, 0, 1].map(Doc))?;
/// let method = BalancedInterleave::default();
/// let mut generator = Generator::seed_from_u64(1);
/// let lists = [ours.as_list(), theirs.as_list()];
/// let (shown, receipt) = method.draw(lists, 3, &mut generator, &mut Default::default());
/// // Document 2 is the second ranker's first, and the first ranker's last.
/// let position = shown.iter().position(|&doc| doc == Doc(2)).unwrap();
/// assert_eq!(method.credit(&receipt, &[position])?, Preference::Second);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BalancedInterleave {
    cutoff: CutoffRule,
}

impl BalancedInterleave {
    /// With this rule for the depth.
    #[must_use]
    pub fn new(cutoff: CutoffRule) -> Self {
        Self { cutoff }
    }

    /// The rule for the depth.
    #[must_use]
    pub fn cutoff(&self) -> CutoffRule {
        self.cutoff
    }

    /// The winner by clicks on documents with these ranks, from the top of the list.
    fn winner(self, clicked_ranks: &[[u16; 2]]) -> Preference {
        let deepest = match self.cutoff {
            CutoffRule::LowestClicked => clicked_ranks.last().copied(),
            CutoffRule::Lerot => {
                let worst = |x: usize| clicked_ranks.iter().map(|ranks| ranks[x]).max();
                worst(0).zip(worst(1)).map(|(first, second)| [first, second])
            }
        };
        let Some([first, second]) = deepest else {
            return Preference::Tie;
        };
        let depth = first.min(second);
        let within = |x: usize| clicked_ranks.iter().filter(|ranks| ranks[x] <= depth && ranks[x] < ABSENT).count();
        Preference::of(within(0).cmp(&within(1)))
    }
}

/// Buffers of [`BalancedInterleave`].
#[derive(Debug, Clone, Default)]
pub struct BalancedScratch {
    list: AlternatingDraw,
    clicked: Vec<[u16; 2]>,
}

/// The ranks that both rankers give the documents shown. A plain value that serialises.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BalancedReceipt {
    /// By position: the 0-based ranks in the two tops; 65,535 outside.
    tops: Vec<[u16; 2]>,
}

receipt_len!(BalancedReceipt, |receipt| receipt.tops.len());

impl BalancedReceipt {
    /// By position: the 0-based ranks of the document in the two tops; `None` outside.
    pub fn ranks(&self) -> impl ExactSizeIterator<Item = [Option<u16>; 2]> + '_ {
        self.tops.iter().map(|ranks| ranks.map(|rank| Some(rank).filter(|rank| *rank < ABSENT)))
    }
}

impl Pack for BalancedReceipt {
    fn pack(&self, writer: &mut Writer) {
        writer.ranks(&self.tops);
    }

    fn unpack(reader: &mut Reader<'_>) -> Option<Self> {
        Some(Self { tops: reader.ranks()? })
    }
}

impl NamedMethod for BalancedInterleave {
    const BASE: &'static str = "balanced";
    const NAMES: &'static [&'static str] = &["balanced", "balanced:lerot"];
    const SETTINGS: &'static [&'static str] = &["lerot"];
    const ABOUT: (&'static str, &'static str, &'static str) =
        ("`lerot`: that software's cutoff rule", "Radlinski 2008", "10.1145/1458082.1458092");
    const OWNERSHIP: Ownership = Ownership::FirstByCoin;

    fn read(name: &mut Name<'_>) -> Result<Self, NameError> {
        let rules = [("lowest-clicked", CutoffRule::LowestClicked), ("lerot", CutoffRule::Lerot)];
        Ok(Self::new(name.choice(&rules)?))
    }

    fn settings(&self) -> Vec<String> {
        setting_if(self.cutoff == CutoffRule::Lerot, "lerot").into_iter().collect()
    }
}

impl Interleaving for BalancedInterleave {
    type Scratch = BalancedScratch;
    type Receipt = BalancedReceipt;

    fn name(&self) -> &'static str {
        Self::BASE
    }

    fn compare(
        &self,
        lists: [RankedList<'_>; 2],
        length: usize,
        generator: &mut Generator,
        scratch: &mut BalancedScratch,
        user: impl FnMut(Doc) -> Examination,
    ) -> Preference {
        let BalancedScratch { list, clicked } = scratch;
        clicked.clear();
        list.start(length, generator);
        read(list, |list| Some((list.next(lists)?, ())), user, |list, ()| clicked.extend(list.ranks.last()));
        self.winner(clicked)
    }

    fn draw(
        &self,
        lists: [RankedList<'_>; 2],
        length: usize,
        generator: &mut Generator,
        scratch: &mut BalancedScratch,
    ) -> (Vec<Doc>, BalancedReceipt) {
        let list = &mut scratch.list;
        list.start(length, generator);
        let shown = list.finish(lists).to_vec();
        // For this credit, a document that a ranker does not list is as one below its top.
        let of_top = |rank: u16| if rank == ABSENT { OUTSIDE } else { rank };
        let tops = list.ranks.iter().map(|ranks| ranks.map(of_top)).collect();
        (shown, BalancedReceipt { tops })
    }

    fn credit(&self, receipt: &BalancedReceipt, clicked: &[usize]) -> Result<Preference, CreditError> {
        let clicked = check_clicks(clicked, receipt.tops.len())?;
        let ranks: Vec<[u16; 2]> = clicked.iter().map(|&n| receipt.tops[n]).collect();
        Ok(self.winner(&ranks))
    }

    fn is_prefix_stable(&self) -> bool {
        true
    }

    fn may_grow(&self) -> bool {
        true
    }

    fn credit_page(
        &self,
        receipt: &BalancedReceipt,
        page: &Page,
        clicked: &[usize],
    ) -> Result<Preference, CreditError> {
        let clicked = page.clicked_positions(clicked, receipt.len())?;
        // As if no more had been drawn than the page reaches.
        let depth = page.depth();
        let ranks: Vec<[u16; 2]> = clicked.iter().map(|&n| ranks_within(receipt.tops[n], depth)).collect();
        Ok(self.winner(&ranks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First ranker a b c d, second b c d a, shown a b c d. By hand: a click on c alone is at rank 1
    /// of the second, and only the second's top two has c.
    #[test]
    fn by_hand() {
        let ranks = [[0, 3], [1, 0], [2, 1], [3, 2]];
        let method = BalancedInterleave::default();
        let winner = |clicks: &[usize]| method.winner(&clicks.iter().map(|&n| ranks[n]).collect::<Vec<_>>());
        assert_eq!(winner(&[]), Preference::Tie);
        assert_eq!(winner(&[0]), Preference::First);
        assert_eq!([1, 2, 3].map(|n| winner(&[n])), [Preference::Second; 3]);
        // Down to rank 2 (d in the second): a, b, c against b, c, d.
        assert_eq!(winner(&[0, 3]), Preference::Tie);
        assert_eq!(winner(&[0, 1]), Preference::Tie);
        assert_eq!(winner(&[0, 1, 2, 3]), Preference::Tie);
    }

    /// The papers count down to the better rank of the lowest click, Lerot to the better of the two
    /// rankers' worst clicks.
    #[test]
    fn cutoff_rules_differ() {
        let lerot = BalancedInterleave::new(CutoffRule::Lerot);
        let paper = BalancedInterleave::default();
        for (ranks, by_paper, by_lerot) in [
            ([[0, 3], [1, 1]], Preference::First, Preference::First),
            ([[2, 0], [1, 1]], Preference::Second, Preference::Second),
            ([[2, 2], [0, 1]], Preference::First, Preference::Tie),
            ([[2, 2], [1, 0]], Preference::Second, Preference::Tie),
            ([[3, OUTSIDE], [2, 1]], Preference::Second, Preference::First),
            ([[0, OUTSIDE], [OUTSIDE, 0]], Preference::Tie, Preference::Tie),
        ] {
            assert_eq!(paper.winner(&ranks), by_paper, "{ranks:?}");
            assert_eq!(lerot.winner(&ranks), by_lerot, "{ranks:?}");
        }
    }
}
