//! Finished runs of bandits: their tables, figures and texts.

use std::path::PathBuf;
use std::sync::Arc;

use bandits::RegretKind;
use bandits::registry::{Outside, Spec};
use pyo3::prelude::*;
use sim::output::usage::usage;
use sim::results::{self, Arms, Axes, Caption, Look, Measured, SpreadKind};
use sim::simulation::arm_names::ArmNames;
use sim::simulation::runs::{RunResult, StudyPlan};

use crate::call::{exception, wrong};
use crate::frame::Columns;
use crate::own::{OwnAlgorithm, Raised};

/// What a study needs from its caller.
pub(crate) struct Asked {
    pub(crate) algorithms: Vec<Spec>,
    pub(crate) steps: u64,
    pub(crate) runs: u64,
    pub(crate) checkpoints: u32,
    pub(crate) seed: u64,
    pub(crate) regret: Option<RegretKind>,
    pub(crate) look: Look,
    /// What a policy of the caller's raised.
    pub(crate) own: Raised,
}

impl Asked {
    /// Reads the texts of `algorithms`, `regret` (a kind), `axes` and `spread` as the command line does. An algorithm may
    /// also be a class of policies.
    #[expect(clippy::too_many_arguments, reason = "those of the functions in Python")]
    pub(crate) fn new(
        algorithms: &[Bound<'_, PyAny>],
        steps: u64,
        runs: u64,
        checkpoints: u32,
        seed: u64,
        regret: Option<&str>,
        axes: &str,
        spread: Option<&str>,
    ) -> PyResult<Self> {
        let mut specs: Vec<Spec> = Vec::new();
        let own = Raised::default();
        for algorithm in algorithms {
            let spec: Spec = match algorithm.extract::<String>() {
                Ok(text) => text.parse().map_err(wrong)?,
                Err(_) => {
                    let name = algorithm.call_method0("_name")?.extract()?;
                    let class: Arc<dyn Outside> =
                        Arc::new(OwnAlgorithm::new(algorithm.clone().unbind(), name, own.clone()));
                    class.into()
                }
            };
            if specs.iter().any(|known| known.canonical() == spec.canonical()) {
                return Err(wrong(format!("{spec} is given twice; give each algorithm once")));
            }
            specs.push(spec);
        }
        for (name, value) in [("steps", steps), ("runs", runs), ("checkpoints", u64::from(checkpoints))] {
            if value == 0 {
                return Err(wrong(format!("{name}: expected at least 1, found 0")));
            }
        }
        if specs.is_empty() {
            return Err(wrong("algorithms: expected at least one, e.g. \"rucb\""));
        }
        let axes = match axes {
            "linear" => Axes::Linear,
            "log-x" => Axes::LogX,
            "log" => Axes::Log,
            other => return Err(wrong(format!("axes: expected linear, log-x or log, found {other:?}"))),
        };
        let spread = match spread {
            None => None,
            Some("se") => Some(SpreadKind::StandardError),
            Some("sd") => Some(SpreadKind::StandardDeviation),
            Some("range") => Some(SpreadKind::Range),
            Some(other) => return Err(wrong(format!("spread: expected se, sd or range, found {other:?}"))),
        };
        let regret = regret.map(str::parse).transpose().map_err(wrong)?;
        Ok(Self {
            algorithms: specs,
            steps,
            runs,
            checkpoints,
            seed,
            regret,
            look: Look { axes, spread, speed: false },
            own,
        })
    }

    pub(crate) fn plan(&self) -> StudyPlan {
        let checkpoints = bandits::log_spaced(self.steps, self.checkpoints);
        StudyPlan {
            algorithms: self.algorithms.clone(),
            steps: self.steps,
            runs: self.runs,
            seed: self.seed,
            checkpoints,
            evidence: None,
        }
    }
}

/// Finished runs.
#[pyclass(frozen, module = "rankduel._core")]
pub(crate) struct Study {
    pub(crate) plan: StudyPlan,
    pub(crate) results: Vec<Vec<RunResult>>,
    pub(crate) winners: Vec<usize>,
    pub(crate) names: ArmNames,
    pub(crate) measured: Measured,
    pub(crate) caption: Caption,
    /// The line about what regret is measured against.
    pub(crate) truth: String,
    /// How sets of rankers are compared, of live runs.
    pub(crate) multileave: Option<String>,
}

impl Study {
    fn arms(&self) -> Arms<'_> {
        Arms { winners: &self.winners, names: &self.names, measured: self.measured }
    }
}

