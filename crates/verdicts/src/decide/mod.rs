//! Who won: anytime-valid verdicts from outcomes by day.
//!
//! Every day gets one look, when it has ended, at the counts until then; the verdicts hold at all looks together
//! ([`statistics::anytime`]), so that a log may be credited and decided again each day until it is decided. Units enter once, on
//! the day on which they closed. With several pairs the level is divided among them; "the best of all rankers" has a test
//! of its own.

mod contradiction;
mod finding;
mod report;
mod tables;
mod versions;

pub use contradiction::Contradiction;
pub use finding::{Finding, FindingKind, finding};
pub use report::{percent_of_confidence, report};
pub use tables::{
    BestRecord, ContradictionRecord, CountsRecord, DecisionRecord, PairRecord, SingleLookRecord, WorstRecord,
};
pub use versions::{OfVersion, Verdicts, decide};

use statistics::anytime::{BestArm, EProcess, PairTest, TestState};
use statistics::fixed::{exact_interval, sign_test};
use statistics::power::StoppingTime;
use statistics::{Counts, StatisticsError};

use self::contradiction::Until;
use crate::outcomes::{DayCounts, Outcomes};

/// What is counted as independent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum By {
    /// Users or sessions, as the log was credited.
    #[default]
    Units,
    /// Impressions, each by itself.
    Impressions,
}

/// The counts of one pair until the end of one day, and what they say.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// Days since 1970-01-01.
    pub day: i32,
    /// The rankers, by their places in the names.
    pub pair: (usize, usize),
    /// All outcomes until then, for the first ranker.
    pub counts: Counts,
    /// The share of wins among what is decided: a confidence sequence at the level of the test.
    pub interval: (f64, f64),
    /// ln of the evidence for the first and for the second.
    pub ln_evidence: [f64; 2],
    /// The anytime-valid p-value until then, adjusted for the number of pairs.
    pub p_value: f64,
    /// The verdict until then.
    pub verdict: TestState,
    /// Whether outcomes since then contradict the verdict.
    pub is_contradicted: bool,
}

/// What a log says about one pair.
#[derive(Debug, Clone, PartialEq)]
pub struct PairDecision {
    /// The last look.
    pub last: Look,
    /// The day on which it was decided.
    pub since: Option<i32>,
    /// What contradicts the verdict, if anything does.
    pub contradicted: Option<Contradiction>,
    /// Outcomes of all impressions, as a description.
    pub impressions: Counts,
    /// The p-value of the sign test, which holds for one look at a time that was fixed before, adjusted for the number of
    /// pairs.
    pub fixed_p_value: f64,
    /// The exact interval of the same test, adjusted likewise: it contains one half exactly if the test does not decide.
    /// `None` if nothing is decided.
    pub fixed_interval: Option<(f64, f64)>,
    /// Not decided yet: how many more units would decide it with probability 1/2, if the share stays what it is; `None` if that
    /// is further away than a thousand times what is there.
    pub more: Option<u64>,
}

/// The best of several rankers.
#[derive(Debug, Clone, PartialEq)]
pub struct BestDecision {
    /// The ranker that beats every other, if that is known, and since when.
    pub declared: Option<(usize, i32)>,
    /// The one with the most evidence, and against how many others it suffices.
    pub leader: (usize, usize),
    /// Those that no other is known to beat.
    pub candidates: Vec<usize>,
    /// By other ranker: what contradicts that the declared one beats it.
    pub contradicted: Vec<Contradiction>,
}

/// What a log says.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The rankers.
    pub rankers: Vec<String>,
    /// The level of all verdicts together.
    pub alpha: f64,
    /// What is counted.
    pub by: By,
    /// The first and the last day with outcomes.
    pub days: Option<(i32, i32)>,
    /// By pair.
    pub pairs: Vec<PairDecision>,
    /// With more than two rankers.
    pub best: Option<BestDecision>,
    /// By pair, by day.
    pub looks: Vec<Look>,
}

