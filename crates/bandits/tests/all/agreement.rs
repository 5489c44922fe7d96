//! As `shortcuts.rs`: fast versions are compared with the plain rule, step by step.

use bandits::policies::merge_rucb::{self, parallel};
use bandits::policies::{ccb, rmed2};
use bandits::reference::{ReferenceCcb, ReferenceMergeRucbParallel, ReferenceRmed2};
use bandits::{Policy, PolicyConfig, PreferenceMatrix, problems};

/// Problems with a winner and without, certain and even.
fn matrices() -> Vec<(&'static str, PreferenceMatrix, u64)> {
    vec![
        ("arithmetic", problems::arithmetic(8).expect("eight arms"), 6_000),
        ("small gaps", crate::common::small_gaps(), 20_000),
        ("cyclic", problems::cyclic().expect("four arms"), 6_000),
        ("cycle", crate::common::cycle(), 6_000),
        ("two arms", crate::common::two_arms(), 6_000),
        ("even", crate::common::all_even(5), 6_000),
        ("certain", crate::common::certain(9), 6_000),
        ("one arm", crate::common::all_even(1), 100),
        ("ladder", crate::common::ladder(40), 6_000),
    ]
}

fn same_choices<A: Policy, P: Policy>(what: &str, fast: impl Fn(usize, u64) -> A, plain: impl Fn(usize, u64) -> P) {
    for (name, matrix, horizon) in matrices() {
        for seed in 0..2 {
            let arms = matrix.arms();
            let fast = crate::common::diary(fast(arms, horizon), &matrix, horizon, seed);
            let plain = crate::common::diary(plain(arms, horizon), &matrix, horizon, seed);
            assert_eq!(plain.len() as u64, horizon);
            if let Some(step) = (0..plain.len()).find(|&step| plain[step] != fast[step]) {
                panic!(
                    "{what} on `{name}`, seed {seed}, step {}: plain {:?}, fast {:?}",
                    step + 1,
                    plain[step],
                    fast[step]
                );
            }
        }
    }
}

#[test]
fn rmed2() {
    for variant in [rmed2::Variant::Paper, rmed2::Variant::Komiyama] {
        let config = rmed2::Rmed2Config { variant, ..Default::default() };
        same_choices(
            "rmed2",
            |arms, horizon| config.policy(arms, Some(horizon)).expect("valid"),
            |arms, _| ReferenceRmed2::new(config.reference_rule(arms), arms, None),
        );
    }
}

#[test]
fn rmed2fh() {
    for variant in [rmed2::Variant::Paper, rmed2::Variant::Komiyama] {
        let config = rmed2::Rmed2FhConfig { variant, ..Default::default() };
        same_choices(
            "rmed2fh",
            |arms, horizon| config.policy(arms, Some(horizon)).expect("valid"),
            |arms, horizon| ReferenceRmed2::new(config.reference_rule(arms), arms, Some(horizon)),
        );
    }
}

#[test]
fn ccb() {
    for alpha in [0.51, 0.2, 2.0] {
        let config = ccb::CcbConfig { alpha };
        same_choices(
            "ccb",
            |arms, horizon| config.policy(arms, Some(horizon)).expect("valid"),
            |arms, _| ReferenceCcb::new(alpha, arms),
        );
    }
}

#[test]
fn merge_rucb_parallel() {
    use merge_rucb::Variant::{Lerot, Paper};
    for variant in [Paper, Lerot] {
        for (alpha, batch, c) in [(1.01, 4, 5e4), (0.2, 4, 10.0), (0.1, 2, 1.0), (0.15, 5, 100.0), (0.3, 16, 4e5)] {
            let config = merge_rucb::MergeRucbConfig { variant, alpha, batch, c: Some(c), delta: 0.01 };
            let merge_rucb::MergeRucbConfig { variant, alpha, batch, delta, c } = config.clone();
            let fast = parallel::MergeRucbParallelConfig { variant, alpha, batch, delta, c };
            same_choices(
                &format!("{config:?}"),
                |arms, horizon| fast.policy(arms, Some(horizon)).expect("valid"),
                |arms, _| ReferenceMergeRucbParallel::new(&config, arms),
            );
        }
    }
}
