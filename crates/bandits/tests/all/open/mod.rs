//! Open policies: with every answer in time they are the policies themselves; with late ones nothing is miscounted.

mod allocation;
mod drive;
mod late;
mod observed;
mod restart;

use bandits::open::{AnswerTiming, play_open};
use bandits::registry::{PolicyVisitor, Spec};
use bandits::{Arm, Generators, MatrixArena, Policy, PreferenceMatrix, play, problems};

use crate::common::{Diary, algorithms, ladder};

/// The choices of a run, the recommendation after it, and the draws that follow of the three generators.
type Run = (Vec<Vec<Arm>>, Option<Arm>, Option<u64>);

struct Closed<'a> {
    matrix: &'a PreferenceMatrix,
    horizon: u64,
    seed: u64,
}

fn arena(matrix: &PreferenceMatrix) -> MatrixArena {
    MatrixArena::with_reference(matrix.clone(), bandits::RegretReference::Copeland).expect("always there")
}

impl PolicyVisitor for Closed<'_> {
    type Output = Run;

    fn visit<P: Policy + Send>(self, mut policy: P) -> Run {
        let mut generators = Generators::from_seed(self.seed);
        let mut diary = Diary::default();
        play(&mut policy, &mut arena(self.matrix), self.horizon, &mut generators, &mut diary);
        let mut reporting = generators.policy.clone();
        reporting.long_jump();
        let next = rand::Rng::next_u64(&mut generators.arena);
        (diary.0, policy.recommend(&mut reporting), Some(next))
    }
}

fn open_run(spec: &Spec, matrix: &PreferenceMatrix, horizon: u64, seed: u64, timing: &AnswerTiming) -> Run {
    let mut generators = Generators::from_seed(seed);
    let mut policy = spec.open(matrix.arms(), Some(horizon), &generators).expect("arms");
    let mut delays = generators.coins.clone();
    delays.jump();
    let mut diary = Diary::default();
    let outcomes = &mut generators.arena;
    let shown = play_open(&mut policy, &mut arena(matrix), horizon, outcomes, &mut delays, timing, &mut diary);
    assert_eq!(shown, horizon);
    let tally = policy.tally();
    assert_eq!((tally.asked, tally.tickets), (horizon, tally.told + tally.forgotten + tally.open), "{spec}");
    (diary.0, policy.recommend(), Some(rand::Rng::next_u64(outcomes)))
}

/// Every algorithm and variant of the registry, or those of [`algorithms`].
pub(crate) fn all() -> Vec<Spec> {
    let names = algorithms()
        .into_iter()
        .flat_map(|entry| std::iter::once(entry.name.to_owned()).chain(entry.variant_names().collect::<Vec<_>>()));
    names.map(|name| name.parse().expect("a registered name")).collect()
}

#[test]
fn answers_in_time_make_the_same_run() {
    for spec in all() {
        let many =
            [(problems::arithmetic(8).expect("eight"), 3_000), (ladder(70), 4_000), (crate::common::cycle(), 2_000)];
        for (matrix, horizon) in &many {
            for seed in [1, 2] {
                let closed = Closed { matrix, horizon: *horizon, seed };
                let closed = spec.visit(matrix.arms(), Some(*horizon), closed).expect("arms");
                let open = open_run(&spec, matrix, *horizon, seed, &AnswerTiming::default());
                let differs = closed.0.iter().zip(&open.0).position(|(one, other)| one != other);
                assert_eq!(differs, None, "{spec} among {} arms", matrix.arms());
                assert_eq!(closed, open, "{spec} among {} arms", matrix.arms());
            }
        }
    }
}
