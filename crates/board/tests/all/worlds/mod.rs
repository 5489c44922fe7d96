//! How often boards make false statements, in worlds with few or many judges and items, and how much they find.

mod before;

use crate::world::{World, always};
use before::before;
use board::{Board, Claim, Looks, Settings, Table};
use rayon::prelude::*;

/// The page with the tables.
const PUBLISHED: &str = include_str!("../../../../../docs/pages/trust.md");

/// Strengths of six competitors.
const STRENGTHS: [(&str, [f64; 6]); 2] =
    [("all equal", [0.0; 6]), ("two equal best", [1.0, 1.0, 0.0, 0.0, -1.0, -1.0])];

/// Judgements of a table.
const ROWS: usize = 600;

/// Worlds of six competitors, with their names.
fn worlds() -> Vec<(String, World)> {
    let mut all = Vec::new();
    for (name, strengths) in STRENGTHS {
        let world = World { strengths: strengths.to_vec(), ..World::normal(6, 0.0, 0.5, 1) };
        let mut add = |what: String, world: World| all.push((format!("{name}, {what}"), world));
        add("independent".to_owned(), world.clone());
        for count in [5, 6, 12, 21, 30, 40] {
            let judges = World { judge_spread: 1.0, ..world.clone().shared(0, count) };
            add(format!("{count} judges"), judges);
        }
        add("12 judges, sd 0.5".to_owned(), World { judge_spread: 0.5, ..world.clone().shared(0, 12) });
        for count in [12, 40] {
            let judges = World { judge_spread: 1.0, zipf: true, ..world.clone().shared(0, count) };
            add(format!("{count} judges, Zipf"), judges);
        }
        for count in [5, 6, 12, 21, 30, 40] {
            let items = World { item_spread: 1.0, ..world.clone().shared(count, 0) };
            add(format!("{count} items"), items);
        }
        add("25 items, 40 judges".to_owned(), World { item_spread: 1.0, ..world.clone().shared(25, 40) });
        for (items, judges) in [(6, 6), (12, 12), (30, 21)] {
            let both = World { item_spread: 0.7, judge_spread: 0.7, ..world.clone().shared(items, judges) };
            add(format!("{items} items, {judges} judges, both"), both);
        }
    }
    all
}

/// The number of tables with false statements: at one look, at every look, without a model, and on the best.
type False = [u64; 4];

fn is_false(world: &World, pairs: &[(usize, usize)]) -> u64 {
    u64::from(pairs.iter().any(|&(i, j)| world.strengths[i] <= world.strengths[j]))
}

fn named_falsely(world: &World, best: Option<usize>) -> u64 {
    let beaten =
        |best: usize| (0..world.strengths.len()).any(|j| j != best && world.strengths[j] >= world.strengths[best]);
    u64::from(best.is_some_and(beaten))
}

fn board(table: &Table, looks: Looks) -> Board {
    Board::new(table, &Settings { checks: false, advice: false, looks, ..Settings::default() }).unwrap()
}

/// The false statements of a board at one look and at every look: its claims of ranks contradict the truth, and so on.
fn after(world: &World, table: &Table) -> False {
    let once = board(table, Looks::Once);
    let every = board(table, Looks::Every);
    let wrong = |best: usize, worst: usize, own: f64| {
        let first = 1 + world.strengths.iter().filter(|other| **other > own).count();
        let last = world.strengths.iter().filter(|other| **other >= own).count();
        best > first || worst < last
    };
    let any = |of: &dyn Fn(&board::Competitor) -> bool| u64::from(once.competitors.iter().any(of));
    let own = |one: &board::Competitor| world.strengths[one.number];
    let better = |one: &board::Competitor| world.strengths.iter().filter(|other| **other > own(one)).count();
    let worse = |one: &board::Competitor| world.strengths.iter().filter(|other| **other < own(one)).count();
    let best = |board: &Board| {
        let named = board.competitors.iter().find(|one| one.claim == Claim::Best);
        named_falsely(world, named.map(|one| one.number))
    };
    [
        any(&|one| wrong(one.once.best, one.once.worst, own(one))),
        any(&|one| wrong(always(one).best, always(one).worst, own(one))),
        any(&|one| one.beaten_by > better(one) || one.beats > worse(one)),
        best(&once).max(best(&every)),
    ]
}

fn percent(count: u64, tables: u64) -> String {
    format!("{:.1}", 100.0 * count as f64 / tables as f64)
}

