//! The meaning of a square table of numbers: probabilities, percentages, or counts of wins.

use super::counts::{WinTable, is_count};
use super::{MatrixError, MatrixInFile, PreferenceMatrix, TOLERANCE};

/// Properties of all numbers of a table.
#[derive(Debug)]
struct Features {
    /// No cell beside the diagonal is empty.
    complete: bool,
    /// They are whole, or whole and a half, from 0.
    halves: bool,
    /// One is above 1.
    large: bool,
    /// The diagonal is empty or 0.
    no_diagonal: bool,
    /// The diagonal is empty, and nothing else.
    empty_diagonal: bool,
    /// The diagonal is empty or 50, and 50 once.
    fifty: bool,
}

impl Features {
    fn of(arms: usize, entries: &[f64]) -> Self {
        let diagonal = || entries.iter().step_by(arms + 1);
        let others = || entries.iter().enumerate().filter(|(at, _)| at % (arms + 1) != 0).map(|(_, &entry)| entry);
        Self {
            complete: others().all(|entry| !entry.is_nan()),
            halves: others().all(|entry| entry.is_nan() || is_count(entry)),
            large: others().any(|entry| entry > 1.0),
            no_diagonal: diagonal().all(|entry| entry.is_nan() || *entry == 0.0),
            empty_diagonal: diagonal().all(|entry| entry.is_nan()),
            fifty: diagonal().all(|entry| entry.is_nan() || *entry == 50.0) && diagonal().any(|entry| *entry == 50.0),
        }
    }
}

/// Whether the two entries of every pair sum to `whole`.
fn sum_to(whole: f64, arms: usize, entries: &[f64]) -> bool {
    let sums = |row: usize, column: usize| {
        let sum = entries[row * arms + column] + entries[column * arms + row];
        (sum - whole).abs() <= whole * TOLERANCE
    };
    (0..arms).all(|row| (row + 1..arms).all(|column| sums(row, column)))
}

