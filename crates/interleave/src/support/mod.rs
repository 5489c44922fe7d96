//! Parts that several methods share: tie-breaking, lists drawn lazily, rank weights, exact credit. Not here: any
//! method, and anything that users of the crate see, but for [`TauError`](rank_weights::TauError).

pub(crate) mod draft;
pub(crate) mod expected_sign;
pub(crate) mod fixed_point;
pub(crate) mod pack;
pub(crate) mod rank_heads;
pub(crate) mod rank_table;
pub(crate) mod rank_weights;
pub(crate) mod read_list;
pub(crate) mod revealed_top;
pub(crate) mod softmax;
pub(crate) mod tie_keys;
pub(crate) mod ties;
pub(crate) mod two_pointer;

/// The length of a receipt's list and, if given, the number of rankers compared.
macro_rules! receipt_len {
    ($receipt:ty, |$this:ident| $len:expr $(, rankers $rankers:expr)?) => {
        impl $receipt {
            /// How many documents the list shows.
            #[must_use]
            pub fn len(&self) -> usize {
                let $this = self;
                $len
            }

            /// Whether the list is empty.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            $(/// How many rankers were compared.
            #[must_use]
            pub fn rankers(&self) -> usize {
                let $this = self;
                $rankers
            })?
        }
    };
}
pub(crate) use receipt_len;

/// Pages of a method with credit that depends on the clicked documents alone, whatever else was displayed.
macro_rules! pages_by_clicks {
    ($outcome:ty, prefix_stable: $stable:expr) => {
        fn is_prefix_stable(&self) -> bool {
            let stable: fn(&Self) -> bool = $stable;
            stable(self)
        }

        fn credit_page(
            &self,
            receipt: &Self::Receipt,
            page: &crate::Page,
            clicked: &[usize],
        ) -> Result<$outcome, CreditError> {
            self.credit(receipt, &page.clicked_positions(clicked, receipt.len())?)
        }
    };
}
pub(crate) use pages_by_clicks;
