//! Matrices of win counts, e.g. of judges who compared answers: entry (i, j) is how often arm i won against arm j.

use super::{MatrixError, PreferenceMatrix};

/// How often arms were compared, of a matrix read from win counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WinCounts {
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

/// Whether `entries` can be win counts of `arms` arms: whole numbers from 0. No preference matrix is, because its diagonal
/// is 1/2.
pub(super) fn are_counts(arms: usize, entries: &[f64]) -> bool {
    arms > 1 && entries.iter().all(|&count| count >= 0.0 && count.is_finite() && count.fract() == 0.0)
}

impl PreferenceMatrix {
    /// The matrix of the shares of wins: p(i, j) is the wins of i over j, divided by the comparisons of both, and 1/2 if
    /// there was none. `wins` has the wins of arm 0 over each arm, then those of arm 1, and so on; what is on the diagonal
    /// does not count.
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
    /// If there are no arms or no comparisons, the number of counts is wrong, or one is not a whole number from 0.
    pub fn from_wins(arms: usize, wins: &[f64]) -> Result<(Self, WinCounts), MatrixError> {
        if arms == 0 {
            return Err(MatrixError::Empty);
        }
        if Some(wins.len()) != arms.checked_mul(arms) {
            return Err(MatrixError::NotSquare { row: wins.len() / arms, cells: wins.len() % arms, expected: arms });
        }
        if let Some(at) = wins.iter().position(|&count| !are_counts(2, &[count])) {
            return Err(MatrixError::NotACount { row: at / arms, column: at % arms, value: wins[at] });
        }
        let mut counts =
            WinCounts { comparisons: 0.0, pairs: arms * (arms - 1) / 2, unplayed: 0, fewest: f64::INFINITY, most: 0.0 };
        let mut entries = vec![0.5; arms * arms];
        for row in 0..arms {
            for column in row + 1..arms {
                let (won, lost) = (wins[row * arms + column], wins[column * arms + row]);
                let played = won + lost;
                if played == 0.0 {
                    counts.unplayed += 1;
                    continue;
                }
                counts.comparisons += played;
                (counts.fewest, counts.most) = (counts.fewest.min(played), counts.most.max(played));
                entries[row * arms + column] = won / played;
                entries[column * arms + row] = 1.0 - won / played;
            }
        }
        if counts.comparisons == 0.0 {
            return Err(MatrixError::NoComparisons);
        }
        Ok((Self::new(arms, entries)?, counts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Arm;

    #[test]
    fn whole_numbers_are_win_counts() {
        let text = "0 30 0\n10 0 7\n0 0 0\n";
        let (matrix, counts) =
            PreferenceMatrix::from_wins(3, &[0.0, 30.0, 0.0, 10.0, 0.0, 7.0, 0.0, 0.0, 0.0]).unwrap();
        assert_eq!(matrix.entries(), [0.5, 0.75, 0.5, 0.25, 0.5, 1.0, 0.5, 0.0, 0.5]);
        let expected = WinCounts { comparisons: 47.0, pairs: 3, unplayed: 1, fewest: 7.0, most: 40.0 };
        assert_eq!(counts, expected);
        for text in [text, "0,30,0\n10,0,7\n0,0,0\n", "3\n0 30 0\n10 5 7\n0 0 9\n", "0 30.0 0\n1e1 0 7\n0 0 0"] {
            let read = PreferenceMatrix::read(text.as_bytes()).unwrap();
            assert_eq!((&read.matrix, read.wins), (&matrix, Some(expected)), "{text}");
            assert_eq!(PreferenceMatrix::from_bytes(text.as_bytes()).as_ref(), Ok(&matrix));
        }
        // As numpy and pandas write them.
        let integers: Vec<u8> =
            [0_i64, 30, 0, 10, 0, 7, 0, 0, 0].iter().flat_map(|count| count.to_le_bytes()).collect();
        let npy = [super::super::npy_header("<i8", [3, 3]), integers].concat();
        let read = PreferenceMatrix::read(&npy).unwrap();
        assert_eq!((&read.matrix, read.wins), (&matrix, Some(expected)));
        let named = PreferenceMatrix::read(b",a,b,c\na,0,30,0\nb,10,0,7\nc,0,0,0\n").unwrap();
        assert_eq!((&named.matrix, named.wins), (&matrix, Some(expected)));
        assert_eq!(named.names.unwrap(), ["a", "b", "c"]);
        // A single comparison, and probabilities of 0 and 1 beside it: the diagonal makes the difference.
        let once = PreferenceMatrix::read(b"0 1\n0 0").unwrap();
        assert_eq!((once.matrix.get(Arm(0), Arm(1)), once.wins.map(|wins| wins.comparisons)), (1.0, Some(1.0)));
        let sure = PreferenceMatrix::read(b"0.5 1\n0 0.5").unwrap();
        assert_eq!((&sure.matrix, sure.wins), (&once.matrix, None));
    }

    #[test]
    fn what_is_neither_counts_nor_probabilities_is_refused() {
        for (text, expected) in [
            ("0 0\n0 0", "no arm was ever compared with another; expected the wins of each arm over each"),
            ("0 3\n-1 0", "row 0, column 0: expected 0.5 on the diagonal, found 0"),
            ("0 3\n1.5 0", "row 0, column 0: expected 0.5 on the diagonal, found 0"),
            ("0 3 1\n1 0 1", "row 0 has 3 cells, expected 2"),
        ] {
            let error = PreferenceMatrix::from_bytes(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        let error = PreferenceMatrix::from_wins(2, &[0.0, 3.0, 0.5, 0.0]).unwrap_err().to_string();
        assert_eq!(error, "row 1, column 0: expected a count of wins, a whole number from 0, found 0.5");
    }

    proptest::proptest! {
        #[test]
        fn shares_are_those_of_the_counts(wins in proptest::collection::vec(0_u32..50, 16)) {
            let wins: Vec<f64> = wins.into_iter().map(f64::from).collect();
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
