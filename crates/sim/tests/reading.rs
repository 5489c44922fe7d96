//! Reading of files: NULL, and labels without a published click model.

use std::fs;
use std::path::Path;

use crate::common::{sim, text};
use serde_json::Value;
use tempfile::TempDir;

/// The findings of `rankduel inspect`, and its remarks.
fn inspect(folder: &Path, args: &[&str]) -> (Value, String) {
    let out = format!("of{}", args.concat());
    let run = sim(folder).args(["inspect", "--json", "--out", &out]).args(args).output().expect("sim starts");
    assert!(run.status.success(), "{args:?}: {}", text(&run.stderr));
    (serde_json::from_slice(&run.stdout).expect("JSON alone"), text(&run.stderr))
}

#[test]
fn null_min_lets_no_unknown_document_outrank_a_known_one() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    // Feature 1 is a log probability, negative, and unknown for the last document. Feature 2 is never known.
    let data = "2 qid:1 1:-1.5 2:NULL\n0 qid:1 1:-9.25 2:NULL\n0 qid:1 1:NULL 2:NULL\n";
    fs::write(here.join("d.txt"), data).expect("a file");
    let ndcg = |null: &str| {
        let (found, remarks) = inspect(here, &["d.txt", "--null", null, "--no-cache"]);
        (found["ndcg"][0]["exponential"].as_f64().expect("a number"), remarks)
    };
    let (min, remarks) = ndcg("min");
    assert!((min - 1.0).abs() < 1e-12, "the relevant document is first: {min}");
    assert!(remarks.contains("1 time all documents of a query have NULL for a feature, which is then 0"), "{remarks}");
    let (zero, remarks) = ndcg("zero");
    assert!(zero < 0.7 && !remarks.contains("NULL"), "the unknown document is first: {zero}, {remarks}");

    // Without a choice both are offered; merged queries cannot have a lowest value.
    let fails = |args: &[&str]| {
        let run = sim(here).arg("inspect").args(args).args(["--out", "x"]).output().expect("sim starts");
        assert_eq!(run.status.code(), Some(1));
        text(&run.stderr)
    };
    let error = fails(&["d.txt"]);
    assert!(error.contains("--null min") && error.contains("--null zero"), "{error}");
    fs::write(here.join("apart.txt"), "1 qid:1 1:-1\n0 qid:2 1:-2\n0 qid:1 1:NULL\n").expect("a file");
    let error = fails(&["apart.txt", "--null", "min", "--same-qid", "merge"]);
    assert!(error.contains("apart.txt:3:1") && error.contains("--null min needs all documents"), "{error}");

    // The choice is part of the description of a run.
    let play = ["--dataset", "d.txt", "--null", "min", "--rankers", "1,2", "--steps", "10", "--runs", "1", "--quiet"];
    sim(here).args(play).args(["--algorithms", "random", "--out", "live"]).assert().success();
    let config: Value =
        serde_json::from_slice(&fs::read(here.join("live/config.json")).expect("a file")).expect("JSON");
    assert_eq!(config["site"]["dataset"]["null"], "min");
}

#[test]
fn the_binary_cache_keeps_choices_apart() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let row = |query: usize, document: usize| {
        let known = !(query + document).is_multiple_of(3);
        let value = if known { format!("-{}.{document}", 1 + document % 7) } else { "NULL".to_owned() };
        format!("{} qid:{query} 1:{value} 2:{document}\n", document % 3)
    };
    let rows: String =
        (0..2_000).flat_map(|query| (0..20).map(move |document| (query, document))).map(|(q, d)| row(q, d)).collect();
    fs::write(here.join("d.txt"), rows).expect("a file");
    let checksum = |null: &str| {
        let run = sim(here)
            .args(["inspect", "d.txt", "--json", "--quiet", "--out", null, "--null", null])
            .env("RANKDUEL_CACHE_DIR", here.join("cache"))
            .output()
            .expect("sim starts");
        assert!(run.status.success(), "{}", text(&run.stderr));
        let found: Value = serde_json::from_slice(&run.stdout).expect("JSON alone");
        found["checksum"].clone()
    };
    let (zero, min) = (checksum("zero"), checksum("min"));
    assert_ne!(zero, min);
    assert_eq!((checksum("zero"), checksum("min")), (zero, min));
    assert!(fs::read_dir(here.join("cache")).expect("a folder").count() >= 2, "two caches");
}

#[test]
fn four_grades_have_no_published_clicks_and_that_is_said() {
    let folder = TempDir::new().expect("a temporary folder");
    let here = folder.path();
    let rows: String = (0..4).map(|label| format!("{label} qid:1 1:{label}.5 2:{}\n", (label * 7) % 4)).collect();
    fs::write(here.join("four.txt"), &rows).expect("a file");
    fs::write(here.join("five.txt"), format!("{rows}4 qid:1 1:9 2:8\n")).expect("a file");
    let remarks = |args: &[&str]| {
        let play = ["--steps", "10", "--runs", "1", "--algorithms", "random", "--out", "r", "--rankers", "1,2"];
        let run = sim(here).args(play).args(args).output().expect("sim starts");
        assert!(run.status.success(), "{}", text(&run.stderr));
        let config: Value =
            serde_json::from_slice(&fs::read(here.join("r/config.json")).expect("a file")).expect("JSON");
        fs::remove_dir_all(here.join("r")).expect("a folder");
        (text(&run.stderr), config["site"]["click"]["click"].clone())
    };
    // The five grades, as ever.
    let (said, click) = remarks(&["--dataset", "four.txt", "--max-label", "3"]);
    assert_eq!(click, serde_json::json!([0.05, 0.3, 0.5, 0.7, 0.95]));
    assert!(said.contains("labels go up to 3, but navigational clicks are published for 2, 3 and 5 grades"), "{said}");
    let full = ["0:0.050,1:0.367,2:0.633,3:0.950", "0:0.200,1:0.367,2:0.633,3:0.900"];
    assert!(said.contains(&format!("--click {} --stop {}", full[0], full[1])), "{said}");
    // The value that the remark offers is accepted without further remarks.
    let (said, click) = remarks(&["--dataset", "four.txt", "--click", full[0], "--stop", full[1]]);
    assert_eq!(click.as_array().map(Vec::len), Some(4));
    assert!(!said.contains("published"), "{said}");
    let (said, _) = remarks(&["--dataset", "five.txt"]);
    assert!(!said.contains("published"), "{said}");
    let (said, _) = remarks(&["--dataset", "four.txt", "--quiet"]);
    assert!(said.is_empty(), "{said}");
}
