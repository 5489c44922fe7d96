//! Mistakes: an answer, or that none will come, is taken back, and the question is open again.

use board::Answer;

use super::answers::outcome;
use super::{Half, JudgementRow, OpenQuestion, Pair, Session, SessionError, Ticket, TicketState, sorted_pair};
use crate::choosers::Destination;
use crate::event::{Event, Purpose};
use crate::model::Posterior;

/// A closed question that can be opened again.
pub(super) struct Reopened {
    pair: Pair,
    /// Its row, if it was answered.
    row: Option<usize>,
}

impl Session {
    /// Takes back the answer of a ticket, or that it was forgotten. The question is open again, for the same judge, and whatever was
    /// answered before does not count. The chooser begins again, and learns the other answers as it chooses their pairs.
    ///
    /// # Errors
    /// If the ticket is open or of another session, another judge answered, or the question was asked in the other order since. Beside a model, not
    /// even its answers, and no audit that was passed over.
    /// Nothing changes then.
    pub fn take_back(&mut self, ticket: Ticket, judge: Option<&str>) -> Result<(), SessionError> {
        self.check_judge(judge)?;
        match self.open_ticket(ticket) {
            Ok(_) => return Err(SessionError::StillOpen { ticket }),
            Err(SessionError::AlreadyAnswered { .. } | SessionError::AlreadyForgotten { .. }) => {}
            Err(error) => return Err(error),
        }
        let reopened = self.reopened(ticket.number)?.ok_or(SessionError::OtherSession { ticket })?;
        if let (Some(expected), Some(found)) = (&reopened.pair.judge, judge)
            && expected != found
        {
            let (expected, found) = (expected.clone(), found.to_owned());
            return Err(SessionError::OtherJudge { ticket, expected, found });
        }
        self.take_over()?;
        self.append(Event::TakenBack { ticket: ticket.number });
        self.reopen(reopened)
    }

    /// Takes back the last act of this judge, or of any judge if none is named: an answer, or that a question was passed over. Returns
    /// its ticket, or `None` if there is nothing. If the same judge is being asked the question in the other order, that
    /// one is forgotten, and asked again later.
    ///
    /// # Errors
    /// If the judge's name cannot be one.
    pub fn undo(&mut self, judge: Option<&str>) -> Result<Option<Ticket>, SessionError> {
        self.check_judge(judge)?;
        let closed_pairs: Vec<Pair> = self.closed_by(judge).collect();
        for pair in closed_pairs {
            let number = pair.ticket.number;
            match self.reopened(number) {
                Ok(_) => {}
                // Passed over, so open again already.
                Err(_) if self.forgotten.contains_key(&number) => continue,
                // The last act stays; an earlier one is not undone instead.
                Err(SessionError::Settled { .. }) => return Ok(None),
                Err(SessionError::OtherOrder { other, .. }) if self.is_asked(other, judge) => self.forget(other)?,
                Err(_) => continue,
            }
            self.take_back(pair.ticket, judge)?;
            return Ok(Some(pair.ticket));
        }
        Ok(None)
    }

    /// The question that this judge, or any if none is named, answered or passed over last; `None` if there is none.
    #[must_use]
    pub fn last_closed(&self, judge: Option<&str>) -> Option<Ticket> {
        self.closed_by(judge).next().map(|pair| pair.ticket)
    }

    /// The questions that this judge, or any if none is named, answered or passed over, the last first.
    fn closed_by(&self, judge: Option<&str>) -> impl Iterator<Item = Pair> {
        let closed_pairs = self.closed_tickets.iter().rev().filter_map(|number| self.closed_pair(*number));
        closed_pairs.filter(move |pair| judge.is_none() || pair.judge.as_deref() == judge)
    }

    fn is_asked(&self, ticket: Ticket, judge: Option<&str>) -> bool {
        self.open.get(&ticket.number).is_some_and(|open| judge.is_none() || open.pair.judge.as_deref() == judge)
    }

    /// A question that was answered or forgotten; its judge is the one who answered.
    fn closed_pair(&self, number: u64) -> Option<Pair> {
        match self.tickets.get(usize::try_from(number.checked_sub(1)?).ok()?)?.1 {
            TicketState::Open => None,
            TicketState::Forgotten => self.forgotten.get(&number).cloned(),
            TicketState::Answered { row } => {
                let JudgementRow { ticket, first, second, item, judge, purpose, .. } = self.rows[row];
                let judge = judge.map(|judge| self.judges[judge as usize].clone());
                Some(Pair { ticket, first, second, item, purpose, judge })
            }
        }
    }

    /// The question that a ticket opens again; `None` if it is not closed.
    ///
    /// # Errors
    /// If the question was asked in the other order since.
    pub(super) fn reopened(&self, number: u64) -> Result<Option<Reopened>, SessionError> {
        let Some(pair) = self.closed_pair(number) else { return Ok(None) };
        let row = match self.tickets[number as usize - 1].1 {
            TicketState::Answered { row } => Some(row),
            _ => None,
        };
        let settled_error = |since| Err(SessionError::Settled { ticket: pair.ticket, since });
        match pair.purpose {
            Purpose::New if self.is_of_model(number) => {
                return settled_error("whether a person is asked as well was drawn since, and depends on it");
            }
            Purpose::Audit(_) if row.is_none() => return settled_error("it was passed on to others"),
            _ => {}
        }
        // The other order is open or answered, or this one is, and waits for another question instead.
        let questions = self.rows.iter().map(|row| (row.ticket, row.purpose));
        let mut questions = questions.chain(self.open().map(|pair| (pair.ticket, pair.purpose)));
        let rests_on_it = match pair.purpose {
            Purpose::New => questions.find(|(_, purpose)| *purpose == Purpose::Mirror(number)),
            Purpose::Mirror(of) if row.is_none() => {
                let is_mirror = |purpose: &Purpose| *purpose == Purpose::Mirror(of);
                let first_is_open = self.open.get(&of).map(|open| (open.pair.ticket, open.pair.purpose));
                questions.find(|(_, purpose)| is_mirror(purpose)).or(first_is_open)
            }
            _ => None,
        };
        match rests_on_it {
            Some((other, _)) => Err(SessionError::OtherOrder { ticket: pair.ticket, other }),
            None => Ok(Some(Reopened { pair, row })),
        }
    }

