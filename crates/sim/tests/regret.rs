//! `--regret`: the measure of each kind, and the message where a kind measures nothing.

use std::fs;
use std::path::Path;

use crate::common::{TINY, files, sim, text};
use serde_json::Value;
use tempfile::TempDir;

/// Three arms in a cycle of equal margins: nothing distinguishes them.
const EVEN: &str = "0.5 0.6 0.4\n0.4 0.5 0.6\n0.6 0.4 0.5\n";
/// A cycle of different margins: each arm beats one other, but they differ in Borda score.
const UNEVEN: &str = "0.5 0.6 0.2\n0.4 0.5 0.7\n0.8 0.3 0.5\n";
/// A cycle of three arms; all of them beat a fourth arm with probability 0.8.
const WITH_LOSER: &str = "0.5 0.7 0.3 0.8\n0.3 0.5 0.7 0.8\n0.7 0.3 0.5 0.8\n0.2 0.2 0.2 0.5\n";
/// Arm 0 beats all others.
const ORDER: &str = "0.5 0.6 0.7\n0.4 0.5 0.6\n0.3 0.4 0.5\n";

fn folder_with_matrices() -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    for (name, matrix) in [("even", EVEN), ("uneven", UNEVEN), ("loser", WITH_LOSER), ("order", ORDER)] {
        fs::write(folder.path().join(format!("{name}.txt")), matrix).expect("a writable folder");
    }
    folder
}

/// The output of a successful command.
fn said(folder: &Path, args: &[&str]) -> String {
    let run = sim(folder).args(args).arg("--quiet").output().expect("sim starts");
    assert!(run.status.success(), "{args:?}: {}", text(&run.stderr));
    text(&run.stdout)
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON")
}

/// The column `name` of a table, without quotes.
fn column(path: &Path, name: &str) -> Vec<String> {
    let table = fs::read_to_string(path).expect("a table");
    let mut lines = table.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let at = lines.next().and_then(|header| header.iter().position(|cell| cell == name)).expect(name);
    lines.map(|cells| cells[at].clone()).collect()
}

#[test]
fn a_regret_that_measures_nothing_claims_nothing() {
    let folder = folder_with_matrices();
    let here = folder.path();
    let play = ["bandit", "--steps", "1e3", "--runs", "2", "--algorithms", "random,rucb", "--matrix"];
    for (matrix, flags, hint) in [
        ("even.txt", &[][..], "by no other --regret do these arms differ"),
        ("even.txt", &["--regret", "borda"], "by no other --regret do these arms differ"),
        ("uneven.txt", &[], "--regret borda distinguishes these arms"),
        ("uneven.txt", &["--regret", "von-neumann"], "--regret borda distinguishes these arms"),
    ] {
        let out = ["--out", "r"];
        let printed = said(here, &[&play[..], &[matrix], flags, &out].concat());
        let all = "no Condorcet winner; all 3 arms are optimal by";
        assert!(printed.contains(all) && printed.contains("no recommendation is wrong"), "{printed}");
        assert!(
            printed.contains(hint) && printed.contains("it is 0 whatever is played and measures nothing"),
            "{printed}"
        );
        assert!(!printed.contains('%'), "a share of correct runs is claimed:\n{printed}");
        let summary = json(&here.join("r/summary.json"));
        for entry in summary.as_array().expect("a list") {
            assert_eq!(
                (&entry["every_arm_is_optimal"], &entry["share_recommending_best"]),
                (&true.into(), &Value::Null)
            );
        }
        let figure = fs::read_to_string(here.join("r/regret.svg")).expect("text");
        assert!(figure.contains("measures nothing"), "the figure says so");
        assert!(column(&here.join("r/curves.csv"), "share_recommending_best").iter().all(String::is_empty));
        assert!(column(&here.join("r/runs.csv"), "recommended_is_best").iter().all(String::is_empty));

        let explore = ["--setting", "explore-then-exploit", "--out", "e"];
        let printed = said(here, &[&play[..], &[matrix], flags, &explore].concat());
        assert!(printed.contains("measures nothing") && !printed.contains('%'), "{printed}");
        assert_eq!(json(&here.join("e/summary.json"))[0]["accuracy"], Value::Null);
        assert!(column(&here.join("e/horizons.csv"), "accuracy").iter().all(String::is_empty));
        for made in ["r", "e"] {
            fs::remove_dir_all(here.join(made)).expect("a folder");
        }
    }
    // Borda scores differ: there is a best arm, and a share of correct runs.
    let printed = said(here, &[&play[..], &["uneven.txt", "--regret", "borda", "--out", "r"]].concat());
    assert!(printed.contains('%') && !printed.contains("measures nothing"), "{printed}");
    assert_eq!(json(&here.join("r/config.json"))["environment"]["winners"], serde_json::json!([1, 2]));
}

