//! Are these files what they should be?

use anyhow::Result;
use letor_io::registry::{Entry, Located, SplitEntry};
use letor_io::{ReadOptions, Statistics, read_files};

/// What was found, a line a part, and what differs from what was expected.
pub(super) struct Report {
    pub(super) found: Vec<String>,
    pub(super) differences: Vec<String>,
}

/// Reads all parts found and compares their counts with those expected.
pub(super) fn check(entry: &Entry, located: &Located) -> Result<Report> {
    let mut report = Report {
        found: Vec::new(),
        differences: Vec::new(),
    };
    for split in &entry.splits {
        match located.files(split.name) {
            Some(_) => check_split(entry, split, located, &mut report)?,
            None if split.counted => report.differences.push(format!(
                "{}: no file, expected {}",
                split.name,
                split
                    .files
                    .iter()
                    .map(|files| files.join(" and "))
                    .collect::<Vec<_>>()
                    .join(", or "),
            )),
            None => report
                .found
                .push(format!("{}: not there, which is fine", split.name)),
        }
    }
    check_together(entry, located, &mut report)?;
    Ok(report)
}

fn check_split(
    entry: &Entry,
    split: &SplitEntry,
    located: &Located,
    report: &mut Report,
) -> Result<()> {
    let files = located.files(split.name).unwrap_or_default();
    let dataset = read_files(split.name.name(), files, &ReadOptions::default())?;
    let (queries, documents) = (dataset.queries() as u64, dataset.documents() as u64);
    report.found.push(format!(
        "{}: {queries} queries, {documents} documents, {} features, checksum {}",
        split.name,
        dataset.features(),
        dataset.checksum(),
    ));
    for (what, found, expected) in [
        ("queries", queries, split.queries),
        ("documents", documents, split.documents),
    ] {
        if let Some(expected) = expected.filter(|&expected| expected != found) {
            let by = found as i64 - expected as i64;
            report.differences.push(format!(
                "{}: {found} {what}, expected {expected} ({by:+})",
                split.name
            ));
        }
    }
    if dataset.features() > entry.features {
        let (found, expected) = (dataset.features(), entry.features);
        report.differences.push(format!(
            "{}: features up to {found}, expected {expected}",
            split.name
        ));
    }
    Ok(())
}

/// What can only be told of all parts together: that no query is in two of them, and which features are
/// never used.
fn check_together(entry: &Entry, located: &Located, report: &mut Report) -> Result<()> {
    let counted = entry.splits.iter().filter(|split| split.counted);
    let parts: Option<Vec<_>> = counted.map(|split| located.files(split.name)).collect();
    let Some(parts) = parts.filter(|parts| parts.len() > 1 || entry.always_zero.is_some()) else {
        return Ok(());
    };
    let options = ReadOptions {
        features: entry.features,
        ..ReadOptions::default()
    };
    let dataset = read_files(&entry.name, &parts.concat(), &options)?;
    if let Some(expected) = entry.always_zero {
        let found = Statistics::of(&dataset).always_zero.len();
        if found != expected as usize {
            report.differences.push(format!(
                "{found} features are always 0, expected {expected}"
            ));
        }
    }
    Ok(())
}
