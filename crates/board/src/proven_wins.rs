//! What is known of ranks without a model: one e-process per pair and direction.
//!
//! For each ordered pair (i, j) there is evidence against "i wins at most half of its decided units with j". With
//! K (K - 1) such statements, each is rejected when its evidence reaches K (K - 1) / alpha; by Ville's inequality the
//! probability that any rejection is wrong is at most alpha, at all looks together and under any choice of pairs by
//! earlier outcomes.
//!
//! The evidence of a pair depends on its totals alone. It is read where the table ends, not at its largest on the way: rows of
//! people's tables may be sorted by winner, and counts have no order, and both would make evidence of nothing.

use crate::units::Units;
use statistics::StatisticsError;
use statistics::anytime::EProcess;
use statistics::bradley_terry::Point;

/// The evidence of all ordered pairs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProvenWins {
    competitors: usize,
    /// Row i, column j: i is known to beat j.
    beats: Vec<bool>,
}

impl ProvenWins {
    pub(crate) fn of(competitors: usize, units: &Units, alpha: f64) -> Result<Self, StatisticsError> {
        let evidence = EProcess::against(0.5)?;
        let statements = (competitors * competitors.saturating_sub(1)).max(1) as f64;
        let needed = libm::log(statements / alpha);
        let mut known = Self { competitors, beats: vec![false; competitors * competitors] };
        // Points of the row's competitor in decided units with the column's.
        let mut points = vec![0.0_f64; competitors * competitors];
        for unit in &units.units {
            let comparison = unit.comparison;
            let Point::Share(share) = comparison.point else { continue };
            let (i, j) = (comparison.first, comparison.second);
            let n = comparison.copies as f64;
            points[i * competitors + j] += n * share;
            points[j * competitors + i] += n * (1.0 - share);
        }
        for i in 0..competitors {
            for j in 0..competitors {
                let (wins, losses) = (points[i * competitors + j], points[j * competitors + i]);
                if wins > losses {
                    known.beats[i * competitors + j] = evidence.ln_shares(wins, losses) >= needed;
                }
            }
        }
        Ok(known)
    }

    /// Whether `first` is known to beat `second`.
    pub(crate) fn beats(&self, first: usize, second: usize) -> bool {
        self.beats[first * self.competitors + second]
    }

    /// How many competitors are known to beat this one, and how many it is known to beat.
    pub(crate) fn bounds(&self, competitor: usize) -> (usize, usize) {
        let others = 0..self.competitors;
        (
            others.clone().filter(|other| self.beats(*other, competitor)).count(),
            others.filter(|other| self.beats(competitor, *other)).count(),
        )
    }
}
