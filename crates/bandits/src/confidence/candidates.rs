//! The arms that no evidence rules out yet, as duels and time change them.

use crate::Arm;
use crate::state;

/// The arms whose upper bounds are all at least 1/2, in order, as time and duels change them.
#[derive(Debug, Clone)]
pub(crate) struct Candidates {
    members: Vec<Arm>,
    inside: Vec<bool>,
    /// No arm outside has less evidence against it: until then time admits none.
    next: f64,
}

state!(Candidates { members, inside, next });

impl Candidates {
    /// All arms.
    pub(crate) fn new(arms: usize) -> Self {
        Self { members: (0..arms).map(Arm::at).collect(), inside: vec![true; arms], next: f64::INFINITY }
    }

    pub(crate) fn members(&self) -> &[Arm] {
        &self.members
    }

    pub(crate) fn contains(&self, arm: Arm) -> bool {
        self.inside[arm.index()]
    }

    /// Updates `arm`, against which `evidence` is the strongest, now that alpha ln t is `time`.
    #[inline(always)]
    pub(crate) fn update(&mut self, arm: Arm, evidence: f64, time: f64) {
        let inside = time >= evidence;
        if !inside {
            self.next = self.next.min(evidence);
        }
        if inside != self.inside[arm.index()] {
            self.put(arm, inside);
        }
    }

    /// Admits the arms that time admits.
    #[inline]
    pub(crate) fn advance(&mut self, strongest: &[f64], time: f64) {
        if time >= self.next {
            self.admit(strongest, time);
        }
    }

    #[cold]
    fn admit(&mut self, strongest: &[f64], time: f64) {
        self.next = f64::INFINITY;
        for (index, &evidence) in strongest.iter().enumerate() {
            if !self.inside[index] {
                self.update(Arm::at(index), evidence, time);
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
