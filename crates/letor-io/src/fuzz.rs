//! What must hold for any bytes at all: the bodies of the fuzz targets in `fuzz/`, also run by a test
//! over many damaged copies of sound files.

use crate::dataset::{Dataset, FeatureId, Statistics};
use crate::text::{Null, ReadOptions, SameQid, WriteOptions, read_source, write};

/// What takes a thread pool is done for one number of documents in so many, as handing it over takes
/// longer than all the rest.
const RARELY: usize = 16;

/// Reads `bytes` as text.
///
/// # Panics
///
/// When reading panics; when cutting the text into other pieces gives another data set or error; when a
/// data set is not the same after it was written and read again.
pub fn text(bytes: &[u8]) {
    for (same_qid, null) in [(SameQid::Separate, Null::Zero), (SameQid::Error, Null::Error)] {
        let options = ReadOptions { same_qid, null, ..ReadOptions::default() };
        let whole = read_source(bytes.to_vec(), bytes.len() + 1, &options);
        let pieces = read_source(bytes.to_vec(), 64, &options);
        match (whole, pieces) {
            (Ok(whole), Ok(pieces)) => {
                assert!(whole == pieces, "pieces change the data set");
                written_and_read(&whole, &options);
            }
            (Err(whole), Err(pieces)) => assert_eq!(whole.to_string(), pieces.to_string(), "pieces change the error"),
            (whole, pieces) => panic!("pieces change the outcome: {whole:?}, {pieces:?}"),
        }
    }
}

fn written_and_read(dataset: &Dataset, options: &ReadOptions) {
    for omit_zeros in [true, false] {
        if !omit_zeros && dataset.documents() as u64 * u64::from(dataset.features()) > 1 << 16 {
            continue;
        }
        let mut text = Vec::new();
        write(dataset, &WriteOptions { omit_zeros }, &mut text).expect("memory takes it");
        // Blocks of one query that follow each other are written as one.
        let adjacent = (1..dataset.queries()).any(|query| dataset.query(query).id() == dataset.query(query - 1).id());
        if adjacent {
            continue;
        }
        let len = text.len() + 1;
        let again = read_source(text, len, options).expect("what was written is read");
        assert!(*dataset == again, "written and read again, the data set differs");
        if dataset.documents().is_multiple_of(RARELY) {
            assert_eq!(dataset.checksum(), again.checksum());
        }
    }
}

/// Reads `bytes` as a cache file, as they are and with hashes made to fit; whether they were sound as
/// they are.
///
/// # Panics
///
/// When reading panics.
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

/// Looks at everything there is.
fn visit(dataset: &Dataset) {
    // Features go up to what the index says, which costs time and proves nothing.
    if dataset.documents().is_multiple_of(RARELY) && dataset.features() <= 1 << 12 && dataset.queries() <= 1 << 10 {
        std::hint::black_box(Statistics::of(dataset));
    }
    let (mut values, mut keys) = (Vec::new(), Vec::new());
    for query in dataset.iter() {
        for feature in query.present().chain([FeatureId(dataset.features())]) {
            query.column(feature, &mut values);
            assert_eq!(values.len(), query.documents());
            query.sort_keys(feature, &mut keys);
        }
    }
    write(dataset, &WriteOptions::default(), std::io::sink()).expect("a sink takes all");
}
