//! Tables and counts in READMEs and crate documentation that the code itself knows.
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

use std::path::Path;

use anyhow::{Context, Result};
use output::numbers::significant;

use super::Findings;
use super::costs::Costs;
use super::source::{files, read};

const OPEN: &str = ": written by cargo xtask tidy --fix -->";
const END: &str = "<!-- end -->";
const COUNT: &str = "<!-- count ";

/// What the code and the published results know: a table by name.
type Known<'a> = &'a dyn Fn(&str) -> Option<Table>;

/// A table as lines of Markdown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Table {
    /// The header and the line below it.
    heading: String,
    rows: Vec<String>,
}

impl Table {
    /// A table of cells.
    pub(super) fn of(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |", cells.join(" | ")).replace("|  |", "| |")
        };
        let names: Vec<String> = header.iter().map(|&name| name.to_owned()).collect();
        Self {
            heading: format!("{}\n|{}", line(&names), "---|".repeat(header.len())),
            rows: rows.into_iter().map(|row| line(&row)).collect(),
        }
    }

    fn lines(&self) -> impl Iterator<Item = &str> {
        self.heading.lines().chain(self.rows.iter().map(String::as_str))
    }
}

pub(super) fn check(root: &Path, fix: bool, findings: &mut Findings) -> Result<()> {
    check_against(root, fix, &|name| known(root, name), findings)
}

