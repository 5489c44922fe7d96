//! PARWiS: the winner from two to four duels per arm, by the duels that would change the ranking most.
//!
//! Scores are those of rank centrality: a random walk goes from arm i to arm j at a rate that is the share of their duels that j
//! won. pi(i) is the time that it spends at i in the long run.
//!
//! 1. The arms meet in a chain in random order: the winner of each duel meets the next arm, K - 1 duels.
//! 2. The top is the arm with the highest score, ties at random.
//! 3. m(i, j) is how far scores would move, as |pi' - pi| in the Euclidean norm, if i won a duel with j. The *disruption* of a pair is
//!    (pi(i) m(i, j) + pi(j) m(j, i)) / (pi(i) + pi(j)): the expected move by its duel if scores are right. The top meets the arm with
//!    which its disruption is the largest, ties at random; then 2 again.
//!
//! The top is recommended, and plays alone once the budget is spent.
//!
//! ## References
//!
//! D. Y. Sheth, A. Rajkumar, "PARWiS: Winner determination from Active Pairwise Comparisons under a Shoestring Budget", ICDM 2021,
//! <https://rbcdsai.iitm.ac.in/publications/parwis-winner-determination-from-active-pairwise-comparisons/>. Rank centrality:
//! S. Negahban, S. Oh, D. Shah, "Rank Centrality: Ranking from Pairwise Comparisons", Operations Research 65(1), 2017,
//! <https://doi.org/10.1287/opre.2016.1534>. S. Bhandari, arXiv:2603.01171, evaluates it again.
//!
//! ## Notes
//!
//! * The paper itself was not at hand: the rule is that of its abstract, of arXiv:2603.01171 and of the authors' published program with its defaults
//!   ("exact", "weighted", the Euclidean norm).
//! * As in that program, a further node of the walk has won and lost against every arm once, so that pi exists whatever the
//!   outcomes.
//! * The chain begins in random order. The authors' begins with the first arm.
//! * The paper has a budget of a few duels per arm and stops. Here there is none by default, so that a recommendation is available at any
//!   time: the top goes on meeting others, which costs strong regret, as with [`winner_stays`](crate::policies::winner_stays).
//! * A share counts whatever the number of duels behind it, so that a chance result of the chain weighs on scores until that pair meets again. With
//!   many duels the right arm is named less often than by others: `results/parwis` has the shares after 2 to 1,000 duels per arm.
//! * It states no probability of error. Scores assume that utilities explain the duels. Otherwise the top need not be the arm that beats
//!   all others.
//! * A duel changes two rates of the walk, which is a change of rank one: the inverse that pi and all m follow from is updated in O(K^2)
//!   (Sherman and Morrison), and each m takes O(K).

use crate::algorithm::papers;
use crate::counts::{PairCounts, PairTable};
use crate::random::{best_arm, shuffle};
use crate::{Arm, DuelPolicy, Generator, config, state, stored};

