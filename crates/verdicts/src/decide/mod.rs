//! Anytime-valid verdicts from outcomes by day.
//!
//! Every day gets one look, when it has ended, at the counts until then; the verdicts hold at all looks together
//! ([`statistics::anytime`]), so that a log may be credited and decided again each day until it is decided. Units enter once, on
//! the day on which they closed. With several pairs the level is divided among them, until one ranker is known to be the best of
//! all: then its pairs are decided by the evidence for that, and the others claim nothing.
//!
//! Verdict and interval of a pair are one construction ([`statistics::anytime::ShareSequence`]): an interval excludes one half
//! exactly if its pair is decided. Headline, report, tables, figures and pages all read a [`Look`].

mod advice;
mod best;
mod contradiction;
mod drift;
mod effect;
mod finding;
mod forecast;
mod look_table;
mod pair;
mod records;
mod report;
mod running_decision;
mod value;
mod versions;

pub use advice::{Action, Advice, Outlook};
pub use contradiction::Contradiction;
pub use drift::Drift;
pub use effect::{Difference, DifferenceText, Effect};
pub use finding::{Finding, FindingKind, finding};
pub use forecast::{DayChance, Forecast};
pub use records::{
    BestRecord, ChanceRecord, ContradictionRecord, CountsRecord, DecisionRecord, DifferenceRecord, DriftRecord,
    EffectRecord, ForecastRecord, PairRecord, SingleLookRecord, WorstRecord,
};
pub use report::{confidence_so_far, percent_of_confidence, range, report};
pub use running_decision::RunningDecision;
pub use value::{DraftLook, FIT_UNITS, ValueDecision, ValueLook, ValuePair, decide_value};
pub use versions::{Verdicts, VersionVerdict, decide, decide_with_progress};

use statistics::Counts;
use statistics::anytime::{EProcess, TestState};
use statistics::power::StoppingTime;

use crate::outcomes::DayCounts;

/// The units that count as independent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CountUnit {
    /// Users or sessions, as the log was credited.
    #[default]
    Units,
    /// Impressions, each by itself.
    Impressions,
    /// Users or sessions, by the side with more [conversions](crate::conversions).
    Conversions,
}

/// The counts of one pair until the end of one day, and the verdict by them.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// Days since 1970-01-01.
    pub day: i32,
    /// The rankers, by their places in the names.
    pub pair: (usize, usize),
    /// All outcomes until then, for the first ranker.
    pub counts: Counts,
    /// The share of wins of the first among decided outcomes lies between these two, by all looks until then. The pair is decided for
    /// the first exactly if the lower end is 1/2 or more, and for the second if the upper end is 1/2 or less. `None` if no share
    /// fits all looks, or if nothing is claimed.
    pub interval: Option<(f64, f64)>,
    /// The anytime-valid p-value until then, adjusted for the other claims.
    pub p_value: f64,
    /// The verdict until then.
    pub verdict: TestState,
    /// Whether this pair claims anything. Once one ranker is known to be the best of all, only its own pairs do.
    pub is_claimed: bool,
    /// Whether outcomes since then contradict the verdict.
    pub is_contradicted: bool,
    /// Whether the share until then is not in the interval, or no share is: preferences drifted.
    pub drifts: bool,
}

/// The test of one sample size that was fixed before, as a description; adjusted for the number of pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SingleLook {
    /// The p-value of the sign test.
    pub p_value: f64,
    /// The exact interval of the same test: it contains one half exactly if the test does not decide. `None` if nothing is
    /// decided.
    pub interval: Option<(f64, f64)>,
}

/// The decision on one pair.
#[derive(Debug, Clone, PartialEq)]
pub struct PairDecision {
    /// By day.
    pub looks: Vec<Look>,
    /// The last of these; an empty one if there is none.
    pub last: Look,
    /// The day on which it was decided.
    pub since: Option<i32>,
    /// The contradiction of the verdict, if any.
    pub contradicted: Option<Contradiction>,
    /// A change that no single share explains, if any.
    pub drift: Option<Drift>,
    /// Outcomes of all impressions, as a description.
    pub impressions: Counts,
    /// The result of a single look; `None` if nothing is claimed.
    pub single_look: Option<SingleLook>,
    /// By how much; `None` if the owners of the clicked documents are unknown.
    pub effect: Option<Effect>,
    /// Not decided yet: how many more units would decide it with probability 1/2, if the share stays the same; `None` if that
    /// takes over a thousand times the present number.
    pub units_until_decided: Option<u64>,
    /// Whether that was computed: of more than 200 pairs, only of those of the leader.
    pub has_forecast: bool,
}

