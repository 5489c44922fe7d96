//! Runs the blocks of a README in one folder.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};

use super::output::difference;
use super::steps::{BlockRun, CodeBlock, Language};

/// The packages that readers run through cargo, and their programs.
const THROUGH_CARGO: [(&str, &str); 2] = [("sim", "rankduel"), ("click-logs", "click-logs")];

/// A folder in which blocks run, removed in the end.
pub(super) struct Runner {
    root: PathBuf,
    folder: PathBuf,
    path: OsString,
    /// The Python blocks so far: a later one goes on with their names.
    python: String,
}

impl Drop for Runner {
    fn drop(&mut self) {
        // Nothing but a temporary folder is left if this fails.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Runner {
    /// An empty folder; `programs` is where the programs are, by default beside this one.
    pub(super) fn new(root: &Path, programs: Option<&Path>, long: bool) -> Result<Self> {
        let own = std::env::current_exe().context("failed to find this program")?;
        let programs = match programs.or_else(|| own.parent()) {
            Some(folder) => folder.canonicalize().with_context(|| format!("failed to find {}", folder.display()))?,
            None => bail!("--programs names no folder"),
        };
        for (package, program) in THROUGH_CARGO {
            let path = programs.join(program).with_extension(std::env::consts::EXE_EXTENSION);
            ensure!(path.is_file(), "{} is not there: run `cargo build -p {package}` first", path.display());
        }
        let folder = std::env::temp_dir().join(format!("readme-{}", std::process::id()));
        std::fs::create_dir(&folder).with_context(|| format!("failed to create {}", folder.display()))?;
        // From here on, `drop` removes the folder.
        let mut runner = Self { root: root.to_owned(), folder, path: OsString::new(), python: String::new() };
        // Programs installed by a block go before the built ones.
        let first = [runner.folder.join(".installed/bin"), runner.folder.join(".python/bin"), programs];
        let known = std::env::var_os("PATH").unwrap_or_default();
        runner.path = std::env::join_paths(first.into_iter().chain(std::env::split_paths(&known)))?;
        if long {
            // The package is installed into an environment of its own.
            let made = Command::new("python3").args(["-m", "venv"]).arg(runner.folder.join(".python")).status();
            ensure!(made.context("failed to start python3")?.success(), "python3 -m venv failed, as printed above");
        }
        Ok(runner)
    }

    /// Runs a block, or writes its file.
    pub(super) fn step(&mut self, step: &CodeBlock) -> Result<()> {
        if let BlockRun::File(name) = &step.when {
            println!("{name}: written");
            return std::fs::write(self.folder.join(name), &step.text).with_context(|| name.clone());
        }
        if let BlockRun::Same(written, kept) = &step.when {
            let read =
                |path: PathBuf| std::fs::read(&path).with_context(|| format!("failed to read {}", path.display()));
            let same = read(self.folder.join(written))? == read(self.root.join(kept))?;
            ensure!(same, "{written} is not {kept}: write it again by the command above, and look at it");
            println!("{written}: the same as {kept}");
            return Ok(());
        }
        let started = Instant::now();
        let first = step.commands().into_iter().next().unwrap_or_default();
        match &step.when {
            BlockRun::Long { until: Some(until), .. } => self.run_until(step, until)?,
            _ => self.run_to_end(step)?,
        }
        if step.language == Language::Python {
            self.python += &step.text;
        }
        println!("{:>6.1} s  {first}", started.elapsed().as_secs_f64());
        Ok(())
    }

    /// A program that runs `text` of a block.
    fn command(&self, step: &CodeBlock, text: &str) -> Command {
        let in_the_clone = matches!(step.when, BlockRun::Long { in_the_clone: true, .. });
        let text = if in_the_clone { text.to_owned() } else { own_programs(text) };
        let mut command = match step.language {
            Language::Python => Command::new("python3"),
            Language::Shell | Language::Other => Command::new("bash"),
        };
        match step.language {
            Language::Python => command.args(["-c", &text]),
            Language::Shell | Language::Other => command.args(["-euo", "pipefail", "-c", &text]),
        };
        command.env("PATH", &self.path).env("CARGO_INSTALL_ROOT", self.folder.join(".installed"));
        command.env("MPLBACKEND", "Agg").env("RANKDUEL_CACHE_DIR", self.folder.join(".cache"));
        command.current_dir(if in_the_clone { &self.root } else { &self.folder }).stdin(Stdio::null());
        command
    }

    fn run_to_end(&self, step: &CodeBlock) -> Result<()> {
        let text = match step.language {
            Language::Python => python_after(&self.python, &step.text),
            Language::Shell | Language::Other => step.text.clone(),
        };
        let mut command = self.command(step, &text);
        let output = command.stderr(Stdio::inherit()).output().context("failed to start the block")?;
        let found = String::from_utf8_lossy(&output.stdout);
        ensure!(output.status.success(), "the block ended with {}; it printed\n{found}", output.status);
        match step.shown.as_deref().and_then(|shown| difference(shown, &found)) {
            Some(difference) => bail!("the output is another: {difference}; it is\n{found}"),
            None => Ok(()),
        }
    }

    /// Starts a block of one command and interrupts it once it has printed `until` on either output.
    fn run_until(&self, step: &CodeBlock, until: &str) -> Result<()> {
        // The program takes the place of the shell, and so gets the signal.
        let mut command = self.command(step, &format!("exec 2>&1; exec {}", step.text));
        let mut child = command.stdout(Stdio::piped()).spawn().context("failed to start the block")?;
        let pipe = child.stdout.take().context("the block has no output")?;
        let mut printed = Vec::new();
        let lines = BufReader::new(pipe).lines().map_while(Result::ok);
        let seen = lines.inspect(|line| printed.push(line.clone())).any(|line| line.contains(until));
        // As Ctrl-C does, so that it tidies up. It may have ended by itself.
        let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status();
        child.wait().context("failed to wait for the block")?;
        ensure!(seen, "the program ended before it printed {until:?}:\n{}", printed.join("\n"));
        Ok(())
    }
}

/// Python that runs `earlier` without its output, and then `text`.
fn python_after(earlier: &str, text: &str) -> String {
    format!(
        "import io as _io, sys as _sys\n_kept, _sys.stdout = _sys.stdout, _io.StringIO()\n{earlier}\n_sys.stdout = _kept\n{text}"
    )
}

/// `text` with the programs themselves where it calls them through cargo.
fn own_programs(text: &str) -> String {
    THROUGH_CARGO.iter().fold(text.to_owned(), |text, (package, program)| {
        let through = format!("cargo run --release -p {package}");
        text.replace(&format!("{through} --"), program).replace(&through, program)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readme::steps::steps;

    fn runner() -> (tempfile::TempDir, Runner) {
        let programs = tempfile::TempDir::new().expect("a folder");
        for (_, program) in THROUGH_CARGO {
            let path = programs.path().join(program).with_extension(std::env::consts::EXE_EXTENSION);
            std::fs::write(path, "#!/bin/sh\necho called \"$@\"\n").expect("a file");
        }
        let runner = Runner::new(programs.path(), Some(programs.path()), false).expect("a folder");
        (programs, runner)
    }

    #[cfg(unix)]
    #[test]
    fn python_goes_on_where_it_was() {
        let text = python_after("x = 3\nprint('earlier')\n", "print(x)\n");
        let run = Command::new("python3").args(["-c", &text]).output();
        // Without Python there is nothing to try.
        if let Ok(output) = run.as_ref().map(|run| String::from_utf8_lossy(&run.stdout).trim().to_owned()) {
            assert_eq!(output, "3");
        }
    }

    #[test]
    fn programs_replace_calls_through_cargo() {
        assert_eq!(own_programs("cargo run --release -p sim\n"), "rankduel\n");
        let text = "cargo run --release -p sim -- bandit\ncargo run --release -p click-logs -- decide x";
        assert_eq!(own_programs(text), "rankduel bandit\nclick-logs decide x");
    }

    #[cfg(unix)]
    #[test]
    fn blocks_share_a_folder_and_outputs_are_compared() {
        let (_programs, mut runner) = runner();
        let readme = "<!-- readme: file a.txt -->\n```toml\nx\n```\n```sh\ncat a.txt; echo y > b.txt\n```\n```text\nx\n```\n\
            ```sh\ncat b.txt\n```\n```text\nz\n```\n```sh\nfalse; echo no\n```\n\
            <!-- readme: long, until ready -->\n```sh\nsh -c 'echo ready; exec sleep 600'\n```\n\
            <!-- readme: long, until ready -->\n```sh\necho steady\n```\n";
        let all = steps(readme).expect("right");
        assert!(runner.step(&all[0]).and_then(|()| runner.step(&all[1])).is_ok());
        let error = |runner: &mut Runner, at: usize| format!("{:#}", runner.step(&all[at]).expect_err("a fault"));
        assert!(error(&mut runner, 2).contains("expected \"z\", found \"y\""));
        assert!(error(&mut runner, 3).contains("ended with"));
        runner.step(&all[4]).expect("is stopped");
        assert!(error(&mut runner, 5).contains("ended before it printed \"ready\":\nsteady"));
        std::fs::write(runner.root.join("kept"), "y\n").expect("a file");
        let alone = |text: &str| steps(text).expect("one").remove(0);
        runner.step(&alone("<!-- readme: same b.txt as kept -->\n")).expect("the same");
        let error = runner.step(&alone("<!-- readme: same a.txt as kept -->\n")).expect_err("another").to_string();
        assert!(error.starts_with("a.txt is not kept"), "{error}");
        let folder = runner.folder.clone();
        drop(runner);
        assert!(!folder.exists());
    }

    #[test]
    fn a_missing_program_is_named() {
        let empty = tempfile::TempDir::new().expect("a folder");
        let error = Runner::new(empty.path(), Some(empty.path()), false).err().expect("nothing is there").to_string();
        assert!(error.contains("rankduel") && error.ends_with("run `cargo build -p sim` first"), "{error}");
    }
}
