//! Receipts stay readable: those that earlier builds wrote, with the credit that they gave.
//!
//! A line of `tests/data/receipts-2.jsonl` is one draw: the method, the lists as scores by document (`null` where a ranker does
//! not list it), the list that was shown, the receipt with documents as bytes, without them as JSON, the method's receipt
//! alone (`plain`), and what each set of clicks was worth. Its lines are never written again: those of a new method are appended, and a
//! new format adds a file of its own:
//!
//! ```sh
//! RECEIPTS=$PWD/crates/interleave/tests/data/receipts-N.jsonl cargo test -p interleave --test all -- --ignored write_receipts
//! ```

use std::fmt::Write as _;

use interleave::{
    AnyInterleaving, AnyInterleavingReceipt, AnyMultileaving, AnyMultileavingReceipt, Doc, Generator, Interleaving,
    ListBuf, Multileaving, Outcome, Preference,
    receipt::{self, MixedReceipt, Receipt},
};
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

const KEPT: &str = include_str!("../data/receipts-2.jsonl");

/// One draw.
#[derive(Serialize, Deserialize)]
struct Row {
    method: String,
    /// Whether it is of two rankers, by an interleaving method.
    two: bool,
    /// The kind of lists.
    lists: String,
    scores: Vec<Vec<Option<u16>>>,
    length: usize,
    shown: Vec<u16>,
    bytes: String,
    json: String,
    plain: String,
    /// By set of clicks: a digit per pair of rankers, 1 where the former won, 2 where the latter did, 0 for a tie.
    credit: Vec<String>,
}

/// Settings beyond those of the names.
const MORE_INTERLEAVING: [&str; 6] = [
    "probabilistic:tau=1",
    "probabilistic:same,tau=2",
    "probabilistic:assignment,tau=1",
    "probabilistic:expected,redraws=4,tau=2",
    "optimized:lists=16",
    "optimized:inverse,lists=4",
];
const MORE_MULTILEAVING: [&str; 5] = [
    "probabilistic:tau=1",
    "probabilistic:sampled=50",
    "probabilistic:signs,independent",
    "optimized:negative,lists=5",
    "sosm:tau=1",
];

const KINDS: [&str; 8] = ["strict", "ties", "prefix", "overlap", "disjoint", "one empty", "all empty", "long"];

fn interleaving_methods() -> impl Iterator<Item = &'static str> {
    AnyInterleaving::NAMES.into_iter().chain(MORE_INTERLEAVING)
}

fn multileaving_methods() -> impl Iterator<Item = &'static str> {
    AnyMultileaving::NAMES.into_iter().chain(MORE_MULTILEAVING)
}

/// Sets of clicks on a list of `length`: all of few, else those worth trying.
fn clicks(length: usize, rankers: usize) -> Vec<Vec<usize>> {
    if length <= 4 && rankers <= 5 {
        return crate::oracle::subsets(length).collect();
    }
    let mut sets = vec![vec![], (0..length).collect()];
    if rankers <= 5 {
        sets.extend((0..length).map(|at| vec![at]));
        sets.extend((1..length).map(|at| vec![at - 1, at]));
        sets.push((0..length).step_by(2).collect());
    }
    sets
}

fn lists_of(scores: &[Vec<Option<u16>>]) -> Vec<ListBuf> {
    let list = |scores: &Vec<Option<u16>>| ListBuf::from_some_scores(scores.iter().map(|score| score.map(f64::from)));
    scores.iter().map(|scores| list(scores).unwrap()).collect()
}

fn two_digits(method: &AnyInterleaving, kept: &AnyInterleavingReceipt, shown: usize) -> Vec<String> {
    let credit = |clicks: &Vec<usize>| digit(method.credit(kept, clicks).unwrap()).to_string();
    clicks(shown, 2).iter().map(credit).collect()
}

fn many_digits(method: &AnyMultileaving, kept: &AnyMultileavingReceipt, shown: usize, rankers: usize) -> Vec<String> {
    let credit = |clicks: &Vec<usize>| {
        let outcome = method.credit(kept, clicks).unwrap();
        assert_eq!(outcome.rankers(), rankers);
        let pairs = (0..rankers).flat_map(|i| (i + 1..rankers).map(move |j| (i, j)));
        pairs.map(|(i, j)| digit(outcome.preference(i, j))).collect()
    };
    clicks(shown, rankers).iter().map(credit).collect()
}

