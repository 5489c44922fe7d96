//! RMED2 and RMED2FH: as [RMED1](super::rmed1), but an arm that is behind meets the opponent that
//! costs least for its information, as Komiyama's lower bound on the regret weighs it.
//!
//! With mu, O(i), I(i) and i* as in RMED1, passes over lists of arms as there, and
//! b(l) = argmin over { j : mu(l, j) < 1/2 } of
//! (mu(i*, l) + mu(i*, j) - 1) / kl(mu(l, j), 1/2), or i* if there is no such j:
//!
//! 1. at first every pair meets L times: once in RMED2; ceil(alpha ln ln T) times, for horizon T,
//!    in RMED2FH, after which b(l) is found, once for all;
//! 2. RMED2: before each pass every pair that has met fewer than alpha ln ln t times meets until
//!    it has;
//! 3. each arm l of the pass meets b(l) if b(l) is in O(l) and
//!    n(l, i*) >= n(l, b(l)) / ln ln t (RMED2FH: ln ln T); otherwise the arm that RMED1 would choose.
//!
//! That is `variant=paper` (default). The code of the paper's first author, `variant=komiyama`,
//! differs:
//!
//! | | `paper` | `komiyama` |
//! |---|---|---|
//! | L times at first | L sweeps over all pairs | no step of its own: step 2 does it, in RMED2FH too, with T instead of t |
//! | pairs are checked | before each pass | before each step |
//! | the opponent in 3 | as above | i* if that is in O(l) and n(l, i*) <= n(l, b(l)) / ln ln t; else b(l) if that is in O(l); else the arm that RMED1 would choose |
//! | ln ln in 3 of RMED2FH | ln ln T | ln ln t |
//! | ln ln t reads | ln ln t | ln (ln t + 0.01) |
//! | the costs in b(l) | as they are | at least 0.01 |
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
//! * Duels of an arm with itself are not counted: where l is i*, n(l, i*) is 0.
//! * Ties for b(l) go to the lowest arm; other ties as in RMED1.
//! * With late outcomes as RMED1, but all open duels count: 50,573 +- 172, and 50,742 +- 705 where none does (136 rankers,
//!   10^6 steps, delay of 10^5, 6 runs). RMED2FH finds its opponents once all outcomes of step 1 are known.
//! * The duels that steps 1 and 2 insert admit no arm to the next pass by themselves: the
//!   next step of a pass does. (In duelingbanditlib such a duel also ends its first arm's turn.)
//! * ln ln t crosses a whole number of meetings so seldom that pairs are counted over only then.

use super::divergences::Divergences;
use super::passes::Passes;
pub(crate) use super::rule::RmedRule;
use super::unanswered::Unanswered;
use crate::algorithm::papers;
use crate::late::DelayedFeedback;
use crate::{Arm, Choice, Feedback, Generator, Policy, config, named_values, state, stored, takes_late};

named_values! {
    /// Which of the published rules; see the [module](self).
    pub enum Variant {
        /// As printed.
        Paper = "paper",
        /// As in duelingbanditlib.
        Komiyama = "komiyama",
    }
}

config! {
    /// RMED2's parameters, or with `FH` those of RMED2FH: f(K) = `factor` K^`power`.
    pub struct AnyRmed2Config<const FH: bool> {
        /// Which of the published rules.
        variant: Variant = Variant::Paper, "paper or komiyama";
        /// How often pairs meet at least: alpha ln ln t times (RMED2FH: ln ln T), positive.
        alpha: f64 = 3.0, "pairs meet alpha ln ln t times" [positive];
        /// The factor of f(K), positive.
        factor: f64 = 0.3, "f(K) = factor K^power" [positive];
        /// The power of f(K), positive.
        power: f64 = 1.01, "f(K) = factor K^power" [positive];
    }

    policy Rmed2 {
        name: if FH { "rmed2fh" } else { "rmed2" },
        summary: if FH {
            "RMED2 for a horizon, its opponents found once (Komiyama et al., COLT 2015)"
        } else {
            "RMED with the cheapest informative opponent (Komiyama et al., COLT 2015)"
        },
        paper: papers::KOMIYAMA_COLT_2015,
        variants: [("variant=komiyama", "as in duelingbanditlib: another opponent, pairs checked at each step")],
        needs_horizon: FH,
        all_pairs: true,
    }

    fn build(&self, arms: usize, horizon: Option<u64>) -> Rmed2 {
        Rmed2::new(self.rule(arms), arms, horizon.filter(|_| FH))
    }

    takes_late!();
}

/// RMED2.
pub type Rmed2Config = AnyRmed2Config<false>;
/// RMED2FH.
pub type Rmed2FhConfig = AnyRmed2Config<true>;

impl<const FH: bool> AnyRmed2Config<FH> {
    fn rule(&self, arms: usize) -> RmedRule {
        let komiyama = self.variant == Variant::Komiyama;
        RmedRule { komiyama, alpha: self.alpha, bonus: self.factor * libm::pow(arms as f64, self.power) }
    }
}

