//! Real files: counts agree with the README.txt beside each file, and writing and reading again loses nothing.

use crate::support::{read_on, read_text, real_data, to_text};
use letor_io::{Dataset, ErrorKind, Provenance, ReadOptions, SameQid, Statistics, read_files};

struct Expected {
    path: &'static str,
    queries: usize,
    documents: usize,
    features: u32,
    labels: &'static [(f32, usize)],
    without_relevant: Option<usize>,
}

const NO_FILE: Expected =
    Expected { path: "", queries: 0, documents: 0, features: 0, labels: &[], without_relevant: None };

const EXPECTED: [Expected; 15] = [
    Expected {
        path: "mslr-fold1-sample",
        queries: 90,
        documents: 9189,
        features: 136,
        labels: &[(0.0, 5120), (1.0, 2709), (2.0, 1169), (3.0, 136), (4.0, 55)],
        without_relevant: Some(1),
    },
    Expected {
        path: "mslr-fold1-sample/mslr_fold1_test_sample.txt",
        queries: 18,
        documents: 1900,
        features: 136,
        labels: &[(0.0, 1023), (1.0, 604), (2.0, 243), (3.0, 20), (4.0, 10)],
        ..NO_FILE
    },
    Expected {
        path: "mslr-fold1-sample/mslr_fold1_valid_sample.txt",
        queries: 18,
        documents: 1734,
        features: 136,
        labels: &[(0.0, 980), (1.0, 492), (2.0, 231), (3.0, 26), (4.0, 5)],
        ..NO_FILE
    },
    Expected {
        path: "letor4-mq2008",
        queries: 784,
        documents: 15211,
        features: 46,
        labels: &[(0.0, 12279), (1.0, 2001), (2.0, 931)],
        without_relevant: Some(220),
    },
    Expected {
        path: "letor3-np2004",
        queries: 30,
        documents: 29181,
        features: 64,
        labels: &[(0.0, 29151), (1.0, 30)],
        without_relevant: Some(1),
    },
    Expected { path: "letor3-np2004/Fold1.vali.txt.gz", queries: 15, documents: 15000, features: 64, ..NO_FILE },
    Expected {
        path: "imat2009/varepsilon_imat2009_learning.txt",
        queries: 104,
        documents: 1000,
        features: 245,
        labels: &[
            (0.0, 288),
            (0.25, 6),
            (0.333329, 1),
            (0.5, 21),
            (0.666671, 1),
            (1.0, 313),
            (1.2, 1),
            (1.33333, 2),
            (1.5, 8),
            (2.0, 315),
            (2.16049, 1),
            (2.33333, 1),
            (2.37037, 1),
            (2.5, 2),
            (2.87037, 1),
            (3.0, 29),
            (4.0, 9),
        ],
        without_relevant: Some(12),
    },
    Expected {
        path: "imat2009/varepsilon_imat2009_test.txt",
        queries: 104,
        documents: 1000,
        features: 245,
        labels: &[(-1.0, 1000)],
        ..NO_FILE
    },
    Expected {
        path: "yahoo-ltrc-lightgbm/rank.train",
        queries: 201,
        documents: 3005,
        features: 300,
        labels: &[(0.0, 645), (1.0, 1211), (2.0, 858), (3.0, 222), (4.0, 69)],
        without_relevant: Some(3),
    },
    Expected {
        path: "yahoo-ltrc-lightgbm/rank.test",
        queries: 50,
        documents: 768,
        features: 300,
        labels: &[(0.0, 206), (1.0, 256), (2.0, 252), (3.0, 44), (4.0, 10)],
        ..NO_FILE
    },
    Expected {
        path: "yahoo-ltrc-lightgbm/raw_precision_line.issue2559.txt",
        queries: 1,
        documents: 1,
        features: 341,
        ..NO_FILE
    },
    Expected { path: "misc-small/fastrank_trec_news_2018.train", queries: 45, documents: 782, features: 5, ..NO_FILE },
    Expected { path: "misc-small/fastrank_trec_news_2018.test", queries: 5, documents: 41, features: 5, ..NO_FILE },
    Expected {
        path: "misc-small/ranklib-dotnet_sample_judgments_with_features.txt",
        queries: 3,
        documents: 25,
        features: 2,
        ..NO_FILE
    },
    Expected {
        path: "misc-small/mpkato_l2r_sample.txt",
        queries: 7,
        documents: 21,
        features: 3,
        labels: &[(0.0, 7), (1.0, 7), (2.0, 7)],
        ..NO_FILE
    },
];

fn read(path: &str) -> Result<Dataset, letor_io::Error> {
    read_files("real", &[real_data(path)], &ReadOptions::default())
}

#[test]
#[ignore = "needs ../shared/data"]
fn counts_agree_with_the_readmes() {
    for expected in EXPECTED {
        let statistics = Statistics::of(&read(expected.path).unwrap());
        assert_eq!(
            (statistics.queries, statistics.documents, statistics.features),
            (expected.queries, expected.documents, expected.features),
            "{}",
            expected.path
        );
        if !expected.labels.is_empty() {
            assert_eq!(statistics.labels, expected.labels, "{}", expected.path);
        }
        if let Some(without) = expected.without_relevant {
            assert_eq!(statistics.queries_without_relevant, without, "{}", expected.path);
        }
    }
}

#[test]
#[ignore = "needs ../shared/data"]
fn writing_and_reading_again_loses_nothing() {
    for expected in EXPECTED {
        let dataset = read(expected.path).unwrap();
        for omit_zeros in [true, false] {
            let again = read_text(&to_text(&dataset, omit_zeros)).unwrap();
            assert!(again == dataset, "{}, omitting zeros: {omit_zeros}", expected.path);
            assert_eq!(again.checksum(), dataset.checksum());
        }
    }
}