#[test]
fn each_kind_has_its_own_costs_and_none_changes_a_choice() {
    let folder = folder_with_matrices();
    let here = folder.path();
    let play = |matrix: &str, kind: &str| {
        let out = format!("{matrix}-{kind}");
        let file = format!("{matrix}.txt");
        let args = ["bandit", "--matrix", &file, "--regret", kind, "--steps", "2e4", "--runs", "3", "--out", &out];
        let printed = said(here, &[&args[..], &["--algorithms", "random,rucb"]].concat());
        let (config, summary) =
            (json(&here.join(&out).join("config.json")), json(&here.join(&out).join("summary.json")));
        assert_eq!((&config["regret"], &summary[0]["regret_kind"]), (&kind.into(), &kind.into()));
        assert_eq!(config["regret"], summary[1]["regret_kind"]);
        let figure = fs::read_to_string(here.join(&out).join("regret.svg")).expect("text");
        let label = match kind {
            "copeland" => "Copeland score lost",
            "borda" => "Borda score lost",
            "von-neumann" => "P(von Neumann winner beats those played)",
            "weak" => "weak: P(best arm beats the strongest of those played)",
            "strong" => "strong: P(best arm beats the weakest of those played)",
            _ => "P(best arm beats those played)",
        };
        assert!(printed.contains(label), "{printed}");
        assert!(figure.contains(&label[..10]), "{kind}: the label of the axis");
        // Per step of `random`, which draws its arms uniformly.
        let mean = summary[0]["regret"]["mean"].as_f64().expect("a number") / 2e4;
        (mean, column(&here.join(&out).join("runs.csv"), "recommended_arm"))
    };
    let close = |found: f64, expected: f64| assert!((found - expected).abs() < 0.03 * expected, "{found}, {expected}");

    // Arm 3 loses 2/3 in Copeland score, .3 to the von Neumann winner, and (.6 - .2) in Borda score.
    let (copeland, choices) = play("loser", "copeland");
    close(copeland, (2.0 / 3.0) / 4.0);
    let (von_neumann, same) = play("loser", "von-neumann");
    close(von_neumann, 0.3 / 4.0);
    assert_eq!(same, choices);
    let (borda, same) = play("loser", "borda");
    close(borda, 0.4 / 4.0);
    assert_eq!(same, choices);

    // Gaps 0, .1 and .2; a pair of different arms has a mean, a smallest and a largest.
    let (condorcet, choices) = play("order", "condorcet");
    close(condorcet, 0.1);
    for kind in ["weak", "strong"] {
        let (mean, same) = play("order", kind);
        assert_eq!(same, choices);
        assert!(if kind == "weak" { mean < 0.9 * condorcet } else { mean > 1.1 * condorcet }, "{kind}: {mean}");
        let usual = column(&here.join("order-condorcet/curves.csv"), &format!("mean_{kind}_regret"));
        assert_eq!(column(&here.join(format!("order-{kind}/curves.csv")), "mean_regret"), usual);
    }
    // The default is the Condorcet winner, and the same bytes.
    let args = ["bandit", "--matrix", "order.txt", "--steps", "2e4", "--runs", "3", "--algorithms", "random,rucb"];
    said(here, &[&args[..], &["--out", "usual"]].concat());
    assert_eq!(files(&here.join("usual")), files(&here.join("order-condorcet")));
}

#[test]
fn problems_of_utilities_have_every_kind() {
    let folder = TempDir::new().expect("a temporary folder");
    let mean = |kind: &str| {
        let args = ["bandit", "--problem", "1good5poor", "--regret", kind, "--steps", "1e4", "--runs", "2", "--json"];
        let printed = said(folder.path(), &[&args[..], &["--algorithms", "random"]].concat());
        let summary: Value = serde_json::from_str(&printed).expect("JSON");
        assert_eq!(summary[0]["regret_kind"], kind);
        summary[0]["regret"]["mean"].as_f64().expect("a number")
    };
    assert_eq!(mean("condorcet"), mean("von-neumann"));
    // Five arms of six lose 3 of 5 places: the good arm beats all five, each of the others ties with four.
    assert!((mean("copeland") / 1e4 - 0.6 * 5.0 / 6.0).abs() < 0.02, "{}", mean("copeland"));
    // Their Borda score lacks the whole gap against the good arm, and a fifth more: the good arm wins it five times.
    let borda = mean("borda") / mean("condorcet");
    assert!((borda - 1.2).abs() < 0.02, "{borda}");
}

