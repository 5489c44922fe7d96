//! Bounds in single precision: which opponents may have the highest of a row, found without most of the exact bounds.

use crate::confidence::arm_bits::{ArmBits, BLOCK_ARMS, ROW_WORDS};
use crate::confidence::lanes::{LANES, bits_where};
use crate::plain;

/// Mean and width of eight opponents, rounded: a cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct RoundedLines {
    means: [f32; LANES],
    widths: [f32; LANES],
}

plain!(RoundedLines { means, widths });

/// Opponents in a row, at most.
pub(crate) const MAX_OPPONENTS: usize = BLOCK_ARMS * ROW_WORDS;

/// Rounding takes less than half of this share from one bound, and adds less to another: mean, width, scale, their product
/// and the sum are rounded to 24 bits each.
const ROUNDING_SLACK: f32 = 1.0 / (1 << 20) as f32;

impl RoundedLines {
    /// Empty places: their bounds are never the highest.
    pub(crate) const EMPTY: Self = Self { means: [f32::NEG_INFINITY; LANES], widths: [0.0; LANES] };

    /// The width of the opponent at a place.
    #[inline]
    pub(crate) fn width(&self, place: usize) -> f32 {
        self.widths[place]
    }

    /// Rewrites the opponent at a place. Means and widths are not negative, but for a mean of minus infinity.
    #[inline]
    pub(crate) fn set(&mut self, place: usize, mean: f64, width: f64) {
        self.means[place] = mean as f32;
        self.widths[place] = width as f32;
    }

    #[inline(always)]
    fn bounds(&self, scale: f32) -> [f32; LANES] {
        std::array::from_fn(|place| self.means[place] + scale * self.widths[place])
    }
}

/// The opponents that may have the highest bound, seldom more than those that do, and this bound, rounded.
#[inline(always)]
pub(crate) fn nearly_highest(groups: &[RoundedLines], scale: f32) -> (ArmBits, f32) {
    let larger = |a: f32, b: f32| if a > b { a } else { b };
    let mut tops = [f32::NEG_INFINITY; LANES];
    for group in groups {
        let bounds = group.bounds(scale);
        tops = std::array::from_fn(|place| larger(bounds[place], tops[place]));
    }
    let best = tops.into_iter().fold(f32::NEG_INFINITY, larger);
    // By a factor, as nothing may be taken from infinity.
    let least = best * (1.0 - ROUNDING_SLACK);
    let places = places_where(groups, |group| {
        let bounds = group.bounds(scale);
        bits_where(|place| bounds[place] >= least)
    });
    (places, best)
}

/// The opponents of this width.
#[inline(always)]
pub(crate) fn of_width(groups: &[RoundedLines], width: f32) -> ArmBits {
    places_where(groups, |group| bits_where(|place| group.widths[place] == width))
}

/// Whether all of `places`, with bounds equal to `best` but for rounding, have the same mean and width, given the opponents
/// that are as wide as one of them.
#[inline(always)]
pub(crate) fn are_all_alike(places: ArmBits, wide: ArmBits, width: f32, best: f32) -> bool {
    // Means of the same width 1 / sqrt(n) are 1 / n apart or more: too far to be as high, unless n is large.
    let apart = width == 0.0 || width * width > 4.0 * ROUNDING_SLACK * if best > 1.0 { best } else { 1.0 };
    places.iter().zip(wide).fold(0, |others, (place, wide)| others | place & !wide) == 0 && apart
}

/// The bits of all groups.
#[inline(always)]
fn places_where(groups: &[RoundedLines], mut bits: impl FnMut(&RoundedLines) -> u32) -> ArmBits {
    let mut blocks = groups.chunks(LANES);
    std::array::from_fn(|_| match blocks.next() {
        // A full block has a known length: no loop.
        Some(full @ &[_, _, _, _, _, _, _, _]) => {
            (0..LANES).fold(0, |word, number| word | u64::from(bits(&full[number])) << (number * LANES))
        }
        Some(part) => part.iter().rev().fold(0, |word, group| word << LANES | u64::from(bits(group))),
        None => 0,
    })
}

/// The same functions in vectors of eight.
#[cfg(target_arch = "x86_64")]
pub(crate) mod vectors {
    use super::{ArmBits, LANES, ROUNDING_SLACK, RoundedLines, places_where};
    use std::arch::is_x86_feature_detected;
    use std::arch::x86_64::{
        __m256, _CMP_EQ_OQ, _CMP_GE_OQ, _mm_cvtss_f32, _mm_max_ps, _mm_max_ss, _mm_movehl_ps, _mm_shuffle_ps,
        _mm256_add_ps, _mm256_castps256_ps128, _mm256_cmp_ps, _mm256_extractf128_ps, _mm256_max_ps, _mm256_movemask_ps,
        _mm256_mul_ps, _mm256_set1_ps, _mm256_setr_ps,
    };

