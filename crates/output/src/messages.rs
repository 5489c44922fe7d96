//! Lines for the user on standard error, at three levels: the fate of files ([`info`]), notes to read before results ([`note`]), and
//! possible faults ([`warn`]). Results never come here.

use std::fmt;
use std::io::Write as _;

use ranktypes::text::harmless;

use crate::progress;

/// Reports the fate of files and folders, unless `quiet`.
pub fn info(quiet: bool, text: &str) {
    if !quiet {
        line(format_args!("{text}"));
    }
}

/// Shows what users should know of data or settings before they read results: to the [watcher](progress::watched) of the work, or else as a
/// line on standard error, unless `quiet`.
pub fn note(quiet: bool, text: &str) {
    at_level(quiet, "note", text);
}

/// Shows all `notes`.
pub fn notes(quiet: bool, notes: impl IntoIterator<Item = String>) {
    notes.into_iter().for_each(|text| note(quiet, &text));
}

/// The same for possible faults: something was mended, no theory covers a parameter, a setting has no effect.
pub fn warn(quiet: bool, text: &str) {
    at_level(quiet, "warning", text);
}

fn at_level(quiet: bool, level: &str, text: &str) {
    if !progress::send_note(&harmless(text)) && !quiet {
        line(format_args!("{level}: {text}"));
    }
}

/// Writes a line to standard error. There is nowhere to report that it is closed.
pub fn line(text: fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr().lock(), "{}", harmless(&text.to_string()));
}
