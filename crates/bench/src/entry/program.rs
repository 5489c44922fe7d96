//! Another program as a player: one process per session, a line of JSON for a line of JSON, a time limit for each.
//!
//! It gets no environment but the search path, the home folder and the language, and nothing else from here. Access to
//! anything else (files, networks) is not prevented; the page for authors explains what that means.
//!
//! A reader thread takes its lines, so that a limit can be kept. A line too many shifts all later ones, and is found
//! at the latest after the end, where one too many remains.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use output::checksum::sha256_hex_of;
use output::input;
use output::usage::usage;
use ranktypes::text::check_name;
use serde::Serialize;

use super::protocol::{OutcomeLine, StartLine, read_answer, read_move};
use super::{Answer, Arrived, EntryInfo, Foul, Move, Player, Start};
use crate::track::Track;

/// A longer line is not read.
const LONGEST_LINE: u64 = 1 << 20;
/// No program needs more seconds for a line.
const LONGEST_LIMIT: f64 = 86_400.0;
/// The environment variables that a program gets.
const ENVIRONMENT: [&str; 6] = ["PATH", "HOME", "LANG", "SYSTEMROOT", "VIRTUAL_ENV", "R_LIBS_USER"];

/// A program that enters.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    name: String,
    arguments: Vec<String>,
    limit: Duration,
}

impl Program {
    /// The program `NAME=COMMAND`, a command of words separated by spaces. `limit` is its time for each line, in seconds; for the
    /// first, ten times as long.
    ///
    /// # Errors
    /// If that is not a name and a command, or the limit is not a positive number of seconds, at most a day.
    pub fn parse(text: &str, limit: f64) -> Result<Self> {
        let expected = || usage(format!("--entry {text}: expected NAME=COMMAND, e.g. mine=\"python3 mine.py\""));
        let (name, command) = text.split_once('=').ok_or_else(expected)?;
        let (name, arguments) = (name.trim(), command.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        ensure!(!name.is_empty() && !arguments.is_empty(), expected());
        check_name(name).map_err(|fault| usage(format!("--entry {text}: the name {fault}")))?;
        ensure!(
            limit > 0.0 && limit <= LONGEST_LIMIT,
            usage(format!("--limit {limit}: expected seconds above 0, at most {LONGEST_LIMIT}"))
        );
        Ok(Self { name: name.to_owned(), arguments, limit: Duration::from_secs_f64(limit) })
    }

    /// Its description in results.
    pub(super) fn info(&self) -> Result<EntryInfo> {
        let mut sums = Vec::new();
        for path in self.arguments.iter().map(Path::new).filter(|path| path.is_file()) {
            let file = input::open(path).with_context(|| format!("failed to read {}", path.display()))?;
            sums.push(sha256_hex_of(file, drop).with_context(|| format!("failed to read {}", path.display()))?);
        }
        let checksum = (!sums.is_empty()).then(|| output::cache::sha256_hex(&sums.join(" ")));
        Ok(EntryInfo { name: self.name.clone(), kind: "program".to_owned(), what: self.arguments.join(" "), checksum })
    }

    /// Starts a session.
    pub(super) fn begin(&self, start: &Start) -> Result<Session, Foul> {
        let mut command = Command::new(&self.arguments[0]);
        command.args(&self.arguments[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        command.env_clear();
        command.envs(ENVIRONMENT.iter().filter_map(|name| Some((*name, std::env::var_os(name)?))));
        let cannot = |error: std::io::Error| {
            Foul::Broke(format!("cannot be started ({error}); the command is `{}`", self.arguments.join(" ")))
        };
        let mut child = command.spawn().map_err(cannot)?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Foul::Broke("has no standard input and output".to_owned()));
        };
        // One line ahead is enough to notice a second one.
        let (send, lines) = sync_channel(2);
        thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            loop {
                let mut line = Vec::new();
                let line_read = stdout.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
                let is_over = !matches!(line_read, Ok(1..)) || !line.ends_with(b"\n");
                let output = if line.is_empty() { ProgramOutput::End } else { ProgramOutput::Line(line) };
                if send.send(output).is_err() || is_over {
                    break;
                }
            }
        });
        let mut session = Session {
            child,
            stdin,
            lines,
            start: *start,
            limit: self.limit,
            late: start.task == Track::Late,
            is_first: true,
        };
        session.send_line(&StartLine::of(start))?;
        Ok(session)
    }
}

