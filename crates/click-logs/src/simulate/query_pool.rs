//! The searches of users: queries with documents of some grade and some kind, and the lists of the rankers.

use clicks::{AnyClickModel, ClickModel, FractionalLabels, Grade};
use interleave::{Generator, ListBuf};
use rand::{RngExt, SeedableRng};

use super::SimulationSettings;

/// Different queries of all users.
const QUERIES: usize = 400;
/// Documents of a query.
pub(super) const DOCUMENTS_PER_QUERY: usize = 30;
/// The highest grade.
const BEST: f64 = 4.0;
/// Stretches of time in which rankers stay the same.
const PHASES: usize = 8;

pub(super) type CompiledModel = <AnyClickModel as ClickModel>::Compiled;

/// The queries, the same for all users.
pub(super) struct QueryPool {
    queries: Vec<Query>,
    pub(super) model: CompiledModel,
    /// The grades of the click model, worst first.
    grades: Vec<Grade>,
}

struct Query {
    /// By document: how good it is for everyone.
    quality: Vec<f64>,
    /// By document: whether it is of the one kind or the other, from -1 to 1.
    affinity: Vec<f64>,
    /// By phase, by ranker.
    lists: Vec<Vec<ListBuf>>,
}

impl QueryPool {
    pub(super) fn new(simulation: &SimulationSettings) -> Result<Self, String> {
        simulation.check()?;
        let model = simulation.click.resolve(BEST as f32).map_err(|error| error.to_string())?;
        let labels: Vec<f32> = (0..=BEST as u8).map(f32::from).collect();
        let (model, grades) = model.prepare(&labels, FractionalLabels::default()).map_err(|error| error.to_string())?;
        let mut generator = Generator::seed_from_u64(simulation.seed ^ 0x9e37_79b9_7f4a_7c15);
        let queries = (0..QUERIES).map(|_| Query::new(simulation, &mut generator)).collect();
        Ok(Self { queries, model, grades })
    }

    pub(super) fn len(&self) -> usize {
        self.queries.len()
    }

    /// The list of a ranker on a day of the log.
    pub(super) fn list(&self, simulation: &SimulationSettings, query: usize, ranker: usize, day: u32) -> &ListBuf {
        let phase = day as usize * PHASES / simulation.days as usize;
        &self.queries[query].lists[phase.min(PHASES - 1)][ranker]
    }

    /// How good a document is for a user of this taste.
    pub(super) fn grade(&self, query: usize, document: usize, taste: f64) -> Grade {
        let query = &self.queries[query];
        let grade = (query.quality[document] + taste * query.affinity[document]).round().clamp(0.0, BEST);
        self.grades[grade as usize]
    }
}

impl Query {
    fn new(simulation: &SimulationSettings, generator: &mut Generator) -> Self {
        // Few documents are good.
        let quality: Vec<f64> = (0..DOCUMENTS_PER_QUERY).map(|_| BEST * generator.random::<f64>().powi(3)).collect();
        let affinity: Vec<f64> = (0..DOCUMENTS_PER_QUERY).map(|_| 2.0 * generator.random::<f64>() - 1.0).collect();
        let noise: Vec<Vec<f64>> =
            (0..simulation.rankers).map(|_| (0..DOCUMENTS_PER_QUERY).map(|_| normal(generator)).collect()).collect();
        let lists = (0..PHASES).map(|phase| {
            let time = phase as f64 / (PHASES - 1) as f64;
            let list_of_ranker = |ranker: usize| {
                let part = 1.0 - simulation.drift * (1.0 - time);
                let margin = simulation.margin * ranker as f64 * part;
                // Every ranker prefers one kind: users differ in which they prefer.
                let lean = if ranker.is_multiple_of(2) { 0.8 } else { -0.8 };
                let score = |document: usize| {
                    (1.0 + margin) * quality[document] + lean * affinity[document] + 1.5 * noise[ranker][document]
                };
                let scores: Vec<f64> = (0..DOCUMENTS_PER_QUERY).map(score).collect();
                ListBuf::from_scores(&scores).expect("numbers")
            };
            (0..simulation.rankers).map(list_of_ranker).collect()
        });
        let lists = lists.collect();
        Self { quality, affinity, lists }
    }
}

/// A draw that is nearly normal: the sum of twelve even ones.
pub(super) fn normal(generator: &mut Generator) -> f64 {
    (0..12).map(|_| generator.random::<f64>()).sum::<f64>() - 6.0
}
