//! Sessions of judges: the next pair, and the answers.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use judges::{Config, Pair, SessionError, Ticket, verdict_from_word};
use judging::journal::{self, Journal};
use pyo3::prelude::*;

use crate::call::{exception, value_error};
use crate::frame::Columns;

/// The time that a save waits for others that use the file.
const PATIENCE: Duration = Duration::from_secs(20);

/// A pair: ticket, first and second competitor, item (places in the settings), judge.
type Question = (String, u32, u32, Option<u32>, Option<String>);

struct SessionInner {
    live: judges::Session,
    /// The lines of all events but the latest.
    log: String,
}

/// A session: chooses pairs, takes verdicts.
#[pyclass(frozen, module = "rankduel._core")]
pub(crate) struct Session {
    inner: Mutex<SessionInner>,
}

fn question(pair: Pair) -> Question {
    (pair.ticket.to_string(), pair.first, pair.second, pair.item, pair.judge)
}

fn ticket(text: &str) -> PyResult<Ticket> {
    text.parse().map_err(|error: SessionError| value_error(error))
}

impl Session {
    fn inner(&self) -> MutexGuard<'_, SessionInner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn new(live: judges::Session, log: String) -> Self {
        Self { inner: Mutex::new(SessionInner { live, log }) }
    }
}

impl SessionInner {
    /// The lines of all events.
    fn lines(&mut self) -> &str {
        self.log += &self.live.take_lines();
        &self.log
    }

    /// Appends the lines that the file at `path` lacks. A file that is not a beginning of this session is left alone.
    fn save(&mut self, path: &Path) -> PyResult<()> {
        self.lines();
        let journal = Journal::lock(path, PATIENCE).map_err(|error| exception(&error))?;
        let there = journal.read().map_err(|error| exception(&error))?.unwrap_or_default();
        let whole = there.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        // An incomplete last line was never read; but it must be the beginning of one of these.
        if !self.log.as_bytes().starts_with(&there[..whole]) || whole == 0 && !self.log.as_bytes().starts_with(&there) {
            let path = path.display();
            return Err(value_error(format!(
                "{path} holds something else, or events that this session does not have; load it, or save to another file"
            )));
        }
        if whole == self.log.len() {
            return Ok(());
        }
        let rest = &self.log.as_bytes()[whole..];
        journal.append(whole as u64, rest).map_err(|error| exception(&error))
    }
}

#[pymethods]
impl Session {
    /// The board of all answers so far.
    fn board(
        &self,
        py: Python<'_>,
        asked: crate::board::BoardCall,
        threads: Option<usize>,
    ) -> PyResult<crate::board::Board> {
        let lines = self.inner().lines().as_bytes().to_vec();
        crate::board::Board::of_session(py, lines, asked, threads)
    }

    /// Begins a session with these settings, as JSON.
    #[new]
    fn begin(config: &str) -> PyResult<Self> {
        let config: Config = serde_json::from_str(config).map_err(value_error)?;
        Ok(Self::new(judges::Session::new(config).map_err(value_error)?, String::new()))
    }

    /// The session in a file, and the length of a last line that was cut off.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<(Self, usize)> {
        let bytes = journal::read(&path).map_err(|error| exception(&error))?;
        let missing =
            || std::io::Error::new(std::io::ErrorKind::NotFound, format!("there is no file {}", path.display()));
        let bytes = bytes.ok_or_else(missing)?;
        let (live, read) =
            judges::Session::replay(&bytes).map_err(|error| value_error(format!("{}: {error}", path.display())))?;
        // Replayed, so it is text.
        let log = String::from_utf8_lossy(&bytes[..read.bytes]).into_owned();
        Ok((Self::new(live, log), read.torn))
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.inner().save(&path))
    }

    /// The settings, as JSON.
    fn config(&self) -> PyResult<String> {
        serde_json::to_string(self.inner().live.config()).map_err(value_error)
    }

    fn ask(&self, judge: Option<&str>) -> PyResult<Question> {
        self.inner().live.ask(judge).map(question).map_err(value_error)
    }

    fn ask_many(&self, count: usize, judge: Option<&str>) -> PyResult<Vec<Question>> {
        let pairs = self.inner().live.ask_many(count, judge).map_err(value_error)?;
        Ok(pairs.into_iter().map(question).collect())
    }

    fn tell(&self, ticket: &str, verdict: &str, judge: Option<&str>, note: Option<&str>) -> PyResult<()> {
        let verdict = verdict_from_word(verdict).ok_or_else(|| {
            value_error(format!("expected the verdict first, second, tie or both bad, found {verdict:?}"))
        })?;
        self.inner().live.tell_with_note(self::ticket(ticket)?, verdict, judge, note).map_err(value_error)
    }

    fn forget(&self, ticket: &str) -> PyResult<()> {
        self.inner().live.forget(self::ticket(ticket)?).map_err(value_error)
    }

    fn take_back(&self, ticket: &str, judge: Option<&str>) -> PyResult<()> {
        self.inner().live.take_back(self::ticket(ticket)?, judge).map_err(value_error)
    }

    fn undo(&self, judge: Option<&str>) -> PyResult<Option<String>> {
        Ok(self.inner().live.undo(judge).map_err(value_error)?.map(|ticket| ticket.to_string()))
    }

    /// The pairs that are open.
    fn open(&self) -> Vec<Question> {
        self.inner().live.open().cloned().map(question).collect()
    }

    /// All judgements: first, second, winner, item, judge, ticket, and note if there are any.
    fn judgements(&self) -> PyResult<Columns> {
        let (header, rows) = judging::answers::table(&self.inner().live);
        let mut table = csv::Writer::from_writer(Vec::new());
        table.write_record(header).map_err(value_error)?;
        for row in rows {
            table.write_record(row).map_err(value_error)?;
        }
        Columns::of_texts(table.into_inner().map_err(value_error)?)
    }

    /// The place of the competitor that leads.
    fn recommend(&self) -> Option<u32> {
        self.inner().live.recommend()
    }

    /// The places of all competitors from the strongest down, with strength and standard deviation.
    fn ranking(&self) -> Vec<(u32, f64, f64)> {
        let standings = self.inner().live.ranking();
        standings.iter().map(|standing| (standing.competitor, standing.strength, standing.deviation)).collect()
    }

    /// The competitor that is known to be the best, or no worse than any other by more than the tolerance, at all looks together.
    fn best(&self, py: Python<'_>, confidence: f64) -> PyResult<Option<String>> {
        use board::Conclusion::{Best, WithinTolerance};
        let settings =
            board::Settings { level: confidence, advice: false, checks: false, ..board::Settings::default() };
        py.detach(|| {
            let inner = self.inner();
            if inner.live.evidence().judgements.is_empty() {
                return Ok(None);
            }
            match inner.live.board(&settings).map_err(value_error)?.conclusion {
                Best(leader) | WithinTolerance(leader) => Ok(Some(leader.name)),
                _ => Ok(None),
            }
        })
    }

    fn status(&self) -> String {
        self.inner().live.status()
    }

    /// The counts by name.
    fn counts(&self) -> Vec<(&'static str, u64)> {
        let counts = self.inner().live.counts();
        vec![
            ("asked", counts.asked),
            ("answered", counts.answered),
            ("forgotten", counts.forgotten),
            ("open", counts.open),
            ("ties", counts.ties),
            ("both_bad", counts.both_bad),
            ("pairs", counts.pairs),
            ("repeats", counts.repeats),
            ("repeats_agreed", counts.repeats_agreed),
            ("both", counts.both),
            ("both_disagreed", counts.both_disagreed),
        ]
    }
}
