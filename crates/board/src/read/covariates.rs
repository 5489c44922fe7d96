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
pub(super) struct Reader {
    /// By covariate: the column of differences, or both columns.
    places: Vec<Vec<usize>>,
    pub(super) covariates: Vec<Covariate>,
}

impl Reader {
    /// `pair` has the headers of the competitors: with `base` and `new`, `length_base` and `length_new` are found as well.
    pub(super) fn of(header: &[String], asked: &[CovariateColumns], pair: [&str; 2]) -> Result<Self, ReadError> {
        let places = asked.iter().map(|one| find(header, one, pair)).collect::<Result<_, _>>()?;
        let covariate = |one: &CovariateColumns| Covariate { name: one.name.clone(), differences: Vec::new() };
        Ok(Self { places, covariates: asked.iter().map(covariate).collect() })
    }

    /// Adds the values of a row.
    pub(super) fn read(&mut self, row: u64, header: &[String], line: &[String]) -> Result<(), ReadError> {
        for (places, covariate) in self.places.iter().zip(&mut self.covariates) {
            let mut values = places.iter().map(|place| number(row, &header[*place], &line[*place]));
            let first = values.next().unwrap_or(Ok(0.0))?;
            covariate.differences.push(first - values.next().unwrap_or(Ok(0.0))?);
        }
        Ok(())
    }
}

fn number(row: u64, header: &str, cell: &str) -> Result<f64, ReadError> {
    let found = match cell.to_lowercase().as_str() {
        "true" => Some(1.0),
        "false" => Some(0.0),
        text => text.parse().ok().filter(|value: &f64| value.abs() <= 1e11),
    };
    found.ok_or_else(|| {
        let (column, found, comma) = (quoted(header), quoted(cell), decimal_comma(cell));
        let found = if cell.is_empty() { "nothing" } else { &found };
        let message = format!("column {column}: found {found}, expected a number up to 1e11{comma}");
        ReadError::at(row, message)
    })
}

fn find(header: &[String], asked: &CovariateColumns, pair: [&str; 2]) -> Result<Vec<usize>, ReadError> {
    let name = plain(&asked.name);
    if !asked.columns.is_empty() {
        return asked.columns.iter().map(|column| position(header, column)).collect();
    }
    let all: Vec<String> = header.iter().map(|header| plain(header)).collect();
    let at = |name: &str| all.iter().position(|found| found == name);
    let own = pair.map(plain);
    let endings = ENDINGS.iter().copied().chain([(own[0].as_str(), own[1].as_str())]);
    let of_both = endings
        .filter_map(|(first, second)| Some(vec![at(&format!("{name}_{first}"))?, at(&format!("{name}_{second}"))?]));
    let mut found: Vec<Vec<usize>> = at(&name).map(|place| vec![place]).into_iter().chain(of_both).collect();
    found.dedup();
    let listed =
        |places: &[usize]| places.iter().map(|place| quoted(&header[*place])).collect::<Vec<_>>().join(" and ");
    let how = format!("say which with --covariates {0}=DIFFERENCE or {0}=FIRST:SECOND", asked.name);
    match &found[..] {
        [places] => Ok(places.clone()),
        [] => Err(ReadError::whole(format!(
            "found no column of the covariate {0}: neither `{name}`, the difference of the first and the second answer, nor both of them, e.g. \
             `{name}_first` and `{name}_second`; the table has {1}; {how}",
            quoted(&asked.name),
            header.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")
        ))),
        several => {
            let all: Vec<String> = several.iter().map(|places| listed(places)).collect();
            Err(ReadError::whole(format!("the covariate {} may be {}; {how}", quoted(&asked.name), all.join(", or "))))
        }
    }
}
