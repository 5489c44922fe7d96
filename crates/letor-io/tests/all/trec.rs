//! TREC runs and qrels: the rules by which they become a data set, malformed files, and what is written.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use letor_io::trec::{DocumentNumbers, TrecOptions, TrecTies, UnjudgedRule, open, write_qrels, write_run};
use letor_io::{
    Dataset, DatasetBuilder, Error, FeatureId, OpenOptions, Provenance, ReadOptions, WriteOptions, read_files, write,
};
use tempfile::TempDir;

/// A folder with these files.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

fn path(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
}

fn open_in(folder: &TempDir, runs: &[&str], options: &TrecOptions) -> Result<Dataset, Error> {
    let runs: Vec<String> = runs.iter().map(|name| path(folder, name)).collect();
    open(&runs, &[path(folder, "qrels")], options)
}

fn of(runs: &[&str], qrels: &str, options: &TrecOptions) -> Dataset {
    let names: Vec<String> = (0..runs.len()).map(|number| format!("r{number}.run")).collect();
    let mut files: Vec<(&str, &[u8])> =
        names.iter().map(String::as_str).zip(runs.iter().map(|run| run.as_bytes())).collect();
    files.push(("qrels", qrels.as_bytes()));
    open_in(&folder(&files), &names.iter().map(String::as_str).collect::<Vec<_>>(), options).unwrap()
}

fn values(dataset: &Dataset, query: usize, feature: u32) -> Vec<f64> {
    let mut values = Vec::new();
    dataset.query(query).column(FeatureId(feature), &mut values);
    values
}

fn gzip(text: &str) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(text.as_bytes()).unwrap();
    out.finish().unwrap()
}

const A: &str = "2 Q0 d1 1 0.5 a\n2 Q0 d3 2 0.5 a\n2 Q0 d2 3 0.75 a\n10 Q0 x 1 -1 a\n";
const B: &str = "2 Q0 d9 1 7 b\n2 Q0 d1 2 6 b\n77 Q0 y 1 1 b\n";
const QRELS: &str = "2 0 d2 2\n2 0 d1 -2\n2 0 far 1\n2 0 off 3\n10 0 x 0\n30 0 z 1\n30 0 z 1\n";

#[test]
fn runs_and_qrels_become_a_data_set_by_the_rules() {
    let dataset = of(&[A, B], QRELS, &TrecOptions::default());
    // 77 has no judgment, 30 no retrieved document; 2 comes before 10.
    let ids: Vec<&str> = dataset.iter().map(|query| query.id()).collect();
    assert_eq!((ids, dataset.features(), dataset.documents()), (vec!["2", "10"], 2, 5));
    // d1, d2, d3, d9: the rank column is ignored, ties go to the larger document number, absent documents have 0.
    assert_eq!(dataset.query(0).labels(), [0.0, 2.0, 0.0, 0.0]);
    assert_eq!(values(&dataset, 0, 1), [1.0, 3.0, 2.0, 0.0]);
    assert_eq!(values(&dataset, 0, 2), [1.0, 0.0, 0.0, 2.0]);
    assert_eq!([1, 2].map(|run| dataset.query(0).retrieved(FeatureId(run))), [3, 2]);
    assert_eq!([1, 2].map(|run| dataset.query(1).retrieved(FeatureId(run))), [1, 0]);
    let runs = dataset.runs().unwrap();
    assert_eq!([runs.unretrieved(0), runs.unretrieved(1)], [&[3.0, 1.0][..], &[]]);
    assert_eq!(dataset.max_label(), 3.0, "of all judgments, retrieved or not");
    assert_eq!(runs.without_documents(), ["30"]);
    let counts = runs.counts();
    assert_eq!(counts.unjudged_queries, ["77"]);
    assert_eq!((&counts.empty_lists[..], &counts.tied[..]), (&[0, 1][..], &[2, 0][..]));
    assert_eq!((counts.unjudged, counts.negative, counts.repeated), (2, 1, 1));
    assert_eq!(dataset.feature_names().unwrap().iter().flatten().collect::<Vec<_>>(), ["r0", "r1"]);
}

