//! `cargo xtask pin`: writes every file that pins what the registered algorithms do or are called, and that tests compare.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail};

use crate::tidy;

/// The tests that write what they compare if `UPDATE` is set: package, test binary, filter, and what is written.
const TESTS: [(&str, &str, &str, &str); 2] = [
    ("bandits", "all", "value_stability", "crates/bandits/tests/all/values.txt"),
    ("sim", "command_line", "help", "crates/sim/tests/snapshots/"),
];

/// Writes the tables of algorithms, the pinned choices of each and the snapshots of `rankduel`: run it after an algorithm was
/// added, and review the difference
///
/// Choices that are already pinned must not change, unless the algorithm's REVISION was raised.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The repository's top folder
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    root: PathBuf,
}

/// Writes the files; names each.
///
/// # Errors
/// When a test does not compile or fails, or a file cannot be written.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let code = tidy::write_tables(&arguments.root)?;
    for (package, binary, filter, written) in TESTS {
        update(&arguments.root, &["test", "--package", package, "--test", binary, filter])?;
        println!("written: {written}");
    }
    Ok(code)
}

/// Runs a test that writes its files.
fn update(root: &Path, arguments: &[&str]) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status =
        Command::new(cargo).current_dir(root).args(arguments).env("UPDATE", "1").env_remove("ALGORITHM").status();
    let line = arguments.join(" ");
    if !status.with_context(|| format!("cargo {line}"))?.success() {
        bail!("`UPDATE=1 cargo {line}` failed: see above");
    }
    Ok(())
}
