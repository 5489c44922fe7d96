//! Pages: the part of a mixed list that was displayed.
//!
//! A list is mixed once, for as many pages as a user may turn to, and a page displays its documents in the order in which
//! they were mixed. A page may leave some out (filters, permissions) and give places to others (an advertisement, a curated
//! answer). Such a place is *pinned*: no ranker owns it. A document that was not displayed is taken out before credit.
//!
//! ```
//! use interleave::{BalancedInterleave, Doc, Generator, Interleaving, ListBuf, Page, Preference};
//! use rand::SeedableRng;
//!
//! let ours = ListBuf::strict([0, 1, 2, 3].map(Doc))?;
//! let theirs = ListBuf::strict([3, 2, 1, 0].map(Doc))?;
//! let method = BalancedInterleave::default();
//! let lists = [ours.as_list(), theirs.as_list()];
//! let (mixed, receipt) = method.draw(lists, 4, &mut Generator::seed_from_u64(1), &mut Default::default());
//!
//! // An advertisement first, and the second document left out.
//! let page = Page::new([None, Some(0), Some(2), Some(3)])?;
//! assert_eq!(method.credit_page(&receipt, &page, &[0])?, Preference::Tie);
//! assert_eq!(method.credit_page(&receipt, &page, &[1])?, method.credit(&receipt, &[0])?);
//! # assert_eq!(mixed.len(), 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Which method serves which page
//!
//! Several pages: the list of a page is the beginning of a longer one, so that all pages are mixed in one draw. Where rankers'
//! lists may also grow from page to page, [`growing_lists`](crate::growing_lists) draws each with the lists of its time.
//!
//! The numbers are the most that clicks on fixed places, whatever is displayed there, give one ranker over another: in expected
//! credit, and in probability of a win minus that of a loss. They come from an enumeration of all rankers of three documents, two or
//! three at a time. Something pinned to the first place changes nothing: 0 stays 0. A document left out after mixing does:
//! a ranker that placed it high has one place less for its other documents. So filter before mixing, and leave out afterwards only what
//! rarely is.
//!
//! | method | rankers | pages | pinned first: credit | wins | one left out: credit | wins |
//! |---|---|---|---|---|---|---|
//! | `balanced` | two | several; lists may grow | 1.000 | 1.000 | 1.000 | 1.000 |
//! | `balanced:lerot` | two | several; lists may grow | 1.000 | 1.000 | 1.000 | 1.000 |
//! | `document-constraints:above` | two | several; lists may grow | 1.000 | 1.000 | 1.000 | 1.000 |
//! | `document-constraints:next` | two | several; lists may grow | 1.000 | 1.000 | 1.000 | 1.000 |
//! | `document-constraints` | two | several; lists may grow | 1.000 | 1.000 | 1.000 | 1.000 |
//! | `team-draft` | two | several; lists may grow | 0 | 0 | 1.000 | 1.000 |
//! | `team-draft:prefix` | two | several; lists may grow | 0 | 0 | 1.000 | 1.000 |
//! | `team-draft:pairs` | two | several; lists may grow | 0 | 0 | 1.000 | 1.000 |
//! | `probabilistic:assignment` | two | several | 0 | 0 | 0.622 | 0.414 |
//! | `probabilistic:same` | two | several | 0 | 0.207 | 0.414 | 0.856 |
//! | `probabilistic:expected` | two | several | 0 | 0.207 | 0.414 | 0.856 |
//! | `team-draft` | any number | several; lists may grow | 0 | 0 | 1.000 | 1.000 |
//! | `team-draft:prefix` | any number | several; lists may grow | 0 | 0 | 1.000 | 1.000 |
//! | `probabilistic` | any number | several | 0.081 | 0.533 | 0.487 | 0.949 |
//! | `probabilistic:independent` | any number | several | 0 | 0.421 | 0.461 | 0.917 |
//! | `probabilistic:signs` | any number | several | 0.081 | 0.533 | 0.358 | 0.949 |
//! | `sosm` | any number | several; lists may grow | 0.350 | 1.000 | 0.875 | 1.000 |
//! | `pairwise-preference` | any number | several; lists may grow | 0 | 0.333 | 0 | 0 |
//! | `pairwise-preference:skip-above` | any number | several; lists may grow | 0 | 0.333 | 0 | 0 |
//! | `optimized` | two | one | | | | |
//! | `optimized` | any number | one | | | | |

use crate::CreditError;

/// The places of a page, top down: the position in the mixed list of the document displayed there, or pinned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    places: Vec<PagePosition>,
}