#[test]
fn ties_can_be_kept_and_unjudged_documents_removed() {
    let kept = of(&[A, B], QRELS, &TrecOptions { ties: TrecTies::Keep, ..TrecOptions::default() });
    assert_eq!(values(&kept, 0, 1), [2.0, 3.0, 2.0, 0.0]);
    let judged = of(&[A, B], QRELS, &TrecOptions { unjudged: UnjudgedRule::Remove, ..TrecOptions::default() });
    assert_eq!((judged.documents(), judged.query(0).labels()), (3, &[0.0, 2.0][..]));
    assert_eq!((values(&judged, 0, 1), values(&judged, 0, 2)), (vec![1.0, 2.0], vec![1.0, 0.0]));
    assert_eq!(judged.runs().unwrap().counts().unjudged, 2);
    assert_eq!(judged.runs().unwrap().unretrieved(0), [3.0, 1.0]);
}

#[test]
fn the_form_of_files_changes_nothing() {
    let options = TrecOptions::default();
    let plain = of(&[A, B], QRELS, &options);
    let reversed = |text: &str| text.lines().rev().map(|line| format!("{line}\n")).collect::<String>();
    let windows = |text: &str| format!("\u{feff}{}\r\n", text.replace('\n', "\r\n").replace(' ', "\t"));
    for change in [reversed, windows, |text: &str| text.trim_end().to_owned()] {
        let same = of(&[&change(A), &change(B)], &change(QRELS), &options);
        assert_eq!((&same, same.checksum()), (&plain, plain.checksum()));
    }
    let files = folder(&[("a.run.gz", &gzip(A)), ("b", &gzip(B)), ("qrels", &gzip(QRELS))]);
    let packed = open_in(&files, &["a.run.gz", "b"], &options).unwrap();
    assert_eq!((&packed, packed.checksum()), (&plain, plain.checksum()));
    // Scores by their order alone; the same lists are the same data.
    let steps = of(&[&A.replace("0.75", "99"), B], QRELS, &options);
    assert_eq!(steps.checksum(), plain.checksum());
    // Each part of the content counts.
    for (run, qrels) in [
        (A.replace("0.75", "0.25"), QRELS.to_owned()),
        (A.to_owned(), QRELS.replace("d2 2", "d2 1")),
        (A.to_owned(), QRELS.replace("far 1", "far 2")),
        (A.to_owned(), QRELS.replace("30 0 z 1\n", "")),
    ] {
        assert_ne!(of(&[&run, B], &qrels, &options).checksum(), plain.checksum(), "{run}{qrels}");
    }
}

#[test]
fn runs_are_given_by_name_or_folder() {
    let files =
        folder(&[("a.run", A.as_bytes()), ("b.run", B.as_bytes()), ("qrels", QRELS.as_bytes()), ("empty", b"")]);
    let all = open(&[path(&files, "")], &[path(&files, "qrels")], &TrecOptions::default()).unwrap();
    assert_eq!(all.feature_names().unwrap().iter().flatten().collect::<Vec<_>>(), ["a", "b"]);
    let Provenance::Files { files: read, skipped } = all.provenance() else { panic!("files") };
    assert_eq!((read.len(), skipped.len()), (3, 2), "qrels and the empty file are not runs");
    let named = [format!("ours={}", path(&files, "b.run")), path(&files, "a.run")];
    let named = open(&named, &[path(&files, "qrels")], &TrecOptions::default()).unwrap();
    assert_eq!(named.feature_names().unwrap().iter().flatten().collect::<Vec<_>>(), ["ours", "a"]);
}

