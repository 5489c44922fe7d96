//! One impression whose parts are where they were read: nothing of it is copied.

use std::str::FromStr;

use interleave::{AnyInterleaving, AnyMultileaving, CreditError, Interleaving, Multileaving, NamedReceipt, receipt};
use serde::de::DeserializeOwned;

use super::record::{Kind, WithDocuments};
use super::{MOST_SHOWN, PairChoice};

/// A list that was shown to a user: an [`Impression`](super::Impression) in borrowed parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpressionRef<'a> {
    /// What clicks name it by.
    pub id: &'a str,
    /// When it was shown, in milliseconds since 1970.
    pub time: i64,
    /// The user or session, by the unit of the analysis; `None` where the log has none.
    pub unit: Option<&'a str>,
    /// The program of the user.
    pub agent: Option<&'a str>,
    /// How its rankers were chosen, if the log says so.
    pub pairs: Option<PairChoice>,
    /// The documents, top down, each once.
    pub shown: &'a [&'a str],
    /// How the list was mixed; `None` if it was not.
    pub mixed: Option<MixedRef<'a>>,
}

/// How a list was mixed, as far as credit needs it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MixedRef<'a> {
    /// Team draft: who owns each document shown, and nobody where that is `None`.
    Teams {
        /// By position.
        teams: &'a [Option<&'a str>],
        /// All rankers that took part, if the line says so.
        rankers: Option<&'a [&'a str]>,
    },
    /// A receipt of the crate `interleave`, for a list of this length.
    Receipt {
        /// Its bytes.
        bytes: &'a [u8],
        /// The full name of the method that issued it.
        method: &'a str,
        /// Whether the method mixes two rankers; any number otherwise.
        is_two: bool,
        /// The rankers in the order of their lists, if the line names them.
        rankers: Option<&'a [&'a str]>,
    },
}

impl<'a> ImpressionRef<'a> {
    /// Whether a simulated user saw it.
    #[must_use]
    pub fn is_synthetic(&self) -> bool {
        self.agent.is_some_and(|agent| agent.ends_with("(simulated)"))
    }

    /// The same, mixed as teams or the bytes of a receipt say; `None` if any part is not as it should be.
    pub(crate) fn mixed(
        self,
        teams: Option<&'a [Option<&'a str>]>,
        receipt: Option<&'a [u8]>,
        rankers: Option<&'a [&'a str]>,
        receipts: &'a mut Receipts,
    ) -> Option<Self> {
        const FEW: usize = 32;
        let are_distinct = |names: &[&str]| (1..names.len()).all(|at| !names[..at].contains(&names[at]));
        let is_usual =
            self.shown.len() <= MOST_SHOWN && rankers.is_none_or(|names| names.len() <= FEW && are_distinct(names));
        if !is_usual {
            return None;
        }
        let mixed = match (teams, receipt) {
            (Some(_), Some(_)) => return None,
            (None, None) => None,
            (Some(teams), None) if teams.len() == self.shown.len() => {
                // Those of an impression with a unit are checked where they become places.
                let are_known = |names: &[&str]| teams.iter().flatten().all(|team| names.contains(team));
                if self.unit.is_none() && !rankers.is_none_or(are_known) {
                    return None;
                }
                Some(MixedRef::Teams { teams, rankers })
            }
            (None, Some(bytes)) => {
                let (bytes, method, is_two) = receipts.read(bytes, self.shown.len())?;
                if is_two && rankers.is_some_and(|names| names.len() != 2) {
                    return None;
                }
                Some(MixedRef::Receipt { bytes, method, is_two, rankers })
            }
            _ => return None,
        };
        Some(Self { mixed, ..self })
    }
}

/// Checks receipts. It keeps the methods of the last ones: the next one is nearly always of the same.
#[derive(Debug, Default)]
pub(crate) struct Receipts {
    two: Option<(String, AnyInterleaving)>,
    many: Option<(String, AnyMultileaving)>,
    /// A receipt that had documents in front of it.
    own: Vec<u8>,
}

impl Receipts {
    /// The receipt alone, the full name of the method that issued it, and whether that mixes two rankers, if it is one for a
    /// list of `shown` documents.
    fn read<'a>(&'a mut self, bytes: &'a [u8], shown: usize) -> Option<(&'a [u8], &'a str, bool)> {
        let Self { two, many, own } = self;
        let (kind, bytes) = match WithDocuments::split(bytes) {
            Some((kind, rest)) => {
                own.clear();
                own.push(*bytes.first()?);
                own.extend_from_slice(rest);
                (Some(kind), own.as_slice())
            }
            None => (None, bytes),
        };
        // Bytes alone do not say of which kind they are, but only one kind fits the list.
        if kind.is_none_or(|kind| kind == Kind::Two)
            && let Some(name) = method_of(two, bytes, shown, |method, kept, clicked| method.credit(kept, clicked).err())
        {
            return Some((bytes, name, true));
        }
        if kind.is_none_or(|kind| kind == Kind::Many)
            && let Some(name) =
                method_of(many, bytes, shown, |method, kept, clicked| method.credit(kept, clicked).err())
        {
            return Some((bytes, name, false));
        }
        None
    }
}

/// The name of the method that issued a receipt for a list of `shown` documents, which becomes the `last`.
fn method_of<'a, M: FromStr, R: DeserializeOwned>(
    last: &'a mut Option<(String, M)>,
    bytes: &[u8],
    shown: usize,
    refusal: impl Fn(&M, &NamedReceipt<R>, &[usize]) -> Option<CreditError>,
) -> Option<&'a str> {
    let found: NamedReceipt<R> = receipt::from_bytes(bytes).ok()?;
    if last.as_ref().is_none_or(|(name, _)| name != found.method()) {
        *last = Some((found.method().to_owned(), found.method().parse().ok()?));
    }
    let (name, method) = last.as_ref()?;
    // No list is so long: the refusal says how long it is.
    match refusal(method, &found, &[usize::MAX]) {
        Some(CreditError::Position { length, .. }) if length == shown => Some(name),
        _ => None,
    }
}
