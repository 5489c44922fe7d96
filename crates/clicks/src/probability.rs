//! Probabilities as users draw them: whole thresholds for 32-bit numbers.

/// How many of the 2^32 values of a 32-bit draw mean yes: all for 1, none for 0, and neither all nor none
/// for anything between.
pub(crate) fn draw_threshold(probability: f64) -> u64 {
    const TWO_POW_32: f64 = 4_294_967_296.0;
    if probability <= 0.0 {
        0
    } else if probability >= 1.0 {
        TWO_POW_32 as u64
    } else {
        (probability * TWO_POW_32).round().clamp(1.0, TWO_POW_32 - 1.0) as u64
    }
}

/// Whether the 32 high bits of `draw` are below `threshold`, which means yes.
#[inline]
pub(crate) fn high_bits_below(draw: u64, threshold: u64) -> bool {
    draw >> 32 < threshold
}

/// Whether the 32 low bits of `draw` are below `threshold`, which means yes.
#[inline]
pub(crate) fn low_bits_below(draw: u64, threshold: u64) -> bool {
    draw & 0xFFFF_FFFF < threshold
}

/// The place of the first number that is not a probability.
pub(crate) fn not_a_probability(numbers: &[f64]) -> Option<usize> {
    // NaN lies in no range.
    numbers.iter().position(|number| !(0.0..=1.0).contains(number))
}
