//! The measures of rankers as the table of a paper: a row per ranker, and raised letters for the runs that it beats.

use anyhow::Result;
use output::numbers::with_unit;
use output::text_table::annotated::{AnnotatedTable, Cell, letter, letters};
use simulation::arm_names::ArmNames;
use studies::verdict::{LEVEL, MeasureTests};

use super::measures::{AllMeans, Means};

/// The content of a table.
pub(super) struct PaperTable<'a> {
    tests: Option<&'a MeasureTests>,
    names: &'a ArmNames,
    measures: Vec<String>,
    /// The best by the first measure comes first.
    rows: Vec<&'a Means>,
    notes: Vec<String>,
}

impl<'a> PaperTable<'a> {
    /// `synthetic` names the synthetic part, if there is one.
    pub(super) fn new(
        means: &'a AllMeans,
        tests: Option<&'a MeasureTests>,
        names: &'a ArmNames,
        synthetic: Option<&str>,
    ) -> Self {
        let (measures, rows) = (means.measures.names(), means.best_first());
        let queries = with_unit(means.queries as u64, "query");
        let mut notes = vec![match tests {
            Some(tests) => format!("Means {}", tests.basis_text(None)),
            None => format!("Means over {queries}"),
        }];
        if let Some(tests) = tests {
            let other_count = rows.len() - 1;
            let (pairs, pair_text) = match tests.baseline {
                Some(baseline) => (other_count, format!("pairs with {} of a measure", names.name(baseline))),
                None => (rows.len() * other_count / 2, "pairs of a measure".to_owned()),
            };
            let test_text = match pairs {
                1 => format!("a paired t-test, p at most {LEVEL}"),
                _ => format!("paired t-tests, p at most {LEVEL} after Holm's correction for the {pairs} {pair_text}"),
            };
            notes.push(if tests.finds_any() {
                format!("Letters: better than these by more than chance ({test_text})")
            } else {
                format!("No difference is more than chance ({test_text})")
            });
        }
        notes.extend(synthetic.map(|name| format!("Synthetic data: {name}")));
        Self { tests, names, measures, rows, notes }
    }

    /// With raised letters, for Markdown and LaTeX.
    pub(super) fn to_annotated_table(&self) -> AnnotatedTable {
        let mut columns: Vec<(String, bool)> = self.measures.iter().map(|measure| (measure.clone(), true)).collect();
        columns.insert(0, ("run".to_owned(), false));
        if self.tests.is_none() {
            "ranker".clone_into(&mut columns[0].0);
        } else {
            columns.insert(0, (String::new(), false));
        }
        let row = |(place, means): (usize, &&Means)| {
            let letter = self.tests.is_some().then(|| Cell::from(letter(place, self.rows.len())));
            let name = Cell::from(self.name(means));
            let values = (0..self.measures.len()).map(|at| self.cell(means, at));
            letter.into_iter().chain([name]).chain(values).collect()
        };
        AnnotatedTable { columns, rows: self.rows.iter().enumerate().map(row).collect(), notes: self.notes.clone() }
    }

    /// All numbers in full, and the names of the runs that each run beats.
    pub(super) fn csv(&self) -> Result<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let mut header = vec![if self.tests.is_some() { "run" } else { "ranker" }.to_owned()];
        for measure in &self.measures {
            header.push(measure.clone());
            header.extend(self.tests.map(|_| format!("{measure} better than")));
        }
        writer.write_record(header)?;
        for means in &self.rows {
            let mut row = vec![self.name(means)];
            for (column, value) in means.values.iter().enumerate() {
                row.push(value.to_string());
                let names = |place: usize| self.name(self.rows[place]);
                row.extend(self.tests.map(|_| {
                    self.beaten_positions(means, column).into_iter().map(names).collect::<Vec<_>>().join("; ")
                }));
            }
            writer.write_record(row)?;
        }
        Ok(String::from_utf8(writer.into_inner().map_err(|error| error.into_error())?)?)
    }

    fn name(&self, means: &Means) -> String {
        self.names.name(means.arm())
    }

    fn cell(&self, means: &Means, column: usize) -> Cell {
        let largest = self.rows.iter().map(|other| other.values[column]).fold(f64::NEG_INFINITY, f64::max);
        let text = |value: f64| format!("{value:.4}");
        let mark = letters(&self.beaten_positions(means, column), self.rows.len());
        // Values that are printed alike count as equal.
        Cell { is_best: text(means.values[column]) == text(largest), text: text(means.values[column]), mark }
    }

    /// The rows that a run beats by a measure.
    fn beaten_positions(&self, means: &Means, column: usize) -> Vec<usize> {
        let beaten_arms =
            self.tests.map_or_else(Vec::new, |tests| tests.beaten_arms(&self.measures[column], means.arm()));
        (0..self.rows.len()).filter(|place| beaten_arms.contains(&self.rows[*place].arm())).collect()
    }
}
