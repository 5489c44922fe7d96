//! The size of a difference, beside the winner: clicks on the documents that a mixed list credits to each of two rankers, and
//! impressions with such a click.
//!
//! Only for methods with an owner of each document. A unit's difference counts up to [`CAP`], so that no user outweighs the others;
//! what exceeds it is cut from the side with more, and reported. All numbers are whole, and add up over units, days and machines in any
//! order.

use std::ops::AddAssign;

use statistics::anytime::RatioSums;

/// By how much the two sides of a unit may differ. It was fixed before anything is seen, as its interval requires.
pub const CAP: u32 = 5;

/// The clicks of an impression on the documents of each of two rankers, each document once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct SideClicks(pub [u16; 2]);

/// The most clicks of a side: a list has fewer documents.
const MAX_SIDE_CLICKS: u16 = (1 << SideClicks::BITS) - 1;

impl SideClicks {
    /// The bits of a side.
    const BITS: u32 = 14;

    /// The same for the two rankers in the other order.
    #[must_use]
    pub fn swapped(self) -> Self {
        let Self([first, second]) = self;
        Self([second, first])
    }

    /// As a number of 29 bits: 0 if there are none, because the owners are unknown. [`unpacked`](Self::unpacked) is the inverse.
    #[must_use]
    pub fn packed(clicks: Option<Self>) -> u32 {
        clicks.map_or(0, |Self(sides)| {
            let [first, second] = sides.map(|side| u32::from(side.min(MAX_SIDE_CLICKS)));
            1 | first << 1 | second << (1 + Self::BITS)
        })
    }

    /// The inverse of [`packed`](Self::packed).
    #[must_use]
    pub fn unpacked(number: u32) -> Option<Self> {
        let side = |from: u32| (number >> from) as u16 & MAX_SIDE_CLICKS;
        (number & 1 == 1).then(|| Self([side(1), side(1 + Self::BITS)]))
    }
}

/// Sums over the impressions of a unit, for two rankers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct UnitAmounts {
    impressions: u32,
    clicks: [u32; 2],
    clicked: [u32; 2],
}

impl UnitAmounts {
    /// Adds an impression; nothing if the owners of its documents are unknown.
    pub fn add(&mut self, clicks: Option<SideClicks>) {
        let Some(SideClicks(clicks)) = clicks else { return };
        self.impressions = self.impressions.saturating_add(1);
        for (side, clicks) in clicks.into_iter().enumerate() {
            self.clicks[side] = self.clicks[side].saturating_add(clicks.into());
            self.clicked[side] = self.clicked[side].saturating_add(u32::from(clicks > 0));
        }
    }

    /// As numbers, to be kept; [`from_numbers`](Self::from_numbers) is the inverse.
    #[must_use]
    pub fn numbers(&self) -> [u32; 5] {
        let Self { impressions, clicks, clicked } = *self;
        [impressions, clicks[0], clicks[1], clicked[0], clicked[1]]
    }

    /// The inverse of [`numbers`](Self::numbers).
    #[must_use]
    pub fn from_numbers([impressions, first, second, first_clicked, second_clicked]: [u32; 5]) -> Self {
        Self { impressions, clicks: [first, second], clicked: [first_clicked, second_clicked] }
    }

    /// Those of one impression.
    #[must_use]
    pub fn of(clicks: Option<SideClicks>) -> Self {
        let mut of = Self::default();
        of.add(clicks);
        of
    }
}

/// Sums of what units have on each side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct SideSums {
    /// The sum of the first ranker.
    pub first: u64,
    /// The sum of the second.
    pub second: u64,
    /// The part beyond [`CAP`], which neither includes.
    pub cut: u64,
    /// The sum of squares of the difference of a unit, first minus second.
    pub squares: u64,
    /// The sum of the difference times the impressions of a unit.
    pub products: i64,
}

impl SideSums {
    fn record(&mut self, sides: [u32; 2], impressions: u32) {
        let most = sides[0].min(sides[1]).saturating_add(CAP);
        let [first, second] = sides.map(|side| side.min(most));
        let difference = i64::from(first) - i64::from(second);
        self.first += u64::from(first);
        self.second += u64::from(second);
        self.cut += u64::from(sides[0] - first) + u64::from(sides[1] - second);
        self.squares += (difference * difference).unsigned_abs();
        self.products += difference * i64::from(impressions);
    }

