//! The cost of one impression by each interleaving and multileaving method, reference form and fast form side by side.

use std::time::{Duration, Instant};

use anyhow::Result;
use bandits::Generator;
use clicks::{
    ClickModel, CompiledClickModel, CompiledDependentModel, DependentClickModel, FractionalLabels, Grade, User,
};
use interleave::{
    AnyInterleaving, AnyMultileaving, AnyOutcome, CreditTies, Doc, Examination, Interleaving, ListBuf, Multileaving,
    RankedList, reference,
};
use rand::{RngExt, SeedableRng};

use super::measure::Row;

const DOCUMENTS: [usize; 3] = [20, 100, 1000];
const RANKERS: [usize; 4] = [2, 10, 136, 700];
const LIST_LENGTH: usize = 10;
const TAU: f64 = 3.0;

/// Samples per measurement, fewer if they do not fit into `LONGEST`.
const SAMPLES: usize = 301;
const MAX_TIME: Duration = Duration::from_millis(300);

/// Measures, prints a line per method and size, and returns the rows for the CSV.
pub(super) fn measure() -> Result<Vec<Row>> {
    println!(
        "{:34}{:>10}{:>9}{:>14}{:>14}{:>10}",
        "ns per impression", "documents", "rankers", "plain", "fast", "times"
    );
    let mut rows = Vec::new();
    for documents in DOCUMENTS {
        let query = Query::new(documents, *RANKERS.last().unwrap_or(&2))?;
        for name in AnyInterleaving::NAMES {
            let method: AnyInterleaving = name.parse()?;
            record(&mut rows, name, documents, 2, interleaving(&query, &method), plain_interleaving(&query, name));
        }
        for name in AnyMultileaving::NAMES {
            let method: AnyMultileaving = name.parse()?;
            for rankers in RANKERS {
                let lists: Vec<RankedList<'_>> = query.lists[..rankers].iter().map(ListBuf::as_list).collect();
                let fast = multileaving(&query, &lists, &method);
                record(&mut rows, name, documents, rankers, fast, plain_multileaving(&query, &lists, name));
            }
        }
    }
    Ok(rows)
}

fn record(rows: &mut Vec<Row>, name: &str, documents: usize, rankers: usize, fast: f64, plain: Option<f64>) {
    let (shown, times) = plain.map_or_else(
        || ("-".to_owned(), String::new()),
        |plain| (format!("{plain:.0}"), format!("{:.1}", plain / fast)),
    );
    println!("{name:34}{documents:>10}{rankers:>9}{shown:>14}{fast:>14.0}{times:>10}");
    let what = format!("{name}, {documents} documents, {rankers} rankers");
    let row = |what, value| Row { goal: "", what, unit: "ns", value, target: None };
    rows.push(row(what.clone(), fast));
    rows.extend(plain.map(|plain| row(what + ", plain", plain)));
}

