//! Which algorithms differ: all pairs of algorithms, compared over their runs.
//!
//! Runs of two algorithms belong together in pairs where they share something that is drawn again for every pair: the
//! random sets of rankers of an experiment, or, with keyed streams, the queries and users of all runs of the same number.
//! Otherwise every algorithm has random streams of its own, the samples of a study are independent, and the test is the
//! rank-sum test.
//!
//! What differs here differs on this data set, with these users: runs sample the randomness of users and algorithms, not
//! data sets.

use anyhow::{Result, ensure};
use serde::Serialize;
use statistics::fixed_sample::{
    Bootstrap, PValueCorrection, paired_bootstrap, rank_sum, sign_test, two_sample_bootstrap, wilcoxon_signed_rank,
};
use statistics::{Counts, Preference};

/// What is compared: the values of several algorithms under the same conditions.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedValues {
    /// Where they were measured, if there are several settings.
    pub setting: Option<String>,
    /// The step, horizon or number of rankers.
    pub step: String,
    /// Names and values, in the order of the file.
    pub algorithms: Vec<(String, Vec<f64>)>,
    /// Why the values with the same index belong together, if they do.
    pub pairing: Option<Pairing>,
}

/// What makes pairs of runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pairing {
    /// The random set of rankers.
    Sets,
    /// The queries and users of a run.
    Streams,
}

/// How two samples are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The rank-sum test; of pairs the signed-rank test.
    Wilcoxon,
    /// The bootstrap test of the mean difference.
    Bootstrap,
    /// The sign test, of pairs only.
    Sign,
}

impl Method {
    /// The name of the test.
    #[must_use]
    pub fn describe(self, paired: bool) -> &'static str {
        match (self, paired) {
            (Self::Wilcoxon, false) => "Wilcoxon rank-sum test",
            (Self::Wilcoxon, true) => "Wilcoxon signed-rank test",
            (Self::Bootstrap, false) => "bootstrap test of two samples",
            (Self::Bootstrap, true) => "paired bootstrap test",
            (Self::Sign, _) => "sign test",
        }
    }
}

/// The settings of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ComparisonSettings {
    /// The test.
    pub method: Method,
    /// The correction for the number of comparisons.
    pub correction: PValueCorrection,
    /// The level.
    pub alpha: f64,
    /// Whether smaller values are better.
    pub smaller_is_better: bool,
}

/// One algorithm's values.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Side {
    /// Its name.
    pub algorithm: String,
    /// The mean of its values.
    pub mean: f64,
    /// The number of its values.
    pub runs: usize,
}

/// Two algorithms compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setting: Option<String>,
    /// The step, horizon or number of rankers.
    pub at: String,
    /// The one with the better mean.
    pub better: Side,
    /// The other one.
    pub other: Side,
    /// The mean of the better one minus that of the other.
    pub difference: f64,
    /// Bootstrap interval of that at confidence 1 - alpha, not corrected for the number of comparisons.
    pub interval: (f64, f64),
    /// How often the better one is better: the share of all pairs of runs, or of those that belong together; equal
    /// values count by half.
    pub superiority: f64,
    /// Why values belong together in pairs, if they do.
    pub pairing: Option<Pairing>,
    /// The p-value of the test.
    pub p_value: f64,
    /// The same corrected for the number of comparisons.
    pub adjusted_p_value: f64,
    /// Whether ranks or signs speak for the other one, although the better one has the better mean.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_opposed: bool,
    /// Whether the corrected p-value is at most alpha, and the test speaks for the better one.
    pub significant: bool,
}

/// Resamples of the bootstrap.
const RESAMPLES: usize = 10_000;

