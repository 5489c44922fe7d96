//! Lines for the user on standard error: notes on data and settings, remarks on files, warnings. Results never come here.

use std::borrow::Cow;
use std::fmt;
use std::io::Write as _;

use crate::progress;

/// Shows what users should know of data or settings before they read results: whoever watches the work hears it; otherwise
/// it is a line on standard error, unless `quiet`.
pub fn note(quiet: bool, text: &str) {
    if !progress::noted(&harmless(text)) && !quiet {
        line(format_args!("note: {text}"));
    }
}

/// Shows all `notes`.
pub fn notes(quiet: bool, notes: impl IntoIterator<Item = String>) {
    notes.into_iter().for_each(|text| note(quiet, &text));
}

/// The same for parameters that no theory covers, or that have no effect.
pub fn caution(quiet: bool, text: &str) {
    if !progress::noted(&harmless(text)) && !quiet {
        line(format_args!("warning: {text}"));
    }
}

/// Says what becomes of files and folders, unless `quiet`.
pub fn remark(quiet: bool, text: &str) {
    if !quiet {
        line(format_args!("{text}"));
    }
}

/// Prints a warning: a line about something that was mended.
pub fn warn(text: &str) {
    line(format_args!("warning: {text}"));
}

/// Writes a line to standard error. There is nowhere to report that it is closed.
pub fn line(text: fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr().lock(), "{}", harmless(&text.to_string()));
}

/// Text without the control characters that names of files and data may have, e.g. those that colour a terminal; line
/// feeds and tabs are our own, where names are printed within a line they are escaped before.
#[must_use]
pub fn harmless(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let plain = |c: char| if is_harmful(c) { c.escape_default().collect() } else { c.to_string() };
    Cow::Owned(text.chars().map(plain).collect())
}

fn is_harmful(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
}
