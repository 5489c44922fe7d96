//! Which of five rankers is best, asked of simulated users: a bandit chooses two, their lists are mixed, a user clicks, the
//! receipt says who won, and the test may be looked at after every impression.
//!
//! ```text
//! cargo run --release -p interleave --example best_of_five
//! ```

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use bandits::registry::Spec;
use bandits::{Choice, Generators};
use clicks::ClickSpec;
use interleave::{AnyInterleaving, Generator, SeedableRng, by_id};
use statistics::anytime::BestArm;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // One query with fifty documents, one in five relevant. Ranker r lists r irrelevant ones before all that are relevant.
    let labels: Vec<f32> = (0..50).map(|document| if document % 5 == 0 { 2.0 } else { 0.0 }).collect();
    let ranked = |ranker: usize| {
        let (relevant, rest): (Vec<usize>, Vec<usize>) = (0..50).partition(|&document| labels[document] > 0.0);
        let (first, last) = rest.split_at(ranker);
        [first, &relevant, last].concat()
    };
    let lists: Vec<Vec<usize>> = (0..5).map(ranked).collect();

    let users = "navigational".parse::<ClickSpec>()?.users(&labels)?;
    let method: AnyInterleaving = "team-draft".parse()?;
    let mut policy = "rucb".parse::<Spec>()?.open(5, None, &Generators::from_seed(1))?;
    let mut test = BestArm::new(5, 0.05)?;
    let [mut draws, mut clicks] = [2, 3].map(Generator::seed_from_u64);
    for number in 1..=100_000 {
        let asked = policy.ask();
        let (Some(ticket), Choice::Duel(first, second)) = (asked.ticket, asked.choice) else { continue };
        let pair = [first, second].map(|arm| lists[arm.index()].as_slice());
        let impression = by_id::interleave(&method, pair, 10, &mut draws)?;
        let shown = impression.shown();
        let clicked: Vec<usize> =
            users.read(shown.iter().copied(), &mut clicks).iter().map(|&place| shown[place]).collect();
        let winner = impression.winner(&method, &clicked)?;
        policy.tell(ticket, winner)?;
        if let Some(best) = test.record(first.index(), second.index(), winner) {
            println!("Ranker {best} is best, at 95% confidence, after {number} impressions.");
            return Ok(());
        }
    }
    println!("Undecided after 100,000 impressions; ranker {} leads.", test.leader().arm);
    Ok(())
}