    /// The first minus the second.
    #[must_use]
    pub fn difference(&self) -> i64 {
        self.first.wrapping_sub(self.second).cast_signed()
    }

    fn swapped(self) -> Self {
        Self { first: self.second, second: self.first, products: -self.products, ..self }
    }

    /// Whether units can have these sums.
    fn are_possible(&self, units: u64, impression_squares: u64) -> bool {
        let [difference, squares, products] =
            [i128::from(self.difference()), self.squares.into(), self.products.into()];
        // No unit has more than the cap, and a sum of squares of integers is no smaller than their sum.
        difference.abs() <= squares
            && squares <= i128::from(units) * i128::from(CAP.pow(2))
            && products.saturating_mul(products) <= squares.saturating_mul(impression_squares.into())
    }
}

/// Sums over the units that closed on a day, for a pair of rankers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Amounts {
    /// Units with an impression that has owners of documents. Without any, there are no amounts.
    pub units: u64,
    /// Their impressions with owners.
    pub impressions: u64,
    /// Squares of the impressions of a unit.
    pub impression_squares: u64,
    /// Clicks on documents of each side.
    pub clicks: SideSums,
    /// Impressions with such a click.
    pub clicked: SideSums,
}

impl Amounts {
    /// The names of [its numbers](Self::numbers).
    pub const COLUMNS: [&str; 13] = [
        "amount_units",
        "amount_impressions",
        "amount_impression_squares",
        "first_clicks",
        "second_clicks",
        "cut_clicks",
        "click_squares",
        "click_products",
        "first_clicked",
        "second_clicked",
        "cut_clicked",
        "clicked_squares",
        "clicked_products",
    ];

    /// Adds a unit that has closed.
    pub fn record(&mut self, unit: UnitAmounts) {
        let UnitAmounts { impressions, clicks, clicked } = unit;
        if impressions == 0 {
            return;
        }
        self.units += 1;
        self.impressions += u64::from(impressions);
        self.impression_squares = self.impression_squares.saturating_add(u64::from(impressions).pow(2));
        self.clicks.record(clicks, impressions);
        self.clicked.record(clicked, impressions);
    }

    /// Whether there are none.
    #[must_use]
    pub fn are_none(&self) -> bool {
        self.units == 0
    }

    /// The same for the two rankers in the other order.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { clicks: self.clicks.swapped(), clicked: self.clicked.swapped(), ..self }
    }

    /// As numbers, which may be added up.
    #[must_use]
    pub fn numbers(&self) -> [i64; 13] {
        let Self { units, impressions, impression_squares, clicks, clicked } = *self;
        let of = |SideSums { first, second, cut, squares, products }: SideSums| {
            let [first, second, cut, squares] = [first, second, cut, squares].map(u64::cast_signed);
            [first, second, cut, squares, products]
        };
        let mut numbers = [0; 13];
        numbers[..3].copy_from_slice(&[units, impressions, impression_squares].map(u64::cast_signed));
        numbers[3..8].copy_from_slice(&of(clicks));
        numbers[8..].copy_from_slice(&of(clicked));
        numbers
    }

    /// The amounts with these [numbers](Self::numbers).
    #[must_use]
    pub fn from_numbers(numbers: [i64; 13]) -> Self {
        let of = |at: usize| numbers[at].cast_unsigned();
        let sides = |at: usize| SideSums {
            first: of(at),
            second: of(at + 1),
            cut: of(at + 2),
            squares: of(at + 3),
            products: numbers[at + 4],
        };
        Self { units: of(0), impressions: of(1), impression_squares: of(2), clicks: sides(3), clicked: sides(8) }
    }

    /// Why amounts from elsewhere are impossible for this number of closed units; `None` if they are not.
    #[must_use]
    pub fn fault(&self, closed: u64) -> Option<String> {
        let Self { units, impressions, impression_squares, clicks, clicked } = *self;
        if units > closed {
            return Some(format!("`amount_units` is {units}, but {closed} units closed"));
        }
        let square = u128::from(impressions) * u128::from(impressions);
        let are_impressions = impressions >= units
            && impression_squares >= impressions
            && square <= u128::from(impression_squares) * u128::from(units);
        let are_sides = [clicks, clicked].iter().all(|sides| sides.are_possible(units, impression_squares));
        let most = i128::from(impressions);
        let are_clicked = [clicked.first, clicked.second].iter().all(|side| i128::from(*side) <= most)
            && clicked.first <= clicks.first.saturating_add(clicks.cut)
            && clicked.second <= clicks.second.saturating_add(clicks.cut);
        (!(are_impressions && are_sides && are_clicked)).then(|| {
            format!(
                "no units have these amounts ({}); expected those of `click-logs credit`, added up over whole units, each of \
                 which counts with a difference of {CAP} at most",
                Self::COLUMNS.iter().zip(self.numbers()).map(|(name, number)| format!("{name} {number}")).collect::<Vec<_>>().join(", ")
            )
        })
    }

    /// The sums of one of the two that [`RatioSequence`](statistics::anytime::RatioSequence) needs, in clicks or clicked
    /// impressions per impression.
    #[must_use]
    pub(crate) fn ratio_sums(&self, side_sums: SideSums) -> RatioSums {
        RatioSums {
            amounts: side_sums.difference() as f64,
            sizes: self.impressions as f64,
            amount_squares: side_sums.squares as f64,
            products: side_sums.products as f64,
            size_squares: self.impression_squares as f64,
        }
    }
}

