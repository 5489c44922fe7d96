//! Test and interval are one construction: they agree in every table, hold at all looks together, and are narrow.

use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus as Generator;
use statistics::Counts;
use statistics::anytime::{EProcess, Prior, ShareSequence, TestState, share_interval};

fn uniform(generator: &mut Generator) -> f64 {
    (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// A table of up to 10^5 units, small ones as often as large ones, most of them with a share near one half.
fn table(generator: &mut Generator) -> Counts {
    let units = libm::pow(10.0, 5.0 * uniform(generator));
    let away = if uniform(generator) < 0.3 { 0.5 } else { 4.0 / units.sqrt() };
    let share = (0.5 + away * (2.0 * uniform(generator) - 1.0)).clamp(0.0, 1.0);
    let wins = (units * share).round() as u64;
    Counts::new(wins, (units.round() as u64).saturating_sub(wins), 0)
}

#[test]
fn test_and_interval_agree_in_a_hundred_thousand_tables() {
    let mut generator = Generator::seed_from_u64(1);
    let mut decided = 0;
    for number in 0..100_000 {
        let counts = table(&mut generator);
        let alpha = [0.05, 0.01, 0.05 / 45.0][number % 3];
        let (low, high) = share_interval(counts, alpha).unwrap();
        let mut test = statistics::anytime::PairTest::new(alpha).unwrap();
        let expected = if low >= 0.5 {
            TestState::FirstWins
        } else if high <= 0.5 {
            TestState::SecondWins
        } else {
            TestState::Open
        };
        assert_eq!(test.look_at(counts), expected, "{counts:?} {alpha}: {low} to {high}");
        let share = counts.share().unwrap_or(0.5);
        assert!(low <= share && share <= high && low < high, "{counts:?} {alpha}: {low} to {high}");
        decided += u32::from(expected != TestState::Open);
    }
    assert!((20_000..80_000).contains(&decided), "both happen: {decided}");
}

#[test]
fn the_bound_is_where_the_test_stops_rejecting() {
    let mut generator = Generator::seed_from_u64(2);
    for _ in 0..3_000 {
        let Counts { wins, losses, .. } = table(&mut generator);
        let threshold = libm::log(40.0);
        let (low, _) = share_interval(Counts::new(wins, losses, 0), 0.05).unwrap();
        let excess = |share: f64| EProcess::against(share).unwrap().ln(wins, losses) - threshold;
        // In logits, because bounds may be close to 0 or 1.
        let moved = |by: f64| low / (low + (1.0 - low) * libm::exp(-by));
        if low > 0.0 {
            assert!(excess(moved(-1e-5)) > 0.0 && excess(moved(1e-5)) < 0.0, "{wins} {losses}: {low}");
        } else {
            assert!(wins == 0 || excess(1e-9) < 0.0, "{wins} {losses}");
        }
    }
}

#[test]
fn the_evidence_falls_as_the_share_rises_to_the_one_observed() {
    let mut generator = Generator::seed_from_u64(3);
    for _ in 0..2_000 {
        let counts = table(&mut generator);
        let Some(observed) = counts.share() else { continue };
        let mut last = f64::INFINITY;
        for step in 1..60 {
            let share = observed * f64::from(step) / 60.0;
            if !(share > 0.0 && share < 1.0) {
                continue;
            }
            let now = EProcess::against(share).unwrap().ln(counts.wins, counts.losses);
            assert!(now <= last + 1e-9 * last.abs().max(1.0), "{counts:?} {share}: {now} after {last}");
            last = now;
        }
    }
}

#[test]
fn looks_intersect_and_the_order_of_sides_does_not_matter() {
    let mut generator = Generator::seed_from_u64(4);
    for _ in 0..300 {
        let (mut counts, mut low, mut high) = (Counts::default(), 0.0_f64, 1.0_f64);
        let [mut there, mut back] = [0.05, 0.05].map(|alpha| ShareSequence::new(alpha).unwrap());
        // Some drift, so that intervals become empty.
        let by_day = 0.04 * uniform(&mut generator);
        for day in 0..15 {
            let share = 0.7 - by_day * f64::from(day);
            (0..80).for_each(|_| {
                *(if uniform(&mut generator) < share { &mut counts.wins } else { &mut counts.losses }) += 1
            });
            there.look_at(counts);
            back.look_at(counts.swapped());
            let of_look = share_interval(counts, 0.05).unwrap();
            (low, high) = (low.max(of_look.0), high.min(of_look.1));
            let [found_low, found_high] = there.ends();
            assert!((found_low - low).abs() < 1e-7 && (found_high - high).abs() < 1e-7, "{counts:?}");
            assert_eq!(there.interval().is_none(), found_low >= found_high);
            let mirrored = back.ends();
            assert!((mirrored[0] + found_high - 1.0).abs() < 1e-15 && (mirrored[1] + found_low - 1.0).abs() < 1e-15);
            assert_eq!(there.drifts(), back.drifts());
            assert_eq!(there.test().verdict() == TestState::FirstWins, back.test().verdict() == TestState::SecondWins);
        }
    }
}

/// The interval of before: a uniform prior for every share, while the test of one half had Beta(20, 20).
fn with_uniform_prior(counts: Counts, alpha: f64) -> (f64, f64) {
    let lower = |counts: Counts| {
        let observed = counts.share().unwrap_or(0.0);
        let (mut rejected, mut kept) = (0.0, observed);
        for _ in 0..50 {
            let share = 0.5 * (rejected + kept);
            if !(share > 0.0 && share < 1.0) {
                break;
            }
            let evidence = EProcess::with_prior(share, Prior { a: 1.0, b: 1.0 }).unwrap();
            *(if evidence.ln(counts.wins, counts.losses) >= libm::log(2.0 / alpha) {
                &mut rejected
            } else {
                &mut kept
            }) = share;
        }
        rejected
    };
    (lower(counts), 1.0 - lower(counts.swapped()))
}

/// The page with the table.
const PUBLISHED: &str = include_str!("../../../../docs/pages/trust.md");

#[test]
#[expect(clippy::print_stdout, reason = "prints what is published, with --nocapture")]
fn widths_are_those_that_are_published() {
    println!(
        "| units | share | one pair, before | one pair | 45 pairs, before | 45 pairs |\n|---|---|---|---|---|---|"
    );
    let mut missing = Vec::new();
    for units in [20_u64, 50, 100, 200, 500, 1_000, 10_000, 100_000] {
        for share in [0.55, 0.7, 0.9] {
            let wins = (units as f64 * share).round() as u64;
            let counts = Counts::new(wins, units - wins, 0);
            let width = |(low, high): (f64, f64)| high - low;
            let [one, many] = [0.05, 0.05 / 45.0]
                .map(|alpha| [width(with_uniform_prior(counts, alpha)), width(share_interval(counts, alpha).unwrap())]);
            let row =
                format!("| {units} | {share} | {:.3} | {:.3} | {:.3} | {:.3} |", one[0], one[1], many[0], many[1]);
            println!("{row}");
            missing.extend((!PUBLISHED.contains(&row)).then_some(row));
        }
    }
    assert!(missing.is_empty(), "docs/pages/trust.md has other rows: {missing:?}");
}

#[test]
fn sequences_hold_and_rarely_suspect_drift() {
    const RUNS: u32 = 2_000;
    let mut generator = Generator::seed_from_u64(5);
    for share in [0.5, 0.55, 0.8] {
        let (mut missed, mut drifts) = (0_u32, 0_u32);
        for _ in 0..RUNS {
            let mut shares = ShareSequence::new(0.05).unwrap();
            let mut counts = Counts::default();
            let (mut is_missed, mut is_suspected) = (false, false);
            for _ in 0..30 {
                (0..50).for_each(|_| {
                    *(if uniform(&mut generator) < share { &mut counts.wins } else { &mut counts.losses }) += 1
                });
                shares.look_at(counts);
                is_missed |= shares.interval().is_none_or(|(low, high)| share <= low || high <= share);
                is_suspected |= shares.drifts();
            }
            missed += u32::from(is_missed);
            drifts += u32::from(is_suspected);
        }
        // The level and three standard errors.
        let allowed = 0.05 * f64::from(RUNS) + 3.0 * (0.05 * 0.95 * f64::from(RUNS)).sqrt();
        assert!(f64::from(missed) <= allowed && f64::from(drifts) <= allowed, "{share}: {missed}, {drifts} of {RUNS}");
    }
}
