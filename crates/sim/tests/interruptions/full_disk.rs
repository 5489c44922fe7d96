//! No file may grow beyond a limit, as on a full disk.

use std::process::Command;

use tempfile::TempDir;

use super::commands::{COMMANDS, written_in};
use crate::common::text;

#[test]
fn a_full_disk_is_one_line_and_the_same_command_goes_on() {
    for written in &COMMANDS {
        let whole = TempDir::new().expect("a temporary folder");
        written.prepare(whole.path());
        written.complete(whole.path());
        let cut = TempDir::new().expect("a temporary folder");
        written.prepare(cut.path());
        let mut failed = 0;
        // Blocks of 512 or 1024 bytes: nothing at all, the smallest files, most files.
        for blocks in [0, 2, 16] {
            let limited = format!("ulimit -f {blocks} && exec \"$0\" \"$@\"");
            let run = Command::new("sh")
                .args(["-c", &limited, env!("CARGO_BIN_EXE_rankduel")])
                .args(written.arguments)
                .args(["--quiet"].iter().filter(|_| written.name != "report"))
                .current_dir(cut.path())
                .env_remove("RANKDUEL_DATA_DIR")
                .output()
                .expect("a shell");
            let said = text(&run.stderr);
            if !run.status.success() {
                assert_eq!(run.status.code(), Some(1), "{} with {blocks} blocks: {said}", written.name);
                let errors = said.lines().filter(|line| line.starts_with("error: ")).count();
                // `report` names the created folder, too.
                let remarks = usize::from(written.name == "report" && said.starts_with("created the folder"));
                assert_eq!((errors, said.lines().count()), (1, 1 + remarks), "{}: {said}", written.name);
                failed += 1;
            }
        }
        assert!(failed > 0, "{}: no limit was too small", written.name);
        written.complete(cut.path());
        assert!(written_in(cut.path()) == written_in(whole.path()), "{}", written.name);
    }
}