#[pymethods]
impl Study {
    /// Mean regret and its spread at each checkpoint.
    fn curves(&self) -> PyResult<Columns> {
        Columns::of(results::curves_csv(&self.plan, &self.results, &self.arms()).map_err(|error| exception(&error))?)
    }

    /// The end of each run.
    fn runs(&self) -> PyResult<Columns> {
        Columns::of(results::runs_csv(&self.plan, &self.results, &self.arms()).map_err(|error| exception(&error))?)
    }

    /// Each algorithm after the last step, as JSON.
    fn summary(&self) -> PyResult<String> {
        serde_json::to_string_pretty(&results::summarise(&self.plan, &self.results, &self.arms())).map_err(wrong)
    }

    /// All that the command line prints.
    fn report(&self) -> String {
        let multileave = self.multileave.as_deref();
        results::report(&self.plan, &self.results, &self.arms(), &self.caption, &self.truth, multileave)
    }

    /// The regret of every run at every checkpoint, as CSV: algorithm, run, step, and the three ways to count a step.
    fn every_run(&self) -> PyResult<Columns> {
        let mut csv = String::from("algorithm,run,step,regret,weak_regret,strong_regret,recommended_arm\n");
        for (spec, runs) in self.plan.algorithms.iter().zip(&self.results) {
            let name = spec.canonical();
            for (number, run) in runs.iter().enumerate() {
                for ((step, regret), arm) in self.plan.checkpoints.iter().zip(&run.regret).zip(&run.recommended) {
                    let arm = arm.map_or_else(String::new, |arm| arm.0.to_string());
                    let counted = self.measured.of(regret);
                    csv += &format!("{name},{number},{step},{counted},{},{},{arm}\n", regret.weak, regret.strong);
                }
            }
        }
        Columns::of(csv.into_bytes())
    }

    /// The names of the algorithms, with all parameters.
    #[getter]
    fn algorithms(&self) -> Vec<String> {
        self.plan.names()
    }

    /// The same as in tables and legends.
    #[getter]
    fn labels(&self) -> Vec<String> {
        self.plan.algorithms.iter().map(results::label).collect()
    }

    #[getter]
    fn steps(&self) -> u64 {
        self.plan.steps
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.plan.seed
    }

    /// The line about what regret is measured against.
    #[getter]
    fn truth(&self) -> &str {
        &self.truth
    }

    /// The arms that count as the best.
    #[getter]
    fn winners(&self) -> Vec<usize> {
        self.winners.clone()
    }

    /// Title, labels of both axes, what the bands show, and the note, for figures; whether each axis is logarithmic.
    #[getter]
    #[expect(clippy::type_complexity, reason = "a tuple for Python")]
    fn caption(&self) -> (String, String, String, String, Option<String>, [bool; 2]) {
        let Caption { title, x_label, regret, note, look } = &self.caption;
        let bands = look.spread(self.plan.runs).bands(self.plan.runs);
        let label = format!("cumulative regret ({regret})");
        (title.clone(), x_label.clone(), label, bands, note.clone(), look.axes.logs())
    }

    /// The name of the kind of regret.
    #[getter]
    fn regret_kind(&self) -> &'static str {
        self.measured.kind.name()
    }

    /// Whether the data were generated; `None` if nobody knows.
    #[getter]
    fn synthetic(&self) -> Option<bool> {
        self.measured.synthetic
    }

    /// The name of an arm.
    fn arm_name(&self, arm: usize) -> String {
        self.names.name(arm)
    }

    /// The figure of the command line.
    fn svg(&self) -> PyResult<String> {
        let figure = results::figure(&self.plan, &self.results, self.measured.kind, &self.caption);
        Ok(figure.render().map_err(|error| exception(&error))?.svg)
    }

    /// Writes the files of the command line, but for `config.json`, into a new or empty folder.
    fn save(&self, folder: PathBuf) -> PyResult<()> {
        let write = || {
            sim::output::create_folder(&folder)?;
            let taken = std::fs::read_dir(&folder)?.next().is_some();
            anyhow::ensure!(!taken, usage(format!("{} is not empty; choose another folder", folder.display())));
            results::write(&folder, &self.plan, &self.results, &self.arms(), &self.caption)
        };
        write().map_err(|error| exception(&error))
    }
}
