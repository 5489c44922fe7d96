//! Grades of 33 LLM judges and of people on the passages of TREC DL 2023 (`../shared/data/llmjudge`): runs by a judge's grades, corrected by
//! people's grades of 30 passages per query, against all grades of people.
//!
//! The 25 queries are the population. A table has 25 queries drawn with replacement, and its intervals must cover the population's value;
//! or it has all 25, and its intervals must cover more often, because only passages are sampled there.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;

use letor_io::trec::{TrecOptions, open, open_with_gold};
use letor_io::{Dataset, FeatureId};
use rankers::{Measure, Rankings, TieBreaking};
use statistics::fixed_sample::PValueCorrection;
use studies::verdict::JudgedMeasures;
use tempfile::TempDir;

/// People judge 30 passages of each query.
const LABELLED: usize = 30;
/// The judges that rank runs by their grades: every third.
const RUNS: usize = 11;
const PARTLY: &str = "P@10,P(rel=2)@10,RBP(p=0.8)";
const WHOLLY: &str = "nDCG@10,AP,RR(rel=2)@10";

struct Passage {
    name: String,
    people: String,
    judges: Vec<String>,
}

struct Grades {
    judges: Vec<String>,
    queries: Vec<Vec<Passage>>,
}

/// The generator of SplitMix64: the test needs no quality beyond it.
struct Generator(u64);

impl Generator {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        hash(self.0)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }
}

fn hash(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// The grades; `None`, said, without the data.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn grades() -> Option<Grades> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/llmjudge/grades.csv.gz");
    let Ok(file) = fs::File::open(path) else {
        eprintln!("skipped: ../shared/data/llmjudge is not there");
        return None;
    };
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let mut lines = text.lines();
    let judges = lines.next().unwrap().split(',').skip(3).map(str::to_owned).collect();
    let mut queries: BTreeMap<&str, Vec<Passage>> = BTreeMap::new();
    for line in lines {
        let mut fields = line.split(',');
        let [query, name, people] = [(); 3].map(|()| fields.next().unwrap());
        let (name, people) = (name.to_owned(), people.to_owned());
        // A few grades of one judge are beyond the scale.
        let grade = |field: &str| if field.parse::<f64>().unwrap() > 3.0 { "3".to_owned() } else { field.to_owned() };
        queries.entry(query).or_default().push(Passage { name, people, judges: fields.map(grade).collect() });
    }
    Some(Grades { judges, queries: queries.into_values().collect() })
}

/// Files of a table.
struct Table {
    folder: TempDir,
    runs: Vec<String>,
}

