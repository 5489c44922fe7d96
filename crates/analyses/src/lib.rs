//! Analyses that keep no results folder. The command line and the Python package print what these modules write.
//!
//! | module | answers |
//! |---|---|
//! | [`board`](mod@board) | which competitor judges prefer, as a document |
//! | [`power`] | impressions until two rankers are distinguished |
//! | [`significance`] | which algorithms of a finished study differ |

pub mod board;
pub mod power;
pub mod significance;
