//! Errors of callers, and how the program ends: the same as other programs, [`desk::situations`].

use desk::situations::{Program, first_fault, observe, table};
use tempfile::TempDir;

use crate::help::check;

#[test]
fn every_situation_ends_as_in_the_other_programs() {
    let folder = TempDir::new().expect("a temporary folder");
    let program = Program {
        path: std::path::Path::new(env!("CARGO_BIN_EXE_rankduel")),
        folder: folder.path(),
        misspelt_command: "bandti",
        misspelt_flag: &["bandit", "--matirx", "P.txt"],
        number: &["bandit", "--problem", "arithmetic:k=3", "--runs", "{}"],
        choice: &["bandit", "--problem", "arithmetic:k=3", "--axes", "{}"],
        incomplete: &["bandit"],
        reads: &["bandit", "--matrix", "{}"],
        writes: &["bandit", "--problem", "arithmetic:k=3", "--steps", "100", "--quiet", "--out", "{}"],
        prints: &["algorithms"],
        works: &[
            "proxy",
            "--dataset",
            "mslr-lookalike:0.003",
            "--rankers=10",
            "--impressions-per-pair=1e9",
            "--quiet",
            "--out=long.npy",
        ],
    };
    let all = observe(&program).expect("a program that starts");
    assert_eq!(first_fault(&all), None);
    check("situations.txt", &table(&all));
}
