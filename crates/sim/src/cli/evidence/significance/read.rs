//! The runs of a results folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use output::usage::usage;
use output::{input, path_error};
use ranktypes::text::escaped;
use serde_json::Value;

use analyses::significance::{ComparedValues, Pairing};
use studies::results::label_of;

/// The columns of an experiment's file.
const EXPERIMENT: [&str; 6] = ["setting", "curve", "metric", "x", "run", "value"];

/// One line of the file.
struct Run {
    setting: Option<String>,
    algorithm: String,
    step: String,
    number: u64,
    value: f64,
}

/// The values of `metric` in the folder or file `results`: at the step `step`, or at the last one of each setting.
///
/// # Errors
/// If there is no such file, it is none of runs, or it has no such values.
pub(super) fn samples(results: &Path, metric: &str, step: Option<&str>) -> Result<Vec<ComparedValues>> {
    let path = file(results)?;
    let runs = runs(&path, metric)?;
    let steps: Vec<f64> = runs.iter().filter_map(|run| run.step.parse().ok()).collect();
    let wanted_step = step.map(|step| checked_step(step, &steps)).transpose()?;
    let (sets, keyed) = (sets_of_rankers(&path), has_keyed_streams(&path));
    // Runs by setting, in the order of the file.
    let mut settings: Vec<(Option<String>, Vec<Run>)> = Vec::new();
    for run in runs {
        match settings.iter_mut().find(|(setting, _)| *setting == run.setting) {
            Some((_, runs)) => runs.push(run),
            None => settings.push((run.setting.clone(), vec![run])),
        }
    }
    let several = settings.len() > 1;
    let samples = settings.into_iter().filter_map(|(setting, runs)| {
        let number = |run: &Run| run.step.parse::<f64>().unwrap_or(0.0);
        let last_step = runs.iter().map(number).fold(f64::NEG_INFINITY, f64::max);
        let step = wanted_step.unwrap_or(last_step);
        let mut algorithms: Vec<(String, Vec<(u64, f64)>)> = Vec::new();
        for run in runs.iter().filter(|run| number(run) == step) {
            match algorithms.iter_mut().find(|(name, _)| *name == run.algorithm) {
                Some((_, values)) => values.push((run.number, run.value)),
                None => algorithms.push((run.algorithm.clone(), vec![(run.number, run.value)])),
            }
        }
        let text = runs.iter().find(|run| number(run) == step)?.step.clone();
        Some(sample(setting.filter(|_| several), text, algorithms, (sets, keyed)))
    });
    Ok(samples.collect())
}

/// The values of each algorithm in the order of their runs; with `sets` random sets of rankers, one mean per set.
fn sample(
    setting: Option<String>,
    at: String,
    algorithms: Vec<(String, Vec<(u64, f64)>)>,
    (sets, keyed): (Option<usize>, bool),
) -> ComparedValues {
    let counts: Vec<usize> = algorithms.iter().map(|(_, values)| values.len()).collect();
    let alike = counts.iter().all(|count| Some(count) == counts.first());
    let per_set = sets.filter(|&sets| alike && sets > 1 && counts.first().is_some_and(|count| count % sets == 0));
    let algorithms = algorithms.into_iter().map(|(name, mut values)| {
        values.sort_by_key(|(number, _)| *number);
        let values: Vec<f64> = values.into_iter().map(|(_, value)| value).collect();
        // Set by set, each with as many runs.
        let means = |sets: usize| {
            let size = (values.len() / sets).max(1);
            values.chunks(size).map(|of_set| of_set.iter().sum::<f64>() / of_set.len() as f64).collect()
        };
        let values = per_set.map_or_else(|| values.clone(), means);
        (name, values)
    });
    let pairing = match per_set {
        Some(_) => Some(Pairing::Sets),
        None => (keyed && alike).then_some(Pairing::Streams),
    };
    ComparedValues { setting, step: at, algorithms: algorithms.collect(), pairing }
}

/// The file with the runs.
fn file(results: &Path) -> Result<PathBuf> {
    if !results.is_dir() {
        return Ok(results.to_path_buf());
    }
    let path = results.join("runs.csv");
    if path.exists() {
        return Ok(path);
    }
    let name = results.display();
    let subfolders: Vec<String> = ["live", "proxy"]
        .into_iter()
        .filter(|part| results.join(part).join("runs.csv").exists())
        .map(|part| results.join(part).display().to_string())
        .collect();
    if subfolders.is_empty() {
        bail!(usage(format!(
            "{name} has no runs.csv; expected a folder that a live run, `{program} bandit` or `{program} experiment` has finished",
            program = output::program::name()
        )));
    }
    bail!(usage(format!("{name} holds several studies; choose {}", subfolders.join(" or "))))
}

