//! Commands of callers: each call decides on events and applies them. A refused call changes nothing, unless it says
//! otherwise.

use interleave::receipt::Receipt;
use interleave::{
    AnyInterleavingReceipt, Doc, Interleaving as _, ListBuf, Multileaving as _, Page, Preference, RankedList,
};
use rand::Rng as _;

use super::super::chooser::Chooser;
use super::super::config::Ask;
use super::super::event::{Choice, Event, Notice, Outcome, Reason, State, Time};
use super::open_impressions::Credit;
use super::{Experiment, Marks};
use crate::config::ConfigError;

/// A request for an impression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Request {
    /// The unit, as a number that the caller keeps for it.
    pub unit: u64,
    /// Identifies repeats of this request.
    pub marks: Marks,
    /// The label of the impression, by its place among the [segments](crate::Config::segments): the segment of its unit, if it is the unit's first.
    pub segment: Option<u8>,
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestAnswer {
    /// An impression is open.
    New {
        /// Its number.
        impression: u64,
        /// The rankers whose lists are needed, in the order of the lists; for judges, in the order in which they are shown.
        arms: Vec<u32>,
        /// The documents to show, where lists were given: at most as many as are mixed.
        documents: Option<Vec<Doc>>,
        /// Whether rankers are compared.
        is_mixed: bool,
    },
    /// This impression was asked for before, by the same request or a reload: answer as before.
    Again {
        /// Its number.
        impression: u64,
        /// Its rankers, in the order of the lists.
        arms: Vec<u32>,
        /// Whether its lists have arrived.
        is_listed: bool,
        /// Whether rankers are compared.
        is_mixed: bool,
    },
    /// The same key came with another request.
    OtherRequest {
        /// The impression of that key.
        impression: u64,
    },
    /// The impression of this key is closed.
    Gone {
        /// Its number.
        impression: u64,
    },
    /// The experiment does not run: show the list of the [fallback](Experiment::fallback).
    Fallback(State),
}

/// Why a call was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// The impression is not open.
    #[error("impression {0} is not open: its window has passed, or it was closed")]
    Closed(u64),
    /// Its lists came before.
    #[error("the lists of impression {0} came before; they are mixed once")]
    Listed(u64),
    /// Its lists have not come.
    #[error("impression {0} shows nothing yet; give its lists first")]
    NotListed(u64),
    /// A list is missing, and the impression is closed.
    #[error(
        "the list of `{ranker}`, which was chosen, is missing; give a list, which may be empty, for each ranker that was chosen"
    )]
    Missing {
        /// The impression, closed by this.
        impression: u64,
        /// The ranker of that list.
        ranker: String,
    },
    /// The page does not fit the mixed list.
    #[error("{0}")]
    Page(String),
    /// The experiment mixes lists, or asks judges.
    #[error("this experiment {}", if *.0 == Ask::Lists { "mixes lists; no judge is asked" } else { "asks judges; it mixes no lists" })]
    Ask(Ask),
    /// The state cannot change to that.
    #[error("the experiment is {}; it cannot become {}", .from.name(), .to.name())]
    State {
        /// The present state.
        from: State,
        /// The requested state.
        to: State,
    },
    /// The share is only raised.
    #[error(
        "the share is {from} and is only raised, so that units that are in the experiment stay in it; it cannot become {to}"
    )]
    Lower {
        /// The present share.
        from: f64,
        /// The requested share.
        to: f64,
    },
    /// It is over: its share means nothing any more.
    #[error("the experiment is {}; its share means nothing any more", .0.name())]
    Over(State),
    /// The policy of this build refuses the settings of another revision, or a value is not valid for a setting.
    #[error(transparent)]
    Config(#[from] ConfigError),
}

/// A mixed list.
struct MixedList {
    /// To be shown.
    documents: Vec<Doc>,
    /// Empty if nothing was mixed.
    receipt: Vec<u8>,
    /// Whether all rankers sent the same list.
    are_identical: bool,
}

impl Experiment {
    /// A process opens the experiment, and begins where the log ends. Open windows are extended by the time since then, by one
    /// window at most. If another revision chose until now, this one chooses from here on. `start` is a random number of this
    /// process: an id that carries the number of another start belongs to an impression that the log does not have
    /// ([`start_number`](Self::start_number)).
    ///
    /// # Errors
    /// If the policy of this build refuses the settings.
    pub fn note_start(&mut self, now: Time, start: u64) -> Result<(), CommandError> {
        let time = now.max(self.time);
        let gap = (time - self.time).min(self.rules.window);
        self.apply_start(time, gap, start);
        self.record(Event::Started { time, gap, start });
        self.take_over(time)
    }

