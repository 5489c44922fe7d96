//! The cost of late answers, and its limits.

use std::collections::BTreeMap;

use bandits::open::{AnswerTiming, Delay, Outcome, play_open};
use bandits::registry::Spec;
use bandits::{
    ActionKind, Arena as _, Arm, Choice, Generators, MatrixArena, OpenPolicy, PairWins, Preference, Recorder, problems,
};

/// Mean regret of some runs, and how many of them recommend the best arm.
fn runs(name: &str, arms: usize, steps: u64, timing: &AnswerTiming, seeds: u64) -> (f64, u64) {
    let spec: Spec = name.parse().expect(name);
    let arena = MatrixArena::new(problems::arithmetic(arms).expect("arms")).expect("arm 0");
    let (mut regret, mut right) = (0.0, 0);
    for seed in 0..seeds {
        let mut generators = Generators::from_seed(seed);
        let mut policy = spec.open(arms, Some(steps), &generators).expect("arms");
        let mut delays = generators.coins.clone();
        delays.jump();
        let mut recorder = Recorder::new(vec![steps]);
        let outcomes = &mut generators.arena;
        play_open(&mut policy, &mut arena.clone(), steps, outcomes, &mut delays, timing, &mut recorder);
        regret += recorder.curve()[0].average / seeds as f64;
        right += u64::from(policy.recommend().is_some_and(|arm| arena.gaps()[arm.index()] <= 0.0));
    }
    (regret, right)
}

/// A thousand impressions of delay cost natives no more than three thousand uninformed impressions (those that merge
/// batches pay it at each stage), and no run.
#[test]
fn delay_adds_to_the_regret_of_natives_and_loses_no_arm() {
    let (arms, steps, seeds, delay) = (8, 30_000, 6, 1_000);
    // The regret of two arms at random.
    let uninformed = 0.175;
    for name in [
        "rucb",
        "rcs",
        "rts",
        "ccb",
        "dts",
        "dts-plus",
        "rmed1",
        "rmed2",
        "rmed2fh",
        "mergerucb:alpha=0.6:c=100",
        "mergerucb-parallel:alpha=0.6:c=100",
        "mergedts:alpha=0.6:c=100",
        "mdb",
        "self-sparring",
        "self-sparring:m=4",
        "sparring-ts",
    ] {
        let (now, right_now) = runs(name, arms, steps, &AnswerTiming::default(), seeds);
        for delay in [Delay::Fixed(delay), Delay::Geometric(delay as f64)] {
            let timing = AnswerTiming { delay, lost: 0.05, ..AnswerTiming::default() };
            let (late, right_late) = runs(name, arms, steps, &timing, seeds);
            let bound = 1.25 * now + 3.0 * 1_000.0 * uninformed;
            assert!(late < bound, "{name}: {late} instead of {now}");
            assert!(right_late + 1 >= right_now, "{name}: {right_late} of {seeds} runs right instead of {right_now}");
        }
    }
}

/// The bound of queues: no more than the delay for each pair, on top.
#[test]
fn queues_cost_the_delay_per_pair() {
    let (arms, delay, seeds) = (4, 200, 6);
    for name in ["sparring", "winner-stays-strong", "btm:delta=0.01", "if2"] {
        let (now, _) = runs(name, arms, 20_000, &AnswerTiming::default(), seeds);
        let timing = AnswerTiming { delay: Delay::Fixed(delay), ..AnswerTiming::default() };
        let (late, _) = runs(name, arms, 20_000, &timing, seeds);
        // Twelve ordered pairs, each at the largest gap there is, and the noise of a few runs.
        let bound = 1.5 * now + 12.0 * delay as f64 * 0.15;
        assert!(late < bound, "{name}: {late} instead of {now}");
    }
}

/// Plays `known` impressions with answers in time, and then `more`, with answers or without: how many of these had a
/// ticket, and how many were for the arms chosen most often. Seven in ten duels are won by the lower arm, in turn, so
/// that nothing is left to chance.
fn asked(policy: &mut OpenPolicy, known: u64, more: u64, answered: bool) -> (u64, u64) {
    let mut counts: BTreeMap<Vec<Arm>, u64> = BTreeMap::new();
    for impression in 0..known + more {
        let asked = policy.ask();
        let Some(ticket) = asked.ticket else { continue };
        let lower_wins = |place: usize| (ticket.number() + place as u64) % 10 < 7;
        let mut wins = PairWins::default();
        let (arms, outcome) = match asked.choice {
            Choice::Duel(first, second) => {
                let first_wins = lower_wins(0) == (first < second);
                (vec![first, second], Some(if first_wins { Preference::First } else { Preference::Second }))
            }
            Choice::Set(arms) => {
                wins.reset(arms.len());
                for (i, j) in (0..arms.len()).flat_map(|i| (i + 1..arms.len()).map(move |j| (i, j))) {
                    let first_wins = lower_wins(3 * i + j) == (arms[i] < arms[j]);
                    wins.set_win(if first_wins { i } else { j }, if first_wins { j } else { i });
                }
                (arms.to_vec(), None)
            }
            Choice::Alone { .. } => continue,
        };
        if impression < known || answered {
            let outcome = outcome.map_or(Outcome::Set(&wins), Outcome::Duel);
            policy.tell(ticket, outcome).expect("open");
        }
        if impression >= known {
            let mut arms = arms;
            arms.sort();
            *counts.entry(arms).or_default() += 1;
        }
    }
    (counts.values().sum(), counts.values().copied().max().unwrap_or(0))
}