fn runs(path: &Path, metric: &str) -> Result<Vec<Run>> {
    let bytes = input::read(path, input::MAX_RESULT_BYTES).map_err(|error| path_error(error, "read", path))?;
    let name = path.display();
    let mut reader = csv::Reader::from_reader(&bytes[..]);
    let header: Vec<String> = reader
        .headers()
        .with_context(|| format!("{name}, line 1: expected the header of a table of runs"))?
        .iter()
        .map(str::to_owned)
        .collect();
    let column = |wanted: &str| header.iter().position(|found| found == wanted);
    let of_experiment = EXPERIMENT.iter().all(|wanted| column(wanted).is_some());
    let step = column("step").or_else(|| column("horizon"));
    let columns = if of_experiment {
        [column("curve"), column("x"), column("run"), column("value")]
    } else {
        [column("algorithm"), step, column("run"), column(metric).or_else(|| column("regret"))]
    };
    let [Some(algorithm), Some(step), Some(number), Some(value)] = columns else {
        bail!(usage(format!(
            "{name}, line 1: expected the columns algorithm, run, step and regret, or those of an experiment, found {}",
            escaped(&header.join(","))
        )));
    };
    ensure!(
        of_experiment || column(metric).is_some() && metric == "regret",
        usage(format!("--metric {}: {name} has regret only", escaped(metric)))
    );
    let (setting, measure) = (column("setting"), column("metric"));
    let mut runs = Vec::new();
    let mut measures: BTreeMap<String, ()> = BTreeMap::new();
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map_or_else(String::new, |position| format!(", line {}", position.line()));
            anyhow::anyhow!("{name}{line}: expected {} columns", header.len())
        })?;
        let line = record.position().map_or(0, csv::Position::line);
        let cell = |at: usize| record.get(at).unwrap_or_default();
        if let Some(measure) = measure.filter(|_| of_experiment) {
            measures.insert(cell(measure).to_owned(), ());
            if cell(measure) != metric {
                continue;
            }
        }
        let wrong_cell = |what: &str, at: usize| {
            format!("{name}, line {line}: expected {what} in the column {}, found `{}`", header[at], escaped(cell(at)))
        };
        let finite = cell(value).parse::<f64>().ok().filter(|number| number.is_finite());
        runs.push(Run {
            setting: setting.filter(|_| of_experiment).map(|at| cell(at).to_owned()),
            algorithm: label_of(cell(algorithm)),
            step: cell(step).to_owned(),
            number: cell(number).parse().ok().with_context(|| wrong_cell("a whole number", number))?,
            value: finite.with_context(|| wrong_cell("a number", value))?,
        });
        ensure!(cell(step).parse::<f64>().is_ok_and(f64::is_finite), wrong_cell("a number", step));
    }
    if runs.is_empty() && !measures.is_empty() {
        let known_measures: Vec<String> = measures.into_keys().collect();
        bail!(usage(format!("--metric {}: {name} has {}", escaped(metric), known_measures.join(", "))));
    }
    ensure!(!runs.is_empty(), "{name} has no runs");
    Ok(runs)
}

/// The step that is asked for.
fn checked_step(requested: &str, steps: &[f64]) -> Result<f64> {
    let step = output::numbers::parse_number(requested).map_err(|error| usage(format!("--at: {error}")))?;
    if steps.contains(&step) {
        return Ok(step);
    }
    let mut known_steps = steps.to_vec();
    known_steps.sort_by(f64::total_cmp);
    known_steps.dedup();
    let known_steps: Vec<String> = known_steps.iter().map(f64::to_string).collect();
    bail!(usage(format!("--at {}: there are runs at {}", escaped(requested), known_steps.join(", "))))
}

/// The number of random sets of rankers that all algorithms of an experiment share.
fn sets_of_rankers(runs: &Path) -> Option<usize> {
    let text = input::read_file_text(&runs.with_file_name("experiment.toml"), 1 << 24).ok()?;
    let experiment: toml::Table = text.parse().ok()?;
    let count = experiment.get("subsets")?.get("count")?.as_integer()?;
    usize::try_from(count).ok()
}

