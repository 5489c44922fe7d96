//! Tables of the statistics of data sets.

use anyhow::{Context, Result};
use figures::Panel;
use letor_io::Statistics;
use output::numbers::with_separators;

use crate::experiment::config::Experiment;
use crate::experiment::config::expand::Setting;
use crate::experiment::context::ExperimentContext;
use crate::experiment::cost::{Estimate, EstimateRequest};
use crate::experiment::experiment_data::{ExperimentData, Table};
use crate::experiment::kinds::{ExperimentKind, SeriesNames, to_strings};
use crate::experiment::opened_setting::{OpenedSetting, SettingInfo};
use crate::experiment::series::{Metric, Point, Series};

pub(crate) struct Datasets;

const COUNTS: [&str; 4] = ["queries", "documents", "features", "always 0"];

impl ExperimentKind for Datasets {
    fn check(&self, _: &Experiment) -> Result<()> {
        Ok(())
    }

    fn series_names(&self, experiment: &Experiment) -> Result<SeriesNames> {
        Ok(SeriesNames::new(self, experiment, vec![(Metric::Count, to_strings(&COUNTS))]))
    }

    fn measure(&self, context: &ExperimentContext, experiment: &Experiment) -> Result<ExperimentData> {
        measure(context, experiment)
    }

    fn panels(&self, _: &Experiment, _: &ExperimentData) -> Vec<Panel> {
        Vec::new()
    }

    fn cost(&self, request: &EstimateRequest<'_>, setting: &Setting, total: &mut Estimate) -> Result<()> {
        request.add_matrix(setting, total)
    }
}

fn measure(context: &ExperimentContext, experiment: &Experiment) -> Result<ExperimentData> {
    let mut data = ExperimentData::default();
    let header = ["data set", "queries", "documents", "features", "always 0", "documents per query", "labels"];
    let mut rows = Vec::new();
    for setting in &experiment.settings {
        let base = OpenedSetting::open(context, setting, experiment.master_seed())?;
        let dataset = base.dataset().with_context(|| format!("setting {:?} needs play = \"live\"", setting.name))?;
        let statistics = Statistics::of(dataset);
        let [min, median, max] = statistics.documents_per_query;
        let labels: Vec<String> = statistics
            .labels
            .iter()
            .filter(|(label, _)| label.fract() == 0.0)
            .map(|(label, count)| {
                format!("{label}: {:.1}%", 100.0 * *count as f64 / statistics.documents.max(1) as f64)
            })
            .collect();
        rows.push(vec![
            setting.name.clone(),
            with_separators(statistics.queries as u64),
            with_separators(statistics.documents as u64),
            with_separators(statistics.features.into()),
            with_separators(statistics.always_zero.len() as u64),
            format!(
                "{} to {}, median {}",
                with_separators(min as u64),
                with_separators(max as u64),
                with_separators(median as u64)
            ),
            labels.join(", "),
        ]);
        let counts = [
            statistics.queries as f64,
            statistics.documents as f64,
            f64::from(statistics.features),
            statistics.always_zero.len() as f64,
        ];
        for (curve, count) in COUNTS.into_iter().zip(counts) {
            data.series.push(Series {
                setting: setting.name.clone(),
                curve: curve.to_owned(),
                metric: Metric::Count,
                points: vec![Point::single(1.0, count)],
            });
        }
        data.settings.push(SettingInfo {
            setting: setting.name.clone(),
            source: base.source.clone(),
            arms: base.arms(),
            about: base.subject(),
            truth: String::new(),
        });
    }
    data.table = Some(Table { header: header.map(str::to_owned).to_vec(), rows });
    Ok(data)
}