/// A 0-based position of the mixed list, or [`PINNED`].
type PagePosition = u16;

/// A place that the mixed list does not fill. No list is so long.
const PINNED: PagePosition = PagePosition::MAX;

/// Places that cannot be a page of a mixed list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PageError {
    /// A document above one that was mixed higher.
    #[error(
        "the page displays document {below} of the mixed list above document {above} (from 0): keep their order, or declare the \
         document that was moved as pinned"
    )]
    Order {
        /// The position of the one mixed higher.
        above: usize,
        /// The position of the one mixed lower.
        below: usize,
    },
    /// A document twice.
    #[error("the page displays document {0} of the mixed list (from 0) twice")]
    Twice(usize),
    /// A position that no mixed list has.
    #[error("position {0} is beyond the 65,535 documents of the longest list")]
    TooFar(usize),
    /// More documents than a page has, of a method with lists that depend on how many are drawn.
    #[error(
        "{method} serves one page: the list that it mixes for {length} documents is not the beginning of a longer one; mix \
         {length} documents, or take another method"
    )]
    OnePage {
        /// The method's name.
        method: String,
        /// The documents of a page.
        length: usize,
    },
    /// Lists that grow from page to page, of a method with lists that depend on all that a ranker lists.
    #[error(
        "{method} cannot go on with longer lists: its draws depend on all that a ranker lists; mix all pages in one draw"
    )]
    Growing {
        /// The method's name.
        method: String,
    },
    /// A list that is not the beginning of the longer one.
    #[error(
        "list {list} of page {page} (both from 0) is not the beginning of that of the next page, with whole groups of ties: keep \
         the lists of a query until its user has left"
    )]
    NotBeginning {
        /// Which ranker's list.
        list: usize,
        /// The page.
        page: usize,
    },
    /// Pages that longer lists would have filled otherwise.
    #[error(
        "page {page} (from 0) would differ with the lists of the next one: some list had ended on it; give every page lists of at \
         least as many documents as it reaches"
    )]
    Differs {
        /// Which page.
        page: usize,
    },
    /// Fewer documents than a page has.
    #[error("{depth} documents are mixed for pages of {length}; mix at least as many as a page displays")]
    Shallow {
        /// The documents of a page.
        length: usize,
        /// How many are mixed.
        depth: usize,
    },
    /// A document that is not in the mixed list, and was not declared as pinned.
    #[error("place {0} of the page (from 0) has a document that was not mixed; declare it as pinned")]
    Foreign(usize),
}

/// Checks that a method may mix `depth` documents for pages of `length`: whether it [is prefix
/// stable](crate::Interleaving::is_prefix_stable), and its name for the refusal.
///
/// # Errors
/// If one page is all that the method can serve, or a page has more documents than are mixed.
pub fn check_depth(is_prefix_stable: bool, method: &str, length: usize, depth: usize) -> Result<(), PageError> {
    if depth < length {
        return Err(PageError::Shallow { length, depth });
    }
    if depth > length && !is_prefix_stable {
        return Err(PageError::OnePage { method: method.to_owned(), length });
    }
    Ok(())
}

impl Page {
    /// The first `length` documents of the mixed list, and nothing else.
    #[must_use]
    pub fn first(length: usize) -> Self {
        Self { places: (0..length.min(usize::from(PINNED)) as PagePosition).collect() }
    }

    /// A page of these places: 0-based positions of the mixed list, ascending, and `None` for pinned places.
    ///
    /// # Errors
    /// If the documents are not in the order in which they were mixed, or one is there twice.
    pub fn new(positions: impl IntoIterator<Item = Option<usize>>) -> Result<Self, PageError> {
        let mut last = None;
        let place = |place: Option<usize>| {
            let Some(position) = place else { return Ok(PINNED) };
            if position >= usize::from(PINNED) {
                return Err(PageError::TooFar(position));
            }
            match last.replace(position) {
                Some(above) if above == position => Err(PageError::Twice(position)),
                Some(above) if above > position => Err(PageError::Order { above: position, below: above }),
                _ => Ok(position as PagePosition),
            }
        };
        Ok(Self { places: positions.into_iter().map(place).collect::<Result<_, _>>()? })
    }

