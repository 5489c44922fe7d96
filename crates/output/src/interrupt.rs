//! Ctrl-C, `kill`, and a file that exceeds its limit.
//!
//! A process that is asked to stop prints one line with what is kept and how to go on, waits until files that are being written are
//! complete, and then ends by the same signal, so that a shell sees exit code 130 or 143. Results do not depend on any of this: after `kill
//! -9`, the same command continues as well.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

/// The actions before the process ends by a signal.
struct Farewell {
    message: Option<Box<dyn Fn() -> String + Send>>,
    /// Folders to remove if they are empty, inner ones first.
    folders: Vec<PathBuf>,
}

static FAREWELL: Mutex<Farewell> = Mutex::new(Farewell { message: None, folders: Vec::new() });

/// Held while a file is being written.
static WRITING: RwLock<()> = RwLock::new(());

/// Whether the process was asked to stop.
static STOPPING: AtomicBool = AtomicBool::new(false);

/// The number of threads that save before it stops.
static SAVING: AtomicUsize = AtomicUsize::new(0);

fn farewell() -> MutexGuard<'static, Farewell> {
    FAREWELL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sets the line that is printed when the process is asked to stop: the kept results, and how to go on.
pub fn say_when_stopped(message: impl Fn() -> String + Send + 'static) {
    farewell().message = Some(Box::new(message));
}

/// Sets the folders that are removed if they are empty when the process is asked to stop, inner ones first.
pub(super) fn remove_when_stopped(folders: Vec<PathBuf>) {
    farewell().folders = folders;
}

/// Nothing is printed or removed from now on.
pub fn say_nothing_when_stopped() {
    *farewell() = Farewell { message: None, folders: Vec::new() };
}

/// Delays the end of a process that is asked to stop until the returned guard is dropped.
pub(super) fn finish_writing() -> RwLockReadGuard<'static, ()> {
    WRITING.read().unwrap_or_else(PoisonError::into_inner)
}

/// While the returned guard lives, a process that is asked to stop waits up to 25 seconds for its work to be saved: less
/// than what job schedulers usually grant. The work asks now and then [whether it should](SaveGuard).
#[must_use]
pub fn saves_before_it_stops() -> SaveGuard {
    SAVING.fetch_add(1, Ordering::SeqCst);
    SaveGuard(())
}

/// Work that is saved before the process stops.
#[derive(Debug)]
pub struct SaveGuard(());

impl SaveGuard {
    /// Whether the process was asked to stop: then the work saves, and calls [`stop`](Self::stop).
    #[must_use]
    pub fn is_asked_to_stop(&self) -> bool {
        STOPPING.load(Ordering::Relaxed)
    }

    /// Lets the process end, now that all is saved.
    pub fn stop(self) -> ! {
        drop(self);
        loop {
            std::thread::park();
        }
    }
}

impl Drop for SaveGuard {
    fn drop(&mut self) {
        SAVING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Removes the empty ones of these folders.
pub(super) fn remove_empty(folders: &[PathBuf]) {
    for folder in folders {
        // A folder that is not empty stays.
        let _ = fs::remove_dir(folder);
    }
}

/// Lets this process end as described above when it receives SIGINT or SIGTERM, and makes a file that exceeds the limit of
/// `ulimit -f` an ordinary error. A signal that is ignored stays ignored (as under `nohup`, or in the background of a script).
/// For programs, not for libraries. Does nothing on other systems than Unix.
pub fn install() {
    #[cfg(unix)]
    unix::install();
}

#[cfg(unix)]
mod unix {
    use std::io::{IsTerminal as _, Write as _};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::channel;
    use std::sync::{Arc, TryLockError};
    use std::thread;
    use std::time::{Duration, Instant};

    use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    use super::{SAVING, STOPPING, WRITING, farewell, remove_empty};

    /// The time for which a file that is being written may delay the end.
    const PATIENCE: Duration = Duration::from_secs(2);
    /// The time for which work that saves before the process stops may delay the end.
    const PATIENCE_TO_SAVE: Duration = Duration::from_secs(25);

    pub(super) fn install() {
        // The flag is never read: with any handler, the write fails instead of the process.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
        let ignored = std::fs::read_to_string("/proc/self/status").ok().and_then(|status| ignored(&status));
        let stops = [SIGINT, SIGTERM].into_iter().filter(|signal| ignored.unwrap_or(0) >> (signal - 1) & 1 == 0);
        // The thread first: without it, caught signals would not end the process at all. If it cannot start, they end the process
        // immediately, as `kill -9` does.
        let (give, take) = channel::<Signals>();
        let wait = move || {
            if let Some(signal) = take.recv().ok().and_then(|mut signals| signals.forever().next()) {
                stop(signal);
            }
        };
        if crate::threads::start_spare("signals", wait).is_err() {
            return;
        }
        if let Ok(signals) = Signals::new(stops) {
            let _ = give.send(signals);
        }
    }

    /// The signals that the parent process ignores, as a bit mask, in the text of `/proc/self/status`.
    pub(super) fn ignored(status: &str) -> Option<u64> {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    }

    fn stop(signal: i32) {
        STOPPING.store(true, Ordering::SeqCst);
        let start = Instant::now();
        while SAVING.load(Ordering::SeqCst) > 0 && start.elapsed() < PATIENCE_TO_SAVE {
            thread::sleep(Duration::from_millis(1));
        }
        let start = Instant::now();
        let _writing = loop {
            match WRITING.try_write() {
                Ok(guard) => break Some(guard),
                Err(TryLockError::Poisoned(poisoned)) => break Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if start.elapsed() > PATIENCE => break None,
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(1)),
            }
        };
        let farewell = farewell();
        remove_empty(&farewell.folders);
        if let Some(message) = &farewell.message {
            let mut stderr = std::io::stderr().lock();
            // A progress bar may be on the line.
            let line = if stderr.is_terminal() { "\r\x1b[2K" } else { "" };
            let _ = writeln!(stderr, "{line}{}", message());
        }
        if emulate_default_handler(signal).is_err() {
            std::process::exit(128 + signal);
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    #[test]
    fn ignored_signals_are_read_from_the_status_of_the_process() {
        let status = "Name:\tsim\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001002\nSigCgt:\t0000000000000440\n";
        assert_eq!(super::unix::ignored(status), Some(0x1002));
        assert_eq!(super::unix::ignored("Name:\tsim\n"), None);
    }
}
