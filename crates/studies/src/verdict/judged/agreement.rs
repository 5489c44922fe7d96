//! How far a model and people agree on the documents that both judged.

use letor_io::{Dataset, Gold};
use serde::Serialize;
use statistics::fixed_sample::kappa;

/// Agreement on the documents that both judged, counted alike.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Agreement {
    /// How many both judged.
    pub documents: usize,
    /// The share with the same label.
    pub same: f64,
    /// Cohen's kappa of labels; null if chance alone would agree always.
    pub kappa: Option<f64>,
    /// The mean label of the model, minus that of people.
    pub model_minus_people: f64,
}

impl Agreement {
    pub(super) fn of(dataset: &Dataset, gold: &Gold) -> Self {
        let retrieved = (0..dataset.queries()).flat_map(|query| {
            let labels = dataset.query(query).labels().iter().copied();
            labels.zip(gold.query(query).labels.iter().copied()).collect::<Vec<_>>()
        });
        let unretrieved = (0..dataset.queries()).map(|query| gold.query(query)).chain(gold.without_documents());
        let unretrieved = unretrieved.flat_map(|query| query.unretrieved.iter().copied());
        let label_pairs: Vec<[f32; 2]> =
            retrieved.chain(unretrieved).filter_map(|(model, people)| Some([model, people?])).collect();
        let mut labels: Vec<f32> = label_pairs.iter().flatten().copied().collect();
        labels.sort_by(f32::total_cmp);
        labels.dedup();
        let label_index = |label: f32| labels.partition_point(|known| *known < label);
        let mut counts = vec![vec![0.0; labels.len()]; labels.len()];
        for [model, people] in label_pairs.iter().copied() {
            counts[label_index(model)][label_index(people)] += 1.0;
        }
        let count = label_pairs.len().max(1) as f64;
        let difference: f64 = label_pairs.iter().map(|[model, people]| f64::from(*model) - f64::from(*people)).sum();
        Self {
            documents: label_pairs.len(),
            same: label_pairs.iter().filter(|[model, people]| model == people).count() as f64 / count,
            kappa: kappa(&counts),
            model_minus_people: difference / count,
        }
    }
}
