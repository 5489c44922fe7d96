//! Observers of late answers.

use bandits::open::{AnswerTiming, Delay, play_open};
use bandits::registry::{PolicyVisitor, Spec};
use bandits::{Arena, Arm, Choice, Generator, Generators, Observer, PairWins, Policy, Preference, play};
use rand::{RngExt as _, SeedableRng as _};

const ARMS: usize = 5;

/// Lower arms win more often, and a quarter of all comparisons are ties. With `own_coins` each step has coins of its own.
#[derive(Clone)]
struct Ties {
    own_coins: bool,
}

impl Ties {
    fn outcome(first: Arm, second: Arm, generator: &mut Generator) -> Preference {
        let lower_first = first < second;
        match generator.random_range(0..8) {
            0 | 1 => Preference::Tie,
            2..=5 if lower_first => Preference::First,
            6.. if !lower_first => Preference::First,
            _ => Preference::Second,
        }
    }
}

impl Arena for Ties {
    fn arms(&self) -> usize {
        ARMS
    }

    fn duel(&mut self, first: Arm, second: Arm, generator: &mut Generator) -> Preference {
        Self::outcome(first, second, generator)
    }

    fn start_step(&mut self, step: u64, _generator: &mut Generator, coins: &mut Generator) -> bool {
        if self.own_coins {
            *coins = Generator::seed_from_u64(step);
        }
        self.own_coins
    }

    fn multi_duel(&mut self, arms: &[Arm], generator: &mut Generator, wins: &mut PairWins) {
        wins.reset(arms.len());
        for (i, &first) in arms.iter().enumerate() {
            for (j, &second) in arms.iter().enumerate().skip(i + 1) {
                wins.set(i, j, Self::outcome(first, second, generator));
            }
        }
    }

    fn gaps(&self) -> &[f64] {
        &[0.0; ARMS]
    }
}

/// The arms of an outcome, and the winner of each pair, if any.
type Seen = (Vec<Arm>, Vec<Option<Arm>>);

#[derive(Default)]
struct Watcher {
    /// The impressions with an outcome: their number and their arms.
    shown: Vec<(u64, Vec<Arm>)>,
    outcomes: Vec<Seen>,
    /// How many outcomes were known after which step, where that changed.
    known: Vec<(u64, usize)>,
}

impl Observer for Watcher {
    fn played(&mut self, from: u64, _to: u64, choice: Choice<'_>, _gaps: &[f64]) {
        match choice {
            Choice::Duel(first, second) if first != second => self.shown.push((from, vec![first, second])),
            Choice::Set(arms) => self.shown.push((from, arms.to_vec())),
            _ => {}
        }
    }

    fn dueled(&mut self, first: Arm, second: Arm, outcome: Preference) {
        let winner = match outcome {
            Preference::First => Some(first),
            Preference::Second => Some(second),
            Preference::Tie => None,
        };
        self.outcomes.push((vec![first, second], vec![winner]));
    }

    fn multi_dueled(&mut self, arms: &[Arm], wins: &PairWins) {
        let pairs = (0..arms.len()).flat_map(|i| (i + 1..arms.len()).map(move |j| (i, j)));
        let winner = |(i, j)| match (wins.beats(i, j), wins.beats(j, i)) {
            (true, _) => Some(arms[i]),
            (_, true) => Some(arms[j]),
            _ => None,
        };
        self.outcomes.push((arms.to_vec(), pairs.map(winner).collect()));
    }

    fn caught_up(&mut self, step: u64) {
        if self.known.last().is_none_or(|&(_, known)| known < self.outcomes.len()) {
            self.known.push((step, self.outcomes.len()));
        }
    }
}

/// The observations of the plain loop.
struct Closed {
    arena: Ties,
    steps: u64,
}

impl PolicyVisitor for Closed {
    type Output = Watcher;

    fn visit<P: Policy + Send>(mut self, mut policy: P) -> Watcher {
        let mut watcher = Watcher::default();
        play(&mut policy, &mut self.arena, self.steps, &mut Generators::from_seed(3), &mut watcher);
        watcher
    }
}

fn open(spec: &Spec, arena: &Ties, steps: u64, timing: &AnswerTiming) -> (Watcher, bandits::open::Tally) {
    let mut generators = Generators::from_seed(3);
    let mut policy = spec.open(ARMS, Some(steps), &generators).expect("five arms");
    let mut delays = Generator::seed_from_u64(4);
    let mut watcher = Watcher::default();
    let outcomes = &mut generators.arena;
    play_open(&mut policy, &mut arena.clone(), steps, outcomes, &mut delays, timing, &mut watcher);
    (watcher, policy.tally())
}

#[test]
fn outcomes_are_seen_when_they_arrive_ties_as_ties() {
    let steps = 3_000;
    for name in ["rucb", "rmed1", "self-sparring", "mdb", "random-set", "btm"] {
        let spec: Spec = name.parse().expect(name);
        for own_coins in [false, true] {
            let arena = Ties { own_coins };
            // In time: as the plain loop shows them.
            let closed = spec.visit(ARMS, Some(steps), Closed { arena: arena.clone(), steps }).expect("five arms");
            let (now, tally) = open(&spec, &arena, steps, &AnswerTiming::default());
            assert!(closed.outcomes == now.outcomes && closed.shown == now.shown, "{name}");
            assert_eq!(tally.told, now.outcomes.len() as u64, "{name}");
            let ties = now.outcomes.iter().flat_map(|(_, pairs)| pairs).filter(|winner| winner.is_none()).count();
            assert!(ties > now.outcomes.len() / 8, "{name}: {ties} ties");

            // Late: in the order in which they were shown, each after its delay.
            let delay = 70;
            let late = AnswerTiming { delay: Delay::Fixed(delay), ..AnswerTiming::default() };
            let (late, tally) = open(&spec, &arena, steps, &late);
            assert_eq!(tally.told, late.outcomes.len() as u64, "{name}");
            for ((_, shown), (seen, _)) in late.shown.iter().zip(&late.outcomes) {
                assert_eq!(shown, seen, "{name}");
            }
            let due = |step: u64| late.shown.iter().filter(|(shown, _)| shown + delay <= step).count();
            for &(step, known) in &late.known {
                assert_eq!(due(step), known, "{name} after step {step}");
            }
            assert_eq!(late.known.last().map(|&(_, known)| known), Some(late.outcomes.len()), "{name}");

            // Some never.
            let lossy = AnswerTiming { delay: Delay::Geometric(40.0), lost: 0.3, ..AnswerTiming::default() };
            let (lossy, tally) = open(&spec, &arena, steps, &lossy);
            assert!(tally.forgotten > 0 && tally.told == lossy.outcomes.len() as u64, "{name}");
        }
    }
}
