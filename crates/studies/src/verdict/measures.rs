//! Paired tests of measures per query.

use anyhow::Result;
use output::numbers::{with_separators, with_unit};
use output::text_table::{Align, TextTable};
use rankers::Measurement;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use simulation::arm_names::ArmNames;
use statistics::fixed_sample::PValueCorrection;

use super::pair_test::{AdjustedPValue, LabelCorrection, PairTest, best};
use super::paired_test::PairedTest;
use super::sentences::{against_baseline, best_against_others};

/// Which test compares two rankers, and how p-values are corrected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestSettings {
    /// The test; in files, Student's is left out.
    #[serde(default, skip_serializing_if = "is_default")]
    pub test: PairedTest,
    /// The correction for the pairs of a measure; in files, Holm's is left out.
    #[serde(default, skip_serializing_if = "is_default")]
    pub correction: PValueCorrection,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl TestSettings {
    /// The correction in a sentence.
    #[must_use]
    pub fn correction_text(self) -> &'static str {
        match self.correction {
            PValueCorrection::Holm => "Holm's correction",
            PValueCorrection::BenjaminiHochberg => "Benjamini and Hochberg's correction",
            PValueCorrection::None => "no correction",
        }
    }
}

/// All pairs of rankers by all measures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasureTests {
    /// The queries of each mean.
    pub queries: usize,
    /// The test and the correction.
    #[serde(flatten)]
    pub settings: TestSettings,
    /// By measure, and of each measure the pairs in the order of the arms.
    pub tests: Vec<PairTest>,
    /// The arm that is in every pair, if the others are compared with it alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<usize>,
}

impl MeasureTests {
    /// The columns of every table of tests.
    const HEADER: [&'static str; 11] = [
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
    ];

    /// The columns that follow where a model's labels were corrected by people's.
    const CORRECTED: [&'static str; 2] = ["labelled_queries", "lambda"];

    /// The tests, those of a measure one after the other, corrected for the pairs of each measure: a measure is a question of its
    /// own, and its tests do not depend on other measures. `None` if there are none.
    ///
    /// # Errors
    /// If a p-value is not in [0, 1].
    pub fn corrected_within_measures(
        queries: usize,
        settings: TestSettings,
        mut tests: Vec<PairTest>,
    ) -> Result<Option<Self>> {
        if tests.is_empty() {
            return Ok(None);
        }
        correct_p_values(&mut tests, settings.correction)?;
        Ok(Some(Self { queries, settings, tests, baseline: None }))
    }

    /// The tests of `baseline` with each other arm alone, corrected for these.
    ///
    /// # Errors
    /// If a p-value is not in [0, 1].
    pub fn against_baseline(mut self, baseline: usize) -> Result<Self> {
        self.tests.retain(|test| test.first == baseline || test.second == baseline);
        correct_p_values(&mut self.tests, self.settings.correction)?;
        Ok(Self { baseline: Some(baseline), ..self })
    }

    /// Tests the measures from number `skipped` on, which are called `measures`. `None` with fewer than two rankers or queries,
    /// where there is nothing to test.
    ///
    /// # Errors
    /// If a value is not finite, which no measure is.
    pub fn of(
        measurement: &Measurement<'_>,
        measures: &[String],
        skipped: usize,
        settings: TestSettings,
    ) -> Result<Option<Self>> {
        let values = measurement.per_query();
        let queries = measurement.queries();
        if values.len() < 2 || queries < 2 {
            return Ok(None);
        }
        let mean = |values: &[f64]| values.iter().sum::<f64>() / queries as f64;
        let arms = values.len();
        let pairs: Vec<(usize, usize, usize)> = (0..measures.len())
            .flat_map(|measure| (0..arms).map(move |arm_a| (measure, arm_a)))
            .flat_map(|(measure, arm_a)| (arm_a + 1..arms).map(move |arm_b| (measure, arm_a, arm_b)))
            .collect();
        let pair_test = |&(measure, arm_a, arm_b): &(usize, usize, usize)| {
            let values_of = |arm: usize| values[arm][skipped + measure].as_slice();
            let [mean_a, mean_b] = [arm_a, arm_b].map(|arm| mean(values_of(arm)));
            let (first, second, means) =
                if mean_b > mean_a { (arm_b, arm_a, [mean_b, mean_a]) } else { (arm_a, arm_b, [mean_a, mean_b]) };
            let tested = settings.test.test(values_of(first), values_of(second))?;
            Ok(PairTest {
                measure: measures[measure].clone(),
                first,
                second,
                means,
                difference: tested.mean,
                standard_error: tested.standard_error,
                interval: tested.interval,
                t: tested.t,
                p: tested.p,
                adjusted_p: AdjustedPValue::new(settings.correction, tested.p),
                is_opposed: tested.is_opposed,
                corrected: None,
            })
        };
        let tests: Vec<PairTest> = pairs.par_iter().map(pair_test).collect::<Result<_>>()?;
        Self::corrected_within_measures(queries, settings, tests)
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
        let correction = match of_first.len() {
            1 => String::new(),
            count => format!(", {} for {}", self.settings.correction_text(), with_unit(count as u64, "pair")),
        };
        let test_name = self.settings.test.name(of_first.len() > 1);
        Some(format!("by {measure}, {text} ({test_name} {}{correction})", self.basis_text(Some(measure))))
    }

    /// The column that says whom a test of ranks or signs speaks for: the first has the higher mean, and may win fewer queries.
    fn favours_column(&self) -> Option<&'static str> {
        matches!(self.settings.test, PairedTest::Wilcoxon | PairedTest::Sign).then_some("favours")
    }

