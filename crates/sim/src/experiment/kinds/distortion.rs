//! Experiments on how often a multileaving misjudges who is better than the best.

use crate::simulation::seed_text::{Seeded, seed_text};
use std::time::Instant;

use anyhow::Result;

use crate::analysis::distortion::{self, Plan};
use crate::experiment::config::Experiment;
use crate::experiment::config::expand;
use crate::experiment::context::ExperimentContext;
use crate::experiment::environment::{self, SettingInfo};
use crate::experiment::measured::Measured;
use crate::experiment::series::{Point, Series};
use crate::output::progress::Progress;
use crate::simulation::truth::Measure;

pub(crate) fn measure(context: &ExperimentContext, experiment: &Experiment) -> Result<Measured> {
    let mut measured = Measured::default();
    let seed = experiment.seed.unwrap_or(1);
    let sets = context.scaled(experiment.runs.map_or(30, |runs| runs.0), 2);
    let multileavings = context.scaled(experiment.multileavings.map_or(3_000, |count| count.0), 200);
    for setting in expand::settings(&experiment.settings) {
        let start = Instant::now();
        let source = context.source(&setting)?;
        let spec = environment::site_spec(&setting, &source);
        let prepared = spec.prepare(context.open(&source, &spec)?, seed)?;
        let truth = context.truth(&prepared, seed, false)?;
        measured.work.preparing += start.elapsed().as_secs_f64();
        measured.settings.push(SettingInfo {
            setting: setting.name.clone(),
            source,
            arms: prepared.site.arms(),
            about: format!("{}, {} clicks", prepared.description.dataset.name, prepared.description.click.model),
            truth: truth.describe(|arm| prepared.description.label(arm)),
        });
        if truth.measure != Measure::Condorcet {
            continue;
        }
        let most = prepared.site.arms() - truth.winners.len() + 1;
        let mut points = Vec::new();
        for &size in experiment.sizes.iter().filter(|size| (2..=most).contains(*size)) {
            let start = Instant::now();
            let plan = Plan { size, multileavings, sets, seed };
            let key = seed_text(Seeded::Distortion {
                site: &prepared.description,
                winners: &truth.winners,
                size,
                multileavings,
                sets,
                seed,
            });
            let shares: Vec<f64> = context.cache().json(
                "distortion",
                &key,
                |_| true,
                || {
                    let progress = Progress::new(&format!("{}, {size} rankers", setting.name), sets, context.quiet);
                    let shares = distortion::shares(
                        &prepared.site,
                        &prepared.methods.multileaving,
                        &truth.winners,
                        plan,
                        &progress,
                    );
                    progress.finish();
                    Ok(shares)
                },
            )?;
            measured.work.add(
                &setting.name,
                &format!("{size} rankers"),
                start.elapsed().as_secs_f64(),
                sets * multileavings,
            );
            points.push(Point { x: size as f64, values: shares.iter().map(|share| 100.0 * share).collect() });
        }
        measured.series.push(Series {
            setting: setting.family.clone(),
            curve: setting.spec.click.to_string(),
            metric: "distortion",
            points,
        });
    }
    Ok(measured)
}
