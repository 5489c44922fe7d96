//! Document constraints: every click implies that some shown documents are worse than the clicked one. The ranker
//! with a list that violates fewer of these constraints wins.
//!
//! **Draw.** As in [balanced interleaving](crate::methods::balanced).
//!
//! **Credit.** A clicked document h should rank above every unclicked document shown above it, above
//! the one right below it if that is unclicked, and otherwise above the next unclicked one below.
//! A ranker violates "h above x" if x is in its top `length` and h is not, or is ranked below x; and if it does not list h
//! at all. The ranker with fewer violations wins.
//!
//! ## References
//!
//! - J. He, C. Zhai, X. Li. *Evaluation of methods for relative comparison of retrieval systems based
//!   on clickthroughs.* CIKM 2009. <https://doi.org/10.1145/1645953.1646293>
//! - A. Schuth, K. Hofmann, S. Whiteson, M. de Rijke. *Lerot: an online learning to rank framework.*
//!   LivingLab 2013 (the kinds of constraints by number). <https://doi.org/10.1145/2513150.2513162>
//!
//! ## Notes
//!
//! - The list is that of balanced interleaving, and random clicks favour a ranker as they do there.
//! - The document right below the last click is part of the list and of the credit, whether or not
//!   the user examined it.
//! - Tied documents are ordered at random, for each ranker in each impression; credit uses the order
//!   that made the list. When a ranker's list has ended, the other adds the rest.
//! - The papers' rankers list every document. One that does not list a clicked document violates each of that click's
//!   constraints; otherwise a ranker would win by retrieving less. A document that it lists below its top violates only
//!   those with a document of its top.

use crate::credit::check_clicks;
use crate::name::{Name, NameError, NamedMethod, Ownership};
use crate::support::pack::{Pack, Reader, Writer};
use crate::support::read_list::read;
use crate::support::receipt_len;
use crate::support::two_pointer::{ABSENT, AlternatingDraw, ranks_within};
use crate::{CreditError, Doc, Examination, Generator, Interleaving, Page, Preference, RankedList};

/// The documents that a clicked one should rank above. Each kind includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Constraints {
    /// Unclicked ones shown above it (type 1).
    Above,
    /// Also the document right below, if unclicked (type 2).
    Next,
    /// Also the first unclicked one below, with only clicks between (type 3).
    #[default]
    NextUnclicked,
}

/// Interleaving by document constraints; see the [module](self).
///
/// ```
/// use interleave::{Doc, DocumentConstraints, Generator, Interleaving, ListBuf, Preference};
/// use rand::SeedableRng;
///
/// let ours = ListBuf::strict([0, 1, 2].map(Doc))?;
/// let theirs = ListBuf::strict([2, 0, 1].map(Doc))?;
/// let method = DocumentConstraints::default();
/// let mut generator = Generator::seed_from_u64(1);
/// let lists = [ours.as_list(), theirs.as_list()];
/// let (shown, receipt) = method.draw(lists, 3, &mut generator, &mut Default::default());
/// let position = shown.iter().position(|&doc| doc == Doc(2)).unwrap();
/// assert_eq!(method.credit(&receipt, &[position])?, Preference::Second);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DocumentConstraints {
    constraints: Constraints,
}

impl DocumentConstraints {
    /// With these constraints.
    #[must_use]
    pub fn new(constraints: Constraints) -> Self {
        Self { constraints }
    }

    /// The documents that a clicked one should rank above.
    #[must_use]
    pub fn constraints(&self) -> Constraints {
        self.constraints
    }

