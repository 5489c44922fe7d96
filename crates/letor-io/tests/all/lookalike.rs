//! Look-alikes: shapes, ties of features, and the same bytes for the same seed.

use crate::support::profile::{Profile, profiles};
use crate::support::to_text;
use letor_io::lookalike::{DEFAULT_SEED, generate, names};
use letor_io::{Dataset, ErrorKind, FeatureId, OpenOptions, Provenance, Split, Statistics, open};

fn make(name: &str, scale: f64) -> Dataset {
    generate(name, scale, DEFAULT_SEED).unwrap()
}

/// The values of one feature, query by query.
fn values(dataset: &Dataset, feature: u32) -> Vec<f64> {
    let mut column = Vec::new();
    dataset
        .iter()
        .flat_map(|query| {
            query.column(FeatureId(feature), &mut column);
            column.clone()
        })
        .collect()
}

/// Properties of the full sets and the excerpts: queries at full size, features, highest label, mean documents per query,
/// share of queries without a relevant document.
const SHAPES: [(&str, usize, u32, f32, f64, f64); 6] = [
    ("mslr-lookalike", 31_531, 136, 4.0, 119.6, 0.011),
    ("ylr1-lookalike", 19_944, 700, 4.0, 23.7, 0.012),
    ("ylr2-lookalike", 1_266, 700, 4.0, 27.5, 0.012),
    ("yandex-lookalike", 9_124, 245, 4.0, 10.66, 0.115),
    ("np2004-lookalike", 75, 64, 1.0, 985.0, 0.033),
    ("mq2008-lookalike", 784, 46, 2.0, 19.4, 0.281),
];

#[test]
fn shapes_resemble_the_real_sets() {
    assert!(names().eq(SHAPES.map(|shape| shape.0)));
    for (name, full, features, highest, per_query, without_relevant) in SHAPES {
        // About 300 queries show the shape.
        let scale = (300.0 / full as f64).min(1.0);
        let dataset = make(name, scale);
        let statistics = Statistics::of(&dataset);
        let queries = statistics.queries as f64;
        assert_eq!(statistics.queries, (full as f64 * scale).round() as usize);
        assert_eq!(dataset.features(), features, "{name}");
        assert!(dataset.max_label() <= highest && dataset.max_label() > 0.7 * highest);
        // Five standard errors; documents per query have a standard deviation below 1.2 times their mean.
        let found = statistics.documents as f64 / queries;
        assert!((found / per_query - 1.0).abs() < 5.0 * 1.2 / queries.sqrt(), "{name}: {found}");
        let found = statistics.queries_without_relevant as f64 / queries;
        let error = (without_relevant * (1.0 - without_relevant) / queries).sqrt();
        assert!((found - without_relevant).abs() < 5.0 * error + 0.02, "{name}: {found}");
    }
}

#[test]
fn a_look_alike_is_marked_as_synthetic() {
    for name in names() {
        assert!(name.ends_with("-lookalike"));
        let dataset = make(name, 0.01);
        assert_eq!(dataset.name(), format!("{name}:0.01"));
        let origin = Provenance::LookAlike { name: dataset.name().into() };
        assert_eq!(dataset.provenance(), &origin);
        assert!(Statistics::of(&dataset).to_string().contains("SYNTHETIC"));
    }
    let seeded = generate("mq2008-lookalike", 0.01, 7).unwrap();
    assert_eq!(seeded.name(), "mq2008-lookalike:0.01:7");
    assert_eq!(make("mq2008-lookalike", 1.0).name(), "mq2008-lookalike");
}

#[test]
fn names_open_with_scale_and_seed() {
    let options = OpenOptions::default();
    let small = open(&["mq2008-lookalike:0.02:7"], &options).unwrap();
    assert_eq!(small, generate("mq2008-lookalike", 0.02, 7).unwrap());
    assert_eq!(small.name(), "mq2008-lookalike:0.02:7");
    let error = |spec: &[&str], options: &OpenOptions| {
        let error = open(spec, options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unknown);
        assert!(!error.to_string().contains('\n'));
        error.to_string()
    };
    for wrong in ["mq2008-lookalike:", "mq2008-lookalike:big", "mq2008-lookalike:1:x", "mq2008-lookalike:1:2:3"] {
        assert!(error(&[wrong], &options).contains("mq2008-lookalike:0.1"), "{wrong}");
    }
    for wrong in ["0", "-1", "11", "NaN", "inf"] {
        let spec = format!("mq2008-lookalike:{wrong}");
        assert!(error(&[&spec], &options).contains("cannot have scale"), "{wrong}");
    }
    assert!(error(&["mslr-lokalike"], &options).contains("did you mean `mslr-lookalike`?"));
    assert!(error(&["np2004-lookalike", "a.txt"], &options).contains("cannot be combined"));
    let part = OpenOptions { split: Some(Split::Train), ..options };
    assert!(error(&["np2004-lookalike"], &part).contains("has no split train"));
    let unknown = generate("lookalike", 1.0, 1).unwrap_err();
    assert!(unknown.to_string().contains("mslr-lookalike, ylr1-lookalike"));
}

