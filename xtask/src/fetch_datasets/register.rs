//! Putting the files of a data set where they are found by name.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use letor_io::registry::{self, Entry, Located, Split};

use super::absolute;
use super::check::check;

/// Checks the files of `entry` found at `from` and registers copies of them below `root`.
/// All or nothing: the new folder is made aside and renamed.
pub(super) fn register(entry: &Entry, from: &Path, root: &Path, accept: bool) -> Result<ExitCode> {
    let located = find_files(entry, &absolute(from)?)?;
    println!("checking {} in {}", entry.name, located.base.display());
    let report = check(entry, &located)?;
    report.found.iter().for_each(|line| println!("  {line}"));
    if !report.differences.is_empty() {
        eprintln!("not what was expected of {}:", entry.name);
        report
            .differences
            .iter()
            .for_each(|line| eprintln!("  {line}"));
        if !accept {
            eprintln!(
                "nothing was registered: check that these are the right files, or add --accept"
            );
            return Ok(ExitCode::FAILURE);
        }
    }
    let folder = root.join(&entry.name);
    replace_folder(&folder, |aside| take_files(&located, aside))?;
    println!(
        "registered: --dataset {} reads {}",
        entry.name,
        folder.display()
    );
    Ok(ExitCode::SUCCESS)
}

fn find_files(entry: &Entry, from: &Path) -> Result<Located> {
    if from.is_dir() {
        return registry::locate(entry, from).with_context(|| {
            let expected: Vec<&str> = entry
                .splits
                .iter()
                .filter_map(|split| split.files.first())
                .flatten()
                .map(|f| &f[..])
                .collect();
            format!(
                "{} holds none of the files of {}, nor does a folder below it: expected {}",
                from.display(),
                entry.name,
                expected.join(", "),
            )
        });
    }
    let (split, base) = split_of_file(entry, from)?;
    let mut located = registry::locate(entry, &base).context("the file is gone")?;
    located.splits.retain(|(name, _)| *name == split);
    Ok(located)
}

/// Which part `file` is, told by its name, and the folder that its name in the registry starts from.
fn split_of_file(entry: &Entry, file: &Path) -> Result<(Split, PathBuf)> {
    for split in &entry.splits {
        for name in split
            .files
            .iter()
            .filter(|files| files.len() == 1)
            .flatten()
        {
            for name in [name.clone(), format!("{name}.gz")] {
                let depth = Path::new(&name).components().count();
                if file.ends_with(&name)
                    && let Some(base) = file.ancestors().nth(depth)
                {
                    return Ok((split.name, base.to_path_buf()));
                }
            }
        }
    }
    let names: Vec<&str> = entry
        .splits
        .iter()
        .flat_map(|s| s.files.iter().flatten())
        .map(|f| &f[..])
        .collect();
    bail!(
        "{} is not called like a file of {}: expected one of {}, or a folder (unpack archives first)",
        file.display(),
        entry.name,
        names.join(", "),
    )
}

fn take_files(located: &Located, aside: &Path) -> Result<()> {
    for file in located.splits.iter().flat_map(|(_, files)| files) {
        let name = file
            .strip_prefix(&located.base)
            .context("files are below their base")?;
        let target = aside.join(name);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)
                .with_context(|| format!("failed to make {}", parent.display()))?;
        }
        // Copied, not linked: a link would change when somebody edits the original in place.
        fs::copy(file, &target).with_context(|| {
            format!("failed to copy {} to {}", file.display(), target.display())
        })?;
    }
    Ok(())
}

/// Lets `fill` make a folder aside, then puts it in place of `folder`. Where anything fails, `folder` is
/// as it was.
fn replace_folder(folder: &Path, fill: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let name = folder
        .file_name()
        .context("a data set's folder has a name")?
        .display();
    let parent = folder
        .parent()
        .context("a data set's folder is in another")?;
    let mark = std::process::id();
    let (aside, old) = (
        parent.join(format!(".{name}.new.{mark}")),
        parent.join(format!(".{name}.old.{mark}")),
    );
    fs::create_dir_all(&aside).with_context(|| format!("failed to make {}", aside.display()))?;
    let put = || -> Result<()> {
        fill(&aside)?;
        let replaces = folder.exists();
        if replaces {
            fs::rename(folder, &old)
                .with_context(|| format!("failed to move {} aside", folder.display()))?;
        }
        if let Err(error) = fs::rename(&aside, folder) {
            if replaces {
                fs::rename(&old, folder).context("failed to put the old folder back")?;
            }
            return Err(error)
                .with_context(|| format!("failed to put {} in place", folder.display()));
        }
        Ok(())
    };
    let outcome = put();
    for leftover in [&aside, &old] {
        if leftover.exists() {
            fs::remove_dir_all(leftover)
                .with_context(|| format!("failed to remove {}", leftover.display()))?;
        }
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_replaced_whole_or_not_at_all() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("ylr1");
        let write = |text: &'static str| move |aside: &Path| Ok(fs::write(aside.join("f"), text)?);
        replace_folder(&folder, write("one")).unwrap();
        replace_folder(&folder, write("two")).unwrap();
        let failing = |aside: &Path| {
            fs::write(aside.join("f"), "half")?;
            bail!("no space")
        };
        assert!(replace_folder(&folder, failing).is_err());
        assert_eq!(fs::read_to_string(folder.join("f")).unwrap(), "two");
        assert_eq!(
            fs::read_dir(root.path()).unwrap().count(),
            1,
            "nothing is left behind"
        );
    }

    #[test]
    fn a_file_is_told_by_its_name() {
        let split =
            |name: &str, file: &str| split_of_file(registry::find(name).unwrap(), Path::new(file));
        assert_eq!(
            split("ylr1", "/d/set1.valid.txt").unwrap(),
            (Split::Vali, "/d".into())
        );
        assert_eq!(
            split("mslr-web30k", "/d/Fold1/test.txt.gz").unwrap(),
            (Split::Test, "/d".into())
        );
        assert!(split("ylr1", "/d/set2.train.txt").is_err());
        assert!(
            split("mq2008", "/d/S1.txt").is_err(),
            "a third of the training part"
        );
    }
}
