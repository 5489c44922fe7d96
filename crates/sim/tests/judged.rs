//! `rankduel inspect --judged`: runs by a model's labels, corrected by people's.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::common::{sim, text};

const QUERIES: usize = 8;
const DOCUMENTS: usize = 12;

/// Two runs, people's labels of all documents, and a model's.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let lines = |of: &dyn Fn(usize, usize) -> Option<String>| -> String {
        let all = (0..QUERIES).flat_map(|query| (0..DOCUMENTS).map(move |document| (query, document)));
        all.filter_map(|(query, document)| of(query, document)).fold(String::new(), |mut text, line| {
            writeln!(text, "{line}").unwrap();
            text
        })
    };
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    let people = |query: usize, document: usize| (7 * query + 5 * document + query * document) % 4;
    let model = |query: usize, document: usize| (people(query, document) + (query + 3 * document) % 5 / 3) % 4;
    let run = |query: usize, document: usize, score: usize| Some(format!("{query} Q0 d{document} 0 {score} r"));
    write("a.run", lines(&|query, document| run(query, document, (5 * document + query) % 13)));
    write("b.run", lines(&|query, document| run(query, document, 4 * people(query, document) + document % 4)));
    write("all", lines(&|query, document| Some(format!("{query} 0 d{document} {}", people(query, document)))));
    write("model", lines(&|query, document| Some(format!("{query} 0 d{document} {}", model(query, document)))));
    let some = |query: usize, document: usize| (document + query).is_multiple_of(3);
    write(
        "some",
        lines(&|query, document| {
            some(query, document).then(|| format!("{query} 0 d{document} {}", people(query, document)))
        }),
    );
    let best = |query: usize, document: usize| people(query, document) > 1;
    write(
        "best",
        lines(&|query, document| best(query, document).then(|| format!("{query} 0 d{document} 3"))) + "99 0 d1 2\n",
    );
    folder
}

fn run(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let run = sim(folder).args(["inspect", "--rankings", "a.run,b.run", "--quiet"]).args(arguments).output().unwrap();
    if run.status.success() { Ok(text(&run.stdout)) } else { Err(text(&run.stderr)) }
}

fn rows(path: &Path) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_path(path).expect("the file exists");
    reader.records().map(|record| record.expect("CSV").iter().map(str::to_owned).collect()).collect()
}

#[test]
fn where_people_judged_everything_their_labels_decide() {
    let folder = folder();
    let at = folder.path();
    let measures = ["--measures", "nDCG@5,P(rel=2)@3,RBP(p=0.8)"];
    run(at, &[&["--qrels", "all", "--out", "P"], &measures[..]].concat()).unwrap();
    run(at, &[&["--qrels", "all", "--judged", "model", "--out", "J"], &measures[..]].concat()).unwrap();
    for (file, texts) in [("measures.csv", 2), ("tests.csv", 5)] {
        let [plain, judged] = ["P", "J"].map(|folder| rows(&at.join(folder).join(file)));
        assert_eq!(plain.len(), judged.len());
        assert!(judged[0].len() > plain[0].len() && judged[0].starts_with(&plain[0]), "{:?}", judged[0]);
        for (one, other) in plain.iter().zip(&judged).skip(1) {
            assert_eq!(one[..texts], other[..texts], "{file}");
            for (one, other) in one[texts..].iter().zip(&other[texts..]) {
                let [one, other] = [one, other].map(|number| number.parse::<f64>().unwrap());
                assert!((one - other).abs() < 1e-9 * one.abs().max(1.0), "{file}: {one} {other}");
            }
        }
    }
}

#[test]
fn labels_of_some_documents_correct_sums_over_documents() {
    let folder = folder();
    let at = folder.path();
    let printed = run(at, &["--qrels", "some", "--judged", "model", "--out", "J"]).unwrap();
    for part in [
        "By P@10, ",
        "over 8 queries, corrected by people's labels of 8",
        "The model and people agree on ",
        " of the 32 documents that both judged (kappa ",
        "Note: corrected values hold if people judged a random sample",
        "P@10 over 8 queries, 8 of them judged by people in part; the model counts 0.",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    assert!(!printed.contains("not a random sample"), "{printed}");
    let header = &rows(&at.join("J/measures.csv"))[0];
    assert!(
        header.contains(&"P@10_people_standard_error".to_owned()) && header.contains(&"RBP(p=0.8)_lambda".to_owned())
    );
    let findings: serde_json::Value = serde_json::from_slice(&fs::read(at.join("J/findings.json")).unwrap()).unwrap();
    let judged = &findings["measures"]["judged"];
    assert_eq!(judged["measures"][0]["labelled_queries"], 8);
    let mean = judged["measures"][0]["runs"][1]["mean"].as_f64().unwrap();
    assert_eq!(findings["measures"]["rankers"][1]["values"][0].as_f64(), Some(mean));
    // The same of the files in another order.
    assert_eq!(run(at, &["--qrels", "some", "--judged", "model", "--out", "K"]).unwrap(), printed);
}

#[test]
fn labels_that_are_no_sample_or_of_other_documents_are_said() {
    let folder = folder();
    let at = folder.path();
    let printed = run(at, &["--qrels", "best", "--judged", "model", "--measures", "P@5", "--out", "J"]).unwrap();
    assert!(printed.contains("Note: people's labels are not a random sample: of what weighs in P@5 of b"), "{printed}");
    assert!(printed.contains("1 label of people") && printed.contains("e.g. d1 of query 99"), "{printed}");
}

#[test]
fn measures_that_need_more_labels_are_refused() {
    let folder = folder();
    let at = folder.path();
    let refused = |arguments: &[&str]| run(at, &[arguments, &["--out", "R"]].concat()).unwrap_err();
    let error = refused(&["--qrels", "some", "--judged", "model", "--measures", "P@5,nDCG@5"]);
    assert!(
        error.contains("nDCG@5 is not a sum over documents") && error.contains("found 0 of 8, expected 5"),
        "{error}"
    );
    let few = fs::read_to_string(at.join("some")).unwrap();
    fs::write(at.join("few"), few.lines().filter(|line| line.starts_with('1')).collect::<Vec<_>>().join("\n")).unwrap();
    let error = refused(&["--qrels", "few", "--judged", "model"]);
    assert!(error.contains("people judged documents of 1 of 8 queries, expected 5 or more"), "{error}");
    let error = refused(&["--qrels", "some", "--judged", "model", "--measures", "P@1"]);
    assert!(error.contains("P@1 of a run rests on people's labels of "), "{error}");
    let error = refused(&["--qrels", "some", "--judged", "model", "--per-query"]);
    assert!(error.contains("--per-query"), "{error}");
    let error = refused(&["--qrels", "some", "--judged", "nothing"]);
    assert!(error.contains("nothing: failed to open"), "{error}");
}
