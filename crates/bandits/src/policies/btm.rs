//! Beat the mean (BTM): each arm's duels are taken as duels with the mean of all arms left, and an
//! arm that is certainly worse at those than another is dropped.
//!
//! With n(b) duels that arm b began, w(b) of them won, P(b) = w(b) / n(b) (1/2 where n(b) = 0), n*
//! the smallest n(b) and c = c(n*), c(0) = 1:
//!
//! 1. of the arms left, one with n(b) = n* meets another drawn uniformly from the arms left, itself
//!    included: a fair coin, which counts like any other duel;
//! 2. if the smallest P + c <= the largest P - c, the arm with the smallest P is dropped, and with
//!    it every duel that others began with it;
//! 3. the last arm plays alone.
//!
//! `setting=online` (default) takes delta = 1 / 2TK. `setting=pac` seeks, with probability 1 - delta,
//! an arm that the best beats by at most epsilon: N is the smallest whole number with N =
//! ceil(36 gamma^6 / epsilon^2 ln(K^3 N / delta)), bounds take delta / K^3 N instead of delta, and
//! once n* = N the arm with the largest P plays alone.
//!
//! | `variant` | c(n) | meets itself | drops if | gamma |
//! |---|---|---|---|---|
//! | `paper` (default) | 3 gamma^2 sqrt(ln(1 / delta) / n) | yes | <= | 1 |
//! | `lerot` | 3 gamma sqrt(ln(1 / delta) / n) | yes | <= | 1 |
//! | `tight` | gamma^2 sqrt(ln(1 / delta) / n) | no | < | 1.2 |
//!
//! ## References
//!
//! Y. Yue, T. Joachims, "Beat the Mean Bandit", ICML 2011,
//! <https://icml.cc/Conferences/2011/papers/165_icmlpaper.pdf>, algorithms 1 to 3. The second variant
//! is the rule of the Lerot framework: A. Schuth, K. Hofmann, S. Whiteson, M. de Rijke,
//! LivingLab 2013, <https://doi.org/10.1145/2513150.2513162>; the third that of the code of J. Komiyama et
//! al., COLT 2015, <https://proceedings.mlr.press/v40/Komiyama15.html>.
//!
//! ## Notes
//!
//! * gamma is that of relaxed stochastic transitivity, at least 1 (some later texts write its
//!   reciprocal); `auto` is the default of the variant's source.
//! * The PAC setting needs no horizon, nor does the online one if delta is given: they ignore it.
//! * At gamma = 1, the default of both, `lerot` and `paper` are one rule: their bounds differ only for
//!   gamma > 1.
//! * Ties are broken at random.
//! * The arms that have begun fewest duels are kept (`counts/least.rs`), and the largest and smallest P are
//!   computed only when a bound on their difference allows an arm to be dropped.

use crate::algorithm::{given_horizon, papers};
use crate::counts::{LeastCounts, PairCounts};
use crate::random::{argmax, below};
use crate::{Arm, Choice, Feedback, Generator, Policy, config, named_values, state, stored};

named_values! {
    /// Which of the published rules; see the [module](self).
    pub enum Variant {
        /// As printed.
        Paper = "paper",
        /// As in Lerot.
        Lerot = "lerot",
        /// As in Komiyama's code.
        Tight = "tight",
    }
}

named_values! {
    /// The goal; see the [module](self).
    pub enum Setting {
        /// Low regret over a horizon.
        Online = "online",
        /// An arm that is nearly the best.
        Pac = "pac",
    }
}

config! {
    /// BTM's parameters.
    pub struct BtmConfig {
        /// Which of the published rules.
        variant: Variant = Variant::Paper, "paper, lerot or tight";
        /// The goal.
        setting: Setting = Setting::Online, "online or pac";
        /// Of relaxed stochastic transitivity, at least 1; the variant's default if not given.
        gamma: Option<f64> = None, "of relaxed stochastic transitivity, at least 1"
            [positive] [at least 1 because "1 is strong stochastic transitivity, and nothing is stronger"];
        /// By how much the best may beat the arm found, in (0, 1); PAC only.
        epsilon: f64 = 0.05, "how much worse than the best is good enough (pac)"
            [positive] [probability] [idle beside setting = Setting::Online];
        /// The probability of failing, in (0, 1); 1 / 2TK (online) or 0.05 (PAC) if not given.
        delta: Option<f64> = None, "probability of failing, auto for 1/2TK (online) or 0.05 (pac)" [probability];
    }

    policy Btm {
        name: "btm",
        summary: "beat the mean (Yue and Joachims, ICML 2011): arms against the mean of those left",
        paper: papers::YUE_ICML_2011,
        variants: [
            ("variant=lerot", "other bounds if gamma > 1"),
            ("variant=tight", "as in Komiyama's code"),
            ("setting=pac", "an arm that is nearly the best"),
        ],
        needs_horizon: true,
        all_pairs: true,
        own_loop: true,
    }

    fn uses_horizon(&self) -> bool {
        self.setting == Setting::Online && self.delta.is_none()
    }

    fn warn_together(&self) -> Option<String> {
        let narrow = self.variant == Variant::Tight || (self.variant == Variant::Lerot && self.gamma() > 1.0);
        narrow.then(|| "its theory needs the bounds of variant=paper".to_owned())
    }

    fn build(&self, arms: usize, horizon: Option<u64>) -> Btm {
        Btm::new(self, arms, horizon)
    }
}