impl PreferenceMatrix {
    /// The matrix that a square table of numbers describes, row by row; NaN is an empty cell. The table holds
    ///
    /// * win counts, if the diagonal is empty or 0 and all other numbers are whole, or whole and a half where ties count half
    ///   for both ([`from_wins`](Self::from_wins)); two empty cells are a pair that never met;
    /// * percentages, if pairs sum to 100 and the diagonal is 50, or if they cannot be counts;
    /// * probabilities otherwise; an empty diagonal is 1/2.
    ///
    /// ```
    /// # use bandits::{Arm, PreferenceMatrix};
    /// let percentages = PreferenceMatrix::from_table(2, vec![50.0, 70.0, 30.0, 50.0])?;
    /// assert_eq!((percentages.matrix.get(Arm(0), Arm(1)), percentages.percent), (0.7, true));
    /// let counts = PreferenceMatrix::from_table(2, vec![f64::NAN, 3.0, 1.0, f64::NAN])?;
    /// assert_eq!(counts.matrix.get(Arm(0), Arm(1)), 0.75);
    /// assert_eq!(counts.wins.unwrap().counts().comparisons, 4.0);
    /// # Ok::<(), bandits::MatrixError>(())
    /// ```
    ///
    /// # Errors
    /// The first cell that breaks the rules of what the table seems to hold.
    pub fn from_table(arms: usize, mut entries: Vec<f64>) -> Result<MatrixInFile, MatrixError> {
        let probabilities = |entries: Vec<f64>, percent: bool| {
            Ok(MatrixInFile { matrix: Self::new(arms, entries)?, names: None, wins: None, percent })
        };
        if arms < 2 || Some(entries.len()) != arms.checked_mul(arms) {
            return probabilities(entries, false);
        }
        let features = Features::of(arms, &entries);
        let hundred = || features.complete && features.large && sum_to(100.0, arms, &entries);
        if features.fifty && hundred() || features.no_diagonal && !features.halves && hundred() {
            entries.iter_mut().for_each(|entry| *entry /= 100.0);
            entries.iter_mut().step_by(arms + 1).for_each(|entry| *entry = 0.5);
            return probabilities(entries, true);
        }
        // Halves that sum to 1 beside an empty diagonal may as well be probabilities, which claim less.
        let sure = features.empty_diagonal && features.complete && !features.large && {
            entries.iter().any(|entry| entry.fract() == 0.5) && sum_to(1.0, arms, &entries)
        };
        if features.large || features.no_diagonal && features.halves && !sure {
            let wins = WinTable::new(arms, entries)?;
            return Ok(MatrixInFile { matrix: wins.shares()?, names: None, wins: Some(wins), percent: false });
        }
        entries.iter_mut().step_by(arms + 1).filter(|entry| entry.is_nan()).for_each(|entry| *entry = 0.5);
        if let Some(at) = entries.iter().position(|entry| entry.is_nan()) {
            return Err(MatrixError::Missing { row: at / arms, column: at % arms });
        }
        probabilities(entries, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Arm;

    const NAN: f64 = f64::NAN;

    fn read(text: &str) -> Result<MatrixInFile, String> {
        PreferenceMatrix::read(text.as_bytes()).map_err(|error| error.to_string())
    }

    /// As numbers in a `.npy` file.
    fn as_npy(arms: usize, entries: &[f64]) -> Vec<u8> {
        let cells = entries.iter().flat_map(|entry| entry.to_le_bytes());
        ranktypes::npy::header("<f8", [arms, arms]).into_iter().chain(cells).collect()
    }

    #[test]
    fn win_counts_as_notebooks_and_tournaments_write_them() {
        let whole = [0.5, 0.6, 0.7, 0.4, 0.5, 0.8, 1.0 - 0.7, 1.0 - 0.8, 0.5];
        for text in [
            ",a,b,c\na,0,6,7\nb,4,0,8\nc,3,2,0\n",
            ",a,b,c\na,nan,6,7\nb,4,NaN,8\nc,3,2,NA\n",
            ",a,b,c\na,,6,7\nb,4,,8\nc,3,2,\n",
            ",a,b,c\r\na,,6,7\r\nb,4,,8\r\nc,3,2,\r\n",
            "a,b,c\n,6,7\n4,,8\n3,2,\n",
            ",6,7\n4,,8\n3,2,\n",
            "\ta\tb\tc\na\t-\t6\t7\nb\t4\t-\t8\nc\t3\t2\t-\n",
            "- 6 7\n4 - 8\n3 2 -\n",
            ";a;b;c\na;;6;7\nb;4;;8\nc;3;2;\n",
            "3\nnan 6.0 7\n4 0 8\n3 2 0\n",
        ] {
            let found = read(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
            let close = found.matrix.entries().iter().zip(whole).all(|(one, other)| (one - other).abs() < 1e-15);
            assert!(close, "{text:?}: {:?}", found.matrix);
            let wins = found.wins.expect(text);
            assert_eq!((wins.counts().comparisons, wins.counts().unplayed), (30.0, 0), "{text:?}");
        }
        let cells = [NAN, 6.0, 7.0, 4.0, NAN, 8.0, 3.0, 2.0, NAN];
        let found = PreferenceMatrix::read(&as_npy(3, &cells)).unwrap();
        assert_eq!(found.wins.unwrap().counts().comparisons, 30.0);
    }

    #[test]
    fn half_points_and_pairs_that_never_met_are_counts() {
        for text in [
            ",a,b,c\na,0,3.5,2\nb,1.5,0,4\nc,3,1,0\n",
            "- 3½ 2\n1½ - 4\n3 1 -\n",
            ";a;b;c\na;0;3,5;2\nb;1,5;0;4\nc;3;1;0\n",
        ] {
            let found = read(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
            assert_eq!(found.matrix.get(Arm(0), Arm(1)), 0.7, "{text:?}");
            assert_eq!(found.wins.unwrap().counts().comparisons, 15.0, "{text:?}");
        }
        let found = read(",a,b,c\na,nan,nan,2\nb,,nan,4\nc,3,1,nan\n").unwrap();
        let wins = found.wins.unwrap();
        assert_eq!((found.matrix.get(Arm(0), Arm(1)), wins.counts().unplayed), (0.5, 1));
        assert_eq!(
            [(0, 1), (1, 0), (0, 2), (1, 1)].map(|(i, j)| wins.never_met(Arm(i), Arm(j))),
            [true, true, false, false]
        );
        let two = wins.subset(&[Arm(2), Arm(0)]);
        assert_eq!((two.counts().pairs, two.counts().comparisons, two.never_met(Arm(0), Arm(1))), (1, 5.0, false));
        assert_eq!(wins.subset(&[Arm(1), Arm(0)]).counts().unplayed, 1);
    }

    #[test]
    fn probabilities_and_percentages() {
        let plain = PreferenceMatrix::parse("0.5 0.6 0.7\n0.4 0.5 0.8\n0.3 0.2 0.5").unwrap();
        for (text, percent) in [
            (",a,b,c\na,nan,0.6,0.7\nb,0.4,nan,0.8\nc,0.3,0.2,nan\n", false),
            (",a,b,c\na,,0.6,0.7\nb,0.4,,0.8\nc,0.3,0.2,\n", false),
            (";a;b;c\na;0,5;0,6;0,7\nb;0,4;0,5;0,8\nc;0,3;0,2;0,5\n", false),
            ("0,5;0,6;0,7\n0,4;0,5;0,8\n0,3;0,2;0,5\n", false),
            ("\ta\tb\tc\na\t0,5\t0,6\t0,7\nb\t0,4\t0,5\t0,8\nc\t0,3\t0,2\t0,5\n", false),
            ("0,5\t0,6\t0,7\n0,4\t0,5\t0,8\n0,3\t0,2\t0,5\n", false),
            // Small numbers as pandas writes them.
            ("0,5;6,0e-01;0,7\n0,4;0,5;8,00e-1\n3E-1;0,2;5,0e-1\n", false),
            (";a;b;c\na;0,5;0,6;7,0e-01\nb;0,4;0,5;0,8\nc;0,3;2,0E-01;0,5\n", false),
            (",a,b,c\na,50%,60%,70%\nb,40%,50%,80%\nc,30%,20%,50%\n", false),
            (",a,b,c\na,50,60,70\nb,40,50,80\nc,30,20,50\n", true),
            (",a,b,c\na,50.0,60,70\nb,40,,80\nc,30,20,\n", true),
        ] {
            let found = read(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
            let close =
                found.matrix.entries().iter().zip(plain.entries()).all(|(one, other)| (one - other).abs() < 1e-12);
            assert!(close, "{text:?}: {:?}", found.matrix);
            assert_eq!((found.wins, found.percent), (None, percent), "{text:?}");
        }
        let fine = read("0,33.3\n66.7,0\n").unwrap();
        assert!((fine.matrix.get(Arm(0), Arm(1)) - 0.333).abs() < 1e-12);
        assert_eq!((fine.percent, fine.wins), (true, None));
        // A hundred comparisons of each pair look the same as percentages without a diagonal; they are counts.
        assert_eq!(read("0 60\n40 0").unwrap().wins.unwrap().counts().most, 100.0);
        // An empty diagonal beside halves that sum to 1: no comparison is claimed.
        assert_eq!(read(", 0.5\n0.5, \n").unwrap().wins, None);
    }

    #[test]
    fn what_is_refused_is_refused_for_its_reason() {
        for (text, expected) in [
            (",a,b,c\na,0,6,7\nb,4,24,8\nc,3,2,0\n", "row 1, column 1: an arm cannot win 24 times against itself"),
            (",a,b\na,10,6\nb,4,10\n", "row 0, column 0: an arm cannot win 10 times against itself"),
            ("0 3\n1.5 0", "row 0, column 1: 3 and 1.5 wins are not a whole number of comparisons"),
            ("0 3.7\n1.2 0", "row 0, column 1: expected a count of wins, whole or with a half for a tie, found 3.7"),
            ("0 3\n-1 0", "row 1, column 0: expected a count of wins"),
            ("0 inf\n1 0", "row 0, column 1: expected a count of wins"),
            ("nan 6 nan\n4 nan 8\n3 2 nan", "row 0, column 2: found nothing, but its mirror image is 3"),
            ("nan 6 7\n4 nan 8\n3 nan nan", "row 2, column 1: found nothing, but its mirror image is 8"),
            (
                ",a,b,c\na,0.5,nan,0.7\nb,nan,0.5,0.8\nc,0.3,0.2,0.5\n",
                "row 0, column 1: expected a probability, found nothing",
            ),
            ("nan 0.6\nnan nan", "row 1, column 0: expected a probability, found nothing"),
            ("0 0.6\n0.4 0", "row 0, column 0: expected 0.5 on the diagonal, found 0"),
            ("50 60\n41 50", "row 0, column 0: an arm cannot win 50 times against itself"),
            ("0 0\n0 0", "no arm was ever compared with another"),
            ("nan nan\nnan nan", "no arm was ever compared with another"),
            (";a;b\na;0;1,234\nb;5;0\n", "expected a number, found `1,234`"),
            (",a,b\na,0,\"1,500\"\nb,2,0\n", "expected a number, found `1,500`"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(expected), "{text:?}: {error}");
            assert!(!error.contains('\n'), "{error}");
        }
    }
}
