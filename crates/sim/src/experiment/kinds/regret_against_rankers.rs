//! Regret at the end of runs, against the number of rankers.

use anyhow::Result;
use figures::Panel;

use crate::experiment::config::expand::Setting;
use crate::experiment::config::validate::require_key;
use crate::experiment::config::{Experiment, Scale};
use crate::experiment::context::ExperimentContext;
use crate::experiment::cost::{Estimate, EstimateRequest};
use crate::experiment::experiment_data::ExperimentData;
use crate::experiment::kinds::plan::{Checkpoints, ExperimentPlan, Groups, steps};
use crate::experiment::kinds::{ExperimentKind, SeriesNames, algorithm_runs, run_cost};
use crate::experiment::panels::PanelBuilder;
use crate::experiment::series::Metric;

pub(crate) struct RegretAgainstRankers;

impl ExperimentKind for RegretAgainstRankers {
    fn check(&self, experiment: &Experiment) -> Result<()> {
        algorithm_runs::check(experiment)?;
        require_key(experiment, experiment.steps.is_some(), "steps")?;
        require_key(experiment, experiment.subsets.is_some(), "[subsets]")
    }

    fn series_names(&self, experiment: &Experiment) -> Result<SeriesNames> {
        algorithm_runs::series_names(experiment, &Groups::against_size(experiment))
    }

    fn measure(&self, context: &ExperimentContext, experiment: &Experiment) -> Result<ExperimentData> {
        algorithm_runs::measure(context, experiment, &plan(context, experiment)?)
    }

    fn panels(&self, experiment: &Experiment, data: &ExperimentData) -> Vec<Panel> {
        let template = Panel {
            x_label: "rankers".to_owned(),
            y_label: "cumulative regret at the end".to_owned(),
            x_log: Scale::is_log(experiment.draw.x, false),
            y_log: Scale::is_log(experiment.draw.y, false),
            dots: true,
            ..Panel::default()
        };
        PanelBuilder::new(experiment, data).panels(Metric::Regret, &template)
    }

    fn cost(&self, request: &EstimateRequest<'_>, setting: &Setting, total: &mut Estimate) -> Result<()> {
        run_cost::add(request, &plan(request.context, request.experiment)?, setting, total)
    }

    fn plan(&self, context: &ExperimentContext, experiment: &Experiment) -> Result<Option<ExperimentPlan>> {
        plan(context, experiment).map(Some)
    }
}

fn plan(context: &ExperimentContext, experiment: &Experiment) -> Result<ExperimentPlan> {
    let end = steps(context, experiment)?;
    ExperimentPlan::new(context, experiment, Checkpoints::Curve(vec![end]), Groups::against_size(experiment))
}
