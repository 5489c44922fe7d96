//! Preference matrices, and problems by name: arenas in which coin flips decide.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use bandits::problems::{Problem, ProblemArena};
use bandits::winners::condorcet_winner;
use bandits::{Arena as _, Arm, MatrixArena, PreferenceMatrix, RegretKind, UtilityArena, WinTable};
use letor_io::Names;
use numpy::{IntoPyArray as _, PyArray1, PyArray2, PyArrayMethods as _, PyReadonlyArray2, PyUntypedArrayMethods as _};
use output::usage::usage;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use simulation::arm_names::ArmNames;
use simulation::description::SiteDescription;
use simulation::matrix::{matrix_checksum, prepare_problem};
use simulation::proxy::{self, Files, MatrixOrigin, State, all_pairs, pair_count, provenance};
use simulation::runs::PlayedArena;
use studies::explore::ExploreStudy;
use studies::matrix::{MatrixStudy, PlayedEnvironment};
use studies::request::{MatrixRequest, RunSettings, StudyDefaults};
use studies::results::{NamedMatrix, PreparedEnvironment};
use studies::{Execution, Report, StudyOutcome, matrix_file, run};

use crate::call::{CallOptions, exception, value_error, work};
use crate::findings::{Findings, findings};
use crate::settings::{DestinationArguments, StudyInputs};
use crate::study::{Config, Study, arm_name};

/// The source of preferences.
enum Preferences {
    Matrix(PreferenceMatrix),
    Utilities(UtilityArena),
}

/// Where a matrix that was estimated here comes from.
pub(crate) struct EstimateOrigin {
    pub(crate) state: State,
    pub(crate) site: SiteDescription,
}

struct MatrixInner {
    name: String,
    preferences: Preferences,
    /// The win counts that it was read from, if it was.
    wins: Option<WinTable>,
    origin: MatrixOrigin,
    estimated: Option<EstimateOrigin>,
    /// The arms that were chosen from a larger matrix.
    taken: Option<Vec<Arm>>,
    names: ArmNames,
}

/// A preference matrix or a problem.
#[pyclass(frozen, module = "rankduel._core")]
pub(crate) struct Matrix {
    inner: Arc<MatrixInner>,
}

impl Matrix {
    fn new(inner: MatrixInner) -> Self {
        Self { inner: Arc::new(inner) }
    }

    /// A matrix that was estimated on a site.
    pub(crate) fn estimated(estimated: EstimateOrigin, name: &str) -> Result<Self> {
        let matrix = estimated.state.matrix()?;
        let account = provenance(&estimated.state, &estimated.site, &matrix, None).account(&format!("{name}.json"));
        let names = estimated.site.names();
        Ok(Self::new(MatrixInner {
            name: format!("{name}.npy"),
            preferences: Preferences::Matrix(matrix),
            wins: None,
            origin: account.into(),
            estimated: Some(estimated),
            taken: None,
            names,
        }))
    }

    pub(crate) fn name(&self) -> &str {
        &self.inner.name
    }

    /// The origin of the matrix.
    pub(crate) fn origin(&self) -> &MatrixOrigin {
        &self.inner.origin
    }

    /// The preferences of all pairs.
    pub(crate) fn preferences(&self) -> PyResult<&PreferenceMatrix> {
        match &self.inner.preferences {
            Preferences::Matrix(matrix) => Ok(matrix),
            Preferences::Utilities(_) => Err(value_error(format!(
                "{} has utilities instead of a matrix: each arm shows one noisy value per step",
                self.inner.name
            ))),
        }
    }

    fn state(&self) -> PyResult<&State> {
        let state = self.inner.estimated.as_ref().map(|estimated| &estimated.state);
        state.ok_or_else(|| value_error(format!("{} was not estimated here: its counts are unknown", self.inner.name)))
    }

    /// A table with a number per ordered pair, at its index, and whether the row is the first of the pair.
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
        square_array(py, cells, arms)
    }
}

/// The alternative for counts of few comparisons.
const BOARD_ADVICE: &str = "`rankduel.Board` of these counts";

/// Names that a caller gave to arms.
fn parse_names(names: Option<Vec<String>>) -> PyResult<Option<Names>> {
    names.map(Names::new).transpose().map_err(value_error)
}

