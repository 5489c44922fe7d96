//! Click models written in Python, and users simulated alone.
//!
//! A model of the caller's is asked once per site: its answers become a finite-state model, so that no impression waits for the
//! interpreter, and all of its numbers are part of seeds and keys.

use anyhow::Result;
use clicks::{
    ClickModel as _, ClickSpec, CompiledClickModel as _, FiniteStateModel, FractionalLabels, Reaction, User as _,
};
use numpy::{IntoPyArray as _, PyArray2, PyArrayMethods as _};
use output::memory::ensure_room;
use output::numbers::with_separators;
use output::progress::Progress;
use pyo3::prelude::*;
use simulation::seed;

use crate::call::{CallOptions, value_error, work};

/// P(click); P(leave) without and with a click; the next state without and with a click.
type Row = (f64, [f64; 2], [Option<u32>; 2]);
/// The name, the states that users start in with their shares, and the rows by state and grade.
type StateMachine = (String, Vec<(u32, f64)>, Vec<Row>);

/// The model that `own` answers for when it is called with the highest grade, for labels up to `highest`.
pub(crate) fn own_model(own: &Bound<'_, PyAny>, highest: f32) -> PyResult<ClickSpec> {
    let highest = highest.max(0.0).ceil() as usize;
    let (name, starts, rows): StateMachine = own.call1((highest,))?.extract()?;
    let reactions = rows.into_iter().map(|(click, leave, next)| Reaction { click, leave, next });
    let model = FiniteStateModel::new(&name, highest + 1, starts, reactions.collect());
    Ok(ClickSpec::FiniteState(model.map_err(value_error)?))
}

/// Users between two looks at the progress.
const USERS_PER_PROGRESS: u64 = 1024;

/// The clicks of users on a list of documents with these `labels`, as a row of zeros and ones per user.
#[pyfunction]
pub(crate) fn simulate_clicks<'py>(
    py: Python<'py>,
    click: &str,
    own: Option<Bound<'py, PyAny>>,
    labels: Vec<f32>,
    fractional_labels: &str,
    users: usize,
    seed: u64,
) -> PyResult<Bound<'py, PyArray2<u8>>> {
    let rule: FractionalLabels = serde_json::from_value(fractional_labels.into()).map_err(|_| {
        value_error(format!("fractional_labels: expected round, floor or interpolate, found {fractional_labels:?}"))
    })?;
    let highest = labels.iter().copied().fold(0.0, f32::max);
    let spec = match own {
        Some(own) => own_model(&own, highest)?,
        None => click.parse().map_err(value_error)?,
    };
    let model = spec.resolve(highest).map_err(value_error)?;
    let (compiled, grades) = model.prepare(&labels, rule).map_err(value_error)?;
    let columns = grades.len();
    let clicked = work(py, CallOptions { threads: Some(1), report: None, notes: true }, move || -> Result<Vec<u8>> {
        let size = users.saturating_mul(columns);
        let what = || format!("the clicks of {} users on {columns} documents", with_separators(users as u64));
        ensure_room(size as u64, what, || "ask for fewer users".to_owned())?;
        let mut clicked: Vec<u8> = Vec::with_capacity(size);
        let mut generator = seed::generator(seed, "clicks", 0, "users");
        let progress = Progress::new("clicking", users as u64, true);
        for number in 0..users as u64 {
            let mut user = compiled.user();
            let end = clicked.len() + columns;
            for &grade in &grades {
                let seen = user.examine(grade, &mut generator);
                clicked.push(u8::from(seen.clicked));
                if seen.abandons {
                    break;
                }
            }
            clicked.resize(end, 0);
            if (number + 1).is_multiple_of(USERS_PER_PROGRESS) {
                progress.advance(USERS_PER_PROGRESS);
            }
        }
        progress.finish();
        Ok(clicked)
    })?;
    clicked.into_pyarray(py).reshape([users, columns])
}
