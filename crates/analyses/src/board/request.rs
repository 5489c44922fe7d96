//! The settings of a board: how its table is read, and what claims are about. The command line and Python pass these flags.

use anyhow::{Result, bail, ensure};
use board::read::{Columns, Options, WinnerIs};
use board::{Clusters, Looks, Settings, TieModel};
use clap::{Args, ValueEnum};
use letor_io::NameList;
use output::numbers::{parse_confidence, parse_tolerance};
use output::usage::usage;
use serde::{Serialize, Serializer};

use super::{GoldSource, flag_values};

/// How a table is read, and what claims are made from it.
#[derive(Debug, Clone, Args, Serialize)]
pub struct BoardRequest {
    /// Columns by name, where the usual headers do not find them, e.g. first=base,second=new,winner=preferred; several that name the
    /// item together with +, e.g. item=question+criterion
    #[arg(long, value_name = "WHAT=COLUMN,...")]
    #[serde(serialize_with = "all_names")]
    columns: Vec<NameList>,

    /// What the column of winners holds
    #[arg(long, value_name = "KIND", value_enum, default_value_t = WinnerIsArg::Auto)]
    winner_is: WinnerIsArg,

    /// What values in the column of winners mean that are not names, sides or scores: first, second, tie, both-bad, skip (not
    /// judged), or the share of the point that goes to the first, e.g. 1=first,2=second,3=tie
    #[arg(long, value_name = "VALUE=MEANING,...")]
    #[serde(serialize_with = "all_names", skip_serializing_if = "Vec::is_empty")]
    winner_values: Vec<NameList>,

    /// The columns of competitors are not the order in which judges saw the answers
    #[arg(long)]
    order_unknown: bool,

    /// The confidence of ranks, and of saying who is best
    #[arg(long, value_name = "C", default_value = "0.95", value_parser = parse_confidence)]
    confidence: f64,

    /// What is independent: items, judges, judgements that share neither, or units (a pair on an item by one judge)
    #[arg(long, value_name = "KIND", value_enum, default_value_t = ClustersArg::Auto)]
    clusters: ClustersArg,

    /// The judges that are people: their judgements of some questions are the truth, all other judges are a model that judged all
    #[arg(long, value_name = "JUDGE,...", conflicts_with_all = ["covariates", "by", "discrimination"])]
    #[serde(serialize_with = "all_names", skip_serializing_if = "Vec::is_empty")]
    gold: Vec<NameList>,

    /// What claims hold for: one look; or every look at a table that grows, and pairs that a policy chose [default: once; of a session, always
    /// every]
    #[arg(long, value_name = "LOOKS", value_enum, default_value_t = LooksArg::Once, hide_default_value = true)]
    looks: LooksArg,

    /// By how much the best may be better than the one that is named, as a share of points: with 0.05, at least 45% against each other
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = parse_tolerance)]
    tolerance: f64,

    /// How the model accounts for ties
    #[arg(long, value_name = "MODEL", value_enum, default_value_t = TiesArg::Davidson)]
    ties: TiesArg,

    /// Adjust strengths for how answers differ otherwise: for length, in the column `length` (first minus second) or in length_first and
    /// length_second; other columns as length=difference or length=words_a:words_b
    #[arg(long, value_name = "NAME[=COLUMN],...")]
    #[serde(serialize_with = "all_names", skip_serializing_if = "Vec::is_empty")]
    covariates: Vec<NameList>,

    /// Also make a board for each category, which this column names: the confidence holds for all of them together
    #[arg(long, value_name = "COLUMN")]
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,

    /// The shares of the categories of --by in the board of all, e.g. coding=0.3,chat=0.7 [default: those of the table]
    #[arg(long, value_name = "CATEGORY=SHARE,...")]
    #[serde(serialize_with = "all_names", skip_serializing_if = "Vec::is_empty")]
    mix: Vec<NameList>,

    /// Fit how well each judge distinguishes competitors, and weigh judges by it
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    discrimination: bool,
}

impl BoardRequest {
    /// How the table is read.
    ///
    /// # Errors
    /// As wrong usage, for a column, a covariate or a share that is not named as it should be.
    pub fn options(&self) -> Result<Options> {
        let columns = columns(&NameList::concat(&self.columns))?;
        Ok(Options {
            columns,
            winner_is: self.winner_is.into(),
            winner_values: flag_values::parse_winner_values(&NameList::concat(&self.winner_values))?,
            order_unknown: self.order_unknown,
            covariates: flag_values::parse_covariates(&NameList::concat(&self.covariates))?,
            by: flag_values::parse_split(self.by.as_ref(), &NameList::concat(&self.mix))?,
        })
    }

