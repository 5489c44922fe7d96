//! Plans for many impressions, for servers that cannot ask before each.

use std::collections::BTreeMap;

use rand::SeedableRng as _;

use super::{OpenError, OpenPolicy, Ticket};
use crate::random::shuffle;
use crate::{Arm, Choice, Generator, PairWins, Preference};

/// How often to show what, of a number of impressions: made by [`OpenPolicy::allocate`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocation {
    /// Each pair, set or lone arm with its impressions, at least one; they add up to the requested number.
    pub shares: Vec<Share>,
}

/// A pair, a set or a lone arm, and how often to show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// One arm to show alone, two to interleave (the lower first), or those of a set to multileave.
    pub arms: Vec<Arm>,
    /// How many impressions, at least 1.
    pub impressions: u64,
    /// One ticket per impression, in the order of choices; none if there is nothing to learn.
    tickets: Vec<DrawnPair>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DrawnPair {
    ticket: Ticket,
    /// The pair was chosen the higher arm first.
    turned: bool,
}

/// The outcomes of a pair's impressions, added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PairOutcomes {
    /// How many the first arm of the share won.
    pub first: u64,
    /// How many the second won.
    pub second: u64,
    /// How many were ties.
    pub ties: u64,
}

impl Allocation {
    /// How many impressions there are in all.
    #[must_use]
    pub fn impressions(&self) -> u64 {
        self.shares.iter().map(|share| share.impressions).sum()
    }
}

impl Share {
    /// The tickets, one per impression if there is something to learn: for a server that knows the outcome of each.
    /// An outcome is that of the policy's own order of the arms, which [`settle`](OpenPolicy::settle) takes care of.
    pub fn tickets(&self) -> impl Iterator<Item = Ticket> + '_ {
        self.tickets.iter().map(|drawn| drawn.ticket)
    }
}

impl OpenPolicy {
    /// Chooses for this many impressions at a time and adds up the choices: a table for a server that draws from it, or
    /// goes through it, on its own. [`settle`](Self::settle) takes the outcomes of each pair together.
    ///
    /// The shares are those that the policy would choose one by one without any outcome in between: a
    /// sampler draws each, and a rule of upper bounds spreads its impressions as its bounds get narrower. Batches of
    /// fixed sizes that grow by a factor are the setting of A. Agarwal, R. Ghuge, V. Nagarajan, "Batched Dueling
    /// Bandits", ICML 2022, <https://doi.org/10.48550/arXiv.2202.10660>: a number of batches logarithmic in the horizon
    /// costs little there.
    ///
    /// ```
    /// use bandits::Generators;
    /// use bandits::open::PairOutcomes;
    /// use bandits::registry::Spec;
    ///
    /// let spec: Spec = "rucb".parse()?;
    /// let mut policy = spec.open(5, None, &Generators::from_seed(1))?;
    /// for _day in 0..30 {
    ///     let table = policy.allocate(1_000);
    ///     assert_eq!(table.impressions(), 1_000);
    ///     for share in table.shares.iter().filter(|share| share.arms.len() == 2) {
    ///         // Seven in ten users prefer the lower arm, and some click nothing.
    ///         let first = share.impressions * 6 / 10;
    ///         let second = share.impressions * 3 / 10;
    ///         let ties = share.impressions - first - second;
    ///         policy.settle(share, PairOutcomes { first, second, ties })?;
    ///     }
    /// }
    /// assert_eq!(policy.recommend(), Some(bandits::Arm(0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn allocate(&mut self, impressions: u64) -> Allocation {
        let mut shares: Vec<Share> = Vec::new();
        let mut places: BTreeMap<Vec<Arm>, usize> = BTreeMap::new();
        let last = self.step.saturating_add(impressions);
        while self.step < last {
            let asked = self.ask();
            let ticket = asked.ticket;
            let (arms, turned) = match asked.choice {
                Choice::Alone { arm, .. } => (vec![arm], false),
                Choice::Duel(first, second) if first == second => (vec![first], false),
                Choice::Duel(first, second) => (vec![first.min(second), first.max(second)], second < first),
                Choice::Set(arms) => (arms.to_vec(), false),
            };
            let before = asked.step - 1;
            let shown = if ticket.is_none() { self.stay(last) - before } else { 1 };
            let place = *places.entry(arms).or_insert_with_key(|arms| {
                shares.push(Share { arms: arms.clone(), impressions: 0, tickets: Vec::new() });
                shares.len() - 1
            });
            shares[place].impressions += shown;
            shares[place].tickets.extend(ticket.map(|ticket| DrawnPair { ticket, turned }));
        }
        Allocation { shares }
    }

    /// The outcomes of a pair's impressions, added up. If they are fewer than the impressions, the rest is forgotten.
    /// Which ticket gets which outcome is drawn, by the policy's history, so that no order of outcomes is favoured.
    ///
    /// # Errors
    /// If there are more outcomes than impressions, the share is not that of a pair, or one of its tickets is not open.
    /// Nothing changes then.
    pub fn settle(&mut self, share: &Share, outcomes: PairOutcomes) -> Result<(), OpenError> {
        let PairOutcomes { first, second, ties } = outcomes;
        let all = first.saturating_add(second).saturating_add(ties);
        let tickets = share.tickets.len() as u64;
        if share.arms.len() != 2 || all > tickets {
            let tickets = if share.arms.len() == 2 { tickets } else { 0 };
            return Err(OpenError::TooManyOutcomes { outcomes: all, tickets });
        }
        for ticket in share.tickets() {
            self.tickets.arms(ticket)?;
        }
        let kinds =
            [(Some(Preference::First), first), (Some(Preference::Second), second), (Some(Preference::Tie), ties)];
        let mut drawn: Vec<Option<Preference>> =
            kinds.into_iter().flat_map(|(outcome, count)| std::iter::repeat_n(outcome, count as usize)).collect();
        drawn.resize(share.tickets.len(), None);
        shuffle(&mut Generator::seed_from_u64(self.history), &mut drawn);
        let mut wins = PairWins::default();
        for (&DrawnPair { ticket, turned }, outcome) in share.tickets.iter().zip(drawn) {
            let Some(outcome) = outcome else {
                self.forget(ticket)?;
                continue;
            };
            let outcome = match outcome {
                Preference::First if turned => Preference::Second,
                Preference::Second if turned => Preference::First,
                outcome => outcome,
            };
            if matches!(self.tickets.choice(ticket), Choice::Duel(..)) {
                self.tell(ticket, outcome)?;
            } else {
                // A set of two.
                wins.reset(2);
                wins.set(0, 1, outcome);
                self.tell(ticket, &wins)?;
            }
        }
        Ok(())
    }
}
