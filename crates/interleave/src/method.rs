//! What an interleaving and a multileaving method are.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Doc, Examination, Generator, Outcome, Preference, RankedList};

/// Mixes two rankers' lists and credits the clicks (interleaving).
///
/// One set of rules serves a simulated user, who may stop early ([`compare`](Self::compare)), and
/// a real one, who sees the whole list and clicks later ([`draw`](Self::draw), then
/// [`credit`](Self::credit)): for the same generator and the same clicks both give the same
/// preference. What either leaves the generator in may differ, so give the user a generator of
/// their own.
pub trait Interleaving: Send + Sync {
    /// Buffers reused from one impression to the next, so that an impression allocates nothing.
    type Scratch: Default + Send;
    /// What credit needs later: a plain value, serialisable, free of the lists.
    type Receipt: Clone + Send + Serialize + DeserializeOwned;

    /// The method's base name, its settings apart: variants of one method share it, and those of
    /// `probabilistic` are several types. `Display` of [`AnyInterleaving`](crate::AnyInterleaving)
    /// writes the full name, as on the command line and in results.
    fn name(&self) -> &'static str;

    /// Shows one list of at most `length` documents to `user`, a document at a time, and says who
    /// won.
    ///
    /// `user` is called for one place of the list after the other, from the top, until it leaves or the
    /// list ends: the n-th call is about the n-th place. So a user who minds places counts calls, from 0
    /// again in each impression.
    fn compare(
        &self,
        lists: [RankedList<'_>; 2],
        length: usize,
        generator: &mut Generator,
        scratch: &mut Self::Scratch,
        user: impl FnMut(Doc) -> Examination,
    ) -> Preference;

    /// Lets each of `pairs` (positions in `lists`) meet on one query, and tells `verdict` the pair's
    /// place in `pairs` and who won.
    ///
    /// Each pair's outcome has the law of [`compare`](Self::compare); outcomes of different pairs may
    /// share draws and looks, where that is quicker, and then depend on each other.
    ///
    /// What `user` does must depend on the document alone and on chance: not on its place, on other
    /// documents, or on earlier calls. It may be asked once for all pairs or again for each, in any order,
    /// about documents that no list shows, and on after it has left. Let users who mind places see one
    /// [`compare`](Self::compare) after another.
    ///
    /// # Panics
    /// May, when a pair names a list that is not there.
    #[expect(clippy::too_many_arguments, reason = "those of `compare`, the pairs, and where verdicts go")]
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

    /// Draws a whole list of at most `length` documents to be shown now, and the receipt by which
    /// its clicks are credited later.
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
    /// When a position lies outside the list; and from `AnyInterleaving`, whose receipts say which method
    /// they are from, when another method or other settings gave the receipt out.
    fn credit(&self, receipt: &Self::Receipt, clicked: &[usize]) -> Result<Preference, CreditError>;
}

/// Mixes any number of rankers' lists and credits the clicks (multileaving).
pub trait Multileaving: Send + Sync {
    /// Buffers reused from one impression to the next.
    type Scratch: Default + Send;
    /// What credit needs later: a plain value, serialisable, free of the lists.
    type Receipt: Clone + Send + Serialize + DeserializeOwned;

    /// What an impression says: a score for each ranker (`Vec<u64>`), or, where a method's verdict on
    /// a pair is no difference of scores, the verdict on each pair ([`PairwisePreferences`](crate::PairwisePreferences)).
    type Outcome: Outcome;

    /// The method's base name, its settings apart: variants of one method share it, and those of
    /// `probabilistic` are several types. `Display` of [`AnyMultileaving`](crate::AnyMultileaving)
    /// writes the full name, as on the command line and in results.
    fn name(&self) -> &'static str;

    /// Shows one list to `user` and writes what it says into `outcome` (cleared first). With scores,
    /// ranker i beats ranker j iff `outcome[i] > outcome[j]`, and equal scores tie, exactly.
    /// Returns `false`, with all rankers tied, where there was no click.
    ///
    /// `user` is called for one place of the list after the other, from the top, until it leaves or the
    /// list ends, as in [`Interleaving::compare`].
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
    /// When a position lies outside the list; and from `AnyMultileaving`, whose receipts say which method
    /// they are from, when another method or other settings gave the receipt out.
    fn credit(&self, receipt: &Self::Receipt, clicked: &[usize]) -> Result<Self::Outcome, CreditError>;
}

/// Clicks or a receipt that cannot be credited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CreditError {
    /// A click below the end of the list.
    #[error("position {position} was clicked, but the list shows {length} documents; count positions from 0")]
    Position {
        /// The offending 0-based position.
        position: usize,
        /// How many documents the list shows.
        length: usize,
    },
    /// A receipt that another method, or the same under other settings, gave out.
    #[error("the receipt is from {receipt:?}, not {method:?}; credit it with the method that drew the list")]
    Foreign {
        /// The method that gave the receipt out.
        receipt: String,
        /// The method that was asked to credit it.
        method: String,
    },
}

/// The clicked positions of a list of `length`, each once, top down: what credit starts from.
///
/// ```
/// use interleave::check_clicks;
///
/// assert_eq!(check_clicks(&[4, 0, 4], 5)?, [0, 4]);
/// assert!(check_clicks(&[5], 5).is_err());
/// # Ok::<(), interleave::CreditError>(())
/// ```
///
/// # Errors
/// When a position lies outside the list.
pub fn check_clicks(clicked: &[usize], length: usize) -> Result<Vec<usize>, CreditError> {
    let mut clicked = clicked.to_vec();
    clicked.sort_unstable();
    clicked.dedup();
    match clicked.last() {
        Some(&position) if position >= length => Err(CreditError::Position { position, length }),
        _ => Ok(clicked),
    }
}
