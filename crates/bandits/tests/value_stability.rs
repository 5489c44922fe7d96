//! What each policy chooses for a given seed is part of every published number: a change of these is
//! a change of values, and is to be announced as one.

mod common;

use bandits::registry::{PolicyVisitor, Spec};
use bandits::{Policy, problems};

/// Who meets at some steps among 8 arms, `a-b` or, alone, `a`.
struct Glimpses;

impl PolicyVisitor for Glimpses {
    type Output = String;

    fn visit<P: Policy + Send>(self, policy: P) -> String {
        let matrix = problems::arithmetic(8).expect("eight arms");
        let diary = common::diary(policy, &matrix, 20_000, 1);
        let glimpses = [
            1, 2, 3, 30, 31, 100, 300, 1_000, 3_000, 7_000, 15_000, 20_000,
        ]
        .map(|step| {
            let arms: Vec<String> = diary[step - 1]
                .iter()
                .map(|arm| arm.0.to_string())
                .collect();
            arms.join("-")
        });
        glimpses.join(" ")
    }
}

#[test]
fn policies_choose_as_ever() {
    let expected = [
        ("if1", "6-0 6-1 6-2 6-1 6-2 6-1 6-5 6-5 6-3 0-7 0-1 0-1"),
        ("if2", "6-0 6-1 6-2 6-1 6-2 6-1 6-5 6-5 6-3 0-5 0-2 0-1"),
        ("btm", "6-5 0-5 2-4 6-1 3-3 6-1 3-4 6-4 4-5 0-5 5-2 4-1"),
        (
            "btm:variant=tight",
            "6-5 0-6 2-5 6-1 3-2 6-1 3-5 6-3 4-5 4-2 0-2 1-0",
        ),
        (
            "btm:setting=pac:epsilon=0.9",
            "6-5 0-5 2-4 6-1 3-3 6-1 3-4 6-4 4-5 0 0 0",
        ),
        ("savage", "4-5 3-6 0-3 2-6 3-5 1-3 0-6 3-7 0-6 1-2 0 0"),
        (
            "savage:variant=lerot",
            "4-5 3-6 0-3 2-6 3-5 1-3 0-6 3-7 0-4 1-2 0 0",
        ),
        ("rcs", "5-0 1-5 4-0 1-7 4-6 7-3 6-5 0-1 0-1 0 0 0"),
        (
            "rcs:variant=lerot",
            "5-0 1-4 4-1 1-0 4-0 2-2 2-1 6-3 0-0 0-2 0-0 0-0",
        ),
        ("rts", "4-1 7-3 1-2 0-1 2-1 1-3 0-6 0-7 0 0 0 0"),
        ("dts", "4-1 7-3 1-2 0-1 2-1 1-3 0-6 0-7 0 0 0 0"),
        (
            "dts:variant=mergedts",
            "4-1 7-3 1-2 0-1 2-1 1-3 0-6 0-7 0 0 0 0",
        ),
        ("dts-plus", "2-0 2-1 1-3 2-6 3-4 2-1 4-2 0 0 0 0 0"),
        (
            "mergedts:c=10:alpha=0.2",
            "2-1 0-5 7-1 0-3 2-4 2-1 0-1 0 0 0 0 0",
        ),
        (
            "mergedts:c=10:alpha=0.2:variant=paper",
            "1-3 4-6 2-0 7-5 1-3 6-7 6-4 0 0 0 0 0",
        ),
    ];
    for (name, glimpses) in expected {
        let spec: Spec = name.parse().expect(name);
        let found = spec.visit(8, 20_000, Glimpses).expect("arms");
        assert_eq!(found, glimpses, "{name}");
    }
}
