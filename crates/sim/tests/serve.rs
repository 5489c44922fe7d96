//! `rankduel serve` and `rankduel demo` start a program beside it or in PATH; a script stands for the server.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::common::{copy_program, text, write_program};

/// A folder with a copy of the program, so that nothing else is beside it.
fn alone() -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("a temporary folder");
    let program = folder.path().join("bin/rankduel");
    fs::create_dir(folder.path().join("bin")).expect("a folder");
    copy_program(&program);
    (folder, program)
}

fn script(path: &Path, body: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    write_program(path, &format!("#!/bin/sh\n{body}"));
}

fn serve(program: &Path, folder: &Path, path: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).env("PATH", path).env_remove("RANKDUEL_LOG").arg("serve");
    command
}

#[test]
fn arguments_reach_the_server_as_they_are() {
    let (folder, program) = alone();
    script(&folder.path().join("bin/rankduel-server"), "printf '[%s]' \"$@\"; exit 7");
    let odd = std::ffi::OsStr::from_bytes(b"odd-\xff name");
    let printed = |arguments: &[&str]| {
        let run = serve(&program, folder.path(), "").args(arguments).arg(odd).output().expect("it starts");
        assert_eq!(run.status.code(), Some(7), "{}", text(&run.stderr));
        let shown = run.stdout.strip_suffix(b"[odd-\xff name]").map(text);
        shown.unwrap_or_else(|| panic!("{}", text(&run.stdout)))
    };
    let options = ["--store", "a b.db", "--port=-1", "--quiet", "-x", "--steps", "1e4"];
    assert_eq!(printed(&options), "[serve][--store][a b.db][--port=-1][--quiet][-x][--steps][1e4]");
    let mut demo = Command::new(&program);
    let run =
        demo.current_dir(folder.path()).env("PATH", "").args(["demo", "--seed", "2"]).output().expect("it starts");
    assert_eq!((run.status.code(), text(&run.stdout)), (Some(7), "[demo][--seed][2]".to_owned()));
    // `-v` is a flag of this program, unless it comes after `--`.
    assert_eq!(printed(&["--", "-v", "--help", "--", "x"]), "[serve][-v][--help][--][x]");
}

#[test]
fn the_server_beside_the_program_comes_before_that_of_path() {
    let (folder, program) = alone();
    let at = folder.path();
    let path = format!("relative:{}:{}", at.join("empty").display(), at.join("other").display());
    // A folder of this name, and a file that cannot be run, are passed over; so is a relative folder.
    fs::create_dir_all(at.join("empty/rankduel-server")).expect("a folder");
    script(&at.join("relative/rankduel-server"), "echo relative");
    script(&at.join("other/rankduel-server"), "echo from PATH");
    fs::write(at.join("bin/rankduel-server"), "not a program").expect("a writable folder");
    let said = |path: &str| text(&serve(&program, at, path).output().expect("it starts").stdout);
    assert_eq!(said(&path), "from PATH\n");
    script(&at.join("bin/rankduel-server"), "echo beside");
    assert_eq!(said(&path), "beside\n");
}

#[test]
fn without_the_server_one_line_says_how_to_get_it() {
    let (folder, program) = alone();
    let run = serve(&program, folder.path(), "/nowhere").args(["--store", "x.db"]).output().expect("it starts");
    assert_eq!(run.status.code(), Some(1));
    let expected = format!(
        "error: rankduel-server is not in {} or in a folder of PATH: build it with `cargo install --path server` in a clone of the \
         repository\n",
        folder.path().join("bin").display()
    );
    assert_eq!(text(&run.stderr), expected);
    assert!(run.stdout.is_empty());
}

#[test]
fn a_program_that_cannot_be_run_is_named() {
    let (folder, program) = alone();
    let at = folder.path().join("bin/rankduel-server");
    write_program(&at, "#!/no/such/interpreter");
    let run = serve(&program, folder.path(), "").output().expect("it starts");
    assert_eq!(run.status.code(), Some(1));
    let message = text(&run.stderr);
    assert!(message.starts_with(&format!("error: failed to run {}: ", at.display())), "{message}");
    assert_eq!(message.lines().count(), 1);
}

#[test]
fn a_caller_in_the_process_is_not_replaced_by_the_server() {
    let refused = sim::cli::run_captured(["rankduel", "serve", "--store", "x.db"]).expect_err("a refusal");
    assert_eq!(refused.exit_code, 2);
    assert_eq!(refused.message, "serve runs until it is stopped: start `rankduel serve` as a program");
}

#[test]
fn signals_reach_the_server() {
    let (folder, program) = alone();
    let ready = folder.path().join("ready");
    // A trap of TERM does nothing where the signal arrives blocked or ignored.
    let body =
        format!("trap 'exit 9' TERM\necho $$ >{0}.new\nmv {0}.new {0}\nwhile :; do sleep 0.05; done", ready.display());
    script(&folder.path().join("bin/rankduel-server"), &body);
    let mut child = serve(&program, folder.path(), "/bin:/usr/bin").stdout(Stdio::null()).spawn().expect("it starts");
    let began = Instant::now();
    while !ready.exists() {
        assert!(began.elapsed() < Duration::from_secs(20), "the server does not start");
        std::thread::sleep(Duration::from_millis(10));
    }
    let number: u32 = fs::read_to_string(&ready).expect("a number").trim().parse().expect("a number");
    assert_eq!(number, child.id(), "the server takes the place of the process");
    let sent = Command::new("kill").args(["-TERM", &number.to_string()]).status().expect("kill starts");
    assert!(sent.success());
    assert_eq!(child.wait().expect("it ends").code(), Some(9));
}
