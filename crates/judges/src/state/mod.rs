//! Session state, derived from its events. The text of events is in `log` and `event`, the choice of pairs in `choosers`.

mod answers;
mod audits;
mod error;
mod fold;
mod judgement_rows;
mod tickets;
mod withdrawal;

use std::collections::{BTreeMap, BTreeSet};

use bandits::Generator;
use rand::{Rng as _, SeedableRng as _};

pub use audits::AuditCounts;
pub use error::SessionError;
pub use fold::FoldError;
pub use judgement_rows::{CompetitorSummary, Counts, JudgementRow};
pub use tickets::Ticket;

use self::audits::Audits;
use crate::choosers::{Chooser, Destination, Pairs};
use crate::config::{Config, check_name};
use crate::event::{Event, LogPosition, Purpose, to_line};
use crate::model::{Competitors, Posterior};
use crate::screen::{Screen, stream};

/// A question in the other order waits for the judge of the first until this many more were asked; then any judge gets it.
const MIRROR_WAIT: u64 = 20;

/// How many earlier questions are drawn until one can be repeated with both orders balanced.
const MAX_REPEAT_DRAWS: u32 = 8;

/// A pair for a judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The ticket for its answer.
    pub ticket: Ticket,
    /// The competitor shown first, by its place in [`Config::names`].
    pub first: u32,
    /// The competitor shown second.
    pub second: u32,
    /// The item, by its place in [`Config::items`]; `None` if there are none.
    pub item: Option<u32>,
    /// Why the question is asked.
    pub purpose: Purpose,
    /// The judge, if known.
    pub judge: Option<String>,
}

/// The fate of a ticket.
#[derive(Debug, Clone, Copy, PartialEq)]
enum TicketState {
    Open,
    Answered { row: usize },
    Forgotten,
}

/// A question that is open.
#[derive(Debug, Clone)]
struct OpenQuestion {
    pair: Pair,
    /// For new questions: the pair as it was chosen, and where the outcome goes.
    origin: Option<(Competitors, Destination)>,
}

/// A question answered in its first order, in a session that asks both.
#[derive(Debug, Clone)]
struct Half {
    row: usize,
    origin: (Competitors, Destination),
    /// How many questions there were when it was answered; `None` while it is asked in the other order.
    since: Option<u64>,
}

/// What the model has learnt from a question.
#[derive(Debug, Clone, Copy)]
struct Learnt {
    /// The ticket of the question; of its first order, where both are asked.
    ticket: u64,
    /// As it was chosen: outcomes are seen from its first competitor.
    pair: Competitors,
    /// The points of its first competitor.
    points: f64,
}

/// A session: chooses pairs, takes answers.
#[derive(Debug, Clone)]
pub struct Session {
    config: Config,
    names: BTreeMap<String, u32>,
    /// The chooser; `None` in a replay while another revision chooses, and until the first call after it.
    chooser: Option<Chooser>,
    /// All outcomes that the model has learnt, for a chooser that begins later.
    learnt: Vec<Learnt>,
    model: Posterior,
    screen: Screen,
    /// By number.
    tickets: Vec<(u32, TicketState)>,
    open: BTreeMap<u64, OpenQuestion>,
    /// On which items each judge was asked about each pair.
    seen_items: BTreeMap<String, BTreeMap<Competitors, BTreeSet<u32>>>,
    /// New questions that are open, by pair.
    under_way: BTreeMap<Competitors, u32>,
    /// By the number of their tickets.
    halves: BTreeMap<u64, Half>,
    audits: Audits,
    /// Answered questions that can be repeated.
    repeatable: Vec<u64>,
    rows: Vec<JudgementRow>,
    /// The notes of judges, by the number of the ticket.
    notes: BTreeMap<u64, String>,
    /// Questions that will not be answered.
    forgotten: BTreeMap<u64, Pair>,
    /// The tickets of questions that were answered or forgotten, in this order.
    closed_tickets: Vec<u64>,
    judges: Vec<String>,
    judge_numbers: BTreeMap<String, u32>,
    counts: Counts,
    /// How many events there were, and the checksum of them all.
    events: u64,
    sum: u64,
    /// Since [`Session::take_lines`], with their lines.
    recent: Vec<(Event, String)>,
}

