//! Miniature documents: four fields with lengths and term counts, from which the text features of
//! MSLR and LETOR follow by their own definitions (`signals`).
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

/// How long each field is and how often it mentions a query term: body, anchor, title, URL.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    /// Share of documents that have the field.
    pub present: [f64; FIELDS],
    /// Mean of the logarithm of its length in words.
    pub length: [f64; FIELDS],
    /// Standard deviation of that logarithm.
    pub length_spread: [f64; FIELDS],
    /// Share of documents in which it is thin, a twentieth of the usual length.
    pub thin: [f64; FIELDS],
    /// Shortest length in words.
    pub shortest: [f64; FIELDS],
    /// What aboutness adds to the logarithm of its length.
    pub length_about: [f64; FIELDS],
    /// What authority adds to the logarithm of its length.
    pub length_authority: [f64; FIELDS],
    /// Share of documents that have it word for word from another document of the query.
    pub copied: [f64; FIELDS],
    /// Log-odds that it mentions a term at all.
    pub mention: [f64; FIELDS],
    /// Standard deviation of those log-odds over query terms.
    pub term_spread: [f64; FIELDS],
    /// What one standard deviation of aboutness adds to them.
    pub mention_about: [f64; FIELDS],
    /// What one unit of log length adds to them.
    pub mention_length: [f64; FIELDS],
    /// Logarithm of the mean number of further mentions.
    pub more: [f64; FIELDS],
    /// What aboutness adds to it.
    pub more_about: [f64; FIELDS],
    /// What log length adds to it.
    pub more_length: [f64; FIELDS],
    /// Standard deviation of a document's own noise, shared by all terms, in whether they are
    /// mentioned at all.
    pub mention_own: [f64; FIELDS],
    /// The same in how many further mentions there are.
    pub more_own: [f64; FIELDS],
    /// How much rarer a term is in this field than in bodies, as a difference of IDF.
    pub rarer: [f64; FIELDS],
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
    /// Lengths and mentions, field by field.
    pub fields: Fields,
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
    /// Its documents so far, from which later ones copy.
    documents: Vec<TextDocument>,
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
        let fields = &collection.fields;
        let terms = 1 + noise.pick(collection.terms);
        let mut idf = [[0.0; MAX_TERMS]; STREAMS];
        let mut shift = [[0.0; MAX_TERMS]; FIELDS];
        let mut telling = [1.0; MAX_TERMS];
        for term in 0..terms {
            let rarity = noise.normal();
            telling[term] = (1.0 + collection.rare_tells * rarity).clamp(0.2, 2.0);
            let body = (collection.idf[0] + collection.idf[1] * rarity).max(0.3);
            for stream in 0..FIELDS {
                idf[stream][term] = (body + fields.rarer[stream] + 0.8 * noise.normal()).max(0.1);
                shift[stream][term] = fields.term_spread[stream] * (noise.normal() - 0.5 * rarity);
            }
            idf[0][term] = body;
            idf[FIELDS][term] = body - 0.02 * noise.uniform();
        }
        let clarity = noise.log_normal(0.0, collection.query_spread);
        let matched = !noise.chance(collection.unmatched);
        Self { terms, idf, shift, telling, clarity, matched, documents: Vec::new() }
    }

    /// A query whose terms have these IDFs in every stream.
    #[cfg(test)]
    pub(crate) fn of_idf(idf: &[f64]) -> Self {
        let mut row = [0.0; MAX_TERMS];
        row[..idf.len()].copy_from_slice(idf);
        Self {
            terms: idf.len(),
            idf: [row; STREAMS],
            shift: [[0.0; MAX_TERMS]; FIELDS],
            telling: [1.0; MAX_TERMS],
            clarity: 1.0,
            matched: true,
            documents: Vec::new(),
        }
    }

    /// The next document of this query, with the given label (an index into the collection's tables). It
    /// may have copied a field from one before it.
    pub(crate) fn document(&mut self, collection: &Collection, label: usize, noise: &mut Noise) -> TextDocument {
        let mut document = TextDocument::default();
        let about = self.clarity * collection.about[label] + noise.normal();
        document.authority = collection.authority[label] + noise.normal();
        let (whole, apart) = ((1.0 - collection.per_term).sqrt(), collection.per_term.sqrt());
        let mut term_about = [0.0; MAX_TERMS];
        for (value, telling) in term_about[..self.terms].iter_mut().zip(self.telling) {
            *value = telling * whole * about + apart * noise.normal();
        }
        let fields = &collection.fields;
        for stream in 0..FIELDS {
            if !self.documents.is_empty() && noise.chance(fields.copied[stream]) {
                let source = &self.documents[noise.below(self.documents.len())];
                document.take(stream, source.length[stream], source.tf[stream]);
                continue;
            }
            if !noise.chance(fields.present[stream]) {
                continue;
            }
            let thin = if noise.chance(fields.thin[stream]) { -3.0 } else { 0.0 };
            let size = thin
                + fields.length_spread[stream] * noise.normal()
                + fields.length_about[stream] * about
                + fields.length_authority[stream] * document.authority;
            let length = libm::exp(fields.length[stream] + size).round().max(fields.shortest[stream]);
            let own = fields.mention_own[stream] * noise.normal();
            let burst = fields.more_own[stream] * noise.normal();
            let mut tf = [0; MAX_TERMS];
            for term in 0..self.terms {
                if !self.matched {
                    break;
                }
                let odds = fields.mention[stream]
                    + fields.mention_about[stream] * (term_about[term] + own)
                    + fields.mention_length[stream] * size
                    + self.shift[stream][term];
                if noise.chance(logistic(odds)) {
                    let more = fields.more[stream]
                        + fields.more_about[stream] * term_about[term]
                        + burst
                        + fields.more_length[stream] * size;
                    tf[term] = 1 + noise.poisson(libm::exp(more.min(7.0)));
                }
            }
            document.take(stream, (length as u32).max(tf.iter().sum()), tf);
        }
        self.documents.push(document);
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
