//! Every real file either parses and round-trips through text and a cache, or is refused for the reason in the README.txt
//! beside it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{read_text, real_data, to_text};
use letor_io::{ErrorKind, OpenOptions, ReadOptions, open, read_files};

/// Files that are not data, each with the expected error and its reason.
const REFUSED: [(&str, ErrorKind, &str); 21] = {
    use ErrorKind::*;
    [
        ("misc-small/rankeval_svmlight_invalid.txt", Syntax, "its author's invalid file"),
        ("misc-small/rankeval_svmlight_classification.txt", QueryId, "has no query ids"),
        ("misc-small/varepsilon_svm_bad_labels.txt", Label, "bad labels, by its author"),
        ("misc-small/varepsilon_ya_bad_labels.txt", Label, "bad labels, by its author"),
        ("misc-small/fastrank_newsir18-entity.qrel", Format, "qrels, no features"),
        ("misc-small/fastrank_trec_news_2018.features.json", Syntax, "names of features"),
        ("prefmat-mslr/wolfenfeld_PMat_lexicographic_arms.npy", Format, "a matrix"),
        ("prefmat-mslr/MSLR-Perfect.txt", Syntax, "a matrix"),
        ("prefmat-mslr/MSLR-Navigational.txt", Syntax, "a matrix"),
        ("prefmat-small/huasenwu_MSLR_Informational_5_Condorcet.txt", Label, "a matrix"),
        ("prefmat-small/jkomiyama_pref_arithmetic.txt", Syntax, "a matrix"),
        ("prefmat-small/jkomiyama_pref_arxiv.txt", Syntax, "a matrix"),
        ("prefmat-small/jkomiyama_pref_cyclic.txt", Syntax, "a matrix"),
        ("llmfao/crowd-comparisons.csv", Syntax, "votes"),
        ("llmfao/gpt4-crowd-comparisons.csv", Syntax, "votes"),
        ("llmjudge/grades.csv.gz", Syntax, "grades of judges"),
        ("ukp-tournaments/tournaments.csv", Syntax, "names of tournaments"),
        ("ukp-tournaments/votes.csv.gz", Syntax, "votes"),
        ("ubi-chorus/ubi_queries_events.excerpt.ndjson", Syntax, "a click log"),
        ("yahoo-ltrc-lightgbm/rank.train.query", QueryId, "query sizes"),
        ("yahoo-ltrc-lightgbm/rank.test.query", Label, "query sizes"),
    ]
};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

#[test]
#[ignore = "needs ../shared/data"]
fn every_file_parses_or_is_refused_for_its_reason() {
    let root = real_data("");
    let mut found = Vec::new();
    files(&root, &mut found);
    // Descriptions, and caches of earlier openings, are not data.
    found.retain(|path| {
        let name = path.file_name().unwrap().to_str().unwrap().to_lowercase();
        !name.contains("readme") && !name.ends_with(".letor-cache")
    });
    found.sort();
    let mut wrong = Vec::new();
    let mut parsed = Vec::new();
    for path in &found {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_string();
        let expected = REFUSED.iter().find(|(refused, ..)| *refused == name);
        match (read_files("real", &[path], &ReadOptions::default()), expected) {
            (Ok(dataset), None) => {
                for omit_zeros in [true, false] {
                    let again = read_text(&to_text(&dataset, omit_zeros)).unwrap();
                    assert!(again == dataset && again.checksum() == dataset.checksum(), "{name}");
                }
                through_a_cache(path, &dataset);
                parsed.push(name);
            }
            (Err(error), Some((_, kind, why))) => {
                if error.kind() != *kind {
                    wrong.push(format!("{name} ({why}) is refused as {:?}: {error}", error.kind()));
                }
            }
            (Ok(_), Some((_, _, why))) => wrong.push(format!("{name} parses ({why})")),
            (Err(error), None) => wrong.push(format!("{name}: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(parsed.len() >= 20, "{parsed:?}");
}

/// The second opening reads the cache and gives the same data. Nothing is written beside the data.
fn through_a_cache(path: &Path, dataset: &letor_io::Dataset) {
    let folder = tempfile::tempdir().unwrap();
    let options = OpenOptions { cache: Some(folder.path().into()), ..OpenOptions::default() };
    let spec = [path.to_str().unwrap()];
    assert!(open(&spec, &options).unwrap() == *dataset);
    let again = open(&spec, &options).unwrap();
    let cached = fs::metadata(path).unwrap().len() >= 64 << 10;
    assert_eq!(again.cache_file().is_some(), cached, "{}", path.display());
    assert!(again == *dataset && again.checksum() == dataset.checksum(), "{}", path.display());
}
