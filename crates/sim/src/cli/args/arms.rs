//! Flags that select arms of a preference matrix.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context, Result, ensure};
use bandits::matrix::alphabetical_arms;
use bandits::winners::condorcet_winner;
use bandits::{Arm, PreferenceMatrix};
use clap::Args;
use letor_io::FeatureId;

use super::folder::short;
use crate::output::numbers::{parse_ordinal, parse_positive};
use crate::output::usage::usage;
use crate::simulation::arm_names::ArmNames;
use crate::simulation::matrix::matrix_checksum;
use crate::simulation::sample::draw_first;
use crate::simulation::seed;

/// The number of random sets of arms tried for one with a Condorcet winner.
const TRIES: u64 = 100_000;

/// Which arms of a matrix to use, and how they are numbered in it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Arms of the matrix")]
pub(in crate::cli) struct ArmArgs {
    /// The arms of the matrix are in alphabetical order of their numbers (0, 1, 10, 100, ...): undo it
    #[arg(long)]
    pub(in crate::cli) lexicographic: bool,

    /// Arms to use: `all`, N (that many at random, by the seed), `alphabetical:N` (the first N by feature number, arm +
    /// 1, in the order 1, 10, 100, ...), or 0-based numbers, e.g. 0,5,109 [default: all]
    #[arg(long, value_name = "all|N|alphabetical:N|I,J,...", group = "which_arms")]
    arms: Option<ArmSelection>,

    /// Draw until there is a Condorcet winner among the random arms
    #[arg(long)]
    condorcet: bool,

    /// Old spelling of `--arms N`
    #[arg(long, hide = true, value_name = "N", value_parser = parse_positive, group = "which_arms")]
    random: Option<u64>,

    /// Old spelling of `--arms alphabetical:N`
    #[arg(long, hide = true, value_name = "N", value_parser = parse_positive, group = "which_arms")]
    first_alphabetical: Option<u64>,
}

/// A selection of arms, written like the selection of features of `--rankers`.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ArmSelection {
    /// All arms.
    All,
    /// This many random arms.
    Random(u64),
    /// The first arms in alphabetical order of their feature numbers.
    Alphabetical(u64),
    /// These arms, in this order.
    List(Vec<u32>),
}

impl FromStr for ArmSelection {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self::All);
        }
        if let Some(count) = text.strip_prefix("alphabetical:") {
            return Ok(Self::Alphabetical(parse_positive(count)?));
        }
        if !text.contains(',') {
            let expected = |_| {
                format!("expected `all`, a number of arms, `alphabetical:N` or arms such as 0,5,109, found `{text}`")
            };
            return Ok(Self::Random(parse_positive(text).map_err(expected)?));
        }
        let arms = text.strip_suffix(',').unwrap_or(text).split(',').map(parse_ordinal);
        Ok(Self::List(arms.collect::<Result<_, _>>()?))
    }
}

impl fmt::Display for ArmSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Random(count) => write!(f, "{count}"),
            Self::Alphabetical(count) => write!(f, "alphabetical:{count}"),
            Self::List(arms) => {
                let arms: Vec<String> = arms.iter().map(u32::to_string).collect();
                f.write_str(&arms.join(","))
            }
        }
    }
}

impl ArmArgs {
    /// The selection, by whichever flag it is given.
    fn selection(&self) -> ArmSelection {
        let old = self.random.map(ArmSelection::Random);
        let old = old.or_else(|| self.first_alphabetical.map(ArmSelection::Alphabetical));
        self.arms.clone().or(old).unwrap_or(ArmSelection::All)
    }

    /// Checks the flags against each other.
    ///
    /// # Errors
    /// If `--condorcet` is given without random arms.
    pub(in crate::cli) fn check(&self) -> Result<()> {
        let random = matches!(self.selection(), ArmSelection::Random(_));
        ensure!(random || !self.condorcet, usage("--condorcet applies to random arms; add --arms N, or leave it out"));
        Ok(())
    }

    /// Whether any of the flags is given.
    pub(in crate::cli) fn are_given(&self) -> bool {
        self.lexicographic || self.condorcet || self.selection() != ArmSelection::All
    }

