//! Matrices of win counts, e.g. of judges who compared answers: entry (i, j) is how often arm i won against arm j.

use super::{MatrixError, PreferenceMatrix};
use crate::Arm;

/// How often arms were compared, of a matrix read from win counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ComparisonCounts {
    /// The comparisons of all pairs of different arms.
    pub comparisons: f64,
    /// The number of pairs.
    pub pairs: usize,
    /// The number of pairs that were never compared; their preference is 1/2.
    pub unplayed: usize,
    /// The comparisons of the pair with the fewest, of those that were compared.
    pub fewest: f64,
    /// The comparisons of the pair with the most.
    pub most: f64,
}

/// Whether `count` can be a number of wins: whole, or with a half for a tie, from 0.
pub(super) fn is_count(count: f64) -> bool {
    count >= 0.0 && count.is_finite() && (2.0 * count).fract() == 0.0
}

/// Win counts of all pairs: how often each arm won against each other.
#[derive(Debug, Clone, PartialEq)]
pub struct WinTable {
    arms: usize,
    wins: Vec<f64>,
    counts: ComparisonCounts,
}

impl WinTable {
    /// From the wins of arm 0 over each arm, then those of arm 1, and so on. A tie may count half for both. The diagonal is
    /// 0 or NaN; so are both counts of a pair that never met.
    ///
    /// # Errors
    /// If there are no arms or no comparisons, or the number of counts is wrong; for the first wins of an arm over itself;
    /// otherwise for the first count that is none, or that does not match its mirror image.
    pub fn new(arms: usize, mut wins: Vec<f64>) -> Result<Self, MatrixError> {
        if arms == 0 {
            return Err(MatrixError::Empty);
        }
        if Some(wins.len()) != arms.checked_mul(arms) {
            return Err(MatrixError::NotSquare { row: wins.len() / arms, cells: wins.len() % arms, expected: arms });
        }
        if let Some(arm) = (0..arms).find(|arm| wins[arm * (arms + 1)] != 0.0 && !wins[arm * (arms + 1)].is_nan()) {
            return Err(MatrixError::SelfWins { arm, value: wins[arm * (arms + 1)] });
        }
        for row in 0..arms {
            for column in (0..arms).filter(|&column| column != row) {
                let (value, mirror) = (wins[row * arms + column], wins[column * arms + row]);
                if value.is_nan() && !mirror.is_nan() {
                    return Err(MatrixError::MissingCount { row, column, mirror });
                }
                if !value.is_nan() && !is_count(value) {
                    return Err(MatrixError::NotACount { row, column, value });
                }
                if (value + mirror).fract() == 0.5 {
                    return Err(MatrixError::HalfComparison { row, column, value, mirror });
                }
            }
        }
        wins.iter_mut().filter(|count| count.is_nan()).for_each(|count| *count = 0.0);
        let counts = ComparisonCounts::of(arms, &wins);
        if counts.comparisons == 0.0 {
            return Err(MatrixError::NoComparisons);
        }
        Ok(Self { arms, wins, counts })
    }

    /// The number of arms.
    #[must_use]
    pub fn arms(&self) -> usize {
        self.arms
    }

    /// How often arms were compared.
    #[must_use]
    pub fn counts(&self) -> ComparisonCounts {
        self.counts
    }

    /// The counts, row by row, with 0 on the diagonal.
    #[must_use]
    pub fn wins(&self) -> &[f64] {
        &self.wins
    }

    /// Whether two arms were never compared, so that their preference is unknown; false for an arm and itself.
    ///
    /// # Panics
    /// When an arm is out of range.
    #[must_use]
    pub fn never_met(&self, i: Arm, j: Arm) -> bool {
        let wins = |i: Arm, j: Arm| self.wins[i.index() * self.arms + j.index()];
        i != j && wins(i, j) + wins(j, i) == 0.0
    }

    /// The counts of these arms alone, in the order given.
    ///
    /// # Panics
    /// When an arm is out of range.
    #[must_use]
    pub fn subset(&self, arms: &[Arm]) -> Self {
        let of_pair = |i: &Arm, j: &Arm| self.wins[i.index() * self.arms + j.index()];
        let wins: Vec<f64> = arms.iter().flat_map(|i| arms.iter().map(move |j| of_pair(i, j))).collect();
        Self { arms: arms.len(), counts: ComparisonCounts::of(arms.len(), &wins), wins }
    }

    /// The matrix of the shares of wins; 1/2 for pairs that never met.
    ///
    /// # Errors
    /// Never for counts that were checked; the type is that of all matrices.
    pub fn shares(&self) -> Result<PreferenceMatrix, MatrixError> {
        let mut entries = vec![0.5; self.arms * self.arms];
        for row in 0..self.arms {
            for column in row + 1..self.arms {
                let (won, lost) = (self.wins[row * self.arms + column], self.wins[column * self.arms + row]);
                if won + lost > 0.0 {
                    entries[row * self.arms + column] = won / (won + lost);
                    entries[column * self.arms + row] = 1.0 - won / (won + lost);
                }
            }
        }
        PreferenceMatrix::new(self.arms, entries)
    }
}

impl ComparisonCounts {
    /// From checked counts.
    fn of(arms: usize, wins: &[f64]) -> Self {
        let pairs = arms * arms.saturating_sub(1) / 2;
        let mut counts = Self { comparisons: 0.0, pairs, unplayed: 0, fewest: f64::INFINITY, most: 0.0 };
        for row in 0..arms {
            for column in row + 1..arms {
                let played = wins[row * arms + column] + wins[column * arms + row];
                if played == 0.0 {
                    counts.unplayed += 1;
                    continue;
                }
                counts.comparisons += played;
                (counts.fewest, counts.most) = (counts.fewest.min(played), counts.most.max(played));
            }
        }
        counts
    }
}

