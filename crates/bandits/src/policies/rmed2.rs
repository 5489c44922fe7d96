//! RMED2 and RMED2FH: as [RMED1](super::rmed), but an arm that is behind meets the opponent that
//! costs least for what it tells, as Komiyama's lower bound on the regret weighs it.
//!
//! With mu, O(i), I(i) and i* as in RMED1, passes over lists of arms as there, and
//! b(l) = argmin over { j : mu(l, j) < 1/2 } of
//! (mu(i*, l) + mu(i*, j) - 1) / kl(mu(l, j), 1/2), or i* where there is no such j:
//!
//! 1. RMED2: at first every pair meets once, and before each pass every pair that has met fewer
//!    than alpha ln ln t times meets until it has. RMED2FH: at first every pair meets
//!    ceil(alpha ln ln T) times, for horizon T; then b(l) is found, once for all;
//! 2. each arm l of the pass meets i* if i* is in O(l) and
//!    n(l, i*) <= n(l, b(l)) / ln ln t; else b(l) if that is in O(l); else whom RMED1 would choose.
//!
//! | `variant` | pairs are looked over | ln ln t reads | the costs in b(l) |
//! |---|---|---|---|
//! | `paper` (default) | before each pass | ln ln t | as they are |
//! | `komiyama` | before each step | ln (ln t + 0.01) | at least 0.01 |
//!
//! ## References
//!
//! J. Komiyama, J. Honda, H. Kashima, H. Nakagawa, "Regret Lower Bound and Optimal Algorithm in
//! Dueling Bandit Problem", COLT 2015, <https://proceedings.mlr.press/v40/Komiyama15.html>,
//! algorithms 1 and 3; alpha = 3 and f(K) = 0.3 K^1.01 as in its experiments. The second variant
//! is the rule as its first author's duelingbanditlib has it,
//! <https://github.com/jkomiyama/duelingbanditlib>.
//!
//! ## Notes
//!
//! * Every pair meets at least once, however small alpha ln ln t is.
//! * Ties for b(l) go to the lowest arm; other ties as in RMED1.
//! * The duels that step 1 asks for in between admit nobody to the next pass by themselves: the
//!   next step of a pass does. (In duelingbanditlib such a duel also ends its first arm's turn.)
//! * The lists of RMED1 and the sums of its divergences are kept as there, and ln ln t crosses a
//!   whole number of meetings so seldom that pairs are counted over only then.

use super::rmed_state::{Divergences, Passes};
use crate::algorithm::{countable, horizon_known, named_values, positive};
use crate::bounds::best_among;
use crate::{Algorithm, Arm, Choice, Feedback, Generator, Parameter, ParameterError, Policy};

/// Which of the published rules; see the [module](self).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// As printed.
    Paper,
    /// As in duelingbanditlib.
    Komiyama,
}

named_values!(Variant { "paper" => Variant::Paper, "komiyama" => Variant::Komiyama });

/// The parameters of either: f(K) = `factor` K^`power`.
#[derive(Debug, Clone, PartialEq)]
struct Parameters {
    variant: Variant,
    alpha: f64,
    factor: f64,
    power: f64,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { variant: Variant::Paper, alpha: 3.0, factor: 0.3, power: 1.01 }
    }
}

impl Parameters {
    fn list(&mut self) -> Vec<Parameter<'_>> {
        vec![
            Parameter::new("variant", "paper or komiyama", &mut self.variant),
            Parameter::new("alpha", "pairs meet alpha ln ln t times", &mut self.alpha),
            Parameter::new("factor", "f(K) = factor K^power", &mut self.factor),
            Parameter::new("power", "f(K) = factor K^power", &mut self.power),
        ]
    }

    fn check(&self) -> Result<(), ParameterError> {
        positive("alpha", self.alpha)?;
        positive("factor", self.factor)?;
        positive("power", self.power)
    }

    /// ln ln t.
    pub(crate) fn log_log(&self, step: u64) -> f64 {
        let slack = match self.variant {
            Variant::Paper => 0.0,
            Variant::Komiyama => 0.01,
        };
        libm::log(libm::log(step as f64) + slack)
    }

    /// How often every pair must have met at `step`.
    pub(crate) fn meetings(&self, step: u64) -> u32 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at least 1, and ln ln t is small")]
        {
            libm::ceil((self.alpha * self.log_log(step)).max(1.0)) as u32
        }
    }

    /// f(K).
    pub(crate) fn bonus(&self, arms: usize) -> f64 {
        self.factor * libm::pow(arms as f64, self.power)
    }

    /// The least that a step of b(l) is said to cost.
    pub(crate) fn least_cost(&self) -> f64 {
        match self.variant {
            Variant::Paper => f64::NEG_INFINITY,
            Variant::Komiyama => 0.01,
        }
    }
}

