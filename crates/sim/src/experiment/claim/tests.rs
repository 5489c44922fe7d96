//! Every kind of claim, held and not held, on small constructed curves.

use super::{ClaimResult, TestedClaim, evaluate};
use crate::experiment::parse;
use crate::experiment::series::{Metric, Point, Series};

fn series(setting: &str, curve: &str, metric: Metric, points: &[(f64, &[f64])]) -> Series {
    let points = points.iter().map(|(x, values)| Point::new(*x, values.to_vec())).collect();
    Series { setting: setting.into(), curve: curve.into(), metric, points }
}

/// Two settings; `a` starts above `b` and ends far below it.
fn measured() -> Vec<Series> {
    let mut all = Vec::new();
    for (setting, factor) in [("small", 1.0), ("large", 2.0)] {
        let a = [[2.0, 4.0], [4.0, 6.0], [5.0, 7.0], [5.5, 7.5]];
        let b = [[2.0, 2.0], [4.0, 4.0], [8.0, 8.4], [16.0, 17.0]].map(|v| v.map(|v| v * factor));
        let points = |values: &[[f64; 2]; 4]| -> Vec<Point> {
            let at = |(x, v): (f64, &[f64; 2])| Point::new(x, v.to_vec());
            [10.0, 20.0, 40.0, 80.0].into_iter().zip(values).map(at).collect()
        };
        for (name, values) in [("a p=6", a), ("b", b)] {
            all.push(Series {
                setting: setting.into(),
                curve: name.into(),
                metric: Metric::Regret,
                points: points(&values),
            });
        }
        all.push(series(setting, "the bound", Metric::Regret, &[(10.0, &[50.0]), (80.0, &[60.0])]));
        for (name, shares) in [("a p=6", [0.9, 0.5, 0.1, 0.05]), ("b", [0.9, 0.6, 0.5, 0.5])] {
            let points: Vec<(f64, &[f64])> =
                [10.0, 20.0, 40.0, 80.0].into_iter().zip(shares.iter().map(std::slice::from_ref)).collect();
            all.push(series(setting, name, Metric::Suboptimal, &points));
            all.push(series(setting, name, Metric::WithoutBest, &points));
        }
    }
    all
}

fn outcome(claim: &str, synthetic: bool) -> TestedClaim {
    outcome_at(1.0, claim, synthetic)
}

fn outcome_at(scale: f64, claim: &str, synthetic: bool) -> TestedClaim {
    let text = format!(
        "title = \"t\"\npaper = \"rcs\"\nfigure = \"f\"\nkind = \"structure\"\n[[setting]]\nname = \"s\"\n\
         play = \"problem\"\nproblem = \"cyclic\"\n[[claim]]\nsays = \"it\"\n{claim}\n"
    );
    let experiment = parse(&text).expect(claim);
    evaluate(&experiment.claims[0], &measured(), scale, |_| synthetic)
}

