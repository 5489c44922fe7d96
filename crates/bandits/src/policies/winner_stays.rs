//! Winner Stays: the arm that is furthest ahead keeps playing, against the next best, until it is
//! overtaken.
//!
//! With C(i) = wins - losses of arm i, at each step:
//!
//! 1. i is an arm with the highest C, and j one with the highest C of the others; of
//!    several, one of the last step's two, else one at random;
//! 2. i and j meet.
//!
//! That is `winner-stays`, which minimises weak regret: min(gap(i), gap(j)). It falls into rounds,
//! and in each round every arm meets the one that is ahead; a round ends when all have. For
//! strong regret, `winner-stays-strong` plays the leader alone for floor(beta^l) steps after
//! round l.
//!
//! | `after` | the l-th time alone comes after |
//! |---|---|
//! | `round` (default) | round l, as the paper's bound of O(N log T) needs |
//! | `duel` | duel l, as in duelpy |
//!
//! ## References
//!
//! B. Chen, P. I. Frazier, "Dueling Bandits with Weak Regret", ICML 2017,
//! <https://proceedings.mlr.press/v70/chen17c.html>, algorithms 1 and 2; duelpy,
//! <https://gitlab.com/duelpy/duelpy>, for the default beta = 2.
//!
//! ## Notes
//!
//! * Arms that rest have one of only two values of C: that of the start of the round, until they
//!   have played in it, and one less after that, as a step changes C by one and an arm that falls
//!   below those still waiting rests immediately. A step is O(1), and no C is kept but those of the
//!   two that play.
//! * The arm recommended is i while it is ahead of j, and none where the two are even.

use crate::algorithm::papers;
use crate::random::below;
use crate::{Arm, Choice, Feedback, Generator, Policy, config, named_values, plain, state, stored};

named_values! {
    /// When the leader plays alone; see the [module](self).
    pub enum AloneTime {
        /// After every round.
        Round = "round",
        /// After every duel.
        Duel = "duel",
    }
}

config! {
    /// Winner Stays for weak regret: no parameters.
    pub struct WinnerStaysConfig {}

    policy WinnerStays {
        name: "winner-stays",
        summary: "Winner Stays for weak regret (Chen and Frazier, ICML 2017)",
        paper: papers::CHEN_ICML_2017,
        own_loop: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> WinnerStays {
        WinnerStays::new(arms, None)
    }
}

config! {
    /// The parameters of Winner Stays for strong regret.
    pub struct WinnerStaysStrongConfig {
        /// When the leader plays alone.
        after: AloneTime = AloneTime::Round, "round or duel";
        /// How much longer each time alone is than the one before, above 1.
        beta: f64 = 2.0, "growth of the times alone, above 1" [above 1 because "the times alone must grow"];
    }

    policy WinnerStays {
        name: "winner-stays-strong",
        summary: "Winner Stays for strong regret (Chen and Frazier, ICML 2017)",
        paper: papers::CHEN_ICML_2017,
        variants: [("after=duel", "as in duelpy")],
        own_loop: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> WinnerStays {
        WinnerStays::new(arms, Some(self.clone()))
    }
}

/// An arm that plays, and its C.
#[derive(Debug, Clone, Copy)]
struct ScoredArm {
    arm: Arm,
    lead: i64,
}

plain!(ScoredArm { arm, lead });

/// Winner Stays, of either kind.
#[derive(Debug, Clone)]
pub struct WinnerStays {
    arms: usize,
    strong: Option<WinnerStaysStrongConfig>,
    /// i and j.
    players: Option<[ScoredArm; 2]>,
    /// The arms that have not yet played in this round: their C is `level`.
    waiting: Vec<Arm>,
    /// The arms that have, and rest: one below `level`.
    rested: Vec<Arm>,
    level: i64,
    /// How often the leader has played alone, and for how many steps it now will.
    times_alone: u32,
    alone: u64,
}

state!(WinnerStays { players, waiting, rested, level, times_alone, alone } but { arms, strong });

impl WinnerStays {
    fn new(arms: usize, strong: Option<WinnerStaysStrongConfig>) -> Self {
        Self {
            arms,
            strong,
            players: None,
            waiting: (0..arms).map(Arm::at).collect(),
            rested: Vec::with_capacity(arms),
            level: 0,
            times_alone: 0,
            alone: 0,
        }
    }

    /// One of the waiting arms, at random.
    fn next_player(&mut self, generator: &mut Generator) -> ScoredArm {
        let chosen = below(generator, self.waiting.len());
        ScoredArm { arm: self.waiting.swap_remove(chosen), lead: self.level }
    }

    fn lengthen_time_alone(&mut self, ended: AloneTime) {
        if let Some(strong) = self.strong.as_ref().filter(|strong| strong.after == ended) {
            self.times_alone = self.times_alone.saturating_add(1);
            let length = libm::pow(strong.beta, f64::from(self.times_alone));
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "at least 1, and the cast saturates"
            )]
            {
                self.alone = length as u64;
            }
        }
    }
}

