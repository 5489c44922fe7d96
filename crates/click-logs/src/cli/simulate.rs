//! `click-logs simulate`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use clicks::ClickSpec;
use desk::println;
use flate2::Compression;
use flate2::write::GzEncoder;
use interleave::AnyInterleaving;
use output::input;
use output::numbers::{parse_count, parse_up_to, with_separators};
use output::progress::Progress;
use output::results_folder::{ExistingResults, ResultsFolder};
use output::threads;
use output::usage::usage;
use serde_json::json;
use times::{date, day_of_date, duration_text, parse_duration};

use super::Scratch;
use super::orders::OrderFlags;
use super::set_aside::move_file;
use crate::outcomes::fates_csv;
#[cfg(feature = "parquet")]
use crate::simulate::{CLICKS, CONVERSION_COLUMNS, ColumnType, IMPRESSIONS, TableWriter};
use crate::simulate::{
    CONVERSION_UNITS, Dialect, HOUR, LineSorter, STRETCH_OF_UNITS, SimulatedFate, SimulationSettings, Truth, UNITS,
    Visits, rules, simulate,
};

/// Write a log of simulated users, at any size, and its truth
///
/// Users differ in taste and come back; lines are doubled, late, lost, early, unknown, in conflict or of bots. The folder
/// has the impressions, the clicks, rules for the bots, and in truth/ the very files that `credit` must write: what the
/// interleaving method said while each user read, added up by the simulator.
#[derive(Debug, Args)]
pub(super) struct Simulate {
    /// The folder to write to
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Move an earlier log in the folder aside
    #[arg(long)]
    replace: bool,
    /// Impressions, at least; 1e10 of them take terabytes
    #[arg(long, value_name = "N", default_value = "1e5", value_parser = parse_up_to::<u64, 10_000_000_000>)]
    impressions: u64,
    /// Everything follows from it
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_count)]
    seed: u64,
    /// Days
    #[arg(long, value_name = "N", default_value = "14", value_parser = parse_up_to::<u32, 3650>)]
    days: u32,
    /// The first day
    #[arg(long, value_name = "DATE", default_value = "2026-01-01", value_parser = parse_date)]
    first_day: i32,
    /// Rankers; each impression mixes two of them
    #[arg(long, value_name = "N", default_value = "2", value_parser = parse_up_to::<usize, 64>)]
    rankers: usize,
    /// How much better each ranker is than the one before; 0 leaves differences by chance alone
    #[arg(long = "quality-gap", value_name = "X", default_value = "0.1")]
    margin: f64,
    /// How much of that comes only with time; 1 if only chance distinguishes rankers on the first day
    #[arg(long, value_name = "SHARE", default_value = "0")]
    drift: f64,
    /// How much users differ in what they want
    #[arg(long, value_name = "X", default_value = "1")]
    taste: f64,
    /// The method that mixes lists
    #[arg(long, value_name = "METHOD", default_value = "team-draft")]
    method: AnyInterleaving,
    /// Documents shown
    #[arg(long, value_name = "N", default_value = "10", value_parser = parse_up_to::<usize, 1000>)]
    shown: usize,
    /// The click model
    #[arg(long, value_name = "MODEL", default_value = "navigational")]
    click: ClickSpec,
    /// The truth counts only clicks after which the user stayed so long
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    dwell: Option<i64>,
    /// Lines that are logged twice
    #[arg(long, value_name = "SHARE", default_value = "0.2")]
    doubles: f64,
    /// Clicks after the window
    #[arg(long, value_name = "SHARE", default_value = "0.05")]
    late: f64,
    /// Clicks that are not logged
    #[arg(long, value_name = "SHARE", default_value = "0.02")]
    lost: f64,
    /// Clicks with a time before their impression, by a clock that is wrong
    #[arg(long, value_name = "SHARE", default_value = "0.002")]
    early: f64,
    /// Impressions with a click on an impression that is not logged
    #[arg(long, value_name = "SHARE", default_value = "0.01")]
    unknown: f64,
    /// Impressions with a click on a document that was not shown
    #[arg(long, value_name = "SHARE", default_value = "0.005")]
    not_shown: f64,
    /// Impressions that are logged again with other content
    #[arg(long, value_name = "SHARE", default_value = "0.001")]
    conflicts: f64,
    /// Users that are bots
    #[arg(long, value_name = "SHARE", default_value = "0.0005")]
    bots: f64,
    /// Pages of --shown documents that users may turn to; logged with how far each one went
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_up_to::<usize, 30>)]
    pages: usize,
    /// Impressions with an advertisement in the second place
    #[arg(long, value_name = "SHARE", default_value = "0")]
    pinned: f64,
    /// Documents that were mixed and are not displayed
    #[arg(long, value_name = "SHARE", default_value = "0")]
    left_out: f64,
    /// After which part of the time the experiment changes: it has another version, and each ranker does what another one did
    #[arg(long, value_name = "SHARE")]
    change_version_at: Option<f64>,
    /// How many lists each user sees: drawn from the counts of users in this file, facets of Solr in JSON such as those that
    /// SeaseLtd/statistical-interleaving publishes [default: users return by chance]
    #[arg(long, value_name = "FILE")]
    visits: Option<PathBuf>,
    #[command(flatten)]
    orders: OrderFlags,
    /// How lines are written
    #[arg(long, value_enum, default_value = "jsonl")]
    format: Format,
    /// The order of lines
    #[arg(long, value_enum, default_value = "shuffled")]
    order: Order,
    /// Write files compressed by gzip
    #[arg(long)]
    gzip: bool,
    /// Threads [default: all processors]
    #[arg(long, value_name = "N", value_parser = parse_up_to::<usize, 1024>)]
    threads: Option<usize>,
    /// Print no progress
    #[arg(long)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Our own fields
    Jsonl,
    /// Our own columns
    Csv,
    /// UBI 1.3, teams in `query_attributes`
    Ubi,
    /// UBI with responses of OpenSearch
    Opensearch,
    /// UBI with responses of Solr
    Solr,
    /// Tables with our own columns; by builds that read Parquet
    Parquet,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Order {
    /// Some users at a time, and their lines in any order
    Shuffled,
    /// By time, as servers write them
    Time,
}

