//! Threads: every thread of a program is started here.
//!
//! A login node or a container may allow fewer threads than the machine has cores. Programs then use as many as can be
//! started, down to the calling thread alone. Results do not depend on their number.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle, available_parallelism};

use anyhow::{Result, anyhow};
use rayon::{ThreadBuilder, ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use super::memory::address_space;

/// Address space that a thread may take: its stack, and the arena that the allocator of the C library reserves for it.
const ADDRESS_SPACE: u64 = 256 << 20;

/// Starts a thread.
///
/// # Errors
/// If the system starts no further thread.
pub fn start<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> io::Result<JoinHandle<T>> {
    Builder::new().name(name.to_owned()).spawn(work)
}

/// The same for a thread that a program can do without: none is started where `ulimit -v` leaves no address space for it, which
/// would be lacking elsewhere.
///
/// # Errors
/// As for [`start`], and if there is no address space for it.
pub fn start_spare<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    if fit() == 0 { Err(io::ErrorKind::OutOfMemory.into()) } else { start(name, work) }
}

/// The number of threads that fit into the address space.
fn fit() -> usize {
    address_space().map_or(usize::MAX, |bytes| usize::try_from(bytes / ADDRESS_SPACE).unwrap_or(usize::MAX))
}

/// The most threads that are started, however many are asked for: results do not depend on their number, and hundreds
/// that compete for a few cores mostly look for work.
#[must_use]
pub fn max_threads() -> usize {
    4 * available_parallelism().map_or(16, usize::from).max(16)
}

/// The number of threads to start if `requested` are requested: by default all cores, or `RAYON_NUM_THREADS`; at most [`max_threads`], and no more
/// than fit into the address space of `ulimit -v`.
#[must_use]
pub fn count(requested: Option<usize>) -> usize {
    let of_environment = || std::env::var("RAYON_NUM_THREADS").ok()?.trim().parse().ok();
    let cores = || available_parallelism().map_or(1, usize::from);
    let threads = requested.or_else(of_environment).filter(|&threads| threads > 0).unwrap_or_else(cores);
    threads.min(max_threads()).min(fit()).max(1)
}

/// Threads that wait for their part in a pool. Those that get none end.
struct IdleThreads {
    sender: Sender<ThreadBuilder>,
    threads: usize,
}

impl IdleThreads {
    /// Up to `count` threads: as many as can be started.
    ///
    /// Making a pool fails if not all of its threads can be started, and the pool of a process can be made only once. So its threads are
    /// started first.
    fn start(count: usize, name: &str) -> io::Result<Self> {
        let (sender, receiver) = channel::<ThreadBuilder>();
        let receiver = Arc::new(Mutex::new(receiver));
        let wait = |receiver: Arc<Mutex<Receiver<ThreadBuilder>>>| {
            move || {
                // The lock is released before the part is done.
                let builder = receiver.lock().ok().and_then(|receiver| receiver.recv().ok());
                if let Some(builder) = builder {
                    builder.run();
                }
            }
        };
        for index in 0..count {
            match start(&format!("{name}-{index}"), wait(Arc::clone(&receiver))) {
                Ok(_) => {}
                Err(error) if index == 0 => return Err(error),
                Err(_) => return Ok(Self { sender, threads: index }),
            }
        }
        Ok(Self { sender, threads: count })
    }

    /// Their pool.
    fn pool(self) -> Result<ThreadPool, ThreadPoolBuildError> {
        let Self { sender, threads } = self;
        ThreadPoolBuilder::new().num_threads(threads).spawn_handler(|part| send_builder(&sender, part)).build()
    }

    /// Makes them the pool of the process.
    fn pool_of_process(self) -> Result<(), ThreadPoolBuildError> {
        let Self { sender, threads } = self;
        ThreadPoolBuilder::new().num_threads(threads).spawn_handler(|part| send_builder(&sender, part)).build_global()
    }
}

