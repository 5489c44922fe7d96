//! What pages say of themselves, added up by day and pair.

use std::ops::AddAssign;

use super::draw::{Draw, Lead, Side};

/// What one page says of itself, for a pair of its rankers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageRecord {
    /// What the coins of its list did.
    pub draw: Draw,
    /// What became of its clicks.
    pub clicks: PageClicks,
    /// Whether both rankers sent the same list, where lists are known.
    pub is_identical: bool,
}

/// What became of the clicks in the window of a page. Each says whether there is one at all: a page counts once, whatever is sent
/// of it.
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
#[serde(default)]
pub struct PageCounts {
    /// Pages that count.
    pub pages: u64,
    /// Pages with documents of this ranker alone.
    pub of_one: [u64; 2],
    /// Pages for which both sent the same list.
    pub identical: u64,
    /// Fresh draws in which both rankers own documents, by who came first.
    pub coins: [u64; 2],
    /// Fresh draws in which this ranker alone owns documents.
    pub alone: [u64; 2],
    /// Of fresh draws: the sum of what the first ranker owns more than the second.
    pub surplus: i64,
    /// The sum of its squares.
    pub surplus_squares: u64,
    /// Pages with a click.
    pub clicked: u64,
    /// Pages with a click, by who owns the first place.
    pub clicked_under: [u64; 2],
    /// Pages with a click on a document that was not in the list.
    pub lost: u64,
    /// The same, by who owns the first place.
    pub lost_under: [u64; 2],
    /// Pages with such a click on what was a document of this ranker but for how its id is written.
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

impl AddAssign for PageCounts {
    fn add_assign(&mut self, other: Self) {
        let add = |of: &mut [u64; 2], more: [u64; 2]| of.iter_mut().zip(more).for_each(|(of, more)| *of += more);
        self.pages += other.pages;
        add(&mut self.of_one, other.of_one);
        self.identical += other.identical;
        add(&mut self.coins, other.coins);
        add(&mut self.alone, other.alone);
        self.surplus += other.surplus;
        self.surplus_squares += other.surplus_squares;
        self.clicked += other.clicked;
        add(&mut self.clicked_under, other.clicked_under);
        self.lost += other.lost;
        add(&mut self.lost_under, other.lost_under);
        add(&mut self.near, other.near);
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

    /// As three small numbers, and back by [`from_numbers`](Self::from_numbers).
    #[must_use]
    pub fn to_numbers(self) -> [i16; 3] {
        let PageClicks { any, lost, near } = self.clicks;
        let flags = [any, lost, near[0], near[1], self.is_identical];
        let flags = flags.into_iter().enumerate().fold(0, |all, (at, flag)| all | i16::from(flag) << at);
        let [lead, surplus] = self.draw.to_numbers();
        [flags, lead, surplus]
    }

    /// What [`to_numbers`](Self::to_numbers) made of it.
    #[must_use]
    pub fn from_numbers([flags, lead, surplus]: [i16; 3]) -> Self {
        let is = |at: i16| flags >> at & 1 == 1;
        let clicks = PageClicks { any: is(0), lost: is(1), near: [is(2), is(3)] };
        Self { draw: Draw::from_numbers([lead, surplus]), clicks, is_identical: is(4) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_back() {
        for flags in 0..1 << 5 {
            for (lead, surplus) in [(0, 0), (1, -3), (-1, 0), (2, 0), (-2, 300)] {
                let record = PageRecord::from_numbers([flags, lead, surplus]);
                assert_eq!(record.to_numbers(), [flags, lead, surplus]);
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
