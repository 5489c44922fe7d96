//! A board for each category, and one for all in a mix.

use crate::world::World;
use board::{Board, BoardError, Categories, CategoryBoards, Claim, Settings, Table};
use rayon::prelude::*;

fn settings() -> Settings {
    Settings { checks: false, advice: false, ..Settings::default() }
}

/// Judgements of several worlds, a category each, side by side.
fn mixed(worlds: &[(&str, World, usize)], seed: u64) -> (Table, Categories) {
    let mut all = worlds[0].1.empty();
    let mut of = Vec::new();
    for (number, (_, world, rows)) in (0..).zip(worlds) {
        let part = world.table(*rows, seed ^ (u64::from(number) << 40));
        of.extend(std::iter::repeat_n(number, part.judgements.len()));
        all.judgements.extend(part.judgements);
    }
    (1..).zip(&mut all.judgements).for_each(|(row, judgement)| judgement.row = row);
    let names = worlds.iter().map(|world| world.0.to_owned()).collect();
    (all, Categories { column: "kind".to_owned(), names, of, mix: Vec::new() })
}

fn boards(table: &Table, categories: &Categories, mix: &[(&str, f64)]) -> Result<CategoryBoards, BoardError> {
    let mix = mix.iter().map(|one| (one.0.to_owned(), one.1)).collect();
    CategoryBoards::new(table, &Categories { mix, ..categories.clone() }, &settings())
}

fn with(strengths: &[f64]) -> World {
    World { strengths: strengths.to_vec(), ..World::normal(strengths.len(), 0.0, 0.5, 1) }
}

