//! Comparisons of algorithms as text, Markdown, LaTeX, CSV and JSON.

use anyhow::Result;
use output::numbers::{significant, with_unit};
use output::text_table::annotated::{AnnotatedTable, Cell};
use serde_json::{Value, json};

use analyses::significance::{Comparison, ComparisonSettings, Pairing};
use statistics::fixed_sample::PValueCorrection;

/// Comparisons, and the request.
pub(super) struct Table<'a> {
    pub(super) comparisons: Vec<Comparison>,
    pub(super) question: &'a ComparisonSettings,
    pub(super) metric: &'a str,
    /// The runs needed if those that are there cannot prove any difference.
    pub(super) runs_needed: Option<u64>,
}

impl Table<'_> {
    /// The headings of the table, and whether each column holds numbers.
    fn columns(&self) -> Vec<(String, bool)> {
        let interval = format!("{}% interval", 100.0 * (1.0 - self.question.alpha));
        let mut columns = Vec::new();
        if self.has_settings() {
            columns.push(("setting".to_owned(), false));
        }
        columns.extend([
            ("better".to_owned(), false),
            ("other".to_owned(), false),
            (format!("{} of better", self.metric), true),
            ("of other".to_owned(), true),
            ("difference".to_owned(), true),
            (interval, true),
            ("P(better)".to_owned(), true),
            ("p".to_owned(), true),
        ]);
        if self.question.correction != PValueCorrection::None {
            columns.push((format!("p ({})", self.question.correction.name()), true));
        }
        columns
    }

    fn has_settings(&self) -> bool {
        self.comparisons.iter().any(|comparison| comparison.setting.is_some())
    }

    /// The cells of a row; a significant one has a star.
    fn cells(&self, comparison: &Comparison) -> Vec<Cell> {
        let Comparison { better, other, interval: (low, high), .. } = comparison;
        let mut cells = Vec::new();
        if self.has_settings() {
            cells.push(comparison.setting.clone().unwrap_or_default());
        }
        cells.extend([
            better.algorithm.clone(),
            other.algorithm.clone(),
            significant(better.mean),
            significant(other.mean),
            significant(comparison.difference),
            format!("{} to {}", significant(*low), significant(*high)),
            format!("{:.2}", comparison.superiority),
            p_value(comparison.p_value),
        ]);
        if self.question.correction != PValueCorrection::None {
            cells.push(p_value(comparison.adjusted_p_value));
        }
        let mut cells: Vec<Cell> = cells.into_iter().map(Cell::from).collect();
        if let Some(p_value_cell) = cells.last_mut().filter(|_| comparison.significant) {
            p_value_cell.mark = "*".to_owned();
        }
        cells
    }

    /// Which runs are compared by which tests, and how p-values are corrected, in sentences.
    pub(super) fn samples_and_correction(&self) -> Vec<String> {
        let ComparisonSettings { method, correction, .. } = self.question;
        let mut notes = Vec::new();
        for kind in [None, Some(Pairing::Sets), Some(Pairing::Streams)] {
            let of_kind: Vec<&Comparison> = self.comparisons.iter().filter(|one| one.pairing == kind).collect();
            if of_kind.is_empty() {
                continue;
            }
            let runs = of_kind.iter().flat_map(|one| [one.better.runs, one.other.runs]);
            let (min_runs, max_runs) = runs.fold((usize::MAX, 0), |(low, high), runs| (low.min(runs), high.max(runs)));
            let runs = if min_runs == max_runs { min_runs.to_string() } else { format!("{min_runs} to {max_runs}") };
            let (noun, pairs) = match kind {
                None => ("runs", "not in pairs: every algorithm's runs have random draws of their own"),
                Some(Pairing::Sets) => ("sets", "in pairs: all algorithms play on the same random sets of rankers"),
                Some(Pairing::Streams) => {
                    ("runs", "in pairs: runs with the same number meet the same queries and users")
                }
            };
            notes.push(format!("{}, {runs} {noun} per algorithm, {pairs}", method.describe(kind.is_some())));
        }
        let count = with_unit(self.comparisons.len() as u64, "comparison");
        let corrected = match correction {
            PValueCorrection::None => format!("{count}, without correction for their number"),
            _ => format!("p-values corrected for {count} by {}", correction.name()),
        };
        notes.push(corrected);
        notes
    }

    /// The meaning of the numbers, in sentences.
    fn notes(&self) -> Vec<String> {
        let mut notes = self.samples_and_correction();
        if let Some(corrected) = notes.last_mut() {
            *corrected += &format!("; *: at most {}; intervals by bootstrap, each by itself", self.question.alpha);
        }
        notes.push("P(better): how often a run of the better one is better than a run of the other".to_owned());
        notes.extend(self.too_few());
        notes
    }

    /// Why no difference can be found, if there are too few runs for any.
    pub(super) fn too_few(&self) -> Option<String> {
        self.runs_needed.map(|needed| {
            format!(
                "TOO FEW RUNS: with this many comparisons, no difference can be significant; {needed} runs per algorithm would do"
            )
        })
    }

    /// The table with its notes.
    pub(super) fn to_annotated_table(&self) -> AnnotatedTable {
        let rows = self.comparisons.iter().map(|comparison| self.cells(comparison)).collect();
        AnnotatedTable { columns: self.columns(), rows, notes: self.notes() }
    }

    /// All numbers in full.
    pub(super) fn csv(&self) -> Result<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record([
            "setting",
            "at",
            "better",
            "other",
            "better_mean",
            "other_mean",
            "better_runs",
            "other_runs",
            "difference",
            "interval_low",
            "interval_high",
            "superiority",
            "paired",
            "p_value",
            "adjusted_p_value",
            "significant",
        ])?;
        for comparison in &self.comparisons {
            writer.write_record([
                comparison.setting.clone().unwrap_or_default(),
                comparison.at.clone(),
                comparison.better.algorithm.clone(),
                comparison.other.algorithm.clone(),
                comparison.better.mean.to_string(),
                comparison.other.mean.to_string(),
                comparison.better.runs.to_string(),
                comparison.other.runs.to_string(),
                comparison.difference.to_string(),
                comparison.interval.0.to_string(),
                comparison.interval.1.to_string(),
                comparison.superiority.to_string(),
                comparison.pairing.is_some().to_string(),
                comparison.p_value.to_string(),
                comparison.adjusted_p_value.to_string(),
                comparison.significant.to_string(),
            ])?;
        }
        Ok(String::from_utf8(writer.into_inner().map_err(|error| error.into_error())?)?)
    }

    /// The same for programs.
    pub(super) fn json(&self) -> Value {
        json!({
            "metric": self.metric,
            "question": self.question,
            "runs_needed": self.runs_needed,
            "comparisons": self.comparisons,
        })
    }
}