    /// The winner by clicks on these positions, from the top, of a list with these ranks.
    fn winner(self, ranks: &[[u16; 2]], clicked: &[usize]) -> Preference {
        let mut violations = [0_usize; 2];
        let mut check = |position: usize, x: usize| {
            for (ranker, violations) in violations.iter_mut().enumerate() {
                let (position, x) = (ranks[position][ranker], ranks[x][ranker]);
                let x_is_in_top = x < ABSENT;
                *violations += usize::from(position == ABSENT || x_is_in_top && position > x);
            }
        };
        for (n, &position) in clicked.iter().enumerate() {
            // Between two clicks in a row, everything is unclicked.
            let mut from = 0;
            for &click in &clicked[..=n] {
                (from..click).for_each(|x| check(position, x));
                from = click + 1;
            }
            if self.constraints >= Constraints::Next {
                let run = clicked[n..].iter().zip(position..).take_while(|(click, at)| **click == *at);
                let below = position + run.count();
                let is_near = below == position + 1 || self.constraints == Constraints::NextUnclicked;
                if is_near && below < ranks.len() {
                    check(position, below);
                }
            }
        }
        Preference::of(violations[1].cmp(&violations[0]))
    }
}

/// Buffers of [`DocumentConstraints`].
#[derive(Debug, Clone, Default)]
pub struct DocumentConstraintsScratch {
    list: AlternatingDraw,
    clicked: Vec<usize>,
}

/// The ranks that both rankers give the documents shown. A plain value that serialises.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DocumentConstraintsReceipt {
    /// By position: the 0-based ranks in the two tops; 65,535 below a top, 65,534 for a document that the ranker does not
    /// list.
    places: Vec<[u16; 2]>,
}

receipt_len!(DocumentConstraintsReceipt, |receipt| receipt.places.len());

impl Pack for DocumentConstraintsReceipt {
    fn pack(&self, writer: &mut Writer) {
        writer.ranks(&self.places);
    }

    fn unpack(reader: &mut Reader<'_>) -> Option<Self> {
        Some(Self { places: reader.ranks()? })
    }
}

impl NamedMethod for DocumentConstraints {
    const BASE: &'static str = "document-constraints";
    const NAMES: &'static [&'static str] =
        &["document-constraints", "document-constraints:next", "document-constraints:above"];
    const SETTINGS: &'static [&'static str] = &["above", "next", "next-unclicked"];
    const ABOUT: (&'static str, &'static str, &'static str) =
        ("`above` or `next`: fewer kinds of constraint", "He 2009", "10.1145/1645953.1646293");
    const OWNERSHIP: Ownership = Ownership::Shared;

    fn read(name: &mut Name<'_>) -> Result<Self, NameError> {
        let constraints = name.choice(&[
            ("next-unclicked", Constraints::NextUnclicked),
            ("next", Constraints::Next),
            ("above", Constraints::Above),
        ])?;
        Ok(Self::new(constraints))
    }

    fn settings(&self) -> Vec<String> {
        let setting = match self.constraints {
            Constraints::Above => Some("above"),
            Constraints::Next => Some("next"),
            Constraints::NextUnclicked => None,
        };
        setting.into_iter().map(str::to_owned).collect()
    }
}

impl Interleaving for DocumentConstraints {
    type Scratch = DocumentConstraintsScratch;
    type Receipt = DocumentConstraintsReceipt;

