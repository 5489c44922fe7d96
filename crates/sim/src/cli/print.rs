//! `println!` and `eprintln!` for commands.
//!
//! The standard ones panic where the other side has closed the pipe (`sim algorithms | head -1`) or
//! the disk is full. Here the first unwinds to [`super::main`], past everything that cleans up after
//! itself, and the second lets it be: there is nobody left to tell.

use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::panic::resume_unwind;

/// What a shell says of a program that a closed pipe has ended: 128 and the number of SIGPIPE.
const CLOSED_PIPE: u8 = 141;

/// Standard output does not take any more.
pub(super) struct NotPrinted(pub(super) io::Error);

impl NotPrinted {
    /// The exit code, with a line on standard error where somebody should know.
    pub(super) fn exit_code(&self) -> u8 {
        if self.0.kind() == ErrorKind::BrokenPipe {
            return CLOSED_PIPE;
        }
        let error = &self.0;
        err(format_args!("error: failed to write to standard output: {error}; free some space or write elsewhere"));
        1
    }
}

/// A line on standard output.
pub(super) fn out(text: fmt::Arguments<'_>) {
    let written = writeln!(io::stdout().lock(), "{text}");
    if let Err(error) = written {
        // Not a panic: nothing is wrong with the program.
        resume_unwind(Box::new(NotPrinted(error)));
    }
}

/// A line on standard error.
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
