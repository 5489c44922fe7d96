//! The problems of the benchmark: the probability of each arm to beat each other, frozen to the last bit. `session` plays them.
//!
//! | in | is |
//! |---|---|
//! | this file | [`Problem`] and its phases, exact numbers, checksums |
//! | `votes` | problems made of people's votes, which are part of the program |
//! | `families` | made-up problems, from published seeds |
//! | `truth` | the best arms, by Condorcet, Copeland and Borda |

mod families;
mod truth;
mod votes;

use anyhow::{Context, Result, ensure};
use bandits::{Arm, MatrixError, Preference, PreferenceMatrix};
use output::cache::sha256_hex;
use serde::{Deserialize, Serialize};

pub use truth::{BestNotion, Truth};
pub use votes::{VoteCounts, VoteSet, vote_sets};

/// Where a problem comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Votes of people.
    People,
    /// A total order.
    Order,
    /// A Condorcet winner that wins by little, and a rival that wins more on average.
    Rival,
    /// Arms that beat all others and each other in a cycle.
    Cycle,
    /// Every pair by the toss of a coin, and no Condorcet winner.
    NoWinner,
    /// Blocks of arms that hardly differ.
    Blocks,
    /// Users who change halfway.
    Changing,
    /// So few arms, and so close, that luck makes a winner: of stated winners.
    Close,
}

/// The resolution of probabilities: they are whole numbers of 2^-32.
const PROBABILITY_SCALE: u64 = 1 << 32;

/// Preferences as exact numbers: of 2^32 equally likely draws, the `wins[i][j]` lowest are won by i and the `wins[j][i]`
/// highest by j; all others are ties.
#[derive(Debug, Clone, PartialEq)]
pub struct Preferences {
    arms: usize,
    wins: Vec<u64>,
    matrix: PreferenceMatrix,
}

impl Preferences {
    /// Preferences of `arms` arms from the probabilities that i wins and that j wins, for i < j; the rest are ties.
    ///
    /// # Errors
    /// If there are no arms, or two numbers are not probabilities of disjoint events.
    fn new(arms: usize, mut probabilities: impl FnMut(usize, usize) -> (f64, f64)) -> Result<Self> {
        let mut wins = vec![0; arms * arms];
        let exact = |p: f64| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 2^32")]
            let draws = libm::round(p * PROBABILITY_SCALE as f64) as u64;
            draws
        };
        for i in 0..arms {
            for j in i + 1..arms {
                let (forward, backward) = probabilities(i, j);
                ensure!(
                    forward >= 0.0 && backward >= 0.0 && forward + backward <= 1.0 + 1e-9,
                    "arms {i} and {j}: {forward} and {backward} are not the probabilities of disjoint events"
                );
                wins[i * arms + j] = exact(forward);
                // Without ties, not one of the draws is lost to rounding.
                wins[j * arms + i] =
                    if forward + backward == 1.0 { PROBABILITY_SCALE - exact(forward) } else { exact(backward) };
            }
        }
        let matrix = PreferenceMatrix::from_upper(arms, |i, j| {
            let (forward, backward) = (wins[i.index() * arms + j.index()], wins[j.index() * arms + i.index()]);
            (PROBABILITY_SCALE + forward - backward) as f64 / (2 * PROBABILITY_SCALE) as f64
        })?;
        Ok(Self { arms, wins, matrix })
    }

    /// Preferences without ties.
    fn decided(matrix: Result<PreferenceMatrix, MatrixError>) -> Result<Self> {
        let matrix = matrix?;
        Self::new(matrix.arms(), |i, j| {
            let p = matrix.get(Arm::at(i), Arm::at(j));
            (p, 1.0 - p)
        })
    }

    /// The number of arms.
    #[must_use]
    pub fn arms(&self) -> usize {
        self.arms
    }

    /// The probability that each arm beats each other, a tie counting half.
    #[must_use]
    pub fn matrix(&self) -> &PreferenceMatrix {
        &self.matrix
    }

    /// The outcome of i against j for one of 2^32 equally likely draws.
    #[inline]
    pub(crate) fn outcome(&self, i: usize, j: usize, draw: u32) -> Preference {
        // The same draw means the same for both orders of a pair.
        let (low, high) = (i.min(j), i.max(j));
        let draw = u64::from(draw);
        let low_wins = draw < self.wins[low * self.arms + high];
        let high_wins = draw >= PROBABILITY_SCALE - self.wins[high * self.arms + low];
        match (low_wins, high_wins) {
            (true, _) if i == low => Preference::First,
            (_, true) if i == high => Preference::First,
            (false, false) => Preference::Tie,
            _ => Preference::Second,
        }
    }

    fn text(&self) -> String {
        let cells: Vec<String> = self.wins.iter().map(ToString::to_string).collect();
        format!("{} {}", self.arms, cells.join(" "))
    }
}

