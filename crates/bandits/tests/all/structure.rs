//! The structure of real preference matrices, compared with known numbers: those of the single-feature
//! rankers of MSLR-WEB30K that the authors of MergeDTS published, and of smaller ones.

#![allow(clippy::print_stderr, reason = "a test that was skipped says so")]

use bandits::agreement::Agreement;
use bandits::structure::{
    Tournament, TournamentOrder, condorcet_probabilities, established, gaps, lower_bound, lowest_point,
    relaxed_transitivity, theory, total_order_probabilities, von_neumann,
};
use bandits::winners::{borda_winners, condorcet_winner, copeland_winners};
use bandits::{Arm, Generator, PreferenceMatrix};
use rand::SeedableRng as _;

/// Facts about a matrix of 136 rankers.
struct Known {
    clicks: &'static str,
    comparisons: u64,
    smallest_gap: f64,
    mean_gap: f64,
    circles: u64,
    gamma: f64,
    /// Lowest probability of a Condorcet winner, and the subset size where it is.
    lowest: (usize, f64),
    /// Probability of a total order of 10 and 20 arms, from [`OTHER_SAMPLES`] samples of another program.
    orders: [f64; 2],
    winner_only: f64,
    regret: f64,
}

const OTHER_SAMPLES: [f64; 2] = [60_000.0, 20_000.0];

const KNOWN: [Known; 2] = [
    Known {
        clicks: "Perfect",
        comparisons: 414_720,
        smallest_gap: 0.00655,
        mean_gap: 0.1173,
        circles: 447,
        gamma: 3.465,
        lowest: (100, 0.8903),
        orders: [0.902, 0.4774],
        winner_only: 512.0,
        regret: 461.6,
    },
    Known {
        clicks: "Navigational",
        comparisons: 414_618,
        smallest_gap: 0.00561,
        mean_gap: 0.1047,
        circles: 377,
        gamma: 2.692,
        lowest: (87, 0.8441),
        orders: [0.91642, 0.5341],
        winner_only: 657.2,
        regret: 584.9,
    },
];

fn near(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: found {found}, expected {expected}");
}

#[test]
#[ignore = "needs ../shared/data"]
fn rankers_of_mslr() {
    for known in &KNOWN {
        let matrix = crate::common::mslr(known.clicks);
        let best = Arm(109);
        assert_eq!(condorcet_winner(&matrix), Some(best));
        assert_eq!(borda_winners(&matrix), [best]);
        assert_eq!(copeland_winners(&matrix), [best]);
        assert_eq!(von_neumann(&matrix).expect("solved").support(), [(best, 1.0)]);

        let found = gaps(&matrix).expect("a winner");
        near(found.smallest, known.smallest_gap, 5e-6, "smallest gap");
        near(found.mean, known.mean_gap, 5e-5, "mean gap");

        let tournament = Tournament::of(&matrix);
        assert_eq!(tournament.order(), TournamentOrder::Cyclic);
        assert_eq!(tournament.cyclic_triples(), known.circles);
        assert_eq!(tournament.cycles().count() as u64, known.circles);
        let gamma = relaxed_transitivity(&matrix).expect("a winner").gamma;
        near(gamma, known.gamma, 5e-4, "gamma");

        // Nothing significant contradicts the matrix, and few cycles are significant.
        let sure = established(&matrix, 0.05, |_, _| known.comparisons).expect("a rate");
        assert!(sure.cycles().all(|cycle| tournament.cycles().any(|found| found == cycle)));
        assert!(sure.cyclic_triples() < known.circles && sure.open_pairs() > 0);
        assert_eq!(sure.wins(best), 135);

        let winners = condorcet_probabilities(&tournament);
        let (size, probability) = lowest_point(&winners).expect("arms");
        assert_eq!(size, known.lowest.0);
        near(probability, known.lowest.1, 5e-5, "lowest probability of a winner");
        assert!((winners[0] - 1.0).abs() < 1e-12 && (winners[1] - 1.0).abs() < 1e-12);
        assert!((winners[135] - 1.0).abs() < 1e-12);

        let samples = 100_000;
        let orders = total_order_probabilities(&tournament, samples, &mut Generator::seed_from_u64(1));
        let triples = (136 * 135 * 134 / 6) as f64;
        near(orders[2].probability, 1.0 - known.circles as f64 / triples, 1e-12, "order of three");
        // Five standard errors of the difference.
        for ((size, expected), others) in [10, 20].into_iter().zip(known.orders).zip(OTHER_SAMPLES) {
            let spread = expected * (1.0 - expected) * (1.0 / others + 1.0 / samples as f64);
            near(orders[size - 1].probability, expected, 5.0 * spread.sqrt(), "order");
        }
        assert!(orders[49].probability <= 0.004);

        let bound = lower_bound(&matrix).expect("a winner");
        near(bound.winner_only, known.winner_only, 0.05, "bound through the winner");
        near(bound.regret, known.regret, 0.05, "bound");
        // Upper bounds lie above the lower one.
        for upper in [theory::rucb_expected(&matrix, 1.01), theory::merge_rucb_expected(&matrix, 1.01, 4)] {
            assert!(upper.expect("a bound").at(1e7) > bound.regret * 16.0);
        }
    }
}

