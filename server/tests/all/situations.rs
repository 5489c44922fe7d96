//! Errors of callers, and how the program ends: the same as other programs, [`desk::situations`].

use std::path::Path;
use std::process::Command;

use desk::situations::{Program, first_fault, observe, table};

#[test]
fn every_situation_ends_as_in_the_other_programs() {
    let folder = tempfile::tempdir().unwrap();
    let path = Path::new(env!("CARGO_BIN_EXE_rankduel-server"));
    let store = folder.path().join("store.db").display().to_string();
    let made = Command::new(path).args(["keys", "add", "admin", "--create", "--store", &store]).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let program = Program {
        path,
        folder: folder.path(),
        misspelt_command: "chekc",
        misspelt_flag: &["check", "--sotre", &store],
        number: &["drive", "--workers", "{}"],
        choice: &["serve", "--store", &store, "--log-level", "{}"],
        incomplete: &["check"],
        reads: &["check", "--store", "{}"],
        writes: &["backup", "{}", "--store", &store],
        prints: &["keys", "list", "--store", &store],
        works: &["drive", "--create", "rucb", "--impressions", "1e8", "--expect", "choices.txt"],
    };
    let all = observe(&program).unwrap();
    assert_eq!(first_fault(&all), None);
    let snapshot = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/situations.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&snapshot, table(&all)).unwrap();
    }
    let known = std::fs::read_to_string(&snapshot).unwrap_or_default();
    assert_eq!(table(&all), known, "if the change is intended, run UPDATE=1 cargo test --test server situations");
}
