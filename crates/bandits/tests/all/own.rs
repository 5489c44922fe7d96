//! Algorithms that were written by implementing `DuelPolicy` or `SetPolicy`, in every loop that takes a policy.

use bandits::counts::PairCounts;
use bandits::open::{AnswerTiming, Delay, play_open};
use bandits::random::{below, best_arm, coin};
use bandits::registry::Spec;
use bandits::{
    Arm, Choice, DelayedFeedback, DuelPolicy, Feedback, Generator, Generators, LatePolicy, MatrixArena, OpenPolicy,
    PairWins, Policy, Recorder, SetPolicy, Sets, explore_then_exploit, play, problems,
};

use crate::common::{Diary, all_even, diary, ladder};

/// Two arms at random; every tenth step the best of them alone.
#[derive(Clone)]
struct Own {
    wins: PairCounts,
}

impl Own {
    fn new(arms: usize) -> Self {
        Self { wins: PairCounts::new(arms, 0) }
    }
}

impl DuelPolicy for Own {
    fn arm_count(&self) -> usize {
        self.wins.arms()
    }

    fn pair(&mut self, step: u64, generator: &mut Generator) -> (Arm, Arm) {
        match self.best(generator) {
            Some(best) if step.is_multiple_of(10) => (best, best),
            _ => (Arm::at(below(generator, self.wins.arms())), Arm::at(below(generator, self.wins.arms()))),
        }
    }

    fn outcome(&mut self, winner: Arm, loser: Arm) {
        assert_ne!(winner, loser, "an arm alone has no outcome");
        self.wins.record(winner.index(), loser.index());
    }

    fn best(&self, generator: &mut Generator) -> Option<Arm> {
        assert!(self.wins.arms() > 1, "one arm needs no algorithm");
        self.wins.copeland_best(generator)
    }
}

impl DelayedFeedback for Own {}

/// The same algorithm, written for loops.
#[derive(Clone)]
struct ByHand(Own);

impl Policy for ByHand {
    fn arms(&self) -> usize {
        self.0.wins.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        let (first, second) = self.0.pair(step, generator);
        if first == second { Choice::Alone { arm: first, until: step } } else { Choice::Duel(first, second) }
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        let Feedback::Duel { winner, loser, .. } = feedback else { panic!("a duel") };
        self.0.outcome(winner, loser);
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        self.0.best(generator)
    }
}

#[test]
fn an_own_algorithm_is_the_policy_that_it_stands_for() {
    let matrix = ladder(12);
    let own = diary(Own::new(12), &matrix, 5_000, 3);
    assert_eq!(own, diary(ByHand(Own::new(12)), &matrix, 5_000, 3));
    assert!(own.iter().any(|arms| arms.len() == 1) && own.iter().any(|arms| arms.len() == 2));
}

#[test]
fn answers_in_time_make_the_same_run_through_queues_and_without() {
    let (matrix, horizon) = (problems::arithmetic(6).expect("six arms"), 3_000);
    let expected = diary(Own::new(6), &matrix, horizon, 5);
    let by_name = Spec::own("own", Own::new).late(6, Some(horizon)).expect("arms");
    for form in [LatePolicy::queued(Own::new(6)), LatePolicy::native(Own::new(6)), by_name] {
        let mut generators = Generators::from_seed(5);
        let mut policy = OpenPolicy::new("own", form, &generators);
        let mut delays = generators.coins.clone();
        delays.jump();
        let mut arena = MatrixArena::new(matrix.clone()).expect("arm 0");
        let mut found = Diary::default();
        let outcomes = &mut generators.arena;
        play_open(&mut policy, &mut arena, horizon, outcomes, &mut delays, &AnswerTiming::default(), &mut found);
        assert_eq!(found.0, expected);
        assert_eq!(policy.recommend(), Some(Arm(0)));
        assert!(policy.snapshot().is_err(), "no stored form: logs restore it");
    }
}

#[test]
fn answers_that_come_late_are_learnt_or_wait() {
    for form in [LatePolicy::queued(Own::new(4)), LatePolicy::native(Own::new(4))] {
        let mut generators = Generators::from_seed(7);
        let mut policy = OpenPolicy::new("own", form, &generators);
        let mut arena = MatrixArena::new(problems::arithmetic(4).expect("four arms")).expect("arm 0");
        let mut delays = generators.coins.clone();
        let timing = AnswerTiming { delay: Delay::Fixed(50), ..Default::default() };
        let outcomes = &mut generators.arena;
        play_open(&mut policy, &mut arena, 4_000, outcomes, &mut delays, &timing, &mut ());
        let tally = policy.tally();
        assert!(tally.open <= 50 && tally.told + tally.open == tally.tickets, "{tally:?}");
        assert!(tally.told > 1_000 && tally.waiting <= if policy.is_native() { 0 } else { 50 * 6 }, "{tally:?}");
        assert_eq!(policy.recommend(), Some(Arm(0)));
    }
}

#[test]
fn an_own_algorithm_is_compared_with_registered_ones_by_name() {
    let arena = MatrixArena::new(problems::arithmetic(8).expect("eight arms")).expect("arm 0");
    let own = Spec::own("own", Own::new);
    assert_eq!((own.to_string().as_str(), own.clone() == own, own == Spec::own("own", Own::new)), ("own", true, false));
    let found = explore_then_exploit(&own, &arena, &[20_000, 10], Generators::from_seed).expect("arms");
    assert_eq!((found.len(), found[1].best, found[1].right), (2, Some(Arm(0)), true));
    // The run of the type itself, up to the stream of the recommendation.
    let mut recorder = Recorder::new(vec![20_000]);
    play(&mut Own::new(8), &mut arena.clone(), 20_000, &mut Generators::from_seed(20_000), &mut recorder);
    assert_eq!(found[1].regret, recorder.total());
}

