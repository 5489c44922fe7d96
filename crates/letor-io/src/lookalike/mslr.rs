//! The model of MSLR-WEB30K: 25 signals by 5 streams, and 11 features of pages and users.

use super::keyed_rng::{KeyedRng, decimal, logistic};
use super::model::Model;
use super::text_model::{Collection, Fields, STREAMS, TextDocument, TextQuery};
use super::text_signals::{SIGNALS, signals};

/// The number of features of a document.
pub(crate) const FEATURES: usize = SIGNALS * STREAMS + 11;

pub(crate) const COLLECTION: Collection = Collection {
    terms: &[0.16, 0.41, 0.27, 0.12, 0.01, 0.02, 0.01],
    unmatched: 0.011,
    idf: [4.4, 1.7],
    about: &[-0.55, 0.36, 0.90, 1.10, 0.25],
    authority: &[-0.20, 0.05, 0.25, 0.90, 1.60],
    per_term: 0.4,
    rare_term_weight: 0.22,
    query_spread: 0.35,
    fields: Fields {
        // Body, anchor, title, URL.
        present: [0.978, 0.27, 0.962, 1.0],
        length: [6.15, 1.2, 1.75, 1.95],
        length_spread: [1.05, 0.75, 0.67, 0.34],
        thin: [0.10, 0.0, 0.0, 0.0],
        shortest: [3.0, 1.0, 1.0, 3.0],
        length_about: [0.03, 0.0, 0.0, 0.0],
        length_authority: [-0.03, 0.3, 0.0, 0.02],
        copied: [0.06, 0.01, 0.20, 0.06],
        mention: [2.8, -0.9, 0.15, -2.8],
        term_spread: [1.1, 1.6, 1.5, 1.8],
        mention_about: [1.3, 1.6, 2.7, 2.1],
        mention_length: [0.45, 0.8, 1.5, 2.2],
        more: [1.3, -1.6, -2.2, -3.2],
        more_about: [0.62, 0.2, 0.3, 0.2],
        more_length: [0.75, 0.6, 0.6, 0.6],
        mention_own: [0.4, 0.5, 0.5, 1.0],
        more_own: [1.0, 0.5, 0.0, 0.0],
        rarer: [0.0, 4.5, 3.7, 4.2],
    },
};

/// The mean length of each stream, for BM25.
const MEAN_LENGTH: [f64; STREAMS] = [700.0, 1.4, 8.5, 7.5, 720.0];

/// The properties of a query that the features of pages and users depend on.
#[derive(Debug, Clone)]
pub(crate) struct Query {
    text: TextQuery,
    /// The site rank of each site that has documents of the query.
    sites: [f64; 12],
    /// Whether users clicked any result of this query.
    clicked: bool,
}

impl Query {
    pub(crate) fn draw(rng: &mut KeyedRng) -> Self {
        let text = TextQuery::draw(&COLLECTION, rng);
        let mut sites = [0.0; 12];
        for site in &mut sites {
            *site = rng.normal();
        }
        let clicked = rng.chance(0.68);
        Self { text, sites, clicked }
    }

    /// Features 126 to 136.
    fn page(&self, document: &TextDocument, label: usize, rng: &mut KeyedRng, out: &mut [f64]) {
        let authority = document.authority;
        let words = f64::from(document.length[3]);
        let linked = f64::from(u8::from(document.length[1] > 0));
        // Slashes in the URL and its length.
        out[0] = f64::from(1 + rng.poisson((0.26 * words - 0.1 * authority).max(0.2)).min(11));
        out[1] = (4.6 * words + 7.0 * rng.normal()).round().max(7.0);
        // Links in and out.
        let links = rng.chance(logistic(0.75 + 1.6 * linked + 0.3 * authority));
        out[2] = if links { rng.log_normal(2.6 + 0.9 * authority, 2.9).round().min(1.6e8) } else { 0.0 };
        let links = rng.chance(logistic(-0.6 + 1.6 * linked + 0.35 * authority));
        out[3] = if links { rng.log_normal(1.0 + 0.5 * authority, 1.1).round().clamp(1.0, 121.0) } else { 0.0 };
        // Ranks of the page and of its site, out of 65,535.
        let rank = -2.0 - 0.08 * (words - 7.0) + 1.1 * authority + 2.6 * rng.normal();
        out[4] = (115.0 + 65_420.0 * logistic(rank)).round();
        if rng.chance(0.09) {
            // Pages without links share the few lowest ranks.
            out[4] = (118 + rng.below(4)) as f64;
        }
        let site = rng.uniform();
        let site = if site < 0.6 { self.sites[(20.0 * site) as usize] } else { rng.normal() };
        out[5] = (68_500.0 * logistic(0.1 + 0.12 * (words - 7.0) + 1.9 * site + 0.25 * authority))
            .round()
            .clamp(1.0, 65_535.0);
        // Two quality scores, lower on high-ranked sites.
        let quality = 0.1 * authority - 0.35 * site + rng.normal();
        for (value, slope) in out[6..8].iter_mut().zip([0.8, 0.9]) {
            *value = libm::exp(1.8 + slope * quality + 1.2 * rng.normal()).round().clamp(1.0, 254.0);
        }
        // Clicks on this document for this query: few documents have any, and most of these are relevant.
        const CLICKED: [f64; 5] = [0.022, 0.085, 0.16, 0.33, 0.40];
        const CLICKS: [f64; 5] = [2.4, 3.0, 3.7, 5.4, 6.2];
        let clicked = self.clicked && rng.chance(CLICKED[label]);
        out[8] = if clicked { rng.log_normal(CLICKS[label], 1.4).round().max(1.0) } else { 0.0 };
        // Clicks on it for any query, and dwell time.
        let visited = clicked && rng.chance(0.8) || rng.chance(logistic(-1.3 - 0.15 * (words - 7.0) + 0.3 * authority));
        out[9] = if visited { rng.log_normal(1.9 + 0.8 * authority, 2.0).round().max(1.0) } else { 0.0 };
        out[10] = if visited { decimal(rng.log_normal(3.0 + 0.25 * authority, 1.1).min(470.0)) } else { 0.0 };
    }
}

impl Model for Query {
    fn document(&mut self, grade: usize, rng: &mut KeyedRng, out: &mut [f64]) {
        let document = self.text.document(&COLLECTION, grade, rng);
        for (stream, mean_length) in MEAN_LENGTH.iter().enumerate() {
            let values = signals(&self.text, &document, stream, *mean_length);
            for (signal, value) in values.iter().enumerate() {
                out[signal * STREAMS + stream] = decimal(*value);
            }
        }
        self.page(&document, grade, rng, &mut out[SIGNALS * STREAMS..]);
    }
}
