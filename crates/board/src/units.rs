//! Units: the independent parts of a table, given the strengths.
//!
//! A unit is a pair on an item by one judge. Judges who see the same two answers twice do not add a second opinion, so all repeats and both
//! orders together are one win, loss or tie, by the sign of the net result. Both orders weigh the same: if they contradict each other, the
//! unit is a tie. A unit with fractional scores keeps the mean share. Covariates of a unit are the means over its rows.

use crate::{Answer, BoardError, Covariate, Judgement, Order, Table};
use serde::Serialize;
use statistics::Preference;
use statistics::bradley_terry::{Comparison, Covariates, Point};

/// Weights outside of this range would drown all others, or drown in them, in the arithmetic of doubles.
const LEAST_WEIGHT: f64 = 1e-6;
const MOST_WEIGHT: f64 = 1e9;

/// A pair on an item by one judge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// The comparison, for the competitor with the smaller number.
    pub comparison: Comparison,
    /// The item, if there is one.
    pub item: Option<u32>,
    /// The judge, if there is one.
    pub judge: Option<u32>,
    /// The place of the unit's last row in the table: when it counts.
    pub last_row: usize,
    /// The expectation of corrected points; `None` for judges' answers.
    pub expected: Option<ExpectedPoints>,
}

impl Unit {
    /// The outcome for the first competitor; a fractional score counts as the side that got more.
    #[must_use]
    pub fn outcome(&self) -> Preference {
        match self.comparison.point {
            Point::Share(share) => Preference::of_net(share - 0.5),
            Point::Tie => Preference::Tie,
        }
    }
}

/// The expectation of a unit's corrected points before it is drawn by lot whether a person judges it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedPoints {
    /// Their expected squared distance from a half.
    pub spread: f64,
    /// The least and the most points of the first competitor.
    pub range: [f64; 2],
}

/// Counts of a table's rows by their treatment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct RowCounts {
    /// All rows.
    pub rows: usize,
    /// Rows that compare a competitor with itself; they are set aside.
    pub self_comparisons: usize,
    /// Rows with a winner.
    pub decided: usize,
    /// Rows that are ties, including those in which both were bad.
    pub ties: usize,
    /// Rows in which both were bad.
    pub both_bad: usize,
    /// Rows with a fractional score.
    pub scores: usize,
    /// Units that the rows make; a row that counts several times is as many units.
    pub units: u64,
    /// Rows that repeat an earlier one: same item and judge, same order, same verdict.
    pub duplicates: usize,
}

/// Units that a judge saw in both orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct BothOrders {
    /// Units with a winner in each order.
    pub asked: usize,
    /// Of these, units with a different winner in each order.
    pub differently: usize,
    /// Of those, units in which the answer shown first won both times; in the rest, the one shown second.
    pub first_twice: usize,
}

/// The units of a table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Units {
    /// In the order of their last rows.
    pub units: Vec<Unit>,
    /// Counts of rows by their treatment.
    pub tally: RowCounts,
    /// Units seen in both orders.
    pub both_orders: BothOrders,
    /// The same by judge: one per judge of the table.
    pub both_orders_by_judge: Vec<BothOrders>,
    /// Row numbers of self-comparisons.
    pub self_rows: Vec<u64>,
}

