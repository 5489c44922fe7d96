//! Shortcuts that draw other random numbers than the plain rule must have its distribution: on small
//! problems both make the same choices equally often.

use std::collections::BTreeMap;

use bandits::policies::changing::dts::{DiscountedDtsConfig, SlidingDtsConfig};
use bandits::policies::{bradley_terry, dts, merge_dts, rcs, rts, self_sparring};
use bandits::reference::{
    ReferenceBradleyTerry, ReferenceDoubleThompson, ReferenceForgetfulDts, ReferenceMergeDts, ReferenceRcs,
    ReferenceSelfSparring,
};
use bandits::{Arm, Choice, Feedback, Generators, Policy, PolicyConfig, PreferenceMatrix};

/// How often each outcome came out of either sampler.
#[derive(Default)]
struct Tally(BTreeMap<String, [u32; 2]>);

impl Tally {
    fn add(&mut self, which: usize, outcome: String) {
        self.0.entry(outcome).or_default()[which] += 1;
    }

    /// Pearson's two-sample chi-square (as many draws of each), with rare outcomes put together,
    /// as a normal deviate by Wilson and Hilferty's formula; and how many outcomes there were.
    fn deviate(&self) -> (f64, usize) {
        let mut rare = [0; 2];
        let mut cells = Vec::new();
        for &counts in self.0.values() {
            if counts[0] + counts[1] < 20 {
                rare[0] += counts[0];
                rare[1] += counts[1];
            } else {
                cells.push(counts);
            }
        }
        // Put together they say little.
        assert!(u64::from(rare[0] + rare[1]) < DRAWS, "outcomes are too many");
        if rare[0] + rare[1] >= 20 {
            cells.push(rare);
        }
        let statistic: f64 = cells.iter().map(|&[a, b]| (f64::from(a) - f64::from(b)).powi(2) / f64::from(a + b)).sum();
        let freedom = cells.len() as f64 - 1.0;
        if freedom == 0.0 {
            return (0.0, 1);
        }
        let spread = 2.0 / (9.0 * freedom);
        let deviate = ((statistic / freedom).cbrt() - 1.0 + spread) / spread.sqrt();
        (deviate, cells.len())
    }

    /// The same distribution, as far as the draws show: a deviate of 4 comes up once in 30,000 tests.
    fn assert_alike(&self, what: &str) {
        let (deviate, cells) = self.deviate();
        assert!(deviate < 4.0, "{what}: {deviate:.1} with {cells} outcomes");
    }
}

/// The arms that meet; an arm alone appears once, whatever the length of the stretch.
fn outcome(choice: Choice<'_>) -> String {
    match choice {
        Choice::Duel(first, second) => format!("{}-{}", first.0, second.0),
        Choice::Set(arms) => format!("{arms:?}"),
        Choice::Alone { arm, .. } => format!("{}", arm.0),
    }
}

/// Lets a policy learn of each pair that many wins each way, and tallies its next choice for each of
/// many generators.
fn tally_a_choice<P: Policy + Clone>(tally: &mut Tally, which: usize, mut policy: P, wins: &[[u32; 4]; 4]) {
    for (i, row) in wins.iter().enumerate() {
        for (j, &count) in row.iter().enumerate() {
            for _ in 0..count {
                policy.learn(1, Feedback::of_duel(Arm::at(i), Arm::at(j), true));
            }
        }
    }
    for seed in 0..DRAWS {
        let mut generator = Generators::from_seed(seed + DRAWS * which as u64).policy;
        tally.add(which, outcome(policy.clone().choose(300, &mut generator)));
    }
}

/// The fast form and the plain one choose alike in each of the [`STATES`].
fn same_distribution_of_choices<A, P: Policy + Clone>(algorithm: &A, plain: impl Fn(&A, usize) -> P)
where
    A: PolicyConfig<Policy: Clone>,
{
    for (name, wins) in STATES {
        let mut tally = Tally::default();
        let fast = algorithm.policy(4, Some(10_000)).expect("valid");
        tally_a_choice(&mut tally, 0, fast, &wins);
        tally_a_choice(&mut tally, 1, plain(algorithm, 4), &wins);
        tally.assert_alike(&format!("{algorithm:?}, {name}"));
    }
}

/// Plays a fresh policy for each of many seeds and tallies the arms it chose at some steps, and
/// last the arms alone at these steps.
fn tally_runs<P: Policy>(
    tallies: &mut [Tally],
    which: usize,
    new: impl Fn() -> P,
    matrix: &PreferenceMatrix,
    steps: &[usize],
) {
    let horizon = steps.iter().max().copied().unwrap_or(1) as u64;
    for seed in 0..DRAWS {
        let diary = crate::common::diary(new(), matrix, horizon, seed + DRAWS * which as u64);
        let mut all = String::new();
        for (&step, tally) in steps.iter().zip(&mut *tallies) {
            let arms = &diary[step - 1];
            all += &match arms[..] {
                [alone] => alone.0.to_string(),
                _ => "-".to_owned(),
            };
            tally.add(which, format!("{arms:?}"));
        }
        tallies[steps.len()].add(which, all);
    }
}

