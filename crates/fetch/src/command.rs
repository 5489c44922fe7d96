//! The command that lists, downloads and registers data sets, which two programs have.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use letor_io::lookalike;
use letor_io::registry::{self, Advice, Entry};
use output::usage::usage;

use super::folder::remove_leftovers;
use super::{Download, Registration, Watch, fetch, register, show};

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

/// A data set that was named, and is not registered in the end.
#[derive(Debug, Clone, PartialEq)]
pub struct Missing {
    /// Which one.
    pub entry: &'static Entry,
    /// The differences of its files from the expected ones; empty if there are no files, because users have to get them.
    pub differences: Vec<String>,
}

/// The advice about files that are not as expected.
pub const REFUSED: &str = "nothing was registered: check that these are the right files, or add --accept";

impl Arguments {
    /// Whether only information was asked for, so that a data set may be missing.
    #[must_use]
    pub fn only_informs(&self) -> bool {
        self.info
    }

    /// Lists, downloads or registers below `root`; returns the data sets that are not registered in the end. A build without `downloads`
    /// does everything else.
    ///
    /// # Errors
    /// For wrong usage, with a [`UsageError`](output::usage::UsageError); and when something cannot be downloaded, read or
    /// written.
    pub fn run(&self, root: &Path, downloads: Option<&dyn Download>, watch: &mut dyn Watch) -> Result<Vec<Missing>> {
        let entries = self.names.iter().map(|name| find(name)).collect::<Result<Vec<_>>>()?;
        remove_leftovers(root)?;
        let mut missing = Vec::new();
        let mut note = |entry, outcome| {
            if let Registration::Refused(differences) = outcome {
                missing.push(Missing { entry, differences });
            }
        };
        match (&entries[..], &self.from) {
            ([], _) => show::list(root, watch),
            ([entry], Some(from)) => note(entry, register(entry, from, root, self.accept, watch)?),
            (_, Some(_)) => return Err(usage("--from takes the files of one data set: name one")),
            (entries, None) => {
                for entry in entries {
                    let here = show::details(entry, root, watch);
                    let can = entry.is_direct() && !self.info;
                    if !here && !can {
                        show::how_to_get(entry, watch);
                    }
                    if !here {
                        let outcome = if can {
                            self.get(entry, root, downloads, watch)?
                        } else {
                            Registration::Refused(Vec::new())
                        };
                        note(entry, outcome);
                    }
                }
            }
        }
        Ok(missing)
    }

    fn get(
        &self,
        entry: &Entry,
        root: &Path,
        downloads: Option<&dyn Download>,
        watch: &mut dyn Watch,
    ) -> Result<Registration> {
        let advice = Advice::of_process();
        let Some(downloads) = downloads else { return Err(usage(advice.instead_of_downloading(entry))) };
        watch.print("downloading: this accepts the terms above");
        fetch(entry, root, downloads, self.accept, self.keep_archive, watch).with_context(|| {
            let name = &entry.name;
            match advice.register_command(name) {
                Some(command) => format!("failed to get {name}: get it by hand, then run `{command}`"),
                None => format!("failed to get {name}"),
            }
        })
    }
}

fn find(name: &str) -> Result<&'static Entry> {
    if let Some(entry) = registry::find(name) {
        return Ok(entry);
    }
    let generated = name.split(':').next().unwrap_or(name);
    ensure!(
        !lookalike::names().any(|known| known == generated),
        usage(format!("`{name}` is generated on demand: there is nothing to get; use it as --dataset {name}"))
    );
    let names = || registry::all().iter().map(|entry| entry.name.as_str());
    Err(usage(match ranktypes::spec::nearest(name, names()) {
        Some(near) => format!("no data set is called `{name}`: did you mean `{near}`?"),
        None => format!("no data set is called `{name}`: there are {}", names().collect::<Vec<_>>().join(", ")),
    }))
}
