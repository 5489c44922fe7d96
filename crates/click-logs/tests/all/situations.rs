//! Mistakes of callers, and how the program ends: the same as other programs, [`desk::situations`].

use std::path::Path;

use desk::situations::{Program, first_fault, observe, table};
use tempfile::TempDir;

use crate::help::check;

const TABLE: &str = "\
day,first,second,unit_wins,unit_losses,unit_ties,impression_wins,impression_losses,impression_ties
2026-11-20,A,B,7,5,1,9,6,1
";

#[test]
fn every_situation_ends_as_in_the_other_programs() {
    let folder = TempDir::new().unwrap();
    let of_folder = |name: &str| folder.path().join(name).display().to_string();
    let outcomes = of_folder("outcomes.csv");
    std::fs::write(&outcomes, TABLE).unwrap();
    let clicks = of_folder("clicks.jsonl");
    std::fs::write(&clicks, "").unwrap();
    let program = Program {
        path: Path::new(env!("CARGO_BIN_EXE_click-logs")),
        folder: folder.path(),
        misspelt_command: "dcide",
        misspelt_flag: &["decide", "--fromat", "json"],
        number: &["simulate", "--impressions", "{}"],
        choice: &["decide", &outcomes, "--by", "{}"],
        incomplete: &["decide"],
        reads: &["credit", "--impressions", "{}", "--clicks", &clicks, "--out", "credited"],
        writes: &["simulate", "--impressions", "100", "--out", "{}"],
        prints: &["decide", &outcomes],
        works: &["simulate", "--impressions", "1e9", "--quiet", "--out", "long"],
    };
    let all = observe(&program).unwrap();
    assert_eq!(first_fault(&all), None);
    check("situations.txt", &table(&all));
}
