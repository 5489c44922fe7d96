//! Relative confidence sampling (RCS): a tournament drawn from the posterior of every pair gives a
//! champion, and optimism the challenger that has the best chance against it.
//!
//! At step t:
//!
//! 1. theta(i, j) is drawn from Beta(w(i, j) + 1, w(j, i) + 1) for i < j, theta(j, i) = 1 -
//!    theta(i, j); the champion c is the arm with theta(c, j) >= 1/2 for all j, or where there is
//!    none an arm that has been champion least often;
//! 2. the challenger is d = argmax over j of u(j, c) = w(j, c) / n(j, c) + sqrt(alpha ln t / n(j, c)),
//!    u(c, c) = 1/2;
//! 3. c and d meet.
//!
//! | `variant` | counted as champion | pairs never seen | u(c, c) |
//! |---|---|---|---|
//! | `paper` (default) | at every step | u = 2 | 1/2 |
//! | `lerot` | where the tournament has no winner | each pair starts with one win either way | 1/2 + sqrt(alpha ln t / 2s), s - 1 duels of c with itself |
//!
//! ## References
//!
//! M. Zoghi, S. Whiteson, M. de Rijke, R. Munos, "Relative Confidence Sampling for Efficient On-Line
//! Ranker Evaluation", WSDM 2014, <https://doi.org/10.1145/2556195.2556256>, algorithm 1. The second
//! variant is the rule as the Lerot framework has it: A. Schuth, K. Hofmann, S. Whiteson, M. de
//! Rijke, LivingLab 2013, <https://doi.org/10.1145/2513150.2513162>.
//!
//! ## Notes
//!
//! * The paper reads x / 0 as 1, for each of the two terms of u. It leaves ties open: they are broken
//!   at random.
//! * It does not name the implementation of its experiments. In Lerot's an arm's duels with itself
//!   are counted like those of another opponent, so that its bound against itself narrows: so they are
//!   by `lerot`. Its stock of samples (a hundred a pair, drawn again when the pair meets) takes in such
//!   a duel, too: from then on the champion also scores against itself, and if it beats all others it
//!   comes to K and not to the required K - 1, so that arms are played in turn until the whole
//!   stock is renewed. The next duel with itself restarts this, and regret is linear. Not followed.
//! * Only whether theta exceeds 1/2 matters, and no two arms can both beat all others: the champion is one
//!   draw (`rcs/tournament.rs`) instead of K (K - 1) / 2. Probabilities below 1e-25 count as 0.
//! * Where the champion would meet itself nothing is learnt (but by Lerot's rule), so that it stays
//!   champion for a geometric number of steps, unless time lets a challenger in first: one choice.
//!   The step after it is drawn given that the tournament has another outcome.
//! * With late outcomes, open duels count at their pair's present mean in the u(j, c) of step 2; the tournament, and the end
//!   of a stretch alone, see known outcomes only.
//! * Theory needs alpha > 1/2; the experiments take 0.501, and also 0.1.

use crate::algorithm::papers;
use crate::confidence::PairBounds;
use crate::counts::LeastCounts;
use crate::{
    Arm, Choice, DelayedFeedback, Feedback, Generator, Policy, config, named_values, state, stored, takes_late,
};

mod tournament;

use tournament::Tournament;

named_values! {
    /// Which of the published rules; see the [module](self).
    pub enum Variant {
        /// As printed.
        Paper = "paper",
        /// As in Lerot.
        Lerot = "lerot",
    }
}