    /// Whether this processor has the instructions.
    #[inline]
    pub(crate) fn are_available() -> bool {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
    }

    #[target_feature(enable = "avx2,popcnt,bmi1,bmi2")]
    #[inline]
    fn vector(v: &[f32; LANES]) -> __m256 {
        _mm256_setr_ps(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7])
    }

    #[target_feature(enable = "avx2,popcnt,bmi1,bmi2")]
    #[inline]
    pub(crate) fn nearly_highest(groups: &[RoundedLines], scale: f32) -> (ArmBits, f32) {
        let scale = _mm256_set1_ps(scale);
        let bounds =
            |group: &RoundedLines| _mm256_add_ps(vector(&group.means), _mm256_mul_ps(scale, vector(&group.widths)));
        let mut tops = _mm256_set1_ps(f32::NEG_INFINITY);
        for group in groups {
            tops = _mm256_max_ps(bounds(group), tops);
        }
        let four = _mm_max_ps(_mm256_castps256_ps128(tops), _mm256_extractf128_ps::<1>(tops));
        let two = _mm_max_ps(four, _mm_movehl_ps(four, four));
        let best = _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps::<1>(two, two)));
        let least = _mm256_set1_ps(best * (1.0 - ROUNDING_SLACK));
        let high = |group: &RoundedLines| _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GE_OQ>(bounds(group), least)) as u32;
        (places_where(groups, high), best)
    }

    #[target_feature(enable = "avx2,popcnt,bmi1,bmi2")]
    #[inline]
    pub(crate) fn of_width(groups: &[RoundedLines], width: f32) -> ArmBits {
        let width = _mm256_set1_ps(width);
        let wide =
            |group: &RoundedLines| _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_EQ_OQ>(vector(&group.widths), width)) as u32;
        places_where(groups, wide)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,popcnt,bmi1,bmi2")]
    fn in_vectors(groups: &[RoundedLines], scale: f32, width: f32) -> ((ArmBits, f32), ArmBits) {
        (vectors::nearly_highest(groups, scale), vectors::of_width(groups, width))
    }

    /// Lines of few duels, many alike; an empty place; and a line that no pair of counts has.
    fn line() -> impl Strategy<Value = (f64, f64)> {
        let counts = (1_u32..9, 0_u32..9).prop_map(|(met, won)| {
            let share = 1.0 / f64::from(met);
            (f64::from(won.min(met)) * share, share.sqrt())
        });
        prop_oneof![6 => counts, 1 => Just((f64::NEG_INFINITY, 0.0)), 1 => (0.0..1e300_f64, 0.0..1.0)]
    }

    proptest! {
        #[test]
        fn vectors_find_the_same(lines in prop::collection::vec(line(), 1..=MAX_OPPONENTS), scale in 0.0..9_f32) {
            let mut groups = vec![RoundedLines::EMPTY; lines.len().div_ceil(LANES)];
            for (place, &(mean, width)) in lines.iter().enumerate() {
                groups[place / LANES].set(place % LANES, mean, width);
            }
            let (places, best) = nearly_highest(&groups, scale);
            let exactly = |&(mean, width): &(f64, f64)| mean + f64::from(scale) * width;
            let top = lines.iter().map(exactly).fold(f64::NEG_INFINITY, f64::max);
            for (place, line) in lines.iter().enumerate() {
                let found = places[place / 64] >> (place % 64) & 1 == 1;
                prop_assert!(found || exactly(line) < top);
            }
            let width = groups[0].width(0);
            let wide = of_width(&groups, width);
            for place in 0..lines.len() {
                let alike = groups[place / LANES].width(place % LANES) == width;
                prop_assert_eq!(wide[place / 64] >> (place % 64) & 1 == 1, alike);
            }
            #[cfg(target_arch = "x86_64")]
            if vectors::are_available() {
                #[expect(unsafe_code, reason = "as where it is used")]
                // SAFETY: this processor has the instructions.
                let found = unsafe { in_vectors(&groups, scale, width) };
                prop_assert_eq!(found, ((places, best), wide));
            }
        }
    }

    /// Of all numbers of duels for which lines are taken to be alike, the rounded widths differ, and so do neighbouring means
    /// by more than the slack.
    #[test]
    fn rounded_widths_tell_numbers_of_duels_apart() {
        let mut last = f32::INFINITY;
        for met in 1..500_000_u32 {
            let width = (1.0 / f64::from(met)).sqrt() as f32;
            assert!(width < last, "{met}");
            last = width;
            let places = [0b11, 0, 0, 0];
            if are_all_alike(places, places, width, 1.0) {
                assert!(1.0 / f64::from(met) > 2.0 * f64::from(ROUNDING_SLACK), "{met}");
            }
        }
    }
}
