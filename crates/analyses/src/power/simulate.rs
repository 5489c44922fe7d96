//! Plays the sequential test of a pair many times, to see when it decides.

use bandits::Generator;
use interleave::{AnyInterleaving, Interleaving, Preference};
use output::progress::Progress;
use rand::Rng as _;
use rayon::prelude::*;
use serde::Serialize;
use simulation::seed;
use simulation::site::{ImpressionRandomness, Site};
use statistics::StatisticsError;
use statistics::anytime::{Crossing, EProcess};

use super::{Goal, Impressions, Shares};

/// When simulated tests decided.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SimulatedTests {
    /// The tests played.
    pub tests: u64,
    /// The impressions of those that decided for the better ranker.
    pub impressions: Impressions,
    /// Tests that decided for the other ranker.
    pub wrong: u64,
    /// Tests that had not decided when they were given up.
    pub undecided: u64,
    /// The impressions after which a test is given up.
    pub limit: u64,
}

/// How one test ended: the impressions, and whether it decided for the better ranker.
type TestEnd = (u64, Option<bool>);

/// The number of tests to play, and the limit of each.
#[derive(Debug, Clone, Copy)]
pub struct TestPlan {
    /// Their number.
    pub count: u64,
    /// Impressions after which one ends undecided.
    pub limit: u64,
}

/// Plays `tests` tests with outcomes drawn by their `shares`. Each is given up after its limit. `label` is part of the
/// seeds.
///
/// # Errors
/// If the confidence is not a probability.
pub fn play_by_shares(
    shares: &Shares,
    goal: &Goal,
    tests: TestPlan,
    (master, label): (u64, &str),
    progress: &Progress,
) -> Result<SimulatedTests, StatisticsError> {
    let up_to = |probability: f64| (probability * 2_f64.powi(64)) as u64;
    let (win, decided) = (up_to(shares.wins), up_to(shares.wins + shares.losses));
    let cell = format!("power of shares {label}");
    let outcomes_of_test = |test: u64| {
        let mut generator = seed::generator(master, &cell, test, "outcomes");
        move || match generator.next_u64() {
            draw if draw < win => Preference::First,
            draw if draw < decided => Preference::Second,
            _ => Preference::Tie,
        }
    };
    play(outcomes_of_test, goal, tests, progress)
}

/// Plays `tests` tests with impressions of `site`, in which `method` mixes the lists of `pair`, the better ranker first.
///
/// # Errors
/// If the confidence is not a probability.
pub fn play_on_site(
    (site, method): (&Site, &AnyInterleaving),
    pair: [usize; 2],
    goal: &Goal,
    tests: TestPlan,
    master: u64,
    progress: &Progress,
) -> Result<SimulatedTests, StatisticsError> {
    let outcomes_of_test = |test: u64| {
        let stream = |purpose: &str| seed::generator(master, "power on a site", test, purpose);
        let (mut lists, mut users): (Generator, Generator) = (stream("lists"), stream("users"));
        let mut scratch = <AnyInterleaving as Interleaving>::Scratch::default();
        move || {
            let query = site.draw_query(&mut lists);
            let randomness = ImpressionRandomness { lists: &mut lists, users: &mut users };
            site.interleave(method, query, pair, randomness, &mut scratch)
        }
    };
    play(outcomes_of_test, goal, tests, progress)
}

fn play<D: FnMut() -> Preference>(
    test: impl Fn(u64) -> D + Sync,
    goal: &Goal,
    TestPlan { count, limit }: TestPlan,
    progress: &Progress,
) -> Result<SimulatedTests, StatisticsError> {
    // As `PairTest`: half of the level for each side.
    let crossing = Crossing::new(EProcess::against(0.5)?, 2.0 / (1.0 - goal.confidence));
    let play_test = |number| {
        let end = until_decided(&crossing, limit, test(number));
        progress.advance(1);
        end
    };
    let ends: Vec<TestEnd> = (0..count).collect::<Vec<u64>>().into_par_iter().with_max_len(1).map(play_test).collect();
    Ok(summarise(&ends, goal, limit))
}

