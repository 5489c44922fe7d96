//! A run in pieces is the run in one piece, for every registered algorithm.

mod common;

use bandits::registry::{PolicyVisitor, Spec, entries};
use bandits::{Arm, Choice, Generators, MatrixArena, Observer, Policy, Run, problems};
use common::Diary;
use rand::Rng as _;

const HORIZON: u64 = 20_000;

/// Who played at each step, and in how many choices.
#[derive(Default)]
struct Watch {
    diary: Diary,
    choices: usize,
}

impl Observer for Watch {
    fn played(&mut self, from: u64, to: u64, choice: Choice<'_>, gaps: &[f64]) {
        self.diary.played(from, to, choice, gaps);
        self.choices += 1;
    }
}

/// All that a run leaves behind: who played, in how many choices, who is best, and what each
/// generator draws next.
type Left = (Vec<Vec<Arm>>, usize, Option<Arm>, [u64; 3]);

/// Plays so many pieces of equal length.
struct InPieces<'a> {
    arena: &'a MatrixArena,
    pieces: u64,
}

impl PolicyVisitor for InPieces<'_> {
    type Output = Left;

    fn visit<P: Policy + Send>(self, mut policy: P) -> Left {
        let mut generators = Generators::from_seed(1);
        let mut arena = self.arena.clone();
        let mut watch = Watch::default();
        let mut run = Run::new();
        for piece in 1..=self.pieces {
            let last = HORIZON / self.pieces * piece;
            assert_eq!(run.until(last, &mut policy, &mut arena, &mut generators, &mut watch), last);
            // What has been played is not played again.
            assert_eq!(run.until(last - 1, &mut policy, &mut arena, &mut generators, &mut watch), last);
            assert_eq!(run.played(), last);
        }
        let best = policy.best(&mut generators.policy);
        let Generators { mut policy, mut arena, mut coins } = generators;
        (watch.diary.0, watch.choices, best, [policy.next_u64(), arena.next_u64(), coins.next_u64()])
    }
}

#[test]
fn a_run_resumed_is_the_run_itself() {
    let arena = MatrixArena::new(problems::arithmetic(5).expect("five arms")).expect("arm 0");
    let mut cut = Vec::new();
    for entry in entries() {
        let spec: Spec = entry.name.parse().expect(entry.name);
        let run = |pieces| spec.visit(5, HORIZON, InPieces { arena: &arena, pieces }).expect("arms");
        let (diary, choices, best, next) = run(1);
        assert_eq!(diary.len() as u64, HORIZON);
        let (same_diary, more_choices, same_best, same_next) = run(10);
        let first = (0..diary.len()).find(|&step| diary[step] != same_diary[step]);
        assert_eq!(first, None, "{}: the first step that differs, from 0", entry.name);
        assert_eq!((best, next), (same_best, same_next), "{}", entry.name);
        if more_choices > choices {
            cut.push(entry.name);
        }
    }
    // Some stretches alone were cut in two, of lengths that were drawn (RCS, D-TS) and that were not.
    for name in ["rcs", "dts", "rucb", "winner-stays-strong"] {
        assert!(cut.contains(&name), "{name} was not cut: {cut:?}");
    }
}
