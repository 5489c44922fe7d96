//! A process that is stopped while it downloads, with Ctrl-C or without warning: nothing is registered, and the next one
//! resumes.
#![cfg(unix)]

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use download::Settings;
use fetch::{Registration, fetch};

use crate::support::{Server, entry, with_ranges};

/// The address and the folder that the process which is stopped downloads from and to.
const CHILD: [&str; 2] = ["DOWNLOAD_TEST_ADDRESS", "DOWNLOAD_TEST_ROOT"];

/// The bytes that arrive before it is stopped.
const FIRST: usize = 9_000;

/// A matrix of 80 arms.
fn matrix() -> Vec<u8> {
    ("0.5 ".repeat(80) + "\n").repeat(80).into_bytes()
}

/// This test, in a process of its own that downloads.
fn start(address: &str, root: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "stopped::a_stopped_download_is_resumed", "--nocapture"]);
    command.env(CHILD[0], address).env(CHILD[1], root).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn wait_until(what: &str, is: impl Fn() -> bool) {
    let start = Instant::now();
    while !is() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_stopped_download_is_resumed() {
    if let [Some(address), Some(root)] = CHILD.map(std::env::var_os) {
        // Where this test runs in the background of a script, SIGINT is ignored, and a program leaves it so. A handler ends that.
        signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::default()).unwrap();
        output::interrupt::install();
        let entry = entry(&[address.to_str().unwrap()], &matrix(), matrix().len(), 80);
        let outcome = fetch(&entry, Path::new(&root), &Settings::default(), false, false, &mut ()).unwrap();
        assert_eq!(outcome, Registration::Registered);
        return;
    }
    for (signal, number, told) in [
        ("INT", 2, "m is not registered yet: the same command resumes the download\n"),
        ("TERM", 15, "m is not registered yet: the same command resumes the download\n"),
        ("KILL", 9, ""),
    ] {
        let root = tempfile::tempdir().unwrap();
        let server = Server::new(|number, request| {
            let answer = with_ranges(request, &matrix());
            if number == 0 { answer.cut(FIRST).hang() } else { answer }
        });
        let mut child = start(&server.url("/m.txt"), root.path());
        let part = root.path().join("downloads/.m.txt.part");
        wait_until("the first part arrives", || fs::metadata(&part).is_ok_and(|part| part.len() == FIRST as u64));
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().signal(), Some(number), "{signal}");
        let mut errors = String::new();
        std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut errors).unwrap();
        assert_eq!(errors, told, "{signal}");
        assert!(!root.path().join("m").exists(), "{signal}: nothing is registered");

        let again = start(&server.url("/m.txt"), root.path()).wait_with_output().unwrap();
        assert!(again.status.success(), "{signal}: {}", String::from_utf8_lossy(&again.stderr));
        let ranges: Vec<_> = server.requests().iter().map(|request| request.range()).collect();
        assert_eq!(ranges, [None, Some(FIRST)], "{signal}");
        assert_eq!(fs::read(root.path().join("m/m.txt")).unwrap(), matrix(), "{signal}");
        let left: Vec<_> = fs::read_dir(root.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["m"], "{signal}: nothing else is left behind");
    }
}
