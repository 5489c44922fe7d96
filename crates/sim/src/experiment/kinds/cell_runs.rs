//! The runs of a cell: an environment, an algorithm and its checkpoints.

use bandits::registry::Spec;

use crate::experiment::environment::Environment;
use crate::experiment::run_store::RunStore;

/// All runs of one algorithm in one environment.
pub(super) struct CellRuns<'a> {
    pub(super) environment: &'a Environment,
    pub(super) spec: &'a Spec,
    /// The steps at which its runs are recorded.
    pub(super) checkpoints: Vec<u64>,
    pub(super) store: RunStore,
}
