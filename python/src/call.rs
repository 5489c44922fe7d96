//! Long work, done beside the interpreter.
//!
//! Work runs in a thread of its own and on a pool of threads; the calling thread releases the interpreter and comes back every few
//! milliseconds to check for Ctrl-C and to report progress. Work that is asked to stop unwinds at its next progress; longer steps, such as
//! reading a file, go on unseen, own all that they need, and their results are dropped.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use desk::failure::{Failure, FailureKind};
use desk::refusal::in_keywords;
use output::progress::{Watch, watched};
use output::threads;
use pyo3::exceptions::{
    PyFileNotFoundError, PyMemoryError, PyOSError, PyPermissionError, PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;
use rayon::ThreadPool;

/// The period at which the calling thread looks for signals.
const SIGNAL_CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// The time that work has to stop before it is left alone.
const PATIENCE: Duration = Duration::from_millis(250);

/// The caller's options for the work.
pub(crate) struct CallOptions {
    /// Threads; all cores by default.
    pub(crate) threads: Option<usize>,
    /// Called with a description of the work, the units done, and all units.
    pub(crate) report: Option<Py<PyAny>>,
    /// Whether notes become warnings; otherwise they are dropped.
    pub(crate) notes: bool,
}

/// The progress of one call, and the wish that it stop.
#[derive(Default)]
struct Control {
    stopped: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
    what: Mutex<String>,
    notes: Mutex<Vec<String>>,
}

/// The panic of work that was asked to stop.
struct StoppedPanic;

impl Watch for Control {
    fn begins(&self, what: &str, total: u64) {
        *self.what.lock().unwrap_or_else(PoisonError::into_inner) = what.to_owned();
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        self.advances(0);
    }

    fn advances(&self, units: u64) {
        self.done.fetch_add(units, Ordering::Relaxed);
        if self.stopped.load(Ordering::Relaxed) {
            resume_unwind(Box::new(StoppedPanic));
        }
    }

    fn lengthens(&self, units: u64) {
        self.total.fetch_add(units, Ordering::Relaxed);
    }

    fn notes(&self, note: &str) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(note.to_owned());
    }
}

impl Control {
    /// Warns the caller of all notes; an error if warnings are errors.
    fn warn(&self, py: Python<'_>) -> PyResult<()> {
        let notes = std::mem::take(&mut *self.notes.lock().unwrap_or_else(PoisonError::into_inner));
        if notes.is_empty() {
            return Ok(());
        }
        py.import("rankduel.notes")?.call_method1("warn", (notes,)).map(drop)
    }

    fn report(&self, py: Python<'_>, report: &Py<PyAny>) -> PyResult<()> {
        let what = self.what.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if what.is_empty() {
            return Ok(());
        }
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        report.call1(py, (what, done, total)).map(drop)
    }
}

/// Does `job` without the interpreter; its notes become warnings.
///
/// # Errors
/// Errors of the job as exceptions, warnings where they are errors, exceptions of a signal handler, and `RuntimeError` for a panic.
pub(crate) fn work<T: Send + 'static>(
    py: Python<'_>,
    how: CallOptions,
    job: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
) -> PyResult<T> {
    let control = Arc::new(Control::default());
    let pool = thread_pool(how.threads)?;
    let (send, receive) = channel();
    let watch: Arc<dyn Watch> = control.clone();
    let work = move || {
        let done = catch_unwind(AssertUnwindSafe(|| pool.get().install(|| watched(watch, job))));
        // The caller may have stopped waiting.
        let _ = send.send(done);
    };
    threads::start("rankduel", work).map_err(|error| {
        PyRuntimeError::new_err(format!("no thread can be started: {error}; raise the limit on processes (ulimit -u)"))
    })?;
    // Only this thread receives; the lock is for the compiler.
    let receive = Mutex::new(receive);
    let wait = |time| py.detach(|| receive.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(time));
    loop {
        match wait(SIGNAL_CHECK_INTERVAL) {
            Ok(done) => {
                if let Some(report) = &how.report {
                    control.report(py, report)?;
                }
                let done = unwrap_outcome(done)?;
                if how.notes {
                    control.warn(py)?;
                }
                return Ok(done);
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the work ended without a result"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let heard = py.check_signals().and_then(|()| match &how.report {
            Some(report) => control.report(py, report),
            None => Ok(()),
        });
        if let Err(raised) = heard {
            control.stopped.store(true, Ordering::Relaxed);
            let asked = Instant::now();
            while asked.elapsed() < PATIENCE
                && matches!(wait(SIGNAL_CHECK_INTERVAL / 5), Err(RecvTimeoutError::Timeout))
            {}
            return Err(raised);
        }
    }
}

