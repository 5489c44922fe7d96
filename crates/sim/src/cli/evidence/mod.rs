//! What comparisons prove, and how many it takes.
//!
//! | in | is |
//! |---|---|
//! | `power` | `sim power`: impressions until the better of two rankers is known |
//! | `significance` | `sim significance`: which algorithms of a finished study differ |

pub(super) mod power;
pub(super) mod significance;