/// The files of lines; the last one only with orders.
const FILE_STEMS: [&str; 3] = ["impressions", "clicks", "conversions"];
/// Bytes of a file of visits, at most.
const MAX_FACETS_BYTES: u64 = 1 << 30;

fn parse_date(text: &str) -> Result<i32, String> {
    day_of_date(text).ok_or_else(|| format!("expected a date such as 2026-01-01, found `{text}`"))
}

impl Simulate {
    fn simulation(&self) -> Result<SimulationSettings> {
        let visits = self.visits.as_deref().map(|path| {
            let text = input::read_text(path, MAX_FACETS_BYTES);
            let text = text.with_context(|| format!("{}: cannot be read", path.display()))?;
            Visits::from_facets(&text).map_err(|message| anyhow::anyhow!("{}: {message}", path.display()))
        });
        let dialect = match self.format {
            Format::Jsonl | Format::Parquet => Dialect::Json,
            Format::Csv => Dialect::Csv,
            Format::Ubi => Dialect::Ubi,
            Format::Opensearch => Dialect::OpenSearch,
            Format::Solr => Dialect::Solr,
        };
        Ok(SimulationSettings {
            impressions: self.impressions,
            seed: self.seed,
            days: self.days,
            first_day: self.first_day,
            rankers: self.rankers,
            margin: self.margin,
            drift: self.drift,
            taste: self.taste,
            method: self.method.clone(),
            shown: self.shown,
            click: self.click.clone(),
            dwell: self.dwell,
            doubles: self.doubles,
            late: self.late,
            lost: self.lost,
            early: self.early,
            unknown: self.unknown,
            not_shown: self.not_shown,
            conflicts: self.conflicts,
            bots: self.bots,
            pages: self.pages,
            pinned: self.pinned,
            left_out: self.left_out,
            change_version_at: self.change_version_at,
            visits: visits.transpose()?,
            orders: self.orders.orders(),
            dialect,
        })
    }

