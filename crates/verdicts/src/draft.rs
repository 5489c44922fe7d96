//! The advantage that the coins of a team draft give one of two rankers by chance: a covariate with a mean known to be 0.
//!
//! A coin decides which ranker adds first in each round, so that either of two has the better places with the same probability. What
//! its places are worth to the first, minus what those of the second are worth, is its *advantage*. Users click more at the top, so a
//! difference in clicks or value goes along with it; but its mean is 0, and subtracting a multiple leaves the mean of the difference
//! as it is, with less variance.
//!
//! The mean is 0 over rounds that have a document of each ranker whatever the coins, so every ranker must have as many documents as there
//! are such places. Where that is not so, some coins leave a round in which a ranker adds twice before the others ([`whole_rounds`]).

use std::ops::AddAssign;

use crate::integrity::Side;

/// The worth of the first place. The advantage of a list is no larger: a round gives one ranker at most the difference between its
/// first place and its last, and these add up to less than the first place of the list.
pub const FIRST_PLACE: i16 = 1_000;

/// No unit has a larger advantage: impressions are added up, by time, until one more might exceed it. When that is so depends on
/// coins of the past alone, so the mean is still 0.
pub const MAX_ADVANTAGE: i32 = 4 * FIRST_PLACE as i32;

/// The worth of a place, from 0: the first one divided by the rank, as a whole number.
#[must_use]
pub fn worth(place: usize) -> i16 {
    // From 2,000 times further down on, it is nothing.
    let rank = place.min(1 << 20) as i64 + 1;
    ((2 * i64::from(FIRST_PLACE) + rank) / (2 * rank)) as i16
}

/// The advantage of the first of two rankers in a list, by the owner of each document, top down, in the order in which it was mixed:
/// from -[`FIRST_PLACE`] to [`FIRST_PLACE`] if rounds are whole.
#[must_use]
pub fn advantage(owners: impl Iterator<Item = Option<Side>>) -> i16 {
    let place_worth = |(place, owner)| match owner {
        Some(Side::First) => worth(place),
        Some(Side::Second) => -worth(place),
        None => 0,
    };
    owners.enumerate().map(place_worth).fold(0, i16::saturating_add)
}

/// The number of places of a list in whole rounds, which have a document of each of the `rankers`; documents without owner are in none.
/// `None` if a ranker adds twice before all have added: then one of them had no document left. `owners` are the rankers that own its
/// documents, from 0, top down.
///
/// The round in which the list ends does not count: it could hide that a ranker had none left.
#[must_use]
pub fn whole_rounds(owners: impl Iterator<Item = Option<u8>>, rankers: usize) -> Option<usize> {
    let (mut has_added, mut count, mut whole_places) = ([false; 256], 0, 0);
    for (place_number, owner) in owners.enumerate() {
        let Some(owner) = owner else { continue };
        if std::mem::replace(&mut has_added[usize::from(owner)], true) {
            return None;
        }
        count += 1;
        if count == rankers {
            (has_added, count, whole_places) = ([false; 256], 0, place_number + 1);
        }
    }
    Some(whole_places)
}

/// The advantage of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UnitDraft(i32);

impl UnitDraft {
    /// Adds the advantage of an impression, from -[`FIRST_PLACE`] to [`FIRST_PLACE`]; those of a unit come by time.
    pub fn add(&mut self, advantage: i16) {
        if self.0.abs() <= MAX_ADVANTAGE - i32::from(FIRST_PLACE) {
            self.0 += i32::from(advantage.clamp(-FIRST_PLACE, FIRST_PLACE));
        }
    }

    /// The sum: from -[`MAX_ADVANTAGE`] to [`MAX_ADVANTAGE`].
    #[must_use]
    pub fn sum(self) -> i32 {
        self.0
    }
}

/// Sums over units of the advantage of the first ranker, and of its products with differences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct DraftSums {
    /// The sum of the advantage.
    pub sum: i64,
    /// The sum of its squares.
    pub squares: u64,
    /// The sum of the advantage times the difference of the unit, first minus second.
    pub products: i128,
}

impl DraftSums {
    /// Adds a unit with this difference.
    pub fn record(&mut self, draft: UnitDraft, difference: i128) {
        let advantage = i64::from(draft.sum());
        self.sum += advantage;
        self.squares += (advantage * advantage).unsigned_abs();
        self.products = self.products.saturating_add(difference * i128::from(advantage));
    }

