//! The votes that the program ships are those of the sources.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::PathBuf;

use bench::problems::{VoteCounts, vote_sets};

/// The folder with the sources, if it is there.
fn sources(folder: &str) -> Option<PathBuf> {
    let root = std::env::var_os("RANKDUEL_TEST_DATA")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    let path = root.join(folder);
    if !path.is_dir() {
        eprintln!("skipped: {} is not there", path.display());
        return None;
    }
    Some(path)
}

/// Votes of one set: the first, the second, and the winner (`first`, `second`, `tie`).
type Votes = Vec<[String; 3]>;

/// The form of `problems::votes`: a line per arm with its pairs.
fn compact(name: &str, title: &str, votes: &Votes) -> String {
    let mut arms: Vec<&String> = votes.iter().flat_map(|[first, second, _]| [first, second]).collect();
    arms.sort();
    arms.dedup();
    let mut counts: BTreeMap<(&String, &String), VoteCounts> = BTreeMap::new();
    for [first, second, winner] in votes {
        let is_sorted = first < second;
        let cell = counts.entry(if is_sorted { (first, second) } else { (second, first) }).or_default();
        let place = match winner.as_str() {
            "tie" => 2,
            "first" => usize::from(!is_sorted),
            _ => usize::from(is_sorted),
        };
        cell[place] += 1;
    }
    let mut text = format!("# {name}: {title}\n");
    for (i, arm) in arms[..arms.len() - 1].iter().enumerate() {
        let cell = |other: &&String| {
            let counts = counts.get(&(*arm, *other)).copied().unwrap_or_default();
            counts.map(|count| char::from_digit(count, 36).expect("few votes")).iter().collect::<String>()
        };
        text += &(arms[i + 1..].iter().map(cell).collect::<Vec<_>>().join(" ") + "\n");
    }
    text
}

/// Compares what is shipped; with `UPDATE=1`, writes it.
fn check(name: &str, expected: &str) {
    let set = vote_sets().iter().find(|set| set.name == name).expect("a set");
    if std::env::var_os("UPDATE").is_some() {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("votes/{name}.txt"));
        std::fs::write(path, expected).expect("the file can be written");
        return;
    }
    assert!(set.text() == expected, "votes/{name}.txt is not what the source makes; UPDATE=1 writes it");
}

#[test]
fn tournaments_are_those_of_the_source() {
    let Some(folder) = sources("ukp-tournaments") else { return };
    let mut text = String::new();
    let file = std::fs::File::open(folder.join("votes.csv.gz")).expect("the votes");
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("gzip");
    let mut by_tournament: BTreeMap<u32, Votes> = BTreeMap::new();
    for row in csv::Reader::from_reader(text.as_bytes()).records() {
        let row = row.expect("a row");
        let number = row[0].parse().expect("a number");
        by_tournament.entry(number).or_default().push([row[1].to_owned(), row[2].to_owned(), row[3].to_owned()]);
    }
    let mut titles = BTreeMap::new();
    for row in csv::Reader::from_path(folder.join("tournaments.csv")).expect("the tournaments").records() {
        let row = row.expect("a row");
        titles.insert(row[0].parse::<u32>().expect("a number"), row[1].to_owned());
    }
    let parts =
        by_tournament.iter().map(|(number, votes)| compact(&format!("ukp-{number:02}"), &titles[number], votes));
    check("ukp", &parts.collect::<String>());
}

#[test]
fn models_are_those_of_the_source() {
    let Some(folder) = sources("llmfao") else { return };
    let mut votes = Votes::new();
    let mut reader = csv::Reader::from_path(folder.join("crowd-comparisons.csv")).expect("the votes");
    for row in reader.deserialize::<BTreeMap<String, String>>() {
        let row = row.expect("a row");
        let winner = match row["winner"].as_str() {
            "left" => "first",
            "right" => "second",
            tie => tie,
        };
        votes.push([row["left"].clone(), row["right"].clone(), winner.to_owned()]);
    }
    check("llmfao", &compact("llmfao", "answers of language models", &votes));
}
