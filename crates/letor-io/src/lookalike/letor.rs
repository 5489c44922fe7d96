//! What LETOR 3.0 and 4.0 share: eight text signals of five streams, scaled to 0..1.

use super::noise::decimal;
use super::signals::signal;
use super::text::STREAMS;

/// The text signals of LETOR: the first four go signal by signal; the models do so in LETOR 3.0 and
/// stream by stream in the excerpt of LETOR 4.0.
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

/// Mean length of each stream, as BM25 wants it.
pub(crate) const MEAN_LENGTH: [f64; STREAMS] = [900.0, 12.0, 7.0, 8.0, 930.0];

/// A count squeezed into 0..1, in the same order.
pub(crate) fn squeezed(count: f64, half: f64) -> f64 {
    decimal(count / (count + half))
}

/// Scales each feature of one query to 0..1, lowest to highest; constants become 0. `columns` holds
/// the values feature by feature, `documents` each.
pub(crate) fn to_unit(columns: &mut [f64], documents: usize) {
    for column in columns.chunks_exact_mut(documents) {
        let low = column.iter().copied().fold(f64::INFINITY, f64::min);
        let high = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for value in column {
            *value = if high > low { decimal((*value - low) / (high - low)) } else { 0.0 };
        }
    }
}