#[test]
fn every_kind_of_claim_can_hold_and_fail() {
    for (claim, held) in [
        ("lowest = \"a\"", true),
        ("lowest = \"b\"", false),
        ("highest = \"b\"", true),
        ("lowest = \"a\"\nfor = \"all\"", false),
        ("lowest = \"a\"\nfor = \"steps >= 40\"", true),
        ("ratio = [\"b\", \"a\"]\nabove = 2.5\nin = [\"small\"]", true),
        ("ratio = [\"b\", \"a\"]\nabove = 2.6\nin = [\"small\"]", false),
        ("value = \"a\"\nnear = 6.4\nwithin = 0.2", true),
        ("value = \"a\"\nbelow = 6.4", false),
        ("each = \"a\"\nvalues = [3, 5, 6, 6.4]\nwithin = 0.2", true),
        ("each = \"a\"\nvalues = [3, 5, 6, 7]\nwithin = 0.2", false),
        ("reaches = \"b\"\nlevel = 4\nsooner-than = \"a\"\ntimes = 1\nin = [\"small\"]", true),
        ("reaches = \"a\"\nlevel = 8", false),
        ("near-best = \"b\"\nwithin = 2.6\nin = [\"small\"]", true),
        ("near-best = \"b\"\nwithin = 2.5\nin = [\"small\"]", false),
        ("flat = \"a\"\nwithin = 1.1", true),
        ("flat = \"b\"\nwithin = 1.9", false),
        ("grows = [\"b\", \"a\"]\nin = [\"small\", \"large\"]", true),
        ("grows = [\"b\", \"a\"]\nin = [\"large\", \"small\"]", false),
        ("shrinks = \"b\"\nin = [\"large\", \"small\"]", true),
        ("shrinks = \"b\"\nin = [\"small\", \"large\"]", false),
        ("shrinks = \"b\"\ntimes = 2.1\nin = [\"large\", \"small\"]", false),
        ("rises = \"b\"\nin = [\"small\", \"large\"]", true),
        ("rises = \"b\"\nin = [\"large\", \"small\"]", false),
        ("rises = \"b\"\ntimes = 1.9\nin = [\"small\", \"large\"]", true),
        ("rises = \"b\"\ntimes = 2.1\nin = [\"small\", \"large\"]", false),
        ("rises = \"b\"\nat-most = 2.1\nin = [\"small\", \"large\"]", true),
        ("rises = \"b\"\nat-most = 1.9\nin = [\"small\", \"large\"]", false),
        ("slower = [\"a\", \"b\"]\nfor = \"all\"", true),
        ("slower = [\"b\", \"a\"]\nfor = \"all\"", false),
        ("linear = \"b\"\nruns = 2", true),
        ("linear = \"a\"", false),
        ("best-run-worse-than-mean = [\"b\", \"a\"]", true),
        ("best-run-worse-than-mean = [\"a\", \"b\"]", false),
        ("crossing = [\"a\", \"b\"]\nshares = [0.1, 0.5]\nexcess = 1.54\nwithin = 0.01\nin = [\"small\"]", true),
        ("crossing = [\"a\", \"b\"]\nshares = [0.2, 0.5]\nwithin = 0.01\nin = [\"small\"]", false),
        ("crossing = [\"a\", \"b\"]\nbefore = [0.5, 0.6]\nafter = [0.05, 0.5]\nwithin = 0.01\nin = [\"small\"]", true),
        ("crossing = [\"a\", \"b\"]\nbefore = [0.5, 0.7]\nwithin = 0.01\nin = [\"small\"]", false),
        ("crossing = [\"a\", \"b\"]\nafter = [0.05, 0.4]\nwithin = 0.01\nin = [\"small\"]", false),
        ("crossing = [\"b\", \"a\"]", false),
        ("below-bound = \"a\"\nbound = \"the bound\"", true),
        ("below-bound = \"the bound\"\nbound = \"a\"", false),
    ] {
        let expected = if held { ClaimResult::Held } else { ClaimResult::DidNotHold };
        let found = outcome(claim, false);
        assert_eq!(found.verdict, expected, "{claim}: {}", found.numbers);
        assert!(!found.numbers.is_empty());
    }
}

#[test]
fn claims_about_what_was_not_measured_are_not_tested() {
    for claim in [
        "lowest = \"c\"",
        "value = \"a\"\nbelow = 1\nin = [\"nowhere\"]",
        "value = \"a\"\nbelow = 1\nfor = \"steps >= 1000\"",
    ] {
        let found = outcome(claim, false);
        assert_eq!(found.verdict, ClaimResult::NotTested, "{claim}: {}", found.numbers);
    }
}

/// A claim that no numbers could refute is not tested.
#[test]
fn claims_that_cannot_fail_are_not_tested() {
    let flat = |curve: &str, values: &[f64]| series("s", curve, Metric::Accuracy, &[(10.0, values), (20.0, values)]);
    let bound = |height: f64| series("s", "the bound", Metric::Regret, &[(10.0, &[height]), (20.0, &[height])]);
    let test = |claim: &str, all: &[Series]| {
        let text = format!(
            "title = \"t\"\nkind = \"structure\"\n[[setting]]\nname = \"s\"\nplay = \"problem\"\n\
             problem = \"cyclic\"\n[[claim]]\nsays = \"it\"\n{claim}\n"
        );
        evaluate(&parse(&text).expect(claim).claims[0], all, 1.0, |_| false)
    };
    // Accuracies that have all reached 1.
    let ratio = "ratio = [\"a\", \"b\"]\nabove = 0.9\nbelow = 1.1\nfor = \"all\"";
    let found = test(ratio, &[flat("a", &[1.0, 1.0]), flat("b", &[1.0, 1.0])]);
    assert_eq!(found.verdict, ClaimResult::NotTested, "{}", found.numbers);
    assert!(found.numbers.contains("the same in every run"), "{}", found.numbers);
    let found = test(ratio, &[flat("a", &[1.0, 1.0]), flat("b", &[1.0, 0.9])]);
    assert_eq!(found.verdict, ClaimResult::Held, "{}", found.numbers);
    // A bound above the number of steps.
    let below = "below-bound = \"a\"\nbound = \"the bound\"";
    let regret = series("s", "a", Metric::Regret, &[(10.0, &[4.0]), (20.0, &[8.0])]);
    let found = test(below, &[regret.clone(), bound(20.0)]);
    assert_eq!(found.verdict, ClaimResult::NotTested, "{}", found.numbers);
    assert!(found.numbers.contains("more than any algorithm can lose"), "{}", found.numbers);
    assert_eq!(test(below, &[regret, bound(19.0)]).verdict, ClaimResult::Held);
}