fn square_array<T: numpy::Element>(py: Python<'_>, cells: Vec<T>, arms: usize) -> PyResult<Bound<'_, PyArray2<T>>> {
    cells.into_pyarray(py).reshape([arms, arms])
}

#[pymethods]
impl Matrix {
    /// From an array of probabilities, percentages or win counts, and the names of its arms, if they have some.
    #[staticmethod]
    fn from_array(
        py: Python<'_>,
        values: PyReadonlyArray2<'_, f64>,
        name: String,
        names: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let shape = values.shape();
        if shape[0] != shape[1] {
            return Err(value_error(format!("a preference matrix is square, found {} x {}", shape[0], shape[1])));
        }
        let (arms, cells) = (shape[0], values.as_array().iter().copied().collect());
        let names = ArmNames::NUMBERS.with_user_names(parse_names(names)?);
        work(py, CallOptions { threads: None, report: None, notes: true }, move || {
            let read = PreferenceMatrix::from_table(arms, cells)?;
            matrix_file::note_content(&name, &read, BOARD_ADVICE, true);
            Ok(Self::new(MatrixInner {
                name,
                preferences: Preferences::Matrix(read.matrix),
                wins: read.wins,
                origin: MatrixOrigin::default(),
                estimated: None,
                taken: None,
                names,
            }))
        })
    }

    /// From a file, or a registered name; the names of its arms are those given, or of its header.
    #[staticmethod]
    #[pyo3(signature = (path, names=None))]
    fn open(py: Python<'_>, path: PathBuf, names: Option<Vec<String>>) -> PyResult<Self> {
        let called = parse_names(names)?;
        work(py, CallOptions { threads: None, report: None, notes: true }, move || {
            let file = matrix_file::read(&path, true)?;
            let features = file.origin.rankers().map(<[_]>::to_vec);
            Ok(Self::new(MatrixInner {
                name: matrix_file::name(&path),
                preferences: Preferences::Matrix(file.matrix),
                names: features.map_or(ArmNames::NUMBERS, ArmNames::features).with_user_names(called.or(file.names)),
                origin: file.origin,
                wins: file.wins,
                estimated: None,
                taken: None,
            }))
        })
    }

    /// A problem by name.
    #[staticmethod]
    fn problem(py: Python<'_>, text: String) -> PyResult<Self> {
        let problem: Problem = text.parse().map_err(value_error)?;
        work(py, CallOptions { threads: None, report: None, notes: true }, move || {
            let preferences = match prepare_problem(&problem)? {
                ProblemArena::Matrix(matrix) => Preferences::Matrix(matrix),
                ProblemArena::Utilities(arena) => Preferences::Utilities(arena),
            };
            let (name, names) = (problem.to_string(), ArmNames::NUMBERS);
            let origin = MatrixOrigin::default();
            Ok(Self::new(MatrixInner { name, preferences, wins: None, origin, estimated: None, taken: None, names }))
        })
    }

    #[getter(name)]
    fn python_name(&self) -> &str {
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
        square_array(py, matrix.entries().to_vec(), matrix.arms())
    }

    /// The utility of every arm.
    fn utilities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        match &self.inner.preferences {
            Preferences::Matrix(_) => Err(value_error(format!("{} is a matrix and has no utilities", self.inner.name))),
            Preferences::Utilities(arena) => Ok(PyArray1::from_slice(py, arena.utilities())),
        }
    }

    fn wins<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u64>>> {
        self.table(py, 0, |state, place, first| {
            let count = state.count(place);
            if first { count.wins } else { count.swapped().wins }
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

    /// The win counts that the matrix was read from; `None` if it was read from preferences.
    fn win_table<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let wins = self.inner.wins.as_ref();
        wins.map(|wins| square_array(py, wins.wins().to_vec(), wins.arms())).transpose()
    }

    /// The note on the win counts that the matrix was read from; `None` if it was read from preferences.
    fn counts_note(&self) -> Option<String> {
        let wins = self.inner.wins.as_ref()?;
        Some(matrix_file::counts_note(self.name(), &wins.counts(), BOARD_ADVICE))
    }

    /// Whether the counts behind the matrix are known.
    #[getter]
    fn has_counts(&self) -> bool {
        self.inner.estimated.is_some()
    }

    /// The provenance of an estimated matrix: the content of `P.json`.
    fn how(&self) -> PyResult<String> {
        let state = self.state()?;
        let estimated = self.inner.estimated.as_ref().expect("it has a state");
        let provenance = provenance(state, &estimated.site, self.preferences()?, None);
        serde_json::to_string_pretty(&provenance.sealed().map_err(to_exception)?).map_err(value_error)
    }

    /// The line about the winner: as in `rankduel proxy` for a matrix that was estimated here, otherwise as in `rankduel bandit`.
    fn winner_line(&self) -> PyResult<String> {
        match &self.inner.estimated {
            Some(EstimateOrigin { state, site }) => Ok(proxy::winner(state, site, self.preferences()?)),
            None => self
                .inner
                .on_matrix(self.preferences()?.clone(), None)
                .map(|prepared| prepared.truth)
                .map_err(to_exception),
        }
    }

    /// The Condorcet winner, if there is one.
    fn condorcet_winner(&self) -> PyResult<Option<u32>> {
        Ok(condorcet_winner(self.preferences()?).map(|arm| arm.0))
    }

    /// The checksum by which results identify the matrix.
    fn checksum(&self) -> PyResult<String> {
        Ok(matrix_checksum(self.preferences()?, true))
    }

    /// The names that arms were given, if all were.
    fn names(&self) -> Option<Vec<String>> {
        (0..self.arms()).map(|arm| self.inner.names.given_name(arm).map(str::to_owned)).collect()
    }

    /// The name of an arm.
    fn arm_name(&self, arm: usize) -> PyResult<String> {
        arm_name(&self.inner.names, self.arms(), arm)
    }

    /// Whether the data behind the matrix were generated; `None` if unknown.
    #[getter]
    fn synthetic(&self) -> Option<bool> {
        self.inner.origin.synthetic()
    }

    /// Whether a description has the source of the estimate.
    #[getter]
    fn described(&self) -> bool {
        self.inner.origin.account().is_some()
    }

    /// The description beside the file that it was read from, whatever it holds.
    fn description<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.inner.origin.text().map(|text| PyBytes::new(py, text))
    }

    /// The matrix of some arms.
    fn subset(&self, arms: Vec<u32>) -> PyResult<Self> {
        let inner = &self.inner;
        let chosen: Vec<Arm> = arms.iter().map(|&arm| Arm(arm)).collect();
        let matrix = self.preferences()?.subset(&chosen).map_err(value_error)?;
        let places: Vec<usize> = chosen.iter().map(|arm| arm.index()).collect();
        let arms_in_matrix = match &inner.taken {
            None => chosen.clone(),
            Some(before) => places.iter().map(|&place| before[place]).collect(),
        };
        Ok(Self::new(MatrixInner {
            name: inner.name.clone(),
            preferences: Preferences::Matrix(matrix),
            wins: inner.wins.as_ref().map(|wins| wins.subset(&chosen)),
            origin: inner.origin.clone(),
            estimated: None,
            taken: Some(arms_in_matrix),
            names: inner.names.subset(&places),
        }))
    }

    /// Plays algorithms on it; `None` if only a share was played.
    fn bandit(
        &self,
        py: Python<'_>,
        algorithms: Vec<Bound<'_, PyAny>>,
        settings: Vec<OsString>,
        placed: DestinationArguments,
        threads: Option<usize>,
        report: Option<Py<PyAny>>,
    ) -> PyResult<Option<Study>> {
        let StudyInputs { request, seed, algorithms, execution, own } =
            StudyInputs::<MatrixRequest>::new(&algorithms, settings, placed)?;
        let settings =
            request.settings(&StudyDefaults::STUDY, seed, Some(algorithms)).map_err(|error| exception(&error))?;
        let inner = Arc::clone(&self.inner);
        let played = work(py, CallOptions { threads, report, notes: true }, move || match &inner.preferences {
            Preferences::Matrix(matrix) => {
                play(inner.on_matrix(matrix.clone(), settings.regret)?, settings, &execution)
            }
            Preferences::Utilities(arena) => play(inner.on_utilities(arena, settings.regret)?, settings, &execution),
        });
        own.raise(py, played)
    }

    /// Plays them until horizons; `None` if only a share was played.
    fn explore(
        &self,
        py: Python<'_>,
        algorithms: Vec<Bound<'_, PyAny>>,
        settings: Vec<OsString>,
        placed: DestinationArguments,
        threads: Option<usize>,
        report: Option<Py<PyAny>>,
    ) -> PyResult<Option<Findings>> {
        let StudyInputs { request, seed, algorithms, execution, own } =
            StudyInputs::<MatrixRequest>::new(&algorithms, settings, placed)?;
        let settings =
            request.settings(&StudyDefaults::STUDY, seed, Some(algorithms)).map_err(|error| exception(&error))?;
        let inner = Arc::clone(&self.inner);
        let explored = work(py, CallOptions { threads, report, notes: true }, move || match &inner.preferences {
            Preferences::Matrix(matrix) => {
                explore(inner.on_matrix(matrix.clone(), settings.regret)?, settings, &execution)
            }
            Preferences::Utilities(arena) => explore(inner.on_utilities(arena, settings.regret)?, settings, &execution),
        });
        own.raise(py, explored)?.as_ref().map(findings).transpose()
    }

    /// Writes the files of `rankduel proxy`: all of them if it was estimated here, otherwise `.npy` and `.txt`.
    fn save(&self, path: PathBuf, replace: bool) -> PyResult<Vec<PathBuf>> {
        let matrix = self.preferences()?;
        let write = || -> Result<Vec<PathBuf>> {
            let files = Files::for_matrix(&path)?;
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
                Some(EstimateOrigin { state, site }) => {
                    proxy::write(&files, state)?;
                    output::write_json_pretty(&files.provenance, &provenance(state, site, matrix, None).sealed()?)?;
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

/// The exception of a failure.
fn to_exception(error: anyhow::Error) -> PyErr {
    exception(&error)
}

impl MatrixInner {
    /// The matrix, ready to be played on.
    fn on_matrix(
        &self,
        matrix: PreferenceMatrix,
        regret: Option<RegretKind>,
    ) -> Result<PreparedEnvironment<MatrixArena>> {
        let never = self.wins.as_ref().and_then(|wins| matrix_file::uncompared_warning(&wins.counts()));
        let matrix = NamedMatrix {
            matrix,
            name: self.name.clone(),
            kept_arms: self.taken.clone(),
            names: self.names.clone(),
            origin: self.origin.clone(),
        };
        let prepared = PreparedEnvironment::of_matrix(matrix, regret, true)?;
        Ok(prepared.with_doubt(never))
    }

    /// A problem of arms with utilities, ready to be played on.
    fn on_utilities(
        &self,
        arena: &UtilityArena,
        regret: Option<RegretKind>,
    ) -> Result<PreparedEnvironment<UtilityArena>> {
        PreparedEnvironment::of_utilities(arena.clone(), self.name.clone(), regret)
    }
}

/// Plays algorithms as `rankduel bandit` does.
pub(crate) fn play<A: PlayedArena + Clone + Sync>(
    prepared: PreparedEnvironment<A>,
    settings: RunSettings,
    execution: &Execution,
) -> Result<Option<Study>> {
    let on = PlayedEnvironment::new(prepared, &settings, None);
    let StudyOutcome::Finished(finished) = run(MatrixStudy { settings, environment: on }, execution)? else {
        return Ok(None);
    };
    let config = Config::Bandit(Box::new(finished.config()));
    finished.written?;
    Ok(Some(Study { runs: finished.found, config }))
}

/// Plays algorithms as `rankduel bandit --setting explore-then-exploit` does.
fn explore<A: PlayedArena + Clone + Sync>(
    prepared: PreparedEnvironment<A>,
    settings: RunSettings,
    execution: &Execution,
) -> Result<Option<Report>> {
    let on = PlayedEnvironment::new(prepared, &settings, None);
    let StudyOutcome::Finished(finished) = run(ExploreStudy { settings, environment: on }, execution)? else {
        return Ok(None);
    };
    let (report, written) = finished.into_parts()?;
    written.map(|_| Some(report))
}
