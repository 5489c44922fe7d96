//! Rankers of the user's own: TREC runs in every command, what `rankduel export` writes, scores beside a data set.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{files, sim, text};

/// A data set with 784 x 0.02 queries.
const DATA: &str = "mq2008-lookalike:0.02";

/// Standard output and standard error of the program in `folder`, which must succeed.
fn run(folder: &Path, arguments: &[&str]) -> (String, String) {
    let done = sim(folder).args(arguments).assert().success();
    (text(&done.get_output().stdout), text(&done.get_output().stderr))
}

/// The error line and exit code of the program in `folder`.
fn fail(folder: &Path, arguments: &[&str]) -> (String, Option<i32>) {
    let done = sim(folder).args(arguments).assert().failure();
    let said = text(&done.get_output().stderr);
    let errors: Vec<&str> = said.lines().filter(|line| line.starts_with("error: ")).collect();
    assert_eq!((errors.len(), said.lines().last()), (1, errors.last().copied()), "{said}");
    (errors[0].to_owned(), done.get_output().status.code())
}

/// A folder `runs` with three runs and their qrels, exported from a look-alike.
fn exported() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &["export", DATA, "--rankers", "1,23,37", "--out", "runs", "--quiet"]);
    folder
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// nDCG@10 of every ranker of a folder of `inspect`.
fn ndcg(folder: &Path) -> Vec<f64> {
    let findings = json(&folder.join("findings.json"));
    let rankers = findings["ndcg"].as_array().unwrap();
    rankers.iter().map(|ranker| ranker["exponential"].as_f64().unwrap()).collect()
}

#[test]
fn exported_runs_rank_as_the_features_do() {
    let folder = exported();
    let at = folder.path();
    let written: Vec<String> = files(&at.join("runs")).into_iter().map(|(name, _)| name).collect();
    assert_eq!(written, ["config.json", "feature-1.run", "feature-23.run", "feature-37.run", "qrels.txt"]);
    run(at, &["inspect", DATA, "--out", "features", "--quiet"]);
    let kept = ["--trec-ties", "keep", "--out", "back"];
    let (out, said) = run(at, &[&["inspect", "--rankings", "runs", "--qrels", "runs/qrels.txt"][..], &kept].concat());
    let (features, runs) = (ndcg(&at.join("features")), ndcg(&at.join("back")));
    for (run, feature) in [0, 22, 36].into_iter().enumerate() {
        assert!((runs[run] - features[feature]).abs() < 1e-12, "{runs:?} {feature}");
    }
    // Synthetic data are labelled everywhere, and runs are called by their names.
    assert!(
        said.contains("(synthetic): 16 queries") && said.contains("3 runs (feature-1, feature-23, feature-37)"),
        "{said}"
    );
    assert!(out.contains("SYNTHETIC") && out.contains("feature-23 "), "{out}");
    assert_eq!(json(&at.join("back/findings.json"))["synthetic"], true);

    // The same export again changes nothing, and one of another depth needs another folder.
    let before = files(&at.join("runs"));
    run(at, &["export", DATA, "--rankers", "1,23,37", "--out", "runs"]);
    assert_eq!(files(&at.join("runs")), before);
    let (error, code) = fail(at, &["export", DATA, "--rankers", "1,23,37", "--depth", "5", "--out", "runs"]);
    assert!(error.contains("depth") && code == Some(2), "{error}");
    run(at, &["export", DATA, "--rankers", "1,23,37", "--depth", "5", "--out", "short", "--json"]);
    let lines = |name: &str| fs::read_to_string(at.join(name)).unwrap().lines().count();
    assert!(lines("short/feature-1.run") <= 5 * 16 && lines("short/feature-1.run") < lines("runs/feature-1.run"));
    assert_eq!(lines("short/qrels.txt"), lines("runs/qrels.txt"));
}