/// RMED2, or RMED2FH.
#[derive(Debug, Clone)]
pub struct Rmed2 {
    rule: RmedRule,
    horizon: Option<u64>,
    state: Divergences,
    passes: Passes,
    /// How many sweeps over all pairs there are at first, and how many are done.
    sweeps: u32,
    swept: u32,
    /// How often every pair must have met, and the first step at which that rises.
    meetings: u32,
    rises: u64,
    /// No pair before this one has met less often (the first of a pair is the lower); past the
    /// last pair where none has at all.
    cursor: (usize, usize),
    /// How many pairs have not had all the outcomes of the first sweeps.
    unknown: usize,
    /// b(l), once found for good.
    opponents: Option<Vec<usize>>,
    /// Whether the last choice was one of step 1 or 2.
    catching_up: bool,
    unanswered: Unanswered,
}

state!(Rmed2 { state, passes, swept, meetings, rises, cursor, unknown, opponents, catching_up, unanswered } but { rule, horizon, sweeps });

impl Rmed2 {
    fn new(rule: RmedRule, arms: usize, horizon: Option<u64>) -> Self {
        let (meetings, rises) = match horizon {
            Some(horizon) => (rule.meetings(horizon), u64::MAX),
            None => (1, 1),
        };
        Self {
            rule,
            horizon,
            state: Divergences::new(arms, true),
            passes: Passes::new(arms, rule.bonus),
            sweeps: if rule.komiyama { 0 } else { meetings },
            swept: 0,
            meetings,
            rises,
            cursor: (0, 1),
            unknown: arms * (arms - 1) / 2,
            opponents: None,
            catching_up: false,
            unanswered: Unanswered::default(),
        }
    }

    /// The first pair that has met too seldom at `step`.
    fn too_seldom(&mut self, step: u64) -> Option<(usize, usize)> {
        while self.swept < self.sweeps {
            let pair = self.met_fewer_than(self.swept + 1);
            if pair.is_some() {
                return pair;
            }
            self.swept += 1;
            self.cursor = (0, 1);
        }
        if step >= self.rises {
            let meetings = self.rule.meetings(step);
            if meetings > self.meetings {
                self.cursor = (0, 1);
            }
            self.meetings = meetings;
            self.rises = self.next_rise(step);
        }
        self.met_fewer_than(self.meetings)
    }

