//! `rankduel cache`: lists and removes the binary caches of data sets, and the ranked lists of `--shard prepare`.
#![expect(clippy::disallowed_types, reason = "shows the age of caches; no result depends on it")]

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, Subcommand};
use letor_io::cache::{CacheFile, State};
use letor_io::registry;
use output::numbers::with_unit;
use output::program;
use output::text_table::{Align, TextTable};
use output::usage::usage;
use ranktypes::text::escaped;
use serde_json::json;
use simulation::lists;

use desk::println;

/// List the binary caches of data sets, or remove them.
///
/// Text is parsed once: the first run on a data set writes a binary cache, and later runs read it. `--shard prepare` also
/// keeps the ranked lists of the rankers, three to six bytes per document and ranker. Caches are kept in the
/// folder given by RANKDUEL_CACHE_DIR, otherwise in the user's cache folder (XDG_CACHE_HOME or ~/.cache on Linux), never beside
/// the data. One that does not belong to the present state of the data is not used, but replaced.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct CacheCommand {
    #[command(subcommand)]
    action: Option<Action>,

    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Remove caches: those that are of no use any more, or those named
    Clear {
        /// Data sets, files, or folders of files whose caches are removed
        #[arg(value_name = "NAME")]
        names: Vec<String>,

        /// Remove all caches
        #[arg(long, conflicts_with = "names")]
        all: bool,
    },
}

impl CacheCommand {
    pub(super) fn run(&self) -> Result<()> {
        let Some(folder) = letor_io::cache::folder() else {
            bail!("there is no folder for caches: the user has no home; set RANKDUEL_CACHE_DIR to a folder");
        };
        let caches =
            list_caches(&folder).with_context(|| format!("failed to list the caches in {}", folder.display()))?;
        match &self.action {
            None if self.json => println!("{}", as_json(&folder, &caches)?),
            None => print(&folder, &caches),
            Some(Action::Clear { all: true, .. }) => clear(&folder, &caches)?,
            Some(Action::Clear { names, .. }) if names.is_empty() => {
                clear(&folder, caches.iter().filter(|cache| cache.state != State::Current))?;
            }
            Some(Action::Clear { names, .. }) => {
                let root = std::path::absolute(registry::data_root()).unwrap_or_default();
                let is = |name: &str, cache: &&ListedCache| is_named(cache, name, &root);
                for name in names {
                    ensure!(
                        caches.iter().any(|cache| is(name, &cache)),
                        usage(format!("no cache is of `{name}`; `{} cache` lists what they are of", program::name()))
                    );
                }
                clear(&folder, caches.iter().filter(|cache| names.iter().any(|name| is(name, cache))))?;
            }
        }
        Ok(())
    }
}

/// A cache of data or of lists.
struct ListedCache {
    path: PathBuf,
    bytes: u64,
    written: Option<SystemTime>,
    /// The data in it.
    data: String,
    /// The files that it was made of.
    sources: Vec<PathBuf>,
    look_alike: Option<String>,
    state: State,
}

fn list_caches(folder: &Path) -> std::io::Result<Vec<ListedCache>> {
    let of_data = letor_io::cache::list(folder)?.into_iter().map(|cache| ListedCache {
        data: data_label(&cache),
        path: cache.path,
        bytes: cache.bytes,
        written: cache.written,
        sources: cache.sources,
        look_alike: cache.look_alike,
        state: cache.state,
    });
    let of_lists = lists::file::list(folder)?.into_iter().map(|file| ListedCache {
        written: std::fs::metadata(&file.path).and_then(|data| data.modified()).ok(),
        path: file.path,
        bytes: file.bytes,
        // They belong to the content of the data, which may be anywhere.
        sources: Vec::new(),
        look_alike: None,
        state: if file.contents.is_some() { State::Current } else { State::Unreadable },
        data: file.contents.map_or_else(
            || "?".to_owned(),
            |(name, rankers)| format!("{}, lists of {}", escaped(&name), with_unit(rankers as u64, "ranker")),
        ),
    });
    Ok(of_data.chain(of_lists).collect())
}

