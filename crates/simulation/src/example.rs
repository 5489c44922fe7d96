//! Small sites for tests and examples: a few queries with five documents each, and rankers that are functions.

use clicks::{AnyClickModel, DependentClickModel, FractionalLabels};
use letor_io::{Dataset, DatasetBuilder, FeatureId, Provenance};
use rankers::{Rankings, TieBreaking};

use crate::site::Site;

/// A ranker: the score of a document from its label (0, 1 or 2) and its number in the query (0 to 4).
pub type Ranker = fn(f64, usize) -> f64;

/// A site of `queries` queries with five documents each, labelled 0, 0, 1, 1 and 2 in varying order. Clicks are perfect.
#[must_use]
pub fn site(queries: usize, rankers: &[Ranker]) -> (Dataset, Site) {
    let perfect = DependentClickModel::preset("perfect", 2.0).expect("a preset");
    site_of(queries, rankers, &perfect.into())
}

/// The same with users who click with these probabilities, `label:probability` for each label, and never stop.
///
/// # Panics
/// If `click` does not give a probability for each of the three labels.
#[must_use]
pub fn site_of_users(queries: usize, rankers: &[Ranker], click: &str) -> (Dataset, Site) {
    let clicks = DependentClickModel::custom(click, "0:0,1:0,2:0").expect("probabilities of three grades");
    site_of(queries, rankers, &clicks.into())
}

/// The same with users of any click model.
///
/// # Panics
/// If there is no query or no ranker, or the click model does not fit the labels.
#[must_use]
pub fn site_of(queries: usize, rankers: &[Ranker], clicks: &AnyClickModel) -> (Dataset, Site) {
    let provenance = Provenance::LookAlike { name: "test-lookalike".to_owned() };
    let mut builder = DatasetBuilder::new("test-lookalike", provenance);
    for query in 0..queries {
        let labels: Vec<f32> = (0..5).map(|doc| [0.0, 0.0, 1.0, 1.0, 2.0][(doc * 2 + query) % 5]).collect();
        let columns: Vec<Vec<f64>> = rankers
            .iter()
            .map(|ranker| labels.iter().enumerate().map(|(doc, &label)| ranker(label.into(), doc)).collect())
            .collect();
        builder.push_columns(&query.to_string(), &labels, &columns).expect("a sound query");
    }
    let dataset = builder.build();
    let features: Vec<FeatureId> = (1..=rankers.len() as u32).map(FeatureId).collect();
    let rankings = Rankings::new(&dataset, &features, TieBreaking::Random).expect("sound rankers");
    let site = Site::new(&dataset, rankings, clicks, FractionalLabels::Round, 5).expect("a sound site");
    (dataset, site)
}
