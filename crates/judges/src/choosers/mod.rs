//! Who chooses the next pair: a policy of `bandits`, the model (`top_two`, and `order` here), or a balanced design. Screen order and items are in
//! `screen`.

mod best;
mod top_two;
mod uniform;

use bandits::open::Ticket;
use bandits::{Generator, Preference};

use crate::config::{Config, ConfigError, Goal};
use crate::model::{Competitors, Posterior};
use best::Best;
use uniform::Uniform;

/// Raised whenever the same judgements lead to other pairs, items or orders than before.
const REVISION: u32 = 1;

/// Where the outcome of a question goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Destination {
    /// The policy asked; its ticket.
    Policy(Ticket),
    /// The policy did not ask: kept until it does.
    Pool,
    /// Only the model learns.
    Model,
}

/// Who chooses.
#[derive(Debug, Clone)]
pub(crate) enum Chooser {
    Best(Box<Best>),
    /// With the difference of strengths that does not matter.
    TopTwo(f64),
    Order,
    Uniform(Uniform),
}

impl Chooser {
    pub(crate) fn new(config: &Config) -> Result<Self, ConfigError> {
        Ok(match (config.goal, config.spec()?) {
            (Goal::Best, Some(spec)) => Self::Best(Box::new(Best::new(config, &spec)?)),
            (Goal::Best, None) => Self::TopTwo(libm::log((0.5 + config.tolerance) / (0.5 - config.tolerance))),
            (Goal::Uniform, _) => Self::Uniform(Uniform::new(config)),
            (Goal::Order, _) => Self::Order,
        })
    }

    /// What it is, with its revision: another text may choose other pairs.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Best(best) => format!("{}, live {REVISION}", best.name()),
            Self::TopTwo(_) => format!("top-two, live {REVISION}"),
            Self::Order => format!("order, live {REVISION}"),
            Self::Uniform(_) => format!("uniform, live {REVISION}"),
        }
    }

    /// The pair of the next question. `open` counts the questions of a pair (the lower place first) that are under way.
    pub(crate) fn choose(
        &mut self,
        model: &Posterior,
        competitors: usize,
        open: impl Fn(Competitors) -> u32,
        generator: &mut Generator,
    ) -> (Competitors, Destination) {
        match self {
            Self::Best(best) => best.choose(model, open, generator),
            Self::TopTwo(tolerance) => {
                (top_two::choose(model, competitors, *tolerance, open, generator), Destination::Model)
            }
            Self::Uniform(uniform) => (uniform.choose(), Destination::Model),
            Self::Order => {
                let pairs = (0..competitors as u32).flat_map(|j| (0..j).map(move |i| (i, j)));
                let gain = |(i, j): Competitors| model.gain(i as usize, j as usize, open((i, j)));
                let pair = largest(pairs, gain, generator);
                (pair.unwrap_or((0, 1)), Destination::Model)
            }
        }
    }

    /// An outcome, in the order of the pair chosen.
    pub(crate) fn learn(&mut self, pair: Competitors, to: Destination, outcome: Preference) {
        if let Self::Best(best) = self {
            best.learn(pair, to, outcome);
        }
    }

    /// No outcome will come.
    pub(crate) fn forget(&mut self, pair: Competitors, to: Destination) {
        match self {
            Self::Best(best) => best.forget(to),
            Self::Uniform(uniform) => uniform.forget(pair),
            Self::TopTwo(_) | Self::Order => {}
        }
    }

    /// Another revision asked this pair, with this outcome.
    pub(crate) fn keep(&mut self, pair: Competitors, outcome: Preference) {
        self.learn(pair, Destination::Pool, outcome);
        self.expect(pair);
    }

    /// Another revision asked this pair.
    pub(crate) fn expect(&mut self, pair: Competitors) {
        if let Self::Uniform(uniform) = self {
            uniform.met(pair);
        }
    }

    /// The recommendation of a policy of the registry; `None` if it has none, or another rule chooses.
    pub(crate) fn recommend(&self) -> Option<u32> {
        match self {
            Self::Best(best) => best.recommend(),
            _ => None,
        }
    }
}

/// The candidate with the largest value, equal ones at random; `None` of nothing.
fn largest<T: Copy>(
    candidates: impl Iterator<Item = T>,
    value: impl Fn(T) -> f64,
    generator: &mut Generator,
) -> Option<T> {
    let (mut best, mut most, mut ties) = (None, f64::NEG_INFINITY, 0);
    for candidate in candidates {
        let found = value(candidate);
        if found > most {
            (best, most, ties) = (Some(candidate), found, 1);
        } else if found == most {
            ties += 1;
            if bandits::random::below(generator, ties) == 0 {
                best = Some(candidate);
            }
        }
    }
    best
}
