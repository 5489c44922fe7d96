//! Preference matrices, and problems by name: arenas in which coin flips decide.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use bandits::problems::{Problem, Setting};
use bandits::winners::condorcet_winner;
use bandits::{Arena, Arm, MatrixArena, PreferenceMatrix, RegretKind, RegretReference, UtilityArena};
use numpy::{IntoPyArray as _, PyArray1, PyArray2, PyArrayMethods as _, PyReadonlyArray2, PyUntypedArrayMethods as _};
use pyo3::prelude::*;
use sim::output::numbers::with_unit;
use sim::output::progress::Progress;
use sim::output::usage::usage;
use sim::output::{self};
use sim::proxy::{self, Files, MatrixAccount, State, all_pairs, pair_count, provenance};
use sim::results::{Caption, Measured, notes, regret_of_a_step};
use sim::simulation::arm_names::ArmNames;
use sim::simulation::matrix::{matrix_checksum, play_matrix, play_utilities, prepare_problem};
use sim::simulation::prepared::SiteDescription;
use sim::simulation::runs::{ArenaFactory as _, CopiedArenas, RunResult, StudyPlan};
use sim::simulation::seed_text::{Seeded, seed_text};
use sim::simulation::truth::{GroundTruth, of_preferences as truth};

use crate::call::{How, exception, work, wrong};
use crate::study::{Asked, Study};

/// What arms meet by.
pub(crate) enum Preferences {
    Matrix(PreferenceMatrix),
    Utilities(UtilityArena),
}

/// Where a matrix that was estimated here comes from.
pub(crate) struct Estimated {
    pub(crate) state: State,
    pub(crate) site: SiteDescription,
}

struct Inner {
    name: String,
    preferences: Preferences,
    account: Option<MatrixAccount>,
    estimated: Option<Estimated>,
    /// The arms that were chosen from a larger matrix.
    taken: Option<Vec<Arm>>,
    names: ArmNames,
}

/// A preference matrix or a problem.
#[pyclass(frozen, module = "rankduel._core")]
pub(crate) struct Matrix {
    inner: Arc<Inner>,
}

impl Matrix {
    fn new(inner: Inner) -> Self {
        Self { inner: Arc::new(inner) }
    }

    /// A matrix that was estimated on a site.
    pub(crate) fn estimated(estimated: Estimated, name: &str) -> Result<Self> {
        let matrix = estimated.state.matrix()?;
        let account = provenance(&estimated.state, &estimated.site, &matrix, None).account(&format!("{name}.json"));
        let names = estimated.site.names();
        Ok(Self::new(Inner {
            name: format!("{name}.npy"),
            preferences: Preferences::Matrix(matrix),
            account: Some(account),
            estimated: Some(estimated),
            taken: None,
            names,
        }))
    }

    /// The preferences of all pairs.
    pub(crate) fn preferences(&self) -> PyResult<&PreferenceMatrix> {
        match &self.inner.preferences {
            Preferences::Matrix(matrix) => Ok(matrix),
            Preferences::Utilities(_) => Err(wrong(format!(
                "{} has utilities instead of a matrix: each arm shows one noisy value per step",
                self.inner.name
            ))),
        }
    }

    fn state(&self) -> PyResult<&State> {
        let state = self.inner.estimated.as_ref().map(|estimated| &estimated.state);
        state.ok_or_else(|| wrong(format!("{} was not estimated here: its counts are unknown", self.inner.name)))
    }

    /// A table with a number per ordered pair: that of its index, and whether the row is the first of the pair.
    fn table<'py, T: numpy::Element + Copy>(
        &self,
        py: Python<'py>,
        diagonal: T,
        number: impl Fn(&State, usize, bool) -> T,
    ) -> PyResult<Bound<'py, PyArray2<T>>> {
        let state = self.state()?;
        let arms = state.identity.arms;
        let mut cells = vec![diagonal; arms * arms];
        for (place, (low, high)) in all_pairs(arms).into_iter().enumerate() {
            let (low, high) = (low as usize, high as usize);
            cells[low * arms + high] = number(state, place, true);
            cells[high * arms + low] = number(state, place, false);
        }
        square(py, cells, arms)
    }
}

