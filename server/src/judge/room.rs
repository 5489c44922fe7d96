//! The actions of judges: each gets one pair at a time, answers it, skips it, or takes back the last answer.

use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Result;
use judges::{Answer, SessionError, Ticket, verdict_from_word};
use judging::{SessionFile, Texts};

use super::outlook::{Outlook, OutlookUpdater};

/// A session, the texts, and all judges.
#[derive(Debug)]
pub struct Room {
    /// Whether judges see who leads.
    shows_leader: bool,
    file: Mutex<SessionFile>,
    texts: Texts,
    looks: OutlookUpdater,
}

/// A pair as a judge sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShownPair {
    pub(super) ticket: Ticket,
    /// The question; empty where there are no items.
    pub(super) question: String,
    pub(super) answers: [String; 2],
    /// The number of answers by this judge, and by all.
    pub(super) own_answers: u64,
    pub(super) all_answers: u64,
    /// Whether there is something to undo.
    pub(super) may_undo: bool,
    /// Whether this judge has seen all pairs: from now on, pairs repeat.
    pub(super) has_seen_all: bool,
    pub(super) outlook: Outlook,
}

/// A judge's reply to a pair.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reply {
    Answer(Answer, Option<String>),
    Skip,
}

impl Reply {
    /// From the words of a form.
    pub(super) fn of(verdict: &str, note: &str) -> Option<Self> {
        let note = Some(note.trim().replace("\r\n", "\n")).filter(|note| !note.is_empty());
        match verdict {
            "skip" => Some(Self::Skip),
            word => Some(Self::Answer(verdict_from_word(word)?, note)),
        }
    }
}

/// The result of a judge's action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReplyResult {
    Taken,
    /// The answer is in the session already, e.g. because a form was sent twice.
    Again,
    Undone,
    NothingToUndo,
    /// The note is too long: nothing changed.
    LongNote,
    /// The pair was closed, or belongs to another judge: nothing changed.
    Refused,
}

impl Room {
    /// A room for the session of this file, which has been opened. With `shows_leader`, judges see who leads.
    #[must_use]
    pub fn new(mut file: SessionFile, texts: Texts, shows_leader: bool) -> Self {
        file.unlock();
        let looks = OutlookUpdater::default();
        looks.look(&file.session, shows_leader);
        Self { shows_leader, file: Mutex::new(file), texts, looks }
    }

    /// The file, read again if others wrote to it.
    fn locked(&self) -> Result<OpenFile<'_>> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.lock()?;
        Ok(OpenFile { file })
    }

    /// The pair that a judge is asked: one that is open, the oldest first, or a new one, which is on the disk when this returns.
    pub(super) fn question(&self, judge: &str) -> Result<ShownPair> {
        let mut open = self.locked()?;
        let file = &mut *open.file;
        let asked = file.session.open().find(|pair| pair.judge.as_deref() == Some(judge)).cloned();
        let pair = match asked {
            Some(pair) => pair,
            None => {
                let pair = file.session.ask(Some(judge))?;
                file.save()?;
                pair
            }
        };
        let session = &file.session;
        let (config, counts) = (session.config(), session.counts());
        let item = pair.item.map_or("", |item| config.items[item as usize].as_str());
        let text = |place: u32| {
            self.texts.text(item, &config.names[place as usize]).unwrap_or("(this text is missing)").to_owned()
        };
        let names = session.judges();
        let is_own = |row: &&judges::JudgementRow| row.judge.is_some_and(|own| names[own as usize] == judge);
        Ok(ShownPair {
            ticket: pair.ticket,
            question: self.texts.question(item).to_owned(),
            answers: [text(pair.first), text(pair.second)],
            own_answers: session.judged().iter().filter(is_own).count() as u64,
            all_answers: counts.answered,
            may_undo: session.last_closed(Some(judge)).is_some(),
            has_seen_all: session.has_seen_all(judge),
            outlook: self.looks.latest(),
        })
    }

    /// Records a judge's reply to the pair of a ticket. It is on the disk when this returns.
    pub(super) fn say(&self, judge: &str, ticket: &str, reply: Reply) -> Result<ReplyResult> {
        let mut open = self.locked()?;
        let file = &mut *open.file;
        let Ok(ticket) = ticket.parse::<Ticket>() else { return Ok(ReplyResult::Refused) };
        let asked = file.session.open().find(|pair| pair.ticket == ticket).and_then(|pair| pair.judge.as_deref());
        if asked.is_some_and(|asked| asked != judge) {
            return Ok(ReplyResult::Refused);
        }
        let told = match &reply {
            Reply::Answer(verdict, note) => file.session.tell_with_note(ticket, *verdict, Some(judge), note.as_deref()),
            Reply::Skip => file.session.forget(ticket),
        };
        match told {
            Ok(()) => {
                file.save()?;
                self.looks.look(&file.session, self.shows_leader);
                Ok(ReplyResult::Taken)
            }
            Err(SessionError::AlreadyAnswered { verdict, .. }) if matches!(&reply, Reply::Answer(again, _) if judges::verdict_word(*again) == Some(verdict)) => {
                Ok(ReplyResult::Again)
            }
            Err(SessionError::AlreadyForgotten { .. }) if reply == Reply::Skip => Ok(ReplyResult::Again),
            Err(SessionError::Note { .. }) => Ok(ReplyResult::LongNote),
            Err(_) => Ok(ReplyResult::Refused),
        }
    }

    /// Takes back the last action of this judge.
    pub(super) fn undo(&self, judge: &str) -> Result<ReplyResult> {
        let mut open = self.locked()?;
        let file = &mut *open.file;
        let undone = file.session.undo(Some(judge))?;
        file.save()?;
        self.looks.look(&file.session, self.shows_leader);
        Ok(if undone.is_some() { ReplyResult::Undone } else { ReplyResult::NothingToUndo })
    }
}

/// The file while one judge uses it; afterwards, other programs may.
struct OpenFile<'a> {
    file: MutexGuard<'a, SessionFile>,
}

impl Drop for OpenFile<'_> {
    fn drop(&mut self) {
        self.file.unlock();
    }
}
