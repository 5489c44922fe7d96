//! Flags that select arms of a preference matrix.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, Result, ensure};
use bandits::matrix::alphabetical_arms;
use bandits::winners::condorcet_winner;
use bandits::{Arm, PreferenceMatrix, WinTable};
use clap::Args;
use letor_io::{FeatureId, Names, NumberedItem};
use output::numbers::{parse_ordinal, parse_positive};
use output::usage::usage;
use simulation::arm_names::ArmNames;
use simulation::matrix::matrix_checksum;
use simulation::proxy::MatrixOrigin;
use simulation::sample::draw_first;
use simulation::seed;
use studies::matrix_file::MatrixFile;

use super::folder::shortened_list;

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
    /// 1, in the order 1, 10, 100, ...), or 0-based numbers, e.g. 0,5,109 or 0-5,109, and names, e.g. bm25,ltr (one with a comma in
    /// quotation marks) [default: all]
    #[arg(long, value_name = "all|N|alphabetical:N|I,J,...", group = "which_arms")]
    arms: Option<ArmSelection>,

    /// A file with the names of the matrix's arms, which outputs call them by: one per line, or lines of a 0-based number,
    /// a tab and a name [default: those in the header of the matrix, or in P.json beside it]
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,

    /// Draw until there is a Condorcet winner among the random arms
    #[arg(long)]
    condorcet: bool,
}

/// The selected arms of a matrix.
pub(in crate::cli) struct SelectedMatrix {
    /// The matrix of these arms alone.
    pub(in crate::cli) matrix: PreferenceMatrix,
    /// Their numbers in the matrix of all arms; `None` if they are all.
    pub(in crate::cli) kept_arms: Option<Vec<Arm>>,
    /// Their names.
    pub(in crate::cli) names: ArmNames,
    /// The origin of the matrix of all arms.
    pub(in crate::cli) origin: MatrixOrigin,
    /// The win counts of the selected arms, if the matrix was read from some.
    pub(in crate::cli) wins: Option<WinTable>,
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
    /// These arms, in this order, by numbers and names.
    List(Vec<String>),
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
        let expected =
            |_| format!("expected `all`, a number of arms, `alphabetical:N` or arms such as 0,5,109, found `{text}`");
        let is_number = |text: &str| text.parse::<f64>().is_ok();
        if !text.contains(',') && is_number(text) {
            return Ok(Self::Random(parse_positive(text).map_err(expected)?));
        }
        let items = ranktypes::text::split_list(text).map_err(|_| expected(String::new()))?;
        // A number that no arm can have is a slip, not a name.
        items.iter().filter(|item| is_number(item)).try_for_each(|item| parse_ordinal(item).map(drop))?;
        Ok(Self::List(items))
    }
}

impl fmt::Display for ArmSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Random(count) => write!(f, "{count}"),
            Self::Alphabetical(count) => write!(f, "alphabetical:{count}"),
            Self::List(arms) => f.write_str(&ranktypes::text::join_list(arms)),
        }
    }
}