    /// Which judgements are the truth.
    #[must_use]
    pub fn gold(&self) -> GoldSource {
        match NameList::concat(&self.gold) {
            judges if judges.is_empty() => GoldSource::None,
            judges => GoldSource::Judges(judges),
        }
    }

    /// The settings of the board.
    #[must_use]
    pub fn settings(&self) -> Settings {
        Settings {
            level: self.confidence,
            clusters: self.clusters.into(),
            ties: self.ties.into(),
            looks: self.looks.into(),
            tolerance: self.tolerance,
            discrimination: self.discrimination,
            ..Settings::default()
        }
    }
}

fn all_names<S: Serializer>(lists: &[NameList], serializer: S) -> Result<S::Ok, S::Error> {
    NameList::concat(lists).serialize(serializer)
}

/// [`WinnerIs`] as a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
enum WinnerIsArg {
    /// As its values say; refused where they can be read in two ways
    Auto,
    /// The name of the competitor that won
    Name,
    /// The side that won: first or second, left or right, a or b, model_a or model_b, x or y
    Side,
    /// The share of the point that goes to the first, from 0 to 1
    Score,
    /// The number of the side that won: 0 or 1
    Index,
}

impl From<WinnerIsArg> for WinnerIs {
    fn from(kind: WinnerIsArg) -> Self {
        match kind {
            WinnerIsArg::Auto => Self::Auto,
            WinnerIsArg::Name => Self::Name,
            WinnerIsArg::Side => Self::Side,
            WinnerIsArg::Score => Self::Score,
            WinnerIsArg::Index => Self::Index,
        }
    }
}

/// [`Clusters`] as a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
enum ClustersArg {
    /// Items and judges, each if there are at least five
    Auto,
    /// Units
    Units,
    /// Items
    Item,
    /// Judges
    Judge,
    /// Judgements that share neither item nor judge
    Both,
}

impl From<ClustersArg> for Clusters {
    fn from(clusters: ClustersArg) -> Self {
        match clusters {
            ClustersArg::Auto => Self::Auto,
            ClustersArg::Units => Self::Units,
            ClustersArg::Item => Self::Item,
            ClustersArg::Judge => Self::Judge,
            ClustersArg::Both => Self::Both,
        }
    }
}

/// [`Looks`] as a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
enum LooksArg {
    /// Once: verdicts chose neither pairs nor the end
    Once,
    /// Again and again, or a policy chose the pairs
    Every,
}

impl From<LooksArg> for Looks {
    fn from(looks: LooksArg) -> Self {
        match looks {
            LooksArg::Once => Self::Once,
            LooksArg::Every => Self::Every,
        }
    }
}

/// [`TieModel`] as a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
enum TiesArg {
    /// P(tie) is proportional to the geometric mean of P(win) and P(loss)
    Davidson,
    /// Rao and Kupper: a tie is a difference below a threshold that judges do not notice
    RaoKupper,
}

impl From<TiesArg> for TieModel {
    fn from(ties: TiesArg) -> Self {
        match ties {
            TiesArg::Davidson => Self::Davidson,
            TiesArg::RaoKupper => Self::RaoKupper,
        }
    }
}

/// The columns that were named.
fn columns(assignments: &[String]) -> Result<Columns> {
    let mut columns = Columns::default();
    for text in assignments {
        let expected = "expected e.g. first=base,second=new,winner=preferred, and item, judge or weight";
        let (role, column) = text.split_once('=').ok_or_else(|| usage(format!("--columns {text}: {expected}")))?;
        let slot = match role {
            "first" => &mut columns.first,
            "second" => &mut columns.second,
            "winner" => &mut columns.winner,
            "item" => &mut columns.item,
            "judge" => &mut columns.judge,
            "weight" => &mut columns.weight,
            _ => bail!(usage(format!("--columns {text}: {expected}"))),
        };
        ensure!(slot.is_none(), usage(format!("--columns names {role} twice")));
        *slot = Some(column.to_owned());
    }
    Ok(columns)
}
