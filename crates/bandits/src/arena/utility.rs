//! The utility arena: each arm has a utility, observed with Gaussian noise.

use crate::random::Normals;
use crate::regret::{RegretReference, RegretReferenceError};
use crate::{Arena, Arm, Generator, MatrixError, PairWins, Preference, PreferenceMatrix};

/// Arms with utilities. In each step every participating arm shows its utility plus its own draw from
/// N(0, 1); the arm with the higher value wins, so that
/// p(i, j) = Phi((u(i) - u(j)) / sqrt 2). All pairs of a set share the draws of that step.
///
/// This is the synthetic setting of B. Brost, Y. Seldin, I. J. Cox, C. Lioma, "Multi-Dueling
/// Bandits and Their Application to Online Ranker Evaluation", CIKM 2016,
/// <https://doi.org/10.1145/2983323.2983659>, section 4.1.2. Memory is O(K): no matrix is kept.
#[derive(Debug, Clone)]
pub struct UtilityArena {
    utilities: Vec<f64>,
    gaps: Vec<f64>,
    normals: Normals,
    shown: Vec<u64>,
}

/// Why numbers are not utilities.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum UtilityError {
    /// No arms, or more than can be numbered.
    #[error("{arms} utilities given; expected one for each of 1 to {} arms", u32::MAX)]
    Arms {
        /// How many.
        arms: usize,
    },
    /// A utility that is infinite or not a number.
    #[error("arm {arm}: expected a finite utility, found {value}")]
    NotFinite {
        /// The arm.
        arm: usize,
        /// Its utility.
        value: f64,
    },
}

impl UtilityArena {
    /// An arena of these arms. Regret is measured against the greatest utility: the gap of arm j is
    /// Phi((u(*) - u(j)) / sqrt 2) - 1/2.
    ///
    /// # Errors
    /// If there are no utilities, or one is not finite.
    pub fn new(utilities: Vec<f64>) -> Result<Self, UtilityError> {
        let arms = utilities.len();
        if arms == 0 || u32::try_from(arms).is_err() {
            return Err(UtilityError::Arms { arms });
        }
        if let Some(arm) = utilities.iter().position(|utility| !utility.is_finite()) {
            let value = utilities[arm];
            return Err(UtilityError::NotFinite { arm, value });
        }
        let best = utilities.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let gaps = utilities.iter().map(|u| win_margin(best, *u)).collect();
        Ok(Self { utilities, gaps, normals: Normals::new(), shown: Vec::new() })
    }

    /// The same arena with regret measured against `reference`. The arm of the greatest utility is the Condorcet and
    /// the von Neumann winner.
    ///
    /// Takes O(K log K) time, for Borda scores O(K D) with D different utilities.
    ///
    /// # Errors
    /// If the arm of the reference does not exist.
    pub fn with_reference(mut self, reference: RegretReference) -> Result<Self, RegretReferenceError> {
        let arms = self.utilities.len();
        let others = (arms - 1).max(1) as f64;
        // The different utilities in increasing order, with how many arms have each.
        let mut different: Vec<(f64, usize)> = Vec::new();
        let mut sorted = self.utilities.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        for utility in sorted {
            match different.last_mut() {
                Some((last, count)) if *last == utility => *count += 1,
                _ => different.push((utility, 1)),
            }
        }
        let best = different.last().map_or(0.0, |last| last.0);
        self.gaps = match reference {
            RegretReference::Condorcet | RegretReference::VonNeumann => {
                self.utilities.iter().map(|u| win_margin(best, *u)).collect()
            }
            RegretReference::Copeland => {
                // A tie counts half; the arm itself is none of the others.
                let mut below = 0;
                let scores: Vec<f64> = different
                    .iter()
                    .map(|&(_, count)| {
                        let score = below as f64 + (count - 1) as f64 / 2.0;
                        below += count;
                        score
                    })
                    .collect();
                self.gaps_by_score(&different, &scores.iter().map(|score| score / others).collect::<Vec<_>>())
            }
            RegretReference::Borda => {
                let mean = |u: f64| {
                    let sum: f64 = different.iter().map(|&(other, count)| count as f64 * win_margin(u, other)).sum();
                    sum / others
                };
                self.gaps_by_score(&different, &different.iter().map(|&(u, _)| mean(u)).collect::<Vec<_>>())
            }
            RegretReference::Against(arm) if arm.index() < arms => {
                let reference = self.utilities[arm.index()];
                self.utilities.iter().map(|u| win_margin(reference, *u)).collect()
            }
            RegretReference::Against(arm) => return Err(RegretReferenceError::NoSuchArm { arm: arm.0, arms }),
        };
        Ok(self)
    }

