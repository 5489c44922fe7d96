//! `rankduel analyse` through the binary.

use std::fs;
use std::path::Path;

use crate::common::{files, real_data, sim, text};
use serde_json::Value;
use tempfile::TempDir;

fn analyse(folder: &Path, arguments: &[&str]) -> std::process::Output {
    sim(folder).arg("analyse").args(arguments).output().expect("sim starts")
}

/// Twelve arms, each 0.02 better than the next, except for a cycle of 3, 4 and 5. `names` is the order of the arms in
/// the matrix.
fn matrix(names: &[usize]) -> String {
    let p = |i: usize, j: usize| match (i, j) {
        (3, 5) => 0.46,
        (5, 3) => 0.54,
        _ => 0.5 + 0.02 * (j as f64 - i as f64),
    };
    let row = |&i: &usize| names.iter().map(|&j| format!("{:.2}", p(i, j))).collect::<Vec<_>>().join(" ");
    names.iter().map(|i| row(i) + "\n").collect()
}

fn folder_with_matrices() -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a writable folder");
    write("P.txt", &matrix(&(0..12).collect::<Vec<_>>()));
    write("alphabetical.txt", &matrix(&[0, 1, 10, 11, 2, 3, 4, 5, 6, 7, 8, 9]));
    write("two.txt", "0.5 0.6\n0.4 0.5\n");
    write("cycle.txt", "0.5 0.6 0.4\n0.4 0.5 0.7\n0.6 0.3 0.5\n");
    folder
}

