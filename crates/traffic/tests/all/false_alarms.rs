//! Equal rankers, users with tastes that are fair on average: how often a winner is reported.

use bandits::Generator;
use interleave::{Doc, ListBuf, Preference};
use rand::{Rng as _, RngExt as _, SeedableRng as _};
use statistics::Counts;
use statistics::anytime::{PairTest, TestState};
use traffic::{Ask, Config, Experiment, Keep, Request, RequestAnswer, State};
use verdicts::decide::{CountUnit, decide};

use crate::shares::ramp;
use crate::{DAY, place};

/// The number of users, and their behaviour.
#[derive(Clone, Copy)]
struct Crowd {
    days: i64,
    users_per_day: u64,
    impressions_per_user: u64,
}

/// Plays an experiment of two equal rankers: the experiment, and the sums of its users' outcomes for the first, by day.
fn played(policy: &str, keep: Keep, crowd: Crowd, seed: u64) -> (Experiment, Vec<Counts>) {
    let mut users = Generator::seed_from_u64(seed ^ 0x5eed);
    let all = crowd.days as u64 * crowd.users_per_day * crowd.impressions_per_user;
    let horizon =
        if policy == "fixed" || !policy.parse::<bandits::registry::Spec>().unwrap().uses_horizon() { 0 } else { all };
    let config =
        Config { policy: policy.to_owned(), keep, seed, horizon, ask: Ask::Duels, ..Config::of("same", ["a", "b"]) };
    let mut experiment = Experiment::create(config, 0).unwrap();
    let mut days = Vec::new();
    let mut unit = 0;
    for day in 0..crowd.days {
        let mut counts = Counts::default();
        for user in 0..crowd.users_per_day {
            unit += 1;
            // How often a user prefers the first ranker.
            let taste = if users.next_u64() & 1 == 0 { 0.6 } else { 0.4 };
            let mut net = 0_i32;
            for visit in 0..crowd.impressions_per_user {
                let now = day * DAY + (user * crowd.impressions_per_user + visit) as i64 * 5_000;
                let request = Request { unit, ..Request::default() };
                let chosen = experiment.choose(now, &request, None).unwrap();
                let RequestAnswer::New { impression, arms, is_mixed, .. } = chosen else { panic!("{chosen:?}") };
                let prefers_first = users.random::<f64>() < taste;
                let says_nothing = users.random::<f64>() >= 0.7;
                let winner = match (says_nothing, prefers_first == (arms[0] == 0)) {
                    (true, _) => Preference::Tie,
                    (false, true) => Preference::First,
                    (false, false) => Preference::Second,
                };
                experiment.judge(now, impression, winner).unwrap();
                if is_mixed && !says_nothing {
                    net += if prefers_first { 1 } else { -1 };
                }
            }
            counts.record(statistics::Preference::of_net(f64::from(net)));
            experiment.take_events();
        }
        days.push(counts);
    }
    experiment.change_state(crowd.days * DAY, State::Ended, "a test", "").unwrap();
    (experiment, days)
}

/// What raises the share of an experiment.
#[derive(Clone, Copy, Debug)]
enum Raises {
    /// A ramp.
    Ramp,
    /// A person who raises it only on days on which the first ranker is ahead.
    Hopeful,
}

/// Plays a shop of two rankers that begins with few of its users, who return: a hundred days, and a look at each. The users are in eight
/// segments; all like both rankers equally, except that those of the segment `harmed` like the second less.
fn played_with_a_share(
    policy: &str,
    raises: Raises,
    visits_per_day: u64,
    harmed: Option<u64>,
    seed: u64,
) -> Experiment {
    const DAYS: i64 = 100;
    let mut users = Generator::seed_from_u64(seed ^ 0x5eed);
    let ramp = ramp(&[(5.0, "10d"), (20.0, "20d"), (50.0, "30d"), (100.0, "")]);
    let (share, ramp) = match raises {
        Raises::Ramp => (1.0, ramp),
        Raises::Hopeful => (0.05, None),
    };
    let segments = (0..8).map(|segment| format!("s{segment}")).collect();
    let config = Config {
        policy: policy.to_owned(),
        seed,
        share,
        ramp,
        segments,
        ask: Ask::Duels,
        ..Config::of("same", ["a", "b"])
    };
    let mut experiment = Experiment::create(config, 0).unwrap();
    for day in 0..DAYS {
        let mut ahead = 0;
        for visit in 0..visits_per_day {
            let now = day * DAY + visit as i64 * 60_000;
            let unit = 1 + users.random_range(0..60 * visits_per_day);
            // How often a user prefers the first ranker: the same at each visit.
            let of_unit = place(unit ^ seed << 32).lane;
            let (segment, is_fond) = (of_unit >> 1 & 7, of_unit & 1 == 0);
            let taste = if is_fond || harmed == Some(segment) { 0.6 } else { 0.4 };
            let (says_nothing, prefers_first) = (users.random::<f64>() >= 0.7, users.random::<f64>() < taste);
            experiment.advance(now);
            if !experiment.admits(Some(place(unit))) {
                continue;
            }
            let request = Request { unit, segment: Some(segment as u8), ..Request::default() };
            for _ in 0..2 {
                let chosen = experiment.choose(now, &request, None).unwrap();
                let RequestAnswer::New { impression, arms, .. } = chosen else { panic!("{chosen:?}") };
                let winner = match (says_nothing, prefers_first == (arms[0] == 0)) {
                    (true, _) => Preference::Tie,
                    (false, true) => Preference::First,
                    (false, false) => Preference::Second,
                };
                experiment.judge(now, impression, winner).unwrap();
                ahead += if says_nothing {
                    0
                } else if prefers_first {
                    1
                } else {
                    -1
                };
            }
        }
        experiment.take_events();
        if let (Raises::Hopeful, 1..) = (raises, ahead) {
            let share = (1.5 * experiment.share()).min(1.0);
            experiment.raise((day + 1) * DAY - 1, share, "somebody hopeful", "").unwrap();
        }
    }
    assert!(experiment.share() > 0.9, "{}", experiment.share());
    experiment.change_state(DAYS * DAY, State::Ended, "a test", "").unwrap();
    experiment
}

