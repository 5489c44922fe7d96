//! What one impression costs: probabilistic interleaving and SOSM, with navigational clicks on
//! queries shaped like MSLR's (labels mostly 0 and 1; features with few and with many ties).
//!
//! `cargo bench -p interleave`. Every item is one impression. Pairs come in blocks of one query, as when a
//! preference matrix is estimated, or each on another query, as in a live simulation. `cargo xtask bench methods`
//! times every method beside its reference form.

use std::sync::LazyLock;

use clicks::{
    ClickModel, CompiledClickModel, CompiledDependentModel, DependentClickModel, FractionalLabels, Grade, User,
};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use interleave::methods::probabilistic::ProbabilisticScratch;
use interleave::methods::sosm::SosmScratch;
use interleave::{
    CreditTies, Doc, Generator, Interleaving, ListBuf, Multileaving, Preference, ProbabilisticInterleave, Sosm,
};
use rand::{RngExt, SeedableRng};

fn main() {
    divan::main();
}

/// One query: its rankers' lists, and how users see its documents.
struct Query {
    lists: Vec<ListBuf>,
    clicks: CompiledDependentModel,
    grades: Vec<Grade>,
}

/// A query of `documents` ranked by `rankers` features, from useless to good, that tie not at all,
/// a little, or mostly.
fn query(documents: usize, rankers: usize, seed: u64) -> Query {
    let mut generator = Generator::seed_from_u64(seed);
    let labels: Vec<f32> = (0..documents)
        .map(|_| match generator.random_range(0..100) {
            0..52 => 0.0,
            52..84 => 1.0,
            84..97 => 2.0,
            97..99 => 3.0,
            _ => 4.0,
        })
        .collect();
    let lists = (0..rankers)
        .map(|ranker| {
            let worth = generator.random_range(-0.2..0.6);
            // A third of the features each: continuous, counts, mostly zero.
            let steps = [1e9, 12.0, 3.0][ranker % 3];
            let score = |&label: &f32| {
                let score = worth * f64::from(label) + generator.random_range(0.0..1.0);
                (score * steps).floor()
            };
            ListBuf::from_scores(&labels.iter().map(score).collect::<Vec<_>>()).unwrap()
        })
        .collect();
    let model = DependentClickModel::preset("navigational", 4.0).unwrap();
    let (clicks, grades) = model.prepare(&labels, FractionalLabels::Round).unwrap();
    Query { lists, clicks, grades }
}

/// Impressions of random pairs, each on the query that `choose` picks.
fn probabilistic(
    bencher: Bencher<'_, '_>,
    queries: &[Query],
    ties: CreditTies,
    mut choose: impl FnMut(&mut Generator) -> usize,
) {
    const BLOCK: usize = 1000;
    let method = ProbabilisticInterleave::new(ties);
    let mut scratch = ProbabilisticScratch::default();
    let mut generator = Generator::seed_from_u64(2);
    let mut luck = Generator::seed_from_u64(3);
    let mut pick = Generator::seed_from_u64(4);
    let inputs = || -> Vec<(usize, [usize; 2])> {
        let mut input = || (choose(&mut pick), [0; 2].map(|_| pick.random_range(0..136)));
        (0..BLOCK).map(|_| input()).collect()
    };
    bencher.counter(ItemsCount::new(BLOCK)).with_inputs(inputs).bench_local_refs(|block| {
        let mut wins = 0;
        for (query, pair) in block {
            let query = &queries[*query];
            let lists = pair.map(|ranker| query.lists[ranker].as_list());
            let winner = method.compare(lists, 10, &mut generator, &mut scratch, |doc: Doc| {
                query.clicks.user().examine(query.grades[doc.index()], &mut luck)
            });
            wins += u32::from(winner == Preference::First);
        }
        black_box(wins)
    });
}

#[divan::bench(args = [20, 100, 120, 1000])]
fn probabilistic_same(bencher: Bencher<'_, '_>, documents: usize) {
    probabilistic(bencher, &[query(documents, 136, 1)], CreditTies::Same, |_| 0);
}

#[divan::bench(args = [20, 100, 120, 1000])]
fn probabilistic_redrawn(bencher: Bencher<'_, '_>, documents: usize) {
    probabilistic(bencher, &[query(documents, 136, 1)], CreditTies::Redrawn, |_| 0);
}

/// 130 MB of lists, as in a live simulation.
fn many() -> &'static [Query] {
    static MANY: LazyLock<Vec<Query>> = LazyLock::new(|| (0..1_300).map(|seed| query(120, 136, seed)).collect());
    &MANY
}

#[divan::bench(args = [CreditTies::Same, CreditTies::Redrawn])]
fn probabilistic_random_query(bencher: Bencher<'_, '_>, ties: CreditTies) {
    let queries = many();
    probabilistic(bencher, queries, ties, |pick| pick.random_range(0..queries.len()));
}

#[divan::bench(args = [20, 100, 120, 1000], consts = [5, 136, 700])]
fn sosm<const RANKERS: usize>(bencher: Bencher<'_, '_>, documents: usize) {
    let query = query(documents, RANKERS, 1);
    let lists: Vec<_> = query.lists.iter().map(ListBuf::as_list).collect();
    let method = Sosm::default();
    let mut scratch = SosmScratch::default();
    let mut generator = Generator::seed_from_u64(2);
    let mut luck = Generator::seed_from_u64(3);
    let mut scores = Vec::new();
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| {
        let user = |doc: Doc| query.clicks.user().examine(query.grades[doc.index()], &mut luck);
        method.compare(&lists, 10, &mut generator, &mut scratch, user, &mut scores);
        black_box(scores.len())
    });
}

/// All pairs of 136 rankers on one query, as a preference matrix is made; an item is a comparison.
#[divan::bench(args = [20, 100, 120, 1000], consts = [0, 1])]
fn probabilistic_all_pairs<const SAME: usize>(bencher: Bencher<'_, '_>, documents: usize) {
    let query = query(documents, 136, 1);
    let lists: Vec<_> = query.lists.iter().map(ListBuf::as_list).collect();
    let pairs: Vec<(u32, u32)> = (0..136).flat_map(|i| (i + 1..136).map(move |j| (i, j))).collect();
    let method = ProbabilisticInterleave::new([CreditTies::Redrawn, CreditTies::Same][SAME]);
    let mut scratch = ProbabilisticScratch::default();
    let mut generator = Generator::seed_from_u64(2);
    let mut luck = Generator::seed_from_u64(3);
    bencher.counter(ItemsCount::new(pairs.len())).bench_local(|| {
        let user = |doc: Doc| query.clicks.user().examine(query.grades[doc.index()], &mut luck);
        let mut wins = 0;
        let verdict = |_, winner| wins += u32::from(winner == Preference::First);
        method.compare_pairs(&lists, &pairs, 10, &mut generator, &mut scratch, user, verdict);
        black_box(wins)
    });
}
