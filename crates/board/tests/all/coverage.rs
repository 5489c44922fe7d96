//! How often statements are right, when pairs are drawn uniformly and when a policy chooses them.

use crate::world::{World, always};
use bandits::registry::Spec;
use bandits::{Choice, Generators, Preference};
use board::{Answer, Board, Clusters, Ranks, Settings, Table, TieModel};
use rayon::prelude::*;
use statistics::Normals;

/// Comparison of a board with the truth.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    /// Whether all ranks are right: at one look, at every look under Bradley-Terry, without a model.
    right: [bool; 3],
    /// The mean width of ranks, worst minus best.
    width: [f64; 3],
    /// The probability that the leader is the best, as stated, and whether it is.
    stated: f64,
    best: bool,
}

fn seen(world: &World, table: &Table, clusters: Clusters) -> Seen {
    let settings = Settings { checks: false, advice: false, clusters, ties: world.ties, ..Settings::default() };
    let board = Board::new(table, &settings).unwrap();
    let size = world.strengths.len();
    let mut seen = Seen { right: [true; 3], ..Seen::default() };
    let mut leader = (0.0, 0);
    for competitor in &board.competitors {
        let own = world.strengths[competitor.number];
        // Equal competitors share a range of ranks, and all of it must be allowed.
        let truth = 1 + world.strengths.iter().filter(|other| **other > own).count();
        let last = world.strengths.iter().filter(|other| **other >= own).count();
        // If one order explains all pairs, ranks also follow from pairwise wins.
        let known = Ranks { best: 1 + competitor.beaten_by, worst: size - competitor.beats };
        for (kind, ranks) in [competitor.once, always(competitor), known].into_iter().enumerate() {
            seen.right[kind] &= ranks.best <= truth && last <= ranks.worst;
            seen.width[kind] += (ranks.worst - ranks.best) as f64 / size as f64;
        }
        if competitor.best > leader.0 {
            leader = (competitor.best, truth);
        }
    }
    (seen.stated, seen.best) = (leader.0, leader.1 == 1);
    seen
}

/// `rows` judgements of pairs that a policy chooses; an arm that it would play alone meets a uniformly drawn other.
fn chosen(world: &World, policy: &str, rows: usize, seed: u64) -> Table {
    let spec: Spec = policy.parse().unwrap();
    let size = world.strengths.len();
    let mut open = spec.open(size, Some(rows as u64), &Generators::from_seed(seed)).unwrap();
    let mut draws = Normals::from_seed(seed ^ 0xabcd);
    let mut judge = world.judge(&mut draws);
    let mut table = world.empty();
    while table.judgements.len() < rows {
        let asked = open.ask();
        let (mut first, second) = match asked.choice {
            Choice::Duel(first, second) => (first.0 as usize, second.0 as usize),
            Choice::Alone { arm, .. } => (arm.0 as usize, arm.0 as usize),
            other => panic!("a duel, not {other:?}"),
        };
        let alone = first == second;
        if alone {
            first = (second + 1 + draws.below(size - 1)) % size;
        }
        let swapped = draws.uniform() < 0.5;
        let (shown, other) = if swapped { (second, first) } else { (first, second) };
        let judgement = judge(&mut draws, table.judgements.len(), shown, other);
        table.judgements.push(judgement);
        if let Some(ticket) = asked.ticket {
            if alone {
                open.forget(ticket).unwrap();
                continue;
            }
            let outcome = match (judgement.verdict, swapped) {
                (Answer::First, false) | (Answer::Second, true) => Preference::First,
                (Answer::First, true) | (Answer::Second, false) => Preference::Second,
                _ => Preference::Tie,
            };
            open.tell(ticket, outcome).unwrap();
        }
    }
    table
}

