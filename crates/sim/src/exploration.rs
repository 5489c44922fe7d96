//! Explore, then exploit: after so many steps one ranker is kept for good. How often is it the best,
//! and what did finding it cost?
//!
//! Algorithms that use no horizon are read off one run at all horizons; the others run again for each
//! ([`Spec::runs_for`](bandits::registry::Spec::runs_for)): M. Zoghi, S. Whiteson, M. de Rijke, R.
//! Munos, "Relative Confidence Sampling for Efficient On-Line Ranker Evaluation", WSDM 2014,
//! <https://doi.org/10.1145/2556195.2556256>, section 6.2.

use std::path::Path;

use anyhow::Result;
use bandits::registry::Spec;
use rayon::prelude::*;
use serde::Serialize;

use crate::count::counted;
use crate::figure::{Curve, CurvePoint, Lines};
use crate::output;
use crate::progress::Progress;
use crate::results::{Arms, Caption, Spread, Timings, deviation, label, mean_of, significant};
use crate::study::{Arenas, Plan, Run, play_one};

/// What is played: algorithms, horizons, runs.
#[derive(Debug, Clone)]
pub struct Exploration {
    /// The algorithms, in the order of tables and legends.
    pub algorithms: Vec<Spec>,
    /// The horizons, rising, each at least 1.
    pub horizons: Vec<u64>,
    /// Runs of each algorithm (for each horizon, where it is used).
    pub runs: u64,
    /// The master seed.
    pub seed: u64,
}

impl Exploration {
    /// One plan for each run that an algorithm needs: the horizons that it serves are its checkpoints.
    fn plans(&self, algorithm: usize) -> Vec<Plan> {
        let spec = &self.algorithms[algorithm];
        let plan = |horizons: Vec<u64>| Plan {
            algorithms: vec![spec.clone()],
            steps: horizons.last().copied().unwrap_or(0),
            runs: self.runs,
            seed: self.seed,
            checkpoints: horizons,
        };
        spec.runs_for(&self.horizons).into_iter().map(plan).collect()
    }

    /// Steps of all runs of all algorithms.
    #[must_use]
    pub fn total_steps(&self) -> u64 {
        let plans = (0..self.algorithms.len()).flat_map(|algorithm| self.plans(algorithm));
        plans.fold(0, |total, plan| total.saturating_add(plan.total_steps()))
    }

    /// The algorithms with all their parameters.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.algorithms.iter().map(Spec::canonical).collect()
    }
}

/// Plays everything: for each algorithm its runs, each with regret and best arm at every horizon,
/// whatever the number of threads.
///
/// # Errors
/// When an algorithm cannot choose among so many arms.
pub fn explore_all<A: Arenas>(arenas: &A, plan: &Exploration, progress: &Progress) -> Result<Vec<Vec<Run>>> {
    let jobs: Vec<(usize, u64, usize, Plan)> = (0..plan.algorithms.len())
        .flat_map(|algorithm| plan.plans(algorithm).into_iter().enumerate().map(move |piece| (algorithm, piece)))
        .flat_map(|(algorithm, (piece, part))| (0..plan.runs).map(move |run| (algorithm, run, piece, part.clone())))
        .collect();
    let mut played = jobs
        .into_par_iter()
        .with_max_len(1)
        .map(|(algorithm, run, piece, part)| {
            Ok(((algorithm, run, piece), play_one(arenas, &part, &part.algorithms[0], run, progress)?))
        })
        .collect::<Result<Vec<((usize, u64, usize), Run)>>>()?;
    played.sort_by_key(|(job, _)| *job);
    let mut results: Vec<Vec<Run>> = plan.algorithms.iter().map(|_| Vec::new()).collect();
    for ((algorithm, _, piece), run) in played {
        let runs = &mut results[algorithm];
        match runs.last_mut().filter(|_| piece > 0) {
            // Another horizon of the same run.
            Some(before) => {
                before.regret.extend(run.regret);
                before.best.extend(run.best);
                before.seconds += run.seconds;
            }
            None => runs.push(run),
        }
    }
    Ok(results)
}

/// How an algorithm fared at one horizon.
#[derive(Debug, Clone, Serialize)]
pub struct AtHorizon {
    /// Its name with all parameters.
    pub algorithm: String,
    /// How many steps were explored.
    pub horizon: u64,
    /// Runs.
    pub runs: usize,
    /// Share of runs whose arm to exploit is a best one.
    pub accuracy: f64,
    /// Standard error of that share.
    pub accuracy_standard_error: f64,
    /// Cumulative regret of exploring.
    pub regret: Spread,
}

