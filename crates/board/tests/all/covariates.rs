//! Boards that are adjusted for covariates: against `tests/independent/covariates.py` (statsmodels), and against worlds in which length is liked.

use crate::independent::{Lehmer, close, clustered_by_item, numbers};
use crate::world::{World, verdict};
use board::{Answer, Claim};
use board::{Board, BoardError, Clusters, Covariate, Judgement, Order, Settings, Table};
use rayon::prelude::*;
use serde_json::Value;
use statistics::Normals;

/// The table of `covariates.py`.
fn table(seed: u64, rows: usize, competitors: u64, items: u64) -> Table {
    let mut draw = Lehmer(seed);
    let named = |letter: &str, count: u64| (0..count).map(|k| format!("{letter}{k}")).collect();
    let (mut judgements, mut lengths, mut headers) = (Vec::new(), Vec::new(), Vec::new());
    for row in 1..=rows as u64 {
        let first = draw.next() % competitors;
        let second = (first + 1 + draw.next() % (competitors - 1)) % competitors;
        let item = draw.next() % items;
        let length = 40.0 * (first as f64 - second as f64) + (draw.next() % 601) as f64 - 300.0;
        let more = (draw.next() % 7) as f64 - 3.0;
        let strength = |k: u64| 0.3 * (competitors - k) as f64;
        let liked = |k: u64| f64::from(u8::from(k == item % competitors));
        let d = strength(first) - strength(second) + 0.25 + 0.8 * (liked(first) - liked(second));
        let d = d + 0.003 * length - 0.1 * more;
        let verdict = if draw.unit() < 1.0 / (1.0 + libm::exp(-d)) { Answer::First } else { Answer::Second };
        let (first, second, item) = (first as u32, second as u32, Some(item as u32));
        judgements.push(Judgement { first, second, verdict, item, judge: None, weight: 1.0, row });
        lengths.push(length);
        headers.push(more);
    }
    let covariates = vec![
        Covariate { name: "length".to_owned(), differences: lengths },
        Covariate { name: "headers".to_owned(), differences: headers },
    ];
    Table {
        names: named("c", competitors),
        items: named("i", items),
        judges: Vec::new(),
        judgements,
        order: Order::Shown,
        covariates,
    }
}

const FAST: Settings = Settings {
    level: 0.95,
    clusters: Clusters::Item,
    ties: board::TieModel::Davidson,
    checks: false,
    advice: false,
    further: board::FurtherPairs::Contenders,
    looks: board::Looks::Once,
    tolerance: 0.0,
    discrimination: false,
};

#[test]
fn covariates_agree_with_statsmodels() {
    let expected: Value = serde_json::from_str(include_str!("../independent/covariates.json")).unwrap();
    let expected = &expected["fit"];
    let table = table(13, 900, 6, 40);
    let (fit, clustered) = clustered_by_item(&table, expected);
    let (size, model) = (fit.size(), fit.model_covariance());
    close(fit.position().unwrap(), &expected["position"], "position");
    for (place, k) in fit.covariate_places().zip(0..) {
        let of = |key: &str| numbers(&expected[key])[k].into();
        close(fit.parameters()[place], &of("coefficients"), "coefficient");
        close(model[place * size + place].sqrt(), &of("coefficient_model_errors"), "model error of a coefficient");
        let found = clustered[place * size + place].sqrt();
        close(found, &of("coefficient_cluster_errors"), "clustered error of a coefficient");
    }
    close(fit.ln_likelihood(), &expected["ln_likelihood"], "likelihood");
    // The board divides covariates by typical differences of answers, and uses units of its own.
    let mut apart = table;
    // Each judgement is a separate question, so that none are joined; its clusters are the judges.
    apart.judges = apart.items;
    apart.items = Vec::new();
    for judgement in &mut apart.judgements {
        judgement.judge = judgement.item.take();
    }
    let board = Board::new(&apart, &Settings { clusters: Clusters::Judge, ..FAST }).unwrap();
    assert_eq!(board.effects.iter().map(|one| one.per).collect::<Vec<_>>(), [100.0, 1.0]);
    for (k, effect) in board.effects.iter().enumerate() {
        let of = |key: &str| numbers(&expected[key])[k];
        let error = of("coefficient_cluster_errors").max(of("coefficient_model_errors"));
        close(effect.coefficient.value / effect.per, &of("coefficients").into(), "coefficient of the board");
        close(effect.coefficient.error / effect.per, &error.into(), "error of the board");
    }
    let difference = |one: usize| board.competitors.iter().find(|row| row.number == one).unwrap().strength;
    close(difference(1) - difference(0), &numbers(&expected["differences"])[0].into(), "difference of the board");
}

/// A world in which the answers of later competitors are longer, and longer ones are liked.
fn wordy(world: &World, rows: usize, liking: f64, seed: u64) -> Table {
    let mut draws = Normals::from_seed(seed);
    let count = world.strengths.len();
    let mut table = world.empty();
    let mut differences = Vec::new();
    for row in 1..=rows as u64 {
        let first = draws.below(count);
        let second = (first + 1 + draws.below(count - 1)) % count;
        let more = first as f64 - second as f64 + 2.0 * draws.normal();
        let verdict = verdict(&mut draws, world.strengths[first] - world.strengths[second] + liking * more, world.tie);
        let (first, second) = (first as u32, second as u32);
        table.judgements.push(Judgement { first, second, verdict, item: None, judge: None, weight: 1.0, row });
        differences.push(100.0 * more);
    }
    table.covariates.push(Covariate { name: "words".to_owned(), differences });
    table
}

