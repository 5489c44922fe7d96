//! Properties of preference matrices: how often random sets of rankers have a Condorcet winner or a
//! total order, how transitive they are, how large the margins are.

use std::time::Instant;

use anyhow::{Context, Result};
use bandits::matrix::alphabetical_arms;
use bandits::structure::{Tournament, condorcet_probabilities, gaps, relaxed_transitivity, total_order_probabilities};
use bandits::{Arm, PreferenceMatrix};
use figures::Panel;
use simulation::seed;

use crate::experiment::config::expand::Setting;
use crate::experiment::config::{Experiment, Scale};
use crate::experiment::context::ExperimentContext;
use crate::experiment::cost::{Estimate, EstimateRequest};
use crate::experiment::experiment_data::ExperimentData;
use crate::experiment::kinds::{ExperimentKind, SeriesNames, check_some_fit, to_strings};
use crate::experiment::opened_setting::{OpenedSetting, SettingInfo};
use crate::experiment::panels::PanelBuilder;
use crate::experiment::series::{Metric, Point, Series};

pub(crate) struct Structure;

// The curves, by metric.
const PROBABILITIES: [&str; 2] = ["Condorcet winner", "total order"];
const GAPS: [&str; 3] = ["mean gap of the winner", "smallest gap of the winner", "mean margin of all pairs"];
const GAMMA: &str = "gamma";

impl ExperimentKind for Structure {
    fn check(&self, _: &Experiment) -> Result<()> {
        Ok(())
    }

    fn series_names(&self, experiment: &Experiment) -> Result<SeriesNames> {
        let mut metrics = vec![(Metric::Probability, to_strings(&PROBABILITIES)), (Metric::Gap, to_strings(&GAPS))];
        if !experiment.gamma.is_empty() {
            metrics.push((Metric::Gamma, to_strings(&[GAMMA])));
        }
        Ok(SeriesNames::new(self, experiment, metrics))
    }

    fn measure(&self, context: &ExperimentContext, experiment: &Experiment) -> Result<ExperimentData> {
        measure(context, experiment)
    }

    fn panels(&self, experiment: &Experiment, data: &ExperimentData) -> Vec<Panel> {
        let template = Panel {
            x_label: "rankers drawn".to_owned(),
            y_label: "probability".to_owned(),
            x_log: Scale::is_log(experiment.draw.x, false),
            y_log: Scale::is_log(experiment.draw.y, false),
            ..Panel::default()
        };
        let builder = PanelBuilder::new(experiment, data);
        let mut panels = builder.panels(Metric::Probability, &template);
        let x_label = "rankers".to_owned();
        let y_label = "gamma of relaxed stochastic transitivity".to_owned();
        panels.extend(builder.panels(Metric::Gamma, &Panel { x_label, y_label, dots: true, ..template }));
        panels
    }

    fn cost(&self, request: &EstimateRequest<'_>, setting: &Setting, total: &mut Estimate) -> Result<()> {
        request.add_matrix(setting, total)
    }
}

fn measure(context: &ExperimentContext, experiment: &Experiment) -> Result<ExperimentData> {
    let mut data = ExperimentData::default();
    let seed = experiment.master_seed();
    for setting in &experiment.settings {
        let start = Instant::now();
        let base = OpenedSetting::open(context, setting, seed)?;
        data.work.preparing += start.elapsed().as_secs_f64();
        let matrix = base
            .matrix()
            .with_context(|| format!("setting {:?}: `structure` needs play = \"proxy\" or a matrix", setting.name))?;
        let names = base.names();
        let samples = context.scaled(experiment.samples.map_or(10_000, |samples| samples.0), 1_000);
        data.series.extend(curves(matrix, &setting.name, samples, seed));
        data.series.extend(gamma(matrix, &setting.name, &experiment.gamma)?);
        data.settings.push(SettingInfo {
            setting: setting.name.clone(),
            source: base.source.clone(),
            arms: base.arms(),
            about: base.subject(),
            truth: gaps(matrix).map_or_else(
                || "no Condorcet winner".to_owned(),
                |gaps| {
                    format!(
                        "Condorcet winner: {}, smallest gap {:.4} to {}, mean gap {:.4}",
                        names.name(gaps.winner.index()),
                        gaps.smallest,
                        names.name(gaps.closest.index()),
                        gaps.mean
                    )
                },
            ),
        });
    }
    Ok(data)
}

fn curves(matrix: &PreferenceMatrix, setting: &str, samples: u64, seed: u64) -> Vec<Series> {
    let tournament = Tournament::of(matrix);
    let series_of = |curve: &str, metric, values: Vec<(f64, f64)>| Series {
        setting: setting.to_owned(),
        curve: curve.to_owned(),
        metric,
        points: values.into_iter().map(|(x, value)| Point::single(x, value)).collect(),
    };
    let by_size = |values: Vec<f64>| values.into_iter().enumerate().map(|(at, p)| ((at + 1) as f64, p)).collect();
    let mut generator = seed::generator(seed, "structure", 0, "orders");
    let orders = total_order_probabilities(&tournament, samples, &mut generator);
    let [condorcet_winner, total_order] = PROBABILITIES;
    let [mean_gap, smallest_gap, mean_margin] = GAPS;
    let mut series = vec![
        series_of(condorcet_winner, Metric::Probability, by_size(condorcet_probabilities(&tournament))),
        series_of(total_order, Metric::Probability, by_size(orders.iter().map(|order| order.probability).collect())),
    ];
    let arms = matrix.arms() as f64;
    if let Some(gaps) = gaps(matrix) {
        series.push(series_of(mean_gap, Metric::Gap, vec![(arms, gaps.mean)]));
        series.push(series_of(smallest_gap, Metric::Gap, vec![(arms, gaps.smallest)]));
    }
    let margins = matrix.entries().iter().map(|p| (p - 0.5).abs()).sum::<f64>() / (arms * (arms - 1.0)).max(1.0);
    series.push(series_of(mean_margin, Metric::Gap, vec![(arms, margins)]));
    series
}

/// Gamma of the first arms in alphabetical order, by their number.
fn gamma(matrix: &PreferenceMatrix, setting: &str, sizes: &[usize]) -> Result<Option<Series>> {
    check_some_fit("gamma", sizes.iter().copied(), matrix.arms())?;
    let mut points = Vec::new();
    for &size in sizes.iter().filter(|size| **size <= matrix.arms()) {
        let arms: Vec<Arm> = alphabetical_arms(matrix.arms(), 1).into_iter().take(size).collect();
        if let Some(relaxed) = relaxed_transitivity(&matrix.subset(&arms)?) {
            points.push(Point::single(size as f64, relaxed.gamma));
        }
    }
    let series = Series { setting: setting.to_owned(), curve: GAMMA.to_owned(), metric: Metric::Gamma, points };
    Ok((!series.points.is_empty()).then_some(series))
}
