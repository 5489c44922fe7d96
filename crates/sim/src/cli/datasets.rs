//! `sim datasets`: what there is to run on.

use anyhow::Result;
use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{CellAlignment, Table};
use letor_io::registry::{self, Entry};
use letor_io::{Split, lookalike};

use super::print::println;
use crate::output::numbers::grouped;

/// Prints every data set known by name, whether it is here, and the look-alikes, which always are.
#[expect(clippy::unnecessary_wraps, reason = "a command like the others")]
pub(super) fn run() -> Result<()> {
    let root = registry::data_root();
    let mut table = Table::new();
    table.load_style(UTF8_HORIZONTAL_ONLY).set_header([
        "data set",
        "here",
        "queries",
        "documents",
        "features",
        "what it is",
    ]);
    for entry in registry::all().iter().filter(|entry| entry.matrix.is_none()) {
        let (queries, documents) = entry.counted();
        let number = |number: Option<u64>| number.map_or("?".into(), grouped);
        let here = parts_here(entry, &root);
        table.add_row([
            entry.name.clone(),
            here,
            number(queries),
            number(documents),
            entry.features.to_string(),
            entry.title.clone(),
        ]);
    }
    for column in 2..5 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    println!("{table}\n");
    println!("preference matrices (sim bandit --matrix NAME):");
    for entry in registry::all() {
        if let Some(matrix) = &entry.matrix {
            let here = registry::matrix_file(&entry.name, &root).is_some_and(|file| file.is_ok());
            let here = if here { "yes" } else { "no" };
            println!("  {:<28} {here:<4} {} arms, {}", entry.name, matrix.arms, entry.title);
        }
    }
    println!("\nlook-alikes, generated at once and always here (NAME:0.1 has a tenth of the queries):");
    println!("  {}", lookalike::names().collect::<Vec<_>>().join(", "));
    println!("\nRegistered data are in {}; `cargo xtask fetch-datasets NAME` gets", root.display());
    println!("one, or says where to get it. `sim inspect NAME` describes what is here.");
    Ok(())
}

/// The parts of `entry` that are on this machine.
fn parts_here(entry: &Entry, root: &std::path::Path) -> String {
    match registry::locate(entry, &root.join(&entry.name)) {
        None => "no".into(),
        Some(located) if located.splits.len() == entry.splits.len() => "yes".into(),
        Some(located) => {
            let parts: Vec<&str> = located.splits.iter().map(|(split, _): &(Split, _)| split.name()).collect();
            parts.join(", ")
        }
    }
}
