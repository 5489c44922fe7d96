//! The shape of LETOR 3.0's NP2004: 64 features of text, propagated scores, links and addresses, and one
//! page in a thousand to be found.

use super::letor::{MEAN_LENGTH, SIGNALS, squeezed};
use super::maker::Model;
use super::noise::{Noise, decimal, logistic};
use super::signals::{signal, signals};
use super::text::{Collection, Fields, STREAMS, TextDocument, TextQuery};

/// Features of a document.
pub(crate) const FEATURES: usize = 64;

/// Named-page search in .gov: one page is meant, and titles, anchors and addresses name it.
const COLLECTION: Collection = Collection {
    terms: &[0.02, 0.20, 0.30, 0.26, 0.12, 0.06, 0.04],
    unmatched: 0.0,
    idf: [4.5, 1.6],
    about: &[0.0, 3.4],
    authority: &[0.0, 1.1],
    per_term: 0.35,
    rare_tells: 0.2,
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
    pub(crate) fn draw(noise: &mut Noise) -> Self {
        Self { text: TextQuery::draw(&COLLECTION, noise) }
    }
}

impl Model for Query {
    fn document(&mut self, grade: usize, noise: &mut Noise, out: &mut [f64]) {
        let document = self.text.document(&COLLECTION, grade, noise);
        let mut whole = 0.0;
        for (stream, mean_length) in MEAN_LENGTH.iter().enumerate() {
            let values = signals(&self.text, &document, stream, *mean_length);
            for (place, &signal) in SIGNALS.iter().enumerate() {
                out[place * STREAMS + stream] = match signal {
                    // Language models are logarithms, below 0.
                    signal::ABS | signal::DIRICHLET | signal::JELINEK_MERCER => {
                        decimal(libm::exp(values[signal] / 40.0))
                    }
                    signal::TF => squeezed(values[signal], 200.0),
                    signal::LENGTH => squeezed(values[signal], 20.0 * mean_length),
                    _ => squeezed(values[signal], 50.0),
                };
            }
            whole = values[signal::BM25];
        }
        self.page(&document, whole, grade, noise, out);
    }
}

impl Query {
    /// Features 41 to 64: what is propagated along links, links and addresses, extracted titles.
    /// `whole` is BM25 of the whole document.
    fn page(&self, document: &TextDocument, whole: f64, grade: usize, noise: &mut Noise, out: &mut [f64]) {
        let authority = document.authority;
        // Terms and scores propagated over the site map hardly move the score of the whole document.
        out[40] = squeezed(whole * (1.0 + 0.01 * noise.normal()), 50.0);
        out[41] = squeezed(whole * (1.0 + 0.01 * noise.normal()), 50.0);
        // Propagation along links reaches a third of the pages.
        let linked = noise.chance(logistic(-0.75 + 0.8 * authority + 2.0 * grade as f64));
        for (place, value) in out[42..50].iter_mut().enumerate() {
            let propagated = (0.06 * whole + 0.5 * authority + 0.5 * noise.normal()).max(0.0);
            // Scores are coarse for propagated scores, finer for propagated features.
            let step: f64 = if (3..6).contains(&place) { 1_000.0 } else { 40.0 };
            *value = if linked { squeezed(((propagated + 0.2) * step).ceil() / step, 20.0) } else { 0.0 };
        }
        // PageRank and host rank, topical ranks and hubs, links in and out.
        let coarse = |value: f64, step: f64| decimal((value * step).ceil() / step);
        let rank = logistic(-4.0 + authority + 0.5 * noise.normal());
        out[50] = coarse(rank, 5_000.0);
        out[51] = coarse(logistic(-1.2 + 0.7 * authority + 0.8 * noise.normal()), 400.0);
        let topical = [(-1.7, 300.0), (-0.8, 1_200.0), (-0.8, 900.0)];
        for (value, (odds, step)) in out[52..55].iter_mut().zip(topical) {
            let there = noise.chance(logistic(odds + authority + 1.5 * grade as f64));
            *value = if there { coarse(logistic(-3.0 + 0.8 * authority + noise.normal()), step) } else { 0.0 };
        }
        out[55] = squeezed(noise.log_normal(1.6 + 0.8 * authority, 1.4).round(), 2_000.0);
        out[56] = squeezed(noise.log_normal(2.4 + 0.3 * authority, 1.0).round(), 300.0);
        // Slashes and length of the address, pages below it.
        let words = f64::from(document.length[3]);
        out[57] = squeezed((1.0 + 0.4 * words + 0.8 * noise.normal()).round().clamp(1.0, 12.0), 20.0);
        out[58] = squeezed((6.0 * words + 7.0 * noise.normal()).round().max(8.0), 600.0);
        out[59] = if noise.chance(0.075) { squeezed(noise.log_normal(1.0, 1.2).ceil(), 100.0) } else { 0.0 };
        // BM25 and language models on extracted titles: coarse, on most pages.
        let titled = noise.normal() + 0.8 * grade as f64;
        for (place, value) in out[60..64].iter_mut().enumerate() {
            let score = if titled < 0.6 { 0.2 } else { 0.3 + 0.1 * titled + 0.01 * noise.normal() };
            *value = decimal((score * 60.0).round() / 60.0 + 0.01 * place as f64);
        }
    }
}
