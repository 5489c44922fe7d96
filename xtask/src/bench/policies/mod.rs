//! P6 to P8: the cost of a step of each dueling bandit while it explores, reference form and fast form side by side.

mod needs;
pub(super) mod open;
mod openings;
mod reference;

use std::time::{Duration, Instant};

use anyhow::Result;
use bandits::registry::{PolicyVisitor, Spec, entries};
use bandits::{Arm, Choice, Feedback, Generator, Generators, MatrixArena, Observer, Policy, PreferenceMatrix, play};
use rand::{RngExt, SeedableRng};

use super::measure::Row;
use needs::Needs;

/// Which of them to measure.
#[derive(Debug, clap::Args)]
pub(super) struct PolicySelection {
    /// Measure only these policies [default: all]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    algorithms: Vec<String>,

    /// Numbers of arms to measure policies with [default: 10,64,136,700]
    #[arg(long, value_name = "K,...", value_delimiter = ',')]
    arms: Vec<usize>,
}

impl PolicySelection {
    /// Whether it leaves something out.
    pub(super) fn is_part(&self) -> bool {
        !self.algorithms.is_empty() || !self.arms.is_empty()
    }
}

/// Steps per timed slice: enough for the clock's cost not to matter, few enough for the median to ignore whatever
/// else the machine does.
const SLICE: u64 = 512;
/// Slices per measurement, fewer if they do not fit into `LONGEST`.
const SLICES: usize = 600;
/// Limit on the time of one measurement, and on the time until every pair has met.
const MAX_TIME: Duration = Duration::from_millis(600);

/// Measures, prints a line for each algorithm and number of arms, and gives the rows for the record.
pub(super) fn measure(which: &PolicySelection) -> Result<Vec<Row>> {
    let sizes = if which.arms.is_empty() { vec![10, 64, 136, 700] } else { which.arms.clone() };
    for name in &which.algorithms {
        let _: Spec = name.parse()?;
    }
    println!("{:22}{:>6}{:>14}{:>14}{:>10}", "ns a step, exploring", "arms", "plain", "fast", "times");
    let mut rows = Vec::new();
    for entry in entries() {
        if !which.algorithms.is_empty() && !which.algorithms.iter().any(|name| name == entry.name) {
            continue;
        }
        let spec: Spec = entry.name.parse()?;
        for &arms in &sizes {
            let arena = MatrixArena::new(near_ties(arms))?;
            let timed = TimedPolicy { arena: &arena, opening: openings::steps(entry.name, arms) };
            let fast = spec.visit(arms, Some(HORIZON), timed)?;
            let plain = reference::time(entry.name, arms, timed);
            let (goal, target) = goal(entry.name, arms);
            let what = format!("{}, step exploring {arms} arms", entry.name);
            let row = Row { goal, what: what.clone(), unit: "ns", value: fast, target };
            print_row(&row, entry.name, arms, plain);
            rows.push(row);
            let plain = plain.map(|value| Row { goal: "", what: what + ", plain", unit: "ns", value, target: None });
            rows.extend(plain);
        }
    }
    Ok(rows)
}

fn print_row(row: &Row, name: &str, arms: usize, plain: Option<f64>) {
    let (plain, times) = plain.map_or_else(
        || ("-".to_owned(), String::new()),
        |plain| (format!("{plain:.1}"), format!("{:.1}", plain / row.value)),
    );
    let goal = row.target.map_or_else(String::new, |target| {
        format!("   {} {target:.0} {}", row.goal, if row.met() == Some(true) { "met" } else { "MISSED" })
    });
    println!("{name:22}{arms:>6}{plain:>14}{:>14.1}{times:>10}{goal}", row.value);
}

/// The horizon that policies get.
const HORIZON: u64 = 1_000_000_000;