#[test]
fn every_command_takes_runs() {
    let folder = exported();
    let at = folder.path();
    let data = ["--rankings", "runs", "--qrels", "runs/qrels.txt"];
    for (command, names) in [
        (&["--algorithms", "rucb,random", "--steps", "500", "--out", "live"][..], true),
        (&["proxy", "--impressions-per-pair", "200", "--out", "P.npy"], true),
        (
            &[
                "compare",
                "--algorithms",
                "rucb",
                "--steps",
                "500",
                "--impressions-per-pair",
                "200",
                "--out",
                "compared",
            ],
            true,
        ),
        (&["distortion", "--sizes", "2", "--multileavings", "200", "--sets", "2", "--out", "distorted"], false),
        (&["sensitivity", "--compared", "2", "--draws", "2", "--impressions-per-draw", "50", "--out", "sensed"], false),
        (&["inspect", "--out", "inspected"], true),
    ] {
        let count: &[&str] =
            if command[0] == "compare" || command[0].starts_with("--") { &["--runs", "2"] } else { &[] };
        let (out, said) = run(at, &[command, &data, count].concat());
        let all = format!("{out}{said}");
        assert!(said.contains("3 runs (feature-1, feature-23, feature-37)"), "{command:?}: {said}");
        assert!(!names || out.contains("feature-") || command[0] == "proxy", "{command:?}: {all}");
        // In live runs and `inspect`, the verdict comes first, as a sentence of its own.
        let verdict = match command[0] {
            "--algorithms" => "By clicks, ",
            "inspect" => "By nDCG@10, ",
            _ => continue,
        };
        let first = out.lines().next().unwrap_or_default();
        assert!(first.starts_with(verdict) && first.ends_with('.') && first.contains("16 queries"), "{out}");
    }
    let config = json(&at.join("live/config.json"));
    assert_eq!(config["runs"], 2);
    assert_eq!(config["site"]["names"], serde_json::json!(["feature-1", "feature-23", "feature-37"]));
    assert_eq!(config["site"]["dataset"]["synthetic"], true);
}

#[test]
fn results_depend_on_the_lists_alone() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let lists = |order: &[usize], scores: &[&str]| -> String {
        let lines = order.iter().flat_map(|document| {
            (1..=3).map(move |query| format!("{query} Q0 d{document} 0 {} tag\n", scores[(document + query) % 4]))
        });
        lines.collect()
    };
    let write = |name: &str, text: String| fs::write(at.join(name), text).unwrap();
    write("a.run", lists(&[0, 1, 2, 3], &["4", "3", "2", "1"]));
    write("b.run", lists(&[0, 1, 2, 3], &["1", "3", "2", "4"]));
    write("other", lists(&[3, 1, 0, 2], &["0.4", "0.3", "0.2", "-1e3"]));
    write("qrels", "1 0 d1 2\n2 0 d2 1\n3 0 d0 1\n".to_owned());
    write("worse", "1 0 d1 1\n2 0 d2 1\n3 0 d0 1\n".to_owned());
    let play = |runs: &str, qrels: &str, out: &str| {
        let study =
            ["--algorithms", "rucb,self-sparring", "--steps", "2000", "--runs", "2", "--cache", "none", "--quiet"];
        run(at, &[&["--rankings", runs, "--qrels", qrels, "--out", out][..], &study].concat());
        fs::read_to_string(at.join(out).join("curves.csv")).unwrap()
    };
    let plain = play("a.run,b.run", "qrels", "1");
    assert_eq!(play("x=other,y=b.run", "qrels", "2").replace("\"x\"", "a"), plain);
    assert_ne!(play("a.run,b.run", "worse", "3"), plain);
    assert_ne!(play("b.run,a.run", "qrels", "4"), plain);
}

#[test]
fn what_was_left_out_is_said_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("a.run"), "1 Q0 a 1 2 t\n1 Q0 b 1 2 t\n2 Q0 c 1 1 t\n8 Q0 c 1 1 t\n").unwrap();
    fs::write(at.join("b.run"), "1 Q0 b 1 2 t\n").unwrap();
    fs::write(at.join("q"), "1 0 a 1\n1 0 b -2\n2 0 d 1\n5 0 x 0\n").unwrap();
    let (_, said) = run(at, &["inspect", "--rankings", "a.run,b.run", "--qrels", "q"]);
    for expected in [
        "q: 2 queries, 3 documents, 2 runs (a, b)\n",
        "note: left out 1 query of the runs without judgments: 8\n",
        "note: left out 1 judged query without retrieved documents: 5 (counts as 0 in means of measures)\n",
        "note: nothing was retrieved by b for 1 query, where it shows documents in random order\n",
        "note: 33% of the retrieved documents are not judged: label 0 (--unjudged remove leaves them out)\n",
        "note: equal scores in 67% of a: ordered by document number, as trec_eval does (--trec-ties keep leaves them tied)\n",
        "note: 1 negative label read as 0\n",
    ] {
        assert_eq!(said.matches(expected).count(), 1, "{expected}{said}");
    }
    let removed = ["--unjudged", "remove", "--trec-ties", "keep", "--out", "removed"];
    let (_, said) = run(at, &[&["inspect", "--rankings", "a.run,b.run", "--qrels", "q"][..], &removed].concat());
    for expected in [
        "q: 1 query, 2 documents, 2 runs (a, b)\n",
        "note: left out 2 judged queries without retrieved documents that are judged: 2, 5 (count as 0 in means of measures)\n",
        "note: equal scores in 100% of a: they stay tied\n",
    ] {
        assert!(said.contains(expected), "{expected}{said}");
    }
}

