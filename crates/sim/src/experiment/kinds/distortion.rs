//! Distortion: the share of rankers that a multileaving ranks above the best by mistake.

use std::time::Instant;

use anyhow::{Context, Result};
use figures::Panel;
use output::progress::Progress;
use simulation::seed_text::{SeedSubject, seed_text};
use simulation::truth::RegretMeasure;

use crate::experiment::config::expand::Setting;
use crate::experiment::config::validate::require_key;
use crate::experiment::config::{Experiment, Scale};
use crate::experiment::context::ExperimentContext;
use crate::experiment::cost::{Estimate, EstimateRequest};
use crate::experiment::experiment_data::ExperimentData;
use crate::experiment::experiment_share::ExperimentShare;
use crate::experiment::kinds::{ExperimentKind, Sample, SeriesNames, SettingLabel, check_some_fit};
use crate::experiment::opened_setting::{SettingInfo, site_spec};
use crate::experiment::panels::PanelBuilder;
use crate::experiment::series::{Metric, Point, Series};
use output::cache::sha256_hex;
use studies::distortion::{self, Plan};
use studies::runner::NumberedWork;

pub(crate) struct Distortion;

/// Seconds of one thread per impression and multileaved ranker.
const MULTILEAVING: f64 = 100e-9;
/// Comparisons of pairs behind the truth of a setting, roughly.
const TRUTH_COMPARISONS: u64 = 70_000_000;

impl ExperimentKind for Distortion {
    fn check(&self, experiment: &Experiment) -> Result<()> {
        require_key(experiment, !experiment.sizes.is_empty(), "sizes")
    }

    fn series_names(&self, experiment: &Experiment) -> Result<SeriesNames> {
        let settings = &experiment.settings;
        let mut curves: Vec<String> = settings.iter().filter_map(|setting| self.setting_label(setting).curve).collect();
        curves.dedup();
        Ok(SeriesNames::new(self, experiment, vec![(Metric::Distortion, curves)]))
    }

    /// A panel per entry of the file, a curve per click model.
    fn setting_label<'a>(&self, setting: &'a Setting) -> SettingLabel<'a> {
        SettingLabel { setting: &setting.family, curve: Some(setting.spec.click.to_string()) }
    }

    fn measure(&self, context: &ExperimentContext, experiment: &Experiment) -> Result<ExperimentData> {
        measure(context, experiment)
    }

    fn panels(&self, experiment: &Experiment, data: &ExperimentData) -> Vec<Panel> {
        let template = Panel {
            x_label: "rankers multileaved".to_owned(),
            y_label: "distortion: % that seem to beat the best".to_owned(),
            x_log: Scale::is_log(experiment.draw.x, true),
            dots: true,
            ..Panel::default()
        };
        PanelBuilder::new(experiment, data).panels(Metric::Distortion, &template)
    }

    fn cost(&self, request: &EstimateRequest<'_>, _: &Setting, total: &mut Estimate) -> Result<()> {
        let EstimateRequest { context, experiment, .. } = request;
        let impressions = sets(context, experiment) * multileavings(context, experiment);
        for &size in &experiment.sizes {
            total.cells += 1;
            total.runs += sets(context, experiment);
            total.steps += impressions;
            total.play_seconds += (impressions * (size as u64 + 10)) as f64 * MULTILEAVING;
        }
        total.comparisons += TRUTH_COMPARISONS;
        Ok(())
    }

    fn sample(&self) -> Sample {
        Sample { noun: "set", qualifier: " of rankers" }
    }
}

/// Random sets of rankers of each size, scaled.
fn sets(context: &ExperimentContext, experiment: &Experiment) -> u64 {
    context.scaled(experiment.runs.map_or(30, |runs| runs.0), 2)
}

/// Multileavings per set, scaled.
fn multileavings(context: &ExperimentContext, experiment: &Experiment) -> u64 {
    context.scaled(experiment.multileavings.map_or(3_000, |count| count.0), 200)
}

fn measure(context: &ExperimentContext, experiment: &Experiment) -> Result<ExperimentData> {
    let mut data = ExperimentData::default();
    let seed = experiment.master_seed();
    let (sets, multileavings) = (sets(context, experiment), multileavings(context, experiment));
    for setting in &experiment.settings {
        let start = Instant::now();
        let source = context.source(setting)?;
        let spec = site_spec(setting, &source);
        let dataset = context.open(&source, &spec)?;
        let features = spec.features(&dataset, seed)?;
        let prepared = spec.prepare_rankers(dataset, features, seed, &context.lists)?;
        let truth = context.truth(&prepared, seed, false)?;
        data.work.preparing += start.elapsed().as_secs_f64();
        data.settings.push(SettingInfo {
            setting: setting.name.clone(),
            source,
            arms: prepared.site.arms(),
            about: format!("{}, {} clicks", prepared.description.dataset.name, prepared.description.click.model),
            truth: truth.describe(|arm| prepared.description.label(arm)),
        });
        if truth.measure != RegretMeasure::Condorcet {
            continue;
        }
        let max_losers = prepared.site.arms() - truth.winners.len() + 1;
        check_some_fit("sizes", experiment.sizes.iter().copied(), max_losers)
            .with_context(|| format!("setting {:?}", setting.name))?;
        let mut points = Vec::new();
        for &size in experiment.sizes.iter().filter(|size| (2..=max_losers).contains(*size)) {
            let start = Instant::now();
            let plan = Plan { size, multileavings, sets, seed };
            let key = seed_text(SeedSubject::Distortion {
                site: &prepared.description,
                winners: &truth.winners,
                size,
                multileavings,
                sets,
                seed,
            });
            if context.sharing.only_prepares() {
                continue;
            }
            let ExperimentShare { share, folder, cells } = &context.sharing;
            let cache_key = sha256_hex(&key)[..32].to_owned();
            let work = NumberedWork::of(share, folder.clone()).within_key(cache_key);
            let compute = || {
                let sets = context.sharing.share.shard().map_or(sets, |shard| shard.length(sets));
                let progress = Progress::new(&format!("{}, {size} rankers", setting.name), sets, context.quiet);
                let multileaving = &prepared.methods.multileaving;
                let loss_shares =
                    distortion::loss_shares(&prepared.site, multileaving, &truth.winners, plan, &work, &progress)?;
                progress.finish();
                Ok(loss_shares)
            };
            if !context.sharing.is_complete() {
                compute()?;
                cells.borrow_mut().extend(work.into_cells());
                continue;
            }
            let loss_shares: Vec<f64> = context.cache().json("distortion", &key, |_| true, compute)?;
            data.work.add(
                &setting.name,
                &format!("{size} rankers"),
                start.elapsed().as_secs_f64(),
                sets * multileavings,
            );
            points.push(Point::new(size as f64, loss_shares.iter().map(|share| 100.0 * share).collect()));
        }
        let label = Distortion.setting_label(setting);
        data.series.push(Series {
            setting: label.setting.to_owned(),
            curve: label.curve.unwrap_or_default(),
            metric: Metric::Distortion,
            points,
        });
    }
    Ok(data)
}
