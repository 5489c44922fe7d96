//! The tables of algorithms on the crate's front page and in the documentation are those of the registry.

use bandits::registry::{Spec, entries, table};

const BEGIN: &str = ": written by cargo xtask tidy --fix -->";
const END: &str = "<!-- end -->";

/// The first row of the table between the markers of a document that is not as expected.
fn first_difference(document: &str, expected: &str) -> Option<(String, String)> {
    let start = document.find(BEGIN).expect("the first marker") + BEGIN.len();
    let length = document[start..].find(END).expect("the last marker");
    let lines = document[start..start + length].lines().map(|line| line.trim_start_matches("//!").trim());
    let rows: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    let expected: Vec<&str> = expected.lines().collect();
    let places = 0..rows.len().max(expected.len());
    let at = |rows: &[&str], place: usize| (*rows.get(place).unwrap_or(&"no row")).to_owned();
    let mut pairs = places.map(|place| (at(&rows, place), at(&expected, place)));
    pairs.find(|(row, expected)| row != expected)
}

#[test]
fn tables_are_those_of_the_registry() {
    let page = table(|entry| format!("`{}`", entry.name));
    assert_eq!(
        first_difference(include_str!("../../../../docs/pages/bandits/algorithms.md"), &page),
        None,
        "run `cargo xtask tidy --fix`"
    );
    let front_page = table(|entry| format!("[`{}`]({})", entry.name, entry.module));
    assert_eq!(first_difference(include_str!("../../src/lib.rs"), &front_page), None, "run `cargo xtask tidy --fix`");
}

/// Mean regret on the published navigational matrix and the share of runs that are right, by steps; `None` if it was not
/// measured.
fn if_measured(name: &str, steps: u64) -> Option<(f64, f64)> {
    let name = name.parse::<Spec>().expect("an algorithm").canonical();
    let text = include_str!("../../../../results/bandits-mslr/regret.csv");
    let begins = format!("navigational,{name},{steps},");
    let line = text.lines().find_map(|line| line.strip_prefix(&begins))?;
    let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().expect("a number")).collect();
    Some((cells[1], cells[3]))
}

fn measured(name: &str, steps: u64) -> (f64, f64) {
    if_measured(name, steps).unwrap_or_else(|| panic!("{name} was not measured"))
}