    /// The page that displays `displayed_documents` of the list `mixed_documents`, top down. What `is_pinned` is owned by no
    /// ranker, even if it was mixed.
    ///
    /// # Errors
    /// Those of [`new`](Self::new), and for a document that was neither mixed nor pinned.
    pub fn of<Id: PartialEq>(
        displayed_documents: &[Id],
        mixed_documents: &[Id],
        mut is_pinned: impl FnMut(usize, &Id) -> bool,
    ) -> Result<Self, PageError> {
        let mut next = 0;
        let mut positions = Vec::with_capacity(displayed_documents.len());
        for (place, id) in displayed_documents.iter().enumerate() {
            if is_pinned(place, id) {
                positions.push(None);
                continue;
            }
            // Nearly always the next one.
            let after = mixed_documents
                .get(next..)
                .into_iter()
                .flatten()
                .position(|mixed_documents| mixed_documents == id)
                .map(|at| next + at);
            let position = after.or_else(|| mixed_documents.iter().position(|mixed_documents| mixed_documents == id));
            let position = position.ok_or(PageError::Foreign(place))?;
            next = position + 1;
            positions.push(Some(position));
        }
        Self::new(positions)
    }

    /// The number of places.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether it has no place.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Each place: a 0-based position of the mixed list, or `None` if it is pinned.
    pub fn places(&self) -> impl DoubleEndedIterator<Item = Option<usize>> + ExactSizeIterator + '_ {
        self.places.iter().map(|&place| (place != PINNED).then_some(usize::from(place)))
    }

    /// The 0-based positions of the mixed list that it displays, ascending.
    pub fn positions(&self) -> impl Iterator<Item = usize> + '_ {
        self.places().flatten()
    }

    /// How far it reaches into the mixed list: one past the last position that it displays.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.places().rev().flatten().next().map_or(0, |position| position + 1)
    }

    /// Whether it is the beginning of the mixed list, with nothing left out and nothing added.
    #[must_use]
    pub fn is_beginning(&self) -> bool {
        self.places().enumerate().all(|(place, position)| position == Some(place))
    }

    /// Its first `length` places, for a user who went no further.
    #[must_use]
    pub fn truncated(&self, length: usize) -> Self {
        Self { places: self.places[..length.min(self.places.len())].to_vec() }
    }

    /// The positions of the mixed list, ascending and each once, of the places `clicked`. Clicks on pinned places are
    /// dropped.
    ///
    /// # Errors
    /// If a click lies below the page, or the page reaches beyond a mixed list of `mixed` documents.
    pub fn clicked_positions(&self, clicked: &[usize], mixed: usize) -> Result<Vec<usize>, CreditError> {
        if self.depth() > mixed {
            return Err(CreditError::Page { position: self.depth() - 1, mixed });
        }
        let mut positions = Vec::with_capacity(clicked.len());
        for &place in clicked {
            let position = self.places.get(place);
            let position = position.ok_or(CreditError::Position { position: place, length: self.len() })?;
            positions.extend((*position != PINNED).then_some(usize::from(*position)));
        }
        positions.sort_unstable();
        positions.dedup();
        Ok(positions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_by_ids() {
        let mixed = ["a", "b", "c", "d"];
        let page = |displayed: &[&str], pinned: &[&str]| Page::of(displayed, &mixed, |_, id| pinned.contains(id));
        assert_eq!(page(&["a", "b"], &[]), Ok(Page::first(2)));
        assert_eq!(page(&["ad", "a", "c"], &["ad"]), Page::new([None, Some(0), Some(2)]));
        // A mixed document that is moved to the top is pinned.
        assert_eq!(page(&["c", "a", "b", "d"], &["c"]), Page::new([None, Some(0), Some(1), Some(3)]));
        assert_eq!(page(&["c", "a"], &[]), Err(PageError::Order { above: 0, below: 2 }));
        assert_eq!(page(&["ad", "a"], &[]), Err(PageError::Foreign(0)));
        assert_eq!(page(&["a", "a"], &[]), Err(PageError::Twice(0)));
        assert_eq!(Page::new([Some(65_535)]), Err(PageError::TooFar(65_535)));
    }

    #[test]
    fn places_and_clicks() {
        let page = Page::new([None, Some(1), Some(4), None]).unwrap();
        assert_eq!((page.len(), page.depth(), page.is_beginning()), (4, 5, false));
        assert_eq!(page.clicked_positions(&[3, 2, 0, 2], 5), Ok(vec![4]));
        assert_eq!(page.clicked_positions(&[4], 5), Err(CreditError::Position { position: 4, length: 4 }));
        assert_eq!(page.clicked_positions(&[], 4), Err(CreditError::Page { position: 4, mixed: 4 }));
        assert_eq!(page.truncated(2), Page::new([None, Some(1)]).unwrap());
        assert!(Page::first(3).is_beginning() && Page::first(0).is_beginning() && Page::first(0).is_empty());
        assert_eq!(Page::first(100_000).len(), 65_535);
    }
}
