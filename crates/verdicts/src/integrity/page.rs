//! Records of pages, added up by day and pair.

use std::ops::AddAssign;

use super::draw::{Draw, Lead, Side};

/// The record of one page, for a pair of its rankers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageRecord {
    /// The effect of its list's coins.
    pub draw: Draw,
    /// The fate of its clicks.
    pub clicks: PageClicks,
    /// Whether both rankers sent the same list, where lists are known.
    pub is_identical: bool,
}

/// The fates of the clicks in the window of a page. Each says whether any click has it: a page counts once, however many are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageClicks {
    /// Some click arrived.
    pub any: bool,
    /// One on a document that was not in the list.
    pub lost: bool,
    /// One of these is on a document of this ranker but for how its id is written ([`normal_form`](super::normal_form)).
    pub near: [bool; 2],
}

/// The pages of a day, or of several, for a pair of rankers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct PageCounts {
    /// Pages that count.
    pub pages: u64,
    /// Pages with documents of this ranker alone.
    pub of_one: [u64; 2],
    /// Pages for which both sent the same list.
    pub identical: u64,
    /// Fresh draws in which both rankers own documents, by the ranker that came first.
    pub coins: [u64; 2],
    /// Fresh draws in which this ranker alone owns documents.
    pub alone: [u64; 2],
    /// Of fresh draws: the sum of [surpluses](Draw::surplus).
    pub surplus: i64,
    /// The sum of its squares.
    pub surplus_squares: u64,
    /// Pages with a click.
    pub clicked: u64,
    /// Pages with a click, by the owner of the first place.
    pub clicked_under: [u64; 2],
    /// Pages with a click on a document that was not in the list.
    pub lost: u64,
    /// The same, by the owner of the first place.
    pub lost_under: [u64; 2],
    /// Pages with such a click on a document of this ranker, with its id written in another way.
    pub near: [u64; 2],
}

impl PageCounts {
    /// Adds a page. `is_fresh` says whether its coins were not those of a page before.
    pub fn add(&mut self, page: PageRecord, is_fresh: bool) {
        let PageRecord { draw, clicks, is_identical } = page;
        self.pages += 1;
        self.identical += u64::from(is_identical);
        if let Lead::Alone(side) = draw.lead {
            self.of_one[side.index()] += 1;
        }
        if is_fresh {
            match draw.lead {
                Lead::Unseen => {}
                Lead::Coin(side) => self.coins[side.index()] += 1,
                Lead::Alone(side) => self.alone[side.index()] += 1,
            }
            self.surplus += i64::from(draw.surplus);
            self.surplus_squares += u64::from(draw.surplus.unsigned_abs()).pow(2);
        }
        let top = draw.lead.side().map(Side::index);
        if clicks.any {
            self.clicked += 1;
            self.lost += u64::from(clicks.lost);
            if let Some(top) = top {
                self.clicked_under[top] += 1;
                self.lost_under[top] += u64::from(clicks.lost);
            }
        }
        for side in 0..2 {
            self.near[side] += u64::from(clicks.near[side]);
        }
    }

    /// Fresh draws that show their coin.
    #[must_use]
    pub fn draws(&self) -> u64 {
        self.coins.iter().chain(&self.alone).sum()
    }
}

impl PageCounts {
    /// The names of [its numbers](Self::numbers).
    pub const COLUMNS: [&str; 18] = [
        "pages",
        "of_first_alone",
        "of_second_alone",
        "identical",
        "coins_first",
        "coins_second",
        "coins_first_alone",
        "coins_second_alone",
        "surplus",
        "surplus_squares",
        "clicked",
        "clicked_under_first",
        "clicked_under_second",
        "lost",
        "lost_under_first",
        "lost_under_second",
        "near_first",
        "near_second",
    ];

