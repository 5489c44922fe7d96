//! Agreement: the rate at which interleaving and A/B tests prefer the ranker with fewer clicks, by the number of impressions.

use std::time::Instant;

use anyhow::{Result, ensure};
use figures::Panel;
use interleave::AnyInterleaving;
use output::cache::sha256_hex;
use output::progress::Progress;
use output::usage::usage;
use simulation::seed_text::{SeedSubject, seed_text};
use studies::agreement::{self, PairAgreement, Plan};
use studies::runner::NumberedWork;

use crate::experiment::claim::Claim;
use crate::experiment::config::expand::Setting;
use crate::experiment::config::validate::require_key;
use crate::experiment::config::{Experiment, Scale};
use crate::experiment::context::ExperimentContext;
use crate::experiment::cost::{Estimate, EstimateRequest};
use crate::experiment::experiment_data::ExperimentData;
use crate::experiment::experiment_share::ExperimentShare;
use crate::experiment::kinds::{ExperimentKind, Sample, SeriesNames};
use crate::experiment::opened_setting::{SettingInfo, site_spec};
use crate::experiment::panels::PanelBuilder;
use crate::experiment::series::{Metric, Point, Series};

pub(crate) struct Agreement;

/// Seconds of one thread per impression and method.
const SECONDS_PER_IMPRESSION: f64 = 1.5e-6;

impl ExperimentKind for Agreement {
    fn check(&self, experiment: &Experiment) -> Result<()> {
        require_key(experiment, !experiment.methods.is_empty(), "methods")?;
        require_key(experiment, !experiment.horizons.is_empty(), "horizons")?;
        methods(experiment).map(drop)
    }

    fn series_names(&self, experiment: &Experiment) -> Result<SeriesNames> {
        let labels = Plan { methods: methods(experiment)?, horizons: Vec::new(), pairs: 0, seed: 0 }.labels();
        let metrics = [Metric::Error, Metric::Gap].map(|metric| (metric, labels.clone()));
        Ok(SeriesNames::new(self, experiment, metrics.to_vec()))
    }

    fn measure(&self, context: &ExperimentContext, experiment: &Experiment) -> Result<ExperimentData> {
        measure(context, experiment)
    }

    fn panels(&self, experiment: &Experiment, data: &ExperimentData) -> Vec<Panel> {
        // The claims decide which metric is drawn.
        let is_of_gap = |claim: &Claim| claim.metric.as_deref() == Some(Metric::Gap.name());
        let claims = &experiment.claims;
        let (metric, y_label) = if !claims.is_empty() && claims.iter().all(is_of_gap) {
            (Metric::Gap, "preference for the first ranker")
        } else {
            (Metric::Error, "share of pairs ordered otherwise than by clicks")
        };
        let template = Panel {
            x_label: "impressions".to_owned(),
            y_label: y_label.to_owned(),
            x_log: Scale::is_log(experiment.draw.x, true),
            dots: true,
            ..Panel::default()
        };
        PanelBuilder::new(experiment, data).panels(metric, &template)
    }

    fn cost(&self, request: &EstimateRequest<'_>, _: &Setting, total: &mut Estimate) -> Result<()> {
        let plan = plan(request.context, request.experiment)?;
        let last_horizon = plan.horizons.last().copied().unwrap_or(1);
        total.cells += 1;
        total.runs += plan.pairs;
        total.steps += plan.pairs * last_horizon;
        // The truth shows forty times as many lists, which takes less time than mixing them.
        total.play_seconds +=
            (plan.pairs * last_horizon * (plan.methods.len() as u64 + 15)) as f64 * SECONDS_PER_IMPRESSION;
        Ok(())
    }

    fn sample(&self) -> Sample {
        Sample { noun: "pair", qualifier: " of rankers" }
    }
}

/// The methods of the file, each once.
fn methods(experiment: &Experiment) -> Result<Vec<AnyInterleaving>> {
    let parse = |text: &String| text.parse().map_err(|error| usage(format!("methods: {error}")));
    let methods: Vec<AnyInterleaving> = experiment.methods.iter().map(parse).collect::<Result<_, _>>()?;
    for (index, method) in methods.iter().enumerate() {
        let is_repeated = methods[..index].iter().any(|before| before.to_string() == method.to_string());
        ensure!(!is_repeated, usage(format!("methods: {method} is given twice; give each method once")));
    }
    Ok(methods)
}