/// Median nanoseconds of one impression.
fn time(mut impression: impl FnMut()) -> f64 {
    // Short impressions are timed in batches, so that the clock's cost does not matter.
    let start = Instant::now();
    impression();
    let once = start.elapsed().max(Duration::from_nanos(100));
    let batch = (20_000 / once.as_nanos() as usize).clamp(1, 100);
    let begin = Instant::now();
    let mut samples = Vec::new();
    while samples.len() < 3 || (samples.len() < SAMPLES && begin.elapsed() < MAX_TIME) {
        let start = Instant::now();
        (0..batch).for_each(|_| impression());
        samples.push(start.elapsed().as_secs_f64() * 1e9 / batch as f64);
    }
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

fn interleaving(query: &Query, method: &AnyInterleaving) -> f64 {
    let [mut chance, mut luck] = [1, 2].map(Generator::seed_from_u64);
    let mut scratch = Default::default();
    time(|| {
        let pair = query.pair(&mut chance);
        std::hint::black_box(
            method.compare(pair, LIST_LENGTH, &mut chance, &mut scratch, |doc| query.examine(doc, &mut luck)),
        );
    })
}

fn plain_interleaving(query: &Query, name: &str) -> Option<f64> {
    let ties = match name {
        "probabilistic" => CreditTies::Redrawn,
        "probabilistic:same" => CreditTies::Same,
        _ => return None,
    };
    let [mut chance, mut luck] = [1, 2].map(Generator::seed_from_u64);
    Some(time(|| {
        let pair = query.pair(&mut chance);
        let user = |doc| query.examine(doc, &mut luck);
        std::hint::black_box(reference::probabilistic(pair, LIST_LENGTH, TAU, ties, &mut chance, user));
    }))
}

fn multileaving(query: &Query, lists: &[RankedList<'_>], method: &AnyMultileaving) -> f64 {
    let [mut chance, mut luck] = [1, 2].map(Generator::seed_from_u64);
    let (mut scratch, mut outcome) = (Default::default(), AnyOutcome::default());
    time(|| {
        let user = |doc| query.examine(doc, &mut luck);
        method.compare(lists, LIST_LENGTH, &mut chance, &mut scratch, user, &mut outcome);
        std::hint::black_box(&outcome);
    })
}

fn plain_multileaving(query: &Query, lists: &[RankedList<'_>], name: &str) -> Option<f64> {
    let [mut chance, mut luck] = [1, 2].map(Generator::seed_from_u64);
    let user = |doc| query.examine(doc, &mut luck);
    Some(match name {
        "team-draft" => time_per_user(user, |user| reference::team_draft(lists, LIST_LENGTH, &mut chance, user)),
        "probabilistic" => {
            time_per_user(user, |user| reference::probabilistic_multileave(lists, LIST_LENGTH, TAU, &mut chance, user))
        }
        "sosm" => time_per_user(user, |user| reference::sosm(lists, LIST_LENGTH, TAU, &mut chance, user)),
        "pairwise-preference" => {
            time_per_user(user, |user| reference::pairwise_preference(lists, LIST_LENGTH, &mut chance, user))
        }
        _ => return None,
    })
}

/// Times `impression` with one user after another.
fn time_per_user<T>(
    mut user: impl FnMut(Doc) -> Examination,
    mut impression: impl FnMut(&mut dyn FnMut(Doc) -> Examination) -> T,
) -> f64 {
    time(|| {
        std::hint::black_box(impression(&mut user));
    })
}

/// One query: its rankers' lists, and how users see its documents.
struct Query {
    lists: Vec<ListBuf>,
    clicks: CompiledDependentModel,
    grades: Vec<Grade>,
}

impl Query {
    /// Labels like MSLR's, mostly 0 and 1; rankers from useless to good, one third each without ties, with some and
    /// with many; navigational users.
    fn new(documents: usize, rankers: usize) -> Result<Self> {
        let mut generator = Generator::seed_from_u64(3);
        let labels: Vec<f32> = (0..documents)
            .map(|_| match generator.random_range(0..100) {
                0..52 => 0.0,
                52..84 => 1.0,
                84..97 => 2.0,
                97..99 => 3.0,
                _ => 4.0,
            })
            .collect();
        let mut list = |ranker: usize| {
            let worth = generator.random_range(-0.2..0.6);
            let steps = [1e9, 12.0, 3.0][ranker % 3];
            let mut score =
                |&label: &f32| ((worth * f64::from(label) + generator.random_range(0.0..1.0)) * steps).floor();
            ListBuf::from_scores(&labels.iter().map(&mut score).collect::<Vec<_>>())
        };
        let lists = (0..rankers).map(&mut list).collect::<Result<_, _>>()?;
        let (clicks, grades) =
            DependentClickModel::preset("navigational", 4.0)?.prepare(&labels, FractionalLabels::Round)?;
        Ok(Self { lists, clicks, grades })
    }

    /// Two different rankers.
    fn pair(&self, generator: &mut Generator) -> [RankedList<'_>; 2] {
        let first = generator.random_range(0..self.lists.len());
        let second = (first + generator.random_range(1..self.lists.len())) % self.lists.len();
        [first, second].map(|ranker| self.lists[ranker].as_list())
    }

    fn examine(&self, doc: Doc, luck: &mut Generator) -> Examination {
        self.clicks.user().examine(self.grades[doc.index()], luck)
    }
}