#[test]
fn analyse_writes_all_files_and_prints_the_main_findings() {
    let folder = folder_with_matrices();
    let path = folder.path();
    let run = analyse(path, &["--matrix", "P.txt", "--comparisons", "1e6", "--out", "a", "--samples", "1e4"]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let table = text(&run.stdout);
    for line in [
        "Condorcet winner        arm 0\n",
        "von Neumann winner      arm 0 with weight 1\n",
        "cyclic triples          1 of 220 (0.45%)\n",
        "  significant           1, from 1,000,000 comparisons per pair\n",
        "random arms  P(Condorcet winner)   P(total order)\n",
    ] {
        assert!(table.contains(line), "no `{line}` in:\n{table}");
    }
    let names: Vec<String> = files(&path.join("a")).into_iter().map(|(name, _)| name).collect();
    let expected = [
        "bounds.csv",
        "bounds.png",
        "bounds.svg",
        "config.json",
        "cycles.csv",
        "findings.json",
        "matrix.png",
        "matrix.svg",
        "ranking.csv",
        "subsets.csv",
        "subsets.png",
        "subsets.svg",
    ];
    assert_eq!(names, expected);
    let cycles = fs::read_to_string(path.join("a/cycles.csv")).expect("cycles.csv is text");
    let cycles: Vec<&str> = cycles.lines().skip(1).collect();
    assert!(cycles.len() == 1 && cycles[0].starts_with("3,4,5,0.02") && cycles[0].ends_with(",true"), "{cycles:?}");
}

#[test]
fn the_same_seed_writes_the_same_bytes_and_alphabetical_order_is_undone() {
    let folder = folder_with_matrices();
    let path = folder.path();
    for (out, more) in [("a", &["--threads", "1"][..]), ("b", &["--threads", "2"]), ("c", &["--seed", "2"])] {
        let run = analyse(path, &[&["--matrix", "P.txt", "--out", out, "--quiet"], more].concat());
        assert!(run.status.success() && run.stderr.is_empty(), "{}", text(&run.stderr));
    }
    assert_eq!(files(&path.join("a")), files(&path.join("b")));
    assert_ne!(files(&path.join("a")), files(&path.join("c")));

    let json = |arguments: &[&str]| -> Value {
        let run = analyse(path, &[arguments, &["--json", "--quiet", "--out", "d", "--replace"]].concat());
        assert!(run.status.success(), "{}", text(&run.stderr));
        serde_json::from_slice(&run.stdout).expect("JSON alone on standard output")
    };
    let mut plain = json(&["--matrix", "P.txt"]);
    let mut undone = json(&["--matrix", "alphabetical.txt", "--lexicographic"]);
    plain["name"] = Value::Null;
    undone["name"] = Value::Null;
    assert_eq!(plain, undone);

    let against = ["--matrix", "P.txt", "--against", "alphabetical.txt"];
    let mixed = json(&against)["agreement"]["correlation"].as_f64().expect("a number");
    let same = json(&[&against[..], &["--against-lexicographic"]].concat());
    assert!(mixed < 0.9 && same["agreement"]["correlation"].as_f64().expect("a number") > 1.0 - 1e-12);
    assert_eq!(same["agreement"]["signs"][0]["share"], 1.0);
}

#[test]
fn bounds_say_when_they_are_asymptotic_or_vacuous() {
    let folder = folder_with_matrices();
    let path = folder.path();
    let run = analyse(path, &["--matrix", "P.txt", "--samples", "0", "--out", "a"]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let table = text(&run.stdout);
    assert!(table.contains("if every duel includes the winner (asymptotic)\n"), "{table}");
    // The bounds in the table agree with the findings: of a largest gap of 0.22, no policy can lose more than 2.2e6 by T = 1e7.
    let findings: Value =
        serde_json::from_slice(&fs::read(path.join("a/findings.json")).expect("findings")).expect("JSON");
    let bounds = findings["upper_bounds"].as_array().expect("bounds");
    for bound in bounds {
        let name = bound["name"].as_str().expect("a name");
        let line = table.lines().find(|line| line.contains(&format!("{name}: "))).expect("a line");
        let points = bound["regret"].as_array().expect("points");
        let seventh =
            points.iter().find(|point| point[0] == 1e7).expect("T = 1e7")[1].as_f64().unwrap_or(f64::INFINITY);
        assert_eq!(line.contains("vacuous"), seventh > 0.22 * 1e7, "{line}");
        let until = bound["vacuous_until"].as_f64().expect("these matrices have a winner");
        assert_eq!(line.contains("vacuous"), until > 1e7, "{line}");
    }
    assert!(bounds.len() == 4 && table.contains("vacuous until T = "), "{table}");
    let figure = fs::read_to_string(path.join("a/bounds.svg")).expect("a figure");
    assert!(figure.contains("lower bound (asymptotic)"));
    // One arm is hardly better than another: theory gives no bound in the range of the figure.
    fs::write(path.join("close.txt"), "0.5 0.5001\n0.4999 0.5\n").expect("a writable folder");
    let run = analyse(path, &["--matrix", "close.txt", "--samples", "0", "--out", "b"]);
    assert!(text(&run.stdout).contains("vacuous until T = "), "{}", text(&run.stdout));
    let figure = fs::read_to_string(path.join("b/bounds.svg")).expect("a figure");
    assert!(figure.contains("(vacuous)") && figure.contains("above what any policy can lose"));
}

#[test]
fn without_a_condorcet_winner_the_findings_say_none() {
    let folder = folder_with_matrices();
    let run = analyse(folder.path(), &["--matrix", "cycle.txt", "--samples", "0"]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let table = text(&run.stdout);
    for line in [
        "Condorcet winner        none\n",
        "von Neumann winner      arm 0 0.5000, arm 1 0.2500, arm 2 0.2500\n",
        "top cycle: arms 0, 1, 2\n",
        "regret, upper bounds    none: the bound needs a Condorcet winner",
    ] {
        assert!(table.contains(line), "no `{line}` in:\n{table}");
    }
    assert!(table.contains("P(total order): exact up to 3 arms") && !table.contains("sample"), "{table}");
    let results = std::fs::read_dir(folder.path().join("results")).expect("results").next().expect("one folder");
    let results = results.expect("a readable folder").path();
    assert!(results.file_name().is_some_and(|name| name.to_string_lossy().starts_with("analyse-cycle.txt-")));
    assert!(results.join("matrix.png").exists());
}

#[test]
fn chosen_arms_are_shown_with_both_numbers() {
    let folder = folder_with_matrices();
    let path = folder.path();
    let run = analyse(path, &["--matrix", "P.txt", "--arms", "3,4,5,7", "--against", "P.txt", "--out", "a"]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let table = text(&run.stdout);
    for line in [
        "top cycle: arms 3, 4, 5 (0, 1, 2 of those chosen)\n",
        "Condorcet winner        none\n",
        "chosen, in this order: arms 3, 4, 5, 7",
    ] {
        assert!(table.contains(line), "no `{line}` in:\n{table}");
    }
    let lines = |name: &str| -> Vec<String> {
        let file = fs::read_to_string(path.join("a").join(name)).expect("it is text");
        file.lines().map(str::to_owned).collect()
    };
    let cycles = lines("cycles.csv");
    assert!(cycles[0].starts_with("first,second,third,first_in_matrix,second_in_matrix,third_in_matrix,"));
    assert!(cycles[1].starts_with("0,1,2,3,4,5,0.02"), "{cycles:?}");
    // Ranks start at 1.
    let ranking = lines("ranking.csv");
    assert_eq!(ranking[0], "rank,arm,arm_in_matrix,copeland,borda,von_neumann");
    assert!(ranking[1].starts_with("1,0,3,") && ranking[4].starts_with("4,3,7,"), "{ranking:?}");
    let difference = lines("difference.csv");
    assert!(difference[0].starts_with("rank,arm,arm_in_matrix,borda,borda_against"), "{difference:?}");
    assert!(difference[4].starts_with("4,3,7,"), "{difference:?}");
    let findings: Value =
        serde_json::from_slice(&fs::read(path.join("a/findings.json")).expect("findings")).expect("JSON");
    assert_eq!(findings["arms_in_matrix"], serde_json::json!([3, 4, 5, 7]));

    // A winner among chosen arms, and arms that are all equal.
    let one = analyse(path, &["--matrix", "P.txt", "--arms", "7,9,11", "--out", "b"]);
    assert!(text(&one.stdout).contains("Condorcet winner        arm 7 (0 of those chosen)\n"), "{}", text(&one.stdout));
    fs::write(path.join("even.txt"), "0.5 0.5\n0.5 0.5\n").expect("a writable folder");
    let even = text(&analyse(path, &["--matrix", "even.txt", "--out", "c"]).stdout);
    assert!(even.contains("Condorcet winner        none: all arms are equal\n"), "{even}");
    // The preference of arms that never met is unknown.
    fs::write(path.join("apart.txt"), "0 5 0\n5 0 0\n0 0 0\n").expect("a writable folder");
    let apart = text(&analyse(path, &["--matrix", "apart.txt", "--out", "d"]).stdout);
    assert!(apart.contains("Condorcet winner        none: no two arms are known to differ\n"), "{apart}");
}

#[test]
fn failures_are_one_line_with_a_remedy() {
    let folder = folder_with_matrices();
    for (arguments, code, word) in [
        (&["--matrix", "none.txt"][..], 1, "none.txt"),
        (&["--matrix", "P.txt", "--against", "two.txt"], 2, "--against has 2 arms"),
    ] {
        let run = analyse(folder.path(), arguments);
        let error = text(&run.stderr);
        assert_eq!(run.status.code(), Some(code), "{error}");
        assert!(
            error.starts_with("error: ") && error.contains(word) && error.trim_end().lines().count() == 1,
            "{error}"
        );
    }
    for arguments in [
        &[][..],
        &["--matrix", "P.txt", "--comparisons", "0"],
        &["--matrix", "P.txt", "--confidence", "1.5"],
        &["--matrix", "P.txt", "--against-lexicographic"],
    ] {
        assert_eq!(analyse(folder.path(), arguments).status.code(), Some(2), "{arguments:?}");
    }
    // A theorem that does not apply is not a failure.
    let run = analyse(folder.path(), &["--matrix", "P.txt", "--alpha", "0.6"]);
    assert!(
        run.status.success() && text(&run.stdout).contains("RUCB, expected: none: alpha: "),
        "{}",
        text(&run.stdout)
    );
}

#[test]
#[ignore = "needs ../shared/data"]
fn an_independent_estimate_of_mslr_agrees() {
    let data = real_data("prefmat-mslr");
    let file = |name: &str| data.join(name).to_string_lossy().into_owned();
    let (matrix, other) = (file("MSLR-Perfect.txt"), file("wolfenfeld_PMat_lexicographic_arms.npy"));
    let folder = TempDir::new().expect("a temporary folder");
    let run = analyse(
        folder.path(),
        &["--matrix", &matrix, "--against", &other, "--against-lexicographic", "--comparisons", "414720"],
    );
    let table = text(&run.stdout);
    for line in [
        "Condorcet winner        arm 109\n",
        "cyclic triples          447 of 410,040 (0.11%)\n",
        "gamma                   3.465",
        "P(Condorcet winner)     lowest 0.8903, of 100 random arms\n",
        "regret, lower bound     461.6 ln T; 512.0 ln T if every duel includes the winner (asymptotic)\n",
        "correlation 0.99988",
    ] {
        assert!(table.contains(line), "no `{line}` in:\n{table}");
    }
}

/// Pairs that never met are counted before any winner, in text, JSON and figure; so they are where bandits play.
#[test]
fn pairs_that_never_met_come_before_winners() {
    let folder = TempDir::new().expect("a temporary folder");
    let path = folder.path();
    fs::write(path.join("wins.csv"), ",a,b,c,d\na,,6,,4\nb,4,,,3\nc,,,,9\nd,2,1,3,\n").expect("a writable folder");
    let run = analyse(path, &["--matrix", "wins.csv", "--samples", "0", "--out", "a"]);
    let table = text(&run.stdout);
    let place = |part: &str| table.find(part).unwrap_or_else(|| panic!("no `{part}` in:\n{table}"));
    assert!(
        place("never compared          2 of 6 pairs were never compared and count as 1/2") < place("Condorcet winner")
    );
    assert!(text(&run.stderr).contains("note: wins.csv holds win counts of 32 comparisons, 4 to 12 per pair compared"));
    let findings = fs::read_to_string(path.join("a/findings.json")).expect("a file");
    assert!(findings.find("never_compared").expect("in JSON") < findings.find("winners").expect("winners"));
    let json: Value = serde_json::from_str(&findings).expect("JSON");
    assert_eq!((&json["never_compared"]["pairs"], &json["never_compared"]["of"]), (&2.into(), &6.into()));
    let svg = fs::read_to_string(path.join("a/matrix.svg")).expect("a file");
    assert!(svg.contains("hatched: 2 of 6 pairs were never compared"), "the figure says it");
    // With some arms, only their pairs count; all of these met.
    let some = analyse(path, &["--matrix", "wins.csv", "--arms", "a,b,d", "--samples", "0", "--out", "b"]);
    assert!(!text(&some.stdout).contains("never compared") && some.status.success(), "{}", text(&some.stdout));
    let two = analyse(path, &["--matrix", "wins.csv", "--arms", "c,a", "--samples", "0", "--out", "c"]);
    assert!(text(&two.stdout).contains("1 of 1 pairs was never compared"), "{}", text(&two.stdout));
    let bandit =
        ["bandit", "--matrix", "wins.csv", "--algorithms", "random", "--steps", "100", "--runs", "1", "--out", "d"];
    let played = text(&sim(path).args(bandit).output().expect("sim starts").stdout);
    assert!(played.starts_with("2 of 6 pairs were never compared and count as 1/2; "), "{played}");
    // Probabilities do not determine comparisons.
    fs::write(path.join("P.txt"), "0.5 0.5\n0.5 0.5\n").expect("a writable folder");
    let plain = analyse(path, &["--matrix", "P.txt", "--samples", "0", "--out", "e"]);
    assert!(!text(&plain.stdout).contains("never compared"), "{}", text(&plain.stdout));
}
