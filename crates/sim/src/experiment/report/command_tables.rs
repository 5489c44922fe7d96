//! Tables of a results folder on the page: of its algorithms, of measures, and the most informative part of a CSV file.

use std::path::PathBuf;

use maud::{Markup, html};
use output::numbers::{deviation, significant, with_separators};
use serde_json::Value;
use studies::verdict::{MeasureTable, MeasureTests, RankerMeans};

use super::markup::{PageText, annotated_table, table};

/// The CSV files with a command's findings, and whether these are in the last row of each curve: the last step.
const FINDINGS_FILES: [(&str, bool); 5] = [
    ("ranking.csv", false),
    ("power.csv", false),
    ("errors.csv", true),
    ("distortion.csv", false),
    ("differences.csv", true),
];
/// The most rows that are shown of a file.
const MAX_ROWS: usize = 12;

/// The entries of summary.json: each algorithm at the end, or at each horizon.
pub(super) fn algorithms_table(algorithms: &[Value]) -> Markup {
    if algorithms.iter().any(|algorithm| algorithm["horizon"].is_u64()) {
        let header = ["algorithm", "horizon", "accuracy", "regret", "standard error"].map(str::to_owned);
        let rows: Vec<Vec<String>> = algorithms.iter().filter_map(row_at_horizon).collect();
        table(&header, &rows, 1..usize::MAX)
    } else {
        let header = ["algorithm", "regret", "standard error", "right", "recommends"].map(str::to_owned);
        let rows: Vec<Vec<String>> = algorithms.iter().filter_map(row_at_end).collect();
        table(&header, &rows, 1..4)
    }
}

fn row_at_end(algorithm: &Value) -> Option<Vec<String>> {
    let runs = algorithm["runs"].as_u64()?;
    let recommended = algorithm["recommended"].as_array().into_iter().flatten();
    let recommended = recommended.take(3).filter_map(|arm| {
        let recommending = arm["runs"].as_u64().filter(|recommending| *recommending < runs);
        let fraction = recommending.map_or_else(String::new, |recommending| format!(", {recommending}/{runs}"));
        Some(format!("{}{fraction}", arm["label"].as_str()?))
    });
    let recommended = recommended.collect::<Vec<_>>().join("; ");
    let [regret, error] = regret_cells(algorithm, runs)?;
    Some(vec![
        algorithm_name(algorithm)?,
        regret,
        error,
        percent_cell(&algorithm["share_recommending_best"]),
        recommended,
    ])
}

fn row_at_horizon(algorithm: &Value) -> Option<Vec<String>> {
    let [regret, error] = regret_cells(algorithm, algorithm["runs"].as_u64()?)?;
    Some(vec![
        algorithm_name(algorithm)?,
        with_separators(algorithm["horizon"].as_u64()?),
        percent_cell(&algorithm["accuracy"]),
        regret,
        error,
    ])
}

/// Mean and standard error.
fn regret_cells(algorithm: &Value, runs: u64) -> Option<[String; 2]> {
    let [mean, error] = ["mean", "standard_error"].map(|key| algorithm["regret"][key].as_f64());
    Some([significant(mean?), deviation(mean?, error?, usize::try_from(runs).ok()?)])
}

fn algorithm_name(algorithm: &Value) -> Option<String> {
    algorithm["label"].as_str().or_else(|| algorithm["algorithm"].as_str()).map(str::to_owned)
}

fn percent_cell(share: &Value) -> String {
    share.as_f64().map_or_else(|| "–".to_owned(), |share| format!("{:.0}%", 100.0 * share))
}

/// The means of measures, of `inspect`, best first, with letters for the runs that each beats by `tests`.
pub(super) fn measures_table(measures: &Value, tests: Option<&MeasureTests>) -> Option<Markup> {
    let names = measures["measures"].as_array()?.iter().map(|name| name.as_str().map(str::to_owned));
    let names: Vec<String> = names.collect::<Option<_>>()?;
    let row = |(arm, ranker): (usize, &Value)| {
        let feature = || format!("feature {}", ranker["feature"]);
        let values = ranker["values"].as_array()?.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>()?;
        let name = ranker["name"].as_str().map_or_else(feature, str::to_owned);
        (values.len() == names.len()).then_some(RankerMeans { arm, name, values })
    };
    let rows: Vec<RankerMeans> = measures["rankers"].as_array()?.iter().enumerate().map(row).collect::<Option<_>>()?;
    if names.is_empty() || rows.is_empty() {
        return None;
    }
    let queries = usize::try_from(measures["queries"].as_u64()?).ok()?;
    Some(annotated_table(&MeasureTable::new(names, rows, tests, (queries, None)).to_annotated_table()))
}

