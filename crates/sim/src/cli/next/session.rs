//! The file of a session: read, checked against the flags, written.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use judges::Config;
use letor_io::NameList;
use output::explained;
use output::input;
use output::tell::note;
use output::usage::usage;

use super::{Next, Settings};
use crate::journal::{self, Journal};

/// How long a call waits for others that use the file.
const PATIENCE: Duration = Duration::from_secs(20);

/// Names and items in files are no larger than this together.
const MOST: u64 = 1 << 28;

/// A session, locked; without a lock, it cannot be saved.
pub(super) struct Session {
    journal: Option<Journal>,
    pub(super) live: judges::Session,
    /// Where its whole lines end.
    end: u64,
}

impl Session {
    /// Reads the session, or begins it if there is none.
    pub(super) fn open(next: &Next) -> Result<Self> {
        let path = next.state.as_path();
        // A folder without room or permission for a lock can still be looked at.
        let journal = match Journal::lock(path, PATIENCE) {
            Ok(journal) => Some(journal),
            Err(error) if next.writes() => return Err(error),
            Err(_) => None,
        };
        let bytes = match &journal {
            Some(journal) => journal.read()?,
            None => journal::read(path)?,
        };
        let bytes = bytes.unwrap_or_default();
        if let Some(cut) = unfinished(&bytes) {
            if !next.asks() || next.settings.competitors()?.is_none() {
                let missing = usage(format_args!(
                    "there is no session in {}: begin one with --competitors NAME,NAME,... or --competitors-from FILE",
                    path.display()
                ));
                return Err(missing);
            }
            if cut {
                note(false, &format!("{} was cut off when it was created: it begins again", path.display()));
            }
            let live = judges::Session::new(next.settings.config()?).map_err(|error| usage(flagged(&error)))?;
            return Ok(Self { journal, live, end: 0 });
        }
        let (live, read) = judges::Session::replay(&bytes).with_context(|| path.display().to_string())?;
        if read.torn > 0 {
            let what = "its last line was cut off while it was written, and is dropped; nobody knows of it";
            note(false, &format!("{}: {what}", path.display()));
        }
        next.settings.agree_with(live.config(), path)?;
        Ok(Self { journal, live, end: read.bytes as u64 })
    }

    /// Writes what is new, and returns when it is on the disk.
    pub(super) fn save(&mut self) -> Result<()> {
        let lines = self.live.take_lines();
        if let Some(journal) = self.journal.as_ref().filter(|_| !lines.is_empty()) {
            journal.append(self.end, lines.as_bytes())?;
            if self.end == 0 {
                // A header among the names, or a name that was cut in two, is seen here before anybody judges it.
                note(false, &format!("the session begins: {}", of_what(self.live.config())));
            }
            self.end += lines.len() as u64;
        }
        Ok(())
    }
}

/// Whether a session never began: `Some(false)` if there is nothing, `Some(true)` if its first line was cut off.
fn unfinished(bytes: &[u8]) -> Option<bool> {
    // A file that ends within its first line was cut off when it was created.
    let beginning = judges::Session::BEGINNING.as_bytes();
    let common = bytes.len().min(beginning.len());
    let is_cut = !bytes.contains(&b'\n') && bytes[..common] == beginning[..common];
    is_cut.then_some(!bytes.is_empty())
}

/// The message of a wrong setting, with the flag that gives it.
fn flagged(error: &judges::SessionError) -> String {
    match error {
        judges::SessionError::Config(wrong) => {
            let flag = if wrong.field == "names" { "competitors" } else { wrong.field };
            format!("--{flag}: {}", wrong.message)
        }
        other => other.to_string(),
    }
}

/// How many competitors and items there are, and which are the first and the last.
fn of_what(config: &Config) -> String {
    let ends = |all: &[String], noun: &str| {
        let short = |text: &String| match text.char_indices().nth(40) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.clone(),
        };
        let shown = match all {
            [first, .., last] => format!(" ({} to {})", short(first), short(last)),
            [one] => format!(" ({})", short(one)),
            [] => String::new(),
        };
        format!("{} {noun}{}{shown}", all.len(), if all.len() == 1 { "" } else { "s" })
    };
    let competitors = ends(&config.names, "competitor");
    if config.items.is_empty() { competitors } else { format!("{competitors}, {}", ends(&config.items, "item")) }
}

