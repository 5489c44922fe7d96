//! `rankduel board`: what a table of judgements says.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use board::read::{Columns, Options, WinnerIs};
use board::{Clusters, Looks, Settings, TieModel};
use clap::{Args, ValueEnum};
use letor_io::NameList;
use output::input::{self, MOST_OF_RESULTS};
use output::numbers::parse_confidence;
use output::results_folder::{Existing, ResultsFolder};
use output::usage::usage;
use serde::Serialize;
use studies::board::BoardReport;
use studies::request::parse_tolerance;
use studies::runner::claim_folder;

use super::args::TableFormat;
use desk::{eprintln, println};

/// Say who is best in a table of judgements, how sure that is, and what would mislead.
///
/// One row per judgement of two answers, by a person or a model: `first, second, winner`, and optionally `item` (prompt,
/// query), `judge` and `weight`; rows may be in any order. The usual headers are found: `model_a, model_b`, `left, right`, `a, b`,
/// and others. The winner is a name, a side, `tie`, `both bad`, or a score from 0 to 1. Also read are JSON Lines, counts per pair, and a
/// square matrix of wins.
///
/// The first line is the answer. Below it are what in the table would mislead, and all competitors with one of four claims (best, among
/// the best, behind, open), their strength under Bradley-Terry (with ties and the effect of being shown first) and the ranks that are
/// known: for one look, and at every look.
#[derive(Debug, Args)]
pub(super) struct BoardCommand {
    /// The table: CSV, JSON Lines, JSON, a matrix of wins (all plain or gzip), or a session of `rankduel next`
    #[arg(value_name = "FILE")]
    table: PathBuf,

    /// Columns by name, where the usual headers do not find them, e.g. first=base,second=new,winner=preferred; several that name the
    /// item together with +, e.g. item=question+criterion
    #[arg(long, value_name = "WHAT=COLUMN,...")]
    columns: Vec<NameList>,

    /// What the column of winners holds
    #[arg(long, value_name = "KIND", value_enum, default_value_t = KindArg::Auto)]
    winner_is: KindArg,

    /// The columns of competitors are not the order in which judges saw the answers
    #[arg(long)]
    order_unknown: bool,

    /// The confidence of ranks, and of saying who is best
    #[arg(long, value_name = "C", default_value = "0.95", value_parser = parse_confidence)]
    confidence: f64,

    /// What is independent: items, judges, judgements that share neither, or units (a pair on an item by one judge)
    #[arg(long, value_name = "KIND", value_enum, default_value_t = ClustersArg::Auto)]
    clusters: ClustersArg,

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

    /// How the table is printed
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = TableFormat::Text, conflicts_with = "json")]
    format: TableFormat,

    /// With --format latex: a complete document instead of a table to include
    #[arg(long)]
    standalone: bool,

    /// Print JSON instead of text
    #[arg(long)]
    json: bool,

    /// Also write everything to this folder: board.txt, .md, .tex, .csv, .json and the figure board.png, .svg
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Also write the fit as a preference matrix, CSV with names, for `rankduel bandit --matrix`
    #[arg(long, value_name = "FILE")]
    matrix: Option<PathBuf>,

    /// Start in an empty folder: what it holds is moved to NAME.old-1, never deleted
    #[arg(long)]
    replace: bool,

    /// Threads [default: all cores; more than four per core (or 64) are not started]
    // Set for every command in one place, `cli::run`.
    #[arg(long, value_name = "N", value_parser = output::numbers::parse_up_to::<u16, 65_535>)]
    threads: Option<u16>,

    /// Hide remarks
    #[arg(long)]
    quiet: bool,
}

/// [`WinnerIs`] as a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
enum KindArg {
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

impl From<KindArg> for WinnerIs {
    fn from(kind: KindArg) -> Self {
        match kind {
            KindArg::Auto => Self::Auto,
            KindArg::Name => Self::Name,
            KindArg::Side => Self::Side,
            KindArg::Score => Self::Score,
            KindArg::Index => Self::Index,
        }
    }
}

/// [`Clusters`] as a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
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

/// What a folder of a board is known by.
#[derive(Serialize)]
struct Config<'a> {
    command: &'static str,
    version: &'static str,
    table: &'a str,
    /// Of the bytes of the table.
    checksum: String,
    columns: Vec<String>,
    winner_is: KindArg,
    order_unknown: bool,
    confidence: f64,
    clusters: Clusters,
    looks: Looks,
    tolerance: f64,
    ties: TieModel,
}

