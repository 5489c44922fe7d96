//! Recording answers, and pairs that will not be answered.

use bandits::Preference;
use board::Answer;

use super::{Half, JudgementRow, Learnt, OpenQuestion, Pair, Session, SessionError, Ticket, TicketState, sorted_pair};
use crate::choosers::Destination;
use crate::event::{Event, Purpose};
use crate::model::{Competitors, Posterior};
use crate::verdicts::verdict_word;

impl Session {
    /// The answer to a question. `judge` gave it, if no judge was named when it was asked.
    ///
    /// # Errors
    /// If the ticket is not open, or was given to another judge. Nothing changes then.
    pub fn tell(&mut self, ticket: Ticket, verdict: Answer, judge: Option<&str>) -> Result<(), SessionError> {
        self.tell_with_note(ticket, verdict, judge, None)
    }

    /// The same, with what the judge noted beside it: at most 2,000 characters, not empty.
    ///
    /// # Errors
    /// Also for a note of another length.
    pub fn tell_with_note(
        &mut self,
        ticket: Ticket,
        verdict: Answer,
        judge: Option<&str>,
        note: Option<&str>,
    ) -> Result<(), SessionError> {
        self.check_judge(judge)?;
        if let Some(length) =
            note.map(|note| note.chars().count()).filter(|length| !(1..=MAX_NOTE_CHARS).contains(length))
        {
            return Err(SessionError::Note { length });
        }
        if verdict_word(verdict).is_none() {
            return Err(SessionError::Score);
        }
        let requested_judge = self.open_ticket(ticket)?.pair.judge.as_deref();
        let judge = match (requested_judge, judge) {
            (Some(requested_judge), Some(given_judge)) if requested_judge != given_judge => {
                let (expected, given_judge) = (requested_judge.to_owned(), given_judge.to_owned());
                return Err(SessionError::OtherJudge { ticket, expected, found: given_judge });
            }
            (Some(_), _) => None,
            (None, judge) => judge.map(str::to_owned),
        };
        self.take_over()?;
        let note = note.map(str::to_owned);
        self.append(Event::Answered { ticket: ticket.number, verdict, judge: judge.clone(), note: note.clone() });
        self.apply_answer(ticket.number, verdict, judge.as_deref(), note);
        self.weigh_all();
        Ok(())
    }

    /// No answer will come. The pair is asked again on its item later.
    ///
    /// # Errors
    /// If the ticket is not open. Nothing changes then.
    pub fn forget(&mut self, ticket: Ticket) -> Result<(), SessionError> {
        self.open_ticket(ticket)?;
        self.take_over()?;
        self.append(Event::Forgotten { ticket: ticket.number });
        self.apply_forgotten(ticket.number);
        Ok(())
    }

    /// The question of a ticket, if it is open.
    pub(super) fn open_ticket(&self, ticket: Ticket) -> Result<&OpenQuestion, SessionError> {
        let index = ticket.number.checked_sub(1).and_then(|index| usize::try_from(index).ok());
        match index.and_then(|index| self.tickets.get(index)) {
            None => Err(SessionError::NeverGivenOut { ticket, asked: self.tickets.len() as u64 }),
            Some((check, _)) if *check != ticket.check => Err(SessionError::OtherSession { ticket }),
            Some((_, TicketState::Answered { row })) => {
                let verdict = verdict_word(self.rows[*row].verdict).unwrap_or_default();
                Err(SessionError::AlreadyAnswered { ticket, verdict })
            }
            Some((_, TicketState::Forgotten)) => Err(SessionError::AlreadyForgotten { ticket }),
            Some((_, TicketState::Open)) => self.open.get(&ticket.number).ok_or(SessionError::OtherSession { ticket }),
        }
    }

