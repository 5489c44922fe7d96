//! People's labels of some documents: over all samples of a query, what they say of a measure averages to what all labels say.

use std::fmt::Write as _;
use std::fs;

use letor_io::trec::{TrecOptions, TrecTies, open, open_with_gold};
use letor_io::{Dataset, FeatureId};
use rankers::{GoldValue, Measure, Measurement, Rankings, TieBreaking};
use tempfile::TempDir;

/// A name, a score, and two labels.
type Document = (&'static str, Option<u8>, Option<[u8; 2]>);

/// The scores of a run (equal ones stay tied), and the labels of people and of a model: e was retrieved by no run, f judged by none.
const DOCUMENTS: [Document; 6] = [
    ("a", Some(9), Some([3, 2])),
    ("b", Some(7), Some([0, 1])),
    ("c", Some(7), Some([2, 2])),
    ("d", Some(5), Some([1, 0])),
    ("e", None, Some([3, 3])),
    ("f", Some(7), None),
];

fn labels(of: usize, is_judged: impl Fn(usize) -> bool) -> String {
    let judged = DOCUMENTS.iter().enumerate().filter(|(at, _)| is_judged(*at));
    judged.fold(String::new(), |mut text, (_, (name, _, labels))| {
        if let Some(labels) = labels {
            writeln!(text, "1 0 {name} {}", labels[of]).unwrap();
        }
        text
    })
}

fn dataset(people: Option<&str>) -> Dataset {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        [path.to_str().unwrap().to_owned()]
    };
    let run = DOCUMENTS.iter().filter_map(|(name, score, _)| Some(format!("1 Q0 {name} 0 {} r\n", (*score)?)));
    let run = write("r.run", &run.collect::<String>());
    let options = TrecOptions { ties: TrecTies::Keep, ..TrecOptions::default() };
    match people {
        Some(people) => {
            open_with_gold(&run, &write("model", &labels(1, |_| true)), &write("people", people), &options).unwrap()
        }
        None => open(&run, &write("people", &labels(0, |_| true)), &options).unwrap(),
    }
}

fn measured<T>(dataset: &Dataset, measures: &[Measure], of: impl Fn(&Measurement<'_>) -> T) -> T {
    let rankings = Rankings::new(dataset, &[FeatureId(1)], TieBreaking::Random).unwrap();
    of(&rankings.measure(measures).unwrap())
}

#[test]
fn samples_average_to_the_whole() {
    let measures = Measure::parse_list("P(rel=2)@3,RBP(p=0.8),RBP(p=0.5,rel=1),nDCG@3").unwrap();
    let truth = measured(&dataset(None), &measures, |measurement| measurement.means()[0].clone());
    // All samples of two of five judged documents.
    let samples = (0..5_usize).flat_map(|one| (one + 1..5).map(move |other| [one, other]));
    let values: Vec<Vec<Option<GoldValue>>> = samples
        .map(|sample| {
            let dataset = dataset(Some(&labels(0, |at| sample.contains(&at))));
            measured(&dataset, &measures, |measurement| (0..4).map(|at| measurement.gold(at)[0][0]).collect())
        })
        .collect();
    let whole = dataset(Some(&labels(0, |_| true)));
    for (at, measure) in measures.iter().enumerate().take(3) {
        let of: Vec<GoldValue> = values.iter().map(|values| values[at].unwrap()).collect();
        let mean = |part: fn(&GoldValue) -> f64| of.iter().map(part).sum::<f64>() / of.len() as f64;
        assert!(measure.is_linear() && (mean(|value| value.people) - truth[at]).abs() < 1e-12, "{measure}");
        let model = measured(&whole, &measures, |measurement| measurement.means()[0][at]);
        assert!((mean(|value| value.model) - model).abs() < 1e-12, "{measure}");
        let weight = of[0].whole_weight;
        assert!((mean(|value| value.weight) - weight).abs() < 1e-12 && weight < 1.0, "{measure}: f has a share");
        let spread = of.iter().map(|value| (value.weight - weight) * (value.weight - weight)).sum::<f64>();
        // Tied documents share their weights, so it is the variance given a value.
        assert!((spread / of.len() as f64 - of[0].variance).abs() < 1e-12, "{measure}");
        let all = measured(&whole, &measures, |measurement| measurement.gold(at)[0][0]).unwrap();
        assert!((all.people - truth[at]).abs() < 1e-12 && all.variance.abs() < 1e-12, "{measure}");
        assert!((all.weight - all.whole_weight).abs() < 1e-12, "{measure}");
    }
    // nDCG takes every label or none.
    assert!(!measures[3].is_linear() && values.iter().all(|values| values[3].is_none()));
    let all = measured(&whole, &measures, |measurement| measurement.gold(3)[0][0]).unwrap();
    assert!((all.people - truth[3]).abs() < 1e-12 && (all.weight, all.whole_weight) == (1.0, 1.0));
}
