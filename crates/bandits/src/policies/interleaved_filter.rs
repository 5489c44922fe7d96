//! Interleaved filter (IF1, IF2): a candidate meets all other arms left in turn, until each has certainly lost
//! to it, or one has beaten it and takes its place.
//!
//! With delta = 1 / T K^2 and c = sqrt(4 ln(1 / delta) / n) for the n duels that the candidate b has
//! had with each arm of W:
//!
//! 1. b, drawn uniformly at first, meets each arm of W once: a pass;
//! 2. after a pass each arm k with mu(b, k) - c > 1/2 leaves W;
//! 3. then, if mu(b, k) + c < 1/2 for an arm k of W: in IF2 every arm with mu(b, j) > 1/2 leaves W; k
//!    becomes the candidate and leaves W, and all counts restart;
//! 4. once W is empty b plays alone.
//!
//! ## References
//!
//! Y. Yue, J. Broder, R. Kleinberg, T. Joachims, "The K-armed Dueling Bandits Problem", Journal of
//! Computer and System Sciences 78(5), 2012, <https://doi.org/10.1016/j.jcss.2011.12.028>.
//!
//! ## Notes
//!
//! * If several arms have beaten the candidate, one of them is drawn. The paper allows any.
//! * Its theory needs a total order of the arms with strong stochastic transitivity and the
//!   stochastic triangle inequality. Without them it may settle on an arm that another beats.
//! * The arm recommended is the candidate, from the first duel on.

use crate::algorithm::{given_horizon, papers};
use crate::random::below;
use crate::{Arm, Choice, Feedback, Generator, Policy, config, state, stored};

config! {
    /// IF has no parameters; `PRUNES` distinguishes IF2 from IF1.
    pub struct InterleavedFilterConfig<const PRUNES: bool> {}

    policy InterleavedFilter {
        name: if PRUNES { "if2" } else { "if1" },
        summary: if PRUNES {
            "interleaved filter 2 (Yue et al., JCSS 2012): as if1, pruning who trails a fallen candidate"
        } else {
            "interleaved filter 1 (Yue et al., JCSS 2012): a candidate against all, until one beats it"
        },
        paper: papers::YUE_JCSS_2012,
        needs_horizon: true,
    }

    fn build(&self, arms: usize, horizon: Option<u64>) -> InterleavedFilter {
        InterleavedFilter::new(PRUNES, arms, given_horizon(horizon))
    }
}

/// The first version.
pub type If1Config = InterleavedFilterConfig<false>;
/// The version that also drops the arms behind the candidate when the candidate is replaced.
pub type If2Config = InterleavedFilterConfig<true>;

/// ln(1 / delta) = ln(T K^2).
pub(crate) fn log_inverse_delta(arms: usize, horizon: u64) -> f64 {
    libm::log(horizon as f64) + 2.0 * libm::log(arms as f64)
}

/// IF1 or IF2.
#[derive(Debug, Clone)]
pub struct InterleavedFilter {
    prunes: bool,
    log_inverse_delta: f64,
    arms: usize,
    /// No candidate before the first step.
    candidate: Option<Arm>,
    /// W, and how often the candidate has beaten each.
    others: Vec<(Arm, u32)>,
    /// How many passes there have been.
    duels: u32,
    /// The place in W of the next arm of this pass.
    next: usize,
    learnt: bool,
}

state!(InterleavedFilter { candidate, others, duels, next, learnt } but { prunes, log_inverse_delta, arms });

impl InterleavedFilter {
    fn new(prunes: bool, arms: usize, horizon: u64) -> Self {
        Self {
            prunes,
            log_inverse_delta: log_inverse_delta(arms, horizon),
            arms,
            candidate: None,
            others: Vec::with_capacity(arms),
            duels: 0,
            next: 0,
            learnt: false,
        }
    }

    fn start(&mut self, generator: &mut Generator) -> Arm {
        let candidate = Arm::at(below(generator, self.arms));
        let others = (0..self.arms).map(Arm::at).filter(|&arm| arm != candidate);
        self.others.extend(others.map(|arm| (arm, 0)));
        *self.candidate.insert(candidate)
    }

    /// Ends a pass and returns the candidate.
    fn end_pass(&mut self, candidate: Arm, generator: &mut Generator) -> Arm {
        self.next = 0;
        self.duels += 1;
        // mu - c > 1/2 and mu + c < 1/2, times n.
        let count = f64::from(self.duels);
        let radius = (4.0 * self.log_inverse_delta * count).sqrt();
        let lead = |won: u32| f64::from(won) - 0.5 * count;
        self.others.retain(|&(_, won)| lead(won) <= radius);
        let better = |&(_, won): &(Arm, u32)| lead(won) < -radius;
        let count = self.others.iter().filter(|&other| better(other)).count();
        if count == 0 {
            return candidate;
        }
        let chosen = below(generator, count);
        let better = self.others.iter().filter(|&other| better(other)).nth(chosen);
        let successor = better.map_or(candidate, |&(arm, _)| arm);
        if self.prunes {
            self.others.retain(|&(_, won)| lead(won) <= 0.0);
        }
        self.others.retain(|&(arm, _)| arm != successor);
        for (_, won) in &mut self.others {
            *won = 0;
        }
        self.duels = 0;
        *self.candidate.insert(successor)
    }
}

impl Policy for InterleavedFilter {
    fn arms(&self) -> usize {
        self.arms
    }

    fn choose(&mut self, _step: u64, generator: &mut Generator) -> Choice<'_> {
        let mut candidate = match self.candidate {
            Some(candidate) => candidate,
            None => self.start(generator),
        };
        if self.next > 0 && self.next == self.others.len() {
            candidate = self.end_pass(candidate, generator);
        }
        match self.others.get(self.next) {
            Some(&(other, _)) => Choice::Duel(candidate, other),
            None => Choice::Alone { arm: candidate, until: u64::MAX },
        }
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        if let Feedback::Duel { first_won, .. } = feedback {
            self.others[self.next].1 += u32::from(first_won);
            self.next += 1;
            self.learnt = true;
        }
    }

    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        match self.candidate {
            _ if self.arms == 1 => Some(Arm(0)),
            candidate if self.learnt => candidate,
            _ => None,
        }
    }

    stored!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParameterError, PolicyConfig as _};

    #[test]
    fn the_horizon_is_needed() {
        assert_eq!(If1Config::default().policy(3, None).err(), Some(ParameterError::NoHorizon { algorithm: "if1" }));
        assert_eq!(If2Config::default().policy(3, None).err(), Some(ParameterError::NoHorizon { algorithm: "if2" }));
    }
}
