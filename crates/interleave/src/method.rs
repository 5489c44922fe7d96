//! The two traits of methods.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{CreditError, Doc, Examination, Generator, Outcome, Page, Preference, RankedList};

/// Mixes two rankers' lists and credits the clicks (interleaving).
///
/// One set of rules serves a simulated user, who may stop early ([`compare`](Self::compare)), and
/// a real one, who sees the whole list and clicks later ([`draw`](Self::draw), then
/// [`credit`](Self::credit)): for the same generator and the same clicks both give the same
/// preference. The state in which either leaves the generator may differ, so give the user a separate
/// generator.
pub trait Interleaving: Send + Sync {
    /// Buffers reused from one impression to the next, so that an impression allocates nothing.
    type Scratch: Default + Send;
    /// The data that credit needs later: a plain value, serialisable, without the lists.
    type Receipt: Clone + Send + Serialize + DeserializeOwned;

    /// The method's base name without settings; variants of one method share it, even where they are several
    /// types, as for `probabilistic`. `Display` of [`AnyInterleaving`](crate::AnyInterleaving)
    /// writes the full name, as on the command line and in results.
    fn name(&self) -> &'static str;

    /// Shows one list of at most `length` documents to `user`, one document at a time, and returns the winner.
    ///
    /// `user` is called for one place of the list after the other, from the top, until it abandons the list
    /// or the list ends: the n-th call is about the n-th place. A user who depends on places counts calls,
    /// starting from 0 in each impression.
    fn compare(
        &self,
        lists: [RankedList<'_>; 2],
        length: usize,
        generator: &mut Generator,
        scratch: &mut Self::Scratch,
        user: impl FnMut(Doc) -> Examination,
    ) -> Preference;

    /// Compares each of `pairs` (positions in `lists`) on one query, and calls `verdict` with the pair's place
    /// in `pairs` and the winner, once for each pair, in any order.
    ///
    /// Each pair's outcome has the distribution of [`compare`](Self::compare); outcomes of different pairs may
    /// share draws and examinations, where that is faster, and then depend on each other.
    ///
    /// What `user` does must depend on the document and on chance alone: not on its place, on other documents,
    /// or on earlier calls. It may be called once for all pairs or again for each, in any order, for documents
    /// that no list shows, and after it has abandoned a list. For users who depend on places or on the past,
    /// call [`compare`](Self::compare) for one pair after another, with a new user each time.
    ///
    /// # Panics
    /// May, when a pair names a list that is not there.
    #[expect(clippy::too_many_arguments, reason = "those of `compare`, the pairs, and what takes verdicts")]
    fn compare_pairs(
        &self,
        lists: &[RankedList<'_>],
        pairs: &[(u32, u32)],
        length: usize,
        generator: &mut Generator,
        scratch: &mut Self::Scratch,
        mut user: impl FnMut(Doc) -> Examination,
        mut verdict: impl FnMut(usize, Preference),
    ) {
        for (number, &(first, second)) in pairs.iter().enumerate() {
            let pair = [lists[first as usize], lists[second as usize]];
            verdict(number, self.compare(pair, length, generator, scratch, &mut user));
        }
    }

    /// Draws a whole list of at most `length` documents to show now, and the receipt with which its clicks are
    /// credited later.
    fn draw(
        &self,
        lists: [RankedList<'_>; 2],
        length: usize,
        generator: &mut Generator,
        scratch: &mut Self::Scratch,
    ) -> (Vec<Doc>, Self::Receipt);

    /// Credits clicks on the 0-based positions `clicked` of the list that `receipt` belongs to, in
    /// any order; a position clicked twice counts once.
    ///
    /// # Errors
    /// When a position lies outside the list; and from `AnyInterleaving`, when another method or other
    /// settings issued the receipt.
    fn credit(&self, receipt: &Self::Receipt, clicked: &[usize]) -> Result<Preference, CreditError>;

    /// Whether a list drawn for several pages serves each of them: the first n documents of a longer list are the list of n
    /// that the same generator draws, and clicks on them, [credited](Self::credit_page) through the page that ends there, are
    /// worth the same. Only such a method may draw more documents than a user is shown at first.
    fn is_prefix_stable(&self) -> bool {
        false
    }

    /// Whether, beyond that, rankers' lists may grow from page to page: the documents of the first pages do not depend on what
    /// lies below them in lists that are long enough.
    fn may_grow(&self) -> bool {
        false
    }

    /// Credits clicks on the 0-based places `clicked` of a page that displayed some of the list that `receipt` belongs to.
    /// Documents that the page does not display, below its last or left out, count as not drawn; no ranker owns the places
    /// that the list did not fill.
    ///
    /// The default implementation credits only pages that display the whole list.
    ///
    /// # Errors
    /// Those of [`credit`](Self::credit); and where the page reaches beyond the list, or the method cannot credit it.
    fn credit_page(&self, receipt: &Self::Receipt, page: &Page, clicked: &[usize]) -> Result<Preference, CreditError> {
        whole_list(page, |clicked| self.credit(receipt, clicked).map(drop), self.name())?;
        self.credit(receipt, clicked)
    }
}

/// Mixes any number of rankers' lists and credits the clicks (multileaving).
pub trait Multileaving: Send + Sync {
    /// Buffers reused from one impression to the next.
    type Scratch: Default + Send;
    /// The data that credit needs later: a plain value, serialisable, without the lists.
    type Receipt: Clone + Send + Serialize + DeserializeOwned;

    /// What an impression shows: a score for each ranker (`Vec<u64>`), or, where preferences are not
    /// differences of scores, one for each pair ([`PairwisePreferences`](crate::PairwisePreferences)).
    type Outcome: Outcome;

    /// The method's base name without settings; variants of one method share it, even where they are several
    /// types, as for `probabilistic`. `Display` of [`AnyMultileaving`](crate::AnyMultileaving)
    /// writes the full name, as on the command line and in results.
    fn name(&self) -> &'static str;

    /// Shows one list to `user` and writes the outcome into `outcome` (cleared first). With scores,
    /// ranker i beats ranker j iff `outcome[i] > outcome[j]`, and equal scores tie, exactly.
    /// Returns `false`, with all rankers tied, where there was no click.
    ///
    /// `user` is called for one place of the list after the other, from the top, until it abandons the list
    /// or the list ends, as in [`Interleaving::compare`].
    fn compare(
        &self,
        lists: &[RankedList<'_>],
        length: usize,
        generator: &mut Generator,
        scratch: &mut Self::Scratch,
        user: impl FnMut(Doc) -> Examination,
        outcome: &mut Self::Outcome,
    ) -> bool;

    /// Draws a whole list to be shown now, and its receipt.
    fn draw(
        &self,
        lists: &[RankedList<'_>],
        length: usize,
        generator: &mut Generator,
        scratch: &mut Self::Scratch,
    ) -> (Vec<Doc>, Self::Receipt);

    /// Credits clicks on the 0-based positions `clicked`, as in [`compare`](Self::compare).
    ///
    /// # Errors
    /// When a position lies outside the list; and from `AnyMultileaving`, when another method or other
    /// settings issued the receipt.
    fn credit(&self, receipt: &Self::Receipt, clicked: &[usize]) -> Result<Self::Outcome, CreditError>;

    /// Whether a list drawn for several pages serves each of them, as in [`Interleaving::is_prefix_stable`].
    fn is_prefix_stable(&self) -> bool {
        false
    }

    /// Whether rankers' lists may grow from page to page, as in [`Interleaving::may_grow`].
    fn may_grow(&self) -> bool {
        false
    }

    /// Credits clicks on places of a page, as in [`Interleaving::credit_page`].
    ///
    /// # Errors
    /// Those of [`credit`](Self::credit); and where the page reaches beyond the list, or the method cannot credit it.
    fn credit_page(
        &self,
        receipt: &Self::Receipt,
        page: &Page,
        clicked: &[usize],
    ) -> Result<Self::Outcome, CreditError> {
        whole_list(page, |clicked| self.credit(receipt, clicked).map(drop), self.name())?;
        self.credit(receipt, clicked)
    }
}

/// Checks that a page is the whole list of a receipt; `credit` reports the length of the list when it refuses.
fn whole_list(
    page: &Page,
    credit: impl Fn(&[usize]) -> Result<(), CreditError>,
    method: &'static str,
) -> Result<(), CreditError> {
    let length = page.len();
    match credit(&[length]) {
        Err(CreditError::Position { length: mixed, .. }) if page.is_beginning() && mixed == length => Ok(()),
        Err(CreditError::Position { length: mixed, .. }) if page.depth() > mixed => {
            Err(CreditError::Page { position: page.depth() - 1, mixed })
        }
        Err(CreditError::Position { .. }) | Ok(()) => Err(CreditError::WholeLists { method }),
        Err(other) => Err(other),
    }
}
