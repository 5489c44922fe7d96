//! Plays one entry on one problem once, and counts what it costs. Measures of sessions are in `tracks`.
//!
//! Arms are renumbered in every session, and everything is drawn from streams that follow from the key of the benchmark, the
//! problem, the task and the run, and not from the entry: all entries get the same draws. The n-th comparison of a session gets the
//! n-th draw. The seed of an entry comes from a separate stream.

use std::collections::{BTreeMap, VecDeque};

use bandits::Generator;
use bandits::open::AnswerTiming;
use bandits::random::shuffle;
use rand::Rng as _;
use simulation::seed;

use crate::counts::OutcomeCounts;
use crate::entry::{Action, Answer, Arrived, Entry, Foul, Move, Start};
use crate::problems::{BestNotion, Problem};
use crate::track::Track;

/// The settings of a session, without the player.
#[derive(Debug, Clone)]
pub(crate) struct Setup<'a> {
    pub(crate) key: &'a str,
    pub(crate) problem: &'a Problem,
    pub(crate) task: Track,
    pub(crate) horizon: u64,
    pub(crate) run: u64,
    /// Steps between looks at stated winners; 0 for none.
    pub(crate) look_every: u64,
    pub(crate) timing: Option<&'a AnswerTiming>,
}

/// The results of a session.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    /// The sum of what the steps cost, by each notion of the best arm that applies throughout.
    pub(crate) regret: [Option<f64>; 3],
    /// The cost of the same steps with arms drawn at random.
    pub(crate) regret_at_random: [Option<f64>; 3],
    /// Its answer at the end, in the problem's own numbers.
    pub(crate) answer: Answer,
    /// The winner stated first, and the step after which.
    pub(crate) stated: Option<(usize, u64)>,
    /// The order that all its answers suggest, in the problem's own numbers: made in those of the session, so that arms without
    /// answers stand at random.
    pub(crate) order_of_answers: Vec<usize>,
}

/// Plays a session.
///
/// # Errors
/// If the entry does not play such a problem, or breaks a rule: with the step in which it did.
pub(crate) fn play(entry: &Entry, setup: &Setup<'_>) -> Result<Session, Foul> {
    let Setup { key, problem, task, horizon, run, look_every, .. } = *setup;
    let cell = format!("bench {key} {} {} {horizon}", problem.name, task.name());
    // The seed comes from a separate stream.
    let seed = seed::seed(0, &cell, run, "entry");
    let start = Start { task, arms: problem.arms(), horizon, seed };
    let mut player = entry.player(&start)?;
    let mut world = World::new(setup, |purpose| seed::generator(0, &cell, run, purpose));
    let mut arrived = Vec::new();
    let mut stated_winner = None;
    let mut step = 1;
    let in_step = |step: u64| {
        move |foul: Foul| match foul {
            Foul::Broke(what) => {
                Foul::Broke(format!("{what} (step {step} of {horizon} of run {run} on {})", problem.name))
            }
            other => other,
        }
    };
    let answer = loop {
        if step > horizon {
            break player.answer(&arrived).map_err(in_step(horizon))?;
        }
        let Move { action, winner } = player.choose(step, &arrived).map_err(in_step(step))?;
        arrived.clear();
        // A winner stated before the outcome of this step.
        if let Some(winner) =
            winner.filter(|_| look_every > 0 && (step - 1).is_multiple_of(look_every) && stated_winner.is_none())
        {
            stated_winner = Some((world.arms[winner], step - 1));
            break Answer::default();
        }
        step = match action {
            Action::Pair(pair) => world.compare(step, pair, &mut arrived),
            Action::Alone { arm, until } => world.play_alone(step, arm, until.clamp(step, horizon), &mut arrived),
            Action::Enough(answer) => {
                if let Some(best) = answer.best {
                    while step <= horizon {
                        step = world.play_alone(step, best, horizon, &mut arrived);
                    }
                }
                break answer;
            }
        };
    };
    let global_arm = |arm: usize| world.arms[arm];
    let order_of_answers =
        if task == Track::Order { world.counts.order().into_iter().map(global_arm).collect() } else { Vec::new() };
    let answer = Answer {
        best: answer.best.map(global_arm),
        order: answer.order.map(|order| order.into_iter().map(global_arm).collect()),
    };
    Ok(Session {
        regret: world.regret,
        regret_at_random: world.regret_at_random,
        answer,
        stated: stated_winner,
        order_of_answers,
    })
}

