//! Random subsets of the arms: how often they have a Condorcet winner, and how often a total order.
//!
//! Assumptions that an experiment on a few arms out of many may make. An arm that beats N others of
//! M wins C(N, K - 1) of the C(M, K) subsets of size K, and no subset has two winners; so that
//! P(winner) = sum_i C(N_i, K - 1) / C(M, K). Orders are estimated from samples.
//!
//! ## References
//! M. Zoghi, S. Whiteson, R. Munos, M. de Rijke, "Relative Upper Confidence Bound for the K-Armed
//! Dueling Bandit Problem", ICML 2014, section 8.1 of its supplement,
//! <https://proceedings.mlr.press/v32/zoghi14.html>.
//!
//! ## Notes
//! * The supplement prints C(N, K) instead of C(N, K - 1), which at K = 2 is not a probability.
//! * Binomials are not computed: C(N, K - 1) / C(M, K) = K / M times a product of ratios that never
//!   grows, so that nothing overflows or cancels, and no logarithm is taken.
//! * One sample serves all sizes: arms join in random order until one spoils the order.

use super::Tournament;
use super::tournament::set_bits;
use crate::random::draw_into;
use crate::{Arm, Generator};

/// A probability and its standard error.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Estimate {
    /// The estimate.
    pub probability: f64,
    /// sqrt(p (1 - p) / samples); 0 if the probability is exact. If no sample or every sample
    /// had an order it is 0 too, although the error is about 1 / samples.
    pub standard_error: f64,
}

/// The probability that a random subset of each size from 1 (at index 0) to all arms has a
/// Condorcet winner. Exact except for rounding; O(K^2).
///
/// ```
/// # use bandits::{problems, structure::{Tournament, condorcet_probabilities}};
/// // Of the four triples of `cyclic` one is a cycle.
/// let curve = condorcet_probabilities(&Tournament::of(&problems::cyclic()?));
/// let expected = [1.0, 1.0, 0.75, 1.0];
/// assert!(curve.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12));
/// # Ok::<(), bandits::MatrixError>(())
/// ```
#[must_use]
pub fn condorcet_probabilities(tournament: &Tournament) -> Vec<f64> {
    let arms = tournament.arms();
    let mut curve = vec![0.0; arms];
    for i in 0..arms {
        let wins = tournament.wins(Arm::at(i));
        // C(wins, size - 1) / C(arms - 1, size - 1): all others of a subset with i are beaten.
        let mut wins_all = 1.0;
        for (others, probability) in curve.iter_mut().enumerate().take(wins + 1) {
            *probability += wins_all;
            wins_all *= (wins - others) as f64 / (arms - 1 - others).max(1) as f64;
        }
    }
    for (index, probability) in curve.iter_mut().enumerate() {
        // The mean over arms, times how many of them a subset holds; rounding may pass 1.
        *probability = (*probability * (index + 1) as f64 / arms as f64).min(1.0);
    }
    curve
}

/// The size with the lowest probability (the smallest such size) and that probability; `None` for an
/// empty curve.
#[must_use]
pub fn lowest_point(curve: &[f64]) -> Option<(usize, f64)> {
    // Rounding must not make a winner out of a flat curve.
    let floor = curve.iter().copied().fold(f64::INFINITY, f64::min);
    curve.iter().position(|p| *p <= floor + 1e-12).map(|index| (index + 1, curve[index]))
}

