//! What tests of one measure say, in words.

use output::numbers::with_separators;
use simulation::arm_names::ArmNames;

use super::pair_test::{PairTest, best};
use super::{MAX_NAMED_RANKERS, joined_names};

/// The best by a measure, and how sure it is of the others; `None` without tests.
pub(super) fn best_against_others(tests: &[&PairTest], names: &ArmNames) -> Option<String> {
    let best = best(tests)?;
    let tests_of_best: Vec<&PairTest> = tests.iter().copied().filter(|test| test.first == best).collect();
    let (significant, open): (Vec<&PairTest>, Vec<&PairTest>) =
        tests_of_best.iter().copied().partition(|test| test.is_significant());
    let beaten_name = |test: &&PairTest| match tests_of_best.len() {
        1 => format!("{} ({:.4})", names.name(test.second), test.means[1]),
        _ => format!("{} ({:.4}, {})", names.name(test.second), test.means[1], test.p_text()),
    };
    let beaten_list = |tests: &[&PairTest]| joined_names(&tests.iter().map(beaten_name).collect::<Vec<_>>());
    let best_text = format!("{} ({:.4})", names.name(best), tests_of_best.first()?.means[0]);
    let mut text = match (significant.as_slice(), open.as_slice()) {
        (_, []) => format!("{best_text} beats {}", beaten_list(&significant)),
        ([], [equal]) if equal.difference == 0.0 && equal.standard_error == 0.0 => {
            format!(
                "{} and {} are equal for every query ({:.4})",
                names.name(best),
                names.name(equal.second),
                equal.means[0]
            )
        }
        ([], _) => format!("{best_text} is ahead of {}, but that may be chance", beaten_list(&open)),
        _ => format!(
            "{best_text} beats {}; it is ahead of {}, but that may be chance",
            beaten_list(&significant),
            beaten_list(&open)
        ),
    };
    if let [only_test] = tests_of_best[..]
        && (only_test.difference, only_test.standard_error) != (0.0, 0.0)
    {
        text += &format!(", {}", only_test.p_text());
    }
    if tests_of_best.len() >= MAX_NAMED_RANKERS {
        // A list of all would be longer than the table.
        let by_more = match significant.len() {
            0 => ", but that may be chance".to_owned(),
            count => format!("; of {} by more than chance", with_separators(count as u64)),
        };
        text = format!("{best_text} is ahead of all {} others{by_more}", tests_of_best.len());
    }
    Some(text)
}