/// Search libraries return distances: the first has the smallest.
#[test]
fn scores_that_contradict_their_ranks_are_said_before_any_measure() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // For each run, the rank and the score of the document at each place of the file.
    let write = |name: &str, queries: usize, line: &dyn Fn(usize, usize) -> (usize, f64)| {
        let lines = (1..=queries).flat_map(|query| {
            (0..4).map(move |place| {
                let (rank, score) = line(query, place);
                format!("{query} Q0 d{place} {rank} {score} t\n")
            })
        });
        fs::write(at.join(name), lines.collect::<String>()).unwrap();
    };
    write("dist.run", 6, &|_, place| (place + 1, 0.25 * place as f64));
    write("worst-last.run", 6, &|_, place| (4 - place, 9.0 - place as f64));
    // Reranked, with the scores of before.
    write("stale.run", 6, &|query, place| {
        (place, if query > 1 { [4.0, 2.0, 3.0, 1.0] } else { [4.0, 3.0, 2.0, 1.0] }[place])
    });
    write("slips.run", 6, &|query, place| {
        (place, if query > 3 { [4.0, 2.0, 3.0, 1.0] } else { [4.0, 3.0, 2.0, 1.0] }[place])
    });
    write("good.run", 6, &|_, place| (place, -0.1 * place as f64));
    write("constant.run", 6, &|_, place| (0, place as f64));
    write("equal.run", 6, &|_, place| (place, 1.0));
    fs::write(at.join("q"), (1..=6).map(|query| format!("{query} 0 d0 1\n{query} 0 d3 0\n")).collect::<String>())
        .unwrap();
    let expected = |name: &str, queries: usize, what: &str| {
        format!(
            "note: in {queries} of 6 queries the scores of {name} {what}: lists are by score, the highest first, as trec_eval has \
             them; if the ranks are right, write scores that fall with them (of distances, -distance)\n"
        )
    };
    let runs = "dist.run,worst-last.run,stale.run,slips.run,good.run,constant.run,equal.run";
    let of_runs = ["--rankings", runs, "--qrels", "q"];
    let order = expected("dist", 6, "rise with its ranks")
        + &expected("worst-last", 6, "rise with its ranks")
        + &expected("stale", 5, "are not in the order of its ranks");
    let play = ["live", "--algorithms", "rucb", "--steps", "20", "--runs", "1", "--cache", "none", "--out", "live"];
    for command in [
        &["inspect"][..],
        &["inspect", "--measures", "AP,nDCG@3"],
        &["proxy", "--impressions-per-pair", "20", "--out", "P.npy"],
        &play,
    ] {
        let (_, said) = run(at, &[command, &of_runs].concat());
        assert!(said.contains(&order), "{command:?}: {said}");
        assert_eq!(said.matches(" the scores of ").count(), 3, "{command:?}: {said}");
    }
}