/// Shares of boards that are right, mean widths, and the mean stated and true share of best leaders.
fn measured(boards: u64, board: impl Fn(u64) -> Seen + Sync + Send) -> ([f64; 3], [f64; 3], [f64; 2]) {
    let all: Vec<Seen> = (0..boards).into_par_iter().map(board).collect();
    let n = boards as f64;
    let mean = |of: &dyn Fn(&Seen) -> f64| all.iter().map(of).sum::<f64>() / n;
    let kinds = [0, 1, 2];
    (
        kinds.map(|kind| mean(&|seen| f64::from(u8::from(seen.right[kind])))),
        kinds.map(|kind| mean(&|seen| seen.width[kind])),
        [mean(&|seen| seen.stated), mean(&|seen| f64::from(u8::from(seen.best)))],
    )
}

fn world(seed: u64) -> World {
    World::normal(20, 0.8, 0.5, 7_000 + seed)
}

#[test]
fn ranks_of_uniform_pairs_are_right() {
    for (ties, tie) in [(TieModel::Davidson, 0.5), (TieModel::RaoKupper, 1.0)] {
        let small = |seed| World { ties, ..World::normal(6, 0.8, tie, 7_000 + seed) };
        let ([once, always, known], ..) =
            measured(200, |seed| seen(&small(seed), &small(seed).table(400, seed), Clusters::Auto));
        // 0.95 less three standard errors of 200 boards.
        assert!(once >= 0.90 && always >= 0.90 && known >= 0.90, "{ties:?}: {once} {always} {known}");
    }
}

/// Prints the measurements; returns the shares of boards that are right.
#[expect(clippy::print_stderr, reason = "a measurement prints its numbers")]
fn show(name: &str, (right, width, best): ([f64; 3], [f64; 3], [f64; 2])) -> [f64; 3] {
    eprintln!("{name}: right {right:.4?}, width {width:.2?}, best stated and true {best:.3?}");
    right
}

#[test]
#[ignore = "minutes in a release build: cargo test -p board --release -- --ignored coverage"]
fn coverage_of_uniform_and_adaptive_pairs_at_full_size() {
    let uniform =
        show("uniform", measured(2_000, |seed| seen(&world(seed), &world(seed).table(3_000, seed), Clusters::Auto)));
    let sparring = show(
        "self-sparring",
        measured(2_000, |seed| seen(&world(seed), &chosen(&world(seed), "self-sparring", 3_000, seed), Clusters::Auto)),
    );
    for right in [uniform, sparring].into_iter().flatten() {
        assert!(right >= 0.94, "{right}");
    }
    let other = |name: &str, change: fn(World) -> World| {
        let world = |seed| change(world(seed));
        show(name, measured(400, |seed| seen(&world(seed), &world(seed).table(3_000, seed), Clusters::Auto)))
    };
    let order = other("order bias", |world| World { position: 0.4, ..world });
    let items = other("clusters of items", |world| World { item_spread: 0.8, ..world.shared(200, 0) });
    let both = other("clusters of items and judges", |world| World {
        item_spread: 0.5,
        judge_spread: 0.3,
        ..world.shared(200, 40)
    });
    for right in [order[0], order[1], items[0], both[0]] {
        assert!(right >= 0.928, "{right}");
    }
}

#[test]
#[ignore = "a minute in a release build: cargo test -p board --release -- --ignored equal"]
fn equal_competitors_are_rarely_separated_at_full_size() {
    // Nothing separates equal strengths: every separated pair is an error, and all 190 can be wrong.
    let equal = |seed| World::normal(20, 0.0, 0.5, 7_000 + seed);
    let uniform = show(
        "equal, uniform",
        measured(400, |seed| seen(&equal(seed), &equal(seed).table(3_000, seed), Clusters::Auto)),
    );
    let sparring = show(
        "equal, self-sparring",
        measured(400, |seed| seen(&equal(seed), &chosen(&equal(seed), "self-sparring", 3_000, seed), Clusters::Auto)),
    );
    for right in [uniform, sparring].into_iter().flatten() {
        assert!(right >= 0.928, "{right}");
    }
}