/// The best of several rankers.
#[derive(Debug, Clone, PartialEq)]
pub struct BestDecision {
    /// The ranker that beats every other, if that is known, and since when.
    pub declared: Option<(usize, i32)>,
    /// The one with the most evidence, and how many others it is known to beat.
    pub leader: (usize, usize),
    /// Those that no other is known to beat.
    pub candidates: Vec<usize>,
    /// By other ranker: what contradicts that the declared one beats it.
    pub contradicted: Vec<Contradiction>,
}

/// The decision by a log.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The rankers.
    pub rankers: Vec<String>,
    /// The level of all verdicts together.
    pub alpha: f64,
    /// What is counted.
    pub count_unit: CountUnit,
    /// The first and the last day with outcomes.
    pub days: Option<(i32, i32)>,
    /// By pair.
    pub pairs: Vec<PairDecision>,
    /// With more than two rankers.
    pub best: Option<BestDecision>,
    /// While it is open: how long it takes.
    pub forecast: Option<Forecast>,
}

impl Decision {
    /// Every look, by pair and day.
    pub fn looks(&self) -> impl Iterator<Item = &Look> {
        self.pairs.iter().flat_map(|pair| &pair.looks)
    }

    /// The first drift, of a pair of the leader if one of these has any.
    fn drift(&self) -> Option<Drift> {
        let leader = self.best.as_ref().map(|best| best.leader.0);
        let is_of_leader = |pair: &&PairDecision| leader == Some(pair.last.pair.0) || leader == Some(pair.last.pair.1);
        let of_leader = self.pairs.iter().filter(is_of_leader).find_map(|pair| pair.drift);
        of_leader.or_else(|| self.pairs.iter().find_map(|pair| pair.drift))
    }
}

/// The number of further units that decide with probability 1/2.
fn units_until_decided(counts: Counts, alpha: f64) -> Option<u64> {
    let share = counts.share()?;
    let share = share.max(1.0 - share);
    let (decided_units, total) = (counts.decided() as f64, counts.total() as f64);
    // A smaller margin takes more than a thousand times as many.
    if share <= 0.5 + 0.05 / libm::sqrt(decided_units) {
        return None;
    }
    let decided_units_needed = if share < 1.0 {
        StoppingTime::until(0.5, share, alpha).ok()?.quantile(0.5)?
    } else {
        // One side wins all further units: nothing is random.
        let evidence = EProcess::against(0.5).ok()?;
        let is_enough = |wins: &u64| evidence.ln(*wins, 0) >= libm::log(2.0 / alpha);
        (counts.decided()..).find(is_enough)? as f64
    };
    let missing_units = (decided_units_needed - decided_units).max(1.0) * total / decided_units;
    (missing_units < 1000.0 * total).then_some(missing_units.ceil() as u64)
}

impl CountUnit {
    /// The counts of a day, by these units.
    fn of(self, counts: DayCounts) -> Counts {
        match self {
            Self::Units | Self::Conversions => counts.units,
            Self::Impressions => counts.impressions,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Units => "units",
            Self::Impressions => "impressions",
            Self::Conversions => "conversions",
        }
    }
}

impl Look {
    /// ln of the evidence at this look for the first and for the second.
    #[must_use]
    pub fn ln_evidence(&self) -> [f64; 2] {
        let Counts { wins, losses, .. } = self.counts;
        EProcess::against(0.5).map_or([0.0; 2], |evidence| [evidence.ln(wins, losses), evidence.ln(losses, wins)])
    }

