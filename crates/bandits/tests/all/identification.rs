//! Algorithms that promise the best arm with a stated probability: how many duels they take until one arm plays alone for
//! ever, and which.

#![allow(clippy::print_stderr, reason = "measured numbers are shown")]

use bandits::registry::{PolicyVisitor, Spec};
use bandits::{
    Arena as _, Arm, Choice, Feedback, Generators, MatrixArena, Policy, Preference, PreferenceMatrix, problems,
};

use crate::common::{certain, cycle, no_condorcet_winner};

/// Plays a policy until it has decided.
struct Decided<'a> {
    matrix: &'a PreferenceMatrix,
    seed: u64,
}

impl PolicyVisitor for Decided<'_> {
    type Output = (Option<Arm>, u64, usize);

    /// The arm that it recommends at the end, its duels, and in how many pairs.
    fn visit<P: Policy + Send>(self, mut policy: P) -> Self::Output {
        let mut arena =
            MatrixArena::with_reference(self.matrix.clone(), bandits::RegretReference::Copeland).expect("arms");
        let mut generators = Generators::from_seed(self.seed);
        let (mut duels, mut pairs) = (0, std::collections::BTreeSet::new());
        loop {
            match policy.choose(duels + 1, &mut generators.policy) {
                Choice::Duel(first, second) => {
                    duels += 1;
                    pairs.insert((first.min(second), first.max(second)));
                    let won = arena.duel(first, second, &mut generators.arena) == Preference::First;
                    policy.learn(duels, Feedback::of_duel(first, second, won));
                }
                Choice::Alone { until, .. } => {
                    assert_eq!(until, u64::MAX);
                    return (policy.recommend(&mut generators.policy), duels, pairs.len());
                }
                Choice::Set(_) => unreachable!("they choose duels"),
            }
        }
    }
}

fn decided(spec: &str, matrix: &PreferenceMatrix, seed: u64) -> (Option<Arm>, u64, usize) {
    let spec: Spec = spec.parse().expect("a known algorithm");
    spec.visit(matrix.arms(), None, Decided { matrix, seed }).expect("arms")
}

/// `independent.py` beside this file played 8,000 runs of each. All are right at least as often as promised: if they were right
/// with probability 1 - delta = .95, 360 of 400 would be more than four standard deviations below the mean.
#[test]
fn as_many_duels_as_an_independent_program() {
    let eight = problems::arithmetic(8).expect("eight arms");
    let five = problems::arithmetic_with(5, 0.1).expect("five arms");
    let none = no_condorcet_winner();
    let utilities = problems::btl(&[0, 1, 2, 3, 4, 5, 6, 7].map(|i| 0.7_f64.powi(i))).expect("eight arms");
    for (spec, matrix, right, (theirs, their_error)) in [
        ("dkwt", &eight, Some(Arm(0)), (50_297.7, 219.4)),
        ("knockout", &eight, Some(Arm(0)), (8_744.0, 27.6)),
        ("knockout:epsilon=0.2", &eight, Some(Arm(0)), (4_243.9, 10.3)),
        ("nts", &eight, Some(Arm(0)), (1_247.8, 3.2)),
        ("nts", &none, None, (339.2, 0.7)),
        ("pocowista", &eight, Some(Arm(0)), (5_718.4, 31.0)),
        ("pocowista", &none, Some(Arm(0)), (797.8, 3.6)),
        ("sequential-elimination", &eight, Some(Arm(0)), (7_552.6, 44.3)),
        ("mallows-mpi", &eight, Some(Arm(0)), (9_907.6, 47.7)),
        ("mallows-mpi:delta=0.2", &eight, Some(Arm(0)), (9_218.5, 44.3)),
        ("pl-pac", &utilities, Some(Arm(0)), (1_712.2, 18.2)),
        ("pl-pac:epsilon=0.08", &utilities, Some(Arm(0)), (1_470.8, 15.3)),
        ("verification", &five, Some(Arm(0)), (30_443.0, 135.1)),
        ("verification:delta=0.000001", &five, Some(Arm(0)), (31_538.3, 133.7)),
        ("sequential-elimination:epsilon=0.07", &eight, Some(Arm(0)), (5_200.7, 25.7)),
    ] {
        let runs = 400;
        let played: Vec<_> = (0..runs).map(|seed| decided(spec, matrix, seed)).collect();
        let duels = || played.iter().map(|&(_, duels, _)| duels as f64);
        let mean = duels().sum::<f64>() / runs as f64;
        let variance = duels().map(|duels| (duels - mean).powi(2)).sum::<f64>() / (runs - 1) as f64;
        let error = (variance / runs as f64).sqrt();
        let bound = 4.0 * error.hypot(their_error);
        let found = played.iter().filter(|&&(best, ..)| best == right).count();
        eprintln!("{spec}: {mean:.1} +- {error:.1} duels, {theirs} elsewhere; {found} of {runs} runs right");
        assert!((mean - theirs).abs() < bound, "{spec}: {mean}, {theirs} elsewhere, within {bound}");
        assert!(found >= 360, "{spec}: {found} of {runs}");
    }
}