fn p_value(p: f64) -> String {
    if p >= 0.001 { format!("{p:.3}") } else { format!("{p:.1e}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use analyses::significance::{ComparedValues, Method, compare};

    const QUESTION: ComparisonSettings = ComparisonSettings {
        method: Method::Wilcoxon,
        correction: PValueCorrection::Holm,
        alpha: 0.05,
        smaller_is_better: true,
    };

    fn table(names: [&str; 2]) -> Table<'static> {
        let values = |shift: f64| (0..8).map(|i| f64::from(i) + shift).collect();
        let sample = ComparedValues {
            setting: None,
            step: "1000".to_owned(),
            algorithms: vec![(names[0].to_owned(), values(0.0)), (names[1].to_owned(), values(2_000.0))],
            pairing: None,
        };
        let comparisons = compare(&[sample], &QUESTION, None).unwrap();
        Table { comparisons, question: &QUESTION, metric: "regret", runs_needed: None }
    }

    #[test]
    fn text_names_the_test() {
        let text = table(["rucb alpha=0.6", "mdb"]).to_annotated_table().text();
        let expected = "better          other  regret of better  of other  difference";
        assert!(text.starts_with(expected), "{text}");
        for part in
            ["-2,000", "1.6e-4*", "Wilcoxon rank-sum test, 8 runs per algorithm, not in pairs", "1 comparison by Holm"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn latex_escapes_everything_and_has_as_many_cells_in_each_row() {
        let nasty = "a_b & 50% {#1} \\x ~^ $5 | <y>";
        let found = table([nasty, "mdb"]);
        let text = found.to_annotated_table().latex(false);
        assert!(text.contains("a\\_b \\& 50\\% \\{\\#1\\} \\textbackslash{}x \\textasciitilde{}\\textasciicircum{} \\$5 $\\vert$ $<$y$>$"), "{text}");
        let rows: Vec<&str> = text.lines().filter(|line| line.ends_with("\\\\")).collect();
        assert_eq!(rows.len(), 2);
        for row in rows {
            assert_eq!(row.replace("\\&", "").matches('&').count(), found.columns().len() - 1, "{row}");
        }
        let rules = ["\\toprule", "\\midrule", "\\bottomrule", "\\begin{tabular}{llrrrrrrr}", "\\end{tabular}"];
        assert!(rules.iter().all(|rule| text.matches(rule).count() == 1), "{text}");
        // Balanced braces and dollars, escaped ones aside.
        for text in [text, found.to_annotated_table().latex(true)] {
            let plain = text.replace("\\{", "").replace("\\}", "").replace("\\$", "");
            assert_eq!(plain.matches('{').count(), plain.matches('}').count(), "{text}");
            assert_eq!(plain.matches('$').count() % 2, 0, "{text}");
        }
        let document = found.to_annotated_table().latex(true);
        assert!(
            document.starts_with("\\documentclass{article}") && document.ends_with("\\end{document}"),
            "{document}"
        );
        assert!(document.contains("$-2{,}000$") && document.contains("$1.6 \\cdot 10^{-4}$\\rlap{*}"), "{document}");
    }

    #[test]
    fn markdown_and_csv_hold_the_same() {
        let found = table(["a|b", "c"]);
        let markdown = found.to_annotated_table().markdown();
        let lines: Vec<&str> = markdown.lines().take(3).collect();
        assert!(lines[2].contains("a\\|b") && lines[2].contains("1.6e-4\\*"), "{markdown}");
        let cells = |line: &str| line.replace("\\|", "").matches('|').count();
        assert!(lines.iter().all(|line| cells(line) == cells(lines[0])), "{markdown}");
        let csv = found.csv().unwrap();
        let rows: Vec<&str> = csv.lines().collect();
        assert_eq!((rows.len(), rows[0].split(',').count(), rows[1].split(',').count()), (2, 16, 16));
        assert_eq!(found.json()["comparisons"][0]["other"]["algorithm"], "c");
    }
}
