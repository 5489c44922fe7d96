//! Verdicts that the outcomes contradict. A verdict holds for good: "one side won more at some time". If preferences drift, it
//! may be about the past alone, and mislead a reader who acts on it.
//!
//! A verdict is contradicted if its winner has less than half of all decided units, or if the evidence for the other side,
//! begun at the verdict or at the first unit, has reached the level at any look since. Where preferences stay the same, the
//! second happens with at most the probability of a wrong verdict.

use statistics::anytime::EProcess;
use statistics::{Counts, StatisticsError};

/// How outcomes contradict a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contradiction {
    /// The ranker of the verdict, by its place in the names.
    pub winner: usize,
    /// The other one.
    pub other: usize,
    /// The last day on which the winner's lead was at its largest, in days since 1970.
    pub until: i32,
    /// All outcomes since then, for the winner.
    pub since: Counts,
    /// Outcomes of the time in which the other ranker won most: from the first day given to the second, for the winner.
    pub against: (i32, i32, Counts),
}

impl Contradiction {
    /// Whether the other ranker is ahead since the winner's lead was largest; the winner has caught up otherwise.
    #[must_use]
    pub fn other_is_ahead(&self) -> bool {
        self.since.losses > self.since.wins
    }
}

/// The outcomes since a verdict, look by look.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SinceVerdict {
    evidence: EProcess,
    ln_threshold: f64,
    at_verdict: Counts,
    has_reached: bool,
}

impl SinceVerdict {
    /// Begins at a verdict, given all counts of its winner at that time, and its evidence `ln_threshold`.
    ///
    /// # Errors
    /// Never: 1/2 is a valid share.
    pub(super) fn begin(at_verdict: Counts, ln_threshold: f64) -> Result<Self, StatisticsError> {
        Ok(Self { evidence: EProcess::against(0.5)?, ln_threshold, at_verdict, has_reached: false })
    }

    /// Whether the verdict is contradicted when these are all counts of its winner.
    pub(super) fn look_at(&mut self, counts: Counts) -> bool {
        let counts_since = subtract_counts(self.at_verdict, counts);
        // Only more losses than wins are evidence against the winner.
        let reaches = |counts: Counts| {
            counts.losses > counts.wins && self.evidence.ln(counts.losses, counts.wins) >= self.ln_threshold
        };
        self.has_reached = self.has_reached || reaches(counts_since) || reaches(counts);
        self.has_reached || counts.wins < counts.losses
    }
}

/// Describes how a verdict is contradicted, by all counts of its winner until each day.
pub(super) fn describe(looks: impl Iterator<Item = (i32, Counts)>, (winner, other): (usize, usize)) -> Contradiction {
    let mut looks = looks.peekable();
    let start = looks.peek().map_or(0, |(day, _)| *day);
    let (mut peak, mut against) = ((start, Counts::default()), (start, start, Counts::default()));
    let mut last = Counts::default();
    for (day, counts) in looks {
        if lead(counts) >= lead(peak.1) {
            peak = (day, counts);
        }
        let lost = subtract_counts(peak.1, counts);
        if lead(lost) < lead(against.2) {
            against = (peak.0, day, lost);
        }
        last = counts;
    }
    Contradiction { winner, other, until: peak.0, since: subtract_counts(peak.1, last), against }
}

fn lead(counts: Counts) -> i128 {
    i128::from(counts.wins) - i128::from(counts.losses)
}

/// The counts between two looks: `later` minus `earlier`.
fn subtract_counts(earlier: Counts, later: Counts) -> Counts {
    Counts::new(later.wins - earlier.wins, later.losses - earlier.losses, later.ties - earlier.ties)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a verdict of the first day is contradicted on each day, and the description at the last one.
    fn found(days: &[(u64, u64)]) -> (Vec<bool>, Option<Contradiction>) {
        let mut sum = Counts::default();
        let until = |(day, &(wins, losses)): (usize, &(u64, u64))| {
            sum += Counts::new(wins, losses, 5);
            (day as i32, sum)
        };
        let looks: Vec<(i32, Counts)> = days.iter().enumerate().map(until).collect();
        let mut since = SinceVerdict::begin(looks[0].1, libm::log(40.0)).unwrap();
        let each: Vec<bool> = looks.iter().map(|(_, counts)| since.look_at(*counts)).collect();
        let is_contradicted = each[each.len() - 1];
        (each, is_contradicted.then(|| describe(looks.into_iter(), (0, 1))))
    }

    #[test]
    fn a_verdict_that_turned_is_contradicted() {
        // Most units are for the other.
        let (each, what) = found(&[(80, 20), (20, 380)]);
        let what = what.unwrap();
        assert_eq!((each, what.until, what.since), (vec![false, true], 0, Counts::new(20, 380, 5)));
        assert!(what.other_is_ahead());
        // As many for each, but all of the last are for the other: begun at the verdict.
        let (_, what) = found(&[(80, 20), (20, 80)]);
        assert_eq!(what.unwrap().since, Counts::new(20, 80, 5));
        let (each, _) = found(&[(1_000, 200), (100, 200), (100, 110)]);
        assert_eq!(each, [false, true, true]);
        // The winner catches up: the report still says that both were ahead.
        let (_, what) = found(&[(80, 20), (20, 120), (300, 30)]);
        let what = what.unwrap();
        assert!(!what.other_is_ahead());
        assert_eq!((what.until, what.against), (2, (0, 1, Counts::new(20, 120, 5))));
        // Nothing of the kind.
        let (each, what) = found(&[(80, 20), (50, 50), (60, 48)]);
        assert_eq!((each, what), (vec![false; 3], None));
    }
}
