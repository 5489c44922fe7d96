//! Whether the best ranker is recommended at given horizons, and the regret paid for it.

use anyhow::Result;
use figures::Panel;

use crate::experiment::config::expand::Setting;
use crate::experiment::config::validate::require_key;
use crate::experiment::config::{Experiment, Scale};
use crate::experiment::context::ExperimentContext;
use crate::experiment::cost::{Estimate, EstimateRequest};
use crate::experiment::experiment_data::ExperimentData;
use crate::experiment::kinds::plan::{Checkpoints, ExperimentPlan, Groups};
use crate::experiment::kinds::{ExperimentKind, SeriesNames, algorithm_runs, run_cost};
use crate::experiment::panels::PanelBuilder;
use crate::experiment::series::Metric;

pub(crate) struct Accuracy;

impl ExperimentKind for Accuracy {
    fn check(&self, experiment: &Experiment) -> Result<()> {
        algorithm_runs::check(experiment)?;
        require_key(experiment, !experiment.horizons.is_empty(), "horizons")
    }

    fn series_names(&self, experiment: &Experiment) -> Result<SeriesNames> {
        algorithm_runs::series_names(experiment, &Groups::over_time(experiment))
    }

    fn measure(&self, context: &ExperimentContext, experiment: &Experiment) -> Result<ExperimentData> {
        algorithm_runs::measure(context, experiment, &plan(context, experiment)?)
    }

    fn panels(&self, experiment: &Experiment, data: &ExperimentData) -> Vec<Panel> {
        let template = Panel {
            x_label: "horizon (steps)".to_owned(),
            y_label: "share of runs that recommend the best".to_owned(),
            x_log: Scale::is_log(experiment.draw.x, true),
            dots: true,
            ..Panel::default()
        };
        let builder = PanelBuilder::new(experiment, data);
        let mut panels = builder.panels(Metric::Accuracy, &template);
        // The deviation of zeros and ones follows from their mean: it adds nothing.
        for point in panels.iter_mut().flat_map(|panel| &mut panel.curves).flat_map(|curve| &mut curve.points) {
            (point.low, point.high) = (point.mean, point.mean);
        }
        let y_label = "cumulative regret".to_owned();
        let y_log = Scale::is_log(experiment.draw.y, true);
        panels.extend(builder.panels(Metric::Regret, &Panel { y_label, y_log, ..template }));
        panels
    }

    fn cost(&self, request: &EstimateRequest<'_>, setting: &Setting, total: &mut Estimate) -> Result<()> {
        run_cost::add(request, &plan(request.context, request.experiment)?, setting, total)
    }

    fn plan(&self, context: &ExperimentContext, experiment: &Experiment) -> Result<Option<ExperimentPlan>> {
        plan(context, experiment).map(Some)
    }
}

fn plan(context: &ExperimentContext, experiment: &Experiment) -> Result<ExperimentPlan> {
    let mut horizons: Vec<u64> = experiment.horizons.iter().map(|horizon| horizon.0).collect();
    let last_horizon = horizons.iter().copied().max().unwrap_or(1);
    let max_steps = context.scaled(last_horizon, 1_000);
    horizons.retain(|&horizon| horizon <= max_steps);
    let horizons = if horizons.is_empty() { vec![max_steps] } else { horizons };
    ExperimentPlan::new(context, experiment, Checkpoints::Horizons(horizons), Groups::over_time(experiment))
}
