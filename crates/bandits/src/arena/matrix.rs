//! The matrix arena: duels drawn from a preference matrix.

use std::hint::select_unpredictable;
use std::sync::Arc;

use rand::Rng as _;

use crate::counts::PairTable;
use crate::regret::{RegretReference, RegretReferenceError};
use crate::{Arena, Arm, Generator, PairWins, Preference, PreferenceMatrix};

/// Duels as independent coins of a preference matrix (a "proxy" for users); a set of arms is compared
/// as independent pairs. There are no ties. The matrix may [change](Self::then) at given steps.
#[derive(Debug, Clone)]
pub struct MatrixArena {
    /// Shared by the arenas of all runs: 8 bytes per ordered pair of arms.
    matrix: Arc<PreferenceMatrix>,
    /// The first 32 binary digits of each p(i, j), with p(j, i) = 1 - p(i, j) exactly; shared as well.
    thresholds: Arc<PairTable<u32>>,
    gaps: Vec<f64>,
    /// The last step of this matrix, and the arenas that follow, in the order of time.
    until: u64,
    later: Arc<[(u64, MatrixArena)]>,
}

impl MatrixArena {
    /// An arena with regret measured against the Condorcet winner. Exact duplicates of the
    /// winner count as the winner.
    ///
    /// # Errors
    /// If there is none.
    pub fn new(matrix: PreferenceMatrix) -> Result<Self, RegretReferenceError> {
        Self::with_reference(matrix, RegretReference::Condorcet)
    }

    /// An arena with regret measured against `reference`.
    ///
    /// # Errors
    /// If the matrix has no such reference.
    pub fn with_reference(matrix: PreferenceMatrix, truth: RegretReference) -> Result<Self, RegretReferenceError> {
        let gaps = truth.gaps(&matrix)?;
        Ok(Self::from_parts(matrix, gaps))
    }

    /// An arena with regret counted from the given `gaps`, one per arm, e.g. those of the live simulation
    /// that the matrix was estimated from.
    ///
    /// # Panics
    /// Unless there is one gap per arm.
    #[must_use]
    pub fn with_gaps(matrix: PreferenceMatrix, gaps: Vec<f64>) -> Self {
        assert_eq!(gaps.len(), matrix.arms(), "one gap per arm");
        Self::from_parts(matrix, gaps)
    }

    fn from_parts(matrix: PreferenceMatrix, gaps: Vec<f64>) -> Self {
        let arms = matrix.arms();
        let mut thresholds = PairTable::new(arms, 1 << 31);
        for i in 0..arms {
            for j in i + 1..arms {
                thresholds[(i, j)] = threshold(matrix.get(Arm::at(i), Arm::at(j)));
            }
        }
        let (matrix, thresholds) = (Arc::new(matrix), Arc::new(thresholds));
        Self { matrix, thresholds, gaps, until: u64::MAX, later: Arc::new([]) }
    }

    /// The same arena before step `from`, and `next` from then on: users who change. (A drift is many small changes.)
    /// Regret is counted against the best arm of each step.
    ///
    /// ```
    /// use bandits::{MatrixArena, PolicyConfig, Recorder, Generators, play, policies::rucb, problems};
    ///
    /// let before = problems::arithmetic(4)?;
    /// let after = before.subset(&[3, 2, 1, 0].map(bandits::Arm))?;
    /// let mut arena = MatrixArena::new(before)?.then(5_001, MatrixArena::new(after)?);
    /// let mut policy = rucb::RucbConfig::default().policy(4, Some(10_000))?;
    /// let mut recorder = Recorder::new(vec![5_000, 10_000]);
    /// play(&mut policy, &mut arena, 10_000, &mut Generators::from_seed(1), &mut recorder);
    /// let [first, all] = [0, 1].map(|at| recorder.curve()[at].average);
    /// assert!(all - first > first, "RUCB was sure of arm 0, which is now the worst: {first}, {all}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// Unless both have the same number of arms, `next` does not change itself, and `from` is at least 1 and later than
    /// every earlier change.
    #[must_use]
    pub fn then(mut self, from: u64, next: Self) -> Self {
        assert_eq!(next.arms(), self.arms(), "the same arms before and after");
        assert!(next.later.is_empty() && from > self.later.last().map_or(0, |&(last, _)| last), "changes in order");
        let mut later = self.later.to_vec();
        later.push((from, next));
        self.until = later[0].0 - 1;
        self.later = later.into();
        self
    }

    /// The arenas of later steps, each with the first of them.
    #[must_use]
    pub fn later(&self) -> &[(u64, Self)] {
        &self.later
    }