    /// The packing of the file of impressions (0), clicks (1) or conversions (2).
    fn packing(&self, kind: usize) -> Packing {
        #[cfg(feature = "parquet")]
        if self.format == Format::Parquet {
            return Packing::Parquet([IMPRESSIONS, CLICKS, CONVERSION_COLUMNS][kind]);
        }
        let _ = kind;
        if self.gzip { Packing::Gzip } else { Packing::Plain }
    }

    pub(super) fn run(self) -> Result<()> {
        let simulation = self.simulation()?;
        simulation.check().map_err(usage)?;
        let is_parquet = self.format == Format::Parquet;
        if is_parquet && self.gzip {
            bail!(usage("Parquet is compressed by itself; leave out --gzip"));
        }
        if is_parquet && !cfg!(feature = "parquet") {
            bail!(usage(
                "this build does not write Parquet; use the program of a release or a wheel, or build it with --features parquet"
            ));
        }
        let mut config = json!({
            "command": "click-logs simulate",
            "synthetic": true,
            "impressions": self.impressions,
            "seed": self.seed,
            "days": self.days,
            "first_day": date(self.first_day),
            "rankers": self.rankers,
            "margin": self.margin,
            "drift": self.drift,
            "taste": self.taste,
            "method": self.method.to_string(),
            "shown": self.shown,
            "click": self.click.to_string(),
            "dwell": self.dwell.map(duration_text),
            "doubles": self.doubles,
            "late": self.late,
            "lost": self.lost,
            "early": self.early,
            "unknown": self.unknown,
            "not_shown": self.not_shown,
            "conflicts": self.conflicts,
            "bots": self.bots,
            "format": if is_parquet { "parquet" } else { simulation.dialect.name() },
        });
        // A log in the usual order is the same key as before there was a choice.
        if self.order == Order::Time {
            config["order"] = "time".into();
        }
        if simulation.has_pages() {
            config["pages"] = self.pages.into();
            config["pinned"] = self.pinned.into();
            config["left_out"] = self.left_out.into();
        }
        if let Some(share) = self.change_version_at {
            config["change_version_at"] = share.into();
        }
        if let Some(visits) = &simulation.visits {
            config["visits"] = json!({"file": self.visits, "users": visits.users(), "most": visits.max_impressions(), "digest": format!("{:016x}", visits.digest())});
        }
        if let Some(orders) = self.orders.config() {
            config["orders"] = orders;
        }
        if self.gzip {
            config["gzip"] = true.into();
        }
        let existing = ExistingResults::from_flag(self.replace);
        let folder = ResultsFolder::claim(&self.out, &config, existing)?;
        let packed = if self.gzip { ".gz" } else { "" };
        let extension = if is_parquet { "parquet" } else { simulation.dialect.extension() };
        let kinds = if simulation.orders.is_some() { &FILE_STEMS[..] } else { &FILE_STEMS[..2] };
        let names: Vec<String> = kinds.iter().map(|name| format!("{name}.{extension}{packed}")).collect();
        // Complete or absent: written under another name first.
        let asides: Vec<PathBuf> = names.iter().map(|name| folder.join(&format!(".{name}.partial"))).collect();
        folder.marker()()?;
        let scratch = Scratch::new(folder.path())?;
        let [units_aside, conversions_aside] =
            ["units.csv", "conversion-units.csv"].map(|name| scratch.path.join(name));
        let stop = super::Stop::new([&asides[..], std::slice::from_ref(&scratch.path)].concat());
        let progress = Progress::new("impressions", self.impressions, self.quiet);
        let truth = threads::run_in_pool(self.threads, || {
            let mut files = Vec::new();
            let headers = simulation.headers().into_iter().chain([simulation.conversions_header()]);
            for (kind, (path, header)) in asides.iter().zip(headers).enumerate() {
                let mut file = LogWriter::new(path, self.packing(kind))?;
                file.write(header.as_bytes())?;
                files.push(file);
            }
            let mut units = LogWriter::new(&units_aside, Packing::Plain)?;
            units.write(format!("{UNITS}\n").as_bytes())?;
            let mut sorters = FILE_STEMS.map(|name| LineSorter::new(&scratch.path, name, HOUR));
            let mut conversion_units = LineSorter::new(&scratch.path, "conversion-units", STRETCH_OF_UNITS);
            let write_result = simulate::<SimulateError>(&simulation, |lines, impressions| {
                match self.order {
                    Order::Shuffled => {
                        files
                            .iter_mut()
                            .zip(lines.text().into_iter().chain([lines.conversions()]))
                            .try_for_each(|(file, text)| file.write(&text))
                            .map_err(SimulateError)?;
                    }
                    Order::Time => lines
                        .each(|kind, time, line| sorters[kind].push(time, line))
                        .with_context(|| format!("failed to write to {}", scratch.path.display()))
                        .map_err(SimulateError)?,
                }
                units.write(lines.units()).map_err(SimulateError)?;
                lines
                    .each_conversion_unit()
                    .try_for_each(|(key, line)| conversion_units.push(key, line))
                    .with_context(|| format!("failed to write to {}", scratch.path.display()))
                    .map_err(SimulateError)?;
                stop.if_asked();
                progress.advance(impressions);
                Ok(())
            });
            let truth = write_result.map_err(|SimulateError(error)| error)?;
            for (file, sorters) in files.iter_mut().zip(sorters) {
                file.write_sorted(sorters)?;
            }
            if simulation.orders.is_some() {
                let mut file = LogWriter::new(&conversions_aside, Packing::Plain)?;
                file.write(format!("{CONVERSION_UNITS}\n").as_bytes())?;
                file.write_sorted(conversion_units)?;
                files.push(file);
            }
            files.into_iter().chain([units]).try_for_each(LogWriter::finish)?;
            anyhow::Ok(truth)
        })
        .flatten();
        progress.finish();
        drop(stop);
        let truth = truth.inspect_err(|_| asides.iter().for_each(|path| drop(std::fs::remove_file(path))))?;
        let credited_log = truth.credited();
        let rules = rules(&simulation);
        folder.write(&config, || {
            for (name, aside) in names.iter().zip(&asides) {
                let path = folder.join(name);
                std::fs::rename(aside, &path).with_context(|| format!("failed to write {}", path.display()))?;
            }
            super::write(folder.path(), "bots.toml", &rules.bots.to_toml())?;
            output::create_folder(&folder.join("truth"))?;
            super::write(
                folder.path(),
                "truth/outcomes.csv",
                &crate::outcomes::outcomes_of_log(&credited_log).to_csv(),
            )?;
            super::write(folder.path(), "truth/fates.csv", &fates_csv(&credited_log))?;
            move_file(&units_aside, &folder.join("truth/units.csv"))?;
            if simulation.orders.is_some() {
                super::write(folder.path(), "truth/conversion-fates.csv", &conversion_fates_csv(&truth))?;
                move_file(&conversions_aside, &folder.join("truth/conversion-units.csv"))?;
            }
            // In the folder, which may be renamed in the end.
            drop(scratch);
            Ok(())
        })?;
        let path = self.out.display();
        let [impressions, clicks] = credited_log.tally.lines();
        let dwell = self.dwell.map_or_else(String::new, |dwell| format!(" --dwell {}", duration_text(dwell)));
        println!(
            "{} impressions of simulated users in {path}: {} lines of impressions, {} of clicks.\n\
             click-logs credit --impressions {path}/{} --clicks {path}/{} --bots {path}/bots.toml --rankers {} --final{dwell} \
             --out FOLDER\nwrites the outcomes.csv and fates.csv of {path}/truth.",
            with_separators(truth.impressions()),
            with_separators(impressions),
            with_separators(clicks),
            names[0],
            names[1],
            rules.rankers.join(","),
        );
        if simulation.orders.is_some() {
            let lines: u64 = SimulatedFate::ALL.iter().map(|&fate| truth.conversions(fate)).sum();
            println!(
                "{path}/{} has {} lines of simulated orders; {path}/truth/conversion-units.csv says what they are worth to each ranker.",
                names[2],
                with_separators(lines)
            );
        }
        Ok(())
    }
}

