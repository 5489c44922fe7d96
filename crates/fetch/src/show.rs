//! The list of data sets and their state.

use std::path::Path;

use letor_io::registry::{self, Advice, Entry, Source};

use super::{Watch, verify};

/// Prints a line per data set.
pub(super) fn list(root: &Path, watch: &mut dyn Watch) {
    let mut line = |columns: [&str; 6]| {
        let [name, state, queries, documents, features, what] = columns;
        watch.print(&format!("{name:<26} {state:<16} {queries:>8} {documents:>10} {features:>8}  {what}"));
    };
    line(["name", "state", "queries", "documents", "features", "what it is"]);
    for entry in registry::all() {
        let (queries, documents) = entry.counted_sizes();
        let number = |number: Option<u64>| number.map_or("?".into(), |number| number.to_string());
        let [queries, documents, features] = match &entry.matrix {
            Some(_) => ["", "", ""].map(str::to_owned),
            None => [number(queries), number(documents), entry.features.to_string()],
        };
        line([&entry.name, &local_state(entry, root), &queries, &documents, &features, &entry.title]);
    }
    watch.print(&format!("\nRegistered data sets are kept in {}.", root.display()));
    watch.print(&format!("{}.", Advice::of_process().general_sentence()));
}

/// Prints everything about one data set; returns whether the parts that are read by default are here.
pub(super) fn details(entry: &Entry, root: &Path, watch: &mut dyn Watch) -> bool {
    let folder = root.join(&entry.name);
    let located = registry::locate(entry, &folder);
    watch.print(&format!("{}: {}", entry.name, entry.title));
    watch.print(&format!("  {}", entry.about));
    if let Some(paper) = &entry.paper {
        watch.print(&format!("  paper    {}, {}", paper.title, paper.address));
    }
    watch.print(&format!("  terms    {}", entry.licence.terms));
    watch.print(&format!("           {}", entry.licence.address));
    for source in &entry.sources {
        watch.print(&format!("  source   {}", source_line(source, &folder)));
    }
    for split in &entry.splits {
        let count = |number: Option<u64>, what| number.map_or(String::new(), |n| format!(", {n} {what}"));
        let files = located.as_ref().and_then(|located| located.files(split.name));
        watch.print(&format!(
            "  {:<8} {}{}{}{}",
            split.name.name(),
            files.map_or("missing", |_| "registered"),
            count(split.queries, "queries"),
            count(split.documents, "documents"),
            if split.counted { "" } else { " (read only when asked for)" },
        ));
        for file in files.into_iter().flatten() {
            watch.print(&format!("           {}", file.display()));
        }
    }
    if let Some(matrix) = &entry.matrix {
        let state = if are_parts_here(entry, root) { "registered" } else { "missing" };
        watch.print(&format!("  matrix   {state}, {} arms, {}", matrix.arms, folder.join(&matrix.file).display()));
    }
    are_parts_here(entry, root)
}

/// Prints how to get a data set that cannot be downloaded.
pub(super) fn how_to_get(entry: &Entry, watch: &mut dyn Watch) {
    if let Some(command) = Advice::of_process().register_command(&entry.name) {
        watch.print("To register it: accept the terms, get the files or their archive, then run");
        watch.print(&format!("  {command}"));
    }
}

fn local_state(entry: &Entry, root: &Path) -> String {
    if are_parts_here(entry, root) {
        let located = registry::locate(entry, &root.join(&entry.name));
        if located.is_none_or(|located| located.splits.len() == entry.splits.len()) {
            return "registered".into();
        }
    }
    match registry::locate(entry, &root.join(&entry.name)) {
        Some(located) => {
            let parts: Vec<&str> = located.splits.iter().map(|(split, _)| split.name()).collect();
            format!("only {}", parts.join(", "))
        }
        None if entry.is_direct() => "to download".into(),
        None => "to get by hand".into(),
    }
}

/// Whether the parts that are read by default are here.
fn are_parts_here(entry: &Entry, root: &Path) -> bool {
    if entry.matrix.is_some() {
        return registry::matrix_file(&entry.name, root).is_some_and(|file| file.is_ok());
    }
    let located = registry::locate(entry, &root.join(&entry.name));
    let here = |split| located.as_ref().is_some_and(|located| located.files(split).is_some());
    entry.splits.iter().filter(|split| split.counted).all(|split| here(split.name))
}

fn source_line(source: &Source, folder: &Path) -> String {
    let mut line = format!("{} at {}", source.file, source.address);
    if let Some(bytes) = source.bytes {
        line += &format!(", {bytes} bytes");
    }
    match (&source.sha256, verify::recorded_sum(folder, &source.file)) {
        (Some(sum), _) => line += &format!(", SHA-256 {sum}"),
        (None, Some(sum)) => line += &format!(", no SHA-256 published, registered from {sum}"),
        (None, None) => line += ", no SHA-256 published: that of the first one registered is kept and compared",
    }
    line
}
