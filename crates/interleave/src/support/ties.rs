//! Drawing evenly from the rest of a tie group.

use std::ops::Range;

use crate::Generator;
use crate::random::below;

/// One of the `free` places of `range`, all equally likely; `None` where none is free.
///
/// Tries places at random first, which is fast while most are free, then counts.
#[inline]
pub(crate) fn draw_free(range: Range<usize>, free: impl Fn(usize) -> bool, generator: &mut Generator) -> Option<usize> {
    for _ in 0..16 {
        let place = range.start + below(range.len(), generator);
        if free(place) {
            return Some(place);
        }
    }
    count_free(range, free, generator)
}

#[cold]
fn count_free(range: Range<usize>, free: impl Fn(usize) -> bool, generator: &mut Generator) -> Option<usize> {
    let places = range.clone().filter(|&place| free(place)).count();
    let chosen = below(places.max(1), generator);
    range.into_iter().filter(|&place| free(place)).nth(chosen)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    /// With 1 place free of 400, trying at random nearly always gives way to counting.
    #[test]
    fn every_free_place_alike() {
        let mut generator = Generator::seed_from_u64(5);
        for (size, free) in [(5, vec![0, 1, 4]), (400, vec![3, 390])] {
            let mut seen = vec![0_u32; size];
            let draws = 40_000;
            for _ in 0..draws {
                let place = draw_free(7..7 + size, |p| free.contains(&(p - 7)), &mut generator);
                seen[place.unwrap() - 7] += 1;
            }
            let p = 1.0 / free.len() as f64;
            for place in free {
                let bound = 5.0 * (f64::from(draws) * p * (1.0 - p)).sqrt();
                assert!((f64::from(seen[place]) - f64::from(draws) * p).abs() < bound);
            }
            assert_eq!(seen.iter().sum::<u32>(), draws);
        }
        assert_eq!(draw_free(2..9, |_| false, &mut generator), None);
    }
}