/// Lines that begin with `#` are comments, as for `trec_eval` 10, anywhere and in both kinds of files; they are counted.
#[test]
fn comments_are_skipped_and_counted() {
    let options = TrecOptions::default();
    let plain = of(&[A, B], QRELS, &options);
    let commented = |text: &str| {
        let rows: String = text.lines().map(|line| format!("{line}\n  # 1 Q0 d 1 1 t\n")).collect();
        format!("#\n# 2026 run\n#2 0 d1 4\n{rows}# the end")
    };
    let with = of(&[&commented(A), &commented(B)], &commented(QRELS), &options);
    assert_eq!((&with, with.checksum()), (&plain, plain.checksum()));
    let lines = A.lines().count() + B.lines().count() + QRELS.lines().count();
    assert_eq!(with.runs().unwrap().counts().comments, lines + 3 * 4);
    assert_eq!(plain.runs().unwrap().counts().comments, 0);
    // In a folder, a run may begin with comments; errors give the line in the file.
    let files = folder(&[("a.run", commented(A).as_bytes()), ("qrels", b"# x\n2 0 d1\n")]);
    let error = open(&[path(&files, "")], &[path(&files, "qrels")], &options).unwrap_err();
    assert!(error.to_string().contains("qrels:2:1: found 3 columns"), "{error}");
    fs::write(files.path().join("qrels"), "# none\n\n").unwrap();
    let error = open(&[path(&files, "a.run")], &[path(&files, "qrels")], &options).unwrap_err();
    assert!(error.to_string().contains("has only comments and blank lines"), "{error}");
    // Data that were generated stay so.
    fs::write(files.path().join("a.run"), "# x\n1 Q0 a 1 2 SYNTHETIC-a\n").unwrap();
    assert!(letor_io::trec::any_synthetic(&[path(&files, "a.run")]));
}

/// The fault, the bytes of the run and of the qrels, and the end of the error: which file, where, and what.
type Malformed<'a> = (&'a str, &'a [u8], &'a [u8], &'a str);

const GOOD: &[u8] = b"1 Q0 a 1 2.5 t\n";
const JUDGED: &[u8] = b"1 0 a 1\n";

