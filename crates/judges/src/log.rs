//! A session from the lines of its log.

use std::collections::BTreeMap;

use crate::event::{LineError, LogPosition, from_line};
use crate::{Config, Session};

/// The content of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayedLog {
    /// The number of events.
    pub events: u64,
    /// The length of their lines in bytes: where the next line belongs.
    pub bytes: usize,
    /// The length of a last line without its line feed, which was passed over: cut it off before the next line is
    /// appended.
    pub torn: usize,
}

/// Why a log is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct LogError {
    /// The line, from 1.
    pub line: u64,
    /// The fault, and its remedy.
    pub message: String,
}

impl Session {
    /// How every log begins.
    pub const BEGINNING: &str = r#"{"n":1,"#;

    /// Whether a file is a log, by its first line. [`replay`](Self::replay) checks whether it can be read.
    #[must_use]
    pub fn is_log(bytes: &[u8]) -> bool {
        let first_line = bytes.split(|byte| *byte == b'\n').next().and_then(|line| std::str::from_utf8(line).ok());
        first_line.is_some_and(|line| line.starts_with(Self::BEGINNING) && line.contains(r#""event":"created""#))
    }

    /// The session of a log. A last line without its line feed is passed over.
    ///
    /// # Errors
    /// If the log has no whole line, or one that does not belong there: edited, removed, repeated, or of something else.
    pub fn replay(log: &[u8]) -> Result<(Self, ReplayedLog), LogError> {
        let bytes = log.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let mut session: Option<Self> = None;
        for (number, line) in (1..).zip(log[..bytes].split_inclusive(|byte| *byte == b'\n')) {
            let refused = |message: String| LogError { line: number, message };
            let text = std::str::from_utf8(&line[..line.len() - 1]);
            let text =
                text.map_err(|_| refused("it is not UTF-8; use a copy of the file that was not damaged".into()))?;
            session = Some(match session {
                None => {
                    let (config, names) = (Config::of([""; 0]), BTreeMap::new());
                    let log = LogPosition { config: &config, names: &names, number: 1, ticket: 1, sum: 0 };
                    let (event, sum) = from_line(text, log).map_err(|error| refused(message_of(&error, number)))?;
                    Self::begin(event, sum).map_err(|error| refused(error.to_string()))?
                }
                Some(mut session) => {
                    let (event, sum) =
                        from_line(text, session.log_position()).map_err(|error| refused(message_of(&error, number)))?;
                    session.fold(event, sum).map_err(|error| refused(error.to_string()))?;
                    session
                }
            });
        }
        let torn = log.len() - bytes;
        let Some(session) = session else {
            return Err(LogError { line: 1, message: "there is no whole line; begin again with another file".into() });
        };
        let events = session.log_position().number - 1;
        Ok((session, ReplayedLog { events, bytes, torn }))
    }
}

/// What is wrong with a line.
fn message_of(error: &LineError, line: u64) -> String {
    match error {
        LineError::NotAnEvent(_) if line == 1 => {
            "expected the event `created` of a log of judgements; this is another file, or its beginning is missing"
                .into()
        }
        LineError::NotAnEvent(what) => {
            format!("not an event of this log ({what}); use a copy of the file that was not edited")
        }
        LineError::Number { expected, found } if found > expected => {
            format!("expected event {expected}, found {found}: lines are missing before it; use a copy that is whole")
        }
        LineError::Number { expected, found } => {
            format!(
                "expected event {expected}, found {found} again: a line is repeated; use a copy that was not edited"
            )
        }
        LineError::NoVersion => {
            "it has no version `v`: a program from before the first release wrote it; begin a new session".into()
        }
        LineError::Unknown { event, version } => {
            format!(
                "event `{event}` of version {version}, which this program does not know; use the program that wrote it, or a newer one"
            )
        }
        LineError::Edited => {
            "its checksum is wrong: this line was edited, or one before it; use a copy of the file that was not edited"
                .into()
        }
    }
}
