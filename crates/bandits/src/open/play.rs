//! The run loop with answers that come late: one open policy in one arena.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::{AnswerTiming, OpenPolicy, Outcome, Ticket};
use crate::{Arena, Arm, Choice, Generator, Observer, PackedWins, PairWins, Preference};

/// The number of impressions between two calls of [`Observer::stop`].
const STOP_EVERY: u32 = 1 << 12;

/// Plays an open policy in `arena` for `horizon` impressions, with outcomes as late as `timing` says, and returns how
/// many were shown: all, unless the observer stopped the run. Tickets that are open then stay open.
///
/// `outcomes` is the arena's generator, `delays` draws how late each outcome comes. The observer sees impressions as
/// they are shown, and outcomes as they arrive. If every outcome comes immediately, the run is that of
/// [`play`](crate::play).
///
/// ```
/// use bandits::open::{Delay, AnswerTiming, play_open};
/// use bandits::registry::Spec;
/// use bandits::{Arm, Generators, MatrixArena, Recorder, problems};
///
/// let mut arena = MatrixArena::new(problems::arithmetic(8)?)?;
/// let mut generators = Generators::from_seed(1);
/// let mut policy = "rucb".parse::<Spec>()?.open(8, None, &generators)?;
/// let mut delays = generators.coins.clone();
/// delays.jump();
/// let timing = AnswerTiming { delay: Delay::Geometric(500.0), lost: 0.1, ..AnswerTiming::default() };
/// let mut recorder = Recorder::new(vec![20_000]);
/// play_open(&mut policy, &mut arena, 20_000, &mut generators.arena, &mut delays, &timing, &mut recorder);
/// assert_eq!(policy.recommend(), Some(Arm(0)));
/// let tally = policy.tally();
/// assert_eq!(tally.tickets, tally.told + tally.forgotten + tally.open);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn play_open<A: Arena + ?Sized, O: Observer + ?Sized>(
    policy: &mut OpenPolicy,
    arena: &mut A,
    horizon: u64,
    outcomes: &mut Generator,
    delays: &mut Generator,
    timing: &AnswerTiming,
    observer: &mut O,
) -> u64 {
    let mut run = OpenRun::new(timing.clone(), delays.clone());
    let shown = run.until(horizon, policy, arena, outcomes, observer);
    *delays = run.delays;
    shown
}

/// A run with late answers that can be interrupted and resumed: it holds the outcomes that are under way. Otherwise
/// like [`Run`](crate::Run).
#[derive(Debug, Clone)]
pub struct OpenRun {
    timing: AnswerTiming,
    delays: Generator,
    queue: Queue,
    until_asked: u32,
    /// The coins of the current step, of arenas that [start each step](Arena::start_step) with their own; otherwise the
    /// policy's are tossed.
    coins: Generator,
    own_coins: bool,
}

/// The data of a step in addition to the run.
pub(super) struct OpenStep<'a, A: ?Sized, O: ?Sized> {
    pub(super) policy: &'a mut OpenPolicy,
    pub(super) arena: &'a mut A,
    pub(super) outcomes: &'a mut Generator,
    pub(super) observer: &'a mut O,
}

/// Two arms that meet in the current step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meeting {
    ticket: Ticket,
    pub(super) first: Arm,
    pub(super) second: Arm,
}

impl OpenRun {
    /// Before its first impression.
    #[must_use]
    pub fn new(timing: AnswerTiming, delays: Generator) -> Self {
        let coins = delays.clone();
        Self { timing, delays, queue: Queue::default(), until_asked: STOP_EVERY, coins, own_coins: false }
    }

    /// The number of outcomes under way, and of tickets that are yet to be forgotten.
    #[must_use]
    pub fn under_way(&self) -> usize {
        self.queue.in_order.len() + self.queue.others.len()
    }

    /// Continues until impression `last` was shown, and returns the number of the last one shown.
    pub fn until<A: Arena + ?Sized, O: Observer + ?Sized>(
        &mut self,
        last: u64,
        policy: &mut OpenPolicy,
        arena: &mut A,
        outcomes: &mut Generator,
        observer: &mut O,
    ) -> u64 {
        let mut wins = PairWins::default();
        let mut step = OpenStep { policy, arena, outcomes, observer };
        while step.policy.step < last {
            if let Some(meeting) = self.begin(&mut step, last, &mut wins) {
                self.meet(&mut step, meeting);
            }
            if self.end(&mut step, &mut wins) {
                break;
            }
        }
        step.policy.step
    }

    /// Asks for the next impression. Two arms that meet are returned before they do; anything else is shown, at most up
    /// to impression `last`.
    pub(super) fn begin<A: Arena + ?Sized, O: Observer + ?Sized>(
        &mut self,
        at: &mut OpenStep<'_, A, O>,
        last: u64,
        wins: &mut PairWins,
    ) -> Option<Meeting> {
        let OpenStep { policy, arena, outcomes, observer } = at;
        let stays = arena.reach(policy.step + 1);
        self.own_coins = arena.start_step(policy.step + 1, outcomes, &mut self.coins);
        if self.own_coins {
            policy.use_coins(&self.coins);
        }
        let asked = policy.ask();
        let (step, ticket) = (asked.step, asked.ticket);
        match (ticket, asked.choice) {
            (Some(ticket), Choice::Duel(first, second)) => return Some(Meeting { ticket, first, second }),
            (Some(ticket), choice) => {
                if let Choice::Set(arms) = choice {
                    arena.multi_duel(arms, outcomes, wins);
                }
                observer.played(step, step, choice, arena.gaps());
                let (due, comes) = self.timing.draw_arrival(step, &mut self.delays);
                if comes && due == step {
                    if let Choice::Set(arms) = choice {
                        observer.multi_dueled(arms, wins);
                    }
                    pass_outcome(policy, ticket, Outcome::Set(wins));
                } else {
                    let comes =
                        if comes { AnswerTime::Set(PackedWins::from(&*wins).into()) } else { AnswerTime::Never };
                    self.queue.push(DueAnswer { due, ticket, comes, coins: self.coins_of_step() });
                }
            }
            (None, Choice::Alone { arm, until }) => {
                let to = until.min(last).min(stays).min(self.queue.next()).max(step);
                let to = policy.stay(to).max(step);
                observer.played(step, to, Choice::Alone { arm, until: to }, arena.gaps());
            }
            (None, choice) => observer.played(step, step, choice, arena.gaps()),
        }
        None
    }

