//! Made-up problems: each tempts some algorithm into a mistake. Seeds and numbers are published here and never change.

use anyhow::Result;
use bandits::{Arm, PreferenceMatrix, problems};

use super::{Family, Preferences, Problem};

/// The seed of everything that is drawn here.
const SEED: u64 = 20_261_129;

/// The names of all made-up problems.
#[cfg(test)]
pub(super) const NAMES: [&str; 14] = [
    "order-20",
    "order-40",
    "rival-20",
    "rival-40",
    "cycle-20",
    "cycle-40",
    "no-winner-21",
    "no-winner-41",
    "blocks-24",
    "blocks-48",
    "changing-20",
    "changing-40",
    "close-2",
    "close-3",
];

/// The made-up problem of this name, if there is one.
pub(super) fn problem(name: &str) -> Option<Result<Problem>> {
    let (family, made) = match name {
        // Bradley-Terry strengths at equal distances; one with ties as often as people's.
        "order-20" => (Family::Order, constant(Preferences::decided(problems::btl(&strengths(20, 0.2))))),
        "order-40" => (Family::Order, constant(with_ties(problems::btl(&strengths(40, 0.1)), 0.225))),
        "rival-20" => (Family::Rival, constant(Preferences::decided(problems::upset(20, 0.55, 0.9)))),
        "rival-40" => (Family::Rival, constant(Preferences::decided(problems::upset(40, 0.52, 0.95)))),
        "cycle-20" => (Family::Cycle, constant(Preferences::decided(cycle_on_top(20, 3, 0.6, 0.7)))),
        "cycle-40" => (Family::Cycle, constant(Preferences::decided(cycle_on_top(40, 5, 0.55, 0.6)))),
        "no-winner-21" => (Family::NoWinner, constant(Preferences::decided(lopsided(21, [0.05, 0.25])))),
        "no-winner-41" => (Family::NoWinner, constant(Preferences::decided(lopsided(41, [0.02, 0.2])))),
        "blocks-24" => (Family::Blocks, constant(Preferences::decided(blocks(24, 0.012, 0.15)))),
        "blocks-48" => (Family::Blocks, constant(Preferences::decided(blocks(48, 0.012, 0.1)))),
        "changing-20" => (Family::Changing, changing(problems::btl(&strengths(20, 0.2)))),
        "changing-40" => (Family::Changing, changing(problems::btl(&strengths(40, 0.1)))),
        // Luck makes a winner of the second arm, or of any.
        "close-2" => (Family::Close, constant(Preferences::decided(PreferenceMatrix::from_upper(2, |_, _| 0.505)))),
        "close-3" => (Family::Close, constant(Preferences::decided(cycle_on_top(3, 3, 0.502, 0.5)))),
        _ => return None,
    };
    Some(made.map(|phases| Problem::new(name, family, phases)))
}

fn constant(preferences: Result<Preferences>) -> Result<Vec<(f64, Preferences)>> {
    Ok(vec![(0.0, preferences?)])
}

/// Halfway, the order of all arms is reversed.
fn changing(matrix: Result<PreferenceMatrix, bandits::MatrixError>) -> Result<Vec<(f64, Preferences)>> {
    let matrix = matrix?;
    let reversed: Vec<Arm> = matrix.all_arms().rev().collect();
    let after = matrix.subset(&reversed);
    Ok(vec![(0.0, Preferences::decided(Ok(matrix))?), (0.5, Preferences::decided(after)?)])
}

/// The strength of each arm, `step` of a logarithm from one to the next.
fn strengths(arms: usize, step: f64) -> Vec<f64> {
    (0..arms).map(|arm| libm::exp(-step * arm as f64)).collect()
}

/// The same preferences, but every pair ties with probability `ties`.
fn with_ties(matrix: Result<PreferenceMatrix, bandits::MatrixError>, ties: f64) -> Result<Preferences> {
    let matrix = matrix?;
    Preferences::new(matrix.arms(), |i, j| {
        let p = matrix.get(Arm::at(i), Arm::at(j));
        (p * (1.0 - ties), (1.0 - p) * (1.0 - ties))
    })
}

