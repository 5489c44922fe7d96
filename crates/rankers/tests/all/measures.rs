//! Measures of TREC runs against `ir_measures`, and of feature rankers with ties.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use letor_io::trec::{self, TrecOptions, TrecTies};
use letor_io::{Dataset, DatasetBuilder, FeatureId, Provenance};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Generator;
use rankers::{Gain, Measure, Rankings, TieBreaking};
use tempfile::TempDir;

/// Graded and negative labels; d5 and d6 are retrieved by no run, nor is anything for query 3, and 4 has nothing relevant.
const QRELS: &str =
    "1 0 d1 2\n1 0 d2 0\n1 0 d3 1\n1 0 d4 -1\n1 0 d5 3\n2 0 d1 1\n2 0 d6 1\n2 0 d7 4\n3 0 d1 1\n4 0 d1 0\n";
/// Ties (d1 and d2 of query 1), documents without judgment (d8, d9), a query without judgments (9), ranks that lie.
const FIRST: &str = "1 Q0 d2 1 3.5 t\n1 Q0 d1 2 3.5 t\n1 Q0 d8 3 2 t\n1 Q0 d3 9 1.5 t\n1 Q0 d4 5 1 t\n2 Q0 d9 1 7 t\n\
                     2 Q0 d7 2 6 t\n4 Q0 d1 1 1 t\n9 Q0 d1 1 1 t\n";
/// Nothing for query 2, and fewer documents for query 1.
const SECOND: &str = "1 Q0 d3 1 0.75 t\n1 Q0 d2 2 0.5 t\n4 Q0 d8 1 2 t\n4 Q0 d1 2 1 t\n";

/// By ir_measures 0.4.3 (pytrec_eval-terrier 0.5.11, cwl-eval 1.0.12): of the first run for queries 1 and 2 and on average
/// over the four judged queries, and of the second run for query 1 and on average.
const GOLDEN: [(&str, [f64; 5]); 18] = [
    (
        "nDCG@2",
        [0.2960819109658652, 0.5449702648457346, 0.21026304395289996, 0.23463936301137822, 0.058659840752844555],
    ),
    ("nDCG", [0.35543595158098623, 0.49186387954915173, 0.2118249577825345, 0.21000199575396408, 0.05250049893849102]),
    (
        "nDCG(dcg='exp-log2')@3",
        [0.20151514190050243, 0.5866956491752439, 0.19705269776893658, 0.10646464774659967, 0.026616161936649917],
    ),
    (
        "nDCG(dcg='exp-log2')",
        [0.24736696994850418, 0.5866956491752439, 0.208515654780937, 0.10646464774659967, 0.026616161936649917],
    ),
    ("AP", [0.3333333333333333, 0.16666666666666666, 0.125, 0.3333333333333333, 0.08333333333333333]),
    ("AP@2", [0.16666666666666666, 0.16666666666666666, 0.08333333333333333, 0.3333333333333333, 0.08333333333333333]),
    ("AP(rel=2)", [0.25, 0.5, 0.1875, 0.0, 0.0]),
    ("RR", [0.5, 0.5, 0.25, 1.0, 0.25]),
    ("RR@1", [0.0, 0.0, 0.0, 1.0, 0.25]),
    ("RR(rel=2)", [0.5, 0.5, 0.25, 0.0, 0.0]),
    ("P@1", [0.0, 0.0, 0.0, 1.0, 0.25]),
    ("P@5", [0.4, 0.2, 0.15000000000000002, 0.2, 0.05]),
    ("P(rel=2)@3", [0.3333333333333333, 0.3333333333333333, 0.16666666666666666, 0.0, 0.0]),
    ("R@2", [0.3333333333333333, 0.3333333333333333, 0.16666666666666666, 0.3333333333333333, 0.08333333333333333]),
    ("R@100", [0.6666666666666666, 0.3333333333333333, 0.25, 0.3333333333333333, 0.08333333333333333]),
    ("R(rel=2)@3", [0.5, 1.0, 0.375, 0.0, 0.0]),
    (
        "RBP(rel=1,p=0.8)",
        [0.26239999999999997, 0.15999999999999995, 0.10559999999999997, 0.19999999999999993, 0.04999999999999998],
    ),
    ("RBP(rel=2,p=0.5)", [0.25, 0.25, 0.125, 0.0, 0.0]),
];

/// The files of runs and qrels in a folder.
struct Files {
    folder: TempDir,
    runs: Vec<String>,
    qrels: String,
}