fn unwrap_outcome<T>(done: Result<anyhow::Result<T>, Box<dyn Any + Send>>) -> PyResult<T> {
    match done {
        Ok(result) => result.map_err(|error| exception(&error)),
        Err(panic) => Err(panic_exception(panic.as_ref())),
    }
}

/// A panic as an exception: a mistake of ours, never of the caller's.
fn panic_exception(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    PyRuntimeError::new_err(format!("rankduel failed: {}; please report this", text.unwrap_or("for an unknown reason")))
}

/// The exception of an error, with the text of the command line.
pub(crate) fn exception(error: &anyhow::Error) -> PyErr {
    // Every wrong argument of a function is a wrong value.
    let failure = sim::cli::failure(error);
    failure_exception(Failure { message: in_keywords(&failure.message), ..failure }, PyValueError::new_err)
}

/// The exception of a failure; `other` makes the one of failures without a kind.
pub(crate) fn failure_exception(Failure { kind, message, .. }: Failure, other: fn(String) -> PyErr) -> PyErr {
    match kind {
        FailureKind::Usage | FailureKind::Content => PyValueError::new_err(message),
        FailureKind::NotFound => PyFileNotFoundError::new_err(message),
        FailureKind::Permission => PyPermissionError::new_err(message),
        FailureKind::Io => PyOSError::new_err(message),
        FailureKind::Memory => PyMemoryError::new_err(message),
        FailureKind::Other => other(message),
    }
}

/// A wrong argument.
pub(crate) fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A pool of threads, for one call or kept.
pub(crate) enum Pool {
    Own(ThreadPool),
    Kept(&'static ThreadPool),
}

impl Pool {
    fn get(&self) -> &ThreadPool {
        match self {
            Self::Own(pool) => pool,
            Self::Kept(pool) => pool,
        }
    }
}

/// The pool of a process.
struct ProcessPool {
    process: u32,
    pool: ThreadPool,
}

/// The threads for a call. Threads of a parent process do not survive a fork, so a child starts its own.
fn thread_pool(asked: Option<usize>) -> PyResult<Pool> {
    static KEPT: AtomicPtr<ProcessPool> = AtomicPtr::new(std::ptr::null_mut());
    let build = |count: Option<usize>| {
        threads::pool(count, "rankduel").map_err(|error| PyRuntimeError::new_err(error.to_string()))
    };
    if let Some(threads) = asked {
        return Ok(Pool::Own(build(Some(threads.max(1)))?));
    }
    if rayon::current_thread_index().is_some() {
        // Called from Python code that one of our threads runs: all of them may be waiting for such a call.
        return Ok(Pool::Own(build(Some(1))?));
    }
    let process = std::process::id();
    let known = KEPT.load(Ordering::Acquire);
    // SAFETY: a pointer that is stored is never freed, so that it stays valid after another thread replaced it.
    #[expect(unsafe_code, reason = "no lock, which a fork could leave held for ever")]
    let kept = |pointer: *mut ProcessPool| unsafe { pointer.as_ref() };
    if let Some(found) = kept(known).filter(|found| found.process == process) {
        return Ok(Pool::Kept(&found.pool));
    }
    let new = Box::into_raw(Box::new(ProcessPool { process, pool: build(None)? }));
    KEPT.store(new, Ordering::Release);
    Ok(Pool::Kept(&kept(new).expect("just made").pool))
}
