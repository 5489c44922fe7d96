//! The benchmark from outside: results, entries of other languages, cheating entries, and the votes that it ships.

#![expect(clippy::print_stderr, reason = "tests that are skipped say so")]

mod common;
mod entries;
mod published;
mod results;
mod votes;