    /// As numbers, which may be added up.
    #[must_use]
    pub fn numbers(&self) -> [i64; 18] {
        let Self { pages, of_one, identical, coins, alone, surplus, surplus_squares, .. } = *self;
        let Self { clicked, clicked_under, lost, lost_under, near, .. } = *self;
        let [a, b, c] = [of_one, coins, alone].map(|of| of.map(u64::cast_signed));
        let [d, e, f] = [clicked_under, lost_under, near].map(|of| of.map(u64::cast_signed));
        let [pages, identical, squares, clicked, lost] =
            [pages, identical, surplus_squares, clicked, lost].map(u64::cast_signed);
        [
            pages, a[0], a[1], identical, b[0], b[1], c[0], c[1], surplus, squares, clicked, d[0], d[1], lost, e[0],
            e[1], f[0], f[1],
        ]
    }

    /// The counts with these [numbers](Self::numbers).
    #[must_use]
    pub fn from_numbers(numbers: [i64; 18]) -> Self {
        let of = |at: usize| numbers[at].cast_unsigned();
        let both = |at: usize| [of(at), of(at + 1)];
        Self {
            pages: of(0),
            of_one: both(1),
            identical: of(3),
            coins: both(4),
            alone: both(6),
            surplus: numbers[8],
            surplus_squares: of(9),
            clicked: of(10),
            clicked_under: both(11),
            lost: of(13),
            lost_under: both(14),
            near: both(16),
        }
    }
}

impl AddAssign for PageCounts {
    fn add_assign(&mut self, other: Self) {
        let mut sum = self.numbers();
        sum.iter_mut().zip(other.numbers()).for_each(|(sum, more)| *sum += more);
        *self = Self::from_numbers(sum);
    }
}

impl PageRecord {
    /// The same for the two rankers in the other order.
    #[must_use]
    pub fn swapped(self) -> Self {
        let PageClicks { any, lost, near: [near, other] } = self.clicks;
        let clicks = PageClicks { any, lost, near: [other, near] };
        Self { draw: self.draw.swapped(), clicks, ..self }
    }

    /// As a number of 24 bits; [`unpacked`](Self::unpacked) is the inverse.
    #[must_use]
    pub fn packed(self) -> u32 {
        let PageClicks { any, lost, near } = self.clicks;
        let flags = [any, lost, near[0], near[1], self.is_identical];
        let flags = flags.into_iter().enumerate().fold(0, |all, (at, flag)| all | u32::from(flag) << at);
        flags | self.draw.lead.number() << 5 | u32::from(self.draw.surplus.cast_unsigned()) << 8
    }

    /// The inverse of [`packed`](Self::packed).
    #[must_use]
    pub fn unpacked(number: u32) -> Self {
        let is = |at: u32| number >> at & 1 == 1;
        let clicks = PageClicks { any: is(0), lost: is(1), near: [is(2), is(3)] };
        let draw = Draw { lead: Lead::from_number(number >> 5 & 7), surplus: (number >> 8) as i16 };
        Self { draw, clicks, is_identical: is(4) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_back() {
        for flags in 0..5 << 5 {
            for surplus in [0, 1, 0xffff, 300] {
                let record = PageRecord::unpacked(flags | surplus << 8);
                assert_eq!(record.packed(), flags | surplus << 8);
                assert_eq!(record.swapped().swapped(), record);
            }
        }
    }

    #[test]
    fn a_page_counts_once() {
        let clicks = PageClicks { any: true, lost: true, near: [false, true] };
        let draw = Draw { lead: Lead::Coin(Side::Second), surplus: -2 };
        let page = PageRecord { draw, clicks, is_identical: false };
        let mut counts = PageCounts::default();
        counts.add(page, true);
        counts.add(page.swapped(), false);
        let expected = PageCounts {
            pages: 2,
            coins: [0, 1],
            surplus: -2,
            surplus_squares: 4,
            clicked: 2,
            clicked_under: [1, 1],
            lost: 2,
            lost_under: [1, 1],
            near: [1, 1],
            ..PageCounts::default()
        };
        assert_eq!((counts, counts.draws()), (expected, 1));
        let mut twice = counts;
        twice += counts;
        assert_eq!((twice.lost, twice.surplus, twice.draws()), (4, -4, 2));
    }
}
