//! Replacing a folder atomically.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Lets `fill` fill a temporary folder, then replaces `folder` with it. If anything fails, `folder` is as it was.
pub(super) fn replace_folder(folder: &Path, fill: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let name = folder.file_name().context("a data set's folder has a name")?.display();
    let parent = folder.parent().context("a data set's folder is in another")?;
    let mark = std::process::id();
    let (aside, old) = (parent.join(format!(".{name}.new.{mark}")), parent.join(format!(".{name}.old.{mark}")));
    fs::create_dir_all(&aside).with_context(|| format!("failed to make {}", aside.display()))?;
    let put = || -> Result<()> {
        fill(&aside)?;
        let replaces = folder.exists();
        if replaces {
            fs::rename(folder, &old).with_context(|| format!("failed to move {} aside", folder.display()))?;
        }
        if let Err(error) = fs::rename(&aside, folder) {
            if replaces {
                fs::rename(&old, folder).context("failed to put the old folder back")?;
            }
            return Err(error).with_context(|| format!("failed to put {} in place", folder.display()));
        }
        Ok(())
    };
    let outcome = put();
    for leftover in [&aside, &old] {
        if leftover.exists() {
            fs::remove_dir_all(leftover).with_context(|| format!("failed to remove {}", leftover.display()))?;
        }
    }
    outcome
}

/// Removes what killed calls left in `root`: folders that were being filled or unpacked to. A data set that a call killed
/// between two renames moved aside is put back. What belongs to running processes stays; where the system does not list
/// processes, all stays.
///
/// # Errors
/// When something cannot be removed or put back.
pub(super) fn remove_leftovers(root: &Path) -> Result<()> {
    let processes = Path::new("/proc");
    if !processes.join("self").exists() {
        return Ok(());
    }
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        let file = entry.file_name();
        let parts = file.to_str().and_then(|file| file.strip_prefix('.')?.rsplit_once('.'));
        let Some((rest, writer)) = parts.filter(|(_, writer)| writer.parse::<u32>().is_ok()) else { continue };
        let Some((name, kind)) = rest.rsplit_once('.') else { continue };
        if processes.join(writer).exists() || !["new", "old", UNPACKED_FOLDER].contains(&kind) {
            continue;
        }
        let (path, folder) = (entry.path(), root.join(name));
        if kind == "old" && !folder.exists() {
            fs::rename(&path, &folder).with_context(|| format!("failed to put {} back", folder.display()))?;
        } else {
            fs::remove_dir_all(&path).with_context(|| format!("failed to remove {}", path.display()))?;
        }
    }
    Ok(())
}

/// The mark in the name of a folder that an archive is unpacked to.
pub(super) const UNPACKED_FOLDER: &str = "unpacked";

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn leftovers_of_killed_calls_are_removed() {
        let root = tempfile::tempdir().unwrap();
        // Beyond the largest process id of Linux, 2^22.
        let mine = format!(".ylr1.unpacked.{}", std::process::id());
        let dead = [".ylr1.unpacked.99999999", ".ylr1.new.99999999", ".ylr1.old.99999999", ".ylr2.old.99999999"];
        for name in dead.iter().chain(&[&*mine, "ylr1", ".notes.99999999", "downloads"]) {
            fs::create_dir(root.path().join(name)).unwrap();
            fs::write(root.path().join(name).join("file"), name).unwrap();
        }
        remove_leftovers(root.path()).unwrap();
        let mut left: Vec<String> =
            fs::read_dir(root.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        left.sort();
        assert_eq!(left, [".notes.99999999", &mine, "downloads", "ylr1", "ylr2"]);
        let of = |name: &str| fs::read_to_string(root.path().join(name).join("file")).unwrap();
        assert_eq!(of("ylr1"), "ylr1", "the data set that is there stays");
        assert_eq!(of("ylr2"), ".ylr2.old.99999999", "one that was moved aside is put back");
        remove_leftovers(&root.path().join("none")).unwrap();
    }

    #[test]
    fn a_folder_is_replaced_entirely_or_not_at_all() {
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
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1, "nothing is left behind");
    }
}