/// The phrases of `registry/prefer.rs` on MSLR's 136 rankers agree with the measurements.
#[test]
fn preferences_are_as_measured() {
    const LONG: u64 = 10_000_000;
    let regret = |name, steps| measured(name, steps).0;
    let all = entries();
    let duels = |name: &str| !["mdb", "random-set"].contains(&name);
    for entry in &all {
        assert!(!entry.prefer.is_empty() && !entry.prefer.ends_with('.'), "{}", entry.name);
    }
    let known: Vec<_> = all.iter().filter(|entry| if_measured(entry.name, LONG).is_some()).collect();
    // A step of `ecw-rmed` and `discounted-dts` takes a tenth of a millisecond or more among 136 arms.
    assert!(known.len() >= 48, "{} algorithms were measured", known.len());
    for entry in known {
        for steps in [1_000_000, LONG].into_iter().filter(|_| entry.name != "mdb") {
            assert!(regret("mdb", steps) < regret(entry.name, steps), "mdb, {}", entry.name);
        }
        if !["mdb", "bradley-terry", "bradley-terry-pairs", "self-sparring", "versatile-db"].contains(&entry.name) {
            assert!(regret("versatile-db", LONG) < regret(entry.name, LONG), "{}", entry.name);
        }
        if duels(entry.name) && entry.name != "bradley-terry" {
            for steps in [1_000_000, LONG] {
                assert!(regret("bradley-terry", steps) < regret(entry.name, steps), "{}", entry.name);
            }
            if !["bradley-terry-pairs", "self-sparring"].contains(&entry.name) {
                assert!(regret("self-sparring", LONG) < regret(entry.name, LONG), "{}", entry.name);
            }
        }
        for steps in
            [100_000, 1_000_000].into_iter().filter(|_| duels(entry.name) && entry.name != "winner-stays-strong")
        {
            if ["bradley-terry", "bradley-terry-pairs"].contains(&entry.name) && steps == 1_000_000 {
                continue;
            }
            assert!(regret("winner-stays-strong", steps) < regret(entry.name, steps), "{}", entry.name);
        }
    }
    // Algorithms that forget never stop exploring.
    for (name, rule) in [("sliding-rucb", "rucb"), ("discounted-rucb", "rucb"), ("sliding-dts", "dts")] {
        assert!(regret(name, LONG) > 3.0 * regret(rule, LONG), "{name}");
    }
    let merging = ["mergerucb", "mergerucb-squared", "mergerucb-parallel", "mergedts"];
    assert!(merging.iter().all(|name| regret("mergedts:alpha=0.262144:p=16:c=4e5", LONG) < regret(name, LONG) / 5.0));
    let less = [
        ("mergedts", "mergerucb"),
        ("mergerucb", "mergerucb-squared"),
        ("rucb", "if1"),
        ("rucb", "savage"),
        ("if2", "if1"),
        ("rex3", "sparring-exp3"),
        ("rmed1", "rmed2"),
        ("rmed1", "rmed2fh"),
        ("self-sparring", "sparring-ts"),
    ];
    for (one, other) in less {
        assert!(regret(one, LONG) < regret(other, LONG), "{one}, {other}");
    }
    let alike = [("dts", "dts-plus"), ("rucb", "ccb"), ("mergerucb", "mergerucb-parallel"), ("rmed2", "rmed2fh")];
    for (one, other) in alike {
        assert!((regret(one, LONG) / regret(other, LONG) - 1.0).abs() < 0.1, "{one}, {other}");
    }
    for (one, other) in [("rmed1", "rucb"), ("sliding-dts", "sliding-rucb")] {
        assert!((0.15..0.25).contains(&(regret(one, LONG) / regret(other, LONG))), "{one}, {other}");
    }
    assert!(regret("scb", LONG) > regret("random", LONG) && regret("multisbm", LONG) < 0.7 * regret("random", LONG));
    let right = |name| measured(name, LONG).1;
    assert!(right("if2") <= 0.5 && right("rts") < 0.5 && right("if1") < right("rucb"));
    assert!((0.6..0.8).contains(&right("winner-stays-strong")));
}

/// How soon algorithms with a stated probability settle, and how often on the winner, are as measured.
#[test]
fn identification_is_as_measured() {
    let measured = include_str!("../../../../results/bandits-mslr/identification.csv");
    let cells = |clicks: &str, name: &str| {
        let begins = format!("{clicks},{name},100,");
        let line = measured.lines().find_map(|line| line.strip_prefix(&begins)).expect(name);
        let (steps, right) = line.split_once(',').expect("two numbers");
        [steps.to_owned(), format!("{:.0}%", 100.0 * right.parse::<f64>().expect("a share"))]
    };
    let page = include_str!("../../../../docs/pages/bandits/identification.md");
    let (_, table) = page.split_once("| algorithm | promises, with probability .95 |").expect("the table");
    let mut names = 0;
    for row in table.lines().skip(2).take_while(|line| line.starts_with("| `")) {
        let row: Vec<String> =
            row.split(" | ").map(|cell| cell.trim_matches(['|', ' ', '`']).replace(',', "")).collect();
        let [name, _, found @ ..] = &row[..] else { panic!("{row:?}") };
        assert_eq!(found, [cells("navigational", name), cells("perfect", name)].concat(), "{name}");
        names += 1;
    }
    assert_eq!(2 * names, measured.lines().count() - 1);
}

/// The documentation says how long the example of a registered algorithm is.
#[test]
fn the_example_is_as_long_as_is_said() {
    let source = include_str!("../../src/policies/explore_first.rs");
    let is_code = |line: &&str| !line.is_empty() && !line.starts_with("//!");
    let all = source.lines().filter(is_code).count();
    let from_config = || source.lines().skip_while(|line| *line != "config! {");
    let end = from_config().position(|line| line == "}").expect("its end");
    let configuration = from_config().take(end + 1).filter(is_code).count();
    let page = include_str!("../../src/policies/mod.rs").replace("\n//!    ", " ");
    let said = format!("Of its {all} lines of code, {configuration} are the configuration");
    assert!(page.contains(&said), "{said}");
    let said = format!("{all} lines of code, {configuration} of them the configuration");
    assert!(include_str!("../../../../ARCHITECTURE.md").contains(&said), "{said}");
}
