//! What each algorithm plays for a given seed. Published numbers hang on it: where a line here has
//! to change, the changelog says so.

mod common;

use bandits::problems;
use bandits::registry::{PolicyVisitor, Spec, entries};
use bandits::{Arm, Policy};

/// The first ten choices, and the last of 3,000.
struct Excerpt;

impl PolicyVisitor for Excerpt {
    type Output = String;

    fn visit<P: Policy + Send>(self, policy: P) -> String {
        let matrix = problems::arithmetic(8).expect("eight arms");
        let diary = common::diary(policy, &matrix, 3_000, 1);
        let show = |arms: &Vec<Arm>| arms.iter().map(|arm| arm.0.to_string()).collect::<String>();
        let first: Vec<String> = diary[..10].iter().map(show).collect();
        format!("{} .. {}", first.join(" "), show(&diary[2_999]))
    }
}

#[test]
fn value_stability() {
    let expected = [
        ("rucb", "65 06 15 73 01 72 03 01 15 43 .. 01"),
        ("rucb:variant=icml", "65 06 15 73 01 72 03 01 15 43 .. 01"),
        ("rucb:variant=lerot", "65 06 15 73 01 72 01 37 01 15 .. 12"),
        ("mergerucb", "14 36 24 03 47 50 71 06 72 35 .. 20"),
        (
            "mergerucb:variant=paper",
            "32 47 02 74 23 47 02 74 10 54 .. 46",
        ),
        ("rmed1", "01 02 03 04 05 06 07 12 13 14 .. 10"),
        (
            "mdb",
            "01234567 01234567 01234567 01234567 01234567 01234567 012346 01234567 012346 012346 .. 0",
        ),
        ("if1", "60 61 62 63 64 65 67 60 61 62 .. 63"),
        ("if2", "60 61 62 63 64 65 67 60 61 62 .. 63"),
        ("btm", "65 05 24 74 11 52 33 40 14 47 .. 45"),
        ("btm:variant=tight", "65 06 25 73 10 52 32 40 14 47 .. 45"),
        (
            "btm:setting=pac:epsilon=0.9",
            "65 05 24 74 11 52 33 40 14 47 .. 45",
        ),
        ("savage", "45 36 03 35 06 25 67 17 02 05 .. 05"),
        (
            "savage:variant=lerot",
            "45 36 03 35 06 25 67 17 02 05 .. 05",
        ),
        ("rcs", "50 15 40 72 20 34 61 02 14 74 .. 01"),
        ("rcs:variant=lerot", "50 14 41 05 30 21 67 71 12 25 .. 02"),
        ("rts", "41 73 12 01 20 75 74 30 06 26 .. 0"),
        ("dts", "41 73 12 01 20 75 74 30 06 26 .. 0"),
        ("dts:variant=mergedts", "41 73 12 01 20 75 74 30 06 26 .. 0"),
        ("dts-plus", "20 21 13 31 40 47 36 37 52 30 .. 0"),
        ("mergedts", "21 05 71 36 27 53 17 60 17 06 .. 01"),
        (
            "mergedts:c=10:alpha=0.2",
            "21 05 71 36 27 53 17 60 17 06 .. 0",
        ),
        (
            "mergedts:c=10:alpha=0.2:variant=paper",
            "13 46 20 75 32 65 01 47 03 75 .. 0",
        ),
        ("random", "65 05 14 74 01 72 03 01 43 75 .. 56"),
        (
            "random-set",
            "01347 0237 5 12467 257 026 012 05 467 124 .. 457",
        ),
    ];
    for (text, excerpt) in expected {
        let spec: Spec = text.parse().expect(text);
        let played = spec.visit(8, 3_000, Excerpt).expect("eight arms");
        assert_eq!(played, excerpt, "{text}");
    }
    for entry in entries() {
        let pinned = expected.iter().any(|(text, _)| *text == entry.name);
        assert!(pinned, "{} has no line here", entry.name);
    }
}
