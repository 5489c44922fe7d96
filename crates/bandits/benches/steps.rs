//! What a step costs while a policy explores, in nanoseconds: the policy, its duel on a matrix and
//! the run loop, plain form and fast form side by side.
//!
//! `cargo bench -p bandits` runs all; `cargo bench -p bandits -- rucb 136` those whose name and
//! number of arms are among the words given.
#![allow(clippy::print_stdout, reason = "a bench says what it measured")]

use std::time::Instant;

use bandits::plain::{
    PlainBtm, PlainDoubleThompson, PlainInterleavedFilter, PlainMdb, PlainMergeDts, PlainMergeRucb,
    PlainRcs, PlainRmed1, PlainRucb, PlainSavage,
};
use bandits::policies::{
    btm, dts, interleaved_filter, mdb, merge_dts, merge_rucb, rcs, rmed, rts, rucb, savage,
};
use bandits::registry::{PolicyVisitor, Spec, entries};
use bandits::{
    Algorithm, Arena, Choice, Generators, MatrixArena, Observer, Policy, PreferenceMatrix, play,
};

/// Arms so close to each other that no policy settles within a bench: p(0, 1) is 0.5025.
fn close_call(arms: usize) -> MatrixArena {
    let matrix = PreferenceMatrix::from_upper(arms, |i, j| {
        0.5 + 0.3 * (1.0 - (-f64::from(j.0 - i.0) / 120.0).exp())
    });
    MatrixArena::new(matrix.expect("probabilities")).expect("arm 0 wins")
}

/// Counts the steps that were no stretch alone, and the duels they held.
#[derive(Default)]
struct Count {
    choices: u64,
    duels: u64,
}

impl Observer for Count {
    fn played(&mut self, _from: u64, _to: u64, choice: Choice<'_>, _gaps: &[f64]) {
        self.choices += 1;
        self.duels += match choice {
            Choice::Set(arms) => (arms.len() * (arms.len() - 1) / 2) as u64,
            _ => 1,
        };
    }
}

/// Steps between two looks at the clock: long enough for its own cost not to show, short enough
/// for the median not to see what else the machine does.
const SLICE: u64 = 256;

/// Plays a policy from its first step on.
struct Stint<'a> {
    arena: &'a MatrixArena,
    /// How many steps count as exploring.
    steps: u64,
    /// How many steps at first are not counted.
    skip: u64,
    /// When to stop at the latest, unless nothing was counted yet.
    end: Instant,
}

impl PolicyVisitor for Stint<'_> {
    /// Nanoseconds a choice and a duel, slice by slice.
    type Output = Vec<(f64, f64)>;

    fn visit<P: Policy + Send>(self, policy: P) -> Self::Output {
        let mut policy = Resumed { policy, played: 0 };
        let mut arena = self.arena.clone();
        let mut generators = Generators::from_seed(1);
        let mut slices = Vec::new();
        while policy.played < self.steps && (Instant::now() < self.end || slices.is_empty()) {
            let mut count = Count::default();
            let start = Instant::now();
            play(&mut policy, &mut arena, SLICE, &mut generators, &mut count);
            let nanoseconds = start.elapsed().as_secs_f64() * 1e9;
            policy.played += SLICE;
            // Slices spent alone say nothing of exploring, nor do those that only fetch each pair once.
            if count.choices >= SLICE / 2 && policy.played > self.skip {
                slices.push((
                    nanoseconds / count.choices as f64,
                    nanoseconds / count.duels as f64,
                ));
            }
        }
        slices
    }
}

/// The median slice of as many stints as fit into `seconds`.
fn median(
    arena: &MatrixArena,
    skip: u64,
    seconds: f64,
    mut visit: impl FnMut(Stint<'_>) -> Vec<(f64, f64)>,
) -> (f64, f64) {
    let end = Instant::now() + std::time::Duration::from_secs_f64(seconds);
    let steps = 40 * (arena.arms() * arena.arms()) as u64;
    let mut slices = Vec::new();
    while Instant::now() < end {
        slices.extend(visit(Stint {
            arena,
            steps,
            skip,
            end,
        }));
    }
    slices.sort_by(|a, b| a.0.total_cmp(&b.0));
    slices
        .get(slices.len() / 2)
        .copied()
        .unwrap_or((f64::NAN, f64::NAN))
}

/// A policy that has played before.
struct Resumed<P> {
    policy: P,
    played: u64,
}

impl<P: Policy> Policy for Resumed<P> {
    fn arms(&self) -> usize {
        self.policy.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut bandits::Generator) -> Choice<'_> {
        self.policy.choose(step + self.played, generator)
    }

    fn learn(&mut self, step: u64, feedback: bandits::Feedback<'_>) {
        self.policy.learn(step + self.played, feedback);
    }

    fn best(&self, generator: &mut bandits::Generator) -> Option<bandits::Arm> {
        self.policy.best(generator)
    }
}

fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|w| !w.starts_with('-'))
        .collect();
    let numbers: Vec<usize> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let names: Vec<&String> = words
        .iter()
        .filter(|w| w.parse::<usize>().is_err())
        .collect();
    println!(
        "{:<12} {:>5} {:>14} {:>14} {:>14}",
        "algorithm", "arms", "ns a choice", "ns a duel", "plain, choice"
    );
    for entry in entries() {
        if !names.is_empty() && !names.iter().any(|name| *name == entry.name) {
            continue;
        }
        for arms in [10, 64, 136, 700] {
            if !numbers.is_empty() && !numbers.contains(&arms) {
                continue;
            }
            let arena = close_call(arms);
            let opening = entry.name == rmed::Rmed1Config::NAME;
            let skip = if opening { (arms * arms / 2) as u64 } else { 0 };
            let spec: Spec = entry.name.parse().expect("a registered name");
            let (choice, duel) = median(&arena, skip, 1.0, |stint| {
                spec.visit(arms, u64::MAX, stint).expect("arms")
            });
            let slow =
                |visit: &dyn Fn(Stint<'_>) -> Vec<(f64, f64)>| median(&arena, skip, 0.5, visit);
            let plain = match entry.name {
                rucb::Config::NAME => Some(slow(&|stint| {
                    stint.visit(PlainRucb::new(&Default::default(), arms))
                })),
                merge_rucb::Config::NAME => Some(slow(&|stint| {
                    stint.visit(PlainMergeRucb::new(&Default::default(), arms))
                })),
                rmed::Rmed1Config::NAME => Some(slow(&|stint| {
                    stint.visit(PlainRmed1::new(&Default::default(), arms))
                })),
                mdb::Config::NAME => Some(slow(&|stint| {
                    stint.visit(PlainMdb::new(&Default::default(), arms))
                })),
                interleaved_filter::If1::NAME => Some(slow(&|stint| {
                    stint.visit(PlainInterleavedFilter::new(
                        &interleaved_filter::If1::default(),
                        arms,
                        u64::MAX,
                    ))
                })),
                interleaved_filter::If2::NAME => Some(slow(&|stint| {
                    stint.visit(PlainInterleavedFilter::new(
                        &interleaved_filter::If2::default(),
                        arms,
                        u64::MAX,
                    ))
                })),
                btm::Config::NAME => Some(slow(&|stint| {
                    stint.visit(PlainBtm::new(&Default::default(), arms, u64::MAX))
                })),
                savage::Config::NAME => Some(slow(&|stint| {
                    stint.visit(PlainSavage::new(&Default::default(), arms, u64::MAX))
                })),
                rcs::Config::NAME => Some(slow(&|stint| {
                    stint.visit(PlainRcs::new(&Default::default(), arms))
                })),
                rts::Config::NAME => Some(slow(&|stint| {
                    stint.visit(PlainDoubleThompson::rts(&Default::default(), arms))
                })),
                dts::Dts::NAME => Some(slow(&|stint| {
                    stint.visit(PlainDoubleThompson::new(&dts::Dts::default(), arms))
                })),
                dts::DtsPlus::NAME => Some(slow(&|stint| {
                    stint.visit(PlainDoubleThompson::new(&dts::DtsPlus::default(), arms))
                })),
                merge_dts::Config::NAME => Some(slow(&|stint| {
                    stint.visit(PlainMergeDts::new(&Default::default(), arms))
                })),
                _ => None,
            };
            let plain = plain.map_or_else(String::new, |(choice, _)| format!("{choice:.1}"));
            println!(
                "{:<12} {arms:>5} {choice:>14.1} {duel:>14.2} {plain:>14}",
                entry.name
            );
        }
    }
}