    fn name(&self) -> &'static str {
        Self::BASE
    }

    fn compare(
        &self,
        lists: [RankedList<'_>; 2],
        length: usize,
        generator: &mut Generator,
        scratch: &mut DocumentConstraintsScratch,
        user: impl FnMut(Doc) -> Examination,
    ) -> Preference {
        let DocumentConstraintsScratch { list, clicked } = scratch;
        clicked.clear();
        list.start(length, generator);
        read(list, |list| Some((list.next(lists)?, ())), user, |list, ()| clicked.push(list.ranks.len() - 1));
        if clicked.last().is_some_and(|click| click + 1 == list.ranks.len()) {
            // Not examined, but shown.
            list.next(lists);
        }
        self.winner(&list.ranks, clicked)
    }

    fn draw(
        &self,
        lists: [RankedList<'_>; 2],
        length: usize,
        generator: &mut Generator,
        scratch: &mut DocumentConstraintsScratch,
    ) -> (Vec<Doc>, DocumentConstraintsReceipt) {
        let list = &mut scratch.list;
        list.start(length, generator);
        let shown = list.finish(lists).to_vec();
        let places = list.ranks.clone();
        (shown, DocumentConstraintsReceipt { places })
    }

    fn credit(&self, receipt: &DocumentConstraintsReceipt, clicked: &[usize]) -> Result<Preference, CreditError> {
        let clicked = check_clicks(clicked, receipt.places.len())?;
        Ok(self.winner(&receipt.places, &clicked))
    }

    fn is_prefix_stable(&self) -> bool {
        true
    }

    fn may_grow(&self) -> bool {
        true
    }

    fn credit_page(
        &self,
        receipt: &DocumentConstraintsReceipt,
        page: &Page,
        clicked: &[usize],
    ) -> Result<Preference, CreditError> {
        let clicked = page.clicked_positions(clicked, receipt.len())?;
        // As if no more had been drawn than the page reaches.
        let depth = page.depth();
        let displayed: Vec<usize> = page.positions().collect();
        let ranks: Vec<[u16; 2]> = displayed.iter().map(|&n| ranks_within(receipt.places[n], depth)).collect();
        let clicked: Vec<usize> = clicked.iter().filter_map(|n| displayed.binary_search(n).ok()).collect();
        Ok(self.winner(&ranks, &clicked))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::two_pointer::OUTSIDE;

    /// Shown a b c d, by rankers a b c d and d c b a: the ranker that agrees with the clicks wins.
    #[test]
    fn by_hand() {
        let ranks = [[0, 3], [1, 2], [2, 1], [3, 0]];
        let winner = |constraints, clicks: &[usize]| DocumentConstraints::new(constraints).winner(&ranks, clicks);
        use Constraints::{Above, Next, NextUnclicked};
        // b: above a (the second agrees); right above c (the first agrees).
        assert_eq!(winner(Above, &[1]), Preference::Second);
        assert_eq!(winner(Next, &[1]), Preference::Tie);
        // a and b: nothing above unclicked; b above c; a above c only by the third kind.
        assert_eq!(winner(Above, &[0, 1]), Preference::Tie);
        assert_eq!(winner(Next, &[0, 1]), Preference::First);
        assert_eq!(winner(NextUnclicked, &[0, 1]), Preference::First);
        // a, b and d: d above c is the second's; b above c the first's; a above c breaks the tie.
        assert_eq!(winner(Next, &[0, 1, 3]), Preference::Tie);
        assert_eq!(winner(NextUnclicked, &[0, 1, 3]), Preference::First);
        for constraints in [Above, Next, NextUnclicked] {
            assert_eq!(winner(constraints, &[]), Preference::Tie);
            assert_eq!(winner(constraints, &[0, 1, 2, 3]), Preference::Tie);
        }
    }

    /// A ranker that does not list a clicked document violates all of its constraints, whatever else it lists.
    #[test]
    fn absent_documents() {
        let method = DocumentConstraints::new(Constraints::Above);
        // a b c against nothing: c violates two constraints of either; with b clicked too, a is ranked right by one.
        let ranks = [[0, ABSENT], [1, ABSENT], [2, ABSENT]];
        assert_eq!(method.winner(&ranks, &[2]), Preference::Tie);
        assert_eq!(DocumentConstraints::default().winner(&ranks, &[1]), Preference::First);
        // Below a top is not absent.
        assert_eq!(method.winner(&[[0, OUTSIDE], [1, OUTSIDE]], &[1]), Preference::Second);
        // An absent document is above nothing.
        assert_eq!(method.winner(&[[0, ABSENT], [1, 0]], &[1]), Preference::Second);
    }

    /// Documents outside a top: "h above x" is violated only by a ranker that has x.
    #[test]
    fn outside_the_top() {
        let method = DocumentConstraints::new(Constraints::Above);
        let ranks = [[0, OUTSIDE], [OUTSIDE, 0]];
        assert_eq!(method.winner(&ranks, &[1]), Preference::Second);
        let ranks = [[OUTSIDE, OUTSIDE], [OUTSIDE, 0]];
        assert_eq!(method.winner(&ranks, &[1]), Preference::Tie);
    }
}