fn goal(name: &str, arms: usize) -> (&'static str, Option<f64>) {
    let by_arms = |few: f64, many: f64| match arms {
        136 => Some(few),
        700 => Some(many),
        _ => None,
    };
    match name {
        "mergerucb" => ("P6", by_arms(20.0, 20.0)),
        "rucb" | "rmed1" | "rcs" => ("P7", by_arms(80.0, 250.0)),
        "sparring" => ("P7", by_arms(150.0, 150.0)),
        "savage" | "btm" => ("P7", by_arms(150.0, 600.0)),
        // Three times the cost of the rule's own needs.
        _ => Needs::of(name).map_or(("", None), |needs| ("P8", Some(3.0 * needs.nanoseconds(arms)))),
    }
}

/// A matrix of arms that are hard to distinguish, so that every policy keeps exploring: arm i beats every later one with a probability
/// slightly above 1/2.
pub(super) fn near_ties(arms: usize) -> PreferenceMatrix {
    let mut generator = Generator::seed_from_u64(1);
    let mut entries = vec![0.5; arms * arms];
    for low in 0..arms {
        for high in low + 1..arms {
            let preference = 0.5 + generator.random_range(0.002..0.01);
            entries[low * arms + high] = preference;
            entries[high * arms + low] = 1.0 - preference;
        }
    }
    PreferenceMatrix::new(arms, entries).expect("a sound matrix")
}

/// Plays a policy and returns the nanoseconds per step from which it learns: the median slice.
#[derive(Clone, Copy)]
struct TimedPolicy<'a> {
    arena: &'a MatrixArena,
    opening: u64,
}

impl PolicyVisitor for TimedPolicy<'_> {
    type Output = f64;

    fn visit<P: Policy + Send>(self, policy: P) -> f64 {
        let mut policy = ResumedPolicy { policy, played: 0 };
        let mut arena = self.arena.clone();
        let mut generators = Generators::from_seed(1);
        let begun = Instant::now();
        while policy.played < self.opening && begun.elapsed() < MAX_TIME {
            policy.play(SLICE, &mut arena, &mut generators);
        }
        let (begun, mut slice) = (Instant::now(), SLICE);
        let mut slices = Vec::new();
        while slices.len() < SLICES && (begun.elapsed() < MAX_TIME || slices.is_empty()) {
            let start = Instant::now();
            let learnt = policy.play(slice, &mut arena, &mut generators);
            let spent = start.elapsed();
            // A slice in which an arm mostly plays alone does not measure exploration.
            if 2 * learnt >= slice {
                slices.push(spent.as_secs_f64() * 1e9 / learnt as f64);
            }
            // Fewer steps suffice where each takes long.
            if spent > MAX_TIME / 20 {
                slice = (slice / 8).max(1);
            }
        }
        slices.sort_by(f64::total_cmp);
        slices[slices.len() / 2]
    }
}

/// A policy that continues where it stopped.
struct ResumedPolicy<P> {
    policy: P,
    played: u64,
}

impl<P: Policy> ResumedPolicy<P> {
    /// Plays on; returns the number of steps from which the policy learnt.
    fn play(&mut self, steps: u64, arena: &mut MatrixArena, generators: &mut Generators) -> u64 {
        let mut learnt = LearningTime(0);
        play(self, arena, steps, generators, &mut learnt);
        self.played += steps;
        learnt.0
    }
}

impl<P: Policy> Policy for ResumedPolicy<P> {
    fn arms(&self) -> usize {
        self.policy.arms()
    }

    #[inline]
    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        self.policy.choose(step + self.played, generator)
    }

    #[inline]
    fn learn(&mut self, step: u64, feedback: Feedback<'_>) {
        self.policy.learn(step + self.played, feedback);
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        self.policy.recommend(generator)
    }
}

struct LearningTime(u64);

impl Observer for LearningTime {
    #[inline]
    fn played(&mut self, _from: u64, _to: u64, choice: Choice<'_>, _gaps: &[f64]) {
        self.0 += u64::from(!matches!(choice, Choice::Alone { .. }));
    }
}
