//! For the tests of this folder: runs in arenas with preferences that jump.

use crate::registry::{PolicyVisitor, Spec};
use crate::{Arm, Generators, MatrixArena, Policy, PreferenceMatrix, Recorder, play, problems};

/// Regret at these steps, and the arm recommended in the end.
struct Run<'a>(&'a MatrixArena, &'a [u64], u64);

impl PolicyVisitor for Run<'_> {
    type Output = (Vec<f64>, Option<Arm>);

    fn visit<P: Policy + Send>(self, mut policy: P) -> Self::Output {
        let Self(arena, checkpoints, seed) = self;
        let mut generators = Generators::from_seed(seed);
        let mut recorder = Recorder::new(checkpoints.to_vec());
        let last = *checkpoints.last().expect("a step");
        play(&mut policy, &mut arena.clone(), last, &mut generators, &mut recorder);
        let best = policy.recommend(&mut generators.policy);
        (recorder.curve().iter().map(|regret| regret.average).collect(), best)
    }
}

/// For each of the seeds 0.., regret at these steps, and the arm recommended in the end.
pub(super) fn runs(name: &str, arena: &MatrixArena, checkpoints: &[u64], seeds: u64) -> Vec<(Vec<f64>, Option<Arm>)> {
    let spec: Spec = name.parse().expect(name);
    let (arms, last) = (arena.matrix().arms(), *checkpoints.last().expect("a step"));
    (0..seeds).map(|seed| spec.visit(arms, Some(last), Run(arena, checkpoints, seed)).expect("arms")).collect()
}

/// Mean and variance of the mean.
pub(super) fn mean(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let variance = values.map(|value| (value - mean) * (value - mean)).sum::<f64>() / (count - 1.0);
    (mean, variance / count)
}

/// Eight arms, each .05 better than the next.
pub(super) fn eight() -> MatrixArena {
    MatrixArena::new(problems::arithmetic(8).expect("eight arms")).expect("a winner")
}

/// As [`eight`]; after this step their order is reversed.
pub(super) fn eight_until(step: u64) -> MatrixArena {
    let reversed = |matrix: &PreferenceMatrix| {
        let arms: Vec<Arm> = matrix.all_arms().rev().collect();
        MatrixArena::new(matrix.subset(&arms).expect("all arms")).expect("a winner")
    };
    let before = eight();
    let after = reversed(before.matrix());
    before.then(step + 1, after)
}
