//! Names, parameters and errors of problems.

use super::*;
use crate::{Arena as _, Arm, winners};

fn problem(text: &str) -> Problem {
    text.parse().expect(text)
}

fn message(text: &str) -> String {
    text.parse::<Problem>().expect_err(text).to_string()
}

#[test]
fn problems_are_read_and_written_in_full() {
    assert_eq!(problem("arithmetic").to_string(), "arithmetic:k=8:step=0.05");
    assert_eq!(problem(" BTL : k=1e2 ").to_string(), "btl:k=100:ratio=0.9");
    assert_eq!(problem("normal:k=1e6:sd=3:seed=1").to_string(), "normal:k=1000000:sd=3:seed=1");
    assert_eq!(problem("7good3poor").arms(), 10);
    for name in names() {
        let problem = problem(name);
        assert_eq!(problem.to_string().parse(), Ok(problem.clone()), "{name}");
    }
}

#[test]
fn every_name_is_a_problem_that_arm_0_wins() {
    for name in names() {
        let problem = problem(name);
        let matrix = match problem.setting().expect(name) {
            ProblemArena::Matrix(matrix) => matrix,
            ProblemArena::Utilities(arena) => {
                assert_eq!(arena.arms(), problem.arms());
                arena.matrix().expect(name)
            }
        };
        assert_eq!(matrix.arms(), problem.arms(), "{name}");
        if name != "normal" {
            assert_eq!(winners::condorcet_winner(&matrix), Some(Arm(0)), "{name}");
        }
    }
}

#[test]
fn table_1_has_three_sizes() {
    for (i, name) in TABLE_1.iter().enumerate() {
        assert_eq!(problem(name).arms(), [6, 51, 201][i % 3], "{name}");
    }
}

#[test]
fn a_million_arms_need_no_matrix() {
    let ProblemArena::Utilities(arena) = problem("normal:k=1e6").setting().expect("utilities") else {
        panic!("utilities");
    };
    let gaps = arena.gaps();
    assert_eq!(gaps.len(), 1_000_000);
    assert_eq!(gaps.iter().filter(|&&gap| gap == 0.0).count(), 1);
    assert!(gaps.iter().all(|gap| (0.0..=0.5).contains(gap)));
    assert_eq!(problem("btl:k=1e6").setting().err(), Some(ProblemError::TooManyForAMatrix { arms: 1_000_000 }));
}

#[test]
fn slips_are_named() {
    assert!(message("aritmetic").contains("did you mean `arithmetic`?"));
    assert!(message("1good50por").contains("did you mean `1good50poor`?"));
    assert!(message("0good5poor").starts_with("no problem is called `0good5poor`"));
    assert!(message("arith").starts_with("no problem is called `arith`"));
    assert_eq!(
        message("nothing of the kind"),
        "no problem is called `nothing of the kind`; there are arithmetic, cyclic, btl, \
         upset, tournament, normal, and utilities such as 1good5poor, arith51, geom201"
    );
    assert_eq!(message("btl:size=3"), "btl has no parameter `size` (parameters: k, ratio)");
    assert_eq!(message("geom6:k=3"), "geom{n} has no parameter `k` (parameters: none)");
    assert_eq!(message("arithmetic:k=2:k=3"), "the parameter `k` is given twice");
}

#[test]
fn each_rule_has_its_error() {
    assert_eq!(message("arithmetic:step=0"), "step: expected 0 < step <= 0.5, found 0");
    assert_eq!(message("arithmetic:step=nan"), "step: expected 0 < step <= 0.5, found NaN");
    assert_eq!(message("cyclic:lead=0.5"), "lead: expected 0.5 < lead <= 1, found 0.5");
    assert_eq!(message("cyclic:circle=1.1"), "circle: expected 0.5 < circle <= 1, found 1.1");
    assert_eq!(message("upset:strong=0.5"), "strong: expected 0.5 < strong <= 1, found 0.5");
    assert_eq!(message("tournament:least=0"), "least: expected 0 < least <= 0.5, found 0");
    assert_eq!(message("tournament:least=0.4"), "most: expected least <= most <= 0.5, found 0.3");
    assert_eq!(message("tournament:k=2:winner=no"), "k: expected 3 arms or more: of two, one beats the other, found 2");
    assert!(message("tournament:winner=perhaps").contains("one of yes no"));
    assert_eq!(message("btl:ratio=1"), "ratio: expected 0 < ratio < 1, found 1");
    assert_eq!(message("normal:sd=0"), "sd must be a positive number, found 0");
    assert_eq!(message("normal:k=0"), "cannot choose among 0 arms; expected 1 to 4294967295");
    assert!(message("arith0").starts_with("cannot choose among 0 arms"));
    assert!(
        problem("arithmetic:k=40000")
            .setting()
            .expect_err("too many")
            .to_string()
            .starts_with("a matrix of 40000 arms would need 12 GB")
    );
}
