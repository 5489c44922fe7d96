//! `rankduel serve`, `rankduel demo` and `rankduel judge`: start the program of the live server, which is built apart from this one.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;
use output::usage::usage;

use desk::print;

/// The program.
const PROGRAM: &str = "rankduel-server";

/// Run the live server: it chooses who meets, mixes lists, takes clicks and says who won
///
/// The server is a program of its own, `rankduel-server`, which this command looks for beside itself and then in PATH. All
/// options are those of `rankduel-server serve`; `rankduel-server --help` has them and the other commands for keys, backups and
/// checks.
#[derive(Debug, Args)]
pub(super) struct Serve {
    /// Options of `rankduel-server serve`
    #[arg(value_name = "OPTION", trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<OsString>,
}

/// Look at the live server with simulated users: three experiments, and a page that moves
///
/// The server is a program of its own, `rankduel-server`, which this command looks for beside itself and then in PATH. Users,
/// clicks and time are simulated; everything is in a temporary folder, which is removed in the end. All options are those of
/// `rankduel-server demo`.
#[derive(Debug, Args)]
pub(super) struct Demo {
    /// Options of `rankduel-server demo`
    #[arg(value_name = "OPTION", trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<OsString>,
}

/// Judge in a browser: two answers side by side, without names
///
/// Opens a page for judges on this machine, with the texts of a table and the pairs of a session as `rankduel next` asks them. The page is
/// part of `rankduel-server`, which this command looks for beside itself and then in PATH. All options are those of `rankduel-server
/// judge`.
#[derive(Debug, Args)]
pub(super) struct Judge {
    /// Options of `rankduel-server judge`
    #[arg(value_name = "OPTION", trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<OsString>,
}

impl Judge {
    pub(super) fn run(self) -> Result<()> {
        start("judge", self.options)
    }
}

impl Serve {
    pub(super) fn run(self) -> Result<()> {
        start("serve", self.options)
    }
}

impl Demo {
    pub(super) fn run(self) -> Result<()> {
        start("demo", self.options)
    }
}

/// Starts a command of the server.
fn start(name: &str, options: Vec<OsString>) -> Result<()> {
    if print::is_captured() {
        return Err(usage(format!("{name} runs until it is stopped: start `rankduel {name}` as a program")));
    }
    let program = program()?;
    let mut command = Command::new(&program);
    command.arg(name).args(options);
    run(command).with_context(|| format!("failed to run {}", program.display()))
}

/// The server takes the place of this process, and with it its number, signals and exit code.
#[cfg(unix)]
fn run(mut command: Command) -> std::io::Result<()> {
    Err(std::os::unix::process::CommandExt::exec(&mut command))
}

/// This process waits for the server, and ends with its exit code.
#[cfg(not(unix))]
fn run(mut command: Command) -> std::io::Result<()> {
    let status = command.status()?;
    std::process::exit(status.code().unwrap_or(1))
}

/// The path of the server: beside this program, or else in a folder of PATH.
fn program() -> Result<PathBuf> {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    // The command line of the wheel runs in Python, which sets its path.
    let own_path = super::PROGRAM_PATH.get().cloned().or_else(|| std::env::current_exe().ok());
    let own_folder = own_path.as_deref().and_then(Path::parent).map(Path::to_path_buf);
    let path = std::env::var_os("PATH").unwrap_or_default();
    // A relative path depends on the working folder, which others may control.
    let in_path = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    let mut candidates = own_folder.clone().into_iter().chain(in_path).map(|folder| folder.join(&name));
    if let Some(program) = candidates.find(|candidate| is_program(candidate)) {
        return Ok(program);
    }
    let own_folder = own_folder.map_or_else(String::new, |folder| format!("in {} or ", folder.display()));
    bail!(
        "{name} is not {own_folder}in a folder of PATH: build it with `cargo install --path server` in a clone of the repository"
    )
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}
