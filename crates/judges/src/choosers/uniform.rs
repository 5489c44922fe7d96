//! A balanced design: rounds in which every competitor meets another, and cycles in which every pair meets once.
//!
//! The rounds are those of a round-robin tournament by the usual rotation, of competitors in an order drawn for each cycle. Two
//! rounds in a row together form one path through all competitors (for an even number, a ring): so the first K - 1 pairs of a
//! cycle connect all of them.

use std::collections::VecDeque;

use crate::config::Config;
use crate::model::Competitors;
use crate::screen::order;

/// The progress of the design.
#[derive(Debug, Clone)]
pub(crate) struct Uniform {
    seed: u64,
    competitors: u32,
    cycle: u64,
    /// The pairs of this cycle that have been asked.
    next_pair: u32,
    /// The competitors in the order of this cycle.
    order: Vec<u32>,
    /// Pairs that were asked and never answered: asked again when the cycle is over.
    owed_pairs: VecDeque<Competitors>,
    /// Pairs that another revision asked: passed over once each.
    met_pairs: Vec<Competitors>,
}

impl Uniform {
    pub(super) fn new(config: &Config) -> Self {
        let competitors = config.names.len() as u32;
        Self {
            seed: config.seed,
            competitors,
            cycle: 0,
            next_pair: 0,
            order: order(config.seed, "cycle", 0, competitors),
            owed_pairs: VecDeque::new(),
            met_pairs: Vec::new(),
        }
    }

    /// The next pair that is new to the judge. Those that are not are asked at the end of the cycle, when others may judge.
    pub(super) fn choose(&mut self, is_new: impl Fn(Competitors) -> bool) -> Competitors {
        let mut passed = Vec::new();
        let pairs = (self.competitors * (self.competitors - 1) / 2) as usize;
        let pair = loop {
            let pair = self.next_new_pair();
            let (i, j) = (pair.0.min(pair.1), pair.0.max(pair.1));
            match self.met_pairs.iter().position(|met| *met == (i, j)) {
                Some(index) => drop(self.met_pairs.swap_remove(index)),
                // Within two cycles, each pair is passed.
                None if !is_new(pair) && passed.len() <= 2 * pairs => passed.push(pair),
                None => break pair,
            }
        };
        self.owed_pairs.extend(passed);
        pair
    }

    fn next_new_pair(&mut self) -> Competitors {
        let pairs = self.competitors * (self.competitors - 1) / 2;
        if self.next_pair == pairs {
            if let Some(pair) = self.owed_pairs.pop_front() {
                return pair;
            }
            self.cycle += 1;
            self.next_pair = 0;
            self.order = order(self.seed, "cycle", self.cycle, self.competitors);
        }
        let (i, j) = pair_at(self.competitors, self.next_pair);
        self.next_pair += 1;
        (self.order[i as usize], self.order[j as usize])
    }

    pub(super) fn forget(&mut self, pair: Competitors) {
        self.owed_pairs.push_back(pair);
    }

    pub(super) fn note_met(&mut self, (first, second): Competitors) {
        self.met_pairs.push((first.min(second), first.max(second)));
    }
}

/// The pair at a place of a cycle: one competitor stays, the others rotate around.
fn pair_at(competitors: u32, number: u32) -> Competitors {
    // With an odd number, one of each round rests: it would meet a last competitor that is not there.
    let (ring, resting) = if competitors.is_multiple_of(2) { (competitors - 1, 0) } else { (competitors, 1) };
    let per_round = ring.div_ceil(2) - resting;
    let (round, slot) = (number / per_round, number % per_round + resting);
    if slot == 0 { (ring, round) } else { ((round + slot) % ring, (round + ring - slot) % ring) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connected(competitors: u32, pairs: &[Competitors]) -> bool {
        let mut group: Vec<u32> = (0..competitors).collect();
        for &(i, j) in pairs {
            let (from, to) = (group[i as usize], group[j as usize]);
            group.iter_mut().filter(|one| **one == from).for_each(|one| *one = to);
        }
        group.iter().all(|one| *one == group[0])
    }

    #[test]
    fn a_cycle_has_every_pair_once_and_its_beginning_connects_all() {
        for competitors in 2..40 {
            let mut uniform = Uniform::new(&Config::of((0..competitors).map(|i| i.to_string())));
            for _ in 0..3 {
                let mut pairs: Vec<_> =
                    (0..competitors * (competitors - 1) / 2).map(|_| uniform.choose(|_| true)).collect();
                assert!(connected(competitors, &pairs[..competitors as usize - 1]), "{competitors}");
                for rounds in 1..=pairs.len() {
                    let mut count = vec![0; competitors as usize];
                    pairs[..rounds].iter().for_each(|(i, j)| {
                        count[*i as usize] += 1;
                        count[*j as usize] += 1;
                    });
                    let (least, most) = (count.iter().min().unwrap(), count.iter().max().unwrap());
                    assert!(most - least <= 2, "{competitors}: everybody takes part alike");
                }
                pairs.iter_mut().for_each(|pair| *pair = (pair.0.min(pair.1), pair.0.max(pair.1)));
                pairs.sort_unstable();
                pairs.dedup();
                assert_eq!(pairs.len() as u32, competitors * (competitors - 1) / 2);
            }
        }
    }

    #[test]
    fn a_pair_never_answered_is_asked_again_when_the_cycle_is_over() {
        let mut uniform = Uniform::new(&Config::of(["a", "b", "c"]));
        let first = uniform.choose(|_| true);
        uniform.forget(first);
        let rest = [uniform.choose(|_| true), uniform.choose(|_| true)];
        assert!(rest.iter().all(|pair| *pair != first));
        assert_eq!(uniform.choose(|_| true), first);
        // A judge who has seen a pair gets others first.
        let passed = uniform.choose(|_| true);
        uniform.forget(passed);
        let asked: Vec<_> = (0..3).map(|_| uniform.choose(|pair| pair != passed)).collect();
        assert!(asked.iter().all(|pair| *pair != passed), "{asked:?}");
        assert!((0..3).any(|_| uniform.choose(|_| true) == passed));
    }
}
