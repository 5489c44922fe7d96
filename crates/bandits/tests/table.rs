//! The tables of algorithms on the crate's front page and in its README are those of the registry.

use bandits::registry::table;

const BEGIN: &str = "<!-- algorithms: written by cargo xtask tidy --fix -->";
const END: &str = "<!-- end -->";

/// What stands between the markers of a document, each line without `prefix`.
fn between_markers(document: &str, prefix: &str) -> String {
    let lines: String =
        document.lines().map(|line| line.strip_prefix(prefix).unwrap_or(line).to_owned() + "\n").collect();
    let start = lines.find(BEGIN).expect("the first marker") + BEGIN.len();
    let length = lines[start..].find(END).expect("the last marker");
    lines[start..start + length].trim().to_owned() + "\n"
}

#[test]
fn tables_are_those_of_the_registry() {
    let readme = table(|entry| format!("`{}`", entry.name));
    assert_eq!(between_markers(include_str!("../README.md"), ""), readme, "run `cargo xtask tidy --fix`");
    let front_page = table(|entry| format!("[`{}`]({})", entry.name, entry.module));
    assert_eq!(between_markers(include_str!("../src/lib.rs"), "//! "), front_page, "run `cargo xtask tidy --fix`");
}