impl Units {
    /// The units of a table.
    ///
    /// # Errors
    /// If a judgement names a competitor, item or judge that the table does not have, or has a weight (1e-6 to 1e9) or score (0 to 1)
    /// outside of its range; or if covariates are not one number, -1e12 to 1e12, per judgement, or more than eight.
    pub fn of(table: &Table) -> Result<Self, BoardError> {
        table.check_covariates()?;
        let mut units =
            Self { both_orders_by_judge: vec![BothOrders::default(); table.judges.len()], ..Self::default() };
        let mut keyed = Vec::new();
        for (row_index, judgement) in table.judgements.iter().enumerate() {
            check(table, judgement)?;
            units.count(judgement);
            if judgement.first == judgement.second {
                units.self_rows.push(judgement.row);
                continue;
            }
            match judgement.item {
                Some(item) => {
                    let (low, high) = pair(judgement);
                    keyed.push(((low, high, item, judgement.judge), row_index));
                }
                None => {
                    let unit = unit_of_row(table, judgement, row_index);
                    units.units.push(unit);
                }
            }
        }
        keyed.sort_unstable();
        for rows in keyed.chunk_by(|a, b| a.0 == b.0) {
            let row_indices: Vec<usize> = rows.iter().map(|(_, row_index)| *row_index).collect();
            let unit = units.join_rows(table, &row_indices);
            units.units.push(unit);
        }
        units.units.sort_by_key(|unit| unit.last_row);
        units.tally.units = units.units.iter().map(|unit| unit.comparison.copies).sum();
        Ok(units)
    }

    fn count(&mut self, judgement: &Judgement) {
        let tally = &mut self.tally;
        tally.rows += 1;
        if judgement.first == judgement.second {
            tally.self_comparisons += 1;
            return;
        }
        match judgement.verdict {
            Answer::First | Answer::Second => tally.decided += 1,
            Answer::Tie => tally.ties += 1,
            Answer::BothBad => {
                tally.ties += 1;
                tally.both_bad += 1;
            }
            Answer::Score(_) | Answer::Corrected { .. } => tally.scores += 1,
        }
    }

    /// All rows of a pair on an item by one judge.
    fn join_rows(&mut self, table: &Table, row_indices: &[usize]) -> Unit {
        let rows: Vec<&Judgement> = row_indices.iter().map(|place| &table.judgements[*place]).collect();
        let fractional = rows.iter().any(|row| matches!(row.verdict, Answer::Score(_) | Answer::Corrected { .. }));
        // The mean share of the point of the lower competitor in each order; sums do not depend on the order of rows.
        let shares_by_order =
            by_order(&rows, |row, low_first| if low_first { row.verdict.score() } else { 1.0 - row.verdict.score() });
        let expected = expected_points(&rows);
        let sign = |share: f64| if (share - 0.5).abs() < 1e-9 { 0.0 } else { (share - 0.5).signum() };
        let share = match shares_by_order {
            shares_by_order if fractional => mean_of_orders(shares_by_order),
            [Some(forward), Some(backward)] => 0.5 + 0.5 * sign(sign(forward) + sign(backward) + 0.5),
            [Some(share), None] | [None, Some(share)] => 0.5 + 0.5 * sign(share),
            [None, None] => unreachable!("a unit has rows"),
        };
        if let [Some(forward), Some(backward)] = shares_by_order.map(|share| share.map(sign))
            && forward * backward != 0.0
            && expected.is_none()
        {
            let judge = rows[0].judge.map(|judge| judge as usize);
            let order_counts = std::iter::once(&mut self.both_orders)
                .chain(judge.and_then(|judge| self.both_orders_by_judge.get_mut(judge)));
            for order_count in order_counts {
                order_count.asked += 1;
                order_count.differently += usize::from(forward != backward);
                order_count.first_twice += usize::from(forward > 0.0 && backward < 0.0);
            }
        }
        let position = match (table.order, shares_by_order) {
            (Order::Shown, [Some(_), None]) => 1.0,
            (Order::Shown, [None, Some(_)]) => -1.0,
            _ => 0.0,
        };
        self.tally.duplicates += duplicates(&rows);
        let mut weights: Vec<f64> = rows.iter().map(|row| row.weight).collect();
        weights.sort_by(f64::total_cmp);
        let weight = weights.iter().sum::<f64>() / weights.len() as f64;
        let last_row = *row_indices.iter().max().expect("a unit has rows");
        let mut joined_unit = unit(rows[0], share, position, weight, 1, last_row, expected);
        joined_unit.comparison.covariates = covariates(table, row_indices);
        joined_unit
    }
}

