//! Helpers of the tests.
#![allow(dead_code, unreachable_pub, reason = "each test file uses only some of them")]

pub mod profile;

use std::io::Write;
use std::path::{Path, PathBuf};

use letor_io::{Dataset, Error, ReadOptions, read_files};

/// Reads `paths` on a pool with `threads` threads.
pub fn read_on<P: AsRef<Path> + Sync>(threads: usize, paths: &[P], options: &ReadOptions) -> Result<Dataset, Error> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| read_files("test", paths, options))
}

/// Reads text as a file called `data.txt`.
pub fn read_text(text: &[u8]) -> Result<Dataset, Error> {
    read_text_with(text, &ReadOptions::default())
}

pub fn read_text_with(text: &[u8], options: &ReadOptions) -> Result<Dataset, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.txt");
    std::fs::write(&path, text).unwrap();
    read_files("test", &[path], options)
}

pub fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// The data set as text.
pub fn to_text(dataset: &Dataset, omit_zeros: bool) -> Vec<u8> {
    let mut text = Vec::new();
    letor_io::write(dataset, &letor_io::WriteOptions { omit_zeros }, &mut text).unwrap();
    text
}

/// Rows of `queries` queries in the dialect that `row` writes, always with the same content: 0 to 40 features per row,
/// values of all forms.
pub fn rows(queries: usize, row: impl Fn(&str, usize, &str) -> String) -> String {
    let mut text = String::new();
    let mut state = 1u64;
    let mut random = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for query in 0..queries {
        for _ in 0..1 + random(30) {
            let mut values = String::new();
            for feature in 1..=40 {
                match random(8) {
                    0 | 1 => {}
                    2 => values += &format!(" {feature}:0"),
                    3 => values += &format!(" {feature}:{}", random(200_000_000)),
                    4 => values += &format!(" {feature}:-{}.{:06}", random(100), random(1_000_000)),
                    5 => values += &format!(" {feature}:{}e-{:02}", random(10_000), random(12)),
                    _ => values += &format!(" {feature}:0.{:06}", random(1_000_000)),
                }
            }
            text += &row(&random(5).to_string(), query, &values);
        }
    }
    text
}

/// The path of `name` in the folder of real data: `RANKDUEL_TEST_DATA`, otherwise `../shared/data` beside the checkout.
///
/// Panics if it does not exist.
pub fn real_data(name: &str) -> PathBuf {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let root = letor_io::environment::TEST_DATA.value().map_or_else(|| beside.into(), PathBuf::from);
    let path = root.join(name);
    assert!(path.exists(), "no real data at {}: set RANKDUEL_TEST_DATA to their folder", path.display());
    path
}