#[test]
fn who_is_best_in_one_category_alone_is_named() {
    let worlds = [("chat", with(&[1.0, 0.0, -1.0, 0.0]), 1_500), ("code", with(&[-1.0, 0.0, 1.0, 0.0]), 500)];
    let (table, categories) = mixed(&worlds, 4);
    let found = boards(&table, &categories, &[]).unwrap();
    let best = |board: &Board| {
        board.competitors.iter().filter(|one| one.claim == Claim::Best).map(|one| one.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(found.categories.iter().map(|one| best(&one.board)).collect::<Vec<_>>(), [["c0"], ["c2"]]);
    let shares: Vec<(usize, f64)> = found.categories.iter().map(|one| (one.judgements, one.share)).collect();
    assert_eq!((shares, found.is_mix_given), (vec![(1_500, 0.75), (500, 0.25)], false));
    assert!(found.categories.iter().all(|one| (one.board.level - 0.975).abs() < 1e-12) && found.all.level == 0.95);
    let mut dependent: Vec<&str> = found.dependent.iter().map(|one| &one.competitor[..]).collect();
    dependent.sort_unstable();
    assert_eq!(dependent, ["c0", "c2"]);
    let one = found.dependent.iter().find(|one| one.competitor == "c0").unwrap();
    let [(better, high), (worse, low)] = &one.ranks;
    assert!(better == "chat" && worse == "code" && high.worst < low.best && one.compared == 4, "{one:?}");
    assert!(
        found.sentence.starts_with("Ranks that depend on kind: c0 (1 in chat, 4 in code, of 4), c2 ("),
        "{}",
        found.sentence
    );
    // Without a mix, the board of all is that of the table.
    assert_eq!(found.all, Board::new(&table, &settings()).unwrap());
    // With three quarters of code the order is reversed; without chat only code counts.
    let turned = boards(&table, &categories, &[("chat", 0.25), ("code", 0.75)]).unwrap();
    assert_eq!(best(&found.all), ["c0"]);
    let first = |board: &Board| (board.competitors[0].name.clone(), board.competitors[3].name.clone());
    assert_eq!((first(&turned.all), first(&found.all)), (("c2".into(), "c0".into()), ("c0".into(), "c2".into())));
    let alone = boards(&table, &categories, &[("chat", 0.0), ("code", 1.0)]).unwrap();
    let strengths = |board: &Board| board.competitors.iter().map(|one| one.strength).collect::<Vec<_>>();
    let pairs = strengths(&alone.all).into_iter().zip(strengths(&found.categories[1].board));
    assert!(pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) < 1e-9);
}

#[test]
fn weights_make_no_judgements() {
    // Half of the table counts nine times as much as the other: errors are at least those of independent halves, and nothing like those of five times
    // the judgements.
    let worlds = [("a", with(&[0.5, 0.0, -0.5]), 1_000), ("b", with(&[0.5, 0.0, -0.5]), 1_000)];
    let (table, categories) = mixed(&worlds, 9);
    let error = |mix: &[(&str, f64)]| boards(&table, &categories, mix).unwrap().all.competitors[0].standard_error;
    let [plain, uneven] = [error(&[]), error(&[("a", 0.9), ("b", 0.1)])];
    // (0.9^2 + 0.1^2) / (2 * 0.5^2) = 1.64 times the variance.
    let ratio = uneven * uneven / (plain * plain);
    assert!((ratio - 1.64).abs() < 0.15, "{ratio}");
}

#[test]
fn equal_categories_are_rarely_told_apart() {
    // Clusters of judges who judge in all categories, with no dependence on the category.
    let all: Vec<(bool, bool)> = (0..100)
        .into_par_iter()
        .map(|seed| {
            let world = || World { judge_spread: 0.2, ..World::normal(5, 0.6, 0.5, 70 + seed).shared(0, 20) };
            let (table, categories) = mixed(&[("a", world(), 400), ("b", world(), 400), ("c", world(), 200)], seed);
            let found = boards(&table, &categories, &[("a", 0.2), ("b", 0.3), ("c", 0.5)]).unwrap();
            let truth = world().strengths;
            let above = |number: usize| truth.iter().filter(|other| **other > truth[number]).count();
            let are_right = found
                .all
                .competitors
                .iter()
                .all(|one| (one.once.best..=one.once.worst).contains(&(1 + above(one.number))));
            (found.dependent.is_empty(), are_right)
        })
        .collect();
    let count = |of: fn(&(bool, bool)) -> bool| all.iter().filter(|one| of(one)).count();
    // 95% of 100 less three standard errors.
    assert!(count(|one| one.0) >= 88 && count(|one| one.1) >= 88, "{all:?}");
}

#[test]
fn an_item_of_two_categories_is_two() {
    let (mut table, categories) = mixed(&[("a", with(&[0.5, -0.5]), 40), ("b", with(&[0.5, -0.5]), 40)], 2);
    table.items = vec!["q".to_owned()];
    table.judges = (0..40).map(|k| k.to_string()).collect();
    for (judgement, place) in table.judgements.iter_mut().zip(0..) {
        (judgement.item, judgement.judge) = (Some(0), Some(place % 40));
    }
    let found = boards(&table, &categories, &[]).unwrap();
    assert_eq!(found.all.tally.units, 80);
}

#[test]
fn what_does_not_fit_is_refused() {
    let (table, categories) = mixed(&[("a", with(&[0.5, -0.5]), 40), ("b", with(&[0.5, -0.5]), 40)], 2);
    let error = |mix: &[(&str, f64)]| boards(&table, &categories, mix).unwrap_err().to_string();
    assert_eq!(error(&[("a", 1.0)]), "the mix of categories: b has no share; give one, 0 to leave it out");
    assert!(error(&[("a", 0.5), ("c", 0.5)]).ends_with("there is no category c; the table has a, b"));
    assert!(error(&[("a", 0.5), ("b", 0.6)]).ends_with("the shares add up to 1.1; expected 1"));
    assert!(error(&[("a", -0.5), ("b", 1.5)]).ends_with("the share of a is -0.5; expected a number from 0 to 1"));
    assert!(error(&[("a", 0.5), ("a", 0.5), ("b", 0.0)]).ends_with("a has two shares; give one"));
    let mut empty = table.clone();
    empty.judgements[40..].iter_mut().for_each(|row| row.second = row.first);
    let refused = boards(&empty, &categories, &[]).unwrap_err();
    assert!(matches!(&refused, BoardError::Category { category, .. } if category == "b"), "{refused}");
    let short = Categories { of: vec![0; 79], ..categories.clone() };
    assert!(boards(&table, &short, &[]).is_err());
}