    /// Switches to the matrix of `step`, which is past this matrix's last.
    #[cold]
    fn change(&mut self, step: u64) {
        let later = self.later.clone();
        let reached = later.partition_point(|&(from, _)| from <= step);
        if let Some((_, now)) = later[..reached].last() {
            (self.matrix, self.thresholds) = (now.matrix.clone(), now.thresholds.clone());
            self.gaps.copy_from_slice(&now.gaps);
        }
        self.until = later.get(reached).map_or(u64::MAX, |&(from, _)| from - 1);
    }

    /// The matrix, at present.
    #[must_use]
    pub fn matrix(&self) -> &PreferenceMatrix {
        &self.matrix
    }

    /// Whether the first of the pair `low < high` wins, decided by 32 random bits, and more if these
    /// equal the threshold.
    #[inline]
    fn lower_wins(&self, low: usize, high: usize, bits: u32, generator: &mut Generator) -> bool {
        let threshold = self.thresholds[(low, high)];
        if bits == threshold {
            return self.past_32_bits(low, high, generator);
        }
        bits < threshold
    }

    /// The rest of the comparison of a uniform real with p if their first 32 bits are equal. It also
    /// makes p = 1 always win, although its stored bits are one short.
    #[cold]
    fn past_32_bits(&self, low: usize, high: usize, generator: &mut Generator) -> bool {
        let rest =
            self.matrix.get(Arm::at(low), Arm::at(high)) * 2_f64.powi(32) - f64::from(self.thresholds[(low, high)]);
        let uniform = (generator.next_u64() >> 11) as f64 / 2_f64.powi(53);
        uniform < rest
    }
}

/// The first 32 binary digits of p, capped for p = 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "p is in [0, 1], and the cast saturates")]
fn threshold(p: f64) -> u32 {
    (p * 2_f64.powi(32)) as u32
}

impl Arena for MatrixArena {
    fn arms(&self) -> usize {
        self.matrix.arms()
    }

    #[inline]
    fn reach(&mut self, step: u64) -> u64 {
        if step > self.until {
            self.change(step);
        }
        self.until
    }

    #[inline]
    fn duel(&mut self, first: Arm, second: Arm, generator: &mut Generator) -> Preference {
        let (first, second) = (first.index(), second.index());
        let bits = (generator.next_u64() >> 32) as u32;
        let lower = self.lower_wins(first.min(second), first.max(second), bits, generator);
        select_unpredictable(lower == (first < second), Preference::First, Preference::Second)
    }

    fn multi_duel(&mut self, arms: &[Arm], generator: &mut Generator, wins: &mut PairWins) {
        // Two pairs per draw.
        let (mut draw, mut fresh) = (0, false);
        wins.decide(arms.len(), |i, j| {
            fresh = !fresh;
            draw = if fresh { generator.next_u64() } else { draw << 32 };
            let (first, second) = (arms[i].index(), arms[j].index());
            let bits = (draw >> 32) as u32;
            let lower = self.lower_wins(first.min(second), first.max(second), bits, generator);
            lower == (first < second)
        });
    }

