//! A session from its events.

use std::collections::BTreeMap;

use super::{Session, SessionError, TicketState};
use crate::choosers::{Chooser, Destination};
use crate::event::{AnswerWeight, Event, LogPosition, Purpose, to_line};
use crate::model::Competitors;

/// Why an event cannot follow those before it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FoldError {
    /// The first event does not create a session, or a later one does.
    #[error("expected the event `created` first, and nowhere else")]
    Created,
    /// The settings are not accepted.
    #[error(transparent)]
    Refused(#[from] SessionError),
    /// This build would choose another question, though it has the same revision.
    #[error(
        "it asks {recorded}, where this build asks {chosen}: the file was made by a program that chooses in another way \
         under the same revision; use that program"
    )]
    Differs {
        /// The question of the event.
        recorded: String,
        /// The question that this build chooses.
        chosen: String,
    },
    /// This build weighs an answer of the model in another way, though it has the revision that wrote it.
    #[error(
        "a model's answer is worth {recorded}, where this build says {chosen}: the file was made by a program that weighs in another way \
         under the same revision; use that program"
    )]
    Weighs {
        /// The worth in the event.
        recorded: String,
        /// The worth by this build.
        chosen: String,
    },
    /// The event cannot have happened.
    #[error("{what}")]
    Impossible {
        /// What is wrong with it.
        what: String,
    },
}

fn impossible<T>(what: String) -> Result<T, FoldError> {
    Err(FoldError::Impossible { what })
}

impl Session {
    /// The session of these events.
    ///
    /// # Errors
    /// With the number of the event, from 1, that cannot follow those before it.
    pub fn from_events(events: impl IntoIterator<Item = Event>) -> Result<Self, (u64, FoldError)> {
        let mut events = events.into_iter();
        let Some(first) = events.next() else { return Err((1, FoldError::Created)) };
        let Event::Created { config, .. } = &first else { return Err((1, FoldError::Created)) };
        let names = BTreeMap::new();
        let (_, sum) = to_line(&first, LogPosition { config, names: &names, number: 1, ticket: 1, sum: 0 });
        let mut live = Self::begin(first, sum).map_err(|error| (1, error))?;
        for (number, event) in (2..).zip(events) {
            let (_, sum) = to_line(&event, live.log_position());
            live.fold(event, sum).map_err(|error| (number, error))?;
        }
        Ok(live)
    }

    /// The session that its first event creates. `sum` is the checksum of its line.
    pub(crate) fn begin(event: Event, sum: u64) -> Result<Self, FoldError> {
        let Event::Created { config, chooser: name } = &event else { return Err(FoldError::Created) };
        config.check().map_err(SessionError::from)?;
        let mut live = Self::empty(config.clone());
        live.chooser =
            Some(Chooser::new(config).map_err(SessionError::from)?).filter(|chooser| chooser.name() == *name);
        live.count_event(sum);
        Ok(live)
    }

    /// The next event happens again. `sum` is the checksum up to its line.
    pub(crate) fn fold(&mut self, event: Event, sum: u64) -> Result<(), FoldError> {
        match &event {
            Event::Created { .. } => return Err(FoldError::Created),
            Event::Continued { chooser: name } => {
                self.chooser = None;
                self.disown();
                let chooser = self.successor()?;
                self.chooser = Some(chooser).filter(|chooser| chooser.name() == *name);
                self.count_event(sum);
            }
            Event::Asked { .. } => {
                let origin = self.destination(&event)?;
                let check = self.sum as u32;
                self.count_event(sum);
                self.give_out(event, check, origin);
            }
            Event::Answered { ticket, verdict, judge, note } => {
                let Some(question) = self.open.get(ticket) else {
                    return impossible(format!("ticket {ticket} is not open"));
                };
                if question.pair.judge.is_some() && judge.is_some() {
                    return impossible(format!("ticket {ticket} has two judges"));
                }
                self.check_judge(judge.as_deref()).or_else(|error| impossible(error.to_string()))?;
                self.count_event(sum);
                self.apply_answer(*ticket, *verdict, judge.as_deref(), note.clone());
            }
            Event::Weighed { ticket, weighed } => {
                let Some(weighed_now) = self.weigh(*ticket) else {
                    return impossible(format!("ticket {ticket} is not one that the model answered just before"));
                };
                if self.chooser.is_some() && weighed_now != *weighed {
                    let numbers_text = |weighed: &AnswerWeight| {
                        let AnswerWeight { guess, doubt, chance, audit } = weighed;
                        format!(
                            "{guess}, {doubt} and {chance} thousandths, {}",
                            if *audit { "asked" } else { "not asked" }
                        )
                    };
                    return Err(FoldError::Weighs {
                        recorded: numbers_text(weighed),
                        chosen: numbers_text(&weighed_now),
                    });
                }
                self.count_event(sum);
                self.apply_weight(*ticket, *weighed);
            }
            Event::Forgotten { ticket } => {
                if !self.open.contains_key(ticket) {
                    return impossible(format!("ticket {ticket} is not open"));
                }
                self.count_event(sum);
                self.apply_forgotten(*ticket);
            }
            Event::TakenBack { ticket } => {
                let Some(reopened_ticket) = self.reopened(*ticket)? else {
                    return impossible(format!("ticket {ticket} was neither answered nor forgotten"));
                };
                self.count_event(sum);
                self.reopen(reopened_ticket)?;
            }
        }
        Ok(())
    }

