//! Miniature documents: four fields with lengths and term counts. The text features of MSLR and LETOR follow from them
//! by definition ([`text_signals`](super::text_signals)).
//!
//! Near-duplicates, ties and constants thus arise as in the real sets: a mean over query terms orders documents as
//! the sum does; for one-term queries minimum, mean and maximum are the same ranker; an inverse document frequency is
//! the same for all documents of a query.

use super::keyed_rng::{KeyedRng, logistic};

/// The number of fields of a document; a fifth stream, the whole document, is their concatenation.
pub(crate) const FIELDS: usize = 4;
/// Body, anchor, title, URL and the whole document.
pub(crate) const STREAMS: usize = FIELDS + 1;
/// The largest number of terms of a query.
pub(crate) const MAX_TERMS: usize = 7;

/// The lengths of the fields (body, anchor, title, URL) and how often they mention query terms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    /// Share of documents that have the field.
    pub present: [f64; FIELDS],
    /// Mean of the logarithm of its length in words.
    pub length: [f64; FIELDS],
    /// Standard deviation of that logarithm.
    pub length_spread: [f64; FIELDS],
    /// Share of documents in which it has a twentieth of the usual length.
    pub thin: [f64; FIELDS],
    /// Shortest length in words.
    pub shortest: [f64; FIELDS],
    /// Slope of the logarithm of its length in aboutness.
    pub length_about: [f64; FIELDS],
    /// Slope of the logarithm of its length in authority.
    pub length_authority: [f64; FIELDS],
    /// Share of documents that copy it from another document of the query.
    pub copied: [f64; FIELDS],
    /// Logit of the probability that it mentions a term at all.
    pub mention: [f64; FIELDS],
    /// Standard deviation of that logit over query terms.
    pub term_spread: [f64; FIELDS],
    /// Slope of that logit in aboutness.
    pub mention_about: [f64; FIELDS],
    /// Slope of that logit in log length.
    pub mention_length: [f64; FIELDS],
    /// Logarithm of the mean number of further mentions.
    pub more: [f64; FIELDS],
    /// Slope of that logarithm in aboutness.
    pub more_about: [f64; FIELDS],
    /// Slope of that logarithm in log length.
    pub more_length: [f64; FIELDS],
    /// Standard deviation of a document's own noise, common to all terms, in the logit of a mention.
    pub mention_own: [f64; FIELDS],
    /// Standard deviation of a document's own noise, common to all terms, in the number of further mentions.
    pub more_own: [f64; FIELDS],
    /// The difference between a term's IDF in this field and in bodies.
    pub rarer: [f64; FIELDS],
}

/// The properties of a collection's queries and documents that text features depend on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Collection {
    /// Share of queries with 1, 2, ... terms.
    pub terms: &'static [f64],
    /// Share of queries with terms that occur in no document.
    pub unmatched: f64,
    /// Mean and standard deviation of a term's IDF in bodies.
    pub idf: [f64; 2],
    /// Lengths and mentions, by field.
    pub fields: Fields,
    /// Mean aboutness of documents with label 0, 1, 2, ..., in standard deviations.
    pub about: &'static [f64],
    /// Mean authority of documents with label 0, 1, 2, ..., in standard deviations.
    pub authority: &'static [f64],
    /// The share of aboutness that varies by term (0..1); the rest is common to the whole query.
    pub per_term: f64,
    /// How much more the presence of a rare term depends on aboutness than that of a common one.
    pub rare_term_weight: f64,
    /// Standard deviation, over queries, of the logarithm of the clarity of aboutness.
    pub query_spread: f64,
}

/// A query: the statistics of its terms in each stream.
#[derive(Debug, Clone)]
pub(crate) struct TextQuery {
    pub terms: usize,
    pub idf: [[f64; MAX_TERMS]; STREAMS],
    shift: [[f64; MAX_TERMS]; FIELDS],
    term_weight: [f64; MAX_TERMS],
    clarity: f64,
    matched: bool,
    /// Its documents so far, which later ones may copy from.
    documents: Vec<TextDocument>,
}

/// The properties of a document that text features depend on.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TextDocument {
    /// Words in each stream.
    pub length: [u32; STREAMS],
    /// Mentions of each term in each stream.
    pub tf: [[u32; MAX_TERMS]; STREAMS],
    /// Query-independent importance of the page: normal with variance 1; the mean depends on the label.
    pub authority: f64,
}

