//! `rankduel datasets`: lists the data sets and preference matrices known by name, and gets them.

use std::path::Path;

use anyhow::{Result, bail};
use bench::problems::vote_sets;
use clap::{Args, Subcommand};
use fetch::command::REFUSED;
use fetch::{Bar, Download, Missing};
use letor_io::registry::{self, Advice, Entry};
use letor_io::{Split, lookalike};
use output::numbers::with_separators;
use output::text_table::{Align, TextTable};
use serde::Serialize;

use desk::{eprintln, println};

/// List the data sets and preference matrices known by name, or get them
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Datasets {
    #[command(subcommand)]
    action: Option<Action>,

    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    Fetch(fetch::Arguments),
}

/// Lets messages advise the command of this `program` for data sets that are not on this machine. The first call counts.
pub fn gets_data_as(program: &str) {
    registry::set_data_command(&format!("{program} datasets fetch"), cfg!(feature = "fetch"));
}

/// A data set or a matrix, as JSON.
#[derive(Serialize)]
struct Description<'a> {
    name: &'a str,
    /// `data set`, `preference matrix`, `votes` or `look-alike`.
    kind: &'static str,
    title: &'a str,
    /// `yes`, `no`, or the parts that are installed; look-alikes always are.
    installed: String,
    queries: Option<u64>,
    documents: Option<u64>,
    features: Option<u32>,
    /// The arms of a matrix.
    arms: Option<u32>,
    /// Where to read the terms of use.
    licence: Option<&'a str>,
    /// The paper to cite.
    paper: Option<&'a str>,
    /// The attribution, where the terms ask for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    attribution: Option<&'a str>,
}

impl Datasets {
    pub(super) fn run(&self) -> Result<()> {
        let root = registry::data_root();
        if let Some(Action::Fetch(arguments)) = &self.action {
            let mut bar = Bar::new(|line| println!("{line}"), |text| eprintln!("{text}"));
            let missing_files = arguments.run(&root, downloads().as_deref(), &mut bar)?;
            drop(bar);
            if !arguments.only_informs() {
                missing_error(&missing_files)?;
            }
        } else if self.json {
            println!("{}", serde_json::to_string_pretty(&descriptions(&root))?);
        } else {
            print_table(&root);
        }
        Ok(())
    }
}

/// The downloader, if this build has one.
fn downloads() -> Option<Box<dyn Download>> {
    #[cfg(feature = "fetch")]
    return Some(Box::new(download::Settings::default()));
    #[cfg(not(feature = "fetch"))]
    None
}

/// The error for data sets that were asked for and are not registered.
fn missing_error(missing_files: &[Missing]) -> Result<()> {
    let advice = Advice::of_process();
    let reasons = missing_files.iter().map(|Missing { entry, differences }| {
        if differences.is_empty() {
            format!("{} is not registered: {}", entry.name, advice.manual_steps(entry))
        } else {
            format!("{} is not as expected: {}; {REFUSED}", entry.name, differences.join("; "))
        }
    });
    match reasons.collect::<Vec<_>>().as_slice() {
        [] => Ok(()),
        reasons => bail!("{}", reasons.join("; ")),
    }
}

fn descriptions(root: &Path) -> Vec<Description<'static>> {
    let registered = registry::all().iter().map(|entry| {
        let (queries, documents) = entry.counted_sizes();
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
            attribution: None,
        }
    });
    let votes = vote_sets().iter().map(|set| Description {
        name: set.name,
        kind: "votes",
        title: set.title,
        installed: "yes".to_owned(),
        queries: None,
        documents: None,
        features: None,
        arms: None,
        licence: Some(set.address),
        paper: None,
        attribution: Some(set.attribution),
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
        attribution: None,
    });
    registered.chain(votes).chain(generated).collect()
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
        let (queries, documents) = entry.counted_sizes();
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
    println!("Preference matrices (rankduel bandit --matrix NAME):");
    for entry in registry::all() {
        if let Some(matrix) = &entry.matrix {
            let installed = matrix_installed(&entry.name, root);
            println!("  {:<28} {installed:<4} {} arms, {}", entry.name, matrix.arms, entry.title);
        }
    }
    println!("\nVotes of people, built in, the problems of `rankduel bench`:");
    for vote_set in vote_sets() {
        println!(
            "  {:<28} yes  {} votes, {} ({})",
            vote_set.name,
            with_separators(vote_set.votes()),
            vote_set.title,
            vote_set.licence
        );
        println!("  {:<33} {}", "", vote_set.attribution);
    }
    println!("\nLook-alikes, built in and generated on demand (NAME:0.1 has a tenth of the queries):");
    println!("  {}", lookalike::names().collect::<Vec<_>>().join(", "));
    println!("\nRegistered data sets are stored in {}.", root.display());
    println!("{}; `rankduel inspect NAME` describes an installed one.", Advice::of_process().general_sentence());
}

/// Which splits of `entry` are installed.
fn installed_parts(entry: &Entry, root: &Path) -> String {
    match registry::locate(entry, &root.join(&entry.name)) {
        None => "no".into(),
        Some(located) if located.splits.len() == entry.splits.len() => "yes".into(),
        Some(located) => {
            let split_names: Vec<&str> = located.splits.iter().map(|(split, _): &(Split, _)| split.name()).collect();
            split_names.join(", ")
        }
    }
}
