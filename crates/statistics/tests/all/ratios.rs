//! How often the interval of a difference in clicks per impression misses it, at any of many looks, in worlds of clicks: units are
//! users, amounts the clicks that one of two rankers got more, sizes the impressions.

use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus as Generator;
use statistics::anytime::{RatioSequence, RatioSums};

const EXPERIMENTS: usize = 1_000;
const ALPHA: f64 = 0.05;
const CAP: f64 = 5.0;
/// Looks, and users between two of them.
const LOOKS: usize = 300;
const USERS: usize = 40;

/// The nominal level and two standard errors.
fn allowed() -> f64 {
    ALPHA + 2.0 * (ALPHA * (1.0 - ALPHA) / EXPERIMENTS as f64).sqrt()
}

fn uniform(generator: &mut Generator) -> f64 {
    (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// How many of `trials` succeed.
fn binomial(trials: u32, chance: f64, generator: &mut Generator) -> u32 {
    (0..trials).filter(|_| uniform(generator) < chance).count() as u32
}

fn capped(more: f64) -> f64 {
    more.clamp(-CAP, CAP)
}

/// The outcomes of all experiments of a world, as shares.
#[derive(Debug)]
struct Found {
    /// The truth is outside of some interval.
    misses: f64,
    /// A look rejects it, whether or not there are enough users for an interval.
    rejects: f64,
    /// A look at the interval for one look does not contain it, once there are enough users.
    naive: f64,
    /// There is an interval in the end.
    known: f64,
}

/// Plays experiments with these users, in which the difference is `truth`.
fn missed(seed: u64, truth: f64, mut user: impl FnMut(&mut Generator) -> (f64, f64)) -> Found {
    let mut generator = Generator::seed_from_u64(seed);
    let sequence = RatioSequence::new(CAP, ALPHA).unwrap();
    let mut counts = [0_u32; 4];
    for _ in 0..EXPERIMENTS {
        let mut sums = RatioSums::default();
        let [mut misses, mut rejects, mut naive] = [false; 3];
        for _ in 0..LOOKS {
            for _ in 0..USERS {
                let (amount, size) = user(&mut generator);
                sums.record(amount, size);
            }
            let is_rejected = sequence.rejects(&sums, truth);
            rejects |= is_rejected;
            // An interval ends where rejection begins: a test of its own.
            let has_interval = sequence.progress(&sums) >= 1.0;
            misses |= is_rejected && has_interval;
            let squares = sums.amount_squares - 2.0 * truth * sums.products + truth * truth * sums.size_squares;
            naive |= has_interval && (sums.amounts - truth * sums.sizes).abs() > 1.959_964 * squares.sqrt();
        }
        let is_known = sequence.interval(&sums).is_some();
        counts.iter_mut().zip([misses, rejects, naive, is_known]).for_each(|(count, is)| *count += u32::from(is));
    }
    let [misses, rejects, naive, known] = counts.map(|count| f64::from(count) / EXPERIMENTS as f64);
    Found { misses, rejects, naive, known }
}

/// Clicks of two rankers with equally clicked documents.
fn alike(impressions: u32, chance: f64, generator: &mut Generator) -> (f64, f64) {
    let clicks = binomial(impressions, chance, generator);
    let first = binomial(clicks, 0.5, generator);
    (capped(2.0 * f64::from(first) - f64::from(clicks)), f64::from(impressions))
}

fn check(world: &str, found: &Found, least_known: f64) {
    assert!(found.misses <= allowed() && found.known >= least_known, "{world}: {found:?}");
    // The boundary does not need the wait: it was made for amounts up to the cap.
    assert!(found.misses <= found.rejects && found.rejects <= allowed(), "{world}: {found:?}");
}

#[test]
fn equal_rankers_and_equal_users() {
    let found = missed(1, 0.0, |generator| alike(2, 0.3, generator));
    check("equal", &found, 1.0);
    // A sequence that never misses would be too wide to be of use, and looking again and again at one for a single look goes wrong.
    assert!(found.misses > 0.002 && found.naive > 0.2, "{found:?}");
}

#[test]
fn unequal_users() {
    // A user prefers one ranker throughout, and some search much more than others.
    let found = missed(2, 0.0, |generator| {
        let impressions = if uniform(generator) < 0.1 { 20 } else { 1 };
        let taste = if uniform(generator) < 0.5 { 0.9 } else { 0.1 };
        let clicks = binomial(impressions, 0.4, generator);
        let first = binomial(clicks, taste, generator);
        (capped(2.0 * f64::from(first) - f64::from(clicks)), f64::from(impressions))
    });
    check("tastes", &found, 1.0);
}

#[test]
fn heavy_tails() {
    // Impressions of a user: more than n with a probability of n^-1.1. Their mean is finite, their variance is not.
    let found = missed(3, 0.0, |generator| {
        let impressions = (libm::pow(uniform(generator).max(1e-9), -1.0 / 1.1) as u32).min(20_000);
        let taste = if uniform(generator) < 0.5 { 0.7 } else { 0.3 };
        let clicks = binomial(impressions.min(200), 0.2, generator);
        let first = binomial(clicks, taste, generator);
        (capped(2.0 * f64::from(first) - f64::from(clicks)), f64::from(impressions))
    });
    check("heavy tails", &found, 0.2);
}

#[test]
fn rare_clicks() {
    check("rare", &missed(4, 0.0, |generator| alike(1, 0.01, generator)), 0.0);
    check("seldom", &missed(5, 0.0, |generator| alike(3, 0.03, generator)), 1.0);
}

#[test]
fn equal_means_of_unequal_shapes() {
    // One click for one ranker as often as it makes up for five for the other.
    let found = missed(6, 0.0, |generator| {
        let u = uniform(generator);
        (if u < 0.1 { 1.0 } else { f64::from(u8::from(u < 0.12)) * -CAP }, 1.0)
    });
    check("shapes", &found, 1.0);
    let rarer = missed(7, 0.0, |generator| {
        let u = uniform(generator);
        (if u < 0.02 { 1.0 } else { f64::from(u8::from(u < 0.024)) * -CAP }, 1.0)
    });
    check("rarer shapes", &rarer, 0.9);
}

#[test]
fn unequal_rankers_and_users_who_search_more() {
    // Users who search more prefer the first ranker, and all others the second.
    let truth = (0.1 * 5.0 * 0.4 * 0.2 - 0.9 * 0.4 * 0.1) / (0.1 * 5.0 + 0.9);
    let found = missed(8, truth, |generator| {
        let (impressions, taste) = if uniform(generator) < 0.1 { (5, 0.6) } else { (1, 0.45) };
        let clicks = binomial(impressions, 0.4, generator);
        let first = binomial(clicks, taste, generator);
        (2.0 * f64::from(first) - f64::from(clicks), f64::from(impressions))
    });
    check("unequal", &found, 1.0);
    // A wrong difference is rejected.
    let other = missed(8, truth + 0.05, |generator| alike(2, 0.3, generator));
    assert!(other.misses > 0.9, "{other:?}");
}