/// The others beside the baseline: better, worse, and neither beyond chance.
pub(super) fn against_baseline(tests: &[&PairTest], baseline: usize, names: &ArmNames) -> String {
    let is_ahead = |test: &&&PairTest| test.second == baseline;
    let (significant, open): (Vec<&PairTest>, Vec<&PairTest>) =
        tests.iter().copied().partition(|test| test.is_significant());
    let (better, worse): (Vec<&PairTest>, Vec<&PairTest>) = significant.into_iter().partition(|test| is_ahead(&test));
    let mean = tests.first().map_or(f64::NAN, |test| test.means[usize::from(test.second == baseline)]);
    let baseline_text = format!("{} ({mean:.4})", names.name(baseline));
    let other_text = |test: &&PairTest| {
        let other_side = usize::from(test.first == baseline);
        let arm = [test.first, test.second][other_side];
        format!("{} ({:.4}, {})", names.name(arm), test.means[other_side], test.p_text())
    };
    let others_list = |tests: &[&PairTest]| match tests.len() {
        count if count > MAX_NAMED_RANKERS => format!("{} others", with_separators(count as u64)),
        _ => joined_names(&tests.iter().map(other_text).collect::<Vec<_>>()),
    };
    let verb =
        |tests: &[&PairTest], singular: &str, plural: &str| if tests.len() == 1 { singular } else { plural }.to_owned();
    let mut clauses = Vec::new();
    if !better.is_empty() {
        clauses.push(format!("{} {} {baseline_text}", others_list(&better), verb(&better, "beats", "beat")));
    }
    if !worse.is_empty() {
        let beaten_text = if clauses.is_empty() { baseline_text.clone() } else { names.name(baseline) };
        clauses.push(format!("{beaten_text} beats {}", others_list(&worse)));
    }
    if !open.is_empty() {
        let open_text = if clauses.is_empty() { baseline_text } else { names.name(baseline) };
        clauses.push(format!("{} {} not distinguished from {open_text}", others_list(&open), verb(&open, "is", "are")));
    }
    clauses.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::{AdjustedPValue, MeasureTests, TestSettings};

    fn test(first: usize, second: usize, means: [f64; 2], p_holm: f64) -> PairTest {
        let difference = means[0] - means[1];
        let standard_error = if difference == 0.0 { 0.0 } else { 0.01 };
        PairTest {
            measure: "nDCG@10".to_owned(),
            first,
            second,
            means,
            difference,
            standard_error,
            interval: (difference, difference),
            t: None,
            p: p_holm,
            adjusted_p: AdjustedPValue::Holm(p_holm),
            is_opposed: false,
            corrected: None,
        }
    }

    fn sentence(tests: Vec<PairTest>) -> String {
        let names = letor_io::Names::new(["a", "b", "c", "d"]).expect("names");
        let names = ArmNames::NUMBERS.with_user_names(Some(names));
        MeasureTests { queries: 784, settings: TestSettings::default(), tests, baseline: None }
            .sentence(&names)
            .expect("a sentence")
    }

    #[test]
    fn each_outcome_has_its_sentence() {
        assert_eq!(
            sentence(vec![test(1, 0, [0.44, 0.42], 0.0123)]),
            "by nDCG@10, b (0.4400) beats a (0.4200), p = 0.0123 (paired t-test over 784 queries)"
        );
        assert_eq!(
            sentence(vec![test(1, 0, [0.44, 0.42], 0.31)]),
            "by nDCG@10, b (0.4400) is ahead of a (0.4200), but that may be chance, p = 0.31 (paired t-test over 784 queries)"
        );
        assert_eq!(
            sentence(vec![test(0, 1, [0.44, 0.44], 1.0)]),
            "by nDCG@10, a and b are equal for every query (0.4400) (paired t-test over 784 queries)"
        );
        let three = |near: f64| {
            vec![test(1, 0, [0.44, 0.42], near), test(0, 2, [0.42, 0.3], 0.01), test(1, 2, [0.44, 0.3], 1e-9)]
        };
        assert_eq!(
            sentence(three(0.02)),
            "by nDCG@10, b (0.4400) beats a (0.4200, p = 0.0200) and c (0.3000, p < 0.0001) (paired t-tests over 784 queries, \
             Holm's correction for 3 pairs)"
        );
        assert_eq!(
            sentence(three(0.2)),
            "by nDCG@10, b (0.4400) beats c (0.3000, p < 0.0001); it is ahead of a (0.4200, p = 0.20), but that may be chance \
             (paired t-tests over 784 queries, Holm's correction for 3 pairs)"
        );
        let four = [three(0.2), (0..3).map(|arm| test(arm, 3, [0.4, 0.1], 0.01)).collect()].concat();
        assert_eq!(
            sentence(four),
            "by nDCG@10, b (0.4400) is ahead of all 3 others; of 2 by more than chance (paired t-tests over 784 queries, \
             Holm's correction for 6 pairs)"
        );
    }

    #[test]
    fn a_baseline_is_compared_with_each_other_alone() {
        let pairs = || {
            vec![
                test(1, 0, [0.44, 0.42], 0.01),
                test(0, 2, [0.42, 0.41], 0.2),
                test(0, 3, [0.42, 0.3], 0.001),
                test(1, 2, [0.44, 0.41], 0.04),
                test(1, 3, [0.44, 0.3], 1e-9),
                test(2, 3, [0.41, 0.3], 0.04),
            ]
        };
        let against = |baseline: usize| {
            let names = letor_io::Names::new(["a", "b", "c", "d"]).expect("names");
            let tests =
                MeasureTests::corrected_within_measures(784, TestSettings::default(), pairs()).unwrap().unwrap();
            let tests = tests.against_baseline(baseline).unwrap();
            assert!(tests.tests.len() == 3 && tests.baseline == Some(baseline));
            tests.sentence(&ArmNames::NUMBERS.with_user_names(Some(names))).unwrap()
        };
        // Holm's correction is for three pairs: 2 * 0.01, 3 * 0.001.
        assert_eq!(
            against(0),
            "by nDCG@10, b (0.4400, p = 0.0200) beats a (0.4200); a beats d (0.3000, p = 0.0030); c (0.4100, p = 0.20) is not \
             distinguished from a (paired t-tests over 784 queries, Holm's correction for 3 pairs)"
        );
        assert_eq!(
            against(1),
            "by nDCG@10, b (0.4400) beats a (0.4200, p = 0.0200), c (0.4100, p = 0.0400) and d (0.3000, p < 0.0001) (paired t-tests \
             over 784 queries, Holm's correction for 3 pairs)"
        );
    }
}
