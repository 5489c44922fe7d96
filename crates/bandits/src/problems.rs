//! Small problems of the literature, as preference matrices.

use crate::{MatrixError, PreferenceMatrix};

/// Arms in a row, each 0.05 better than the next: p(i, j) = 1/2 + 0.05 (j - i), at most 1.
///
/// With 8 arms the "arithmetic" problem of J. Komiyama, J. Honda, H. Kashima, H. Nakagawa,
/// "Regret Lower Bound and Optimal Algorithm in Dueling Bandit Problem", COLT 2015,
/// <https://proceedings.mlr.press/v40/Komiyama15.html>.
///
/// # Errors
/// When there are no arms.
pub fn arithmetic(arms: usize) -> Result<PreferenceMatrix, MatrixError> {
    PreferenceMatrix::from_upper(arms, |i, j| (0.5 + 0.05 * f64::from(j.0 - i.0)).min(1.0))
}

/// Four arms: arm 0 beats each of the others with probability 0.6, and these beat each other in a
/// circle with 0.9; the "cyclic" problem of Komiyama et al. (see [`arithmetic`]).
///
/// # Errors
/// None; the type is that of its siblings.
pub fn cyclic() -> Result<PreferenceMatrix, MatrixError> {
    PreferenceMatrix::from_upper(4, |i, j| match (i.0, j.0) {
        (0, _) => 0.6,
        (1, 3) => 0.1,
        _ => 0.9,
    })
}

/// Bradley, Terry and Luce's model: p(i, j) = s(i) / (s(i) + s(j)) for strengths s > 0.
///
/// R. A. Bradley, M. E. Terry, "Rank Analysis of Incomplete Block Designs: I. The Method of Paired
/// Comparisons", Biometrika 39, 1952, <https://doi.org/10.2307/2334029>.
///
/// # Errors
/// When there are no arms, or a strength is not positive.
pub fn btl(strengths: &[f64]) -> Result<PreferenceMatrix, MatrixError> {
    PreferenceMatrix::from_upper(strengths.len(), |i, j| {
        let (a, b) = (strengths[i.index()], strengths[j.index()]);
        if a > 0.0 && b > 0.0 {
            a / (a + b)
        } else {
            f64::NAN
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Arm;

    #[test]
    fn entries_are_those_of_the_papers() {
        let matrix = arithmetic(8).expect("eight arms");
        assert!((matrix.get(Arm(7), Arm(0)) - 0.15).abs() < 1e-12);
        assert_eq!(
            arithmetic(20).expect("twenty arms").get(Arm(0), Arm(19)),
            1.0
        );
        let matrix = cyclic().expect("four arms");
        assert_eq!(matrix.row(Arm(1)), [0.4, 0.5, 0.9, 0.1]);
        assert_eq!(matrix.get(Arm(2), Arm(3)), 0.9);
        let matrix = btl(&[3.0, 1.0]).expect("two arms");
        assert_eq!(matrix.get(Arm(0), Arm(1)), 0.75);
        assert!(btl(&[1.0, 0.0]).is_err());
        assert_eq!(arithmetic(0), Err(MatrixError::Empty));
    }
}