/// Decides by the outcomes of one version of an experiment, at level `alpha`, in (0, 1).
fn decide_one(outcomes: &Outcomes, alpha: f64, by: By) -> Result<Decision, StatisticsError> {
    let pairs = outcomes.pairs();
    let of_pair = alpha / pairs.len().max(1) as f64;
    let mut decision = Decision {
        rankers: outcomes.rankers.clone(),
        alpha,
        by,
        days: None,
        pairs: Vec::new(),
        best: None,
        looks: Vec::new(),
    };
    let with_outcomes = outcomes.days.iter().filter(|day| counted(day.counts, by).total() > 0);
    let mut all_days: Vec<i32> = with_outcomes.map(|day| day.day).collect();
    all_days.dedup();
    decision.days = all_days.first().copied().zip(all_days.last().copied());
    for &pair in &pairs {
        let mut test = PairTest::new(of_pair)?;
        let adjusted = |p_value: f64| (p_value * pairs.len() as f64).min(1.0);
        let (mut counts, mut impressions, mut since) = (Counts::default(), Counts::default(), None);
        let first_look = decision.looks.len();
        for day in outcomes.days.iter().filter(|day| day.pair == pair) {
            impressions += day.counts.impressions;
            if counted(day.counts, by).total() == 0 {
                continue;
            }
            counts += counted(day.counts, by);
            let verdict = test.look_at(counts);
            if verdict != TestState::Open && since.is_none() {
                since = Some(day.day);
            }
            let mut look = look(day.day, pair, &test)?;
            look.p_value = adjusted(look.p_value);
            decision.looks.push(look);
        }
        let contradicted = contradiction_of_pair(&mut decision.looks[first_look..], of_pair)?;
        let last = match decision.looks[first_look..].last() {
            Some(look) => look.clone(),
            None => look(0, pair, &test)?,
        };
        let more = if last.verdict == TestState::Open { more(counts, of_pair) } else { None };
        decision.pairs.push(PairDecision {
            last,
            since,
            contradicted,
            impressions,
            fixed_p_value: adjusted(sign_test(counts)),
            fixed_interval: exact_interval(counts, of_pair).ok(),
            more,
        });
    }
    if outcomes.rankers.len() > 2 {
        decision.best = Some(best(outcomes, alpha, by, &all_days, &decision.looks)?);
    }
    Ok(decision)
}

fn counted(counts: DayCounts, by: By) -> Counts {
    match by {
        By::Units => counts.units,
        By::Impressions => counts.impressions,
    }
}

fn look(day: i32, pair: (usize, usize), test: &PairTest) -> Result<Look, StatisticsError> {
    Ok(Look {
        day,
        pair,
        counts: test.counts(),
        interval: test.share_interval()?,
        ln_evidence: test.ln_evidence(),
        p_value: test.p_value(),
        verdict: test.verdict(),
        is_contradicted: false,
    })
}

/// Marks the looks of a pair at which its verdict is contradicted, and describes that.
fn contradiction_of_pair(looks: &mut [Look], alpha: f64) -> Result<Option<Contradiction>, StatisticsError> {
    let Some(verdict) = looks.iter().position(|look| look.verdict != TestState::Open) else { return Ok(None) };
    let (first, second) = looks[verdict].pair;
    let is_first = looks[verdict].verdict == TestState::FirstWins;
    let until: Vec<Until> = looks.iter().map(|look| (look.day, oriented(look.counts, is_first))).collect();
    let rankers = if is_first { (first, second) } else { (second, first) };
    let (each, contradiction) = contradiction::contradicted(&until, verdict, libm::log(2.0 / alpha), rankers)?;
    for (look, is_contradicted) in looks[verdict..].iter_mut().zip(each) {
        look.is_contradicted = is_contradicted;
    }
    Ok(contradiction)
}

/// Counts as the first ranker of a pair sees them, or as the second does.
fn oriented(counts: Counts, is_first: bool) -> Counts {
    if is_first { counts } else { counts.swapped() }
}

/// How many more units decide with probability 1/2.
fn more(counts: Counts, alpha: f64) -> Option<u64> {
    let share = counts.share()?;
    let share = share.max(1.0 - share);
    let (decided, all) = (counts.decided() as f64, counts.total() as f64);
    // A smaller margin takes more than a thousand times as many.
    if share <= 0.5 + 0.05 / libm::sqrt(decided) {
        return None;
    }
    let needed = if share < 1.0 {
        StoppingTime::new(share, alpha).ok()?.quantile(0.5)?
    } else {
        // One side wins all that come: nothing is left to chance.
        let evidence = EProcess::against(0.5).ok()?;
        let is_enough = |wins: &u64| evidence.ln(*wins, 0) >= libm::log(2.0 / alpha);
        (counts.decided()..).find(is_enough)? as f64
    };
    let more = (needed - decided).max(1.0) * all / decided;
    (more < 1000.0 * all).then_some(more.ceil() as u64)
}

