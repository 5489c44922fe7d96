//! The feature rankers of a real excerpt of MSLR-WEB30K.

use std::path::PathBuf;

use letor_io::{Dataset, OpenOptions, open};
use rankers::{Gain, Rankings, Selection, TieBreaking};

use crate::rankings::assert_sound;

/// All 90 queries of the excerpt.
fn excerpt() -> Dataset {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let root = letor_io::environment::TEST_DATA.value().map_or(beside, PathBuf::from);
    let folder = root.join("mslr-fold1-sample");
    assert!(folder.is_dir(), "no real data at {}: set RANKDUEL_TEST_DATA to their folder", folder.display());
    let options = OpenOptions::default();
    open(&[folder.to_string_lossy()], &options).unwrap()
}

#[test]
#[ignore = "needs ../shared/data"]
fn feature_rankers_of_mslr() {
    let dataset = excerpt();
    let features = Selection::All.choose(dataset.features(), 0).unwrap();
    let rankings = Rankings::new(&dataset, &features, TieBreaking::Random).unwrap();
    assert_eq!((rankings.queries(), rankings.arms()), (90, 136));
    for query in 0..rankings.queries() {
        for arm in 0..rankings.arms() {
            let list = rankings.list(query, arm);
            assert_sound(list);
        }
    }

    let ndcg = |rankings: &Rankings, gain| rankings.ndcg(dataset.labels(), 10, gain).unwrap();
    let exponential = ndcg(&rankings, Gain::Exponential);
    let mut best: Vec<usize> = (0..136).collect();
    best.sort_by(|&a, &b| exponential[b].total_cmp(&exponential[a]));
    // Feature 110, BM25 of the whole document, wins in the published preference matrices.
    assert!(best[..5].contains(&109), "{best:?}");
    // By an independent computation from the text files.
    for (feature, expected) in [(108, 0.320_514), (110, 0.315_053), (134, 0.319_719), (133, 0.145_362)] {
        assert!((exponential[feature - 1] - expected).abs() < 1e-6);
    }
    let linear = ndcg(&rankings, Gain::Linear);
    assert!(linear.iter().zip(&exponential).all(|(a, b)| *a > 0.0 && *a < 1.0 && (a - b).abs() < 0.2));

    // Ties broken by a seed are one sample of the expectation. The standard deviation of a number in [0, 1] is at most
    // 1/2, so the mean over 30 seeds and 90 queries is within 5 standard errors of that.
    let seeds = 30;
    let mut mean = [0.0; 136];
    for seed in 0..seeds {
        let fixed = Rankings::new(&dataset, &features, TieBreaking::Fixed(seed)).unwrap();
        let once = ndcg(&fixed, Gain::Exponential);
        mean.iter_mut().zip(once).for_each(|(mean, once)| *mean += once / seeds as f64);
    }
    let bound = 5.0 * 0.5 / (90.0 * seeds as f64).sqrt();
    assert!(mean.iter().zip(&exponential).all(|(a, b)| (a - b).abs() < bound));
    assert!(mean.iter().zip(&exponential).any(|(a, b)| (a - b).abs() > 1e-6));

    // Features 6 to 10 order every query as features 1 to 5 do.
    let lowest = rankings.duplicates();
    assert_eq!((lowest[5], lowest[16], lowest[109]), (0, 15, 109));
    assert!(lowest.iter().enumerate().all(|(arm, &low)| low <= arm && lowest[low] == low));
}
