//! What comparisons prove, and how many it takes.
//!
//! | in | is |
//! |---|---|
//! | `power` | `sim power`: impressions until two rankers are told apart |

pub(super) mod power;
