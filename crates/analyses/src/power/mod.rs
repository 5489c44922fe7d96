//! Impressions until a comparison of two rankers is decided: predicted, simulated, and for other ways to decide.
//!
//! An impression is won by one of the rankers or tied. These tests answer which ranker is better:
//!
//! | test | looks | decides by |
//! |---|---|---|
//! | [`PairTest`](statistics::anytime::PairTest) | after every impression | which ranker wins more of the impressions that one of them wins |
//! | [MaxSPRT and YEAST](statistics::power::horizon) | after every impression, until a horizon fixed before | the same |
//! | the sign test | one, after a number of impressions fixed before | the same |
//! | an A/B test ([`click_through`]) | one, likewise | the share of impressions with a click, where half of the users see each ranker alone |
//!
//! [`simulate`] plays the first, to compare with its prediction. Every simulated impression is a user of its own, so
//! impressions are independent; those of real users are not, and sessions or users are then the units to count.

pub mod click_through;
pub mod simulate;

use serde::Serialize;
use simulation::pairwise::PairCount;
use statistics::StatisticsError;
use statistics::power::horizon::{BoundedTest, BoundedTime};
use statistics::power::{StoppingTime, fixed_sample, two_groups};

use self::click_through::ClickThrough;

/// How impressions of a pair end, for its better ranker.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Shares {
    /// P(the better ranker wins).
    pub wins: f64,
    /// P(the other one wins).
    pub losses: f64,
    /// P(neither wins).
    pub ties: f64,
}

impl Shares {
    /// Of a ranker that wins with probability 1/2 + `margin` if half of the ties, a share of `ties`, count as wins; `None`
    /// if there is none.
    #[must_use]
    pub fn of_margin(margin: f64, ties: f64) -> Option<Self> {
        let decided = 1.0 - ties;
        let possible = (0.0..1.0).contains(&ties) && margin > 0.0 && margin < 0.5 * decided;
        possible.then_some(Self { wins: 0.5 * decided + margin, losses: 0.5 * decided - margin, ties })
    }

    /// The shares among counted comparisons; the first ranker should have won more. `None` without comparisons.
    #[must_use]
    pub fn of_counts(counts: PairCount) -> Option<Self> {
        let share = |count: u64| count as f64 / counts.comparisons as f64;
        (counts.comparisons > 0).then(|| Self {
            wins: share(counts.wins),
            losses: share(counts.comparisons - counts.wins - counts.ties),
            ties: share(counts.ties),
        })
    }

    /// How far P(the better ranker wins), with a tie as half a win, is above 1/2.
    #[must_use]
    pub fn margin(&self) -> f64 {
        0.5 * (self.wins - self.losses)
    }

    /// P(the better ranker wins), given that either wins.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.wins / (self.wins + self.losses)
    }

    /// The same with another margin, within what is possible.
    #[must_use]
    pub fn with_margin(&self, margin: f64) -> Option<Self> {
        Self::of_margin(margin, self.ties)
    }
}

/// What a test should achieve.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Goal {
    /// 1 minus the probability of a decision where there is no difference.
    pub confidence: f64,
    /// Probabilities of having decided for the better ranker, ascending.
    pub powers: Vec<f64>,
}

/// The number of impressions by which a test has decided for the better ranker.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Impressions {
    /// With each probability of [`Goal::powers`]; null where it is beyond what was computed or played, or infinite.
    pub by_power: Vec<Option<f64>>,
    /// On average, given that it decides for the better ranker; null for tests with a fixed number.
    pub mean: Option<f64>,
}

impl Impressions {
    /// For the test with a look after every impression.
    ///
    /// # Errors
    /// If neither or always the same ranker wins, or the goal has other numbers than probabilities.
    pub fn of_anytime_test(shares: &Shares, goal: &Goal) -> Result<Self, StatisticsError> {
        let time = StoppingTime::new(shares.share(), 1.0 - goal.confidence)?;
        let by_power = goal.powers.iter().map(|&power| time.quantile_with_ties(power, shares.ties));
        Ok(Self { by_power: by_power.collect::<Result<_, _>>()?, mean: Some(time.mean() / (1.0 - shares.ties)) })
    }

    /// For a test with a look after every impression until its horizon: the impressions expected to yield its decided units. A power
    /// that needs fewer ties than expected is not reached.
    ///
    /// # Errors
    /// As for [`of_anytime_test`](Self::of_anytime_test).
    pub fn of_bounded_test(shares: &Shares, goal: &Goal, test: &BoundedTest) -> Result<Self, StatisticsError> {
        let time = BoundedTime::new(test, shares.share())?;
        let horizon = test.units() as f64 / (1.0 - shares.ties);
        let by_power = goal.powers.iter().map(|&power| {
            let units = time.quantile_with_ties(power, shares.ties)?;
            Ok(units.filter(|units| *units <= horizon))
        });
        let mean = time.mean().map(|decided| decided / (1.0 - shares.ties));
        Ok(Self { by_power: by_power.collect::<Result<_, _>>()?, mean })
    }

    /// For a sign test with a single look.
    ///
    /// # Errors
    /// As for [`of_anytime_test`](Self::of_anytime_test).
    pub fn of_sign_test(shares: &Shares, goal: &Goal) -> Result<Self, StatisticsError> {
        let units_for_power =
            |power: f64| Ok(Some(fixed_sample(shares.share(), 1.0 - goal.confidence, power)? / (1.0 - shares.ties)));
        Ok(Self {
            by_power: goal.powers.iter().map(|&power| units_for_power(power)).collect::<Result<_, _>>()?,
            mean: None,
        })
    }

