//! Experiments on matrices without playing: how often random rankers have a winner or an order, how
//! transitive they are, how large the margins.

use std::time::Instant;

use anyhow::{Context, Result};
use bandits::matrix::alphabetical_arms;
use bandits::structure::{Tournament, condorcet_probabilities, gaps, relaxed_transitivity, total_order_probabilities};
use bandits::{Arm, PreferenceMatrix};

use crate::experiment::config::Experiment;
use crate::experiment::config::expand;
use crate::experiment::context::ExperimentContext;
use crate::experiment::environment::{OpenedSetting, SettingInfo};
use crate::experiment::measured::Measured;
use crate::experiment::series::{Point, Series};
use crate::simulation::seed;

pub(crate) fn measure(context: &ExperimentContext, experiment: &Experiment) -> Result<Measured> {
    let mut measured = Measured::default();
    let seed = experiment.seed.unwrap_or(1);
    for setting in expand::settings(&experiment.settings) {
        let start = Instant::now();
        let base = OpenedSetting::open(context, &setting, seed)?;
        measured.work.preparing += start.elapsed().as_secs_f64();
        let matrix = base
            .matrix()
            .with_context(|| format!("setting {:?}: `structure` needs play = \"proxy\" or a matrix", setting.name))?;
        let names = base.names();
        let samples = context.scaled(experiment.samples.map_or(10_000, |samples| samples.0), 1_000);
        measured.series.extend(curves(matrix, &setting.name, samples, seed));
        measured.series.extend(gamma(matrix, &setting.name, &experiment.gamma)?);
        measured.settings.push(SettingInfo {
            setting: setting.name.clone(),
            source: base.source.clone(),
            arms: base.arms(),
            about: base.about(),
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
    Ok(measured)
}

fn curves(matrix: &PreferenceMatrix, setting: &str, samples: u64, seed: u64) -> Vec<Series> {
    let tournament = Tournament::of(matrix);
    let series = |curve: &str, metric, values: Vec<(f64, f64)>| Series {
        setting: setting.to_owned(),
        curve: curve.to_owned(),
        metric,
        points: values.into_iter().map(|(x, value)| Point { x, values: vec![value] }).collect(),
    };
    let by_size = |values: Vec<f64>| values.into_iter().enumerate().map(|(at, p)| ((at + 1) as f64, p)).collect();
    let mut generator = seed::generator(seed, "structure", 0, "orders");
    let orders = total_order_probabilities(&tournament, samples, &mut generator);
    let mut all = vec![
        series("Condorcet winner", "probability", by_size(condorcet_probabilities(&tournament))),
        series("total order", "probability", by_size(orders.iter().map(|order| order.probability).collect())),
    ];
    let arms = matrix.arms() as f64;
    if let Some(gaps) = gaps(matrix) {
        all.push(series("mean gap of the winner", "gap", vec![(arms, gaps.mean)]));
        all.push(series("smallest gap of the winner", "gap", vec![(arms, gaps.smallest)]));
    }
    let margins = matrix.entries().iter().map(|p| (p - 0.5).abs()).sum::<f64>() / (arms * (arms - 1.0)).max(1.0);
    all.push(series("mean margin of all pairs", "gap", vec![(arms, margins)]));
    all
}

/// Gamma of the first arms in alphabetical order, for each size.
fn gamma(matrix: &PreferenceMatrix, setting: &str, sizes: &[usize]) -> Result<Option<Series>> {
    let mut points = Vec::new();
    for &size in sizes.iter().filter(|size| **size <= matrix.arms()) {
        let arms: Vec<Arm> = alphabetical_arms(matrix.arms(), 1).into_iter().take(size).collect();
        if let Some(found) = relaxed_transitivity(&matrix.subset(&arms)?) {
            points.push(Point { x: size as f64, values: vec![found.gamma] });
        }
    }
    let series = Series { setting: setting.to_owned(), curve: "gamma".to_owned(), metric: "gamma", points };
    Ok((!series.points.is_empty()).then_some(series))
}
