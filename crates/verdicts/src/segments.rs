//! Segments of the units, such as `mobile` and `desktop`: the winner in each, and which rankers harm one.
//!
//! A unit belongs to one segment, whatever it is shown. The segments share the level of their verdicts: each of m has level alpha / m.
//! Whether a ranker harms *some* segment is tested separately, and needs less evidence. For each segment, E is the evidence that the
//! champion wins more than half of its decided units against that ranker ([`EProcess`]). If the ranker harms no segment, the mean of
//! these E over the segments is a nonnegative supermartingale that starts at 1, so it ever reaches c / alpha for one of the c rankers
//! that met the champion with probability at most alpha. A segment is named as harmed once its own verdict says so.
//!
//! ## References
//!
//! V. Vovk, R. Wang, "E-values: Calibration, combination and applications", Annals of Statistics 49(3), 2021,
//! <https://doi.org/10.1214/20-AOS2020>: the mean of e-values.

use std::collections::BTreeMap;

use statistics::anytime::{EProcess, PairTest};
use statistics::{Counts, StatisticsError};

use crate::decide::{CountUnit, Decision, PairDecision, RunningDecision};
use crate::outcomes::Outcomes;

/// The outcomes of segments.
#[derive(Debug, Clone, PartialEq)]
pub struct SegmentOutcomes {
    /// Their names.
    pub names: Vec<String>,
    /// The outcomes of each, with the same rankers in all.
    pub outcomes: Vec<Outcomes>,
    /// The ranker that others are compared with, by its place.
    pub champion: usize,
}

/// Verdicts of segments, to which days are added.
#[derive(Debug, Clone, PartialEq)]
pub struct RunningSegments {
    names: Vec<String>,
    champion: usize,
    alpha: f64,
    decisions: Vec<RunningDecision>,
}

/// The verdicts of segments.
#[derive(Debug, Clone, PartialEq)]
pub struct SegmentsDecision {
    /// Their names.
    pub names: Vec<String>,
    /// The ranker that others are compared with, by its place.
    pub champion: usize,
    /// By segment: its verdict, at its part of the level.
    pub decisions: Vec<Decision>,
    /// Rankers that harm a segment, in their order.
    pub harms: Vec<Harm>,
}

/// A ranker that harms a segment.
#[derive(Debug, Clone, PartialEq)]
pub struct Harm {
    /// The ranker, by its place.
    pub ranker: usize,
    /// Since when it is known that some segment is harmed, in days since 1970-01-01.
    pub since: i32,
    /// The segments known to be harmed, by their places; none if it is not known which one it is, or later outcomes contradict it.
    pub segments: Vec<usize>,
    /// The segment with the most evidence, by its place.
    pub likeliest_segment: usize,
}

impl RunningSegments {
    /// The verdicts of segments, at level `alpha`, in (0, 1), for all of them together. `previous` is the result for
    /// their first days: only later days are then read.
    ///
    /// # Errors
    /// If `alpha` is not in (0, 1).
    pub fn of(segments: &SegmentOutcomes, alpha: f64, previous: Option<&Self>) -> Result<Self, StatisticsError> {
        let SegmentOutcomes { names, outcomes, champion } = segments;
        // A part of a wrong level may be a right one.
        PairTest::new(alpha)?;
        let part = alpha / outcomes.len().max(1) as f64;
        let segment_decision = |(place, outcomes): (usize, &Outcomes)| {
            let previous = previous.and_then(|previous| previous.decisions.get(place));
            RunningDecision::of(outcomes, part, CountUnit::Units, previous)
        };
        let decisions = outcomes.iter().enumerate().map(segment_decision).collect::<Result<_, _>>()?;
        Ok(Self { names: names.clone(), champion: *champion, alpha, decisions })
    }

    /// What is known by now.
    #[must_use]
    pub fn decision(&self) -> SegmentsDecision {
        let decisions: Vec<Decision> = self.decisions.iter().map(RunningDecision::decision).collect();
        let harms = harms(&decisions, self.champion, self.alpha);
        SegmentsDecision { names: self.names.clone(), champion: self.champion, decisions, harms }
    }
}

impl SegmentsDecision {
    /// The verdict of a segment on a ranker and the champion; `None` if they have not met there.
    #[must_use]
    pub fn champion_decision(&self, segment: usize, ranker: usize) -> Option<&PairDecision> {
        champion_pair(self.decisions.get(segment)?, self.champion, ranker)
    }

    /// A harm in a sentence.
    #[must_use]
    pub fn sentence(&self, harm: &Harm) -> String {
        let rankers = self.decisions.first().map_or(&[][..], |decision| &decision.rankers);
        let [ranker, champion] =
            [harm.ranker, self.champion].map(|place| rankers.get(place).map_or("", String::as_str));
        match self.harmed_segments(harm) {
            None => format!(
                "{ranker} harms a segment, and it is not known which; the most evidence is for {}.",
                self.names[harm.likeliest_segment]
            ),
            Some(names) => format!("{ranker} harms {names}: there, {champion} wins."),
        }
    }