    pub(super) fn apply_answer(&mut self, number: u64, verdict: Answer, judge: Option<&str>, note: Option<String>) {
        let Some(OpenQuestion { pair, origin }) = self.open.remove(&number) else { return };
        self.closed_tickets.push(number);
        self.notes.extend(note.map(|note| (number, note)));
        let judge = pair.judge.as_deref().or(judge);
        let is_model = self.is_model(judge);
        let judge = judge.map(|judge| self.judge(judge));
        let Pair { ticket, first, second, item, purpose, .. } = pair;
        let row = self.rows.len();
        self.rows.push(JudgementRow { ticket, first, second, item, judge, verdict, purpose });
        self.tickets[number as usize - 1].1 = TicketState::Answered { row };
        self.counts.answered += 1;
        self.counts.ties += u64::from(matches!(verdict, Answer::Tie | Answer::BothBad));
        self.counts.both_bad += u64::from(verdict == Answer::BothBad);
        match (purpose, origin) {
            (Purpose::New, Some(origin)) if is_model => self.model_answered(number, origin),
            (Purpose::Audit(earlier_ticket), _) => self.record_audit(earlier_ticket, verdict),
            (Purpose::New, Some(origin)) => {
                if self.config.model.is_some() {
                    self.count_without_model((first, second));
                }
                if self.config.repeat > 0.0 {
                    self.repeatable.push(number);
                }
                if self.config.both {
                    self.halves.insert(number, Half { row, origin, since: Some(self.tickets.len() as u64) });
                } else {
                    self.learn(number, origin, (first, second), verdict.score());
                }
            }
            (Purpose::Mirror(earlier_ticket), _) => {
                if let Some(half) = self.halves.remove(&earlier_ticket) {
                    let first_outcome = outcome(self.rows[half.row].verdict).swapped();
                    let second_outcome = outcome(verdict);
                    self.counts.both += 1;
                    self.counts.both_disagreed += u64::from(first_outcome != second_outcome);
                    let joint = if first_outcome == second_outcome { verdict.score() } else { 0.5 };
                    self.learn(earlier_ticket, half.origin, (first, second), joint);
                }
            }
            (Purpose::Repeat(earlier_ticket), _) => {
                if let Some(&(_, TicketState::Answered { row })) = self.tickets.get(earlier_ticket as usize - 1) {
                    self.counts.repeats += 1;
                    let agreed = outcome(self.rows[row].verdict) == outcome(verdict);
                    self.counts.repeats_agreed += u64::from(agreed);
                }
            }
            (Purpose::New, None) => {}
        }
    }

    /// Passes the points of a question, for the competitor shown first, to the chooser and to the model.
    pub(super) fn learn(
        &mut self,
        ticket: u64,
        (pair, destination): (Competitors, Destination),
        shown: Competitors,
        points: f64,
    ) {
        self.close_question(pair);
        let points = if pair == shown { points } else { 1.0 - points };
        let learnt = Learnt { ticket, pair, points };
        if let Some(chooser) = &mut self.chooser {
            chooser.learn(pair, destination, learnt.outcome());
        }
        self.learnt.push(learnt);
        learnt.teach(&mut self.model);
    }

    fn close_question(&mut self, pair: Competitors) {
        if let Some(count) = self.under_way.get_mut(&sorted_pair(pair)) {
            *count -= 1;
            if *count == 0 {
                self.under_way.remove(&sorted_pair(pair));
            }
        }
    }

    pub(super) fn apply_forgotten(&mut self, number: u64) {
        let Some(OpenQuestion { pair, origin }) = self.open.remove(&number) else { return };
        self.tickets[number as usize - 1].1 = TicketState::Forgotten;
        self.closed_tickets.push(number);
        self.forgotten.insert(number, pair.clone());
        self.counts.forgotten += 1;
        self.screen.forget_question(
            (pair.first, pair.second),
            pair.judge.as_deref(),
            pair.item,
            pair.purpose == Purpose::New,
        );
        let dropped = match pair.purpose {
            Purpose::New => origin,
            // The first answer stays in the table; for the chooser, half an answer is none.
            Purpose::Mirror(earlier_ticket) => self.halves.remove(&earlier_ticket).map(|half| half.origin),
            Purpose::Repeat(earlier_ticket) => {
                self.repeatable.push(earlier_ticket);
                None
            }
            Purpose::Audit(earlier_ticket) => {
                self.pass_over_audit(earlier_ticket, pair.judge.as_deref());
                None
            }
        };
        if let Some((pair, to)) = dropped {
            self.close_question(pair);
            if let Some(chooser) = &mut self.chooser {
                chooser.forget(pair, to);
            }
        }
    }

    fn judge(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.judge_numbers.get(name) {
            return number;
        }
        let number = self.judges.len() as u32;
        self.judges.push(name.to_owned());
        self.judge_numbers.insert(name.to_owned(), number);
        number
    }
}

/// The longest note, in characters.
const MAX_NOTE_CHARS: usize = 2_000;

impl Learnt {
    pub(super) fn teach(&self, model: &mut Posterior) {
        model.learn(self.pair.0 as usize, self.pair.1 as usize, self.points);
    }

    /// The outcome for the pair.
    pub(super) fn outcome(&self) -> Preference {
        Preference::of_net(self.points - 0.5)
    }
}

/// The feedback of a verdict to a policy.
pub(super) fn outcome(verdict: Answer) -> Preference {
    match verdict {
        Answer::First => Preference::First,
        Answer::Second => Preference::Second,
        Answer::Tie | Answer::BothBad | Answer::Score(_) | Answer::Corrected { .. } => Preference::Tie,
    }
}
