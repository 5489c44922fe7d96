//! Guardrails: signs that a ranker does harm, no matter which one wins.

use statistics::anytime::share_interval;
use statistics::{Counts, StatisticsError};

use super::config::{Guard, Guardrails};

/// The level of all guardrails of all rankers together.
const LEVEL: f64 = 0.05;

/// Counts of events by ranker and guardrail: all, and bad ones.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct GuardCounts {
    rates: Vec<[[u64; 2]; 3]>,
    /// Impressions that were clicked or not: each counts for the rankers that it showed.
    impressions: u64,
    broken: Vec<[bool; 3]>,
}

/// A rate of harm of a ranker, beside the champion's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WatchedRate {
    /// The ranker, by its place.
    pub ranker: u32,
    /// The guardrail.
    pub guard: Guard,
    /// By how much the rate may be larger than the champion's.
    pub margin: f64,
    /// The ranker's impressions or choices: how many, and how many were bad.
    pub ranker_counts: [u64; 2],
    /// The same of the champion.
    pub champion_counts: [u64; 2],
    /// Whether it broke.
    pub is_broken: bool,
}

/// A rate that is too high.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Breach {
    pub(crate) ranker: u32,
    pub(crate) guard: Guard,
    pub(crate) ranker_counts: [u64; 2],
    pub(crate) champion_counts: [u64; 2],
}

impl GuardCounts {
    pub(crate) fn new(rankers: usize) -> Self {
        Self { rates: vec![Default::default(); rankers], impressions: 0, broken: vec![Default::default(); rankers] }
    }

    /// Something happened to rankers.
    pub(crate) fn record(&mut self, rankers: &[u32], guard: Guard, is_bad: bool) {
        self.impressions += u64::from(guard == Guard::NoClick);
        for &ranker in rankers {
            if let Some(rates) = self.rates.get_mut(ranker as usize) {
                let [all, bad] = &mut rates[guard as usize];
                *all += 1;
                *bad += u64::from(is_bad);
            }
        }
    }

    /// Counts of a ranker: all, and bad ones.
    pub(crate) fn counts(&self, ranker: u32, guard: Guard) -> [u64; 2] {
        self.rates.get(ranker as usize).map_or([0; 2], |rates| rates[guard as usize])
    }

    /// Whether a ranker is recorded as having broken a guardrail.
    pub(crate) fn is_broken(&self, ranker: u32, guard: Guard) -> bool {
        self.broken.get(ranker as usize).is_some_and(|broken| broken[guard as usize])
    }

    pub(crate) fn record_breach(&mut self, ranker: u32, guard: Guard) {
        if let Some(broken) = self.broken.get_mut(ranker as usize) {
            broken[guard as usize] = true;
        }
    }

    /// Whether a rate cannot differ from the champion's: every impression until now showed both.
    fn is_shared(&self, ranker: u32, guard: Guard, champion: u32) -> bool {
        let is_everywhere = |ranker| self.counts(ranker, guard)[0] == self.impressions;
        guard == Guard::NoClick && self.impressions > 0 && is_everywhere(ranker) && is_everywhere(champion)
    }

    /// All rates that the rules watch and that can differ from the champion's: by guardrail, then by ranker.
    pub(crate) fn watches(&self, rules: &Guardrails, champion: u32) -> Vec<WatchedRate> {
        let margins = [rules.no_click, rules.missing, rules.slow];
        let mut watches = Vec::new();
        for (guard, margin) in Guard::ALL.into_iter().zip(margins) {
            let Some(margin) = margin else { continue };
            let others = (0..self.rates.len() as u32).filter(|ranker| *ranker != champion);
            let others = others.filter(|ranker| !self.is_shared(*ranker, guard, champion));
            watches.extend(others.map(|ranker| WatchedRate {
                ranker,
                guard,
                margin,
                ranker_counts: self.counts(ranker, guard),
                champion_counts: self.counts(champion, guard),
                is_broken: self.is_broken(ranker, guard),
            }));
        }
        watches
    }