/// RMED2's parameters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rmed2Config(Parameters);

/// RMED2FH's parameters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rmed2FhConfig(Parameters);

impl Rmed2Config {
    /// Of this variant, otherwise as the paper has it.
    #[must_use]
    pub fn of(variant: Variant) -> Self {
        Self(Parameters { variant, ..Default::default() })
    }
}

impl Rmed2FhConfig {
    /// Of this variant, otherwise as the paper has it.
    #[must_use]
    pub fn of(variant: Variant) -> Self {
        Self(Parameters { variant, ..Default::default() })
    }
}

impl Algorithm for Rmed2Config {
    const NAME: &'static str = "rmed2";
    const SUMMARY: &'static str = "RMED with the cheapest telling opponent (Komiyama et al., COLT 2015)";
    type Policy = Rmed2;

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        self.0.list()
    }

    fn check(&self) -> Result<(), ParameterError> {
        self.0.check()
    }

    fn policy(&self, arms: usize, _horizon: u64) -> Result<Rmed2, ParameterError> {
        self.check()?;
        countable(arms)?;
        Ok(Rmed2::new(&self.0, arms, None))
    }
}

impl Algorithm for Rmed2FhConfig {
    const NAME: &'static str = "rmed2fh";
    const SUMMARY: &'static str = "RMED2 for a horizon, its opponents found once (Komiyama et al., COLT 2015)";
    const NEEDS_HORIZON: bool = true;
    type Policy = Rmed2;

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        self.0.list()
    }

    fn check(&self) -> Result<(), ParameterError> {
        self.0.check()
    }

    fn policy(&self, arms: usize, horizon: u64) -> Result<Rmed2, ParameterError> {
        self.check()?;
        countable(arms)?;
        horizon_known(self, horizon)?;
        Ok(Rmed2::new(&self.0, arms, Some(horizon)))
    }
}

/// RMED2, or RMED2FH.
#[derive(Debug, Clone)]
pub struct Rmed2 {
    parameters: Parameters,
    horizon: Option<u64>,
    state: Divergences,
    passes: Passes,
    /// How often every pair must have met, and the first step at which that rises.
    meetings: u32,
    rises: u64,
    /// No pair before this one has met less often (the first of a pair is the lower); past the
    /// last pair where none has at all.
    cursor: (usize, usize),
    /// b(l), once found for good.
    opponents: Option<Vec<usize>>,
    /// Whether the last choice was one that step 1 asks for.
    catching_up: bool,
}

impl Rmed2 {
    fn new(parameters: &Parameters, arms: usize, horizon: Option<u64>) -> Self {
        let (meetings, rises) = match horizon {
            Some(horizon) => (parameters.meetings(horizon), u64::MAX),
            None => (1, 1),
        };
        Self {
            parameters: parameters.clone(),
            horizon,
            state: Divergences::new(arms, true),
            passes: Passes::new(arms, parameters.bonus(arms)),
            meetings,
            rises,
            cursor: (0, 1),
            opponents: None,
            catching_up: false,
        }
    }

    /// The first pair that has met too seldom at `step`.
    fn too_seldom(&mut self, step: u64) -> Option<(usize, usize)> {
        if step >= self.rises {
            let meetings = self.parameters.meetings(step);
            if meetings > self.meetings {
                self.cursor = (0, 1);
            }
            self.meetings = meetings;
            self.rises = self.next_rise(step);
        }
        let arms = self.state.arms();
        let (mut i, mut j) = self.cursor;
        while i + 1 < arms {
            if self.state.met(i, j) < self.meetings {
                self.cursor = (i, j);
                return Some((i, j));
            }
            (i, j) = if j + 1 < arms { (i, j + 1) } else { (i + 1, i + 2) };
        }
        self.cursor = (i, j);
        None
    }

