//! Reads files or a folder and prints statistics and the speed:
//! `cargo run --release -p letor-io --example read -- FILE...`
#![allow(clippy::print_stdout, reason = "prints for a person")]

use std::time::Instant;

use letor_io::{ReadOptions, Statistics, read_files};

fn main() -> Result<(), letor_io::Error> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let bytes: u64 = paths.iter().filter_map(|path| std::fs::metadata(path).ok()).map(|m| m.len()).sum();
    let start = Instant::now();
    let dataset = read_files("data", &paths, &ReadOptions::default())?;
    let read = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let checksum = dataset.checksum();
    let hashed = start.elapsed().as_secs_f64();
    println!("{}", Statistics::of(&dataset));
    println!("  checksum            {checksum}");
    println!(
        "read in {read:.2} s ({:.0} MB/s of files, {} threads), checksum in {hashed:.2} s",
        bytes as f64 / 1e6 / read,
        rayon::current_num_threads(),
    );
    Ok(())
}
