//! What there is, and in what state.

use std::path::Path;

use letor_io::registry::{self, Entry, Located, Source};

/// Prints a line for each data set.
pub(super) fn list(root: &Path) {
    println!(
        "{:<12} {:<18} {:>8} {:>10} {:>8}  what it is",
        "name", "state", "queries", "documents", "features"
    );
    for entry in registry::all() {
        let (queries, documents) = entry.counted();
        let number = |number: Option<u64>| number.map_or("?".into(), |number| number.to_string());
        let located = registry::locate(entry, &root.join(&entry.name));
        println!(
            "{:<12} {:<18} {:>8} {:>10} {:>8}  {}",
            entry.name,
            state(entry, located.as_ref()),
            number(queries),
            number(documents),
            entry.features,
            entry.title,
        );
    }
    println!("\nRegistered data sets are kept in {}.", root.display());
    println!("`cargo xtask fetch-datasets NAME` says more about one, and where to get it.");
}

/// Prints all about one data set; returns whether the parts that are read by default are here.
pub(super) fn details(entry: &Entry, root: &Path) -> bool {
    let folder = root.join(&entry.name);
    let located = registry::locate(entry, &folder);
    println!("{}: {}", entry.name, entry.title);
    println!("  {}", entry.about);
    if let Some(paper) = &entry.paper {
        println!("  paper    {}, {}", paper.title, paper.address);
    }
    println!("  terms    {}", entry.licence.terms);
    println!("           {}", entry.licence.address);
    for source in &entry.sources {
        println!("  source   {}", source_line(source));
    }
    for split in &entry.splits {
        let count =
            |number: Option<u64>, what| number.map_or(String::new(), |n| format!(", {n} {what}"));
        let files = located
            .as_ref()
            .and_then(|located| located.files(split.name));
        println!(
            "  {:<8} {}{}{}{}",
            split.name.name(),
            files.map_or("missing", |_| "registered"),
            count(split.queries, "queries"),
            count(split.documents, "documents"),
            if split.counted {
                ""
            } else {
                " (read only when asked for)"
            },
        );
        for file in files.into_iter().flatten() {
            println!("           {}", file.display());
        }
    }
    let here = complete(entry, located.as_ref());
    if !here {
        println!("To register it: accept the terms, get the files, unpack them, then");
        println!("  {}", entry.register_command());
    }
    here
}

fn state(entry: &Entry, located: Option<&Located>) -> String {
    match located {
        None => "missing".into(),
        Some(located) if located.splits.len() == entry.splits.len() => "registered".into(),
        Some(located) => {
            let parts: Vec<&str> = located
                .splits
                .iter()
                .map(|(split, _)| split.name())
                .collect();
            format!("only {}", parts.join(", "))
        }
    }
}

fn complete(entry: &Entry, located: Option<&Located>) -> bool {
    let here = |split| located.is_some_and(|located| located.files(split).is_some());
    entry
        .splits
        .iter()
        .filter(|split| split.counted)
        .all(|split| here(split.name))
}

fn source_line(source: &Source) -> String {
    let mut line = format!("{} at {}", source.file, source.address);
    if let Some(bytes) = source.bytes {
        line += &format!(", {bytes} bytes");
    }
    if let Some(sum) = &source.sha256 {
        line += &format!(", SHA-256 {sum}");
    }
    line
}
