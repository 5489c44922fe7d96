//! Finished runs of bandits: their tables, figures and texts.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use output::results_folder::{ExistingResults, ResultsFolder};
use output::usage::usage;
use pyo3::prelude::*;
use serde::Serialize;
use simulation::arm_names::ArmNames;
use studies::results::{self, BanditConfig, LiveConfig, PlayedRuns};
use studies::{compare, write_files};

use crate::call::{exception, value_error};
use crate::frame::Columns;

/// The name of an arm.
pub(crate) fn arm_name(names: &ArmNames, arms: usize, arm: usize) -> PyResult<String> {
    match arm < arms {
        true => Ok(names.name(arm)),
        false => Err(value_error(format!("there is no arm {arm}; arms are numbered from 0 to {}", arms - 1))),
    }
}

/// The content of `config.json`.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Config {
    Live(Box<LiveConfig>),
    Bandit(Box<BanditConfig>),
    Compare(Box<compare::Config>),
}

/// Finished runs.
#[pyclass(frozen, module = "rankduel._core")]
pub(crate) struct Study {
    pub(crate) runs: PlayedRuns,
    pub(crate) config: Config,
}

#[pymethods]
impl Study {
    /// Mean regret and its spread at each checkpoint.
    fn curves(&self) -> PyResult<Columns> {
        Columns::of(
            results::curves_csv(&self.runs.plan, &self.runs.results, &self.runs.arms())
                .map_err(|error| exception(&error))?,
        )
    }

    /// The end of each run.
    fn runs(&self) -> PyResult<Columns> {
        Columns::of(
            results::runs_csv(&self.runs.plan, &self.runs.results, &self.runs.arms())
                .map_err(|error| exception(&error))?,
        )
    }

    /// Each algorithm after the last step, as JSON.
    fn summary(&self) -> PyResult<String> {
        serde_json::to_string_pretty(&self.runs.summary()).map_err(value_error)
    }

    /// All that the command line prints.
    fn report(&self) -> String {
        self.runs.text()
    }

    /// The regret of every run at every checkpoint, as CSV: algorithm, run, step, and the three ways to count a step.
    fn every_run(&self) -> PyResult<Columns> {
        let mut csv = String::from("algorithm,run,step,regret,weak_regret,strong_regret,recommended_arm,label\n");
        for (spec, runs) in self.runs.plan.algorithms.iter().zip(self.runs.results.iter()) {
            let (name, label) = (spec.canonical(), results::label(spec));
            for (number, run) in runs.iter().enumerate() {
                for ((step, regret), arm) in self.runs.plan.checkpoints.iter().zip(&run.regret).zip(&run.recommended) {
                    let arm = arm.map_or_else(String::new, |arm| arm.0.to_string());
                    let counted = self.runs.measured.of(regret);
                    csv +=
                        &format!("{name},{number},{step},{counted},{},{},{arm},{label}\n", regret.weak, regret.strong);
                }
            }
        }
        Columns::of(csv.into_bytes())
    }

    /// The names of the algorithms, with all parameters.
    #[getter]
    fn algorithms(&self) -> Vec<String> {
        self.runs.plan.names()
    }

    /// The same as in tables and legends.
    #[getter]
    fn labels(&self) -> Vec<String> {
        self.runs.plan.algorithms.iter().map(results::label).collect()
    }

    #[getter]
    fn steps(&self) -> u64 {
        self.runs.plan.steps
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.runs.plan.seed
    }

    /// The line about what regret is measured against.
    #[getter]
    fn truth(&self) -> &str {
        &self.runs.truth
    }

    /// The arms that count as the best.
    #[getter]
    fn winners(&self) -> Vec<usize> {
        self.runs.winners.clone()
    }

    /// The name of the kind of regret.
    #[getter]
    fn regret_kind(&self) -> &'static str {
        self.runs.measured.kind.name()
    }

    /// Whether the data were generated; `None` if unknown.
    #[getter]
    fn synthetic(&self) -> Option<bool> {
        self.runs.measured.synthetic
    }

    /// The content of `config.json`.
    fn config(&self) -> PyResult<String> {
        serde_json::to_string(&self.config).map_err(value_error)
    }

    /// The figure of the command line.
    fn svg(&self) -> PyResult<String> {
        Ok(self.runs.figure().render().map_err(|error| exception(&error))?.svg)
    }

    /// The values of the figure, as JSON.
    fn figure_values(&self) -> PyResult<String> {
        self.runs.figure().values().map_err(|error| exception(&error))
    }

    /// Writes the files of the command line into a new or empty folder.
    fn save(&self, folder: PathBuf) -> PyResult<()> {
        self.write(&folder).map_err(|error| exception(&error))
    }
}

impl Study {
    fn write(&self, folder: &Path) -> Result<()> {
        let taken = std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
        ensure!(!taken, usage(format!("{} is not empty; choose another folder", folder.display())));
        let claimed = ResultsFolder::claim(folder, &self.config, ExistingResults::SameKey)?;
        claimed.write(&self.config, || write_files(folder, &self.runs.files()?, &self.config))
    }
}