/// The probability that a random subset of each size from 1 (at index 0) to all arms has a total
/// order: each arm beats all that follow it, and no pair is open.
///
/// Exact up to three arms, and for all sizes if all arms have one; beyond, estimated from `samples` random
/// orders of the arms (0 samples: nothing beyond three). All sizes share the samples, so
/// the curve never increases.
#[must_use]
pub fn total_order_probabilities(tournament: &Tournament, samples: u64, generator: &mut Generator) -> Vec<Estimate> {
    let arms = tournament.arms();
    let exact = |probability| Estimate { probability, standard_error: 0.0 };
    if let super::TournamentOrder::Total(_) = tournament.order() {
        return vec![exact(1.0); arms];
    }
    let mut curve: Vec<Estimate> = (1..=arms.min(3)).map(|size| exact(exact_for_few_arms(tournament, size))).collect();
    if samples == 0 {
        return curve;
    }
    // How many samples were in order up to each size.
    let mut reached = vec![0_u64; arms + 1];
    let mut order = GrowingSubset::new(tournament);
    let mut deck: Vec<usize> = (0..arms).collect();
    for _ in 0..samples {
        order.clear();
        let mut size = 0;
        while size < arms {
            draw_into(generator, &mut deck, size);
            if !order.join(deck[size]) {
                break;
            }
            size += 1;
        }
        reached[size] += 1;
    }
    let mut ordered = samples;
    for (size, spoilt) in (1..=arms).zip(&reached) {
        ordered -= spoilt;
        if size > 3 {
            let probability = ordered as f64 / samples as f64;
            let standard_error = (probability * (1.0 - probability) / samples as f64).sqrt();
            curve.push(Estimate { probability, standard_error });
        }
    }
    curve
}

/// The exact probability for one, two or three arms.
fn exact_for_few_arms(tournament: &Tournament, size: usize) -> f64 {
    let arms = tournament.arms();
    let pairs = arms as f64 * (arms as f64 - 1.0) / 2.0;
    match size {
        1 => 1.0,
        2 => 1.0 - tournament.open_pairs() as f64 / pairs,
        _ => {
            // Every ordered triple has one arm that beats the two others, which are not open.
            let mut ordered = 0;
            for i in 0..arms {
                for j in set_bits(tournament.row(i).iter().copied()) {
                    let both = tournament.row(i).iter().zip(tournament.row(j)).map(|(a, b)| a & b);
                    ordered += both.map(|word| u64::from(word.count_ones())).sum::<u64>();
                }
            }
            ordered as f64 / (pairs * (arms as f64 - 2.0) / 3.0)
        }
    }
}

/// Arms in order so far, as a growing subset.
struct GrowingSubset<'a> {
    tournament: &'a Tournament,
    /// Best first.
    order: Vec<usize>,
    members: Vec<u64>,
}

impl<'a> GrowingSubset<'a> {
    fn new(tournament: &'a Tournament) -> Self {
        Self { tournament, order: Vec::new(), members: vec![0; tournament.arms().div_ceil(64)] }
    }

    fn clear(&mut self) {
        self.order.clear();
        self.members.fill(0);
    }