/// How often statements are false in each world. `published` has the rows that must come out.
#[expect(clippy::print_stdout, reason = "prints what is published, with --nocapture")]
fn falsehoods(tables: u64, cells: impl Iterator<Item = (String, World)>, published: Option<&str>) {
    println!("| world | one look | every look | without a model | best |\n|---|---|---|---|---|");
    let n = tables as f64;
    // 5% plus the effect of chance: 7.5% of 500 tables.
    let bound = (0.05 * n + 2.6 * (n * 0.05 * 0.95).sqrt()).max(2.0);
    let mut wrong = Vec::new();
    for (name, world) in cells {
        let of = |seed: u64| {
            let table = world.table(ROWS, 31_000 + seed);
            let before = before(&table, true);
            let was = [
                is_false(&world, &before.once),
                is_false(&world, &before.every),
                is_false(&world, &before.beats),
                named_falsely(&world, before.best),
            ];
            (was, after(&world, &table))
        };
        let add = |a: False, b: False| std::array::from_fn(|k| a[k] + b[k]);
        let none = ([0; 4], [0; 4]);
        let (was, is) = (0..tables).into_par_iter().map(of).reduce(|| none, |a, b| (add(a.0, b.0), add(a.1, b.1)));
        let cells: Vec<String> = was
            .iter()
            .zip(&is)
            .map(|(was, is)| format!("{} → {}", percent(*was, tables), percent(*is, tables)))
            .collect();
        let row = format!("| {name} | {} |", cells.join(" | "));
        println!("{row}");
        if is.iter().any(|count| *count as f64 > bound) || published.is_some_and(|page| !page.contains(&row)) {
            wrong.push(row);
        }
    }
    assert!(wrong.is_empty(), "over the bound, or another row in docs/pages/trust.md: {wrong:#?}");
}

#[test]
fn little_is_said_falsely() {
    let few = worlds().into_iter().filter(|(name, _)| {
        ["12 judges", "25 items, 40 judges", "6 items, 6 judges, both"].iter().any(|of| name.ends_with(of))
    });
    falsehoods(60, few, None);
}

#[test]
#[ignore = "takes minutes: cargo test -p board -- --ignored worlds --nocapture"]
fn worlds_with_few_and_many_clusters_at_full_size() {
    falsehoods(500, worlds().into_iter(), Some(PUBLISHED));
}

/// Pairs known of independent judgements: at every look before, at every look, at one look.
fn known(count: usize, rows: usize, seed: u64, with_before: bool) -> [usize; 3] {
    let world = World::normal(count, 0.8, 0.5, 900 + seed);
    let table = world.table(rows, 77_000 + seed);
    let group = &board(&table, Looks::Once).groups[0];
    let was = if with_before { before(&table, true).every.len() } else { 0 };
    [was, group.known_always.expect("a board without a model"), group.known_once]
}

/// The number of known pairs.
#[expect(clippy::print_stdout, reason = "prints what is published, with --nocapture")]
fn power(tables: u64, sizes: &[(usize, usize)], published: Option<&str>) {
    println!(
        "| competitors | judgements | every look before | every look | one look | share |\n|---|---|---|---|---|---|"
    );
    let mut wrong = Vec::new();
    for &(count, rows) in sizes {
        let all: Vec<[usize; 3]> = (0..tables).into_par_iter().map(|seed| known(count, rows, seed, true)).collect();
        assert!(all.iter().all(|[was, every, once]| was <= every && every <= once), "{count} {rows}: {all:?}");
        let [was, every, once] =
            [0, 1, 2].map(|k| all.iter().map(|known| known[k]).sum::<usize>() as f64 / tables as f64);
        let row = format!("| {count} | {rows} | {was:.1} | {every:.1} | {once:.1} | {:.0}% |", 100.0 * every / once);
        println!("{row}");
        let too_little = rows >= 10_000 && every < 0.75 * once || rows == 3_000 && count <= 30 && every < 0.6 * once;
        if too_little || published.is_some_and(|page| !page.contains(&row)) {
            wrong.push(row);
        }
    }
    assert!(wrong.is_empty(), "too little, or another row in docs/pages/trust.md: {wrong:#?}");
}

#[test]
fn every_look_knows_most_of_what_one_look_does() {
    power(4, &[(6, 1_000), (6, 10_000), (12, 3_000)], None);
}

#[test]
#[ignore = "takes minutes: cargo test -p board -- --ignored worlds --nocapture"]
fn worlds_of_independent_judgements_and_what_is_known_at_full_size() {
    let sizes: Vec<(usize, usize)> =
        [6, 12, 30, 59].iter().flat_map(|count| [1_000, 3_000, 10_000].map(|rows| (*count, rows))).collect();
    power(5, &sizes, Some(PUBLISHED));
}

/// LLMFAO, beside the checkout: of 59 models 124 people judged answers to 13 prompts.
#[test]
fn many_workers_speak_of_workers_and_thirteen_prompts_do_not_of_prompts() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/llmfao/crowd-comparisons.csv");
    let Ok(bytes) = std::fs::read(path) else {
        #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
        {
            eprintln!("skipped: there is no {path}");
        }
        return;
    };
    let table = board::read::from_bytes(&bytes, &board::read::Options::default()).unwrap().table;
    let of = |clusters, looks| {
        let settings = Settings { checks: false, advice: false, clusters, looks, ..Settings::default() };
        Board::new(&table, &settings).unwrap()
    };
    let workers = of(board::Clusters::Judge, Looks::Once);
    assert!(workers.groups[0].known_once >= 100 && workers.too_few.is_empty(), "{:?}", workers.groups[0].known_once);
    let both = of(board::Clusters::Auto, Looks::Once);
    assert!(
        both.too_few[0]
            .starts_with("13 items, worth 9 of equal weight, are too few to speak of items in general (pairs in a known order at one look: "),
        "{:?}",
        both.too_few
    );
    assert!(both.groups[0].known_once < workers.groups[0].known_once);
    let prompts = of(board::Clusters::Item, Looks::Every);
    assert!(prompts.too_few[0].contains("at every look: "), "{:?}", prompts.too_few);
}
