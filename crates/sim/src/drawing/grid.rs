//! A grid of parameters as a heat map.

use anyhow::{Result, ensure};
use bandits::registry::Spec;
use figures::print::Grid;
use output::numbers::{number, with_separators};
use output::usage::usage;

use super::Request;
use super::study::Study;
use crate::experiment::redraw::FinishedExperiment;
use crate::experiment::series::Metric;

/// The means of a curve: an algorithm with its parameters in a setting.
struct Means {
    setting: String,
    algorithm: String,
    points: Vec<(f64, f64)>,
}

/// The meaning of one value.
enum Value {
    /// The value at the last x, or at this one.
    RegretAt(Option<f64>),
    /// Relative to the lowest of the grid, averaged over all x.
    Relative,
}

pub(super) fn of_experiment(finished: &FinishedExperiment, request: &Request) -> Result<Grid> {
    let series = finished.series.iter().filter(|series| series.metric == Metric::Regret);
    let means = series.map(|series| Means {
        setting: series.setting.clone(),
        algorithm: series.curve.replace(' ', ":"),
        points: series.points.iter().map(|point| (point.x, point.spread().mean)).collect(),
    });
    // Over sets of rankers of several sizes no size is more important than the others.
    let value = if finished.is_against_rankers() && request.grid_step.is_none() {
        Value::Relative
    } else {
        Value::RegretAt(request.grid_step)
    };
    let x = if finished.is_against_rankers() { "rankers" } else { "steps" };
    heat_map_grid(means.collect(), &value, x, finished.title(), finished.note(), request)
}

pub(super) fn of_study(study: &Study, request: &Request) -> Result<Grid> {
    let means = study.studies.iter().flat_map(|part| {
        part.curves.iter().map(|curve| Means {
            setting: String::new(),
            algorithm: curve.algorithm.clone(),
            points: curve.points.iter().map(|at| (at.step as f64, at.spread.mean)).collect(),
        })
    });
    ensure!(study.studies.len() == 1, usage("--heat-map draws one study; choose the folder live or proxy in it"));
    heat_map_grid(means.collect(), &Value::RegretAt(request.grid_step), "steps", study.title(), study.note(), request)
}

/// An algorithm of a grid: its name, and all its parameters.
struct Cell {
    name: String,
    parameters: Vec<(String, String)>,
    means: Means,
}

