//! A decision that grows day by day: each day costs one look at each of its pairs, whatever came before.

use std::collections::BTreeMap;

use rayon::prelude::*;
use statistics::{Counts, StatisticsError};

use super::best::{best, declare_best};
use super::pair::{EvidenceThresholds, PairState};
use super::{CountUnit, Decision, Forecast, PairDecision};
use crate::amounts::Amounts;
use crate::outcomes::{Day, Outcomes};

/// Fewer rows than these are not worth several threads.
const MANY_ROWS: usize = 1_000;
/// Of more pairs than these, only those of the leader have a forecast of units: a forecast costs as much as a year of looks.
const FORECASTS: usize = 45;

/// Verdicts on the pairs of several rankers, to which days are added.
///
/// ```
/// use statistics::Counts;
/// use statistics::anytime::TestState;
/// use verdicts::decide::{CountUnit, RunningDecision};
/// use verdicts::outcomes::{Day, DayCounts};
///
/// let rankers = vec!["new".to_owned(), "old".to_owned()];
/// let mut deciding = RunningDecision::new(rankers, &[(0, 1)], 0.05, CountUnit::Units)?;
/// for (day, wins) in [(20_779, 60), (20_780, 75)] {
///     let counts = DayCounts::of(Counts::new(wins, 40, 25), Counts::new(90, 70, 200));
///     deciding.add(&[Day { version: 0, day, pair: (0, 1), counts }])?;
/// }
/// assert_eq!(deciding.decision().pairs[0].last.verdict, TestState::FirstWins);
/// # Ok::<(), statistics::StatisticsError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RunningDecision {
    rankers: Vec<String>,
    alpha: f64,
    count_unit: CountUnit,
    /// In the order of the pairs.
    states: Vec<PairState>,
    places: BTreeMap<(usize, usize), usize>,
    declared: Option<(usize, i32)>,
    days: Option<(i32, i32)>,
    rows: usize,
}

impl RunningDecision {
    /// For these rankers and the `pairs` that meet (by their places, the smaller first), at level `alpha`, in (0, 1), for all
    /// pairs together. The pairs determine how the level is divided.
    ///
    /// # Errors
    /// If `alpha` is not in (0, 1).
    pub fn new(
        rankers: Vec<String>,
        pairs: &[(usize, usize)],
        alpha: f64,
        count_unit: CountUnit,
    ) -> Result<Self, StatisticsError> {
        // The level may be wrong without any pair.
        statistics::anytime::PairTest::new(alpha)?;
        let thresholds = EvidenceThresholds {
            pair: alpha / pairs.len().max(1) as f64,
            pairs: pairs.len(),
            rankers: rankers.len(),
            best: rankers.len().max(1) as f64 / alpha,
        };
        let places = pairs.iter().copied().zip(0..).collect();
        let states = pairs.iter().map(|pair| PairState::new(*pair, thresholds)).collect::<Result<_, _>>()?;
        Ok(Self { rankers, alpha, count_unit, states, places, declared: None, days: None, rows: 0 })
    }

    /// Adds days; each gets one look. They come in order, after those that were added before, and each pair has one row a day at most.
    ///
    /// # Errors
    /// If a pair is not one of those given at the beginning; then nothing changes.
    pub fn add(&mut self, days: &[Day]) -> Result<(), StatisticsError> {
        self.add_with_progress(days, &|_| ())
    }

