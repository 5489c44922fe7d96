//! The kinds of regret by name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::RegretReference;
use crate::PreferenceMatrix;
use crate::winners::condorcet_winners;

/// What regret measures; the [module](super) defines each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegretKind {
    /// P(Condorcet winner beats the arms played) - 1/2.
    Condorcet,
    /// The same against the strongest of the arms played: 0 if the winner takes part.
    Weak,
    /// The same against the weakest of the arms played: 0 only if the winner plays alone.
    Strong,
    /// Copeland score lost.
    Copeland,
    /// Borda score lost.
    Borda,
    /// P(von Neumann winner beats the arms played) - 1/2.
    VonNeumann,
    /// nDCG lost, for rankers of labelled documents. A preference matrix does not contain it: the caller
    /// [gives the gaps](crate::MatrixArena::with_gaps).
    Ndcg,
}

/// A name that no kind of regret has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown regret `{found}`; expected one of {}", RegretKind::ALL.map(RegretKind::name).join(", "))]
pub struct UnknownRegret {
    /// The name.
    pub found: String,
}

impl RegretKind {
    /// All kinds, in the order of the documentation.
    pub const ALL: [Self; 7] =
        [Self::Condorcet, Self::Weak, Self::Strong, Self::Copeland, Self::Borda, Self::VonNeumann, Self::Ndcg];

    /// Its name, as [`FromStr`] reads it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Condorcet => "condorcet",
            Self::Weak => "weak",
            Self::Strong => "strong",
            Self::Copeland => "copeland",
            Self::Borda => "borda",
            Self::VonNeumann => "von-neumann",
            Self::Ndcg => "ndcg",
        }
    }

    /// The default kind: the Condorcet winner if there is one (or several that are exact
    /// duplicates), otherwise the Copeland score.
    #[must_use]
    pub fn default_for(matrix: &PreferenceMatrix) -> Self {
        if condorcet_winners(matrix).is_empty() { Self::Copeland } else { Self::Condorcet }
    }

    /// The reference that the gaps of arms are measured against; `None` for [nDCG](Self::Ndcg).
    #[must_use]
    pub fn reference(self) -> Option<RegretReference> {
        match self {
            Self::Condorcet | Self::Weak | Self::Strong => Some(RegretReference::Condorcet),
            Self::Copeland => Some(RegretReference::Copeland),
            Self::Borda => Some(RegretReference::Borda),
            Self::VonNeumann => Some(RegretReference::VonNeumann),
            Self::Ndcg => None,
        }
    }

    /// Whether it can be measured with the gaps to one best arm alone, as in a live run, which estimates only the
    /// best ranker's row of the preference matrix.
    #[must_use]
    pub fn needs_only_one_row(self) -> bool {
        matches!(self, Self::Condorcet | Self::Weak | Self::Strong | Self::Ndcg)
    }
}

impl fmt::Display for RegretKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for RegretKind {
    type Err = UnknownRegret;

    fn from_str(text: &str) -> Result<Self, UnknownRegret> {
        let kind = Self::ALL.into_iter().find(|kind| kind.name() == text);
        kind.ok_or_else(|| UnknownRegret { found: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_others_refused() {
        for kind in RegretKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        let error = "Borda".parse::<RegretKind>().expect_err("names are lower case").to_string();
        assert_eq!(
            error,
            "unknown regret `Borda`; expected one of condorcet, weak, strong, copeland, borda, von-neumann, ndcg"
        );
    }

    #[test]
    fn the_default_is_condorcet_where_there_is_such_a_winner() {
        let of = |text: &str| RegretKind::default_for(&PreferenceMatrix::parse(text).expect("a matrix"));
        assert_eq!(of("0.5 0.6\n0.4 0.5"), RegretKind::Condorcet);
        assert_eq!(of("0.5 0.5\n0.5 0.5"), RegretKind::Condorcet);
        assert_eq!(of("0.5 0.6 0.4\n0.4 0.5 0.6\n0.6 0.4 0.5"), RegretKind::Copeland);
    }
}
