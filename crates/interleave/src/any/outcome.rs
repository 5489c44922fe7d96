//! The outcome of any multileaving method.

use crate::{Outcome, PairwisePreferences, Preference};

/// The outcome of [`AnyMultileaving`](crate::AnyMultileaving).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnyOutcome {
    /// One score per ranker.
    Scores(Vec<u64>),
    /// A preference for each pair.
    #[serde(rename = "signs")]
    Pairwise(PairwisePreferences),
}

impl Default for AnyOutcome {
    fn default() -> Self {
        Self::Scores(Vec::new())
    }
}

impl AnyOutcome {
    /// The scores, where there are any.
    #[must_use]
    pub fn scores(&self) -> Option<&[u64]> {
        match self {
            Self::Scores(scores) => Some(scores),
            Self::Pairwise(_) => None,
        }
    }
}

impl Outcome for AnyOutcome {
    fn rankers(&self) -> usize {
        match self {
            Self::Scores(scores) => scores.rankers(),
            Self::Pairwise(preferences) => preferences.rankers(),
        }
    }

    #[inline]
    fn preference(&self, i: usize, j: usize) -> Preference {
        match self {
            Self::Scores(scores) => scores.preference(i, j),
            Self::Pairwise(preferences) => preferences.preference(i, j),
        }
    }
}

/// An outcome of one method, as a part of [`AnyOutcome`].
pub(super) trait OutcomeVariant: Outcome {
    /// The part of `any` that has this type, in the same memory where it was of this type before.
    fn variant_mut(any: &mut AnyOutcome) -> &mut Self;

    /// The whole.
    fn into_any(self) -> AnyOutcome;
}

macro_rules! outcome_part {
    ($part:ty, $variant:ident) => {
        impl OutcomeVariant for $part {
            fn variant_mut(any: &mut AnyOutcome) -> &mut Self {
                if !matches!(any, AnyOutcome::$variant(_)) {
                    *any = AnyOutcome::$variant(Self::default());
                }
                match any {
                    AnyOutcome::$variant(part) => part,
                    _ => unreachable!("replaced above"),
                }
            }

            fn into_any(self) -> AnyOutcome {
                AnyOutcome::$variant(self)
            }
        }
    };
}

outcome_part!(Vec<u64>, Scores);
outcome_part!(PairwisePreferences, Pairwise);
