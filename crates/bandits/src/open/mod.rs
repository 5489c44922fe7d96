//! Any number of choices open at a time: tickets for them, answers in any order, delays in simulation. How an
//! algorithm takes a late outcome is in `late`.
//!
//! * **With every answer in time** the choices are those of the plain `Policy`, for every algorithm (`tests/all/open`).
//! * **Natively**, late answers go to RUCB, RCS, RTS, D-TS, CCB, RMED (but not ECW-RMED), mergeRUCB, MergeDTS, MDB, MultiRUCB, Self-Sparring,
//!   `bradley-terry` (both forms), Sparring with Thompson sampling, elimination by Borda scores, RUCB and D-TS that forget, and random choice. Rules of upper bounds (RUCB, RCS, CCB, RMED, mergeRUCB) count open duels at their pair's
//!   present mean in the bounds that choose; RMED chooses all pairs in turn until each has an outcome. What cannot be undone
//!   (eliminations, merges, stages), and the start of a stretch alone, depend on known outcomes only. Samplers draw again for each
//!   impression and count nothing that is open.
//! * **All others** get their outcomes through queues, one per pair: users see the pair that the algorithm waits for
//!   until one of its outcomes arrives (QPM-D; Joulani, György and Szepesvári, ICML 2013,
//!   <https://proceedings.mlr.press/v28/joulani13.html>). That costs up to the delay times the number of pairs: for few arms or
//!   short delays. `OpenPolicy::is_native` returns which it is, `Tally::waiting` how many outcomes are not used yet.
//! * **A stretch alone** ends at the next answer, after which the algorithm chooses again. Ties are broken by coins of the
//!   policy's own stream when the answer comes.
//! * **Tickets** carry a check of everything that happened before them: those of another policy, of a run that was started
//!   again from scratch, or of a part of the history that a restart lost, are refused.
//! * **Logs and snapshots.** A log has one line per call; a replay makes the calls again and compares every line, coins
//!   included. A snapshot is the whole state, with a checksum and the algorithm's revision; a build in which the
//!   algorithm has other fields refuses it, and the log remains. Append `take_log` to a file before you act on an answer.
//! * **In batches**: `allocate(n)` says how often to show each pair in the next n impressions, whole numbers that add up to n,
//!   and `settle` takes the sums of outcomes back.
//! * **In simulation**: `open::play_open` with `open::AnswerTiming` (fixed, geometric or listed delays, batches, lost answers,
//!   expiry); the observers are those of `play`.
//!
//! An algorithm of your own, e.g. a `DuelPolicy`, becomes native by implementing `Late`; otherwise `LatePolicy::queued` takes it as it is.

mod allocation;
mod days;
mod delays;
mod in_step;
mod log;
mod play;
mod snapshot;
mod tickets;

use std::sync::Arc;

pub use allocation::{Allocation, PairOutcomes, Share};
pub use days::{AbsorbedOutcomes, OutcomePool};
pub use delays::{AnswerTiming, Delay, DelayError};
pub use in_step::{OpenRunState, play_open_in_step};
pub use log::LogError;
pub use play::{OpenRun, play_open};
use tickets::{Arms, Tickets};
pub use tickets::{OpenError, Ticket};

use crate::late::LatePolicy;
use crate::random::Coins;
use crate::registry::{Spec, canonical};
use crate::{Arm, Choice, Feedback, Generator, Generators, PairWins, ParameterError, PolicyConfig, Preference};

/// A dueling bandit for real traffic: thousands of its choices may be open, answers come in any order, and some never.
///
/// One call of [`ask`](Self::ask) is one impression. A duel or a set comes with a [`Ticket`]; give it back once, with
/// the outcome ([`tell`](Self::tell)) or without ([`forget`](Self::forget)). A ticket that is given back twice, or that
/// this policy never gave out, is an error and changes nothing.
///
/// ```
/// use bandits::registry::Spec;
/// use bandits::{Arm, Choice, Preference, Generators};
///
/// let spec: Spec = "rucb".parse()?;
/// let mut policy = spec.open(4, None, &Generators::from_seed(1))?;
/// let mut open = Vec::new();
/// for impression in 0..5_000 {
///     let asked = policy.ask();
///     if let (Some(ticket), Choice::Duel(first, second)) = (asked.ticket, asked.choice) {
///         open.push((ticket, first, second));
///     }
///     // Show the lists. Clicks come a hundred impressions later, here the last first; one in fifty never.
///     if impression % 100 == 99 {
///         while let Some((ticket, first, second)) = open.pop() {
///             if open.len() % 50 == 7 {
///                 policy.forget(ticket)?;
///             } else {
///                 policy.tell(ticket, if first < second { Preference::First } else { Preference::Second })?;
///             }
///         }
///     }
/// }
/// assert_eq!(policy.recommend(), Some(Arm(0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct OpenPolicy {
    name: String,
    form: LatePolicy,
    generator: Generator,
    coin_generator: Generator,
    coins: Coins,
    /// The impressions so far.
    step: u64,
    /// The arm of a stretch alone that goes on, and its last impression.
    alone: Option<(Arm, u64)>,
    tickets: Tickets,
    /// A checksum of all that happened: tickets of another history do not fit.
    history: u64,
    tally: Tally,
    /// The last set chosen, shared by its tickets as long as it stays the same.
    set: Arc<[Arm]>,
    room: PairWins,
    log: Option<String>,
}