impl Session {
    /// Begins a session.
    ///
    /// # Errors
    /// If a setting is wrong.
    pub fn new(config: Config) -> Result<Self, SessionError> {
        config.check()?;
        let chooser = Chooser::new(&config)?;
        let name = chooser.name();
        let mut live = Self::empty(config.clone());
        live.chooser = Some(chooser);
        live.append(Event::Created { config, chooser: name });
        Ok(live)
    }

    /// Before its first event; the settings have been checked.
    fn empty(config: Config) -> Self {
        let names: BTreeMap<String, u32> = config.names.iter().cloned().zip(0..).collect();
        Self {
            model: Posterior::new(config.names.len()),
            screen: Screen::new(config.seed, config.items.len() as u32),
            names,
            config,
            chooser: None,
            learnt: Vec::new(),
            tickets: Vec::new(),
            open: BTreeMap::new(),
            seen_items: BTreeMap::new(),
            under_way: BTreeMap::new(),
            halves: BTreeMap::new(),
            audits: Audits::default(),
            repeatable: Vec::new(),
            rows: Vec::new(),
            notes: BTreeMap::new(),
            forgotten: BTreeMap::new(),
            closed_tickets: Vec::new(),
            judges: Vec::new(),
            judge_numbers: BTreeMap::new(),
            counts: Counts::default(),
            events: 0,
            sum: 0,
            recent: Vec::new(),
        }
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The place of a competitor.
    #[must_use]
    pub fn competitor(&self, name: &str) -> Option<u32> {
        self.names.get(name).copied()
    }

    /// Where the next line of the log belongs.
    pub(crate) fn log_position(&self) -> LogPosition<'_> {
        LogPosition {
            config: &self.config,
            names: &self.names,
            number: self.events + 1,
            ticket: self.counts.asked + 1,
            sum: self.sum,
        }
    }

    /// The events since they were last taken, with the number of each, from 1. Keep them before you act on the session's
    /// answers.
    pub fn take_events(&mut self) -> Vec<(u64, Event)> {
        let recent = std::mem::take(&mut self.recent);
        let first_number = self.events - recent.len() as u64 + 1;
        (first_number..).zip(recent.into_iter().map(|(event, _)| event)).collect()
    }

    /// The same as lines of a log.
    pub fn take_lines(&mut self) -> String {
        std::mem::take(&mut self.recent).into_iter().map(|(_, line)| line).collect()
    }

    fn append(&mut self, event: Event) {
        let (line, sum) = to_line(&event, self.log_position());
        self.count_event(sum);
        self.recent.push((event, line));
    }

    /// Counts an event; `sum` is the checksum up to it.
    fn count_event(&mut self, sum: u64) {
        self.events += 1;
        self.sum = sum;
    }

    /// Makes sure that this build chooses from here on.
    fn take_over(&mut self) -> Result<(), SessionError> {
        if self.chooser.is_none() {
            let chooser = self.successor()?;
            let name = chooser.name();
            self.chooser = Some(chooser);
            self.append(Event::Continued { chooser: name });
        }
        // A file may be cut off between an answer of the model and its weight.
        self.weigh_all();
        Ok(())
    }

    /// A chooser with all earlier questions and outcomes. It does not own those that are still open.
    fn successor(&mut self) -> Result<Chooser, SessionError> {
        let mut chooser = Chooser::new(&self.config)?;
        self.learnt.iter().for_each(|learnt| chooser.keep(learnt.pair, learnt.outcome()));
        self.disown();
        let open_origins = self.open.values().filter_map(|question| question.origin);
        let incomplete: Vec<_> = open_origins.chain(self.halves.values().map(|half| half.origin)).collect();
        let audits = self.incomplete_audits().map(|origin| *origin);
        incomplete.into_iter().chain(audits).for_each(|(pair, _)| chooser.expect(pair));
        Ok(chooser)
    }

