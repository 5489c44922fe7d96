//! Paired tests of measures per query.

use anyhow::Result;
use output::numbers::{with_separators, with_unit};
use output::text_table::{Align, TextTable};
use rankers::Measurement;
use serde::{Deserialize, Serialize};
use simulation::arm_names::ArmNames;
use statistics::fixed_sample::{holm, paired_t_test};

use super::LEVEL;
use super::pair_test::{Corrected, PairTest, best};
use super::sentences::{against_baseline, best_against_others};

/// All pairs of rankers by all measures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasureTests {
    /// The queries of each mean.
    pub queries: usize,
    /// By measure, and of each measure the pairs in the order of the arms.
    pub tests: Vec<PairTest>,
    /// The arm that is in every pair, if the others are compared with it alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<usize>,
}

impl MeasureTests {
    /// The columns of every table of tests.
    const HEADER: [&'static str; 13] = [
        "measure",
        "first",
        "second",
        "first_name",
        "second_name",
        "first_mean",
        "second_mean",
        "difference",
        "standard_error",
        "t",
        "p",
        "p_holm",
        "queries",
    ];

    /// The columns that follow where a model's labels were corrected by people's.
    const CORRECTED: [&'static str; 2] = ["labelled_queries", "lambda"];

    /// The tests, those of a measure one after the other, with Holm's correction for the pairs of each measure: a measure is a question of its
    /// own, and its tests do not depend on other measures. `None` if there are none.
    ///
    /// # Errors
    /// If a p-value is not in [0, 1].
    pub fn corrected_within_measures(queries: usize, mut tests: Vec<PairTest>) -> Result<Option<Self>> {
        if tests.is_empty() {
            return Ok(None);
        }
        correct(&mut tests)?;
        Ok(Some(Self { queries, tests, baseline: None }))
    }

    /// The tests of `baseline` with each other arm alone, with Holm's correction for these.
    ///
    /// # Errors
    /// If a p-value is not in [0, 1].
    pub fn against_baseline(mut self, baseline: usize) -> Result<Self> {
        self.tests.retain(|test| test.first == baseline || test.second == baseline);
        correct(&mut self.tests)?;
        Ok(Self { baseline: Some(baseline), ..self })
    }

    /// Tests the measures from number `skipped` on, which are called `measures`. `None` with fewer than two rankers or queries,
    /// where there is nothing to test.
    ///
    /// # Errors
    /// If a value is not finite, which no measure is.
    pub fn of(measurement: &Measurement<'_>, measures: &[String], skipped: usize) -> Result<Option<Self>> {
        let values = measurement.per_query();
        let queries = measurement.queries();
        if values.len() < 2 || queries < 2 {
            return Ok(None);
        }
        let mean = |values: &[f64]| values.iter().sum::<f64>() / queries as f64;
        let mut tests = Vec::new();
        for (measure_index, measure) in measures.iter().enumerate() {
            let values_of = |arm: usize| values[arm][skipped + measure_index].as_slice();
            for (arm_a, arm_b) in
                (0..values.len()).flat_map(|arm_a| (arm_a + 1..values.len()).map(move |arm_b| (arm_a, arm_b)))
            {
                let [mean_a, mean_b] = [arm_a, arm_b].map(|arm| mean(values_of(arm)));
                let (first, second, means) =
                    if mean_b > mean_a { (arm_b, arm_a, [mean_b, mean_a]) } else { (arm_a, arm_b, [mean_a, mean_b]) };
                let test = paired_t_test(values_of(first), values_of(second))?;
                tests.push(PairTest {
                    measure: measure.clone(),
                    first,
                    second,
                    means,
                    difference: test.mean,
                    standard_error: test.standard_error,
                    interval: test.interval(LEVEL)?,
                    t: test.t.is_finite().then_some(test.t),
                    p: test.p_value,
                    p_holm: test.p_value,
                    corrected: None,
                });
            }
        }
        Self::corrected_within_measures(queries, tests)
    }

    /// Over what the tests of `measure` are, or all of them: `over 784 queries`, and whether people's labels correct a model's.
    #[must_use]
    pub fn basis_text(&self, measure: Option<&str>) -> String {
        let queries = with_unit(self.queries as u64, "query");
        let mut labelled: Vec<usize> = (self.tests.iter())
            .filter(|test| measure.is_none_or(|measure| test.measure == measure))
            .filter_map(|test| Some(test.corrected?.labelled_queries))
            .collect();
        labelled.dedup();
        match labelled[..] {
            [] => format!("over {queries}"),
            [labelled] => format!("over {queries}, corrected by people's labels of {labelled}"),
            _ => format!("over {queries}, corrected by people's labels"),
        }
    }

    /// The verdict of the first measure, and the tests behind it: a sentence without its full stop. `None` without tests.
    #[must_use]
    pub fn sentence(&self, names: &ArmNames) -> Option<String> {
        let measure = &self.tests.first()?.measure;
        let of_first: Vec<&PairTest> = self.of_measure(measure).collect();
        let text = match self.baseline {
            Some(baseline) => against_baseline(&of_first, baseline, names),
            None => best_against_others(&of_first, names)?,
        };
        let holm = match of_first.len() {
            1 => String::new(),
            count => format!(", Holm's correction for {}", with_unit(count as u64, "pair")),
        };
        Some(format!(
            "by {measure}, {text} (paired t-{} {}{holm})",
            if of_first.len() == 1 { "test" } else { "tests" },
            self.basis_text(Some(measure))
        ))
    }

    /// The columns of [`rows`](Self::rows).
    #[must_use]
    pub fn header(&self) -> Vec<&'static str> {
        let is_corrected = self.tests.iter().any(|test| test.corrected.is_some());
        Self::HEADER.into_iter().chain(Self::CORRECTED.into_iter().filter(|_| is_corrected)).collect()
    }

