//! Algorithms with a horizon that drop arms, compared with the plain rule: for the same draws the
//! same choices, step by step.

use bandits::policies::{btm, interleaved_filter, savage};
use bandits::reference::{ReferenceBtm, ReferenceInterleavedFilter, ReferenceSavage};
use bandits::{Policy, PolicyConfig, PreferenceMatrix, problems};

/// Problems with a winner and without, certain and even, small and of more than one word of bits.
fn matrices() -> Vec<(&'static str, PreferenceMatrix, u64)> {
    vec![
        ("arithmetic", problems::arithmetic(8).expect("eight arms"), 12_000),
        ("cyclic", problems::cyclic().expect("four arms"), 6_000),
        ("cycle", crate::common::cycle(), 4_000),
        ("two arms", crate::common::two_arms(), 2_000),
        ("even", crate::common::all_even(5), 2_000),
        ("certain", crate::common::certain(9), 6_000),
        ("one arm", crate::common::all_even(1), 100),
        ("ladder", crate::common::ladder(20), 3_000),
    ]
}

/// The policy gets a horizon that many times shorter than the real one, so that bounds are
/// narrow enough for arms to fall.
fn same_choices<A: PolicyConfig, P: Policy>(algorithm: &A, plain: impl Fn(&A, usize, u64) -> P) {
    for (name, matrix, horizon) in matrices() {
        for (seed, told) in [(0, horizon), (1, horizon / 100), (2, 1)] {
            let arms = matrix.arms();
            let fast = algorithm.policy(arms, Some(told)).expect("valid parameters");
            let fast = crate::common::diary(fast, &matrix, horizon, seed);
            let plain = crate::common::diary(plain(algorithm, arms, told), &matrix, horizon, seed);
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
fn interleaved_filter() {
    same_choices(&interleaved_filter::If1Config::default(), ReferenceInterleavedFilter::new);
    same_choices(&interleaved_filter::If2Config::default(), ReferenceInterleavedFilter::new);
}

#[test]
fn btm() {
    use btm::{Setting, Variant};
    for variant in [Variant::Paper, Variant::Lerot, Variant::Tight] {
        for (setting, epsilon) in [(Setting::Online, 0.1), (Setting::Pac, 0.9)] {
            let config = btm::BtmConfig { variant, setting, epsilon, ..Default::default() };
            same_choices(&config, ReferenceBtm::new);
        }
    }
}

#[test]
fn savage() {
    for variant in [savage::Variant::Paper, savage::Variant::Lerot] {
        for delta in [None, Some(0.5)] {
            same_choices(&savage::SavageConfig { variant, delta }, ReferenceSavage::new);
        }
    }
}
