//! Properties of a feature within queries.

use std::cmp::Ordering;

use letor_io::{Dataset, FeatureId};

/// Properties of one feature, averaged over queries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Profile {
    /// Share of queries in which it is constant.
    pub constant: f64,
    /// Share of documents with the same value as another document of the query.
    pub tied: f64,
    /// Concordant minus discordant pairs, divided by the pairs with different labels.
    pub concordance: f64,
}

/// The profile of every feature of `dataset`.
pub fn profiles(dataset: &Dataset) -> Vec<Profile> {
    (1..=dataset.features()).map(|feature| profile(dataset, FeatureId(feature))).collect()
}

fn profile(dataset: &Dataset, feature: FeatureId) -> Profile {
    let mut column = Vec::new();
    let (mut constant, mut tied, mut concordance, mut judged) = (0.0, 0.0, 0.0, 0.0);
    for query in dataset.iter() {
        query.column(feature, &mut column);
        let mut sorted = column.clone();
        sorted.sort_by(f64::total_cmp);
        constant += f64::from(u8::from(query.is_constant(feature)));
        let alone = sorted.chunk_by(|a, b| a == b).filter(|group| group.len() == 1).count();
        tied += 1.0 - alone as f64 / column.len() as f64;
        let labels = query.labels();
        let (mut pairs, mut sum) = (0_i64, 0_i64);
        // No document is below the lowest label.
        let lowest = labels.iter().copied().fold(f32::INFINITY, f32::min);
        for i in (0..column.len()).filter(|&i| labels[i] > lowest) {
            for j in 0..column.len() {
                if labels[i] > labels[j] {
                    pairs += 1;
                    sum += match column[i].total_cmp(&column[j]) {
                        Ordering::Greater => 1,
                        Ordering::Less => -1,
                        Ordering::Equal => 0,
                    };
                }
            }
        }
        if pairs > 0 {
            judged += 1.0;
            concordance += sum as f64 / pairs as f64;
        }
    }
    let queries = dataset.queries() as f64;
    Profile { constant: constant / queries, tied: tied / queries, concordance: concordance / judged }
}
