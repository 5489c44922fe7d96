//! Prediction-powered means in worlds with known means: what intervals cover, and what they cost where the model is worthless.

use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus as Generator;
use statistics::fixed_sample::{LabelledSample, PartlyLabelled, PredictionPoweredMeans};

const TABLES: usize = 500;
/// Documents of a query; the first run shows 0 to 9, the second 5 to 14.
const DOCUMENTS: usize = 100;
/// The share of relevant documents that each run shows, on average over queries.
const TRUTH: [f64; 2] = [0.55, 0.5];

fn uniform(generator: &mut Generator) -> f64 {
    (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Model {
    /// Right about 9 documents in 10.
    Good,
    /// Takes half of the others for relevant.
    Biased,
    /// A coin.
    Worthless,
}

/// How much people judge: `documents` of each of `labelled` queries out of `queries`.
#[derive(Debug, Clone, Copy)]
struct Labels {
    queries: usize,
    labelled: usize,
    documents: usize,
}

impl Model {
    fn says(self, relevant: bool, generator: &mut Generator) -> bool {
        let coin = uniform(generator);
        match self {
            Self::Good => relevant == (coin < 0.9),
            Self::Biased => relevant || coin < 0.5,
            Self::Worthless => coin < 0.5,
        }
    }
}

/// A query, by run.
fn query(model: Model, labelled: Option<usize>, generator: &mut Generator) -> [PartlyLabelled; 2] {
    let level = 0.2 + 0.6 * uniform(generator);
    let documents: Vec<[f64; 2]> = (0..DOCUMENTS)
        .map(|document| {
            let relevant = uniform(generator) < level + if document < 5 { 0.1 } else { 0.0 };
            [relevant, model.says(relevant, generator)].map(|one| f64::from(u8::from(one)))
        })
        .collect();
    let mut order: Vec<usize> = (0..DOCUMENTS).collect();
    for place in 0..labelled.unwrap_or(0) {
        let other = place + (uniform(generator) * (DOCUMENTS - place) as f64) as usize;
        order.swap(place, other);
    }
    [0, 5].map(|from| {
        let shown = from..from + 10;
        let predicted = documents[shown.clone()].iter().map(|[_, model]| model / 10.0).sum();
        let sample = labelled.map(|count| {
            let expanded = DOCUMENTS as f64 / count as f64 / 10.0;
            let seen = order[..count].iter().filter(|document| shown.contains(document));
            let zero = LabelledSample { people: 0.0, predicted: 0.0, weight: 0.0, whole_weight: 1.0 };
            seen.fold(zero, |sum, &document| LabelledSample {
                people: sum.people + expanded * documents[document][0],
                predicted: sum.predicted + expanded * documents[document][1],
                weight: sum.weight + expanded,
                ..sum
            })
        });
        PartlyLabelled { predicted, sample }
    })
}

/// The share of intervals that cover the truth, of means and of their difference; and the widths of intervals of means by those of people
/// alone, on average and the share of tables above 1.1.
fn measured(model: Model, labels: Labels, seed: u64) -> ([f64; 2], [f64; 2]) {
    let mut generator = Generator::seed_from_u64(seed);
    let (mut covered, mut differences, mut widths, mut alone, mut wide) = (0, 0, 0.0, 0.0, 0);
    for _ in 0..TABLES {
        let mut means = [Vec::new(), Vec::new()];
        for at in 0..labels.queries {
            let of_query = query(model, (at < labels.labelled).then_some(labels.documents), &mut generator);
            means.iter_mut().zip(of_query).for_each(|(mean, unit)| mean.push(unit));
        }
        let found = PredictionPoweredMeans::new(&means, None).unwrap();
        for (run, truth) in TRUTH.iter().enumerate() {
            let (low, high) = found.mean(run).interval(0.05).unwrap();
            covered += usize::from(low <= *truth && *truth <= high);
            let [here, people] = [found.mean(run), found.estimate_by_people(run)].map(|one| one.standard_error);
            (widths, alone) = (widths + here, alone + people);
            wide += usize::from(here > 1.1 * people);
        }
        let (low, high) = found.difference(0, 1).interval(0.05).unwrap();
        differences += usize::from(low <= TRUTH[0] - TRUTH[1] && TRUTH[0] - TRUTH[1] <= high);
    }
    let tables = TABLES as f64;
    ([covered as f64 / (2.0 * tables), differences as f64 / tables], [widths / alone, wide as f64 / (2.0 * tables)])
}

#[test]
#[expect(clippy::print_stderr, reason = "what is measured")]
fn intervals_cover_and_a_worthless_model_costs_nothing() {
    let sampled = Labels { queries: 25, labelled: 25, documents: 30 };
    let some = Labels { queries: 100, labelled: 25, documents: 30 };
    let whole = Labels { queries: 100, labelled: 25, documents: DOCUMENTS };
    let error = (0.05 * 0.95 / TABLES as f64).sqrt();
    for (name, labels) in
        [("30 of 100 documents", sampled), ("in 25 of 100 queries", some), ("25 whole queries", whole)]
    {
        for model in [Model::Good, Model::Biased, Model::Worthless] {
            let ([means, differences], [width, wide]) = measured(model, labels, 7);
            eprintln!(
                "{name}, {model:?}: {means:.3} and {differences:.3} cover; {width:.3} as wide, {wide:.3} above 1.1"
            );
            for covered in [means, differences] {
                assert!((covered - 0.95).abs() < 3.5 * error, "{name}, {model:?}: {covered}");
            }
            match model {
                Model::Good => assert!(width < 0.9, "{name}: {width}"),
                Model::Biased => assert!(width < 1.0, "{name}: {width}"),
                Model::Worthless => assert!(width < 1.02 && wide < 0.05, "{name}: {width} {wide}"),
            }
        }
    }
}
