//! Progress of long work: a bar with an estimate on a terminal, nothing in a pipe.

use std::io::Write;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Writes a line about long work that begins to standard error, also in a pipe.
pub fn announce(what: &str) {
    // There is nowhere to report an error to.
    let _ = writeln!(std::io::stderr().lock(), "{what}");
}

/// A bar that may be invisible; advancing it is cheap enough for inner loops of a few microseconds.
#[derive(Debug, Clone)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar over `total` units of work, labelled `what`; hidden when `quiet` or not on a terminal.
    #[must_use]
    pub fn new(what: &str, total: u64, quiet: bool) -> Self {
        // indicatif itself hides a bar whose stream is not a terminal.
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(8) };
        let style = ProgressStyle::with_template("{msg:28} {bar:32} {percent:>3}%  {elapsed} elapsed, {eta} left")
            .expect("the template is a constant")
            .progress_chars("━╸ ");
        let bar = ProgressBar::with_draw_target(Some(total), target).with_style(style).with_message(what.to_owned());
        bar.enable_steady_tick(Duration::from_millis(250));
        Self { bar }
    }

    /// A bar that is never shown.
    #[must_use]
    pub fn hidden() -> Self {
        Self { bar: ProgressBar::hidden() }
    }

    /// Adds `units` of work done.
    pub fn advance(&self, units: u64) {
        self.bar.inc(units);
    }

    /// Starts with `units` already done, which do not count towards the speed.
    pub fn start_at(&self, units: u64) {
        self.bar.set_position(units);
        self.bar.reset_eta();
    }

    /// Skips `units` that were done before, which do not count towards the speed.
    pub fn skip(&self, units: u64) {
        self.bar.inc(units);
        self.bar.reset_eta();
    }

    /// Adds `units` to the total.
    pub fn lengthen(&self, units: u64) {
        self.bar.inc_length(units);
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
