//! `rankduel inspect DATASET`: statistics of a data set, and the quality of its features, or of other rankers, by measures.

mod figure;
mod measures;

use anyhow::{Context, Result, ensure};
use clap::{ArgGroup, Args, ValueEnum};
use letor_io::{Dataset, FeatureId, Provenance, Statistics, exact_label};
use output::numbers::{with_separators, with_unit};
use output::usage::usage;
use rankers::{Gain, Measure, MeasureKind, Measurement, Rankings, TieBreaking};
use serde::Serialize;
use simulation::arm_names::ArmNames;
use simulation::spec::SiteSpec;
use studies::verdict::{self, JudgedMeasures, MeasureTests, PairedTest, TestSettings};

use self::measures::{AllMeans, MEANS_FILE, Means, Measures, QUERIES_FILE, TESTS_FILE};
use crate::cli::args::{
    CommonArgs, CorrectionArg, DatasetArgs, OutputArgs, RankerFileArgs, ReadingArgs, TableFormat, announce,
    dataset_name, default_folder, shortened_list,
};
use desk::{eprintln, println};

/// The cutoff of nDCG.
const CUTOFF: u32 = 10;

/// nDCG with exponential and with linear gain, of every data set.
const NDCG: [Measure; 2] = [ndcg(Gain::Exponential), ndcg(Gain::Linear)];

const fn ndcg(gain: Gain) -> Measure {
    Measure { kind: MeasureKind::Ndcg(gain), cutoff: Some(CUTOFF) }
}

/// The number of rankers that are printed of a data set, and of pairs.
const PRINTED_RANKERS: usize = 10;

/// The number of rankers that are printed with measures, which are asked for by name.
const MAX_MEASURED_RANKERS: usize = 30;

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

    /// A model's judgments of the runs (an LLM's, say), files of `query 0 document label`, where the --qrels are people's
    /// judgments of some of the same documents: measures by the model, corrected by people (PPI++)
    ///
    /// Assumes that people judged a random sample of the queries and, of each of them, of the documents that the model
    /// judged, each document being as likely as any other. Documents that the model did not judge are not relevant.
    /// Measures that are sums over documents (P, RBP) take every query of which people judged something; the others (nDCG,
    /// AP, RR, R) those of which people judged all that the model did. Either takes 5 queries. How much the model
    /// counts (lambda, 0 to 1) is chosen such that errors are least. Intervals and tests are of a population of queries. nDCG@10
    /// and counts of labels are by the model alone. [default measures: P@10,RBP(p=0.8)]
    #[arg(long, value_name = "FILE,...", value_delimiter = ',', requires = "rankings", conflicts_with = "per_query")]
    judged: Vec<String>,

    /// Of runs: compare each with this one alone, by its name, and correct p-values for these comparisons [default: each with
    /// each]
    #[arg(long, value_name = "RUN", requires = "rankings")]
    baseline: Option<String>,

    /// Of runs: the test of a pair over the queries: t (Student's, of the mean), wilcoxon (signed ranks), bootstrap (of the mean,
    /// over queries), randomization (Fisher's, of the mean), or sign
    #[arg(long, value_name = "TEST", value_enum, default_value_t = TestArg::T, requires = "rankings", conflicts_with = "judged")]
    test: TestArg,

    /// Of runs: the correction for the pairs of a measure: holm bounds the probability of any false finding, bh
    /// (Benjamini-Hochberg) the expected share of false ones
    #[arg(long, value_name = "NAME", value_enum, default_value_t = CorrectionArg::Holm, requires = "rankings")]
    correction: CorrectionArg,

    /// What is printed: text says everything; the others are the table of measures alone, for a paper, a row per ranker with the best first. Of runs, letters say
    /// which others each beats by more than chance
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = TableFormat::Text, conflicts_with = "json")]
    format: TableFormat,

    /// With --format latex: a complete document instead of a table to include
    #[arg(long)]
    standalone: bool,

    #[command(flatten)]
    own: RankerFileArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    common: CommonArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// The names of the tests as flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TestArg {
    /// Means, by Student's distribution
    T,
    /// Signed ranks
    Wilcoxon,
    /// Means, by the bootstrap
    Bootstrap,
    /// Means, by sides that are swapped at random
    Randomization,
    /// Signs
    Sign,
}

