//! Past experiments that ran both interleaving and an A/B test, and what they predict about the A/B test of a new one.

use anyhow::Result;
use ranktypes::text::{excerpt, with_unit};
use serde::Serialize;
use statistics::fixed_sample::{Correlation, Line, Prediction, correlation, sign_agreement, weighted_line};
use statistics::{Counts, StatisticsError, normal_quantile};

use super::NewResult;
use crate::error::{LineError, LogError};
use crate::read::Fields;

/// The columns of the table; the first two must be there.
const COLUMNS: [&str; 5] = ["interleaving", "ab", "interleaving_error", "ab_error", "name"];
/// The fewest experiments that a line is fitted to.
const MIN_EXPERIMENTS: usize = 3;
/// The level at which an A/B result counts as significant.
const SIGNIFICANT_P: f64 = 0.05;

/// A past experiment.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Experiment {
    name: String,
    interleaving: f64,
    interleaving_error: Option<f64>,
    ab: f64,
    ab_error: Option<f64>,
}

/// A row of against.csv.
#[derive(Debug, Serialize)]
struct FittedRow<'a> {
    name: &'a str,
    interleaving: f64,
    interleaving_error: Option<f64>,
    ab: f64,
    ab_error: Option<f64>,
    fitted: f64,
    residual: f64,
    agrees: Option<bool>,
}

/// Results of past experiments.
pub(super) struct PastExperiments {
    pub(super) agreement: Counts,
    /// The agreement of experiments with a significant A/B result; `None` without any errors.
    pub(super) significant: Option<Counts>,
    /// `None` if all A/B results are equal.
    pub(super) correlation: Option<Correlation>,
    pub(super) line: Line,
    /// Whether A/B results are weighted by their accuracy.
    pub(super) is_weighted: bool,
    /// The mean square of the errors of all interleaving results, if they are known.
    pub(super) interleaving_variance: Option<f64>,
    /// The least and the largest interleaving result.
    pub(super) reach: (f64, f64),
}

/// The experiments of a table in CSV.
pub(super) fn read(text: &str) -> Result<Vec<Experiment>, LogError> {
    // Spreadsheets put a mark of the byte order in front.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let (header_line, header) = lines.next().unwrap_or((1, ""));
    let at = |line: u64| move |message: String| LogError::at_line(LineError::new(message), line);
    let names = Fields::split(header.trim(), b',').map_err(|error| LogError::at_line(error, header_line))?;
    let names: Vec<&str> = names.iter().map(|name| name.trim()).collect();
    let mut places = [None; COLUMNS.len()];
    for (place, column) in places.iter_mut().zip(COLUMNS) {
        let mut found = names.iter().zip(0..).filter(|(name, _)| **name == column).map(|(_, place)| place);
        *place = found.next();
        if found.next().is_some() {
            return Err(at(header_line)(format!("the column `{column}` is there twice; leave one of them out")));
        }
    }
    let [Some(interleaving), Some(ab), interleaving_error, ab_error, name] = places else {
        let lacking: Vec<&str> =
            COLUMNS[..2].iter().zip(places).filter(|(_, place)| place.is_none()).map(|(name, _)| *name).collect();
        return Err(at(header_line)(format!(
            "found the columns {} and no {}; expected interleaving and ab, and perhaps interleaving_error, ab_error and name, \
             separated by commas",
            excerpt(&names.join(",")),
            lacking.join(", ")
        )));
    };
    let mut experiments = Vec::new();
    for (line, text) in lines {
        let fields = Fields::split(text.trim(), b',').map_err(|error| LogError::at_line(error, line))?;
        if fields.len() != names.len() {
            let (found, expected) = (with_unit(fields.len() as u64, "field"), names.len());
            return Err(at(line)(format!("found {found}; expected {expected}, as the header has")));
        }
        let number = |place: usize, expected: &str, is_allowed: fn(f64) -> bool| {
            let field = fields[place].trim();
            field
                .parse()
                .ok()
                .filter(|number| is_allowed(*number))
                .ok_or_else(|| at(line)(format!("`{}` is {}; expected {expected}", names[place], excerpt(field))))
        };
        let error = |place: Option<usize>| {
            let given = place.filter(|place| !fields[*place].trim().is_empty());
            let expected = "a standard error above 0, or nothing if it is not known";
            given.map(|place| number(place, expected, |error| error > 0.0 && error.is_finite())).transpose()
        };
        experiments.push(Experiment {
            name: name.map_or_else(String::new, |place| fields[place].trim().to_owned()),
            interleaving: number(interleaving, "a number from -1 to 1", |value| (-1.0..=1.0).contains(&value))?,
            interleaving_error: error(interleaving_error)?,
            ab: number(ab, "a finite number", f64::is_finite)?,
            ab_error: error(ab_error)?,
        });
    }
    if experiments.len() < MIN_EXPERIMENTS {
        let found = with_unit(experiments.len() as u64, "experiment");
        return Err(LogError::new(format!(
            "found {found}; expected at least {MIN_EXPERIMENTS}, one on each line below the header"
        )));
    }
    let first = experiments[0].interleaving;
    if experiments.iter().all(|experiment| experiment.interleaving == first) {
        return Err(LogError::new(format!(
            "all results in `interleaving` are {first}, so that there is no line; expected at least two different ones"
        )));
    }
    Ok(experiments)
}

