//! The model of LETOR 4.0's MQ2008: 46 features, each scaled to 0..1 per query.

use super::keyed_rng::KeyedRng;
use super::letor::{MEAN_LENGTH, SIGNALS, to_unit};
use super::model::Model;
use super::text_model::{Collection, Fields, STREAMS, TextQuery};
use super::text_signals::signals;

/// The number of features of a document.
pub(crate) const FEATURES: usize = 46;

/// Million-query track on .gov2: few judged documents; most mention the query.
const COLLECTION: Collection = Collection {
    terms: &[0.10, 0.28, 0.28, 0.18, 0.10, 0.04, 0.02],
    unmatched: 0.0,
    idf: [5.0, 1.8],
    about: &[-0.40, 1.30, 1.80],
    authority: &[0.0, 0.1, 0.2],
    per_term: 0.3,
    rare_term_weight: 0.2,
    query_spread: 0.4,
    fields: Fields {
        // Body, anchor, title, URL.
        present: [1.0, 0.88, 0.93, 1.0],
        length: [6.6, 2.2, 1.8, 2.1],
        length_spread: [1.3, 1.2, 0.6, 0.4],
        thin: [0.0, 0.0, 0.0, 0.0],
        shortest: [10.0, 1.0, 1.0, 3.0],
        length_about: [0.22, 0.1, 0.0, -0.05],
        length_authority: [0.0, 0.3, 0.0, -0.05],
        copied: [0.01, 0.0, 0.08, 0.0],
        mention: [2.4, -3.4, -2.8, -4.3],
        term_spread: [1.2, 1.8, 2.0, 2.0],
        mention_about: [2.2, 0.8, 0.7, 0.3],
        mention_length: [0.2, 1.0, 0.6, 0.6],
        more: [1.6, -0.6, -2.5, -3.0],
        more_about: [0.35, 0.2, 0.1, 0.1],
        more_length: [0.5, 0.7, 0.5, 0.5],
        mention_own: [0.2, 0.5, 0.6, 1.0],
        more_own: [0.8, 0.5, 0.0, 0.0],
        rarer: [0.0, 1.5, 1.5, 2.0],
    },
};

/// A query.
#[derive(Debug)]
pub(crate) struct Query {
    text: TextQuery,
}

impl Query {
    pub(crate) fn draw(rng: &mut KeyedRng) -> Self {
        Self { text: TextQuery::draw(&COLLECTION, rng) }
    }
}

impl Model for Query {
    fn document(&mut self, grade: usize, rng: &mut KeyedRng, out: &mut [f64]) {
        let document = self.text.document(&COLLECTION, grade, rng);
        for (stream, mean_length) in MEAN_LENGTH.iter().enumerate() {
            let values = signals(&self.text, &document, stream, *mean_length);
            for (place, &signal) in SIGNALS.iter().enumerate() {
                // Counts are ordered by signal; from feature 21 on, language models are ordered by stream.
                let feature = if place < 4 { place * STREAMS + stream } else { 20 + 4 * stream + (place - 4) };
                out[feature] = values[signal];
            }
        }
        let authority = document.authority;
        let words = f64::from(document.length[3]);
        out[40] = (1.0 + 0.4 * words + 0.8 * rng.normal()).round().clamp(1.0, 12.0);
        out[41] = (6.0 * words + 9.0 * rng.normal()).round().max(10.0);
        out[42] = 0.0;
        out[43] = (rng.log_normal(0.8 * authority, 1.2) * 60.0).round();
        out[44] = (rng.log_normal(1.9 + 0.9 * authority, 1.6) - 1.0).round().max(0.0);
        out[45] = (rng.log_normal(1.0 + 0.2 * authority, 1.6) - 2.0).round().max(0.0);
    }

    fn finish(&self, columns: &mut [f64], documents: usize) {
        to_unit(columns, documents);
    }
}
