//! Fisher's randomization test for pairs: how large the mean difference would be if the sides of each pair were swapped at random.
//!
//! ## References
//!
//! R. A. Fisher, "The Design of Experiments", Oliver and Boyd, 1935. For measures of rankers: M. D. Smucker, J. Allan,
//! B. Carterette, "A Comparison of Statistical Significance Tests for Information Retrieval Evaluation", CIKM 2007,
//! <https://doi.org/10.1145/1321440.1321528>.

use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::bootstrap::{check_resamples, differences};
use crate::StatisticsError;

/// Up to this many differences that are not 0, all ways to swap sides are counted out.
const MAX_EXACT: usize = 12;

/// The two-sided p-value of "which side a value is on does not matter": the share of ways to swap the sides of pairs
/// by which the mean difference `first[i] - second[i]` is at least as far from 0. With 13 differences or more that are
/// not 0, of `resamples` random ways, drawn by a generator seeded with `seed`, and counting the sample itself.
///
/// # Errors
/// If the samples differ in length or have fewer than two values, a value is not finite, or there are fewer than 100
/// resamples.
pub fn paired_randomization(
    first: &[f64],
    second: &[f64],
    resamples: usize,
    seed: u64,
) -> Result<f64, StatisticsError> {
    let mut differences = differences(first, second)?;
    if differences.len() < 2 {
        return Err(StatisticsError::TooFew { what: "units", found: differences.len(), needed: 2 });
    }
    check_resamples(resamples)?;
    // Swapping equal sides changes nothing.
    differences.retain(|difference| *difference != 0.0);
    let observed = differences.iter().sum::<f64>().abs();
    // Sums of the same numbers with other signs are equal up to rounding.
    let tolerance = 1e-12 * differences.iter().map(|difference| difference.abs()).sum::<f64>();
    let is_extreme = |sum: f64| sum.abs() >= observed - tolerance;
    if differences.len() <= MAX_EXACT {
        let ways = 1_u64 << differences.len();
        let extreme = (0..ways).filter(|swaps| is_extreme(sum_with_swaps(&differences, || *swaps))).count();
        return Ok(extreme as f64 / ways as f64);
    }
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
    let extreme = (0..resamples).filter(|_| is_extreme(sum_with_swaps(&differences, || generator.next_u64()))).count();
    Ok((extreme + 1) as f64 / (resamples + 1) as f64)
}

/// The sum of the differences where one bit for each says whether its sides are swapped; `bits` has those of the next 64.
fn sum_with_swaps(differences: &[f64], mut bits: impl FnMut() -> u64) -> f64 {
    let of_chunk = |chunk: &[f64]| {
        let bits = bits();
        let signed =
            |(place, difference): (usize, &f64)| f64::from_bits(difference.to_bits() ^ ((bits >> place) << 63));
        chunk.iter().enumerate().map(signed).sum::<f64>()
    };
    differences.chunks(64).map(of_chunk).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed_sample::paired_t_test;

    #[test]
    fn few_pairs_are_counted_out() {
        // Differences 1, 2, 3: of 8 sums, 6 and -6 are as far from 0, and 4 and -4 are where 1 is swapped.
        assert_eq!(paired_randomization(&[1.0, 2.0, 3.0, 5.0], &[0.0, 0.0, 0.0, 5.0], 100, 1), Ok(2.0 / 8.0));
        assert_eq!(paired_randomization(&[0.0, 2.0, 3.0], &[1.0, 0.0, 0.0], 100, 1), Ok(4.0 / 8.0));
        assert_eq!(paired_randomization(&[0.5, 0.5], &[0.5, 0.5], 100, 1), Ok(1.0));
        // Where all are equal, half the ways or more are as extreme whatever the rounding: 0.1 + 0.2 - 0.3 is not 0.
        assert_eq!(paired_randomization(&[0.1, 0.2, 0.0], &[0.0, 0.0, 0.3], 100, 1), Ok(1.0));
    }

    #[test]
    fn many_pairs_agree_with_the_count_and_with_student() {
        // The same 12 differences, and again with another that hardly counts, which are drawn.
        let differences: Vec<f64> = (0..12).map(|i| f64::from(i * 7 % 12) / 8.0 - 0.4).collect();
        let zeros = vec![0.0; 13];
        let exact = paired_randomization(&differences, &zeros[..12], 100, 1).unwrap();
        let longer: Vec<f64> = differences.iter().copied().chain([1e-9]).collect();
        let resamples = 20_000;
        let drawn = paired_randomization(&longer, &zeros, resamples, 1).unwrap();
        // Five standard errors of a share.
        let bound = 5.0 * libm::sqrt(exact * (1.0 - exact) / resamples as f64);
        assert!((drawn - exact).abs() < bound && exact > 0.01, "{drawn}, exactly {exact}");
        assert_eq!(paired_randomization(&longer, &zeros, resamples, 1), Ok(drawn));
        // With hundreds of pairs, it is Student's test but for its own noise.
        let values: Vec<f64> = (0..700).map(|i| f64::from(i * 37 % 101) / 101.0 - 0.48).collect();
        let student = paired_t_test(&values, &vec![0.0; 700]).unwrap().p_value;
        let drawn = paired_randomization(&values, &vec![0.0; 700], resamples, 2).unwrap();
        let bound = 5.0 * libm::sqrt(student * (1.0 - student) / resamples as f64) + 0.002;
        assert!((drawn - student).abs() < bound && student > 0.01 && student < 0.5, "{drawn}, Student {student}");
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert!(paired_randomization(&[1.0], &[0.0], 100, 1).is_err());
        assert!(paired_randomization(&[1.0, 2.0], &[0.0], 100, 1).is_err());
        assert!(paired_randomization(&[1.0, f64::NAN], &[0.0, 0.0], 100, 1).is_err());
        assert!(paired_randomization(&[1.0, 2.0], &[0.0, 0.0], 99, 1).is_err());
    }
}
