//! The trait for algorithms that choose sets, and how an implementation becomes a [`Policy`].

use super::duel::check_arm;
use super::{Arm, Choice, Feedback, PairWins, Policy};
use crate::Generator;

/// An algorithm that compares any number of arms at a time: it names a set, and gets the winner of each pair in it.
///
/// `Sets::new(algorithm)` is a [`Policy`]. The rules of [`DuelPolicy`](super::DuelPolicy) on calls, ties, draws and single arms
/// hold here too; a set of one arm means that it plays alone.
///
/// ```
/// use bandits::random::{best_arm, coin};
/// use bandits::{Arm, Generator, Generators, MatrixArena, PairWins, Policy, SetPolicy, Sets, play, problems};
///
/// /// Shows arm 0 and a random half of the others, and counts the pairs that each arm won.
/// #[derive(Clone)]
/// struct HalfOfThem {
///     won: Vec<u32>,
/// }
///
/// impl SetPolicy for HalfOfThem {
///     fn arm_count(&self) -> usize {
///         self.won.len()
///     }
///
///     fn set(&mut self, _step: u64, generator: &mut Generator, set: &mut Vec<Arm>) {
///         set.extend((0..self.won.len()).filter(|&arm| arm == 0 || coin(generator)).map(Arm::at));
///     }
///
///     fn outcome(&mut self, set: &[Arm], wins: &PairWins) {
///         for (position, arm) in set.iter().enumerate() {
///             self.won[arm.index()] += wins.wins_of(position);
///         }
///     }
///
///     fn best(&self, generator: &mut Generator) -> Option<Arm> {
///         best_arm(generator, self.won.iter())
///     }
/// }
///
/// let mut arena = MatrixArena::new(problems::arithmetic(6)?)?;
/// let (mut policy, mut generators) = (Sets::new(HalfOfThem { won: vec![0; 6] }), Generators::from_seed(1));
/// play(&mut policy, &mut arena, 1_000, &mut generators, &mut ());
/// assert_eq!(policy.recommend(&mut generators.policy), Some(Arm(0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait SetPolicy {
    /// How many arms there are, at least 1; always the same number.
    fn arm_count(&self) -> usize;

    /// Puts the arms that meet in step `step` (from 1) into `set`, which is empty. A run panics if it stays empty, if an arm
    /// is in it twice, or if one is not below [`arm_count`](Self::arm_count).
    fn set(&mut self, step: u64, generator: &mut Generator, set: &mut Vec<Arm>);

    /// Learns the winner of each pair of `set`, the arms of the last [`set`](Self::set) in their order; `wins` goes by their
    /// positions in it.
    fn outcome(&mut self, set: &[Arm], wins: &PairWins);

    /// The arm to recommend now; `None` as long as nothing singles one out.
    fn best(&self, generator: &mut Generator) -> Option<Arm>;
}

/// The policy of a [`SetPolicy`]: it keeps the set that a [`Choice`] borrows.
///
/// It has no stored form; logs restore it.
#[derive(Debug, Clone)]
pub struct Sets<P> {
    algorithm: P,
    set: Vec<Arm>,
    /// For each arm, the last step that had it in its set.
    last: Vec<u64>,
}

impl<P: SetPolicy> Sets<P> {
    /// The policy of `algorithm`.
    #[must_use]
    pub fn new(algorithm: P) -> Self {
        let arms = algorithm.arm_count();
        Self { algorithm, set: Vec::new(), last: vec![0; arms] }
    }

    /// The algorithm, e.g. to read what it has counted.
    #[must_use]
    pub fn algorithm(&self) -> &P {
        &self.algorithm
    }
}

impl<P: SetPolicy> Policy for Sets<P> {
    fn arms(&self) -> usize {
        self.last.len()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.last.len() == 1 {
            return Choice::Alone { arm: Arm(0), until: u64::MAX };
        }
        self.set.clear();
        self.algorithm.set(step, generator, &mut self.set);
        assert!(!self.set.is_empty(), "the algorithm chose no arm");
        for &arm in &self.set {
            check_arm(arm, self.last.len());
            assert!(self.last[arm.index()] != step, "the algorithm chose arm {} twice for one set", arm.0);
            self.last[arm.index()] = step;
        }
        match self.set[..] {
            [arm] => Choice::Alone { arm, until: step },
            _ => Choice::Set(&self.set),
        }
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        if let Feedback::Set { wins } = feedback {
            self.algorithm.outcome(&self.set, wins);
        }
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        if self.last.len() == 1 { Some(Arm(0)) } else { self.algorithm.best(generator) }
    }
}