/// The first `top` arms, an odd number, beat each other in a cycle with probability `circle` and all others with `lead`; these
/// are in an order with steps of 0.01, up to 0.95. The first wins against the rest with probability 0.02 more than the others of
/// the cycle, which makes it the Borda winner of `cycle-20`; that of `cycle-40` is the first of the order, which wins more on average
/// although all five beat it.
fn cycle_on_top(arms: usize, top: u32, circle: f64, lead: f64) -> Result<PreferenceMatrix, bandits::MatrixError> {
    PreferenceMatrix::from_upper(arms, |i, j| match (i.0 < top, j.0 < top) {
        (true, true) if 2 * (j.0 - i.0) < top => circle,
        (true, true) => 1.0 - circle,
        (true, false) if i.0 == 0 => lead + 0.02,
        (true, false) => lead,
        _ => (0.5 + 0.01 * f64::from(j.0 - i.0)).min(0.95),
    })
}

/// Every pair by the toss of a coin without a Condorcet winner; of the draws, the first in which one arm alone beats the most.
fn lopsided(arms: usize, margins: [f64; 2]) -> Result<PreferenceMatrix, bandits::MatrixError> {
    let mut seed = SEED;
    loop {
        let matrix = problems::tournament(arms, false, margins, seed)?;
        if bandits::winners::copeland_winners(&matrix).len() == 1 {
            return Ok(matrix);
        }
        seed += 1;
    }
}

/// Blocks of four arms. The better of two arms of a block wins by `within`, that of two blocks by `between` more for each
/// block between them, up to 0.9.
fn blocks(arms: usize, within: f64, between: f64) -> Result<PreferenceMatrix, bandits::MatrixError> {
    PreferenceMatrix::from_upper(arms, |i, j| match (j.0 / 4) - (i.0 / 4) {
        0 => 0.5 + within,
        blocks => (0.5 + between * f64::from(blocks)).min(0.9),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problems::BestNotion;

    fn best(name: &str, best: BestNotion) -> Option<Vec<usize>> {
        let problem = Problem::named(name).expect(name);
        let truth = problem.truth(best)?.clone();
        Some((0..problem.arms()).filter(|&arm| truth.is_best(arm)).collect())
    }

    #[test]
    fn families_are_what_they_are_called() {
        for name in NAMES {
            let problem = Problem::named(name).expect(name);
            assert!(name.ends_with(&format!("-{}", problem.arms())), "{name}");
            assert_eq!(problem.is_constant(), problem.family != Family::Changing);
            let condorcet = best(name, BestNotion::Condorcet);
            let copeland = best(name, BestNotion::Copeland).expect("always there");
            match problem.family {
                Family::Order | Family::Blocks => {
                    assert_eq!((condorcet.as_deref(), &copeland[..]), (Some(&[0][..]), &[0][..]), "{name}");
                    assert_eq!(best(name, BestNotion::Borda).as_deref(), Some(&[0][..]), "{name}");
                }
                Family::Rival => {
                    assert_eq!(condorcet.as_deref(), Some(&[0][..]), "{name}");
                    assert_eq!(best(name, BestNotion::Borda).as_deref(), Some(&[1][..]), "{name}");
                }
                Family::Cycle => {
                    assert_eq!(condorcet, None, "{name}");
                    assert_eq!(copeland.len(), if problem.arms() == 20 { 3 } else { 5 }, "{name}");
                    let borda = if problem.arms() == 20 { 0 } else { 5 };
                    assert_eq!(best(name, BestNotion::Borda), Some(vec![borda]), "{name}");
                }
                Family::NoWinner => assert_eq!((condorcet, copeland.len()), (None, 1), "{name}"),
                Family::Changing => {
                    let after = &problem.phases[1].truths[0];
                    assert!(after.is_best(problem.arms() - 1) && !after.is_best(0), "{name}");
                }
                Family::Close => assert_eq!(condorcet, (name == "close-2").then(|| vec![0]), "{name}"),
                Family::People => panic!("no votes make this problem"),
            }
        }
    }
}
