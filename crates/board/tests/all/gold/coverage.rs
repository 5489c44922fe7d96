//! Whether intervals of corrected strengths hold for people, whatever the model favours, and how much they gain.

use super::world::World;
use board::{Board, Gold, Settings};
use rayon::prelude::*;

/// Measurements over many tables.
pub(super) struct Measured {
    /// By competitor, how often its interval of 95% holds the truth.
    pub(super) coverage: Vec<f64>,
    /// The share of tables with a rank of one look that is wrong.
    pub(super) false_ranks: f64,
    /// The mean ratio of errors to those of people alone.
    pub(super) width: f64,
    /// The mean weight of the model.
    pub(super) lambda: f64,
}

impl Measured {
    fn mean(&self) -> f64 {
        self.coverage.iter().sum::<f64>() / self.coverage.len() as f64
    }

    fn least(&self) -> f64 {
        self.coverage.iter().copied().fold(1.0, f64::min)
    }
}

const TABLES: u64 = 500;

/// Prints measurements of tables with a known truth, by the names of competitors.
#[expect(clippy::print_stderr, reason = "a measurement prints its numbers")]
pub(super) fn measured(
    name: &str,
    tables: u64,
    truth: impl Fn(&str) -> f64 + Sync,
    draw: impl Fn(u64) -> Gold + Sync,
) -> Measured {
    let settings = Settings { checks: false, advice: false, ..Settings::default() };
    let one = |seed: u64| {
        let gold = draw(seed);
        let board = Board::with_gold(&gold, &settings).unwrap();
        let alone = Board::new(&gold.people, &settings).unwrap();
        let mut all: Vec<(&board::Competitor, f64)> =
            board.competitors.iter().map(|one| (one, truth(&one.name))).collect();
        let mean = all.iter().map(|one| one.1).sum::<f64>() / all.len() as f64;
        let wrong = all.iter().any(|(one, own)| {
            let above = all.iter().filter(|other| other.1 > *own).count();
            let last = all.iter().filter(|other| other.1 >= *own).count();
            one.once.best > above + 1 || one.once.worst < last
        });
        all.sort_by_key(|one| one.0.number);
        let covered: Vec<bool> =
            all.iter().map(|(one, own)| (one.strength - (own - mean)).abs() <= 1.96 * one.standard_error).collect();
        let errors = |board: &Board| board.competitors.iter().map(|one| one.standard_error).sum::<f64>();
        (covered, wrong, errors(&board) / errors(&alone), board.model.unwrap().lambda)
    };
    let all: Vec<_> = (0..tables).into_par_iter().map(one).collect();
    let n = all.len() as f64;
    let share = |member: usize| all.iter().filter(|one| one.0[member]).count() as f64 / n;
    let measured = Measured {
        coverage: (0..all[0].0.len()).map(share).collect(),
        false_ranks: all.iter().filter(|one| one.1).count() as f64 / n,
        width: all.iter().map(|one| one.2).sum::<f64>() / n,
        lambda: all.iter().map(|one| one.3).sum::<f64>() / n,
    };
    eprintln!(
        "{name}: covered {:.3} (least {:.3}), false ranks {:.3}, width {:.3}, lambda {:.2}",
        measured.mean(),
        measured.least(),
        measured.false_ranks,
        measured.width,
        measured.lambda
    );
    measured
}

fn of_world(name: &str, tables: u64, world: &World) -> Measured {
    let truth = world.truth();
    measured(name, tables, |name| truth[name[1..].parse::<usize>().unwrap()], |seed| world.draw(1_000 + seed))
}

/// Models with their biases.
fn biased() -> Vec<(&'static str, World)> {
    let world = World::new();
    let family = vec![1.0, 0.0, 0.0, -0.5, 0.0, 0.0];
    vec![
        ("unbiased", world.clone()),
        ("favours its family", World { family: family.clone(), ..world.clone() }),
        ("favours the longer", World { length: 0.8, ..world.clone() }),
        ("favours the first shown", World { first: 1.0, ..world.clone() }),
        ("favours all three", World { family: family.clone(), length: 0.8, first: 1.0, ..world.clone() }),
        ("items differ", World { family, item_spread: 0.7, ..world }),
    ]
}

/// A model without information, but with favourites.
fn worthless() -> World {
    World { quality: 0.0, informed: false, family: vec![1.0, 0.0, 0.0, -0.5, 0.0, 0.0], first: 0.5, ..World::new() }
}

/// A model that nearly always agrees with people.
fn good() -> World {
    World { quality: 0.97, ..World::new() }
}

/// People see no difference; the model does.
fn equal() -> World {
    World { strengths: vec![0.0; 6], family: vec![1.5, 0.5, 0.0, 0.0, -0.5, -1.5], ..World::new() }
}

#[test]
fn what_only_the_model_prefers_is_not_claimed() {
    // 0.05 and three standard errors of 100 tables.
    assert!(of_world("equal for people", 100, &equal()).false_ranks <= 0.05 + 0.066);
}

#[test]
fn biased_models_do_not_mislead() {
    for (name, world) in biased() {
        let found = of_world(name, 100, &world);
        // 0.95 less three standard errors of 600 intervals, taken as if those of a table were one; and of 100 tables.
        assert!(found.mean() > 0.885 && found.false_ranks <= 0.05 + 0.066, "{name}");
    }
}

#[test]
fn a_worthless_model_costs_little_and_a_good_one_gains() {
    assert!(of_world("worthless", 40, &worthless()).width <= 1.1);
    assert!(of_world("good", 40, &good()).width <= 0.75);
}

#[test]
#[ignore = "minutes: cargo test -p board --test board -- --ignored --nocapture gold::coverage"]
fn coverage_with_biased_models_at_full_size() {
    let worlds =
        biased().into_iter().chain([("worthless", worthless()), ("good", good()), ("equal for people", equal())]);
    let fewer = |labels| World { labels, ..World::new() };
    for (name, world) in [("50 labels", fewer(50)), ("30 labels", fewer(30))] {
        // With so few labels, intervals are not too narrow; they may be wider than needed.
        let found = of_world(name, TABLES, &world);
        assert!(found.mean() >= 0.93 && found.least() >= 0.90, "{name}: {:?}", found.coverage);
    }
    for (name, world) in worlds.chain([("100 labels", fewer(100))]) {
        let found = of_world(name, TABLES, &world);
        assert!((0.93..=0.97).contains(&found.mean()) && found.least() >= 0.90, "{name}: {:?}", found.coverage);
        // Three standard errors of 500 tables.
        assert!(found.false_ranks <= 0.05 + 0.03, "{name}: {}", found.false_ranks);
        assert!(found.width <= 1.1, "{name}: {}", found.width);
    }
}
