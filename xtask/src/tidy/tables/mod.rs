//! Tables and counts in READMEs and crate documentation that can be derived from the code.
//!
//! A table stands between two markers on lines of their own, in Markdown or in documentation comments:
//!
//! ```text
//! <!-- bandits: written by cargo xtask tidy --fix -->
//! | name | ... |
//! <!-- end -->
//! ```
//!
//! Published results that the README cites are such tables too.
//!
//! A count stands within a line, in words or digits: `<!-- count bandits -->thirty<!-- end -->`.

mod bench;
mod published;
mod schema;

use std::path::Path;

use anyhow::{Context, Result};

use self::bench::bench_table;
use self::published::{few_duels, first_run, own_policies, users_who_change, utility_problems, when_to_prefer};
use self::schema::schema_table;
use super::Findings;
use super::costs::Costs;
use super::source::{files, read};
use super::table::Table;

const OPEN: &str = ": written by cargo xtask tidy --fix -->";
const END: &str = "<!-- end -->";
const COUNT: &str = "<!-- count ";

/// The tables derived from the code and the published results, by name.
type TableByName<'a> = &'a dyn Fn(&str) -> Option<Table>;

pub(super) fn check(root: &Path, fix: bool, findings: &mut Findings) -> Result<()> {
    check_against(root, fix, &|name| table_named(root, name), findings)
}

fn check_against(root: &Path, fix: bool, known: TableByName<'_>, findings: &mut Findings) -> Result<()> {
    let mut count = 0;
    let mut all = files(root, "md")?;
    for folder in ["crates", "xtask"] {
        // This file shows the markers.
        let sources = files(&root.join(folder), "rs").unwrap_or_default();
        all.extend(sources.into_iter().filter(|path| !path.ends_with("xtask/src/tidy/tables/mod.rs")));
    }
    for file in all {
        let text = read(&file)?;
        if !text.contains(END) {
            continue;
        }
        let mut faults = Vec::new();
        let fixed = rewrite(&text, known, &mut faults, &mut count);
        for (line, fault) in faults {
            findings.add(&file, Some(line), fault);
        }
        if fixed == text {
            continue;
        }
        if fix {
            std::fs::write(&file, fixed).with_context(|| format!("failed to write {}", file.display()))?;
            findings.summary(format!("rewrote {}", findings.place(&file, None)));
        } else {
            let line = fixed.lines().zip(text.lines()).take_while(|(fixed, old)| fixed == old).count() + 1;
            findings.add(&file, Some(line), "is out of date: run `cargo xtask tidy --fix`".to_owned());
        }
    }
    findings.note(format!("{count} tables and counts"));
    Ok(())
}

/// The text with every table and count as derived from the code; those that cannot be written are faults of their lines.
fn rewrite(text: &str, known: TableByName<'_>, faults: &mut Vec<(usize, String)>, count: &mut usize) -> String {
    let mut out = String::new();
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let prefix = &line[..line.find("<!--").unwrap_or(0)];
        let Some(name) = line[prefix.len()..].strip_suffix(OPEN).and_then(|open| open.strip_prefix("<!-- ")) else {
            out += &update_counts(line, index + 1, known, faults, count);
            out.push('\n');
            continue;
        };
        *count += 1;
        out += line;
        out.push('\n');
        let old: Vec<&str> = lines.by_ref().map(|(_, line)| line).take_while(|line| !line.ends_with(END)).collect();
        let table = known(name);
        if table.is_none() {
            faults.push((index + 1, format!("no table is called {name}: there are {}", NAMES.join(", "))));
        }
        match &table {
            Some(table) => table.lines().for_each(|line| out += &format!("{prefix}{line}\n")),
            None => old.iter().for_each(|line| out += &format!("{line}\n")),
        }
        out += &format!("{prefix}{END}\n");
    }
    if !text.ends_with('\n') {
        out.pop();
    }
    out
}

/// The line with its counts as they are.
fn update_counts(
    line: &str,
    number: usize,
    known: TableByName<'_>,
    faults: &mut Vec<(usize, String)>,
    count: &mut usize,
) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, behind)) = rest.split_once(COUNT) {
        let parts = behind.split_once(" -->").and_then(|(name, behind)| Some((name, behind.split_once(END)?)));
        let Some((name, (old, after))) = parts else {
            break;
        };
        *count += 1;
        let new = match known(name) {
            Some(table) => spell_number(table.rows.len(), old),
            None => {
                faults.push((number, format!("no table is called {name}: there are {}", NAMES.join(", "))));
                old.to_owned()
            }
        };
        out += &format!("{before}{COUNT}{name} -->{new}{END}");
        rest = after;
    }
    out + rest
}

