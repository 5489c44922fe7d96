//! Miniature documents: four fields with lengths and term counts, from which the text features of
//! MSLR and LETOR follow by their own definitions.
//!
//! Near-duplicates, ties and constants then arise as they do in the real sets: a mean over query
//! terms orders documents as the sum does, one-term queries make minimum, mean and maximum one
//! ranker, an inverse document frequency is the same for every document of a query.

use super::noise::{Noise, logistic};

/// The fields that documents have; a fifth stream, the whole document, is their concatenation.
pub(crate) const FIELDS: usize = 4;
/// Body, anchor, title, URL and the whole document.
pub(crate) const STREAMS: usize = FIELDS + 1;
/// Most terms a query has.
pub(crate) const MAX_TERMS: usize = 7;

/// How long a field is and how often it mentions a query term.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    /// Share of documents that have the field.
    pub present: f64,
    /// Mean and standard deviation of the logarithm of its length in words.
    pub length: [f64; 2],
    /// Share of documents in which it is thin, a twentieth of the usual length.
    pub thin: f64,
    /// Shortest length in words.
    pub shortest: f64,
    /// What aboutness adds to the logarithm of its length.
    pub length_about: f64,
    /// Log-odds that it mentions a term at all.
    pub mention: f64,
    /// Standard deviation of those log-odds over query terms.
    pub term_spread: f64,
    /// What one standard deviation of aboutness adds to those log-odds.
    pub mention_about: f64,
    /// What one unit of log length adds to them.
    pub mention_length: f64,
    /// Logarithm of the mean number of further mentions.
    pub more: f64,
    /// What aboutness adds to it.
    pub more_about: f64,
    /// What log length adds to it.
    pub more_length: f64,
    /// Noise of a field's own in one document, shared by all query terms: on whether it mentions
    /// them, and on how often.
    pub own: [f64; 2],
    /// What authority adds to the logarithm of its length.
    pub length_authority: f64,
    /// Share of documents that have this field word for word from another document of the query.
    pub copied: f64,
    /// How much rarer a term is in this field than in bodies, as a difference of IDF.
    pub rarer: f64,
}

/// A collection: what its queries and documents look like to a text feature.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Collection {
    /// Share of queries with 1, 2, ... terms.
    pub terms: &'static [f64],
    /// Share of queries none of whose terms occur anywhere.
    pub unmatched: f64,
    /// Mean and standard deviation of a term's IDF in bodies.
    pub idf: [f64; 2],
    /// Body, anchor, title, URL.
    pub fields: [Field; FIELDS],
    /// What a label (0, 1, 2, ...) adds to a document's aboutness, in standard deviations.
    pub about: &'static [f64],
    /// What a label adds to a document's authority, in standard deviations.
    pub authority: &'static [f64],
    /// How much of aboutness a document has per term rather than for the query as a whole (0..1).
    pub per_term: f64,
    /// How much more the presence of rare terms tells about a document than that of common ones.
    pub rare_tells: f64,
    /// Standard deviation of the logarithm of how well aboutness shows, over queries.
    pub query_spread: f64,
}

/// One query: its terms' statistics in each stream.
#[derive(Debug, Clone)]
pub(crate) struct TextQuery {
    pub terms: usize,
    pub idf: [[f64; MAX_TERMS]; STREAMS],
    shift: [[f64; MAX_TERMS]; FIELDS],
    telling: [f64; MAX_TERMS],
    clarity: f64,
    matched: bool,
}

/// One document as text features see it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TextDocument {
    /// Words in each stream.
    pub length: [u32; STREAMS],
    /// Mentions of each term in each stream.
    pub tf: [[u32; MAX_TERMS]; STREAMS],
    /// Importance of the page whatever the query; standard normal but for its label's share.
    pub authority: f64,
}

impl TextQuery {
    pub(crate) fn draw(collection: &Collection, noise: &mut Noise) -> Self {
        let terms = 1 + noise.pick(collection.terms);
        let mut idf = [[0.0; MAX_TERMS]; STREAMS];
        let mut shift = [[0.0; MAX_TERMS]; FIELDS];
        let mut telling = [1.0; MAX_TERMS];
        for term in 0..terms {
            let rarity = noise.normal();
            telling[term] = (1.0 + collection.rare_tells * rarity).clamp(0.2, 2.0);
            let body = (collection.idf[0] + collection.idf[1] * rarity).max(0.3);
            for (stream, field) in collection.fields.iter().enumerate() {
                idf[stream][term] = (body + field.rarer + 0.8 * noise.normal()).max(0.1);
                shift[stream][term] = field.term_spread * (noise.normal() - 0.5 * rarity);
            }
            idf[0][term] = body;
            idf[FIELDS][term] = body - 0.02 * noise.uniform();
        }
        let clarity = noise.log_normal(0.0, collection.query_spread);
        let matched = !noise.chance(collection.unmatched);
        Self { terms, idf, shift, telling, clarity, matched }
    }

