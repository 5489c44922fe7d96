//! Progress of long work: a bar with an estimate on a terminal, nothing in a pipe. A program that shows progress in its
//! own way, or must be able to stop, [watches](watched).

use std::cell::RefCell;
use std::fmt;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::numbers::{with_separators, with_unit};

/// Writes a line about long work that begins to standard error, also in a pipe.
pub fn announce(work: &str) {
    if watch().is_some() {
        return;
    }
    // There is nowhere to report an error to.
    let _ = writeln!(std::io::stderr().lock(), "{work}");
}

/// Receives the progress of work, from any thread.
pub trait Watch: Send + Sync {
    /// Work of `total` units begins, e.g. `playing`.
    fn begins(&self, work: &str, total: u64);

    /// `units` more of it are done. To stop the work, unwind from here with [`std::panic::resume_unwind`]: all threads
    /// that take part come by every few milliseconds.
    fn advances(&self, units: u64);

    /// There are `units` more of it than announced.
    fn lengthens(&self, units: u64);

    /// A note on the data or the settings for the user, in one line.
    fn notes(&self, note: &str) {
        let _ = note;
    }
}

/// Whether this thread's work is [watched].
#[must_use]
pub fn is_watched() -> bool {
    watch().is_some()
}

/// Passes a note to the [watcher](watched) of this thread's work; returns whether there is one.
pub fn send_note(note: &str) -> bool {
    let watch = watch();
    if let Some(watch) = &watch {
        watch.notes(note);
    }
    watch.is_some()
}

thread_local! {
    static WATCH: RefCell<Option<Arc<dyn Watch>>> = const { RefCell::new(None) };
}

fn watch() -> Option<Arc<dyn Watch>> {
    WATCH.with_borrow(Clone::clone)
}

/// Does `work`, and calls `watch` for every [`Progress`] that this thread begins meanwhile; no bar is drawn, and nothing is
/// [announced](announce).
pub fn watched<T>(watch: Arc<dyn Watch>, work: impl FnOnce() -> T) -> T {
    struct PreviousWatch(Option<Arc<dyn Watch>>);
    impl Drop for PreviousWatch {
        fn drop(&mut self) {
            WATCH.set(self.0.take());
        }
    }
    // Put back even if the work unwinds.
    let _before = PreviousWatch(WATCH.replace(Some(watch)));
    work()
}

/// The time that work is measured before its total time is estimated.
const MEASURED_TIME: Duration = Duration::from_secs(10);

/// Impressions that no thread exceeds in a second.
const MAX_IMPRESSIONS_PER_SECOND: u64 = 10_000_000;

/// A day: work that takes longer is announced.
const LONG_TIME: Duration = Duration::from_secs(86_400);

/// Notes on standard error that `units` times `impressions_each` impressions, named `work` in the plural, take a day or longer even at the highest rate
/// of a thread, ten million per second. For work with progress too rare to measure.
pub fn foresee(work: &str, units: u64, impressions_each: u64, quiet: bool) {
    let a_second = MAX_IMPRESSIONS_PER_SECOND * rayon::current_num_threads() as u64;
    let seconds = u128::from(units) * u128::from(impressions_each) / u128::from(a_second);
    let seconds = Duration::from_secs(u64::try_from(seconds).unwrap_or(u64::MAX));
    if !quiet && seconds >= LONG_TIME {
        note(&format!(
            "{} times {} {work} take more than {}: no more than {} a second are possible",
            with_separators(units),
            with_separators(impressions_each),
            span(seconds),
            with_separators(a_second)
        ));
    }
}

/// A note about work. (`messages` asks this module for the receiver of notes.)
fn note(text: &str) {
    if !send_note(text) {
        // There is nowhere to report an error to.
        let _ = writeln!(std::io::stderr().lock(), "note: {text}");
    }
}

/// A time of a day or more for a reader: `36 days`, `2,900 years`.
fn span(time: Duration) -> String {
    match time.as_secs() / LONG_TIME.as_secs() {
        days @ 0..1000 => with_unit(days, "day"),
        days => with_unit(days / 365, "year"),
    }
}

/// Lets the time on a bar that is shown go on while no work is done, and notes after some seconds if all of the work takes
/// days. Where no thread can be started, neither happens.
fn keep_moving(bar: &ProgressBar, work: &str) {
    let (bar, work) = (bar.downgrade(), work.to_owned());
    let tick = move || {
        let (start, mut measures) = (Instant::now(), true);
        while let Some(bar) = bar.upgrade().filter(|bar| !bar.is_finished()) {
            bar.tick();
            let remaining = bar.eta();
            if measures && start.elapsed() >= MEASURED_TIME && !remaining.is_zero() {
                measures = false;
                if remaining >= LONG_TIME {
                    bar.suspend(|| note(&format!("{work}: at this speed it takes {} more", span(remaining))));
                }
            }
            drop(bar);
            std::thread::sleep(Duration::from_millis(250));
        }
    };
    let _ = crate::threads::start_spare("progress", tick);
}