/// The problem in a session.
struct World<'a> {
    problem: &'a Problem,
    /// The problem's arm behind each arm of the session.
    arms: Vec<usize>,
    outcomes: Generator,
    late: Option<(&'a AnswerTiming, Generator)>,
    /// Outcomes under way, by the step after which they arrive.
    under_way: BTreeMap<u64, VecDeque<Arrived>>,
    phase: usize,
    /// The first step of each phase but the first.
    changes: Vec<u64>,
    counts: OutcomeCounts,
    regret: [Option<f64>; 3],
    regret_at_random: [Option<f64>; 3],
}

impl<'a> World<'a> {
    fn new(setup: &Setup<'a>, stream: impl Fn(&str) -> Generator) -> Self {
        let Setup { problem, horizon, timing, .. } = *setup;
        let mut arms: Vec<usize> = (0..problem.arms()).collect();
        shuffle(&mut stream("arms"), &mut arms);
        let zeros = BestNotion::ALL.map(|best| {
            let applies = problem.phases.iter().all(|phase| phase.truths.iter().any(|truth| truth.notion == best));
            applies.then_some(0.0)
        });
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of the horizon")]
        let changes = problem.phases[1..].iter().map(|phase| (phase.from * horizon as f64) as u64 + 1).collect();
        Self {
            problem,
            counts: OutcomeCounts::new(arms.len()),
            arms,
            outcomes: stream("outcomes"),
            late: timing.map(|timing| (timing, stream("delays"))),
            under_way: BTreeMap::new(),
            phase: 0,
            changes,
            regret: zeros,
            regret_at_random: zeros,
        }
    }

    /// Switches to the phase of `step`, and returns the last step of it.
    fn end_of_phase(&mut self, step: u64) -> u64 {
        while self.changes.get(self.phase).is_some_and(|&from| from <= step) {
            self.phase += 1;
        }
        self.changes.get(self.phase).map_or(u64::MAX, |from| from - 1)
    }

    fn add_regret(&mut self, [first, second]: [usize; 2], steps: u64) {
        let steps = steps as f64;
        for truth in &self.problem.phases[self.phase].truths {
            let best_arm = truth.notion as usize;
            if let (Some(regret), Some(at_random)) = (&mut self.regret[best_arm], &mut self.regret_at_random[best_arm])
            {
                *regret += (truth.gaps[first] + truth.gaps[second]) / 2.0 * steps;
                *at_random += truth.mean_gap * steps;
            }
        }
    }

    /// Plays a comparison, and returns the next step.
    fn compare(&mut self, step: u64, pair: [usize; 2], arrived: &mut Vec<Arrived>) -> u64 {
        if pair[0] == pair[1] {
            return self.play_alone(step, pair[0], step, arrived);
        }
        self.end_of_phase(step);
        let arms = pair.map(|arm| self.arms[arm]);
        self.add_regret(arms, 1);
        let draw = self.outcomes.next_u32();
        let outcome = self.problem.phases[self.phase].preferences.outcome(arms[0], arms[1], draw);
        let outcome_arrived = Arrived { step, pair, outcome };
        match &mut self.late {
            None => self.deliver(outcome_arrived, arrived),
            Some((timing, delays)) => {
                let (due_step, _) = timing.draw_arrival(step, delays);
                self.under_way.entry(due_step).or_default().push_back(outcome_arrived);
                self.arrive_by(step, arrived);
            }
        }
        step + 1
    }

    /// Shows an arm alone from `step` to `until`, or until something happens before, and returns the next step.
    fn play_alone(&mut self, step: u64, arm: usize, until: u64, arrived: &mut Vec<Arrived>) -> u64 {
        let next_arrival = self.under_way.keys().next().copied().unwrap_or(u64::MAX);
        let end = until.min(self.end_of_phase(step)).min(next_arrival).max(step);
        self.add_regret([self.arms[arm]; 2], end - step + 1);
        self.arrive_by(end, arrived);
        end + 1
    }

    fn arrive_by(&mut self, step: u64, arrived: &mut Vec<Arrived>) {
        while let Some(first_arrivals) =
            self.under_way.first_entry().filter(|first_arrivals| *first_arrivals.key() <= step)
        {
            for arrival in first_arrivals.remove() {
                self.deliver(arrival, arrived);
            }
        }
    }

    fn deliver(&mut self, arrival: Arrived, arrived: &mut Vec<Arrived>) {
        self.counts.record(arrival.pair[0], arrival.pair[1], arrival.outcome);
        arrived.push(arrival);
    }
}