impl PastExperiments {
    pub(super) fn of(experiments: &[Experiment]) -> Result<Self, StatisticsError> {
        // Sums depend on the order of their terms in the last digits: the order of rows shall make no difference.
        let mut experiments: Vec<&Experiment> = experiments.iter().collect();
        let numbers = |columns: &Experiment| {
            [
                columns.interleaving,
                columns.ab,
                columns.interleaving_error.unwrap_or(0.0),
                columns.ab_error.unwrap_or(0.0),
            ]
        };
        experiments.sort_by(|a, b| {
            let pairs = numbers(a).into_iter().zip(numbers(b));
            pairs.map(|(a, b)| a.total_cmp(&b)).find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        });
        let column = |columns: fn(&Experiment) -> f64| experiments.iter().map(|row| columns(row)).collect::<Vec<f64>>();
        let (x, y) = (column(|row| row.interleaving), column(|row| row.ab));
        let errors = |columns: fn(&Experiment) -> Option<f64>| {
            experiments.iter().map(|row| columns(row)).collect::<Option<Vec<_>>>()
        };
        let ab_errors = errors(|row| row.ab_error);
        let weights = ab_errors.as_ref().map_or_else(
            || vec![1.0; x.len()],
            |errors| {
                let least = errors.iter().copied().fold(f64::INFINITY, f64::min);
                errors.iter().map(|error| (least / error) * (least / error)).collect()
            },
        );
        let far = -normal_quantile(SIGNIFICANT_P / 2.0);
        let is_significant = |row: &&Experiment| row.ab_error.is_some_and(|error| row.ab.abs() > far * error);
        let (first, second): (Vec<f64>, Vec<f64>) =
            experiments.iter().copied().filter(is_significant).map(|row| (row.interleaving, row.ab)).unzip();
        let has_errors = experiments.iter().any(|row| row.ab_error.is_some());
        let squares = errors(|row| row.interleaving_error).map(|errors| errors.iter().map(|error| error * error).sum());
        Ok(Self {
            agreement: sign_agreement(&x, &y)?,
            significant: has_errors.then(|| sign_agreement(&first, &second)).transpose()?,
            correlation: match correlation(&x, &y) {
                Err(StatisticsError::AllEqual { .. }) => None,
                found => Some(found?),
            },
            line: weighted_line(&x, &y, &weights)?,
            is_weighted: ab_errors.is_some(),
            interleaving_variance: squares.map(|squares: f64| squares / x.len() as f64),
            reach: (x[0], x[x.len() - 1]),
        })
    }

    /// against.csv: the rows in their order, with the line's prediction for each.
    pub(super) fn table(&self, experiments: &[Experiment]) -> Result<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for Experiment { name, interleaving, interleaving_error, ab, ab_error } in experiments {
            let fitted = self.line.value_at(*interleaving);
            let has_signs = *interleaving != 0.0 && *ab != 0.0;
            writer.serialize(FittedRow {
                name,
                interleaving: *interleaving,
                interleaving_error: *interleaving_error,
                ab: *ab,
                ab_error: *ab_error,
                fitted,
                residual: ab - fitted,
                agrees: has_signs.then_some((*interleaving > 0.0) == (*ab > 0.0)),
            })?;
        }
        Ok(String::from_utf8(writer.into_inner()?)?)
    }

    pub(super) fn predict(&self, NewResult { value, error }: NewResult) -> Result<Prediction, StatisticsError> {
        // The residuals hold the errors of past interleaving results, so that only what exceeds these is added.
        let beyond = error * error - self.interleaving_variance.unwrap_or(0.0);
        self.line.predict(value, libm::sqrt(beyond.max(0.0)))
    }
}
