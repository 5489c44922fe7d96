//! Any policy, with each outcome kept until its pair is chosen (QPM-D): see [`LatePolicy::queued`](super::LatePolicy::queued).
//!
//! Outcomes of a pair are alike whichever side an arm was on: they are kept as whether the lower arm won, and turned
//! round if the policy chooses the pair the other way. A duel of an arm with itself never waits. The outcomes of a
//! set wait for the same set.
//!
//! A stretch alone is not ended by outcomes that arrive: they do not change the policy's state.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::{LateForm, share_arms};
use crate::state::{Plain, State, StateError, StateReader, StateWriter};
use crate::{Arm, Choice, Feedback, Generator, OwnedPolicy, PackedWins, PairWins, Policy as _};

#[derive(Clone)]
pub(super) struct QueuedForm {
    /// Behind a pointer: beside the queues, a virtual call costs nothing.
    policy: Box<dyn OwnedPolicy>,
    /// The steps that the policy has seen.
    played: u64,
    /// Its last choice, if that has no outcome yet. The queue of an awaited pair is empty.
    awaited: AwaitedOutcome,
    /// By pair, the lower arm first: whether that won, in order of arrival.
    duels: BTreeMap<(Arm, Arm), VecDeque<bool>>,
    sets: BTreeMap<Vec<Arm>, VecDeque<PairWins>>,
    waiting: u64,
}

#[derive(Clone, PartialEq)]
enum AwaitedOutcome {
    Nothing,
    Duel(Arm, Arm),
    Set(Vec<Arm>),
}

impl QueuedForm {
    pub(super) fn new(policy: Box<dyn OwnedPolicy>) -> Self {
        Self {
            policy,
            played: 0,
            awaited: AwaitedOutcome::Nothing,
            duels: BTreeMap::new(),
            sets: BTreeMap::new(),
            waiting: 0,
        }
    }

    /// Lets the policy learn the outcome that it awaits.
    fn feed(&mut self, feedback: Feedback<'_>) {
        self.awaited = AwaitedOutcome::Nothing;
        self.played += 1;
        self.policy.learn(self.played, feedback);
    }

    /// Feeds the outcome that waits for the policy's choice, if any does.
    fn feed_next(&mut self) -> bool {
        match &self.awaited {
            &AwaitedOutcome::Duel(first, second) => {
                let key = (first.min(second), first.max(second));
                let Some(lower_won) = pop_first(&mut self.duels, &key) else {
                    return false;
                };
                self.feed(Feedback::of_duel(first, second, lower_won == (first < second)));
            }
            AwaitedOutcome::Set(arms) => {
                let Some(wins) = pop_first(&mut self.sets, arms) else {
                    return false;
                };
                self.feed(Feedback::Set { wins: &wins });
            }
            AwaitedOutcome::Nothing => return false,
        }
        self.waiting -= 1;
        true
    }
}

/// The first of a queue, which is removed once it is empty.
fn pop_first<K: Ord, T>(queues: &mut BTreeMap<K, VecDeque<T>>, key: &K) -> Option<T> {
    let queue = queues.get_mut(key)?;
    let first = queue.pop_front();
    if queue.is_empty() {
        queues.remove(key);
    }
    first
}

fn load_vec<T: Plain>(from: &mut StateReader<'_>) -> Result<Vec<T>, StateError> {
    let mut values = Vec::new();
    values.load(from)?;
    Ok(values)
}

impl LateForm for QueuedForm {
    fn arms(&self) -> usize {
        self.policy.arms()
    }

