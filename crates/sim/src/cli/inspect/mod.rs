//! `rankduel inspect DATASET`: statistics of a data set, and the quality of its features as rankers; their `measures`.

mod measures;

use std::path::Path;

use anyhow::{Result, ensure};
use clap::{ArgGroup, Args};
use figures::{Curve, CurvePoint, Forest, ForestRow, Lines};
use letor_io::{Dataset, FeatureId, Provenance, Statistics, exact_label};
use output::numbers::{with_separators, with_unit};
use output::usage::usage;
use rankers::{Gain, Measure, MeasureKind, Measurement, Rankings, TieBreaking};
use serde::Serialize;
use simulation::arm_names::ArmNames;
use simulation::description::synthetic_note;
use simulation::spec::SiteSpec;
use statistics::fixed::paired_t_test;
use studies::verdict::{self, MeasureTests};

use self::measures::{AllMeans, MEANS, Means, Measures, QUERIES, TESTS};
use crate::cli::args::{
    CommonArgs, DatasetArgs, OutputArgs, OwnArgs, ReadingArgs, announce, dataset_name, default_folder, short,
};
use desk::{eprintln, println};

/// The cutoff of nDCG.
const CUTOFF: u32 = 10;

/// nDCG with exponential and with linear gain, of every data set.
const NDCG: [Measure; 2] = [ndcg(Gain::Exponential), ndcg(Gain::Linear)];

const fn ndcg(gain: Gain) -> Measure {
    Measure { kind: MeasureKind::Ndcg(gain), cutoff: Some(CUTOFF) }
}

/// The number of rankers printed.
const PRINTED: usize = 10;

/// Describe a data set: queries, labels, and the quality of each feature as a ranker.
///
/// Of TREC runs, first says which is better by the first measure, by paired tests. Writes findings.json with all numbers,
/// figures of the rankers' nDCG and of the documents per query, with --measures also measures.csv, of runs tests.csv, and
/// config.json to the results folder.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("data").args(["positional", "dataset", "rankings"]).required(true).multiple(true)))]
pub(super) struct Inspect {
    #[command(flatten)]
    dataset: DatasetArgs,

    /// Measures of each ranker, by the names and definitions of ir_measures and trec_eval: nDCG@10 (its gain is the label;
    /// with `nDCG(dcg='exp-log2')@10` 2^label - 1), AP, RR@10, P@5, R@100, RBP(p=0.8); `rel=2` in brackets sets the lowest
    /// relevant label [default: nDCG@10,AP,RR@10,P@10,R@100 of --rankings, otherwise none]
    ///
    /// A document that a run did not retrieve has no rank, and judged documents that no run retrieved count in recall and
    /// ideal lists. Means are over all judged queries. Where a ranker ties documents, a measure is its exact mean over
    /// their orders. RBP without `rel` takes label / highest label as gain.
    #[arg(long, value_name = "NAME,...")]
    measures: Option<Measures>,

    /// Also write measures-per-query.csv, with the measures of each ranker for each query
    #[arg(long)]
    per_query: bool,

    #[command(flatten)]
    own: OwnArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    common: CommonArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// The content of config.json.
#[derive(Serialize)]
struct Config<'a> {
    command: &'static str,
    version: &'static str,
    dataset: &'a str,
    checksum: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    measures: Option<&'a Measures>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    per_query: bool,
}

/// The content of findings.json.
#[derive(Serialize)]
struct Findings {
    name: String,
    synthetic: bool,
    checksum: String,
    queries: usize,
    documents: usize,
    features: u32,
    documents_per_query: PerQuery,
    labels: Vec<LabelCount>,
    queries_without_relevant: usize,
    zero_share: f64,
    constant_share: f64,
    always_zero: Vec<FeatureId>,
    /// Features that equal an earlier feature in every document, each with that feature.
    duplicates: Vec<[FeatureId; 2]>,
    /// One entry per feature; null if some documents have no label.
    ndcg: Option<Vec<RankerQuality>>,
    /// What was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    measures: Option<AllMeans>,
    /// Of runs: paired tests of every measure.
    #[serde(skip_serializing_if = "Option::is_none")]
    tests: Option<MeasureTests>,
}

