//! The arms that no evidence rules out yet, as duels and time change them.

use super::{DuelCounts, Evidence, ProjectedEvidence};
use crate::random::below;
use crate::{Arm, Generator, state};

/// The arms with all upper bounds at least 1/2, in order, as time and duels change them.
#[derive(Debug, Clone)]
pub(crate) struct Candidates {
    evidence: Evidence,
    projected: ProjectedEvidence,
    members: Vec<Arm>,
    inside: Vec<bool>,
    /// No arm outside has less evidence against it: until then time admits none.
    next: f64,
    /// alpha ln t.
    time: f64,
}

state!(Candidates { evidence, projected, members, inside, next, time });

impl Candidates {
    /// All arms. `prior` wins either way for every pair.
    pub(crate) fn new(arms: usize, prior: u32) -> Self {
        Self {
            evidence: Evidence::new(arms, prior),
            projected: ProjectedEvidence::new(arms),
            members: (0..arms).map(Arm::at).collect(),
            inside: vec![true; arms],
            next: f64::INFINITY,
            time: 0.0,
        }
    }

    pub(crate) fn arms(&self) -> usize {
        self.evidence.arms()
    }

    /// The candidates, in order.
    #[inline]
    pub(crate) fn members(&self) -> &[Arm] {
        &self.members
    }

    #[inline]
    pub(crate) fn contains(&self, arm: Arm) -> bool {
        self.inside[arm.index()]
    }

    /// Draws a candidate, uniformly of those that open duels would leave, or of all if they would leave none.
    #[inline]
    pub(crate) fn draw(&self, generator: &mut Generator) -> Arm {
        let drawn = self.members[below(generator, self.members.len())];
        if self.would_leave(drawn) { self.draw_staying(drawn, generator) } else { drawn }
    }

    #[cold]
    fn draw_staying(&self, otherwise: Arm, generator: &mut Generator) -> Arm {
        let staying = || self.members.iter().copied().filter(|&arm| !self.would_leave(arm));
        match staying().count() {
            0 => otherwise,
            count => staying().nth(below(generator, count)).unwrap_or(otherwise),
        }
    }

    /// Draws one of several candidates that is not `favourite`, uniformly; the favourite itself if open duels would rule out the
    /// one drawn.
    pub(crate) fn draw_other(&self, favourite: Arm, generator: &mut Generator) -> Arm {
        // Skip the favourite's place.
        let other = self.members[below(generator, self.members.len() - 1)];
        let place = self.members.partition_point(|&arm| arm <= other);
        let other = if other < favourite { other } else { self.members[place] };
        if self.would_leave(other) { favourite } else { other }
    }

    /// Whether a candidate would be none if every open duel of a pair went as its duels have so far.
    #[inline]
    fn would_leave(&self, arm: Arm) -> bool {
        self.projected.rules_out(arm.index(), self.time)
    }

    /// [`Evidence::copeland_best`].
    pub(crate) fn copeland_best(&self, generator: &mut Generator) -> Option<Arm> {
        self.evidence.copeland_best(generator)
    }

    /// Whether an arm is a candidate, now that the evidence against it or time has changed.
    #[inline(always)]
    fn update(&mut self, arm: usize) {
        let evidence = self.evidence.strongest()[arm];
        let inside = self.time >= evidence;
        if !inside {
            self.next = self.next.min(evidence);
        }
        if inside != self.inside[arm] {
            self.put(Arm::at(arm), inside);
        }
    }

    #[cold]
    fn admit(&mut self) {
        self.next = f64::INFINITY;
        for arm in 0..self.arms() {
            if !self.inside[arm] {
                self.update(arm);
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

impl DuelCounts for Candidates {
    #[inline]
    fn wins(&self, i: usize, j: usize) -> (u32, u32) {
        self.evidence.wins(i, j)
    }

    #[inline(always)]
    fn record(&mut self, first: usize, second: usize, first_won: bool) -> (u32, u32) {
        let wins = self.evidence.record(first, second, first_won);
        self.update(first);
        self.update(second);
        wins
    }

    /// Admits the arms that time admits.
    #[inline(always)]
    fn advance(&mut self, time: f64) {
        self.time = time;
        if time >= self.next {
            self.admit();
        }
    }

    #[inline(always)]
    fn note_open(&mut self, i: usize, j: usize, open: u32) {
        self.projected.update(i, j, open, &self.evidence);
    }
}
