//! Problems of the literature, as preference matrices and as utilities, and [by name](Problem). Arenas are made of
//! them in `arena`.

mod named;
pub mod utilities;

pub use named::{Problem, ProblemArena, ProblemError, TABLE_1, names};

use rand::SeedableRng as _;

use crate::random::uniform;
use crate::winners::condorcet_winner;
use crate::{Generator, MatrixError, PreferenceMatrix};

/// Ordered arms, each 0.05 better than the next: p(i, j) = 1/2 + 0.05 (j - i), at most 1.
///
/// With 8 arms the "arithmetic" problem of J. Komiyama, J. Honda, H. Kashima, H. Nakagawa,
/// "Regret Lower Bound and Optimal Algorithm in Dueling Bandit Problem", COLT 2015,
/// <https://proceedings.mlr.press/v40/Komiyama15.html>.
///
/// # Errors
/// If there are no arms.
pub fn arithmetic(arms: usize) -> Result<PreferenceMatrix, MatrixError> {
    arithmetic_with(arms, 0.05)
}

/// The same with a positive step of your choice.
///
/// # Errors
/// If there are no arms, or (of two arms at least) the step is not positive.
pub fn arithmetic_with(arms: usize, step: f64) -> Result<PreferenceMatrix, MatrixError> {
    PreferenceMatrix::from_upper(arms, |i, j| {
        // Not a number: a step that is not positive must not pass for one.
        if step > 0.0 { (0.5 + step * f64::from(j.0 - i.0)).min(1.0) } else { f64::NAN }
    })
}

/// Four arms: arm 0 beats each of the others with probability 0.6, and these beat each other in a
/// cycle with 0.9; the "cyclic" problem of Komiyama et al. (see [`arithmetic`]).
///
/// # Errors
/// None; the type is that of the other problems.
pub fn cyclic() -> Result<PreferenceMatrix, MatrixError> {
    circle_and_leader(4, 0.6, 0.9)
}

/// Arm 0 beats each of the others with probability `lead`. They form a cycle: each beats the
/// half of the cycle that follows it with probability `circle`, and is beaten by the half before
/// it; opposite arms of an even cycle are at 1/2.
///
/// # Errors
/// If there are no arms, or one of the two is not a probability.
pub fn circle_and_leader(arms: usize, lead: f64, circle: f64) -> Result<PreferenceMatrix, MatrixError> {
    PreferenceMatrix::from_upper(arms, |i, j| {
        // How far the second arm is ahead of the first around the cycle, doubled.
        let ahead = 2 * (j.0 - i.0) as usize;
        match ahead.cmp(&(arms - 1)) {
            _ if i.0 == 0 => lead,
            std::cmp::Ordering::Less => circle,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Greater => 1.0 - circle,
        }
    })
}

/// Arm 0 beats each of the others with probability `lead`; arm 1 beats all behind it with probability `strong`, and these are
/// even. On average arm 1 wins far more than the Condorcet winner, which no order explains if `lead` is near 1/2. A problem of
/// this project.
///
/// # Errors
/// If there are no arms, or one of the two is not a probability.
pub fn upset(arms: usize, lead: f64, strong: f64) -> Result<PreferenceMatrix, MatrixError> {
    PreferenceMatrix::from_upper(arms, |i, _| match i.0 {
        0 => lead,
        1 => strong,
        _ => 0.5,
    })
}

