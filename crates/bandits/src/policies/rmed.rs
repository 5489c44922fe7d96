//! Relative minimum empirical divergence (RMED1): an arm is tried again while the evidence that it
//! is not the Condorcet winner is no stronger than ln t allows.
//!
//! With mu(i, j) = w(i, j) / n(i, j), O(i) = { j : mu(i, j) <= 1/2 }, I(i) the sum over j in O(i)
//! of n(i, j) kl(mu(i, j), 1/2), and i* the arm with the smallest I:
//!
//! 1. at first every pair meets once;
//! 2. then, pass by pass over a list of arms (all of them in the first pass): each arm l of the
//!    list meets m = i* if i* is in O(l) or O(l) is empty, and otherwise the arm m against which
//!    mu(l, m) is smallest;
//! 3. after every step, each arm j that is not still to come in this pass joins the next one if
//!    I(j) - I(i*) <= ln t + f(K).
//!
//! ## References
//!
//! J. Komiyama, J. Honda, H. Kashima, H. Nakagawa, "Regret Lower Bound and Optimal Algorithm in
//! Dueling Bandit Problem", COLT 2015, <https://proceedings.mlr.press/v40/Komiyama15.html>,
//! algorithms 1 and 2; f(K) = 0.3 K^1.01 as in its experiments.
//!
//! ## Notes
//!
//! * The first K (K - 1) / 2 duels count as steps, as in the paper.
//! * The paper leaves ties open: i* is the lowest of several arms, an opponent is drawn at random,
//!   and each pass goes through its arms in order.
//! * Divergences are summed in units of 2^-30, as whole numbers: a sum then does not depend on the
//!   order of its terms, and may be kept by adding what changed.
//! * The arm reported is i*, ties by how many arms each beat.
//! * i* meets itself where it beats every arm. Where it is the only arm of its pass, that stretch
//!   is one choice: it ends with the first step whose ln t lets another arm in.

use crate::algorithm::{countable, positive};
use crate::bounds::best_among;
use crate::clock::Clock;
use crate::draw::below;
use crate::{Algorithm, Arm, Choice, Feedback, Generator, Parameter, ParameterError, Policy};

/// RMED1's parameters: f(K) = `factor` K^`power`.
#[derive(Debug, Clone, PartialEq)]
pub struct Rmed1Config {
    /// The factor of f(K), positive.
    pub factor: f64,
    /// The power of f(K), positive.
    pub power: f64,
}

impl Default for Rmed1Config {
    fn default() -> Self {
        Self {
            factor: 0.3,
            power: 1.01,
        }
    }
}

impl Algorithm for Rmed1Config {
    const NAME: &'static str = "rmed1";
    const SUMMARY: &'static str =
        "relative minimum empirical divergence (Komiyama et al., COLT 2015)";
    type Policy = Rmed1;

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        vec![
            Parameter::new("factor", "f(K) = factor K^power", &mut self.factor),
            Parameter::new("power", "f(K) = factor K^power", &mut self.power),
        ]
    }

    fn check(&self) -> Result<(), ParameterError> {
        positive("factor", self.factor)?;
        positive("power", self.power)
    }

    fn policy(&self, arms: usize, _horizon: u64) -> Result<Rmed1, ParameterError> {
        self.check()?;
        countable(arms)?;
        Ok(Rmed1::new(self, arms))
    }
}

/// Divergences are whole numbers of this size.
const UNIT: f64 = 1.0 / (1_u64 << 30) as f64;

/// n kl(won / n, 1/2) in units of [`UNIT`], the same for either side.
#[inline]
pub(crate) fn divergence(won: u32, lost: u32) -> i64 {
    let (won, lost) = (f64::from(won), f64::from(lost));
    let lean = (won - lost) / (won + lost);
    let half = |wins: f64, lean: f64| {
        if wins > 0.0 {
            wins * libm::log1p(lean)
        } else {
            0.0
        }
    };
    whole(half(won, lean) + half(lost, -lean))
}