/// Numbers carry a remark if noise could have put them on the other side of the claim's threshold.
#[test]
fn numbers_within_two_standard_errors_are_remarked() {
    for (claim, remarked) in [
        // 6 +- 1 at the end of `a`, 16.5 +- 0.5 at the end of `b`.
        ("ratio = [\"b\", \"a\"]\nabove = 2.3\nin = [\"small\"]", true),
        ("ratio = [\"b\", \"a\"]\nabove = 1.5\nin = [\"small\"]", false),
        ("ratio = [\"b\", \"a\"]\nabove = 1.5\nbelow = 3\nin = [\"small\"]", true),
        ("value = \"a\"\nbelow = 8\nin = [\"small\"]", true),
        ("value = \"a\"\nbelow = 9\nin = [\"small\"]", false),
        ("near-best = \"b\"\nwithin = 2.6\nin = [\"small\"]", true),
        ("near-best = \"b\"\nwithin = 5\nin = [\"small\"]", false),
        ("flat = \"b\"\nwithin = 2", true),
        ("flat = \"b\"\nwithin = 3", false),
        ("rises = \"b\"\ntimes = 1.9\nin = [\"small\", \"large\"]", true),
        ("rises = \"b\"\nin = [\"small\", \"large\"]", false),
        ("rises = \"a\"\nin = [\"small\", \"large\"]", true),
        ("grows = [\"b\", \"a\"]\nin = [\"small\", \"large\"]", false),
        ("slower = [\"a\", \"b\"]\nfor = \"all\"\nin = [\"small\"]", false),
        ("lowest = \"a\"", false),
    ] {
        let found = outcome(claim, false).numbers;
        assert_eq!(found.contains("within two standard errors"), remarked, "{claim}: {found}");
    }
}

#[test]
fn claims_on_lookalikes_say_so_and_may_need_real_data() {
    let found = outcome("lowest = \"a\"", true);
    assert_eq!(found.verdict, ClaimResult::Held);
    assert!(found.numbers.starts_with("on the look-alike: "));
    let found = outcome("lowest = \"a\"\nneeds-real-data = true", true);
    assert_eq!(found.verdict, ClaimResult::NeedsRealData);
    assert!(found.numbers.starts_with("the look-alike gives: "));
    assert_eq!(outcome("lowest = \"a\"\nneeds-real-data = true", false).verdict, ClaimResult::Held);
}

#[test]
fn claims_below_the_papers_scale_stay_open() {
    for claim in ["lowest = \"a\"", "lowest = \"b\""] {
        let (whole, scaled) = (outcome(claim, false), outcome_at(0.01, claim, false));
        assert_eq!((scaled.verdict, scaled.verdict.mark().as_str()), (ClaimResult::Open, "○ open (scaled)"));
        assert_eq!(scaled.numbers, format!("at a scale of 0.01: {}", whole.numbers), "the numbers are still there");
    }
    // A claim that no scale can test keeps its verdict.
    assert_eq!(outcome_at(0.01, "lowest = \"c\"", false).verdict, ClaimResult::NotTested);
    let found = outcome_at(0.01, "lowest = \"a\"\nneeds-real-data = true", true);
    assert_eq!(found.verdict, ClaimResult::NeedsRealData);
}

#[test]
fn verdicts_are_counted_in_words() {
    let claims = ["lowest = \"a\"", "lowest = \"b\"", "lowest = \"a\"\nneeds-real-data = true"];
    let outcomes: Vec<TestedClaim> = claims.iter().map(|claim| outcome(claim, true)).collect();
    let tally = ClaimResult::tally(outcomes.iter());
    assert_eq!(tally, [(ClaimResult::Held, 1), (ClaimResult::DidNotHold, 1), (ClaimResult::NeedsRealData, 1)]);
    assert_eq!(
        [1, 2].map(|claims| ClaimResult::NeedsRealData.words(claims)),
        ["needs the real data", "need the real data"]
    );
}

#[test]
fn invalid_claims_are_refused() {
    for (claim, says) in [
        ("", "nothing to test"),
        ("lowest = \"a\"\nhighest = \"a\"", "more than one test"),
        ("ratio = [\"a\", \"b\"]", "needs `above`"),
        ("lowest = \"a\"\nfor = \"K > 3\"", "expected `last`"),
        ("near-best = \"a\"", "need `within`"),
        ("grows = [\"a\", \"b\"]", "needs `in`"),
        ("rises = \"a\"", "need `in`"),
        ("rises = \"a\"\ntimes = 3\nat-most = 2\nin = [\"s\", \"s\"]", "at least `times`"),
    ] {
        let text = format!(
            "title = \"t\"\npaper = \"rcs\"\nfigure = \"f\"\nkind = \"structure\"\n[[setting]]\nname = \"s\"\n\
             play = \"problem\"\nproblem = \"cyclic\"\n[[claim]]\nsays = \"it\"\n{claim}\n"
        );
        let error = parse(&text).expect_err(claim);
        assert_eq!(error.line, Some(9));
        assert!(error.message.contains(says), "{claim}: {}", error.message);
    }
}
