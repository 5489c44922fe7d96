//! Cumulative regret over time.

use anyhow::Result;
use bandits::log_spaced;
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

pub(crate) struct Regret;

impl ExperimentKind for Regret {
    fn check(&self, experiment: &Experiment) -> Result<()> {
        algorithm_runs::check(experiment)?;
        require_key(experiment, experiment.steps.is_some(), "steps")
    }

    fn series_names(&self, experiment: &Experiment) -> Result<SeriesNames> {
        algorithm_runs::series_names(experiment, &Groups::over_time(experiment))
    }

    fn measure(&self, context: &ExperimentContext, experiment: &Experiment) -> Result<ExperimentData> {
        algorithm_runs::measure(context, experiment, &plan(context, experiment)?)
    }

    fn panels(&self, experiment: &Experiment, data: &ExperimentData) -> Vec<Panel> {
        let draw = &experiment.draw;
        let template = Panel {
            x_label: "steps".to_owned(),
            y_label: "cumulative regret".to_owned(),
            x_log: Scale::is_log(draw.x, true),
            y_log: Scale::is_log(draw.y, false),
            ..Panel::default()
        };
        let mut builder = PanelBuilder::new(experiment, data);
        if template.x_log {
            // With an axis up to 10^7, the first steps would take most of the space and show nothing.
            builder.first_x = data.last_x() / 1e4;
        }
        let mut panels = builder.panels(Metric::Regret, &template);
        if draw.suboptimal {
            let y_label = "share of steps that compare suboptimal rankers".to_owned();
            panels.extend(builder.panels(Metric::Suboptimal, &Panel { y_label, y_log: false, ..template }));
        }
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
    let steps = steps(context, experiment)?;
    let mut points = log_spaced(steps, experiment.checkpoints.unwrap_or(10));
    // Whether regret still grows linearly shows in the second half.
    points.push(steps / 2);
    points.sort_unstable();
    points.dedup();
    points.retain(|&point| point > 0);
    ExperimentPlan::new(context, experiment, Checkpoints::Curve(points), Groups::over_time(experiment))
}