config! {
    /// RCS's parameters.
    pub struct RcsConfig {
        /// Which of the published rules.
        variant: Variant = Variant::Paper, "paper or lerot";
        /// Width of the confidence bounds, positive; 0.501 in the experiments.
        alpha: f64 = 0.501, "width of the bounds, above 1/2 in theory"
            [positive] [warns if <= 0.5: "is not above 1/2, as its theory needs"];
    }

    policy Rcs {
        name: "rcs",
        summary: "relative confidence sampling (Zoghi et al., WSDM 2014): a sampled champion, optimism",
        paper: papers::ZOGHI_WSDM_2014,
        variants: [("variant=lerot", "counts fewer champions, and duels of an arm with itself")],
        all_pairs: true,
        own_loop: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> Rcs {
        Rcs::new(self, arms)
    }

    takes_late!();
}

/// RCS.
#[derive(Debug, Clone)]
pub struct Rcs {
    lerot: bool,
    arms: usize,
    bounds: PairBounds<Tournament>,
    /// How often each arm was champion.
    reigns: LeastCounts,
    /// The arm that loses the next tournament, as its stretch alone has ended at its drawn length.
    dethroned: Option<Arm>,
    /// By Lerot's rule, how often each arm met itself.
    own_duels: Vec<u32>,
    /// The arm of the last stretch alone, the step after which it began, and how often it had been champion then.
    rest: Option<(Arm, u64, u64)>,
}

state!(Rcs { bounds, reigns, dethroned, own_duels, rest } but { lerot, arms });

impl Rcs {
    fn new(config: &RcsConfig, arms: usize) -> Self {
        let lerot = config.variant == Variant::Lerot;
        let unseen = if lerot { [0.5, 0.5_f64.sqrt()] } else { [2.0, 0.0] };
        let mut bounds = PairBounds::new(Tournament::new(arms, u32::from(lerot)), arms, config.alpha, unseen);
        if lerot {
            (0..arms).for_each(|arm| bounds.set_against_itself(Arm::at(arm), unseen[1]));
        }
        Self {
            lerot,
            arms,
            bounds,
            reigns: LeastCounts::new(arms),
            dethroned: None,
            own_duels: vec![0; arms],
            rest: None,
        }
    }

    /// The champion of step 1, and whether it won the tournament.
    fn champion(&mut self, generator: &mut Generator) -> (Arm, bool) {
        match self.bounds.duels().champion(self.dethroned.take(), generator) {
            Some(winner) => {
                if !self.lerot {
                    self.reigns.add(winner, 1);
                }
                (winner, true)
            }
            None => (self.reigns.draw_and_add(generator), false),
        }
    }

    /// The end of the stretch, begun at `step`, in which `champion` meets itself.
    fn play_reign(&mut self, champion: Arm, step: u64, won: bool, generator: &mut Generator) -> u64 {
        let unchallenged = self.bounds.alone_until(champion, step);
        let reign = if won { self.bounds.duels().draw_reign(champion, generator) } else { 1 };
        let last = step.saturating_add(reign - 1);
        if won && last <= unchallenged {
            self.dethroned = Some(champion);
        }
        let until = last.min(unchallenged);
        self.rest = Some((champion, step, self.reigns.count(champion)));
        self.reigns.add(champion, until - step);
        until
    }
}

impl Policy for Rcs {
    fn arms(&self) -> usize {
        self.arms
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.arms == 1 {
            return Choice::Alone { arm: Arm(0), until: u64::MAX };
        }
        let (champion, won) = self.champion(generator);
        self.bounds.advance(step);
        let challenger = self.bounds.challenger(champion, false, generator);
        if challenger == champion && !self.lerot {
            return Choice::Alone { arm: champion, until: self.play_reign(champion, step, won, generator) };
        }
        Choice::Duel(champion, challenger)
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        match feedback {
            Feedback::Duel { winner, loser, .. } if winner == loser => {
                let count = &mut self.own_duels[winner.index()];
                *count += 1;
                let width = 1.0 / (2.0 * (f64::from(*count) + 1.0)).sqrt();
                self.bounds.set_against_itself(winner, width);
            }
            _ => self.bounds.learn(feedback),
        }
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        self.bounds.duels().counts().copeland_best(generator)
    }

    stored!();
}

impl DelayedFeedback for Rcs {
    fn depart(&mut self, arms: &[Arm]) {
        // A duel of an arm with itself has its outcome immediately.
        if arms[0] != arms[1] {
            self.bounds.depart(arms);
        }
    }

    fn arrive(&mut self, step: u64, arms: &[Arm], feedback: Option<Feedback<'_>>) {
        // The next tournament is drawn from the outcomes known now.
        self.dethroned = None;
        match feedback {
            Some(feedback) if arms[0] == arms[1] => self.learn(step, feedback),
            _ => self.bounds.arrive(arms, feedback),
        }
    }

    fn cut(&mut self, last: u64) {
        if let Some((champion, begun, reigns)) = self.rest.take() {
            self.reigns.put(champion, reigns + (last - begun));
        }
    }

    fn wins(&self, i: Arm, j: Arm) -> Option<(u32, u32)> {
        Some(self.bounds.duels().counts().between(i.index(), j.index()))
    }
}