    /// The first step after `step` at which pairs must meet more often.
    fn next_rise(&self, step: u64) -> u64 {
        let more = |step: u64| self.parameters.meetings(step) > self.meetings;
        let guess = libm::exp(libm::exp(f64::from(self.meetings) / self.parameters.alpha));
        if guess >= 9e15 {
            return u64::MAX;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 9e15")]
        let mut first = (guess as u64).max(step + 1);
        while first > step + 1 && more(first - 1) {
            first -= 1;
        }
        while !more(first) {
            first += 1;
        }
        first
    }

    /// The opponent of `arm`, perhaps `arm` itself.
    fn opponent(&self, arm: usize, step: u64, generator: &mut Generator) -> usize {
        let leader = self.state.leader();
        let cheapest = match &self.opponents {
            Some(opponents) => opponents[arm],
            None => self.state.cheapest(arm, self.parameters.least_cost()),
        };
        let behind = |other: usize| other != arm && self.state.not_ahead(arm, other);
        if behind(leader) {
            let share = f64::from(self.state.met(arm, cheapest)) / self.parameters.log_log(step);
            if f64::from(self.state.met(arm, leader)) <= share {
                return leader;
            }
        }
        if behind(cheapest) {
            return cheapest;
        }
        self.state.opponent(arm, generator)
    }
}

impl Policy for Rmed2 {
    fn arms(&self) -> usize {
        self.state.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.arms() == 1 {
            return Choice::Alone { arm: Arm(0), until: u64::MAX };
        }
        if !self.catching_up {
            self.passes.admit(step - 1, &self.state);
        }
        let look = self.passes.at_start() || self.parameters.variant == Variant::Komiyama;
        self.catching_up = false;
        if look && let Some((first, second)) = self.too_seldom(step) {
            self.catching_up = true;
            return Choice::Duel(Arm::at(first), Arm::at(second));
        }
        if self.horizon.is_some() && self.opponents.is_none() {
            let least = self.parameters.least_cost();
            let cheapest = |arm| self.state.cheapest(arm, least);
            self.opponents = Some((0..self.state.arms()).map(cheapest).collect());
        }
        let arm = self.passes.next_arm();
        let opponent = self.opponent(arm, step, generator);
        self.passes.touch(arm, opponent);
        if opponent != arm {
            return Choice::Duel(Arm::at(arm), Arm::at(opponent));
        }
        let until = if self.passes.nobody_else() {
            self.passes.alone_until(step, &self.state).min(self.rises - 1).max(step)
        } else {
            step
        };
        Choice::Alone { arm: Arm::at(arm), until }
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        if let Feedback::Duel { winner, loser, .. } = feedback {
            self.state.record(winner.index(), loser.index());
            if self.catching_up {
                self.passes.touch_all();
            }
        }
    }

    fn best(&self, generator: &mut Generator) -> Option<Arm> {
        best_among(self.state.wins(), self.state.sums(), generator)
    }
}

#[doc(hidden)]
impl Rmed2Config {
    /// For the plain form that tests compare with.
    pub fn plain_rule(&self) -> PlainRule {
        PlainRule(self.0.clone())
    }
}

#[doc(hidden)]
impl Rmed2FhConfig {
    /// For the plain form that tests compare with.
    pub fn plain_rule(&self) -> PlainRule {
        PlainRule(self.0.clone())
    }
}

/// The rule's numbers, for the plain form.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct PlainRule(Parameters);

impl PlainRule {
    pub(crate) fn every_step(&self) -> bool {
        self.0.variant == Variant::Komiyama
    }

    pub(crate) fn log_log(&self, step: u64) -> f64 {
        self.0.log_log(step)
    }

    pub(crate) fn meetings(&self, step: u64) -> f64 {
        (self.0.alpha * self.0.log_log(step)).max(1.0)
    }

    pub(crate) fn bonus(&self, arms: usize) -> f64 {
        self.0.bonus(arms)
    }

    pub(crate) fn least_cost(&self) -> f64 {
        self.0.least_cost()
    }
}
