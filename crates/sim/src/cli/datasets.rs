//! `sim datasets`: lists the data sets and preference matrices known by name.

use std::path::Path;

use anyhow::Result;
use clap::Args;
use letor_io::registry::{self, Entry};
use letor_io::{Split, lookalike};
use output::numbers::with_separators;
use output::text_table::{Align, TextTable};
use serde::Serialize;

use super::print::println;

/// List the registered data sets and preference matrices, and which are installed
#[derive(Debug, Args)]
pub(super) struct Datasets {
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

/// A data set or a matrix, as JSON.
#[derive(Serialize)]
struct Description<'a> {
    name: &'a str,
    /// `data set`, `preference matrix` or `look-alike`.
    kind: &'static str,
    title: &'a str,
    /// `yes`, `no`, or the parts that are installed; look-alikes always are.
    installed: String,
    queries: Option<u64>,
    documents: Option<u64>,
    features: Option<u32>,
    /// Of a matrix.
    arms: Option<u32>,
    /// Where to read the terms of use.
    licence: Option<&'a str>,
    /// The paper to cite.
    paper: Option<&'a str>,
}

impl Datasets {
    pub(super) fn run(&self) -> Result<()> {
        let root = registry::data_root();
        if self.json {
            println!("{}", serde_json::to_string_pretty(&descriptions(&root))?);
        } else {
            print_table(&root);
        }
        Ok(())
    }
}

fn descriptions(root: &Path) -> Vec<Description<'static>> {
    let registered = registry::all().iter().map(|entry| {
        let (queries, documents) = entry.counted();
        let matrix = entry.matrix.as_ref();
        let installed = match matrix {
            Some(_) => matrix_installed(&entry.name, root).to_owned(),
            None => installed_parts(entry, root),
        };
        Description {
            name: &entry.name,
            kind: if matrix.is_some() { "preference matrix" } else { "data set" },
            title: &entry.title,
            installed,
            queries: queries.filter(|_| matrix.is_none()),
            documents: documents.filter(|_| matrix.is_none()),
            features: matrix.is_none().then_some(entry.features),
            arms: matrix.map(|matrix| matrix.arms),
            licence: Some(&entry.licence.address),
            paper: entry.paper.as_ref().map(|paper| paper.address.as_str()),
        }
    });
    let generated = lookalike::names().map(|name| Description {
        name,
        kind: "look-alike",
        title: "generated on demand; NAME:0.1 has a tenth of the queries",
        installed: "yes".to_owned(),
        queries: None,
        documents: None,
        features: None,
        arms: None,
        licence: None,
        paper: None,
    });
    registered.chain(generated).collect()
}

fn matrix_installed(name: &str, root: &Path) -> &'static str {
    if registry::matrix_file(name, root).is_some_and(|file| file.is_ok()) { "yes" } else { "no" }
}

/// Prints the registered data sets and matrices, whether they are installed, and the look-alikes.
fn print_table(root: &Path) {
    let mut table = TextTable::new([
        ("data set", Align::Left),
        ("installed", Align::Left),
        ("queries", Align::Right),
        ("documents", Align::Right),
        ("features", Align::Right),
        ("description", Align::Left),
    ]);
    for entry in registry::all().iter().filter(|entry| entry.matrix.is_none()) {
        let (queries, documents) = entry.counted();
        let number = |number: Option<u64>| number.map_or("?".into(), with_separators);
        let installed = installed_parts(entry, root);
        table.row([
            entry.name.clone(),
            installed,
            number(queries),
            number(documents),
            entry.features.to_string(),
            entry.title.clone(),
        ]);
    }
    println!("{table}\n");
    println!("Preference matrices (sim bandit --matrix NAME):");
    for entry in registry::all() {
        if let Some(matrix) = &entry.matrix {
            let installed = matrix_installed(&entry.name, root);
            println!("  {:<28} {installed:<4} {} arms, {}", entry.name, matrix.arms, entry.title);
        }
    }
    println!("\nLook-alikes, built in and generated on demand (NAME:0.1 has a tenth of the queries):");
    println!("  {}", lookalike::names().collect::<Vec<_>>().join(", "));
    let get = if registry::has_workspace() {
        "`cargo xtask fetch-datasets NAME` downloads one\nor explains where to get it"
    } else {
        "`sim --dataset NAME` says where to get\none and where to put it"
    };
    println!(
        "\nRegistered data sets are stored in {}. {get}; `sim inspect NAME` describes an installed one.",
        root.display()
    );
}

/// Which splits of `entry` are installed.
fn installed_parts(entry: &Entry, root: &Path) -> String {
    match registry::locate(entry, &root.join(&entry.name)) {
        None => "no".into(),
        Some(located) if located.splits.len() == entry.splits.len() => "yes".into(),
        Some(located) => {
            let parts: Vec<&str> = located.splits.iter().map(|(split, _): &(Split, _)| split.name()).collect();
            parts.join(", ")
        }
    }
}