/// Compares all pairs of algorithms of each sample, or, with a `baseline`, all others with it. The p-values of all
/// comparisons are corrected together.
///
/// # Errors
/// If there is nothing to compare, an algorithm has fewer than two values, or the sign test gets values without
/// pairs.
pub fn compare(
    samples: &[ComparedValues],
    question: &ComparisonSettings,
    baseline: Option<&str>,
) -> Result<Vec<Comparison>> {
    let mut comparisons = Vec::new();
    for sample in samples {
        let algorithms = &sample.algorithms;
        for (name, values) in algorithms {
            ensure!(values.len() >= 2, "{name} has a single run; play at least two of each algorithm (--runs)");
        }
        for (i, first) in algorithms.iter().enumerate() {
            for second in &algorithms[i + 1..] {
                if baseline.is_none_or(|name| [&first.0, &second.0].iter().any(|other| *other == name)) {
                    comparisons.push(compare_pair(sample, first, second, question)?);
                }
            }
        }
    }
    ensure!(!comparisons.is_empty(), "there is nothing to compare: fewer than two algorithms have runs");
    let p_values: Vec<f64> = comparisons.iter().map(|comparison| comparison.p_value).collect();
    for (comparison, adjusted) in comparisons.iter_mut().zip(question.correction.adjust(&p_values)?) {
        comparison.adjusted_p_value = adjusted;
        comparison.significant = adjusted <= question.alpha && !comparison.is_opposed;
    }
    Ok(comparisons)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn compare_pair(
    sample: &ComparedValues,
    first: &(String, Vec<f64>),
    second: &(String, Vec<f64>),
    question: &ComparisonSettings,
) -> Result<Comparison> {
    let first_is_better = (mean(&first.1) <= mean(&second.1)) == question.smaller_is_better;
    let (better, worse) = if first_is_better { (first, second) } else { (second, first) };
    let (a, b) = (&better.1[..], &worse.1[..]);
    let bootstrap: Bootstrap = if sample.pairing.is_some() {
        paired_bootstrap(a, b, question.alpha, RESAMPLES, 1)?
    } else {
        two_sample_bootstrap(a, b, question.alpha, RESAMPLES, 1)?
    };
    let larger = if sample.pairing.is_some() {
        let halves: f64 = a.iter().zip(b).map(|(a, b)| if a == b { 0.5 } else { f64::from(u8::from(a > b)) }).sum();
        halves / a.len() as f64
    } else {
        rank_sum(a, b)?.superiority
    };
    // The p-value, and a number above 0 if the test finds `a` larger than `b`.
    let (p_value, excess) = match (question.method, sample.pairing.is_some()) {
        (Method::Bootstrap, _) => (bootstrap.p_value, bootstrap.mean),
        (Method::Wilcoxon, false) => (rank_sum(a, b)?.p_value, larger - 0.5),
        (Method::Wilcoxon, true) => {
            let ranks = wilcoxon_signed_rank(a, b)?;
            (ranks.p_value, ranks.excess())
        }
        (Method::Sign, true) => {
            let counts: Counts = a.iter().zip(b).map(|(a, b)| Preference::of_net(a - b)).collect();
            (sign_test(counts), counts.wins as f64 - counts.losses as f64)
        }
        (Method::Sign, false) => anyhow::bail!("the sign test needs runs in pairs"),
    };
    let side = |of: &(String, Vec<f64>)| Side { algorithm: of.0.clone(), mean: mean(&of.1), runs: of.1.len() };
    Ok(Comparison {
        setting: sample.setting.clone(),
        at: sample.step.clone(),
        better: side(better),
        other: side(worse),
        difference: bootstrap.mean,
        interval: bootstrap.interval,
        superiority: if question.smaller_is_better { 1.0 - larger } else { larger },
        pairing: sample.pairing,
        p_value,
        adjusted_p_value: p_value,
        is_opposed: bootstrap.mean * excess < 0.0,
        significant: false,
    })
}

/// If so few runs cannot prove any difference in `comparisons` comparisons, the number of runs that can, or a remark
/// that none can.
#[must_use]
pub fn runs_needed(samples: &[ComparedValues], question: &ComparisonSettings, comparisons: usize) -> Option<u64> {
    let paired = samples.iter().all(|sample| sample.pairing.is_some());
    let sizes = samples.iter().flat_map(|sample| sample.algorithms.iter().map(|(_, values)| values.len()));
    let runs = sizes.max()?;
    // Complete separation, in the comparison that is corrected most.
    let smallest = |runs: u64| {
        let runs = runs as f64;
        let p = match (question.method, paired) {
            (Method::Bootstrap, _) => 1.0 / (RESAMPLES as f64 + 1.0),
            (_, true) => libm::exp2(1.0 - runs),
            (_, false) => {
                let ln_ways = libm::lgamma(2.0 * runs + 1.0) - 2.0 * libm::lgamma(runs + 1.0);
                2.0 * libm::exp(-ln_ways)
            }
        };
        // All comparisons may be significant together by Benjamini-Hochberg.
        if question.correction == PValueCorrection::Holm { p * comparisons as f64 } else { p }
    };
    if smallest(runs as u64) <= question.alpha {
        return None;
    }
    (runs as u64..=10_000).find(|&runs| smallest(runs) <= question.alpha)
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUESTION: ComparisonSettings = ComparisonSettings {
        method: Method::Wilcoxon,
        correction: PValueCorrection::Holm,
        alpha: 0.05,
        smaller_is_better: true,
    };

    fn sample(paired: bool) -> ComparedValues {
        let values = |shift: f64| (0..6).map(|i| f64::from(i * i % 7) + shift + f64::from(i) / 64.0).collect();
        ComparedValues {
            setting: None,
            step: "1000".to_owned(),
            algorithms: vec![
                ("slow".to_owned(), values(100.0)),
                ("fast".to_owned(), values(0.0)),
                ("fast too".to_owned(), values(0.5)),
            ],
            pairing: paired.then_some(Pairing::Sets),
        }
    }

    #[test]
    fn complete_separation_has_the_p_value_of_counting() {
        let found = compare(&[sample(false)], &QUESTION, None).unwrap();
        assert_eq!(found.len(), 3);
        let against = |other: &str, of: &str| {
            found.iter().find(|one| one.other.algorithm == other && one.better.algorithm == of).unwrap()
        };
        // 2 / C(12, 6), three times and twice.
        let (one, two) = (against("slow", "fast"), against("slow", "fast too"));
        assert!((one.p_value - 2.0 / 924.0).abs() < 1e-12 && (one.superiority - 1.0).abs() < 1e-12, "{one:?}");
        assert!((one.adjusted_p_value - 6.0 / 924.0).abs() < 1e-12 && one.significant, "{one:?}");
        assert!((two.difference + 99.5).abs() < 1e-9 && two.interval.0 < -99.5 && -99.5 < two.interval.1, "{two:?}");
        assert!(!against("fast too", "fast").significant);
        let from_slow = compare(&[sample(false)], &QUESTION, Some("slow")).unwrap();
        assert_eq!(from_slow.len(), 2);
        assert!((from_slow[0].adjusted_p_value - 4.0 / 924.0).abs() < 1e-12);
    }

    #[test]
    fn pairs_find_what_independent_runs_hide() {
        let paired = compare(&[sample(true)], &QUESTION, None).unwrap();
        let close = paired.iter().find(|one| one.other.algorithm == "fast too").unwrap();
        // Every pair differs by the same half: equal ranks, normal approximation.
        assert!(close.p_value < 0.05 && (close.superiority - 1.0).abs() < 1e-12, "{close:?}");
        assert_eq!(close.interval, (-0.5, -0.5));
        let sign = compare(&[sample(true)], &ComparisonSettings { method: Method::Sign, ..QUESTION }, None).unwrap();
        assert!(sign.iter().all(|one| (one.p_value - 2.0 / 64.0).abs() < 1e-12), "{sign:?}");
        assert!(compare(&[sample(false)], &ComparisonSettings { method: Method::Sign, ..QUESTION }, None).is_err());
    }

    #[test]
    fn ranks_and_signs_that_oppose_the_mean_prove_nothing() {
        // `rarely bad` has less regret in 19 of 20 runs and much more in one.
        let usual = |bad: f64, value: f64| {
            (0..20).map(|run| if run == 0 { bad } else { value + f64::from(run) / 100.0 }).collect()
        };
        let algorithms = vec![("steady".to_owned(), usual(2.0, 2.0)), ("rarely bad".to_owned(), usual(1_000.0, 1.0))];
        for (method, paired) in
            [(Method::Wilcoxon, false), (Method::Wilcoxon, true), (Method::Sign, true), (Method::Bootstrap, true)]
        {
            let values = ComparedValues { algorithms: algorithms.clone(), ..sample(paired) };
            let found = compare(&[values], &ComparisonSettings { method, ..QUESTION }, None).unwrap();
            let one = &found[0];
            assert!(one.better.algorithm == "steady" && !one.significant, "{one:?}");
            assert_eq!(
                (one.is_opposed, one.p_value < 0.05),
                (method != Method::Bootstrap, method != Method::Bootstrap),
                "{one:?}"
            );
        }
    }

    #[test]
    fn the_better_side_depends_on_the_measure() {
        let larger = ComparisonSettings { smaller_is_better: false, ..QUESTION };
        let found = compare(&[sample(false)], &larger, None).unwrap();
        assert_eq!(found.iter().filter(|one| one.better.algorithm == "slow").count(), 2);
        assert!(found[0].difference > 0.0 && found[0].superiority > 0.9);
    }

    #[test]
    fn too_few_runs_are_noticed() {
        // Of ten comparisons, 2 / C(10, 5) * 10 = 0.079 and 2 / C(12, 6) * 10 = 0.022.
        let five = |paired| ComparedValues { algorithms: vec![("a".to_owned(), vec![0.0; 5]); 5], ..sample(paired) };
        assert_eq!(runs_needed(&[five(false)], &QUESTION, 10), Some(6));
        assert_eq!(runs_needed(&[five(false)], &QUESTION, 3), None);
        // 2^(1 - n) * 10 <= 0.05 from 9 pairs on.
        assert_eq!(runs_needed(&[five(true)], &QUESTION, 10), Some(9));
        let bh = ComparisonSettings { correction: PValueCorrection::BenjaminiHochberg, ..QUESTION };
        assert_eq!(runs_needed(&[five(false)], &bh, 10), None);
        let single = ComparedValues { algorithms: vec![("a".to_owned(), vec![1.0]); 2], ..sample(false) };
        assert!(compare(&[single], &QUESTION, None).unwrap_err().to_string().contains("at least two"));
    }
}