fn check_against(root: &Path, fix: bool, known: Known<'_>, findings: &mut Findings) -> Result<()> {
    let mut count = 0;
    let mut all = files(root, "md")?;
    for folder in ["crates", "xtask"] {
        // This file shows the markers.
        let sources = files(&root.join(folder), "rs").unwrap_or_default();
        all.extend(sources.into_iter().filter(|path| !path.ends_with("xtask/src/tidy/tables.rs")));
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

/// The text with every table and count as the code knows it; what cannot be written is a fault of its line.
fn rewrite(text: &str, known: Known<'_>, faults: &mut Vec<(usize, String)>, count: &mut usize) -> String {
    let mut out = String::new();
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let prefix = &line[..line.find("<!--").unwrap_or(0)];
        let Some(name) = line[prefix.len()..].strip_suffix(OPEN).and_then(|open| open.strip_prefix("<!-- ")) else {
            out += &counted(line, index + 1, known, faults, count);
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
fn counted(
    line: &str,
    number: usize,
    known: Known<'_>,
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
            Some(table) => spelt(table.rows.len(), old),
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
fn spelt(number: usize, old: &str) -> String {
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
const NAMES: [&str; 17] = [
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
];

/// A table by name; `root` is the repository's top folder.
fn known(root: &Path, name: &str) -> Option<Table> {
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
        "users-who-change" => users_who_change(&root.join("results"))?,
        "claims" => claims(root, &["✓ held", "✗ did not hold"])?,
        "claims-held" => claims(root, &["✓ held"])?,
        "claims-not-held" => claims(root, &["✗ did not hold"])?,
        "claims-open" => claims(root, &["needs the real data", "not tested"])?,
        "cluster-matrices" => Costs::read(root)?.matrices(),
        "cluster-studies" => Costs::read(root)?.studies(),
        _ => return None,
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

/// When to prefer each bandit, beside its regret on the published navigational matrix and how it takes late answers.
fn when_to_prefer(results: &Path, first: impl Fn(&bandits::registry::Entry) -> String) -> Option<Table> {
    let text = std::fs::read_to_string(results.join("bandits-mslr/regret.csv")).ok()?;
    let measured = |algorithm: &str, steps: &str| {
        text.lines().find_map(|line| match line.split(',').collect::<Vec<_>>()[..] {
            ["navigational", name, at, _, mean, _, right, "10000000"] if (name, at) == (algorithm, steps) => {
                Some((significant(mean.parse().ok()?), 100.0 * right.parse::<f64>().ok()?))
            }
            _ => None,
        })
    };
    let row = |entry: &bandits::registry::Entry| {
        let spec: bandits::registry::Spec = entry.name.parse().ok()?;
        // A dash for those that are too slow among 136 arms.
        let cell = |steps| measured(&spec.canonical(), steps).map_or_else(|| "–".to_owned(), |(mean, _)| mean);
        let right =
            measured(&spec.canonical(), "10000000").map_or_else(|| "–".to_owned(), |(_, right)| format!("{right:.0}%"));
        let takes = if spec.late(16, 1_000).ok()?.is_native() { "itself" } else { "queues" };
        Some(vec![first(entry), entry.prefer.to_owned(), cell("100000"), cell("10000000"), right, takes.to_owned()])
    };
    let rows: Option<Vec<Vec<String>>> = bandits::registry::entries().iter().map(row).collect();
    Some(Table::of(&["name", "prefer it", "regret at 10^5", "at 10^7", "right", "late answers"], rows?))
}

/// The table of bandits with variants and papers; `first` makes the first cell.
fn algorithms(first: impl Fn(&bandits::registry::Entry) -> String) -> Table {
    let table = bandits::registry::table(first);
    let mut lines = table.lines().map(str::to_owned);
    let heading: Vec<String> = lines.by_ref().take(2).collect();
    Table { heading: heading.join("\n"), rows: lines.collect() }
}

/// Regret of the default run, and of the same rankers on the published matrix of the real data.
fn first_run(results: &Path) -> Option<Table> {
    let read = |folder: &str| -> Option<Vec<serde_json::Value>> {
        let text = std::fs::read_to_string(results.join(folder).join("summary.json")).ok()?;
        serde_json::from_str(&text).ok()
    };
    let (lookalike, real) = (read("first-run")?, read("first-run-real")?);
    let row = |(one, other): (&serde_json::Value, &serde_json::Value)| {
        let full = one["algorithm"].as_str()?;
        let same = other["algorithm"].as_str() == Some(full);
        let cells = |of: &serde_json::Value| -> Option<[String; 2]> {
            let [mean, error] = ["mean", "standard_error"].map(|key| of["regret"][key].as_f64());
            let share = of["share_recommending_best"].as_f64()?;
            Some([format!("{} ± {}", significant(mean?), significant(error?)), format!("{:.0}%", 100.0 * share)])
        };
        let name = format!("`{}`", full.split(':').next()?);
        same.then_some(())?;
        Some([vec![name], cells(one)?.to_vec(), cells(other)?.to_vec()].concat())
    };
    let rows: Option<Vec<Vec<String>>> = lookalike.iter().zip(&real).map(row).collect();
    let header = ["algorithm", "regret, look-alike", "right", "regret, real matrix", "right"];
    Some(Table::of(&header, rows?))
}

/// Regret of this project's algorithms on the fifteen utility problems, beside the least of all duel policies measured there.
fn utility_problems(results: &Path) -> Option<Table> {
    let text = std::fs::read_to_string(results.join("bandits-mslr/utility-problems.csv")).ok()?;
    let own = ["bradley-terry-pairs", "bradley-terry"];
    let row = |problem: &&str| {
        let measured = |line: &str| match line.split(',').collect::<Vec<_>>()[..] {
            [name, algorithm, "1000000", _, mean, error, right, _] if name == *problem => {
                let [mean, error, right] = [mean, error, right].map(|number| number.parse::<f64>().ok());
                Some((algorithm.to_owned(), mean?, error?, 100.0 * right?))
            }
            _ => None,
        };
        let all: Vec<(String, f64, f64, f64)> = text.lines().filter_map(measured).collect();
        let is_own = |algorithm: &str| own.iter().position(|name| algorithm.split(':').next() == Some(name));
        let best = |of: &dyn Fn(Option<usize>) -> bool| {
            all.iter().filter(|found| of(is_own(&found.0))).min_by(|a, b| a.1.total_cmp(&b.1))
        };
        let cell = |(_, mean, error, right): &(String, f64, f64, f64)| {
            format!("{} ± {}, {right:.0}%", significant(*mean), significant(*error))
        };
        let rival = best(&|place| place.is_none())?;
        let least = best(&|_| true)?.1;
        let ours = own.iter().enumerate().map(|(at, _)| best(&|place| place == Some(at)));
        let ours: Vec<_> = ours.collect::<Option<_>>()?;
        let mut cells = vec![format!("`{problem}`")];
        cells.extend(ours.iter().map(|found| cell(found)));
        // The size of its sets, 2, is part of no other name.
        let name = rival.0.replace(":m=2", "");
        cells.extend([format!("`{name}` {}", cell(rival)), format!("{:.2}", ours[0].1 / least)]);
        Some(cells)
    };
    let rows: Option<Vec<Vec<String>>> = bandits::problems::TABLE_1.iter().map(row).collect();
    let header = ["problem", "`bradley-terry-pairs`", "`bradley-terry`", "least of the others", "ratio to the least"];
    Some(Table::of(&header, rows?))
}

/// Regret at the end where users have changed, by the names that ask for each algorithm there.
fn users_who_change(results: &Path) -> Option<Table> {
    let text = std::fs::read_to_string(results.join("bandits-mslr/users-who-change.csv")).ok()?;
    let rows = text.lines().filter_map(|line| match line.split(',').collect::<Vec<_>>()[..] {
        [name, "1200000", _, mean, error, right] => {
            let [mean, error, right] = [mean, error, right].map(|number| number.parse::<f64>().ok());
            let mean = format!("{} ± {}", significant(mean?), significant(error?));
            Some(vec![format!("`{name}`"), mean, format!("{:.0}%", 100.0 * right?)])
        }
        _ => None,
    });
    Some(Table::of(&["algorithm", "regret", "right at the end"], rows))
}

/// The claims of papers whose outcome begins with one of `outcomes`, from the published table of results; own claims, beyond
/// the papers, are not among them.
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
        let spelt = |old: &str| [0, 7, 13, 20, 33, 100].map(|number| spelt(number, old));
        assert_eq!(spelt("ten"), ["no", "seven", "thirteen", "twenty", "thirty-three", "100"]);
        assert_eq!(spelt("9"), ["0", "7", "13", "20", "33", "100"]);
        assert_eq!(spelt("Ten")[4], "Thirty-three");
    }

    #[test]
    fn every_table_has_rows() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for name in NAMES {
            assert!(known(&root, name).is_some_and(|table| table.rows.len() > 1), "{name}");
        }
        assert_eq!(known(&root, "none"), None);
    }
}