/// A bar that may be invisible; advancing it is cheap enough for inner loops of a few microseconds.
#[derive(Clone)]
pub struct Progress {
    bar: ProgressBar,
    watch: Option<Arc<dyn Watch>>,
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").field("bar", &self.bar).field("watched", &self.watch.is_some()).finish()
    }
}

impl Progress {
    /// A bar over `total` units of work, labelled `what`; hidden when `quiet` or not on a terminal.
    #[must_use]
    pub fn new(what: &str, total: u64, quiet: bool) -> Self {
        if let Some(watch) = watch() {
            watch.begins(what, total);
            return Self { bar: ProgressBar::hidden(), watch: Some(watch) };
        }
        // indicatif itself hides a bar on a stream that is not a terminal.
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(8) };
        let style = ProgressStyle::with_template("{msg:28} {bar:32} {percent:>3}%  {elapsed} elapsed, {eta} left")
            .expect("the template is a constant")
            .progress_chars("━╸ ");
        let bar = ProgressBar::with_draw_target(Some(total), target).with_style(style).with_message(what.to_owned());
        if !quiet {
            keep_moving(&bar, what);
        }
        Self { bar, watch: None }
    }

    /// A bar over the bytes of `file`, with their rate; `have` bytes are already here; `total` is `None` if unknown. Hidden when not on a
    /// terminal.
    #[must_use]
    pub fn of_bytes(file: &str, have: u64, total: Option<u64>) -> Self {
        if let Some(watch) = watch() {
            watch.begins(file, total.unwrap_or(0));
            watch.advances(have);
            return Self { bar: ProgressBar::hidden(), watch: Some(watch) };
        }
        let template = match total {
            Some(_) => "{msg} {bar:32} {bytes} of {total_bytes}, {binary_bytes_per_sec}, {eta} left",
            None => "{msg} {spinner} {bytes}, {binary_bytes_per_sec}",
        };
        let style = ProgressStyle::with_template(template).expect("the template is a constant").progress_chars("━╸ ");
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr_with_hz(8)).with_style(style);
        let bar = bar.with_message(file.to_owned());
        bar.set_position(have);
        bar.reset_eta();
        Self { bar, watch: None }
    }

    /// Does `work`, which prints, while the bar is not on the terminal.
    pub fn suspend<T>(&self, work: impl FnOnce() -> T) -> T {
        self.bar.suspend(work)
    }

    /// A bar that is never shown.
    #[must_use]
    pub fn hidden() -> Self {
        Self { bar: ProgressBar::hidden(), watch: None }
    }

    /// Adds `units` of work done.
    pub fn advance(&self, units: u64) {
        self.bar.inc(units);
        if let Some(watch) = &self.watch {
            watch.advances(units);
        }
    }

    /// Starts with `units` already done, which do not count towards the speed.
    pub fn start_at(&self, units: u64) {
        self.bar.set_position(units);
        self.bar.reset_eta();
        if let Some(watch) = &self.watch {
            watch.advances(units);
        }
    }

    /// Skips `units` that were done before, which do not count towards the speed.
    pub fn skip(&self, units: u64) {
        self.bar.inc(units);
        self.bar.reset_eta();
        if let Some(watch) = &self.watch {
            watch.advances(units);
        }
    }

    /// Adds `units` to the total.
    pub fn lengthen(&self, units: u64) {
        self.bar.inc_length(units);
        if let Some(watch) = &self.watch {
            watch.lengthens(units);
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// Counts units, and stops the work after a given number.
    struct Counter {
        total: AtomicU64,
        done: AtomicU64,
        most: u64,
    }

    impl Watch for Counter {
        fn begins(&self, work: &str, total: u64) {
            assert_eq!(work, "working");
            self.total.store(total, Ordering::Relaxed);
        }

        fn advances(&self, units: u64) {
            if self.done.fetch_add(units, Ordering::Relaxed) + units > self.most {
                resume_unwind(Box::new("stopped"));
            }
        }

        fn lengthens(&self, units: u64) {
            self.total.fetch_add(units, Ordering::Relaxed);
        }
    }

    #[test]
    fn long_times_are_days_or_years() {
        let texts = [1, 36, 999, 1_000, 3_650_000].map(|days| span(LONG_TIME * days));
        assert_eq!(texts, ["1 day", "36 days", "999 days", "2 years", "10,000 years"]);
    }

    #[test]
    fn a_watch_hears_of_the_work_of_its_thread_and_can_stop_it() {
        let counter = Arc::new(Counter { total: 0.into(), done: 0.into(), most: 6 });
        let work = || {
            let progress = Progress::new("working", 8, true);
            progress.start_at(1);
            progress.lengthen(2);
            // On other threads too.
            std::thread::scope(|scope| scope.spawn(|| progress.advance(5)).join().expect("not stopped yet"));
            progress.advance(1);
        };
        let stopped = catch_unwind(AssertUnwindSafe(|| watched(counter.clone(), work))).expect_err("stopped");
        assert_eq!(stopped.downcast_ref(), Some(&"stopped"));
        assert_eq!((counter.total.load(Ordering::Relaxed), counter.done.load(Ordering::Relaxed)), (10, 7));
        // No longer watched.
        work();
        assert_eq!(counter.done.load(Ordering::Relaxed), 7);
    }
}
