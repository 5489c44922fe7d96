//! Any interleaving method.

use std::fmt;
use std::str::FromStr;

use super::{NamedReceipt, any_method, any_receipt};
use crate::name::{MethodRow, Name, NameError, NamedMethod, Ownership};
use crate::support::pack::{Pack, Reader, Writer};
use crate::{
    BalancedInterleave, CompetitivePairs, CreditError, Doc, DocumentConstraints, Examination, Generator, Interleaving,
    OptimizedInterleave, Page, Preference, ProbabilisticAssignment, ProbabilisticExpected, ProbabilisticInterleave,
    RankedList, TeamDraftInterleave,
};

/// Makes everything of a list of methods.
macro_rules! interleaving_methods {
    ($(#[$docs:meta])* $($variant:ident($method:ty),)+) => {
        any_method! {
            $(#[$docs])*
            AnyInterleaving, AnyInterleavingScratch, "interleaving", Interleaving, [$($variant($method),)+]
        }

        /// The receipts of all interleaving methods.
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[non_exhaustive]
        #[expect(missing_docs, reason = "the types say it")]
        pub enum InterleavingReceipt {
            $($variant(<$method as Interleaving>::Receipt),)+
        }

        any_receipt! { InterleavingReceipt: $($variant($method),)+ }

        impl Interleaving for AnyInterleaving {
            type Scratch = AnyInterleavingScratch;
            type Receipt = AnyInterleavingReceipt;

            fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(method) => method.name(),)+
                }
            }

            fn compare(
                &self,
                lists: [RankedList<'_>; 2],
                length: usize,
                generator: &mut Generator,
                scratch: &mut AnyInterleavingScratch,
                user: impl FnMut(Doc) -> Examination,
            ) -> Preference {
                match self {
                    $(Self::$variant(method) => {
                        method.compare(lists, length, generator, &mut scratch.$variant, user)
                    })+
                }
            }

            fn compare_pairs(
                &self,
                lists: &[RankedList<'_>],
                pairs: &[(u32, u32)],
                length: usize,
                generator: &mut Generator,
                scratch: &mut AnyInterleavingScratch,
                user: impl FnMut(Doc) -> Examination,
                verdict: impl FnMut(usize, Preference),
            ) {
                match self {
                    $(Self::$variant(method) => {
                        let scratch = &mut scratch.$variant;
                        method.compare_pairs(lists, pairs, length, generator, scratch, user, verdict);
                    })+
                }
            }

            fn draw(
                &self,
                lists: [RankedList<'_>; 2],
                length: usize,
                generator: &mut Generator,
                scratch: &mut AnyInterleavingScratch,
            ) -> (Vec<Doc>, AnyInterleavingReceipt) {
                let (shown, receipt) = match self {
                    $(Self::$variant(method) => {
                        let (shown, receipt) = method.draw(lists, length, generator, &mut scratch.$variant);
                        (shown, InterleavingReceipt::$variant(receipt))
                    })+
                };
                (shown, NamedReceipt { method: self.to_string(), receipt })
            }

            /// # Errors
            /// When a position lies outside the list, or the receipt is from another method or settings.
            fn credit(&self, receipt: &AnyInterleavingReceipt, clicked: &[usize]) -> Result<Preference, CreditError> {
                match (self, receipt.open(self)?) {
                    $((Self::$variant(method), InterleavingReceipt::$variant(receipt)) => {
                        method.credit(receipt, clicked)
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
                receipt: &AnyInterleavingReceipt,
                page: &Page,
                clicked: &[usize],
            ) -> Result<Preference, CreditError> {
                match (self, receipt.open(self)?) {
                    $((Self::$variant(method), InterleavingReceipt::$variant(receipt)) => {
                        method.credit_page(receipt, page, clicked)
                    })+
                    _ => Err(receipt.foreign_error(self)),
                }
            }
        }
    };
}

/// The receipt of [`AnyInterleaving`].
pub type AnyInterleavingReceipt = NamedReceipt<InterleavingReceipt>;

// Compact receipts number the methods: append new ones at the end.
interleaving_methods! {
    /// Any interleaving method, by name.
    ///
    /// <!-- interleaving-methods: written by cargo xtask tidy --fix -->
    /// | name | settings | paper |
    /// |---|---|---|
    /// | `balanced` | `lerot`: that software's cutoff rule | [Radlinski 2008](https://doi.org/10.1145/1458082.1458092) |
    /// | `team-draft` | `prefix`: no ranker owns a common prefix | [Radlinski 2008](https://doi.org/10.1145/1458082.1458092) |
    /// | `probabilistic` | credit ties `redrawn` (default) or `same`; `tau=3` | [Hofmann 2011](https://doi.org/10.1145/2063576.2063618) |
    /// | `probabilistic:assignment` | the observed assignment; `tau=3` | [Hofmann 2011](https://doi.org/10.1145/2063576.2063618) |
    /// | `probabilistic:expected` | credit in expectation over ties; `redraws=32`, `tau=3` | [Hofmann 2013](https://doi.org/10.1145/2536736.2536737) |
    /// | `document-constraints` | `above` or `next`: fewer kinds of constraint | [He 2009](https://doi.org/10.1145/1645953.1646293) |
    /// | `optimized` | credit `linear` (default), `binary` or `inverse`; `lists=1024` at most | [Radlinski 2013](https://doi.org/10.1145/2433396.2433429) |
    /// | `team-draft:pairs` | two documents at a time; neither ranker owns one that both would add next; `coin=search` (default) or `coin=round` | [Zhang 2025](https://doi.org/10.48550/arXiv.2508.00751) |
    /// <!-- end -->
    ///
    /// Settings follow a colon, separated by commas. `Display` writes the name back, without defaults.
    ///
    /// ```
    /// use interleave::AnyInterleaving;
    ///
    /// let method: AnyInterleaving = "probabilistic:tau=1,same".parse()?;
    /// assert_eq!(method.to_string(), "probabilistic:same,tau=1");
    /// let error = "ballanced".parse::<AnyInterleaving>().unwrap_err();
    /// assert!(error.to_string().ends_with("; did you mean `balanced`?"));
    /// # Ok::<(), interleave::NameError>(())
    /// ```
    Balanced(BalancedInterleave),
    TeamDraft(TeamDraftInterleave),
    Probabilistic(ProbabilisticInterleave),
    ProbabilisticAssignment(ProbabilisticAssignment),
    ProbabilisticExpected(ProbabilisticExpected),
    DocumentConstraints(DocumentConstraints),
    Optimized(OptimizedInterleave),
    CompetitivePairs(CompetitivePairs),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The documentation and the README show these rows.
    #[test]
    fn tables_have_every_row() {
        for row in AnyInterleaving::rows() {
            let row = row.markdown();
            assert!(include_str!("interleaving.rs").contains(&format!("    /// {row}\n")), "{row}");
            assert!(include_str!("../../README.md").contains(&format!("\n{row}\n")), "{row}");
        }
    }
}
