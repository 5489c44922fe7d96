//! The contract of a study, and what every study gives: a report.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use figures::{Lines, Panels};
use output::shards::Share;
use serde::Serialize;
use simulation::spec::SiteSpec;

use crate::runner::{Keeper, Order, Workplace};
use crate::site::OpenSite;

/// Something long to compute, as a value: what was asked for and what it is asked of. [`run`](crate::run) carries it out,
/// whoever asks: the command line, Python, or one of many shards.
///
/// The methods are called in the order in which they stand here, each once. Randomness comes from the seed of the request
/// alone, so that the same request gives the same bytes.
pub trait Study: Sized {
    /// What commands and configurations call it.
    const COMMAND: &'static str;
    /// The content of `config.json`. Without what [`SIZES`](output::results_folder::SIZES) lists it is the key of a folder.
    type Config: Serialize;
    /// What is found out before the first unit of work: the ground truth, nDCG, the sizes of sets.
    type Settled;
    /// All that was computed.
    type Found;

    /// Does what all shards need, keeps it in caches, and says what it was; `None` if shards need nothing.
    ///
    /// # Errors
    /// If it cannot be computed or kept.
    fn prepare(&self, _order: &Order) -> Result<Option<String>> {
        Ok(None)
    }

    /// The configuration as far as it is known now. Results of another one are refused.
    fn key(&self) -> Self::Config;

    /// Learns what the place holds already: joins it with what is asked for, or refuses it.
    ///
    /// # Errors
    /// If both cannot be in one place.
    fn extend(&mut self, _place: &Workplace) -> Result<()> {
        Ok(())
    }

    /// Finds out what must be known before the work can be divided.
    ///
    /// # Errors
    /// If it cannot be known, e.g. because regret needs a winner and there is none.
    fn settle(&self, place: &Workplace) -> Result<Self::Settled>;

    /// The complete configuration.
    fn config(&self, settled: &Self::Settled) -> Self::Config;

    /// What shards divide.
    fn units(&self, settled: &Self::Settled) -> Units;

    /// Computes all units, or those of a shard, through the `keeper`, which knows which of them are there already.
    ///
    /// # Errors
    /// If memory has no room, or something cannot be kept.
    fn play(&self, settled: &Self::Settled, keeper: &Keeper<'_>) -> Result<Self::Found>;

    /// What was found, to be read, printed and written.
    ///
    /// # Errors
    /// If a table cannot be formatted.
    fn report(&self, settled: &Self::Settled, found: &Self::Found) -> Result<Report>;
}

/// A study of an open site, whose request is flags of the command line, too. The command, its help, shards, `sim.toml` and the
/// function in Python follow from this.
pub trait OnSite: Study {
    /// What was asked for, apart from the site and the seed. Its fields are flags, and arguments in Python.
    type Request: clap::Args + Send + 'static;
    /// What it does, in half a line.
    const ABOUT: &'static str;
    /// What it writes, and what else its users should know.
    const DETAILS: &'static str;
    /// Where its results go if nothing else is said.
    const USUAL_PLACE: UsualPlace;

    /// Checks what can be checked before data are opened.
    ///
    /// # Errors
    /// As wrong usage, or if memory has no room.
    fn check(_request: &Self::Request, _site: &SiteSpec, _share: &Share) -> Result<()> {
        Ok(())
    }

    /// The study of this site.
    ///
    /// # Errors
    /// As wrong usage, if the site does not allow the request.
    fn on(site: Arc<OpenSite>, request: Self::Request, seed: u64) -> Result<Self>;
}

/// Where the results of a study go if nothing else is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsualPlace {
    /// A folder in `results/`, named after the command and the site.
    Folder,
    /// Nowhere: they are printed.
    Memory,
}

/// What shards divide.
#[derive(Debug, Clone)]
pub struct Units {
    /// What one is called, e.g. `run`.
    pub unit: &'static str,
    /// How many there are.
    pub total: u64,
    /// Kept records that make up a unit, for the status of shards.
    pub records: u64,
    /// The revisions of what computes them: parts of shards with others do not add up.
    pub revisions: BTreeMap<String, u32>,
}

