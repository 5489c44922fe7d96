//! The measures of rankers as the table of a paper or a page: a row per ranker, and raised letters for the runs that it beats.

use anyhow::Result;
use output::numbers::with_unit;
use output::text_table::annotated::{AnnotatedTable, Cell, letter, letters};
use statistics::fixed_sample::PValueCorrection;

use super::LEVEL;
use super::measures::MeasureTests;

/// The means of one ranker.
#[derive(Debug, Clone, PartialEq)]
pub struct RankerMeans {
    /// Its number, from 0.
    pub arm: usize,
    /// Its name in tables.
    pub name: String,
    /// One value per measure.
    pub values: Vec<f64>,
}

/// The content of a table.
#[derive(Debug)]
pub struct MeasureTable<'a> {
    tests: Option<&'a MeasureTests>,
    measures: Vec<String>,
    /// The best by the first measure comes first.
    rows: Vec<RankerMeans>,
    notes: Vec<String>,
}

impl<'a> MeasureTable<'a> {
    /// `queries` is the number behind each mean, and `synthetic` names the synthetic part, if there is one.
    #[must_use]
    pub fn new(
        measures: Vec<String>,
        mut rows: Vec<RankerMeans>,
        tests: Option<&'a MeasureTests>,
        (queries, synthetic): (usize, Option<&str>),
    ) -> Self {
        let first_value = |row: &RankerMeans| row.values.first().copied().unwrap_or(f64::NEG_INFINITY);
        rows.sort_by(|one, other| first_value(other).total_cmp(&first_value(one)));
        let name = |arm: usize| rows.iter().find(|row| row.arm == arm).map_or("the baseline", |row| row.name.as_str());
        let mut notes = vec![match tests {
            Some(tests) => format!("Means {}", tests.basis_text(None)),
            None => format!("Means over {}", with_unit(queries as u64, "query")),
        }];
        if let Some(tests) = tests {
            let other_count = rows.len().saturating_sub(1);
            let (pairs, pair_text) = match tests.baseline {
                Some(baseline) => (other_count, format!("pairs with {} of a measure", name(baseline))),
                None => (rows.len() * other_count / 2, "pairs of a measure".to_owned()),
            };
            let settings = tests.settings;
            let test_name = settings.test.name(pairs > 1);
            let correction = match settings.correction {
                PValueCorrection::None => "without correction".to_owned(),
                _ => format!("after {}", settings.correction_text()),
            };
            let test_text = match pairs {
                1 => format!("a {test_name}, p at most {LEVEL}"),
                _ => format!("{test_name}, p at most {LEVEL} {correction} for the {pairs} {pair_text}"),
            };
            notes.push(if tests.finds_any() {
                format!("Letters: better than these by more than chance ({test_text})")
            } else {
                format!("No difference is more than chance ({test_text})")
            });
        }
        notes.extend(synthetic.map(|name| format!("Synthetic data: {name}")));
        Self { tests, measures, rows, notes }
    }

    /// With raised letters, for Markdown, LaTeX and pages.
    #[must_use]
    pub fn to_annotated_table(&self) -> AnnotatedTable {
        let mut columns: Vec<(String, bool)> = self.measures.iter().map(|measure| (measure.clone(), true)).collect();
        columns.insert(0, ("run".to_owned(), false));
        if self.tests.is_none() {
            "ranker".clone_into(&mut columns[0].0);
        } else {
            columns.insert(0, (String::new(), false));
        }
        let row = |(place, means): (usize, &RankerMeans)| {
            let letter = self.tests.is_some().then(|| Cell::from(letter(place, self.rows.len())));
            let name = Cell::from(means.name.clone());
            let values = (0..self.measures.len()).map(|at| self.cell(means, at));
            letter.into_iter().chain([name]).chain(values).collect()
        };
        AnnotatedTable { columns, rows: self.rows.iter().enumerate().map(row).collect(), notes: self.notes.clone() }
    }

    /// All numbers in full, and the names of the runs that each run beats.
    ///
    /// # Errors
    /// None that can happen: the text is written to memory.
    pub fn csv(&self) -> Result<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let mut header = vec![if self.tests.is_some() { "run" } else { "ranker" }.to_owned()];
        for measure in &self.measures {
            header.push(measure.clone());
            header.extend(self.tests.map(|_| format!("{measure} better than")));
        }
        writer.write_record(header)?;
        for means in &self.rows {
            let mut row = vec![means.name.clone()];
            for (column, value) in means.values.iter().enumerate() {
                row.push(value.to_string());
                let names = |place: usize| self.rows[place].name.as_str();
                row.extend(self.tests.map(|_| {
                    self.beaten_positions(means, column).into_iter().map(names).collect::<Vec<_>>().join("; ")
                }));
            }
            writer.write_record(row)?;
        }
        Ok(String::from_utf8(writer.into_inner().map_err(|error| error.into_error())?)?)
    }

    fn cell(&self, means: &RankerMeans, column: usize) -> Cell {
        let largest = self.rows.iter().map(|other| other.values[column]).fold(f64::NEG_INFINITY, f64::max);
        let text = |value: f64| format!("{value:.4}");
        let mark = letters(&self.beaten_positions(means, column), self.rows.len());
        // Values that are printed alike count as equal.
        Cell { is_best: text(means.values[column]) == text(largest), text: text(means.values[column]), mark }
    }

    /// The rows that a run beats by a measure.
    fn beaten_positions(&self, means: &RankerMeans, column: usize) -> Vec<usize> {
        let beaten_arms =
            self.tests.map_or_else(Vec::new, |tests| tests.beaten_arms(&self.measures[column], means.arm));
        (0..self.rows.len()).filter(|place| beaten_arms.contains(&self.rows[*place].arm)).collect()
    }
}