fn square<T: numpy::Element>(py: Python<'_>, cells: Vec<T>, arms: usize) -> PyResult<Bound<'_, PyArray2<T>>> {
    cells.into_pyarray(py).reshape([arms, arms])
}

#[pymethods]
impl Matrix {
    /// From an array of probabilities.
    #[staticmethod]
    fn from_array(values: PyReadonlyArray2<'_, f64>, name: String) -> PyResult<Self> {
        let shape = values.shape();
        if shape[0] != shape[1] {
            return Err(wrong(format!("a preference matrix is square, found {} x {}", shape[0], shape[1])));
        }
        let cells = values.as_array().iter().copied().collect();
        let matrix = PreferenceMatrix::new(shape[0], cells).map_err(wrong)?;
        let names = ArmNames::NUMBERS;
        let preferences = Preferences::Matrix(matrix);
        Ok(Self::new(Inner { name, preferences, account: None, estimated: None, taken: None, names }))
    }

    /// From a file, or a registered name.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        work(py, How { threads: None, report: None }, move || {
            let file = sim::cli::matrix_file::read(&path, true)?;
            let features = file.account.as_ref().map(|account| account.rankers.clone());
            Ok(Self::new(Inner {
                name: sim::cli::matrix_file::name(&path),
                preferences: Preferences::Matrix(file.matrix),
                names: features.map_or(ArmNames::NUMBERS, ArmNames::features),
                account: file.account,
                estimated: None,
                taken: None,
            }))
        })
    }

    /// A problem by name.
    #[staticmethod]
    fn problem(py: Python<'_>, text: String) -> PyResult<Self> {
        let problem: Problem = text.parse().map_err(wrong)?;
        work(py, How { threads: None, report: None }, move || {
            let preferences = match prepare_problem(&problem)? {
                Setting::Matrix(matrix) => Preferences::Matrix(matrix),
                Setting::Utilities(arena) => Preferences::Utilities(arena),
            };
            let (name, names) = (problem.to_string(), ArmNames::NUMBERS);
            Ok(Self::new(Inner { name, preferences, account: None, estimated: None, taken: None, names }))
        })
    }

    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    #[getter]
    fn arms(&self) -> usize {
        match &self.inner.preferences {
            Preferences::Matrix(matrix) => matrix.arms(),
            Preferences::Utilities(arena) => arena.arms(),
        }
    }

    /// Whether arms have utilities instead of preferences.
    #[getter]
    fn has_utilities(&self) -> bool {
        matches!(self.inner.preferences, Preferences::Utilities(_))
    }

    /// All probabilities.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let matrix = self.preferences()?;
        square(py, matrix.entries().to_vec(), matrix.arms())
    }

    /// The utility of every arm.
    fn utilities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        match &self.inner.preferences {
            Preferences::Matrix(_) => Err(wrong(format!("{} is a matrix and has no utilities", self.inner.name))),
            Preferences::Utilities(arena) => Ok(PyArray1::from_slice(py, arena.utilities())),
        }
    }

    fn wins<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u64>>> {
        self.table(py, 0, |state, place, first| {
            let count = state.count(place);
            if first { count.wins } else { count.reversed().wins }
        })
    }

    fn ties<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u64>>> {
        self.table(py, 0, |state, place, _| state.count(place).ties)
    }

    fn comparisons<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u64>>> {
        self.table(py, 0, |state, place, _| state.count(place).comparisons)
    }

    fn standard_errors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.table(py, 0.0, |state, place, _| state.standard_error(place))
    }

    /// Whether the counts behind the matrix are known.
    #[getter]
    fn has_counts(&self) -> bool {
        self.inner.estimated.is_some()
    }

    /// How an estimated matrix was made: the content of `P.json`.
    fn how(&self) -> PyResult<String> {
        let state = self.state()?;
        let estimated = self.inner.estimated.as_ref().expect("it has a state");
        serde_json::to_string_pretty(&provenance(state, &estimated.site, self.preferences()?, None)).map_err(wrong)
    }

    /// The line about the winner of an estimated matrix.
    fn winner_line(&self) -> PyResult<String> {
        let state = self.state()?;
        let estimated = self.inner.estimated.as_ref().expect("it has a state");
        Ok(proxy::winner(state, &estimated.site, self.preferences()?))
    }

    /// The Condorcet winner, if there is one.
    fn condorcet_winner(&self) -> PyResult<Option<u32>> {
        Ok(condorcet_winner(self.preferences()?).map(|arm| arm.0))
    }

    /// The checksum by which results know the matrix.
    fn checksum(&self) -> PyResult<String> {
        Ok(matrix_checksum(self.preferences()?, true))
    }

    /// The name of an arm.
    fn arm_name(&self, arm: usize) -> PyResult<String> {
        if arm < self.arms() {
            Ok(self.inner.names.name(arm))
        } else {
            Err(wrong(format!("there is no arm {arm}; arms are numbered from 0 to {}", self.arms() - 1)))
        }
    }

    /// Whether the data behind the matrix were generated; `None` if nobody knows.
    #[getter]
    fn synthetic(&self) -> Option<bool> {
        self.inner.account.as_ref().map(|account| account.synthetic)
    }

    /// The matrix of some arms.
    fn subset(&self, arms: Vec<u32>) -> PyResult<Self> {
        let inner = &self.inner;
        let chosen: Vec<Arm> = arms.iter().map(|&arm| Arm(arm)).collect();
        let matrix = self.preferences()?.subset(&chosen).map_err(wrong)?;
        let places: Vec<usize> = chosen.iter().map(|arm| arm.index()).collect();
        let taken = match &inner.taken {
            None => chosen,
            Some(before) => places.iter().map(|&place| before[place]).collect(),
        };
        Ok(Self::new(Inner {
            name: inner.name.clone(),
            preferences: Preferences::Matrix(matrix),
            account: inner.account.clone(),
            estimated: None,
            taken: Some(taken),
            names: inner.names.subset(&places),
        }))
    }

    /// Plays algorithms on it.
    #[expect(clippy::too_many_arguments, reason = "those of the function in Python")]
    fn bandit(
        &self,
        py: Python<'_>,
        algorithms: Vec<Bound<'_, PyAny>>,
        steps: u64,
        runs: u64,
        checkpoints: u32,
        seed: u64,
        regret: Option<&str>,
        axes: &str,
        spread: Option<&str>,
        threads: Option<usize>,
        report: Option<Py<PyAny>>,
    ) -> PyResult<Study> {
        let asked = Asked::new(&algorithms, steps, runs, checkpoints, seed, regret, axes, spread)?;
        let inner = Arc::clone(&self.inner);
        let own = asked.own.clone();
        own.raise(py, work(py, How { threads, report }, move || inner.play(&asked)))
    }

    /// Writes the files of `sim proxy`: all of them if it was estimated here, otherwise `.npy` and `.txt`.
    fn save(&self, path: PathBuf, replace: bool) -> PyResult<Vec<PathBuf>> {
        let matrix = self.preferences()?;
        let write = || -> Result<Vec<PathBuf>> {
            let files = Files::of(&path)?;
            output::create_folder_of(&path)?;
            let _lock = files.lock()?;
            if let Some(there) = files.all().find(|file| !replace && file.exists()) {
                anyhow::bail!(usage(format!("{} exists; pass replace=True to replace it", there.display())));
            }
            if replace {
                files.all().try_for_each(output::remove_stale)?;
            }
            match &self.inner.estimated {
                None => {
                    output::write_atomic(&files.npy, &matrix.to_npy())?;
                    output::write_atomic(&files.text, matrix.to_text().as_bytes())?;
                }
                Some(Estimated { state, site }) => {
                    proxy::write(&files, state)?;
                    output::write_json_pretty(&files.how, &provenance(state, site, matrix, None))?;
                    state.save(&files.state)?;
                }
            }
            Ok(files.all().filter(|file| file.exists()).map(std::path::Path::to_path_buf).collect())
        };
        write().map_err(|error| exception(&error))
    }

    /// The number of pairs.
    #[getter]
    fn pairs(&self) -> usize {
        pair_count(self.arms())
    }
}