    fn take_over(&mut self, time: Time) -> Result<(), CommandError> {
        if self.chooser.is_none() {
            let chooser = Chooser::new(&self.config, &self.rules)?;
            let name = chooser.name();
            self.apply_chooser(Some(chooser));
            self.record(Event::Continued { time, chooser: name });
        }
        Ok(())
    }

    /// The last day that is not kept, in days since 1970-01-01: a store may forget the events before a snapshot in which no later day
    /// was closed. It follows from the time alone, so that events of paused or ended experiments are forgotten too. `None` if all is
    /// kept.
    #[must_use]
    pub fn forgettable(&self, now: Time) -> Option<i32> {
        self.rules.retain.map(|days| self.day(now.max(self.time)).saturating_sub(days + 1))
    }

    /// From here on the first `events` events of the log are forgotten: those of a snapshot in which the days before `before` are
    /// closed. Nothing happens if that cannot be, or is so already.
    pub fn forget(&mut self, now: Time, before: i32, events: u64) {
        if self.can_forget(before, events) && events > self.forgotten.events {
            let time = now.max(self.time);
            self.apply_forgetting(before, events);
            self.record(Event::Forgotten { time, before, events });
        }
    }

    /// An impression. With `lists`, which finds the list of a ranker, they are mixed immediately; without, they are awaited
    /// ([`list`](Self::list)), or a judge is asked. Before, the unit is [admitted](Self::admits), and one of a snapshot
    /// [fetched](Self::fetch).
    ///
    /// # Errors
    /// If the list of a ranker that was chosen is missing: the impression is closed then. If lists are given to an experiment that
    /// asks judges.
    pub fn choose<'a>(
        &mut self,
        now: Time,
        request: &Request,
        lists: Option<&dyn Fn(u32) -> Option<&'a ListBuf>>,
    ) -> Result<RequestAnswer, CommandError> {
        if self.config.ask == Ask::Duels && lists.is_some() {
            return Err(CommandError::Ask(self.config.ask));
        }
        let time = now.max(self.time);
        self.advance(time);
        if self.state != State::Killed
            && let Some(known) = self.known_choice(request)
        {
            return Ok(known);
        }
        if self.state != State::Running {
            return Ok(RequestAnswer::Fallback(self.state));
        }
        self.take_over(time)?;
        let Request { unit, marks, segment } = *request;
        let segment = self.segment_of(unit, segment);
        debug_assert!(!self.lacks(unit), "unit {unit} was not fetched");
        let (choice, ticket) = self.choose_rankers(unit, time);
        let (impression, is_mixed) = (self.fates.asked + 1, choice.is_mixed());
        let mixed = lists.map(|lists| self.mix_lists(impression, &choice, lists));
        let (mut documents, mut receipt, mut missing_arm, mut are_identical) = (None, None, None, false);
        match mixed {
            None => {}
            Some(Ok(mixed)) => {
                are_identical = mixed.are_identical;
                (documents, receipt) = (Some(mixed.documents), Some(mixed.receipt));
            }
            Some(Err(arm)) => missing_arm = Some(arm),
        }
        let mut arms = choice.arms().to_vec();
        self.open_impression(time, unit, choice.clone(), ticket, receipt.as_deref(), segment);
        self.record(Event::Asked { time, unit, choice, receipt, segment });
        self.marks.add(time, impression, marks);
        if are_identical {
            self.record_notice(time, impression, Notice::Identical);
        }
        if let Some(arm) = missing_arm {
            return Err(self.close_without_list(time, impression, arm));
        }
        if self.config.ask == Ask::Duels && self.is_swapped(impression) {
            arms.reverse();
        }
        Ok(RequestAnswer::New { impression, arms, documents, is_mixed })
    }

    /// The answer to a request that came before, if it did.
    fn known_choice(&self, request: &Request) -> Option<RequestAnswer> {
        let Marks { query, key, request: body } = request.marks;
        let again = |impression: u64| {
            let open = self.open.get(impression)?;
            let mut arms = open.choice.arms().to_vec();
            if self.config.ask == Ask::Duels && self.is_swapped(impression) {
                arms.reverse();
            }
            let (is_listed, is_mixed) = (open.listed_at.is_some(), open.choice.is_mixed());
            Some(RequestAnswer::Again { impression, arms, is_listed, is_mixed })
        };
        if let Some(mark) = key.and_then(|key| self.marks.find_key(key)) {
            let impression = mark.impression;
            if mark.request != body {
                return Some(RequestAnswer::OtherRequest { impression });
            }
            return Some(again(impression).unwrap_or(RequestAnswer::Gone { impression }));
        }
        let mark = query.and_then(|query| self.marks.find_query(query))?;
        again(mark.impression)
    }

    /// Mixes the lists of an impression; the error is the ranker with a missing list.
    fn mix_lists<'a>(
        &self,
        impression: u64,
        choice: &Choice,
        lists: &dyn Fn(u32) -> Option<&'a ListBuf>,
    ) -> Result<MixedList, u32> {
        let list = |arm: &u32| {
            let ranker = if self.config.same_lists { self.rules.champion } else { *arm };
            lists(ranker).ok_or(ranker)
        };
        let lists_sent: Vec<&ListBuf> = choice.arms().iter().map(list).collect::<Result<_, _>>()?;
        let lists: Vec<RankedList<'_>> = lists_sent.iter().map(|list| list.as_list()).collect();
        let (generator, length) = (&mut self.key.impression(impression).lists(), self.rules.depth);
        if !choice.is_mixed() {
            let mut documents = Vec::new();
            if let Some(list) = lists.first() {
                list.break_ties(generator, &mut documents);
            }
            documents.truncate(length);
            return Ok(MixedList { documents, receipt: Vec::new(), are_identical: false });
        }
        // In an A/A test they are.
        let are_identical = !self.config.same_lists
            && lists_sent.len() > 1
            && lists.iter().all(|list| !list.is_empty())
            && lists_sent.windows(2).all(|two| two[0] == two[1]);
        let (documents, receipt): (_, Receipt) = match lists.as_slice() {
            &[first, second] if !choice.is_set() => {
                let method = &self.rules.interleaving;
                let (documents, receipt): (_, AnyInterleavingReceipt) =
                    method.draw([first, second], length, generator, &mut Default::default());
                (documents, receipt.into())
            }
            lists => {
                let (documents, receipt) =
                    self.rules.multileaving.draw(lists, length, generator, &mut Default::default());
                (documents, receipt.into())
            }
        };
        Ok(MixedList { documents, receipt: receipt.to_bytes_without_method(), are_identical })
    }

    /// Closes an impression for which a list is missing.
    fn close_without_list(&mut self, time: Time, impression: u64, arm: u32) -> CommandError {
        self.close_by_clicks(time, impression, Reason::Missing(arm));
        CommandError::Missing { impression, ranker: self.config.rankers[arm as usize].name.clone() }
    }

    /// Mixes the lists of an impression that was asked for without lists.
    ///
    /// # Errors
    /// If it does not wait for lists, or one is missing: the impression is closed then.
    pub fn list<'a>(
        &mut self,
        now: Time,
        impression: u64,
        lists: &dyn Fn(u32) -> Option<&'a ListBuf>,
    ) -> Result<Vec<Doc>, CommandError> {
        if self.config.ask == Ask::Duels {
            return Err(CommandError::Ask(self.config.ask));
        }
        let time = now.max(self.time);
        self.advance(time);
        let open = self.open.get(impression).ok_or(CommandError::Closed(impression))?;
        if open.listed_at.is_some() {
            return Err(CommandError::Listed(impression));
        }
        let choice = open.choice.clone();
        match self.mix_lists(impression, &choice, lists) {
            Ok(MixedList { documents, receipt, are_identical }) => {
                self.apply_list(time, impression, &receipt);
                self.record(Event::Listed { time, impression, receipt });
                if are_identical {
                    self.record_notice(time, impression, Notice::Identical);
                }
                Ok(documents)
            }
            Err(arm) => Err(self.close_without_list(time, impression, arm)),
        }
    }

    /// The user saw the first `seen_places` places of the list, at most as many as are mixed. The number never falls.
    ///
    /// # Errors
    /// If the impression is not open, or shows nothing yet.
    pub fn note_seen_places(&mut self, now: Time, impression: u64, seen_places: u32) -> Result<(), CommandError> {
        let time = now.max(self.time);
        self.advance(time);
        let depth = self.rules.depth as u32;
        let open = self.listed_mut(impression)?;
        let seen_places = seen_places.min(depth);
        if seen_places > open.seen {
            open.seen = seen_places;
            self.record(Event::Paged { time, impression, seen: seen_places });
        }
        Ok(())
    }

    /// The page actually displayed: positions of the mixed list, and places of others.
    ///
    /// # Errors
    /// If the impression is not open, shows nothing yet, or has no such positions.
    pub fn note_displayed_page(&mut self, now: Time, impression: u64, page: Page) -> Result<(), CommandError> {
        let time = now.max(self.time);
        self.advance(time);
        let open = self.open.get(impression).ok_or(CommandError::Closed(impression))?;
        if open.listed_at.is_none() {
            return Err(CommandError::NotListed(impression));
        }
        if open.choice.is_mixed() {
            let receipt = open.receipt(&self.rules).map_err(|error| CommandError::Page(error.to_string()))?;
            receipt.on_page(page.clone()).map_err(|error| CommandError::Page(error.to_string()))?;
        }
        if let Some(open) = self.open.get_mut(impression)
            && open.page.as_deref() != Some(&page)
        {
            open.page = Some(Box::new(page.clone()));
            self.record(Event::Shown { time, impression, page });
        }
        Ok(())
    }

    fn listed_mut(&mut self, impression: u64) -> Result<&mut super::OpenImpression, CommandError> {
        let open = self.open.get_mut(impression).ok_or(CommandError::Closed(impression))?;
        if open.listed_at.is_some() { Ok(open) } else { Err(CommandError::NotListed(impression)) }
    }

    /// Closes an impression now; whether it was open.
    pub fn close(&mut self, now: Time, impression: u64) -> bool {
        let time = now.max(self.time);
        self.advance(time);
        let Some(open) = self.open.get(impression) else { return false };
        let has_list = open.listed_at.is_some() && self.config.ask == Ask::Lists;
        let reason = if has_list { Reason::Asked } else { Reason::Unanswered };
        self.close_by_clicks(time, impression, reason);
        self.advance(time);
        true
    }

    /// The answer with this impression did not reach the caller: it has no outcome. Returns whether it was open.
    pub fn close_late_answer(&mut self, now: Time, impression: u64) -> bool {
        let time = now.max(self.time);
        if self.open.get(impression).is_none() {
            return false;
        }
        self.close_by_clicks(time, impression, Reason::AnsweredLate);
        true
    }

    /// Whether the two rankers of a judged impression are shown the other way round.
    pub(super) fn is_swapped(&self, impression: u64) -> bool {
        self.key.impression(impression).lists().next_u64() & 1 == 1
    }

    /// A judge's verdict on the two rankers in the order in which they were shown; returns whether the impression was
    /// open.
    ///
    /// # Errors
    /// If this experiment mixes lists.
    pub fn judge(&mut self, now: Time, impression: u64, winner: Preference) -> Result<bool, CommandError> {
        if self.config.ask == Ask::Lists {
            return Err(CommandError::Ask(self.config.ask));
        }
        let time = now.max(self.time);
        self.advance(time);
        let Some(open) = self.open.get(impression) else { return Ok(false) };
        let outcome = if open.choice.is_mixed() {
            Outcome::Pair(if self.is_swapped(impression) { winner.swapped() } else { winner })
        } else {
            Outcome::Nothing
        };
        self.close_with_credit(time, impression, Reason::Judged, Credit::of(outcome));
        self.advance(time);
        Ok(true)
    }

    /// Changes the state. Open impressions stay open until their window has passed. A ranker can be shipped in any state, and
    /// another one after it; nothing else happens to an experiment that is over.
    ///
    /// # Errors
    /// If it is over, or is in that state; if the ranker is not one of the experiment.
    pub fn change_state(&mut self, now: Time, to: State, who: &str, why: &str) -> Result<(), CommandError> {
        let time = now.max(self.time);
        self.advance(time);
        if !self.can_become(to) {
            return Err(CommandError::State { from: self.state, to });
        }
        self.apply_change(time, to, who, why);
        self.record(Event::Changed { time, state: to, who: who.to_owned(), why: why.to_owned() });
        self.advance(time);
        Ok(())
    }

    /// Whether its state can change to this one.
    pub(super) fn can_become(&self, state: State) -> bool {
        let is_allowed = match state {
            State::Shipped(ranker) => (ranker as usize) < self.config.rankers.len(),
            _ => !self.state.is_over(),
        };
        is_allowed && self.state != state
    }
}
