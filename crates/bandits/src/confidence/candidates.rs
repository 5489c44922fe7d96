//! The arms that no evidence rules out yet, as duels and time change them.

use super::{Evidence, ProjectedEvidence, pair_bounds::Duels};
use crate::{Arm, Generator, state};

/// The arms whose upper bounds are all at least 1/2, in order, as time and duels change them.
#[derive(Debug, Clone)]
pub(crate) struct Candidates {
    evidence: Evidence,
    projected: ProjectedEvidence,
    members: Vec<Arm>,
    inside: Vec<bool>,
    /// No arm outside has less evidence against it: until then time admits none.
    next: f64,
}

state!(Candidates { evidence, projected, members, inside, next });

impl Candidates {
    /// All arms. `prior` wins either way for every pair.
    pub(crate) fn new(arms: usize, prior: u32) -> Self {
        Self {
            evidence: Evidence::new(arms, prior),
            projected: ProjectedEvidence::new(arms),
            members: (0..arms).map(Arm::at).collect(),
            inside: vec![true; arms],
            next: f64::INFINITY,
        }
    }

    pub(crate) fn arms(&self) -> usize {
        self.evidence.arms()
    }

    #[inline]
    pub(crate) fn members(&self) -> &[Arm] {
        &self.members
    }

    #[inline]
    pub(crate) fn contains(&self, arm: Arm) -> bool {
        self.inside[arm.index()]
    }

    /// Whether a candidate would be none if every open duel of a pair went as its duels have so far.
    #[inline]
    pub(crate) fn would_leave(&self, arm: Arm, time: f64) -> bool {
        self.projected.rules_out(arm.index(), time)
    }

    /// [`Evidence::copeland_best`].
    pub(crate) fn copeland_best(&self, generator: &mut Generator) -> Option<Arm> {
        self.evidence.copeland_best(generator)
    }

    /// Updates `arm`, against which `evidence` is the strongest, now that alpha ln t is `time`.
    #[inline(always)]
    fn update(&mut self, arm: usize, evidence: f64, time: f64) {
        let inside = time >= evidence;
        if !inside {
            self.next = self.next.min(evidence);
        }
        if inside != self.inside[arm] {
            self.put(Arm::at(arm), inside);
        }
    }

    #[cold]
    fn admit(&mut self, time: f64) {
        self.next = f64::INFINITY;
        for arm in 0..self.arms() {
            if !self.inside[arm] {
                self.update(arm, self.evidence.strongest()[arm], time);
            }
        }
    }

    #[cold]
    fn put(&mut self, arm: Arm, inside: bool) {
        self.inside[arm.index()] = inside;
        let at = self.members.partition_point(|&member| member < arm);
        if inside {
            self.members.insert(at, arm);
        } else {
            self.members.remove(at);
        }
    }
}

impl Duels for Candidates {
    #[inline]
    fn wins(&self, i: usize, j: usize) -> (u32, u32) {
        self.evidence.wins(i, j)
    }

    #[inline(always)]
    fn record(&mut self, first: usize, second: usize, first_won: bool, time: f64) -> (u32, u32) {
        let wins = self.evidence.record(first, second, first_won);
        self.update(first, self.evidence.strongest()[first], time);
        self.update(second, self.evidence.strongest()[second], time);
        wins
    }

    /// Admits the arms that time admits.
    #[inline(always)]
    fn advance(&mut self, time: f64) {
        if time >= self.next {
            self.admit(time);
        }
    }

    #[inline(always)]
    fn note_open(&mut self, i: usize, j: usize, open: u32) {
        self.projected.update(i, j, open, &self.evidence);
    }
}