impl PreferenceMatrix {
    /// The matrix of the shares of wins: p(i, j) is the wins of i over j, divided by the comparisons of both, and 1/2 if
    /// there was none. `wins` is as for [`WinTable::new`].
    ///
    /// ```
    /// # use bandits::{Arm, PreferenceMatrix};
    /// let (matrix, counts) = PreferenceMatrix::from_wins(3, &[0.0, 3.0, 0.0, 1.0, 0.0, 5.0, 0.0, 5.0, 0.0])?;
    /// assert_eq!((matrix.get(Arm(0), Arm(1)), matrix.get(Arm(0), Arm(2))), (0.75, 0.5));
    /// assert_eq!((counts.comparisons, counts.unplayed), (14.0, 1));
    /// # Ok::<(), bandits::MatrixError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`WinTable::new`].
    pub fn from_wins(arms: usize, wins: &[f64]) -> Result<(Self, ComparisonCounts), MatrixError> {
        let table = WinTable::new(arms, wins.to_vec())?;
        Ok((table.shares()?, table.counts()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_win_counts() {
        let text = "0 30 0\n10 0 7\n0 0 0\n";
        let (matrix, counts) =
            PreferenceMatrix::from_wins(3, &[0.0, 30.0, 0.0, 10.0, 0.0, 7.0, 0.0, 0.0, 0.0]).unwrap();
        assert_eq!(matrix.entries(), [0.5, 0.75, 0.5, 0.25, 0.5, 1.0, 0.5, 0.0, 0.5]);
        let expected = ComparisonCounts { comparisons: 47.0, pairs: 3, unplayed: 1, fewest: 7.0, most: 40.0 };
        assert_eq!(counts, expected);
        for text in [text, "0,30,0\n10,0,7\n0,0,0\n", "3\n0 30 0\n10 nan 7\n0 0 0\n", "0 30.0 0\n1e1 0 7\n0 0 0"] {
            let read = PreferenceMatrix::read(text.as_bytes()).unwrap();
            assert_eq!((&read.matrix, read.wins.map(|wins| wins.counts())), (&matrix, Some(expected)), "{text}");
            assert_eq!(PreferenceMatrix::from_bytes(text.as_bytes()).as_ref(), Ok(&matrix));
        }
        // As numpy and pandas write them.
        let integers: Vec<u8> =
            [0_i64, 30, 0, 10, 0, 7, 0, 0, 0].iter().flat_map(|count| count.to_le_bytes()).collect();
        let npy = [ranktypes::npy::header("<i8", [3, 3]), integers].concat();
        let read = PreferenceMatrix::read(&npy).unwrap();
        assert_eq!((&read.matrix, read.wins.map(|wins| wins.counts())), (&matrix, Some(expected)));
        let named = PreferenceMatrix::read(b",a,b,c\na,0,30,0\nb,10,0,7\nc,0,0,0\n").unwrap();
        assert_eq!((&named.matrix, named.wins.map(|wins| wins.counts())), (&matrix, Some(expected)));
        assert_eq!(named.names.unwrap(), ["a", "b", "c"]);
        // A single comparison, and probabilities of 0 and 1 beside it: the diagonal makes the difference.
        let once = PreferenceMatrix::read(b"0 1\n0 0").unwrap();
        assert_eq!(
            (once.matrix.get(Arm(0), Arm(1)), once.wins.map(|wins| wins.counts().comparisons)),
            (1.0, Some(1.0))
        );
        let sure = PreferenceMatrix::read(b"0.5 1\n0 0.5").unwrap();
        assert_eq!((&sure.matrix, sure.wins), (&once.matrix, None));
    }

    #[test]
    fn wrong_counts_are_refused() {
        let error = |wins: &[f64]| PreferenceMatrix::from_wins(2, wins).unwrap_err().to_string();
        assert_eq!(
            error(&[0.0, 3.0, 0.25, 0.0]),
            "row 1, column 0: expected a count of wins, whole or with a half for a tie, found 0.25"
        );
        assert!(error(&[0.0, 3.0, 0.5, 0.0]).contains("3 and 0.5 wins are not a whole number of comparisons"));
        assert!(error(&[0.0, 3.0, 1.0, 2.0]).starts_with("row 1, column 1: an arm cannot win 2 times against itself"));
        assert!(error(&[0.0, 0.0, 0.0, 0.0]).starts_with("no arm was ever compared with another"));
        assert!(error(&[0.0, 3.0]).contains("a preference matrix is square"));
    }

    proptest::proptest! {
        #[test]
        fn shares_are_those_of_the_counts(wins in proptest::collection::vec(0_u32..50, 16)) {
            let mut wins: Vec<f64> = wins.into_iter().map(f64::from).collect();
            wins.iter_mut().step_by(5).for_each(|diagonal| *diagonal = 0.0);
            let Ok((matrix, counts)) = PreferenceMatrix::from_wins(4, &wins) else { return Ok(()) };
            let mut unplayed = 0;
            for (i, j) in (0..4).flat_map(|i| (i + 1..4).map(move |j| (i, j))) {
                let (won, lost) = (wins[i * 4 + j], wins[j * 4 + i]);
                let share = if won + lost == 0.0 { 0.5 } else { won / (won + lost) };
                unplayed += usize::from(won + lost == 0.0);
                proptest::prop_assert!((matrix.get(Arm::at(i), Arm::at(j)) - share).abs() < 1e-15);
                proptest::prop_assert!((matrix.get(Arm::at(j), Arm::at(i)) - (1.0 - share)).abs() < 1e-15);
            }
            proptest::prop_assert_eq!(counts.unplayed, unplayed);
        }
    }
}
