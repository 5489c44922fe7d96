//! For tests: errors of callers, and the output and exit code of a program. The tests of each program call [`observe`] and compare its result
//! with [`expected`], which is the same for all.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

/// Calls of a program, each as words; `{}` stands for a value that a situation chooses.
#[derive(Debug)]
pub struct Program<'a> {
    /// The file of the program.
    pub path: &'a Path,
    /// An empty folder to work in.
    pub folder: &'a Path,
    /// Part of the name of a command.
    pub misspelt_command: &'a str,
    /// A call with an unknown flag that nearly has the name of one.
    pub misspelt_flag: &'a [&'a str],
    /// A call; its last flag takes a number of at least 1.
    pub number: &'a [&'a str],
    /// A call; its last flag takes one of a few words.
    pub choice: &'a [&'a str],
    /// A call that lacks something.
    pub incomplete: &'a [&'a str],
    /// A call that reads the file `{}`.
    pub reads: &'a [&'a str],
    /// A call that writes the file or folder `{}`.
    pub writes: &'a [&'a str],
    /// A call that prints.
    pub prints: &'a [&'a str],
    /// A call that works for longer than a few seconds.
    pub works: &'a [&'a str],
}

/// A situation, and how a program ends in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedEnd {
    /// The action of the caller.
    pub situation: &'static str,
    /// The exit code; 128 and its number if a signal ended the program, as shells report it.
    pub code: i32,
    /// The content of standard error, with the folder left out.
    pub line: String,
    /// The number of bytes on standard output.
    pub printed: usize,
}

/// The exit code that every program has in a situation; `None` for one that is not listed.
#[must_use]
pub fn expected(situation: &str) -> Option<i32> {
    SITUATIONS.iter().find(|(name, _)| *name == situation).map(|(_, code)| *code)
}

const SITUATIONS: [(&str, i32); 22] = [
    ("an unknown flag", 2),
    ("a misspelt flag", 2),
    ("a flag without its value", 2),
    ("a flag given twice", 2),
    ("text for a number", 2),
    ("0 for a number", 2),
    ("a misspelt word", 2),
    ("escape sequences in a word", 2),
    ("a misspelt command", 2),
    ("an unknown command", 2),
    ("something is lacking", 2),
    ("a missing file", 1),
    ("a missing file with a line feed in its name", 1),
    ("a folder for a file", 1),
    ("a device for a file", 1),
    ("an empty file", 1),
    ("output below a file", 1),
    ("a full disk behind standard output", 1),
    ("a closed pipe", 141),
    ("--help into a closed pipe", 141),
    ("--help and --version", 0),
    ("Ctrl-C", 130),
];

/// Where standard output goes.
#[derive(Clone, Copy)]
enum Stdout {
    Captured,
    Closed,
    Full,
}

/// Runs a program in `folder` with at most `processes` processes and threads of its user; `None` where that cannot be arranged: it takes
/// `prlimit`, and unless `processes` is 1, root and `setpriv`.
#[must_use]
pub fn with_few_processes(
    program: &Path,
    folder: &Path,
    processes: u32,
    arguments: &[&str],
) -> Option<std::process::Output> {
    let mut command = Command::new("prlimit");
    command.arg(format!("--nproc={processes}"));
    if fs::metadata("/proc/self").ok()?.uid() == 0 {
        // The kernel does not limit root. This user has no other processes, even beside another run of the same test.
        let user = (10_000 + std::process::id() % 50_000).to_string();
        command.args(["setpriv", "--reuid", &user, "--regid", &user, "--clear-groups"]);
    } else if processes > 1 {
        // Other processes of the same user count, too: only a limit of one is the same everywhere.
        return None;
    }
    command
        .arg(program)
        .args(arguments)
        .env("RANKDUEL_CACHE_DIR", folder.join("caches"))
        .current_dir(folder)
        .output()
        .ok()
}