/// Where every duel has a certain outcome, the number of pairs is known: K - 1 in a knock-out, and at most 2 K - log2 K - 2
/// until it is clear that the winner beats all.
#[test]
fn they_ask_for_as_few_pairs_as_their_rule() {
    for arms in [1, 2, 3, 7, 8, 33] {
        let matrix = certain(arms);
        for seed in 0..5 {
            for (spec, most) in [
                ("knockout", arms - 1),
                ("dkwt", arms - 1),
                ("nts", (2 * arms).saturating_sub(arms.ilog2() as usize + 2)),
                ("pocowista", arms * (arms - 1) / 2),
                ("sequential-elimination", arms - 1),
                ("mallows-mpi", arms - 1),
                ("pl-pac", arms * (arms - 1) / 2),
                ("verification", arms * (arms - 1) / 2),
            ] {
                let (best, _, pairs) = decided(spec, &matrix, seed);
                assert_eq!(best, Some(Arm(0)), "{spec}, {arms} arms");
                assert!(pairs <= most && pairs + 1 >= arms, "{spec}, {arms} arms: {pairs} pairs");
            }
        }
    }
}

/// In a cycle of five, each beats two: there is no Condorcet winner, and every arm is a Copeland winner.
#[test]
fn nobody_beats_all_in_a_cycle() {
    for seed in 0..20 {
        let (best, _, pairs) = decided("nts:h=0.2", &cycle(), seed);
        assert!(best.is_none() && pairs <= 6, "seed {seed}: {best:?}, {pairs}");
        assert!(decided("pocowista", &cycle(), seed).0.is_some());
    }
}

/// Its errors come as often as its parameter says, not less often by far: preferences of exactly 1/2 + h, two arms.
#[test]
fn the_sequential_test_of_nts_has_its_error() {
    let matrix = PreferenceMatrix::from_rows(&[[0.5, 0.6], [0.4, 0.5]]).expect("a matrix");
    let runs = 4_000_u32;
    let wrong =
        (0..runs).filter(|&seed| decided("nts:h=0.1:gamma=0.4", &matrix, seed.into()).0 == Some(Arm(1))).count();
    // m = ceil(ln 4 / ln 1.5) = 4: a walk of steps +1 and -1 reaches -4 before 4 with probability 1 / (1 + 1.5^4).
    let expected = f64::from(runs) / (1.0 + 1.5_f64.powi(4));
    let off = (wrong as f64 - expected).abs();
    assert!(off < 4.0 * expected.sqrt(), "{wrong} of {runs}, {expected:.0} expected");
}

/// Arms that are next to each other nearly tie, others do not: strongly stochastically transitive, without the triangle
/// inequality. A knock-out may lose the best arm to the second, and that one to the third, which the best one beats by far.
#[test]
fn sequential_elimination_needs_no_triangle_inequality() {
    let matrix = PreferenceMatrix::from_upper(3, |i, j| if j.0 - i.0 == 1 { 0.5005 } else { 0.8 }).expect("a matrix");
    let failures = |spec: &str| {
        let fails = |seed| decided(spec, &matrix, seed).0.expect("an arm") == Arm(2);
        (0..400).filter(|&seed| fails(seed)).count()
    };
    let rest = "epsilon=0.1:delta=0.01";
    let sequential = failures(&format!("sequential-elimination:{rest}"));
    let knockout = failures(&format!("knockout:{rest}"));
    eprintln!("{sequential} of 400 runs fail, {knockout} of those of knockout");
    // Four standard deviations above 1%.
    assert!(sequential <= 12, "{sequential}");
    assert!(knockout > 12, "this matrix makes no difference: {knockout}");
}

#[test]
fn each_rule_has_its_error() {
    for (text, message) in [
        ("knockout:epsilon=1", "epsilon must lie strictly between 0 and 1, found 1"),
        (
            "knockout:gamma=0.9",
            "gamma must be at least 1, found 0.9; 1 is strong stochastic transitivity, and nothing is stronger",
        ),
        ("nts:h=0", "h must be a positive number, found 0"),
        ("nts:h=0.5", "h must be below 0.5, found 0.5; no preference is further than that from 1/2"),
        ("nts:gamma=1", "gamma must lie strictly between 0 and 1, found 1"),
        ("dkwt:delta=0", "delta must lie strictly between 0 and 1, found 0"),
        ("pocowista:delta=nan", "delta must lie strictly between 0 and 1, found NaN"),
        ("mallows-mpi:delta=1", "delta must lie strictly between 0 and 1, found 1"),
        ("pl-pac:epsilon=0", "epsilon must lie strictly between 0 and 1, found 0"),
        ("verification:kappa=1", "kappa must lie strictly between 0 and 1, found 1"),
        ("sequential-elimination:epsilon=0", "epsilon must lie strictly between 0 and 1, found 0"),
    ] {
        assert_eq!(text.parse::<Spec>().expect_err(text).to_string(), message);
    }
}
