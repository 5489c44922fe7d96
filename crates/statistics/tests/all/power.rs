//! Predicted and simulated numbers of units until a decision.

use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus as Generator;
use statistics::Counts;
use statistics::anytime::{PairTest, TestState};
use statistics::power::StoppingTime;
use statistics::power::horizon::{BoundedTest, BoundedTime};

/// The units after which the test decides for the better side; the most there are if it decides for the other.
fn simulated(share: f64, generator: &mut Generator) -> u64 {
    let mut test = PairTest::new(0.05).unwrap();
    let mut counts = Counts::default();
    let limit = (share * 2_f64.powi(53)) as u64;
    loop {
        if generator.next_u64() >> 11 < limit {
            counts.wins += 1;
        } else {
            counts.losses += 1;
        }
        // A look after every unit, later after every half percent of them.
        let units = counts.decided();
        if units.is_multiple_of(1 + units / 200) {
            match test.look_at(counts) {
                TestState::Open => {}
                TestState::FirstWins => return units,
                TestState::SecondWins => return u64::MAX,
            }
        }
    }
}

#[test]
fn predicted_medians_and_means_are_those_of_simulations() {
    for (seed, share, runs) in [(1, 0.52, 200), (2, 0.53, 400), (3, 0.55, 800), (4, 0.6, 1_500), (5, 0.7, 2_000)] {
        let mut generator = Generator::seed_from_u64(seed);
        let mut units: Vec<u64> = (0..runs).map(|_| simulated(share, &mut generator)).collect();
        units.sort_unstable();
        let predicted = StoppingTime::new(share, 0.05).unwrap();
        let median = units[runs / 2] as f64;
        units.retain(|&units| units < u64::MAX);
        let mean = units.iter().sum::<u64>() as f64 / units.len() as f64;
        let deviation = (units.iter().map(|&n| (n as f64 - mean).powi(2)).sum::<f64>() / runs as f64).sqrt();
        // Three standard errors of the simulated mean (of a median about 1.25 times as much), and the claim of 10%.
        let error = 3.0 * deviation / (runs as f64).sqrt();
        let close = |found: f64, simulated: f64, error: f64| (found - simulated).abs() <= error.min(0.1 * simulated);
        assert!(close(predicted.mean(), mean, error), "{share}: mean {} and {mean} ± {error}", predicted.mean());
        let found = predicted.quantile(0.5).unwrap();
        assert!(close(found, median, 1.25 * error + 1.0), "{share}: median {found} and {median} ± {error}");
    }
}

/// The units after which a test with a horizon decides, with a look after every unit, and for which side.
fn ended(test: &BoundedTest, share: f64, generator: &mut Generator) -> Option<(u64, TestState)> {
    let limit = (share * 2_f64.powi(53)) as u64;
    let mut counts = Counts::default();
    (1..=test.units()).find_map(|unit| {
        *(if generator.next_u64() >> 11 < limit { &mut counts.wins } else { &mut counts.losses }) += 1;
        let verdict = test.decide(counts);
        (verdict != TestState::Open).then_some((unit, verdict))
    })
}

#[test]
fn tests_with_a_horizon_keep_their_level_at_every_look() {
    for (seed, units, alpha, runs) in [(11, 200, 0.1, 20_000), (12, 3_000, 0.05, 8_000), (13, 40_000, 0.05, 1_500)] {
        for (test, exact) in
            [(BoundedTest::max_sprt(units, alpha).unwrap(), true), (BoundedTest::yeast(units, alpha).unwrap(), false)]
        {
            let mut generator = Generator::seed_from_u64(seed);
            let alarms = (0..runs).filter(|_| ended(&test, 0.5, &mut generator).is_some()).count() as f64 / runs as f64;
            let error = 4.0 * (alpha * (1.0 - alpha) / runs as f64).sqrt();
            assert!(alarms <= alpha + error, "{test:?}: {alarms}");
            // The computed rate agrees with the simulation, and MaxSPRT spends its level.
            assert!((test.false_alarms() - alarms).abs() < error, "{test:?}: {} {alarms}", test.false_alarms());
            assert!(!exact || alarms >= alpha - error - 0.005, "{test:?}: {alarms}");
        }
    }
}

#[test]
fn tests_with_a_horizon_decide_when_predicted() {
    let (units, runs) = (20_000, 2_000);
    for test in [BoundedTest::max_sprt(units, 0.05).unwrap(), BoundedTest::yeast(units, 0.05).unwrap()] {
        let mut generator = Generator::seed_from_u64(21);
        let mut found: Vec<u64> = (0..runs)
            .filter_map(|_| ended(&test, 0.515, &mut generator))
            .filter_map(|(unit, verdict)| (verdict == TestState::FirstWins).then_some(unit))
            .collect();
        found.sort_unstable();
        let time = BoundedTime::new(&test, 0.515).unwrap();
        let power = found.len() as f64 / runs as f64;
        let error = 4.0 * (0.25 / runs as f64).sqrt();
        assert!((time.power(units as f64) - power).abs() < error, "{test:?}: {} {power}", time.power(units as f64));
        let median = found[runs / 2] as f64;
        assert!(
            (time.quantile(0.5).unwrap() / median - 1.0).abs() < 0.1,
            "{test:?}: {:?} {median}",
            time.quantile(0.5)
        );
    }
}