/// Each algorithm at each horizon.
#[must_use]
pub fn summarise(plan: &Exploration, results: &[Vec<Run>], arms: &Arms<'_>) -> Vec<AtHorizon> {
    let of = |spec: &Spec, runs: &[Run], place: usize, horizon: u64| {
        let count = runs.len() as f64;
        let right = runs.iter().filter(|run| arms.is_best(run.best[place])).count() as f64;
        let accuracy = right / count;
        let regrets: Vec<f64> = runs.iter().map(|run| run.regret[place].average).collect();
        AtHorizon {
            algorithm: spec.canonical(),
            horizon,
            runs: runs.len(),
            accuracy,
            accuracy_standard_error: (accuracy * (1.0 - accuracy) / count).sqrt(),
            regret: Spread::of(&regrets),
        }
    };
    let studied = plan.algorithms.iter().zip(results);
    studied
        .flat_map(|(spec, runs)| {
            plan.horizons.iter().enumerate().map(move |(place, &horizon)| of(spec, runs, place, horizon))
        })
        .collect()
}

/// Writes a whole exploration into `folder`: `config.json` as given, `horizons.csv`, `runs.csv`,
/// `summary.json`, `timings.json`, and accuracy and regret against the horizon as figures.
///
/// # Errors
/// When the folder or a file cannot be written.
pub fn write(
    folder: &Path,
    config: &impl Serialize,
    plan: &Exploration,
    results: &[Vec<Run>],
    arms: &Arms<'_>,
    caption: &Caption,
) -> Result<()> {
    let summary = summarise(plan, results, arms);
    output::write_results(folder, config, || {
        write_horizons(&folder.join("horizons.csv"), &summary)?;
        write_runs(&folder.join("runs.csv"), plan, results, arms)?;
        output::write_json_pretty(&folder.join("summary.json"), &summary)?;
        accuracy_figure(plan, &summary, caption).save(&folder.join("accuracy"))?;
        regret_figure(plan, &summary, caption).save(&folder.join("regret"))?;
        output::write_json_pretty(&folder.join("timings.json"), &timings(plan, results))
    })
}

fn write_horizons(path: &Path, summary: &[AtHorizon]) -> Result<()> {
    let header = [
        "algorithm",
        "horizon",
        "runs",
        "accuracy",
        "accuracy_standard_error",
        "mean_regret",
        "standard_deviation",
        "standard_error",
        "min",
        "max",
    ];
    let rows = summary.iter().map(|at| {
        let Spread { mean, standard_deviation, standard_error, min, max } = at.regret;
        let numbers = [at.accuracy, at.accuracy_standard_error, mean, standard_deviation, standard_error, min, max];
        let mut row = vec![at.algorithm.clone(), at.horizon.to_string(), at.runs.to_string()];
        row.extend(numbers.map(|value| value.to_string()));
        row
    });
    output::write_csv(path, &header, rows)
}

fn write_runs(path: &Path, plan: &Exploration, results: &[Vec<Run>], arms: &Arms<'_>) -> Result<()> {
    let header = arms.header(["algorithm", "run", "horizon", "regret"]);
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut rows = Vec::new();
    for (spec, runs) in plan.algorithms.iter().zip(results) {
        for (number, run) in runs.iter().enumerate() {
            for (place, horizon) in plan.horizons.iter().enumerate() {
                let regret = run.regret[place].average.to_string();
                let mut row = vec![spec.canonical(), number.to_string(), horizon.to_string(), regret];
                row.extend(arms.cells(run.best[place]));
                rows.push(row);
            }
        }
    }
    output::write_csv(path, &header, rows)
}

fn timings(plan: &Exploration, results: &[Vec<Run>]) -> Timings {
    let steps = |spec: &Spec| -> u64 {
        let served = spec.runs_for(&plan.horizons);
        served.iter().filter_map(|horizons| horizons.last()).sum()
    };
    Timings::of(
        plan.algorithms.iter().zip(results).map(|(spec, runs)| (spec.canonical(), steps(spec), runs.as_slice())),
    )
}

/// A curve an algorithm through what `point` makes of each horizon.
fn curves(plan: &Exploration, summary: &[AtHorizon], point: impl Fn(&AtHorizon) -> (f64, f64, f64)) -> Vec<Curve> {
    let of = |at: &AtHorizon| {
        let (low, mean, high) = point(at);
        CurvePoint { x: at.horizon as f64, mean, low, high }
    };
    let each = plan.algorithms.iter().zip(summary.chunks(plan.horizons.len().max(1)));
    each.map(|(spec, of_spec)| Curve { name: label(spec), points: of_spec.iter().map(of).collect() }).collect()
}

/// What curves are, and their bands where there are any.
fn with_bands(curves: String, plan: &Exploration, what: &str) -> String {
    if plan.runs == 1 { curves } else { format!("{curves}; bands: one standard error of the {what}") }
}

fn accuracy_figure(plan: &Exploration, summary: &[AtHorizon], caption: &Caption) -> Lines {
    Lines {
        title: caption.title.clone(),
        subtitle: Some(with_bands(counted(plan.runs, "run"), plan, "share")),
        x_label: format!("horizon ({})", caption.x_label),
        y_label: "accuracy (share of runs that name the best arm)".to_owned(),
        x_log: true,
        y_log: false,
        curves: curves(plan, summary, |at| {
            let (share, error) = (at.accuracy, at.accuracy_standard_error);
            ((share - error).max(0.0), share, (share + error).min(1.0))
        }),
        note: caption.note.clone(),
    }
}

