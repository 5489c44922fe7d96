//! One table of problems that every registered algorithm runs through. For a single one:
//!
//! ```sh
//! ALGORITHM=rucb cargo test -p bandits --test all problems
//! ```
//!
//! The row of an algorithm in `convergence.rs` says which arm it should find, and after how many steps; messages name the field
//! that allows a deviation.

use crate::common::{Run, algorithms};
use crate::convergence::Convergence;
use bandits::registry::{PolicyVisitor, Spec};
use bandits::{
    Arm, DuelPolicy, Generator, Generators, MatrixArena, Policy, PreferenceMatrix, RegretReference, play, problems,
};

/// Problems with a Condorcet winner, and how long an algorithm may take to find it.
fn with_winner() -> Vec<(&'static str, PreferenceMatrix, Arm, u64)> {
    vec![
        ("arithmetic", problems::arithmetic(8).expect("eight arms"), Arm(0), 100_000),
        ("small gaps", crate::common::small_gaps(), Arm(0), 300_000),
        ("cyclic", problems::cyclic().expect("four arms"), Arm(0), 100_000),
        ("borda is not condorcet", crate::common::borda_is_not_condorcet(), Arm(2), 100_000),
        ("two arms", crate::common::two_arms(), Arm(1), 10_000),
        ("certain", crate::common::certain(9), Arm(0), 10_000),
    ]
}

/// Whether every preference differs from 1/2 by `least` at least (equal arms aside).
fn resolvable(matrix: &PreferenceMatrix, least: f64) -> bool {
    let margins = matrix.entries().iter().map(|p| (p - 0.5).abs());
    margins.filter(|&margin| margin > 0.0).all(|margin| margin >= least)
}

/// The fields by which an algorithm may declare a justified failure.
fn remedies(now: Convergence) -> String {
    let Convergence { patience, least_margin, late_share, .. } = now;
    format!(
        "If that is what the algorithm should do, say so in its row of tests/all/convergence.rs: `patience` (now {patience}) if it takes longer, \
         e.g. because it explores first; `least_margin` (now {least_margin}) if it cannot resolve small margins; \
         `late_share` (now {late_share}) or `weak_regret` if it goes on exploring; `condorcet: false` if it looks for another \
         arm than the Condorcet winner"
    )
}

#[test]
fn each_algorithm_finds_the_winner_and_settles_on_it() {
    find_winners(&with_winner());
}

/// Six retrieval functions of arXiv.org.
#[test]
#[ignore = "needs ../shared/data"]
fn each_algorithm_finds_the_winner_of_arxiv() {
    let bytes = crate::common::data("prefmat-small/jkomiyama_pref_arxiv.txt");
    let matrix = PreferenceMatrix::from_bytes(&bytes).expect("a matrix");
    find_winners(&[("arxiv", matrix, Arm(0), 300_000)]);
}

fn find_winners(problems: &[(&str, PreferenceMatrix, Arm, u64)]) {
    for entry in algorithms() {
        let expected = Convergence::of(entry.name);
        if !expected.condorcet {
            continue;
        }
        let spec: Spec = entry.name.parse().expect(entry.name);
        for &(problem, ref matrix, winner, horizon) in problems {
            if !resolvable(matrix, expected.least_margin) {
                continue;
            }
            let horizon = expected.horizon.unwrap_or(horizon * expected.patience);
            let arena = MatrixArena::new(matrix.clone()).expect(problem);
            for seed in 0..3 {
                let run = Run { arena: &arena, horizon, seed };
                let (recorder, best) = spec.visit(arena.matrix().arms(), Some(horizon), run).expect("arms");
                assert_eq!(
                    best,
                    Some(winner),
                    "{} on `{problem}`, seed {seed}: not the winner after {horizon} steps. {}",
                    entry.name,
                    remedies(expected)
                );
                // In the second half it costs much less than uniform choice: it has learnt.
                let half = recorder.checkpoints().iter().position(|&t| t >= horizon / 2);
                let before = recorder.curve()[half.expect("a checkpoint")];
                let gaps = bandits::Arena::gaps(&arena);
                let uniform = gaps.iter().sum::<f64>() / gaps.len() as f64 * horizon as f64 / 2.0;
                let late = if expected.weak_regret {
                    recorder.total().weak - before.weak
                } else {
                    recorder.total().average - before.average
                };
                assert!(
                    late < uniform * expected.late_share,
                    "{} on `{problem}`, seed {seed}: steps {} to {horizon} cost {late:.0}, {:.2} times uniform choice, \
                     expected less than {}. {}",
                    entry.name,
                    horizon / 2,
                    late / uniform,
                    expected.late_share,
                    remedies(expected)
                );
            }
        }
    }
}