/// Plays an experiment of four equal rankers with all lists mixed together. Each has three documents of its own at the top, and each
/// user likes those of one ranker more: on average, all the same.
fn played_in_sets(policy: &str, crowd: Crowd, seed: u64) -> Experiment {
    const RANKERS: u32 = 4;
    let mut users = Generator::seed_from_u64(seed ^ 0x5eed);
    let config = Config { policy: policy.to_owned(), seed, ..Config::of("same", ["a", "b", "c", "d"]) };
    let mut experiment = Experiment::create(config, 0).unwrap();
    let lists: Vec<ListBuf> = (0..RANKERS)
        .map(|ranker| ListBuf::strict((0..12).map(|place| Doc(((3 * ranker + place) % 12) as u16))).unwrap())
        .collect();
    let mut unit = 0;
    for day in 0..crowd.days {
        for user in 0..crowd.users_per_day {
            unit += 1;
            let liked = users.random_range(0..RANKERS);
            for visit in 0..crowd.impressions_per_user {
                let now = day * DAY + (user * crowd.impressions_per_user + visit) as i64 * 5_000;
                let request = Request { unit, ..Request::default() };
                let chosen = experiment.choose(now, &request, Some(&|ranker| lists.get(ranker as usize))).unwrap();
                let RequestAnswer::New { impression, documents, .. } = chosen else { panic!("{chosen:?}") };
                for (place, document) in documents.unwrap().iter().take(10).enumerate() {
                    let likes = document.index() as u32 / 3 == liked;
                    if users.random::<f64>() < if likes { 0.35 } else { 0.1 } {
                        experiment.click(now, impression, place as u32);
                    }
                }
                experiment.close(now, impression);
            }
            experiment.take_events();
        }
    }
    experiment.change_state(crowd.days * DAY, State::Ended, "a test", "").unwrap();
    experiment
}

#[test]
fn equal_rankers_rarely_win_while_the_share_rises() {
    for (policy, raises) in [("fixed", Raises::Ramp), ("rucb", Raises::Ramp), ("fixed", Raises::Hopeful)] {
        let [alarms, harmed] = alarms_with_a_share(policy, raises, 40, 60);
        assert!(alarms.max(harmed) <= most(60), "{policy} {raises:?}: {alarms}, harmed {harmed} of 60");
    }
}

/// How often a winner is reported, and how often harm to a segment, while the share rises.
fn alarms_with_a_share(policy: &str, raises: Raises, visits_per_day: u64, experiments: u64) -> [u64; 2] {
    (0..experiments).fold([0; 2], |[alarms, harmed], seed| {
        let experiment = played_with_a_share(policy, raises, visits_per_day, None, seed);
        let is_harmed = !experiment.verdict().segments.unwrap().harms.is_empty();
        [alarms + u64::from(is_alarm(&experiment)), harmed + u64::from(is_harmed)]
    })
}

#[test]
#[ignore = "minutes: 3,000 experiments"]
#[expect(clippy::print_stderr, reason = "who runs a measurement reads its numbers")]
fn a_thousand_shops_with_a_share_that_rises_at_full_size() {
    for (policy, raises) in [("fixed", Raises::Ramp), ("rucb", Raises::Ramp), ("fixed", Raises::Hopeful)] {
        let [alarms, harmed] = alarms_with_a_share(policy, raises, 100, 1_000);
        eprintln!("{policy}, {raises:?}: {alarms} said to win, {harmed} to harm one of eight segments, of 1,000");
        assert!(alarms.max(harmed) <= most(1_000), "{policy} {raises:?}: {alarms}, {harmed} of 1,000");
    }
}

