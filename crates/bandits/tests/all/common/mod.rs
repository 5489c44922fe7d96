//! Problems, runs and the real matrices, for all tests.
#![allow(dead_code, unreachable_pub, reason = "each test uses a part")]

use std::path::PathBuf;

use bandits::registry::{Entry, PolicyVisitor, entries};
use bandits::{Arm, Choice, Generators, MatrixArena, Observer, Policy, PreferenceMatrix, play};
use bandits::{Recorder, problems};

/// Six arms with gaps as small as those between real rankers, one pair at exactly 1/2.
pub fn small_gaps() -> PreferenceMatrix {
    let upper = [
        [0.5, 0.56, 0.54, 0.55, 0.60, 0.62],
        [0.0, 0.50, 0.55, 0.56, 0.57, 0.61],
        [0.0, 0.00, 0.50, 0.53, 0.52, 0.55],
        [0.0, 0.00, 0.00, 0.50, 0.53, 0.50],
        [0.0, 0.00, 0.00, 0.00, 0.50, 0.52],
    ];
    PreferenceMatrix::from_upper(6, |i, j| upper[i.index()][j.index()]).expect("a matrix")
}

/// The Condorcet winner, arm 2, beats everyone barely; arm 0 beats all but it by far.
pub fn borda_is_not_condorcet() -> PreferenceMatrix {
    PreferenceMatrix::from_rows(&[
        [0.5, 0.95, 0.42, 0.95],
        [0.05, 0.5, 0.42, 0.6],
        [0.58, 0.58, 0.5, 0.58],
        [0.05, 0.4, 0.42, 0.5],
    ])
    .expect("a matrix")
}

/// Two arms.
pub fn two_arms() -> PreferenceMatrix {
    PreferenceMatrix::from_rows(&[[0.5, 0.4], [0.6, 0.5]]).expect("a matrix")
}

/// A cycle of five arms: there is no Condorcet winner.
pub fn cycle() -> PreferenceMatrix {
    PreferenceMatrix::from_upper(5, |i, j| if (j.0 - i.0) <= 2 { 0.7 } else { 0.3 }).expect("a matrix")
}

/// Five arms; none beats all others: Copeland scores of 3, 2, 2, 2 and 1 of 4.
pub fn no_condorcet_winner() -> PreferenceMatrix {
    let upper = [[0.7, 0.7, 0.7, 0.35], [0.0, 0.7, 0.3, 0.7], [0.0, 0.0, 0.7, 0.7], [0.0, 0.0, 0.0, 0.6]];
    PreferenceMatrix::from_upper(5, |i, j| upper[i.index()][j.index() - 1]).expect("a matrix")
}

/// Every pair at exactly 1/2.
pub fn all_even(arms: usize) -> PreferenceMatrix {
    PreferenceMatrix::from_upper(arms, |_, _| 0.5).expect("a matrix")
}

/// Lower arms always win.
pub fn certain(arms: usize) -> PreferenceMatrix {
    PreferenceMatrix::from_upper(arms, |_, _| 1.0).expect("a matrix")
}

/// Strengths falling off slowly: `arms` arms, some of them nearly equal.
pub fn ladder(arms: usize) -> PreferenceMatrix {
    let strengths: Vec<f64> = (0..arms).map(|i| libm::exp(-(i as f64) / 20.0)).collect();
    problems::btl(&strengths).expect("a matrix")
}

/// A file of the real data. Tests that read them are ignored unless requested.
pub fn data(path: &str) -> Vec<u8> {
    let root = std::env::var_os("RANKDUEL_TEST_DATA")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    let path = root.join(path);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A matrix of the 136 single-feature rankers of MSLR-WEB30K.
pub fn mslr(clicks: &str) -> PreferenceMatrix {
    PreferenceMatrix::from_bytes(&data(&format!("prefmat-mslr/MSLR-{clicks}.txt"))).expect("a preference matrix")
}

/// The registered algorithms, or those that the environment variable `ALGORITHM` names (separated by commas): for work on
/// one of them.
pub fn algorithms() -> Vec<Entry> {
    let all = entries();
    let Ok(chosen) = std::env::var("ALGORITHM") else { return all };
    let find = |name: &str| all.iter().find(|entry| entry.name == name).cloned();
    chosen
        .split(',')
        .map(|name| {
            find(name.trim()).unwrap_or_else(|| panic!("ALGORITHM: no registered algorithm is called `{name}`"))
        })
        .collect()
}

/// Whether all registered algorithms are tested.
pub fn all_are_tested() -> bool {
    std::env::var_os("ALGORITHM").is_none()
}

/// Plays a policy in a fresh arena and returns its regret and its recommendation.
pub struct Run<'a> {
    pub arena: &'a MatrixArena,
    pub horizon: u64,
    pub seed: u64,
}

impl PolicyVisitor for Run<'_> {
    type Output = (Recorder, Option<Arm>);

    fn visit<P: Policy + Send>(self, mut policy: P) -> Self::Output {
        let mut generators = Generators::from_seed(self.seed);
        let mut recorder = Recorder::new(bandits::one_two_five(self.horizon));
        let mut arena = self.arena.clone();
        let played = play(&mut policy, &mut arena, self.horizon, &mut generators, &mut recorder);
        assert_eq!(played, self.horizon);
        (recorder, policy.recommend(&mut generators.policy))
    }
}

/// Records the arms of every step; a stretch alone is one entry per step.
#[derive(Default)]
pub struct Diary(pub Vec<Vec<Arm>>);

impl Observer for Diary {
    fn played(&mut self, from: u64, to: u64, choice: Choice<'_>, _gaps: &[f64]) {
        assert_eq!(from, self.0.len() as u64 + 1, "steps follow each other");
        let arms = match choice {
            Choice::Duel(first, second) => vec![first, second],
            Choice::Set(arms) => arms.to_vec(),
            Choice::Alone { arm, .. } => vec![arm],
        };
        for _ in from..=to {
            self.0.push(arms.clone());
        }
    }
}

/// The diary of a run.
pub fn diary<P: Policy>(mut policy: P, matrix: &PreferenceMatrix, horizon: u64, seed: u64) -> Vec<Vec<Arm>> {
    let truth = bandits::RegretReference::Copeland;
    let mut arena = MatrixArena::with_reference(matrix.clone(), truth).expect("always there");
    let mut diary = Diary::default();
    play(&mut policy, &mut arena, horizon, &mut Generators::from_seed(seed), &mut diary);
    diary.0
}
