//! Logs that a bandit steered: two equal rankers, users who differ in taste, fair on average. Adding up each user's outcomes
//! for a pair finds winners far too often, because the bandit stops showing a pair to a user depending on that user's own
//! outcomes. With only the first impression of each user, verdicts keep their level.

use bandits::registry::Spec;
use bandits::{Choice, Generators, OpenPolicy, Preference};
use click_logs::join::{LogTotals, Survey, UnitOutcome, Units};
use click_logs::model::{LogEnd, Settings};
use interleave::Generator;
use rand::{Rng, RngExt, SeedableRng};
use statistics::Counts;
use statistics::anytime::{PairTest, TestState};
use times::{DAY, text};
use verdicts::decide::{CountUnit, decide};
use verdicts::integrity::PageRecord;
use verdicts::{PairChoice, VersionDeclarations};

use crate::common::Log;

/// Users of a day, one after the other.
const PER_DAY: usize = 50;
const DAYS: usize = 20;
/// Impressions of a user, on one day.
const IMPRESSIONS: usize = 200;
const POLICIES: [&str; 4] = ["rucb", "dts", "rmed1", "mergerucb"];
const NAMES: [&str; 2] = ["A", "B"];

/// One impression that mixed both rankers.
struct Shown {
    day: usize,
    /// Its number on the day.
    number: usize,
    user: usize,
    /// The owner of the one document that was clicked.
    clicked: Option<usize>,
}

/// The log of `policy` with two equal rankers.
fn log(policy: &str, seed: u64) -> Vec<Shown> {
    let spec: Spec = policy.parse().unwrap();
    let horizon = (DAYS * PER_DAY * IMPRESSIONS) as u64;
    let mut policy: OpenPolicy = spec.open(2, Some(horizon), &Generators::from_seed(seed)).unwrap();
    let mut users = Generator::seed_from_u64(seed ^ 0x5eed);
    let mut shown = Vec::new();
    for day in 0..DAYS {
        // How often each user prefers the first ranker.
        let tastes: Vec<f64> = (0..PER_DAY).map(|_| if users.next_u64() & 1 == 0 { 0.6 } else { 0.4 }).collect();
        // One user after the other.
        let visits: Vec<usize> = (0..PER_DAY * IMPRESSIONS).map(|visit| visit / IMPRESSIONS).collect();
        for (number, &user) in visits.iter().enumerate() {
            let asked = policy.ask();
            let (ticket, choice) = (asked.ticket, asked.choice);
            let Some(ticket) = ticket else { continue };
            let first = match choice {
                Choice::Duel(first, second) if first != second => first.index(),
                // One ranker alone, or against itself: nothing is mixed.
                _ => {
                    policy.forget(ticket).unwrap();
                    continue;
                }
            };
            let winner = usize::from(users.random::<f64>() >= tastes[user]);
            let clicks = users.random::<f64>() < 0.7;
            let outcome = match (clicks, winner == first) {
                (false, _) => Preference::Tie,
                (true, true) => Preference::First,
                (true, false) => Preference::Second,
            };
            policy.tell(ticket, outcome).unwrap();
            shown.push(Shown { day, number, user: day * PER_DAY + user, clicked: clicks.then_some(winner) });
        }
    }
    shown
}

/// Whether a verdict is given if pairs are taken as chosen in this way.
fn is_decided(log: &[Shown], pairs: PairChoice) -> bool {
    let settings = Settings { pairs: Some(pairs), complete: LogEnd::Final, ..Settings::default() };
    let of = VersionDeclarations { rankers: NAMES.map(str::to_owned).into(), ..VersionDeclarations::default() };
    let survey = Survey { versions: [(None, of)].into(), ..Survey::default() };
    let mut units = Units::new(settings.clone(), &survey);
    for shown in log {
        let outcome = UnitOutcome {
            unit: shown.user as u128,
            shown: (time(shown), 0),
            day: shown.day as i32,
            version: None,
            rankers: NAMES.map(Some),
            net: shown.clicked.map_or(0, |owner| 1 - 2 * owner as i8),
            stands: true,
            is_set_aside: false,
            is_known_bot: false,
            clicks: u32::from(shown.clicked.is_some()),
            all_clicks: u32::from(shown.clicked.is_some()),
            page: PageRecord::default(),
            sides: None,
        };
        units.push(&outcome).unwrap();
    }
    let mut sum = LogTotals::default();
    units.count(&mut sum);
    // The test of `decide`, without the intervals, which take nearly all of its time.
    let mut test = PairTest::new(0.05).unwrap();
    let mut counts = Counts::default();
    for day in sum.credited(&survey, &settings).days {
        counts += day.counts.units;
        test.look_at(counts);
    }
    test.verdict() != TestState::Open
}

/// When an impression was shown, in milliseconds since 1970.
fn time(shown: &Shown) -> i64 {
    (20_780 + shown.day as i64) * DAY + 5_000 * shown.number as i64
}

