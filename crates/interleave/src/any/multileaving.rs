//! Any multileaving method.

use std::fmt;
use std::str::FromStr;

use super::outcome::OutcomeVariant;
use super::{AnyOutcome, NamedReceipt, any_method, any_receipt};
use crate::name::{MethodRow, Name, NameError, NamedMethod, Ownership};
use crate::support::pack::{Pack, Reader, Writer};
use crate::{
    CreditError, Doc, Examination, Generator, Multileaving, OptimizedMultileave, Page, PairwisePreference,
    ProbabilisticMultileave, ProbabilisticMultileaveSigns, RankedList, Sosm, TeamDraftMultileave,
};

/// Makes everything of a list of methods; those after `sharing` have the receipt of another.
macro_rules! multileaving_methods {
    (
        $(#[$docs:meta])*
        $($variant:ident($method:ty)),+;
        sharing: $($sharing:ident($sharing_method:ty) with $owner:ident),*;
    ) => {
        any_method! {
            $(#[$docs])*
            AnyMultileaving, AnyMultileavingScratch, "multileaving", Multileaving,
            [$($variant($method),)+ $($sharing($sharing_method),)*]
        }

        /// The receipts of all multileaving methods.
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[non_exhaustive]
        #[expect(missing_docs, reason = "the types say it")]
        pub enum MultileavingReceipt {
            $($variant(<$method as Multileaving>::Receipt),)+
        }

        any_receipt! { MultileavingReceipt: $($variant($method),)+ }

        impl MultileavingReceipt {
            /// How many rankers were compared.
            #[must_use]
            pub fn rankers(&self) -> usize {
                match self {
                    $(Self::$variant(receipt) => receipt.rankers(),)+
                }
            }
        }

        multileaving_methods! {
            @dispatch $($variant($method) $variant,)+ $($sharing($sharing_method) $owner,)*
        }
    };
    (@dispatch $($variant:ident($method:ty) $receipt:ident,)+) => {
        impl Multileaving for AnyMultileaving {
            type Scratch = AnyMultileavingScratch;
            type Receipt = AnyMultileavingReceipt;
            type Outcome = AnyOutcome;

            fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(method) => method.name(),)+
                }
            }

            fn compare(
                &self,
                lists: &[RankedList<'_>],
                length: usize,
                generator: &mut Generator,
                scratch: &mut AnyMultileavingScratch,
                user: impl FnMut(Doc) -> Examination,
                outcome: &mut AnyOutcome,
            ) -> bool {
                match self {
                    $(Self::$variant(method) => {
                        let outcome = <<$method as Multileaving>::Outcome as OutcomeVariant>::variant_mut(outcome);
                        method.compare(lists, length, generator, &mut scratch.$variant, user, outcome)
                    })+
                }
            }

            fn draw(
                &self,
                lists: &[RankedList<'_>],
                length: usize,
                generator: &mut Generator,
                scratch: &mut AnyMultileavingScratch,
            ) -> (Vec<Doc>, AnyMultileavingReceipt) {
                let (shown, receipt) = match self {
                    $(Self::$variant(method) => {
                        let (shown, receipt) = method.draw(lists, length, generator, &mut scratch.$variant);
                        (shown, MultileavingReceipt::$receipt(receipt))
                    })+
                };
                (shown, NamedReceipt { method: self.to_string(), receipt })
            }

            /// # Errors
            /// When a position lies outside the list, or the receipt is from another method or settings.
            fn credit(&self, receipt: &AnyMultileavingReceipt, clicked: &[usize]) -> Result<AnyOutcome, CreditError> {
                match (self, receipt.open(self)?) {
                    $((Self::$variant(method), MultileavingReceipt::$receipt(receipt)) => {
                        method.credit(receipt, clicked).map(OutcomeVariant::into_any)
                    })+
                    _ => Err(receipt.foreign_error(self)),
                }
            }

            fn is_prefix_stable(&self) -> bool {
                match self {
                    $(Self::$variant(method) => method.is_prefix_stable(),)+
                }
            }

            fn may_grow(&self) -> bool {
                match self {
                    $(Self::$variant(method) => method.may_grow(),)+
                }
            }

            /// # Errors
            /// Those of the method, and if the receipt is from another method or settings.
            fn credit_page(
                &self,
                receipt: &AnyMultileavingReceipt,
                page: &Page,
                clicked: &[usize],
            ) -> Result<AnyOutcome, CreditError> {
                match (self, receipt.open(self)?) {
                    $((Self::$variant(method), MultileavingReceipt::$receipt(receipt)) => {
                        method.credit_page(receipt, page, clicked).map(OutcomeVariant::into_any)
                    })+
                    _ => Err(receipt.foreign_error(self)),
                }
            }
        }
    };
}

/// The receipt of [`AnyMultileaving`].
pub type AnyMultileavingReceipt = NamedReceipt<MultileavingReceipt>;

// Compact receipts number the methods: append new ones at the end of their part.
multileaving_methods! {
    /// Any multileaving method, by name.
    ///
    /// <!-- multileaving-methods: written by cargo xtask tidy --fix -->
    /// | name | settings | paper |
    /// |---|---|---|
    /// | `team-draft` | `prefix`: no ranker owns a common prefix | [Schuth 2014](https://doi.org/10.1145/2661829.2661952) |
    /// | `probabilistic` | `sampled=10000` assignments instead of the exact credit; `independent`: slots with replacement; `tau=3` | [Schuth 2015](https://doi.org/10.1145/2766462.2767838) |
    /// | `optimized` | credit `inverse` (default) or `negative`; `lists=10` | [Schuth 2014](https://doi.org/10.1145/2661829.2661952) |
    /// | `sosm` | `tau=3` | [Brost 2016](https://doi.org/10.1145/2911451.2914706) |
    /// | `pairwise-preference` | `skip-above`: the other rule for pairs | [Oosterhuis 2017](https://doi.org/10.1145/3132847.3132895) |
    /// | `probabilistic:signs` | signs averaged; `independent`: slots with replacement; `tau=3` | [Schuth 2015](https://doi.org/10.1145/2766462.2767838) |
    /// <!-- end -->
    ///
    /// Settings follow a colon, separated by commas. `Display` writes the name back, without defaults.
    ///
    /// ```
    /// use interleave::AnyMultileaving;
    ///
    /// let method: AnyMultileaving = "probabilistic:sampled=100".parse()?;
    /// assert_eq!(method.to_string(), "probabilistic:sampled=100");
    /// let error = "sosn".parse::<AnyMultileaving>().unwrap_err();
    /// assert!(error.to_string().ends_with("; did you mean `sosm`?"));
    /// # Ok::<(), interleave::NameError>(())
    /// ```
    TeamDraft(TeamDraftMultileave),
    Probabilistic(ProbabilisticMultileave),
    Optimized(OptimizedMultileave),
    Sosm(Sosm),
    PairwisePreference(PairwisePreference);
    sharing:
    ProbabilisticSigns(ProbabilisticMultileaveSigns) with Probabilistic;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The documentation and the README show these rows.
    #[test]
    fn tables_have_every_row() {
        for row in AnyMultileaving::rows() {
            let row = row.markdown();
            assert!(include_str!("multileaving.rs").contains(&format!("    /// {row}\n")), "{row}");
            assert!(include_str!("../../README.md").contains(&format!("\n{row}\n")), "{row}");
        }
    }
}
