//! Random bytes and corrupted text give a data set or an error, never a panic; a data set survives writing and reading.

use crate::support::{gzip, read_on, read_text, rows, to_text};
use letor_io::{Dataset, Error, Null, ReadOptions, SameQid};
use proptest::prelude::*;

fn check(text: &[u8]) {
    let lenient = ReadOptions { max_label: 1e9, null: Null::Zero, same_qid: SameQid::Merge, ..ReadOptions::default() };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    std::fs::write(&path, text).unwrap();
    let shown = |outcome: &Result<Dataset, Error>| match outcome {
        Ok(dataset) => dataset.checksum(),
        Err(error) => error.to_string(),
    };
    for options in [ReadOptions::default(), lenient] {
        let (one, two) = (read_on(1, &[&path], &options), read_on(2, &[&path], &options));
        assert_eq!(shown(&one), shown(&two));
        match one {
            Ok(dataset) => {
                let again = crate::support::read_text_with(&to_text(&dataset, false), &options).unwrap();
                assert!(again == dataset);
            }
            Err(error) => assert!(!error.to_string().contains('\n')),
        }
    }
}

/// Meaningful fragments of text, so that random sequences of them get past the first token.
fn fragments() -> impl Strategy<Value = Vec<u8>> {
    let fragment = prop::sample::select(vec![
        "0",
        "1",
        "-1",
        "+2",
        "4.5",
        " ",
        " ",
        " ",
        "\t",
        "\n",
        "\n",
        "\r\n",
        "qid:1",
        "qid:2",
        "qid:",
        " 1:",
        " 2:",
        " 7:0.5",
        " 3:-1e-9",
        ":",
        "#",
        "# 3",
        "#docid = 4",
        ".",
        "e",
        "-",
        "NULL",
        "nan",
        "1e308",
        "9999999999",
        "123456789012345678901",
        "\u{e9}",
        "\0",
        "0.0000001",
        "1000000:1",
    ]);
    prop::collection::vec(fragment, 0..80).prop_map(|fragments| fragments.concat().into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes(text in prop::collection::vec(any::<u8>(), 0..400)) {
        check(&text);
    }

    #[test]
    fn random_fragments(text in fragments()) {
        check(&text);
    }

    #[test]
    fn valid_text_with_bytes_changed(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let mut text = rows(4, |label, query, values| format!("{label} qid:{query}{values}\n")).into_bytes();
        for (at, byte) in &changes {
            let at = at.index(text.len());
            text[at] = *byte;
        }
        check(&text);
    }

    #[test]
    fn valid_gzip_with_bytes_changed(change: prop::sample::Index, byte: u8, cut: prop::sample::Index) {
        let text = rows(4, |label, query, values| format!("{label} qid:{query}{values}\n"));
        let mut packed = gzip(text.as_bytes());
        let (at, len) = (change.index(packed.len()), packed.len());
        packed[at] = byte;
        check(&packed);
        packed.truncate(1 + cut.index(len));
        check(&packed);
    }

    #[test]
    fn values_agree_with_the_standard_library(
        values in prop::collection::vec("-?[0-9]{1,12}(\\.[0-9]{0,12})?(e-?[0-9]{1,2})?", 1..30),
    ) {
        let text: String = values.iter().map(|value| format!("0 qid:1 3:{value}\n")).collect();
        let dataset = read_text(text.as_bytes()).unwrap();
        let mut column = Vec::new();
        dataset.query(0).column(letor_io::FeatureId(3), &mut column);
        let expected: Vec<f64> = values.iter().map(|value| value.parse().unwrap()).collect();
        prop_assert_eq!(column, expected);
    }
}