    /// The same; `progress` gets the number of rows that were looked at, from several threads.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn add_with_progress(&mut self, days: &[Day], progress: &(dyn Fn(u64) + Sync)) -> Result<(), StatisticsError> {
        let mut rows: Vec<Vec<&Day>> = vec![Vec::new(); self.states.len()];
        for day in days {
            let (first, second) = day.pair;
            let unknown = StatisticsError::NoSuchPair { first, second, arms: self.rankers.len() };
            rows[*self.places.get(&day.pair).ok_or(unknown)?].push(day);
        }
        for day in days.iter().filter(|day| self.count_unit.of(day.counts).total() > 0) {
            let (first, last) = self.days.unwrap_or((day.day, day.day));
            self.days = Some((first.min(day.day), last.max(day.day)));
        }
        self.rows += days.len();
        let by = self.count_unit;
        let count = |(state, rows): (&mut PairState, Vec<&Day>)| {
            rows.iter().for_each(|row| state.count(row.day, row.counts, by));
            progress(rows.len() as u64);
        };
        let is_large = days.len() >= MANY_ROWS;
        if is_large {
            self.states.par_iter_mut().zip(rows).for_each(count);
        } else {
            self.states.iter_mut().zip(rows).for_each(count);
        }
        if self.declared.is_none() {
            self.declared = declare_best(self.rankers.len(), &self.states);
        }
        let declared = self.declared;
        if is_large {
            self.states.par_iter_mut().try_for_each(|state| state.look(declared))
        } else {
            self.states.iter_mut().try_for_each(|state| state.look(declared))
        }
    }

    /// Whether adding days to this can give the decision on all of `outcomes`: these begin with the rows that it has, as far as the sums
    /// of each pair show, and further rows are of later days and of no new pair.
    fn is_beginning_of(&self, outcomes: &Outcomes, alpha: f64, by: CountUnit) -> bool {
        let is_later = |rest: &[Day]| self.days.is_none_or(|(_, last)| rest.iter().all(|row| row.day > last));
        self.alpha == alpha
            && self.count_unit == by
            && self.rankers == outcomes.rankers
            && outcomes.days.get(self.rows..).is_some_and(is_later)
            && self.states.iter().map(PairState::pair).eq(outcomes.pairs())
            && self.states.iter().map(PairState::counts).eq(self.sums(&outcomes.days[..self.rows]))
    }

    /// The sums of these rows, by pair: what decides, all impressions, and amounts.
    fn sums(&self, days: &[Day]) -> Vec<([Counts; 2], Amounts)> {
        let mut sums = vec![Default::default(); self.states.len()];
        for day in days {
            if let Some(place) = self.places.get(&day.pair) {
                let ([decide, impressions], amounts): &mut ([Counts; 2], Amounts) = &mut sums[*place];
                *decide += self.count_unit.of(day.counts);
                *impressions += day.counts.impressions;
                *amounts += day.counts.amounts;
            }
        }
        sums
    }

    /// Decides on `outcomes` of one version, at level `alpha`, in (0, 1). If `before` is the decision on their first days, only the others
    /// are looked at: each costs the same, whatever came before.
    ///
    /// # Errors
    /// If `alpha` is not in (0, 1).
    pub fn of(outcomes: &Outcomes, alpha: f64, by: CountUnit, before: Option<&Self>) -> Result<Self, StatisticsError> {
        let mut running_decision = match before.filter(|before| before.is_beginning_of(outcomes, alpha, by)) {
            Some(before) => before.clone(),
            None => Self::new(outcomes.rankers.clone(), &outcomes.pairs(), alpha, by)?,
        };
        let rest = &outcomes.days[running_decision.rows..];
        running_decision.add(rest)?;
        Ok(running_decision)
    }

    /// The best of more than two rankers and since when, if it is known.
    #[must_use]
    pub fn declared(&self) -> Option<(usize, i32)> {
        self.declared
    }

    /// What is known by now.
    #[must_use]
    pub fn decision(&self) -> Decision {
        let leader =
            (self.rankers.len() > 2).then(|| super::best::leader(self.rankers.len(), &self.states, self.declared));
        let pair_decision = |state: &PairState| {
            let (first, second) = state.pair();
            let is_of_leader = leader.is_none_or(|leader| first == leader || second == leader);
            state.decision(is_of_leader || self.states.len() <= FORECASTS)
        };
        let pairs: Vec<PairDecision> = if self.states.len() > 1 {
            self.states.par_iter().map(pair_decision).collect()
        } else {
            self.states.iter().map(pair_decision).collect()
        };
        let mut decision = Decision {
            rankers: self.rankers.clone(),
            alpha: self.alpha,
            count_unit: self.count_unit,
            days: self.days,
            best: leader.map(|leader| best(self.rankers.len(), &pairs, leader, self.declared)),
            pairs,
            forecast: None,
        };
        decision.forecast = Forecast::of(&decision);
        decision
    }
}

/// Decides by the outcomes of one version of an experiment, at level `alpha`, in (0, 1).
pub(super) fn decide_one(
    outcomes: &Outcomes,
    alpha: f64,
    count_unit: CountUnit,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Decision, StatisticsError> {
    let mut running_decision = RunningDecision::new(outcomes.rankers.clone(), &outcomes.pairs(), alpha, count_unit)?;
    running_decision.add_with_progress(&outcomes.days, progress)?;
    Ok(running_decision.decision())
}

/// The same without progress.
#[cfg(test)]
pub(super) fn decide_without_progress(
    outcomes: &Outcomes,
    alpha: f64,
    by: CountUnit,
) -> Result<Decision, StatisticsError> {
    decide_one(outcomes, alpha, by, &|_| ())
}