    /// Sends the outcomes of open questions to the pool: their chooser is gone.
    fn disown(&mut self) {
        let open_origins = self.open.values_mut().filter_map(|question| question.origin.as_mut());
        open_origins
            .chain(self.halves.values_mut().map(|half| &mut half.origin))
            .for_each(|(_, to)| *to = Destination::Pool);
        self.incomplete_audits().for_each(|(_, to)| *to = Destination::Pool);
    }

    /// The next pair, for `judge` if known: with the same judge's name, the other order of a question goes to the judge of
    /// the first. Any number may be open. Beside a model, the pair names its judge: without `judge`, an audit for a person if one waits, and
    /// otherwise a new question for the model.
    ///
    /// # Errors
    /// If the judge's name cannot be one, or is not known beside a model.
    pub fn ask(&mut self, judge: Option<&str>) -> Result<Pair, SessionError> {
        self.check_judge(judge)?;
        self.take_over()?;
        let (event, origin) = self.decide(judge);
        let check = self.sum as u32;
        self.append(event.clone());
        Ok(self.give_out(event, check, origin))
    }

    /// Checks that a judge may get questions and answer: one who is not named always may.
    ///
    /// # Errors
    /// If the judge's name cannot be one or, beside a model, is neither that of the model nor of one of its people.
    pub fn check_judge(&self, judge: Option<&str>) -> Result<(), SessionError> {
        let Some(judge) = judge else { return Ok(()) };
        check_name(judge).map_err(|fault| SessionError::Judge { fault })?;
        match &self.config.model {
            Some(model) if !model.is_model_or_person(judge) => {
                let people = model.people.join(", ");
                Err(SessionError::NotAJudge { found: judge.to_owned(), model: model.name.clone(), people })
            }
            _ => Ok(()),
        }
    }

    /// The next `count` pairs, all open together.
    ///
    /// # Errors
    /// If the judge's name cannot be one; no pair is asked then.
    pub fn ask_many(&mut self, count: usize, judge: Option<&str>) -> Result<Vec<Pair>, SessionError> {
        (0..count).map(|_| self.ask(judge)).collect()
    }

    /// The pairs that are open, in the order in which they were asked.
    pub fn open(&self) -> impl Iterator<Item = &Pair> {
        self.open.values().map(|open| &open.pair)
    }

