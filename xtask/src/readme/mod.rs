//! `cargo xtask readme`: runs every command of the README, in the order in which a reader would, and compares the outputs shown.
//!
//! All commands share one empty folder, so that a later one finds the files of an earlier one and none needs a file that a reader does not
//! have. A comment before a block states how it runs:
//!
//! | comment | the block |
//! |---|---|
//! | none | runs, at the size that it shows |
//! | `<!-- readme: in FILE -->` | FILE runs each of its commands, which this command checks |
//! | `<!-- readme: long -->` | runs with `--long` |
//! | `<!-- readme: long, in the clone -->` | the same, in the repository instead of the folder; what it installs goes to the folder |
//! | `<!-- readme: long, until TEXT -->` | the same; the program is stopped once it has printed TEXT |
//! | `<!-- readme: file NAME -->` | is written to that file |
//!
//! A comment `<!-- readme: same NAME as FILE -->` stands alone: the file NAME of the blocks above is FILE of the repository, for example a
//! picture of the page.
//!
//! A `text` block after a `sh` block is its standard output; a line `...` stands for any lines, and a long line may be
//! broken at blanks.

mod output;
mod run;
mod steps;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, ensure};

use self::run::Runner;
use self::steps::{BlockRun, CodeBlock, steps};

/// Runs the commands of the README and compares their outputs
///
/// Takes the programs `rankduel` and `click-logs` from the folder of this program, where `cargo build` puts them, and
/// gives commands that begin with `cargo run --release -p` to them.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Also run what takes long: installs the programs and the Python package, and uses them from then on
    #[arg(long)]
    long: bool,

    /// The folder with the programs [default: that of this program]
    #[arg(long, value_name = "FOLDER")]
    programs: Option<PathBuf>,

    /// The README
    #[arg(long, value_name = "FILE", default_value = "README.md")]
    file: PathBuf,

    /// The repository's top folder
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    root: PathBuf,
}

/// Runs the commands and prints each with its seconds.
///
/// # Errors
/// When a command fails or prints something other than what is shown, or a program is missing.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = arguments.root.canonicalize().context("failed to find the repository")?;
    let file = root.join(&arguments.file);
    let text = std::fs::read_to_string(&file).with_context(|| format!("failed to read {}", file.display()))?;
    let all = steps(&text).with_context(|| arguments.file.display().to_string())?;
    let mut runner = Runner::new(&root, arguments.programs.as_deref(), arguments.long)?;
    let (mut ran, mut long) = (0, 0);
    for step in &all {
        let place = format!("{}:{}", arguments.file.display(), step.line);
        match &step.when {
            BlockRun::In(other) => check_covered(&root, other, step).with_context(|| place)?,
            BlockRun::Long { .. } if !arguments.long => long += 1,
            _ => {
                runner.step(step).with_context(|| place)?;
                ran += 1;
            }
        }
    }
    println!("{ran} blocks ran, {long} are long and did not (--long)");
    Ok(ExitCode::SUCCESS)
}

/// Checks that `file` contains each command of a block.
fn check_covered(root: &Path, file: &str, step: &CodeBlock) -> Result<()> {
    let text = std::fs::read_to_string(root.join(file)).with_context(|| format!("failed to read {file}"))?;
    for command in step.commands() {
        ensure!(text.lines().any(|line| line.trim() == command), "{file} does not run `{command}`");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readme() -> (PathBuf, String) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let text = std::fs::read_to_string(root.join("README.md")).expect("the README");
        (root, text)
    }

    /// A front page must be short enough to be read to its end.
    #[test]
    fn the_readme_is_short() {
        let (_, text) = readme();
        let mut code = false;
        let prose = text.lines().filter(|line| {
            let fence = line.trim_start().starts_with("```");
            code ^= fence;
            !fence && !code && !line.starts_with("<!--")
        });
        let words = prose.map(|line| line.split_whitespace().count()).sum::<usize>();
        assert!(words <= 900 && text.lines().count() <= 220, "{words} words, {} lines", text.lines().count());
    }

    #[test]
    fn every_block_of_the_readme_runs_somewhere() {
        let (root, text) = readme();
        let all = steps(&text).expect("known comments");
        assert!(all.iter().filter(|step| step.when == BlockRun::Here).count() >= 5);
        for step in &all {
            if let BlockRun::In(file) = &step.when {
                check_covered(&root, file, step).expect("a command that runs elsewhere");
            }
        }
        let full = std::fs::read_to_string(root.join(".ci/full")).expect("a script");
        let quick = std::fs::read_to_string(root.join(".ci/run")).expect("a script");
        assert!(full.contains("xtask readme --long") && quick.contains("xtask readme\n"));
    }

    #[test]
    fn a_command_that_no_script_runs_is_found() {
        let (root, _) = readme();
        let step = |command: &str| {
            steps(&format!("<!-- readme: in .ci/run -->\n```sh\n{command}\n```\n")).expect("one").remove(0)
        };
        check_covered(&root, ".ci/run", &step("cargo test --workspace   # all tests")).expect("is there");
        let error = check_covered(&root, ".ci/run", &step("cargo test --workspaces")).expect_err("is not there");
        assert_eq!(error.to_string(), ".ci/run does not run `cargo test --workspaces`");
    }
}
