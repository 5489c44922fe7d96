//! Against fits of other programs: `tests/independent/fits.py` (numpy, scipy, statsmodels, choix) makes the same tables and
//! `fits.json`, `halves.R` (BradleyTerry2) makes `halves.json`, `ranks.py` (numpy) makes `ranks.json`; `gold.py` is in `gold::independent`.

use board::{Answer, Board, Clusters, Judgement, Order, Settings, Table};
use serde_json::Value;
use statistics::bradley_terry::{Comparison, Fit, Options, Point, Ties, cells};

/// Park and Miller's minimal generator.
pub(crate) struct Lehmer(pub(crate) u64);

impl Lehmer {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0 * 48_271 % 2_147_483_647;
        self.0
    }

    pub(crate) fn unit(&mut self) -> f64 {
        self.next() as f64 / 2_147_483_647.0
    }

    fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(self.unit()));
        radius * libm::cos(std::f64::consts::TAU * self.unit())
    }
}

fn table(seed: u64, rows: usize, competitors: u64, items: u64, tie: f64, position: f64) -> Table {
    let mut draw = Lehmer(seed);
    let strength = |k: u64| 0.3 * (competitors - k) as f64;
    let named = |letter: &str, count: u64| (0..count).map(|k| format!("{letter}{k}")).collect();
    let judgements = (0..rows)
        .map(|row| {
            let first = draw.next() % competitors;
            let second = (first + 1 + draw.next() % (competitors - 1)) % competitors;
            let item = draw.next() % items;
            let liked = |k: u64| f64::from(u8::from(k == item % competitors));
            let d = strength(first) - strength(second) + position + 0.8 * (liked(first) - liked(second));
            let (win, loss) = (libm::exp(d / 2.0), libm::exp(-d / 2.0));
            let at = draw.unit() * (win + loss + tie);
            let verdict = if at < win {
                Answer::First
            } else if at < win + loss {
                Answer::Second
            } else {
                Answer::Tie
            };
            let (first, second, item) = (first as u32, second as u32, Some(item as u32));
            Judgement { first, second, verdict, item, judge: None, weight: 1.0, row: row as u64 + 1 }
        })
        .collect();
    Table {
        names: named("c", competitors),
        items: named("i", items),
        judges: Vec::new(),
        judgements,
        order: Order::Shown,
        covariates: Vec::new(),
    }
}

fn expected() -> Value {
    serde_json::from_str(include_str!("../independent/fits.json")).unwrap()
}

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

pub(crate) fn close(found: f64, expected: &Value, what: &str) {
    let expected = expected.as_f64().unwrap();
    assert!((found - expected).abs() < 1e-6, "{what}: {found} and {expected}");
}

/// The rows as comparisons, each by itself: repeats of an item are not joined.
pub(crate) fn rows(table: &Table) -> Vec<Comparison> {
    let mut apart = table.clone();
    apart.judgements.iter_mut().for_each(|row| row.item = None);
    board::Units::of(&apart).unwrap().units.iter().map(|unit| unit.comparison).collect()
}

const OPTIONS: Options = Options { position: true, prior: None, ties: Ties::Davidson, slope_spread: 0.5 };

#[test]
fn ties_and_position_agree_with_scipy() {
    for (ties, name) in [(Ties::Davidson, "davidson"), (Ties::RaoKupper, "rao_kupper")] {
        agrees_with_scipy(ties, &expected()[name]);
    }
}

fn agrees_with_scipy(ties: Ties, expected: &Value) {
    let table = table(11, 900, 6, 40, 0.6, 0.25);
    let fit = Fit::new(6, &cells(&rows(&table)), Options { ties, ..OPTIONS }).unwrap();
    for (k, strength) in numbers(&expected["strengths"]).into_iter().enumerate() {
        close(fit.strengths()[k], &strength.into(), "strength");
        let error = fit.model_covariance()[k * fit.size() + k].sqrt();
        close(error, &numbers(&expected["errors"])[k].into(), "standard error");
    }
    close(fit.position().unwrap(), &expected["position"], "position");
    let place = fit.position_place().unwrap();
    close(fit.model_covariance()[place * fit.size() + place].sqrt(), &expected["position_error"], "position's error");
    match ties {
        Ties::RaoKupper => close((1.0 + fit.tie()).sqrt(), &expected["theta"], "theta"),
        _ => close(fit.tie(), &expected["nu"], "nu"),
    }
    close(fit.ln_likelihood(), &expected["ln_likelihood"], "likelihood");
}

/// The fit of six competitors, with the expected differences from the first and errors, and its covariances clustered by item.
pub(crate) fn clustered_by_item(table: &Table, expected: &Value) -> (Fit, Vec<f64>) {
    let comparisons = rows(table);
    let items: Vec<u32> = table.judgements.iter().map(|row| row.item.unwrap()).collect();
    let fit = Fit::new(6, &cells(&comparisons), OPTIONS).unwrap();
    let size = fit.size();
    let clustered = fit.sandwich(&comparisons, Some(&items), true);
    let error = |covariance: &[f64], k: usize| {
        (covariance[k * size + k] + covariance[0] - covariance[k * size] - covariance[k]).sqrt()
    };
    for k in 1..6 {
        let of = |key: &str| numbers(&expected[key])[k - 1].into();
        close(fit.strengths()[k] - fit.strengths()[0], &of("differences"), "difference");
        close(error(fit.model_covariance(), k), &of("model_errors"), "model error");
        close(error(&clustered, k), &of("cluster_errors"), "clustered error");
    }
    (fit, clustered)
}