    /// Shows the impression in which two arms meet.
    pub(super) fn meet<A: Arena + ?Sized, O: Observer + ?Sized>(
        &mut self,
        at: &mut OpenStep<'_, A, O>,
        Meeting { ticket, first, second }: Meeting,
    ) {
        let step = at.policy.step;
        let outcome = at.arena.duel(first, second, at.outcomes);
        at.observer.played(step, step, Choice::Duel(first, second), at.arena.gaps());
        let (due, comes) = self.timing.draw_arrival(step, &mut self.delays);
        let coins = if outcome == Preference::Tie { self.coins_of_step() } else { None };
        let comes = if comes { AnswerTime::Duel(outcome) } else { AnswerTime::Never };
        self.queue.push(DueAnswer { due, ticket, comes, coins });
    }

    /// The coins that break the ties of the current step, if it has its own.
    fn coins_of_step(&self) -> Option<Box<Generator>> {
        self.own_coins.then(|| Box::new(self.coins.clone()))
    }

    /// Hands over the outcomes that come now and reports to the observer; returns whether to stop the run.
    pub(super) fn end<A: Arena + ?Sized, O: Observer + ?Sized>(
        &mut self,
        at: &mut OpenStep<'_, A, O>,
        wins: &mut PairWins,
    ) -> bool {
        let OpenStep { policy, observer, .. } = at;
        while let Some(DueAnswer { ticket, comes, coins, .. }) = self.queue.pop(policy.step) {
            if let Some(coins) = coins {
                policy.use_coins(&coins);
            }
            match (comes, policy.tickets.choice(ticket)) {
                (AnswerTime::Duel(outcome), Choice::Duel(first, second)) => {
                    observer.dueled(first, second, outcome);
                    pass_outcome(policy, ticket, outcome.into());
                }
                (AnswerTime::Set(packed), Choice::Set(arms)) => {
                    packed.unpack(wins);
                    observer.multi_dueled(arms, wins);
                    pass_outcome(policy, ticket, Outcome::Set(wins));
                }
                (_, _) => {
                    let forgotten = policy.forget(ticket);
                    debug_assert_eq!(forgotten, Ok(()));
                }
            }
        }
        observer.caught_up(policy.step);
        if policy.step >= observer.next_report() {
            observer.report(policy.step, policy.recommend());
            if observer.stop() {
                return true;
            }
        }
        self.until_asked -= 1;
        if self.until_asked > 0 {
            return false;
        }
        self.until_asked = STOP_EVERY;
        observer.stop()
    }
}

/// Passes the outcome of a ticket, which the run does once per ticket.
fn pass_outcome(policy: &mut OpenPolicy, ticket: Ticket, outcome: Outcome<'_>) {
    let answered = policy.tell(ticket, outcome);
    debug_assert_eq!(answered, Ok(()));
}

/// The answer to a ticket.
#[derive(Debug, Clone)]
enum AnswerTime {
    Duel(Preference),
    Set(Box<PackedWins>),
    Never,
}

/// A ticket with an answer due after impression `due`.
#[derive(Debug, Clone)]
struct DueAnswer {
    due: u64,
    ticket: Ticket,
    comes: AnswerTime,
    /// The coins that break its ties, in arenas with coins per step.
    coins: Option<Box<Generator>>,
}

impl DueAnswer {
    /// In the order of time, then of choices.
    fn key(&self) -> (u64, u64) {
        (self.due, self.ticket.number)
    }
}

impl PartialEq for DueAnswer {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for DueAnswer {}

impl PartialOrd for DueAnswer {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for DueAnswer {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// Tickets by the time when they are due. Those due no sooner than all before them, as with fixed delays, need no heap.
#[derive(Debug, Clone, Default)]
struct Queue {
    in_order: VecDeque<DueAnswer>,
    others: BinaryHeap<Reverse<DueAnswer>>,
}

impl Queue {
    fn push(&mut self, due: DueAnswer) {
        if self.in_order.back().is_none_or(|last| *last <= due) {
            self.in_order.push_back(due);
        } else {
            self.others.push(Reverse(due));
        }
    }

    /// When the next is due.
    fn next(&self) -> u64 {
        let (one, other) = (self.in_order.front(), self.others.peek());
        one.map_or(u64::MAX, |due| due.due).min(other.map_or(u64::MAX, |due| due.0.due))
    }

    /// The next one, if it is due after impression `step` or before.
    fn pop(&mut self, step: u64) -> Option<DueAnswer> {
        let first = match (self.in_order.front(), self.others.peek()) {
            (Some(one), Some(Reverse(other))) => one < other,
            (one, _) => one.is_some(),
        };
        if first {
            self.in_order.pop_front_if(|due| due.due <= step)
        } else {
            self.others.peek().is_some_and(|due| due.0.due <= step).then(|| self.others.pop())?.map(|due| due.0)
        }
    }
}