    /// Each arm's distance from the best score, from the `scores` of the `different` utilities, both increasing.
    fn gaps_by_score(&self, different: &[(f64, usize)], scores: &[f64]) -> Vec<f64> {
        let best = scores.last().copied().unwrap_or(0.0);
        let place = |utility: &f64| different.partition_point(|(other, _)| other < utility);
        self.utilities.iter().map(|utility| best - scores[place(utility)]).collect()
    }

    /// Each arm's utility.
    #[must_use]
    pub fn utilities(&self) -> &[f64] {
        &self.utilities
    }

    /// The probability that `first` beats `second`.
    #[must_use]
    pub fn preference(&self, first: Arm, second: Arm) -> f64 {
        let (a, b) = (self.utilities[first.index()], self.utilities[second.index()]);
        0.5 + win_margin(a, b)
    }

    /// All preferences as a matrix of K^2 numbers, which ignores the correlation between the pairs of a set.
    ///
    /// # Errors
    /// None for utilities that make an arena.
    pub fn matrix(&self) -> Result<PreferenceMatrix, MatrixError> {
        PreferenceMatrix::from_upper(self.utilities.len(), |i, j| self.preference(i, j))
    }
}

/// Phi((a - b) / sqrt 2) - 1/2.
fn win_margin(a: f64, b: f64) -> f64 {
    0.5 * libm::erf(0.5 * (a - b))
}

