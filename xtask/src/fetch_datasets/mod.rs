//! `cargo xtask fetch-datasets`: lists data sets, downloads them and registers them under their names.

pub mod archive;
mod check;
pub mod download;
mod matrix;
pub mod progress;
mod register;
mod show;
mod space;
mod verify;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use letor_io::registry::{self, Entry};

pub use register::register;
use register::remove_leftovers;
pub use verify::Expected;

use download::{Settings, Wanted};
use progress::{Bar, Watch};

/// List the data sets known by name, get one, or register a copy of its files
///
/// Downloads, checks and registers what may be downloaded. For the other data sets it prints where to get them and
/// under which terms; register their files with --from.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Data sets to get [default: list all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Register the files of the one data set named from here: a folder, a file or an archive (zip, tar, tar.gz)
    #[arg(long, value_name = "FILE-OR-FOLDER", requires = "names")]
    from: Option<PathBuf>,
    /// Register the files even if they are not as expected
    #[arg(long, requires = "names")]
    accept: bool,
    /// Only print information about the data sets; download nothing
    #[arg(long, requires = "names", conflicts_with = "from")]
    info: bool,
    /// Keep the archive that was downloaded
    #[arg(long, requires = "names", conflicts_with = "from")]
    keep_archive: bool,
}

/// Lists, downloads or registers. Exit code 1 if a data set is not registered in the end, 2 for wrong usage.
///
/// # Errors
/// When something cannot be downloaded, read or written.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = registry::data_root();
    let entries = arguments.names.iter().map(|name| find(name)).collect::<Result<Vec<_>>>();
    let entries = match entries {
        Ok(entries) => entries,
        Err(error) => return Ok(usage(&error)),
    };
    remove_leftovers(&root)?;
    let mut all_here = true;
    match (&entries[..], &arguments.from) {
        ([], _) => show::list(&root),
        ([entry], Some(from)) => all_here = register(entry, from, &root, arguments.accept)?,
        (_, Some(_)) => {
            return Ok(usage(&anyhow::anyhow!("--from takes the files of one data set: name one")));
        }
        (entries, None) => {
            for entry in entries {
                let here = show::details(entry, &root);
                let can = entry.is_direct() && !arguments.info;
                if !here && !can {
                    show::how_to_get(entry);
                }
                all_here &= here || can && get(entry, &root, arguments)?;
            }
        }
    }
    Ok(if all_here { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn get(entry: &Entry, root: &Path, arguments: &Arguments) -> Result<bool> {
    println!("downloading: this accepts the terms above");
    fetch(entry, root, &Settings::default(), arguments.accept, arguments.keep_archive, &mut Bar::default())
        .with_context(|| {
            format!("failed to get {}: get it by hand, then run `{}`", entry.name, entry.register_command())
        })
}

/// Downloads the file of `entry` into `downloads` below `root` and registers what is in it; returns
/// whether it did. Removes the download once it is registered, unless `keep`.
///
/// # Errors
/// When it cannot be downloaded, verified, unpacked or read.
pub fn fetch(
    entry: &Entry,
    root: &Path,
    settings: &Settings,
    accept: bool,
    keep: bool,
    watch: &mut dyn Watch,
) -> Result<bool> {
    let mut direct = entry.sources.iter().filter(|source| source.direct);
    let first = direct.next().with_context(|| format!("{} has no address to download from", entry.name))?;
    let others = direct.filter(|source| source.file == first.file && source.sha256 == first.sha256);
    let wanted = Wanted {
        file: &first.file,
        expected: Expected { bytes: first.bytes, sha256: first.sha256.as_deref() },
        mirrors: std::iter::once(first).chain(others).map(|source| &source.address[..]).collect(),
    };
    let folder = root.join("downloads");
    let path = download::download(&wanted, &folder, settings, watch)?;
    let registered = register(entry, &path, root, accept)?;
    if registered && !keep {
        std::fs::remove_file(&path).with_context(|| format!("failed to remove {}", path.display()))?;
        // Another download may be under way there.
        let _ = std::fs::remove_dir(&folder);
    }
    Ok(registered)
}

fn find(name: &str) -> Result<&'static Entry> {
    if let Some(entry) = registry::find(name) {
        return Ok(entry);
    }
    let names = || registry::all().iter().map(|entry| entry.name.as_str());
    if let Some(near) = registry::nearest(name, names()) {
        bail!("no data set is called `{name}`: did you mean `{near}`?");
    }
    bail!("no data set is called `{name}`: there are {}", names().collect::<Vec<_>>().join(", "))
}

/// Reports wrong usage that clap does not detect, in clap's manner.
fn usage(error: &anyhow::Error) -> ExitCode {
    eprintln!("error: {error:#}\n\nFor more information, try '--help'.");
    ExitCode::from(2)
}

/// The absolute form of `path`.
fn absolute(path: &Path) -> Result<PathBuf> {
    path.canonicalize().with_context(|| format!("failed to open {}", path.display()))
}