    /// The destination of the outcome of a question in the log: this build's choice, if it chose; otherwise as recorded.
    fn destination(&mut self, event: &Event) -> Result<Option<(Competitors, Destination)>, FoldError> {
        let Event::Asked { first, second, item, judge, purpose } = event else { return Ok(None) };
        self.check_judge(judge.as_deref()).or_else(|error| impossible(error.to_string()))?;
        let competitors = self.config.names.len();
        if first == second || *first as usize >= competitors || *second as usize >= competitors {
            return impossible(format!("it asks competitor {first} against {second}, of {competitors}"));
        }
        let items = self.config.items.len();
        if item.map_or(items > 0, |item| item as usize >= items) {
            return impossible(format!("it asks about an item that is not among the {items} of the settings"));
        }
        if self.chooser.is_some() {
            let (chosen, destination) = self.decide(judge.as_deref());
            return if chosen == *event {
                Ok(destination)
            } else {
                Err(FoldError::Differs { recorded: self.question(event), chosen: self.question(&chosen) })
            };
        }
        let answered_row = |ticket: &u64| {
            let index = ticket.checked_sub(1).and_then(|index| usize::try_from(index).ok())?;
            match self.tickets.get(index)?.1 {
                TicketState::Answered { row } => Some(self.rows[row]),
                _ => None,
            }
        };
        let is_consistent = match purpose {
            Purpose::New => return Ok(Some(((*first, *second), Destination::Pool))),
            Purpose::Mirror(ticket) => {
                self.halves.get(ticket).is_some_and(|half| half.since.is_some())
                    && answered_row(ticket)
                        .is_some_and(|row| (row.second, row.first, row.item) == (*first, *second, *item))
            }
            Purpose::Audit(ticket) => {
                self.is_due_audit(*ticket)
                    && answered_row(ticket)
                        .is_some_and(|row| (row.first, row.second, row.item) == (*first, *second, *item))
            }
            Purpose::Repeat(ticket) => {
                self.repeatable.contains(ticket)
                    && answered_row(ticket)
                        .is_some_and(|row| (row.first, row.second, row.item) == (*first, *second, *item))
            }
        };
        if is_consistent {
            Ok(None)
        } else {
            impossible("it asks an earlier question again that is not there".to_owned())
        }
    }

    /// A question in words.
    fn question(&self, event: &Event) -> String {
        let Event::Asked { first, second, item, purpose, .. } = event else { return String::new() };
        let name = |place: &u32| self.config.names.get(*place as usize).map_or("", String::as_str);
        let item = item.map_or_else(String::new, |item| format!(" on item {}", item + 1));
        let why = match purpose {
            Purpose::New => String::new(),
            Purpose::Mirror(ticket) => format!(" (ticket {ticket} in the other order)"),
            Purpose::Repeat(ticket) => format!(" (ticket {ticket} again)"),
            Purpose::Audit(ticket) => format!(" (ticket {ticket}, of a person)"),
        };
        format!("`{}` against `{}`{item}{why}", name(first), name(second))
    }
}