#[test]
fn live_runs_measure_what_the_best_rankers_row_shows() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let site = ["--dataset", TINY, "--rankers", "6", "--steps", "2e3", "--runs", "2", "--algorithms", "random,rucb"];
    let play = |kind: &str| {
        let flags = ["--regret", kind, "--out", kind, "--cache", "cache"];
        said(here, &[&site[..], &flags].concat());
        column(&here.join(kind).join("curves.csv"), "mean_regret")
    };
    // nDCG needs no comparison of rankers, and keeps none.
    play("ndcg");
    assert!(!here.join("cache").exists(), "no truth was estimated");
    assert_eq!(json(&here.join("ndcg/config.json"))["truth"]["comparisons"], 0);
    let usual = said(here, &[&site[..], &["--out", "usual", "--cache", "cache"]].concat());
    assert!(usual.contains("Condorcet winner"), "{usual}");
    assert_eq!(play("condorcet"), column(&here.join("usual/curves.csv"), "mean_regret"));
    assert_eq!(files(&here.join("condorcet")), files(&here.join("usual")));
    for kind in ["weak", "strong"] {
        let usual = column(&here.join("usual/curves.csv"), &format!("mean_{kind}_regret"));
        assert_eq!(play(kind), usual);
        let choices = |out: &str| column(&here.join(out).join("runs.csv"), "recommended_arm");
        assert_eq!(choices(kind), choices("usual"));
    }
}

#[test]
fn a_kind_that_cannot_be_measured_is_refused_in_one_line() {
    let folder = folder_with_matrices();
    for (args, part) in [
        (&["--dataset", TINY, "--regret", "borda"][..], "--regret borda needs the preferences of all pairs"),
        (
            &["compare", "--dataset", TINY, "--regret", "copeland"],
            "--regret copeland needs the preferences of all pairs",
        ),
        (&["bandit", "--matrix", "order.txt", "--regret", "ndcg"], "--regret ndcg needs documents with labels"),
        (&["bandit", "--problem", "arith51", "--regret", "ndcg"], "--regret ndcg needs documents with labels"),
        (&["bandit", "--matrix", "loser.txt", "--regret", "weak"], "--regret weak: the matrix has no Condorcet winner"),
        (&["bandit", "--matrix", "loser.txt", "--regret", "condorcet"], "choose copeland (the default then), borda"),
        (
            &["bandit", "--problem", "normal:k=30000", "--algorithms", "mergerucb", "--regret", "borda"],
            "all pairs of 30,000 different arms",
        ),
        (&["--regret", "copland"], "'copeland'"),
        (
            &["--dataset", TINY, "--rankers", "4", "--click", "0:0,1:0,2:0,3:0,4:0", "--regret", "condorcet"],
            "there is no Condorcet winner among these rankers; choose ndcg",
        ),
    ] {
        let run = sim(folder.path()).args(args).arg("--quiet").output().expect("sim starts");
        let error = text(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(part) && error.trim_end().lines().count() == 1, "{args:?}: {error}");
    }
}

#[test]
fn experiments_take_the_same_kinds() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let file = |kind: &str| {
        format!(
            "title = \"t\"\npaper = \"rcs\"\nfigure = \"Figure 0\"\nkind = \"regret\"\nalgorithms = [\"random\"]\n\
             steps = \"1e4\"\nruns = 2\n[[setting]]\nname = \"s\"\nplay = \"problem\"\nregret = \"{kind}\"\n\
             preferences = [[0.5, 0.7, 0.3, 0.8], [0.3, 0.5, 0.7, 0.8], [0.7, 0.3, 0.5, 0.8], [0.2, 0.2, 0.2, 0.5]]\n"
        )
    };
    let play = |kind: &str| {
        fs::write(here.join("e.toml"), file(kind)).expect("a file");
        let run = sim(here).args(["experiment", "e.toml", "--quiet"]).output().expect("sim starts");
        (run.status.code(), text(&run.stderr))
    };
    for (kind, gap) in [("borda", 0.4), ("von-neumann", 0.3), ("copeland", 2.0 / 3.0)] {
        assert_eq!(play(kind).0, Some(0), "{kind}");
        let table = here.join("results/e/curves.csv");
        let mut regrets = column(&table, "metric").into_iter().zip(column(&table, "mean"));
        let last = regrets.rfind(|(metric, _)| metric == "regret");
        let regret: f64 = last.and_then(|(_, mean)| mean.parse().ok()).expect("a number");
        assert!((regret / 1e4 - gap / 4.0).abs() < 0.05 * gap / 4.0, "{kind}: {regret}");
    }
    let (code, error) = play("ndcg");
    assert!(code != Some(0) && error.contains("regret = \"ndcg\" cannot be measured"), "{error}");
}

