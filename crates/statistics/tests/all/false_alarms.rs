//! How often tests find a difference where there is none, by simulation: 2,000 experiments each, looked at 1,000 times.
//! Tests of this crate at a nominal 5% may exceed it by no more than two standard errors; the naive ones do, by far.

use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus as Generator;
use statistics::anytime::{BestArm, PairTest, RunningMean, TestState, share_interval};
use statistics::fixed_sample::sign_test;
use statistics::units::Units;
use statistics::{Counts, Preference};

const EXPERIMENTS: usize = 2_000;
const LOOKS: usize = 1_000;
const ALPHA: f64 = 0.05;

fn uniform(generator: &mut Generator) -> f64 {
    (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

fn outcome(win: f64, tie: f64, generator: &mut Generator) -> Preference {
    let u = uniform(generator);
    if u < tie {
        Preference::Tie
    } else if u < tie + (1.0 - tie) * win {
        Preference::First
    } else {
        Preference::Second
    }
}

/// The share of experiments in which `alarm` finds a difference.
fn share(seed: u64, alarm: impl Fn(&mut Generator) -> bool) -> f64 {
    let mut generator = Generator::seed_from_u64(seed);
    (0..EXPERIMENTS).filter(|_| alarm(&mut generator)).count() as f64 / EXPERIMENTS as f64
}

/// The nominal level and two standard errors.
fn allowed() -> f64 {
    ALPHA + 2.0 * (ALPHA * (1.0 - ALPHA) / EXPERIMENTS as f64).sqrt()
}

/// Whether the test decides at any look; each look follows `per_look` more outcomes.
fn decides(per_look: usize, mut next: impl FnMut() -> Preference) -> bool {
    let mut test = PairTest::new(ALPHA).unwrap();
    let mut counts = Counts::default();
    (0..LOOKS).any(|_| {
        (0..per_look).for_each(|_| counts.record(next()));
        test.look_at(counts) != TestState::Open
    })
}

/// Whether a sign test that is looked at again and again ever falls below the level: z above 1.96, in counts.
fn naive(per_look: usize, mut next: impl FnMut() -> Preference) -> bool {
    let mut counts = Counts::default();
    (0..LOOKS).any(|_| {
        (0..per_look).for_each(|_| counts.record(next()));
        let net = counts.wins as f64 - counts.losses as f64;
        net * net > 1.959_964 * 1.959_964 * counts.decided() as f64
    })
}

#[test]
fn two_equal_sides() {
    for tie in [0.0, 0.6] {
        let valid = share(1, |generator| decides(10, || outcome(0.5, tie, generator)));
        assert!(valid <= allowed(), "{tie}: {valid}");
    }
    let naive = share(1, |generator| naive(10, || outcome(0.5, 0.0, generator)));
    assert!(naive > 0.4, "{naive}");
}

/// Users who prefer one side each, as many either way.
fn tastes(user: &mut f64, generator: &mut Generator) {
    *user = if uniform(generator) < 0.5 { 0.8 } else { 0.2 };
}

#[test]
fn users_with_tastes_are_units() {
    // A look after each user of 20 impressions.
    let impressions = 20;
    let per_unit = share(2, |generator| {
        let mut user = 0.5;
        decides(1, || {
            tastes(&mut user, generator);
            let mut units = Units::new();
            (0..impressions).for_each(|_| {
                let net = if uniform(generator) < user { 1.0 } else { -1.0 };
                units.record((), net).unwrap();
            });
            units.close_all()[0]
        })
    });
    assert!(per_unit <= allowed(), "{per_unit}");
    let per_impression = share(2, |generator| {
        let (mut user, mut left) = (0.5, 0);
        decides(impressions, || {
            if left == 0 {
                tastes(&mut user, generator);
                left = impressions;
            }
            left -= 1;
            outcome(user, 0.0, generator)
        })
    });
    assert!(per_impression > 0.8, "{per_impression}");
}

#[test]
fn clicks_of_one_side_come_sooner() {
    // Sessions overlap; the first side's click comes immediately, the second's an hour later.
    let delay = 100;
    let run = |generator: &mut Generator, at_close: bool| {
        let mut test = PairTest::new(ALPHA).unwrap();
        let mut counts = Counts::default();
        let mut late = std::collections::VecDeque::new();
        (0..LOOKS).any(|_| {
            for _ in 0..4 {
                let won = outcome(0.5, 0.3, generator);
                late.push_back(won);
                if !at_close && won == Preference::First {
                    counts.record(won);
                }
                if late.len() > delay * 4 {
                    let closed = late.pop_front().unwrap();
                    if at_close || closed == Preference::Second {
                        counts.record(closed);
                    }
                }
            }
            test.look_at(counts) != TestState::Open
        })
    };
    let at_close = share(3, |generator| run(generator, true));
    let at_click = share(3, |generator| run(generator, false));
    assert!(at_close <= allowed(), "{at_close}");
    assert!(at_click > 0.9, "{at_click}");
}

#[test]
fn drift_below_even_is_never_a_win() {
    // The second side is better or equal at every unit, by a difference that comes and goes.
    let wins = share(4, |generator| {
        let mut test = PairTest::new(ALPHA).unwrap();
        let mut counts = Counts::default();
        (0..LOOKS).any(|look| {
            let p = 0.5 - 0.02 * (1.0 - (look as f64 / 80.0).cos());
            (0..10).for_each(|_| counts.record(outcome(p, 0.0, generator)));
            test.look_at(counts) == TestState::FirstWins
        })
    });
    // One side has half of the level.
    assert!(wins <= 0.5 * ALPHA + 2.0 * (0.025_f64 * 0.975 / EXPERIMENTS as f64).sqrt(), "{wins}");
}

#[test]
fn the_running_mean_stays_in_its_interval_under_drift() {
    let missed = share(5, |generator| {
        let mut mean = RunningMean::new(-1.0, 1.0, ALPHA).unwrap();
        let mut expected = 0.0;
        (0..LOOKS / 5).any(|look| {
            for _ in 0..25 {
                let p = 0.5 + 0.3 * (look as f64 / 20.0).sin();
                let value = if uniform(generator) < p { 1.0 } else { -1.0 };
                expected += 2.0 * p - 1.0;
                mean.record(value).unwrap();
            }
            let truth = expected / mean.count() as f64;
            let (low, high) = mean.interval();
            truth < low || high < truth
        })
    });
    assert!(missed <= allowed(), "{missed}");
}

/// Allocates pairs of four equal arms; whether any is ever declared the best.
fn declared(generator: &mut Generator, mut choose: impl FnMut(&BestArm, &mut Generator) -> (usize, usize)) -> bool {
    let mut test = BestArm::new(4, ALPHA).unwrap();
    (0..LOOKS).any(|_| {
        let (i, j) = choose(&test, generator);
        let counts: Counts = (0..5).map(|_| outcome(0.5, 0.0, generator)).collect();
        test.record_counts_without_looking(i, j, counts).unwrap();
        test.look().is_some()
    })
}

fn other_than(generator: &mut Generator, arm: usize) -> usize {
    (arm + 1 + (uniform(generator) * 3.0) as usize) % 4
}

#[test]
fn following_the_leader_does_not_hurt() {
    // The leader meets its hardest opponent.
    let found = share(6, |generator| {
        declared(generator, |test, generator| {
            let leader = test.leader();
            (leader.arm, leader.hardest.unwrap_or_else(|| other_than(generator, leader.arm)))
        })
    });
    assert!(found <= allowed(), "{found}");
}

#[test]
fn following_the_winner_does_not_hurt() {
    // The arm with the most wins meets one at random.
    let found = share(7, |generator| {
        declared(generator, |test, generator| {
            let wins = |i: usize| (0..4).map(|j| test.counts(i, j).wins).sum::<u64>();
            let best = (0..4).max_by_key(|&i| wins(i)).unwrap();
            (best, other_than(generator, best))
        })
    });
    assert!(found <= allowed(), "{found}");
}

#[test]
fn pushing_a_lead_over_the_edge_does_not_hurt() {
    // The pair with the largest difference of wins and losses meets again, nine times in ten.
    let found = share(8, |generator| {
        declared(generator, |test, generator| {
            let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
            let gap = |&(i, j): &(usize, usize)| {
                let counts = test.counts(i, j);
                counts.wins.abs_diff(counts.losses)
            };
            if uniform(generator) < 0.1 {
                pairs[(uniform(generator) * 6.0) as usize]
            } else {
                *pairs.iter().max_by_key(|pair| gap(pair)).unwrap()
            }
        })
    });
    assert!(found <= allowed(), "{found}");
}

#[test]
fn pairs_of_one_list_need_no_independence() {
    // Each user orders all four arms at random, which decides six pairs at once; the evidence is looked at after each.
    let found = share(11, |generator| {
        let mut test = BestArm::new(4, ALPHA).unwrap();
        (0..LOOKS).any(|_| {
            let scores: [f64; 4] = std::array::from_fn(|_| uniform(generator));
            for first in 0..4 {
                for second in first + 1..4 {
                    test.record(first, second, Preference::of_net(scores[first] - scores[second]));
                }
            }
            test.declared_arm().is_some()
        })
    });
    assert!(found <= allowed(), "{found}");
}

#[test]
fn share_intervals_hold_at_all_looks() {
    let p = 0.55;
    let missed = share(9, |generator| {
        let mut counts = Counts::default();
        // Eighteen looks, each after half as many units again.
        (1..=18).any(|look| {
            (0..1.5_f64.powi(look) as usize).for_each(|_| counts.record(outcome(p, 0.2, generator)));
            let (low, high) = share_interval(counts, ALPHA).unwrap();
            p < low || high < p
        })
    });
    assert!(missed <= allowed(), "{missed}");
}

#[test]
fn a_single_look_has_its_nominal_level() {
    let alarms = share(10, |generator| {
        let counts: Counts = (0..500).map(|_| outcome(0.5, 0.0, generator)).collect();
        sign_test(counts) <= ALPHA
    });
    assert!(alarms <= allowed() && alarms > 0.03, "{alarms}");
}
