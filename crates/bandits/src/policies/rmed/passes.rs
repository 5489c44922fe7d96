//! The lists of arms that the RMED policies pass through.

use super::divergences::{DIVERGENCE_UNIT, Divergences, pass_allowance};
use crate::confidence::LogTime;
use crate::state;
use crate::state::{Plain, StateError, StateReader, StateWriter};

/// Where an arm stands in the passes over the lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PassState {
    /// Still to come in this pass.
    Coming,
    /// In the next pass.
    Next,
    /// In neither.
    Out,
}

impl Plain for PassState {
    fn put(self, to: &mut StateWriter) {
        to.put(self as u8);
    }

    fn get(from: &mut StateReader<'_>) -> Result<Self, StateError> {
        let places = [Self::Coming, Self::Next, Self::Out];
        let place = places.get(usize::from(from.get::<u8>()?)).copied();
        place.ok_or(StateError::Damaged { what: "an arm's place in the passes" })
    }
}

/// The lists L_C, L_R and L_N.
#[derive(Debug, Clone)]
pub(super) struct Passes {
    /// f(K).
    bonus: f64,
    clock: LogTime,
    /// This pass, and how much of it is played.
    pass: Vec<usize>,
    played: usize,
    place: Vec<PassState>,
    /// How many arms are in the next pass.
    admitted: usize,
    /// No arm that is out has a smaller I.
    lowest_out: i64,
    /// Arms with an I or place that the last step changed.
    touched: Option<[usize; 2]>,
    /// Arms with an I that late outcomes changed since.
    late: Vec<usize>,
}

state!(Passes { clock, pass, played, place, admitted, lowest_out, touched, late } but { bonus });

impl Passes {
    pub(super) fn new(arms: usize, bonus: f64) -> Self {
        Self {
            bonus,
            clock: LogTime::new(),
            pass: (0..arms).collect(),
            played: 0,
            place: vec![PassState::Coming; arms],
            admitted: 0,
            lowest_out: i64::MAX,
            touched: None,
            late: Vec::new(),
        }
    }

    /// Whether a pass is about to begin.
    pub(super) fn is_at_start(&self) -> bool {
        self.played == 0 || self.played == self.pass.len()
    }

    /// The next arm of the pass, or the first of the next: the leader if no arm was admitted to that.
    pub(super) fn next_arm(&mut self, leader: usize) -> usize {
        if self.played == self.pass.len() {
            self.begin();
            if self.pass.is_empty() {
                self.pass.push(leader);
            }
        }
        let arm = self.pass[self.played];
        self.played += 1;
        self.place[arm] = PassState::Out;
        arm
    }

    fn begin(&mut self) {
        self.pass.clear();
        self.played = 0;
        self.admitted = 0;
        for (arm, place) in self.place.iter_mut().enumerate() {
            if *place == PassState::Next {
                *place = PassState::Coming;
                self.pass.push(arm);
            }
        }
    }

    /// Notes that these two meet.
    pub(super) fn note_meeting(&mut self, arm: usize, opponent: usize) {
        self.touched = Some([arm, opponent]);
    }

    /// Notes that an outcome that came late, or never, changed these two.
    pub(super) fn note_late_outcome(&mut self, arm: usize, opponent: usize) {
        if self.late.len() < self.place.len() {
            self.late.extend([arm, opponent]);
        } else {
            self.note_any_change();
        }
    }

    /// Notes that any arm may have changed.
    pub(super) fn note_any_change(&mut self) {
        self.lowest_out = i64::MIN;
    }

    /// Admits to the next pass the arms that `step`, the last one played in a pass, allows.
    pub(super) fn admit(&mut self, step: u64, state: &Divergences) {
        let Some(touched) = self.touched.take() else {
            return;
        };
        let max_sum = state.sums.least().saturating_add(pass_allowance(self.clock.ln(step as f64), self.bonus));
        for arm in touched {
            self.update(arm, max_sum, state);
        }
        while let Some(arm) = self.late.pop() {
            self.update(arm, max_sum, state);
        }
        if max_sum >= self.lowest_out {
            self.lowest_out = i64::MAX;
            for arm in 0..self.place.len() {
                self.update(arm, max_sum, state);
            }
        }
    }

    #[inline]
    fn update(&mut self, arm: usize, max_sum: i64, state: &Divergences) {
        if self.place[arm] == PassState::Out {
            let sum = state.sums.at(arm);
            if sum <= max_sum {
                self.place[arm] = PassState::Next;
                self.admitted += 1;
            } else {
                self.lowest_out = self.lowest_out.min(sum);
            }
        }
    }

    /// Whether the arm that plays now is all there is of this pass and the next.
    pub(super) fn is_only_arm(&self) -> bool {
        self.played == self.pass.len() && self.admitted == 0
    }

    /// The first step, `step` or later, that lets in an arm other than the leader.
    pub(super) fn alone_until(&self, step: u64, state: &Divergences) -> u64 {
        let others = state.sums.iter().enumerate().filter(|&(arm, _)| arm != state.leader());
        let Some(nearest) = others.map(|(_, sum)| sum).min() else {
            return u64::MAX;
        };
        let needed = nearest - state.sums.least();
        let reached = |step: u64| pass_allowance(libm::log(step as f64), self.bonus) >= needed;
        let guess = libm::exp(needed as f64 * DIVERGENCE_UNIT - self.bonus);
        if guess >= 9e15 {
            return u64::MAX;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 9e15")]
        let mut first = (guess as u64).max(step);
        while first > step && reached(first - 1) {
            first -= 1;
        }
        while !reached(first) {
            first += 1;
        }
        first
    }
}
