//! Registering the files of a data set under its name.

mod source;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use letor_io::registry::{Entry, Located};
use output::interrupt;

use super::check::{Report, check};
use super::folder::{remove_leftovers, replace_folder};
use super::{Registration, Watch, archive, matrix, space, verify};

/// Checks the files of `entry` found at `from`, a folder, a file or an archive, and registers copies of
/// them below `root`, even if they are not as expected if `accept`. All or nothing: the new folder is made under a
/// temporary name and renamed.
///
/// # Errors
/// When there are no such files, they cannot be read as that data set, or they cannot be copied.
pub fn register(entry: &Entry, from: &Path, root: &Path, accept: bool, watch: &mut dyn Watch) -> Result<Registration> {
    let from = super::absolute(from)?;
    remove_leftovers(root)?;
    let name = entry.name.clone();
    interrupt::say_when_stopped(move || format!("{name} is not registered: the same command begins again"));
    let outcome = register_checked(entry, &from, root, accept, watch);
    interrupt::say_nothing_when_stopped();
    outcome
}

fn register_checked(
    entry: &Entry,
    from: &Path,
    root: &Path,
    accept: bool,
    watch: &mut dyn Watch,
) -> Result<Registration> {
    if let Some(expected) = &entry.matrix {
        return matrix::register(entry, expected, from, root, accept, watch);
    }
    let mut report = Report::default();
    let files = source::find(entry, from, root, archive::Limits::default(), &mut report, watch)?;
    watch.print(&format!("checking {} in {}", entry.name, from.display()));
    check(entry, &files.located, &mut report)?;
    if let Some(differences) = report.refusal(entry, accept, watch) {
        return Ok(Registration::Refused(differences));
    }
    let folder = root.join(&entry.name);
    if !files.ours {
        space::ensure(root, total_bytes(&files.located), |folder| fs4::available_space(folder))?;
    }
    replace_folder(&folder, |aside| {
        take_files(&files.located, files.ours, aside)?;
        if let Some((file, sum)) = &files.archive {
            verify::record_sum(aside, file, sum)?;
        }
        verify::keep_record(&folder, aside)
    })?;
    watch.print(&format!("registered: --dataset {} reads {}", entry.name, folder.display()));
    Ok(Registration::Registered)
}

fn total_bytes(located: &Located) -> u64 {
    let files = located.splits.iter().flat_map(|(_, files)| files);
    files.filter_map(|file| file.metadata().ok()).map(|metadata| metadata.len()).sum()
}

/// Brings the files into the folder `aside`: moves them if they are `ours`, else copies them.
fn take_files(located: &Located, ours: bool, aside: &Path) -> Result<()> {
    for file in located.splits.iter().flat_map(|(_, files)| files) {
        let name = file.strip_prefix(&located.base).context("files are below their base")?;
        let target = aside.join(name);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).with_context(|| format!("failed to make {}", parent.display()))?;
        }
        // Copied, not linked: a link would change when the original is edited in place.
        let taken = if ours { fs::rename(file, &target) } else { fs::copy(file, &target).map(|_| ()) };
        taken.with_context(|| format!("failed to copy {} to {}", file.display(), target.display()))?;
    }
    Ok(())
}