    /// For an A/B test with a single look, users of both groups together.
    ///
    /// # Errors
    /// If the goal has other numbers than probabilities.
    pub fn ab_test(clicks: &ClickThrough, goal: &Goal) -> Result<Self, StatisticsError> {
        let variances = clicks.rates.map(|rate| rate * (1.0 - rate));
        let units_for_power = |power: f64| {
            let group_size = two_groups(clicks.difference(), variances, 1.0 - goal.confidence, power)?;
            Ok(group_size.is_finite().then_some(2.0 * group_size))
        };
        Ok(Self {
            by_power: goal.powers.iter().map(|&power| units_for_power(power)).collect::<Result<_, _>>()?,
            mean: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal() -> Goal {
        Goal { confidence: 0.95, powers: vec![0.5, 0.8, 0.9] }
    }

    #[test]
    fn a_margin_counts_ties_by_half() {
        let shares = Shares::of_margin(0.02, 0.6).unwrap();
        assert!((shares.wins - 0.22).abs() < 1e-15 && (shares.losses - 0.18).abs() < 1e-15, "{shares:?}");
        assert!((shares.share() - 0.55).abs() < 1e-15 && (shares.margin() - 0.02).abs() < 1e-15);
        let counts = PairCount { wins: 220, ties: 600, comparisons: 1_000 };
        assert!((counts.preference() - 0.5 - Shares::of_counts(counts).unwrap().margin()).abs() < 1e-15);
        for (margin, ties) in [(0.0, 0.0), (-0.1, 0.0), (0.2, 0.6), (0.1, 1.0), (0.1, -0.5), (f64::NAN, 0.0)] {
            assert_eq!(Shares::of_margin(margin, ties), None, "{margin} {ties}");
        }
        assert_eq!(Shares::of_counts(PairCount::default()), None);
    }

    #[test]
    fn a_fixed_number_is_the_textbook_one() {
        // (1.959964 + 0.841621)^2 / (4 * 0.05^2) decided impressions, 40% of all.
        let shares = Shares::of_margin(0.02, 0.6).unwrap();
        let fixed = Impressions::of_sign_test(&shares, &goal()).unwrap();
        let expected = 7.848_879_7 / (4.0 * 0.0025) / 0.4;
        assert!((fixed.by_power[1].unwrap() / expected - 1.0).abs() < 1e-7, "{fixed:?}");
        // Half of all tests decide by the time the expected difference is as large as the critical one.
        assert!((fixed.by_power[0].unwrap() / (3.841_458_8 / 0.01 / 0.4) - 1.0).abs() < 1e-7, "{fixed:?}");
        let anytime = Impressions::of_anytime_test(&shares, &goal()).unwrap();
        assert!(anytime.by_power[0] < anytime.by_power[1] && anytime.by_power[1] < anytime.by_power[2]);
        assert!(anytime.mean.unwrap() > anytime.by_power[0].unwrap(), "a long tail: {anytime:?}");
    }

    #[test]
    fn tests_with_a_horizon_near_the_end_of_what_is_needed() {
        let shares = Shares::of_margin(0.02, 0.6).unwrap();
        let anytime = Impressions::of_anytime_test(&shares, &goal()).unwrap();
        let fixed = Impressions::of_sign_test(&shares, &goal()).unwrap();
        // A horizon that is somewhat more than a single look needs.
        let decided = (1.5 * fixed.by_power[2].unwrap() * (1.0 - shares.ties)) as u64;
        let of =
            |test: BoundedTest| Impressions::of_bounded_test(&shares, &goal(), &test).unwrap().by_power[1].unwrap();
        let yeast = of(BoundedTest::yeast(decided, 0.05).unwrap());
        assert!(
            fixed.by_power[1].unwrap() < yeast && yeast < 0.95 * anytime.by_power[1].unwrap(),
            "{yeast} {anytime:?}"
        );
        // MaxSPRT takes about as long: its bound hardly depends on the horizon.
        let max_sprt = of(BoundedTest::max_sprt(decided, 0.05).unwrap());
        assert!((max_sprt / anytime.by_power[1].unwrap() - 1.0).abs() < 0.1, "{max_sprt} {anytime:?}");
        // With as many ties as expected, a power reached only at the very end of the decided units is not reached.
        for units in 1_100..1_140 {
            let test = BoundedTest::yeast(units, 0.05).unwrap();
            let found = Impressions::of_bounded_test(&shares, &goal(), &test).unwrap().by_power;
            let horizon = units as f64 / (1.0 - shares.ties);
            assert!(found.iter().flatten().all(|needed| *needed <= horizon), "{units}: {found:?}");
        }
        // Too short a horizon: it rarely decides.
        let short = BoundedTest::yeast(50, 0.05).unwrap();
        assert_eq!(Impressions::of_bounded_test(&shares, &goal(), &short).unwrap().by_power, [None; 3]);
    }

    #[test]
    fn an_ab_test_counts_both_groups() {
        let clicks = ClickThrough { impressions: 1_000, rates: [0.32, 0.30], standard_error: 0.01 };
        let found = Impressions::ab_test(&clicks, &goal()).unwrap();
        // The example of `two_groups`, twice.
        assert!((found.by_power[1].unwrap() / (2.0 * 8_390.452_4) - 1.0).abs() < 1e-6, "{found:?}");
        let alike = ClickThrough { rates: [0.3, 0.3], ..clicks };
        assert_eq!(Impressions::ab_test(&alike, &goal()).unwrap().by_power, [None; 3]);
    }
}