/// The means of the covariates of rows, for the competitor with the smaller number; both orders weigh the same.
fn covariates(table: &Table, row_indices: &[usize]) -> Covariates {
    let of_order = |differences: &[f64], low_first: bool| {
        let differences_of_rows =
            row_indices.iter().map(|row_index| (&table.judgements[*row_index], differences[*row_index]));
        let mut rows: Vec<(f64, f64)> = differences_of_rows
            .filter(|(judgement, _)| (judgement.first < judgement.second) == low_first)
            .map(|(judgement, value)| (judgement.weight * if low_first { value } else { -value }, judgement.weight))
            .collect();
        mean(&mut rows)
    };
    let value = |covariate: &Covariate| {
        mean_of_orders([true, false].map(|low_first| of_order(&covariate.differences, low_first)))
    };
    let values: Vec<f64> = table.covariates.iter().map(value).collect();
    Covariates::new(&values).expect("few finite covariates")
}

/// The mean of pairs of a weighted value and its weight, in any order; `None` without pairs.
fn mean(rows: &mut [(f64, f64)]) -> Option<f64> {
    rows.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let weight: f64 = rows.iter().map(|row| row.1).sum();
    (weight > 0.0).then(|| rows.iter().map(|row| row.0).sum::<f64>() / weight)
}

/// The number of rows of a unit that repeat an earlier one.
fn duplicates(rows: &[&Judgement]) -> usize {
    let mut row_kinds: Vec<(u32, f64, bool)> =
        rows.iter().map(|row| (row.first, row.verdict.score(), row.verdict == Answer::BothBad)).collect();
    row_kinds.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    let row_count = row_kinds.len();
    row_kinds.dedup();
    row_count - row_kinds.len()
}

/// A row without an item. If it counts a whole number of times, it is that many units.
fn unit_of_row(table: &Table, judgement: &Judgement, row_index: usize) -> Unit {
    let (low, _) = pair(judgement);
    let forward = judgement.first == low;
    let share = if forward { judgement.verdict.score() } else { 1.0 - judgement.verdict.score() };
    let position = match (table.order, forward) {
        (Order::Unknown, _) => 0.0,
        (Order::Shown, true) => 1.0,
        (Order::Shown, false) => -1.0,
    };
    let is_whole = judgement.weight >= 1.0 && judgement.weight.fract() == 0.0;
    let (weight, copies) = if is_whole { (1.0, judgement.weight as u64) } else { (judgement.weight, 1) };
    let mut row_unit = unit(judgement, share, position, weight, copies, row_index, expected_points(&[judgement]));
    row_unit.comparison.covariates = covariates(table, &[row_index]);
    row_unit
}

/// The expectation of the points of a unit of these rows; `None` without corrected points. The points of several rows are means as in
/// [`Units::join_rows`].
fn expected_points(rows: &[&Judgement]) -> Option<ExpectedPoints> {
    let correction_of = |row: &Judgement| match row.verdict {
        Answer::Corrected { spread, range, .. } => Some((spread, range)),
        _ => None,
    };
    let corrected: Vec<&Judgement> = rows.iter().copied().filter(|row| correction_of(row).is_some()).collect();
    if corrected.is_empty() {
        return None;
    }
    let correction_or_zero = |row: &Judgement| correction_of(row).unwrap_or_default();
    let [min, max] = [0, 1].map(|end: usize| {
        let end_of_lower = |row: &Judgement, low_first| {
            let (_, range) = correction_or_zero(row);
            if low_first { range[end] } else { 1.0 - range[1 - end] }
        };
        mean_of_orders(by_order(&corrected, end_of_lower))
    });
    // The variance of a mean is that of one by their number, and of a mean of two orders a quarter of the sum.
    let count = |low_first: bool| corrected.iter().filter(|row| (row.first < row.second) == low_first).count() as f64;
    let spread = match by_order(&corrected, |row, _| correction_or_zero(row).0) {
        [Some(there), Some(back)] => 0.25 * (there / count(true) + back / count(false)),
        [one, other] => one.or(other).unwrap_or_default() / corrected.len() as f64,
    };
    Some(ExpectedPoints { spread, range: [min, max] })
}

