//! Outcomes of days that are over, as logs give them: counts per pair, no matter what chose the pairs.

use std::collections::{BTreeMap, VecDeque};

use rand::SeedableRng as _;

use super::{OpenError, OpenPolicy, PairOutcomes};
use crate::random::shuffle;
use crate::{Arm, Choice, Generator, Preference};

/// Outcomes that a policy has not used yet, by pair.
#[derive(Debug, Clone)]
pub struct OutcomePool {
    /// The outcomes of the lower arm of the pair, the oldest first.
    pairs: BTreeMap<(Arm, Arm), VecDeque<Preference>>,
    generator: Generator,
}

/// How a policy used outcomes of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AbsorbedOutcomes {
    /// Outcomes of impressions of the policy's table.
    pub planned: u64,
    /// Outcomes of impressions that it chose after its table was settled.
    pub further: u64,
}

impl OutcomePool {
    /// An empty pool. The order within a day is drawn, by `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { pairs: BTreeMap::new(), generator: Generator::seed_from_u64(seed) }
    }

    /// Adds the outcomes of a day's impressions of two different arms.
    pub fn record(&mut self, first: Arm, second: Arm, outcomes: PairOutcomes) {
        let PairOutcomes { first: won, second: lost, ties } = outcomes;
        let (won, lost) = if first < second { (won, lost) } else { (lost, won) };
        let kinds = [(Preference::First, won), (Preference::Second, lost), (Preference::Tie, ties)];
        let mut drawn: Vec<Preference> =
            kinds.into_iter().flat_map(|(outcome, count)| std::iter::repeat_n(outcome, count as usize)).collect();
        shuffle(&mut self.generator, &mut drawn);
        self.pairs.entry((first.min(second), first.max(second))).or_default().extend(drawn);
    }

    /// How many outcomes are left.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.pairs.values().map(|outcomes| outcomes.len() as u64).sum()
    }

    /// The oldest outcomes of a pair, at most `count`, removed and added up.
    fn take(&mut self, pair: &[Arm], count: u64) -> PairOutcomes {
        let mut sum = PairOutcomes::default();
        let queue = match *pair {
            [lower, higher] => self.pairs.get_mut(&(lower, higher)),
            _ => None,
        };
        let Some(queue) = queue else { return sum };
        for outcome in queue.drain(..queue.len().min(count as usize)) {
            match outcome {
                Preference::First => sum.first += 1,
                Preference::Second => sum.second += 1,
                Preference::Tie => sum.ties += 1,
            }
        }
        sum
    }

    /// The oldest outcome of a duel.
    fn pop(&mut self, first: Arm, second: Arm) -> Option<Preference> {
        let outcome = self.pairs.get_mut(&(first.min(second), first.max(second)))?.pop_front()?;
        Some(match outcome {
            Preference::First if second < first => Preference::Second,
            Preference::Second if second < first => Preference::First,
            outcome => outcome,
        })
    }
}

