//! Conversions, such as orders, that were credited to rankers: by version of the experiment, day and pair, as clicks are in
//! [`outcomes`](crate::outcomes).
//!
//! A unit has an outcome by the number of its conversions (a verdict counts its sign), and another by their value. Of the value, the
//! difference between both sides counts up to a cap, which was fixed before anything was seen; what exceeds it is cut from the side
//! with more. All numbers are whole, and add up over units, days and machines in any order. Beside them may stand the
//! advantage that coins gave each unit ([`draft`](crate::draft)), by which the difference in value is known more precisely.

mod attribution;
mod credit;

use std::fmt::Write as _;
use std::ops::AddAssign;

use statistics::anytime::RatioSums;
use statistics::{Counts, Preference};
use times::date;

pub use self::attribution::{Attribution, Exposure, Owner};
pub use self::credit::{ConversionLine, LineFate, LineRule, credit};
use crate::draft::{DraftSums, UnitDraft};
use crate::outcomes::{Day, DayCounts, Outcomes, VERSION, quoted};

/// The measure that decides an experiment. It is fixed before any data are seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Primary {
    /// Clicks.
    #[default]
    Clicks,
    /// The number of conversions.
    Conversions,
    /// Their value.
    Value,
}

impl Primary {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Clicks, Self::Conversions, Self::Value];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Clicks => "clicks",
            Self::Conversions => "conversions",
            Self::Value => "value",
        }
    }
}

/// The conversions that a unit has on the side of each of two rankers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct UnitConversions {
    /// How many.
    pub count: [u64; 2],
    /// Their value, in minor units.
    pub value: [u64; 2],
}

/// Sums over the units that closed on a day, for a pair of rankers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct ConversionCounts {
    /// Units by the side with more conversions; a win is the first's.
    pub units: Counts,
    /// Conversions of each side.
    pub conversions: [u64; 2],
    /// The value on each side, after the cap.
    pub value: [u64; 2],
    /// Units with some value cut.
    pub cut_units: u64,
    /// The value that was cut.
    pub cut: u64,
    /// Squares of the difference in value of a unit; without a cap there are none.
    pub squares: u128,
    /// The advantage that coins gave the first ranker, beside that difference; none if it was not noted.
    pub draft: DraftSums,
}

/// The counts of a day for a pair of rankers in a version of the experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversionDay {
    /// The version, by its place among all.
    pub version: usize,
    /// Days since 1970-01-01: the day on which the units closed.
    pub day: i32,
    /// The rankers, by their places in the names.
    pub pair: (usize, usize),
    /// The counts.
    pub counts: ConversionCounts,
}

/// Credited conversions by version of the experiment, day and pair.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Conversions {
    /// The rankers.
    pub rankers: Vec<String>,
    /// The versions; `None` for impressions that name none.
    pub versions: Vec<Option<String>>,
    /// By version, day and pair, in this order.
    pub days: Vec<ConversionDay>,
    /// By how much the values of both sides of a unit may differ, in minor units; without it, values have no verdict.
    pub cap: Option<u64>,
    /// Whether the advantage of units was noted.
    pub has_draft: bool,
}

/// The columns of a table, behind `version` where some impression names one.
pub const COLUMNS: [&str; 13] = [
    "day",
    "first",
    "second",
    "unit_wins",
    "unit_losses",
    "unit_ties",
    "first_conversions",
    "second_conversions",
    "first_value",
    "second_value",
    "cut_units",
    "cut_value",
    "value_squares",
];

/// The further columns of a table that has the advantage of units.
pub const DRAFT_COLUMNS: [&str; 3] = ["draft_sum", "draft_squares", "draft_products"];

impl ConversionCounts {
    /// Adds a unit that has closed, and the advantage that coins gave it. Without a `cap`, all of its value counts, squares are none, and
    /// the advantage is not noted.
    pub fn record(&mut self, unit: UnitConversions, draft: UnitDraft, cap: Option<u64>) {
        let UnitConversions { count, value } = unit;
        self.units.record(Preference::of(count[0].cmp(&count[1])));
        let most = value[0].min(value[1]).saturating_add(cap.unwrap_or(u64::MAX));
        let capped_value = value.map(|side| side.min(most));
        let cut_value = (value[0] - capped_value[0]) + (value[1] - capped_value[1]);
        for side in 0..2 {
            self.conversions[side] += count[side];
            self.value[side] = self.value[side].saturating_add(capped_value[side]);
        }
        self.cut = self.cut.saturating_add(cut_value);
        self.cut_units += u64::from(cut_value > 0);
        if cap.is_some() {
            let difference = u128::from(capped_value[0].abs_diff(capped_value[1]));
            self.squares += difference * difference;
            self.draft.record(draft, i128::from(capped_value[0]) - i128::from(capped_value[1]));
        }
    }

    /// Adds units that have closed without any conversion, and without an advantage noted.
    pub fn record_without(&mut self, units: u64) {
        self.units.ties += units;
    }

    /// The same for the two rankers in the other order.
    #[must_use]
    pub fn swapped(self) -> Self {
        let Self { units, conversions: [a, b], value: [c, d], draft, .. } = self;
        Self { units: units.swapped(), conversions: [b, a], value: [d, c], draft: draft.swapped(), ..self }
    }

