//! Experiments on how often a multileaving misjudges who is better than the best.

use std::time::Instant;

use anyhow::Result;
use rankers::Gain;

use crate::analysis::distortion::{self, Plan};
use crate::experiment::config::Experiment;
use crate::experiment::config::expand;
use crate::experiment::context::Session;
use crate::experiment::environment::{self, SettingInfo};
use crate::experiment::measured::Measured;
use crate::experiment::series::{Point, Series};
use crate::output::progress::Progress;
use crate::simulation::truth::Measure;

pub(crate) fn measure(session: &Session, experiment: &Experiment) -> Result<Measured> {
    let mut measured = Measured::default();
    let seed = experiment.seed.unwrap_or(1);
    let sets = session.scaled(experiment.runs.map_or(30, |runs| runs.0), 2);
    let multileavings = session.scaled(experiment.multileavings.map_or(3_000, |count| count.0), 200);
    for setting in expand::settings(&experiment.settings) {
        let start = Instant::now();
        let source = session.source(&setting)?;
        let mut lenient = setting.clone();
        if source.lookalike {
            lenient.entry.split = None;
        }
        let options = environment::options(&lenient)?;
        let dataset = session.open(&source, &options)?;
        let features = options.rankers(&dataset, seed)?;
        let laid = options.lay_out(&dataset, features, seed)?;
        let ndcg = || Ok(laid.site.rankings().ndcg(dataset.labels(), 10, Gain::Exponential)?);
        let truth = environment::truth_of(session, &laid, seed, false, ndcg)?;
        measured.work.preparing += start.elapsed().as_secs_f64();
        measured.settings.push(SettingInfo {
            setting: setting.name.clone(),
            source,
            arms: laid.site.arms(),
            about: format!("{}, {} clicks", dataset.name(), laid.description.click.model),
            truth: truth.describe(|arm| laid.description.label(arm)),
        });
        if truth.measure != Measure::Condorcet {
            continue;
        }
        let most = laid.site.arms() - truth.winners.len() + 1;
        let mut points = Vec::new();
        for &size in experiment.sizes.iter().filter(|size| (2..=most).contains(*size)) {
            let start = Instant::now();
            let plan = Plan { size, multileavings, sets, seed };
            let described = format!(
                "distortion 1\n{}\nwinners {:?}\n{plan:?}\n{}",
                laid.description.content(),
                truth.winners,
                laid.methods.multileaving
            );
            let shares: Vec<f64> = session.kept("distortion", &described, || {
                let progress = Progress::new(&format!("{}, {size} rankers", setting.name), sets, session.quiet);
                let shares =
                    distortion::shares(&laid.site, &laid.methods.multileaving, &truth.winners, plan, &progress);
                progress.finish();
                Ok(shares)
            })?;
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
            curve: setting.click.clone(),
            metric: "distortion",
            points,
        });
    }
    Ok(measured)
}