impl OpenPolicy {
    /// Learns from the outcomes of a day that is over. What was shown need not be what the policy would have shown.
    ///
    /// First the policy makes its table for the day, of `impressions` ([`allocate`](Self::allocate)), and its pairs get
    /// outcomes of the pool; where it has fewer, tickets are forgotten. So the log of the policy's own
    /// decisions is learnt as they were made. Then, as long as outcomes are left, the policy chooses further pairs, and each
    /// that is in the pool gets its outcome immediately: the replay of L. Li, W. Chu, J. Langford, X. Wang, "Unbiased Offline Evaluation
    /// of Contextual-bandit-based News Article Recommendation Algorithms", WSDM 2011, <https://doi.org/10.1145/1935826.1935878>.
    /// It ends when the policy keeps choosing pairs without outcomes. The rest stays in the pool, for later days.
    ///
    /// ```
    /// use bandits::open::{OutcomePool, PairOutcomes};
    /// use bandits::registry::Spec;
    /// use bandits::{Arm, Generators};
    ///
    /// let spec: Spec = "rucb".parse()?;
    /// let mut policy = spec.open(3, None, &Generators::from_seed(1))?;
    /// let mut pool = OutcomePool::new(1);
    /// // A day on which each pair was shown a thousand times, and the arm with the lower number won 60%.
    /// for (first, second) in [(0, 1), (0, 2), (1, 2)] {
    ///     pool.record(Arm(first), Arm(second), PairOutcomes { first: 600, second: 400, ties: 0 });
    /// }
    /// policy.absorb(&mut pool, 3_000)?;
    /// assert_eq!(policy.recommend(), Some(Arm(0)));
    /// let tomorrow = policy.allocate(1_000);
    /// # let _ = tomorrow;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`settle`](Self::settle): none, for a policy that chooses duels.
    pub fn absorb(&mut self, pool: &mut OutcomePool, impressions: u64) -> Result<AbsorbedOutcomes, OpenError> {
        let mut absorbed = AbsorbedOutcomes::default();
        for share in self.allocate(impressions).shares {
            match share.arms.len() {
                2 => {
                    let outcomes = pool.take(&share.arms, share.tickets().count() as u64);
                    absorbed.planned += outcomes.first + outcomes.second + outcomes.ties;
                    self.settle(&share, outcomes)?;
                }
                _ => share.tickets().try_for_each(|ticket| self.forget(ticket))?,
            }
        }
        // Rules that draw choose a pair with outcomes sooner or later; others repeat their choices.
        let pairs = self.arms() * self.arms() / 2;
        let patience = 1_000 + 16 * pairs;
        let (mut left_in_pool, mut misses, mut open) = (pool.left(), 0, Vec::new());
        while left_in_pool > 0 && misses < patience {
            let choice = self.ask();
            match (choice.ticket, choice.choice) {
                (Some(ticket), Choice::Duel(first, second)) => match pool.pop(first, second) {
                    Some(outcome) => {
                        self.tell(ticket, outcome)?;
                        absorbed.further += 1;
                        (left_in_pool, misses) = (left_in_pool - 1, 0);
                    }
                    // It stays open, so that the policy chooses others.
                    None => {
                        open.push(ticket);
                        misses += 1;
                    }
                },
                (Some(ticket), _) => {
                    open.push(ticket);
                    misses += 1;
                }
                (None, _) => misses += 1,
            }
        }
        open.into_iter().try_for_each(|ticket| self.forget(ticket))?;
        Ok(absorbed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Generators;
    use crate::registry::Spec;

    const DAY: u64 = 2_000;

    fn open(name: &str) -> OpenPolicy {
        let spec: Spec = name.parse().unwrap();
        spec.open(4, None, &Generators::from_seed(7)).unwrap()
    }

    /// Outcomes of a share: the lower arm wins 6 of 10, and 1 of 10 ties.
    fn outcomes(count: u64) -> PairOutcomes {
        PairOutcomes { first: count * 6 / 10, second: count - count * 6 / 10 - count / 10, ties: count / 10 }
    }

    #[test]
    fn a_log_of_its_own_tables_is_learnt_as_it_was_decided() {
        for name in ["rucb", "dts", "rmed1", "mergerucb", "self-sparring"] {
            let (mut server, mut later) = (open(name), open(name));
            for day in 0..5 {
                let mut pool = OutcomePool::new(day);
                let table = server.allocate(DAY);
                for share in table.shares.iter().filter(|share| share.arms.len() == 2) {
                    let outcomes = outcomes(share.tickets().count() as u64);
                    pool.record(share.arms[0], share.arms[1], outcomes);
                    server.settle(share, outcomes).unwrap();
                }
                let logged = pool.left();
                let absorbed = later.absorb(&mut pool, DAY).unwrap();
                assert_eq!((absorbed.planned, absorbed.further, pool.left()), (logged, 0, 0), "{name}");
            }
            assert_eq!(server.allocate(DAY), later.allocate(DAY), "{name}");
            assert_eq!(later.recommend(), Some(Arm(0)), "{name}");
        }
    }

    #[test]
    fn what_others_decided_is_used_as_far_as_the_policy_asks() {
        for name in ["rucb", "rcs", "dts", "rmed1", "mergerucb"] {
            let mut policy = open(name);
            let mut pool = OutcomePool::new(1);
            let mut used = 0;
            for _day in 0..10 {
                for (first, second) in [(1, 0), (0, 2), (3, 0), (1, 2), (1, 3), (3, 2)] {
                    let fair = outcomes(500);
                    let turned = PairOutcomes { first: fair.second, second: fair.first, ties: fair.ties };
                    pool.record(Arm(first), Arm(second), if first < second { fair } else { turned });
                }
                let before = pool.left();
                let AbsorbedOutcomes { planned, further } = policy.absorb(&mut pool, 3_000).unwrap();
                assert_eq!(before - pool.left(), planned + further, "{name}");
                used += planned + further;
            }
            assert_eq!(policy.recommend(), Some(Arm(0)), "{name}");
            assert!(used >= 1_000, "{name} used {used}");
            let tally = policy.tally();
            assert_eq!((tally.open, tally.told), (0, used), "{name}");
        }
    }
}
