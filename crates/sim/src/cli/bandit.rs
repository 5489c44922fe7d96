//! `sim bandit`: the same loop on a preference matrix.

use std::path::PathBuf;

use anyhow::{Context, Result};
use bandits::winners::condorcet_winners;
use bandits::{Arena, MatrixArena};
use clap::Args;
use serde::Serialize;

use super::matrix_file;
use super::options::{RunOptions, default_folder};
use super::report::{self, Outcome};
use crate::progress::Progress;
use crate::results::{Arms, Caption};
use crate::seed;
use crate::study::{Arenas, play_all};

#[derive(Debug, Args)]
pub(super) struct Bandit {
    /// The preference matrix: text, with or without a first line that says how many arms, or .npy
    #[arg(long, value_name = "FILE")]
    matrix: PathBuf,

    #[command(flatten)]
    run: RunOptions,
}

/// Matrix arenas over one matrix.
struct MatrixArenas {
    arena: MatrixArena,
    content: String,
}

impl Arenas for MatrixArenas {
    type Arena<'a> = MatrixArena;

    fn arms(&self) -> usize {
        self.arena.arms()
    }

    fn content(&self) -> &str {
        &self.content
    }

    fn arena(&self, _stream: &dyn Fn(&str) -> bandits::Generator) -> MatrixArena {
        self.arena.clone()
    }
}

/// The configuration as resolved.
#[derive(Serialize)]
struct Config {
    command: &'static str,
    version: &'static str,
    seed: u64,
    steps: u64,
    runs: u64,
    algorithms: Vec<String>,
    matrix: MatrixDescription,
}

#[derive(Serialize)]
struct MatrixDescription {
    name: String,
    arms: usize,
    checksum: String,
    condorcet_winner: Option<usize>,
}

impl Bandit {
    pub(super) fn run(&self) -> Result<()> {
        let RunOptions { common, .. } = &self.run;
        common.apply()?;
        let matrix = matrix_file::read(&self.matrix)?;
        let name = self.matrix.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let winners: Vec<usize> = condorcet_winners(&matrix).iter().map(|arm| arm.index()).collect();
        // The checksum is of the entries: text and .npy of the same matrix are the same arena.
        let checksum = seed::key(&matrix.to_text());
        let description = MatrixDescription {
            name: name.clone(),
            arms: matrix.arms(),
            checksum: checksum.clone(),
            condorcet_winner: winners.first().copied(),
        };
        let arena = MatrixArena::new(matrix).with_context(|| format!("{name} cannot be played"))?;
        let smallest = smallest_gap(&arena, &winners);
        let plan = self.run.plan();
        let arenas = MatrixArenas { arena, content: format!("matrix {checksum}") };
        let progress = Progress::new("playing", plan.total_steps(), common.quiet);
        let results = play_all(&arenas, &plan, &progress)?;
        progress.finish();

        let config = Config {
            command: "bandit",
            version: env!("CARGO_PKG_VERSION"),
            seed: common.seed,
            steps: plan.steps,
            runs: plan.runs,
            algorithms: plan.names(),
            matrix: description,
        };
        let folder = self.run.out.clone().unwrap_or_else(|| default_folder(&format!("bandit-{name}")));
        let label = |arm: usize| format!("arm {arm}");
        let truth = match smallest {
            Some((arm, gap)) => {
                format!("Condorcet winner: arm {}; smallest margin {gap:.4} over arm {arm}", winners[0])
            }
            None => format!("Condorcet winner: arm {}", winners[0]),
        };
        report::leave(
            &folder,
            &config,
            &plan,
            &results,
            &Arms { winners: &winners, label: &label },
            &Outcome {
                caption: Caption {
                    title: format!("{} arms of {name}", arenas.arms()),
                    x_label: "steps".to_owned(),
                    regret: "P(best arm beats those played) - 1/2".to_owned(),
                    note: None,
                },
                truth,
                json: self.run.json,
                quiet: common.quiet,
            },
        )
    }
}

/// The arm that comes closest to the winners, and its gap.
fn smallest_gap(arena: &MatrixArena, winners: &[usize]) -> Option<(usize, f64)> {
    let gaps = arena.gaps().iter().copied().enumerate();
    gaps.filter(|(arm, _)| !winners.contains(arm)).min_by(|a, b| a.1.total_cmp(&b.1))
}
