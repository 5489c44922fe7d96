//! The winner of a short list from all its clicks together: the same as [`Tally`](super::credit::Tally)'s, which takes them one
//! by one, but with hardly a branch or a division.

use super::credit::{DrawProbabilities, winner, winner_by_sign};
use crate::Preference;

/// The most documents shown where lists are short: clicked positions are bits of sixteen.
pub(super) const MAX_DEPTH: usize = u16::BITS as usize;

/// A list by position, and after it one more, which is never written: it stands for clicks that there are not.
pub(super) type ShownList = [DrawProbabilities; MAX_DEPTH + 1];

impl Default for DrawProbabilities {
    /// The probabilities of a document that both rankers are as likely to have contributed.
    fn default() -> Self {
        Self { weights: [1; 2], masses: [1; 2] }
    }
}

/// The winner by the clicked positions of a list, as bits, at least one: the same as [`winner`]'s.
///
/// Mostly there are one to three, and how many cannot be predicted. With f and s the chances of both rankers, not divided by
/// their sum, E\[sign(N_2 - N_1)\] of three clicks is a sum of products of these, divided by (f + s)(f' + s')(f'' + s''); for
/// fewer clicks put f = s for the others. So the sign needs neither a division nor a branch on how many there are. In
/// floating point it is wrong by less than 2^-48 of the denominator; where it is closer to 0 than [`CLEAR`],
/// [`exact_winner`] decides.
#[inline]
pub(super) fn winner_by_clicks(list: &ShownList, clicked: u16) -> Preference {
    let at = |clicked: u16| list[clicked.trailing_zeros() as usize].rounded_chances();
    let second = clear_lowest_bit(clicked);
    let third = clear_lowest_bit(second);
    if clear_lowest_bit(third) != 0 {
        return winner_by_many_clicks(list, clicked);
    }
    let [f, s] = at(clicked);
    let [f2, s2] = at(second);
    let [f3, s3] = at(third);
    let all = f3 + s3;
    let ahead = all * (s * s2 - f * f2) + (s3 - f3) * (s * f2 + f * s2);
    let all = (f + s) * (f2 + s2) * all;
    if ahead.abs() > all * CLEAR { winner_by_sign(ahead) } else { exact_winner(list, clicked) }
}

/// More than any error in an expectation, and little enough that nearly everything closer to 0 is a tie.
const CLEAR: f64 = 1.0 / (1_u64 << 40) as f64;

#[inline]
fn clear_lowest_bit(clicked: u16) -> u16 {
    clicked & clicked.wrapping_sub(1)
}

/// [`winner_by_clicks`] for more than three clicks.
#[inline(never)]
fn winner_by_many_clicks(list: &ShownList, clicked: u16) -> Preference {
    let undivided = DrawProbabilities::rounded_chances;
    let divided = |at: &DrawProbabilities| {
        let [first, second] = at.rounded_chances();
        [first, second].map(|chance| chance / (first + second))
    };
    let [ahead, product] = if clicked.count_ones() as usize <= MAX_UNDIVIDED_CLICKS {
        scaled_expectation::<{ MAX_UNDIVIDED_CLICKS + 1 }>(list, clicked, undivided)
    } else {
        scaled_expectation::<{ MAX_DEPTH + 1 }>(list, clicked, divided)
    };
    if ahead.abs() > product * CLEAR { winner_by_sign(ahead) } else { exact_winner(list, clicked) }
}

/// The most clicks with chances multiplied without a division: as each is below 2^124, all sums are below 2^1001.
const MAX_UNDIVIDED_CLICKS: usize = 8;

/// E\[sign(N_2 - N_1)\] over fewer than `N` clicks, times a denominator, and that denominator, by the distribution of N_2.
/// `chances` returns those of both rankers at one position. The error is below 2^-45 of the denominator. The table of
/// numbers always has the same size, so that no branch but the last depends on how many clicks there are.
#[inline]
fn scaled_expectation<const N: usize>(
    list: &ShownList,
    clicked: u16,
    chances: impl Fn(&DrawProbabilities) -> [f64; 2],
) -> [f64; 2] {
    let mut by_number = [0.0; N];
    by_number[0] = 1.0;
    let mut denominator = 1.0;
    let mut clicks_left = clicked;
    while clicks_left != 0 {
        let [first, second] = chances(&list[clicks_left.trailing_zeros() as usize]);
        for n in (1..N).rev() {
            by_number[n] = by_number[n] * first + by_number[n - 1] * second;
        }
        by_number[0] *= first;
        denominator *= first + second;
        clicks_left = clear_lowest_bit(clicks_left);
    }
    let clicks = clicked.count_ones() as usize;
    let more = |n: usize| f64::from((2 * n).cmp(&clicks) as i8);
    [by_number.iter().enumerate().fold(0.0, |sum, (n, chance)| sum + chance * more(n)), denominator]
}

/// [`winner_by_clicks`] to the last unit.
#[inline(never)]
fn exact_winner(list: &ShownList, clicked: u16) -> Preference {
    winner((0..MAX_DEPTH).filter(|position| clicked >> position & 1 == 1).map(|position| list[position]))
}

impl DrawProbabilities {
    /// [`chances`](Self::chances), each to within 3 x 2^-53 of itself, of a list that shows no more than both rankers list.
    #[inline]
    fn rounded_chances(&self) -> [f64; 2] {
        // Below 2^63, so that the conversion is one instruction.
        let [weights, masses] = [self.weights, self.masses].map(|values| values.map(|value| value as i64 as f64));
        [weights[0] * masses[1], weights[1] * masses[0]]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The largest weight and mass of lists.
    const MOST: u64 = (1 << 62) - 1;

    proptest! {
        /// Without divisions and branches as position by position: ties to the last unit, and the largest and smallest numbers too.
        #[test]
        fn clicks_together_are_as_one_by_one(
            clicked in 1_u16..,
            fewer in any::<[u16; 2]>(),
            lists in prop::collection::vec(prop_oneof![
                // Mostly ties, alone or together.
                Just([3_u64, 7, 1, 11]), Just([1, 11, 3, 7]), Just([2, 5, 2, 5]), Just([1, MOST, 1, MOST - 1]),
                Just([1, MOST, MOST, MOST]),
                [1_u64..3, 3..5, 1..3, 3..5],
                [1_u64..=MOST, 1..=MOST, 1..=MOST, 1..=MOST],
            ], MAX_DEPTH),
        ) {
            let mut list = ShownList::default();
            for (at, [w1, m1, w2, m2]) in list.iter_mut().zip(lists) {
                *at = DrawProbabilities { weights: [w1, w2], masses: [m1.max(w1), m2.max(w2)] };
            }
            for clicked in [clicked, clicked & fewer[0], clicked & fewer[0] & fewer[1]].into_iter().filter(|&bits| bits > 0) {
                let one_by_one = (0..MAX_DEPTH).filter(|n| clicked >> n & 1 == 1).map(|n| list[n]);
                prop_assert_eq!(winner_by_clicks(&list, clicked), winner(one_by_one), "{:?}, clicks {:b}", list, clicked);
            }
        }
    }
}