/// While no outcome arrives, no rule repeats the same pair again and again: without any outcome, duels spread over all ten
/// pairs; later they end as they would with outcomes, when the best arm plays alone.
///
/// Some are left out of the second part: random choice; those that merge batches or eliminate, which go from pair to pair in
/// turn until outcomes drop an arm; and MDB and MultiRUCB, which shrink their sets on known outcomes only.
#[test]
fn what_is_under_way_is_not_asked_a_thousand_times() {
    let asks = 2_000;
    for spec in super::all() {
        let open = || spec.open(5, Some(1_000_000), &Generators::from_seed(1)).expect("five arms");
        if !open().is_native() {
            continue;
        }
        let name = spec.entry().name;
        if spec.entry().action_kind == ActionKind::Duels {
            let (_, most) = asked(&mut open(), 0, asks, false);
            assert!(most < asks * 3 / 10, "{spec}: {most} of {asks} impressions for one pair");
        }
        if name.starts_with("merge")
            || name.starts_with("random")
            || ["mdb", "multirucb", "borda-elimination"].contains(&name)
        {
            continue;
        }
        for known in [1_000, 50_000] {
            let (late, _) = asked(&mut open(), known, asks, false);
            let (in_time, _) = asked(&mut open(), known, asks, true);
            assert!(late <= 2 * in_time + asks / 8, "{spec} after {known}: {late} instead of {in_time} of {asks}");
        }
    }
}

/// How many of some runs end with another arm than the best, without delay and with.
#[test]
fn eliminations_lose_no_best_arm_for_delay() {
    let (arms, steps, seeds) = (8, 20_000, 60);
    for name in [
        "mergerucb:alpha=0.6:c=100",
        "mergerucb:variant=paper:alpha=0.6:c=100",
        "mergerucb-parallel:alpha=0.6:c=100",
        "mergerucb-squared",
        "mergedts:alpha=0.6:c=100",
        "mergedts:variant=paper:alpha=0.6:c=100",
    ] {
        let wrong = |delay| {
            let timing = AnswerTiming { delay: Delay::Fixed(delay), ..AnswerTiming::default() };
            seeds - runs(name, arms, steps, &timing, seeds).1
        };
        let (now, late) = (wrong(0), wrong(1_000));
        // Three standard deviations of the difference, of a share that is no smaller than one in the runs.
        let share = ((now + late).max(2) as f64 / (2 * seeds) as f64).min(0.5);
        let bound = now as f64 + 3.0 * (2.0 * seeds as f64 * share * (1.0 - share)).sqrt();
        assert!((late as f64) < bound, "{name}: {late} of {seeds} runs ended with another arm, without delay {now}");
    }
}

/// Eliminations use known outcomes only: whatever is under way, no arm is dropped before an outcome comes.
#[test]
fn nothing_is_dropped_for_what_is_under_way() {
    use bandits::PolicyConfig as _;
    use bandits::policies::merge_rucb::MergeRucbConfig;
    use bandits::{DelayedFeedback as _, Policy as _};
    use rand::SeedableRng as _;

    let config = MergeRucbConfig { alpha: 0.6, c: Some(1.0), ..MergeRucbConfig::default() };
    let mut policy = config.policy(12, None).expect("twelve arms");
    let mut generator = bandits::Generator::seed_from_u64(1);
    let mut step = 0;
    let mut ask = |policy: &mut bandits::policies::merge_rucb::MergeRucb| {
        step += 1;
        let Choice::Duel(first, second) = policy.choose(step, &mut generator) else {
            panic!("a duel");
        };
        policy.depart(&[first, second]);
        (step, [first, second])
    };
    // One outcome of each of the first pairs, then many under way.
    for _ in 0..40 {
        let (step, arms) = ask(&mut policy);
        let feedback = bandits::Feedback::of_duel(arms[0], arms[1], arms[0] < arms[1]);
        policy.arrive(step, &arms, Some(feedback));
    }
    let left = policy.survivors();
    let open: Vec<_> = (0..5_000).map(|_| ask(&mut policy)).collect();
    assert_eq!(policy.survivors(), left);
    for (step, arms) in open {
        let feedback = bandits::Feedback::of_duel(arms[0], arms[1], arms[0] < arms[1]);
        policy.arrive(step, &arms, Some(feedback));
    }
    for _ in 0..50 {
        ask(&mut policy);
    }
    assert!(policy.survivors() < left);
}
