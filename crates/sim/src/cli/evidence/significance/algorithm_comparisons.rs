//! The table of a study for a paper: a row per algorithm, a column per setting, and raised letters for the algorithms that it beats.

use analyses::significance::{ComparedValues, Comparison};
use anyhow::Result;
use output::numbers::{significant, uncertainty};
use output::text_table::annotated::{AnnotatedTable, Cell, letter, letters};
use serde_json::{Value, json};
use studies::results::SampleSummary;

use super::format::Table;

/// The values of each algorithm, and the results of their comparisons.
pub(super) struct AlgorithmComparisons<'a> {
    samples: &'a [ComparedValues],
    table: &'a Table<'a>,
    /// The best of the first setting comes first.
    algorithms: Vec<&'a str>,
}

impl<'a> AlgorithmComparisons<'a> {
    /// `table` has all pairs.
    pub(super) fn new(samples: &'a [ComparedValues], table: &'a Table<'a>) -> Self {
        let mut algorithms: Vec<&str> = Vec::new();
        for sample in samples {
            let mut of_sample: Vec<(&str, f64)> = sample
                .algorithms
                .iter()
                .map(|(name, values)| (name.as_str(), SampleSummary::of(values).mean))
                .collect();
            of_sample.sort_by(|one, other| one.1.total_cmp(&other.1));
            if !table.question.smaller_is_better {
                of_sample.reverse();
            }
            for (name, _) in of_sample {
                if !algorithms.contains(&name) {
                    algorithms.push(name);
                }
            }
        }
        Self { samples, table, algorithms }
    }

    pub(super) fn to_annotated_table(&self) -> AnnotatedTable {
        let metric = self.table.metric;
        let of_sample = |sample: &ComparedValues| sample.setting.clone().unwrap_or_else(|| format!("{metric} ± s.e."));
        let mut columns = vec![(String::new(), false), ("algorithm".to_owned(), false)];
        columns.extend(self.samples.iter().map(|sample| (of_sample(sample), true)));
        let row = |(position, name): (usize, &&str)| {
            let label_cells = [letter(position, self.algorithms.len()), (*name).to_owned()].map(Cell::from);
            label_cells.into_iter().chain(self.samples.iter().map(|sample| self.cell(sample, name))).collect()
        };
        let mut notes = self.table.samples_and_correction();
        notes.insert(0, format!("Mean {metric} with standard error; letters: better than these by more than chance"));
        notes.extend(self.table.too_few());
        AnnotatedTable { columns, rows: self.algorithms.iter().enumerate().map(row).collect(), notes }
    }

    /// All numbers in full.
    pub(super) fn csv(&self) -> Result<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(["setting", "at", "algorithm", "mean", "standard_error", "runs", "better_than"])?;
        for (sample, name, spread, runs) in self.values() {
            let beaten_names = self.beaten_positions(sample, name);
            let beaten_names: Vec<&str> = beaten_names.into_iter().map(|position| self.algorithms[position]).collect();
            writer.write_record([
                sample.setting.clone().unwrap_or_default(),
                sample.step.clone(),
                name.to_owned(),
                spread.mean.to_string(),
                spread.standard_error.to_string(),
                runs.to_string(),
                beaten_names.join("; "),
            ])?;
        }
        Ok(String::from_utf8(writer.into_inner().map_err(|error| error.into_error())?)?)
    }

    /// The same for programs.
    pub(super) fn json(&self) -> Value {
        let row = |(sample, name, spread, runs): (&ComparedValues, &str, SampleSummary, usize)| {
            let beaten_names: Vec<&str> =
                self.beaten_positions(sample, name).into_iter().map(|position| self.algorithms[position]).collect();
            json!({
                "setting": sample.setting,
                "at": sample.step,
                "algorithm": name,
                "mean": spread.mean,
                "standard_error": spread.standard_error,
                "runs": runs,
                "better_than": beaten_names,
            })
        };
        json!({
            "metric": self.table.metric,
            "question": self.table.question,
            "algorithms": self.values().map(row).collect::<Vec<_>>(),
        })
    }

    /// The values, by setting and row.
    fn values(&self) -> impl Iterator<Item = (&ComparedValues, &str, SampleSummary, usize)> {
        self.samples.iter().flat_map(move |sample| {
            self.algorithms.iter().filter_map(move |name| {
                let (_, values) = sample.algorithms.iter().find(|(found, _)| found == name)?;
                Some((sample, *name, SampleSummary::of(values), values.len()))
            })
        })
    }

    fn cell(&self, sample: &ComparedValues, name: &str) -> Cell {
        let Some((_, values)) = sample.algorithms.iter().find(|(other, _)| other == name) else {
            return Cell::from("-".to_owned());
        };
        let spread = SampleSummary::of(values);
        let is_beaten = |other: &SampleSummary| match self.table.question.smaller_is_better {
            true => other.mean < spread.mean,
            false => other.mean > spread.mean,
        };
        let is_best = !sample.algorithms.iter().any(|(_, values)| is_beaten(&SampleSummary::of(values)));
        let error = if values.len() > 1 {
            format!(" ± {}", uncertainty(spread.mean, spread.standard_error))
        } else {
            String::new()
        };
        Cell {
            text: format!("{}{error}", significant(spread.mean)),
            is_best,
            mark: letters(&self.beaten_positions(sample, name), self.algorithms.len()),
        }
    }

    /// The rows of algorithms that this one beats by more than chance.
    fn beaten_positions(&self, sample: &ComparedValues, name: &str) -> Vec<usize> {
        let is_of = |one: &&Comparison| {
            one.significant && one.setting == sample.setting && one.at == sample.step && one.better.algorithm == name
        };
        let beaten_names: Vec<&str> =
            self.table.comparisons.iter().filter(is_of).map(|one| one.other.algorithm.as_str()).collect();
        (0..self.algorithms.len()).filter(|position| beaten_names.contains(&self.algorithms[*position])).collect()
    }
}
