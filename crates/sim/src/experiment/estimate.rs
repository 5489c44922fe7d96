//! Estimates of an experiment's running time.

use anyhow::Result;

use crate::experiment::config::Experiment;
use crate::experiment::context::ExperimentContext;
use crate::experiment::cost::{Estimate, EstimateRequest};
use crate::experiment::kinds;

/// Estimates the cost of `experiment` at the scale of `context`. `small_context` is a context of a small
/// scale, in which some steps are timed; without one only cells, runs and steps are counted. Kept runs are not
/// subtracted.
///
/// # Errors
/// As running the experiment.
pub(crate) fn estimate(
    context: &ExperimentContext,
    small_context: Option<&ExperimentContext>,
    experiment: &Experiment,
) -> Result<Estimate> {
    let mut total = Estimate::default();
    let request = EstimateRequest { context, small_context, experiment };
    for setting in &experiment.settings {
        kinds::kind_named(experiment.kind).cost(&request, setting, &mut total)?;
    }
    Ok(total)
}
