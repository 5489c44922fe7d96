//! Algorithms that suppose utilities find the best arm where there are some, and multi-dueling
//! bandits and RMED1 differ on such problems as they do elsewhere.

use crate::convergence::Convergence;
use bandits::problems::{Problem, ProblemArena};
use bandits::registry::{PolicyVisitor, Spec};
use bandits::{Arena, Arm, Generators, Policy, Recorder, ShuffledArena, UtilityArena, one_two_five, play};

/// Plays in a fresh arena with renumbered arms.
struct Run<'a> {
    arena: &'a UtilityArena,
    horizon: u64,
    seed: u64,
}

impl PolicyVisitor for Run<'_> {
    /// The regret, and the arm reported.
    type Output = (Recorder, Option<Arm>);

    fn visit<P: Policy + Send>(self, mut policy: P) -> Self::Output {
        let mut generators = Generators::from_seed(self.seed);
        let mut names = generators.policy.clone();
        names.long_jump();
        let mut arena = ShuffledArena::new(self.arena.clone(), &mut names);
        let mut recorder = Recorder::new(one_two_five(self.horizon));
        play(&mut policy, &mut arena, self.horizon, &mut generators, &mut recorder);
        let best = policy.recommend(&mut generators.policy);
        (recorder, best.map(|arm| arena.original(arm)))
    }
}

fn arena(problem: &str) -> UtilityArena {
    match problem.parse::<Problem>().expect(problem).setting() {
        Ok(ProblemArena::Utilities(arena)) => arena,
        other => panic!("{problem}: {other:?}"),
    }
}

#[test]
fn the_best_utility_is_found() {
    let arena = UtilityArena::new(vec![0.0, 1.5, 0.2, -0.5, 0.4, 0.3]).expect("six arms");
    let uniform = arena.gaps().iter().sum::<f64>() / 6.0;
    // Baselines learn nothing.
    for entry in crate::common::algorithms().into_iter().filter(|entry| entry.paper.is_some()) {
        let expected = Convergence::of(entry.name);
        let horizon = 20_000 * expected.patience;
        let spec: Spec = entry.name.parse().expect(entry.name);
        for seed in 0..3 {
            let run = Run { arena: &arena, horizon, seed };
            let (recorder, best) = spec.visit(6, Some(horizon), run).expect("six arms");
            assert_eq!(best, Some(Arm(1)), "{} {seed}", entry.name);
            if expected.horizon.is_some() {
                // This horizon lies within a round.
                continue;
            }
            let cost = recorder.total();
            let cost = if expected.weak_regret { cost.weak } else { cost.average };
            assert!(cost < uniform * horizon as f64 / 2.0, "{} {seed}: {cost}", entry.name);
        }
    }
}

/// Cumulative regret at 10^3, 10^4 and 10^5, mean of two runs.
fn curve(algorithm: &str, problem: &str) -> [f64; 3] {
    let arena = arena(problem);
    let spec: Spec = algorithm.parse().expect(algorithm);
    let mut sums = [0.0; 3];
    for seed in 0..2 {
        let run = Run { arena: &arena, horizon: 100_000, seed };
        let (recorder, _) = spec.visit(arena.arms(), Some(100_000), run).expect("arms");
        for (sum, at) in sums.iter_mut().zip([1_000, 10_000, 100_000]) {
            let place = recorder.checkpoints().iter().position(|&step| step == at);
            *sum += recorder.curve()[place.expect("a checkpoint")].average / 2.0;
        }
    }
    sums
}

#[test]
fn mdb_and_rmed1_are_of_the_order_that_an_independent_trial_found() {
    // Two runs each of a plain simulation in another language.
    let trials = [
        ("1good5poor", "mdb", [30.0, 38.0, 43.0]),
        ("1good5poor", "rmed1", [59.0, 86.0, 100.0]),
        ("1good50poor", "mdb", [35.0, 48.0, 52.0]),
        ("1good50poor", "rmed1", [160.0, 1081.0, 1636.0]),
        ("11good40poor", "mdb", [56.0, 322.0, 385.0]),
        ("11good40poor", "rmed1", [126.0, 987.0, 3124.0]),
        ("arith51", "mdb", [70.0, 352.0, 432.0]),
        ("arith51", "rmed1", [85.0, 796.0, 3961.0]),
    ];
    for (problem, algorithm, trial) in trials {
        let ours = curve(algorithm, problem);
        for (ours, trial) in ours.into_iter().zip(trial) {
            assert!(
                ours < 2.0 * trial && trial < 2.0 * ours,
                "{algorithm} on {problem}: {ours}, and {trial} in the trial"
            );
        }
    }
}
