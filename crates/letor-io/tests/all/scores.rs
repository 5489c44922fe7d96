//! Scores beside a data set: forms of files, exactness, and refusals.

use std::fs;

use letor_io::scores::{Features, add};
use letor_io::{Dataset, EncodedQuery, FeatureId, OpenOptions, Provenance, Statistics, open};
use tempfile::TempDir;

const ROWS: &str = "2 qid:a 1:3 4:0.5\n0 qid:a 2:-1\n1 qid:b 1:16777217 3:1e-9\n0 qid:b 1:16777216 3:1e9\n1 qid:b\n";

fn rows() -> (TempDir, Dataset) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.txt");
    fs::write(&path, ROWS).unwrap();
    let dataset = open(&[path.to_str().unwrap()], &OpenOptions::default()).unwrap();
    (folder, dataset)
}

fn write(folder: &TempDir, name: &str, bytes: &[u8]) -> String {
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A `.npy` file of this type and shape.
fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(header.len() as u16).to_le_bytes());
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend_from_slice(data);
    bytes
}

fn column(dataset: &Dataset, feature: u32) -> Vec<f64> {
    let mut all = Vec::new();
    for query in dataset.iter() {
        let mut column = Vec::new();
        query.column(FeatureId(feature), &mut column);
        all.extend(column);
    }
    all
}

#[test]
fn scores_are_features_after_those_of_the_data() {
    let (folder, dataset) = rows();
    let values: [f64; 5] = [0.25, -1e-3, 3.5, 3.5, 0.0];
    let text = "0.25\n-0.001\n3.5\n3.50e0\n0\n";
    let ranklib = "a\t0\t0.25\na\t1\t-0.001\nb\t0\t3.5\nb\t1\t3.5\nb\t2\t0\n";
    let doubles: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let singles: Vec<u8> = values.iter().flat_map(|&value| (value as f32).to_be_bytes()).collect();
    let files = [
        write(&folder, "lgbm.txt", text.as_bytes()),
        write(&folder, "windows.pred", text.replace('\n', "\r\n").as_bytes()),
        write(&folder, "unended.txt", text.trim_end().as_bytes()),
        write(&folder, "ranklib.txt", ranklib.as_bytes()),
        write(&folder, "doubles.npy", &npy("<f8", "(5,)", &doubles)),
        write(&folder, "singles.npy", &npy(">f4", "(5,)", &singles)),
        format!("mine={}", write(&folder, "x", text.as_bytes())),
    ];
    let added = add(&dataset, &files, Features::Kept).unwrap();
    assert_eq!((added.features(), added.documents(), added.queries()), (11, 5, 2));
    let names: Vec<Option<&str>> = added.feature_names().unwrap().iter().collect();
    let expected = ["lgbm", "windows", "unended", "ranklib", "doubles", "singles", "mine"].map(Some);
    assert_eq!((&names[..4], &names[4..]), (&[None; 4][..], &expected[..]));
    for feature in 1..=4 {
        assert_eq!(column(&added, feature), column(&dataset, feature), "feature {feature}");
    }
    for feature in [5, 6, 7, 8, 9, 11] {
        assert_eq!(column(&added, feature), values, "feature {feature}");
    }
    let single = column(&added, 10);
    assert_eq!(single[1], f64::from(-1e-3_f32), "exactly the single");
    assert_eq!((added.labels(), added.max_label()), (dataset.labels(), dataset.max_label()));
    assert_ne!(added.checksum(), dataset.checksum());

    // The packed form is the one that packing everything at once gives.
    let packed = |index: usize| {
        let rows = dataset.document_offset(index)..dataset.document_offset(index + 1);
        let columns: Vec<Vec<f64>> = (1..=11).map(|feature| column(&added, feature)[rows.clone()].to_vec()).collect();
        EncodedQuery::from_columns(dataset.query(index).id(), dataset.query(index).labels(), &columns).unwrap()
    };
    let mut builder = letor_io::DatasetBuilder::new("again", dataset.provenance().clone());
    builder.push(packed(0)).push(packed(1));
    let again = builder.build();
    assert_eq!((&again, again.checksum()), (&added, added.checksum()));

    let alone = add(&dataset, &files[..1], Features::LeftOut).unwrap();
    assert_eq!((alone.features(), column(&alone, 1)), (1, values.to_vec()));
    let Provenance::Files { files, .. } = alone.provenance() else { panic!("files") };
    assert_eq!(files.len(), 2, "the rows and the scores");
    assert_eq!(Statistics::of(&alone).features, 1);
}