#[test]
fn files_in_the_wrong_place_are_answered_with_the_right_flag() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("a.run"), "1 Q0 a 1 2 t\n").unwrap();
    fs::write(at.join("q"), "1 0 a 1\n").unwrap();
    fs::write(at.join("train.txt"), "1 qid:1 1:2\n0 qid:1 1:3\n").unwrap();
    fs::write(at.join("pred.txt"), "0.5\n").unwrap();
    for (arguments, expected, code) in [
        (&["--dataset", "a.run"][..], "a.run: is a TREC run (lines of `query Q0 document rank score tag`)", 1),
        (&["--dataset", "q"], "q: is TREC qrels (lines of `query 0 document label`)", 1),
        (&["inspect", "a.run"], "give runs as --rankings, and their judgments as --qrels", 1),
        (
            &["--rankings", "train.txt", "--qrels", "q"],
            "this is a row of a LETOR data set: give the file as --dataset",
            1,
        ),
        (&["--rankings", "pred.txt", "--qrels", "q"], "a file with one score per line is given as --scores", 1),
        (&["--rankings", "q", "--qrels", "q"], "q:1:1: is TREC qrels", 1),
        (&["--rankings", "a.run", "--qrels", "a.run"], "a.run:1:1: is a TREC run", 1),
        (&["--rankings", "a.run"], "required arguments were not provided: --qrels", 2),
        (&["--qrels", "q"], "required arguments were not provided: --rankings", 2),
        (&["--rankings", "a.run", "--qrels", "q"], "a comparison needs two rankers", 2),
        (&["--rankings", "a.run,a.run", "--qrels", "q"], "both called `t`: give one of them another name", 2),
        (&["--rankings", "a.run", "--qrels", "q", "--dataset", "train.txt"], "exclude each other", 2),
        (&["--rankings", "a.run", "--qrels", "q", "--null", "zero"], "--null applies to LETOR files", 2),
        (&["--rankings", "a.run", "--qrels", "q", "--scores", "pred.txt"], "cannot be used with", 2),
        (&["--scores", "pred.txt"], "--scores belong to the rows of a data set: add --dataset", 2),
        (
            &["--dataset", "train.txt", "--scores", "pred.txt"],
            "pred.txt: has 1 scores, but train.txt has 2 documents",
            1,
        ),
        (&["--dataset", "train.txt", "--scores", "a.run"], "this is a TREC run", 1),
        (&["--dataset", "train.txt", "--scores-only"], "required arguments were not provided: --scores", 2),
    ] {
        let (error, found) = fail(at, arguments);
        assert!(error.contains(expected) && found == Some(code), "{arguments:?}: {error} {found:?}");
    }
    let left: Vec<String> = files(at).into_iter().map(|(name, _)| name).filter(|name| name != "caches").collect();
    assert_eq!(left, ["a.run", "pred.txt", "q", "train.txt"], "nothing is written");
}

#[test]
fn scores_are_rankers_beside_features_or_instead_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let (mut rows, mut good, mut bad) = (String::new(), String::new(), String::new());
    for document in 0..60 {
        let label = u32::from(document % 5 == 0) * 2;
        rows += &format!("{label} qid:{} 1:{} 2:1\n", document / 10, (document * 7) % 10);
        good += &format!("{}\n", f64::from(label) + f64::from(document) / 1e3);
        bad += &format!("{:e}\n", -f64::from(label) / 3.0);
    }
    for (name, text) in [("train.txt", &rows), ("good.txt", &good), ("bad.txt", &bad)] {
        fs::write(at.join(name), text).unwrap();
    }
    let data = ["--dataset", "train.txt", "--scores", "ltr=good.txt,bad.txt", "--click", "perfect"];
    let (_, said) = run(at, &[&["inspect", "--out", "all"], &data[..4]].concat());
    assert!(said.contains("6 queries, 60 documents, 4 features (ltr, bad)"), "{said}");
    let quality = ndcg(&at.join("all"));
    assert!(quality.len() == 4 && quality[2] == 1.0 && quality[3] < quality[2], "{quality:?}");
    let (out, said) =
        run(at, &[&data[..], &["--steps", "3000", "--runs", "2", "--algorithms", "rucb", "--scores-only"]].concat());
    assert!(said.contains("2 features (ltr, bad)") && out.contains("Condorcet winner: ltr"), "{out}{said}");
    // The export equals the input.
    run(at, &["export", "--dataset", "train.txt", "--scores", "ltr=good.txt", "--scores-only", "--out", "runs"]);
    let (_, said) = run(at, &["inspect", "--rankings", "runs", "--qrels", "runs/qrels.txt", "--out", "back"]);
    assert!(said.contains("1 run (ltr)") && !said.contains("synthetic"), "{said}");
    assert_eq!(ndcg(&at.join("back")), [1.0]);
}