    /// A document of this query with the given label (an index into the collection's tables).
    /// `earlier` are the documents drawn before it, from which it may have copied a field.
    pub(crate) fn document(
        &self,
        collection: &Collection,
        label: usize,
        earlier: &[TextDocument],
        noise: &mut Noise,
    ) -> TextDocument {
        let mut document = TextDocument::default();
        let about = self.clarity * collection.about[label] + noise.normal();
        document.authority = collection.authority[label] + noise.normal();
        let (whole, apart) = ((1.0 - collection.per_term).sqrt(), collection.per_term.sqrt());
        let mut term_about = [0.0; MAX_TERMS];
        for (value, telling) in term_about[..self.terms].iter_mut().zip(self.telling) {
            *value = telling * whole * about + apart * noise.normal();
        }
        for (stream, field) in collection.fields.iter().enumerate() {
            if !earlier.is_empty() && noise.chance(field.copied) {
                let source = &earlier[noise.below(earlier.len())];
                document.take(stream, source.length[stream], source.tf[stream]);
                continue;
            }
            if !noise.chance(field.present) {
                continue;
            }
            let thin = if noise.chance(field.thin) { -3.0 } else { 0.0 };
            let size = thin
                + field.length[1] * noise.normal()
                + field.length_about * about
                + field.length_authority * document.authority;
            let length = libm::exp(field.length[0] + size).round().max(field.shortest);
            let own = field.own[0] * noise.normal();
            let burst = field.own[1] * noise.normal();
            let mut tf = [0; MAX_TERMS];
            for term in 0..self.terms {
                if !self.matched {
                    break;
                }
                let odds = field.mention
                    + field.mention_about * (term_about[term] + own)
                    + field.mention_length * size
                    + self.shift[stream][term];
                if noise.chance(logistic(odds)) {
                    let more = field.more + field.more_about * term_about[term] + burst + field.more_length * size;
                    tf[term] = 1 + noise.poisson(libm::exp(more.min(7.0)));
                }
            }
            document.take(stream, (length as u32).max(tf.iter().sum()), tf);
        }
        document
    }
}

impl TextDocument {
    /// Sets one field, and adds it to the whole document.
    fn take(&mut self, stream: usize, length: u32, tf: [u32; MAX_TERMS]) {
        self.length[stream] = length;
        self.length[FIELDS] += length;
        self.tf[stream] = tf;
        for (whole, tf) in self.tf[FIELDS].iter_mut().zip(tf) {
            *whole += tf;
        }
    }
}

/// The signals of one stream, in MSLR's order.
pub(crate) const SIGNALS: usize = 25;
/// Places in the array that [`signals`] fills.
pub(crate) mod signal {
    pub(crate) const LENGTH: usize = 2;
    pub(crate) const IDF: usize = 3;
    pub(crate) const TF: usize = 4;
    pub(crate) const TF_IDF: usize = 14;
    pub(crate) const BM25: usize = 21;
    pub(crate) const ABS: usize = 22;
    pub(crate) const DIRICHLET: usize = 23;
    pub(crate) const JELINEK_MERCER: usize = 24;
}

/// Sum, minimum, maximum, mean and variance.
fn summary(values: &[f64]) -> [f64; 5] {
    let n = values.len() as f64;
    let sum: f64 = values.iter().sum();
    let min = values.iter().copied().fold(f64::INFINITY, f64::min);
    let max = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mean = sum / n;
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n;
    [sum, min, max, mean, variance]
}

/// All signals of one stream of `document`: covered terms and their ratio, length, IDF; sum,
/// minimum, maximum, mean and variance of TF, of TF over length and of TF-IDF; Boolean and vector
/// space model, BM25, and the three smoothed language models.
pub(crate) fn signals(query: &TextQuery, document: &TextDocument, stream: usize, mean_length: f64) -> [f64; SIGNALS] {
    let terms = query.terms;
    let tf = &document.tf[stream][..terms];
    let idf = &query.idf[stream][..terms];
    let length = f64::from(document.length[stream]);
    let (mut counts, mut shares, mut weighted) = ([0.0; MAX_TERMS], [0.0; MAX_TERMS], [0.0; MAX_TERMS]);
    let (mut dot, mut norm, mut idf_norm) = (0.0, 0.0, 0.0);
    let (mut bm25, mut abs, mut dirichlet, mut jelinek_mercer) = (0.0, 0.0, 0.0, 0.0);
    let mut covered = 0.0;
    for term in 0..terms {
        let count = f64::from(tf[term]);
        let weight = count * idf[term];
        idf_norm += idf[term] * idf[term];
        let log_background = -idf[term] - 4.0;
        if tf[term] == 0 {
            // A term that is not there leaves the collection's language model alone, whatever the
            // length: such documents tie.
            abs += log_background - 0.4;
            dirichlet += log_background - 0.2;
            jelinek_mercer += log_background - 2.3;
            continue;
        }
        covered += 1.0;
        counts[term] = count;
        shares[term] = count / length;
        weighted[term] = weight;
        dot += weight * idf[term];
        norm += weight * weight;
        bm25 += idf[term] * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / mean_length));
        let background = libm::exp(log_background);
        abs += libm::log((count - 0.7).max(0.0) / length + 0.7 * background);
        dirichlet += libm::log((count + 2000.0 * background) / (length + 2000.0));
        jelinek_mercer += libm::log(0.9 * count / length + 0.1 * background);
    }
    let mut out = [0.0; SIGNALS];
    out[0] = covered;
    out[1] = covered / terms as f64;
    out[signal::LENGTH] = length;
    out[signal::IDF] = idf.iter().sum();
    out[4..9].copy_from_slice(&summary(&counts[..terms]));
    out[9..14].copy_from_slice(&summary(&shares[..terms]));
    out[14..19].copy_from_slice(&summary(&weighted[..terms]));
    out[19] = f64::from(u8::from(covered == terms as f64));
    out[20] = if norm > 0.0 { dot / (norm * idf_norm).sqrt() } else { 0.0 };
    out[signal::BM25] = bm25;
    out[signal::ABS] = abs;
    out[signal::DIRICHLET] = dirichlet;
    out[signal::JELINEK_MERCER] = jelinek_mercer;
    out
}