    pub(super) fn reopen(&mut self, Reopened { pair, row }: Reopened) -> Result<(), SessionError> {
        let number = pair.ticket.number;
        let pair_shown = (pair.first, pair.second);
        let forgotten = (pair_shown, Destination::Pool);
        let learnt = match pair.purpose {
            Purpose::New => self.unlearn(number),
            Purpose::Mirror(of) | Purpose::Audit(of) => self.unlearn(of),
            Purpose::Repeat(_) => None,
        };
        let origin = match pair.purpose {
            // The other order was not asked yet, or is not asked any more.
            Purpose::Audit(of) => {
                self.reopen_audit(of, learnt.unwrap_or(forgotten));
                *self.under_way.entry(sorted_pair(pair_shown)).or_default() += 1;
                None
            }
            Purpose::New => match self.halves.remove(&number) {
                Some(half) => Some(half.origin),
                None => {
                    *self.under_way.entry(sorted_pair(pair_shown)).or_default() += 1;
                    Some(learnt.unwrap_or(forgotten))
                }
            },
            Purpose::Mirror(of) => {
                if let Some((_, TicketState::Answered { row })) = self.tickets.get(of as usize - 1) {
                    self.halves.insert(of, Half { row: *row, origin: learnt.unwrap_or(forgotten), since: None });
                    *self.under_way.entry(sorted_pair(pair_shown)).or_default() += 1;
                }
                None
            }
            Purpose::Repeat(of) => {
                self.repeatable.retain(|ticket| *ticket != of);
                None
            }
        };
        match row {
            Some(row) => {
                if self.config.model.is_some() && pair.purpose == Purpose::New {
                    self.uncount_without_model(pair_shown);
                }
                self.remove_row(row);
            }
            None => {
                self.forgotten.remove(&number);
                self.counts.forgotten -= 1;
                self.screen.take_back_answer(
                    pair_shown,
                    pair.judge.as_deref(),
                    pair.item,
                    pair.purpose == Purpose::New,
                );
            }
        }
        self.repeatable.retain(|ticket| *ticket != number);
        self.notes.remove(&number);
        self.closed_tickets.retain(|closed| *closed != number);
        self.tickets[number as usize - 1].1 = TicketState::Open;
        self.open.insert(number, OpenQuestion { pair, origin });
        self.recount();
        // Policies cannot unlearn. In a replay, another revision may choose.
        if self.chooser.is_some() {
            self.chooser = Some(self.successor()?);
        }
        Ok(())
    }

    /// Removes the feedback of a question; returns its pair as it was chosen.
    fn unlearn(&mut self, ticket: u64) -> Option<(crate::model::Competitors, Destination)> {
        let index = self.learnt.iter().position(|learnt| learnt.ticket == ticket)?;
        let pair = self.learnt.remove(index).pair;
        self.model = Posterior::new(self.config.names.len());
        self.learnt.iter().for_each(|learnt| learnt.teach(&mut self.model));
        Some((pair, Destination::Pool))
    }

    fn remove_row(&mut self, removed: usize) {
        self.rows.remove(removed);
        let shift = |row: &mut usize| *row -= usize::from(*row > removed);
        for (_, fate) in &mut self.tickets {
            if let TicketState::Answered { row } = fate {
                shift(row);
            }
        }
        self.halves.values_mut().for_each(|half| shift(&mut half.row));
    }

    /// Counts the answers again.
    fn recount(&mut self) {
        let counts = &mut self.counts;
        (counts.answered, counts.ties, counts.both_bad) = (self.rows.len() as u64, 0, 0);
        (counts.repeats, counts.repeats_agreed, counts.both, counts.both_disagreed) = (0, 0, 0, 0);
        for row in &self.rows {
            counts.ties += u64::from(matches!(row.verdict, Answer::Tie | Answer::BothBad));
            counts.both_bad += u64::from(row.verdict == Answer::BothBad);
            let answer_before = |of: u64| match self.tickets[of as usize - 1].1 {
                TicketState::Answered { row } => Some(outcome(self.rows[row].verdict)),
                _ => None,
            };
            match row.purpose {
                Purpose::New | Purpose::Audit(_) => {}
                Purpose::Mirror(of) => {
                    if let Some(answer_before) = answer_before(of) {
                        counts.both += 1;
                        counts.both_disagreed += u64::from(answer_before.swapped() != outcome(row.verdict));
                    }
                }
                Purpose::Repeat(of) => {
                    if let Some(answer_before) = answer_before(of) {
                        counts.repeats += 1;
                        counts.repeats_agreed += u64::from(answer_before == outcome(row.verdict));
                    }
                }
            }
        }
    }
}
