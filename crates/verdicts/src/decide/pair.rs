//! The state of one pair, look by look: a new day costs one look.

use statistics::anytime::{ShareSequence, TestState};
use statistics::fixed_sample::{exact_interval, sign_test};
use statistics::{Counts, StatisticsError};

use super::contradiction::{SinceVerdict, describe};
use super::drift::drift;
use super::effect::Effect;
use super::{CountUnit, Look, PairDecision, SingleLook};
use crate::amounts::Amounts;
use crate::outcomes::DayCounts;

/// The claim that decides a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Claim {
    /// Its part of the level, among all pairs.
    OfAllPairs,
    /// That a ranker is the best of all; whether that is the first of the pair.
    OfTheBest { is_first: bool },
    /// The best of all is known, and this pair does not concern it.
    Nothing,
}

/// The evidence that verdicts need.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct EvidenceThresholds {
    /// The part of the level that a pair has among all pairs.
    pub(super) pair: f64,
    /// The number of pairs.
    pub(super) pairs: usize,
    /// The number of rankers.
    pub(super) rankers: usize,
    /// The evidence against each other ranker that makes one the best of all.
    pub(super) best: f64,
}

/// A pair until the last day.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PairState {
    pair: (usize, usize),
    thresholds: EvidenceThresholds,
    impressions: Counts,
    /// All units that closed, and their sums.
    closed: u64,
    amounts: Amounts,
    /// The test among all pairs.
    shares: ShareSequence,
    /// On which day the evidence for the first and for the second sufficed for the best of all.
    reached: [Option<i32>; 2],
    /// Days that are counted and not looked at yet.
    unseen_days: Vec<Day>,
    /// The last one that was looked at.
    last: Option<Day>,
    claim: Claim,
    /// The test of the claim that one of the two is the best.
    best: Option<ShareSequence>,
    /// The interval until the last look, and on which days its ends moved last.
    ends: [f64; 2],
    move_days: [i32; 2],
    since: Option<i32>,
    since_verdict: Option<SinceVerdict>,
    looks: Vec<Look>,
}

/// The test among all pairs at the end of a day.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Day {
    day: i32,
    counts: Counts,
    ends: [f64; 2],
    drifts: bool,
    largest: [f64; 2],
    verdict: TestState,
}

impl PairState {
    pub(super) fn new(pair: (usize, usize), thresholds: EvidenceThresholds) -> Result<Self, StatisticsError> {
        Ok(Self {
            pair,
            thresholds,
            impressions: Counts::default(),
            closed: 0,
            amounts: Amounts::default(),
            shares: ShareSequence::new(thresholds.pair)?,
            reached: [None; 2],
            unseen_days: Vec::new(),
            last: None,
            claim: Claim::OfAllPairs,
            best: None,
            ends: [0.0, 1.0],
            move_days: [0; 2],
            since: None,
            since_verdict: None,
            looks: Vec::new(),
        })
    }

    /// The two rankers.
    pub(super) fn pair(&self) -> (usize, usize) {
        self.pair
    }

    /// The counts that decide, those of all impressions, and amounts.
    pub(super) fn counts(&self) -> ([Counts; 2], Amounts) {
        ([self.shares.test().counts(), self.impressions], self.amounts)
    }

    /// On which day the evidence for the first and for the second sufficed for the best of all.
    pub(super) fn reached(&self) -> [Option<i32>; 2] {
        self.reached
    }

    /// Counts a day, which is later than those before.
    pub(super) fn count(&mut self, day: i32, counts: DayCounts, by: CountUnit) {
        self.impressions += counts.impressions;
        self.closed += counts.units.total();
        self.amounts += counts.amounts;
        let day_counts = by.of(counts);
        if day_counts.total() == 0 {
            return;
        }
        let mut counts = self.shares.test().counts();
        counts += day_counts;
        let verdict = self.shares.look_at(counts);
        let largest = self.shares.test().largest_ln_evidence();
        for (reached, largest) in self.reached.iter_mut().zip(largest) {
            if reached.is_none() && largest >= libm::log(self.thresholds.best) {
                *reached = Some(day);
            }
        }
        let (ends, drifts) = (self.shares.ends(), self.shares.drifts());
        self.unseen_days.push(Day { day, counts, ends, drifts, largest, verdict });
    }