#[test]
fn degenerate_problems_end_without_a_panic() {
    for entry in algorithms() {
        let spec: Spec = entry.name.parse().expect(entry.name);
        let lone = MatrixArena::new(crate::common::all_even(1)).expect("one arm");
        let (recorder, best) = spec.visit(1, Some(1000), Run { arena: &lone, horizon: 1000, seed: 1 }).expect("an arm");
        assert_eq!((recorder.total().average, best), (0.0, Some(Arm(0))), "{}", entry.name);

        for arms in [2, 7, 130] {
            let even = MatrixArena::new(crate::common::all_even(arms)).expect("all win");
            let run = Run { arena: &even, horizon: 3000, seed: 2 };
            let (recorder, _) = spec.visit(arms, Some(3000), run).expect("arms");
            assert_eq!(recorder.total().average, 0.0, "{}", entry.name);
        }

        let circle = MatrixArena::with_reference(crate::common::cycle(), RegretReference::Copeland).expect("scores");
        spec.visit(5, Some(3000), Run { arena: &circle, horizon: 3000, seed: 3 }).expect("arms");

        // Before the first step nothing is known.
        let run = Run { arena: &circle, horizon: 0, seed: 4 };
        if !entry.needs_horizon {
            assert_eq!(spec.visit(5, None, run).expect("arms").1, None, "{}", entry.name);
        }
    }
}

/// The arms played, the recommendation after the run, and whether the policy has drawn any number by then.
struct Seeded<'a> {
    arena: &'a MatrixArena,
    seed: u64,
}

impl PolicyVisitor for Seeded<'_> {
    type Output = (Vec<Vec<Arm>>, Option<Arm>, bool);

    fn visit<P: Policy + Send>(self, mut policy: P) -> Self::Output {
        let mut generators = Generators::from_seed(self.seed);
        let mut diary = crate::common::Diary::default();
        play(&mut policy, &mut self.arena.clone(), 5_000, &mut generators, &mut diary);
        let drew = generators.policy != Generators::from_seed(self.seed).policy;
        (diary.0, policy.recommend(&mut generators.policy), drew)
    }
}

/// The same seed makes the same run. Another seed makes another one, unless the algorithm is deterministic: one that draws
/// nothing makes the same choices until outcomes decide.
fn follows_the_seed(spec: &Spec) {
    let arena = MatrixArena::new(crate::common::ladder(20)).expect("arm 0");
    let run = |seed| spec.visit(20, Some(5_000), Seeded { arena: &arena, seed }).expect("arms");
    let [one, same, other] = [run(1), run(1), run(2)];
    assert!(one == same, "{spec}: the same seed made another run");
    if one.2 {
        assert!(one.0 != other.0, "{spec}: it draws numbers, but another seed made the same run");
    }
}

#[test]
fn same_seed_same_run() {
    for entry in algorithms() {
        follows_the_seed(&entry.name.parse().expect(entry.name));
    }
}

/// Each arm in turn against the next. If `draws`, it draws a number and does not use it.
#[derive(Clone)]
struct RoundRobin {
    draws: bool,
}

impl DuelPolicy for RoundRobin {
    fn arm_count(&self) -> usize {
        20
    }

    fn pair(&mut self, step: u64, generator: &mut Generator) -> (Arm, Arm) {
        if self.draws {
            bandits::random::coin(generator);
        }
        (Arm((step % 20) as u32), Arm(((step + 1) % 20) as u32))
    }

    fn outcome(&mut self, _winner: Arm, _loser: Arm) {}

    fn best(&self, _generator: &mut Generator) -> Option<Arm> {
        None
    }
}

#[test]
fn a_deterministic_round_robin_is_accepted() {
    follows_the_seed(&Spec::own("round-robin", |_| RoundRobin { draws: false }));
}

#[test]
#[should_panic(expected = "it draws numbers, but another seed made the same run")]
fn one_that_ignores_what_it_draws_is_not() {
    follows_the_seed(&Spec::own("round-robin", |_| RoundRobin { draws: true }));
}

#[test]
fn a_longer_horizon_changes_nothing_of_the_steps_before() {
    let arena = MatrixArena::new(problems::arithmetic(8).expect("eight arms")).expect("arm 0");
    for entry in algorithms().into_iter().filter(|entry| !entry.needs_horizon) {
        let spec: Spec = entry.name.parse().expect(entry.name);
        let run = |horizon| {
            let run = Run { arena: &arena, horizon, seed: 5 };
            spec.visit(8, Some(horizon), run).expect("arms").0
        };
        let (short, long) = (run(7_777), run(50_000));
        for (i, step) in short.checkpoints().iter().enumerate().filter(|(_, s)| **s != 7_777) {
            assert_eq!(short.curve()[i], long.curve()[i], "{} at step {step}", entry.name);
        }
    }
}