impl From<TestArg> for PairedTest {
    fn from(test: TestArg) -> Self {
        match test {
            TestArg::T => Self::T,
            TestArg::Wilcoxon => Self::Wilcoxon,
            TestArg::Bootstrap => Self::Bootstrap,
            TestArg::Randomization => Self::Randomization,
            TestArg::Sign => Self::Sign,
        }
    }
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
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    judged: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<&'a str>,
    #[serde(flatten)]
    tests: TestSettings,
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
    /// The requested measures.
    #[serde(skip_serializing_if = "Option::is_none")]
    measures: Option<AllMeans>,
    /// For runs: paired tests of every measure.
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
        ensure!(
            !self.standalone || self.format == TableFormat::Latex,
            usage("--standalone makes a document of --format latex".to_owned())
        );
        let dataset_args = self.dataset.paths_or_names();
        let spec = SiteSpec {
            dataset: dataset_args.to_vec(),
            reading: self.reading.spec(),
            names: self.reading.names.clone(),
            ..SiteSpec::default()
        };
        let mut spec = self.own.of_spec(dataset_args, spec)?;
        if !self.judged.is_empty() {
            spec.gold = std::mem::replace(&mut spec.qrels, self.judged.clone());
        }
        let dataset = self.reading.open(&spec)?;
        announce(&dataset, self.common.quiet);
        let measures = self.measures.clone().or_else(|| Measures::default_for(&dataset));
        ensure!(
            !self.per_query || measures.is_some(),
            usage("--per-query applies to measures: name them with --measures, e.g. nDCG@10,AP")
        );
        ensure!(
            measures.is_some() || matches!(self.format, TableFormat::Text | TableFormat::Json),
            usage("--format writes a table of measures: name them with --measures, e.g. nDCG@10,AP")
        );
        let baseline = self.baseline_of(&dataset)?;
        let settings = TestSettings { test: self.test.into(), correction: self.correction.into() };
        let checksum = dataset.checksum();
        let default_folder = || {
            let name = dataset_name(&self.own.files(dataset_args), dataset.name(), &checksum);
            let suffix = self.reading.folder_suffix().map_or_else(String::new, |suffix| format!("-{suffix}"));
            let measures =
                self.measures.as_ref().map(|measures| format!("-{}", shortened_list(&measures.names().join("-"))));
            let per_query = if self.per_query { "-per-query" } else { "" };
            let judged = if self.judged.is_empty() { "" } else { "-judged" };
            let baseline_suffix =
                self.baseline.as_ref().map_or_else(String::new, |run| format!("-against-{}", shortened_list(run)));
            let test = self.test.to_possible_value().filter(|_| self.test != TestArg::T);
            let correction = self.correction.to_possible_value().filter(|_| self.correction != CorrectionArg::Holm);
            let tests: String =
                [test, correction].iter().flatten().map(|value| format!("-{}", value.get_name())).collect();
            default_folder(&format!(
                "inspect-{name}{suffix}{}{per_query}{judged}{baseline_suffix}{tests}",
                measures.unwrap_or_default()
            ))
        };
        let config = Config {
            command: "inspect",
            version: env!("CARGO_PKG_VERSION"),
            dataset: dataset.name(),
            checksum: &checksum,
            measures: measures.as_ref(),
            per_query: self.per_query,
            judged: !self.judged.is_empty(),
            baseline: self.baseline.as_deref(),
            tests: settings,
        };
        let folder = self.output.claim(default_folder, &config, self.common.quiet)?;
        let statistics = Statistics::of(&dataset);
        let names = ArmNames::features((1..=dataset.features()).map(FeatureId).collect());
        let names = names.with_user_names(dataset.feature_names().cloned());
        let rankings = MeasuredRankings::new(&dataset, statistics.unlabelled(), measures.as_ref())?;
        let measurement = rankings.as_ref().map(|ranked| ranked.measurement(measures.as_ref())).transpose()?;
        let tested = measurement.as_ref().zip(measures.as_ref()).filter(|_| dataset.runs().is_some());
        if let Some((measurement, _)) = tested {
            // Tests, means and the figure are of the same values.
            let _ = measurement.per_query();
        }
        let judged = match tested.filter(|_| !self.judged.is_empty()) {
            Some((measurement, measures)) => Some(JudgedMeasures::of(measurement, &dataset, &measures.0, NDCG.len())?),
            None => None,
        };
        let mut findings = Findings::of(&dataset, &statistics, (measurement.as_ref(), measures.clone()), &names);
        findings.tests = match (tested, &judged) {
            (_, Some(judged)) => judged.tests(settings.correction)?,
            (Some((measurement, measures)), None) => {
                MeasureTests::of(measurement, &measures.names(), NDCG.len(), settings)?
            }
            (None, None) => None,
        };
        if let Some(baseline) = baseline {
            let tests =
                findings.tests.context("--baseline compares runs, which takes two runs and two judged queries")?;
            findings.tests = Some(tests.against_baseline(baseline)?);
        }
        if let (Some(means), Some(judged)) = (&mut findings.measures, judged) {
            means.correct(judged);
        }
        folder.write(&config, || {
            output::write_json_pretty(&folder.join("findings.json"), &findings)?;
            match (&findings.measures, &measurement) {
                (Some(means), Some(measurement)) => {
                    means.write(folder.path(), (measurement, &dataset), &names, (NDCG.len(), self.per_query))?;
                }
                _ => [MEANS_FILE, QUERIES_FILE].iter().try_for_each(|name| output::remove_stale(&folder.join(name)))?,
            }
            AllMeans::write_tests(findings.tests.as_ref(), folder.path(), &names)?;
            figure::draw(&dataset, &findings, tested, &names.shortened(), folder.path())
        })?;
        let names = names.shortened();
        let paper = findings.measures.as_ref().map(|means| {
            let synthetic = Some(findings.name.as_str()).filter(|_| findings.synthetic);
            means.paper_table(findings.tests.as_ref(), &names, synthetic)
        });
        match (self.format, paper) {
            (TableFormat::Markdown, Some(table)) => println!("{}", table.to_annotated_table().markdown()),
            (TableFormat::Latex, Some(table)) => println!("{}", table.to_annotated_table().latex(self.standalone)),
            (TableFormat::Csv, Some(table)) => println!("{}", table.csv()?.trim_end()),
            _ if self.output.json || self.format == TableFormat::Json => {
                println!("{}", serde_json::to_string_pretty(&findings)?);
            }
            _ => findings.print(&statistics, &names),
        }
        if !self.common.quiet {
            let rankers = if findings.ndcg.is_some() { "rankers.png, rankers.svg, " } else { "" };
            let per_query_measurement = match (&findings.measures, self.per_query) {
                (None, _) => String::new(),
                (Some(_), false) => format!("{MEANS_FILE}, "),
                (Some(_), true) => format!("{MEANS_FILE}, {QUERIES_FILE}, "),
            };
            let tested = findings.tests.as_ref().map_or_else(String::new, |_| format!("{TESTS_FILE}, "));
            eprintln!(
                "results in {}: {rankers}{per_query_measurement}{tested}documents.png, documents.svg, findings.json, config.json",
                folder.path().display()
            );
        }
        Ok(())
    }

    /// The number of the run that the others are compared with.
    fn baseline_of(&self, dataset: &Dataset) -> Result<Option<usize>> {
        let Some(run) = &self.baseline else { return Ok(None) };
        let names = dataset.feature_names().context("--baseline names a TREC run, and these rankers have no names")?;
        Ok(Some(names.look_up(run).map_err(|problem| usage(format!("--baseline: {problem}")))?))
    }
}