#[test]
fn bytes_depend_only_on_seed_and_query() {
    for (name, full, ..) in SHAPES {
        let small = make(name, 4.0 / full as f64);
        let large = make(name, 9.0 / full as f64);
        let text = to_text(&small, true);
        assert!(to_text(&large, true).starts_with(&text), "{name}: a query depends on the scale");
        assert_ne!(to_text(&generate(name, 4.0 / full as f64, 2).unwrap(), true), text);
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let other = pool.install(|| make(name, 4.0 / full as f64));
            assert_eq!(other, small, "{name} with {threads} threads");
            assert_eq!(other.checksum(), small.checksum());
        }
    }
}

#[test]
fn value_stability() {
    let found = SHAPES.map(|(name, full, ..)| make(name, 3.0 / full as f64).checksum()[..16].to_string());
    assert_eq!(found, PINNED);
}

const PINNED: [&str; 6] = [
    "7fa6e34fbca8515f",
    "0d6fb3d455716914",
    "8fce641f9abebf9c",
    "2800b6c568a7b3ce",
    "40cae12ef354c57d",
    "4854b4353bec4be6",
];

#[test]
fn values_are_short_decimals() {
    for (name, full, ..) in SHAPES {
        let dataset = make(name, 3.0 / full as f64);
        for feature in 1..=dataset.features() {
            for value in values(&dataset, feature) {
                let scaled = (value * 1e6).round();
                assert_eq!(scaled / 1e6, value, "{name}, feature {feature}");
                assert_eq!(value.to_string().parse::<f64>().unwrap(), value);
            }
        }
    }
}

#[test]
fn yahoo_features_that_are_always_zero() {
    let [first, second] = [("ylr1-lookalike", 0.02), ("ylr2-lookalike", 1.0)]
        .map(|(name, scale)| Statistics::of(&make(name, scale)).always_zero);
    assert_eq!((first.len(), second.len()), (181, 104));
    assert!(first.iter().all(|feature| !second.contains(feature)));
}

#[test]
fn some_yandex_labels_are_fractional() {
    let dataset = make("yandex-lookalike", 0.3);
    let labels = dataset.labels();
    let share = labels.iter().filter(|label| label.fract() != 0.0).count() as f64 / labels.len() as f64;
    // 46 of 1,000 in the excerpt, here in the queries that have relevant documents.
    assert!((0.03..0.055).contains(&share), "{share}");
    assert!(labels.iter().all(|label| (0.0..=4.0).contains(label)));
}

#[test]
fn mslr_label_shares_match_the_excerpt() {
    let dataset = make("mslr-lookalike", 0.03);
    let count = dataset.documents() as f64;
    let shares = [0.5572, 0.2948, 0.1272, 0.0148, 0.0060];
    for (grade, expected) in shares.into_iter().enumerate() {
        let found = dataset.labels().iter().filter(|&&label| label == grade as f32).count() as f64 / count;
        // Labels of one query are correlated: about 20 independent ones per query.
        let error = (expected * (1.0 - expected) / (20.0 * dataset.queries() as f64)).sqrt();
        assert!((found - expected).abs() < 5.0 * error + 0.006, "label {grade}: {found}");
    }
}

#[test]
fn mslr_clicks_mark_few_mostly_relevant_documents() {
    let dataset = make("mslr-lookalike", 0.03);
    let mut column = Vec::new();
    let (mut marked, mut silent, mut best, mut mean) = (0, 0, 0.0, 0.0);
    for query in dataset.iter() {
        query.column(FeatureId(134), &mut column);
        let here = column.iter().filter(|&&clicks| clicks > 0.0).count();
        marked += here;
        if here == 0 {
            silent += 1;
            continue;
        }
        let top = (0..column.len()).max_by(|&a, &b| column[a].total_cmp(&column[b])).unwrap();
        best += f64::from(query.labels()[top]);
        mean += query.labels().iter().sum::<f32>() as f64 / column.len() as f64;
    }
    let clicked = (dataset.queries() - silent) as f64;
    let share = marked as f64 / dataset.documents() as f64;
    // In the excerpt: 3.7% of documents; none in 34% of queries; the most clicked has label 2.14.
    assert!((0.025..0.055).contains(&share), "{share}");
    assert!((0.25..0.42).contains(&(silent as f64 / dataset.queries() as f64)), "{silent}");
    assert!(best / clicked > mean / clicked + 0.8, "{} {}", best / clicked, mean / clicked);
}