    /// What the verdict is called in tables.
    fn verdict_name(&self) -> &'static str {
        match self.verdict {
            TestState::FirstWins => "first-wins",
            TestState::SecondWins => "second-wins",
            TestState::Open if self.is_claimed => "open",
            TestState::Open => "not-claimed",
        }
    }

    /// The highest level at which it is decided, below 1.
    #[must_use]
    pub fn confidence(&self) -> f64 {
        (1.0 - self.p_value).max(0.0)
    }

    /// The ranker that won, if it is decided.
    #[must_use]
    pub fn winner(&self) -> Option<usize> {
        match self.verdict {
            TestState::FirstWins => Some(self.pair.0),
            TestState::SecondWins => Some(self.pair.1),
            TestState::Open => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::running_decision::decide_without_progress;
    use super::*;
    use crate::amounts::{SideClicks, UnitAmounts};
    use crate::outcomes::{Day, Outcomes};

    /// The first of two rankers wins 55% of 400 units a day; with three, also 60% against the third.
    fn outcomes(rankers: usize) -> Outcomes {
        let day = |day: i32, pair, wins, losses| {
            let units = Counts::new(wins, losses, 100);
            Day { version: 0, day, pair, counts: DayCounts::of(units, Counts::new(2 * wins, 2 * losses, 700)) }
        };
        let days = (0..20).flat_map(|n| {
            let mut days = vec![day(n, (0, 1), 220, 180)];
            if rankers > 2 {
                days.push(day(n, (0, 2), 240, 160));
                days.push(day(n, (1, 2), 200, 200));
            }
            days
        });
        Outcomes {
            rankers: ["new", "old", "other"][..rankers].iter().map(ToString::to_string).collect(),
            versions: vec![None],
            days: days.collect(),
        }
    }

    #[test]
    fn a_pair_is_decided_once_and_since_a_day() {
        let decision = decide_without_progress(&outcomes(2), 0.05, CountUnit::Units).unwrap();
        let pair = &decision.pairs[0];
        assert_eq!((pair.last.verdict, decision.looks().count()), (TestState::FirstWins, 20));
        let since = pair.since.unwrap();
        let verdicts: Vec<bool> = decision.looks().map(|look| look.verdict == TestState::Open).collect();
        assert_eq!(verdicts, (0..20).map(|day| day < since).collect::<Vec<_>>());
        assert!((2..15).contains(&since) && pair.units_until_decided.is_none());
        let (low, high) = pair.last.interval.unwrap();
        assert!(low > 0.5 && low < 0.55 && high > 0.55);
        // On the day before, it was expected soon.
        let mut before = outcomes(2);
        before.days.truncate(since as usize);
        let more =
            decide_without_progress(&before, 0.05, CountUnit::Units).unwrap().pairs[0].units_until_decided.unwrap();
        assert!((1..5_000).contains(&more), "{more}");
        // Impressions counted as independent are twice as many.
        let sooner =
            decide_without_progress(&outcomes(2), 0.05, CountUnit::Impressions).unwrap().pairs[0].since.unwrap();
        assert!(sooner < since);
    }

    #[test]
    fn the_best_of_three_is_declared() {
        let decision = decide_without_progress(&outcomes(3), 0.05, CountUnit::Units).unwrap();
        let best = decision.best.as_ref().unwrap();
        assert_eq!(
            (best.declared.map(|(ranker, _)| ranker), best.leader, best.candidates.clone()),
            (Some(0), (0, 2), vec![0])
        );
        // A third of the level each: no sooner than alone.
        assert!(
            decision.pairs[0].since
                >= decide_without_progress(&outcomes(2), 0.05, CountUnit::Units).unwrap().pairs[0].since
        );
        assert_eq!(decision.pairs[2].last.verdict, TestState::Open);
        // The two of the best are decided with it, and the third claims nothing from then on.
        let since = best.declared.unwrap().1;
        for pair in &decision.pairs[..2] {
            assert!(
                pair.last.winner() == Some(0) && pair.since.unwrap() <= since && pair.last.interval.unwrap().0 >= 0.5
            );
        }
        let third = &decision.pairs[2];
        assert!(!third.last.is_claimed && third.last.interval.is_none() && third.single_look.is_none());
        assert!(third.looks.iter().all(|look| look.is_claimed == (look.day < since)));
    }

    /// Outcomes of pairs of five rankers (the first may be the best), on days that may lack pairs.
    fn random(seed: u64) -> Outcomes {
        let mut draws = statistics::Normals::from_seed(seed);
        let share = 0.5 + 0.15 * draws.uniform();
        let mut days = Vec::new();
        for day in 0..12 {
            for first in 0..5 {
                for second in first + 1..5 {
                    if draws.uniform() < 0.2 {
                        continue;
                    }
                    let share = if first == 0 { share } else { 0.5 + 0.05 * (draws.uniform() - 0.5) };
                    let wins = (0..60).filter(|_| draws.uniform() < share).count() as u64;
                    let units = Counts::new(wins, 60 - wins, 3);
                    let mut counts = DayCounts::of(units, units);
                    for unit in 0..60 {
                        let clicks = if unit < wins { [2, 1] } else { [0, 1] };
                        counts.amounts.record(UnitAmounts::of(Some(SideClicks(clicks))));
                    }
                    days.push(Day { version: 0, day, pair: (first, second), counts });
                }
            }
        }
        let rankers = ["a", "b", "c", "d", "e"].map(str::to_owned).into();
        Outcomes { rankers, versions: vec![None], days }
    }

    #[test]
    fn the_best_is_that_of_the_test_for_it_and_nothing_contradicts_it() {
        let mut declared = 0;
        for seed in 0..40 {
            let outcomes = random(seed);
            let mut test = statistics::anytime::BestArm::new(5, 0.05).unwrap();
            let mut expected = None;
            for day in 0..12 {
                for of_day in outcomes.days.iter().filter(|of_day| of_day.day == day) {
                    test.record_counts_without_looking(of_day.pair.0, of_day.pair.1, of_day.counts.units).unwrap();
                }
                if let (Some(ranker), None) = (test.look(), expected) {
                    expected = Some((ranker, day));
                }
            }
            let decision = decide_without_progress(&outcomes, 0.05, CountUnit::Units).unwrap();
            let best = decision.best.as_ref().unwrap();
            assert_eq!(best.declared, expected, "{seed}");
            declared += u32::from(expected.is_some());
            if let (None, Some(ranker)) = (expected, best.candidates.first()) {
                assert_eq!(test.leader().arm, best.leader.0, "{seed}: {ranker}");
            }
            agrees(&decision);
            let wins = |ranker: usize| decision.pairs.iter().filter(|pair| pair.last.winner() == Some(ranker)).count();
            assert!(!best.contradicted.is_empty() || best.leader.1 == wins(best.leader.0), "{seed}");
            if let Some((ranker, day)) = expected {
                assert_eq!((best.leader.0, wins(ranker)), (ranker, 4), "{seed}");
                // The day of the claim is a look at every pair.
                assert!(decision.pairs.iter().all(|pair| pair.looks.iter().any(|look| look.day == day)), "{seed}");
            }
        }
        assert!((8..36).contains(&declared), "{declared}");
    }

    /// Test and interval agree at every look, and the last look is the verdict.
    fn agrees(decision: &Decision) {
        for look in decision.looks() {
            match look.interval {
                Some((low, high)) => {
                    assert!(look.is_claimed);
                    assert_eq!(low >= 0.5, look.verdict == TestState::FirstWins, "{look:?}");
                    assert_eq!(high <= 0.5, look.verdict == TestState::SecondWins, "{look:?}");
                }
                None => assert!(look.drifts || !look.is_claimed && look.verdict == TestState::Open, "{look:?}"),
            }
        }
        assert!(decision.pairs.iter().all(|pair| pair.looks.last() == Some(&pair.last)));
    }

    #[test]
    fn days_added_one_by_one_say_what_all_say_together() {
        for seed in 0..20 {
            let outcomes = random(seed);
            let mut running_decision =
                RunningDecision::new(outcomes.rankers.clone(), &outcomes.pairs(), 0.05, CountUnit::Units).unwrap();
            for day in outcomes.days.chunk_by(|a, b| a.day == b.day) {
                running_decision.add(day).unwrap();
            }
            assert_eq!(
                running_decision.decision(),
                decide_without_progress(&outcomes, 0.05, CountUnit::Units).unwrap(),
                "{seed}"
            );
            let half = Outcomes {
                days: outcomes.days[..outcomes.days.partition_point(|row| row.day < 6)].to_vec(),
                ..outcomes.clone()
            };
            let half = RunningDecision::of(&half, 0.05, CountUnit::Units, None).unwrap();
            // Rows that were changed since are counted again.
            let mut changed = outcomes.clone();
            changed.days[0].counts.units.wins += 1;
            let mut clicked = outcomes.clone();
            clicked.days[0].counts.amounts.clicks.first += 1;
            let [changed, clicked] = [changed, clicked]
                .map(|outcomes| RunningDecision::of(&outcomes, 0.05, CountUnit::Units, None).unwrap());
            for before in [Some(&half), Some(&running_decision), Some(&changed), Some(&clicked), None] {
                assert_eq!(
                    RunningDecision::of(&outcomes, 0.05, CountUnit::Units, before).unwrap(),
                    running_decision,
                    "{seed}"
                );
            }
        }
        let mut running_decision =
            RunningDecision::new(vec!["a".to_owned(); 3], &[(0, 1)], 0.05, CountUnit::Units).unwrap();
        let unknown = Day { version: 0, day: 1, pair: (1, 2), counts: DayCounts::default() };
        assert!(running_decision.add(&[unknown]).is_err());
    }

    #[test]
    fn shares_that_change_are_said_first() {
        let day = |day: i32, wins, losses| {
            let units = Counts::new(wins, losses, 0);
            Day { version: 0, day, pair: (0, 1), counts: DayCounts::of(units, units) }
        };
        let of = |days: Vec<Day>| {
            let outcomes = Outcomes { days, ..outcomes(2) };
            decide_without_progress(&outcomes, 0.05, CountUnit::Units).unwrap()
        };
        // Ahead all the time, by less and less.
        let fell = of(vec![day(1, 640, 360), day(2, 530, 470)]);
        let pair = &fell.pairs[0];
        assert!(matches!(pair.drift, Some(Drift::Fell { ranker: 0, by: 1, .. })), "{pair:?}");
        assert!(pair.contradicted.is_none() && pair.last.winner() == Some(0));
        let text = report(&fell, None);
        let first = "The share of new against old has fallen: by 1970-01-02 it was known to be above ";
        assert!(text.starts_with(first) && text.contains("and of all days it is 58.5%.\nnew beats old: "), "{text}");
        let found = finding(&fell, None);
        assert!(found.kind == FindingKind::Decided && found.sentence.starts_with(first), "{found:?}");
        assert!(found.details[0].starts_with("new beats old: "), "{found:?}");
        assert!(fell.looks_csv().lines().last().unwrap().ends_with(",first-wins,true,false"));
        assert_eq!(fell.json()["pairs"][0]["drift"]["ranker"], "new");
        // By so much that no share is left.
        let none = of(vec![day(1, 900, 100), day(2, 520, 480), day(3, 520, 480)]);
        assert!(matches!(none.pairs[0].drift, Some(Drift::NoShare { above: (_, 1), below: (_, 3), .. })), "{none:?}");
        assert!(none.pairs[0].last.interval.is_none() && none.json()["pairs"][0]["confidence_sequence"].is_null());
        let text = report(&none, None);
        assert!(
            text.starts_with("The share of new against old has changed, and none fits all days: by 1970-01-02 it "),
            "{text}"
        );
        assert!(text.contains(" that preferred a side (no share fits all days); "), "{text}");
        // Nothing of the kind.
        let same = of((1..9).map(|n| day(n, 60, 50)).collect());
        assert!(same.pairs[0].drift.is_none() && finding(&same, None).sentence.starts_with("Undecided"));
    }

    #[test]
    fn nothing_is_decided_by_nothing() {
        for rankers in [0, 2] {
            let mut nothing = outcomes(2);
            nothing.days.clear();
            nothing.rankers.truncate(rankers);
            let decision = decide_without_progress(&nothing, 0.05, CountUnit::Units).unwrap();
            assert!(decision.pairs.is_empty() && decision.days.is_none() && decision.looks().next().is_none());
            assert!(!report(&decision, None).is_empty());
        }
        assert!(decide_without_progress(&outcomes(2), 0.0, CountUnit::Units).is_err());
    }
}
