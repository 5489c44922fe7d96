//! The text features of one stream of a document: term counts, TF-IDF, BM25 and smoothed language models.
//!
//! ## References
//!
//! The list of features is MSLR's (T. Qin and T.-Y. Liu, "Introducing LETOR 4.0 datasets",
//! [arXiv:1306.2597](https://arxiv.org/abs/1306.2597)). BM25: S. Robertson and H. Zaragoza, "The
//! probabilistic relevance framework: BM25 and beyond", doi:10.1561/1500000019. Absolute discounting,
//! Dirichlet and Jelinek-Mercer smoothing: C. Zhai and J. Lafferty, "A study of smoothing methods for
//! language models applied to information retrieval", doi:10.1145/984321.984322.
//!
//! ## Notes
//!
//! A term that is absent from a stream adds a constant to the language models, whatever the length of the stream: in
//! the real excerpts, documents without any query term tie under them.

use super::text_model::{MAX_TERMS, TextDocument, TextQuery};

/// The number of signals of one stream, in MSLR's order.
pub(crate) const SIGNALS: usize = 25;
/// Indices into the array returned by [`signals`].
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

/// The sum, minimum, maximum, mean and variance of `values`.
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
            // Only the language model of the collection counts for an absent term, whatever the length, so that such
            // documents tie.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_of_a_small_document() {
        let query = TextQuery::of_idf(&[3.0, 1.0]);
        let mut document = TextDocument::default();
        document.length[0] = 10;
        document.tf[0][..2].copy_from_slice(&[2, 0]);
        let found = signals(&query, &document, 0, 10.0);
        let absent = [-5.4, -5.2, -7.3];
        let background = libm::exp(-7.0);
        let expected = [
            1.0,
            0.5,
            10.0,
            4.0, // covered, ratio, length, IDF
            2.0,
            0.0,
            2.0,
            1.0,
            1.0, // TF
            0.2,
            0.0,
            0.2,
            0.1,
            0.01, // TF over length
            6.0,
            0.0,
            6.0,
            3.0,
            9.0,                   // TF-IDF
            0.0,                   // not all terms are present
            3.0 / 10_f64.sqrt(),   // cosine of (6, 0) and (3, 1)
            3.0 * 2.0 * 2.2 / 3.2, // BM25 at mean length
            libm::log(0.13 + 0.7 * background) + absent[0],
            libm::log((2.0 + 2000.0 * background) / 2010.0) + absent[1],
            libm::log(0.18 + 0.1 * background) + absent[2],
        ];
        for (signal, (found, expected)) in found.into_iter().zip(expected).enumerate() {
            assert!((found - expected).abs() < 1e-12, "signal {signal}: {found} is not {expected}");
        }
    }
}