/// The fast form and the plain one, from the start, choose alike at each of these steps and leave the
/// same arms alone at all of them taken together.
fn same_distribution_of_runs<A, P: Policy>(
    algorithm: &A,
    plain: impl Fn(&A, usize) -> P,
    matrix: &PreferenceMatrix,
    steps: &[usize],
) where
    A: PolicyConfig,
{
    let (arms, horizon) = (matrix.arms(), 10_000);
    let mut tallies: Vec<Tally> = Vec::new();
    tallies.resize_with(steps.len() + 1, Tally::default);
    let fast = || algorithm.policy(arms, Some(horizon)).expect("valid");
    tally_runs(&mut tallies, 0, fast, matrix, steps);
    tally_runs(&mut tallies, 1, || plain(algorithm, arms), matrix, steps);
    for (place, tally) in tallies.iter().enumerate() {
        let step = steps.get(place);
        tally.assert_alike(&format!("{algorithm:?}, {step:?} of {steps:?}"));
    }
}

/// The fast form and the plain one choose alike in the first steps taken together. Where the outcome
/// of every duel is certain, these are all there is to know.
fn same_distribution_of_first_choices<A, P: Policy>(
    algorithm: &A,
    plain: impl Fn(&A, usize) -> P,
    matrix: &PreferenceMatrix,
    steps: u64,
) where
    A: PolicyConfig,
{
    let arms = matrix.arms();
    let mut tally = Tally::default();
    for seed in 0..DRAWS {
        let fast = algorithm.policy(arms, Some(10_000)).expect("valid");
        let fast = crate::common::diary(fast, matrix, steps, seed);
        tally.add(0, format!("{fast:?}"));
        let plain = crate::common::diary(plain(algorithm, arms), matrix, steps, seed + DRAWS);
        tally.add(1, format!("{plain:?}"));
    }
    tally.assert_alike(&format!("{algorithm:?}, the first {steps}"));
}

/// Draws of either form.
const DRAWS: u64 = 20_000;

/// Few duels, many, and some that leave no doubt: how often i beat j.
const STATES: [(&str, [[u32; 4]; 4]); 4] = [
    ("nothing known", [[0; 4]; 4]),
    ("little known", [[0, 3, 1, 2], [1, 0, 2, 2], [1, 0, 0, 4], [0, 2, 1, 0]]),
    ("an arm ahead", [[0, 30, 25, 40], [20, 0, 9, 9], [15, 8, 0, 12], [25, 6, 5, 0]]),
    ("no doubt left", [[0, 90, 95, 99], [10, 0, 30, 9], [6, 8, 0, 12], [5, 6, 5, 0]]),
];

/// Arm 0 beats two equal ones.
fn three_arms() -> PreferenceMatrix {
    PreferenceMatrix::from_rows(&[[0.5, 0.75, 0.8], [0.25, 0.5, 0.5], [0.2, 0.5, 0.5]]).expect("a matrix")
}

#[test]
fn rcs_draws_the_same_champions() {
    use rcs::Variant::{Lerot, Paper};
    for variant in [Paper, Lerot] {
        for alpha in [0.501, 0.1] {
            same_distribution_of_choices(&rcs::RcsConfig { variant, alpha }, ReferenceRcs::new);
        }
    }
}

#[test]
fn rcs_stretches_alone_are_as_long() {
    use rcs::Variant::{Lerot, Paper};
    for variant in [Paper, Lerot] {
        for (alpha, steps) in [(0.501, [12, 13, 40, 41, 80]), (0.1, [8, 15, 16, 17, 30]), (0.1, [20, 40, 60, 80, 100])]
        {
            let config = rcs::RcsConfig { variant, alpha };
            same_distribution_of_runs(&config, ReferenceRcs::new, &three_arms(), &steps);
        }
    }
}

#[test]
fn double_thompson_draws_the_same_pairs() {
    use dts::Variant::{MergeDts, Paper};
    for variant in [Paper, MergeDts] {
        for alpha in [0.51, 0.1] {
            same_distribution_of_choices(&dts::DtsConfig { variant, alpha }, ReferenceDoubleThompson::new);
            same_distribution_of_choices(&dts::DtsPlusConfig { variant, alpha }, ReferenceDoubleThompson::new);
        }
    }
    same_distribution_of_choices(&rts::RtsConfig {}, ReferenceDoubleThompson::rts);
    let three = crate::common::certain(3);
    same_distribution_of_first_choices(&dts::DtsPlusConfig::default(), ReferenceDoubleThompson::new, &three, 3);
}

