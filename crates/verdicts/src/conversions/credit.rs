//! Reduces the lines of a unit's conversions: which are repeated, which are taken back, and which ranker they are credited to.

use super::UnitConversions;
use super::attribution::{Attribution, Exposure, Unseen, attribute};

/// A line: what a unit did with a document. Lines are sorted by document, order and time; at one moment, returns come last.
/// Documents, orders and actions are numbers that the caller gives, or hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct ConversionLine {
    document: u64,
    /// 0 without one.
    order: u64,
    time: i64,
    is_return: bool,
    action: u64,
    value: i64,
}

impl ConversionLine {
    /// An `action` on a document at a time (milliseconds since 1970) as a part of an `order`, which is 0 without one. The value is in minor
    /// units; it is negative if the line takes a conversion back, or a part of one.
    #[must_use]
    pub fn new(document: u64, order: u64, time: i64, action: u64, value: i64) -> Self {
        Self { document, order, time, is_return: value < 0, action, value }
    }

    /// The document.
    #[must_use]
    pub fn document(&self) -> u64 {
        self.document
    }

    /// The time, in milliseconds since 1970.
    #[must_use]
    pub fn time(&self) -> i64 {
        self.time
    }

    /// The value, in minor units.
    #[must_use]
    pub fn value(&self) -> i64 {
        self.value
    }

    /// Whether another line of the unit repeats this one: at any time if it names its order, otherwise at the same time.
    #[must_use]
    pub fn is_double(&self, other: &Self) -> bool {
        self.repeat_key() == other.repeat_key() && (self.order != 0 || self.time == other.time)
    }

    /// The fields that repeated lines have in common.
    #[must_use]
    pub fn repeat_key(&self) -> (u64, u64, u64, i64) {
        (self.document, self.order, self.action, self.value)
    }

    /// Whether another line is on the same document in the same order, so that one can take back the other.
    #[must_use]
    pub fn is_of_group(&self, other: &Self) -> bool {
        (self.document, self.order) == (other.document, other.order)
    }
}

impl AsRef<Self> for ConversionLine {
    fn as_ref(&self) -> &Self {
        self
    }
}

/// The fate of a line, for one pair of rankers. Of several pairs, the first in this order counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum LineFate {
    /// Counted for a ranker.
    Credited,
    /// Taken back before its unit closed.
    Returned,
    /// Takes a conversion back, or a part of one.
    Return,
    /// On a document that neither ranker owned, or both owned as often.
    Nobodys,
    /// After its unit had closed, or too long after the document was shown.
    Late,
    /// Before the document was shown.
    Early,
    /// On a document that no impression that counts showed.
    NotShown,
    /// Takes back a conversion that is not there.
    NoOrder,
    /// A line of a bot.
    Bot,
}

impl LineFate {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Credited,
        Self::Returned,
        Self::Return,
        Self::Nobodys,
        Self::Late,
        Self::Early,
        Self::NotShown,
        Self::NoOrder,
        Self::Bot,
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Credited => "credited",
            Self::Returned => "returned",
            Self::Return => "return",
            Self::Nobodys => "nobodys",
            Self::Late => "late",
            Self::Early => "early",
            Self::NotShown => "not-shown",
            Self::NoOrder => "no-order",
            Self::Bot => "bot",
        }
    }
}

/// How lines are credited.
#[derive(Debug, Clone, Copy)]
pub struct LineRule {
    /// To which impressions.
    pub attribution: Attribution,
    /// How much a conversion may precede its impression, in milliseconds, because clocks differ.
    pub skew: i64,
}

/// Credits the lines of a unit on one document in one order, in their order, to the rankers of a pair, and adds them to `sum`.
/// `exposures` are the impressions of the pair that count and showed the document, by time. `is_late` is true of lines after the unit had
/// closed. `note` gets the fate of each line, by its place.
pub fn credit<L: AsRef<ConversionLine>>(
    group: &[L],
    exposures: &[Exposure],
    rule: LineRule,
    is_late: impl Fn(i64) -> bool,
    sum: &mut UnitConversions,
    mut note: impl FnMut(usize, LineFate),
) {
    // The value left of each line after returns.
    let mut open_orders: Vec<(usize, u64)> = Vec::new();
    for (line_number, line) in group.iter().map(AsRef::as_ref).enumerate() {
        if is_late(line.time) {
            note(line_number, LineFate::Late);
        } else if line.is_return {
            let mut back = line.value.unsigned_abs();
            note(line_number, if open_orders.is_empty() { LineFate::NoOrder } else { LineFate::Return });
            // From the last one on.
            for (_, value) in open_orders.iter_mut().rev() {
                let taken = back.min(*value);
                *value -= taken;
                back -= taken;
            }
        } else {
            open_orders.push((line_number, line.value.unsigned_abs()));
        }
    }
    for (line_number, value) in open_orders {
        let line = group[line_number].as_ref();
        let fate = if value == 0 && line.value > 0 {
            LineFate::Returned
        } else if exposures.is_empty() {
            LineFate::NotShown
        } else {
            match attribute(rule.attribution, exposures, line.time, rule.skew, value) {
                Err(Unseen::Early) => LineFate::Early,
                Err(Unseen::Late) => LineFate::Late,
                Ok(([0, 0], _)) => LineFate::Nobodys,
                Ok((count, value)) => {
                    for side in 0..2 {
                        sum.count[side] += count[side];
                        sum.value[side] = sum.value[side].saturating_add(value[side]);
                    }
                    LineFate::Credited
                }
            }
        };
        note(line_number, fate);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Owner;
    use super::*;

    #[test]
    fn lines_say_the_same_by_their_order_or_their_time() {
        let line = |order, time, value| ConversionLine::new(1, order, time, 2, value);
        assert!(line(9, 10, 5).is_double(&line(9, 99, 5)) && line(0, 10, 5).is_double(&line(0, 10, 5)));
        assert!(!line(0, 10, 5).is_double(&line(0, 11, 5)) && !line(9, 10, 5).is_double(&line(9, 10, 6)));
        // At one moment, what takes back is last.
        assert!(line(9, 10, 5) < line(9, 10, -7) && line(9, 10, -7) < line(9, 11, 5));
        assert!(line(9, 1, 5).is_of_group(&line(9, 2, -5)) && !line(9, 1, 5).is_of_group(&line(8, 1, 5)));
    }

    #[test]
    fn what_comes_back_is_taken_from_the_latest_before_it() {
        let seen = [Exposure { time: 0, owner: Owner::First }];
        let lines = [(1, -1), (2, 100), (3, 50), (4, -60), (5, 7), (9, 1)];
        let lines = lines.map(|(time, value)| ConversionLine::new(1, 1, time, 1, value));
        let rule = LineRule { attribution: Attribution::Last, skew: 0 };
        let (mut sum, mut fates) = (UnitConversions::default(), Vec::new());
        credit(&lines, &seen, rule, |time| time > 8, &mut sum, |place, fate| fates.push((place, fate)));
        fates.sort_unstable();
        use LineFate::{Credited, Late, NoOrder, Return, Returned};
        let expected = [NoOrder, Credited, Returned, Return, Credited, Late];
        assert!(fates.iter().map(|(_, fate)| *fate).eq(expected), "{fates:?}");
        assert_eq!(sum, UnitConversions { count: [2, 0], value: [97, 0] });
    }
}
