//! `println!` and `eprintln!` for commands.
//!
//! The macros of the standard library panic if the reader has closed the pipe (`sim algorithms | head -1`) or the
//! disk is full. Here `println!` unwinds to [`super::main`], so that destructors run, and `eprintln!` ignores the
//! error: there is nowhere left to report it.

use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::panic::resume_unwind;

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
        err(format_args!("error: failed to write to standard output: {error}; free some space or write elsewhere"));
        1
    }
}

/// Writes a line to standard output.
pub(super) fn out(text: fmt::Arguments<'_>) {
    let written = writeln!(io::stdout().lock(), "{text}");
    if let Err(error) = written {
        // Unwinds without a panic message: this is not a bug.
        resume_unwind(Box::new(NotPrinted(error)));
    }
}

/// Writes a line to standard error.
pub(super) fn err(text: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

macro_rules! println {
    ($($text:tt)+) => { $crate::cli::print::out(format_args!($($text)+)) };
}

macro_rules! eprintln {
    ($($text:tt)+) => { $crate::cli::print::err(format_args!($($text)+)) };
}

pub(super) use {eprintln, println};