impl Files {
    fn new(runs: &[&str], qrels: &str) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let write = |name: String, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("a writable folder");
            path.to_str().expect("UTF-8").to_owned()
        };
        let runs = runs.iter().enumerate().map(|(number, text)| write(format!("run{number}"), text)).collect();
        let qrels = write("qrels".to_owned(), qrels);
        Self { folder, runs, qrels }
    }

    fn open(&self, ties: TrecTies) -> Dataset {
        let options = TrecOptions { ties, ..TrecOptions::default() };
        trec::open(&self.runs, &[&self.qrels], &options).expect("sound runs")
    }
}

/// The value of each measure by run, measure and query or `all`.
type Values = BTreeMap<(usize, String, String), f64>;

fn values(dataset: &Dataset, measures: &str) -> Values {
    let measures = Measure::parse_list(measures).expect("measures");
    let features: Vec<FeatureId> = (1..=dataset.features()).map(FeatureId).collect();
    let rankings = Rankings::new(dataset, &features, TieBreaking::Random).expect("sound rankers");
    let measurement = rankings.measure(&measures).expect("sound labels");
    let mut values = Values::new();
    let mut add = |query: &str, of_query: Vec<Vec<f64>>| {
        for (run, of_run) in of_query.into_iter().enumerate() {
            for (measure, value) in measures.iter().zip(of_run) {
                values.insert((run, measure.to_string(), query.to_owned()), value);
            }
        }
    };
    (0..dataset.queries()).for_each(|query| add(dataset.query(query).id(), measurement.of_query(query)));
    add("all", measurement.means());
    values
}

/// By `ir_measures`, through a script.
fn reference(files: &Files, measures: &str) -> Values {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ir_measures_values.py");
    let python = letor_io::environment::TEST_PYTHON.value().unwrap_or_else(|| "python3".into());
    let names = Measure::parse_list(measures).expect("measures");
    let mut command = Command::new(python);
    command.arg(script).arg(&files.qrels).args(&files.runs).arg("--").args(names.iter().map(ToString::to_string));
    let output = command.current_dir(files.folder.path()).output().expect("Python starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    let value = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let run = files.runs.iter().position(|run| *run == fields[0]).expect("one of the runs");
        ((run, fields[1].to_owned(), fields[2].to_owned()), fields[3].parse().expect("a number"))
    };
    text.lines().map(value).collect()
}

/// The largest difference, and where it is. Queries that no run retrieved anything for are 0 in `theirs` and not in `ours`.
fn largest_difference(ours: &Values, theirs: &Values) -> f64 {
    assert!(ours.keys().all(|key| theirs.contains_key(key)));
    let difference = |(key, value): (&(usize, String, String), &f64)| {
        let difference = (value - ours.get(key).unwrap_or(&0.0)).abs();
        assert!(difference < 1e-12, "{key:?}: ir_measures {value}, here {:?}", ours.get(key));
        difference
    };
    theirs.iter().map(difference).fold(0.0, f64::max)
}

/// A random run or qrels, with ties, queries in any order, and documents that the other files do not have.
fn random(generator: &mut Generator, line: &dyn Fn(&mut Generator, usize, usize) -> String) -> String {
    let mut lines = Vec::new();
    for query in 1..=30 {
        // Some queries are missing.
        if generator.random_range(0..6) == 0 {
            continue;
        }
        let share = generator.random_range(0.1..1.0);
        for document in 0..40 {
            if generator.random_range(0.0..1.0) < share {
                lines.push(line(generator, query, document));
            }
        }
    }
    lines.concat()
}

#[test]
fn golden_values_of_ir_measures() {
    let dataset = Files::new(&[FIRST, SECOND], QRELS).open(TrecTies::Docno);
    let values = values(&dataset, &GOLDEN.map(|(measure, _)| measure).join(","));
    for (measure, expected) in GOLDEN {
        for ((run, query), expected) in [(0, "1"), (0, "2"), (0, "all"), (1, "1"), (1, "all")].into_iter().zip(expected)
        {
            let found = values[&(run, measure.to_owned(), query.to_owned())];
            assert!((found - expected).abs() < 1e-12, "{measure} of run {run}, query {query}: {found}, not {expected}");
        }
        assert_eq!(values[&(1, measure.to_owned(), "2".to_owned())], 0.0, "{measure}: nothing retrieved");
    }
}

#[test]
fn graded_gains_are_shares_of_the_highest_label() {
    let dataset = Files::new(&[FIRST, SECOND], QRELS).open(TrecTies::Docno);
    let values = values(&dataset, "RBP(p=0.5)");
    // The first run has d2, d1 (label 2), d8, d3 (1), d4; the highest label is 4, of query 2.
    let expected = 0.5 * (0.5 * 2.0 / 4.0 + 0.125 * 1.0 / 4.0);
    assert!((values[&(0, "RBP(p=0.5)".to_owned(), "1".to_owned())] - expected).abs() < 1e-15);
}