    /// The rows of a file, one per pair and measure, with the columns of [`header`](Self::header). `arm` is the number of an arm in files.
    #[must_use]
    pub fn rows(&self, arm: impl Fn(usize) -> String, name: impl Fn(usize) -> String) -> Vec<Vec<String>> {
        let row = |test: &PairTest| {
            let numbers = [test.means[0], test.means[1], test.difference, test.standard_error];
            let mut row =
                vec![test.measure.clone(), arm(test.first), arm(test.second), name(test.first), name(test.second)];
            row.extend(numbers.map(|number| number.to_string()));
            row.push(test.t.map_or_else(String::new, |t| t.to_string()));
            row.extend([test.p.to_string(), test.p_holm.to_string(), self.queries.to_string()]);
            if let Some(Corrected { labelled_queries, lambda }) = test.corrected {
                row.extend([labelled_queries.to_string(), lambda.to_string()]);
            }
            row
        };
        self.tests.iter().map(row).collect()
    }

    /// The tests of a measure, in the order of the arms.
    fn of_measure<'a>(&'a self, measure: &'a str) -> impl Iterator<Item = &'a PairTest> {
        self.tests.iter().filter(move |test| test.measure == measure)
    }

    /// Whether some difference is more than chance, by any measure.
    #[must_use]
    pub fn finds_any(&self) -> bool {
        self.tests.iter().any(PairTest::is_significant)
    }

    /// The arms that this arm beats by this measure by more than chance.
    #[must_use]
    pub fn beaten_arms(&self, measure: &str, arm: usize) -> Vec<usize> {
        let won_tests = self.of_measure(measure).filter(|test| test.first == arm && test.is_significant());
        won_tests.map(|test| test.second).collect()
    }

    /// The tests as a table of at most `max_rows` rows: all, or those of the best by each measure against the others, the nearest first.
    #[must_use]
    pub fn table(&self, names: &ArmNames, max_rows: usize) -> String {
        let right_aligned = |name| (name, Align::Right);
        let mut table = TextTable::new([
            ("measure", Align::Left),
            ("ahead", Align::Left),
            ("of", Align::Left),
            right_aligned("by"),
            right_aligned("95% interval"),
            right_aligned("p"),
            right_aligned("p, Holm"),
        ]);
        let mut shown_tests: Vec<&PairTest> = self.tests.iter().collect();
        let is_cut = shown_tests.len() > max_rows;
        if is_cut && self.baseline.is_none() {
            shown_tests.clear();
            for of_measure in self.tests.chunk_by(|one, other| one.measure == other.measure) {
                let of_measure: Vec<&PairTest> = of_measure.iter().collect();
                let best = best(&of_measure);
                let mut tests_of_best: Vec<_> =
                    of_measure.into_iter().filter(|test| Some(test.first) == best).collect();
                tests_of_best.sort_by(|one, other| one.difference.total_cmp(&other.difference));
                shown_tests.extend(tests_of_best);
            }
        }
        shown_tests.truncate(max_rows);
        for test in shown_tests {
            let p = |p: f64| if p < 1e-4 { "<0.0001".to_owned() } else { format!("{p:.4}") };
            table.row([
                test.measure.clone(),
                names.name(test.first),
                names.name(test.second),
                format!("{:.4}", test.difference),
                format!("{:.4} to {:.4}", test.interval.0, test.interval.1),
                p(test.p),
                p(test.p_holm),
            ]);
        }
        let remainder = if is_cut {
            let test_count = with_separators(self.tests.len() as u64);
            match self.baseline {
                Some(_) => format!("; the first {max_rows} of {test_count} tests"),
                None => format!("; the best against the {max_rows} nearest, of {test_count} tests"),
            }
        } else {
            String::new()
        };
        format!("{table}\npaired t-tests {}, Holm's correction within each measure{remainder}", self.basis_text(None))
    }
}

/// Corrects the p-values of each measure by Holm's method.
fn correct(tests: &mut [PairTest]) -> Result<()> {
    for of_measure in tests.chunk_by_mut(|one, other| one.measure == other.measure) {
        let corrected = holm(&of_measure.iter().map(|test| test.p).collect::<Vec<_>>())?;
        of_measure.iter_mut().zip(corrected).for_each(|(test, p)| test.p_holm = p);
    }
    Ok(())
}