#[derive(Serialize)]
struct PerQuery {
    fewest: usize,
    median: usize,
    most: usize,
}

#[derive(Serialize)]
struct LabelCount {
    label: f64,
    documents: usize,
}

/// The quality of a feature as a ranker: mean nDCG over all queries, in expectation over ties.
#[derive(Clone, Serialize)]
struct RankerQuality {
    feature: FeatureId,
    arm: u32,
    /// Its name; absent if no feature has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[expect(clippy::option_option, reason = "null for a feature without a name beside others with one")]
    name: Option<Option<String>>,
    exponential: f64,
    linear: f64,
}

impl Inspect {
    pub(super) fn run(&self) -> Result<()> {
        let asked = self.dataset.asked();
        let spec = SiteSpec {
            dataset: asked.to_vec(),
            reading: self.reading.spec(),
            names: self.reading.names.clone(),
            ..SiteSpec::default()
        };
        let dataset = self.reading.open(&self.own.of_spec(asked, spec)?)?;
        announce(&dataset, self.common.quiet);
        let measures = self.measures.clone().or_else(|| Measures::usual(&dataset));
        ensure!(
            !self.per_query || measures.is_some(),
            usage("--per-query applies to measures: name them with --measures, e.g. nDCG@10,AP")
        );
        let checksum = dataset.checksum();
        let usual = || {
            let name = dataset_name(&self.own.files(asked), dataset.name(), &checksum);
            let part = self.reading.part().map_or_else(String::new, |part| format!("-{part}"));
            let measures = self.measures.as_ref().map(|measures| format!("-{}", short(&measures.names().join("-"))));
            let per_query = if self.per_query { "-per-query" } else { "" };
            default_folder(&format!("inspect-{name}{part}{}{per_query}", measures.unwrap_or_default()))
        };
        let config = Config {
            command: "inspect",
            version: env!("CARGO_PKG_VERSION"),
            dataset: dataset.name(),
            checksum: &checksum,
            measures: measures.as_ref(),
            per_query: self.per_query,
        };
        let folder = self.output.claim(usual, &config, self.common.quiet)?;
        let statistics = Statistics::of(&dataset);
        let names = ArmNames::features((1..=dataset.features()).map(FeatureId).collect());
        let names = names.called(dataset.feature_names().cloned());
        let rankings = Ranked::new(&dataset, statistics.unlabelled(), measures.as_ref())?;
        let measurement = rankings.as_ref().map(|ranked| ranked.measurement(measures.as_ref())).transpose()?;
        let tested = measurement.as_ref().zip(measures.as_ref()).filter(|_| dataset.runs().is_some());
        if let Some((measurement, _)) = tested {
            // Tests, means and the figure are of the same values.
            let _ = measurement.per_query();
        }
        let mut findings = Findings::of(&dataset, &statistics, (measurement.as_ref(), measures.clone()), &names);
        findings.tests = match tested {
            Some((measurement, measures)) => MeasureTests::of(measurement, &measures.names(), NDCG.len())?,
            None => None,
        };
        folder.write(&config, || {
            output::write_json_pretty(&folder.join("findings.json"), &findings)?;
            match (&findings.measures, &measurement) {
                (Some(means), Some(measurement)) => {
                    means.write(folder.path(), (measurement, &dataset), &names, (NDCG.len(), self.per_query))?;
                }
                _ => [MEANS, QUERIES].iter().try_for_each(|name| output::remove_stale(&folder.join(name)))?,
            }
            AllMeans::write_tests(findings.tests.as_ref(), folder.path(), &names)?;
            draw(&dataset, &findings, tested, &names.shortened(), folder.path())
        })?;
        let names = names.shortened();
        if self.output.json {
            println!("{}", serde_json::to_string_pretty(&findings)?);
        } else {
            if let Some(sentence) = findings.tests.as_ref().and_then(|tests| tests.sentence(&names)) {
                println!("{}.\n", verdict::capitalised(&sentence));
            }
            println!("{statistics}\n{}", report(&findings, &names));
        }
        if !self.common.quiet {
            let rankers = if findings.ndcg.is_some() { "rankers.png, rankers.svg, " } else { "" };
            let measured = match (&findings.measures, self.per_query) {
                (None, _) => String::new(),
                (Some(_), false) => format!("{MEANS}, "),
                (Some(_), true) => format!("{MEANS}, {QUERIES}, "),
            };
            let tested = findings.tests.as_ref().map_or_else(String::new, |_| format!("{TESTS}, "));
            eprintln!(
                "results in {}: {rankers}{measured}{tested}documents.png, documents.svg, findings.json, config.json",
                folder.path().display()
            );
        }
        Ok(())
    }
}

