//! Every number in a comment of `experiments/` is computed here from the published results beside it.
//!
//! A comment may only contain digits that a check below accounts for, either because they were computed or because they
//! are settings. After an experiment is played again, or a comment edited, this test shows which number has changed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use output::numbers::significant;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A row of `curves.csv` or `runs.csv`.
struct Row {
    setting: String,
    curve: String,
    metric: String,
    x: f64,
    /// The number of the run; 0 for rows of `curves.csv`.
    run: usize,
    /// The value of the run, or the mean.
    value: f64,
    standard_error: f64,
}

/// The published results of an experiment.
struct Published {
    curves: Vec<Row>,
    runs: Vec<Row>,
}

impl Published {
    fn read(experiment: &str) -> Self {
        let folder = root().join("results").join(experiment);
        let rows = |file: &str, value: usize, error: Option<usize>, run: Option<usize>| {
            let path = folder.join(file);
            let mut reader =
                csv::Reader::from_path(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let number =
                |text: &str| -> f64 { text.parse().unwrap_or_else(|_| panic!("{text} in {}", path.display())) };
            let row = |record: csv::StringRecord| Row {
                setting: record[0].to_owned(),
                curve: record[1].to_owned(),
                metric: record[2].to_owned(),
                x: number(&record[3]),
                run: run.map_or(0, |column| number(&record[column]) as usize),
                value: number(&record[value]),
                standard_error: error.map_or(0.0, |column| number(&record[column])),
            };
            reader.records().map(|record| row(record.expect("a row"))).collect::<Vec<Row>>()
        };
        Self { curves: rows("curves.csv", 5, Some(7), None), runs: rows("runs.csv", 5, None, Some(4)) }
    }

    fn curve(&self, setting: &str, curve: &str, metric: &str) -> Vec<&Row> {
        let all = self.curves.iter();
        let found: Vec<&Row> =
            all.filter(|row| row.setting == setting && row.curve == curve && row.metric == metric).collect();
        assert!(!found.is_empty(), "no {metric} of {curve} in {setting}");
        found
    }

    /// The regret at the end.
    fn end(&self, setting: &str, curve: &str) -> f64 {
        self.curve(setting, curve, "regret").last().expect("a point").value
    }

    fn at(&self, setting: &str, curve: &str, metric: &str, x: f64) -> &Row {
        self.curve(setting, curve, metric).into_iter().find(|row| row.x == x).expect("a point")
    }

    /// The cost of a step between the last two checkpoints.
    fn slope(&self, setting: &str, curve: &str) -> f64 {
        let points = self.curve(setting, curve, "regret");
        let [.., one, two] = points[..] else { panic!("two points") };
        (two.value - one.value) / (two.x - one.x)
    }

    /// The values of the runs at `x`, or at the only x there is.
    fn values(&self, setting: &str, curve: &str, metric: &str, x: Option<f64>) -> Vec<f64> {
        let all = self.runs.iter();
        let found = all.filter(|row| row.setting == setting && row.curve == curve && row.metric == metric);
        found.filter(|row| x.is_none_or(|x| row.x == x)).map(|row| row.value).collect()
    }

    fn sizes(&self, setting: &str) -> Vec<f64> {
        let mut sizes: Vec<f64> = self.curves.iter().filter(|row| row.setting == setting).map(|row| row.x).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        sizes
    }

    /// The number of sets of rankers, of all sizes, on which `curve` has the lowest regret.
    fn lowest_on(&self, setting: &str, curve: &str) -> usize {
        let mut sets: BTreeMap<(u64, usize), Vec<(&str, f64)>> = BTreeMap::new();
        for row in self.runs.iter().filter(|row| row.setting == setting && row.metric == "regret") {
            sets.entry((row.x as u64, row.run)).or_default().push((&row.curve, row.value));
        }
        let lowest = |set: &&Vec<(&str, f64)>| set.iter().min_by(|a, b| a.1.total_cmp(&b.1)).expect("one").0 == curve;
        sets.values().filter(lowest).count()
    }

    /// Whether the means of two curves are within two standard errors of each other.
    fn is_close(&self, setting: &str, curves: [&str; 2], x: f64) -> bool {
        let [one, other] = curves.map(|curve| self.at(setting, curve, "regret", x));
        (one.value - other.value).abs() <= 2.0 * one.standard_error.hypot(other.standard_error)
    }

    /// The first x at which the accuracy reaches `level`.
    fn reaches(&self, setting: &str, curve: &str, level: f64) -> f64 {
        let points = self.curve(setting, curve, "accuracy");
        points.into_iter().find(|row| row.value >= level).map_or(f64::INFINITY, |row| row.x)
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len().is_multiple_of(2) { values[middle - 1].midpoint(values[middle]) } else { values[middle] }
}

fn smallest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::INFINITY, f64::min)
}

fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

/// The phrases that the comment of claim `claim` of `experiment` must contain, with numbers from the results, and those with digits that
/// are settings or the paper's.
fn phrases(experiment: &str, claim: usize, published: &Published) -> (Vec<String>, &'static [&'static str]) {
    let p = published;
    let short = |value: f64| significant(value);
    match (experiment, claim) {
        ("mdb-fig1", 1) => {
            let problems = [
                "1good50poor",
                "1good200poor",
                "11good40poor",
                "41good160poor",
                "41good10poor",
                "161good40poor",
                "arith51",
                "arith201",
                "geom51",
                "geom201",
            ];
            let ratio = |problem: &str| p.end(problem, "rmed1") / p.end(problem, "mdb");
            let held: Vec<&str> = problems.into_iter().filter(|problem| ratio(problem) >= 10.0).collect();
            assert!(held.len() == 9 && !held.contains(&"11good40poor"), "{held:?}");
            (vec![format!("`11good40poor` it is {} times lower", short(ratio("11good40poor")))], &[])
        }
        ("mdb-fig1", 2) => {
            let [few, many] = ["1good5poor", "1good200poor"];
            let growth = |curve: &str| p.end(many, curve) / p.end(few, curve);
            let early = |problem: &str| p.at(problem, "mdb", "regret", 1000.0).value;
            let all = p.end(many, "mdb") - p.end(few, "mdb");
            assert!(early(many) - early(few) > all / 2.0, "most of the growth is in the first thousand steps");
            let phrases = [("grows by a factor of ", "mdb"), ("RMED1's grows by a factor of ", "rmed1")];
            (
                phrases.map(|(words, curve)| format!("{words}{}", short(growth(curve)))).to_vec(),
                &["From 6 to 201 arms", "first 1,000 steps"],
            )
        }
        ("mdb-fig3-clicks", 0) => {
            let [perfect, informational] = ["YLR1, perfect", "YLR1, informational"];
            let ahead = |setting: &str, x: f64| {
                p.at(setting, "mdb", "regret", x).value < p.at(setting, "rmed1", "regret", x).value
            };
            let behind =
                |setting: &str| p.sizes(setting).into_iter().filter(|&x| !ahead(setting, x)).collect::<Vec<_>>();
            assert_eq!((behind(perfect), behind(informational)), (vec![10.0], vec![]));
            assert!(p.is_close(perfect, ["mdb", "rmed1"], 10.0));
            let [one, other] = [perfect, informational].map(|setting| p.lowest_on(setting, "mdb"));
            (
                vec![format!("on {one} of 100 sets with perfect clicks and on {other} with informational")],
                &["with 10 rankers"],
            )
        }
        ("mdb-fig3", 0) => {
            let setting = "YLR1, navigational";
            let medians = |x: f64, curve: &str| median(p.values(setting, curve, "regret", Some(x)));
            let others = ["rmed1", "rucb variant=lerot", "mergerucb", "random"];
            let lead = |x: f64| smallest(others.map(|curve| medians(x, curve))) / medians(x, "mdb");
            let leads: Vec<f64> = p.sizes(setting).into_iter().map(lead).collect();
            let wrong = |curve: &str| {
                p.values(setting, curve, "accuracy", None).into_iter().filter(|right| *right == 0.0).count()
            };
            let range = (short(smallest(leads.clone())), short(largest(leads)));
            (
                vec![
                    format!("on {} of the 100 sets", p.lowest_on(setting, "mdb")),
                    format!("by factors of {} to {}", range.0, range.1),
                    format!("On {} sets (RMED1: on {})", wrong("mdb"), wrong("rmed1")),
                ],
                &[],
            )
        }
        ("mdb-fig3", 2) => {
            let ends = |curve: &str| {
                let of_size = |x: f64| short(median(p.values("YLR1, navigational", curve, "regret", Some(x))));
                (of_size(10.0), of_size(145.0))
            };
            let (mdb, rmed1) = (ends("mdb"), ends("rmed1"));
            (vec![format!("is {} and {}, RMED1's {} and {};", mdb.0, mdb.1, rmed1.0, rmed1.1)], &[])
        }
        ("mdb-fig6", 0) => {
            let setting = "MSLR, informational";
            let right = |curve: &str| p.values(setting, curve, "accuracy", None).into_iter().sum::<f64>();
            let slope = |curve: &str| short(p.slope(setting, curve));
            (
                vec![
                    format!("{} of 10 runs of MDB find the winner (RMED1: {})", right("mdb"), right("rmed1")),
                    format!("pays {} per step, RMED1 {}", slope("mdb"), slope("rmed1")),
                ],
                &["by 5×10⁶ steps"],
            )
        }
        ("mdb-fig6", 1) => {
            let setting = "MSLR without 134, navigational";
            let right = |curve: &str| p.values(setting, curve, "accuracy", None).into_iter().sum::<f64>();
            (vec![format!("{} of 10 runs of MDB finds the winner (RMED1: {})", right("mdb"), right("rmed1"))], &[])
        }
        ("mdb-fig6", 2) => {
            let setting = "MSLR, navigational";
            let runs = p.values(setting, "mdb", "regret", None).into_iter();
            let runs: Vec<(f64, f64)> = runs.zip(p.values(setting, "mdb", "accuracy", None)).collect();
            let with = |right: f64| runs.iter().filter(move |run| run.1 == right).map(|run| run.0);
            let table = Published::read("mdb-table3");
            let distortion = table.at("MSLR", "navigational", "distortion", 100.0).value;
            (
                vec![
                    format!(
                        "{} of 10 runs end with the winner and a regret of {} to {}",
                        with(1.0).count(),
                        short(smallest(with(1.0))),
                        short(largest(with(1.0)))
                    ),
                    format!("(RMED1's mean is {})", short(p.end(setting, "rmed1"))),
                    format!("up to {}", short(largest(with(0.0)))),
                    format!("{}% of 100 rankers", short(distortion)),
                ],
                &["in the paper 15.2%"],
            )
        }
        ("mdb-table3", 17) => (vec![], &["feature 134"]),
        ("mergerucb-fig1", 2) => {
            let slope = |setting: &str| short(p.slope(setting, "btm variant=lerot"));
            (vec![format!("pays {} per step on YLR1 and {} on Yandex", slope("YLR1"), slope("Yandex"))], &[])
        }
        ("mergerucb-fig3", 2) => {
            let setting = "MSLR, navigational";
            let values = |curve: &str, x: f64| p.values(setting, curve, "regret", Some(x));
            let mean = |curve: &str| p.at(setting, curve, "regret", 10.0).value;
            assert!(mean("rcs variant=lerot") < mean("mergerucb"), "with 10 rankers it does");
            let pairs = values("rcs variant=lerot", 20.0).into_iter().zip(values("mergerucb", 20.0));
            let less = pairs.filter(|(rcs, merge)| rcs < merge).count();
            let mut all = values("rcs variant=lerot", 20.0);
            all.sort_by(f64::total_cmp);
            assert!(p.is_close(setting, ["rcs variant=lerot", "mergerucb"], 20.0));
            let all: Vec<String> = all.into_iter().map(short).collect();
            let [least, .., most, second, first] = &all[..] else { panic!("ten sets") };
            (
                vec![
                    format!("on {less} of the 10 sets"),
                    format!("{first} and {second}, against {least} to {most} on the rest"),
                ],
                &["With 10 rankers", "With 20"],
            )
        }
        ("mergerucb-fig6", 0) => {
            let setting = "MSLR, navigational";
            let sizes = p.sizes(setting);
            let mut means: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
            for row in p.curves.iter().filter(|row| row.metric == "regret") {
                means.entry(&row.curve).or_default().push(row.value);
            }
            let best = |at: usize| smallest(means.values().map(|of_curve| of_curve[at]));
            let factors = |curve: &str| -> Vec<f64> {
                means[curve].iter().enumerate().map(|(at, mean)| mean / best(at)).collect()
            };
            let mean = |curve: &str| factors(curve).iter().sum::<f64>() / sizes.len() as f64;
            for p in [4, 6, 8, 10] {
                let of = |alpha: &str| match (alpha, p) {
                    ("1.01", 4) => "mergerucb".to_owned(),
                    ("1.01", p) => format!("mergerucb p={p}"),
                    (alpha, 4) => format!("mergerucb alpha={alpha}"),
                    (alpha, p) => format!("mergerucb alpha={alpha} p={p}"),
                };
                for alpha in ["0.71", "0.81", "0.91", "1.11", "1.21"] {
                    assert!(mean(&of("1.01")) < mean(&of(alpha)), "alpha {alpha}, p {p}");
                }
            }
            let far: Vec<f64> = factors("mergerucb")
                .into_iter()
                .zip(&sizes)
                .filter(|(factor, _)| *factor > 1.5)
                .map(|(_, x)| *x)
                .collect();
            let of = |p: u32| short(mean(&format!("mergerucb p={p}")));
            (
                vec![
                    format!("its regret is {} times the lowest of the grid", short(mean("mergerucb"))),
                    format!("against {}, {} and {} times with p = 6, 8 and 10", of(6), of(8), of(10)),
                    format!("at {}, {} and {} rankers it is more", far[0], far[1], far[2]),
                ],
                &["Alpha = 1.01", "p = 4"],
            )
        }
        ("rcs-fig1", 0) => {
            let found = p.at("MSLR, perfect", "Condorcet winner", "probability", 100.0).value;
            (vec![format!("gives {found:.3} at 100 rankers")], &[])
        }
        ("rcs-fig2", 1) => {
            let times = |setting: &str| ["rcs", "savage"].map(|curve| p.reaches(setting, curve, 0.8));
            let [mslr, ylr1, ylr2] = ["MSLR", "YLR1", "YLR2"].map(times);
            assert_eq!((mslr[1] / mslr[0], ylr1[1] / ylr1[0]), (5.0, 2.0), "a fifth and half of the time");
            assert_eq!(ylr2, [1000.0, 1000.0]);
            (vec!["exceed 0.8 at the horizon of 1,000".to_owned()], &[])
        }
        ("rcs-fig2", 3) => {
            let ratios = ["MSLR", "YLR1", "YLR2"].map(|setting| p.end(setting, "savage") / p.end(setting, "rcs"));
            let (low, high) = (smallest(ratios), largest(ratios));
            (vec![format!("{} to {} times, at the longest horizon of 100,000", short(low), short(high))], &[])
        }
        ("rcs-fig2", 4) => {
            let found = |curve: &str, x: f64| p.at("MSLR", curve, "accuracy", x).value;
            assert!([1000.0, 2000.0].iter().all(|&x| found("rcs", x) > found("rucb alpha=0.501", x)));
            for setting in ["MSLR", "YLR1", "YLR2"] {
                for row in p.curve(setting, "rcs", "accuracy") {
                    let rucb = p.at(setting, "rucb alpha=0.501", "accuracy", row.x);
                    let error = row.standard_error.hypot(rucb.standard_error);
                    assert!(row.value >= rucb.value - 2.0 * error, "behind at {} on {setting}", row.x);
                }
            }
            (vec![], &["at 1,000 and 2,000 steps"])
        }
        ("rcs-fig5", claim @ 0..=2) => {
            let setting = ["MSLR, 20 rankers", "MSLR, 30 rankers", "MSLR, 40 rankers"][claim];
            let curves = ["rcs", "rucb alpha=0.501"];
            let [rcs, rucb] = curves.map(|curve| p.curve(setting, curve, "regret"));
            let above = rcs.iter().zip(&rucb).rposition(|(rcs, rucb)| rcs.value > rucb.value).expect("a crossing");
            let crossing = rcs[above + 1].x;
            let [rcs, rucb] = curves.map(|curve| p.at(setting, curve, "suboptimal", crossing).value);
            let paper: &[&str] = [&["(paper: 7.5 times)"], &["(paper: 8.9 times)"], &["(paper: 6.4 times)"]][claim];
            (vec![format!("is then {:.1} times less often suboptimal than RUCB", rucb / rcs)], paper)
        }
        ("rcs-section7", 2) => (vec![], &["--dataset np2004", "--rankers 12", "--impressions-per-pair 20000"]),
        ("rucb-fig6", 1) => {
            let times = |rankers: u32| {
                let setting = format!("NP2004, {rankers} rankers");
                ["rucb", "savage", "btm"].map(|curve| p.reaches(&setting, curve, 0.8))
            };
            let [small, middle, large] = [16, 32, 64].map(times);
            assert!([small, middle, large].iter().all(|[rucb, _, btm]| rucb < btm), "after RUCB everywhere");
            assert!(
                small[2] > small[1] && middle[2] == middle[1] && large[2] < large[1],
                "{small:?} {middle:?} {large:?}"
            );
            (vec![], &["80%", "with 16 rankers", "with 32", "with 64"])
        }
        _ => (vec![], &[]),
    }
}

