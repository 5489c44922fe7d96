//! Draws without replacement.

use bandits::Generator;
use rand::RngExt;

/// Puts `count` random elements, drawn without replacement, at the front of `items`: a partial Fisher-Yates shuffle.
///
/// # Panics
/// If `count` exceeds the number of items.
pub fn draw_first<T>(items: &mut [T], count: usize, generator: &mut Generator) {
    for index in 0..count {
        let source = generator.random_range(index..items.len());
        items.swap(index, source);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed;

    #[test]
    fn draws_are_distinct_and_their_values_are_stable() {
        let mut items: Vec<u32> = (0..10).collect();
        draw_first(&mut items, 4, &mut seed::generator(1, "test", 0, "draws"));
        let mut sorted = items.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..10).collect::<Vec<u32>>());
        let mut again: Vec<u32> = (0..10).collect();
        draw_first(&mut again, 4, &mut seed::generator(1, "test", 0, "draws"));
        assert_eq!(again, items);
    }
}
