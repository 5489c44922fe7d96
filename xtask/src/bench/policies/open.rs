//! P9: the cost of a step with 10^4 tickets open, beside the same step with its outcome at hand.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use anyhow::Result;
use bandits::open::{Outcome, Ticket};
use bandits::registry::{PolicyVisitor, Spec, entries};
use bandits::{
    Arena as _, Choice, Feedback, Generator, Generators, MatrixArena, OpenPolicy, PairWins, Policy, Preference,
};
use rand::SeedableRng as _;

use super::{HORIZON, MAX_TIME, PolicySelection, SLICE, SLICES, near_ties, openings};
use crate::bench::measure::Row;

/// The number of open tickets.
const OPEN_TICKETS: usize = 10_000;

/// Measures, prints a line for each algorithm and number of arms, and gives the rows for the record.
pub(in crate::bench) fn measure(which: &PolicySelection) -> Result<Vec<Row>> {
    let sizes = if which.arms.is_empty() { vec![136] } else { which.arms.clone() };
    println!("{:22}{:>6}{:>14}{:>14}{:>10}", "ns a step, exploring", "arms", "closed", "10^4 open", "goal");
    let mut rows = Vec::new();
    for entry in entries() {
        if !which.algorithms.is_empty() && !which.algorithms.iter().any(|name| name == entry.name) {
            continue;
        }
        let spec: Spec = entry.name.parse()?;
        for &arms in &sizes {
            let arena = MatrixArena::new(near_ties(arms))?;
            let closed =
                spec.visit(arms, Some(HORIZON), Closed { arena: &arena, opening: openings::steps(entry.name, arms) })?;
            let policy = spec.open(arms, Some(HORIZON), &Generators::from_seed(1))?;
            let native = policy.is_native();
            let open = with_tickets(policy, &arena, openings::steps(entry.name, arms));
            let target = (1.5 * closed).max(closed + 40.0);
            let row = Row {
                goal: "P9",
                what: format!("{}, step exploring {arms} arms, 10^4 tickets open", entry.name),
                unit: "ns",
                value: open,
                target: Some(target),
            };
            let verdict = if row.met() == Some(true) { "met" } else { "MISSED" };
            let form = if native { "" } else { " (queues)" };
            println!("{:22}{arms:>6}{closed:>14.1}{open:>14.1}{target:>10.0} {verdict}{form}", entry.name);
            rows.push(row);
        }
    }
    Ok(rows)
}

/// The median nanoseconds per step of slices in which most steps have an outcome. `play` makes steps and returns how
/// many had one.
fn median(opening: u64, mut play: impl FnMut(u64) -> u64) -> f64 {
    let begun = Instant::now();
    let mut played = 0;
    while played < opening && begun.elapsed() < MAX_TIME {
        play(SLICE);
        played += SLICE;
    }
    let begun = Instant::now();
    let mut slices = Vec::new();
    while slices.len() < SLICES && (begun.elapsed() < MAX_TIME || slices.is_empty()) {
        let start = Instant::now();
        let learnt = play(SLICE);
        let spent: Duration = start.elapsed();
        if 2 * learnt >= SLICE || begun.elapsed() > 4 * MAX_TIME {
            slices.push(spent.as_secs_f64() * 1e9 / learnt.max(1) as f64);
        }
    }
    slices.sort_by(f64::total_cmp);
    slices[slices.len() / 2]
}

/// Chooses and learns, one step after the other.
struct Closed<'a> {
    arena: &'a MatrixArena,
    opening: u64,
}

impl PolicyVisitor for Closed<'_> {
    type Output = f64;

    fn visit<P: Policy + Send>(self, mut policy: P) -> f64 {
        let mut arena = self.arena.clone();
        let (mut generator, mut outcomes) = (Generator::seed_from_u64(1), Generator::seed_from_u64(2));
        let mut wins = PairWins::default();
        let mut step = 0;
        median(self.opening, |steps| {
            let last = step + steps;
            let mut learnt = 0;
            while step < last {
                step += 1;
                match policy.choose(step, &mut generator) {
                    Choice::Duel(first, second) => {
                        let won = first == second || arena.duel(first, second, &mut outcomes) == Preference::First;
                        policy.learn(step, Feedback::of_duel(first, second, won));
                        learnt += 1;
                    }
                    Choice::Set(arms) => {
                        arena.multi_duel(arms, &mut outcomes, &mut wins);
                        policy.learn(step, Feedback::Set { wins: &wins });
                        learnt += 1;
                    }
                    Choice::Alone { until, .. } => step = until.min(last),
                }
            }
            learnt
        })
    }
}

/// The answer to a ticket.
enum TicketAnswer {
    Duel(Preference),
    Set(Box<PairWins>),
}

/// Asks, and answers the oldest of 10^4 tickets.
fn with_tickets(mut policy: OpenPolicy, arena: &MatrixArena, opening: u64) -> f64 {
    let mut arena = arena.clone();
    let mut outcomes = Generator::seed_from_u64(2);
    let mut tickets: VecDeque<(Ticket, TicketAnswer)> = VecDeque::with_capacity(OPEN_TICKETS + 1);
    let mut play = |steps: u64| {
        let mut learnt = 0;
        for _ in 0..steps {
            let asked = policy.ask();
            let Some(ticket) = asked.ticket else { continue };
            let answer = match asked.choice {
                Choice::Set(arms) => {
                    let mut wins = PairWins::default();
                    arena.multi_duel(arms, &mut outcomes, &mut wins);
                    TicketAnswer::Set(wins.into())
                }
                Choice::Duel(first, second) => TicketAnswer::Duel(arena.duel(first, second, &mut outcomes)),
                Choice::Alone { .. } => continue,
            };
            tickets.push_back((ticket, answer));
            learnt += 1;
            if tickets.len() > OPEN_TICKETS
                && let Some((ticket, answer)) = tickets.pop_front()
            {
                let answered = match &answer {
                    TicketAnswer::Duel(outcome) => policy.tell(ticket, *outcome),
                    TicketAnswer::Set(wins) => policy.tell(ticket, Outcome::Set(wins)),
                };
                debug_assert!(answered.is_ok());
            }
        }
        learnt
    };
    for _ in 0..2 * OPEN_TICKETS as u64 / SLICE {
        play(SLICE);
    }
    median(opening, play)
}