/// The arms to show for an impression, and its ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenChoice<'a> {
    /// The number of the impression, from 1.
    pub step: u64,
    /// The ticket for its outcome. `None` if there is nothing to learn: an arm alone, or against
    /// itself.
    pub ticket: Option<Ticket>,
    /// The arms. Of a stretch alone, `until` is its last impression as far as is known now: an answer may end it
    /// sooner.
    pub choice: Choice<'a>,
}

/// The outcome of an impression, ties as ties.
#[derive(Debug, Clone, Copy)]
pub enum Outcome<'a> {
    /// The outcome of a duel, in the order of its arms.
    Duel(Preference),
    /// The outcome of a set: every pair won or tied, by position in the set.
    Set(&'a PairWins),
}

impl From<Preference> for Outcome<'_> {
    fn from(outcome: Preference) -> Self {
        Self::Duel(outcome)
    }
}

impl<'a> From<&'a PairWins> for Outcome<'a> {
    fn from(wins: &'a PairWins) -> Self {
        Self::Set(wins)
    }
}

/// How many impressions and answers there were: `tickets = told + forgotten + open`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Impressions chosen, including those of an arm alone.
    pub asked: u64,
    /// Tickets given out.
    pub tickets: u64,
    /// Tickets that got an outcome.
    pub told: u64,
    /// Tickets that were forgotten.
    pub forgotten: u64,
    /// Tickets that are still open.
    pub open: u64,
    /// Outcomes that the policy has not used yet: they wait in queues (0 if it takes late outcomes itself).
    pub waiting: u64,
}

impl Spec {
    /// Opens the algorithm for late answers. `generators` are those of the run: the policy's draws and the coins that
    /// break ties come from them, as in [`play`](crate::play).
    ///
    /// # Errors
    /// Those of [`visit`](Self::visit).
    pub fn open(
        &self,
        arms: usize,
        horizon: Option<u64>,
        generators: &Generators,
    ) -> Result<OpenPolicy, ParameterError> {
        let name = history_name(&self.canonical(), self.entry().revision, arms, horizon);
        Ok(OpenPolicy::new(&name, self.late(arms, horizon)?, generators))
    }
}

/// The name of the history of a policy, as written in logs: the horizon is 0 where it is not known.
fn history_name(canonical: &str, revision: u32, arms: usize, horizon: Option<u64>) -> String {
    format!("{canonical} revision={revision} arms={arms} horizon={}", horizon.unwrap_or(0))
}

impl OpenPolicy {
    /// Opens the algorithm with these parameters, as [`Spec::open`] does.
    ///
    /// ```
    /// use bandits::policies::rucb::RucbConfig;
    /// use bandits::{Generators, OpenPolicy};
    ///
    /// let config = RucbConfig { alpha: 0.6, ..RucbConfig::default() };
    /// let policy = OpenPolicy::of(&config, 4, None, &Generators::from_seed(1))?;
    /// assert_eq!(policy.arms(), 4);
    /// # Ok::<(), bandits::ParameterError>(())
    /// ```
    ///
    /// # Errors
    /// If the parameters are out of range, the algorithm cannot choose among that many arms, or needs its horizon.
    pub fn of<C: PolicyConfig>(
        config: &C,
        arms: usize,
        horizon: Option<u64>,
        generators: &Generators,
    ) -> Result<Self, ParameterError> {
        let name = history_name(&canonical(config), C::REVISION, arms, horizon);
        Ok(Self::new(&name, config.late(arms, horizon)?, generators))
    }