fn plan(context: &ExperimentContext, experiment: &Experiment) -> Result<Plan> {
    let mut horizons: Vec<u64> = experiment.horizons.iter().map(|horizon| context.scaled(horizon.0, 100)).collect();
    horizons.sort_unstable();
    horizons.dedup();
    let pairs = context.scaled(experiment.runs.map_or(30, |runs| runs.0), 2);
    Ok(Plan { methods: methods(experiment)?, horizons, pairs, seed: experiment.master_seed() })
}

fn measure(context: &ExperimentContext, experiment: &Experiment) -> Result<ExperimentData> {
    let mut data = ExperimentData::default();
    let plan = plan(context, experiment)?;
    for setting in &experiment.settings {
        let start = Instant::now();
        let source = context.source(setting)?;
        let spec = site_spec(setting, &source);
        let dataset = context.open(&source, &spec)?;
        let features = spec.features(&dataset, plan.seed)?;
        let prepared = spec.prepare_rankers(dataset, features, plan.seed, &context.lists)?;
        data.work.preparing += start.elapsed().as_secs_f64();
        let arms = prepared.site.arms();
        ensure!(arms >= 2, usage(format!("setting {:?}: expected two rankers or more, found {arms}", setting.name)));
        let start = Instant::now();
        let key = seed_text(SeedSubject::Agreement {
            site: &prepared.description,
            methods: &plan.methods.iter().map(ToString::to_string).collect::<Vec<_>>(),
            horizons: &plan.horizons,
            pairs: plan.pairs,
            seed: plan.seed,
        });
        if context.sharing.only_prepares() {
            continue;
        }
        let ExperimentShare { share, folder, cells } = &context.sharing;
        let work = NumberedWork::of(share, folder.clone()).within_key(sha256_hex(&key)[..32].to_owned());
        let compute = || {
            let pairs = context.sharing.share.shard().map_or(plan.pairs, |shard| shard.length(plan.pairs));
            let progress = Progress::new(&setting.name, pairs, context.quiet);
            let agreements = agreement::pair_agreements(&prepared.site, &plan, &work, &progress)?;
            progress.finish();
            Ok(agreements)
        };
        if !context.sharing.is_complete() {
            compute()?;
            cells.borrow_mut().extend(work.into_cells());
            continue;
        }
        let agreements: Vec<PairAgreement> = context.cache().json("agreement", &key, |_| true, compute)?;
        let last_horizon = plan.horizons.last().copied().unwrap_or(0);
        data.work.add(&setting.name, "pairs", start.elapsed().as_secs_f64(), plan.pairs * last_horizon);
        let resolved = agreements.iter().filter(|pair| pair.first_is_better.is_some()).count();
        data.settings.push(SettingInfo {
            setting: setting.name.clone(),
            source,
            arms,
            about: format!("{}, {} clicks", prepared.description.dataset.name, prepared.description.click.model),
            truth: format!("clicks per impression, which differ in {resolved} of {} pairs", agreements.len()),
        });
        data.series.extend(series(&setting.name, &plan, &agreements));
    }
    Ok(data)
}

/// The errors of all methods, on pairs with a truth, and the strength of each one's preference for the first ranker.
fn series(setting: &str, plan: &Plan, agreements: &[PairAgreement]) -> Vec<Series> {
    let series_of = |metric: Metric, value: &dyn Fn(&PairAgreement, usize, usize) -> Option<f64>| -> Vec<Series> {
        let curve = |(method, curve): (usize, String)| {
            let point = |(at, &horizon): (usize, &u64)| {
                let values: Vec<f64> = agreements.iter().filter_map(|pair| value(pair, method, at)).collect();
                (!values.is_empty()).then(|| Point::new(horizon as f64, values))
            };
            let points = plan.horizons.iter().enumerate().filter_map(point).collect();
            Series { setting: setting.to_owned(), curve, metric, points }
        };
        plan.labels().into_iter().enumerate().map(curve).filter(|series| !series.points.is_empty()).collect()
    };
    let mut series = series_of(Metric::Error, &PairAgreement::error);
    series.extend(series_of(Metric::Gap, &|pair, method, at| Some(pair.leads[method][at])));
    series
}