#[test]
fn one_arm_needs_no_algorithm() {
    let lone = all_even(1);
    assert_eq!(diary(Own::new(1), &lone, 100, 1), vec![vec![Arm(0)]; 100]);
    assert_eq!(diary(Sets::new(Half::new(1)), &lone, 100, 1), vec![vec![Arm(0)]; 100]);
    let mut generator = Generators::from_seed(1).policy;
    assert_eq!(Own::new(1).recommend(&mut generator), Some(Arm(0)));
    assert_eq!(Sets::new(Half::new(1)).recommend(&mut generator), Some(Arm(0)));
}

/// Arm 2 alone from step 4 to 10, and from 12 to 18.
struct Stretches;

impl DuelPolicy for Stretches {
    fn arm_count(&self) -> usize {
        3
    }

    fn pair(&mut self, step: u64, _generator: &mut Generator) -> (Arm, Arm) {
        assert!([1, 2, 3, 4, 11, 12, 19, 20].contains(&step), "{step} is in a stretch");
        if step % 8 == 4 { (Arm(2), Arm(2)) } else { (Arm(0), Arm(1)) }
    }

    fn alone_until(&self, step: u64) -> u64 {
        step + 6
    }

    fn outcome(&mut self, winner: Arm, loser: Arm) {
        assert_eq!((winner.min(loser), winner.max(loser)), (Arm(0), Arm(1)));
    }

    fn best(&self, _generator: &mut Generator) -> Option<Arm> {
        None
    }
}

#[test]
fn stretches_alone_last_as_long_as_they_say() {
    let alone: Vec<usize> = diary(Stretches, &ladder(3), 19, 1)
        .iter()
        .enumerate()
        .filter_map(|(at, arms)| (*arms == [Arm(2)]).then_some(at + 1))
        .collect();
    assert_eq!(alone, [(4..=10).collect::<Vec<_>>(), (12..=18).collect()].concat());
}

/// Always the same pair.
struct Fixed(Arm, Arm);

impl DuelPolicy for Fixed {
    fn arm_count(&self) -> usize {
        3
    }

    fn pair(&mut self, _step: u64, _generator: &mut Generator) -> (Arm, Arm) {
        (self.0, self.1)
    }

    fn outcome(&mut self, _winner: Arm, _loser: Arm) {}

    fn best(&self, _generator: &mut Generator) -> Option<Arm> {
        None
    }
}

#[test]
#[should_panic(expected = "the algorithm chose arm 3 of 3; arms are numbered from 0")]
fn an_arm_that_there_is_not_is_refused() {
    diary(Fixed(Arm(3), Arm(0)), &ladder(3), 1, 1);
}

#[test]
#[should_panic(expected = "the algorithm chose arm 3 of 3")]
fn nor_does_it_play_alone() {
    diary(Fixed(Arm(3), Arm(3)), &ladder(3), 1, 1);
}

/// Each arm by the toss of a coin, and always those of `besides`.
#[derive(Clone)]
struct Half {
    won: Vec<u32>,
    besides: Vec<Arm>,
}

impl Half {
    fn new(arms: usize) -> Self {
        Self { won: vec![0; arms], besides: Vec::new() }
    }
}

impl SetPolicy for Half {
    fn arm_count(&self) -> usize {
        self.won.len()
    }

    fn set(&mut self, _step: u64, generator: &mut Generator, set: &mut Vec<Arm>) {
        assert!(self.won.len() > 1 && set.is_empty());
        set.extend((0..self.won.len()).filter(|_| coin(generator)).map(Arm::at));
        if set.is_empty() {
            set.push(Arm(0));
        }
        set.extend(&self.besides);
    }

    fn outcome(&mut self, set: &[Arm], wins: &PairWins) {
        assert!(set.len() > 1, "an arm alone has no outcome");
        for (position, arm) in set.iter().enumerate() {
            self.won[arm.index()] += wins.wins_of(position);
        }
    }

    fn best(&self, generator: &mut Generator) -> Option<Arm> {
        best_arm(generator, self.won.iter())
    }
}

#[test]
fn own_sets_are_played_and_learnt() {
    let matrix = problems::arithmetic(5).expect("five arms");
    let played = diary(Sets::new(Half::new(5)), &matrix, 2_000, 1);
    for size in 1..=5 {
        assert!(played.iter().any(|arms| arms.len() == size), "{size}");
    }
    let mut policy = Sets::new(Half::new(5));
    let mut generators = Generators::from_seed(1);
    play(&mut policy, &mut MatrixArena::new(matrix).expect("arm 0"), 2_000, &mut generators, &mut ());
    // Among n arms that meet there are n (n - 1) / 2 winners.
    let pairs: usize = played.iter().map(|arms| arms.len() * (arms.len() - 1) / 2).sum();
    assert_eq!(policy.algorithm().won.iter().sum::<u32>() as usize, pairs);
    assert_eq!(policy.recommend(&mut generators.policy), Some(Arm(0)));
}

#[test]
#[should_panic(expected = "the algorithm chose arm 0 twice for one set")]
fn a_set_has_no_arm_twice() {
    let besides = vec![Arm(0), Arm(0)];
    diary(Sets::new(Half { besides, ..Half::new(2) }), &ladder(2), 1, 1);
}

#[test]
#[should_panic(expected = "the algorithm chose arm 2 of 2")]
fn a_set_has_only_arms_that_there_are() {
    diary(Sets::new(Half { besides: vec![Arm(2)], ..Half::new(2) }), &ladder(2), 1, 1);
}