fn send_builder(sender: &Sender<ThreadBuilder>, builder: ThreadBuilder) -> io::Result<()> {
    sender.send(builder).map_err(|_| io::Error::other("a thread ended early"))
}

fn no_thread_error(error: &dyn std::fmt::Display) -> anyhow::Error {
    anyhow!(
        "no thread can be started: {error}; raise the limit on processes (ulimit -u) or on memory (ulimit -v), or run \
         where fewer other programs run"
    )
}

/// A pool of `threads` threads, all cores by default; of fewer where not all can be started.
///
/// # Errors
/// One line, if not even one can be started.
pub fn pool(threads: Option<usize>, name: &str) -> Result<ThreadPool> {
    let idle_threads = IdleThreads::start(count(threads), name).map_err(|error| no_thread_error(&error))?;
    idle_threads.pool().map_err(|error| no_thread_error(&error))
}

/// Does `work` on a [`pool`] of its own; on the calling thread alone where no thread can be started.
///
/// # Errors
/// One line, if this thread cannot do it alone because it belonged to a pool that is gone.
pub fn run_in_pool<R: Send>(threads: Option<usize>, work: impl FnOnce() -> R + Send) -> Result<R> {
    let pool = if fit() == 0 { Err(no_thread_error(&"ulimit -v leaves no room")) } else { pool(threads, "work") };
    match pool {
        Ok(pool) => Ok(pool.install(work)),
        // The pool that this thread belongs to does the work.
        Err(_) if rayon::current_thread_index().is_some() => Ok(work()),
        Err(error) => {
            let current_thread_pool = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
            Ok(current_thread_pool.map_err(|_| error)?.install(work))
        }
    }
}

/// Sets the number of threads for the parallel work of this process: `threads`, all cores by default; fewer where not all can be started,
/// down to the calling thread. Does nothing the second time, nor inside a pool. For programs, not for libraries.
///
/// # Errors
/// One line, if the calling thread cannot take part.
pub fn for_process(threads: Option<usize>) -> Result<()> {
    if rayon::current_thread_index().is_some() {
        return Ok(());
    }
    let idle_threads = if fit() == 0 { None } else { IdleThreads::start(count(threads), "work").ok() };
    let pool = match idle_threads {
        Some(idle_threads) => idle_threads.pool_of_process(),
        None => ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global(),
    };
    match pool {
        Ok(()) => Ok(()),
        // Made by an earlier call: asking for its size does not fail then.
        Err(error) if std::error::Error::source(&error).is_none() => Ok(()),
        Err(error) => Err(no_thread_error(&error)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use rayon::prelude::*;

    use super::*;

    #[test]
    fn a_pool_has_the_threads_that_were_asked_for_up_to_the_cap() {
        let threads = |asked| pool(asked, "test").unwrap().current_num_threads();
        assert_eq!((threads(Some(1)), threads(Some(3))), (1, 3));
        assert_eq!((count(Some(1_000_000)), count(Some(0))), (max_threads(), count(None)));
    }

    #[test]
    fn threads_without_a_part_end_and_the_others_do_all_the_work() {
        let waiting = IdleThreads::start(4, "test").unwrap();
        let fewer = IdleThreads { threads: 2, ..waiting };
        let pool = fewer.pool().unwrap();
        let done = AtomicUsize::new(0);
        pool.install(|| (0..1000).into_par_iter().for_each(|_| _ = done.fetch_add(1, Ordering::Relaxed)));
        assert_eq!((pool.current_num_threads(), done.into_inner()), (2, 1000));
    }

    #[test]
    fn work_is_done_within_a_pool_of_its_own() {
        let sum = run_in_pool(Some(2), || {
            (0..100_u64).into_par_iter().map(|x| x * rayon::current_num_threads() as u64).sum::<u64>()
        });
        assert_eq!(sum.unwrap(), 4950_u64 * 2);
    }
}