/// Fates of the lines of conversions, as CSV.
fn conversion_fates_csv(truth: &Truth) -> String {
    let rows = SimulatedFate::ALL.iter().map(|&fate| format!("{},{}\n", fate.name(), truth.conversions(fate)));
    std::iter::once("fate,count\n".to_owned()).chain(rows).collect()
}

/// A file of lines, plain or compressed.
struct LogWriter {
    path: PathBuf,
    file: PackedWriter,
}

enum PackedWriter {
    Plain(BufWriter<File>),
    Gzip(Box<GzEncoder<BufWriter<File>>>),
    #[cfg(feature = "parquet")]
    Parquet(Box<TableWriter>),
}

/// The form in which a file is written.
enum Packing {
    Plain,
    Gzip,
    /// Lines of JSON become rows with these columns.
    #[cfg(feature = "parquet")]
    Parquet(&'static [(&'static str, ColumnType)]),
}

impl Write for PackedWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Plain(file) => file.write(bytes),
            Self::Gzip(file) => file.write(bytes),
            #[cfg(feature = "parquet")]
            Self::Parquet(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Plain(file) => file.flush(),
            Self::Gzip(file) => file.flush(),
            #[cfg(feature = "parquet")]
            Self::Parquet(file) => file.flush(),
        }
    }
}

