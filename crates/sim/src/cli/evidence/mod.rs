//! Evidence from comparisons, and the number of comparisons needed.
//!
//! | in | is |
//! |---|---|
//! | `power` | `rankduel power`: impressions until two rankers are distinguished |
//! | `significance` | `rankduel significance`: which algorithms of a finished study differ |

pub(super) mod power;
pub(super) mod significance;