impl Grades {
    /// The runs of these queries: the passages by the grades of a judge, equal ones by a hash.
    fn table(&self, queries: &[usize]) -> Table {
        let folder = tempfile::tempdir().unwrap();
        let run = |number: usize| {
            let judge = 3 * number;
            let mut text = String::new();
            for (id, &query) in queries.iter().enumerate() {
                let passages = &self.queries[query];
                let mut order: Vec<usize> = (0..passages.len()).collect();
                let grade = |at: usize| passages[at].judges[judge].parse::<f64>().unwrap();
                let key = |at: usize| hash(hash((judge * 1_000 + query) as u64) ^ at as u64);
                order.sort_by(|&one, &other| grade(other).total_cmp(&grade(one)).then(key(one).cmp(&key(other))));
                for (rank, at) in order.into_iter().enumerate() {
                    let name = &passages[at].name;
                    writeln!(text, "{id} Q0 {name} {rank} {} r", passages.len() - rank).unwrap();
                }
            }
            let path = folder.path().join(format!("{}.run", self.judges[judge]));
            fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let runs = (0..RUNS).map(run).collect();
        Table { folder, runs }
    }

    /// Writes qrels of these queries with the labels of `label`.
    fn qrels(
        &self,
        table: &Table,
        name: &str,
        queries: &[usize],
        label: impl Fn(usize, usize, &Passage) -> Option<String>,
    ) -> String {
        let mut text = String::new();
        for (id, &query) in queries.iter().enumerate() {
            for (at, passage) in self.queries[query].iter().enumerate() {
                if let Some(label) = label(id, at, passage) {
                    writeln!(text, "{id} 0 {} {label}", passage.name).unwrap();
                }
            }
        }
        let path = table.folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// The values by all grades of people, by measure and run.
    fn truth(&self, measures: &[Measure]) -> Vec<Vec<f64>> {
        let queries: Vec<usize> = (0..self.queries.len()).collect();
        let table = self.table(&queries);
        let people = self.qrels(&table, "people", &queries, |_, _, passage| Some(passage.people.clone()));
        let dataset = open(&table.runs, &[people], &TrecOptions::default()).unwrap();
        let rankings = rankings(&dataset);
        let means = rankings.measure(measures).unwrap().means();
        (0..measures.len()).map(|measure| means.iter().map(|of_run| of_run[measure]).collect()).collect()
    }
}

fn rankings(dataset: &Dataset) -> Rankings {
    let features: Vec<FeatureId> = (1..=dataset.features()).map(FeatureId).collect();
    Rankings::new(dataset, &features, TieBreaking::Random).unwrap()
}

/// How often intervals cover, and how wide those of means are beside people's alone, of one judge and measure.
#[derive(Debug, Clone, Copy, Default)]
struct Covered {
    means: [usize; 2],
    differences: [usize; 2],
    widths: [f64; 2],
    people: usize,
    model: usize,
}

impl Covered {
    fn add(&mut self, other: &Self) {
        for at in 0..2 {
            self.means[at] += other.means[at];
            self.differences[at] += other.differences[at];
            self.widths[at] += other.widths[at];
        }
        self.people += other.people;
        self.model += other.model;
    }

    fn share(&self) -> f64 {
        (self.means[0] + self.differences[0]) as f64 / (self.means[1] + self.differences[1]) as f64
    }
}

/// Which queries a table has.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Queries {
    Resampled,
    Fixed,
}

/// What people judge.
#[derive(Debug, Clone, Copy, PartialEq)]
enum People {
    /// Thirty passages of every query.
    Partly,
    /// All passages of half of the queries.
    Wholly,
}

/// By judge and measure, over `tables` tables.
fn measured(grades: &Grades, judges: &[usize], tables: usize, queries: Queries, by: People) -> Vec<Vec<Covered>> {
    let measures = Measure::parse_list(if by == People::Partly { PARTLY } else { WHOLLY }).unwrap();
    let truth = grades.truth(&measures);
    let count = grades.queries.len();
    let mut found = vec![vec![Covered::default(); measures.len()]; judges.len()];
    for number in 0..tables {
        let mut generator = Generator(hash(number as u64));
        let sample: Vec<usize> = match queries {
            Queries::Resampled => (0..count).map(|_| generator.below(count)).collect(),
            Queries::Fixed => (0..count).collect(),
        };
        let table = grades.table(&sample);
        let chosen: Vec<BTreeSet<usize>> = sample
            .iter()
            .map(|&query| {
                let passages = grades.queries[query].len();
                let mut drawn = BTreeSet::new();
                while drawn.len() < LABELLED.min(passages) {
                    drawn.insert(generator.below(passages));
                }
                drawn
            })
            .collect();
        let offset = generator.below(2);
        let people = grades.qrels(&table, "people", &sample, |id, at, passage| {
            let judged = if by == People::Partly { chosen[id].contains(&at) } else { id % 2 == offset };
            judged.then(|| passage.people.clone())
        });
        for (place, &judge) in judges.iter().enumerate() {
            let model = grades.qrels(&table, "model", &sample, |_, _, passage| Some(passage.judges[judge].clone()));
            let dataset =
                open_with_gold(&table.runs, &[model], std::slice::from_ref(&people), &TrecOptions::default()).unwrap();
            let rankings = rankings(&dataset);
            let measurement = rankings.measure(&measures).unwrap();
            let judged = JudgedMeasures::of(&measurement, &dataset, &measures, 0).unwrap();
            assert!(judged.leaning.is_none(), "labels are drawn at random: {:?}", judged.leaning);
            let within = |(low, high): (f64, f64), truth: f64| usize::from(low <= truth && truth <= high);
            for (measure, of_measure) in judged.measures.iter().enumerate() {
                let covered = &mut found[place][measure];
                for (run, &truth) in of_measure.runs.iter().zip(&truth[measure]) {
                    covered.means[0] += within(run.interval, truth);
                    covered.means[1] += 1;
                    covered.people += within(run.people_interval, truth);
                    let reach = run.interval.1 - run.mean;
                    covered.model += within((run.model - reach, run.model + reach), truth);
                    covered.widths[0] += run.standard_error;
                    covered.widths[1] += run.people_standard_error;
                }
            }
            for test in judged.tests(PValueCorrection::Holm).unwrap().unwrap().tests {
                let measure = judged.measures.iter().position(|one| one.measure == test.measure).unwrap();
                let difference = truth[measure][test.first] - truth[measure][test.second];
                found[place][measure].differences[0] += within(test.interval, difference);
                found[place][measure].differences[1] += 1;
            }
        }
    }
    found
}

/// The sum over judges and measures, printed by measure; and the least share that intervals of a judge and measure cover.
#[expect(clippy::print_stderr, reason = "what is measured")]
fn summed(found: &[Vec<Covered>], names: &str, what: &str) -> (Covered, f64) {
    let mut all = Covered::default();
    for (measure, name) in names.split(',').enumerate() {
        let mut sum = Covered::default();
        found.iter().for_each(|of_judge| sum.add(&of_judge[measure]));
        let share = |[covered, count]: [usize; 2]| covered as f64 / count as f64;
        let [means, differences] = [sum.means, sum.differences].map(share);
        let [people, model] = [sum.people, sum.model].map(|covered| covered as f64 / sum.means[1] as f64);
        let least = found.iter().map(|of_judge| of_judge[measure].share()).fold(1.0, f64::min);
        let width = sum.widths[0] / sum.widths[1];
        eprintln!(
            "{what}, {name}: means {means:.3}, differences {differences:.3}, least judge {least:.3}; people alone {people:.3}; as wide an \
             interval about the model's {model:.3}; width {width:.3} of people's alone"
        );
        all.add(&sum);
    }
    let least = found.iter().flatten().map(Covered::share).fold(1.0, f64::min);
    eprintln!("{what}: {:.3} in all, least judge and measure {least:.3}", all.share());
    (all, least)
}

#[test]
fn intervals_cover_what_all_grades_of_people_say() {
    let Some(grades) = grades() else { return };
    let found = measured(&grades, &[1, 16, 31], 8, Queries::Resampled, People::Partly);
    let (all, least) = summed(&found, PARTLY, "a few tables");
    assert!(all.share() > 0.88 && least > 0.8, "{} {least}", all.share());
    assert!(all.widths[0] < 1.02 * all.widths[1]);
}

#[test]
#[ignore = "takes minutes, and ../shared/data: cargo test -p studies --test llmjudge -- --ignored --nocapture"]
fn intervals_of_all_judges_at_full_size() {
    let Some(grades) = grades() else { return };
    let judges: Vec<usize> = (0..grades.judges.len()).collect();
    let tables = 40;
    let found = measured(&grades, &judges, tables, Queries::Resampled, People::Partly);
    let (all, least) = summed(&found, PARTLY, "queries resampled");
    // docs/pages/reference/measures.md has these numbers.
    assert!((0.945..0.955).contains(&all.share()) && least >= 0.94, "{} {least}", all.share());
    assert!((0.98..0.99).contains(&(all.widths[0] / all.widths[1])), "{:?}", all.widths);
    assert!((0.45..0.55).contains(&(all.model as f64 / all.means[1] as f64)), "{}", all.model);
    let found = measured(&grades, &judges, tables, Queries::Resampled, People::Wholly);
    let (all, least) = summed(&found, WHOLLY, "half of the queries wholly");
    assert!((0.92..=0.98).contains(&all.share()) && least >= 0.8, "{} {least}", all.share());
    let found = measured(&grades, &judges, tables, Queries::Fixed, People::Partly);
    let (all, least) = summed(&found, PARTLY, "the same queries");
    assert!(all.share() >= 0.95 && least >= 0.85, "{} {least}", all.share());
}
