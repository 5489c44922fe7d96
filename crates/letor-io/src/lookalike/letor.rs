//! The common part of LETOR 3.0 and 4.0: eight text signals of five streams, scaled to 0..1.

use super::keyed_rng::decimal;
use super::text_model::STREAMS;
use super::text_signals::signal;

/// The text signals of LETOR. The first four are ordered by signal; the language models are ordered by signal in LETOR
/// 3.0 and by stream in the excerpt of LETOR 4.0.
pub(crate) const SIGNALS: [usize; 8] = [
    signal::TF,
    signal::IDF,
    signal::TF_IDF,
    signal::LENGTH,
    signal::BM25,
    signal::ABS,
    signal::DIRICHLET,
    signal::JELINEK_MERCER,
];

/// The mean length of each stream, for BM25.
pub(crate) const MEAN_LENGTH: [f64; STREAMS] = [900.0, 12.0, 7.0, 8.0, 930.0];

/// Maps a count to 0..1, monotonically: `half` maps to 0.5.
pub(crate) fn saturate(count: f64, half: f64) -> f64 {
    decimal(count / (count + half))
}

/// Scales each feature of one query linearly to 0..1; constant features become 0. `columns` has `documents` values for
/// each feature, feature by feature.
pub(crate) fn to_unit(columns: &mut [f64], documents: usize) {
    for column in columns.chunks_exact_mut(documents) {
        let low = column.iter().copied().fold(f64::INFINITY, f64::min);
        let high = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for value in column {
            *value = if high > low { decimal((*value - low) / (high - low)) } else { 0.0 };
        }
    }
}
