//! What several methods are made of: tie-breaking, lists drawn lazily, rank weights, exact credit. Not here: any
//! method, and anything that users of the crate see, but for [`TauError`](rank_weights::TauError).

pub(crate) mod draft;
pub(crate) mod expected_sign;
pub(crate) mod fixed_point;
pub(crate) mod rank_weights;
pub(crate) mod revealed;
pub(crate) mod softmax;
pub(crate) mod tie_keys;
pub(crate) mod ties;
pub(crate) mod two_pointer;
