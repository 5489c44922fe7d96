//! `-v` and `RANKDUEL_LOG`: what long work does and why, as lines on standard error, without times. Results do not contain
//! them.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write};

use anyhow::Result;
use clap::{Arg, ArgAction};
use letor_io::environment::LOG;
use output::usage::usage;
use tracing::level_filters::LevelFilter;

/// The flag, for help. It is [taken] before arguments are parsed, so that it may stand anywhere and is not kept with them.
pub(super) fn flag() -> Arg {
    let help = "Print what is done and why to standard error; -vv in detail. RANKDUEL_LOG=info does the same";
    Arg::new("verbosity")
        .short('v')
        .action(ArgAction::Count)
        .global(true)
        .help(help)
        .help_heading(None)
        .hide_short_help(true)
}

/// Removes `-v`, `-vv` and so on from `arguments`; returns the number of `v`. Words after `--` are another command's.
pub(super) fn take_verbosity(arguments: &mut Vec<OsString>) -> usize {
    let (mut count, mut before_separator) = (0, true);
    arguments.retain(|word| {
        before_separator &= word != "--";
        let letters = word.to_str().and_then(|word| word.strip_prefix('-')).unwrap_or_default();
        let is_flag = before_separator && !letters.is_empty() && letters.bytes().all(|letter| letter == b'v');
        count += if is_flag { letters.len() } else { 0 };
        !is_flag
    });
    count
}

/// Begins to log at the level of `verbosity` (the number of `-v`), or else of `RANKDUEL_LOG`. The first call of a process counts.
///
/// # Errors
/// For wrong usage, if the variable is not a level.
pub(super) fn start(verbosity: usize) -> Result<()> {
    let level = match verbosity {
        0 => level_of_variable()?,
        1 => LevelFilter::INFO,
        2 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    if level == LevelFilter::OFF {
        return Ok(());
    }
    let lines = tracing_subscriber::fmt().with_max_level(level).with_writer(|| Lines).with_ansi(false).without_time();
    let _ = tracing::subscriber::set_global_default(lines.log_internal_errors(false).finish());
    Ok(())
}

fn level_of_variable() -> Result<LevelFilter> {
    let Some(value) = LOG.value() else { return Ok(LevelFilter::OFF) };
    let level = value.to_str().and_then(|text| text.trim().parse().ok());
    level.ok_or_else(|| usage(format!("{} is {value:?}: expected off, error, warn, info, debug or trace", LOG.name())))
}

/// Standard error, a line at a time.
struct Lines;

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut out = io::stderr().lock();
        // A progress bar may be on the line. There is nowhere to report that standard error is closed.
        if out.is_terminal() {
            let _ = out.write_all(b"\r\x1b[2K");
        }
        let _ = out.write_all(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_may_stand_anywhere_before_another_command() {
        for (words, count, left) in [
            ("sim", 0, "sim"),
            ("sim -v bandit --runs 3", 1, "sim bandit --runs 3"),
            ("sim bandit -vv --runs 3 -v", 3, "sim bandit --runs 3"),
            ("sim submit slurm -v -- bandit -v", 1, "sim submit slurm -- bandit -v"),
            ("sim -V --v -vx - -w", 0, "sim -V --v -vx - -w"),
        ] {
            let mut arguments: Vec<OsString> = words.split(' ').map(Into::into).collect();
            assert_eq!(take_verbosity(&mut arguments), count, "{words}");
            assert_eq!(arguments, left.split(' ').map(OsString::from).collect::<Vec<_>>(), "{words}");
        }
    }
}