/// Each pair has a better arm by the toss of a coin, by a margin p - 1/2 drawn evenly between the two `margins`: preferences
/// without any order. With `winner`, arm 0 is the better of all its pairs; without, tournaments are drawn until one has no
/// Condorcet winner. A problem of this project.
///
/// # Errors
/// If there are no arms, or fewer than 3 and no winner, or a margin is not in [0, 1/2].
pub fn tournament(arms: usize, winner: bool, margins: [f64; 2], seed: u64) -> Result<PreferenceMatrix, MatrixError> {
    if !winner && (1..3).contains(&arms) {
        return Err(MatrixError::AlwaysAWinner { arms });
    }
    let mut generator = Generator::seed_from_u64(seed);
    let [least, most] = margins;
    loop {
        let matrix = PreferenceMatrix::from_upper(arms, |i, _| {
            let margin = least + (most - least) * uniform(&mut generator);
            let is_better = uniform(&mut generator) < 0.5 || (winner && i.0 == 0);
            0.5 + if is_better { margin } else { -margin }
        })?;
        if winner || condorcet_winner(&matrix).is_none() {
            return Ok(matrix);
        }
    }
}

/// Bradley, Terry and Luce's model: p(i, j) = s(i) / (s(i) + s(j)) for strengths s > 0.
///
/// R. A. Bradley, M. E. Terry, "Rank Analysis of Incomplete Block Designs: I. The Method of Paired
/// Comparisons", Biometrika 39, 1952, <https://doi.org/10.2307/2334029>.
///
/// # Errors
/// If there are no arms, or a strength is not positive.
pub fn btl(strengths: &[f64]) -> Result<PreferenceMatrix, MatrixError> {
    PreferenceMatrix::from_upper(strengths.len(), |i, j| {
        let (a, b) = (strengths[i.index()], strengths[j.index()]);
        if a > 0.0 && b > 0.0 { a / (a + b) } else { f64::NAN }
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
        assert_eq!(arithmetic(20).expect("twenty arms").get(Arm(0), Arm(19)), 1.0);
        let matrix = cyclic().expect("four arms");
        assert_eq!(matrix.row(Arm(1))[..3], [0.4, 0.5, 0.9]);
        assert!((matrix.get(Arm(1), Arm(3)) - 0.1).abs() < 1e-12);
        assert_eq!(matrix.get(Arm(2), Arm(3)), 0.9);
        let even = circle_and_leader(5, 0.7, 0.8).expect("five arms");
        assert_eq!(even.get(Arm(1), Arm(3)), 0.5);
        assert_eq!(even.get(Arm(0), Arm(4)), 0.7);
        assert!((even.get(Arm(1), Arm(4)) - 0.2).abs() < 1e-12);
        let matrix = btl(&[3.0, 1.0]).expect("two arms");
        assert_eq!(matrix.get(Arm(0), Arm(1)), 0.75);
        assert!(btl(&[1.0, 0.0]).is_err());
        let matrix = upset(4, 0.52, 0.95).expect("four arms");
        assert_eq!(matrix.row(Arm(1)), [0.48, 0.5, 0.95, 0.95]);
        assert_eq!(matrix.get(Arm(3), Arm(2)), 0.5);
        assert_eq!(arithmetic(0), Err(MatrixError::Empty));
    }

    #[test]
    fn tournaments_have_margins_and_a_winner_or_none() {
        for seed in 0..50 {
            for winner in [true, false] {
                let matrix = tournament(7, winner, [0.02, 0.3], seed).expect("seven arms");
                assert_eq!(condorcet_winner(&matrix), winner.then_some(Arm(0)));
                for (i, j) in (0..7).flat_map(|i| (0..i).map(move |j| (Arm(i), Arm(j)))) {
                    let margin = (matrix.get(i, j) - 0.5).abs();
                    assert!((0.02..=0.3).contains(&margin), "{margin}");
                    assert!((matrix.get(i, j) + matrix.get(j, i) - 1.0).abs() < 1e-12);
                }
                assert_eq!(tournament(7, winner, [0.02, 0.3], seed).expect("the same").entries(), matrix.entries());
            }
        }
        for arms in [1, 2] {
            assert_eq!(tournament(arms, false, [0.1, 0.2], 1), Err(MatrixError::AlwaysAWinner { arms }));
        }
        assert_eq!(tournament(0, false, [0.1, 0.2], 1), Err(MatrixError::Empty));
        assert!(tournament(3, true, [0.1, f64::NAN], 1).is_err());
    }
}
