//! The model of LETOR 3.0's NP2004: 64 features of text, propagated scores, links and URLs, and one relevant page in a
//! thousand.

use super::keyed_rng::{KeyedRng, decimal, logistic};
use super::letor::{MEAN_LENGTH, SIGNALS, saturate};
use super::model::Model;
use super::text_model::{Collection, Fields, STREAMS, TextDocument, TextQuery};
use super::text_signals::{signal, signals};

/// The number of features of a document.
pub(crate) const FEATURES: usize = 64;

/// Named-page search in .gov: one page is relevant, and its title, anchors and URL name it.
const COLLECTION: Collection = Collection {
    terms: &[0.02, 0.20, 0.30, 0.26, 0.12, 0.06, 0.04],
    unmatched: 0.0,
    idf: [4.5, 1.6],
    about: &[0.0, 3.4],
    authority: &[0.0, 1.1],
    per_term: 0.35,
    rare_term_weight: 0.2,
    query_spread: 0.15,
    fields: Fields {
        // Body, anchor, title, URL.
        present: [0.999, 0.90, 0.975, 1.0],
        length: [6.2, 2.0, 1.8, 2.1],
        length_spread: [1.2, 1.0, 0.5, 0.35],
        thin: [0.0, 0.0, 0.0, 0.0],
        shortest: [5.0, 1.0, 1.0, 3.0],
        length_about: [0.0, 0.12, 0.0, -0.08],
        length_authority: [0.0, 0.3, 0.0, -0.08],
        copied: [0.02, 0.0, 0.25, 0.25],
        mention: [1.7, -5.4, -4.9, -6.2],
        term_spread: [1.2, 1.2, 1.4, 1.8],
        mention_about: [2.2, 2.9, 3.5, 1.5],
        mention_length: [0.4, 0.8, 0.6, 0.6],
        more: [0.3, -0.7, -2.5, -3.0],
        more_about: [0.45, 0.2, 0.1, 0.1],
        more_length: [0.55, 0.7, 0.5, 0.5],
        mention_own: [0.3, 0.5, 0.4, 1.2],
        more_own: [0.8, 0.5, 0.0, 0.0],
        rarer: [0.0, 1.0, 1.5, 1.8],
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
        let mut sum_of_streams = 0.0;
        for (stream, mean_length) in MEAN_LENGTH.iter().enumerate() {
            let values = signals(&self.text, &document, stream, *mean_length);
            for (place, &signal) in SIGNALS.iter().enumerate() {
                out[place * STREAMS + stream] = match signal {
                    // Language models are negative logarithms.
                    signal::ABS | signal::DIRICHLET | signal::JELINEK_MERCER => {
                        decimal(libm::exp(values[signal] / 40.0))
                    }
                    signal::TF => saturate(values[signal], 200.0),
                    signal::LENGTH => saturate(values[signal], 20.0 * mean_length),
                    _ => saturate(values[signal], 50.0),
                };
            }
            sum_of_streams = values[signal::BM25];
        }
        self.page(&document, sum_of_streams, grade, rng, out);
    }
}

impl Query {
    /// Features 41 to 64: propagated scores, links, URLs and extracted titles. `whole` is the BM25 score of the whole
    /// document.
    fn page(&self, document: &TextDocument, whole: f64, grade: usize, rng: &mut KeyedRng, out: &mut [f64]) {
        let authority = document.authority;
        // Terms and scores propagated over the site map hardly move the score of the whole document.
        out[40] = saturate(whole * (1.0 + 0.01 * rng.normal()), 50.0);
        out[41] = saturate(whole * (1.0 + 0.01 * rng.normal()), 50.0);
        // Propagation along links reaches a third of the pages.
        let linked = rng.chance(logistic(-0.75 + 0.8 * authority + 2.0 * grade as f64));
        for (place, value) in out[42..50].iter_mut().enumerate() {
            let propagated = (0.06 * whole + 0.5 * authority + 0.5 * rng.normal()).max(0.0);
            // Propagated scores are coarse, propagated features finer.
            let step: f64 = if (3..6).contains(&place) { 1_000.0 } else { 40.0 };
            *value = if linked { saturate(((propagated + 0.2) * step).ceil() / step, 20.0) } else { 0.0 };
        }
        // PageRank and host rank, topical ranks and hubs, links in and out.
        let coarse = |value: f64, step: f64| decimal((value * step).ceil() / step);
        let rank = logistic(-4.0 + authority + 0.5 * rng.normal());
        out[50] = coarse(rank, 5_000.0);
        out[51] = coarse(logistic(-1.2 + 0.7 * authority + 0.8 * rng.normal()), 400.0);
        let topical = [(-1.7, 300.0), (-0.8, 1_200.0), (-0.8, 900.0)];
        for (value, (logit, step)) in out[52..55].iter_mut().zip(topical) {
            let present = rng.chance(logistic(logit + authority + 1.5 * grade as f64));
            *value = if present { coarse(logistic(-3.0 + 0.8 * authority + rng.normal()), step) } else { 0.0 };
        }
        out[55] = saturate(rng.log_normal(1.6 + 0.8 * authority, 1.4).round(), 2_000.0);
        out[56] = saturate(rng.log_normal(2.4 + 0.3 * authority, 1.0).round(), 300.0);
        // Slashes and length of the URL, pages below it.
        let words = f64::from(document.length[3]);
        out[57] = saturate((1.0 + 0.4 * words + 0.8 * rng.normal()).round().clamp(1.0, 12.0), 20.0);
        out[58] = saturate((6.0 * words + 7.0 * rng.normal()).round().max(8.0), 600.0);
        out[59] = if rng.chance(0.075) { saturate(rng.log_normal(1.0, 1.2).ceil(), 100.0) } else { 0.0 };
        // BM25 and language models on extracted titles: coarse, on most pages.
        let titled = rng.normal() + 0.8 * grade as f64;
        for (place, value) in out[60..64].iter_mut().enumerate() {
            let score = if titled < 0.6 { 0.2 } else { 0.3 + 0.1 * titled + 0.01 * rng.normal() };
            *value = decimal((score * 60.0).round() / 60.0 + 0.01 * place as f64);
        }
    }
}
