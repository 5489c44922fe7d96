//! Policies written in Python, played in the same loops as all others.
//!
//! They run under the interpreter's lock, one call at a time. A thread that plays one keeps the lock for some milliseconds
//! of steps, because taking it takes longer than a step, and then lets a waiting thread have it.

use std::cell::RefCell;
use std::fmt;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bandits::registry::ExternalAlgorithm;
use bandits::{ActionKind, Arm, Choice, Feedback, Generator, OwnedPolicy, Policy};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString, PyTuple};
use rand::Rng as _;

/// The time that a thread keeps the interpreter's lock: longer than the five milliseconds after which a waiting thread asks for it.
const LOCK_SLICE: Duration = Duration::from_millis(8);
/// Calls between two looks at the clock.
const CALLS_PER_CLOCK_READ: u32 = 64;

/// The exception that a policy or an environment of a study raised first.
#[derive(Clone, Default)]
pub(crate) struct FirstException(Arc<Mutex<Option<PyErr>>>);

impl FirstException {
    /// The result, or the exception of a policy if there is one.
    pub(crate) fn raise<T>(&self, _py: Python<'_>, result: PyResult<T>) -> PyResult<T> {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(raised) => Err(raised),
            None => result,
        }
    }

    /// Keeps the first exception, and ends the run.
    pub(crate) fn stop(&self, error: PyErr) -> ! {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        release_lock();
        resume_unwind(Box::new("a class of the caller raised an exception"));
    }
}

/// A class of policies.
pub(crate) struct PythonAlgorithm {
    class: Py<PyAny>,
    name: &'static str,
    revision: u32,
    raised: FirstException,
}

impl fmt::Debug for PythonAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PythonAlgorithm {
    /// The policies of `class`, which calls itself `name`.
    ///
    /// # Errors
    /// Exceptions of the class.
    pub(crate) fn new(class: &Bound<'_, PyAny>, name: String, raised: FirstException) -> PyResult<Self> {
        let revision = class.call_method0("_revision")?.extract()?;
        Ok(Self { class: class.clone().unbind(), name: intern(name), revision, raised })
    }
}

/// The text for ever. Only names of classes come here, each once.
fn intern(text: String) -> &'static str {
    static NAMES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.iter().find(|known| **known == text) {
        return known;
    }
    let text: &'static str = Box::leak(text.into_boxed_str());
    names.push(text);
    text
}

impl ExternalAlgorithm for PythonAlgorithm {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        "a policy written in Python"
    }

    fn revision(&self) -> u32 {
        self.revision
    }

    fn action_kind(&self) -> ActionKind {
        ActionKind::Duels
    }

    fn policy(&self, arms: usize, _horizon: Option<u64>) -> Box<dyn OwnedPolicy> {
        let class = Python::attach(|py| self.class.clone_ref(py));
        Box::new(PythonPolicy { class, arms, methods: None, raised: self.raised.clone() })
    }
}

/// An object and its methods, bound to it.
struct Methods {
    object: Py<PyAny>,
    choose: Py<PyAny>,
    learn: Py<PyAny>,
    recommend: Py<PyAny>,
}

impl Methods {
    fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let method = |name| Ok::<_, PyErr>(object.getattr(name)?.unbind());
        Ok(Self {
            choose: method("choose")?,
            learn: method("learn")?,
            recommend: method("recommend")?,
            object: object.clone().unbind(),
        })
    }
}

/// A policy of such a class; the object is made at the first step, with a seed of its run.
struct PythonPolicy {
    class: Py<PyAny>,
    arms: usize,
    methods: Option<Methods>,
    raised: FirstException,
}

impl PythonPolicy {
    fn start(&self, py: Python<'_>, seed: u64) -> PyResult<Methods> {
        Methods::of(&self.class.bind(py).call_method1("_start", (self.arms, seed))?)
    }

    /// The arm that `method` returned.
    fn arm(&self, method: &str, value: &Bound<'_, PyAny>) -> PyResult<Arm> {
        let number =
            Some(value).filter(|value| !value.is_instance_of::<PyBool>()).and_then(|value| value.extract().ok());
        let arm: i64 = number.ok_or_else(|| {
            PyTypeError::new_err(format!("{method}() returned {value:?} as an arm; expected a number from 0"))
        })?;
        match u32::try_from(arm) {
            Ok(arm) if (arm as usize) < self.arms => Ok(Arm(arm)),
            _ => Err(PyValueError::new_err(format!(
                "{method}() returned arm {arm}, but arms are 0 to {}",
                self.arms - 1
            ))),
        }
    }

