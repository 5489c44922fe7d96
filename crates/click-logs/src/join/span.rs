//! Impressions by day: enough to see where a log ends.

use std::collections::BTreeMap;

use times::DAY;

use crate::model::{LogEnd, Settings};

/// Impressions fewer than one of this number do not move the end of a log.
const RARE_SHARE: u64 = 1000;
/// After a gap of this number of days, fewer than one of [`FEW_SHARE`] do not.
const LONG_GAP_DAYS: i64 = 100;
const FEW_SHARE: u64 = 20;

/// The times of impressions. Sums of parts are those of the whole, in any order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Span {
    /// By day since 1970 (UTC): the first and the last time, and how many there are.
    days: BTreeMap<i32, (i64, i64, u64)>,
    /// The entry for the day of the last times added, which most others follow.
    current: Option<(i32, (i64, i64, u64))>,
}

impl Span {
    /// Adds the time of an impression, in milliseconds since 1970.
    pub(super) fn add(&mut self, time: i64) {
        let day = time.div_euclid(DAY) as i32;
        match &mut self.current {
            Some((current, (first, last, count))) if *current == day => {
                (*first, *last) = ((*first).min(time), (*last).max(time));
                *count += 1;
            }
            _ => {
                self.settle();
                self.current = Some((day, (time, time, 1)));
            }
        }
    }

    fn settle(&mut self) {
        if let Some((day, of)) = self.current.take() {
            self.merge(day, of);
        }
    }

    fn merge(&mut self, day: i32, (first, last, count): (i64, i64, u64)) {
        let of = self.days.entry(day).or_insert((first, last, 0));
        *of = (of.0.min(first), of.1.max(last), of.2 + count);
    }

    /// Adds those of another part.
    pub(super) fn join(&mut self, other: &Self) {
        self.settle();
        other.rows().for_each(|(day, of)| self.merge(day, of));
    }

    fn rows(&self) -> impl Iterator<Item = (i32, (i64, i64, u64))> {
        self.days.iter().map(|(day, of)| (*day, *of)).chain(self.current)
    }

    /// By day since 1970 (UTC): the first and the last time, and how many there are.
    #[must_use]
    pub fn days(&self) -> Vec<(i32, i64, i64, u64)> {
        let mut all = self.clone();
        all.settle();
        all.days.into_iter().map(|(day, (first, last, count))| (day, first, last, count)).collect()
    }

    /// The times that these [days](Self::days) are of.
    #[must_use]
    pub fn from_days(days: impl IntoIterator<Item = (i32, i64, i64, u64)>) -> Self {
        let mut all = Self::default();
        days.into_iter().for_each(|(day, first, last, count)| all.merge(day, (first, last, count)));
        all
    }

    /// The first and the last time; `None` without any.
    #[must_use]
    pub fn ends(&self) -> Option<(i64, i64)> {
        let joined = |a: (i64, i64), b: (i64, i64)| (a.0.min(b.0), a.1.max(b.1));
        self.rows().map(|(_, (first, last, _))| (first, last)).reduce(joined)
    }

    /// Where the log ends, and how many impressions come after that. It ends with its last impression, unless a few come after a
    /// long gap: a device with a wrong clock would close all windows of today.
    ///
    /// `window` is how long after an impression its clicks count, in milliseconds.
    #[must_use]
    pub fn end(&self, window: i64) -> Option<(i64, u64)> {
        let days = self.days();
        let total: u64 = days.iter().map(|(.., count)| count).sum();
        let mut until = 0;
        for pair in days.windows(2) {
            let [(_, _, last, count), (_, next, ..)] = *pair else { continue };
            until += count;
            let (after, gap) = (total - until, next - last);
            let is_rare = gap > (2 * window).max(DAY) && after.saturating_mul(RARE_SHARE) < total;
            if is_rare || (gap > LONG_GAP_DAYS * DAY && after.saturating_mul(FEW_SHARE) < total) {
                return Some((last, after));
            }
        }
        days.last().map(|&(_, _, last, _)| (last, 0))
    }
}

/// Impressions that come long after the end of the log by these settings: how many, the end, the last one.
pub(super) fn beyond_end(times: &Span, settings: &Settings) -> Option<(u64, i64, i64)> {
    if settings.complete != LogEnd::LastImpression {
        return None;
    }
    let (end, count) = times.end(settings.window)?;
    let (_, last) = times.ends()?;
    (count > 0).then_some((count, end, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(times: impl IntoIterator<Item = i64>) -> Span {
        let mut span = Span::default();
        times.into_iter().for_each(|time| span.add(time));
        span
    }

    #[test]
    fn a_wrong_clock_does_not_move_the_end() {
        let busy = || (0..3000).map(|number| number * 60_000);
        let end = 2999 * 60_000;
        assert_eq!(of(busy()).end(1_800_000), Some((end, 0)));
        assert_eq!(of(busy().chain([end + 3 * DAY])).end(1_800_000), Some((end, 1)));
        // Within two windows, or a day, an impression is one of the log; and so are many.
        assert_eq!(of(busy().chain([end + 3 * DAY])).end(2 * DAY), Some((end + 3 * DAY, 0)));
        assert_eq!(of(busy().chain([end + DAY])).end(60_000), Some((end + DAY, 0)));
        let more = end + 3 * DAY;
        assert_eq!(of(busy().chain(more..more + 4)).end(60_000), Some((more + 3, 0)));
        // In a small log, one in twenty in another year.
        let small = of((0..50).chain([1200 * DAY, 1300 * DAY]));
        assert_eq!((small.end(60_000), small.ends()), (Some((49, 2)), Some((0, 1300 * DAY))));
        assert_eq!(of((0..50).chain([1200 * DAY, 1200 * DAY, 1300 * DAY])).end(60_000), Some((1300 * DAY, 0)));
        assert_eq!(Span::default().end(1), None);
    }

    #[test]
    fn parts_in_any_order_are_the_whole() {
        let times: Vec<i64> = (0..500).map(|number| (number * 7_919) % 400 * DAY / 7).collect();
        let whole = of(times.iter().copied());
        for cut in [0, 1, 250, 500] {
            let mut parts = of(times[cut..].iter().copied());
            parts.join(&of(times[..cut].iter().rev().copied()));
            assert_eq!((parts.days(), parts.ends()), (whole.days(), whole.ends()));
        }
        assert_eq!(Span::from_days(whole.days()).days(), whole.days());
    }
}
