//! The published results of this program's policies.

use std::path::PathBuf;

use bench::results::EntryResults;
use bench::{Definition, Request, Results, Scores, Track, table};
use studies::Content;

use crate::common::{played, policy};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../results/bench-1")
}

/// The tables are those of the values beside them, and these those of this definition; `UPDATE=1` writes the tables again. What
/// pages say of them is compared by `cargo xtask tidy`.
#[test]
fn published_tables_are_those_of_published_values() {
    let read = |name: &str| std::fs::read(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let text = String::from_utf8(read("bench.json")).expect("JSON");
    let results = Results::from_json(&text).expect("results");
    let definition = Definition::of_this_program().expect("the definition holds");
    assert_eq!((&results.bench, &results.definition), (&definition.name, &definition.checksum));
    let mut files = table::files(&Scores::of(std::slice::from_ref(&results)).expect("scores")).expect("tables");
    files.push(("bench.json".to_owned(), Content::Bytes(results.to_json().expect("JSON").into_bytes())));
    for (name, content) in files {
        let (Content::Table(bytes) | Content::Bytes(bytes)) = content else { panic!("{name}") };
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(folder().join(&name), bytes).expect("the file can be written");
        } else {
            assert!(read(&name) == bytes, "{name} is not made of bench.json; UPDATE=1 writes it");
        }
    }
}

/// A few of the published values, played again. An algorithm of another revision makes other values: its entry says so, and is passed over.
#[test]
fn published_values_are_those_that_are_played() {
    let text = std::fs::read_to_string(folder().join("bench.json")).expect("results");
    let published = Results::from_json(&text).expect("results");
    for (track, problem, names) in [
        (Track::Best, "ukp-07", &["rucb", "dts", "self-sparring", "knockout"][..]),
        (Track::Order, "rival-20", &["rucb", "dts", "self-sparring", "knockout"]),
        (Track::Regret, "cycle-20", &["winner-stays-strong", "rucb"]),
        (Track::Winner, "close-2", &["random"]),
        (Track::Late, "order-20", &["mergerucb"]),
    ] {
        let theirs = &published.tracks[&track];
        let request = Request {
            tracks: vec![track],
            entries: names.iter().map(|name| policy(name)).collect(),
            problems: Some(vec![problem.to_owned()]),
            runs: None,
            key: None,
        };
        let ours = played(request);
        let place = theirs.problems.iter().position(|name| name == problem).expect("it was played");
        for info in &ours.entries {
            if !published.entries.contains(info) {
                eprintln!("passed over: {} was played as something else", info.name);
                continue;
            }
            let values = |results: &EntryResults, place: usize| match results {
                EntryResults::Values(values) => values[place].clone(),
                other => panic!("{}: {other:?}", info.name),
            };
            let (ours, theirs) = (&ours.tracks[&track].entries[&info.name], &theirs.entries[&info.name]);
            assert_eq!(values(ours, 0), values(theirs, place), "{} on {problem}, track {}", info.name, track.letter());
        }
    }
}