/// Brings a program into every situation.
///
/// # Errors
/// If a call cannot be started, or the folder not be written.
pub fn observe(program: &Program<'_>) -> io::Result<Vec<ObservedEnd>> {
    let Program { folder, .. } = program;
    let file = |name: &str| folder.join(name).display().to_string();
    fs::write(folder.join("empty"), "")?;
    fs::create_dir(folder.join("folder"))?;
    let flag = program.number.iter().rev().find(|word| word.starts_with("--")).copied().unwrap_or_default();
    let mut ends = Vec::new();
    for (situation, _) in SITUATIONS {
        let call = |arguments: &[&str], value: &str, output: Stdout| {
            let arguments: Vec<String> = arguments.iter().map(|word| word.replace("{}", value)).collect();
            program.call(situation, &arguments, output)
        };
        let reads = |value: &str| call(program.reads, value, Stdout::Captured);
        ends.push(match situation {
            "an unknown flag" => call(&["--nosuch"], "", Stdout::Captured),
            "a misspelt flag" => call(program.misspelt_flag, "", Stdout::Captured),
            "a flag without its value" => call(&program.number[..program.number.len() - 1], "", Stdout::Captured),
            "a flag given twice" => call(&[program.number, &[flag, "1"]].concat(), "1", Stdout::Captured),
            "text for a number" => call(program.number, "ten", Stdout::Captured),
            "0 for a number" => call(program.number, "0", Stdout::Captured),
            "a misspelt word" => call(program.choice, "nosuch", Stdout::Captured),
            "escape sequences in a word" => call(program.choice, "\u{1b}[2J\u{202e}x", Stdout::Captured),
            "a misspelt command" => call(&[program.misspelt_command], "", Stdout::Captured),
            "an unknown command" => call(&["zzz"], "", Stdout::Captured),
            "something is lacking" => call(program.incomplete, "", Stdout::Captured),
            "a missing file" => reads(&file("missing")),
            "a missing file with a line feed in its name" => reads(&file("a\nb")),
            "a folder for a file" => reads(&file("folder")),
            "a device for a file" => reads("/dev/zero"),
            "an empty file" => reads(&file("empty")),
            "output below a file" => call(program.writes, &file("empty/x"), Stdout::Captured),
            "a full disk behind standard output" => call(program.prints, "", Stdout::Full),
            "a closed pipe" => call(program.prints, "", Stdout::Closed),
            "--help into a closed pipe" => call(&["--help"], "", Stdout::Closed),
            "--help and --version" => {
                let version = call(&["--version"], "", Stdout::Captured)?;
                call(&["--help"], "", Stdout::Captured)
                    .map(|help| ObservedEnd { code: help.code.max(version.code), ..help })
            }
            _ => program.interrupted(situation),
        }?);
    }
    Ok(ends)
}

impl Program<'_> {
    fn command(&self, arguments: &[String]) -> Command {
        let mut command = Command::new(self.path);
        command.args(arguments).current_dir(self.folder).stdin(Stdio::null()).stderr(Stdio::piped());
        // Variables that a caller may have set.
        ["RANKDUEL_STORE", "RANKDUEL_LOG", "RANKDUEL_CONFIG"].into_iter().for_each(|name| _ = command.env_remove(name));
        command
    }

    fn call(&self, situation: &'static str, arguments: &[String], output: Stdout) -> io::Result<ObservedEnd> {
        let mut command = self.command(arguments);
        match output {
            Stdout::Full => command.stdout(File::options().write(true).open("/dev/full")?),
            Stdout::Captured => command.stdout(Stdio::piped()),
            Stdout::Closed => {
                // Before the program starts: a short text would fit into the pipe.
                let (reader, writer) = io::pipe()?;
                drop(reader);
                command.stdout(writer)
            }
        };
        let child = command.spawn()?;
        let child_output = child.wait_with_output()?;
        Ok(self.observe(situation, child_output.status, &child_output.stderr, child_output.stdout.len()))
    }

    /// Stops a call that works, once it has begun.
    fn interrupted(&self, situation: &'static str) -> io::Result<ObservedEnd> {
        let arguments: Vec<String> = self.works.iter().map(|word| (*word).to_owned()).collect();
        let mut child = self.command(&arguments).stdout(Stdio::null()).spawn()?;
        std::thread::sleep(Duration::from_secs(1));
        Command::new("kill").arg("-INT").arg(child.id().to_string()).status()?;
        // It is ignored under `nohup ... &`, and a program that goes on may fill the disk.
        let is_over = (0..300).any(|_| {
            std::thread::sleep(Duration::from_millis(100));
            matches!(child.try_wait(), Ok(Some(_)))
        });
        if !is_over {
            child.kill()?;
        }
        let status = child.wait()?;
        let mut line = Vec::new();
        child.stderr.take().map(|mut errors| errors.read_to_end(&mut line)).transpose()?;
        Ok(self.observe(situation, status, &line, 0))
    }

    fn observe(&self, situation: &'static str, status: ExitStatus, line: &[u8], printed: usize) -> ObservedEnd {
        let line = String::from_utf8_lossy(line).replace(&format!("{}/", self.folder.display()), "");
        let line = line.strip_suffix('\n').unwrap_or(&line).to_owned();
        ObservedEnd { situation, code: code(status), line, printed }
    }
}

fn code(status: ExitStatus) -> i32 {
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(-1)
}

/// The first violation of the rules of [`crate`] in the observations: exit codes, one line without control characters, nothing on standard
/// output.
#[must_use]
pub fn first_fault(ends: &[ObservedEnd]) -> Option<String> {
    ends.iter().find_map(|seen| {
        let ObservedEnd { situation, code, line, printed } = seen;
        let fails = matches!(code, 1 | 2);
        let fault = match () {
            () if Some(*code) != expected(situation) => "another exit code",
            () if fails && !line.starts_with("error: ") => "no line that begins with `error: `",
            () if fails && line.contains(char::is_control) => "more than a line, or characters that control a terminal",
            () if fails && *printed > 0 => "something on standard output",
            () if *code == 141 && !line.is_empty() => "a line about a closed pipe",
            () => return None,
        };
        Some(format!("{situation}: {fault}: {code}, {line:?}"))
    })
}

/// The observations as a table for people: situation, exit code, line.
#[must_use]
pub fn table(ends: &[ObservedEnd]) -> String {
    let row = |seen: &ObservedEnd| format!("{}\n    {}  {}\n", seen.situation, seen.code, seen.line);
    ends.iter().map(row).collect()
}
