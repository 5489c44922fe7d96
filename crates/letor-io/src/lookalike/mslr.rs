//! The shape of MSLR-WEB30K: 25 signals by 5 streams, and 11 features of pages and users.

use super::maker::Model;
use super::noise::{Noise, decimal, logistic};
use super::signals::{SIGNALS, signals};
use super::text::{Collection, Fields, STREAMS, TextDocument, TextQuery};

/// Features of a document.
pub(crate) const FEATURES: usize = SIGNALS * STREAMS + 11;

pub(crate) const COLLECTION: Collection = Collection {
    terms: &[0.16, 0.41, 0.27, 0.12, 0.01, 0.02, 0.01],
    unmatched: 0.011,
    idf: [4.4, 1.7],
    about: &[-0.55, 0.36, 0.90, 1.10, 0.25],
    authority: &[-0.20, 0.05, 0.25, 0.90, 1.60],
    per_term: 0.4,
    rare_tells: 0.22,
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

/// Mean length of each stream, as BM25 wants it.
const MEAN_LENGTH: [f64; STREAMS] = [700.0, 1.4, 8.5, 7.5, 720.0];

/// What a query brings to the features of pages and users.
#[derive(Debug, Clone)]
pub(crate) struct Query {
    text: TextQuery,
    /// Site rank of each site that its documents may lie on.
    sites: [f64; 12],
    /// Users clicked results of this query at all.
    clicked: bool,
}

impl Query {
    pub(crate) fn draw(noise: &mut Noise) -> Self {
        let text = TextQuery::draw(&COLLECTION, noise);
        let mut sites = [0.0; 12];
        for site in &mut sites {
            *site = noise.normal();
        }
        let clicked = noise.chance(0.68);
        Self { text, sites, clicked }
    }

    /// Features 126 to 136.
    fn page(&self, document: &TextDocument, label: usize, noise: &mut Noise, out: &mut [f64]) {
        let authority = document.authority;
        let words = f64::from(document.length[3]);
        let linked = f64::from(u8::from(document.length[1] > 0));
        // Slashes in the URL and its length.
        out[0] = f64::from(1 + noise.poisson((0.26 * words - 0.1 * authority).max(0.2)).min(11));
        out[1] = (4.6 * words + 7.0 * noise.normal()).round().max(7.0);
        // Links in and out.
        let links = noise.chance(logistic(0.75 + 1.6 * linked + 0.3 * authority));
        out[2] = if links { noise.log_normal(2.6 + 0.9 * authority, 2.9).round().min(1.6e8) } else { 0.0 };
        let links = noise.chance(logistic(-0.6 + 1.6 * linked + 0.35 * authority));
        out[3] = if links { noise.log_normal(1.0 + 0.5 * authority, 1.1).round().clamp(1.0, 121.0) } else { 0.0 };
        // Ranks of the page and of its site, out of 65,535.
        let rank = -2.0 - 0.08 * (words - 7.0) + 1.1 * authority + 2.6 * noise.normal();
        out[4] = (115.0 + 65_420.0 * logistic(rank)).round();
        if noise.chance(0.09) {
            // Pages without links share the few lowest ranks.
            out[4] = (118 + noise.below(4)) as f64;
        }
        let site = noise.uniform();
        let site = if site < 0.6 { self.sites[(20.0 * site) as usize] } else { noise.normal() };
        out[5] = (68_500.0 * logistic(0.1 + 0.12 * (words - 7.0) + 1.9 * site + 0.25 * authority))
            .round()
            .clamp(1.0, 65_535.0);
        // Two quality scores, lower on high-ranked sites.
        let quality = 0.1 * authority - 0.35 * site + noise.normal();
        for (value, slope) in out[6..8].iter_mut().zip([0.8, 0.9]) {
            *value = libm::exp(1.8 + slope * quality + 1.2 * noise.normal()).round().clamp(1.0, 254.0);
        }
        // Clicks on this document for this query: few documents have any, mostly relevant ones.
        const CLICKED: [f64; 5] = [0.022, 0.085, 0.16, 0.33, 0.40];
        const CLICKS: [f64; 5] = [2.4, 3.0, 3.7, 5.4, 6.2];
        let clicked = self.clicked && noise.chance(CLICKED[label]);
        out[8] = if clicked { noise.log_normal(CLICKS[label], 1.4).round().max(1.0) } else { 0.0 };
        // Clicks on it for any query, and how long users stayed.
        let visited =
            clicked && noise.chance(0.8) || noise.chance(logistic(-1.3 - 0.15 * (words - 7.0) + 0.3 * authority));
        out[9] = if visited { noise.log_normal(1.9 + 0.8 * authority, 2.0).round().max(1.0) } else { 0.0 };
        out[10] = if visited { decimal(noise.log_normal(3.0 + 0.25 * authority, 1.1).min(470.0)) } else { 0.0 };
    }
}

impl Model for Query {
    fn document(&mut self, grade: usize, noise: &mut Noise, out: &mut [f64]) {
        let document = self.text.document(&COLLECTION, grade, noise);
        for (stream, mean_length) in MEAN_LENGTH.iter().enumerate() {
            let values = signals(&self.text, &document, stream, *mean_length);
            for (signal, value) in values.iter().enumerate() {
                out[signal * STREAMS + stream] = decimal(*value);
            }
        }
        self.page(&document, grade, noise, &mut out[SIGNALS * STREAMS..]);
    }
}