    /// The segments known to be harmed, in words; `None` if there are none.
    #[must_use]
    pub fn harmed_segments(&self, harm: &Harm) -> Option<String> {
        let names: Vec<&str> = harm.segments.iter().map(|segment| self.names[*segment].as_str()).collect();
        let (last, others) = names.split_last()?;
        Some(if others.is_empty() { (*last).to_owned() } else { format!("{} and {last}", others.join(", ")) })
    }
}

/// Rankers that harm some segment, at level `alpha` for all of them together.
fn harms(segments: &[Decision], champion: usize, alpha: f64) -> Vec<Harm> {
    let rankers = segments.first().map_or(0, |decision| decision.rankers.len());
    let champion_pairs: Vec<(usize, Vec<Option<&PairDecision>>)> = (0..rankers)
        .filter(|ranker| *ranker != champion)
        .map(|ranker| (ranker, segments.iter().map(|decision| champion_pair(decision, champion, ranker)).collect()))
        .filter(|(_, pairs): &(_, Vec<Option<_>>)| pairs.iter().any(Option::is_some))
        .collect();
    let threshold = libm::log(champion_pairs.len() as f64 / alpha);
    champion_pairs.iter().filter_map(|(ranker, pairs)| harm(*ranker, champion, pairs, threshold)).collect()
}

fn champion_pair(decision: &Decision, champion: usize, ranker: usize) -> Option<&PairDecision> {
    let pair = (champion.min(ranker), champion.max(ranker));
    decision.pairs.iter().find(|one| one.last.pair == pair)
}

/// The harm of a ranker, by its pairs with the champion, one of each segment, if the mean of their evidence ever reached the threshold.
fn harm(ranker: usize, champion: usize, pairs: &[Option<&PairDecision>], threshold: f64) -> Option<Harm> {
    let Ok(evidence) = EProcess::against(0.5) else { return None };
    let mut days: BTreeMap<i32, Vec<(usize, Counts)>> = BTreeMap::new();
    for (segment, pair) in pairs.iter().enumerate() {
        for look in pair.iter().flat_map(|pair| &pair.looks) {
            let counts = if champion < ranker { look.counts } else { look.counts.swapped() };
            days.entry(look.day).or_default().push((segment, counts));
        }
    }
    // ln of the evidence of each segment until the day.
    let mut ln_evidence = vec![0.0; pairs.len()];
    let mut since_day = None;
    for (day, looks) in days {
        for (segment, Counts { wins, losses, .. }) in looks {
            ln_evidence[segment] = evidence.ln(wins, losses);
        }
        if ln_mean(&ln_evidence) >= threshold {
            since_day = since_day.or(Some(day));
        }
    }
    let is_harmed = |pair: &Option<&PairDecision>| {
        pair.is_some_and(|pair| pair.last.winner() == Some(champion) && pair.contradicted.is_none())
    };
    let likeliest_segment =
        (0..ln_evidence.len()).max_by(|a, b| ln_evidence[*a].total_cmp(&ln_evidence[*b]).then(b.cmp(a)))?;
    let segments = (0..pairs.len()).filter(|segment| is_harmed(&pairs[*segment])).collect();
    Some(Harm { ranker, since: since_day?, segments, likeliest_segment })
}

/// ln of the mean of what these are the logarithms of.
fn ln_mean(logarithms: &[f64]) -> f64 {
    let most = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logarithms.iter().map(|one| libm::exp(one - most)).sum();
    most + libm::log(sum / logarithms.len() as f64)
}

#[cfg(test)]
mod tests {
    use statistics::Normals;

    use super::*;
    use crate::outcomes::{Day, DayCounts};

    const DAYS: i32 = 100;

    /// Segments of two rankers: the champion, the second, wins these shares of their decided units, 20 a day.
    fn segments(seed: u64, shares: &[f64]) -> SegmentOutcomes {
        let mut draws = Normals::from_seed(seed);
        let mut of = |share: f64| {
            let day = |day: i32| {
                let losses = (0..20).filter(|_| draws.uniform() < share).count() as u64;
                let counts = DayCounts::of(Counts::new(20 - losses, losses, 3), Counts::default());
                Day { version: 0, day, pair: (0, 1), counts }
            };
            let days = (0..DAYS).map(day).collect();
            Outcomes { rankers: vec!["new".to_owned(), "old".to_owned()], versions: vec![None], days }
        };
        let names = (0..shares.len()).map(|place| format!("s{place}")).collect();
        SegmentOutcomes { names, outcomes: shares.iter().map(|share| of(*share)).collect(), champion: 1 }
    }

    fn decided(outcomes: &SegmentOutcomes) -> SegmentsDecision {
        RunningSegments::of(outcomes, 0.05, None).unwrap().decision()
    }

