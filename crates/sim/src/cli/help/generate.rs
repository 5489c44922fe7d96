//! `rankduel completions` and `rankduel man`: files that shells and `man` read.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use clap_complete::Shell;
use output::program;

use super::values::completions;
use desk::{eprintln, print};

/// Print completions of commands and flags for a shell
#[derive(Debug, Args)]
pub(in crate::cli) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Write manual pages into a folder
#[derive(Debug, Args)]
pub(in crate::cli) struct Man {
    /// The folder, created if it is not there
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

impl Completions {
    #[expect(clippy::unnecessary_wraps, reason = "all commands return a result")]
    pub(in crate::cli) fn run(&self) -> Result<()> {
        let script = completions(crate::cli::command(), self.shell, program::name());
        print::bytes(&script);
        Ok(())
    }
}

impl Man {
    pub(in crate::cli) fn run(&self) -> Result<()> {
        output::create_folder(&self.folder)?;
        let mut command = crate::cli::command();
        command.build();
        let pages = std::iter::once(command.clone()).chain(command.get_subcommands().cloned());
        let mut names = Vec::new();
        for page in pages.filter(|page| page.get_name() != "help") {
            let name = page.get_display_name().unwrap_or(page.get_name()).to_owned();
            let mut text = Vec::new();
            // Without a date, so that the same version gives the same bytes.
            let page = clap_mangen::Man::new(page).date("");
            page.render(&mut text).with_context(|| format!("failed to make the page {name}"))?;
            output::write_atomic(&self.folder.join(format!("{name}.1")), &text)?;
            names.push(name);
        }
        eprintln!(
            "{} pages in {}: read one with `man -l {}`",
            names.len(),
            self.folder.display(),
            self.folder.join(format!("{}.1", program::name())).display()
        );
        Ok(())
    }
}
