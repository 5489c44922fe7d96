//! Choosers of the next pair: a policy of `bandits`, the model (`top_two`, and `order` here), or a balanced design. Screen order and items are in
//! `screen`.

mod policy_chooser;
mod top_two;
mod uniform;

use bandits::open::Ticket;
use bandits::{Generator, Preference};

use crate::config::{Config, ConfigError, Goal};
use crate::model::{Competitors, Posterior};
use policy_chooser::PolicyChooser;
use uniform::Uniform;

/// Raised whenever the same judgements lead to other pairs, items, orders or audits than before. Since 2, a named judge gets no question twice
/// where there are items; since 4, both orders are balanced within each judge.
const REVISION: u32 = 4;

/// The destination of the outcome of a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Destination {
    /// To the policy, which chose the pair, with its ticket.
    Policy(Ticket),
    /// Kept until the policy chooses the pair.
    Pool,
    /// Only the model learns.
    Model,
}

/// The state of pairs beside the model; of a pair, the lower place comes first.
#[derive(Clone, Copy)]
pub(crate) struct Pairs<'a> {
    /// How many questions about it are under way.
    pub(crate) open: &'a dyn Fn(Competitors) -> u32,
    /// Whether it is new to the judge: there is an item on which this judge did not compare the two.
    pub(crate) is_new: &'a dyn Fn(Competitors) -> bool,
}

impl Pairs<'_> {
    fn open(&self, (i, j): Competitors) -> u32 {
        (self.open)((i.min(j), i.max(j)))
    }

    fn is_new(&self, (i, j): Competitors) -> bool {
        (self.is_new)((i.min(j), i.max(j)))
    }
}

/// Chooses pairs.
#[derive(Debug, Clone)]
pub(crate) struct Chooser {
    rule: Rule,
}

#[derive(Debug, Clone)]
enum Rule {
    Policy(Box<PolicyChooser>),
    /// With the tolerance: a difference of strengths that does not matter.
    TopTwo(f64),
    Order,
    Uniform(Uniform),
}

impl Chooser {
    pub(crate) fn new(config: &Config) -> Result<Self, ConfigError> {
        let rule = match (config.goal, config.spec()?) {
            (Goal::Best, Some(spec)) => Rule::Policy(Box::new(PolicyChooser::new(config, &spec)?)),
            (Goal::Best, None) => Rule::TopTwo(libm::log((0.5 + config.tolerance) / (0.5 - config.tolerance))),
            (Goal::Uniform, _) => Rule::Uniform(Uniform::new(config)),
            (Goal::Order, _) => Rule::Order,
        };
        Ok(Self { rule })
    }

    /// Its name, with its revision: another name may mean other pairs.
    pub(crate) fn name(&self) -> String {
        let rule = match &self.rule {
            Rule::Policy(chooser) => chooser.name(),
            Rule::TopTwo(_) => "top-two",
            Rule::Order => "order",
            Rule::Uniform(_) => "uniform",
        };
        format!("{rule}, live {REVISION}")
    }

    /// The pair of the next question. One at least is new to the judge.
    pub(crate) fn choose(
        &mut self,
        model: &Posterior,
        competitors: usize,
        pairs: Pairs<'_>,
        generator: &mut Generator,
    ) -> (Competitors, Destination) {
        match &mut self.rule {
            Rule::Policy(chooser) => chooser.choose(model, pairs, generator),
            Rule::TopTwo(tolerance) => {
                (top_two::choose(model, competitors, *tolerance, pairs, generator), Destination::Model)
            }
            Rule::Uniform(uniform) => (uniform.choose(|pair| pairs.is_new(pair)), Destination::Model),
            Rule::Order => (most_informative(model, competitors, pairs, generator), Destination::Model),
        }
    }

    /// An outcome, in the order of the pair chosen.
    pub(crate) fn learn(&mut self, pair: Competitors, destination: Destination, outcome: Preference) {
        if let Rule::Policy(chooser) = &mut self.rule {
            chooser.learn(pair, destination, outcome);
        }
    }

    /// No outcome will come.
    pub(crate) fn forget(&mut self, pair: Competitors, destination: Destination) {
        match &mut self.rule {
            Rule::Policy(chooser) => chooser.forget(destination),
            Rule::Uniform(uniform) => uniform.forget(pair),
            Rule::TopTwo(_) | Rule::Order => {}
        }
    }

    /// Another revision asked this pair, with this outcome.
    pub(crate) fn keep(&mut self, pair: Competitors, outcome: Preference) {
        self.learn(pair, Destination::Pool, outcome);
        self.expect(pair);
    }

    /// Another revision asked this pair.
    pub(crate) fn expect(&mut self, pair: Competitors) {
        if let Rule::Uniform(uniform) = &mut self.rule {
            uniform.note_met(pair);
        }
    }

    /// The recommendation of a policy of the registry; `None` if it has none, or another rule chooses.
    pub(crate) fn recommend(&self) -> Option<u32> {
        match &self.rule {
            Rule::Policy(chooser) => chooser.recommend(),
            _ => None,
        }
    }
}

/// The pair from which most is learnt, among those that are new to the judge.
fn most_informative(model: &Posterior, competitors: usize, pairs: Pairs<'_>, generator: &mut Generator) -> Competitors {
    let all_pairs = (0..competitors as u32).flat_map(|j| (0..j).map(move |i| (i, j)));
    let gain = |(i, j): Competitors| model.gain(i as usize, j as usize, pairs.open((i, j)));
    largest(all_pairs.filter(|pair| pairs.is_new(*pair)), gain, generator).unwrap_or((0, 1))
}

/// The candidate with the largest value, equal ones at random; `None` of nothing.
fn largest<T: Copy>(
    candidates: impl Iterator<Item = T>,
    value: impl Fn(T) -> f64,
    generator: &mut Generator,
) -> Option<T> {
    let (mut best, mut largest, mut ties) = (None, f64::NEG_INFINITY, 0);
    for candidate in candidates {
        let candidate_value = value(candidate);
        if candidate_value > largest {
            (best, largest, ties) = (Some(candidate), candidate_value, 1);
        } else if candidate_value == largest {
            ties += 1;
            if bandits::random::below(generator, ties) == 0 {
                best = Some(candidate);
            }
        }
    }
    best
}