#[test]
fn who_only_writes_more_is_not_better() {
    let world = World { strengths: vec![0.0; 4], ..World::normal(4, 0.0, 0.5, 1) };
    let table = wordy(&world, 4_000, 0.5, 3);
    let adjusted = Board::new(&table, &Settings { clusters: Clusters::Units, ..FAST }).unwrap();
    let plain = Board::new(&Table { covariates: Vec::new(), ..table }, &Settings { clusters: Clusters::Units, ..FAST });
    let plain = plain.unwrap();
    assert_eq!((&plain.competitors[0].name[..], plain.competitors[0].claim), ("c3", Claim::Best));
    assert!(adjusted.competitors.iter().all(|one| one.claim == Claim::Open), "{:?}", adjusted.competitors);
    assert!(adjusted.sentence.ends_with("Strengths are adjusted for words."), "{}", adjusted.sentence);
    // Strengths without covariates equal those of the other board.
    for one in &adjusted.competitors {
        let other = plain.competitors.iter().find(|other| other.name == one.name).unwrap();
        let own = one.plain.unwrap();
        assert_eq!((own.value, own.error, other.plain), (other.strength, other.standard_error, None));
    }
    let effect = &adjusted.effects[0];
    let found = effect.coefficient;
    assert!(effect.per == 100.0 && (found.value - 0.5).abs() < 3.0 * found.error && found.error < 0.03, "{effect:?}");
}

#[test]
fn adjusted_claims_are_right() {
    // Strengths and coefficients of 200 worlds: how often all ranks are right, and the interval of the coefficient holds.
    let seen: Vec<(bool, bool)> = (0..200)
        .into_par_iter()
        .map(|seed| {
            let world = World::normal(5, 0.5, 0.5, 9_000 + seed);
            let settings = Settings { clusters: Clusters::Units, ..FAST };
            let board = Board::new(&wordy(&world, 600, 0.4, seed), &settings).unwrap();
            let are_right = board.competitors.iter().all(|one| {
                let above = world.strengths.iter().filter(|other| **other > world.strengths[one.number]).count();
                (one.once.best..=one.once.worst).contains(&(1 + above))
            });
            let Some(effect) = board.effects.first() else { return (are_right, false) };
            (are_right, (effect.coefficient.value - 0.4).abs() < 1.96 * effect.coefficient.error)
        })
        .collect();
    let share = |of: fn(&(bool, bool)) -> bool| seen.iter().filter(|one| of(one)).count() as f64 / 200.0;
    // 0.95 less three standard errors of 200 worlds.
    let (ranks, coefficients) = (share(|one| one.0), share(|one| one.1));
    assert!(ranks >= 0.90 && coefficients >= 0.90, "{ranks} {coefficients}");
}

#[test]
fn what_cannot_be_fitted_is_refused() {
    let table = table(13, 200, 4, 10);
    let with = |of: &dyn Fn(&Judgement, usize) -> f64| {
        let differences = table.judgements.iter().enumerate().map(|(place, one)| of(one, place)).collect();
        let mut changed = table.clone();
        changed.covariates[1] = Covariate { name: "lines".to_owned(), differences };
        changed
    };
    let error = |table: &Table| Board::new(table, &FAST).unwrap_err().to_string();
    let zero = error(&with(&|_, _| 0.0));
    assert_eq!(
        zero,
        "the covariate lines cannot be fitted: both answers have the same in all judgements; leave it out"
    );
    let by_name = error(&with(&|one, _| f64::from(one.first) - f64::from(one.second)));
    assert!(by_name.contains("cannot be distinguished from the strengths"), "{by_name}");
    let by_order = error(&with(&|_, _| 250.0));
    assert!(by_order.contains("it follows from the order shown and the names"), "{by_order}");
    let twice = error(&with(&|_, place| -2.0 * table.covariates[0].differences[place]));
    assert!(twice.contains("it follows from length"), "{twice}");
    let far = error(&with(&|_, place| if place == 7 { f64::NAN } else { place as f64 }));
    assert!(far.starts_with("row 8: a covariate is NaN"), "{far}");
    let mut short = table.clone();
    short.covariates[0].differences.pop();
    assert!(error(&short).contains("it has 199 values, and the table 200 judgements"), "{}", error(&short));
    let mut many = table.clone();
    many.covariates = vec![table.covariates[0].clone(); 9];
    assert!(matches!(Board::new(&many, &FAST), Err(BoardError::TooManyCovariates { found: 9, most: 8 })));
    let mut apart = table.clone();
    apart.judgements.retain(|one| (one.first < 2) == (one.second < 2));
    let kept = apart.judgements.len();
    apart.covariates.iter_mut().for_each(|one| one.differences.truncate(kept));
    assert!(matches!(Board::new(&apart, &FAST), Err(BoardError::Groups { groups: 2 })));
}

#[test]
fn statements_do_not_depend_on_the_order_of_rows() {
    let table = table(13, 300, 5, 20);
    let board = Board::new(&table, &Settings { checks: true, ..FAST }).unwrap();
    let mut turned = table.clone();
    turned.judgements.reverse();
    turned.covariates.iter_mut().for_each(|one| one.differences.reverse());
    let other = Board::new(&turned, &Settings { checks: true, ..FAST }).unwrap();
    let numbers = |board: &Board| {
        let mut all: Vec<(String, f64)> =
            board.competitors.iter().map(|one| (one.name.clone(), one.strength)).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        (all, board.effects.iter().map(|one| one.coefficient.value).collect::<Vec<_>>())
    };
    let ((ours, effects), (theirs, of_theirs)) = (numbers(&board), numbers(&other));
    assert!(ours.iter().zip(&theirs).all(|(a, b)| (a.1 - b.1).abs() < 1e-9), "{ours:?} {theirs:?}");
    assert!(effects.iter().zip(&of_theirs).all(|(a, b)| (a - b).abs() < 1e-9), "{effects:?} {of_theirs:?}");
}