/// The same log as files of impressions and clicks.
fn lines(log: &[Shown]) -> [String; 2] {
    let impression = |shown: &Shown| {
        format!(
            "{{\"impression\":\"{}.{}\",\"time\":\"{}\",\"user\":\"u{}\",\"agent\":\"B/1 (simulated)\",\"shown\":[\"a\",\"b\"],\
             \"teams\":[\"A\",\"B\"]}}\n",
            shown.day,
            shown.number,
            text(time(shown)),
            shown.user
        )
    };
    let click = |shown: &Shown| {
        let document = ["a", "b"][shown.clicked?];
        let (id, when) = (format!("{}.{}", shown.day, shown.number), text(time(shown) + 500));
        Some(format!("{{\"impression\":\"{id}\",\"document\":\"{document}\",\"time\":\"{when}\"}}\n"))
    };
    [log.iter().map(impression).collect(), log.iter().filter_map(click).collect()]
}

/// The number of `logs` steered by a policy that get a verdict, if pairs are taken as chosen by chance and as steered.
fn verdicts(policy: &str, logs: u64) -> [u64; 2] {
    let mut counts = [0; 2];
    for seed in 0..logs {
        let log = log(policy, seed);
        for (count, pairs) in counts.iter_mut().zip([PairChoice::Chance, PairChoice::Steered]) {
            *count += u64::from(is_decided(&log, pairs));
        }
    }
    counts
}

/// The largest count that is likely (all but one in 100,000 times, by Chernoff's bound) if verdicts are wrong in 5% of logs.
fn most(logs: u64) -> u64 {
    let n = logs as f64;
    let exceeds = |count: f64| {
        let share = count / n;
        let divergence = share * libm::log(share / 0.05) + (1.0 - share) * libm::log((1.0 - share) / 0.95);
        libm::exp(-n * divergence) < 1e-5
    };
    (1..logs).find(|count| *count as f64 > 0.05 * n && exceeds(*count as f64)).unwrap_or(logs)
}

/// Files give the verdict of the same log in memory.
#[test]
fn files_of_steered_logs_say_the_same() {
    compare_files(1);
}

#[test]
#[ignore = "minutes; run by .ci/full"]
fn files_of_twenty_steered_logs_say_the_same_at_full_size() {
    compare_files(20);
}

fn compare_files(logs: u64) {
    for policy in POLICIES {
        for seed in 0..logs {
            let log = log(policy, seed);
            let [impressions, clicks] = lines(&log);
            for pairs in [PairChoice::Chance, PairChoice::Steered] {
                let settings = Settings { pairs: Some(pairs), complete: LogEnd::Final, ..Settings::default() };
                let files = Log::of(&[impressions.as_bytes()], &[clicks.as_bytes()]);
                let outcomes = click_logs::outcomes::outcomes_of_log(&files.credit(&settings).unwrap());
                let verdicts = decide(&outcomes, 0.05, CountUnit::Units).unwrap();
                let found = verdicts.latest().pairs.iter().any(|pair| pair.since.is_some());
                assert_eq!(found, is_decided(&log, pairs), "{policy} {seed} {pairs:?}");
            }
        }
    }
}

/// RUCB, where the fault is largest: counting all impressions of a user finds winners, counting the first does not.
#[test]
fn verdicts_of_steered_logs_keep_their_level() {
    let logs = 40;
    let [chance, steered] = verdicts("rucb", logs);
    assert!(steered <= most(logs), "{steered} of {logs}");
    assert!(chance > 2 * steered.max(1), "{chance} of {logs}, or the test cannot fail");
}

/// The result of the test below: how many of a thousand logs get a verdict, by policy.
const PUBLISHED: &str = include_str!("../data/steered.csv");

/// The same at full size.
#[test]
#[ignore = "minutes; run by .ci/full"]
fn a_thousand_steered_logs_at_full_size() {
    let mut table = "policy,logs,by_chance,steered\n".to_owned();
    for policy in POLICIES {
        let [chance, steered] = verdicts(policy, 1_000);
        assert!(steered <= 63, "{policy}: {steered}");
        assert!(policy != "rucb" || chance > 90, "{policy}: {chance}");
        table += &format!("{policy},1000,{chance},{steered}\n");
    }
    assert_eq!(table, PUBLISHED);
}

/// The README has the numbers of the table.
#[test]
fn the_readme_has_the_numbers_of_the_table() {
    let row = |policy: &str| -> Vec<u64> {
        let line = PUBLISHED.lines().find(|line| line.starts_with(&format!("{policy},"))).unwrap();
        line.split(',').skip(1).map(|count| count.parse().unwrap()).collect()
    };
    let readme = include_str!("../../README.md");
    for policy in POLICIES {
        let [_, chance, steered] = row(policy)[..] else { panic!("{policy}") };
        let line = format!("| `{policy}` | {:.1}% | {:.1}% |", chance as f64 / 10.0, steered as f64 / 10.0);
        assert!(readme.contains(&line), "{line}");
    }
}