#[test]
fn different_doubles_are_never_tied() {
    let (folder, dataset) = rows();
    let next = |value: f64| f64::from_bits(value.to_bits() + 1);
    for value in [0.1, 1.0, 1e-300, 1e300, 123_456_789.123_456_7, f64::MIN_POSITIVE, f64::MAX / 2.0] {
        let scores = [value, next(value), value, next(value), -value];
        let bytes: Vec<u8> = scores.iter().flat_map(|value| value.to_le_bytes()).collect();
        let text: String = scores.iter().map(|value| format!("{value:?}\n")).collect();
        let files = [write(&folder, "a.npy", &npy("<f8", "(5,)", &bytes)), write(&folder, "b.txt", text.as_bytes())];
        let added = add(&dataset, &files, Features::LeftOut).unwrap();
        for feature in [1, 2] {
            assert_eq!(column(&added, feature), scores, "{value:e}");
            let mut keys = Vec::new();
            assert!(added.query(0).sort_keys(FeatureId(feature), &mut keys) && keys[0] < keys[1], "{value:e}");
            assert!(added.query(1).sort_keys(FeatureId(feature), &mut keys) && keys[2] < keys[0] && keys[0] < keys[1]);
        }
    }
}

#[test]
fn what_is_not_the_scores_of_these_rows_is_refused() {
    let (folder, dataset) = rows();
    let (four, nan) = ([0_u8; 32], [f64::NAN; 5].map(f64::to_le_bytes).concat());
    for (bytes, expected) in [
        (
            &b"1\n2\n3\n4\n"[..],
            ": has 4 scores, but rows.txt has 5 documents: predict the same files, in the same order",
        ),
        (b"1\n2\n3\n4\n5\n6\n", ": has 6 scores, but rows.txt has 5 documents"),
        (b"", ":1:1: is empty, expected one score per line"),
        (b"\n \n", ":1:1: is empty"),
        (
            b"score\n1\n2\n3\n4\n5\n",
            ":1:1: found `score`, expected one score per line, or RankLib's `query index score`: remove the header",
        ),
        (b"1\n2\nx\n4\n5\n", ":3:1: found `x`, expected one score per line"),
        (
            b"1\n2\n\n4\n5\n",
            ":3:1: found ``, expected one score per line, or RankLib's `query index score`: a blank line may only",
        ),
        (b"1\n2\nnan\n4\n5\n", ":3:1: score `nan` is not finite"),
        (b"0.1,0.9\n0.2,0.8\n", ":1:1: found `0.1,0.9`, expected one score per line"),
        (b"0.1 0.9\n0.2 0.8\n", ":1:1: found `0.1 0.9`, expected one score per line"),
        (b"a 0 1\na 1 2\n3\n", ":3:1: found `3`"),
        (
            b"a 0 1\nb 1 2\n",
            ":2:1: found a score for document `1` of query `b`, expected document 1 (from 0) of query a",
        ),
        (b"a 0 1\na 2 2\n", ":2:1: found a score for document `2` of query `a`, expected document 1"),
        (b"a 0 1\na 1 2\nb 0 1\nb 1 1\nb 2 1\nb 3 1\n", ": has 6 scores, but rows.txt has 5 documents"),
        (
            b"1 Q0 d 1 0.5 t\n",
            ":1:1: found `1 Q0 d 1 0.5 t`, expected one score per line, or RankLib's `query index score`: this is a TREC run",
        ),
        (ROWS.as_bytes(), "this is a row of a LETOR data set: give the file as --dataset"),
        (b"\x00\x01", ":1:1: found binary data"),
        (&npy("<f8", "(4,)", &four), ": has 4 scores, but rows.txt has 5 documents"),
        (&npy("<f8", "(5,)", &four), ": is a damaged .npy file"),
        (&npy("<f8", "(2, 2)", &four), ": is a .npy array of shape (2, 2), expected one dimension"),
        (&npy("<f8", "()", &four[..8]), ": is a .npy array of shape (), expected one dimension"),
        (&npy("<i8", "(4,)", &four), ": is a .npy array of type `<i8`, expected float32 or float64"),
        (&npy("<f8", "(5,)", &nan), ": score 1 (from 1) is NaN"),
        (b"\x93NUMPY\x01", ": is a damaged .npy file"),
        (b"\x93NUMPY\x01\x00\xff\xff{}", ": is a damaged .npy file"),
    ] {
        let file = write(&folder, "pred", bytes);
        let error = add(&dataset, std::slice::from_ref(&file), Features::Kept).expect_err(expected).to_string();
        let said = error.strip_prefix(file.as_str()).unwrap_or_else(|| panic!("{error}"));
        assert!(said.contains(expected) && !said.contains('\n'), "{said}\n{expected}");
    }
    let good = write(&folder, "good.txt", b"1\n2\n3\n4\n5\n");
    let twice = add(&dataset, &[good.clone(), good.clone()], Features::Kept).unwrap_err().to_string();
    assert!(twice.contains("both called `good`: give one of them another name"), "{twice}");
    let added = add(&dataset, std::slice::from_ref(&good), Features::Kept).unwrap();
    let again = add(&added, &[good], Features::Kept).unwrap_err().to_string();
    assert!(again.contains("feature 5 is called `good` too"), "{again}");
    let absent = add(&dataset, &["no/such/file"], Features::Kept).unwrap_err().to_string();
    assert!(absent.contains("no/such/file: failed to open"), "{absent}");
}
