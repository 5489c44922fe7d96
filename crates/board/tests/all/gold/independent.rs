//! Against ppi-python: `tests/independent/gold.py` draws the same questions and makes `gold.json`.

use crate::independent::{Lehmer, numbers};
use serde_json::Value;
use statistics::bradley_terry::{Comparison, Fit, Labels, Options, Point, Predicted, PredictionPowered, cells};

const COMPETITORS: u64 = 5;
const QUESTIONS: usize = 1_200;
const LABELS: usize = 400;

/// People's answers on the first questions, and the model's on all.
fn questions(seed: u64) -> (Vec<Comparison>, Vec<Predicted>) {
    let mut draw = Lehmer(seed);
    let (mut people, mut model) = (Vec::new(), Vec::new());
    for _ in 0..QUESTIONS {
        let first = draw.next() % COMPETITORS;
        let second = (first + 1 + draw.next() % (COMPETITORS - 1)) % COMPETITORS;
        let difference = 0.4 * (second as f64 - first as f64);
        let (by_people, seen) = (draw.unit(), draw.unit());
        let by_model = if seen < 2.0 / 3.0 { by_people } else { draw.unit() };
        let favoured = |k: u64| f64::from(u8::from(k == COMPETITORS - 1));
        let wins = |at: f64, difference: f64| f64::from(u8::from(at < 1.0 / (1.0 + libm::exp(-difference))));
        let (first, second, bias) = (first as usize, second as usize, favoured(first) - favoured(second));
        let point = Point::Share(wins(by_people, difference));
        people.push(Comparison { first, second, point, ..Comparison::default() });
        let shares = Point::Share(wins(by_model, difference + bias)).shares();
        model.push(Predicted { first, second, shares });
    }
    people.truncate(LABELS);
    (people, model)
}

fn expected() -> Value {
    serde_json::from_str(include_str!("../../independent/gold.json")).unwrap()
}

fn alone(people: &[Comparison]) -> Fit {
    Fit::new(COMPETITORS as usize, &cells(people), Options::default()).unwrap()
}

#[test]
fn a_fixed_weight_gives_what_ppi_python_does() {
    let (people, predicted) = questions(17);
    let places: Vec<u32> = (0..LABELS as u32).collect();
    let all: Vec<u32> = (0..QUESTIONS as u32).collect();
    let labels = Labels { labelled: &people, questions: &places, predicted: &predicted };
    let alone = alone(&people);
    for one in expected()["fits"].as_array().unwrap() {
        let lambda = one["lambda"].as_f64().unwrap();
        let powered = PredictionPowered::new(&alone, labels, Some(lambda), 3.0).unwrap();
        let (fit, size) = (powered.fit(), powered.fit().size());
        let covariance = powered.sandwich(&places, &all);
        let variance = |k: usize| covariance[k * size + k] + covariance[0] - covariance[k] - covariance[k * size];
        let (strengths, errors) = (numbers(&one["strengths"]), numbers(&one["errors"]));
        for k in 1..COMPETITORS as usize {
            let found = fit.strengths()[k] - fit.strengths()[0];
            // The optimiser of ppi-python stops a little earlier.
            assert!((found - strengths[k - 1]).abs() < 1e-5, "{lambda}, {k}: {found} {strengths:?}");
            // Curvatures are estimated from other questions, and variances centred in another way: both differ by about 1 / sqrt(400).
            let ratio = libm::sqrt(variance(k)) / errors[k - 1];
            assert!((ratio - 1.0).abs() < 0.05, "{lambda}, {k}: {ratio}");
        }
    }
    let tuned = PredictionPowered::new(&alone, labels, None, 3.0).unwrap();
    for (k, strength) in numbers(&expected()["tuned"]).into_iter().enumerate() {
        let found = tuned.fit().strengths()[k + 1] - tuned.fit().strengths()[0];
        // A tenth of a standard error: λ is tuned at other strengths.
        assert!((found - strength).abs() < 0.02, "{k}: {found} {strength}");
    }
}

#[test]
fn without_weight_people_stand_alone() {
    let (people, predicted) = questions(18);
    let places: Vec<u32> = (0..LABELS as u32).collect();
    let all: Vec<u32> = (0..QUESTIONS as u32).collect();
    let labels = Labels { labelled: &people, questions: &places, predicted: &predicted };
    let alone = alone(&people);
    let powered = PredictionPowered::new(&alone, labels, Some(0.0), 3.0).unwrap();
    let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(same(powered.fit().strengths(), alone.strengths()));
    assert!(same(&powered.sandwich(&places, &all), &alone.sandwich(&people, None, true)));
    assert!(same(&powered.model_covariance(), alone.model_covariance()));
    // Refused instead of guessed.
    assert!(PredictionPowered::new(&alone, labels, Some(1.5), 3.0).is_err());
    let wrong = [Predicted { shares: [0.5, 0.0, 0.0], ..predicted[0] }];
    assert!(PredictionPowered::new(&alone, Labels { predicted: &wrong, ..labels }, None, 3.0).is_err());
}