/// Looks after every impression.
fn until_decided(crossing: &Crossing, limit: u64, mut next: impl FnMut() -> Preference) -> TestEnd {
    let (mut wins, mut losses) = (0, 0);
    let (mut next_win, mut next_loss) = (Crossing::FIRST_LOOK, Crossing::FIRST_LOOK);
    for impression in 1..=limit {
        match next() {
            Preference::First => {
                wins += 1;
                if crossing.is_reached(wins, losses, &mut next_win) {
                    return (impression, Some(true));
                }
            }
            Preference::Second => {
                losses += 1;
                if crossing.is_reached(losses, wins, &mut next_loss) {
                    return (impression, Some(false));
                }
            }
            Preference::Tie => {}
        }
    }
    (limit, None)
}

fn summarise(ends: &[TestEnd], goal: &Goal, limit: u64) -> SimulatedTests {
    let count = |side| ends.iter().filter(|(_, decided)| *decided == side).count() as u64;
    let mut times_of_right: Vec<u64> =
        ends.iter().filter(|(_, decided)| *decided == Some(true)).map(|(impressions, _)| *impressions).collect();
    times_of_right.sort_unstable();
    // The others count as later than all.
    let quantile = |power: f64| {
        let rank = (power * ends.len() as f64).ceil() as usize;
        times_of_right.get(rank.max(1) - 1).map(|&impressions| impressions as f64)
    };
    let mean = times_of_right.iter().sum::<u64>() as f64 / times_of_right.len() as f64;
    SimulatedTests {
        tests: ends.len() as u64,
        impressions: Impressions {
            by_power: goal.powers.iter().map(|&power| quantile(power)).collect(),
            mean: (!times_of_right.is_empty()).then_some(mean),
        },
        wrong: count(Some(false)),
        undecided: count(None),
        limit,
    }
}

#[cfg(test)]
mod tests {
    use statistics::anytime::{PairTest, TestState};

    use super::*;

    fn goal() -> Goal {
        Goal { confidence: 0.9, powers: vec![0.5, 0.8] }
    }

    #[test]
    fn a_test_ends_where_a_pair_test_decides() {
        let crossing = Crossing::new(EProcess::against(0.5).unwrap(), 20.0);
        for seed in 0..20 {
            let outcomes = |mut generator: Generator| {
                move || {
                    [Preference::First, Preference::First, Preference::Second, Preference::Tie]
                        [(generator.next_u64() >> 62) as usize]
                }
            };
            let stream = || outcomes(seed::generator(seed, "test", 0, "outcomes"));
            let (impressions, decided) = until_decided(&crossing, 100_000, stream());
            let mut test = PairTest::new(0.1).unwrap();
            let mut draw = stream();
            let slow = (1..).find(|_| test.record(draw()) != TestState::Open).unwrap();
            assert_eq!((impressions, decided), (slow, Some(test.verdict() == TestState::FirstWins)));
        }
    }

    #[test]
    fn quantiles_count_all_tests() {
        let ends = [(10, Some(true)), (30, Some(true)), (20, Some(false)), (99, None)];
        let found = summarise(&ends, &goal(), 99);
        assert_eq!((found.wrong, found.undecided, found.impressions.mean), (1, 1, Some(20.0)));
        assert_eq!(found.impressions.by_power, [Some(30.0), None]);
        assert_eq!(summarise(&[], &goal(), 9).impressions.mean, None);
    }

    #[test]
    fn simulated_impressions_are_as_predicted() {
        // Within three standard errors of the median, for which a tenth of it is more than enough at 1,000 tests.
        for (margin, ties) in [(0.02, 0.6), (0.05, 0.0), (0.03, 0.9)] {
            let shares = Shares::of_margin(margin, ties).unwrap();
            let predicted = Impressions::of_anytime_test(&shares, &goal()).unwrap();
            let found = play_by_shares(
                &shares,
                &goal(),
                TestPlan { count: 1_000, limit: 10_000_000 },
                (1, "test"),
                &Progress::hidden(),
            )
            .unwrap();
            assert_eq!(found.undecided, 0);
            for (found, predicted) in found.impressions.by_power.iter().zip(&predicted.by_power) {
                let (found, predicted) = (found.unwrap(), predicted.unwrap());
                assert!((found / predicted - 1.0).abs() < 0.1, "{margin} {ties}: {found} {predicted}");
            }
            assert!((found.impressions.mean.unwrap() / predicted.mean.unwrap() - 1.0).abs() < 0.1, "{margin} {ties}");
        }
    }
}
