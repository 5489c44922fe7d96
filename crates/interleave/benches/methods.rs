//! What one impression of every method costs, with navigational clicks, ten documents shown.
//!
//! `cargo bench -p interleave --bench methods`, or with the name of a method after `--`. Every item is
//! one impression. Queries are shaped like MSLR's: features with few and with many ties. Read the
//! medians. `optimized` interleaving has a new pair of lists, and so a new program, at every impression.

use std::fmt;

use clicks::{ClickModel, FractionalLabels, Level, Users};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use interleave::{
    AnyInterleaving, AnyMultileaving, AnyOutcome, Doc, Generator, Interleaving, ListBuf, Look, Multileaving, Outcome,
    RankedList,
};
use rand::{RngExt, SeedableRng};

fn main() {
    divan::main();
}

struct Case {
    name: &'static str,
    documents: usize,
    rankers: usize,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} documents {} rankers", self.name, self.documents, self.rankers)
    }
}

fn cases(names: &[&'static str], rankers: &[usize]) -> Vec<Case> {
    let mut cases = Vec::new();
    for &name in names {
        for documents in [20, 100, 1000] {
            let sizes = rankers.iter().map(|&rankers| Case { name, documents, rankers });
            cases.extend(sizes);
        }
    }
    cases
}

struct Query {
    lists: Vec<ListBuf>,
    users: Users,
    levels: Vec<Level>,
}

/// Labels mostly 0 and 1; features from useless to good that tie not at all, a little, or mostly.
fn query(documents: usize, rankers: usize) -> Query {
    let mut generator = Generator::seed_from_u64(1);
    let labels: Vec<f32> = (0..documents)
        .map(|_| match generator.random_range(0..100) {
            0..52 => 0.0,
            52..84 => 1.0,
            84..97 => 2.0,
            97..99 => 3.0,
            _ => 4.0,
        })
        .collect();
    let list = |ranker: usize| {
        let worth = generator.random_range(-0.2..0.6);
        let steps = [1e9, 12.0, 3.0][ranker % 3];
        let score = |&label: &f32| {
            let score = worth * f64::from(label) + generator.random_range(0.0..1.0);
            (score * steps).floor()
        };
        ListBuf::from_scores(&labels.iter().map(score).collect::<Vec<_>>()).unwrap()
    };
    let lists = (0..rankers).map(list).collect();
    let model = ClickModel::preset("navigational", 4.0).unwrap();
    let (users, levels) = model.prepare(&labels, FractionalLabels::Round).unwrap();
    Query { lists, users, levels }
}

impl Query {
    fn look(&self, doc: Doc, luck: &mut Generator) -> Look {
        let look = self.users.look(self.levels[doc.index()], luck);
        Look { clicked: look.clicked, leaves: look.leaves }
    }
}

#[divan::bench(args = cases(&AnyInterleaving::NAMES, &[136]), max_time = 0.3)]
fn interleaving(bencher: Bencher<'_, '_>, case: &Case) {
    let query = query(case.documents, case.rankers);
    let method: AnyInterleaving = case.name.parse().unwrap();
    let mut scratch = Default::default();
    let mut generator = Generator::seed_from_u64(2);
    let mut luck = Generator::seed_from_u64(3);
    let mut pick = Generator::seed_from_u64(4);
    let block: usize = if method.name() == "optimized" { 2 } else { 200 };
    bencher.counter(ItemsCount::new(block)).bench_local(|| {
        for _ in 0..block {
            let lists = [0; 2].map(|_| query.lists[pick.random_range(0..case.rankers)].as_list());
            let user = |doc| query.look(doc, &mut luck);
            black_box(method.compare(lists, 10, &mut generator, &mut scratch, user));
        }
    });
}

#[divan::bench(args = cases(&AnyMultileaving::NAMES, &[2, 5, 136, 700]), max_time = 0.3)]
fn multileaving(bencher: Bencher<'_, '_>, case: &Case) {
    let query = query(case.documents, case.rankers);
    let lists: Vec<RankedList<'_>> = query.lists.iter().map(ListBuf::as_list).collect();
    let method: AnyMultileaving = case.name.parse().unwrap();
    let (mut scratch, mut outcome) = (Default::default(), AnyOutcome::default());
    let mut generator = Generator::seed_from_u64(2);
    let mut luck = Generator::seed_from_u64(3);
    let block = (1_000 / case.rankers).max(1);
    bencher.counter(ItemsCount::new(block)).bench_local(|| {
        for _ in 0..block {
            let user = |doc| query.look(doc, &mut luck);
            method.compare(&lists, 10, &mut generator, &mut scratch, user, &mut outcome);
        }
        black_box(outcome.rankers())
    });
}