/// A number in the manner of `old`: in digits, or in words with a capital or without.
fn spell_number(number: usize, old: &str) -> String {
    const ONES: [&str; 20] = [
        "no",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    const TENS: [&str; 10] = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    let first = old.chars().next().unwrap_or('a');
    let words = match number {
        _ if first.is_ascii_digit() => return number.to_string(),
        100.. => return number.to_string(),
        ..20 => ONES[number].to_owned(),
        _ if number.is_multiple_of(10) => TENS[number / 10].to_owned(),
        _ => format!("{}-{}", TENS[number / 10], ONES[number % 10]),
    };
    if first.is_uppercase() { words[..1].to_uppercase() + &words[1..] } else { words }
}

/// The tables there are.
const NAMES: [&str; 28] = [
    "experiment-settings",
    "experiment-guardrails",
    "experiment-bots",
    "bandits",
    "algorithms",
    "algorithm-pages",
    "when-to-prefer",
    "when-to-prefer-pages",
    "interleaving-methods",
    "multileaving-methods",
    "click-models",
    "datasets",
    "first-run",
    "claims",
    "claims-held",
    "claims-not-held",
    "claims-open",
    "cluster-matrices",
    "cluster-studies",
    "utility-problems",
    "own-policies",
    "few-duels",
    "bench-tracks",
    "bench-kinds",
    "bench-honesty",
    "bench-problems",
    "bench-default-first",
    "bench-default-loses",
];

/// A table by name; `root` is the repository's top folder.
fn table_named(root: &Path, name: &str) -> Option<Table> {
    let code = |text: &str| format!("`{text}`");
    Some(match name {
        "bandits" => {
            let row = |entry: &bandits::registry::Entry| {
                let action = format!("{:?}", entry.action_kind).to_lowercase();
                let horizon = if entry.needs_horizon { "needed" } else { "anytime" };
                vec![code(entry.name), action, horizon.to_owned(), entry.summary.to_owned()]
            };
            Table::of(&["name", "action", "horizon", "what it is"], bandits::registry::entries().iter().map(row))
        }
        "algorithms" => algorithms(by_name),
        "algorithm-pages" => algorithms(by_page),
        "when-to-prefer" => when_to_prefer(&root.join("results"), by_name)?,
        "when-to-prefer-pages" => when_to_prefer(&root.join("results"), by_page)?,
        "interleaving-methods" => methods(&interleave::AnyInterleaving::rows()),
        "multileaving-methods" => methods(&interleave::AnyMultileaving::rows()),
        "click-models" => Table {
            heading: clicks::ModelRow::HEADING.to_owned(),
            rows: clicks::CLICK_MODELS.iter().map(clicks::ModelRow::markdown).collect(),
        },
        "datasets" => {
            let entries = letor_io::registry::all().iter().filter(|entry| entry.matrix.is_none());
            let row = |entry: &letor_io::registry::Entry| {
                vec![code(&entry.name), entry.title.clone(), entry.features.to_string()]
            };
            Table::of(&["name", "data set", "features"], entries.map(row))
        }
        "first-run" => first_run(&root.join("results"))?,
        "utility-problems" => utility_problems(&root.join("results"))?,
        "own-policies" => own_policies(&root.join("results"))?,
        "few-duels" => few_duels(&root.join("results"))?,
        "users-who-change" => users_who_change(&root.join("results"))?,
        "claims" => claims(root, &["✓ held", "✗ did not hold"])?,
        "claims-held" => claims(root, &["✓ held"])?,
        "claims-not-held" => claims(root, &["✗ did not hold"])?,
        "claims-open" => claims(root, &["needs the real data", "not tested"])?,
        "cluster-matrices" => Costs::read(root)?.matrices(),
        "cluster-studies" => Costs::read(root)?.studies(),
        "experiment-settings" => schema_table(root, "Settings")?,
        "experiment-guardrails" => schema_table(root, "Guardrails")?,
        "experiment-bots" => schema_table(root, "Bots")?,
        name => bench_table(root, name)?,
    })
}

/// The name of an algorithm as code.
fn by_name(entry: &bandits::registry::Entry) -> String {
    format!("`{}`", entry.name)
}

/// The same as a link to its module.
fn by_page(entry: &bandits::registry::Entry) -> String {
    format!("[`{}`]({})", entry.name, entry.module)
}

/// The table of bandits with variants and papers; `first` makes the first cell.
fn algorithms(first: impl Fn(&bandits::registry::Entry) -> String) -> Table {
    let table = bandits::registry::table(first);
    let mut lines = table.lines().map(str::to_owned);
    let heading: Vec<String> = lines.by_ref().take(2).collect();
    Table { heading: heading.join("\n"), rows: lines.collect() }
}

/// The claims of papers with an outcome that begins with one of `outcomes`, from the published table of results; own claims, beyond the
/// papers, are not among them.
fn claims(root: &Path, outcomes: &[&str]) -> Option<Table> {
    let text = std::fs::read_to_string(root.join("results/README.md")).ok()?;
    let rows = text.lines().take_while(|line| *line != "## Beyond the papers").filter_map(|line| {
        let cells: Vec<&str> = line.split(" | ").collect();
        let [result, claim, outcome, ..] = cells[..] else { return None };
        let known = outcomes.iter().any(|known| outcome.trim_start_matches(['?', '–', ' ']).starts_with(known));
        known.then(|| [result.trim_start_matches("| "), claim, outcome].map(str::to_owned).to_vec())
    });
    Some(Table::of(&["result", "claim", "outcome"], rows))
}

fn methods(rows: &[interleave::MethodRow]) -> Table {
    let rows = rows.iter().map(interleave::MethodRow::markdown).collect();
    Table { heading: interleave::MethodRow::HEADING.to_owned(), rows }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::testing::{checked, tree};

    fn two(name: &str) -> Option<Table> {
        let rows = [["`a`", ""], ["`b`", "x|y"]].map(|row| row.map(str::to_owned).to_vec());
        (name == "two").then(|| Table::of(&["name", "is"], rows))
    }

    const RIGHT: &str = "There are <!-- count two -->two<!-- end --> of them:\n\n\
        <!-- two: written by cargo xtask tidy --fix -->\n| name | is |\n|---|---|\n| `a` | |\n| `b` | x\\|y |\n<!-- end -->\n";

    #[test]
    fn a_table_out_of_date_is_found_and_rewritten() {
        let wrong = RIGHT.replace("| `a` | |\n", "");
        let lib = RIGHT.lines().map(|line| format!("//! {line}").trim_end().to_owned() + "\n").collect::<String>();
        let folder = tree(&[
            ("README.md", &wrong),
            ("good.md", RIGHT),
            ("crates/a/src/lib.rs", &lib.replace("two<!--", "three<!--")),
        ]);
        let check = |fix| move |root: &Path, findings: &mut Findings| check_against(root, fix, &two, findings);
        let found = checked(&folder, check(false));
        let message = "is out of date: run `cargo xtask tidy --fix`";
        assert_eq!(found, [format!("README.md:6: {message}"), format!("crates/a/src/lib.rs:1: {message}")]);
        assert_eq!(checked(&folder, check(true)), [""; 0]);
        assert_eq!(checked(&folder, check(false)), [""; 0]);
        assert_eq!(read(&folder.path().join("README.md")).expect("a file"), RIGHT);
        assert_eq!(read(&folder.path().join("crates/a/src/lib.rs")).expect("a file"), lib);
    }

    #[test]
    fn unknown_tables_are_found_and_left_alone() {
        let text = RIGHT.replace("two:", "three:");
        let folder = tree(&[("README.md", &text)]);
        let found = checked(&folder, |root, findings| check_against(root, true, &two, findings));
        assert!(found[0].starts_with("README.md:3: no table is called three"), "{found:?}");
        assert_eq!(read(&folder.path().join("README.md")).expect("a file"), text);
    }

    #[test]
    fn counts_keep_their_manner() {
        let spell_number = |old: &str| [0, 7, 13, 20, 33, 100].map(|number| spell_number(number, old));
        assert_eq!(spell_number("ten"), ["no", "seven", "thirteen", "twenty", "thirty-three", "100"]);
        assert_eq!(spell_number("9"), ["0", "7", "13", "20", "33", "100"]);
        assert_eq!(spell_number("Ten")[4], "Thirty-three");
    }

    #[test]
    fn the_advice_on_algorithms_is_what_the_benchmark_found() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let page = read(&root.join("docs/pages/bandits/which.md")).expect("the page");
        let (mut faults, mut count) = (Vec::new(), 0);
        let fixed = rewrite(&page, &|name| table_named(&root, name), &mut faults, &mut count);
        assert!(fixed == page, "which.md is not what results/bench-1 says: run `cargo xtask tidy --fix`");
        assert!(faults.is_empty() && count >= 7, "{faults:?}");
    }

    #[test]
    fn every_table_has_rows() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for name in NAMES {
            assert!(table_named(&root, name).is_some_and(|table| table.rows.len() > 1), "{name}");
        }
        assert_eq!(table_named(&root, "none"), None);
    }
}
