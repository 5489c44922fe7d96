//! P6 to P8: what a step of each dueling bandit costs while it explores.

use std::time::{Duration, Instant};

use anyhow::Result;
use bandits::registry::{PolicyVisitor, Spec, entries};
use bandits::{Arm, Choice, Generator, Generators, MatrixArena, Observer, Policy, PreferenceMatrix, play};
use rand::{RngExt, SeedableRng};

use super::measure::Row;

/// Numbers of arms, as the peers were measured.
const ARMS: [usize; 4] = [10, 64, 136, 700];

/// Steps of which something was learnt, a repetition ...
const STEPS: u64 = 300_000;

/// ... or as many as fit into this, for policies whose rule needs many draws a step.
const LONGEST: Duration = Duration::from_millis(400);

pub(super) fn rows() -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for entry in entries() {
        let spec: Spec = entry.name.parse()?;
        for arms in ARMS {
            let arena = MatrixArena::new(near_ties(arms))?;
            let mut times = Vec::new();
            for repetition in 0..3 {
                let timed = Timed { arena: arena.clone(), seed: repetition };
                times.push(spec.visit(arms, 1_000_000_000, timed)?);
            }
            times.sort_by(f64::total_cmp);
            let (goal, target) = goal(entry.name, arms);
            rows.push(Row {
                goal,
                what: format!("{}, step exploring {arms} arms", entry.name),
                unit: "ns",
                value: times[1],
                target,
            });
        }
    }
    Ok(rows)
}

fn goal(name: &str, arms: usize) -> (&'static str, Option<f64>) {
    let by_arms = |few: f64, many: f64| match arms {
        136 => Some(few),
        700 => Some(many),
        _ => None,
    };
    match name {
        "mergerucb" => ("P6", by_arms(25.0, 25.0)),
        "rucb" | "rmed1" | "rcs" | "savage" | "btm" | "sparring" => ("P7", by_arms(150.0, 600.0)),
        _ => ("", None),
    }
}

/// A matrix whose arms are hard to tell apart, so that everything goes on exploring: arm i beats
/// every later one with .5 and a little.
fn near_ties(arms: usize) -> PreferenceMatrix {
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

/// Plays until [`STEPS`] steps were learnt from, and tells the nanoseconds of one.
struct Timed {
    arena: MatrixArena,
    seed: u64,
}

impl PolicyVisitor for Timed {
    type Output = f64;

    fn visit<P: Policy + Send>(mut self, mut policy: P) -> f64 {
        let start = Instant::now();
        let mut observer = Learnt { steps: 0, start };
        play(&mut policy, &mut self.arena, 1_000_000_000, &mut Generators::from_seed(self.seed), &mut observer);
        start.elapsed().as_secs_f64() * 1e9 / observer.steps as f64
    }
}

struct Learnt {
    steps: u64,
    start: Instant,
}

impl Observer for Learnt {
    #[inline]
    fn played(&mut self, _from: u64, _to: u64, choice: Choice<'_>, _gaps: &[f64]) {
        self.steps += u64::from(!matches!(choice, Choice::Alone { .. }));
    }

    fn stop(&mut self) -> bool {
        self.steps >= STEPS || self.start.elapsed() > LONGEST
    }

    fn report(&mut self, _step: u64, _best: Option<Arm>) {}
}
