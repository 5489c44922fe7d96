//! The colours of algorithms.

/// All algorithms, each with the colour and dashes of its position in every figure. There are seven colours, so that those
/// seven places apart share one: variants of one algorithm, or algorithms that papers do not draw together. Add new ones at
/// the end: the others keep their styles.
const ALGORITHMS: [&str; 50] = [
    "rucb",
    "mergerucb",
    "rmed1",
    "dts",
    "mdb",
    "self-sparring",
    "random",
    "if2",
    "mergerucb-squared",
    "rmed2",
    "mergedts",
    "savage",
    "sparring",
    "btm",
    "winner-stays",
    "mergerucb-parallel",
    "rmed2fh",
    "rcs",
    "rts",
    "sparring-exp3",
    "dts-plus",
    "winner-stays-strong",
    "sparring-ts",
    "if1",
    "random-set",
    "multisbm",
    "ccb",
    "scb",
    "rex3",
    "doubler",
    "versatile-db",
    "ecw-rmed",
    "sliding-rucb",
    "discounted-rucb",
    "dexp3",
    "borda-elimination",
    "bradley-terry",
    "knockout",
    "nts",
    "dkwt",
    "pocowista",
    "multirucb",
    "bradley-terry-pairs",
    "sliding-dts",
    "discounted-dts",
    "sequential-elimination",
    "sparring-exp3s",
    "mallows-mpi",
    "pl-pac",
    "verification",
];

/// The families of curves with a style of their own, for figures.
#[must_use]
pub fn palette() -> Vec<String> {
    ALGORITHMS.map(str::to_owned).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_has_a_place() {
        for entry in bandits::registry::entries() {
            assert!(ALGORITHMS.contains(&entry.name), "add {} at the end of ALGORITHMS", entry.name);
        }
        for (at, name) in ALGORITHMS.iter().enumerate() {
            assert!(!ALGORITHMS[..at].contains(name), "{name} is there twice");
        }
    }
}