const MALFORMED: &[Malformed<'_>] = &[
    ("five columns", b"1 Q0 a 1 2.5\n", JUDGED, "run:1:1: found 5 columns, `1 Q0 a 1 2.5`, expected 6"),
    ("seven columns", b"1 Q0 a 1 2.5 t\n1 Q0 b 2 1.5 my tag\n", JUDGED, "run:2:1: found 7 columns"),
    ("one column", b"abc\n", JUDGED, "run:1:1: found 1 column, `abc`, expected 6"),
    ("no score", b"1 Q0 a 1 high t\n", JUDGED, "run:1:10: score `high` is not a number"),
    ("NaN", b"\n1 Q0 a 1 NaN t\n", JUDGED, "run:2:10: score `NaN` is not finite"),
    ("infinite", b"1 Q0 a 1 -inf t\n", JUDGED, "run:1:10: score `-inf` is not finite"),
    ("score too large", b"1 Q0 a 1 1e400 t\n", JUDGED, "run:1:10: score `1e400` is not finite"),
    ("comma for a point", b"1 Q0 a 1 2,5 t\n", JUDGED, "run:1:10: score `2,5` is not a number"),
    (
        "a document twice",
        b"1 Q0 a 1 2.5 t\n2 Q0 a 1 1 t\n1 Q0 b 2 2 t\n1 Q0 a 3 1 t\n",
        JUDGED,
        "run:4:1: document `a` recurs in query 1; it occurs first on line 1: keep one of the lines",
    ),
    ("two tags", b"1 Q0 a 1 2.5 t\n2 Q0 a 1 1 u\n", JUDGED, "run:2:12: found the tag `u`, expected `t`"),
    ("an empty run", b"", JUDGED, "run:1:1: is empty, expected lines of a run"),
    ("a blank run", b"\n \r\n", JUDGED, "run:1:1: has only blank lines, expected lines of a run"),
    (
        "qrels as run",
        JUDGED,
        JUDGED,
        "run:1:1: is TREC qrels (lines of `query 0 document label`), expected lines of a run",
    ),
    ("LETOR as run", b"2 qid:1 1:3 2:4\n", JUDGED, "this is a row of a LETOR data set: give the file as --dataset"),
    ("six columns of LETOR", b"2 qid:1 1:3 2:4 3:1 4:2\n", JUDGED, "run:1:17: score `3:1` is not a number"),
    ("scores as run", b"0.25\n0.5\n", JUDGED, "a file with one score per line is given as --scores"),
    ("CSV as run", b"1,Q0,a,1,2.5,t\n", JUDGED, "run:1:1: found 1 column"),
    ("binary", b"\x00\x01\x02 \x00", JUDGED, "run:1:1: found binary data `\\x00\\x01\\x02 \\x00`"),
    (".npy as run", b"\x93NUMPY\x01\x00v\x00{'descr'}", JUDGED, "run:1:1: found binary data"),
    ("zip", b"PK\x03\x04....", JUDGED, "run:1:1: is a zip archive, expected text or gzip: unpack it first"),
    ("UTF-16", b"\xff\xfe1\x00 \x00", JUDGED, "run:1:1: is UTF-16 text"),
    ("damaged gzip", b"\x1f\x8b\x08\x00damaged", JUDGED, "run: failed to read: "),
    ("a query id that is not text", b"\xff Q0 a 1 2.5 t\n", JUDGED, "run:1:1: query id `\\xff` is not plain text"),
    ("three columns of qrels", GOOD, b"1 0 a\n", "qrels:1:1: found 3 columns, `1 0 a`, expected 4"),
    ("five columns of qrels", GOOD, b"1 0 a 1\n1 0 b 1 0.5\n", "qrels:2:1: found 5 columns"),
    ("no label", GOOD, b"1 0 a yes\n", "qrels:1:7: label `yes` is not a number"),
    ("a label that is not finite", GOOD, b"1 0 a nan\n", "qrels:1:7: label `nan` is not a number"),
    ("a label too high", GOOD, b"1 0 a 5\n", "qrels:1:7: label `5` is out of range, expected at most 4"),
    ("a document beside a comment", GOOD, b"# x\n1 0 a 5\n", "qrels:2:7: label `5` is out of range"),
    (
        "an overflow",
        GOOD,
        b"1 0 a 99999999999999999999999\n",
        "qrels:1:7: label `99999999999999999999999` is out of range",
    ),
    (
        "conflicting judgments",
        GOOD,
        b"1 0 a 1\n1 0 b 0\n1 0 a 2\n",
        "qrels:3:1: document `a` of query 1 has label 2, but 1 at QRELS:1: keep one of the lines",
    ),
    ("a run as qrels", GOOD, GOOD, "qrels:1:1: is a TREC run (lines of `query Q0 document rank score tag`), expected"),
    ("LETOR as qrels", GOOD, b"2 qid:1 1:3\n", "qrels:1:1: found 3 columns, `2 qid:1 1:3`, expected 4"),
    ("empty qrels", GOOD, b"", "qrels:1:1: is empty, expected lines of qrels"),
    (
        "no query in common",
        GOOD,
        b"301 0 a 1\n302 0 a 1\n303 0 a 1\n9 0 a 1\n",
        "qrels: no query in common: the runs have 1, the qrels 9, 301, 302, ...: check that both are of the same queries",
    ),
];

#[test]
fn malformed_files_are_refused_with_their_place() {
    for (what, run, qrels, expected) in MALFORMED {
        let files = folder(&[("run", run), ("qrels", qrels)]);
        let error = open_in(&files, &["run"], &TrecOptions::default()).expect_err(what).to_string();
        let place = |text: &str| text.replace(&path(&files, "qrels"), "QRELS");
        let (start, rest) = error.split_at(path(&files, "").len());
        assert_eq!(start, path(&files, ""), "{what}: {error}");
        assert!(place(rest).contains(expected), "{what}: {rest}");
        assert!(!error.contains('\n') && error.contains(": "), "{what}: {error}");
    }
    assert!(MALFORMED.len() >= 20);
}