/// A part of a problem in which preferences stay as they are.
#[derive(Debug, Clone)]
pub struct Phase {
    /// From which share of the horizon on: 0 for the first.
    pub from: f64,
    /// The preferences.
    pub preferences: Preferences,
    /// The best arms, by each notion that applies; Copeland and Borda always do.
    pub truths: Vec<Truth>,
}

/// A problem.
#[derive(Debug, Clone)]
pub struct Problem {
    /// Its name, which never means anything else.
    pub name: String,
    /// Where it comes from.
    pub family: Family,
    /// Its phases in the order of time, all with the same arms; only those of changing users have more than one.
    pub phases: Vec<Phase>,
}

impl Problem {
    fn new(name: &str, family: Family, phases: Vec<(f64, Preferences)>) -> Self {
        let phase = |(from, preferences): (f64, Preferences)| {
            let truths = Truth::determined_winners(preferences.matrix());
            Phase { from, preferences, truths }
        };
        Self { name: name.to_owned(), family, phases: phases.into_iter().map(phase).collect() }
    }

    /// The problem of this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(name: &str) -> Result<Self> {
        match votes::problem(name).transpose()? {
            Some(problem) => Ok(problem),
            None => families::problem(name).transpose()?.with_context(|| format!("no problem is called {name}")),
        }
    }

    /// The number of arms.
    #[must_use]
    pub fn arms(&self) -> usize {
        self.phases[0].preferences.arms()
    }

    /// Whether preferences stay as they are.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.phases.len() == 1
    }

    /// The best arms by this notion in the first phase; `None` without a Condorcet winner.
    #[must_use]
    pub fn truth(&self, best: BestNotion) -> Option<&Truth> {
        self.phases[0].truths.iter().find(|truth| truth.notion == best)
    }

    /// A checksum of its exact numbers.
    #[must_use]
    pub fn checksum(&self) -> String {
        let phases: Vec<String> =
            self.phases.iter().map(|phase| format!("{} {}", phase.from, phase.preferences.text())).collect();
        sha256_hex(&phases.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_have_their_probabilities_and_mean_the_same_in_both_orders() {
        let preferences =
            Preferences::new(3, |_, j| if j == 1 { (0.25, 0.5) } else { (0.5, 0.5) }).expect("three arms");
        assert_eq!(preferences.matrix().get(Arm(0), Arm(1)), 0.375);
        assert_eq!(preferences.matrix().get(Arm(0), Arm(2)), 0.5);
        let quarter = 1 << 30;
        for (draw, expected) in [
            (0, Preference::First),
            (quarter - 1, Preference::First),
            (quarter, Preference::Tie),
            (2 * quarter - 1, Preference::Tie),
            (2 * quarter, Preference::Second),
            (u32::MAX, Preference::Second),
        ] {
            assert_eq!(preferences.outcome(0, 1, draw), expected, "{draw}");
            assert_eq!(preferences.outcome(1, 0, draw), expected.swapped(), "{draw}");
        }
    }

    #[test]
    fn thirds_are_not_ties() {
        let preferences = Preferences::new(2, |_, _| (1.0 / 3.0, 2.0 / 3.0)).expect("two arms");
        assert_eq!(preferences.wins[1] + preferences.wins[2], PROBABILITY_SCALE);
        assert!(
            Preferences::new(2, |_, _| (0.7, 0.7)).is_err() && Preferences::new(2, |_, _| (f64::NAN, 0.5)).is_err()
        );
    }
}