/// A whole number that orders as `x` does.
#[inline]
fn order_key(x: f64) -> u64 {
    let bits = x.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

impl Arena for UtilityArena {
    fn arms(&self) -> usize {
        self.utilities.len()
    }

    #[inline]
    fn duel(&mut self, first: Arm, second: Arm, generator: &mut Generator) -> Preference {
        let (a, b) = (self.utilities[first.index()], self.utilities[second.index()]);
        let (a, b) = (a + self.normals.draw(generator), b + self.normals.draw(generator));
        if a > b {
            Preference::First
        } else if a < b {
            Preference::Second
        } else {
            Preference::Tie
        }
    }

    fn multi_duel(&mut self, arms: &[Arm], generator: &mut Generator, wins: &mut PairWins) {
        self.shown.clear();
        for arm in arms {
            let shown = self.utilities[arm.index()] + self.normals.draw(generator);
            self.shown.push(order_key(shown));
        }
        wins.set_scores(&self.shown);
    }

    #[inline]
    fn gaps(&self) -> &[f64] {
        &self.gaps
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng as _;

    use super::*;

    #[test]
    fn gaps_are_those_of_the_matrix_of_the_same_utilities() {
        let arena = UtilityArena::new(vec![0.2, 0.8, -1.0, 0.8, 0.2, 0.5]).expect("six arms");
        let matrix = arena.matrix().expect("a matrix");
        let references = [
            RegretReference::Condorcet,
            RegretReference::Copeland,
            RegretReference::Borda,
            RegretReference::VonNeumann,
            RegretReference::Against(Arm(4)),
        ];
        for reference in references {
            let here = arena.clone().with_reference(reference).expect("a reference");
            let there = reference.gaps(&matrix).expect("a reference");
            let far = here.gaps().iter().zip(&there).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(far < 1e-12, "{reference:?}: {:?} {there:?}", here.gaps());
        }
        assert!(arena.with_reference(RegretReference::Against(Arm(6))).is_err());
    }

    #[test]
    fn preferences_are_those_of_the_paper() {
        let arena = UtilityArena::new(vec![0.8, 0.7, 0.2]).expect("three arms");
        let golden = [(0, 2, 0.664_313), (0, 1, 0.528_186), (1, 2, 0.638_163)];
        for (i, j, p) in golden {
            assert!((arena.preference(Arm(i), Arm(j)) - p).abs() < 5e-7, "{i} {j}");
            assert!((arena.preference(Arm(j), Arm(i)) - (1.0 - p)).abs() < 5e-7);
        }
        assert_eq!(arena.gaps()[0], 0.0);
        assert!((arena.gaps()[2] - 0.164_313).abs() < 5e-7);
        let matrix = arena.matrix().expect("a matrix");
        assert_eq!(matrix.get(Arm(0), Arm(2)), arena.preference(Arm(0), Arm(2)));
    }

    #[test]
    fn duels_and_contests_follow_the_preferences() {
        let mut arena = UtilityArena::new(vec![0.2, 1.1, -0.4, 1.1]).expect("four arms");
        let mut generator = Generator::seed_from_u64(1);
        let order = [Arm(3), Arm(0), Arm(2), Arm(1)];
        let rounds = 40_000_u32;
        let mut duels = [[0_u32; 4]; 4];
        let mut contests = [[0_u32; 4]; 4];
        let mut wins = PairWins::default();
        for _ in 0..rounds {
            arena.multi_duel(&order, &mut generator, &mut wins);
            for (i, a) in order.iter().enumerate() {
                for (j, b) in order.iter().enumerate().filter(|&(j, _)| j != i) {
                    contests[a.index()][b.index()] += u32::from(wins.beats(i, j));
                    let duel = arena.duel(*a, *b, &mut generator);
                    duels[a.index()][b.index()] += u32::from(duel == Preference::First);
                }
            }
        }
        for i in 0..4 {
            for j in (0..4).filter(|&j| j != i) {
                let p = arena.preference(Arm::at(i), Arm::at(j));
                // Five standard deviations.
                let n = f64::from(rounds);
                let bound = 5.0 * (n * p * (1.0 - p)).sqrt();
                for count in [duels[i][j], contests[i][j]] {
                    assert!((f64::from(count) - n * p).abs() < bound, "p({i}, {j}) = {p}: {count}");
                }
            }
        }
    }

    #[test]
    fn a_contest_is_an_order() {
        // One draw per arm, so wins are transitive.
        let mut arena = UtilityArena::new(vec![0.5; 9]).expect("nine arms");
        let arms: Vec<Arm> = (0..9).map(Arm).collect();
        let mut generator = Generator::seed_from_u64(2);
        let mut wins = PairWins::default();
        for _ in 0..200 {
            arena.multi_duel(&arms, &mut generator, &mut wins);
            let mut scores: Vec<u32> = (0..9).map(|i| wins.wins_of(i)).collect();
            scores.sort_unstable();
            assert_eq!(scores, (0..9).collect::<Vec<_>>());
        }
    }

    #[test]
    fn value_stability() {
        let mut arena = UtilityArena::new(vec![0.8, 0.7, 0.2, 0.2]).expect("four arms");
        let mut generator = Generator::seed_from_u64(3);
        let duels: String = (0..16)
            .map(|_| match arena.duel(Arm(0), Arm(1), &mut generator) {
                Preference::First => '1',
                Preference::Second => '2',
                Preference::Tie => '=',
            })
            .collect();
        let mut wins = PairWins::default();
        arena.multi_duel(&[Arm(0), Arm(3), Arm(1)], &mut generator, &mut wins);
        let rows: Vec<u64> = (0..3).map(|i| wins.row(i)[0]).collect();
        assert_eq!((duels.as_str(), rows), ("2212112221211111", vec![2, 0, 3]));
    }

    #[test]
    fn utilities_are_finite() {
        assert_eq!(UtilityArena::new(vec![]).err(), Some(UtilityError::Arms { arms: 0 }));
        let error = UtilityArena::new(vec![0.1, f64::NAN]).expect_err("no number");
        assert_eq!(error.to_string(), "arm 1: expected a finite utility, found NaN");
        let duplicates = UtilityArena::new(vec![0.3, 0.3]).expect("two arms");
        assert_eq!(duplicates.gaps(), [0.0, 0.0]);
    }

    proptest! {
        #[test]
        fn ordered_numbers_order_alike(a in -1e9..1e9_f64, b in -1e9..1e9_f64) {
            prop_assert_eq!(order_key(a) < order_key(b), a < b);
            prop_assert_eq!(order_key(a), order_key(a));
        }
    }
}
