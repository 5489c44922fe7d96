//! `sim inspect DATASET`: statistics of a data set, and the quality of its features as rankers.

use std::path::Path;

use anyhow::Result;
use clap::Args;
use letor_io::{Dataset, FeatureId, Provenance, Statistics};
use rankers::{Gain, Rankings, TieBreaking};
use serde::Serialize;

use super::print::{eprintln, println};
use crate::cli::args::{CommonArgs, OutputArgs, OwnArgs, ReadingArgs, announce, dataset_name, default_folder};
use crate::figure::{Curve, CurvePoint, Lines};
use crate::output;
use crate::output::numbers::{with_separators, with_unit};
use crate::simulation::arm_names::ArmNames;
use crate::simulation::spec::SiteSpec;

/// The cutoff of nDCG.
const CUTOFF: usize = 10;

/// The number of rankers printed.
const PRINTED: usize = 10;

/// Describe a data set: queries, labels, and the quality of each feature as a ranker.
///
/// Writes findings.json with all numbers, figures of the rankers' nDCG and of the documents per query, and
/// config.json to the results folder.
#[derive(Debug, Args)]
pub(super) struct Inspect {
    /// A registered data set, a folder, files (comma separated), or a look-alike such as
    /// `mslr-lookalike:0.1`
    #[arg(value_name = "DATASET", value_delimiter = ',', required_unless_present_any = ["as_flag", "trec_runs"])]
    dataset: Vec<String>,

    /// The same as DATASET, as other commands take it
    #[arg(
        id = "as_flag",
        long = "dataset",
        value_name = "NAME|PATH,...",
        value_delimiter = ',',
        conflicts_with = "dataset"
    )]
    as_flag: Vec<String>,

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
}

#[derive(Serialize)]
struct PerQuery {
    fewest: usize,
    median: usize,
    most: usize,
}

#[derive(Serialize)]
struct LabelCount {
    label: f32,
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
        self.common.apply()?;
        let asked = if self.as_flag.is_empty() { &self.dataset } else { &self.as_flag };
        let spec = SiteSpec {
            dataset: asked.clone(),
            reading: self.reading.spec(),
            names: self.reading.names.clone(),
            ..SiteSpec::default()
        };
        let dataset = self.reading.open(&self.own.of_spec(asked, spec)?)?;
        announce(&dataset, self.common.quiet);
        let checksum = dataset.checksum();
        let usual = || {
            let name = dataset_name(&self.own.files(asked), dataset.name(), &checksum);
            let part = self.reading.part().map_or_else(String::new, |part| format!("-{part}"));
            default_folder(&format!("inspect-{name}{part}"))
        };
        let config = Config {
            command: "inspect",
            version: env!("CARGO_PKG_VERSION"),
            dataset: dataset.name(),
            checksum: &checksum,
        };
        let folder = self.output.claim(usual, &config, self.common.quiet)?;
        let statistics = Statistics::of(&dataset);
        let names = ArmNames::features((1..=dataset.features()).map(FeatureId).collect());
        let names = names.called(dataset.feature_names().cloned());
        let findings = Findings::of(&dataset, &statistics, &names)?;
        let names = names.shortened();
        folder.write(&config, || {
            output::write_json_pretty(&folder.join("findings.json"), &findings)?;
            draw(&dataset, &findings, &names, folder.path())
        })?;
        if self.output.json {
            println!("{}", serde_json::to_string_pretty(&findings)?);
        } else {
            println!("{statistics}\n{}", report(&findings, &names));
        }
        if !self.common.quiet {
            let rankers = if findings.ndcg.is_some() { "rankers.png, rankers.svg, " } else { "" };
            eprintln!(
                "results in {}: {rankers}documents.png, documents.svg, findings.json, config.json",
                folder.path().display()
            );
        }
        Ok(())
    }
}

impl Findings {
    fn of(dataset: &Dataset, statistics: &Statistics, names: &ArmNames) -> Result<Self> {
        let [fewest, median, most] = statistics.documents_per_query;
        let labels = statistics.labels.iter();
        Ok(Self {
            name: dataset.name().to_owned(),
            synthetic: matches!(dataset.provenance(), Provenance::LookAlike { .. }),
            checksum: dataset.checksum(),
            queries: statistics.queries,
            documents: statistics.documents,
            features: statistics.features,
            documents_per_query: PerQuery { fewest, median, most },
            labels: labels.map(|&(label, documents)| LabelCount { label, documents }).collect(),
            queries_without_relevant: statistics.queries_without_relevant,
            zero_share: statistics.zero_share,
            constant_share: statistics.constant_share,
            always_zero: statistics.always_zero.clone(),
            duplicates: statistics.duplicates.iter().map(|&(feature, first)| [feature, first]).collect(),
            ndcg: if statistics.unlabelled() == 0 { Some(qualities(dataset, names)?) } else { None },
        })
    }

    /// The features by their nDCG, best first.
    fn best_first(&self) -> Option<Vec<RankerQuality>> {
        let mut best = self.ndcg.clone()?;
        best.sort_by(|one, other| other.exponential.total_cmp(&one.exponential));
        Some(best)
    }
}

fn qualities(dataset: &Dataset, names: &ArmNames) -> Result<Vec<RankerQuality>> {
    let features: Vec<FeatureId> = (1..=dataset.features()).map(FeatureId).collect();
    if features.is_empty() {
        return Ok(Vec::new());
    }
    let rankings = Rankings::new(dataset, &features, TieBreaking::Random)?;
    let exponential = rankings.ndcg(dataset.labels(), CUTOFF, Gain::Exponential)?;
    let linear = rankings.ndcg(dataset.labels(), CUTOFF, Gain::Linear)?;
    let both = exponential.into_iter().zip(linear);
    let quality = |(feature, (exponential, linear)): (FeatureId, _)| RankerQuality {
        feature,
        arm: feature.0 - 1,
        name: names.cell(feature.0 as usize - 1),
        exponential,
        linear,
    };
    Ok(features.into_iter().zip(both).map(quality).collect())
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
    text + "  findings.json has all rankers"
}

/// Draws the quality of the rankers, best first, and the distribution of documents per query.
fn draw(dataset: &Dataset, findings: &Findings, names: &ArmNames, folder: &Path) -> Result<()> {
    let note = findings.synthetic.then(|| format!("synthetic data: {} is generated", findings.name));
    if let Some(best) = findings.best_first() {
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
