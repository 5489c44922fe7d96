//! The report of every study, to be read, printed and written.

use std::path::Path;

use anyhow::Result;
use figures::{Lines, Panels};
use serde::Serialize;

/// The findings of a study.
#[derive(Debug, Default)]
pub struct Report {
    /// The printed text.
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
    /// Its content.
    pub content: Content,
}

/// The content of a file.
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
    /// Seconds and other things of this machine and this call: no part of the results.
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
    pub fn with_file(mut self, name: &str, content: Content) -> Self {
        self.files.push(ReportFile { name: name.to_owned(), content });
        self
    }

    /// The names of its files in a line, e.g. `error.png, error.svg, errors.csv, config.json`.
    #[must_use]
    pub fn names(&self) -> String {
        let (mut figures, mut tables, mut folders) = (Vec::new(), Vec::new(), Vec::new());
        for ReportFile { name, content } in &self.files {
            match content {
                Content::Lines(_) | Content::Panels(_) => {
                    figures.extend([format!("{name}.png"), format!("{name}.svg")])
                }
                Content::Table(_) | Content::Bytes(_) => tables.push(name.clone()),
                Content::Folder(_) => folders.push(format!("{name}/")),
                Content::Timings(_) => {}
            }
        }
        tables.push("config.json".to_owned());
        [figures, tables, folders].concat().join(", ")
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
        let svg_of = |file: &ReportFile| match &file.content {
            Content::Lines(lines) => Some(lines.render().map(|figure| (file.name.clone(), figure.svg))),
            Content::Panels(panels) => Some(panels.render().map(|figure| (file.name.clone(), figure.svg))),
            _ => None,
        };
        self.files.iter().filter_map(svg_of).collect()
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