/// Plays shops with a ramp and harm to one segment in eight: how many found it, on which days, and how many named it alone.
fn found_harms(visits_per_day: u64, experiments: u64) -> (Vec<i32>, usize) {
    let (mut days, mut named) = (Vec::new(), 0);
    for seed in 0..experiments {
        let experiment = played_with_a_share("fixed", Raises::Ramp, visits_per_day, Some(5), seed);
        let segments = experiment.verdict().segments.unwrap();
        if let [harm] = &segments.harms[..] {
            assert_eq!(harm.ranker, 1, "{seed}");
            days.push(harm.since);
            named += usize::from(harm.segments == [5]);
        }
    }
    days.sort_unstable();
    (days, named)
}

#[test]
fn the_harmed_segment_of_eight_is_found() {
    let (days, named) = found_harms(250, 10);
    assert!(days.len() >= 8 && named >= 7, "{days:?} {named}");
}

#[test]
#[ignore = "minutes: 200 experiments"]
#[expect(clippy::print_stderr, reason = "who runs a measurement reads its numbers")]
fn two_hundred_harmed_segments_at_full_size() {
    for visits_per_day in [100, 250] {
        let (days, named) = found_harms(visits_per_day, 200);
        let median = days.get(days.len() / 2);
        eprintln!("{visits_per_day} visits a day: {} of 200 found, median day {median:?}, named {named}", days.len());
        assert!(named * 10 >= days.len() * 7, "{named} of {days:?}");
    }
}

/// Whether a winner was reported on any day.
fn is_alarm(experiment: &Experiment) -> bool {
    let verdicts = decide(&experiment.outcomes(), 0.05, CountUnit::Units).unwrap();
    verdicts.latest().pairs.iter().any(|pair| pair.last.verdict != TestState::Open)
}

/// At level 5%, three standard errors above: the largest number of false alarms among `experiments`.
fn most(experiments: u64) -> u64 {
    let n = experiments as f64;
    (0.05 * n + 3.0 * (0.05 * 0.95 * n).sqrt()) as u64
}

#[test]
fn equal_rankers_rarely_win() {
    let crowd = Crowd { days: 20, users_per_day: 20, impressions_per_user: 20 };
    for (policy, keep) in [("rucb", Keep::Unit), ("rucb", Keep::Impression), ("fixed", Keep::Unit)] {
        let alarms = (0..40).filter(|seed| is_alarm(&played(policy, keep, crowd, *seed).0)).count() as u64;
        assert!(alarms <= most(40), "{policy} {keep:?}: {alarms} of 40");
    }
    let crowd = Crowd { days: 10, users_per_day: 10, impressions_per_user: 4 };
    let alarms = (0..40).filter(|seed| is_alarm(&played_in_sets("mdb", crowd, *seed))).count() as u64;
    assert!(alarms <= most(40), "mdb: {alarms} of 40");
}

/// Looked at a hundred times.
const MANY: Crowd = Crowd { days: 100, users_per_day: 10, impressions_per_user: 200 };

#[test]
#[ignore = "minutes: 1,000 experiments for each of seven"]
#[expect(clippy::print_stderr, reason = "who runs a measurement reads its numbers")]
fn a_thousand_experiments_of_equal_rankers_at_full_size() {
    for policy in ["rucb", "dts", "mergerucb", "rmed1", "fixed"] {
        let alarms = (0..1_000).filter(|seed| is_alarm(&played(policy, Keep::Unit, MANY, *seed).0)).count();
        eprintln!("{policy}: {alarms} of 1,000");
        assert!(alarms <= 63, "{policy}: {alarms} of 1,000");
    }
    for policy in ["mdb", "fixed"] {
        let crowd = Crowd { users_per_day: 5, impressions_per_user: 20, ..MANY };
        let alarms = (0..1_000).filter(|seed| is_alarm(&played_in_sets(policy, crowd, *seed))).count();
        eprintln!("{policy}, four rankers: {alarms} of 1,000");
        assert!(alarms <= 63, "{policy}, four rankers: {alarms} of 1,000");
    }
}

/// The flaw that keeping pairs closes: a policy that chooses for every impression ends a unit's sum depending on the
/// unit's outcomes.
#[test]
#[ignore = "minutes: 500 experiments"]
#[expect(clippy::print_stderr, reason = "who runs a measurement reads its numbers")]
fn without_kept_pairs_there_would_be_more_at_full_size() {
    let is_alarm = |seed: &u64| {
        let mut test = PairTest::new(0.05).unwrap();
        let mut sum = Counts::default();
        for counts in played("rucb", Keep::Impression, MANY, *seed).1 {
            sum += counts;
            test.look_at(sum);
        }
        test.verdict() != TestState::Open
    };
    let alarms = (0..500).filter(is_alarm).count();
    eprintln!("without kept pairs: {alarms} of 500");
    // 5%, and four standard errors.
    assert!(alarms > 45, "{alarms} of 500");
}