    /// Experiments with eight segments in which nothing differs, with 100 looks at each: the number with harm to a
    /// segment, and the number with a verdict of a segment.
    #[expect(clippy::print_stderr, reason = "who runs a measurement reads its numbers")]
    fn false_alarms(experiments: u64) -> [usize; 2] {
        let all: Vec<SegmentsDecision> = (0..experiments).map(|seed| decided(&segments(seed, &[0.5; 8]))).collect();
        let harmed = all.iter().filter(|decision| !decision.harms.is_empty()).count();
        let decided = all.iter().filter(|all| all.decisions.iter().any(|one| one.winner().is_some())).count();
        eprintln!("harmed {harmed}, some segment decided {decided} of {experiments}");
        [harmed, decided]
    }

    #[test]
    fn nothing_is_harmed_where_nothing_differs() {
        // The level is 5%; three standard errors of 100 draws are 6.5%.
        let [harmed, decided] = false_alarms(100);
        assert!(harmed <= 11 && decided <= 11, "{harmed} {decided}");
    }

    #[test]
    #[ignore = "takes a minute"]
    fn nothing_is_harmed_where_nothing_differs_at_full_size() {
        // Three standard errors of 1,000 draws are 2.1%.
        let [harmed, decided] = false_alarms(1_000);
        assert!((1..=71).contains(&harmed) && decided <= 71, "{harmed} {decided}");
    }

    /// One of eight is harmed, and the others are not: it is found and named, and no other is.
    #[test]
    fn the_harmed_segment_is_found() {
        let mut shares = [0.45; 8];
        shares[5] = 0.6;
        let all: Vec<SegmentsDecision> = (0..60).map(|seed| decided(&segments(seed, &shares))).collect();
        let found: Vec<&Harm> = all.iter().flat_map(|decision| &decision.harms).collect();
        assert!(found.len() >= 58, "{}", found.len());
        assert!(found.iter().filter(|harm| harm.segments == [5] && harm.likeliest_segment == 5).count() >= 56);
        // As known of the one segment by its own verdict, or before it.
        let named = |decision: &SegmentsDecision| decision.decisions[5].pairs[0].since;
        let (mut sooner, mut together) = (0, 0);
        for decision in &all {
            if let (Some(harm), Some(named)) = (decision.harms.first(), named(decision)) {
                assert!(harm.since <= named, "{harm:?} {named}");
                sooner += usize::from(harm.since < named);
                together += 1;
            }
        }
        assert!(2 * sooner > together, "{sooner} of {together}");
    }

    /// Harm below the level of a segment's own verdict, in all of them: some segment is harmed, and it is not known which.
    #[test]
    fn little_harm_everywhere_is_known_before_any_segment_is_named() {
        let all: Vec<SegmentsDecision> = (0..50).map(|seed| decided(&segments(seed, &[0.52; 8]))).collect();
        let unnamed = all.iter().flat_map(|decision| &decision.harms).filter(|harm| harm.segments.is_empty()).count();
        let harmed = all.iter().filter(|decision| !decision.harms.is_empty()).count();
        assert!(unnamed >= 5, "{unnamed} of {harmed}");
    }

    #[test]
    fn a_day_more_costs_no_other_answer() {
        let whole = segments(7, &[0.6, 0.5]);
        let mut cut = whole.clone();
        cut.outcomes.iter_mut().for_each(|outcomes| outcomes.days.truncate(60));
        let before = RunningSegments::of(&cut, 0.05, None).unwrap();
        let after = RunningSegments::of(&whole, 0.05, Some(&before)).unwrap();
        assert_eq!(after.decision(), decided(&whole));
        assert!(RunningSegments::of(&whole, 1.5, None).is_err());
        assert_eq!(decided(&segments(1, &[])).harms, []);
    }

    /// Seen from the other side, with the champion first: the same.
    #[test]
    fn the_place_of_the_champion_does_not_matter() {
        let outcomes = segments(3, &[0.62, 0.5, 0.5]);
        let mut swapped = SegmentOutcomes { champion: 0, ..outcomes.clone() };
        for one in &mut swapped.outcomes {
            one.rankers.reverse();
            one.days.iter_mut().for_each(|day| day.counts = day.counts.swapped());
        }
        let decisions = [decided(&outcomes), decided(&swapped)];
        let [[here], [there]] = decisions.each_ref().map(|decision| &decision.harms[..]) else { panic!("not harmed") };
        assert_eq!((here.since, &here.segments, here.ranker), (there.since, &there.segments, 0));
        assert_eq!(there.ranker, 1);
        for (decision, harm) in decisions.iter().zip([here, there]) {
            assert_eq!(decision.sentence(harm), "new harms s0: there, old wins.");
            let unnamed = Harm { segments: vec![], ..harm.clone() };
            let sentence = "new harms a segment, and it is not known which; the most evidence is for s0.";
            assert_eq!(decision.sentence(&unnamed), sentence);
            let named = Harm { segments: vec![0, 1, 2], ..harm.clone() };
            assert_eq!(decision.harmed_segments(&named).as_deref(), Some("s0, s1 and s2"));
        }
    }
}