impl ArmArgs {
    /// The selection: all arms, unless some are named.
    fn selection(&self) -> ArmSelection {
        self.arms.clone().unwrap_or(ArmSelection::All)
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
    pub(in crate::cli) fn folder_suffix(&self) -> String {
        let lexicographic = if self.lexicographic { "-lexicographic" } else { "" };
        let arms = match self.selection() {
            ArmSelection::All => String::new(),
            ArmSelection::Random(count) => {
                format!("-random-{count}{}", if self.condorcet { "-condorcet" } else { "" })
            }
            ArmSelection::Alphabetical(count) => format!("-alphabetical-{count}"),
            list @ ArmSelection::List(_) => {
                format!("-arms-{}", shortened_list(&Names::ranges_written_out(&list.to_string())))
            }
        };
        format!("{lexicographic}{arms}")
    }

    /// The names of the arms of `file`, in numeric order: from the file of `--names`, else from the matrix.
    ///
    /// # Errors
    /// If the file cannot be read, or is not one of names for these arms.
    pub(in crate::cli) fn user_names(&self, file: &MatrixFile) -> Result<Option<Names>> {
        let arms = file.matrix.arms();
        let user_names = match &self.names {
            Some(path) => Some(Names::read(path, NumberedItem { noun: "arm", count: arms, first: 0 })?),
            None => file.names.clone(),
        };
        if !self.lexicographic {
            let known_names = || file.origin.names().cloned();
            return Ok(user_names.or_else(known_names));
        }
        // Place k of the file holds the k-th arm in alphabetical order.
        let mut positions = vec![0; arms];
        for (position, arm) in alphabetical_arms(arms, 0).into_iter().enumerate() {
            positions[arm.index()] = position;
        }
        Ok(user_names.and_then(|user_names| user_names.subset(positions)))
    }

    /// The arms of a list, by the numbers and `names` of all arms.
    fn arms_of_items(items: &[String], names: Option<&Names>) -> Result<Vec<Arm>, String> {
        let arm = |item: &String| {
            if let Some(number) = names.and_then(|names| names.find(item)) {
                return Ok(Arm::at(number));
            }
            parse_ordinal(item).map(Arm).map_err(|expected| match names {
                Some(names) => names.look_up(item).expect_err("it was looked for"),
                None => format!("{expected}; the arms have no names"),
            })
        };
        let mut arms = Vec::new();
        for item in items {
            match Names::range(item, names)? {
                Some(numbers) => arms.extend(numbers.map(Arm)),
                None => arms.push(arm(item)?),
            }
        }
        Ok(arms)
    }

    /// The matrix with its arms in numeric order.
    pub(in crate::cli) fn in_order(&self, matrix: PreferenceMatrix) -> PreferenceMatrix {
        if self.lexicographic { matrix.undo_alphabetical_order() } else { matrix }
    }

    /// The same of win counts.
    pub(in crate::cli) fn wins_in_order(&self, wins: WinTable) -> WinTable {
        if !self.lexicographic {
            return wins;
        }
        let mut positions: Vec<(Arm, usize)> = alphabetical_arms(wins.arms(), 0).into_iter().zip(0..).collect();
        positions.sort_unstable();
        wins.subset(&positions.into_iter().map(|(_, place)| Arm::at(place)).collect::<Vec<_>>())
    }

    /// The selected arms of `matrix` (in numeric order, with `names` if given); `None` for all of them. Random arms depend on `checksum`,
    /// that of the matrix, and on the master seed.
    pub(in crate::cli) fn choose(
        &self,
        (matrix, names): (&PreferenceMatrix, Option<&Names>),
        checksum: &str,
        master: u64,
    ) -> Result<Option<Vec<Arm>>> {
        let arm_count = matrix.arms();
        let selection = self.selection();
        let checked_count = |count: u64| -> Result<usize> {
            ensure!(count <= arm_count as u64, usage(format!("--arms {selection}: the matrix has {arm_count} arms")));
            Ok(count as usize)
        };
        let count = match &selection {
            ArmSelection::All => return Ok(None),
            ArmSelection::List(arms) => {
                let arms =
                    Self::arms_of_items(arms, names).map_err(|error| usage(format!("--arms {selection}: {error}")))?;
                matrix.subset(&arms).map_err(|error| usage(format!("--arms {selection}: {error}")))?;
                return Ok(Some(arms));
            }
            ArmSelection::Alphabetical(count) => {
                let count = checked_count(*count)?;
                return Ok(Some(alphabetical_arms(arm_count, 1)[..count].to_vec()));
            }
            ArmSelection::Random(count) => checked_count(*count)?,
        };
        let mut generator = seed::generator(master, checksum, 0, "random arms");
        let mut draw = || {
            let mut arms: Vec<Arm> = (0..arm_count).map(Arm::at).collect();
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

    /// The names of the arms `selected` from a matrix (`None`: all) with arms that rank by these `features` and are called `user_names`, as far as
    /// they are known.
    pub(in crate::cli) fn names(
        &self,
        features: Option<Vec<FeatureId>>,
        user_names: Option<Names>,
        selected: Option<&[Arm]>,
    ) -> ArmNames {
        // A matrix in alphabetical order does not list its arms in the order of the features.
        let all_names = features
            .filter(|_| !self.lexicographic)
            .map_or(ArmNames::NUMBERS, ArmNames::features)
            .with_user_names(user_names);
        match selected {
            None => all_names,
            Some(selected) => all_names.subset(&selected.iter().map(|arm| arm.index()).collect::<Vec<_>>()),
        }
    }

    /// The matrix of the selected arms, these arms, and their names.
    pub(in crate::cli) fn apply(&self, file: MatrixFile, master: u64) -> Result<SelectedMatrix> {
        let user_names = self.user_names(&file)?;
        let MatrixFile { matrix, origin, wins, .. } = file;
        let (matrix, wins) = (self.in_order(matrix), wins.map(|wins| self.wins_in_order(wins)));
        let selected = self.choose((&matrix, user_names.as_ref()), &matrix_checksum(&matrix, true), master)?;
        let matrix = match &selected {
            None => matrix,
            Some(arms) => matrix.subset(arms).context("failed to select the arms")?,
        };
        let wins = wins.map(|wins| selected.as_ref().map_or(wins.clone(), |arms| wins.subset(arms)));
        let features = origin.rankers().map(<[_]>::to_vec);
        let names = self.names(features, user_names, selected.as_deref());
        Ok(SelectedMatrix { matrix, kept_arms: selected, names, origin, wins })
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
            ("0,5,109", ArmSelection::List(["0", "5", "109"].map(str::to_owned).to_vec())),
            ("bm25,\"a, b\",7", ArmSelection::List(["bm25", "a, b", "7"].map(str::to_owned).to_vec())),
        ] {
            assert_eq!(text.parse(), Ok(selection.clone()));
            assert_eq!(selection.to_string(), text);
        }
        assert_eq!("0-5".parse(), Ok(ArmSelection::List(vec!["0-5".to_owned()])));
        assert_eq!("7,".parse(), Ok(ArmSelection::List(vec!["7".to_owned()])));
        for text in ["", "0", "alphabetical:", "1,,2", "1,-2", "1,0.5", "alphabetical:0"] {
            assert!(text.parse::<ArmSelection>().is_err(), "{text}");
        }
    }
    #[test]
    fn names_precede_numbers() {
        let names = Names::new(["bm25", "0", "ltr"]).unwrap();
        let listed = |text: &str, names: Option<&Names>| {
            let Ok(ArmSelection::List(items)) = text.parse() else { panic!("{text}") };
            ArmArgs::arms_of_items(&items, names).map(|arms| arms.into_iter().map(|arm| arm.0).collect::<Vec<_>>())
        };
        assert_eq!(listed("ltr,0,0,1", Some(&names)), Ok(vec![2, 1, 1, 1]));
        assert_eq!(listed("ltr,bm52", Some(&names)).unwrap_err(), "nothing is called `bm52`; did you mean `bm25`?");
        assert_eq!(listed("5,0-3", Some(&names)), Ok(vec![5, 0, 1, 2, 3]), "a range is of numbers, never of names");
        assert_eq!(listed("0-2,9", None), Ok(vec![0, 1, 2, 9]));
        assert_eq!(listed("3-1", None).unwrap_err(), "the range `3-1` ends before it begins; write 1-3");
        let ranges = Names::new(["bm25", "0-1", "ltr"]).unwrap();
        assert_eq!(listed("0-1,ltr", Some(&ranges)), Ok(vec![1, 2]), "a name that looks like a range is a name");
        let error = listed("0,bm25", None).unwrap_err();
        assert_eq!(error, "expected whole numbers such as 1,5,110, found `bm25`; the arms have no names");
    }
}