/// The features as rankers, which have measures.
struct MeasuredRankings(Rankings);

impl MeasuredRankings {
    /// `None` if there is no feature, or if documents without labels leave nothing to measure.
    fn new(dataset: &Dataset, unlabelled: usize, measures: Option<&Measures>) -> Result<Option<Self>> {
        if dataset.features() == 0 || (unlabelled > 0 && measures.is_none()) {
            return Ok(None);
        }
        let features: Vec<FeatureId> = (1..=dataset.features()).map(FeatureId).collect();
        Ok(Some(Self(Rankings::new(dataset, &features, TieBreaking::Random)?)))
    }

    /// Measures nDCG with both gains, and then the requested measures.
    fn measurement(&self, requested: Option<&Measures>) -> Result<Measurement<'_>> {
        let requested = requested.iter().flat_map(|measures| &measures.0).copied();
        Ok(self.0.measure(&NDCG.into_iter().chain(requested).collect::<Vec<_>>())?)
    }
}

impl Findings {
    /// Prints everything, beginning with the verdict.
    fn print(&self, statistics: &Statistics, names: &ArmNames) {
        if let Some(sentence) = self.tests.as_ref().and_then(|tests| tests.sentence(names)) {
            println!("{}.\n", verdict::capitalised(&sentence));
        }
        if let Some(judged) = self.judged() {
            println!("{}\n", judged.sentences(names).join("\n"));
            let notes: Vec<String> = judged.notes(names).iter().map(|note| format!("Note: {note}.")).collect();
            println!("{}\n", notes.join("\n"));
        }
        println!("{statistics}\n{}", report(self, names));
    }

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
        let [min, median, max] = statistics.documents_per_query;
        let labels = statistics.labels.iter();
        Self {
            name: dataset.name().to_owned(),
            synthetic: matches!(dataset.provenance(), Provenance::LookAlike { .. }),
            checksum: dataset.checksum(),
            queries: statistics.queries,
            documents: statistics.documents,
            features: statistics.features,
            documents_per_query: PerQuery { fewest: min, median, most: max },
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
                judged: None,
            }),
            tests: None,
        }
    }

    /// The measures by a model, corrected by people's labels.
    fn judged(&self) -> Option<&JudgedMeasures> {
        self.measures.as_ref()?.judged.as_ref()
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
    let largest_count = findings.labels.iter().map(|label| label.documents).max().unwrap_or(0).max(1);
    let mut text = String::from("  label   documents\n");
    for LabelCount { label, documents } in &findings.labels {
        let bar = "█".repeat((documents * 40).div_ceil(largest_count));
        text += &format!(
            "  {label:<7} {:>9} {:>5.1} %  {bar}\n",
            with_separators(*documents as u64),
            100.0 * *documents as f64 / total
        );
    }
    // For runs, the table of measures says more.
    if findings.tests.is_none() {
        let Some(best) = findings.best_first() else {
            return text + "  no nDCG: some documents have no label";
        };
        text += &format!("{}\n", best_rankers(findings, &best, names));
    }
    if let Some(measures) = &findings.measures {
        let queries = with_unit(measures.queries as u64, "query");
        text += &match &measures.judged {
            Some(judged) => format!("\n{}", judged.tables(names, MAX_MEASURED_RANKERS)),
            None => format!("\nmeans over {queries}\n{}", measures.table(names, MAX_MEASURED_RANKERS)),
        };
    }
    if let Some(tests) = &findings.tests {
        text += &format!("\n\n{}", tests.table(names, PRINTED_RANKERS));
    }
    text.trim_end().to_owned()
}

/// The best rankers by nDCG, and the nDCG of a random order.
fn best_rankers(findings: &Findings, best: &[RankerQuality], names: &ArmNames) -> String {
    let mut text = format!(
        "  best rankers of {}, nDCG@{CUTOFF} with exponential and linear gain{}\n",
        with_separators(best.len() as u64),
        if findings.judged().is_some() { ", by the model's labels" } else { "" }
    );
    for RankerQuality { arm, exponential, linear, .. } in best.iter().take(PRINTED_RANKERS) {
        let name = names.name(*arm as usize);
        text += &format!("  {name:<24} {exponential:.4}  {linear:.4}\n");
    }
    let random = findings.always_zero.first().and_then(|zero| best.iter().find(|ranker| ranker.feature == *zero));
    if let Some(random) = random {
        text += &format!("  {:<24} {:.4}  {:.4}\n", "random order", random.exponential, random.linear);
    }
    text += "  findings.json has all rankers";
    text
}
