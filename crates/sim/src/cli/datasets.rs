//! `sim datasets`: lists the data sets and preference matrices known by name.

use anyhow::Result;
use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{CellAlignment, Table};
use letor_io::registry::{self, Entry};
use letor_io::{Split, lookalike};

use super::print::println;
use crate::output::numbers::with_separators;

/// Prints the registered data sets and matrices, whether they are installed, and the look-alikes.
#[expect(clippy::unnecessary_wraps, reason = "all commands return a result")]
pub(super) fn run() -> Result<()> {
    let root = registry::data_root();
    let mut table = Table::new();
    table.load_style(UTF8_HORIZONTAL_ONLY).set_header([
        "data set",
        "installed",
        "queries",
        "documents",
        "features",
        "description",
    ]);
    for entry in registry::all().iter().filter(|entry| entry.matrix.is_none()) {
        let (queries, documents) = entry.counted();
        let number = |number: Option<u64>| number.map_or("?".into(), with_separators);
        let installed = installed_parts(entry, &root);
        table.add_row([
            entry.name.clone(),
            installed,
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
    println!("Preference matrices (sim bandit --matrix NAME):");
    for entry in registry::all() {
        if let Some(matrix) = &entry.matrix {
            let installed = registry::matrix_file(&entry.name, &root).is_some_and(|file| file.is_ok());
            let installed = if installed { "yes" } else { "no" };
            println!("  {:<28} {installed:<4} {} arms, {}", entry.name, matrix.arms, entry.title);
        }
    }
    println!("\nLook-alikes, built in and generated on demand (NAME:0.1 has a tenth of the queries):");
    println!("  {}", lookalike::names().collect::<Vec<_>>().join(", "));
    println!(
        "\nRegistered data sets are stored in {}. `cargo xtask fetch-datasets NAME` downloads one",
        root.display()
    );
    println!("or explains where to get it; `sim inspect NAME` describes an installed one.");
    Ok(())
}

/// Which splits of `entry` are installed.
fn installed_parts(entry: &Entry, root: &std::path::Path) -> String {
    match registry::locate(entry, &root.join(&entry.name)) {
        None => "no".into(),
        Some(located) if located.splits.len() == entry.splits.len() => "yes".into(),
        Some(located) => {
            let parts: Vec<&str> = located.splits.iter().map(|(split, _): &(Split, _)| split.name()).collect();
            parts.join(", ")
        }
    }
}
