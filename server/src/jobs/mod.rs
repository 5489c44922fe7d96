//! The operations of calls on experiments, inside the writer's transaction. Not here: HTTP, and changes that experiments make by
//! themselves.

mod clicks;
mod deletion;
mod experiments;
mod glance;
mod impressions;
mod outcomes;
mod refusal;
mod status;

pub use clicks::{ClickAction, SentEvent, events};
pub use deletion::{delete, deletion_of_unit};
pub use experiments::{change, create, delete as delete_experiment, raise};
pub use glance::Glance;
pub use impressions::{Answer, ImpressionRequest, Lists, Names, ask, close, displayed, judge, lists, next};
pub use outcomes::{CreditTarget, OutcomeFate, UserOutcome, outcomes};
pub use refusal::Refusal;
pub use status::{Snapshot, looks, snapshot, snapshot_with, snapshots};
