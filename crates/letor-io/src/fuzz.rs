//! Properties that hold for arbitrary bytes: the bodies of the fuzz targets in `fuzz/`. A test runs them on
//! damaged copies of valid files too.

use crate::dataset::{Dataset, DatasetBuilder, FeatureId, Provenance, Statistics};
use crate::text::{Null, ReadOptions, SameQid, WriteOptions, read_source, write};

/// Checks that need the thread pool run only if the number of documents is a multiple of this: handing work to
/// the pool takes longer than all other checks together.
const POOL_CHECK_INTERVAL: usize = 16;

/// Reads `bytes` as text.
///
/// # Panics
///
/// If reading panics, if cutting the text into other pieces changes the data set or the error, or if writing
/// and reading the data set changes it.
pub fn text(bytes: &[u8]) {
    for (same_qid, null) in
        [(SameQid::Separate, Null::Zero), (SameQid::Separate, Null::Min), (SameQid::Error, Null::Error)]
    {
        let options = ReadOptions { same_qid, null, ..ReadOptions::default() };
        let in_one_piece = read_source(bytes.to_vec(), bytes.len() + 1, &options);
        let pieces = read_source(bytes.to_vec(), 64, &options);
        match (in_one_piece, pieces) {
            (Ok(in_one_piece), Ok(pieces)) => {
                assert!(in_one_piece == pieces, "the data set depends on the pieces");
                check_round_trip(&in_one_piece, &options);
            }
            (Err(in_one_piece), Err(pieces)) => {
                assert_eq!(in_one_piece.to_string(), pieces.to_string(), "the error depends on the pieces")
            }
            (in_one_piece, pieces) => panic!("the outcome depends on the pieces: {in_one_piece:?}, {pieces:?}"),
        }
    }
}

fn check_round_trip(dataset: &Dataset, options: &ReadOptions) {
    for omit_zeros in [true, false] {
        if !omit_zeros && dataset.documents() as u64 * u64::from(dataset.features()) > 1 << 16 {
            continue;
        }
        let mut text = Vec::new();
        write(dataset, &WriteOptions { omit_zeros }, &mut text).expect("writing to memory succeeds");
        // Adjacent blocks with the same id become one query.
        let adjacent = (1..dataset.queries()).any(|query| dataset.query(query).id() == dataset.query(query - 1).id());
        if adjacent {
            continue;
        }
        let len = text.len() + 1;
        let again = read_source(text, len, options).expect("written text is readable");
        assert!(*dataset == again, "writing and reading changed the data set");
        if dataset.documents().is_multiple_of(POOL_CHECK_INTERVAL) {
            assert_eq!(dataset.checksum(), again.checksum());
        }
    }
}

/// Reads `bytes` as a TREC run, as qrels and as scores.
///
/// # Panics
///
/// If reading panics, if the order of a run's lines changes the data set, or if a list has not the documents of the run.
pub fn trec(bytes: &[u8]) {
    crate::trec::fuzz::check(bytes);
    let mut builder = DatasetBuilder::new("two rows", Provenance::LookAlike { name: "two rows".into() });
    builder.push_columns("q", &[0.0, 1.0], &[[1.0, 2.0]]).expect("a sound query");
    crate::scores::check(bytes, &builder.build());
}

/// Reads `bytes` as a cache file, unchanged and with repaired hashes. Returns whether they are valid
/// unchanged.
///
/// # Panics
///
/// If reading panics.
pub fn cache(bytes: &[u8]) -> bool {
    if let Some(dataset) = crate::cache::check_bytes(bytes, true) {
        visit(&dataset);
    }
    match crate::cache::check_bytes(bytes, false) {
        Some(dataset) => {
            visit(&dataset);
            true
        }
        None => false,
    }
}

/// Reads every value of `dataset`.
fn visit(dataset: &Dataset) {
    // A damaged index can claim many features or queries, which would only cost time.
    if dataset.documents().is_multiple_of(POOL_CHECK_INTERVAL)
        && dataset.features() <= 1 << 12
        && dataset.queries() <= 1 << 10
    {
        std::hint::black_box(Statistics::of(dataset));
    }
    let (mut values, mut keys) = (Vec::new(), Vec::new());
    for query in dataset.iter() {
        for feature in query.nonzero_features().chain([FeatureId(dataset.features())]) {
            query.column(feature, &mut values);
            assert_eq!(values.len(), query.documents());
            query.sort_keys(feature, &mut keys);
        }
    }
    write(dataset, &WriteOptions::default(), std::io::sink()).expect("writing to a sink succeeds");
}