fn regret_figure(plan: &Exploration, summary: &[AtHorizon], caption: &Caption) -> Lines {
    Lines {
        title: caption.title.clone(),
        subtitle: Some(with_bands(mean_of(plan.runs, "run"), plan, "mean")),
        x_label: format!("horizon ({})", caption.x_label),
        y_label: format!("regret of exploring ({})", caption.regret),
        x_log: true,
        y_log: true,
        curves: curves(plan, summary, |at| {
            let Spread { mean, standard_error, .. } = at.regret;
            (mean - standard_error, mean, mean + standard_error)
        }),
        note: caption.note.clone(),
    }
}

/// The table for the terminal.
#[must_use]
pub fn table(plan: &Exploration, results: &[Vec<Run>], arms: &Arms<'_>) -> String {
    use comfy_table::{CellAlignment, Table, presets::UTF8_HORIZONTAL_ONLY};
    let mut table = Table::new();
    table.load_style(UTF8_HORIZONTAL_ONLY).set_header(["algorithm", "horizon", "accuracy", "regret", "± s.e."]);
    for column in 1..5 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let summary = summarise(plan, results, arms);
    for (spec, of_spec) in plan.algorithms.iter().zip(summary.chunks(plan.horizons.len().max(1))) {
        for (place, at) in of_spec.iter().enumerate() {
            table.add_row([
                if place == 0 { label(spec) } else { String::new() },
                crate::count::grouped(at.horizon),
                format!("{:.0}%", 100.0 * at.accuracy),
                significant(at.regret.mean),
                deviation(at.regret.standard_error, at.runs),
            ]);
        }
    }
    table.to_string()
}

#[cfg(test)]
mod tests {
    use bandits::{Arm, Generators, MatrixArena, explore_then_exploit, problems};

    use super::*;
    use crate::seed;

    struct Copies(MatrixArena);

    impl Arenas for Copies {
        type Arena<'a> = MatrixArena;

        fn arms(&self) -> usize {
            self.0.matrix().arms()
        }

        fn content(&self) -> &str {
            "copies"
        }

        fn arena(&self, _stream: &dyn Fn(&str) -> bandits::Generator) -> MatrixArena {
            self.0.clone()
        }
    }

    /// One that knows no horizon, and two that run again for each.
    fn plan() -> Exploration {
        let algorithms = ["rucb", "savage", "rmed2fh"].map(|name| name.parse().expect(name));
        Exploration { algorithms: algorithms.to_vec(), horizons: vec![50, 700, 4_000], runs: 4, seed: 9 }
    }

    #[test]
    fn it_is_what_the_library_says_run_by_run() {
        let arena = MatrixArena::new(problems::arithmetic(6).expect("six arms")).expect("arm 0");
        let plan = plan();
        let results = explore_all(&Copies(arena.clone()), &plan, &Progress::hidden()).expect("it plays");
        assert_eq!(plan.total_steps(), 4 * (4_000 + 2 * 4_750));
        for (spec, runs) in plan.algorithms.iter().zip(&results) {
            assert_eq!(runs.len(), 4);
            for (number, run) in (0..).zip(runs) {
                let cell = format!("copies\n{}", spec.canonical());
                let generators = |_| {
                    let stream = |purpose: &str| seed::generator(9, &cell, number, purpose);
                    Generators { policy: stream("policy"), arena: stream("arena"), coins: stream("coins") }
                };
                let expected = explore_then_exploit(spec, &arena, &plan.horizons, generators).expect("six arms");
                for (place, one) in expected.iter().enumerate() {
                    assert_eq!((run.regret[place], run.best[place]), (one.regret, one.best), "{spec} {number}");
                }
            }
        }
    }

    #[test]
    fn shares_and_means_are_over_runs() {
        let arena = MatrixArena::new(problems::arithmetic(6).expect("six arms")).expect("arm 0");
        let plan = plan();
        let results = explore_all(&Copies(arena), &plan, &Progress::hidden()).expect("it plays");
        let arms = Arms { winners: &[0], names: &crate::arm_names::ArmNames::Numbers };
        let summary = summarise(&plan, &results, &arms);
        assert_eq!(summary.len(), 9);
        assert_eq!((summary[2].horizon, summary[2].accuracy), (4_000, 1.0));
        assert_eq!(summary[2].accuracy_standard_error, 0.0);
        let at_700 = &summary[1];
        let right = results[0].iter().filter(|run| run.best[1] == Some(Arm(0))).count();
        assert_eq!(at_700.accuracy, right as f64 / 4.0);
        let mean = results[0].iter().map(|run| run.regret[1].average).sum::<f64>() / 4.0;
        assert!((at_700.regret.mean - mean).abs() < 1e-12);
        let table = table(&plan, &results, &arms);
        assert!(table.contains("4,000") && table.contains("100%"), "{table}");
    }
}