/// The winner of three arms leaves: from there on regret is counted from the second, which gains all that it lacked.
#[test]
fn regret_is_dynamic_where_preferences_change() {
    let folder = folder_with_matrices();
    let here = folder.path();
    let play =
        ["bandit", "--matrix", "order.txt", "--algorithms", "random,sliding-rucb:window=500,rucb", "--runs", "20"];
    let change = ["--steps", "2e3", "--change", "1001:leave=0"];
    let printed = said(here, &[&play[..], &change, &["--out", "r", "--threads", "1"]].concat());
    assert!(
        printed.contains("regret is dynamic, against the best arm of each step: from step 1,001 arm 1"),
        "{printed}"
    );
    said(here, &[&play[..], &change, &["--out", "again", "--threads", "2"]].concat());
    assert_eq!(files(&here.join("r")), files(&here.join("again")));

    let config = json(&here.join("r/config.json"));
    let changed = &config["environment"]["changes"][0];
    assert_eq!(
        (&config["environment"]["winners"], &changed["winners"]),
        (&[0].as_slice().into(), &[1].as_slice().into())
    );
    assert_eq!((&changed["from"], &changed["change"]), (&1001.into(), &"1001:leave=0".into()));

    // Uniform choice costs (0 + .1 + .2) / 3 per step, then (.5 + 0 + .1) / 3. The regret of a step has a standard deviation of
    // at most .25, so that five of the mean of 20 runs of 1,000 steps are below 9.
    let curves = here.join("r/curves.csv");
    let (steps, means) = (column(&curves, "step"), column(&curves, "mean_regret"));
    let at = |step: &str| -> f64 {
        let row = steps.iter().position(|other| other == step).expect(step);
        means[row].parse().expect("a number")
    };
    assert!((at("1000") - 100.0).abs() < 9.0 && (at("2000") - at("1000") - 200.0).abs() < 9.0, "{}", at("2000"));

    // Recommendations before the change are judged by the arms of that time.
    let (algorithms, shares) = (column(&curves, "algorithm"), column(&curves, "share_recommending_best"));
    let rows = (0..steps.len())
        .filter(|&row| algorithms[row].starts_with("sliding-rucb") && ["1000", "2000"].contains(&&*steps[row]));
    for row in rows {
        assert!(shares[row].parse::<f64>().expect("a share") > 0.5, "{}", steps[row]);
    }

    for (more, why) in [
        (
            &["--problem", "1good5poor", "--change", "5:reversed"][..],
            "--change needs a preference matrix, and 1good5poor is",
        ),
        (&["--problem", "cyclic", "--change", "5:reversed", "--evidence", "0.9"], "exclude each other"),
        (&["--problem", "cyclic", "--change", "5"], "expected STEP:WHAT"),
        (
            &["--problem", "cyclic", "--change", "5:leave=0"],
            "from step 5 on (--change 5:leave=0) there is no condorcet regret",
        ),
        (&["--problem", "cyclic", "--change", "5:even.txt"], "4 arms play, and that matrix has 3 arms"),
    ] {
        let run = sim(here).args(["bandit", "--steps", "1e3"]).args(more).output().expect("sim starts");
        assert!(!run.status.success() && text(&run.stderr).contains(why), "{more:?}: {}", text(&run.stderr));
    }
}

#[test]
fn an_experiment_on_a_single_arm_is_refused() {
    let folder = TempDir::new().expect("a temporary folder");
    let file = "title = \"t\"\nkind = \"regret\"\nalgorithms = [\"rucb\"]\nsteps = 10\nruns = 1\n[[setting]]\nname = \"s\"\n\
                play = \"problem\"\npreferences = [[0.5]]\n";
    fs::write(folder.path().join("own.toml"), file).expect("a writable folder");
    let run = sim(folder.path()).args(["experiment", "own.toml", "--quiet"]).output().expect("sim starts");
    let error = text(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{error}");
    assert!(error.contains("only one arm is left, and a comparison needs two"), "{error}");
}
