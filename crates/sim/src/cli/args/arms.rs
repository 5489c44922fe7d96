//! Flags that choose arms of a preference matrix.

use crate::output::cache::sha256_hex;
use anyhow::{Context, Result, ensure};
use bandits::matrix::alphabetical_arms;
use bandits::winners::condorcet_winner;
use bandits::{Arm, PreferenceMatrix};
use clap::Args;
use letor_io::FeatureId;
use rand::RngExt;

use crate::cli::args::folder::short;
use crate::output::numbers::{parse_ordinal, parse_positive};
use crate::output::usage::usage;
use crate::simulation::arm_names::ArmNames;
use crate::simulation::seed;

/// Random sets of arms that are tried before none is taken to have a Condorcet winner.
const TRIES: u64 = 100_000;

/// Which arms of a matrix to take, and how they are numbered in it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Arms of the matrix")]
pub(in crate::cli) struct ArmArgs {
    /// The matrix has its arms in alphabetical order of their numbers (0, 1, 10, 100, ...): undo it
    #[arg(long)]
    pub(in crate::cli) lexicographic: bool,

    /// These arms only, as 0,5,109 (counted from 0)
    #[arg(long, value_name = "I,J,...", value_delimiter = ',', value_parser = parse_ordinal, group = "which_arms")]
    arms: Option<Vec<u32>>,

    /// So many arms only, drawn at random by the seed
    #[arg(long, value_name = "N", value_parser = parse_positive, group = "which_arms")]
    random: Option<u64>,

    /// Draw until there is a Condorcet winner among them
    #[arg(long, requires = "random")]
    condorcet: bool,

    /// The first so many arms by feature number (arm + 1) as text: 1, 10, 100, 101, ...
    #[arg(long, value_name = "N", value_parser = parse_positive, group = "which_arms")]
    first_alphabetical: Option<u64>,
}

impl ArmArgs {
    /// Whether any of the flags was given.
    pub(in crate::cli) fn are_given(&self) -> bool {
        self.lexicographic || self.arms.is_some() || self.random.is_some() || self.first_alphabetical.is_some()
    }

    /// Which arms, for the name of a folder: nothing for all of them.
    pub(in crate::cli) fn part(&self) -> String {
        let mut part = if self.lexicographic { "-lexicographic".to_owned() } else { String::new() };
        if let Some(arms) = &self.arms {
            let arms: Vec<String> = arms.iter().map(u32::to_string).collect();
            part += &format!("-arms-{}", short(&arms.join(",")));
        }
        if let Some(count) = self.random {
            part += &format!("-random-{count}{}", if self.condorcet { "-condorcet" } else { "" });
        }
        if let Some(count) = self.first_alphabetical {
            part += &format!("-alphabetical-{count}");
        }
        part
    }

    /// Undoes alphabetical order, where it is said to be one.
    pub(in crate::cli) fn in_order(&self, matrix: PreferenceMatrix) -> PreferenceMatrix {
        if self.lexicographic { matrix.undo_alphabetical_order() } else { matrix }
    }

    /// The chosen arms of `matrix`, whose own are in numeric order; none where all are taken.
    /// `checksum` is the matrix's, so that the draw depends on what it holds.
    pub(in crate::cli) fn choose(
        &self,
        matrix: &PreferenceMatrix,
        checksum: &str,
        master: u64,
    ) -> Result<Option<Vec<Arm>>> {
        let all = matrix.arms();
        let enough = |flag: &str, count: u64| -> Result<usize> {
            ensure!(count <= all as u64, usage(format!("--{flag} {count}: the matrix has {all} arms")));
            Ok(count as usize)
        };
        if let Some(arms) = &self.arms {
            let arms: Vec<Arm> = arms.iter().map(|&arm| Arm(arm)).collect();
            matrix.subset(&arms).map_err(|error| usage(format!("--arms: {error}")))?;
            return Ok(Some(arms));
        }
        if let Some(count) = self.first_alphabetical {
            let count = enough("first-alphabetical", count)?;
            return Ok(Some(alphabetical_arms(all, 1)[..count].to_vec()));
        }
        let Some(count) = self.random else { return Ok(None) };
        let count = enough("random", count)?;
        let mut generator = seed::generator(master, checksum, 0, "random arms");
        let mut draw = || {
            // The first `count` of a shuffle, in numeric order.
            let mut arms: Vec<Arm> = (0..all).map(Arm::at).collect();
            (0..count).for_each(|at| arms.swap(at, generator.random_range(at..all)));
            arms.truncate(count);
            arms.sort_unstable();
            arms
        };
        if !self.condorcet {
            return Ok(Some(draw()));
        }
        for _ in 0..TRIES {
            let arms = draw();
            if condorcet_winner(&matrix.subset(&arms)?).is_some() {
                return Ok(Some(arms));
            }
        }
        anyhow::bail!(
            "no Condorcet winner among {count} random arms, {TRIES} times; take fewer, or leave out --condorcet"
        )
    }

    /// What the arms `taken` from a matrix (none: all) are called, whose own are these features if known.
    pub(in crate::cli) fn names(&self, features: Option<Vec<FeatureId>>, taken: Option<&[Arm]>) -> ArmNames {
        // Whose arms are put in order were not in that of their features.
        let all = features.filter(|_| !self.lexicographic).map_or(ArmNames::Numbers, ArmNames::Features);
        match taken {
            None => all,
            Some(taken) => all.subset(&taken.iter().map(|arm| arm.index()).collect::<Vec<_>>()),
        }
    }

    /// The matrix of the chosen arms, and which those are.
    pub(in crate::cli) fn apply(
        &self,
        matrix: PreferenceMatrix,
        master: u64,
    ) -> Result<(PreferenceMatrix, Option<Vec<Arm>>)> {
        let matrix = self.in_order(matrix);
        let chosen = self.choose(&matrix, &sha256_hex(&matrix.to_text()), master)?;
        match chosen {
            None => Ok((matrix, None)),
            Some(arms) => Ok((matrix.subset(&arms).context("the arms cannot be taken")?, Some(arms))),
        }
    }
}