impl BtmConfig {
    fn gamma(&self) -> f64 {
        let default = if self.variant == Variant::Tight { 1.2 } else { 1.0 };
        self.gamma.unwrap_or(default)
    }

    /// c(n) sqrt(n), and N (none online).
    pub(crate) fn radius(&self, arms: usize, horizon: Option<u64>) -> (f64, u64) {
        let (arms, gamma) = (arms as f64, self.gamma());
        let (log, enough) = match self.setting {
            Setting::Online => {
                let auto = || 1.0 / (2.0 * given_horizon(horizon) as f64 * arms);
                (-libm::log(self.delta.unwrap_or_else(auto)), u64::MAX)
            }
            Setting::Pac => {
                let delta = self.delta.unwrap_or(0.05);
                let log = |n: u64| 3.0 * libm::log(arms) + libm::log(n as f64) - libm::log(delta);
                // Products, as the result of `powi` depends on the platform.
                let cube = gamma * gamma * gamma;
                let factor = 36.0 * (cube * cube) / (self.epsilon * self.epsilon);
                // From below, so that the first fixed point is the smallest.
                let mut enough = 1;
                loop {
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "positive, and the cast saturates"
                    )]
                    let next = libm::ceil(factor * log(enough)) as u64;
                    if next <= enough {
                        break;
                    }
                    enough = next;
                }
                (log(enough), enough)
            }
        };
        let factor = match self.variant {
            Variant::Paper => 3.0 * gamma * gamma,
            Variant::Lerot => 3.0 * gamma,
            Variant::Tight => gamma * gamma,
        };
        (factor * log.sqrt(), enough)
    }
}

/// BTM.
#[derive(Debug, Clone)]
pub struct Btm {
    arms: usize,
    tight: bool,
    /// c(n) = radius / sqrt(n).
    radius: f64,
    /// N.
    enough: u64,
    /// The arms left, in order.
    left: Vec<Arm>,
    /// n(b).
    begun: LeastCounts,
    /// w(b).
    won: Vec<u32>,
    /// P(b).
    shares: Vec<f64>,
    /// How many duels the arm of the row began with that of the column, and how many of them it won.
    duels: PairCounts,
    wins: PairCounts,
    /// 2 c(n*) at the n* of before.
    margin: f64,
    /// No P of an arm left is lower, or higher.
    lowest: f64,
    highest: f64,
    /// The pair that met last; the first of them began the duel.
    met: Option<[Arm; 2]>,
    /// The arm that plays at the end.
    ended: Option<Arm>,
}

state!(Btm { left, begun, won, shares, duels, wins, margin, lowest, highest, met, ended } but { arms, tight, radius, enough });

impl Btm {
    fn new(config: &BtmConfig, arms: usize, horizon: Option<u64>) -> Self {
        let (radius, enough) = config.radius(arms, horizon);
        Self {
            arms,
            tight: config.variant == Variant::Tight,
            radius,
            enough,
            left: (0..arms).map(Arm::at).collect(),
            begun: LeastCounts::new(arms),
            won: vec![0; arms],
            shares: vec![0.5; arms],
            duels: PairCounts::new(arms, 0),
            wins: PairCounts::new(arms, 0),
            margin: 0.0,
            lowest: 0.5,
            highest: 0.5,
            met: None,
            ended: None,
        }
    }

    /// The arms that are left.
    #[must_use]
    pub fn survivors(&self) -> &[Arm] {
        &self.left
    }

    /// Whether two values of P are further apart than 2 c(n*).
    #[inline]
    fn are_apart(&self, lowest: f64, highest: f64) -> bool {
        if self.tight { highest - lowest > self.margin } else { highest - lowest >= self.margin }
    }

    /// Recomputes the lowest and highest P.
    fn refresh(&mut self) {
        let shares = self.left.iter().map(|arm| self.shares[arm.index()]);
        self.lowest = shares.clone().fold(1.0, f64::min);
        self.highest = shares.fold(0.0, f64::max);
    }

    /// Drops the worst arm, if the last duel left no doubt about it.
    #[inline]
    fn drop_worst(&mut self, generator: &mut Generator) {
        if !self.are_apart(self.lowest, self.highest) || self.begun.least() == 0 {
            return;
        }
        self.refresh();
        if self.are_apart(self.lowest, self.highest) && self.left.len() > 1 {
            self.drop(generator);
        }
    }