    /// The first pair from the cursor on that has met fewer times than that.
    fn met_fewer_than(&mut self, meetings: u32) -> Option<(usize, usize)> {
        let arms = self.state.arms();
        let (mut i, mut j) = self.cursor;
        while i + 1 < arms {
            if self.state.met(i, j) < meetings {
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
        let needs_more_meetings = |step: u64| self.rule.meetings(step) > self.meetings;
        // ln ln t rises so slowly that it is soon never: beyond here no run goes.
        const LAST_STEP: u64 = 1 << 53;
        let (mut before, mut rise) = (step, 2 * step);
        while !needs_more_meetings(rise) && rise <= LAST_STEP {
            (before, rise) = (rise, 2 * rise);
        }
        if !needs_more_meetings(rise) {
            return u64::MAX;
        }
        while rise - before > 1 {
            let middle = before.midpoint(rise);
            if needs_more_meetings(middle) { rise = middle } else { before = middle }
        }
        rise
    }

    /// Takes in a duel.
    fn record(&mut self, winner: usize, loser: usize) {
        self.state.record(winner, loser);
        self.unknown -= usize::from(self.horizon.is_some() && self.state.wins().met(winner, loser) == self.meetings);
    }

    /// The opponent of `arm`, perhaps `arm` itself.
    fn opponent(&self, arm: usize, step: u64, generator: &mut Generator) -> usize {
        let leader = self.state.leader();
        let cheapest = match &self.opponents {
            Some(opponents) => opponents[arm],
            None => self.state.cheapest_opponent(arm, self.rule.least_cost()),
        };
        let behind = |other: usize| other != arm && self.state.is_not_ahead(arm, other);
        let met = |other: usize| f64::from(self.state.met(arm, other));
        if self.rule.komiyama {
            if behind(leader) && met(leader) <= met(cheapest) / self.rule.log_log(step) {
                return leader;
            }
            if behind(cheapest) {
                return cheapest;
            }
        } else {
            let log_log = self.rule.log_log(self.horizon.unwrap_or(step));
            if behind(cheapest) && met(leader) >= met(cheapest) / log_log {
                return cheapest;
            }
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
        let look = self.passes.is_at_start() || self.rule.komiyama;
        self.catching_up = false;
        if look && let Some((first, second)) = self.too_seldom(step) {
            self.catching_up = true;
            return Choice::Duel(Arm::at(first), Arm::at(second));
        }
        if let Some((first, second)) = self.unanswered.next(self.state.wins(), self.state.any_open()) {
            self.catching_up = true;
            return Choice::Duel(Arm::at(first), Arm::at(second));
        }
        if self.horizon.is_some() && self.opponents.is_none() && self.unknown == 0 {
            let cheapest = |arm| self.state.cheapest_opponent(arm, self.rule.least_cost());
            self.opponents = Some((0..self.state.arms()).map(cheapest).collect());
        }
        let arm = self.passes.next_arm(self.state.leader());
        let opponent = self.opponent(arm, step, generator);
        self.passes.note_meeting(arm, opponent);
        if opponent != arm {
            return Choice::Duel(Arm::at(arm), Arm::at(opponent));
        }
        let until = if self.passes.is_only_arm() && !self.state.any_open() {
            self.passes.alone_until(step, &self.state).min(self.rises - 1).max(step)
        } else {
            step
        };
        Choice::Alone { arm: Arm::at(arm), until }
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        if let Feedback::Duel { winner, loser, .. } = feedback {
            self.record(winner.index(), loser.index());
            if self.catching_up {
                self.passes.note_any_change();
            }
        }
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        self.state.wins().lowest_then_copeland(&self.state.known_sums(), generator)
    }

    stored!();
}

impl DelayedFeedback for Rmed2 {
    fn depart(&mut self, arms: &[Arm]) {
        self.state.depart(arms[0].index(), arms[1].index());
    }

    fn arrive(&mut self, _step: u64, arms: &[Arm], feedback: Option<Feedback<'_>>) {
        let (i, j) = (arms[0].index(), arms[1].index());
        self.state.arrive(i, j, feedback.is_some());
        match feedback {
            Some(Feedback::Duel { winner, loser, .. }) => self.record(winner.index(), loser.index()),
            _ if self.state.met(i, j) < self.meetings => self.cursor = self.cursor.min((i.min(j), i.max(j))),
            _ => {}
        }
        self.passes.note_late_outcome(i, j);
    }

    fn wins(&self, i: Arm, j: Arm) -> Option<(u32, u32)> {
        Some(self.state.wins().between(i.index(), j.index()))
    }
}

#[cfg(feature = "reference")]
impl<const FH: bool> AnyRmed2Config<FH> {
    /// The numbers of the rule, for the reference form.
    #[must_use]
    pub fn reference_rule(&self, arms: usize) -> ReferenceRule {
        ReferenceRule(self.rule(arms))
    }
}

/// The numbers of the rule, for the reference form.
#[cfg(feature = "reference")]
#[derive(Debug, Clone, Copy)]
pub struct ReferenceRule(pub(crate) RmedRule);

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::PolicyConfig as _;

    /// The pair that meets at each step, the lower arm always winning.
    fn meetings(mut policy: Rmed2, steps: u64) -> Vec<(u32, u32)> {
        let mut generator = Generator::seed_from_u64(1);
        let mut met = Vec::new();
        for step in 1..=steps {
            match policy.choose(step, &mut generator) {
                Choice::Duel(first, second) => {
                    met.push((first.0, second.0));
                    policy.learn(step, Feedback::of_duel(first, second, first < second));
                }
                Choice::Alone { arm, .. } => met.push((arm.0, arm.0)),
                Choice::Set(_) => panic!("no sets"),
            }
        }
        met
    }

    #[test]
    fn a_rise_is_the_first_step_that_asks_for_more() {
        for variant in [Variant::Paper, Variant::Komiyama] {
            for alpha in [0.3, 1.12, 1.2, 3.0, 7.0] {
                let mut policy = Rmed2Config { variant, alpha, ..Default::default() }.policy(3, None).expect("valid");
                let mut step = 1;
                for _ in 0..12 {
                    policy.meetings = policy.rule.meetings(step);
                    let rise = policy.next_rise(step);
                    if rise == u64::MAX {
                        assert_eq!(policy.rule.meetings(1 << 53), policy.meetings);
                        break;
                    }
                    assert!(policy.rule.meetings(rise) > policy.meetings, "{variant:?}, {alpha}: {rise}");
                    assert_eq!(policy.rule.meetings(rise - 1), policy.meetings, "{variant:?}, {alpha}: {rise}");
                    step = rise;
                }
                assert!(step > 8, "{variant:?}, {alpha}: no rise");
            }
        }
    }

    #[test]
    fn all_pairs_meet_once_before_any_meets_again() {
        let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        let met = meetings(Rmed2Config::default().policy(4, None).expect("valid"), 40);
        assert_eq!(met[..6], pairs);
        // Then each pair until it has met 3 ln ln t times: 1.997 at step 7, 2.196 at step 8.
        assert_eq!(met[6..12], [(0, 1), (0, 1), (0, 2), (0, 2), (0, 3), (0, 3)]);

        // ceil(3 ln ln 1000) = 6 sweeps.
        let met = meetings(Rmed2FhConfig::default().policy(4, Some(1_000)).expect("valid"), 40);
        assert_eq!(met[..36], pairs.repeat(6));
        assert_ne!(met[36..39], pairs[..3]);

        let config = Rmed2FhConfig { variant: Variant::Komiyama, ..Default::default() };
        let met = meetings(config.policy(4, Some(1_000)).expect("valid"), 7);
        assert_eq!(met, [(0, 1), (0, 1), (0, 1), (0, 1), (0, 1), (0, 1), (0, 2)]);
    }
}