#[test]
fn ties_that_are_kept_count_as_the_mean_of_their_orders() {
    let dataset = Files::new(&[FIRST, SECOND], QRELS).open(TrecTies::Keep);
    let values = values(&dataset, "P@1,RR,AP,R@1");
    let first = |measure: &str| values[&(0, measure.to_owned(), "1".to_owned())];
    // Of d1 (relevant) and d2, tied for the first rank, either comes first; d3 is at rank 4 of three relevant documents.
    assert_eq!([first("P@1"), first("RR"), first("R@1")], [0.5, 0.75, 0.5 / 3.0]);
    assert!((first("AP") - ((1.0 + 0.5) / 2.0 + 2.0 / 4.0) / 3.0).abs() < 1e-15);
}

#[test]
fn ndcg_of_features_is_that_of_rankings() {
    let mut builder = DatasetBuilder::new("ties", Provenance::LookAlike { name: "ties".to_owned() });
    let mut generator = Generator::seed_from_u64(7);
    for query in 0..100 {
        let mut column = |most: i32| (0..23).map(|_| f64::from(generator.random_range(0..most))).collect::<Vec<f64>>();
        let labels: Vec<f32> = column(5).into_iter().map(|label| label as f32).collect();
        let columns = [column(3), column(30), vec![0.0; 23]];
        builder.push_columns(&query.to_string(), &labels, &columns).expect("a sound query");
    }
    let dataset = builder.build();
    let rankings = Rankings::new(&dataset, &[1, 2, 3].map(FeatureId), TieBreaking::Random).expect("sound rankers");
    let measures = Measure::parse_list("nDCG@10,nDCG(dcg='exp-log2')@10,P@5").expect("measures");
    let measurement = rankings.measure(&measures).expect("sound labels");
    let means = measurement.means();
    assert_eq!(measurement.per_query().len(), 3);
    assert_eq!(measurement.means(), means, "from kept values, to the bit");
    for (place, gain) in [Gain::Linear, Gain::Exponential].into_iter().enumerate() {
        let usual = rankings.ndcg(dataset.labels(), 10, gain).expect("sound labels");
        assert_eq!(means.iter().map(|of_arm| of_arm[place]).collect::<Vec<_>>(), usual, "to the bit");
    }
    // A constant feature orders at random: its precision is the share of relevant documents, at any cutoff.
    let share = dataset.labels().iter().filter(|label| **label >= 1.0).count() as f64 / dataset.documents() as f64;
    assert!((means[2][2] - share).abs() < 1e-12);
}

#[test]
#[ignore = "needs python3 (or RANKDUEL_TEST_PYTHON) with ir_measures and cwl-eval"]
fn measures_equal_those_of_ir_measures() {
    let (files, all) = (Files::new(&[FIRST, SECOND], QRELS), GOLDEN.map(|(measure, _)| measure).join(","));
    let mut largest = largest_difference(&values(&files.open(TrecTies::Docno), &all), &reference(&files, &all));
    for seed in 0..20 {
        let mut generator = Generator::seed_from_u64(seed);
        let scores = generator.random_range(3..200);
        let run = |generator: &mut Generator, query: usize, document: usize| {
            let score = f64::from(generator.random_range(-scores..scores)) / 8.0;
            format!("{query} Q0 doc{document} 0 {score} t\n")
        };
        let judgment = |generator: &mut Generator, query: usize, document: usize| {
            format!("{query} 0 doc{document} {}\n", generator.random_range(-1..5).max(generator.random_range(-3..1)))
        };
        let runs = [(); 3].map(|()| random(&mut generator, &run));
        let qrels = random(&mut generator, &judgment);
        let files = Files::new(&runs.each_ref().map(String::as_str), &qrels);
        let measures = "nDCG@10,nDCG,nDCG(dcg='exp-log2')@10,AP,AP@10,AP(rel=3),RR,RR@5,RR(rel=2)@10,P@5,P@100,P(rel=2)@10,\
                        R@10,R@1000,R(rel=3)@5,RBP(rel=1,p=0.8),RBP(rel=2,p=0.95)";
        largest = largest
            .max(largest_difference(&values(&files.open(TrecTies::Docno), measures), &reference(&files, measures)));
    }
    assert!(largest < 1e-12, "largest difference: {largest:e}");
}