    #[cold]
    fn drop(&mut self, generator: &mut Generator) {
        let shares = self.left.iter().map(|arm| -self.shares[arm.index()]);
        let place = argmax(generator, shares).unwrap_or(0);
        let worst = self.left.remove(place);
        for &arm in &self.left {
            self.won[arm.index()] -= self.wins[(arm, worst)];
        }
        let (left, duels) = (&self.left, &self.duels);
        let before = self.begun.clone();
        self.begun.recount(|arm| {
            left.binary_search(&arm).ok()?;
            let with_worst = duels[(arm, worst)];
            Some(before.count(arm) - u64::from(with_worst))
        });
        for index in 0..self.left.len() {
            self.share(self.left[index]);
        }
        self.refresh();
        self.set_margin();
    }

    #[inline]
    fn share(&mut self, arm: Arm) {
        let begun = self.begun.count(arm);
        self.shares[arm.index()] = if begun == 0 { 0.5 } else { f64::from(self.won[arm.index()]) / begun as f64 };
    }

    #[inline]
    fn set_margin(&mut self) {
        self.margin = 2.0 * self.radius / (self.begun.least() as f64).sqrt();
    }

    fn leader(&self, generator: &mut Generator) -> Option<Arm> {
        let shares = self.left.iter().map(|arm| self.shares[arm.index()]);
        argmax(generator, shares).map(|place| self.left[place])
    }
}

impl Policy for Btm {
    fn arms(&self) -> usize {
        self.arms
    }

    fn choose(&mut self, _step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.met.take().is_some() {
            self.drop_worst(generator);
        }
        if self.ended.is_none() && (self.left.len() == 1 || self.begun.least() >= self.enough) {
            self.ended = self.leader(generator);
        }
        if let Some(arm) = self.ended {
            return Choice::Alone { arm, until: u64::MAX };
        }
        let first = self.begun.draw(generator);
        let second = if self.tight {
            // Uniform on the others: skip the first's place.
            let own = self.left.partition_point(|&arm| arm < first);
            let place = below(generator, self.left.len() - 1);
            self.left[place + usize::from(place >= own)]
        } else {
            self.left[below(generator, self.left.len())]
        };
        self.met = Some([first, second]);
        Choice::Duel(first, second)
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        let (Feedback::Duel { first_won, .. }, Some([first, second])) = (feedback, self.met) else {
            return;
        };
        self.duels[(first, second)] += 1;
        self.wins[(first, second)] += u32::from(first_won);
        self.won[first.index()] += u32::from(first_won);
        let least = self.begun.least();
        self.begun.add(first, 1);
        self.share(first);
        let share = self.shares[first.index()];
        self.lowest = if share < self.lowest { share } else { self.lowest };
        self.highest = if share > self.highest { share } else { self.highest };
        if self.begun.least() != least {
            self.set_margin();
        }
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        if self.ended.is_some() {
            return self.ended;
        }
        let nothing_known = self.left.iter().all(|&arm| self.begun.count(arm) == 0);
        if nothing_known && self.left.len() > 1 {
            return None;
        }
        self.leader(generator)
    }

    stored!();
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "an independent check, which no result depends on")]
mod tests {
    use super::*;
    use crate::registry::Spec;
    use crate::{ParameterError, PolicyConfig as _};

    #[test]
    fn each_rule_has_its_error() {
        let error = |text: &str| text.parse::<Spec>().expect_err(text);
        for text in ["btm:gamma=0", "btm:gamma=nan", "btm:epsilon=0", "btm:epsilon=inf"] {
            assert!(matches!(error(text), ParameterError::NotPositive { .. }), "{text}");
        }
        assert!(matches!(error("btm:gamma=0.9"), ParameterError::BelowMinimum { key: "gamma", .. }));
        for text in ["btm:delta=0", "btm:delta=1", "btm:epsilon=1"] {
            assert!(matches!(error(text), ParameterError::NotAProbability { .. }), "{text}");
        }
        let online = BtmConfig::default();
        assert_eq!(online.policy(3, None).err(), Some(ParameterError::NoHorizon { algorithm: "btm" }));
        assert!(BtmConfig { delta: Some(0.1), ..online.clone() }.policy(3, None).is_ok());
        assert!(BtmConfig { setting: Setting::Pac, ..online }.policy(3, None).is_ok());
    }

    #[test]
    fn enough_is_the_smallest_fixed_point() {
        let config = BtmConfig { setting: Setting::Pac, epsilon: 0.5, delta: Some(0.1), ..BtmConfig::default() };
        let (radius, enough) = config.radius(4, None);
        let next = |n: f64| (36.0 / 0.25 * (64.0 * n / 0.1).ln()).ceil();
        assert_eq!(next(enough as f64), enough as f64);
        assert!((1..enough).all(|n| next(n as f64) != n as f64));
        // c(N) is epsilon / 2 gamma at most.
        assert!(radius / (enough as f64).sqrt() <= 0.25 + 1e-12);
    }
}
