//! The errors of crediting clicks, and clicks in order.

use std::borrow::Cow;

/// Clicks or a receipt that cannot be credited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CreditError {
    /// A click below the end of the list.
    #[error("position {position} was clicked, but the list shows {length} documents; count positions from 0")]
    Position {
        /// The offending 0-based position.
        position: usize,
        /// How many documents the list shows.
        length: usize,
    },
    /// A page that displays more of a list than was mixed.
    #[error("the page displays document {position} of the mixed list (from 0), which has {mixed} documents")]
    Page {
        /// The last 0-based position that the page displays.
        position: usize,
        /// How many documents were mixed.
        mixed: usize,
    },
    /// A page of a part of the list, which the method cannot credit.
    #[error("{method} credits pages that display its whole list alone; mix as many documents as one page displays")]
    WholeLists {
        /// The method's base name.
        method: &'static str,
    },
    /// A receipt that names a method of another version of this crate, or none.
    #[error(
        "the receipt is of {method:?}, which this version does not know; credit it with the version that drew the list"
    )]
    UnknownMethod {
        /// The name in the receipt.
        method: String,
    },
    /// A receipt that another method, or the same with other settings, issued.
    #[error("the receipt is from {receipt:?}, not {method:?}; credit it with the method that drew the list")]
    Foreign {
        /// The method that issued the receipt.
        receipt: String,
        /// The method that should credit it.
        method: String,
    },
}

/// The clicked positions of a list of `length` documents, each once, from the top.
///
/// ```
/// use interleave::check_clicks;
///
/// assert_eq!(*check_clicks(&[4, 0, 4], 5)?, [0, 4]);
/// assert!(check_clicks(&[5], 5).is_err());
/// # Ok::<(), interleave::CreditError>(())
/// ```
///
/// # Errors
/// When a position lies outside the list.
pub fn check_clicks(clicked: &[usize], length: usize) -> Result<Cow<'_, [usize]>, CreditError> {
    let mut clicked = Cow::Borrowed(clicked);
    if !clicked.is_sorted_by(|a, b| a < b) {
        let clicked = clicked.to_mut();
        clicked.sort_unstable();
        clicked.dedup();
    }
    match clicked.last() {
        Some(&position) if position >= length => Err(CreditError::Position { position, length }),
        _ => Ok(clicked),
    }
}