/// How much larger than the smallest the divergence of an arm of the next pass may be.
#[inline]
pub(crate) fn allowance(ln_step: f64, bonus: f64) -> i64 {
    whole(ln_step + bonus)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "saturates, far beyond any run's length"
)]
fn whole(value: f64) -> i64 {
    libm::floor(value / UNIT) as i64
}

/// Where an arm stands in the passes over the lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Still to come in this pass.
    Coming,
    /// In the next pass.
    Next,
    /// In neither.
    Out,
}

/// RMED1.
#[derive(Debug, Clone)]
pub struct Rmed1 {
    arms: usize,
    /// f(K).
    bonus: f64,
    clock: Clock,
    wins: Vec<u32>,
    /// mu(l, j) in row l; infinite on the diagonal, so that no arm is its own weakest spot.
    means: Vec<f64>,
    /// n kl(mu, 1/2) of each pair i < j, at `i * arms + j`.
    terms: Vec<i64>,
    /// I(i).
    divergence: Vec<i64>,
    /// The size of O(i).
    lost_to: Vec<u32>,
    /// i*.
    leader: usize,
    /// The pair to meet next at first; (0, 0) once all have.
    opening: (usize, usize),
    /// This pass, and how much of it is played.
    pass: Vec<Arm>,
    played: usize,
    place: Vec<Place>,
    /// How many arms are in the next pass.
    admitted: usize,
    /// No arm that is out has a smaller I.
    lowest_out: i64,
    /// Arms whose I or place the last step changed.
    touched: [usize; 2],
}

impl Rmed1 {
    fn new(config: &Rmed1Config, arms: usize) -> Self {
        let mut means = vec![0.5; arms * arms];
        for arm in 0..arms {
            means[arm * arms + arm] = f64::INFINITY;
        }
        Self {
            arms,
            bonus: config.factor * libm::pow(arms as f64, config.power),
            clock: Clock::new(),
            wins: vec![0; arms * arms],
            means,
            terms: vec![0; arms * arms],
            divergence: vec![0; arms],
            lost_to: vec![arms as u32 - 1; arms],
            leader: 0,
            opening: if arms > 1 { (0, 1) } else { (0, 0) },
            pass: (0..arms).map(Arm::at).collect(),
            played: 0,
            place: vec![Place::Coming; arms],
            admitted: 0,
            lowest_out: i64::MAX,
            touched: [0, 0],
        }
    }

    /// Lets into the next pass whom step `step` lets in.
    fn admit(&mut self, step: u64) {
        let most = self.divergence[self.leader]
            .saturating_add(allowance(self.clock.ln(step as f64), self.bonus));
        for arm in self.touched {
            self.look_at(arm, most);
        }
        if most >= self.lowest_out {
            self.lowest_out = i64::MAX;
            for arm in 0..self.arms {
                self.look_at(arm, most);
            }
        }
    }

    #[inline]
    fn look_at(&mut self, arm: usize, most: i64) {
        if self.place[arm] == Place::Out {
            if self.divergence[arm] <= most {
                self.place[arm] = Place::Next;
                self.admitted += 1;
            } else {
                self.lowest_out = self.lowest_out.min(self.divergence[arm]);
            }
        }
    }

    fn begin_pass(&mut self) {
        self.pass.clear();
        self.played = 0;
        self.admitted = 0;
        for (arm, place) in self.place.iter_mut().enumerate() {
            if *place == Place::Next {
                *place = Place::Coming;
                self.pass.push(Arm::at(arm));
            }
        }
    }

    /// The opponent of `arm`, perhaps `arm` itself.
    fn opponent(&self, arm: usize, generator: &mut Generator) -> usize {
        let leader = self.leader;
        let behind_leader = arm != leader
            && self.wins[arm * self.arms + leader] <= self.wins[leader * self.arms + arm];
        if behind_leader || self.lost_to[arm] == 0 {
            return leader;
        }
        let row = &self.means[arm * self.arms..(arm + 1) * self.arms];
        let lowest = row.iter().fold(
            f64::INFINITY,
            |low, &mean| if mean < low { mean } else { low },
        );
        let ties = row.iter().filter(|&&mean| mean == lowest).count();
        let chosen = below(generator, ties);
        row.iter()
            .enumerate()
            .filter(|&(_, &mean)| mean == lowest)
            .nth(chosen)
            .map_or(leader, |(index, _)| index)
    }

