//! The openings of algorithms, in which they go through pairs of arms on a schedule of their own: a measurement begins after
//! them.

/// The plays of an algorithm before its rule chooses.
#[derive(Clone, Copy)]
enum Opening {
    /// Nothing.
    None,
    /// Every pair this often.
    Pairs(usize),
    /// Every ordered pair, and each arm against itself.
    OrderedPairs,
}

const OPENINGS: [(Opening, &[&str]); 5] = [
    (Opening::Pairs(1), &["savage", "rucb", "rcs", "rmed1", "sliding-rucb", "discounted-rucb", "ccb", "ecw-rmed"]),
    // At the default alpha, for horizons around 10^9.
    (Opening::Pairs(9), &["rmed2"]),
    (Opening::Pairs(10), &["rmed2fh"]),
    (Opening::OrderedPairs, &["multisbm"]),
    (
        Opening::None,
        &[
            "if1",
            "if2",
            "btm",
            "mergerucb",
            "mergerucb-squared",
            "mergerucb-parallel",
            "mergedts",
            "rts",
            "dts",
            "dts-plus",
            "mdb",
            "multirucb",
            "sparring",
            "sparring-ts",
            "sparring-exp3",
            "versatile-db",
            "dexp3",
            "borda-elimination",
            "knockout",
            "nts",
            "dkwt",
            "pocowista",
            "sequential-elimination",
            "mallows-mpi",
            "pl-pac",
            "verification",
            "parwis",
            "doubler",
            "self-sparring",
            "sliding-dts",
            "discounted-dts",
            "sparring-exp3s",
            "bradley-terry",
            "bradley-terry-pairs",
            "rex3",
            "winner-stays",
            "winner-stays-strong",
            "scb",
            "random",
            "random-set",
        ],
    ),
];

/// The length of an algorithm's opening among this number of arms, in steps.
pub(super) fn steps(name: &str, arms: usize) -> u64 {
    let opening = OPENINGS.iter().find(|(_, names)| names.contains(&name)).map_or(Opening::None, |row| row.0);
    let steps = match opening {
        Opening::None => 0,
        Opening::Pairs(times) => times * arms * (arms - 1) / 2,
        Opening::OrderedPairs => arms * arms,
    };
    steps as u64
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_algorithm_has_its_row() {
        let rows: Vec<&str> = OPENINGS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let entries = bandits::registry::entries();
        let names: BTreeSet<&str> = entries.iter().map(|entry| entry.name).collect();
        assert_eq!(
            rows.iter().copied().collect::<BTreeSet<_>>(),
            names,
            "add it to xtask/src/bench/policies/openings.rs"
        );
        assert_eq!(rows.len(), names.len(), "an algorithm is listed twice");
    }

    #[test]
    fn openings_go_through_pairs() {
        assert_eq!(["rucb", "rmed2", "multisbm", "dts"].map(|name| steps(name, 5)), [10, 90, 25, 0]);
    }
}