    /// The part of a folder name for the arms; empty for all of them.
    pub(in crate::cli) fn part(&self) -> String {
        let lexicographic = if self.lexicographic { "-lexicographic" } else { "" };
        let arms = match self.selection() {
            ArmSelection::All => String::new(),
            ArmSelection::Random(count) => {
                format!("-random-{count}{}", if self.condorcet { "-condorcet" } else { "" })
            }
            ArmSelection::Alphabetical(count) => format!("-alphabetical-{count}"),
            list @ ArmSelection::List(_) => format!("-arms-{}", short(&list.to_string())),
        };
        format!("{lexicographic}{arms}")
    }

    /// The matrix with its arms in numeric order.
    pub(in crate::cli) fn in_order(&self, matrix: PreferenceMatrix) -> PreferenceMatrix {
        if self.lexicographic { matrix.undo_alphabetical_order() } else { matrix }
    }

    /// The selected arms of `matrix`, whose arms are in numeric order; `None` for all of them. Random arms depend on
    /// `checksum`, that of the matrix, and on the master seed.
    pub(in crate::cli) fn choose(
        &self,
        matrix: &PreferenceMatrix,
        checksum: &str,
        master: u64,
    ) -> Result<Option<Vec<Arm>>> {
        let all = matrix.arms();
        let selection = self.selection();
        let enough = |count: u64| -> Result<usize> {
            ensure!(count <= all as u64, usage(format!("--arms {selection}: the matrix has {all} arms")));
            Ok(count as usize)
        };
        let count = match &selection {
            ArmSelection::All => return Ok(None),
            ArmSelection::List(arms) => {
                let arms: Vec<Arm> = arms.iter().map(|&arm| Arm(arm)).collect();
                matrix.subset(&arms).map_err(|error| usage(format!("--arms {selection}: {error}")))?;
                return Ok(Some(arms));
            }
            ArmSelection::Alphabetical(count) => {
                let count = enough(*count)?;
                return Ok(Some(alphabetical_arms(all, 1)[..count].to_vec()));
            }
            ArmSelection::Random(count) => enough(*count)?,
        };
        let mut generator = seed::generator(master, checksum, 0, "random arms");
        let mut draw = || {
            let mut arms: Vec<Arm> = (0..all).map(Arm::at).collect();
            draw_first(&mut arms, count, &mut generator);
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
            "no Condorcet winner among {count} random arms in {TRIES} draws; use fewer arms, or leave out --condorcet"
        )
    }

    /// The names of the arms `taken` from a matrix (`None`: all) whose arms rank by these `features`, if known.
    pub(in crate::cli) fn names(&self, features: Option<Vec<FeatureId>>, taken: Option<&[Arm]>) -> ArmNames {
        // A matrix in alphabetical order does not list its arms in the order of the features.
        let all = features.filter(|_| !self.lexicographic).map_or(ArmNames::NUMBERS, ArmNames::features);
        match taken {
            None => all,
            Some(taken) => all.subset(&taken.iter().map(|arm| arm.index()).collect::<Vec<_>>()),
        }
    }

    /// The matrix of the selected arms, and these arms.
    pub(in crate::cli) fn apply(
        &self,
        matrix: PreferenceMatrix,
        master: u64,
    ) -> Result<(PreferenceMatrix, Option<Vec<Arm>>)> {
        let matrix = self.in_order(matrix);
        let chosen = self.choose(&matrix, &matrix_checksum(&matrix, true), master)?;
        match chosen {
            None => Ok((matrix, None)),
            Some(arms) => Ok((matrix.subset(&arms).context("failed to select the arms")?, Some(arms))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selections_are_written_like_rankers() {
        for (text, selection) in [
            ("all", ArmSelection::All),
            ("5", ArmSelection::Random(5)),
            ("alphabetical:4", ArmSelection::Alphabetical(4)),
            ("0,5,109", ArmSelection::List(vec![0, 5, 109])),
        ] {
            assert_eq!(text.parse(), Ok(selection.clone()));
            assert_eq!(selection.to_string(), text);
        }
        assert_eq!("7,".parse(), Ok(ArmSelection::List(vec![7])));
        for text in ["", "0", "some", "alphabetical:", "1,x", "alphabetical:0"] {
            assert!(text.parse::<ArmSelection>().is_err(), "{text}");
        }
    }
}