    /// The same for the two rankers in the other order: of a product, both factors change their sign.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { sum: self.sum.saturating_neg(), ..self }
    }

    /// The multiple of the advantage that fits the differences best; 0 without any advantage.
    #[must_use]
    pub fn slope(&self) -> f64 {
        if self.squares == 0 { 0.0 } else { self.products as f64 / self.squares as f64 }
    }

    /// Whether this number of units can have these sums, if the squares of their differences add up to `difference_squares`.
    #[must_use]
    pub fn are_possible(&self, units: u64, difference_squares: u128) -> bool {
        let [sum, squares, units] = [self.sum.unsigned_abs(), self.squares, units].map(u128::from);
        let (most, products) = (u128::from(MAX_ADVANTAGE.unsigned_abs()), self.products.unsigned_abs());
        // No unit exceeds MOST, and sums and products obey the Cauchy-Schwarz inequality.
        squares <= units * most * most
            && sum * sum <= squares * units
            && products.saturating_mul(products) <= squares.saturating_mul(difference_squares)
    }
}

impl AddAssign for DraftSums {
    fn add_assign(&mut self, other: Self) {
        self.sum = self.sum.saturating_add(other.sum);
        self.squares = self.squares.saturating_add(other.squares);
        self.products = self.products.saturating_add(other.products);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(teams: &str) -> i16 {
        advantage(teams.bytes().map(|team| match team {
            b'A' => Some(Side::First),
            b'B' => Some(Side::Second),
            _ => None,
        }))
    }

    fn whole(teams: &str, rankers: usize) -> Option<usize> {
        whole_rounds(teams.bytes().map(|team| team.is_ascii_uppercase().then(|| team - b'A')), rankers)
    }

    #[test]
    fn places_are_worth_less_and_less() {
        let worths: Vec<i16> = (0..10_000).map(worth).collect();
        assert_eq!(worths[..8], [1_000, 500, 333, 250, 200, 167, 143, 125]);
        assert!(worths.is_sorted_by(|a, b| a >= b) && worth(usize::MAX) == 0);
        assert_eq!((of("AB"), of("BA"), of("A-B"), of("BAAB"), of("--")), (500, -500, 667, -417, 0));
        // The largest of all, in lists of two and of many rankers.
        let all_first: String = "AB".repeat(5_000);
        assert!(of(&all_first) < 700);
        assert!(of(&format!("A{}B", "-".repeat(9_000))) <= FIRST_PLACE);
    }

    #[test]
    fn rounds_that_are_not_whole_are_seen() {
        for (teams, places) in
            [("", 0), ("A", 0), ("AB", 2), ("BA", 2), ("ABBA", 4), ("ABB", 2), ("-AB-BA", 6), ("A-B--", 3)]
        {
            assert_eq!(whole(teams, 2), Some(places), "{teams}");
        }
        for teams in ["AA", "ABAA", "BAABB-B", "A-A"] {
            assert_eq!(whole(teams, 2), None, "{teams}");
        }
        assert_eq!((whole("CABACBB", 3), whole("CABACC", 3), whole("AAB", 3)), (Some(6), None, None));
    }

    #[test]
    fn no_unit_has_more_than_the_most() {
        let mut unit = UnitDraft::default();
        (0..100).for_each(|_| unit.add(700));
        // It stops where one more might exceed the most, and for good.
        assert_eq!(unit.sum(), 3_500);
        unit.add(-700);
        assert_eq!(unit.sum(), 3_500);
        let mut other = UnitDraft::default();
        (0..100).for_each(|_| other.add(i16::MIN));
        assert_eq!(other.sum(), -MAX_ADVANTAGE);
    }

    #[test]
    fn sums_add_up_and_impossible_ones_are_seen() {
        let mut sums = DraftSums::default();
        for (advantage, difference) in [(500, 300_i128), (-667, -100), (417, -2)] {
            let mut unit = UnitDraft::default();
            unit.add(advantage);
            sums.record(unit, difference);
        }
        let expected = DraftSums { sum: 250, squares: 250_000 + 444_889 + 173_889, products: 150_000 + 66_700 - 834 };
        assert_eq!((sums, sums.are_possible(3, 100_004)), (expected, true));
        assert!((sums.slope() - 215_866.0 / 868_778.0).abs() < 1e-12 && DraftSums::default().slope() == 0.0);
        assert!(!sums.are_possible(3, 10_000) && !DraftSums { sum: 2_000, ..sums }.are_possible(3, 100_004));
        assert!(!DraftSums { squares: 48_000_001, ..sums }.are_possible(3, 100_004));
        let mut twice = sums;
        twice += sums.swapped();
        assert_eq!((twice.sum, twice.products), (0, 2 * sums.products));
    }
}