    /// Opens a policy of your own. `name` and `generators` identify its history: tickets of one with another name or
    /// other generators are not accepted.
    #[must_use]
    pub fn new(name: &str, form: LatePolicy, generators: &Generators) -> Self {
        let mut seeds = [generators.policy.clone(), generators.coins.clone()];
        let draws = seeds.iter_mut().map(rand::Rng::next_u64);
        let history = name.bytes().map(u64::from).chain(draws).fold(0, mix_history);
        Self {
            // One line of a log.
            name: name.replace(['\n', '\r'], " "),
            form,
            generator: generators.policy.clone(),
            coin_generator: generators.coins.clone(),
            coins: Coins::default(),
            step: 0,
            alone: None,
            tickets: Tickets::default(),
            history,
            tally: Tally::default(),
            set: Arc::new([]),
            room: PairWins::default(),
            log: None,
        }
    }

    /// How many arms it chooses among.
    #[must_use]
    pub fn arms(&self) -> usize {
        self.form.arms()
    }

    /// Its name: the algorithm with all parameters, its revision, arms and horizon; or the name of your own policy.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the algorithm takes late outcomes itself, or through queues.
    #[must_use]
    pub fn is_native(&self) -> bool {
        self.form.is_native()
    }

    /// How many impressions and answers there were.
    #[must_use]
    pub fn tally(&self) -> Tally {
        Tally { open: self.tickets.open(), waiting: self.form.waiting(), ..self.tally }
    }

    /// How often `i` beat `j` and `j` beat `i`, ties by coins included, as far as the policy has learnt; `None` if it does
    /// not keep the wins of every pair.
    #[must_use]
    pub fn wins(&self, i: Arm, j: Arm) -> Option<(u32, u32)> {
        self.form.wins(i, j)
    }

    /// The tickets that are open, in no particular order, with the impression and the arms of each.
    pub fn open_tickets(&self) -> impl Iterator<Item = (Ticket, u64, &[Arm])> {
        self.tickets.iter()
    }

