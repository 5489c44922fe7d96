//! Every shortcut is compared with the plain rule: for the same draws the same choices, step by step.

use bandits::policies::changing::dts::SlidingDtsConfig;
use bandits::policies::identification::parwis::ParwisConfig;
use bandits::policies::{dts, mdb, merge_rucb, rmed1, rucb};
use bandits::reference::{ReferenceMdb, ReferenceMergeRucb, ReferenceParwis, ReferenceRmed1, ReferenceRucb};
use bandits::{Policy, PolicyConfig, PreferenceMatrix, problems};

/// Problems with a winner and without, certain and even, small and of more than one word of bits.
fn matrices() -> Vec<(&'static str, PreferenceMatrix, u64)> {
    vec![
        ("arithmetic", problems::arithmetic(8).expect("eight arms"), 20_000),
        ("small gaps", crate::common::small_gaps(), 20_000),
        ("cyclic", problems::cyclic().expect("four arms"), 20_000),
        ("cycle", crate::common::cycle(), 20_000),
        ("two arms", crate::common::two_arms(), 20_000),
        ("even", crate::common::all_even(5), 20_000),
        ("certain", crate::common::certain(9), 20_000),
        ("one arm", crate::common::all_even(1), 100),
        ("ladder", crate::common::ladder(70), 3_000),
    ]
}

fn same_choices<A: PolicyConfig, P: Policy>(algorithm: &A, plain: impl Fn(&A, usize) -> P) {
    same_choices_until(u64::MAX, algorithm, plain);
}

/// With shorter runs where the plain form is slow.
fn same_choices_until<A: PolicyConfig, P: Policy>(most: u64, algorithm: &A, plain: impl Fn(&A, usize) -> P) {
    for (name, matrix, horizon) in matrices() {
        let horizon = horizon.min(most);
        for seed in 0..2 {
            let arms = matrix.arms();
            let fast = algorithm.policy(arms, Some(horizon)).expect("valid parameters");
            let fast = crate::common::diary(fast, &matrix, horizon, seed);
            let plain = crate::common::diary(plain(algorithm, arms), &matrix, horizon, seed);
            assert_eq!(plain.len() as u64, horizon);
            if let Some(step) = (0..plain.len()).find(|&step| plain[step] != fast[step]) {
                panic!(
                    "{algorithm:?} on `{name}`, seed {seed}, step {}: plain {:?}, fast {:?}",
                    step + 1,
                    plain[step],
                    fast[step]
                );
            }
        }
    }
}

#[test]
fn rucb() {
    use rucb::Variant::{Arxiv, Icml, Lerot};
    for variant in [Icml, Arxiv, Lerot] {
        for alpha in [0.51, 0.1, 2.0] {
            let config = rucb::RucbConfig { variant, alpha, ..Default::default() };
            same_choices(&config, ReferenceRucb::new);
        }
    }
    same_choices(&rucb::RucbConfig { unseen: 1.0, ..Default::default() }, ReferenceRucb::new);
}

#[test]
fn merge_rucb() {
    use merge_rucb::Variant::{Lerot, Paper};
    for variant in [Paper, Lerot] {
        let config = merge_rucb::MergeRucbConfig { variant, ..Default::default() };
        same_choices(&config, ReferenceMergeRucb::new);
        // Narrow bounds, so that arms do fall and batches merge, and odd sizes of batch.
        for (alpha, batch, c) in [(0.2, 4, 10.0), (0.1, 2, 1.0), (0.15, 5, 100.0), (0.3, 16, 4e5)] {
            let config = merge_rucb::MergeRucbConfig { variant, alpha, batch, c: Some(c), delta: 0.01 };
            same_choices(&config, ReferenceMergeRucb::new);
        }
    }
}

#[test]
fn parwis() {
    same_choices_until(150, &ParwisConfig::default(), |_, arms| ReferenceParwis::new(arms));
}

#[test]
fn rmed1() {
    same_choices(&rmed1::Rmed1Config::default(), ReferenceRmed1::new);
    same_choices(&rmed1::Rmed1Config { factor: 0.01, power: 1.0 }, ReferenceRmed1::new);
}

#[test]
fn mdb() {
    for (alpha, beta) in [(0.5, 1.5), (0.2, 1.0), (1.0, 4.0)] {
        same_choices(&mdb::MdbConfig { alpha, beta }, ReferenceMdb::new);
    }
}

/// As long as nothing is forgotten.
#[test]
fn sliding_dts_is_dts() {
    for alpha in [0.51, 0.1, 2.0] {
        let plain = |config: &SlidingDtsConfig, arms: usize| {
            let config = dts::DtsConfig { alpha: config.alpha, ..Default::default() };
            config.policy(arms, None).expect("valid parameters")
        };
        same_choices(&SlidingDtsConfig { alpha, window: 1_000_000 }, plain);
    }
}