    /// Guardrails that are broken, as far as that is not known yet.
    pub(crate) fn breaches(&self, rules: &Guardrails, champion: u32) -> Vec<Breach> {
        let margins = [rules.no_click, rules.missing, rules.slow];
        let test_count = margins.iter().flatten().count() * self.rates.len().saturating_sub(1);
        let mut breaches = Vec::new();
        for (guard, margin) in Guard::ALL.into_iter().zip(margins) {
            let Some(margin) = margin else { continue };
            let champion_counts = self.counts(champion, guard);
            for ranker in (0..self.rates.len() as u32).filter(|ranker| *ranker != champion) {
                let ranker_counts = self.counts(ranker, guard);
                let seems_worse = |[all, bad]: [u64; 2], [of, others]: [u64; 2]| {
                    all > 0 && of > 0 && bad as f64 / all as f64 > others as f64 / of as f64 + margin
                };
                if self.is_broken(ranker, guard) || !seems_worse(ranker_counts, champion_counts) {
                    continue;
                }
                // Each of two intervals at half the level: both hold at all times.
                let interval_level = LEVEL / test_count.max(1) as f64 / 2.0;
                let (ranker_rate, champion_rate) =
                    (interval(ranker_counts, interval_level), interval(champion_counts, interval_level));
                if let (Ok((least, _)), Ok((_, most))) = (ranker_rate, champion_rate)
                    && least > most + margin
                {
                    breaches.push(Breach { ranker, guard, ranker_counts, champion_counts });
                }
            }
        }
        breaches
    }
}

/// The interval of the share of bad events, at this level.
fn interval([all, bad]: [u64; 2], level: f64) -> Result<(f64, f64), StatisticsError> {
    share_interval(Counts::new(bad, all - bad, 0), level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harm_is_noticed_and_luck_is_not() {
        let mut watched = GuardCounts::new(3);
        let rules = Guardrails { no_click: Some(0.05), ..Guardrails::default() };
        for n in 0..20_000_u32 {
            watched.record(&[0], Guard::NoClick, n % 10 < 3);
            watched.record(&[1], Guard::NoClick, n % 10 < 4);
            watched.record(&[2], Guard::NoClick, n % 100 < 33);
        }
        let breaches = watched.breaches(&rules, 0);
        assert_eq!(breaches.len(), 1);
        assert_eq!(
            (breaches[0].ranker, breaches[0].ranker_counts, breaches[0].champion_counts),
            (1, [20_000, 8_000], [20_000, 6_000])
        );
        watched.record_breach(1, Guard::NoClick);
        assert!(watched.breaches(&rules, 0).is_empty());
        assert_eq!(watched.watches(&rules, 0).iter().filter(|watch| watch.guard == Guard::NoClick).count(), 2);
        // A champion without impressions gives no comparison.
        let mut unseen = GuardCounts::new(2);
        (0..1_000).for_each(|_| unseen.record(&[1], Guard::NoClick, true));
        assert!(unseen.breaches(&rules, 0).is_empty());
    }

    #[test]
    fn a_rate_that_cannot_differ_is_not_watched() {
        let rules = Guardrails { no_click: Some(0.05), ..Guardrails::default() };
        let guards = |watched: &GuardCounts| {
            let all = watched.watches(&rules, 0).into_iter().map(|watch| (watch.guard, watch.ranker));
            all.collect::<Vec<_>>()
        };
        let mut watched = GuardCounts::new(2);
        // Before the first impression, nothing is known.
        assert_eq!(guards(&watched), [(Guard::NoClick, 1), (Guard::Missing, 1)]);
        (0..100).for_each(|n| watched.record(&[n % 2, 1 - n % 2], Guard::NoClick, n % 3 == 0));
        watched.record(&[1], Guard::Missing, false);
        assert_eq!(guards(&watched), [(Guard::Missing, 1)]);
        // After one impression of the champion alone, the rates differ.
        watched.record(&[0], Guard::NoClick, true);
        assert_eq!(guards(&watched), [(Guard::NoClick, 1), (Guard::Missing, 1)]);
        // As many impressions, but others.
        watched.record(&[1], Guard::NoClick, false);
        assert_eq!(guards(&watched), [(Guard::NoClick, 1), (Guard::Missing, 1)]);
        // Two of three on every page: the third can differ.
        let mut of_three = GuardCounts::new(3);
        of_three.record(&[0, 1, 2], Guard::NoClick, true);
        of_three.record(&[1, 0], Guard::NoClick, false);
        assert_eq!(guards(&of_three), [(Guard::NoClick, 2), (Guard::Missing, 1), (Guard::Missing, 2)]);
    }
}