/// The first of `files` with a command's findings: its first rows, or the last of each curve. `None` without any.
pub(super) fn findings_table(files: &[PathBuf]) -> Option<Markup> {
    let find = |name: &str| files.iter().find(|file| file.file_name().is_some_and(|file_name| file_name == name));
    let (file, is_curves) = FINDINGS_FILES.iter().find_map(|(name, is_curves)| Some((find(name)?, *is_curves)))?;
    let bytes = output::input::read_file(file, output::input::MAX_RESULT_BYTES).ok()?;
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes.as_slice());
    let mut records = reader.records().flatten().map(|row| row.iter().map(str::to_owned).collect::<Vec<String>>());
    let mut header = records.next().unwrap_or_default();
    let mut lines: Vec<Vec<String>> = records.collect();
    let count = lines.len();
    if is_curves {
        let is_last = |row: usize| lines.get(row + 1).is_none_or(|next| next.first() != lines[row].first());
        lines = (0..count).filter(|row| is_last(*row)).map(|row| lines[row].clone()).collect();
    }
    lines.truncate(MAX_ROWS);
    // The label is the shorter name.
    if let Some(label) = header.iter().position(|name| name == "label").filter(|_| header[0] == "algorithm") {
        header.remove(label);
        for row in lines.iter_mut().filter(|row| row.len() > label) {
            row[0] = row.remove(label);
        }
    }
    let is_number = |column: usize| {
        lines.iter().filter_map(|row| row.get(column)).all(|cell| cell.is_empty() || cell.parse::<f64>().is_ok())
    };
    let numbers = (0..header.len()).rev().take_while(|column| is_number(*column)).last().unwrap_or(header.len());
    let header: Vec<String> = header.iter().map(|name| name.replace('_', " ")).collect();
    let cells: Vec<Vec<String>> =
        lines.iter().map(|row| row.iter().map(|cell| readable_cell(cell)).collect()).collect();
    let hidden_rows = with_separators((count - lines.len()) as u64);
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    Some(html! {
        (table(&header, &cells, numbers..usize::MAX))
        @if count > lines.len() { p.muted { (hidden_rows) " more rows in " (PageText(&name)) } }
    })
}

/// A cell of a CSV file for readers.
fn readable_cell(cell: &str) -> String {
    match (cell.parse::<u64>(), cell.parse::<f64>()) {
        (Ok(whole), _) => with_separators(whole),
        (_, Ok(value)) if value.is_finite() => significant(value),
        _ => cell.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        findings_table(&[path]).map_or_else(String::new, Markup::into_string)
    }

    #[test]
    fn of_curves_the_ends_are_shown_under_short_names() {
        let body = file(
            "differences.csv",
            "algorithm,step,live_regret,label\nrucb:alpha=1,1,0.1,rucb\nrucb:alpha=1,20000,422.57,rucb\nrandom,1,0.2,random\nrandom,20000,1229.04,random\n",
        );
        for part in [
            "<th>algorithm</th><th>step</th><th>live regret</th></tr>",
            "<tr><td>rucb</td><td class=\"number\">20,000</td><td class=\"number\">423</td></tr>",
            "<tr><td>random</td><td class=\"number\">20,000</td><td class=\"number\">1,230</td></tr>",
            ">2 more rows in differences.csv<",
        ] {
            assert!(body.contains(part), "{part} in {body}");
        }
        assert!(!body.contains("0.1") && !body.contains("alpha"), "{body}");
    }

    #[test]
    fn of_other_files_the_first_rows_are_shown() {
        let rows: String = (1..=20).map(|row| format!("{row},x,{row}.5\n")).collect();
        let body = file("power.csv", &format!("margin,test,impressions\n{rows}"));
        assert!(body.contains("<td>12</td><td>x</td><td class=\"number\">12.5</td>"), "{body}");
        assert!(!body.contains("13.5") && body.contains(">8 more rows in power.csv<"), "{body}");
        assert_eq!(file("other.csv", "a\n1\n"), "");
    }

    #[test]
    fn exploration_has_a_row_per_horizon() {
        let entry = |horizon: u64, accuracy: f64| {
            serde_json::json!({"algorithm": "rucb:alpha=1", "label": "rucb", "horizon": horizon, "runs": 10,
              "accuracy": accuracy, "regret": {"mean": 73.0, "standard_error": 0.5}})
        };
        let body = algorithms_table(&[entry(1_000, 0.9), entry(10_000, 1.0)]).into_string();
        assert!(body.contains("<th>horizon</th><th>accuracy</th>"), "{body}");
        assert!(body.contains("<td>rucb</td><td class=\"number\">1,000</td><td class=\"number\">90%</td>"), "{body}");
    }
}
