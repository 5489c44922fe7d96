//! Columns of covariates: differences of answers in length, headers and so on.

use super::columns::position;
use super::error::{ReadError, decimal_comma, quoted};
use super::headers::plain;
use crate::Covariate;

/// A covariate and its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CovariateColumns {
    /// Its name.
    pub name: String,
    /// The column of differences, first minus second, or the columns of the first and the second answer. If empty, by the usual headers: for
    /// `length` the column `length`, or `length_first` and `length_second`, `length_a` and `length_b`, and others.
    pub columns: Vec<String>,
}

/// The endings of the columns of the first and the second answer.
const ENDINGS: [(&str, &str); 5] = [("first", "second"), ("a", "b"), ("left", "right"), ("1", "2"), ("x", "y")];

/// The covariates of a table while it is read.
pub(super) struct CovariateReader {
    /// By covariate: the column of differences, or both columns.
    columns: Vec<Vec<usize>>,
    pub(super) covariates: Vec<Covariate>,
}

impl CovariateReader {
    /// `pair` has the headers of the competitors: with `base` and `new`, `length_base` and `length_new` are found as well.
    pub(super) fn new(header: &[String], requested: &[CovariateColumns], pair: [&str; 2]) -> Result<Self, ReadError> {
        let columns =
            requested.iter().map(|covariate| find_columns(header, covariate, pair)).collect::<Result<_, _>>()?;
        let covariate =
            |covariate: &CovariateColumns| Covariate { name: covariate.name.clone(), differences: Vec::new() };
        Ok(Self { columns, covariates: requested.iter().map(covariate).collect() })
    }

    /// Adds the values of a row.
    pub(super) fn read(&mut self, row: u64, header: &[String], line: &[String]) -> Result<(), ReadError> {
        for (columns, covariate) in self.columns.iter().zip(&mut self.covariates) {
            let mut values = columns.iter().map(|place| number(row, &header[*place], &line[*place]));
            let first_value = values.next().unwrap_or(Ok(0.0))?;
            covariate.differences.push(first_value - values.next().unwrap_or(Ok(0.0))?);
        }
        Ok(())
    }
}

fn number(row: u64, header: &str, cell: &str) -> Result<f64, ReadError> {
    let parsed = match cell.to_lowercase().as_str() {
        "true" => Some(1.0),
        "false" => Some(0.0),
        text => text.parse().ok().filter(|value: &f64| value.abs() <= 1e11),
    };
    parsed.ok_or_else(|| {
        let (column, parsed, comma) = (quoted(header), quoted(cell), decimal_comma(cell));
        let parsed = if cell.is_empty() { "nothing" } else { &parsed };
        let message = format!("column {column}: found {parsed}, expected a number up to 1e11{comma}");
        ReadError::in_row(row, message)
    })
}

fn find_columns(header: &[String], requested: &CovariateColumns, pair: [&str; 2]) -> Result<Vec<usize>, ReadError> {
    let name = plain(&requested.name);
    if !requested.columns.is_empty() {
        return requested.columns.iter().map(|column| position(header, column)).collect();
    }
    let plain_names: Vec<String> = header.iter().map(|header| plain(header)).collect();
    let index_of = |name: &str| plain_names.iter().position(|plain_name| plain_name == name);
    let pair_names = pair.map(plain);
    let endings = ENDINGS.iter().copied().chain([(pair_names[0].as_str(), pair_names[1].as_str())]);
    let of_both = endings.filter_map(|(first, second)| {
        Some(vec![index_of(&format!("{name}_{first}"))?, index_of(&format!("{name}_{second}"))?])
    });
    let mut candidates: Vec<Vec<usize>> = index_of(&name).map(|index| vec![index]).into_iter().chain(of_both).collect();
    candidates.dedup();
    let candidate_text =
        |columns: &[usize]| columns.iter().map(|index| quoted(&header[*index])).collect::<Vec<_>>().join(" and ");
    let remedy = format!("say which with --covariates {0}=DIFFERENCE or {0}=FIRST:SECOND", requested.name);
    match &candidates[..] {
        [columns] => Ok(columns.clone()),
        [] => Err(ReadError::of_table(format!(
            "found no column of the covariate {0}: neither `{name}`, the difference of the first and the second answer, nor both of them, e.g. \
             `{name}_first` and `{name}_second`; the table has {1}; {remedy}",
            quoted(&requested.name),
            header.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")
        ))),
        several => {
            let candidate_texts: Vec<String> = several.iter().map(|columns| candidate_text(columns)).collect();
            Err(ReadError::of_table(format!(
                "the covariate {} may be {}; {remedy}",
                quoted(&requested.name),
                candidate_texts.join(", or ")
            )))
        }
    }
}
