//! `println!` and `eprintln!` for commands.
//!
//! The macros of the standard library panic if the reader has closed the pipe (`rankduel algorithms | head -1`) or the
//! disk is full. Here [`println!`](crate::println) unwinds to [`exit_code_of`](crate::exit_code_of), so that destructors run, and
//! [`eprintln!`](crate::eprintln) ignores the error: there is nowhere left to report it.

use std::cell::RefCell;
use std::fmt::{self, Write as _};
use std::io::{self, ErrorKind, IsTerminal, Write as _};
use std::panic::resume_unwind;

pub use output::messages::line;
use ranktypes::text::harmless;

/// The exit code that shells report for a program ended by a closed pipe: 128 plus the number of SIGPIPE.
const CLOSED_PIPE: u8 = 141;

/// Standard output cannot be written to.
#[derive(Debug)]
pub struct NotPrinted(pub io::Error);

impl NotPrinted {
    /// The exit code; prints the error unless a closed pipe is the cause.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        if self.0.kind() == ErrorKind::BrokenPipe {
            return CLOSED_PIPE;
        }
        let error = &self.0;
        line(format_args!("error: failed to write to standard output: {error}; free some space or write elsewhere"));
        1
    }
}

thread_local! {
    /// Takes the lines instead of standard output.
    static CAPTURED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Does `work`; returns its result and the lines that this thread would print meanwhile.
pub fn captured<T>(work: impl FnOnce() -> T) -> (T, String) {
    struct PreviousCapture(Option<String>);
    impl Drop for PreviousCapture {
        fn drop(&mut self) {
            CAPTURED.set(self.0.take());
        }
    }
    // Put back even if the work unwinds.
    let _before = PreviousCapture(CAPTURED.replace(Some(String::new())));
    let result = work();
    (result, CAPTURED.take().unwrap_or_default())
}

/// Whether this thread's lines are captured.
#[must_use]
pub fn is_captured() -> bool {
    CAPTURED.with_borrow(Option::is_some)
}

/// Writes a line to standard output.
pub fn write_line(text: fmt::Arguments<'_>) {
    let is_captured = CAPTURED.with_borrow_mut(|captured| {
        let Some(captured) = captured else { return false };
        // Writing into a string cannot fail.
        let _ = writeln!(captured, "{}", harmless(&text.to_string()));
        true
    });
    if is_captured {
        return;
    }
    let mut stdout = io::stdout().lock();
    let result = writeln!(stdout, "{}", harmless(&text.to_string())).and_then(|()| stdout.flush());
    if let Err(error) = result {
        // Unwinds without a panic message: this is not a bug.
        resume_unwind(Box::new(NotPrinted(error)));
    }
}

/// Writes lines to standard output; the last of them may end with a line feed.
pub fn text(text: &str) {
    write_line(format_args!("{}", text.strip_suffix('\n').unwrap_or(text)));
}

/// Writes the line of an error to standard error, coloured on a terminal unless `NO_COLOR` is set.
pub fn failure(message: &str) {
    let coloured = io::stderr().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|terminal| terminal != "dumb");
    let (start, end) = if coloured { ("\u{1b}[1;31m", "\u{1b}[0m") } else { ("", "") };
    let _ = writeln!(io::stderr().lock(), "{start}error:{end} {}", harmless(message));
}

/// Writes bytes to standard output as they are, for programs that read them.
pub fn bytes(bytes: &[u8]) {
    if let Err(error) = io::stdout().lock().write_all(bytes) {
        resume_unwind(Box::new(NotPrinted(error)));
    }
}

/// Writes a line to standard output.
#[macro_export]
macro_rules! println {
    ($($text:tt)+) => { $crate::print::write_line(format_args!($($text)+)) };
}

/// Writes a line to standard error.
#[macro_export]
macro_rules! eprintln {
    ($($text:tt)+) => { $crate::print::line(format_args!($($text)+)) };
}
