//! The figures of `inspect`: measures or nDCG of the rankers, and documents per query.

use std::path::Path;

use anyhow::Result;
use figures::{Curve, CurvePoint, Forest, ForestRow, Lines};
use letor_io::Dataset;
use output::numbers::{with_separators, with_unit};
use rankers::Measurement;
use simulation::arm_names::ArmNames;
use simulation::description::synthetic_note;
use statistics::fixed_sample::paired_t_test;
use studies::verdict;

use super::measures::Measures;
use super::{CUTOFF, Findings, NDCG, PerQuery, RankerQuality};

/// The first measure of runs as dots, best first, with the interval of the mean over queries. `None` where there is nothing to
/// estimate it from, or more runs than a page holds.
fn intervals(
    findings: &Findings,
    (measurement, measures): (&Measurement<'_>, &Measures),
    names: &ArmNames,
) -> Option<Forest> {
    let (data, judged) = (&findings.name, findings.judged());
    const MAX_ROWS: usize = 60;
    let measure = measures.names().into_iter().next()?;
    let row = |(arm, (value, inner)): (usize, (f64, (f64, f64)))| ForestRow {
        name: names.name(arm),
        value,
        inner,
        outer: None,
        text: format!("{value:.4}"),
    };
    let estimates: Vec<(f64, (f64, f64))> = match judged {
        Some(judged) => judged.measures.first()?.runs.iter().map(|run| (run.mean, run.interval)).collect(),
        None => intervals_of_means(measurement)?,
    };
    let mut rows =
        Some(estimates).filter(|rows| rows.len() <= MAX_ROWS)?.into_iter().enumerate().map(row).collect::<Vec<_>>();
    rows.sort_by(|one, other| other.value.total_cmp(&one.value));
    Some(Forest {
        title: format!("{measure} of {} on {data}", with_unit(rows.len() as u64, "run")),
        close: true,
        subtitle: Some(format!(
            "{}mean over {} and its 95% interval; of a difference, tests.csv has the interval",
            if judged.is_some() { "corrected " } else { "" },
            with_unit(measurement.queries() as u64, "query")
        )),
        x_label: measure,
        rows,
        note: None,
    })
}

/// For each run, the mean of the first requested measure, and its interval.
fn intervals_of_means(measurement: &Measurement<'_>) -> Option<Vec<(f64, (f64, f64))>> {
    let zeros = vec![0.0; measurement.queries()];
    let of_run = |values: &Vec<Vec<f64>>| {
        let test = paired_t_test(&values[NDCG.len()], &zeros).ok()?;
        Some((test.mean, test.interval(verdict::LEVEL).ok()?))
    };
    measurement.per_query().iter().map(of_run).collect()
}

/// Draws the quality of the rankers, best first, and the distribution of documents per query.
pub(super) fn draw(
    dataset: &Dataset,
    findings: &Findings,
    measurement: Option<(&Measurement<'_>, &Measures)>,
    names: &ArmNames,
    folder: &Path,
) -> Result<()> {
    let note = findings.synthetic.then(|| synthetic_note(&findings.name));
    if let Some(intervals) = measurement.and_then(|measurement| intervals(findings, measurement, names)) {
        Forest { note: note.clone(), ..intervals }.save(&folder.join("rankers"))?;
    } else if let Some(best) = findings.best_first() {
        let curve = |name: &str, value: fn(&RankerQuality) -> f64| {
            let points = best.iter().zip(1..).map(|(ranker, place)| CurvePoint::exact(f64::from(place), value(ranker)));
            Curve { name: name.to_owned(), points: points.collect() }
        };
        let lines = Lines {
            title: format!("nDCG@{CUTOFF} of the feature rankers of {}", findings.name),
            subtitle: best.first().map(|best| {
                format!("best: {}, {:.4}; in expectation over ties", names.name(best.arm as usize), best.exponential)
            }),
            x_label: "feature rankers, best first".to_owned(),
            y_label: format!("nDCG@{CUTOFF}, mean over queries"),
            curves: vec![curve("exponential gain", |r| r.exponential), curve("linear gain", |r| r.linear)],
            note: note.clone(),
            ..Lines::default()
        };
        lines.save(&folder.join("rankers"))?;
    } else {
        output::remove_stale(&folder.join("rankers.png"))?;
        output::remove_stale(&folder.join("rankers.svg"))?;
    }
    let mut sizes: Vec<usize> = dataset.iter().map(|query| query.documents()).collect();
    sizes.sort_unstable();
    let total = sizes.len().max(1) as f64;
    let mut points = vec![CurvePoint::exact(0.0, 0.0)];
    let mut offset = 0;
    for equal in sizes.chunk_by(|one, other| one == other) {
        // A step function: the share rises where the size is reached.
        points.push(CurvePoint::exact(equal[0] as f64, offset as f64 / total));
        offset += equal.len();
        points.push(CurvePoint::exact(equal[0] as f64, offset as f64 / total));
    }
    let PerQuery { fewest, median, most } = findings.documents_per_query;
    let spread = match (fewest, most) {
        (one, other) if one == other => format!("{} each", with_unit(one as u64, "document")),
        _ => format!(
            "{} to {} documents, median {}",
            with_separators(fewest as u64),
            with_separators(most as u64),
            with_separators(median as u64)
        ),
    };
    let lines = Lines {
        title: format!("Documents per query in {}", findings.name),
        subtitle: Some(format!("{}, {spread}", with_unit(findings.queries as u64, "query"))),
        x_label: "documents".to_owned(),
        y_label: "share of queries with at most that many".to_owned(),
        curves: vec![Curve { name: "queries".to_owned(), points }],
        note,
        ..Lines::default()
    };
    lines.save(&folder.join("documents"))
}
