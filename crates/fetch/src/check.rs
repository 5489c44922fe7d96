//! Whether files hold the data set that they should.

use anyhow::Result;
use letor_io::registry::{Entry, Located, SplitEntry};
use letor_io::{Dataset, ReadOptions, Statistics, read_files};

use super::Watch;

/// The findings, one line per part, and the differences from the expected files.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) found: Vec<String>,
    pub(super) differences: Vec<String>,
}

impl Report {
    /// Prints the findings. Returns the differences unless there are none, or they are accepted.
    pub(super) fn refusal(&self, entry: &Entry, accept: bool, watch: &mut dyn Watch) -> Option<Vec<String>> {
        self.found.iter().for_each(|line| watch.print(&format!("  {line}")));
        if self.differences.is_empty() {
            return None;
        }
        if !accept {
            return Some(self.differences.clone());
        }
        watch.note(&format!("{} is not as expected:", entry.name));
        self.differences.iter().for_each(|line| watch.note(&format!("  {line}")));
        None
    }

    fn compare(&mut self, what: &str, found: u64, expected: Option<u64>) {
        if let Some(expected) = expected.filter(|&expected| expected != found) {
            let by = found as i64 - expected as i64;
            self.differences.push(format!("{found} {what}, expected {expected} ({by:+})"));
        }
    }
}

/// Reads all parts found and compares their content with the expected one.
pub(super) fn check(entry: &Entry, located: &Located, report: &mut Report) -> Result<()> {
    for split in &entry.splits {
        match located.files(split.name) {
            Some(_) => check_split(entry, split, located, report)?,
            None if split.counted => report.differences.push(format!(
                "{}: no file, expected {}",
                split.name,
                split.files.iter().map(|files| files.join(" and ")).collect::<Vec<_>>().join(", or "),
            )),
            None => report.found.push(format!("{}: missing, which is allowed", split.name)),
        }
    }
    check_together(entry, located, report)
}

/// Unexpected labels are a difference, not an error.
fn read_options(entry: &Entry) -> ReadOptions {
    ReadOptions { features: entry.features, max_label: 1000.0, ..ReadOptions::default() }
}

fn check_split(entry: &Entry, split: &SplitEntry, located: &Located, report: &mut Report) -> Result<()> {
    let files = located.files(split.name).unwrap_or_default();
    let dataset = read_files(split.name.name(), files, &ReadOptions { features: 0, ..read_options(entry) })?;
    let (queries, documents) = (dataset.queries() as u64, dataset.documents() as u64);
    report.found.push(format!(
        "{}: {queries} queries, {documents} documents, {} features, labels up to {}, checksum {}",
        split.name,
        dataset.features(),
        dataset.max_label(),
        dataset.checksum(),
    ));
    report.compare("queries", queries, split.queries);
    report.compare("documents", documents, split.documents);
    name_part(report, split);
    if dataset.features() > entry.features {
        let (found, expected) = (dataset.features(), entry.features);
        report.differences.push(format!("{}: features up to {found}, expected {expected}", split.name));
    }
    if dataset.max_label() > entry.max_label {
        let (found, expected) = (dataset.max_label(), entry.max_label);
        report.differences.push(format!("{}: labels up to {found}, expected {expected}", split.name));
    }
    Ok(())
}

/// Prefixes differences with the name of the part if they do not have it yet.
fn name_part(report: &mut Report, split: &SplitEntry) {
    for difference in report.differences.iter_mut().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())) {
        *difference = format!("{}: {difference}", split.name);
    }
}

/// Checks what concerns all parts together: no query may be in two of them, and which features are never used.
fn check_together(entry: &Entry, located: &Located, report: &mut Report) -> Result<()> {
    let counted = entry.splits.iter().filter(|split| split.counted);
    let parts: Option<Vec<_>> = counted.map(|split| located.files(split.name)).collect();
    let Some(parts) = parts.filter(|parts| parts.len() > 1 || entry.always_zero.is_some()) else {
        return Ok(());
    };
    let dataset: Dataset = read_files(&entry.name, &parts.concat(), &read_options(entry))?;
    if let Some(expected) = entry.always_zero {
        let used = |zero: u64| u64::from(dataset.features()).saturating_sub(zero);
        let found = Statistics::of(&dataset).always_zero.len() as u64;
        report.found.push(format!("{} features are not always 0", used(found)));
        report.compare("features are not always 0", used(found), Some(used(expected.into())));
    }
    Ok(())
}