/// Whether runs with the same number met the same queries and users (`--streams keyed`).
fn has_keyed_streams(runs: &Path) -> bool {
    let config = input::read_file(&runs.with_file_name("config.json"), input::MAX_RESULT_BYTES).ok();
    let config: Option<Value> = config.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    config.is_some_and(|config| config["streams"] == "keyed")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn with(text: &str, toml: Option<&str>) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("runs.csv");
        fs::write(&path, text).unwrap();
        if let Some(toml) = toml {
            fs::write(folder.path().join("experiment.toml"), toml).unwrap();
        }
        (folder, path)
    }

    const STUDY: &str = "algorithm,run,step,regret,recommended_arm,recommended_is_best\n\
        rucb:variant=arxiv:alpha=0.51:unseen=2,0,100,7.5,0,true\nrucb:variant=arxiv:alpha=0.51:unseen=2,1,100,8,,\n\
        mine,0,100,2,1,false\nmine,1,100,3,1,false\n";

    #[test]
    fn a_study_is_read_with_short_names() {
        let (folder, path) = with(STUDY, None);
        for place in [folder.path(), &path] {
            let found = samples(place, "regret", None).unwrap();
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].algorithms, [("rucb".to_owned(), vec![7.5, 8.0]), ("mine".to_owned(), vec![2.0, 3.0])]);
            assert_eq!((found[0].pairing, found[0].setting.as_deref(), found[0].step.as_str()), (None, None, "100"));
        }
        fs::write(folder.path().join("config.json"), "{\"streams\": \"keyed\"}").unwrap();
        assert_eq!(samples(&path, "regret", None).unwrap()[0].pairing, Some(Pairing::Streams));
    }

    #[test]
    fn an_experiment_has_settings_and_sets() {
        let mut text = "setting,curve,metric,x,run,value\n".to_owned();
        for setting in ["A", "B, too"] {
            for (curve, base) in [("rucb", 10), ("mdb", 20)] {
                for x in [10, 20] {
                    for run in 0..6 {
                        text += &format!("\"{setting}\",{curve},regret,{x},{run},{}\n", base + run);
                        text += &format!("\"{setting}\",{curve},accuracy,{x},{run},1\n");
                    }
                }
            }
        }
        let (folder, _) = with(&text, Some("runs = 2\n[subsets]\nsizes = [10, 20]\ncount = 3\n"));
        let found = samples(folder.path(), "regret", None).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(
            (found[1].setting.as_deref(), found[1].step.as_str(), found[1].pairing),
            (Some("B, too"), "20", Some(Pairing::Sets))
        );
        assert_eq!(found[0].algorithms[0].1, [10.5, 12.5, 14.5]);
        assert_eq!(samples(folder.path(), "accuracy", Some("10")).unwrap()[0].algorithms[1].1, [1.0; 3]);
        let error = samples(folder.path(), "speed", None).unwrap_err().to_string();
        assert!(error.ends_with("has accuracy, regret"), "{error}");
        let error = samples(folder.path(), "regret", Some("15")).unwrap_err().to_string();
        assert_eq!(error, "--at 15: there are runs at 10, 20");
        let (folder, _) = with(&text, None);
        assert_eq!(samples(folder.path(), "regret", None).unwrap()[0].pairing, None);
    }

    #[test]
    fn wrong_files_are_refused_in_one_line() {
        for (text, expected) in [
            ("a,b\n1,2\n", ", line 1: expected the columns algorithm, run, step and regret"),
            ("algorithm,run,step,regret\nrucb,0,10,x\n", ", line 2: expected a number in the column regret, found `x`"),
            ("algorithm,run,step,regret\nrucb,0,10,inf\n", ", line 2: expected a number in the column regret"),
            ("algorithm,run,step,regret\nrucb,0,10,1\nrucb,-1,10,1\n", ", line 3: expected a whole number"),
            ("algorithm,run,step,regret\nrucb,0,10\n", ", line 2: expected 4 columns"),
            ("algorithm,run,step,regret\n", "has no runs"),
        ] {
            let (folder, _) = with(text, None);
            let error = format!("{:#}", samples(folder.path(), "regret", None).unwrap_err());
            assert!(error.contains(expected) && !error.contains('\n'), "{text}: {error}");
        }
        let folder = tempfile::TempDir::new().unwrap();
        let error = samples(folder.path(), "regret", None).unwrap_err().to_string();
        assert!(error.contains("has no runs.csv"), "{error}");
        fs::create_dir(folder.path().join("live")).unwrap();
        fs::write(folder.path().join("live/runs.csv"), STUDY).unwrap();
        let error = samples(folder.path(), "regret", None).unwrap_err().to_string();
        assert!(error.contains("several studies; choose") && error.ends_with("live"), "{error}");
    }
}
