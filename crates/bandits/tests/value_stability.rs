//! What each algorithm plays for a given seed. Published numbers hang on it: where a line here has
//! to change, the algorithm's `REVISION` is raised and the changelog says so.

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
        ("mergerucb:variant=paper", "32 47 02 74 23 47 02 74 10 54 .. 46"),
        ("rmed1", "01 02 03 04 05 06 07 12 13 14 .. 10"),
        ("mdb", "01234567 01234567 01234567 01234567 01234567 01234567 012346 01234567 012346 012346 .. 0"),
        ("mergerucb-squared", "14 36 24 03 07 36 10 34 20 35 .. 01"),
        ("mergerucb-parallel", "14 36 24 03 47 50 71 06 72 35 .. 10"),
        ("rmed2", "01 02 03 04 05 06 07 12 13 14 .. 10"),
        ("rmed2:variant=komiyama", "01 02 03 01 02 03 01 02 03 04 .. 10"),
        ("rmed2fh", "01 02 03 04 05 06 07 12 13 14 .. 0"),
        ("rmed2fh:variant=komiyama", "01 01 01 01 01 01 01 02 02 02 .. 10"),
        ("sparring", "65 06 23 72 10 54 31 47 03 14 .. 00"),
        ("sparring:variant=mergedts", "65 60 60 50 50 52 54 57 53 53 .. 10"),
        ("sparring-ts", "05 37 43 35 22 65 21 44 62 60 .. 00"),
        ("sparring-exp3", "55 44 12 31 35 63 47 55 42 55 .. 01"),
        ("sparring-exp3:variant=mergedts", "55 44 12 31 35 63 47 55 42 55 .. 01"),
        ("doubler", "65 60 51 57 50 06 10 11 05 17 .. 04"),
        ("multisbm", "65 50 05 52 24 47 74 40 00 07 .. 05"),
        ("self-sparring", "05 37 43 65 22 61 26 44 66 53 .. 00"),
        ("self-sparring:m=4", "0537 43 261 643 31 3017 163 31 1 1 .. 0"),
        ("rex3", "5 4 12 31 35 63 47 5 52 5 .. 0"),
        ("rex3:variant=mergedts", "5 4 12 31 35 63 47 5 52 5 .. 0"),
        ("winner-stays", "65 60 06 03 03 30 37 31 31 31 .. 01"),
        ("winner-stays-strong", "65 60 06 03 03 30 37 31 31 31 .. 0"),
        ("winner-stays-strong:after=duel", "65 6 6 60 0 0 0 0 06 0 .. 3"),
        ("ccb", "65 06 15 73 01 72 03 01 15 43 .. 01"),
        ("scb", "06 06 06 06 06 06 06 06 06 06 .. 12"),
        ("scb:variant=wu", "06 06 06 06 06 06 06 06 06 06 .. 01"),
        ("random", "65 05 14 74 01 72 03 01 43 75 .. 56"),
        ("random-set", "01347 0237 5 12467 257 026 012 05 467 124 .. 457"),
        ("if1", "60 61 62 63 64 65 67 60 61 62 .. 63"),
        ("if2", "60 61 62 63 64 65 67 60 61 62 .. 63"),
        ("btm", "65 05 24 74 11 52 33 40 14 47 .. 45"),
        ("savage", "45 36 03 35 06 25 67 17 02 05 .. 05"),
        ("mergedts", "24 63 14 60 47 60 12 03 27 05 .. 10"),
        ("rcs", "50 15 40 72 20 34 61 02 14 74 .. 01"),
        ("rts", "41 30 41 45 40 76 13 50 75 34 .. 0"),
        ("dts", "41 30 41 45 40 76 13 50 75 34 .. 0"),
        ("dts-plus", "40 45 47 42 23 05 13 30 46 20 .. 0"),
    ];
    let mut changed = Vec::new();
    for (text, excerpt) in expected {
        let spec: Spec = text.parse().expect(text);
        let played = spec.visit(8, 3_000, Excerpt).expect("eight arms");
        if played != excerpt {
            changed.push((text, played));
        }
    }
    assert!(changed.is_empty(), "{changed:#?}");
    for entry in entries() {
        let pinned = expected.iter().any(|(text, _)| *text == entry.name);
        assert!(pinned, "{} has no line here", entry.name);
    }
}