    /// Chooses a question: as it will be in the log, and for a new one where its outcome goes.
    fn decide(&mut self, judge: Option<&str>) -> (Event, Option<(Competitors, Destination)>) {
        let number = self.tickets.len() as u64 + 1;
        let mut generator = Generator::seed_from_u64(stream(self.config.seed, "question", [number, 0, 0]));
        let generator = &mut generator;
        let audit = self.config.model.as_ref().and_then(|model| self.next_audit(model, judge));
        let model = self.config.model.as_ref().map(|model| model.name.clone());
        let judge = judge.or(audit.as_ref().map(|(_, person)| person.as_str())).or(model.as_deref());
        let question = |first, second, item, purpose| Event::Asked {
            first,
            second,
            item,
            judge: judge.map(str::to_owned),
            purpose,
        };
        if let Some((seen_items, _)) = audit
            && let TicketState::Answered { row } = self.tickets[seen_items as usize - 1].1
        {
            let row = self.rows[row];
            return (question(row.first, row.second, row.item, Purpose::Audit(seen_items)), None);
        }
        if let Some((&seen_items, half)) = self.halves.iter().find(|(_, half)| self.is_due(half, judge)) {
            let row = self.rows[half.row];
            return (question(row.second, row.first, row.item, Purpose::Mirror(seen_items)), None);
        }
        let share = (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        if share < self.config.repeat && !self.repeatable.is_empty() {
            for _ in 0..MAX_REPEAT_DRAWS {
                let seen_items = self.repeatable[bandits::random::below(generator, self.repeatable.len())];
                if let TicketState::Answered { row } = self.tickets[seen_items as usize - 1].1
                    && let JudgementRow { first, second, item, .. } = self.rows[row]
                    && self.screen.is_balanced_with((first, second), judge)
                {
                    return (question(first, second, item, Purpose::Repeat(seen_items)), None);
                }
            }
        }
        let under_way = &self.under_way;
        let open_count = |pair: Competitors| under_way.get(&pair).copied().unwrap_or(0);
        let seen_pairs = judge.filter(|judge| !self.has_seen_all(judge)).and_then(|judge| self.seen_items.get(judge));
        let items = self.config.items.len();
        let seen_items = |pair: Competitors| seen_pairs.and_then(|seen_pairs| seen_pairs.get(&pair));
        let is_new = |pair: Competitors| seen_items(pair).is_none_or(|seen_pairs| seen_pairs.len() < items);
        let pairs = Pairs { open: &open_count, is_new: &is_new };
        let Some(chooser) = &mut self.chooser else {
            unreachable!("callers take over first, and a replay asks only while this build chooses")
        };
        let origin = chooser.choose(&self.model, self.config.names.len(), pairs, generator);
        let (first, second) = self.screen.order(origin.0, judge, generator);
        (
            question(first, second, self.screen.item(origin.0, seen_items(sorted_pair(origin.0))), Purpose::New),
            Some(origin),
        )
    }

    /// Whether a judge has had every pair on every item: further questions are repeats. Without items, never.
    #[must_use]
    pub fn has_seen_all(&self, judge: &str) -> bool {
        let (names, items) = (self.config.names.len(), self.config.items.len());
        let Some(seen) = self.seen_items.get(judge).filter(|_| items > 0) else { return false };
        seen.len() == names * (names - 1) / 2 && seen.values().all(|seen| seen.len() == items)
    }

    /// Whether a question in the other order is for this judge now.
    fn is_due(&self, half: &Half, judge: Option<&str>) -> bool {
        let judge_of_half = self.rows[half.row].judge.map(|judge| self.judges[judge as usize].as_str());
        half.since.is_some_and(|since| judge_of_half == judge || self.tickets.len() as u64 >= since + MIRROR_WAIT)
    }

    /// A question is open from now on. `check` is of everything before it.
    fn give_out(&mut self, event: Event, check: u32, origin: Option<(Competitors, Destination)>) -> Pair {
        let Event::Asked { first, second, item, judge, purpose } = event else { unreachable!("only pairs are asked") };
        let ticket = Ticket { number: self.tickets.len() as u64 + 1, check };
        self.tickets.push((check, TicketState::Open));
        self.counts.asked += 1;
        self.screen.record_question((first, second), judge.as_deref(), item, purpose == Purpose::New);
        self.count_question(judge.as_deref(), purpose);
        if let (Some(judge), Some(item), Purpose::New | Purpose::Audit(_)) = (&judge, item, purpose) {
            let seen = self.seen_items.entry(judge.clone()).or_default();
            seen.entry(sorted_pair((first, second))).or_default().insert(item);
        }
        match purpose {
            Purpose::New | Purpose::Audit(_) => {}
            Purpose::Mirror(of) => {
                if let Some(half) = self.halves.get_mut(&of) {
                    half.since = None;
                }
            }
            Purpose::Repeat(of) => self.repeatable.retain(|ticket| *ticket != of),
        }
        if let Some((pair, _)) = origin {
            *self.under_way.entry(sorted_pair(pair)).or_default() += 1;
        }
        let pair = Pair { ticket, first, second, item, purpose, judge };
        self.open.insert(ticket.number, OpenQuestion { pair: pair.clone(), origin });
        pair
    }
}

fn sorted_pair((first, second): Competitors) -> Competitors {
    (first.min(second), first.max(second))
}