impl Policy for WinnerStays {
    fn arms(&self) -> usize {
        self.arms
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.arms == 1 {
            return Choice::Alone { arm: Arm(0), until: u64::MAX };
        }
        let [first, second] = match self.players {
            None => [self.next_player(generator), self.next_player(generator)],
            // The loser has fallen below the waiting arms.
            Some([first, second]) if second.lead < self.level => {
                self.rested.push(second.arm);
                [first, self.next_player(generator)]
            }
            Some(players) => players,
        };
        self.players = Some([first, second]);
        if self.alone > 0 {
            let until = step.saturating_add(self.alone - 1);
            self.alone = 0;
            return Choice::Alone { arm: first.arm, until };
        }
        Choice::Duel(first.arm, second.arm)
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        let (Feedback::Duel { first_won, .. }, Some([mut first, mut second])) = (feedback, self.players) else {
            return;
        };
        let won = if first_won { 1 } else { -1 };
        first.lead += won;
        second.lead -= won;
        self.players = Some(if first.lead >= second.lead { [first, second] } else { [second, first] });
        let loser = if first_won { second } else { first };
        if loser.lead < self.level && self.waiting.is_empty() {
            // All have played: the rested wait for the next round, one level down, and with them
            // the loser, which as one of the last two goes first.
            std::mem::swap(&mut self.waiting, &mut self.rested);
            self.level -= 1;
            self.lengthen_time_alone(AloneTime::Round);
        }
        self.lengthen_time_alone(AloneTime::Duel);
    }

    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        match self.players {
            Some([first, second]) if first.lead > second.lead => Some(first.arm),
            None if self.arms == 1 => Some(Arm(0)),
            _ => None,
        }
    }

    stored!();
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::PolicyConfig as _;
    use crate::random::coin;

    fn learn(policy: &mut WinnerStays, step: u64, first: Arm, second: Arm, first_won: bool) {
        policy.learn(step, Feedback::of_duel(first, second, first_won));
    }

    #[test]
    fn choices_are_those_of_the_plain_rule() {
        for (arms, bias) in [(2, 5), (3, 6), (9, 7), (9, 5), (40, 6)] {
            let mut policy = WinnerStaysConfig {}.policy(arms, None).expect("arms");
            let mut generator = Generator::seed_from_u64(1);
            let mut coins = Generator::seed_from_u64(2);
            let mut lead = vec![0_i64; arms];
            let mut last: Option<[Arm; 2]> = None;
            for step in 1..20_000 {
                let Choice::Duel(first, second) = policy.choose(step, &mut generator) else {
                    panic!("a duel");
                };
                // Each has the highest C there is, and is one of the last two if these have.
                let allowed = |among: &[usize]| -> Vec<Arm> {
                    let top = among.iter().map(|&arm| lead[arm]).max().expect("arms");
                    let ties: Vec<Arm> =
                        among.iter().filter(|&&arm| lead[arm] == top).map(|&arm| Arm::at(arm)).collect();
                    let again: Vec<Arm> = last.into_iter().flatten().filter(|arm| ties.contains(arm)).collect();
                    if again.is_empty() { ties } else { again }
                };
                let all: Vec<usize> = (0..arms).collect();
                assert!(allowed(&all).contains(&first), "step {step} of {arms}");
                let others: Vec<usize> = all.into_iter().filter(|&a| a != first.index()).collect();
                assert!(allowed(&others).contains(&second), "step {step} of {arms}");
                // The lower arm wins more or less often.
                let lower = below(&mut coins, 10) < bias;
                let first_won = lower == (first < second);
                let change = if first_won { 1 } else { -1 };
                lead[first.index()] += change;
                lead[second.index()] -= change;
                last = Some([first, second]);
                learn(&mut policy, step, first, second, first_won);
            }
        }
    }

    #[test]
    fn waiting_arms_are_drawn_uniformly() {
        let mut generator = Generator::seed_from_u64(3);
        let runs = 30_000_u32;
        // The first pair, ordered: each of the six has the same chance.
        let mut counts = [[0_u32; 3]; 3];
        for _ in 0..runs {
            let mut policy = WinnerStaysConfig {}.policy(3, None).expect("arms");
            let Choice::Duel(first, second) = policy.choose(1, &mut generator) else {
                panic!("a duel");
            };
            counts[first.index()][second.index()] += 1;
        }
        let n = f64::from(runs);
        let chi_square: f64 = (0..3)
            .flat_map(|i| (0..3).filter(move |&j| j != i).map(move |j| (i, j)))
            .map(|(i, j): (usize, usize)| (f64::from(counts[i][j]) - n / 6.0).powi(2) / (n / 6.0))
            .sum();
        // Five degrees of freedom: exceeded once in a million.
        assert!(chi_square < 35.9, "{counts:?}");
    }

    #[test]
    fn the_leader_plays_alone_after_each_round() {
        let mut policy = WinnerStaysStrongConfig::default().policy(4, None).expect("arms");
        let mut generator = Generator::seed_from_u64(4);
        let mut step = 1;
        let (mut alone, mut duels) = (Vec::new(), Vec::new());
        let mut since = 0;
        while alone.len() < 6 {
            match policy.choose(step, &mut generator) {
                Choice::Duel(first, second) => {
                    // Lower arms always win: round l takes three duels a rival after the first.
                    let first_won = first < second;
                    learn(&mut policy, step, first, second, first_won);
                    since += 1;
                    step += 1;
                }
                Choice::Alone { arm, until } => {
                    assert_eq!(arm, Arm(0));
                    alone.push(until + 1 - step);
                    duels.push(since);
                    since = 0;
                    step = until + 1;
                }
                Choice::Set(_) => panic!("no sets"),
            }
        }
        assert_eq!(alone, [2, 4, 8, 16, 32, 64]);
        // Once arm 0 leads, each rival loses once a round.
        assert_eq!(duels[1..], [3, 3, 3, 3, 3]);

        let config = WinnerStaysStrongConfig { after: AloneTime::Duel, beta: 1.5 };
        let mut policy = config.policy(4, None).expect("arms");
        let mut lengths = Vec::new();
        let mut step = 1;
        while lengths.len() < 5 {
            match policy.choose(step, &mut generator) {
                Choice::Duel(first, second) => {
                    let first_won = coin(&mut generator);
                    learn(&mut policy, step, first, second, first_won);
                    step += 1;
                }
                Choice::Alone { until, .. } => {
                    lengths.push(until + 1 - step);
                    step = until + 1;
                }
                Choice::Set(_) => panic!("no sets"),
            }
        }
        assert_eq!(lengths, [1, 2, 3, 5, 7]);
    }
}