    fn choice(&self, py: Python<'_>, methods: &Methods, step: u64) -> PyResult<(Arm, Arm)> {
        let chosen = methods.choose.bind(py).call1((step,))?;
        if let Some(pair) = chosen.cast::<PyTuple>().ok().filter(|pair| pair.len() == 2) {
            return Ok((self.arm("choose", &pair.get_item(0)?)?, self.arm("choose", &pair.get_item(1)?)?));
        }
        // A list or an array, which is slower.
        let pair = Some(&chosen)
            .filter(|chosen| !chosen.is_instance_of::<PyString>() && chosen.len().is_ok_and(|len| len == 2));
        match pair.and_then(|pair| Some((pair.get_item(0).ok()?, pair.get_item(1).ok()?))) {
            Some((first, second)) => Ok((self.arm("choose", &first)?, self.arm("choose", &second)?)),
            None => Err(PyTypeError::new_err(format!("choose() returned {chosen:?}; expected a pair of arms, (i, j)"))),
        }
    }
}

impl Policy for PythonPolicy {
    fn arms(&self) -> usize {
        self.arms
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        let chosen = with_lock(|py| {
            if self.methods.is_none() {
                self.methods = Some(self.start(py, generator.next_u64())?);
            }
            self.choice(py, self.methods.as_ref().expect("started"), step)
        });
        match chosen {
            Ok((first, second)) => Choice::Duel(first, second),
            Err(error) => self.raised.stop(error),
        }
    }

    fn learn(&mut self, step: u64, feedback: Feedback<'_>) {
        let Feedback::Duel { winner, loser, .. } = feedback else { return };
        let Some(methods) = &self.methods else { return };
        let learnt = with_lock(|py| methods.learn.bind(py).call1((step, winner.0, loser.0)).map(drop));
        if let Err(error) = learnt {
            self.raised.stop(error);
        }
    }

    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        let methods = self.methods.as_ref()?;
        let recommended = with_lock(|py| {
            let arm = methods.recommend.bind(py).call0()?;
            if arm.is_none() { Ok(None) } else { self.arm("recommend", &arm).map(Some) }
        });
        recommended.unwrap_or_else(|error| self.raised.stop(error))
    }
}

impl Clone for PythonPolicy {
    /// With a deep copy of the object, if there is one yet.
    fn clone(&self) -> Self {
        let copied = Python::attach(|py| {
            let deep = |methods: &Methods| {
                let copy = py.import("copy")?.getattr("deepcopy")?.call1((&methods.object,))?;
                Methods::of(&copy)
            };
            Ok::<_, PyErr>((self.class.clone_ref(py), self.methods.as_ref().map(deep).transpose()?))
        });
        let (class, methods) = copied.unwrap_or_else(|error| self.raised.stop(error));
        Self { class, arms: self.arms, methods, raised: self.raised.clone() }
    }
}

impl Drop for PythonPolicy {
    fn drop(&mut self) {
        release_lock();
    }
}

/// The interpreter's lock, held by this thread.
struct Lock {
    state: ffi::PyGILState_STATE,
    since: Instant,
    calls: u32,
}

impl Lock {
    fn take() -> Self {
        // SAFETY: allowed on any thread; released once, on the same one, because it never leaves its thread.
        #[expect(unsafe_code, reason = "a lock that outlives one call: pyo3 has closures only")]
        let state = unsafe { ffi::PyGILState_Ensure() };
        Self { state, since: Instant::now(), calls: 0 }
    }

    /// Hands the lock to a thread that asked for it, and takes it again.
    ///
    /// The interpreter waits here until another thread has had its turn, if one asked. It would not if the lock were released
    /// for good and taken again: this thread would win it back before the other wakes up, for seconds on end.
    fn pass(&mut self) {
        // SAFETY: this thread has the lock, and no object of the interpreter is in use between the two calls.
        #[expect(unsafe_code, reason = "as above")]
        unsafe {
            ffi::PyEval_RestoreThread(ffi::PyEval_SaveThread());
        }
        self.since = Instant::now();
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // SAFETY: as above.
        #[expect(unsafe_code, reason = "as above")]
        unsafe {
            ffi::PyGILState_Release(self.state);
        }
    }
}

thread_local! {
    static LOCK: RefCell<Option<Lock>> = const { RefCell::new(None) };
}

/// Lets others have the interpreter's lock: a run of this thread is over.
pub(crate) fn release_lock() {
    LOCK.with_borrow_mut(|lock| *lock = None);
}

/// Calls Python, and keeps the lock for the calls that follow within some milliseconds.
pub(crate) fn with_lock<T>(call: impl FnOnce(Python<'_>) -> T) -> T {
    LOCK.with_borrow_mut(|held| {
        let lock = held.get_or_insert_with(Lock::take);
        lock.calls += 1;
        if lock.calls.is_multiple_of(CALLS_PER_CLOCK_READ) && lock.since.elapsed() > LOCK_SLICE {
            lock.pass();
        }
    });
    // Cheap: this thread has the lock already.
    Python::attach(call)
}