#[test]
fn files_of_flags_and_experiments_take_runs() {
    let folder = exported();
    let at = folder.path();
    fs::write(at.join("rankduel.toml"), "rankings = [\"runs\"]\nqrels = [\"runs/qrels.txt\"]\n").unwrap();
    let (out, said) = run(at, &["inspect", "--json"]);
    assert!(
        said.contains("from rankduel.toml: --rankings=runs --qrels=runs/qrels.txt") && out.contains("\"feature\": 3"),
        "{said}"
    );
    fs::remove_file(at.join("rankduel.toml")).unwrap();

    let experiment = "title = \"Own\"\nkind = \"regret\"\nalgorithms = [\"rucb\"]\nsteps = 500\nruns = 2\nseed = 1\n\
                      figure = \"1\"\npaper = \"rcs\"\n[[setting]]\nname = \"mine\"\nplay = \"live\"\n\
                      rankings = [\"runs\"]\nqrels = [\"runs/qrels.txt\"]\n";
    fs::write(at.join("own.toml"), experiment).unwrap();
    run(at, &["experiment", "own.toml", "--out", "results"]);
    let summary = fs::read_to_string(at.join("results/own/summary.json")).unwrap();
    assert!(summary.contains("the runs runs") && summary.contains("\"lookalike\": true"), "{summary}");
    for (wrong, expected) in [
        ("dataset = \"x\"\n", "has runs, which exclude `dataset` and `lookalike`"),
        ("scores = [\"x\"]\n", "has scores, which belong to the rows of a `dataset`"),
    ] {
        fs::write(at.join("wrong.toml"), format!("{experiment}{wrong}")).unwrap();
        let (error, code) = fail(at, &["experiment", "wrong.toml"]);
        assert!(error.contains(expected) && code == Some(2), "{error}");
    }
}

#[test]
fn win_counts_are_a_matrix_and_said_so() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("wins.csv"), ",gpt,claude,llama\ngpt,0,30,0\nclaude,1010,0,12\nllama,0,4,0\n").unwrap();
    fs::write(
        at.join("P.txt"),
        "gpt claude llama\n0.5 0.028846153846153848 0.5\n0.9711538461538461 0.5 0.75\n0.5 0.25 0.5\n",
    )
    .unwrap();
    let note = "note: wins.csv holds win counts of 1,056 comparisons, 16 to 1,040 per pair compared: P(row beats column) is \
                its share of the pair's wins; 1 of 3 pairs was never compared and counts as 1/2; shares of few comparisons \
                are mostly noise: `rankduel board wins.csv` fits all pairs together and says what is known\n";
    let (counted, said) = run(at, &["analyse", "--matrix", "wins.csv", "--samples", "1000", "--out", "counted"]);
    assert!(said.contains(note) && counted.contains("claude"), "{said}{counted}");
    let (stated, said) = run(at, &["analyse", "--matrix", "P.txt", "--samples", "1000", "--out", "stated"]);
    assert!(!said.contains("win counts"), "{said}");
    // All but the line on pairs that were never compared, which comes before the winners.
    let (head, rest) =
        counted.split_once("never compared          1 of 3 pairs was never compared and counts as 1/2\n").unwrap();
    assert_eq!(format!("{head}{rest}").replace("wins.csv", "P.txt"), stated);
    assert!(!head.contains("winner"), "{head}");
    let (_, said) =
        run(at, &["bandit", "--matrix", "wins.csv", "--steps", "1000", "--runs", "2", "--algorithms", "rucb"]);
    assert!(said.contains(note), "{said}");
    fs::write(at.join("none.txt"), "0 0\n0 0\n").unwrap();
    let (error, code) = fail(at, &["analyse", "--matrix", "none.txt"]);
    assert!(
        error.contains("none.txt is not a preference matrix: no arm was ever compared") && code == Some(1),
        "{error}"
    );
}