#[test]
#[ignore = "needs ../shared/data"]
fn threads_do_not_matter() {
    for expected in EXPECTED {
        let path = real_data(expected.path);
        let read = |threads| read_on(threads, &[&path], &ReadOptions::default()).unwrap();
        assert!(read(1) == read(2), "{}", expected.path);
    }
}

#[test]
#[ignore = "needs ../shared/data"]
fn one_query_of_np2004_is_short() {
    let dataset = read("letor3-np2004").unwrap();
    let short: Vec<_> = dataset.iter().filter(|query| query.documents() != 1000).collect();
    assert_eq!(short.iter().map(|query| (query.id(), query.documents())).collect::<Vec<_>>(), [("WT04-216", 181)]);
}

#[test]
#[ignore = "needs ../shared/data"]
fn the_same_data_in_other_dialects_are_equal() {
    let pairs = [
        ("imat2009/varepsilon_imat2009_learning.txt", "imat2009/achugr_part_of_learn_set.crlf.txt"),
        ("imat2009/varepsilon_imat2009_learning.txt", "imat2009/achugr_part_of_learn_set.no-final-newline.txt"),
        ("yahoo-ltrc-lightgbm/rank.train", "yahoo-ltrc-lightgbm/rank.train.with-qid.derived.txt"),
        ("yahoo-ltrc-lightgbm/rank.test", "yahoo-ltrc-lightgbm/rank.test.with-qid.derived.txt"),
    ];
    for (one, other) in pairs {
        assert_eq!(read(one).unwrap().checksum(), read(other).unwrap().checksum());
    }
}

#[test]
#[ignore = "needs ../shared/data"]
fn skipped_files_of_a_folder_are_listed() {
    let dataset = read("letor4-mq2008").unwrap();
    let Provenance::Files { files, skipped } = dataset.provenance() else { panic!("the data were read from files") };
    let name = |path: &std::path::PathBuf| path.file_name().unwrap().to_str().unwrap().to_string();
    assert_eq!(files.iter().map(name).collect::<Vec<_>>(), ["S1.txt", "S2.txt", "S3.txt", "S4.txt", "S5.txt"]);
    let skipped: Vec<_> = skipped.iter().map(|(path, reason)| (name(path), &reason[..])).collect();
    let reason = "does not start with a row of data";
    assert_eq!(skipped, [("README.txt".to_string(), reason), ("upstream-readme.txt".to_string(), reason)]);
}

#[test]
#[ignore = "needs ../shared/data"]
fn invalid_files_are_refused_for_their_reason() {
    use ErrorKind::*;
    for (path, kind, line, part) in [
        ("misc-small/rankeval_svmlight_invalid.txt", Syntax, Some(1), "expected a label, as in"),
        ("misc-small/rankeval_svmlight_classification.txt", QueryId, Some(2), "no query id"),
        ("misc-small/varepsilon_svm_bad_labels.txt", Label, Some(2), "label `7` is out of range"),
        ("misc-small/varepsilon_ya_bad_labels.txt", Label, Some(2), "label `7` is out of range"),
        ("misc-small/fastrank_newsir18-entity.qrel", Format, None, "is TREC qrels"),
        ("misc-small/fastrank_trec_news_2018.features.json", Syntax, Some(1), "expected a label"),
        ("prefmat-mslr", Format, None, "has no data file"),
        ("prefmat-mslr/wolfenfeld_PMat_lexicographic_arms.npy", Format, Some(1), "binary data"),
        ("imat2009", SameQuery, Some(1), "query 3382 recurs"),
        ("yahoo-ltrc-lightgbm", SameQuery, Some(1), "rank.test:1: give each file once"),
    ] {
        let error = read(path).unwrap_err();
        assert_eq!((error.kind(), error.line()), (kind, line), "{error}");
        assert!(error.to_string().contains(part), "{error}");
        assert!(!error.to_string().contains('\n'), "{error}");
    }
}

#[test]
#[ignore = "needs ../shared/data"]
fn small_fixtures_parse() {
    for (path, queries, documents) in [
        ("misc-small/vahid-g_mslr_sample_10rows.txt", 1, 10),
        ("misc-small/varepsilon_svm_ag_sample.txt", 3, 6),
        ("misc-small/varepsilon_ya_ag_sample.txt", 3, 6),
        // Its author expects values in [0, 1]; here values have no range.
        ("misc-small/varepsilon_svm_bad_features.txt", 2, 4),
        ("misc-small/varepsilon_ya_bad_features.txt", 2, 4),
        ("misc-small/rankeval_svmlight_classification_qid.txt", 3, 4),
        ("imat2009/varepsilon_imat2009_learning_small.txt", 3, 9),
        ("imat2009/varepsilon_imat2009_test_small.txt", 1, 9),
    ] {
        let dataset = read(path).unwrap();
        if path.contains("small.txt") {
            assert!(dataset.queries() >= 1, "{path}");
            continue;
        }
        assert_eq!((dataset.queries(), dataset.documents()), (queries, documents), "{path}");
    }
}

#[test]
#[ignore = "needs ../shared/data"]
fn duplicate_ids_are_read_on_request() {
    let path = real_data("yahoo-ltrc-lightgbm");
    let paths = [path.join("rank.train"), path.join("rank.test")];
    let read = |same_qid| {
        let options = ReadOptions { same_qid, ..ReadOptions::default() };
        read_files("yahoo", &paths, &options).map(|dataset| (dataset.queries(), dataset.documents()))
    };
    assert_eq!(read(SameQid::Error).unwrap_err().kind(), ErrorKind::SameQuery);
    assert_eq!(read(SameQid::Separate).unwrap(), (251, 3773));
    assert_eq!(read(SameQid::Merge).unwrap(), (201, 3773));
}