#[test]
fn clustered_errors_agree_with_statsmodels() {
    let table = table(12, 900, 6, 40, 0.0, 0.25);
    let expected = &expected()["clustered"];
    let (fit, clustered) = clustered_by_item(&table, expected);
    let size = fit.size();
    let place = fit.position_place().unwrap();
    close(clustered[place * size + place].sqrt(), &expected["position_cluster_error"], "position's clustered error");
    close(fit.ln_likelihood(), &expected["ln_likelihood"], "likelihood");
}

#[test]
fn ranks_of_one_look_are_little_wider_than_numpys() {
    let mut table = table(11, 900, 6, 40, 0.6, 0.25);
    table.judgements.iter_mut().for_each(|row| row.item = None);
    let expected = &expected()["davidson"]["max_t"];
    let settings = Settings { checks: false, advice: false, clusters: Clusters::Units, ..Settings::default() };
    let board = Board::new(&table, &settings).unwrap();
    // Four thousand draws determine the quantile to .035.
    assert!((board.groups[0].quantile - expected["quantile"].as_f64().unwrap()).abs() < 0.1);
    let width = board.competitors.iter().map(|row| (row.once.worst - row.once.best) as f64).sum::<f64>() / 6.0;
    assert!(width <= 1.2 * expected["width"].as_f64().unwrap(), "{width} {expected}");
}

#[test]
fn strengths_without_position_agree_with_choix() {
    let table = table(12, 900, 6, 40, 0.0, 0.25);
    let fit = Fit::new(6, &cells(&rows(&table)), Options { position: false, ..OPTIONS }).unwrap();
    for (k, strength) in numbers(&expected()["without_position"]["strengths"]).into_iter().enumerate() {
        close(fit.strengths()[k], &strength.into(), "strength");
    }
}

#[test]
fn ties_as_halves_agree_with_bradley_terry_2() {
    let expected: Value = serde_json::from_str(include_str!("../independent/halves.json")).unwrap();
    let mut comparisons = rows(&table(11, 900, 6, 40, 0.6, 0.25));
    let ties = comparisons.iter_mut().filter(|comparison| comparison.point == Point::Tie);
    assert!(ties.map(|comparison| comparison.point = Point::Share(0.5)).count() > 100);
    for (position, differences, errors) in
        [(false, "differences", "errors"), (true, "placed_differences", "placed_errors")]
    {
        let fit = Fit::new(6, &cells(&comparisons), Options { position, ..OPTIONS }).unwrap();
        let (size, covariance) = (fit.size(), fit.model_covariance());
        for k in 1..6 {
            let of = |key: &str| numbers(&expected[key])[k - 1].into();
            close(fit.strengths()[k] - fit.strengths()[0], &of(differences), differences);
            let variance = covariance[k * size + k] + covariance[0] - covariance[k * size] - covariance[k];
            close(variance.sqrt(), &of(errors), errors);
        }
        if let (Some(value), Some(place)) = (fit.position(), fit.position_place()) {
            close(value, &expected["position"], "position");
            close(covariance[place * size + place].sqrt(), &expected["position_error"], "position's error");
        }
        assert_eq!(fit.position().is_some(), position);
    }
}

/// The world of `ranks.py` with this seed.
fn world_of_20(seed: u64) -> Table {
    let mut draw = Lehmer(seed);
    let strengths: Vec<f64> = (0..20).map(|_| 0.8 * draw.normal()).collect();
    let judgements = (1..=3_000)
        .map(|row| {
            let first = draw.next() % 20;
            let second = (first + 1 + draw.next() % 19) % 20;
            let d = strengths[first as usize] - strengths[second as usize];
            let (win, loss) = (libm::exp(d / 2.0), libm::exp(-d / 2.0));
            let verdict = match draw.unit() * (win + loss + 0.5) {
                at if at < win => Answer::First,
                at if at < win + loss => Answer::Second,
                _ => Answer::Tie,
            };
            let (first, second) = (first as u32, second as u32);
            Judgement { first, second, verdict, item: None, judge: None, weight: 1.0, row }
        })
        .collect();
    Table {
        names: (0..20).map(|k| format!("c{k}")).collect(),
        items: Vec::new(),
        judges: Vec::new(),
        judgements,
        order: Order::Shown,
        covariates: Vec::new(),
    }
}

#[test]
fn ranks_of_one_look_among_20_are_little_wider_than_numpys() {
    let expected: Value = serde_json::from_str(include_str!("../independent/ranks.json")).unwrap();
    let (theirs, quantiles) = (numbers(&expected["widths"]), numbers(&expected["quantiles"]));
    let settings = Settings { checks: false, advice: false, ..Settings::default() };
    let mut ours = Vec::new();
    for (seed, quantile) in (1..).zip(&quantiles) {
        let board = Board::new(&world_of_20(seed), &settings).unwrap();
        assert!((board.groups[0].quantile - quantile).abs() < 0.1, "{} {quantile}", board.groups[0].quantile);
        ours.push(board.competitors.iter().map(|row| (row.once.worst - row.once.best) as f64).sum::<f64>() / 20.0);
    }
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    let (ours, theirs) = (mean(&ours), mean(&theirs));
    assert!(theirs <= ours && ours <= 1.2 * theirs, "{ours} and {theirs}");
    let stated = format!("{ours:.2} ranks of the board, {theirs:.2} of numpy");
    assert!(include_str!("../../README.md").contains(&stated), "the README lacks: {stated}");
}