impl TextQuery {
    pub(crate) fn draw(collection: &Collection, rng: &mut KeyedRng) -> Self {
        let fields = &collection.fields;
        let terms = 1 + rng.pick(collection.terms);
        let mut idf = [[0.0; MAX_TERMS]; STREAMS];
        let mut shift = [[0.0; MAX_TERMS]; FIELDS];
        let mut term_weight = [1.0; MAX_TERMS];
        for term in 0..terms {
            let rarity = rng.normal();
            term_weight[term] = (1.0 + collection.rare_term_weight * rarity).clamp(0.2, 2.0);
            let body = (collection.idf[0] + collection.idf[1] * rarity).max(0.3);
            for stream in 0..FIELDS {
                idf[stream][term] = (body + fields.rarer[stream] + 0.8 * rng.normal()).max(0.1);
                shift[stream][term] = fields.term_spread[stream] * (rng.normal() - 0.5 * rarity);
            }
            idf[0][term] = body;
            idf[FIELDS][term] = body - 0.02 * rng.uniform();
        }
        let clarity = rng.log_normal(0.0, collection.query_spread);
        let matched = !rng.chance(collection.unmatched);
        Self { terms, idf, shift, term_weight, clarity, matched, documents: Vec::new() }
    }

    /// A query with terms of the given IDFs in every stream.
    #[cfg(test)]
    pub(crate) fn of_idf(idf: &[f64]) -> Self {
        let mut row = [0.0; MAX_TERMS];
        row[..idf.len()].copy_from_slice(idf);
        Self {
            terms: idf.len(),
            idf: [row; STREAMS],
            shift: [[0.0; MAX_TERMS]; FIELDS],
            term_weight: [1.0; MAX_TERMS],
            clarity: 1.0,
            matched: true,
            documents: Vec::new(),
        }
    }

    /// The next document of this query, with the given label (an index into the tables of the collection). It may copy
    /// fields from earlier documents.
    pub(crate) fn document(&mut self, collection: &Collection, label: usize, rng: &mut KeyedRng) -> TextDocument {
        let mut document = TextDocument::default();
        let about = self.clarity * collection.about[label] + rng.normal();
        document.authority = collection.authority[label] + rng.normal();
        let (whole, apart) = ((1.0 - collection.per_term).sqrt(), collection.per_term.sqrt());
        let mut term_about = [0.0; MAX_TERMS];
        for (value, term_weight) in term_about[..self.terms].iter_mut().zip(self.term_weight) {
            *value = term_weight * whole * about + apart * rng.normal();
        }
        let fields = &collection.fields;
        for stream in 0..FIELDS {
            if !self.documents.is_empty() && rng.chance(fields.copied[stream]) {
                let source = &self.documents[rng.below(self.documents.len())];
                document.set_field(stream, source.length[stream], source.tf[stream]);
                continue;
            }
            if !rng.chance(fields.present[stream]) {
                continue;
            }
            let thin = if rng.chance(fields.thin[stream]) { -3.0 } else { 0.0 };
            let size = thin
                + fields.length_spread[stream] * rng.normal()
                + fields.length_about[stream] * about
                + fields.length_authority[stream] * document.authority;
            let length = libm::exp(fields.length[stream] + size).round().max(fields.shortest[stream]);
            let own = fields.mention_own[stream] * rng.normal();
            let burst = fields.more_own[stream] * rng.normal();
            let mut tf = [0; MAX_TERMS];
            for term in 0..self.terms {
                if !self.matched {
                    break;
                }
                let logit = fields.mention[stream]
                    + fields.mention_about[stream] * (term_about[term] + own)
                    + fields.mention_length[stream] * size
                    + self.shift[stream][term];
                if rng.chance(logistic(logit)) {
                    let more = fields.more[stream]
                        + fields.more_about[stream] * term_about[term]
                        + burst
                        + fields.more_length[stream] * size;
                    tf[term] = 1 + rng.poisson(libm::exp(more.min(7.0)));
                }
            }
            document.set_field(stream, (length as u32).max(tf.iter().sum()), tf);
        }
        self.documents.push(document);
        document
    }
}

impl TextDocument {
    /// Sets one field and adds it to the whole document.
    fn set_field(&mut self, stream: usize, length: u32, tf: [u32; MAX_TERMS]) {
        self.length[stream] = length;
        self.length[FIELDS] += length;
        self.tf[stream] = tf;
        for (whole, tf) in self.tf[FIELDS].iter_mut().zip(tf) {
            *whole += tf;
        }
    }
}