fn best(
    outcomes: &Outcomes,
    alpha: f64,
    by: By,
    days: &[i32],
    looks: &[Look],
) -> Result<BestDecision, StatisticsError> {
    let mut test = BestArm::new(outcomes.rankers.len(), alpha)?;
    let mut declared = None;
    for &day in days {
        // All pairs of a day before one look.
        for of_day in outcomes.days.iter().filter(|of_day| of_day.day == day) {
            test.record_counts_without_looking(of_day.pair.0, of_day.pair.1, counted(of_day.counts, by))?;
        }
        if let (Some(ranker), None) = (test.look(), declared) {
            declared = Some((ranker, day));
        }
    }
    let leader = test.leader().arm;
    let mut contradicted = Vec::new();
    let ln_threshold = libm::log(outcomes.rankers.len() as f64 / alpha);
    for of_pair in looks.chunk_by(|a, b| a.pair == b.pair) {
        let (Some((ranker, day)), (first, second)) = (declared, of_pair[0].pair) else { break };
        if ranker != first && ranker != second {
            continue;
        }
        let is_first = ranker == first;
        let until: Vec<Until> = of_pair.iter().map(|look| (look.day, oriented(look.counts, is_first))).collect();
        let Some(verdict) = until.iter().rposition(|(of, _)| *of <= day) else { continue };
        let rankers = (ranker, if is_first { second } else { first });
        contradicted.extend(contradiction::contradicted(&until, verdict, ln_threshold, rankers)?.1);
    }
    Ok(BestDecision { declared, leader: (leader, test.settled(leader)), candidates: test.candidates(), contradicted })
}

impl By {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Units => "units",
            Self::Impressions => "impressions",
        }
    }
}

impl Look {
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

fn verdict_name(verdict: TestState) -> &'static str {
    match verdict {
        TestState::FirstWins => "first-wins",
        TestState::SecondWins => "second-wins",
        TestState::Open => "open",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcomes::Day;

    /// The first of two rankers wins 55% of 400 units a day; with three, also 60% against the third.
    fn outcomes(rankers: usize) -> Outcomes {
        let day = |day: i32, pair, wins, losses| {
            let units = Counts::new(wins, losses, 100);
            Day {
                version: 0,
                day,
                pair,
                counts: DayCounts { units, impressions: Counts::new(2 * wins, 2 * losses, 700) },
            }
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
        let decision = decide_one(&outcomes(2), 0.05, By::Units).unwrap();
        let pair = &decision.pairs[0];
        assert_eq!((pair.last.verdict, decision.looks.len()), (TestState::FirstWins, 20));
        let since = pair.since.unwrap();
        let verdicts: Vec<bool> = decision.looks.iter().map(|look| look.verdict == TestState::Open).collect();
        assert_eq!(verdicts, (0..20).map(|day| day < since).collect::<Vec<_>>());
        assert!((2..15).contains(&since) && pair.more.is_none());
        let (low, high) = pair.last.interval;
        assert!(low > 0.5 && low < 0.55 && high > 0.55);
        // On the day before, it was expected soon.
        let mut before = outcomes(2);
        before.days.truncate(since as usize);
        let more = decide_one(&before, 0.05, By::Units).unwrap().pairs[0].more.unwrap();
        assert!((1..5_000).contains(&more), "{more}");
        // Impressions counted as independent are twice as many.
        let sooner = decide_one(&outcomes(2), 0.05, By::Impressions).unwrap().pairs[0].since.unwrap();
        assert!(sooner < since);
    }

    #[test]
    fn the_best_of_three_is_declared() {
        let decision = decide_one(&outcomes(3), 0.05, By::Units).unwrap();
        let best = decision.best.as_ref().unwrap();
        assert_eq!(
            (best.declared.map(|(ranker, _)| ranker), best.leader, best.candidates.clone()),
            (Some(0), (0, 2), vec![0])
        );
        // A third of the level each: no sooner than alone.
        assert!(decision.pairs[0].since >= decide_one(&outcomes(2), 0.05, By::Units).unwrap().pairs[0].since);
        assert_eq!(decision.pairs[2].last.verdict, TestState::Open);
    }

    #[test]
    fn nothing_is_decided_by_nothing() {
        for rankers in [0, 2] {
            let mut nothing = outcomes(2);
            nothing.days.clear();
            nothing.rankers.truncate(rankers);
            let decision = decide_one(&nothing, 0.05, By::Units).unwrap();
            assert!(decision.pairs.is_empty() && decision.days.is_none() && decision.looks.is_empty());
            assert!(!report(&decision, None).is_empty());
        }
        assert!(decide_one(&outcomes(2), 0.0, By::Units).is_err());
    }
}
