//! `rankduel board`: the best in a table of judgements.

use std::path::{Path, PathBuf};

use analyses::board::{BoardReport, BoardRequest, GoldSource};
use anyhow::{Context, Result, ensure};
use clap::Args;
use output::input::{self, MAX_RESULT_BYTES};
use output::results_folder::{ExistingResults, ResultsFolder};
use output::usage::usage;
use serde::Serialize;
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
///
/// With `--gold` or `--gold-table`, a model (an LLM as a judge) judged all questions, a question being a pair on an item, and people some of
/// them, drawn by lot. The model's verdicts, corrected where both judged, sharpen strengths that hold for people, however biased the model
/// is; said are also how well it agrees with people, and whom it favours. If questions were chosen with other probabilities, the
/// weights of people's rows are 1 over these.
#[derive(Debug, Args)]
pub(super) struct BoardCommand {
    /// The table: CSV, JSON Lines, JSON, a matrix of wins (all plain or gzip), or a session of `rankduel next`
    #[arg(value_name = "FILE")]
    table: PathBuf,

    #[command(flatten)]
    request: BoardRequest,

    /// People's judgements in a table of their own, read as the first one: FILE is then a model's, which judged all questions
    #[arg(long, value_name = "TABLE", conflicts_with_all = ["gold", "covariates", "by", "discrimination"])]
    gold_table: Option<PathBuf>,

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

    /// Also write the board as one HTML page, with the figure: a file to open or to send, which needs no other
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

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

/// The settings that identify a board's folder.
#[derive(Serialize)]
struct Config<'a> {
    command: &'static str,
    version: &'static str,
    table: &'a str,
    /// The checksum of the table's bytes.
    checksum: String,
    /// People's judgements, and the checksum of their bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    gold_table: Option<(&'a str, String)>,
    #[serde(flatten)]
    request: &'a BoardRequest,
}

impl BoardCommand {
    pub(super) fn run(&self) -> Result<()> {
        ensure!(
            !self.standalone || self.format == TableFormat::Latex,
            usage("--standalone makes a document of --format latex".to_owned())
        );
        let (options, settings) = (self.request.options()?, self.request.settings());
        if let Some(path) = &self.html {
            output::check_new(path, "--html", self.replace)?;
        }
        let name = self.table.display().to_string();
        let bytes = input::read(&self.table, MAX_RESULT_BYTES).with_context(|| format!("failed to read {name}"))?;
        let gold = self.gold()?;
        let folder = self.out.as_deref().map(|out| self.claim(out, &name, &bytes, &gold)).transpose()?;
        let report = BoardReport::of_bytes(&name, &bytes, &options, &gold, &settings, self.quiet)?;
        if let Some((folder, config)) = &folder {
            folder.write(config, || {
                for (file, bytes) in report.files()? {
                    output::write_atomic(&folder.join(file), &bytes)?;
                }
                report.figure().save(&folder.join("board"))
            })?;
        }
        if let Some(path) = &self.html {
            output::create_folder_of(path)?;
            output::write_atomic(path, report.html()?.as_bytes())?;
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
                "results in {}: board.txt, .md, .tex, .csv, .json, .png, .svg, {}config.json",
                folder.path().display(),
                if report.board.discrimination.is_some() { "board-judges.csv, " } else { "" }
            );
        }
        Ok(())
    }

    /// The source of the true judgements.
    fn gold(&self) -> Result<GoldSource> {
        let Some(path) = &self.gold_table else { return Ok(self.request.gold()) };
        let name = path.display().to_string();
        let bytes = input::read(path, MAX_RESULT_BYTES).with_context(|| format!("failed to read {name}"))?;
        Ok(GoldSource::File(name, bytes))
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

    fn claim<'a>(
        &'a self,
        out: &Path,
        name: &'a str,
        bytes: &[u8],
        gold: &'a GoldSource,
    ) -> Result<(ResultsFolder, Config<'a>)> {
        let checksum = |bytes: &[u8]| output::checksum::sha256_hex(&String::from_utf8_lossy(bytes));
        let config = Config {
            command: "board",
            version: env!("CARGO_PKG_VERSION"),
            table: name,
            checksum: checksum(bytes),
            gold_table: match gold {
                GoldSource::File(name, bytes) => Some((name, checksum(bytes))),
                GoldSource::None | GoldSource::Judges(_) => None,
            },
            request: &self.request,
        };
        let folder = claim_folder(out, ExistingResults::from_flag(self.replace), true, &config, self.quiet)?;
        Ok((folder, config))
    }
}
