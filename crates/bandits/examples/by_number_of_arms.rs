//! Which algorithm suits how many arms: regret on random subsets of a matrix's arms, as in section 6.3
//! of M. Zoghi, S. Whiteson, M. de Rijke, "MergeRUCB", WSDM 2015,
//! <https://doi.org/10.1145/2684822.2685290>.
//!
//! `cargo run --release -p bandits --example by_number_of_arms MATRIX [STEPS] [SUBSETS] [ALGORITHM ...]`,
//! by default 1e7 steps, 10 subsets of each size, and mergerucb, rucb and rcs. Every subset has a
//! Condorcet winner, and all algorithms play on the same ones. Prints CSV.
#![allow(clippy::print_stdout, reason = "an example says what it found")]

use bandits::registry::{PolicyVisitor, Spec};
use bandits::winners::condorcet_winners;
use bandits::{Arm, Generator, Generators, MatrixArena, Policy, PreferenceMatrix, Recorder, play};
use rand::{RngExt as _, SeedableRng as _};

/// Steps evenly up to the whole, as the paper's figure does.
const SIZES: [usize; 11] = [5, 10, 20, 30, 40, 55, 70, 85, 100, 115, 136];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let path = words.next().ok_or("expected a matrix; try MSLR-Navigational.txt")?;
    let steps = words.next().map_or(Ok(1e7), |word| word.parse::<f64>())? as u64;
    let subsets = words.next().map_or(Ok(10), |word| word.parse::<u64>())?;
    let mut specs = words.map(|word| word.parse()).collect::<Result<Vec<Spec>, _>>()?;
    if specs.is_empty() {
        specs = ["mergerucb", "rucb", "rcs"].map(str::parse).into_iter().collect::<Result<_, _>>()?;
    }
    let matrix = PreferenceMatrix::from_bytes(&std::fs::read(path)?)?;
    println!("arms,algorithm,steps,subsets,mean_regret,standard_error,right");
    for arms in SIZES.into_iter().filter(|&arms| arms <= matrix.arms()) {
        let mut regrets = vec![Vec::new(); specs.len()];
        let mut right = vec![0_u64; specs.len()];
        for subset in 0..subsets {
            let arena = MatrixArena::new(random_subset(&matrix, arms, subset)?)?;
            for (place, spec) in specs.iter().enumerate() {
                let run = Run { arena: arena.clone(), steps, seed: subset };
                let (regret, is_right) = spec.visit(arms, Some(steps), run)?;
                regrets[place].push(regret);
                right[place] += u64::from(is_right);
            }
        }
        for ((spec, regrets), right) in specs.iter().zip(&regrets).zip(&right) {
            let n = regrets.len() as f64;
            let mean = regrets.iter().sum::<f64>() / n;
            let squares: f64 = regrets.iter().map(|regret| (regret - mean).powi(2)).sum();
            let error = (squares / (n - 1.0).max(1.0) / n).sqrt();
            println!("{arms},{},{steps},{subsets},{mean:.1},{error:.1},{right}", spec.canonical());
        }
    }
    Ok(())
}

/// Arms drawn without replacement, again and again until one of them beats all others.
fn random_subset(matrix: &PreferenceMatrix, arms: usize, seed: u64) -> Result<PreferenceMatrix, bandits::MatrixError> {
    let mut generator = Generator::seed_from_u64(seed);
    loop {
        let mut all: Vec<Arm> = matrix.all_arms().collect();
        for place in 0..arms {
            let other = generator.random_range(place..all.len());
            all.swap(place, other);
        }
        let subset = matrix.subset(&all[..arms])?;
        if condorcet_winners(&subset).len() == 1 {
            return Ok(subset);
        }
    }
}

struct Run {
    arena: MatrixArena,
    steps: u64,
    seed: u64,
}

impl PolicyVisitor for Run {
    /// The regret, and whether the arm named is the Condorcet winner.
    type Output = (f64, bool);

    fn visit<P: Policy + Send>(mut self, mut policy: P) -> Self::Output {
        let mut recorder = Recorder::new(Vec::new());
        let mut generators = Generators::from_seed(self.seed);
        play(&mut policy, &mut self.arena, self.steps, &mut generators, &mut recorder);
        let best = policy.recommend(&mut generators.policy);
        let gaps = bandits::Arena::gaps(&self.arena);
        (recorder.total().average, best.is_some_and(|arm| gaps[arm.index()] <= 0.0))
    }
}