#[test]
fn numbers_in_comments_are_those_of_the_results() {
    let mut held = 0;
    for entry in fs::read_dir(root().join("experiments")).expect("the experiments are there") {
        let path = entry.expect("a readable folder").path();
        if path.extension().is_none_or(|ending| ending != "toml") {
            continue;
        }
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let experiment = sim::experiment::read(&path).unwrap_or_else(|error| panic!("{error:#}"));
        let mut published = None;
        for (at, claim) in experiment.claims.iter().enumerate() {
            let Some(comment) = &claim.comment else { continue };
            let published = published.get_or_insert_with(|| Published::read(&name));
            let (computed, settings) = phrases(&name, at, published);
            let names = ["RMED1", "YLR1", "YLR2", "NP2004"];
            let mut rest = names.iter().fold(comment.clone(), |rest, name| rest.replace(name, ""));
            for phrase in computed.iter().map(String::as_str).chain(settings.iter().copied()) {
                assert!(comment.contains(phrase), "{name}, claim {at}: no `{phrase}` in `{comment}`");
                let phrase = names.iter().fold(phrase.to_owned(), |phrase, name| phrase.replace(name, ""));
                rest = rest.replace(&phrase, "");
                held += 1;
            }
            assert!(
                !rest.contains(|letter: char| letter.is_ascii_digit()),
                "{name}, claim {at}: nothing holds `{rest}`"
            );
        }
    }
    assert!(held > 40, "{held} phrases");
}

#[test]
fn published_results_belong_to_the_files() {
    for entry in fs::read_dir(root().join("experiments")).expect("the experiments are there") {
        let path = entry.expect("a readable folder").path();
        if path.extension().is_none_or(|ending| ending != "toml") {
            continue;
        }
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let experiment = sim::experiment::read(&path).unwrap_or_else(|error| panic!("{error:#}"));
        let summary = root().join("results").join(&name).join("summary.json");
        let summary: serde_json::Value =
            serde_json::from_slice(&fs::read(&summary).expect("a summary")).expect("a summary is JSON");
        assert_eq!(summary["about"].as_str(), Some(experiment.about.trim()), "{name}: run `rankduel experiment` again");
        let outcomes = summary["claims"].as_array().expect("claims");
        assert_eq!(outcomes.len(), experiment.claims.len(), "{name}");
        for (outcome, claim) in outcomes.iter().zip(&experiment.claims) {
            assert_eq!(
                outcome["says"].as_str(),
                Some(claim.statement.as_str()),
                "{name}: run `rankduel experiment` again"
            );
            assert_eq!(
                outcome["comment"].as_str(),
                claim.comment.as_deref(),
                "{name}: run `rankduel experiment` again"
            );
        }
    }
}