#[test]
fn double_thompson_stretches_alone_are_as_long() {
    let variant = dts::Variant::Paper;
    for steps in [[3, 4, 5, 6, 7], [8, 15, 16, 17, 30], [10, 20, 30, 40, 50]] {
        for alpha in [0.51, 0.1] {
            let config = dts::DtsConfig { variant, alpha };
            same_distribution_of_runs(&config, ReferenceDoubleThompson::new, &three_arms(), &steps);
        }
        let config = dts::DtsPlusConfig { variant, alpha: 0.3 };
        same_distribution_of_runs(&config, ReferenceDoubleThompson::new, &three_arms(), &steps);
        same_distribution_of_runs(&rts::RtsConfig {}, ReferenceDoubleThompson::rts, &three_arms(), &steps);
    }
}

#[test]
fn sliding_dts_forgets_and_stays_alone_alike() {
    for (alpha, window, steps) in [
        (0.51, 1_000, [3, 4, 5, 6, 7]),
        (0.51, 12, [12, 13, 14, 20, 60]),
        (0.1, 6, [6, 7, 8, 9, 40]),
        (0.1, 30, [30, 31, 35, 60, 90]),
    ] {
        let config = SlidingDtsConfig { alpha, window };
        same_distribution_of_runs(&config, ReferenceForgetfulDts::sliding, &three_arms(), &steps);
        // One window that is shorter than the twelve arms' opening would be, and one that is longer.
        if [12, 30].contains(&window) {
            same_distribution_of_runs(&config, ReferenceForgetfulDts::sliding, &twelve_arms(), &steps);
        }
    }
    same_distribution_of_choices(&SlidingDtsConfig { alpha: 0.51, window: 1_000 }, ReferenceForgetfulDts::sliding);
}

/// Memories so short that bounds of chances are renewed several times and are far apart in between.
#[test]
fn discounted_dts_draws_alike() {
    for (alpha, memory, steps) in [
        (0.51, 1_000.0, [3, 4, 5, 6, 7]),
        (0.51, 12.0, [12, 21, 22, 43, 60]),
        (0.1, 2.0, [3, 6, 7, 9, 40]),
        (0.1, 30.0, [10, 31, 35, 60, 90]),
    ] {
        let config = DiscountedDtsConfig { alpha, memory };
        same_distribution_of_runs(&config, ReferenceForgetfulDts::discounted, &three_arms(), &steps);
        if memory > 10.0 && memory < 100.0 {
            same_distribution_of_runs(&config, ReferenceForgetfulDts::discounted, &twelve_arms(), &steps);
        }
    }
}

/// Enough arms for those behind to be decided together.
fn twelve_arms() -> PreferenceMatrix {
    PreferenceMatrix::from_upper(12, |i, j| 0.55 + 0.03 * f64::from(j.0 - i.0)).expect("valid")
}

#[test]
fn self_sparring_draws_the_same_pairs() {
    for eta in [1.0, 4.0] {
        let config = self_sparring::SelfSparringConfig { picks: 2, eta };
        same_distribution_of_choices(&config, ReferenceSelfSparring::new);
        same_distribution_of_runs(&config, ReferenceSelfSparring::new, &three_arms(), &[1, 2, 5, 16, 40]);
        same_distribution_of_runs(&config, ReferenceSelfSparring::new, &twelve_arms(), &[40, 80, 120]);
    }
}

#[test]
fn bradley_terry_draws_the_same_challengers() {
    // The model almost always alone, and in turn with the guard.
    for (prior, eta, guard) in [(Some(1.0), 2.0, 0.02), (None, 1.0, 0.3)] {
        let config = bradley_terry::BradleyTerryConfig { prior, eta, guard };
        same_distribution_of_choices(&config, ReferenceBradleyTerry::new);
        same_distribution_of_runs(&config, ReferenceBradleyTerry::new, &three_arms(), &[1, 2, 5, 16, 40]);
        same_distribution_of_runs(&config, ReferenceBradleyTerry::new, &twelve_arms(), &[40, 80, 120]);
    }
}

#[test]
fn merge_dts_draws_the_same_pairs_and_drops_the_same_arms() {
    use merge_dts::Variant::{Authors, Paper};
    for variant in [Paper, Authors] {
        // Narrow bounds, so that arms fall, join other batches and merge within a few steps.
        for (arms, alpha, batch, c, steps) in [
            (3, 0.2, 3, 10.0, [1, 2, 3, 4, 30]),
            (5, 0.1, 2, 2.0, [6, 12, 18, 24, 30]),
            (7, 0.1, 4, 2.0, [20, 26, 33, 39, 45]),
            (9, 0.15, 2, 4.0, [30, 40, 50, 60, 70]),
        ] {
            let config = merge_dts::MergeDtsConfig { variant, alpha, batch, c: Some(c), delta: 0.01 };
            let matrix = PreferenceMatrix::from_upper(arms, |i, j| 0.6 + 0.2 * f64::from(j.0 - i.0) / arms as f64);
            let matrix = matrix.expect("a matrix");
            same_distribution_of_runs(&config, ReferenceMergeDts::new, &matrix, &steps);
        }
    }
}
