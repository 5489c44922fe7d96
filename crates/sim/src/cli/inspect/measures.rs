//! Measures of the rankers: the request, the table of means, and their files.

use std::path::Path;
use std::str::FromStr;

use anyhow::Result;
use letor_io::{Dataset, FeatureId, Runs};
use output::text_table::{Align, TextTable};
use output::{remove_stale, write_csv};
use rankers::{Measure, MeasureError, Measurement};
use serde::{Serialize, Serializer};
use simulation::arm_names::ArmNames;
use studies::verdict::{JudgedMeasures, MeasureTable, MeasureTests, RankerMeans};

/// The default measures of runs.
const RUN_MEASURES: &str = "nDCG@10,AP,RR@10,P@10,R@100";

/// The default measures of runs where people judged some documents of a query: sums over documents.
const JUDGED_RUN_MEASURES: &str = "P@10,RBP(p=0.8)";

/// The files of means and of the values of every query.
pub(super) const MEANS_FILE: &str = "measures.csv";
pub(super) const QUERIES_FILE: &str = "measures-per-query.csv";
/// The file of paired tests of runs.
pub(super) const TESTS_FILE: &str = "tests.csv";

/// Measures, as text `nDCG@10,AP`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Measures(pub(super) Vec<Measure>);

impl FromStr for Measures {
    type Err = MeasureError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Measure::parse_list(text).map(Self)
    }
}

impl Serialize for Measures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.names())
    }
}

impl Measures {
    /// The default measures of the data set; `None` if its rankers are not runs.
    pub(super) fn default_for(dataset: &Dataset) -> Option<Self> {
        let defaults_of = |runs: &Runs| if runs.gold().is_some() { JUDGED_RUN_MEASURES } else { RUN_MEASURES };
        dataset.runs().map(|runs| defaults_of(runs).parse().expect("measures"))
    }

    /// Each as `ir_measures` writes it.
    pub(super) fn names(&self) -> Vec<String> {
        self.0.iter().map(ToString::to_string).collect()
    }
}

/// The means of a ranker, in the order of the measures.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Means {
    pub(super) feature: FeatureId,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[expect(clippy::option_option, reason = "null for a ranker without a name beside others with one")]
    pub(super) name: Option<Option<String>>,
    pub(super) values: Vec<f64>,
}

impl Means {
    /// Its place, from 0.
    pub(super) fn arm(&self) -> usize {
        self.feature.0 as usize - 1
    }
}

/// The means of all rankers.
#[derive(Serialize)]
pub(super) struct AllMeans {
    pub(super) measures: Measures,
    /// The number of queries of each mean, including judged ones for which nothing was retrieved, with value 0.
    pub(super) queries: usize,
    pub(super) rankers: Vec<Means>,
    /// The corrections by people's labels of a model's: then the means are corrected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) judged: Option<JudgedMeasures>,
}

impl AllMeans {
    /// Takes the corrected means.
    pub(super) fn correct(&mut self, judged: JudgedMeasures) {
        self.rankers.iter_mut().enumerate().for_each(|(arm, ranker)| ranker.values = judged.means(arm));
        self.judged = Some(judged);
    }

    /// The best by the first measure comes first.
    pub(super) fn best_first(&self) -> Vec<&Means> {
        let mut best: Vec<&Means> = self.rankers.iter().collect();
        best.sort_by(|one, other| other.values[0].total_cmp(&one.values[0]));
        best
    }

    /// The table of the `max_rows` best rankers by the first measure.
    pub(super) fn table(&self, names: &ArmNames, max_rows: usize) -> String {
        let headings = self.measures.names();
        let columns = headings.iter().map(|heading| (heading.as_str(), Align::Right));
        let mut table = TextTable::new(std::iter::once(("ranker", Align::Left)).chain(columns));
        let best = self.best_first();
        for ranker in best.iter().take(max_rows) {
            let values = ranker.values.iter().map(|value| format!("{value:.4}"));
            table.row(std::iter::once(names.name(ranker.arm())).chain(values));
        }
        let remainder =
            if best.len() > max_rows { format!("\nthe best {max_rows}; {MEANS_FILE} has all") } else { String::new() };
        format!("{table}{remainder}")
    }

    /// The table of a paper; `synthetic` names the synthetic part, if there is one.
    pub(super) fn paper_table<'a>(
        &self,
        tests: Option<&'a MeasureTests>,
        names: &ArmNames,
        synthetic: Option<&str>,
    ) -> MeasureTable<'a> {
        let row = |ranker: &Means| {
            let arm = ranker.arm();
            RankerMeans { arm, name: names.name(arm), values: ranker.values.clone() }
        };
        let rows = self.rankers.iter().map(row).collect();
        MeasureTable::new(self.measures.names(), rows, tests, (self.queries, synthetic))
    }

    /// Writes the paired tests, if there are any.
    pub(super) fn write_tests(tests: Option<&MeasureTests>, folder: &Path, names: &ArmNames) -> Result<()> {
        let path = folder.join(TESTS_FILE);
        let Some(tests) = tests else { return remove_stale(&path) };
        // The number in files, as in `measures.csv`, from 1.
        let rows = tests.rows(|arm| (arm + 1).to_string(), |arm| names.name(arm));
        write_csv(&path, &tests.header(), rows)
    }

    /// Writes the means, and with `per_query` the values of each query.
    pub(super) fn write(
        &self,
        folder: &Path,
        (measurement, dataset): (&Measurement<'_>, &Dataset),
        names: &ArmNames,
        (skipped, per_query): (usize, bool),
    ) -> Result<()> {
        let measures = self.measures.names();
        let header = |first: &[&'static str]| -> Vec<String> {
            let columns = first.iter().copied().chain(names.columns()).map(str::to_owned);
            columns.chain(measures.iter().cloned()).collect()
        };
        let of_ranker = |ranker: &Means, values: &[f64]| {
            let name = ranker.name.clone().map(Option::unwrap_or_default);
            let columns = std::iter::once(ranker.feature.0.to_string()).chain(name);
            columns.chain(values.iter().map(f64::to_string)).collect::<Vec<String>>()
        };
        let write = |path: &Path, header: Vec<String>, rows: &mut dyn Iterator<Item = Vec<String>>| {
            write_csv(path, &header.iter().map(String::as_str).collect::<Vec<_>>(), rows)
        };
        let mut columns = header(&[]);
        columns.extend(self.judged.iter().flat_map(JudgedMeasures::header));
        let mut means = self.rankers.iter().enumerate().map(|(arm, ranker)| {
            let mut row = of_ranker(ranker, &ranker.values);
            row.extend(self.judged.iter().flat_map(|judged| judged.row(arm)));
            row
        });
        write(&folder.join(MEANS_FILE), columns, &mut means)?;
        if !per_query {
            return remove_stale(&folder.join(QUERIES_FILE));
        }
        let mut rows = (0..dataset.queries()).flat_map(|query| {
            let values = measurement.of_query(query);
            let rows = self.rankers.iter().zip(values).map(move |(ranker, values)| {
                let mut row = vec![dataset.query(query).id().to_owned()];
                row.extend(of_ranker(ranker, &values[skipped..]));
                row
            });
            rows.collect::<Vec<_>>()
        });
        write(&folder.join(QUERIES_FILE), header(&["query"]), &mut rows)
    }
}
