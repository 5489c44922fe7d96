//! A session in a file, which other programs may append to whenever it is not locked.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use judges::{Config, Session};
use output::messages::note;

use crate::journal::{self, Journal};

/// The time that a call waits for others that use the file.
const PATIENCE: Duration = Duration::from_secs(20);

/// A session and its file. It is locked from [`open`](Self::open) or [`lock`](Self::lock) until [`unlock`](Self::unlock).
#[derive(Debug)]
pub struct SessionFile {
    path: PathBuf,
    journal: Option<Journal>,
    /// The session. What changes it is on the disk once [`save`](Self::save) returns.
    pub session: Session,
    /// Where its whole lines end; `None` once memory and file may differ.
    end: Option<u64>,
    torn: usize,
}

/// The state in which a file was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmptyFile {
    /// There is none, or it is empty.
    Missing,
    /// It was cut off within its first line, when it was created.
    CutOff,
}

impl SessionFile {
    /// Reads the session at `path`, or begins one if there is none. Without `writes`, a folder without room or permission for a lock can
    /// still be looked at.
    ///
    /// # Errors
    /// If the file is in use for 20 seconds, cannot be read, or is not a log of a session; and errors of `begin`.
    pub fn open(path: &Path, writes: bool, begin: impl FnOnce(EmptyFile) -> Result<Session>) -> Result<Self> {
        let journal = match Journal::lock(path, PATIENCE) {
            Ok(journal) => Some(journal),
            Err(error) if writes => return Err(error),
            Err(_) => None,
        };
        let bytes = match &journal {
            Some(journal) => journal.read()?,
            None => journal::read(path)?,
        };
        let bytes = bytes.unwrap_or_default();
        let path = path.to_path_buf();
        Ok(match empty_file(&bytes) {
            Some(empty_file) => Self { path, journal, session: begin(empty_file)?, end: Some(0), torn: 0 },
            None => {
                let (session, replayed) = Session::replay(&bytes).with_context(|| path.display().to_string())?;
                Self { path, journal, session, end: Some(replayed.bytes as u64), torn: replayed.torn }
            }
        })
    }

    /// The length of a last line that was cut off while it was written, and is dropped.
    #[must_use]
    pub fn torn(&self) -> usize {
        self.torn
    }

    /// Locks the file again, and reads the lines that others appended since.
    ///
    /// # Errors
    /// As for [`open`](Self::open), and if the file is gone.
    pub fn lock(&mut self) -> Result<()> {
        if self.journal.is_none() {
            self.journal = Some(Journal::lock(&self.path, PATIENCE)?);
        }
        let length = std::fs::metadata(&self.path).map(|metadata| metadata.len());
        if length.ok() != self.end {
            let bytes = journal::read(&self.path)?.unwrap_or_default();
            let (session, replayed) = Session::replay(&bytes).with_context(|| self.path.display().to_string())?;
            (self.session, self.end) = (session, Some(replayed.bytes as u64));
        }
        Ok(())
    }

    /// Lets others use the file.
    pub fn unlock(&mut self) {
        self.journal = None;
    }

    /// Writes new events, and returns when they are on the disk. A new session is announced on standard error.
    ///
    /// # Errors
    /// If it cannot be written: the file is as before, and is read again by the next [`lock`](Self::lock).
    pub fn save(&mut self) -> Result<()> {
        let lines = self.session.take_lines();
        let (Some(journal), Some(end)) = (self.journal.as_ref().filter(|_| !lines.is_empty()), self.end) else {
            return Ok(());
        };
        self.end = None;
        journal.append(end, lines.as_bytes())?;
        self.end = Some(end + lines.len() as u64);
        if end == 0 {
            // This shows a header among the names, or a name that was cut in two, before any judgement.
            note(false, &format!("the session begins: {}", session_summary(self.session.config())));
        }
        Ok(())
    }
}

/// The number of competitors and items, and the first and last of them.
fn session_summary(config: &Config) -> String {
    let first_and_last = |all: &[String], noun: &str| {
        let shortened = |text: &String| match text.char_indices().nth(40) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.clone(),
        };
        let listing = match all {
            [first, .., last] => format!(" ({} to {})", shortened(first), shortened(last)),
            [one] => format!(" ({})", shortened(one)),
            [] => String::new(),
        };
        format!("{} {noun}{}{listing}", all.len(), if all.len() == 1 { "" } else { "s" })
    };
    let competitors = first_and_last(&config.names, "competitor");
    if config.items.is_empty() {
        competitors
    } else {
        format!("{competitors}, {}", first_and_last(&config.items, "item"))
    }
}

/// Whether a session never began.
fn empty_file(bytes: &[u8]) -> Option<EmptyFile> {
    // A file that ends within its first line was cut off when it was created.
    let beginning = Session::BEGINNING.as_bytes();
    let common = bytes.len().min(beginning.len());
    let is_cut = !bytes.contains(&b'\n') && bytes[..common] == beginning[..common];
    is_cut.then_some(if bytes.is_empty() { EmptyFile::Missing } else { EmptyFile::CutOff })
}

#[cfg(test)]
mod tests {
    use judges::Answer;

    use super::*;

    #[test]
    fn what_others_append_is_seen_after_the_next_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        let begin = |_| Ok(Session::new(Config::of(["a", "b", "c"]))?);
        let mut one = SessionFile::open(&path, true, begin).unwrap();
        let pair = one.session.ask(None).unwrap();
        one.save().unwrap();
        one.unlock();
        let mut other = SessionFile::open(&path, true, |_| panic!("it is there")).unwrap();
        other.session.tell(pair.ticket, Answer::Tie, None).unwrap();
        other.save().unwrap();
        other.unlock();
        one.lock().unwrap();
        assert_eq!(one.session.counts().answered, 1);
        // An unsaved question is forgotten, as the file does not have it.
        one.session.ask(None).unwrap();
        one.session.take_lines();
        one.end = None;
        one.lock().unwrap();
        assert_eq!(one.session.counts().asked, 1);
        one.unlock();
        std::fs::remove_file(&path).unwrap();
        assert!(one.lock().is_err());
    }
}