    /// Inserts an arm where it belongs; false if it fits nowhere.
    fn join(&mut self, arm: usize) -> bool {
        let tournament = self.tournament;
        let within = |row: &[u64]| -> usize {
            row.iter().zip(&self.members).map(|(row, member)| (row & member).count_ones() as usize).sum()
        };
        let (losses, wins) = (within(tournament.losses(arm)), within(tournament.row(arm)));
        if losses + wins != self.order.len() {
            return false;
        }
        // The arms that beat it must be the first ones: the last of these, and those that beat that.
        if losses > 0 {
            let last = self.order[losses - 1];
            let rows = tournament.losses(arm).iter().zip(tournament.losses(last)).zip(&self.members);
            for (word, ((mine, above), member)) in rows.enumerate() {
                let itself = if word == last / 64 { 1 << (last % 64) } else { 0 };
                if mine & member != (above & member) | itself {
                    return false;
                }
            }
        }
        self.order.insert(losses, arm);
        self.members[arm / 64] |= 1 << (arm % 64);
        true
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::super::TournamentOrder;
    use super::super::testing::{random_matrix, sizes};
    use super::*;
    use crate::{PreferenceMatrix, problems, winners};

    /// The shares of subsets of each size that have a winner and an order, by enumeration.
    fn enumerated(matrix: &PreferenceMatrix) -> Vec<(f64, f64)> {
        let mut counts = vec![(0_u32, 0_u32, 0_u32); matrix.arms()];
        for set in 1_u32..1 << matrix.arms() {
            let arms: Vec<Arm> = matrix.all_arms().filter(|arm| set >> arm.0 & 1 == 1).collect();
            let subset = matrix.subset(&arms).expect("some arms");
            let count = &mut counts[arms.len() - 1];
            count.0 += 1;
            count.1 += u32::from(winners::condorcet_winner(&subset).is_some());
            count.2 += u32::from(matches!(Tournament::of(&subset).order(), TournamentOrder::Total(_)));
        }
        counts
            .iter()
            .map(|&(all, won, ordered)| (f64::from(won) / f64::from(all), f64::from(ordered) / f64::from(all)))
            .collect()
    }

    #[test]
    fn curves_agree_with_enumeration() {
        let samples = 20_000;
        let mut generator = Generator::seed_from_u64(5);
        for (arms, seed) in sizes(&[1, 2, 3, 4, 6, 9], 6) {
            let matrix = random_matrix(arms, seed);
            let tournament = Tournament::of(&matrix);
            let winners = condorcet_probabilities(&tournament);
            let orders = total_order_probabilities(&tournament, samples, &mut generator);
            assert_eq!(orders.len(), arms);
            let expected = enumerated(&matrix);
            for (size, (winner, order)) in (1..).zip(&expected) {
                assert!((winners[size - 1] - winner).abs() < 1e-12, "{arms} arms, seed {seed}, size {size}");
                let found = orders[size - 1];
                // Exact up to three; beyond, five standard errors of the truth.
                let bound =
                    if size <= 3 { 1e-12 } else { 5.0 * (order * (1.0 - order) / samples as f64).sqrt() + 1e-12 };
                assert!(
                    (found.probability - order).abs() <= bound,
                    "{arms} arms, seed {seed}, size {size}: {found:?}, {order}"
                );
            }
        }
    }

    #[test]
    fn beyond_one_word_of_bits() {
        // Two orders of 70 arms in which one pair at the ends is the wrong way round, and one is open.
        for wrong in [0.4, 0.5] {
            let matrix = PreferenceMatrix::from_upper(70, |i, j| if (i.0, j.0) == (0, 69) { wrong } else { 0.6 })
                .expect("a matrix");
            let tournament = Tournament::of(&matrix);
            let samples = 20_000_u64;
            let curve = total_order_probabilities(&tournament, samples, &mut Generator::seed_from_u64(6));
            for size in [3_usize, 4, 20, 69, 70] {
                // A subset is spoilt by both ends, and, where they are only reversed, something between.
                let both = (size * (size - 1)) as f64 / (70.0 * 69.0);
                let order = 1.0 - both;
                let bound = 5.0 * (order * both / samples as f64).sqrt() + 1e-12;
                assert!(
                    (curve[size - 1].probability - order).abs() <= bound,
                    "size {size}: {:?}, {order}",
                    curve[size - 1]
                );
            }
        }
    }

    #[test]
    fn orders_are_certain_and_large_numbers_harmless() {
        let matrix = problems::arithmetic(8).expect("eight arms");
        let tournament = Tournament::of(&matrix);
        let curve = total_order_probabilities(&tournament, 0, &mut Generator::seed_from_u64(7));
        assert!(curve.iter().all(|estimate| *estimate == Estimate { probability: 1.0, standard_error: 0.0 }));
        let many = Tournament::from_pairs(2000, |_, _| std::cmp::Ordering::Greater);
        let curve = condorcet_probabilities(&many);
        assert!(curve.iter().all(|p| (p - 1.0).abs() < 1e-10));
        assert_eq!(lowest_point(&curve).map(|(size, _)| size), Some(1));
        assert_eq!(lowest_point(&[1.0, 1.0, 0.7, 0.8]), Some((3, 0.7)));
    }

    #[test]
    fn value_stability() {
        let tournament = Tournament::of(&random_matrix(12, 4));
        let curve = total_order_probabilities(&tournament, 1000, &mut Generator::seed_from_u64(8));
        let counts: Vec<f64> = curve[3..6].iter().map(|estimate| estimate.probability * 1000.0).collect();
        assert_eq!(counts, [743.0, 599.0, 450.0]);
    }
}
