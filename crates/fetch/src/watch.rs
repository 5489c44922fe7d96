//! Where reports, notes and the progress of a download go.

use std::fmt;

use output::progress::Progress;

/// Receives reports, notes and progress.
pub trait Watch {
    /// A line of the report, for standard output.
    fn print(&mut self, line: &str);
    /// A message for the user, for standard error.
    fn note(&mut self, text: &str);
    /// The download of `file` starts; `have` bytes of `total` are already here.
    fn start(&mut self, file: &str, have: u64, total: Option<u64>);
    /// `bytes` more have arrived.
    fn advance(&mut self, bytes: u64);
    /// The download has ended.
    fn finish(&mut self);
}

/// Ignores everything.
impl Watch for () {
    fn print(&mut self, _line: &str) {}
    fn note(&mut self, _text: &str) {}
    fn start(&mut self, _file: &str, _have: u64, _total: Option<u64>) {}
    fn advance(&mut self, _bytes: u64) {}
    fn finish(&mut self) {}
}

/// A bar with speed and estimate on a terminal, none in a pipe; lines are printed as the program prints its own.
pub struct Bar {
    print: fn(&str),
    note: fn(&str),
    bar: Option<Progress>,
}

impl fmt::Debug for Bar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bar").field("bar", &self.bar).finish_non_exhaustive()
    }
}

impl Bar {
    /// A bar of a program that prints lines of its results with `print`, and messages with `note`.
    #[must_use]
    pub fn new(print: fn(&str), note: fn(&str)) -> Self {
        Self { print, note, bar: None }
    }
}

impl Watch for Bar {
    fn print(&mut self, line: &str) {
        (self.print)(line);
    }

    fn note(&mut self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| (self.note)(text)),
            None => (self.note)(text),
        }
    }

    fn start(&mut self, file: &str, have: u64, total: Option<u64>) {
        self.finish();
        self.bar = Some(Progress::of_bytes(file, have, total));
    }

    fn advance(&mut self, bytes: u64) {
        if let Some(bar) = &self.bar {
            bar.advance(bytes);
        }
    }

    fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish();
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.finish();
    }
}
