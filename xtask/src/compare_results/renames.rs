//! What one build names differently from the one before it: files, CSV columns, JSON keys and words.
//!
//! `cargo xtask compare-results` translates the old names before it compares, and `cargo xtask tidy` checks that
//! CHANGELOG lists every pair. To extend: add a line to the list it belongs to.

/// One name and the name that takes its place, in the files that it applies to.
#[derive(Debug, Clone, Copy)]
pub struct Rename {
    /// A file name (the new one), with `*` for any characters; `*` alone for every file.
    pub file: &'static str,
    /// The old name.
    pub old: &'static str,
    /// The new name.
    pub new: &'static str,
}

const fn rename(file: &'static str, old: &'static str, new: &'static str) -> Rename {
    Rename { file, old, new }
}

/// The tables of renames that a comparison uses.
#[derive(Debug, Clone, Copy)]
pub struct Renames {
    /// Files and folders: a path segment, old and new. `file` is `*`.
    pub files: &'static [Rename],
    /// CSV columns.
    pub columns: &'static [Rename],
    /// JSON and TOML keys. A name without a dot stands for that key at any depth; with dots it is the whole path,
    /// `[]` standing for any index: `claims[].says`.
    pub keys: &'static [Rename],
    /// Whole values, in CSV cells and JSON strings.
    pub values: &'static [Rename],
    /// Columns and keys that only the new build writes (`old` is empty) or only the old one (`new` is empty).
    pub only_in_one: &'static [Rename],
}

/// From the build before "the house" was rearranged to this one.
pub const RENAMES: Renames = Renames {
    files: &[rename("*", "circles.csv", "cycles.csv")],
    columns: &[rename("cycles.csv", "genuine", "significant")],
    keys: &[rename("findings.json", "circles", "cycles"), rename("findings.json", "genuine", "significant")],
    values: &[],
    only_in_one: &[],
};

/// CSV columns that identify a row, by their new names. All others hold measurements.
pub const KEY_COLUMNS: &[&str] = &[
    "setting",
    "clicks",
    "algorithm",
    "curve",
    "metric",
    "method",
    "run",
    "step",
    "x",
    "horizon",
    "impressions",
    "arms",
    "arm",
    "first",
    "second",
    "third",
    "bound",
    "steps",
];

/// Columns and keys that differ between any two calls or builds: never compared.
pub const IGNORED: &[&str] = &["version", "fingerprint", "seconds", "threads", "machine", "date", "time", "resumed"];

/// Files that differ between any two calls: never compared.
pub const IGNORED_FILES: &[&str] = &["timings.json"];

/// JSON and TOML keys that hold prose. Of these only the numbers in them are compared, in their order.
pub const PROSE: &[&str] =
    &["about", "says", "title", "figure", "place", "comment", "note", "notes", "numbers", "truth"];