    /// Why counts from a table are impossible; `None` if they are not.
    #[must_use]
    pub fn fault(&self, cap: Option<u64>) -> Option<&'static str> {
        let [first, second] = self.value.map(i128::from);
        let Some(cap) = cap else {
            let has_squares = self.squares > 0 || self.cut > 0 || self.draft != DraftSums::default();
            return has_squares.then_some("there is no cap, but something is cut or squared");
        };
        let (cap, units) = (u128::from(cap), u128::from(self.units.total()));
        let difference = (first - second).unsigned_abs();
        // No unit differs by more than the cap, and a sum of squares of integers is no smaller than their sum.
        if self.squares > units.saturating_mul(cap.saturating_mul(cap)) {
            Some("`value_squares` is larger than that of units that differ by the cap")
        } else if difference > self.squares
            || difference.saturating_mul(difference) > self.squares.saturating_mul(units)
        {
            Some("`value_squares` is too small for the difference in value")
        } else if !self.draft.are_possible(self.units.total(), self.squares) {
            Some("no units have these `draft_sum`, `draft_squares` and `draft_products`")
        } else {
            None
        }
    }

    /// What a confidence sequence for the difference in value per unit needs.
    #[must_use]
    pub(crate) fn sums(&self) -> RatioSums {
        let (units, [first, second]) = (self.units.total() as f64, self.value.map(|side| side as f64));
        RatioSums {
            amounts: first - second,
            sizes: units,
            amount_squares: self.squares as f64,
            products: first - second,
            size_squares: units,
        }
    }
}

impl AddAssign for ConversionCounts {
    fn add_assign(&mut self, other: Self) {
        self.units += other.units;
        for side in 0..2 {
            self.conversions[side] = self.conversions[side].saturating_add(other.conversions[side]);
            self.value[side] = self.value[side].saturating_add(other.value[side]);
        }
        self.cut_units += other.cut_units;
        self.cut = self.cut.saturating_add(other.cut);
        self.squares = self.squares.saturating_add(other.squares);
        self.draft += other.draft;
    }
}

impl Conversions {
    /// As CSV; wins are those of the first ranker, and units stand on the day on which they closed.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let are_named = self.versions.iter().any(Option::is_some);
        let mut text = if are_named { format!("{VERSION},") } else { String::new() };
        text += &COLUMNS.join(",");
        if self.has_draft {
            text.push(',');
            text += &DRAFT_COLUMNS.join(",");
        }
        text.push('\n');
        for ConversionDay { version, day, pair, counts } in &self.days {
            if are_named {
                text += &quoted(self.versions.get(*version).and_then(Option::as_deref).unwrap_or_default());
                text.push(',');
            }
            let [first, second] = [pair.0, pair.1].map(|place| quoted(&self.rankers[place]));
            let ConversionCounts { units, conversions, value, cut_units, cut, squares, draft } = counts;
            let Counts { wins, losses, ties } = units;
            let _ = write!(
                text,
                "{},{first},{second},{wins},{losses},{ties},{},{},{},{},{cut_units},{cut},{squares}",
                date(*day),
                conversions[0],
                conversions[1],
                value[0],
                value[1],
            );
            if self.has_draft {
                let DraftSums { sum, squares, products } = draft;
                let _ = write!(text, ",{sum},{squares},{products}");
            }
            text.push('\n');
        }
        text
    }

    /// The outcomes by the number of conversions, on which [`decide`](crate::decide::decide) gives the same verdicts as on clicks.
    #[must_use]
    pub fn outcomes(&self) -> Outcomes {
        let day_outcome = |day: &ConversionDay| Day {
            version: day.version,
            day: day.day,
            pair: day.pair,
            counts: DayCounts::of(day.counts.units, Counts::default()),
        };
        Outcomes {
            rankers: self.rankers.clone(),
            versions: self.versions.clone(),
            days: self.days.iter().map(day_outcome).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_counts_by_its_difference_up_to_the_cap() {
        let mut counts = ConversionCounts::default();
        let unit = |count, value| UnitConversions { count, value };
        let mut draft = UnitDraft::default();
        draft.add(500);
        counts.record(unit([1, 0], [300, 0]), draft, Some(1_000));
        counts.record(unit([1, 2], [500, 4_000]), draft, Some(1_000));
        counts.record(unit([0, 0], [0, 0]), UnitDraft::default(), Some(1_000));
        let expected = ConversionCounts {
            units: Counts::new(1, 1, 1),
            conversions: [2, 2],
            value: [800, 1_500],
            cut_units: 1,
            cut: 2_500,
            squares: 300 * 300 + 1_000 * 1_000,
            draft: DraftSums { sum: 1_000, squares: 500_000, products: 150_000 - 500_000 },
        };
        assert_eq!((counts, counts.fault(Some(1_000))), (expected, None));
        assert_eq!(counts.swapped().swapped(), counts);
        assert!(ConversionCounts { squares: 4_000_000, ..counts }.fault(Some(1_000)).unwrap().contains("larger"));
        assert!(ConversionCounts { squares: 3, ..counts }.fault(Some(1_000)).unwrap().contains("too small"));
        assert!(counts.fault(None).is_some());
        let other = DraftSums { sum: 2_000, ..counts.draft };
        assert!(ConversionCounts { draft: other, ..counts }.fault(Some(1_000)).unwrap().contains("draft_sum"));
        let mut uncapped = ConversionCounts::default();
        uncapped.record(unit([0, 1], [0, 4_000]), draft, None);
        assert_eq!((uncapped.value, uncapped.cut, uncapped.squares, uncapped.fault(None)), ([0, 4_000], 0, 0, None));
    }
}