impl Inner {
    /// Plays algorithms as `sim bandit` does.
    fn play(&self, asked: &Asked) -> Result<Study> {
        match &self.preferences {
            Preferences::Matrix(matrix) => {
                let kind = truth::kind_on_matrix(asked.regret, matrix)?;
                let reference = kind.reference().context("nDCG is refused above")?;
                let gaps = reference.gaps(matrix).with_context(|| format!("{} cannot be played", self.name))?;
                let condorcet = RegretKind::default_for(matrix) == RegretKind::Condorcet;
                let mut text = truth::describe(kind, condorcet, &gaps, &self.names, Some(matrix));
                if let Some(account) = self.account.as_ref().filter(|_| condorcet)
                    && let Some((_, margin)) = truth::smallest_gap(&RegretReference::Condorcet.gaps(matrix)?)
                    && let Some(unresolved) = account.unresolved(margin, self.taken.is_none())
                {
                    text += &format!("; {unresolved}");
                }
                let content = seed_text(Seeded::Matrix(&matrix_checksum(matrix, true)));
                let arenas = CopiedArenas { arena: MatrixArena::with_gaps(matrix.clone(), gaps), content };
                self.play_in(&arenas, asked, (kind, text), |plan, progress| play_matrix(&arenas, plan, None, progress))
            }
            Preferences::Utilities(arena) => {
                let kind = truth::kind_of_preferences(asked.regret, RegretKind::Condorcet)?;
                let arena = truth::of_utilities(arena.clone(), kind)?;
                let text = truth::describe(kind, true, arena.gaps(), &self.names, None);
                let arenas = CopiedArenas { arena, content: seed_text(Seeded::Problem(&self.name)) };
                self.play_in(&arenas, asked, (kind, text), |plan, progress| {
                    play_utilities(&arenas, plan, None, progress)
                })
            }
        }
    }

