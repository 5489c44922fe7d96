//! `cargo xtask pin`: writes every file that pins the behaviour or the listing of the registered algorithms, and that tests compare.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, anyhow, bail};

use crate::tidy;

/// The list of algorithms as the command line prints it, which the test `help` of `sim` compares.
const LIST: &str = "crates/sim/tests/snapshots/algorithms.txt";
/// The choices of each algorithm, and the test that writes them.
const CHOICES: &str = "crates/bandits/tests/all/values.txt";
const TEST: [&str; 6] = ["test", "--package", "bandits", "--test", "all", "value_stability"];

/// Writes the tables of algorithms, the snapshot of `rankduel algorithms` and the pinned choices of each algorithm
///
/// Run it after an algorithm was added, and review the difference. Choices that were pinned before must stay, unless the
/// algorithm's REVISION was raised.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The repository's top folder
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    root: PathBuf,
}

/// Writes the files and names them.
///
/// # Errors
/// When a file cannot be written, or the test does not compile or fails.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = &arguments.root;
    let code = tidy::write_tables(root)?;
    fs::write(root.join(LIST), list()?).with_context(|| LIST)?;
    println!("{LIST}: written");
    write_choices(root)?;
    println!("{CHOICES}: written");
    Ok(code)
}

fn list() -> Result<String> {
    sim::cli::run_captured(["rankduel", "algorithms"])
        .map_err(|failure| anyhow!("rankduel algorithms: {}", failure.message))
}

fn write_choices(root: &Path) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let line = format!("UPDATE=1 cargo {}", TEST.join(" "));
    let status = Command::new(cargo).current_dir(root).args(TEST).env("UPDATE", "1").status();
    if !status.with_context(|| line.clone())?.success() {
        bail!("`{line}` failed, as printed above");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_the_one_that_is_pinned() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        assert_eq!(list().unwrap(), fs::read_to_string(root.join(LIST)).unwrap());
        let choices = fs::read_to_string(root.join(CHOICES)).unwrap();
        assert!(choices.starts_with("# Written by `UPDATE=1 cargo test -p bandits --test all value_stability`"));
    }
}