fn heat_map_grid(
    means: Vec<Means>,
    value: &Value,
    x: &str,
    title: &str,
    note: Option<String>,
    request: &Request,
) -> Result<Grid> {
    let is_wanted = |name: &str| request.curves_only.is_empty() || request.curves_only.iter().any(|only| only == name);
    let mut cells: Vec<Cell> = Vec::new();
    for means in means {
        // Curves of other kinds, such as bounds, are in no grid.
        let Ok(spec) = means.algorithm.parse::<Spec>() else { continue };
        let canonical = spec.canonical();
        let parameters = canonical.split(':').skip(1).filter_map(|given| given.split_once('='));
        let parameters = parameters.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        let name = spec.entry().name.to_owned();
        if is_wanted(&name) {
            cells.push(Cell { name, parameters, means });
        }
    }
    let axes = axes(&cells)?;
    let value_index = |cell: &Cell, axis: &Axis| {
        // A grid of one parameter has a single row without a name.
        if axis.key.is_empty() {
            return Some(0);
        }
        let value = cell.parameters.iter().find(|(key, _)| *key == axis.key).map(|(_, value)| value.clone());
        axis.values.iter().position(|known| Some(known) == value.as_ref())
    };
    let [columns, rows] = &axes;
    let mut names: Vec<(String, String)> = Vec::new();
    for cell in &cells {
        let name = (cell.means.setting.clone(), cell.name.clone());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let (several_algorithms, several_settings) =
        (names.iter().any(|name| name.1 != names[0].1), names.iter().any(|name| name.0 != names[0].0));
    let mut maps = Vec::new();
    for (setting, algorithm) in &names {
        let of_map: Vec<&Cell> =
            cells.iter().filter(|cell| cell.means.setting == *setting && cell.name == *algorithm).collect();
        let mut values = vec![None; columns.values.len() * rows.values.len()];
        for cell in &of_map {
            if let (Some(column), Some(row)) = (value_index(cell, columns), value_index(cell, rows)) {
                values[row * columns.values.len() + column] = cell_value(cell, &of_map, value, x)?;
            }
        }
        let name_parts = [setting.as_str(), if several_algorithms { algorithm } else { "" }];
        let name_parts: Vec<&str> = name_parts
            .into_iter()
            .filter(|part| !part.is_empty() && (several_settings || several_algorithms))
            .collect();
        maps.push((name_parts.join(", "), values));
    }
    let last_x = || cells.iter().filter_map(|cell| cell.means.points.last()).map(|(x, _)| *x).fold(0.0, f64::max);
    let value_label = match value {
        Value::RegretAt(step) => format!("regret at {} {x}", number(step.unwrap_or_else(last_x))),
        Value::Relative => {
            let sizes = cells.iter().map(|cell| cell.means.points.len()).max().unwrap_or(0);
            format!("regret / lowest of the grid, mean of {} sizes", with_separators(sizes as u64))
        }
    };
    let axis_label = |axis: usize, default: &str| request.labels[axis].clone().unwrap_or_else(|| default.to_owned());
    Ok(Grid {
        title: request.title.clone().unwrap_or_else(|| title.to_owned()),
        subtitle: None,
        x_label: axis_label(0, &columns.key),
        y_label: axis_label(1, &rows.key),
        value_label,
        columns: columns.values.clone(),
        rows: rows.values.clone(),
        maps,
        note,
    })
}

/// A parameter and its values in ascending order.
struct Axis {
    key: String,
    values: Vec<String>,
}

/// The one or two parameters in which algorithms differ: the one with more values goes across.
fn axes(cells: &[Cell]) -> Result<[Axis; 2]> {
    let mut axes: Vec<Axis> = Vec::new();
    for cell in cells {
        for (key, value) in &cell.parameters {
            match axes.iter_mut().find(|axis| axis.key == *key) {
                Some(axis) if axis.values.contains(value) => {}
                Some(axis) => axis.values.push(value.clone()),
                None => axes.push(Axis { key: key.clone(), values: vec![value.clone()] }),
            }
        }
    }
    axes.retain(|axis| axis.values.len() > 1);
    let found_keys: Vec<&str> = axes.iter().map(|axis| axis.key.as_str()).collect();
    ensure!(
        matches!(axes.len(), 1 | 2),
        usage(format!(
            "a heat map needs algorithms that differ in one or two parameters, such as mergerucb:p={{4,8}}:alpha={{0.8,1}}; \
             those here differ in {}",
            if found_keys.is_empty() { "none".to_owned() } else { found_keys.join(", ") }
        ))
    );
    for axis in &mut axes {
        let numeric = |value: &String| value.parse::<f64>().unwrap_or(f64::INFINITY);
        axis.values.sort_by(|a, b| numeric(a).total_cmp(&numeric(b)));
    }
    axes.sort_by_key(|axis| std::cmp::Reverse(axis.values.len()));
    let mut axes = axes.into_iter();
    let unnamed = || Axis { key: String::new(), values: vec![String::new()] };
    Ok([axes.next().unwrap_or_else(unnamed), axes.next().unwrap_or_else(unnamed)])
}

/// The value of one square.
fn cell_value(cell: &Cell, cells: &[&Cell], value: &Value, x: &str) -> Result<Option<f64>> {
    let mean_at =
        |cell: &Cell, x: f64| cell.means.points.iter().find(|(point_x, _)| *point_x == x).map(|(_, mean)| *mean);
    match value {
        Value::RegretAt(None) => Ok(cell.means.points.last().map(|(_, mean)| *mean)),
        Value::RegretAt(Some(wanted)) => {
            let mean = mean_at(cell, *wanted);
            ensure!(
                mean.is_some(),
                usage(format!(
                    "--at {wanted}: there is no such number of {x}; there are {}",
                    cell.means.points.iter().map(|(x, _)| number(*x)).collect::<Vec<_>>().join(", ")
                ))
            );
            Ok(mean)
        }
        Value::Relative => {
            let ratios = cell.means.points.iter().map(|(x, mean)| {
                let lowest = cells.iter().filter_map(|other| mean_at(other, *x)).fold(f64::INFINITY, f64::min);
                mean / lowest
            });
            let ratios: Vec<f64> = ratios.filter(|ratio| ratio.is_finite()).collect();
            Ok((!ratios.is_empty()).then(|| ratios.iter().sum::<f64>() / ratios.len() as f64))
        }
    }
}
