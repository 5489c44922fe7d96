//! Replacing a folder atomically.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Lets `fill` fill a temporary folder, then replaces `folder` with it. If anything fails, `folder` is as it was.
pub(in super::super) fn replace_folder(folder: &Path, fill: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
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

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

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
