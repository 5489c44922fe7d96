//! The summary beside a table of outcomes: `summary.json` beside `outcomes.csv`.
//!
//! It has facts that verdicts depend on: whether the log is simulated, how its pairs were chosen, and what does not count. So
//! it has a seal ([`output::sealed_json`]) and the checksum of the table; if it was changed, or belongs to another table, it is
//! ignored with a remark.

use std::io::ErrorKind;
use std::path::Path;

use anyhow::Result;
use output::checksum::sha256_hex;
use output::input;
use output::sealed_json::{Seal, Sealed, described_path, unsealed};
use serde_json::Value;

/// Its name.
pub const FILE: &str = "summary.json";
/// The field with the checksum of the table.
const TABLE: &str = "outcomes_checksum";
/// A larger file is not one.
const MAX_BYTES: u64 = 1 << 24;

/// The content of summary.json beside `table`, the text of outcomes.csv.
///
/// # Errors
/// None in practice.
pub fn sealed_summary(summary: &Value, table: &str) -> Result<Sealed<Value>> {
    let mut summary = summary.clone();
    summary[TABLE] = sha256_hex(table).into();
    Sealed::new(summary)
}

/// Reads the summary beside the file `path` with the text `table`; null if there is none, or it is not valid. Also
/// returns a remark, in a line, if `click-logs credit` did not write it beside this table.
#[must_use]
pub fn summary_beside(path: &Path, table: &str) -> (Value, Option<String>) {
    let path = &described_path(path, |path| path.with_file_name(FILE).exists());
    match input::read_file(&path.with_file_name(FILE), MAX_BYTES) {
        Ok(bytes) => verified_summary(&bytes, path, table),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            // A table by itself claims nothing; with a table of fates beside it, `credit` wrote it.
            let credited = path.with_file_name("fates.csv").exists();
            if credited { ignore_summary(path, "is missing") } else { (Value::Null, None) }
        }
        Err(error) => ignore_summary(path, &format!("cannot be read ({error})")),
    }
}

/// The rankers that the summary beside the file `path` names, in its order, valid or not: if a table has another form, the text
/// that the summary describes is made in this order.
#[must_use]
pub fn rankers_beside(path: &Path) -> Vec<String> {
    let path = described_path(path, |path| path.with_file_name(FILE).exists()).with_file_name(FILE);
    let summary = input::read_file(&path, MAX_BYTES).ok().and_then(|bytes| unsealed(&bytes));
    let names = summary.as_ref().and_then(|(summary, _)| summary["rankers"].as_array()).into_iter().flatten();
    names.filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

/// Ignores the summary beside `path`, for the reason `why`.
fn ignore_summary(path: &Path, why: &str) -> (Value, Option<String>) {
    let file = path.with_file_name(FILE);
    let unknown = "whether the log is simulated, how its pairs were chosen and what it lacks are not known";
    let what = format!("{} {why} and is ignored: {unknown}; run `click-logs credit` again", file.display());
    (Value::Null, Some(what))
}

/// The summary in `bytes`, found beside `path`, if it is valid for this table; and a remark.
fn verified_summary(bytes: &[u8], path: &Path, table: &str) -> (Value, Option<String>) {
    let ignored = |why: &str| ignore_summary(path, why);
    let Some((mut summary, seal)) = unsealed(bytes) else {
        return ignored("is cut off, or not a JSON object");
    };
    let of = summary.as_object_mut().and_then(|fields| fields.remove(TABLE));
    match (seal, of) {
        (Seal::Missing, _) | (_, None) => ignored("has no seal"),
        (Seal::Broken, _) => ignored("was changed since it was written (its seal does not fit)"),
        (_, Some(of)) if of != sha256_hex(table) && summary["conversions"]["checksum"] != sha256_hex(table) => {
            ignored(&format!("describes another table than {} (its checksum differs)", path.display()))
        }
        (Seal::Intact, Some(_)) => (summary, None),
    }
}

#[cfg(test)]
mod tests {
    use output::mutations::Mutations;
    use serde_json::json;

    use super::*;

    const CSV: &str = "day,first\n2026-11-03,a\n";

    fn summary() -> Value {
        json!({"synthetic": true, "pairs": "steered", "rankers": ["a", "b"], "lines": {"impressions": 12, "clicks": 3}})
    }

    fn text() -> String {
        serde_json::to_string_pretty(&sealed_summary(&summary(), CSV).unwrap()).unwrap()
    }

    /// The result of reading the summary beside a table if the summary has this text.
    fn beside(text: &str, table: &str) -> (Value, Option<String>) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), text).unwrap();
        summary_beside(&folder.path().join("outcomes.csv"), table)
    }

    #[test]
    fn a_summary_is_believed_beside_its_table_alone() {
        assert_eq!(beside(&text(), CSV), (summary(), None));
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(summary_beside(&folder.path().join("outcomes.csv"), CSV), (Value::Null, None));
        std::fs::write(folder.path().join("fates.csv"), "").unwrap();
        let (_, remark) = summary_beside(&folder.path().join("outcomes.csv"), CSV);
        assert!(remark.is_some_and(|remark| remark.contains("summary.json is missing")));
        for (text, table, expected) in [
            (text(), "day,first\n", "describes another table"),
            (text().replace("true", "false"), CSV, "was changed since it was written"),
            (text()[..60].to_owned(), CSV, "is cut off"),
            ("[]".to_owned(), CSV, "not a JSON object"),
            (summary().to_string(), CSV, "has no seal and is ignored"),
            ("{}".to_owned(), CSV, "has no seal and is ignored"),
        ] {
            let (found, remark) = beside(&text, table);
            let remark = remark.unwrap();
            assert!(
                found.is_null() && remark.contains(expected) && remark.contains("is simulated"),
                "{text}: {remark}"
            );
        }
    }

    #[test]
    fn no_mutation_of_a_summary_is_believed_without_a_remark() {
        let whole = text().into_bytes();
        let mut mutations = Mutations::new(7);
        let (mut same, mut remarks) = (0, 0);
        for _ in 0..10_000 {
            let mutated = mutations.mutate(&whole);
            match verified_summary(&mutated, Path::new("outcomes.csv"), CSV) {
                (found, None) => {
                    assert_eq!(found, summary(), "{}", String::from_utf8_lossy(&mutated));
                    same += 1;
                }
                (_, Some(_)) => remarks += 1,
            }
        }
        assert!(same > 50 && remarks > 5_000, "{same} the same, {remarks} with a remark");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_table_has_the_summary_of_the_table() {
        let folder = tempfile::tempdir().unwrap();
        let [table, link] = ["cr/outcomes.csv", "link.csv"].map(|name| folder.path().join(name));
        std::fs::create_dir(folder.path().join("cr")).unwrap();
        std::fs::write(folder.path().join("cr").join(FILE), text()).unwrap();
        std::fs::write(&table, CSV).unwrap();
        std::os::unix::fs::symlink(&table, &link).unwrap();
        assert_eq!(summary_beside(&link, CSV), (summary(), None));
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_in_place_of_a_summary_does_not_block() {
        let folder = tempfile::tempdir().unwrap();
        assert!(std::process::Command::new("mkfifo").arg(folder.path().join(FILE)).status().unwrap().success());
        let (send, receive) = std::sync::mpsc::channel();
        let table = folder.path().join("outcomes.csv");
        std::thread::spawn(move || send.send(summary_beside(&table, CSV)).unwrap());
        let (found, remark) = receive.recv_timeout(std::time::Duration::from_secs(60)).expect("nothing waits");
        assert!(found.is_null() && remark.is_some_and(|remark| remark.contains("it is a pipe")));
    }
}