/// The features as rankers, which have measures.
struct Ranked(Rankings);

impl Ranked {
    /// `None` if there is no feature, or if documents without labels leave nothing to measure.
    fn new(dataset: &Dataset, unlabelled: usize, measures: Option<&Measures>) -> Result<Option<Self>> {
        if dataset.features() == 0 || (unlabelled > 0 && measures.is_none()) {
            return Ok(None);
        }
        let features: Vec<FeatureId> = (1..=dataset.features()).map(FeatureId).collect();
        Ok(Some(Self(Rankings::new(dataset, &features, TieBreaking::Random)?)))
    }

    /// With nDCG of both gains, and then what was asked for.
    fn measurement(&self, asked: Option<&Measures>) -> Result<Measurement<'_>> {
        let asked = asked.iter().flat_map(|measures| &measures.0).copied();
        Ok(self.0.measure(&NDCG.into_iter().chain(asked).collect::<Vec<_>>())?)
    }
}

impl Findings {
    fn of(
        dataset: &Dataset,
        statistics: &Statistics,
        (measurement, asked): (Option<&Measurement<'_>>, Option<Measures>),
        names: &ArmNames,
    ) -> Self {
        let means = measurement.map(Measurement::means);
        let rankers = || means.iter().flatten().zip(1..);
        let quality = |(values, feature): (&Vec<f64>, u32)| RankerQuality {
            feature: FeatureId(feature),
            arm: feature - 1,
            name: names.cell(feature as usize - 1),
            exponential: values[0],
            linear: values[1],
        };
        let of_ranker = |(values, feature): (&Vec<f64>, u32)| Means {
            feature: FeatureId(feature),
            name: names.cell(feature as usize - 1),
            values: values[NDCG.len()..].to_vec(),
        };
        let [fewest, median, most] = statistics.documents_per_query;
        let labels = statistics.labels.iter();
        Self {
            name: dataset.name().to_owned(),
            synthetic: matches!(dataset.provenance(), Provenance::LookAlike { .. }),
            checksum: dataset.checksum(),
            queries: statistics.queries,
            documents: statistics.documents,
            features: statistics.features,
            documents_per_query: PerQuery { fewest, median, most },
            labels: labels.map(|&(label, documents)| LabelCount { label: exact_label(label), documents }).collect(),
            queries_without_relevant: statistics.queries_without_relevant,
            zero_share: statistics.zero_share,
            constant_share: statistics.constant_share,
            always_zero: statistics.always_zero.clone(),
            duplicates: statistics.duplicates.iter().map(|&(feature, first)| [feature, first]).collect(),
            ndcg: (statistics.unlabelled() == 0).then(|| rankers().map(quality).collect()),
            measures: measurement.zip(asked).map(|(measurement, measures)| AllMeans {
                measures,
                queries: measurement.queries(),
                rankers: rankers().map(of_ranker).collect(),
            }),
            tests: None,
        }
    }

    /// The features by their nDCG, best first.
    fn best_first(&self) -> Option<Vec<RankerQuality>> {
        let mut best = self.ndcg.clone()?;
        best.sort_by(|one, other| other.exponential.total_cmp(&one.exponential));
        Some(best)
    }
}

fn report(findings: &Findings, names: &ArmNames) -> String {
    let total = findings.documents.max(1) as f64;
    let most = findings.labels.iter().map(|label| label.documents).max().unwrap_or(0).max(1);
    let mut text = String::from("  label   documents\n");
    for LabelCount { label, documents } in &findings.labels {
        let bar = "█".repeat((documents * 40).div_ceil(most));
        text += &format!(
            "  {label:<7} {:>9} {:>5.1} %  {bar}\n",
            with_separators(*documents as u64),
            100.0 * *documents as f64 / total
        );
    }
    let Some(best) = findings.best_first() else {
        return text + "  no nDCG: some documents have no label";
    };
    text += &format!(
        "  best rankers of {}, nDCG@{CUTOFF} with exponential and linear gain\n",
        with_separators(best.len() as u64)
    );
    for RankerQuality { arm, exponential, linear, .. } in best.iter().take(PRINTED) {
        let name = names.name(*arm as usize);
        text += &format!("  {name:<24} {exponential:.4}  {linear:.4}\n");
    }
    let random = findings.always_zero.first().and_then(|zero| best.iter().find(|ranker| ranker.feature == *zero));
    if let Some(random) = random {
        text += &format!("  {:<24} {:.4}  {:.4}\n", "random order", random.exponential, random.linear);
    }
    text += "  findings.json has all rankers";
    if let Some(measures) = &findings.measures {
        let queries = with_unit(measures.queries as u64, "query");
        text += &format!("\n\nmeans over {queries}\n{}", measures.table(names, PRINTED));
    }
    if let Some(tests) = &findings.tests {
        text += &format!("\n\n{}", tests.table(names, PRINTED));
    }
    text
}

/// The first measure of runs as dots, best first, with the interval of the mean over queries. `None` where there is nothing to
/// estimate it from, or more runs than a page holds.
fn intervals(data: &str, measurement: &Measurement<'_>, measures: &Measures, names: &ArmNames) -> Option<Forest> {
    const MOST: usize = 60;
    let measure = measures.names().into_iter().next()?;
    let values = measurement.per_query();
    let zeros = vec![0.0; measurement.queries()];
    let row = |(arm, values): (usize, &Vec<Vec<f64>>)| {
        let found = paired_t_test(&values[NDCG.len()], &zeros).ok()?;
        Some(ForestRow {
            name: names.name(arm),
            value: found.mean,
            inner: found.interval(verdict::LEVEL).ok()?,
            outer: None,
            text: format!("{:.4}", found.mean),
        })
    };
    let mut rows = values.iter().enumerate().map(row).collect::<Option<Vec<_>>>().filter(|rows| rows.len() <= MOST)?;
    rows.sort_by(|one, other| other.value.total_cmp(&one.value));
    Some(Forest {
        title: format!("{measure} of {} on {data}", with_unit(rows.len() as u64, "run")),
        close: true,
        subtitle: Some(format!(
            "mean over {} and its 95% interval; of a difference, tests.csv has the interval",
            with_unit(measurement.queries() as u64, "query")
        )),
        x_label: measure,
        rows,
        note: None,
    })
}

/// Draws the quality of the rankers, best first, and the distribution of documents per query.
fn draw(
    dataset: &Dataset,
    findings: &Findings,
    measured: Option<(&Measurement<'_>, &Measures)>,
    names: &ArmNames,
    folder: &Path,
) -> Result<()> {
    let note = findings.synthetic.then(|| synthetic_note(&findings.name));
    if let Some(intervals) =
        measured.and_then(|(measurement, measures)| intervals(&findings.name, measurement, measures, names))
    {
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
    let mut before = 0;
    for equal in sizes.chunk_by(|one, other| one == other) {
        // A step function: the share rises where the size is reached.
        points.push(CurvePoint::exact(equal[0] as f64, before as f64 / total));
        before += equal.len();
        points.push(CurvePoint::exact(equal[0] as f64, before as f64 / total));
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