    fn play_in<A: Arena + Clone + Sync>(
        &self,
        arenas: &CopiedArenas<A>,
        asked: &Asked,
        (kind, truth): (RegretKind, String),
        play: impl FnOnce(&StudyPlan, &Progress) -> Result<Vec<Vec<RunResult>>>,
    ) -> Result<Study> {
        let account = self.account.as_ref();
        let measured = Measured::new(kind, arenas.arena.gaps(), account.map(|account| account.synthetic));
        let synthetic = account.and_then(|account| account.note(&self.name));
        let caption = Caption {
            title: format!("{} of {}", with_unit(arenas.arms() as u64, "arm"), self.name),
            x_label: "steps".to_owned(),
            regret: regret_of_a_step(kind, "best arm", "played"),
            note: notes([measured.note(), synthetic]),
            look: asked.look,
        };
        let plan = asked.plan();
        let progress = Progress::new("playing", plan.total_steps(), true);
        let results = play(&plan, &progress)?;
        progress.finish();
        let winners = truth::winners(arenas.arena.gaps());
        Ok(Study { plan, results, winners, names: self.names.clone(), measured, caption, truth, multileave: None })
    }
}

/// Plays `asked` on a matrix of the rankers of a live study, with regret counted from the truth of that.
pub(crate) fn against_truth(
    matrix: PreferenceMatrix,
    truth: &GroundTruth,
    asked: &Asked,
    caption: Caption,
    live: &Study,
) -> Result<Study> {
    let content = seed_text(Seeded::Matrix(&matrix_checksum(&matrix, true)));
    let arenas = CopiedArenas { arena: MatrixArena::with_gaps(matrix, truth.gaps.clone()), content };
    let plan = asked.plan();
    let progress = Progress::new("playing on the matrix", plan.total_steps(), true);
    let results = play_matrix(&arenas, &plan, None, &progress)?;
    progress.finish();
    let (winners, names, truth) = (live.winners.clone(), live.names.clone(), live.truth.clone());
    Ok(Study { plan, results, winners, names, measured: live.measured, caption, truth, multileave: None })
}