/// What a study found.
#[derive(Debug, Default)]
pub struct Report {
    /// What is printed.
    pub text: String,
    /// The same for programs, as indented JSON.
    pub json: String,
    /// The files of a results folder but for `config.json`.
    pub files: Vec<ReportFile>,
}

/// A file of a results folder.
#[derive(Debug)]
pub struct ReportFile {
    /// Its name; of a figure, without the ending.
    pub name: String,
    /// What is in it.
    pub content: Content,
}

/// What is in a file.
#[derive(Debug)]
pub enum Content {
    /// A table as CSV.
    Table(Vec<u8>),
    /// Any other bytes.
    Bytes(Vec<u8>),
    /// Curves in one panel, as SVG and PNG.
    Lines(Box<Lines>),
    /// Curves in several panels.
    Panels(Box<Panels>),
    /// Seconds and other things of this machine and this call: no part of what was found.
    Timings(Vec<u8>),
    /// A folder with a `config.json` of its own, equal to that of the study.
    Folder(Vec<ReportFile>),
}

impl Report {
    /// A report with this text, and `data` as its JSON.
    ///
    /// # Errors
    /// If `data` has no JSON form.
    pub fn new(text: String, data: &impl Serialize) -> Result<Self> {
        Ok(Self { text, json: serde_json::to_string_pretty(data)?, files: Vec::new() })
    }

    /// The same with a further file.
    #[must_use]
    pub fn with(mut self, name: &str, content: Content) -> Self {
        self.files.push(ReportFile { name: name.to_owned(), content });
        self
    }

    /// The names of its files in a line, e.g. `error.png, error.svg, errors.csv, config.json`.
    #[must_use]
    pub fn names(&self) -> String {
        let (mut figures, mut others, mut folders) = (Vec::new(), Vec::new(), Vec::new());
        for ReportFile { name, content } in &self.files {
            match content {
                Content::Lines(_) | Content::Panels(_) => {
                    figures.extend([format!("{name}.png"), format!("{name}.svg")])
                }
                Content::Table(_) | Content::Bytes(_) => others.push(name.clone()),
                Content::Folder(_) => folders.push(format!("{name}/")),
                Content::Timings(_) => {}
            }
        }
        others.push("config.json".to_owned());
        [figures, others, folders].concat().join(", ")
    }

    /// Its tables by name without ending.
    pub fn tables(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().filter_map(|file| match &file.content {
            Content::Table(csv) => Some((file.name.trim_end_matches(".csv"), csv.as_slice())),
            _ => None,
        })
    }

    /// Its figures as SVG, by name.
    ///
    /// # Errors
    /// If one cannot be drawn.
    pub fn figures(&self) -> Result<Vec<(String, String)>> {
        let drawn = |file: &ReportFile| match &file.content {
            Content::Lines(lines) => Some(lines.render().map(|figure| (file.name.clone(), figure.svg))),
            Content::Panels(panels) => Some(panels.render().map(|figure| (file.name.clone(), figure.svg))),
            _ => None,
        };
        self.files.iter().filter_map(drawn).collect()
    }
}

impl Content {
    /// JSON as results folders have it.
    ///
    /// # Errors
    /// If `data` has no JSON form.
    pub fn json(data: &impl Serialize) -> Result<Self> {
        Ok(Self::Bytes(output::json_file(&serde_json::to_string_pretty(data)?)))
    }
}

/// Writes files into `folder`, which must exist; folders in it have `config` as their `config.json`.
///
/// # Errors
/// If a file cannot be written.
pub fn write_files(folder: &Path, files: &[ReportFile], config: &impl Serialize) -> Result<()> {
    for ReportFile { name, content } in files {
        let path = folder.join(name);
        match content {
            Content::Table(bytes) | Content::Bytes(bytes) | Content::Timings(bytes) => {
                output::write_atomic(&path, bytes)?
            }
            Content::Lines(lines) => lines.save(&path)?,
            Content::Panels(panels) => panels.save(&path)?,
            Content::Folder(files) => {
                output::results_folder::write_part(&path, config, || write_files(&path, files, config))?;
            }
        }
    }
    Ok(())
}