    fn choose<'s>(&mut self, step: u64, generator: &mut Generator, set: &'s mut Arc<[Arm]>) -> Choice<'s> {
        loop {
            if self.awaited == AwaitedOutcome::Nothing {
                let own_step = self.played + 1;
                match self.policy.choose(own_step, generator) {
                    Choice::Alone { arm, until } => {
                        self.played = until.max(own_step);
                        return Choice::Alone { arm, until: step.saturating_add(self.played - own_step) };
                    }
                    Choice::Duel(first, second) => self.awaited = AwaitedOutcome::Duel(first, second),
                    Choice::Set(arms) => self.awaited = AwaitedOutcome::Set(arms.to_vec()),
                }
            }
            if !self.feed_next() {
                break;
            }
        }
        match &self.awaited {
            AwaitedOutcome::Set(arms) => Choice::Set(share_arms(set, arms)),
            &AwaitedOutcome::Duel(first, second) => Choice::Duel(first, second),
            // Not reached: something is awaited.
            AwaitedOutcome::Nothing => Choice::Alone { arm: Arm(0), until: step },
        }
    }

    fn arrive(&mut self, _step: u64, arms: &[Arm], feedback: Option<Feedback<'_>>) {
        match feedback {
            Some(Feedback::Duel { first_won, .. }) => {
                let (first, second) = (arms[0], arms[1]);
                if self.awaited == AwaitedOutcome::Duel(first, second) {
                    self.feed(Feedback::of_duel(first, second, first_won));
                } else if self.awaited == AwaitedOutcome::Duel(second, first) {
                    self.feed(Feedback::of_duel(second, first, !first_won));
                } else {
                    let key = (first.min(second), first.max(second));
                    self.duels.entry(key).or_default().push_back(first_won == (first < second));
                    self.waiting += 1;
                }
            }
            Some(Feedback::Set { wins }) => {
                if matches!(&self.awaited, AwaitedOutcome::Set(set) if set == arms) {
                    self.feed(Feedback::Set { wins });
                } else {
                    self.sets.entry(arms.to_vec()).or_default().push_back(wins.clone());
                    self.waiting += 1;
                }
            }
            None => {}
        }
    }

    fn cut(&mut self, _last: u64) -> bool {
        false
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        self.policy.recommend(generator)
    }

    fn is_native(&self) -> bool {
        false
    }

    fn wins(&self, _i: Arm, _j: Arm) -> Option<(u32, u32)> {
        None
    }

    fn waiting(&self) -> u64 {
        self.waiting
    }

    fn copy(&self) -> Box<dyn LateForm> {
        Box::new(self.clone())
    }

    fn save(&self, to: &mut StateWriter) -> bool {
        to.put((self.played, self.waiting));
        to.put(match &self.awaited {
            AwaitedOutcome::Nothing => 0_u8,
            AwaitedOutcome::Duel(..) => 1,
            AwaitedOutcome::Set(_) => 2,
        });
        match &self.awaited {
            AwaitedOutcome::Nothing => {}
            &AwaitedOutcome::Duel(first, second) => to.put((first, second)),
            AwaitedOutcome::Set(arms) => arms.save(to),
        }
        to.put(self.duels.len());
        for (&pair, queue) in &self.duels {
            to.put(pair);
            queue.iter().copied().collect::<Vec<bool>>().save(to);
        }
        to.put(self.sets.len());
        for (arms, queue) in &self.sets {
            arms.save(to);
            to.put(queue.len());
            queue.iter().for_each(|wins| PackedWins::from(wins).save(to));
        }
        self.policy.save(to)
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        (self.played, self.waiting) = from.get()?;
        self.awaited = match from.get::<u8>()? {
            0 => AwaitedOutcome::Nothing,
            1 => {
                let (first, second) = from.get()?;
                AwaitedOutcome::Duel(first, second)
            }
            2 => AwaitedOutcome::Set(load_vec(from)?),
            _ => return Err(StateError::Damaged { what: "an awaited choice of no kind" }),
        };
        self.duels.clear();
        for _ in 0..from.get::<usize>()? {
            let pair = from.get()?;
            self.duels.insert(pair, load_vec::<bool>(from)?.into());
        }
        self.sets.clear();
        for _ in 0..from.get::<usize>()? {
            let arms = load_vec(from)?;
            let mut queue = VecDeque::new();
            for _ in 0..from.get::<usize>()? {
                let (mut packed, mut wins) = (PackedWins::default(), PairWins::default());
                packed.load(from)?;
                packed.unpack(&mut wins);
                queue.push_back(wins);
            }
            self.sets.insert(arms, queue);
        }
        self.policy.load(from)
    }
}