config! {
    /// The parameters of PARWiS.
    pub struct ParwisConfig {
        /// Duels per arm until the top plays alone, positive; for ever if `None`. The paper has 2 to 4.
        budget: Option<f64> = None, "duels per arm until the top plays alone, or auto: it goes on" [positive];
    }

    policy Parwis {
        name: "parwis",
        summary: "the winner from few duels, by spectral scores and disruptive pairs (Sheth and Rajkumar, ICDM 2021)",
        paper: papers::SHETH_ICDM_2021,
        all_pairs: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> Parwis {
        Parwis::new(self, arms)
    }
}

/// PARWiS.
#[derive(Debug, Clone)]
pub struct Parwis {
    /// Duels until the top plays alone.
    budget: f64,
    duels: u64,
    /// The arms that the chain has yet to reach.
    left: Vec<Arm>,
    /// The winner of the last duel of the chain.
    champion: Option<Arm>,
    walk: ArmWalk,
}

state!(Parwis { duels, left, champion, walk } but { budget });

impl Parwis {
    fn new(config: &ParwisConfig, arms: usize) -> Self {
        let budget = config.budget.map_or(f64::INFINITY, |per_arm| per_arm * arms as f64);
        Self { budget, duels: 0, left: (0..arms).map(Arm::at).collect(), champion: None, walk: ArmWalk::new(arms) }
    }

    /// The next pair of the chain; `None` at its end.
    fn next_of_chain(&mut self, generator: &mut Generator) -> Option<(Arm, Arm)> {
        if self.champion.is_none() {
            shuffle(generator, &mut self.left);
            self.champion = self.left.pop();
        }
        Some((self.champion?, *self.left.last()?))
    }
}

impl DuelPolicy for Parwis {
    fn arm_count(&self) -> usize {
        self.walk.arms()
    }

    fn pair(&mut self, _step: u64, generator: &mut Generator) -> (Arm, Arm) {
        let is_spent = self.duels as f64 >= self.budget;
        if !is_spent && let Some(pair) = self.next_of_chain(generator) {
            return pair;
        }
        let top = largest(generator, self.walk.scores()).unwrap_or(Arm(0));
        if is_spent {
            return (top, top);
        }
        let disruptions = (0..self.walk.arms()).map(|arm| self.walk.disruption(top.index(), arm));
        let disruptions: Vec<f64> = disruptions.collect();
        (top, largest(generator, disruptions.iter().copied()).unwrap_or(top))
    }

    fn alone_until(&self, _step: u64) -> u64 {
        u64::MAX
    }

    fn outcome(&mut self, winner: Arm, loser: Arm) {
        if self.left.pop().is_some() {
            self.champion = Some(winner);
        }
        self.walk.record(winner.index(), loser.index());
        self.duels += 1;
    }

    fn best(&self, generator: &mut Generator) -> Option<Arm> {
        if self.duels == 0 { None } else { largest(generator, self.walk.scores()) }
    }

    stored!();
}

/// The arm with the largest value, ties at random. Values that are equal but for rounding tie.
pub(crate) fn largest(generator: &mut Generator, values: impl Iterator<Item = f64> + Clone) -> Option<Arm> {
    let highest = values.clone().fold(f64::NEG_INFINITY, f64::max);
    best_arm(generator, values.map(|value| value >= highest * (1.0 - 1e-9)))
}

/// The random walk of rank centrality, and what a duel would change. Its nodes are one that has won and lost against every arm once,
/// and the arms, in this order.
#[derive(Debug, Clone)]
struct ArmWalk {
    wins: PairCounts,
    /// M = (1 e' - Q)^-1, with the rates of the walk Q, the vector 1 of ones, and the unit vector e of the first node. Its first row is
    /// the long-run share of time of every node, since e' = pi (1 e' - Q).
    inverse: PairTable<f64>,
}

state!(ArmWalk { wins, inverse });

impl ArmWalk {
    fn new(arms: usize) -> Self {
        // Without duels the rates are 1/2 between the first node and each arm.
        let share = 1.0 / (arms + 1) as f64;
        let mut inverse = PairTable::with_diagonal(arms + 1, -share, 2.0 - share);
        inverse.row_mut(0).fill(share);
        Self { wins: PairCounts::new(arms, 0), inverse }
    }

    fn arms(&self) -> usize {
        self.wins.arms()
    }

    /// pi of every arm.
    fn scores(&self) -> impl Iterator<Item = f64> + Clone + '_ {
        self.inverse.row(0)[1..].iter().copied()
    }

    /// By how much the rates from `winner` to `loser` and back would rise if `winner` won a duel.
    fn rise(&self, winner: usize, loser: usize) -> [f64; 2] {
        let (won, lost) = self.wins.between(winner, loser);
        let (won, lost) = (f64::from(won), f64::from(lost));
        let met = (won + lost).max(1.0);
        [lost / (won + lost + 1.0) - lost / met, (won + 1.0) / (won + lost + 1.0) - won / met]
    }

    /// The new pi is the old one and `step` times the difference of the rows of both arms in M: s, such that pi' - pi =
    /// s (M(loser) - M(winner)), if `winner` won a duel.
    fn step(&self, winner: usize, loser: usize) -> f64 {
        let [there, back] = self.rise(winner, loser);
        let (i, j) = (winner + 1, loser + 1);
        let m = &self.inverse;
        let flow = there * m[(0, i)] - back * m[(0, j)];
        flow / (1.0 - there * (m[(j, i)] - m[(i, i)]) + back * (m[(j, j)] - m[(i, j)]))
    }

    /// The disruption of a pair; 0 of an arm and itself.
    fn disruption(&self, i: usize, j: usize) -> f64 {
        if i == j {
            return 0.0;
        }
        let (row_i, row_j) = (self.inverse.row(i + 1), self.inverse.row(j + 1));
        let distance = row_i.iter().zip(row_j).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        let [pi_i, pi_j] = [i, j].map(|arm| self.inverse[(0, arm + 1)]);
        distance * (pi_i * self.step(i, j).abs() + pi_j * self.step(j, i).abs()) / (pi_i + pi_j)
    }

    /// Counts a duel: Q gains u v' with u = `there` e(i) - `back` e(j) and v = e(j) - e(i), so M gains M u v' M / (1 - v' M u).
    fn record(&mut self, winner: usize, loser: usize) {
        let [there, back] = self.rise(winner, loser);
        let (i, j) = (winner + 1, loser + 1);
        let m = &mut self.inverse;
        let difference: Vec<f64> = m.row(j).iter().zip(m.row(i)).map(|(a, b)| a - b).collect();
        let scale = 1.0 / (1.0 - there * difference[i] + back * difference[j]);
        for node in 0..m.arms() {
            let factor = scale * (there * m[(node, i)] - back * m[(node, j)]);
            m.row_mut(node).iter_mut().zip(&difference).for_each(|(cell, gain)| *cell += factor * gain);
        }
        self.wins.record(winner, loser);
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    /// The output of `parwis.py` beside this file, from the library `choix` and scores solved from scratch for every possible outcome.
    #[test]
    fn scores_and_disruptions_are_those_of_another_program() {
        let mut walk = ArmWalk::new(5);
        for (winner, loser) in DUELS {
            walk.record(winner, loser);
        }
        for (found, expected) in walk.scores().zip(SCORES) {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
        for (i, expected) in DISRUPTIONS.iter().enumerate() {
            for (j, expected) in expected.iter().enumerate() {
                assert!(
                    (walk.disruption(i, j) - expected).abs() < 1e-9,
                    "{i} {j}: {} {expected}",
                    walk.disruption(i, j)
                );
            }
        }
    }

    const DUELS: [(usize, usize); 9] = [(0, 1), (2, 0), (2, 3), (2, 4), (2, 0), (0, 2), (1, 2), (2, 1), (2, 1)];
    const SCORES: [f64; 5] =
        [0.258_352_758_353, 0.095_182_595_183, 0.368_686_868_687, 0.055_555_555_556, 0.055_555_555_556];
    const DISRUPTIONS: [[f64; 5]; 5] = [
        [0.0, 0.031_063_503_925, 0.062_093_218_490, 0.055_568_570_936, 0.055_568_570_936],
        [0.031_063_503_925, 0.0, 0.031_883_468_654, 0.039_914_851_686, 0.039_914_851_686],
        [0.062_093_218_490, 0.031_883_468_654, 0.0, 0.025_680_799_529, 0.025_680_799_529],
        [0.055_568_570_936, 0.039_914_851_686, 0.025_680_799_529, 0.0, 0.031_426_968_053],
        [0.055_568_570_936, 0.039_914_851_686, 0.025_680_799_529, 0.031_426_968_053, 0.0],
    ];

    #[test]
    fn what_is_updated_stays_what_it_should_be() {
        let (arms, mut generator) = (12, Generator::seed_from_u64(1));
        let mut walk = ArmWalk::new(arms);
        for _ in 0..200_000 {
            let winner = crate::random::below(&mut generator, arms);
            let loser = (winner + 1 + crate::random::below(&mut generator, arms - 1)) % arms;
            walk.record(winner, loser);
        }
        // pi Q = 0, with the rates of the counts.
        let pi = |arm: usize| walk.inverse[(0, arm + 1)];
        let share = |i: usize, j: usize| f64::from(walk.wins[(j, i)]) / f64::from(walk.wins.met(i, j));
        for i in 0..arms {
            let others = || (0..arms).filter(|&j| j != i);
            let flow = others().map(|j| pi(j) * share(j, i) - pi(i) * share(i, j)).sum::<f64>();
            assert!((flow + 0.5 * (walk.inverse[(0, 0)] - pi(i))).abs() < 1e-12, "{i}: {flow}");
        }
        assert!((walk.inverse.row(0).iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_top_plays_alone_when_the_budget_is_spent() {
        let mut policy = Parwis::new(&ParwisConfig { budget: Some(2.0) }, 4);
        let mut generator = Generator::seed_from_u64(1);
        for step in 1..=8 {
            let (first, second) = policy.pair(step, &mut generator);
            assert_ne!(first, second, "step {step}");
            policy.outcome(first.min(second), first.max(second));
        }
        assert_eq!(policy.pair(9, &mut generator), (Arm(0), Arm(0)));
    }
}