/// The output of a program.
enum ProgramOutput {
    Line(Vec<u8>),
    End,
}

/// A program in one session.
pub(super) struct Session {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<ProgramOutput>,
    start: Start,
    limit: Duration,
    late: bool,
    /// Whether it has not written a line yet.
    is_first: bool,
}

impl Session {
    fn send_line(&mut self, line: &impl Serialize) -> Result<(), Foul> {
        let mut text = serde_json::to_vec(line).map_err(|error| Foul::Broke(error.to_string()))?;
        text.push(b'\n');
        self.stdin.write_all(&text).and_then(|()| self.stdin.flush()).map_err(|_| self.exit_foul())
    }

    /// The line that is due.
    fn read_line(&mut self) -> Result<String, Foul> {
        // Interpreters take a while to start.
        let limit = if self.is_first { 10 * self.limit } else { self.limit };
        self.is_first = false;
        match self.lines.recv_timeout(limit) {
            Ok(ProgramOutput::Line(line)) if line.len() as u64 >= LONGEST_LINE => {
                Err(Foul::Broke(format!("wrote a line of more than {LONGEST_LINE} bytes")))
            }
            Ok(ProgramOutput::Line(line)) => String::from_utf8(line)
                .map(|line| line.trim_end().to_owned())
                .map_err(|_| Foul::Broke("wrote a line that is not UTF-8".to_owned())),
            Err(RecvTimeoutError::Timeout) => {
                Err(Foul::Broke(format!("did not answer within {} s", limit.as_secs_f64())))
            }
            Ok(ProgramOutput::End) | Err(RecvTimeoutError::Disconnected) => Err(self.exit_foul()),
        }
    }

    /// It wrote nothing more, or reads nothing more.
    fn exit_foul(&mut self) -> Foul {
        // It may be about to end.
        thread::sleep(Duration::from_millis(20));
        Foul::Broke(match self.child.try_wait() {
            Ok(Some(status)) => format!("ended before the session did ({status})"),
            _ => "closed its input or output before the session ended".to_owned(),
        })
    }

    /// Refuses a line that was not due.
    fn check_quiet(&mut self) -> Result<(), Foul> {
        match self.lines.try_recv() {
            Ok(ProgramOutput::Line(_)) => Err(two_lines()),
            _ => Ok(()),
        }
    }
}

fn two_lines() -> Foul {
    Foul::Broke("wrote two lines where one was due".to_owned())
}

impl Player for Session {
    fn choose(&mut self, step: u64, arrived: &[Arrived]) -> Result<Move, Foul> {
        if step > 1 {
            self.check_quiet()?;
            self.send_line(&OutcomeLine::of(self.late, arrived, false))?;
        }
        read_move(&self.read_line()?, self.start.arms)
    }

    fn answer(&mut self, arrived: &[Arrived]) -> Result<Answer, Foul> {
        self.check_quiet()?;
        self.send_line(&OutcomeLine::of(self.late, arrived, true))?;
        let answer = read_answer(&self.read_line()?, self.start.arms);
        // Nothing may be left, or one line was too many somewhere.
        let received = self.lines.recv_timeout(self.limit);
        let answer = match received {
            Ok(ProgramOutput::Line(_)) => return Err(two_lines()),
            _ => answer?,
        };
        match received {
            Ok(_) | Err(RecvTimeoutError::Disconnected) => Ok(answer),
            Err(RecvTimeoutError::Timeout) => {
                Err(Foul::Broke(format!("did not end within {} s of its answer", self.limit.as_secs_f64())))
            }
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