impl BoardCommand {
    pub(super) fn run(&self) -> Result<()> {
        ensure!(
            !self.standalone || self.format == TableFormat::Latex,
            usage("--standalone makes a document of --format latex".to_owned())
        );
        let options = Options {
            columns: columns(&NameList::all(&self.columns))?,
            winner_is: self.winner_is.into(),
            order_unknown: self.order_unknown,
        };
        let name = self.table.display().to_string();
        let bytes = input::read(&self.table, MOST_OF_RESULTS).with_context(|| format!("failed to read {name}"))?;
        let settings = Settings {
            level: self.confidence,
            clusters: self.clusters.into(),
            ties: self.ties.into(),
            looks: self.looks.into(),
            tolerance: self.tolerance,
            ..Settings::default()
        };
        let folder = self.out.as_deref().map(|out| self.claim(out, &name, &bytes)).transpose()?;
        let report = BoardReport::of_bytes(&name, &bytes, &options, &settings, self.quiet)?;
        if let Some((folder, config)) = &folder {
            folder.write(config, || {
                for (file, bytes) in report.files()? {
                    output::write_atomic(&folder.join(file), &bytes)?;
                }
                report.figure().save(&folder.join("board"))
            })?;
        }
        if let Some(path) = &self.matrix {
            self.write_matrix(path, &report)?;
        }
        match self.format {
            _ if self.json => println!("{}", serde_json::to_string_pretty(&report.json()?)?),
            TableFormat::Json => println!("{}", serde_json::to_string_pretty(&report.json()?)?),
            TableFormat::Text => println!("{}", report.text()),
            TableFormat::Markdown => println!("{}", report.markdown()),
            TableFormat::Latex => println!("{}", report.latex(self.standalone)),
            TableFormat::Csv => println!("{}", String::from_utf8(report.csv()?)?.trim_end()),
        }
        if let Some((folder, _)) = &folder
            && !self.quiet
        {
            eprintln!(
                "results in {}: board.txt, .md, .tex, .csv, .json, .png, .svg, config.json",
                folder.path().display()
            );
        }
        Ok(())
    }

    fn write_matrix(&self, path: &Path, report: &BoardReport) -> Result<()> {
        let preferences = report.board.preferences().with_context(|| {
            format!("--matrix: {} has no fit of all competitors: {}", report.name, report.board.sentence)
        })?;
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(std::iter::once("").chain(preferences.names.iter().map(String::as_str)))?;
        for (name, row) in preferences.names.iter().zip(preferences.values.chunks(preferences.names.len())) {
            writer.write_record(std::iter::once(name.clone()).chain(row.iter().map(f64::to_string)))?;
        }
        let bytes = writer.into_inner().map_err(|error| error.into_error())?;
        ensure!(
            self.replace || !path.exists(),
            usage(format!("--matrix: {} exists; add --replace, or name another file", path.display()))
        );
        output::create_folder_of(path)?;
        output::write_atomic(path, &bytes)
    }

    fn claim<'a>(&'a self, out: &Path, name: &'a str, bytes: &[u8]) -> Result<(ResultsFolder, Config<'a>)> {
        let config = Config {
            command: "board",
            version: env!("CARGO_PKG_VERSION"),
            table: name,
            checksum: output::checksum::sha256_hex(&String::from_utf8_lossy(bytes)),
            columns: NameList::all(&self.columns),
            winner_is: self.winner_is,
            order_unknown: self.order_unknown,
            confidence: self.confidence,
            clusters: self.clusters.into(),
            looks: self.looks.into(),
            tolerance: self.tolerance,
            ties: self.ties.into(),
        };
        let folder = claim_folder(out, Existing::replaced(self.replace), true, &config, self.quiet)?;
        Ok((folder, config))
    }
}

/// The columns that were named.
fn columns(named: &[String]) -> Result<Columns> {
    let mut columns = Columns::default();
    for text in named {
        let expected = "expected e.g. first=base,second=new,winner=preferred, and item, judge or weight";
        let (what, column) = text.split_once('=').ok_or_else(|| usage(format!("--columns {text}: {expected}")))?;
        let place = match what {
            "first" => &mut columns.first,
            "second" => &mut columns.second,
            "winner" => &mut columns.winner,
            "item" => &mut columns.item,
            "judge" => &mut columns.judge,
            "weight" => &mut columns.weight,
            _ => anyhow::bail!(usage(format!("--columns {text}: {expected}"))),
        };
        ensure!(place.is_none(), usage(format!("--columns names {what} twice")));
        *place = Some(column.to_owned());
    }
    Ok(columns)
}