    /// Looks at the days that were counted. `best` is the best of all and since when, if that is known.
    pub(super) fn look(&mut self, best: Option<(usize, i32)>) -> Result<(), StatisticsError> {
        for day in std::mem::take(&mut self.unseen_days) {
            if let Some((ranker, since)) = best
                && day.day >= since
            {
                self.claim_best(ranker, since)?;
                // The day of the claim is a look at every pair.
                if let Some(last) = self.last.filter(|last| last.day < since && since < day.day) {
                    self.look_at(Day { day: since, ..last })?;
                }
            }
            self.look_at(day)?;
        }
        if let Some((ranker, since)) = best {
            self.claim_best(ranker, since)?;
            if let Some(last) = self.last.filter(|last| last.day < since) {
                self.look_at(Day { day: since, ..last })?;
            }
        }
        Ok(())
    }

    /// From now on this pair is part of the claim that `ranker` is the best, since the day `since`, or claims nothing.
    fn claim_best(&mut self, ranker: usize, since: i32) -> Result<(), StatisticsError> {
        if self.claim != Claim::OfAllPairs {
            return Ok(());
        }
        let is_first = ranker == self.pair.0;
        if !is_first && ranker != self.pair.1 {
            (self.claim, self.since, self.since_verdict) = (Claim::Nothing, None, None);
            return Ok(());
        }
        self.claim = Claim::OfTheBest { is_first };
        let is_known = self.looks.last().is_some_and(|look| look.winner() == Some(ranker));
        self.since = self.since.filter(|_| is_known).or(Some(since));
        self.since_verdict = None;
        let mut shares = ShareSequence::at_threshold(self.thresholds.best)?;
        (self.ends, self.move_days) = ([0.0, 1.0], [0; 2]);
        let reached = self.reached[usize::from(!is_first)];
        for look in &self.looks {
            shares.look_at(look.counts);
            note_moves(&mut self.ends, &mut self.move_days, shares.ends(), look.day);
            if reached.is_some_and(|reached| look.day >= reached) {
                note_contradiction(
                    &mut self.since_verdict,
                    oriented(look.counts, is_first),
                    shares.test().ln_threshold(),
                )?;
            }
        }
        self.best = Some(shares);
        Ok(())
    }

    /// Looks at the end of a day.
    fn look_at(&mut self, seen: Day) -> Result<(), StatisticsError> {
        self.last = Some(seen);
        let Day { day, counts, .. } = seen;
        let of_pairs = |largest: [f64; 2]| {
            let p_value = libm::exp(std::f64::consts::LN_2 - largest[0].max(largest[1])).min(1.0);
            (p_value * self.thresholds.pairs as f64).min(1.0)
        };
        let mut look = Look {
            day,
            pair: self.pair,
            counts,
            interval: None,
            p_value: of_pairs(seen.largest),
            verdict: TestState::Open,
            is_claimed: true,
            is_contradicted: false,
            drifts: false,
        };
        let ln_threshold = match self.claim {
            Claim::Nothing => {
                look.is_claimed = false;
                self.looks.push(look);
                return Ok(());
            }
            Claim::OfAllPairs => {
                note_moves(&mut self.ends, &mut self.move_days, seen.ends, day);
                (look.verdict, look.drifts) = (seen.verdict, seen.drifts);
                self.shares.test().ln_threshold()
            }
            Claim::OfTheBest { is_first } => {
                let ln_rankers = libm::log(self.thresholds.rankers as f64);
                look.p_value = libm::exp(ln_rankers - seen.largest[usize::from(!is_first)]).min(1.0);
                look.verdict = if is_first { TestState::FirstWins } else { TestState::SecondWins };
                let Some(shares) = &mut self.best else { return Ok(()) };
                shares.look_at(counts);
                note_moves(&mut self.ends, &mut self.move_days, shares.ends(), day);
                look.drifts = shares.drifts();
                shares.test().ln_threshold()
            }
        };
        let [low, high] = self.ends;
        look.interval = (low < high).then_some((low, high));
        if look.verdict != TestState::Open {
            self.since.get_or_insert(day);
            let counts = oriented(counts, look.verdict == TestState::FirstWins);
            look.is_contradicted = note_contradiction(&mut self.since_verdict, counts, ln_threshold)?;
        }
        self.looks.push(look);
        Ok(())
    }

