//! A run in pieces is the run in one piece, and runs in step are the runs by themselves, for every
//! registered algorithm.

use crate::common::{Diary, algorithms, all_are_tested};
use bandits::registry::{PolicyVisitor, Spec};
use bandits::{
    Arena, Arm, Choice, Generator, Generators, MatrixArena, Observer, PairWins, Policy, Preference, Run, RunState,
    play, play_in_step, problems,
};
use rand::Rng as _;

const HORIZON: u64 = 20_000;

/// The arms played at each step, and the number of choices.
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

/// The final state of a run: the arms played, the number of choices, the best arm, and the next
/// draw of each generator.
type Left = (Vec<Vec<Arm>>, usize, Option<Arm>, [u64; 3]);

/// Plays a number of pieces of equal length.
struct InPieces<'a> {
    arena: &'a MatrixArena,
    pieces: u64,
}

impl PolicyVisitor for InPieces<'_> {
    type Output = Left;

    fn visit<P: Policy + Clone + Send>(self, mut policy: P) -> Left {
        let mut generators = Generators::from_seed(1);
        let mut arena = self.arena.clone();
        let mut watch = Watch::default();
        let mut run = Run::new();
        for piece in 1..=self.pieces {
            let last = HORIZON / self.pieces * piece;
            assert_eq!(run.until(last, &mut policy, &mut arena, &mut generators, &mut watch), last);
            // No step is played again.
            assert_eq!(run.until(last - 1, &mut policy, &mut arena, &mut generators, &mut watch), last);
            assert_eq!(run.played(), last);
        }
        let best = policy.recommend(&mut generators.policy);
        let Generators { mut policy, mut arena, mut coins } = generators;
        (watch.diary.0, watch.choices, best, [policy.next_u64(), arena.next_u64(), coins.next_u64()])
    }
}

#[test]
fn a_run_resumed_is_the_run_itself() {
    let arena = MatrixArena::new(problems::arithmetic(5).expect("five arms")).expect("arm 0");
    let mut cut = Vec::new();
    for entry in algorithms() {
        let spec: Spec = entry.name.parse().expect(entry.name);
        let run = |pieces| spec.visit(5, Some(HORIZON), InPieces { arena: &arena, pieces }).expect("arms");
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
    for name in ["rcs", "dts", "rucb", "winner-stays-strong"].into_iter().filter(|_| all_are_tested()) {
        assert!(cut.contains(&name), "{name} was not cut: {cut:?}");
    }
}

/// An arena that draws a duel when it is announced.
#[derive(Clone)]
struct Ahead {
    inner: MatrixArena,
    announced: Option<(Arm, Arm, Preference)>,
    announcements: u64,
}

impl Arena for Ahead {
    fn arms(&self) -> usize {
        self.inner.arms()
    }

    fn prefetch(&mut self, first: Arm, second: Arm, generator: &mut Generator) {
        assert_eq!(self.announced, None, "the duel before has been played");
        self.announced = Some((first, second, self.inner.duel(first, second, generator)));
        self.announcements += 1;
    }

    fn duel(&mut self, first: Arm, second: Arm, generator: &mut Generator) -> Preference {
        match self.announced.take() {
            Some((one, other, duel)) => {
                assert_eq!((one, other), (first, second));
                duel
            }
            None => self.inner.duel(first, second, generator),
        }
    }

    fn multi_duel(&mut self, arms: &[Arm], generator: &mut Generator, wins: &mut PairWins) {
        self.inner.multi_duel(arms, generator, wins);
    }

    fn gaps(&self) -> &[f64] {
        self.inner.gaps()
    }
}

/// Stops after a number of choices, when asked.
struct Impatient {
    watch: Watch,
    most: usize,
}

impl Observer for Impatient {
    fn played(&mut self, from: u64, to: u64, choice: Choice<'_>, gaps: &[f64]) {
        self.watch.played(from, to, choice, gaps);
    }

    fn stop(&mut self) -> bool {
        self.watch.choices >= self.most
    }
}

/// Plays five runs, one by one or in step; one stops early.
struct Several {
    arena: Ahead,
    in_step: bool,
}

impl PolicyVisitor for Several {
    type Output = (Vec<(Vec<Vec<Arm>>, usize, Option<Arm>)>, u64);

    fn visit<P: Policy + Clone + Send>(self, policy: P) -> Self::Output {
        let players = (0..5).map(|run| {
            let watch = Watch::default();
            let observer = Impatient { watch, most: if run == 2 { 1 } else { usize::MAX } };
            RunState::new(policy.clone(), self.arena.clone(), Generators::from_seed(run), observer)
        });
        let mut players: Vec<_> = players.collect();
        if self.in_step {
            play_in_step(&mut players, HORIZON);
        } else {
            for player in &mut players {
                let RunState { policy, arena, generators, observer, .. } = player;
                play(policy, arena, HORIZON, generators, observer);
            }
        }
        let announcements = players.iter().map(|player| player.arena.announcements).sum();
        let left = players.into_iter().map(|player| {
            let RunState { policy, mut generators, observer, .. } = player;
            let best = policy.recommend(&mut generators.policy);
            (observer.watch.diary.0, observer.watch.choices, best)
        });
        (left.collect(), announcements)
    }
}

#[test]
fn runs_in_step_are_the_runs_by_themselves() {
    let inner = MatrixArena::new(problems::arithmetic(5).expect("five arms")).expect("arm 0");
    let arena = Ahead { inner, announced: None, announcements: 0 };
    for entry in algorithms() {
        let spec: Spec = entry.name.parse().expect(entry.name);
        let several = |in_step| spec.visit(5, Some(HORIZON), Several { arena: arena.clone(), in_step }).expect("arms");
        let (alone, none) = several(false);
        let (together, announcements) = several(true);
        assert!(alone == together, "{}", entry.name);
        assert_eq!(none, 0);
        let sets = entry.action_kind == bandits::ActionKind::Sets;
        assert_eq!(announcements == 0, sets, "{}: {announcements} announcements", entry.name);
        assert!(alone.iter().all(|(diary, ..)| !diary.is_empty()), "{}", entry.name);
    }
}
