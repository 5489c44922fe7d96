//! One impression whose parts are where they were read: nothing of it is copied.

use interleave::{AnyInterleaving, AnyInterleavingReceipt, CreditError, Interleaving, receipt};

use super::MOST_SHOWN;

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

    /// The same, mixed as teams or the bytes of a receipt of two rankers say; `None` if any part is not as it should be, or
    /// the receipt is of several rankers.
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
            (None, Some(bytes)) if rankers.is_none_or(|names| names.len() == 2) => {
                let method = receipts.method(bytes, self.shown.len())?;
                Some(MixedRef::Receipt { bytes, method, is_two: true, rankers })
            }
            _ => return None,
        };
        Some(Self { mixed, ..self })
    }
}

/// Checks receipts of two rankers. It keeps the method of the last one: the next one is nearly always of the same.
#[derive(Debug, Default)]
pub(crate) struct Receipts {
    last: Option<(String, AnyInterleaving)>,
}

impl Receipts {
    /// The full name of the method that issued a receipt, if it is one of two rankers for a list of `shown` documents.
    fn method(&mut self, bytes: &[u8], shown: usize) -> Option<&str> {
        if super::Receipt::has_documents(bytes) {
            return None;
        }
        let found: AnyInterleavingReceipt = receipt::from_bytes(bytes).ok()?;
        if self.last.as_ref().is_none_or(|(name, _)| name != found.method()) {
            self.last = Some((found.method().to_owned(), found.method().parse().ok()?));
        }
        let (name, method) = self.last.as_ref()?;
        // No list is so long: the refusal says how long it is.
        match method.credit(&found, &[usize::MAX]) {
            Err(CreditError::Position { length, .. }) if length == shown => Some(name),
            _ => None,
        }
    }
}