impl AddAssign for Amounts {
    fn add_assign(&mut self, other: Self) {
        let mut sum = self.numbers();
        sum.iter_mut().zip(other.numbers()).for_each(|(sum, more)| *sum = sum.saturating_add(more));
        *self = Self::from_numbers(sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(impressions: &[[u16; 2]]) -> UnitAmounts {
        let mut unit = UnitAmounts::default();
        impressions.iter().for_each(|clicks| unit.add(Some(SideClicks(*clicks))));
        unit
    }

    #[test]
    fn clicks_as_a_number_and_back() {
        for clicks in
            [None, Some(SideClicks([0, 0])), Some(SideClicks([1, 0])), Some(SideClicks([10_000, MAX_SIDE_CLICKS]))]
        {
            let number = SideClicks::packed(clicks);
            assert!(number < 1 << 29);
            assert_eq!(SideClicks::unpacked(number), clicks);
        }
        assert_eq!(
            SideClicks::unpacked(SideClicks::packed(Some(SideClicks([u16::MAX, 3])))),
            Some(SideClicks([MAX_SIDE_CLICKS, 3]))
        );
    }

    #[test]
    fn a_unit_counts_by_its_difference_up_to_the_cap() {
        let mut amounts = Amounts::default();
        amounts.record(unit(&[[2, 0], [0, 1], [0, 0]]));
        // Without owners of documents.
        amounts.record(UnitAmounts::of(None));
        // Nine more: four are cut, of clicks and not of impressions with a click.
        amounts.record(unit(&[[0, 9], [1, 1]]));
        let expected = Amounts {
            units: 2,
            impressions: 5,
            impression_squares: 13,
            clicks: SideSums { first: 3, second: 7, cut: 4, squares: 1 + 25, products: 3 - 10 },
            clicked: SideSums { first: 2, second: 3, cut: 0, squares: 1, products: -2 },
        };
        assert_eq!((amounts, amounts.fault(2)), (expected, None));
        assert_eq!(amounts.swapped().swapped(), amounts);
        assert_eq!(amounts.swapped().clicks.difference(), 4);
        assert_eq!(Amounts::from_numbers(amounts.numbers()), amounts);
        let mut twice = amounts;
        twice += amounts.swapped();
        assert_eq!((twice.clicks.difference(), twice.clicks.products, twice.clicks.squares), (0, 0, 52));
    }

    #[test]
    fn amounts_of_no_units_are_named() {
        let mut amounts = Amounts::default();
        (0..40).for_each(|n| amounts.record(unit(&[[n % 3, n % 7], [0, 1]])));
        assert_eq!((amounts.fault(40), Amounts::default().fault(0)), (None, None));
        assert!(amounts.fault(39).unwrap().contains("`amount_units` is 40, but 39 units closed"));
        let mut found = 0;
        for at in 0..13 {
            for change in [-60, 1_000_000] {
                let mut numbers = amounts.numbers();
                numbers[at] += change;
                found += u32::from(Amounts::from_numbers(numbers).fault(u64::MAX).is_some());
            }
        }
        // Changes of `cut`, and of a few clicks, go undetected.
        assert!(found >= 15, "{found}");
        assert!(
            Amounts { units: 0, ..amounts }
                .fault(40)
                .unwrap()
                .starts_with("no units have these amounts (amount_units 0, ")
        );
    }
}