    /// The columns of [`rows`](Self::rows).
    #[must_use]
    pub fn header(&self) -> Vec<&'static str> {
        let is_corrected = self.tests.iter().any(|test| test.corrected.is_some());
        let adjusted = AdjustedPValue::column(self.settings.correction);
        let correction = Self::CORRECTED.into_iter().filter(|_| is_corrected);
        Self::HEADER
            .into_iter()
            .chain(adjusted)
            .chain(["queries"])
            .chain(correction)
            .chain(self.favours_column())
            .collect()
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
            row.push(test.p.to_string());
            row.extend(AdjustedPValue::column(self.settings.correction).map(|_| test.adjusted_p.value().to_string()));
            row.push(self.queries.to_string());
            if let Some(LabelCorrection { labelled_queries, lambda }) = test.corrected {
                row.extend([labelled_queries.to_string(), lambda.to_string()]);
            }
            row.extend(self.favours_column().map(|_| if test.is_opposed { "second" } else { "first" }.to_owned()));
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
        fn right_aligned(name: &str) -> (&str, Align) {
            (name, Align::Right)
        }
        let correction = self.settings.correction;
        let is_adjusted = correction != PValueCorrection::None;
        let adjusted_heading = format!("p, {}", correction.name());
        let columns = [
            ("measure", Align::Left),
            ("ahead", Align::Left),
            ("of", Align::Left),
            right_aligned("by"),
            right_aligned("95% interval"),
            right_aligned("p"),
        ];
        let adjusted = is_adjusted.then(|| right_aligned(adjusted_heading.as_str()));
        let mut table = TextTable::new(columns.into_iter().chain(adjusted));
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
            let other = if test.is_opposed { " (for the other)" } else { "" };
            let p = |p: f64| if p < 1e-4 { format!("<0.0001{other}") } else { format!("{p:.4}{other}") };
            let cells = [
                test.measure.clone(),
                names.name(test.first),
                names.name(test.second),
                format!("{:.4}", test.difference),
                format!("{:.4} to {:.4}", test.interval.0, test.interval.1),
                p(test.p),
            ];
            table.row(cells.into_iter().chain(is_adjusted.then(|| p(test.adjusted_p.value()))));
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
        let correction = match correction {
            PValueCorrection::None => "without correction for their number".to_owned(),
            _ => format!("{} within each measure", self.settings.correction_text()),
        };
        let interval = match self.settings.test {
            PairedTest::T | PairedTest::Bootstrap => "",
            PairedTest::Wilcoxon | PairedTest::Randomization | PairedTest::Sign => {
                "; intervals of means by Student's distribution"
            }
        };
        let test_name = self.settings.test.name(true);
        format!("{table}\n{test_name} {}, {correction}{interval}{remainder}", self.basis_text(None))
    }
}

/// Corrects the p-values of each measure.
fn correct_p_values(tests: &mut [PairTest], correction: PValueCorrection) -> Result<()> {
    for of_measure in tests.chunk_by_mut(|one, other| one.measure == other.measure) {
        let adjusted = correction.adjust(&of_measure.iter().map(|test| test.p).collect::<Vec<_>>())?;
        of_measure.iter_mut().zip(adjusted).for_each(|(test, p)| test.adjusted_p = AdjustedPValue::new(correction, p));
    }
    Ok(())
}
