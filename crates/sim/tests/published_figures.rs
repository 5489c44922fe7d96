//! In the published figures, an algorithm has the same colour everywhere.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The colours that figures draw with.
const COLORS: usize = 7;

/// The figures in `results/` that show algorithms.
fn figures() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
    let mut found = Vec::new();
    for entry in fs::read_dir(&root).expect("results") {
        let folder = entry.expect("a readable folder").path();
        let names = ["figure.svg", "regret.svg", "compare.svg", "live/regret.svg", "proxy/regret.svg"];
        found.extend(names.map(|name| folder.join(name)).into_iter().filter(|path| path.is_file()));
    }
    found.sort();
    found
}

/// The names of a figure's curves and their colours, from its metadata.
fn colors(figure: &Path) -> BTreeMap<String, String> {
    let svg = fs::read_to_string(figure).expect("a figure");
    let (_, rest) = svg.split_once("<metadata>").expect("metadata");
    let (metadata, _) = rest.split_once("</metadata>").expect("metadata");
    let json = metadata.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let plots: Value = serde_json::from_str(&json).expect("JSON");
    let curves = plots.as_array().expect("plots").iter().flat_map(|plot| plot["curves"].as_array().expect("curves"));
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    curves.map(|curve| (text(&curve["name"]), text(&curve["color"]))).collect()
}

#[test]
fn an_algorithm_has_one_colour_in_all_figures() {
    let mut known: BTreeMap<String, (String, PathBuf)> = BTreeMap::new();
    let mut compared = 0;
    for figure in figures() {
        let colors = colors(&figure);
        let family = |name: &str| name.split([' ', ',', ':']).next().unwrap_or_default().to_owned();
        let algorithms: BTreeMap<String, &String> = colors
            .iter()
            .map(|(name, color)| (family(name), color))
            .filter(|(family, _)| studies::results::palette().contains(family))
            .collect();
        // Curves of one algorithm alone have a colour each.
        if algorithms.len() < 2 {
            continue;
        }
        for (algorithm, color) in &algorithms {
            let (expected, first) = known.entry(algorithm.clone()).or_insert(((*color).clone(), figure.clone()));
            assert_eq!(*color, expected, "{algorithm} in {} and {}", figure.display(), first.display());
            compared += 1;
        }
        // A figure with no more algorithms than colours has one for each.
        if algorithms.len() <= COLORS {
            let mut distinct: Vec<&&String> = algorithms.values().collect();
            distinct.sort();
            distinct.dedup();
            assert_eq!(distinct.len(), algorithms.len(), "{}: {algorithms:?}", figure.display());
        }
    }
    assert!(compared > 80, "{compared}");
}