    /// The first step, `step` or later, that lets in an arm other than the leader.
    fn alone_until(&self, step: u64) -> u64 {
        let others = self
            .divergence
            .iter()
            .enumerate()
            .filter(|&(arm, _)| arm != self.leader);
        let Some(nearest) = others.map(|(_, &divergence)| divergence).min() else {
            return u64::MAX;
        };
        let needed = nearest - self.divergence[self.leader];
        let reached = |step: u64| allowance(libm::log(step as f64), self.bonus) >= needed;
        let guess = libm::exp(needed as f64 * UNIT - self.bonus);
        if guess >= 9e15 {
            return u64::MAX;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "0 to 9e15"
        )]
        let mut first = (guess as u64).max(step);
        while first > step && reached(first - 1) {
            first -= 1;
        }
        while !reached(first) {
            first += 1;
        }
        first
    }

    /// Rewrites what the duel of a pair changes, but for the counts of wins.
    fn rewrite(&mut self, winner: usize, loser: usize) {
        let (forth, back) = (winner * self.arms + loser, loser * self.arms + winner);
        let term = self.arms * winner.min(loser) + winner.max(loser);
        let (won, lost) = (self.wins[forth], self.wins[back]);

        let led_by = self.divergence[self.leader];
        // The pair's term belongs to the arm that is behind (to both, as 0, where they are even).
        let old = self.terms[term];
        let was_behind = if won - 1 < lost { winner } else { loser };
        self.divergence[was_behind] -= old;
        let new = divergence(won, lost);
        let is_behind = if won < lost { winner } else { loser };
        self.divergence[is_behind] += new;
        self.terms[term] = new;

        // O holds who is not ahead: the winner may have left the loser's company of equals.
        if won - 1 == lost {
            self.lost_to[winner] -= 1;
        }
        if won == lost {
            self.lost_to[loser] += 1;
        }
        let total = f64::from(won) + f64::from(lost);
        self.means[forth] = f64::from(won) / total;
        self.means[back] = f64::from(lost) / total;

        let key = |arm: usize| (self.divergence[arm], arm);
        if self.divergence[self.leader] > led_by {
            self.leader = (0..self.arms).min_by_key(|&arm| key(arm)).unwrap_or(0);
        } else {
            let better = if key(winner) < key(loser) {
                winner
            } else {
                loser
            };
            self.leader = if key(better) < key(self.leader) {
                better
            } else {
                self.leader
            };
        }
    }
}

impl Policy for Rmed1 {
    fn arms(&self) -> usize {
        self.arms
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.opening != (0, 0) {
            let (first, second) = self.opening;
            return Choice::Duel(Arm::at(first), Arm::at(second));
        }
        if self.played > 0 {
            self.admit(step - 1);
        }
        if self.played == self.pass.len() {
            self.begin_pass();
        }
        let arm = self.pass[self.played];
        self.played += 1;
        self.place[arm.index()] = Place::Out;
        let opponent = self.opponent(arm.index(), generator);
        self.touched = [arm.index(), opponent];
        if opponent != arm.index() {
            return Choice::Duel(arm, Arm::at(opponent));
        }
        let nobody_else = self.played == self.pass.len() && self.admitted == 0;
        let until = if nobody_else {
            self.alone_until(step)
        } else {
            step
        };
        Choice::Alone { arm, until }
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        let Feedback::Duel { winner, loser, .. } = feedback else {
            return;
        };
        if self.opening != (0, 0) {
            let (first, second) = self.opening;
            self.opening = match (first + 1, second + 1) {
                (_, next) if next < self.arms => (first, next),
                (next, _) if next + 1 < self.arms => (next, next + 1),
                _ => (0, 0),
            };
        }
        let (winner, loser) = (winner.index(), loser.index());
        self.wins[winner * self.arms + loser] += 1;
        self.rewrite(winner, loser);
    }

    fn best(&self, generator: &mut Generator) -> Option<Arm> {
        best_among(&self.wins, &self.divergence, generator)
    }
}
