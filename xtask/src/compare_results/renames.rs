//! What one build names differently from the one before it: files, CSV columns, JSON keys and words.
//!
//! `cargo xtask compare-results` translates the old names before it compares. To extend: add a line to the list it belongs to.

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
    columns: &[
        rename("cycles.csv", "first_over_second", "margin_first_over_second"),
        rename("cycles.csv", "second_over_third", "margin_second_over_third"),
        rename("cycles.csv", "third_over_first", "margin_third_over_first"),
        rename("cycles.csv", "genuine", "significant"),
        rename("*", "share_naming_winner", "share_recommending_best"),
        rename("*", "best_arm", "recommended_arm"),
        rename("*", "best_feature", "recommended_feature"),
        rename("*", "best_arm_in_matrix", "recommended_arm_in_matrix"),
        rename("*", "best_is_winner", "recommended_is_best"),
        rename("*", "found", "share_recommending_best"),
    ],
    keys: &[
        rename("findings.json", "circles", "cycles"),
        rename("findings.json", "genuine", "significant"),
        rename("findings.json", "established", "significant"),
        rename("findings.json", "claims_nothing_because", "no_claim_because"),
        rename("findings.json", "overtake_it", "overtaking_arms"),
        rename("findings.json", "here", "matrix"),
        rename("findings.json", "there", "against"),
        rename("summary.json", "named", "recommended"),
        rename("summary.json", "found", "share_recommending_best"),
        rename("summary.json", "largest_at_the_end", "largest_at_end"),
        rename("summary.json", "largest_from_a_thousandth_on", "largest_after_first_thousandth"),
        rename("summary.json", "at_the_end", "at_end"),
        rename("config.json", "played_on", "environment"),
        rename("config.json", "taken", "arms_in_matrix"),
        rename("distortion.json", "runs", "sets"),
        rename("P.json", "pairs_meet", "comparison"),
        rename("P.json", "fewest", "min_comparisons"),
        rename("P.json", "most", "max_comparisons"),
        rename("P.json", "ties", "share_of_ties"),
        rename("S.json", "pairs_meet", "comparison"),
        rename("S.json", "fewest", "min_comparisons"),
        rename("S.json", "most", "max_comparisons"),
        rename("S.json", "ties", "share_of_ties"),
        rename("proxy.json", "pairs_meet", "comparison"),
        rename("proxy.json", "fewest", "min_comparisons"),
        rename("proxy.json", "most", "max_comparisons"),
        rename("proxy.json", "ties", "share_of_ties"),
        rename("experiment.toml", "read_off_at", "checkpoint-steps"),
        rename("experiment.toml", "with_condorcet_winner", "with-condorcet-winner"),
    ],
    values: &[
        rename("bounds.csv", "duels with the winner alone", "every duel includes the winner"),
        rename("summary.json", "documents a query", "documents per query"),
    ],
    only_in_one: &[
        rename("config.json", "", "regret"),
        rename("summary.json", "", "regret_kind"),
        rename("summary.json", "", "every_arm_is_optimal"),
        rename("summary.json", "", "synthetic"),
        rename("findings.json", "", "synthetic"),
        rename("*.csv", "", "label"),
        rename("summary.json", "", "label"),
        rename("config.json", "", "estimated_from"),
        rename("*.json", "", "winner_z"),
    ],
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