    /// The arms for the next impression.
    pub fn ask(&mut self) -> OpenChoice<'_> {
        self.step += 1;
        self.tally.asked = self.step;
        let step = self.step;
        if let Some((arm, until)) = self.alone {
            if until <= step {
                self.alone = None;
            }
            return self.asked_alone(Choice::Alone { arm, until });
        }
        let choice = self.form.choose(step, &mut self.generator, &mut self.set);
        match choice {
            Choice::Alone { arm, until } => {
                let until = until.max(step);
                self.alone = (until > step).then_some((arm, until));
                return self.asked_alone(Choice::Alone { arm, until });
            }
            Choice::Duel(first, second) if first == second => {
                let first_won = self.coins.toss(&mut self.coin_generator);
                self.form.arrive(step, &[first; 2], Some(Feedback::of_duel(first, first, first_won)));
                if let Some(log) = &mut self.log {
                    log::log_ask(log, step, None, choice, if first_won { " first" } else { " second" });
                }
                return OpenChoice { step, ticket: None, choice: Choice::Duel(first, first) };
            }
            _ => {}
        }
        self.history = mix_history(self.history, step);
        self.tally.tickets += 1;
        let (ticket, choice) = if let Choice::Duel(first, second) = choice {
            (self.tickets.give(self.history, step, [first, second]), Choice::Duel(first, second))
        } else {
            (self.tickets.give_set(self.history, step, Arc::clone(&self.set)), Choice::Set(&self.set))
        };
        if let Some(log) = &mut self.log {
            log::log_ask(log, step, Some(ticket), choice, "");
        }
        OpenChoice { step, ticket: Some(ticket), choice }
    }

    fn asked_alone(&mut self, choice: Choice<'static>) -> OpenChoice<'static> {
        if let Some(log) = &mut self.log {
            log::log_ask(log, self.step, None, choice, "");
        }
        OpenChoice { step: self.step, ticket: None, choice }
    }

    /// From here on, coins that break ties (and decide duels of an arm with itself) are tossed from a copy of this
    /// generator; unused coins from before are dropped. Each coin is a bit, 64 to a draw, the lowest first.
    ///
    /// Call it before [`ask`](Self::ask) and [`tell`](Self::tell) where each impression has coins of its own, so that a
    /// tie is broken in the same way whenever its outcome comes. A [log](Self::keep_log) does not record the generator:
    /// a replay must make the same calls of this method. [`replay`](Self::replay) makes none, and refuses the first tie that
    /// was broken in another way.
    pub fn use_coins(&mut self, coins: &Generator) {
        (self.coins, self.coin_generator) = (Coins::default(), coins.clone());
    }

    /// Goes on with the arm that plays alone, up to impression `last`, without asking for each: the same as asking as
    /// long as it plays alone. Returns the number of the last impression. A stretch ends before `last` if its end
    /// comes first.
    pub fn stay(&mut self, last: u64) -> u64 {
        if let Some((_, until)) = self.alone
            && last > self.step
        {
            let to = last.min(until);
            self.step = to;
            self.tally.asked = to;
            if let Some(log) = &mut self.log {
                log::log_stay(log, to);
            }
            if until <= to {
                self.alone = None;
            }
        }
        self.step
    }

    /// The outcome of the choice that came with `ticket`. Ties are broken by coins of the policy's own stream.
    ///
    /// # Errors
    /// If the ticket is not open, or the outcome does not fit its choice. Nothing changes then.
    pub fn tell<'a>(&mut self, ticket: Ticket, outcome: impl Into<Outcome<'a>>) -> Result<(), OpenError> {
        let outcome = outcome.into();
        // The usual case, by looking at the ticket once.
        if let Outcome::Duel(outcome) = outcome
            && let Some((step, pair)) = self.tickets.close_duel(ticket)
        {
            self.note_closed(ticket, 2);
            self.tell_duel(ticket, step, pair, outcome);
            return Ok(());
        }
        match (outcome, self.tickets.arms(ticket)?) {
            (Outcome::Set(wins), Arms::Set(set)) if wins.arms() == set.len() => {
                if let Some((first, second)) = wins.find_undecided() {
                    return Err(OpenError::Undecided { ticket, first, second });
                }
                let set = Arc::clone(set);
                self.tell_set(ticket, &set, wins);
                Ok(())
            }
            (Outcome::Set(wins), arms) => Err(OpenError::wrong_outcome(ticket, arms, wins.arms())),
            (Outcome::Duel(_), arms) => Err(OpenError::wrong_outcome(ticket, arms, 2)),
        }
    }

    #[inline]
    fn tell_duel(&mut self, ticket: Ticket, step: u64, pair: [Arm; 2], outcome: Preference) {
        self.tally.told += 1;
        self.history = mix_history(self.history, outcome as u64);
        let first_won = match outcome {
            Preference::Tie => self.coins.toss(&mut self.coin_generator),
            decided => decided == Preference::First,
        };
        if let Some(log) = &mut self.log {
            log::log_outcome(log, ticket, outcome.into(), first_won);
        }
        self.form.arrive(step, &pair, Some(Feedback::of_duel(pair[0], pair[1], first_won)));
    }

    fn tell_set(&mut self, ticket: Ticket, set: &[Arm], wins: &PairWins) {
        let step = self.close(ticket, 2);
        self.tally.told += 1;
        self.history = wins.words().fold(self.history, mix_history);
        if let Some(log) = &mut self.log {
            log::log_outcome(log, ticket, wins.into(), false);
        }
        self.room.clone_from(wins);
        self.room.resolve_ties(&mut self.coin_generator);
        self.form.arrive(step, set, Some(Feedback::Set { wins: &self.room }));
    }

    /// Closes a ticket that is open, and returns its step.
    fn close(&mut self, ticket: Ticket, closing_code: u64) -> u64 {
        let step = self.tickets.close(ticket);
        self.note_closed(ticket, closing_code);
        step
    }

    /// A ticket was closed. `closing_code` is what the history notes.
    #[inline]
    fn note_closed(&mut self, ticket: Ticket, closing_code: u64) {
        self.history = mix_history(self.history, closing_code | u64::from(ticket.slot) << 8);
        // Lets the algorithm choose again, with this outcome.
        if self.alone.is_some() && self.form.cut(self.step) {
            self.alone = None;
        }
    }

    /// No outcome will come for `ticket`.
    ///
    /// # Errors
    /// If the ticket is not open. Nothing changes then.
    pub fn forget(&mut self, ticket: Ticket) -> Result<(), OpenError> {
        let (pair, set) = match self.tickets.arms(ticket)? {
            Arms::Duel(pair) => (pair, None),
            Arms::Set(set) => ([Arm(0); 2], Some(Arc::clone(set))),
        };
        let step = self.close(ticket, 3);
        self.tally.forgotten += 1;
        if let Some(log) = &mut self.log {
            log::log_forgotten(log, ticket);
        }
        self.form.arrive(step, set.as_deref().unwrap_or(&pair), None);
        Ok(())
    }

    /// The arm that it would recommend now; `None` if its outcomes single out none. Calling this does not affect
    /// later choices.
    #[must_use]
    pub fn recommend(&self) -> Option<Arm> {
        let mut generator = self.generator.clone();
        generator.long_jump();
        self.form.recommend(&mut generator)
    }
}

/// A step of the checksum of a history.
#[inline]
fn mix_history(history: u64, word: u64) -> u64 {
    let mixed = (history ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
}
