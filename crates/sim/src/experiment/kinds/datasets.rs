//! Tables of what data sets are like.

use anyhow::{Context, Result};
use letor_io::Statistics;

use crate::experiment::config::Experiment;
use crate::experiment::config::expand;
use crate::experiment::context::ExperimentContext;
use crate::experiment::environment::{OpenedSetting, SettingInfo};
use crate::experiment::measured::{Measured, Table};
use crate::experiment::series::{Point, Series};
use crate::output::numbers::grouped;

pub(crate) fn measure(context: &ExperimentContext, experiment: &Experiment) -> Result<Measured> {
    let mut measured = Measured::default();
    let header = ["data set", "queries", "documents", "features", "always 0", "documents a query", "labels"];
    let mut rows = Vec::new();
    for setting in expand::settings(&experiment.settings) {
        let base = OpenedSetting::open(context, &setting, experiment.seed.unwrap_or(1))?;
        let dataset = base.dataset().with_context(|| format!("setting {:?} needs play = \"live\"", setting.name))?;
        let found = Statistics::of(dataset);
        let [fewest, median, most] = found.documents_per_query;
        let labels: Vec<String> = found
            .labels
            .iter()
            .filter(|(label, _)| label.fract() == 0.0)
            .map(|(label, count)| format!("{label}: {:.1}%", 100.0 * *count as f64 / found.documents.max(1) as f64))
            .collect();
        rows.push(vec![
            setting.name.clone(),
            grouped(found.queries as u64),
            grouped(found.documents as u64),
            grouped(found.features.into()),
            grouped(found.always_zero.len() as u64),
            format!("{} to {}, median {}", grouped(fewest as u64), grouped(most as u64), grouped(median as u64)),
            labels.join(", "),
        ]);
        for (curve, value) in [
            ("queries", found.queries as f64),
            ("documents", found.documents as f64),
            ("features", f64::from(found.features)),
            ("always 0", found.always_zero.len() as f64),
        ] {
            measured.series.push(Series {
                setting: setting.name.clone(),
                curve: curve.to_owned(),
                metric: "count",
                points: vec![Point { x: 1.0, values: vec![value] }],
            });
        }
        measured.settings.push(SettingInfo {
            setting: setting.name.clone(),
            source: base.source.clone(),
            arms: base.arms(),
            about: base.about(),
            truth: String::new(),
        });
    }
    measured.table = Some(Table { header: header.map(str::to_owned).to_vec(), rows });
    Ok(measured)
}