#[test]
#[ignore = "needs ../shared/data"]
fn a_lottery_without_the_winner_of_mslr() {
    for known in &KNOWN {
        let matrix = crate::common::mslr(known.clicks);
        // Arms in the middle of the field, where the cycles are.
        let mut arms: Vec<Arm> = matrix.all_arms().collect();
        let tournament = Tournament::of(&matrix);
        arms.sort_by_key(|&arm| std::cmp::Reverse(tournament.wins(arm)));
        let mut mixed = 0;
        for from in 0..100 {
            let subset = matrix.subset(&arms[from..]).expect("arms");
            let lottery = von_neumann(&subset).expect("solved");
            assert!(lottery.value.abs() < 1e-9, "{} from {from}: {}", known.clicks, lottery.value);
            let alone = lottery.support().len() == 1;
            assert_eq!(alone, condorcet_winner(&subset).is_some());
            mixed += usize::from(!alone);
        }
        assert!(mixed > 0);
    }
}

#[test]
#[ignore = "needs ../shared/data"]
fn an_independent_estimate_agrees() {
    let reference = crate::common::mslr("Perfect");
    let bytes = crate::common::data("prefmat-mslr/wolfenfeld_PMat_lexicographic_arms.npy");
    let matrix = PreferenceMatrix::from_bytes(&bytes).expect("a matrix").undo_alphabetical_order();
    assert_eq!(condorcet_winner(&matrix), Some(Arm(109)));
    let agreement = Agreement::between(&matrix, &reference).expect("136 arms each");
    near(agreement.correlation, 0.99988, 5e-6, "correlation");
    near(agreement.slope, 1.0, 0.02, "slope");
    let clear = agreement.signs.last().expect("thresholds");
    assert!(clear.pairs > 7000 && clear.share > 0.999, "{clear:?}");
    let noisier = Agreement::between(&crate::common::mslr("Navigational"), &reference).expect("136 arms each");
    assert!(noisier.slope < 0.97 && noisier.correlation > 0.99, "{noisier}");
}

#[test]
#[ignore = "needs ../shared/data"]
fn small_published_matrices() {
    for (name, winner_only, regret) in
        [("arithmetic", 12.7122, 12.7122), ("arxiv", 20.7350, 20.7350), ("cyclic", 7.4495, 0.8151)]
    {
        let bytes = crate::common::data(&format!("prefmat-small/jkomiyama_pref_{name}.txt"));
        let matrix = PreferenceMatrix::from_bytes(&bytes).expect("a matrix");
        let bound = lower_bound(&matrix).expect("a winner");
        near(bound.winner_only, winner_only, 5e-5, name);
        near(bound.regret, regret, 5e-5, name);
        assert_eq!(von_neumann(&matrix).expect("solved").weights[0], 1.0);
    }
    // Five rankers of MSLR under informational clicks, in order.
    let bytes = crate::common::data("prefmat-small/huasenwu_MSLR_Informational_5_Condorcet.txt");
    let matrix = PreferenceMatrix::from_bytes(&bytes).expect("a matrix");
    assert_eq!(condorcet_winner(&matrix), Some(Arm(0)));
    assert!(matches!(Tournament::of(&matrix).order(), TournamentOrder::Total(_)));
}

/// Five rankers of MSLR-WEB30K without a Condorcet winner, printed by H. Wu, X. Liu, "Double Thompson
/// Sampling for Dueling Bandits", NeurIPS 2016, <https://arxiv.org/abs/1604.07101>, appendix D.1.3.
#[test]
fn five_rankers_without_a_winner() {
    let matrix = PreferenceMatrix::from_rows(&[
        [0.5, 0.484, 0.519, 0.529, 0.518],
        [0.516, 0.5, 0.481, 0.530, 0.539],
        [0.481, 0.519, 0.5, 0.504, 0.512],
        [0.471, 0.470, 0.496, 0.5, 0.503],
        [0.482, 0.461, 0.488, 0.497, 0.5],
    ])
    .expect("a matrix");
    let tournament = Tournament::of(&matrix);
    assert_eq!(tournament.top_cycle(), [Arm(0), Arm(1), Arm(2)]);
    assert_eq!(tournament.cycles().collect::<Vec<_>>(), [[Arm(0), Arm(2), Arm(1)]]);
    assert_eq!((gaps(&matrix), lower_bound(&matrix), relaxed_transitivity(&matrix)), (None, None, None));
    // 0 beats 2 by 19, 2 beats 1 by 19, 1 beats 0 by 16 thousandths: each weighs what the others
    // differ by.
    let lottery = von_neumann(&matrix).expect("solved");
    for (weight, margin) in lottery.weights.iter().zip([19.0, 19.0, 16.0, 0.0, 0.0]) {
        near(*weight, margin / 54.0, 1e-9, "weight");
    }
    // 0.516 takes some tens of thousands of comparisons to establish.
    let circles = |n| established(&matrix, 0.05, |_, _| n).expect("a rate").cyclic_triples();
    assert_eq!((circles(1000), circles(100_000)), (0, 1));
}