/// Tied and constant shares and concordance with labels of some features on the real excerpt
/// (90 queries, 9,189 documents), by feature number.
const MSLR: [(u32, Profile); 14] = [
    (1, Profile { constant: 0.011, tied: 0.997, concordance: 0.089 }),
    (11, Profile { constant: 0.0, tied: 0.164, concordance: -0.106 }),
    (20, Profile { constant: 1.0, tied: 1.0, concordance: 0.0 }),
    (25, Profile { constant: 0.011, tied: 0.768, concordance: 0.189 }),
    (41, Profile { constant: 0.167, tied: 0.753, concordance: 0.044 }),
    (65, Profile { constant: 0.011, tied: 0.129, concordance: 0.256 }),
    (98, Profile { constant: 0.144, tied: 0.999, concordance: 0.159 }),
    (105, Profile { constant: 0.011, tied: 0.551, concordance: 0.159 }),
    (108, Profile { constant: 0.011, tied: 0.808, concordance: 0.265 }),
    (109, Profile { constant: 0.011, tied: 0.898, concordance: 0.136 }),
    (110, Profile { constant: 0.011, tied: 0.112, concordance: 0.285 }),
    (120, Profile { constant: 0.011, tied: 0.124, concordance: 0.254 }),
    (130, Profile { constant: 0.0, tied: 0.109, concordance: -0.004 }),
    (134, Profile { constant: 0.344, tied: 0.975, concordance: 0.052 }),
];

#[test]
fn mslr_features_tie_and_follow_relevance_like_real_ones() {
    let found = profiles(&make("mslr-lookalike", 0.01));
    for (feature, real) in MSLR {
        let made = found[feature as usize - 1];
        assert!((made.tied - real.tied).abs() < 0.12, "feature {feature}: {made:?}");
        assert!((made.constant - real.constant).abs() < 0.15, "feature {feature}: {made:?}");
        assert!((made.concordance - real.concordance).abs() < 0.15, "feature {feature}: {made:?}");
    }
}

#[test]
fn mslr_families_have_features_with_the_same_order() {
    let dataset = make("mslr-lookalike", 0.002);
    let (mut a, mut b) = (Vec::new(), Vec::new());
    // A ratio or mean over query terms orders documents as the number or sum does, except for rounding to six decimals.
    for query in dataset.iter() {
        for (first, second) in [(1, 6), (5, 10), (21, 36), (25, 40)] {
            query.column(FeatureId(first), &mut a);
            query.column(FeatureId(second), &mut b);
            for i in 0..a.len() {
                for j in 0..i {
                    let (x, y) = (a[i].total_cmp(&a[j]), b[i].total_cmp(&b[j]));
                    assert_eq!(x, y, "features {first} and {second} of query {}", query.id());
                }
            }
        }
        // IDF depends only on the query; counts are integers.
        for feature in 16..=20 {
            assert!(query.is_constant(FeatureId(feature)));
        }
        for feature in (1..=5).chain(11..=15).chain(21..=35).chain(126..=135) {
            query.column(FeatureId(feature), &mut a);
            assert!(a.iter().all(|value| value.fract() == 0.0), "feature {feature}");
        }
    }
}

#[test]
fn some_features_oppose_relevance_and_many_ignore_it() {
    for name in ["ylr1-lookalike", "yandex-lookalike"] {
        let found = profiles(&make(name, 0.02));
        let share = |test: fn(f64) -> bool| {
            found.iter().filter(|profile| profile.constant < 1.0 && test(profile.concordance)).count() as f64
                / found.iter().filter(|profile| profile.constant < 1.0).count() as f64
        };
        assert!(share(|c| c < -0.02) > 0.03, "{name}: harmful");
        assert!(share(|c| c.abs() < 0.03) > 0.25, "{name}: useless");
        assert!(share(|c| c > 0.08) > 0.10, "{name}: useful");
    }
}
