//! Against fits of numpy, scipy and statsmodels: `tests/independent/fits.py` makes the same tables and `fits.json`.

use board::{Board, Clusters, Judgement, Order, Settings, Table, Verdict};
use serde_json::Value;
use statistics::bradley_terry::{Comparison, Fit, Options, cells};

/// Park and Miller's minimal generator.
struct Lehmer(u64);

impl Lehmer {
    fn next(&mut self) -> u64 {
        self.0 = self.0 * 48_271 % 2_147_483_647;
        self.0
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
            let at = draw.next() as f64 / 2_147_483_647.0 * (win + loss + tie);
            let verdict = if at < win {
                Verdict::First
            } else if at < win + loss {
                Verdict::Second
            } else {
                Verdict::Tie
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
        in_time: true,
    }
}

fn expected() -> Value {
    serde_json::from_str(include_str!("../independent/fits.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn close(found: f64, expected: &Value, what: &str) {
    let expected = expected.as_f64().unwrap();
    assert!((found - expected).abs() < 1e-6, "{what}: {found} and {expected}");
}

/// The rows as comparisons, each by itself: repeats of an item are not joined.
fn rows(table: &Table) -> Vec<Comparison> {
    let mut apart = table.clone();
    apart.judgements.iter_mut().for_each(|row| row.item = None);
    board::Units::of(&apart).unwrap().units.iter().map(|unit| unit.comparison).collect()
}

const OPTIONS: Options = Options { position: true, prior: None };

#[test]
fn ties_and_position_agree_with_scipy() {
    let table = table(11, 900, 6, 40, 0.6, 0.25);
    let expected = &expected()["davidson"];
    let fit = Fit::new(6, &cells(&rows(&table)), OPTIONS).unwrap();
    for (k, strength) in numbers(&expected["strengths"]).into_iter().enumerate() {
        close(fit.strengths()[k], &strength.into(), "strength");
        let error = fit.model_covariance()[k * fit.size() + k].sqrt();
        close(error, &numbers(&expected["errors"])[k].into(), "standard error");
    }
    close(fit.position().unwrap(), &expected["position"], "position");
    let place = fit.position_place().unwrap();
    close(fit.model_covariance()[place * fit.size() + place].sqrt(), &expected["position_error"], "position's error");
    close(fit.tie(), &expected["nu"], "nu");
    close(fit.ln_likelihood(), &expected["ln_likelihood"], "likelihood");
}

#[test]
fn clustered_errors_agree_with_statsmodels() {
    let table = table(12, 900, 6, 40, 0.0, 0.25);
    let expected = &expected()["clustered"];
    let comparisons = rows(&table);
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
    // Four thousand draws know the quantile to .035.
    assert!((board.groups[0].quantile - expected["quantile"].as_f64().unwrap()).abs() < 0.1);
    let width = board.competitors.iter().map(|row| (row.once.worst - row.once.best) as f64).sum::<f64>() / 6.0;
    assert!(width <= 1.2 * expected["width"].as_f64().unwrap(), "{width} {expected}");
}