/// The means of a value for the competitor with the smaller number: over rows that show it first, and over those that show it second.
fn by_order(rows: &[&Judgement], value: impl Fn(&Judgement, bool) -> f64) -> [Option<f64>; 2] {
    [true, false].map(|low_first| {
        let rows_of_order = rows.iter().filter(|row| (row.first < row.second) == low_first);
        mean(&mut rows_of_order.map(|row| (row.weight * value(row, low_first), row.weight)).collect::<Vec<_>>())
    })
}

/// The mean of both orders, which weigh the same however many rows they have.
fn mean_of_orders(means: [Option<f64>; 2]) -> f64 {
    match means {
        [Some(there), Some(back)] => 0.5 * (there + back),
        [one, other] => one.or(other).expect("a unit has rows"),
    }
}

fn unit(
    judgement: &Judgement,
    share: f64,
    position: f64,
    weight: f64,
    copies: u64,
    last_row: usize,
    expected: Option<ExpectedPoints>,
) -> Unit {
    let (low, high) = pair(judgement);
    // A judge did not give the half of a corrected point, so it counts as a share.
    let is_tie = (share - 0.5).abs() < 1e-9 && expected.is_none();
    let point = if is_tie { Point::Tie } else { Point::Share(share) };
    let (first, second) = (low as usize, high as usize);
    let comparison = Comparison { first, second, position, point, weight, copies, ..Comparison::default() };
    Unit { comparison, item: judgement.item, judge: judgement.judge, last_row, expected }
}

fn pair(judgement: &Judgement) -> (u32, u32) {
    (judgement.first.min(judgement.second), judgement.first.max(judgement.second))
}

fn check(table: &Table, judgement: &Judgement) -> Result<(), BoardError> {
    let invalid = |field: &'static str, found: String, expected: String| {
        Err(BoardError::Row { row: judgement.row, what: field, found, expected })
    };
    let expected_below = |count: usize| format!("a number below {count}");
    for (field, number, count) in [
        ("the first competitor", Some(judgement.first), table.names.len()),
        ("the second competitor", Some(judgement.second), table.names.len()),
        ("the item", judgement.item, table.items.len()),
        ("the judge", judgement.judge, table.judges.len()),
    ] {
        if let Some(number) = number.filter(|number| *number as usize >= count) {
            return invalid(field, number.to_string(), expected_below(count));
        }
    }
    if !(LEAST_WEIGHT..=MOST_WEIGHT).contains(&judgement.weight) {
        let expected = format!("a number from {LEAST_WEIGHT:e} to {MOST_WEIGHT:e}");
        return invalid("the weight", judgement.weight.to_string(), expected);
    }
    match judgement.verdict {
        Answer::Score(score) if !(score > 0.0 && score < 1.0) => {
            invalid("the score", score.to_string(), "a number between 0 and 1".to_owned())
        }
        Answer::Corrected { points, spread, range: [least, most] } => {
            let farthest = Answer::FARTHEST;
            if !(0.5 - farthest <= least && least <= 0.0 && 1.0 <= most && most <= 0.5 + farthest) {
                let expected = format!("at least {} to 0, and at most 1 to {}", 0.5 - farthest, 0.5 + farthest);
                return invalid("the range of corrected points", format!("{least} to {most}"), expected);
            }
            // Sums in another order are rounded in another way.
            if !(least - 1e-9..=most + 1e-9).contains(&points) {
                return invalid("the corrected points", points.to_string(), format!("a number from {least} to {most}"));
            }
            if !(0.0..=farthest * farthest).contains(&spread) {
                let expected = format!("a number from 0 to {}", farthest * farthest);
                return invalid("the spread of corrected points", spread.to_string(), expected);
            }
            Ok(())
        }
        _ => Ok(()),
    }
}
