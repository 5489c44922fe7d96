//! The tables of algorithms on the crate's front page and in its README are those of the registry.

use bandits::registry::table;

const BEGIN: &str = ": written by cargo xtask tidy --fix -->";
const END: &str = "<!-- end -->";

/// The first row of the table between the markers of a document that is not as expected.
fn first_difference(document: &str, expected: &str) -> Option<(String, String)> {
    let start = document.find(BEGIN).expect("the first marker") + BEGIN.len();
    let length = document[start..].find(END).expect("the last marker");
    let lines = document[start..start + length].lines().map(|line| line.trim_start_matches("//!").trim());
    let rows: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    let expected: Vec<&str> = expected.lines().collect();
    let places = 0..rows.len().max(expected.len());
    let at = |rows: &[&str], place: usize| (*rows.get(place).unwrap_or(&"no row")).to_owned();
    let mut pairs = places.map(|place| (at(&rows, place), at(&expected, place)));
    pairs.find(|(row, expected)| row != expected)
}

#[test]
fn tables_are_those_of_the_registry() {
    let readme = table(|entry| format!("`{}`", entry.name));
    assert_eq!(first_difference(include_str!("../../README.md"), &readme), None, "run `cargo xtask tidy --fix`");
    let front_page = table(|entry| format!("[`{}`]({})", entry.name, entry.module));
    assert_eq!(first_difference(include_str!("../../src/lib.rs"), &front_page), None, "run `cargo xtask tidy --fix`");
}