#[test]
fn documents_stay_tied_when_the_first_of_them_is_removed() {
    let run = "1 Q0 w 1 5 a\n1 Q0 v 2 5 a\n1 Q0 u 3 5 a\n1 Q0 x 4 4 a\n1 Q0 y 5 4 a\n";
    let options = TrecOptions { ties: TrecTies::Keep, unjudged: UnjudgedRule::Remove, ..TrecOptions::default() };
    // In the order of numbers: u and v are tied, x and its partner are not any more.
    let dataset = of(&[run], "1 0 u 1\n1 0 v 0\n1 0 x 1\n", &options);
    assert_eq!(values(&dataset, 0, 1), [3.0, 3.0, 1.0]);
    assert_eq!(dataset.runs().unwrap().counts().tied, [2]);
}

#[test]
fn the_first_file_at_fault_is_named_for_any_number_of_threads() {
    let damaged = &gzip(A)[..30];
    let files = folder(&[("good", GOOD), ("damaged", damaged), ("malformed", b"1 Q0 a 1 high x\n"), ("qrels", JUDGED)]);
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let error = |runs: &[&str]| pool.install(|| open_in(&files, runs, &TrecOptions::default())).unwrap_err();
        for (runs, expected) in [
            (["good", "malformed", "damaged"], "malformed:1:10: score `high` is not a number"),
            (["good", "damaged", "malformed"], "damaged: failed to read"),
            // Found before anything is read.
            (["malformed", "damaged", "missing"], "missing: failed to open"),
        ] {
            let error = error(&runs).to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}

#[test]
fn what_is_no_file_is_refused() {
    let files = folder(&[("run", GOOD), ("qrels", JUDGED)]);
    fs::create_dir(files.path().join("sub")).unwrap();
    let options = TrecOptions::default();
    let error = |runs: &[String], qrels: &[String]| open(runs, qrels, &options).unwrap_err().to_string();
    let (run, qrels) = (path(&files, "run"), path(&files, "qrels"));
    for (runs, judged, expected) in [
        (vec![], vec![qrels.clone()], "no run is given"),
        (vec![run.clone()], vec![], "no qrels are given"),
        (vec![path(&files, "sub")], vec![qrels.clone()], "sub: has no run, expected files of"),
        (vec![run.clone()], vec![path(&files, "")], "is a folder, expected a file"),
        (
            vec![format!("x={}", path(&files, "sub"))],
            vec![qrels.clone()],
            "is a folder, expected the file of the run x",
        ),
        (vec![path(&files, "no")], vec![qrels.clone()], "no: failed to open: "),
        (vec![run.clone(), format!("run={run}")], vec![qrels.clone()], "both called `run`"),
    ] {
        let message = error(&runs, &judged);
        assert!(message.contains(expected), "{message}");
    }
    let condensed = TrecOptions { unjudged: UnjudgedRule::Remove, ..options };
    fs::write(&qrels, "1 0 other 1\n").unwrap();
    let message = open(&[run], &[qrels], &condensed).unwrap_err().to_string();
    assert!(message.contains("no retrieved document is judged"), "{message}");
}

#[test]
fn runs_and_qrels_given_as_data_sets_are_recognised() {
    let files = folder(&[("a.run", A.as_bytes()), ("b.run.gz", &gzip(B)), ("qrels", QRELS.as_bytes())]);
    let error = |name: &str| letor_io::open(&[path(&files, name)], &OpenOptions::default()).unwrap_err().to_string();
    for run in ["a.run", "b.run.gz"] {
        let message = error(run);
        assert!(message.contains("is a TREC run") && message.contains("give runs as --rankings"), "{message}");
    }
    assert!(error("qrels").contains("is TREC qrels") && error("qrels").contains("--qrels"));
    let folder = error("");
    assert!(folder.contains("has no data file") && folder.contains("give runs as --rankings"), "{folder}");
}

/// Lists of all features: for each query the documents by descending value, in groups of equal values.
fn lists(dataset: &Dataset, number: impl Fn(usize, usize) -> String) -> Vec<(String, Vec<Vec<Vec<String>>>)> {
    let of_query = |query: usize| {
        let of_feature = |feature: u32| {
            let column = values(dataset, query, feature);
            let mut rows: Vec<usize> = (0..column.len()).collect();
            rows.sort_by(|a, b| column[*b].total_cmp(&column[*a]).then(a.cmp(b)));
            let groups = rows.chunk_by(|a, b| column[*a] == column[*b]);
            groups
                .map(|group| {
                    let mut group: Vec<String> = group.iter().map(|&row| number(query, row)).collect();
                    group.sort();
                    group
                })
                .collect()
        };
        (dataset.query(query).id().to_owned(), (1..=dataset.features()).map(of_feature).collect())
    };
    (0..dataset.queries()).map(of_query).collect()
}

#[test]
fn what_is_written_is_read_back_with_the_same_lists() {
    let dataset = letor_io::open(&["mq2008-lookalike:0.05:3"], &OpenOptions::default()).unwrap();
    let documents = DocumentNumbers::of(&dataset);
    assert!(documents.are_invented());
    let files = tempfile::tempdir().unwrap();
    let mut names = Vec::new();
    for feature in (1..=dataset.features()).map(FeatureId) {
        let name = format!("feature-{}.run", feature.0);
        let mut text = Vec::new();
        write_run(&dataset, feature, &format!("feature {}", feature.0), &documents, usize::MAX, &mut text).unwrap();
        fs::write(files.path().join(&name), text).unwrap();
        names.push(path(&files, &name));
    }
    let mut text = Vec::new();
    write_qrels(&dataset, &documents, &mut text).unwrap();
    fs::write(files.path().join("qrels"), text).unwrap();
    let options = TrecOptions { ties: TrecTies::Keep, ..TrecOptions::default() };
    let again = open(&names, &[path(&files, "qrels")], &options).unwrap();
    let row = |_: usize, row: usize| format!("{row:04}");
    // Queries are numbers, and come back in their order.
    let mut expected = lists(&dataset, row);
    expected.sort_by_key(|(id, _)| id.parse::<u64>().unwrap());
    assert_eq!(lists(&again, row), expected);
    let labels = |dataset: &Dataset| {
        let mut labels: Vec<(u64, Vec<f32>)> =
            dataset.iter().map(|query| (query.id().parse().unwrap(), query.labels().to_vec())).collect();
        labels.sort_by_key(|(id, _)| *id);
        labels
    };
    assert_eq!(labels(&again), labels(&dataset));
    // Synthetic data stay so.
    assert!(matches!(again.provenance(), Provenance::LookAlike { .. }), "{:?}", again.provenance());
    let run = fs::read_to_string(files.path().join("feature-1.run")).unwrap();
    assert!(run.lines().all(|line| line.ends_with(" SYNTHETIC-feature-1")), "{run}");
}

#[test]
fn documents_keep_the_numbers_of_comments() {
    let text =
        "2 qid:10 1:0.5 2:3 #docid = GX001 inc = 1\n0 qid:10 1:0.5 2:4 #docid = GX000\n1 qid:7 1:1e-5 2:0 #docid = B\n";
    let files = folder(&[("train.txt", text.as_bytes())]);
    let read = |name: &str| read_files(name, &[Path::new(&path(&files, name))], &ReadOptions::default()).unwrap();
    let dataset = read("train.txt");
    let documents = DocumentNumbers::of(&dataset);
    assert!(!documents.are_invented());
    let run = |dataset: &Dataset, depth: usize| {
        let mut text = Vec::new();
        write_run(dataset, FeatureId(1), "f", &DocumentNumbers::of(dataset), depth, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    };
    assert_eq!(run(&dataset, 9), "10 Q0 GX001 1 0.5 f\n10 Q0 GX000 2 0.5 f\n7 Q0 B 1 0.00001 f\n");
    assert_eq!(run(&dataset, 1), "10 Q0 GX001 1 0.5 f\n7 Q0 B 1 0.00001 f\n");
    let mut qrels = Vec::new();
    write_qrels(&dataset, &documents, &mut qrels).unwrap();
    assert_eq!(String::from_utf8(qrels).unwrap(), "10 0 GX001 2\n10 0 GX000 0\n7 0 B 1\n");
    // A number that recurs or is missing: all are invented.
    for (name, text) in [("a", text.replace("GX000", "GX001")), ("b", text.replace("#docid = B", ""))] {
        fs::write(files.path().join(name), text).unwrap();
        assert_eq!(run(&read(name), 9), "10 Q0 10-2 1 0.5 f\n10 Q0 10-1 2 0.5 f\n7 Q0 7-1 1 0.00001 f\n");
    }
}

#[test]
fn a_data_set_of_runs_is_written_as_text_like_any_other() {
    let dataset = of(&[A, B], QRELS, &TrecOptions::default());
    let mut text = Vec::new();
    write(&dataset, &WriteOptions::default(), &mut text).unwrap();
    assert_eq!(
        String::from_utf8(text).unwrap(),
        "0 qid:2 1:1 2:1\n2 qid:2 1:3\n0 qid:2 1:2\n0 qid:2 2:2\n0 qid:10 1:1\n"
    );
    let mut builder = DatasetBuilder::new("x", Provenance::LookAlike { name: "x".into() });
    builder.push_columns("1", &[0.0], &[[1.0]]).unwrap();
    let plain = builder.build();
    assert_eq!((plain.runs().is_none(), plain.query(0).retrieved(FeatureId(1))), (true, 1));
}

#[test]
fn damaged_runs_end_in_a_data_set_or_an_error() {
    let ranklib = "q\t0\t0.5\nq\t1\t-1e-3\n";
    let npy = b"\x93NUMPY\x01\x00\x3b\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2,), } \n\0\0\0\0\0\0\x80?";
    for seed in [A.as_bytes(), B.as_bytes(), QRELS.as_bytes(), ranklib.as_bytes(), npy] {
        letor_io::fuzz::trec(seed);
        for at in 0..seed.len() {
            letor_io::fuzz::trec(&seed[..at]);
            for byte in [b' ', b'\n', b'0', b'-', b'e', b'#', 0, 0xff] {
                let mut damaged = seed.to_vec();
                damaged[at] = byte;
                letor_io::fuzz::trec(&damaged);
            }
        }
    }
}

/// Editors leave copies beside runs: two more rankers, which are the same.
#[test]
fn hidden_files_and_copies_in_folders_are_skipped_and_said() {
    let copies = ["a.run~", ".a.run.swp", ".hidden", "#a.run#", "a.run.bak", "A.RUN.ORIG"];
    let mut files = vec![("a.run", A.as_bytes()), ("b.run", B.as_bytes()), ("bold", A.as_bytes())];
    files.extend(copies.map(|name| (name, A.as_bytes())));
    let runs = folder(&files);
    let side = folder(&[("qrels", QRELS.as_bytes())]);
    let at = |name: &str| path(&runs, name);
    let qrels = [side.path().join("qrels").to_str().unwrap().to_owned()];
    let opened = |runs: &[String]| open(runs, &qrels, &TrecOptions::default()).unwrap();
    let dataset = opened(&[runs.path().to_str().unwrap().to_owned()]);
    assert_eq!(dataset.feature_names().unwrap().iter().flatten().collect::<Vec<_>>(), ["a", "b", "bold"]);
    let Provenance::Files { skipped, .. } = dataset.provenance() else { panic!("files") };
    assert_eq!(skipped.len(), copies.len());
    for (path, reason) in skipped {
        let name = path.file_name().unwrap().to_str().unwrap();
        let expected = if name.starts_with('.') { "it is hidden" } else { "it is called like the copy" };
        assert!(copies.contains(&name) && reason.starts_with(expected), "{name}: {reason}");
    }
    // One that is named is meant.
    assert_eq!(opened(&[at("a.run"), format!("copy={}", at("a.run~"))]).features(), 2);
    // A folder of data is read in the same way: rows would be there twice.
    let data = folder(&[
        ("train.txt", b"1 qid:1 1:2\n"),
        ("train.txt~", b"1 qid:1 1:2\n"),
        (".train.txt.swp", b"1 qid:1 1:2\n"),
    ]);
    let dataset = read_files("data", &[data.path()], &ReadOptions::default()).unwrap();
    assert_eq!(dataset.documents(), 1);
}
