//! `println!` and `eprintln!` for commands.
//!
//! The macros of the standard library panic if the reader has closed the pipe (`rankduel algorithms | head -1`) or the
//! disk is full. Here `println!` unwinds to [`super::main`], so that destructors run, and `eprintln!` ignores the
//! error: there is nowhere left to report it.

use std::cell::RefCell;
use std::fmt::{self, Write as _};
use std::io::{self, ErrorKind, IsTerminal, Write as _};
use std::panic::resume_unwind;

use output::tell::{self, harmless};

/// The exit code that shells report for a program ended by a closed pipe: 128 plus the number of SIGPIPE.
const CLOSED_PIPE: u8 = 141;

/// Standard output cannot be written to.
pub(super) struct NotPrinted(pub(super) io::Error);

impl NotPrinted {
    /// The exit code; prints the error unless a closed pipe is the cause.
    pub(super) fn exit_code(&self) -> u8 {
        if self.0.kind() == ErrorKind::BrokenPipe {
            return CLOSED_PIPE;
        }
        let error = &self.0;
        tell::line(format_args!(
            "error: failed to write to standard output: {error}; free some space or write elsewhere"
        ));
        1
    }
}

thread_local! {
    /// Takes the lines instead of standard output.
    static CAPTURED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Does `work`; returns its result and the lines that this thread would print meanwhile.
pub(super) fn captured<T>(work: impl FnOnce() -> T) -> (T, String) {
    struct Before(Option<String>);
    impl Drop for Before {
        fn drop(&mut self) {
            CAPTURED.set(self.0.take());
        }
    }
    // Put back even if the work unwinds.
    let _before = Before(CAPTURED.replace(Some(String::new())));
    let result = work();
    (result, CAPTURED.take().unwrap_or_default())
}

/// Whether this thread's lines are captured.
pub(super) fn is_captured() -> bool {
    CAPTURED.with_borrow(Option::is_some)
}

/// Writes a line to standard output.
pub(super) fn out(text: fmt::Arguments<'_>) {
    let kept = CAPTURED.with_borrow_mut(|captured| {
        let Some(captured) = captured else { return false };
        // Writing into a string cannot fail.
        let _ = writeln!(captured, "{}", harmless(&text.to_string()));
        true
    });
    if kept {
        return;
    }
    let written = writeln!(io::stdout().lock(), "{}", harmless(&text.to_string()));
    if let Err(error) = written {
        // Unwinds without a panic message: this is not a bug.
        resume_unwind(Box::new(NotPrinted(error)));
    }
}

/// Writes the line of an error to standard error, coloured on a terminal unless `NO_COLOR` is set.
pub(super) fn failure(message: &str) {
    let coloured = io::stderr().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|terminal| terminal != "dumb");
    let (start, end) = if coloured { ("\u{1b}[1;31m", "\u{1b}[0m") } else { ("", "") };
    let _ = writeln!(io::stderr().lock(), "{start}error:{end} {}", harmless(message));
}

macro_rules! println {
    ($($text:tt)+) => { $crate::cli::print::out(format_args!($($text)+)) };
}

macro_rules! eprintln {
    ($($text:tt)+) => { output::tell::line(format_args!($($text)+)) };
}

pub(super) use {eprintln, println};