fn digit(preference: Preference) -> char {
    match preference {
        Preference::Tie => '0',
        Preference::First => '1',
        Preference::Second => '2',
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn bytes_of(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

fn rows() -> Vec<Row> {
    KEPT.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_method_list_and_number_of_rankers_is_kept() {
    let rows = rows();
    let has = |two: bool, method: &str, kind: &str, rankers: usize| {
        rows.iter()
            .any(|row| row.two == two && row.method == method && row.lists == kind && row.scores.len() == rankers)
    };
    for kind in KINDS {
        assert!(interleaving_methods().all(|method| has(true, method, kind, 2)), "{kind}");
        assert!(multileaving_methods().all(|method| has(false, method, kind, 3)), "{kind}");
    }
    for rankers in [0, 1, 2, 5, 12] {
        assert!(multileaving_methods().all(|method| has(false, method, "overlap", rankers)), "{rankers}");
    }
    assert!(multileaving_methods().all(|method| has(false, method, "ties", 40)));
}

/// Every form of every receipt is read, and written again to the byte.
#[test]
fn kept_receipts_are_read_and_written_alike() {
    for row in rows() {
        let ids: Vec<String> = row.shown.iter().map(|doc| format!("doc-{doc}")).collect();
        let with_documents = Receipt::from_bytes(&bytes_of(&row.bytes)).unwrap();
        let receipt: Receipt = serde_json::from_str(&row.json).unwrap();
        assert_eq!(receipt.clone().with_documents(ids).unwrap(), with_documents);
        assert_eq!(hexadecimal(&with_documents.to_bytes()), row.bytes);
        assert_eq!(serde_json::to_string(&receipt).unwrap(), row.json);
        let plain = bytes_of(&row.plain);
        let (mixed, written) = if row.two {
            let kept: AnyInterleavingReceipt = receipt::from_bytes(&plain).unwrap();
            (MixedReceipt::Interleaving(kept.clone()), receipt::to_bytes(&kept))
        } else {
            let kept: AnyMultileavingReceipt = receipt::from_bytes(&plain).unwrap();
            (MixedReceipt::Multileaving(kept.clone()), receipt::to_bytes(&kept))
        };
        assert_eq!((&mixed, written.unwrap()), (receipt.mixed(), plain));
    }
}

#[test]
fn kept_receipts_are_credited_as_they_were() {
    for row in rows() {
        let receipt = Receipt::from_bytes(&bytes_of(&row.bytes)).unwrap();
        let found = match receipt.mixed() {
            MixedReceipt::Interleaving(kept) => two_digits(&kept.method().parse().unwrap(), kept, row.shown.len()),
            MixedReceipt::Multileaving(kept) => {
                many_digits(&kept.method().parse().unwrap(), kept, row.shown.len(), row.scores.len())
            }
        };
        assert_eq!(found, row.credit, "{} {} {:?}", row.method, row.lists, row.scores);
        let rankers = row.scores.len();
        let digits = |clicks: &Vec<usize>| -> String {
            let outcome = receipt.outcome(clicks).unwrap();
            let pairs = (0..rankers).flat_map(|i| (i + 1..rankers).map(move |j| (i, j)));
            pairs.map(|(i, j)| digit(outcome.preference(i, j))).collect()
        };
        assert_eq!(clicks(row.shown.len(), rankers).iter().map(digits).collect::<Vec<_>>(), row.credit);
    }
}

#[test]
fn receipts_name_owners_where_their_method_says_so() {
    for row in rows() {
        let receipt = Receipt::from_bytes(&bytes_of(&row.bytes)).unwrap();
        let ownership = match row.two {
            true => row.method.parse::<AnyInterleaving>().unwrap().ownership(),
            false => row.method.parse::<AnyMultileaving>().unwrap().ownership(),
        };
        assert_eq!(receipt.mixed().owners().is_some(), ownership.has_owners(), "{}", row.method);
        assert_eq!(receipt.mixed().ownership(), ownership, "{}", row.method);
    }
}

/// Lists of one kind: scores by ranker and document.
fn scores_of(kind: &str, rankers: usize, generator: &mut Generator) -> Vec<Vec<Option<u16>>> {
    let shuffled = |documents: usize, generator: &mut Generator| {
        let mut order: Vec<u16> = (0..documents as u16).collect();
        for last in (1..documents).rev() {
            order.swap(last, generator.random_range(0..=last));
        }
        order
    };
    let some = |scores: Vec<u16>| scores.into_iter().map(Some).collect::<Vec<Option<u16>>>();
    let first = shuffled(6, generator);
    (0..rankers)
        .map(|x| match kind {
            "strict" => some(shuffled(6, generator)),
            "ties" => some((0..7).map(|_| generator.random_range(0..3)).collect()),
            // The first list, or some of its top.
            "prefix" => first.iter().map(|&score| (x == 0 || usize::from(score) + x > 3).then_some(score)).collect(),
            "overlap" => {
                let order = shuffled(6, generator);
                order.into_iter().map(|score| generator.random_bool(0.6).then_some(score)).collect()
            }
            "disjoint" => (0..6).map(|doc| (doc % rankers == x).then_some(doc as u16)).collect(),
            "one empty" if x + 1 == rankers => vec![None; 4],
            "one empty" => some(shuffled(4, generator)),
            "all empty" => vec![None; 2],
            "long" => some(shuffled(300, generator)),
            _ => unreachable!("{kind}"),
        })
        .collect()
}

#[test]
#[ignore = "writes the file that RECEIPTS names: for a new format"]
fn write_receipts() {
    let path = std::env::var("RECEIPTS").expect("a path in RECEIPTS");
    let mut generator = Generator::seed_from_u64(20_261_125);
    let mut text = String::new();
    let write = |text: &mut String, row: &Row| {
        text.push_str(&serde_json::to_string(row).unwrap());
        text.push('\n');
    };
    let length = |kind: &str| if kind == "long" { 8 } else { 4 };
    let ids = |shown: &[Doc]| -> Vec<String> { shown.iter().map(|doc| format!("doc-{}", doc.0)).collect() };
    for method in interleaving_methods() {
        let any: AnyInterleaving = method.parse().unwrap();
        for kind in KINDS {
            let scores = scores_of(kind, 2, &mut generator);
            let lists = lists_of(&scores);
            let both = [lists[0].as_list(), lists[1].as_list()];
            let (shown, kept) = any.draw(both, length(kind), &mut generator, &mut Default::default());
            let receipt = Receipt::from(kept.clone());
            let row = Row {
                method: method.to_owned(),
                two: true,
                lists: kind.to_owned(),
                scores: if kind == "long" { vec![Vec::new(); 2] } else { scores },
                length: length(kind),
                shown: shown.iter().map(|doc| doc.0).collect(),
                json: serde_json::to_string(&receipt).unwrap(),
                bytes: hexadecimal(&receipt.with_documents(ids(&shown)).unwrap().to_bytes()),
                plain: hexadecimal(&receipt::to_bytes(&kept).unwrap()),
                credit: two_digits(&any, &kept, shown.len()),
            };
            write(&mut text, &row);
        }
    }
    for method in multileaving_methods() {
        let any: AnyMultileaving = method.parse().unwrap();
        let kinds = KINDS.into_iter().map(|kind| (kind, 3));
        let numbers = [0, 1, 2, 5, 12].into_iter().map(|rankers| ("overlap", rankers));
        for (kind, rankers) in kinds.chain(numbers).chain([("ties", 40)]) {
            let scores = scores_of(kind, rankers, &mut generator);
            let lists = lists_of(&scores);
            let all: Vec<_> = lists.iter().map(ListBuf::as_list).collect();
            // The credit of 780 pairs fits a line for a short list alone.
            let length = if rankers == 40 { 1 } else { length(kind) };
            let (shown, kept) = any.draw(&all, length, &mut generator, &mut Default::default());
            let receipt = Receipt::from(kept.clone());
            let row = Row {
                method: method.to_owned(),
                two: false,
                lists: kind.to_owned(),
                scores: if kind == "long" { vec![Vec::new(); rankers] } else { scores },
                length,
                shown: shown.iter().map(|doc| doc.0).collect(),
                json: serde_json::to_string(&receipt).unwrap(),
                bytes: hexadecimal(&receipt.with_documents(ids(&shown)).unwrap().to_bytes()),
                plain: hexadecimal(&receipt::to_bytes(&kept).unwrap()),
                credit: many_digits(&any, &kept, shown.len(), rankers),
            };
            write(&mut text, &row);
        }
    }
    std::fs::write(path, text).unwrap();
}