impl LogWriter {
    fn new(path: &Path, packing: Packing) -> Result<Self> {
        let file = File::create(path).map(|file| BufWriter::with_capacity(1 << 20, file));
        let file = file.with_context(|| format!("failed to write {}", path.display()))?;
        let file = match packing {
            Packing::Plain => PackedWriter::Plain(file),
            Packing::Gzip => PackedWriter::Gzip(Box::new(GzEncoder::new(file, Compression::fast()))),
            #[cfg(feature = "parquet")]
            Packing::Parquet(columns) => PackedWriter::Parquet(Box::new(
                TableWriter::new(file, columns).with_context(|| format!("failed to write {}", path.display()))?,
            )),
        };
        Ok(Self { path: path.to_path_buf(), file })
    }

    fn write(&mut self, text: &[u8]) -> Result<()> {
        self.file.write_all(text).with_context(|| format!("failed to write {}", self.path.display()))
    }

    fn write_sorted(&mut self, lines: LineSorter) -> Result<()> {
        lines.write(&mut self.file).with_context(|| format!("failed to write {}", self.path.display()))
    }

    fn finish(self) -> Result<()> {
        let write_result = match self.file {
            PackedWriter::Plain(mut file) => file.flush(),
            PackedWriter::Gzip(file) => file.finish().and_then(|mut file| file.flush()),
            #[cfg(feature = "parquet")]
            PackedWriter::Parquet(file) => file.finish(),
        };
        write_result.with_context(|| format!("failed to write {}", self.path.display()))
    }
}

/// An error in the settings (wrong usage) or in writing.
struct SimulateError(anyhow::Error);

impl From<String> for SimulateError {
    fn from(message: String) -> Self {
        Self(usage(message))
    }
}
