//! `cargo xtask fetch-datasets`: what data sets there are, where to get them, and putting them where
//! they are found by name.

mod check;
mod register;
mod show;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use letor_io::registry::{self, Entry};

/// List the data sets known by name, say where to get one, or register a copy of its files
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The data sets; all are listed unless some are named
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Take the files of the one data set named from here: the folder of the unpacked archive, or a file
    #[arg(long, value_name = "FILE-OR-FOLDER", requires = "names")]
    from: Option<PathBuf>,
    /// Register the files though they are not what was expected
    #[arg(long, requires = "from")]
    accept: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = registry::data_root();
    let entries = arguments
        .names
        .iter()
        .map(|name| find(name))
        .collect::<Result<Vec<_>>>();
    let entries = match entries {
        Ok(entries) => entries,
        Err(error) => return Ok(usage(&error)),
    };
    match (&entries[..], &arguments.from) {
        ([], _) => show::list(&root),
        ([entry], Some(from)) => return register::register(entry, from, &root, arguments.accept),
        (_, Some(_)) => {
            return Ok(usage(&anyhow::anyhow!(
                "--from gives the files of one data set: name one"
            )));
        }
        (entries, None) => {
            let mut all_here = true;
            for entry in entries {
                all_here &= show::details(entry, &root);
            }
            if !all_here {
                return Ok(ExitCode::FAILURE);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn find(name: &str) -> Result<&'static Entry> {
    if let Some(entry) = registry::find(name) {
        return Ok(entry);
    }
    let names = || registry::all().iter().map(|entry| entry.name.as_str());
    if let Some(near) = registry::nearest(name, names()) {
        bail!("no data set is called `{name}`: did you mean `{near}`?");
    }
    bail!(
        "no data set is called `{name}`: there are {}",
        names().collect::<Vec<_>>().join(", ")
    )
}

/// What clap does about a wrong command line, for what only we can tell.
fn usage(error: &anyhow::Error) -> ExitCode {
    eprintln!("error: {error:#}\n\nFor more information, try '--help'.");
    ExitCode::from(2)
}

/// `path` for messages, absolute where that can be had.
fn absolute(path: &std::path::Path) -> Result<PathBuf> {
    path.canonicalize()
        .with_context(|| format!("failed to open {}", path.display()))
}
