//! Every experiment and every registered data set can be read.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use letor_io::registry::{self, Entry};
use sim::experiment;

use super::Findings;
use super::source::read;

pub(super) fn check(root: &Path, findings: &mut Findings) -> Result<()> {
    let experiments = in_folder(&root.join("experiments"))?;
    for path in &experiments {
        if let Err(error) = experiment::check(path) {
            findings.add(path, None, format!("{error:#}"));
        }
    }
    let datasets = in_folder(&root.join("crates/letor-io/sets"))?;
    for path in &datasets {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        match toml::from_str::<Entry>(&read(path)?) {
            Err(error) => findings.add(path, None, error.to_string().trim().replace('\n', " ")),
            Ok(entry) if entry.name != name => {
                findings.add(path, None, format!("its name is {}, not that of the file", entry.name));
            }
            Ok(_) if registry::find(&name).is_none() => {
                findings.add(path, None, "is not in the registry of letor-io".to_owned());
            }
            Ok(_) => {}
        }
    }
    findings.note(format!("{} experiments, {} data sets", experiments.len(), datasets.len()));
    Ok(())
}

/// The TOML files of a folder, in order; none if there is no such folder.
fn in_folder(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let failed = || format!("failed to read {}", folder.display());
    let entries = std::fs::read_dir(folder).with_context(failed)?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>().with_context(failed)?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::testing::{checked, tree};

    #[test]
    fn files_that_cannot_be_read_or_found_are_found() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let good = read(&root.join("crates/letor-io/sets/mq2008.toml")).expect("a data set");
        let experiment = read(&root.join("experiments/rcs-fig3.toml")).expect("an experiment");
        let folder = tree(&[
            ("experiments/good.toml", &experiment),
            ("experiments/bad.toml", &experiment.replace("kind = ", "kindd = ")),
            ("crates/letor-io/sets/mq2008.toml", &good),
            ("crates/letor-io/sets/other.toml", &good),
            ("crates/letor-io/sets/unknown.toml", &good.replace("\"mq2008\"", "\"unknown\"")),
            ("crates/letor-io/sets/wrong.toml", &good.replace("title", "titel")),
        ]);
        let found = checked(&folder, check);
        assert_eq!(found.len(), 4, "{found:#?}");
        assert!(found[0].starts_with("experiments/bad.toml: ") && found[0].contains("kindd"), "{}", found[0]);
        assert_eq!(found[1], "crates/letor-io/sets/other.toml: its name is mq2008, not that of the file");
        assert_eq!(found[2], "crates/letor-io/sets/unknown.toml: is not in the registry of letor-io");
        assert!(found[3].contains("titel"), "{}", found[3]);
    }
}
