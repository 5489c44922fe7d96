//! The counts of a log by version, day and pair.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use statistics::Counts;
use verdicts::amounts::Amounts;
use verdicts::integrity::{PageCounts, PageDay};
use verdicts::outcomes::{Day, DayCounts};

/// Counts by version, day and pair.
pub(in crate::join) type Days = BTreeMap<(usize, i32, (usize, usize)), DayTotals>;

/// The counts of a pair on a day, and those of its pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DayTotals {
    /// Wins, losses and ties.
    pub counts: DayCounts,
    /// The pages.
    pub pages: PageCounts,
}

impl DayTotals {
    /// The length of its list of numbers.
    pub const NUMBERS: usize = 6 + PageCounts::COLUMNS.len() + Amounts::COLUMNS.len();

    /// As numbers, which may be added up: wins, losses and ties by units and by impressions, those of pages and of amounts.
    #[must_use]
    pub fn numbers(&self) -> [i64; Self::NUMBERS] {
        const PAGES_END: usize = 6 + PageCounts::COLUMNS.len();
        let Self { counts: DayCounts { units, impressions, amounts }, pages } = self;
        let mut numbers = [0; Self::NUMBERS];
        let [by_units, by_impressions] =
            [units, impressions].map(|counts| [counts.wins, counts.losses, counts.ties].map(u64::cast_signed));
        numbers[..3].copy_from_slice(&by_units);
        numbers[3..6].copy_from_slice(&by_impressions);
        numbers[6..PAGES_END].copy_from_slice(&pages.numbers());
        numbers[PAGES_END..].copy_from_slice(&amounts.numbers());
        numbers
    }

    /// Parses the result of [`numbers`](Self::numbers).
    #[must_use]
    pub fn from_numbers(numbers: [i64; Self::NUMBERS]) -> Self {
        const PAGES_END: usize = 6 + PageCounts::COLUMNS.len();
        let counts_from = |index: usize| {
            let [wins, losses, ties] = [0, 1, 2].map(|more| numbers[index + more].cast_unsigned());
            Counts::new(wins, losses, ties)
        };
        let pages = PageCounts::from_numbers(std::array::from_fn(|index| numbers[6 + index]));
        let amounts = Amounts::from_numbers(std::array::from_fn(|index| numbers[PAGES_END + index]));
        Self { counts: DayCounts { units: counts_from(0), impressions: counts_from(3), amounts }, pages }
    }
}

impl AddAssign for DayTotals {
    fn add_assign(&mut self, other: Self) {
        self.counts.units += other.counts.units;
        self.counts.impressions += other.counts.impressions;
        self.counts.amounts += other.counts.amounts;
        self.pages += other.pages;
    }
}

/// The days of a log: outcomes, and pages, both without empty days.
pub(in crate::join) fn split_days(
    days: impl Iterator<Item = ((usize, i32, (usize, usize)), DayTotals)>,
) -> (Vec<Day>, Vec<PageDay>) {
    let (mut outcomes, mut page_days) = (Vec::new(), Vec::new());
    for ((version, day, pair), DayTotals { counts, pages }) in days {
        if counts != DayCounts::default() {
            outcomes.push(Day { version, day, pair, counts });
        }
        if pages != PageCounts::default() {
            page_days.push(PageDay { version, day, pair, counts: pages });
        }
    }
    outcomes.sort_by_key(|day| (day.version, day.day, day.pair));
    page_days.sort_by_key(|day| (day.version, day.day, day.pair));
    (outcomes, page_days)
}