/// Why the lines of a spreadsheet's file are not one name each, with the number of the line: quoted cells, or several columns.
fn not_plain(path: &Path, lines: &[String]) -> Option<(usize, String)> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    if ending != "csv" && ending != "tsv" {
        return None;
    }
    if let Some(place) = lines.iter().position(|line| line.starts_with('"')) {
        return Some((place, "a quoted cell".to_owned()));
    }
    let columns = |separator: char| {
        let count = |line: &String| line.matches(separator).count();
        let most = lines.first().map(count).filter(|most| *most > 0)?;
        lines.iter().all(|line| count(line) == most).then(|| (0, format!("{} columns", most + 1)))
    };
    ['\t', ';', ','].into_iter().find_map(columns)
}

/// The lines of a file.
fn lines_of(path: &Path) -> Result<Vec<String>> {
    let text = input::read_text(path, MOST).map_err(|error| explained(error, "read", path))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if let Some(empty) = lines.iter().position(|line| line.trim().is_empty()) {
        bail!(usage(format_args!("{}, line {}: it is empty; remove it", path.display(), empty + 1)));
    }
    if let Some((place, found)) = not_plain(path, &lines) {
        bail!(usage(format_args!(
            "{}, line {}: found {found}, expected one name per line; copy the column of names into a text file",
            path.display(),
            place + 1
        )));
    }
    Ok(lines)
}

impl Settings {
    fn competitors(&self) -> Result<Option<Vec<String>>> {
        match (self.competitors.as_slice(), &self.competitors_from) {
            ([], Some(path)) => lines_of(path).map(Some),
            ([], None) => Ok(None),
            (lists, _) => Ok(Some(NameList::all(lists))),
        }
    }

    /// The settings of a new session.
    fn config(&self) -> Result<Config> {
        let names = self.competitors()?.unwrap_or_default();
        let usual = Config::of(names);
        Ok(Config {
            items: self.items.as_deref().map(lines_of).transpose()?.unwrap_or_default(),
            goal: self.goal.unwrap_or_default(),
            policy: self.policy.clone().unwrap_or_else(|| usual.policy.clone()),
            horizon: self.horizon.unwrap_or(0),
            seed: self.seed.unwrap_or(0),
            both: self.both,
            repeat: self.repeat.unwrap_or(0.0),
            tolerance: self.tolerance.unwrap_or(0.0),
            ..usual
        })
    }

    /// Refuses flags that differ from the settings of the file.
    fn agree_with(&self, config: &Config, path: &Path) -> Result<()> {
        let differs = |flag: &str, given: String, there: String| {
            Err(usage(format_args!(
                "--{flag} {given}, but {} was begun with {there}; leave the flag out, or begin another file",
                path.display()
            )))
        };
        if let Some(names) = self.competitors()?.filter(|names| *names != config.names) {
            let flag = if self.competitors.is_empty() { "competitors-from" } else { "competitors" };
            let given = match names.iter().find(|name| !config.names.contains(name)) {
                Some(other) => format!("names `{other}`"),
                None if names.len() < config.names.len() => format!("names {} of them", names.len()),
                None => "has them in another order".to_owned(),
            };
            return differs(flag, given, ranktypes::text::join_list(&config.names));
        }
        if let Some(items) = self.items.as_deref().map(lines_of).transpose()?.filter(|items| *items != config.items) {
            let place = items.iter().zip(&config.items).position(|(one, other)| one != other);
            let given = match place {
                Some(place) => format!("differs in line {}", place + 1),
                None => format!("has {} lines", items.len()),
            };
            return differs("items", given, format!("{} items", config.items.len()));
        }
        let is = |value: &dyn std::fmt::Display| format!("is {value}");
        if let Some(goal) = self.goal.filter(|goal| *goal != config.goal) {
            return differs("goal", is(&goal.name()), config.goal.name().to_owned());
        }
        if let Some(policy) = self.policy.as_deref().filter(|policy| !config.has_policy(policy)) {
            return differs("policy", is(&policy), config.policy.clone());
        }
        if let Some(horizon) = self.horizon.filter(|horizon| *horizon != config.horizon) {
            let there = if config.horizon == 0 { "none".to_owned() } else { config.horizon.to_string() };
            return differs("horizon", is(&horizon), there);
        }
        if let Some(seed) = self.seed.filter(|seed| *seed != config.seed) {
            return differs("seed", is(&seed), config.seed.to_string());
        }
        if self.both && !config.both {
            return differs("both", "is given".to_owned(), "one order for each pair".to_owned());
        }
        if let Some(repeat) = self.repeat.filter(|repeat| *repeat != config.repeat) {
            return differs("repeat", is(&repeat), config.repeat.to_string());
        }
        if let Some(tolerance) = self.tolerance.filter(|tolerance| *tolerance != config.tolerance) {
            return differs("tolerance", is(&tolerance), config.tolerance.to_string());
        }
        Ok(())
    }
}