#[test]
fn rankings_are_named_by_their_flag_alone() {
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    let at = folder.path();
    let runs = "q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\nq2 Q0 d3 1 1 t\nq2 Q0 d4 2 0.5 t\n";
    fs::write(at.join("a.run"), runs).unwrap();
    fs::write(at.join("b.run"), runs.replace("2.5", "0.5").replace(" 0.5 t\n", " 3.5 t\n")).unwrap();
    fs::write(at.join("many"), runs).unwrap();
    fs::write(at.join("qrels"), "q1 0 d1 1\nq2 0 d4 2\n").unwrap();
    let (listed, _) = run(at, &["inspect", "--rankings", "a.run,b.run", "--qrels", "qrels", "--json", "--out", "x"]);
    for words in [
        &["--runs", "many"][..],
        &["--runs=a.run", "--qrels", "qrels"],
        &["inspect", "--runs", "a.run,b.run", "--qrels", "qrels"],
    ] {
        let run = sim(at).args(words).output().expect("sim starts");
        let message = text(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{words:?}: {message}");
        assert!(message.contains("--runs takes a number, TREC runs are given with --rankings"), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    // The same in the file of defaults.
    fs::write(at.join("rankduel.toml"), "rankings = [\"a.run\", \"b.run\"]\nqrels = \"qrels\"\n").unwrap();
    assert_eq!(run(at, &["inspect", "--json", "--out", "f"]).0, listed);
    fs::remove_file(at.join("rankduel.toml")).unwrap();
    // And in experiments.
    let checked = |key: &str| {
        let toml = format!(
            "title = \"Own\"\nkind = \"regret\"\nalgorithms = [\"rucb\"]\nsteps = 100\nruns = 1\nseed = 1\nfigure = \"1\"\n\
             paper = \"rcs\"\n[[setting]]\nname = \"mine\"\nplay = \"live\"\n{key} = [\"a.run\", \"b.run\"]\nqrels = [\"qrels\"]\n"
        );
        fs::write(at.join("e.toml"), toml).unwrap();
        let run = sim(at).args(["experiment", "e.toml", "--dry-run"]).output().expect("sim starts");
        (run.status.success(), text(&run.stdout), text(&run.stderr))
    };
    assert!(checked("rankings").0, "{:?}", checked("rankings"));
    assert!(checked("rankingz").2.contains("rankingz"));
}

#[test]
fn ranges_of_numbers_select_rankers_and_arms() {
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    let at = folder.path();
    let data = "mslr-lookalike:0.002";
    let inspect = |flags: &[&str]| {
        let usual = ["--dataset", data, "--steps", "300", "--runs", "1", "--algorithms", "rucb", "--quiet", "--json"];
        let truth = ["--truth-effort", "0.005"];
        run(at, &[flags, &usual[..], &truth].concat()).0
    };
    // The same folder, so the same key: the second call finds the runs of the first.
    let listed = inspect(&["live", "--rankers", "1,2,3,4,5,9", "--without", "2,3"]);
    assert_eq!(inspect(&["live", "--rankers", "1-5,9", "--without", "2-3"]), listed);
    assert_eq!(inspect(&["--rankers", "1-5,9", "--without", "2-3"]), listed, "without `live` it is the same");
    let folders = fs::read_dir(at.join("results"))
        .unwrap()
        .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with("live-")));
    assert_eq!(folders.count(), 1);
    for (flags, expected) in [
        (&["--rankers", "5-1"][..], "the range `5-1` ends before it begins; write 1-5"),
        (&["--rankers", "130-140"], "there is no feature 137"),
        (&["--rankers", "1-4", "--without", "4-6"], "--without 4-6: feature 5 is not one of the rankers"),
        (&["--rankers", "1-4,3"], "feature 3 is selected twice"),
        (&["--rankers", "1-99999999"], "more than 1048576 numbers"),
    ] {
        let (message, code) = fail(at, &[flags, &["--dataset", data, "--steps", "10"]].concat());
        assert!(message.contains(expected) && code == Some(2), "{flags:?}: {message}");
    }
    // Arms of matrices; one is called like a range.
    fs::write(at.join("names.txt"), "a\nb\n0-1\nd\n").unwrap();
    let bandit = |arms: &str, more: &[&str]| {
        let usual =
            ["bandit", "--matrix", "P.txt", "--arms", arms, "--steps", "200", "--runs", "1", "--quiet", "--json"];
        run(at, &[&usual[..], &["--algorithms", "rucb", "--replace"], more].concat()).0
    };
    fs::write(at.join("P.txt"), "0.5 0.6 0.7 0.8\n0.4 0.5 0.6 0.7\n0.3 0.4 0.5 0.6\n0.2 0.3 0.4 0.5\n").unwrap();
    assert_eq!(bandit("0-2", &[]), bandit("0,1,2", &[]));
    assert_eq!(bandit("0-1,d", &["--names", "names.txt"]), bandit("2,3", &["--names", "names.txt"]));
    // Pairs keep their dash.
    let proxy = |flags: &[&str]| {
        let usual =
            ["proxy", "--dataset", data, "--rankers", "1-4", "--impressions-per-pair", "20", "--quiet", "--json"];
        run(at, &[&usual[..], &["--out", "Q.npy", "--replace"], flags].concat()).0
    };
    let [range, listed, pair] = [["--arms", "0-2"], ["--arms", "0,1,2"], ["--pairs", "0-2"]].map(|flags| proxy(&flags));
    assert!(range == listed && range != pair);
}