    #[inline]
    fn gaps(&self) -> &[f64] {
        &self.gaps
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::problems;

    #[test]
    fn duels_and_contests_follow_the_matrix() {
        let matrix =
            PreferenceMatrix::from_rows(&[[0.5, 0.7, 1.0], [0.3, 0.5, 0.1], [0.0, 0.9, 0.5]]).expect("a matrix");
        let mut arena = MatrixArena::new(matrix.clone()).expect("arm 0 beats the others");
        let mut generator = Generator::seed_from_u64(1);
        let rounds = 40_000;
        let order = [Arm(2), Arm(0), Arm(1)];
        let mut duels = [[0_u32; 3]; 3];
        let mut contests = [[0_u32; 3]; 3];
        let mut wins = PairWins::default();
        for _ in 0..rounds {
            for (i, row) in duels.iter_mut().enumerate() {
                for (j, count) in row.iter_mut().enumerate().filter(|&(j, _)| j != i) {
                    let duel = arena.duel(Arm::at(i), Arm::at(j), &mut generator);
                    *count += u32::from(duel == Preference::First);
                }
            }
            arena.multi_duel(&order, &mut generator, &mut wins);
            for (i, a) in order.iter().enumerate() {
                for (j, b) in order.iter().enumerate() {
                    contests[a.index()][b.index()] += u32::from(wins.beats(i, j));
                }
            }
        }
        for i in 0..3 {
            for j in (0..3).filter(|&j| j != i) {
                let p = matrix.get(Arm::at(i), Arm::at(j));
                // Five standard deviations; none where p is 0 or 1.
                let bound = 5.0 * (f64::from(rounds) * p * (1.0 - p)).sqrt();
                for count in [duels[i][j], contests[i][j]] {
                    let off = f64::from(count) - f64::from(rounds) * p;
                    assert!(off.abs() <= bound, "p({i}, {j}) = {p}: {count} of {rounds}");
                }
            }
        }
    }

    #[test]
    fn a_threshold_reached_is_decided_by_more_bits() {
        let upper = [1.0, 0.0, 0.5];
        let matrix = PreferenceMatrix::from_upper(3, |i, j| upper[(i.0 + j.0) as usize - 1]).expect("a matrix");
        let arena = MatrixArena::with_reference(matrix, RegretReference::Copeland).expect("always there");
        let mut generator = Generator::seed_from_u64(2);
        for _ in 0..100 {
            assert!(arena.lower_wins(0, 1, u32::MAX, &mut generator));
            assert!(!arena.lower_wins(0, 2, 0, &mut generator));
            assert!(!arena.lower_wins(1, 2, 1 << 31, &mut generator));
            assert!(arena.lower_wins(1, 2, (1 << 31) - 1, &mut generator));
        }
    }

    #[test]
    fn value_stability() {
        let mut arena = MatrixArena::new(problems::arithmetic(8).expect("eight arms")).expect("0");
        let mut generator = Generator::seed_from_u64(3);
        let duels: String = (0..16)
            .map(|_| match arena.duel(Arm(1), Arm(2), &mut generator) {
                Preference::First => '1',
                Preference::Second => '2',
                Preference::Tie => '=',
            })
            .collect();
        let mut wins = PairWins::default();
        arena.multi_duel(&[Arm(0), Arm(7), Arm(3), Arm(4)], &mut generator, &mut wins);
        let rows: Vec<u64> = (0..4).map(|i| wins.row(i)[0]).collect();
        assert_eq!(duels, "1222211221211111");
        assert_eq!(rows, [6, 12, 8, 1]);
    }

    /// Three phases, one of them inside a stretch alone: every step costs what its own phase says.
    #[test]
    fn regret_is_counted_against_the_best_arm_of_each_step() {
        use crate::{Choice, Feedback, Generators, Policy, Recorder, ShuffledArena, play};

        /// Arm 0 alone for ever, or against arm 1 at each step.
        struct Stubborn(bool);
        impl Policy for Stubborn {
            fn arms(&self) -> usize {
                2
            }
            fn choose(&mut self, _: u64, _: &mut Generator) -> Choice<'_> {
                if self.0 { Choice::Alone { arm: Arm(0), until: u64::MAX } } else { Choice::Duel(Arm(0), Arm(1)) }
            }
            fn learn(&mut self, _: u64, _: Feedback<'_>) {}
            fn recommend(&self, _: &mut Generator) -> Option<Arm> {
                None
            }
        }
        let arena =
            |p: f64| MatrixArena::new(PreferenceMatrix::from_upper(2, |_, _| p).expect("two arms")).expect("a winner");
        // Arm 0 is ahead by .2 up to step 10, behind by .25 up to step 30, and by .4 from there on.
        let changing = arena(0.7).then(11, arena(0.25)).then(31, arena(0.1));
        assert_eq!(changing.later().len(), 2);
        let curve = |alone: bool, shuffled: bool| {
            let mut recorder = Recorder::new(vec![5, 10, 11, 20, 30, 31, 40]);
            let mut generators = Generators::from_seed(1);
            let (mut policy, mut arena) = (Stubborn(alone), changing.clone());
            if shuffled {
                // With two arms, some seeds leave them in order.
                let mut in_order =
                    (0..64).map(|seed| ShuffledArena::new(arena.clone(), &mut Generator::seed_from_u64(seed)));
                let mut arena = in_order.find(|arena| arena.original(Arm(0)) == Arm(0)).expect("one of them");
                play(&mut policy, &mut arena, 40, &mut generators, &mut recorder);
            } else {
                play(&mut policy, &mut arena, 40, &mut generators, &mut recorder);
            }
            recorder.curve().iter().map(|regret| regret.average).collect::<Vec<_>>()
        };
        for shuffled in [false, true] {
            let (alone, met) = (curve(true, shuffled), curve(false, shuffled));
            let expected = [(0.0, 0.5), (0.0, 1.0), (0.25, 1.125), (2.5, 2.25), (5.0, 3.5), (5.4, 3.7), (9.0, 5.5)];
            for ((alone, met), (of_alone, of_met)) in alone.into_iter().zip(met).zip(expected) {
                assert!((alone - of_alone).abs() < 1e-12 && (met - of_met).abs() < 1e-12, "{alone}, {met}");
            }
        }
    }

    #[test]
    fn gaps_from_elsewhere_replace_those_of_the_matrix() {
        let matrix = PreferenceMatrix::parse("0.5 0.9\n0.1 0.5").expect("a matrix");
        assert_eq!(MatrixArena::with_gaps(matrix, vec![0.0, 0.25]).gaps(), [0.0, 0.25]);
    }
}