    /// What is known by now. `with_forecast` also says how many more units it takes.
    pub(super) fn decision(&self, with_forecast: bool) -> PairDecision {
        let (first, second) = self.pair;
        let last = self.looks.last().cloned().unwrap_or(Look {
            day: 0,
            pair: self.pair,
            counts: Counts::default(),
            interval: Some((0.0, 1.0)),
            p_value: 1.0,
            verdict: TestState::Open,
            is_claimed: self.claim != Claim::Nothing,
            is_contradicted: false,
            drifts: false,
        });
        let contradiction = last.is_contradicted.then(|| {
            let is_first = last.verdict == TestState::FirstWins;
            let looks = self.looks.iter().map(|look| (look.day, oriented(look.counts, is_first)));
            describe(looks, if is_first { (first, second) } else { (second, first) })
        });
        let pairs = self.thresholds.pairs as f64;
        let single_look = last.is_claimed.then(|| SingleLook {
            p_value: (sign_test(last.counts) * pairs).min(1.0),
            interval: exact_interval(last.counts, self.thresholds.pair).ok(),
        });
        let is_open = last.verdict == TestState::Open && last.is_claimed;
        PairDecision {
            since: self.since,
            contradicted: contradiction,
            drift: last.drifts.then(|| drift(self.pair, last.counts, self.ends, self.move_days)).flatten(),
            impressions: self.impressions,
            single_look,
            // The level was checked at the beginning.
            effect: Effect::of(&self.amounts, self.closed, self.thresholds.pair).ok().flatten(),
            units_until_decided: if is_open && with_forecast {
                super::units_until_decided(last.counts, self.thresholds.pair)
            } else {
                None
            },
            has_forecast: with_forecast,
            looks: self.looks.clone(),
            last,
        }
    }

    /// The verdict by now.
    pub(super) fn verdict(&self) -> TestState {
        self.looks.last().map_or(TestState::Open, |look| look.verdict)
    }

    /// ln of the evidence now for the first and for the second.
    pub(super) fn ln_evidence(&self) -> [f64; 2] {
        self.shares.test().ln_evidence()
    }
}

/// Notes on which day an end of an interval moved.
fn note_moves(ends: &mut [f64; 2], move_days: &mut [i32; 2], new: [f64; 2], day: i32) {
    for ((end, moved), new) in ends.iter_mut().zip(move_days).zip(new) {
        if *end != new {
            (*end, *moved) = (new, day);
        }
    }
}

/// Whether the verdict is contradicted at these counts of its winner; the first call begins with the verdict.
fn note_contradiction(
    since_verdict: &mut Option<SinceVerdict>,
    counts: Counts,
    ln_threshold: f64,
) -> Result<bool, StatisticsError> {
    if since_verdict.is_none() {
        *since_verdict = Some(SinceVerdict::begin(counts, ln_threshold)?);
    }
    Ok(since_verdict.as_mut().is_some_and(|after| after.look_at(counts)))
}

/// Counts as the first ranker of a pair sees them, or as the second does.
fn oriented(counts: Counts, is_first: bool) -> Counts {
    if is_first { counts } else { counts.swapped() }
}