/// Whether `cache` is called `name`, or is of the look-alike, the registered data set, the file or the folder `name`.
fn is_named(cache: &ListedCache, name: &str, root: &Path) -> bool {
    // Every path starts with the empty one.
    let Ok(path) = std::path::absolute(name) else { return false };
    cache.look_alike.as_deref() == Some(name)
        || cache.path.file_name().is_some_and(|file| file == name)
        || cache.sources.iter().any(|source| {
            source.starts_with(&path)
                || source.file_name().is_some_and(|file| file == name)
                || registry::find(name).is_some() && source.starts_with(root.join(name))
        })
}

fn clear<'a>(folder: &Path, caches: impl IntoIterator<Item = &'a ListedCache>) -> Result<()> {
    let (mut count, mut bytes) = (0_u64, 0);
    for cache in caches {
        match std::fs::remove_file(&cache.path) {
            // Another process may have removed it.
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("failed to remove {}", cache.path.display()));
            }
            _ => (count, bytes) = (count + 1, bytes + cache.bytes),
        }
    }
    println!("removed {}, {}, from {}", caches_text(count), megabytes(bytes), folder.display());
    Ok(())
}

fn caches_text(count: u64) -> String {
    if count == 1 { "1 cache".into() } else { format!("{count} caches") }
}

fn print(folder: &Path, caches: &[ListedCache]) {
    if caches.is_empty() {
        println!("no caches in {}", folder.display());
        return;
    }
    let mut table = TextTable::new([
        ("data", Align::Left),
        ("size", Align::Right),
        ("age", Align::Right),
        ("state", Align::Left),
        ("cache", Align::Left),
    ]);
    for cache in caches {
        let name = cache.path.file_name().unwrap_or_default().display().to_string();
        table.row([cache.data.clone(), megabytes(cache.bytes), age(cache), state_label(cache.state).into(), name]);
    }
    let bytes = caches.iter().map(|cache| cache.bytes).sum();
    println!("{table}\n{}, {}, in {}", caches_text(caches.len() as u64), megabytes(bytes), folder.display());
    if caches.iter().any(|cache| cache.state != State::Current) {
        let program = program::name();
        println!(
            "`{program} cache clear` removes those that are of no use any more, `{program} cache clear --all` all."
        );
    }
}

/// The data in the cache.
fn data_label(cache: &CacheFile) -> String {
    match (&cache.look_alike, &cache.sources[..]) {
        (Some(name), _) => name.clone(),
        (None, []) => "?".into(),
        (None, [one]) => one.display().to_string(),
        (None, [first, more @ ..]) => format!("{} and {} more", first.display(), more.len()),
    }
}

fn state_label(state: State) -> &'static str {
    match state {
        State::Current => "current",
        State::Outdated => "the data have changed",
        State::Orphaned => "the data are gone",
        _ => "damaged, or of another version",
    }
}

#[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// The age of the cache.
fn age(cache: &ListedCache) -> String {
    let age = cache.written.and_then(|written| SystemTime::now().duration_since(written).ok());
    let seconds = age.map_or(0, |age| age.as_secs());
    let units = [(86_400, "d"), (3_600, "h"), (60, "min")];
    let unit = units.iter().find(|(unit, _)| seconds >= *unit);
    unit.map_or_else(|| format!("{seconds} s"), |(unit, name)| format!("{} {name}", seconds / unit))
}

fn as_json(folder: &Path, caches: &[ListedCache]) -> Result<String> {
    let caches = caches.iter().map(|cache| {
        let state = match cache.state {
            State::Current => "current",
            State::Outdated => "outdated",
            State::Orphaned => "orphaned",
            _ => "unreadable",
        };
        let written_seconds =
            cache.written.and_then(|written_seconds| written_seconds.duration_since(SystemTime::UNIX_EPOCH).ok());
        json!({
            "path": cache.path,
            "data": cache.data,
            "bytes": cache.bytes,
            "written": written_seconds.map(|since| since.as_secs()),
            "files": cache.sources,
            "look_alike": cache.look_alike,
            "state": state,
        })
    });
    Ok(serde_json::to_string_pretty(&json!({ "folder": folder, "caches": caches.collect::<Vec<_>>() }))?)
}
